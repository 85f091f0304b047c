//! `gate` as CI runs it.

use crate::scratch;
use assert_cmd::Command;
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;
use tempfile::TempDir;

/// A project: a folder with settings, types and everything that the gate writes.
struct Project(TempDir);

struct Ran {
    code: i32,
    stdout: String,
    stderr: String,
}

/// Enough for every criterion of the few rules of a NetworkPolicy, which the two sides of Kubernetes differ in on updates only.
const SETTINGS: &str = "\
[subjects]
only = [\"NetworkPolicy\"]
types = \"idl\"
[policy.causes]
ratchets = { treat = \"block\" }
[budget]
cases = 4096
";

const RULE: &str = "+k8s:alpha(since: \"1.36\")=+k8s:required";

const EXCUSE: [&str; 6] = ["--reason", "as Kubernetes has it", "--owner", "sig-network", "--issue", "#7"];

impl Project {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        scratch::idl(&folder.path().join("idl"), "networking/v1/types.go", RULE, RULE);
        let project = Self(folder);
        project.write("takeover.toml", SETTINGS);
        project
    }

    /// A project with the shipped types that judges one subject, and has committed to what is.
    fn settled_on(subject: &str, cases: u32) -> Self {
        let folder = tempfile::tempdir().unwrap();
        scratch::copy(&folder.path().join("idl"));
        let project = Self(folder);
        let settings = SETTINGS.replace("NetworkPolicy", subject).replace("4096", &cases.to_string());
        project.write("takeover.toml", &settings);
        project.settle();
        project
    }

    /// A project that has committed to what is.
    fn settled() -> Self {
        let project = Self::new();
        project.settle();
        project
    }

    /// Commits to what is.
    fn settle(&self) {
        let written = self.gate(&[&["--today", "2027-01-01", "--write-exceptions"], &EXCUSE[..]].concat());
        assert_eq!(written.code, 1, "{}{}", written.stdout, written.stderr);
        let updated = self.hold(&["--today", "2027-01-01", "--update-baseline"]);
        assert_eq!(updated.code, 0, "{}{}", updated.stdout, updated.stderr);
    }

    fn gate(&self, arguments: &[&str]) -> Ran {
        let mut command = Command::cargo_bin("takeover").unwrap();
        let output = command.current_dir(self.0.path()).arg("gate").args(arguments).output().unwrap();
        Ran {
            code: output.status.code().unwrap_or(-1),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }

    /// Holds the run that is there.
    fn hold(&self, arguments: &[&str]) -> Ran {
        self.gate(&[&["--run", "target/takeover/gate"], arguments].concat())
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.0.path().join(name), text).unwrap();
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.0.path().join(name)).unwrap()
    }

    fn change(&self, name: &str, from: &str, to: &str) {
        let text = self.read(name);
        assert!(text.contains(from), "{name} holds no {from:?}:\n{text}");
        self.write(name, &text.replacen(from, to, 1));
    }
}

/// Reasons of the failures, in the order printed.
fn reasons(ran: &Ran) -> Vec<String> {
    let json: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(*json.get("exitCode").unwrap(), ran.code);
    let failures = json.get("failures").unwrap().as_array().unwrap();
    let mut reasons: Vec<String> =
        failures.iter().map(|of| of.get("reason").unwrap().as_str().unwrap().to_owned()).collect();
    reasons.dedup();
    reasons
}

/// A project that differs from the settled one, and what the gate makes of it.
struct Row<'r> {
    settings: &'r str,
    exceptions: &'r str,
    baseline: &'r str,
    code: i32,
    reasons: &'r [&'r str],
    said: &'r str,
}

impl<'r> Row<'r> {
    fn new(code: i32, reasons: &'r [&'r str], said: &'r str, files: [&'r str; 3]) -> Self {
        let [settings, exceptions, baseline] = files;
        Self { settings, exceptions, baseline, code, reasons, said }
    }
}

const EXCEPTIONS: &str = "takeover-exceptions.toml";
const BASELINE: &str = "takeover-baseline.txt";

#[test]
fn every_reason_to_fail_has_its_exit_code_and_names_the_next_command() {
    let project = Project::settled();
    let (exceptions, baseline) = (project.read(EXCEPTIONS), project.read(BASELINE));
    assert!(baseline.contains("\nready "), "{baseline}");
    let first_ready = baseline.lines().find(|line| line.starts_with("ready ")).unwrap();
    let expired = exceptions.replace("expires = ", "expires = 2026-12-31 # ");
    let extra = exceptions.replacen("missing", "extra", 1);
    let (_, last) = exceptions.rsplit_once("\n\n").unwrap();
    let surplus = format!("{exceptions}\n{}", last.replace(" update ", " create "));
    let insufficient = baseline.replace("\nready ", "\ninsufficient ");
    let blocked = insufficient.replace("\ninsufficient ", "\nblocked ");
    let hard = &format!("[policy]\nmin-accepts = 1000000\n{SETTINGS}");
    let strict = &format!("{hard}[gate]\nfloor = \"every-rule\"\n");
    let nowhere = &format!("{exceptions}\n{}", last.replace(" NetworkPolicy ", " NoSuchKind "));
    let wild = &format!("{exceptions}\n{}", last.replace(" NetworkPolicy ", " * "));
    let other = &SETTINGS.replace("only = [", "only = [\"Role\", ");
    let gone = &format!("{baseline}{}", first_ready.replace(" spec", " status"));
    let empty = "takeover baseline 2\n";
    let update = "--run target/takeover/gate --update-baseline";
    let write = "--run target/takeover/gate --write-exceptions";
    let owned = "expired after 2026-12-31; sig-network is responsible: #7";
    let mut reached = BTreeSet::new();
    for row in [
        Row::new(0, &[], "gate: passed", [SETTINGS, &exceptions, &baseline]),
        Row::new(1, &["finding"], write, [SETTINGS, "", &blocked]),
        Row::new(1, &["finding", "stale"], "remove the exception", [SETTINGS, &extra, &blocked]),
        Row::new(5, &["expired"], "extend the exception", [SETTINGS, &expired, &blocked]),
        Row::new(5, &["expired", "worse"], owned, [SETTINGS, &expired, &baseline]),
        Row::new(6, &["stale"], "the run has no such finding", [SETTINGS, &surplus, &baseline]),
        Row::new(6, &["stale"], "there is no such subject", [SETTINGS, nowhere, &baseline]),
        Row::new(6, &["stale"], "there is no such subject", [SETTINGS, wild, &baseline]),
        Row::new(3, &["nothing-compared"], "the run leaves it out", [other, &exceptions, &baseline]),
        Row::new(7, &["worse"], update, [hard, &exceptions, &baseline]),
        Row::new(7, &["worse"], "no longer exists", [SETTINGS, &exceptions, gone]),
        Row::new(8, &["below-floor"], update, [hard, &exceptions, empty]),
        Row::new(8, &["below-floor"], update, [strict, &exceptions, &insufficient]),
    ] {
        project.write("takeover.toml", row.settings);
        project.write(EXCEPTIONS, row.exceptions);
        project.write(BASELINE, row.baseline);
        let ran = project.hold(&["--today", "2027-01-01"]);
        assert_eq!(ran.code, row.code, "{}{}", ran.stdout, ran.stderr);
        assert!(ran.stdout.contains(row.said), "{}\n{}", row.said, ran.stdout);
        let json = project.hold(&["--today", "2027-01-01", "--format", "json"]);
        assert_eq!(reasons(&json), row.reasons, "{}", ran.stdout);
        reached.insert(row.code);
    }

    // The others are of runs that are not like the one there is.
    project.write(EXCEPTIONS, &exceptions);
    project.write(BASELINE, &baseline);
    project.write("torn.yaml", "apiVersion: networking.k8s.io/v1\nkind: NetworkPolicy\nmetadata: {name: a\n");
    let types = "idl/apimachinery/pkg/apis/meta/v1/types.go";
    let whole = project.read(types);
    let (torn, nothing) = ("[corpora]\nrecorded = [\"torn.yaml\"]\n", "[corpora]\nbuiltin = false\n");
    let unreadable = whole.replace("Kind       string", "Kind       int32");
    assert_ne!(unreadable, whole);
    for (code, cases, corpora, types_text, said) in [
        (2, "4096", torn, &whole, "1 documents or files could not be read"),
        (3, "0", nothing, &whole, "no case was compared"),
        (
            4,
            "4096",
            "",
            &unreadable,
            "the harness failed its own checks: networking.k8s.io/v1 NetworkPolicy: no case to check",
        ),
    ] {
        project.write("takeover.toml", &format!("{}{corpora}", SETTINGS.replace("4096", cases)));
        project.write(types, types_text);
        let ran = project.gate(&["--today", "2027-01-01"]);
        assert_eq!(ran.code, code, "{}{}", ran.stdout, ran.stderr);
        assert!(ran.stdout.contains(said) || ran.stderr.contains(said), "{}{}", ran.stdout, ran.stderr);
        reached.insert(code);
    }
    assert_eq!(reached, documented(), "the codes of docs/gate.md");
    // Those of a gate that is stopped: `stopped.rs`.
    reached.extend([130, 143]);
    assert_eq!(reached, codes(&project.gate(&["--help"]).stdout, "  "), "the codes of the help");
}

#[test]
fn the_next_commands_keep_the_settings_and_ask_for_what_an_exception_needs() {
    let project = Project::new();
    project.write("team.toml", &project.read("takeover.toml"));
    let ran = project.gate(&["--config", "team.toml"]);
    let again = "gate --config team.toml --run target/takeover/gate";
    let next = format!("{again} --write-exceptions --owner OWNER --issue ISSUE --reason REASON\n");
    assert!(ran.code == 1 && ran.stdout.contains(&next), "{}{}", ran.stdout, ran.stderr);
    let written = project.hold(&["--config", "team.toml", "--write-exceptions", "--owner", "sig-network"]);
    let fill_in = "note: fill in reason, issue in `takeover-exceptions.toml` before the next gate\n";
    assert!(written.stderr.contains(fill_in), "{}", written.stderr);
}

/// The codes in the table of the documentation.
fn documented() -> BTreeSet<i32> {
    let place: PathBuf = [env!("CARGO_MANIFEST_DIR"), "..", "docs", "gate.md"].iter().collect();
    codes(&fs::read_to_string(place).unwrap(), "| ")
}

/// The numbers at the begin of lines, behind `before` and followed by a space.
fn codes(text: &str, before: &str) -> BTreeSet<i32> {
    let number = |line: &str| line.strip_prefix(before)?.split_once(' ')?.0.parse().ok();
    text.lines().filter_map(number).collect()
}

#[test]
fn a_gate_that_compares_nothing_fails_with_its_own_code() {
    let project = Project::new();
    project.write("takeover.toml", &SETTINGS.replace("4096", "0\n[corpora]\nbuiltin = false"));
    let ran = project.gate(&["--format", "json"]);
    assert_eq!((ran.code, reasons(&ran)), (3, vec!["nothing-compared".to_owned(), "below-floor".to_owned()]));
    let written = project.hold(&["--update-baseline", "--write-exceptions"]);
    assert_eq!(written.code, 3, "nothing is no baseline: {}", written.stderr);
    assert!(written.stderr.contains("no exception and no baseline was written"), "{}", written.stderr);
    assert!(written.stdout.contains("\nNothing was compared.\n"), "{}", written.stdout);
    assert!(!project.0.path().join(BASELINE).exists() && !project.0.path().join(EXCEPTIONS).exists());
}

#[test]
fn what_cannot_be_read_ends_with_2_and_is_named() {
    let project = Project::new();
    let settings = |more: &str| format!("{}\n{more}", SETTINGS.replace("4096", "0"));
    project.write("torn.yaml", "apiVersion: networking.k8s.io/v1\nkind: NetworkPolicy\nmetadata: {name: a\n");
    for (settings, said) in [
        ("[subjects]\nonly = [\"Pod\"]\n".to_owned(), "2 │ only = [\"Pod\"]"),
        ("[budget]\ncase = 1\n".to_owned(), "unknown key `case`"),
        (settings("[corpora]\nrecorded = [\"absent\"]\n"), "10 │ recorded = [\"absent\"]"),
        (settings("[corpora]\nrecorded = [\"absent/*\"]\n"), "the pattern matches no file"),
        (SETTINGS.replace("\"idl\"", "\"lid\""), "3 │ types = \"lid\""),
        (settings("[gate]\nexceptions = \"\"\n"), "10 │ exceptions = \"\""),
        (settings("[gate]\nbaseline = \"mine.txt\"\n"), "there is no baseline `mine.txt`"),
        (settings("[gate]\nexceptions = \"mine.toml\"\n"), "there is no file `mine.toml`"),
    ] {
        project.write("takeover.toml", &settings);
        let ran = project.gate(&[]);
        assert_eq!(ran.code, 2, "{settings}{}", ran.stdout);
        assert!(ran.stderr.contains(said), "{said}: {}", ran.stderr);
        let mut command = Command::cargo_bin("takeover").unwrap();
        let config = command.current_dir(project.0.path()).arg("config").assert();
        if !said.contains("baseline") {
            config.code(2);
        }
    }
    project.write("takeover.toml", &settings("[corpora]\nrecorded = [\"torn.yaml\"]\n"));
    let ran = project.gate(&["--format", "json"]);
    assert!(reasons(&ran).contains(&"unreadable".to_owned()), "{}", ran.stdout);
    project.write("takeover.toml", &settings(""));
    project.write(EXCEPTIONS, "[[exception]]\n");
    assert!(project.gate(&[]).stderr.contains("the exception has no `signature`"));
    project.write(EXCEPTIONS, "");
    project.write(BASELINE, "nonsense");
    assert!(project.gate(&[]).stderr.contains("`takeover-baseline.txt`:1: a baseline begins with"));
    let ran = project.gate(&["--run", "nowhere"]);
    assert_eq!(ran.code, 2);
}

#[test]
fn the_gate_is_the_same_every_time_and_on_any_number_of_threads() {
    let project = Project::settled();
    let once = project.gate(&["--today", "2027-01-01"]);
    assert_eq!(once.code, 0, "{}", once.stdout);
    project.change("takeover.toml", "cases = 4096", "cases = 4096\njobs = 1");
    let again = project.gate(&["--today", "2027-01-01"]);
    assert_eq!(once.stdout, again.stdout);
    let baseline = project.read(BASELINE);
    assert_eq!(project.gate(&["--today", "2027-01-01", "--update-baseline"]).code, 0);
    assert_eq!(project.read(BASELINE), baseline);
}

#[test]
fn a_pull_request_that_changes_a_rule_is_stopped_until_it_is_excused_and_the_excuse_until_it_is_gone() {
    let project = Project::settled();
    // The rule is dropped: the handwritten check is alone now, on creates too.
    let types = "idl/networking/v1/types.go";
    let whole = project.read(types);
    let (before, after) = whole.split_once("CIDR string").unwrap();
    let at = before.rfind(RULE).unwrap();
    let weaker = format!(
        "{}+k8s:alpha(since: \"1.36\")=+k8s:maxLength=3{}CIDR string{after}",
        &before[..at],
        &before[at + RULE.len()..]
    );
    project.write(types, &weaker);
    let stopped = project.gate(&["--today", "2027-01-01"]);
    assert_eq!(stopped.code, 1, "{}", stopped.stdout);
    assert!(stopped.stdout.contains("rules less ready than in the baseline"), "{}", stopped.stdout);
    let found = "NetworkPolicy create new extra reports-more FieldValueTooLong";
    assert!(stopped.stdout.contains(found), "{}", stopped.stdout);
    let annotated = project.hold(&["--today", "2027-01-01", "--format", "github"]);
    assert!(annotated.stdout.contains("::error file=idl/networking/v1/types.go,line="), "{}", annotated.stdout);

    // Exceptions and the baseline say that it is meant; what they excused before is gone.
    let excused = project.hold(&[&["--today", "2027-01-01", "--write-exceptions"], &EXCUSE[..]].concat());
    assert_eq!(excused.code, 1);
    let stale = project.hold(&["--today", "2027-01-01", "--update-baseline"]);
    assert_eq!(stale.code, 6, "{}", stale.stdout);
    let entries = project.read(EXCEPTIONS);
    let kept: Vec<&str> = entries.split("\n\n").filter(|entry| !entry.contains("ipBlock.cidr required")).collect();
    project.write(EXCEPTIONS, &format!("{}\n", kept.join("\n\n")));
    let passing = project.gate(&["--today", "2027-01-01"]);
    assert_eq!(passing.code, 0, "{}{}", passing.stdout, passing.stderr);

    // The cause is mended: the exceptions that excused it are stale.
    project.write(types, &whole);
    let stale = project.gate(&["--today", "2027-01-01"]);
    let said = reasons(&project.hold(&["--today", "2027-01-01", "--format", "json"]));
    assert!(said.contains(&"stale".to_owned()), "{said:?}");
    assert!(stale.stdout.contains("the run has no such finding"), "{}", stale.stdout);
}

/// The failures of a gate whose reason is this.
fn failures(ran: &Ran, reason: &str) -> Vec<Value> {
    let json: Value = serde_json::from_str(&ran.stdout).unwrap();
    let failures = json.get("failures").unwrap().as_array().unwrap();
    failures.iter().filter(|of| *of.get("reason").unwrap() == reason).cloned().collect()
}

/// What the failures of this reason are about, with their messages.
fn said_of(ran: &Ran, reason: &str) -> Vec<String> {
    let text = |of: &Value, key: &str| of.get(key).unwrap().as_str().unwrap().to_owned();
    failures(ran, reason).iter().map(|of| format!("{}: {}", text(of, "what"), text(of, "message"))).collect()
}

/// A fault in the types: what reads how, what it is to read, and the finding that shows it.
type TypeFault<'f> = [&'f str; 3];

/// Plants faults in places where the two sides differ without them as well, and expects the gate to find them beside the findings that
/// are excused there.
fn faults_are_found(subject: &str, cases: u32, file: &str, faults: &[TypeFault<'_>]) {
    let project = Project::settled_on(subject, cases);
    for [from, into, _] in faults {
        project.change(&format!("idl/{file}"), from, into);
    }
    let ran = project.gate(&["--today", "2027-01-01", "--format", "json"]);
    let findings = said_of(&ran, "finding");
    assert_eq!(ran.code, 1, "{}{}", ran.stdout, ran.stderr);
    for [.., found] in faults {
        assert!(findings.iter().any(|finding| finding.contains(found)), "{found}:\n{}", findings.join("\n"));
    }
}

#[test]
fn a_laxer_bound_of_a_text_is_found_beside_what_ratchets_there() {
    let fault = [
        "+k8s:maxLength=63\n\tAttacher",
        "+k8s:maxLength=64\n\tAttacher",
        "missing reports-less FieldValueTooLong spec.attacher maxLength",
    ];
    faults_are_found("storage.k8s.io/v1 VolumeAttachment", 1024, "storage/v1/types.go", &[fault]);
}

#[test]
fn a_laxer_bound_in_bytes_is_found_beside_what_ratchets_there() {
    let bytes = [
        "+k8s:maxBytes=128\n\tHardwareAddress",
        "+k8s:maxBytes=129\n\tHardwareAddress",
        "missing reports-less FieldValueTooLong status.devices[*].networkData.hardwareAddress maxBytes",
    ];
    faults_are_found("resource.k8s.io/v1 ResourceClaim/status", 2048, "resource/v1/types.go", &[bytes]);
}

#[test]
fn a_lost_member_of_a_union_is_found_beside_what_differs_there() {
    let fault = [
        "// +k8s:alpha(since: \"1.36\")=+k8s:unionMember\n\tVersionValue ",
        "VersionValue ",
        "extra reports-more FieldValueInvalid spec.devices[*].attributes[*] union",
    ];
    faults_are_found("resource.k8s.io/v1 ResourceSlice", 1024, "resource/v1/types.go", &[fault]);
}

#[test]
fn neutral_changes_pass() {
    let project = Project::settled_on("storage.k8s.io/v1 VolumeAttachment", 1024);
    let attacher = "+k8s:alpha(since: \"1.36\")=+k8s:maxLength=63\n\tAttacher ";
    let file = "idl/storage/v1/types.go";
    for (from, into) in [
        ("\tNodeName ", "\t// A comment.\n\t// +k8s:optional\n\tNodeName "),
        (attacher, &format!("+k8s:maxLength=1000000\n\t// {attacher}")),
    ] {
        project.change(file, from, into);
        let ran = project.gate(&["--today", "2027-01-01"]);
        assert_eq!(ran.code, 0, "{into}: {}{}", ran.stdout, ran.stderr);
        assert!(ran.stdout.contains("note: "), "what is new is said: {}", ran.stdout);
    }
}

#[test]
fn an_exception_that_is_outgrown_or_lacks_a_class_excuses_nothing() {
    let project = Project::settled();
    let whole = project.read(EXCEPTIONS);
    for (key, into, said) in [
        ("share = 0.", "share = 0.00000000", "more than ten times the 0.0000000"),
        (
            "classes = [",
            "classes = [] #",
            "excuses nothing, because its finding occurs in classes that it does not list: `",
        ),
    ] {
        assert!(whole.contains(key), "{whole}");
        project.write(EXCEPTIONS, &whole.replacen(key, into, 1));
        let ran = project.hold(&["--today", "2027-01-01", "--format", "json"]);
        assert_eq!((ran.code, failures(&ran, "finding").is_empty()), (1, false), "{}", ran.stdout);
        let stale = said_of(&ran, "stale");
        assert!(stale.len() == 1 && stale[0].contains(said), "{said}\n{stale:?}");
        // Nobody gets around looking at it.
        project.hold(&[&["--today", "2027-01-01", "--write-exceptions"], &EXCUSE[..]].concat());
        assert_eq!(project.hold(&["--today", "2027-01-01"]).code, 1);
    }
}

#[test]
fn one_exception_excuses_the_findings_with_a_cause_over_a_pattern_of_fields() {
    let project = Project::new();
    let fold = ["--today", "2027-01-01", "--write-exceptions", "--fold", "ratchets"];
    let written = project.gate(&[&fold[..], &EXCUSE].concat());
    assert_eq!(written.code, 1, "{}{}", written.stdout, written.stderr);
    let entries = project.read(EXCEPTIONS);
    let subject = "cause = \"ratchets\"\nsubject = \"networking.k8s.io/v1 NetworkPolicy\"\nfields = \"spec.";
    assert!(entries.contains(subject), "{entries}");
    assert!(!entries.contains(" ratchets "), "each finding that ratchets is in the pattern:\n{entries}");
    project.hold(&["--today", "2027-01-01", "--update-baseline"]);
    let passing = project.hold(&["--today", "2027-01-01"]);
    assert_eq!(passing.code, 0, "{}{}", passing.stdout, passing.stderr);
    // Where nothing ratchets, it is stale.
    project.write(EXCEPTIONS, &entries.replacen("fields = \"spec.", "fields = \"status.", 1));
    let stale = project.hold(&["--today", "2027-01-01", "--format", "json"]);
    assert!(
        said_of(&stale, "stale").iter().any(|said| said.contains("the run has no such finding")),
        "{}",
        stale.stdout
    );
    assert!(said_of(&stale, "finding").iter().all(|said| said.contains(" ratchets ")), "{}", stale.stdout);
}

#[test]
fn a_baseline_of_an_earlier_format_is_refused_and_written_anew() {
    let project = Project::settled();
    project.change(BASELINE, "takeover baseline 2.1", "takeover baseline 1.0");
    let refused = project.hold(&["--today", "2027-01-01"]);
    assert_eq!(refused.code, 2, "{}", refused.stdout);
    assert!(refused.stderr.contains("rewrite it with `gate --update-baseline`"), "{}", refused.stderr);
    assert_eq!(project.hold(&["--today", "2027-01-01", "--update-baseline"]).code, 0);
    assert_eq!(project.hold(&["--today", "2027-01-01"]).code, 0);
}
