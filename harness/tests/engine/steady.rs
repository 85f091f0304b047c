//! Whether an oracle is asked again about what it was asked before.

use crate::fakes::{counting, pair, strangers};
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use takeover_harness::case::Operation;
use takeover_harness::compare::Cause;
use takeover_harness::evidence::Evidence;
use takeover_harness::judge::Judge;
use takeover_harness::oracle::{
    Answer, BatchAnswers, BatchOracle, BatchQuestion, Batched, Oracle, OracleFailure, Precision, Question,
    WithPrecision,
};
use takeover_harness::pair::Pair;
use takeover_harness::runner::{Input, Part, Run, Steering};

/// Counts how often it is asked.
fn asked(times: &Arc<AtomicU64>, steady: bool) -> Box<dyn Oracle> {
    let times = Arc::clone(times);
    let answer = move |_: &Question<'_>, _: &mut Answer| {
        times.fetch_add(1, Ordering::Relaxed);
    };
    Box::new(WithPrecision(Precision { steady, ..Precision::KUBERNETES }, answer))
}

/// Sixty cases of three contents, given with the numbers of their contents.
fn run(pair: &Pair) -> Evidence {
    let judges = [Judge::new(pair)];
    let free = Steering { stop: &|| false, progress: &|_| {} };
    let mut inputs =
        (0..60u64).map(|at| Input::Numbered { subject: 0, case: counting((at % 3).cast_signed()), content: at % 3 });
    Run::new(&judges, NonZeroUsize::MIN).recorded(&mut inputs, Part::default(), free).unwrap().evidence
}

#[test]
fn a_repeated_content_is_asked_about_again_unless_both_oracles_are_steady() {
    for (reference, candidate, expected) in [(true, true, 3), (true, false, 60), (false, true, 60), (false, false, 60)]
    {
        let times = [Arc::default(), Arc::default()];
        let pair = pair(asked(&times[0], reference), asked(&times[1], candidate));
        assert_eq!(Judge::new(&pair).is_steady(), reference && candidate);
        let evidence = run(&pair);
        assert_eq!(evidence.compared(), 60);
        let times = times.map(|times| times.load(Ordering::Relaxed));
        assert_eq!(times, [expected; 2], "{reference} {candidate}");
    }
}

#[test]
fn what_an_unsteady_oracle_says_is_counted_as_it_says_it() {
    let turn = AtomicU64::new(0);
    let fickle = move |_: &Question<'_>, answer: &mut Answer| {
        if turn.fetch_add(1, Ordering::Relaxed).is_multiple_of(4) {
            answer.push(crate::fakes::plain(takeover_harness::error::ErrorType::Invalid, "count"));
        }
    };
    let fickle = Box::new(WithPrecision(Precision { steady: false, ..Precision::ERRORS }, fickle));
    let evidence = run(&strangers(Box::new(|_: &Question<'_>, _: &mut Answer| {}), fickle));
    // Each time that it says something, it is asked again, and says something else.
    assert_eq!((evidence.compared(), evidence.disagreed()), (60, 20));
    let signatures = evidence.pairs().flat_map(|of| of.operation(Operation::Create).signatures.keys());
    assert_eq!(signatures.map(|signature| signature.cause).collect::<Vec<_>>(), [Some(Cause::Unsteady)]);
}

#[test]
fn functions_are_taken_for_steady() {
    let silent = || Box::new(|_: &Question<'_>, _: &mut Answer| {});
    assert!(Judge::new(&strangers(silent(), silent())).is_steady());
}

#[test]
fn evidence_says_about_how_many_cases_a_side_was_asked_once_more() {
    let batched = || {
        let precision = Precision { batch: NonZeroUsize::new(8).unwrap(), ..Precision::ERRORS };
        Box::new(WithPrecision(precision, |_: &Question<'_>, _: &mut Answer| {}))
    };
    let again = asked_again(&strangers(batched(), batched()));
    assert!((5..60).contains(&again), "{again} of 1,280 are about one in 64");
    // One that is far is asked about the same sample, also where it takes one question at a time.
    assert_eq!(asked_again(&strangers(Box::new(Batched(Silent)), Box::new(Batched(Silent)))), again);
}

#[test]
fn evidence_counts_the_cases_with_several_errors_about_which_a_side_at_hand_was_asked_once_more() {
    let silent = || Box::new(|_: &Question<'_>, _: &mut Answer| {});
    assert_eq!(asked_again(&strangers(silent(), silent())), 0);
    let turn = Arc::new(AtomicU64::new(0));
    let counted = Arc::clone(&turn);
    let two = move |_: &Question<'_>, answer: &mut Answer| {
        counted.fetch_add(1, Ordering::Relaxed);
        for field in ["count", "name"] {
            answer.push(crate::fakes::plain(takeover_harness::error::ErrorType::Invalid, field));
        }
    };
    let same = |_: &Question<'_>, answer: &mut Answer| {
        for field in ["count", "name"] {
            answer.push(crate::fakes::plain(takeover_harness::error::ErrorType::Invalid, field));
        }
    };
    assert_eq!(asked_again(&strangers(Box::new(two), Box::new(same))), 1280);
    assert_eq!(turn.load(Ordering::Relaxed), 2 * 1280);
}

/// About how many of 1,280 different cases a side is asked once more.
fn asked_again(pair: &Pair) -> u64 {
    let judges = [Judge::new(pair)];
    let free = Steering { stop: &|| false, progress: &|_| {} };
    let mut inputs = (0..1280).map(|at| Input::Case { subject: 0, case: counting(at), shows: Vec::new() });
    let run = Run::new(&judges, NonZeroUsize::MIN).recorded(&mut inputs, Part::default(), free).unwrap();
    run.evidence.pairs().map(|of| of.operation(Operation::Create).asked_again).sum()
}

/// Answers each question that it is sent with nothing, one at a time.
struct Silent;

impl BatchOracle for Silent {
    fn answer_all(&self, asked: &[BatchQuestion<'_>], answers: &mut BatchAnswers) -> Result<(), OracleFailure> {
        (0..asked.len()).for_each(|number| answers.give(number, Answer::new()));
        Ok(())
    }

    fn precision(&self) -> Precision {
        Precision::ERRORS
    }
}
