//! The compiled rules of a whole schema.

use super::language::{Cel, Compiled};
use crate::structural::{Additional, Structural};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The rules of a schema, compiled once. Nodes without rules at and below them are left out.
pub struct RuleTree {
    pub(super) node: Arc<Structural>,
    /// The number of its first rule, in the order of a walk: the node itself, elements, named members, other members.
    pub(super) first: usize,
    pub(super) rules: Result<Vec<Compiled>, String>,
    pub(super) items: Option<Box<RuleTree>>,
    pub(super) properties: BTreeMap<String, RuleTree>,
    pub(super) additional: Option<Box<RuleTree>>,
}

impl RuleTree {
    /// Compiles the rules of the schema of a whole object; none if it has no rules.
    #[must_use]
    pub fn compile(structural: &Arc<Structural>, cel: &dyn Cel) -> Option<Self> {
        Self::below(structural, true, cel, &mut 0)
    }

    fn below(node: &Arc<Structural>, whole: bool, cel: &dyn Cel, next: &mut usize) -> Option<Self> {
        if node.cel_rules() == 0 {
            return None;
        }
        let first = *next;
        *next += node.rules.len();
        let rules = if node.rules.is_empty() { Ok(Vec::new()) } else { cel.compile(node, whole || node.embedded) };
        let mut child = |node: &Arc<Structural>| Self::below(node, false, cel, next);
        let items = node.items.as_ref().and_then(&mut child).map(Box::new);
        let properties = node.properties.iter().filter_map(|(name, node)| Some((name.clone(), child(node)?))).collect();
        let additional = match &node.additional {
            Some(Additional::Schema(node)) => child(node).map(Box::new),
            _ => None,
        };
        Some(Self { node: Arc::clone(node), first, rules, items, properties, additional })
    }

    /// The rules of the member `key`.
    pub(super) fn member(&self, key: &str) -> Option<&Self> {
        match self.node.properties.contains_key(key) {
            true => self.properties.get(key),
            false => self.additional.as_deref(),
        }
    }
}
