//! The chart of checks by kind as horizontal bars, drawn as SVG.

use crate::numbers::grouped;
use crate::run::answer::Answer;
use crate::run::kinds::summaries;
use crate::run::model::RunReport;
use crate::text::shown;

/// Width of a bar in its own units, which the page stretches.
pub(super) const WIDTH: usize = 1000;

/// A kind: what is known of its checks that have a rule.
pub(super) struct Bar {
    pub(super) kind: String,
    pub(super) value: String,
    pub(super) segments: Vec<Segment>,
}

/// A part of a bar.
pub(super) struct Segment {
    pub(super) class: &'static str,
    pub(super) x: usize,
    pub(super) width: usize,
    pub(super) title: String,
}

/// The parts one behind the other; what is not nothing shows.
fn segments(whole: usize, parts: impl IntoIterator<Item = (&'static str, usize, String)>) -> Vec<Segment> {
    let scale = |size: usize| {
        let width = size as u128 * WIDTH as u128 / whole.max(1) as u128;
        usize::try_from(width).unwrap_or(WIDTH).min(WIDTH)
    };
    let mut before = 0;
    let mut segments = Vec::new();
    for (class, size, title) in parts {
        let (x, end) = (scale(before), scale(before + size));
        before += size;
        if size > 0 {
            segments.push(Segment { class, x: x.min(WIDTH - 1), width: end.saturating_sub(x).max(1), title });
        }
    }
    segments
}

/// A bar for each kind with a check that has a rule, the most checks first; none for a single kind, which the sums above show.
pub(super) fn bars(report: &RunReport) -> Vec<Bar> {
    const WITH_RULE: [Answer; 3] = [Answer::MayGo, Answer::MayNot, Answer::NeedsEvidence];
    let mut kinds: Vec<_> = summaries(report).filter(|(_, of)| of.checks.with_rule > 0).collect();
    if kinds.len() < 2 {
        return Vec::new();
    }
    kinds.sort_by_key(|(_, of)| std::cmp::Reverse(of.checks.with_rule));
    let bar = |(kind, of): (&str, crate::run::answer::Summary)| {
        let sums = &of.checks;
        let part = |answer: Answer| {
            let count = sums.with(answer);
            (answer.name(), count, format!("{} {}", grouped(count as u64), answer.label()))
        };
        let value = format!("{} of {}", grouped(sums.may_go as u64), grouped(sums.with_rule as u64));
        Bar { kind: shown(kind), value, segments: segments(sums.with_rule, WITH_RULE.map(part)) }
    };
    kinds.into_iter().map(bar).collect()
}

#[cfg(test)]
mod tests {
    use super::{WIDTH, segments};

    #[test]
    fn segments_fill_the_bar_and_small_ones_still_show() {
        for sizes in [[1, 1, 1], [1_000_000, 1, 0], [0, 0, usize::MAX / 2], [0, 0, 0]] {
            let segments = segments(sizes.iter().sum(), sizes.map(|size| ("c", size, String::new())));
            assert_eq!(segments.len(), sizes.iter().filter(|size| **size > 0).count());
            for segment in &segments {
                assert!(segment.width > 0 && segment.x + segment.width <= WIDTH, "{sizes:?}");
            }
        }
    }
}
