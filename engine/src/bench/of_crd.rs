//! The defaulting and pruning of a custom resource, beside decoding and deep copies of the same objects.

use super::defaulting::{copy, decode, decoded, default};
use super::measure::{Work, measure};
use super::row::{Row, beside_copy, row};
use anyhow::ensure;
use serde_json::Value;
use std::hint::black_box;
use std::time::Duration;
use takeover_corpora::generate::Generator;
use takeover_custom_resources::coerce::{prune, set_defaults};
use takeover_custom_resources::structural::Structural;
use takeover_custom_resources::{CrdOracle, CustomKind};
use takeover_harness::judge::{CaseRecord, Judge};
use takeover_harness::object::{Arena, FieldValidation};
use takeover_harness::oracle::{Answer, Question};
use takeover_harness::pair::Pair;

/// Seed of the cases: the same every time.
const SEED: u64 = 5;

/// Most objects that are measured.
const MOST: usize = 256;

/// Most objects that are generated for them.
const MOST_GENERATED: u64 = 2_000;

/// The lines of objects in which nothing is left to set.
const COPY: &str = "deep copy of objects with all defaults";
const DEFAULT: &str = "default objects with all defaults";
/// The lines of objects in which everything is.
const COPY_OF_BARE: &str = "deep copy of objects without defaults";
const DEFAULT_BARE: &str = "default objects without defaults";
/// The line of what pruning is compared with.
const COPY_OF_TREES: &str = "deep copy of JSON trees";
/// The line of pruning.
const PRUNE: &str = "prune JSON trees";

/// Measures what a server does to custom resources before it validates them, for about `time`. Objects are generated; their schema accepts
/// them once they have their defaults.
///
/// # Errors
/// Returns an error when the kind cannot be judged, or none of the generated objects is accepted.
pub fn of_crd(kind: &CustomKind, time: Duration) -> anyhow::Result<Vec<Row>> {
    let (complete, bare) = objects(kind)?;
    let form = kind.form(FieldValidation::Warn);
    let pair = pair(kind)?;
    let texts: Vec<String> = complete.iter().map(ToString::to_string).collect();
    let arena = Arena::new();
    let [nodes, bare] = [&complete, &bare].map(|values| decoded(&pair, values, &arena));
    let mut names = vec!["decode alone", COPY];
    let mut works: Vec<Work<'_>> = vec![decode(&form, &texts), copy(&nodes)];
    if let Some(defaulter) = form.defaulter.as_deref() {
        names.extend([DEFAULT, COPY_OF_BARE, DEFAULT_BARE]);
        works.extend([default(&form, defaulter, &nodes), copy(&bare), default(&form, defaulter, &bare)]);
    }
    names.extend([COPY_OF_TREES, PRUNE]);
    works.push({
        let complete = &complete;
        Box::new(move || {
            complete.iter().for_each(|value| drop(black_box(value.clone())));
            complete.len()
        })
    });
    works.push({
        // Nothing is left to prune after the first time, as in most requests.
        let (structural, mut trees) = (&kind.structural, complete.clone());
        Box::new(move || {
            for tree in &mut trees {
                black_box(prune(structural, tree));
            }
            trees.len()
        })
    });
    let measured = measure(time, &mut works);
    drop(works);
    let base = measured.first().map_or(f64::NAN, |of| of.median_ns);
    let mut rows: Vec<Row> =
        names.into_iter().zip(measured).map(|(what, of)| row(&pair.id, what.to_owned(), of, base)).collect();
    for (copy, compared) in [(COPY, DEFAULT), (COPY_OF_BARE, DEFAULT_BARE), (COPY_OF_TREES, PRUNE)] {
        beside_copy(&mut rows, copy, compared);
    }
    Ok(rows)
}

/// The schema beside a reference that agrees without looking.
fn pair(kind: &CustomKind) -> anyhow::Result<Pair> {
    let agrees = |_: &Question<'_>, _: &mut Answer| {};
    let oracle = CrdOracle::new(kind.clone(), "")?;
    let form = kind.form(FieldValidation::Strict);
    let rules = kind.hints().to_vec();
    Ok(Pair { rules, ..Pair::new(kind.subject(), form, Box::new(agrees), Box::new(oracle)) })
}

/// Objects that the schema accepts, with all their defaults, and the same without any.
fn objects(kind: &CustomKind) -> anyhow::Result<(Vec<Value>, Vec<Value>)> {
    let pair = pair(kind)?;
    let judge = Judge::new(&pair);
    let generator = Generator::of(&pair, Vec::new(), SEED);
    let (mut arena, mut record) = (Arena::new(), CaseRecord::new());
    let mut complete = Vec::new();
    for index in 0..MOST_GENERATED {
        let Some(case) = generator.case(0, SEED, index).map(|made| made.case) else { continue };
        let is_accepted = judge.case(&case, &mut arena, &mut record).is_comparison() && !record.candidate.rejects();
        if let (true, Ok(mut object)) = (is_accepted, case.object.to_value()) {
            set_defaults(&kind.structural, &mut object);
            complete.push(object);
        }
        if complete.len() == MOST {
            break;
        }
    }
    ensure!(!complete.is_empty(), "{}: the schema accepts no generated object", pair.id);
    let mut bare = complete.clone();
    bare.iter_mut().for_each(|object| remove_defaults(&kind.structural, object));
    Ok((complete, bare))
}

/// Removes every member that has a default.
fn remove_defaults(structural: &Structural, value: &mut Value) {
    match value {
        Value::Object(members) => {
            members.retain(|name, _| structural.properties.get(name).is_none_or(|of| of.default.is_none()));
            for (name, value) in members.iter_mut() {
                if let Some(below) = structural.member(name) {
                    remove_defaults(below, value);
                }
            }
        }
        Value::Array(items) => {
            if let Some(below) = &structural.items {
                items.iter_mut().for_each(|item| remove_defaults(below, item));
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::{objects, of_crd, remove_defaults};
    use serde_json::json;
    use std::time::Duration;
    use takeover_custom_resources::CustomKind;
    use takeover_custom_resources::coerce::set_defaults;
    use takeover_custom_resources::refuse::accepted_kinds_of_crd;

    fn kind() -> CustomKind {
        let crd = serde_json::from_str(include_str!("objects/widget.crd.json")).unwrap();
        accepted_kinds_of_crd(&crd).unwrap().remove(0)
    }

    #[test]
    fn objects_have_every_default_or_none() {
        let kind = kind();
        let (complete, bare) = objects(&kind).unwrap();
        assert_eq!(complete.len(), bare.len());
        assert!(complete.iter().zip(&bare).any(|(complete, bare)| complete != bare));
        for object in &complete {
            let mut again = object.clone();
            set_defaults(&kind.structural, &mut again);
            assert_eq!(again, *object, "it has every default");
        }
        for object in &bare {
            let mut less = object.clone();
            remove_defaults(&kind.structural, &mut less);
            assert_eq!(less, *object, "it has no default");
            let mut defaulted = object.clone();
            set_defaults(&kind.structural, &mut defaulted);
            assert_ne!(defaulted, *object, "it takes defaults");
        }
    }

    #[test]
    fn every_line_but_decoding_tells_how_it_compares_with_a_deep_copy() {
        let rows = of_crd(&kind(), Duration::ZERO).unwrap();
        let names: Vec<(&str, bool)> = rows.iter().map(|row| (row.what.as_str(), row.times_copy.is_some())).collect();
        let expected = [
            ("decode alone", false),
            ("deep copy of objects with all defaults", true),
            ("default objects with all defaults", true),
            ("deep copy of objects without defaults", true),
            ("default objects without defaults", true),
            ("deep copy of JSON trees", true),
            ("prune JSON trees", true),
        ];
        assert_eq!(names, expected);
        assert!(rows.iter().all(|row| !row.includes.is_empty()), "{rows:?}");
        assert_eq!(json!(rows[1])["timesCopy"], 1.0);
    }
}
