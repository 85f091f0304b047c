//! What a run cannot write costs nothing but that.

/// What could not be written. Everything else is written all the same, and the report is printed.
#[derive(Debug, Default)]
pub(super) struct Unwritten(Option<anyhow::Error>);

impl Unwritten {
    /// Remembers the first error.
    pub(super) fn note<T>(&mut self, written: anyhow::Result<T>) {
        if let Err(error) = written {
            self.0.get_or_insert(error);
        }
    }

    /// Whether there is one.
    pub(super) fn is_some(&self) -> bool {
        self.0.is_some()
    }

    /// It, if there is one.
    pub(super) fn into_error(self) -> Option<anyhow::Error> {
        self.0
    }
}
