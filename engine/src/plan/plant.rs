//! Oracles that misbehave, put in the place of sound ones: the proof that a run survives and reports them.

use rustix::process::{Resource, getrlimit};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::hint::black_box;
use std::num::{NonZeroU64, NonZeroUsize};
use std::str::FromStr;
use std::time::Duration;
use takeover_harness::error::{ErrorList, FieldError, Stability};
use takeover_harness::object::{Arena, Node, to_value};
use takeover_harness::oracle::{
    Answer, BatchAnswers, BatchOracle, BatchQuestion, Batched, Objects, Oracle, OracleFailure, Precision, Question,
    View,
};
use takeover_harness::pair::Pair;
use takeover_harness::path::Path;
use takeover_harness::side::Side;
use takeover_harness::subject::SubjectId;

/// How often an oracle misbehaves if nothing else is said: once in so many cases.
const ONE_IN: NonZeroU64 = match NonZeroU64::new(10_000) {
    Some(number) => number,
    None => NonZeroU64::MIN,
};

/// Bytes that the oracle takes that takes too much memory.
const HOARD: usize = 8 << 30;

/// Questions that an oracle takes at once which gets its batches wrong.
const BATCH: NonZeroUsize = match NonZeroUsize::new(64) {
    Some(number) => number,
    None => NonZeroUsize::MIN,
};

/// Errors of the oracle that babbles.
const BABBLE: usize = 5_000;

/// What an oracle does instead of its work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fault {
    Overflow,
    Abort,
    Exit,
    Sleep,
    Spin,
    Memory,
    Panic,
    Lie,
    Garbage,
    /// Leaves a question of a batch without an answer.
    Lose,
    /// Exchanges an answer with that to the next question of the batch.
    Swap,
}

const FAULTS: [(&str, Fault); 11] = [
    ("overflow", Fault::Overflow),
    ("abort", Fault::Abort),
    ("exit", Fault::Exit),
    ("sleep", Fault::Sleep),
    ("spin", Fault::Spin),
    ("memory", Fault::Memory),
    ("panic", Fault::Panic),
    ("lie", Fault::Lie),
    ("garbage", Fault::Garbage),
    ("lose", Fault::Lose),
    ("swap", Fault::Swap),
];

/// A misbehaving oracle, as text `FAULT@SUBJECT`, `FAULT/SIDE@SUBJECT` or `FAULT/SIDE/N@SUBJECT`: the fault, the side (`candidate`
/// unless said), once in how many cases (chosen by the hash of the case), and the subject as it is printed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Plant {
    fault: Fault,
    side: Side,
    one_in: NonZeroU64,
    subject: String,
}

/// A text that does not name an oracle to plant.
#[derive(Debug, thiserror::Error)]
#[error("`{0}` is not a misbehaving oracle, such as `overflow/candidate/10000@v1 ReplicationController`")]
pub struct BadPlant(String);

impl Plant {
    /// Whether it belongs in this subject.
    pub fn is_in(&self, subject: &SubjectId) -> bool {
        subject.to_string() == self.subject
    }

    /// The pair with one oracle replaced; that of another subject stays as it is.
    ///
    /// # Errors
    /// Returns an error when the oracle would take memory that nobody limits.
    pub fn in_pair(&self, mut pair: Pair) -> anyhow::Result<Pair> {
        if !self.is_in(&pair.id.subject) {
            return Ok(pair);
        }
        if self.fault == Fault::Memory && getrlimit(Resource::As).current.is_none() {
            anyhow::bail!("`{self}` is planted only where memory is limited: in a worker, with --isolate");
        }
        let (fault, one_in) = (self.fault, self.one_in);
        let spoilt = |inner| -> Box<dyn Oracle> {
            let misbehaving = Misbehaving { inner, fault, one_in };
            match fault {
                Fault::Lose | Fault::Swap => Box::new(Batched(misbehaving)),
                _ => Box::new(misbehaving),
            }
        };
        pair = match self.side {
            Side::Reference => Pair { reference: spoilt(pair.reference), ..pair },
            Side::Candidate => Pair { candidate: spoilt(pair.candidate), ..pair },
        };
        Ok(pair)
    }
}

impl FromStr for Plant {
    type Err = BadPlant;

    fn from_str(text: &str) -> Result<Self, BadPlant> {
        let read = || {
            let (what, subject) = text.split_once('@')?;
            let mut words = what.split('/');
            let name = words.next()?;
            let (_, fault) = FAULTS.iter().find(|(known, _)| *known == name)?;
            let side = match words.next() {
                None | Some("candidate") => Side::Candidate,
                Some("reference") => Side::Reference,
                Some(_) => return None,
            };
            let one_in = words.next().map_or(Some(ONE_IN), |number| number.parse().ok())?;
            let complete = words.next().is_none() && !subject.is_empty();
            complete.then(|| Self { fault: *fault, side, one_in, subject: subject.to_owned() })
        };
        read().ok_or_else(|| BadPlant(text.to_owned()))
    }
}

impl fmt::Display for Plant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = FAULTS.iter().find(|(_, fault)| *fault == self.fault).map_or("", |(name, _)| *name);
        write!(f, "{name}/{}/{}@{}", self.side, self.one_in, self.subject)
    }
}

impl TryFrom<String> for Plant {
    type Error = BadPlant;

    fn try_from(text: String) -> Result<Self, BadPlant> {
        text.parse()
    }
}

impl From<Plant> for String {
    fn from(plant: Plant) -> Self {
        plant.to_string()
    }
}

/// An oracle that does its work, and in some cases something else after it.
struct Misbehaving {
    inner: Box<dyn Oracle>,
    fault: Fault,
    one_in: NonZeroU64,
}

impl Oracle for Misbehaving {
    fn precision(&self) -> Precision {
        self.inner.precision()
    }

    fn view<'a>(&self, objects: &Objects<'a>, arena: &'a Arena) -> Result<View<'a>, OracleFailure> {
        self.inner.view(objects, arena)
    }

    fn answer(&self, question: &Question<'_>, view: &View<'_>, answer: &mut Answer) -> Result<(), OracleFailure> {
        self.inner.answer(question, view, answer)?;
        if self.is_due(question) {
            misbehave(self.fault, &mut answer.errors);
        }
        Ok(())
    }
}

impl BatchOracle for Misbehaving {
    fn precision(&self) -> Precision {
        Precision { batch: BATCH, ..self.inner.precision() }
    }

    fn view<'a>(&self, objects: &Objects<'a>, arena: &'a Arena) -> Result<View<'a>, OracleFailure> {
        self.inner.view(objects, arena)
    }

    fn answer_all(&self, asked: &[BatchQuestion<'_>], answers: &mut BatchAnswers) -> Result<(), OracleFailure> {
        // The question to which each answer is given.
        let mut order: Vec<usize> = (0..asked.len()).collect();
        let due = |index: &usize| asked.get(*index).is_some_and(|asked| self.is_due(asked.question));
        if self.fault == Fault::Swap {
            (1..asked.len()).filter(|next| due(&(next - 1))).for_each(|next| order.swap(next - 1, next));
        }
        for (index, (BatchQuestion { question, view }, given)) in asked.iter().zip(order).enumerate() {
            let mut answer = Answer::new();
            match self.inner.answer(question, view, &mut answer) {
                _ if self.fault == Fault::Lose && due(&index) => {}
                Ok(()) => answers.give(given, answer),
                Err(failure) => answers.fail(given, failure),
            }
        }
        Ok(())
    }
}

impl Misbehaving {
    /// Whether it misbehaves on this question.
    fn is_due(&self, question: &Question<'_>) -> bool {
        hash(question) % self.one_in == 0
    }
}

/// Depends on the case alone, not on when and where it is judged.
fn hash(question: &Question<'_>) -> u64 {
    let objects = &question.objects;
    let text = |node: &Node<'_>| to_value(objects.schema, objects.root, node).to_string();
    let mut hasher = blake3::Hasher::new();
    hasher.update(text(&objects.new).as_bytes());
    hasher.update(question.operation.to_string().as_bytes());
    if let Some(old) = &objects.old {
        hasher.update(text(old).as_bytes());
    }
    let mut first = [0; 8];
    hasher.finalize_xof().fill(&mut first);
    u64::from_le_bytes(first)
}

#[expect(clippy::panic, reason = "the point of one of these oracles")]
fn misbehave(fault: Fault, errors: &mut ErrorList) {
    match fault {
        Fault::Overflow => {
            black_box(descend(1));
        }
        Fault::Abort => std::process::abort(),
        Fault::Exit => std::process::exit(0),
        Fault::Sleep => loop {
            std::thread::sleep(Duration::from_secs(3600));
        },
        Fault::Spin => loop {
            std::hint::spin_loop();
        },
        Fault::Memory => {
            let block = 64 << 20;
            let hoard: Vec<Vec<u8>> = (0..HOARD / block).map(|_| vec![1; block]).collect();
            black_box(hoard);
        }
        Fault::Panic => panic!("planted panic"),
        Fault::Lie if errors.is_empty() => errors.push(planted(&Path::ROOT.child("planted"), "planted")),
        Fault::Lie => errors.truncate(0),
        // Nothing to one answer by itself.
        Fault::Lose | Fault::Swap => {}
        Fault::Garbage => {
            for number in 0..BABBLE {
                let name = format!("\u{1b}[31m{}\0\n{number}", "é".repeat(number % 100));
                errors.push(planted(&Path::ROOT.child(&name), if number % 2 == 0 { "" } else { "no such origin" }));
            }
        }
    }
}

/// An error that takes part in every comparison.
fn planted(path: &Path<'_>, origin: &'static str) -> FieldError {
    FieldError { stability: Some(Stability::Alpha), ..FieldError::invalid(path, 1, "planted").with_origin(origin) }
}

/// Calls itself until the stack is used up.
fn descend(depth: u64) -> u64 {
    let frame = black_box([depth; 16]);
    if depth == 0 { 0 } else { descend(black_box(depth + 1)) + black_box(frame).iter().sum::<u64>() }
}

#[cfg(test)]
mod tests {
    use super::Plant;

    #[test]
    fn plants_are_read_with_their_defaults_and_printed_in_full() {
        for (text, full) in [
            ("overflow@v1 Pod", "overflow/candidate/10000@v1 Pod"),
            ("sleep/reference@v1 Pod", "sleep/reference/10000@v1 Pod"),
            ("memory/reference/7@apps/v1 Scale/status", "memory/reference/7@apps/v1 Scale/status"),
        ] {
            let plant: Plant = text.parse().unwrap();
            assert_eq!(plant.to_string(), full);
            assert_eq!(full.parse::<Plant>().unwrap(), plant);
        }
        for text in ["", "overflow", "overflow@", "@v1 Pod", "lull@v1 Pod", "lie/both@v1 Pod", "lie/candidate/0@v1 Pod"]
        {
            assert!(text.parse::<Plant>().is_err(), "{text}");
        }
    }
}
