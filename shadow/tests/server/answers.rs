//! What users are told, in each mode.

use crate::running::{Running, watched};
use crate::things::{HANGS, MISSED, PANICS, allowed, review};
use serde_json::json;
use takeover_harness::case::{Case, Operation, Options, Provenance};
use takeover_harness::compare::Comparator;
use takeover_harness::error::FieldError;
use takeover_harness::oracle::{Answer, BatchAnswers, BatchOracle, BatchQuestion, Batched, OracleFailure};
use takeover_harness::pair::Pair;
use takeover_harness::path::Path;
use takeover_harness::subject::SubjectId;
use takeover_shadow::Mode;
use takeover_shadow::selftest::{Check, self_test};

#[test]
fn in_shadow_mode_valid_and_invalid_objects_are_allowed_and_compared() {
    let running = Running::start(|_| {});
    for (uid, count) in [("one", 1), ("two", -1), ("three", MISSED)] {
        assert_eq!(running.review(&review(uid, count)), allowed(uid));
    }
    running.settle(3);
    assert_eq!(running.metric("declarative_validation_mismatch_total"), 1);
    let compared = |outcome| {
        let labels = format!("{{outcome=\"{outcome}\",validation_identifier=\"thing_create\"}}");
        running.metric(&format!("takeover_comparisons_total{labels}"))
    };
    assert_eq!(["agreed_accept", "agreed_reject", "missing"].map(compared), [1, 1, 1]);
    assert!(running.end().answered);
}

#[test]
fn with_enforcement_the_answer_is_that_of_the_authority() {
    let running = Running::start(|setup| {
        setup.plan.mode = Mode::Enforce;
        setup.settings.limits.body_bytes = 10_000;
    });
    assert_eq!(running.review(&review("valid", 1)), allowed("valid"));
    let refused = running.review(&review("invalid", -1));
    let message = "count: Invalid value: -1: must be greater than or equal to 0";
    assert_eq!(refused["response"]["allowed"], false);
    assert_eq!(refused["response"]["uid"], "invalid");
    assert_eq!(refused["response"]["status"]["code"], 422);
    assert_eq!(refused["response"]["status"]["message"], format!("Thing \"\" is invalid: {message}"));
    assert_eq!(running.review(&review("panics", PANICS)), allowed("panics"), "what was not judged is allowed");
    let mut undecodable = review("undecodable", 1);
    undecodable["request"]["object"]["count"] = "no number".into();
    assert_eq!(running.review(&undecodable), allowed("undecodable"));
    let mut large = review("large", 1);
    large["request"]["object"]["name"] = "x".repeat(20_000).into();
    assert_eq!(running.review(&large), allowed("large"));
    running.settle(5);
    let answers = |answer| running.metric(&format!("takeover_shadow_answers_total{{answer=\"{answer}\"}}"));
    assert_eq!(["refused", "allowed", "unjudged"].map(answers), [1, 1, 3]);
    running.end();
}

#[test]
fn with_enforcement_a_judgement_that_does_not_come_allows() {
    let running = Running::start(|setup| {
        setup.plan.mode = Mode::Enforce;
        setup.settings.limits.answer_milliseconds = 50;
    });
    assert_eq!(running.review(&review("hangs", HANGS)), allowed("hangs"));
    assert_eq!(running.metric("takeover_shadow_answers_total{answer=\"unjudged\"}"), 1);
    running.gate.open();
    running.settle(1);
    running.end();
}

#[test]
fn with_enforcement_a_subject_without_its_oracles_allows_and_has_no_judgement() {
    let running = Running::start(|setup| {
        setup.plan.mode = Mode::Enforce;
        setup.settings.limits.oracle_milliseconds = 50;
        setup.settings.limits.answer_milliseconds = 50;
    });
    assert_eq!(running.review(&review("hangs", HANGS)), allowed("hangs"));
    running.until("its subject is off", |running| {
        running.metric("takeover_shadow_subject_off{subject=\"v1 Thing\"}") == 1
    });
    assert_eq!(running.review(&review("off", -1)), allowed("off"));
    let answers = |answer| running.metric(&format!("takeover_shadow_answers_total{{answer=\"{answer}\"}}"));
    assert_eq!(["refused", "allowed", "unjudged"].map(answers), [0, 0, 2]);
    running.end();
}

#[test]
fn warnings_come_only_where_they_were_asked_for_and_refuse_nothing() {
    let running = Running::start(|setup| setup.plan.mode = Mode::Warn);
    let warned = running.review(&review("invalid", -1));
    let text = "declarative validation would reject this: count: Invalid value: -1: must be greater than or equal to 0";
    assert_eq!(warned["response"], json!({"uid": "invalid", "allowed": true, "warnings": [text]}));
    running.end();
}

#[test]
fn the_kill_switch_works_without_a_restart_even_against_enforcement() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("shadow.toml");
    std::fs::write(&file, "").unwrap();
    let running = Running::start(|setup| {
        setup.plan.mode = Mode::Enforce;
        setup.settings_file = watched(&file);
    });
    assert_eq!(running.review(&review("before", -1))["response"]["allowed"], false);
    std::fs::write(&file, "[compare]\nenabled = false\n").unwrap();
    running.server.reload();
    assert_eq!(running.review(&review("killed", -1)), allowed("killed"));
    std::fs::write(&file, "[compare]\nenabled = perhaps\n").unwrap();
    let in_force = || running.metric("takeover_shadow_reload_failed{file=\"settings\"}") == 0;
    assert!(in_force());
    for _ in 0..2 {
        running.server.reload();
        assert!(!in_force(), "as long as it lasts");
    }
    assert_eq!(running.review(&review("nonsense", -1)), allowed("nonsense"), "nonsense changes nothing");
    std::fs::write(&file, "[compare.kinds]\nThing = 1\n").unwrap();
    running.server.reload();
    assert!(in_force());
    assert_eq!(running.review(&review("after", -1))["response"]["allowed"], false);
    let allowed = running.metric("takeover_shadow_answers_total{answer=\"allowed\"}");
    assert_eq!(allowed, 2, "nobody wanted a judgement");
    assert_eq!(running.requests("switched_off"), 2);
    assert_eq!(running.metric("takeover_shadow_reloads_total{outcome=\"failed\"}"), 1);
    running.settle(4);
    running.end();
}

#[test]
fn only_the_sampled_share_is_compared_and_all_are_allowed() {
    let running = Running::start(|setup| setup.settings.compare.share = 0.5);
    for n in 0..40 {
        let uid = format!("uid-{n}");
        assert_eq!(running.review(&review(&uid, 1)), allowed(&uid));
    }
    running.settle(40);
    let (queued, left_out) = (running.requests("queued"), running.requests("not_sampled"));
    assert!(queued > 0 && left_out > 0 && queued + left_out == 40, "{queued} and {left_out}");
    running.end();
}

/// What the self-test finds, on a server whose pair is changed, when it sends things of these counts.
fn checked(counts: &[i64], change: fn(&mut Pair)) -> Vec<Check> {
    let made = takeover_shadow::certificate::make(&["localhost".to_owned()]).unwrap();
    let mut plan = || {
        let mut plan = crate::running::setup(&std::sync::Arc::default(), &made).plan;
        plan.pairs.iter_mut().for_each(change);
        Some(plan)
    };
    let case = |count: &i64| Case {
        operation: Operation::Create,
        object: json!({"kind": "Thing", "apiVersion": "v1", "count": count}).into(),
        old: None,
        options: Options::new(),
        provenance: Provenance::File { path: "-".to_owned(), document: 1, line: 1 },
    };
    let id = SubjectId::new("v1", "Thing");
    let cases: Vec<(SubjectId, Case<'static>)> = counts.iter().map(|count| (id.clone(), case(count))).collect();
    self_test(&mut plan, &cases, &Default::default()).unwrap()
}

/// Expects seven checks without fault.
fn assert_sound(checks: &[Check]) {
    assert_eq!(checks.len(), 7);
    assert!(checks.iter().all(|check| check.fault.is_none()), "{checks:?}");
}

#[test]
fn the_self_test_finds_nothing_wrong_with_a_sound_server() {
    assert_sound(&checked(&[1, -1], |_| {}));
}

/// Refuses what is below zero, and takes many questions at once.
struct Batches;

impl BatchOracle for Batches {
    fn answer_all(&self, asked: &[BatchQuestion<'_>], answers: &mut BatchAnswers) -> Result<(), OracleFailure> {
        for (number, asked) in asked.iter().enumerate() {
            let mut answer = Answer::new();
            if asked.question.objects.new.field(2).int() < 0 {
                answer.push(FieldError::invalid(&Path::ROOT.child("count"), "", "too low"));
            }
            answers.give(number, answer);
        }
        Ok(())
    }
}

fn in_batches(pair: &mut Pair, comparator: Comparator) {
    pair.comparator = comparator;
    (pair.reference, pair.candidate) = (Box::new(Batched(Batches)), Box::new(Batched(Batches)));
}

#[test]
fn the_self_test_notices_its_fault_in_oracles_that_are_asked_in_batches() {
    assert_sound(&checked(&[1, -1], |pair| in_batches(pair, Comparator::Fields { origin: false })));
    assert_sound(&checked(&[1, -1], |pair| in_batches(pair, Comparator::Verbatim)));
}

#[test]
fn the_self_test_notices_its_fault_where_decisions_are_compared_and_everything_is_refused() {
    assert_sound(&checked(&[-1, -2], |pair| in_batches(pair, Comparator::Decision)));
}
