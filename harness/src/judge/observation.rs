//! Checks as they are observed: what the errors of a reference tell of its checks, where neither its code nor a rule lists them.

use super::shown::{Shown, shown};
use crate::compare::{Difference, DifferenceKind, Direction, Reason, What, message_shape};
use crate::error::{ErrorType, FieldError};
use crate::object::Node;
use crate::oracle::{Answer, Objects};
use crate::path::{is_inside, pattern};
use crate::schema::{Field, Kind, Presence, Schema, Slot, TypeId};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// A check by what its errors look like.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ObservedCheck {
    /// Path pattern of its errors; empty for the object itself.
    pub field: String,
    /// Type of its errors; none of a check that rejects the object with a reason in plain text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error_type: Option<ErrorType>,
    /// What its errors or reasons explain, without the values: `must be less than or equal to N`.
    pub message: String,
}

impl ObservedCheck {
    /// The check behind an error.
    #[must_use]
    pub fn of(error: &FieldError) -> Self {
        Self { field: pattern(&error.field), error_type: Some(error.error_type), message: message_shape(&error.detail) }
    }

    /// The checks behind an answer that rejects these objects with a reason alone, with what they said; none behind any other answer.
    fn of_reason(answer: &Answer, objects: &Objects<'_>) -> Vec<(Self, String)> {
        let check = |of: &Reason| Self { field: pattern(&of.field), error_type: None, message: of.shape.clone() };
        Reason::of(answer, objects).iter().map(|of| (check(of), kept(&of.text))).collect()
    }

    /// The name of the type of a check that rejects with a reason in plain text.
    pub const DENIED: &'static str = "Denied";

    /// The name of its type: the API's name of the type of its errors, or [`ObservedCheck::DENIED`].
    #[must_use]
    pub fn type_name(&self) -> &'static str {
        self.error_type.map_or(Self::DENIED, ErrorType::api_name)
    }

    /// Whether a difference is that only one side has it.
    #[must_use]
    pub fn is_in(&self, difference: &Difference) -> bool {
        match &difference.what {
            What::Error(error) => *self == Self::of(error),
            What::Decision { field, shape, .. } => {
                self.error_type.is_none() && self.field == pattern(field) && self.message == *shape
            }
            What::Value { .. } => false,
        }
    }

    /// Whether findings of this kind at this path pattern are about it.
    #[must_use]
    pub fn is_of(&self, path: &str, kind: &DifferenceKind) -> bool {
        path == self.field
            && match kind {
                DifferenceKind::Error { error_type, .. } => self.error_type == Some(*error_type),
                DifferenceKind::Decision { shape } => self.error_type.is_none() && self.message == *shape,
                DifferenceKind::Value => false,
            }
    }

    /// The message of the checks among `others` with this type and field; `None` if they have several.
    fn only_like<'o>(&self, others: &'o [Self]) -> Option<&'o str> {
        let like = |of: &&Self| of.error_type == self.error_type && of.field == self.field;
        let mut messages = others.iter().filter(like).map(|of| of.message.as_str());
        let first = messages.next()?;
        messages.all(|message| message == first).then_some(first)
    }
}

/// Who refused a case that a check of the reference rejected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RefusedBy {
    /// The candidate rejected it too.
    Both,
    /// The candidate accepted it.
    Reference,
    /// The candidate rejected it, and so did several checks; or the check names no field, and the candidate reports several errors; or
    /// one of its errors is about another field. Where decisions are compared, the reason of a candidate is unknown then, unless it
    /// reports an error at the field of this check alone.
    Unclear,
}

/// A check of the reference that refused a case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RefusedCheck {
    /// Which one.
    pub check: ObservedCheck,
    /// Who refused with it.
    pub by: RefusedBy,
    /// The message of its first error, with values.
    pub said: String,
    /// The shape of the candidate's message, if each side has one check of that type on that field, or one message in all.
    pub answer: Option<String>,
}

/// What was observed of a case.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Observation {
    /// The checks of the reference that refused it; each once.
    pub refused: Vec<RefusedCheck>,
    /// Patterns of the fields that its object sets, and whether neither side had anything against the field; each once.
    pub fields: Vec<(String, bool)>,
    /// What it shows of the values that the reference accepts, by the patterns of fields; empty where the reference rejects it.
    pub shown: Vec<(String, Shown)>,
}

/// The values that an error of the candidate may be about.
#[derive(Debug)]
pub(super) struct Area {
    /// Path patterns; an empty one is the whole object.
    pub(super) places: Vec<String>,
    /// Whether a rule says so. Otherwise it may be about a neighbour in the same struct as well.
    pub(super) is_known: bool,
}

impl Area {
    /// Whether a check at this path pattern may have rejected for the same reason.
    fn concerns(&self, field: &str) -> bool {
        let parent = |path: &str| path.rfind(['.', '[']).map_or("", |end| path.get(..end).unwrap_or("")).to_owned();
        self.places.iter().any(|place| {
            is_inside(field, place) || is_inside(place, field) || (!self.is_known && parent(place) == parent(field))
        })
    }

    /// Whether it may speak against the values at this path pattern. Anything may speak against the object itself.
    fn touches(&self, field: &str) -> bool {
        field.is_empty() || self.places.iter().any(|place| is_inside(field, place))
    }
}

impl Observation {
    /// The observation of a case with these objects, from the answers of both sides and their differences. If only decisions are compared,
    /// `areas` says what the candidate's rejection may be about.
    pub(super) fn of(
        objects: &Objects<'_>,
        reference: &Answer,
        candidate: &Answer,
        differences: &[Difference],
        areas: Option<&[Area]>,
    ) -> Self {
        let by_decision = areas.is_some();
        let areas = areas.unwrap_or_default();
        let mut refused: Vec<RefusedCheck> = Vec::new();
        let mut alone: Vec<&FieldError> = Vec::new();
        for difference in differences.iter().filter(|of| of.direction == Direction::Missing) {
            if let What::Error(error) = &difference.what {
                alone.push(error);
            }
        }
        for (check, said) in ObservedCheck::of_reason(reference, objects) {
            let by = if candidate.rejects() { RefusedBy::Both } else { RefusedBy::Reference };
            if !refused.iter().any(|known| known.check == check) {
                refused.push(RefusedCheck { check, by, said, answer: None });
            }
        }
        let shown = if reference.rejects() { Vec::new() } else { shown(objects) };
        let (reference, is_refused) = (reference.errors.as_slice(), candidate.rejects());
        let candidate = candidate.errors.as_slice();
        // An oracle may report what it does not refuse.
        let refusing = if by_decision && alone.is_empty() && !is_refused { &[] } else { reference };
        for error in refusing {
            let by = if alone.contains(&error) { RefusedBy::Reference } else { RefusedBy::Both };
            let check = ObservedCheck::of(error);
            match refused.iter_mut().find(|known| known.check == check) {
                Some(known) if by == RefusedBy::Reference => known.by = by,
                Some(_) => {}
                None => refused.push(RefusedCheck { check, by, said: kept(&error.detail), answer: None }),
            }
        }
        let shared = |of: &RefusedCheck| of.by == RefusedBy::Both;
        let said: Vec<ObservedCheck> = match refused.iter().any(shared) {
            true => candidate.iter().map(ObservedCheck::of).collect(),
            false => Vec::new(),
        };
        if by_decision {
            // What is said of the whole object does not tell where it comes from: of several errors of the candidate, each may be for
            // another reason. And where several checks reject one field, an error there answers one of them, unless it says the same.
            let distinct: BTreeSet<&ObservedCheck> = said.iter().collect();
            let (several, several_answers) = (refused.len() > 1, distinct.len() > 1);
            let mut at_field: BTreeMap<String, usize> = BTreeMap::new();
            refused.iter().for_each(|of| *at_field.entry(of.check.field.clone()).or_default() += 1);
            let answers = |check: &ObservedCheck, other: &ObservedCheck| {
                let is_alone = !check.field.is_empty() && at_field.get(&check.field) == Some(&1);
                check.field == other.field && (is_alone || check.message == other.message)
            };
            let is_unclear = |of: &&mut RefusedCheck| {
                let doubtful = several || (several_answers && of.check.field.is_empty());
                shared(of) && doubtful && !said.iter().any(|other| answers(&of.check, other))
            };
            refused.iter_mut().filter(is_unclear).for_each(|of| of.by = RefusedBy::Unclear);
        }
        if !areas.is_empty() {
            let is_other = |of: &&mut RefusedCheck| {
                let field = &of.check.field;
                shared(of) && !field.is_empty() && !areas.iter().all(|area| area.concerns(field))
            };
            refused.iter_mut().filter(is_other).for_each(|of| of.by = RefusedBy::Unclear);
        }
        let others: Vec<ObservedCheck> = refused.iter().map(|of| of.check.clone()).collect();
        // A check alone against one message is answered by it, wherever that is reported.
        let only_message =
            said.first().filter(|first| others.len() == 1 && said.iter().all(|of| of.message == first.message));
        for of in refused.iter_mut().filter(|of| shared(of)) {
            let alike = of.check.only_like(&others).and_then(|_| of.check.only_like(&said));
            of.answer = alike.or(only_message.map(|only| only.message.as_str())).map(str::to_owned);
        }
        // A reason without a field may be about any field.
        let is_untold = refused.iter().any(|of| of.check.field.is_empty());
        let mut disputed: BTreeSet<String> =
            reference.iter().chain(candidate).map(|error| pattern(&error.field)).collect();
        disputed.extend(refused.iter().map(|of| of.check.field.clone()));
        let mut set = Vec::new();
        fields(objects.schema, objects.root, &[objects.new], &mut String::new(), &mut set);
        // Members of an inlined struct stand at the place of the struct around.
        set.sort_unstable();
        set.dedup();
        let fields = set.into_iter().map(|field| {
            let untouched = !is_untold && !disputed.contains(&field) && !areas.iter().any(|area| area.touches(&field));
            (field, untouched)
        });
        Self { refused, fields: fields.collect(), shown }
    }

    /// About how many bytes it takes.
    pub(super) fn weight(&self) -> usize {
        let refused = self.refused.iter().map(|of| {
            let texts = [&of.check.field, &of.check.message, &of.said].map(String::len);
            size_of::<RefusedCheck>() + texts.iter().sum::<usize>() + of.answer.as_ref().map_or(0, String::len)
        });
        let shown = self.shown.iter().map(|(field, shown)| {
            let text = if let Shown::Text(text) = shown { text.len() } else { 0 };
            size_of::<(String, Shown)>() + field.len() + text
        });
        let fields = self.fields.iter().map(|(field, _)| size_of::<String>() + field.len());
        refused.chain(shown).chain(fields).sum()
    }
}

/// Adds the patterns of the fields that are set in one of `nodes`, which are of type `ty` and stand at `path`.
fn fields(schema: &Schema, ty: TypeId, nodes: &[Node<'_>], path: &mut String, out: &mut Vec<String>) {
    if nodes.iter().all(Node::is_unset) {
        return;
    }
    out.push(path.clone());
    let ty = match schema.native(ty) {
        (_, Kind::Pointer(inner)) => *inner,
        (native, _) => native,
    };
    let len = path.len();
    match schema.native(ty).1 {
        Kind::Struct(members) => {
            let mut slots: Vec<Slot> = nodes.iter().flat_map(|node| node.fields()).map(|(slot, _)| *slot).collect();
            slots.sort_unstable();
            slots.dedup();
            for slot in slots {
                let Some(field) = members.field(slot) else { continue };
                if field.presence == Presence::Named {
                    if len > 0 {
                        path.push('.');
                    }
                    path.push_str(&field.json_name);
                }
                let below: Vec<Node<'_>> = nodes.iter().map(|node| node.field(slot)).collect();
                fields(schema, field.ty, &below, path, out);
                path.truncate(len);
            }
            // A boolean that is not a pointer is false when absent.
            let is_flag =
                |field: &Field| field.presence == Presence::Named && matches!(schema.native(field.ty).1, Kind::Bool);
            for field in members.fields.iter().filter(|field| is_flag(field)) {
                out.push(if len > 0 { format!("{path}.{}", field.json_name) } else { field.json_name.to_string() });
            }
        }
        Kind::List(element) => {
            path.push_str("[*]");
            let below: Vec<Node<'_>> = nodes.iter().flat_map(|node| node.items()).copied().collect();
            fields(schema, *element, &below, path, out);
        }
        Kind::Map { value, .. } => {
            path.push_str("[*]");
            let below: Vec<Node<'_>> = nodes.iter().flat_map(|node| node.entries()).map(|(_, node)| *node).collect();
            fields(schema, *value, &below, path, out);
        }
        _ => {}
    }
    path.truncate(len);
}

/// Most characters of a message that are kept: Kubernetes' texts about names end with their regular expression.
const LONGEST_MESSAGE: usize = 512;

/// A message as it is kept.
fn kept(message: &str) -> String {
    message.chars().take(LONGEST_MESSAGE).collect()
}

#[cfg(test)]
mod tests {
    use super::Area;

    #[test]
    fn an_error_concerns_the_checks_of_what_its_rule_reads() {
        let of = |place: &str, is_known| Area { places: vec![place.to_owned()], is_known };
        for (place, field, concerns, touches) in [
            ("spec.id", "spec.id", true, true),
            ("spec", "spec.size", true, true),
            ("spec.list[*].name", "spec.list", true, false),
            ("spec.id", "spec.size", false, false),
            ("spec.id", "spec.idle", false, false),
            ("", "spec.size", true, true),
            // Many checks speak of the object itself.
            ("spec.id", "", true, true),
        ] {
            let area = of(place, true);
            assert_eq!((area.concerns(field), area.touches(field)), (concerns, touches), "{place}, {field}");
        }
        assert!(of("spec.id", false).concerns("spec.size"), "another program may name a neighbour");
    }
}
