//! From evidence to the report model.

use crate::run::answer::Summary;
use crate::run::checks::checks;
use crate::run::exceptions::entries;
use crate::run::finding::FindingCase;
use crate::run::findings::{FindingFile, findings, labels};
use crate::run::model::{FORMAT_VERSION, Outside, RunReport, Whereabouts};
use crate::run::notes::notes;
use crate::run::observed::observed;
use crate::run::rule::{Check, ClassReport, ControlsReport, Lifecycle, Reasoned, RuleReport, Twin};
use crate::run::subject::{DelegatedReport, FieldReport, NotMigrated, PairVerdict, SubjectReport, Totals};
use crate::text::shortened;
use std::collections::{BTreeMap, BTreeSet};
use takeover_harness::case::Operation;
use takeover_harness::compare::{ComparedBy, Matter};
use takeover_harness::control::Control;
use takeover_harness::evidence::{Evidence, NOT_KEPT, PairEvidence, ReasonCount, RuleEvidence};
use takeover_harness::exception::Excuses;
use takeover_harness::pair::Pair;
use takeover_harness::readiness::{Readiness, ReadinessPolicy, RuleView, Stands, assess, assess_pair, hidden};
use takeover_harness::rule::{Rule, RuleRef};
use takeover_harness::side::Side;
use takeover_harness::subject::PairId;

/// What a report judges evidence by.
#[derive(Clone, Copy, Debug)]
pub struct Criteria<'c> {
    /// How much evidence a rule needs.
    pub policy: &'c ReadinessPolicy,
    /// What is excused, as of this evidence.
    pub excuses: &'c Excuses<'c>,
}

/// The report of a run over `pairs`.
#[must_use]
pub fn build(
    evidence: &Evidence,
    pairs: &[Pair],
    seed: u64,
    files: &[FindingFile],
    criteria: Criteria<'_>,
) -> RunReport {
    let mut seen: Vec<(&PairEvidence, usize)> = Vec::new();
    for of in evidence.pairs() {
        let before = seen.last().map_or(0, |(last, before)| before + labels(last).count());
        seen.push((of, before));
    }
    // The versions of a kind belong together.
    seen.sort_by(|(one, _), (other, _)| {
        let key = |of: &PairId| {
            (of.subject.kind.clone(), of.subject.api_version.clone(), of.subject.subresource.clone(), of.name.clone())
        };
        key(one.pair()).cmp(&key(other.pair()))
    });
    let alike = evidence.compared_by().len() < 2;
    let subjects = seen.into_iter().filter_map(|(of, before)| {
        let pair = pairs.iter().find(|pair| pair.id == *of.pair())?;
        Some(subject_report(of, pair, (files, before), criteria, alike))
    });
    let mut report = RunReport {
        format_version: FORMAT_VERSION,
        seed,
        semantics: compared_by(evidence),
        missing_shards: Vec::new(),
        shard: None,
        unfinished: None,
        assumed_covered: Vec::new(),
        production: None,
        policy: Some(criteria.policy.clone()),
        outside: outside(evidence),
        exceptions: entries(criteria.excuses),
        causes: Vec::new(),
        summary: Summary::default(),
        answers: Vec::new(),
        subjects: subjects.collect(),
        notes: String::new(),
        at: Whereabouts::default(),
    };
    report.gather();
    report
}

/// How answers were compared: a release of Kubernetes, or several ways where pairs differ.
fn compared_by(evidence: &Evidence) -> String {
    let ways: BTreeSet<String> = evidence.compared_by().iter().map(ComparedBy::to_string).collect();
    ways.into_iter().collect::<Vec<_>>().join(", ")
}

fn outside(evidence: &Evidence) -> Vec<Outside> {
    let outside = evidence.outside().iter().map(|(reason, seen)| Outside {
        reason: shortened(reason, FindingCase::LONGEST_TEXT).into_owned(),
        count: seen.count,
        first: seen.first.provenance.to_string(),
    });
    outside.collect()
}

/// The report of one pair. `alike` says that all pairs of the run are compared in one way.
fn subject_report(
    of: &PairEvidence,
    pair: &Pair,
    files: (&[FindingFile], usize),
    criteria: Criteria<'_>,
    alike: bool,
) -> SubjectReport {
    let stands = Stands::of(of, criteria.policy, criteria.excuses);
    let mut findings = findings(of, pair, files, criteria.excuses, &stands);
    let observed = observed(of, pair, &findings, criteria.policy);
    for finding in findings.iter_mut().filter(|finding| finding.is_open() && !finding.is_refused_otherwise()) {
        let about = observed.iter().filter(|check| check.is_what_differs_in(finding));
        let lines: Vec<&str> = about.map(|check| check.suggestion.as_str()).filter(|line| !line.is_empty()).collect();
        finding.suggestion = lines.join(" and ");
    }
    // Nobody knows the checks of a reference that says no more than accepted or refused.
    let has_no_checks = observed.is_empty() && pair.checks.is_empty() && of.compared_by() == Some(ComparedBy::Decision);
    SubjectReport {
        observed,
        subject: pair.id.to_string(),
        defaults: pair.matter.is_of_defaults(),
        semantics: pair.matter == Matter::Semantics,
        apply: pair.matter == Matter::Apply,
        unshown: pair.unshown.as_ref().map(|unshown| unshown.because.clone()),
        apart: pair.unshown.as_ref().is_some_and(|unshown| unshown.apart),
        compared_by: of.compared_by().filter(|how| !(alike && how.is_usual())),
        reached_by_presence: of.reached_by_presence() && !pair.rules.is_empty(),
        answers: Some(of.answers()).filter(|answers| !answers.is_complete()),
        pair: (pair.rules.is_empty() || has_no_checks).then(|| as_a_whole(of, criteria.policy, &stands)),
        totals: totals(of),
        fields: fields(of, pair, criteria.policy, &stands),
        not_migrated: not_migrated(of),
        checks: checks(of, pair),
        delegated: pair
            .delegated
            .iter()
            .map(|part| DelegatedReport { path: part.path.clone(), reason: part.reason.clone() })
            .collect(),
        findings,
        notes: notes(of),
    }
}

fn as_a_whole(of: &PairEvidence, policy: &ReadinessPolicy, stands: &Stands<'_>) -> PairVerdict {
    let assessment = assess_pair(of, policy, &stands.all());
    PairVerdict { verdict: assessment.verdict, criteria: assessment.criteria }
}

fn totals(of: &PairEvidence) -> Totals {
    let mut totals = Totals::default();
    let add = |sums: &mut BTreeMap<String, u64>, reasons: &BTreeMap<String, ReasonCount>| {
        for (reason, seen) in reasons {
            let reason = shortened(reason, FindingCase::LONGEST_TEXT).into_owned();
            *sums.entry(reason).or_default() += seen.count;
        }
    };
    for operation in Operation::ALL {
        let evidence = of.operation(operation);
        let counts = &evidence.counts;
        totals.cases += counts.cases;
        totals.compared += counts.compared;
        totals.agreed_accept += counts.agreed_accept;
        totals.agreed_reject += counts.agreed_reject;
        totals.disagreed += counts.disagreed();
        totals.incomparable += counts.incomparable;
        totals.panicked += counts.panicked;
        totals.with_dropped_fields += counts.with_dropped_fields;
        add(&mut totals.undecodable, &evidence.undecodable);
        add(&mut totals.skipped, &evidence.skipped);
        totals.asked_again += evidence.asked_again;
        for (reason, seen) in &evidence.skipped {
            let said = seen.first.message.as_str();
            if said != reason && said != NOT_KEPT && !said.is_empty() {
                let short = |text: &str| shortened(text, FindingCase::LONGEST_TEXT).into_owned();
                totals.skipped_because.entry(short(reason)).or_insert_with(|| short(said));
            }
        }
    }
    totals
}

/// Rules by field, fields in the order of their paths, rules in catalogue order.
fn fields(of: &PairEvidence, pair: &Pair, policy: &ReadinessPolicy, stands: &Stands<'_>) -> Vec<FieldReport> {
    let mut fields: BTreeMap<&str, Vec<RuleReport>> = BTreeMap::new();
    for rule in &pair.rules {
        fields.entry(&rule.path).or_default().push(rule_report(of, pair, rule, policy, stands));
    }
    fields
        .into_iter()
        .map(|(field, rules)| FieldReport {
            field: field.to_owned(),
            verdict: rules
                .iter()
                .map(|rule| &rule.verdict)
                .max_by_key(|verdict| verdict.severity())
                .cloned()
                .unwrap_or(Readiness::NotMigrated(Vec::new())),
            rules,
        })
        .collect()
}

fn rule_report(
    of: &PairEvidence,
    pair: &Pair,
    rule: &Rule,
    policy: &ReadinessPolicy,
    stands: &Stands<'_>,
) -> RuleReport {
    let none = RuleEvidence::default();
    let evidence = |operation: Operation| of.operation(operation).rules.get(rule.id.index()).unwrap_or(&none);
    let (create, update) = (evidence(Operation::Create), evidence(Operation::Update));
    let controls: Vec<(&Control, bool)> = of
        .controls()
        .iter()
        .enumerate()
        .filter(|(_, control)| control.rule == rule.id)
        .map(|(index, control)| (control, of.exposed(index).is_some()))
        .collect();
    let view = RuleView {
        rule,
        evidence: pair.operations().iter().map(|operation| (*operation, evidence(*operation))).collect(),
        controls,
        disagreements: stands.of_rule(rule.id),
        overflowing: Operation::ALL
            .into_iter()
            .filter(|operation| !of.operation(*operation).beyond.is_complete())
            .collect(),
        answers: of.answers(),
        compared_by: of.compared_by(),
        matter: pair.matter,
    };
    let assessment = assess(&view, policy);
    let times = |of: &RuleEvidence, class: usize| of.classes.get(class).copied().unwrap_or_default();
    let classes = rule.boundaries.iter().enumerate().map(|(class, boundary)| ClassReport {
        class: boundary.class.clone(),
        breaks: boundary.breaks,
        create: times(create, class),
        update: times(update, class),
    });
    let unreachable =
        rule.unreachable.iter().map(|class| Reasoned { name: class.class.clone(), reason: class.reason.clone() });
    RuleReport {
        rule: RuleRef { path: rule.path.clone(), chain: rule.chain.clone() },
        lifecycle: Lifecycle { level: rule.stability.into(), since: rule.since.clone() },
        reports: rule.reports.iter().map(Check::from).collect(),
        twin: twin(rule, create.counts.agreed_reject + update.counts.agreed_reject),
        source: rule.source.clone(),
        create: create.counts,
        update: update.counts,
        production: None,
        verdict: assessment.verdict,
        criteria: assessment.criteria,
        upper_bound: assessment.upper_bound,
        next: Some(assessment.next),
        classes: classes.collect(),
        unreachable: unreachable.collect(),
        kept: update.kept,
        law: rule.law,
        controls: controls_report(&view),
    }
}

fn twin(rule: &Rule, agreed: u64) -> Twin {
    if rule.reports.is_empty() || rule.after_default {
        Twin::NotNeeded
    } else if agreed > 0 {
        Twin::Seen
    } else {
        Twin::Unseen
    }
}

fn controls_report(view: &RuleView<'_>) -> ControlsReport {
    let mut report = ControlsReport::default();
    for (control, exposed) in &view.controls {
        let name = match control.side {
            Side::Candidate => control.name.clone(),
            Side::Reference => format!("reference {}", control.name),
        };
        match (&control.equivalent, hidden(view, control).filter(|_| !exposed)) {
            (Some(reason), _) => report.equivalent.push(Reasoned { name, reason: reason.clone() }),
            (None, Some(reason)) => report.hidden.push(Reasoned { name, reason: reason.to_owned() }),
            (None, None) => {
                report.telling += 1;
                report.exposed += u64::from(*exposed);
                if !exposed {
                    report.survivors.push(name);
                }
            }
        }
    }
    report
}

fn not_migrated(of: &PairEvidence) -> Vec<NotMigrated> {
    let mut checks: BTreeMap<(String, &str, &str), [u64; 2]> = BTreeMap::new();
    for (at, operation) in Operation::ALL.into_iter().enumerate() {
        for (shape, seen) in &of.operation(operation).unmigrated {
            let key = (shape.field.clone(), shape.error_type.api_name(), shape.origin.as_str());
            if let Some(sum) = checks.entry(key).or_default().get_mut(at) {
                *sum += seen.errors;
            }
        }
    }
    checks
        .into_iter()
        .map(|((field, error_type, origin), [create, update])| NotMigrated {
            error_type: error_type.to_owned(),
            field,
            origin: origin.to_owned(),
            create,
            update,
        })
        .collect()
}
