//! The annotations of a report.

use super::command::{Annotation, Place};
use crate::markdown::code;
use crate::model::Report;
use crate::place::places;
use crate::sarif::Level;
use crate::sides::difference;
use crate::summary::{Tally, counted};
use crate::text::{command_line, shown};
use std::fmt::Write as _;

/// Most characters of a step's summary: GitHub takes a mebibyte of bytes.
pub const SUMMARY: usize = 250_000;

/// GitHub shows this many annotations of a level per step.
const SHOWN: usize = 10;

/// An error for each of the first findings at the tag that it is laid to, then how many there are; a line each. Of findings that
/// always occur together, the first.
#[must_use]
pub fn annotations(report: &Report) -> String {
    let mut out = String::new();
    let firsts = report.subjects.iter().flat_map(|subject| {
        let firsts = subject.findings.iter().filter(|finding| finding.cluster == finding.number);
        firsts.map(move |finding| (subject, finding))
    });
    // The last place is kept for the rest.
    let all = firsts.clone().count();
    let shown_here = if all > SHOWN { SHOWN - 1 } else { all };
    for (subject, finding) in firsts.take(shown_here) {
        let mut message = format!("{} × {}", finding.count, shown(&finding.signature));
        if let Some(case) = &finding.case {
            for line in difference(case) {
                let _ = write!(message, "\n{} {}", line.reporter.sign(), line.text);
            }
        }
        if let Some(command) = &finding.reproduce {
            let _ = write!(message, "\nagain: {}", command_line(command));
        }
        let place = places(subject, finding).next().map(|(file, line)| Place { file, line, columns: None });
        let title = format!("finding {}", finding.number);
        let _ = writeln!(out, "{}", Annotation { level: Level::Error, title: &title, place, message: &message });
    }
    let mut say = |level, title: &str, message: &str| {
        let _ = writeln!(out, "{}", Annotation { level, title, place: None, message });
    };
    if all > shown_here {
        let more = counted((all - shown_here) as u64, "more finding");
        say(Level::Error, "findings", &format!("{more}: see the summary of the step"));
    }
    let tally = Tally::of(&report.subjects);
    let summary = format!(
        "{} of {} may take over; {} blocked, {} short of evidence",
        tally.ready,
        counted(tally.rules as u64, "rule"),
        tally.blocked,
        tally.insufficient
    );
    say(Level::Note, "takeover", &summary);
    if !report.missing_shards.is_empty() {
        let missing = code(&report.missing_shards.join(", "));
        say(Level::Warning, "partial", &format!("without shard {missing}"));
    }
    out
}
