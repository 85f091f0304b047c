//! What was gathered since the beginning: evidence, the days on which it was, and the disagreements that were told of.

use crate::api_server::{ApiServerSeen, compared};
use crate::intake::Arrival;
use crate::metrics::{Meters, Seen};
use crate::plan::ShadowPlan;
use crate::samples::{MOST_BYTES, Samples};
use crate::settings::Privacy;
use crate::tail::{LogMark, Position, Start, Tail};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::sync::{Mutex, MutexGuard, PoisonError};
use takeover_harness::case::Operation;
use takeover_harness::compare::Signature;
use takeover_harness::evidence::{Evidence, EvidenceError, Example, PairEvidence};
use takeover_harness::exception::{Exceptions, Excuse, Excuses};
use takeover_harness::runner::{JudgeControls, count};
use takeover_harness::side::Side;
use takeover_harness::subject::PairId;

/// Evidence of one worker, until it is taken.
pub struct Gathered {
    /// By index of the subject.
    pub pairs: Vec<PairEvidence>,
    /// What belongs to no subject.
    pub outside: Evidence,
    /// What was judged in other processes.
    pub apart: Evidence,
    /// By index of the subject: how the requests that were compared arrived.
    pub arrivals: Vec<Arrivals>,
    /// How far this is in the log that it came from.
    pub mark: Option<LogMark>,
}

/// Since when, where and how much was compared in production. Times are no evidence, so they are kept beside it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Production {
    /// Every start of a server, by its origin.
    pub runs: BTreeMap<String, ProductionRun>,
}

/// One start of a server.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ProductionRun {
    /// Name of the replica.
    pub replica: String,
    /// Comparisons by day (UTC); none of a start that was only about to be written.
    pub days: BTreeMap<String, u64>,
    /// Comparisons by subject and by how their requests arrived; empty for servers that did not count them.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub arrivals: BTreeMap<String, Arrivals>,
    /// Requests that were not compared, by reason; empty for servers that did not keep them.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub lost: BTreeMap<String, u64>,
    /// What was read of the API server's own counters, if they were.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub api_server: Option<ApiServerSeen>,
}

/// How many requests arrived in each way.
pub type Arrivals = BTreeMap<Arrival, u64>;

/// What was gathered since the beginning.
pub struct Ledger {
    origin: String,
    replica: String,
    subjects: Vec<PairId>,
    book: Mutex<Book>,
}

struct Book {
    evidence: Evidence,
    production: Production,
    lines: Lines,
    /// By log.
    marks: BTreeMap<usize, LogMark>,
    /// Whether values of objects are kept.
    keep: bool,
    samples: Samples,
    exceptions: Exceptions,
}

/// Log lines of the current minute.
#[derive(Default)]
struct Lines {
    minute: i64,
    said: u32,
}

/// A disagreement or panic that was not there before.
struct News {
    pair: PairId,
    operation: Operation,
    what: String,
    message: String,
}

impl Ledger {
    /// A ledger that goes on from what an earlier server wrote, if there is any.
    ///
    /// # Errors
    /// When the earlier evidence is of other rules or another algorithm.
    pub fn new(plan: &ShadowPlan, before: Option<(Evidence, Production)>) -> Result<Self, EvidenceError> {
        let Gathered { pairs, outside: mut evidence, .. } = nothing(plan);
        for pair in pairs {
            evidence.add(pair)?;
        }
        let mut production = Production::default();
        if let Some((earlier, runs)) = before {
            evidence.merge(earlier)?;
            production = runs;
        }
        let samples = Samples::of_all(evidence.pairs());
        let (lines, marks) = (Lines::default(), BTreeMap::new());
        let book = Book { evidence, production, lines, marks, keep: false, samples, exceptions: Exceptions::default() };
        let origin = format!("{:016x}", plan.origin);
        Ok(Self { origin, replica: plan.replica.clone(), subjects: plan.ids(), book: Mutex::new(book) })
    }

    /// Notes where reading of the logs begins.
    #[must_use]
    pub fn with_tails(self, tails: &[Tail]) -> Self {
        for (log, tail) in tails.iter().enumerate() {
            if let Start::At(position) = &tail.start {
                let mark = LogMark { log, sequence: 0, position: position.clone() };
                self.book().marks.insert(log, mark);
            }
        }
        self
    }

    fn book(&self) -> MutexGuard<'_, Book> {
        self.book.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds what a worker gathered until `now`, counts it, and tells of what is new.
    ///
    /// # Errors
    /// When the counters do not add up: a fault of this program.
    pub fn add(
        &self,
        gathered: Gathered,
        meters: &Meters,
        privacy: &Privacy,
        now: jiff::Timestamp,
    ) -> Result<(), EvidenceError> {
        let mut book = self.book();
        let (mut news, mut found) = (Vec::new(), Vec::new());
        let before = book.evidence.compared();
        let own = gathered.pairs.into_iter().filter(|part| !part.is_empty());
        for part in own.chain(gathered.apart.into_pairs()) {
            if let Some(identifiers) = meters.identifiers_of(part.pair()) {
                count(&part, identifiers);
            }
            exemplify(&part, meters, now);
            news.extend(news_of(&part, &book.evidence));
            found.extend(disagreements(&part));
            book.add(part)?;
        }
        book.count_unexcused(&found, meters);
        // INVARIANT: whoever gathered this may have done so when values were still kept.
        let outside = if book.keep { gathered.outside } else { gathered.outside.without_values() };
        book.evidence.merge(outside)?;
        if let Some(mark) = gathered.mark
            // A worker that was given up hands over what it had after its successor may have begun.
            && book.marks.get(&mark.log).is_none_or(|known| known.sequence < mark.sequence)
        {
            book.marks.insert(mark.log, mark);
        }
        let compared = book.evidence.compared() - before;
        if compared > 0 {
            let day = now.strftime("%Y-%m-%d").to_string();
            let run = book.production.runs.entry(self.origin.clone()).or_default();
            run.replica.clone_from(&self.replica);
            *run.days.entry(day).or_default() += compared;
            for (id, arrivals) in self.subjects.iter().zip(gathered.arrivals) {
                for (arrival, number) in arrivals {
                    meters.arrived(arrival, number);
                    *run.arrivals.entry(id.to_string()).or_default().entry(arrival).or_default() += number;
                }
            }
        }
        book.samples.show(meters);
        let Book { lines, .. } = &mut *book;
        for piece in news {
            lines.tell(&piece, meters, privacy, now);
        }
        Ok(())
    }

    /// From here on, these disagreements are excused.
    pub fn excuse(&self, exceptions: Exceptions) {
        self.book().exceptions = exceptions;
    }

    /// Which disagreements are excused.
    #[must_use]
    pub fn exceptions(&self) -> Exceptions {
        self.book().exceptions.clone()
    }

    /// Notes what was not compared since the start, by reason.
    pub fn note_lost(&self, lost: BTreeMap<String, u64>) {
        if lost.is_empty() {
            return;
        }
        let mut book = self.book();
        let run = book.production.runs.entry(self.origin.clone()).or_default();
        run.replica.clone_from(&self.replica);
        run.lost = lost;
    }

    /// Notes what was read of the API server's own counters since the start.
    pub fn note_api_server(&self, seen: ApiServerSeen) {
        let mut book = self.book();
        let run = book.production.runs.entry(self.origin.clone()).or_default();
        run.replica.clone_from(&self.replica);
        run.api_server = Some(seen);
    }

    /// Evidence and days as they are now.
    #[must_use]
    pub fn copy(&self) -> (Evidence, Production) {
        let book = self.book();
        (book.evidence.clone(), book.production.clone())
    }
}

impl Ledger {
    /// From here on keeps values or none, shows how much is known, and forgets the values in it unless they are to be kept.
    pub fn keep_samples(&self, keep: bool, meters: &Meters) {
        let mut book = self.book();
        book.keep = keep;
        if !keep {
            book.evidence = book.evidence.clone().without_values();
            book.samples = Samples::of_all(book.evidence.pairs());
        }
        book.samples.show(meters);
    }

    /// Bytes of samples that there is room for.
    #[must_use]
    pub fn room(&self) -> u64 {
        MOST_BYTES.saturating_sub(self.book().samples.bytes)
    }

    /// Of how many logs it is known where reading stands.
    #[must_use]
    pub fn followed(&self) -> usize {
        self.book().marks.len()
    }

    /// Evidence and days as they are now, and up to where they cover the logs, by their number.
    #[must_use]
    pub fn copy_with_positions(&self) -> (Evidence, Production, BTreeMap<usize, Position>) {
        let book = self.book();
        let positions = book.marks.values().map(|mark| (mark.log, mark.position.clone())).collect();
        (book.evidence.clone(), book.production.clone(), positions)
    }
}

impl Book {
    /// Adds evidence of one subject, without its samples if there is no room for them.
    fn add(&mut self, part: PairEvidence) -> Result<(), EvidenceError> {
        let of_part = Samples::of_all([&part]);
        let fits = self.samples.bytes.saturating_add(of_part.bytes) <= MOST_BYTES;
        let part = if self.keep && fits { part } else { part.without_values() };
        if of_part == Samples::default() {
            return self.evidence.add(part);
        }
        let id = part.pair().clone();
        let before = Samples::of_all(self.evidence.pair(&id));
        self.evidence.add(part)?;
        self.samples.replace(before, Samples::of_all(self.evidence.pair(&id)));
        Ok(())
    }
}

impl Book {
    /// Counts the disagreements that no exception excuses. By all that is known: an exception excuses a share of the cases.
    fn count_unexcused(&self, found: &[Disagreement], meters: &Meters) {
        if found.is_empty() {
            return;
        }
        let excuses = Excuses::of(&self.exceptions, &self.evidence);
        for Disagreement { identifier, signature, cases } in found {
            if !matches!(excuses.excuse(signature), Some(Excuse::Holds(_))) {
                meters.unexcused(identifier, *cases);
            }
        }
    }
}

impl Lines {
    /// One line a signature, and not too many.
    fn tell(&mut self, news: &News, meters: &Meters, privacy: &Privacy, now: jiff::Timestamp) {
        let minute = now.as_second().div_euclid(60);
        if minute != self.minute {
            *self = Self { minute, said: 0 };
        }
        if self.said >= privacy.log_lines_per_minute {
            meters.unsaid.inc();
            return;
        }
        self.said += 1;
        let identifier = news.pair.validation_identifier(news.operation);
        let what = takeover_reports::printable(&news.what);
        if privacy.log_values {
            let error = takeover_reports::printable(&news.message);
            tracing::warn!(identifier, signature = %what, error = %error, "new disagreement");
        } else {
            tracing::warn!(identifier, signature = %what, "new disagreement");
        }
    }
}

impl Production {
    /// Days on which something was compared.
    #[must_use]
    pub fn days(&self) -> usize {
        self.runs.values().flat_map(|run| run.days.keys()).collect::<std::collections::BTreeSet<_>>().len()
    }

    /// Replicas that compared something.
    #[must_use]
    pub fn replicas(&self) -> usize {
        let compared = self.runs.values().filter(|run| !run.days.is_empty());
        compared.map(|run| run.replica.as_str()).collect::<std::collections::BTreeSet<_>>().len()
    }

    /// For the report.
    #[must_use]
    pub fn summary(&self) -> takeover_reports::Production {
        let first = self.runs.values().filter_map(|run| run.days.keys().next()).min();
        takeover_reports::Production {
            since: first.cloned().unwrap_or_default(),
            days: self.days() as u64,
            replicas: self.replicas() as u64,
            comparisons: self.comparisons(),
            accepted_only: self.accepted_only().values().sum(),
            lost: self.lost(),
            api_server: self.api_server().map(|seen| takeover_reports::ApiServerCounts {
                mismatches: compared(&seen.counted(), &seen.ours, &BTreeMap::new()),
                version: seen.version,
                types: seen.types,
                semantics: seen.semantics,
                processes: seen.processes.len() as u64,
                unreadable: seen.unreadable,
                unshown: seen.unshown,
                undiscovered: seen.undiscovered,
            }),
        }
    }

    /// What all starts read of the API server's own counters; none when none did.
    #[must_use]
    pub fn api_server(&self) -> Option<ApiServerSeen> {
        let mut all = self.runs.values().filter_map(|run| run.api_server.as_ref());
        let mut sum = all.next()?.clone();
        all.for_each(|seen| sum.merge(seen));
        Some(sum)
    }

    /// Requests that were not compared, by reason.
    #[must_use]
    pub fn lost(&self) -> BTreeMap<String, u64> {
        let mut lost = BTreeMap::new();
        for (why, number) in self.runs.values().flat_map(|run| &run.lost) {
            *lost.entry(why.clone()).or_default() += number;
        }
        lost
    }

    /// By subject: comparisons of requests that API servers had already accepted.
    #[must_use]
    pub fn accepted_only(&self) -> BTreeMap<String, u64> {
        let mut accepted = BTreeMap::new();
        for (subject, arrivals) in self.runs.values().flat_map(|run| &run.arrivals) {
            let of = arrivals.get(&Arrival::ValidatingWebhook).copied().unwrap_or_default();
            *accepted.entry(subject.clone()).or_default() += of;
        }
        accepted.retain(|_, number| *number > 0);
        accepted
    }

    /// Comparisons.
    #[must_use]
    pub fn comparisons(&self) -> u64 {
        self.runs.values().flat_map(|run| run.days.values()).sum()
    }
}

/// No evidence of any pair yet, with all controls of both sides.
#[must_use]
pub fn nothing(plan: &ShadowPlan) -> Gathered {
    let judges: Vec<_> = plan.pairs.iter().map(takeover_harness::judge::Judge::new).collect();
    let pairs = judges.iter().zip(JudgeControls::all(&judges, NonZeroUsize::MIN));
    let pairs = pairs.map(|(judge, controls)| PairEvidence::of(judge).with_controls(controls.catalogue()));
    Gathered {
        pairs: pairs.collect(),
        outside: Evidence::new(),
        apart: Evidence::new(),
        arrivals: vec![Arrivals::new(); plan.pairs.len()],
        mark: None,
    }
}

impl Gathered {
    /// Takes the evidence out and leaves none.
    #[must_use]
    pub fn take(&mut self) -> Self {
        Self {
            pairs: self.pairs.iter_mut().map(PairEvidence::take).collect(),
            outside: std::mem::take(&mut self.outside),
            apart: std::mem::take(&mut self.apart),
            arrivals: self.arrivals.iter_mut().map(std::mem::take).collect(),
            mark: self.mark.take(),
        }
    }

    /// Counts a request of a subject that was compared.
    pub fn arrived(&mut self, subject: usize, arrival: Arrival) {
        if let Some(arrivals) = self.arrivals.get_mut(subject) {
            *arrivals.entry(arrival).or_default() += 1;
        }
    }

    /// Whether nothing was gathered.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.mark.is_none()
            && self.apart.pairs().next().is_none()
            && self.pairs.iter().all(PairEvidence::is_empty)
            && self.outside.outside().is_empty()
    }
}

/// A disagreement that was found again.
struct Disagreement {
    identifier: String,
    signature: Signature,
    cases: u64,
}

/// The disagreements in `part`.
fn disagreements(part: &PairEvidence) -> Vec<Disagreement> {
    let of = |operation| {
        let identifier = part.pair().validation_identifier(operation);
        let found = part.operation(operation).signatures.iter();
        found.map(move |(signature, found)| Disagreement {
            identifier: identifier.clone(),
            signature: signature.clone(),
            cases: found.cases,
        })
    };
    Operation::ALL.into_iter().flat_map(of).collect()
}

/// Says by whose reviews Kubernetes' own counters have just grown: one of each sort.
fn exemplify(part: &PairEvidence, meters: &Meters, now: jiff::Timestamp) {
    for operation in Operation::ALL {
        let of = part.operation(operation);
        let identifier = part.pair().validation_identifier(operation);
        let seen = |what, example: &Example, signature| {
            meters.seen(what, &identifier, &example.sighting.provenance.to_string(), signature, now);
        };
        if let Some((signature, found)) = of.signatures.last_key_value() {
            seen(Seen::Mismatch, &found.smallest, Some(signature));
        }
        if let Some(found) = of.panics.get(&Side::Candidate.to_string()) {
            seen(Seen::Panic, &found.smallest, None);
        }
    }
}

/// Signatures and panics of `part` that `known` does not have.
fn news_of(part: &PairEvidence, known: &Evidence) -> Vec<News> {
    let pair = part.pair();
    let mut news = Vec::new();
    for operation in Operation::ALL {
        let (new, old) = (part.operation(operation), known.pair(pair).map(|of| of.operation(operation)));
        let mut add = |what: String, smallest: &Example| {
            let message = smallest.sighting.message.clone();
            news.push(News { pair: pair.clone(), operation, what, message });
        };
        for (signature, found) in &new.signatures {
            if !old.is_some_and(|old| old.signatures.contains_key(signature)) {
                add(signature.to_string(), &found.smallest);
            }
        }
        for (side, found) in &new.panics {
            if !old.is_some_and(|old| old.panics.contains_key(side)) {
                add(takeover_reports::panic_label(pair, operation, side), &found.smallest);
            }
        }
    }
    news
}
