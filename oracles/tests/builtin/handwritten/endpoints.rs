//! Endpoints of services.

use super::support::Rows;
use serde_json::{Value, json};
use takeover_harness::case::Options;

const NO_ADDRESS: &str = "subsets[0].addresses[0].ip: Invalid value…valid IP";
const NOT_READY: &str = "subsets[0].notReadyAddresses[0].ip: Invalid value…valid IP";

fn rows() -> Rows {
    let endpoints = json!({"apiVersion": "v1", "kind": "Endpoints",
                           "metadata": {"name": "e", "namespace": "n", "resourceVersion": "1"},
                           "subsets": [{"addresses": [{"ip": "10.0.0.1"}], "ports": [{"port": 80}]}]});
    Rows::of("v1", "Endpoints", endpoints)
}

#[test]
fn a_subset_has_addresses_that_something_answers_at() {
    let address = |member: &'static str, value: Value| [(member, value)];
    let at = "/subsets/0/addresses";
    let no_address = "must be a valid IP address";
    rows().created(&[
        (&[], &[]),
        (&[("/subsets", Value::Null)], &[]),
        (&[("/metadata/name", json!("a.b"))], &[]),
        (&[("/metadata/name", json!("A"))], &["metadata.name: Invalid value: \"A\": a lowercase RFC 1123 subdomain"]),
        (&address(at, Value::Null), &["subsets[0]: Required value: must specify `addresses` or `notReadyAddresses`"]),
        (&address(at, json!([])), &["subsets[0]: Required value"]),
        (&[(at, Value::Null), ("/subsets/0/notReadyAddresses", json!([{"ip": "fd00::1"}]))], &[]),
        (
            &address("/subsets/0/notReadyAddresses", json!([{"ip": "127.0.0.1"}])),
            &["subsets[0].notReadyAddresses[0].ip: Invalid value: \"127.0.0.1\": may not be in the loopback range"],
        ),
        (
            &address(at, json!([{"ip": "x"}])),
            &[
                &format!("subsets[0].addresses[0].ip: Invalid value: \"x\": {no_address}, (e.g. 10.9.8.7"),
                &format!("subsets[0].addresses[0].ip: Invalid value: \"x\": {no_address}"),
            ],
        ),
        (
            &address(at, json!([{"ip": "0.0.0.00"}])),
            &[
                "subsets[0].addresses[0].ip: Invalid value…must not have leading 0s",
                "subsets[0].addresses[0].ip: Invalid value: \"0.0.0.00\": may not be unspecified (0.0.0.00)",
            ],
        ),
        (
            &address(at, json!([{"ip": "10.0.0.1", "hostname": "a.b", "nodeName": "a.b"}])),
            &["subsets[0].addresses[0].hostname: Invalid value: \"a.b\": must not contain dots"],
        ),
        (
            &address(at, json!([{"ip": "10.0.0.1", "nodeName": ""}])),
            &["subsets[0].addresses[0].nodeName: Invalid value: \"\": a lowercase RFC 1123 subdomain"],
        ),
    ]);
    let mut gates = Options::new();
    gates.set("StrictIPCIDRValidation", false);
    let loose = rows().with(&address(at, json!([{"ip": "10.0.0.01"}])));
    assert_eq!(rows().judge_with(&loose, None, gates), [""; 0]);
}

#[test]
fn several_ports_are_named_and_may_share_a_name() {
    let ports = |ports: Value| [("/subsets/0/ports", ports)];
    rows().created(&[
        (&ports(json!([{"port": 1, "name": "a"}, {"port": 1, "name": "a"}])), &[]),
        (
            &ports(json!([{"port": 1}, {"port": 2, "name": "A"}])),
            &[
                "subsets[0].ports[0].name: Required value",
                "subsets[0].ports[1].name: Invalid value: \"A\": a lowercase RFC 1123 label",
            ],
        ),
        (
            &ports(json!([{"port": 0}])),
            &["subsets[0].ports[0].port: Invalid value: 0: must be between 1 and 65535, inclusive"],
        ),
        (
            &ports(json!([{"port": 1, "protocol": "X"}])),
            &["subsets[0].ports[0].protocol: Unsupported value: \"X\": supported values: \"SCTP\", \"TCP\", \"UDP\""],
        ),
        (
            &ports(json!([{"port": 1, "appProtocol": "a/b/c"}])),
            &["subsets[0].ports[0].appProtocol: Invalid value: \"a/b/c\": a valid label key must consist"],
        ),
    ]);
}

#[test]
fn stored_subsets_are_not_looked_at_again() {
    let wrong = |wrong: Value| [("/subsets", wrong)];
    let stored = wrong(json!([{"addresses": [{"ip": "x"}]}]));
    rows().changed(&[
        (&stored, (&wrong(json!([{"addresses": [{"ip": "x"}], "notReadyAddresses": [], "ports": []}])), &[])),
        (&stored, (&wrong(json!([{"addresses": [{"ip": "x", "hostname": "a"}]}])), &[NO_ADDRESS, NO_ADDRESS])),
        (
            &stored,
            (
                &wrong(json!([{"addresses": [{"ip": "x"}]}, {}])),
                &[NO_ADDRESS, NO_ADDRESS, "subsets[1]: Required value"],
            ),
        ),
        (&stored, (&wrong(json!([{"notReadyAddresses": [{"ip": "x"}]}])), &[NOT_READY, NOT_READY])),
        (
            &stored,
            (
                &wrong(json!([{"addresses": [{"ip": "x"}], "ports": [{"port": 0}]}])),
                &[NO_ADDRESS, NO_ADDRESS, "subsets[0].ports[0].port: Invalid value…65535"],
            ),
        ),
    ]);
    // The metadata are judged as changed, and as new.
    rows().updated(&[(
        &[("/metadata/name", json!("A"))],
        &[
            "metadata.name: Invalid value: \"A\": field is immutable",
            "metadata.name: Invalid value: \"A\": a lowercase",
        ],
    )]);
}
