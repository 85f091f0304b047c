//! Adds exceptions for the findings of a run to the file, for somebody to fill in and answer for.

use crate::config::entry;
use jiff::civil::Date;
use std::collections::{BTreeMap, BTreeSet};
use takeover_harness::case::Operation;
use takeover_harness::compare::{Cause, Signature};
use takeover_harness::evidence::{Evidence, PairEvidence, SignatureEvidence};
use takeover_harness::exception::{
    About, CauseEntry, Exception, Exceptions, FieldPattern, FindingEntry, Occurrence, any_version,
};
use takeover_harness::rule::RuleRef;
use takeover_harness::subject::PairId;
use takeover_reports::RunReport;

/// What the entries say beside their findings. Empty members have to be filled in before the file can be used.
#[derive(Clone, Debug)]
pub struct ProposalDetails {
    /// Why.
    pub reason: String,
    /// Who sees to it.
    pub owner: String,
    /// Where it is discussed.
    pub issue: String,
    /// Last day.
    pub expires: Date,
    /// The cause whose findings get one entry a kind, over a pattern of their fields; none if every finding gets its own.
    pub folded: Option<Cause>,
    /// The only cause that is excused; none for every one.
    pub cause: Option<Cause>,
}

/// A finding of a run.
#[derive(Clone, Copy)]
struct Found<'e> {
    pair: &'e PairEvidence,
    operation: Operation,
    signature: &'e Signature,
    seen: &'e SignatureEvidence,
}

impl Found<'_> {
    fn rules(&self) -> BTreeSet<RuleRef> {
        self.pair.references(&self.seen.rules)
    }
}

/// Entries for the findings that fail a run and that no exception is about, and their number: what the policy tolerates or another finding
/// brings along needs none, unless it has the cause that is folded. One that shows in several versions of a kind, attributed to the same
/// rules, gets one entry. Panics get none: nothing excuses them.
pub fn proposals(
    evidence: &Evidence,
    report: &RunReport,
    known: &Exceptions,
    details: &ProposalDetails,
) -> (String, usize) {
    let (mut text, mut number) = (String::new(), 0);
    let mut open = open_findings(evidence, report, known, details.folded);
    open.retain(|of| details.cause.is_none() || of.signature.cause == details.cause);
    for (about, found) in abouts(open, known, details.folded) {
        let mut occurrence = Occurrence::default();
        for of in &found {
            occurrence.add(of.pair, of.operation, of.seen);
        }
        let exception = Exception {
            about,
            classes: occurrence.classes().clone(),
            share: occurrence.share(),
            reason: details.reason.clone(),
            owner: details.owner.clone(),
            issue: details.issue.clone(),
            expires: details.expires,
            line: 0,
        };
        let first = found.first().map(|of| of.signature.to_string());
        let shown = report.findings().find(|finding| Some(&finding.signature) == first.as_ref());
        text.push('\n');
        text.push_str(&entry(&exception, shown.and_then(|finding| finding.reproduce.as_deref())));
        number += 1;
    }
    (text, number)
}

/// The findings that no exception is about. One that does not excuse its findings any more is not written twice: somebody has to look
/// at it.
fn open_findings<'e>(
    evidence: &'e Evidence,
    report: &RunReport,
    known: &Exceptions,
    folded: Option<Cause>,
) -> Vec<Found<'e>> {
    let failing: BTreeSet<&str> =
        report.findings().filter(|finding| finding.is_open()).map(|finding| finding.signature.as_str()).collect();
    let mut open = Vec::new();
    for pair in evidence.pairs() {
        for operation in Operation::ALL {
            let signatures = pair.operation(operation).signatures.iter();
            open.extend(signatures.map(|(signature, seen)| Found { pair, operation, signature, seen }));
        }
    }
    open.retain(|of| {
        failing.contains(of.signature.to_string().as_str()) || (folded.is_some() && of.signature.cause == folded)
    });
    open.retain(|of| !known.iter().any(|(_, exception)| exception.about.covers(of.signature, || of.rules())));
    open
}

/// What the exceptions for these findings are about, each with its findings.
fn abouts<'e>(open: Vec<Found<'e>>, known: &Exceptions, folded: Option<Cause>) -> Vec<(About, Vec<Found<'e>>)> {
    let overlaps = |about: &About| known.iter().any(|(_, known)| known.about.overlaps(about));
    let (foldable, mut single): (Vec<_>, Vec<_>) =
        open.into_iter().partition(|of| folded.is_some() && of.signature.cause == folded);
    let mut abouts = Vec::new();
    let by_kind = grouped(foldable, |of| any_version(of.pair.pair()));
    for (kind, found) in by_kind {
        match folded.map(|cause| pattern(cause, kind, &found)).filter(|about| found.len() > 1 && !overlaps(about)) {
            Some(about) => abouts.push((about, found)),
            None => single.extend(found),
        }
    }
    let by_signature =
        grouped(single, |of| (Signature { pair: any_version(of.pair.pair()), ..of.signature.clone() }, of.rules()));
    for ((open, rules), found) in by_signature {
        let about = |signature: Signature, signatures: usize| {
            About::Finding(FindingEntry { signature, rules: rules.clone(), signatures })
        };
        let whole = about(open, found.len());
        // One for all versions would be about those that others are about already.
        if found.len() == 1 || overlaps(&whole) {
            abouts.extend(found.into_iter().map(|of| (about(of.signature.clone(), 1), vec![of])));
        } else {
            abouts.push((whole, found));
        }
    }
    abouts
}

fn grouped<'e, K: Ord>(found: Vec<Found<'e>>, key: impl Fn(&Found<'e>) -> K) -> BTreeMap<K, Vec<Found<'e>>> {
    let mut groups: BTreeMap<K, Vec<Found<'e>>> = BTreeMap::new();
    for of in found {
        groups.entry(key(&of)).or_default().push(of);
    }
    groups
}

/// The pattern of what these findings of a kind have in common.
fn pattern(cause: Cause, kind: PairId, found: &[Found<'_>]) -> About {
    let paths: Vec<&str> = found.iter().map(|of| of.signature.path.as_str()).collect();
    let pair = common(found, |of| of.pair.pair().clone());
    About::Cause(CauseEntry {
        cause,
        pair: pair.unwrap_or(kind),
        fields: FieldPattern::around(&paths),
        operation: common(found, |of| of.operation),
        relation: common(found, |of| of.signature.relation),
        direction: common(found, |of| of.signature.direction),
    })
}

/// What is the same of all; none if it differs.
fn common<T: PartialEq>(found: &[Found<'_>], of: impl Fn(&Found<'_>) -> T) -> Option<T> {
    let mut values = found.iter().map(of);
    let first = values.next()?;
    values.all(|value| value == first).then_some(first)
}
