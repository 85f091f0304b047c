//! `skew`: the page about it is run as it stands, and exit codes say what is lost.

use assert_cmd::Command;
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

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

#[test]
fn the_page_shows_what_its_commands_print() {
    let page = fs::read_to_string(root().join("docs/skew.md")).unwrap();
    let mut shown = 0;
    for block in page.split("```console\n$ takeover ").skip(1) {
        let (command, rest) = block.split_once('\n').unwrap();
        let (expected, _) = rest.split_once("```").unwrap();
        let arguments: Vec<&str> = command.split(' ').collect();
        let (_, printed, said) = run(&root(), &arguments);
        assert_eq!(printed.trim_end(), expected.trim_end(), "takeover {command}: {said}");
        shown += 1;
    }
    assert_eq!(shown, 2, "blocks with output");
}

#[test]
fn exit_codes_and_json_say_what_is_lost_in_the_unions_as_they_are_declared() {
    let (v1, v2) = ("xtask/tests/skew/v1", "xtask/tests/skew/v2");
    let (code, printed, _) = run(&root(), &["skew", v1, v2, "--type", "Source", "--full", "--format", "json"]);
    let of: Value = serde_json::from_str(&printed).unwrap();
    let member = &of["unions"][0]["added"][0];
    assert_eq!((code, &member["member"]), (1, &Value::from("oci")));
    assert!(member["without"]["lost"].as_u64().unwrap() > 0);
    assert_eq!(member["with"]["lost"], 0);
    let sum: u64 = ["without", "with", "unaware"].iter().map(|of| member[of]["cells"].as_u64().unwrap()).sum();
    let cells = of["cells"].as_array().unwrap();
    assert_eq!(cells.len() as u64, sum);
    let case_12 = cells.iter().find(|cell| cell["kepCase"] == 12).unwrap();
    assert_eq!(case_12["clientVersion"], "old");
    let number = case_12["number"].to_string();
    let (code, printed, _) = run(&root(), &["skew", v1, v2, "--type", "Source", "--cell", &number, "--format", "json"]);
    let of: Value = serde_json::from_str(&printed).unwrap();
    assert_eq!(
        (i32::from(of["outcome"]["verdict"] == "lost"), of["outcome"]["exchanges"][0]["request"].as_str()),
        (code, Some("GET"))
    );
    let (code, _, _) = run(&root(), &["skew", v1, v2, "--type", "Trigger"]);
    assert_eq!(code, 0);
    let (code, _, said) = run(&root(), &["skew", v1, v2, "--type", "Trigger", "--cell", "0"]);
    assert!(code == 2 && said.contains("there is no cell 0"), "{said}");
    let (code, _, _) = run(&root(), &["skew", v2, v1]);
    assert_eq!(code, 3, "v1 adds nothing");
    let (code, _, said) = run(&root(), &["skew", "no/such/folder"]);
    assert!(code == 2 && said.contains("no/such/folder"), "{said}");
}

#[test]
fn a_member_whose_value_the_discriminator_lacks_is_a_finding() {
    let types = |more: &str| {
        format!(
            "package v1\n\ntype Kind string\n\nconst (\n\tGit Kind = \"Git\"\n\tHTTP Kind = \"HTTP\"\n)\n\n\
             type Source struct {{\n\t// +unionDiscriminator\n\tType Kind `json:\"type\"`\n\t// +unionMember\n\t\
             Git *string `json:\"git,omitempty\"`\n\t// +unionMember\n\tHTTP *string `json:\"http,omitempty\"`\n{more}}}\n"
        )
    };
    let folder = TempDir::new().unwrap();
    for (version, more) in [("v1", ""), ("v2", "\t// +unionMember=OCI\n\tOCI *string `json:\"oci,omitempty\"`\n")] {
        fs::create_dir(folder.path().join(version)).unwrap();
        fs::write(folder.path().join(version).join("types.go"), types(more)).unwrap();
    }
    let (code, printed, said) = run(folder.path(), &["skew", "v1", "v2"]);
    assert!(printed.contains("`type` has no value \"OCI\", by which it would select `oci`"), "{printed}{said}");
    assert!(printed.contains("; with one: 0 of") && code == 1, "{code}: {printed}{said}");
}

const CRD: &str = "\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: builds.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: builds, singular: build, kind: Build}
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
              oneOf: [{required: [git]}, {required: [http]}]
              properties:
                git: {type: object, properties: {url: {type: string}}}
                http: {type: string}
";

#[test]
fn crds_are_played_without_one_of_their_members() {
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("crd.yaml"), CRD).unwrap();
    let (code, printed, said) = run(folder.path(), &["skew", "crd.yaml", "--without", "http", "--format", "json"]);
    let of: Value = serde_json::from_str(&printed).unwrap();
    assert_eq!(code, 1, "{said}");
    assert_eq!(of["unions"][0]["owner"], "example.com/v1 Build.spec");
    assert_eq!(of["unions"][0]["added"].as_array().unwrap().len(), 1);
}

#[test]
fn a_crd_that_cannot_be_read_is_an_error_that_names_the_field() {
    let folder = TempDir::new().unwrap();
    let (head, _) = CRD.split_once("spec:").unwrap();
    fs::write(folder.path().join("crd.yaml"), format!("{head}spec: 5\n")).unwrap();
    let (code, _, said) = run(folder.path(), &["skew", "crd.yaml"]);
    assert!(code == 2 && said.contains("crd.yaml:1 (document 1): field `spec` is 5"), "{code}: {said}");
}

#[test]
fn a_union_that_cannot_be_played_is_named_with_its_reason_and_the_others_go_on() {
    let folder = TempDir::new().unwrap();
    let bad = "            other: {type: object, oneOf: [{required: [one]}, {required: [two]}], properties: {one: {type: array, \
               x-kubernetes-list-type: odd, items: {type: string}}, two: {type: string}}}\n            spec:\n";
    let crd = CRD.replacen("            spec:\n", bad, 1);
    fs::write(folder.path().join("crd.yaml"), crd).unwrap();
    let (code, printed, said) = run(folder.path(), &["skew", "crd.yaml"]);
    assert!(code == 1 && printed.contains("1 union more cannot be played."), "{printed}{said}");
    assert!(printed.contains("cannot be played: example.com/v1 Build.other: ") && printed.contains("odd"), "{printed}");
    assert!(printed.contains("example.com/v1 Build.spec"), "{printed}");
    let (_, printed, _) = run(folder.path(), &["skew", "crd.yaml", "--format", "json"]);
    let of: Value = serde_json::from_str(&printed).unwrap();
    assert_eq!(
        (of["unions"].as_array().unwrap().len(), &of["failed"][0]["owner"]),
        (1, &"example.com/v1 Build.other".into())
    );
    let (code, printed, _) = run(folder.path(), &["skew", "crd.yaml", "--type", "example.com/v1 Build.other"]);
    assert!(code == 1 && printed.starts_with("1 union cannot be played.\n"), "{printed}");
}

#[test]
fn members_that_lose_with_a_discriminator_are_named_with_their_cells_and_the_case_of_the_proposal() {
    let folder = TempDir::new().unwrap();
    let types = "package v1\n\ntype Strategy struct {\n\t// +unionDiscriminator\n\t// +required\n\tType string `json:\"type\"`\n\
                 \t// +unionMember\n\t// +optional\n\tPlain *Plain `json:\"plain,omitempty\"`\n\
                 \t// +unionMember,optional\n\t// +optional\n\tRolling *Plain `json:\"rolling,omitempty\"`\n}\n\n\
                 type Plain struct {\n\tSize int `json:\"size\"`\n}\n";
    fs::create_dir(folder.path().join("v1")).unwrap();
    fs::write(folder.path().join("v1/types.go"), types).unwrap();
    let (code, printed, said) = run(folder.path(), &["skew", "v1"]);
    assert_eq!(code, 1, "{printed}{said}");
    let line = printed.lines().find(|line| line.contains("`rolling`")).unwrap();
    assert!(line.contains("Strategy: `rolling`, cells ") && line.ends_with("(case #16 of KEP-1027)"), "{printed}");
    assert!(!printed.contains("`plain`, cell"), "{printed}");
    assert!(
        printed.contains("; with one: 0 of 232 cells.\nWith one, of members that may be unset while selected: 2 of "),
        "{printed}"
    );
    let number = line.split("cells ").nth(1).unwrap().split([',', ' ']).next().unwrap();
    let (code, printed, _) = run(folder.path(), &["skew", "v1", "--cell", number]);
    assert_eq!(code, 1);
    assert!(printed.contains("lost silently: `rolling` is not stored"), "{printed}");
}
