//! Requests: what a server makes of an object that is applied or updated.

use super::annotation::{KUBECTL, follow, unchanged_since};
use super::cap::cap;
use super::conflict::Conflicts;
use super::entries::{Entry, ManagedFields, entries};
use super::kind::ObjectType;
use super::metadata::{named, set, text, version_and_kind, without_managed_fields};
use super::owner::Owner;
use super::steps::{Failure, Steps};
use crate::fields::{FieldSet, Path};
use crate::typed::{Duplicates, validate};
use serde_json::Value;
use std::fmt;
use std::sync::LazyLock;

/// Who owns what an object had before anybody applied to it.
const BEFORE_FIRST_APPLY: &str = "before-first-apply";

/// Who owns what a request without a name sets.
const UNKNOWN: &str = "unknown";

/// What a server makes of requests for objects of one kind.
pub struct FieldManager<'k> {
    kind: &'k dyn ObjectType,
}

/// What a request says beside its object.
#[derive(Clone, Copy, Debug)]
pub struct Request<'r> {
    /// The name of the manager (`fieldManager`); empty if it gives none.
    pub manager: &'r str,
    /// The subresource; empty for the object itself.
    pub subresource: &'r str,
    /// The time of the request, in RFC 3339.
    pub now: &'r str,
    /// Fields that requests like it do not set (`GetResetFields` of a strategy): nobody comes to own them.
    pub reset: &'r FieldSet,
}

/// Why a request has no result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// Somebody else owns what it would change.
    Conflicts(Conflicts),
    /// Anything else: the text of the answer.
    Other(String),
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Conflicts(conflicts) => conflicts.fmt(f),
            Self::Other(text) => f.write_str(text),
        }
    }
}

impl std::error::Error for Refusal {}

impl From<Failure> for Refusal {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::Conflicts(conflicts) => Self::Conflicts(conflicts),
            Failure::Other(text) => Self::Other(text),
        }
    }
}

type Made = (Value, ManagedFields);

impl<'k> FieldManager<'k> {
    /// A manager for objects of this kind.
    #[must_use]
    pub fn new(kind: &'k dyn ObjectType) -> Self {
        Self { kind }
    }

    /// The object after an apply, with its managed fields. Without `live` it does not exist yet.
    ///
    /// # Errors
    /// Returns an error when the applied object does not fit its type or carries managed fields, and conflicts unless `force` is given.
    pub fn apply(
        &self,
        live: Option<&Value>,
        applied: &Value,
        request: Request<'_>,
        force: bool,
    ) -> Result<Value, Refusal> {
        let live = self.live(live)?;
        let managed = ManagedFields::of(&live)
            .map_err(|error| Refusal::Other(format!("failed to decode managed fields: {error}")))?;
        let is = |name: &str, value: &str| applied.get(name).and_then(Value::as_str).unwrap_or_default() == value;
        if !is("apiVersion", self.kind.api_version()) || !is("kind", self.kind.kind()) {
            return Err(Refusal::Other(format!("invalid object type: {}", version_and_kind(applied))));
        }
        let (mut object, managed) = self.taking_over(&live, applied, managed, request, force)?;
        if request.manager == KUBECTL {
            follow(&mut object, applied);
        }
        set(&mut object, "managedFields", managed.encode());
        Ok(object)
    }

    /// The object after an update (create, replace, patch), with its managed fields. Without `live` it is created.
    ///
    /// # Errors
    /// Returns an error when an object does not fit its type.
    pub fn update(&self, live: Option<&Value>, object: &Value, request: Request<'_>) -> Result<Value, Refusal> {
        let live = self.live(live)?;
        let object = self.kind.held(object.clone()).map_err(|error| {
            let kind = self.kind.api_version();
            Refusal::Other(format!(
                "failed to convert new object ({}) to proper version ({kind}): {error}",
                named(object)
            ))
        })?;
        let managed = managed_by_update(&live, &object, request.subresource);
        let object = without_managed_fields(object);
        let (mut object, managed) = self.tracked(&live, object, managed, request)?;
        set(&mut object, "managedFields", managed.encode());
        Ok(object)
    }

    fn live(&self, live: Option<&Value>) -> Result<Value, Refusal> {
        let Some(live) = live else { return Ok(self.kind.empty()) };
        self.kind.held(live.clone()).map_err(|error| {
            Refusal::Other(format!("failed to convert live object ({}) to proper version: {error}", named(live)))
        })
    }

    /// An apply that takes without force what the client's side of the same tool applied before.
    fn taking_over(
        &self,
        live: &Value,
        applied: &Value,
        managed: ManagedFields,
        request: Request<'_>,
        force: bool,
    ) -> Result<Made, Refusal> {
        if request.manager != KUBECTL {
            return self.applied(live, applied, managed, request, force);
        }
        let made = self.applied(live, applied, managed.clone(), request, force);
        let Err(Refusal::Conflicts(conflicts)) = &made else { return made };
        let Some(allowed) = unchanged_since(self.kind, live) else { return made };
        if !conflicts.fields().difference(&allowed).is_empty() {
            return Err(Refusal::Conflicts(conflicts.outside(&allowed)));
        }
        self.applied(live, applied, managed, request, true)
    }

    fn applied(
        &self,
        live: &Value,
        applied: &Value,
        mut managed: ManagedFields,
        request: Request<'_>,
        force: bool,
    ) -> Result<Made, Refusal> {
        let mut live = live.clone();
        if managed.fields.is_empty() {
            let before = Request { manager: BEFORE_FIRST_APPLY, ..request };
            let made = self.updated(&self.kind.empty(), live, managed, before).map_err(|refusal| match refusal {
                Refusal::Other(text) => Refusal::Other(format!("failed to create manager for existing fields: {text}")),
                conflicts @ Refusal::Conflicts(_) => conflicts,
            })?;
            (live, managed) = made;
            cap(&mut managed);
        }
        let owner = Owner::applier(named_manager(request.manager), request.subresource);
        if entries(applied).is_some() {
            return Err(Refusal::Other("metadata.managedFields must be nil".to_owned()));
        }
        let (schema, root) = self.kind.schema();
        validate(schema, root, applied, Duplicates::Refused).map_err(|error| {
            Refusal::Other(format!("failed to create typed patch object ({}): {error}", named(applied)))
        })?;
        validate(schema, root, &live, Duplicates::Allowed).map_err(|error| {
            Refusal::Other(format!("failed to create typed live object ({}): {error}", named(&live)))
        })?;
        let steps = Steps { kind: self.kind, reset: request.reset };
        let (new, owners) = steps.apply(&live, applied, managed.fields, &owner, force)?;
        managed.fields = owners;
        let object = match new {
            Some(new) => {
                let unfit = |error| {
                    Refusal::Other(format!(
                        "failed to convert new object ({}) to proper version: {error}",
                        named(applied)
                    ))
                };
                managed.times.insert(owner.clone(), request.now.to_owned());
                self.kind.defaulted(new).map_err(unfit)?
            }
            // An apply that changes nothing is no change: the time of its entry stays, and a new entry has none.
            None => live,
        };
        strip(&mut managed, &owner);
        Ok((without_managed_fields(object), managed))
    }

    /// An update, unless nobody keeps track of the fields of the object.
    fn tracked(
        &self,
        live: &Value,
        object: Value,
        managed: ManagedFields,
        request: Request<'_>,
    ) -> Result<Made, Refusal> {
        if managed.fields.is_empty() && !text(live, "uid").is_empty() {
            return Ok((object, managed));
        }
        let (object, mut managed) = self.updated(live, object, managed, request)?;
        cap(&mut managed);
        Ok((object, managed))
    }

    fn updated(
        &self,
        live: &Value,
        object: Value,
        mut managed: ManagedFields,
        request: Request<'_>,
    ) -> Result<Made, Refusal> {
        let (schema, root) = self.kind.schema();
        for (which, object) in [("new", &object), ("live", live)] {
            validate(schema, root, object, Duplicates::Allowed).map_err(|error| {
                Refusal::Other(format!("failed to convert {which} object ({}) to smd typed: {error}", named(object)))
            })?;
        }
        // What this request changes is gathered apart, so that a request that changes nothing leaves the entry as it is.
        let current = Owner::updater("", "", "");
        let steps = Steps { kind: self.kind, reset: request.reset };
        managed.fields = steps.update(live, &object, managed.fields, &current).map_err(|failure| match failure {
            Failure::Other(text) => {
                Refusal::Other(format!("failed to update ManagedFields ({}): {text}", named(&object)))
            }
            conflicts @ Failure::Conflicts(_) => conflicts.into(),
        })?;
        strip(&mut managed, &current);
        if let Some(mut owned) = managed.fields.remove(&current) {
            let name = named_manager(request.manager);
            let owner = Owner::updater(name, self.kind.api_version(), request.subresource);
            if let Some(before) = managed.fields.remove(&owner) {
                owned.set.extend(&before.set);
            }
            managed.fields.insert(owner.clone(), owned);
            managed.times.insert(owner, request.now.to_owned());
        }
        Ok((object, managed))
    }
}

fn named_manager(name: &str) -> &str {
    if name.is_empty() { UNKNOWN } else { name }
}

/// The managed fields that an update starts from: those that it sends, because it may change them, unless it sends none, cannot be read, or
/// goes through a subresource. An empty list, or one of an empty entry, forgets all of them.
fn managed_by_update(live: &Value, object: &Value, subresource: &str) -> ManagedFields {
    let of_live = || ManagedFields::of(live).unwrap_or_default();
    if !subresource.is_empty() {
        return of_live();
    }
    let sent = entries(object);
    match sent.as_deref() {
        Some([]) => return ManagedFields::default(),
        Some([entry]) if *entry == Entry::default() => return ManagedFields::default(),
        _ => {}
    }
    let decoded = ManagedFields::decode(&sent.unwrap_or_default()).ok();
    decoded.filter(|managed| !managed.fields.is_empty()).unwrap_or_else(of_live)
}

/// The fields that every object has.
static NOBODYS: LazyLock<FieldSet> = LazyLock::new(|| {
    const OF_METADATA: [&str; 9] = [
        "name",
        "namespace",
        "creationTimestamp",
        "selfLink",
        "uid",
        "clusterName",
        "generation",
        "managedFields",
        "resourceVersion",
    ];
    let whole = ["apiVersion", "kind", "metadata"].map(|name| Path::of_fields(&[name]));
    let of_metadata = OF_METADATA.iter().map(|name| Path::of_fields(&["metadata", name]));
    whole.into_iter().chain(of_metadata).collect()
});

/// Takes from a manager the fields that nobody owns: those that every object has.
fn strip(managed: &mut ManagedFields, owner: &Owner) {
    let Some(owned) = managed.fields.get_mut(owner) else { return };
    owned.set = owned.set.difference(&NOBODYS);
    if owned.set.is_empty() {
        managed.fields.remove(owner);
    }
}
