//! What a run cannot write costs nothing but that.

/// What could not be written. Everything else is written all the same, and the report is printed.
#[derive(Debug, Default)]
pub(super) struct Unwritten(Vec<anyhow::Error>);

/// Most failures that are told.
const MOST_TOLD: usize = 5;

impl Unwritten {
    /// Remembers an error.
    pub(super) fn note<T>(&mut self, written: anyhow::Result<T>) {
        self.0.extend(written.err());
    }

    /// Whether there is one.
    pub(super) fn is_some(&self) -> bool {
        !self.0.is_empty()
    }

    /// All of them in one, if there are any.
    pub(super) fn into_error(mut self) -> Option<anyhow::Error> {
        if self.0.len() < 2 {
            return self.0.pop();
        }
        let more = self.0.len().saturating_sub(MOST_TOLD);
        let more = (more > 0).then(|| format!("and {more} more failures"));
        let told = self.0.iter().take(MOST_TOLD).map(|error| format!("{error:#}"));
        Some(anyhow::anyhow!(told.chain(more).collect::<Vec<_>>().join("; ")))
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
        assert_eq!(told(2).as_deref(), Some("file 0: full; file 1: full"));
        assert!(told(9).unwrap().ends_with("file 4: full; and 4 more failures"));
    }
}
