//! Examples on every side of a rule's boundary: a small case of every class, judged by both sides.

use super::paths::standing;
use serde_json::Value;
use takeover_corpora::generate::{Generator, Mode};
use takeover_corpora::minimise::{Limits, minimise};
use takeover_corpora::recorded::{accepted_objects, cases_of};
use takeover_harness::case::Case;
use takeover_harness::compare::Signature;
use takeover_harness::error::FieldError;
use takeover_harness::judge::{CaseRecord, Judge};
use takeover_harness::object::Arena;
use takeover_harness::pair::Pair;
use takeover_harness::path::pattern;
use takeover_harness::rule::{Boundary, Rule};
use takeover_reports::because;
use takeover_reports::explain::{Example, Shown};

/// Seed of the cases: the same examples every time.
pub(super) const SEED: u64 = 5;

/// How many cases of a class are made before the simplest is shown. More are made until one shows only this class.
const ATTEMPTS: u64 = 4;
const MOST_ATTEMPTS: u64 = 24;

/// An example of every class of `rule`, in the order of the classes.
pub fn examples(subject: &Pair, rule: &Rule) -> Vec<Example> {
    let (showcase, judge) = (Showcase::of(subject), Judge::new(subject));
    let (mut arena, mut record) = (Arena::new(), CaseRecord::new());
    let example = |(class, boundary): (usize, &Boundary)| Example {
        class: boundary.class.clone(),
        breaks: boundary.breaks,
        shown: showcase
            .case(rule, class)
            .and_then(|case| smallest(&judge, rule, boundary.breaks, &case, &mut arena, &mut record)),
    };
    rule.boundaries.iter().enumerate().map(example).collect()
}

/// Makes cases that show classes of rules.
pub(super) struct Showcase<'p> {
    pair: &'p Pair,
    generator: Generator,
    judge: Judge<'p>,
}

impl<'p> Showcase<'p> {
    pub(super) fn of(pair: &'p Pair) -> Self {
        let generator = Generator::of(pair, accepted_objects(pair, &cases_of(pair)), SEED);
        Self { pair, generator, judge: Judge::new(pair).without_causes() }
    }

    /// An update to a value that breaks a rule in creates, and does not after the old value; with the class of the value.
    pub(super) fn allowed(&self, rule: &Rule) -> Option<(usize, Case<'static>)> {
        if !rule.reads_old {
            return None;
        }
        let (mut arena, mut record) = (Arena::new(), CaseRecord::new());
        let breaking = (0..).zip(&rule.boundaries).filter(|(_, boundary)| boundary.breaks).map(|(class, _)| class);
        let tried = breaking.flat_map(|class| (1..MOST_ATTEMPTS).map(move |attempt| (class, attempt)));
        tried.into_iter().find_map(|(class, attempt)| {
            let case = self.generator.showing(rule.id, class, Mode::Changed, attempt)?.case;
            let is_judged = !self.judge.case(&case, &mut arena, &mut record).is_undecodable();
            let candidate = &record.candidate;
            let holds = !candidate.errors.iter().any(|error| error.rule == Some(rule.id));
            (is_judged && holds && candidate.reached.contains(rule.id)).then_some((class, case))
        })
    }

    /// A case of a class of a rule: one that the rule judges as the class says, if there is one, with as few other errors as possible.
    pub(super) fn case(&self, rule: &Rule, class: usize) -> Option<Case<'static>> {
        let breaks = rule.boundaries.get(class)?.breaks;
        // A rule that creates never reach is shown on updates.
        let creates = !rule.update_only && self.pair.operations().len() > 1;
        let mode = if creates { Mode::Created } else { Mode::Changed };
        let (mut arena, mut record) = (Arena::new(), CaseRecord::new());
        let mut best: Option<((bool, usize, usize), Case<'static>)> = None;
        for attempt in 0..MOST_ATTEMPTS {
            if attempt >= ATTEMPTS && best.as_ref().is_some_and(|((unlike, errors, _), _)| !unlike && *errors == 0) {
                break;
            }
            let made = self.generator.showing(rule.id, class, mode, attempt)?;
            if self.judge.case(&made.case, &mut arena, &mut record).is_undecodable() {
                continue;
            }
            let candidate = record.candidate.errors.as_slice();
            let reports = candidate.iter().any(|error| error.rule == Some(rule.id));
            let others = candidate.iter().filter(|error| error.rule != Some(rule.id)).count();
            let of_reference = record.reference.errors.as_slice().iter().filter(|error| !is_of(error, rule)).count();
            let errors = others + of_reference;
            let size = made.case.object.to_value().map_or(usize::MAX, |object| object.to_string().len());
            let rank = (reports != breaks, errors, size);
            if best.as_ref().is_none_or(|(known, _)| rank < *known) {
                best = Some((rank, made.case));
            }
        }
        best.map(|(_, case)| case)
    }
}

/// The case made smaller while both sides say the same and the rule still judges a value; none when it cannot be judged.
fn smallest(
    judge: &Judge<'_>,
    rule: &Rule,
    breaks: bool,
    case: &Case,
    arena: &mut Arena,
    record: &mut CaseRecord,
) -> Option<Shown> {
    let Smaller { case: small, reference, candidate } =
        smaller(judge, rule, breaks, case, Limits::default(), &mut || true)?;
    let object = anonymous(small.object.to_value().ok()?);
    let old = small.old.as_ref().and_then(|old| old.to_value().ok()).map(anonymous);
    let because = if reference == candidate { None } else { cause(judge, rule, &small, arena, record) };
    Some(Shown { object, old, reference, candidate, because })
}

/// A minimised case, and the sides that report an error of its rule.
pub(super) struct Smaller {
    pub(super) case: Case<'static>,
    reference: bool,
    candidate: bool,
}

/// The case made smaller while both sides say the same, the rule still judges a value, and there is time; none when it cannot be judged.
pub(super) fn smaller(
    judge: &Judge<'_>,
    rule: &Rule,
    breaks: bool,
    case: &Case,
    limits: Limits,
    in_time: &mut dyn FnMut() -> bool,
) -> Option<Smaller> {
    let (mut arena, mut record) = (Arena::new(), CaseRecord::new());
    let mut said = |case: &Case| {
        if judge.case(case, &mut arena, &mut record).is_undecodable() {
            return None;
        }
        let reference = record.reference.errors.as_slice().iter().any(|error| is_of(error, rule));
        let of_rule = record.candidate.errors.as_slice().iter().filter(|error| error.rule == Some(rule.id));
        let candidate = of_rule.clone().next().is_some();
        // A smaller value might be of another class.
        let mut values: Vec<Value> = of_rule.map(|error| error.bad_value.to_json()).collect();
        // Some errors of a schema, and those of policies, say in their text alone what they are about.
        if values.is_empty() && judge.pair().is_crd || rule.boundaries.is_empty() {
            values.extend(record.candidate.errors.as_slice().iter().map(|error| Value::from(error.to_string())));
        }
        // An expression compares what is around its error, too.
        if rule.tag == "cel" {
            let object = case.object.to_value().unwrap_or_default();
            values.extend(standing(&object, &rule.path).into_iter().cloned());
        }
        let errors = record.reference.errors.len() + record.candidate.errors.len();
        Some(((reference, candidate), values, errors))
    };
    let ((reference, candidate), values, mut most) = said(case)?;
    // Where nothing is said, everything could go: what is accepted is shown as it was generated.
    let small = if breaks && (reference || candidate) {
        minimise(case, limits, &mut |case: &Case| {
            let Some((of_sides, of_rule, errors)) = said(case).filter(|_| in_time()) else { return false };
            // What is left out of a custom resource must not be missed by another rule.
            let is_sound = errors <= most || !judge.pair().is_crd;
            let same = of_sides == (reference, candidate) && of_rule == values && is_sound;
            most = if same { errors } else { most };
            same
        })
        .case
    } else {
        case.clone().kept()
    };
    Some(Smaller { case: small, reference, candidate })
}

/// Why only one side reports what the rule can report.
fn cause(judge: &Judge<'_>, rule: &Rule, case: &Case, arena: &mut Arena, record: &mut CaseRecord) -> Option<String> {
    let _ = judge.case(case, arena, record);
    let mut of_rule = record.differences.iter().filter(|difference| difference.rules.contains(&rule.id));
    because(&Signature::of(&judge.pair().id, case.operation, of_rule.next()?))
}

fn is_of(error: &FieldError, rule: &Rule) -> bool {
    rule.reports.iter().any(|report| {
        report.error_type == error.error_type && report.field == pattern(&error.field) && report.origin == error.origin
    })
}

/// An object without its version and kind.
pub(super) fn anonymous(mut object: Value) -> Value {
    if let Some(members) = object.as_object_mut() {
        members.remove("apiVersion");
        members.remove("kind");
    }
    object
}
