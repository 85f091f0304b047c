//! A small hand-made type graph, with hand-made rules and recorded objects.

use serde_json::{Value, json};
use std::sync::Arc;
use takeover_corpora::generate::{GeneratedCase, Generator, GeneratorSettings};
use takeover_harness::rule::{Boundary, Rule, RuleId, Sample, Unreachable};
use takeover_harness::schema::{Field, Kind, Presence, Schema, Struct, TypeId, WellKnown};
use takeover_harness::subject::SubjectId;

pub(crate) fn field(json_name: &str, ty: TypeId, omit_empty: bool) -> Field {
    let presence = if json_name.is_empty() { Presence::Inlined } else { Presence::Named };
    Field { go_name: "Field".into(), json_name: json_name.into(), ty, presence, omit_empty, default: None }
}

/// A set of things: `metadata`, `spec {replicas *int32, mode Mode, sizes []Size, limits map[string]Quantity, when Time,
/// source *Source (a union of two), parent *Spec}`.
pub(crate) fn schema() -> (Arc<Schema>, TypeId) {
    let mut schema = Schema::new();
    let text = schema.add("string", Kind::Text);
    let int32 = schema.add("int32", Kind::Int { bits: 32, signed: true });
    let int_pointer = schema.add("*int32", Kind::Pointer(int32));
    let labels = schema.add("map[string]string", Kind::Map { key: text, value: text });
    let texts = schema.add("[]string", Kind::List(text));
    let quantity = schema.add("Quantity", Kind::WellKnown(WellKnown::Quantity));
    let limits = schema.add("map[string]Quantity", Kind::Map { key: text, value: quantity });
    let time = schema.add("Time", Kind::WellKnown(WellKnown::Time));
    let owner =
        schema.add("Owner", Kind::Struct(Struct::new(vec![field("name", text, false), field("uid", text, false)])));
    let owners = schema.add("[]Owner", Kind::List(owner));
    let type_meta = schema
        .add("TypeMeta", Kind::Struct(Struct::new(vec![field("kind", text, true), field("apiVersion", text, true)])));
    let object_meta = schema.add(
        "ObjectMeta",
        Kind::Struct(Struct::new(vec![
            field("name", text, true),
            field("generateName", text, true),
            field("namespace", text, true),
            field("resourceVersion", text, true),
            field("labels", labels, true),
            field("annotations", labels, true),
            field("finalizers", texts, true),
            field("ownerReferences", owners, true),
        ])),
    );
    let mode = schema.add("Mode", Kind::Named(text));
    let size =
        schema.add("Size", Kind::Struct(Struct::new(vec![field("name", text, false), field("count", int32, false)])));
    let sizes = schema.add("[]Size", Kind::List(size));
    let source = schema.add(
        "Source",
        Kind::Struct(Struct::new(vec![field("file", text, true), field("url", text, true), field("note", text, true)])),
    );
    let source_pointer = schema.add("*Source", Kind::Pointer(source));
    let spec = schema.add("Spec", Kind::Unresolved);
    let parent = schema.add("*Spec", Kind::Pointer(spec));
    schema.define(
        spec,
        Kind::Struct(Struct::new(vec![
            field("replicas", int_pointer, true),
            field("mode", mode, true),
            field("sizes", sizes, true),
            field("limits", limits, true),
            field("when", time, true),
            field("source", source_pointer, true),
            field("parent", parent, true),
            field("scratch", labels, true),
        ])),
    );
    let root = schema.add(
        "Set",
        Kind::Struct(Struct::new(vec![
            field("", type_meta, false),
            field("metadata", object_meta, true),
            field("spec", spec, true),
        ])),
    );
    schema.link();
    (Arc::new(schema), root)
}

pub(crate) fn rule(
    id: u32,
    path: &str,
    chain: &str,
    update_only: bool,
    boundaries: &[(&str, bool, Option<Value>)],
) -> Rule {
    Rule {
        update_only,
        boundaries: boundaries
            .iter()
            .map(|(class, breaks, sample)| Boundary {
                class: (*class).to_owned(),
                breaks: *breaks,
                sample: sample.clone().map_or(Sample::Absent, Sample::Value),
                options: Vec::new(),
            })
            .collect(),
        ..Rule::new(RuleId(id), path, chain)
    }
}

pub(crate) fn rules() -> Vec<Rule> {
    let mut rules = vec![
        rule(
            0,
            "spec.replicas",
            "minimum=0",
            false,
            &[
                ("below", true, Some(json!(-1))),
                ("on", false, Some(json!(0))),
                ("above", false, Some(json!(1))),
                ("far below", true, Some(json!(i32::MIN))),
            ],
        ),
        rule(1, "spec.replicas", "required", false, &[("unset", true, None), ("set", false, Some(json!(1)))]),
        rule(
            2,
            "spec.mode",
            "enum",
            false,
            &[("first", false, Some(json!("Fast"))), ("unknown", true, Some(json!("Odd")))],
        ),
        rule(
            3,
            "spec.sizes[*].count",
            "maximum=9",
            false,
            &[("on", false, Some(json!(9))), ("above", true, Some(json!(10)))],
        ),
        rule(
            4,
            "metadata.name",
            "immutable",
            true,
            &[("one", true, Some(json!("one"))), ("two", true, Some(json!("two"))), ("unset", true, None)],
        ),
        rule(
            5,
            "spec.source",
            "unionMember",
            false,
            &[
                ("none", true, Some(json!({}))),
                ("file", false, Some(json!({"file": "f"}))),
                ("url", false, Some(json!({"url": "u"}))),
                ("both", true, Some(json!({"file": "f", "url": "u"}))),
            ],
        ),
        rule(
            6,
            "metadata.labels",
            "eachKey=format=k8s-label-key",
            false,
            &[("good", false, Some(json!("a/b"))), ("bad", true, Some(json!("-a")))],
        ),
        rule(7, "spec.limits[*]", "eachVal=required", false, &[("zero", true, Some(json!("0")))]),
        rule(8, "spec.nowhere", "required", false, &[("unset", true, None)]),
        rule(9, "metadata.finalizers", "maxItems=1", false, &[("above", true, Some(json!(["a/b", "a/c"])))]),
    ];
    rules[2].options = vec![("Fast".to_owned(), true)];
    rules[2].unreachable = vec![Unreachable::new("empty", "stopped by `required`")];
    rules
}

pub(crate) fn recorded() -> Vec<Value> {
    vec![
        json!({"metadata": {"name": "web", "namespace": "shop", "labels": {"app": "web"}},
            "spec": {"replicas": 3, "mode": "Slow", "sizes": [{"name": "a", "count": 1}, {"name": "b", "count": 2}], "limits": {"cpu": "1"},
                     "source": {"file": "x", "note": "kept"}, "scratch": {"a": "b"}}}),
        json!({"metadata": {"name": "db", "namespace": "shop"}, "spec": {"replicas": 0, "mode": "Fast"}}),
    ]
}

pub(crate) fn settings() -> GeneratorSettings {
    let mut settings = GeneratorSettings::new(SubjectId::new("example.com/v1", "Set"), 7);
    settings.chunk_size = 100;
    settings
}

pub(crate) fn generator(recorded: Vec<Value>) -> Generator {
    let (schema, root) = schema();
    Generator::new(schema, root, &rules(), recorded, settings())
}

pub(crate) fn objects(generated: &GeneratedCase) -> (Value, Option<Value>) {
    (generated.case.object.to_value().unwrap(), generated.case.old.as_ref().map(|old| old.to_value().unwrap()))
}

pub(crate) fn first(generator: &Generator, count: u64) -> Vec<GeneratedCase<'static>> {
    (0..count.div_ceil(100))
        .flat_map(|number| generator.chunk(number, 5))
        .take(usize::try_from(count).unwrap())
        .collect()
}

pub(crate) fn share(cases: &[GeneratedCase], holds: impl Fn(&GeneratedCase) -> bool) -> f64 {
    let count = |n: usize| f64::from(u32::try_from(n).unwrap());
    count(cases.iter().filter(|case| holds(case)).count()) / count(cases.len())
}
