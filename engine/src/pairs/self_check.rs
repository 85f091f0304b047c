//! Before a soak: would this harness notice a fault at all?
//!
//! * A/A: the candidate's own errors, taken as the reference's, must agree with themselves.
//! * Planted faults: an error taken out of the candidate's answer must be found missing, an error put in must be found extra.
//! * A panicking oracle must be survived and counted as such.

use takeover_harness::case::Case;
use takeover_harness::compare::{Matcher, compare};
use takeover_harness::error::{ErrorList, FieldError, Stability};
use takeover_harness::judge::{Failure, run_oracle};
use takeover_harness::object::Arena;
use takeover_harness::oracle::{Oracle, OracleFailure, Prepared};
use takeover_harness::path::Path;
use takeover_harness::subject::Subject;

/// Most errors of an answer that are taken out one by one.
const MOST_ERRORS: usize = 64;

/// What was checked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Checked {
    /// Answers compared with themselves.
    pub same: u64,
    /// Errors taken out and missed.
    pub taken_out: u64,
    /// Errors put in and found.
    pub put_in: u64,
}

/// An oracle that panics.
pub(crate) struct Panicking;

impl Oracle for Panicking {
    #[expect(clippy::panic, reason = "the point of this oracle")]
    fn validate(&self, _: &Prepared<'_>, _: &mut ErrorList) -> Result<(), OracleFailure> {
        panic!("planted panic")
    }
}

/// Checks the harness on `cases` of `subject`.
///
/// # Errors
/// What the harness failed to notice: no result of a run can then be trusted.
pub(crate) fn check<'c>(
    subject: &Subject,
    matcher: &Matcher<'_>,
    cases: impl Iterator<Item = &'c Case>,
) -> Result<Checked, String> {
    let mut checked = Checked::default();
    let mut arena = Arena::new();
    let mut panics = 0;
    let mut unprepared = None;
    for case in cases {
        arena.reset();
        let prepared = match subject.prepare(case, &arena) {
            Ok(prepared) => prepared,
            Err(reason) => {
                unprepared.get_or_insert_with(|| format!(": {}: {reason}", case.provenance));
                continue;
            }
        };
        // A candidate that fails is a finding of the run, not a fault of the harness.
        let mut errors = ErrorList::new();
        if run_oracle(subject.candidate.as_ref(), &prepared, &mut errors).is_err() {
            errors.clear();
        }
        match run_oracle(&Panicking, &prepared, &mut ErrorList::new()) {
            Err(Failure::Panicked(_)) => panics += 1,
            other => return Err(format!("a planted panic came out as {other:?} in {}", case.provenance)),
        }
        planted(errors.as_slice(), case, matcher, &mut checked)?;
    }
    if checked.same == 0 || panics == 0 {
        return Err(format!("no case to check the harness with{}", unprepared.unwrap_or_default()));
    }
    Ok(checked)
}

fn planted(errors: &[FieldError], case: &Case, matcher: &Matcher<'_>, checked: &mut Checked) -> Result<(), String> {
    // Whatever the levels of the rules, these errors take part.
    let candidate: Vec<FieldError> = errors
        .iter()
        .take(MOST_ERRORS)
        .map(|error| FieldError { stability: Some(Stability::Alpha), ..error.clone() })
        // What matches nothing, such as an Invalid without origin, is for the run to find.
        .filter(|error| matcher.matches(&error.clone().covered(), error))
        .collect();
    let reference: Vec<FieldError> = candidate.iter().map(|error| error.clone().covered()).collect();
    let place = || format!("{} {}", case.operation, case.provenance);
    if !compare(&reference, &candidate, matcher).agrees() {
        return Err(format!("a validator disagrees with itself on {}", place()));
    }
    checked.same += 1;
    for (at, error) in reference.iter().enumerate() {
        let mut without = candidate.clone();
        without.remove(at);
        let another_answers = without.iter().any(|other| matcher.matches(error, other));
        if compare(&reference, &without, matcher).missing.is_empty() && !another_answers {
            return Err(format!("an error taken out was not missed: {error} on {}", place()));
        }
        checked.taken_out += u64::from(!another_answers);
    }
    let planted = FieldError {
        stability: Some(Stability::Alpha),
        ..FieldError::invalid(&Path::ROOT.child("planted"), 1, "planted").with_origin("planted")
    };
    let mut with = candidate;
    with.push(planted);
    if compare(&reference, &with, matcher).extra.is_empty() {
        return Err(format!("an error put in was not found on {}", place()));
    }
    checked.put_in += 1;
    Ok(())
}
