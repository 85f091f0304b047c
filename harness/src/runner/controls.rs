//! What the cases of a judge show of the rules: which classes, and which planted faults they would have exposed.

use super::input::Shown;
use super::reference_faults::ReferenceControls;
use crate::case::Operation;
use crate::control::{Control, Controls, Exposure};
use crate::error::FieldError;
use crate::evidence::{CasePlace, PairEvidence, Showing};
use crate::judge::{CaseRecord, Judge, Outcome, RuleMark, isolated};
use crate::object::{Node, equal};
use crate::oracle::Objects;
use crate::pair::Prepared;
use crate::path::pattern;
use crate::rule::{Rule, RuleId};
use crate::schema::Slot;
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

/// The controls of a judge, of both sides.
pub struct JudgeControls<'w> {
    candidate: Option<&'w dyn Controls>,
    reference: ReferenceControls,
    catalogue: Arc<[Control]>,
}

/// What a worker has seen exposed. Each worker watches for itself, so that the first exposure of all is the first of the
/// first of each, however the chunks fell.
pub struct Seen {
    candidate: Exposure,
    reference: Exposure,
}

impl<'w> JudgeControls<'w> {
    /// The controls of every judge, made on `jobs` threads: those of a candidate may take a while.
    #[must_use]
    pub fn all(judges: &[Judge<'w>], jobs: NonZeroUsize) -> Vec<Self> {
        Self::all_shown(judges, jobs, &|_| ())
    }

    /// As [`JudgeControls::all`]; `begun` is told of how many judges they are made, with that which is next.
    pub(super) fn all_shown(judges: &[Judge<'w>], jobs: NonZeroUsize, begun: &(dyn Fn(usize) + Sync)) -> Vec<Self> {
        let made: Vec<OnceLock<Self>> = judges.iter().map(|_| OnceLock::new()).collect();
        let next = AtomicUsize::new(0);
        let work = || {
            while let Some((judge, made)) = {
                let at = next.fetch_add(1, Ordering::Relaxed);
                judges.get(at).zip(made.get(at))
            } {
                begun(next.load(Ordering::Relaxed).min(judges.len()));
                made.get_or_init(|| Self::of(judge));
            }
        };
        std::thread::scope(|scope| {
            // What no thread is started for is done here.
            for _ in 1..jobs.get().min(judges.len()) {
                let _ = std::thread::Builder::new().spawn_scoped(scope, work);
            }
            work();
        });
        made.into_iter().zip(judges).map(|(made, judge)| made.into_inner().unwrap_or_else(|| Self::of(judge))).collect()
    }

    /// The controls of one judge.
    #[must_use]
    pub fn of(judge: &Judge<'w>) -> Self {
        let pair = judge.pair();
        let candidate = pair.controls.as_deref();
        // What answers say beside errors has no error to drop, move or add.
        let reference = match pair.comparator.compares_errors() {
            true => ReferenceControls::new(&pair.rules, &pair.comparator),
            false => ReferenceControls::default(),
        };
        let of_candidate = candidate.map_or(&[][..], Controls::catalogue);
        let catalogue = of_candidate.iter().chain(reference.catalogue()).cloned().collect();
        Self { candidate, reference, catalogue }
    }

    /// The controls of the candidate, then those of the reference.
    #[must_use]
    pub fn catalogue(&self) -> Arc<[Control]> {
        Arc::clone(&self.catalogue)
    }

    /// Nothing seen yet.
    #[must_use]
    pub fn begin(&self) -> Seen {
        let candidate = self.candidate.map(Controls::exposure).unwrap_or_default();
        Seen { candidate, reference: self.reference.exposure() }
    }

    /// Looks at a case that was just judged.
    pub fn case(&self, judge: &Judge<'_>, case: &Prepared<'_>, record: &CaseRecord, seen: &mut Seen) {
        if !seen.reference.is_closed() {
            self.reference.judge(judge, case.question.operation, record, &mut seen.reference);
        }
        if let Some(controls) = self.candidate
            && !seen.candidate.is_closed()
            && record.panics.is_empty()
        {
            // A mutant may panic where the rule does not; what it exposed until then stays.
            let _ = isolated(|| {
                controls.judge(&case.question, &case.views.candidate, &record.candidate, &mut seen.candidate)
            });
        }
    }

    /// Moves what is newly exposed to the evidence.
    pub fn record(&self, place: CasePlace, seen: &mut Seen, evidence: &mut PairEvidence) {
        self.fresh(seen).for_each(|control| evidence.record_exposed(control, place));
    }

    /// Takes out what is newly exposed, by its index in the catalogue.
    pub fn fresh<'s>(&self, seen: &'s mut Seen) -> impl Iterator<Item = usize> + use<'s> {
        let of_candidate = self.candidate.map_or(0, |controls| controls.catalogue().len());
        let Seen { candidate, reference } = seen;
        candidate.fresh().chain(reference.fresh().map(move |control| of_candidate + control))
    }
}

/// What the steps of a request did to each planted value before validation.
#[derive(Default)]
pub(super) struct Fates(Vec<Fate>);

#[derive(Clone, Copy, PartialEq, Eq)]
enum Fate {
    /// It was taken away.
    Wiped,
    /// It came before the rules, and is a change.
    Arrived,
    /// It is what was there before.
    Unchanged,
}

impl Fates {
    /// Compares the part of the object that holds each planted value, as it was sent and as it was judged.
    pub(super) fn of(shows: &[Shown], rules: &[Rule], objects: &Objects<'_>, sent: Node<'_>) -> Self {
        Self(shows.iter().map(|shown| fate(*shown, rules, objects, sent)).collect())
    }

    fn get(&self, index: usize) -> Fate {
        self.0.get(index).copied().unwrap_or(Fate::Unchanged)
    }
}

/// A request may take the stored value, or none, for what it was sent.
fn fate(shown: Shown, rules: &[Rule], objects: &Objects<'_>, sent: Node<'_>) -> Fate {
    if shown.kept {
        return Fate::Unchanged;
    }
    let path = rules.get(shown.rule.index()).map_or("", |rule| rule.path.as_str());
    let way = members(path, objects);
    // A rule on the object itself has no part of it.
    if way.is_empty() {
        return Fate::Arrived;
    }
    let (sent, judged) = (part(sent, &way), part(objects.new, &way));
    let (changes, remains) = match objects.old.map(|old| part(old, &way)) {
        Some(stored) => (!equal(&sent, &stored), equal(&judged, &stored)),
        None => (!sent.is_unset(), judged.is_unset()),
    };
    match (changes, remains) {
        (true, true) => Fate::Wiped,
        (true, false) => Fate::Arrived,
        (false, _) => Fate::Unchanged,
    }
}

fn part<'a>(object: Node<'a>, way: &[&[Slot]]) -> Node<'a> {
    way.iter().fold(object, |node, slots| node.member(slots))
}

/// The way to the field of a rule, as far as it leads through no list and no map.
fn members<'s>(path: &str, objects: &Objects<'s>) -> Vec<&'s [Slot]> {
    let outside = path.split('[').next().unwrap_or_default();
    let mut way = Vec::new();
    let mut at = objects.root;
    for name in outside.split('.') {
        let (pointed, _) = objects.schema.pointed(at);
        let Some(member) = objects.schema.as_struct(pointed).and_then(|(_, fields)| fields.member(name)) else { break };
        way.push(&*member.slots);
        at = member.ty;
    }
    way
}

/// Whether the rule did not look because an error at its place or around it stopped what comes after.
fn is_stopped(rule: RuleId, catalogue: &[Rule], record: &CaseRecord) -> bool {
    let Some(path) = catalogue.get(rule.index()).map(|rule| rule.path.as_str()) else { return false };
    let around = |error: &FieldError| {
        let place = pattern(&error.field);
        let below = path.strip_prefix(place.as_str());
        place.is_empty() || below.is_some_and(|rest| rest.is_empty() || rest.starts_with('.') || rest.starts_with('['))
    };
    !record.candidate.reached.contains(rule)
        && record.candidate.errors.iter().any(|error| error.short_circuit && error.rule != Some(rule) && around(error))
}

/// Counts the classes that a compared case was made to show, if the rule answered as the class has it: reporting a value that
/// breaks it, and silent otherwise. A value that a request wipes before validation shows nothing.
pub(super) fn record_classes(
    judge: &Judge<'_>,
    operation: Operation,
    shows: &[Shown],
    fates: &Fates,
    record: &CaseRecord,
    evidence: &mut PairEvidence,
) {
    for (index, Shown { rule, class, kept }) in shows.iter().copied().enumerate() {
        let catalogue = &judge.pair().rules;
        let Some(boundary) = catalogue.get(rule.index()).and_then(|rule| rule.boundaries.get(class)) else { continue };
        let mark = record.marks().iter().find(|(marked, _)| *marked == rule).map(|(_, mark)| *mark);
        let reported = mark.is_some_and(|mark| mark != RuleMark::Compared(Outcome::Missing));
        let fate = fates.get(index);
        if fate == Fate::Arrived {
            evidence.record_arrived(operation, rule);
        }
        let showing = if fate == Fate::Wiped {
            Showing::Wiped
        } else if kept {
            match boundary.breaks {
                true => Showing::Kept,
                false => continue,
            }
        } else if is_stopped(rule, catalogue, record) {
            Showing::Stopped(class)
        } else if boundary.breaks == reported {
            Showing::New(class)
        } else {
            continue;
        };
        evidence.record_shown(operation, rule, showing);
    }
}
