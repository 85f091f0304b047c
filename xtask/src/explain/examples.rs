//! Examples on every side of a rule's boundary: a small case of every class, judged by both sides.

use serde_json::Value;
use takeover_corpora::generate::{Generator, Mode, Planted};
use takeover_corpora::minimise::{Limits, minimise};
use takeover_corpora::recorded::{accepted_objects, cases_of};
use takeover_harness::case::Case;
use takeover_harness::compare::Signature;
use takeover_harness::error::FieldError;
use takeover_harness::judge::{CaseRecord, Judge};
use takeover_harness::object::Arena;
use takeover_harness::pair::Pair;
use takeover_harness::path::pattern;
use takeover_harness::rule::Rule;
use takeover_reports::because;
use takeover_reports::explain::{Example, Shown};

/// Seed of the cases: the same examples every time.
const SEED: u64 = 5;

/// Chunks that are looked through.
const CHUNKS: u64 = 64;

/// An example of every class of `rule`, in the order of the classes.
pub fn examples(subject: &Pair, rule: &Rule) -> Vec<Example> {
    let generator = Generator::of(subject, accepted_objects(subject, &cases_of(subject)), SEED);
    let judge = Judge::new(subject);
    let mut cases: Vec<Option<Case>> = vec![None; rule.boundaries.len()];
    // A rule that creates never reach is shown on updates.
    let creates = !rule.update_only && subject.operations().len() > 1;
    let mode = if creates { Mode::Created } else { Mode::Changed };
    for number in 0..CHUNKS {
        if cases.iter().all(Option::is_some) {
            break;
        }
        for made in generator.chunk(number, SEED) {
            let [Planted { rule: of, class, mode: planted, .. }] = made.planted.as_slice() else { continue };
            if *of != rule.id || *planted != mode || made.deviations > 0 {
                continue;
            }
            if let Some(place) = cases.get_mut(*class).filter(|place| place.is_none()) {
                *place = Some(made.case);
            }
        }
    }
    let (mut arena, mut record) = (Arena::new(), CaseRecord::new());
    rule.boundaries
        .iter()
        .zip(cases)
        .map(|(boundary, case)| Example {
            class: boundary.class.clone(),
            breaks: boundary.breaks,
            shown: case.and_then(|case| smallest(&judge, rule, boundary.breaks, &case, &mut arena, &mut record)),
        })
        .collect()
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
    let mut said = |case: &Case| {
        if judge.case(case, arena, record).is_undecodable() {
            return None;
        }
        let reference = record.reference.errors.as_slice().iter().any(|error| is_of(error, rule));
        let of_rule = record.candidate.errors.as_slice().iter().filter(|error| error.rule == Some(rule.id));
        // A smaller value might be of another class.
        let values: Vec<Value> = of_rule.map(|error| error.bad_value.to_json()).collect();
        Some((reference, values))
    };
    let first = said(case)?;
    let (reference, candidate) = (first.0, !first.1.is_empty());
    // Where nothing is said, everything could go: what is accepted is shown as it was generated.
    let small = if breaks && (reference || candidate) {
        minimise(case, Limits::default(), &mut |case: &Case| said(case).as_ref() == Some(&first)).case
    } else {
        case.clone()
    };
    let object = anonymous(small.object.to_value().ok()?);
    let old = small.old.as_ref().and_then(|old| old.to_value().ok()).map(anonymous);
    let because = if reference == candidate { None } else { cause(judge, rule, &small, arena, record) };
    Some(Shown { object, old, reference, candidate, because })
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

fn anonymous(mut object: Value) -> Value {
    if let Some(members) = object.as_object_mut() {
        members.remove("apiVersion");
        members.remove("kind");
    }
    object
}
