//! Exceptions held against evidence.

use super::entry::{Exception, ExceptionId};
use super::list::Exceptions;
use crate::case::Operation;
use crate::compare::Signature;
use crate::evidence::{Evidence, OperationEvidence, PairEvidence, SignatureEvidence};
use crate::rule::RuleId;
use std::collections::BTreeMap;

/// What an exception means for a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Excuse<'e> {
    /// The finding is excused.
    Holds(&'e Exception),
    /// It was, until the exception expired.
    Expired(&'e Exception),
}

impl<'e> Excuse<'e> {
    /// The exception.
    #[must_use]
    pub fn exception(self) -> &'e Exception {
        match self {
            Self::Holds(exception) | Self::Expired(exception) => exception,
        }
    }
}

/// How an exception fares by a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// The run did not judge what it is about.
    NotJudged,
    /// It is about as many signatures as it says.
    Used,
    /// It is about another number of signatures: none, when the finding is gone.
    Miscounted {
        /// How many there are.
        found: usize,
    },
}

/// Which findings of a run are excused.
#[derive(Clone, Debug)]
pub struct Excuses<'e> {
    exceptions: &'e Exceptions,
    by_signature: BTreeMap<Signature, ExceptionId>,
    standings: BTreeMap<ExceptionId, Standing>,
}

impl<'e> Excuses<'e> {
    /// Looks for the findings that `exceptions` are about. One that is about more signatures than it says excuses none of them.
    #[must_use]
    pub fn of(exceptions: &'e Exceptions, evidence: &Evidence) -> Self {
        let mut covered: BTreeMap<ExceptionId, Vec<Signature>> = BTreeMap::new();
        let mut standings = BTreeMap::new();
        for (id, exception) in exceptions.iter() {
            let mut found = Vec::new();
            let mut judged = false;
            for pair in evidence.pairs().filter(|pair| exception.concerns(pair.pair())) {
                let of = pair.operation(exception.signature.operation);
                judged |= of.counts.compared > 0;
                for (signature, seen) in &of.signatures {
                    if exception.covers(signature, &pair.references(&seen.rules)) {
                        found.push(signature.clone());
                    }
                }
            }
            let standing = match found.len() {
                number if number == exception.signatures => Standing::Used,
                0 if !judged => Standing::NotJudged,
                found => Standing::Miscounted { found },
            };
            standings.insert(id, standing);
            if found.len() <= exception.signatures {
                covered.insert(id, found);
            }
        }
        let by_signature = covered
            .into_iter()
            .flat_map(|(id, signatures)| signatures.into_iter().map(move |signature| (signature, id)))
            .collect();
        Self { exceptions, by_signature, standings }
    }

    /// What an exception means for the findings of a signature; none when none is about them.
    #[must_use]
    pub fn excuse(&self, signature: &Signature) -> Option<Excuse<'e>> {
        let exception = self.exceptions.get(*self.by_signature.get(signature)?)?;
        Some(if self.exceptions.is_expired(exception) { Excuse::Expired(exception) } else { Excuse::Holds(exception) })
    }

    /// Whether every finding that is laid to the rule under the operation is excused. False when there is none, or when so many
    /// were found that not all are known.
    #[must_use]
    pub fn excuses(&self, pair: &PairEvidence, operation: Operation, rule: RuleId) -> bool {
        self.excuses_those(pair.operation(operation), |seen| seen.rules.contains(&rule))
    }

    /// Does the same as [`Excuses::excuses`], for all findings of the pair under the operation.
    #[must_use]
    pub fn excuses_all(&self, pair: &PairEvidence, operation: Operation) -> bool {
        self.excuses_those(pair.operation(operation), |_| true)
    }

    fn excuses_those(&self, of: &OperationEvidence, which: impl Fn(&SignatureEvidence) -> bool) -> bool {
        let mut own = of.signatures.iter().filter(|(_, seen)| which(seen)).peekable();
        own.peek().is_some()
            && of.beyond.is_complete()
            && own.all(|(signature, _)| matches!(self.excuse(signature), Some(Excuse::Holds(_))))
    }

    /// How the exceptions fare, in the order of the file.
    pub fn standings(&self) -> impl Iterator<Item = (&'e Exception, Standing)> {
        let exceptions = self.exceptions;
        self.standings.iter().filter_map(move |(id, standing)| Some((exceptions.get(*id)?, *standing)))
    }

    /// Whether the exception has expired.
    #[must_use]
    pub fn is_expired(&self, exception: &Exception) -> bool {
        self.exceptions.is_expired(exception)
    }
}
