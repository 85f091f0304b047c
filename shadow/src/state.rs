//! What the parts of a server share.

use crate::intake::{Audit, BodyBudget, Followed, Job, Queue, Turns, UnknownKinds};
use crate::metrics::{Meters, RequestOutcome};
use crate::plan::ShadowPlan;
use crate::samples::SampleRoom;
use crate::settings::{Live, ShadowSettings, is_sampled};
use crate::tail::{LinesAtHand, Tail, TailCounters};
use prometheus::{IntCounter, IntGauge};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use takeover_engine::isolate::IsolatedJudge;
use takeover_harness::evidence::CasePlace;
use takeover_harness::subject::SubjectId;

/// The time for which ended processes are held against a subject.
const AN_HOUR: Duration = Duration::from_secs(3600);

/// What the parts of a server share.
pub struct State {
    /// What is compared.
    pub plan: Arc<ShadowPlan>,
    /// The settings of the moment.
    pub live: Live,
    /// What is counted.
    pub meters: Meters,
    /// What waits for a worker.
    pub queue: Queue<Job>,
    /// Batches of audit events that wait for theirs.
    pub events: Queue<Job>,
    /// What is known between reviews.
    pub reviews: Turns,
    /// Kinds that are no subject.
    pub unknown_kinds: UnknownKinds,
    /// What is known between audit events.
    pub audit: Audit,
    /// Audit logs that are followed.
    pub logs: Vec<Followed>,
    /// Who judges, if not the threads of the server.
    pub isolated_judge: Option<IsolatedJudge>,
    /// Memory of bodies.
    pub budget: Arc<BodyBudget>,
    /// Whether the server is about to end.
    pub leaving: AtomicBool,
    /// Memory of samples.
    pub(crate) sample_room: SampleRoom,
    started: Instant,
    waiting: IntGauge,
    ended: IntCounter,
    /// By subject: since when, and how many processes its oracles ended.
    ends: Mutex<BTreeMap<usize, (Instant, u32)>>,
    off: Vec<AtomicBool>,
    next: AtomicU64,
}

impl State {
    /// The state of a server that starts now.
    ///
    /// # Errors
    /// When the metrics cannot be registered.
    pub fn new(
        plan: ShadowPlan,
        settings: ShadowSettings,
        tails: Vec<Tail>,
        lines: Option<LinesAtHand>,
        isolated_judge: Option<IsolatedJudge>,
        prefix: &str,
    ) -> Result<Self, crate::metrics::MetersError> {
        let meters = Meters::new(&plan, &settings.limits, prefix)?;
        let (counters, all) = (TailCounters::new(meters.registry())?, tails.len());
        let ended = IntCounter::new("takeover_shadow_processes_ended_total", "What oracles cost in ended processes.")?;
        meters.registry().add(Box::new(ended.clone()))?;
        let waiting = IntGauge::new("takeover_shadow_restart_needed", "Changed settings that wait for a restart.")?;
        meters.registry().add(Box::new(waiting.clone()))?;
        let lines = lines.map(Arc::new);
        let follow = |(number, tail)| Followed::new(number, all, tail, lines.clone(), &counters);
        Ok(Self {
            live: Live::new(settings.clone()),
            meters,
            queue: Queue::new(settings.limits.queue),
            events: Queue::new(settings.limits.queue),
            reviews: Turns::default(),
            unknown_kinds: UnknownKinds::default(),
            audit: Audit::default(),
            logs: tails.into_iter().enumerate().map(follow).collect(),
            budget: BodyBudget::new(settings.limits.buffered_bytes),
            leaving: AtomicBool::new(false),
            isolated_judge,
            sample_room: SampleRoom::default(),
            started: Instant::now(),
            waiting,
            ended,
            ends: Mutex::default(),
            off: plan.pairs.iter().map(|_| AtomicBool::new(false)).collect(),
            next: AtomicU64::new(0),
            plan: Arc::new(plan),
        })
    }

    /// Whether the review of `subject` with this uid is to be compared; otherwise, what it is counted under.
    ///
    /// # Errors
    /// The reason why not.
    pub fn admits(&self, subject: &SubjectId, uid: &str) -> Result<(), RequestOutcome> {
        let index = self.plan.find(subject).ok_or(RequestOutcome::NoSubject)?;
        if self.is_off(index) {
            return Err(RequestOutcome::SwitchedOff);
        }
        let share = self.live.get().compare.share_of(subject, self.started.elapsed());
        if share <= 0.0 {
            Err(RequestOutcome::SwitchedOff)
        } else if is_sampled(uid, share) {
            Ok(())
        } else {
            Err(RequestOutcome::NotSampled)
        }
    }

    /// Whether a subject was switched off because its oracles did not answer.
    #[must_use]
    pub fn is_off(&self, subject: usize) -> bool {
        self.off.get(subject).is_some_and(|off| off.load(Ordering::Relaxed))
    }

    /// Switches a subject off until the next start.
    pub fn switch_off(&self, subject: usize) {
        if let (Some(off), Some(of)) = (self.off.get(subject), self.plan.pairs.get(subject)) {
            off.store(true, Ordering::Relaxed);
            self.meters.switched_off(&of.id);
        }
    }

    /// Takes over new settings, as far as they may change. Returns the names of those that wait for a restart.
    pub(crate) fn change(&self, to: ShadowSettings) -> Vec<&'static str> {
        let oracle_milliseconds = self.live.get().limits.oracle_milliseconds;
        let mut waiting = Vec::new();
        let mut to = to;
        if self.isolated_judge.is_some() && to.limits.oracle_milliseconds != oracle_milliseconds {
            to.limits.oracle_milliseconds = oracle_milliseconds;
            waiting.push("oracle-milliseconds");
        }
        waiting.extend(self.live.change(to));
        let settings = self.live.get();
        self.queue.resize(settings.limits.queue);
        self.events.resize(settings.limits.queue);
        self.budget.resize(settings.limits.buffered_bytes);
        self.meters.queue_capacity(settings.limits.queue);
        self.waiting.set(i64::try_from(waiting.len()).unwrap_or(i64::MAX));
        waiting
    }

    /// Notes that the oracles of a subject ended processes. Those that end too many are asked no more.
    pub(crate) fn processes_ended(&self, subject: usize, cost: u32) {
        if cost == 0 {
            return;
        }
        self.ended.inc_by(u64::from(cost));
        let mut ends = self.ends.lock().unwrap_or_else(PoisonError::into_inner);
        let (since, sum) = ends.entry(subject).or_insert_with(|| (Instant::now(), 0));
        if since.elapsed() > AN_HOUR {
            (*since, *sum) = (Instant::now(), 0);
        }
        *sum += cost;
        if *sum > self.live.get().limits.processes_per_hour && !self.is_off(subject) {
            self.switch_off(subject);
            if let Some(of) = self.plan.pairs.get(subject) {
                tracing::error!(subject = %of.id, "switched off: its oracles ended too many processes");
            }
        }
    }

    /// Where there is room for samples, if any are to be kept.
    pub(crate) fn sample_room(&self) -> Option<&SampleRoom> {
        Some(&self.sample_room).filter(|_| self.live.get().privacy.keep_samples)
    }

    /// A place that no other case has.
    #[must_use]
    pub fn next_place(&self) -> CasePlace {
        CasePlace::recorded(self.plan.origin, self.next.fetch_add(1, Ordering::Relaxed))
    }

    /// Whether too many threads are lost for the server to go on.
    #[must_use]
    pub fn is_worn(&self) -> bool {
        self.meters.lost_threads() > self.live.get().limits.lost_threads
    }
}
