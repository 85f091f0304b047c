//! Values in a rule that have no bound: a server assumes that they are as large as they can be.

use super::reading::read;
use super::wanted::Wanted;
use crate::structural::{Additional, SchemaType, Structural};
use takeover_cel::syntax::parse;

/// Schemas inside schemas.
const DEPTH: usize = 32;
/// Formats whose texts have a greatest length.
const SHORT: [&str; 3] = ["date", "date-time", "duration"];

/// The values of a node that a rule speaks of and that may be of any size, as the rule would write them, with the keyword that bounds each.
pub(crate) fn unbounded(node: &Structural, rule: &str) -> Vec<(String, &'static str)> {
    let Ok(ast) = parse(rule) else { return Vec::new() };
    let mut found = Vec::new();
    walk(node, &read(&ast).wanted, "self", 0, &mut found);
    found
}

fn walk(node: &Structural, wanted: &Wanted, at: &str, depth: usize, found: &mut Vec<(String, &'static str)>) {
    if depth > DEPTH {
        return;
    }
    if let Some(keyword) = lacks(node) {
        found.push((at.to_owned(), keyword));
    }
    for (name, below) in &wanted.members {
        match node.member(name) {
            Some(schema) => walk(schema, below, &format!("{at}.{name}"), depth + 1, found),
            None => others(node, below, at, depth, found),
        }
    }
    if let Some(each) = &wanted.each {
        match &node.items {
            Some(items) => walk(items, each, &format!("{at}[*]"), depth + 1, found),
            None => others(node, each, at, depth, found),
        }
    }
}

fn others(node: &Structural, wanted: &Wanted, at: &str, depth: usize, found: &mut Vec<(String, &'static str)>) {
    if let Some(Additional::Schema(schema)) = &node.additional {
        walk(schema, wanted, &format!("{at}[*]"), depth + 1, found);
    }
}

/// The keyword without which values of a node may be of any size; `None` if there is a bound, or none is needed.
pub(crate) fn lacks(node: &Structural) -> Option<&'static str> {
    let checks = &node.checks;
    match node.ty {
        Some(SchemaType::Array) if checks.max_items.is_none() => Some("maxItems"),
        Some(SchemaType::Object) if node.properties.is_empty() && checks.max_properties.is_none() => {
            Some("maxProperties")
        }
        Some(SchemaType::String) => {
            let is_short = checks.format.as_deref().is_some_and(|format| SHORT.contains(&format));
            (checks.max_length.is_none() && checks.enumeration.is_empty() && !is_short).then_some("maxLength")
        }
        _ => None,
    }
}
