//! A load test for people.

use super::{LoadReport, Measured};
use crate::figures::{thousands, time};
use std::collections::BTreeMap;
use tabled::builder::Builder;
use tabled::settings::object::Columns;
use tabled::settings::{Alignment, Modify, Style};
use takeover_reports::grouped;

/// Points of the memory curve that are shown.
const POINTS: usize = 10;

/// The report as a table, with what else there is to say below it.
pub fn table(report: &LoadReport) -> String {
    let mut builder = Builder::default();
    builder.push_record(["", "shadow", "answers only", "ratio"]);
    let both = [&report.shadow, &report.baseline];
    let mut row = |what: &str, of: &dyn Fn(&Measured) -> String, ratio: String| {
        let [shadow, baseline] = both.map(of);
        builder.push_record([what.to_owned(), shadow, baseline, ratio]);
    };
    row("reviews a second", &|of| thousands(of.per_second), format!("{:.2}", report.ratio()));
    row("answered", &|of| grouped(of.answered), String::new());
    row("wrong or missing answers", &|of| grouped(of.failed.values().sum::<u64>()), String::new());
    row("due, not sent", &|of| grouped(of.unsent), String::new());
    for (from, of) in [("due", Measured::due as fn(&Measured) -> _), ("sent", Measured::sent)] {
        for (name, at) in [("p50", 0), ("p90", 1), ("p99", 2), ("p99.9", 3), ("longest", 4)] {
            let value = |measured: &Measured| of(measured).get(at).copied().unwrap_or(f64::NAN);
            let [shadow, baseline] = both.map(value);
            row(&format!("{name} since {from}"), &|of| micros(value(of)), format!("{:.2}", shadow / baseline));
        }
    }
    let threads: BTreeMap<&str, ()> =
        both.iter().flat_map(|of| of.cpu.keys()).map(|name| (name.as_str(), ())).collect();
    for name in threads.into_keys() {
        let of_thread = |measured: &Measured| measured.cpu.get(name).copied().unwrap_or_default();
        if both.iter().any(|measured| of_thread(measured) >= 0.1) {
            row(&format!("processor a review, {name}"), &|of| micros(of_thread(of)), String::new());
        }
    }
    let memory = |of: &Measured| of.memory.as_ref().map_or_else(String::new, |memory| mebibytes(memory.highest));
    row("most memory", &memory, String::new());
    let mut table = builder.build();
    table.with(Style::rounded()).with(Modify::new(Columns::new(1..)).with(Alignment::right()));
    format!("{table}\n{}", below(report))
}

fn below(report: &LoadReport) -> String {
    let pace = match report.rate {
        Some(rate) => format!("{} a second", thousands(rate)),
        None => "each as soon as the one before it was answered".to_owned(),
    };
    let mut text = format!(
        "Reviews of {} bytes on {} connections, {pace}, for {:.0} s.\n",
        grouped(report.review_bytes as u64),
        grouped(report.connections as u64),
        report.shadow.seconds
    );
    let counted = &report.counted;
    for (what, counts) in
        [("reviews", &counted.requests), ("answers", &counted.answers), ("queued reviews", &counted.work)]
    {
        let counts: Vec<String> = counts.iter().map(|(name, count)| format!("{} {name}", grouped(*count))).collect();
        text.push_str(&format!("{what}: {}\n", counts.join(", ")));
    }
    text.push_str(&format!(
        "waiting at the end: {}, compared {:.2} s later; cases in the evidence: {}\n",
        grouped(counted.queue_at_end),
        counted.drained_in,
        grouped(counted.comparisons)
    ));
    if let Some(memory) = &report.shadow.memory {
        let step = memory.curve.len().div_ceil(POINTS).max(1);
        let curve: Vec<String> = memory.curve.iter().step_by(step).map(|kib| mebibytes(*kib)).collect();
        text.push_str(&format!(
            "memory: {} to {}, second quarter {}, last quarter {}; every {:.0} s: {}\n",
            mebibytes(memory.lowest),
            mebibytes(memory.highest),
            mebibytes(memory.second_quarter),
            mebibytes(memory.last_quarter),
            memory.every * f64::from(u32::try_from(step).unwrap_or(u32::MAX)),
            curve.join(", ")
        ));
    }
    for (of, measured) in [("shadow", &report.shadow), ("answers only", &report.baseline)] {
        for (fault, count) in &measured.failed {
            text.push_str(&format!("FAILED  {of}: {} × {fault}\n", grouped(*count)));
        }
    }
    for sum in &report.unbalanced {
        text.push_str(&format!("FAILED  {sum}\n"));
    }
    text
}

impl Measured {
    fn due(&self) -> [f64; 5] {
        let of = self.from_due;
        [of.p50, of.p90, of.p99, of.p999, of.max]
    }

    fn sent(&self) -> [f64; 5] {
        let of = self.from_sent;
        [of.p50, of.p90, of.p99, of.p999, of.max]
    }
}

fn micros(micros: f64) -> String {
    if micros < 10_000.0 { time(micros * 1e3) } else { format!("{:.1} ms", micros / 1e3) }
}

fn mebibytes(kib: u64) -> String {
    #[expect(clippy::cast_precision_loss, reason = "memory of a process")]
    let mib = kib as f64 / 1024.0;
    format!("{mib:.1} MiB")
}
