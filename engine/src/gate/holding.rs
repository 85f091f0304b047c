//! What a gate decides, as a pure function of a report and what the project committed to.

use super::baseline::{Baseline, Key, Known, Rank, rows, rules};
use crate::config::Floor;
use std::collections::BTreeMap;
use std::path::Path;
use takeover_harness::exception::{Exception, Excuses, Standing};
use takeover_harness::rule::Source;
use takeover_harness::subject::PairId;
use takeover_harness::text::plural;
use takeover_reports::gate::{FailureReason, GateFailure, GateReport};
use takeover_reports::{FindingReport, RunReport, difference, in_production, shortened, user_file};

/// Longest line of an example, in characters.
const LONGEST: usize = 200;

/// Most lines of an example.
const MOST_EXAMPLES: usize = 2;

/// The exit code for a reason.
fn exit_code(reason: FailureReason) -> u8 {
    match reason {
        FailureReason::NothingCompared => 3,
        FailureReason::Finding => 1,
        FailureReason::Unreadable => 2,
        FailureReason::Expired => 5,
        FailureReason::Stale => 6,
        FailureReason::Worse => 7,
        FailureReason::BelowFloor => 8,
    }
}

/// What is held against what.
pub struct HeldRun<'h> {
    /// The report, by the policy and exceptions of the project.
    pub report: &'h RunReport,
    /// The exceptions, as of the evidence.
    pub excuses: &'h Excuses<'h>,
    /// Errors of findings that were too many to keep.
    pub beyond: u64,
    /// Documents and files that could not be read.
    pub unreadable: u64,
    /// The pairs of the settings: each has to be in the run.
    pub configured: &'h [PairId],
    /// Every pair that there is.
    pub known: &'h [PairId],
    /// The pairs that a run over everything leaves out, because no server shows their rules.
    pub left_out: &'h [PairId],
    /// Whether pairs that the run does not judge are left alone, because flags describe the one that it judges.
    pub others_wait: bool,
    /// The committed readiness, if there is one.
    pub baseline: Option<&'h Baseline>,
    /// Which rules too little may be seen of.
    pub floor: Floor,
    /// The folder of the run.
    pub folder: &'h Path,
    /// Where the exceptions are.
    pub exceptions_file: &'h Path,
    /// Where the baseline is.
    pub baseline_file: &'h Path,
    /// The program, as people type it.
    pub program: &'static str,
    /// The file of settings that was named.
    pub config: Option<&'h Path>,
    /// The flags that describe the pair, as a shell takes them; empty where the settings do.
    pub pair: &'h str,
}

/// Holds a run against what is committed.
pub fn hold(held: &HeldRun<'_>) -> GateReport {
    let mut failures = findings(held);
    failures.extend(exceptions(held));
    let (of_rules, moved) = readiness(held);
    let unjudged_baseline = gone(held).filter(|(key, _)| is_left_out(held, key)).count();
    failures.extend(of_rules);
    failures.extend(unjudged(held));
    let compared = held.report.subjects.iter().map(|subject| subject.totals.compared).sum();
    if compared == 0 {
        let unanswered = held.report.unanswered();
        failures.push(match unanswered.as_slice() {
            [] => plain(FailureReason::NothingCompared, "the run", "no case was compared"),
            some => plain(FailureReason::NothingCompared, GateFailure::ORACLES, some.join(". ")),
        });
    }
    if held.unreadable > 0 {
        let message = format!("{} documents or files could not be read", held.unreadable);
        failures.push(plain(FailureReason::Unreadable, "the recorded objects", message));
    }
    // Within a reason, the order in which things were found: that of the report.
    failures.sort_by_key(|failure| failure.reason);
    let mut counts = BTreeMap::new();
    for (_, rule) in rules(held.report) {
        *counts.entry(Rank::of(&rule.verdict).to_string()).or_insert(0) += 1;
    }
    let first = failures.iter().map(|failure| failure.reason).min();
    GateReport {
        format_version: 1,
        passed: failures.is_empty(),
        exit_code: first.map_or(0, exit_code),
        subjects: held.report.subjects.len(),
        compared,
        production: held.report.production.clone(),
        rules: counts,
        summary: held.report.summary.clone(),
        excused: held.report.findings().filter(|finding| finding.is_excused()).count(),
        unjudged_exceptions: held.excuses.standings().filter(|(_, of)| **of == Standing::NotJudged).count(),
        unjudged_baseline,
        moved,
        failures,
        run: held.folder.display().to_string(),
        program: held.program,
        config: held.config.map(|file| file.display().to_string()),
        pair: held.pair.to_owned(),
    }
}

/// Returns a failure for each subject of the settings that the run leaves out, because it was made with other settings.
fn unjudged<'h>(held: &'h HeldRun<'_>) -> impl Iterator<Item = GateFailure> + 'h {
    let in_run = |id: &PairId| held.report.subjects.iter().any(|subject| subject.subject == id.to_string());
    let left_out = held.configured.iter().filter(move |id| !in_run(id));
    left_out.map(|id| {
        plain(FailureReason::NothingCompared, &id.to_string(), "the settings select it, but the run leaves it out")
    })
}

fn plain(reason: FailureReason, what: &str, message: impl Into<String>) -> GateFailure {
    GateFailure { reason, what: what.to_owned(), message: message.into(), file: None, line: None, reproduce: None }
}

/// Returns a failure for each finding that has no exception, not even an expired one, that the policy does not tolerate, and that no
/// other finding brings along.
fn findings(held: &HeldRun<'_>) -> Vec<GateFailure> {
    let mut failures = Vec::new();
    for subject in &held.report.subjects {
        let open = |finding: &&FindingReport| finding.exception.is_none() && finding.is_open();
        for finding in subject.findings.iter().filter(open) {
            let attributed = finding.attribution().map_or_else(String::new, |rules| format!(", attributed to {rules}"));
            let cases = plural(finding.count, "case");
            let advice = if finding.cause.is_some() { format!("\n{}", finding.advice()) } else { String::new() };
            let brings = match subject.brought_along_by(finding).count() as u64 {
                0 => String::new(),
                some => format!(", brings along {}", plural(some, "finding")),
            };
            let (file, line) = place(subject.sources_of(finding));
            failures.push(GateFailure {
                reason: FailureReason::Finding,
                what: finding.signature.clone(),
                message: format!("{cases}{attributed}{brings}{advice}\n{}", example(finding)),
                file,
                line,
                reproduce: finding.reproduce.clone(),
            });
        }
    }
    if held.beyond > 0 {
        let message = format!(
            "{} of signatures that were too many to keep; no exception can excuse them",
            plural(held.beyond, "error")
        );
        failures.push(plain(FailureReason::Finding, "further findings", message));
    }
    failures
}

/// What only one side says of the smallest case of a finding, or else where it was first seen.
fn example(finding: &FindingReport) -> String {
    let lines = finding.case.iter().flat_map(difference).filter(|line| line.is_finding);
    let said: Vec<String> = lines
        .take(MOST_EXAMPLES)
        .map(|line| format!("{} {}", line.reporter.sign(), shortened(&line.text(), LONGEST)))
        .collect();
    if said.is_empty() { format!("first: {}", shortened(&finding.first, LONGEST)) } else { said.join("\n") }
}

/// File and line of the first of these that the user's repository has.
fn place<'s>(sources: impl IntoIterator<Item = &'s Source>) -> (Option<String>, Option<u32>) {
    sources.into_iter().find_map(|source| Some((user_file(&source.file)?, source.line))).unzip()
}

fn exceptions(held: &HeldRun<'_>) -> Vec<GateFailure> {
    let mut failures = Vec::new();
    let file = held.exceptions_file.display().to_string();
    for (exception, standing) in held.excuses.standings() {
        let mut add = |reason, message| {
            failures.push(GateFailure {
                reason,
                what: exception.about.to_string(),
                message,
                file: Some(file.clone()),
                line: u32::try_from(exception.line).ok(),
                reproduce: None,
            });
        };
        match standing {
            // Not a subject that the settings leave out, but none at all: nothing would ever tell that it is of no use.
            Standing::NotJudged if !held.others_wait && !held.known.iter().any(|id| exception.about.concerns(id)) => {
                add(FailureReason::Stale, "there is no such subject".to_owned());
            }
            // Production may never show an excused finding.
            Standing::Miscounted { found: 0 } if held.floor == Floor::None => {}
            Standing::Miscounted { .. } | Standing::NewClass { .. } | Standing::Grown { .. } => {
                add(FailureReason::Stale, unfit(exception, standing));
            }
            Standing::Used { .. } | Standing::NotJudged if held.excuses.is_expired(exception) => {
                let message = format!(
                    "expired after {}; {} is responsible: {}",
                    exception.expires, exception.owner, exception.issue
                );
                add(FailureReason::Expired, message);
            }
            Standing::Used { .. } | Standing::NotJudged => {}
        }
    }
    failures
}

/// Why an exception does not fit the run.
fn unfit(exception: &Exception, standing: &Standing) -> String {
    match (standing, exception.about.signatures()) {
        (Standing::NewClass { classes, .. }, _) => {
            let classes: Vec<String> = classes.iter().map(|class| format!("`{class}`")).collect();
            format!(
                "excuses nothing, because its finding occurs in classes that it does not list: {}",
                classes.join(", ")
            )
        }
        (Standing::Grown { share, .. }, _) => {
            let before = exception.share;
            format!("occurs in {share} of the cases, more than ten times the {before} it records, and excuses nothing")
        }
        (Standing::Miscounted { found }, Some(signatures)) if *found > 0 => {
            format!("says {signatures} signatures, and the run has {found}")
        }
        (_, Some(_)) => "the run has no such finding attributed to these rules".to_owned(),
        (_, None) => "the run has no such finding".to_owned(),
    }
}

/// Returns the rules that are worse than in the baseline or below the floor, and those that otherwise differ from the baseline.
fn readiness(held: &HeldRun<'_>) -> (Vec<GateFailure>, Vec<String>) {
    let now = Baseline::of(held.report);
    let (mut failures, mut moved) = (Vec::new(), Vec::new());
    // In the same order as the lines of the baseline made of them.
    for ((key, known), row) in now.iter().zip(rows(held.report)) {
        let rule = row.rule();
        let before = held.baseline.and_then(|baseline| baseline.get(key));
        let stays = |before: &Rank| {
            let is_nearly = rule.is_some_and(|rule| rule.is_nearly_ready(held.report.policy.as_ref()));
            *before == Rank::Ready && is_nearly
        };
        let worse = before.filter(|before| before.rank < known.rank && !stays(&before.rank));
        let because = row.because();
        let because = if because.is_empty() { because } else { format!(": {because}") };
        let (file, line) = place(rule.and_then(|rule| rule.source.as_ref()));
        // What the verdict of a rule rests on beside live traffic.
        let seen = rule.and_then(|rule| rule.production.as_ref()).map(in_production);
        let mut add = |reason, message: String| {
            let message = seen.iter().fold(message, |message, seen| format!("{message}\n{seen}"));
            failures.push(GateFailure { reason, what: said(key), message, file: file.clone(), line, reproduce: None });
        };
        if let Some(before) = worse {
            add(FailureReason::Worse, format!("was {} and is {}{because}", before.rank, known.rank));
        }
        let known_as_such = before.is_some_and(|before| before.rank >= Rank::Insufficient || stays(&before.rank));
        let admitted = match held.floor {
            // A law reports nothing of its own, and any object may break it.
            Floor::Baseline => known_as_such || rule.is_some_and(|rule| rule.law.is_none() && !rule.can_break()),
            Floor::EveryRule => false,
            Floor::None => true,
        };
        if known.rank == Rank::Insufficient && !admitted && worse.is_none() {
            add(FailureReason::BelowFloor, because.trim_start_matches(": ").to_owned());
        }
        let seen = seen.as_ref().map(|seen| format!("; {seen}")).unwrap_or_default();
        match before {
            // New findings of a new rule are failures of their own, and no state to commit to.
            None if held.baseline.is_some() && known.rank != Rank::Blocked => {
                moved.push(format!("{}: new, {}, {}{seen}", said(key), known.rank, known.level))
            }
            Some(before) if before.rank > known.rank => {
                moved.push(format!("{}: was {} and is {}{seen}", said(key), before.rank, known.rank));
            }
            Some(before) if before.level != known.level => {
                moved.push(format!("{}: was {} and is {}", said(key), before.level, known.level));
            }
            _ => {}
        }
    }
    for (key, known) in gone(held).filter(|(key, _)| !is_left_out(held, key)) {
        let is_observed = held.baseline.is_some_and(|baseline| baseline.is_observed(key));
        let message = match (is_judged(held, key), is_observed) {
            (true, false) => "no longer exists",
            (true, true) => "no case of this run shows it any more",
            (false, _) => "its subject was not judged",
        };
        failures.push(GateFailure {
            reason: FailureReason::Worse,
            what: said(key),
            message: format!("was {}: {message}", known.rank),
            file: Some(held.baseline_file.display().to_string()),
            line: None,
            reproduce: None,
        });
    }
    (failures, moved)
}

/// Returns the rules of the baseline that the run does not have.
fn gone<'h>(held: &'h HeldRun<'_>) -> impl Iterator<Item = (&'h Key, Known)> {
    let now = Baseline::of(held.report);
    held.baseline.into_iter().flat_map(Baseline::iter).filter(move |(key, _)| now.get(key).is_none())
}

fn is_judged(held: &HeldRun<'_>, key: &Key) -> bool {
    held.report.subjects.iter().any(|subject| subject.subject == key.subject)
}

/// Whether the rule is of a subject that a run over everything leaves out, and this run did, or that flags leave out. A baseline made
/// from all versions holds for those that are judged.
fn is_left_out(held: &HeldRun<'_>, key: &Key) -> bool {
    !is_judged(held, key) && (held.others_wait || held.left_out.iter().any(|id| id.to_string() == key.subject))
}

fn said(key: &Key) -> String {
    let again = if key.nth > 0 { format!(" (again, {})", key.nth + 1) } else { String::new() };
    format!("{}: {}{again}", key.subject, key.rule)
}

#[cfg(test)]
mod tests {
    use super::super::baseline::Baseline;
    use super::{HeldRun, hold};
    use crate::config::Floor;
    use serde_json::{Value, json};
    use std::path::Path;
    use takeover_harness::evidence::Evidence;
    use takeover_harness::exception::{Exceptions, Excuses};
    use takeover_harness::subject::SubjectId;
    use takeover_reports::gate::{FailureReason, GateFailure, GateReport};

    /// What a gate says of a run over a pair without rules, with this verdict and these findings.
    fn failures(pair: Value, findings: Value) -> Vec<GateFailure> {
        held(pair, findings, None).failures
    }

    /// The whole report, held against a baseline, where `batch/v1beta1 CronJob` is left out.
    fn held(pair: Value, findings: Value, baseline: Option<&str>) -> GateReport {
        observing(pair, findings, json!([]), baseline)
    }

    /// The same, with observed checks.
    fn observing(pair: Value, findings: Value, observed: Value, baseline: Option<&str>) -> GateReport {
        let report = json!({
            "formatVersion": 3, "seed": 7, "semantics": "by decision",
            "subjects": [{
                "subject": "v1 Thing#webhook",
                "totals": {
                    "cases": 9, "compared": 9, "agreedAccept": 9, "agreedReject": 0, "disagreed": 0, "panicked": 0,
                    "undecodable": {}, "skipped": {},
                },
                "pair": {"verdict": pair, "criteria": []},
                "fields": [], "notMigrated": [], "delegated": [], "findings": findings, "observed": observed,
            }],
        });
        let exceptions = Exceptions::default();
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("baseline");
        std::fs::write(&file, baseline.unwrap_or_default()).unwrap();
        let baseline = baseline.and_then(|_| Baseline::read(&file).unwrap());
        let left_out = SubjectId::new("batch/v1beta1", "CronJob").into();
        hold(&HeldRun {
            report: &serde_json::from_value(report).unwrap(),
            excuses: &Excuses::of(&exceptions, &Evidence::new()),
            beyond: 0,
            unreadable: 0,
            configured: &[],
            known: &[],
            left_out: &[left_out],
            others_wait: false,
            baseline: baseline.as_ref(),
            floor: Floor::Baseline,
            folder: Path::new("run"),
            exceptions_file: Path::new("exceptions"),
            baseline_file: Path::new("baseline"),
            program: "takeover",
            config: None,
            pair: "",
        })
    }

    #[test]
    fn a_pair_without_rules_of_which_too_little_was_seen_is_below_the_floor() {
        let few = json!({"verdict": "insufficientEvidence", "reasons": ["0 of 20 agreed rejects"]});
        let failed = failures(few, json!([]));
        assert_eq!(failed.iter().map(|failure| failure.reason).collect::<Vec<_>>(), [FailureReason::BelowFloor]);
        assert_eq!(failures(json!({"verdict": "ready", "reasons": []}), json!([])), []);
    }

    #[test]
    fn what_the_policy_tolerates_or_another_finding_brings_along_passes_and_its_root_says_so() {
        let finding = |number: usize, standing: Value| {
            json!({
                "number": number, "signature": format!("finding {number}"), "count": 3, "rules": [], "first": "there",
                "cause": "stopped", "standing": standing, "remedy": "what to do",
            })
        };
        let findings = json!([
            finding(1, json!({"is": "blocking"})),
            finding(2, json!({"is": "reported", "reason": "for now"})),
            finding(3, json!({"is": "tolerated", "reason": "by design"})),
            finding(4, json!({"is": "broughtAlong", "by": 1})),
        ]);
        let failed = failures(json!({"verdict": "ready", "reasons": []}), findings);
        assert_eq!(failed.iter().map(|failure| failure.what.as_str()).collect::<Vec<_>>(), ["finding 1", "finding 2"]);
        let said = "3 cases, brings along 1 finding\nstopped; only the wording changes; what to do\nfirst: there";
        assert_eq!(failed[0].message, said);
    }

    #[test]
    fn an_observed_check_that_becomes_less_ready_or_is_gone_is_worse_than_the_baseline() {
        let check = |refuses: &str| {
            json!([{
                "field": "spec.size", "errorType": "FieldValueInvalid", "message": "must be at least N", "refused": 9,
                "alone": 2, "extra": 0, "accepted": 30, "candidateRefuses": refuses, "because": "3 of 20 accepted cases",
            }])
        };
        let lines = "ready pair as a whole\nready check spec.size FieldValueInvalid must be at least N\n";
        let of = |observed: Value, lines: &str| {
            let ready = json!({"verdict": "ready", "reasons": []});
            let text = format!("takeover baseline 2.1\n[v1 Thing#webhook]\n{lines}");
            let failures = observing(ready, json!([]), observed, Some(&text)).failures;
            failures.into_iter().map(|failure| (failure.reason, failure.message)).collect::<Vec<_>>()
        };
        assert_eq!(of(check("same"), lines), []);
        let figures = "rejected in 9 cases, in 2 by the reference alone; 30 accepted";
        let less = format!("was ready and is blocked: the candidate rejects less; {figures}");
        assert_eq!(of(check("less"), lines), [(FailureReason::Worse, less)]);
        let unknown = "was ready and is insufficient: 3 of 20 accepted cases".to_owned();
        assert_eq!(of(check("unknown"), lines), [(FailureReason::Worse, unknown)]);
        let gone = "was ready: no case of this run shows it any more".to_owned();
        assert_eq!(of(json!([]), lines), [(FailureReason::Worse, gone)]);
        // What the baseline does not list is below the floor until somebody commits to it.
        let below = [(FailureReason::BelowFloor, "3 of 20 accepted cases".to_owned())];
        assert_eq!(of(check("unknown"), "ready pair as a whole\n"), below);
        let known = "ready pair as a whole\ninsufficient check spec.size FieldValueInvalid must be at least N\n";
        assert_eq!(of(check("unknown"), known), []);
    }

    #[test]
    fn a_baseline_of_all_versions_holds_for_those_that_are_judged() {
        let ready = json!({"verdict": "ready", "reasons": []});
        let of = |subject: &str| {
            let text = format!(
                "takeover baseline 2.0\n[v1 Thing#webhook]\nready pair as a whole\n[{subject}]\nready alpha spec.schedule required\n"
            );
            held(ready.clone(), json!([]), Some(&text))
        };
        let left_out = of("batch/v1beta1 CronJob");
        assert_eq!((left_out.passed, left_out.unjudged_baseline), (true, 1));
        // What no run leaves out must not go unseen.
        let gone = of("batch/v1 CronJob");
        assert_eq!((gone.passed, gone.unjudged_baseline), (false, 0));
    }
}
