//! Checking programs: a good one passes, and each fault fails the check that is named after it.

use crate::support::{Fake, GOOD, assert_says, widget};
use takeover_external::exec::conformance::{CheckOutcome, Conformance, ExampleQuestion, check};
use takeover_harness::subject::SubjectId;

const KINDS: &str = "kinds=[{'apiVersion': 'shop.example.com/v1', 'kind': 'Widget'}]";

fn examples() -> Vec<ExampleQuestion> {
    let subject = || SubjectId::new("shop.example.com/v1", "Widget");
    vec![
        ExampleQuestion::create(subject(), widget(1)),
        ExampleQuestion::create(subject(), widget(-1)),
        ExampleQuestion::create(subject(), widget(2)).unchanged(),
    ]
}

fn report(script: &str) -> Conformance {
    check(&Fake::new(script).settings, &examples())
}

/// Names and explanations of the checks that came to this.
fn named(report: &Conformance, outcome: CheckOutcome) -> Vec<(&'static str, &str)> {
    let checks = report.checks.iter().filter(|check| check.outcome == outcome);
    checks.map(|check| (check.name, check.explanation.as_str())).collect()
}

#[test]
fn a_good_program_passes_everything() {
    let report = report(&GOOD.replace("hello(", &format!("hello({KINDS}, ")));
    assert!(report.passed(), "{report:#?}");
    assert_eq!(report.count(CheckOutcome::Passed), 15, "{report:#?}");
    assert_eq!(report.hello.as_ref().unwrap().title(), "widget-oracle 1.2");
    let json = serde_json::to_value(&report).unwrap();
    assert_eq!(json["checks"][6]["name"], "pending");
    assert_eq!(json["checks"][6]["explanation"], "64 questions");
    assert_eq!(json["checks"][6]["outcome"], "passed");
}

#[test]
fn what_does_not_apply_is_skipped() {
    let report = report("hello(steady=False)\nfor q in questions(): say(judge(q))");
    assert!(report.passed(), "{report:#?}");
    let skipped = [("batch", "its hello has `batch` 1"), ("steady", "its hello has `steady` false")];
    assert_eq!(named(&report, CheckOutcome::Skipped), skipped);
}

#[test]
fn a_program_without_examples_is_asked_about_a_made_up_object() {
    let fake =
        Fake::new(&format!("hello({KINDS})\nfor q in questions(): say({{'id': q['id'], 'failure': q['kind']}})"));
    let report = check(&fake.settings, &[]);
    assert!(report.passed(), "{report:#?}");
    assert_says(&report.checks[4].explanation, "could not judge a made-up object: Widget");
}

#[test]
fn a_program_that_says_no_usable_hello_fails_there_and_nowhere_else() {
    for (script, check, says) in [
        ("sys.exit(2)", "starts", "the process exited with code 2"),
        ("print('hi', flush=True)\nsys.stdin.read()", "starts", "something else before its hello: `hi`"),
        ("say({'hello': {'protocol': 3}})\nsys.stdin.read()", "protocol-version", "says `\"protocol\":3`"),
        ("say({'hello': {'name': 'w'}})\nsys.stdin.read()", "protocol-version", "has no `protocol`"),
        ("hello(kinds=[])\nsys.stdin.read()", "hello-members", "empty list of `kinds`"),
    ] {
        let report = report(script);
        let failed = named(&report, CheckOutcome::Failed);
        assert!(matches!(failed.as_slice(), [(name, _)] if *name == check), "{report:#?}");
        assert_says(failed[0].1, says);
        assert_eq!(report.checks.len(), 15);
    }
}

#[test]
fn each_fault_fails_its_check() {
    let with = |hello: &str, body: &str| format!("hello({hello})\n{body}");
    let each = |body: &str| format!("for q in questions():\n    {body}\n    say(judge(q))\n");
    for (script, fails) in [
        (with("", &format!("{}sys.exit(3)", each("pass"))), &[("ends", "exited with code 3")][..]),
        (
            with("", &each("print('judging')")),
            &[("only-messages", "not JSON (expected value at line 1 column 1): `judging`")],
        ),
        (
            with("batch=4", "for several in lines():\n    say(judge(several[0]))\n"),
            &[("batch", "no answer within 0.5 s: 1 of 4"), ("pending", "1")],
        ),
        (
            with("pending=4", "for n, q in enumerate(questions()):\n    if n == 3: say(judge(q))\n    say(judge(q))\n"),
            &[("pending", "answered question 4 a second time"), ("steady", "a second time")],
        ),
        (
            with(
                "",
                "for q in questions(): say({'id': q['id'], 'failure': str(os.getpid())} if isinstance(q['object'], dict) and q['kind'] == 'Widget' and number(q) < 0 else judge(q))",
            ),
            &[
                ("answers", "create of shop.example.com/v1 Widget: "),
                ("steady", "another process answered question 2 differently"),
            ],
        ),
        (
            with("", &each("if 'oldObject' in q: continue")),
            &[("answers", ""), ("pending", ""), ("steady", ""), ("old-object", "no answer within 0.5 s")],
        ),
        (with("", &each("if len(str(q)) > 1000000: os._exit(1)")), &[("big-object", "exited with code 1")]),
        (
            with("", &each("if 'takeoverExtension' in q: sys.exit('unknown member')")),
            &[("blank-lines-and-unknown-members", "unknown member")],
        ),
        (
            with(
                KINDS,
                &each("if q['kind'] == 'Unknown':\n        say({'id': q['id'], 'errors': []})\n        continue"),
            ),
            &[("unknown-kind", "accepted an object of a kind that its hello does not list")],
        ),
        (
            with("", &each("q['object']['spec']")),
            &[("unknown-kind", "KeyError"), ("wrong-type", "TypeError"), ("recovers", "TypeError")],
        ),
        (
            with(
                "",
                &each("if isinstance(q['object'], str):\n        say({'id': q['id'], 'errors': []})\n        continue"),
            ),
            &[("wrong-type", "accepted a text")],
        ),
    ] {
        let report = report(&script);
        let failed = named(&report, CheckOutcome::Failed);
        let names: Vec<_> = failed.iter().map(|(name, _)| *name).collect();
        assert_eq!(names, fails.iter().map(|(name, _)| *name).collect::<Vec<_>>(), "{script}: {report:#?}");
        for ((_, explanation), (_, says)) in failed.iter().zip(fails) {
            assert_says(explanation, says);
        }
    }
}
