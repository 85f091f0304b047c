//! Two reports against each other: what got better, worse, new, or vanished.

use crate::markdown::{Budgeted, COMMENT, code};
use crate::model::{Report, RuleReport};
use crate::summary::{Standing, counted};
use crate::table::field_name;
use crate::text::shown;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use takeover_harness::readiness::Verdict;

/// Version of the JSON form.
const FORMAT_VERSION: u32 = 1;

/// What is not the same in two reports.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Diff {
    format_version: u32,
    /// Rules with another verdict or level, and those that only one report has.
    pub rules: Vec<Change>,
    /// Signatures of findings, and panics.
    pub findings: Vec<Seen>,
    /// Handwritten checks that no rule covers.
    pub not_migrated: Vec<Seen>,
}

/// What became of something.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Turn {
    /// Its verdict is worse.
    Worse,
    /// Only the new report has it.
    New,
    /// Only the old report has it.
    Vanished,
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
    #[serde(skip)]
    severity: u8,
}

/// Something that only one report has.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Seen {
    /// New or vanished.
    pub turn: Turn,
    /// Its name.
    pub name: String,
}

type Key<'r> = (&'r str, &'r str, &'r str);

impl Diff {
    /// What changed from `old` to `new`.
    #[must_use]
    pub fn of(old: &Report, new: &Report) -> Self {
        let (before, after) = (rules(old), rules(new));
        let keys: BTreeSet<Key<'_>> = before.keys().chain(after.keys()).copied().collect();
        let mut changes: Vec<Change> = keys
            .into_iter()
            .filter_map(|key| {
                let (old, new) = (before.get(&key).map(|rule| stand(rule)), after.get(&key).map(|rule| stand(rule)));
                let turn = turn(old.as_ref(), new.as_ref())?;
                let (subject, field, rule) = key;
                Some(Change { turn, subject: subject.into(), field: field.into(), rule: rule.into(), old, new })
            })
            .collect();
        changes.sort_by_key(|change| change.turn);
        let findings = |report: &Report| -> BTreeSet<String> {
            let findings = report.subjects.iter().flat_map(|subject| &subject.findings);
            findings.map(|finding| finding.signature.clone()).collect()
        };
        let checks = |report: &Report| -> BTreeSet<String> {
            let of = report.subjects.iter().flat_map(|subject| {
                subject.not_migrated.iter().map(move |check| {
                    let field = field_name(&check.field);
                    format!("{} {field} {} {}", subject.subject, check.error_type, check.origin).trim_end().to_owned()
                })
            });
            of.collect()
        };
        Self {
            format_version: FORMAT_VERSION,
            rules: changes,
            findings: seen(&findings(old), &findings(new)),
            not_migrated: seen(&checks(old), &checks(new)),
        }
    }

    /// Whether nothing changed.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rules.is_empty() && self.findings.is_empty() && self.not_migrated.is_empty()
    }

    /// Whether something got worse: a rule, or there is a finding that there was not.
    #[must_use]
    pub fn is_worse(&self) -> bool {
        self.rules.iter().any(|change| change.turn == Turn::Worse)
            || self.findings.iter().any(|finding| finding.turn == Turn::New)
    }

    /// The changes for a terminal, a line each. Ends with a line break.
    #[must_use]
    pub fn text(&self) -> String {
        let mut text = String::new();
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
        for (what, all) in [("finding", &self.findings), ("check without rule", &self.not_migrated)] {
            for seen in all {
                let _ = writeln!(text, "{:8}  {what}: {}", seen.turn.word(), shown(&seen.name));
            }
        }
        text + &self.counts() + "\n"
    }

    /// The changes for a comment on a pull request.
    #[must_use]
    pub fn markdown(&self) -> String {
        let mut out = Budgeted::new(COMMENT - 200);
        out.add(&format!("## What changed\n\n{}\n\n", self.counts()));
        let rules = self.rules.iter().map(|change| {
            let name = format!("{} {} {}", code(&change.subject), code(&field_name(&change.field)), code(&change.rule));
            format!("* **{}** {name}: {}\n", change.turn.word(), code(&said(change)))
        });
        let named =
            |what: &'static str| move |seen: &Seen| format!("* **{}** {what} {}\n", seen.turn.word(), code(&seen.name));
        let findings = self.findings.iter().map(named("finding"));
        let mut lines = findings.chain(rules).chain(self.not_migrated.iter().map(named("check without rule")));
        let all = self.rules.len() + self.findings.len() + self.not_migrated.len();
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
        let seen = |all: &[Seen], turn| all.iter().filter(|seen| seen.turn == turn).count() as u64;
        format!(
            "rules: {} better, {} worse, {} new, {} vanished, {} otherwise changed; findings: {} new, {} vanished; checks without rule: {} new, {} vanished",
            of(Turn::Better),
            of(Turn::Worse),
            of(Turn::New),
            of(Turn::Vanished),
            of(Turn::Other),
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
            Self::New => "new",
            Self::Vanished => "vanished",
            Self::Better => "better",
            Self::Other => "changed",
        }
    }
}

/// Every rule by subject, field and tag. A rule that moves to another level is still the same.
fn rules(report: &Report) -> BTreeMap<Key<'_>, &RuleReport> {
    let of = report.subjects.iter().flat_map(|subject| {
        subject.fields.iter().flat_map(move |field| {
            field.rules.iter().map(move |rule| {
                let level = rule.lifecycle.level.name();
                let chain = rule.rule.strip_prefix(level).and_then(|rest| rest.strip_prefix(' ')).unwrap_or(&rule.rule);
                ((subject.subject.as_str(), field.field.as_str(), chain), rule)
            })
        })
    });
    of.collect()
}

fn stand(rule: &RuleReport) -> Stand {
    Stand {
        level: rule.lifecycle.level.name(),
        verdict: Standing::of(&rule.verdict).name(),
        reasons: rule.verdict.reasons().to_vec(),
        severity: match rule.verdict {
            // Decided about elsewhere: neither better nor worse than anything.
            Verdict::OutOfReach(_) => 0,
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

fn seen(old: &BTreeSet<String>, new: &BTreeSet<String>) -> Vec<Seen> {
    let only = |turn, one: &BTreeSet<String>, other: &BTreeSet<String>| -> Vec<Seen> {
        one.difference(other).map(|name| Seen { turn, name: name.clone() }).collect()
    };
    [only(Turn::New, new, old), only(Turn::Vanished, old, new)].concat()
}

fn said(change: &Change) -> String {
    let stand = |stand: &Stand| format!("{} {}", stand.level, stand.verdict);
    let now = change.new.as_ref().or(change.old.as_ref());
    let because =
        now.and_then(|stand| stand.reasons.first()).map_or_else(String::new, |reason| format!(" ({})", shown(reason)));
    match (&change.old, &change.new) {
        (Some(old), Some(new)) => format!("{} → {}{because}", stand(old), stand(new)),
        (Some(only), None) | (None, Some(only)) => format!("{}{because}", stand(only)),
        (None, None) => String::new(),
    }
}
