//! Fixtures of requests to ValidatingAdmissionPolicies.

use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;
use takeover_admission_policies::api::{Binding, Policy};
use takeover_admission_policies::{Cluster, Grants, ManifestError, PolicySet, Ran, Request, policy_errors};
use takeover_cel::value::Answerer;
use takeover_reports::conform::{Agreement, FixtureExample};

/// The name under which these fixtures are counted.
const KIND: &str = "ValidatingAdmissionPolicy";
/// What the server answers, and what it came from.
const DECISION: &str = "decision";

/// A request to a policy, and what an API server's code made of it.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Asked {
    id: String,
    policy: Value,
    bindings: Vec<Value>,
    #[serde(default)]
    params: Vec<Value>,
    #[serde(default)]
    param_namespaced: bool,
    #[serde(default)]
    namespaces: Vec<Value>,
    request: Request,
    /// The order of params is any.
    #[serde(default)]
    unordered: bool,
    expect: Map<String, Value>,
}

/// Judges one request on everything that was recorded.
pub(super) fn judge(fixture: &Asked, place: &str, bytes: usize, agreement: &mut Agreement) {
    let mut ours = match answer(fixture) {
        Ok(ours) => ours,
        Err(error) => return agreement.skip(format!("ValidatingAdmissionPolicy that cannot be read: {error}")),
    };
    let mut recorded = fixture.expect.clone();
    for members in [&mut recorded, &mut ours] {
        settle(members, fixture.unordered);
    }
    let mut lines = Vec::new();
    for name in ["allowed", "code", "reason", "message", "warnings", "auditAnnotations", "evaluations", "policyErrors"]
    {
        let (recorded, ours) = (recorded.get(name), ours.get(name));
        if recorded != ours {
            let shown = |value: Option<&Value>| value.map_or_else(|| "nothing".to_owned(), Value::to_string);
            lines.push((format!("{name} differs"), format!("recorded {}\nours     {}", shown(recorded), shown(ours))));
        }
    }
    let operation = fixture.request.operation.to_lowercase();
    agreement.count(KIND, DECISION, &operation, lines, |detail| FixtureExample {
        place: place.to_owned(),
        id: fixture.id.clone(),
        bytes,
        detail,
    });
}

/// Sorts what has no order.
fn settle(members: &mut Map<String, Value>, unordered: bool) {
    let mut sort = |name: &str| {
        if let Some(Value::Array(items)) = members.get_mut(name) {
            items.sort_by_cached_key(Value::to_string);
        }
    };
    sort("policyErrors");
    if !unordered {
        return;
    }
    sort("evaluations");
    sort("warnings");
    // Which of several params comes first.
    members.remove("message");
    members.remove("reason");
    members.remove("code");
    if let Some(Value::Object(annotations)) = members.get_mut("auditAnnotations") {
        for (key, value) in annotations.iter_mut() {
            let text = value.as_str().unwrap_or_default();
            let mut parts: Vec<&str> = text.split(", ").collect();
            parts.sort_unstable();
            // The first failure is recorded.
            let first = if key.ends_with("/validation_failure") { String::new() } else { parts.join(", ") };
            *value = Value::from(first);
        }
    }
}

/// What we make of a request.
fn answer(fixture: &Asked) -> Result<Map<String, Value>, ManifestError> {
    let policy = Policy::read(&fixture.policy)?;
    let refused: Vec<String> = policy_errors(&policy).iter().map(ToString::to_string).collect();
    let bindings = fixture.bindings.iter().map(Binding::read).collect::<Result<Vec<_>, _>>()?;
    let mut cluster = Cluster::default();
    cluster.set_authorizer(Answerer(Arc::new(Grants {
        users: vec![("admin".to_owned(), "admin may".to_owned())],
        otherwise: "nobody says so".to_owned(),
    })));
    fixture.namespaces.iter().cloned().for_each(|namespace| cluster.add_namespace(namespace));
    fixture.params.iter().cloned().for_each(|param| cluster.add_object(param));
    if let Some(kind) = policy.spec.param_kind.as_ref().filter(|_| !fixture.param_namespaced) {
        cluster.set_cluster_scoped(&kind.api_version, &kind.kind);
    }
    let mut evaluations: Vec<Value> = Vec::new();
    let set = PolicySet::new(vec![policy], &bindings);
    let response = set.judge(&fixture.request, &cluster, &mut |ran: Ran| evaluations.push(json!(ran.evaluation)));
    let mut answer: BTreeMap<&str, Value> = BTreeMap::from([
        ("allowed", json!(response.allows())),
        ("warnings", json!(response.warnings)),
        ("auditAnnotations", json!(response.audit_annotations)),
        ("evaluations", json!(evaluations)),
        ("policyErrors", json!(refused)),
    ]);
    if let Some(status) = &response.status {
        answer.insert("code", json!(status.code));
        answer.insert("reason", json!(status.reason));
        answer.insert("message", json!(status.message));
    }
    Ok(answer.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
}
