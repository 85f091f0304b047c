//! The counts of a check against a cluster. Its JSON form only ever gets more fields within a format version.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Version of the JSON form.
pub const FORMAT_VERSION: u32 = 1;

/// How an API server was made to call the shadow server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Variant {
    /// Before its own validation.
    Mutating,
    /// After it, for what it accepted.
    Validating,
}

impl Variant {
    /// `mutating`.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Mutating => "mutating",
            Self::Validating => "validating",
        }
    }
}

/// What both servers counted.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ClusterReport {
    /// Version of this form.
    pub format_version: u32,
    /// What follows from the counts.
    pub verdict: ClusterVerdict,
    /// Address of the API server.
    pub server: String,
    /// Its version, such as `v1.36.2`.
    pub server_version: String,
    /// Release of the types, such as `1.36`; empty for types of one's own.
    pub types: String,
    /// Release whose comparison is used.
    pub semantics: String,
    /// Whether nobody stopped the check.
    pub finished: bool,
    /// Why the counters of the server could not be used, if so.
    pub no_counters: Option<String>,
    /// What was sent to each resource that the server serves, by its path, such as `apps/v1 deployments/scale`.
    pub resources: BTreeMap<String, SentCounts>,
    /// Subjects and resources that were left out, by reason.
    pub left_out: BTreeMap<String, Vec<String>>,
    /// By variant, in the order in which they were registered.
    pub variants: Vec<VariantReport>,
    /// What was created and could not be deleted.
    pub left_behind: Vec<String>,
}

/// What follows from the counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ClusterVerdict {
    /// The mutating webhook counted what the server counted, by identifier; the validating one counted nothing more.
    Agree,
    /// They counted differently.
    Disagree,
    /// The counters of the server could not be used.
    Unknown,
    /// No request was compared.
    NothingCompared,
}

/// What was counted while one variant was registered.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct VariantReport {
    /// Which.
    pub variant: Variant,
    /// Creates and updates.
    pub requests: SentCounts,
    /// What was not sent, by reason.
    pub not_sent: BTreeMap<String, u64>,
    /// Reviews.
    pub reviews: ReviewCounts,
    /// Errors on which both validations disagree, by `validation_identifier`. The identifier is empty where the server counts all of them
    /// together.
    pub mismatches: BTreeMap<String, MismatchCount>,
    /// Requests in which the declarative validation panicked.
    pub panics: BTreeMap<String, MismatchCount>,
}

/// Creates and updates by what the API server did with them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SentCounts {
    /// Accepted by its validation.
    pub accepted: u64,
    /// Rejected by its validation.
    pub rejected: u64,
    /// Failed otherwise, by what it said. It is not known whether they were validated.
    pub failed: BTreeMap<String, u64>,
}

impl SentCounts {
    /// Requests that were validated.
    #[must_use]
    pub fn validated(&self) -> u64 {
        self.accepted + self.rejected
    }

    /// All requests.
    #[must_use]
    pub fn sent(&self) -> u64 {
        self.validated() + self.failed.values().sum::<u64>()
    }
}

/// Reviews by what became of them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ReviewCounts {
    /// Reviews that arrived.
    pub arrived: u64,
    /// Those of them that were compared.
    pub compared: u64,
    /// Validated requests for which no review arrived.
    pub missed: SentCounts,
    /// Reviews that were not compared, by reason.
    pub not_compared: BTreeMap<String, u64>,
}

/// What both counted under one identifier.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct MismatchCount {
    /// The API server.
    pub server: u64,
    /// The shadow server, in requests that the API server validated.
    pub ours: u64,
    /// The shadow server, in requests that failed otherwise: the API server may have counted them or not.
    pub unclear: u64,
}

impl MismatchCount {
    /// Whether the API server can have counted what the shadow server saw before validation.
    fn agrees(self) -> bool {
        (self.ours..=self.ours + self.unclear).contains(&self.server)
    }

    /// Whether the server counted all that the shadow server saw after validation.
    fn covers(self) -> bool {
        self.ours <= self.server
    }
}

impl VariantReport {
    /// A variant before its first request.
    #[must_use]
    pub fn new(variant: Variant) -> Self {
        Self {
            variant,
            requests: SentCounts::default(),
            not_sent: BTreeMap::new(),
            reviews: ReviewCounts::default(),
            mismatches: BTreeMap::new(),
            panics: BTreeMap::new(),
        }
    }

    /// The identifiers under which the counts contradict each other.
    #[must_use]
    pub fn disagreements(&self) -> Vec<&str> {
        let agrees = |count: &MismatchCount| match self.variant {
            Variant::Mutating => count.agrees(),
            Variant::Validating => count.covers(),
        };
        let all = self.mismatches.iter().chain(&self.panics);
        all.filter(|(_, count)| !agrees(count)).map(|(identifier, _)| identifier.as_str()).collect()
    }

    /// What the server and the shadow server counted of mismatches, all identifiers together.
    #[must_use]
    pub fn total(&self) -> MismatchCount {
        self.mismatches.values().fold(MismatchCount::default(), |sum, count| MismatchCount {
            server: sum.server + count.server,
            ours: sum.ours + count.ours,
            unclear: sum.unclear + count.unclear,
        })
    }
}

impl ClusterReport {
    /// Draws the conclusion from the counts.
    pub fn conclude(&mut self) {
        let compared: u64 = self.variants.iter().map(|of| of.reviews.compared).sum();
        self.verdict = if compared == 0 {
            ClusterVerdict::NothingCompared
        } else if self.no_counters.is_some() {
            ClusterVerdict::Unknown
        } else if self.variants.iter().any(|of| !of.disagreements().is_empty()) {
            ClusterVerdict::Disagree
        } else {
            ClusterVerdict::Agree
        };
    }
}

#[cfg(test)]
mod tests {
    use super::{ClusterReport, ClusterVerdict, FORMAT_VERSION, MismatchCount, Variant, VariantReport};

    fn report(variant: Variant, server: u64, ours: u64, unclear: u64) -> ClusterReport {
        let mut of = VariantReport::new(variant);
        of.reviews.compared = 1;
        of.mismatches.insert("role_create".to_owned(), MismatchCount { server, ours, unclear });
        ClusterReport {
            format_version: FORMAT_VERSION,
            verdict: ClusterVerdict::NothingCompared,
            server: String::new(),
            server_version: String::new(),
            types: String::new(),
            semantics: String::new(),
            finished: true,
            no_counters: None,
            resources: [].into(),
            left_out: [].into(),
            variants: vec![of],
            left_behind: Vec::new(),
        }
    }

    #[test]
    fn a_mutating_webhook_counts_the_same_and_a_validating_one_no_more() {
        for (variant, [server, ours, unclear], verdict) in [
            (Variant::Mutating, [3, 3, 0], ClusterVerdict::Agree),
            (Variant::Mutating, [3, 2, 0], ClusterVerdict::Disagree),
            (Variant::Mutating, [3, 4, 0], ClusterVerdict::Disagree),
            (Variant::Mutating, [3, 2, 1], ClusterVerdict::Agree),
            (Variant::Mutating, [4, 2, 1], ClusterVerdict::Disagree),
            (Variant::Validating, [3, 0, 0], ClusterVerdict::Agree),
            (Variant::Validating, [3, 4, 0], ClusterVerdict::Disagree),
        ] {
            let mut report = report(variant, server, ours, unclear);
            report.conclude();
            assert_eq!(report.verdict, verdict, "{variant:?} {server} {ours} {unclear}");
        }
    }

    #[test]
    fn without_counters_of_the_server_or_comparisons_nothing_agrees() {
        let mut report = report(Variant::Mutating, 0, 0, 0);
        report.no_counters = Some("no".to_owned());
        report.conclude();
        assert_eq!(report.verdict, ClusterVerdict::Unknown);
        report.variants.iter_mut().for_each(|of| of.reviews.compared = 0);
        report.conclude();
        assert_eq!(report.verdict, ClusterVerdict::NothingCompared);
    }
}
