//! The report model. Its JSON form is the machine-readable report: fields are only ever added within a format version.

use super::answer::{CheckAnswer, Summary, answers};
use super::by_cause;
use super::cause_row::CauseRow;
use super::exceptions::ExceptionEntry;
use super::finding::FindingReport;
use super::production::Production;
use super::rule::RuleInProduction;
use super::subject::SubjectReport;
use super::unfinished::Unfinished;
use crate::text::shell_quoted;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::PathBuf;
use takeover_harness::compare::Matter;
use takeover_harness::evidence::RuleCounts;
use takeover_harness::readiness::ReadinessPolicy;

/// Version of the JSON form.
pub const FORMAT_VERSION: u32 = 3;

/// A run, as a whole.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RunReport {
    /// [`FORMAT_VERSION`] of the writer.
    pub format_version: u32,
    /// Seed of the generated cases.
    pub seed: u64,
    /// How answers were compared: by the algorithm of a release of Kubernetes (`1.35`, `1.36` or `1.37`), `by field`, `by field and
    /// origin`, `by decision` or `by value`; where pairs differ, all of the ways.
    pub semantics: String,
    /// Parts of the run that are not in it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub missing_shards: Vec<String>,
    /// The part of a run that this is, such as `1/4`; none for a whole run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shard: Option<String>,
    /// Errors of handwritten checks, each as field and type, that were taken as marked although they are not.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub assumed_covered: Vec<String>,
    /// How far it came, when it was stopped or killed; none for a run that came to its end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unfinished: Option<Unfinished>,
    /// How much of it was seen beside live traffic; none if nothing was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub production: Option<Production>,
    /// How much evidence a rule needed; none in reports of older programs.
    #[serde(default)]
    pub policy: Option<ReadinessPolicy>,
    /// Inputs that belong to no subject.
    #[serde(default)]
    pub outside: Vec<Outside>,
    /// The exceptions of the project, in the order of their file.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub exceptions: Vec<ExceptionEntry>,
    /// The findings by cause: a row for each cause and field of a kind.
    #[serde(default)]
    pub causes: Vec<CauseRow>,
    /// What the run says in a few numbers.
    #[serde(default)]
    pub summary: Summary,
    /// The handwritten checks that a rule covers, or that say so, each with the answer whether it may be deleted.
    #[serde(default)]
    pub answers: Vec<CheckAnswer>,
    /// One entry for each pair, with those of a kind together.
    pub subjects: Vec<SubjectReport>,
    /// Lines at the end of the text for people: what else there is to say when the run ends. No other form has them.
    #[serde(skip)]
    pub notes: String,
    /// Where the rest is, for commands to type next. No form for files has it.
    #[serde(skip)]
    pub at: Whereabouts,
}

/// Where a report was read or written, and how people call the program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Whereabouts {
    /// The run folder, as people type it; empty where there is none.
    pub folder: String,
    /// The program, as people type it: `cargo xtask` or `takeover`; empty where no command can be named.
    pub program: String,
    /// Whether the folder has the page `report.html`.
    pub page: bool,
    /// Whether less is in the folder than the report says, because it could not be written.
    pub behind: bool,
    /// The soak that it came from, as people type it, without how much to generate: `cargo xtask soak --kind ReplicationController`;
    /// empty where nobody knows.
    pub soak: String,
    /// The folder in which the run was made, from which its files are named; none where nobody knows.
    pub home: Option<PathBuf>,
    /// Whether it judged types of the user, which `promote` can change.
    pub own_types: bool,
}

impl Whereabouts {
    /// In a run folder.
    #[must_use]
    pub fn new(folder: &str, program: &str) -> Self {
        Self { folder: folder.to_owned(), program: program.to_owned(), ..Self::default() }
    }
}

impl RunReport {
    /// Gathers what follows from the subjects as they now are: findings by cause, answers and the summary.
    pub fn gather(&mut self) {
        self.causes = by_cause::rows(&self.subjects);
        self.answers = answers(self.headline());
        self.summary = Summary::of(self.headline(), &self.answers);
        // Every subject lists the others already.
        self.answers.retain(CheckAnswer::is_about_a_rule);
    }

    /// The command that resumes it; none when it came to its end, or cannot be resumed.
    #[must_use]
    pub fn resumes(&self) -> Option<String> {
        let Whereabouts { folder, program, .. } = &self.at;
        let resumable = self.unfinished.is_some_and(|far| far.resumable);
        (resumable && !program.is_empty() && !folder.is_empty())
            .then(|| format!("{program} soak --resume {}", shell_quoted(folder)))
    }

    /// What was assumed, in a line; none when nothing was.
    #[must_use]
    pub fn assumption(&self) -> Option<String> {
        let all = self.assumed_covered.join(", ");
        (!all.is_empty()).then(|| format!("Assumed: the mark of {all}."))
    }

    /// The findings of every subject.
    pub fn findings(&self) -> impl Iterator<Item = &FindingReport> {
        self.subjects.iter().flat_map(|subject| &subject.findings)
    }

    /// What every pair compares; errors where they do not all compare the same.
    pub(super) fn matter(&self) -> Matter {
        let mut matters = self.subjects.iter().map(SubjectReport::matter);
        let first = matters.next().unwrap_or_default();
        let same = |one: Matter, other: Matter| match (one, other) {
            _ if one == other => one,
            _ if one.is_of_defaults() && other.is_of_defaults() => Matter::Defaults,
            _ => Matter::Errors,
        };
        matters.fold(first, same)
    }

    /// The subjects whose rules a server shows: those that the figures of the run as a whole are about.
    pub fn headline(&self) -> impl Iterator<Item = &SubjectReport> {
        self.subjects.iter().filter(|subject| !subject.apart)
    }

    /// The other subjects.
    pub fn apart(&self) -> impl Iterator<Item = &SubjectReport> {
        self.subjects.iter().filter(|subject| subject.apart)
    }

    /// Marks what was seen beside live traffic: how much, the report of that alone, and by subject the comparisons of requests that API
    /// servers had already accepted.
    pub fn mark_production(
        &mut self,
        production: Production,
        seen: &[SubjectReport],
        accepted_only: &BTreeMap<String, u64>,
    ) {
        self.production = Some(production);
        for subject in &mut self.subjects {
            let alone = seen.iter().find(|seen| seen.subject == subject.subject);
            let accepted_only = accepted_only.get(&subject.subject).copied().unwrap_or_default();
            for field in &mut subject.fields {
                let alone = alone.and_then(|alone| alone.fields.iter().find(|seen| seen.field == field.field));
                for (number, rule) in field.rules.iter_mut().enumerate() {
                    // Rules of a field are in the same order in every report of the subject.
                    let alone = alone.and_then(|alone| alone.rules.get(number));
                    let mut counts = RuleCounts::default();
                    for part in alone.iter().flat_map(|alone| [&alone.create, &alone.update]) {
                        counts.merge(part);
                    }
                    rule.production = Some(RuleInProduction { counts, accepted_only });
                }
            }
        }
        self.mark_unshown();
    }

    /// Keeps apart what the API server whose requests were compared shows nothing of, if it said so. A soak is about more than that server.
    fn mark_unshown(&mut self) {
        let api_server = self.production.as_ref().and_then(|production| production.api_server.as_ref());
        let unshown = api_server.and_then(|server| server.unshown.clone());
        let Some(mut unshown) = unshown.filter(|_| self.is_of_servers()) else { return };
        for subject in &mut self.subjects {
            subject.unshown = unshown.remove(&subject.subject);
        }
        let some_show = self.subjects.iter().any(|subject| subject.unshown.is_none());
        for subject in &mut self.subjects {
            subject.apart = some_show && subject.unshown.is_some();
        }
        self.gather();
    }

    /// The exceptions that somebody has to do something about: those that have expired or do not fit the run.
    pub fn due_exceptions(&self) -> impl Iterator<Item = &ExceptionEntry> {
        self.exceptions.iter().filter(|exception| exception.state.is_due())
    }
}

/// Inputs of one sort that no subject judges.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Outside {
    /// Why.
    pub reason: String,
    /// How many.
    pub count: u64,
    /// Where the first came from.
    pub first: String,
}

/// How the reason begins of inputs whose kind was not selected for the run.
pub const NOT_SELECTED: &str = "not selected";

impl Outside {
    /// Whether somebody may miss them: their kind was selected.
    #[must_use]
    pub fn may_be_missed(&self) -> bool {
        !self.reason.starts_with(NOT_SELECTED)
    }
}
