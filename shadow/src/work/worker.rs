//! A thread that makes cases of bodies and judges them.

use super::elsewhere;
use super::private;
use super::slot::{CaseAtWork, WorkerSlot};
use crate::Mode;
use crate::admission::{Answer, Refusal};
use crate::intake::{Arrival, BodyRoom, Job, Nothing, PLACE, Read, Reviewed, Source, Step, Turn, read};
use crate::ledger::Gathered;
use crate::metrics::WorkOutcome;
use crate::plan::ShadowPlan;
use crate::state::State;
use crate::tail::LogMark;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::{Duration, Instant};
use takeover_corpora::load::LoadedCase;
use takeover_engine::isolate::{IsolatedCase, IsolatedJudge, TOO_LARGE};
use takeover_harness::authority::decide;
use takeover_harness::case::{Case, Operation, Provenance};
use takeover_harness::evidence::{CasePlace, Sighting};
use takeover_harness::judge::{CaseRecord, Judge, Judgement, OraclePanic, Outcome, Panic, isolated};
use takeover_harness::object::Arena;
use takeover_harness::runner::{JudgeControls, Seen};
use takeover_harness::side::Side;
use takeover_harness::subject::SubjectId;

/// How much lower the priority of workers is than that of the threads that answer.
const NICE: i32 = 10;

/// What a thread needs to judge, beside what it shares.
struct Worker<'w> {
    state: &'w State,
    slot: &'w WorkerSlot,
    judges: &'w [Judge<'w>],
    controls: &'w [JudgeControls<'w>],
    seen: Vec<Seen>,
    arena: Arena,
    record: CaseRecord,
    /// Where reading of a log stands once what is at hand is recorded.
    mark: Option<LogMark>,
}

/// What is known about a case besides its objects.
struct Asked {
    arrival: Arrival,
    place: CasePlace,
    /// The memory of its body.
    room: Option<BodyRoom>,
    /// Why it is no evidence, if an answer alone is wanted.
    no_evidence: Option<Nothing>,
}

/// Judges what is queued until the queue is closed and empty, or the worker is given up.
pub(super) fn work(state: &State, slot: &WorkerSlot) {
    // Without leave to change priorities, workers compete with answers on even terms.
    let _ = rustix::process::setpriority_process(None, NICE);
    let begin = Instant::now();
    let clock = || {
        slot.step();
        u64::try_from(begin.elapsed().as_nanos()).unwrap_or(u64::MAX)
    };
    let plan: &ShadowPlan = &state.plan;
    let judges: Vec<Judge<'_>> = plan.pairs.iter().map(|pair| Judge::new(pair).with_clock(&clock)).collect();
    let controls = JudgeControls::all(&judges, NonZeroUsize::MIN);
    let seen = controls.iter().map(JudgeControls::begin).collect();
    let mut record = CaseRecord::new();
    record.set_timed(true);
    let mut worker =
        Worker { state, slot, judges: &judges, controls: &controls, seen, arena: Arena::new(), record, mark: None };
    loop {
        let worked = match slot.source {
            Source::Reviews => match state.queue.pop_numbered() {
                Some((number, job)) => isolated(|| worker.job(job, state.reviews.of(number))),
                None => return,
            },
            Source::Events => match state.audit.next(&state.events) {
                Some(read) => isolated(|| worker.event(read)),
                None => return,
            },
            Source::Log(log) => match state.logs.get(log).and_then(|log| log.next(&state.live)) {
                Some(step) => isolated(|| worker.step(step)),
                None => return,
            },
        };
        match worked {
            Ok(true) => {}
            Ok(false) => return,
            Err(panic) => {
                tracing::error!(place = panic.place, "the program panicked over a review");
                // What was half done is not gone on with.
                let _ = slot.end();
                worker.arena = Arena::new();
                worker.record = CaseRecord::new();
                worker.record.set_timed(true);
                state.meters.done(slot.source, WorkOutcome::Failed, 1);
            }
        }
    }
}

impl Worker<'_> {
    /// Judges one review. Whether the worker may go on.
    fn job(&mut self, job: Job, turn: Turn<'_>) -> bool {
        let Job { body, arrival, room, reply } = job;
        let read = read(&body, &self.state.live.get().limits, turn, reply.is_some());
        drop(body);
        let place = self.state.next_place();
        let (loaded, no_evidence) = match read {
            Reviewed::Case(loaded) => (loaded, None),
            Reviewed::Asked(loaded, why) => (loaded, Some(why)),
            Reviewed::Nothing(why) => {
                self.nothing(why, place, PLACE);
                return true;
            }
        };
        let LoadedCase { api_version, kind, subresource, mut case, .. } = *loaded;
        let id = SubjectId::new(api_version, kind).with_subresource(subresource);
        let plan = &self.state.plan;
        let Some(index) = plan.find(&id) else {
            self.unknown_kind(&id, place, &case);
            return true;
        };
        if let Some(subject) = plan.pairs.get(index) {
            subject.define_options(&mut case.options);
        }
        let asked = Asked { arrival, place, room: Some(room), no_evidence };
        let Some(said) = self.judge(index, case, asked) else { return false };
        // Who asked and is not answered knows that there is no judgement.
        if let (Some(reply), Said::Judgement(answer)) = (reply, said) {
            // Whoever asked may have stopped waiting.
            let _ = reply.send(answer);
        }
        true
    }

    /// Judges what came next of a log. Whether the worker may go on.
    fn step(&mut self, step: Step) -> bool {
        self.mark = Some(step.mark);
        let goes_on = step.read.is_none_or(|read| self.event(read));
        if goes_on && self.mark.is_some() {
            // There was nothing to record.
            self.record(|_| {});
        }
        goes_on
    }

    /// Records something, and with it where reading of its log stands.
    fn record(&mut self, record: impl FnOnce(&mut Gathered)) {
        let mut gathered = self.slot.gathered();
        record(&mut gathered);
        if let Some(mark) = self.mark.take() {
            gathered.mark = Some(mark);
        }
    }

    /// Judges what came of one audit event. Whether the worker may go on.
    fn event(&mut self, read: Read) -> bool {
        let place = self.state.next_place();
        let (id, loaded) = match read {
            Read::Case(id, loaded) => (id, loaded),
            Read::Nothing(why) => {
                self.nothing(why, place, "audit event");
                return true;
            }
        };
        let LoadedCase { api_version, kind, subresource, mut case, .. } = *loaded;
        let subject = SubjectId::new(api_version, kind).with_subresource(subresource);
        match self.state.admits(&subject, &id) {
            Ok(()) => {}
            Err(crate::metrics::RequestOutcome::NoSubject) => {
                self.unknown_kind(&subject, place, &case);
                return true;
            }
            Err(_) => {
                self.done(WorkOutcome::NotWanted);
                return true;
            }
        }
        let plan = &self.state.plan;
        let Some(index) = plan.find(&subject) else { return true };
        if let Some(subject) = plan.pairs.get(index) {
            subject.define_options(&mut case.options);
        }
        let asked = Asked { arrival: Arrival::AuditLog, place, room: None, no_evidence: None };
        self.judge(index, case, asked).is_some()
    }

    /// Records what no case came of.
    fn nothing(&mut self, why: Nothing, place: CasePlace, path: &str) {
        let keep = self.state.sample_room().is_some();
        let Nothing { label, reason, message, line } = if keep { why } else { why.without_names() };
        let provenance = line.map_or_else(|| file(path), |line| *line);
        self.record(|gathered| gathered.outside.record_outside(&reason, Sighting { place, provenance, message }));
        self.not_compared(label);
    }

    /// Records a case of no subject.
    fn unknown_kind(&mut self, id: &SubjectId, place: CasePlace, case: &Case) {
        let reason = self.state.unknown_kinds.reason(id);
        let sighting = Sighting { place, provenance: file(&case.provenance.to_string()), message: reason.clone() };
        self.record(|gathered| gathered.outside.record_outside(&reason, sighting));
        self.not_compared("no_subject");
    }

    fn not_compared(&self, label: &'static str) {
        self.state.meters.not_compared(self.slot.source, label);
        self.done(WorkOutcome::Unusable);
    }

    fn done(&self, done: WorkOutcome) {
        self.state.meters.done(self.slot.source, done, 1);
    }

    /// Judges a case and records it, or why it is no evidence. None when the worker was given up meanwhile.
    fn judge(&mut self, index: usize, case: Case<'static>, asked: Asked) -> Option<Said> {
        let Asked { arrival, place, room, no_evidence } = asked;
        let Some(judge) = self.judges.get(index) else { return Some(Said::Nothing) };
        if self.state.is_off(index) {
            self.record(|gathered| skip(gathered, index, place, &case, SWITCHED_OFF));
            self.not_compared("switched_off");
            return Some(Said::Nothing);
        }
        if let Some(isolated) = &self.state.isolated_judge {
            match no_evidence {
                None => self.judge_elsewhere(isolated, index, (place, arrival), &case),
                Some(why) => self.nothing(why, place, PLACE),
            }
            return Some(Said::Nothing);
        }
        let case = Arc::new(case);
        let since = Instant::now();
        let mark = self.mark.clone();
        let (patience, of_slot) = (case.patience(), Arc::clone(&case));
        self.slot.begin(CaseAtWork {
            subject: index,
            case: of_slot,
            place,
            arrival,
            since,
            patience,
            mark,
            _room: room,
        });
        let controls = self.controls.get(index).zip(self.seen.get_mut(index));
        let mut controls = controls.filter(|_| no_evidence.is_none());
        let verdict = judge.case_then(&case, &mut self.arena, &mut self.record, |prepared, record| {
            if let Some((controls, seen)) = &mut controls {
                controls.case(judge, prepared, record, seen);
            }
        });
        if !self.slot.end() {
            return None;
        }
        let answer = answer(&self.state.plan, judge, &case, &verdict, &self.record);
        if let Some(why) = no_evidence {
            self.nothing(why, place, PLACE);
            return Some(answer);
        }
        if let (Some(identifiers), Judgement::Compared(_)) = (self.state.meters.identifiers(index), &verdict) {
            let [create, update] = identifiers;
            let of = if case.operation == Operation::Create { create } else { update };
            for side in [Side::Reference, Side::Candidate] {
                of.observe(side, Duration::from_nanos(self.record.nanos(side)));
            }
        }
        let mut gathered = self.slot.gathered();
        if let Some(evidence) = gathered.pairs.get_mut(index) {
            private::record(evidence, place, &case, &verdict, &mut self.record, self.state.sample_room());
            if let Some((controls, seen)) = controls {
                controls.record(place, seen, evidence);
            }
        }
        if matches!(verdict, Judgement::Compared(_)) {
            gathered.arrived(index, arrival);
        }
        if let Some(mark) = self.mark.take() {
            gathered.mark = Some(mark);
        }
        drop(gathered);
        self.done(WorkOutcome::Judged);
        Some(answer)
    }
}

impl Worker<'_> {
    /// Has a case judged in another process. Nobody waits for the answer.
    fn judge_elsewhere(
        &mut self,
        isolated: &IsolatedJudge,
        index: usize,
        (place, arrival): (CasePlace, Arrival),
        case: &Case,
    ) {
        let (done, evidence) = match elsewhere::judge(self.state, isolated, index, place, case) {
            Some(IsolatedCase { evidence, too_large: true, .. }) => {
                self.state.meters.not_compared(self.slot.source, "too_large");
                (WorkOutcome::Hung, Some(evidence))
            }
            Some(IsolatedCase { evidence, .. }) => (WorkOutcome::Judged, Some(evidence)),
            None => (WorkOutcome::Failed, None),
        };
        let sample_room = self.state.sample_room().filter(|_| private::may_be_kept(case));
        self.record(|gathered| match evidence {
            Some(evidence) => {
                if evidence.compared() > 0 {
                    gathered.arrived(index, arrival);
                }
                elsewhere::record(gathered, evidence, sample_room);
            }
            None => skip(gathered, index, place, case, NO_PROCESS),
        });
        self.done(done);
    }
}

/// What is to be said of a case.
enum Said {
    /// What the user is told.
    Judgement(Answer),
    /// Nobody asked, or it could not be judged.
    Nothing,
}

/// What the user is told of a judged case.
fn answer(plan: &ShadowPlan, judge: &Judge<'_>, case: &Case, verdict: &Judgement, record: &CaseRecord) -> Said {
    if !plan.mode.waits() || !matches!(verdict, Judgement::Compared(outcome) if *outcome != Outcome::Panicked) {
        return Said::Nothing;
    }
    let (reference, candidate) = (record.reference.errors.as_slice(), record.candidate.errors.as_slice());
    if plan.mode == Mode::Warn {
        return Said::Judgement(Answer::warning(candidate.iter()));
    }
    // Nobody would know whom to believe where errors are not compared as Kubernetes does.
    let Some(matcher) = judge.pair().comparator.matcher() else { return Said::Nothing };
    let decision = decide(plan.authority, reference, candidate, matcher);
    let object = case.object.to_value().unwrap_or_default();
    let name = object.pointer("/metadata/name").and_then(serde_json::Value::as_str).unwrap_or_default();
    let refusal = Refusal::of(&judge.pair().id.subject.kind, name, decision.errors(reference, candidate));
    Said::Judgement(Answer { refusal, warnings: Vec::new() })
}

/// Records a case whose oracles do not answer. A large one is not compared, a small one is held against them.
pub(super) fn hung(state: &State, slot: &WorkerSlot, at: &CaseAtWork, side: Option<Side>, limit: Duration) {
    if at.is_large() {
        let mut gathered = slot.gathered();
        skip(&mut gathered, at.subject, at.place, &at.case, TOO_LARGE);
        gathered.mark = at.mark.clone().or(gathered.mark.take());
        drop(gathered);
        state.meters.not_compared(slot.source, "too_large");
        return state.meters.done(slot.source, WorkOutcome::Hung, 1);
    }
    let mut record = CaseRecord::new();
    let panic = Panic {
        message: format!("no answer within {limit:?}"),
        place: takeover_harness::oracle::WORKER_PROCESS.replace("process", "thread"),
    };
    record.panics.push(OraclePanic { side, panic });
    let verdict = Judgement::Compared(Outcome::Panicked);
    let mut gathered = slot.gathered();
    if let Some(evidence) = gathered.pairs.get_mut(at.subject) {
        private::record(evidence, at.place, &at.case, &verdict, &mut record, state.sample_room());
    }
    gathered.arrived(at.subject, at.arrival);
    if let Some(mark) = &at.mark {
        gathered.mark = Some(mark.clone());
    }
    drop(gathered);
    state.meters.done(slot.source, WorkOutcome::Hung, 1);
}

/// Why a case of a subject that is switched off is not compared.
const SWITCHED_OFF: &str = "switched off: an oracle did not answer, or ended too many processes";

/// Why a case is not compared for which no process could be started.
const NO_PROCESS: &str = "no worker process could judge it";

fn skip(gathered: &mut Gathered, index: usize, place: CasePlace, case: &Case, reason: &str) {
    let sighting = Sighting { place, provenance: case.provenance.clone(), message: reason.to_owned() };
    if let Some(evidence) = gathered.pairs.get_mut(index) {
        evidence.record_unusable(case.operation, false, reason, sighting);
    }
}

fn file(path: &str) -> Provenance {
    Provenance::File { path: path.to_owned(), document: 0, line: 0 }
}
