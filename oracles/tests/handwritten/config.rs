//! Maps of settings and secrets.

use crate::support::Rows;
use serde_json::{Value, json};

fn maps() -> Rows {
    let map = json!({"apiVersion": "v1", "kind": "ConfigMap",
                     "metadata": {"name": "m", "namespace": "n", "resourceVersion": "1"},
                     "data": {"a": "1"}, "binaryData": {"b": "AAEC"}});
    Rows::of("v1", "ConfigMap", map)
}

#[test]
fn keys_of_maps_are_names_of_files() {
    let long = "k".repeat(254);
    maps().created(&[
        (&[], &[]),
        (&[("/data", Value::Null), ("/binaryData", Value::Null)], &[]),
        (&[("/data", json!({"-_.A9": "", "a..": ""}))], &[]),
        (&[("/data", json!({"": ""}))], &["data[]: Invalid value: \"\": a valid config key must consist of alphanumeric"]),
        (
            &[("/data", json!({"a/b": ""}))],
            &["data[a/b]: Invalid value: \"a/b\": a valid config key must consist of alphanumeric characters, '-', '_' or '.' \
               (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')"],
        ),
        (&[("/data", json!({".": ""}))], &["data[.]: Invalid value: \".\": must not be '.'"]),
        (&[("/data", json!({"..": ""}))], &["data[..]: Invalid value: \"..\": must not be '..'"]),
        (&[("/data", json!({"..a": ""}))], &["data[..a]: Invalid value: \"..a\": must not start with '..'"]),
        (&[("/data", json!({&long[1..]: ""}))], &[]),
        (&[("/data", json!({&*long: ""}))], &["must be no more than 253 characters"]),
        (&[("/binaryData", json!({"..a": ""}))], &["binaryData[..a]: Invalid value: \"..a\": must not start with '..'"]),
        (
            &[("/binaryData", json!({"a": ""}))],
            &["data[a]: Invalid value: \"a\": duplicate of key present in binaryData"],
        ),
        (&[("/metadata/name", json!("A"))], &["metadata.name: Invalid value: \"A\": a lowercase RFC 1123 subdomain"]),
    ]);
}

#[test]
fn all_values_of_a_map_together_have_a_megabyte() {
    let too_long = ": Too long: may not be more than 1048576 bytes";
    let text = |bytes: usize| ("/data", json!({"a": "x".repeat(bytes)}));
    let bytes = |base64: &str| ("/binaryData", json!({"b": base64}));
    maps().created(&[
        (&[text(1024 * 1024 - 3), bytes("AAAA")], &[]),
        (&[text(1024 * 1024 - 2), bytes("AAAA")], &[too_long]),
        (&[text(1024 * 1024 - 3), bytes("AAAAAA==")], &[too_long]),
    ]);
}

#[test]
fn an_immutable_map_stays_as_it_is() {
    let maps = maps();
    maps.updated(&[
        (&[("/data", json!({"a": "2"})), ("/binaryData", Value::Null), ("/immutable", json!(true))], &[]),
        (&[("/data/..", json!(""))], &["data[..]: Invalid value: \"..\": must not be '..'"]),
        (&[("/metadata/name", json!("o"))], &["metadata.name: Invalid value: \"o\": field is immutable"]),
    ]);
    let frozen = [("/immutable", json!(true))];
    maps.changed(&[
        (&frozen, (&frozen, &[])),
        (&frozen, (&[], &["immutable: Forbidden: field is immutable when `immutable` is set"])),
        (
            &frozen,
            (&[("/immutable", json!(false))], &["immutable: Forbidden: field is immutable when `immutable` is set"]),
        ),
        (
            &frozen,
            (
                &[("/immutable", json!(true)), ("/data/a", json!("2"))],
                &["data: Forbidden: field is immutable when `immutable` is set"],
            ),
        ),
        (
            &frozen,
            (
                &[("/immutable", json!(true)), ("/binaryData/b", json!("AAED"))],
                &["binaryData: Forbidden: field is immutable when `immutable` is set"],
            ),
        ),
        // Defaulting makes an empty map of an unset `data`, and only of that.
        (
            &[("/immutable", json!(true)), ("/data", Value::Null)],
            (&[("/immutable", json!(true)), ("/data", json!({}))], &[]),
        ),
        (
            &[("/immutable", json!(true)), ("/binaryData", Value::Null)],
            (&[("/immutable", json!(true)), ("/binaryData", json!({}))], &["binaryData: Forbidden"]),
        ),
    ]);
}
