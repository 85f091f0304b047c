//! The hot path allocates nothing.

use crate::fakes::{counting, honest_reference, rules_with_minimum, subject};
use takeover_harness::compare::{Matcher, Semantics};
use takeover_harness::evidence::{Place, SubjectEvidence};
use takeover_harness::judge::{Bench, Judge, Outcome, Verdict};
use takeover_harness::object::Arena;

#[test]
fn judging_and_counting_a_valid_case_allocates_nothing() {
    let subject = subject(honest_reference(), rules_with_minimum(0));
    let judge = Judge::new(&subject, Matcher::new(Semantics::V1_37));
    let mut evidence = SubjectEvidence::new(subject.id.clone(), &subject.rules);
    let (arena, mut bench, case) = (Arena::new(), Bench::new(), counting(3));
    let prepared = subject.prepare(&case, &arena).unwrap();
    let mut round = |index| {
        let verdict = judge.prepared(&prepared, &mut bench);
        assert_eq!(verdict, Verdict::Compared(Outcome::AgreedAccept));
        evidence.record(Place::generated(0, index), &case, &verdict, &bench);
    };
    round(0);
    let measured = allocation_counter::measure(|| (1..100).for_each(&mut round));
    assert_eq!(measured.count_total, 0, "{measured:?}");
}
