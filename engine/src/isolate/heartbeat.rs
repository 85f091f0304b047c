//! The note that says what a worker is doing: a few bytes in a file that both processes hold open, so that it outlasts the
//! worker.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt as _;
use std::sync::atomic::{AtomicU64, Ordering};

/// Bytes of a note.
const LEN: u64 = 24;

/// What a worker does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Stage {
    /// Getting ready.
    Start,
    /// Making the next case of a chunk.
    Making,
    /// Decoding the objects of a case, and letting the oracles take them in.
    Decoding,
    /// The reference judges the case or a variant of it.
    Reference,
    /// The candidate judges the case or a variant of it, or its answer is compared.
    Candidate,
    /// Handing over what was found.
    HandingOver,
}

impl Stage {
    const ALL: [Self; 6] =
        [Self::Start, Self::Making, Self::Decoding, Self::Reference, Self::Candidate, Self::HandingOver];

    /// Whether code of the subject runs, rather than the harness's own.
    pub(crate) fn is_subjects(self) -> bool {
        !matches!(self, Self::Start | Self::Making | Self::HandingOver)
    }
}

/// Where a worker is in its work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Spot {
    /// What it does.
    pub stage: Stage,
    /// With which case of the work, from 0.
    pub index: u64,
    /// How many answers to the case and its variants the oracle gave before.
    pub before: u64,
}

impl Spot {
    /// Whether both are at the same case: at the case itself, or at any variant of it.
    pub(super) fn is_at(self, other: Self) -> bool {
        (self.stage, self.index, self.before > 0) == (other.stage, other.index, other.before > 0)
    }
}

/// A note as it was read. It changes as long as the worker makes progress.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Note {
    steps: u64,
    /// What the worker is doing.
    pub spot: Spot,
}

/// The writer of notes in a worker.
#[derive(Debug)]
pub(super) struct Heartbeat {
    file: File,
    place: u64,
    steps: AtomicU64,
}

impl Heartbeat {
    /// Returns a writer to this file.
    pub(super) fn new(file: File) -> Self {
        Self::at(file, 0)
    }

    /// Returns a writer of the note with this number, for a file of several notes.
    pub(super) fn at(file: File, number: u64) -> Self {
        Self { file, place: number * LEN, steps: AtomicU64::new(0) }
    }

    /// Notes what happens next. A note that cannot be written is left out: at worst, the wrong case is then blamed, and the next
    /// attempt clears it.
    pub(super) fn note(&self, stage: Stage, index: u64, before: u64) {
        let steps = self.steps.fetch_add(1, Ordering::Relaxed) + 1;
        let words = [steps, index << 8 | stage as u64, before].map(u64::to_le_bytes);
        let _ = self.file.write_at(words.as_flattened(), self.place);
    }
}

/// Reads the last note, or the start if there is none yet.
///
/// # Errors
/// Returns an error when the file cannot be read.
pub(super) fn read(file: &File) -> io::Result<Note> {
    read_at(file, 0)
}

/// Reads every note in the file.
///
/// # Errors
/// Returns the errors of [`read`].
pub(super) fn read_all(file: &File) -> io::Result<Vec<Note>> {
    (0..file.metadata()?.len().div_ceil(LEN)).map(|number| read_at(file, number)).collect()
}

fn read_at(file: &File, number: u64) -> io::Result<Note> {
    let mut note = [0; 24];
    match file.read_exact_at(&mut note, number * LEN) {
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => {}
        read => read?,
    }
    let [steps, spot, before] = [0, 8, 16].map(|from| {
        let mut word = [0; 8];
        word.copy_from_slice(note.get(from..from + 8).unwrap_or(&[0; 8]));
        u64::from_le_bytes(word)
    });
    let stage = Stage::ALL.into_iter().find(|stage| *stage as u64 == spot & 0xff).unwrap_or(Stage::Start);
    Ok(Note { steps, spot: Spot { stage, index: spot >> 8, before } })
}

#[cfg(test)]
mod tests {
    use super::{Heartbeat, Spot, Stage, read};

    #[test]
    fn the_last_note_is_read_and_every_note_differs_from_the_one_before() {
        let file = tempfile::tempfile().unwrap();
        let start = read(&file).unwrap();
        assert_eq!(start.spot, Spot { stage: Stage::Start, index: 0, before: 0 });
        let beat = Heartbeat::new(file.try_clone().unwrap());
        let mut last = start;
        for stage in Stage::ALL {
            for (index, before) in [(0, 0), (0, 0), (1, 96), (1023, 1), (1 << 40, 1 << 40)] {
                beat.note(stage, index, before);
                let note = read(&file).unwrap();
                assert_eq!(note.spot, Spot { stage, index, before });
                assert_ne!(note, last, "a repeated step is a sign of life, too");
                last = note;
            }
        }
    }
}
