//! What is known of stored objects, in bounded memory.

use super::event::Key;
use crate::requests::{Doubt, Old, Skip};
use lru::LruCache;
use serde_json::Value;
use std::collections::HashSet;
use std::hash::{BuildHasher as _, BuildHasherDefault, DefaultHasher};

/// Most objects whose loss is remembered, to tell it from never having seen them.
const MOST_FORGOTTEN: usize = 1 << 20;

/// Bytes that an object takes beside its text.
const OVERHEAD: usize = 512;

/// Objects as last seen.
#[derive(Debug)]
pub(super) struct Objects {
    known: LruCache<Key, Known>,
    /// Bytes of all of them.
    bytes: usize,
    limit: usize,
    /// Hashes of keys.
    forgotten: HashSet<u64>,
    evicted: u64,
}

/// An object as last seen.
#[derive(Debug)]
struct Known {
    uid: String,
    resource_version: String,
    /// Its JSON text by `apiVersion`, all of the same resource version.
    texts: Vec<(String, Box<str>)>,
    /// Arrival of the latest request that showed it so.
    shown: i64,
    /// When it was first seen so.
    since: i64,
    doubt: Option<Doubt>,
    /// Whether it was ever found changed without an event.
    unseen: bool,
}

/// An object that an answer shows.
pub(super) struct Shown<'a> {
    pub(super) api_version: &'a str,
    pub(super) object: &'a Value,
    /// Arrival of the request.
    pub(super) received: i64,
    /// End of the request.
    pub(super) at: i64,
    pub(super) by: By,
}

/// What showed an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum By {
    /// The answer to a write.
    Write,
    /// The answer to a read.
    Read {
        /// Whether a cache may have answered.
        stale: bool,
        /// Whether a write on the object was under way.
        disturbed: bool,
    },
}

/// What a request says of the object that it found.
pub(super) struct Sought<'a> {
    pub(super) api_version: &'a str,
    /// Uid that the request names, or nothing.
    pub(super) uid: &'a str,
    /// Resource version that the request names, or that it left in place, or nothing.
    pub(super) resource_version: &'a str,
    /// Arrival of the request.
    pub(super) received: i64,
    /// Whether the log has the beginning of the request.
    pub(super) begun: bool,
    /// Arrival of the last other write on the object that may have been under way.
    pub(super) disturbed: Option<i64>,
    /// Whether the server took the resource version for that of the stored object.
    pub(super) judged: bool,
}

impl Objects {
    pub(super) fn new(limit: usize) -> Self {
        Self { known: LruCache::unbounded(), bytes: 0, limit, forgotten: HashSet::new(), evicted: 0 }
    }

    /// Objects that were let go to keep to the limit.
    pub(super) fn evicted(&self) -> u64 {
        self.evicted
    }

    /// The resource version of an object as last seen.
    pub(super) fn version(&self, key: &Key) -> Option<&str> {
        self.known.peek(key).map(|known| known.resource_version.as_str())
    }

    /// Takes in what an answer shows.
    pub(super) fn tell(&mut self, key: Key, shown: &Shown<'_>) {
        let text = |name: &str| shown.object.pointer(name).and_then(Value::as_str).unwrap_or_default().to_owned();
        let (uid, resource_version) = (text("/metadata/uid"), text("/metadata/resourceVersion"));
        if uid.is_empty() || resource_version.is_empty() {
            if shown.by == By::Write {
                self.forget(&key);
            }
            return;
        }
        let mut known = Known {
            uid,
            resource_version,
            texts: Vec::new(),
            shown: shown.received,
            since: shown.at,
            doubt: matches!(shown.by, By::Read { stale: true, .. }).then_some(Doubt::MaybeStale),
            unseen: false,
        };
        if let Some(before) = self.known.peek(&key) {
            let same = before.uid == known.uid && before.resource_version == known.resource_version;
            match shown.by {
                // A cache may be behind, and what it shows anew is known already.
                By::Read { stale: true, .. } => return,
                _ if !same && newer(&before.resource_version, &known.resource_version) => return,
                By::Read { disturbed, .. } => known.unseen = !same && !disturbed,
                By::Write => {}
            }
            known.unseen |= before.unseen && before.uid == known.uid;
            if same {
                known.since = before.since;
                known.shown = before.shown.max(known.shown);
                known.texts.clone_from(&before.texts);
                known.texts.retain(|(version, _)| version != shown.api_version);
            }
        }
        known.texts.push((shown.api_version.to_owned(), shown.object.to_string().into_boxed_str()));
        self.put(key, known);
    }

    fn put(&mut self, key: Key, known: Known) {
        if !self.forgotten.is_empty() {
            self.forgotten.remove(&hash(&key));
        }
        self.bytes += known.size();
        if let Some(before) = self.known.put(key, known) {
            self.bytes = self.bytes.saturating_sub(before.size());
        }
        while self.bytes > self.limit {
            let Some((key, known)) = self.known.pop_lru() else { break };
            self.bytes = self.bytes.saturating_sub(known.size());
            self.evicted += 1;
            if self.forgotten.len() < MOST_FORGOTTEN {
                self.forgotten.insert(hash(&key));
            }
        }
    }

    /// Nothing more is known of an object.
    pub(super) fn forget(&mut self, key: &Key) {
        if let Some(known) = self.known.pop(key) {
            self.bytes = self.bytes.saturating_sub(known.size());
        }
    }

    /// Nothing more is known of the objects of a resource in a namespace; in all, where it is empty.
    pub(super) fn forget_all(&mut self, like: &Key) {
        let alike = |key: &&Key| {
            key.group == like.group
                && key.resource == like.resource
                && (like.namespace.is_empty() || key.namespace == like.namespace)
        };
        let keys: Vec<Key> = self.known.iter().map(|(key, _)| key).filter(alike).cloned().collect();
        for key in &keys {
            self.forget(key);
        }
    }

    /// Nothing more is known of anything.
    pub(super) fn clear(&mut self) {
        self.known.clear();
        self.forgotten.clear();
        self.bytes = 0;
    }

    /// A write of `received` on the object never ended in the log.
    pub(super) fn doubt_since(&mut self, key: &Key, received: i64, longest: i64) {
        if let Some(known) = self.known.peek_mut(key)
            && known.shown <= received + longest
        {
            known.doubt = Some(Doubt::LostRequest);
        }
    }

    /// The object that a request found.
    pub(super) fn old(&mut self, key: &Key, sought: &Sought<'_>, longest: i64) -> Result<Old, Skip> {
        let Some(known) = self.known.get_mut(key) else {
            return Err(if self.forgotten.contains(&hash(key)) { Skip::OldForgotten } else { Skip::OldUnknown });
        };
        let doubt = known.doubt(sought, longest);
        if doubt == Some(Doubt::OtherResourceVersion) && sought.judged && known.since < sought.received {
            known.unseen = true;
        }
        let text = known.texts.iter().find(|(version, _)| version == sought.api_version);
        let (_, text) = text.ok_or(Skip::OldInOtherVersion)?;
        let object = serde_json::from_str(text).map_err(|_| Skip::OldUnknown)?;
        Ok(Old { object, doubt })
    }
}

impl Known {
    fn size(&self) -> usize {
        self.texts.iter().map(|(_, text)| text.len()).sum::<usize>() + OVERHEAD
    }

    fn doubt(&self, sought: &Sought<'_>, longest: i64) -> Option<Doubt> {
        if !sought.uid.is_empty() && sought.uid != self.uid {
            return Some(Doubt::OtherResourceVersion);
        }
        if !sought.resource_version.is_empty() {
            let same = sought.resource_version == self.resource_version;
            return (!same).then_some(Doubt::OtherResourceVersion);
        }
        if !sought.begun {
            return Some(Doubt::NoBeginning);
        }
        if let Some(received) = sought.disturbed
            && self.shown <= received + longest
        {
            return Some(Doubt::Concurrent);
        }
        if self.since >= sought.received {
            return Some(Doubt::Concurrent);
        }
        self.doubt.or(self.unseen.then_some(Doubt::ChangedUnseen))
    }
}

/// Whether the first resource version is newer; not, where they are no numbers.
fn newer(one: &str, other: &str) -> bool {
    match (one.parse::<u64>(), other.parse::<u64>()) {
        (Ok(one), Ok(other)) => one > other,
        _ => false,
    }
}

fn hash(key: &Key) -> u64 {
    BuildHasherDefault::<DefaultHasher>::default().hash_one(key)
}
