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
    assert_eq!(report.count(CheckOutcome::Passed), 16, "{report:#?}");
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
        assert_eq!(report.checks.len(), 16);
    }
}

/// Asserts that a program fails these checks, with such explanations, and no others.
#[track_caller]
fn fails(hello: &str, rest: &str, checks: &[(&str, &str)]) {
    let report = report(&format!("hello({hello})\n{rest}"));
    let failed = named(&report, CheckOutcome::Failed);
    let names: Vec<_> = failed.iter().map(|(name, _)| *name).collect();
    assert_eq!(names, checks.iter().map(|(name, _)| *name).collect::<Vec<_>>(), "{report:#?}");
    for ((_, explanation), (_, says)) in failed.iter().zip(checks) {
        assert_says(explanation, says);
    }
}

/// A program that does something before each answer.
fn each(does: &str) -> String {
    format!("for q in questions():\n    {does}\n    say(judge(q))\n")
}

#[test]
fn an_exit_code_at_the_end_fails() {
    fails("", &format!("{}sys.exit(3)", each("pass")), &[("ends", "was closed, the process exited with code 3")]);
}

#[test]
fn other_lines_fail() {
    let says = "not JSON (expected value at line 1 column 1): `judging`";
    fails("", &each("print('judging')"), &[("only-messages", says)]);
}

#[test]
fn a_batch_that_is_answered_in_part_fails() {
    let rest = "for several in lines():\n    say(judge(several[0]))\n";
    fails("batch=4, pending=4", rest, &[("batch", "no answer within 0.5 s: 1 of 4"), ("pending", "1 of 4")]);
}

#[test]
fn a_second_answer_fails() {
    let rest = "for n, q in enumerate(questions()):\n    if n == 7: say(judge(q))\n    say(judge(q))\n";
    fails("pending=8", rest, &[("pending", "the oracle answered question 8 a second time")]);
}

#[test]
fn an_example_that_cannot_be_judged_fails() {
    let does = "if isinstance(q['object'], dict) and q['kind'] == 'Widget' and number(q) < 0:\n        \
                say({'id': q['id'], 'failure': str(os.getpid())})\n        continue";
    let steady = ("steady", "another process answered question 2 differently when asked again");
    fails("", &each(does), &[("answers", "create of shop.example.com/v1 Widget: "), steady]);
}

#[test]
fn answers_that_are_lost_at_the_end_fail() {
    let does = "import select\n    time.sleep(0.02)\n    end = select.poll()\n    end.register(0)\n    \
                if any(what & select.POLLHUP for _, what in end.poll(0)): sys.exit()";
    fails("", &each(does), &[("answers-before-it-ends", "exited with code 0")]);
}

#[test]
fn updates_that_are_not_answered_fail() {
    let late = "no answer within 0.5 s";
    let checks = [("answers", late), ("pending", late), ("steady", late), ("old-object", late)];
    fails("", &each("if 'oldObject' in q: continue"), &checks);
}

#[test]
fn a_death_of_a_big_object_fails() {
    fails("", &each("if len(str(q)) > 1000000: os._exit(1)"), &[("big-object", "exited with code 1")]);
}

#[test]
fn a_death_of_an_unknown_member_fails() {
    let does = "if 'takeoverExtension' in q: sys.exit('unknown member')";
    fails("", &each(does), &[("blank-lines-and-unknown-members", "unknown member")]);
}

#[test]
fn an_object_of_an_unlisted_kind_that_is_accepted_fails() {
    let does = "if q['kind'] == 'Unknown':\n        say({'id': q['id'], 'errors': []})\n        continue";
    fails(KINDS, &each(does), &[("unknown-kind", "accepted an object of a kind that its hello does not list")]);
}

#[test]
fn a_text_that_is_accepted_as_object_fails() {
    let does = "if isinstance(q['object'], str):\n        say({'id': q['id'], 'errors': []})\n        continue";
    fails("", &each(does), &[("wrong-type", "accepted a string")]);
}

#[test]
fn a_death_of_strange_objects_fails() {
    let checks = [("unknown-kind", "KeyError"), ("wrong-type", "TypeError"), ("recovers", "TypeError")];
    fails("", &each("q['object']['spec']"), &checks);
}
