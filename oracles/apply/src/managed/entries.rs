//! `managedFields` read and written.

use super::owner::{Operation, Owner};
use crate::fields::FieldSet;
use crate::value::go_quoted;
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::fmt;
use takeover_harness::object::Instant;

/// What a manager owns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Owned {
    /// The fields.
    pub set: FieldSet,
    /// The version that they are written in.
    pub api_version: String,
    /// Whether they were applied.
    pub applied: bool,
}

/// Who owns which fields of an object, and since when.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ManagedFields {
    /// The fields of each manager.
    pub fields: BTreeMap<Owner, Owned>,
    /// The time of the last change by each manager, in RFC 3339; a manager may have none.
    pub times: BTreeMap<Owner, String>,
}

/// Why an object's `managedFields` cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EntriesError(String);

impl fmt::Display for EntriesError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl std::error::Error for EntriesError {}

/// An entry as it is written; texts that are absent are empty.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Entry<'o> {
    pub(crate) manager: String,
    pub(crate) operation: String,
    pub(crate) api_version: String,
    pub(crate) time: Option<String>,
    pub(crate) fields_type: String,
    pub(crate) fields: Option<&'o Value>,
    pub(crate) subresource: String,
}

impl<'o> Entry<'o> {
    fn read(value: &'o Value) -> Option<Self> {
        let members = value.as_object()?;
        let text = |name: &str| match members.get(name) {
            None | Some(Value::Null) => Some(String::new()),
            Some(value) => value.as_str().map(str::to_owned),
        };
        let time = match text("time")? {
            time if time.is_empty() => None,
            time => Some(Instant::parse(&time)?.to_seconds_text()),
        };
        Some(Self {
            manager: text("manager")?,
            operation: text("operation")?,
            api_version: text("apiVersion")?,
            time,
            fields_type: text("fieldsType")?,
            fields: members.get("fieldsV1").filter(|fields| !fields.is_null()),
            subresource: text("subresource")?,
        })
    }
}

/// The entries of an object; `None` if it has none, or something else in their place.
pub(crate) fn entries(object: &Value) -> Option<Vec<Entry<'_>>> {
    let entries = object.get("metadata")?.get("managedFields")?.as_array()?;
    entries.iter().map(Entry::read).collect()
}

impl ManagedFields {
    /// The managed fields of an object; `None` if it has none.
    ///
    /// # Errors
    /// Returns an error that names what an entry lacks.
    pub fn of(object: &Value) -> Result<Self, EntriesError> {
        Self::decode(&entries(object).unwrap_or_default())
    }

    pub(super) fn decode(entries: &[Entry<'_>]) -> Result<Self, EntriesError> {
        let mut managed = Self::default();
        for (index, entry) in entries.iter().enumerate() {
            let operation = match entry.operation.as_str() {
                "Apply" => Operation::Apply,
                "Update" => Operation::Update,
                _ => return Err(EntriesError("operation must be `Apply` or `Update`".to_owned())),
            };
            if entry.api_version.is_empty() {
                return Err(EntriesError("apiVersion must not be empty".to_owned()));
            }
            match entry.fields_type.as_str() {
                "FieldsV1" => {}
                "" => return Err(EntriesError(format!("missing fieldsType in managed fields entry {index}"))),
                other => {
                    let other = go_quoted(other);
                    return Err(EntriesError(format!("invalid fieldsType {other} in managed fields entry {index}")));
                }
            }
            let owner = match operation {
                Operation::Apply => Owner::applier(&entry.manager, &entry.subresource),
                Operation::Update => Owner::updater(&entry.manager, &entry.api_version, &entry.subresource),
            };
            let set = match entry.fields {
                Some(fields) => FieldSet::from_json(fields).map_err(|error| {
                    EntriesError(format!(
                        "error decoding versioned set of {}: error decoding set: {error}",
                        entry.manager
                    ))
                })?,
                None => FieldSet::new(),
            };
            match &entry.time {
                Some(time) => managed.times.insert(owner.clone(), time.clone()),
                None => managed.times.remove(&owner),
            };
            let applied = operation == Operation::Apply;
            managed.fields.insert(owner, Owned { set, api_version: entry.api_version.clone(), applied });
        }
        Ok(managed)
    }

    /// The entries: applies before updates, the oldest first, then by name, version and subresource; `None` if nobody owns anything.
    #[must_use]
    pub fn encode(&self) -> Option<Value> {
        let mut owners: Vec<(&Owner, &Owned)> = self.fields.iter().collect();
        if owners.is_empty() {
            return None;
        }
        owners.sort_by_cached_key(|(owner, owned)| {
            let by = (owner.operation.name(), self.seconds(owner));
            (by, owner.name.clone(), owned.api_version.clone(), owner.subresource.clone())
        });
        Some(owners.into_iter().map(|(owner, owned)| self.entry(owner, owned)).collect())
    }

    fn entry(&self, owner: &Owner, owned: &Owned) -> Value {
        let operation = if owned.applied { Operation::Apply } else { owner.operation };
        let texts = [
            ("manager", owner.name.as_str()),
            ("operation", operation.name()),
            ("apiVersion", owned.api_version.as_str()),
            ("time", self.times.get(owner).map_or("", String::as_str)),
            ("fieldsType", "FieldsV1"),
            ("subresource", owner.subresource.as_str()),
        ];
        let texts = texts.into_iter().filter(|(_, text)| !text.is_empty());
        let mut entry: Map<String, Value> = texts.map(|(name, text)| (name.to_owned(), Value::from(text))).collect();
        entry.insert("fieldsV1".to_owned(), owned.set.to_json());
        Value::Object(entry)
    }

    /// The second of the last change by a manager, since 1970; 0 without a time.
    pub(super) fn seconds(&self, owner: &Owner) -> i64 {
        let time = self.times.get(owner).and_then(|time| Instant::parse(time));
        time.map_or(0, |time| time.timestamp().as_second())
    }
}
