//! The compiled rules of a whole schema.

use super::language::{Cel, Compiled};
use crate::structural::{Additional, CelRule, Structural};
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
    /// Compiles the rules of the schema of a whole object; `None` if it has no rules.
    #[must_use]
    pub fn compile(structural: &Arc<Structural>, cel: &mut dyn Cel) -> Option<Self> {
        Self::below(structural, "", true, cel, &mut 0)
    }

    pub(super) fn below(
        node: &Arc<Structural>,
        pointer: &str,
        whole: bool,
        cel: &mut dyn Cel,
        next: &mut usize,
    ) -> Option<Self> {
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

    /// Where each rule stands, by its number: the place of its value as a pattern, `spec.list[*]`, and its index there, from 0.
    #[must_use]
    pub fn places(&self) -> Vec<(String, usize)> {
        let mut places = Vec::new();
        self.add_places("", &mut places);
        places
    }

    fn add_places(&self, place: &str, places: &mut Vec<(String, usize)>) {
        places.extend((0..self.node.rules.len()).map(|index| (place.to_owned(), index)));
        if let Some(items) = &self.items {
            items.add_places(&format!("{place}[*]"), places);
        }
        for (name, tree) in &self.properties {
            let below = if place.is_empty() { name.clone() } else { format!("{place}.{name}") };
            tree.add_places(&below, places);
        }
        if let Some(additional) = &self.additional {
            additional.add_places(&format!("{place}[*]"), places);
        }
    }

    /// The same rules at the nodes of another schema that has them at the same places.
    #[must_use]
    pub(crate) fn at(&self, node: &Arc<Structural>) -> Self {
        let below =
            |tree: &Self, node: Option<&Arc<Structural>>| node.map_or_else(|| tree.clone(), |node| tree.at(node));
        let additional = match &node.additional {
            Some(Additional::Schema(node)) => Some(node),
            _ => None,
        };
        let properties = self.properties.iter();
        Self {
            node: Arc::clone(node),
            first: self.first,
            rules: self.rules.clone(),
            uses_old: self.uses_old,
            items: self.items.as_ref().map(|tree| Box::new(below(tree, node.items.as_ref()))),
            properties: properties.map(|(name, tree)| (name.clone(), below(tree, node.properties.get(name)))).collect(),
            additional: self.additional.as_ref().map(|tree| Box::new(below(tree, additional))),
        }
    }

    /// Puts another rule in the place of the one with this number, in the order of a walk.
    pub(crate) fn replace(&mut self, number: usize, rule: CelRule, program: Compiled) {
        let own = number.checked_sub(self.first).filter(|index| *index < self.node.rules.len());
        if let Some(index) = own {
            if let Some(stated) = Arc::make_mut(&mut self.node).rules.get_mut(index) {
                *stated = rule;
            }
            if let Some(compiled) = self.rules.as_mut().ok().and_then(|rules| rules.get_mut(index)) {
                *compiled = program;
            }
            self.uses_old = self.rules.iter().flatten().flatten().any(|program| program.uses_old());
            return;
        }
        let children = self.items.as_deref_mut().into_iter().chain(self.properties.values_mut());
        let children = children.chain(self.additional.as_deref_mut());
        // The last one that begins at or before the number holds it.
        if let Some(child) = children.filter(|child| child.first <= number).max_by_key(|child| child.first) {
            child.replace(number, rule, program);
        }
    }

    /// The rules of the member `key`.
    pub(super) fn member(&self, key: &str) -> Option<&Self> {
        match self.node.properties.contains_key(key) {
            true => self.properties.get(key),
            false => self.additional.as_deref(),
        }
    }
}
