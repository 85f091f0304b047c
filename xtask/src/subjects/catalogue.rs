//! What is known of each subject.

use super::cases;
use serde::Serialize;
use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use takeover_engine::conform::{self, Settings, Tally};
use takeover_harness::case::Operation;
use takeover_harness::compare::{Candidates, Matcher, Semantics};
use takeover_harness::error::Stability;
use takeover_harness::evidence::SubjectEvidence;
use takeover_harness::exception::{Exceptions, Excuses};
use takeover_harness::judge::Judge;
use takeover_harness::readiness::Policy;
use takeover_harness::rule::Rule;
use takeover_harness::runner::{self, Control, Run};
use takeover_harness::subject::{Subject, SubjectId};
use takeover_oracles::handwritten::request::RequestChecks;
use takeover_oracles::registry::Registry;
use takeover_reports::{Criteria, NotMigrated, SubjectReport};

/// Every subject. Its JSON form is the machine-readable output.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Catalogue {
    /// One entry a subject, in the order of the registry.
    pub subjects: Vec<Entry>,
}

/// One subject.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Entry {
    /// Version, kind and subresource.
    pub subject: String,
    /// The same in parts.
    pub id: SubjectId,
    /// How many rules stand at each level.
    pub levels: Levels,
    /// The rules that can reject something, in catalogue order.
    pub rules: Vec<RuleEntry>,
    /// Handwritten checks, as seen in their errors, that no rule covers.
    pub not_covered: Vec<Check>,
    /// Parts that the reference leaves unjudged.
    pub delegated: Vec<Part>,
    /// Agreement with the recorded verdicts that ship with the program, by side.
    pub verdicts: BTreeMap<String, Tally>,
}

/// Numbers of rules by level.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Levels {
    /// In shadow.
    pub alpha: usize,
    /// Enforced, can be switched off.
    pub beta: usize,
    /// Enforced.
    pub stable: usize,
}

/// A rule that can reject something.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RuleEntry {
    /// Path pattern; empty for the object itself.
    pub path: String,
    /// The tag with its level.
    pub rule: String,
    /// The errors that it makes and a handwritten check makes too: its twin.
    pub twin: Vec<Check>,
    /// Cases in which both reported the same.
    pub agreed: u64,
    /// Cases in which only the handwritten side, or only the rule, reported it.
    pub disagreed: u64,
}

/// A sort of error.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Check {
    /// API name of the error type.
    pub error_type: String,
    /// Path pattern.
    pub field: String,
    /// Origin; may be empty.
    pub origin: String,
}

/// A part that the reference leaves unjudged.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Part {
    /// Path pattern.
    pub path: String,
    /// Why.
    pub reason: String,
}

/// Judges everything that ships with the program on the subjects that `kind` names, or on all.
///
/// # Errors
/// An unknown kind, or shipped types that do not load.
pub fn catalogue(kind: Option<&str>) -> anyhow::Result<Catalogue> {
    let ids: Vec<SubjectId> = match kind {
        Some(kind) => Registry::find_any(kind)?,
        None => Registry::subjects().chain(Registry::without_rules()).collect(),
    };
    let registry = Registry::of_builtin()?;
    // The common metadata checks of a server would repeat those of the kinds.
    let subjects: Vec<Subject> =
        ids.iter().map(|id| registry.subject_with(id, RequestChecks::StrategyOnly)).collect::<Result<_, _>>()?;
    let agreement = conform::run(&[], &Settings::default())?;
    let judges: Vec<Judge<'_>> = subjects
        .iter()
        .map(|subject| {
            Judge::new(subject, Matcher::of(&subject.matching, Semantics::V1_36).candidates(Candidates::All))
        })
        .collect();
    let mut inputs = cases::inputs(&subjects).into_iter();
    let jobs = std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
    let ran = Run::new(&judges, jobs).recorded(
        &mut inputs,
        runner::Part::default(),
        Control { stop: &|| false, progress: &|_| {} },
    )?;
    ran.evidence.check()?;
    let (policy, none) = (Policy::default(), Exceptions::default());
    let criteria = Criteria { policy: &policy, excuses: &Excuses::of(&none, &ran.evidence) };
    let report = takeover_reports::build(&ran.evidence, &subjects, 0, &[], criteria);
    let entries = subjects.iter().map(|subject| {
        let evidence = ran.evidence.subject(&subject.id);
        let report = report.subjects.iter().find(|report| report.subject == subject.id.to_string());
        let verdicts = agreement.kinds.get(&subject.id.to_string()).cloned().unwrap_or_default();
        entry(subject, evidence, report, verdicts)
    });
    Ok(Catalogue { subjects: entries.collect() })
}

fn entry(
    subject: &Subject,
    evidence: Option<&SubjectEvidence>,
    report: Option<&SubjectReport>,
    verdicts: BTreeMap<String, Tally>,
) -> Entry {
    Entry {
        subject: subject.id.to_string(),
        id: subject.id.clone(),
        levels: levels(&subject.rules),
        rules: subject
            .rules
            .iter()
            .filter(|rule| !rule.reports.is_empty() && !rule.after_default)
            .map(|rule| rule_entry(rule, evidence))
            .collect(),
        not_covered: report.map_or(&[][..], |report| &report.not_migrated).iter().map(Check::from).collect(),
        delegated: subject
            .delegated
            .iter()
            .map(|part| Part { path: part.path.clone(), reason: part.reason.clone() })
            .collect(),
        verdicts,
    }
}

fn levels(rules: &[Rule]) -> Levels {
    let mut levels = Levels::default();
    for rule in rules {
        *match rule.stability {
            Some(Stability::Alpha) => &mut levels.alpha,
            Some(Stability::Beta) => &mut levels.beta,
            None => &mut levels.stable,
        } += 1;
    }
    levels
}

fn rule_entry(rule: &Rule, evidence: Option<&SubjectEvidence>) -> RuleEntry {
    let counts = |operation| evidence.map(|evidence| evidence.rule(operation, rule.id)).unwrap_or_default();
    let (mut agreed, mut disagreed) = (0, 0);
    for operation in Operation::ALL {
        let counts = counts(operation);
        agreed += counts.agreed_reject;
        disagreed += counts.missing + counts.extra;
    }
    let twin = if agreed == 0 {
        Vec::new()
    } else {
        rule.reports
            .iter()
            .map(|report| Check {
                error_type: report.error_type.api_name().to_owned(),
                field: report.field.clone(),
                origin: report.origin.clone(),
            })
            .collect()
    };
    RuleEntry { path: rule.path.clone(), rule: rule.label(), twin, agreed, disagreed }
}

impl From<&NotMigrated> for Check {
    fn from(check: &NotMigrated) -> Self {
        Self { error_type: check.error_type.clone(), field: check.field.clone(), origin: check.origin.clone() }
    }
}

impl Entry {
    /// How many of the rules that can reject something have a twin.
    #[must_use]
    pub fn twins(&self) -> usize {
        self.rules.iter().filter(|rule| !rule.twin.is_empty()).count()
    }
}
