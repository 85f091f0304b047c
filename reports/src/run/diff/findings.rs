//! Findings of two reports against each other.

use super::{Seen, Turn};
use crate::numbers::counted;
use crate::run::finding::FindingReport;
use crate::run::model::RunReport;
use crate::run::standing::FindingStanding;
use std::collections::{BTreeMap, BTreeSet};
use takeover_harness::rule::RuleRef;

/// A finding has grown when its share of the compared cases is more than so many times as large.
const MOST: f64 = 10.0;

/// Of fewer cases, that says nothing, and neither does a new class of values: a few more of very few are chance.
const FEWEST: u64 = 20;

/// The findings that only one report has, those that only one has as excused or tolerated, and those that have grown. What another
/// finding brings along shows with that one.
pub(super) fn changed(old: &RunReport, new: &RunReport) -> Vec<Seen> {
    let (before, after) = (own(old), own(new));
    let names: BTreeSet<&str> = before.keys().chain(after.keys()).copied().collect();
    let mut all: Vec<Seen> = names
        .into_iter()
        .filter_map(|name| {
            let (was, is) = (before.get(name), after.get(name));
            let mut grown = String::new();
            let turn = match (was.map(Counted::decided), is.map(Counted::decided)) {
                (was_decided, is_decided) if was_decided == is_decided => {
                    grown = was.zip(is).and_then(|(was, is)| is.grown_since(was))?;
                    Turn::Grown
                }
                (_, None) => Turn::Vanished,
                (_, Some(Decided::Tolerated)) => Turn::Tolerated,
                (None, Some(_)) => Turn::New,
                (Some(_), Some(Decided::Excused)) => Turn::Excused,
                (Some(Decided::Tolerated), Some(Decided::Open)) => Turn::NoLongerTolerated,
                (Some(_), Some(Decided::Open)) => Turn::NoLongerExcused,
            };
            let exception = |of: Option<&Counted<'_>>| of.and_then(|of| of.finding.exception.clone());
            Some(Seen { turn, name: name.to_owned(), grown, exception: exception(is).or_else(|| exception(was)) })
        })
        .collect();
    all.sort_by_key(|seen| seen.turn);
    all
}

/// The findings that stand for themselves, by signature.
fn own(report: &RunReport) -> BTreeMap<&str, Counted<'_>> {
    let of = report.subjects.iter().flat_map(|subject| {
        let compared = subject.totals.compared;
        subject.findings.iter().map(move |finding| Counted { finding, compared })
    });
    of.filter(|of| !of.finding.is_brought_along()).map(|of| (of.finding.signature.as_str(), of)).collect()
}

/// A finding, and how many cases of its subject were compared.
struct Counted<'r> {
    finding: &'r FindingReport,
    compared: u64,
}

impl Counted<'_> {
    fn decided(&self) -> Decided {
        match self.finding.standing() {
            FindingStanding::Excused => Decided::Excused,
            FindingStanding::Tolerated { .. } => Decided::Tolerated,
            _ => Decided::Open,
        }
    }

    /// Says in what an open finding has grown; none when it is as it was. Exceptions say it of themselves.
    fn grown_since(&self, before: &Self) -> Option<String> {
        if self.decided() != Decided::Open {
            return None;
        }
        let (is, was) = (self.finding, before.finding);
        let rules = |of: &FindingReport| of.rules.iter().map(|rule| rule.rule.clone()).collect::<BTreeSet<RuleRef>>();
        let others: Vec<String> = rules(is).difference(&rules(was)).map(ToString::to_string).collect();
        if !others.is_empty() {
            return Some(format!("newly attributed to {}", others.join(", ")));
        }
        let classes = is.classes.iter().filter(|(class, cases)| **cases >= FEWEST && !was.classes.contains_key(*class));
        let classes: Vec<&str> = classes.map(|(class, _)| class.as_str()).filter(|class| !class.is_empty()).collect();
        if !classes.is_empty() && !was.classes.is_empty() {
            return Some(format!("with values of other classes: {}", classes.join(", ")));
        }
        let grown = is.count >= FEWEST && self.share() > MOST * before.share();
        let said = |of: &Self| format!("{} of {}", counted(of.finding.count, "case"), of.compared);
        grown.then(|| format!("in {}, before in {}", said(self), said(before)))
    }

    #[expect(clippy::cast_precision_loss, reason = "a share of a tenth more or less says nothing")]
    fn share(&self) -> f64 {
        self.finding.count as f64 / self.compared.max(1) as f64
    }
}

/// Whether a finding is decided about.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Decided {
    Open,
    Excused,
    Tolerated,
}
