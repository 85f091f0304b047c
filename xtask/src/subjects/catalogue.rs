//! What is known of each subject.

use super::cases;
use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use takeover_engine::conform::{self, ConformSettings};
use takeover_harness::case::Operation;
use takeover_harness::compare::Semantics;
use takeover_harness::error::Stability;
use takeover_harness::evidence::PairEvidence;
use takeover_harness::exception::{Exceptions, Excuses};
use takeover_harness::judge::Judge;
use takeover_harness::pair::Pair;
use takeover_harness::readiness::ReadinessPolicy;
use takeover_harness::release::Release;
use takeover_harness::rule::Rule;
use takeover_harness::runner::{self, Run, Steering};
use takeover_harness::subject::SubjectId;
use takeover_harness::wiring::Wiring;
use takeover_oracles::handwritten::request::RequestChecks;
use takeover_oracles::registry::{RELEASE, Registry};
use takeover_oracles::wiring::wiring;
use takeover_reports::conform::{Agreement, AgreementCount};
use takeover_reports::subjects::{
    DescribedPairEntry, LevelCounts, SubjectEntry, SubjectList, SubjectRelease, SubjectRule,
};
use takeover_reports::{Check, Criteria, DelegatedReport, SubjectReport};

/// The releases that are modelled.
const RELEASES: [Release; 3] = [Release::V1_35, Release::V1_36, Release::V1_37];

/// Every subject of the types.
pub fn every(registry: &Registry) -> Vec<SubjectId> {
    registry.subjects().chain(registry.without_rules()).collect()
}

/// Only the pairs that settings describe.
pub fn of_pairs(pairs: Vec<DescribedPairEntry>) -> SubjectList {
    SubjectList { subjects: Vec::new(), pairs, release: RELEASE.to_string(), in_detail: false }
}

/// Judges everything that ships with the program on these subjects. Recorded verdicts are about the built-in types, and left out for
/// those of the user.
///
/// # Errors
/// Types or fixtures that do not load.
pub fn catalogue(registry: &Registry, ids: Vec<SubjectId>, own_types: bool) -> anyhow::Result<SubjectList> {
    // The common metadata checks of a server would repeat those of the kinds.
    let pair = |id| Ok(registry.pair_with(id, RequestChecks::StrategyOnly)?.as_of(Semantics::V1_36));
    let pairs: Vec<Pair> = ids.iter().map(pair).collect::<anyhow::Result<_>>()?;
    let agreement = if own_types {
        Agreement::default()
    } else {
        conform::run(&[], &ConformSettings { say: &crate::output::say, ..ConformSettings::default() })?
    };
    let judges: Vec<Judge<'_>> = pairs.iter().map(Judge::new).collect();
    let mut inputs = cases::inputs(&pairs).into_iter();
    let jobs = std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
    let ran = Run::new(&judges, jobs).recorded(
        &mut inputs,
        runner::Part::default(),
        Steering { stop: &|| false, progress: &|_| {} },
    )?;
    ran.evidence.check()?;
    let (policy, none) = (ReadinessPolicy::default(), Exceptions::default());
    let criteria = Criteria { policy: &policy, excuses: &Excuses::of(&none, &ran.evidence) };
    let report = takeover_reports::build(&ran.evidence, &pairs, 0, &[], criteria);
    let entries = pairs.iter().map(|pair| {
        let evidence = ran.evidence.pair(&pair.id);
        let report = report.subjects.iter().find(|report| report.subject == pair.id.to_string());
        let verdicts = agreement.kinds.get(&pair.id.to_string()).cloned().unwrap_or_default();
        entry(pair, evidence, report, verdicts)
    });
    Ok(SubjectList { subjects: entries.collect(), ..of_pairs(Vec::new()) })
}

fn entry(
    pair: &Pair,
    evidence: Option<&PairEvidence>,
    report: Option<&SubjectReport>,
    verdicts: BTreeMap<String, AgreementCount>,
) -> SubjectEntry {
    SubjectEntry {
        subject: pair.id.to_string(),
        id: pair.id.subject.clone(),
        releases: RELEASES.iter().filter_map(|release| wiring(&pair.id.subject, *release)).map(release).collect(),
        unshown: Some(pair).filter(|pair| !pair.rules.is_empty()).and_then(|pair| Registry::obstacle(&pair.id.subject)),
        levels: levels(&pair.rules),
        rules: pair
            .rules
            .iter()
            .filter(|rule| !rule.reports.is_empty() && !rule.after_default)
            .map(|rule| rule_entry(rule, evidence))
            .collect(),
        not_covered: report.map_or(&[][..], |report| &report.not_migrated).iter().map(Check::from).collect(),
        delegated: pair
            .delegated
            .iter()
            .map(|part| DelegatedReport { path: part.path.clone(), reason: part.reason.clone() })
            .collect(),
        verdicts,
    }
}

fn release(of: Wiring) -> SubjectRelease {
    SubjectRelease { release: of.release.to_string(), served: of.serving.to_string(), runs: of.running.to_string() }
}

fn levels(rules: &[Rule]) -> LevelCounts {
    let mut levels = LevelCounts::default();
    for rule in rules {
        *match rule.stability {
            Some(Stability::Alpha) => &mut levels.alpha,
            Some(Stability::Beta) => &mut levels.beta,
            None => &mut levels.stable,
        } += 1;
    }
    levels
}

fn rule_entry(rule: &Rule, evidence: Option<&PairEvidence>) -> SubjectRule {
    let counts = |operation| evidence.map(|evidence| evidence.rule(operation, rule.id)).unwrap_or_default();
    let (mut agreed, mut disagreed) = (0, 0);
    for operation in Operation::ALL {
        let counts = counts(operation);
        agreed += counts.agreed_reject;
        disagreed += counts.disagreed();
    }
    let twin = if agreed == 0 { Vec::new() } else { rule.reports.iter().map(Check::from).collect() };
    SubjectRule { path: rule.path.clone(), rule: rule.label(), twin, agreed, disagreed }
}
