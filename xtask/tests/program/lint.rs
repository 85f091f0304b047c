//! `lint` as a user runs it.

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

    fn lint(&self, arguments: &str) -> Ran {
        let output = Command::cargo_bin("takeover")
            .unwrap()
            .current_dir(self.0.path())
            .arg("lint")
            .args(arguments.split_whitespace())
            .output()
            .unwrap();
        Ran {
            code: output.status.code().unwrap_or(-1),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }

    fn json(&self, arguments: &str) -> Value {
        let ran = self.lint(&format!("{arguments} --format json"));
        serde_json::from_str(&ran.stdout).unwrap()
    }

    /// File, line, column and lint of every finding.
    fn found(&self, arguments: &str) -> Vec<String> {
        let report = self.json(arguments);
        let findings = report.get("findings").and_then(Value::as_array).unwrap().iter();
        findings
            .map(|finding| {
                let at = |name: &str| finding[name].as_str().map_or(finding[name].to_string(), str::to_owned);
                format!("{}:{}:{} {}", at("file"), at("line"), at("column"), at("lint"))
            })
            .collect()
    }
}

/// One error, one warning for 1.37, one note.
const WIDGET: &str = "\
package v1

type Widget struct {
\t// +k8s:minimum=0
\tSize int32 `json:\"size\"`

\t// +k8s:alpha(since: \"1.36\", owner: \"sig-apps\")=+k8s:required
\tName string `json:\"name\"`

\t// +k8s:optional
\t// +default=\"big\"
\tShape string `json:\"shape,omitempty\"`
}
";

const CLEAN: &str = "package v1\n\ntype Widget struct {\n\t// +k8s:required\n\tName string `json:\"name\"`\n}\n";

fn widget() -> Folder {
    Folder::with(&[("go.mod", "module example.com/api\n\ngo 1.26\n"), ("apps/v1/types.go", WIDGET)])
}

#[test]
fn findings_read_as_a_compiler_prints_them() {
    let ran = widget().lint(". --release 1.37 --notes");
    assert_eq!((ran.code, ran.stderr.as_str()), (1, ""));
    insta::assert_snapshot!("table", ran.stdout);
}

#[test]
fn notes_are_counted_unless_asked_for() {
    let ran = widget().lint(".");
    assert!(
        ran.stdout.ends_with(
            "3 tags in 1 package, 1 type, 3 fields looked at: 1 error, 0 warnings, 1 note, 0 excused\n\
         not shown: 1 of optional-default (--notes shows them)\n\
         off by default: struct-omitempty, known-tags-only, require-explicit-disablement (--deny LINT turns one on)\n"
        ),
        "{}",
        ran.stdout
    );
    assert!(!ran.stdout.contains("`optional` beside"), "{}", ran.stdout);
}

#[test]
fn json_has_every_finding_with_its_place() {
    let folder = widget();
    let report = folder.json(". --release 1.37");
    insta::assert_json_snapshot!("json", report);
}

#[test]
fn sarif_has_rules_results_and_regions() {
    let ran = widget().lint(". --release 1.37 --format sarif");
    assert_eq!(ran.code, 1);
    let log: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(log["version"], "2.1.0");
    let run = &log["runs"][0];
    let rules = run["tool"]["driver"]["rules"].as_array().unwrap();
    for result in run["results"].as_array().unwrap() {
        let index = usize::try_from(result["ruleIndex"].as_u64().unwrap()).unwrap();
        assert_eq!(rules[index]["id"], result["ruleId"]);
    }
    insta::assert_json_snapshot!("sarif_results", run["results"]);
}

#[test]
fn github_annotations_name_file_line_and_column() {
    let ran = widget().lint(". --release 1.37 --format github");
    assert_eq!(ran.code, 1);
    insta::assert_snapshot!("github", ran.stdout);
    assert!(widget().lint(". --format github --notes").stdout.contains("::notice file=apps/v1/types.go,line=10,"));
}

#[test]
fn exit_codes_are_the_documented_ones() {
    let broken = CLEAN.replace("string", "?");
    let folder = Folder::with(&[
        ("clean/v1/types.go", CLEAN),
        ("notes/v1/types.go", &WIDGET.replace("\t// +k8s:minimum=0\n", "")),
        ("errors/v1/types.go", WIDGET),
        ("broken/v1/types.go", &broken),
        ("functions/v1/funcs.go", "package v1\n\nfunc f() {}\n"),
        ("nothing/readme.md", "text"),
        ("bad/lint-exceptions.toml", "[[exception]]\nlint = \"nope\"\ntype = \"a\"\nreason = \"b\"\n"),
        ("bad/types.go", CLEAN),
        ("stale.toml", "[[exception]]\nlint = \"tri-state\"\ntype = \"*\"\nreason = \"b\"\n"),
    ]);
    for (arguments, code, said) in [
        ("clean", 0, ""),
        ("notes", 0, ""),
        ("notes --release 1.37", 0, ""),
        ("notes --release 1.37 --deny graduation-eligible", 1, ""),
        ("notes --deny graduation-eligible", 2, "--deny graduation-eligible needs --release"),
        ("notes --strict", 1, ""),
        ("notes --strict --allow optional-default", 0, ""),
        ("errors", 1, ""),
        ("errors --allow requiredness", 0, ""),
        ("broken", 1, ""),
        ("clean --exceptions stale.toml", 1, ""),
        ("functions", 3, ""),
        ("gone", 2, "failed to read `gone`"),
        ("nothing", 2, "`nothing` contains no Go package"),
        ("nothing/readme.md", 2, "is neither a folder nor a Go file"),
        ("bad", 2, "there is no lint `nope`"),
        ("clean --exceptions gone.toml", 2, "failed to read `gone.toml`"),
        ("clean --deny nope", 2, "unknown lint"),
        ("clean --deny tri-state --allow tri-state", 2, "named by both --deny and --allow"),
        ("clean --release v1", 2, "is not a release such as 1.36"),
        ("clean --format xml", 2, "possible values: table, json, sarif, github"),
        ("--list clean", 2, "cannot be used with"),
        ("--root-prefix a", 2, "PATH"),
    ] {
        let ran = folder.lint(arguments);
        assert_eq!(ran.code, code, "{arguments}: {}{}", ran.stdout, ran.stderr);
        assert!(ran.stderr.contains(said), "{arguments}: {}", ran.stderr);
    }
}

#[cfg(unix)]
#[test]
fn files_that_cannot_be_read_end_with_code_2_and_the_rest_is_linted() {
    let folder = Folder::with(&[("api/v1/types.go", CLEAN)]);
    fs::write(folder.0.path().join("api/v1/latin1.go"), b"package v1\n// \xe9\n").unwrap();
    let ran = folder.lint("api");
    assert_eq!(ran.code, 2, "{}", ran.stdout);
    assert!(ran.stdout.contains("cannot read `api/v1/latin1.go`"), "{}", ran.stdout);
    // Findings outrank it.
    fs::write(folder.0.path().join("api/v1/types.go"), WIDGET).unwrap();
    assert_eq!(folder.lint("api").code, 1);
}

#[test]
fn a_path_is_a_file_a_package_or_a_tree() {
    let other = "package v1\n\n// +k8s:maxLength=0\ntype Code int32\n";
    let folder = Folder::with(&[
        ("go.mod", "module example.com/api // with a comment\n"),
        ("apps/v1/types.go", WIDGET),
        ("apps/v1/other.go", other),
        ("batch/v1/types.go", WIDGET),
        ("vendor/other.com/v1/types.go", WIDGET),
        ("testdata/v1/types.go", WIDGET),
        ("_old/v1/types.go", WIDGET),
    ]);
    let apps = [
        "apps/v1/other.go:3:4 invalid-tags",
        "apps/v1/types.go:5:2 requiredness",
        "apps/v1/types.go:10:5 optional-default",
    ];
    let batch = ["batch/v1/types.go:5:2 requiredness", "batch/v1/types.go:10:5 optional-default"];
    for (arguments, expected) in [
        ("apps/v1/other.go", vec![apps[0]]),
        ("apps/v1/types.go", apps[1..].to_vec()),
        ("apps/v1/../v1/types.go ./apps/v1/other.go", apps.to_vec()),
        ("apps/v1", apps.to_vec()),
        ("apps", apps.to_vec()),
        ("apps/v1 apps", apps.to_vec()),
        ("apps/v1/other.go batch/v1", [&apps[..], &batch].concat()),
        (".", [&apps[..], &batch].concat()),
    ] {
        assert_eq!(folder.found(arguments), expected, "{arguments}");
    }
}

#[test]
fn import_paths_come_from_the_module_the_layout_or_the_prefix() {
    let go_type =
        |folder: &Folder, arguments: &str| folder.json(arguments)["findings"][0]["goType"].as_str().unwrap().to_owned();
    let folder = Folder::with(&[
        ("module/go.mod", "module k8s.io/widgets\n"),
        ("module/types.go", WIDGET),
        ("module/apps/v1/types.go", WIDGET),
        ("idl/apimachinery/pkg/apis/meta/v1/types.go", WIDGET),
        ("idl/apps/v1/types.go", WIDGET),
        ("plain/apps/v1/types.go", WIDGET),
        ("root/example.com/api/apps/v1/types.go", WIDGET),
    ]);
    for (arguments, expected) in [
        ("module/apps", "k8s.io/widgets/apps/v1.Widget"),
        ("module/apps/v1/types.go", "k8s.io/widgets/apps/v1.Widget"),
        ("module/types.go", "k8s.io/widgets.Widget"),
        ("module/apps --root-prefix example.com/x", "example.com/x/v1.Widget"),
        ("idl/apps", "k8s.io/api/apps/v1.Widget"),
        ("idl/apimachinery", "k8s.io/apimachinery/pkg/apis/meta/v1.Widget"),
        ("plain", "apps/v1.Widget"),
        ("plain/apps/v1", "apps/v1.Widget"),
        ("plain --root-prefix example.com/x/", "example.com/x/apps/v1.Widget"),
        ("root", "example.com/api/apps/v1.Widget"),
        ("root/example.com/api/apps", "example.com/api/apps/v1.Widget"),
        ("root/example.com/api/apps/v1", "example.com/api/apps/v1.Widget"),
    ] {
        assert_eq!(go_type(&folder, arguments), expected, "{arguments}");
    }
}

#[test]
fn versions_beside_one_another_are_compared() {
    let folder = Folder::with(&[
        ("apps/v1/types.go", CLEAN),
        ("apps/v1beta1/types.go", &CLEAN.replace("v1", "v1beta1").replace("required", "optional")),
    ]);
    assert_eq!(
        folder.found("."),
        [
            "apps/v1/types.go:4:5 version-drift",
            "apps/v1/types.go:5:2 version-drift",
            "apps/v1beta1/types.go:4:5 version-drift",
            "apps/v1beta1/types.go:5:2 version-drift",
        ]
    );
    assert_eq!(folder.found("apps/v1"), [""; 0]);
}

#[test]
fn packages_of_the_folder_refer_to_one_another_and_to_the_built_in_ones() {
    let types = "package v1\n\nimport (\n\t\"example.com/api/common\"\n\tmetav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n)\n\n\
                 type T struct {\n\tmetav1.ObjectMeta `json:\"metadata\"`\n\tA *common.Name `json:\"a\"`\n\tB metav1.StatusReason `json:\"b\"`\n}\n";
    let folder = Folder::with(&[
        ("go.mod", "module example.com/api\n"),
        ("apps/v1/types.go", types),
        ("common/types.go", "package common\n\n// +k8s:maxLength=2\ntype Name string\n"),
    ]);
    assert_eq!(folder.found("apps"), ["apps/v1/types.go:10:2 requiredness"]);
}

#[test]
fn modules_beside_and_vendored_packages_are_read() {
    let types = "package v1\n\nimport \"other.io/common\"\n\ntype T struct {\n\tA *common.Name `json:\"a\"`\n}\n";
    let common = "package common\n\n// +k8s:maxLength=2\ntype Name string\n";
    for (file, module) in [
        ("src/common/types.go", "src/common/go.mod"),
        ("src/api/vendor/other.io/common/types.go", "src/readme.md"),
        ("src/api/staging/src/other.io/common/types.go", "src/readme.md"),
    ] {
        let folder = Folder::with(&[
            ("src/api/go.mod", "module example.com/api\n"),
            ("src/api/apps/v1/types.go", types),
            (file, common),
            (module, "module other.io/common\n"),
        ]);
        assert_eq!(folder.found("src/api/apps"), ["src/api/apps/v1/types.go:6:2 requiredness"], "{file}");
    }
}

#[test]
fn exceptions_beside_the_types_are_read_unless_others_are_named() {
    let exception =
        "[[exception]]\nlint = \"requiredness\"\ntype = \"*/v1.Widget\"\nfield = \"Size\"\nreason = \"as it is\"\n";
    let folder = Folder::with(&[
        ("api/lint-exceptions.toml", exception),
        ("api/apps/v1/types.go", WIDGET),
        ("other.toml", "[[exception]]\nlint = \"tri-state\"\ntype = \"*\"\nreason = \"as it is\"\n"),
    ]);
    let ran = folder.lint("api");
    assert!(ran.code == 0 && ran.stdout.contains("1 excused"), "{}", ran.stdout);
    // Above the path, below the root.
    fs::write(folder.0.path().join("api/go.mod"), "module example.com/api\n").unwrap();
    assert_eq!(folder.lint("api/apps/v1/types.go").code, 0);
    assert_eq!(
        folder.found("api --exceptions other.toml --allow optional-default"),
        ["api/apps/v1/types.go:5:2 requiredness", "other.toml:1:1 unused-exception"]
    );
    // One stale entry, with its line.
    fs::write(
        folder.0.path().join("api/lint-exceptions.toml"),
        format!("{exception}\n{}", exception.replace("Size", "Name")),
    )
    .unwrap();
    let ran = folder.lint("api");
    assert_eq!(ran.code, 1);
    assert!(ran.stdout.contains("api/lint-exceptions.toml:7:1"), "{}", ran.stdout);
}

#[test]
fn the_built_in_types_are_clean_also_from_their_folder() {
    let folder = Folder::with(&[]);
    let ran = folder.lint("");
    assert_eq!(ran.code, 0, "{}", ran.stdout);
    let idl = concat!(env!("CARGO_MANIFEST_DIR"), "/../oracles/idl");
    let from_folder = folder.lint(idl);
    assert_eq!(from_folder.code, 0, "{}", from_folder.stdout);
    assert_eq!(ran.stdout, from_folder.stdout);
}

#[test]
fn misspelled_tags_are_errors_that_say_what_was_meant() {
    let folder = Folder::with(&[("v1/types.go", &CLEAN.replace("+k8s:required", "+k8s:requird"))]);
    let ran = folder.lint(".");
    assert_eq!(ran.code, 1);
    assert!(ran.stdout.contains("did you mean `+k8s:required`?"), "{}", ran.stdout);
    assert_eq!(folder.lint(". --allow unknown-tag").code, 0);
    for (typed, meant) in [("--allow unknown-tags", "unknown-tag"), ("--deny requirdness", "requiredness")] {
        let ran = folder.lint(&format!(". {typed}"));
        assert_eq!(ran.code, 2);
        assert!(ran.stderr.contains(&format!("did you mean `{meant}`?")), "{}", ran.stderr);
    }
}

#[test]
fn markers_of_kubebuilder_are_counted_and_lead_to_the_crd() {
    let types = CLEAN.replace("+k8s:required", "+kubebuilder:validation:MinLength=1\n\t// +k8s:required");
    let folder = Folder::with(&[("v1/types.go", &types)]);
    let ran = folder.lint(".");
    let note =
        "note: 1 `+kubebuilder:validation` marker not read: lint the CRD that controller-gen generates from them\n";
    assert_eq!((ran.code, ran.stderr.as_str()), (0, note), "{}", ran.stdout);
}

#[test]
fn every_lint_is_listed_with_its_level() {
    let folder = Folder::with(&[]);
    let ran = folder.lint("--list");
    assert_eq!(ran.code, 0);
    insta::assert_snapshot!("list", ran.stdout);
    let listing = folder.json("--list");
    assert_eq!(listing["lints"].as_array().unwrap().len(), ran.stdout.lines().count());
    assert_eq!(folder.lint("--list --format sarif").code, 2);
}

#[test]
fn every_lint_is_in_the_documentation() {
    let documentation = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/lint.md")).unwrap();
    let listing = Folder::with(&[]).json("--list");
    for lint in listing["lints"].as_array().unwrap() {
        let text = |name: &str| lint[name].as_str().unwrap();
        let request = if lint["onRequest"] == true { ", on request" } else { "" };
        let (name, level, origin) = (text("name"), text("level"), text("origin"));
        let row = format!("| `{name}` | {level}{request} | {origin} | {} {} |", text("summary"), text("explanation"));
        assert!(documentation.lines().any(|line| line == row), "docs/lint.md lacks the row\n{row}");
    }
}

#[test]
fn the_help_shows_examples_and_codes() {
    let ran = Folder::with(&[]).lint("--help");
    assert_eq!(ran.code, 0);
    for text in ["Examples:", "lint . --release 1.38", "Exit codes:", "--release", "sarif"] {
        assert!(ran.stdout.contains(text), "{text}: {}", ran.stdout);
    }
}

#[test]
fn text_of_files_cannot_steer_terminal_runner_or_reader() {
    let escape = "\u{1b}[31m\u{7}";
    let hostile = format!(
        "package v1\n\ntype T struct {{\n\t// +k8s:required\n\t// +k8s:nope=+{escape}%0A::error::x\n\t// +k8s:format=\"{escape}%\"\n\
         \tA string `json:\"a\"`\n\tB {escape} `json:\"b\"`\n}}\n"
    );
    let folder = Folder::with(&[("a,b%/v1/types.go", &hostile)]);
    for format in ["table", "json", "sarif", "github"] {
        let ran = folder.lint(&format!(". --notes --format {format}"));
        assert_eq!(ran.code, 1, "{format}: {}", ran.stderr);
        assert!(!ran.stdout.contains('\u{1b}') && !ran.stdout.contains('\u{7}'), "{format}: {}", ran.stdout);
        match format {
            "github" => {
                assert!(ran.stdout.lines().all(|line| line.starts_with("::")), "{}", ran.stdout);
                assert!(ran.stdout.contains("file=a%2Cb%25/v1/types.go,line=6,"), "{}", ran.stdout);
            }
            "table" => {}
            _ => {
                let log: Value = serde_json::from_str(&ran.stdout).unwrap();
                assert!(format == "json" || log.to_string().contains("a%2Cb%25/v1/types.go"), "{log}");
            }
        }
    }
}

#[test]
fn large_and_empty_files_are_linted() {
    let fields: String = (0..5000).map(|at| format!("\t// +k8s:minimum=1\n\tF{at} int32 `json:\"f{at}\"`\n")).collect();
    let folder = Folder::with(&[
        ("big/v1/types.go", &format!("package v1\n\ntype T struct {{\n{fields}}}\n")),
        ("empty/v1/types.go", ""),
    ]);
    assert_eq!(folder.found("big").len(), 5000);
    assert_eq!(folder.lint("empty").code, 3);
}
