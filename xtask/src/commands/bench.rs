//! `cargo xtask bench`: what both sides and the harness cost, and how soon planted faults are found.

use super::Format;
use crate::bench::blind::{self, Effort, Found};
use crate::bench::{self, Row, Workload, samples};
use crate::exit_code::Exit;
use crate::output;
use clap::Args;
use std::fmt::Write as _;
use std::num::NonZeroUsize;
use std::time::Duration;
use tabled::builder::Builder;
use tabled::settings::object::Columns;
use tabled::settings::{Alignment, Modify, Style};
use takeover_corpora::recorded::cases_of;
use takeover_harness::subject::SubjectId;
use takeover_oracles::registry::Registry;

/// Measures both sides and the harness on one core, on recorded objects that both sides accept; and the declarative side
/// alone, on one object of 1 KB of kinds with and without a handwritten reference.
///
/// Figures vary from machine to machine; the ratios within one run are what to compare.
///
/// With `--blind`: how many cases it takes until every planted fault is found, by the generator of a soak and by objects
/// that are filled at random by their Go types. The same seed and number of cases give the same figures on every machine.
#[derive(Args)]
#[command(after_help = Exit::after_help(&[
    "cargo xtask bench",
    "cargo xtask bench --bytes 1024 --for 20",
    "cargo xtask bench --kind CertificateSigningRequest --each",
    "cargo xtask bench --format json",
    "cargo xtask bench --blind --kind ReplicationController --cases 100000",
]))]
pub struct Bench {
    /// Only this kind.
    #[arg(long)]
    kind: Option<String>,
    /// Size of the objects in bytes of JSON, reached by an annotation.
    #[arg(long, default_value_t = 2048)]
    bytes: usize,
    /// Seconds to measure each subject for.
    #[arg(long = "for", id = "seconds", default_value_t = 10, value_name = "SECONDS")]
    seconds: u64,
    /// Also measure the handwritten side on every case alone.
    #[arg(long)]
    each: bool,
    /// Compare the generator with objects filled at random instead.
    #[arg(long, conflicts_with_all = ["bytes", "seconds", "each"])]
    blind: bool,
    /// Cases of each source for a subject.
    #[arg(long, default_value_t = 20_000, requires = "blind")]
    cases: u64,
    /// Seed of both sources.
    #[arg(long, default_value_t = 1, requires = "blind")]
    seed: u64,
    /// Threads [default: one a core].
    #[arg(long, requires = "blind")]
    jobs: Option<NonZeroUsize>,
    /// How to print the result.
    #[arg(long, value_enum, default_value_t = Format::Table)]
    format: Format,
}

impl Bench {
    /// Measures and prints.
    ///
    /// # Errors
    /// Wrong configuration.
    pub fn run(self) -> anyhow::Result<Exit> {
        if self.blind {
            return self.race();
        }
        let samples: Vec<SubjectId> = samples::kinds().filter(|id| self.asks_for(id)).collect();
        let ids = match &self.kind {
            Some(kind) if samples.is_empty() => Registry::find(kind)?,
            Some(_) => Registry::subjects().filter(|id| self.asks_for(id)).collect(),
            // Unless asked for more, the kinds that stand for small, middling and large rules.
            None => Registry::subjects().filter(|id| samples.contains(id)).collect(),
        };
        let registry = Registry::of_builtin()?;
        let subjects = ids.iter().map(|id| registry.subject(id)).collect::<Result<Vec<_>, _>>()?;
        let mut rows = Vec::new();
        for (subject, cases) in subjects.iter().map(|subject| (subject, cases_of(subject))) {
            let workload = Workload::new(subject, &cases, self.bytes);
            if workload.len() == 0 {
                eprintln!("{}: no recorded case fits {} bytes", subject.id, self.bytes);
                continue;
            }
            eprintln!("{}: {} cases, {} bytes of JSON on average", subject.id, workload.len(), workload.mean_bytes());
            rows.extend(bench::run(subject, &workload, Duration::from_secs(self.seconds), self.each));
        }
        for id in &samples {
            rows.extend(samples::run(&registry, id, Duration::from_secs(self.seconds) / 3)?);
        }
        match self.format {
            Format::Table if rows.is_empty() => {}
            Format::Table => output::print(&table(&rows))?,
            Format::Json => output::print_json(&rows)?,
        }
        Ok(if rows.is_empty() { Exit::NothingCompared } else { Exit::Ready })
    }

    fn race(self) -> anyhow::Result<Exit> {
        let ids = match &self.kind {
            Some(kind) => Registry::find(kind)?,
            None => Registry::subjects().collect(),
        };
        let jobs = self.jobs.or_else(|| std::thread::available_parallelism().ok()).unwrap_or(NonZeroUsize::MIN);
        let effort = Effort { seed: self.seed, cases: self.cases, jobs };
        let registry = Registry::of_builtin()?;
        let mut races = Vec::new();
        for id in &ids {
            races.push(blind::race(&registry.subject(id)?, effort)?);
        }
        let rows = blind::rows(&races);
        match self.format {
            Format::Table => output::print(&race_table(&rows, effort))?,
            Format::Json => output::print_json(&rows)?,
        }
        Ok(if self.cases == 0 { Exit::NothingCompared } else { Exit::Ready })
    }

    fn asks_for(&self, id: &SubjectId) -> bool {
        self.kind.as_ref().is_none_or(|kind| id.kind.eq_ignore_ascii_case(kind) || id.to_string() == *kind)
    }
}

fn table(rows: &[Row]) -> String {
    let mut builder = Builder::default();
    builder.push_record(["subject", "what", "median", "quartiles", "per second", "× decode"]);
    for row in rows {
        builder.push_record([
            row.subject.clone(),
            row.what.clone(),
            time(row.median_ns),
            format!("{} – {}", time(row.low_ns), time(row.high_ns)),
            thousands(row.per_second),
            format!("{:.3}", row.times_decode),
        ]);
    }
    let mut table = builder.build();
    table.with(Style::rounded()).with(Modify::new(Columns::new(2..)).with(Alignment::right()));
    format!("{table}\n")
}

fn race_table(rows: &[blind::Row], effort: Effort) -> String {
    let mut builder = Builder::default();
    builder.push_record([
        "kind",
        "subjects",
        "faults",
        "ours",
        "median",
        "mean",
        "blind",
        "median",
        "mean",
        "ratio",
        "≥ 10 ×",
        "≥ 100 ×",
        "≥ 1,000 ×",
        "as many",
    ]);
    for row in rows {
        let cells = |found: &Found| {
            let unseen = found.found < row.either;
            [
                grouped(found.found),
                found.median.map_or_else(|| format!("> {}", grouped(effort.cases)), thousands),
                found.geometric_mean.map_or_else(String::new, |mean| bound(unseen) + &thousands(mean)),
            ]
        };
        let mut record = vec![row.kind.clone(), row.subjects.to_string(), grouped(row.controls)];
        record.extend(cells(&row.ours));
        record.extend(cells(&row.blind));
        record.push(row.ratio.map_or_else(String::new, |ratio| bound(row.at_least) + &thousands(ratio)));
        record.extend(row.slower.map(grouped));
        record.push(row.same.map_or_else(String::new, |same| format!("{} ×", thousands(same.ratio()))));
        builder.push_record(record);
    }
    let mut table = builder.build();
    table.with(Style::rounded()).with(Modify::new(Columns::new(1..)).with(Alignment::right()));
    format!(
        "{table}\nCases until a planted fault is found, over the faults that either source found: median and geometric mean. `≥`, `>`: \
         some were not\nfound in {} cases a subject, and count as found by the next. `≥ 100 ×`: faults for which the blind source \
         took 100 times as many\ncases. `as many`: how many times as many cases it took to find as many faults as it ever found. \
         Seed {}.\n",
        grouped(effort.cases),
        effort.seed,
    )
}

fn bound(is_bound: bool) -> String {
    if is_bound { "≥ ".to_owned() } else { String::new() }
}

fn time(ns: f64) -> String {
    if ns < 1_000.0 { format!("{ns:.0} ns") } else { format!("{:.2} µs", ns / 1_000.0) }
}

fn thousands(value: f64) -> String {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a rate for people")]
    grouped(value.max(0.0) as u64)
}

fn grouped(number: impl std::fmt::Display) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        let _ = write!(out, "{digit}");
    }
    out
}

#[cfg(test)]
mod tests {
    use super::{thousands, time};

    #[test]
    fn figures_are_printed_for_people() {
        assert_eq!((time(312.4).as_str(), time(1_234.0).as_str()), ("312 ns", "1.23 µs"));
        assert_eq!((thousands(999.9).as_str(), thousands(1_234_567.0).as_str()), ("999", "1,234,567"));
    }
}
