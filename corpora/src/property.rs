//! Property tests: the cases of a subject as a [`proptest`] strategy that shrinks as findings of a soak do.

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
use takeover_harness::subject::Subject;

/// Cases of `subject` as a soak makes them: creations and updates of mostly valid objects, each with a few deviations at the
/// boundaries of the rules. For a kind that is recorded in this project they start from recorded objects, for any other
/// they are grown from its types.
///
/// A failing case shrinks: first its stream of choices becomes shorter and plainer, then the minimiser drops, shortens and
/// simplifies whatever the failure does not need, in both objects of an update together. Large objects may need more steps than
/// proptest takes by default: raise `max_shrink_iters`.
///
/// Ten lines make an equivalence test of your own validators:
///
/// ```
/// # use takeover_harness::{case::{Operation, Options}, error::{ErrorList, FieldError}, object::FieldValidation};
/// # use takeover_harness::{oracle::{Oracle, OracleFailure, Prepared}, path::Path, subject::{Matching, SubjectId}};
/// # use takeover_harness::schema::{Field, Kind, Presence, Schema, Struct};
/// # struct NoNegatives;
/// # impl Oracle for NoNegatives {
/// #     fn validate(&self, case: &Prepared<'_>, errors: &mut ErrorList) -> Result<(), OracleFailure> {
/// #         let (_, fields) = case.objects.schema.as_struct(case.objects.root).unwrap();
/// #         let count = case.objects.new.member(&fields.member("count").unwrap().slots).int();
/// #         if count < 0 {
/// #             let path = Path::ROOT;
/// #             errors.push(FieldError::invalid(&path.child("count"), count, "is negative").with_origin("minimum"));
/// #         }
/// #         Ok(())
/// #     }
/// # }
/// # fn counters() -> Subject {
/// #     let mut schema = Schema::new();
/// #     let count = schema.add("int32", Kind::Int { bits: 32, signed: true });
/// #     let (presence, omit_empty) = (Presence::Named, true);
/// #     let field = Field { go_name: "Count".into(), json_name: "count".into(), ty: count, presence, omit_empty, default: None };
/// #     let root = schema.add("Counter", Kind::Struct(Struct::new(vec![field])));
/// #     schema.link();
/// #     Subject {
/// #         id: SubjectId::new("example.com/v1", "Counter"), schema: std::sync::Arc::new(schema), root,
/// #         reference: Box::new(NoNegatives), candidate: Box::new(NoNegatives), controls: None, rules: Vec::new(),
/// #         field_validation: FieldValidation::Strict, defaulter: None, strategy: None, delegated: Vec::new(),
/// #         options: Vec::new(), matching: Matching::default(),
/// #     }
/// # }
/// use proptest::prelude::*;
/// use takeover_corpora::strategy;
/// use takeover_harness::{compare::Matcher, judge::{Bench, Judge}, object::Arena, subject::Subject};
///
/// let subject: Subject = counters(); // or `Registry::of_builtin()?.subject(&id)?`
/// let judge = Judge::new(&subject, Matcher::of(&subject.matching, Default::default()));
/// proptest!(|(case in strategy(&subject))| {
///     let mut bench = Bench::new();
///     let _ = judge.case(&case, &mut Arena::new(), &mut bench);
///     prop_assert!(bench.panics.is_empty() && bench.findings.is_empty(), "{:#?} {:#?}", bench.panics, bench.findings);
/// });
/// ```
#[must_use]
pub fn strategy(subject: &Subject) -> Cases {
    let recorded = recorded::accepted_objects(subject, &recorded::cases_of(subject));
    Cases { generator: Arc::new(Generator::of(subject, recorded, 0)) }
}

/// The strategy that [`strategy`] makes. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Cases {
    generator: Arc<Generator>,
}

impl Strategy for Cases {
    type Tree = CaseTree;
    type Value = Case;

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
    current: Case,
    /// The smallest case that is known to fail.
    smallest: Case,
    search: Option<Search>,
}

/// A search for smaller cases on a thread of its own: it puts a case, and waits to be told whether the case still fails.
///
/// INVARIANT: the thread never runs while anything else looks at the tree, so that the search is as deterministic as the answers.
struct Search {
    cases: Receiver<Case>,
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
    type Value = Case;

    fn current(&self) -> Case {
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
        let (put, cases) = sync_channel::<Case>(0);
        let (answers, answered) = sync_channel(0);
        let (generator, stream) = (Arc::clone(generator), stream.to_vec());
        thread::spawn(move || {
            // When nobody asks for more, every answer is no, and the search ends soon.
            shrink(&generator, stream, |case| put.send(case.clone()).is_ok() && answered.recv().unwrap_or(false));
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
    case: Case,
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
