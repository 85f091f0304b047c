//! What to bound where CEL rules may cost too much.

use crate::hints::{lacks, unbounded};
use crate::structural::{Additional, Structural};
use serde_json::Value;
use std::collections::HashMap;
use takeover_cel::cost::limits::{PER_EXPRESSION_ESTIMATE, PER_SCHEMA_ESTIMATE};
use takeover_cel::rules::compile_schema;
use takeover_harness::text::grouped;

/// How servers say that a rule may cost too much.
const ESTIMATED: &str = "estimated rule cost";
/// Places that are named.
const MOST: usize = 6;

/// Estimated costs that are above a limit, by their places below a schema.
pub(super) fn estimates(schema: &Value) -> HashMap<String, u64> {
    let refusals = compile_schema(schema, true, "").map(|rules| rules.refusals).unwrap_or_default();
    refusals.into_iter().filter_map(|refusal| Some((refusal.field, refusal.cost?))).collect()
}

/// Whether an error of a server is about an estimated cost.
pub(super) fn is_estimate(message: &str) -> bool {
    message.contains(ESTIMATED)
}

/// What to do about an error of a server about an estimated cost at `field` below the schema.
pub(super) fn help(schema: &Structural, field: &str, estimate: u64) -> String {
    let (limit, of) =
        if field.is_empty() { (PER_SCHEMA_ESTIMATE, " of all rules") } else { (PER_EXPRESSION_ESTIMATE, "") };
    let limit = if estimate > limit { limit } else { PER_SCHEMA_ESTIMATE };
    let advice = advice(schema, field).unwrap_or_else(|| "write cheaper rules".to_owned());
    let estimate = if estimate == u64::MAX { "without bound".to_owned() } else { grouped(estimate) };
    format!("the estimated cost{of} is {estimate}, the limit is {}: {advice}", grouped(limit))
}

/// What to bound; none if there is nothing, or the field is no rule.
fn advice(schema: &Structural, field: &str) -> Option<String> {
    let mut places: Vec<(String, &'static str)> = Vec::new();
    let (mut node, mut rest, mut shown) = (schema, field, String::new());
    loop {
        let (next, after) = step(node, rest, &mut shown)?;
        let Some(next) = next else { break };
        let multiplies = node.properties.is_empty();
        if let (true, Some(keyword)) = (multiplies, lacks(node)) {
            let above = shown.rsplit_once('[').map_or("", |(above, _)| above);
            places.push((above.trim_start_matches('.').to_owned(), keyword));
        }
        (node, rest) = (next, after);
    }
    let index: Option<usize> = rest.strip_prefix(".x-kubernetes-validations[")?.split(']').next()?.parse().ok();
    let rule = node.rules.get(index?)?;
    let of_rule = unbounded(node, &rule.rule).into_iter().map(|(place, keyword)| {
        let below = place.strip_prefix("self").unwrap_or(&place);
        (format!("{shown}{below}").trim_start_matches('.').to_owned(), keyword)
    });
    places.extend(of_rule);
    places.dedup();
    let more = places.len().saturating_sub(MOST);
    let named: Vec<String> =
        places.iter().take(MOST).map(|(place, keyword)| format!("{keyword} of `{place}`")).collect();
    let others = if more > 0 { format!(" and {more} more") } else { String::new() };
    (!named.is_empty()).then(|| format!("set {}{others}, or write the rule with fewer loops", named.join(", ")))
}

/// The schema that a field leads to next, with the rest of the field; no schema at its end. `shown` grows by the place in objects.
fn step<'n, 'f>(node: &'n Structural, field: &'f str, shown: &mut String) -> Option<(Option<&'n Structural>, &'f str)> {
    if let Some(after) = field.strip_prefix(".properties[") {
        let (name, schema) = node
            .properties
            .iter()
            .filter(|(name, _)| after.strip_prefix(name.as_str()).is_some_and(|rest| rest.starts_with(']')))
            .max_by_key(|(name, _)| name.len())?;
        shown.push('.');
        shown.push_str(name);
        return Some((Some(schema), after.get(name.len() + 1..)?));
    }
    if let Some(after) = field.strip_prefix(".items") {
        shown.push_str("[*]");
        return Some((Some(node.items.as_deref()?), after));
    }
    if let (Some(after), Some(Additional::Schema(schema))) =
        (field.strip_prefix(".additionalProperties"), &node.additional)
    {
        shown.push_str("[*]");
        return Some((Some(schema), after));
    }
    Some((None, field))
}
