//! A sound validator compared with itself, and each faulty one with the sound one on the first case that shows its fault.

use super::{FoundFault, Tally};
use takeover_corpora::generate::Generator;
use takeover_harness::compare::{Comparator, Difference};
use takeover_harness::control::{Control, Controls, Exposure};
use takeover_harness::judge::{CaseRecord, Judge, Judgement};
use takeover_harness::object::Arena;
use takeover_harness::oracle::{Answer, Oracle};
use takeover_harness::pair::Pair;

/// Faulty candidates.
pub(super) trait Planted {
    /// All of them.
    fn controls(&self) -> &dyn Controls;

    /// The candidate with a fault, by its place in the catalogue, and whether only the text of errors shows it.
    fn faulty(&self, index: usize) -> Option<(Box<dyn Oracle>, bool)>;

    /// Where a fault is planted, and what it is.
    fn named(&self, fault: &Control) -> String;
}

/// Compares over `cases` generated cases. `sound` has the same validator on both sides, and so has `faulty`, into which the faults are put.
pub(super) fn compare(
    planted: &dyn Planted,
    (sound, mut faulty): (&Pair, Pair),
    (cases, seed): (u64, u64),
    exposure: &mut Exposure,
    tally: &mut Tally,
) {
    let controls = planted.controls();
    let judge = Judge::new(sound).without_causes();
    let generator = Generator::of(sound, Vec::new(), seed);
    let (mut arena, mut record) = (Arena::new(), CaseRecord::new());
    let chunks = (0_u64..).flat_map(|number| generator.chunk(number, seed.wrapping_add(number)));
    for generated in chunks.take(usize::try_from(cases).unwrap_or(usize::MAX)) {
        let verdict = judge.case_then(&generated.case, &mut arena, &mut record, |prepared, _| {
            controls.judge(&prepared.question, &prepared.views.candidate, &Answer::new(), exposure);
        });
        if matches!(verdict, Judgement::Compared(_)) {
            tally.same += 1;
            tally.disagreed += u64::from(!record.differences.is_empty() || !record.panics.is_empty());
        }
        for index in exposure.fresh() {
            let Some(fault) = controls.catalogue().get(index) else { continue };
            let Some((oracle, by_text)) = planted.faulty(index) else { continue };
            faulty.candidate = oracle;
            faulty.comparator = if by_text { Comparator::Verbatim } else { sound.comparator.clone() };
            let _ = Judge::new(&faulty).without_causes().case(&generated.case, &mut arena, &mut record);
            let at_rule = record.differences.iter().find(|difference| difference.rules.contains(&fault.rule));
            match at_rule.or(record.differences.first()) {
                Some(Difference { direction, what, .. }) => {
                    tally.attributed += u64::from(at_rule.is_some());
                    tally.elsewhere += u64::from(at_rule.is_none());
                    let found = format!("{direction} {what}");
                    tally.found.push(FoundFault { fault: planted.named(fault), found });
                }
                None => tally.unseen.push(format!("{}, on {}", planted.named(fault), generated.case.provenance)),
            }
        }
        if exposure.is_closed() {
            break;
        }
    }
}

/// Counts the faults that no case showed.
pub(super) fn survivors(planted: &dyn Planted, exposure: &Exposure, tally: &mut Tally) {
    for (index, fault) in planted.controls().catalogue().iter().enumerate() {
        if fault.equivalent.is_none() && !exposure.contains(index) {
            *tally.unshown.entry(planted.named(fault)).or_default() += 1;
        }
    }
}
