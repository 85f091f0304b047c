//! What is said beside the patch, for people.

use super::model::{ExcusedFinding, MovedLine, PromotionReport, StayingLine, TwinCheck};
use crate::run::Level;
use std::fmt::Write as _;

/// The lines that move, the handwritten checks that may go, and why the other lines stay.
#[must_use]
pub fn text(report: &PromotionReport) -> String {
    let mut out = String::new();
    let (from, to) = (report.from.name(), report.to.name());
    let _ = writeln!(out, "from {from} to {to}: {}", report.moved.len());
    for MovedLine { at, rule, exceptions, .. } in &report.moved {
        let _ = writeln!(out, "  {at} {rule}");
        if !exceptions.is_empty() {
            out.push_str("    rests on exceptions\n");
            excused(&mut out, exceptions);
        }
    }
    if report.to == Level::Stable {
        let (gone, kept): (Vec<&TwinCheck>, Vec<&TwinCheck>) = report.checks.iter().partition(|of| of.deletable);
        let _ = writeln!(out, "handwritten checks that may be deleted with it: {}", gone.len());
        for of in gone {
            let _ = writeln!(out, "  {}", of.check);
        }
        let _ = writeln!(out, "handwritten checks that are still needed: {}", kept.len());
        for of in kept {
            let _ = writeln!(out, "  {}\n    {}", of.check, of.needed_by.as_deref().unwrap_or_default());
        }
    } else if !report.moved.is_empty() {
        let _ = writeln!(out, "keep the handwritten checks, marked as covered, until their rules are stable");
    }
    if !report.idle.is_empty() {
        let idle = report.idle.len();
        let _ = writeln!(
            out,
            "left out: {idle} that replace no handwritten check, such as `optional`; --all moves them too"
        );
    }
    let _ = writeln!(out, "staying at {from}: {}", report.stay.len());
    for StayingLine { at, rule, because, exceptions } in &report.stay {
        let _ = writeln!(out, "  {at} {rule}\n    {}", because.replace('\n', " "));
        excused(&mut out, exceptions);
    }
    if report.unjudged > 0 {
        let _ = writeln!(out, "in files that the run did not judge: {}", report.unjudged);
    }
    out
}

fn excused(out: &mut String, findings: &[ExcusedFinding]) {
    for finding in findings {
        let _ = writeln!(out, "      {}", finding.said());
    }
}
