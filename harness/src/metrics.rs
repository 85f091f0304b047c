//! Counters for Prometheus: Kubernetes' own, and what they lack — a denominator and a rule.
//!
//! Label lookup costs ten times an increment, so everything that counts resolves its children once, per subject and
//! operation ([`Metrics::identifier`]).
//!
//! Sources of names and increments: KEP-5073 and the declarative validation specification §9.8. Kubernetes' full names carry the
//! prefix `apiserver_validation_`, which [`Metrics::new`] takes.

use crate::case::Operation;
use crate::rule::{Rule, RuleId};
use crate::side::Side;
use crate::subject::PairId;
use prometheus::core::Collector;
use prometheus::proto::MetricFamily;
use prometheus::{Histogram, HistogramOpts, HistogramVec, IntCounter, IntCounterVec, Opts, Registry, TextEncoder};
use std::collections::BTreeMap;
use std::time::Duration;

/// Most rules of one identifier that get a series of their own; the rest share the rule label `other`.
const MAX_RULES: usize = 500;

/// Upper bounds of the time histogram, in seconds: a quarter microsecond to ten milliseconds.
const SECONDS: [f64; 11] = [2.5e-7, 5e-7, 1e-6, 2.5e-6, 5e-6, 1e-5, 2.5e-5, 1e-4, 1e-3, 5e-3, 1e-2];

/// How a comparison, or a rule within it, came out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum CaseFate {
    /// Neither side complains.
    AgreedAccept,
    /// Both sides complain alike.
    AgreedReject,
    /// Something was said that cannot be compared.
    Incomparable,
    /// Only the reference complains.
    Missing,
    /// Only the candidate complains.
    Extra,
    /// Both sides set a value differently.
    Differs,
    /// An oracle panicked.
    Panicked,
    /// The object is not one of its type.
    Undecodable,
    /// Left out for a reason that the evidence names.
    Skipped,
}

impl CaseFate {
    /// The outcomes that every pair has series for from the beginning. The others get a series when they first occur, because
    /// most pairs cannot have them.
    const USUAL: [CaseFate; 7] = [
        Self::AgreedAccept,
        Self::AgreedReject,
        Self::Missing,
        Self::Extra,
        Self::Panicked,
        Self::Undecodable,
        Self::Skipped,
    ];

    /// The same as [`CaseFate::USUAL`], for a rule.
    const USUAL_OF_RULES: [CaseFate; 5] =
        [Self::AgreedAccept, Self::AgreedReject, Self::Missing, Self::Extra, Self::Panicked];

    fn label(self) -> &'static str {
        match self {
            Self::AgreedAccept => "agreed_accept",
            Self::AgreedReject => "agreed_reject",
            Self::Incomparable => "incomparable",
            Self::Missing => "missing",
            Self::Extra => "extra",
            Self::Differs => "differs",
            Self::Panicked => "panicked",
            Self::Undecodable => "undecodable",
            Self::Skipped => "skipped",
        }
    }
}

/// All counters of a run.
pub struct Metrics {
    registry: Registry,
    mismatch: IntCounter,
    parity: IntCounterVec,
    panic: IntCounter,
    panics: IntCounterVec,
    comparisons: IntCounterVec,
    rules: IntCounterVec,
    oracle_panics: IntCounterVec,
    seconds: HistogramVec,
}

/// Metrics that cannot be registered: a prefix that makes no valid name.
#[derive(Debug, thiserror::Error)]
#[error("cannot register metrics under the prefix `{prefix}`: {source}")]
pub struct MetricsError {
    prefix: String,
    source: prometheus::Error,
}

impl Metrics {
    /// Counters whose Kubernetes names carry `prefix` (empty, or `apiserver_validation_` as in the API server).
    ///
    /// # Errors
    /// Returns an error when the prefix makes no valid metric name.
    pub fn new(prefix: &str) -> Result<Self, MetricsError> {
        Self::register(prefix).map_err(|source| MetricsError { prefix: prefix.to_owned(), source })
    }

    fn register(prefix: &str) -> Result<Self, prometheus::Error> {
        let name = |name: &str| format!("{prefix}{name}");
        let metrics = Self {
            registry: Registry::new(),
            mismatch: IntCounter::new(
                name("declarative_validation_mismatch_total"),
                "Errors on which the handwritten and the declarative validation disagree.",
            )?,
            parity: IntCounterVec::new(
                Opts::new(
                    name("declarative_validation_parity_discrepancies_total"),
                    "Errors on which both validations disagree, by kind and operation.",
                ),
                &["validation_identifier"],
            )?,
            panic: IntCounter::new(
                name("declarative_validation_panic_total"),
                "Requests in which the declarative validation panicked.",
            )?,
            panics: IntCounterVec::new(
                Opts::new(
                    name("declarative_validation_panics_total"),
                    "Requests in which the declarative validation panicked, by kind and operation.",
                ),
                &["validation_identifier"],
            )?,
            comparisons: IntCounterVec::new(
                Opts::new("takeover_comparisons_total", "Cases by outcome: the denominator of the mismatch counters."),
                &["validation_identifier", "outcome"],
            )?,
            rules: IntCounterVec::new(
                Opts::new(
                    "takeover_rule_comparisons_total",
                    "Cases in which a declarative rule was at stake, by outcome.",
                ),
                &["validation_identifier", "rule", "outcome"],
            )?,
            oracle_panics: IntCounterVec::new(
                Opts::new("takeover_oracle_panics_total", "Cases in which an oracle panicked."),
                &["validation_identifier", "side"],
            )?,
            seconds: HistogramVec::new(
                HistogramOpts::new("takeover_oracle_seconds", "Time of one validation, sampled.")
                    .buckets(SECONDS.to_vec()),
                &["validation_identifier", "side"],
            )?,
        };
        let collectors: [Box<dyn Collector>; 8] = [
            Box::new(metrics.mismatch.clone()),
            Box::new(metrics.parity.clone()),
            Box::new(metrics.panic.clone()),
            Box::new(metrics.panics.clone()),
            Box::new(metrics.comparisons.clone()),
            Box::new(metrics.rules.clone()),
            Box::new(metrics.oracle_panics.clone()),
            Box::new(metrics.seconds.clone()),
        ];
        for collector in collectors {
            metrics.registry.register(collector)?;
        }
        Ok(metrics)
    }

    /// The counters of one pair and operation, resolved.
    #[must_use]
    pub fn identifier(&self, pair: &PairId, operation: Operation, rules: &[Rule]) -> IdentifierMetrics {
        let identifier = pair.validation_identifier(operation);
        let id = identifier.as_str();
        let side = |vector: &IntCounterVec, side: Side| vector.with_label_values(&[id, &side.to_string()]);
        let seconds = |side: Side| self.seconds.with_label_values(&[id, &side.to_string()]);
        IdentifierMetrics {
            mismatch: self.mismatch.clone(),
            parity: self.parity.with_label_values(&[id]),
            panic: self.panic.clone(),
            panics: self.panics.with_label_values(&[id]),
            comparisons: CaseFate::USUAL.map(|outcome| self.comparisons.with_label_values(&[id, outcome.label()])),
            all_comparisons: self.comparisons.clone(),
            rules: rules
                .iter()
                .filter(|rule| operation == Operation::Update || !rule.update_only)
                .enumerate()
                .map(|(index, rule)| {
                    let label =
                        if index < MAX_RULES { format!("{} {}", rule.path, rule.chain) } else { "other".to_owned() };
                    let label = label.trim_start().to_owned();
                    let usual = CaseFate::USUAL_OF_RULES
                        .map(|outcome| self.rules.with_label_values(&[id, label.as_str(), outcome.label()]));
                    RuleMetrics { rule: rule.id, label, usual }
                })
                .collect(),
            all_rules: self.rules.clone(),
            reference_panics: side(&self.oracle_panics, Side::Reference),
            candidate_panics: side(&self.oracle_panics, Side::Candidate),
            reference_seconds: seconds(Side::Reference),
            candidate_seconds: seconds(Side::Candidate),
            identifier,
        }
    }

    /// Adds a collector of the caller to the exposition.
    ///
    /// # Errors
    /// Returns an error when there is one of that name already.
    pub fn add(&self, collector: Box<dyn Collector>) -> Result<(), prometheus::Error> {
        self.registry.register(collector)
    }

    /// Errors on which both sides disagree, and requests in which the candidate panicked, by `validation_identifier`; without those that are 0.
    #[must_use]
    pub fn by_identifier(&self) -> [BTreeMap<String, u64>; 2] {
        [&self.parity, &self.panics].map(|counters| {
            let families = counters.collect();
            let all = families.iter().flat_map(MetricFamily::get_metric).map(|metric| {
                let identifier = metric.get_label().first().map(|label| label.value().to_owned());
                #[expect(
                    clippy::cast_possible_truncation,
                    clippy::cast_sign_loss,
                    reason = "counters are whole and not negative"
                )]
                let count = metric.get_counter().get_value() as u64;
                (identifier.unwrap_or_default(), count)
            });
            all.filter(|(_, count)| *count > 0).collect()
        })
    }

    /// Every counter as it is now, sorted by name.
    #[must_use]
    pub fn families(&self) -> Vec<MetricFamily> {
        self.registry.gather()
    }

    /// The text exposition of every counter, sorted by name.
    ///
    /// # Errors
    /// Returns an error when the exposition cannot be encoded.
    pub fn text(&self) -> Result<String, prometheus::Error> {
        TextEncoder::new().encode_to_string(&self.families())
    }
}

/// The resolved counters of one pair and operation.
pub struct IdentifierMetrics {
    mismatch: IntCounter,
    parity: IntCounter,
    panic: IntCounter,
    panics: IntCounter,
    identifier: String,
    comparisons: [IntCounter; CaseFate::USUAL.len()],
    all_comparisons: IntCounterVec,
    rules: Vec<RuleMetrics>,
    all_rules: IntCounterVec,
    reference_panics: IntCounter,
    candidate_panics: IntCounter,
    reference_seconds: Histogram,
    candidate_seconds: Histogram,
}

/// The counter of an outcome, where it is resolved.
fn resolved<'c>(outcomes: &[CaseFate], outcome: CaseFate, counters: &'c [IntCounter]) -> Option<&'c IntCounter> {
    counters.get(outcomes.iter().position(|known| *known == outcome)?)
}

struct RuleMetrics {
    rule: RuleId,
    label: String,
    usual: [IntCounter; CaseFate::USUAL_OF_RULES.len()],
}

impl IdentifierMetrics {
    /// Counts `cases` cases with this outcome.
    pub fn compared(&self, outcome: CaseFate, cases: u64) {
        match resolved(&CaseFate::USUAL, outcome, &self.comparisons) {
            Some(counter) => counter.inc_by(cases),
            None if cases == 0 => {}
            None => self.all_comparisons.with_label_values(&[&*self.identifier, outcome.label()]).inc_by(cases),
        }
    }

    /// Counts `errors` errors on which both sides disagree: one increment an error, as Kubernetes counts.
    pub fn mismatches(&self, errors: u64) {
        self.mismatch.inc_by(errors);
        self.parity.inc_by(errors);
    }

    /// Counts `cases` cases in which an oracle panicked. Kubernetes' own counters see the declarative side only.
    pub fn panicked(&self, side: Side, cases: u64) {
        match side {
            Side::Reference => self.reference_panics.inc_by(cases),
            Side::Candidate => {
                self.candidate_panics.inc_by(cases);
                self.panic.inc_by(cases);
                self.panics.inc_by(cases);
            }
        }
    }

    /// Counts `cases` cases in which `rule` was at stake. Outcomes that a rule cannot have are ignored.
    pub fn rule(&self, rule: RuleId, outcome: CaseFate, cases: u64) {
        let found = self.rules.binary_search_by_key(&rule, |of| of.rule).ok().and_then(|index| self.rules.get(index));
        let Some(of) = found.filter(|_| !matches!(outcome, CaseFate::Undecodable | CaseFate::Skipped)) else { return };
        match resolved(&CaseFate::USUAL_OF_RULES, outcome, &of.usual) {
            Some(counter) => counter.inc_by(cases),
            None => self.all_rules.with_label_values(&[&*self.identifier, &of.label, outcome.label()]).inc_by(cases),
        }
    }

    /// Records the time of one validation.
    pub fn observe(&self, side: Side, time: Duration) {
        match side {
            Side::Reference => self.reference_seconds.observe(time.as_secs_f64()),
            Side::Candidate => self.candidate_seconds.observe(time.as_secs_f64()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{CaseFate, Metrics};
    use crate::case::Operation;
    use crate::rule::{Rule, RuleId};
    use crate::side::Side;
    use crate::subject::SubjectId;
    use std::time::Duration;

    fn rule() -> Rule {
        Rule::new(RuleId(0), "spec.replicas", "minimum=0")
    }

    #[test]
    fn mismatches_and_panics_count_as_kubernetes_counts_them() {
        let metrics = Metrics::new("apiserver_validation_").unwrap();
        let id = SubjectId::new("v1", "ReplicationController").into();
        let update = metrics.identifier(&id, Operation::Update, &[rule()]);
        update.mismatches(2);
        update.panicked(Side::Candidate, 1);
        update.panicked(Side::Reference, 5);
        update.compared(CaseFate::AgreedAccept, 7);
        update.rule(RuleId(0), CaseFate::Extra, 3);
        update.rule(RuleId(9), CaseFate::Extra, 3);
        update.observe(Side::Reference, Duration::from_micros(1));
        let update = "replicationcontroller_update".to_owned();
        assert_eq!(metrics.by_identifier(), [[(update.clone(), 2)].into(), [(update, 1)].into()]);
        let text = metrics.text().unwrap();
        for line in [
            "apiserver_validation_declarative_validation_mismatch_total 2",
            "apiserver_validation_declarative_validation_parity_discrepancies_total{validation_identifier=\"replicationcontroller_update\"} 2",
            "apiserver_validation_declarative_validation_panic_total 1",
            "apiserver_validation_declarative_validation_panics_total{validation_identifier=\"replicationcontroller_update\"} 1",
            "takeover_comparisons_total{outcome=\"agreed_accept\",validation_identifier=\"replicationcontroller_update\"} 7",
            "takeover_rule_comparisons_total{outcome=\"extra\",rule=\"spec.replicas minimum=0\",validation_identifier=\"replicationcontroller_update\"} 3",
            "takeover_oracle_panics_total{side=\"reference\",validation_identifier=\"replicationcontroller_update\"} 5",
            "takeover_oracle_seconds_count{side=\"reference\",validation_identifier=\"replicationcontroller_update\"} 1",
        ] {
            assert!(text.lines().any(|found| found == line), "{line} is not in\n{text}");
        }
    }

    #[test]
    fn names_have_no_prefix_unless_asked_for() {
        let text = Metrics::new("").unwrap().text().unwrap();
        assert!(text.lines().any(|line| line == "declarative_validation_mismatch_total 0"), "{text}");
    }

    #[test]
    fn a_bad_prefix_is_an_error_that_names_it() {
        let error = Metrics::new("1 bad ").err().unwrap().to_string();
        assert!(error.contains("`1 bad `"), "{error}");
    }
}
