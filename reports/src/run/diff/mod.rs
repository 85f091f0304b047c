//! Two reports against each other: what got better, worse, new, or vanished.

mod findings;

use crate::form::Form;
use crate::markup::{Budgeted, COMMENT, code};
use crate::numbers::counted;
use crate::run::exceptions::ExceptionReport;
use crate::run::finding::FindingReport;
use crate::run::model::RunReport;
use crate::run::notes;
use crate::run::rule::RuleReport;
use crate::run::subject::SubjectReport;
use crate::run::verdict::VerdictKind;
use crate::text::{field_name, renamed, shown};
use serde::Serialize;
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::{self, Write as _};
use takeover_harness::readiness::Readiness;
use takeover_harness::rule::RuleRef;

/// The forms of a difference.
pub static DIFF_FORMS: &[Form<Diff>] = &[
    Form::new("table", "For people: one line per change", "txt", |diff, look| Ok(look.broken(&diff.text()))),
    Form::json("For machines: one JSON object"),
    Form::new("markdown", "For a pull request comment", "md", |diff, _| Ok(diff.markdown())),
];

/// Version of the JSON form.
const FORMAT_VERSION: u32 = 1;

/// What is not the same in two reports.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Diff {
    format_version: u32,
    /// What to know before the rest is believed: that one of the runs is unfinished, and how far it came.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unfinished: Vec<String>,
    /// Rules with another verdict or level, and those that only one report has.
    pub rules: Vec<Change>,
    /// Pairs without rules that have another verdict as a whole, and those that only one report has.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub pairs: Vec<PairChange>,
    /// Signatures of findings, and panics.
    pub findings: Vec<Seen>,
    /// Handwritten checks that no rule covers.
    pub not_migrated: Vec<Seen>,
    /// Notes. They make no report worse.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<Seen>,
}

/// What became of something.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Turn {
    /// Its verdict is worse.
    Worse,
    /// Only because of findings that were excused, and are not any more.
    NoLongerExcused,
    /// The policy tolerated it, and does not any more.
    NoLongerTolerated,
    /// A finding of both reports that stands for more in the new one: other rules, other values, or many more cases.
    Grown,
    /// Only the new report has it.
    New,
    /// Only the old report has it.
    Vanished,
    /// It is better, or as good as it was, only because of findings that were not excused, and are now.
    Excused,
    /// The policy tolerates it, which it did not, or did not have to, before.
    Tolerated,
    /// Its verdict is better.
    Better,
    /// It is neither better nor worse.
    Other,
}

/// A rule that is not the same.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Change {
    /// What became of it.
    pub turn: Turn,
    /// Version, kind and subresource.
    pub subject: String,
    /// Path pattern.
    pub field: String,
    /// The tag without its level.
    pub rule: String,
    /// What the old report says.
    pub old: Option<Stand>,
    /// What the new report says.
    pub new: Option<Stand>,
}

/// A pair without rules whose verdict is not the same.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PairChange {
    /// What became of it.
    pub turn: Turn,
    /// Version, kind and subresource, with the name of the pair.
    pub subject: String,
    /// What the old report says.
    pub old: Option<PairStand>,
    /// What the new report says.
    pub new: Option<PairStand>,
}

/// How a pair without rules stands in one report.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PairStand {
    /// The sort of its verdict.
    pub verdict: &'static str,
    /// The reasons.
    pub reasons: Vec<String>,
    #[serde(skip)]
    severity: u8,
}

impl PairStand {
    fn of(verdict: &Readiness) -> Self {
        let reasons = verdict.reasons().to_vec();
        Self { verdict: VerdictKind::of(verdict).name(), reasons, severity: verdict.severity() }
    }
}

impl fmt::Display for PairChange {
    /// `blocked → ready (100 of 100 agreed accepts)`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.old, &self.new) {
            (Some(old), Some(new)) => write!(f, "{} → {}", old.verdict, new.verdict)?,
            (Some(only), None) | (None, Some(only)) => f.write_str(only.verdict)?,
            (None, None) => {}
        }
        let reason = self.new.as_ref().or(self.old.as_ref()).and_then(|now| now.reasons.first());
        reason.map_or(Ok(()), |reason| write!(f, " ({})", shown(reason)))
    }
}

/// How a rule stands in one report.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Stand {
    /// Its level.
    pub level: &'static str,
    /// The sort of its verdict.
    pub verdict: &'static str,
    /// The reasons.
    pub reasons: Vec<String>,
    /// How many findings of it are excused: without these exceptions, it is blocked.
    pub excused: usize,
    #[serde(skip)]
    severity: u8,
}

/// Something that only one report has, or a finding that does not stand as it did.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Seen {
    /// What became of it.
    pub turn: Turn,
    /// Its name.
    pub name: String,
    /// In what a finding has grown; empty otherwise.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub grown: String,
    /// The exception that is about it, as the newest report with the finding has it; or else the one that was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exception: Option<ExceptionReport>,
}

type Key<'r> = (&'r str, &'r RuleRef);

type Signatures<'r> = BTreeMap<&'r str, &'r FindingReport>;

/// A rule, and the findings that are attributed to it, by signature.
struct Judged<'r> {
    rule: &'r RuleReport,
    findings: Signatures<'r>,
}

impl Judged<'_> {
    /// The signatures of findings that are excused.
    fn excused(&self) -> BTreeSet<&str> {
        self.signatures(FindingReport::is_excused)
    }

    /// The signatures of findings that fail the run.
    fn open(&self) -> BTreeSet<&str> {
        self.signatures(FindingReport::is_open)
    }

    fn signatures(&self, which: fn(&FindingReport) -> bool) -> BTreeSet<&str> {
        self.findings.iter().filter(|(_, finding)| which(finding)).map(|(signature, _)| *signature).collect()
    }
}

impl Diff {
    /// What changed from `old` to `new`.
    #[must_use]
    pub fn of(old: &RunReport, new: &RunReport) -> Self {
        let (before, after) = (rules(old), rules(new));
        let policy = new.policy.as_ref();
        let keys: BTreeSet<Key<'_>> = before.keys().chain(after.keys()).copied().collect();
        let mut changes: Vec<Change> = keys
            .into_iter()
            .filter_map(|key| {
                let (was, is) = (before.get(&key), after.get(&key));
                let (old, new) = (was.map(stand), is.map(stand));
                let turn = match (turn(old.as_ref(), new.as_ref()), was.zip(is)) {
                    (Some(Turn::Worse), Some((was, is)))
                        if matches!(was.rule.verdict, Readiness::Ready(_)) && is.rule.is_nearly_ready(policy) =>
                    {
                        Some(Turn::Other)
                    }
                    (turn, Some((was, is))) => by_exceptions(turn, was, is),
                    (turn, None) => turn,
                }?;
                let (subject, RuleRef { path, chain }) = key;
                Some(Change { turn, subject: subject.into(), field: path.clone(), rule: chain.clone(), old, new })
            })
            .collect();
        changes.sort_by_key(|change| change.turn);
        let checks = |report: &RunReport| -> BTreeSet<String> {
            let of = report.subjects.iter().flat_map(|subject| {
                subject.not_migrated.iter().map(move |check| {
                    let field = field_name(&check.field);
                    format!("{} {field} {} {}", subject.subject, check.error_type, check.origin).trim_end().to_owned()
                })
            });
            of.collect()
        };
        let noted = |report: &RunReport| -> BTreeSet<String> {
            report.subjects.iter().flat_map(|subject| notes::names(&subject.subject, &subject.notes)).collect()
        };
        let far = [("old", old.unfinished), ("new", new.unfinished)];
        let far = far.into_iter().filter_map(|(run, far)| Some(format!("the {run} run is unfinished: {}", far?)));
        Self {
            format_version: FORMAT_VERSION,
            unfinished: far.collect(),
            rules: changes,
            pairs: pairs(old, new),
            findings: findings::changed(old, new),
            not_migrated: seen(&checks(old), &checks(new)),
            notes: seen(&noted(old), &noted(new)),
        }
    }

    /// Whether nothing changed.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rules.is_empty()
            && self.pairs.is_empty()
            && self.findings.is_empty()
            && self.not_migrated.is_empty()
            && self.notes.is_empty()
    }

    /// Whether something got worse: a rule or pair, or there is a finding that was not there, that has grown, or that was excused.
    #[must_use]
    pub fn is_worse(&self) -> bool {
        self.rules.iter().any(|change| matches!(change.turn, Turn::Worse | Turn::NoLongerExcused))
            || self.pairs.iter().any(|change| change.turn == Turn::Worse)
            || self.findings.iter().any(|finding| {
                matches!(finding.turn, Turn::New | Turn::Grown | Turn::NoLongerExcused | Turn::NoLongerTolerated)
            })
    }

    /// The changes for a terminal, a line each. Ends with a line break.
    #[must_use]
    pub fn text(&self) -> String {
        let mut text: String = self.unfinished.iter().map(|run| format!("warning: {run}\n")).collect();
        for change in &self.rules {
            let _ = writeln!(
                text,
                "{:8}  {} {} {}: {}",
                change.turn.word(),
                shown(&change.subject),
                field_name(&change.field),
                shown(&change.rule),
                said(change)
            );
        }
        for change in &self.pairs {
            let _ = writeln!(text, "{:8}  pair: {}: {change}", change.turn.word(), shown(&change.subject));
        }
        // Which checks without a rule were seen depends on the cases: they are only counted.
        for (what, all) in [("finding", &self.findings), ("note", &self.notes)] {
            for seen in all {
                let _ = writeln!(text, "{:8}  {what}: {}", seen.turn.word(), shown(&renamed(&seen.name)));
                if !seen.grown.is_empty() {
                    let _ = writeln!(text, "          {}", shown(&seen.grown));
                }
                if let Some(exception) = &seen.exception {
                    let _ = writeln!(text, "          {}", exception.said());
                }
            }
        }
        text + &self.counts() + "\n"
    }

    /// The changes for a comment on a pull request.
    #[must_use]
    pub fn markdown(&self) -> String {
        let mut out = Budgeted::new(COMMENT - 200);
        out.add(&format!("## What changed\n\n{}\n\n", self.counts()));
        for run in &self.unfinished {
            out.add(&format!("**Warning**: {run}.\n\n"));
        }
        let rules = self.rules.iter().map(|change| {
            let name = format!("{} {} {}", code(&change.subject), code(&field_name(&change.field)), code(&change.rule));
            format!("* **{}** {name}: {}\n", change.turn.word(), code(&said(change)))
        });
        let named = |what: &'static str| {
            move |seen: &Seen| {
                let exception = seen.exception.as_ref();
                let exception = exception.map_or_else(String::new, |of| format!(": {}", code(&of.said())));
                let grown = if seen.grown.is_empty() { String::new() } else { format!(": {}", code(&seen.grown)) };
                format!("* **{}** {what} {}{grown}{exception}\n", seen.turn.word(), code(&renamed(&seen.name)))
            }
        };
        let pairs = self.pairs.iter().map(|change| {
            format!("* **{}** pair {}: {}\n", change.turn.word(), code(&change.subject), code(&change.to_string()))
        });
        let findings = self.findings.iter().map(named("finding"));
        let noted = self.notes.iter().map(named("note"));
        let mut lines = findings.chain(pairs).chain(rules).chain(noted);
        let all = self.rules.len() + self.pairs.len() + self.findings.len() + self.notes.len();
        let fitting = lines.by_ref().take_while(|line| out.add(line)).count();
        let mut text = out.into_text();
        if fitting < all {
            let _ = write!(text, "\n_Not shown, to keep this short: {}._\n", counted((all - fitting) as u64, "change"));
        }
        text
    }

    fn counts(&self) -> String {
        if self.is_empty() {
            return "nothing changed".to_owned();
        }
        let of = |turn| self.rules.iter().filter(|change| change.turn == turn).count() as u64;
        let pairs = match self.pairs.len() as u64 {
            0 => String::new(),
            some => format!("; pairs without rules: {some} changed"),
        };
        let seen = |all: &[Seen], turn| all.iter().filter(|seen| seen.turn == turn).count() as u64;
        let notes = match self.notes.len() {
            0 => String::new(),
            _ => {
                format!("; notes: {} new, {} vanished", seen(&self.notes, Turn::New), seen(&self.notes, Turn::Vanished))
            }
        };
        let others: String = [Turn::Grown, Turn::Tolerated, Turn::NoLongerTolerated]
            .into_iter()
            .filter(|turn| seen(&self.findings, *turn) > 0)
            .map(|turn| format!(", {} {}", seen(&self.findings, turn), turn.word()))
            .collect();
        format!(
            "rules: {} better, {} excused, {} worse, {} no longer excused, {} new, {} vanished, {} otherwise changed; findings: {} excused, {} no longer excused, {} new, {} vanished{others}; checks without rule: {} seen only now, {} only before{pairs}{notes}",
            of(Turn::Better),
            of(Turn::Excused),
            of(Turn::Worse),
            of(Turn::NoLongerExcused),
            of(Turn::New),
            of(Turn::Vanished),
            of(Turn::Other),
            seen(&self.findings, Turn::Excused),
            seen(&self.findings, Turn::NoLongerExcused),
            seen(&self.findings, Turn::New),
            seen(&self.findings, Turn::Vanished),
            seen(&self.not_migrated, Turn::New),
            seen(&self.not_migrated, Turn::Vanished),
        )
    }
}

impl Turn {
    fn word(self) -> &'static str {
        match self {
            Self::Worse => "worse",
            Self::NoLongerExcused => "no longer excused",
            Self::NoLongerTolerated => "no longer tolerated",
            Self::Grown => "grown",
            Self::New => "new",
            Self::Vanished => "vanished",
            Self::Excused => "excused",
            Self::Tolerated => "tolerated",
            Self::Better => "better",
            Self::Other => "changed",
        }
    }
}

/// Every rule by subject, field and tag. A rule that moves to another level is still the same.
fn rules(report: &RunReport) -> BTreeMap<Key<'_>, Judged<'_>> {
    let of = report.subjects.iter().flat_map(|subject| {
        subject.fields.iter().flat_map(move |field| {
            field.rules.iter().map(move |rule| {
                let findings = by_signature(subject.findings_of(rule));
                ((subject.subject.as_str(), &rule.rule), Judged { rule, findings })
            })
        })
    });
    of.collect()
}

/// The pairs without rules that have another verdict, and those that only one report has.
fn pairs(old: &RunReport, new: &RunReport) -> Vec<PairChange> {
    let stands = |report: &RunReport| -> BTreeMap<String, PairStand> {
        let of =
            |subject: &SubjectReport| Some((subject.subject.clone(), PairStand::of(&subject.pair.as_ref()?.verdict)));
        report.subjects.iter().filter_map(of).collect()
    };
    let (before, after) = (stands(old), stands(new));
    let names: BTreeSet<&String> = before.keys().chain(after.keys()).collect();
    let change = |name: &String| {
        let (old, new) = (before.get(name).cloned(), after.get(name).cloned());
        let turn = match (&old, &new) {
            (None, _) => Turn::New,
            (_, None) => Turn::Vanished,
            (Some(old), Some(new)) => match new.severity.cmp(&old.severity) {
                Ordering::Greater => Turn::Worse,
                Ordering::Less => Turn::Better,
                Ordering::Equal => return None,
            },
        };
        Some(PairChange { turn, subject: name.clone(), old, new })
    };
    let mut changes: Vec<PairChange> = names.into_iter().filter_map(change).collect();
    changes.sort_by_key(|change| change.turn);
    changes
}

fn stand(judged: &Judged<'_>) -> Stand {
    let rule = judged.rule;
    Stand {
        excused: judged.excused().len(),
        level: rule.lifecycle.level.name(),
        verdict: VerdictKind::of(&rule.verdict).name(),
        reasons: rule.verdict.reasons().to_vec(),
        severity: match rule.verdict {
            // Decided about elsewhere: neither better nor worse than anything.
            Readiness::OutOfReach(_) => 0,
            ref verdict => verdict.severity(),
        },
    }
}

fn turn(old: Option<&Stand>, new: Option<&Stand>) -> Option<Turn> {
    match (old, new) {
        (None, None) => None,
        (None, Some(_)) => Some(Turn::New),
        (Some(_), None) => Some(Turn::Vanished),
        (Some(old), Some(new)) if old.verdict == new.verdict => (old.level != new.level).then_some(Turn::Other),
        (Some(old), Some(new)) if old.severity == 0 || new.severity == 0 => Some(Turn::Other),
        (Some(old), Some(new)) if new.severity > old.severity => Some(Turn::Worse),
        (Some(_), Some(_)) => Some(Turn::Better),
    }
}

/// The turn of a rule, with what only exceptions made of it told apart. A rule with an excused finding would be blocked without the
/// exception, so that nothing else can have made it better.
fn by_exceptions(turn: Option<Turn>, old: &Judged<'_>, new: &Judged<'_>) -> Option<Turn> {
    let (was, is) = (old.excused(), new.excused());
    let counts = [new.rule.create, new.rule.update];
    match turn {
        Some(Turn::Worse) => {
            let open = new.open();
            let only = !open.is_empty() && open.is_subset(&was) && counts.iter().all(|of| of.panicked == 0);
            Some(if only { Turn::NoLongerExcused } else { Turn::Worse })
        }
        Some(Turn::Better) => Some(if is.is_subset(&was) { Turn::Better } else { Turn::Excused }),
        // It stands as it did, but not by itself any more.
        None if new.open().is_empty() && was.is_empty() && !is.is_empty() => Some(Turn::Excused),
        turn => turn,
    }
}

fn by_signature<'r>(findings: impl Iterator<Item = &'r FindingReport>) -> Signatures<'r> {
    findings.map(|finding| (finding.signature.as_str(), finding)).collect()
}

fn seen(old: &BTreeSet<String>, new: &BTreeSet<String>) -> Vec<Seen> {
    let only = |turn, one: &BTreeSet<String>, other: &BTreeSet<String>| -> Vec<Seen> {
        one.difference(other)
            .map(|name| Seen { turn, name: name.clone(), grown: String::new(), exception: None })
            .collect()
    };
    [only(Turn::New, new, old), only(Turn::Vanished, old, new)].concat()
}

fn said(change: &Change) -> String {
    let stand = |stand: &Stand| {
        let excused = match stand.excused as u64 {
            0 => String::new(),
            excused => format!(", {} excused", counted(excused, "finding")),
        };
        format!("{} {}{excused}", stand.level, stand.verdict)
    };
    let now = change.new.as_ref().or(change.old.as_ref());
    let because =
        now.and_then(|stand| stand.reasons.first()).map_or_else(String::new, |reason| format!(" ({})", shown(reason)));
    match (&change.old, &change.new) {
        (Some(old), Some(new)) => format!("{} → {}{because}", stand(old), stand(new)),
        (Some(only), None) | (None, Some(only)) => format!("{}{because}", stand(only)),
        (None, None) => String::new(),
    }
}
