//! Checks as they are observed: what the errors of a reference tell of its checks, where neither its code nor a rule lists them.

use crate::compare::{Difference, Direction, What};
use crate::error::{ErrorType, FieldError};
use crate::object::Node;
use crate::oracle::Objects;
use crate::path::pattern;
use crate::schema::{Kind, Presence, Schema, Slot, TypeId};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// A check by what its errors look like.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ObservedCheck {
    /// Path pattern of its errors; empty for the object itself.
    pub field: String,
    /// Type of its errors.
    pub error_type: ErrorType,
    /// What its errors explain, without the values: `must be less than or equal to N`.
    pub message: String,
}

impl ObservedCheck {
    /// The check behind an error.
    #[must_use]
    pub fn of(error: &FieldError) -> Self {
        Self { field: pattern(&error.field), error_type: error.error_type, message: message_shape(&error.detail) }
    }
}

/// What was observed of a case.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Observation {
    /// The checks of the reference that refused it, and whether the candidate reported the same; each once.
    pub refused: Vec<(ObservedCheck, bool)>,
    /// Patterns of the fields that its object sets, and whether neither side had anything against the field; each once.
    pub fields: Vec<(String, bool)>,
}

impl Observation {
    /// What the errors of both sides and their differences tell of a case with these objects.
    pub(super) fn of(
        objects: &Objects<'_>,
        reference: &[FieldError],
        candidate: &[FieldError],
        differences: &[Difference],
    ) -> Self {
        let mut refused: Vec<(ObservedCheck, bool)> = Vec::new();
        let mut alone: Vec<&FieldError> = Vec::new();
        for difference in differences.iter().filter(|of| of.direction == Direction::Missing) {
            if let What::Error(error) = &difference.what {
                alone.push(error);
            }
        }
        for error in reference {
            let shared = !alone.contains(&error);
            let check = ObservedCheck::of(error);
            match refused.iter_mut().find(|(known, _)| *known == check) {
                Some((_, all_shared)) => *all_shared &= shared,
                None => refused.push((check, shared)),
            }
        }
        let disputed: BTreeSet<String> = reference.iter().chain(candidate).map(|error| pattern(&error.field)).collect();
        let mut set = Vec::new();
        fields(objects.schema, objects.root, &[objects.new], &mut String::new(), &mut set);
        // Members of an inlined struct stand at the place of the struct around.
        set.sort_unstable();
        set.dedup();
        let fields = set.into_iter().map(|field| {
            let untouched = !disputed.contains(&field);
            (field, untouched)
        });
        Self { refused, fields: fields.collect() }
    }

    /// About how many bytes it takes.
    pub(super) fn weight(&self) -> usize {
        let refused =
            self.refused.iter().map(|(check, _)| size_of::<ObservedCheck>() + check.field.len() + check.message.len());
        refused.sum::<usize>() + self.fields.iter().map(|(field, _)| size_of::<String>() + field.len()).sum::<usize>()
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

/// Longest shape of a message that is kept, in characters.
const LONGEST: usize = 160;

/// A message without what changes from value to value: quoted texts become `"…"`, numbers `N`.
fn message_shape(message: &str) -> String {
    let mut shape = String::new();
    let mut rest = message.chars().peekable();
    let mut length = 0;
    while let Some(next) = rest.next() {
        if length >= LONGEST {
            shape.push('…');
            break;
        }
        length += 1;
        match next {
            '"' => {
                let mut escaped = false;
                for inside in rest.by_ref() {
                    match inside {
                        '"' if !escaped => break,
                        '\\' => escaped = !escaped,
                        _ => escaped = false,
                    }
                }
                shape.push_str("\"…\"");
            }
            digit if digit.is_ascii_digit() && !shape.ends_with(|before: char| before.is_alphanumeric()) => {
                while rest.next_if(|more| more.is_ascii_digit() || *more == '.').is_some() {}
                shape.push('N');
            }
            other => shape.push(other),
        }
    }
    shape
}

#[cfg(test)]
mod tests {
    use super::message_shape;

    #[test]
    fn messages_lose_their_values_and_keep_their_words() {
        for (message, shape) in [
            ("must be less than or equal to 1000", "must be less than or equal to N"),
            ("must be between 0.5 and 10", "must be between N and N"),
            ("no entry \"a\\\"b\" in v1beta2", "no entry \"…\" in v1beta2"),
            ("half \"open", "half \"…\""),
            ("", ""),
        ] {
            assert_eq!(message_shape(message), shape);
        }
        assert_eq!(message_shape(&"x".repeat(1000)).chars().count(), 161);
    }
}
