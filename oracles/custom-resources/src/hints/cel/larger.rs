//! Adds an entry to a map that already has all the entries a rule asks for.

use super::super::example::example;
use super::values::Made;
use crate::structural::{Additional, Structural};
use crate::validate::accepts;
use serde_json::Value;

/// Names to try for the new entry; the first unused one is taken.
const NAMES: [&str; 3] = ["b", "c", "d"];

/// How deep to look for maps.
const DEPTH: usize = 6;

/// Adds an entry to the first map that the rule depends on. Returns `None` if there is no such map, or the schema allows no more entries.
pub(super) fn with_one_more(node: &Structural, made: &Made, holds: &dyn Fn(&Value) -> bool) -> Option<Made> {
    let (full, shown) = (made.full.as_ref()?, made.shown.as_ref()?);
    let mut maps = Vec::new();
    gather(node, shown, String::new(), 0, &mut maps);
    let is_needed = |place: &str| {
        let names = full.pointer(place).and_then(Value::as_object).map(|map| map.keys().cloned().collect::<Vec<_>>());
        names.unwrap_or_default().iter().any(|name| {
            let mut without = full.clone();
            let map = without.pointer_mut(place).and_then(Value::as_object_mut);
            map.is_some_and(|map| map.remove(name).is_some()) && !holds(&without)
        })
    };
    let (place, of_entries) = maps.into_iter().find(|(place, _)| is_needed(place))?;
    let free = NAMES.into_iter().find(|name| full.pointer(&place).is_some_and(|map| map.get(name).is_none()))?;
    let entry = example(of_entries, 0);
    let added = |value: &Value| {
        let mut value = value.clone();
        value.pointer_mut(&place)?.as_object_mut()?.insert(free.to_owned(), entry.clone());
        Some(value)
    };
    let full = added(full).filter(|full| accepts(node, full))?;
    Some(Made { full: Some(full), shown: Some(added(shown)?) })
}

/// Collects the non-empty maps in a value, each with the schema of its entries.
fn gather<'n>(
    node: &'n Structural,
    value: &Value,
    place: String,
    depth: usize,
    maps: &mut Vec<(String, &'n Structural)>,
) {
    let Some(members) = value.as_object().filter(|members| !members.is_empty() && depth <= DEPTH) else { return };
    if let (true, Some(Additional::Schema(of_entries))) = (node.properties.is_empty(), &node.additional) {
        maps.push((place, of_entries));
        return;
    }
    for (name, member) in members {
        if let Some(of_member) = node.properties.get(name) {
            let name = name.replace('~', "~0").replace('/', "~1");
            gather(of_member, member, format!("{place}/{name}"), depth + 1, maps);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::values::Made;
    use super::with_one_more;
    use crate::crd::structural_of;
    use serde_json::{Value, json};

    #[test]
    fn a_map_gets_one_more_entry_only_where_the_rule_needs_the_others() {
        let schema = |most: u32| {
            json!({"type": "object", "properties": {
                "free": {"type": "object", "additionalProperties": {"type": "string"}},
                "set": {"type": "object", "maxProperties": most, "additionalProperties": {"type": "string"}}}})
        };
        let value = json!({"free": {"x": "1"}, "set": {"on": "1", "off": "1"}});
        let made = Made { full: Some(value.clone()), shown: Some(value) };
        let holds = |value: &Value| value.pointer("/set/on").is_some() && value.pointer("/set/off").is_some();
        let (node, _) = structural_of(&schema(3), "");
        let larger = with_one_more(&node, &made, &holds).unwrap();
        assert_eq!(larger.full, larger.shown);
        let full = larger.full.unwrap();
        let keys: Vec<&str> = full["set"].as_object().unwrap().keys().map(String::as_str).collect();
        assert_eq!(keys, ["b", "off", "on"]);
        assert_eq!(full["free"], json!({"x": "1"}));
        let (full_node, _) = structural_of(&schema(2), "");
        assert!(with_one_more(&full_node, &made, &holds).is_none(), "a third entry is not allowed");
        assert!(with_one_more(&node, &made, &|_| true).is_none(), "the rule needs no entry");
    }
}
