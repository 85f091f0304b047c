//! Decisions are those that Kubernetes made; see `verdicts/README.md`.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests may stop at the first surprise")]

use flate2::read::GzDecoder;
use serde_json::{Value, json};
use std::io::Read;
use std::sync::Arc;
use takeover_admission_policies::api::{Binding, Policy};
use takeover_admission_policies::{Cluster, Grants, PolicySet, Request, policy_errors};
use takeover_cel::value::Answerer;

fn items(of: &Value) -> impl Iterator<Item = &Value> {
    of.as_array().into_iter().flatten()
}

/// What we make of a request, with the members that were recorded.
fn ours(fixture: &Value) -> Value {
    let policy = Policy::read(&fixture["policy"]).unwrap();
    let mut refused: Vec<String> = policy_errors(&policy).iter().map(ToString::to_string).collect();
    refused.sort();
    let bindings: Vec<Binding> = items(&fixture["bindings"]).map(|binding| Binding::read(binding).unwrap()).collect();
    let mut cluster = Cluster::default();
    items(&fixture["namespaces"]).for_each(|namespace| cluster.add_namespace(namespace.clone()));
    items(&fixture["params"]).for_each(|param| cluster.add_object(param.clone()));
    if let (Some(kind), Some(false)) = (&policy.spec.param_kind, fixture["paramNamespaced"].as_bool()) {
        cluster.set_cluster_scoped(&kind.api_version, &kind.kind);
    }
    let users = vec![("admin".to_owned(), "admin may".to_owned())];
    cluster.set_authorizer(Answerer(Arc::new(Grants { users, otherwise: "nobody says so".to_owned() })));
    let request: Request = serde_json::from_value(fixture["request"].clone()).unwrap();
    let mut evaluations = Vec::new();
    let set = PolicySet::new(vec![policy], &bindings);
    let response = set.judge(&request, &cluster, &mut |ran| evaluations.push(json!(ran.evaluation)));
    let mut ours = json!({
        "allowed": response.allows(),
        "warnings": response.warnings,
        "auditAnnotations": response.audit_annotations,
        "evaluations": evaluations,
        "policyErrors": refused,
    });
    if let Some(status) = response.status {
        for (name, value) in json!(status).as_object().unwrap() {
            ours[name] = value.clone();
        }
    }
    ours
}

#[test]
fn every_recorded_decision_is_ours() {
    let file: &[u8] = include_bytes!("verdicts/requests.jsonl.gz");
    let mut text = String::new();
    GzDecoder::new(file).read_to_string(&mut text).unwrap();
    let (mut judged, mut denied) = (0, 0);
    let mut wrong = Vec::new();
    for line in text.lines() {
        let fixture: Value = serde_json::from_str(line).unwrap();
        // The order of params is any: what is first differs.
        let compared = match fixture["unordered"].as_bool() {
            Some(true) => ["allowed", "policyErrors"].as_slice(),
            _ => {
                &["allowed", "code", "reason", "message", "warnings", "auditAnnotations", "evaluations", "policyErrors"]
            }
        };
        let ours = ours(&fixture);
        judged += 1;
        denied += usize::from(ours["allowed"] == json!(false));
        for name in compared {
            if fixture["expect"][name] != ours[name] {
                wrong.push(format!("{} {name}: {} not {}", fixture["id"], ours[name], fixture["expect"][name]));
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {judged}:\n{}", wrong.len(), wrong.join("\n"));
    assert_eq!((judged, denied > 30), (126, true));
}
