//! The report of a run over pairs of every sort: what the oracles say is judged here, and every form names it.

use super::texts::assert_forms;
use serde_json::{Value, json};
use std::sync::Arc;
use takeover_harness::case::{Case, Operation, Options, Provenance};
use takeover_harness::compare::{Comparator, Direction, Matcher, Semantics, Signature, Unset};
use takeover_harness::error::{ErrorType, FieldError};
use takeover_harness::evidence::{CasePlace, Evidence, Example, PairEvidence};
use takeover_harness::exception::{Exception, Exceptions, Excuses};
use takeover_harness::form::Form;
use takeover_harness::judge::{CaseRecord, Judge};
use takeover_harness::object::{Arena, FieldValidation, to_value};
use takeover_harness::oracle::{Answer, Decision, Oracle, OracleFailure, Precision, Question, View, WithPrecision};
use takeover_harness::pair::Pair;
use takeover_harness::path::Path;
use takeover_harness::readiness::ReadinessPolicy;
use takeover_harness::rule::{Rule, RuleId, RuleRef};
use takeover_harness::schema::{Field, Kind, Presence, Schema, Struct};
use takeover_harness::subject::{PairId, SubjectId};
use takeover_reports::run::FORMS;
use takeover_reports::{
    CaseDifference, Criteria, Diff, FindingCase, FindingFile, Look, RunReport, Selection, VerdictKind, build,
};

/// `v1 Thing { kind, apiVersion, name string; count int32 }`.
fn things() -> Form {
    let mut schema = Schema::new();
    let text = schema.add("string", Kind::Text);
    let int32 = schema.add("int32", Kind::Int { bits: 32, signed: true });
    let fields = [("kind", text), ("apiVersion", text), ("name", text), ("count", int32)];
    let fields = fields.map(|(name, ty)| Field {
        go_name: name.into(),
        json_name: name.into(),
        ty,
        presence: Presence::Named,
        omit_empty: true,
        default: None,
    });
    let root = schema.add("Thing", Kind::Struct(Struct::new(fields.into())));
    schema.link();
    Form { schema: Arc::new(schema), root, field_validation: FieldValidation::Strict, defaulter: None, strategy: None }
}

fn count(question: &Question<'_>) -> i64 {
    question.objects.new.field(3).int()
}

fn pair(name: &str, reference: Box<dyn Oracle>, candidate: Box<dyn Oracle>) -> Pair {
    Pair::new(PairId::named(SubjectId::new("v1", "Thing"), name).unwrap(), things(), reference, candidate)
}

/// Decides by itself, and gives no answer to some counts.
struct Webhook {
    minimum: i64,
    silent_from: i64,
}

impl Oracle for Webhook {
    fn precision(&self) -> Precision {
        Precision::DECISIONS
    }

    fn answer(&self, question: &Question<'_>, _: &View, answer: &mut Answer) -> Result<(), OracleFailure> {
        let count = count(question);
        if count >= self.silent_from {
            return Err(OracleFailure::new("timed out"));
        }
        let accepts = count >= self.minimum;
        answer.decision = Some(if accepts {
            Decision::Accept
        } else {
            Decision::Reject(format!("policy: fewer than {}", self.minimum).into())
        });
        Ok(())
    }
}

/// Two webhooks: the reference asks for one more, and the candidate does not always answer.
fn decisions() -> Pair {
    let webhook = |minimum, silent_from| Box::new(Webhook { minimum, silent_from });
    pair("webhook", webhook(0, i64::MAX), webhook(-1, 4))
}

/// Puts these members into the object.
fn putting(members: Value) -> Box<dyn Oracle> {
    Box::new(WithPrecision(Precision::OBJECTS, move |question: &Question<'_>, answer: &mut Answer| {
        let objects = &question.objects;
        let mut object = to_value(objects.schema, objects.root, &objects.new);
        object.as_object_mut().unwrap().extend(members.as_object().unwrap().clone());
        answer.object = Some(object);
    }))
}

/// Two defaulters that agree on nothing, with a rule at one of the places.
fn objects() -> Pair {
    let defaulters =
        pair("defaults", putting(json!({"count": 1, "name": "n"})), putting(json!({"count": 2, "other": null})));
    Pair {
        comparator: Comparator::Objects { unset: Unset::Distinct },
        rules: vec![Rule::new(RuleId(0), "count", "default=1")],
        ..defaulters
    }
}

fn error(error_type: ErrorType, field: &str) -> FieldError {
    FieldError { field: field.into(), ..FieldError::new(error_type, &Path::ROOT, -1, "must not be negative") }
}

/// Two functions that report errors: they agree on one, each is alone with another, and the reference says once that it rejects and
/// not why.
fn fields() -> Pair {
    let reference = |question: &Question<'_>, answer: &mut Answer| match count(question) {
        4 => answer.decision = Some(Decision::Reject("no".into())),
        count if count < 0 => {
            answer.push(error(ErrorType::Invalid, "count").with_origin("minimum"));
            answer.push(error(ErrorType::Required, "name"));
        }
        _ => {}
    };
    let candidate = |question: &Question<'_>, answer: &mut Answer| {
        if count(question) < 0 {
            answer.push(error(ErrorType::Invalid, "count"));
            answer.push(error(ErrorType::TooLong, "name"));
        }
    };
    pair("functions", Box::new(reference), Box::new(candidate))
}

/// A handwritten check and a rule, compared as Kubernetes compares: the rule is too narrow.
fn kubernetes() -> Pair {
    let rule = RuleId(0);
    let reference = |question: &Question<'_>, answer: &mut Answer| {
        if count(question) == 0 {
            answer.push(error(ErrorType::Forbidden, "count").with_origin("zero").covered());
        }
    };
    let candidate = move |_: &Question<'_>, answer: &mut Answer| answer.reach(rule);
    let oracles = (WithPrecision(Precision::KUBERNETES, reference), WithPrecision(Precision::KUBERNETES, candidate));
    Pair {
        comparator: Comparator::Kubernetes(Matcher::new(Semantics::V1_37)),
        rules: vec![Rule::new(rule, "count", "nonzero")],
        ..pair("", Box::new(oracles.0), Box::new(oracles.1))
    }
}

/// Creates of things with counts from -2 to 5.
fn cases() -> Vec<Case<'static>> {
    let case = |count: i64| Case {
        operation: Operation::Create,
        object: json!({"apiVersion": "v1", "kind": "Thing", "count": count}).into(),
        old: None,
        options: Options::new(),
        provenance: Provenance::Generated { seed: 7, chunk: 0, index: 0, planted: String::new() },
    };
    (-2..6).map(case).collect()
}

/// The report of a run over `pairs`, with the smallest case of every finding judged again.
fn report(pairs: &[Pair], exceptions: &Exceptions) -> RunReport {
    let mut evidence = Evidence::new();
    let (mut arena, mut record) = (Arena::new(), CaseRecord::new());
    for pair in pairs {
        let judge = Judge::new(pair);
        let mut part = PairEvidence::of(&judge);
        for (at, case) in (0..).zip(cases()) {
            let judgement = judge.case(&case, &mut arena, &mut record);
            part.record(CasePlace::generated(0, at), &case, &judgement, &record);
        }
        evidence.add(part).unwrap();
    }
    let mut files = Vec::new();
    for of in evidence.pairs() {
        let pair = pairs.iter().find(|pair| pair.id == *of.pair()).unwrap();
        let judge = Judge::new(pair);
        for (signature, found) in &of.operation(Operation::Create).signatures {
            let Example { case, sighting, .. } = &found.smallest;
            let case = case.to_case(sighting.provenance.clone());
            let _ = judge.case(&case, &mut arena, &mut record);
            let number = files.len() + 1;
            let file = format!("findings/{number:03}.yaml");
            let case = FindingCase {
                signature: Some(signature.clone()),
                compared_by: Some(pair.comparator.name()).filter(|how| !how.is_usual()),
                minimal: json!({
                    "apiVersion": "takeover.dev/v1alpha1", "kind": "Case", "operation": "create",
                    "object": case.object.to_value().unwrap(),
                }),
                reference: record.reference.errors.as_slice().to_vec(),
                candidate: record.candidate.errors.as_slice().to_vec(),
                differences: record.differences.iter().filter_map(CaseDifference::of).collect(),
                panics: Vec::new(),
            };
            let reproduce = format!("takeover soak --cases 0 --recorded {file}");
            files.push(FindingFile { label: signature.to_string(), number, file, minimal_lines: 3, reproduce, case });
        }
    }
    let excuses = Excuses::of(exceptions, &evidence);
    let policy =
        ReadinessPolicy { min_accepts: 2, min_rejects: 1, max_mismatch_rate: 1.0, ..ReadinessPolicy::default() };
    build(&evidence, pairs, 7, &files, Criteria { policy: &policy, excuses: &excuses })
}

/// No exceptions, or one that excuses the finding of this signature, which is attributed to these rules.
fn exceptions(excused: Option<(&str, &[RuleRef])>) -> Exceptions {
    let mut exceptions = Exceptions::default();
    if let Some((signature, rules)) = excused {
        let exception = json!({
            "about": {"finding": {"signature": signature.parse::<Signature>().unwrap(), "rules": rules, "signatures": 1}},
            "classes": ["apiVersion+count+kind", "apiVersion+kind", "negative", "positive", "unset"], "share": 1.0, "line": 3,
            "reason": "older clients rely on it", "owner": "sig-apps", "issue": "#7", "expires": "2027-01-31",
        });
        exceptions.add(serde_json::from_value::<Exception>(exception).unwrap()).unwrap();
    }
    exceptions
}

/// Pairs of every sort in one run.
fn all() -> [Pair; 4] {
    [kubernetes(), decisions(), objects(), fields()]
}

/// The report of that run, in which the finding of the rule on `count` is excused.
fn of_all() -> RunReport {
    let rule = RuleRef { path: "count".into(), chain: "default=1".into() };
    report(&all(), &exceptions(Some(("v1 Thing#defaults create new differs - Value count -", &[rule]))))
}

#[test]
fn pairs_of_every_sort_are_named_rightly_in_every_form() {
    let report = of_all();
    assert_eq!(report.semantics, "1.37, by decision, by field, by value");
    assert_forms("pairs", &report, FORMS);
}

#[test]
fn decisions_alone_are_not_said_to_be_matched_as_in_kubernetes() {
    let report = report(&[decisions()], &exceptions(None));
    for form in FORMS {
        let text = (form.write)(&report, Look::plain(120)).unwrap();
        assert!(!text.contains("Kubernetes"), "{}: {text}", form.name);
        assert!(text.contains("decision") || ["github", "screen"].contains(&form.name), "{}: {text}", form.name);
    }
}

fn schema() -> jsonschema::Validator {
    let schema = serde_json::from_str(include_str!("../../schema/report.v3.json")).unwrap();
    jsonschema::draft202012::new(&schema).unwrap()
}

#[test]
fn the_machine_format_keeps_to_the_schema_and_reads_back() {
    let schema = schema();
    let report = of_all();
    let value = serde_json::to_value(&report).unwrap();
    let errors: Vec<String> =
        schema.iter_errors(&value).map(|error| format!("{}: {error}", error.instance_path())).collect();
    assert!(errors.is_empty(), "{}", errors.join("\n"));
    assert_eq!(RunReport::from_json(&value.to_string()).unwrap(), report);
    // Nothing that tells such pairs from others can be misspelt unnoticed, and no word can be another one.
    let of = |pair: &str| {
        let at = report.subjects.iter().position(|subject| subject.subject == format!("v1 Thing{pair}")).unwrap();
        format!("/subjects/{at}")
    };
    let (webhook, defaults) = (of("#webhook"), of("#defaults"));
    for (at, member, other) in [
        (webhook.clone(), "comparedBy", json!("by decision")),
        (webhook.clone(), "answers", json!({"asked": 1})),
        (webhook.clone(), "pair", json!({"verdict": "ready"})),
        (format!("{webhook}/answers/failures"), "candidate", json!(-1)),
        (format!("{webhook}/findings/0/case"), "differences", json!([{"what": "decision", "direction": "differs"}])),
        (format!("{webhook}/findings/0/case/signature"), "what", json!("error")),
        (format!("{webhook}/findings/0/case/signature"), "direction", json!("both")),
        (format!("{webhook}/findings/0/case/signature/subject"), "pair", json!("Web Hook")),
        (defaults.clone(), "comparedBy", json!({"objects": {"unset": "null"}})),
        (defaults.clone(), "reachedByPresence", json!(false)),
        (format!("{defaults}/findings/0"), "matter", json!("values")),
        (format!("{defaults}/fields/0/rules/0/create"), "differs", json!(-1)),
        (format!("{defaults}/findings/0/case/differences/0"), "path", json!(7)),
        (of("#functions") + "/totals", "incomparable", json!(-1)),
        (of("#functions"), "comparedBy", json!({"fields": {}})),
        (String::new(), "semantics", json!("by guess")),
    ] {
        let change = |change: &dyn Fn(&mut serde_json::Map<String, Value>, Value)| {
            let mut changed = value.clone();
            let object = changed.pointer_mut(&at).unwrap_or_else(|| panic!("no {at}")).as_object_mut().unwrap();
            let before = object.remove(member).unwrap_or_else(|| panic!("no {member} in {at}"));
            change(object, before);
            changed
        };
        let renamed = change(&|object, before| drop(object.insert("renamed".to_owned(), before)));
        assert!(!schema.is_valid(&renamed), "{at}/{member} can be renamed");
        let replaced = change(&|object, _| drop(object.insert(member.to_owned(), other.clone())));
        assert!(!schema.is_valid(&replaced), "{at}/{member} can be {other}");
    }
}

#[test]
fn a_null_that_differs_from_an_absent_value_is_one_still_when_it_is_read_again() {
    let said = |reference: Option<Value>, candidate: Option<Value>| {
        let difference =
            CaseDifference::Value { direction: Direction::Extra, path: "other".into(), reference, candidate };
        let text = serde_json::to_string(&difference).unwrap();
        assert_eq!(serde_json::from_str::<CaseDifference>(&text).unwrap(), difference);
        text
    };
    assert!(said(None, Some(Value::Null)).contains("null") && !said(None, None).contains("null"));
}

#[test]
fn a_finding_that_is_no_error_is_cut_before_it_comes_into_a_report() {
    let long = "é".repeat(1 << 16);
    let cut = |difference: CaseDifference| {
        let report = report(&[decisions()], &exceptions(None));
        let case = report.findings().find_map(|finding| finding.case.clone()).unwrap();
        let case = FindingCase { differences: vec![difference], ..case }.cut();
        serde_json::to_string(&case.differences).unwrap()
    };
    let direction = Direction::Missing;
    for text in [
        cut(CaseDifference::Decision { direction, field: String::new(), reason: long.clone(), shape: String::new() }),
        cut(CaseDifference::Value { direction, path: "a".into(), reference: Some(json!([long])), candidate: None }),
    ] {
        assert!(text.len() < 20_000 && text.contains("(65536 characters in all)"), "{} bytes", text.len());
    }
}

#[test]
fn a_part_of_a_report_is_taken_by_kind_and_by_the_verdicts_of_pairs() {
    let report = || report(&all(), &exceptions(None));
    let names = |selection: Selection| -> Vec<String> {
        selection.of(report()).unwrap().subjects.into_iter().map(|subject| subject.subject).collect()
    };
    let every = ["v1 Thing", "v1 Thing#defaults", "v1 Thing#functions", "v1 Thing#webhook"];
    assert_eq!(names(Selection { kind: Some("thing".into()), ..Selection::default() }), every);
    assert_eq!(
        names(Selection { kind: Some("v1 Thing#webhook".into()), ..Selection::default() }),
        ["v1 Thing#webhook"]
    );
    let short = Selection { only: vec![VerdictKind::Insufficient], ..Selection::default() };
    assert!(!names(short).contains(&"v1 Thing#webhook".to_owned()), "it is blocked");
}

#[test]
fn a_pair_whose_verdict_is_another_one_is_told_by_the_difference_of_two_runs() {
    let alike = || Box::new(Webhook { minimum: 0, silent_from: i64::MAX });
    let (blocked, ready) =
        (report(&[decisions()], &exceptions(None)), report(&[pair("webhook", alike(), alike())], &exceptions(None)));
    let worse = Diff::of(&ready, &blocked);
    assert!(worse.is_worse());
    insta::assert_snapshot!(worse.text());
    let better = Diff::of(&blocked, &ready);
    assert!(
        !better.is_worse() && better.markdown().contains("**better** pair `v1 Thing#webhook`: "),
        "{}",
        better.markdown()
    );
    assert!(Diff::of(&ready, &ready).is_empty());
    assert!(Diff::of(&ready, &report(&[], &exceptions(None))).text().starts_with("vanished  pair: v1 Thing#webhook: "));
}

#[test]
fn an_excused_finding_does_not_block_a_pair() {
    let verdict = |report: RunReport| VerdictKind::of(&report.subjects[0].pair.as_ref().unwrap().verdict);
    assert_eq!(verdict(report(&[decisions()], &exceptions(None))), VerdictKind::Blocked);
    let excuse =
        exceptions(Some(("v1 Thing#webhook create new missing reports-less Decision <nil> policy: fewer than N", &[])));
    let excused = report(&[decisions()], &excuse);
    assert_eq!(excused.findings().filter(|finding| finding.is_excused()).count(), 1);
    assert_eq!(verdict(excused), VerdictKind::Insufficient, "answers are lacking still");
}
