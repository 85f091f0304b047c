//! The compiled rules of a whole schema.

use super::language::{Cel, Compiled};
use crate::structural::{Additional, Structural};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The rules of a schema, compiled once. Nodes without rules at and below them are left out.
#[derive(Clone)]
pub struct RuleTree {
    pub(super) node: Arc<Structural>,
    /// The number of its first rule, in the order of a walk: the node itself, elements, named members, other members.
    pub(super) first: usize,
    pub(super) rules: Result<Vec<Compiled>, String>,
    /// Whether one of its own rules refers to the old value.
    pub(super) uses_old: bool,
    pub(super) items: Option<Box<RuleTree>>,
    pub(super) properties: BTreeMap<String, RuleTree>,
    pub(super) additional: Option<Box<RuleTree>>,
}

impl RuleTree {
    /// Compiles the rules of the schema of a whole object; none if it has no rules.
    #[must_use]
    pub fn compile(structural: &Arc<Structural>, cel: &mut dyn Cel) -> Option<Self> {
        Self::below(structural, "", true, cel, &mut 0)
    }

    fn below(node: &Arc<Structural>, pointer: &str, whole: bool, cel: &mut dyn Cel, next: &mut usize) -> Option<Self> {
        if node.cel_rules() == 0 {
            return None;
        }
        let first = *next;
        *next += node.rules.len();
        let rules = match node.rules.is_empty() {
            true => Ok(Vec::new()),
            false => cel.compile(pointer, node, whole || node.embedded),
        };
        let uses_old = rules.iter().flatten().flatten().any(|program| program.uses_old());
        let mut child =
            |node: &Arc<Structural>, step: &str| Self::below(node, &format!("{pointer}/{step}"), false, cel, next);
        let items = node.items.as_ref().and_then(|node| child(node, "items")).map(Box::new);
        let mut properties = BTreeMap::new();
        for (name, node) in &node.properties {
            let step = format!("properties/{}", name.replace('~', "~0").replace('/', "~1"));
            properties.extend(child(node, &step).map(|tree| (name.clone(), tree)));
        }
        let additional = match &node.additional {
            Some(Additional::Schema(node)) => child(node, "additionalProperties").map(Box::new),
            _ => None,
        };
        Some(Self { node: Arc::clone(node), first, rules, uses_old, items, properties, additional })
    }

    /// The rules of the member `key`.
    pub(super) fn member(&self, key: &str) -> Option<&Self> {
        match self.node.properties.contains_key(key) {
            true => self.properties.get(key),
            false => self.additional.as_deref(),
        }
    }
}
