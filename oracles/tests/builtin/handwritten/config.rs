//! Maps of settings and secrets.

use super::support::Rows;
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
        (&[("/data", json!({&*long: ""}))], &[&format!("data[{long}]: Invalid value: \"{long}\": must be no more than 253 characters")]),
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

fn secrets() -> Rows {
    let secret = json!({"apiVersion": "v1", "kind": "Secret",
                        "metadata": {"name": "s", "namespace": "n", "resourceVersion": "1"},
                        "data": {"a": "AAEC"}});
    Rows::of("v1", "Secret", secret)
}

/// A secret of a type that Kubernetes knows, with these values.
fn of_type(name: &str, texts: Value) -> [(&'static str, Value); 2] {
    [("/type", json!(format!("kubernetes.io/{name}"))), ("/stringData", texts)]
}

#[test]
fn texts_of_a_secret_are_judged_as_its_data() {
    let text = |bytes: usize| ("/stringData", json!({"b": "x".repeat(bytes)}));
    secrets().created(&[
        (&[], &[]),
        (&[("/data", json!({"..a": ""}))], &["data[..a]: Invalid value: \"..a\": must not start with '..'"]),
        (&[("/stringData", json!({"..": ""}))], &["data[..]: Invalid value: \"..\": must not be '..'"]),
        (&[("/data", Value::Null), ("/stringData", json!({"b/c": ""}))], &["data[b/c]: Invalid value: \"b/c\""]),
        (&[text(1024 * 1024 - 3)], &[]),
        (&[text(1024 * 1024 - 2)], &["data: Too long: may not be more than 1048576 bytes"]),
        (&[("/data", json!({"b": "AAAA"})), text(1024 * 1024)], &[]),
        (&[("/metadata/namespace", Value::Null)], &["metadata.namespace: Required value"]),
    ]);
}

#[test]
fn a_secret_of_a_known_type_has_what_belongs_to_it() {
    let account = "metadata.annotations[kubernetes.io/service-account.name]: Required value";
    let named = |name: &str| ("/metadata/annotations", json!({"kubernetes.io/service-account.name": name}));
    let token = || ("/type", json!("kubernetes.io/service-account-token"));
    secrets().created(&[
        (&[token()], &[account]),
        (&[token(), named("")], &[account]),
        (&[token(), named("a")], &[]),
        (&[("/type", json!("kubernetes.io/other"))], &[]),
        (&[("/type", json!("bootstrap.kubernetes.io/token"))], &[]),
        (&of_type("basic-auth", json!({})), &["data[username]: Required value", "data[password]: Required value"]),
        (&of_type("basic-auth", json!({"username": ""})), &[]),
        (&of_type("basic-auth", json!({"password": ""})), &[]),
        (&of_type("ssh-auth", json!({})), &["data[ssh-privatekey]: Required value"]),
        (&of_type("ssh-auth", json!({"ssh-privatekey": ""})), &["data[ssh-privatekey]: Required value"]),
        (&of_type("ssh-auth", json!({"ssh-privatekey": "k"})), &[]),
        (&of_type("tls", json!({})), &["data[tls.crt]: Required value", "data[tls.key]: Required value"]),
        (&of_type("tls", json!({"tls.crt": ""})), &["data[tls.key]: Required value"]),
        (&of_type("tls", json!({"tls.crt": "", "tls.key": ""})), &[]),
    ]);
}

#[test]
fn registries_are_a_json_object_that_nobody_is_shown() {
    let hidden = "Invalid value: \"<secret contents redacted>\":";
    for (name, key) in [("dockercfg", ".dockercfg"), ("dockerconfigjson", ".dockerconfigjson")] {
        let of = |text: &str| of_type(name, json!({key: text}));
        let at = |problem: &str| format!("data[{key}]: {hidden} {problem}");
        secrets().created(&[
            (&of_type(name, json!({})), &[&format!("data[{key}]: Required value")]),
            (&of("{\"auths\": {\"quay.io\": {\"auth\": \"eDp5\"}}}"), &[]),
            (&of("null"), &[]),
            (&of(""), &[&at("unexpected end of JSON input")]),
            (&of("{auths}"), &[&at("invalid character 'a' looking for beginning of object key string")]),
            (&of("[]"), &[&at("json: cannot unmarshal array into Go value of type map[string]interface {}")]),
        ]);
    }
}

#[test]
fn an_immutable_secret_stays_as_it_is_and_a_type_always_does() {
    let secrets = secrets();
    secrets.updated(&[
        (&[("/data", json!({"a": "AA=="})), ("/immutable", json!(true))], &[]),
        (&[("/type", json!("Opaque"))], &[]),
        (&[("/type", json!("own"))], &["type: Invalid value: \"own\": field is immutable"]),
        (&[("/metadata/name", json!("o"))], &["metadata.name: Invalid value: \"o\": field is immutable"]),
        (&[("/data/..", json!(""))], &["data[..]: Invalid value: \"..\": must not be '..'"]),
    ]);
    let frozen = [("/immutable", json!(true))];
    secrets.changed(&[
        (&frozen, (&[], &["immutable: Forbidden: field is immutable when `immutable` is set"])),
        (
            &frozen,
            (
                &[("/immutable", json!(true)), ("/stringData", json!({"a": "2"}))],
                &["data: Forbidden: field is immutable when `immutable` is set"],
            ),
        ),
        (&frozen, (&[("/immutable", json!(true)), ("/stringData", json!({"a": "\u{0}\u{1}\u{2}"}))], &[])),
    ]);
}
