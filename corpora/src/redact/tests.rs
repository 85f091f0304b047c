//! Tests of redaction as a whole.

mod encoded;

use super::{Hunt, Key, RedactionSettings, Redactor};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

fn key() -> Key {
    Key::derived(b"test")
}

/// Redacts objects as one corpus, and hunts through them.
fn redacted(settings: RedactionSettings, objects: &mut [Value]) -> Hunt {
    let mut redactor = Redactor::new(key(), settings);
    objects.iter_mut().for_each(|object| redactor.object(object));
    let hunt = Hunt::new(key(), redactor.into_originals(), &|_| false).unwrap();
    for object in objects {
        hunt.object(object);
        assert_eq!(hunt.survivors(object).found, 0, "{object}");
    }
    hunt
}

fn one(object: Value) -> Value {
    let mut objects = [object];
    redacted(RedactionSettings::default(), &mut objects);
    let [object] = objects;
    object
}

fn secret(data: Value) -> Value {
    json!({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "s"}, "type": "Opaque", "data": data})
}

fn decoded(value: &Value) -> Vec<u8> {
    STANDARD.decode(value.as_str().unwrap()).unwrap()
}

#[test]
fn data_of_a_secret_is_replaced_beneath_its_base64() {
    for text in ["correct horse", "пароль-Ünïcode-密码-🔑", "", "x", "-----BEGIN KEY-----\nabc\n"] {
        let object = one(secret(json!({ "k": STANDARD.encode(text) })));
        let replaced = String::from_utf8(decoded(&object["data"]["k"])).unwrap();
        assert_eq!((replaced.len(), replaced.chars().count()), (text.len(), text.chars().count()));
        assert_eq!(replaced == text, text.is_empty(), "{text}");
        assert_eq!(replaced, key().text(text));
    }
}

#[test]
fn binary_data_keeps_its_length_and_what_is_no_base64_stays_none() {
    let bytes = [0xff, 0xfe, 0, 1, 2, 3, 4];
    let object = one(secret(json!({"k": STANDARD.encode(bytes), "broken": "not base64!", "padded": "YQ="})));
    let replaced = decoded(&object["data"]["k"]);
    assert!(replaced.len() == bytes.len() && replaced != bytes);
    for broken in ["broken", "padded"] {
        assert!(STANDARD.decode(object["data"][broken].as_str().unwrap()).is_err());
    }
    assert_eq!(object["type"], "Opaque");
}

#[test]
fn json_in_a_secret_stays_json_with_the_same_spelling() {
    let text = "{\"auths\": {\"reg.example\": {\"auth\": \"c2Vjcm\\u0065\\n\\\"\", \"n\": -120.5e3, \"t\": true, \"u\": null}}} ";
    let object = one(secret(json!({".dockerconfigjson": STANDARD.encode(text)})));
    let replaced = String::from_utf8(decoded(&object["data"][".dockerconfigjson"])).unwrap();
    assert_eq!(replaced.len(), text.len());
    let value: Value = serde_json::from_str(&replaced).unwrap();
    let inner = value.as_object().unwrap().values().next().unwrap().as_object().unwrap().values().next().unwrap();
    let members: Vec<&Value> = inner.as_object().unwrap().values().collect();
    assert_eq!(members.iter().filter(|member| member.is_null() || **member == &json!(true)).count(), 2);
    assert!(replaced.contains("\\u00") && replaced.contains("\\n\\\"") && replaced.contains("e3"), "{replaced}");
    for word in ["auths", "reg.example", "c2Vjcm", "120.5"] {
        assert!(!replaced.contains(word), "{replaced}");
    }
}

#[test]
fn environment_and_configuration_are_replaced_and_what_surrounds_them_is_not() {
    let object = one(json!({
        "apiVersion": "v1", "kind": "Pod", "metadata": {"name": "web", "labels": {"app": "web"}},
        "spec": {"containers": [{
            "name": "c", "image": "registry/app:v1",
            "env": [
                {"name": "PASSWORD", "value": "hunter2!"},
                {"name": "FROM", "valueFrom": {"secretKeyRef": {"name": "s", "key": "k"}}},
            ],
            "args": ["--token=abc123", "--port=80"],
        }]},
    }));
    let container = &object["spec"]["containers"][0];
    assert_eq!(container["env"][0]["value"], key().text("hunter2!"));
    assert_eq!(container["env"][0]["name"], "PASSWORD");
    assert_eq!(container["env"][1]["valueFrom"]["secretKeyRef"], json!({"name": "s", "key": "k"}));
    assert_eq!(container["args"], json!([format!("--token={}", key().text("abc123")), "--port=80"]));
    assert_eq!(container["image"], "registry/app:v1");
    let map = one(
        json!({"apiVersion": "v1", "kind": "ConfigMap", "data": {"a.conf": "Listen 80"}, "binaryData": {"b": "AAEC"}}),
    );
    assert_eq!(map["data"]["a.conf"], key().text("Listen 80"));
    assert!(map["binaryData"]["b"] != "AAEC" && decoded(&map["binaryData"]["b"]).len() == 3);
}

#[test]
fn an_object_within_an_annotation_is_redacted_as_one_without_a_change_of_length() {
    let inner = "{\"kind\":\"Pod\",\"spec\":{\"containers\":[{\"name\":\"c\",\"env\":[{\"value\":\"a\\u003cb\\\"ü\",\"name\":\"X\"},{\"name\":\"Y\",\"value\":\"second\"}]}]},\"apiVersion\":\"v1\"}\n";
    let object = one(json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"annotations": {
        "kubectl.kubernetes.io/last-applied-configuration": inner, "note": "{not json", "broken": "{\"kind\": \"Pod\", \"x\": \"leak",
    }}}));
    let annotations = &object["metadata"]["annotations"];
    let replaced = annotations["kubectl.kubernetes.io/last-applied-configuration"].as_str().unwrap();
    assert_eq!(replaced.len(), inner.len());
    let value: Value = serde_json::from_str(replaced).unwrap();
    let env = &value["spec"]["containers"][0]["env"];
    assert_eq!(env[0], json!({"name": "X", "value": key().text("a<b\"ü")}));
    assert_eq!(env[1], json!({"name": "Y", "value": key().text("second")}));
    assert!(
        replaced.starts_with("{\"kind\":\"Pod\"") && replaced.ends_with("\"v1\"}\n") && replaced.contains("\\u003c")
    );
    assert_eq!(annotations["note"], "{not json");
    assert!(!annotations["broken"].as_str().unwrap().contains("leak"), "what looks like an object is replaced whole");
}

#[test]
fn a_secret_that_is_repeated_in_a_name_a_key_or_a_text_is_replaced_there_too() {
    let mut objects = [
        json!({"apiVersion": "v1", "kind": "Pod", "metadata": {
            "name": "hunter2-hunter2", "labels": {"team-hunter2": "x"}, "annotations": {"note": "say hunter2 twice: hunter2"},
        }}),
        secret(json!({"password": STANDARD.encode("hunter2")})),
    ];
    redacted(RedactionSettings::default(), &mut objects);
    let replaced = key().text("hunter2");
    let metadata = &objects[0]["metadata"];
    assert_eq!(metadata["name"], format!("{replaced}-{replaced}"));
    assert_eq!(metadata["labels"], json!({format!("team-{replaced}"): "x"}));
    assert_eq!(metadata["annotations"]["note"], format!("say {replaced} twice: {replaced}"));
    assert_eq!(decoded(&objects[1]["data"]["password"]), replaced.as_bytes());
}

#[test]
fn of_originals_that_overlap_the_leftmost_and_longest_is_replaced() {
    let env = |values: &[&str]| {
        let env: Vec<Value> = values.iter().map(|value| json!({"name": "n", "value": value})).collect();
        json!({"apiVersion": "v1", "kind": "Pod", "spec": {"env": env}})
    };
    let long = "abcdef".repeat(20);
    let mut objects = [
        env(&["secret", "secret-word", "word-more", &long]),
        json!({"apiVersion": "v1", "kind": "T", "a": "a secret-word-more", "b": format!("<{long}>"), "c": "abcdefabcdef"}),
    ];
    redacted(RedactionSettings::default(), &mut objects);
    assert_eq!(objects[1]["a"], format!("a {}-more", key().text("secret-word")));
    assert_eq!(objects[1]["b"], format!("<{}>", key().text(&long)));
    assert_eq!(objects[1]["c"], "abcdefabcdef", "the beginning of an original is none");
}

#[test]
fn a_key_that_would_take_the_place_of_another_stays_and_is_reported() {
    let mut labels = json!({"hunter2": "x"});
    labels[key().text("hunter2")] = json!("y");
    let mut objects = [
        json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"labels": labels}}),
        secret(json!({"password": STANDARD.encode("hunter2")})),
    ];
    let mut redactor = Redactor::new(key(), RedactionSettings::default());
    objects.iter_mut().for_each(|object| redactor.object(object));
    let hunt = Hunt::new(key(), redactor.into_originals(), &|_| false).unwrap();
    hunt.object(&mut objects[0]);
    assert_eq!(hunt.survivors(&mut objects[0]).found, 1);
}

#[test]
fn words_that_everybody_knows_stay_where_they_are_no_data() {
    let mut objects = [
        json!({"apiVersion": "v1", "kind": "Pod", "spec": {"restartPolicy": "Always", "env": [{"name": "A", "value": "Always"}]}}),
        json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"namespace": "default"}, "data": {"a": "default"}}),
    ];
    let hunt = redacted(RedactionSettings::default(), &mut objects);
    assert_eq!(hunt.left_alone(), 2);
    assert_eq!(objects[0]["spec"]["restartPolicy"], "Always");
    assert_ne!(objects[0]["spec"]["env"][0]["value"], "Always");
    assert_eq!(objects[1]["metadata"]["namespace"], "default");
}

#[test]
fn times_addresses_and_quantities_that_hold_an_original_stay_and_are_counted() {
    let mut objects = [
        json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"creationTimestamp": "2025-12-10T17:26:03Z"}, "data": {
            "built": "2025-12-10", "range": "192.168.0.0/16", "heap": "2048Mi", "pin": "123456",
        }}),
        json!({"apiVersion": "v1", "kind": "T", "cidr": "192.168.0.0/16", "memory": "2048Mi", "size": "91234567", "pin": "123456",
            "text": "since 2025-12-10 in 192.168.0.0/16 with 2048Mi and 123456"}),
    ];
    let hunt = redacted(RedactionSettings::default(), &mut objects);
    assert_eq!(objects[0]["metadata"]["creationTimestamp"], "2025-12-10T17:26:03Z");
    assert_eq!(
        [&objects[1]["cidr"], &objects[1]["memory"], &objects[1]["size"]],
        ["192.168.0.0/16", "2048Mi", "91234567"]
    );
    assert_eq!(objects[1]["pin"], key().text("123456"));
    let words = ["2025-12-10", "192.168.0.0/16", "2048Mi", "123456"].map(|word| key().text(word));
    assert_eq!(objects[1]["text"], format!("since {} in {} with {} and {}", words[0], words[1], words[2], words[3]));
    let in_forms = objects.each_mut().map(|object| hunt.survivors(object).kept.in_forms);
    assert_eq!(in_forms, [1, 3]);
}

#[test]
fn names_are_replaced_on_request_and_references_follow() {
    let names = RedactionSettings { names: true };
    let mut objects = [
        json!({"apiVersion": "v1", "kind": "Pod", "metadata": {
            "name": "web-0", "namespace": "shop", "ownerReferences": [{"kind": "StatefulSet", "name": "web"}],
        }, "spec": {"nodeName": "node-7", "hosts": "web.shop.svc", "text": "webbing"}}),
        json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "web", "namespace": "default"}, "spec": {
            "serviceAccountName": "system:serviceaccount:shop:web", "username": "system:kube-scheduler",
        }}),
    ];
    redacted(names, &mut objects);
    let (web, shop) = (key().text("web"), key().text("shop"));
    assert_eq!(objects[0]["metadata"]["ownerReferences"][0]["name"], web);
    assert_eq!(objects[0]["metadata"]["name"], key().text("web-0"));
    assert_eq!(objects[0]["spec"]["hosts"], format!("{web}.{shop}.svc"));
    assert_eq!(objects[0]["spec"]["text"], "webbing");
    assert_ne!(objects[0]["spec"]["nodeName"], "node-7");
    assert_eq!(objects[1]["metadata"], json!({"name": web, "namespace": "default"}));
    assert_eq!(objects[1]["spec"]["serviceAccountName"], format!("system:serviceaccount:{shop}:{web}"));
    assert_eq!(objects[1]["spec"]["username"], "system:kube-scheduler");
    let untouched = json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "web", "namespace": "shop"}});
    assert_eq!(one(untouched.clone()), untouched);
}

#[test]
fn equal_values_stay_equal_and_different_ones_different_across_objects() {
    let object = |value: &str| json!({"apiVersion": "v1", "kind": "ConfigMap", "data": {"k": value}});
    let mut objects = ["one", "two", "one", "öne", "{\"a\": \"one\"}"].map(object);
    redacted(RedactionSettings::default(), &mut objects);
    assert_eq!(objects[0], objects[2]);
    assert_ne!(objects[0], objects[1]);
    assert_ne!(objects[0], objects[3]);
    let inner: Value = serde_json::from_str(objects[4]["data"]["k"].as_str().unwrap()).unwrap();
    assert_eq!(inner.as_object().unwrap().values().next().unwrap(), &objects[0]["data"]["k"]);
}

#[test]
fn keys_that_are_tokens_are_replaced_and_other_keys_stay() {
    let token = "ghp_0123456789abcdefghij";
    let mut object =
        serde_json::json!({"apiVersion": "v1", "kind": "ConfigMap", "data": {token: "x", "app.yaml": "y"}});
    let mut redactor = Redactor::new(Key::derived(b"test"), RedactionSettings::default());
    redactor.object(&mut object);
    let keys: Vec<&String> = object["data"].as_object().unwrap().keys().collect();
    assert_eq!(keys.len(), 2);
    assert!(object["data"].get("app.yaml").is_some() && object["data"].get(token).is_none(), "{object}");
}

#[test]
fn long_texts_lists_and_keys_take_no_more_time_for_each_of_their_bytes() {
    let begin = std::time::Instant::now();
    let secret = "hunter2-hunter2";
    let many = format!("{secret} ").repeat(40_000);
    let key = "k".repeat(1_000_000);
    let list = vec![json!({"value": "a"}); 20_000];
    let mut objects = [json!({
        "apiVersion": "example.com/v1", "kind": "Thing", "metadata": {"name": "a", "annotations": {"note": many}},
        "spec": {"password": secret, key: list},
    })];
    redacted(RedactionSettings::default(), &mut objects);
    assert!(!objects[0].to_string().contains(secret));
    assert!(begin.elapsed() < std::time::Duration::from_secs(60), "{:?}", begin.elapsed());
}
