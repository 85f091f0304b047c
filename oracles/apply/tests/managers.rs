//! Who owns what after a sequence of requests, and what their answers say.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests may stop at the first surprise")]

use serde_json::{Value, json};
use takeover_apply::fields::{Element, FieldSet};
use takeover_apply::managed::{CustomType, FieldManager, Refusal, Request};
use takeover_apply::schema::{Schema, TypeId, of_crd};

struct Server {
    schema: Schema,
    root: TypeId,
    live: Option<Value>,
}

/// One request: manager, subresource, second of the hour, reset fields.
#[derive(Clone, Copy, Default)]
struct By {
    manager: &'static str,
    subresource: &'static str,
    second: u32,
    reset: &'static [&'static str],
    force: bool,
}

impl Server {
    fn new() -> Self {
        let (schema, root) = of_crd(&json!({"type": "object", "properties": {
            "spec": {"type": "object", "properties": {
                "a": {"type": "string"}, "b": {"type": "string"}, "c": {"type": "string", "default": "made"}}},
            "status": {"type": "object", "properties": {"phase": {"type": "string"}}},
        }}))
        .unwrap();
        Self { schema, root, live: None }
    }

    fn ask(&mut self, by: By, object: &Value, applies: bool) -> Result<Value, Refusal> {
        let kind = CustomType {
            api_version: "example.com/v1",
            kind: "Gadget",
            schema: (&self.schema, self.root),
            set_defaults: |object: &mut Value| {
                if let Some(spec) = object.get_mut("spec").and_then(Value::as_object_mut) {
                    spec.entry("c").or_insert_with(|| json!("made"));
                }
            },
        };
        let mut reset = FieldSet::new();
        by.reset.iter().for_each(|field| reset.insert(&[Element::field(*field)]));
        let now = format!("2026-01-01T00:00:{:02}Z", by.second);
        let request = Request { manager: by.manager, subresource: by.subresource, now: &now, reset: &reset };
        let (fields, live) = (FieldManager::new(&kind), self.live.as_ref());
        let mut made = if applies {
            fields.apply(live, object, request, by.force)?
        } else {
            fields.update(live, object, request)?
        };
        made["metadata"]["uid"] = json!("u");
        self.live = Some(made.clone());
        Ok(made)
    }

    fn apply(&mut self, by: By, members: Value) -> Result<Value, Refusal> {
        self.ask(by, &object(members), true)
    }

    /// Sends the live object with these members in the place of its own.
    fn update(&mut self, by: By, members: Value) -> Result<Value, Refusal> {
        let mut sent = self.live.clone().unwrap_or_else(|| object(json!({})));
        for (name, value) in members.as_object().unwrap() {
            sent[name] = value.clone();
        }
        self.ask(by, &sent, false)
    }
}

fn object(members: Value) -> Value {
    let mut object = json!({"apiVersion": "example.com/v1", "kind": "Gadget", "metadata": {"name": "one"}});
    for (name, value) in members.as_object().unwrap() {
        object[name] = value.clone();
    }
    object
}

/// Every entry on a line: manager, operation, subresource, second, fields.
fn owners(object: &Value) -> Vec<String> {
    let entries = object["metadata"]["managedFields"].as_array().cloned().unwrap_or_default();
    let shown = |entry: &Value| {
        let text = |name: &str| entry[name].as_str().unwrap_or("-").to_owned();
        let second = text("time").get(17..19).unwrap_or("-").to_owned();
        let fields = FieldSet::from_json(&entry["fieldsV1"]).unwrap();
        let fields: Vec<String> = fields.paths().iter().map(ToString::to_string).collect();
        let (manager, operation, subresource) = (text("manager"), text("operation"), text("subresource"));
        format!("{manager} {operation} {subresource} {second}: {}", fields.join(" "))
    };
    entries.iter().map(shown).collect()
}

#[test]
fn applies_and_updates_share_out_the_fields_of_an_object() {
    let mut server = Server::new();
    let argo = By { manager: "argo", second: 1, ..By::default() };
    let made = server.apply(argo, json!({"spec": {"a": "1"}})).unwrap();
    assert_eq!(owners(&made), ["argo Apply - 01: .spec.a"]);
    assert_eq!(made["spec"], json!({"a": "1", "c": "made"}));

    // An update owns what it changes and takes it from others; defaults are nobody's.
    let made =
        server.update(By { manager: "web", second: 2, ..By::default() }, json!({"spec": {"a": "2", "c": "made"}}));
    assert_eq!(owners(&made.unwrap()), ["web Update - 02: .spec.a"]);
    let refused = server.apply(By { second: 3, ..argo }, json!({"spec": {"a": "1", "b": "1"}})).unwrap_err();
    assert_eq!(
        refused.to_string(),
        "Apply failed with 1 conflict: conflict with \"web\" using example.com/v1: .spec.a"
    );
    let made = server.apply(By { second: 4, force: true, ..argo }, json!({"spec": {"a": "1", "b": "1"}})).unwrap();
    assert_eq!(owners(&made), ["argo Apply - 04: .spec.a .spec.b"]);

    // What an applier leaves out is pruned, unless somebody else owns it.
    let helm = By { manager: "helm", second: 5, ..By::default() };
    server.apply(helm, json!({"spec": {"b": "1"}})).unwrap();
    let made = server.apply(By { second: 6, ..argo }, json!({})).unwrap();
    assert_eq!(made["spec"], json!({"b": "1", "c": "made"}));
    assert_eq!(owners(&made), ["helm Apply - -: .spec.b"]);
    let refused = server.apply(By { second: 7, ..argo }, json!({"spec": {"b": "2", "nope": 1}})).unwrap_err();
    assert_eq!(
        refused.to_string(),
        "failed to create typed patch object (/one; example.com/v1, Kind=Gadget): .spec.nope: field not declared in schema"
    );
}

#[test]
fn an_apply_that_changes_nothing_has_no_time() {
    let mut server = Server::new();
    server.apply(By { manager: "argo", second: 1, ..By::default() }, json!({"spec": {"a": "1"}})).unwrap();
    let made = server.apply(By { manager: "helm", second: 2, ..By::default() }, json!({"spec": {"a": "1"}})).unwrap();
    assert_eq!(owners(&made), ["helm Apply - -: .spec.a", "argo Apply - 01: .spec.a"]);
    let made = server.apply(By { manager: "argo", second: 3, ..By::default() }, json!({"spec": {"a": "1"}})).unwrap();
    assert_eq!(owners(&made), ["helm Apply - -: .spec.a", "argo Apply - 01: .spec.a"]);
}

#[test]
fn what_was_there_before_the_first_apply_has_an_owner() {
    let mut server = Server::new();
    server.live = Some(object(json!({"spec": {"a": "1"}})));
    server.live.as_mut().unwrap()["metadata"]["uid"] = json!("u");
    let made = server.apply(By { manager: "argo", second: 1, ..By::default() }, json!({"spec": {"b": "1"}})).unwrap();
    assert_eq!(owners(&made), ["argo Apply - 01: .spec.b", "before-first-apply Update - 01: .spec .spec.a"]);
    // Without an apply, fields that nobody keeps track of stay untracked.
    let mut server = Server { live: server.live.take(), ..Server::new() };
    server.live.as_mut().unwrap()["metadata"].as_object_mut().unwrap().remove("managedFields");
    let made = server.update(By { manager: "web", second: 2, ..By::default() }, json!({"spec": {"a": "2"}})).unwrap();
    assert_eq!(owners(&made), [""; 0]);
}

#[test]
fn fields_that_a_subresource_resets_are_not_owned_through_it() {
    let mut server = Server::new();
    let argo = By { manager: "argo", second: 1, reset: &["status"], ..By::default() };
    let made = server.apply(argo, json!({"spec": {"a": "1"}, "status": {"phase": "Up"}})).unwrap();
    assert_eq!(owners(&made), ["argo Apply - 01: .spec.a"]);
    let status = By { manager: "argo", subresource: "status", second: 2, reset: &["metadata", "spec"], force: false };
    let made = server.apply(status, json!({"spec": {"a": "9"}, "status": {"phase": "Down"}})).unwrap();
    assert_eq!(owners(&made), ["argo Apply - 01: .spec.a", "argo Apply status 02: .status.phase"]);
    let other = By { manager: "web", ..status };
    let refused = server.apply(other, json!({"status": {"phase": "Up"}})).unwrap_err();
    assert_eq!(
        refused.to_string(),
        "Apply failed with 1 conflict: conflict with \"argo\" with subresource \"status\": .status.phase"
    );
}

#[test]
fn only_ten_updaters_are_kept_apart() {
    let mut server = Server::new();
    server.apply(By { manager: "argo", second: 1, ..By::default() }, json!({"spec": {"a": "0"}})).unwrap();
    const NAMES: [&str; 12] = ["u00", "u01", "u02", "u03", "u04", "u05", "u06", "u07", "u08", "u09", "u10", "u11"];
    let mut made = Value::Null;
    for (manager, second) in NAMES.into_iter().zip(2..) {
        let sent = server.live.as_mut().unwrap();
        sent["metadata"]["labels"][manager] = json!("x");
        let mut sent = sent.clone();
        sent["metadata"]["annotations"][manager] = json!("x");
        made = server.ask(By { manager, second, ..By::default() }, &sent, false).unwrap();
    }
    let owners = owners(&made);
    assert_eq!(owners.len(), 11, "{owners:#?}");
    assert!(owners[1].starts_with("ancient-changes Update - 04:"), "{owners:#?}");
    assert!(owners[2].starts_with("u03 Update - 05:"), "{owners:#?}");
}

#[test]
fn an_update_may_forget_or_rewrite_who_owns_what() {
    let rewritten = json!([{"manager": "me", "operation": "Apply", "apiVersion": "example.com/v1",
        "fieldsType": "FieldsV1", "fieldsV1": {"f:spec": {"f:a": {}}}, "time": "2026-01-01T00:00:01Z"}]);
    for (sent, left) in [
        (json!([]), vec![]),
        (json!([{}]), vec![]),
        (json!([{"manager": "me"}]), vec!["argo Apply - 01: .spec.a"]),
        (rewritten, vec!["me Apply - 01: .spec.a"]),
    ] {
        let mut server = Server::new();
        server.apply(By { manager: "argo", second: 1, ..By::default() }, json!({"spec": {"a": "1"}})).unwrap();
        let mut object = server.live.clone().unwrap();
        object["metadata"]["managedFields"] = sent.clone();
        let made = server.ask(By { manager: "web", second: 2, ..By::default() }, &object, false).unwrap();
        assert_eq!(owners(&made), left, "{sent}");
        let applied = json!({"metadata": object["metadata"]});
        if sent != json!([{"manager": "me"}]) {
            let refused = server.apply(By { manager: "argo", ..By::default() }, applied).unwrap_err();
            assert_eq!(refused.to_string(), "metadata.managedFields must be nil");
        }
    }
}

#[test]
fn kubectl_takes_over_what_it_applied_on_the_clients_side() {
    const LAST: &str = "kubectl.kubernetes.io/last-applied-configuration";
    let last = object(json!({"spec": {"a": "1", "b": "1"}})).to_string();
    let mut server = Server::new();
    let mut live = object(json!({"spec": {"a": "1", "b": "2"}}));
    live["metadata"]["annotations"] = json!({LAST: last});
    server.ask(By { manager: "kubectl-client-side-apply", second: 1, ..By::default() }, &live, false).unwrap();
    let kubectl = By { manager: "kubectl", second: 2, ..By::default() };
    // What has changed since is somebody else's.
    let refused = server.apply(kubectl, json!({"spec": {"a": "3", "b": "3"}})).unwrap_err();
    let expected =
        "Apply failed with 1 conflict: conflict with \"kubectl-client-side-apply\" using example.com/v1: .spec.b";
    assert_eq!(refused.to_string(), expected);
    let other = By { manager: "argo", ..kubectl };
    assert!(matches!(server.apply(other, json!({"spec": {"a": "3"}})), Err(Refusal::Conflicts(_))));
    let made = server.apply(kubectl, json!({"spec": {"a": "3"}})).unwrap();
    assert_eq!(made["spec"]["a"], "3");
    let kept: Value = serde_json::from_str(made["metadata"]["annotations"][LAST].as_str().unwrap()).unwrap();
    assert_eq!(kept, object(json!({"spec": {"a": "3"}})));
}

#[test]
fn what_is_of_another_kind_is_refused() {
    let mut server = Server::new();
    let mut other = object(json!({}));
    other["kind"] = json!("Widget");
    let refused = server.ask(By { manager: "argo", ..By::default() }, &other, true).unwrap_err();
    assert_eq!(refused.to_string(), "invalid object type: example.com/v1, Kind=Widget");
}
