//! What a server counts of itself, beside the counters of the comparison. Every label has few values, whatever is sent.

use crate::Mode;
use crate::intake::{Arrival, Source};
use crate::openmetrics::{self, Exemplars};
use crate::plan::ShadowPlan;
use crate::settings::Limits;
use prometheus::core::Collector;
use prometheus::{
    Histogram, HistogramOpts, IntCounter, IntCounterVec, IntGauge, IntGaugeVec, Opts, exponential_buckets,
};
use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use takeover_harness::authority::{AuthorityPolicy, LifecycleRelease};
use takeover_harness::case::Operation;
use takeover_harness::compare::Signature;
use takeover_harness::metrics::{IdentifierMetrics, Metrics, MetricsError};
use takeover_harness::subject::PairId;

/// What became of a request to the webhook. Each has exactly one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum RequestOutcome {
    /// Handed to the workers.
    Queued,
    /// Not among the share that is compared.
    NotSampled,
    /// Of a kind that is switched off: by the settings, or because its oracles did not answer.
    SwitchedOff,
    /// Of no subject.
    NoSubject,
    /// Neither a create nor an update.
    NoObject,
    /// Of a version or kind that is not read.
    OtherVersion,
    /// Too many wait for the workers.
    QueueFull,
    /// The body is too long.
    TooLarge,
    /// Too many bodies are in memory.
    NoRoom,
    /// The body came too slowly, or broke off.
    CutOff,
    /// There is no uid that an answer could be for.
    NoUid,
    /// To another path than the webhook has, or with another method.
    NotHere,
}

impl RequestOutcome {
    /// All of them.
    pub const ALL: [Self; 12] = [
        Self::Queued,
        Self::NotSampled,
        Self::SwitchedOff,
        Self::NoSubject,
        Self::NoObject,
        Self::OtherVersion,
        Self::QueueFull,
        Self::TooLarge,
        Self::NoRoom,
        Self::CutOff,
        Self::NoUid,
        Self::NotHere,
    ];

    /// The label.
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            Self::Queued => "queued",
            Self::NotSampled => "not_sampled",
            Self::SwitchedOff => "switched_off",
            Self::NoSubject => "no_subject",
            Self::NoObject => "no_object",
            Self::OtherVersion => "other_version",
            Self::QueueFull => "queue_full",
            Self::TooLarge => "too_large",
            Self::NoRoom => "no_room",
            Self::CutOff => "cut_off",
            Self::NoUid => "no_uid",
            Self::NotHere => "not_here",
        }
    }
}

/// What became of a queued review. Each has exactly one, once it left the queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum WorkOutcome {
    /// Judged, and in the evidence.
    Judged,
    /// In the evidence as what cannot be judged.
    Unusable,
    /// In the evidence as a panic: an oracle did not answer.
    Hung,
    /// Lost, for the program itself panicked over it.
    Failed,
    /// Lost, for the server ended before its turn.
    Left,
    /// Not compared: switched off, or outside the share. Reviews are told apart before they are queued, audit events after.
    NotWanted,
}

impl WorkOutcome {
    const ALL: [Self; 6] = [Self::Judged, Self::Unusable, Self::Hung, Self::Failed, Self::Left, Self::NotWanted];

    fn label(self) -> &'static str {
        match self {
            Self::Judged => "judged",
            Self::Unusable => "unusable",
            Self::Hung => "hung",
            Self::Failed => "failed",
            Self::Left => "left",
            Self::NotWanted => "not_wanted",
        }
    }
}

/// Answers to reviews.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AnswerOutcome {
    /// Allowed.
    Allowed,
    /// Allowed, for no judgement came in time.
    Unjudged,
    /// Refused, with `--enforce` only.
    Refused,
    /// An HTTP error, which the server's failure policy decides on.
    Error,
}

impl AnswerOutcome {
    const ALL: [Self; 4] = [Self::Allowed, Self::Unjudged, Self::Refused, Self::Error];

    fn label(self) -> &'static str {
        match self {
            Self::Allowed => "allowed",
            Self::Unjudged => "unjudged",
            Self::Refused => "refused",
            Self::Error => "error",
        }
    }
}

/// A file that is read again when it changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reloaded {
    /// Certificate or key.
    Certificate,
    /// Settings.
    Settings,
    /// Exceptions.
    Exceptions,
}

impl Reloaded {
    const ALL: [Self; 3] = [Self::Certificate, Self::Settings, Self::Exceptions];

    fn label(self) -> &'static str {
        match self {
            Self::Certificate => "certificate",
            Self::Settings => "settings",
            Self::Exceptions => "exceptions",
        }
    }
}

/// What Kubernetes' own counters count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Seen {
    /// An error on which both sides disagree.
    Mismatch,
    /// A panic of the declarative side.
    Panic,
}

/// Metrics that cannot be registered.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub enum MetersError {
    /// Those of the comparison.
    Comparison(#[from] MetricsError),
    /// Those of the server.
    Server(#[from] prometheus::Error),
}

/// Everything that is counted.
pub struct Meters {
    comparison: Metrics,
    prefix: String,
    exemplars: Mutex<Exemplars>,
    identifiers: Vec<[IdentifierMetrics; 2]>,
    pairs: Vec<PairId>,
    requests: [IntCounter; 12],
    done: [IntCounter; 6],
    events: [IntCounter; 6],
    batches: [IntCounter; 12],
    batches_left: IntCounter,
    not_compared: IntCounterVec,
    unexcused: IntCounterVec,
    arrivals: [IntCounter; 3],
    answers: [IntCounter; 4],
    hop: Histogram,
    reloads: IntCounterVec,
    reload_failed: IntGaugeVec,
    checkpoints: IntCounterVec,
    off: IntGaugeVec,
    lost: IntGauge,
    queue: IntGauge,
    capacity: IntGauge,
    buffered: IntGauge,
    /// Open connections to the webhook.
    pub connections: IntGauge,
    /// Connections that were closed because there were too many.
    pub refused: IntCounter,
    /// Connections that were closed to make room for others.
    pub made_room: IntCounter,
    /// Connections that ended before a request: handshake or head failed or took too long.
    pub broken: IntCounter,
    /// Signatures and panics of which a case is kept.
    pub samples: IntGauge,
    /// Signatures and panics in the evidence.
    pub signatures: IntGauge,
    /// Log lines that were too many.
    pub unsaid: IntCounter,
    server: IntGaugeVec,
    certificate_ends: IntGauge,
}

/// The source of audit events, in batches and in logs.
const AUDIT: &str = "audit";

impl Meters {
    /// The counters of a server that starts now; Kubernetes' own names have `prefix`.
    ///
    /// # Errors
    /// When the prefix makes no valid name.
    pub fn new(plan: &ShadowPlan, limits: &Limits, prefix: &str) -> Result<Self, MetersError> {
        let comparison = Metrics::new(prefix)?;
        let identifiers = plan
            .pairs
            .iter()
            .map(|pair| Operation::ALL.map(|operation| comparison.identifier(&pair.id, operation, &pair.rules)));
        let identifiers = identifiers.collect();
        let at = &comparison;
        let requests =
            counters(at, "takeover_shadow_requests_total", "Requests to the webhook by outcome.", "outcome")?;
        let not_compared = Opts::new(
            "takeover_shadow_not_compared_total",
            "Reviews and requests in audit events that are not compared.",
        );
        let not_compared = registered(at, IntCounterVec::new(not_compared, &["source", "reason"])?)?;
        // What an alert asks for is there from the beginning.
        let _ = not_compared.with_label_values(&[AUDIT, "unreadable"]);
        let unexcused = Opts::new(
            "takeover_shadow_unexcused_disagreements_total",
            "Cases of each disagreement that no exception excuses.",
        );
        let unexcused = registered(at, IntCounterVec::new(unexcused, &["validation_identifier"])?)?;
        let arrivals = counters(
            at,
            "takeover_shadow_comparisons_total",
            "Comparisons by how their requests arrived. A validating webhook is called only for requests that the API server has \
             accepted, so it sees none that handwritten checks reject.",
            "source",
        )?;
        let work = counters(at, "takeover_shadow_work_total", "Queued reviews by outcome.", "outcome")?;
        let events = counters(
            at,
            "takeover_shadow_audit_cases_total",
            "Requests in audit events, sent or from logs, by outcome.",
            "outcome",
        )?;
        let batches = counters(at, "takeover_shadow_audit_batches_total", "Batches of audit events.", "outcome")?;
        let answers = counters(at, "takeover_shadow_answers_total", "Answers of the webhook.", "answer")?;
        let hop = HistogramOpts::new("takeover_shadow_hop_seconds", "Time from a request's head to its answer.")
            .buckets(exponential_buckets(5e-5, 2.5, 12)?);
        let meters = Self {
            requests: RequestOutcome::ALL.map(|outcome| requests.with_label_values(&[outcome.label()])),
            done: WorkOutcome::ALL.map(|done| work.with_label_values(&[done.label()])),
            events: WorkOutcome::ALL.map(|done| events.with_label_values(&[done.label()])),
            batches: RequestOutcome::ALL.map(|outcome| batches.with_label_values(&[outcome.label()])),
            batches_left: batches.with_label_values(&["left"]),
            not_compared,
            unexcused,
            arrivals: Arrival::ALL.map(|arrival| arrivals.with_label_values(&[arrival.label()])),
            answers: AnswerOutcome::ALL.map(|answered| answers.with_label_values(&[answered.label()])),
            hop: registered(at, Histogram::with_opts(hop)?)?,
            reloads: counters(at, "takeover_shadow_reloads_total", "Changed files by outcome.", "outcome")?,
            reload_failed: gauges(
                at,
                "takeover_shadow_reload_failed",
                "1 while a changed file is invalid and its previous content stays in use.",
                &["file"],
            )?,
            checkpoints: counters(at, "takeover_shadow_checkpoints_total", "Writes of evidence to disk.", "outcome")?,
            off: gauges(
                at,
                "takeover_shadow_subject_off",
                "Subjects that are switched off because an oracle did not answer.",
                &["subject"],
            )?,
            lost: gauge(at, "takeover_shadow_lost_threads", "Threads lost to oracles that do not answer.")?,
            queue: gauge(at, "takeover_shadow_queue_length", "Reviews that wait for a worker.")?,
            capacity: gauge(at, "takeover_shadow_queue_capacity", "Most reviews that may wait for a worker.")?,
            buffered: gauge(at, "takeover_shadow_buffered_bytes", "Memory of bodies that are read or wait.")?,
            connections: gauge(at, "takeover_shadow_connections", "Open connections to the webhook.")?,
            refused: counter(at, "takeover_shadow_connections_refused_total", "Connections beyond the limit.")?,
            made_room: counter(
                at,
                "takeover_shadow_connections_made_room_total",
                "Idle connections that were closed to make room for others.",
            )?,
            broken: counter(at, "takeover_shadow_connections_broken_total", "Connections that failed or stalled.")?,
            samples: gauge(at, "takeover_shadow_samples", "Disagreements and panics with a stored case.")?,
            signatures: gauge(at, "takeover_shadow_signatures", "Disagreements and panics by signature.")?,
            unsaid: counter(at, "takeover_shadow_log_lines_dropped_total", "Log lines beyond the limit.")?,
            server: gauges(
                at,
                "takeover_shadow_server_info",
                "Version of the API server, if its metrics are read.",
                &["version"],
            )?,
            certificate_ends: gauge(
                at,
                "takeover_shadow_certificate_expires_timestamp_seconds",
                "When the certificate of the webhook ends, in seconds since 1970; 0 without a webhook.",
            )?,
            comparison,
            prefix: prefix.to_owned(),
            exemplars: Mutex::default(),
            identifiers,
            pairs: plan.ids(),
        };
        for file in Reloaded::ALL {
            meters.reload_failed.with_label_values(&[file.label()]);
        }
        for outcome in ["ok", "failed"] {
            meters.reloads.with_label_values(&[outcome]);
            meters.checkpoints.with_label_values(&[outcome]);
        }
        // From nothing on, so that alerts see the first.
        for id in plan.ids() {
            for operation in Operation::ALL {
                meters.unexcused.with_label_values(&[id.validation_identifier(operation).as_str()]);
            }
        }
        meters.describe(plan, limits)?;
        Ok(meters)
    }

    /// What does not change: limits, build, gates.
    fn describe(&self, plan: &ShadowPlan, limits: &Limits) -> Result<(), prometheus::Error> {
        let at = &self.comparison;
        self.queue_capacity(limits.queue);
        let build = gauges(at, "takeover_build_info", "Version and mode.", &["version", "semantics", "mode"])?;
        let mode = match plan.mode {
            Mode::Shadow => "shadow",
            Mode::Warn => "warn",
            Mode::Enforce => "enforce",
        };
        build.with_label_values(&[env!("CARGO_PKG_VERSION"), &plan.semantics(), mode]).set(1);
        let gates = gauges(at, "kubernetes_feature_enabled", "Feature gates of the authority.", &["name", "stage"])?;
        for (name, stage, on) in gates_of(plan.authority) {
            gates.with_label_values(&[name, stage]).set(i64::from(on));
        }
        Ok(())
    }

    /// Where other parts of the server add what they count.
    pub(crate) fn registry(&self) -> &Metrics {
        &self.comparison
    }

    /// The counters of a subject's creates and updates.
    #[must_use]
    pub fn identifiers(&self, subject: usize) -> Option<&[IdentifierMetrics; 2]> {
        self.identifiers.get(subject)
    }

    /// The counters of the creates and updates of the subject of this name.
    pub(crate) fn identifiers_of(&self, pair: &PairId) -> Option<&[IdentifierMetrics; 2]> {
        let index = self.pairs.iter().position(|id| id == pair)?;
        self.identifiers(index)
    }

    /// Notes how many reviews may wait.
    pub(crate) fn queue_capacity(&self, most: usize) {
        self.capacity.set(i64::try_from(most).unwrap_or(i64::MAX));
    }

    /// Counts a request.
    pub fn request(&self, outcome: RequestOutcome) {
        count(&self.requests, &RequestOutcome::ALL, outcome, 1);
    }

    /// Counts reviews that left the queue, or requests in audit events.
    pub fn done(&self, source: Source, done: WorkOutcome, number: u64) {
        let counters = match source {
            Source::Reviews => &self.done,
            Source::Events | Source::Log(_) => &self.events,
        };
        count(counters, &WorkOutcome::ALL, done, number);
    }

    /// Counts cases of a disagreement that no exception excuses.
    pub(crate) fn unexcused(&self, identifier: &str, cases: u64) {
        self.unexcused.with_label_values(&[identifier]).inc_by(cases);
    }

    /// Counts a review or a request in audit events that is no evidence. There are few reasons, whatever is sent.
    pub(crate) fn not_compared(&self, source: Source, reason: &'static str) {
        let source = if source == Source::Reviews { "reviews" } else { AUDIT };
        self.not_compared.with_label_values(&[source, reason]).inc();
    }

    /// Counts comparisons by how their requests arrived.
    pub(crate) fn arrived(&self, arrival: Arrival, number: u64) {
        count(&self.arrivals, &Arrival::ALL, arrival, number);
    }

    /// Counts a batch of audit events.
    pub fn batch(&self, outcome: RequestOutcome) {
        count(&self.batches, &RequestOutcome::ALL, outcome, 1);
    }

    /// Counts queued batches of audit events that the end of the server came before.
    pub fn batches_left(&self, batches: u64) {
        self.batches_left.inc_by(batches);
    }

    /// Counts an answer and the time it took.
    pub fn answered(&self, answered: AnswerOutcome, time: Duration) {
        count(&self.answers, &AnswerOutcome::ALL, answered, 1);
        self.hop.observe(time.as_secs_f64());
    }

    /// Counts a file that was read again, and notes whether what it holds is in use.
    pub fn reloaded(&self, file: Reloaded, ok: bool) {
        self.reload_failed.with_label_values(&[file.label()]).set(i64::from(!ok));
        self.reloads.with_label_values(&[if ok { "ok" } else { "failed" }]).inc();
    }

    /// Counts a write of evidence.
    pub fn checkpoint(&self, ok: bool) {
        self.checkpoints.with_label_values(&[if ok { "ok" } else { "failed" }]).inc();
    }

    /// Notes the version of the API server.
    pub(crate) fn api_server(&self, version: &str) {
        if !version.is_empty() {
            self.server.reset();
            self.server.with_label_values(&[version]).set(1);
        }
    }

    /// Notes when the certificate ends, in seconds since 1970.
    pub(crate) fn certificate_ends(&self, at: Option<u64>) {
        self.certificate_ends.set(at.and_then(|at| i64::try_from(at).ok()).unwrap_or_default());
    }

    /// Notes a subject that is switched off, and the thread that it took.
    pub fn switched_off(&self, pair: &PairId) {
        self.off.with_label_values(&[&pair.to_string()]).set(1);
    }

    /// Notes a thread that will not come back.
    pub fn lost_thread(&self) {
        self.lost.inc();
    }

    /// Threads that will not come back.
    #[must_use]
    pub fn lost_threads(&self) -> usize {
        usize::try_from(self.lost.get()).unwrap_or_default()
    }

    /// Requests so far that were to be compared and were not, by reason.
    #[must_use]
    pub fn lost(&self) -> BTreeMap<String, u64> {
        let requests = [
            (RequestOutcome::NotSampled, "outside the share"),
            (RequestOutcome::SwitchedOff, "kind switched off"),
            (RequestOutcome::QueueFull, "queue full"),
            (RequestOutcome::TooLarge, "body too large"),
            (RequestOutcome::NoRoom, "no room for bodies"),
            (RequestOutcome::CutOff, "body incomplete or slow"),
        ];
        let work = [(WorkOutcome::Failed, "lost in this program"), (WorkOutcome::Left, "left in the queue at the end")];
        let of = |all: &[IntCounter], at: usize| all.get(at).map_or(0, IntCounter::get);
        let place = |wanted: RequestOutcome| RequestOutcome::ALL.iter().position(|of| *of == wanted);
        let done = |wanted: WorkOutcome| WorkOutcome::ALL.iter().position(|of| *of == wanted);
        let requests = requests.into_iter().filter_map(|(outcome, why)| {
            let at = place(outcome)?;
            Some((why, of(&self.requests, at) + of(&self.batches, at)))
        });
        let work = work.into_iter().filter_map(|(outcome, why)| {
            let at = done(outcome)?;
            Some((why, of(&self.done, at) + of(&self.events, at)))
        });
        requests.chain(work).filter(|(_, number)| *number > 0).map(|(why, number)| (why.to_owned(), number)).collect()
    }

    /// Requests so far with this outcome.
    #[must_use]
    pub fn requests(&self, outcome: RequestOutcome) -> u64 {
        RequestOutcome::ALL
            .iter()
            .zip(&self.requests)
            .find(|(of, _)| **of == outcome)
            .map_or(0, |(_, counter)| counter.get())
    }

    /// Takes over what waits now.
    pub fn waiting(&self, queued: usize, buffered: usize) {
        self.queue.set(i64::try_from(queued).unwrap_or(i64::MAX));
        self.buffered.set(i64::try_from(buffered).unwrap_or(i64::MAX));
    }

    /// Reviews so far, whatever became of them, and how many of them wait for their comparison.
    #[must_use]
    pub(crate) fn reviews(&self) -> (u64, u64) {
        let sum = |counters: &[IntCounter]| counters.iter().map(IntCounter::get).sum::<u64>();
        (sum(&self.requests), self.requests(RequestOutcome::Queued).saturating_sub(sum(&self.done)))
    }

    /// Answers so far, of whatever kind.
    #[must_use]
    pub(crate) fn answers(&self) -> u64 {
        self.answers.iter().map(IntCounter::get).sum()
    }

    /// The text exposition.
    ///
    /// # Errors
    /// When it cannot be encoded.
    pub fn text(&self) -> Result<String, prometheus::Error> {
        self.comparison.text()
    }

    /// The exposition as `OpenMetrics` has it, with exemplars.
    ///
    /// # Errors
    /// When it cannot be encoded.
    pub fn open_metrics(&self) -> Result<String, prometheus::Error> {
        openmetrics::encode(&self.comparison.families(), &self.exemplars())
    }

    /// Notes where something was seen that Kubernetes' own counters count, and of a mismatch what its signature says of its cause.
    pub fn seen(
        &self,
        what: Seen,
        identifier: &str,
        seen_in: &str,
        signature: Option<&Signature>,
        at: jiff::Timestamp,
    ) {
        let why = signature.map(|signature| {
            let cause = signature.cause.map(|cause| ("cause", cause.word().to_owned()));
            std::iter::once(("relation", signature.relation.word().to_owned())).chain(cause).collect::<Vec<_>>()
        });
        let why = why.unwrap_or_default();
        let [plain, by_identifier] = match what {
            Seen::Mismatch => ["mismatch_total", "parity_discrepancies_total"],
            Seen::Panic => ["panic_total", "panics_total"],
        };
        let mut exemplars = self.exemplars();
        let name = |name: &str| format!("{}declarative_validation_{name}", self.prefix);
        exemplars.note(&name(plain), "", seen_in, &why, at);
        exemplars.note(&name(by_identifier), identifier, seen_in, &why, at);
    }

    fn exemplars(&self) -> MutexGuard<'_, Exemplars> {
        self.exemplars.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Name, stage and state of the gates of a policy, as Kubernetes names them.
fn gates_of(policy: AuthorityPolicy) -> Vec<(&'static str, &'static str, bool)> {
    match policy {
        AuthorityPolicy::Takeover(gates) => vec![
            ("DeclarativeValidation", "BETA", gates.declarative_validation),
            ("DeclarativeValidationTakeover", "BETA", gates.takeover),
        ],
        AuthorityPolicy::Lifecycle(gates) => {
            let stage = if gates.release == LifecycleRelease::V1_37 { "" } else { "BETA" };
            vec![
                ("DeclarativeValidation", stage, gates.declarative_validation),
                ("DeclarativeValidationBeta", "BETA", gates.beta),
            ]
        }
        _ => Vec::new(),
    }
}

fn count<T: PartialEq, const N: usize>(counters: &[IntCounter; N], all: &[T; N], of: T, number: u64) {
    if let Some((_, counter)) = all.iter().zip(counters).find(|(known, _)| **known == of) {
        counter.inc_by(number);
    }
}

fn registered<C: Collector + Clone + 'static>(metrics: &Metrics, collector: C) -> Result<C, prometheus::Error> {
    metrics.add(Box::new(collector.clone()))?;
    Ok(collector)
}

fn counters(metrics: &Metrics, name: &str, help: &str, label: &str) -> Result<IntCounterVec, prometheus::Error> {
    registered(metrics, IntCounterVec::new(Opts::new(name, help), &[label])?)
}

fn counter(metrics: &Metrics, name: &str, help: &str) -> Result<IntCounter, prometheus::Error> {
    registered(metrics, IntCounter::new(name, help)?)
}

fn gauges(metrics: &Metrics, name: &str, help: &str, labels: &[&str]) -> Result<IntGaugeVec, prometheus::Error> {
    registered(metrics, IntGaugeVec::new(Opts::new(name, help), labels)?)
}

fn gauge(metrics: &Metrics, name: &str, help: &str) -> Result<IntGauge, prometheus::Error> {
    registered(metrics, IntGauge::new(name, help)?)
}
