//! What follows from a seed, and from the cases that were kept.

use super::fixture::{first, generator, objects, recorded, rules, schema, settings};
use arbitrary::Unstructured;
use proptest::prelude::*;
use takeover_corpora::generate::{GeneratedCase, Generator};
use takeover_harness::case::{Operation, Provenance};
use takeover_harness::object::Arena;
use takeover_harness::runner::Cases;

#[test]
fn the_same_seed_gives_the_same_cases() {
    let (one, two) = (generator(recorded()), generator(recorded()));
    assert_eq!(first(&one, 700), first(&two, 700));
}

#[test]
fn another_seed_gives_other_cases() {
    let generator = generator(recorded());
    let objects = |seed| generator.chunk(50, seed).map(|case| objects(&case)).collect::<Vec<_>>();
    assert_ne!(objects(1), objects(2));
}

#[test]
fn chunks_do_not_depend_on_the_order_they_are_made_in() {
    let generator = generator(recorded());
    let forward: Vec<Vec<GeneratedCase<'static>>> = (0..6).map(|number| generator.chunk(number, 9).collect()).collect();
    let mut backward: Vec<Vec<GeneratedCase<'static>>> =
        (0..6).rev().map(|number| generator.chunk(number, 9).collect()).collect();
    backward.reverse();
    assert_eq!(forward, backward);
    let random = |number: usize| forward[number].iter().map(objects).collect::<Vec<_>>();
    assert_ne!(random(4), random(5), "chunks of one seed differ");
}

#[test]
fn cases_made_in_arenas_are_those_made_alone() {
    let generator = generator(recorded());
    for number in [0, 40, 41] {
        let (of_chunk, mut of_case) = (Arena::new(), Arena::new());
        let mut alone = generator.chunk(number, 11);
        let mut made = generator.chunk(number, 11).in_arena(&of_chunk);
        for index in 0.. {
            of_case.reset();
            let case = made.make(&of_case).map(GeneratedCase::kept);
            assert_eq!(case, alone.next(), "{number} {index}");
            if case.is_none() {
                break;
            }
            assert_eq!((made.field(), made.ahead()), (alone.field(), alone.ahead()));
            if index % 3 == 0 {
                made.keep(index);
                alone.keep(index);
            }
        }
    }
}

#[test]
fn a_case_can_be_made_again_alone() {
    let generator = generator(recorded());
    for number in [0, 1, 40] {
        for (index, case) in (0..).zip(generator.chunk(number, 11)).step_by(9) {
            assert_eq!(generator.case(number, 11, index), Some(case), "{number} {index}");
        }
    }
    assert_eq!(generator.case(0, 11, 100), None);
}

/// The cases of a random chunk after keeping those whose index `keep` accepts.
fn kept(generator: &Generator, keep: impl Fn(u64) -> bool) -> Vec<GeneratedCase<'static>> {
    let mut chunk = generator.chunk(40, 11);
    let mut cases = Vec::new();
    while let Some(case) = chunk.next() {
        let index = cases.len() as u64;
        if keep(index) {
            chunk.keep(index);
        }
        cases.push(case);
    }
    cases
}

#[test]
fn cases_that_are_kept_as_late_as_may_be_give_the_same_cases() {
    let generator = generator(recorded());
    let systematic = generator.systematic_len();
    let (last, within) = (systematic / 100, systematic % 100);
    assert!((10..90).contains(&within), "{systematic} end within a chunk");
    for (number, least, most) in [(0, 64, 64), (last, within.min(64), 64), (40, 2, 30)] {
        let keep = |index: u64| index % 3 == 1;
        let mut at_once = generator.chunk(number, 11);
        let mut late = generator.chunk(number, 11);
        let (mut index, mut longest) = (0, 0);
        loop {
            let ahead = late.ahead();
            longest = ahead.max(longest);
            let made: Vec<GeneratedCase<'static>> = late.by_ref().take(usize::try_from(ahead).unwrap()).collect();
            let these = index..index + made.len() as u64;
            these.clone().filter(|index| keep(*index)).for_each(|index| late.keep(index));
            for (index, case) in these.clone().zip(&made) {
                assert_eq!(at_once.next().as_ref(), Some(case), "{number} {index}");
                if keep(index) {
                    at_once.keep(index);
                }
            }
            index = these.end;
            if made.is_empty() {
                break;
            }
        }
        assert!(index == 100 && (least..=most).contains(&longest), "{number}: {index} {longest}");
    }
}

/// The index of the case that this one is made like.
fn model(case: &GeneratedCase) -> Option<u64> {
    let Provenance::Generated { planted, .. } = &case.case.provenance else { return None };
    planted.rsplit_once("like case ").map(|(_, index)| index.parse().unwrap())
}

#[test]
fn one_in_four_cases_of_a_field_has_most_of_the_choices_of_a_kept_one_and_the_others_are_as_without() {
    let mut settings = settings();
    settings.chunk_size = 2_000;
    let (schema, root) = schema();
    let generator = Generator::new(schema, root, &rules(), recorded(), settings);
    let without = kept(&generator, |_| false);
    assert!(without.iter().all(|case| model(case).is_none()));
    let mut chunk = generator.chunk(40, 11);
    let fields: Vec<u64> = std::iter::from_fn(|| chunk.next().map(|_| chunk.field())).collect();
    let rich = without.iter().position(|case| case.planted.len() == 1 && case.deviations == 0).unwrap();
    let with = kept(&generator, |index| index == rich as u64);
    let (alike, others): (Vec<_>, Vec<_>) = (0..).zip(&with).partition(|(_, case)| model(case).is_some());
    assert!(alike.iter().all(|(index, case)| *index > rich && model(case) == Some(rich as u64)));
    assert!(alike.iter().all(|(index, _)| fields[*index] == fields[rich]));
    let of_field = fields.iter().skip(rich + 1).filter(|field| **field == fields[rich]).count();
    assert!(of_field > 12 && alike.len().abs_diff(of_field / 4) < 2, "{} of {of_field}", alike.len());
    assert!(others.iter().all(|(index, case)| without[*index] == **case));
    let same_plants = alike.iter().filter(|(_, case)| case.planted == without[rich].planted).count();
    assert!(same_plants * 4 > alike.len(), "{same_plants} of {} plant the same", alike.len());
    let changed = alike.iter().filter(|(_, case)| objects(case) != objects(&without[rich])).count();
    assert!(changed * 4 > alike.len(), "{changed} of {} are other cases", alike.len());
}

#[test]
fn the_same_cases_kept_give_the_same_cases_whatever_other_chunks_keep() {
    let generator = generator(recorded());
    let first = kept(&generator, |index| index % 7 == 3);
    kept(&generator, |_| true);
    assert_eq!(kept(&generator, |index| index % 7 == 3), first);
}

#[test]
fn the_thirty_two_cases_of_a_field_that_were_kept_last_serve() {
    let generator = generator(recorded());
    let cases = kept(&generator, |_| true);
    let mut chunk = generator.chunk(40, 11);
    let fields: Vec<u64> = std::iter::from_fn(|| chunk.next().map(|_| chunk.field())).collect();
    let distances: Vec<usize> = (0..)
        .zip(&cases)
        .filter_map(|(index, case): (usize, _)| {
            let model = usize::try_from(model(case)?).unwrap();
            Some(fields[model..index].iter().filter(|field| **field == fields[index]).count())
        })
        .collect();
    assert!(distances.iter().all(|distance| (1..=32).contains(distance)), "{distances:?}");
    assert!(distances.iter().any(|distance| *distance > 3), "{distances:?}");
}

proptest! {
    #[test]
    fn any_stream_of_choices_makes_a_case(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        let generator = generator(recorded());
        let generated = generator.case_from(&mut Unstructured::new(&bytes));
        let (new, old) = objects(&generated);
        prop_assert_eq!(old.is_some(), generated.case.operation == Operation::Update);
        prop_assert!(new.is_object());
        prop_assert_eq!(generator.case_from(&mut Unstructured::new(&bytes)), generated);
    }
}
