//! What a run notes for its supervisor: one note for each thread, which changes once or twice per chunk.

use super::heartbeat::{Heartbeat, Stage};
use crate::parent::end_with;
use anyhow::Context as _;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use std::cell::OnceCell;
use std::fs::File;
use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

/// Address space that the allocator reserves, and programs take.
const RESERVED: u64 = 2 << 30;

thread_local! {
    static BEAT: OnceCell<Option<Heartbeat>> = const { OnceCell::new() };
}

/// Notes which subjects are judged. Without a supervisor, it does nothing.
#[derive(Debug, Default)]
pub struct JudgingNotes {
    file: Option<File>,
    threads: AtomicU64,
}

impl JudgingNotes {
    /// Notes for the supervisor of this process id, in this file. The process ends with it, and is kept from taking the memory of the whole
    /// machine: it may have some times what a worker may, the more the more threads it has.
    ///
    /// # Errors
    /// Returns an error when the supervisor is gone, or the system refuses.
    pub(super) fn of(supervisor: i32, notes: &Path, jobs: NonZeroUsize, worker_memory: u64) -> anyhow::Result<Self> {
        end_with(supervisor).context("cannot end with the supervisor")?;
        // The limit of the workers is lower, and a system that has a lower one keeps it.
        let all = worker_memory.saturating_mul(2).saturating_add((jobs.get() as u64).saturating_mul(worker_memory / 8));
        let all = all.saturating_add(RESERVED);
        let known = getrlimit(Resource::As);
        let current = Some(known.current.map_or(all, |known| known.min(all)));
        setrlimit(Resource::As, Rlimit { current, ..known }).context("cannot limit memory")?;
        setrlimit(Resource::Core, Rlimit { current: Some(0), maximum: Some(0) })?;
        let file = File::options().write(true).open(notes).context("cannot open the notes of the supervisor")?;
        Ok(Self { file: Some(file), threads: AtomicU64::new(1) })
    }

    /// Notes that this thread judges a subject from here on, or rests.
    pub fn at(&self, subject: Option<usize>) {
        let Some(file) = &self.file else { return };
        let new = || {
            let number = self.threads.fetch_add(1, Ordering::Relaxed);
            file.try_clone().ok().map(|file| Heartbeat::at(file, number))
        };
        BEAT.with(|beat| {
            if let Some(beat) = beat.get_or_init(new) {
                match subject {
                    Some(subject) => beat.note(Stage::Candidate, subject as u64, 0),
                    None => beat.note(Stage::Start, 0, 0),
                }
            }
        });
    }

    /// Notes that the run ended of its own accord.
    pub fn done(&self) {
        if let Some(file) = self.file.as_ref().and_then(|file| file.try_clone().ok()) {
            Heartbeat::new(file).note(Stage::HandingOver, 0, 0);
        }
    }
}
