//! Exceptions held against evidence.

use super::entry::{Exception, ExceptionId};
use super::list::Exceptions;
use super::share::{Occurrence, Share};
use crate::case::Operation;
use crate::compare::Signature;
use crate::evidence::Evidence;
use std::collections::{BTreeMap, BTreeSet};

/// What an exception means for a finding.
#[derive(Clone, Copy, Debug, PartialEq)]
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
#[derive(Clone, Debug, PartialEq)]
pub enum Standing {
    /// The run did not judge what it is about.
    NotJudged,
    /// It is about as many signatures as it says.
    Used {
        /// How many there are.
        found: usize,
    },
    /// It is about another number of signatures: none, when the finding is gone.
    Miscounted {
        /// How many there are.
        found: usize,
    },
    /// Its findings are of classes that it does not list.
    NewClass {
        /// How many findings there are.
        found: usize,
        /// The classes that it does not list.
        classes: BTreeSet<String>,
    },
    /// Its findings occur in more than ten times the share of cases that it records.
    Grown {
        /// How many findings there are.
        found: usize,
        /// The share now.
        share: Share,
    },
}

impl Standing {
    /// How many findings the exception is about.
    #[must_use]
    pub fn found(&self) -> usize {
        match self {
            Self::NotJudged => 0,
            Self::Used { found }
            | Self::Miscounted { found }
            | Self::NewClass { found, .. }
            | Self::Grown { found, .. } => *found,
        }
    }

    /// How an exception about so many findings fares that occur like this.
    fn of(exception: &Exception, found: usize, occurrence: &Occurrence, judged: bool) -> Self {
        let classes: BTreeSet<String> = occurrence.classes().difference(&exception.classes).cloned().collect();
        if found == 0 {
            return if judged { Self::Miscounted { found } } else { Self::NotJudged };
        }
        if !classes.is_empty() {
            return Self::NewClass { found, classes };
        }
        if let Some(share) = occurrence.outgrown(exception.share) {
            return Self::Grown { found, share };
        }
        match exception.about.signatures() {
            Some(signatures) if signatures != found => Self::Miscounted { found },
            _ => Self::Used { found },
        }
    }

    /// Whether the exception excuses what it is about, its end aside.
    fn excuses(&self, exception: &Exception) -> bool {
        match self {
            Self::Used { .. } => true,
            Self::Miscounted { found } => exception.about.signatures().is_none_or(|signatures| *found <= signatures),
            Self::NotJudged | Self::NewClass { .. } | Self::Grown { .. } => false,
        }
    }
}

/// Which findings of a run are excused.
#[derive(Clone, Debug)]
pub struct Excuses<'e> {
    exceptions: &'e Exceptions,
    by_signature: BTreeMap<Signature, ExceptionId>,
    standings: BTreeMap<ExceptionId, Standing>,
}

impl<'e> Excuses<'e> {
    /// Looks for the findings that `exceptions` are about. One that is about more signatures than it says, or about findings of other
    /// classes or in a far larger share of the cases, excuses none of them.
    #[must_use]
    pub fn of(exceptions: &'e Exceptions, evidence: &Evidence) -> Self {
        let mut covered: BTreeMap<ExceptionId, Vec<Signature>> = BTreeMap::new();
        let mut standings = BTreeMap::new();
        for (id, exception) in exceptions.iter() {
            let about = &exception.about;
            let mut found = Vec::new();
            let mut occurrence = Occurrence::default();
            let mut judged = false;
            for pair in evidence.pairs().filter(|pair| about.concerns(pair.pair())) {
                for operation in Operation::ALL.into_iter().filter(|of| about.operation().is_none_or(|own| own == *of))
                {
                    let of = pair.operation(operation);
                    judged |= of.counts.compared > 0;
                    for (signature, seen) in &of.signatures {
                        if about.covers(signature, || pair.references(&seen.rules)) {
                            found.push(signature.clone());
                            occurrence.add(pair, operation, seen);
                        }
                    }
                }
            }
            let standing = Standing::of(exception, found.len(), &occurrence, judged);
            if standing.excuses(exception) {
                covered.insert(id, found);
            }
            standings.insert(id, standing);
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

    /// How the exceptions fare, in the order of the file.
    pub fn standings(&self) -> impl Iterator<Item = (&'e Exception, &Standing)> {
        let exceptions = self.exceptions;
        self.standings.iter().filter_map(move |(id, standing)| Some((exceptions.get(*id)?, standing)))
    }

    /// Whether the exception has expired.
    #[must_use]
    pub fn is_expired(&self, exception: &Exception) -> bool {
        self.exceptions.is_expired(exception)
    }
}

#[cfg(test)]
mod tests {
    use super::Standing;
    use crate::exception::entry::tests::exception;
    use crate::exception::share::tests::occurrence;
    use crate::exception::{About, Exception};
    use std::collections::BTreeSet;

    #[test]
    fn an_exception_excuses_what_it_says_and_nothing_that_is_of_another_class_or_ten_times_as_frequent() {
        let own = exception(2);
        let unlisted = Exception { classes: BTreeSet::new(), ..own.clone() };
        let negative = BTreeSet::from(["negative".to_owned()]);
        let grown = occurrence(20, 1000).share();
        for (exception, found, cases, judged, standing, excuses) in [
            (&own, 2, 10, true, Standing::Used { found: 2 }, true),
            (&own, 0, 0, false, Standing::NotJudged, false),
            (&own, 0, 0, true, Standing::Miscounted { found: 0 }, true),
            (&own, 1, 10, true, Standing::Miscounted { found: 1 }, true),
            (&own, 3, 10, true, Standing::Miscounted { found: 3 }, false),
            (&own, 2, 19, true, Standing::Used { found: 2 }, true),
            (&own, 2, 20, true, Standing::Grown { found: 2, share: grown }, false),
            (&own, 3, 20, true, Standing::Grown { found: 3, share: grown }, false),
            (&unlisted, 2, 10, true, Standing::NewClass { found: 2, classes: negative.clone() }, false),
            (&unlisted, 2, 20, true, Standing::NewClass { found: 2, classes: negative }, false),
        ] {
            let of = Standing::of(exception, found, &occurrence(cases, 1000), judged);
            assert_eq!(of, standing);
            assert_eq!(of.excuses(exception), excuses, "{of:?}");
        }
    }

    #[test]
    fn a_pattern_is_about_any_number_of_findings_but_none() {
        let about = serde_json::json!({"cause": {"cause": "ratchets", "pair": {"apiVersion": "*", "kind": "Web"}, "fields": "spec.**"}});
        let pattern = Exception { about: serde_json::from_value::<About>(about).unwrap(), ..exception(1) };
        let standing = |found| Standing::of(&pattern, found, &occurrence(1, 1000), true);
        assert_eq!(standing(0), Standing::Miscounted { found: 0 });
        for found in [1, 7] {
            assert_eq!(standing(found), Standing::Used { found });
            assert!(standing(found).excuses(&pattern));
        }
    }
}
