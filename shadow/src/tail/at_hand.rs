//! Which lines and requests of logs are at hand, in a file that outlives the server: one over which servers end is left out by the next.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::FileExt as _;
use std::path::Path;
use takeover_engine::bounded;

/// How many servers in a row may end over a line: the first may have been ended by anything.
const MOST_ENDS: u64 = 2;

/// The line that each log is at.
const AT_HAND: &str = "lines-at-hand";

/// Lines that are left out, by their hashes.
const LEFT_OUT: &str = "lines-left-out";

/// Most bytes of either file.
const MOST: u64 = 1 << 20;

/// Bytes of the note of a log: the hash of its line, and how many servers will have ended over it if this one does.
const LEN: usize = HASH + 8;
const HASH: usize = 16;

type LineHash = [u8; HASH];

/// The lines that are at hand, and those that are left out.
#[derive(Debug)]
pub struct LinesAtHand {
    notes: File,
    suspects: BTreeMap<LineHash, u64>,
    left_out: BTreeSet<LineHash>,
}

impl LinesAtHand {
    /// Goes on from what earlier servers left in `folder`, if anything.
    ///
    /// # Errors
    /// Returns an error when a file in it cannot be read or written.
    pub fn open(folder: &Path) -> io::Result<Self> {
        let mut notes =
            File::options().read(true).write(true).create(true).truncate(false).open(folder.join(AT_HAND))?;
        let mut noted = Vec::new();
        (&mut notes).take(MOST).read_to_end(&mut noted)?;
        let place = folder.join(LEFT_OUT);
        let known = match bounded::text(&place, MOST) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
            known => known?,
        };
        let mut left_out: BTreeSet<LineHash> = known.lines().filter_map(parsed).collect();
        let mut suspects = BTreeMap::new();
        for note in noted.chunks_exact(LEN) {
            let Some((line, ends)) = note.split_first_chunk::<HASH>() else { continue };
            let ends = ends.try_into().map_or(0, u64::from_le_bytes);
            if ends >= MOST_ENDS && left_out.insert(*line) {
                // INVARIANT: known before anything is read, or two such lines could take turns to end servers.
                let mut file = File::options().append(true).create(true).open(&place)?;
                writeln!(file, "{}", blake3::Hash::from(padded(line)).to_hex())?;
                file.sync_all()?;
            } else if ends > 0 {
                suspects.insert(*line, ends);
            }
        }
        Ok(Self { notes, suspects, left_out })
    }

    /// Notes that a log is at this line, or at the request that is known by this text. False if it is to be left out.
    pub(crate) fn take(&self, log: usize, line: &[u8]) -> bool {
        let mut hash = LineHash::default();
        blake3::Hasher::new().update(line).finalize_xof().fill(&mut hash);
        if self.left_out.contains(&hash) {
            return false;
        }
        let ends = self.suspects.get(&hash).copied().unwrap_or_default() + 1;
        self.note(log, hash, ends);
        true
    }

    /// Notes that a log is at no line.
    pub(crate) fn done(&self, log: usize) {
        self.note(log, LineHash::default(), 0);
    }

    /// A note that cannot be written is left out: at worst, the line ends another server.
    fn note(&self, log: usize, hash: LineHash, ends: u64) {
        let note = [hash.as_slice(), &ends.to_le_bytes()].concat();
        let _ = self.notes.write_all_at(&note, (log * LEN) as u64);
    }
}

fn padded(hash: &LineHash) -> [u8; 32] {
    let mut whole = [0; 32];
    whole.iter_mut().zip(hash).for_each(|(to, from)| *to = *from);
    whole
}

fn parsed(text: &str) -> Option<LineHash> {
    blake3::Hash::from_hex(text).ok()?.as_bytes().first_chunk().copied()
}

#[cfg(test)]
mod tests {
    use super::LinesAtHand;

    #[test]
    fn a_line_over_which_two_servers_end_is_left_out_from_then_on_and_no_other() {
        let folder = tempfile::tempdir().unwrap();
        let start = || LinesAtHand::open(folder.path()).unwrap();
        for _ in 0..2 {
            let server = start();
            assert!(server.take(0, b"other") && server.take(1, b"quiet") && server.take(0, b"deadly"));
            server.done(1);
            // The server ends here.
        }
        let server = start();
        assert!(server.take(0, b"other") && !server.take(0, b"deadly") && server.take(1, b"quiet"));
        // It ends over two more, which two servers in a row have to do.
        for _ in 0..2 {
            let server = start();
            assert!(!server.take(0, b"deadly") && server.take(0, b"second"));
        }
        let server = start();
        assert!(!server.take(0, b"deadly") && !server.take(0, b"second") && server.take(0, b"third"));
        server.done(0);
        assert!(start().take(0, b"third"));
    }
}
