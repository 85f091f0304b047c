//! One input: an operation on an object, where it came from, and the options in force.

use crate::object::{Arena, Tree, as_go_reads, text_as_go_reads};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::fmt;
use std::sync::Arc;

/// What the request does. PUT, PATCH and APPLY are all updates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Operation {
    /// A new object.
    Create,
    /// A change of a stored object.
    Update,
}

impl Operation {
    /// Both operations.
    pub const ALL: [Operation; 2] = [Operation::Create, Operation::Update];
}

impl fmt::Display for Operation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Create => "create",
            Self::Update => "update",
        })
    }
}

/// An object as it came in, not yet decoded by type. Trees of both forms are equal if they have the same content; a text equals only
/// the same text.
#[derive(Clone)]
pub enum Payload<'a> {
    /// JSON text.
    Json(Arc<[u8]>),
    /// A JSON tree as it was read, or kept; objects that are the same share it.
    Value(Arc<Value>),
    /// What a server would have stored of a JSON tree: the same with a `resourceVersion`, if its metadata has none.
    Stored(Arc<Value>),
    /// A JSON tree as it was generated, in an arena; objects share what they have in common.
    Tree(Tree<'a>),
}

impl<'a> Payload<'a> {
    /// The object as a JSON tree; for text that is not JSON, the parser's message.
    ///
    /// # Errors
    /// Returns an error when the text is not JSON.
    pub fn to_value(&self) -> Result<Value, serde_json::Error> {
        match self {
            Self::Json(text) => serde_json::from_str(&as_go_reads(&text_as_go_reads(text))),
            Self::Value(value) => Ok(Value::clone(value)),
            Self::Stored(value) => Ok(stored(Value::clone(value))),
            Self::Tree(tree) => Ok(tree.to_value()),
        }
    }

    /// The object as a JSON tree whose copies share what they have in common.
    ///
    /// # Errors
    /// Returns an error when the text is not JSON.
    pub fn to_tree(&self, arena: &'a Arena) -> Result<Tree<'a>, serde_json::Error> {
        match self {
            Self::Json(_) => self.to_value().map(|value| Tree::copy_of(&value, arena)),
            Self::Value(value) => Ok(Tree::copy_of(value, arena)),
            Self::Stored(value) => Ok(stored_tree(value, Tree::copy_of(value, arena), arena)),
            Self::Tree(tree) => Ok(*tree),
        }
    }

    /// The same in memory of its own.
    #[must_use]
    pub fn kept(self) -> Payload<'static> {
        match self {
            Self::Json(text) => Payload::Json(text),
            Self::Value(value) => Payload::Value(value),
            Self::Stored(value) => Payload::Stored(value),
            Self::Tree(tree) => Payload::from(tree.to_value()),
        }
    }

    /// Whether it is a tree of `null`, which stands for an object that is not kept.
    #[must_use]
    pub fn is_null(&self) -> bool {
        match self {
            Self::Json(_) => false,
            Self::Value(value) | Self::Stored(value) => value.is_null(),
            Self::Tree(tree) => tree.is_null(),
        }
    }

    /// Whether it and another one are the same tree in memory.
    #[must_use]
    pub fn is_shared(&self, other: &Self) -> bool {
        matches!((self, other), (Self::Tree(one), Self::Tree(other)) if one.is_shared(other))
    }

    /// About how many values it has: texts, numbers, lists, maps.
    #[must_use]
    pub fn values(&self) -> usize {
        match self {
            Self::Json(text) => values_in(text),
            Self::Value(value) => values_of(value),
            Self::Stored(value) => {
                let is_one_more = lacks_version(value) && value.pointer("/metadata/resourceVersion").is_none();
                values_of(value) + usize::from(is_one_more)
            }
            Self::Tree(tree) => tree.values(),
        }
    }
}

impl PartialEq for Payload<'_> {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Json(one), Self::Json(other)) => one == other,
            (Self::Value(one), Self::Value(other)) => one == other,
            (Self::Tree(one), Self::Tree(other)) => one == other,
            (Self::Tree(tree), Self::Value(value)) | (Self::Value(value), Self::Tree(tree)) => *tree == **value,
            (Self::Json(_), _) | (_, Self::Json(_)) => false,
            (Self::Stored(one), Self::Stored(other)) if Arc::ptr_eq(one, other) => true,
            (Self::Stored(_), _) | (_, Self::Stored(_)) => {
                matches!((self.to_value(), other.to_value()), (Ok(one), Ok(other)) if one == other)
            }
        }
    }
}

/// Whether an object has metadata without a `resourceVersion`, as none has that is stored.
fn lacks_version(object: &Value) -> bool {
    let metadata = object.get("metadata").and_then(Value::as_object);
    metadata.is_some_and(|metadata| match metadata.get("resourceVersion") {
        None | Some(Value::Null) => true,
        Some(version) => version.as_str() == Some(""),
    })
}

/// The `resourceVersion` of an object that has none, once it is stored.
const VERSION: &str = "1";

/// Sets the `resourceVersion` of an object that has metadata without one, and returns what it then is.
pub fn fill_version(object: &mut Value, version: Value) -> Value {
    let Some(metadata) = object.get_mut("metadata").and_then(Value::as_object_mut) else { return version };
    let found = metadata.entry("resourceVersion").or_insert(Value::Null);
    if found.is_null() || found.as_str() == Some("") {
        *found = version;
    }
    found.clone()
}

/// What a server would have stored of `object`.
#[must_use]
pub fn stored(mut object: Value) -> Value {
    fill_version(&mut object, VERSION.into());
    object
}

/// What a server would have stored of `object`, of which `tree` is a copy, and with which the result shares the rest.
pub(crate) fn stored_tree<'a>(object: &Value, mut tree: Tree<'a>, arena: &'a Arena) -> Tree<'a> {
    if lacks_version(object) {
        tree.change("metadata", arena, |metadata| {
            let members = metadata.as_object().unwrap_or_default();
            let mut members = members.to_change(arena);
            members.insert("resourceVersion", Tree::String(VERSION));
            *metadata = members.into();
        });
    }
    tree
}

fn values_of(value: &Value) -> usize {
    1 + match value {
        Value::Array(items) => items.iter().map(values_of).sum(),
        Value::Object(members) => members.values().map(values_of).sum::<usize>(),
        _ => 0,
    }
}

/// About how many values there are in a text of JSON, before any of it is parsed: between two of them there is always one of these bytes,
/// and inside of texts they count for nothing.
#[must_use]
pub fn values_in(json: &[u8]) -> usize {
    let (mut values, mut text, mut escaped) = (0, false, false);
    for byte in json {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = text,
            b'"' => text = !text,
            b',' | b'[' | b'{' if !text => values += 1,
            _ => {}
        }
    }
    values
}

/// The object as JSON, for whoever has to read it.
impl fmt::Debug for Payload<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Json(text) => f.write_str(&String::from_utf8_lossy(text)),
            Self::Value(value) if f.alternate() => write!(f, "{value:#}"),
            Self::Value(value) => write!(f, "{value}"),
            Self::Stored(value) if f.alternate() => write!(f, "{:#}", stored(Value::clone(value))),
            Self::Stored(value) => write!(f, "{}", stored(Value::clone(value))),
            Self::Tree(tree) if f.alternate() => write!(f, "{:#}", tree.to_value()),
            Self::Tree(tree) => write!(f, "{}", tree.to_value()),
        }
    }
}

impl From<Value> for Payload<'_> {
    fn from(value: Value) -> Self {
        Self::Value(Arc::new(value))
    }
}

impl<'a> From<Tree<'a>> for Payload<'a> {
    fn from(tree: Tree<'a>) -> Self {
        Self::Tree(tree)
    }
}

/// Validation options of a kind (`+k8s:ifEnabled(Name)`): name and state. A name that is not here is *undefined*.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Options(Vec<(String, bool)>);

impl Options {
    /// No option defined.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Defines `name` as on or off.
    pub fn set(&mut self, name: impl Into<String>, on: bool) {
        let name = name.into();
        match self.0.iter_mut().find(|(known, _)| *known == name) {
            Some((_, state)) => *state = on,
            None => self.0.push((name, on)),
        }
    }

    /// The state of `name`; none when undefined.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<bool> {
        self.0.iter().find(|(known, _)| known == name).map(|(_, on)| *on)
    }

    /// Names and states in the order of definition.
    pub fn iter(&self) -> impl Iterator<Item = (&str, bool)> {
        self.0.iter().map(|(name, on)| (name.as_str(), *on))
    }
}

/// Where a case came from, so that it can be found or made again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", tag = "from")]
#[non_exhaustive]
pub enum Provenance {
    /// A document of a file.
    #[serde(rename_all = "camelCase")]
    File {
        /// The file as named by the user, or `-` for standard input.
        path: String,
        /// Number of the document in the file, from 1; 0 for what is no document.
        document: u64,
        /// Line where the document starts, from 1; 0 for none.
        line: u64,
    },
    /// The generator.
    #[serde(rename_all = "camelCase")]
    Generated {
        /// Seed of the run.
        seed: u64,
        /// Number of the chunk.
        chunk: u64,
        /// Number of the case in the chunk.
        index: u64,
        /// What was planted, for people: `spec.replicas minimum=0: below`.
        planted: String,
    },
    /// A request that a server recorded: an event of an audit log, or an AdmissionReview.
    #[serde(rename_all = "camelCase")]
    Request {
        /// The file as named by the user, or `-` for standard input.
        path: String,
        /// Number of the document in the file, from 1.
        document: u64,
        /// Line where the document starts, from 1.
        line: u64,
        /// Audit id or uid of the review.
        request: String,
        /// Why the old object may be another than the one that was replaced; none when it is certain.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        doubt: Option<String>,
    },
    /// A recorded verdict.
    #[serde(rename_all = "camelCase")]
    Fixture {
        /// The file.
        path: String,
        /// Id of the fixture.
        id: String,
    },
}

impl fmt::Display for Provenance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File { path, document: 0, line: 0 } => f.write_str(path),
            Self::File { path, document: 0, line } => write!(f, "{path}:{line}"),
            Self::File { path, document, line } => write!(f, "{path}:{line} (document {document})"),
            Self::Request { path, line, request, doubt: None, .. } => write!(f, "{path}:{line} (request {request})"),
            Self::Request { path, line, request, doubt: Some(doubt), .. } => {
                write!(f, "{path}:{line} (request {request}; doubtful old object: {doubt})")
            }
            Self::Generated { seed, chunk, index, planted } if planted.is_empty() => {
                write!(f, "seed {seed} chunk {chunk} case {index}")
            }
            Self::Generated { seed, chunk, index, planted } => {
                write!(f, "seed {seed} chunk {chunk} case {index} ({planted})")
            }
            Self::Fixture { path, id } => write!(f, "{path} {id}"),
        }
    }
}

/// One input of a comparison.
#[derive(Clone, Debug, PartialEq)]
pub struct Case<'a> {
    /// Create or update.
    pub operation: Operation,
    /// The object of the request.
    pub object: Payload<'a>,
    /// The stored object; present exactly on updates.
    pub old: Option<Payload<'a>>,
    /// State of the kind's validation options.
    pub options: Options,
    /// Where the case came from.
    pub provenance: Provenance,
}

/// A case with no more values than this takes an oracle hardly any time or memory.
const SMALL: usize = 5_000;

impl Case<'_> {
    /// The same in memory of its own, to outlive the arena in which it was generated. Of what its objects share, a copy shares whole
    /// objects alone.
    #[must_use]
    pub fn kept(self) -> Case<'static> {
        let Self { operation, object, old, options, provenance } = self;
        let is_shared = old.as_ref().is_some_and(|old| old.is_shared(&object));
        let object = object.kept();
        let old = if is_shared { Some(object.clone()) } else { old.map(Payload::kept) };
        Case { operation, object, old, options, provenance }
    }

    /// How many times as long as a small case it may take an oracle: 1 for a small case. What a larger one costs is no fault of an oracle.
    #[must_use]
    pub fn patience(&self) -> u32 {
        let values = self.values_above(SMALL).unwrap_or_default();
        u32::try_from(1 + values / SMALL).unwrap_or(u32::MAX)
    }

    /// About how many values its objects have together.
    #[must_use]
    pub fn values(&self) -> usize {
        self.object.values() + self.old.as_ref().map_or(0, Payload::values)
    }

    /// As [`Case::values`], if it has more than `most`. Texts with no more bytes than that are not looked through.
    #[must_use]
    pub fn values_above(&self, most: usize) -> Option<usize> {
        let bytes = |payload: &Payload| match payload {
            Payload::Json(text) => text.len(),
            Payload::Value(_) | Payload::Stored(_) | Payload::Tree(_) => usize::MAX,
        };
        let all = bytes(&self.object).saturating_add(self.old.as_ref().map_or(0, bytes));
        (all > most).then(|| self.values()).filter(|values| *values > most)
    }
}

#[cfg(test)]
mod tests {
    use super::{Case, Operation, Options, Payload, Provenance, lacks_version, values_in};
    use crate::object::{Arena, Tree};
    use serde_json::{Value, json};
    use std::sync::Arc;

    #[test]
    fn an_object_is_stored_with_a_version() {
        let arena = Arena::new();
        let with = |version: Value| json!({"metadata": {"name": "a", "resourceVersion": version, "uid": "b"}});
        let one = json!({"metadata": {"name": "a", "resourceVersion": "1", "uid": "b"}});
        let stays = |object: Value| (object.clone(), object);
        for (object, as_stored) in [
            (json!({"metadata": {}, "a": 1}), json!({"metadata": {"resourceVersion": "1"}, "a": 1})),
            (json!({"metadata": {"name": "a", "uid": "b"}}), one.clone()),
            (with(json!("")), one.clone()),
            (with(json!(null)), one),
            stays(with(json!("7"))),
            stays(with(json!(7))),
            stays(json!({"metadata": null})),
            stays(json!({"metadata": []})),
            stays(json!({"a": 1})),
            stays(json!(null)),
        ] {
            let stored = Payload::Stored(Arc::new(object.clone()));
            assert_eq!(stored.to_value().unwrap(), as_stored);
            assert_eq!(stored.to_tree(&arena).unwrap().to_value(), as_stored);
            assert_eq!(stored.values(), Payload::from(as_stored.clone()).values(), "{object}");
            assert_eq!(format!("{stored:?}"), as_stored.to_string());
            assert!(stored == Payload::from(as_stored) && stored.clone().kept() == stored);
            assert_eq!(stored == Payload::from(object.clone()), !lacks_version(&object), "{object}");
        }
    }

    #[test]
    fn an_oracle_may_take_longer_for_a_large_case() {
        let case = |values: usize| Case {
            operation: Operation::Create,
            object: Payload::from(Value::from(vec![0; values])),
            old: None,
            options: Options::new(),
            provenance: Provenance::File { path: "a".into(), document: 1, line: 1 },
        };
        assert_eq!([10, 4_999, 5_000, 12_000].map(|values| case(values).patience()), [1, 1, 2, 3]);
    }

    #[test]
    fn an_object_is_the_same_as_a_tree_of_either_form() {
        let objects = [json!(null), json!({"a": [1, {"b": "c"}]}), json!({"a": [1, {"b": "d"}]}), json!([]), json!({})];
        let arena = Arena::new();
        for (one, other) in objects.iter().flat_map(|one| objects.iter().map(move |other| (one, other))) {
            let forms = |value: &Value| [Payload::from(value.clone()), Payload::from(Tree::copy_of(value, &arena))];
            for (of_one, of_other) in
                forms(one).into_iter().flat_map(|of| forms(other).map(|other| (of.clone(), other)))
            {
                assert_eq!(of_one == of_other, one == other, "{of_one:?} {of_other:?}");
                let kept = of_one.clone().kept();
                assert!(kept == of_one && !matches!(kept, Payload::Tree(_)));
            }
        }
        let text = Payload::Json(br#"{"a":1}"#.as_slice().into());
        assert!(text == text.clone() && text != Payload::from(json!({"a": 1})));
    }

    #[test]
    fn values_are_counted_and_what_stands_in_texts_is_not() {
        for (json, count, parsed) in
            [(r#"{"a":[1,{"b":2}],"c":3}"#, 5, 6), (r#"{"annotation":"{[,,,,]}","a":"\",[","b":"\\","c":[]}"#, 5, 5)]
        {
            assert_eq!(values_in(json.as_bytes()), count, "{json}");
            let value: Value = serde_json::from_str(json).unwrap();
            assert_eq!(Payload::from(value).values(), parsed, "{json}");
        }
    }
}
