//! Which rules a case reaches, for candidates that cannot say: those whose field is set.

use crate::object::Node;
use crate::oracle::Objects;
use crate::reach::{Reached, RuleId};
use crate::rule::Rule;
use crate::schema::{Kind, Schema, Slot, TypeId};

/// The rules of a pair by the path to their fields.
pub(super) struct Presence {
    ways: Vec<(RuleId, Vec<Step>)>,
}

/// One step of a path.
enum Step {
    /// To a field of a struct.
    Field(Box<[Slot]>),
    /// To every element of a list or value of a map.
    Each,
}

impl Presence {
    /// Finds the fields of `rules` in objects of type `root`. A rule whose field the types do not have is never reached.
    pub(super) fn of(rules: &[Rule], schema: &Schema, root: TypeId) -> Self {
        Self { ways: rules.iter().filter_map(|rule| Some((rule.id, way(&rule.path, schema, root)?))).collect() }
    }

    /// Adds the rules whose field is set in the object of the request, or was in the stored one.
    pub(super) fn reach(&self, objects: &Objects<'_>, reached: &mut Reached) {
        for (rule, way) in &self.ways {
            if way.is_empty() || is_set(objects.new, way) || objects.old.is_some_and(|old| is_set(old, way)) {
                reached.insert(*rule);
            }
        }
    }
}

fn way(path: &str, schema: &Schema, root: TypeId) -> Option<Vec<Step>> {
    let mut steps = Vec::new();
    let mut at = root;
    for part in path.split('.').filter(|part| !part.is_empty()) {
        let (name, elements) = part.split_once('[').map_or((part, 0), |(name, _)| (name, part.matches("[*]").count()));
        if !name.is_empty() {
            let (_, fields) = schema.as_struct(at)?;
            let member = fields.member(name)?;
            steps.push(Step::Field(member.slots.clone()));
            at = member.ty;
        }
        for _ in 0..elements {
            at = match schema.pointed(at).1 {
                Kind::List(element) => *element,
                Kind::Map { value, .. } => *value,
                _ => return None,
            };
            steps.push(Step::Each);
        }
    }
    Some(steps)
}

fn is_set(node: Node<'_>, way: &[Step]) -> bool {
    match way.split_first() {
        None => !node.is_unset(),
        Some((Step::Field(slots), rest)) => is_set(node.member(slots), rest),
        // An element is there even if it is zero.
        Some((Step::Each, [])) => !node.items().is_empty() || !node.entries().is_empty(),
        Some((Step::Each, rest)) => {
            node.items().iter().any(|item| is_set(*item, rest))
                || node.entries().iter().any(|(_, value)| is_set(*value, rest))
        }
    }
}
