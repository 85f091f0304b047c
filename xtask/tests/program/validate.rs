//! `validate` as a user runs it.

use crate::scratch;
use assert_cmd::Command;
use serde_json::Value;
use std::fs;
use tempfile::TempDir;

struct Ran {
    code: i32,
    stdout: String,
    stderr: String,
}

/// A folder with files, in which the program runs.
struct Folder(TempDir);

impl Folder {
    fn with(files: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        Self(folder)
    }

    fn validate_from(&self, arguments: &str, stdin: &str) -> Ran {
        let output = Command::cargo_bin("takeover")
            .unwrap()
            .current_dir(self.0.path())
            .arg("validate")
            .args(arguments.split_whitespace())
            .write_stdin(stdin)
            .output()
            .unwrap();
        Ran {
            code: output.status.code().unwrap_or(-1),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }

    fn validate(&self, arguments: &str) -> Ran {
        self.validate_from(arguments, "")
    }

    fn json(&self, arguments: &str) -> Value {
        serde_json::from_str(&self.validate(&format!("{arguments} --format json")).stdout).unwrap()
    }
}

fn controller(name: &str, replicas: &str) -> String {
    format!(
        "apiVersion: v1
kind: ReplicationController
metadata: {{name: {name}, namespace: shop}}
spec:
  replicas: {replicas}
  selector: {{app: web}}
  template:
    metadata: {{labels: {{app: web}}}}
    spec:
      containers: [{{name: web, image: nginx:1.27}}]
"
    )
}

/// A type with one field a level; no kind of the shipped types has all of them.
const WIDGET: &str = "\
package v1

type Widget struct {
\tKind string `json:\"kind\"`
\tAPIVersion string `json:\"apiVersion\"`
\tMetadata Meta `json:\"metadata\"`

\t// +k8s:minimum=1
\tStandard int32 `json:\"standard\"`

\t// +k8s:beta(since: \"1.36\")=+k8s:minimum=1
\tBeta int32 `json:\"beta\"`

\t// +k8s:alpha(since: \"1.37\")=+k8s:minimum=1
\tAlpha int32 `json:\"alpha\"`

\t// +k8s:ifEnabled(Strict)=+k8s:maxLength=3
\tText string `json:\"text\"`

\t// +k8s:immutable
\tFixed string `json:\"fixed\"`
}

type Meta struct {
\tName string `json:\"name\"`
\tResourceVersion string `json:\"resourceVersion\"`
}
";

const WIDGET_FILES: &str = "--types go --type example.com/api/v1.Widget";

fn widgets(object: &str) -> Folder {
    let object = format!("apiVersion: example.com/v1\nkind: Widget\nmetadata: {{name: w}}\n{object}\n");
    Folder::with(&[
        ("go/example.com/api/v1/types.go", WIDGET),
        ("widget.yaml", &object),
        (
            "old.yaml",
            "apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: w}\nstandard: 1\nbeta: 1\nalpha: 1\nfixed: a\n",
        ),
    ])
}

fn error<'r>(report: &'r Value, side: &str, field: &str) -> &'r Value {
    let errors = report.pointer("/objects/0/errors").and_then(Value::as_array).unwrap();
    errors.iter().find(|error| error["side"] == side && error["field"] == field).unwrap_or(&Value::Null)
}

#[test]
fn a_finding_is_judged_as_its_run_judged_it() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let run = |arguments: &[&str]| {
        let output = Command::cargo_bin("takeover").unwrap().args(arguments).current_dir(here).output().unwrap();
        (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap())
    };
    for (out, flags) in [
        ("old", &["--semantics", "1.36", "--kind", "ReplicationController"][..]),
        ("named", &["--kind", "v1 Service#1.35-1.36"]),
        ("defaults", &["--what", "defaults", "--kind", "Service"]),
    ] {
        let soak = ["soak", "--seed", "1", "--cases", "3000", "--out", out];
        let (screen, said) = run(&[&soak[..], flags].concat());
        let command = screen.lines().find_map(|line| Some(line.strip_prefix("  ")?.split_once(" validate ")?.1));
        let command = command.unwrap_or_else(|| panic!("{out}: {screen}{said}"));
        let (shown, said) = run(&["validate", command]);
        assert!(said.starts_with(&format!("note: judged as in the run `{out}`\n")), "{out}: {said}");
        let alone = shown.contains("only the reference reports it") || shown.contains("only the candidate reports it");
        assert!(alone && shown.lines().count() <= 24, "{out}: {shown}");
    }
    let (_, said) = run(&["validate", "old/findings/001.yaml", "named/findings/001.yaml"]);
    assert!(said.contains("not findings of one run"), "{said}");
    // Of a mark that is assumed, too.
    let assumed = "spec.selector FieldValueRequired";
    let soak = ["soak", "--seed", "1", "--cases", "600", "--kind", "ReplicationController", "--out", "assumed"];
    run(&[&soak[..], &["--assume-covered", assumed]].concat());
    let lost = fs::read_dir(here.join("assumed/findings")).unwrap().map(|entry| entry.unwrap().path());
    let mut lost = lost.filter(|file| file.extension().is_some_and(|end| end == "yaml"));
    let lost = lost.find(|file| fs::read_to_string(file).unwrap().contains("lost-twin")).unwrap();
    let (shown, said) = run(&["validate", &lost.to_string_lossy()]);
    assert!(shown.contains("only the reference reports it"), "{shown}{said}");
    // Types that a run names are looked for where it ran.
    scratch::copy(&here.join("api"));
    run(&[&soak[..7], &["--types", "api", "--out", "typed"]].concat());
    let (shown, said) = run(&["validate", "typed/findings/001.yaml"]);
    assert!(shown.contains("1 validated"), "{shown}{said}");
    fs::create_dir(here.join("elsewhere")).unwrap();
    let mut there = Command::cargo_bin("takeover").unwrap();
    let there =
        there.args(["validate", "../typed/findings/001.yaml"]).current_dir(here.join("elsewhere")).output().unwrap();
    let said = String::from_utf8(there.stderr).unwrap();
    assert!(there.status.code() == Some(2) && said.contains("judge its objects there"), "{said}");
}

#[test]
fn errors_of_both_sides_read_as_kubectl_prints_them() {
    let several = controller("web", "-1").replace("  selector", "  minReadySeconds: -5\n  selector");
    let folder = Folder::with(&[("one.yaml", &controller("web", "-1")), ("several.yaml", &several)]);
    let ran = folder.validate("one.yaml several.yaml");
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    insta::assert_snapshot!("both_sides", ran.stdout);
    assert_eq!(ran.stderr, "");
}

#[test]
fn valid_objects_end_with_code_0() {
    let folder = Folder::with(&[("ok.yaml", &format!("{}---\n{}", controller("a", "0"), controller("b", "2")))]);
    let ran = folder.validate("ok.yaml");
    assert_eq!(ran.code, 0, "{}", ran.stdout);
    insta::assert_snapshot!("valid", ran.stdout);
}

#[test]
fn the_takeover_policy_decides_by_its_gates_who_is_heard() {
    let folder = Folder::with(&[("web.yaml", &controller("web", "-1"))]);
    for (flags, reference, candidate) in [
        ("", "enforced", "alphaRule"),
        ("--gate DeclarativeValidationBeta=false", "enforced", "alphaRule"),
        ("--authority takeover", "enforced", "takeoverGateOff"),
        ("--authority takeover --gate DeclarativeValidationTakeover=true", "givesWay", "enforced"),
        ("--authority takeover --gate DeclarativeValidation=false", "enforced", "declarativeGateOff"),
    ] {
        let report = folder.json(&format!("web.yaml {flags}"));
        let standing = |side| error(&report, side, "spec.replicas")["standing"].as_str().unwrap();
        assert_eq!((standing("reference"), standing("candidate")), (reference, candidate), "{flags}");
        assert_eq!(report["objects"][0]["result"], "invalid", "{flags}");
    }
}

#[test]
fn every_level_of_a_rule_is_enforced_as_the_gates_say() {
    let folder = widgets("standard: 0\nbeta: 0\nalpha: 0");
    for (flags, standings) in [
        ("", ["enforced", "enforced", "alphaRule"]),
        ("--gate DeclarativeValidationBeta=false", ["enforced", "betaGateOff", "alphaRule"]),
        ("--authority takeover --gate DeclarativeValidationTakeover=true", ["enforced"; 3]),
    ] {
        let report = folder.json(&format!("widget.yaml {WIDGET_FILES} {flags}"));
        let found = ["standard", "beta", "alpha"].map(|field| error(&report, "candidate", field));
        assert_eq!(found.map(|error| error["standing"].as_str().unwrap()), standings, "{flags}");
        assert_eq!(found.map(|error| error["rules"][0]["level"].as_str().unwrap()), ["stable", "beta", "alpha"]);
    }
}

#[test]
fn without_a_handwritten_side_rules_that_are_not_enforced_count_and_the_output_says_so() {
    let folder = widgets("standard: 1\nbeta: 1\nalpha: 0");
    let ran = folder.validate(&format!("widget.yaml {WIDGET_FILES}"));
    assert_eq!(ran.code, 1);
    insta::assert_snapshot!("declarative_alone", ran.stdout);
    let report = folder.json(&format!("widget.yaml {WIDGET_FILES}"));
    let alpha = error(&report, "candidate", "alpha");
    assert_eq!((&alpha["enforced"], &alpha["decisive"]), (&Value::from(false), &Value::from(true)));
    assert_eq!(report["subjects"]["example.com/api/v1.Widget"]["reference"], false);
    assert_eq!(alpha["rules"][0]["since"], "1.37");
    assert!(alpha["rules"][0]["source"].as_str().unwrap().ends_with("types.go:14"), "{alpha}");
}

#[test]
fn a_kind_of_the_shipped_types_without_a_handwritten_side_is_judged_by_its_rules() {
    let workload = "apiVersion: scheduling.k8s.io/v1alpha2\nkind: Workload\nmetadata: {name: x, namespace: shop}\nspec: {podGroupTemplates: [%]}\n";
    let one = workload.replace('%', "{name: a, schedulingPolicy: {basic: {}}}");
    let folder = Folder::with(&[("one.yaml", &one), ("none.yaml", &workload.replace('%', ""))]);
    assert_eq!(folder.validate("one.yaml").code, 0);
    let ran = folder.validate("none.yaml");
    assert_eq!(ran.code, 1);
    assert!(ran.stdout.contains("spec.podGroupTemplates: Required value"), "{}", ran.stdout);
    assert!(ran.stdout.contains("scheduling.k8s.io/v1alpha2 Workload has no handwritten side here"), "{}", ran.stdout);
}

#[test]
fn a_go_type_without_version_and_kind_is_judged_all_the_same() {
    let types = "package v1\n\ntype Part struct {\n\t// +k8s:required\n\t// +k8s:minimum=1\n\tCount int32 `json:\"count\"`\n}\n";
    let part = "apiVersion: parts/v1\nkind: Part\ncount: %\n";
    let folder = Folder::with(&[
        ("api/v1/types.go", types),
        ("good.yaml", &part.replace('%', "2")),
        ("bad.yaml", &part.replace('%', "-1")),
    ]);
    let validate = |file: &str| folder.validate(&format!("{file} --types . --type api/v1.Part"));
    assert_eq!(validate("good.yaml").code, 0, "{}", validate("good.yaml").stdout);
    let ran = validate("bad.yaml");
    assert!(
        ran.code == 1 && ran.stdout.contains("count: Invalid value: -1: must be greater than or equal to 1"),
        "{}",
        ran.stdout
    );
}

#[test]
fn options_are_off_unless_a_flag_turns_them_on() {
    let folder = widgets("standard: 1\nbeta: 1\nalpha: 1\ntext: long");
    let validate = |flags: &str| folder.validate(&format!("widget.yaml {WIDGET_FILES} {flags}"));
    assert_eq!(validate("").code, 0);
    assert_eq!(validate("--option Strict=false").code, 0);
    let ran = validate("--option Strict=true");
    assert_eq!(ran.code, 1);
    assert!(ran.stdout.contains("text: Too long: may not be more than 3 characters"), "{}", ran.stdout);
    let ran = validate("--option Strickt=true");
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("`Strickt`") && ran.stderr.contains("`Strict`"), "{}", ran.stderr);
}

#[test]
fn gates_of_the_handwritten_side_are_options_that_are_on() {
    let service =
        "apiVersion: v1\nkind: Service\nmetadata: {name: 1a}\nspec: {clusterIP: 010.0.0.1, ports: [{port: 80}]}\n";
    let folder = Folder::with(&[("service.yaml", service)]);
    let ran = folder.validate("service.yaml");
    assert!(ran.code == 1 && ran.stdout.contains("spec.clusterIPs[0]"), "{}", ran.stdout);
    let ran = folder.validate("service.yaml --option StrictIPCIDRValidation=false");
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    let both = "--option StrictIPCIDRValidation=false --option RelaxedServiceNameValidation=false";
    let ran = folder.validate(&format!("service.yaml {both}"));
    assert!(ran.code == 1 && ran.stdout.contains("metadata.name"), "{}", ran.stdout);
    let ran = folder.validate("service.yaml --option StrictIPCIDR=false");
    assert_eq!(ran.code, 2);
    assert!(
        ran.stderr.contains("options of these kinds: `RelaxedServiceNameValidation`, `StrictIPCIDRValidation`"),
        "{}",
        ran.stderr
    );
}

#[test]
fn an_old_object_makes_an_update() {
    let folder = widgets("standard: 1\nbeta: 1\nalpha: 1\nfixed: b");
    assert_eq!(folder.validate(&format!("widget.yaml {WIDGET_FILES}")).code, 0);
    let ran = folder.validate(&format!("widget.yaml --old old.yaml {WIDGET_FILES}"));
    assert_eq!(ran.code, 1);
    insta::assert_snapshot!("update", ran.stdout);
}

#[test]
fn an_update_that_keeps_an_invalid_value_shows_where_the_sides_part() {
    let folder = Folder::with(&[("web.yaml", &controller("web", "-1"))]);
    let report = folder.json("web.yaml --old web.yaml");
    assert_eq!(report["objects"][0]["operation"], "update");
    assert_eq!(error(&report, "reference", "spec.replicas")["enforced"], true);
    assert_eq!(error(&report, "candidate", "spec.replicas"), &Value::Null, "the rule ratchets");
    let fields = report["objects"][0]["errors"].as_array().unwrap().iter().map(|error| &error["field"]);
    assert!(fields.into_iter().all(|field| field != "metadata.resourceVersion"), "{report}");
}

#[test]
fn old_objects_are_found_by_identity_and_a_single_one_in_any_case() {
    let (a, b) = (controller("a", "1"), controller("b", "1"));
    let folder = Folder::with(&[("a.yaml", &a), ("b.yaml", &b), ("ab.yaml", &format!("{a}---\n{b}"))]);
    let ran = folder.validate("ab.yaml --old ab.yaml");
    assert_eq!(ran.code, 0, "{}", ran.stdout);
    let renamed = folder.validate("a.yaml --old b.yaml");
    assert_eq!(renamed.code, 1);
    assert!(renamed.stdout.contains("metadata.name: Invalid value: \"a\": field is immutable"), "{}", renamed.stdout);
    let ran = folder.validate("ab.yaml --old b.yaml");
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("ab.yaml:1: no old `v1 ReplicationController shop/a` in --old"), "{}", ran.stderr);
    let ran = folder.validate("a.yaml --old ab.yaml");
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("no object replaces the old `v1 ReplicationController shop/b`"), "{}", ran.stderr);
}

#[test]
fn a_written_case_brings_its_own_old_object_and_options() {
    let object = |replicas: &str| controller("web", replicas).replace('\n', "\n  ");
    let case = format!(
        "apiVersion: takeover.dev/v1alpha1\nkind: Case\noperation: update\nobject:\n  {}\noldObject:\n  {}\n",
        object("-1").trim_end().replace("shop}", "shop, resourceVersion: '1'}"),
        object("1").trim_end().replace("shop}", "shop, resourceVersion: '1'}"),
    );
    let folder = Folder::with(&[("case.yaml", &case)]);
    let report = folder.json("case.yaml");
    assert_eq!(report["objects"][0]["operation"], "update", "{report}");
    assert_eq!(error(&report, "candidate", "spec.replicas")["type"], "FieldValueInvalid");
}

#[test]
fn undecodable_objects_are_invalid_and_name_the_field() {
    let folder = Folder::with(&[
        ("bad.yaml", &controller("bad", "many")),
        ("ok.yaml", &controller("bad", "1")),
        ("unknown.yaml", &controller("bad", "1").replace("replicas", "replica")),
    ]);
    let ran = folder.validate("bad.yaml unknown.yaml");
    assert_eq!(ran.code, 1);
    insta::assert_snapshot!("undecodable", ran.stdout);
    let misspelt = controller("a", "1").replace("replicas", "replcas");
    let ran = Folder::with(&[("misspelt.yaml", &misspelt)]).validate("misspelt.yaml");
    assert!(ran.stdout.contains("spec.replcas: unknown field; did you mean `replicas`?"), "{}", ran.stdout);
    let report = folder.json("ok.yaml --old bad.yaml");
    let undecodable = &report["objects"][0]["undecodable"];
    assert_eq!((&undecodable["oldObject"], &undecodable["field"]), (&Value::from(true), &Value::from("spec.replicas")));
}

#[test]
fn unknown_kinds_name_the_one_that_was_meant_and_validate_nothing() {
    let unknown = "apiVersion: v2\nkind: ReplicationController\n---\napiVersion: v1\nkind: Nothing\n";
    let folder = Folder::with(&[("unknown.yaml", unknown), ("ok.yaml", &controller("a", "1"))]);
    let ran = folder.validate("unknown.yaml");
    assert_eq!(ran.code, 3);
    let (first, rest) = ran.stderr.split_once('\n').unwrap();
    assert_eq!(
        first,
        "error: unknown.yaml:1: unknown kind `v2 ReplicationController`; did you mean `v1 ReplicationController`?"
    );
    assert!(rest.starts_with("error: unknown.yaml:4: unknown kind `v1 Nothing`\n"), "{rest}");
    assert!(rest.ends_with(" kinds can be validated; `--format json` lists them\n"), "{rest}");
    assert_eq!(rest.lines().count(), 2, "{rest}");
    let misspelt =
        Folder::with(&[("unknown.yaml", "apiVersion: v1\nkind: ReplicationControler\n")]).validate("unknown.yaml");
    assert!(misspelt.stderr.contains("; did you mean `v1 ReplicationController`?\n"), "{}", misspelt.stderr);
    assert_eq!(folder.validate("unknown.yaml ok.yaml").code, 2, "what was not validated does not pass in silence");
}

#[test]
fn what_cannot_be_read_is_named_and_the_rest_is_validated() {
    let broken = format!("{}---\nbroken: [\n---\n{}", controller("a", "1"), controller("b", "-1"));
    let folder = Folder::with(&[("broken.yaml", &broken), ("empty.yaml", "")]);
    let ran = folder.validate("broken.yaml missing.yaml");
    assert_eq!(ran.code, 2);
    assert!(
        ran.stderr.contains("error: broken.yaml:") && ran.stderr.contains("error: missing.yaml: "),
        "{}",
        ran.stderr
    );
    assert!(ran.stdout.contains("2 validated: 1 valid, 1 invalid"), "{}", ran.stdout);
    let empty = folder.validate("empty.yaml");
    assert_eq!((empty.code, empty.stderr.is_empty()), (3, false));
}

#[test]
fn standard_input_is_read_once() {
    let folder = Folder::with(&[]);
    let ran = folder.validate_from("-", &controller("web", "-1"));
    assert_eq!(ran.code, 1);
    assert!(ran.stdout.starts_with("-:1: create of v1 ReplicationController \"web\": invalid\n"), "{}", ran.stdout);
    assert_eq!(folder.validate_from("- --old -", &controller("web", "1")).code, 2);
}

#[test]
fn a_subresource_that_the_kind_does_not_serve_is_wrong_usage() {
    let folder = Folder::with(&[("web.yaml", &controller("web", "1"))]);
    assert_eq!(folder.validate("web.yaml --subresource scale").code, 0);
    let ran = folder.validate("web.yaml --subresource nothing");
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("do not serve `/nothing`; they serve `/`, `/scale`"), "{}", ran.stderr);
}

#[test]
fn wrong_flags_end_with_code_2_and_say_what_is_right() {
    let folder = Folder::with(&[("web.yaml", &controller("web", "1"))]);
    for (flags, message) in [
        ("", "FILE"),
        ("web.yaml --gate Nope=true", "`DeclarativeValidationBeta`"),
        ("web.yaml --gate DeclarativeValidationTakeover=true", "the gates of --authority lifecycle are"),
        ("web.yaml --gate DeclarativeValidation", "`Name=true`"),
        ("web.yaml --option A=maybe", "`maybe` is not `true` or `false`"),
        ("web.yaml --types nowhere", "`nowhere` is not a folder"),
        ("web.yaml --type Widget", "must be an import path"),
        ("web.yaml --types nowhere --type example.com/v1.Widget", "`nowhere` is not a folder"),
        ("web.yaml --types . --type example.com/v1.Widget", "`example.com/v1` does not load"),
        ("web.yaml --type k8s.io/api/core/v1.Nope", "declares no type `Nope`"),
    ] {
        let ran = folder.validate(flags);
        assert_eq!(ran.code, 2, "{flags}");
        assert!(ran.stderr.contains(message), "{flags}: {}", ran.stderr);
    }
}

#[test]
fn every_fault_of_a_go_type_is_named() {
    let lines = "\t// +k8s:minimum=x\n\tA int32 `json:\"a\"`\n\t// +k8s:maxLength=-1\n\tB string `json:\"b\"`\n";
    let folder = Folder::with(&[
        ("go/example.com/tags/types.go", &format!("package tags\n\ntype Widget struct {{\n{lines}}}\n")),
        ("go/example.com/names/types.go", "package names\n\ntype Widget struct {\n\tA Nope\n\tB Nothing\n}\n"),
        ("widget.yaml", "apiVersion: example.com/v1\nkind: Widget\n"),
    ]);
    for (package, faults) in [("tags", ["types.go:4:5", "types.go:6:5"]), ("names", ["types.go:4:4", "types.go:5:4"])] {
        let ran = folder.validate(&format!("widget.yaml --types go --type example.com/{package}.Widget"));
        assert_eq!(ran.code, 2);
        assert!(faults.iter().all(|fault| ran.stderr.contains(fault)), "{}", ran.stderr);
    }
}

#[test]
fn an_object_of_another_kind_is_not_taken_for_the_go_type() {
    let folder = widgets("standard: 1\nbeta: 1\nalpha: 1");
    fs::write(folder.0.path().join("other.yaml"), "apiVersion: example.com/v1\nkind: Gadget\nstandard: 1\n").unwrap();
    let ran = folder.validate(&format!("other.yaml {WIDGET_FILES}"));
    assert_eq!(ran.code, 2);
    let message = "other.yaml:1: is of kind `Gadget`, not of --type `example.com/api/v1.Widget`";
    assert!(ran.stderr.contains(message), "{}", ran.stderr);
}

#[test]
fn the_json_form_is_the_documented_one() {
    let folder = widgets("standard: 0\nbeta: 1\nalpha: 1");
    let report = folder.json(&format!("widget.yaml {WIDGET_FILES}"));
    insta::assert_json_snapshot!("json", report);
}

#[test]
fn names_cannot_steer_the_terminal() {
    let folder = Folder::with(&[("web.yaml", &controller("\"\\e[31mred\"", "1"))]);
    let ran = folder.validate("web.yaml");
    assert_eq!(ran.code, 1);
    assert!(!ran.stdout.contains('\u{1b}') && ran.stdout.contains("[31mred"), "{}", ran.stdout);
}

#[test]
fn a_folder_of_crds_judges_what_a_server_would_serve() {
    let crd = |kind: &str, ty: &str| {
        let plural = format!("{}s", kind.to_lowercase());
        format!(
            "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {{name: {plural}.example.com}}\nspec:\n  \
             group: example.com\n  scope: Cluster\n  names: {{kind: {kind}, plural: {plural}}}\n  versions:\n  - {{name: v1, served: true, \
             storage: true, schema: {{openAPIV3Schema: {{type: object, properties: {{size: {{type: {ty}}}}}}}}}}}\n"
        )
    };
    let object = |kind: &str| format!("apiVersion: example.com/v1\nkind: {kind}\nmetadata: {{name: a}}\nsize: x\n");
    let (good, bad) = (crd("Good", "integer"), crd("Bad", "text"));
    let folder = Folder::with(&[
        ("crds/good.yaml", good.as_str()),
        ("crds/bad.yaml", bad.as_str()),
        ("good.yaml", object("Good").as_str()),
        ("bad.yaml", object("Bad").as_str()),
    ]);
    let ran = folder.validate("good.yaml bad.yaml --crd crds");
    assert_ne!(ran.code, 0);
    assert!(
        ran.stderr.contains("left out: crds/bad.yaml") && ran.stderr.contains("Unsupported value"),
        "{}",
        ran.stderr
    );
    let said = format!("{}{}", ran.stdout, ran.stderr);
    assert!(said.contains("no CRD serves `example.com/v1 Bad`") && said.contains("1 validated"), "{said}");
    // Alone, it is an error.
    let alone = folder.validate("bad.yaml --crd crds/bad.yaml");
    assert!(alone.code == 2 && alone.stderr.contains("Unsupported value"), "{}", alone.stderr);
    let go = Folder::with(&[("widget.go", "package v1\n"), ("good.yaml", object("Good").as_str())]);
    let of_go = go.validate("good.yaml --crd widget.go");
    assert!(of_go.code == 2 && of_go.stderr.contains("that controller-gen generates from it"), "{}", of_go.stderr);
}
