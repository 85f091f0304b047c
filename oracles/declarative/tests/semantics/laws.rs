//! Laws that hold for every object of a type with all kinds of rules.

use super::support::{Compiled, compile_source};
use proptest::prelude::*;
use serde_json::{Map, Value, json};
use std::sync::LazyLock;
use takeover_declarative::grammar;
use takeover_harness::error::FieldError;

const FIELDS: &[(&str, &str, &str)] = &[
    ("optional;maxLength=2;format=k8s-short-name", "text", "*string"),
    ("minimum=1;maximum=3", "number", "int32"),
    ("required", "need", "string"),
    ("immutable;optional", "fixed", "*int32"),
    ("update=NoUnset;update=NoSet", "set", "[]string"),
    ("maxItems=2;listType=set;eachVal=+k8s:maxLength=1", "names", "[]string"),
    ("listType=map;listMapKey=n;item(n: \"a\")=+k8s:immutable;eachVal=+k8s:subfield(d)=+k8s:minimum=1", "items", "[]E"),
    ("eachKey=+k8s:maxLength=1;eachVal=+k8s:minLength=1;maxProperties=2", "labels", "map[string]string"),
    ("unionMember", "one", "*int32"),
    ("unionMember", "two", "*int32"),
    ("modeDiscriminator", "mode", "string"),
    ("ifMode(\"a\")=+k8s:required", "moded", "*int32"),
    ("dependentRequired(\"number\")", "asks", "*int32"),
    ("ifEnabled(O)=+k8s:forbidden;optional", "gated", "string"),
    ("optional;subfield(n)=+k8s:required", "inner", "*E"),
];

/// The source with `wrap` before every tag that may be wrapped.
fn source(wrap: &str) -> String {
    let mut source = "package t\n\ntype S struct {\n".to_owned();
    for (tags, name, ty) in FIELDS {
        for tag in tags.split(';') {
            source.push_str(&format!("\t// +{wrap}k8s:{tag}\n"));
        }
        let (first, rest) = name.split_at(1);
        source.push_str(&format!("\t{}{rest} {ty} `json:\"{name},omitempty\"`\n", first.to_uppercase()));
    }
    source.push_str("}\n\ntype E struct {\n\tN string `json:\"n\"`\n\tD int32 `json:\"d\"`\n}\n");
    source
}

static PLAIN: LazyLock<Compiled> = LazyLock::new(|| Compiled::new(&source("")));
static ALPHA: LazyLock<Compiled> = LazyLock::new(|| Compiled::new(&source("k8s:alpha=+")));

fn text() -> impl Strategy<Value = String> {
    prop::sample::select(vec!["", "a", "b", "A", "abc"]).prop_map(str::to_owned)
}

fn element() -> impl Strategy<Value = Value> {
    (text(), 0..2).prop_map(|(name, number)| json!({"n": name, "d": number}))
}

/// Objects of `S`; fields come and go.
fn object() -> impl Strategy<Value = Value> {
    let number = || (-1..5i32).prop_map(Value::from);
    let scalar = [
        ("text", text().prop_map(Value::from).boxed()),
        ("number", number().boxed()),
        ("need", text().prop_map(Value::from).boxed()),
        ("fixed", number().boxed()),
        ("set", prop::collection::vec(text(), 0..3).prop_map(Value::from).boxed()),
        ("names", prop::collection::vec(text(), 0..4).prop_map(Value::from).boxed()),
        ("items", prop::collection::vec(element(), 0..3).prop_map(Value::from).boxed()),
        ("labels", prop::collection::btree_map("[ab]{1,2}", text(), 0..4).prop_map(|map| json!(map)).boxed()),
        ("one", number().boxed()),
        ("two", number().boxed()),
        ("mode", text().prop_map(Value::from).boxed()),
        ("moded", number().boxed()),
        ("asks", number().boxed()),
        ("gated", text().prop_map(Value::from).boxed()),
        ("inner", element().boxed()),
    ];
    let fields = scalar.map(|(name, value)| prop::option::of(value).prop_map(move |value| (name, value)).boxed());
    fields.to_vec().prop_map(|fields| {
        let set = fields.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?)));
        Value::Object(set.collect::<Map<String, Value>>())
    })
}

fn sorted(errors: Vec<FieldError>) -> Vec<String> {
    let mut texts: Vec<String> = errors.iter().map(|error| format!("{error:?}")).collect();
    texts.sort();
    texts
}

fn unmarked(mut errors: Vec<FieldError>) -> Vec<String> {
    for error in &mut errors {
        error.stability = None;
        error.rule = None;
    }
    sorted(errors)
}

/// The object with keys in reverse order, however deep.
fn reversed(value: &Value, out: &mut String) {
    match value {
        Value::Object(map) => {
            out.push('{');
            for (index, (key, value)) in map.iter().rev().enumerate() {
                out.push_str(if index > 0 { "," } else { "" });
                out.push_str(&format!("{}:", Value::from(key.as_str())));
                reversed(value, out);
            }
            out.push('}');
        }
        Value::Array(items) => {
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                out.push_str(if index > 0 { "," } else { "" });
                reversed(item, out);
            }
            out.push(']');
        }
        other => out.push_str(&other.to_string()),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn an_update_that_changes_nothing_adds_no_error(object in object()) {
        let text = object.to_string();
        prop_assert_eq!(sorted(PLAIN.judge(&text, Some(&text))), Vec::<String>::new());
    }

    #[test]
    fn validating_twice_gives_the_same(new in object(), old in prop::option::of(object())) {
        let (new, old) = (new.to_string(), old.map(|old| old.to_string()));
        let judge = || format!("{:?}", PLAIN.judge(&new, old.as_deref()));
        prop_assert_eq!(judge(), judge());
    }

    #[test]
    fn null_is_absence(new in object(), old in object()) {
        let with_nulls = |object: &Value| {
            let mut object = object.clone();
            for (_, name, _) in FIELDS {
                object.as_object_mut().expect("an object").entry(*name).or_insert(Value::Null);
            }
            object.to_string()
        };
        let plain = PLAIN.judge(&new.to_string(), Some(&old.to_string()));
        let nulls = PLAIN.judge(&with_nulls(&new), Some(&with_nulls(&old)));
        prop_assert_eq!(format!("{plain:?}"), format!("{nulls:?}"));
    }

    #[test]
    fn the_order_of_keys_does_not_matter(new in object(), old in object()) {
        let mut turned = String::new();
        reversed(&new, &mut turned);
        let (new, old) = (new.to_string(), old.to_string());
        prop_assert_eq!(
            format!("{:?}", PLAIN.judge(&new, Some(&old))),
            format!("{:?}", PLAIN.judge(&turned, Some(&old)))
        );
    }

    #[test]
    fn lifecycle_wrappers_change_marks_only(new in object(), old in prop::option::of(object())) {
        let (new, old) = (new.to_string(), old.map(|old| old.to_string()));
        let plain = PLAIN.judge(&new, old.as_deref());
        let alpha = ALPHA.judge(&new, old.as_deref());
        prop_assert!(alpha.iter().all(|error| error.stability.is_some()), "{:?}", alpha);
        prop_assert_eq!(unmarked(plain), unmarked(alpha));
    }

    #[test]
    fn arbitrary_tag_lines_end_in_a_tag_or_an_error(text in any::<String>()) {
        if let Err(error) = grammar::parse(&text) {
            prop_assert!(error.offset <= text.len());
        }
    }

    #[test]
    fn arbitrary_tags_end_in_rules_or_diagnostics(
        names in prop::collection::vec(prop::sample::select(names()), 1..4),
        argument in prop::sample::select(vec!["", "(x)", "(n: \"a\")", "(n: 1)", "(union: \"u\")", "(flags: \"ShortCircuit\")"]),
        value in prop::sample::select(vec!["", "=1", "=-1", "=\"x\"", "=set", "=map", "=n", "=NoModify", "=k8s-uuid", "=true"]),
        ty in prop::sample::select(vec!["string", "*int32", "[]string", "[]E", "map[string]E", "E", "*E", "N", "L", "[]*E", "bool"]),
    ) {
        let chain = names.iter().map(|name| format!("+k8s:{name}{argument}")).collect::<Vec<_>>().join("=");
        let source = format!(
            "package t\n\ntype S struct {{\n\t// {chain}{value}\n\tX {ty} `json:\"x\"`\n}}\n\n\
             type E struct {{\n\tN string `json:\"n\"`\n\tX *int32 `json:\"x\"`\n}}\n\ntype N string\n\ntype L []E\n"
        );
        if let Err(diagnostics) = compile_source(&source) {
            prop_assert!(diagnostics.iter().all(|diagnostic| diagnostic.position.is_some()), "{:?}", diagnostics);
        }
    }
}

fn names() -> Vec<&'static str> {
    takeover_declarative::tags::all().map(|def| def.name).collect()
}
