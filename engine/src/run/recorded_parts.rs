//! Recorded inputs in a storage. They are cut into parts, and each shard reads its own.
//!
//! The parts follow from the list of objects alone, so that shards agree on them, and a run in one piece counts cases by them, too.

use super::record::InputRecord;
use crate::storage::{Listed, Location, OpenStorage, RangeReader, Storage};
use anyhow::Context as _;
use std::io::{self, BufRead as _, BufReader, Read};
use std::path::PathBuf;
use std::sync::Arc;
use takeover_corpora::load::{Input, is_recorded_name, is_uncompressed_lines};

/// Small objects share a part until it has so many bytes,
const PART_BYTES: u64 = 4 << 20;
/// or so many objects.
const PART_OBJECTS: usize = 64;
/// Plain JSON Lines beyond this are cut.
const CUT_BYTES: u64 = 64 << 20;

/// The inputs of a run that are in storages.
#[derive(Default)]
pub(super) struct StoredInputs {
    parts: Vec<InputPart>,
    marks: Vec<InputRecord>,
}

/// A few small objects, one object, or a piece of one.
#[derive(Clone, Default)]
pub(super) struct InputPart(Vec<Piece>);

#[derive(Clone)]
struct Piece {
    storage: Arc<dyn Storage>,
    found: Listed,
    /// Bytes of the object whose lines are read.
    begin: u64,
    end: u64,
}

impl StoredInputs {
    /// Lists the inputs that are in storages.
    ///
    /// # Errors
    /// Returns an error when a storage cannot be read, or has nothing there.
    pub(super) fn list(recorded: &[PathBuf], open: &dyn OpenStorage) -> anyhow::Result<Self> {
        let mut all = Self::default();
        for path in recorded.iter().filter(|path| Location::is_named_by(path)) {
            let text = path.to_string_lossy();
            let location: Location = text.parse()?;
            let (storage, objects) = listed(&location, open)?;
            anyhow::ensure!(!objects.is_empty(), "--recorded `{location}`: there is no object of a known kind there");
            let mut hasher = blake3::Hasher::new();
            for found in &objects {
                hasher.update(format!("{}\0{}\0{}\n", found.name, found.size, found.version.tag).as_bytes());
            }
            all.marks
                .push(InputRecord { path: text.into_owned(), blake3: Some(hasher.finalize().to_hex().to_string()) });
            all.parts.extend(cut(objects).into_iter().map(|part| {
                let piece = |(found, begin, end)| Piece { storage: Arc::clone(&storage), found, begin, end };
                InputPart(part.into_iter().map(piece).collect())
            }));
        }
        Ok(all)
    }

    /// What tells these inputs from others.
    pub(super) fn marks(&self) -> Vec<InputRecord> {
        self.marks.clone()
    }

    /// The parts, in the order in which they are counted.
    pub(super) fn parts(&self) -> &[InputPart] {
        &self.parts
    }
}

impl InputPart {
    /// What the loader reads.
    pub(super) fn inputs(&self) -> Vec<Input> {
        self.0.iter().map(Piece::input).collect()
    }
}

impl Piece {
    fn input(&self) -> Input {
        let Self { storage, found, begin, end } = self;
        let range = |range| RangeReader::new(Arc::clone(storage), &found.name, found.version.clone(), range);
        let place = storage.location().join(&found.name);
        if *begin == 0 && *end == found.size {
            return Input::stream(place.to_string(), range(0..found.size));
        }
        // Lines count from the beginning of the piece, and the ending says what they are.
        let name = format!("{place}@{begin}.jsonl");
        // A line belongs to the piece in which it begins: the byte before the piece says whether one begins with it.
        let from = begin.saturating_sub(1);
        Input::stream(name, Lines::new(range(from..found.size), *begin - from, end - from))
    }
}

/// The objects at a location: the one of this name, or else those below it that hold objects of Kubernetes by their names.
fn listed(location: &Location, open: &dyn OpenStorage) -> anyhow::Result<(Arc<dyn Storage>, Vec<Listed>)> {
    if let Some((around, name)) = location.parent() {
        let storage = open.open(&around)?;
        if let Some(found) = storage.find(name).with_context(|| format!("--recorded `{location}`"))? {
            return Ok((storage, vec![found]));
        }
    }
    let storage = open.open(location)?;
    let mut objects = storage.list("").with_context(|| format!("--recorded `{location}`"))?;
    objects.retain(|found| is_recorded_name(&found.name));
    objects.sort_by(|one, other| one.name.cmp(&other.name));
    Ok((storage, objects))
}

/// The objects in parts: each object with the bytes of it that belong to the part.
fn cut(objects: Vec<Listed>) -> Vec<Vec<(Listed, u64, u64)>> {
    let mut parts: Vec<Vec<(Listed, u64, u64)>> = Vec::new();
    let mut open: Vec<(Listed, u64, u64)> = Vec::new();
    let mut bytes = 0;
    for found in objects {
        let size = found.size;
        if size > CUT_BYTES && is_uncompressed_lines(&found.name) {
            parts.extend(std::iter::once(std::mem::take(&mut open)).filter(|open| !open.is_empty()));
            bytes = 0;
            let begins = (0..size).step_by(usize::try_from(CUT_BYTES).unwrap_or(usize::MAX));
            parts.extend(begins.map(|begin| vec![(found.clone(), begin, size.min(begin + CUT_BYTES))]));
            continue;
        }
        bytes += size;
        open.push((found, 0, size));
        if bytes >= PART_BYTES || open.len() >= PART_OBJECTS {
            parts.push(std::mem::take(&mut open));
            bytes = 0;
        }
    }
    parts.extend(std::iter::once(open).filter(|open| !open.is_empty()));
    parts
}

/// The lines that begin within a piece of a text, whole.
struct Lines {
    text: BufReader<RangeReader>,
    /// Bytes before the piece that are left out with the line that they belong to.
    before: u64,
    /// Bytes until the end of the piece.
    left: u64,
    line: io::Cursor<Vec<u8>>,
}

impl Lines {
    fn new(text: RangeReader, before: u64, left: u64) -> Self {
        Self { text: BufReader::with_capacity(1 << 16, text), before, left, line: io::Cursor::default() }
    }

    fn read_line(&mut self) -> io::Result<Vec<u8>> {
        let mut line = Vec::new();
        self.text.read_until(b'\n', &mut line)?;
        self.left = self.left.saturating_sub(line.len() as u64);
        Ok(line)
    }
}

impl Read for Lines {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let given = self.line.read(into)?;
        if given > 0 || into.is_empty() {
            return Ok(given);
        }
        if self.before > 0 {
            self.before = 0;
            self.read_line()?;
        }
        if self.left == 0 {
            return Ok(0);
        }
        self.line = io::Cursor::new(self.read_line()?);
        self.line.read(into)
    }
}

#[cfg(test)]
mod tests {
    use super::{CUT_BYTES, Lines, PART_BYTES, PART_OBJECTS, StoredInputs, cut};
    use crate::storage::{Condition, FolderStorage, FoldersOnly, Listed, Location, RangeReader, Storage, Version};
    use std::io::Read as _;
    use std::path::PathBuf;
    use std::sync::Arc;

    fn object(name: &str, size: u64) -> Listed {
        Listed { name: name.to_owned(), size, version: Version { tag: "1".to_owned(), number: None } }
    }

    #[test]
    fn small_objects_share_a_part_and_long_lines_are_cut() {
        let parts = |objects: &[(&str, u64)]| {
            let objects = objects.iter().map(|(name, size)| object(name, *size)).collect();
            cut(objects).iter().map(|part| (part.len(), part[0].1, part[0].2)).collect::<Vec<_>>()
        };
        let small = [("a.yaml", 5); PART_OBJECTS + 2];
        assert_eq!(parts(&small), [(PART_OBJECTS, 0, 5), (2, 0, 5)]);
        let half = PART_BYTES / 2;
        assert_eq!(parts(&[("a.yaml", half), ("b.yaml", half), ("c.yaml", 1)]), [(2, 0, half), (1, 0, 1)]);
        let long = CUT_BYTES + 7;
        assert_eq!(
            parts(&[("a.yaml", 1), ("b.jsonl", long), ("c.yaml", 1)]),
            [(1, 0, 1), (1, 0, CUT_BYTES), (1, CUT_BYTES, long), (1, 0, 1)]
        );
        assert_eq!(
            parts(&[("b.jsonl.gz", long), ("b.json", long)]),
            [(1, 0, long), (1, 0, long)],
            "no place to cut at"
        );
        assert_eq!(parts(&[]), []);
    }

    #[test]
    fn every_line_belongs_to_the_piece_in_which_it_begins() {
        let folder = tempfile::tempdir().unwrap();
        let at: Location = format!("file://{}", folder.path().display()).parse().unwrap();
        let storage: Arc<dyn Storage> = Arc::new(FolderStorage::new(at));
        let text = b"one\ntwo two\n\nthree\nfour four four\nfive";
        storage.write("a.jsonl", text.to_vec(), &Condition::Always).unwrap();
        let found = storage.find("a.jsonl").unwrap().unwrap();
        for step in 1..=text.len() as u64 + 1 {
            let mut all = Vec::new();
            for begin in (0..text.len() as u64).step_by(step as usize) {
                let end = (begin + step).min(text.len() as u64);
                let from = begin.saturating_sub(1);
                let range = RangeReader::new(Arc::clone(&storage), "a.jsonl", found.version.clone(), from..found.size);
                let mut piece = Vec::new();
                Lines::new(range, begin - from, end - from).read_to_end(&mut piece).unwrap();
                assert!(
                    piece.is_empty()
                        || begin == 0
                        || text[begin as usize..].ends_with(&piece)
                        || piece.ends_with(b"\n")
                );
                all.extend(piece);
            }
            assert_eq!(String::from_utf8_lossy(&all), String::from_utf8_lossy(text), "in pieces of {step}");
        }
    }

    #[test]
    fn a_list_is_told_from_another_and_nothing_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("a.yaml"), "a: 1").unwrap();
        std::fs::write(folder.path().join("notes.txt"), "no").unwrap();
        let list = |below: &str| {
            let path = PathBuf::from(format!("file://{}{below}", folder.path().display()));
            StoredInputs::list(&[path, PathBuf::from("local.yaml")], &FoldersOnly)
        };
        let before = list("").unwrap();
        assert_eq!((before.parts().len(), before.marks().len()), (1, 1));
        assert_eq!(list("/a.yaml").unwrap().parts().len(), 1, "an object by its name");
        assert_eq!(list("/notes.txt").unwrap().parts().len(), 1, "whatever its ending");
        std::fs::write(folder.path().join("b.yaml"), "a: 1").unwrap();
        assert_ne!(before.marks(), list("").unwrap().marks());
        let error = list("/c").err().unwrap().to_string();
        assert!(error.contains("there is no object"), "{error}");
    }
}
