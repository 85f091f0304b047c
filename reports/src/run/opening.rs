//! How a report begins: with the answer, or with why there is none.

use super::answer::sentences;
use super::model::RunReport;
use crate::numbers::counted;
use crate::text::shown;
use std::cmp::Reverse;
use takeover_harness::compare::Matter;
use takeover_harness::side::Side;

/// Most reasons that are named why nothing was compared.
const MOST_REASONS: usize = 2;

impl RunReport {
    /// The answer in a sentence: `12 of the 96 handwritten checks that have a rule may be deleted.`, or why nothing was compared.
    #[must_use]
    pub fn opening(&self) -> String {
        self.opening_lines().join(" ")
    }

    /// The sentences of [`RunReport::opening`].
    pub(super) fn opening_lines(&self) -> Vec<String> {
        if self.has_compared() {
            return sentences(&self.summary);
        }
        if self.unfinished.is_some() && self.not_compared().is_empty() {
            return vec!["The run was stopped before its first case: nothing was judged yet.".to_owned()];
        }
        vec![format!("Nothing was compared: {}.", self.why_nothing())]
    }

    /// The question that the report answers.
    #[must_use]
    pub(super) fn question(&self) -> &'static str {
        match self.matter() {
            Matter::Defaults => "May defaults move from code to markers?",
            Matter::Semantics => "Do defaults mean the same in a custom resource?",
            Matter::Apply => "Does server-side apply keep its laws?",
            Matter::Objects => "Do both sides make the same objects?",
            Matter::Errors => "May the handwritten checks be deleted?",
        }
    }

    /// Whether any case was compared.
    pub(super) fn has_compared(&self) -> bool {
        self.summary.cases.compared > 0 || self.subjects.iter().any(|subject| subject.totals.compared > 0)
    }

    /// Which side did not answer or panicked, and the first reason: `The reference did not answer 100 cases; first: it is closed`.
    #[must_use]
    pub fn unanswered(&self) -> Vec<String> {
        let of_side = |side: Side| {
            let reason = format!("the {side} could not judge");
            let count = self.subjects.iter().filter_map(|of| of.totals.skipped.get(&reason)).sum::<u64>();
            let first = self.subjects.iter().find_map(|of| of.totals.first_said(&reason, shown));
            first.map(|first| format!("The {side} did not answer {}; {first}", counted(count, "case")))
        };
        let panicked = |side: Side| {
            let end = format!("panic of the {side}");
            let findings =
                || self.subjects.iter().flat_map(|of| &of.findings).filter(|of| of.signature.ends_with(&end));
            let first = findings().find_map(|finding| finding.case.as_ref()?.panics.first())?;
            let cases = counted(findings().map(|finding| finding.count).sum(), "case");
            Some(format!("The {side} panicked on {cases}; first: {}", shown(&first.message)))
        };
        Side::ALL.into_iter().flat_map(|side| [of_side(side), panicked(side)]).flatten().collect()
    }

    /// The answer for those who read no other line: as [`RunReport::opening`], with what of the run is missing.
    #[must_use]
    pub fn in_a_line(&self) -> String {
        let far = self.unfinished.map(|far| format!("Unfinished: {far}."));
        [Some(self.opening()), far, self.partial()].into_iter().flatten().collect::<Vec<_>>().join(" ")
    }

    /// That this is not the whole run, and how to get it; none for a whole one.
    #[must_use]
    pub fn partial(&self) -> Option<String> {
        if let Some(shard) = &self.shard {
            let merge = format!("{} merge", self.at.program);
            return Some(format!(
                "Only shard {} of the run: combine all shards with `{}`.",
                shown(shard),
                merge.trim_start()
            ));
        }
        let missing = &self.missing_shards;
        (!missing.is_empty()).then(|| format!("Partial: shard {} is missing.", shown(&missing.join(", "))))
    }

    /// How many cases were not compared, by reason.
    fn not_compared(&self) -> Vec<(u64, String)> {
        let outside = self.outside.iter().map(|of| (of.count, of.reason.clone()));
        let of_subjects = self.subjects.iter().flat_map(|subject| {
            let undecodable =
                subject.totals.undecodable.iter().map(|(why, count)| (*count, format!("undecodable: {why}")));
            undecodable.chain(subject.totals.skipped.iter().map(|(why, count)| (*count, why.clone())))
        });
        outside.chain(of_subjects).filter(|(count, _)| *count > 0).collect()
    }

    /// The most frequent reasons for which cases were not compared: `not selected (v1 Pod, 2 cases)`.
    fn why_nothing(&self) -> String {
        let mut reasons = self.not_compared();
        if reasons.is_empty() {
            return "no object was recorded, and no case generated".to_owned();
        }
        reasons.sort_by_key(|(count, _)| Reverse(*count));
        let said = reasons.iter().take(MOST_REASONS).map(|(count, reason)| {
            let cases = counted(*count, "case");
            match reason.split_once(": ") {
                Some((sort, what)) => format!("{} ({}, {cases})", shown(sort), shown(what)),
                None => format!("{} ({cases})", shown(reason)),
            }
        });
        let more = reasons.len().saturating_sub(MOST_REASONS);
        let more = (more > 0).then(|| counted(more as u64, "more reason"));
        said.chain(more).collect::<Vec<_>>().join("; ")
    }
}
