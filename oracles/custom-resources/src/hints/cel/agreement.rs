//! Rules that say the same of every value.

use super::settled::{is_plain, representatives};
use crate::rules::{NodeLanguage, Old, Outcome};
use crate::structural::{CelRule, SchemaType, Structural};
use crate::validate::admits;
use std::sync::Arc;
use takeover_cel::cost::limits;
use takeover_cel::mistakes::{operands, reads_old};
use takeover_cel::syntax::parse;

/// Schemas below the members that two rules speak of.
const MOST_SCHEMAS: usize = 10_000;
/// Parts of two rules that become members.
const MOST_OPAQUE: usize = 4;

/// Whether two rules certainly say the same of all values that the schema of a node leaves to them, as far as a comparison tells errors
/// apart.
pub(crate) fn agree(language: &NodeLanguage, node: &Structural, rules: [&CelRule; 2], whole: bool) -> bool {
    of_values(language, node, rules, whole) || with_opaque_parts(node, rules, whole)
}

fn of_values(language: &NodeLanguage, node: &Structural, [one, other]: [&CelRule; 2], whole: bool) -> bool {
    let Ok(both) = parse(&format!("({}) && ({})", one.rule, other.rule)) else { return false };
    let Some(values) = representatives(node, &both, whole, admits) else { return false };
    let (Ok(first), Ok(second)) = (language.compile(one), language.compile(other)) else { return false };
    if first.uses_old() || second.uses_old() {
        return false;
    }
    // A rule that ends in an error is reported as an invalid value of the node, as one that does not hold, unless it says otherwise.
    let alike = one.field_path.is_none() && one.reason.as_deref().is_none_or(|reason| reason == "FieldValueInvalid");
    values.iter().all(|value| {
        let [first, second] =
            [&first, &second].map(|program| match program.run(value, Old::Unbound, limits::PER_CALL).outcome {
                Outcome::Holds => 0,
                Outcome::Fails => 1,
                Outcome::Error(_) if alike => 1,
                Outcome::Error(_) => 2,
                Outcome::NoOverload(_) | Outcome::TooExpensive => 3,
            });
        first == second
    })
}

/// As [`of_values`], for rules with parts that cannot be judged here. Each such part becomes a member that is true, false or absent, which
/// is an error: rules that agree whatever the members are agree.
fn with_opaque_parts(node: &Structural, rules: [&CelRule; 2], whole: bool) -> bool {
    if node.ty != Some(SchemaType::Object) {
        return false;
    }
    let mut opaque: Vec<String> = Vec::new();
    let texts = rules.map(|rule| replaced(&rule.rule, &mut opaque));
    let [Some(one), Some(other)] = texts else { return false };
    if opaque.is_empty() || opaque.len() > MOST_OPAQUE {
        return false;
    }
    let mut node = node.clone();
    let spoken = |name: &str| [&one, &other].iter().any(|text| text.contains(name));
    node.properties.retain(|name, _| spoken(name));
    node.checks.required.retain(|name| spoken(name));
    let truth = Arc::new(Structural { ty: Some(SchemaType::Boolean), ..Structural::default() });
    node.properties.extend((0..opaque.len()).map(|at| (name(at), Arc::clone(&truth))));
    let Some(language) = NodeLanguage::of(&node, whole, MOST_SCHEMAS) else { return false };
    let [one, other] = [(rules[0], one), (rules[1], other)].map(|(rule, text)| CelRule { rule: text, ..rule.clone() });
    of_values(&language, &node, [&one, &other], whole)
}

/// The member in the place of part number `at`.
fn name(at: usize) -> String {
    format!("takeoverOpaque{at}")
}

/// The rule with a member in the place of each part that cannot be judged here; `None` if such a part reads old values.
fn replaced(rule: &str, opaque: &mut Vec<String>) -> Option<String> {
    let mut text = rule.to_owned();
    for at in operands(rule).into_iter().rev() {
        let part = rule.get(at.clone())?;
        if parse(part).is_ok_and(|ast| is_plain(&ast)) {
            continue;
        }
        if reads_old(part) {
            return None;
        }
        let known = opaque.iter().position(|known| known == part);
        let number = known.unwrap_or_else(|| {
            opaque.push(part.to_owned());
            opaque.len() - 1
        });
        text.replace_range(at, &format!("self.{}", name(number)));
    }
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::agree;
    use crate::crd::structural_of;
    use crate::rules::NodeLanguage;
    use crate::structural::CelRule;
    use serde_json::json;

    #[test]
    fn rules_agree_only_where_no_value_tells_them_apart() {
        let schema = json!({"type": "object", "required": ["mode"], "properties": {
            "mode": {"type": "string", "enum": ["A", "B"]}, "n": {"type": "integer", "minimum": 1},
            "set": {"type": "string", "default": "all"}, "net": {"type": "string", "format": "cidr"}}});
        let (node, _) = structural_of(&schema, "");
        let language = NodeLanguage::of(&node, false, 100).unwrap();
        let rule = |text: &str| CelRule { rule: text.to_owned(), ..CelRule::default() };
        for (one, other, expected) in [
            ("size(self.mode) > 0", "size(self.mode) >= 0", true),
            ("self.mode == 'A'", "self.mode != 'B'", true),
            ("self.mode == 'A'", "self.mode == 'B'", false),
            // What a minimum rejects is left to the rules.
            ("!has(self.n) || self.n > 0", "!has(self.n) || self.n > -1", false),
            // An absent member is an error, and that is reported as what does not hold.
            ("has(self.n) && self.n > 4", "self.n > 4", true),
            ("!has(self.n) || self.n > 4", "self.n > 4", false),
            ("!has(self.set) || self.set.contains('x')", "self.set.contains('x')", true),
            ("!has(self.net) || size(self.net) > 0", "!has(self.net) || size(self.net) > 1", true),
            ("self.set.contains('x') || size(self.mode) == 0", "self.set.contains('x')", true),
            ("self.set.contains('x') || self.mode == 'A'", "self.set.contains('x')", false),
            ("self.set.contains('x')", "self.set.contains('y')", false),
        ] {
            assert_eq!(agree(&language, &node, [&rule(one), &rule(other)], false), expected, "{one} and {other}");
        }
        let elsewhere = CelRule { reason: Some("FieldValueForbidden".to_owned()), ..rule("has(self.n) && self.n > 4") };
        assert!(!agree(&language, &node, [&elsewhere, &rule("self.n > 4")], false));
    }
}
