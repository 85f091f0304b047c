//! A kind as server-side apply sees it.

use crate::defaults::everything;
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;
use std::sync::{Arc, OnceLock};
use takeover_apply::extract::Scope;
use takeover_apply::managed::ObjectType;
use takeover_apply::schema::{Schema, TypeId, of_go};
use takeover_handwritten::quantity::canonical_text;
use takeover_harness::form::Defaulter;
use takeover_harness::object::{Arena, FieldValidation, Node, from_value_with, to_value};
use takeover_harness::schema::{self as go, Kind, Presence, Struct, WellKnown};
use takeover_harness::subject::SubjectId;

/// A kind: its types, its defaults, and how its objects merge.
pub struct BuiltinType {
    id: SubjectId,
    types: Arc<go::Schema>,
    root: go::TypeId,
    defaulter: Option<Box<dyn Defaulter>>,
    scope: Scope,
    schema: Schema,
    merged: TypeId,
    empty: OnceLock<Value>,
}

impl BuiltinType {
    /// A main resource whose objects are of the type `root`, get these defaults, and are in a namespace or not.
    #[must_use]
    pub fn new(
        id: SubjectId,
        types: &Arc<go::Schema>,
        root: go::TypeId,
        defaulter: Option<Box<dyn Defaulter>>,
        scope: Scope,
    ) -> Self {
        Self::merging(id, (types, root), defaulter, scope, of_go(types, root))
    }

    /// The same of a kind whose types do not tell how its objects merge, such as a custom resource.
    #[must_use]
    pub fn merging(
        id: SubjectId,
        (types, root): (&Arc<go::Schema>, go::TypeId),
        defaulter: Option<Box<dyn Defaulter>>,
        scope: Scope,
        (schema, merged): (Schema, TypeId),
    ) -> Self {
        Self { id, types: Arc::clone(types), root, defaulter, scope, schema, merged, empty: OnceLock::new() }
    }

    /// Whether code or markers set defaults, in objects that have every struct, outside the member `but`.
    pub(super) fn has_defaults(&self, but: Option<&str>) -> bool {
        let object = everything(&self.types, self.root);
        let part = |object: Result<Value, String>| {
            object.map(|mut object| {
                but.and_then(|member| object.as_object_mut()?.remove(member));
                object
            })
        };
        self.defaulter.is_some() && part(self.held(object.clone())) != part(self.defaulted(object))
    }

    /// Whether a member, other than in the metadata, may be an empty struct, or JSON of no type: Go writes a struct that is no pointer
    /// whether it is set or not.
    pub(super) fn has_empty_structs(&self) -> bool {
        let mut seen = BTreeSet::new();
        let mut next = vec![self.root];
        while let Some(ty) = next.pop() {
            let (ty, kind) = self.types.native(ty);
            if !seen.insert(ty) {
                continue;
            }
            match kind {
                Kind::Struct(of) => {
                    next.extend(of.fields.iter().filter(|field| *field.json_name != *"metadata").map(|field| field.ty));
                }
                Kind::Pointer(inner) => match self.types.native(*inner).1 {
                    Kind::Struct(_) | Kind::WellKnown(WellKnown::Raw) => return true,
                    _ => next.push(*inner),
                },
                Kind::List(item) | Kind::Map { value: item, .. } => next.push(*item),
                _ => {}
            }
        }
        false
    }

    /// Its Go types, and the type of its objects.
    pub(super) fn types(&self) -> (&Arc<go::Schema>, go::TypeId) {
        (&self.types, self.root)
    }

    /// Whether its objects have a status.
    #[must_use]
    pub fn has_status(&self) -> bool {
        self.schema.atom(self.merged).map.as_ref().is_some_and(|map| map.fields.contains_key("status"))
    }

    /// Whether its objects are in a namespace.
    #[must_use]
    pub fn scope(&self) -> Scope {
        self.scope
    }

    /// An object as Go types hold it, after `change`, written back.
    fn written(
        &self,
        mut object: Value,
        change: impl for<'a> FnOnce(&'a Self, Node<'a>, &'a Arena) -> Node<'a>,
    ) -> Result<Value, String> {
        if let Some(members) = object.as_object_mut() {
            members.entry("apiVersion").or_insert_with(|| Value::from(self.id.api_version.as_str()));
            members.entry("kind").or_insert_with(|| Value::from(self.id.kind.as_str()));
        }
        readable(&self.types, self.root, &object)?;
        let arena = Arena::new();
        let decoded = from_value_with(&self.types, self.root, &object, FieldValidation::Warn, &arena)
            .map_err(|refused| refused.to_string())?;
        let mut written = to_value(&self.types, self.root, &change(self, decoded.node, &arena));
        finish(&self.types, self.root, &mut written);
        Ok(written)
    }
}

impl ObjectType for BuiltinType {
    fn api_version(&self) -> &str {
        &self.id.api_version
    }

    fn kind(&self) -> &str {
        &self.id.kind
    }

    fn schema(&self) -> (&Schema, TypeId) {
        (&self.schema, self.merged)
    }

    fn held(&self, object: Value) -> Result<Value, String> {
        self.written(object, |_, node, _| node)
    }

    fn defaulted(&self, object: Value) -> Result<Value, String> {
        let defaulted = self.written(object, |this, node, arena| match &this.defaulter {
            Some(defaulter) => defaulter.apply(&this.types, this.root, node, arena),
            None => node,
        });
        let slash = if self.id.api_version.contains('/') { "" } else { "/" };
        let kind = format!("{slash}{}, Kind={}", self.id.api_version, self.id.kind);
        defaulted.map_err(|error| format!("unable to convert unstructured object to {kind}: {error}"))
    }

    fn empty(&self) -> Value {
        let held = || {
            let bare = json!({"apiVersion": self.api_version(), "kind": self.kind()});
            self.held(bare.clone()).unwrap_or(bare)
        };
        self.empty.get_or_init(held).clone()
    }
}

/// The one member whose struct is left out when it is zero (`omitzero`).
const LEFT_OUT: &str = "creationTimestamp";

/// Writes what Go writes in another way: structs that are zero, for `omitempty` leaves out what is empty, and a struct never is; and
/// quantities, in the notation of Kubernetes.
fn finish(types: &go::Schema, ty: go::TypeId, value: &mut Value) {
    match (types.native(ty).1, value) {
        (Kind::Pointer(inner), value) if !value.is_null() => finish(types, *inner, value),
        (Kind::Struct(fields), Value::Object(members)) => write_members(types, fields, members),
        (Kind::List(item), Value::Array(items)) => items.iter_mut().for_each(|value| finish(types, *item, value)),
        (Kind::Map { value: ty, .. }, Value::Object(members)) => {
            members.values_mut().for_each(|value| finish(types, *ty, value));
        }
        (Kind::WellKnown(WellKnown::Quantity), Value::String(text)) => *text = canonical_text(text),
        _ => {}
    }
}

fn write_members(types: &go::Schema, fields: &Struct, members: &mut Map<String, Value>) {
    for field in &fields.fields {
        match field.presence {
            Presence::Hidden => {}
            Presence::Inlined => {
                if let Some((_, inner)) = types.as_struct(field.ty) {
                    write_members(types, inner, members);
                }
            }
            Presence::Named => {
                let is_struct = matches!(types.native(field.ty).1, Kind::Struct(_) | Kind::WellKnown(_));
                if is_struct && *field.json_name != *LEFT_OUT && !members.contains_key(&*field.json_name) {
                    members.insert(field.json_name.to_string(), to_value(types, field.ty, &Node::Unset));
                }
                if let Some(value) = members.get_mut(&*field.json_name) {
                    finish(types, field.ty, value);
                }
            }
        }
    }
}

/// Whether Go reads every text: times with microseconds have six digits of them, and bytes are base64.
///
/// # Errors
/// Returns what Go says of the first text that it does not read.
fn readable(types: &go::Schema, ty: go::TypeId, value: &Value) -> Result<(), String> {
    match (types.native(ty).1, value) {
        (Kind::Pointer(inner), value) => readable(types, *inner, value),
        (Kind::Struct(fields), Value::Object(members)) => {
            members.iter().try_for_each(|(name, value)| match fields.member(name) {
                Some(member) => readable(types, member.ty, value),
                None => Ok(()),
            })
        }
        (Kind::List(item), Value::Array(items)) => items.iter().try_for_each(|value| readable(types, *item, value)),
        (Kind::Map { value: ty, .. }, Value::Object(members)) => {
            members.values().try_for_each(|value| readable(types, *ty, value))
        }
        (Kind::WellKnown(WellKnown::MicroTime), Value::String(text)) => has_microseconds(text),
        (Kind::Bytes, Value::String(text)) => is_base64(text),
        _ => Ok(()),
    }
}

/// How Go writes times with microseconds.
const MICRO_LAYOUT: &str = "2006-01-02T15:04:05.000000Z07:00";

fn has_microseconds(text: &str) -> Result<(), String> {
    let rest = text.get("2006-01-02T15:04:05".len()..).unwrap_or_default();
    let digits = rest.strip_prefix('.').unwrap_or_default();
    let has_six = digits.get(..6).is_some_and(|digits| digits.bytes().all(|digit| digit.is_ascii_digit()));
    // What is no time at all is refused when it is decoded.
    if rest.is_empty() || has_six {
        return Ok(());
    }
    Err(format!("parsing time \"{text}\" as \"{MICRO_LAYOUT}\": cannot parse \"{rest}\" as \".000000\""))
}

fn is_base64(text: &str) -> Result<(), String> {
    let is_digit = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=' | b'\r' | b'\n');
    match text.bytes().position(|byte| !is_digit(byte)) {
        Some(at) => Err(format!("error decoding from json: illegal base64 data at input byte {at}")),
        None => Ok(()),
    }
}
