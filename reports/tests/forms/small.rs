//! Small reports of every kind, with something of everything that a form tells.

use serde_json::{Value, json};
use std::collections::BTreeMap;
use takeover_harness::authority::{AuthorityPolicy, LifecycleGates, LifecycleRelease};
use takeover_harness::case::{Operation, Provenance};
use takeover_harness::compare::Matter;
use takeover_harness::error::{ErrorType, FieldError};
use takeover_harness::pair::Delegated;
use takeover_harness::path::Path;
use takeover_harness::rule::{RuleRef, Source};
use takeover_harness::side::Side;
use takeover_harness::subject::SubjectId;
use takeover_reports::conform::{Agreement, AgreementCount, DECLARATIVE, FixtureExample, HANDWRITTEN};
use takeover_reports::explain::{
    Breach, Example, Explanation, Law, LawTrial, RuleInRun, Shown, Suggestion, TriedObject,
};
use takeover_reports::gate::{FailureReason, GateFailure, GateReport};
use takeover_reports::lint::{Excerpt, LintAbout, LintFinding, LintList, LintPosition, LintReport, LintSummary};
use takeover_reports::promote::{ExcusedFinding, IdleLine, MovedLine, PromotionReport, StayingLine, TwinCheck};
use takeover_reports::subjects::{LevelCounts, SubjectEntry, SubjectList, SubjectRelease, SubjectRule};
use takeover_reports::validate::{
    Complaint, Enforcement, JudgedBy, Problem, ProblemKind, RuleNote, Undecoded, ValidatedObject, ValidationReport,
    Validity,
};
use takeover_reports::{Check, DelegatedReport, Diff, Level, Production, RuleReport, RunReport, Selection, Severity};

const SUBJECT: &str = "v1 ReplicationController";

fn source(line: u32) -> Source {
    Source { file: "core/v1/types.go".to_owned(), line }
}

fn rule_ref(path: &str, chain: &str) -> RuleRef {
    RuleRef { path: path.to_owned(), chain: chain.to_owned() }
}

fn error(error_type: &str, field: &str, detail: &str, origin: &str) -> Value {
    json!({
        "type": error_type, "field": field, "detail": detail, "badValue": -1, "origin": origin, "coveredByDeclarative": true,
    })
}

fn counts(compared: u64, extra: u64) -> Value {
    json!({
        "compared": compared, "agreedAccept": compared - extra, "agreedReject": 0, "missing": 0, "extra": extra,
        "panicked": 0, "notReached": 3,
    })
}

fn rule(path: &str, chain: &str, line: u32, verdict: &str, reason: &str) -> Value {
    let blocked = verdict == "blocked";
    json!({
        "rule": {"path": path, "chain": chain},
        "lifecycle": {"level": "alpha", "since": "1.36"},
        "reports": [{"errorType": "FieldValueInvalid", "field": path, "origin": chain.split('=').next()}],
        "twin": "seen",
        "source": {"file": "core/v1/types.go", "line": line},
        "create": counts(1200, u64::from(blocked) * 7), "update": counts(800, 0),
        "verdict": {"verdict": verdict, "reasons": [reason]},
        "criteria": [
            {"name": "extra", "operation": "create", "met": !blocked, "blocking": true, "found": reason, "remedy": "fix the rule"},
            {"name": "panics", "met": true, "blocking": true, "found": "no panic"},
        ],
        "upperBound": 0.0025,
        "next": {"level": "beta", "allowed": !blocked, "because": [reason]},
        "classes": [
            {"class": "below", "breaks": true, "create": 40, "update": 12},
            {"class": "unset", "breaks": false, "create": 0, "update": 0},
        ],
        "unreachable": [{"name": "far above", "reason": "no int8 is above"}],
        "kept": 5,
        "controls": {
            "telling": 4, "exposed": 3, "survivors": ["bound + 1"], "equivalent": [],
            "hidden": [{"name": "reference error dropped", "reason": "the endpoint drops the field"}],
        },
    })
}

fn exception(direction: &str) -> Value {
    json!({
        "direction": direction, "reason": "older clients send it", "owner": "sig-apps", "issue": "#7", "expires": "2027-01-31",
        "expired": false,
    })
}

/// Rules that are ready, blocked and short of evidence; findings that block, are excused or tolerated, and come along with another; what
/// is not migrated and delegated.
pub(crate) fn run() -> RunReport {
    let finding = |number: usize, direction: &str, cause: &str, standing: Value, exception: Option<Value>| {
        let relation = if cause == "ratchets" { "kept" } else { "new" };
        let operation = if cause == "ratchets" { "update" } else { "create" };
        let mut finding = json!({
            "number": number, "count": 7, "cause": cause, "relation": relation, "deciding": number, "classes": {"negative": 7},
            "standing": standing, "why": format!("why it {cause}"), "remedy": format!("what to do about {cause}"),
            "signature": format!("{SUBJECT} {operation} {relation} {direction} {cause} FieldValueInvalid spec.replicas minimum"),
            "rules": [{"path": "spec.replicas", "chain": "minimum=0", "level": "alpha"}],
            "first": "seed 7 chunk 3: must be greater than or equal to 0",
            "minimalLines": 6, "file": format!("findings/{number:03}.json"),
            "reproduce": format!("takeover soak --cases 0 --recorded findings/{number:03}.json"),
            "case": {
                "signature": {
                    "subject": {"apiVersion": "v1", "kind": "ReplicationController", "subresource": ""},
                    "operation": operation, "relation": relation, "direction": direction, "cause": cause,
                    "errorType": "FieldValueInvalid",
                    "path": "spec.replicas", "origin": "minimum",
                },
                "minimal": {"apiVersion": "takeover.dev/v1alpha1", "kind": "Case", "object": {"spec": {"replicas": -1}}},
                "reference": [error("FieldValueRequired", "spec.selector", "", "")],
                "candidate": [
                    error("FieldValueRequired", "spec.selector", "", ""),
                    error("FieldValueInvalid", "spec.replicas", "must be greater than or equal to 0", "minimum"),
                ],
                "panics": [],
            },
        });
        if let Some(exception) = exception {
            finding["exception"] = exception;
        }
        finding
    };
    let mut stale = exception("extra");
    let about = json!({
        "subject": SUBJECT, "signature": format!("{SUBJECT} update new extra reports-more FieldValueInvalid spec.replicas minimum"),
        "rules": ["spec.replicas minimum=0"], "signatures": 1, "found": 0, "state": "stale", "line": 12,
    });
    stale.as_object_mut().unwrap().extend(about.as_object().unwrap().clone());
    let report = json!({
        "formatVersion": 3, "seed": 7, "semantics": "1.37",
        "missingShards": ["3/4"],
        "production": {"days": 14, "replicas": 3, "comparisons": 2_199_999},
        "policy": {
            "min-accepts": 100, "min-rejects": 20, "min-per-class": 1, "min-kept": 1, "min-exposed": 1.0,
            "max-mismatch-rate": 0.01, "max-failures": 0.01, "confidence": 0.95,
            "causes": {"ratchets": {"treat": "tolerate", "reason": "by design"}},
        },
        "outside": [{"reason": "of a kind that is not compared", "count": 2, "first": "pods.yaml:1"}],
        "exceptions": [stale],
        "subjects": [{
            "subject": SUBJECT,
            "totals": {
                "cases": 2010, "compared": 2000, "agreedAccept": 1493, "agreedReject": 500, "disagreed": 7, "panicked": 0,
                "undecodable": {"unknown field": 8}, "withDroppedFields": 1, "skipped": {"a delete": 2},
            },
            "fields": [
                {
                    "field": "",
                    "verdict": {"verdict": "insufficientEvidence", "reasons": ["create: 0 rejects agreed of 20"]},
                    "rules": [rule("", "union", 8, "insufficientEvidence", "create: 0 rejects agreed of 20")],
                },
                {
                    "field": "spec.replicas",
                    "verdict": {"verdict": "blocked", "reasons": ["7 cases that only the rule rejects, on create"]},
                    "rules": [
                        rule("spec.replicas", "minimum=0", 21, "blocked", "7 cases that only the rule rejects, on create"),
                        rule("spec.replicas", "optional", 20, "ready", "create: 1200 accepts agreed"),
                    ],
                },
            ],
            "notMigrated": [{"errorType": "FieldValueRequired", "field": "spec.selector", "origin": "", "create": 3, "update": 4}],
            "delegated": [{"path": "spec.template.spec.containers", "reason": "pod spec"}],
            "findings": [
                finding(1, "extra", "reports-more", json!({"is": "blocking"}), None),
                finding(2, "missing", "reports-less", json!({"is": "excused"}), Some(exception("missing"))),
                finding(3, "missing", "ratchets", json!({"is": "tolerated", "reason": "by design"}), None),
                finding(4, "missing", "stopped", json!({"is": "broughtAlong", "by": 1}), None),
            ],
        }],
    });
    // Rows by cause are made of the findings.
    let report = Selection::default().of(serde_json::from_value(report).unwrap()).unwrap();
    RunReport { notes: "seed 7; run folder target/takeover/small\n".to_owned(), ..report }
}

/// A rule that got worse, one that is new, and a finding that is gone.
pub(crate) fn diff() -> Diff {
    let (old, mut new) = (run(), run());
    let subject = &mut new.subjects[0];
    subject.fields[1].rules[1].verdict =
        takeover_harness::readiness::Readiness::Blocked(vec!["an oracle panicked".to_owned()]);
    let another = RuleReport { rule: rule_ref("", "zeroOrOneOf"), ..subject.fields[0].rules[0].clone() };
    subject.fields[0].rules.push(another);
    subject.findings.remove(0);
    Diff::of(&old, &new)
}

/// A rule with examples and the evidence of a run.
pub(crate) fn explanation() -> Explanation {
    let report = run();
    let subject = &report.subjects[0];
    let of = &subject.fields[1].rules[0];
    let shown = |replicas: i64, says: bool| Shown {
        object: json!({"spec": {"replicas": replicas}}),
        old: (replicas > 0).then(|| json!({"spec": {"replicas": 0}})),
        reference: false,
        candidate: says,
        because: None,
    };
    let example = |class: &str, breaks: bool, shown| Example { class: class.to_owned(), breaks, shown };
    Explanation {
        format_version: takeover_reports::explain::FORMAT_VERSION,
        subject: SUBJECT.to_owned(),
        also: vec!["autoscaling/v1 Scale/scale".to_owned()],
        matter: Matter::Errors,
        rule: of.rule.clone(),
        source: of.source.clone(),
        line: Some("// +k8s:alpha(since: \"1.36\")=+k8s:minimum=0".to_owned()),
        level: Level::Alpha,
        since: Some("1.36".to_owned()),
        reports: of.reports.clone(),
        conditions: Some(vec!["judges updates only".to_owned(), "runs when the option `Fast` is on".to_owned()]),
        boundary: Some(vec![
            example("below", true, Some(shown(-1, true))),
            example("above", false, Some(shown(1, false))),
            example("unset", false, None),
        ]),
        law: None,
        run: Some("target/takeover/small".to_owned()),
        evidence: Some(RuleInRun { rule: of.clone(), excused: 1, findings: subject.findings.clone() }),
        commands: vec![
            Suggestion { command: format!("takeover soak --kind '{SUBJECT}' --for 60s"), purpose: None },
            Suggestion { command: "takeover docs tags".to_owned(), purpose: Some("what `minimum` means".to_owned()) },
        ],
    }
}

/// A law that some objects break.
pub(crate) fn explained_law() -> Explanation {
    let tried = |object| TriedObject { object, old: None };
    let kept = tried(json!({"spec": {"replicas": 1}}));
    let breach = |field: &str, because: Option<&str>| Breach {
        field: field.to_owned(),
        said: "code: was set to another value, and becomes 1".to_owned(),
        because: because.map(str::to_owned),
        objects: 3,
        example: TriedObject { old: because.map(|_| json!({})), ..tried(json!({"spec": {"replicas": 0}})) },
    };
    let breaches = vec![breach("spec.replicas", None), breach("", Some("a new value: why"))];
    let trial = LawTrial { objects: 1_200, broken: 4, kept: Some(kept), breaches };
    Explanation {
        rule: rule_ref("", "what is set is kept"),
        source: None,
        line: None,
        reports: Vec::new(),
        conditions: Some(Vec::new()),
        boundary: Some(Vec::new()),
        law: Some(Law { asks: "a sentence about it".to_owned(), trial: Some(trial) }),
        run: None,
        evidence: None,
        ..explanation()
    }
}

fn abouts() -> Vec<LintAbout> {
    let about = |name, level, on_request| LintAbout {
        name,
        level,
        on_request,
        origin: "generator",
        summary: "The sentence about it.",
        explanation: "The whole of it.",
    };
    vec![
        about("requiredness", Severity::Error, false),
        about("optional-default", Severity::Note, false),
        about("unknown-tag", Severity::Warning, true),
    ]
}

/// An error with its line, a note, and a warning without place.
pub(crate) fn linted(with_notes: bool) -> LintReport {
    let text = "\t// +k8s:minimum=0\n\tSize int32 `json:\"größe\"`\n\n";
    let finding = |lint, level, at: Option<u32>| LintFinding {
        lint,
        level,
        message: format!("what `{lint}` says"),
        help: at.map(|_| "what to do".to_owned()),
        position: at.map(|line| LintPosition { at: source(line), column: 2 }),
        length: 10,
        go_type: Some("example.com/api/v1.Widget".to_owned()),
        field: Some("Size".to_owned()),
        source: at.map(|_| "\tSize int32 `json:\"größe\"`".to_owned()),
        is_hint: lint == "graduation-eligible",
        excerpt: at.map(|line| Excerpt {
            text: text.to_owned(),
            before: usize::try_from(line).unwrap() - 2,
            start: text.find("\tSize").unwrap(),
        }),
    };
    LintReport {
        of_crds: false,
        format_version: takeover_reports::lint::FORMAT_VERSION,
        release: Some("1.37".to_owned()),
        summary: LintSummary {
            packages: 1,
            types: 2,
            fields: 1200,
            tags: 3,
            errors: 1,
            warnings: 1,
            notes: 1,
            excused: 4,
        },
        findings: vec![
            finding("unknown-tag", Severity::Warning, None),
            finding("requiredness", Severity::Error, Some(5)),
            finding("graduation-eligible", Severity::Warning, Some(7)),
            finding("optional-default", Severity::Note, Some(9)),
            finding("graduation-eligible", Severity::Warning, Some(12)),
        ],
        lints: abouts(),
        off: if with_notes { Vec::new() } else { vec!["unknown-tag"] },
        with_notes,
    }
}

/// Three lints.
pub(crate) fn lints() -> LintList {
    LintList { format_version: takeover_reports::lint::FORMAT_VERSION, lints: abouts() }
}

/// An object of each sort, and problems.
pub(crate) fn validated() -> ValidationReport {
    let object = |line: u64, name: &str, result, errors| ValidatedObject {
        source: Provenance::File { path: "web.yaml".to_owned(), document: 1, line },
        subject: SUBJECT.to_owned(),
        kind: "ReplicationController".to_owned(),
        name: name.to_owned(),
        namespace: "default".to_owned(),
        operation: Operation::Create,
        result,
        undecodable: None,
        errors,
        errors_left_out: 0,
        differences: Vec::new(),
        warnings: Vec::new(),
    };
    let complaint = |side, field: &'static str, standing, rules: Vec<RuleNote>| {
        let error = FieldError::new(ErrorType::Invalid, &Path::ROOT.child(field), json!(-1), "must be at least 0");
        let enforced = standing == Enforcement::Enforced;
        Complaint {
            side,
            message: error.to_string(),
            error,
            rules,
            enforced,
            standing,
            decisive: enforced,
            because: None,
        }
    };
    let note = || RuleNote {
        rule: rule_ref("replicas", "minimum=0"),
        level: Level::Alpha,
        since: Some("1.36".to_owned()),
        source: Some(source(21)),
    };
    let mut report = ValidationReport::new(AuthorityPolicy::Lifecycle(LifecycleGates::of(LifecycleRelease::V1_37)));
    report.add(object(1, "fine", Validity::Valid, vec![]));
    report.add(object(
        9,
        "bad",
        Validity::Invalid,
        vec![
            complaint(Side::Reference, "replicas", Enforcement::Enforced, vec![note()]),
            complaint(Side::Reference, "selector", Enforcement::Enforced, vec![]),
            complaint(Side::Candidate, "replicas", Enforcement::AlphaRule, vec![note()]),
            complaint(Side::Candidate, "paused", Enforcement::BetaGateOff, vec![note()]),
        ],
    ));
    report.add(ValidatedObject {
        undecodable: Some(Undecoded {
            old_object: false,
            field: "spec.replicas".to_owned(),
            reason: "wrong type".to_owned(),
            detail: "a string for an integer".to_owned(),
        }),
        ..object(20, "odd", Validity::Undecodable, vec![])
    });
    let place = Provenance::File { path: "web.yaml".to_owned(), document: 4, line: 30 };
    report.problems.push(Problem::at(ProblemKind::UnknownKind, &place, "unknown kind `v9 Nothing`".to_owned()));
    report.problems.push(Problem::without_place(ProblemKind::Usage, "--option `x`: no rule names it".to_owned()));
    report.known_kinds = vec!["v1 Pod".to_owned(), SUBJECT.to_owned()];
    report.subjects.insert(
        SUBJECT.to_owned(),
        JudgedBy {
            reference: true,
            crd: false,
            rules: 3,
            unjudged: vec![Delegated { path: "spec.template".to_owned(), reason: "pod spec".to_owned() }],
        },
    );
    report
        .subjects
        .insert("v1 Widget".to_owned(), JudgedBy { reference: false, crd: false, rules: 2, unjudged: vec![] });
    report.skipped.insert("a delete".to_owned(), 2);
    report.finish();
    report
}

/// Two subjects, one of an older version.
pub(crate) fn subjects(in_detail: bool) -> SubjectList {
    let check = || Check {
        error_type: "FieldValueInvalid".to_owned(),
        field: "spec.replicas".to_owned(),
        origin: "minimum".to_owned(),
    };
    let entry = |version: &str| SubjectEntry {
        subject: format!("{version} ReplicationController"),
        id: SubjectId::new(version, "ReplicationController"),
        releases: vec![SubjectRelease {
            release: "1.36".to_owned(),
            served: if version == "v1" { "by default" } else { "not since 1.22" }.to_owned(),
            runs: "yes".to_owned(),
        }],
        unshown: (version != "v1").then(|| "no longer served since 1.22".to_owned()),
        levels: LevelCounts { alpha: 2, beta: 1, stable: 0 },
        rules: vec![
            SubjectRule {
                path: "spec.replicas".to_owned(),
                rule: "alpha minimum=0".to_owned(),
                twin: vec![check()],
                agreed: 12,
                disagreed: 1,
            },
            SubjectRule { path: String::new(), rule: "beta union".to_owned(), twin: vec![], agreed: 0, disagreed: 2 },
            SubjectRule {
                path: "spec".to_owned(),
                rule: "alpha immutable".to_owned(),
                twin: vec![],
                agreed: 0,
                disagreed: 0,
            },
        ],
        not_covered: vec![Check { origin: String::new(), ..check() }],
        delegated: vec![DelegatedReport { path: "spec.template".to_owned(), reason: "pod spec".to_owned() }],
        verdicts: BTreeMap::from([
            (DECLARATIVE.to_owned(), AgreementCount { compared: 20, agreed: 20 }),
            (HANDWRITTEN.to_owned(), AgreementCount { compared: 21, agreed: 19 }),
        ]),
    };
    SubjectList {
        subjects: vec![entry("v1"), entry("v1beta1")],
        pairs: Vec::new(),
        release: "1.36".to_owned(),
        in_detail,
    }
}

/// Two kinds, a disagreement and what was skipped.
pub(crate) fn agreement() -> Agreement {
    let mut agreement = Agreement::default();
    agreement.shown = 1;
    let example = |detail: String| FixtureExample {
        place: "core.jsonl:7".to_owned(),
        id: "rc-negative".to_owned(),
        bytes: 100,
        detail,
    };
    let difference = |what: &str| (what.to_owned(), format!("ours   {what}\ntheirs nothing"));
    agreement.count(SUBJECT, HANDWRITTEN, "create", vec![], example);
    agreement.count(SUBJECT, HANDWRITTEN, "create", vec![difference("an error in excess")], example);
    agreement.count(SUBJECT, DECLARATIVE, "create", vec![], example);
    agreement.count("v1 Service", HANDWRITTEN, "update", vec![difference("an error that we lack")], example);
    agreement.count("v1 Service", "matcher 1.35", "compare", vec![], example);
    agreement.skip("not a fixture");
    agreement.finish();
    agreement
}

/// A gate that fails for every reason, or passes.
pub(crate) fn gate(fails: bool) -> GateReport {
    use FailureReason::{BelowFloor, Expired, Finding, NothingCompared, Stale, Unreadable, Worse};
    let reasons = [NothingCompared, Finding, Unreadable, Expired, Stale, Worse, BelowFloor];
    let failures = reasons.map(|reason| GateFailure {
        reason,
        what: format!("{SUBJECT}: spec.replicas minimum=0"),
        message: "was ready and is blocked:\n7 cases that only the rule rejects".to_owned(),
        file: (reason != NothingCompared).then(|| "core/v1/types.go".to_owned()),
        line: (reason == Finding).then_some(21),
        reproduce: (reason == Finding).then(|| "takeover soak --cases 0 --recorded findings/001.json".to_owned()),
    });
    GateReport {
        format_version: 1,
        passed: !fails,
        exit_code: if fails { 3 } else { 0 },
        subjects: 1,
        compared: 2000,
        production: (!fails).then(|| Production {
            since: "2026-11-12".to_owned(),
            days: 15,
            replicas: 2,
            comparisons: 1_500,
            ..Production::default()
        }),
        summary: run().summary,
        rules: BTreeMap::from([("ready".to_owned(), 1), ("blocked".to_owned(), 1)]),
        excused: 1,
        unjudged_exceptions: 2,
        unjudged_baseline: 3,
        moved: vec![format!("{SUBJECT}: spec.replicas optional: new, ready, alpha")],
        failures: if fails { failures.into() } else { Vec::new() },
        run: "target/takeover/gate".to_owned(),
        program: "takeover",
        config: Some("teams/takeover.toml".to_owned()),
        pair: String::new(),
    }
}

/// A line that moves, one that rests on exceptions, and one that stays.
pub(crate) fn promotion(to: Level) -> PromotionReport {
    let excused = || run().findings().filter_map(ExcusedFinding::of).collect::<Vec<_>>();
    let moved = |line, exceptions| MovedLine {
        at: source(line),
        rule: "minimum=0".to_owned(),
        before: "k8s:alpha(since: \"1.36\")=+k8s:minimum=0".to_owned(),
        after: "k8s:beta(since: \"1.37\")=+k8s:minimum=0".to_owned(),
        exceptions,
    };
    PromotionReport {
        format_version: takeover_reports::promote::FORMAT_VERSION,
        from: if to == Level::Beta { Level::Alpha } else { Level::Beta },
        to,
        moved: vec![moved(21, vec![]), moved(30, excused())],
        stay: vec![StayingLine {
            at: source(40),
            rule: "immutable".to_owned(),
            because: "blocked for `v1 ReplicationController`:\n7 cases".to_owned(),
            exceptions: excused(),
        }],
        idle: vec![IdleLine { at: source(20), rule: "optional".to_owned() }],
        checks: vec![
            TwinCheck { check: "core Pod: FieldValueInvalid at spec".to_owned(), deletable: true, needed_by: None },
            TwinCheck {
                check: "core Service: FieldValueInvalid at spec".to_owned(),
                deletable: false,
                needed_by: Some("`v1 Service` was not judged".to_owned()),
            },
        ],
        unjudged: 3,
        patch: "--- a/core/v1/types.go\n+++ b/core/v1/types.go\n@@ -21 +21 @@\n-\t// +k8s:alpha\n+\t// +k8s:beta\n"
            .to_owned(),
    }
}
