//! Adds exceptions for the findings of a run to the file, for somebody to fill in and answer for.

use crate::config::entry;
use jiff::civil::Date;
use std::collections::{BTreeMap, BTreeSet};
use takeover_harness::case::Operation;
use takeover_harness::compare::Signature;
use takeover_harness::evidence::Evidence;
use takeover_harness::exception::{Exception, Exceptions, Excuses};
use takeover_harness::rule::RuleRef;
use takeover_harness::subject::{PairId, SubjectId};
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
}

/// Entries for the findings of a run that no exception is about, in the order of their signatures, and their number. One that
/// shows in several versions of a kind, laid to the same rules, gets one entry. Panics get none: nothing excuses them.
pub fn proposals(
    evidence: &Evidence,
    report: &RunReport,
    known: &Exceptions,
    details: &ProposalDetails,
) -> (String, usize) {
    let excuses = Excuses::of(known, evidence);
    let mut groups: BTreeMap<(Signature, BTreeSet<RuleRef>), Vec<Signature>> = BTreeMap::new();
    for pair in evidence.pairs() {
        for operation in Operation::ALL {
            let signatures = &pair.operation(operation).signatures;
            for (signature, seen) in signatures.iter().filter(|(signature, _)| excuses.excuse(signature).is_none()) {
                let open = Signature { pair: any_version(&signature.pair), ..signature.clone() };
                groups.entry((open, pair.references(&seen.rules))).or_default().push(signature.clone());
            }
        }
    }
    let (mut text, mut number) = (String::new(), 0);
    for ((open, rules), signatures) in groups {
        let exception = |signature: Signature, signatures: usize| Exception {
            signature,
            rules: rules.clone(),
            signatures,
            reason: details.reason.clone(),
            owner: details.owner.clone(),
            issue: details.issue.clone(),
            expires: details.expires,
            line: 0,
        };
        let whole = exception(open, signatures.len());
        // One for all versions would be about those that others are about already.
        let single = signatures.len() == 1 || known.iter().any(|(_, known)| known.overlaps(&whole));
        let first = signatures.first().map(ToString::to_string);
        let shown = report.findings().find(|finding| Some(&finding.signature) == first.as_ref());
        let reproduce = shown.and_then(|finding| finding.reproduce.as_deref());
        let made = if single { signatures.into_iter().map(|one| exception(one, 1)).collect() } else { vec![whole] };
        for exception in made {
            text.push('\n');
            text.push_str(&entry(&exception, reproduce));
            number += 1;
        }
    }
    (text, number)
}

fn any_version(pair: &PairId) -> PairId {
    let subject = &pair.subject;
    let open = match subject.api_version.rsplit_once('/') {
        Some((group, _)) => format!("{group}/*"),
        None => "*".to_owned(),
    };
    let subject = SubjectId { api_version: open, ..subject.clone() };
    PairId { subject, name: pair.name.clone() }
}
