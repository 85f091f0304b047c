//! Counts of agreement, and disagreements grouped by signature with the smallest example of each.

use serde::Serialize;
use std::collections::BTreeMap;

/// What is compared of a fixture.
pub const DECODE: &str = "decode";
/// The defaulted object.
pub const DEFAULTED: &str = "defaulted";
/// Errors of the declarative side.
pub const DECLARATIVE: &str = "declarative";
/// Errors of the handwritten side, outside delegated paths.
pub const HANDWRITTEN: &str = "handwritten";
/// What the comparison of both sides reports.
pub const MISMATCHES: &str = "mismatches";
/// What a user of a live server gets: both sides' errors as the release's gates merge them, outside delegated paths.
pub const CAUSES: &str = "causes";
/// The paths of unknown members of a custom resource.
pub const PRUNED: &str = "pruned";
/// The object that validation sees.
pub const VALIDATED: &str = "validated";
/// Errors of a custom resource: their types, their fields, and the parts of validation and the rules that they come from.
pub const ERRORS: &str = "errors";
/// The same errors in full.
pub const TEXTS: &str = "texts";
/// What CEL rules cost on an object.
pub const CEL_COST: &str = "celCost";
/// What the user is warned of.
pub const WARNINGS: &str = "warnings";
/// Whether a CRD is refused, and for what.
pub const REFUSED: &str = "refused";
/// The object that a live server would store, as far as the request determines it.
pub const STORED: &str = "stored";
/// The object with its managed fields after an apply or update, or the error.
pub const MERGED: &str = "merged";
/// What a manager applied to an object.
pub const EXTRACTED: &str = "extracted";
/// The default that a marker of a Go type declares.
pub const MARKER: &str = "marker";

/// How our oracles agree with recorded verdicts. Its JSON form is the machine-readable output.
#[derive(Debug, Default, Serialize)]
pub struct Agreement {
    /// Agreement per side over all kinds.
    pub sides: BTreeMap<String, AgreementCount>,
    /// Agreement per kind and side.
    pub kinds: BTreeMap<String, BTreeMap<String, AgreementCount>>,
    /// Fixtures, or sides of fixtures, that were not compared, by reason.
    pub skipped: BTreeMap<String, u64>,
    /// Files that could not be read to their end.
    pub unreadable: u64,
    /// Disagreements, most frequent first.
    pub signatures: Vec<Disagreement>,
    /// The most signatures that people are shown.
    #[serde(skip)]
    pub shown: usize,
    #[serde(skip)]
    by_signature: BTreeMap<FixtureSignature, Disagreement>,
}

/// Compared and agreed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct AgreementCount {
    /// Fixtures compared on this side.
    pub compared: u64,
    /// Fixtures that agree.
    pub agreed: u64,
}

/// What disagreements are grouped by.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct FixtureSignature {
    /// Version, kind and subresource, or the Go type.
    pub kind: String,
    /// `declarative`, `handwritten`, …
    pub side: String,
    /// `create` or `update`.
    pub operation: String,
    /// What differs, printed as a signature, with the recorded answer as reference and ours as candidate; or why
    /// nothing could be compared.
    pub difference: String,
}

/// All disagreements of one signature.
#[derive(Clone, Debug, Serialize)]
pub struct Disagreement {
    /// The signature.
    #[serde(flatten)]
    pub signature: FixtureSignature,
    /// In how many fixtures.
    pub count: u64,
    /// The smallest fixture that shows it.
    pub example: FixtureExample,
}

/// A fixture that disagrees.
#[derive(Clone, Debug, Serialize)]
pub struct FixtureExample {
    /// File and line.
    pub place: String,
    /// Id of the fixture.
    pub id: String,
    /// Size of the fixture in bytes.
    pub bytes: usize,
    /// Both answers, for people.
    pub detail: String,
}

impl Agreement {
    /// Counts a comparison. `differences` are empty when the fixture agrees.
    pub fn count(
        &mut self,
        kind: &str,
        side: &str,
        operation: &str,
        differences: Vec<(String, String)>,
        example: impl Fn(String) -> FixtureExample,
    ) {
        let agreed = u64::from(differences.is_empty());
        let kinds = self.kinds.entry(kind.to_owned()).or_default();
        for tally in [self.sides.entry(side.to_owned()).or_default(), kinds.entry(side.to_owned()).or_default()] {
            tally.compared += 1;
            tally.agreed += agreed;
        }
        let mut seen = Vec::new();
        for (difference, detail) in differences {
            if seen.contains(&difference) {
                continue;
            }
            seen.push(difference.clone());
            let signature = FixtureSignature {
                kind: kind.to_owned(),
                side: side.to_owned(),
                operation: operation.to_owned(),
                difference,
            };
            let example = example(detail);
            let entry = self.by_signature.entry(signature.clone()).or_insert_with(|| Disagreement {
                signature,
                count: 0,
                example: example.clone(),
            });
            entry.count += 1;
            if (example.bytes, &example.place) < (entry.example.bytes, &entry.example.place) {
                entry.example = example;
            }
        }
    }

    /// Counts something that was not compared.
    pub fn skip(&mut self, reason: impl Into<String>) {
        *self.skipped.entry(reason.into()).or_default() += 1;
    }

    /// Sorts the signatures, most frequent first.
    pub fn finish(&mut self) {
        self.signatures = std::mem::take(&mut self.by_signature).into_values().collect();
        self.signatures.sort_by(|a, b| b.count.cmp(&a.count).then_with(|| a.signature.cmp(&b.signature)));
    }

    /// Number of comparisons over all sides.
    #[must_use]
    pub fn compared(&self) -> u64 {
        self.sides.values().map(|tally| tally.compared).sum()
    }

    /// Whether every comparison agreed.
    #[must_use]
    pub fn agrees(&self) -> bool {
        self.sides.values().all(|tally| tally.agreed == tally.compared)
    }
}
