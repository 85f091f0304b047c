//! What a run cannot write costs nothing but that.

use std::collections::HashSet;
use takeover_harness::text::plural;

/// What could not be written. Everything else is written all the same, and the report is printed.
#[derive(Debug, Default)]
pub(super) struct Unwritten {
    errors: Vec<anyhow::Error>,
    /// Their texts.
    told: HashSet<String>,
}

impl Unwritten {
    /// Remembers an error, once.
    pub(super) fn note<T>(&mut self, written: anyhow::Result<T>) {
        let new = written.err().filter(|error| self.told.insert(format!("{error:#}")));
        self.errors.extend(new);
    }

    /// Whether there is one.
    pub(super) fn is_some(&self) -> bool {
        !self.errors.is_empty()
    }

    /// All of them in one, a line each behind their number, if there are any.
    pub(super) fn into_error(mut self) -> Option<anyhow::Error> {
        if self.errors.len() < 2 {
            return self.errors.pop();
        }
        let told: String = self.errors.iter().map(|error| format!("\n  {error:#}")).collect();
        Some(anyhow::anyhow!("{}:{told}", plural(self.errors.len() as u64, "failure")))
    }
}

#[cfg(test)]
mod tests {
    use super::Unwritten;
    use anyhow::anyhow;

    #[test]
    fn every_file_that_could_not_be_written_is_named() {
        let told = |count: usize| {
            let mut unwritten = Unwritten::default();
            (0..count).for_each(|at| unwritten.note(Err::<(), _>(anyhow!("full").context(format!("file {at}")))));
            unwritten.note(Ok(()));
            // The same again, as when a checkpoint fails twice.
            (0..count).for_each(|at| unwritten.note(Err::<(), _>(anyhow!("full").context(format!("file {at}")))));
            unwritten.into_error().map(|error| format!("{error:#}"))
        };
        assert_eq!(told(0), None);
        assert_eq!(told(1).as_deref(), Some("file 0: full"));
        assert_eq!(told(2).as_deref(), Some("2 failures:\n  file 0: full\n  file 1: full"));
        let many = told(1_200).unwrap();
        assert!(many.starts_with("1,200 failures:\n") && many.ends_with("\n  file 1199: full"), "{many}");
        assert_eq!(many.lines().count(), 1_201);
    }
}
