//! `apply`: what it generates compiles, keeps what is set, and is what the program prints.

use assert_cmd::Command;
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

#[path = "../apply/widget.rs"]
#[rustfmt::skip]
#[expect(dead_code, unreachable_pub, reason = "what is generated serves other crates")]
mod widget;

use widget::{IteratorType, Names, ObjectMeta, OptionType, Port, Schema, VecType, Widget, WidgetSpec, WidgetStatus};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Exit code, standard output, standard error.
fn run(folder: &Path, arguments: &[&str]) -> (i32, String, String) {
    let mut command = Command::cargo_bin("takeover").unwrap();
    let output = command.current_dir(folder).env_remove("CARGO").args(arguments).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

const TYPES: &str = "xtask/tests/apply/v1";

#[test]
fn the_checked_in_module_is_what_is_generated_and_rustfmt_leaves_it_alone() {
    let (code, printed, said) = run(&root(), &["apply", "generate", TYPES, "--kind", "Widget"]);
    assert_eq!(code, 0, "{said}");
    let checked_in = root().join("xtask/tests/apply/widget.rs");
    if std::env::var_os("UPDATE").is_some() {
        fs::write(&checked_in, &printed).unwrap();
    }
    assert_eq!(printed, fs::read_to_string(&checked_in).unwrap(), "UPDATE=1 writes it");
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("widget.rs");
    fs::write(&file, &printed).unwrap();
    fs::write(folder.path().join("rustfmt.toml"), "").unwrap();
    let mut rustfmt = Command::new("rustfmt");
    rustfmt.args(["--edition", "2024", "--check"]).arg(&file).assert().success();
}

#[test]
fn the_schema_of_go_types_is_published_with_defaults_and_unions() {
    let of = |arguments: &[&str]| {
        let (code, printed, said) = run(&root(), &[&["apply", "generate"], arguments].concat());
        assert_eq!(code, 0, "{said}");
        serde_json::from_str::<Value>(&printed).unwrap()["components"]["schemas"].clone()
    };
    let widget = of(&[TYPES, "--kind", "Widget", "--form", "published"]);
    let named = |schemas: &Value, name: &str| {
        let found =
            schemas.as_object().unwrap().iter().find(|(of, _)| of.ends_with(name)).map(|(_, schema)| schema.clone());
        found.unwrap_or_default()
    };
    let spec = named(&widget, ".WidgetSpec");
    assert_eq!(spec["properties"]["replicas"]["default"], 0);
    assert_eq!(spec["properties"]["maxSize"].get("default"), None);
    assert_eq!(spec["required"], json!(["type", "replicas", "paused"]));
    assert_eq!(spec["properties"]["zones"]["x-kubernetes-list-type"], "set");
    assert!(named(&widget, ".ObjectMeta")["properties"].get("managedFields").is_some());
    let trigger = of(&["xtask/tests/skew/v2", "--kind", "Trigger", "--form", "published", "--no-defaults"]);
    let members = &named(&trigger, ".Trigger")["properties"]["kind"]["x-kubernetes-unions"]["fieldMembers"];
    assert_eq!(members["Cron"], json!({"name": "cron", "optional": false}), "{trigger}");
    assert!(!trigger.to_string().contains("\"default\""));
    let folder = TempDir::new().unwrap();
    let out = folder.path().to_str().unwrap();
    let (code, ..) = run(&root(), &["apply", "generate", TYPES, "--form", "published", "-o", out]);
    assert!(code == 0 && folder.path().join("openapi.json").is_file());
    for (arguments, said) in [
        (&["xtask/tests/skew", "--kind", "Nothing", "--form", "published"][..], "no kind is named `Nothing`"),
        (&["xtask/tests/program/pairs/widget.yaml", "--form", "published"], "has no Go types"),
        (&[TYPES, "--no-defaults"], "--no-defaults needs --form published"),
    ] {
        let (code, _, stderr) = run(&root(), &[&["apply", "generate"], arguments].concat());
        assert!(code == 2 && stderr.contains(said), "{arguments:?}: {stderr}");
    }
}

/// Every member once, and every shape.
fn whole() -> Value {
    json!({
        "apiVersion": "shop.example.com/v1", "kind": "Widget",
        "metadata": {"name": "one", "namespace": "shop", "labels": {"a": ""}, "finalizers": []},
        "spec": {
            "hostPID": false, "type": "", "replicas": 0, "paused": false, "self": "s", "maxSize": -1, "max-size": 255,
            "ratio": 0.5, "ports": [{"containerPort": 0}, {"containerPort": 80, "protocol": "TCP"}], "zones": [],
            "selector": {}, "limits": {"cpu": "1"}, "target": 8080, "caBundle": "YQ==", "since": "2026-01-01T00:00:00Z",
            "raw": {"any": [null]}, "schema": {"$ref": "#", "not": {"not": {}}, "allOf": [{}], "of": {"x": {}}},
            "option": {}, "names": {"vec": [{}], "iterator": {"a": {}}}, "quoted": "1", "requiredDuringSchedulingIgnoredDuringExecutionForEver": [{}],
        },
        "status": {"ready": 0},
    })
}

#[test]
fn builders_set_fields_and_nothing_else_is_sent() {
    assert_eq!(serde_json::to_value(WidgetSpec::new()).unwrap(), json!({}));
    let named = json!({"apiVersion": "shop.example.com/v1", "kind": "Widget", "metadata": {"name": "one"}});
    assert_eq!(serde_json::to_value(Widget::new("one")).unwrap(), named);
    let port = |number: i32| Port::new().with_container_port(number);
    let not = Schema::new().with_not(Schema::new());
    let spec = WidgetSpec::new()
        .with_host_pid(false)
        .with_type("")
        .with_replicas(0)
        .with_paused(false)
        .with_field_self("s")
        .with_max_size(-1)
        .with_max_size_(255)
        .with_ratio(0.5)
        .with_ports([port(0)])
        .with_ports([port(80).with_protocol("TCP")])
        .with_zones([] as [&str; 0])
        .with_selector([] as [(&str, &str); 0])
        .with_limits([("cpu", "1")])
        .with_target(8080)
        .with_ca_bundle("YQ==")
        .with_since("2026-01-01T00:00:00Z")
        .with_raw(json!({"any": [null]}))
        .with_schema(
            Schema::new().with_ref("#").with_not(not).with_all_of([Schema::new()]).with_of([("x", Schema::new())]),
        )
        .with_option(OptionType::new())
        .with_names(Names::new().with_vec([VecType::new()]).with_iterator([("a", IteratorType::new())]))
        .with_quoted("1")
        .with_required_during_scheduling_ignored_during_execution_for_ever([Port::new()]);
    let metadata = ObjectMeta::new().with_name("one").with_labels([("a", "")]).with_finalizers([] as [&str; 0]);
    let widget = Widget::new("other").with_metadata(metadata).with_namespace("shop").with_spec(spec);
    let widget = widget.with_status(WidgetStatus::new().with_ready(0));
    assert_eq!(serde_json::to_value(&widget).unwrap(), whole());
    assert_eq!(serde_json::from_value::<Widget>(whole()).unwrap(), widget);
}

#[test]
fn null_is_absent_and_what_only_servers_write_is_left_out() {
    let object = json!({"metadata": {"name": "one", "managedFields": [], "selfLink": "x"}, "spec": {"type": null}});
    let widget: Widget = serde_json::from_value(object).unwrap();
    assert_eq!(serde_json::to_value(widget).unwrap(), json!({"metadata": {"name": "one"}, "spec": {}}));
}

#[test]
fn the_openapi_form_has_lists_and_maps_as_they_merge_and_is_read_back() {
    let (code, printed, said) = run(&root(), &["apply", "generate", TYPES, "--form", "schema"]);
    assert_eq!(code, 0, "{said}");
    let document: Value = serde_json::from_str(&printed).unwrap();
    let spec = &document["components"]["schemas"]["local.module.v1.WidgetSpec"];
    assert!(spec.get("required").is_none(), "{spec}");
    assert_eq!(spec["properties"]["ports"]["x-kubernetes-list-map-keys"], json!(["containerPort", "protocol"]));
    assert_eq!(spec["properties"]["zones"]["x-kubernetes-list-type"], "set");
    assert_eq!(spec["properties"]["selector"]["x-kubernetes-map-type"], "atomic");
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("openapi.json"), &printed).unwrap();
    let (code, printed, said) = run(folder.path(), &["apply", "generate", "openapi.json"]);
    assert_eq!(code, 0, "{said}");
    for line in [
        "pub fn with_zones(mut self, items: impl IntoIterator<Item = impl Into<String>>) -> Self {",
        "pub struct Port {",
    ] {
        assert!(printed.contains(line), "{line}\n{printed}");
    }
}

const CRD: &str = "\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: gadgets.shop.example.com}
spec:
  group: shop.example.com
  scope: Namespaced
  names: {plural: gadgets, singular: gadget, kind: Gadget}
  versions:
    - &version
      name: v1
      served: true
      storage: true
      schema:
        openAPIV3Schema:
          type: object
          required: [spec]
          properties:
            spec:
              type: object
              required: [size]
              properties:
                size: {type: integer, default: 1}
                parts: {type: array, x-kubernetes-list-type: set, items: {type: string}}
                options:
                  type: object
                  x-kubernetes-preserve-unknown-fields: true
                  properties: {others: {type: boolean}}
    - {name: v1beta1, served: true, storage: false, schema: {openAPIV3Schema: {type: object}}}
";

#[test]
fn crds_with_several_versions_become_a_file_each() {
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("crd.yaml"), CRD.replace("&version\n      ", "")).unwrap();
    let (code, _, said) = run(folder.path(), &["apply", "generate", "crd.yaml"]);
    assert!(code == 2 && said.contains("2 versions"), "{said}");
    let (code, _, said) = run(folder.path(), &["apply", "generate", "crd.yaml", "-o", "made"]);
    assert_eq!(code, 0, "{said}");
    let read = |name: &str| fs::read_to_string(folder.path().join("made").join(name)).unwrap();
    assert!(read("mod.rs").contains("pub mod shop_example_com_v1;\npub mod shop_example_com_v1beta1;\n"));
    assert!(read("shop_example_com_v1.rs").contains("pub fn with_size(mut self, value: i64) -> Self {"));
    let options = read("shop_example_com_v1.rs");
    for line in [
        "    /// `others`.\n    #[serde(skip_serializing_if = \"Option::is_none\")]\n    pub others: Option<bool>,\n",
        "    #[serde(flatten)]\n    pub others_: BTreeMap<String, serde_json::Value>,\n",
        "    pub fn with_others_(\n        mut self,\n        entries: impl IntoIterator",
    ] {
        assert!(options.contains(line), "{line}\n{options}");
    }
    let one = ["apply", "generate", "crd.yaml", "--kind", "shop.example.com/v1 Gadget", "--form", "schema"];
    let (code, printed, _) = run(folder.path(), &one);
    let document: Value = serde_json::from_str(&printed).unwrap();
    let spec = &document["components"]["schemas"]["com.example.shop.v1.GadgetSpec"];
    assert_eq!((code, &spec["properties"]["parts"]["x-kubernetes-list-type"]), (0, &json!("set")));
    let options = &document["components"]["schemas"]["com.example.shop.v1.GadgetSpecOptions"];
    assert_eq!(options["x-kubernetes-preserve-unknown-fields"], json!(true));
    assert!(spec.get("required").is_none() && spec["properties"]["size"].get("default").is_none(), "{spec}");
}

#[test]
fn what_cannot_be_generated_is_named() {
    for (arguments, code, part) in [
        (vec!["apply", "generate", "no/such"], 2, "no/such"),
        (vec!["apply", "generate", TYPES, "--kind", "Gadget"], 2, "no kind is named `Gadget`"),
        (vec!["apply", "generate", "xtask/tests/skew/v1"], 3, "declare no kind"),
        (vec!["apply", "zeroes", "no/such"], 2, "no/such"),
        (vec!["apply", "zeroes", "README.md"], 2, "has no Go types"),
    ] {
        let (ended, _, said) = run(&root(), &arguments);
        assert!(ended == code && said.contains(part), "{arguments:?} ends with {ended}: {said}");
    }
}

#[test]
fn zeroes_are_counted_by_type_and_listed() {
    let (code, printed, _) = run(&root(), &["apply", "zeroes", TYPES, "--format", "json"]);
    let found: Value = serde_json::from_str(&printed).unwrap();
    assert_eq!(code, 1);
    assert_eq!(found["counts"]["integer"], json!({"withoutOmitempty": 4, "withOmitempty": 0}));
    assert_eq!(found["counts"]["struct"], json!({"withoutOmitempty": 1, "withOmitempty": 1}));
    let fields = found["fields"].as_array().unwrap();
    let port = fields.iter().find(|field| field["field"] == "containerPort").unwrap();
    assert_eq!((&port["goType"], &port["sent"]), (&json!("int32"), &json!("0")));
    // Left out by `omitzero`.
    assert!(!fields.iter().any(|field| field["field"] == "status" || field["field"] == "creationTimestamp"));
}

#[test]
fn the_page_shows_what_its_commands_print() {
    let page = fs::read_to_string(root().join("docs/apply.md")).unwrap();
    let mut shown = 0;
    for block in page.split("```console\n$ takeover ").skip(1) {
        let (command, rest) = block.split_once('\n').unwrap();
        let (expected, _) = rest.split_once("```").unwrap();
        let arguments: Vec<&str> = command.split(' ').collect();
        let (_, printed, said) = run(&root(), &arguments);
        assert_eq!(printed.trim_end(), expected.trim_end(), "takeover {command}: {said}");
        shown += 1;
    }
    assert_eq!(shown, 1, "blocks with output");
    // The example in Rust, as the page has it.
    let port = Port::new().with_container_port(80);
    let widget = Widget::new("shop").with_spec(WidgetSpec::new().with_paused(false).with_ports([port]));
    let (_, rest) = page.split_once("```json\n").unwrap();
    let (sent, _) = rest.split_once("```").unwrap();
    assert_eq!(serde_json::to_value(widget).unwrap(), serde_json::from_str::<Value>(sent).unwrap());
    for line in [
        "let port = Port::new().with_container_port(80);",
        "let widget = Widget::new(\"shop\").with_spec(WidgetSpec::new().with_paused(false).with_ports([port]));",
    ] {
        assert!(page.contains(line), "{line}");
    }
}
