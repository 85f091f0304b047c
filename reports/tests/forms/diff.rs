//! What changed from one report to another.

use super::sample;
use takeover_harness::readiness::{Criterion, Readiness, ReadinessPolicy};
use takeover_harness::rule::RuleRef;
use takeover_reports::run::Unfinished;
use takeover_reports::{Diff, FindingReport, FindingStanding, Level, RunReport, Turn};

/// A report of one subject, with names that differ.
fn named(subject: &str) -> RunReport {
    let mut report = sample::report(subject);
    for subject in &mut report.subjects {
        for field in &mut subject.fields {
            field.field = "spec.size".to_owned();
            for (index, rule) in field.rules.iter_mut().enumerate() {
                rule.rule = RuleRef { path: "spec.size".to_owned(), chain: format!("rule-{index}") };
            }
        }
        for finding in &mut subject.findings {
            finding.signature = format!("signature {}", finding.number);
        }
    }
    report
}

/// What `change` makes of the third rule, which is short of evidence.
fn turned(change: impl Fn(&mut RunReport)) -> Diff {
    let old = named("v1 Apple");
    let mut new = old.clone();
    change(&mut new);
    Diff::of(&old, &new)
}

#[test]
fn a_run_that_is_unfinished_is_named_before_anything_else() {
    let half = Unfinished { recorded: true, cases: 1_200, wanted: Some(20_000), ..Unfinished::default() };
    let diff = turned(|new| new.unfinished = Some(half));
    assert!(diff.is_empty(), "it changes nothing by itself");
    let said = "the new run is unfinished: 1,200 of 20,000 generated cases judged";
    assert!(diff.text().starts_with(&format!("warning: {said}\n")), "{}", diff.text());
    assert!(diff.markdown().contains(&format!("**Warning**: {said}.")), "{}", diff.markdown());
    assert_eq!(serde_json::to_value(&diff).unwrap()["unfinished"][0], said);
}

#[test]
fn a_report_does_not_differ_from_itself() {
    let diff = turned(|_| {});
    assert!(diff.is_empty() && !diff.is_worse());
    assert_eq!(diff.text(), "nothing changed\n");
}

#[test]
fn verdicts_turn_better_and_worse_and_only_the_latter_counts_against() {
    let set =
        |verdict: Readiness| turned(move |report| report.subjects[0].fields[0].rules[2].verdict = verdict.clone());
    for (verdict, turn, is_worse) in [
        (Readiness::Ready(vec![]), Turn::Better, false),
        (Readiness::Blocked(vec!["why".into()]), Turn::Worse, true),
        (Readiness::OutOfReach(vec![]), Turn::Other, false),
    ] {
        let diff = set(verdict);
        let turns: Vec<Turn> = diff.rules.iter().map(|change| change.turn).collect();
        assert_eq!((turns, diff.is_worse()), (vec![turn], is_worse), "{}", diff.text());
    }
    let worse = set(Readiness::Blocked(vec!["why".into()])).text();
    assert!(
        worse.starts_with("worse     v1 Apple spec.size rule-2: alpha insufficient → alpha blocked (why)\n"),
        "{worse}"
    );
}

#[test]
fn a_rule_that_moves_to_another_level_is_still_the_same_rule() {
    let diff = turned(|report| {
        let rule = &mut report.subjects[0].fields[0].rules[0];
        rule.lifecycle.level = Level::Beta;
    });
    assert_eq!(diff.rules.iter().map(|change| change.turn).collect::<Vec<_>>(), [Turn::Other]);
    assert!(diff.text().contains("rule-0: alpha ready → beta ready"), "{}", diff.text());
}

#[test]
fn what_only_one_report_has_is_new_or_vanished() {
    let gone = turned(|report| {
        report.subjects[0].fields[0].rules.remove(0);
        report.subjects[0].findings.remove(0);
        report.subjects[0].not_migrated.clear();
    });
    assert_eq!(gone.rules[0].turn, Turn::Vanished);
    assert_eq!((gone.findings[0].turn, gone.not_migrated[0].turn), (Turn::Vanished, Turn::Vanished));
    assert!(!gone.is_worse());
    // Which checks are seen depends on the cases: people get their number.
    assert!(gone.text().contains("checks without rule: 0 seen only now, 1 only before"), "{}", gone.text());
    assert!(!gone.text().contains("check without rule:") && !gone.markdown().contains("check without rule "));
    let come = turned(|report| report.subjects[0].findings[0].signature = "another".to_owned());
    assert!(come.is_worse(), "a finding that there was not");
    assert!(come.markdown().contains("* **new** finding `another`: `excused (missing) until "), "{}", come.markdown());
}

/// What becomes of a rule that one finding was attributed to, and another one is: each by signature and whether it is excused.
fn with_findings(old: &[(&str, bool)], new: &[(&str, bool)], verdicts: [Readiness; 2]) -> Diff {
    let report = |findings: &[(&str, bool)], verdict: &Readiness| {
        let mut report = named("v1 Apple");
        let subject = &mut report.subjects[0];
        let rule = &mut subject.fields[0].rules[0];
        rule.verdict = verdict.clone();
        let attributed = rule.levelled();
        let sample = subject.findings[0].clone();
        let of = findings.iter().map(|(signature, excused)| {
            let mut finding = sample.clone();
            (finding.signature, finding.rules) = ((*signature).to_owned(), vec![attributed.clone()]);
            finding.exception = finding.exception.filter(|_| *excused);
            finding.standing = FindingStanding::Blocking;
            finding
        });
        subject.findings = of.collect();
        report
    };
    let [was, is] = verdicts;
    Diff::of(&report(old, &was), &report(new, &is))
}

/// A name, the findings of the old and the new report, both verdicts, and what that turns out to be.
type Case<'c> = (&'c str, Findings, Findings, [&'c Readiness; 2], Option<Turn>);

type Findings = &'static [(&'static str, bool)];

#[test]
fn what_exceptions_alone_made_of_a_rule_is_told_apart_from_what_evidence_did() {
    let (ready, short, blocked) =
        (Readiness::Ready(vec![]), Readiness::InsufficientEvidence(vec![]), Readiness::Blocked(vec![]));
    let cases: [Case<'_>; 9] = [
        ("excused", &[("a", false)], &[("a", true)], [&blocked, &ready], Some(Turn::Excused)),
        ("excused and short", &[("a", false)], &[("a", true)], [&blocked, &short], Some(Turn::Excused)),
        ("mended", &[("a", false)], &[], [&blocked, &ready], Some(Turn::Better)),
        ("mended beside", &[("a", false), ("b", true)], &[("b", true)], [&blocked, &ready], Some(Turn::Better)),
        ("another excused", &[("a", false)], &[("b", true)], [&blocked, &ready], Some(Turn::Excused)),
        ("by itself before", &[], &[("a", true)], [&ready, &ready], Some(Turn::Excused)),
        ("as before", &[("a", true)], &[("a", true)], [&ready, &ready], None),
        ("not any more", &[("a", true)], &[("a", false)], [&ready, &blocked], Some(Turn::NoLongerExcused)),
        ("and another", &[("a", true)], &[("a", false), ("b", false)], [&ready, &blocked], Some(Turn::Worse)),
    ];
    for (name, old, new, [was, is], turn) in cases {
        let diff = with_findings(old, new, [was.clone(), is.clone()]);
        assert_eq!(diff.rules.first().map(|change| change.turn), turn, "{name}: {}", diff.text());
    }
    let back = with_findings(&[("a", true)], &[("a", false)], [ready.clone(), ready]);
    assert!(
        back.is_worse() && back.rules.is_empty(),
        "a finding that is attributed to a rule or to none: {}",
        back.text()
    );
}

/// What becomes of a finding that stands so in the old report, and so in the new one; none for a report without it.
fn with_standings(old: Option<FindingStanding>, new: Option<FindingStanding>) -> Diff {
    let report = |standing: Option<FindingStanding>| {
        let mut report = named("v1 Apple");
        let subject = &mut report.subjects[0];
        let sample = FindingReport { exception: None, ..subject.findings[0].clone() };
        subject.findings = standing.into_iter().map(|standing| FindingReport { standing, ..sample.clone() }).collect();
        report
    };
    Diff::of(&report(old), &report(new))
}

#[test]
fn what_is_tolerated_is_listed_once_and_what_comes_along_is_not() {
    let tolerated = || Some(FindingStanding::Tolerated { reason: "by design".to_owned() });
    let along = || Some(FindingStanding::BroughtAlong { by: 7 });
    let (open, reported) =
        (|| Some(FindingStanding::Blocking), Some(FindingStanding::Reported { reason: "for now".to_owned() }));
    for (old, new, turn, is_worse) in [
        (None, tolerated(), Some(Turn::Tolerated), false),
        (open(), tolerated(), Some(Turn::Tolerated), false),
        (tolerated(), tolerated(), None, false),
        (tolerated(), open(), Some(Turn::NoLongerTolerated), true),
        (tolerated(), None, Some(Turn::Vanished), false),
        (None, along(), None, false),
        (along(), open(), Some(Turn::New), true),
        (None, reported, Some(Turn::New), true),
    ] {
        let diff = with_standings(old, new);
        let found = diff.findings.first().map(|finding| finding.turn);
        assert_eq!((found, diff.is_worse()), (turn, is_worse), "{}", diff.text());
    }
    assert!(with_standings(None, tolerated()).text().contains(", 1 tolerated;"));
}

/// A finding that stands for itself, changed in the old and in the new report.
fn with_changes(old: impl Fn(&mut FindingReport), new: impl Fn(&mut FindingReport)) -> Diff {
    let report = |change: &dyn Fn(&mut FindingReport)| {
        let mut report = named("v1 Apple");
        let subject = &mut report.subjects[0];
        subject.totals.compared = 1000;
        let mut finding = FindingReport { exception: None, ..subject.findings[0].clone() };
        finding.standing = FindingStanding::Blocking;
        finding.classes = [("text".to_owned(), finding.count)].into();
        change(&mut finding);
        subject.findings = vec![finding];
        report
    };
    Diff::of(&report(&old), &report(&new))
}

#[test]
fn a_finding_that_stands_for_more_than_before_has_grown() {
    let in_cases = |count| move |finding: &mut FindingReport| finding.count = count;
    for (before, after, grown) in
        [(19, 190, ""), (19, 191, "in 191 cases of 1000, before in 19 cases of 1000"), (1, 19, "")]
    {
        let diff = with_changes(in_cases(before), in_cases(after));
        let said = diff.findings.first().map_or("", |finding| finding.grown.as_str());
        assert_eq!((said, diff.is_worse()), (grown, !grown.is_empty()), "{before} {after}");
    }
    let of_class = |count| {
        move |finding: &mut FindingReport| {
            finding.classes.insert("number".to_owned(), count);
        }
    };
    assert!(with_changes(|_| {}, of_class(19)).is_empty());
    let diff = with_changes(|_| {}, of_class(20));
    assert!(diff.text().contains("with values of other classes: number\n"), "{}", diff.text());
    assert!(with_changes(of_class(20), |_| {}).is_empty());
    let other_rule = |finding: &mut FindingReport| finding.rules[0].rule.chain = "maxLength=64".to_owned();
    let diff = with_changes(|_| {}, other_rule);
    assert!(diff.is_worse() && diff.markdown().contains("newly attributed to "), "{}", diff.markdown());
    let tolerated = |finding: &mut FindingReport| {
        finding.standing = FindingStanding::Tolerated { reason: "by design".to_owned() };
        finding.count = 900;
    };
    assert!(
        with_changes(|of| of.standing = FindingStanding::Tolerated { reason: String::new() }, tolerated).is_empty()
    );
}

#[test]
fn a_few_cases_less_make_a_ready_rule_no_worse() {
    for (bound, turn) in [(0.0109, Turn::Other), (0.0111, Turn::Worse)] {
        let report = |verdict: Readiness, met: bool, bound: f64| {
            let mut report = named("v1 Apple");
            report.policy = Some(ReadinessPolicy { max_mismatch_rate: 0.01, ..ReadinessPolicy::default() });
            let subject = &mut report.subjects[0];
            subject.findings.clear();
            let rule = &mut subject.fields[0].rules[0];
            (rule.verdict, rule.upper_bound) = (verdict, bound);
            rule.criteria = vec![Criterion {
                name: "mismatch rate".to_owned(),
                operation: None,
                met,
                blocking: false,
                found: String::new(),
                remedy: String::new(),
            }];
            report
        };
        let old = report(Readiness::Ready(vec![]), true, 0.0099);
        let new = report(Readiness::InsufficientEvidence(vec![]), false, bound);
        let diff = Diff::of(&old, &new);
        assert_eq!(diff.rules.first().map(|change| change.turn), Some(turn), "{}", diff.text());
    }
}
