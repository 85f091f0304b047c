//! From evidence to the report model.

use crate::run::checks::checks;
use crate::run::exceptions::{ExceptionReport, entries};
use crate::run::finding::{FindingCase, FindingReport};
use crate::run::model::{
    DelegatedReport, FORMAT_VERSION, FieldReport, NotMigrated, Outside, PairVerdict, RunReport, SubjectReport, Totals,
};
use crate::run::notes::notes;
use crate::run::rule::{Check, ClassReport, ControlsReport, LevelledRule, Lifecycle, Reasoned, RuleReport, Twin};
use crate::run::standing::FindingStanding;
use crate::text::shortened;
use std::collections::{BTreeMap, BTreeSet};
use takeover_harness::case::Operation;
use takeover_harness::compare::{ComparedBy, DifferenceKind, Direction, Signature};
use takeover_harness::control::Control;
use takeover_harness::evidence::{Evidence, PairEvidence, ReasonCount, RuleEvidence, Sighting};
use takeover_harness::exception::Excuses;
use takeover_harness::pair::Pair;
use takeover_harness::readiness::{Readiness, ReadinessPolicy, RuleView, Stands, Words, assess, assess_pair, hidden};
use takeover_harness::rule::{Rule, RuleRef};
use takeover_harness::side::Side;
use takeover_harness::subject::PairId;

/// Where a finding was written.
#[derive(Clone, Debug, PartialEq)]
pub struct FindingFile {
    /// The finding as it is named: its signature, or [`panic_label`].
    pub label: String,
    /// Its number in the run, from 1.
    pub number: usize,
    /// File name below the run folder.
    pub file: String,
    /// Lines of YAML of the minimal object.
    pub minimal_lines: usize,
    /// The command that shows it again.
    pub reproduce: String,
    /// What is in it.
    pub case: FindingCase,
}

impl FindingFile {
    /// What a report says of the file of a finding; none when the finding has no file.
    #[must_use]
    pub fn of(finding: &FindingReport) -> Option<Self> {
        Some(Self {
            label: finding.signature.clone(),
            number: finding.number,
            file: finding.file.clone()?,
            minimal_lines: finding.minimal_lines?,
            reproduce: finding.reproduce.clone()?,
            case: finding.case.clone()?,
        })
    }
}

/// How a panicking oracle is named among the findings. `side` is `reference`, `candidate` or `decoding`.
#[must_use]
pub fn panic_label(pair: &PairId, operation: Operation, side: &str) -> String {
    format!("{pair} {operation} panic of the {side}")
}

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
    let mut seen: Vec<&PairEvidence> = evidence.pairs().collect();
    // The versions of a kind belong together.
    seen.sort_by(|one, other| {
        let key = |of: &PairId| {
            (of.subject.kind.clone(), of.subject.api_version.clone(), of.subject.subresource.clone(), of.name.clone())
        };
        key(one.pair()).cmp(&key(other.pair()))
    });
    let alike = evidence.compared_by().len() < 2;
    let subjects = seen.into_iter().filter_map(|of| {
        let pair = pairs.iter().find(|pair| pair.id == *of.pair())?;
        Some(subject_report(of, pair, files, criteria, alike))
    });
    let mut report = RunReport {
        format_version: FORMAT_VERSION,
        seed,
        semantics: compared_by(evidence),
        missing_shards: Vec::new(),
        production: None,
        policy: Some(criteria.policy.clone()),
        outside: outside(evidence),
        exceptions: entries(criteria.excuses),
        causes: Vec::new(),
        subjects: subjects.collect(),
        notes: String::new(),
    };
    report.gather_causes();
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
    files: &[FindingFile],
    criteria: Criteria<'_>,
    alike: bool,
) -> SubjectReport {
    let stands = Stands::of(of, criteria.policy, criteria.excuses);
    SubjectReport {
        subject: pair.id.to_string(),
        unshown: pair.unshown.as_ref().map(|unshown| unshown.because.clone()),
        apart: pair.unshown.as_ref().is_some_and(|unshown| unshown.apart),
        compared_by: of.compared_by().filter(|how| !(alike && how.is_usual())),
        reached_by_presence: of.reached_by_presence() && !pair.rules.is_empty(),
        answers: Some(of.answers()).filter(|answers| !answers.is_complete()),
        pair: pair.rules.is_empty().then(|| as_a_whole(of, criteria.policy, &stands)),
        totals: totals(of),
        fields: fields(of, pair, criteria.policy, &stands),
        not_migrated: not_migrated(of),
        checks: checks(of, pair),
        delegated: pair
            .delegated
            .iter()
            .map(|part| DelegatedReport { path: part.path.clone(), reason: part.reason.clone() })
            .collect(),
        findings: findings(of, &pair.rules, files, criteria.excuses, &stands),
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
        rule: reference(rule),
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
        controls: controls_report(&view),
    }
}

fn levelled(rule: &Rule) -> LevelledRule {
    LevelledRule { rule: reference(rule), level: rule.stability.into() }
}

fn reference(rule: &Rule) -> RuleRef {
    RuleRef { path: rule.path.clone(), chain: rule.chain.clone() }
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

/// Where something was first seen, and what was said there. A decision says only why, so that the side which rejects is added.
fn sighted(first: &Sighting, signature: Option<&Signature>) -> String {
    let side = match signature {
        Some(Signature { kind: DifferenceKind::Decision, direction: Direction::Missing, .. }) => {
            "rejected by the reference only: "
        }
        Some(Signature { kind: DifferenceKind::Decision, .. }) => "rejected by the candidate only: ",
        _ => "",
    };
    format!("{}: {side}{}", first.provenance, first.message)
}

fn findings(
    of: &PairEvidence,
    rules: &[Rule],
    files: &[FindingFile],
    excuses: &Excuses<'_>,
    stands: &Stands<'_>,
) -> Vec<FindingReport> {
    let labels: Vec<String> = Operation::ALL.into_iter().flat_map(|operation| labels(of, operation)).collect();
    let number = |label: &str| {
        let file = files.iter().find(|file| file.label == label).map(|file| file.number);
        file.or_else(|| labels.iter().position(|known| known == label).map(|at| at + 1))
    };
    let plain = |label: String, count: u64, first: String| {
        let file = files.iter().find(|file| file.label == label);
        FindingReport {
            number: number(&label).unwrap_or_default(),
            signature: label,
            count,
            cause: None,
            relation: None,
            deciding: 0,
            classes: BTreeMap::new(),
            stopped_by: Vec::new(),
            standing: FindingStanding::Blocking,
            why: String::new(),
            remedy: String::new(),
            rules: Vec::new(),
            first: shortened(&first, FindingCase::LONGEST_TEXT).into_owned(),
            minimal_lines: file.map(|file| file.minimal_lines),
            file: file.map(|file| file.file.clone()),
            reproduce: file.map(|file| file.reproduce.clone()),
            case: file.map(|file| file.case.cut()),
            exception: None,
        }
    };
    let words = if rules.is_empty() { Words::of_pair(of.compared_by()) } else { Words::of_rule(of.compared_by()) };
    let of_operation = |operation: Operation| {
        let evidence = of.operation(operation);
        let signatures = evidence.signatures.iter().map(|(signature, seen)| FindingReport {
            cause: signature.cause,
            relation: Some(signature.relation),
            deciding: seen.deciding,
            classes: seen.classes.clone(),
            stopped_by: seen.stopped_by.iter().map(Check::from).collect(),
            standing: FindingStanding::of(stands.stand(signature), number),
            why: words.why(signature, seen).unwrap_or_default(),
            remedy: words.remedy(signature.direction, signature.cause),
            rules: seen.rules.iter().filter_map(|id| rules.get(id.index())).map(levelled).collect(),
            exception: excuses.excuse(signature).map(|excuse| ExceptionReport::of(excuse, signature.direction)),
            ..plain(signature.to_string(), seen.cases, sighted(&seen.first, Some(signature)))
        });
        let panics = evidence
            .panics
            .iter()
            .map(|(side, seen)| plain(panic_label(of.pair(), operation, side), seen.count, sighted(&seen.first, None)));
        signatures.chain(panics).collect::<Vec<_>>()
    };
    Operation::ALL.into_iter().flat_map(of_operation).collect()
}

/// The findings under an operation as they are named, in the order of the report.
fn labels(of: &PairEvidence, operation: Operation) -> Vec<String> {
    let evidence = of.operation(operation);
    let panics = evidence.panics.keys().map(|side| panic_label(of.pair(), operation, side));
    evidence.signatures.keys().map(ToString::to_string).chain(panics).collect()
}
