//! What a corpus holds, and which rules it reaches.

use super::coverage::{Coverage, Shown, controls_of};
use super::jury::{Jury, pairs};
use super::reading::{CorpusInputs, CorpusReading};
use crate::ending::Ending;
use crate::say::Say;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use takeover_harness::judge::{Judge, RuleMark};
use takeover_harness::rule::RuleId;
use takeover_harness::side::Side;

/// Contents and reach of inputs. Fields are only ever added.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Stats {
    /// Cases.
    pub cases: u64,
    /// Documents and files that could not be read, by reason.
    pub unreadable: BTreeMap<String, u64>,
    /// Recorded requests that gave no case, by reason.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub skipped: BTreeMap<String, u64>,
    /// Cases by kind, the most first.
    pub kinds: Vec<KindStats>,
    /// What the cases show of each subject, in the order of the subjects.
    pub subjects: Vec<SubjectStats>,
}

/// Cases of a kind.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct KindStats {
    /// Version, kind, and subresource.
    pub kind: String,
    /// Creations.
    pub create: u64,
    /// Updates.
    pub update: u64,
    /// Whether something here judges it.
    pub judged: bool,
}

/// What cases show of a subject.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SubjectStats {
    /// Version, kind, and subresource.
    pub subject: String,
    /// Cases by how they came out.
    pub outcomes: BTreeMap<String, u64>,
    /// How many rules it has.
    pub rules: usize,
    /// Rules that looked at a value.
    pub reached: usize,
    /// Rules that both accepted a value and reported one.
    pub both_sides: usize,
    /// Faults of rules, made from the classes of values that they tell apart.
    pub faults: usize,
    /// Faults that a case would have exposed.
    pub exposed: usize,
    /// Signatures of disagreements.
    pub signatures: BTreeSet<String>,
    /// Rules that no case reaches.
    pub unreached: Vec<String>,
}

/// Counts.
///
/// # Errors
/// Returns an error when inputs do not exist.
pub fn stats(inputs: &CorpusInputs, say: Say<'_>) -> anyhow::Result<Stats> {
    let pairs = pairs(inputs.types.as_deref())?;
    let jury = Jury::new(&pairs);
    let mut coverage = Coverage::new(&jury);
    let mut reading = CorpusReading::new(inputs, say)?;
    let mut kinds: BTreeMap<String, (u64, u64, bool)> = BTreeMap::new();
    let mut seen: BTreeMap<Shown, u64> = BTreeMap::new();
    let mut cases = 0;
    for loaded in reading.by_ref() {
        cases += 1;
        let slash = if loaded.subresource.is_empty() { "" } else { "/" };
        let name = format!("{} {}{slash}{}", loaded.api_version, loaded.kind, loaded.subresource);
        let (create, update, judged) = kinds.entry(name).or_default();
        *judged = jury.judge_of(&loaded).is_some();
        *if loaded.case.old.is_some() { update } else { create } += 1;
        for shown in coverage.of(&jury, &loaded) {
            *seen.entry(shown).or_default() += 1;
        }
    }
    let mut kinds: Vec<KindStats> =
        kinds.into_iter().map(|(kind, (create, update, judged))| KindStats { kind, create, update, judged }).collect();
    kinds.sort_by_key(|kind| std::cmp::Reverse(kind.create + kind.update));
    let subjects = jury.judges().iter().enumerate().map(|(index, judge)| of_subject(index, judge, &seen)).collect();
    Ok(Stats { cases, unreadable: reading.unreadable, skipped: reading.skipped, kinds, subjects })
}

fn of_subject(index: usize, judge: &Judge<'_>, seen: &BTreeMap<Shown, u64>) -> SubjectStats {
    let pair = judge.pair();
    let mut outcomes = BTreeMap::new();
    let (mut accepted, mut reported) = (BTreeSet::new(), BTreeSet::new());
    let mut faults = BTreeSet::new();
    let mut signatures = BTreeSet::new();
    for (shown, cases) in seen {
        match shown {
            Shown::Outcome(of, _, outcome) if *of == index => *outcomes.entry(outcome.clone()).or_default() += cases,
            Shown::Rule(of, _, rule, None) if *of == index => _ = accepted.insert(*rule),
            Shown::Rule(of, _, rule, Some(RuleMark::Compared(_) | RuleMark::SetAside)) if *of == index => {
                _ = reported.insert(*rule);
            }
            Shown::Fault(of, fault) if *of == index => _ = faults.insert(*fault),
            Shown::Signature(signature) if signature.pair == pair.id => _ = signatures.insert(signature.to_string()),
            _ => {}
        }
    }
    let controls = controls_of(judge);
    let testable = |index: usize| {
        controls.get(index).is_some_and(|control| control.equivalent.is_none() && control.side == Side::Candidate)
    };
    let looked = |rule: &RuleId| accepted.contains(rule) || reported.contains(rule);
    SubjectStats {
        subject: pair.id.to_string(),
        outcomes,
        rules: pair.rules.len(),
        reached: pair.rules.iter().filter(|rule| looked(&rule.id)).count(),
        both_sides: accepted.intersection(&reported).count(),
        faults: (0..controls.len()).filter(|index| testable(*index)).count(),
        exposed: faults.iter().filter(|index| testable(**index)).count(),
        signatures,
        unreached: pair
            .rules
            .iter()
            .filter(|rule| !looked(&rule.id))
            .map(|rule| format!("{} {}", rule.path, rule.chain))
            .collect(),
    }
}

impl Stats {
    /// Returns how the command ends.
    pub fn ending(&self) -> Ending {
        match (self.cases, self.unreadable.is_empty()) {
            (0, _) => Ending::NothingCompared,
            (_, false) => Ending::Unreadable,
            (_, true) => Ending::Clean,
        }
    }
}
