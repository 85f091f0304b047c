//! The Jobs of a soak in many pods: what Kubernetes and our validators say of them, and that their rules fit the program.

use super::variants::patched;
use super::{as_kubernetes_reads_it, assert_valid, complaints, deploy, documents, kustomized, root};
use crate::pairs::lab::has_python;
use assert_cmd::Command;
use assert_cmd::cargo::CommandCargoExt as _;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::Stdio;

const VARIANTS: [&str; 5] = ["base", "workload-identity", "secret", "oracle", "program"];

/// Where the shards and the oracle of `program` meet.
const SOCKET: &str = "unix:/sockets/oracle.sock";

fn base() -> PathBuf {
    deploy().join("soak-job/base")
}

fn of_file(name: &str) -> Value {
    documents(&[base().join(name)]).remove(0)
}

fn objects() -> Vec<Value> {
    ["namespace.yaml", "serviceaccount.yaml", "soak.yaml", "merge.yaml", "networkpolicy.yaml"].map(of_file).to_vec()
}

fn container(job: &Value) -> &Value {
    &job["spec"]["template"]["spec"]["containers"][0]
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map(Vec::as_slice).unwrap_or_default()
}

#[test]
fn the_jobs_are_as_kubernetes_and_our_validators_want_them() {
    let objects = objects();
    for object in &objects {
        assert_eq!(as_kubernetes_reads_it(object).as_ref(), Some(object));
    }
    assert_valid(&objects);
    let job = of_file("soak.yaml");
    let carrier = super::in_judged_kind(&job);
    let spec = "/spec/jobTemplate/spec";
    for (field, bad) in
        [("completions", json!(-1)), ("backoffLimitPerIndex", json!(-1)), ("completionMode", json!("Even"))]
    {
        let found = complaints(&carrier, &format!("{spec}/{field}"), &bad);
        assert!(found.iter().any(|found| found.contains(field)), "{field}: {found:?}");
    }
}

#[test]
fn every_index_has_its_shard_and_the_program_understands_its_arguments() {
    let job = of_file("soak.yaml");
    let spec = &job["spec"];
    let variable = list(&container(&job)["env"]).iter().find(|env| env["name"] == "JOB_COMPLETIONS").unwrap();
    assert_eq!(variable["value"], spec["completions"].to_string(), "`--shard auto` is told how many there are");
    assert_eq!((&spec["completionMode"], &spec["parallelism"]), (&json!("Indexed"), &spec["completions"]));
    // The arguments of both, with an address that can be had here: index 2 of the run, and what waits for it.
    let folder = tempfile::tempdir().unwrap();
    let address = format!("file://{}", folder.path().display());
    let run = |job: &Value, more: &[&str]| {
        let filled = list(&container(job)["args"]).iter().map(|argument| {
            let argument = argument.as_str().unwrap();
            let argument = argument.replace("$(TAKEOVER_SEED)", "7").replace("$(TAKEOVER_CASES)", "64");
            argument.replace("$(TAKEOVER_OUT)", &address).replace("168h", "1s")
        });
        let index = [("JOB_COMPLETION_INDEX", "1"), ("JOB_COMPLETIONS", "16")];
        Command::cargo_bin("takeover").unwrap().args(filled).args(more).envs(index).output().unwrap()
    };
    let shard = run(&job, &["--kind", "ReplicationController"]);
    assert_eq!(shard.status.code(), Some(0), "{}", String::from_utf8_lossy(&shard.stderr));
    assert!(folder.path().join("results/000002-of-000016").is_file());
    let merge = run(&of_file("merge.yaml"), &[]);
    let said = String::from_utf8_lossy(&merge.stderr).into_owned();
    assert!(merge.status.code() == Some(2) && said.contains("has the results of 1 of 16 shards only"), "{said}");
}

/// What `podFailurePolicy` does with a pod that ended so: the first rule that matches.
fn action(job: &Value, code: i64, disrupted: bool) -> Option<&str> {
    let name = &container(job)["name"];
    let rule = list(&job["spec"]["podFailurePolicy"]["rules"]).iter().find(|rule| {
        let condition = list(&rule["onPodConditions"]).contains(&json!({"type": "DisruptionTarget", "status": "True"}));
        let codes = &rule["onExitCodes"];
        let listed = list(&codes["values"]).contains(&json!(code))
            && codes["operator"] == "In"
            && codes["containerName"] == *name;
        (condition && disrupted) || listed
    });
    rule.map(|rule| rule["action"].as_str().unwrap())
}

#[test]
fn disruptions_cost_no_retry_failures_are_counted_and_distrust_ends_the_job() {
    let (soak, merge) = (of_file("soak.yaml"), of_file("merge.yaml"));
    assert_eq!(action(&soak, 137, true), Some("Ignore"), "the node is gone");
    assert_eq!(action(&soak, 143, false), Some("Ignore"), "told to stop: a checkpoint is stored");
    assert_eq!(action(&soak, 4, false), Some("FailJob"), "the self-check");
    for counted in [2, 137] {
        assert_eq!(action(&soak, counted, false), None, "{counted} counts against the index");
    }
    assert!(soak["spec"]["backoffLimit"].is_null(), "failures count against their index alone");
    assert_eq!(soak["spec"]["template"]["spec"]["restartPolicy"], "Never", "as podFailurePolicy needs it");
    for verdict in [1, 3, 4] {
        assert_eq!(action(&merge, verdict, false), Some("FailJob"), "a verdict is no accident");
    }
    assert_eq!((action(&merge, 2, false), action(&merge, 1, true)), (None, Some("Ignore")));
    assert_eq!(action(&merge, 143, false), Some("Ignore"), "told to stop while it waits");
    let waits = list(&container(&merge)["args"]).iter().find_map(|argument| argument.as_str()?.strip_prefix("--wait="));
    let hours: u64 = waits.unwrap().strip_suffix('h').unwrap().parse().unwrap();
    assert_eq!(merge["spec"]["activeDeadlineSeconds"], (hours + 1) * 3600, "retries do not wait longer");
}

/// A pod that ended: its index, its exit code, and whether it was disrupted.
type Ended = (u64, i64, bool);

/// What becomes of an Indexed Job when its pods end so, one after the other: the indexes that failed for good, and whether it failed.
fn played(job: &Value, pods: impl IntoIterator<Item = Ended>) -> (Vec<u64>, bool) {
    let limit = |name: &str| job["spec"][name].as_u64().unwrap();
    let mut failures = BTreeMap::<u64, u64>::new();
    for (index, code, disrupted) in pods {
        match action(job, code, disrupted) {
            Some("Ignore") => {}
            None => *failures.entry(index).or_default() += u64::from(code != 0),
            Some("FailJob") => return (vec![], true),
            Some(other) => panic!("{other}"),
        }
    }
    let failed = failures.into_iter().filter(|(_, times)| *times > limit("backoffLimitPerIndex"));
    let failed: Vec<u64> = failed.map(|(index, _)| index).collect();
    let ended = failed.len() as u64 > limit("maxFailedIndexes");
    (failed, ended)
}

#[test]
fn an_index_is_tried_four_times_and_the_job_survives_four_lost_indexes() {
    let soak = of_file("soak.yaml");
    let often = |times: usize, pod: Ended| std::iter::repeat_n(pod, times);
    let lost = |count: u64| (0..count).flat_map(move |index| often(4, (index, 2, false)));
    assert_eq!(played(&soak, often(9, (0, 137, true)).chain(often(9, (1, 143, false)))), (vec![], false), "spot nodes");
    assert_eq!(played(&soak, often(3, (0, 2, false)).chain([(0, 0, false), (1, 2, false)])), (vec![], false));
    assert_eq!(played(&soak, often(4, (7, 137, false)).chain([(3, 0, false)])), (vec![7], false), "out of memory");
    assert_eq!(played(&soak, lost(4)), (vec![0, 1, 2, 3], false), "the others go on");
    assert_eq!(played(&soak, lost(5)), (vec![0, 1, 2, 3, 4], true));
    assert!(played(&soak, [(5, 4, false)]).1, "distrust");
}

#[test]
fn the_pods_have_no_rights_and_reach_only_names_storage_and_metadata() {
    assert_eq!(of_file("namespace.yaml")["metadata"]["labels"]["pod-security.kubernetes.io/enforce"], "restricted");
    assert!(objects().iter().all(|object| !object["kind"].as_str().unwrap().contains("Role")));
    for job in [of_file("soak.yaml"), of_file("merge.yaml")] {
        let pod = &job["spec"]["template"]["spec"];
        assert_eq!(
            (&pod["automountServiceAccountToken"], &pod["securityContext"]["runAsNonRoot"]),
            (&json!(false), &json!(true))
        );
        let security = &container(&job)["securityContext"];
        assert_eq!(security["capabilities"]["drop"], json!(["ALL"]));
        assert_eq!(
            (&security["readOnlyRootFilesystem"], &security["allowPrivilegeEscalation"]),
            (&json!(true), &json!(false))
        );
        assert!(container(&job)["resources"]["limits"]["memory"].is_string());
        assert_eq!(container(&job)["volumeMounts"][0]["mountPath"], "/tmp", "scratch: the root cannot be written");
    }
    let policy = of_file("networkpolicy.yaml");
    assert_eq!((&policy["spec"]["ingress"], &policy["spec"]["podSelector"]), (&Value::Null, &json!({})));
    let open = list(&policy["spec"]["egress"]).iter().flat_map(|rule| list(&rule["ports"]));
    assert_eq!(open.map(|port| port["port"].as_u64().unwrap()).collect::<Vec<_>>(), [53, 53, 443, 80, 988]);
}

/// The objects of a variant and of what it builds on, as its patches make them. A replacement puts the image of the Job where the patches
/// leave a place for it.
fn built(variant: &str) -> Vec<Value> {
    let folder = deploy().join("soak-job").join(variant);
    let file = documents(&[folder.join("kustomization.yaml")]).remove(0);
    let mut objects = Vec::new();
    for name in list(&file["resources"]).iter().map(|name| name.as_str().unwrap()) {
        match name.strip_prefix("../") {
            Some(other) => objects.extend(built(other)),
            None => objects.extend(documents(&[folder.join(name)])),
        }
    }
    for patch in list(&file["patches"]) {
        let (target, mut fits) = (&patch["target"], 0);
        for object in &mut objects {
            let name = &target["name"];
            if object["kind"] == target["kind"] && (name.is_null() || object["metadata"]["name"] == *name) {
                *object = patched(object, patch["patch"].as_str().unwrap());
                fits += 1;
            }
        }
        assert_ne!(fits, 0, "{variant}: nothing is {target}");
    }
    if let [replacement] = list(&file["replacements"]) {
        assert_eq!(
            replacement["targets"][0]["fieldPaths"][0],
            "spec.template.spec.volumes.[name=takeover].image.reference"
        );
        for job in objects.iter_mut().filter(|object| object["kind"] == "Job") {
            let image = container(job)["image"].clone();
            let mut volumes = job["spec"]["template"]["spec"]["volumes"].as_array_mut().unwrap().iter_mut();
            volumes.find(|volume| volume["name"] == "takeover").unwrap()["image"]["reference"] = image;
        }
    }
    objects
}

#[test]
fn each_variant_has_its_credentials_and_oracle() {
    for variant in ["workload-identity", "secret", "oracle", "program"] {
        check_variant(variant, &built(variant));
        if let Some(objects) = kustomized(&deploy().join("soak-job").join(variant)) {
            check_variant(variant, &objects);
        }
    }
}

fn check_variant(variant: &str, objects: &[Value]) {
    let of = |kind: &str, name: &str| {
        let is = |object: &&Value| object["kind"] == kind && object["metadata"]["name"] == name;
        objects.iter().find(is).unwrap_or_else(|| panic!("no {kind} {name}"))
    };
    assert_valid(objects);
    for object in objects {
        assert_eq!(as_kubernetes_reads_it(object).as_ref(), Some(object), "{variant}");
        assert_eq!(object["metadata"]["namespace"] == "takeover-soak", object["kind"] != "Namespace", "{object}");
    }
    let account = of("ServiceAccount", "takeover-soak");
    let by_identity = account["metadata"]["annotations"]["eks.amazonaws.com/role-arn"].is_string();
    assert_eq!(by_identity, variant == "workload-identity");
    for job in ["takeover-soak", "takeover-merge"].map(|name| of("Job", name)) {
        let secret = json!({"secretRef": {"name": "takeover-soak-credentials"}});
        assert_eq!(list(&container(job)["envFrom"]).contains(&secret), !by_identity, "{variant}");
        let sidecars = list(&job["spec"]["template"]["spec"]["initContainers"]);
        assert_eq!(sidecars.len(), usize::from(["oracle", "program"].contains(&variant)));
        assert!(sidecars.iter().all(|sidecar| sidecar["restartPolicy"] == "Always"), "it ends with its shard");
        let volumes = list(&job["spec"]["template"]["spec"]["volumes"]);
        let mounted = volumes.iter().find(|volume| volume["name"] == "takeover");
        assert_eq!(mounted.is_some(), variant == "program");
        assert!(mounted.is_none_or(|volume| volume["image"]["reference"] == container(job)["image"]), "one build");
    }
}

#[test]
fn pods_of_both_jobs_get_tokens_of_azure() {
    let identity = documents(&[deploy().join("soak-job/workload-identity/kustomization.yaml")]).remove(0);
    let of_jobs = list(&identity["patches"]).iter().find(|patch| patch["target"] == json!({"kind": "Job"})).unwrap();
    for job in ["soak.yaml", "merge.yaml"].map(of_file) {
        let patched = patched(&job, of_jobs["patch"].as_str().unwrap());
        let labels = |job: &Value| job["spec"]["template"]["metadata"]["labels"].as_object().unwrap().clone();
        let mut expected = labels(&job);
        expected.insert("azure.workload.identity/use".to_owned(), "true".into());
        assert_eq!(labels(&patched), expected);
        assert_valid(&[patched]);
    }
}

#[test]
fn every_file_of_the_variants_is_there_and_their_patches_fit() {
    for variant in VARIANTS {
        let folder = deploy().join("soak-job").join(variant);
        let file = documents(&[folder.join("kustomization.yaml")]).remove(0);
        let named = list(&file["resources"]).iter().chain(list(&file["components"]));
        let generated = list(&file["configMapGenerator"]).iter();
        let generated = generated.flat_map(|map| list(&map["files"]).iter().chain(list(&map["envs"])));
        for name in named.chain(generated) {
            assert!(folder.join(name.as_str().unwrap()).exists(), "{variant}: {name}");
        }
    }
    // The pairs of the examples are ones that the program makes: what is missing is the webhook, or what listens.
    for (variant, asked) in [("oracle", "http://127.0.0.1:8080/validate"), ("program", SOCKET)] {
        let settings = deploy().join("soak-job").join(variant).join("takeover.toml");
        let output =
            Command::cargo_bin("takeover").unwrap().args(["config", "--config"]).arg(&settings).output().unwrap();
        let said: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert!(said.to_string().contains(asked), "{said}");
    }
    let readme = std::fs::read_to_string(root().join("deploy/soak-job/README.md")).unwrap();
    for folder in VARIANTS {
        assert!(readme.contains(&format!("\n| `{folder}` |")), "{folder}");
    }
}

/// A process that ends with its test.
struct Ends(std::process::Child);

impl Drop for Ends {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A program that finds `spec.odd` in every object, which the tags know nothing of.
const ORACLE: &str = r#"
import json, sys
print('{"hello": {"protocol": 1, "name": "odd", "version": "1"}}', flush=True)
for line in sys.stdin:
    question = json.loads(line)
    if "id" in question:
        errors = [{"type": "FieldValueInvalid", "field": "spec.odd", "detail": "is odd"}]
        print(json.dumps({"id": question["id"], "errors": errors}), flush=True)
"#;

#[test]
fn a_program_beside_a_shard_is_asked_through_the_socket_that_both_mount() {
    if !has_python() {
        return;
    }
    let kustomization = documents(&[deploy().join("soak-job/program/kustomization.yaml")]).remove(0);
    let of_jobs =
        list(&kustomization["patches"]).iter().find(|patch| patch["target"] == json!({"kind": "Job"})).unwrap();
    let jobs = ["soak.yaml", "merge.yaml"].map(|name| patched(&of_file(name), of_jobs["patch"].as_str().unwrap()));
    assert_valid(&jobs);
    let sidecar = &jobs[0]["spec"]["template"]["spec"]["initContainers"][0];
    let probe = &sidecar["startupProbe"]["exec"]["command"];
    assert_eq!(sidecar["command"][0], probe[0]);
    // What the containers run, with a socket and a program that can be had here.
    let folder = tempfile::tempdir().unwrap();
    let socket = format!("unix:{}", folder.path().join("oracle.sock").display());
    let run = |arguments: &[Value]| {
        let arguments = arguments.iter().map(|argument| argument.as_str().unwrap().replace(SOCKET, &socket));
        let mut command = std::process::Command::cargo_bin("takeover").unwrap();
        command.args(arguments);
        command
    };
    let (own, listen) = list(&sidecar["args"]).split_last().unwrap();
    assert_eq!(own, "/your-oracle");
    let _listening = Ends(run(listen).args(["python3", "-c", ORACLE]).spawn().unwrap());
    let started = std::time::Instant::now();
    while !run(&list(probe)[1..]).stdin(Stdio::null()).output().unwrap().status.success() {
        assert!(started.elapsed().as_secs() < 60);
        std::thread::sleep(std::time::Duration::from_millis(100));
    }
    let settings = std::fs::read_to_string(deploy().join("soak-job/program/takeover.toml")).unwrap();
    let here = format!("[{:?}", env!("CARGO_BIN_EXE_takeover"));
    let file = folder.path().join("takeover.toml");
    std::fs::write(&file, settings.replace(SOCKET, &socket).replace("[\"takeover\"", &here)).unwrap();
    let mut soak = run(&[]);
    soak.args(["soak", "--cases", "50", "--config"]).arg(&file).arg("--out").arg(folder.path().join("run"));
    let output = soak.output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(1), "{said}{}", String::from_utf8_lossy(&output.stderr));
    assert!(said.contains("spec.odd"), "{said}");
}
