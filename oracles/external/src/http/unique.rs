//! Names that nobody else uses.

use std::hash::{BuildHasher as _, Hasher as _, RandomState};
use std::sync::atomic::{AtomicU64, Ordering};

/// A random word of 16 hexadecimal digits.
pub(crate) fn word() -> String {
    format!("{:016x}", random())
}

/// The standard library seeds its hash maps from the system's randomness, which is random enough for names.
fn random() -> u64 {
    RandomState::new().build_hasher().finish()
}

/// Makes uids: random for this run, then counted.
#[derive(Debug)]
pub(crate) struct Uids {
    run: u64,
    next: AtomicU64,
}

impl Uids {
    pub(crate) fn new() -> Self {
        Self { run: random(), next: AtomicU64::new(0) }
    }

    /// The next uid, in the form of a version 4 UUID.
    pub(crate) fn next(&self) -> String {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let (high, run, low) = (self.run >> 32, self.run >> 16 & 0xffff, self.run & 0xfff);
        format!("{high:08x}-{run:04x}-4{low:03x}-8{:03x}-{:012x}", number >> 48 & 0xfff, number & 0xffff_ffff_ffff)
    }
}

#[cfg(test)]
mod tests {
    use super::{Uids, word};
    use std::collections::HashSet;

    #[test]
    fn uids_differ_within_a_run_and_between_runs() {
        let (one, other) = (Uids::new(), Uids::new());
        let uids: HashSet<String> = (0..100).flat_map(|_| [one.next(), other.next()]).collect();
        assert_eq!(uids.len(), 200);
        assert!(uids.iter().all(|uid| uid.len() == 36 && uid.split('-').count() == 5), "{uids:?}");
    }

    #[test]
    fn words_differ() {
        assert_ne!(word(), word());
        assert_eq!(word().len(), 16);
    }
}
