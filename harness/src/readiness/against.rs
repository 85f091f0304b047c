//! What speaks against a rule or a pair under one operation, told by cause.

use super::criterion::Criterion;
use super::stand::{Disagreement, Stand};
use super::words::Words;
use crate::case::Operation;
use crate::compare::{Cause, Direction, Signature};
use crate::text::{grouped, plural};
use std::collections::{BTreeMap, BTreeSet};

/// Cases on which the two sides disagree, by direction.
pub(super) struct Disagreed {
    pub(super) missing: u64,
    pub(super) extra: u64,
    pub(super) differs: u64,
}

impl Disagreed {
    pub(super) fn all(&self) -> u64 {
        self.missing + self.extra + self.differs
    }

    fn of(&self, direction: Direction) -> u64 {
        match direction {
            Direction::Missing => self.missing,
            Direction::Extra => self.extra,
            Direction::Differs => self.differs,
        }
    }
}

/// What speaks against a rule or a pair under one operation.
pub(super) struct Against {
    /// A criterion for each direction, or for each cause where it is known.
    pub(super) criteria: Vec<Criterion>,
    /// Cases that nobody has decided about.
    pub(super) open: u64,
    /// Cases that exceptions excuse.
    pub(super) excused: u64,
    /// What a verdict that is ready has to say of the rest.
    pub(super) notes: Vec<String>,
}

/// Tells what speaks against something under an operation. `complete` says that the findings are all that there are: otherwise none
/// of them is taken to be decided about.
pub(super) fn against(
    operation: Operation,
    counts: &Disagreed,
    findings: &[Disagreement<'_>],
    complete: bool,
    words: &Words,
) -> Against {
    let mut found = Against { criteria: Vec::new(), open: 0, excused: 0, notes: Vec::new() };
    for direction in Direction::ALL {
        let of_direction =
            |of: &&Disagreement<'_>| of.signature.operation == operation && of.signature.direction == direction;
        let mut groups: BTreeMap<_, Vec<&Disagreement<'_>>> = BTreeMap::new();
        for finding in findings.iter().filter(of_direction).filter(|_| complete) {
            groups.entry((finding.signature.cause, rank(finding.stand))).or_default().push(finding);
        }
        if groups.is_empty() {
            let count = counts.of(direction);
            if count > 0 || direction != Direction::Differs {
                let said = words.counted(count, operation, direction);
                found.open += count;
                found.add(direction.to_string(), operation, count == 0, said, words.remedy(direction, None));
            }
        }
        for ((cause, _), group) in groups {
            found.add_group(operation, direction, cause, &group, counts, words);
        }
    }
    found.open = found.open.min(counts.all());
    found.excused = found.excused.min(counts.all());
    found
}

impl Against {
    fn add(&mut self, name: String, operation: Operation, met: bool, found: String, remedy: String) {
        let remedy = if met { String::new() } else { remedy };
        self.criteria.push(Criterion { name, operation: Some(operation), met, blocking: true, found, remedy });
    }

    fn add_group(
        &mut self,
        operation: Operation,
        direction: Direction,
        cause: Option<Cause>,
        group: &[&Disagreement<'_>],
        counts: &Disagreed,
        words: &Words,
    ) {
        let Some(stand) = group.first().map(|of| of.stand) else { return };
        let sum = |count: fn(&Disagreement<'_>) -> u64| group.iter().map(|of| count(of)).sum::<u64>();
        // A case with several findings is one case.
        let cases = sum(|of| of.seen.cases).min(counts.all());
        let deciding = sum(|of| of.seen.deciding).min(cases);
        let stopped_by: BTreeSet<_> = group.iter().flat_map(|of| &of.seen.stopped_by).collect();
        let why = words.why_by(direction, cause, &stopped_by.into_iter().collect::<Vec<_>>());
        let passes = cause == Some(Cause::Ratchets) && matches!(stand, Stand::Tolerated(_) | Stand::Reported(_));
        let mut said = match why {
            _ if passes && cases == 1 => "updates that keep a bad value will pass: 1 case ratchets".to_owned(),
            _ if passes => format!("updates that keep a bad value will pass: {} cases ratchet", grouped(cases)),
            Some(why) => format!("{operation}: {} in which {why}", plural(cases, "case")),
            None => words.counted(cases, operation, direction),
        };
        if cause.is_some() {
            said += &format!(" ({})", words.decision(cases, deciding));
        }
        match stand {
            Stand::Blocking => {}
            Stand::Reported(reason) => said += &format!(", reported: {reason}"),
            Stand::Tolerated(reason) => said += &format!(", tolerated: {reason}"),
            Stand::Excused => said += ", excused",
            Stand::BroughtAlong(root) => said += &format!(", brought along by `{}`", root.difference()),
        }
        match stand {
            Stand::Blocking => self.open += cases,
            Stand::Excused => self.excused += cases,
            Stand::Reported(_) | Stand::Tolerated(_) | Stand::BroughtAlong(_) => self.notes.push(said.clone()),
        }
        let name = cause.map_or_else(|| direction.to_string(), |cause| cause.to_string());
        self.add(name, operation, stand != Stand::Blocking, said, words.remedy(direction, cause));
    }
}

/// Tells stands apart without their reasons: findings of one cause that stand alike are told together.
fn rank(stand: Stand<'_>) -> (u8, Option<&Signature>) {
    match stand {
        Stand::Blocking => (0, None),
        Stand::Reported(_) => (1, None),
        Stand::Tolerated(_) => (2, None),
        Stand::Excused => (3, None),
        Stand::BroughtAlong(root) => (4, Some(root)),
    }
}
