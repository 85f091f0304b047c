//! The fields of a type by their paths, and which of them is meant.

use serde_json::Value;
use std::collections::BTreeMap;
use takeover_harness::path::pattern;
use takeover_harness::schema::{Kind, Presence, Schema, TypeId};
use takeover_harness::text::nearest;

/// How deep types are followed: some contain themselves.
const DEEPEST: usize = 12;

/// Most fields that are known.
const MOST_FIELDS: usize = 20_000;

/// Path patterns, with what is known of them.
pub struct Paths(BTreeMap<String, Known>);

/// What is known of a field.
#[derive(Default)]
struct Known {
    /// Its type, as people read it; empty if that is unknown.
    ty: String,
    /// What its type declares for where it is unset.
    default: Option<Value>,
    /// What its type declares for each item of a list or value of a map that is null.
    item_default: Option<Value>,
}

/// The defaults that the types declare for a field.
#[derive(Clone, Copy, Default)]
struct Declared<'s> {
    /// That of the field.
    default: Option<&'s Value>,
    /// Those of its items or values, then of what is inside them.
    of_items: &'s [Option<Value>],
}

impl Paths {
    /// The fields of a type.
    pub fn of(schema: &Schema, root: TypeId) -> Self {
        let mut paths = Self(BTreeMap::new());
        paths.add(schema, root, "", Declared::default(), 0);
        paths
    }

    /// Fields of unknown types.
    pub fn named(fields: impl Iterator<Item = String>) -> Self {
        Self(fields.map(|field| (field, Known::default())).collect())
    }

    /// The type of a field.
    pub fn type_of(&self, field: &str) -> Option<String> {
        self.0.get(field).map(|of| of.ty.clone()).filter(|of| !of.is_empty())
    }

    /// The default of a field, where the types declare one.
    pub fn default_of(&self, field: &str) -> Option<Value> {
        self.0.get(field)?.default.clone()
    }

    /// The default of the items of a list or values of a map, where the types declare one.
    pub fn item_default_of(&self, field: &str) -> Option<Value> {
        self.0.get(field)?.item_default.clone()
    }

    /// The field that the first words name, by its path, with any index, or by the end of it if that is clear, and the other words.
    pub fn find(&self, asked: &str) -> Option<(String, Vec<String>)> {
        let mut words = asked.split_whitespace().map(str::to_owned);
        let first = pattern(&words.next()?);
        let field = if self.0.contains_key(&first) { first } else { self.ending_with(&first)? };
        Some((field, words.collect()))
    }

    /// The field whose path or last name is like the first word.
    pub fn nearest(&self, asked: &str) -> Option<String> {
        let first = asked.split_whitespace().next()?;
        let whole = nearest(first, self.0.keys().map(String::as_str));
        let by_name = || {
            let last = |path: &String| path.rsplit('.').next().unwrap_or(path).to_owned();
            let names: Vec<String> = self.0.keys().map(last).collect();
            let name = nearest(first, names.iter().map(String::as_str))?;
            self.0.keys().find(|path| last(path) == name).map(String::as_str)
        };
        whole.or_else(by_name).map(str::to_owned)
    }

    fn ending_with(&self, name: &str) -> Option<String> {
        let end = format!(".{name}");
        let mut fitting = self.0.keys().filter(|path| path.ends_with(&end));
        fitting.next().filter(|_| fitting.next().is_none()).cloned()
    }

    fn add(&mut self, schema: &Schema, ty: TypeId, path: &str, declared: Declared<'_>, depth: usize) {
        if depth > DEEPEST || self.0.len() >= MOST_FIELDS {
            return;
        }
        let (item_default, inside) =
            declared.of_items.split_first().map_or((None, &[][..]), |(of, inside)| (of.as_ref(), inside));
        let known = || Known {
            ty: said(schema, ty, 0),
            default: declared.default.cloned(),
            item_default: item_default.cloned(),
        };
        self.0.entry(path.to_owned()).or_insert_with(known);
        match schema.pointed(ty) {
            (owner, Kind::Struct(members)) => {
                for field in &members.fields {
                    let of_items = schema.item_defaults(owner, &field.json_name);
                    let declared = Declared { default: field.default.as_ref(), of_items };
                    match (field.presence, path) {
                        (Presence::Named, "") => self.add(schema, field.ty, &field.json_name, declared, depth + 1),
                        (Presence::Named, path) => {
                            let path = format!("{path}.{}", field.json_name);
                            self.add(schema, field.ty, &path, declared, depth + 1);
                        }
                        (Presence::Inlined, path) => self.add(schema, field.ty, path, Declared::default(), depth + 1),
                        (Presence::Hidden, _) => {}
                    }
                }
            }
            (_, Kind::List(item) | Kind::Map { value: item, .. }) => {
                let declared = Declared { default: item_default, of_items: inside };
                self.add(schema, *item, &format!("{path}[*]"), declared, depth + 1);
            }
            _ => {}
        }
    }
}

/// A type as people read it.
fn said(schema: &Schema, ty: TypeId, depth: usize) -> String {
    let of = |ty: TypeId| if depth < 3 { said(schema, ty, depth + 1) } else { "…".to_owned() };
    let (native, _) = schema.pointed(ty);
    match schema.kind(native) {
        Kind::Bool => "true or false".to_owned(),
        Kind::Int { signed, .. } => {
            let sign = if *signed { "" } else { ", not negative" };
            format!("integer of {} bits{sign}", schema.meant_bits(native))
        }
        Kind::Float { .. } => "number".to_owned(),
        Kind::Text => "text".to_owned(),
        Kind::Bytes => "bytes, as base64".to_owned(),
        Kind::List(item) => format!("list of {}", of(*item)),
        Kind::Map { value, .. } => format!("map of {}", of(*value)),
        Kind::Struct(members) => format!("object with {} fields", members.fields.len()),
        Kind::WellKnown(known) => format!("{known:?}"),
        _ => "anything".to_owned(),
    }
}

/// Whether an object sets the field of a pattern: `spec.list[*].name`.
pub fn is_set(object: &Value, path: &str) -> bool {
    standing(object, path).iter().any(|value| !value.is_null())
}

/// The values at a pattern.
pub fn standing<'v>(object: &'v Value, path: &str) -> Vec<&'v Value> {
    let mut values = vec![object];
    for step in path.split('.').filter(|step| !step.is_empty()) {
        let (name, items) = step.split_once("[*]").map_or((step, 0), |(name, more)| (name, 1 + more.len() / 3));
        if !name.is_empty() {
            values = values.into_iter().filter_map(|value| value.get(name)).collect();
        }
        for _ in 0..items {
            values = values.into_iter().flat_map(inside).collect();
        }
    }
    values
}

/// The items of a list, or the values of a map.
fn inside(value: &Value) -> Vec<&Value> {
    match value {
        Value::Array(of) => of.iter().collect(),
        Value::Object(of) => of.values().collect(),
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::{Paths, is_set};
    use serde_json::{Value, json};
    use takeover_harness::schema::{Field, Kind, Presence, Schema, Struct};

    #[test]
    fn a_field_is_meant_by_its_path_or_by_a_clear_end_of_it() {
        let paths = Paths::named(["spec.size", "spec.part.size", "spec.owner"].map(str::to_owned).into_iter());
        let found = |asked: &str| paths.find(asked).map(|(field, _)| field);
        assert_eq!(found("spec.size minimum").as_deref(), Some("spec.size"));
        assert_eq!(found("owner").as_deref(), Some("spec.owner"));
        assert_eq!(found("size"), None, "two fields end so");
        let listed = Paths::named(["spec.list[*].name".to_owned()].into_iter());
        for asked in ["spec.list[*].name", "spec.list[0].name rule", "list[12].name"] {
            assert_eq!(listed.find(asked).unwrap().0, "spec.list[*].name", "{asked}");
        }
        for (asked, near) in [("spec.siez", Some("spec.size")), ("ownr rule", Some("spec.owner")), ("nothing", None)] {
            assert_eq!(paths.nearest(asked).as_deref(), near, "{asked}");
        }
        assert_eq!(paths.find("owner must not").unwrap().1, ["must", "not"]);
    }

    #[test]
    fn defaults_of_items_stand_at_their_list_and_at_the_items() {
        let mut types = Schema::new();
        let text = types.add("string", Kind::Text);
        let list = types.add("[]string", Kind::List(text));
        let map = types.add("map[string][]string", Kind::Map { key: text, value: list });
        let field = Field {
            go_name: "Of".into(),
            json_name: "of".into(),
            ty: map,
            presence: Presence::Named,
            omit_empty: true,
            default: Some(json!({})),
        };
        let root = types.add("Root", Kind::Struct(Struct::new(vec![field])));
        types.set_item_defaults(root, "of", vec![Some(json!([])), Some(json!("a"))]);
        types.link();
        let paths = Paths::of(&types, root);
        for (path, own, of_items) in [
            ("of", Some(json!({})), Some(json!([]))),
            ("of[*]", Some(json!([])), Some(json!("a"))),
            ("of[*][*]", Some(json!("a")), None::<Value>),
        ] {
            assert_eq!((paths.default_of(path), paths.item_default_of(path)), (own, of_items), "{path}");
        }
    }

    #[test]
    fn patterns_are_followed_through_lists_and_maps() {
        let object = json!({"spec": {"list": [{}, {"name": "a"}], "map": {"k": [1]}, "none": null}});
        for (path, expected) in [
            ("", true),
            ("spec.list", true),
            ("spec.list[*].name", true),
            ("spec.list[*].other", false),
            ("spec.map[*][*]", true),
            ("spec.map[*][*][*]", false),
            ("spec.none", false),
        ] {
            assert_eq!(is_set(&object, path), expected, "{path}");
        }
    }
}
