//! The counts of a scan. Its JSON form only ever gets more fields within a format version.

use crate::run::LevelledRule;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Version of the JSON form.
pub const FORMAT_VERSION: u32 = 1;

/// Most objects that are listed for a rule.
const NAMED: usize = 100;

/// What was found in stored objects.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ScanReport {
    /// Version of this form.
    pub format_version: u32,
    /// Where the objects came from: the address of a server, or `files`.
    pub source: String,
    /// Whether everything was read.
    pub finished: bool,
    /// By version and kind.
    pub subjects: BTreeMap<String, SubjectScan>,
    /// What was not scanned, by reason and kind, with the number of kinds (in a cluster) or objects (in files). Objects without a kind have an
    /// empty name.
    pub not_scanned: BTreeMap<String, BTreeMap<String, u64>>,
}

/// The stored objects of one kind.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SubjectScan {
    /// Objects that rules judged.
    pub objects: u64,
    /// Those that a rule rejects.
    pub rejected: u64,
    /// How many of these a rule rejects even in an update that changes nothing.
    pub stuck: u64,
    /// Objects that could not be judged, by reason.
    pub unjudged: BTreeMap<String, u64>,
    /// The rules that reject objects, in the order in which they were found.
    pub rules: Vec<RuleScan>,
}

/// The stored objects that a rule rejects.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RuleScan {
    /// Which rule; none for errors that belong to no rule.
    pub rule: Option<LevelledRule>,
    /// Objects that it rejects.
    pub rejected: u64,
    /// How many of these it rejects even in an update that changes nothing, because ratcheting does not apply to them.
    pub stuck: u64,
    /// The first of them.
    pub first: Vec<StoredObject>,
}

/// A stored object that a rule rejects.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct StoredObject {
    /// Namespace and name, or the name alone.
    pub name: String,
    /// The field.
    pub field: String,
    /// The error, without the value unless it was asked for.
    pub error: String,
    /// Whether an update that changes nothing is rejected, too.
    pub stuck: bool,
}

impl ScanReport {
    /// An empty report about objects from `source`.
    #[must_use]
    pub fn new(source: String) -> Self {
        Self {
            format_version: FORMAT_VERSION,
            source,
            finished: false,
            subjects: BTreeMap::new(),
            not_scanned: BTreeMap::new(),
        }
    }

    /// Adds something that is not scanned.
    pub fn leave_out(&mut self, what: String, reason: String) {
        *self.not_scanned.entry(reason).or_default().entry(what).or_default() += 1;
    }

    /// Objects that were judged.
    #[must_use]
    pub fn objects(&self) -> u64 {
        self.subjects.values().map(|subject| subject.objects).sum()
    }

    /// Objects that a rule rejects.
    #[must_use]
    pub fn rejected(&self) -> u64 {
        self.subjects.values().map(|subject| subject.rejected).sum()
    }

    /// Objects that a rule rejects even in an update that changes nothing.
    #[must_use]
    pub fn stuck(&self) -> u64 {
        self.subjects.values().map(|subject| subject.stuck).sum()
    }
}

impl SubjectScan {
    /// Adds an object and what rules report of it: each error once, with its rule.
    pub fn add(&mut self, errors: Vec<(Option<LevelledRule>, StoredObject)>) {
        self.objects += 1;
        self.rejected += u64::from(!errors.is_empty());
        self.stuck += u64::from(errors.iter().any(|(_, of)| of.stuck));
        let mut by_rule: Vec<(Option<LevelledRule>, Vec<StoredObject>)> = Vec::new();
        for (rule, error) in errors {
            match by_rule.iter_mut().find(|(known, _)| *known == rule) {
                Some((_, errors)) => errors.push(error),
                None => by_rule.push((rule, vec![error])),
            }
        }
        for (rule, errors) in by_rule {
            let at = self.rules.iter().position(|known| known.rule == rule).unwrap_or_else(|| {
                self.rules.push(RuleScan { rule, rejected: 0, stuck: 0, first: Vec::new() });
                self.rules.len() - 1
            });
            let Some(of) = self.rules.get_mut(at) else { continue };
            of.rejected += 1;
            of.stuck += u64::from(errors.iter().any(|error| error.stuck));
            let room = NAMED.saturating_sub(of.first.len());
            of.first.extend(errors.into_iter().take(room));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{StoredObject, SubjectScan};

    fn error(name: &str, stuck: bool) -> StoredObject {
        StoredObject { name: name.to_owned(), field: "spec.a".to_owned(), error: String::new(), stuck }
    }

    #[test]
    fn an_object_counts_once_whatever_its_errors() {
        let mut scan = SubjectScan::default();
        scan.add(Vec::new());
        scan.add(vec![(None, error("a", false)), (None, error("a", true))]);
        scan.add(vec![(None, error("b", false))]);
        assert_eq!((scan.objects, scan.rejected, scan.stuck), (3, 2, 1));
        let of: Vec<_> = scan.rules.iter().map(|of| (of.rejected, of.stuck, of.first.len())).collect();
        assert_eq!(of, [(2, 1, 3)]);
    }
}
