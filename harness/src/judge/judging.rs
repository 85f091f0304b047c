//! One subject's judge.

use super::attribution::Attribution;
use super::bench::{Bench, OraclePanic, Outcome, RuleMark, Verdict};
use super::guard::{Failure, Panic, isolated, run_oracle};
use crate::case::Case;
use crate::compare::{Direction, Finding, Matcher, compare_into};
use crate::error::{ErrorList, ErrorType, FieldError};
use crate::object::{Arena, Node};
use crate::oracle::Prepared;
use crate::path::{Path, pattern};
use crate::rule::{Report, RuleId};
use crate::subject::{Delegated, Sent, Side, Subject, Unprepared};

/// Judges cases of one subject. Shared by threads; each brings its own [`Bench`].
pub struct Judge<'s> {
    subject: &'s Subject,
    matcher: Matcher<'s>,
    attribution: Attribution,
    clock: Option<&'s (dyn Fn() -> u64 + Sync)>,
}

impl<'s> Judge<'s> {
    /// A judge that compares with `matcher`.
    #[must_use]
    pub fn new(subject: &'s Subject, matcher: Matcher<'s>) -> Self {
        let attribution = Attribution::new(&subject.rules, &matcher);
        Self { subject, matcher, attribution, clock: None }
    }

    /// Measures each oracle by `clock`, in nanoseconds since any fixed moment, on benches that ask for it.
    #[must_use]
    pub fn with_clock(self, clock: &'s (dyn Fn() -> u64 + Sync)) -> Self {
        Self { clock: Some(clock), ..self }
    }

    /// The subject.
    #[must_use]
    pub fn subject(&self) -> &'s Subject {
        self.subject
    }

    /// How errors are compared.
    #[must_use]
    pub fn matcher(&self) -> &Matcher<'s> {
        &self.matcher
    }

    /// The rules that should have reported the reference error `error`, in catalogue order.
    pub(crate) fn twins(&self, error: &FieldError) -> Vec<RuleId> {
        self.attribution.twins(error)
    }

    /// Prepares and judges a case. `arena` is emptied first; details are left on `bench`.
    pub fn case(&self, case: &Case, arena: &mut Arena, bench: &mut Bench) -> Verdict {
        self.case_then(case, arena, bench, |_, _, _| {})
    }

    /// As [`Judge::case`], and shows `then` what was judged and the object as it was sent, if both sides could be asked.
    pub fn case_then(
        &self,
        case: &Case,
        arena: &mut Arena,
        bench: &mut Bench,
        then: impl FnOnce(&Prepared<'_>, Node<'_>, &Bench),
    ) -> Verdict {
        arena.reset();
        let mut sent = Sent::default();
        match isolated(|| self.subject.prepare_noting(case, arena, &mut sent)) {
            Ok(Ok(prepared)) => {
                let verdict = self.prepared(&prepared, bench);
                bench.dropped = sent.dropped;
                if matches!(verdict, Verdict::Compared(_)) {
                    then(&prepared, sent.object, bench);
                }
                verdict
            }
            Ok(Err(unprepared)) => {
                bench.clear();
                Verdict::Unprepared(unprepared)
            }
            Err(panic) => {
                bench.clear();
                bench.panics.push(OraclePanic { side: None, panic });
                Verdict::Compared(Outcome::Panicked)
            }
        }
    }

    /// Judges a prepared case; details are left on `bench`.
    pub fn prepared(&self, case: &Prepared<'_>, bench: &mut Bench) -> Verdict {
        bench.clear();
        let subject = self.subject;
        let start = self.now(bench);
        let reference = run_oracle(subject.reference.as_ref(), case, &mut bench.reference);
        let between = self.now(bench);
        let candidate = run_oracle(subject.candidate.as_ref(), case, &mut bench.candidate);
        let end = self.now(bench);
        bench.nanos = [between.saturating_sub(start), end.saturating_sub(between)];
        for (side, answer) in [(Side::Reference, reference), (Side::Candidate, candidate)] {
            match answer {
                Ok(()) => {}
                Err(Failure::Unable(failure)) => {
                    bench.clear();
                    return Verdict::Unable { side, failure };
                }
                Err(Failure::Panicked(panic)) => bench.panics.push(OraclePanic { side: Some(side), panic }),
            }
        }
        if !bench.panics.is_empty() {
            return self.panicked(bench);
        }
        for error in bench.reference.as_mut_slice() {
            error.from_imperative = true;
        }
        self.leave_out_delegated(bench);
        compare_into(bench.reference.as_slice(), bench.candidate.as_slice(), &self.matcher, &mut bench.comparison);
        let outcome = self.outcome(bench);
        Verdict::Compared(outcome)
    }

    fn now(&self, bench: &Bench) -> u64 {
        self.clock.filter(|_| bench.timed).map_or(0, |clock| clock())
    }

    /// An API server loses all errors of a declarative side that panicked, and still counts the mismatches against none.
    fn panicked(&self, bench: &mut Bench) -> Verdict {
        let of = |side| bench.panics.iter().find(move |panic| panic.side == Some(side));
        let internal = of(Side::Candidate).map(|panicked| internal_error(&panicked.panic));
        if of(Side::Reference).is_some() {
            bench.reference.truncate(0);
        }
        if internal.is_some() {
            bench.candidate.truncate(0);
        }
        for error in bench.reference.as_mut_slice() {
            error.from_imperative = true;
        }
        self.leave_out_delegated(bench);
        compare_into(bench.reference.as_slice(), bench.candidate.as_slice(), &self.matcher, &mut bench.comparison);
        if let Some(internal) = internal {
            bench.candidate.push(internal);
        }
        bench.marks.clear();
        let reached = bench.candidate.reached().iter().filter(|rule| rule.index() < self.subject.rules.len());
        bench.marks.extend(reached.map(|rule| (rule, RuleMark::Compared(Outcome::Panicked))));
        Verdict::Compared(Outcome::Panicked)
    }

    /// Takes out the errors in paths that the reference does not judge; the rules behind the candidate's are set aside.
    fn leave_out_delegated(&self, bench: &mut Bench) {
        let delegated = self.subject.delegated.as_slice();
        if delegated.is_empty() || (bench.reference.is_empty() && bench.candidate.is_empty()) {
            return;
        }
        let Bench { reference, candidate, marks, .. } = bench;
        bench.delegated.reference = leave_out(reference, delegated, |_| {});
        bench.delegated.candidate = leave_out(candidate, delegated, |error| {
            marks.extend(self.attribution.maker(error).map(|rule| (rule, RuleMark::SetAside)));
        });
    }

    /// The outcome of a comparison, with findings and marks filled in.
    fn outcome(&self, bench: &mut Bench) -> Outcome {
        let Bench { reference, candidate, comparison, findings, unmigrated, marks, .. } = bench;
        if reference.is_empty() && candidate.is_empty() {
            marks.sort_unstable();
            marks.dedup_by_key(|(rule, _)| *rule);
            return Outcome::AgreedAccept;
        }
        let (reference, candidate) = (reference.as_slice(), candidate.as_slice());
        for error in reference.iter().filter(|error| !error.covered_by_declarative) {
            let field = pattern(&error.field);
            if self.attribution.twins_at(error, &field).is_empty() {
                let origin = error.origin.as_ref().to_owned();
                unmigrated.push(Report { error_type: error.error_type, field, origin });
            }
        }
        let maker = |at: usize| candidate.get(at).and_then(|error| self.attribution.maker(error));
        marks.extend((0..candidate.len()).filter_map(maker).map(|rule| (rule, RuleMark::SetAside)));
        let agreed = comparison.pairs.iter().filter_map(|(_, at)| maker(*at));
        marks.extend(agreed.map(|rule| (rule, RuleMark::Compared(Outcome::AgreedReject))));
        for error in comparison.missing.iter().filter_map(|at| reference.get(*at)) {
            let rules = self.attribution.twins(error);
            findings.push(Finding { direction: Direction::Missing, error: error.clone(), rules });
        }
        for error in comparison.extra.iter().filter_map(|at| candidate.get(*at)) {
            let rules = self.attribution.maker(error).into_iter().collect();
            findings.push(Finding { direction: Direction::Extra, error: error.clone(), rules });
        }
        for finding in findings.iter() {
            let outcome = match finding.direction {
                Direction::Missing => Outcome::Missing,
                Direction::Extra => Outcome::Extra,
            };
            marks.extend(finding.rules.iter().map(|rule: &RuleId| (*rule, RuleMark::Compared(outcome))));
        }
        // The worst mark of each rule comes first and stays.
        marks.sort_unstable_by(|one, other| one.0.cmp(&other.0).then(other.1.cmp(&one.1)));
        marks.dedup_by_key(|(rule, _)| *rule);
        match (comparison.missing.is_empty(), comparison.extra.is_empty()) {
            (false, _) => Outcome::Missing,
            (true, false) => Outcome::Extra,
            // Whatever excuses a reference error is itself paired or extra.
            (true, true) if comparison.pairs.is_empty() => Outcome::AgreedAccept,
            (true, true) => Outcome::AgreedReject,
        }
    }
}

/// What an API server returns for a panic of the declarative side.
fn internal_error(panic: &Panic) -> FieldError {
    let detail = format!("panic during declarative validation: {}", panic.message);
    FieldError::new(ErrorType::Internal, &Path::ROOT, detail.clone(), detail)
}

/// Removes the errors in delegated paths and keeps the order of the others; tells `left_out` of each and returns how many.
fn leave_out(errors: &mut ErrorList, delegated: &[Delegated], mut left_out: impl FnMut(&FieldError)) -> u64 {
    let mut kept = 0;
    let list = errors.as_mut_slice();
    for at in 0..list.len() {
        let Some(error) = list.get(at) else { break };
        let place = pattern(&error.field);
        if delegated.iter().any(|part| part.contains(&place)) {
            left_out(error);
        } else {
            list.swap(kept, at);
            kept += 1;
        }
    }
    let removed = list.len() - kept;
    errors.truncate(kept);
    u64::try_from(removed).unwrap_or(u64::MAX)
}

impl Verdict {
    /// Whether the case was not compared because an object is not one of its type.
    #[must_use]
    pub fn is_undecodable(&self) -> bool {
        matches!(self, Self::Unprepared(Unprepared::Object(_) | Unprepared::OldObject(_) | Unprepared::Oracle { .. }))
    }

    /// Why the case was not compared: what it is counted under, and the explanation.
    #[must_use]
    pub fn reason(&self) -> Option<(String, String)> {
        match self {
            Self::Compared(_) => None,
            Self::Unprepared(Unprepared::Object(undecodable)) => {
                Some((undecodable.reason.to_string(), format!("object: {undecodable}")))
            }
            Self::Unprepared(Unprepared::OldObject(undecodable)) => {
                Some((format!("old object: {}", undecodable.reason), format!("old object: {undecodable}")))
            }
            Self::Unprepared(Unprepared::NoOldObject) => {
                Some(("update without old object".to_owned(), Unprepared::NoOldObject.to_string()))
            }
            Self::Unprepared(Unprepared::Oracle { side, failure }) => {
                Some((format!("not in the form that the {side} takes"), failure.to_string()))
            }
            Self::Unable { side, failure } => Some((format!("the {side} could not judge"), failure.to_string())),
        }
    }
}
