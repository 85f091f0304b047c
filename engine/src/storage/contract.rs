//! What runs need of a storage: few operations, each atomic, with conditions that let one of several writers win.

use super::location::Location;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

/// Objects below a [`Location`], by their names. Whole objects are read and written, never parts that another sees.
pub trait Storage: Send + Sync + fmt::Debug {
    /// Its address.
    fn location(&self) -> &Location;

    /// Reads an object; `None` if nothing is stored there.
    ///
    /// # Errors
    /// Returns an error when the storage does not answer, or refuses.
    fn read(&self, name: &str) -> Result<Option<Stored>, StorageError>;

    /// Reads the bytes of a range of an object that has this version.
    ///
    /// # Errors
    /// Returns the errors of [`Storage::read`], and an error when the object is gone or has changed.
    fn read_range(&self, name: &str, version: &Version, range: Range<u64>) -> Result<Vec<u8>, StorageError>;

    /// Writes an object, if the condition holds at that moment.
    ///
    /// # Errors
    /// Returns an error when the storage does not answer, or refuses for another reason than the condition.
    fn write(&self, name: &str, content: Vec<u8>, condition: &Condition) -> Result<Written, StorageError>;

    /// Removes an object, if it is there.
    ///
    /// # Errors
    /// Returns an error when the storage does not answer, or refuses.
    fn remove(&self, name: &str) -> Result<(), StorageError>;

    /// The version and size of an object, without reading it; `None` if nothing is stored there.
    ///
    /// # Errors
    /// Returns an error when the storage does not answer, or refuses.
    fn find(&self, name: &str) -> Result<Option<Listed>, StorageError>;

    /// The objects below the folder `under` (below all of it if that is empty), in the order of their names.
    ///
    /// # Errors
    /// Returns an error when the storage does not answer, or refuses.
    fn list(&self, under: &str) -> Result<Vec<Listed>, StorageError>;
}

/// Opens storages by their addresses.
pub trait OpenStorage: Sync {
    /// The storage at this address. Nothing is asked of it yet.
    ///
    /// # Errors
    /// Returns an error when this build does not know such storages, or its settings (credentials, region) are wrong.
    fn open(&self, location: &Location) -> anyhow::Result<Arc<dyn Storage>>;
}

/// The version of an object: two contents of one name have different ones.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Version {
    /// The tag by which the storage knows the content.
    pub tag: String,
    /// A number of some storages.
    pub number: Option<String>,
}

/// An object that was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stored {
    /// All of it.
    pub content: Vec<u8>,
    /// Its version.
    pub version: Version,
}

/// An object that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed {
    /// Its name below the location.
    pub name: String,
    /// In bytes.
    pub size: u64,
    /// Its version.
    pub version: Version,
}

/// When an object is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Condition {
    /// Always, over whatever is stored there.
    Always,
    /// Only if nothing is stored there.
    Absent,
    /// Only if this version is still stored there.
    Is(Version),
}

/// What became of writing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Written {
    /// It is there, with this version.
    Now(Version),
    /// The condition did not hold: somebody else wrote.
    Refused,
}

/// Why a storage did not do what it was asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StorageFault {
    /// There are no credentials, or they are not valid.
    Credentials,
    /// They do not allow this.
    Forbidden,
    /// There is no such bucket.
    NoBucket,
    /// The bucket is in another region.
    Region,
    /// The object was changed or removed while it was read.
    Changed,
    /// Anything else: the network, a full disk.
    Other,
}

/// A storage that did not do what it was asked.
#[derive(Debug, thiserror::Error)]
#[error("failed to {action} `{place}`: {hint}{source}")]
pub struct StorageError {
    action: &'static str,
    place: String,
    fault: StorageFault,
    hint: String,
    source: Box<dyn std::error::Error + Send + Sync>,
}

impl StorageError {
    /// An error of an `action` (such as "read") on a `place`; `hint` says what to do, in one sentence, and may be empty.
    #[must_use]
    pub fn new(
        action: &'static str,
        place: String,
        (fault, hint): (StorageFault, String),
        source: impl Into<Box<dyn std::error::Error + Send + Sync>>,
    ) -> Self {
        let hint = if hint.is_empty() { hint } else { format!("{hint}: ") };
        Self { action, place, fault, hint, source: source.into() }
    }

    /// Why.
    #[must_use]
    pub fn fault(&self) -> StorageFault {
        self.fault
    }
}
