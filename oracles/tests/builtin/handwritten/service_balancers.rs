//! Services with a load balancer.

use super::services::{balanced, plain};
use serde_json::{Value, json};
use takeover_harness::case::Options;

#[test]
fn load_balancers_have_ranges_a_class_and_a_say_in_node_ports() {
    let only = "may only be used when `type` is 'LoadBalancer'";
    let ranges = |ranges: Value| [("/spec/loadBalancerSourceRanges", ranges)];
    let annotation = |ranges: &str| {
        [("/metadata/annotations", json!({"service.beta.kubernetes.io/load-balancer-source-ranges": ranges}))]
    };
    let annotated = "metadata.annotations[service.beta.kubernetes.io/load-balancer-source-ranges]: ";
    let class = |class: &str| [("/spec/loadBalancerClass", json!(class))];
    plain().created(&[
        (&ranges(json!(["10.0.0.0/8"])), &[&format!("spec.LoadBalancerSourceRanges: Forbidden: {only}")]),
        (&annotation("10.0.0.0/8"), &[&format!("{annotated}Forbidden: {only}")]),
        (&class("a"), &[&format!("spec.loadBalancerClass: Forbidden: {only}")]),
        (
            &[("/spec/allocateLoadBalancerNodePorts", json!(false))],
            &[&format!("spec.allocateLoadBalancerNodePorts: Forbidden: {only}")],
        ),
    ]);
    balanced().created(&[
        (&ranges(json!([" 10.0.0.0/8 ", "fd00::/8"])), &[]),
        (
            &ranges(json!(["10.0.0.0/8", "x"])),
            &["spec.LoadBalancerSourceRanges[1]: Invalid value: \"x\": must be a valid CIDR value, (e.g. 10.9.8.0/24 or"],
        ),
        (&ranges(json!(["10.0.0.1/8"])), &["spec.LoadBalancerSourceRanges[0]: Invalid value…must not have bits set beyond the prefix length"]),
        (&annotation(" "), &[]),
        (&annotation(" 10.0.0.0/8, fd00::/8 "), &[]),
        (&annotation("10.0.0.0/8,"), &[&format!("{annotated}Invalid value: \"\": must be a valid CIDR value")]),
        (&[ranges(json!(["10.0.0.0/8"])), annotation("x")].concat(), &[]),
        (&[("/spec/allocateLoadBalancerNodePorts", json!(false))], &[]),
        (&class("example.com/a"), &[]),
        (&class("a b"), &["spec.loadBalancerClass: Invalid value: \"a b\": name part must consist"]),
    ]);
    let mut gates = Options::new();
    gates.set("StrictIPCIDRValidation", false);
    let rows = balanced();
    let found = rows.judge_with(&rows.with(&ranges(json!(["010.0.0.1/8", "x"]))), None, gates);
    assert_eq!(found.len(), 1, "{found:#?}");
    assert!(found[0].starts_with("spec.LoadBalancerSourceRanges[1]: Invalid value: \"x\""), "{found:#?}");
    balanced().changed(&[
        (&ranges(json!(["10.0.0.1/8"])), (&ranges(json!([" 10.0.0.1/8"])), &[])),
        (&ranges(json!(["10.0.0.1/8"])), (&ranges(json!(["10.0.0.2/8"])), &["spec.LoadBalancerSourceRanges[0]: Invalid value…must not have bits set"])),
        (&annotation("x"), (&annotation("x"), &[])),
        (&annotation("x"), (&annotation("x "), &["metadata.annotations[service.beta.kubernetes.io/load-balancer-source-ranges]: Invalid value…must be a valid CIDR value"])),
        (
            &class("a"),
            (
                &class("b b"),
                &["spec.loadBalancerClass: Invalid value: \"b b\": may not change once set", "spec.loadBalancerClass: Invalid value…name part", "spec.loadBalancerClass: Invalid value…name part"],
            ),
        ),
        (&class("a"), (&[], &["spec.loadBalancerClass: Invalid value: null: may not change once set"])),
    ]);
}

#[test]
fn a_status_says_where_the_load_balancer_takes_traffic() {
    let at = |point: Value| [("/status/loadBalancer", json!({"ingress": [point]}))];
    let list = "status.loadBalancer.ingress";
    plain().at("status").updated(&[
        (&[], &[]),
        (
            &at(json!({"ip": "1.2.3.4"})),
            &[&format!("{list}: Forbidden: may only be used when `spec.type` is 'LoadBalancer'")],
        ),
    ]);
    balanced().at("status").updated(&[
        (&at(json!({"ip": "1.2.3.4", "ports": [{"port": 1, "protocol": "X"}]})), &[]),
        (&at(json!({"ip": "x"})), &[&format!("{list}[0].ip: Invalid value: \"x\": must be a valid IP address")]),
        (
            &at(json!({"ip": "1.2.3.4", "ipMode": "X"})),
            &[&format!("{list}[0].ipMode: Unsupported value: \"X\": supported values: \"Proxy\", \"VIP\"")],
        ),
        (
            &at(json!({"ipMode": "VIP"})),
            &[&format!("{list}[0].ipMode: Forbidden: may not be specified when `ip` is not set")],
        ),
        (&at(json!({"hostname": "a.b"})), &[]),
        (
            &at(json!({"hostname": "A"})),
            &[&format!("{list}[0].hostname: Invalid value: \"A\": a lowercase RFC 1123 subdomain")],
        ),
        (
            &at(json!({"hostname": "1.2.3.4"})),
            &[&format!("{list}[0].hostname: Invalid value: \"1.2.3.4\": must be a DNS name, not an IP address")],
        ),
        // The specification is that of the stored service, though what was sent decides about defaults.
        (
            &[("/spec/type", json!("X")), at(json!({"ip": "1.2.3.4"}))[0].clone()],
            &[&format!("{list}[0].ipMode: Required value: must be specified when `ip` is set")],
        ),
        (&[("/metadata/name", json!("t"))], &["metadata.name: Invalid value: \"t\": field is immutable"]),
        // Nobody looks at conditions, not even at one without time.
        (&[("/status/conditions", json!([{"type": "a b"}]))], &[]),
    ]);
    balanced().at("status").changed(&[(&at(json!({"ip": "x"})), (&at(json!({"ip": "x"})), &[]))]);
}
