//! Originals that stand elsewhere in another form, and what is told by its name or its look. All secrets are made up.

use super::{key, one, redacted, secret};
use crate::redact::{Hunt, RedactionSettings, Redactor, Survivors};
use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, STANDARD_NO_PAD, URL_SAFE_NO_PAD};
use serde_json::{Value, json};

/// What is searched for.
const SECRET: &str = "Zq>correct?horse+battery/77";
const LINES: &str = "several\nlines \"quoted\" and\\back, пароль";

/// Texts in which one of them stands.
fn encoded() -> Vec<String> {
    let json = |text: &str| Value::from(text).to_string();
    let hex = |text: &str| text.bytes().map(|byte| format!("{byte:02x}")).collect::<String>();
    let percent = |text: &str| -> String {
        let spelled = |byte: u8| match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' => char::from(byte).to_string(),
            other => format!("%{other:02X}"),
        };
        text.bytes().map(spelled).collect()
    };
    let wrapped: Vec<String> =
        STANDARD.encode(SECRET).as_bytes().chunks(10).map(|line| String::from_utf8(line.to_vec()).unwrap()).collect();
    vec![
        STANDARD.encode(format!("user:{SECRET}")),
        STANDARD.encode(format!("u:{SECRET}")),
        STANDARD.encode(format!("us:{SECRET}:x")),
        format!("auth {} end", STANDARD_NO_PAD.encode(SECRET)),
        URL_SAFE_NO_PAD.encode(format!("user:{SECRET}")),
        format!("path/{}", STANDARD.encode(format!("user:{SECRET}"))),
        format!("x{}", STANDARD.encode(format!("user:{SECRET}"))),
        wrapped.join("\n"),
        wrapped.join("\r\n"),
        STANDARD.encode([&[0xff, 0, 1], SECRET.as_bytes(), &[0xfe]].concat()),
        STANDARD.encode(STANDARD.encode(format!("user:{SECRET}"))),
        STANDARD.encode(json(LINES)),
        hex(SECRET),
        format!("0x{}", hex(LINES).to_uppercase()),
        format!("https://h/?q={}", percent(SECRET)),
        format!("https://h/?q={}", percent(&percent(LINES))),
        percent(&STANDARD.encode(format!("user:{SECRET}"))),
        percent(LINES).replace("%20", "+"),
        json(LINES),
        json(&json(LINES)),
        json(&json(&json(LINES))),
        "several\\u000Alines\\u0020\\\"quoted\\\" and\\\\back, \\u043f\\u0430\\u0440\\u043e\\u043b\\u044c".to_owned(),
    ]
}

fn holder(text: &str) -> Value {
    json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"annotations": {"note": text}}})
}

fn hunt() -> Hunt {
    let mut redactor = Redactor::new(key(), RedactionSettings::default());
    redactor.object(&mut secret(json!({"a": STANDARD.encode(SECRET), "b": STANDARD.encode(LINES)})));
    Hunt::new(key(), redactor.into_originals(), &|_| false).unwrap()
}

#[test]
fn the_search_notices_an_original_in_every_form_and_after_the_hunt_none_is_left() {
    let hunt = hunt();
    for text in encoded() {
        let mut object = holder(&text);
        assert_eq!(hunt.survivors(&mut object).found, 1, "not noticed: {text}");
        assert_eq!(hunt.object(&mut object), 1, "{text}");
        assert_eq!(hunt.survivors(&mut object), Survivors::default(), "{object}");
        let replaced = object["metadata"]["annotations"]["note"].as_str().unwrap();
        assert_eq!((replaced.len(), replaced.chars().count()), (text.len(), text.chars().count()), "{text}");
    }
}

#[test]
fn what_holds_no_original_stays_as_it_is_whatever_it_looks_like() {
    let hunt = hunt();
    for text in [
        STANDARD.encode("something else that nobody hides"),
        "Zq>correct?horse+batter".to_owned(),
        "a%2Bb%zz \\n \\u00e9 c+d".to_owned(),
        "deadbeefdeadbeefdeadbeef".to_owned(),
        "registry.example/shop/web@sha256:0123456789abcdef0123456789abcdef".to_owned(),
    ] {
        let mut object = holder(&text);
        assert_eq!((hunt.object(&mut object), hunt.survivors(&mut object)), (0, Survivors::default()), "{text}");
        assert_eq!(object, holder(&text));
    }
}

/// A text under each of these names of each place, and whether it is replaced.
fn kept(object: Value, text: &str) -> bool {
    one(object).to_string().contains(text)
}

#[test]
fn values_are_replaced_under_names_that_users_give_to_secrets_and_fields_of_kubernetes_are_not() {
    let text = "plainly-hidden-value";
    for name in [
        "pwd",
        "dbPass",
        "secret",
        "tokens",
        "accountKey",
        "sharedKey",
        "connectionString",
        "dsn",
        "credentials",
        "auth",
        "authorization",
        "cookie",
        "encryptionKey",
        "sshKey",
        "kubeconfig",
        "password",
        "token",
        "X-Api-Key",
    ] {
        let volume = |field: &str, map: &str| json!({"apiVersion": "v1", "kind": "Pod", "spec": {"volumes": [{field: {"driver": "d", map: {name: text}}}]}});
        for object in [
            json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"annotations": {format!("example.com/{name}"): text}}}),
            volume("csi", "volumeAttributes"),
            volume("flexVolume", "options"),
            json!({"apiVersion": "storage.k8s.io/v1", "kind": "StorageClass", "parameters": {name: text}}),
            json!({"apiVersion": "v1", "kind": "Pod", "spec": {"httpGet": {"httpHeaders": [{"name": name, "value": text}]}}}),
            json!({"apiVersion": "example.com/v1", "kind": "Db", "spec": {"db": {name: text, "list": {name: [text]}}}}),
            holder(&json!({"settings": {name: text}}).to_string()),
        ] {
            assert!(!kept(object.clone(), text), "{object}");
        }
    }
    for object in [
        json!({"apiVersion": "v1", "kind": "Pod", "spec": {"volumes": [{"secret": {"secretName": text}}], "imagePullSecrets": [{"name": text}]}}),
        json!({"apiVersion": "v1", "kind": "PersistentVolume", "spec": {"csi": {"nodePublishSecretRef": {"name": text}}}}),
        json!({"apiVersion": "v1", "kind": "Pod", "spec": {"topologyKey": text, "auth": text}}),
        json!({"apiVersion": "storage.k8s.io/v1", "kind": "StorageClass", "parameters": {"csi.storage.k8s.io/node-stage-secret-name": text}}),
        json!({"apiVersion": "example.com/v1", "kind": "Db", "spec": {"auth": {"secretRef": {"name": text, "key": text}}}}),
        json!({"apiVersion": "v1", "kind": "Pod", "spec": {"httpGet": {"httpHeaders": [{"name": "Accept", "value": text}]}}}),
    ] {
        assert!(kept(object.clone(), text), "{object}");
    }
}

#[test]
fn arguments_after_the_flag_of_a_secret_are_replaced() {
    for (arguments, is_kept) in [
        (json!(["--password", "plainly-hidden"]), false),
        (json!(["-db-password", "plainly-hidden"]), false),
        (json!(["--client-secret", "plainly-hidden"]), false),
        (json!(["curl", "-u", "admin:plainly-hidden"]), false),
        (json!(["sh", "-c", "mysql --password plainly-hidden"]), false),
        (json!(["sh", "-c", "curl -u admin:plainly-hidden http://x"]), false),
        (json!(["--pass=plainly-hidden"]), false),
        (json!(["--credentials=plainly-hidden"]), false),
        (json!(["--password", "--plainly-hidden"]), true),
        (json!(["--password-file", "plainly-hidden"]), true),
        (json!(["--verbose", "plainly-hidden"]), true),
        (json!(["-u", "plainly-hidden"]), true),
    ] {
        let object = json!({"apiVersion": "v1", "kind": "Pod", "spec": {"containers": [{"args": arguments}]}});
        assert_eq!(kept(object.clone(), "plainly-hidden"), is_kept, "{object}");
    }
}

#[test]
fn objects_and_keys_within_texts_are_redacted_however_they_are_written() {
    let hidden = "plainly-hidden-value";
    let manifest = json!({"apiVersion": "v1", "kind": "Secret", "stringData": {"pw": hidden}}).to_string();
    let encoded = STANDARD.encode("apiVersion: v1\nkind: Secret\nstringData: {pw: plainly-hidden-value}\n");
    let pem = STANDARD.encode("-----BEGIN PRIVATE KEY-----\nplainlyhiddenvalue\n-----END PRIVATE KEY-----");
    for text in [
        manifest.as_str(),
        "apiVersion: v1\nkind: Secret\nstringData:\n  pw: plainly-hidden-value\n",
        "{apiVersion: v1, kind: Secret, stringData: {pw: plainly-hidden-value}}",
        r#"[{"env": [{"name": "A", "value": "plainly-hidden-value"}]}]"#,
        r#"{"inner": "{\"password\": \"plainly-hidden-value\"}"}"#,
        r#"{"password": "plainly-hidden-value", "password": 1}"#,
        r#"{"apiVersion":"v1","kind":"Secret","data":{"a":"plainly-hidden-value""#,
        &STANDARD.encode(&manifest),
        &encoded,
        &pem,
    ] {
        for object in [holder(text), json!({"apiVersion": "v1", "kind": "Pod", "spec": {"args": [text]}})] {
            let after = one(object.clone()).to_string();
            assert!(!after.contains(hidden) && !after.contains(text), "{object}");
        }
    }
    // What such a text held is searched for elsewhere, as everything is.
    let mut objects =
        [holder("apiVersion: v1\nkind: Secret\nstringData:\n  pw: plainly-hidden-value\n"), holder(hidden)];
    redacted(RedactionSettings::default(), &mut objects);
    assert!(!objects[1].to_string().contains(hidden));
}

#[test]
fn what_stays_on_purpose_is_counted_by_what_keeps_it() {
    let certificate = "-----BEGIN CERTIFICATE-----\nTUlJQg==\n-----END CERTIFICATE-----\n";
    let mut objects = [
        json!({"apiVersion": "v1", "kind": "ConfigMap", "data": {
            "a": "something", "b": "Always", "c": "fieldOfSomebody", "d": certificate, "e": "2025-12-10", "short": "abc",
        }}),
        json!({"apiVersion": "v1", "kind": "T", "ref": {"kind": "something"}, "policy": "Always", "spec": {"fieldOfSomebody": "x"},
            "caBundle": STANDARD.encode(certificate), "time": "2025-12-10T17:26:03Z"}),
    ];
    let hunt = redacted(RedactionSettings::default(), &mut objects);
    let survivors = hunt.survivors(&mut objects[1]);
    let kept = survivors.kept;
    assert_eq!(survivors.found, 0);
    assert_eq!(
        (kept.in_kinds, kept.as_words, kept.in_fields, kept.in_certificates, kept.in_forms),
        (1, 1, 1, 1, 1),
        "{survivors:?}"
    );
    assert_eq!((hunt.left_alone(), hunt.short()), (1, 1));
    assert_eq!(objects[1]["caBundle"], STANDARD.encode(certificate));
}

#[test]
fn files_keep_the_names_of_kinds_and_groups_and_lose_those_of_secrets() {
    let mut objects = [
        json!({"apiVersion": "example.com/v1", "kind": "ConfigMap", "spec": {"password": "Config", "token": "example.com"}}),
        json!({"apiVersion": "v1", "kind": "Secret", "stringData": {"a": "hunter2"}}),
    ];
    let hunt = redacted(RedactionSettings::default(), &mut objects);
    let mut place = "shop/example.com.v1.ConfigMap.jsonl.gz:7".to_owned();
    assert!(!hunt.place(&mut place));
    assert_eq!(hunt.survivors_in_place(&place).kept.in_kinds, 2);
    let mut place = "shop/hunter2/MyConfig.yaml:7".to_owned();
    assert_eq!(hunt.survivors_in_place(&place).found, 2);
    assert!(hunt.place(&mut place));
    assert_eq!(place, format!("shop/{}/My{}.yaml:7", key().text("hunter2"), key().text("Config")));
    assert_eq!(hunt.survivors_in_place(&place), Survivors::default());
}
