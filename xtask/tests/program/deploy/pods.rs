//! The parts of the manifests fit each other and the program: flags, ports, mounts, probes.

use super::{deploy, manifests, of_kind};
use assert_cmd::Command;
use serde_json::{Value, json};
use takeover_engine::config::Config;
use takeover_harness::catalogue::Catalogue as _;
use takeover_oracles::registry::Registry;
use takeover_shadow::settings::ShadowSettings;

/// The workloads with their settings files.
fn workloads() -> [(Value, &'static str); 2] {
    [(of_kind("Deployment"), "base/shadow.toml"), (of_kind("DaemonSet"), "audit-log/shadow.toml")]
}

fn list(value: &Value) -> Vec<Value> {
    value.as_array().cloned().unwrap_or_default()
}

fn container(workload: &Value) -> Value {
    workload["spec"]["template"]["spec"]["containers"][0].clone()
}

/// The value of a flag of the container.
fn flag(container: &Value, name: &str) -> Option<String> {
    let prefix = format!("--{name}=");
    list(&container["args"]).iter().find_map(|argument| Some(argument.as_str()?.strip_prefix(&prefix)?.to_owned()))
}

/// The number of the port of this name.
fn port(container: &Value, name: &str) -> Option<Value> {
    list(&container["ports"]).iter().find(|port| port["name"] == name).map(|port| port["containerPort"].clone())
}

#[test]
fn ports_of_flags_probes_services_monitors_and_policies_are_the_same() {
    for (workload, _) in workloads() {
        let container = container(&workload);
        let mut open = Vec::new();
        for (name, address) in [("webhook", "listen"), ("pages", "pages")] {
            let listens = flag(&container, address).map(|address| address.rsplit(':').next().unwrap().parse().unwrap());
            assert_eq!(port(&container, name), listens.map(|port: u16| json!(port)), "{name}");
            open.extend(port(&container, name));
        }
        for (probe, path) in [("readinessProbe", "/readyz"), ("livenessProbe", "/healthz")] {
            assert_eq!(
                container[probe]["httpGet"],
                json!({"path": path, "port": "pages", "scheme": "HTTP"}),
                "{probe}"
            );
        }
        let namespace = &workload["metadata"]["namespace"];
        let here = |kind: &str| {
            let of = |manifest: &Value| manifest["kind"] == kind && manifest["metadata"]["namespace"] == *namespace;
            manifests().into_iter().filter(of).collect::<Vec<Value>>()
        };
        let policy = here("NetworkPolicy").remove(0);
        let let_in: Vec<Value> = list(&policy["spec"]["ingress"])
            .iter()
            .flat_map(|rule| list(&rule["ports"]))
            .map(|port| port["port"].clone())
            .collect();
        assert_eq!(let_in, open, "what the policy of {namespace} lets in");
        assert_eq!(policy["spec"]["policyTypes"], json!(["Ingress", "Egress"]), "both are limited");
        assert_eq!(policy["spec"]["egress"], Value::Null, "nothing goes out");
        let labels = &workload["spec"]["template"]["metadata"]["labels"];
        assert_eq!(policy["spec"]["podSelector"]["matchLabels"], *labels);
        for service in here("Service") {
            assert_eq!(service["spec"]["selector"], *labels);
            let target = service["spec"]["ports"][0]["targetPort"].as_str().unwrap().to_owned();
            assert!(port(&container, &target).is_some(), "{target}");
        }
        for monitor in here("PodMonitor") {
            assert_eq!(monitor["spec"]["selector"]["matchLabels"], *labels);
            assert_eq!(monitor["spec"]["podMetricsEndpoints"][0]["port"], "pages");
        }
        for monitor in here("ServiceMonitor") {
            let wanted = monitor["spec"]["selector"]["matchLabels"].as_object().unwrap().clone();
            let has =
                |service: &Value| wanted.iter().all(|(name, value)| service["metadata"]["labels"][name] == *value);
            let watched: Vec<Value> = here("Service").into_iter().filter(has).collect();
            assert_eq!(watched.len(), 1, "the pages are scraped once, and the webhook is not");
            assert_eq!(watched[0]["spec"]["ports"][0]["name"], monitor["spec"]["endpoints"][0]["port"]);
        }
    }
}

#[test]
fn what_changes_is_mounted_as_a_folder_and_so_reaches_running_pods() {
    for (workload, settings) in workloads() {
        let container = container(&workload);
        let mounts = list(&container["volumeMounts"]);
        for mount in &mounts {
            assert_eq!((&mount["subPath"], &mount["subPathExpr"]), (&Value::Null, &Value::Null), "{mount}");
        }
        let volumes = list(&workload["spec"]["template"]["spec"]["volumes"]);
        let volume_of = |file: &str| {
            let folder = file.rsplit_once('/').unwrap().0;
            let mount = mounts.iter().find(|mount| mount["mountPath"] == folder).unwrap().clone();
            (volumes.iter().find(|volume| volume["name"] == mount["name"]).unwrap().clone(), mount["readOnly"] == true)
        };
        let file = flag(&container, "settings").unwrap();
        let (volume, read_only) = volume_of(&file);
        assert!(volume["configMap"]["name"] == "takeover-shadow" && read_only, "{volume}");
        assert!(
            deploy().join(settings).ends_with(file.rsplit('/').next().unwrap()),
            "the generator names it {settings}"
        );
        let ids = Registry::of_builtin().unwrap().ids();
        ShadowSettings::parse(&std::fs::read_to_string(deploy().join(settings)).unwrap(), &ids).unwrap();
        // Beside it are the settings of the project, and the exceptions, if there are any.
        let (beside, project) =
            (flag(&container, "config").unwrap(), deploy().join(settings).with_file_name("takeover.toml"));
        assert_eq!(beside, file.replace("shadow.toml", "takeover.toml"));
        Config::load(Some(&project)).unwrap();
        for name in ["certificate", "key", "tail"] {
            assert!(flag(&container, name).is_none_or(|file| volume_of(&file).1), "--{name}");
        }
        let (evidence, read_only) = volume_of(&(flag(&container, "out").unwrap() + "/"));
        assert!(!read_only, "{evidence}");
    }
}

#[test]
fn the_follower_of_audit_logs_has_root_and_nothing_else() {
    let workload = of_kind("DaemonSet");
    let (pod, container) = (&workload["spec"]["template"]["spec"], container(&workload));
    assert_eq!(pod["automountServiceAccountToken"], false);
    assert_eq!(pod["securityContext"]["seccompProfile"]["type"], "RuntimeDefault");
    let rights = json!({
        "allowPrivilegeEscalation": false, "readOnlyRootFilesystem": true, "capabilities": {"drop": ["ALL"]},
    });
    assert_eq!(container["securityContext"], rights);
    assert_eq!(container["resources"]["limits"]["memory"], "768Mi");
    let arguments: Vec<String> =
        list(&container["args"]).iter().map(|argument| argument.as_str().unwrap().to_owned()).collect();
    // The settings are not there, which is found out after the arguments are understood.
    let output = Command::cargo_bin("takeover").unwrap().args(arguments).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(said.contains("failed to read `/settings/takeover.toml`"), "{said}");
}
