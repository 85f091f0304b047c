use super::super::{Folder, Loader, Memory, Sources, builtin};
use super::{messages, shape};
use std::fs;
use takeover_harness::schema::{Kind, WellKnown};

fn check(memory: Memory, rows: &[(&str, &str)]) {
    let loaded = Loader::new().with(memory).load(["x.io/a"]);
    assert!(loaded.diagnostics.is_empty(), "{:?}", messages(&loaded));
    for (name, expected) in rows {
        let id = loaded.idl.schema.lookup(name).unwrap_or_else(|| panic!("no {name}"));
        assert_eq!(shape(&loaded.idl.schema, id), *expected, "{name}");
    }
}

#[test]
fn imported_names_are_found_by_alias_path_clause_and_dot() {
    let a = "package a\nimport (\n\tbee \"x.io/b\"\n\t\"x.io/c/v2\"\n\t. \"x.io/d\"\n)\ntype A struct {\n\tB bee.B\n\tC []c.C\n\tD\n\tE Late\n}";
    let memory = Memory::new()
        .file("x.io/a", "a.go", a)
        .file("x.io/a", "z.go", "package a\ntype Late = string")
        .file("x.io/b", "b.go", "package b\ntype B string")
        .file("x.io/c/v2", "c.go", "package c\ntype C struct{ Again *C }")
        .file("x.io/d", "d.go", "package d\ntype D struct{ X int }");
    check(
        memory,
        &[
            ("x.io/a.A", "{B x.io/b.B as B; C []x.io/c/v2.C as C; D x.io/d.D inlined; E string as E}"),
            ("x.io/c/v2.C", "{Again *x.io/c/v2.C as Again}"),
        ],
    );
}

#[test]
fn types_of_absent_packages_are_opaque() {
    let a = "package a\nimport (\n\t\"x.io/absent\"\n\t\"gopkg.in/inf.v0\"\n\t\"time\"\n)\ntype A struct {\n\tabsent.Meta\n\tF absent.Thing\n\tG *inf.Dec\n\tH time.Duration\n}";
    let loaded = Loader::new().with(Memory::new().file("x.io/a", "a.go", a)).load(["x.io/a"]);
    assert!(loaded.diagnostics.is_empty(), "{:?}", messages(&loaded));
    let id = loaded.idl.schema.lookup("x.io/a.A").unwrap();
    assert_eq!(
        shape(&loaded.idl.schema, id),
        "{Meta x.io/absent.Meta inlined; F x.io/absent.Thing as F; G *gopkg.in/inf.v0.Dec as G; H time.Duration as H}"
    );
    let thing = loaded.idl.schema.lookup("x.io/absent.Thing").unwrap();
    assert!(matches!(loaded.idl.schema.kind(thing), Kind::Any));
    assert!(!loaded.idl.types[thing.0 as usize].processed);
}

#[test]
fn well_known_types_keep_their_own_form_with_or_without_their_package() {
    let a = "package a\nimport metav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\ntype A struct {\n\tT *metav1.Time\n\tM metav1.ObjectMeta\n}";
    let memory = Memory::new().file("x.io/a", "a.go", a);
    for (loader, processed) in
        [(Loader::new().with(memory.clone()), false), (Loader::new().with(memory.clone()).with(builtin()), true)]
    {
        let idl = loader.load(["x.io/a"]).into_result().unwrap();
        let time = idl.schema.lookup("k8s.io/apimachinery/pkg/apis/meta/v1.Time").unwrap();
        assert!(matches!(idl.schema.kind(time), Kind::WellKnown(WellKnown::Time)));
        assert_eq!(idl.types[time.0 as usize].processed, processed);
    }
}

#[test]
fn constants_and_defaults_reach_across_packages() {
    let a = "package a\nimport b \"x.io/b\"\ntype A struct {\n\t// +default=ref(Local)\n\tF b.B\n\t// +default=ref(x.io/b.Two)\n\tG int\n\t// +default={\"k\": [1, \"v\"]}\n\tH map[string]string\n}\nconst Local = b.One\nconst Mine b.B = \"mine\"";
    let memory = Memory::new().file("x.io/a", "a.go", a).file(
        "x.io/b",
        "b.go",
        "package b\ntype B string\nconst One B = \"one\"\nconst Two = 1 + 1",
    );
    check(
        memory.clone(),
        &[("x.io/a.A", "{F x.io/b.B as F = \"one\"; G int as G = 2; H map[string]string as H = {\"k\":[1,\"v\"]}}")],
    );
    let idl = Loader::new().with(memory).load(["x.io/a"]).into_result().unwrap();
    let b = idl.schema.lookup("x.io/b.B").unwrap();
    let names: Vec<_> = idl.types[b.0 as usize].constants.iter().map(|c| c.name.as_ref()).collect();
    assert_eq!(names, ["Local", "Mine", "One"]);
}

#[test]
fn defaults_name_constants_of_floats() {
    let a = "package a\ntype A struct {\n\t// +default=ref(Half)\n\tF float64\n\t// +default=ref(Kilo)\n\tG int32\n\t\
             // +default=ref(Less)\n\tH *float64\n}\nconst Half = 1.0 / 2\nconst Kilo = 1e3\nconst Less = -(Half + 1.25)";
    check(
        Memory::new().file("x.io/a", "a.go", a),
        &[("x.io/a.A", "{F float64 as F = 0.5; G int32 as G = 1000; H *float64 as H = -1.75}")],
    );
}

#[test]
fn doc_lists_every_comment_of_doc_go_and_those_above_package_clauses() {
    let memory = Memory::new()
        .file(
            "x.io/a",
            "doc.go",
            "// +first\n\n// Text\n// +second\npackage a\n\n// +third\ntype A string // +fourth\n",
        )
        .file("x.io/a", "types.go", "// +licence\n\n// +other\npackage a\n\n// +no\ntype B string\n");
    let loaded = Loader::new().with(memory).load(["x.io/a"]);
    let doc: Vec<_> = loaded.idl.packages[0].doc.iter().map(|tag| tag.text.as_ref()).collect();
    assert_eq!(doc, ["first", "second", "third", "fourth", "other"]);
}

#[test]
fn files_that_do_not_belong_are_left_out() {
    let memory = Memory::new()
        .file("x.io/a", "a.go", "package a\ntype A string")
        .file("x.io/a", "a_test.go", "package a_test\ntype A int")
        .file("x.io/a", "zz_generated.x.go", "package a\ntype A int")
        .file("x.io/a", "ignored.go", "//go:build ignore\n\npackage main\ntype A int")
        .file("x.io/a", "a_windows.go", "package a\ntype A int")
        .file("x.io/a", "gen.go", "// Code generated by x. DO NOT EDIT.\n\npackage a\nfunc broken( {}");
    check(memory, &[("x.io/a.A", "named string")]);
}

#[test]
fn a_types_root_answers_to_the_path_below_it_and_to_longer_import_paths() {
    let root = std::env::temp_dir().join(format!("takeover-idl-{}", std::process::id()));
    let files = [
        ("core/v1/types.go", "package v1\ntype Pod struct{ Port int }"),
        (
            "tags/minimum/doc.go",
            "package minimum\nimport v1 \"k8s.io/api/core/v1\"\nimport \"x.io/deep/tree/tags/other\"\nimport one \"x.io/single\"\ntype S struct{ P v1.Pod; O other.O; X one.X }",
        ),
        (
            "tags/other/doc.go",
            "package other\nimport self \"x.io/deep/tree/tags/other\"\ntype O []self.P\ntype P string",
        ),
        ("single/doc.go", "package single\ntype X bool"),
    ];
    for (path, text) in files {
        let path = root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    let folder = Folder::new(&root);
    assert_eq!(folder.packages(), ["core/v1", "single", "tags/minimum", "tags/other"]);
    assert!(folder.package_files("../single").is_none());
    assert!(folder.package_files("/core/v1").is_none());
    let loaded = Loader::new().with(folder).load(["tags/minimum", "tags/other", "core/v1"]);
    let mounted = Folder::mounted("x.io/", &root);
    assert_eq!(mounted.packages()[0], "x.io/core/v1");
    assert!(mounted.package_files("x.io/core/v1").is_some());
    assert!(mounted.package_files("core/v1").is_none());
    fs::remove_dir_all(&root).unwrap();
    assert!(loaded.diagnostics.is_empty(), "{:?}", messages(&loaded));
    let schema = &loaded.idl.schema;
    let show = |name: &str| shape(schema, schema.lookup(name).unwrap());
    // A folder is one package, under the path it was first asked for by.
    assert_eq!(show("tags/other.O"), "named []tags/other.P");
    assert_eq!(show("tags/minimum.S"), "{P core/v1.Pod as P; O tags/other.O as O; X x.io/single.X as X}");
    assert_eq!(loaded.idl.packages.len(), 4);
}
