//! `promote`: the patch is taken by `git apply`, and the next soak has the rules at their new level.

use crate::scratch;
use assert_cmd::Command;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Output;
use tempfile::TempDir;

/// A policy that few cases satisfy.
const LENIENT: &str = "\
[policy]
min-accepts = 1
min-rejects = 0
min-per-class = 0
min-kept = 0
min-exposed = 0.0
max-mismatch-rate = 1.0
causes.ratchets = { treat = \"block\" }
";

/// Types as another project could have written them, with Windows' line ends and odd comments.
const FOREIGN: &str = "package v1\n\
\n\
import metav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n\
\n\
/* IngressClass, as we have it:   odd   blanks stay.\t*/\n\
type IngressClass struct {\n\
\tmetav1.TypeMeta   `json:\",inline\"`\n\
\tmetav1.ObjectMeta `json:\"metadata,omitempty\"`\n\
\tSpec IngressClassSpec   `json:\"spec,omitempty\"`   // +k8s:alpha(since: \"1.36\")=+k8s:notATag\n\
}\n\
\n\
type IngressClassSpec struct {\n\
\t// Not a tag: +k8s:alpha(since: \"1.36\")=+k8s:optional\n\
\t//   +k8s:alpha(since: `1.36`)=+k8s:optional\n\
\tController string `json:\"controller,omitempty\"`\n\
\n\
\t/*\n\
\t  +k8s:alpha(owner: \"1.36\", since: \"1.36\")=+k8s:optional\n\
\t*/\n\
\tParameters *IngressClassParametersReference `json:\"parameters,omitempty\"`\n\
}\n\
\n\
type IngressClassParametersReference struct {\n\
\tAPIGroup *string `json:\"apiGroup,omitempty\"`\n\
\tKind string `json:\"kind\"`\n\
\tName string `json:\"name\"`\n\
\tScope *string `json:\"scope,omitempty\"`\n\
\tNamespace *string `json:\"namespace,omitempty\"`\n\
}\n\
// no line end at the end";

struct Project(TempDir);

impl Project {
    fn new(settings: &str) -> Self {
        let project = Self(tempfile::tempdir().unwrap());
        fs::write(project.path().join("takeover.toml"), settings).unwrap();
        project
    }

    /// A folder of types that holds one file of them, and what every kind needs.
    fn foreign(&self, types: &str) {
        let copied = "package v1";
        scratch::idl(&self.path().join("whole"), "networking/v1/types.go", copied, copied);
        let api = self.path().join("idl/networking/v1");
        fs::create_dir_all(&api).unwrap();
        fs::rename(self.path().join("whole/apimachinery"), self.path().join("idl/apimachinery")).unwrap();
        let doc = "// +groupName=networking.k8s.io\n// +k8s:validation-gen=TypeMeta\npackage v1\n";
        fs::write(api.join("doc.go"), doc).unwrap();
        fs::write(api.join("types.go"), types).unwrap();
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    fn run(&self, arguments: &[&str]) -> Output {
        let mut command = Command::cargo_bin("takeover").unwrap();
        command.current_dir(self.path()).args(arguments).output().unwrap()
    }

    fn soak(&self, out: &str, kind: &str, cases: &str) {
        // Of any other seed a run may have a class of its own, which no exception of the former one excuses.
        let arguments = ["soak", "--types", "idl", "--kind", kind, "--cases", cases, "--seed", "1", "--out", out];
        let output = self.run(&arguments);
        assert!(matches!(output.status.code(), Some(0 | 1)), "{}", said(&output));
    }

    /// The lifecycle of every rule, by subject, path and rule without its level.
    fn lifecycles(&self, run: &str) -> BTreeMap<String, (String, Option<String>, String)> {
        let text = fs::read_to_string(self.path().join(run).join("report.json")).unwrap();
        let report: Value = serde_json::from_str(&text).unwrap();
        let list = |of: &Value, name: &str| of.get(name).unwrap().as_array().unwrap().clone();
        let text = |of: &Value, name: &str| of.get(name).unwrap().as_str().unwrap().to_owned();
        let mut found = BTreeMap::new();
        for subject in list(&report, "subjects") {
            for field in list(&subject, "fields") {
                for rule in list(&field, "rules") {
                    let lifecycle = rule.get("lifecycle").unwrap();
                    let (level, chain) = (text(lifecycle, "level"), text(rule.get("rule").unwrap(), "chain"));
                    let name = format!("{} {} {chain}", text(&subject, "subject"), text(&field, "field"));
                    let since = lifecycle.get("since").unwrap().as_str().map(str::to_owned);
                    let source = rule.get("source").unwrap();
                    let at = format!("{}:{}", text(source, "file"), source.get("line").unwrap());
                    found.insert(name, (level, since, at));
                }
            }
        }
        found
    }

    /// `git apply`, as a user does it.
    fn apply(&self, patch: &[u8]) {
        fs::write(self.path().join("patch"), patch).unwrap();
        let git = |arguments: &[&str]| {
            let output = std::process::Command::new("git").current_dir(self.path()).args(arguments).output().unwrap();
            assert!(output.status.success(), "{}", said(&output));
        };
        git(&["-c", "init.defaultBranch=main", "init", "-q"]);
        git(&["-c", "core.autocrlf=false", "apply", "patch"]);
    }

    fn read(&self, file: &str) -> String {
        fs::read_to_string(self.path().join(file)).unwrap()
    }
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&[output.stdout.as_slice(), output.stderr.as_slice()].concat()).into_owned()
}

fn errors(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Lines that differ, as they were and are.
fn changed<'t>(before: &'t str, after: &'t str) -> Vec<(&'t str, &'t str)> {
    let (before, after) = (before.split('\n'), after.split('\n'));
    assert_eq!(before.clone().count(), after.clone().count());
    before.zip(after).filter(|(was, is)| was != is).collect()
}

#[test]
fn our_types_are_patched_where_the_evidence_allows_it_and_the_next_soak_has_the_new_level() {
    let project = Project::new(LENIENT);
    let copied = "+k8s:alpha(since: \"1.36\")=+k8s:optional";
    let file = "networking/v1/types.go";
    scratch::idl(&project.path().join("idl"), file, copied, copied);
    project.soak("before", "NetworkPolicy", "512");
    let output = project.run(&["promote", "before", "--to", "beta", "--all", "--since", "1.38"]);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    let listed = errors(&output);
    // The two sides of Kubernetes differ in this rule.
    let required = listed.split("staying at alpha").nth(1).unwrap();
    assert!(required.contains("required\n    BLOCKED for `networking.k8s.io/v1 NetworkPolicy`: "), "{listed}");
    assert!(
        required.contains("no rule of this line is in the run") || required.contains("the run did not judge it"),
        "{listed}"
    );

    // The form for machines says the same, the patch included.
    let json = project.run(&["promote", "before", "--to", "beta", "--all", "--since", "1.38", "--format", "json"]);
    assert_eq!((json.status.code(), errors(&json)), (Some(0), String::new()));
    let decided: Value = serde_json::from_slice(&json.stdout).unwrap();
    let text = |pointer: &str| decided.pointer(pointer).unwrap().as_str().unwrap();
    assert_eq!((text("/from"), text("/to")), ("alpha", "beta"));
    assert_eq!(text("/patch").as_bytes(), output.stdout);
    let list = |name: &str| decided.get(name).unwrap().as_array().unwrap().clone();
    assert!(listed.contains(&format!("from alpha to beta: {}\n", list("moved").len())), "{listed}");
    assert!(listed.contains(&format!("staying at alpha: {}\n", list("stay").len())), "{listed}");
    for moved in list("moved") {
        let text = |name: &str| moved.get(name).unwrap().as_str().unwrap().to_owned();
        assert_eq!(text("before").replace("alpha(since: \"1.36\")", "beta(since: \"1.38\")"), text("after"));
        assert!(listed.contains(&format!("  {}:{} {}\n", text("file"), moved.get("line").unwrap(), text("rule"))));
    }
    assert!(list("stay").iter().all(|of| of.get("because").unwrap().as_str().is_some_and(|why| !why.is_empty())));

    let (types, lifecycles) = (project.read(&format!("idl/{file}")), project.lifecycles("before"));
    project.apply(&output.stdout);
    let after = project.read(&format!("idl/{file}"));
    let changes = changed(&types, &after);
    assert!(!changes.is_empty());
    for (was, is) in &changes {
        assert_eq!(was.replace("alpha(since: \"1.36\")", "beta(since: \"1.38\")"), **is);
    }
    project.soak("after", "NetworkPolicy", "512");
    for (name, (level, since, source)) in project.lifecycles("after") {
        let (old_level, old_since, old_source) = lifecycles.get(&name).unwrap();
        assert_eq!(source, *old_source, "{name}");
        // Nothing speaks against the rules that only steer.
        let beta = ("beta".to_owned(), Some("1.38".to_owned()));
        let wanted = if name.ends_with(" optional") { beta } else { (old_level.clone(), old_since.clone()) };
        assert_eq!((level, since), wanted, "{name}");
    }
    // What was promoted is not promoted again, and what was judged before is not what is there.
    let again = project.run(&["promote", "before", "--to", "stable", "--all"]);
    assert_eq!(again.status.code(), Some(1), "{}", said(&again));
    assert!(errors(&again).contains("the run judged it at alpha"), "{}", errors(&again));
    assert!(again.stdout.is_empty());
    let json = project.run(&["promote", "before", "--to", "stable", "--all", "--format", "json"]);
    assert_eq!(json.status.code(), Some(1));
    let decided: Value = serde_json::from_slice(&json.stdout).unwrap();
    assert_eq!((&decided["moved"], &decided["patch"]), (&Value::Array(Vec::new()), &"".into()));
    // Beta since 1.38: in 1.38 it is too early for the last step, and later the wrappers go.
    let early = project.run(&["promote", "after", "--to", "stable", "--all", "--since", "1.38"]);
    assert_eq!(early.status.code(), Some(1), "{}", said(&early));
    assert!(errors(&early).contains("in 1.39 at the earliest"), "{}", errors(&early));
    let late = project.run(&["promote", "after", "--to", "stable", "--all", "--since", "1.39"]);
    assert_eq!(late.status.code(), Some(0), "{}", said(&late));
    project.apply(&late.stdout);
    let stable = project.read(&format!("idl/{file}"));
    for (was, is) in changed(&after, &stable) {
        assert_eq!(was.replace("+k8s:beta(since: \"1.38\")=", ""), is);
    }
    assert!(!stable.contains("k8s:beta"), "{stable}");
}

#[test]
fn a_foreign_file_with_windows_line_ends_keeps_every_byte_that_is_no_wrapper() {
    let project = Project::new(LENIENT);
    let types = FOREIGN.replace('\n', "\r\n");
    project.foreign(&types);
    project.soak("before", "networking.k8s.io/v1 IngressClass", "2048");

    let output = project.run(&["promote", "before", "--to", "beta", "--all", "--types", "idl/networking/v1/types.go"]);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    project.apply(&output.stdout);
    let after = project.read("idl/networking/v1/types.go");
    assert_eq!(
        changed(&types, &after),
        [
            ("\t//   +k8s:alpha(since: `1.36`)=+k8s:optional\r", "\t//   +k8s:beta(since: `1.37`)=+k8s:optional\r"),
            (
                "\t  +k8s:alpha(owner: \"1.36\", since: \"1.36\")=+k8s:optional\r",
                "\t  +k8s:beta(owner: \"1.36\", since: \"1.37\")=+k8s:optional\r"
            ),
        ],
        "{}",
        errors(&output)
    );
    // The packages that stand in for missing ones are nobody's to change.
    let whole = project.run(&["promote", "before", "--to", "stable", "--types", "idl"]);
    assert!(!errors(&whole).contains("in files that the run did not judge"), "{}", errors(&whole));
    project.soak("after", "networking.k8s.io/v1 IngressClass", "2048");
    let levels: Vec<String> = project.lifecycles("after").into_values().map(|(level, ..)| level).collect();
    assert_eq!(levels, ["beta", "beta"]);
}

/// `FOREIGN` with two members of which at most one may be set, which no handwritten check asks for.
fn with_members() -> String {
    let member = |name: &str, json: &str| {
        format!(
            "\t// +k8s:alpha(since: \"1.36\")=+k8s:zeroOrOneOfMember\n\t{name} *string `json:\"{json},omitempty\"`\n"
        )
    };
    FOREIGN
        .replace("\tScope *string `json:\"scope,omitempty\"`\n", &member("Scope", "scope"))
        .replace("\tNamespace *string `json:\"namespace,omitempty\"`\n", &member("Namespace", "namespace"))
}

#[test]
fn lines_that_make_one_rule_move_together_or_not_at_all() {
    let project = Project::new(LENIENT);
    project.foreign(&with_members());
    let (kind, types) = ("networking.k8s.io/v1 IngressClass", "idl/networking/v1/types.go");
    project.soak("blocked", kind, "2048");
    let output = project.run(&["promote", "blocked", "--to", "beta", "--all"]);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    assert!(!String::from_utf8_lossy(&output.stdout).contains("\n-\t// +k8s:alpha(since: \"1.36\")=+k8s:zeroOr"));
    let stays = errors(&output);
    assert!(stays.contains("zeroOrOneOfMember\n    BLOCKED for"), "{stays}");
    assert!(stays.contains("zeroOrOneOfMember\n    it forms one rule with idl/networking/v1/types.go:"), "{stays}");

    // The difference is excused: both lines move.
    let excuse = ["--owner", "me", "--issue", "#7", "--reason", "wanted", "--expires", "9999-12-31"];
    project.run(&[&["gate", "--run", "blocked", "--write-exceptions"], &excuse[..]].concat());
    project.soak("excused", kind, "2048");
    let output = project.run(&["promote", "excused", "--to", "beta", "--all"]);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    let before = project.read(types);
    project.apply(&output.stdout);
    let after = project.read(types);
    assert_eq!(after.matches("+k8s:beta(since: \"1.37\")=+k8s:zeroOrOneOfMember").count(), 2, "{}", said(&output));

    // One of them by hand only: what there is of the rule is at no one level.
    let mixed = before.replacen("alpha(since: \"1.36\")=+k8s:zeroOr", "beta(since: \"1.37\")=+k8s:zeroOr", 1);
    fs::write(project.path().join(types), mixed).unwrap();
    let output = project.run(&["promote", "excused", "--to", "beta", "--all"]);
    assert!(errors(&output).contains("are at several levels"), "{}", errors(&output));
}

#[test]
fn what_replaces_nothing_moves_only_with_what_does_and_nothing_moves_above_its_guard() {
    let project = Project::new(LENIENT.replace("causes.ratchets = { treat = \"block\" }\n", "").as_str());
    let minimum = "+k8s:alpha(since: \"1.36\")=+k8s:minimum=1";
    scratch::idl(&project.path().join("idl"), "autoscaling/v1/types.go", minimum, minimum);
    project.soak("run", "autoscaling/v1 HorizontalPodAutoscaler", "3000");
    let promoted = |more: &[&str]| {
        let output = project.run(&[&["promote", "run", "--to", "beta", "--format", "json"], more].concat());
        let report: Value = serde_json::from_slice(&output.stdout).unwrap();
        let rules = |list: &str| -> Vec<String> {
            let lines = report.get(list).unwrap().as_array().unwrap().iter();
            lines.map(|line| line.get("rule").unwrap().as_str().unwrap().to_owned()).collect()
        };
        (rules("moved"), rules("idle"), report.get("stay").unwrap().to_string())
    };
    let file = project.path().join("idl/autoscaling/v1/types.go");
    let whole = fs::read_to_string(&file).unwrap();
    let (moved, idle, _) = promoted(&[]);
    assert!(moved.contains(&"minimum=1".to_owned()) && moved.contains(&"required".to_owned()), "{moved:?}");
    assert!(moved.contains(&"optional".to_owned()), "the guard of a field whose rules move goes with them: {moved:?}");
    let (all, none, _) = promoted(&["--all"]);
    assert_eq!((all.len(), none.len()), (moved.len() + idle.len(), 0), "{all:?}");

    // A guard that stays holds the others of its field.
    let required = "\t// +k8s:alpha(since: \"1.36\")=+k8s:required\n\t// +k8s:alpha(since: \"1.36\")=+k8s:minimum=1";
    assert_eq!(whole.matches(required).count(), 1, "{whole}");
    let place = project.path().join("run/report.json");
    let mut report: Value = serde_json::from_str(&fs::read_to_string(&place).unwrap()).unwrap();
    let fields = report.pointer_mut("/subjects/0/fields").unwrap().as_array_mut().unwrap();
    let rules = fields.iter_mut().flat_map(|field| field.get_mut("rules").unwrap().as_array_mut().unwrap());
    for rule in rules.filter(|rule| rule["rule"]["chain"] == "required") {
        rule["verdict"] = serde_json::json!({"verdict": "blocked", "reasons": ["a finding"]});
        rule["next"]["allowed"] = false.into();
    }
    fs::write(&place, report.to_string()).unwrap();
    let (moved, _, stay) = promoted(&[]);
    assert!(!moved.contains(&"minimum=1".to_owned()), "{moved:?}");
    assert!(stay.contains("`required` of the same field stays at alpha"), "{stay}");
}

#[test]
fn a_handwritten_check_may_be_deleted_when_its_rules_are_stable_in_every_version() {
    let project = Project::new(LENIENT);
    let (alpha, beta) = ("k8s:alpha(since: \"1.36\")", "k8s:beta(since: \"1.37\")");
    scratch::idl(&project.path().join("idl"), "networking/v1/types.go", alpha, alpha);
    for version in ["v1", "v1beta1"] {
        let file = format!("idl/networking/{version}/types.go");
        fs::write(project.path().join(&file), project.read(&file).replace(alpha, beta)).unwrap();
    }
    project.soak("all", "IPAddress", "2048");
    let check = "  networking.k8s.io IPAddress: FieldValueInvalid at spec.parentRef (origin immutable)\n";
    let listed = errors(&project.run(&["promote", "all", "--to", "stable", "--all"]));
    let (gone, kept) = listed.split_once("handwritten checks that are still needed").unwrap();
    assert!(gone.contains(check) && !kept.contains(check), "{listed}");

    // Without what the other version says, or with that version left behind, the check is needed.
    let one =
        errors(&project.run(&["promote", "all", "--to", "stable", "--all", "--types", "idl/networking/v1/types.go"]));
    let (gone, kept) = one.split_once("handwritten checks that are still needed").unwrap();
    assert!(!gone.contains(check), "{one}");
    assert!(kept.contains("`networking.k8s.io/v1beta1 IPAddress` spec.parentRef beta immutable"), "{one}");
    project.soak("one", "networking.k8s.io/v1 IPAddress", "2048");
    let one = errors(&project.run(&["promote", "one", "--to", "stable", "--all"]));
    assert!(one.contains(&format!("{check}    `networking.k8s.io/v1beta1 IPAddress` was not judged")), "{one}");

    // A check that rejects something by itself is needed, whoever excuses that, and whichever rule it is attributed to.
    let place = project.path().join("all/report.json");
    let mut report: Value = serde_json::from_str(&project.read("all/report.json")).unwrap();
    for (direction, exception) in [("missing", true), ("extra", true), ("missing", false)] {
        let excuse = serde_json::json!({
            "direction": direction, "reason": "old ones", "owner": "sig-network", "issue": "#8", "expires": "9999-12-31", "expired": false
        });
        let signature = format!(
            "networking.k8s.io/v1beta1 IPAddress update changed {direction} reports-less FieldValueInvalid spec.parentRef immutable"
        );
        let mut finding = serde_json::json!({
            "number": 99, "signature": &signature, "count": 3, "cluster": 99, "rules": [], "first": "a case"
        });
        if exception {
            finding["exception"] = excuse;
        }
        let subjects = report["subjects"].as_array_mut().unwrap();
        let older = subjects.iter_mut().find(|of| of["subject"] == "networking.k8s.io/v1beta1 IPAddress").unwrap();
        older["findings"] = serde_json::json!([finding]);
        fs::write(&place, report.to_string()).unwrap();
        let listed = errors(&project.run(&["promote", "all", "--to", "stable", "--all"]));
        let (gone, kept) = listed.split_once("handwritten checks that are still needed").unwrap();
        assert_eq!(gone.contains(check), direction == "extra", "{listed}");
        let excused = "excused (missing) until 9999-12-31 by sig-network: old ones (#8)";
        let because =
            format!("    it alone rejects 3 × {signature}, {}\n", if exception { excused } else { "not excused" });
        assert_eq!(kept.contains(&because), direction == "missing", "{listed}");
    }
}

/// The minimum of the replicas in the run of the kind that disagrees on updates, at a level.
fn with_minimum(project: &Project, level: &str) {
    let wrapped = |level: &str| format!("+k8s:{level}=+k8s:minimum=0");
    let (alpha, into) = (wrapped("alpha(since: \"1.36\")"), wrapped(level));
    scratch::idl(&project.path().join("idl"), "core/v1/types.go", &alpha, &into);
    project.soak("open", "ReplicationController", "3000");
    let excuse = ["--owner", "sig-apps", "--issue", "#7", "--reason", "stored ones", "--expires", "9999-12-31"];
    project.run(&[&["gate", "--run", "open", "--write-exceptions"], &excuse[..]].concat());
    project.soak("excused", "ReplicationController", "3000");
}

/// The lines of a list of the form for machines that are about `minimum=0` of the replicas.
fn minimum(decided: &Value, list: &str) -> Value {
    let line = decided[list].as_array().unwrap().iter().find(|of| of["rule"] == "minimum=0").unwrap();
    line.clone()
}

const EXCUSED: &str = " × v1 ReplicationController update kept missing ratchets FieldValueInvalid spec.replicas minimum, excused (missing) until \
                       9999-12-31 by sig-apps: stored ones (#7)\n";

#[test]
fn a_move_to_beta_that_rests_on_exceptions_says_what_they_excuse() {
    let project = Project::new(LENIENT);
    with_minimum(&project, "alpha(since: \"1.36\")");
    let open = errors(&project.run(&["promote", "open", "--to", "beta", "--all"]));
    assert!(open.contains("minimum=0\n    BLOCKED for") && !open.contains("rests on exceptions"), "{open}");

    let output = project.run(&["promote", "excused", "--to", "beta", "--all"]);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    let listed = errors(&output);
    let (moved, _) = listed.split_once("keep the handwritten checks").unwrap();
    assert!(moved.contains(" minimum=0\n    rests on exceptions\n      ") && moved.contains(EXCUSED), "{listed}");
    // The rules that need no exception say nothing of any.
    assert!(!moved.contains(" optional\n    rests"), "{listed}");
    let json = project.run(&["promote", "excused", "--to", "beta", "--all", "--format", "json"]);
    let decided: Value = serde_json::from_slice(&json.stdout).unwrap();
    let exception = &minimum(&decided, "moved")["exceptions"][0];
    assert!(exception["cases"].as_u64().unwrap() > 0, "{exception}");
    for (member, value) in [
        ("finding", "v1 ReplicationController update kept missing ratchets FieldValueInvalid spec.replicas minimum"),
        ("direction", "missing"),
        ("reason", "stored ones"),
        ("owner", "sig-apps"),
        ("issue", "#7"),
        ("expires", "9999-12-31"),
    ] {
        assert_eq!(exception[member], value, "{exception}");
    }
}

#[test]
fn a_rule_that_rests_on_exceptions_does_not_become_stable_and_its_check_may_not_go() {
    let project = Project::new(LENIENT);
    with_minimum(&project, "beta(since: \"1.37\")");
    let output = project.run(&["promote", "excused", "--to", "stable", "--all"]);
    let listed = errors(&output);
    let stays = " minimum=0\n    rests on exceptions for `v1 ReplicationController`\n      ";
    let (gone, stay) = listed.split_once("staying at beta").unwrap();
    assert!(stay.contains(stays) && stay.contains(EXCUSED), "{listed}");
    assert!(!gone.contains("FieldValueInvalid at spec.replicas"), "{listed}");
    assert_eq!((output.status.code(), output.stdout.as_slice()), (Some(1), &b""[..]), "{listed}");
    let json = project.run(&["promote", "excused", "--to", "stable", "--all", "--format", "json"]);
    let decided: Value = serde_json::from_slice(&json.stdout).unwrap();
    let stays = minimum(&decided, "stay");
    assert_eq!(stays["because"], "rests on exceptions for `v1 ReplicationController`");
    assert_eq!(stays["exceptions"][0]["owner"], "sig-apps");
}

#[test]
fn what_cannot_be_promoted_ends_with_2_and_is_named() {
    let project = Project::new(LENIENT);
    for (arguments, why) in [
        (&["promote", "nowhere", "--to", "beta"][..], "nowhere"),
        (&["promote", "nowhere", "--to", "alpha"], "[possible values: beta, stable]"),
        (&["promote", "nowhere", "--to", "beta", "--since", "soon"], "`soon` is not a release"),
    ] {
        let output = project.run(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(errors(&output).contains(why), "{arguments:?}: {}", errors(&output));
    }
    let run = ["soak", "--kind", "NetworkPolicy", "--cases", "0", "--no-builtin", "--out", "run"];
    project.run(&run);
    for (types, why) in [
        (&[][..], "judged the built-in types: name the types to change with --types"),
        (&["--types", "absent"], "failed to find the types `absent`"),
        (&["--types", "takeover.toml"], "takeover.toml"),
    ] {
        let output = project.run(&[&["promote", "run", "--to", "beta", "--all"], types].concat());
        assert_eq!(output.status.code(), Some(2), "{types:?}: {}", said(&output));
        assert!(errors(&output).contains(why), "{types:?}: {}", errors(&output));
    }
}
