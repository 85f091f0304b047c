//! Places and samples: where something was seen first, and on how small a case.

use crate::case::{Case, Operation, Options, Payload, Provenance, stored};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::io::{self, Write};

/// Most characters of a message that are kept: error texts hold values, and values may be large.
const MAX_MESSAGE: usize = 2000;

/// The cases of a run that are numbered together, in the order in which they are run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Stream {
    /// Those that were given.
    #[default]
    Recorded,
    /// Those that were made up.
    Generated,
}

/// Position of a case in its run, the same for any number of threads and for no other case.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CasePlace {
    /// Which cases it is among.
    pub stream: Stream,
    /// Number of the chunk among theirs, from 0.
    pub chunk: u64,
    /// Number in the chunk, from 0.
    pub index: u64,
}

impl CasePlace {
    /// A place among the cases that were given.
    #[must_use]
    pub fn recorded(chunk: u64, index: u64) -> Self {
        Self { stream: Stream::Recorded, chunk, index }
    }

    /// A place among the cases that were made up.
    #[must_use]
    pub fn generated(chunk: u64, index: u64) -> Self {
        Self { stream: Stream::Generated, chunk, index }
    }

    /// A number that tells places apart well enough for sums of them.
    pub(super) fn digest(self) -> u64 {
        // The mixing steps of SplitMix64, over both numbers.
        let mix = |x: u64| {
            let x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            x ^ (x >> 31)
        };
        let chunk = match self.stream {
            Stream::Recorded => self.chunk,
            // There are never so many chunks that the two meet.
            Stream::Generated => !self.chunk,
        };
        mix(mix(chunk.wrapping_add(0x9e37_79b9_7f4a_7c15)) ^ self.index)
    }
}

/// One occurrence.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Sighting {
    /// Where in the run.
    pub place: CasePlace,
    /// Where the case came from.
    pub provenance: Provenance,
    /// What was said there.
    pub message: String,
}

/// Occurrences of one sort.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ReasonCount {
    /// How many cases.
    pub count: u64,
    /// The first in the run.
    pub first: Sighting,
}

/// A case as JSON, to run it again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct StoredCase {
    /// Create or update.
    pub operation: Operation,
    /// The object of the request. An object that is not JSON is kept as the text that it is.
    pub object: Value,
    /// The stored object, on updates.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub old_object: Option<Value>,
    /// State of the validation options.
    #[serde(default)]
    pub options: Options,
}

/// A case that shows something.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Example {
    /// Errors of both sides beside those that it shows.
    pub beside: u64,
    /// Bytes of JSON of its objects.
    pub size: u64,
    /// Where it was seen, and the error or panic as text.
    #[serde(flatten)]
    pub sighting: Sighting,
    /// The case.
    pub case: StoredCase,
    /// Whether texts of its objects were replaced, because they looked secret.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub redacted: bool,
}

impl StoredCase {
    /// The case to run, coming from `provenance`.
    #[must_use]
    pub fn to_case(&self, provenance: Provenance) -> Case<'static> {
        Case {
            operation: self.operation,
            object: self.object.clone().into(),
            old: self.old_object.clone().map(Payload::from),
            options: self.options.clone(),
            provenance,
        }
    }
}

impl From<&Case<'_>> for StoredCase {
    fn from(case: &Case) -> Self {
        Self {
            operation: case.operation,
            object: json(&case.object),
            old_object: case.old.as_ref().map(json),
            options: case.options.clone(),
        }
    }
}

fn json(payload: &Payload) -> Value {
    payload.to_value().unwrap_or_else(|_| match payload {
        Payload::Json(text) => Value::String(String::from_utf8_lossy(text).into_owned()),
        // Trees are JSON.
        Payload::Value(_) | Payload::Stored(_) | Payload::Tree(_) => Value::Null,
    })
}

/// Bytes of JSON of the objects of `case`.
#[must_use]
pub fn size(case: &Case) -> u64 {
    let one = |payload: &Payload| match payload {
        Payload::Json(text) => u64::try_from(text.len()).unwrap_or(u64::MAX),
        Payload::Value(value) => printed(value.as_ref()),
        Payload::Stored(value) => printed(&stored(Value::clone(value))),
        Payload::Tree(tree) => printed(tree),
    };
    one(&case.object).saturating_add(case.old.as_ref().map_or(0, one))
}

fn printed(tree: &impl Serialize) -> u64 {
    let mut counter = Counter(0);
    // A JSON tree always prints, and counting never fails.
    serde_json::to_writer(&mut counter, tree).map_or(u64::MAX, |()| counter.0)
}

struct Counter(u64);

impl Write for Counter {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        self.0 = self.0.saturating_add(u64::try_from(buffer.len()).unwrap_or(u64::MAX));
        Ok(buffer.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Sighting {
    pub(super) fn of(place: CasePlace, case: &Case, mut message: String) -> Self {
        if let Some((end, _)) = message.char_indices().nth(MAX_MESSAGE) {
            message.truncate(end);
            message.push('…');
        }
        Self { place, provenance: case.provenance.clone(), message }
    }

    /// Keeps the earlier of both. Places are unique in a run; the rest of the order makes merging commutative regardless.
    pub(super) fn merge(&mut self, other: Self) {
        let key = |sighting: &Self| (sighting.place, sighting.provenance.to_string());
        let earlier = if other.place == self.place {
            (key(&other), &other.message) < (key(self), &self.message)
        } else {
            other.place < self.place
        };
        if earlier {
            *self = other;
        }
    }
}

impl ReasonCount {
    pub(super) fn merge(&mut self, other: Self) {
        self.count += other.count;
        self.first.merge(other.first);
    }
}

impl Example {
    pub(super) fn of(case: &Case, beside: u64, sighting: Sighting) -> Self {
        Self { beside, size: size(case), sighting, case: case.into(), redacted: false }
    }

    /// Whether it lost its objects: then it shows nothing, however small it is.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.case.object.is_null()
    }

    /// What is kept of several is first by this.
    pub(super) fn order(&self) -> (bool, u64, u64, CasePlace) {
        (self.is_empty(), self.beside, self.size, self.sighting.place)
    }

    /// Keeps the one with fewer other errors, then the smaller, then the earlier.
    pub(super) fn merge(&mut self, other: Self) {
        let text = |example: &Self| serde_json::to_string(example).unwrap_or_default();
        let (ours, theirs) = (self.order(), other.order());
        if theirs < ours || (theirs == ours && text(&other) < text(self)) {
            *self = other;
        }
    }
}
