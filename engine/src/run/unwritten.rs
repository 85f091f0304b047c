//! What a run cannot write costs nothing but that.

use takeover_harness::text::plural;

/// What could not be written. Everything else is written all the same, and the report is printed.
#[derive(Debug, Default)]
pub(super) struct Unwritten(Vec<anyhow::Error>);

impl Unwritten {
    /// Remembers an error.
    pub(super) fn note<T>(&mut self, written: anyhow::Result<T>) {
        self.0.extend(written.err());
    }

    /// Whether there is one.
    pub(super) fn is_some(&self) -> bool {
        !self.0.is_empty()
    }

    /// All of them in one, a line each behind their number, if there are any.
    pub(super) fn into_error(mut self) -> Option<anyhow::Error> {
        if self.0.len() < 2 {
            return self.0.pop();
        }
        let told: String = self.0.iter().map(|error| format!("\n  {error:#}")).collect();
        Some(anyhow::anyhow!("{}:{told}", plural(self.0.len() as u64, "failure")))
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
