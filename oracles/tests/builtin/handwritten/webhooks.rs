//! Configurations of admission webhooks.

use super::support::Rows;
use serde_json::{Value, json};

const GROUP: &str = "admissionregistration.k8s.io/v1";

fn hook() -> Value {
    json!({"name": "a.b.c", "sideEffects": "None", "admissionReviewVersions": ["v1"], "clientConfig": {"url": "https://a.b/c"}})
}

fn rows(kind: &str) -> Rows {
    let configuration = json!({"apiVersion": GROUP, "kind": kind, "metadata": {"name": "w", "resourceVersion": "1"},
                               "webhooks": [hook()]});
    Rows::of(GROUP, kind, configuration)
}

fn validating() -> Rows {
    rows("ValidatingWebhookConfiguration")
}

/// The only webhook with one member replaced; null removes it.
fn with(member: &str, value: Value) -> Value {
    let mut hook = hook();
    hook.as_object_mut().expect("an object").insert(member.to_owned(), value);
    json!([hook])
}

/// Judges the values of one member of a webhook on create.
fn member(name: &str, rows: &[(Value, &[&str])]) {
    let configuration = validating();
    for (value, expected) in rows {
        configuration.created(&[(&[("/webhooks", with(name, value.clone()))], expected)]);
    }
}

#[test]
fn defaults_are_those_of_the_kind() {
    let config = json!({"service": {"name": "s", "namespace": "n"}});
    let mut webhooks = with("clientConfig", config);
    webhooks[0]["rules"] = json!([{"operations": ["*"], "apiGroups": ["*"], "apiVersions": ["*"], "resources": ["*"]}]);
    let pointers = ["failurePolicy", "matchPolicy", "namespaceSelector", "objectSelector", "timeoutSeconds"];
    for (kind, reinvocation) in
        [("ValidatingWebhookConfiguration", Value::Null), ("MutatingWebhookConfiguration", json!("Never"))]
    {
        let rows = rows(kind);
        rows.created(&[(&[("/webhooks", webhooks.clone())], &[])]);
        let seen = rows.seen(&[("/webhooks", webhooks.clone())], None);
        let hook = &seen["webhooks"][0];
        assert_eq!(
            pointers.map(|member| hook[member].clone()),
            [json!("Fail"), json!("Equivalent"), json!({}), json!({}), json!(10)]
        );
        assert_eq!((&hook["rules"][0]["scope"], &hook["clientConfig"]["service"]["port"]), (&json!("*"), &json!(443)));
        assert_eq!(hook["reinvocationPolicy"], reinvocation, "{kind}");
    }
}

#[test]
fn a_generation_counts_changes_of_webhooks() {
    let stored: &[(&str, Value)] = &[("/metadata/generation", json!(4))];
    let rows = validating();
    let seen = |changes: &[(&str, Value)], stored| rows.seen(changes, stored)["metadata"]["generation"].clone();
    assert_eq!(seen(stored, None), json!(1));
    assert_eq!(seen(&[("/metadata/labels", json!({"a": "b"}))], Some(stored)), json!(4));
    assert_eq!(seen(&[("/webhooks", json!([]))], Some(stored)), json!(5));
}

#[test]
fn names_are_qualified_and_differ() {
    let name =
        "webhooks[0].name: Invalid value: \"a.b\": should be a domain with at least three segments separated by dots";
    let long = format!("{}.", "A".repeat(253));
    member(
        "name",
        &[
            (json!(""), &["webhooks[0].name: Required value"]),
            (json!("a.b"), &[name]),
            (json!("a.B.c"), &["webhooks[0].name: Invalid value: \"a.B.c\": a lowercase RFC 1123 subdomain"]),
            (
                json!(long),
                &[
                    "webhooks[0].name: Invalid value…: must be no more than 253 characters,a lowercase RFC 1123 subdomain",
                ],
            ),
        ],
    );
    validating().created(&[
        (&[("/webhooks", json!([hook(), hook()]))], &["webhooks[1].name: Duplicate value: \"a.b.c\""]),
        (
            &[("/webhooks", json!([with("name", json!(""))[0], with("name", json!(""))[0]]))],
            &["webhooks[0].name: Required value", "webhooks[1].name: Required value"],
        ),
        (&[("/metadata/name", json!("A"))], &["metadata.name: Invalid value: \"A\": a lowercase RFC 1123 subdomain"]),
        (&[("/metadata/finalizers", json!(["plain"]))], &[]),
    ]);
}

#[test]
fn settings_are_known_words_and_numbers() {
    let unsupported = |member: &str, words: &str| {
        format!("webhooks[0].{member}: Unsupported value: \"X\": supported values: {words}")
    };
    for (name, words) in [
        ("failurePolicy", "\"Fail\", \"Ignore\""),
        ("matchPolicy", "\"Equivalent\", \"Exact\""),
        ("sideEffects", "\"None\", \"NoneOnDryRun\""),
    ] {
        member(name, &[(json!("X"), &[&unsupported(name, words)])]);
    }
    member(
        "sideEffects",
        &[
            (Value::Null, &["webhooks[0].sideEffects: Required value: must specify one of None, NoneOnDryRun"]),
            (json!(""), &["webhooks[0].sideEffects: Unsupported value: \"\": supported"]),
            (json!("NoneOnDryRun"), &[]),
        ],
    );
    let seconds = "webhooks[0].timeoutSeconds: Invalid value: 31: the timeout value must be between 1 and 30 seconds";
    member(
        "timeoutSeconds",
        &[
            (json!(31), &[seconds]),
            (json!(0), &["webhooks[0].timeoutSeconds: Invalid value: 0"]),
            (json!(30), &[]),
            (json!(1), &[]),
        ],
    );
    let mutating = rows("MutatingWebhookConfiguration");
    let words = unsupported("reinvocationPolicy", "\"IfNeeded\", \"Never\"");
    mutating.created(&[
        (&[("/webhooks", with("reinvocationPolicy", json!("X")))], &[&words]),
        (&[("/webhooks", with("reinvocationPolicy", json!("IfNeeded")))], &[]),
    ]);
}

#[test]
fn selectors_are_checked() {
    let bad = json!({"matchExpressions": [{"key": "a", "operator": "In", "values": ["-"]}]});
    for name in ["namespaceSelector", "objectSelector"] {
        let error = format!("webhooks[0].{name}.matchExpressions[0].values[0]: Invalid value: \"-\": a valid label");
        member(name, &[(bad.clone(), &[&error])]);
    }
}

#[test]
fn versions_of_reviews_are_labels_of_which_a_server_knows_one() {
    member(
        "admissionReviewVersions",
        &[
            (json!([]), &["webhooks[0].admissionReviewVersions: Required value: must specify one of v1, v1beta1"]),
            (json!(["v9", "v1beta1"]), &[]),
            (
                json!(["v9"]),
                &[
                    "webhooks[0].admissionReviewVersions: Invalid value: [\"v9\"]: must include at least one of v1, v1beta1",
                ],
            ),
            (
                json!(["v1", "v1"]),
                &["webhooks[0].admissionReviewVersions[1]: Invalid value: \"v1\": duplicate version"],
            ),
            (
                json!(["v1", "1", "1"]),
                &[
                    "webhooks[0].admissionReviewVersions[1]: Invalid value: \"1\": a DNS-1035 label",
                    "webhooks[0].admissionReviewVersions[2]: Invalid value: \"1\": duplicate",
                ],
            ),
        ],
    );
}

#[test]
fn a_webhook_is_at_a_url_or_a_service() {
    let either = "webhooks[0].clientConfig: Required value: exactly one of url or service is required";
    let url = |url: &str| json!({"url": url});
    member(
        "clientConfig",
        &[
            (json!({}), &[either]),
            (json!({"url": "https://a", "service": {"name": "s", "namespace": "n"}}), &[either]),
            (json!({"url": "https://a", "caBundle": "QUJD"}), &[]),
            (
                url("http://a"),
                &[
                    "webhooks[0].clientConfig.url: Invalid value: \"http\": 'https' is the only allowed URL scheme; desired format: \
                   https://host[/path]",
                ],
            ),
            (
                url("https:a"),
                &[
                    "webhooks[0].clientConfig.url: Invalid value: \"\": host must be specified; desired format: https://host[/path]",
                ],
            ),
            (
                url(""),
                &[
                    "webhooks[0].clientConfig.url: Invalid value: \"\": 'https' is",
                    "webhooks[0].clientConfig.url: Invalid value: \"\": host must",
                ],
            ),
            (
                url("https://u:p@a/?q#f"),
                &[
                    "webhooks[0].clientConfig.url: Invalid value: \"u:p\": user information is not permitted in the URL",
                    "webhooks[0].clientConfig.url: Invalid value: \"f\": fragments are not permitted in the URL",
                    "webhooks[0].clientConfig.url: Invalid value: \"q\": query parameters are not permitted in the URL",
                ],
            ),
            (
                url("https://a:b"),
                &[
                    "webhooks[0].clientConfig.url: Required value: url must be a valid URL: parse \"https://a:b\": invalid port \":b\" \
                   after host; desired format: https://host[/path]",
                ],
            ),
        ],
    );
}

#[test]
fn a_service_is_named_and_asked_at_a_port_and_a_path() {
    let at = "webhooks[0].clientConfig.service";
    let service = |changes: Value| {
        let mut service = json!({"name": "s", "namespace": "n"});
        for (name, value) in changes.as_object().into_iter().flatten() {
            service[name] = value.clone();
        }
        json!({"service": service})
    };
    let path = |path: &str| service(json!({"path": path}));
    let complaint = |path: &str, detail: &str| format!("{at}.path: Invalid value: \"{path}\": {detail}");
    member(
        "clientConfig",
        &[
            // A server takes one for the other.
            (service(json!({"name": ""})), &[&format!("{at}.namespace: Required value")]),
            (service(json!({"namespace": ""})), &[&format!("{at}.name: Required value")]),
            (
                service(json!({"port": 0})),
                &[&format!("{at}.port: Invalid value: 0: port is not valid: must be between 1 and 65535, inclusive")],
            ),
            (
                service(json!({"port": 65_536})),
                &["webhooks[0].clientConfig.service.port: Invalid value: 65536: port is not valid"],
            ),
            (path(""), &[]),
            (path("/"), &[]),
            (path("/a.b/c-d/"), &[]),
            (path("//"), &[&complaint("//", "segment[0] may not be empty")]),
            (path("a"), &[&complaint("a", "must start with a '/'"), &complaint("a", "segment[0] may not be empty")]),
            (
                path("\u{e9}/b"),
                &[
                    "webhooks[0].clientConfig.service.path: Invalid value…must start with a '/'",
                    "webhooks[0].clientConfig.service.path: Invalid value…segment[0]: a lowercase RFC 1123 subdomain",
                ],
            ),
            (path("/a//b"), &[&complaint("/a//b", "segment[1] may not be empty")]),
            (path("/a//"), &[&complaint("/a//", "segment[1] may not be empty")]),
            (path("/a/B?"), &[&complaint("/a/B?", "segment[1]: a lowercase RFC 1123 subdomain must consist")]),
        ],
    );
}

#[test]
fn rules_name_operations_groups_versions_and_resources() {
    let rule = |changes: Value| {
        let mut rule =
            json!({"operations": ["CREATE"], "apiGroups": [""], "apiVersions": ["v1"], "resources": ["pods"]});
        for (name, value) in changes.as_object().into_iter().flatten() {
            rule[name] = value.clone();
        }
        json!([rule])
    };
    let at = "webhooks[0].rules[0]";
    member(
        "rules",
        &[
            (rule(json!({})), &[]),
            (
                json!([{}]),
                &[
                    &format!("{at}.operations: Required value"),
                    &format!("{at}.apiGroups: Required value"),
                    &format!("{at}.apiVersions: Required value"),
                    &format!("{at}.resources: Required value"),
                ],
            ),
            (
                rule(json!({"operations": ["*", "PATCH"]})),
                &[
                    &format!(
                        "{at}.operations: Invalid value: [\"*\",\"PATCH\"]: if '*' is present, must not specify other operations"
                    ),
                    &format!(
                        "{at}.operations[1]: Unsupported value: \"PATCH\": supported values: \"*\", \"CONNECT\", \"CREATE\", \"DELETE\", \"UPDATE\""
                    ),
                ],
            ),
            (
                rule(json!({"apiGroups": ["", "*"], "apiVersions": ["*", ""]})),
                &[
                    &format!(
                        "{at}.apiGroups: Invalid value: [\"\",\"*\"]: if '*' is present, must not specify other API groups"
                    ),
                    &format!(
                        "{at}.apiVersions: Invalid value: [\"*\",\"\"]: if '*' is present, must not specify other API versions"
                    ),
                    &format!("{at}.apiVersions[1]: Required value"),
                ],
            ),
            (
                rule(json!({"resources": ["a/*", "*/b", "a/b", "", "*/*"]})),
                &[
                    &format!("{at}.resources[2]: Invalid value: \"a/b\": if 'a/*' is present, must not specify a/b"),
                    &format!("{at}.resources[2]: Invalid value: \"a/b\": if '*/b' is present, must not specify a/b"),
                    &format!("{at}.resources[3]: Required value"),
                    &format!(
                        "{at}.resources: Invalid value: [\"a/*\",\"*/b\",\"a/b\",\"\",\"*/*\"]: if '*/*' is present, must not specify other \
                              resources"
                    ),
                ],
            ),
            (
                rule(json!({"resources": ["*", "pods"]})),
                &[
                    "webhooks[0].rules[0].resources: Invalid value…if '*' is present, must not specify other resources without subresources",
                ],
            ),
            (
                rule(json!({"scope": "Global"})),
                &[&format!(
                    "{at}.scope: Unsupported value: \"Global\": supported values: \"*\", \"Cluster\", \"Namespaced\""
                )],
            ),
        ],
    );
}

#[test]
fn conditions_are_named_and_not_empty() {
    let condition = |name: &str, expression: &str| json!({"name": name, "expression": expression});
    let at = "webhooks[0].matchConditions";
    let many = |count: usize| -> Value { (0..count).map(|at| condition(&format!("c{at}"), "true")).collect() };
    member(
        "matchConditions",
        &[
            (json!([condition("example.com/a", "true"), condition("b", "?")]), &[]),
            (many(64), &[]),
            (many(65), &[&format!("{at}: Too many: 65: must have at most 64 items")]),
            (
                json!([condition("", "\u{a0}\n"), condition("", "true")]),
                &[
                    &format!("{at}[0].expression: Required value"),
                    &format!("{at}[0].name: Required value"),
                    &format!("{at}[1].name: Required value"),
                ],
            ),
            (
                json!([condition("-", "true")]),
                &[&format!("{at}[0].name: Invalid value: \"-\": name part must consist")],
            ),
            (
                json!([condition("a", "true"), condition("a", "false")]),
                &[&format!("{at}[1].name: Duplicate value: \"a\"")],
            ),
        ],
    );
}

#[test]
fn what_one_stored_webhook_does_excuses_the_new_ones() {
    let rows = validating();
    let changed = |stored: Value, new: Value, expected: &[&str]| {
        rows.changed(&[(&[("/webhooks", stored)], (&[("/webhooks", new)], expected))]);
    };
    let effects = |effects: Value| with("sideEffects", effects);
    changed(effects(json!("Unknown")), effects(json!("Some")), &[]);
    changed(effects(Value::Null), effects(json!("Unknown")), &[]);
    let all = "webhooks[0].sideEffects: Required value: must specify one of None, NoneOnDryRun, Some, Unknown";
    changed(effects(json!("Some")), effects(Value::Null), &[all]);
    changed(
        effects(json!("Some")),
        effects(json!("X")),
        &["webhooks[0].sideEffects: Unsupported value…\"None\", \"NoneOnDryRun\", \"Some\", \"Unknown\""],
    );
    changed(effects(json!("None")), effects(json!("Some")), &["webhooks[0].sideEffects: Unsupported value: \"Some\""]);

    let versions = |versions: Value| with("admissionReviewVersions", versions);
    changed(versions(json!(["v7"])), versions(json!(["v9"])), &[]);
    changed(
        versions(json!(["v7"])),
        versions(json!(["9"])),
        &["webhooks[0].admissionReviewVersions[0]: Invalid value: \"9\": a DNS-1035 label"],
    );
    changed(
        versions(json!([])),
        versions(json!(["v9"])),
        &["webhooks[0].admissionReviewVersions: Invalid value…must include at least one of"],
    );
    changed(
        versions(json!(["v1"])),
        versions(json!(["v9"])),
        &["webhooks[0].admissionReviewVersions: Invalid value…must include at least one of"],
    );

    changed(json!([hook(), hook()]), json!([hook(), hook(), hook()]), &[]);
    changed(json!([hook()]), json!([hook(), hook()]), &["webhooks[1].name: Duplicate value"]);

    let selector = |name: &str, value: &str| {
        with(name, json!({"matchExpressions": [{"key": "a", "operator": "In", "values": [value]}]}))
    };
    for stored in ["namespaceSelector", "objectSelector"] {
        changed(selector(stored, "_"), selector("objectSelector", "-"), &[]);
    }
    changed(
        json!([hook()]),
        selector("objectSelector", "-"),
        &["webhooks[0].objectSelector.matchExpressions[0].values[0]: Invalid value: \"-\""],
    );
}

#[test]
fn conditions_that_do_not_change_are_not_looked_at() {
    let condition = |name: &str| with("matchConditions", json!([{"name": name, "expression": ""}]));
    let required: &[&str] = &["webhooks[0].matchConditions[0].expression: Required value"];
    let mut renamed = condition("a");
    renamed[0]["name"] = json!("d.e.f");
    let mut twice = condition("a");
    twice.as_array_mut().expect("a list").push(with("name", json!("d.e.f"))[0].clone());
    let rows = validating();
    for (stored, new, expected) in [
        (condition("a"), condition("a"), &[][..]),
        (condition("a"), renamed, &[]),
        (condition("a"), condition("b"), required),
        (condition("a"), twice, required),
    ] {
        rows.changed(&[(&[("/webhooks", stored)], (&[("/webhooks", new)], expected))]);
    }
}

#[test]
fn an_update_is_judged_by_the_webhooks_alone() {
    validating().updated(&[(&[("/metadata/uid", json!("other"))], &[])]);
}
