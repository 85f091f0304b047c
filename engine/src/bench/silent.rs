//! What the harness itself costs on an agreeing case: a pair whose oracles have nothing to judge, and agree.

use takeover_harness::case::Case;
use takeover_harness::form::Form;
use takeover_harness::judge::consult;
use takeover_harness::oracle::{Answer, Oracle, OracleFailure, Precision, Question, View};
use takeover_harness::pair::{Pair, Prepared};
use takeover_harness::rule::RuleId;
use takeover_harness::side::BySide;

/// A reference that finds no error, without looking.
struct Silent;

impl Oracle for Silent {
    fn precision(&self) -> Precision {
        Precision::KUBERNETES
    }

    fn answer(&self, _: &Question<'_>, _: &View<'_>, _: &mut Answer) -> Result<(), OracleFailure> {
        Ok(())
    }
}

/// A candidate that finds no error and reaches the rules that its view of the case lists.
struct Reaching;

impl Oracle for Reaching {
    fn precision(&self) -> Precision {
        Precision::KUBERNETES
    }

    fn answer(&self, _: &Question<'_>, view: &View<'_>, answer: &mut Answer) -> Result<(), OracleFailure> {
        for rule in view.get::<Vec<RuleId>>().into_iter().flatten() {
            answer.reach(*rule);
        }
        Ok(())
    }
}

/// A pair like `pair` with oracles that have nothing to judge.
pub(super) fn pair_like(pair: &Pair) -> Pair {
    let form = Form {
        schema: pair.form.schema.clone(),
        root: pair.form.root,
        field_validation: pair.form.field_validation,
        defaulter: None,
        strategy: None,
    };
    Pair {
        comparator: pair.comparator.clone(),
        rules: pair.rules.clone(),
        delegated: pair.delegated.clone(),
        options: pair.options.clone(),
        ..Pair::new(pair.id.clone(), form, Box::new(Silent), Box::new(Reaching))
    }
}

/// The case for these oracles, with the rules that the candidate of `pair` reaches in it.
pub(super) fn case_like<'a>(pair: &Pair, case: &'a Case<'a>, prepared: &Prepared<'a>) -> (&'a Case<'a>, Prepared<'a>) {
    let question = prepared.question;
    let answer = consult(pair.candidate.as_ref(), &question).unwrap_or_default();
    let reached: Vec<RuleId> = answer.reached.iter().collect();
    let views = BySide { reference: View::none(), candidate: View::of(reached) };
    (case, Prepared { question, views, sent: prepared.sent })
}
