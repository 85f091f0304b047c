//! The declarative engine over a type graph made by hand: the rules of ReplicationController.

#![expect(clippy::expect_used, reason = "a test stops at the first surprise")]

use serde_json::{Value, json};
use std::sync::Arc;
use takeover_declarative::idl::{FieldInfo, Idl, Package, Position, TagLine, TypeInfo};
use takeover_declarative::{CompileSettings, Declarative};
use takeover_harness::case::{Operation, Options};
use takeover_harness::error::{ErrorType, FieldError, Stability};
use takeover_harness::object::{Arena, from_value};
use takeover_harness::oracle::{Answer, Objects, Oracle, Question, View};
use takeover_harness::schema::{Field, Kind, Presence, Struct, TypeId};

const PACKAGE: &str = "example.com/api/core/v1";

/// Collects types with tags.
#[derive(Default)]
struct Types(Idl);

impl Types {
    fn plain(&mut self, name: &str, kind: Kind) -> TypeId {
        self.0.types.push(TypeInfo::default());
        self.0.schema.add(name, kind)
    }

    fn structure(&mut self, name: &str, tags: &[&str], fields: &[(&str, &str, TypeId, &[&str])]) -> TypeId {
        let schema_fields = fields.iter().map(|(go_name, json_name, ty, _)| Field {
            go_name: (*go_name).into(),
            json_name: (*json_name).into(),
            ty: *ty,
            presence: Presence::Named,
            omit_empty: true,
            default: None,
        });
        let infos = fields.iter().map(|(_, _, _, tags)| FieldInfo {
            tags: lines(tags),
            exported: true,
            embedded: false,
            json_tag: Arc::default(),
            omit_zero: false,
            quoted: false,
            type_expression: Arc::from("T"),
            position: position(),
        });
        self.0.types.push(TypeInfo {
            go_name: Arc::from(name),
            package: Arc::from(PACKAGE),
            processed: true,
            exported: true,
            tags: lines(tags),
            fields: infos.collect(),
            position: Some(position()),
            ..TypeInfo::default()
        });
        self.0.schema.add(format!("{PACKAGE}.{name}"), Kind::Struct(Struct::new(schema_fields.collect())))
    }
}

fn position() -> Position {
    Position { file: Arc::from("types.go"), line: 7, column: 2 }
}

fn lines(tags: &[&str]) -> Vec<TagLine> {
    tags.iter().map(|text| TagLine { text: Arc::from(*text), position: position() }).collect()
}

fn replication_controller() -> Idl {
    let mut types = Types::default();
    let text = types.plain("string", Kind::Text);
    let int32 = types.plain("int32", Kind::Int { bits: 32, signed: true });
    let pointer = types.plain("*int32", Kind::Pointer(int32));
    let meta = types.structure("ObjectMeta", &[], &[("Name", "name", text, &[])]);
    let spec = types.structure(
        "ReplicationControllerSpec",
        &[],
        &[
            (
                "Replicas",
                "replicas",
                pointer,
                &["k8s:alpha(since: \"1.36\")=+k8s:optional", "default=1", "k8s:alpha(since: \"1.36\")=+k8s:minimum=0"],
            ),
            (
                "MinReadySeconds",
                "minReadySeconds",
                int32,
                &["k8s:beta(since: \"1.36\")=+k8s:optional", "default=0", "k8s:beta(since: \"1.36\")=+k8s:minimum=0"],
            ),
        ],
    );
    types.structure(
        "ReplicationController",
        &["k8s:supportsSubresource=\"/scale\""],
        &[
            (
                "ObjectMeta",
                "metadata",
                meta,
                &[
                    "k8s:alpha(since: \"1.36\")=+k8s:subfield(name)=+k8s:optional",
                    "k8s:alpha(since: \"1.36\")=+k8s:subfield(name)=+k8s:format=k8s-long-name",
                    "k8s:unheard-of=1",
                ],
            ),
            ("Spec", "spec", spec, &[]),
        ],
    );
    types.0.schema.link();
    types.0.packages.push(Package { path: Arc::from(PACKAGE), name: Arc::from("corev1"), doc: Vec::new() });
    types.0
}

fn validate(idl: &Idl, oracle: &Declarative, subresource: &str, new: &Value, old: Option<&Value>) -> Answer {
    let arena = Arena::new();
    let root = idl.schema.lookup(&format!("{PACKAGE}.ReplicationController")).expect("the root exists");
    let decode = |value| from_value(&idl.schema, root, value, &arena).expect("the object decodes");
    let question = Question {
        operation: if old.is_some() { Operation::Update } else { Operation::Create },
        objects: Objects { schema: &idl.schema, root, new: decode(new), old: old.map(decode), sent: None },
        options: &Options::new(),
        subresource,
    };
    let mut answer = Answer::new();
    oracle.answer(&question, &View::none(), &mut answer).expect("no panic");
    answer
}

fn compile(idl: &Idl) -> Declarative {
    Declarative::compile(idl, &format!("{PACKAGE}.ReplicationController"), &CompileSettings::default())
        .expect("compiles")
}

#[test]
fn the_rules_of_replication_controller_judge_create_and_update() {
    let idl = replication_controller();
    let oracle = compile(&idl);
    let object = |name: &str, replicas: Value, seconds: i32| json!({"metadata": {"name": name}, "spec": {"replicas": replicas, "minReadySeconds": seconds}});
    let valid = object("web-1", json!(1), 0);
    let long_name = "metadata.name format=k8s-long-name alpha";
    let negative = "spec.replicas minimum alpha";
    for (new, old, expected) in [
        (valid.clone(), None, vec![]),
        (object("", json!(0), 5), None, vec![]),
        (object("A", json!(-1), -1), None, vec![long_name, negative, "spec.minReadySeconds minimum beta"]),
        (object("a", Value::Null, 0), None, vec!["spec.replicas  alpha stops"]),
        (object("A", json!(-1), -1), Some(object("A", json!(-1), -1)), vec![]),
        (object("A", json!(-1), -2), Some(object("A", json!(-1), -1)), vec!["spec.minReadySeconds minimum beta"]),
        (object("A", json!(-1), -1), Some(valid), vec![long_name, negative, "spec.minReadySeconds minimum beta"]),
    ] {
        let answer = validate(&idl, &oracle, "", &new, old.as_ref());
        let found: Vec<String> = answer
            .errors
            .iter()
            .map(|error| {
                let level = error.stability.map_or(String::new(), |level| format!(" {level}"));
                let stops = if error.short_circuit { " stops" } else { "" };
                format!("{} {}{level}{stops}", error.field, error.origin)
            })
            .collect();
        assert_eq!(found, expected, "{new} {old:?}");
    }
}

#[test]
fn errors_know_their_rule_and_rules_know_their_source() {
    let idl = replication_controller();
    let oracle = compile(&idl);
    let labels: Vec<String> = oracle.rules().iter().map(|rule| format!("{} {}", rule.path, rule.label())).collect();
    assert_eq!(
        labels,
        [
            "metadata.name alpha subfield(name)=optional",
            "metadata.name alpha subfield(name)=format=k8s-long-name",
            "spec.replicas alpha optional",
            "spec.replicas alpha minimum=0",
            "spec.minReadySeconds beta minimum=0",
        ]
    );
    let answer = validate(&idl, &oracle, "scale", &json!({"spec": {"replicas": -1}}), None);
    let [FieldError { rule: Some(id), error_type: ErrorType::Invalid, .. }] = answer.errors.as_slice() else {
        panic!("one error of a rule: {answer:?}")
    };
    let rule = &oracle.rules()[id.index()];
    assert_eq!((rule.tag.as_str(), rule.stability), ("minimum", Some(Stability::Alpha)));
    let source = rule.source.as_ref().map(ToString::to_string);
    assert_eq!((rule.since.as_deref(), source.as_deref()), (Some("1.36"), Some("types.go:7")));
    let reached: Vec<&str> = answer.reached.iter().map(|id| oracle.rules()[id.index()].path.as_str()).collect();
    assert_eq!(reached, ["metadata.name", "spec.replicas", "spec.replicas", "spec.minReadySeconds"]);
    assert_eq!(oracle.ignored().len(), 1);
}

#[test]
fn a_subresource_without_rules_is_an_internal_error() {
    let idl = replication_controller();
    let answer = validate(&idl, &compile(&idl), "status", &json!({}), None);
    let texts: Vec<String> = answer.errors.iter().map(ToString::to_string).collect();
    assert_eq!(
        texts,
        ["<nil>: Internal error: no validation found for *corev1.ReplicationController, subresource: /status"]
    );
}

#[test]
fn all_bad_tags_are_diagnostics_with_their_place() {
    let mut idl = replication_controller();
    let root = idl.schema.lookup(&format!("{PACKAGE}.ReplicationController")).expect("the root exists");
    idl.types[root.0 as usize].fields[0].tags =
        lines(&["k8s:minimum=x", "k8s:maximum= 1", "k8s:subfield(nope)=+k8s:optional", "k8s:alpha=+k8s:enum"]);
    let root = format!("{PACKAGE}.ReplicationController");
    let diagnostics = Declarative::compile(&idl, &root, &CompileSettings::default()).expect_err("four bad tags");
    assert_eq!(diagnostics.len(), 4, "{diagnostics:?}");
    assert!(diagnostics.iter().all(|diagnostic| diagnostic.to_string().starts_with("types.go:7:")));
}
