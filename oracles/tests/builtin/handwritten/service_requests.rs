//! What the registry makes of services in whole requests, and what it refuses.

use super::support::Rows;
use serde_json::{Value, json};

const ONE_OF_A_FAMILY: &str =
    "spec.clusterIPs: Invalid value: [\"10.0.0.1\",\"10.0.0.2\"]: may specify no more than one IP for each IP family";

fn service(spec: &Value) -> Value {
    json!({"apiVersion": "v1", "kind": "Service", "metadata": {"name": "s", "resourceVersion": "1"}, "spec": spec,
           "status": {"loadBalancer": {"ingress": [{"hostname": "a"}]}}})
}

fn rows() -> Rows {
    Rows::of("v1", "Service", Value::Null).in_requests()
}

/// Members that validation sees.
fn prepared(new: &Value, old: Option<&Value>, pointers: &[&str]) -> Vec<Value> {
    let once = rows().prepared(new, old);
    assert_eq!(rows().prepared(&once, old), once, "doing it twice is doing it once");
    pointers.iter().map(|pointer| once.pointer(pointer).cloned().unwrap_or(Value::Null)).collect()
}

/// Members of the specification that validation sees.
fn seen(new: &Value, old: Option<&Value>, members: &[&str]) -> Vec<Value> {
    let pointers: Vec<String> = members.iter().map(|member| format!("/spec/{member}")).collect();
    let pointers: Vec<&str> = pointers.iter().map(String::as_str).collect();
    prepared(&service(new), old.map(service).as_ref(), &pointers)
}

/// What a server says.
fn said(new: &Value, old: Option<&Value>) -> Vec<String> {
    rows().judge(&service(new), old.map(service).as_ref())
}

const FAMILIES: [&str; 3] = ["clusterIPs", "ipFamilies", "ipFamilyPolicy"];

#[test]
fn a_new_service_gets_families_as_on_a_cluster_with_ipv4() {
    for (spec, expected) in [
        (json!({}), json!([null, ["IPv4"], "SingleStack"])),
        (json!({"ipFamilyPolicy": "PreferDualStack"}), json!([null, ["IPv4"], "PreferDualStack"])),
        (json!({"ipFamilyPolicy": "RequireDualStack"}), json!([null, ["IPv4", "IPv6"], "RequireDualStack"])),
        (
            json!({"ipFamilyPolicy": "RequireDualStack", "ipFamilies": ["IPv6"]}),
            json!([null, ["IPv6", "IPv4"], "RequireDualStack"]),
        ),
        (json!({"clusterIP": "fd00::1"}), json!([["fd00::1"], ["IPv6"], "SingleStack"])),
        (
            json!({"clusterIP": "fd00::1", "clusterIPs": ["fd00::1", "10.0.0.1"], "ipFamilyPolicy": "PreferDualStack"}),
            json!([["fd00::1", "10.0.0.1"], ["IPv6", "IPv4"], "PreferDualStack"]),
        ),
        (json!({"clusterIP": "None", "selector": {"a": "b"}}), json!([["None"], ["IPv4"], "SingleStack"])),
        (json!({"clusterIP": "None"}), json!([["None"], ["IPv4", "IPv6"], "RequireDualStack"])),
        (
            json!({"clusterIP": "None", "ipFamilyPolicy": "SingleStack", "ipFamilies": ["IPv6"]}),
            json!([["None"], ["IPv6"], "SingleStack"]),
        ),
        (json!({"type": "ExternalName", "externalName": "a"}), json!([null, null, null])),
        // What will be refused stays.
        (json!({"clusterIP": "x"}), json!([["x"], null, null])),
        (json!({"clusterIPs": ["10.0.0.1", "10.0.0.2"]}), json!([["10.0.0.1", "10.0.0.2"], null, null])),
        (
            json!({"clusterIPs": ["10.0.0.1", "10.0.0.2"], "ipFamilyPolicy": "PreferDualStack"}),
            json!([["10.0.0.1", "10.0.0.2"], null, "PreferDualStack"]),
        ),
    ] {
        assert_eq!(json!(seen(&spec, None, &FAMILIES)), expected, "{spec}");
    }
}

#[test]
fn manifests_need_nothing_of_what_a_server_allots() {
    let port = json!([{"port": 80}]);
    for spec in [
        json!({"ports": port}),
        json!({"ports": port, "clusterIP": "None"}),
        json!({"ports": port, "type": "NodePort"}),
        json!({"ports": port, "type": "LoadBalancer", "externalTrafficPolicy": "Local"}),
        json!({"ports": port, "ipFamilyPolicy": "RequireDualStack"}),
        json!({"type": "ExternalName", "externalName": "a"}),
    ] {
        assert_eq!(said(&spec, None), [""; 0], "{spec}");
        assert_eq!(said(&spec, Some(&spec)), [""; 0], "{spec}");
    }
    let new = prepared(&service(&json!({"type": "LoadBalancer"})), None, &["/status"]);
    assert_eq!(new, [Value::Null]);
}

#[test]
fn an_update_keeps_what_was_allotted() {
    let stored = json!({"type": "LoadBalancer", "clusterIP": "10.0.0.1", "clusterIPs": ["10.0.0.1"], "ipFamilies": ["IPv4"],
                        "ipFamilyPolicy": "SingleStack", "externalTrafficPolicy": "Local", "healthCheckNodePort": 31_000,
                        "ports": [{"port": 1, "name": "a", "nodePort": 30_001}, {"port": 2, "name": "b", "nodePort": 30_002}]});
    let new = json!({"type": "LoadBalancer", "externalTrafficPolicy": "Local",
                     "ports": [{"port": 3, "name": "b"}, {"port": 4, "name": "c"}, {"port": 5, "name": "a"}]});
    let members =
        ["clusterIP", "clusterIPs", "healthCheckNodePort", "ports/0/nodePort", "ports/1/nodePort", "ports/2/nodePort"];
    let kept = json!(["10.0.0.1", ["10.0.0.1"], 31_000, 30_002, null, 30_001]);
    assert_eq!(json!(seen(&new, Some(&stored), &members)), kept);
    // Another port took the number.
    let new = json!({"type": "LoadBalancer", "ports": [{"port": 3, "name": "b"}, {"port": 4, "name": "c", "nodePort": 30_002}]});
    assert_eq!(seen(&new, Some(&stored), &["ports/0/nodePort"]), [Value::Null]);
    // No port on the nodes is wanted.
    let new =
        json!({"type": "LoadBalancer", "allocateLoadBalancerNodePorts": false, "ports": [{"port": 3, "name": "b"}]});
    assert_eq!(seen(&new, Some(&stored), &["ports/0/nodePort"]), [Value::Null]);
    let status = prepared(&service(&new), Some(&service(&stored)), &["/status/loadBalancer/ingress/0/hostname"]);
    assert_eq!(status, ["a"]);
}

#[test]
fn one_port_number_shares_its_node_port() {
    let ports = json!([{"port": 53, "name": "a", "protocol": "UDP"}, {"port": 53, "name": "b", "nodePort": 30_053}, {"port": 54, "name": "c"}]);
    let members = ["ports/0/nodePort", "ports/1/nodePort", "ports/2/nodePort"];
    let found = seen(&json!({"type": "NodePort", "ports": ports}), None, &members);
    assert_eq!(json!(found), json!([30_053, 30_053, null]));
    assert_eq!(seen(&json!({"ports": ports}), None, &["ports/0/nodePort"]), [Value::Null]);
}

#[test]
fn who_changes_one_address_means_the_list_too() {
    let stored = json!({"clusterIP": "10.0.0.1", "clusterIPs": ["10.0.0.1"], "ipFamilies": ["IPv4"], "ipFamilyPolicy": "SingleStack"});
    let members = ["clusterIP", "clusterIPs"];
    for (new, expected) in [
        (json!({"clusterIP": "10.0.0.2", "clusterIPs": ["10.0.0.1"]}), json!(["10.0.0.2", ["10.0.0.2"]])),
        (json!({"clusterIP": "10.0.0.1"}), json!(["10.0.0.1", ["10.0.0.1"]])),
        (json!({"clusterIP": "10.0.0.2", "clusterIPs": ["10.0.0.3"]}), json!(["10.0.0.2", ["10.0.0.3"]])),
        (json!({"type": "ExternalName", "clusterIPs": ["10.0.0.1"]}), json!([null, null])),
    ] {
        assert_eq!(json!(seen(&new, Some(&stored), &members)), expected, "{new}");
    }
    // Services of old have no list.
    let stored = json!({"clusterIP": "None", "ports": [{"port": 80}]});
    assert_eq!(said(&stored, Some(&stored)), [""; 0]);
}

#[test]
fn another_type_drops_what_it_has_no_use_for() {
    let stored = json!({"type": "LoadBalancer", "clusterIP": "10.0.0.1", "clusterIPs": ["10.0.0.1"], "ipFamilies": ["IPv4"],
                        "ipFamilyPolicy": "SingleStack", "externalTrafficPolicy": "Local", "healthCheckNodePort": 31_000,
                        "loadBalancerClass": "a", "allocateLoadBalancerNodePorts": true, "ports": [{"port": 1, "nodePort": 30_001}]});
    let with = |changes: Value| {
        let mut new = stored.clone();
        for (member, value) in changes.as_object().expect("changes") {
            new[member] = value.clone();
        }
        new
    };
    let cluster = with(json!({"type": "ClusterIP"}));
    let members = [
        "ports/0/nodePort",
        "healthCheckNodePort",
        "loadBalancerClass",
        "allocateLoadBalancerNodePorts",
        "externalTrafficPolicy",
    ];
    assert_eq!(seen(&cluster, Some(&stored), &members), [const { Value::Null }; 5]);
    assert_eq!(said(&cluster, Some(&stored)), [""; 0]);
    let status = prepared(&service(&cluster), Some(&service(&stored)), &["/status/loadBalancer"]);
    assert_eq!(status, [Value::Null]);
    let outside = with(json!({"type": "ExternalName", "externalName": "a"}));
    assert_eq!(
        seen(&outside, Some(&stored), &["clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy"]),
        [const { Value::Null }; 4]
    );
    assert_eq!(said(&outside, Some(&stored)), [""; 0]);
    // What the update changes stays, and is wrong.
    let changed = with(json!({"type": "ClusterIP", "loadBalancerClass": "b", "allocateLoadBalancerNodePorts": false,
                              "externalTrafficPolicy": "Cluster", "healthCheckNodePort": 31_001, "ports": [{"port": 1, "nodePort": 30_002}]}));
    let kept = json!([30_002, 31_001, "b", false, "Cluster"]);
    assert_eq!(json!(seen(&changed, Some(&stored), &members)), kept);
    let renamed = with(
        json!({"type": "ExternalName", "clusterIPs": ["10.0.0.2"], "ipFamilies": ["IPv6"], "ipFamilyPolicy": "PreferDualStack"}),
    );
    assert_eq!(json!(seen(&renamed, Some(&stored), &FAMILIES)), json!([["10.0.0.2"], ["IPv6"], "PreferDualStack"]));
}

#[test]
fn a_second_address_is_given_back_by_asking_for_one() {
    let port = json!([{"port": 80}]);
    let stored = json!({"ports": port, "clusterIP": "10.0.0.1", "clusterIPs": ["10.0.0.1", "fd00::1"], "ipFamilies": ["IPv4", "IPv6"],
                        "ipFamilyPolicy": "RequireDualStack"});
    let single = json!({"ports": port, "ipFamilyPolicy": "SingleStack", "ipFamilies": ["IPv4", "IPv6"]});
    assert_eq!(json!(seen(&single, Some(&stored), &FAMILIES)), json!([["10.0.0.1"], ["IPv4"], "SingleStack"]));
    assert_eq!(said(&single, Some(&stored)), [""; 0]);
    let silent = json!({"ports": port});
    assert_eq!(
        json!(seen(&silent, Some(&stored), &FAMILIES)),
        json!([["10.0.0.1", "fd00::1"], ["IPv4", "IPv6"], "RequireDualStack"])
    );
    let reduced = json!({"ports": port, "clusterIP": "10.0.0.1", "clusterIPs": ["10.0.0.1"], "ipFamilies": ["IPv4"]});
    assert_eq!(
        said(&reduced, Some(&stored)),
        [
            "spec.ipFamilyPolicy: Invalid value: \"RequireDualStack\": must be 'SingleStack' to release the secondary cluster IP",
            "spec.ipFamilyPolicy: Invalid value: \"RequireDualStack\": must be 'SingleStack' to release the secondary IP family",
        ]
    );
    let headless = json!({"ports": port, "clusterIP": "None", "selector": {"a": "b"}, "ipFamilyPolicy": "PreferDualStack",
                          "ipFamilies": ["IPv4", "IPv6"]});
    let silent = json!({"ports": port, "clusterIP": "None", "selector": {"a": "b"}});
    assert_eq!(
        json!(seen(&silent, Some(&headless), &FAMILIES)),
        json!([["None"], ["IPv4", "IPv6"], "PreferDualStack"])
    );
    // A cluster that gained or lost a family does not change who only prefers two.
    let prefers = json!({"ports": port, "clusterIP": "10.0.0.1", "clusterIPs": ["10.0.0.1"], "ipFamilies": ["IPv4"],
                         "ipFamilyPolicy": "PreferDualStack"});
    assert_eq!(json!(seen(&prefers, Some(&prefers), &FAMILIES)), json!([["10.0.0.1"], ["IPv4"], "PreferDualStack"]));
    let stored = json!({"ports": port, "clusterIP": "10.0.0.1", "clusterIPs": ["10.0.0.1", "10.0.0.2"], "ipFamilies": ["IPv4"],
                        "ipFamilyPolicy": "PreferDualStack", "externalName": "b"});
    let mut long = stored.clone();
    long["type"] = json!("ClusterIP");
    long["sessionAffinity"] = json!("X");
    let said = said(&long, Some(&stored));
    assert_eq!(said.len(), 2, "{said:#?}");
    assert!(said[0].starts_with("spec.sessionAffinity: Unsupported value"), "{said:#?}");
    assert!(said[1].starts_with(ONE_OF_A_FAMILY), "{said:#?}");
}

#[test]
fn what_cannot_be_allotted_is_refused_before_anything_else_is_looked_at() {
    let node_ports = |ports: &[(i32, i32)]| {
        let ports: Vec<Value> = ports
            .iter()
            .map(|(port, node)| json!({"port": port, "nodePort": node, "name": format!("p{port}")}))
            .collect();
        json!({"type": "NodePort", "ports": ports, "sessionAffinity": "X"})
    };
    let both = "must be 'RequireDualStack' or 'PreferDualStack' when multiple";
    for (spec, expected) in [
        (
            json!({"clusterIP": "x", "sessionAffinity": "X"}),
            vec!["spec.clusterIPs[0]: Invalid value: \"x\": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)".to_owned()],
        ),
        (
            json!({"clusterIP": "10.0.0.1", "clusterIPs": ["10.0.0.1", "fd00::1"], "ipFamilies": ["IPv4", "IPv6"]}),
            vec![
                format!("spec.ipFamilyPolicy: Invalid value: \"SingleStack\": {both} cluster IPs are specified"),
                format!("spec.ipFamilyPolicy: Invalid value: \"SingleStack\": {both} IP families are specified"),
            ],
        ),
        (
            node_ports(&[(1, 30_000), (2, 30_000)]),
            vec!["spec.ports[1].nodePort: Invalid value: 30000: provided port is already allocated".to_owned()],
        ),
        (
            node_ports(&[(1, 70_000)]),
            vec![
                "spec.ports[0].nodePort: Invalid value: 70000: provided port is not in the valid range. The range of valid ports is \
                 30000-32767"
                    .to_owned(),
            ],
        ),
    ] {
        assert_eq!(said(&spec, None), expected, "{spec}");
    }
    // A stored port is not allotted again.
    let found = said(&node_ports(&[(1, 70_000)]), Some(&node_ports(&[(2, 70_000)])));
    assert!(found.len() == 1 && found[0].starts_with("spec.sessionAffinity"), "{found:#?}");
}

#[test]
fn a_stored_service_is_read_with_families_and_without_a_policy_that_it_has_no_use_for() {
    let port = json!([{"port": 80}]);
    for (old, expected) in [
        (json!({"clusterIP": "fd00::1"}), json!([["fd00::1"], ["IPv6"], "SingleStack"])),
        (json!({"clusterIP": "None", "selector": {"a": "b"}}), json!([["None"], ["IPv4"], "SingleStack"])),
        (json!({"clusterIP": "None"}), json!([["None"], ["IPv4", "IPv6"], "RequireDualStack"])),
        (
            json!({"clusterIP": "10.0.0.1", "clusterIPs": ["10.0.0.1", "fd00::1"]}),
            json!([["10.0.0.1", "fd00::1"], ["IPv4", "IPv6"], "RequireDualStack"]),
        ),
    ] {
        // On the way to a name outside of the cluster, what is as stored goes.
        let mut stored = old.clone();
        stored["ports"] = port.clone();
        let [ips, families, policy] = [&expected[0], &expected[1], &expected[2]];
        let new = json!({"type": "ExternalName", "externalName": "a", "clusterIP": old["clusterIP"], "clusterIPs": ips,
                         "ipFamilies": families, "ipFamilyPolicy": policy});
        assert_eq!(seen(&new, Some(&stored), &FAMILIES), [const { Value::Null }; 3], "{old}");
    }
    let old = json!({"type": "ExternalName", "externalName": "a", "internalTrafficPolicy": "Cluster"});
    assert_eq!(said(&json!({"ports": port}), Some(&old)), [""; 0]);
}

#[test]
fn addresses_and_families_agree_before_the_second_of_either_is_given_back() {
    let stored = json!({"clusterIP": "10.0.0.1", "clusterIPs": ["10.0.0.1", "fd00::1"], "ipFamilies": ["IPv4", "IPv6"],
                        "ipFamilyPolicy": "RequireDualStack"});
    let expected = |index: usize, ip: &str, family: &str| {
        let asked = format!("expected an {family} value as indicated by `ipFamilies[{index}]`");
        format!("spec.clusterIPs[{index}]: Invalid value: \"{ip}\": {asked}")
    };
    let swapped = json!({"ipFamilies": ["IPv6", "IPv4"], "ipFamilyPolicy": "SingleStack"});
    assert_eq!(said(&swapped, Some(&stored)), [expected(0, "10.0.0.1", "IPv6"), expected(1, "fd00::1", "IPv4")]);
    let other = json!({"clusterIP": "10.0.0.1", "clusterIPs": ["10.0.0.1", "10.0.0.9"], "ipFamilies": ["IPv4", "IPv6"],
                       "ipFamilyPolicy": "SingleStack"});
    assert_eq!(
        said(&other, Some(&stored)),
        [
            "spec.clusterIPs: Invalid value: [\"10.0.0.1\",\"10.0.0.9\"]: may specify no more than one IP for each IP family",
            &expected(1, "10.0.0.9", "IPv6"),
        ]
    );
}

#[test]
fn who_says_nothing_of_families_does_not_keep_a_preference() {
    let mut spec = json!({"clusterIP": "10.0.0.1", "clusterIPs": ["10.0.0.1", "10.0.0.2"], "ipFamilies": ["IPv4"],
                          "ipFamilyPolicy": "PreferDualStack", "sessionAffinity": "X", "ports": [{"port": 80}]});
    let stored = spec.clone();
    assert_eq!(said(&spec, Some(&stored)).len(), 2);
    spec["ipFamilyPolicy"] = Value::Null;
    let said = said(&spec, Some(&stored));
    assert!(said.len() == 1 && said[0].starts_with(ONE_OF_A_FAMILY), "{said:#?}");
}

#[test]
fn only_the_first_node_port_of_a_number_is_shared() {
    let ports = |ports: &[(i32, i32, &str)]| {
        let ports: Vec<Value> = ports
            .iter()
            .enumerate()
            .map(|(index, (port, node, protocol))| {
                json!({"name": format!("p{index}"), "port": port, "nodePort": node, "protocol": protocol})
            })
            .collect();
        json!({"type": "NodePort", "ports": ports})
    };
    let again = |index: usize, number: i32| {
        vec![format!("spec.ports[{index}].nodePort: Invalid value: {number}: provided port is already allocated")]
    };
    for (asked, expected) in [
        (ports(&[(80, 30_080, "TCP"), (80, 30_081, "UDP"), (80, 30_081, "SCTP")]), again(2, 30_081)),
        (ports(&[(80, 30_080, "TCP"), (80, 30_081, "UDP"), (80, 30_080, "SCTP")]), vec![]),
        (ports(&[(80, 30_080, "TCP"), (80, 30_081, "UDP"), (81, 30_081, "TCP")]), again(2, 30_081)),
        (ports(&[(80, 30_080, "TCP"), (80, 30_081, "UDP"), (81, 30_080, "TCP")]), again(2, 30_080)),
    ] {
        assert_eq!(said(&asked, None), expected, "{asked}");
    }
    // A server that finds one pair twice in an update fails before it looks at anything else.
    let stored = ports(&[(80, 30_080, "TCP")]);
    for numbers in [30_080, 30_081] {
        let twice = ports(&[(80, numbers, "UDP"), (80, numbers, "TCP"), (81, numbers, "TCP")]);
        let expected = format!("Internal error: duplicate nodePort: {{TCP {numbers}}}");
        let found = said(&twice, Some(&stored));
        assert!(found.len() == 1 && found[0].ends_with(&expected), "{found:#?}");
    }
    assert_eq!(said(&ports(&[(80, 30_081, "UDP"), (81, 30_081, "TCP")]), Some(&stored)), [""; 0]);
}

#[test]
fn an_update_of_the_status_reads_what_is_stored_as_it_is() {
    let stored = service(&json!({"clusterIP": "10.0.0.1", "ports": [{"port": 80}]}));
    let members = ["/spec/clusterIP", "/spec/clusterIPs", "/spec/ipFamilies"];
    let seen = |rows: Rows| rows.seen_at(&stored, Some(&stored), &members).expect("decodable");
    assert_eq!(json!(seen(rows().at("status"))), json!(["10.0.0.1", null, null]));
    assert_eq!(json!(seen(rows())), json!(["10.0.0.1", ["10.0.0.1"], ["IPv4"]]));
}
