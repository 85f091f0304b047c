//! YAML as Kubernetes reads it.

use super::{loaded, summary};
use crate::load::LoadErrorKind;
use serde_json::{Value, json};

/// The value of `field: …` in a document, or the error.
fn field(yaml: &str) -> Result<Value, (LoadErrorKind, String)> {
    let text = format!("apiVersion: v1\nkind: T\n{yaml}\n");
    match loaded("t.yaml", text).remove(0) {
        Ok(mut document) => Ok(document.value["x"].take()),
        Err(error) => Err((error.kind(), error.to_string())),
    }
}

#[test]
fn scalars_mean_what_they_mean_to_kubernetes() {
    let rows: &[(&str, Value)] = &[
        ("x: yes", json!(true)),
        ("x: No", json!(false)),
        ("x: on", json!(true)),
        ("x: OFF", json!(false)),
        ("x: y", json!(true)),
        ("x: N", json!(false)),
        ("x: tRue", json!("tRue")),
        ("x: 'yes'", json!("yes")),
        ("x: \"on\"", json!("on")),
        ("x: yes please", json!("yes please")),
        ("x: ", json!(null)),
        ("x: ~", json!(null)),
        ("x: NULL", json!(null)),
        ("x: nil", json!("nil")),
        ("x: ''", json!("")),
        ("x: 12", json!(12)),
        ("x: +12", json!(12)),
        ("x: -0", json!(0)),
        ("x: 017", json!(15)),
        ("x: 0o17", json!(15)),
        ("x: 0x1f", json!(31)),
        ("x: 0b11", json!(3)),
        ("x: 1_000", json!(1000)),
        ("x: 08", json!(8)),
        ("x: 1e3", json!(1000)),
        ("x: 3.0", json!(3)),
        ("x: .5", json!(0.5)),
        ("x: 1.5e-3", json!(0.0015)),
        ("x: 18446744073709551615", json!(u64::MAX)),
        ("x: 1:30", json!("1:30")),
        ("x: 1.2.3", json!("1.2.3")),
        ("x: 10Mi", json!("10Mi")),
        ("x: 2024-03-05", json!("2024-03-05")),
        ("x: 2024-03-05T09:14:22Z", json!("2024-03-05T09:14:22Z")),
        ("x: =", json!("=")),
        ("x: <<", json!("<<")),
        ("x: !!str 12", json!("12")),
        ("x: !!int '12'", json!(12)),
        ("x: !!float 3", json!(3)),
        ("x: !!bool yes", json!(true)),
        ("x: !!null ''", json!(null)),
        ("x: !!binary aGVsbG8=", json!("hello")),
        ("x: !!binary /w==", json!("\u{fffd}")),
        ("x: !!timestamp 2024-03-05", json!("2024-03-05")),
        ("x: !custom 12", json!("12")),
        ("x: ! 12", json!("12")),
        ("x: 9007199254740993.0", json!(9_007_199_254_740_992_i64)),
        ("x: -9223372036854775809", json!(-9_223_372_036_854_775_808.0)),
        ("x: 1e20", json!(1e20)),
        ("x: 1e400", json!("1e400")),
        ("x: 0xfffffffffffffffff", json!("0xfffffffffffffffff")),
        ("x: |\n  a\n  b\n", json!("a\nb\n")),
        ("x: |-\n  12", json!("12")),
        ("x: >\n  a\n  b\n\n  c\n", json!("a b\nc\n")),
        ("x: \"\\u00e9\\x41\\n\"", json!("éA\n")),
        ("x: 'it''s'", json!("it's")),
        ("x: a # b", json!("a")),
        ("x: a#b", json!("a#b")),
        ("x: [a, 1, {b: no}]", json!(["a", 1, {"b": false}])),
        ("x:\n- 1\n- - 2\n", json!([1, [2]])),
    ];
    for (yaml, expected) in rows {
        assert_eq!(field(yaml).as_ref(), Ok(expected), "{yaml}");
    }
}

#[test]
fn keys_become_texts() {
    for (yaml, expected) in [
        ("x: {1: a}", json!({"1": "a"})),
        ("x: {0x10: a}", json!({"16": "a"})),
        ("x: {y: a}", json!({"true": "a"})),
        ("x: {off: a}", json!({"false": "a"})),
        ("x: {'y': a}", json!({"y": "a"})),
        ("x: {1.5: a}", json!({"1.5": "a"})),
        ("x: {2024-03-05: a}", json!({"2024-03-05": "a"})),
        ("x: {? a : b}", json!({"a": "b"})),
    ] {
        assert_eq!(field(yaml), Ok(expected), "{yaml}");
    }
}

#[test]
fn what_json_cannot_hold_is_an_error_with_its_place() {
    for (yaml, reason, message) in [
        ("x: .inf", LoadErrorKind::Unrepresentable, "`t.yaml:3:4`: `.inf` is a number that JSON cannot hold"),
        ("x: .NaN", LoadErrorKind::Unrepresentable, "`t.yaml:3:4`: `.NaN` is a number that JSON cannot hold"),
        (
            "x: {~: a}",
            LoadErrorKind::Unrepresentable,
            "`t.yaml:3:5`: `~` cannot be a key: only texts, numbers and booleans can",
        ),
        ("x: {[a]: b}", LoadErrorKind::Unrepresentable, "`t.yaml:3:5`: a list or map cannot be a key"),
        ("x: !!int 1.5", LoadErrorKind::Unrepresentable, "`t.yaml:3:10`: `1.5` is not a value of tag `!!int`"),
        ("x: !!binary '?'", LoadErrorKind::Unrepresentable, "`t.yaml:3:13`: `?` is not a value of tag `!!binary`"),
        (
            "x: !!timestamp soon",
            LoadErrorKind::Unrepresentable,
            "`t.yaml:3:16`: `soon` is not a value of tag `!!timestamp`",
        ),
        ("x: 1\nx: 2", LoadErrorKind::RepeatedKey, "`t.yaml:4:1`: key `x` occurs twice in one map"),
        ("x: {a: 1, 'a': 2}", LoadErrorKind::RepeatedKey, "`t.yaml:3:11`: key `a` occurs twice in one map"),
        ("x: {yes: 1, on: 2}", LoadErrorKind::RepeatedKey, "`t.yaml:3:13`: key `true` occurs twice in one map"),
        ("x: *gone", LoadErrorKind::Alias, "`t.yaml:3:4`: the alias refers to an anchor that is not defined before it"),
        ("x: &a [*a]", LoadErrorKind::Alias, "`t.yaml:3:8`: the alias is inside its own anchor"),
        ("x: {<<: 1}", LoadErrorKind::Unrepresentable, "`t.yaml:3:9`: a merge key `<<` takes a map or a list of maps"),
    ] {
        assert_eq!(field(yaml), Err((reason, message.to_owned())), "{yaml}");
    }
}

#[test]
fn aliases_and_merge_keys_are_expanded() {
    for (yaml, expected) in [
        ("b: &b {c: 1}\nx: *b", json!({"c": 1})),
        ("b: &b [1]\nx: [*b, *b]", json!([[1], [1]])),
        ("b: &b k\nx: {*b : v}", json!({"k": "v"})),
        ("a: &a 1\nb: &a 2\nx: *a", json!(2)),
        ("b: &b {c: 1, d: 2}\nx: {<<: *b, d: 3}", json!({"c": 1, "d": 3})),
        ("b: &b {d: 2}\nx: {d: 3, <<: *b}", json!({"d": 2})),
        ("a: &a {k: 1}\nb: &b {k: 2, l: 2}\nx: {<<: [*a, *b]}", json!({"k": 1, "l": 2})),
        ("x: {<<: {a: 1}, b: 2}", json!({"a": 1, "b": 2})),
        ("x: {'<<': 1}", json!({"<<": 1})),
    ] {
        assert_eq!(field(yaml), Ok(expected), "{yaml}");
    }
}

#[test]
fn documents_are_cut_at_their_markers_and_keep_their_lines() {
    let text = "\u{feff}# head\n---\n# more\napiVersion: v1\nkind: A\n---\n\n--- # nothing\n# only a comment\n---\nnull\n\
                --- {apiVersion: v1, kind: B}\n...\n%YAML 1.1\n---\napiVersion: v1\nkind: C\ntext: |\n  ---\n  x\n";
    assert_eq!(
        summary(&loaded("t.yaml", text)),
        ["A - at t.yaml:4 (document 1)", "B - at t.yaml:12 (document 2)", "C - at t.yaml:16 (document 3)"]
    );
}

#[test]
fn a_broken_document_harms_no_other() {
    let text =
        "apiVersion: v1\nkind: A\n---\na: [1\n---\nkind: B\n---\napiVersion: v1\nkind: C\n---\n- 1\n---\n\"open\n";
    let items = loaded("t.yaml", text);
    let lines: Vec<_> = items.iter().map(|item| item.as_ref().err().and_then(|error| error.line())).collect();
    assert_eq!(items.len(), 6);
    assert_eq!(items[0].as_ref().unwrap().kind, "A");
    assert_eq!(items[1].as_ref().unwrap_err().kind(), LoadErrorKind::Syntax);
    assert!(lines[1].is_some_and(|line| (4..=5).contains(&line)), "{lines:?}");
    assert_eq!(
        items[2].as_ref().unwrap_err().to_string(),
        "`t.yaml:6`: the document is no Kubernetes object: it has no text `apiVersion`"
    );
    assert_eq!(items[3].as_ref().unwrap().kind, "C");
    assert_eq!(items[4].as_ref().unwrap_err().to_string(), "`t.yaml:11`: expected a Kubernetes object, found a list");
    assert_eq!(items[5].as_ref().unwrap_err().kind(), LoadErrorKind::Syntax);
}

#[test]
fn json_in_a_yaml_file_is_json_and_flow_style_is_yaml() {
    let text = "{\"apiVersion\": \"v1\", \"kind\": \"A\"}\n{\"apiVersion\": \"v1\",\n\t\"kind\": \"B\"}\n---\n{apiVersion: v1, kind: C}\n";
    assert_eq!(
        summary(&loaded("t.yaml", text)),
        ["A - at t.yaml:1 (document 1)", "B - at t.yaml:2 (document 2)", "C - at t.yaml:5 (document 3)"]
    );
    let twice = loaded("t.yaml", "{\"apiVersion\": \"v1\", \"kind\": \"A\", \"kind\": \"A\"}");
    assert_eq!(summary(&twice), ["`t.yaml:1:40`: key `kind` occurs twice in one map"]);
}

#[test]
fn lists_are_unpacked_with_the_lines_of_their_items() {
    let text = "apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: A\n- apiVersion: v1\n  kind: PodList\n  items:\n  \
                - metadata: {name: p}\n  - {kind: Odd, apiVersion: v9}\n- 7\n- {apiVersion: v1, kind: B}\n---\n\
                apiVersion: x/v1\nkind: AllowList\nitems: {a: 1}\n";
    assert_eq!(
        summary(&loaded("t.yaml", text)),
        [
            "A - at t.yaml:4 (document 1)",
            "Pod p at t.yaml:6 (document 2)",
            "Odd - at t.yaml:6 (document 3)",
            "`t.yaml:11`: expected a Kubernetes object, found a number",
            "B - at t.yaml:12 (document 5)",
            "AllowList - at t.yaml:14 (document 6)",
        ]
    );
}
