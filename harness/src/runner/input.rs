//! What is run: sources of cases.

use super::bases::Base;
use crate::case::{Case, Operation, Provenance};
use crate::object::Arena;
use crate::rule::RuleId;

/// One input of a run.
#[derive(Clone, Debug)]
pub enum Input<'a> {
    /// A case of the subject with this index among the judges.
    Case {
        /// Index of the judge.
        subject: usize,
        /// The case.
        case: Case<'a>,
        /// Classes of rules that it was made to show; empty when that is not known.
        shows: Vec<Shown>,
    },
    /// A recorded case whose content may come again.
    Numbered {
        /// Index of the judge.
        subject: usize,
        /// The case.
        case: Case<'a>,
        /// Cases of one subject and operation that have the same number in a run are the same but for where they came from.
        content: u64,
    },
    /// Something that is no case: counted, never dropped.
    Unusable(Unusable),
}

/// A class of a rule that a case was made to show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shown {
    /// The rule.
    pub rule: RuleId,
    /// Index of the class in [`crate::rule::Rule::boundaries`].
    pub class: usize,
    /// Whether an update leaves the value as it was.
    pub kept: bool,
}

/// An input that cannot be judged.
#[derive(Clone, Debug)]
pub struct Unusable {
    /// Index of the judge and the operation; none when the input belongs to no subject of the run.
    pub subject: Option<(usize, Operation)>,
    /// Whether an object is not one of its type; otherwise the input is skipped.
    pub undecodable: bool,
    /// What it is counted under: one of few texts.
    pub reason: String,
    /// Explanation for people.
    pub message: String,
    /// Where it came from.
    pub provenance: Provenance,
}

/// How much is run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Budget {
    /// Exactly so many cases.
    Cases(u64),
    /// Until [`super::Steering::stop`] says so.
    UntilStopped,
}

/// A numbered part of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Chunk {
    /// From 0.
    pub number: u64,
    /// The chunk's own seed, derived from the run's.
    pub seed: u64,
    /// Cases that are asked for: those that the source holds, or what is left of the budget.
    pub len: u64,
}

/// An endless source of made-up cases.
pub trait CaseSource: Sync {
    /// Cases in a chunk.
    fn chunk_len(&self) -> u64;

    /// The cases of a chunk: the same for the same chunk and the same verdicts, at least [`CaseSource::chunk_len`] of them. A run
    /// asks for no more. What several of them are made from may be kept in `arena`.
    fn cases<'c>(&'c self, chunk: Chunk, arena: &'c Arena) -> Box<dyn Cases<'c> + 'c>;
}

/// The cases of a chunk, as they are asked for.
pub trait Cases<'c> {
    /// The next case, whose objects are made in `arena`; none at the end.
    fn next<'a>(&mut self, arena: &'a Arena) -> Option<Input<'a>>
    where
        'c: 'a;

    /// How many cases may be asked for before [`Cases::keep`] is told of them; those after them may be made like them.
    fn ahead(&self) -> u64 {
        1
    }

    /// The number of the field that the last case is about: what a case shows is new or known among the cases of its field.
    fn field(&self) -> u64 {
        0
    }

    /// The object that the last case was made from, if others may be too. Those that name the same object are of one subject.
    fn base(&self) -> Option<&Base<'c>> {
        None
    }

    /// Case `index` of the chunk, one of the last [`Cases::ahead`], showed something that none before it of the same field had shown in
    /// the chunk: those of that field to come may be like it.
    fn keep(&mut self, index: u64);
}

/// Cases that stay the same, whatever those before them show.
#[derive(Clone, Debug)]
pub struct FixedCases<I>(pub I);

impl<'c, I: Iterator<Item = Input<'static>>> Cases<'c> for FixedCases<I> {
    fn next<'a>(&mut self, _: &'a Arena) -> Option<Input<'a>>
    where
        'c: 'a,
    {
        self.0.next()
    }

    fn ahead(&self) -> u64 {
        u64::MAX
    }

    fn keep(&mut self, _: u64) {}
}

/// The seed of chunk `number` in a run with seed `seed`. Neighbouring chunks and seeds have unrelated ones.
#[must_use]
pub fn chunk_seed(seed: u64, number: u64) -> u64 {
    let mut hasher = blake3::Hasher::new();
    hasher.update(&seed.to_le_bytes());
    hasher.update(&number.to_le_bytes());
    let mut first = [0; 8];
    hasher.finalize_xof().fill(&mut first);
    u64::from_le_bytes(first)
}
