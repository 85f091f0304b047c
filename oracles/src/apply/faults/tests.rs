//! Each planted fault, and the first field at which some objects show it.

use super::{Fault, Laws};
use crate::registry::Registry;
use serde_json::{Value, json};
use takeover_apply::managed::ObjectType as _;
use takeover_harness::case::{Operation, Options};
use takeover_harness::object::{Arena, Node, from_value};
use takeover_harness::oracle::{Objects, Question};
use takeover_harness::schema::{Schema, TypeId};
use takeover_harness::subject::SubjectId;

fn deployment(replicas: u8, selected: &str, containers: &Value) -> Value {
    json!({"apiVersion": "apps/v1", "kind": "Deployment",
        "metadata": {"name": "shop", "labels": {"a": "1", "b": "2"}, "finalizers": ["x.com/a", "x.com/b"]},
        "spec": {"replicas": replicas, "selector": {"matchLabels": {selected: "shop"}},
            "template": {"metadata": {"labels": {"app": "shop"}}, "spec": {"containers": containers,
                "volumes": [{"name": "tmp", "emptyDir": {}}]}}}})
}

fn objects() -> [Value; 2] {
    let limits = json!({"limits": {"cpu": "1000m"}});
    let ports = json!([{"containerPort": 80}, {"containerPort": 80, "protocol": "UDP"}]);
    let one = json!([{"name": "one", "image": "shop:1", "command": ["sh", "-c"], "resources": limits},
        {"name": "two", "image": "shop:2", "ports": ports}]);
    [deployment(0, "app", &one), deployment(3, "tier", &json!([{"name": "one", "command": ["sleep"]}]))]
}

fn node<'a>(types: &'a Schema, root: TypeId, object: &'a Value, arena: &'a Arena) -> Node<'a> {
    from_value(types, root, object, arena).unwrap()
}

/// What a fault breaks first: a law and a field.
fn first(laws: &Laws, fault: Fault) -> Option<String> {
    let [one, other] = objects();
    let (types, root) = laws.kind().types();
    let planted = (fault, fault.merging(laws.kind().schema().0));
    for (new, old) in [(&one, None), (&other, Some(&one)), (&one, Some(&other))] {
        let arena = Arena::new();
        let node = |object| node(types, root, object, &arena);
        let objects = Objects { schema: types, root, new: node(new), old: old.map(node), sent: None };
        let operation = if old.is_some() { Operation::Update } else { Operation::Create };
        let question = Question { operation, objects, options: &Options::new(), subresource: "" };
        assert_eq!(laws.hold(&question).breaches, []);
        if let Some(breach) = laws.broken_by(&question, &planted, &laws.recorded(&question)) {
            return Some(format!("{:?} {}", breach.law, breach.field));
        }
    }
    None
}

#[test]
fn every_planted_fault_is_found_at_the_field_that_it_spoils() {
    let registry = Registry::of_builtin().unwrap();
    let laws = Laws::new(registry.applied(&SubjectId::new("apps/v1", "Deployment")).unwrap(), None);
    let rows = [
        (Fault::ZerosNotTaken, "RoundTrip spec.replicas"),
        (Fault::EmptyNotTaken, "RoundTrip spec.template.spec.volumes[0].emptyDir"),
        (Fault::OthersExtracted, "Extracted metadata.finalizers[1]"),
        (Fault::UpdatesExtracted, "Extracted metadata.finalizers"),
        (Fault::AllExtracted, "Extracted spec.progressDeadlineSeconds"),
        (Fault::WholeItemsExtracted, "Extracted spec.template.spec.containers[0].imagePullPolicy"),
        (Fault::KeysNotExtracted, "Extracted spec.template.spec.containers[0].name"),
        (Fault::FirstItemExtracted, "Extracted metadata.finalizers[1]"),
        (Fault::ZerosNotExtracted, "Extracted spec.replicas"),
        (Fault::EmptyNotExtracted, "Extracted spec.template.spec.volumes[0].emptyDir"),
        (Fault::PiecesNotExtracted, "Extracted spec.template.spec.containers[0].command"),
        (Fault::EntriesNotExtracted, "Extracted metadata.labels"),
        (Fault::NameNotExtracted, "Extracted metadata.name"),
        (Fault::KeyedListsReplaced, "Extracted spec.template.spec.containers"),
        (Fault::SetsReplaced, "Extracted metadata.finalizers"),
        (Fault::ListsMerged, "Extracted spec.template.spec.containers[0].command[0]"),
        (Fault::MapsMerged, "Extracted spec.selector.matchLabels[app]"),
        (Fault::FirstKeyAlone, "SameObject spec.template.spec.containers[name=\"two\"].ports"),
        (Fault::LiveWins, "Extracted spec.replicas"),
        (Fault::NotPruned, "SameObject spec.template.spec.containers[0].image"),
        (Fault::OthersPruned, "Extracted metadata.finalizers"),
        (Fault::NewItemsFirst, "Extracted spec.template.spec.containers[0].image"),
        (Fault::ZerosNotApplied, "Extracted spec.replicas"),
        (Fault::NotDefaulted, "SameObject spec.strategy.rollingUpdate"),
        (Fault::OthersForgotten, "Extracted metadata.finalizers"),
        (Fault::OwnsAll, "Extracted metadata.managedFields"),
        (Fault::AlwaysTouched, "Again metadata.managedFields[0].time"),
        (Fault::ConflictsIgnored, "Conflicts spec.replicas"),
        (Fault::FirstConflictAlone, "Conflicts spec.selector"),
        (Fault::UpdatesGiveWay, "Conflicts spec.replicas"),
        (Fault::ItemsGiveWay, "Conflicts spec.template.spec.containers[name=\"one\"].command"),
        (Fault::ConflictAtParent, "Conflicts spec.replicas"),
        (Fault::ApplierNamed, "Conflicts spec.replicas"),
        (Fault::SameValueContested, "Conflicts metadata.finalizers[=\"x.com/a\"]"),
        (Fault::OthersKeepForced, "Conflicts spec.replicas"),
        (Fault::ForcedNotOwned, "Extracted spec.template.spec.containers[0].command"),
        (Fault::ForcedValueKept, "Extracted spec.replicas"),
    ];
    let found: Vec<_> = Fault::ALL.iter().map(|fault| (*fault, first(&laws, *fault).unwrap_or_default())).collect();
    assert_eq!(found, rows.map(|(fault, field)| (fault, field.to_owned())));
}
