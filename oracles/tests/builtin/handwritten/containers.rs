//! Containers of pod templates.

use super::support::Rows;
use serde_json::{Value, json};

const AT: &str = "spec.template.spec.";

/// A controller whose pod spec has these members besides what pods need.
pub(crate) fn rows() -> Rows {
    let spec = json!({"replicas": 1, "selector": {"a": "b"}, "template": {"metadata": {"labels": {"a": "b"}}, "spec": {
        "volumes": [{"name": "v", "emptyDir": {}}, {"name": "claim", "persistentVolumeClaim": {"claimName": "c"}}],
        "resourceClaims": [{"name": "gpu", "resourceClaimName": "g"}],
        "containers": [{"name": "main", "image": "i"}]}}});
    let controller = json!({"apiVersion": "v1", "kind": "ReplicationController",
        "metadata": {"name": "c", "namespace": "n", "resourceVersion": "1"}, "spec": spec});
    Rows::of("v1", "ReplicationController", controller)
}

/// Judges the only main container with these members, defaults set; expects these errors, below the container.
pub(crate) fn container(members: &Value, expected: &[&str]) {
    let mut container = json!({"name": "main", "image": "i"});
    if let (Some(all), Some(members)) = (container.as_object_mut(), members.as_object()) {
        all.extend(members.clone());
    }
    let expected: Vec<String> = expected.iter().map(|line| format!("{AT}containers[0].{line}")).collect();
    compare(&[("containers", json!([container]))], &expected);
}

pub(crate) fn pod(members: &[(&str, Value)], expected: &[&str]) {
    let expected: Vec<String> = expected.iter().map(|line| format!("{AT}{line}")).collect();
    compare(members, &expected);
}

fn compare(members: &[(&str, Value)], expected: &[String]) {
    let pointers: Vec<String> = members.iter().map(|(name, _)| format!("/spec/template/spec/{name}")).collect();
    let changes: Vec<(&str, Value)> =
        pointers.iter().zip(members).map(|(pointer, (_, value))| (pointer.as_str(), value.clone())).collect();
    let expected: Vec<&str> = expected.iter().map(String::as_str).collect();
    rows().created(&[(&changes, &expected)]);
}

#[test]
fn containers_have_unique_names_and_an_image() {
    pod(&[("containers", json!([]))], &["containers: Required value"]);
    container(&json!({"image": " padded "}), &[]);
    container(
        &json!({"name": "", "image": "", "imagePullPolicy": "X", "terminationMessagePolicy": "Y"}),
        &[
            "name: Required value",
            "image: Required value",
            "terminationMessagePolicy: Unsupported value: \"Y\": supported values: \"File\", \"FallbackToLogsOnError\"",
            "imagePullPolicy: Unsupported value: \"X\": supported values: \"Always\", \"IfNotPresent\", \"Never\"",
        ],
    );
    let named = |name: &str| json!({"name": name, "image": "i"});
    pod(&[("containers", json!([named("a"), named("a")]))], &["containers[1].name: Duplicate value: \"a\""]);
    pod(
        &[("initContainers", json!([named("main"), named("b"), named("b"), named("a.b")]))],
        &[
            "initContainers[0].name: Duplicate value: \"main\"",
            "initContainers[2].name: Duplicate value: \"b\"",
            "initContainers[3].name: Invalid value: \"a.b\": must not contain dots",
        ],
    );
}

#[test]
fn ports_are_numbers_with_unique_names() {
    container(
        &json!({"ports": [{"containerPort": 80, "name": "a"}, {"containerPort": 81, "name": "b", "hostPort": 81}]}),
        &[],
    );
    container(
        &json!({"ports": [{"containerPort": 0, "name": "a", "protocol": "X"}, {"containerPort": 65_536, "name": "a", "hostPort": -1}]}),
        &[
            "ports[0].containerPort: Required value",
            "ports[0].protocol: Unsupported value: \"X\": supported values: \"SCTP\", \"TCP\", \"UDP\"",
            "ports[1].name: Duplicate value: \"a\"",
            "ports[1].containerPort: Invalid value: 65536: must be between 1 and 65535",
            "ports[1].hostPort: Invalid value: -1",
        ],
    );
    container(
        &json!({"ports": [{"containerPort": 80, "hostPort": 1}, {"containerPort": 81, "hostPort": 1},
                          {"containerPort": 82, "hostPort": 1, "protocol": "UDP"}, {"containerPort": 83, "hostPort": 1, "hostIP": "::1"}]}),
        &["ports[1].hostPort: Duplicate value: \"TCP//1\""],
    );
    let ports = json!([{"containerPort": 80, "hostPort": 8080}, {"containerPort": 81}]);
    pod(
        &[("hostNetwork", json!(true)), ("containers", json!([{"name": "a", "image": "i", "ports": ports}]))],
        &[
            "containers[0].ports[0].hostPort: Invalid value: 8080: must match `containerPort` when `hostNetwork` is true",
        ],
    );
}

#[test]
fn variables_have_one_source() {
    let several = "env[0].valueFrom: Invalid value: \"\": may not have more than one field specified at a time";
    let key = json!({"name": "m", "key": "k"});
    for (variable, expected) in [
        (json!({"name": "a.b c", "value": "x"}), &[][..]),
        (json!({"name": "", "value": "x"}), &["env[0].name: Required value"]),
        (json!({"name": "a=b"}), &["env[0].name: Invalid value: \"a=b\": a valid environment variable name must"]),
        (
            json!({"name": "a", "valueFrom": {}}),
            &["env[0].valueFrom: Invalid value: \"\": must specify one of: `fieldRef`"],
        ),
        (json!({"name": "a", "valueFrom": {"secretKeyRef": key}}), &[]),
        (json!({"name": "a", "valueFrom": {"secretKeyRef": key, "configMapKeyRef": key}}), &[several]),
        (
            json!({"name": "a", "value": "x", "valueFrom": {"secretKeyRef": key}}),
            &["env[0].valueFrom: Invalid value: \"\": may not be specified when `value` is not empty"],
        ),
        (
            json!({"name": "a", "valueFrom": {"configMapKeyRef": {"name": "A", "key": ".."}}}),
            &[
                "env[0].valueFrom.configMapKeyRef.name: Invalid value: \"A\"",
                "env[0].valueFrom.configMapKeyRef.key: Invalid value: \"..\": must not be '..'",
            ],
        ),
        (json!({"name": "a", "valueFrom": {"fieldRef": {"fieldPath": "metadata.labels['a']"}}}), &[]),
        (
            json!({"name": "a", "valueFrom": {"fieldRef": {"fieldPath": "status.phase"}}}),
            &[
                "env[0].valueFrom.fieldRef.fieldPath: Unsupported value: \"status.phase\": supported values: \"metadata.name\"",
            ],
        ),
        (json!({"name": "a", "valueFrom": {"resourceFieldRef": {"resource": "limits.cpu"}}}), &[]),
    ] {
        container(&json!({"env": [variable]}), expected);
    }
    container(&json!({"envFrom": [{"prefix": "a", "secretRef": {"name": "ends-"}}]}), &[]);
    container(
        &json!({"envFrom": [{"prefix": "=", "secretRef": {"name": ""}}, {}]}),
        &[
            "envFrom[0].prefix: Invalid value: \"=\"",
            "envFrom[0].secretRef.name: Required value",
            "envFrom: Invalid value: \"\": must specify one of: `configMapRef` or `secretRef`",
        ],
    );
}

#[test]
fn volumes_are_mounted_once_at_each_place() {
    let mount = |members: Value| json!({"volumeMounts": [members]});
    for (mount, expected) in [
        (mount(json!({"name": "v", "mountPath": "/a", "subPath": "b/c"})), &[][..]),
        (
            mount(json!({"name": "", "mountPath": ""})),
            &[
                "volumeMounts[0].name: Required value",
                "volumeMounts[0].name: Not found: \"\"",
                "volumeMounts[0].mountPath: Required value",
            ],
        ),
        (mount(json!({"name": "w", "mountPath": "/a"})), &["volumeMounts[0].name: Not found: \"w\""]),
        (
            mount(json!({"name": "v", "mountPath": "/a", "subPath": "../b"})),
            &["volumeMounts.subPath: Invalid value: \"../b\": must not contain '..'"],
        ),
        (
            mount(json!({"name": "v", "mountPath": "/a", "subPath": "b", "subPathExpr": "c"})),
            &["volumeMounts[0].subPathExpr: Invalid value: \"c\": subPathExpr and subPath are mutually exclusive"],
        ),
        (
            mount(json!({"name": "v", "mountPath": "/a", "mountPropagation": "Bidirectional"})),
            &[
                "volumeMounts.mountPropagation: Forbidden: Bidirectional mount propagation is available only to privileged containers",
            ],
        ),
        (
            mount(
                json!({"name": "v", "mountPath": "/a", "recursiveReadOnly": "Enabled", "mountPropagation": "HostToContainer"}),
            ),
            &[
                "volumeMounts.recursiveReadOnly: Forbidden: may only be specified when readOnly is true",
                "volumeMounts.recursiveReadOnly: Forbidden: may only be specified when mountPropagation is None or not specified",
            ],
        ),
        (
            json!({"volumeMounts": [{"name": "v", "mountPath": "/a"}, {"name": "v", "mountPath": "/a"}]}),
            &["volumeMounts[1].mountPath: Invalid value: \"/a\": must be unique"],
        ),
        (json!({"volumeDevices": [{"name": "claim", "devicePath": "/dev/a"}]}), &[]),
        (
            json!({"volumeDevices": [{"name": "v", "devicePath": "/dev/../a"}]}),
            &[
                "volumeDevices[0].name: Invalid value: \"v\": can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode",
                "volumeDevices[0].devicePath: Invalid value: \"/dev/../a\": can not contain backsteps ('..')",
            ],
        ),
        (
            json!({"volumeMounts": [{"name": "claim", "mountPath": "/a"}], "volumeDevices": [{"name": "claim", "devicePath": "/a"}]}),
            &[
                "volumeMounts[0].name: Invalid value: \"claim\": must not already exist in volumeDevices",
                "volumeMounts[0].mountPath: Invalid value: \"/a\": must not already exist as a path in volumeDevices",
                "volumeDevices[0].name: Invalid value: \"claim\": must not already exist in volumeMounts",
                "volumeDevices[0].devicePath: Invalid value: \"/a\": must not already exist as a path in volumeMounts",
            ],
        ),
    ] {
        container(&mount, expected);
    }
}

#[test]
fn probes_and_hooks_do_one_thing() {
    let get = json!({"port": 80});
    for (members, expected) in [
        (
            json!({"livenessProbe": {"httpGet": get}, "readinessProbe": {"grpc": {"port": 1}, "successThreshold": 2}}),
            &[][..],
        ),
        (json!({"livenessProbe": {}}), &["livenessProbe: Required value: must specify a handler type"]),
        (
            json!({"startupProbe": {"httpGet": get, "tcpSocket": get}}),
            &["startupProbe.tcpSocket: Forbidden: may not specify more than 1 handler type"],
        ),
        (json!({"livenessProbe": {"exec": {}}}), &["livenessProbe.exec.command: Required value"]),
        (
            json!({"livenessProbe": {"httpGet": {"port": "A", "scheme": "X", "httpHeaders": [{"name": "a b", "value": ""}]}}}),
            &[
                "livenessProbe.httpGet.port: Invalid value: \"A\": must contain only alpha-numeric",
                "livenessProbe.httpGet.port: Invalid value: \"A\": must contain at least one letter",
                "livenessProbe.httpGet.scheme: Unsupported value: \"X\": supported values: \"HTTP\", \"HTTPS\"",
                "livenessProbe.httpGet.httpHeaders: Invalid value: \"a b\": a valid HTTP header must",
            ],
        ),
        (
            json!({"livenessProbe": {"grpc": {"port": 0}, "successThreshold": 2, "periodSeconds": -1, "terminationGracePeriodSeconds": 0}}),
            &[
                "livenessProbe.grpc.port: Invalid value: 0",
                "livenessProbe.periodSeconds: Invalid value: -1: must be greater than or equal to 0",
                "livenessProbe.terminationGracePeriodSeconds: Invalid value: 0: must be greater than 0",
                "livenessProbe.successThreshold: Invalid value: 2: must be 1",
            ],
        ),
        (
            json!({"readinessProbe": {"httpGet": get, "terminationGracePeriodSeconds": 1}}),
            &["readinessProbe.terminationGracePeriodSeconds: Invalid value: 1: must not be set for readinessProbes"],
        ),
        (json!({"lifecycle": {"preStop": {"sleep": {"seconds": 30}}, "postStart": {"exec": {"command": ["a"]}}}}), &[]),
        (
            json!({"lifecycle": {"preStop": {"sleep": {"seconds": 31}}, "stopSignal": "SIGTERM"}}),
            &[
                "lifecycle.preStop.sleep: Invalid value: 31: must be non-negative and less than terminationGracePeriodSeconds (30)",
                "lifecycle.stopSignal: Forbidden: may not be set for containers with empty `spec.os.name`",
            ],
        ),
    ] {
        container(&members, expected);
    }
    for (os, signal, refused) in [
        ("linux", "SIGRTMIN+15", false),
        ("linux", "SIGRTMIN+16", true),
        ("windows", "SIGKILL", false),
        ("windows", "SIGHUP", true),
    ] {
        let containers = json!([{"name": "a", "image": "i", "lifecycle": {"stopSignal": signal}}]);
        let refusal =
            format!("containers[0].lifecycle.stopSignal: Unsupported value: \"{signal}\": supported values: \"SIG");
        let expected: &[&str] = if refused { &[&refusal] } else { &[] };
        pod(&[("os", json!({"name": os})), ("containers", containers)], expected);
    }
}

#[test]
fn only_sidecars_among_init_containers_live_on() {
    let init = |policy: Value| {
        json!([{"name": "a", "image": "i", "restartPolicy": policy, "readinessProbe": {"tcpSocket": {"port": 1}},
                "lifecycle": {"preStop": {"sleep": {"seconds": 1}}}}])
    };
    let detail = "may not be set for init containers without restartPolicy=Always";
    let forbidden =
        ["lifecycle", "readinessProbe"].map(|member| format!("initContainers[0].{member}: Forbidden: {detail}"));
    let forbidden: Vec<&str> = forbidden.iter().map(String::as_str).collect();
    pod(&[("initContainers", init(json!("Always")))], &[]);
    pod(&[("initContainers", init(json!("Never")))], &forbidden);
    pod(&[("initContainers", init(Value::Null))], &forbidden);
    container(
        &json!({"restartPolicy": "X"}),
        &["restartPolicy: Unsupported value: \"X\": supported values: \"Always\", \"Never\", \"OnFailure\""],
    );
}

#[test]
fn requests_stay_below_limits() {
    for (required, expected) in [
        (json!({"requests": {"cpu": "100m"}, "limits": {"cpu": "0.1"}}), &[][..]),
        (
            json!({"requests": {"memory": "1Gi"}, "limits": {"memory": "1Mi"}}),
            &["resources.requests: Invalid value: \"1Gi\": must be less than or equal to memory limit of 1Mi"],
        ),
        (
            json!({"requests": {"a.b/c": "1"}, "limits": {"a.b/c": "2"}}),
            &["resources.requests: Invalid value: \"1\": must be equal to a.b/c limit of 2"],
        ),
        (
            json!({"requests": {"a.b/c": "1"}}),
            &["resources.limits: Required value: Limit must be set for non overcommitable resources"],
        ),
        (json!({"limits": {"hugepages-2Mi": "2Mi"}}), &["resources: Forbidden: HugePages require cpu or memory"]),
        (
            json!({"requests": {"cpu": "-1", "pods": "1"}}),
            &[
                "resources.requests[cpu]: Invalid value: \"-1\": must be greater than or equal to 0",
                "resources.requests[pods]: Invalid value: \"pods\": must be a standard resource for containers",
            ],
        ),
        (json!({"claims": [{"name": "gpu", "request": "a"}, {"name": "gpu", "request": "b"}]}), &[]),
        (
            json!({"claims": [{"name": "gpu", "request": "a"}, {"name": "gpu", "request": "a"}, {"name": "gpu"}, {"name": "gpu"}, {"name": ""}, {"name": "x"}]}),
            &[
                "resources.claims[1]: Duplicate value: \"gpu/a\"",
                "resources.claims[2]: Duplicate value: \"gpu\"",
                "resources.claims[3]: Duplicate value: \"gpu\"",
                "resources.claims[4]: Required value",
                "resources.claims[5]: Not found: \"x\": must be one of the names in pod.spec.resourceClaims: gpu",
            ],
        ),
    ] {
        container(&json!({"resources": required}), expected);
    }
    container(
        &json!({"resizePolicy": [{"resourceName": "cpu", "restartPolicy": "NotRequired"}, {"resourceName": "cpu", "restartPolicy": "X"}, {"resourceName": "", "restartPolicy": "NotRequired"}]}),
        &[
            "resizePolicy[1]: Duplicate value: \"cpu\"",
            "resizePolicy: Unsupported value: \"X\": supported values: \"NotRequired\", \"RestartContainer\"",
            "resizePolicy: Required value",
        ],
    );
}

#[test]
fn no_container_may_have_more_than_the_pod() {
    let with = |name: &str, limits: Value| json!({"name": name, "image": "i", "resources": {"limits": limits}});
    let main = json!([with("a", json!({"cpu": "2"})), with("b", json!({"cpu": "1500m", "memory": "1Gi"}))]);
    for (limits, expected) in [
        (json!({"cpu": "2"}), &[][..]),
        (json!({"memory": "2Gi"}), &[]),
        (
            json!({"cpu": "1800m"}),
            &[
                "resources.containers[0][cpu].limits: Invalid value: \"2\": must be less than or equal to pod limits of 1800m",
            ],
        ),
    ] {
        let resources = json!({"limits": limits, "requests": {"memory": "1"}});
        pod(&[("containers", main.clone()), ("resources", resources)], expected);
    }
}

#[test]
fn a_pod_asks_for_at_least_what_its_containers_ask_for() {
    let with = |name: &str, cpu: &str, policy: Value| json!({"name": name, "image": "i", "restartPolicy": policy, "resources": {"requests": {"cpu": cpu}}});
    let init = json!([with("side", "1", json!("Always")), with("init", "4", Value::Null)]);
    let main = json!([with("a", "1", Value::Null), with("b", "500m", Value::Null)]);
    let containers = [("initContainers", init), ("containers", main)];
    for (requests, expected) in [
        (json!({"cpu": "5"}), &[][..]),
        (json!({"memory": "1"}), &[]),
        (
            json!({"cpu": "4999m"}),
            &[
                "resources.requests[cpu]: Invalid value: \"4999m\": must be greater than or equal to aggregate container requests of 5",
            ],
        ),
        (
            json!({"cpu": "5", "a.b/c": "1"}),
            &[
                "resources.requests[a.b/c]: Unsupported value: \"a.b/c\": supported values: \"cpu\", \"hugepages-\", \"memory\"",
                "resources.limits: Required value: Limit must be set for non overcommitable resources",
            ],
        ),
    ] {
        let [init, main] = containers.clone();
        pod(&[init, main, ("resources", json!({"requests": requests}))], expected);
    }
    pod(
        &[("resources", json!({"claims": [{"name": "gpu"}]}))],
        &["resources.claims: Forbidden: claims may not be set for Resources at pod-level"],
    );
    pod(
        &[("os", json!({"name": "windows"})), ("resources", json!({"requests": {"x": "1"}}))],
        &["resources: Forbidden: may not be set for a windows pod"],
    );
}

#[test]
fn a_hostname_override_is_a_subdomain_of_64_bytes_on_a_network_of_its_own() {
    let (longest, longer) = ("a".repeat(64), "a".repeat(65));
    for (name, expected) in [
        (longest.as_str(), &[][..]),
        (&longer, &["hostnameOverride: Too long: may not be more than 64 bytes"]),
        ("A", &["hostnameOverride: Invalid value: \"A\": a lowercase RFC 1123 subdomain"]),
        ("", &["hostnameOverride: Invalid value: \"\": a lowercase RFC 1123 subdomain"]),
    ] {
        pod(&[("hostnameOverride", json!(name))], expected);
    }
    pod(
        &[("hostnameOverride", json!("a")), ("setHostnameAsFQDN", json!(true)), ("hostNetwork", json!(true))],
        &[
            "hostnameOverride: Forbidden: may not be specified when setHostnameAsFQDN is true",
            "hostnameOverride: Forbidden: may not be specified when hostNetwork is true",
        ],
    );
}

#[test]
fn security_contexts_do_not_contradict_themselves() {
    for (context, expected) in [
        (json!({"privileged": true, "runAsUser": 0, "procMount": "Default"}), &[][..]),
        (json!({"runAsUser": -1}), &["securityContext.runAsUser: Invalid value: -1: must be between 0"]),
        (
            json!({"procMount": "Unmasked"}),
            &["securityContext.procMount: Invalid value: \"Unmasked\": `hostUsers` must be false to use `Unmasked`"],
        ),
        (
            json!({"seccompProfile": {"type": "Localhost"}}),
            &["securityContext.seccompProfile.localhostProfile: Required value"],
        ),
        (
            json!({"appArmorProfile": {"type": "X"}}),
            &["securityContext.appArmorProfile.type: Unsupported value: \"X\""],
        ),
        (
            json!({"windowsOptions": {"runAsUserName": "a\\b\\c"}}),
            &[
                "securityContext.windowsOptions.runAsUserName: Invalid value: \"a\\\\b\\\\c\": runAsUserName cannot contain more than one backslash",
            ],
        ),
    ] {
        container(&json!({"securityContext": context}), expected);
    }
    container(
        &json!({"securityContext": {"allowPrivilegeEscalation": false, "privileged": true, "capabilities": {"add": ["CAP_SYS_ADMIN"]}}}),
        &["securityContext: Invalid value: {", "securityContext: Invalid value: {"],
    );
}

#[test]
fn options_for_windows_belong_to_pods_for_windows() {
    let windows = |options: Value| json!({"windowsOptions": options});
    for (options, expected) in [
        (json!({"runAsUserName": "CORP\\me", "gmsaCredentialSpecName": "a.b", "gmsaCredentialSpec": "{}"}), &[][..]),
        (
            json!({"runAsUserName": ""}),
            &[
                "securityContext.windowsOptions.runAsUserName: Invalid value: \"\": runAsUserName cannot be an empty string",
            ],
        ),
        (
            json!({"runAsUserName": ".corp\\ ."}),
            &[
                "securityContext.windowsOptions.runAsUserName: Invalid value: \".corp\\\\ .\": runAsUserName's Domain doesn't match the NetBios nor the DNS format",
                "securityContext.windowsOptions.runAsUserName: Invalid value: \".corp\\\\ .\": runAsUserName's User cannot contain only periods or spaces",
            ],
        ),
        (
            json!({"gmsaCredentialSpecName": "A", "gmsaCredentialSpec": ""}),
            &[
                "securityContext.windowsOptions.gmsaCredentialSpecName: Invalid value: \"A\": a lowercase RFC 1123 subdomain",
                "securityContext.windowsOptions.gmsaCredentialSpec: Invalid value: \"\": gmsaCredentialSpec cannot be an empty string",
            ],
        ),
    ] {
        pod(&[("securityContext", windows(options))], expected);
    }
    let own = json!([{"name": "a", "image": "i", "securityContext": {"privileged": true, "windowsOptions": {"hostProcess": false}}}]);
    pod(
        &[("os", json!({"name": "linux"})), ("containers", own.clone())],
        &["containers[0].securityContext.windowsOptions: Forbidden: windows options cannot be set for a linux pod"],
    );
    pod(
        &[
            ("os", json!({"name": "windows"})),
            ("containers", own),
            ("hostNetwork", json!(true)),
            ("securityContext", windows(json!({"hostProcess": true}))),
        ],
        &[
            "containers[0].securityContext.windowsOptions.hostProcess: Invalid value: false: pod hostProcess value must be identical if both are specified, was true",
            "containers[0].securityContext.privileged: Forbidden: cannot be set for a windows pod",
        ],
    );
}
