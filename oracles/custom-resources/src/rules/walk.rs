//! The rules of a schema held against an object.

use super::errors;
use super::language::{Bounds, Old, Outcome, Program};
use super::tree::RuleTree;
use crate::structural::CelRule;
use crate::validate::Link;
use serde_json::Value;
use takeover_harness::error::FieldError;
use takeover_harness::path::Path;

/// What came of the rules of an object.
#[derive(Clone, Debug, Default)]
pub struct OfRules {
    /// Errors.
    pub errors: Vec<Found>,
    /// Rules that do not hold on values that did not change, of which the user is only warned.
    pub ratcheted: Vec<Found>,
    /// What they cost; `None` if the budget ran out or a call was too expensive.
    pub cost: Option<u64>,
}

/// An error, and the number of the rule that it comes from; `None` for errors of the budget or of a node.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    /// The error.
    pub error: FieldError,
    /// Number of the rule, in the order of a walk over the schema.
    pub rule: Option<usize>,
    /// Whether the rule was evaluated and does not hold, so that the error is about the value.
    pub broken: bool,
}

impl RuleTree {
    /// Evaluates the rules on an object, which was validated without errors that stop them. `old` is the stored object of an update.
    #[must_use]
    pub fn judge(&self, object: &Value, old: Option<&Value>) -> OfRules {
        self.judge_at(object, old, &Path::ROOT, Bounds::default())
    }

    /// As [`Self::judge`], of a value that stands at `path`, within other bounds.
    #[must_use]
    pub fn judge_at(&self, value: &Value, old: Option<&Value>, path: &Path<'_>, bounds: Bounds) -> OfRules {
        self.judge_noting(value, old, path, bounds, &mut |_| {})
    }

    /// As [`Self::judge_at`]; `evaluated` is told the number of each rule that is evaluated, once for each value.
    pub fn judge_noting(
        &self,
        value: &Value,
        old: Option<&Value>,
        path: &Path<'_>,
        bounds: Bounds,
        evaluated: &mut dyn FnMut(usize),
    ) -> OfRules {
        let budget = bounds.per_object;
        let found = OfRules::default();
        let mut run = Run { per_call: bounds.per_call, left: budget, stopped: false, found, evaluated };
        let link = old.map(|old| Link::root(&self.node, value, old));
        run.node(self, value, Place { link, nearest: link, fixed: false }, path);
        run.found.cost = (!run.stopped).then_some(budget.saturating_sub(run.left));
        run.found
    }
}

/// What was at the place of a value before.
#[derive(Clone, Copy)]
struct Place<'v> {
    /// The value that it was; `None` if nothing tells.
    link: Option<Link<'v>>,
    /// That of the nearest value around of which it can be told.
    nearest: Option<Link<'v>>,
    /// Whether it is part of what no update may leave wrong: version and kind.
    fixed: bool,
}

impl<'v> Place<'v> {
    fn below(self, link: Option<Link<'v>>) -> Self {
        Self { link, nearest: link.or(self.nearest), ..self }
    }
}

struct Run<'r> {
    per_call: u64,
    left: u64,
    stopped: bool,
    found: OfRules,
    evaluated: &'r mut dyn FnMut(usize),
}

impl Run<'_> {
    fn node<'v>(&mut self, tree: &'v RuleTree, value: &'v Value, place: Place<'v>, path: &Path<'_>) {
        if self.stopped || value.is_null() {
            return;
        }
        self.own(tree, value, place, path);
        match value {
            Value::Object(members) => {
                for (key, member) in members {
                    let Some(below) = tree.member(key) else { continue };
                    let named = tree.node.properties.contains_key(key);
                    let path = if named { path.child(key) } else { path.key(key) };
                    let link = place.link.and_then(|link| link.member(key, member));
                    let fixed = place.fixed
                        || path.split_last().is_some_and(|(above, _)| above.is_root())
                            && matches!(key.as_str(), "apiVersion" | "kind");
                    self.node(below, member, Place { fixed, ..place.below(link) }, &path);
                }
            }
            Value::Array(items) => {
                let Some(below) = &tree.items else { return };
                let links = place.link.and_then(Link::elements);
                for (index, item) in items.iter().enumerate() {
                    let link = links.as_ref().and_then(|links| links.element(item));
                    self.node(below, item, place.below(link), &path.index(index));
                }
            }
            _ => {}
        }
    }

    /// The rules of the node itself.
    fn own<'v>(&mut self, tree: &RuleTree, value: &'v Value, place: Place<'v>, path: &Path<'_>) {
        let node = &*tree.node;
        if node.rules.is_empty() {
            return;
        }
        if self.left == 0 {
            return self.stop(errors::of_evaluation(node, path, errors::OUT_OF_BUDGET.to_owned()), None);
        }
        let rules = match &tree.rules {
            Ok(rules) => rules,
            Err(reason) => {
                let detail = format!("rule compiler initialization error: {reason}");
                return self.push(errors::of_evaluation(node, path, detail), None);
            }
        };
        // A null is no old value; one of another kind is.
        let old = place.link.map(Link::old).filter(|old| !old.is_null());
        for (index, (rule, program)) in node.rules.iter().zip(rules).enumerate() {
            let number = Some(tree.first + index);
            let program = match program {
                Ok(program) => program,
                Err(reason) => {
                    self.push(errors::of_evaluation(node, path, format!("rule compile error: {reason}")), number);
                    continue;
                }
            };
            let optional = rule.optional_old_self == Some(true);
            if program.uses_old() && old.is_none() && !optional {
                continue;
            }
            let seen = match (optional, old) {
                (true, old) => Old::Optional(old),
                (false, Some(old)) => Old::Value(old),
                (false, None) => Old::Unbound,
            };
            (self.evaluated)(tree.first + index);
            let ran = program.run(value, seen, self.per_call);
            if !self.charge(ran.cost) {
                return self.stop(errors::of_evaluation(node, path, errors::OUT_OF_BUDGET.to_owned()), number);
            }
            if let Some(error) = errors::of_outcome(node, rule, path, &ran.outcome) {
                if ran.outcome == Outcome::TooExpensive {
                    return self.stop(error, number);
                }
                self.push(error, number);
            }
            if ran.outcome == Outcome::Fails {
                let unchanged = !place.fixed && !program.uses_old() && place.nearest.is_some_and(Link::is_unchanged);
                // Messages see the old value only beside a rule that does.
                let message = self.message(rule, &**program, value, old.filter(|_| tree.uses_old));
                let (error, stops) = match message {
                    Ok(message) => {
                        (errors::of_failure(node, (rule, program.field_path()), value, path, message), false)
                    }
                    Err(detail) => (errors::of_message(node, program.field_path(), path, detail), true),
                };
                let found = Found { error, rule: number, broken: !stops };
                if unchanged {
                    self.found.ratcheted.push(found);
                } else {
                    self.found.errors.push(found);
                }
                if stops {
                    self.stopped = true;
                    return;
                }
            }
        }
    }

    /// The message of a rule that does not hold.
    ///
    /// # Errors
    /// Returns the detail of the error that ends evaluation when the message costs too much.
    fn message(
        &mut self,
        rule: &CelRule,
        program: &dyn Program,
        value: &Value,
        old: Option<&Value>,
    ) -> Result<String, String> {
        let Some(made) = program.message(value, old, self.per_call) else { return Ok(errors::message(rule)) };
        if !self.charge(made.cost) {
            return Err(errors::MESSAGE_OUT_OF_BUDGET.to_owned());
        }
        if made.too_expensive {
            let expression = crate::text::quoted(rule.message_expression.as_deref().unwrap_or_default());
            return Err(format!(
                "no further validation rules will be run due to call cost exceeds limit for messageExpression: {expression}"
            ));
        }
        Ok(made.text.as_deref().and_then(errors::made_message).unwrap_or_else(|| errors::message(rule)))
    }

    /// Takes a cost off the budget; returns false if it is used up.
    fn charge(&mut self, cost: u64) -> bool {
        match self.left.checked_sub(cost) {
            Some(left) => {
                self.left = left;
                true
            }
            None => false,
        }
    }

    fn push(&mut self, error: FieldError, rule: Option<usize>) {
        self.found.errors.push(Found { error, rule, broken: false });
    }

    fn stop(&mut self, error: FieldError, rule: Option<usize>) {
        self.push(error, rule);
        self.stopped = true;
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Cel, Compiled, Message, Old, Outcome, Program, Ran, RuleTree};
    use super::OfRules;
    use crate::crd::structural_of;
    use crate::structural::Structural;
    use serde_json::{Value, json};
    use std::sync::Arc;

    /// A language whose rules are `fail`, `hold`, `break`, `dear`, `same` (as before) and `none` (nothing before).
    struct Words;

    struct Word(String, Option<String>, Option<String>);

    impl Cel for Words {
        fn compile(&mut self, _: &str, node: &Structural, _: bool) -> Result<Vec<Compiled>, String> {
            let compiled = |rule: &crate::structural::CelRule| -> Compiled {
                match rule.rule.as_str() {
                    "wrong" => Err("compilation failed: wrong".to_owned()),
                    word => {
                        Ok(Arc::new(Word(word.to_owned(), rule.message_expression.clone(), rule.field_path.clone())))
                    }
                }
            };
            Ok(node.rules.iter().map(compiled).collect())
        }
    }

    impl Program for Word {
        fn uses_old(&self) -> bool {
            matches!(self.0.as_str(), "same" | "none")
        }

        fn field_path(&self) -> Option<&str> {
            self.2.as_deref()
        }

        fn run(&self, value: &Value, old: Old<'_>, _: u64) -> Ran {
            let of = |holds: bool| if holds { Outcome::Holds } else { Outcome::Fails };
            let outcome = match (self.0.as_str(), old) {
                ("fail", _) => Outcome::Fails,
                ("break", _) => Outcome::Error("no such key: x".to_owned()),
                ("same", Old::Value(old)) => of(value == old),
                ("none", Old::Optional(old)) => of(old.is_none()),
                _ => Outcome::Holds,
            };
            Ran { outcome, cost: if self.0 == "dear" { 9_999_999 } else { 2 } }
        }

        fn message(&self, _: &Value, _: Option<&Value>, _: u64) -> Option<Message> {
            self.1.clone().map(|text| Message { text: Some(text), too_expensive: false, cost: 1 })
        }
    }

    fn judged(spec: Value, new: Value, old: Option<Value>) -> OfRules {
        let schema = json!({"type": "object", "properties": {"spec": spec}});
        let (structural, unread) = structural_of(&schema, "");
        assert_eq!(unread, []);
        let tree = RuleTree::compile(&structural, &mut Words).unwrap();
        tree.judge(&json!({"spec": new}), old.map(|old| json!({"spec": old})).as_ref())
    }

    fn texts(found: &OfRules) -> Vec<String> {
        found.errors.iter().map(|found| format!("{:?} {}", found.rule, found.error)).collect()
    }

    fn rules(words: &[&str]) -> Value {
        words.iter().map(|word| json!({"rule": word})).collect()
    }

    #[test]
    fn errors_have_the_place_the_reason_and_the_message_of_their_rule() {
        let spec = json!({"type": "object", "properties": {"a": {"type": "string"}, "m": {"type": "object",
            "additionalProperties": {"type": "integer", "x-kubernetes-validations": rules(&["fail", "break", "wrong"])}}},
            "x-kubernetes-validations": [
                {"rule": "fail", "message": " no ", "reason": "FieldValueRequired", "fieldPath": "m[k]"},
                {"rule": "fail", "messageExpression": "made\n"}, {"rule": "hold"}]});
        let found = judged(spec, json!({"a": "x", "m": {"k": 7}}), None);
        assert_eq!(
            texts(&found),
            [
                "Some(0) spec.m[k]: Required value: no",
                "Some(1) spec: Invalid value: made",
                "Some(3) spec.m[k]: Invalid value: 7: failed rule: fail",
                "Some(4) spec.m[k]: Invalid value: \"integer\": no such key: x evaluating rule: break",
                "Some(5) spec.m[k]: Invalid value: \"integer\": rule compile error: compilation failed: wrong",
            ]
        );
        assert_eq!(found.cost, Some(11));
    }

    #[test]
    fn transitions_wait_for_an_old_value_unless_it_is_optional() {
        let spec = json!({"type": "integer", "x-kubernetes-validations": [
            {"rule": "same"}, {"rule": "none", "optionalOldSelf": true}]});
        let numbers = |new: i64, old: Option<Value>| {
            let found = judged(spec.clone(), json!(new), old);
            found.errors.iter().filter_map(|found| found.rule).collect::<Vec<_>>()
        };
        assert_eq!(numbers(1, None), [0; 0]);
        assert_eq!(numbers(1, Some(json!(2))), [0, 1]);
        assert_eq!(numbers(1, Some(json!(1))), [1]);
        assert_eq!(numbers(1, Some(json!(null))), [0; 0]);
    }

    #[test]
    fn rules_on_what_did_not_change_only_warn() {
        let item = json!({"type": "object", "properties": {"name": {"type": "string"}, "n": {"type": "integer",
            "x-kubernetes-validations": rules(&["fail", "break"])}}});
        let spec = |list_type: &str| {
            json!({"type": "object", "properties": {"l": {"type": "array", "x-kubernetes-list-type": list_type,
                "x-kubernetes-list-map-keys": if list_type == "map" { json!(["name"]) } else { json!([]) }, "items": item}}})
        };
        let list = |numbers: &[i64]| {
            let items: Value =
                numbers.iter().enumerate().map(|(at, n)| json!({"name": at.to_string(), "n": n})).collect();
            json!({"l": items})
        };
        let counts = |list_type: &str, new: &[i64], old: &[i64]| {
            let found = judged(spec(list_type), list(new), Some(list(old)));
            (found.errors.len(), found.ratcheted.len())
        };
        // Of each element the rule that breaks is an error all the same.
        assert_eq!(counts("map", &[1, 2], &[1, 3]), (3, 1));
        assert_eq!(counts("atomic", &[1, 2], &[1, 2]), (2, 2));
        assert_eq!(counts("atomic", &[1, 2], &[1, 3]), (4, 0));
    }

    #[test]
    fn the_budget_ends_evaluation() {
        let spec = json!({"type": "integer", "x-kubernetes-validations": rules(&["dear", "hold", "fail"])});
        let found = judged(spec, json!(1), None);
        assert_eq!(
            texts(&found),
            [
                "Some(1) spec: Invalid value: \"integer\": validation failed due to running out of cost budget, no further \
                 validation rules will be run"
            ]
        );
        assert_eq!(found.cost, None);
    }
}
