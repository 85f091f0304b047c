//! What is said of handwritten defaults, that they leave no place of a pattern unset, is so.

use serde_json::{Map, Value, json};
use takeover_harness::case::Payload;
use takeover_harness::catalogue::Catalogue as _;
use takeover_harness::object::{Arena, to_value};
use takeover_oracles::registry::Registry;

/// The smallest object with all that is around a place; items of lists are empty.
fn around(path: &[&str]) -> Value {
    let [name, rest @ ..] = path else { return Value::Null };
    let (name, list) = name.strip_suffix("[*]").map_or((*name, false), |name| (name, true));
    if rest.is_empty() {
        return json!({});
    }
    let inner = around(rest);
    Value::Object(Map::from_iter([(name.to_owned(), if list { json!([inner]) } else { inner })]))
}

#[test]
fn defaults_fill_what_they_are_said_to_fill() {
    let registry = Registry::of_builtin().unwrap();
    let mut checked = 0;
    for (id, filled) in registry.filled() {
        for path in filled {
            let pair = registry.pair(&id.clone().into()).unwrap();
            assert!(pair.rules.iter().any(|rule| rule.path == *path), "{id} has no rule at {path}");
            let mut object = around(&path.split('.').collect::<Vec<_>>());
            object["apiVersion"] = json!(id.api_version);
            object["kind"] = json!(id.kind);
            let arena = Arena::new();
            let payload = Payload::from(object);
            let defaulted = pair.decode(&payload, &arena).unwrap();
            let defaulted = to_value(&pair.form.schema, pair.form.root, &defaulted);
            let place = format!("/{}", path.replace("[*]", "/0").replace('.', "/"));
            let value = defaulted.pointer(&place).and_then(Value::as_str);
            assert!(value.is_some_and(|text| !text.is_empty()), "{id} {path}: {defaulted}");
            checked += 1;
        }
    }
    assert!(checked >= 10, "{checked}");
}
