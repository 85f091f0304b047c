//! What `bench` prints for people.

use crate::figures::{thousands, time};
use tabled::builder::Builder;
use tabled::settings::object::Columns;
use tabled::settings::{Alignment, Modify, Style};
use takeover_engine::bench::Row;
use takeover_engine::bench::against::Against;
use takeover_engine::bench::blind::{self, Effort, FaultsFound};
use takeover_engine::bench::replay::Replayed;
use takeover_reports::grouped;

/// The speedup of this build over another one.
pub(super) fn against_table(against: &Against) -> String {
    let mut builder = Builder::default();
    builder.push_record(["subject", "what", "before", "after", "speedup", "lowest – highest"]);
    for line in &against.lines {
        builder.push_record([
            line.subject.clone(),
            line.what.clone(),
            time(line.before_ns),
            time(line.after_ns),
            format!("{:.3}", line.ratio),
            format!("{:.3} – {:.3}", line.spread.0, line.spread.1),
        ]);
    }
    let mut table = builder.build();
    table.with(Style::rounded()).with(Modify::new(Columns::new(2..)).with(Alignment::right()));
    let mut text = format!("{table}\nMedians of {} rounds.\n", against.rounds);
    for (lines, of) in [(&against.only_before, "the other build"), (&against.only_after, "this build")] {
        for line in lines {
            text.push_str(&format!("{line}: measured by {of} only\n"));
        }
    }
    text
}

pub(super) fn table(rows: &[Row]) -> String {
    let mut builder = Builder::default();
    let has_copies = rows.iter().any(|row| row.times_copy.is_some());
    let columns = ["subject", "what", "median", "quartiles", "fastest", "per second", "× decode", "× copy"];
    builder.push_record(columns.into_iter().take(if has_copies { columns.len() } else { columns.len() - 1 }));
    for row in rows {
        let times_copy = row.times_copy.map_or_else(String::new, |times| format!("{times:.3}"));
        let cells = [
            row.subject.clone(),
            row.what.clone(),
            time(row.median_ns),
            format!("{} – {}", time(row.low_ns), time(row.high_ns)),
            time(row.least_ns),
            thousands(row.per_second),
            format!("{:.3}", row.times_decode),
        ];
        builder.push_record(cells.into_iter().chain(has_copies.then_some(times_copy)));
    }
    let mut table = builder.build();
    table.with(Style::rounded()).with(Modify::new(Columns::new(2..)).with(Alignment::right()));
    format!("{table}\n")
}

pub(super) fn replay_text(replayed: &Replayed) -> String {
    let mut builder = Builder::default();
    builder.push_record(["what", "an object", "× parsing"]);
    for (what, ns) in [
        ("parsing alone", replayed.parsing_ns),
        ("parsing, and making cases", replayed.loading_ns),
        ("the whole replay", replayed.replay_ns),
    ] {
        builder.push_record([what.to_owned(), time(ns), format!("{:.2}", ns / replayed.parsing_ns)]);
    }
    let mut table = builder.build();
    table.with(Style::rounded()).with(Modify::new(Columns::new(1..)).with(Alignment::right()));
    let names = if replayed.distinct { ", each with its own name" } else { "" };
    let memory = match (replayed.first_kib, replayed.peak_kib) {
        (Some(first), Some(peak)) => {
            format!("At most {} KiB of memory, {} KiB of them after the first chunk.\n", grouped(peak), grouped(first))
        }
        _ => String::new(),
    };
    format!(
        "{} objects in {} of {} bytes, {} different ones in the file{names}; {} cases compared.\n{table}\n{memory}",
        grouped(replayed.objects),
        replayed.form,
        grouped(replayed.bytes),
        grouped(replayed.of as u64),
        grouped(replayed.compared),
    )
}

pub(super) fn race_table(rows: &[blind::Row], effort: Effort) -> String {
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
        let cells = |found: &FaultsFound| {
            let unseen = found.found < row.either;
            [
                grouped(found.found as u64),
                found.median.map_or_else(|| format!("> {}", grouped(effort.cases)), thousands),
                found.geometric_mean.map_or_else(String::new, |mean| bound(unseen) + &thousands(mean)),
            ]
        };
        let mut record = vec![row.kind.clone(), grouped(row.subjects as u64), grouped(row.controls as u64)];
        record.extend(cells(&row.ours));
        record.extend(cells(&row.blind));
        record.push(row.ratio.map_or_else(String::new, |ratio| bound(row.at_least) + &thousands(ratio)));
        record.extend(row.slower.map(|slower| grouped(slower as u64)));
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
