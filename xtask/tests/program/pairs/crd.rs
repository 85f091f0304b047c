//! A webhook's logic against the CRD that is to take its place: what the schema lacks is found, and nothing of it once it is complete.

use super::lab::{Lab, about, has_python, ran, repository};
use serde_json::Value;
use std::fs;
use std::process::Command;

const LACKING: [[&str; 4]; 3] = [
    ["missing", "FieldValueInvalid", "spec.cooldownSeconds", "reports-less"],
    ["missing", "FieldValueInvalid", "spec.targetRef", "reports-less"],
    ["extra", "FieldValueInvalid", "spec.maxReplicas", "reports-more"],
];

/// What the findings of 600 cases are about.
fn found(lab: &Lab, crd: &str, out: &str) -> Vec<[String; 4]> {
    lab.write("crd.yaml", crd);
    let webhook = repository().join("sdk/python/examples/scalepolicy.py");
    let reference = format!("exec:python3 {}", webhook.display());
    let pair = ["soak", "--crd", "crd.yaml", "--reference", &reference, "--compare", "field"];
    let ran = lab.run(&[&pair[..], &["--seed", "1", "--cases", "600", "--out", out]].concat());
    assert_eq!(ran.code, 1, "{}", ran.said());
    lab.findings(out).iter().map(about).collect()
}

#[test]
fn what_a_crd_lacks_of_its_webhook_is_found_until_it_is_complete() {
    if !has_python() {
        return;
    }
    let lab = Lab::new();
    let crd = fs::read_to_string(repository().join("sdk/go/examples/scalepolicy/config/crd.yaml")).unwrap();
    let lacking = found(&lab, &crd, "first");
    for row in LACKING {
        assert!(lacking.contains(&row.map(str::to_owned)), "{row:?} is not in {lacking:#?}");
    }

    let complete = [
        ("maximum: 999", "maximum: 1000"),
        ("default: 300", "default: 300\n                minimum: 0\n                maximum: 3600"),
        (
            "required: [apiVersion, kind, name]",
            "required: [apiVersion, kind, name]\n                x-kubernetes-validations: [{rule: self == oldSelf, message: field is immutable}]",
        ),
    ];
    let complete = complete.iter().fold(crd, |crd, (old, new)| {
        assert_eq!(crd.matches(old).count(), 1, "{old}");
        crd.replace(old, new)
    });
    let left = found(&lab, &complete, "second");
    for row in LACKING {
        assert!(!left.contains(&row.map(str::to_owned)), "{row:?} is in {left:#?}");
    }
}

#[test]
fn a_field_and_a_rule_of_a_crd_alone_are_explained_on_both_sides_of_their_boundary() {
    let lab = Lab::new();
    let crd = fs::read_to_string(repository().join("sdk/go/examples/scalepolicy/config/crd.yaml")).unwrap();
    lab.write("crd.yaml", &crd);
    let explained = |asked: &str| -> Value {
        let ran = lab.run(&["explain", asked, "--crd", "crd.yaml", "--format", "json"]);
        assert_eq!(ran.code, 0, "{asked}: {}", ran.said());
        serde_json::from_str(&ran.stdout).unwrap()
    };
    let field = explained("spec.maxReplicas");
    assert_eq!(field["fieldType"], "integer of 32 bits", "{field:#}");
    let rules: Vec<&str> =
        field["boundaries"].as_array().unwrap().iter().map(|of| of["rule"]["chain"].as_str().unwrap()).collect();
    // The last one stands at `spec` and reports at the field, by its fieldPath.
    for rule in ["maximum=999", "required", "format=int32", "cel: self.maxReplicas >= self.minReplicas"] {
        assert!(rules.contains(&rule), "{rule}: {rules:?}");
    }
    for asked in
        ["spec.maxReplicas maximum", "spec.schedule[0].replicas minimum", "self.maxReplicas >= self.minReplicas"]
    {
        let of = explained(asked);
        let [rule] = of["boundaries"].as_array().unwrap().as_slice() else { panic!("{of:#}") };
        let mut sides = [0, 0];
        for class in rule["classes"].as_array().unwrap() {
            let (breaks, case) = (class["breaks"].as_bool().unwrap(), &class["case"]);
            assert!(case.is_object(), "{asked}: {class:#}");
            let errors = case["candidate"].as_array().unwrap();
            // What the rule says is shown alone, but beyond the bounds of another rule of the field.
            assert_eq!(errors.is_empty(), !breaks, "{asked}: {class:#}");
            sides[usize::from(breaks)] += 1;
        }
        assert!(sides.iter().all(|count| *count > 0), "{asked}: {of:#}");
        let line = rule["source"]["line"].as_u64().unwrap();
        let written = crd.lines().nth(usize::try_from(line).unwrap() - 1).unwrap().trim();
        assert_eq!(rule["line"], written, "{asked}");
    }
    let text = lab.run(&["explain", "spec.maxReplicas", "maximum", "--crd", "crd.yaml"]).stdout;
    for said in [
        "judged by crd crd.yaml, as an API server does",
        "Boundary of spec.maxReplicas maximum=999\n  crd.yaml:",
        "above, which breaks the rule\n",
        "spec.maxReplicas in body should be less than or equal to 999",
        "validate OBJECT.yaml --crd crd.yaml",
    ] {
        assert!(text.contains(said), "{said}: {text}");
    }
    assert!(!text.contains("the candidate"), "{text}");
    let unknown = lab.run(&["explain", "spec.maxReplics", "--crd", "crd.yaml"]);
    assert_eq!(unknown.code, 2, "{}", unknown.said());
    assert!(unknown.stderr.contains("did you mean `spec.maxReplicas`?"), "{}", unknown.said());
}

/// A CRD of things with one number.
fn things(number: &str) -> String {
    format!(
        "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {{name: things.example.com}}\nspec:\n  \
         group: example.com\n  scope: Cluster\n  names: {{plural: things, kind: Thing}}\n  versions:\n  - name: v1\n    \
         served: true\n    storage: true\n    schema:\n      openAPIV3Schema:\n        type: object\n        properties:\n          \
         spec:\n            type: object\n            properties:\n              size: {number}\n"
    )
}

#[test]
fn rules_of_old_values_are_explained_by_changes() {
    let lab = Lab::new();
    let explained = |rule: &str, optional: bool| -> Vec<Value> {
        let number =
            format!("{{type: integer, x-kubernetes-validations: [{{rule: \"{rule}\", optionalOldSelf: {optional}}}]}}");
        lab.write("things.yaml", &things(&number));
        let ran = lab.run(&["explain", "spec.size", "--crd", "things.yaml", "--format", "json"]);
        assert_eq!(ran.code, 0, "{}", ran.said());
        let of: Value = serde_json::from_str(&ran.stdout).unwrap();
        of["boundaries"][0]["classes"].as_array().unwrap().clone()
    };
    let sizes = |class: &Value| {
        let size = |of: &str| class["case"][of]["spec"]["size"].as_i64();
        (size("old"), size("object"))
    };
    let growth = explained("self <= oldSelf + 5", false);
    let too_far = growth.iter().find(|class| class["breaks"] == true).unwrap();
    assert!(matches!(sizes(too_far), (Some(old), Some(new)) if new > old + 5), "{too_far:#}");
    let once_large = explained("self <= 5 || (oldSelf.hasValue() && oldSelf.value() > 5)", true);
    let kept = once_large.last().unwrap();
    assert!(matches!(sizes(kept), (Some(6..), Some(6..))), "{kept:#}");
    assert_eq!(kept["breaks"], false);
    assert!(kept["case"]["candidate"].as_array().unwrap().is_empty(), "{kept:#}");
}

#[test]
fn a_gate_of_two_versions_of_a_crd_says_what_the_new_one_rejects() {
    let lab = Lab::new();
    lab.write("old.yaml", &things("{type: integer, maximum: 5}"));
    lab.write("same.yaml", &things("{type: integer, maximum: 5}"));
    lab.write("new.yaml", &things("{type: integer, maximum: 4}"));
    lab.write("takeover.toml", "[budget]\ncases = 4_000\n");
    let gate = |crd: &str| lab.run(&["gate", "--crd", crd, "--reference", "crd old.yaml"]);
    let passed = gate("same.yaml");
    assert_eq!(passed.code, 0, "{}", passed.said());
    let failed = gate("new.yaml");
    assert_eq!(failed.code, 1, "{}", failed.said());
    for said in ["attributed to spec.size maximum=4", "suggest: `maximum: 5` on spec.size"] {
        let text = failed.said().split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(text.contains(said), "{said}: {}", failed.said());
    }
}

/// A CRD of Widgets whose spec has these lines.
fn widgets(spec: &str) -> String {
    let spec: String = spec.lines().map(|line| format!("            {line}\n")).collect();
    "apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.shop.example.com}
spec:
  group: shop.example.com
  scope: Namespaced
  names: {kind: Widget, plural: widgets}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
"
    .to_owned()
        + &spec
}

/// A CRD that lacks a bound on one field and the whole of another, and has another bound for a third.
const CANDIDATE: &str = "type: object
properties:
  size:
    type: integer
    maximum: 60
  note:
    type: string";

const REFERENCE: &str = "type: object
required: [owner]
properties:
  size:
    type: integer
    maximum: 50
  note:
    type: string
    maxLength: 3
  owner:
    type: string";

const GO_TYPES: &str = r#"// +groupName=shop.example.com
package v1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// +kubebuilder:object:root=true
type Widget struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              WidgetSpec `json:"spec,omitempty"`
}

type WidgetSpec struct {
	// +kubebuilder:validation:Maximum=60
	Size int64 `json:"size,omitempty"`
	Note string `json:"note,omitempty"`
}
"#;

/// The line of the first text of this kind, from 1.
fn line_of(text: &str, part: &str) -> usize {
    text.lines().position(|line| line.contains(part)).unwrap() + 1
}

#[test]
fn annotations_are_at_the_rule_of_the_crd_or_at_the_field_that_lacks_one_wherever_the_run_is_read() {
    let lab = Lab::new();
    for folder in [".git", "operator/config", "operator/api/v1", "elsewhere"] {
        fs::create_dir_all(lab.path(folder)).unwrap();
    }
    let (old, new) = (widgets(REFERENCE), widgets(CANDIDATE));
    lab.write("operator/config/old.yaml", &old);
    lab.write("operator/config/new.yaml", &new);
    lab.write("operator/go.mod", "module example.com/shop\n");
    lab.write("operator/api/v1/types.go", GO_TYPES);
    // Another file of this name must not be taken for it.
    fs::create_dir_all(lab.path("config")).unwrap();
    lab.write("config/new.yaml", "{}");
    let within = |folder: &str, arguments: &[&str]| {
        ran(Command::new(env!("CARGO_BIN_EXE_takeover")).current_dir(lab.path(folder)).args(arguments))
    };
    let pair = ["--crd", "config/new.yaml", "--reference", "crd config/old.yaml"];
    let soak = ["soak", "--seed", "1", "--cases", "600", "--out"];
    let soaked = within("operator", &[&soak[..], &["../runs/plain"], &pair].concat());
    assert_eq!(soaked.code, 1, "{}", soaked.said());
    let expected = [
        format!("file=operator/config/new.yaml,line={},", line_of(&new, "maximum: 60")),
        format!("file=operator/config/new.yaml,line={},", line_of(&new, "note:")),
        format!("file=operator/config/new.yaml,line={},", line_of(&new, "          spec:")),
    ];
    let all = |run: &str, folder: &str, expected: &[String]| {
        let github = within(folder, &["report", run, "--format", "github"]).stdout;
        for place in expected {
            assert!(github.contains(place.as_str()), "{place} of {run} in {folder}: {github}");
        }
    };
    all("../runs/plain", "operator", &expected);
    all("runs/plain", ".", &expected);
    all("../runs/plain", "elsewhere", &expected);
    // Without the folder in which it was made, the files are found around the working folder.
    fs::rename(lab.path("runs/plain"), lab.path("elsewhere/moved")).unwrap();
    all("../elsewhere/moved", "operator", &expected);

    let go = ["--go-types", "api/v1"];
    let soaked = within("operator", &[&soak[..], &["runs/go"], &pair, &go].concat());
    assert_eq!(soaked.code, 1, "{}", soaked.said());
    let of_go = |part: &str| format!("file=operator/api/v1/types.go,line={},", line_of(GO_TYPES, part));
    all("operator/runs/go", ".", &[of_go("Maximum=60"), of_go("Note string"), of_go("Spec   ")]);
    let sarif: Value =
        serde_json::from_str(&within(".", &["report", "operator/runs/go", "--format", "sarif"]).stdout).unwrap();
    let results = sarif["runs"][0]["results"].as_array().unwrap();
    let files = |result: &Value| -> Vec<String> {
        let locations = result["locations"].as_array().into_iter().flatten();
        let uri = |of: &Value| of["physicalLocation"]["artifactLocation"]["uri"].as_str().unwrap().to_owned();
        locations.map(uri).collect()
    };
    let both = ["operator/api/v1/types.go", "operator/config/new.yaml"];
    assert!(results.iter().any(|result| files(result) == both), "{sarif:#}");

    let other = within("operator", &[&soak[..], &["runs/none"], &pair, &["--go-types", "config"]].concat());
    assert_eq!(other.code, 2, "{}", other.said());
    assert!(other.stderr.contains("config"), "{}", other.said());
}

#[test]
fn types_of_one_kind_need_no_kind_and_those_of_several_say_which_there_are() {
    let lab = Lab::new();
    let (old, new) = (widgets(REFERENCE), widgets(CANDIDATE));
    lab.write("old.yaml", &old);
    lab.write("new.yaml", &new);
    let sides = ["--reference", "crd old.yaml", "--candidate", "crd new.yaml"];
    for (types, out) in [(&["--types", "new.yaml"][..], "typed"), (&[], "untyped")] {
        let soak = ["soak", "--seed", "1", "--cases", "200", "--out", out];
        let soaked = lab.run(&[&soak[..], &sides, types].concat());
        assert_eq!(soaked.code, 1, "{}", soaked.said());
        assert!(lab.read(&format!("{out}/report.json")).contains("shop.example.com/v1 Widget#crd-to-crd"));
    }
    lab.write("both.yaml", &format!("{new}---\n{}", new.replace("idget", "adget")));
    let refused = lab.run(&[&["soak", "--cases", "9", "--types", "both.yaml"][..], &sides].concat());
    assert_eq!(refused.code, 2, "{}", refused.said());
    let said =
        "need exactly one --kind: `both.yaml` declares `shop.example.com/v1 Widget`, `shop.example.com/v1 Wadget`";
    assert!(refused.stderr.contains(said), "{}", refused.said());
}

const SHELVES: &str = r#"
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: shelves.shop.example.com}
spec:
  group: shop.example.com
  scope: Namespaced
  names: {kind: Shelf, plural: shelves}
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
            properties:
              path: {type: string, pattern: '^/'}
              name:
                type: string
                maxLength: 20
                x-kubernetes-validations: [{rule: "!(self in ['default', 'system'])", message: is reserved}]
              size: {type: integer, maximum: 9}
              count: {type: integer}
              low: {type: integer}
              limits: {type: object, properties: {high: {type: integer}}}
              class: {type: string}
"#;

/// Denies Shelves with texts alone.
const LIBRARIAN: &str = r#"
import sys
sys.path.insert(0, sys.argv[1])
from takeover_oracle import Decision, Kind, serve

def judge(question):
    spec, old, errors = question.object.get("spec") or {}, question.old_object, []
    path, high = spec.get("path", "/"), (spec.get("limits") or {}).get("high")
    if not path.startswith("/"):
        errors.append("spec.path must be absolute")
    if ".." in path:
        errors.append("spec.path must not contain dots")
    if spec.get("name", "").lower() in ("default", "system"):
        errors.append("spec.name is reserved")
    if spec.get("size", 0) > 9:
        errors.append("spec.size must be at most 9")
    if spec.get("count", 3) != 0 and spec.get("count", 3) < 3:
        errors.append("spec.count must be 0 or at least 3")
    if high is not None and spec.get("low", high) > high:
        errors.append("spec.low must be at most spec.limits.high")
    was = (old or {}).get("spec", {}).get("class")
    if was is not None and spec.get("class") != was:
        errors.append("spec.class may not be changed once it is set")
    return Decision(not errors, " and ".join(errors))

serve(judge, name="librarian", kinds=[Kind("shop.example.com/v1", "Shelf")], answers="decision")
"#;

#[test]
fn a_check_that_the_crd_covers_in_part_may_not_be_deleted_and_suggestions_reject_nothing_good() {
    if !has_python() {
        return;
    }
    let lab = Lab::new();
    lab.write("crd.yaml", SHELVES);
    lab.write("librarian.py", LIBRARIAN);
    let reference = format!("exec:python3 librarian.py {}", repository().join("sdk/python").display());
    let pair = ["soak", "--crd", "crd.yaml", "--reference", &reference, "--seed", "1", "--cases", "4000"];
    let ran = lab.run(&[&pair[..], &["--out", "run"]].concat());
    assert_eq!(ran.code, 1, "{}", ran.said());
    let report = lab.json("run/report.json");
    let observed = report["subjects"][0]["observed"].as_array().unwrap();
    let of = |check: &Value| {
        let text = |member: &str| check[member].as_str().unwrap_or_default().to_owned();
        (text("message"), text("candidateRefuses"), text("suggestion"))
    };
    let mut found: Vec<(String, String, String)> = observed.iter().map(of).collect();
    found.sort();
    let kept = "`rule: !has(oldSelf.class) || (has(self.class) && self.class == oldSelf.class)` on spec";
    let ordered =
        "`rule: !has(self.low) || !has(self.limits) || !has(self.limits.high) || self.low <= self.limits.high` on spec";
    let expected = [
        ("is reserved", "less", ""),
        ("may not be changed once it is set", "less", kept),
        ("must be N or at least N", "less", ""),
        ("must be absolute", "same", ""),
        ("must be at most N", "same", ""),
        ("must be at most spec.limits.high", "less", ordered),
        ("must not contain dots", "less", ""),
    ];
    let expected =
        expected.map(|(message, refuses, suggestion)| (message.to_owned(), refuses.to_owned(), suggestion.to_owned()));
    assert_eq!(found, expected, "{}", ran.said());
}
