//! The defaults that servers publish of fields, list items and map values (KEP-1929).

use super::mistakes::{Mistake, Wrong};
use super::tags::{omits_empty, set};
use super::{GoTypes, Member};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use takeover_harness::schema::{Kind, TypeId};
use takeover_oracles::declarative::idl::{FieldInfo, TagLine};

/// A default that a marker declares.
struct Declared {
    value: Value,
    /// Whether it is a reference to a constant, which does not count beside the value that Go always writes.
    is_reference: bool,
}

/// What is published of a default, and the value that Go always writes if the declared one differs from it.
struct Settled {
    value: Option<Value>,
    differs_from: Option<Value>,
}

impl GoTypes {
    /// Adds the defaults of a field and of what is in its lists and maps.
    pub(super) fn add_defaults(
        &self,
        member: &Member<'_>,
        property: &mut Value,
        has_defaults: bool,
        mistakes: &mut BTreeSet<Mistake>,
    ) {
        let declared = member.field.default.clone().map(|value| {
            let own = references(&member.info.tags);
            Declared { value, is_reference: own.unwrap_or_else(|| self.is_reference(member.field.ty)) }
        });
        let declared = declared.or_else(|| self.declared(member.field.ty));
        let settled = settled(declared, self.implied(member.field.ty, omits_empty(member.info)));
        if let (Some(given), Some(implied)) = (&settled.value, &settled.differs_from) {
            mistakes.insert(self.mistake(member, Wrong::default(given, implied)));
        }
        if let Some(default) = settled.value.filter(|_| has_defaults) {
            set(property, "default", default);
        }
        self.add_defaults_of_items(member, member.field.ty, property, has_defaults, mistakes);
    }

    fn add_defaults_of_items(
        &self,
        member: &Member<'_>,
        ty: TypeId,
        schema: &mut Value,
        has_defaults: bool,
        mistakes: &mut BTreeSet<Mistake>,
    ) {
        let (item, name) = match self.idl().schema.pointed(ty).1 {
            Kind::List(item) => (*item, "items"),
            Kind::Map { value, .. } => (*value, "additionalProperties"),
            _ => return,
        };
        let Some(below) = schema.get_mut(name) else { return };
        let settled = settled(self.declared(item), self.implied(item, false));
        if let (Some(given), Some(implied)) = (&settled.value, &settled.differs_from) {
            mistakes.insert(self.mistake(member, Wrong::item_default(given, implied)));
        }
        if let Some(default) = settled.value.filter(|_| has_defaults) {
            set(below, "default", default);
        }
        self.add_defaults_of_items(member, item, below, has_defaults, mistakes);
    }

    /// The default that a type declares, or what it points to. A definition over a named type inherits no marker.
    fn declared(&self, ty: TypeId) -> Option<Declared> {
        let mut next = Some(ty);
        for _ in 0..=self.idl().types.len() {
            let info = self.info(next?)?;
            if let Some(value) = info.default.clone() {
                return Some(Declared { value, is_reference: references(&info.tags) == Some(true) });
            }
            next = match self.idl().schema.kind(next?) {
                Kind::Pointer(inner) => Some(*inner),
                Kind::Named(inner) if info.defined_over.is_none() => Some(*inner),
                _ => None,
            };
        }
        None
    }

    fn is_reference(&self, ty: TypeId) -> bool {
        self.declared(ty).is_some_and(|declared| declared.is_reference)
    }

    /// The default of what Go always writes. What decodes itself, such as a time or a quantity, has none: its zero value is null.
    fn implied(&self, ty: TypeId, omits_empty: bool) -> Option<Value> {
        let (ty, kind) = self.idl().schema.native(ty);
        match kind {
            // A struct around one embedded type is published as that type.
            Kind::Struct(of) => match (of.fields.as_slice(), self.info(ty).map(|info| info.fields.as_slice())) {
                ([only], Some([FieldInfo { embedded: true, .. }])) => self.implied(only.ty, omits_empty),
                _ => Some(json!({})),
            },
            _ if omits_empty => None,
            Kind::Bool => Some(json!(false)),
            Kind::Int { .. } | Kind::Float { .. } => Some(json!(0)),
            Kind::Text => Some(json!("")),
            _ => None,
        }
    }
}

/// Whether the marker among tags refers to a constant; none without a marker.
fn references(tags: &[TagLine]) -> Option<bool> {
    tags.iter().find_map(|tag| Some(tag.text.strip_prefix("default=")?.starts_with("ref(")))
}

/// What is published of a declared default beside the value that Go always writes.
fn settled(declared: Option<Declared>, implied: Option<Value>) -> Settled {
    match (declared, implied) {
        (Some(declared), None) => Settled { value: Some(declared.value), differs_from: None },
        (Some(declared), Some(implied)) if !declared.is_reference => {
            let is_same =
                declared.value == implied || declared.value.as_f64().is_some_and(|of| implied.as_f64() == Some(of));
            Settled { value: Some(declared.value), differs_from: Some(implied).filter(|_| !is_same) }
        }
        (_, implied) => Settled { value: implied, differs_from: None },
    }
}
