//! Recorded applies and updates: who owns what afterwards, and what an apply makes of an object, by our merging.

use super::super::applied::{compared, made};
use super::super::targets::Targets;
use super::truth::{file, lines};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use takeover_apply::managed::{CustomType, ObjectType, without_new_times};
use takeover_apply::schema::{Schema, TypeId, of_crd};
use takeover_corpora::fixture::{ApplyExpect, RecordedApply, RecordedConflict};
use takeover_custom_resources::{CustomKind, coerce, kinds_of_crd};
use takeover_harness::object::Instant;
use takeover_harness::subject::SubjectId;

/// Most places that are listed.
const MOST_LISTED: usize = 20;

/// Recorded requests held against our merging.
#[derive(Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Applied {
    /// Applies.
    pub applies: Agreed,
    /// Creates, replacements and patches.
    pub updates: Agreed,
    /// Requests that are not compared, by reason.
    pub skipped: BTreeMap<String, u64>,
    /// Requests for which our answer differs.
    pub wrong: Vec<String>,
}

/// How many requests of a sort have the recorded result.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub(super) struct Agreed {
    pub compared: u64,
    pub agreed: u64,
    /// Requests whose recorded object also has values that servers set after merging. Their managed fields are as recorded.
    pub completed: u64,
}

/// A request as the driver recorded it.
#[derive(Deserialize)]
struct Line {
    n: u64,
    #[serde(default)]
    method: String,
    #[serde(default)]
    path: String,
    content_type: Option<String>,
    user_agent: Option<String>,
    http_code: u16,
    #[serde(default)]
    request_body: Value,
    response_body: Option<Value>,
    before: Option<Value>,
    concurrent: Option<Value>,
    #[serde(default)]
    sent: f64,
}

/// A version of a recorded CRD, and how its objects are merged.
struct Custom {
    kind: CustomKind,
    merging: Option<(Schema, TypeId)>,
}

impl Applied {
    /// Reads the requests of a recording, and replays those that change an object.
    ///
    /// # Errors
    /// When they cannot be read.
    pub(super) fn read(folder: &Path) -> anyhow::Result<Self> {
        let mut replayed = Self::default();
        let mut targets = Targets::new(None)?;
        let mut customs: HashMap<(String, String), Custom> = HashMap::new();
        for line in lines::<Line>(&file(folder, "requests.jsonl")?)? {
            let line = line?;
            if line.path.contains("/customresourcedefinitions") && line.http_code < 300 {
                learn(line.response_body.as_ref(), &mut customs);
            }
            if matches!(line.method.as_str(), "POST" | "PUT" | "PATCH") {
                let n = line.n;
                match replayed.hold(line, &mut targets, &customs) {
                    Ok(None) => {}
                    Ok(Some(said)) if replayed.wrong.len() < MOST_LISTED => {
                        replayed.wrong.push(format!("request {n}: {said}"));
                    }
                    Ok(Some(_)) => {}
                    Err(reason) => *replayed.skipped.entry(reason).or_default() += 1,
                }
            }
        }
        Ok(replayed)
    }

    /// Whether every request that was compared has the recorded result.
    pub(super) fn is_right(&self) -> bool {
        [self.applies, self.updates].iter().all(|of| of.agreed + of.completed == of.compared)
    }

    /// What differs, if anything does; otherwise why the request is not compared.
    fn hold(
        &mut self,
        line: Line,
        targets: &mut Targets,
        customs: &HashMap<(String, String), Custom>,
    ) -> Result<Option<String>, String> {
        let mut recorded = line.recorded()?;
        let key = (recorded.api_version.clone(), recorded.kind.clone());
        let (mut recorded, ours, id) = match customs.get(&key) {
            Some(custom) => {
                let Some((schema, root)) = &custom.merging else {
                    return Err("the schema does not say how lists and maps merge".to_owned());
                };
                let kind = CustomType {
                    api_version: &key.0,
                    kind: &key.1,
                    schema: (schema, *root),
                    set_defaults: |object: &mut Value| coerce::set_defaults(&custom.kind.structural, object),
                };
                if let Some(object) = &mut recorded.object {
                    coerce::prune(&custom.kind.structural, object);
                }
                with_result(recorded, &kind, custom.kind.status_subresource, &["spec", "metadata"])?
            }
            None => {
                let kind = targets.merging(&key.0, &key.1).map_err(|_| "no types of the kind".to_owned())?;
                let has_status = kind.has_status();
                let of_status: &[&str] = match key.1.as_str() {
                    "Deployment" => &["spec", "metadata.labels"],
                    "FlowSchema" | "PriorityLevelConfiguration" | "ValidatingAdmissionPolicy" | "VolumeAttachment" => {
                        &["spec", "metadata"]
                    }
                    _ => &["spec"],
                };
                if let Some(object) = &mut recorded.object {
                    convert(&key.1, object);
                }
                with_result(recorded, &*kind, has_status, of_status)?
            }
        };
        let of = if recorded.operation == "apply" { &mut self.applies } else { &mut self.updates };
        let only_owners = recorded.operation != "apply";
        let bare = |object: Value| if only_owners { owners(&object) } else { without_what_servers_set(object) };
        recorded.expect.object = recorded.expect.object.map(bare);
        let lines = compared(&recorded, &id, ours.map(bare));
        of.compared += 1;
        of.agreed += u64::from(lines.is_empty());
        let is_set_later = |said: &str| said.starts_with("missing Value ") && !said.contains(" metadata.managedFields");
        if !lines.is_empty() && lines.iter().all(|(difference, _)| is_set_later(difference)) {
            of.completed += 1;
            return Ok(None);
        }
        Ok(lines.into_iter().next().map(|(difference, detail)| format!("{id} {difference}\n    {detail}")))
    }
}

type Ours = Result<Value, takeover_apply::managed::Refusal>;

/// The request, with the fields that it resets, and the object that we make of it.
fn with_result(
    recorded: RecordedApply,
    kind: &dyn ObjectType,
    has_status: bool,
    of_status: &[&str],
) -> Result<(RecordedApply, Ours, SubjectId), String> {
    let reset: &[&str] = match (recorded.subresource.as_str(), has_status) {
        ("status", _) => of_status,
        // Nobody changes what a request for a certificate asks for.
        _ if recorded.kind == "CertificateSigningRequest" => &["spec", "status"],
        (_, true) => &["status"],
        _ => &[],
    };
    let reset_fields = reset.iter().map(|path| (*path).to_owned()).collect();
    let object = recorded.object.map(|object| kind.defaulted(object)).transpose()?;
    let recorded = RecordedApply { reset_fields, object, ..recorded };
    let ours = made(&recorded, kind)?.map(|object| match &recorded.live {
        Some(live) => without_new_times(live, object),
        None => object,
    });
    let id = SubjectId::new(&recorded.api_version, &recorded.kind).with_subresource(&recorded.subresource);
    Ok((recorded, ours, id))
}

/// The annotation in which version 1 of a DaemonSet keeps a field of older versions.
const GENERATION: &str = "deprecated.daemonset.template.generation";

/// Sets the values that conversion through the internal version sets.
fn convert(kind: &str, object: &mut Value) {
    name_accounts(object);
    let Some(members) = object.as_object_mut() else { return };
    match kind {
        "DaemonSet" => {
            if let Some(annotations) = map_in(members, "metadata").and_then(|metadata| map_in(metadata, "annotations"))
            {
                annotations.entry(GENERATION).or_insert_with(|| "0".into());
            }
        }
        "Secret" => {
            let Some(Value::Object(texts)) = members.remove("stringData") else { return };
            if let Some(data) = map_in(members, "data") {
                let encoded = |text: Value| STANDARD.encode(text.as_str().unwrap_or_default()).into();
                data.extend(texts.into_iter().map(|(name, text)| (name, encoded(text))));
            }
        }
        _ => {}
    }
}

/// The map in a member. Creates the map if the member is missing.
fn map_in<'m>(members: &'m mut Map<String, Value>, name: &str) -> Option<&'m mut Map<String, Value>> {
    members.entry(name).or_insert_with(|| Value::Object(Map::new())).as_object_mut()
}

/// Gives pods the older name of their service account.
fn name_accounts(value: &mut Value) {
    match value {
        Value::Object(members) => {
            if let Some(name) = members.get("serviceAccountName").filter(|name| name.is_string()).cloned() {
                members.insert("serviceAccount".to_owned(), name);
            }
            members.values_mut().for_each(name_accounts);
        }
        Value::Array(items) => items.iter_mut().for_each(name_accounts),
        _ => {}
    }
}

/// Remembers the versions of a CRD.
fn learn(manifest: Option<&Value>, customs: &mut HashMap<(String, String), Custom>) {
    let kinds = manifest.and_then(|manifest| kinds_of_crd(manifest).ok());
    for kind in kinds.into_iter().flatten() {
        let merging = of_crd(&kind.written).ok();
        customs.insert((format!("{}/{}", kind.group, kind.version), kind.kind.clone()), Custom { kind, merging });
    }
}

impl Line {
    /// The request in the form of fixtures; otherwise why it cannot be compared.
    fn recorded(self) -> Result<RecordedApply, String> {
        let skip = |reason: &str| Err(reason.to_owned());
        let content_type = self.content_type.as_deref().unwrap_or_default();
        let is_apply = content_type == "application/apply-patch+yaml";
        let is_conflict = self.http_code == 409 && is_apply;
        if !(self.http_code < 300 || is_conflict) {
            return skip("rejected");
        }
        if self.concurrent.as_ref().is_some_and(|mark| *mark != Value::Bool(false) && !mark.is_null()) {
            return skip("sent together with others");
        }
        let (path, query) = self.path.split_once('?').unwrap_or((&self.path, ""));
        let Some(subresource) = subresource(path) else { return skip("not about an object") };
        if !matches!(subresource, "" | "status") {
            return skip("a subresource with objects of its own");
        }
        let Some(response) = self.response_body else { return skip("no answer") };
        let sent = if is_conflict { &self.request_body } else { &response };
        let text = |of: &Value, name: &str| of.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
        let (api_version, kind) = (text(sent, "apiVersion"), text(sent, "kind"));
        let live = self.before.filter(|before| !before.is_null());
        let is_other = |entry: &Value| entry.get("apiVersion").and_then(Value::as_str) != Some(&api_version);
        if live.iter().flat_map(entries).any(is_other) {
            return skip("fields are owned in another version");
        }
        let value_of = |name: &str| {
            query
                .split('&')
                .filter_map(|part| part.split_once('='))
                .find(|(key, _)| *key == name)
                .map(|(_, value)| value)
        };
        let manager = value_of("fieldManager").map(|name| name.replace("%20", " "));
        let agent = || self.user_agent.as_deref().and_then(|agent| agent.split('/').next()).map(str::to_owned);
        let manager = manager.or_else(agent).unwrap_or_default();
        let (applied, object) = match (is_apply, self.method.as_str(), content_type) {
            (true, ..) if self.request_body.is_object() => (Some(self.request_body), None),
            (true, ..) => return skip("a body of YAML"),
            (_, "PUT" | "POST", _) if self.request_body.is_object() => (None, Some(self.request_body)),
            (_, "PATCH", "application/merge-patch+json" | "application/json-patch+json") => {
                let Some(live) = &live else { return skip("the object before it is not recorded") };
                let mut object = live.clone();
                match serde_json::from_value::<json_patch::Patch>(self.request_body.clone()) {
                    Ok(patch) => json_patch::patch(&mut object, &patch).map_err(|_| "a patch that does not apply")?,
                    Err(_) => json_patch::merge(&mut object, &self.request_body),
                }
                (None, Some(object))
            }
            _ => return skip("a body or patch of a form that is not replayed"),
        };
        if self.method != "POST" && live.is_none() && !is_apply {
            return skip("the object before it is not recorded");
        }
        let expect = if is_conflict { conflict(&response) } else { object_of(response) };
        let expect = expect.ok_or("an answer without managed fields")?;
        let now = time(&expect, &manager, self.sent).ok_or("no time")?;
        Ok(RecordedApply {
            id: self.n.to_string(),
            crd: None,
            version: None,
            api_version,
            kind,
            operation: if is_apply { "apply" } else { "update" }.to_owned(),
            subresource: subresource.to_owned(),
            manager,
            force: value_of("force") == Some("true"),
            live,
            applied,
            object,
            reset_fields: Vec::new(),
            now,
            expect,
        })
    }
}

/// The subresource of a path, empty for an object itself; none if the path is of something else.
fn subresource(path: &str) -> Option<&str> {
    let mut parts = path.trim_matches('/').split('/');
    let version = match parts.next()? {
        "api" => parts.next(),
        "apis" => parts.nth(1),
        _ => None,
    };
    version?;
    let rest: Vec<&str> = parts.collect();
    match rest.as_slice() {
        ["namespaces", _, of @ ("status" | "finalize")] => Some(of),
        ["namespaces", _, _, rest @ ..] => Some(rest.get(1).copied().unwrap_or_default()),
        [_, rest @ ..] => Some(rest.get(1).copied().unwrap_or_default()),
        [] => None,
    }
}

fn entries(object: &Value) -> impl Iterator<Item = &Value> {
    object.pointer("/metadata/managedFields").and_then(Value::as_array).into_iter().flatten()
}

fn object_of(response: Value) -> Option<ApplyExpect> {
    entries(&response).next()?;
    Some(ApplyExpect { object: Some(response), ..ApplyExpect::default() })
}

/// The conflicts of an answer; none if it is another one.
fn conflict(response: &Value) -> Option<ApplyExpect> {
    let text = |of: &Value, name: &str| of.get(name).and_then(Value::as_str).map(str::to_owned);
    let causes = response.pointer("/details/causes")?.as_array()?;
    let of = |cause: &Value| Some(RecordedConflict { field: text(cause, "field")?, message: text(cause, "message")? });
    let conflicts: Vec<RecordedConflict> = causes.iter().map(of).collect::<Option<_>>()?;
    let error = text(response, "message").filter(|message| message.starts_with("Apply failed with"))?;
    Some(ApplyExpect { error: Some(error), conflicts, ..ApplyExpect::default() })
}

/// The time of a request: the time in its manager's entry if that is within two seconds of sending, otherwise the time of sending.
fn time(expect: &ApplyExpect, manager: &str, sent: f64) -> Option<String> {
    let of_manager = |entry: &&Value| entry.get("manager").and_then(Value::as_str) == Some(manager);
    let times =
        expect.object.iter().flat_map(entries).filter(of_manager).filter_map(|entry| entry.get("time")?.as_str());
    let seconds = |time: &str| Instant::parse(time).map(|at| at.timestamp().as_second());
    let is_near = |time: &&str| seconds(time).is_some_and(|at| (at as f64 - sent).abs() < 2.0);
    let near = times.filter(is_near).max().map(str::to_owned);
    near.or_else(|| Some(jiff::Timestamp::from_second(sent as i64).ok()?.to_string()))
}

/// An object with nothing but who owns its fields.
fn owners(object: &Value) -> Value {
    json!({"metadata": {"managedFields": object.pointer("/metadata/managedFields").cloned().unwrap_or_default()}})
}

/// Metadata that servers set after merging.
const SET_BY_SERVERS: [&str; 5] = ["uid", "resourceVersion", "generation", "creationTimestamp", "namespace"];

/// Who asks for a certificate, as servers write it into the request.
const REQUESTER: [&str; 4] = ["username", "uid", "groups", "extra"];

/// An object without what servers set after merging, and with null for empty lists, which storage does not tell apart.
fn without_what_servers_set(mut object: Value) -> Value {
    if let Some(metadata) = object.get_mut("metadata").and_then(Value::as_object_mut) {
        SET_BY_SERVERS.iter().for_each(|name| drop(metadata.remove(*name)));
    }
    if object.get("kind").and_then(Value::as_str) == Some("CertificateSigningRequest")
        && let Some(spec) = object.get_mut("spec").and_then(Value::as_object_mut)
    {
        REQUESTER.iter().for_each(|name| drop(spec.remove(*name)));
    }
    empty_to_null(&mut object);
    object
}

fn empty_to_null(value: &mut Value) {
    match value {
        Value::Array(items) if items.is_empty() => *value = Value::Null,
        Value::Array(items) => items.iter_mut().for_each(empty_to_null),
        Value::Object(members) => members.values_mut().for_each(empty_to_null),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::{Applied, subresource};
    use serde_json::{Value, json};

    const LIVE: &str = "2026-01-01T00:00:01Z";

    fn config(data: &Value, entries: &Value) -> Value {
        json!({"apiVersion": "v1", "kind": "ConfigMap", "data": data,
            "metadata": {"name": "one", "namespace": "shop", "managedFields": entries}})
    }

    fn entry(manager: &str, operation: &str, field: &str) -> Value {
        json!({"manager": manager, "operation": operation, "apiVersion": "v1", "time": LIVE,
            "fieldsType": "FieldsV1", "fieldsV1": {"f:data": {field: {}}}})
    }

    /// An apply, an update and a conflict, as a driver records them.
    fn requests() -> Vec<Value> {
        let apply = "application/apply-patch+yaml";
        let sent = 1_767_225_601.5;
        let path = "/api/v1/namespaces/shop/configmaps/one";
        let by_argo = config(&json!({"a": "1"}), &json!([entry("argo", "Apply", "f:a")]));
        let applied =
            |data: Value| json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "one"}, "data": data});
        let with_helm = config(
            &json!({"a": "1", "b": "2"}),
            &json!([entry("argo", "Apply", "f:a"), entry("helm", "Apply", "f:b")]),
        );
        let with_kubectl = config(
            &json!({"a": "1", "c": "3"}),
            &json!([entry("argo", "Apply", "f:a"), entry("kubectl", "Update", "f:c")]),
        );
        let cause = json!({"reason": "FieldManagerConflict", "field": ".data.a", "message": "conflict with \"argo\""});
        let conflict = json!({"kind": "Status", "apiVersion": "v1", "details": {"causes": [cause]},
            "message": "Apply failed with 1 conflict: conflict with \"argo\": .data.a"});
        vec![
            json!({"n": 1, "method": "PATCH", "path": format!("{path}?fieldManager=helm"), "content_type": apply,
                "http_code": 200, "request_body": applied(json!({"b": "2"})), "before": by_argo, "sent": sent,
                "response_body": with_helm}),
            json!({"n": 2, "method": "PATCH", "path": path, "content_type": "application/merge-patch+json",
                "user_agent": "kubectl/v1.36.2", "http_code": 200, "request_body": {"data": {"c": "3"}},
                "before": by_argo, "sent": sent, "response_body": with_kubectl}),
            json!({"n": 3, "method": "PATCH", "path": format!("{path}?fieldManager=helm"), "content_type": apply,
                "http_code": 409, "request_body": applied(json!({"a": "2"})), "before": by_argo, "sent": sent,
                "response_body": conflict}),
            json!({"n": 4, "method": "POST", "path": path, "http_code": 422, "request_body": {}}),
        ]
    }

    fn replayed(requests: &[Value]) -> Applied {
        let folder = tempfile::tempdir().unwrap();
        let lines: Vec<String> = requests.iter().map(ToString::to_string).collect();
        std::fs::write(folder.path().join("requests.jsonl"), lines.join("\n")).unwrap();
        Applied::read(folder.path()).unwrap()
    }

    #[test]
    fn recorded_applies_conflicts_and_updates_are_merged_as_recorded() {
        let replayed = replayed(&requests());
        assert!(replayed.is_right(), "{:?}", replayed.wrong);
        assert_eq!((replayed.applies.agreed, replayed.updates.agreed), (2, 1));
        assert_eq!(replayed.skipped.iter().collect::<Vec<_>>(), [(&"rejected".to_owned(), &1)]);
    }

    #[test]
    fn another_recorded_result_is_told_with_its_request() {
        for (request, at, planted) in [
            (0, "/response_body/data/b", json!("3")),
            (0, "/response_body/metadata/managedFields/1/manager", json!("other")),
            (1, "/response_body/metadata/managedFields/1/fieldsV1", json!({"f:data": {"f:b": {}}})),
            (2, "/response_body/details/causes/0/field", json!(".data.b")),
        ] {
            let mut requests = requests();
            *requests[request].pointer_mut(at).unwrap() = planted;
            let replayed = replayed(&requests);
            assert!(!replayed.is_right(), "{at}");
            assert!(
                replayed.wrong[0].starts_with(&format!("request {}: v1 ConfigMap", request + 1)),
                "{:?}",
                replayed.wrong
            );
        }
    }

    #[test]
    fn the_subresource_is_read_from_the_path() {
        for (path, of) in [
            ("/api/v1/namespaces/shop/services/one/status", Some("status")),
            ("/api/v1/namespaces/shop/services/one", Some("")),
            ("/api/v1/namespaces/shop/status", Some("status")),
            ("/api/v1/namespaces/shop", Some("")),
            ("/apis/apps/v1/namespaces/shop/deployments/one/scale", Some("scale")),
            ("/readyz", None),
        ] {
            assert_eq!(subresource(path), of, "{path}");
        }
    }
}
