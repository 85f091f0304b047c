//! Panic isolation: a panicking oracle costs one answer, prints nothing, and leaves its words.

use crate::error::{ErrorType, FieldError};
use crate::object::Arena;
use crate::oracle::{
    Answer, BatchOracle, BatchQuestion, MODELLED, Oracle, OracleFailure, Question, View, WORKER_PROCESS, answer_batch,
};
use crate::path::Path;
use serde::{Deserialize, Serialize};
use std::any::Any;
use std::cell::{Cell, RefCell};
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Once;

thread_local! {
    static GUARDED: Cell<bool> = const { Cell::new(false) };
    static PLACE: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// A caught panic.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Panic {
    /// What was thrown, as text.
    pub message: String,
    /// Source file and line.
    pub place: String,
}

impl Panic {
    /// Whether it is the code modelled by the oracle that would have panicked, not the oracle.
    #[must_use]
    pub fn is_modelled(&self) -> bool {
        self.place == MODELLED
    }

    /// Whether it ended the process in which the oracle ran.
    #[must_use]
    pub fn ended_its_process(&self) -> bool {
        self.place == WORKER_PROCESS
    }

    /// The error that an API server returns when its declarative side panics, in place of all others of that side.
    #[must_use]
    pub fn as_error(&self) -> FieldError {
        let detail = format!("panic during declarative validation: {}", self.message);
        FieldError::new(ErrorType::Internal, &Path::ROOT, detail.clone(), detail)
    }
}

impl fmt::Display for Panic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` at {}", self.message, self.place)
    }
}

/// Why an oracle gave no answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NoAnswer {
    /// It panicked.
    #[error("the oracle panicked: {0}")]
    Panicked(Panic),
    /// It said that it could not judge.
    #[error("the oracle could not judge: {0}")]
    Unable(#[from] OracleFailure),
}

/// Asks one oracle, adding to `answer`. What a panicking oracle added before it panicked stays.
///
/// The first call installs a panic hook that keeps judged panics silent and hands every other panic to the hook before it.
///
/// # Errors
/// When the oracle panics or declines.
pub fn ask(oracle: &dyn Oracle, question: &Question<'_>, view: &View<'_>, answer: &mut Answer) -> Result<(), NoAnswer> {
    match isolated(|| oracle.answer(question, view, answer)) {
        Ok(Ok(())) => Ok(()),
        Ok(Err(failure)) => Err(NoAnswer::of(failure)),
        Err(panic) => Err(NoAnswer::Panicked(panic)),
    }
}

impl NoAnswer {
    fn of(failure: OracleFailure) -> Self {
        match failure.panic_place() {
            Some(place) => Self::Panicked(Panic { message: failure.to_string(), place: place.to_owned() }),
            None => Self::Unable(failure),
        }
    }
}

/// Asks an oracle many questions in one call, and returns what became of each in turn. If the call panics, asks one question at
/// a time, so that the panic is attributed to the questions that cause it.
pub(super) fn ask_batch(oracle: &dyn BatchOracle, asked: &[BatchQuestion<'_>]) -> Vec<Result<Answer, NoAnswer>> {
    let failure = match isolated(|| answer_batch(oracle, asked)) {
        Ok(Ok(answers)) => return answers.into_iter().map(|answer| answer.map_err(NoAnswer::of)).collect(),
        Ok(Err(failure)) => NoAnswer::of(failure),
        Err(panic) => NoAnswer::Panicked(panic),
    };
    match failure {
        NoAnswer::Panicked(_) if asked.len() > 1 => asked.chunks(1).flat_map(|one| ask_batch(oracle, one)).collect(),
        failure => asked.iter().map(|_| Err(failure.clone())).collect(),
    }
}

/// Asks an oracle about questions whose views are at hand: at once if it takes batches, else one by one.
///
/// ```
/// use takeover_harness::judge::ask_all;
/// use takeover_harness::oracle::{Answer, Question};
/// assert!(ask_all(&|_: &Question<'_>, _: &mut Answer| {}, &[]).is_empty());
/// ```
pub fn ask_all(oracle: &dyn Oracle, asked: &[BatchQuestion<'_>]) -> Vec<Result<Answer, NoAnswer>> {
    if let Some(batch) = oracle.batch() {
        return ask_batch(batch, asked);
    }
    let one = |BatchQuestion { question, view }: &BatchQuestion<'_>| {
        let mut answer = Answer::new();
        ask(oracle, question, view, &mut answer).map(|()| answer)
    };
    asked.iter().map(one).collect()
}

/// Asks one oracle alone: lets it take its view of the objects, and answer.
///
/// # Errors
/// As [`ask`], and when the oracle cannot take the objects in its form.
pub fn consult(oracle: &dyn Oracle, question: &Question<'_>) -> Result<Answer, NoAnswer> {
    let arena = Arena::new();
    let view = isolated(|| oracle.view(&question.objects, &arena)).map_err(NoAnswer::Panicked)??;
    let mut answer = Answer::new();
    ask(oracle, question, &view, &mut answer)?;
    Ok(answer)
}

/// Runs `work`. A panic in it is caught and printed nowhere, as [`ask`] does for oracles.
///
/// # Errors
/// The panic.
///
/// What `work` was changing may be half changed afterwards: callers clear or drop it.
pub fn isolated<T>(work: impl FnOnce() -> T) -> Result<T, Panic> {
    install_hook();
    let outer = GUARDED.replace(true);
    let result = catch_unwind(AssertUnwindSafe(work));
    GUARDED.set(outer);
    result.map_err(|payload| Panic {
        message: message(payload),
        place: PLACE.take().unwrap_or_else(|| "an unknown place".to_owned()),
    })
}

fn install_hook() {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let previous = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            if GUARDED.get() {
                PLACE.set(info.location().map(|location| format!("{}:{}", location.file(), location.line())));
            } else {
                previous(info);
            }
        }));
    });
}

fn message(payload: Box<dyn Any + Send>) -> String {
    if let Some(text) = payload.downcast_ref::<&'static str>() {
        return (*text).to_owned();
    }
    match payload.downcast::<String>() {
        Ok(text) => *text,
        Err(other) => {
            // Dropping a value of an unknown type could panic outside the guard.
            std::mem::forget(other);
            "a value that is not text".to_owned()
        }
    }
}
