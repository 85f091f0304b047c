//! Property tests: the cases of a pair as a [`proptest`] strategy that shrinks as findings of a soak do.

use crate::generate::Generator;
use crate::minimise::{Limits, minimise};
use crate::recorded;
use proptest::prelude::Rng as _;
use proptest::strategy::{NewTree, Strategy, ValueTree};
use proptest::test_runner::TestRunner;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;
use takeover_harness::case::{Case, Provenance};
use takeover_harness::pair::Pair;

/// Cases of a pair as a soak makes them: creations and updates of mostly valid objects, each with a few deviations at the
/// boundaries of the rules. For a kind that is recorded in this project they start from recorded objects, for any other
/// they are grown from its types.
///
/// A failing case shrinks: first its stream of choices becomes shorter and plainer, then the minimiser drops, shortens and
/// simplifies whatever the failure does not need, in both objects of an update together. Large objects may need more steps than
/// proptest takes by default: raise `max_shrink_iters`.
///
/// An equivalence test of your own validators, which are two functions here. Their errors carry no marks of Kubernetes, and are
/// compared by type and field:
///
/// ```
/// # use takeover_harness::{error::FieldError, object::FieldValidation, oracle::{Answer, Oracle, Question}, path::Path};
/// # use takeover_harness::{form::Form, schema::{Field, Kind, Presence, Schema, Struct}, subject::SubjectId};
/// # fn counters() -> Form {
/// #     let mut schema = Schema::new();
/// #     let count = schema.add("int32", Kind::Int { bits: 32, signed: true });
/// #     let (presence, omit_empty) = (Presence::Named, true);
/// #     let field = Field { go_name: "Count".into(), json_name: "count".into(), ty: count, presence, omit_empty, default: None };
/// #     let root = schema.add("Counter", Kind::Struct(Struct::new(vec![field])));
/// #     schema.link();
/// #     let schema = std::sync::Arc::new(schema);
/// #     Form { schema, root, field_validation: FieldValidation::Strict, defaulter: None, strategy: None }
/// # }
/// # fn id() -> SubjectId { SubjectId::new("example.com/v1", "Counter") }
/// use proptest::prelude::*;
/// use proptest::strategy::ValueTree as _;
/// use proptest::test_runner::TestRunner;
/// use takeover_corpora::strategy;
/// use takeover_harness::evidence::{CasePlace, PairEvidence};
/// use takeover_harness::judge::{CaseRecord, Judge};
/// use takeover_harness::object::Arena;
/// use takeover_harness::pair::Pair;
/// use takeover_harness::readiness::{Readiness, ReadinessPolicy, assess_pair};
///
/// fn no_negatives(question: &Question<'_>, answer: &mut Answer) {
///     let count = question.objects.new.field(0).int();
///     if count < 0 {
///         answer.push(FieldError::invalid(&Path::ROOT.child("count"), count, "must not be negative"));
///     }
/// }
/// fn anything(_: &Question<'_>, _: &mut Answer) {}
///
/// // The verdict on two validators, over 2,000 cases.
/// let verdict = |reference: Box<dyn Oracle>, candidate: Box<dyn Oracle>| {
///     let pair = Pair::new(id(), counters(), reference, candidate);
///     let judge = Judge::new(&pair);
///     let (mut runner, cases) = (TestRunner::deterministic(), strategy(&pair));
///     let mut evidence = PairEvidence::of(&judge);
///     let (mut arena, mut record) = (Arena::new(), CaseRecord::new());
///     for index in 0..2_000 {
///         let case = cases.new_tree(&mut runner).unwrap().current();
///         let judgement = judge.case(&case, &mut arena, &mut record);
///         evidence.record(CasePlace::generated(0, index), &case, &judgement, &record);
///     }
///     assess_pair(&evidence, &ReadinessPolicy::default(), &[]).verdict
/// };
/// assert!(matches!(verdict(Box::new(no_negatives), Box::new(no_negatives)), Readiness::Ready(_)));
/// // One that accepts everything may not take over, whichever side it is on, nor does agreeing on everything prove anything.
/// assert!(matches!(verdict(Box::new(no_negatives), Box::new(anything)), Readiness::Blocked(_)));
/// assert!(matches!(verdict(Box::new(anything), Box::new(no_negatives)), Readiness::Blocked(_)));
/// assert!(matches!(verdict(Box::new(anything), Box::new(anything)), Readiness::InsufficientEvidence(_)));
///
/// // The same as a property, which shrinks to a minimal counterexample.
/// let pair = Pair::new(id(), counters(), Box::new(no_negatives), Box::new(anything));
/// let judge = Judge::new(&pair);
/// let failed = TestRunner::deterministic().run(&strategy(&pair), |case| {
///     let mut record = CaseRecord::new();
///     let _ = judge.case(&case, &mut Arena::new(), &mut record);
///     prop_assert!(record.differences.is_empty(), "{}", record.differences[0].what);
///     Ok(())
/// });
/// assert!(failed.unwrap_err().to_string().contains("count: Invalid value: -1: must not be negative"));
/// ```
#[must_use]
pub fn strategy(pair: &Pair) -> Cases {
    let recorded = recorded::accepted_objects(pair, &recorded::cases_of(pair));
    Cases { generator: Arc::new(Generator::of(pair, recorded, 0)) }
}

/// The strategy that [`strategy`] makes. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Cases {
    generator: Arc<Generator>,
}

impl Strategy for Cases {
    type Tree = CaseTree;
    type Value = Case<'static>;

    fn new_tree(&self, runner: &mut TestRunner) -> NewTree<Self> {
        let mut stream = vec![0; Generator::STREAM];
        runner.rng().fill_bytes(&mut stream);
        let current = self.generator.case_of(&stream).case;
        Ok(CaseTree {
            generator: Arc::clone(&self.generator),
            stream,
            smallest: current.clone(),
            current,
            search: None,
        })
    }
}

/// A case and the smaller ones to try in its place.
pub struct CaseTree {
    generator: Arc<Generator>,
    /// The choices that the first case was made of.
    stream: Vec<u8>,
    current: Case<'static>,
    /// The smallest case that is known to fail.
    smallest: Case<'static>,
    search: Option<Search>,
}

/// A search for smaller cases on a thread of its own: it puts a case, and waits to be told whether the case still fails.
///
/// INVARIANT: the thread never runs while anything else looks at the tree, so that the search is as deterministic as the answers.
struct Search {
    cases: Receiver<Case<'static>>,
    answers: SyncSender<bool>,
    /// Whether the thread waits for an answer.
    asked: bool,
}

impl CaseTree {
    /// Says whether the current case failed and moves on to the next one to try; no when there is none.
    fn answer(&mut self, failed: bool) -> bool {
        if failed {
            self.smallest.clone_from(&self.current);
        }
        let search = self.search.get_or_insert_with(|| Search::start(&self.generator, &self.stream));
        if search.asked {
            // A search that has died asks no more, which is noticed next.
            let _ = search.answers.send(failed);
        }
        let next = search.cases.recv();
        search.asked = next.is_ok();
        self.current = next.unwrap_or_else(|_| self.smallest.clone());
        search.asked
    }
}

impl ValueTree for CaseTree {
    type Value = Case<'static>;

    fn current(&self) -> Case<'static> {
        self.current.clone()
    }

    fn simplify(&mut self) -> bool {
        self.answer(true)
    }

    fn complicate(&mut self) -> bool {
        self.search.is_some() && self.answer(false)
    }
}

impl Search {
    fn start(generator: &Arc<Generator>, stream: &[u8]) -> Self {
        let (put, cases) = sync_channel::<Case<'static>>(0);
        let (answers, answered) = sync_channel(0);
        let (generator, stream) = (Arc::clone(generator), stream.to_vec());
        thread::spawn(move || {
            // When nobody asks for more, every answer is no, and the search ends soon.
            shrink(&generator, stream, |case| {
                put.send(case.clone().kept()).is_ok() && answered.recv().unwrap_or(false)
            });
        });
        Self { cases, answers, asked: false }
    }
}

/// Looks for smaller cases than that of `stream` which `fails` holds of.
fn shrink(generator: &Generator, stream: Vec<u8>, mut fails: impl FnMut(&Case) -> bool) {
    let mut choices = Stream { case: generator.case_of(&stream).case, bytes: stream, generator };
    choices.shorten(&mut fails);
    choices.clear(&mut fails);
    let mut start = choices.case;
    if let Provenance::Generated { planted, .. } = &mut start.provenance {
        // What is left of that is to be seen in the objects.
        planted.clear();
    }
    minimise(&start, Limits::default(), |case| *case == start || fails(case));
}

/// A stream of choices whose case fails.
struct Stream<'g> {
    generator: &'g Generator,
    bytes: Vec<u8>,
    case: Case<'static>,
}

impl Stream<'_> {
    /// Takes `bytes` when their case fails. One that is the same is not asked about again.
    fn accept(&mut self, bytes: Vec<u8>, fails: &mut impl FnMut(&Case) -> bool) -> bool {
        let case = self.generator.case_of(&bytes).case;
        if case != self.case && !fails(&case) {
            return false;
        }
        (self.bytes, self.case) = (bytes, case);
        true
    }

    /// Cuts off the end: what is not chosen is the plainest.
    fn shorten(&mut self, fails: &mut impl FnMut(&Case) -> bool) {
        let mut cut = self.bytes.len();
        while cut > 0 {
            let kept = self.bytes.len().saturating_sub(cut);
            let shorter = self.bytes.get(..kept).unwrap_or_default().to_vec();
            if self.bytes.len() < cut || !self.accept(shorter, fails) {
                cut /= 2;
            }
        }
    }

    /// Makes single choices the plainest, the last first: later ones depend on earlier ones.
    fn clear(&mut self, fails: &mut impl FnMut(&Case) -> bool) {
        for at in (0..self.bytes.len()).rev() {
            let mut plainer = self.bytes.clone();
            match plainer.get_mut(at) {
                Some(byte) if *byte != 0 => *byte = 0,
                _ => continue,
            }
            self.accept(plainer, fails);
        }
    }
}
