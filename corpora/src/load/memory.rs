//! Texts that come again: a plain object that was read before, byte by byte the same, is not parsed again.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::{Arc, Mutex, PoisonError};

/// Bytes of texts and objects that are kept, roughly. Nothing is given up for what comes later: of a file that is read again and again,
/// what is kept would else always be what comes last.
const KEPT: usize = 8 << 20;

/// Longest text that is kept.
const LONGEST: usize = KEPT / 32;

/// Places for the hashes of texts that came once. Two texts may share a place; the first is then taken for new when it comes again.
const PLACES: usize = 1 << 16;

/// How a text is read. The same text may be an object to one reader and broken to the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Reader {
    Json,
    Yaml,
}

/// A plain object that came at least twice.
#[derive(Debug)]
pub(super) struct Known {
    reader: Reader,
    text: Vec<u8>,
    /// Its number among those that are kept.
    pub(super) number: u64,
    /// Lines of the text before the object.
    pub(super) lines_before: u64,
    pub(super) api_version: String,
    pub(super) kind: String,
    /// JSON of the object as it is created.
    pub(super) created: Arc<[u8]>,
    /// JSON of the object as it is stored.
    pub(super) stored: Arc<[u8]>,
}

/// What is known of a text.
pub(super) enum Met {
    /// Nothing.
    Never,
    /// It came before, and may be kept under this hash.
    Before(u64),
    /// It is kept.
    Known(Arc<Known>),
}

/// A text that came before, with what it is kept under.
#[derive(Debug)]
pub(super) struct Again {
    pub(super) hash: u64,
    pub(super) reader: Reader,
    /// Line where it starts now.
    pub(super) first: u64,
    pub(super) text: Vec<u8>,
}

/// What a reader of documents remembers; one that remembers nothing by default.
#[derive(Clone, Default)]
pub(super) struct Memory(Option<Arc<Mutex<Texts>>>);

struct Texts {
    came: Vec<u64>,
    known: HashMap<u64, Arc<Known>>,
    bytes: usize,
}

impl Memory {
    /// A memory that remembers.
    pub(super) fn new() -> Self {
        Self(Some(Arc::new(Mutex::new(Texts { came: vec![0; PLACES], known: HashMap::new(), bytes: 0 }))))
    }

    /// Looks a text up, and remembers that it came.
    pub(super) fn meet(&self, reader: Reader, text: &[u8]) -> Met {
        match &self.0 {
            Some(texts) if text.len() <= LONGEST => {
                texts.lock().unwrap_or_else(PoisonError::into_inner).meet(reader, text)
            }
            _ => Met::Never,
        }
    }

    /// Keeps what the text of a plain object holds: how many lines come before it, version, kind, and the object as it is created and as it
    /// is stored. None when there is no room.
    pub(super) fn keep(
        &self,
        again: Again,
        lines_before: u64,
        (api_version, kind): (&str, &str),
        (created, stored): (Arc<[u8]>, Arc<[u8]>),
    ) -> Option<Arc<Known>> {
        let mut texts = self.0.as_ref()?.lock().unwrap_or_else(PoisonError::into_inner);
        let Again { hash, reader, text, first: _ } = again;
        // A text may have come several times before it is kept for the first of them.
        if let Some(known) = texts.known.get(&hash) {
            return (known.reader == reader && known.text == text).then(|| Arc::clone(known));
        }
        let of_stored = if Arc::ptr_eq(&created, &stored) { 0 } else { stored.len() };
        let bytes = size_of::<Known>() + text.len() + created.len() + of_stored;
        if texts.bytes + bytes > KEPT {
            return None;
        }
        texts.bytes += bytes;
        let number = texts.known.len() as u64;
        let (api_version, kind) = (api_version.to_owned(), kind.to_owned());
        let known = Arc::new(Known { reader, text, number, lines_before, api_version, kind, created, stored });
        texts.known.insert(hash, Arc::clone(&known));
        Some(known)
    }
}

impl Texts {
    fn meet(&mut self, reader: Reader, text: &[u8]) -> Met {
        let mut hasher = DefaultHasher::new();
        (reader, text).hash(&mut hasher);
        // Zero stands for a place where nothing came yet.
        let hash = hasher.finish().max(1);
        if let Some(known) = self.known.get(&hash) {
            return if known.reader == reader && known.text == text {
                Met::Known(Arc::clone(known))
            } else {
                Met::Never
            };
        }
        let place = usize::try_from(hash % PLACES as u64).ok().and_then(|place| self.came.get_mut(place));
        match place {
            Some(came) if *came == hash => Met::Before(hash),
            Some(came) => {
                *came = hash;
                Met::Never
            }
            None => Met::Never,
        }
    }
}
