//! A bucket, or a part of one, as a storage.

use crate::fault::{lacks_bucket, told};
use futures_util::TryStreamExt as _;
use object_store::path::Path;
use object_store::{
    Error, GetOptions, GetRange, ObjectMeta, ObjectStore, ObjectStoreExt as _, PutMode, PutOptions, PutPayload,
    UpdateVersion,
};
use std::ops::Range;
use std::sync::Arc;
use takeover_engine::storage::{Condition, Listed, Location, Storage, StorageError, Stored, Version, Written};
use tokio::runtime::Runtime;

/// Objects below a prefix of a bucket.
#[derive(Debug)]
pub(crate) struct BucketStorage {
    location: Location,
    store: Arc<dyn ObjectStore>,
    runtime: &'static Runtime,
}

impl BucketStorage {
    pub(crate) fn new(location: Location, store: Arc<dyn ObjectStore>, runtime: &'static Runtime) -> Self {
        Self { location, store, runtime }
    }

    fn path(&self, name: &str) -> Path {
        Path::from(self.location.join(name).prefix())
    }

    /// The name of an object without the prefix.
    fn name(&self, path: &Path) -> Option<String> {
        let path: &str = path.as_ref();
        match self.location.prefix() {
            "" => Some(path.to_owned()),
            prefix => Some(path.strip_prefix(prefix)?.strip_prefix('/')?.to_owned()),
        }
    }

    fn told<'s>(&'s self, action: &'static str, name: &'s str) -> impl Fn(&Error) -> StorageError + 's {
        move |error| told(action, &self.location, name, error)
    }
}

fn version(tag: Option<String>, number: Option<String>) -> Version {
    Version { tag: tag.unwrap_or_default(), number }
}

/// None where there is no object, an error where there is not even a bucket.
fn present<T>(result: object_store::Result<T>) -> object_store::Result<Option<T>> {
    match result {
        Err(error @ Error::NotFound { .. }) if !lacks_bucket(&error) => Ok(None),
        result => result.map(Some),
    }
}

impl Storage for BucketStorage {
    fn location(&self) -> &Location {
        &self.location
    }

    fn read(&self, name: &str) -> Result<Option<Stored>, StorageError> {
        let (path, told) = (self.path(name), self.told("read", name));
        self.runtime.block_on(async {
            let Some(found) = present(self.store.get(&path).await).map_err(|error| told(&error))? else {
                return Ok(None);
            };
            let version = version(found.meta.e_tag.clone(), found.meta.version.clone());
            let content = found.bytes().await.map_err(|error| told(&error))?;
            Ok(Some(Stored { content: content.into(), version }))
        })
    }

    fn read_range(&self, name: &str, version: &Version, range: Range<u64>) -> Result<Vec<u8>, StorageError> {
        let (path, told) = (self.path(name), self.told("read", name));
        let options = GetOptions {
            if_match: Some(version.tag.clone()),
            range: Some(GetRange::Bounded(range)),
            ..GetOptions::default()
        };
        self.runtime.block_on(async {
            let found = self.store.get_opts(&path, options).await.map_err(|error| told(&error))?;
            Ok(found.bytes().await.map_err(|error| told(&error))?.into())
        })
    }

    fn write(&self, name: &str, content: Vec<u8>, condition: &Condition) -> Result<Written, StorageError> {
        let path = self.path(name);
        let mode = match condition {
            Condition::Always => PutMode::Overwrite,
            Condition::Absent => PutMode::Create,
            Condition::Is(Version { tag, number }) => {
                PutMode::Update(UpdateVersion { e_tag: Some(tag.clone()), version: number.clone() })
            }
        };
        let is_update = matches!(mode, PutMode::Update(_));
        let put = self.store.put_opts(&path, PutPayload::from(content), PutOptions::from(mode));
        match self.runtime.block_on(put) {
            Ok(put) => Ok(Written::Now(version(put.e_tag, put.version))),
            Err(Error::AlreadyExists { .. } | Error::Precondition { .. }) => Ok(Written::Refused),
            // What is to be replaced is gone.
            Err(error @ Error::NotFound { .. }) if is_update && !lacks_bucket(&error) => Ok(Written::Refused),
            Err(error) => Err(told("write", &self.location, name, &error)),
        }
    }

    fn remove(&self, name: &str) -> Result<(), StorageError> {
        let path = self.path(name);
        let removed = present(self.runtime.block_on(self.store.delete(&path)));
        removed.map(|_| ()).map_err(|error| told("remove", &self.location, name, &error))
    }

    fn find(&self, name: &str) -> Result<Option<Listed>, StorageError> {
        let path = self.path(name);
        let found = present(self.runtime.block_on(self.store.head(&path)));
        let found = found.map_err(|error| told("read", &self.location, name, &error))?;
        Ok(found.map(|found| Listed {
            name: name.to_owned(),
            size: found.size,
            version: version(found.e_tag, found.version),
        }))
    }

    fn list(&self, under: &str) -> Result<Vec<Listed>, StorageError> {
        let path = if under.is_empty() { Path::from(self.location.prefix()) } else { self.path(under) };
        let found: object_store::Result<Vec<ObjectMeta>> =
            self.runtime.block_on(self.store.list(Some(&path)).try_collect());
        let found = found.map_err(|error| told("list", &self.location, under, &error))?;
        let listed = |found: ObjectMeta| {
            Some(Listed {
                name: self.name(&found.location)?,
                size: found.size,
                version: version(found.e_tag, found.version),
            })
        };
        let mut listed: Vec<Listed> = found.into_iter().filter_map(listed).collect();
        listed.sort_by(|one, other| one.name.cmp(&other.name));
        Ok(listed)
    }
}

#[cfg(test)]
mod tests {
    use super::BucketStorage;
    use object_store::memory::InMemory;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use takeover_engine::storage::{Condition, Storage as _, Written};

    fn storage(address: &str) -> BucketStorage {
        BucketStorage::new(address.parse().unwrap(), Arc::new(InMemory::new()), crate::runtime().unwrap())
    }

    #[test]
    fn conditions_let_one_writer_win() {
        let storage = storage("s3://bucket/some/prefix");
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
        let (storage, won) = (storage("gs://bucket"), AtomicUsize::new(0));
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
    fn names_are_those_below_the_prefix_and_ranges_are_of_one_version() {
        for address in ["s3://bucket", "s3://bucket/p/q"] {
            let storage = storage(address);
            for name in ["c/2", "c/1", "a"] {
                storage.write(name, b"0123456789".to_vec(), &Condition::Always).unwrap();
            }
            let names =
                |under: &str| storage.list(under).unwrap().into_iter().map(|found| found.name).collect::<Vec<_>>();
            assert_eq!(names(""), ["a", "c/1", "c/2"], "{address}");
            assert_eq!(names("c"), ["c/1", "c/2"]);
            let found = storage.find("a").unwrap().unwrap();
            assert_eq!((found.name.as_str(), found.size), ("a", 10));
            assert_eq!(storage.read_range("a", &found.version, 3..5).unwrap(), b"34");
            storage.write("a", b"0123456789".to_vec(), &Condition::Always).unwrap();
            let error = storage.read_range("a", &found.version, 3..5).unwrap_err().to_string();
            assert!(error.contains("was changed"), "{error}");
            assert_eq!(storage.find("b").unwrap(), None);
        }
    }
}
