//! The committed readiness: a text file with a line for every rule, every observed check, and every pair without rules.

use anyhow::Context as _;
use std::collections::BTreeMap;
use std::fmt::{self, Write as _};
use std::path::Path;
use takeover_harness::format::Format;
use takeover_harness::readiness::Readiness;
use takeover_reports::{ObservedReport, Refuses, RuleReport, RunReport};

/// What the first line of the file begins with; the version of the format follows.
const HEADER: &str = "takeover baseline ";

/// The format of the file.
const FORMAT: Format =
    Format { name: "baseline", major: 2, minor: 1, remedy: "rewrite it with `gate --update-baseline`" };

/// What the file says about itself.
const COMMENT: &str = "# The readiness that `gate` holds runs against: verdict, level and rule, or check. `gate --update-baseline` writes it.";

/// A verdict without its reasons, best first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Rank {
    /// Every criterion is met.
    Ready,
    /// Another subject of the kind decides.
    OutOfReach,
    /// Too little was seen.
    Insufficient,
    /// Something speaks against the rule.
    Blocked,
}

impl Rank {
    const ALL: [Self; 4] = [Self::Ready, Self::OutOfReach, Self::Insufficient, Self::Blocked];

    /// The rank of a verdict on a rule.
    pub fn of(verdict: &Readiness) -> Self {
        match verdict {
            Readiness::Ready(_) => Self::Ready,
            Readiness::OutOfReach(_) => Self::OutOfReach,
            Readiness::InsufficientEvidence(_) => Self::Insufficient,
            // Of rules, there is no other.
            _ => Self::Blocked,
        }
    }

    /// The rank of an observed check.
    fn of_observed(refuses: Refuses) -> Self {
        match refuses {
            Refuses::Same => Self::Ready,
            Refuses::Unknown => Self::Insufficient,
            Refuses::Less | Refuses::More => Self::Blocked,
        }
    }

    fn word(self) -> &'static str {
        match self {
            Self::Ready => "ready",
            Self::OutOfReach => "out-of-reach",
            Self::Insufficient => "insufficient",
            Self::Blocked => "blocked",
        }
    }
}

impl fmt::Display for Rank {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

/// A rule or check as the baseline names it. Its level is not part of its name: a rule that was promoted is the same rule.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Key {
    /// Subject as printed.
    pub subject: String,
    /// Path and tag: `spec.replicas minimum=0`; of an observed check, field, type and message.
    pub rule: String,
    /// How many rules of that name come before it: a tag may be written twice.
    pub nth: usize,
}

/// What is known of a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Known {
    /// Its verdict.
    pub rank: Rank,
    /// Its level.
    pub level: &'static str,
}

/// What stands in the place of a level for a check that was observed.
pub(super) const OBSERVED: &str = "check";

/// What stands in the place of a level for a pair without rules.
const WHOLE: &str = "pair";

/// The name of a pair without rules among its checks.
const AS_A_WHOLE: &str = "as a whole";

/// The levels of rules, and what stands in their place.
const LEVELS: [&str; 5] = ["alpha", "beta", "stable", OBSERVED, WHOLE];

/// The readiness of every rule.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Baseline {
    rules: BTreeMap<Key, Known>,
    /// Rules in the order of the report, so that neighbours stay neighbours.
    order: Vec<Key>,
}

impl Baseline {
    /// The readiness in a report.
    pub fn of(report: &RunReport) -> Self {
        let mut baseline = Self::default();
        for row in rows(report) {
            baseline.add(row.subject, &row.name(), row.known());
        }
        baseline
    }

    /// This baseline, after the lines of `earlier` for subjects that this one does not list.
    #[must_use]
    pub fn beside(self, earlier: &Self) -> Self {
        let is_new = |key: &Key| self.order.iter().any(|of| of.subject == key.subject);
        let mut both = Self::default();
        for (key, known) in earlier.iter().filter(|(key, _)| !is_new(key)).chain(self.iter()) {
            both.add(&key.subject, &key.rule, known);
        }
        both
    }

    /// Whether a key is that of an observed check.
    pub(super) fn is_observed(&self, key: &Key) -> bool {
        self.get(key).is_some_and(|known| known.level == OBSERVED)
    }

    /// Reads the file; none when it is not there.
    ///
    /// # Errors
    /// Returns an error when it cannot be read, or a line is none of a baseline.
    pub fn read(place: &Path) -> anyhow::Result<Option<Self>> {
        let text = match crate::bounded::text(place, crate::bounded::SETTINGS) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            text => text.with_context(|| format!("failed to read `{}`", place.display()))?,
        };
        Self::parse(&text)
            .map(Some)
            .map_err(|(line, message)| anyhow::anyhow!("`{}`:{line}: {message}", place.display()))
    }

    fn parse(text: &str) -> Result<Self, (usize, String)> {
        let mut baseline = Self::default();
        let mut subject = None;
        let mut lines = text.lines().zip(1..);
        let Some(version) = lines.next().and_then(|(line, _)| line.strip_prefix(HEADER)) else {
            return Err((1, format!("a baseline begins with `{HEADER}{}`", FORMAT.version())));
        };
        FORMAT.check_version(version).map_err(|error| (1, error.to_string()))?;
        for (line, number) in lines {
            if line.trim().is_empty() || line.starts_with('#') {
                continue;
            }
            if let Some(name) = line.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
                subject = Some(name);
                continue;
            }
            let Some(subject) = subject else { return Err((number, "the rule is not below a subject".to_owned())) };
            let Some((known, rule)) = read_rule(line) else {
                return Err((number, format!("`{line}` is not a rule, such as `ready alpha spec.replicas minimum=0`")));
            };
            baseline.add(subject, rule, known);
        }
        Ok(baseline)
    }

    fn add(&mut self, subject: &str, rule: &str, known: Known) {
        let mut key = Key { subject: subject.to_owned(), rule: rule.to_owned(), nth: 0 };
        while self.rules.contains_key(&key) {
            key.nth += 1;
        }
        self.rules.insert(key.clone(), known);
        self.order.push(key);
    }

    /// Its rules, in order.
    pub fn iter(&self) -> impl Iterator<Item = (&Key, Known)> {
        self.order.iter().filter_map(|key| Some((key, *self.rules.get(key)?)))
    }

    /// What is known of a rule.
    pub fn get(&self, key: &Key) -> Option<Known> {
        self.rules.get(key).copied()
    }

    /// The text of the file.
    pub fn text(&self) -> String {
        let mut text = format!("{HEADER}{}\n{COMMENT}\n", FORMAT.version());
        let mut subject = "";
        for (key, known) in self.iter() {
            if key.subject != subject {
                subject = &key.subject;
                let _ = writeln!(text, "\n[{subject}]");
            }
            let _ = writeln!(text, "{:<12} {:<6} {}", known.rank.word(), known.level, key.rule);
        }
        text
    }
}

fn read_rule(line: &str) -> Option<(Known, &str)> {
    let (rank, rest) = line.split_once(' ')?;
    let (level, rule) = rest.trim_start().split_once(' ')?;
    let rank = Rank::ALL.into_iter().find(|known| known.word() == rank)?;
    let level = LEVELS.into_iter().find(|known| *known == level)?;
    let rule = rule.trim();
    rule.contains(' ').then_some((Known { rank, level }, rule))
}

/// Every rule of a report, with its subject.
pub(super) fn rules(report: &RunReport) -> impl Iterator<Item = (&str, &RuleReport)> {
    report.subjects.iter().flat_map(|subject| {
        let rules = subject.fields.iter().flat_map(|field| &field.rules);
        rules.map(|rule| (subject.subject.as_str(), rule))
    })
}

/// Something that has a line in the baseline.
pub(super) struct Row<'r> {
    /// Its subject.
    pub(super) subject: &'r str,
    /// What it is.
    pub(super) about: RowAbout<'r>,
}

/// What a line of the baseline is about.
pub(super) enum RowAbout<'r> {
    /// A rule.
    Rule(&'r RuleReport),
    /// A check that nobody lists.
    Observed(&'r ObservedReport),
    /// A pair without rules.
    Whole(&'r Readiness),
}

impl Row<'_> {
    /// Its name within its subject.
    fn name(&self) -> String {
        match self.about {
            RowAbout::Rule(rule) => rule.rule.to_string(),
            RowAbout::Observed(check) => {
                let field = if check.field.is_empty() { "<nil>" } else { &check.field };
                let words = check.message.split_whitespace().filter(|word| !word.is_empty());
                [field, &check.error_type].into_iter().chain(words).collect::<Vec<_>>().join(" ")
            }
            RowAbout::Whole(_) => AS_A_WHOLE.to_owned(),
        }
    }

    fn known(&self) -> Known {
        match self.about {
            RowAbout::Rule(rule) => Known { rank: Rank::of(&rule.verdict), level: rule.lifecycle.level.name() },
            RowAbout::Observed(check) => Known { rank: Rank::of_observed(check.candidate_refuses), level: OBSERVED },
            RowAbout::Whole(verdict) => Known { rank: Rank::of(verdict), level: WHOLE },
        }
    }

    /// Why it stands as it does; empty where there is nothing to say.
    pub(super) fn because(&self) -> String {
        match self.about {
            RowAbout::Rule(rule) => rule.verdict.reasons().first().cloned().unwrap_or_default(),
            RowAbout::Whole(verdict) => verdict.reasons().first().cloned().unwrap_or_default(),
            RowAbout::Observed(check) => match check.candidate_refuses {
                Refuses::Unknown => check.because.clone(),
                refuses => format!("the candidate rejects {}; {}", refuses.word(), check.figures()),
            },
        }
    }

    /// The rule that it is.
    pub(super) fn rule(&self) -> Option<&RuleReport> {
        match self.about {
            RowAbout::Rule(rule) => Some(rule),
            RowAbout::Observed(_) | RowAbout::Whole(_) => None,
        }
    }
}

/// Everything in a report that has a line in a baseline, by subject: the pair as a whole where it has no rules, rules, observed checks.
pub(super) fn rows(report: &RunReport) -> impl Iterator<Item = Row<'_>> {
    report.subjects.iter().flat_map(|subject| {
        let rules = subject.fields.iter().flat_map(|field| &field.rules).map(RowAbout::Rule);
        let whole = subject.pair.iter().map(|pair| RowAbout::Whole(&pair.verdict));
        let observed = subject.observed.iter().map(RowAbout::Observed);
        whole.chain(rules).chain(observed).map(|about| Row { subject: &subject.subject, about })
    })
}

#[cfg(test)]
mod tests {
    use super::{Baseline, Known, Rank};

    #[test]
    fn what_is_written_is_read_again() {
        let mut baseline = Baseline::default();
        for (subject, rule, rank, level) in [
            ("v1 Web", "<nil> unionMember of a, b", Rank::Ready, "alpha"),
            ("v1 Web", "spec.a item(type: \"B\")=required", Rank::Blocked, "stable"),
            ("v1 Web", "spec.a item(type: \"B\")=required", Rank::Ready, "beta"),
            ("v1 Web/scale", "spec.a minimum=0", Rank::OutOfReach, "alpha"),
            ("a/v1 Web", "spec.a minimum=0", Rank::Insufficient, "alpha"),
            ("a/v1 Web#old-to-new", "as a whole", Rank::Blocked, "pair"),
            ("a/v1 Web#old-to-new", "spec.a FieldValueInvalid must be at least N", Rank::Ready, "check"),
        ] {
            baseline.add(subject, rule, Known { rank, level });
        }
        assert_eq!(Baseline::parse(&baseline.text()).unwrap(), baseline);
        insta::assert_snapshot!(baseline.text(), @r#"
        takeover baseline 2.1
        # The readiness that `gate` holds runs against: verdict, level and rule, or check. `gate --update-baseline` writes it.

        [v1 Web]
        ready        alpha  <nil> unionMember of a, b
        blocked      stable spec.a item(type: "B")=required
        ready        beta   spec.a item(type: "B")=required

        [v1 Web/scale]
        out-of-reach alpha  spec.a minimum=0

        [a/v1 Web]
        insufficient alpha  spec.a minimum=0

        [a/v1 Web#old-to-new]
        blocked      pair   as a whole
        ready        check  spec.a FieldValueInvalid must be at least N
        "#);
    }

    #[test]
    fn lines_that_are_no_rules_are_named() {
        for (text, line, message) in [
            ("", 1, "begins with"),
            ("takeover baseline 3.0\n", 1, "too new: `baseline` of format 3.0"),
            ("takeover baseline 1.0\n", 1, "rewrite it with `gate --update-baseline`"),
            ("takeover baseline x\n", 1, "does not state its format"),
            ("takeover baseline 2.7\nready alpha a b\n", 2, "not below a subject"),
            ("takeover baseline 2\nready alpha a b\n", 2, "not below a subject"),
            ("takeover baseline 2\n\n[v1 Web]\nready gamma a b\n", 4, "is not a rule"),
            ("takeover baseline 2\n[v1 Web]\nperfect alpha a b\n", 3, "is not a rule"),
            ("takeover baseline 2\n[v1 Web]\nready alpha\n", 3, "is not a rule"),
            ("takeover baseline 2\n[v1 Web]\nready alpha a\n", 3, "is not a rule"),
            ("takeover baseline 2\n<<<<<<< HEAD\n", 2, "not below a subject"),
        ] {
            let (found, said) = Baseline::parse(text).unwrap_err();
            assert!(found == line && said.contains(message), "{text}: {found}: {said}");
        }
    }
}
