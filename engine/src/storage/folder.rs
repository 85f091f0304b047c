//! `file://`: a folder that several processes, or several machines, see.

use super::contract::{Condition, Listed, OpenStorage, Storage, StorageError, StorageFault, Stored, Version, Written};
use super::location::{Location, Scheme};
use std::fs::{self, File};
use std::io::{self, ErrorKind, Read as _, Seek as _, SeekFrom};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use walkdir::WalkDir;

/// The file whose lock writers hold; its name is no object.
const LOCK: &str = ".lock";

/// A build without object stores opens folders alone.
#[derive(Clone, Copy, Debug, Default)]
pub struct FoldersOnly;

/// What this build lacks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("this build has no object stores")]
pub struct NoObjectStores;

impl OpenStorage for FoldersOnly {
    fn open(&self, location: &Location) -> anyhow::Result<Arc<dyn Storage>> {
        match location.scheme() {
            Scheme::File => Ok(Arc::new(FolderStorage::new(location.clone()))),
            Scheme::S3 | Scheme::Gs | Scheme::Az => Err(NoObjectStores.into()),
        }
    }
}

/// Objects that are files below a folder. Writers take turns by a lock; readers never see half of a file.
#[derive(Debug)]
pub struct FolderStorage {
    location: Location,
    root: PathBuf,
}

impl FolderStorage {
    /// The folder of a `file://` address; it is made when something is written.
    #[must_use]
    pub fn new(location: Location) -> Self {
        let root = PathBuf::from(location.prefix());
        Self { location, root }
    }

    fn place(&self, name: &str) -> PathBuf {
        name.split('/').fold(self.root.clone(), |place, part| place.join(part))
    }

    fn error(&self, action: &'static str, name: &str, error: impl Into<anyhow::Error>) -> StorageError {
        let error: anyhow::Error = error.into();
        let fault = match error.downcast_ref::<io::Error>().map(io::Error::kind) {
            Some(ErrorKind::PermissionDenied) => StorageFault::Forbidden,
            _ => StorageFault::Other,
        };
        let place = if name.is_empty() { self.location.to_string() } else { self.location.join(name).to_string() };
        StorageError::new(action, place, (fault, String::new()), error)
    }

    fn locked(&self) -> io::Result<File> {
        fs::create_dir_all(&self.root)?;
        let file = File::options().create(true).truncate(false).write(true).open(self.root.join(LOCK))?;
        file.lock()?;
        Ok(file)
    }

    fn write_locked(&self, name: &str, content: &[u8], condition: &Condition) -> anyhow::Result<Written> {
        let place = self.place(name);
        let _locked = self.locked()?;
        let holds = match condition {
            Condition::Always => true,
            Condition::Absent => !place.exists(),
            Condition::Is(version) => absent_as_none(fs::read(&place))?.is_some_and(|found| tag(&found) == *version),
        };
        if !holds {
            return Ok(Written::Refused);
        }
        if let Some(around) = place.parent() {
            fs::create_dir_all(around)?;
        }
        crate::run_folder::write_durably(&place, content)?;
        Ok(Written::Now(tag(content)))
    }
}

fn tag(content: &[u8]) -> Version {
    Version { tag: blake3::hash(content).to_hex().to_string(), number: None }
}

/// The version of a file without reading it.
fn mark(found: &fs::Metadata) -> Version {
    let changed = found.modified().ok().and_then(|time| time.duration_since(std::time::UNIX_EPOCH).ok());
    Version { tag: format!("{}-{}", found.len(), changed.unwrap_or_default().as_nanos()), number: None }
}

fn absent_as_none<T>(result: io::Result<T>) -> io::Result<Option<T>> {
    match result {
        Ok(found) => Ok(Some(found)),
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => Ok(None),
        Err(error) => Err(error),
    }
}

/// The range of a file that has this version.
fn range_of(place: &Path, version: &Version, range: Range<u64>) -> io::Result<Vec<u8>> {
    let mut file = File::open(place)?;
    if mark(&file.metadata()?) != *version {
        return Err(io::Error::other("the file was changed while it was read"));
    }
    file.seek(SeekFrom::Start(range.start))?;
    let mut bytes = Vec::new();
    file.take(range.end.saturating_sub(range.start)).read_to_end(&mut bytes)?;
    Ok(bytes)
}

impl Storage for FolderStorage {
    fn location(&self) -> &Location {
        &self.location
    }

    fn read(&self, name: &str) -> Result<Option<Stored>, StorageError> {
        let found = absent_as_none(fs::read(self.place(name))).map_err(|error| self.error("read", name, error))?;
        Ok(found.map(|content| Stored { version: tag(&content), content }))
    }

    fn read_range(&self, name: &str, version: &Version, range: Range<u64>) -> Result<Vec<u8>, StorageError> {
        range_of(&self.place(name), version, range).map_err(|error| self.error("read", name, error))
    }

    fn write(&self, name: &str, content: Vec<u8>, condition: &Condition) -> Result<Written, StorageError> {
        self.write_locked(name, &content, condition).map_err(|error| self.error("write", name, error))
    }

    fn remove(&self, name: &str) -> Result<(), StorageError> {
        let removed = absent_as_none(fs::remove_file(self.place(name)));
        removed.map(|_| ()).map_err(|error| self.error("remove", name, error))
    }

    fn find(&self, name: &str) -> Result<Option<Listed>, StorageError> {
        let found = absent_as_none(fs::metadata(self.place(name))).map_err(|error| self.error("read", name, error))?;
        let found = found.filter(fs::Metadata::is_file);
        Ok(found.map(|found| Listed { name: name.to_owned(), size: found.len(), version: mark(&found) }))
    }

    fn list(&self, under: &str) -> Result<Vec<Listed>, StorageError> {
        let root = if under.is_empty() { self.root.clone() } else { self.place(under) };
        if !root.exists() {
            return Ok(Vec::new());
        }
        let hidden = |name: &str| name.starts_with('.');
        let mut listed = Vec::new();
        let walk = WalkDir::new(&root).follow_links(true).into_iter();
        for entry in walk.filter_entry(|entry| entry.depth() == 0 || !hidden(&entry.file_name().to_string_lossy())) {
            let entry = entry.map_err(|error| self.error("list", under, error))?;
            let name = entry.path().strip_prefix(&self.root).ok().and_then(Path::to_str);
            let (Some(name), true) = (name, entry.file_type().is_file()) else { continue };
            match entry.metadata() {
                Ok(found) => {
                    listed.push(Listed { name: name.to_owned(), size: found.len(), version: mark(&found) });
                }
                // Removed since.
                Err(error) if error.io_error().is_some_and(|error| error.kind() == ErrorKind::NotFound) => {}
                Err(error) => return Err(self.error("list", under, error)),
            }
        }
        listed.sort_by(|one, other| one.name.cmp(&other.name));
        Ok(listed)
    }
}

#[cfg(test)]
mod tests {
    use super::{FolderStorage, FoldersOnly};
    use crate::storage::{Condition, Location, OpenStorage as _, Storage as _, Written};
    use std::sync::atomic::{AtomicUsize, Ordering};

    fn storage(folder: &tempfile::TempDir) -> FolderStorage {
        FolderStorage::new(format!("file://{}/runs", folder.path().display()).parse().unwrap())
    }

    #[test]
    fn conditions_let_one_writer_win_and_readers_see_whole_objects() {
        let folder = tempfile::tempdir().unwrap();
        let storage = storage(&folder);
        assert_eq!(storage.read("a/b").unwrap(), None);
        let Written::Now(first) = storage.write("a/b", b"one".to_vec(), &Condition::Absent).unwrap() else { panic!() };
        assert_eq!(storage.write("a/b", b"two".to_vec(), &Condition::Absent).unwrap(), Written::Refused);
        let is_first = Condition::Is(first);
        assert!(matches!(storage.write("a/b", b"three".to_vec(), &is_first).unwrap(), Written::Now(_)));
        assert_eq!(storage.write("a/b", b"four".to_vec(), &is_first).unwrap(), Written::Refused);
        assert_eq!(storage.read("a/b").unwrap().unwrap().content, b"three");
        storage.remove("a/b").unwrap();
        storage.remove("a/b").unwrap();
        assert_eq!(storage.write("a/b", b"five".to_vec(), &is_first).unwrap(), Written::Refused, "it is gone");
    }

    #[test]
    fn of_many_writers_at_once_exactly_one_wins() {
        let folder = tempfile::tempdir().unwrap();
        let (storage, won) = (storage(&folder), AtomicUsize::new(0));
        std::thread::scope(|scope| {
            for number in 0..16 {
                let (storage, won) = (&storage, &won);
                scope.spawn(move || {
                    let written = storage.write("a", vec![number; 9], &Condition::Absent).unwrap();
                    won.fetch_add(usize::from(matches!(written, Written::Now(_))), Ordering::Relaxed);
                });
            }
        });
        assert_eq!(won.into_inner(), 1);
    }

    #[test]
    fn lists_are_in_order_and_ranges_are_of_one_version() {
        let folder = tempfile::tempdir().unwrap();
        let storage = storage(&folder);
        for name in ["c/2", "c/1", "a", ".hidden"] {
            storage.write(name, b"0123456789".to_vec(), &Condition::Always).unwrap();
        }
        let names = |under: &str| storage.list(under).unwrap().into_iter().map(|found| found.name).collect::<Vec<_>>();
        assert_eq!(names(""), ["a", "c/1", "c/2"]);
        assert_eq!(names("c"), ["c/1", "c/2"]);
        assert_eq!(names("d"), [""; 0]);
        let found = storage.find("a").unwrap().unwrap();
        assert_eq!(storage.read_range("a", &found.version, 3..5).unwrap(), b"34");
        storage.write("a", b"01234567890".to_vec(), &Condition::Always).unwrap();
        let error = storage.read_range("a", &found.version, 3..5).unwrap_err().to_string();
        assert!(error.contains("was changed while it was read") && error.contains("file://"), "{error}");
        assert_eq!(storage.find("c").unwrap(), None, "a folder is no object");
    }

    #[test]
    fn a_build_without_object_stores_says_so() {
        let location: Location = "s3://bucket/x".parse().unwrap();
        assert_eq!(FoldersOnly.open(&location).unwrap_err().to_string(), "this build has no object stores");
    }
}
