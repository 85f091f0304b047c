//! What the handwritten reference says of ReplicationControllers.

#![expect(clippy::expect_used, reason = "helpers of tests fail as tests do")]

use crate::expected::is_expected;
use serde_json::{Value, json};
use std::sync::LazyLock;
use takeover_harness::case::{Operation, Options};
use takeover_harness::error::ErrorList;
use takeover_harness::judge::consult;
use takeover_harness::object::{Arena, from_value};
use takeover_harness::oracle::{Objects, Question};
use takeover_harness::pair::Pair;
use takeover_harness::release::Release;
use takeover_harness::subject::SubjectId;
use takeover_oracles::handwritten::core::v1::replication_controller::ReplicationControllers;
use takeover_oracles::handwritten::kind::{Checks, Handwritten};
use takeover_oracles::handwritten::request::RequestChecks;
use takeover_oracles::registry::Registry;

/// A member's JSON pointer and its value; null removes it.
type Change = (&'static str, Value);

/// A valid, defaulted controller as a server stores it.
fn controller() -> Value {
    json!({
        "apiVersion": "v1", "kind": "ReplicationController",
        "metadata": {"name": "web", "namespace": "shop", "uid": "1", "resourceVersion": "7", "generation": 2,
                     "creationTimestamp": "2026-01-02T03:04:05Z"},
        "spec": {
            "replicas": 2, "selector": {"app": "web"},
            "template": {
                "metadata": {"labels": {"app": "web", "tier": "front"}},
                "spec": {"containers": [{"name": "c", "image": "nginx:1", "imagePullPolicy": "IfNotPresent",
                                         "terminationMessagePolicy": "File"}], "restartPolicy": "Always",
                         "dnsPolicy": "ClusterFirst", "terminationGracePeriodSeconds": 30}
            }
        }
    })
}

fn with(changes: &[Change]) -> Value {
    let mut object = controller();
    for (pointer, value) in changes {
        let (parent, name) = pointer.rsplit_once('/').expect("a pointer");
        let parent = object.pointer_mut(parent).expect(pointer).as_object_mut().expect("an object");
        if value.is_null() {
            parent.remove(name);
        } else {
            parent.insert(name.to_owned(), value.clone());
        }
    }
    object
}

/// The types of the kind.
static PAIR: LazyLock<Pair> = LazyLock::new(|| {
    let registry = Registry::of_builtin().expect("the shipped types load");
    let id = SubjectId::new("v1", "ReplicationController");
    registry.pair_of(&id, Release::V1_36, RequestChecks::StrategyOnly).expect("the pair")
});

fn judge<'v>(checks: RequestChecks, new: &'v Value, old: Option<&'v Value>) -> ErrorList {
    let (arena, options, form) = (Arena::new(), Options::new(), &PAIR.form);
    let decoded = |value: &'v Value| from_value(&form.schema, form.root, value, &arena).expect("decodes");
    let objects =
        Objects { schema: &form.schema, root: form.root, new: decoded(new), old: old.map(decoded), sent: None };
    let operation = if old.is_some() { Operation::Update } else { Operation::Create };
    let question = Question { operation, objects, options: &options, subresource: "" };
    let oracle = Handwritten::<ReplicationControllers>::new(checks, Release::V1_36);
    consult(&oracle, &question).expect("judged").errors
}

/// Messages, with `=origin`, and `*` for covered ones.
fn lines(errors: &ErrorList) -> Vec<String> {
    errors
        .iter()
        .map(|error| {
            let origin = if error.origin.is_empty() { String::new() } else { format!(" ={}", error.origin) };
            format!("{error}{origin}{}", if error.covered_by_declarative { " *" } else { "" })
        })
        .collect()
}

/// Every row: changes, and each expected error in order: its path and type, then as much of the rest as matters.
fn check(old: Option<&Value>, rows: &[(&[Change], &[&str])]) {
    for (changes, expected) in rows {
        let found = judge(RequestChecks::StrategyOnly, &with(changes), old);
        let lines = lines(&found);
        assert_eq!(lines.len(), expected.len(), "{changes:?}: {lines:#?}");
        for ((error, line), expected) in found.iter().zip(&lines).zip(*expected) {
            let path_and_type = format!("{}: {}", error.field, error.error_type);
            assert!(is_expected(line, &path_and_type, expected), "{changes:?}: `{line}` is not `{expected}`");
        }
    }
}

#[test]
fn a_valid_controller_passes_on_create_and_update() {
    for checks in [RequestChecks::StrategyOnly, RequestChecks::WithCommonMetadata] {
        assert_eq!(lines(&judge(checks, &controller(), None)), [""; 0]);
        assert_eq!(lines(&judge(checks, &controller(), Some(&controller()))), [""; 0]);
    }
}

#[test]
fn the_spec_is_checked_on_create_and_update() {
    let rows: &[(&[Change], &[&str])] = &[
        (&[("/spec/replicas", json!(0))], &[]),
        (
            &[("/spec/replicas", json!(-1))],
            &["spec.replicas: Invalid value: -1: must be greater than or equal to 0 =minimum *"],
        ),
        (
            &[("/spec/minReadySeconds", json!(-1))],
            &["spec.minReadySeconds: Invalid value: -1: must be greater than or equal to 0 =minimum *"],
        ),
        (&[("/spec/selector", Value::Null)], &["spec.selector: Required value"]),
        (&[("/spec/template", Value::Null)], &["spec.template: Required value"]),
        (
            &[("/spec/selector", json!({"app": "other"}))],
            &[
                "spec.template.metadata.labels: Invalid value: {\"app\":\"web\",\"tier\":\"front\"}: `selector` does not",
            ],
        ),
        (
            &[("/spec/template/metadata", Value::Null)],
            &["spec.template.metadata.labels: Invalid value: null: `selector` does not match template `labels`"],
        ),
        (
            &[("/spec/template/metadata/labels", json!({"app": "web", "b": "-"}))],
            &["spec.template.labels: Invalid value: \"-\": a valid label must be an empty string"],
        ),
        (
            &[("/spec/template/metadata/annotations", json!({"a/b/c": ""}))],
            &["spec.template.annotations: Invalid value: \"a/b/c\": a valid label key must consist"],
        ),
        (
            &[("/spec/template/spec/restartPolicy", json!("Never"))],
            &["spec.template.spec.restartPolicy: Unsupported value: \"Never\": supported values: \"Always\""],
        ),
        (
            &[("/spec/template/spec/restartPolicy", json!("x"))],
            &[
                "spec.template.spec.restartPolicy: Unsupported value…supported values: \"Always\", \"OnFailure\", \"Never\"",
                "spec.template.spec.restartPolicy: Unsupported value…supported values: \"Always\"",
            ],
        ),
        (
            &[("/spec/template/spec/activeDeadlineSeconds", json!(0))],
            &[
                "spec.template.spec.activeDeadlineSeconds: Invalid value…must be between 1 and 2147483647, inclusive",
                "spec.template.spec.activeDeadlineSeconds: Forbidden: activeDeadlineSeconds in ReplicationController is not",
            ],
        ),
    ];
    check(None, rows);
    check(Some(&controller()), rows);
}

#[test]
fn metadata_is_checked_on_create() {
    check(
        None,
        &[
            (&[("/metadata/name", Value::Null)], &["metadata.name: Required value: name or generateName is required"]),
            (
                &[("/metadata/name", json!("A"))],
                &["metadata.name: Invalid value: \"A\": a lowercase RFC 1123 subdomain"],
            ),
            (
                &[("/metadata/name", json!("a".repeat(254)))],
                &["metadata.name: Invalid value…must be no more than 253 bytes =format=k8s-long-name *"],
            ),
            (
                &[("/metadata/name", Value::Null), ("/metadata/generateName", json!("web-"))],
                &[
                    "metadata.name: Internal error: generateName was specified (\"web-\"), but no name was generated",
                    "metadata.name: Required value",
                ],
            ),
            (&[("/metadata/namespace", Value::Null)], &["metadata.namespace: Required value"]),
            (
                &[("/metadata/namespace", json!("a.b"))],
                &["metadata.namespace: Invalid value: \"a.b\": must not contain dots"],
            ),
            (&[("/metadata/generation", json!(-1))], &["metadata.generation: Invalid value: -1"]),
            (
                &[("/metadata/labels", json!({"": ""}))],
                &[
                    "metadata.labels: Invalid value…name part must be non-empty",
                    "metadata.labels: Invalid value…name part must consist",
                ],
            ),
            (
                &[("/metadata/finalizers", json!(["a b"]))],
                &[
                    "metadata.finalizers: Invalid value",
                    "metadata.finalizers[0]: Invalid value: \"a b\": name is neither",
                ],
            ),
            (&[("/metadata/finalizers", json!(["kubernetes", "example.com/a"]))], &[]),
            (
                &[("/metadata/finalizers", json!(["orphan", "foregroundDeletion"]))],
                &["metadata.finalizers: Invalid value…finalizer orphan and foregroundDeletion cannot be both set"],
            ),
        ],
    );
}

#[test]
fn owner_references_need_four_members_and_at_most_one_controller() {
    let owner = |version: &str, kind: &str, name: &str, controller: bool| json!({"apiVersion": version, "kind": kind, "name": name, "uid": "u", "controller": controller});
    let owners = |owners: Value| [("/metadata/ownerReferences", owners)];
    check(
        None,
        &[
            (&owners(json!([owner("apps/v1", "A", "a", true), owner("v1", "B", "b", false)])), &[]),
            (
                &owners(json!([{"apiVersion": "", "kind": "", "name": "", "uid": ""}])),
                &[
                    "metadata.ownerReferences.apiVersion: Invalid value: \"\": version must not be empty",
                    "metadata.ownerReferences.kind: Invalid value: \"\": must not be empty",
                    "metadata.ownerReferences.name: Invalid value",
                    "metadata.ownerReferences.uid: Invalid value",
                ],
            ),
            (
                &owners(json!([owner("a/b/c", "A", "a", false)])),
                &["metadata.ownerReferences.apiVersion: Invalid value…version must not be empty"],
            ),
            (
                &owners(json!([owner("a/", "A", "a", false)])),
                &["metadata.ownerReferences.apiVersion: Invalid value…version must not be empty"],
            ),
            (
                &owners(json!([owner("v1", "Event", "a", false)])),
                &["metadata.ownerReferences: Invalid value…/v1, Kind=Event is disallowed from being an owner"],
            ),
            (
                &owners(json!([owner("v1", "A", "a", true), owner("v1", "B", "b", true)])),
                &[
                    "metadata.ownerReferences: Invalid value…Only one reference can have Controller set to true. Found \"true\" in references for A/a and B/b",
                ],
            ),
        ],
    );
}

#[test]
fn managed_fields_name_operation_type_and_manager() {
    let entry = |member: &str, value: &str| {
        let mut entry = json!({"manager": "m", "operation": "Update", "fieldsType": "FieldsV1"});
        entry[member] = json!(value);
        [("/metadata/managedFields", json!([entry]))]
    };
    check(
        None,
        &[
            (&entry("operation", "Apply"), &[]),
            (
                &entry("operation", ""),
                &["metadata.managedFields[0].operation: Invalid value: \"\": must be `Apply` or `Update`"],
            ),
            (
                &entry("fieldsType", "V2"),
                &["metadata.managedFields[0].fieldsType: Invalid value: \"V2\": must be `FieldsV1`"],
            ),
            (
                &entry("manager", "é\u{a0}\n"),
                &[
                    "metadata.managedFields[0].manager: Invalid value…invalid character U+00A0 (at position 2)",
                    "metadata.managedFields[0].manager: Invalid value…invalid character U+000A (at position 4)",
                ],
            ),
            (
                &entry("manager", &"m".repeat(129)),
                &["metadata.managedFields[0].manager: Too long: may not be more than 128 bytes"],
            ),
            (
                &entry("subresource", &"s".repeat(257)),
                &["metadata.managedFields[0].subresource: Too long: may not be more than 256 bytes"],
            ),
        ],
    );
}

#[test]
fn updates_keep_what_is_immutable() {
    check(
        Some(&controller()),
        &[
            (
                &[("/metadata/resourceVersion", Value::Null)],
                &["metadata.resourceVersion: Invalid value: \"\": must be specified for an update"],
            ),
            (
                &[("/metadata/generation", json!(-1))],
                &["metadata.generation: Invalid value: -1: must not be decremented"],
            ),
            (&[("/metadata/name", json!("B"))], &["metadata.name: Invalid value: \"B\": field is immutable"]),
            (&[("/metadata/namespace", json!("b"))], &["metadata.namespace: Invalid value: \"b\": field is immutable"]),
            (&[("/metadata/uid", Value::Null)], &["metadata.uid: Invalid value: \"\": field is immutable"]),
            (
                &[("/metadata/creationTimestamp", Value::Null)],
                &["metadata.creationTimestamp: Invalid value: null: field is immutable"],
            ),
            (&[("/metadata/creationTimestamp", json!("2026-01-02T05:04:05+02:00"))], &[]),
            (
                &[("/metadata/deletionTimestamp", json!("2026-01-02T05:04:05+02:00"))],
                &["metadata.deletionTimestamp: Invalid value: \"2026-01-02T03:04:05Z\": field is immutable"],
            ),
            (
                &[("/metadata/deletionGracePeriodSeconds", json!(0))],
                &["metadata.deletionGracePeriodSeconds: Invalid value: 0: field is immutable"],
            ),
            (&[("/metadata/finalizers", json!(["a.b/c d"]))], &[]),
        ],
    );
}

#[test]
fn no_finalizer_is_added_while_an_object_is_deleted() {
    let deleted = ("/metadata/deletionTimestamp", json!("2026-01-02T03:04:05Z"));
    let finalizers = |names: Value| [deleted.clone(), ("/metadata/finalizers", names)];
    let old = with(&finalizers(json!(["a.b/c"])));
    check(
        Some(&old),
        &[
            (&finalizers(json!(["a.b/c"])), &[]),
            (std::slice::from_ref(&deleted), &[]),
            (
                &finalizers(json!(["x.y/z", "a.b/c", "k.l/m"])),
                &[
                    "metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, found \
                   new finalizers []string{\"k.l/m\", \"x.y/z\"}",
                ],
            ),
        ],
    );
}

#[test]
fn pod_annotations_that_kubernetes_reads_are_checked() {
    let one = |key: &str, value: &str| [("/spec/template/metadata/annotations", json!({ key: value }))];
    let seccomp = "seccomp.security.alpha.kubernetes.io/pod";
    let tolerations = "scheduler.alpha.kubernetes.io/tolerations";
    let cost = "controller.kubernetes.io/pod-deletion-cost";
    check(
        None,
        &[
            (&one(seccomp, "localhost/a"), &[]),
            (
                &one(seccomp, "x"),
                &["spec.template.annotations.seccomp.security.alpha.kubernetes.io/pod: Invalid value: \"x\": must be"],
            ),
            (
                &one(seccomp, "localhost//a/../b"),
                &[
                    "spec.template.annotations.seccomp.security.alpha.kubernetes.io/pod: Invalid value…must be a relative path",
                    "spec.template.annotations.seccomp.security.alpha.kubernetes.io/pod: Invalid value…must not contain '..'",
                ],
            ),
            (&one("container.apparmor.security.beta.kubernetes.io/c", "unconfined"), &[]),
            (
                &one("container.apparmor.security.beta.kubernetes.io/d", "x"),
                &[
                    "spec.template.annotations[container.apparmor.security.beta.kubernetes.io/d]: Invalid value…container not found",
                    "spec.template.annotations[container.apparmor.security.beta.kubernetes.io/d]: Invalid value…invalid AppArmor profile name: \"x\"",
                ],
            ),
            (&one(cost, "-12"), &[]),
            (
                &one(cost, "007"),
                &[
                    "spec.template.annotations[controller.kubernetes.io/pod-deletion-cost]: Invalid value…must be a 32bit integer",
                ],
            ),
            (
                &one(tolerations, "bad"),
                &["spec.template.annotations: Invalid value…invalid character 'b' looking for beginning of value"],
            ),
            (&one(tolerations, "[{\"operator\": \"Exists\"}]"), &[]),
            (&one(tolerations, "[{"), &["spec.template.annotations: Invalid value…unexpected end of JSON input"]),
            (
                &one(tolerations, "[}"),
                &["spec.template.annotations: Invalid value…invalid character '}' looking for beginning of value"],
            ),
            (
                &one(tolerations, "{}"),
                &[
                    "spec.template.annotations: Invalid value…json: cannot unmarshal object into Go value of type []core.Toleration",
                ],
            ),
            (
                &one(tolerations, "[1]"),
                &[
                    "spec.template.annotations: Invalid value…json: cannot unmarshal an element into Go value of type core.Toleration",
                ],
            ),
            (
                &one(tolerations, "[{\"operator\": \"X\", \"key\": \"a\"}]"),
                &[
                    "spec.template.annotations.scheduler.alpha.kubernetes.io/tolerations[0].operator: Unsupported value: \"X\"",
                ],
            ),
            (
                &one("kubernetes.io/config.mirror", ""),
                &[
                    "spec.template.annotations[kubernetes.io/config.mirror]: Invalid value…must set spec.nodeName if mirror pod annotation is set",
                ],
            ),
        ],
    );
    let old = with(&one(cost, "x"));
    check(Some(&old), &[(&one(cost, "y"), &[])]);
}

#[test]
fn pod_spec_scalars_are_checked() {
    let nameservers = |servers: Value| [("/spec/template/spec/dnsConfig", json!({ "nameservers": servers }))];
    check(
        None,
        &[
            (
                &[("/spec/template/spec/dnsPolicy", json!("x"))],
                &[
                    "spec.template.spec.dnsPolicy: Unsupported value…supported values: \"ClusterFirstWithHostNet\", \"ClusterFirst\", \"Default\", \"None\"",
                ],
            ),
            (
                &[("/spec/template/spec/dnsPolicy", json!("None"))],
                &["spec.template.spec.dnsConfig: Required value: must provide `dnsConfig` when `dnsPolicy` is None"],
            ),
            (&nameservers(json!(["1.1.1.1", "::1", "2001:DB8:0::1"])), &[]),
            (
                &nameservers(json!(["01.0.0.1", "::ffff:1.1.1.1"])),
                &[
                    "spec.template.spec.dnsConfig.nameservers[0]: Invalid value: \"01.0.0.1\": must not have leading 0s =format=ip-sloppy",
                    "spec.template.spec.dnsConfig.nameservers[1]: Invalid value: \"::ffff:1.1.1.1\": must not be an IPv4-mapped IPv6 address",
                ],
            ),
            (
                &[("/spec/template/spec/hostAliases", json!([{"ip": "10.0.0.010", "hostnames": ["db"]}]))],
                &["spec.template.spec.hostAliases[0].ip: Invalid value: \"10.0.0.010\": must not have leading 0s"],
            ),
            (
                &nameservers(json!(["1.1.1.1", "1.1.1.1", "x", "1.1.1.1"])),
                &[
                    "spec.template.spec.dnsConfig.nameservers: Invalid value…must not have more than 3 nameservers",
                    "spec.template.spec.dnsConfig.nameservers[2]: Invalid value: \"x\"",
                ],
            ),
            (
                &[("/spec/template/spec/nodeSelector", json!({"a b": ""}))],
                &["spec.template.spec.nodeSelector: Invalid value: \"a b\""],
            ),
            (
                &[("/spec/template/spec/serviceAccount", json!("A"))],
                &["spec.template.spec.serviceAccountName: Invalid value: \"A\""],
            ),
            (
                &[("/spec/template/spec/hostname", json!("a.b"))],
                &["spec.template.spec.hostname: Invalid value: \"a.b\": must not contain dots =format=k8s-short-name"],
            ),
            (
                &[("/spec/template/spec/preemptionPolicy", json!(""))],
                &["spec.template.spec.preemptionPolicy: Required value"],
            ),
            (&[("/spec/template/spec/os", json!({"name": "x"}))], &["spec.template.spec.os: Unsupported value: \"x\""]),
            (&[("/spec/template/spec/os", json!({"name": ""}))], &["spec.template.spec.os.name: Required value"]),
            (
                &[("/spec/template/spec/hostUsers", json!(false)), ("/spec/template/spec/hostPID", json!(true))],
                &["spec.template.spec.HostPID: Forbidden: when `hostUsers` is false"],
            ),
            (
                &[("/spec/template/spec/ephemeralContainers", json!([{"name": "d"}]))],
                &[
                    "spec.template.spec.ephemeralContainers: Forbidden: ephemeral containers not allowed in pod template",
                ],
            ),
            (
                &[("/spec/template/spec/schedulingGates", json!([{"name": "a"}, {"name": "a"}]))],
                &["spec.template.spec.schedulingGates[1]: Duplicate value: \"a\""],
            ),
            (
                &[(
                    "/spec/template/spec/tolerations",
                    json!([{"tolerationSeconds": 1, "operator": "Gt", "effect": "x"}]),
                )],
                &[
                    "spec.template.spec.tolerations[0].operator: Invalid value: \"Gt\": operator must be Exists when `key` is empty",
                    "spec.template.spec.tolerations[0].effect: Invalid value: \"x\": effect must be 'NoExecute'",
                    "spec.template.spec.tolerations[0].operator: Unsupported value: \"Gt\"",
                    "spec.template.spec.tolerations[0].effect: Unsupported value: \"x\"",
                ],
            ),
            (
                &[("/spec/template/spec/resourceClaims", json!([{"name": "A"}]))],
                &[
                    "spec.template.spec.resourceClaims[0].name: Invalid value: \"A\"",
                    "spec.template.spec.resourceClaims[0]: Invalid value: {\"Name\":\"A\",\"ResourceClaimName\":null",
                ],
            ),
            (
                &[
                    ("/spec/template/spec/os", json!({"name": "windows"})),
                    ("/spec/template/spec/securityContext", json!({"fsGroup": 1})),
                    ("/spec/template/spec/hostIPC", json!(true)),
                ],
                &[
                    "spec.template.spec.hostIPC: Forbidden: cannot be set for a windows pod",
                    "spec.template.spec.securityContext.fsGroup: Forbidden",
                ],
            ),
            (
                &[("/spec/template/spec/hostAliases", json!([{"ip": "x", "hostnames": ["A"]}]))],
                &[
                    "spec.template.spec.hostAliases[0].ip: Invalid value: \"x\"",
                    "spec.template.spec.hostAliases[0].hostnames[0]: Invalid value: \"A\"",
                ],
            ),
        ],
    );
}

#[test]
fn a_stored_pod_keeps_its_users_on_the_host_network() {
    let host = [("/spec/template/spec/hostUsers", json!(false)), ("/spec/template/spec/hostNetwork", json!(true))];
    check(None, &[(&host, &["spec.template.spec.hostNetwork: Forbidden: when `hostUsers` is false"])]);
    check(Some(&controller()), &[(&host, &["spec.template.spec.hostNetwork: Forbidden"])]);
    check(Some(&with(&host)), &[(&host, &[])]);
}

#[test]
fn a_server_repeats_metadata_errors_of_an_update() {
    let new = with(&[
        ("/metadata/uid", json!("2")),
        ("/metadata/labels", json!({"a": "-"})),
        ("/metadata/finalizers", json!(["a b"])),
        ("/spec/replicas", json!(-1)),
    ]);
    let old = controller();
    let counts = |checks| {
        let errors = judge(checks, &new, Some(&old));
        let of = |field: &str| errors.iter().filter(|error| error.field == field).count();
        ["metadata.uid", "metadata.labels", "metadata.finalizers", "metadata.finalizers[0]", "spec.replicas"].map(of)
    };
    assert_eq!(counts(RequestChecks::StrategyOnly), [1, 1, 0, 1, 1]);
    assert_eq!(counts(RequestChecks::WithCommonMetadata), [2, 3, 1, 1, 1]);
}

#[test]
fn nothing_outside_the_pod_spec_is_delegated() {
    for part in ReplicationControllers::delegated() {
        assert!(part.path.starts_with("spec.template.spec."), "{}", part.path);
        assert!(!part.contains("spec.template.spec.restartPolicy"), "{}", part.path);
        assert!(!part.contains("spec.template.spec.ephemeralContainers"), "{}", part.path);
    }
}

#[test]
fn the_overhead_of_pods_is_judged_as_limits_are() {
    let path = "/spec/template/spec/overhead";
    assert!(lines(&judge(RequestChecks::StrategyOnly, &with(&[(path, json!({"cpu": "100m"}))]), None)).is_empty());
    let negative = judge(RequestChecks::StrategyOnly, &with(&[(path, json!({"cpu": "-1"}))]), None);
    let expected = "spec.template.spec.overhead.limits[cpu]: Invalid value: \"-1\": must be greater than or equal to 0";
    assert_eq!(lines(&negative), [expected]);
}
