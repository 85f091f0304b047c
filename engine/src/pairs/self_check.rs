//! Before a soak: would this harness notice a fault at all?
//!
//! * A/A: the candidate's own errors, taken as the reference's, must agree with themselves; exchanged, what is missing is extra.
//! * Planted faults: an error taken out of the candidate's answer must be found missing, an error put in must be found extra.
//!   Where errors are not compared, the other decision must be found.
//! * An error that nobody marked must not get lost: it is compared, or counted as what cannot be compared.
//! * A panicking oracle must be survived and counted as such.

use takeover_harness::case::Case;
use takeover_harness::compare::Comparator;
use takeover_harness::error::{FieldError, Stability};
use takeover_harness::judge::{NoAnswer, consult, isolated};
use takeover_harness::object::Arena;
use takeover_harness::oracle::{Answer, Decision, Objects, Oracle, OracleFailure, Precision, Question, View};
use takeover_harness::pair::Pair;
use takeover_harness::path::Path;
use takeover_harness::side::Side;

/// Most errors of an answer that are taken out one by one.
const MOST_ERRORS: usize = 64;

/// How many answers are enough if a server rejects most cases first.
const ENOUGH: u64 = 64;

/// What was checked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Checked {
    /// Answers compared with themselves.
    pub same: u64,
    /// Errors taken out and missed.
    pub taken_out: u64,
    /// Errors put in and found.
    pub put_in: u64,
    /// Errors without mark that were not lost.
    pub unmarked: u64,
}

/// An oracle that panics.
pub(crate) struct Panicking;

impl Oracle for Panicking {
    #[expect(clippy::panic, reason = "the point of this oracle")]
    fn answer(&self, _: &Question<'_>, _: &View<'_>, _: &mut Answer) -> Result<(), OracleFailure> {
        panic!("planted panic")
    }
}

/// Checks the harness on `cases` of `pair`.
///
/// # Errors
/// Returns an error when the harness failed to notice something; no result of a run can then be trusted.
pub(crate) fn check<'c>(pair: &Pair, cases: impl Iterator<Item = &'c Case<'static>>) -> Result<Checked, String> {
    let mut checked = Checked::default();
    let mut arena = Arena::new();
    let mut panics = 0;
    let mut unprepared = None;
    for case in cases {
        arena.reset();
        if checked.same >= ENOUGH && pair.validation.is_some() {
            break;
        }
        let prepared = match isolated(|| pair.prepare(case, &arena)) {
            Ok(Ok(prepared)) => prepared,
            Ok(Err(reason)) => {
                unprepared.get_or_insert_with(|| format!(": {}: {reason}", case.provenance));
                continue;
            }
            Err(panic) => {
                unprepared.get_or_insert_with(|| format!(": {}: a panic: {panic}", case.provenance));
                continue;
            }
        };
        // A candidate that fails is a finding of the run, not a fault of the harness.
        let answer = consult(pair.candidate.as_ref(), &prepared.question).unwrap_or_default();
        match consult(&Panicking, &prepared.question) {
            Err(NoAnswer::Panicked(_)) => panics += 1,
            other => return Err(format!("a planted panic came out as {other:?} in {}", case.provenance)),
        }
        if pair.comparator.compares_errors() {
            planted(answer.errors.as_slice(), case, &pair.comparator, &mut checked)?;
        } else {
            decided(&answer, &prepared.question.objects, case, &pair.comparator, &mut checked)?;
        }
        unmarked(case, &pair.comparator, &mut checked)?;
    }
    if checked.same == 0 || panics == 0 {
        return Err(format!("no case to check the harness with{}", unprepared.unwrap_or_default()));
    }
    Ok(checked)
}

fn planted(errors: &[FieldError], case: &Case, comparator: &Comparator, checked: &mut Checked) -> Result<(), String> {
    // Whatever the levels of the rules, these errors take part.
    let candidate: Vec<FieldError> = errors
        .iter()
        .take(MOST_ERRORS)
        .map(|error| FieldError { stability: Some(Stability::Alpha), ..error.clone() })
        // What matches nothing, such as an Invalid without origin, is for the run to find.
        .filter(|error| comparator.matches(&error.clone().covered(), error))
        .collect();
    let reference: Vec<FieldError> = candidate.iter().map(|error| error.clone().covered()).collect();
    let place = || format!("{} {}", case.operation, case.provenance);
    if !comparator.errors(&reference, &candidate).agrees() {
        return Err(format!("a validator disagrees with itself on {}", place()));
    }
    checked.same += 1;
    let alone = comparator.errors(&reference, &[]).missing.len();
    if alone == 0 && !reference.is_empty() {
        return Err(format!("a validator that reports nothing goes unnoticed on {}", place()));
    }
    for (at, error) in reference.iter().enumerate() {
        let mut without = candidate.clone();
        without.remove(at);
        let another_answers = without.iter().any(|other| comparator.matches(error, other));
        if comparator.errors(&reference, &without).missing.is_empty() && !another_answers {
            return Err(format!("a removed error was not noticed: {error} on {}", place()));
        }
        checked.taken_out += u64::from(!another_answers);
    }
    let planted = FieldError {
        stability: Some(Stability::Alpha),
        ..FieldError::invalid(&Path::ROOT.child("planted"), 1, "planted").with_origin("planted")
    };
    let mut with = candidate;
    with.push(planted);
    if comparator.errors(&reference, &with).extra.is_empty() {
        return Err(format!("an added error was not noticed on {}", place()));
    }
    checked.put_in += 1;
    Ok(())
}

/// The same decision, and the other one.
fn decided(
    answer: &Answer,
    objects: &Objects<'_>,
    case: &Case,
    comparator: &Comparator,
    checked: &mut Checked,
) -> Result<(), String> {
    let place = || format!("{} {}", case.operation, case.provenance);
    if !comparator.differences(answer, answer, objects).is_empty() {
        return Err(format!("a validator disagrees with itself on {}", place()));
    }
    checked.same += 1;
    let decision = if answer.rejects() { Decision::Accept } else { Decision::Reject("planted".into()) };
    let other = Answer { decision: Some(decision), ..Answer::new() };
    if comparator.differences(answer, &other, objects).is_empty() {
        return Err(format!("another decision was not found on {}", place()));
    }
    checked.put_in += 1;
    Ok(())
}

/// An error without any mark, of an oracle that cannot mark, on either side.
fn unmarked(case: &Case, comparator: &Comparator, checked: &mut Checked) -> Result<(), String> {
    let mut answer = Answer::new();
    answer.push(FieldError::invalid(&Path::ROOT.child("planted"), 1, "planted"));
    for side in Side::ALL {
        if comparator.weigh(side, &answer, Precision::ERRORS) == (0, 0) {
            return Err(format!(
                "an error without mark of the {side} gets lost on {} {}",
                case.operation, case.provenance
            ));
        }
        checked.unmarked += 1;
    }
    Ok(())
}
