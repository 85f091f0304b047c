//! `allOf`, `anyOf`, `oneOf` and `not`. Inside of them nothing counts as unchanged, which recorded verdicts show.

use super::checker::Checker;
use super::name::Name;
use super::outcome::Outcome;
use crate::structural::Structural;
use crate::text::quoted;
use serde_json::Value;

impl Checker<'_> {
    pub(super) fn junctors(&self, node: &Structural, value: &Value, name: &Name<'_>) -> Outcome {
        let checks = &node.checks;
        let mut outcome = Outcome { matches: 1, ..Outcome::default() };
        if checks.any_of.is_empty() && checks.one_of.is_empty() && checks.all_of.is_empty() && checks.not.is_none() {
            return outcome;
        }
        let inner = |keyword: &str, schema: &Structural| self.inside(keyword, name).value(schema, value, name, None);
        let refusal = |keyword: &str, text: String| {
            self.vague(keyword, name, format!("{} must {text}", quoted(&name.to_string())))
        };
        if !checks.any_of.is_empty() {
            let mut best = None;
            let accepted =
                checks.any_of.iter().map(|schema| inner("anyOf", schema)).find_map(|found| better(&mut best, found));
            if accepted.is_none() {
                outcome.errors.push(refusal("anyOf", "validate at least one schema (anyOf)".to_owned()));
            }
            accepted.or(best).into_iter().for_each(|found| outcome.merge(found));
        }
        if !checks.one_of.is_empty() {
            let mut best = None;
            let mut accepted: Vec<Outcome> = checks
                .one_of
                .iter()
                .map(|schema| inner("oneOf", schema))
                .filter_map(|found| better(&mut best, found))
                .collect();
            let rest = match accepted.len() {
                0 => "Found none valid".to_owned(),
                several => format!("Found {several} valid alternatives"),
            };
            if accepted.len() != 1 {
                outcome.errors.push(refusal("oneOf", format!("validate one and only one schema (oneOf). {rest}")));
            }
            let chosen = match accepted.len() {
                0 => best,
                1 => accepted.pop(),
                _ => None,
            };
            chosen.into_iter().for_each(|found| outcome.merge(found));
        }
        if !checks.all_of.is_empty() {
            let mut accepted = 0;
            for found in checks.all_of.iter().map(|schema| inner("allOf", schema)) {
                accepted += usize::from(found.is_valid());
                outcome.merge(found);
            }
            if accepted != checks.all_of.len() {
                let none = if accepted == 0 { ". None validated" } else { "" };
                outcome.errors.push(refusal("allOf", format!("validate all the schemas (allOf){none}")));
            }
        }
        if let Some(schema) = &checks.not
            && inner("not", schema).is_valid()
        {
            outcome.errors.push(refusal("not", "not validate the schema (not)".to_owned()));
        }
        outcome
    }
}

/// An outcome that is valid; another one is kept if it fits better than those before.
fn better(best: &mut Option<Outcome>, found: Outcome) -> Option<Outcome> {
    if found.is_valid() {
        return Some(found);
    }
    if best.as_ref().is_none_or(|best| found.matches > best.matches) {
        *best = Some(found);
    }
    None
}
