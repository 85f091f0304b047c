//! Charts as horizontal bars, drawn as SVG.

use crate::numbers::{grouped, percent};
use crate::run::model::RunReport;
use crate::run::summary::{VerdictKind, tallies};
use crate::text::shown;

/// Width of a chart in its own units, which the page stretches.
pub(super) const WIDTH: usize = 420;

/// Height of a bar with its label.
const ROW: usize = 30;

/// A chart.
pub(super) struct Chart {
    pub(super) title: &'static str,
    pub(super) note: &'static str,
    pub(super) bars: Vec<Bar>,
    pub(super) height: usize,
}

/// A bar with its label above.
pub(super) struct Bar {
    pub(super) label: String,
    pub(super) value: String,
    pub(super) label_y: usize,
    pub(super) bar_y: usize,
    pub(super) segments: Vec<Segment>,
}

/// A part of a bar.
pub(super) struct Segment {
    pub(super) class: &'static str,
    pub(super) x: usize,
    pub(super) width: usize,
    pub(super) title: String,
}

/// Parts of a bar: class, size and title.
type Parts = Vec<(&'static str, u64, String)>;

fn chart(title: &'static str, note: &'static str, bars: Vec<(String, String, u64, Parts)>) -> Chart {
    let bars: Vec<Bar> = bars
        .into_iter()
        .enumerate()
        .map(|(index, (label, value, whole, parts))| {
            let top = index * ROW;
            Bar { label, value, label_y: top + 12, bar_y: top + 17, segments: segments(whole, parts) }
        })
        .collect();
    Chart { title, note, height: bars.len() * ROW, bars }
}

/// The parts one behind the other; what is not nothing shows.
fn segments(whole: u64, parts: Parts) -> Vec<Segment> {
    let scale = |size: u64| {
        let width = u128::from(size) * WIDTH as u128 / u128::from(whole.max(1));
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

/// The three charts of a report.
pub(super) fn charts(report: &RunReport) -> Vec<Chart> {
    vec![ready(report), cases(report), kills(report)]
}

fn ready(report: &RunReport) -> Chart {
    let bars = tallies(report).filter_map(|(kind, tally)| {
        // Rules that never see a value here are decided about elsewhere.
        let whole = (tally.ready + tally.blocked + tally.insufficient) as u64;
        let part = |standing: VerdictKind| {
            let count = tally.with(standing) as u64;
            (standing.name(), count, format!("{count} {}", standing.label()))
        };
        let parts = [VerdictKind::Ready, VerdictKind::Blocked, VerdictKind::Insufficient].map(part).into();
        let value = format!("{} of {whole} ready", tally.ready);
        (whole > 0).then(|| (shown(kind), value, whole, parts))
    });
    chart("Share of rules that are ready, by kind", "Rules out of reach are left out.", bars.collect())
}

fn kills(report: &RunReport) -> Chart {
    let bars = tallies(report).filter_map(|(kind, tally)| {
        let value = format!("{} ({} of {})", percent(tally.exposed, tally.faults), tally.exposed, tally.faults);
        let survived = tally.faults.saturating_sub(tally.exposed);
        let parts = vec![
            ("ready", tally.exposed, format!("{} exposed", tally.exposed)),
            ("blocked", survived, format!("{survived} survived")),
        ];
        (tally.faults > 0).then(|| (shown(kind), value, tally.faults, parts))
    });
    let note = "Kill rate: a fault that no case exposed could stand in the rule without anybody noticing.";
    chart("Planted faults that the cases exposed, by kind", note, bars.collect())
}

/// Lower ends of the classes of numbers of cases.
const STEPS: [u64; 7] = [0, 1, 10, 100, 1_000, 10_000, 100_000];

fn cases(report: &RunReport) -> Chart {
    let rules = report.headline().flat_map(|subject| &subject.fields).flat_map(|field| &field.rules);
    let mut counts = [0_u64; STEPS.len()];
    for rule in rules {
        let compared = rule.create.compared + rule.update.compared;
        let class = STEPS.iter().rposition(|step| compared >= *step).unwrap_or(0);
        if let Some(count) = counts.get_mut(class) {
            *count += 1;
        }
    }
    let most = counts.iter().copied().max().unwrap_or(0);
    let bars = STEPS.iter().enumerate().zip(counts).map(|((index, step), count)| {
        let label = match (*step, STEPS.get(index + 1)) {
            (0, _) => "no case".to_owned(),
            (_, Some(next)) => format!("{} to {} cases", grouped(*step), grouped(next - 1)),
            (_, None) => format!("{} cases and more", grouped(*step)),
        };
        (label, count.to_string(), most, vec![("plain", count, format!("{count} rules"))])
    });
    chart("Compared cases per rule", "Rules by the number of cases that put them to the test.", bars.collect())
}

#[cfg(test)]
mod tests {
    use super::{WIDTH, segments};

    #[test]
    fn segments_fill_the_bar_and_small_ones_still_show() {
        let parts = |sizes: [u64; 3]| sizes.map(|size| ("c", size, String::new())).into();
        for sizes in [[1, 1, 1], [1_000_000, 1, 0], [0, 0, u64::MAX / 2], [0, 0, 0]] {
            let segments = segments(sizes.iter().sum(), parts(sizes));
            assert_eq!(segments.len(), sizes.iter().filter(|size| **size > 0).count());
            for segment in &segments {
                assert!(segment.width > 0 && segment.x + segment.width <= WIDTH, "{sizes:?}");
            }
        }
    }
}
