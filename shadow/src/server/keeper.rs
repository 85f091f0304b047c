//! What is done beside serving: gathering, checkpoints, files that change.

use crate::api_server::{ApiServer, runs_rules};
use crate::certificate::Certificate;
use crate::ledger::{Ledger, Production};
use crate::metrics::Reloaded;
use crate::settings_file::SettingsFile;
use crate::state::State;
use crate::tail::Position;
use crate::work::Pool;
use jiff::civil::Date;
use std::collections::{BTreeMap, HashSet};
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use takeover_harness::case::Operation;
use takeover_harness::evidence::Evidence;
use takeover_harness::exception::{Exceptions, Excuses};
use takeover_harness::readiness::ReadinessPolicy;
use takeover_reports::{Criteria, RunReport};

/// How often evidence is gathered and files are looked at.
const GATHER: Duration = Duration::from_secs(1);

/// How often workers are looked after.
const WATCH: Duration = Duration::from_millis(50);

/// What is written to disk.
pub struct Checkpoint {
    /// Everything that was compared.
    pub evidence: Evidence,
    /// When and by whom.
    pub production: Production,
    /// Up to where that covers the logs that are followed, by their paths.
    pub positions: BTreeMap<PathBuf, Position>,
}

/// Where evidence outlives the server.
pub trait Keep: Send + Sync {
    /// Writes it. Runs on a thread that nobody waits for, except at the end.
    ///
    /// # Errors
    /// Why it could not be written; it is counted and tried again.
    fn keep(&self, checkpoint: &Checkpoint) -> Result<(), String>;
}

/// Reads the disagreements that are known and excused, as of a day.
pub type ReadExceptions = Box<dyn Fn(Date) -> Result<Exceptions, String> + Send + Sync>;

/// What is done beside serving.
pub(super) struct Keeper {
    pub(super) state: Arc<State>,
    pub(super) pool: Pool,
    pub(super) ledger: Ledger,
    pub(super) policy: ReadinessPolicy,
    pub(super) exceptions: ReadExceptions,
    /// What was wrong with the exceptions when they were last read.
    pub(super) exceptions_fault: Mutex<Option<String>>,
    pub(super) certificate: Option<Arc<Certificate>>,
    pub(super) settings: Option<SettingsFile>,
    /// Held while files are looked at.
    pub(super) reloading: Mutex<()>,
    pub(super) keep: Option<Box<dyn Keep>>,
    /// Whose own counters are read.
    pub(super) api_server: Option<ApiServer>,
    /// The logs that are followed.
    pub(super) logs: Vec<PathBuf>,
}

/// A wish to look at the files now.
#[derive(PartialEq, Eq)]
pub(super) struct Now;

impl Keeper {
    /// Hands over what the workers have gathered.
    pub(super) fn gather(&self) {
        if let Err(error) = self.pool.gather(&self.ledger, jiff::Timestamp::now()) {
            tracing::error!(%error, "the evidence is inconsistent");
        }
    }

    /// Reads the API server's own counters, if it is known where. Everything that was compared has been gathered before.
    pub(super) fn look_at_api_server(&self) {
        let Some(server) = &self.api_server else { return };
        let [mut ours, _] = self.state.meters.registry().by_identifier();
        // What it does not run, it does not count.
        let version = server.version();
        let ids = self.state.plan.ids();
        let run = ids.iter().filter(|id| runs_rules(&version, &id.subject));
        let run: HashSet<String> = run.flat_map(|id| Operation::ALL.map(|of| id.validation_identifier(of))).collect();
        ours.retain(|identifier, _| run.contains(identifier));
        let seen = server.look(ours, &ids, &self.state.plan.semantics());
        self.state.meters.api_server(&seen.version);
        self.ledger.note_api_server(seen);
    }

    /// The version of the API server as it was read last; none when it is not read.
    pub(super) fn api_server(&self) -> Option<String> {
        self.api_server.as_ref().map(ApiServer::version)
    }

    /// The report of everything until now.
    pub(super) fn report(&self) -> RunReport {
        self.look_at_api_server();
        self.ledger.note_lost(self.state.meters.lost());
        let (evidence, production) = self.ledger.copy();
        let exceptions = self.ledger.exceptions();
        let excuses = Excuses::of(&exceptions, &evidence);
        let criteria = Criteria { policy: &self.policy, excuses: &excuses };
        let mut report = takeover_reports::build(&evidence, &self.state.plan.pairs, 0, &[], criteria);
        let all = report.subjects.clone();
        report.mark_production(production.summary(), &all, &production.accepted_only());
        report
    }

    /// Writes the evidence.
    ///
    /// # Errors
    /// Why it could not be written.
    pub(super) fn checkpoint(&self) -> Result<(), String> {
        let Some(keep) = &self.keep else { return Ok(()) };
        self.look_at_api_server();
        self.ledger.note_lost(self.state.meters.lost());
        let (evidence, production, mut positions) = self.ledger.copy_with_positions();
        let named =
            self.logs.iter().enumerate().filter_map(|(log, path)| Some((path.clone(), positions.remove(&log)?)));
        let positions = named.collect();
        let written = keep.keep(&Checkpoint { evidence, production, positions });
        self.state.meters.checkpoint(written.is_ok());
        written
    }

    /// Reads what changed of settings and certificate.
    pub(super) fn reload(&self) {
        // What was read first is not to be taken over last.
        let _one_at_a_time = self.reloading.lock().unwrap_or_else(PoisonError::into_inner);
        match self.certificate.as_ref().map_or(Ok(false), |certificate| certificate.reload()) {
            Ok(false) => {}
            Ok(true) => {
                self.state.meters.reloaded(Reloaded::Certificate, true);
                self.note_certificate();
                tracing::info!("a new certificate is in use");
            }
            Err(error) => {
                self.state.meters.reloaded(Reloaded::Certificate, false);
                tracing::error!(%error, "the previous certificate stays in use");
            }
        }
        match self.settings.as_ref().map_or(Ok(None), |file| file.reload(&self.state.plan.ids())) {
            Ok(None) => {}
            Ok(Some(settings)) => {
                self.state.meters.reloaded(Reloaded::Settings, true);
                let waiting = self.state.change(settings);
                self.ledger.keep_samples(self.state.live.get().privacy.keep_samples, &self.state.meters);
                if waiting.is_empty() {
                    tracing::info!("new settings are in use");
                } else {
                    let limits = waiting.join(", ");
                    tracing::warn!(limits, "new settings are in use, but for these limits, which need a restart");
                }
            }
            Err(error) => {
                self.state.meters.reloaded(Reloaded::Settings, false);
                tracing::error!(%error, "the previous settings stay in use");
            }
        }
    }

    /// Notes when the certificate in use ends.
    pub(super) fn note_certificate(&self) {
        self.state.meters.certificate_ends(self.certificate.as_ref().and_then(|certificate| certificate.ends()));
    }

    /// Reads the exceptions again. Some expire without a change.
    pub(super) fn reload_exceptions(&self) {
        let today = jiff::Timestamp::now().to_zoned(jiff::tz::TimeZone::UTC).date();
        let mut fault = self.exceptions_fault.lock().unwrap_or_else(PoisonError::into_inner);
        match (self.exceptions)(today) {
            Ok(exceptions) => {
                if fault.take().is_some() {
                    self.state.meters.reloaded(Reloaded::Exceptions, true);
                }
                self.ledger.excuse(exceptions);
            }
            Err(error) if fault.as_ref() != Some(&error) => {
                self.state.meters.reloaded(Reloaded::Exceptions, false);
                tracing::error!(%error, "the previous exceptions stay in use");
                *fault = Some(error);
            }
            Err(_) => {}
        }
    }

    /// Gathers, reloads and writes from time to time, until nobody can wish for anything more.
    pub(super) fn go_round(&self, wishes: &Receiver<Now>) {
        let mut last = Instant::now();
        let mut begun = 0;
        // What it counted before is not to be held against what is compared from now on.
        self.look_at_api_server();
        loop {
            self.reload();
            self.reload_exceptions();
            self.gather();
            // Where reading of a log began is written at once: what comes after a crash would begin elsewhere.
            let followed = self.ledger.followed();
            let begins = begun < followed;
            let interval = Duration::from_secs(self.state.live.get().limits.checkpoint_seconds);
            if begins || last.elapsed() >= interval {
                match self.checkpoint() {
                    Ok(()) => begun = followed,
                    Err(error) => tracing::error!(%error, "the evidence could not be written; retrying"),
                }
                last = Instant::now();
            }
            match wishes.recv_timeout(GATHER) {
                Ok(Now) | Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return,
            }
        }
    }

    /// Looks after the workers until the end.
    pub(super) fn watch(&self, end: &Receiver<Now>) {
        while end.recv_timeout(WATCH) == Err(RecvTimeoutError::Timeout) {
            self.pool.watch(Instant::now());
        }
    }
}
