//! The exceptions of a project, on a day.

use super::entry::{Exception, ExceptionId};
use jiff::civil::Date;
use serde::{Deserialize, Serialize};

/// Exceptions, and the day on which they are looked at.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Exceptions {
    entries: Vec<Exception>,
    today: Date,
}

/// Exceptions that would hide something.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Fault {
    /// Its version is given, so that it stands for one signature, and it says another number.
    #[error("`signatures` requires a version of `*`: this exception names a single signature")]
    Counted,
    /// It stands for no signature.
    #[error("an exception must cover at least one signature")]
    Empty,
    /// It is, or could be, about a finding that another one is about.
    #[error("the exception in line {line} covers the same finding")]
    Overlap {
        /// Line of the other one.
        line: usize,
    },
}

impl Exceptions {
    /// No exceptions yet; `today` decides which have expired.
    #[must_use]
    pub fn on(today: Date) -> Self {
        Self { entries: Vec::new(), today }
    }

    /// Adds an exception.
    ///
    /// # Errors
    /// Returns an error when it could hide more than one cause.
    pub fn add(&mut self, exception: Exception) -> Result<(), Fault> {
        match exception.about.signatures() {
            Some(0) => return Err(Fault::Empty),
            None | Some(1) => {}
            Some(_) if exception.about.is_open() => {}
            Some(_) => return Err(Fault::Counted),
        }
        if let Some(other) = self.entries.iter().find(|other| other.about.overlaps(&exception.about)) {
            return Err(Fault::Overlap { line: other.line });
        }
        self.entries.push(exception);
        Ok(())
    }

    /// The day on which they are looked at.
    #[must_use]
    pub fn today(&self) -> Date {
        self.today
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Every exception in the order of the file.
    pub fn iter(&self) -> impl Iterator<Item = (ExceptionId, &Exception)> {
        self.entries.iter().enumerate().map(|(at, entry)| (ExceptionId(at + 1), entry))
    }

    /// The exception of this name.
    #[must_use]
    pub fn get(&self, id: ExceptionId) -> Option<&Exception> {
        self.entries.get(id.0.checked_sub(1)?)
    }

    /// Whether the exception has expired.
    #[must_use]
    pub fn is_expired(&self, exception: &Exception) -> bool {
        exception.is_expired(self.today)
    }
}
