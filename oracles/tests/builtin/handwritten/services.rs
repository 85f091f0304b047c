//! What services may be, and what may become of them.

use super::support::Rows;
use serde_json::{Value, json};
use takeover_harness::case::Options;

fn rows(spec: &Value) -> Rows {
    let service = json!({"apiVersion": "v1", "kind": "Service", "spec": spec, "status": {},
                         "metadata": {"name": "s", "namespace": "n", "resourceVersion": "1", "annotations": {}}});
    Rows::of("v1", "Service", service)
}

pub(crate) fn plain() -> Rows {
    rows(&json!({"ports": [{"port": 80}], "clusterIP": "10.0.0.1", "clusterIPs": ["10.0.0.1"],
                 "ipFamilies": ["IPv4"], "ipFamilyPolicy": "SingleStack"}))
}

fn double() -> Rows {
    rows(&json!({"ports": [{"port": 80}], "clusterIP": "10.0.0.1", "clusterIPs": ["10.0.0.1", "fd00::1"],
                 "ipFamilies": ["IPv4", "IPv6"], "ipFamilyPolicy": "RequireDualStack"}))
}

pub(crate) fn balanced() -> Rows {
    rows(&json!({"type": "LoadBalancer", "ports": [{"port": 80}]}))
}

#[test]
fn names_are_labels_that_may_start_with_a_digit_since_1_36() {
    let rows = plain();
    rows.created(&[
        (&[("/metadata/name", json!("1-s"))], &[]),
        (&[("/metadata/generateName", json!("1-"))], &[]),
        (&[("/metadata/name", json!("a.b"))], &["metadata.name: Invalid value: \"a.b\": must not contain dots"]),
        (
            &[("/metadata/generateName", json!("AB-"))],
            &["metadata.generateName: Invalid value: \"AB-\": a lowercase RFC 1123 label must consist"],
        ),
    ]);
    let mut gates = Options::new();
    gates.set("RelaxedServiceNameValidation", false);
    let changes = [("/metadata/name", json!("1-s")), ("/metadata/generateName", json!("1"))];
    let found = rows.judge_with(&rows.with(&changes), None, gates);
    assert_eq!(found.len(), 2, "{found:#?}");
    for (error, (member, name)) in found.iter().zip([("generateName", "1"), ("name", "1-s")]) {
        let expected =
            format!("metadata.{member}: Invalid value: \"{name}\": a DNS-1035 label must consist of lower case");
        assert!(error.starts_with(&expected), "{found:#?}");
    }
}

#[test]
fn the_type_says_what_else_a_service_has() {
    let kind = |kind: &str| ("/spec/type", json!(kind));
    let none = || [("/spec/clusterIP", json!("None")), ("/spec/clusterIPs", json!(["None"]))];
    let headless = |name: &str| [kind(name), none()[0].clone(), none()[1].clone()];
    plain().created(&[
        (&[], &[]),
        (
            &[kind("X")],
            &["spec.type: Unsupported value: \"X\": supported values: \"ClusterIP\", \"ExternalName\", \"LoadBalancer\", \"NodePort\""],
        ),
        (&[("/spec/ports", Value::Null)], &["spec.ports: Required value"]),
        (&[("/spec/ports", Value::Null), none()[0].clone(), none()[1].clone()], &[]),
        (&headless("ClusterIP"), &[]),
        (
            &headless("LoadBalancer"),
            &["spec.clusterIPs[0]: Invalid value: \"None\": may not be set to 'None' for LoadBalancer services"],
        ),
        (
            &headless("NodePort"),
            &["spec.clusterIPs[0]: Invalid value: \"None\": may not be set to 'None' for NodePort services"],
        ),
        (
            &[kind("ExternalName"), ("/spec/ports", Value::Null)],
            &[
                "spec.clusterIPs: Forbidden: may not be set for ExternalName services",
                "spec.ipFamilies: Forbidden: may not be set for ExternalName services",
                "spec.ipFamilyPolicy: Forbidden: may not be set for ExternalName services",
                "spec.externalName: Required value",
            ],
        ),
    ]);
    rows(&json!({"type": "ExternalName", "externalName": "a.example.com."})).created(&[
        (&[], &[]),
        (&[("/spec/externalName", json!("."))], &["spec.externalName: Required value"]),
        (
            &[("/spec/externalName", json!("a..b."))],
            &["spec.externalName: Invalid value: \"a..b\": a lowercase RFC 1123"],
        ),
        (&[("/spec/internalTrafficPolicy", json!("X"))], &["spec.internalTrafficPolicy: Unsupported value: \"X\""]),
    ]);
}

#[test]
fn ports_are_named_when_there_are_several_and_differ() {
    let ports = |ports: Value| [("/spec/ports", ports)];
    plain().created(&[
        (
            &ports(
                json!([{"port": 53, "name": "a", "protocol": "UDP"}, {"port": 53, "name": "b", "targetPort": "dns"}]),
            ),
            &[],
        ),
        (
            &ports(json!([{"port": 1}, {"port": 2}])),
            &["spec.ports[0].name: Required value", "spec.ports[1].name: Required value"],
        ),
        (
            &ports(json!([{"port": 1, "name": "a.b"}])),
            &["spec.ports[0].name: Invalid value: \"a.b\": must not contain dots"],
        ),
        (
            &ports(json!([{"port": 1, "name": "a"}, {"port": 2, "name": "a"}])),
            &["spec.ports[1].name: Duplicate value: \"a\""],
        ),
        (
            &ports(json!([{"port": 0, "targetPort": 1}])),
            &["spec.ports[0].port: Invalid value: 0: must be between 1 and 65535, inclusive"],
        ),
        (
            &ports(json!([{"port": 0}])),
            &["spec.ports[0].port: Invalid value", "spec.ports[0].targetPort: Invalid value: 0: must be"],
        ),
        (
            &ports(json!([{"port": 1, "targetPort": "a--b"}])),
            &["spec.ports[0].targetPort: Invalid value: \"a--b\": must not contain consecutive hyphens"],
        ),
        (
            &ports(json!([{"port": 1, "protocol": "tcp"}])),
            &["spec.ports[0].protocol: Unsupported value: \"tcp\": supported values: \"SCTP\", \"TCP\", \"UDP\""],
        ),
        (
            &ports(json!([{"port": 1, "appProtocol": "a b"}])),
            &["spec.ports[0].appProtocol: Invalid value: \"a b\": name part must consist"],
        ),
        (
            &ports(json!([{"port": 80, "name": "a"}, {"port": 80, "name": "b", "targetPort": 8}])),
            &["spec.ports[1]: Duplicate value: {\"Name\":\"\",\"Protocol\":\"TCP\",\"AppProtocol\":null,\"Port\":80,\
               \"TargetPort\":0,\"NodePort\":0}"],
        ),
        (
            &ports(json!([{"port": 80, "nodePort": 30_000}])),
            &["spec.ports[0].nodePort: Forbidden: may not be used when `type` is 'ClusterIP'"],
        ),
    ]);
    let ports = [
        ("/spec/type", json!("NodePort")),
        (
            "/spec/ports",
            json!([{"port": 1, "name": "a", "nodePort": 30_000}, {"port": 2, "name": "b", "nodePort": 30_000},
                               {"port": 3, "name": "c", "nodePort": 30_000, "protocol": "UDP"}, {"port": 4, "name": "d"},
                               {"port": 5, "name": "e"}]),
        ),
    ];
    plain().created(&[(&ports, &["spec.ports[1].nodePort: Duplicate value: 30000"])]);
}

#[test]
fn affinity_is_by_the_address_of_the_client_for_at_most_a_day() {
    let affinity = |affinity: &str, config: Value| {
        [("/spec/sessionAffinity", json!(affinity)), ("/spec/sessionAffinityConfig", config)]
    };
    let seconds = |seconds: i32| affinity("ClientIP", json!({"clientIP": {"timeoutSeconds": seconds}}));
    let range = "spec.sessionAffinityConfig.clientIP.timeoutSeconds: Invalid value: ";
    plain().created(&[
        (
            &affinity("X", Value::Null),
            &["spec.sessionAffinity: Unsupported value: \"X\": supported values: \"ClientIP\", \"None\""],
        ),
        (&affinity("ClientIP", Value::Null), &[]),
        (&affinity("ClientIP", json!({"clientIP": {}})), &[]),
        (&affinity("None", json!({"clientIP": {"timeoutSeconds": 0}})), &[]),
        (&seconds(86_400), &[]),
        (&seconds(86_401), &[&format!("{range}86401: must be greater than 0 and less than 86400")]),
        (&seconds(0), &[&format!("{range}0: must be greater")]),
    ]);
    let config = |changes: &[(&str, Value)]| plain().seen(changes, None)["spec"]["sessionAffinityConfig"].clone();
    assert_eq!(config(&affinity("ClientIP", Value::Null)), json!({"clientIP": {"timeoutSeconds": 10_800}}));
    assert_eq!(config(&affinity("None", json!({"clientIP": {"timeoutSeconds": 5}}))), Value::Null);
}

#[test]
fn addresses_agree_with_each_other_and_with_their_families() {
    let ips = |first: Value, all: Value| [("/spec/clusterIP", first), ("/spec/clusterIPs", all)];
    let bare = |first: Value, all: Value| {
        let [one, list] = ips(first, all);
        [one, list, ("/spec/ipFamilies", Value::Null), ("/spec/ipFamilyPolicy", Value::Null)]
    };
    plain().created(&[
        (&ips(json!("10.0.0.1"), Value::Null), &["spec.clusterIPs: Required value"]),
        (
            &ips(Value::Null, json!(["10.0.0.1"])),
            &["spec.clusterIPs: Invalid value: [\"10.0.0.1\"]: must be empty when `clusterIP` is not specified"],
        ),
        (
            &ips(json!("10.0.0.1"), json!(["10.0.0.2"])),
            &["spec.clusterIPs: Invalid value: [\"10.0.0.2\"]: first value must match `clusterIP`"],
        ),
        (
            &ips(json!("fd00::1"), json!(["fd00::1"])),
            &["spec.clusterIPs[0]: Invalid value: \"fd00::1\": expected an IPv4 value as indicated by `ipFamilies[0]`"],
        ),
        (
            &[("/spec/ipFamilies", json!(["IPv6"]))],
            &["spec.clusterIPs[0]: Invalid value: \"10.0.0.1\": expected an IPv6 value as indicated by `ipFamilies[0]`"],
        ),
        (&bare(json!("010.0.0.1"), json!(["010.0.0.1"])), &["spec.clusterIPs[0]: Invalid value: \"010.0.0.1\": must not have leading 0s"]),
        (
            &bare(json!("None"), json!(["None", "10.0.0.1"])),
            &["spec.clusterIPs: Invalid value: [\"None\",\"10.0.0.1\"]: 'None' must be the first and only value"],
        ),
        (
            &bare(json!("10.0.0.1"), json!(["10.0.0.1", "None"])),
            &["spec.clusterIPs[1]: Invalid value: \"None\": must be a valid IP address"],
        ),
        (
            &bare(json!("10.0.0.1"), json!(["10.0.0.1", "10.0.0.2"])),
            &["spec.clusterIPs: Invalid value…may specify no more than one IP for each IP family"],
        ),
        (
            &bare(json!("10.0.0.1"), json!(["10.0.0.1", "fd00::1", "x"])),
            &["spec.clusterIPs[2]: Invalid value: \"x\"", "spec.clusterIPs: Invalid value: [\"10.0.0.1\",\"fd00::1\",\"x\"]: may only hold"],
        ),
        (&bare(json!("10.0.0.1"), json!(["10.0.0.1", "fd00::1", "fd00::2"])), &["spec.clusterIPs: Invalid value…may only hold up to 2 values"]),
        (
            &[("/spec/ipFamilies", json!(["IPv4", "IPv4", "X"]))],
            &[
                "spec.ipFamilies[1]: Duplicate value: \"IPv4\"",
                "spec.ipFamilies[2]: Unsupported value: \"X\": supported values: \"IPv4\", \"IPv6\"",
            ],
        ),
        (
            &[("/spec/ipFamilyPolicy", json!("X"))],
            &["spec.ipFamilyPolicy: Unsupported value: \"X\": supported values: \"PreferDualStack\", \"RequireDualStack\", \"SingleStack\""],
        ),
    ]);
    let stored = bare(json!("x"), json!(["x", "10.0.0.1"]));
    plain().changed(&[(
        &stored,
        (
            &stored,
            &[
                "spec.clusterIPs: Internal error: failed to check for dual stack with error:invalid IP[0]: x",
                "spec.clusterIPs: Invalid value…may specify no more than one IP for each IP family",
            ],
        ),
    )]);
}

#[test]
fn addresses_and_families_stay_but_for_the_second_one() {
    let ips = |all: Value| [("/spec/clusterIP", all[0].clone()), ("/spec/clusterIPs", all)];
    let fixed = "may not change once set";
    let single = |change: (&'static str, Value)| [("/spec/ipFamilyPolicy", json!("SingleStack")), change];
    double().updated(&[
        (&[], &[]),
        (&ips(json!(["10.0.0.1", "fd00::2"])), &[&format!("spec.clusterIPs[1]: Invalid value: [\"10.0.0.1\",\"fd00::2\"]: {fixed}")]),
        (
            &ips(json!(["10.0.0.1"])),
            &["spec.ipFamilyPolicy: Invalid value: \"RequireDualStack\": must be set to 'SingleStack' when releasing the secondary clusterIP"],
        ),
        (&single(("/spec/clusterIPs", json!(["10.0.0.1"]))), &[]),
        (
            &[("/spec/ipFamilies", json!(["IPv4"]))],
            &["spec.ipFamilyPolicy: Invalid value: \"RequireDualStack\": must be set to 'SingleStack' when releasing the secondary ipFamily"],
        ),
        (&single(("/spec/ipFamilies", json!(["IPv4"]))), &[]),
        (
            &single(("/spec/ipFamilies", json!(["IPv6"]))),
            &[
                &format!("spec.ipFamilies[0]: Invalid value: [\"10.0.0.1\",\"fd00::1\"]: {fixed}"),
                "spec.clusterIPs[0]: Invalid value: \"10.0.0.1\": expected an IPv6",
            ],
        ),
        (
            &[("/spec/clusterIP", Value::Null), ("/spec/clusterIPs", Value::Null), ("/spec/ipFamilies", Value::Null)],
            &[
                "spec.clusterIPs[0]: Invalid value: null: primary clusterIP can not be unset",
                "spec.ipFamilies[0]: Invalid value: null: primary ipFamily can not be unset",
            ],
        ),
    ]);
    let [one, all] = ips(json!(["10.0.0.2", "fd00::1"]));
    plain().updated(&[
        (&ips(json!(["10.0.0.1", "fd00::1"])), &[]),
        (&[one, all], &[&format!("spec.clusterIPs[0]: Invalid value: [\"10.0.0.2\",\"fd00::1\"]: {fixed}")]),
        (&[("/spec/ipFamilies", json!(["IPv4", "IPv6"]))], &[]),
        (
            &[("/spec/ipFamilies", json!(["IPv6", "IPv4"]))],
            &[
                &format!("spec.ipFamilies[0]: Invalid value: [\"10.0.0.1\"]: {fixed}"),
                "spec.clusterIPs[0]: Invalid value…expected an IPv6 value",
            ],
        ),
        (
            &[("/spec/ipFamilies", json!(["IPv6"]))],
            &[
                &format!("spec.ipFamilies[0]: Invalid value: [\"IPv6\"]: {fixed}"),
                "spec.clusterIPs[0]: Invalid value…expected an IPv6 value",
            ],
        ),
        (&ips(json!(["None"])), &[&format!("spec.clusterIPs[0]: Invalid value: [\"None\"]: {fixed}")]),
    ]);
    let outside = [("/spec", json!({"type": "ExternalName", "externalName": "a"}))];
    plain().changed(&[(&outside, (&[], &[])), (&[], (&outside, &[]))]);
    let headless = |family: &str| [ips(json!(["None"])).to_vec(), vec![("/spec/ipFamilies", json!([family]))]].concat();
    plain().changed(&[(&headless("IPv4"), (&headless("IPv6"), &[]))]);
    double().changed(&[(
        &[],
        (
            &[
                ("/spec/clusterIPs", json!(["10.0.0.2"])),
                ("/spec/clusterIP", json!("10.0.0.2")),
                ("/spec/ipFamilyPolicy", json!("SingleStack")),
            ],
            &[&format!("spec.clusterIPs[0]: Invalid value: [\"10.0.0.2\"]: {fixed}")],
        ),
    )]);
}

#[test]
fn external_addresses_are_ones_that_something_answers_at() {
    let ips = |ips: Value| [("/spec/externalIPs", ips)];
    plain().created(&[
        (&ips(json!(["1.2.3.4", "2001:db8::1", "239.0.0.1"])), &[]),
        (
            &ips(json!(["x"])),
            &["spec.externalIPs[0]: Invalid value: \"x\": must be a valid IP address, (e.g. 10.9.8.7"],
        ),
        (&ips(json!(["1.2.3.04"])), &["spec.externalIPs[0]: Invalid value…must not have leading 0s"]),
        (&ips(json!(["0.0.0.0", "::"])), &["spec.externalIPs[0]: Invalid value…may not be unspecified (0.0.0.0)", "spec.externalIPs[1]: Invalid value…may not be unspecified (::)"]),
        (&ips(json!(["127.0.0.2", "::1"])), &["spec.externalIPs[0]: Invalid value…may not be in the loopback range (127.0.0.0/8, ::1/128)", "spec.externalIPs[1]: Invalid value…loopback"]),
        (
            &ips(json!(["169.254.1.1", "fe80::1"])),
            &["spec.externalIPs[0]: Invalid value…may not be in the link-local range (169.254.0.0/16, fe80::/10)", "spec.externalIPs[1]: Invalid value…link-local"],
        ),
        (
            &ips(json!(["224.0.0.1", "ff02::1"])),
            &["spec.externalIPs[0]: Invalid value…may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)", "spec.externalIPs[1]: Invalid value…multicast"],
        ),
    ]);
    plain().changed(&[
        (&ips(json!(["1.2.3.04"])), (&ips(json!(["1.2.3.04"])), &[])),
        (
            &ips(json!(["x"])),
            (&ips(json!(["x"])), &["spec.externalIPs[0]: Invalid value: \"x\": must be a valid IP address"]),
        ),
        (
            &ips(json!(["0.0.0.00"])),
            (&ips(json!(["0.0.0.00"])), &["spec.externalIPs[0]: Invalid value…may not be unspecified (0.0.0.00)"]),
        ),
    ]);
}

#[test]
fn traffic_from_outside_has_a_policy_and_local_traffic_a_health_check() {
    let local = ("/spec/externalTrafficPolicy", json!("Local"));
    let port = |port: i32| ("/spec/healthCheckNodePort", json!(port));
    plain().created(&[
        (
            std::slice::from_ref(&local),
            &["spec.externalTrafficPolicy: Invalid value: \"Local\": may only be set for externally-accessible services"],
        ),
        (&[local.clone(), ("/spec/externalIPs", json!(["1.2.3.4"]))], &[]),
        (
            &[("/spec/internalTrafficPolicy", json!("X"))],
            &["spec.internalTrafficPolicy: Unsupported value: \"X\": supported values: \"Cluster\", \"Local\""],
        ),
        (
            &[("/spec/trafficDistribution", json!("X"))],
            &["spec.trafficDistribution: Unsupported value: \"X\": supported values: \"PreferClose\", \"PreferSameZone\", \
               \"PreferSameNode\""],
        ),
        (&[("/spec/trafficDistribution", json!("PreferSameNode"))], &[]),
    ]);
    balanced().created(&[
        (&[], &[]),
        (
            &[("/spec/externalTrafficPolicy", json!("X"))],
            &["spec.externalTrafficPolicy: Unsupported value: \"X\": supported values: \"Cluster\", \"Local\""],
        ),
        (
            &[port(30_000)],
            &["spec.healthCheckNodePort: Invalid value: 30000: may only be set when `type` is 'LoadBalancer' and \
               `externalTrafficPolicy` is 'Local'"],
        ),
        (std::slice::from_ref(&local), &["spec.healthCheckNodePort: Required value"]),
        (&[local.clone(), port(30_000)], &[]),
        (
            &[local.clone(), port(-1)],
            &["spec.healthCheckNodePort: Invalid value: -1: must be between 1 and 65535, inclusive"],
        ),
    ]);
    let checked = [local.clone(), port(30_000)];
    balanced().changed(&[
        (&checked, (&[local, port(30_001)], &["spec.healthCheckNodePort: Forbidden: field is immutable"])),
        (&checked, (&[], &[])),
    ]);
}

#[test]
fn the_two_names_of_the_topology_annotation_agree() {
    let annotations = |mode: &str, hints: &str| {
        let both =
            json!({"service.kubernetes.io/topology-mode": mode, "service.kubernetes.io/topology-aware-hints": hints});
        [("/metadata/annotations", both)]
    };
    plain().created(&[
        (&annotations("Auto", "Auto"), &[]),
        (
            &annotations("Auto", "auto"),
            &["metadata.annotations[service.kubernetes.io/topology-mode]: Invalid value: \"Auto\": must match \
               annotations[service.kubernetes.io/topology-aware-hints] when both are specified"],
        ),
        (
            &[("/spec/selector", json!({"a b": "c d"}))],
            &["spec.selector: Invalid value: \"a b\"", "spec.selector: Invalid value: \"c d\""],
        ),
    ]);
}
