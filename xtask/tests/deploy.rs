//! The manifests of `deploy/`: what they promise, and what our own validators say of them.

#![expect(clippy::unwrap_used, reason = "tests stop at the first surprise")]

use assert_cmd::Command;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use takeover_corpora::load::{Input, Limits, load};
use takeover_oracles::registry::Registry;

fn deploy() -> PathBuf {
    [env!("CARGO_MANIFEST_DIR"), "..", "deploy"].iter().collect()
}

fn documents(files: &[PathBuf]) -> Vec<Value> {
    let inputs: Vec<Input> = files.iter().map(Input::named).collect();
    load(inputs, Limits::default()).map(|document| document.unwrap().value).collect()
}

/// Every manifest, by the loader that also refuses repeated keys.
fn manifests() -> Vec<Value> {
    let files = |folder: &str| {
        let entries = std::fs::read_dir(deploy().join(folder)).unwrap().map(|entry| entry.unwrap().path());
        // Rules and their tests are no objects; an authority's certificate is made on the spot.
        let other = ["rules.yaml", "rules_test.yaml", "ca-bundle.yaml"];
        let is_manifest = |path: &PathBuf| {
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            name.ends_with(".yaml") && !other.contains(&name.as_str())
        };
        entries.filter(is_manifest).collect::<Vec<_>>()
    };
    let mut all = ["base", "self-signed", "cert-manager", "monitoring"].map(files).concat();
    all.sort();
    documents(&all)
}

fn of_kind(kind: &str) -> Value {
    manifests().into_iter().find(|manifest| manifest["kind"] == kind).unwrap()
}

/// What `validate` says of objects.
fn validate(objects: &[Value]) -> Value {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("objects.json");
    let text: Vec<String> = objects.iter().map(Value::to_string).collect();
    std::fs::write(&file, text.join("\n")).unwrap();
    let output =
        Command::cargo_bin("takeover").unwrap().args(["validate", "--format", "json"]).arg(&file).output().unwrap();
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn the_manifests_pass_our_own_validators() {
    let policy = of_kind("NetworkPolicy");
    // The pod template under a kind whose template we judge as Kubernetes does.
    let deployment = of_kind("Deployment");
    let under_judgement = json!({
        "apiVersion": "v1",
        "kind": "ReplicationController",
        "metadata": deployment["metadata"],
        "spec": {
            "replicas": deployment["spec"]["replicas"],
            "selector": deployment["spec"]["selector"]["matchLabels"],
            "template": deployment["spec"]["template"],
        },
    });
    let said = validate(&[policy, under_judgement]);
    assert_eq!(
        said["totals"],
        json!({"objects": 2, "valid": 2, "invalid": 0, "undecodable": 0, "problems": 0}),
        "{said:#}"
    );
    let mut broken = of_kind("NetworkPolicy");
    broken["spec"]["policyTypes"] = json!(["Sideways"]);
    assert_eq!(validate(&[broken])["totals"]["invalid"], 1, "the check would notice");
}

#[test]
fn the_webhook_cannot_stand_in_the_way_and_covers_every_subject() {
    let webhook = of_kind("ValidatingWebhookConfiguration")["webhooks"][0].clone();
    for (name, value) in [
        ("failurePolicy", json!("Ignore")),
        ("timeoutSeconds", json!(1)),
        ("sideEffects", json!("None")),
        ("matchPolicy", json!("Exact")),
        ("admissionReviewVersions", json!(["v1"])),
    ] {
        assert_eq!(webhook[name], value, "{name}");
    }
    let left_out = &webhook["namespaceSelector"]["matchExpressions"][0]["values"];
    for namespace in ["kube-system", "takeover"] {
        assert!(left_out.as_array().unwrap().contains(&json!(namespace)), "{namespace}");
    }
    let rules = webhook["rules"].as_array().unwrap();
    let covers = |group: &str, version: &str, resource: &str| {
        let has = |rule: &Value, list: &str, name: &str| rule[list].as_array().unwrap().contains(&json!(name));
        rules.iter().any(|rule| {
            has(rule, "apiGroups", group) && has(rule, "apiVersions", version) && has(rule, "resources", resource)
        })
    };
    for id in Registry::subjects() {
        let (group, version) = id.api_version.rsplit_once('/').unwrap_or(("", &id.api_version));
        // API servers call no webhooks for what decides about webhooks.
        if group == "admissionregistration.k8s.io" {
            continue;
        }
        if id.kind == "Scale" {
            assert!(covers("apps", "v1", "deployments/scale") && covers("", "v1", "replicationcontrollers/scale"));
            continue;
        }
        let lower = id.kind.to_lowercase();
        let plural = match lower.strip_suffix('y') {
            Some(stem) => format!("{stem}ies"),
            None if lower.ends_with('s') => format!("{lower}es"),
            None => format!("{lower}s"),
        };
        let slash = if id.subresource.is_empty() { "" } else { "/" };
        let resource = format!("{plural}{slash}{}", id.subresource);
        assert!(covers(group, version, &resource), "no rule has {group} {version} {resource}");
    }
}

#[test]
fn the_pods_have_as_few_rights_as_they_can() {
    let spec = of_kind("Deployment")["spec"].clone();
    assert_eq!(spec["replicas"], 2);
    let pod = &spec["template"]["spec"];
    let container = &pod["containers"][0];
    assert_eq!(pod["automountServiceAccountToken"], false);
    assert_eq!(pod["securityContext"]["runAsNonRoot"], true);
    assert_eq!(container["securityContext"]["readOnlyRootFilesystem"], true);
    assert_eq!(container["securityContext"]["allowPrivilegeEscalation"], false);
    assert_eq!(container["securityContext"]["capabilities"]["drop"], json!(["ALL"]));
    assert!(container["resources"]["limits"]["memory"].is_string());
    // Long enough to leave, to answer, and to compare what waits.
    let limits = takeover_shadow::settings::Settings::default().limits;
    let milliseconds = limits.leave_milliseconds + 2 * limits.drain_milliseconds;
    assert!(pod["terminationGracePeriodSeconds"].as_u64().unwrap() * 1000 > milliseconds);
}

#[test]
fn the_arguments_and_settings_of_the_pods_are_understood() {
    let container = of_kind("Deployment")["spec"]["template"]["spec"]["containers"][0].clone();
    let arguments: Vec<&str> =
        container["args"].as_array().unwrap().iter().map(|text| text.as_str().unwrap()).collect();
    // The certificate is not there, which is found out after the arguments are understood.
    let output = Command::cargo_bin("takeover").unwrap().args(&arguments).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(said.contains("failed to read `/tls/tls.crt`"), "{said}");
    let settings = std::fs::read_to_string(deploy().join("base/shadow.toml")).unwrap();
    let ids: Vec<_> = Registry::subjects().collect();
    takeover_shadow::settings::Settings::parse(&settings, &ids).unwrap();
}

#[test]
fn every_file_that_a_kustomization_names_is_there() {
    for variant in ["base", "self-signed", "cert-manager"] {
        let folder = deploy().join(variant);
        let file = documents(&[folder.join("kustomization.yaml")]).remove(0);
        for resource in file["resources"].as_array().unwrap() {
            let resource = resource.as_str().unwrap();
            assert!(folder.join(resource).exists(), "{variant}: {resource}");
        }
    }
}

#[test]
fn the_operator_gets_the_same_rules_and_the_dashboard_asks_for_metrics_that_there_are() {
    let rules = rules(&deploy().join("monitoring/rules.yaml"));
    assert_eq!(of_kind("PrometheusRule")["spec"]["groups"], rules["groups"]);
    let dashboard = std::fs::read_to_string(deploy().join("monitoring/dashboard.json")).unwrap();
    let dashboard: Value = serde_json::from_str(&dashboard).unwrap();
    let docs: PathBuf = [env!("CARGO_MANIFEST_DIR"), "..", "docs", "shadow.md"].iter().collect();
    let docs = std::fs::read_to_string(docs).unwrap();
    let recorded: Vec<String> = rules["groups"]
        .as_array()
        .unwrap()
        .iter()
        .flat_map(|group| group["rules"].as_array().unwrap())
        .filter_map(|rule| Some(rule["record"].as_str()?.to_owned()))
        .collect();
    let mut asked = 0;
    for target in dashboard["panels"].as_array().unwrap().iter().flat_map(|panel| panel["targets"].as_array().unwrap())
    {
        let words = target["expr"].as_str().unwrap().split(|c: char| !(c.is_ascii_alphanumeric() || "_:".contains(c)));
        for name in words.filter(|word| word.contains("takeover") || word.starts_with("declarative_")) {
            let plain = name.trim_end_matches("_bucket");
            let short = plain.trim_start_matches("takeover_shadow");
            assert!(
                docs.contains(plain) || docs.contains(short) || recorded.iter().any(|known| known == name),
                "{name}"
            );
            asked += 1;
        }
    }
    assert!(asked > 10, "{asked}");
}

/// A file of rules, which is no object.
fn rules(path: &Path) -> Value {
    let text = std::fs::read_to_string(path).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let wrapped = folder.path().join("rules.yaml");
    std::fs::write(&wrapped, format!("apiVersion: v1\nkind: Rules\n{text}")).unwrap();
    documents(&[wrapped]).remove(0)
}
