//! What is said beside the patch, for people.

use super::decide::Promotion;
use super::lines::{At, Line};
use super::step::Step;
use super::twins::Deletable;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use takeover_reports::Level;

/// The lines that move, the handwritten checks that may go, and why the other lines stay.
pub fn render(
    lines: &BTreeMap<At, Line>,
    promotion: &Promotion<'_>,
    deletable: &BTreeSet<Deletable>,
    step: Step,
) -> String {
    let mut out = String::new();
    let (from, to) = (step.from().name(), step.to().name());
    let chain = |at: &At| lines.get(at).map_or("", |line| line.chain.as_str());
    let exceptions = |out: &mut String, at: &At| {
        for excused in promotion.exceptions.get(at).into_iter().flat_map(BTreeMap::values) {
            let _ = writeln!(out, "      {}", excused.said());
        }
    };
    let _ = writeln!(out, "from {from} to {to}: {}", promotion.moved.len());
    for at in promotion.moved.keys() {
        let _ = writeln!(out, "  {}:{} {}", at.0, at.1, chain(at));
        if promotion.exceptions.contains_key(at) {
            out.push_str("    rests on exceptions\n");
            exceptions(&mut out, at);
        }
    }
    if step.to() == Level::Stable {
        let (kept, gone): (Vec<_>, Vec<_>) = deletable.iter().partition(|of| of.needed.is_some());
        let _ = writeln!(out, "handwritten checks that may be deleted with it: {}", gone.len());
        for of in gone {
            let _ = writeln!(out, "  {}", of.check);
        }
        let _ = writeln!(out, "handwritten checks that are still needed: {}", kept.len());
        for of in kept {
            let _ = writeln!(out, "  {}\n    {}", of.check, of.needed.as_deref().unwrap_or_default());
        }
    } else if !promotion.moved.is_empty() {
        let _ = writeln!(out, "handwritten checks stay, covered, until their rules are stable");
    }
    let _ = writeln!(out, "staying at {from}: {}", promotion.stay.len());
    for (at, why) in &promotion.stay {
        let _ = writeln!(out, "  {}:{} {}\n    {}", at.0, at.1, chain(at), why.replace('\n', " "));
        exceptions(&mut out, at);
    }
    if promotion.unjudged > 0 {
        let _ = writeln!(out, "in files of which the run judged nothing: {}", promotion.unjudged);
    }
    out
}
