//! Objects that keep or break a law of defaulting or of server-side apply.

use super::examples::{SEED, anonymous};
use serde_json::Value;
use std::collections::BTreeMap;
use takeover_corpora::generate::Generator;
use takeover_corpora::minimise::{Limits, minimise};
use takeover_corpora::recorded::{accepted_objects, cases_of};
use takeover_harness::case::Case;
use takeover_harness::compare::{Cause, Difference, Matter, Signature, What};
use takeover_harness::error::FieldError;
use takeover_harness::judge::{CaseRecord, Judge};
use takeover_harness::object::Arena;
use takeover_harness::pair::Pair;
use takeover_harness::path::pattern;
use takeover_harness::rule::Rule;
use takeover_reports::because;
use takeover_reports::explain::{Breach, LawTrial, TriedObject};

/// Generated cases that are tried beside the recorded ones.
const CASES: u64 = 400;

/// Most ways in which a law breaks that are shown, the most frequent ones.
const SHOWN: usize = 6;

/// Holds recorded and generated objects of a pair against one of its laws.
pub fn trial(pair: &Pair, law: &Rule) -> LawTrial {
    let judge = Judge::new(pair).without_causes();
    let (mut arena, mut record) = (Arena::new(), CaseRecord::new());
    let recorded = cases_of(pair);
    let generator = Generator::of(pair, accepted_objects(pair, &recorded), SEED);
    let generated = (0..CASES).filter_map(|index| generator.case(0, SEED, index)).map(|made| made.case);
    let (mut objects, mut broken) = (0, 0);
    let mut kept: Option<((bool, usize), Case<'static>)> = None;
    let mut ways: BTreeMap<Way, Seen> = BTreeMap::new();
    for case in recorded.into_iter().chain(generated) {
        let is_judged = !judge.case(&case, &mut arena, &mut record).is_undecodable();
        if !is_judged || !record.candidate.reached.contains(law.id) {
            continue;
        }
        objects += 1;
        let size = size(&case);
        let mut errors = of_law(&record, law).peekable();
        let rank = (!is_telling(pair, &record, &case), size);
        if errors.peek().is_some() {
            broken += 1;
        } else if kept.as_ref().is_none_or(|(known, _)| rank < *known) {
            kept = Some((rank, case.clone()));
        }
        let mut shown: Vec<Way> = errors.map(Way::of).collect();
        shown.sort();
        shown.dedup();
        for way in shown {
            let seen = ways.entry(way).or_insert_with(|| Seen { objects: 0, size: usize::MAX, case: case.clone() });
            seen.objects += 1;
            if size < seen.size {
                *seen = Seen { objects: seen.objects, size, case: case.clone() };
            }
        }
    }
    let mut ways: Vec<(Way, Seen)> = ways.into_iter().collect();
    ways.sort_by_key(|(_, seen)| std::cmp::Reverse(seen.objects));
    ways.truncate(SHOWN);
    let looking = Judge::new(pair);
    let breaches = ways.into_iter().filter_map(|(way, seen)| breach(&looking, law, way, &seen)).collect();
    LawTrial { objects, broken, kept: kept.and_then(|(_, case)| tried(&case)), breaches }
}

/// Whether an object that keeps a law of defaulting takes a default: the law asks nothing of others. Every law of apply asks something of
/// every object that sets more than a name.
fn is_telling(pair: &Pair, record: &CaseRecord, case: &Case) -> bool {
    let mut errors = record.reference.errors.as_slice().iter().chain(record.candidate.errors.as_slice());
    match pair.matter {
        Matter::Apply => case.object.to_value().is_ok_and(|object| {
            let members = object.as_object().into_iter().flatten();
            members.into_iter().any(|(name, _)| !matches!(name.as_str(), "apiVersion" | "kind" | "metadata"))
        }),
        _ => errors.any(|error| error.detail.starts_with("takes the default")),
    }
}

fn size(case: &Case) -> usize {
    let length = |value: Value| value.to_string().len();
    let old = case.old.as_ref().and_then(|old| old.to_value().ok()).map_or(0, length);
    case.object.to_value().map_or(usize::MAX / 2, length) + old
}

/// The errors of a law.
fn of_law<'r>(record: &'r CaseRecord, law: &Rule) -> impl Iterator<Item = &'r FieldError> {
    let id = law.id;
    record.candidate.errors.as_slice().iter().filter(move |error| error.rule == Some(id))
}

/// A way in which a law breaks: at values of one field, for one reason.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Way {
    field: String,
    origin: String,
}

impl Way {
    fn of(error: &FieldError) -> Self {
        Self { field: pattern(&error.field), origin: error.origin.to_string() }
    }
}

/// What was seen of it, and the smallest case.
struct Seen {
    objects: u64,
    size: usize,
    case: Case<'static>,
}

/// The way with its case made smaller, what is said there, and why.
fn breach(judge: &Judge<'_>, law: &Rule, way: Way, seen: &Seen) -> Option<Breach> {
    let (mut arena, mut record) = (Arena::new(), CaseRecord::new());
    let small = minimise(&seen.case, Limits::default(), |case: &Case| {
        let is_judged = !judge.case(case, &mut arena, &mut record).is_undecodable();
        is_judged && of_law(&record, law).any(|error| Way::of(error) == way)
    });
    if judge.case(&small.case, &mut arena, &mut record).is_undecodable() {
        return None;
    }
    let said = of_law(&record, law).find(|error| Way::of(error) == way)?.detail.to_string();
    let is_of_way = |of: &&Difference| matches!(&of.what, What::Error(error) if Way::of(error) == way);
    let known = record.differences.iter().filter(is_of_way).find(|of| of.rules.contains(&law.id));
    // That a law is broken is said already.
    let known = known.filter(|of| of.cause != Some(Cause::BreaksLaw));
    let because = known.and_then(|of| because(&Signature::of(&judge.pair().id, small.case.operation, of)));
    Some(Breach { field: way.field, said, because, objects: seen.objects, example: tried(&small.case)? })
}

fn tried(case: &Case) -> Option<TriedObject> {
    let old = case.old.as_ref().and_then(|old| old.to_value().ok()).map(anonymous);
    Some(TriedObject { object: anonymous(case.object.to_value().ok()?), old })
}
