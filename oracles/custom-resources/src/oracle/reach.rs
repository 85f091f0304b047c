//! Which rules of a schema look at a value of an object.

use crate::validate::is_cel;
use serde_json::Value;
use std::collections::HashMap;
use takeover_harness::reach::{Reached, RuleId};
use takeover_harness::rule::Rule;

/// The rules of one place and of those below. CEL rules are not among them: evaluation tells which were evaluated.
#[derive(Debug, Default)]
pub(super) struct ReachTree {
    /// Those that judge a value that is there.
    rules: Vec<RuleId>,
    /// Those that judge whether a member is there, and so every object.
    required: Vec<RuleId>,
    members: HashMap<String, ReachTree>,
    /// Elements, and members without names.
    each: Option<Box<ReachTree>>,
}

impl ReachTree {
    pub(super) fn of(rules: &[Rule]) -> Self {
        let mut root = Self::default();
        for rule in rules.iter().filter(|rule| !is_cel(&rule.tag)) {
            match (rule.tag.as_str(), parent(&rule.path)) {
                ("required", Some(above)) => root.at(above).required.push(rule.id),
                _ => root.at(&rule.path).rules.push(rule.id),
            }
        }
        root
    }

    /// The tree at a place, which is made if it is not there.
    fn at(&mut self, path: &str) -> &mut Self {
        let mut tree = self;
        for part in path.split('.').filter(|part| !part.is_empty()) {
            let name = part.trim_end_matches("[*]");
            if !name.is_empty() {
                tree = tree.members.entry(name.to_owned()).or_default();
            }
            for _ in 0..part.get(name.len()..).unwrap_or_default().len() / "[*]".len() {
                tree = tree.each.get_or_insert_default();
            }
        }
        tree
    }

    /// Adds the rules that look at a value of `object`; `only` is the one member that is judged, if it is not the whole.
    pub(super) fn reach(&self, object: &Value, only: Option<&str>, reached: &mut Reached) {
        match only {
            None => self.below(object, reached),
            Some(name) => {
                if let (Some(tree), Some(value)) = (self.members.get(name), object.get(name)) {
                    tree.below(value, reached);
                }
            }
        }
    }

    fn below(&self, value: &Value, reached: &mut Reached) {
        if value.is_null() {
            return;
        }
        self.rules.iter().for_each(|rule| reached.insert(*rule));
        match value {
            Value::Object(members) => {
                self.required.iter().for_each(|rule| reached.insert(*rule));
                if self.members.is_empty() && self.each.is_none() {
                    return;
                }
                for (name, value) in members {
                    if let Some(tree) = self.members.get(name).or(self.each.as_deref()) {
                        tree.below(value, reached);
                    }
                }
            }
            Value::Array(items) => {
                if let Some(each) = &self.each {
                    items.iter().for_each(|item| each.below(item, reached));
                }
            }
            _ => {}
        }
    }
}

/// The place around a member: of `spec.list[*].name` it is `spec.list[*]`; none of an element.
fn parent(path: &str) -> Option<&str> {
    match path.rsplit_once('.') {
        _ if path.ends_with(']') => None,
        Some((above, _)) => Some(above),
        None => Some(""),
    }
}

#[cfg(test)]
mod tests {
    use super::ReachTree;
    use serde_json::json;
    use takeover_harness::reach::{Reached, RuleId};
    use takeover_harness::rule::Rule;

    #[test]
    fn rules_are_reached_where_their_value_is_there_or_could_be() {
        let rules =
            ["spec.size minimum=0", "spec.size required", "spec.list[*].name maxLength=3", "status.n maximum=1"];
        let rules: Vec<Rule> = rules
            .into_iter()
            .zip(0..)
            .map(|(rule, id)| {
                let (path, chain) = rule.split_once(' ').unwrap();
                Rule::new(RuleId(id), path, chain)
            })
            .collect();
        let tree = ReachTree::of(&rules);
        for (object, only, expected) in [
            (json!({}), None, vec![]),
            (json!({"spec": {}}), None, vec![1]),
            (json!({"spec": {"size": 1, "list": [{"name": "x"}]}, "status": {"n": 1}}), None, vec![0, 1, 2, 3]),
            (json!({"spec": {"size": null, "list": [{}]}}), None, vec![1]),
            (json!({"spec": {"size": 1}, "status": {"n": 1}}), Some("status"), vec![3]),
        ] {
            let mut reached = Reached::default();
            tree.reach(&object, only, &mut reached);
            assert_eq!(reached.iter().map(|rule| rule.0).collect::<Vec<_>>(), expected, "{object}");
        }
    }
}
