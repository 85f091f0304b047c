//! The hot path allocates nothing.

use crate::fakes::{counting, honest_reference, pair, rules_with_minimum};
use takeover_harness::evidence::{CasePlace, PairEvidence};
use takeover_harness::judge::{CaseRecord, Judge, Judgement, Outcome};
use takeover_harness::object::Arena;
use takeover_harness::runner::{Input, Tally};

#[test]
fn judging_and_counting_a_valid_case_allocates_nothing() {
    let pair = pair(honest_reference(), rules_with_minimum(0));
    let judge = Judge::new(&pair);
    let mut evidence = PairEvidence::of(&judge);
    let (arena, mut record, case) = (Arena::new(), CaseRecord::new(), counting(3));
    let prepared = pair.prepare(&case, &arena).unwrap();
    let mut round = |index| {
        let verdict = judge.prepared(&prepared, &mut record);
        assert_eq!(verdict, Judgement::Compared(Outcome::AgreedAccept));
        evidence.record(CasePlace::generated(0, index), &case, &verdict, &record);
    };
    round(0);
    let measured = allocation_counter::measure(|| (1..100).for_each(&mut round));
    assert_eq!(measured.count_total, 0, "{measured:?}");
}

#[test]
fn telling_whether_a_valid_case_is_new_allocates_nothing() {
    let pair = pair(honest_reference(), rules_with_minimum(0));
    let judges = [Judge::new(&pair)];
    let mut tally = Tally::new(&judges, &[]);
    let input = || Input::Case { subject: 0, case: counting(3), shows: Vec::new() };
    tally.judge(CasePlace::generated(0, 0), input());
    let inputs: Vec<Input<'static>> = (1..100).map(|_| input()).collect();
    let measured = allocation_counter::measure(|| {
        for (index, input) in (1..).zip(inputs) {
            assert!(!tally.judge_of(CasePlace::generated(0, index), 1, input));
        }
    });
    assert_eq!(measured.count_total, 0, "{measured:?}");
}
