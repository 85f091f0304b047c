//! The answers of admission policies. The JSON form is described in `docs/validate.md`: fields are only ever added within a format
//! version.

use crate::validate::Problem;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use takeover_harness::case::{Operation, Provenance};

/// Everything that was asked.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct AdmissionReport {
    /// Version of the JSON form.
    pub format_version: u32,
    /// The objects, in the order of the inputs.
    pub objects: Vec<RequestedObject>,
    /// What could not be asked.
    pub problems: Vec<Problem>,
    /// Namespaces that a policy looks at and nobody described: they count as existing, without labels but their names.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub assumed_namespaces: BTreeSet<String>,
    /// How many objects came out how.
    pub totals: AdmissionTotals,
}

/// How many objects came out how.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct AdmissionTotals {
    /// Objects that were asked about.
    pub objects: usize,
    /// Those that may be stored.
    pub allowed: usize,
    /// Those that may not.
    pub denied: usize,
    /// Things that could not be asked.
    pub problems: usize,
}

/// What a server would answer to the request to store an object.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RequestedObject {
    /// Where it came from.
    pub source: Provenance,
    /// Version, kind and subresource.
    pub subject: String,
    /// Its name; empty when it has none.
    pub name: String,
    /// Its namespace; empty when it has none.
    pub namespace: String,
    /// Whether it is created or replaces another.
    pub operation: Operation,
    /// Whether it may be stored.
    pub allowed: bool,
    /// What the user is told; `None` when it may be stored.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refusal: Option<Refusal>,
    /// Further objections, which a server does not name.
    pub untold: Vec<String>,
    /// The warnings that the user gets.
    pub warnings: Vec<String>,
    /// What goes into the audit event.
    pub audit_annotations: BTreeMap<String, String>,
    /// How many validations were evaluated.
    pub evaluated: usize,
}

/// The status of a denial.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Refusal {
    /// The code of HTTP.
    pub code: u16,
    /// The reason.
    pub reason: String,
    /// The message.
    pub message: String,
}

impl AdmissionReport {
    /// An empty report.
    #[must_use]
    pub fn new() -> Self {
        Self { format_version: 1, ..Self::default() }
    }

    /// Counts what is in it.
    pub fn finish(&mut self) {
        let allowed = self.objects.iter().filter(|object| object.allowed).count();
        self.totals = AdmissionTotals {
            objects: self.objects.len(),
            allowed,
            denied: self.objects.len() - allowed,
            problems: self.problems.len(),
        };
    }
}
