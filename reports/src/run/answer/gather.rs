//! From the subjects of a report to an answer for each check.

use super::check::{Answer, CheckAnswer};
use crate::numbers::{counted, grouped};
use crate::run::finding::FindingReport;
use crate::run::observed::{ObservedReport, Refuses};
use crate::run::rule::{Check, ClassReport, LevelledRule, RuleReport, Twin};
use crate::run::standing::FindingStanding;
use crate::run::subject::SubjectReport;
use crate::run::verdict::VerdictKind;
use std::collections::{BTreeMap, BTreeSet};
use takeover_harness::compare::{Cause, DifferenceKind, Signature};
use takeover_harness::readiness::ReadinessPolicy;
use takeover_harness::subject::PairId;

/// Group, kind and pair, then the error: field, type, origin and, of an observed check, message.
type Key = (String, String, String, String, String, String, String);

/// A check as one subject has it.
struct Local<'s> {
    check: Check,
    /// Whether its errors say that a rule covers them.
    covered: bool,
    /// Whether it is a default that code sets whatever else the object says.
    constant: bool,
    rules: Vec<&'s RuleReport>,
}

/// The answers about all checks of `subjects`, by kind and field.
pub(in crate::run) fn answers<'s>(subjects: impl Iterator<Item = &'s SubjectReport>) -> Vec<CheckAnswer> {
    let mut answers: BTreeMap<Key, CheckAnswer> = BTreeMap::new();
    for subject in subjects {
        let Ok(pair) = subject.subject.parse::<PairId>() else { continue };
        let (group, place) = group_and_place(&pair);
        let mut add = |key: Key, here: CheckAnswer| match answers.entry(key) {
            std::collections::btree_map::Entry::Vacant(entry) => drop(entry.insert(here)),
            std::collections::btree_map::Entry::Occupied(mut entry) => entry.get_mut().join(here),
        };
        let key = |field: &str, error_type: &str, origin: &str, message: &str| {
            let texts = [field, error_type, origin, message].map(str::to_owned);
            let [field, error_type, origin, message] = texts;
            (
                group.clone(),
                pair.subject.kind.clone(),
                pair.name.as_str().to_owned(),
                field,
                error_type,
                origin,
                message,
            )
        };
        for check in &subject.observed {
            let key = key(&check.field, &check.error_type, "", &check.message);
            let here = observed(subject, &place, check, &key);
            add(key, here);
        }
        let is_judged_as_a_whole = subject.pair.is_some() && !subject.fields.is_empty();
        if !subject.observed.is_empty() || is_judged_as_a_whole {
            continue;
        }
        for local in checks(subject) {
            let key = key(&local.check.field, &local.check.error_type, &local.check.origin, "");
            let here = answer(subject, &place, local, &key);
            add(key, here);
        }
    }
    answers.into_values().collect()
}

/// The group of a pair, and its version and subresource.
fn group_and_place(pair: &PairId) -> (String, String) {
    let of = &pair.subject;
    let (group, version) = of.api_version.rsplit_once('/').unwrap_or(("", &of.api_version));
    let subresource = if of.subresource.is_empty() { String::new() } else { format!(" /{}", of.subresource) };
    (group.to_owned(), format!("{version}{subresource}"))
}

/// The checks of a subject: those that its reference lists, or those that the run saw where it lists none.
fn checks(subject: &SubjectReport) -> Vec<Local<'_>> {
    let rules = || subject.fields.iter().flat_map(|field| &field.rules);
    if subject.defaults {
        return defaults(subject);
    }
    if subject.apply {
        return Vec::new();
    }
    let named = |names: &[LevelledRule]| rules().filter(|rule| names.iter().any(|name| rule.is(name))).collect();
    if let Some(listed) = &subject.checks {
        let local = |check: &crate::run::checks::ListedCheck| Local {
            check: Check {
                error_type: check.error_type.clone(),
                field: check.field.clone(),
                origin: check.origin.clone(),
            },
            covered: check.covered,
            constant: false,
            rules: named(&check.rules),
        };
        return listed.checks.iter().map(local).collect();
    }
    let seen = rules().filter(|rule| rule.twin == Twin::Seen).flat_map(|rule| rule.reports.iter().cloned());
    let mut seen: Vec<Check> = seen.collect();
    seen.sort_by(|one, other| key(one).cmp(&key(other)));
    seen.dedup();
    let seen = seen.into_iter().map(|check| {
        let rules = rules().filter(|rule| rule.reports.contains(&check)).collect();
        Local { check, covered: true, constant: false, rules }
    });
    let alone = subject.not_migrated.iter().map(|check| Local {
        constant: false,
        check: Check::from(check),
        covered: false,
        rules: Vec::new(),
    });
    seen.chain(alone).collect()
}

/// The defaults of code: those that a marker sets too, and the others by field.
fn defaults(subject: &SubjectReport) -> Vec<Local<'_>> {
    let markers = subject.fields.iter().flat_map(|field| &field.rules).filter(|rule| rule.law.is_none());
    let of_marker = |rule: &'_ RuleReport| rule.reports.clone();
    let marked = markers.flat_map(|rule| {
        let local = move |check| Local { check, covered: true, constant: true, rules: vec![rule] };
        of_marker(rule).into_iter().map(local)
    });
    let mut alone: BTreeMap<&str, (Check, BTreeSet<&str>)> = BTreeMap::new();
    for check in &subject.not_migrated {
        let (_, origins) = alone.entry(&check.field).or_insert_with(|| (Check::from(check), BTreeSet::new()));
        origins.insert(&check.origin);
    }
    let alone = alone.into_values().map(|(check, origins)| {
        let constant = origins.len() == 1 && origins.iter().all(|origin| origin.starts_with("default="));
        let origin = if constant { check.origin } else { String::new() };
        Local { check: Check { origin, ..check }, covered: false, constant, rules: Vec::new() }
    });
    marked.chain(alone).collect()
}

/// Over how many objects a default was seen, with which classes of values.
fn seen_of_default(subject: &SubjectReport, local: &Local<'_>) -> String {
    if let Some(rule) = local.rules.first() {
        let compared = rule.create.compared + rule.update.compared;
        let times = |class: &ClassReport| class.create + class.update;
        let classes = rule.classes.iter().filter(|class| times(class) > 0);
        let classes = classes.map(|class| format!("{} {}", class.class, grouped(times(class))));
        let classes: Vec<String> = classes.collect();
        let shown = if classes.is_empty() { String::new() } else { format!(": {}", classes.join(", ")) };
        return format!("{}{shown}", counted(compared, "object"));
    }
    let times = times_set(subject, &local.check.field);
    format!("set {} in {}", counted(times, "time"), counted(subject.totals.compared, "object"))
}

/// How often code sets a default without a marker.
fn times_set(subject: &SubjectReport, field: &str) -> u64 {
    let seen = subject.not_migrated.iter().filter(|check| check.field == field);
    seen.map(|check| check.create + check.update).sum()
}

/// Whether a default that code set to one value may move to a marker: as often as objects have to be seen of one that has a marker.
fn may_move(subject: &SubjectReport, field: &str) -> (Answer, String) {
    let (times, wanted) = (times_set(subject, field), ReadinessPolicy::default().min_accepts);
    // Defaults of custom resources are not moved.
    if subject.semantics || times >= wanted {
        return (Answer::MayMove, "no marker sets it".into());
    }
    (Answer::NeedsEvidence, format!("code set it {} of {} times", grouped(times), grouped(wanted)))
}

fn key(check: &Check) -> (&str, &str, &str) {
    (&check.field, &check.error_type, &check.origin)
}

/// The answer about a check that was observed: may the candidate take over from it?
fn observed(subject: &SubjectReport, place: &str, check: &ObservedReport, key: &Key) -> CheckAnswer {
    let finding = subject.findings.iter().find(|finding| Some(finding.number) == check.finding);
    let cause = || finding.map_or("other", |finding| finding.cause.map_or("other", Cause::word)).to_owned();
    let refuses = |how: &str| {
        let advice = finding.map_or_else(String::new, |finding| format!("; {}", finding.advice()));
        format!("the candidate rejects {how} ({}){advice}", check.figures())
    };
    let (answer, because) = match check.candidate_refuses {
        Refuses::Same => (Answer::MayGo, String::new()),
        Refuses::Less | Refuses::More => (Answer::MayNot, refuses(check.candidate_refuses.word())),
        Refuses::Unknown => (Answer::NeedsEvidence, check.because.clone()),
    };
    let (group, kind, pair, field, error_type, origin, message) = key.clone();
    CheckAnswer {
        group,
        kind,
        pair,
        field,
        error_type,
        origin,
        message,
        figures: check.figures(),
        observed: Some(check.candidate_refuses),
        places: BTreeSet::from([place.to_owned()]),
        answer,
        cause: (answer == Answer::MayNot).then(cause),
        because,
        rules: Vec::new(),
        defaults: false,
        semantics: false,
        lost_rule: false,
    }
}

/// The answer about a check of one subject.
fn answer(subject: &SubjectReport, place: &str, local: Local<'_>, key: &Key) -> CheckAnswer {
    let figures = if subject.defaults { seen_of_default(subject, &local) } else { String::new() };
    let Local { check, covered, constant, rules } = local;
    let against = against(subject, &check, &rules);
    let with = |kind| rules.iter().find(|rule| VerdictKind::of(&rule.verdict) == kind);
    let why = |rule: &&RuleReport| rule.verdict.reasons().first().cloned().unwrap_or_default();
    let lost = |against: &(&str, &FindingReport)| against.1.cause == Some(Cause::LostTwin);
    let lost_rule = rules.is_empty() && (covered || against.as_ref().is_some_and(lost));
    let (answer, because) = if let Some(rule) = with(VerdictKind::Blocked) {
        (Answer::MayNot, why(rule))
    } else if lost_rule {
        (
            Answer::NoRule,
            "its errors say that a rule covers them, and none does: add the rule or remove the mark".into(),
        )
    } else if let Some((_, finding)) = &against {
        (Answer::MayNot, finding.advice())
    } else if rules.is_empty() && constant {
        may_move(subject, &check.field)
    } else if rules.is_empty() {
        (Answer::NoRule, "no rule reports its error".into())
    } else if let Some(rule) = with(VerdictKind::Insufficient) {
        (Answer::NeedsEvidence, why(rule))
    } else if with(VerdictKind::Ready).is_some() {
        (Answer::MayGo, String::new())
    } else {
        (Answer::Elsewhere, "another endpoint of the kind decides".into())
    };
    let cause = (answer == Answer::MayNot).then(|| against.map_or("other", |(cause, _)| cause).to_owned());
    let (group, kind, pair, ..) = key.clone();
    CheckAnswer {
        group,
        kind,
        pair,
        field: check.field,
        error_type: check.error_type,
        origin: check.origin,
        message: String::new(),
        figures,
        observed: None,
        places: BTreeSet::from([place.to_owned()]),
        answer,
        cause,
        because,
        rules: rules.into_iter().map(RuleReport::levelled).collect(),
        defaults: subject.defaults,
        semantics: subject.semantics,
        lost_rule,
    }
}

/// What speaks against deleting a check: the finding with most cases, those first that change the decision, and its cause in a word.
fn against<'s>(
    subject: &'s SubjectReport,
    check: &Check,
    rules: &[&RuleReport],
) -> Option<(&'static str, &'s FindingReport)> {
    // What breaks a law at a field is about all defaults of the field.
    let is_of_no_marker = |finding: &FindingReport| finding.rules.iter().all(|of| of.rule.path.is_empty());
    let is_about = |finding: &&FindingReport| {
        *finding.standing() == FindingStanding::Blocking
            && (finding.rules.iter().any(|of| rules.iter().any(|rule| rule.is(of)))
                || says(finding, check)
                || (subject.defaults
                    && finding.parts().is_some_and(|of| of.path == check.field)
                    && is_of_no_marker(finding)))
    };
    let finding = subject.findings.iter().filter(is_about).max_by_key(|finding| (finding.deciding, finding.count))?;
    Some((finding.cause.map_or("panic", Cause::word), finding))
}

/// Whether the error of a finding is the one that the check reports.
fn says(finding: &FindingReport, check: &Check) -> bool {
    let is_that = |of: Signature| {
        of.path == check.field
            && matches!(of.kind, DifferenceKind::Error { error_type, origin }
                if error_type.api_name() == check.error_type && origin == check.origin)
    };
    finding.parts().is_some_and(is_that)
}

impl CheckAnswer {
    /// Takes in what another version or subresource says of the check: what speaks against it decides, and what another endpoint
    /// decides is left to that.
    fn join(&mut self, other: Self) {
        let rank = |answer: Answer| match answer {
            Answer::MayNot => 5,
            Answer::NoRule => 4,
            Answer::NeedsEvidence => 3,
            Answer::MayMove => 2,
            Answer::MayGo => 1,
            Answer::Elsewhere => 0,
        };
        let lacks = |of: &Self| of.places.iter().next().cloned().unwrap_or_default();
        let one_sided = self.rules.is_empty() != other.rules.is_empty();
        let without = if self.rules.is_empty() { lacks(self) } else { lacks(&other) };
        if rank(other.answer) > rank(self.answer) {
            self.answer = other.answer;
            self.cause = other.cause;
            self.because = other.because;
        }
        if self.answer == Answer::NoRule && one_sided {
            self.because = format!("no rule reports its error in {without}");
        }
        self.places.extend(other.places);
        self.lost_rule |= other.lost_rule;
        for rule in other.rules {
            if !self.rules.contains(&rule) {
                self.rules.push(rule);
            }
        }
    }
}
