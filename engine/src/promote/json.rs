//! What promote decides, for machines.

use super::decide::Promotion;
use super::excused::OnException;
use super::lines::{At, Line};
use super::step::Step;
use super::twins::Deletable;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// Version of the form; within it, fields are only ever added.
const FORMAT_VERSION: u32 = 1;

/// Everything that is decided.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Decided<'d> {
    format_version: u32,
    /// The level of the lines.
    from: &'static str,
    /// The level that they move to.
    to: &'static str,
    /// Lines that move.
    moved: Vec<Moved<'d>>,
    /// Lines that stay.
    stay: Vec<Stays<'d>>,
    /// Handwritten checks that report the same as rules that become stable.
    checks: Vec<Twin<'d>>,
    /// Lines of the level in files of which the run judged nothing.
    unjudged: usize,
    /// The unified diff; empty if nothing moves.
    patch: &'d str,
}

#[derive(Serialize)]
struct Moved<'d> {
    file: &'d str,
    line: u32,
    /// The tag in its wrapper, as reports write it.
    rule: &'d str,
    /// What the line says behind its `+`.
    before: &'d str,
    /// What it will say.
    after: &'d str,
    /// The excused findings that it rests on.
    exceptions: Vec<OnException<'d>>,
}

#[derive(Serialize)]
struct Stays<'d> {
    file: &'d str,
    line: u32,
    rule: &'d str,
    because: &'d str,
    /// The excused findings of its rules.
    exceptions: Vec<OnException<'d>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Twin<'d> {
    /// Group and kind, and the error that it reports.
    check: &'d str,
    /// Whether it may be deleted.
    deletable: bool,
    /// What still needs it.
    needed_by: Option<&'d str>,
}

impl<'d> Decided<'d> {
    /// The form of a promotion.
    pub fn of(
        lines: &'d BTreeMap<At, Line>,
        promotion: &'d Promotion<'d>,
        checks: &'d BTreeSet<Deletable>,
        step: Step,
        patch: &'d str,
    ) -> Self {
        let line = |at: &At| lines.get(at);
        let rule = |at: &At| lines.get(at).map_or("", |line| line.chain.as_str());
        let exceptions = |at: &At| -> Vec<OnException<'d>> {
            promotion.exceptions.get(at).into_iter().flat_map(BTreeMap::values).copied().collect()
        };
        let before = |at: &At| line(at).map_or("", |line| line.text.as_str());
        Self {
            format_version: FORMAT_VERSION,
            from: step.from().name(),
            to: step.to().name(),
            moved: promotion
                .moved
                .iter()
                .map(|(at, after)| Moved {
                    file: &at.0,
                    line: at.1,
                    rule: rule(at),
                    before: before(at),
                    after,
                    exceptions: exceptions(at),
                })
                .collect(),
            stay: promotion
                .stay
                .iter()
                .map(|(at, because)| Stays {
                    file: &at.0,
                    line: at.1,
                    rule: rule(at),
                    because,
                    exceptions: exceptions(at),
                })
                .collect(),
            checks: checks
                .iter()
                .map(|of| Twin { check: &of.check, deletable: of.needed.is_none(), needed_by: of.needed.as_deref() })
                .collect(),
            unjudged: promotion.unjudged,
            patch,
        }
    }
}
