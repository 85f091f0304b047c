//! Faults of a handwritten validator that change no decision, planted on the reference of a real pair: each is named for what it is.

use std::collections::BTreeSet;
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicUsize, Ordering};
use takeover_corpora::generate::Generator;
use takeover_corpora::recorded::{cases_of, objects};
use takeover_harness::case::Operation;
use takeover_harness::catalogue::Catalogue as _;
use takeover_harness::compare::{Cause, NoteKind};
use takeover_harness::error::{ErrorList, FieldError};
use takeover_harness::evidence::Evidence;
use takeover_harness::judge::Judge;
use takeover_harness::object::Arena;
use takeover_harness::oracle::{Answer, Objects, Oracle, OracleFailure, Precision, Question, View};
use takeover_harness::pair::Pair;
use takeover_harness::runner::{Budget, CaseSource, Cases as Stream, Chunk, FixedCases, Input, Part, Run, Steering};
use takeover_harness::side::Side;
use takeover_harness::subject::SubjectId;
use takeover_oracles::registry::Registry;

/// Cases of every run.
const CASES: u64 = 1_024;

/// The field that faults are planted at.
const FIELD: &str = "spec.minReadySeconds";

/// A handwritten validator whose errors are spoilt.
struct Spoilt<F> {
    inner: Box<dyn Oracle>,
    fault: F,
}

impl<F: Fn(&mut Vec<FieldError>) + Send + Sync> Oracle for Spoilt<F> {
    fn precision(&self) -> Precision {
        self.inner.precision()
    }

    fn view<'a>(&self, objects: &Objects<'a>, arena: &'a Arena) -> Result<View<'a>, OracleFailure> {
        self.inner.view(objects, arena)
    }

    fn answer(&self, question: &Question<'_>, view: &View<'_>, answer: &mut Answer) -> Result<(), OracleFailure> {
        self.inner.answer(question, view, answer)?;
        let mut errors = std::mem::take(&mut answer.errors).into_vec();
        (self.fault)(&mut errors);
        answer.errors = ErrorList::from(errors);
        Ok(())
    }
}

fn shipped() -> Pair {
    Registry::of_builtin().unwrap().pair(&SubjectId::new("v1", "ReplicationController").into()).unwrap()
}

fn spoilt(fault: impl Fn(&mut Vec<FieldError>) + Send + Sync + 'static) -> Pair {
    let pair = shipped();
    Pair { reference: Box::new(Spoilt { inner: pair.reference, fault }), ..pair }
}

struct Cases(Generator);

impl CaseSource for Cases {
    fn chunk_len(&self) -> u64 {
        CASES
    }

    fn cases<'c>(&'c self, chunk: Chunk, _: &'c Arena) -> Box<dyn Stream<'c> + 'c> {
        let made = self.0.chunk(chunk.number, chunk.seed);
        Box::new(FixedCases(made.map(|made| Input::Case { subject: 0, case: made.case, shows: Vec::new() })))
    }
}

fn soak(pair: &Pair) -> Evidence {
    let generator = Generator::of(pair, objects(&cases_of(pair)), 1);
    let judges = [Judge::new(pair)];
    let free = Steering { stop: &|| false, progress: &|_| {} };
    let run = Run::new(&judges, NonZeroUsize::MIN);
    run.generated(&Cases(generator), 1, Budget::Cases(CASES), Part::default(), free).unwrap().evidence
}

/// The notes of both operations: kind, side and field.
fn notes(evidence: &Evidence) -> BTreeSet<(NoteKind, Option<Side>, String)> {
    let of = evidence.pairs().flat_map(|pair| Operation::ALL.map(|operation| &pair.operation(operation).notes));
    of.flat_map(|notes| notes.keys()).map(|note| (note.kind, note.side, note.shape.field.clone())).collect()
}

/// The causes of the findings at the field.
fn causes(evidence: &Evidence) -> BTreeSet<Option<Cause>> {
    let of = evidence.pairs().flat_map(|pair| Operation::ALL.map(|operation| &pair.operation(operation).signatures));
    of.flat_map(|found| found.keys()).filter(|found| found.path == FIELD).map(|found| found.cause).collect()
}

#[test]
fn a_sound_pair_has_none_of_these_notes() {
    let evidence = soak(&shipped());
    let odd = notes(&evidence).into_iter().filter(|(kind, ..)| matches!(kind, NoteKind::Unsteady | NoteKind::Order));
    assert_eq!(odd.collect::<Vec<_>>(), []);
    assert!(!notes(&evidence).iter().any(|(_, side, field)| side.is_some() && field == FIELD));
    assert!(!causes(&evidence).contains(&Some(Cause::Unmarked)));
}

#[test]
fn an_error_without_its_mark_is_unmarked() {
    let evidence = soak(&spoilt(|errors| {
        errors.iter_mut().filter(|error| error.field == FIELD).for_each(|error| error.covered_by_declarative = false);
    }));
    assert!(causes(&evidence).contains(&Some(Cause::Unmarked)), "{:?}", causes(&evidence));
}

#[test]
fn errors_in_another_order_each_time_are_noted() {
    let turn = AtomicUsize::new(0);
    let evidence = soak(&spoilt(move |errors| {
        let by = turn.fetch_add(1, Ordering::Relaxed);
        if let Some(by) = by.checked_rem(errors.len()) {
            errors.rotate_left(by);
        }
    }));
    let order =
        |(kind, side, _): &(NoteKind, Option<Side>, String)| (*kind, *side) == (NoteKind::Order, Some(Side::Reference));
    assert!(notes(&evidence).iter().any(order), "{:?}", notes(&evidence));
    let plain = soak(&shipped());
    let agreed = |evidence: &Evidence| (evidence.compared(), evidence.disagreed());
    assert_eq!(agreed(&evidence), agreed(&plain), "an order is no difference");
}

#[test]
fn an_error_that_is_reported_twice_is_noted() {
    let evidence = soak(&spoilt(|errors| {
        let again = errors.iter().find(|error| error.field == FIELD).cloned();
        errors.extend(again);
    }));
    let expected = (NoteKind::Repeated, Some(Side::Reference), FIELD.to_owned());
    assert!(notes(&evidence).contains(&expected), "{:?}", notes(&evidence));
    assert_eq!(evidence.disagreed(), soak(&shipped()).disagreed());
}

#[test]
fn an_error_in_other_words_is_noted_with_the_words_of_both_sides() {
    let evidence = soak(&spoilt(|errors| {
        let of_field = errors.iter_mut().filter(|error| error.field == FIELD);
        of_field.for_each(|error| error.detail = "must be a good number".into());
    }));
    assert!(notes(&evidence).contains(&(NoteKind::Wording, None, FIELD.to_owned())), "{:?}", notes(&evidence));
    let all = evidence.pairs().flat_map(|pair| Operation::ALL.map(|operation| &pair.operation(operation).notes));
    let told = all.flatten().filter(|(note, _)| note.kind == NoteKind::Wording && note.shape.field == FIELD);
    let told: Vec<&str> = told.map(|(_, seen)| seen.smallest.sighting.message.as_str()).collect();
    assert!(told.iter().all(|told| told.contains("\"must be a good number\" in the reference")), "{told:?}");
    assert_eq!(evidence.disagreed(), soak(&shipped()).disagreed());
}
