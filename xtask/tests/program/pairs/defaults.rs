//! Defaults of an external program and of a live server, compared with those of this program.

use super::http::{Reply, Request, serve};
use super::lab::{Lab, WIDGET, has_python};
use serde_json::{Value, json};
use std::fs;
use std::sync::Arc;

/// A folder with the types that `docs/defaults.md` shows, and a program that sets their defaults.
pub(super) fn lab() -> Lab {
    let page = include_str!("../../../../docs/defaults.md").replace("\r\n", "\n");
    let types = page.split("```").find_map(|block| block.strip_prefix("go\n")).unwrap();
    let lab = Lab::new();
    fs::create_dir_all(lab.path("shop/v1")).unwrap();
    lab.write("shop/v1/types.go", types);
    lab.write("defaulter.py", include_str!("defaulter.py"));
    lab
}

/// Why the values differ, by the findings of a run.
pub(super) fn causes(lab: &Lab, run: &str) -> Vec<Value> {
    lab.findings(run).iter().map(|of| of["signature"]["cause"].clone()).collect()
}

/// What the findings of a run are about: how the values differ, and where.
pub(super) fn differences(lab: &Lab, run: &str) -> Vec<String> {
    let of = |finding: &Value| {
        let [direction, path] =
            ["direction", "path"].map(|name| finding["signature"][name].as_str().unwrap().to_owned());
        format!("{direction} {path}")
    };
    lab.findings(run).iter().map(of).collect()
}

#[test]
fn a_program_that_sets_defaults_is_compared_with_the_markers_of_go_types() {
    if !has_python() {
        return;
    }
    let lab = lab();
    let soak = |reference: &str, run: &str| {
        let pair = ["--types", "shop", "--kind", WIDGET, "--reference", reference, "--candidate", "defaults markers"];
        lab.run(&[&["soak", "--seed", "1", "--cases", "600", "--out", run][..], &pair].concat())
    };
    let ran = soak("exec python3 defaulter.py", "sound");
    assert_eq!(ran.code, 0, "{}", ran.said());
    let report = lab.json("sound/report.json");
    let of = |name: &str| report["subjects"][0]["totals"][name].as_u64().unwrap();
    assert!(of("agreedReject") > 100 && of("disagreed") == 0, "{}", report["subjects"][0]["totals"]);
    let ran = soak("exec python3 defaulter.py replaces", "wrong");
    assert_eq!(ran.code, 1, "{}", ran.said());
    assert_eq!(differences(&lab, "wrong"), ["differs spec.public"], "{}", ran.said());
    assert_eq!(causes(&lab, "wrong"), ["defaults-zero"]);
    let ran = soak("exec python3 defaulter.py forgets-null", "null");
    assert_eq!(ran.code, 1, "{}", ran.said());
    assert_eq!(differences(&lab, "null"), ["differs spec.public"], "{}", ran.said());
    assert_eq!(causes(&lab, "null"), ["defaults-null"]);
    let report = lab.run(&["report", "wrong", "--format", "markdown"]).stdout;
    assert!(report.starts_with("## Do both sides make the same objects?\n"), "{report}");
    assert!(!report.contains("only the wording changes"), "{report}");
}

#[test]
fn a_field_of_objects_is_explained_by_what_both_sides_make_of_it() {
    if !has_python() {
        return;
    }
    let lab = lab();
    let explain = |field: &str| {
        let reference = "exec python3 defaulter.py replaces";
        let pair = ["--types", "shop", "--kind", WIDGET, "--reference", reference, "--candidate", "defaults markers"];
        lab.run(&[&["explain", field][..], &pair].concat())
    };
    let ran = explain("spec.public");
    assert_eq!(ran.code, 0, "{}", ran.said());
    for said in [
        "\n  default true, which it gets where it is unset\n",
        "  both sides make the same of this field in ",
        ", and differ in ",
        "    new {\"apiVersion\":\"shop.example.com/v1\",\"kind\":\"Widget\",\"spec\":{\"public\":false",
        "    the reference: sets spec.public to true\n",
        "    the candidate: sets spec.public to false\n",
    ] {
        assert!(ran.stdout.contains(said), "{said}: {}", ran.stdout);
    }
    let same = explain("spec.replicas").stdout;
    assert!(same.contains("both sides make the same of this field in all "), "{same}");
    assert!(!same.contains("Accepted") && !same.contains("no rule on this field"), "{same}");
}

#[test]
fn a_default_of_own_types_is_explained_without_a_run() {
    let lab = lab();
    for (arguments, said) in [
        (&["spec.replicas"][..], "spec.replicas beta default=1\n"),
        (&["spec.replicas", "--kind", "Widget"], "spec.replicas beta default=1\n"),
        (&["what is set is kept"], "what is set is kept\n"),
    ] {
        let ran = lab.run(&[&["explain", "--types", "shop"], arguments].concat());
        assert!(ran.code == 0 && ran.stdout.contains(said), "{arguments:?}: {}", ran.said());
        assert!(ran.stdout.contains("shop.example.com/v1 Widget#defaults"), "{}", ran.stdout);
    }
    let unknown = lab.run(&["explain", "--types", "shop", "spec.replicas", "--kind", "Gadget"]);
    assert!(unknown.code == 2 && unknown.stderr.contains("unknown kind `Gadget`"), "{}", unknown.said());
}

#[test]
fn defaults_of_a_crd_that_its_rules_reject_together_break_a_law() {
    let lab = Lab::new();
    let more = "x-kubernetes-validations: [{rule: self.size <= self.limit}]\n            required: [name]\n            properties:\n              \
                name: {type: string}\n              limit: {type: integer, default: 5}\n              \
                one: {type: object, properties: {p: {type: string, default: q}, r: {type: string, default: s}}, \
                oneOf: [{required: [p]}, {required: [r]}]}\n              size: {type: integer, format: int32, default: 9}";
    lab.write("widget.yaml", &CRD.replace("SPEC", more));
    let ran = lab.run(&[
        "soak",
        "--what",
        "defaults",
        "--crd",
        "widget.yaml",
        "--cases",
        "600",
        "--seed",
        "7",
        "--out",
        "run",
    ]);
    assert_eq!(ran.code, 1, "{}", ran.said());
    let found = differences(&lab, "run");
    let of = |field: &str| format!("extra {field}");
    assert_eq!(found.len(), 4, "{found:?} {}", ran.said());
    for field in ["spec.limit", "spec.size", "spec.one.p", "spec.one.r"] {
        assert!(found.contains(&of(field)), "{field}: {found:?}");
    }
    let explained = lab.run(&["explain", "spec.size", "--crd", "widget.yaml"]).stdout;
    assert!(explained.contains("\n  default 9, which it gets where it is unset\n"), "{explained}");
}

#[test]
fn the_default_of_items_is_explained_at_the_list_and_at_the_items() {
    let lab = lab();
    let list = "properties:\n              names: {type: array, items: {type: string, default: a}}\n              \
                counts: {type: object, additionalProperties: {type: integer, default: 1}}";
    lab.write("widget.yaml", &CRD.replace("SPEC", list));
    let source = "// +groupName=shop.example.com\npackage v1\n\nimport metav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n\n\
                  type Box struct {\n\tmetav1.TypeMeta `json:\",inline\"`\n\tNames []Name `json:\"names,omitempty\"`\n\
                  \tCounts map[string]Count `json:\"counts,omitempty\"`\n}\n\n\
                  // +default=\"a\"\ntype Name string\n\n// +default=1\ntype Count int32\n";
    fs::create_dir_all(lab.path("box/v1")).unwrap();
    lab.write("box/v1/types.go", source);
    let explain = |field: &str, more: &[&str]| lab.run(&[&["explain", field], more].concat());
    let go = [
        "--types",
        "box",
        "--kind",
        "shop.example.com/v1 Box",
        "--reference",
        "defaults markers",
        "--candidate",
        "defaults markers",
    ];
    for (prefix, flags) in [("spec.", &["--crd", "widget.yaml"][..]), ("", &go)] {
        for (field, said) in [
            ("names", "default \"a\" of each entry, which gets it where it is null"),
            ("names[*]", "default \"a\", which it gets where it is null"),
            ("counts", "default 1 of each entry, which gets it where it is null"),
            ("counts[*]", "default 1, which it gets where it is null"),
        ] {
            let ran = explain(&format!("{prefix}{field}"), flags);
            assert!(ran.code == 0 && ran.stdout.contains(&format!("\n  {said}\n")), "{prefix}{field}: {}", ran.said());
        }
    }
}

/// A CRD whose `spec` is to be told.
const CRD: &str = "\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.shop.example.com}
spec:
  group: shop.example.com
  scope: Namespaced
  names: {plural: widgets, singular: widget, kind: Widget, listKind: WidgetList}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            SPEC
";

const KUBECONFIG: &str = "clusters: [{name: c, cluster: {server: \"URL\"}}]\nusers: [{name: u, user: {}}]\n\
                          contexts: [{name: dev, context: {cluster: c, user: u}}]\n";

/// A CRD with defaults: one of a scalar, and one in the items of a list. It has a status, which no create brings.
fn crd() -> String {
    let spec = "size: {type: integer, format: int32, maximum: 100, default: 3}\n              \
                parts: {type: array, items: {type: object, properties: {weight: {type: integer, default: 1}}}}";
    let status = "properties:\n          status: {type: object, properties: {ready: {type: boolean}}}\n          spec:";
    include_str!("widget.yaml")
        .replace("size: {type: integer, format: int32}", spec)
        .replacen("properties:\n          spec:", status, 1)
        .replacen("    schema:", "    subresources: {status: {}}\n    schema:", 1)
}

/// Drops nulls, which are no values of the CRD.
fn drop_nulls(value: &mut Value) {
    if let Value::Object(members) = value {
        members.retain(|_, value| !value.is_null());
    }
    let (items, members) = match value {
        Value::Array(items) => (Some(items), None),
        Value::Object(members) => (None, Some(members)),
        _ => return,
    };
    items.into_iter().flatten().for_each(drop_nulls);
    members.into_iter().flat_map(|members| members.values_mut()).for_each(drop_nulls);
}

/// A server that stores nothing. It sets the defaults of the CRD, but for those in items if it is told so.
fn answer(forgets_items: &bool, request: &Request) -> Reply {
    let (path, query) = request.target.split_once('?').unwrap_or((&request.target, ""));
    let mut object: Value = serde_json::from_slice(&request.body).unwrap_or_default();
    match (request.method.as_str(), path) {
        ("GET", "/apis/shop.example.com/v1") => {
            let widgets = json!({"name": "widgets", "kind": "Widget", "namespaced": true, "verbs": ["create"]});
            (200, json!({"kind": "APIResourceList", "resources": [widgets]}))
        }
        ("POST", _) if query.contains("dryRun=All") || path == "/api/v1/namespaces" => {
            // What it rejects, it makes no object of.
            if object["spec"]["size"].as_i64().is_some_and(|size| size > 100) {
                return (
                    422,
                    json!({"kind": "Status", "status": "Failure", "reason": "Invalid", "code": 422,
                    "message": "Widget is invalid", "details": {"causes": [{"reason": "FieldValueInvalid", "field": "spec.size"}]}}),
                );
            }
            drop_nulls(&mut object);
            if let Some(metadata) = object["metadata"].as_object_mut() {
                let is_empty = |value: &Value| value.as_object().is_some_and(|it| it.is_empty()) || *value == json!([]);
                metadata.retain(|_, value| !is_empty(value));
            }
            if let Some(object) = object.as_object_mut() {
                object.remove("status");
            }
            object["metadata"]["uid"] = json!("1");
            object["metadata"]["creationTimestamp"] = json!("2026-11-27T00:00:00Z");
            object["metadata"]["managedFields"] = json!([{"manager": "takeover"}]);
            if let Some(spec) = object.get_mut("spec").and_then(Value::as_object_mut) {
                if spec.get("size").is_none_or(Value::is_null) {
                    spec.insert("size".to_owned(), json!(3));
                }
                for part in spec.get_mut("parts").and_then(Value::as_array_mut).into_iter().flatten() {
                    let is_unset = part.get("weight").is_none_or(Value::is_null);
                    if let Some(part) = part.as_object_mut().filter(|_| is_unset && !forgets_items) {
                        part.insert("weight".to_owned(), json!(1));
                    }
                }
            }
            (201, object)
        }
        _ => (200, json!({"metadata": {"uid": "1"}})),
    }
}

#[test]
fn the_object_that_a_live_server_would_store_is_compared_with_the_defaults_of_a_crd() {
    let lab = Lab::new();
    lab.write("widget.yaml", &crd());
    let soak = |forgets_items: bool, run: &str| {
        let url = serve(&Arc::new(forgets_items), answer);
        lab.write("takeover.toml",
            "[[pair]]\nname = \"live\"\napiVersion = \"shop.example.com/v1\"\nkind = \"Widget\"\ntypes = \"widget.yaml\"\n\
             reference = { server = \"kubeconfig\", context = \"dev\", rate = 5000, answers = \"object\" }\n\
             candidate = { defaults = \"crd\" }\n",
        );
        lab.write("kubeconfig", &KUBECONFIG.replace("URL", &url));
        lab.run(&["soak", "--seed", "1", "--cases", "1000", "--out", run])
    };
    let ran = soak(false, "sound");
    assert_eq!(ran.code, 0, "{}", ran.said());
    let report = lab.json("sound/report.json");
    let of = |name: &str| report["subjects"][0]["totals"][name].as_u64().unwrap();
    assert!(of("agreedReject") > 20 && of("incomparable") > 0, "{}", report["subjects"][0]["totals"]);
    let ran = soak(true, "wrong");
    assert_eq!(ran.code, 1, "{}", ran.said());
    assert_eq!(differences(&lab, "wrong"), ["extra spec.parts[*].weight"; 2], "{}", ran.said());
    assert_eq!(causes(&lab, "wrong"), ["not-defaulted", "defaults-null"]);
}

#[test]
fn code_is_compared_with_markers_object_by_object_also_of_a_kind_that_nothing_validates() {
    let lab = Lab::new();
    let pair = ["--kind", "v1 Pod", "--reference", "defaults builtin", "--candidate", "defaults markers"];
    let ran = lab.run(&[&["soak", "--seed", "1", "--cases", "200", "--out", "run"][..], &pair].concat());
    assert_eq!(ran.code, 1, "{}", ran.said());
    let found = differences(&lab, "run");
    assert!(found.contains(&"missing spec.restartPolicy".to_owned()), "{found:?}");
    assert!(!found.iter().any(|of| of.ends_with("ports[*].protocol")), "both set it: {found:?}");
    assert!(ran.stdout.contains("only the reference: "), "{}", ran.said());
}

#[test]
fn go_types_have_the_defaults_of_a_custom_resource_by_the_schema_that_they_publish() {
    if !has_python() {
        return;
    }
    let lab = lab();
    let published = lab.run(&["apply", "generate", "shop", "--kind", "Widget", "--form", "published"]);
    assert_eq!(published.code, 0, "{}", published.said());
    lab.write("shop.json", &published.stdout);
    let program = "exec python3 defaulter.py";
    let pair = ["--types", "shop.json", "--kind", WIDGET, "--reference", program, "--candidate", "defaults crd"];
    let ran = lab.run(&[&["soak", "--seed", "1", "--cases", "800", "--out", "run"][..], &pair].concat());
    assert_eq!(ran.code, 1, "{}", ran.said());
    let found: Vec<(String, Value)> = differences(&lab, "run").into_iter().zip(causes(&lab, "run")).collect();
    // A zero that is sent is a value in a custom resource, and unset in Go.
    for field in ["spec.replicas", "spec.strategy", "spec.ports[*].protocol"] {
        assert!(found.contains(&(format!("differs {field}"), json!("defaults-zero"))), "{field}: {found:?}");
    }
    assert!(!found.iter().any(|(of, _)| of.ends_with("spec.public")), "{found:?}");
}

#[test]
fn what_sets_no_defaults_is_refused_with_the_reason() {
    let lab = lab();
    for (types, source, said) in [
        ("shop", "crd", "needs `types` that are a CustomResourceDefinition"),
        ("shop", "builtin", "the defaults of `shop.example.com/v1 Widget` are not built in"),
        ("widget.yaml", "markers", "the types have no markers"),
        ("shop", "markers", "does not answer with objects"),
        ("shop", "tags", "defaults builtin|markers|crd"),
    ] {
        let reference = format!("defaults {source}");
        let other = if said.contains("objects") { "tags" } else { "exec true" };
        let pair = ["--types", types, "--kind", WIDGET, "--reference", &reference, "--candidate", other];
        let ran = lab.run(&[&["soak", "--seed", "1", "--cases", "1"][..], &pair].concat());
        assert!(ran.code == 2 && ran.stderr.contains(said), "{source}: {}", ran.said());
    }
}

/// The laws of one run of a CRD: those that hold, and the fields of findings.
fn laws(lab: &Lab, what: &str) -> (i32, String, Vec<String>) {
    let ran =
        lab.run(&["soak", "--what", what, "--crd", "widget.yaml", "--seed", "1", "--cases", "400", "--out", what]);
    assert!(matches!(ran.code, 0 | 1), "{}", ran.said());
    (ran.code, ran.stdout, differences(lab, what))
}

#[test]
fn a_crd_is_held_to_the_laws_of_defaulting_and_of_apply() {
    let lab = Lab::new();
    lab.write("widget.yaml", &crd());
    let (code, screen, found) = laws(&lab, "defaults");
    assert_eq!((code, found), (0, Vec::new()), "{screen}");
    assert!(screen.starts_with("No code sets 2 defaults: only the laws of defaulting are tried.\n"), "{screen}");
    let later = "defaulting after admission and on reads sets the same";
    for (asked, said) in [
        (
            &["explain", later, "--crd", "widget.yaml"][..],
            " objects, none breaks the law\n  one that keeps the law\n    new {",
        ),
        (&["explain", later, "--run", "defaults"], "\nEvidence: READY\n"),
        (&["bench", "--crd", "widget.yaml", "--for", "1s"], "default objects without defaults"),
    ] {
        let ran = lab.run(asked);
        assert!(ran.code == 0 && ran.stdout.contains(said), "{asked:?}: {}", ran.said());
    }
    let (_, screen, found) = laws(&lab, "apply");
    let summary = &lab.json("apply/report.json")["summary"]["laws"];
    assert_eq!(summary["all"], 6, "{screen}");
    // A default in the items of an atomic list is extracted as if the manager had applied it.
    assert!(found.contains(&"extra spec.parts[*].weight".to_owned()), "{found:?}: {screen}");
    let causes = causes(&lab, "apply");
    assert!(causes.iter().any(|cause| cause == "atomic-default"), "{causes:?}: {screen}");
    assert!(causes.iter().all(|cause| cause != "breaks-law"), "{causes:?}: {screen}");
    // A default that the schema rejects.
    lab.write("widget.yaml", &crd().replace("default: 3", "default: 300"));
    let ran = lab.run(&[
        "soak",
        "--what",
        "defaults",
        "--crd",
        "widget.yaml",
        "--cases",
        "400",
        "--seed",
        "1",
        "--out",
        "bad",
    ]);
    assert!(ran.code != 0, "{}", ran.said());
    lab.write("bare.yaml", include_str!("widget.yaml"));
    let ran = lab.run(&["soak", "--what", "defaults", "--crd", "bare.yaml", "--cases", "1"]);
    assert!(ran.code == 2 && ran.stderr.contains("the schema has no defaults"), "{}", ran.said());
}
