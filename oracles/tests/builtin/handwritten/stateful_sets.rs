//! Stateful sets, and the replica sets that deployments make.

use super::apps::{expression, workload};
use super::support::Rows;
use serde_json::{Value, json};
use std::slice::from_ref;

const NEGATIVE: &str = "must be greater than or equal to 0";
const MATCH: &str = "spec.template.metadata.labels: Invalid value…`selector` does not match template `labels`";
const DELETION_COST: &str =
    "spec.template.annotations[controller.kubernetes.io/pod-deletion-cost]: Invalid value…must be a 32bit integer";
const CHANGED: &str = "spec: Forbidden: updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', \
     'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden";

fn replica_sets() -> Rows {
    Rows::of("apps/v1", "ReplicaSet", workload("ReplicaSet"))
}

fn stateful_sets() -> Rows {
    Rows::of("apps/v1", "StatefulSet", workload("StatefulSet"))
}

fn claim(name: &str) -> Value {
    json!({"metadata": {"name": name},
           "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}})
}

#[test]
fn replica_sets_are_judged_as_the_deployments_that_make_them() {
    let rows = replica_sets();
    rows.created(&[
        (&[], &[]),
        (&[("/metadata/name", json!("a.b"))], &[]),
        (&[("/metadata/name", json!("A"))], &["metadata.name: Invalid value: \"A\": a lowercase RFC 1123 subdomain"]),
        (
            &[("/spec/replicas", json!(-1)), ("/spec/minReadySeconds", json!(-1))],
            &[&format!("spec.replicas: Invalid value: -1: {NEGATIVE}"), "spec.minReadySeconds: Invalid value: -1"],
        ),
        (&[("/spec/selector", Value::Null)], &["spec.selector: Required value", MATCH]),
        (&[("/spec/selector", json!({}))], &["spec.selector: Invalid value: {}: empty selector is invalid for deployment"]),
        (
            &[("/spec/selector", expression("a", "X", &[]))],
            &["spec.selector.matchExpressions[0].operator: Invalid value…not a valid selector operator", "spec.selector: Invalid value…invalid label selector"],
        ),
        (&[("/spec/template", Value::Null)], &[MATCH, "spec.template.spec.containers: Required value"]),
        (
            &[
                ("/spec/template/spec/restartPolicy", json!("Never")),
                ("/spec/template/spec/activeDeadlineSeconds", json!(1)),
            ],
            &["spec.template.spec.restartPolicy: Unsupported value: \"Never\": supported values: \"Always\"", "spec.template.spec.activeDeadlineSeconds: Forbidden: activeDeadlineSeconds in ReplicaSet is not Supported"],
        ),
    ]);
    rows.updated(&[
        (&[("/spec/replicas", json!(0))], &[]),
        (
            &[("/spec/selector", expression("a", "Exists", &[]))],
            &["spec.selector: Invalid value: {\"matchExpressions\":[{\"key\":\"a\",\"operator\":\"Exists\"}]}: field is immutable"],
        ),
    ]);
}

#[test]
fn counters_of_a_replica_set_agree_with_each_other() {
    let negative = |member: &str| format!("status.{member}: Invalid value: -1: {NEGATIVE}");
    let more = |member: &str| format!("status.{member}: Invalid value: 3: cannot be greater than status.replicas");
    replica_sets().at("status").updated(&[
        (
            &[(
                "/status",
                json!({"replicas": 1, "fullyLabeledReplicas": 1, "readyReplicas": 1, "availableReplicas": 1}),
            )],
            &[],
        ),
        (
            &[(
                "/status",
                json!({"replicas": -1, "fullyLabeledReplicas": -1, "readyReplicas": -1, "availableReplicas": -1,
                       "observedGeneration": -1, "terminatingReplicas": -1}),
            )],
            &[
                &negative("replicas"),
                &negative("fullyLabeledReplicas"),
                &negative("readyReplicas"),
                &negative("availableReplicas"),
                &negative("observedGeneration"),
                &negative("terminatingReplicas"),
            ],
        ),
        (
            &[(
                "/status",
                json!({"replicas": 2, "fullyLabeledReplicas": 3, "readyReplicas": 3, "availableReplicas": 3}),
            )],
            &[&more("fullyLabeledReplicas"), &more("readyReplicas"), &more("availableReplicas")],
        ),
        (
            &[("/status", json!({"replicas": 1, "availableReplicas": 1}))],
            &["status.availableReplicas: Invalid value: 1: cannot be greater than readyReplicas"],
        ),
        (&[("/spec/replicas", json!(-1))], &[]),
    ]);
}

#[test]
fn sets_start_without_status_and_their_spec_is_counted() {
    for rows in [replica_sets(), stateful_sets()] {
        let at = ["/metadata/generation", "/status/replicas", "/spec/replicas"];
        let old = rows.with(&[("/metadata/generation", json!(4)), ("/status", json!({"replicas": 1}))]);
        assert_eq!(rows.seen_at(&old, None, &at[..2]), Ok(vec![json!(1), Value::Null]));
        let new = rows.with(&[("/spec/replicas", json!(2)), ("/status", json!({"replicas": 9}))]);
        assert_eq!(rows.seen_at(&new, Some(&old), &at), Ok(vec![json!(5), json!(1), json!(2)]));
        assert_eq!(rows.at("status").seen_at(&new, Some(&old), &at), Ok(vec![json!(4), json!(9), json!(1)]));
    }
}

#[test]
fn names_of_stateful_sets_and_their_services_are_labels() {
    let rows = stateful_sets();
    rows.created(&[
        (&[("/spec/serviceName", json!("a-b"))], &[]),
        (&[("/metadata/name", json!("a.b"))], &["metadata.name: Invalid value: \"a.b\": must not contain dots"]),
        (
            &[("/metadata/generateName", json!("a.b-"))],
            &["metadata.generateName: Invalid value: \"a.b-\": must not contain"],
        ),
        (&[("/metadata/generateName", json!("ab-"))], &[]),
        (&[("/spec/serviceName", json!("a.b"))], &["spec.serviceName: Invalid value: \"a.b\": must not contain dots"]),
    ]);
    // A bad name of a service stays, and counts as no fault of the stored set.
    let service = [("/spec/serviceName", json!("a.b"))];
    rows.changed(&[
        (&service, (&service, &[])),
        (
            &service,
            (
                &[service[0].clone(), ("/spec/template/spec/containers", json!([]))],
                &["spec.template.spec.containers: Required value"],
            ),
        ),
    ]);
}

#[test]
fn stateful_sets_need_a_selector_of_their_own_pods() {
    let selector = |selector: Value| [("/spec/selector", selector)];
    stateful_sets().created(&[
        (&[], &[]),
        (&selector(Value::Null), &["spec.selector: Required value", MATCH]),
        (&selector(json!({})), &["spec.selector: Invalid value: {}: empty selector is invalid for statefulset"]),
        (&selector(expression("a", "NotIn", &["b"])), &[MATCH]),
        // Whatever the selector is, pods are there to stay.
        (
            &[
                ("/spec/selector", json!({"matchLabels": {"-": ""}})),
                ("/spec/template/spec/containers", json!([])),
                ("/spec/template/spec/restartPolicy", json!("Never")),
                ("/spec/template/spec/activeDeadlineSeconds", json!(1)),
            ],
            &[
                "spec.selector.matchLabels: Invalid value: \"-\"",
                "spec.selector: Invalid value: {\"matchLabels\":{\"-\":\"\"}}",
                "spec.template.spec.restartPolicy: Unsupported value: \"Never\": supported values: \"Always\"",
                "spec.template.spec.activeDeadlineSeconds: Forbidden: activeDeadlineSeconds in StatefulSet is not Supported",
            ],
        ),
    ]);
}

#[test]
fn labels_and_annotations_of_the_pods_of_a_stateful_set_are_looked_at_twice() {
    let bad = "spec.template.annotations: Invalid value: \"-\"";
    let label = "spec.template.labels: Invalid value: \"-\"";
    stateful_sets().created(&[
        (&[("/spec/template/metadata/annotations", json!({"-": ""}))], &[bad, bad]),
        (&[("/spec/template/metadata/labels", json!({"a": "b", "c": "-"}))], &[label, label]),
        (
            &[("/spec/template/metadata/annotations", json!({"controller.kubernetes.io/pod-deletion-cost": "x"}))],
            &[DELETION_COST, DELETION_COST],
        ),
    ]);
}

#[test]
fn numbers_of_stateful_sets_are_not_negative_but_those_of_revisions() {
    stateful_sets().created(&[
        (
            &[
                ("/spec/replicas", json!(-1)),
                ("/spec/minReadySeconds", json!(-1)),
                ("/spec/ordinals", json!({"start": -1})),
                ("/spec/revisionHistoryLimit", json!(-1)),
            ],
            &[
                &format!("spec.replicas: Invalid value: -1: {NEGATIVE}"),
                &format!("spec.minReadySeconds: Invalid value: -1: {NEGATIVE}"),
                &format!("spec.ordinals.start: Invalid value: -1: {NEGATIVE}"),
            ],
        ),
        (&[("/spec/ordinals", json!({}))], &[]),
    ]);
}

#[test]
fn policies_of_stateful_sets_are_of_a_few() {
    let strategy = |strategy: Value| [("/spec/updateStrategy", strategy)];
    let rolling = |update: Value| strategy(json!({"type": "RollingUpdate", "rollingUpdate": update}));
    let retained = "supported values: \"Retain\", \"Delete\"";
    let at = "spec.updateStrategy.rollingUpdate";
    stateful_sets().created(&[
        (&[("/spec/podManagementPolicy", json!("Parallel"))], &[]),
        (
            &[("/spec/podManagementPolicy", json!("X"))],
            &["spec.podManagementPolicy: Invalid value: \"X\": must be 'OrderedReady' or 'Parallel'"],
        ),
        (
            &[("/spec/persistentVolumeClaimRetentionPolicy", json!({"whenDeleted": "Keep", "whenScaled": "X"}))],
            &[
                &format!("spec.persistentVolumeClaimRetentionPolicy.whenDeleted: Unsupported value: \"Keep\": {retained}"),
                &format!("spec.persistentVolumeClaimRetentionPolicy.whenScaled: Unsupported value: \"X\": {retained}"),
            ],
        ),
        (&[("/spec/persistentVolumeClaimRetentionPolicy", json!({"whenScaled": "Delete"}))], &[]),
        (&strategy(json!({"type": "OnDelete"})), &[]),
        (
            &strategy(json!({"type": "OnDelete", "rollingUpdate": {"maxUnavailable": "5%"}})),
            &[&format!(
                "{at}: Invalid value: {{\"Partition\":0,\"MaxUnavailable\":\"5%\"}}: only allowed for updateStrategy 'RollingUpdate'"
            )],
        ),
        (
            &strategy(json!({"type": "X", "rollingUpdate": {"partition": 1}})),
            &["spec.updateStrategy: Invalid value: {\"Type\":\"X\",\"RollingUpdate\":{\"Partition\":1,\"MaxUnavailable\":null}}: \
               must be 'RollingUpdate' or 'OnDelete'"],
        ),
        (&strategy(json!({"type": "X"})), &["spec.updateStrategy: Invalid value: {\"Type\":\"X\",\"RollingUpdate\":null}: must be"]),
        (&rolling(Value::Null), &[]),
        (&rolling(json!({"partition": -1})), &[&format!("{at}.partition: Invalid value: -1: {NEGATIVE}")]),
        (&rolling(json!({"maxUnavailable": "100%"})), &[]),
        (&rolling(json!({"maxUnavailable": 0})), &[&format!("{at}.maxUnavailable: Invalid value: 0: cannot be 0")]),
        (&rolling(json!({"maxUnavailable": "101%"})), &["spec.updateStrategy.rollingUpdate.maxUnavailable: Invalid value: \"101%\": must not be greater than 100%"]),
        (&rolling(json!({"maxUnavailable": "x"})), &["spec.updateStrategy.rollingUpdate.maxUnavailable: Invalid value: \"x\": a valid percent string", "spec.updateStrategy.rollingUpdate.maxUnavailable: Invalid value: \"x\": cannot be 0"]),
    ]);
}

#[test]
fn the_controller_names_the_pods_of_a_stateful_set_and_mounts_its_claims() {
    let mounted = json!([{"name": "c", "image": "i", "volumeMounts": [{"name": "data", "mountPath": "/data"}]}]);
    let volumes = json!([{"name": "data", "hostPath": {"path": "a/../b"}}, {"name": "-", "emptyDir": {}}]);
    let containers = ("/spec/template/spec/containers", mounted);
    stateful_sets().created(&[
        (&[("/spec/template/spec/hostname", json!("A")), ("/spec/template/spec/subdomain", json!("B"))], &[]),
        (from_ref(&containers), &["spec.template.spec.containers[0].volumeMounts[0].name: Not found: \"data\""]),
        (&[containers.clone(), ("/spec/volumeClaimTemplates", json!([claim("data"), claim("data")]))], &[]),
        // A claim takes the place of the volume of its name; the others follow.
        (
            &[
                containers.clone(),
                ("/spec/volumeClaimTemplates", json!([claim("data")])),
                ("/spec/template/spec/volumes", volumes),
            ],
            &["spec.template.spec.volumes[1].name: Invalid value: \"-\""],
        ),
        (
            &[("/spec/volumeClaimTemplates", json!([{"metadata": {"name": "a"}, "spec": {}}]))],
            &[
                "spec.volumeClaimTemplates[0].spec.accessModes: Required value: at least 1 access mode is required",
                "spec.volumeClaimTemplates[0].spec.resources[storage]: Required value",
            ],
        ),
    ]);
}

#[test]
fn most_of_a_stateful_set_is_for_life() {
    let rows = stateful_sets();
    let other = json!({"matchLabels": {"a": "b"}, "matchExpressions": [{"key": "a", "operator": "Exists"}]});
    rows.updated(&[
        (
            &[
                ("/spec/replicas", json!(3)),
                ("/spec/ordinals", json!({"start": 1})),
                ("/spec/template/spec/containers/0/image", json!("j")),
                ("/spec/updateStrategy", json!({"type": "OnDelete"})),
                ("/spec/revisionHistoryLimit", json!(3)),
                ("/spec/persistentVolumeClaimRetentionPolicy", json!({"whenScaled": "Delete"})),
                ("/spec/minReadySeconds", json!(3)),
            ],
            &[],
        ),
        (&[("/spec/serviceName", json!("a"))], &[CHANGED]),
        (&[("/spec/podManagementPolicy", json!("Parallel"))], &[CHANGED]),
        (&[("/spec/selector", other)], &[CHANGED]),
        (&[("/spec/volumeClaimTemplates", json!([claim("a")]))], &[CHANGED]),
        (&[("/metadata/name", json!("b"))], &["metadata.name: Invalid value: \"b\": field is immutable"]),
    ]);
    let claims = |storage: &str| {
        let mut claim = claim("a");
        claim["spec"]["resources"]["requests"]["storage"] = json!(storage);
        [("/spec/volumeClaimTemplates", json!([claim]))]
    };
    rows.changed(&[
        (&claims("1Gi"), (&claims("1024Mi"), &[])),
        (&claims("1Gi"), (&claims("2Gi"), &[CHANGED])),
        (&claims("0"), (&claims("0"), &[])),
        (&claims("1Gi"), (&[], &[CHANGED])),
    ]);
}

#[test]
fn a_stateful_set_that_is_stored_with_faults_may_have_a_bad_template() {
    let rows = stateful_sets();
    let none = ("/spec/template/spec/containers", json!([]));
    let negative = ("/spec/replicas", json!(-1));
    let annotation = ("/spec/template/metadata/annotations", json!({"-": ""}));
    rows.changed(&[
        (&[], (from_ref(&none), &["spec.template.spec.containers: Required value"])),
        (from_ref(&negative), (from_ref(&none), &[])),
        (from_ref(&none), (&[none.clone(), negative.clone()], &["spec.replicas: Invalid value: -1"])),
        (from_ref(&none), (&[none.clone(), annotation], &["spec.template.annotations: Invalid value: \"-\""])),
    ]);
}

#[test]
fn counters_of_a_stateful_set_agree_with_each_other() {
    let negative = |member: &str| format!("status.{member}: Invalid value: -1: {NEGATIVE}");
    let more = |member: &str| format!("status.{member}: Invalid value: 3: cannot be greater than status.replicas");
    let rows = stateful_sets().at("status");
    let all = |number: i32| {
        json!({"replicas": number, "readyReplicas": number, "currentReplicas": number, "updatedReplicas": number,
               "availableReplicas": number})
    };
    let mut below = all(-1);
    below["observedGeneration"] = json!(-1);
    below["collisionCount"] = json!(-1);
    let mut above = all(3);
    above["replicas"] = json!(2);
    rows.updated(&[
        (&[("/status", all(3))], &[]),
        (
            &[("/status", below)],
            &[
                &negative("replicas"),
                &negative("readyReplicas"),
                &negative("currentReplicas"),
                &negative("updatedReplicas"),
                &negative("availableReplicas"),
                &negative("observedGeneration"),
                &negative("collisionCount"),
            ],
        ),
        (
            &[("/status", above)],
            &[&more("readyReplicas"), &more("currentReplicas"), &more("updatedReplicas"), &more("availableReplicas")],
        ),
        (
            &[("/status", json!({"replicas": 1, "availableReplicas": 1})), ("/metadata/labels", json!({"-": ""}))],
            &[
                "status.availableReplicas: Invalid value: 1: cannot be greater than status.readyReplicas",
                "metadata.labels: Invalid value: \"-\"",
            ],
        ),
    ]);
    rows.changed(&[(
        &[("/status", json!({"collisionCount": 2}))],
        (
            &[("/status", json!({"collisionCount": 1}))],
            &["status.collisionCount: Invalid value: 1: cannot be decremented"],
        ),
    )]);
}

#[test]
fn stateful_sets_have_their_defaults() {
    let rows = stateful_sets();
    let at = [
        "/spec/podManagementPolicy",
        "/spec/updateStrategy",
        "/spec/persistentVolumeClaimRetentionPolicy",
        "/spec/replicas",
        "/spec/revisionHistoryLimit",
        "/spec/volumeClaimTemplates/0/apiVersion",
        "/spec/volumeClaimTemplates/0/kind",
        "/spec/volumeClaimTemplates/0/spec/volumeMode",
        "/spec/volumeClaimTemplates/0/status/phase",
    ];
    let mut other = claim("a");
    other["apiVersion"] = json!("storage/v9");
    let expected = [
        json!("OrderedReady"),
        json!({"type": "RollingUpdate", "rollingUpdate": {"partition": 0}}),
        json!({"whenDeleted": "Retain", "whenScaled": "Retain"}),
        json!(1),
        json!(10),
        json!("v1"),
        json!("PersistentVolumeClaim"),
        json!("Filesystem"),
        json!("Pending"),
    ];
    let new = rows.with(&[("/spec/volumeClaimTemplates", json!([other]))]);
    assert_eq!(rows.seen_at(&new, None, &at).as_deref(), Ok(&expected[..]));
    for (sent, kept) in [
        (json!({"type": "RollingUpdate"}), json!({"type": "RollingUpdate"})),
        (json!({"type": "RollingUpdate", "rollingUpdate": {}}), expected[1].clone()),
        (
            json!({"rollingUpdate": {"partition": 2}}),
            json!({"type": "RollingUpdate", "rollingUpdate": {"partition": 2}}),
        ),
        (json!({"type": "OnDelete"}), json!({"type": "OnDelete"})),
    ] {
        let new = rows.with(&[("/spec/updateStrategy", sent.clone())]);
        assert_eq!(rows.seen_at(&new, None, &at[1..2]), Ok(vec![kept]), "{sent}");
    }
}

#[test]
fn how_many_pods_of_a_stateful_set_are_replaced_at_a_time_is_forgotten_unless_stored() {
    let rows = stateful_sets();
    let with = |update: Value| rows.with(&[("/spec/updateStrategy", json!({"rollingUpdate": update}))]);
    let at = ["/spec/updateStrategy/rollingUpdate"];
    let (bounded, plain) = (json!({"partition": 0, "maxUnavailable": 2}), json!({"partition": 0}));
    assert_eq!(rows.seen_at(&with(bounded.clone()), None, &at), Ok(vec![plain.clone()]));
    let update = |old: &Value| rows.seen_at(&with(bounded.clone()), Some(&with(old.clone())), &at);
    assert_eq!(update(&plain), Ok(vec![plain.clone()]));
    assert_eq!(update(&json!({"maxUnavailable": "5%"})), Ok(vec![bounded.clone()]));
}
