//! Deployments and daemon sets.

use super::support::Rows;
use serde_json::{Value, json};

const MATCH: &str = "`selector` does not match template `labels`";
/// The same of labels whatever they are.
const MISMATCH: &str = "spec.template.metadata.labels: Invalid value…`selector` does not match template `labels`";
const NEGATIVE: &str = "must be greater than or equal to 0";
const ROLLBACK: &str = "/metadata/annotations/deprecated.deployment.rollback.to";
const GENERATION: &str = "/metadata/annotations/deprecated.daemonset.template.generation";

/// A workload with what every one needs.
pub(crate) fn workload(kind: &str) -> Value {
    json!({"apiVersion": "apps/v1", "kind": kind,
           "metadata": {"name": "w", "namespace": "n", "resourceVersion": "1", "annotations": {}},
           "spec": {"selector": {"matchLabels": {"a": "b"}},
                    "template": {"metadata": {"labels": {"a": "b"}}, "spec": {"containers": [{"name": "c", "image": "i"}]}}},
           "status": {}})
}

fn deployments() -> Rows {
    Rows::of("apps/v1", "Deployment", workload("Deployment"))
}

fn daemon_sets() -> Rows {
    Rows::of("apps/v1", "DaemonSet", workload("DaemonSet"))
}

/// A selector of this one expression.
pub(crate) fn expression(key: &str, operator: &str, values: &[&str]) -> Value {
    json!({"matchExpressions": [{"key": key, "operator": operator, "values": values}]})
}

#[test]
fn names_of_workloads_are_subdomains() {
    for rows in [deployments(), daemon_sets()] {
        rows.created(&[
            (&[("/metadata/name", json!("a.b-c"))], &[]),
            (
                &[("/metadata/name", json!("A_b"))],
                &["metadata.name: Invalid value: \"A_b\": a lowercase RFC 1123 subdomain"],
            ),
            (
                &[("/metadata/generateName", json!("a-")), ("/metadata/name", Value::Null)],
                &["metadata.name: Required value"],
            ),
            (&[("/metadata/generateName", json!("A"))], &["metadata.generateName: Invalid value: \"A\""]),
            (
                &[("/metadata/finalizers", json!(["a"]))],
                &["metadata.finalizers[0]: Invalid value: \"a\": name is neither"],
            ),
        ]);
        rows.updated(&[
            (&[("/metadata/name", json!("x"))], &["metadata.name: Invalid value: \"x\": field is immutable"]),
            (
                &[("/metadata/finalizers", json!(["a"]))],
                &["metadata.finalizers[0]: Invalid value: \"a\": name is neither"],
            ),
        ]);
    }
}

#[test]
fn deployments_need_a_selector_of_their_own_pods() {
    let selector = |selector: Value| [("/spec/selector", selector)];
    let labels = "spec.template.metadata.labels: Invalid value: ";
    deployments().created(&[
        (&[], &[]),
        (&selector(Value::Null), &["spec.selector: Required value", &format!("{labels}{{\"a\":\"b\"}}: {MATCH}")]),
        (
            &selector(json!({"matchLabels": {}})),
            &["spec.selector: Invalid value: {}: empty selector is invalid for deployment"],
        ),
        (&selector(expression("a", "In", &["x", "b"])), &[]),
        (&selector(expression("a", "NotIn", &["b"])), &[MISMATCH]),
        (&selector(json!({"matchLabels": {"a": "c"}})), &[MISMATCH]),
        (
            &[("/spec/template/metadata", Value::Null)],
            &[&format!("{labels}null: {MATCH}")],
        ),
        (
            &selector(expression("a", "In", &[])),
            &[
                "spec.selector.matchExpressions[0].values: Required value: must be specified when `operator` is 'In'",
                "spec.selector: Invalid value: {\"matchExpressions\":[{\"key\":\"a\",\"operator\":\"In\"}]}: invalid label selector",
            ],
        ),
        // What the selector has wrong keeps the template from being looked at.
        (
            &[("/spec/selector", json!({"matchLabels": {"a": "-"}})), ("/spec/template/spec/containers", json!([]))],
            &["spec.selector.matchLabels: Invalid value: \"-\"", "spec.selector: Invalid value: {\"matchLabels\":{\"a\":\"-\"}}: invalid label selector"],
        ),
    ]);
}

#[test]
fn deployments_keep_their_selector_and_everything_else_may_change() {
    let more = json!({"matchLabels": {"a": "b"}, "matchExpressions": [{"key": "a", "operator": "Exists"}]});
    deployments().updated(&[
        (&[("/spec/replicas", json!(3)), ("/spec/template/spec/containers/0/image", json!("j"))], &[]),
        (&[("/spec/selector", json!({"matchLabels": {"a": "b"}, "matchExpressions": []}))], &[]),
        (
            &[("/spec/selector", more)],
            &["spec.selector: Invalid value: {\"matchLabels\":{\"a\":\"b\"},\"matchExpressions\":[{\"key\":\"a\",\
               \"operator\":\"Exists\"}]}: field is immutable"],
        ),
        (
            &[("/spec/selector", Value::Null)],
            &["spec.selector: Required value", MISMATCH, "spec.selector: Invalid value: null: field is immutable"],
        ),
        (&[("/spec/replicas", json!(-1))], &["spec.replicas: Invalid value: -1"]),
    ]);
}

#[test]
fn pods_of_deployments_and_daemon_sets_are_there_to_stay() {
    for (rows, owner) in [(deployments(), "ReplicaSet"), (daemon_sets(), "DaemonSet")] {
        let deadline = format!(
            "spec.template.spec.activeDeadlineSeconds: Forbidden: activeDeadlineSeconds in {owner} is not Supported"
        );
        rows.created(&[
            (
                &[("/spec/template/spec/restartPolicy", json!("Never"))],
                &["spec.template.spec.restartPolicy: Unsupported value: \"Never\": supported values: \"Always\""],
            ),
            (
                &[("/spec/template/spec/restartPolicy", json!("X"))],
                &[
                    "spec.template.spec.restartPolicy: Unsupported value…\"Always\", \"OnFailure\", \"Never\"",
                    "spec.template.spec.restartPolicy: Unsupported value: \"X\": supported values: \"Always\"",
                ],
            ),
            (&[("/spec/template/spec/activeDeadlineSeconds", json!(5))], &[&deadline]),
            (
                &[("/spec/template/metadata/annotations", json!({"a b": ""}))],
                &["spec.template.annotations: Invalid value: \"a b\""],
            ),
            (&[("/spec/template/spec", Value::Null)], &["spec.template.spec.containers: Required value"]),
        ]);
    }
}

#[test]
fn numbers_of_deployments_are_not_negative_and_progress_takes_longer_than_a_pod() {
    let negative = |member: &str| format!("spec.{member}: Invalid value: -1: {NEGATIVE}");
    deployments().created(&[
        (&[("/spec/replicas", json!(0)), ("/spec/revisionHistoryLimit", json!(0))], &[]),
        (
            &[
                ("/spec/replicas", json!(-1)),
                ("/spec/minReadySeconds", json!(-1)),
                ("/spec/revisionHistoryLimit", json!(-1)),
            ],
            &[&negative("replicas"), &negative("minReadySeconds"), &negative("revisionHistoryLimit")],
        ),
        (
            &[("/spec/progressDeadlineSeconds", json!(-1))],
            &[
                &negative("progressDeadlineSeconds"),
                "spec.progressDeadlineSeconds: Invalid value: -1: must be greater than minReadySeconds",
            ],
        ),
        (&[("/spec/progressDeadlineSeconds", json!(1))], &[]),
        (&[("/spec/minReadySeconds", json!(599))], &[]),
        (
            &[("/spec/minReadySeconds", json!(600))],
            &["spec.progressDeadlineSeconds: Invalid value: 600: must be greater than minReadySeconds"],
        ),
    ]);
}

#[test]
fn deployments_replace_their_pods_in_one_of_two_ways() {
    let strategy = |strategy: Value| [("/spec/strategy", strategy)];
    let rolling = |unavailable: Value, surge: Value| {
        [("/spec/strategy", json!({"rollingUpdate": {"maxUnavailable": unavailable, "maxSurge": surge}}))]
    };
    let unavailable = "spec.strategy.rollingUpdate.maxUnavailable: Invalid value: ";
    let zero = |value: &str| format!("{unavailable}{value}: may not be 0 when `maxSurge` is 0");
    deployments().created(&[
        (&strategy(json!({"type": "Recreate"})), &[]),
        (
            &strategy(json!({"type": "Recreate", "rollingUpdate": {}})),
            &["spec.strategy.rollingUpdate: Forbidden: may not be specified when strategy `type` is 'Recreate'"],
        ),
        (
            &strategy(json!({"type": "X"})),
            &["spec.strategy: Unsupported value: {\"Type\":\"X\",\"RollingUpdate\":null}: supported values: \"Recreate\", \
               \"RollingUpdate\""],
        ),
        (
            &strategy(json!({"type": "X", "rollingUpdate": {"maxSurge": "5%"}})),
            &["spec.strategy: Unsupported value: {\"Type\":\"X\",\"RollingUpdate\":{\"MaxUnavailable\":0,\"MaxSurge\":\"5%\"}}"],
        ),
        (&rolling(json!(0), json!("1%")), &[]),
        (&rolling(json!("100%"), json!("101%")), &[]),
        (&rolling(json!(0), json!(0)), &[&zero("0")]),
        (&rolling(json!("0%"), json!(0)), &[&zero("\"0%\"")]),
        (&rolling(json!("101%"), json!(0)), &["spec.strategy.rollingUpdate.maxUnavailable: Invalid value: \"101%\": must not be greater than 100%"]),
        (&rolling(json!(-1), json!(0)), &[&format!("{unavailable}-1: {NEGATIVE}")]),
        (&rolling(json!("5"), json!("x")), &["spec.strategy.rollingUpdate.maxUnavailable: Invalid value: \"5\": a valid percent string", "spec.strategy.rollingUpdate.maxSurge: Invalid value: \"x\": a valid percent"]),
        (
            &rolling(json!("0"), json!("x%")),
            &["spec.strategy.rollingUpdate.maxUnavailable: Invalid value: \"0\": a valid percent string", "spec.strategy.rollingUpdate.maxSurge: Invalid value: \"x%\": a valid percent string", &zero("\"0\"")],
        ),
    ]);
}

#[test]
fn counters_of_a_deployment_agree_with_each_other() {
    let status = |status: Value| [("/status", status)];
    let rows = deployments().at("status");
    let negative = |member: &str| format!("status.{member}: Invalid value: -1: {NEGATIVE}");
    let more = |member: &str| format!("status.{member}: Invalid value: 3: cannot be greater than status.replicas");
    rows.updated(&[
        (&status(json!({"replicas": 3, "updatedReplicas": 3, "readyReplicas": 3, "availableReplicas": 3})), &[]),
        (
            &status(json!({"observedGeneration": -1, "replicas": -1, "unavailableReplicas": -1, "updatedReplicas": -1,
                           "readyReplicas": -1, "availableReplicas": -1, "terminatingReplicas": -1, "collisionCount": -1})),
            &[
                &negative("replicas"),
                &negative("unavailableReplicas"),
                &negative("updatedReplicas"),
                &negative("readyReplicas"),
                &negative("availableReplicas"),
                &negative("observedGeneration"),
                &negative("terminatingReplicas"),
                &negative("collisionCount"),
            ],
        ),
        (
            &status(json!({"replicas": 2, "updatedReplicas": 3, "readyReplicas": 3, "availableReplicas": 3})),
            &[&more("updatedReplicas"), &more("readyReplicas"), &more("availableReplicas")],
        ),
        (
            &status(json!({"replicas": 2, "availableReplicas": 1})),
            &["status.availableReplicas: Invalid value: 1: cannot be greater than readyReplicas"],
        ),
        // The spec is that of the stored object, whatever was sent.
        (&[("/spec/replicas", json!(-1)), ("/spec/selector", Value::Null)], &[]),
        (&[("/metadata/labels", json!({"-": "-"}))], &[]),
        (&[("/metadata/annotations", json!({"-": "-"}))], &["metadata.annotations: Invalid value: \"-\""]),
    ]);
    let decremented = |value: i32| format!("status.collisionCount: Invalid value: {value}: cannot be decremented");
    let stored = status(json!({"collisionCount": 2}));
    rows.changed(&[
        (&stored, (&status(json!({"collisionCount": 2})), &[])),
        (&stored, (&status(json!({"collisionCount": 1})), &[&decremented(1)])),
        (&stored, (&[], &[&decremented(0)])),
    ]);
}

#[test]
fn deployments_have_their_defaults() {
    let at = [
        "/spec/replicas",
        "/spec/strategy",
        "/spec/revisionHistoryLimit",
        "/spec/progressDeadlineSeconds",
        "/spec/template/spec/restartPolicy",
    ];
    let bounds = json!({"maxUnavailable": "25%", "maxSurge": "25%"});
    let rows = deployments();
    let strategy = json!({"type": "RollingUpdate", "rollingUpdate": bounds});
    let expected = [json!(1), strategy, json!(10), json!(600), json!("Always")];
    assert_eq!(rows.seen_at(&rows.with(&[]), None, &at).as_deref(), Ok(&expected[..]));
    let half =
        rows.with(&[("/spec/strategy", json!({"rollingUpdate": {"maxSurge": 0}})), ("/spec/replicas", json!(0))]);
    let expected = [json!(0), json!({"maxUnavailable": "25%", "maxSurge": 0})];
    assert_eq!(rows.seen_at(&half, None, &[at[0], "/spec/strategy/rollingUpdate"]).as_deref(), Ok(&expected[..]));
    let other = rows.with(&[("/spec/strategy", json!({"type": "Recreate"}))]);
    assert_eq!(rows.seen_at(&other, None, &at[1..2]).as_deref(), Ok(&[json!({"type": "Recreate"})][..]));
}

#[test]
fn the_generation_of_a_deployment_counts_changes_of_spec_and_annotations() {
    let rows = deployments();
    let old = rows.with(&[("/metadata/generation", json!(4)), ("/status", json!({"replicas": 1}))]);
    let at = ["/metadata/generation", "/status/replicas"];
    let seen = |rows: &Rows, changes: &[(&str, Value)], at: &[&str]| rows.seen_at(&rows.with(changes), Some(&old), at);
    for (changes, generation) in [
        (("/metadata/labels", json!({"x": "y"})), 4),
        (("/metadata/annotations", json!({"x": "y"})), 5),
        (("/spec/replicas", json!(2)), 5),
        (("/status", json!({"replicas": 9})), 4),
    ] {
        assert_eq!(seen(&rows, &[changes], &at), Ok(vec![json!(generation), json!(1)]));
    }
    assert_eq!(rows.seen_at(&old, None, &at), Ok(vec![json!(1), Value::Null]));
    let status = deployments().at("status");
    let sent = [
        ("/metadata/annotations", json!({"x": "y"})),
        ("/metadata/labels", json!({"x": "y"})),
        ("/spec/replicas", json!(2)),
        ("/status", json!({"replicas": 9})),
    ];
    let at =
        ["/metadata/generation", "/metadata/annotations", "/metadata/labels", "/spec/replicas", "/status/replicas"];
    let expected = [json!(4), json!({"x": "y"}), Value::Null, json!(1), json!(9)];
    assert_eq!(seen(&status, &sent, &at).as_deref(), Ok(&expected[..]));
}

#[test]
fn a_revision_to_go_back_to_is_a_number_of_the_spec() {
    let rows = deployments();
    let with = |revision: &str| rows.with(&[(ROLLBACK, json!(revision))]);
    rows.created(&[
        (&[(ROLLBACK, json!("7"))], &[]),
        (&[(ROLLBACK, json!(""))], &[]),
        (&[(ROLLBACK, json!("-7"))], &[&format!("spec.rollback.version: Invalid value: -7: {NEGATIVE}")]),
    ]);
    let at = [ROLLBACK, "/metadata/generation"];
    assert_eq!(rows.seen_at(&with("+7"), None, &at), Ok(vec![json!("7"), json!(1)]));
    assert_eq!(rows.seen_at(&with(""), None, &at), Ok(vec![Value::Null, json!(1)]));
    let refused = "failed to parse annotation[deprecated.deployment.rollback.to]=x as int64: strconv.ParseInt: parsing \"x\": invalid syntax";
    let found = rows.seen_at(&with("x"), None, &at);
    assert!(found.as_ref().is_err_and(|found| found.contains(refused)), "{found:?}");
    let status = deployments().at("status");
    for (sent, stored, kept) in [("7", "3", json!("3")), ("7", "", Value::Null)] {
        assert_eq!(status.seen_at(&with(sent), Some(&with(stored)), &at[..1]), Ok(vec![kept]));
    }
    assert!(status.seen_at(&with("x"), Some(&with("3")), &at).is_err());
}

#[test]
fn daemon_sets_need_no_selector_but_find_their_pods() {
    let selector = |selector: Value| [("/spec/selector", selector)];
    let labels = format!("spec.template.metadata.labels: Invalid value: {{\"a\":\"b\"}}: {MATCH}");
    daemon_sets().created(&[
        (&[], &[]),
        (&selector(Value::Null), &[&labels]),
        (&selector(json!({})), &["spec.selector: Invalid value: {}: empty selector is invalid for daemonset"]),
        (&selector(expression("a", "DoesNotExist", &[])), &[&labels]),
        (&selector(expression("b", "X", &[])), &["spec.selector.matchExpressions[0].operator: Invalid value: \"X\""]),
        (
            &[("/spec/selector", expression("a", "In", &["-"])), ("/spec/template/spec/containers", json!([]))],
            &[
                "spec.selector.matchExpressions[0].values[0]: Invalid value: \"-\"",
                "spec.template.spec.containers: Required value",
            ],
        ),
    ]);
}

#[test]
fn bad_values_in_the_selector_of_a_daemon_set_stay_possible() {
    let rows = daemon_sets();
    let term = |value: &str| {
        let term = json!({"topologyKey": "t", "labelSelector": expression("a", "In", &[value])});
        (
            "/spec/template/spec/affinity",
            json!({"podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}),
        )
    };
    let selector = |value: &str| ("/spec/selector", expression("a", "In", &[value]));
    let generation = (GENERATION, json!("1"));
    let in_term = "spec.template.spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].labelSelector.matchExpressions[0].values[0]: Invalid value: \"-\"";
    let incremented = "spec.templateGeneration: Invalid value: 0: must be incremented upon template update";
    rows.changed(&[
        (&[selector("-")], (&[selector("-")], &[])),
        (&[selector("-")], (&[selector("-"), term("-"), generation.clone()], &[])),
        (&[selector("b")], (&[selector("b"), term("-"), generation.clone()], &[in_term])),
        (
            &[term("-"), selector("b")],
            (&[term("-"), selector("-")], &["spec.selector: Invalid value: {\"matchExpressions\""]),
        ),
        (&[selector("b")], (&[selector("b"), term("b")], &[incremented])),
    ]);
}

#[test]
fn daemon_sets_replace_pods_before_or_after_their_successors_are_there() {
    let strategy = |strategy: Value| [("/spec/updateStrategy", strategy)];
    let rolling = |bounds: Value| [("/spec/updateStrategy", json!({"rollingUpdate": bounds}))];
    let at = "spec.updateStrategy.rollingUpdate.";
    daemon_sets().created(&[
        (&strategy(json!({"type": "OnDelete", "rollingUpdate": {"maxSurge": -1}})), &[]),
        (
            &strategy(json!({"type": "X", "rollingUpdate": {"maxUnavailable": 2}})),
            &["spec.updateStrategy: Unsupported value: {\"Type\":\"X\",\"RollingUpdate\":{\"MaxUnavailable\":2,\"MaxSurge\":0}}: \
               supported values: \"RollingUpdate\", \"OnDelete\""],
        ),
        (&rolling(json!({"maxUnavailable": "10%"})), &[]),
        (&rolling(json!({"maxUnavailable": 0, "maxSurge": "100%"})), &[]),
        (
            &rolling(json!({"maxSurge": 1})),
            &[&format!("{at}maxSurge: Invalid value: 1: may not be set when maxUnavailable is non-zero")],
        ),
        (
            &rolling(json!({"maxUnavailable": "0%"})),
            &[&format!("{at}maxUnavailable: Required value: cannot be 0 when maxSurge is 0")],
        ),
        (
            &rolling(json!({"maxUnavailable": -1})),
            &[&format!("{at}maxUnavailable: Invalid value: -1: {NEGATIVE}")],
        ),
        (
            &rolling(json!({"maxUnavailable": 0, "maxSurge": "101%"})),
            &[&format!("{at}maxSurge: Invalid value: \"101%\": must not be greater than 100%")],
        ),
        (
            &rolling(json!({"maxUnavailable": "101%"})),
            &[&format!("{at}maxUnavailable: Invalid value: \"101%\": must not be greater than 100%")],
        ),
        (
            &rolling(json!({"maxUnavailable": "x", "maxSurge": "y"})),
            &["spec.updateStrategy.rollingUpdate.maxUnavailable: Invalid value: \"x\": a valid percent string", "spec.updateStrategy.rollingUpdate.maxSurge: Invalid value: \"y\": a valid percent string", "spec.updateStrategy.rollingUpdate.maxUnavailable: Required value: cannot be 0 when maxSurge is 0"],
        ),
    ]);
}

#[test]
fn numbers_of_daemon_sets_are_not_negative() {
    let negative = |member: &str| format!("spec.{member}: Invalid value: -1: {NEGATIVE}");
    daemon_sets().created(&[(
        &[("/spec/minReadySeconds", json!(-1)), (GENERATION, json!("-1")), ("/spec/revisionHistoryLimit", json!(-1))],
        &[&negative("minReadySeconds"), &negative("templateGeneration"), &negative("revisionHistoryLimit")],
    )]);
}

#[test]
fn a_daemon_set_counts_its_templates() {
    let image = ("/spec/template/spec/containers/0/image", json!("j"));
    let number = |number: &str| (GENERATION, json!(number));
    let wrong = |number: &str, detail: &str| format!("spec.templateGeneration: Invalid value: {number}: {detail}");
    let rows = daemon_sets();
    rows.changed(&[
        (&[number("2")], (&[number("2")], &[])),
        (&[number("2")], (&[number("3"), image.clone()], &[])),
        (&[number("2")], (&[number("1")], &[&wrong("1", "must not be decremented")])),
        (&[number("2")], (&[number("2"), image.clone()], &[&wrong("2", "must be incremented upon template update")])),
        (&[number("2")], (&[number("3")], &[&wrong("3", "must not be incremented without template update")])),
        (
            &[],
            (
                &[("/spec/selector", json!({"matchLabels": {"a": "c"}}))],
                &["spec.selector: Invalid value: {\"matchLabels\":{\"a\":\"c\"}}: field is immutable", MISMATCH],
            ),
        ),
        // Amounts are equal by number, and no map is an empty one.
        (
            &[("/spec/template/spec/overhead", json!({"cpu": "1"})), ("/spec/template/spec/nodeSelector", json!({}))],
            (&[("/spec/template/spec/overhead", json!({"cpu": "1000m"}))], &[]),
        ),
    ]);
    let at = [GENERATION, "/metadata/generation"];
    let old = rows.with(&[number("7"), ("/metadata/generation", json!(3))]);
    let seen = |changes: &[(&str, Value)]| rows.seen_at(&rows.with(changes), Some(&old), &at);
    assert_eq!(seen(&[]), Ok(vec![json!("7"), json!(3)]));
    assert_eq!(seen(&[number("9"), image]), Ok(vec![json!("8"), json!(4)]));
    assert_eq!(seen(&[("/spec/minReadySeconds", json!(1))]), Ok(vec![json!("7"), json!(4)]));
    for (sent, kept) in [("-3", "1"), ("0", "1"), ("+4", "4")] {
        assert_eq!(rows.seen_at(&rows.with(&[number(sent)]), None, &at), Ok(vec![json!(kept), json!(1)]));
    }
    assert_eq!(rows.seen_at(&rows.with(&[]), None, &at), Ok(vec![json!("1"), json!(1)]));
    for sent in ["x", ""] {
        let found = seen(&[number(sent)]);
        let refused = format!("strconv.ParseInt: parsing \"{sent}\": invalid syntax");
        assert!(found.as_ref().is_err_and(|found| found.contains(&refused)), "{found:?}");
    }
    let status = daemon_sets().at("status");
    assert_eq!(status.seen_at(&rows.with(&[number("9")]), Some(&old), &at), Ok(vec![json!("7"), json!(3)]));
}

#[test]
fn counters_of_a_daemon_set_are_not_negative() {
    let members = [
        "currentNumberScheduled",
        "numberMisscheduled",
        "desiredNumberScheduled",
        "numberReady",
        "updatedNumberScheduled",
        "numberAvailable",
        "numberUnavailable",
        "observedGeneration",
        "collisionCount",
    ];
    let rows = daemon_sets().at("status");
    for member in members {
        let expected = format!("status.{member}: Invalid value: -1: {NEGATIVE}");
        rows.updated(&[
            (&[("/status", json!({member: -1}))], &[&expected]),
            (&[("/status", json!({member: 1})), ("/spec/minReadySeconds", json!(-1))], &[]),
        ]);
    }
    rows.changed(&[(
        &[("/status", json!({"collisionCount": 2}))],
        (&[], &["status.collisionCount: Invalid value: 0: cannot be decremented"]),
    )]);
}

#[test]
fn daemon_sets_have_their_defaults() {
    let rows = daemon_sets();
    let at = ["/spec/updateStrategy", "/spec/revisionHistoryLimit", "/spec/template/spec/dnsPolicy", "/status"];
    let strategy = json!({"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": 1, "maxSurge": 0}});
    let new = rows.with(&[("/status", json!({"numberReady": 1}))]);
    let expected = [strategy, json!(10), json!("ClusterFirst")];
    assert_eq!(rows.seen_at(&new, None, &at[..3]).as_deref(), Ok(&expected[..]));
    let other = rows.with(&[("/spec/updateStrategy", json!({"type": "OnDelete"}))]);
    assert_eq!(rows.seen_at(&other, None, &at[..1]), Ok(vec![json!({"type": "OnDelete"})]));
    assert_eq!(rows.seen_at(&new, None, &at[3..]), Ok(vec![Value::Null]));
}
