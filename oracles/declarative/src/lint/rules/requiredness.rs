//! `requiredness`: fields with rules say whether they are required, optional or forbidden.

use crate::compile::build::Validations;
use crate::compile::shape::{self, Shape};
use crate::grammar::Tag;
use crate::lint::def::{Lint, Origin};
use crate::lint::model::{Model, Subject};
use crate::lint::sink::{Sink, Spot};
use crate::tags::{self, PayloadKind, TagScope};
use std::collections::HashMap;
use takeover_harness::schema::{Kind, TypeId};

pub(in crate::lint) static REQUIREDNESS: Lint = Lint {
    name: "requiredness",
    summary: "A field with validation needs `required`, `optional` or `forbidden`.",
    explanation: "Otherwise the rules see unset values, and a nil pointer to a struct causes a panic. A field has validation \
                  if one of its tags checks something, or if its type has rules that `opaqueType` does not cut off. Structs \
                  by value cannot be unset and need none.",
    source: Origin::Generator,
    ..Lint::DEFAULT
};

pub(in crate::lint) fn requiredness(model: &Model<'_>, sink: &mut Sink<'_>) {
    let mut reach = Reach { model, known: HashMap::new() };
    for subject in model.subjects.iter().filter(|subject| subject.place == TagScope::Field) {
        let Some((slot, field)) = subject.field else { continue };
        if shape::shape(&model.idl.schema, field.ty) == Shape::Struct {
            continue;
        }
        if subject.tags().any(|(_, tag)| tag.chain().any(is_requiredness)) {
            continue;
        }
        // Tags that do not compile are reported as such; what they would mean is unknown.
        if subject.lines.iter().any(|line| model.is_broken(&line.line.position)) {
            continue;
        }
        // Lists of kinds and types that no kind uses hold types with rules and are never validated themselves.
        let validated = model.reached.contains(&subject.ty);
        let own = reach.field_opacity(subject.ty, slot);
        if subject.tags().any(|(_, tag)| checks(tag)) || (validated && reach.has_rules(field.ty, own).0) {
            let message = "field with validation must have `+k8s:optional`, `+k8s:required` or `+k8s:forbidden`";
            sink.report(subject, Spot::subject(subject), message).help(help(subject));
        }
    }
}

fn help(subject: &Subject<'_>) -> &'static str {
    match subject.field {
        Some((_, field)) if field.omit_empty => "`omitempty` suggests `+k8s:optional`",
        _ => "no `omitempty` suggests `+k8s:required`",
    }
}

fn is_requiredness(tag: &Tag) -> bool {
    tags::requiredness(tag).is_some()
}

/// Whether a chain checks something: its innermost tag is more than `optional` or `opaqueType`.
fn checks(tag: &Tag) -> bool {
    let Some(def) = tags::lookup(&tag.name).filter(|def| def.hints.checks) else { return false };
    match (def.payload, tag.inner()) {
        (PayloadKind::Tag, Some(inner)) => checks(inner),
        (payload, _) => payload != PayloadKind::Tag,
    }
}

/// What `opaqueType` cuts off.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
struct Opacity {
    ty: bool,
    key: bool,
    val: bool,
}

impl Opacity {
    fn and(self, rules: &Validations) -> Self {
        Self { ty: self.ty || rules.opaque, key: self.key || rules.opaque_key, val: self.val || rules.opaque_val }
    }
}

/// Which types have rules, of their own or further down.
struct Reach<'m, 'i> {
    model: &'m Model<'i>,
    /// None while a type is being looked at.
    known: HashMap<(TypeId, Opacity), Option<bool>>,
}

impl Reach<'_, '_> {
    /// What the tags on a field cut off.
    fn field_opacity(&self, owner: TypeId, slot: u16) -> Opacity {
        let node = self.model.types.get(owner);
        let field = node.and_then(|node| node.fields.iter().find(|field| field.slot == slot));
        field.map_or_else(Opacity::default, |field| Opacity::default().and(&field.rules))
    }

    /// Whether `ty` has rules, and whether the answer was cut short by a type that is still being looked at.
    fn has_rules(&mut self, ty: TypeId, opacity: Opacity) -> (bool, bool) {
        if opacity.ty {
            return (false, false);
        }
        match self.known.get(&(ty, opacity)) {
            Some(Some(known)) => return (*known, false),
            Some(None) => return (false, true),
            None => {}
        }
        self.known.insert((ty, opacity), None);
        let (found, cut) = self.look(ty, opacity);
        if found || !cut {
            self.known.insert((ty, opacity), Some(found));
        } else {
            self.known.remove(&(ty, opacity));
        }
        (found, cut)
    }

    fn look(&mut self, ty: TypeId, opacity: Opacity) -> (bool, bool) {
        let (model, schema) = (self.model, &self.model.idl.schema);
        let info = model.idl.types.get(ty.0 as usize);
        if info.is_some_and(|info| !info.package.is_empty() && !info.processed) {
            return (false, false);
        }
        let mut opacity = opacity;
        if let Some(node) = model.types.get(ty) {
            opacity = opacity.and(&node.rules);
            if opacity.ty {
                return (false, false);
            }
            if node.rules.emits() {
                return (true, false);
            }
        }
        let behind = |hidden: bool| Opacity { ty: hidden, ..Opacity::default() };
        let next: Vec<(TypeId, Opacity)> = match schema.native(ty).1 {
            Kind::Pointer(inner) => vec![(*inner, opacity)],
            Kind::List(element) => vec![(*element, behind(opacity.val))],
            Kind::Map { key, value } => vec![(*key, behind(opacity.key)), (*value, behind(opacity.val))],
            Kind::Struct(_) => {
                let Some(node) = model.types.get(ty) else { return (false, false) };
                if node.fields.iter().any(|field| field.rules.emits()) {
                    return (true, false);
                }
                node.fields.iter().map(|field| (field.ty, opacity.and(&field.rules))).collect()
            }
            _ => Vec::new(),
        };
        let mut cut = false;
        for (ty, opacity) in next {
            let (found, cut_here) = self.has_rules(ty, opacity);
            if found {
                return (true, false);
            }
            cut |= cut_here;
        }
        (false, cut)
    }
}
