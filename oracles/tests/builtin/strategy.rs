//! What a request does to an object before validation.

#![expect(clippy::expect_used, reason = "helpers of tests fail as tests do")]

use serde_json::{Value, json};
use takeover_harness::case::{Case, Operation, Options, Payload, Provenance};
use takeover_harness::catalogue::Catalogue as _;
use takeover_harness::form::Form;
use takeover_harness::object::{Arena, FieldValidation, Node, Tree, to_value};
use takeover_harness::oracle::Objects;
use takeover_harness::pair::{Pair, Prepared};
use takeover_harness::schema::TypeId;
use takeover_harness::subject::SubjectId;
use takeover_oracles::handwritten::request::RequestChecks;
use takeover_oracles::handwritten::strategy::RANDOM_NAME;
use takeover_oracles::registry::Registry;

/// The ReplicationController that validation sees, by JSON pointer.
fn seen(checks: RequestChecks, subresource: &str, new: Value, old: Option<Value>, pointers: &[&str]) -> Vec<Value> {
    seen_of(&SubjectId::new("v1", "ReplicationController").with_subresource(subresource), checks, new, old, pointers)
}

/// The object that validation sees, by JSON pointer.
fn seen_of(id: &SubjectId, checks: RequestChecks, new: Value, old: Option<Value>, pointers: &[&str]) -> Vec<Value> {
    let registry = Registry::of_builtin().expect("the shipped types load");
    let pair = registry.pair_with(id, checks).expect("the pair");
    let case = Case {
        operation: if old.is_some() { Operation::Update } else { Operation::Create },
        object: Payload::from(new),
        old: old.map(Payload::from),
        options: Options::new(),
        provenance: Provenance::Generated { seed: 0, chunk: 0, index: 0, planted: String::new() },
    };
    let arena = Arena::new();
    let prepared = pair.prepare(&case, &arena).expect("prepared");
    let object = to_value(&pair.form.schema, pair.form.root, &prepared.question.objects.new);
    pointers.iter().map(|pointer| object.pointer(pointer).cloned().unwrap_or(Value::Null)).collect()
}

const SERVER: RequestChecks = RequestChecks::WithCommonMetadata;

#[test]
fn a_new_object_gets_a_name_a_namespace_and_generation_one_and_loses_its_status() {
    let new = json!({"metadata": {"generateName": "web-", "generation": -1, "deletionTimestamp": "2026-01-02T03:04:05Z"},
                     "status": {"replicas": 3}});
    let pointers =
        ["/metadata/name", "/metadata/namespace", "/metadata/generation", "/metadata/deletionTimestamp", "/status"];
    let found = seen(SERVER, "", new, None, &pointers);
    assert_eq!(found, [json!("web-x7k2p"), json!("default"), json!(1), Value::Null, Value::Null]);
}

#[test]
fn a_generated_name_is_cut_to_63_bytes_at_a_character() {
    let found = seen(SERVER, "", json!({"metadata": {"generateName": "é".repeat(40)}}), None, &["/metadata/name"]);
    assert_eq!(found, [json!(format!("{}x7k2p", "é".repeat(29)))]);
}

#[test]
fn a_given_name_stays() {
    let new = json!({"metadata": {"name": "a", "generateName": "b-", "namespace": "n"}});
    assert_eq!(seen(SERVER, "", new, None, &["/metadata/name", "/metadata/namespace"]), [json!("a"), json!("n")]);
}

#[test]
fn an_update_keeps_what_only_the_server_sets() {
    let old = json!({"metadata": {"name": "a", "namespace": "n", "uid": "u", "resourceVersion": "5", "generation": 4,
                                  "creationTimestamp": "2026-01-02T03:04:05Z"},
                     "status": {"replicas": 3}});
    let new = json!({"metadata": {"name": "a", "generation": 1, "creationTimestamp": "2020-01-02T03:04:05Z"},
                     "status": {"replicas": 9}});
    let pointers = [
        "/metadata/namespace",
        "/metadata/uid",
        "/metadata/resourceVersion",
        "/metadata/generation",
        "/metadata/creationTimestamp",
        "/status/replicas",
    ];
    let kept = [json!("n"), json!("u"), json!("5"), json!(4), json!("2026-01-02T03:04:05Z"), json!(3)];
    assert_eq!(seen(SERVER, "", new, Some(old), &pointers), kept);
}

#[test]
fn a_manifest_without_namespace_is_stored_in_the_default_one() {
    let object = json!({"metadata": {"name": "a", "resourceVersion": "1"}});
    let registry = Registry::of_builtin().expect("the shipped types load");
    let pair = registry.pair(&SubjectId::new("v1", "ReplicationController").into()).expect("the pair");
    let case = Case {
        operation: Operation::Update,
        object: Payload::from(object.clone()),
        old: Some(Payload::from(object)),
        options: Options::new(),
        provenance: Provenance::Generated { seed: 0, chunk: 0, index: 0, planted: String::new() },
    };
    let arena = Arena::new();
    let objects = pair.prepare(&case, &arena).expect("prepared").question.objects;
    for node in [Some(objects.new), objects.old] {
        let object = to_value(&pair.form.schema, pair.form.root, &node.expect("an update has both"));
        assert_eq!(object.pointer("/metadata/namespace"), Some(&json!("default")));
    }
}

#[test]
fn an_update_that_changes_nothing_is_prepared_like_one_whose_objects_are_decoded_each() {
    let object = json!({"metadata": {"name": "a", "resourceVersion": "1", "generation": 3, "unknown": true},
                        "spec": {"replicas": -1, "paused": 1}, "status": {"replicas": 2}});
    let registry = Registry::of_builtin().expect("the shipped types load");
    let pair = registry.pair(&SubjectId::new("v1", "ReplicationController").into()).expect("the pair");
    let pair = Pair { form: Form { field_validation: FieldValidation::Warn, ..pair.form }, ..pair };
    // A text equals no tree, so it is decoded whatever it says.
    let text = Payload::Json(object.to_string().into_bytes().into());
    let prepared = [Payload::from(object.clone()), text].map(|old| {
        let case = Case {
            operation: Operation::Update,
            object: Payload::from(object.clone()),
            old: Some(old),
            options: Options::new(),
            provenance: Provenance::Generated { seed: 0, chunk: 0, index: 0, planted: String::new() },
        };
        let arena = Arena::new();
        let Prepared { question, sent, .. } = pair.prepare(&case, &arena).expect("prepared");
        let objects = question.objects;
        let old = objects.old.expect("an update has both");
        let values = [objects.new, old, sent.object()].map(|node| to_value(&pair.form.schema, pair.form.root, &node));
        (values, sent.dropped())
    });
    assert_eq!(prepared[0], prepared[1]);
    assert_eq!(prepared[0].1, 4, "unknown fields of both objects are counted");
}

/// The object with another member in one of its members.
fn with<'a>(object: &Tree<'a>, of: &str, name: &'a str, value: Tree<'a>, arena: &'a Arena) -> Tree<'a> {
    let mut copy = *object;
    let changed = copy.change(of, arena, |member| {
        let mut members = member.as_object().expect("an object").to_change(arena);
        members.insert(name, value);
        *member = members.into();
    });
    changed.expect("a member");
    copy
}

/// An update whose objects may share parts.
fn update<'a>(new: Tree<'a>, old: &Tree<'a>) -> Case<'a> {
    Case {
        operation: Operation::Update,
        object: Payload::from(new),
        old: Some(Payload::from(*old)),
        options: Options::new(),
        provenance: Provenance::Generated { seed: 0, chunk: 0, index: 0, planted: String::new() },
    }
}

#[test]
fn what_is_dropped_from_a_shared_part_is_counted_for_each_object() {
    let registry = Registry::of_builtin().expect("the shipped types load");
    let pair = registry.pair(&SubjectId::new("v1", "ReplicationController").into()).expect("the pair");
    let pair = Pair { form: Form { field_validation: FieldValidation::Warn, ..pair.form }, ..pair };
    let arena = Arena::new();
    let old = json!({"metadata": {"name": "a", "resourceVersion": "1"},
                     "spec": {"template": {"spec": {"unknown": true}}}});
    let old = Tree::of(&old, &arena);
    let (case, variant) = (
        update(with(&old, "metadata", "generateName", Tree::from("b"), &arena), &old),
        update(with(&old, "spec", "replicas", Tree::Number(3_u64.into()), &arena), &old),
    );
    let one = pair.prepare(&case, &arena).expect("prepared");
    let other = pair.prepare_beside(&variant, &one.sent, &arena).expect("prepared");
    assert_eq!((one.sent.dropped(), other.sent.dropped()), (2, 2));
}

#[test]
fn what_objects_share_is_decoded_and_defaulted_once() {
    fn pod_spec<'a>(form: &Form, object: Node<'a>) -> Node<'a> {
        let member = |(ty, node): (TypeId, Node<'a>), name: &&str| {
            let member = form.schema.as_struct(ty).and_then(|(_, fields)| fields.member(name)).expect("a member");
            (form.schema.pointed(member.ty).0, node.member(&member.slots))
        };
        ["spec", "template", "spec"].iter().fold((form.root, object), member).1
    }
    let registry = Registry::of_builtin().expect("the shipped types load");
    let pair = registry.pair(&SubjectId::new("v1", "ReplicationController").into()).expect("the pair");
    let container = json!({"name": "a", "image": "a"});
    let arena = Arena::new();
    let old = json!({"metadata": {"name": "a", "namespace": "n", "resourceVersion": "1"},
                     "spec": {"template": {"spec": {"containers": [container]}}}});
    let old = Tree::of(&old, &arena);
    let case = update(with(&old, "metadata", "generateName", Tree::from("b"), &arena), &old);
    let variant = update(with(&old, "spec", "replicas", Tree::Number(3_u64.into()), &arena), &old);
    let one = pair.prepare(&case, &arena).expect("prepared");
    let other = pair.prepare_beside(&variant, &one.sent, &arena).expect("prepared");
    let alone = pair.prepare(&variant, &arena).expect("prepared");
    let objects = |prepared: &Prepared<'_>| {
        let Objects { new, old, .. } = prepared.question.objects;
        [new, old.expect("an update")].map(|object| format!("{:?}", pod_spec(&pair.form, object)))
    };
    assert_eq!(objects(&other), objects(&alone));
    let known = pod_spec(&pair.form, one.sent.object());
    let defaulted = to_value(&pair.form.schema, pair.form.root, &one.sent.object());
    assert_eq!(defaulted.pointer("/spec/template/spec/dnsPolicy"), Some(&json!("ClusterFirst")));
    for (prepared, is_shared) in [(&one, true), (&other, true), (&alone, false)] {
        let Objects { new, old, .. } = prepared.question.objects;
        for object in [new, old.expect("an update")] {
            assert_eq!(pod_spec(&pair.form, object).is_shared(&known), is_shared);
        }
    }
}

#[test]
fn a_deletion_cannot_be_taken_back() {
    let old = json!({"metadata": {"name": "a", "namespace": "n", "deletionTimestamp": "2026-01-02T03:04:05Z",
                                  "deletionGracePeriodSeconds": 30}});
    let pointers = ["/metadata/deletionTimestamp", "/metadata/deletionGracePeriodSeconds"];
    let found = seen(SERVER, "", json!({"metadata": {"name": "a"}}), Some(old), &pointers);
    assert_eq!(found, [json!("2026-01-02T03:04:05Z"), json!(30)]);
}

#[test]
fn verdicts_recorded_at_the_strategy_saw_main_objects_as_sent() {
    let new = json!({"metadata": {"generation": -1}, "status": {"replicas": 3}});
    let found = seen(RequestChecks::StrategyOnly, "", new, None, &["/metadata/generation", "/status/replicas"]);
    assert_eq!(found, [json!(-1), json!(3)]);
}

#[test]
fn both_names_of_a_service_account_get_one_value() {
    let with = |accounts: Value| json!({"spec": {"template": {"spec": accounts}}});
    let both = ["/spec/template/spec/serviceAccountName", "/spec/template/spec/serviceAccount"];
    for (given, kept) in [
        (json!({"serviceAccountName": "a"}), "a"),
        (json!({"serviceAccount": "b"}), "b"),
        (json!({"serviceAccountName": "a", "serviceAccount": "b"}), "a"),
    ] {
        assert_eq!(seen(SERVER, "", with(given.clone()), None, &both), [json!(kept), json!(kept)], "{given}");
        assert_eq!(seen(SERVER, "", with(given.clone()), Some(with(given.clone())), &both), [json!(kept), json!(kept)]);
    }
    assert_eq!(seen(SERVER, "", with(json!({})), None, &both), [Value::Null, Value::Null]);
}

#[test]
fn what_is_off_by_default_is_forgotten_unless_stored() {
    let object = |lifecycle: Value, bundle: Value| {
        let container = json!({"name": "c", "image": "i", "lifecycle": lifecycle});
        let sources =
            json!([{"clusterTrustBundle": bundle, "podCertificate": {"signerName": "a.b/c", "keyType": "ED25519"}}]);
        json!({"metadata": {"name": "a", "namespace": "n", "generation": 4}, "spec": {"template": {"spec": {
            "containers": [container], "schedulingGroup": {}, "volumes": [{"name": "v", "projected": {"sources": sources}}]}}}})
    };
    let pointers = [
        "/spec/template/spec/containers/0/lifecycle",
        "/spec/template/spec/volumes/0/projected/sources/0",
        "/spec/template/spec/schedulingGroup",
        "/metadata/generation",
    ];
    let (signal, bundle) = (json!({"stopSignal": "SIGHUP"}), json!({"name": "b", "path": "f"}));
    let hook = json!({"preStop": {"sleep": {"seconds": 1}}, "stopSignal": "SIGHUP"});
    let found = seen(SERVER, "", object(signal.clone(), bundle.clone()), None, &pointers);
    assert_eq!(found, [Value::Null, json!({}), Value::Null, json!(1)]);
    let found = seen(SERVER, "", object(hook.clone(), bundle.clone()), None, &pointers[..1]);
    assert_eq!(found, [json!({"preStop": {"sleep": {"seconds": 1}}})]);
    let old = object(signal, bundle.clone());
    let found = seen(SERVER, "", object(hook.clone(), bundle), Some(old), &pointers);
    assert_eq!(found[0], hook);
    assert!(found[1].get("clusterTrustBundle").is_some() && found[1].get("podCertificate").is_some());
    assert_eq!(found[2..], [json!({}), json!(5)]);
}

#[test]
fn lists_of_values_of_attributes_are_forgotten_unless_stored() {
    let attributes = |list: Value| json!({"a": {"int": 1, "bools": list}, "b": {"strings": ["x"], "versions": []}});
    let v1 = |list: Value| json!({"spec": {"devices": [{"name": "d", "attributes": attributes(list)}]}});
    let v1beta1 =
        |list: Value| json!({"spec": {"devices": [{"name": "d", "basic": {"attributes": attributes(list)}}]}});
    let plain = json!({"spec": {"devices": [{"name": "d"}]}});
    let (new, stored) = (json!([true]), json!([false]));
    for (version, at, new, stored) in [
        ("v1", "/spec/devices/0/attributes", v1(new.clone()), v1(stored.clone())),
        ("v1beta2", "/spec/devices/0/attributes", v1(new.clone()), v1(stored.clone())),
        ("v1beta1", "/spec/devices/0/basic/attributes", v1beta1(new), v1beta1(stored)),
    ] {
        let id = SubjectId::new(format!("resource.k8s.io/{version}"), "ResourceSlice");
        let forgotten = [json!({"a": {"int": 1}, "b": {}})];
        assert_eq!(seen_of(&id, SERVER, new.clone(), None, &[at]), forgotten, "{version}");
        assert_eq!(seen_of(&id, SERVER, new.clone(), Some(plain.clone()), &[at]), forgotten, "{version}");
        let found = seen_of(&id, SERVER, new, Some(stored), &[at]);
        assert_eq!(found[0]["a"], json!({"int": 1, "bools": [true]}), "{version}");
    }
}

#[test]
fn texts_of_a_secret_replace_its_data_on_the_way() {
    let secret =
        json!({"metadata": {"name": "a"}, "data": {"a": "AAAA", "b": "AAAA"}, "stringData": {"b": "", "c": "x"}});
    let id = SubjectId::new("v1", "Secret");
    let found = seen_of(&id, SERVER, secret, None, &["/data", "/stringData", "/type"]);
    assert_eq!(found, [json!({"a": "AAAA", "b": "", "c": "eA=="}), Value::Null, json!("Opaque")]);
    let found = seen_of(&id, SERVER, json!({"stringData": {}}), None, &["/data", "/stringData"]);
    assert_eq!(found, [Value::Null, Value::Null]);
}

#[test]
fn an_account_keeps_the_names_of_its_secrets() {
    let account = json!({"secrets": [{"name": "a", "kind": "Secret", "namespace": "n", "uid": "u", "apiVersion": "v1",
                                      "resourceVersion": "1", "fieldPath": "data"}, {"name": "b"}]});
    let id = SubjectId::new("v1", "ServiceAccount");
    let found = seen_of(&id, SERVER, account, None, &["/secrets"]);
    assert_eq!(found, [json!([{"name": "a"}, {"name": "b"}])]);
}

#[test]
fn each_endpoint_of_a_namespace_changes_its_own_part() {
    let id = SubjectId::new("v1", "Namespace");
    let namespace = |finalizer: &str, phase: &str| json!({"metadata": {"name": "a"}, "spec": {"finalizers": [finalizer]}, "status": {"phase": phase}});
    let pointers = ["/spec/finalizers", "/status"];
    let new = namespace("b/c", "Terminating");
    let label = "/metadata/labels/kubernetes.io~1metadata.name";
    let found = seen_of(&id, SERVER, new.clone(), None, &[&pointers[..], &[label]].concat());
    assert_eq!(found, [json!(["b/c", "kubernetes"]), json!({"phase": "Active"}), json!("a")]);
    let unnamed = json!({"metadata": {"generateName": "a-"}, "spec": {"finalizers": ["kubernetes"]}});
    assert_eq!(seen_of(&id, SERVER, unnamed, None, &[pointers[0], label]), [json!(["kubernetes"]), Value::Null]);
    for (subresource, finalizer, phase) in
        [("", "d/e", "Active"), ("status", "d/e", "Terminating"), ("finalize", "b/c", "Active")]
    {
        let id = id.clone().with_subresource(subresource);
        let found = seen_of(&id, SERVER, new.clone(), Some(namespace("d/e", "Active")), &pointers);
        assert_eq!(found, [json!([finalizer]), json!({"phase": phase})], "{subresource}");
    }
}

#[test]
fn changes_of_a_pod_template_are_counted() {
    let id = SubjectId::new("v1", "PodTemplate");
    let template = |image: &str, account: &str| {
        let spec =
            json!({"containers": [{"name": "c", "image": image}], "serviceAccount": account, "schedulingGroup": {}});
        json!({"metadata": {"name": "a", "generation": 4}, "template": {"spec": spec}})
    };
    let pointers = ["/metadata/generation", "/template/spec/serviceAccountName", "/template/spec/schedulingGroup"];
    assert_eq!(seen_of(&id, SERVER, template("i", "s"), None, &pointers), [json!(1), json!("s"), Value::Null]);
    for (image, generation) in [("i", 4), ("j", 5)] {
        let found = seen_of(&id, SERVER, template(image, "s"), Some(template("i", "s")), &pointers);
        assert_eq!(found, [json!(generation), json!("s"), json!({})], "{image}");
    }
}

#[test]
fn a_range_of_limits_without_name_gets_one() {
    let id = SubjectId::new("v1", "LimitRange");
    let name = |meta: Value| seen_of(&id, SERVER, json!({"metadata": meta}), None, &["/metadata/name"]);
    assert_eq!(name(json!({"name": "a"})), [json!("a")]);
    assert_eq!(name(json!({})), [json!(RANDOM_NAME)]);
    assert_eq!(name(json!({"generateName": "a-"})), [json!(RANDOM_NAME)]);
}

#[test]
fn each_endpoint_of_a_quota_changes_its_own_part() {
    let quota = |pods: &str| json!({"metadata": {"name": "a"}, "spec": {"hard": {"pods": pods}}, "status": {"hard": {"pods": pods}}});
    let pointers = ["/spec/hard/pods", "/status"];
    let status = |pods: &str| json!({"hard": {"pods": pods}});
    let id = SubjectId::new("v1", "ResourceQuota");
    assert_eq!(seen_of(&id, SERVER, quota("1"), None, &pointers), [json!("1"), Value::Null]);
    assert_eq!(seen_of(&id, SERVER, quota("1"), Some(quota("2")), &pointers), [json!("1"), status("2")]);
    let id = id.with_subresource("status");
    assert_eq!(seen_of(&id, SERVER, quota("1"), Some(quota("2")), &pointers), [json!("2"), status("1")]);
}

#[test]
fn a_scale_takes_over_replicas_version_and_managed_fields_alone() {
    let old = json!({"metadata": {"name": "a", "namespace": "n", "resourceVersion": "7", "generation": 4, "labels": {"a": "b"}},
                     "spec": {"replicas": 2, "minReadySeconds": 5, "selector": {"a": "b"}}, "status": {"replicas": 2}});
    let new = json!({"metadata": {"name": "c", "namespace": "n", "resourceVersion": "9", "generation": 1, "labels": {"c": "d"},
                                  "managedFields": [{"manager": "scaler"}]},
                     "spec": {"replicas": -3, "minReadySeconds": -1, "selector": {"c": "d"}}, "status": {"replicas": 8}});
    let pointers = [
        "/spec/replicas",
        "/metadata/resourceVersion",
        "/metadata/managedFields/0/manager",
        "/metadata/name",
        "/metadata/labels",
        "/metadata/generation",
        "/spec/minReadySeconds",
        "/spec/selector",
        "/status/replicas",
    ];
    let found = seen(SERVER, "scale", new.clone(), Some(old.clone()), &pointers);
    let kept = [json!("a"), json!({"a": "b"}), json!(5), json!(5), json!({"a": "b"}), json!(2)];
    assert_eq!(found, [json!(-3), json!("9"), json!("scaler")].into_iter().chain(kept).collect::<Vec<_>>());

    // An update of the whole object, and what was recorded at the strategy itself, have what was sent.
    let sent = [json!(-3), json!("c"), json!(-1)];
    let pointers = ["/spec/replicas", "/metadata/name", "/spec/minReadySeconds"];
    assert_eq!(seen(SERVER, "", new.clone(), Some(old.clone()), &pointers), sent);
    assert_eq!(seen(RequestChecks::StrategyOnly, "scale", new, Some(old), &pointers), sent);
}

#[test]
fn a_scale_is_judged_as_it_was_sent() {
    let id = SubjectId::new("autoscaling/v1", "Scale").with_subresource("scale");
    let scale = |labels: Value, replicas: i32| json!({"metadata": {"name": "a", "namespace": "n", "labels": labels}, "spec": {"replicas": replicas}});
    let (new, old) = (scale(json!({"c": "d"}), 3), scale(json!({"a": "b"}), 2));
    let found = seen_of(&id, SERVER, new, Some(old), &["/metadata/labels", "/spec/replicas"]);
    assert_eq!(found, [json!({"c": "d"}), json!(3)]);
}
