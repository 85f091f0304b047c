//! The manifests of `deploy/`: what they promise, and what our own validators say of them.

use assert_cmd::Command;
use k8s_openapi::api;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use takeover_corpora::load::{Input, Limits, load};
use takeover_harness::subject::SubjectId;
use takeover_oracles::registry::Registry;

mod pods;
mod soak_job;
mod variants;

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
        // Rules and their tests are no objects.
        let other = ["rules.yaml", "rules_test.yaml"];
        let is_manifest = |path: &PathBuf| {
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            name.ends_with(".yaml") && !other.contains(&name.as_str())
        };
        entries.filter(is_manifest).collect::<Vec<_>>()
    };
    let mut all = ["base", "self-signed", "cert-manager", "monitoring", "audit-log"].map(files).concat();
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

/// Kinds that other programs brought.
const CUSTOM: [&str; 7] =
    ["Certificate", "Component", "Issuer", "Kustomization", "PodMonitor", "PrometheusRule", "ServiceMonitor"];

fn subject(object: &Value) -> SubjectId {
    SubjectId::new(object["apiVersion"].as_str().unwrap(), object["kind"].as_str().unwrap())
}

/// A Job, which nothing judges, as that of a CronJob, which has the same fields.
fn in_judged_kind(object: &Value) -> Value {
    if object["kind"] != "Job" {
        return object.clone();
    }
    let spec = json!({"schedule": "0 0 * * *", "jobTemplate": {"spec": object["spec"]}});
    json!({"apiVersion": "batch/v1", "kind": "CronJob", "metadata": object["metadata"], "spec": spec})
}

/// Asserts that `validate` finds every object of a kind of Kubernetes itself valid as it stands.
fn assert_valid(objects: &[Value]) {
    let registry = Registry::of_builtin().unwrap();
    let (judged, rest): (Vec<Value>, Vec<Value>) =
        objects.iter().map(in_judged_kind).partition(|object| registry.has_reference(&subject(object)));
    for id in rest.iter().map(subject) {
        assert!(CUSTOM.contains(&&*id.kind), "nothing judges {id}");
    }
    let said = validate(&judged);
    let count = judged.len();
    let expected = json!({"objects": count, "valid": count, "invalid": 0, "undecodable": 0, "problems": 0});
    assert_eq!(said.get("totals"), Some(&expected), "{said:#}");
}

#[test]
fn the_manifests_pass_our_own_validators() {
    assert_valid(&manifests());
}

/// The fields that `validate` complains of when the value at a pointer of an object is another one.
fn complaints(object: &Value, pointer: &str, bad: &Value) -> Vec<String> {
    let mut broken = object.clone();
    *broken.pointer_mut(pointer).unwrap() = bad.clone();
    let said = validate(&[broken]);
    let errors = said.pointer("/objects/0/errors").and_then(Value::as_array).unwrap();
    errors.iter().map(|error| error["field"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn a_broken_manifest_does_not_pass_our_own_validators() {
    for (kind, pointer, bad, field) in [
        ("DaemonSet", "/spec/template/spec/containers/0/image", json!(""), "spec.template.spec.containers[0].image"),
        ("Deployment", "/spec/replicas", json!(-1), "spec.replicas"),
        ("Namespace", "/metadata/name", json!("Takeover"), "metadata.name"),
        ("NetworkPolicy", "/spec/policyTypes/0", json!("Sideways"), "spec.policyTypes[0]"),
        ("PodDisruptionBudget", "/spec/minAvailable", json!("half"), "spec.minAvailable"),
        ("Service", "/spec/ports/0/port", json!(0), "spec.ports[0].port"),
        ("ServiceAccount", "/metadata/name", json!("takeover_shadow"), "metadata.name"),
        ("MutatingWebhookConfiguration", "/webhooks/0/timeoutSeconds", json!(31), "webhooks[0].timeoutSeconds"),
    ] {
        assert_eq!(complaints(&of_kind(kind), pointer, &bad), [field], "{kind}");
    }
}

#[test]
fn names_labels_and_annotations_of_every_manifest_pass_our_own_validators() {
    let carrier = |metadata: &Value| {
        let mut metadata = metadata.clone();
        metadata["namespace"] = json!("takeover");
        let (labels, container) = (json!({"a": "b"}), json!({"name": "c", "image": "i"}));
        let template = json!({"metadata": {"labels": labels}, "spec": {"containers": [container]}});
        let spec = json!({"selector": labels, "template": template});
        json!({"apiVersion": "v1", "kind": "ReplicationController", "metadata": metadata, "spec": spec})
    };
    let named: Vec<Value> = manifests().into_iter().filter(|manifest| manifest["kind"] != "Kustomization").collect();
    let carriers: Vec<Value> = named.iter().map(|manifest| carrier(&manifest["metadata"])).collect();
    assert!(carriers.len() > 10, "{}", carriers.len());
    let said = validate(&carriers);
    assert_eq!(said["totals"]["valid"], carriers.len(), "{said:#}");
    let broken = carrier(&json!({"name": "x", "labels": {"takeover.dev/": "y"}}));
    assert_eq!(validate(&[broken])["totals"]["invalid"], 1, "the check would notice");
}

/// What is left of an object that is read into the type of Kubernetes' API: unknown fields are gone from it.
fn through<T: DeserializeOwned + Serialize>(object: &Value) -> Value {
    serde_json::to_value(serde_json::from_value::<T>(object.clone()).unwrap()).unwrap()
}

/// None for kinds that Kubernetes itself does not have.
fn as_kubernetes_reads_it(object: &Value) -> Option<Value> {
    let read = match object["kind"].as_str().unwrap() {
        "Namespace" => through::<api::core::v1::Namespace>,
        "ServiceAccount" => through::<api::core::v1::ServiceAccount>,
        "Service" => through::<api::core::v1::Service>,
        "ConfigMap" => through::<api::core::v1::ConfigMap>,
        "Deployment" => through::<api::apps::v1::Deployment>,
        "DaemonSet" => through::<api::apps::v1::DaemonSet>,
        "PodDisruptionBudget" => through::<api::policy::v1::PodDisruptionBudget>,
        "NetworkPolicy" => through::<api::networking::v1::NetworkPolicy>,
        "Secret" => through::<api::core::v1::Secret>,
        "Job" => through::<api::batch::v1::Job>,
        "CronJob" => through::<api::batch::v1::CronJob>,
        "Role" => through::<api::rbac::v1::Role>,
        "RoleBinding" => through::<api::rbac::v1::RoleBinding>,
        "ClusterRole" => through::<api::rbac::v1::ClusterRole>,
        "ClusterRoleBinding" => through::<api::rbac::v1::ClusterRoleBinding>,
        "MutatingWebhookConfiguration" => through::<api::admissionregistration::v1::MutatingWebhookConfiguration>,
        "ValidatingWebhookConfiguration" => through::<api::admissionregistration::v1::ValidatingWebhookConfiguration>,
        _ => return None,
    };
    Some(read(object))
}

#[test]
fn every_field_of_the_manifests_is_one_that_kubernetes_knows() {
    let mut strangers = Vec::new();
    for manifest in manifests() {
        match as_kubernetes_reads_it(&manifest) {
            Some(read) => assert_eq!(read, manifest),
            None => strangers.push(manifest["kind"].as_str().unwrap().to_owned()),
        }
    }
    strangers.sort();
    strangers.dedup();
    assert_eq!(strangers, ["Certificate", "Issuer", "Kustomization", "PodMonitor", "PrometheusRule", "ServiceMonitor"]);
    let mut misspelt = of_kind("Deployment");
    misspelt["spec"]["template"]["spec"]["container"] = json!([]);
    assert_ne!(as_kubernetes_reads_it(&misspelt), Some(misspelt), "the check would notice");
}

/// The objects that `kubectl kustomize` makes of a folder; none without a kubectl, unless `TAKEOVER_REQUIRE_KUSTOMIZE` is set.
fn kustomized(folder: &Path) -> Option<Vec<Value>> {
    let output = match std::process::Command::new("kubectl").arg("kustomize").arg(folder).output() {
        Ok(output) => output,
        Err(error) => {
            assert!(std::env::var_os("TAKEOVER_REQUIRE_KUSTOMIZE").is_none(), "kubectl: {error}");
            eprintln!("skipped: no kubectl here");
            return None;
        }
    };
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let scratch = tempfile::tempdir().unwrap();
    let file = scratch.path().join("all.yaml");
    std::fs::write(&file, output.stdout).unwrap();
    Some(documents(&[file]))
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap().map(Result::unwrap) {
        let (path, target) = (entry.path(), to.join(entry.file_name()));
        if path.is_dir() {
            copy(&path, &target);
        } else {
            std::fs::copy(path, target).unwrap();
        }
    }
}

#[test]
fn the_webhook_cannot_stand_in_the_way_and_covers_every_subject() {
    let configuration = of_kind("MutatingWebhookConfiguration");
    // API servers call mutating webhooks in the order of the names of their configurations.
    assert!(configuration["metadata"]["name"].as_str().unwrap().starts_with("zz-"));
    let webhook = configuration["webhooks"][0].clone();
    for (name, value) in [
        ("reinvocationPolicy", json!("Never")),
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
    for id in Registry::of_builtin().unwrap().subjects() {
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
    let limits = takeover_shadow::settings::ShadowSettings::default().limits;
    let milliseconds = limits.leave_milliseconds + 2 * limits.drain_milliseconds;
    assert!(pod["terminationGracePeriodSeconds"].as_u64().unwrap() * 1000 > milliseconds);
}

#[test]
fn the_arguments_of_the_pods_are_understood() {
    let container = of_kind("Deployment")["spec"]["template"]["spec"]["containers"][0].clone();
    let arguments: Vec<&str> =
        container["args"].as_array().unwrap().iter().map(|text| text.as_str().unwrap()).collect();
    // The settings are not there, which is found out after the arguments are understood.
    let output = Command::cargo_bin("takeover").unwrap().args(&arguments).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(said.contains("failed to read `/settings/takeover.toml`"), "{said}");
}

#[test]
fn every_file_that_a_kustomization_names_is_there() {
    for variant in ["base", "self-signed", "cert-manager", "audit-log"] {
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
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    for rule in
        list(&rules["groups"]).iter().flat_map(|group| list(&group["rules"])).filter(|rule| rule["alert"].is_string())
    {
        // Nothing that allows every request gets anybody out of bed.
        assert_eq!(rule["labels"]["severity"], "warning", "{rule}");
    }
}

/// A file of rules, which is no object.
fn rules(path: &Path) -> Value {
    let text = std::fs::read_to_string(path).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let wrapped = folder.path().join("rules.yaml");
    std::fs::write(&wrapped, format!("apiVersion: v1\nkind: Rules\n{text}")).unwrap();
    documents(&[wrapped]).remove(0)
}

/// The root of the repository.
fn root() -> PathBuf {
    deploy().join("..")
}

#[test]
#[cfg(unix)]
fn the_documented_command_puts_the_image_into_every_workload() {
    let docs = std::fs::read_to_string(root().join("docs/shadow.md")).unwrap();
    let commands = docs.lines().filter_map(|line| line.strip_prefix("$ "));
    let command = commands.clone().find(|command| command.ends_with("deploy/image/kustomization.yaml")).unwrap();
    let scratch = tempfile::tempdir().unwrap();
    copy(&deploy(), &scratch.path().join("deploy"));
    Command::new("sh").args(["-c", command]).current_dir(scratch.path()).assert().success();
    for (variant, kind) in [("base", "Deployment"), ("audit-log", "DaemonSet")] {
        let Some(objects) = kustomized(&scratch.path().join("deploy").join(variant)) else { return };
        let workload = objects.into_iter().find(|object| object["kind"] == kind).unwrap();
        let image = workload["spec"]["template"]["spec"]["containers"][0]["image"].clone();
        assert_eq!(image, "REGISTRY/takeover-shadow:TAG", "{variant}");
    }
}

#[test]
fn the_role_of_a_check_may_write_whatever_the_webhook_is_called_for() {
    let role = documents(&[deploy().join("check-cluster/clusterrole.yaml")]);
    assert_valid(&role);
    let texts = |rule: &Value, list: &str| -> Vec<String> {
        let all = rule[list].as_array().cloned().unwrap_or_default();
        all.iter().map(|text| text.as_str().unwrap().to_owned()).collect()
    };
    let may = |verb: &str, group: &str, resource: &str| {
        let has = |rule: &Value, list: &str, name: &str| texts(rule, list).iter().any(|known| known == name);
        let rules = role[0]["rules"].as_array().unwrap();
        rules
            .iter()
            .any(|rule| has(rule, "apiGroups", group) && has(rule, "resources", resource) && has(rule, "verbs", verb))
    };
    for rule in of_kind("MutatingWebhookConfiguration")["webhooks"][0]["rules"].as_array().unwrap() {
        for (group, resource) in texts(rule, "apiGroups")
            .iter()
            .flat_map(|group| texts(rule, "resources").into_iter().map(move |resource| (group.clone(), resource)))
        {
            assert!(may("update", &group, &resource), "update {group} {resource}");
            let main = resource.split('/').next().unwrap();
            for verb in ["create", "get", "delete"] {
                assert!(may(verb, &group, main), "{verb} {group} {main}");
            }
        }
    }
}

#[test]
fn the_image_is_built_of_the_workspace_alone_and_runs_as_the_pods_say() {
    let read = |path: &str| std::fs::read_to_string(root().join(path)).unwrap();
    let workspace: toml::Table = read("Cargo.toml").parse().unwrap();
    // The program registers the webhook of the manifests in clusters that it is checked against.
    let mut needed = vec![".cargo", "Cargo.toml", "Cargo.lock", "deploy/base/webhook.yaml"];
    let members = workspace["workspace"]["members"].as_array().unwrap().iter().map(|member| member.as_str().unwrap());
    needed.extend(members.filter_map(|member| member.split('/').next()));
    needed.sort_unstable();
    needed.dedup();
    let ignored = read("deploy/Dockerfile.dockerignore");
    let lines = ignored.lines().filter(|line| !line.starts_with('#'));
    let (mut named, left_out): (Vec<&str>, Vec<&str>) = lines.partition(|line| line.starts_with('!'));
    named.sort_unstable();
    assert_eq!(named, needed.iter().map(|name| format!("!{name}")).collect::<Vec<_>>());
    // Of what is named, nothing is left out that git has: packages read files of each other.
    assert_eq!(left_out, ["*", "harness/fuzz/corpus", "**/target"]);

    let dockerfile = read("deploy/Dockerfile");
    let release = workspace["workspace"]["package"]["rust-version"].as_str().unwrap();
    assert!(dockerfile.contains(&format!("\nFROM rust:{release}-bookworm AS build\n")), "{dockerfile}");
    assert!(dockerfile.contains("\nFROM gcr.io/distroless/cc-debian12:nonroot\n"), "the C library of bookworm");
    let pod = of_kind("Deployment")["spec"]["template"]["spec"]["securityContext"].clone();
    assert!(dockerfile.contains(&format!("\nUSER {}:{}\n", pod["runAsUser"], pod["runAsGroup"])), "{pod}");
    let program = dockerfile.split("COPY --from=build ").nth(1).unwrap().split_whitespace().nth(1).unwrap();
    assert!(dockerfile.contains(&format!("\nENTRYPOINT [\"{program}\"]\n")), "{program}");
}

#[test]
fn every_alert_is_tested_where_it_fires_and_where_it_does_not() {
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let monitoring = deploy().join("monitoring");
    let groups = list(&rules(&monitoring.join("rules.yaml"))["groups"]);
    let alerts = groups
        .iter()
        .flat_map(|group| list(&group["rules"]))
        .filter_map(|rule| rule["alert"].as_str().map(str::to_owned));
    let tests = list(&rules(&monitoring.join("rules_test.yaml"))["tests"]);
    let looks: Vec<Value> = tests.iter().flat_map(|test| list(&test["alert_rule_test"])).collect();
    let mut seen = 0;
    for alert in alerts {
        for fires in [true, false] {
            let looked = |look: &Value| look["alertname"] == *alert && list(&look["exp_alerts"]).is_empty() != fires;
            assert!(looks.iter().any(looked), "{alert}: no test where it fires: {fires}");
        }
        seen += 1;
    }
    assert!(seen > 10, "{seen}");
}
