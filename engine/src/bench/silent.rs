//! What the harness itself costs on an agreeing case: a subject whose oracles have nothing to judge, and agree.

use takeover_harness::case::Case;
use takeover_harness::error::ErrorList;
use takeover_harness::oracle::{Oracle, OracleFailure, Prepared, View};
use takeover_harness::rule::RuleId;
use takeover_harness::subject::Subject;

/// A reference that finds no error, without looking.
struct Silent;

impl Oracle for Silent {
    fn validate(&self, _: &Prepared<'_>, _: &mut ErrorList) -> Result<(), OracleFailure> {
        Ok(())
    }
}

/// A candidate that finds no error and reaches the rules that its view of the case lists.
struct Reaching;

impl Oracle for Reaching {
    fn validate(&self, case: &Prepared<'_>, errors: &mut ErrorList) -> Result<(), OracleFailure> {
        for rule in case.candidate_view.get::<Vec<RuleId>>().into_iter().flatten() {
            errors.reach(*rule);
        }
        Ok(())
    }
}

/// `subject` with oracles that have nothing to judge.
pub(super) fn subject_like(subject: &Subject) -> Subject {
    Subject {
        id: subject.id.clone(),
        schema: subject.schema.clone(),
        root: subject.root,
        reference: Box::new(Silent),
        candidate: Box::new(Reaching),
        rules: subject.rules.clone(),
        field_validation: subject.field_validation,
        controls: None,
        defaulter: None,
        strategy: None,
        delegated: subject.delegated.clone(),
        options: subject.options.clone(),
        matching: subject.matching.clone(),
    }
}

/// The case for these oracles, with the rules that the candidate of `subject` reaches in it.
pub(super) fn case_like<'a>(subject: &Subject, case: &'a Case, prepared: &Prepared<'a>) -> (&'a Case, Prepared<'a>) {
    let mut errors = ErrorList::new();
    let _ = subject.candidate.validate(prepared, &mut errors);
    let reached: Vec<RuleId> = errors.reached().iter().collect();
    let silent = Prepared {
        operation: prepared.operation,
        objects: prepared.objects,
        options: prepared.options,
        subresource: prepared.subresource,
        reference_view: View::none(),
        candidate_view: View::of(reached),
    };
    (case, silent)
}
