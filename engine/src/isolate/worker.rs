//! The worker process: does what it is asked until it ends or is ended.

use super::guard::{AnswerGuard, GuardedOracle};
use super::heartbeat::{Heartbeat, Stage};
use super::isolated_case::TOO_LARGE;
use super::wire::{
    CaseDetails, Reply, Request, SentCase, SoughtCauses, Work, WorkerSetup, receive_json, send, send_json,
};
use crate::catalogue::PairCatalogue;
use crate::pairs::{generator, one_pair, sample, self_check};
use crate::plan::JudgingPlan;
use crate::stop::TIDYING;
use anyhow::Context as _;
use rustix::event::{PollFd, PollFlags, poll};
use rustix::process::{Resource, Rlimit, Signal, getpid, kill_process, setrlimit};
use serde_json::Value;
use std::cell::OnceCell;
use std::fs::File;
use std::io::ErrorKind;
use std::num::NonZeroUsize;
use std::os::fd::AsFd as _;
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use takeover_corpora::generate::{Generator, Health};
use takeover_corpora::recorded::{accepted, cases_of, objects};
use takeover_external::server::remove_scratch;
use takeover_harness::case::Case;
use takeover_harness::compare::Signature;
use takeover_harness::evidence::{CasePlace, Evidence};
use takeover_harness::judge::{CaseRecord, Judge, OraclePanic, Panic};
use takeover_harness::object::Arena;
use takeover_harness::oracle::WORKER_PROCESS;
use takeover_harness::pair::Pair;
use takeover_harness::runner::{Cases, Input, JudgeControls, Shown, Tally, Unusable};
use takeover_harness::side::Side;
use takeover_harness::subject::PairId;
use takeover_reports::CaseDifference;

/// Serves the supervisor at the other end of standard input until it hangs up.
///
/// # Errors
/// Returns an error when there is none, or it says something else than a supervisor does.
pub fn serve() -> anyhow::Result<()> {
    let stdin = std::io::stdin().as_fd().try_clone_to_owned().context("a worker has no standard input")?;
    let mut link = UnixStream::from(stdin);
    let setup: WorkerSetup = receive_json(&mut link).context("a worker is started by a run, not by hand")?;
    restrict(setup.memory)?;
    let watched = link.try_clone()?;
    std::thread::Builder::new().name("watch".to_owned()).spawn(move || end_with(&watched))?;
    let beat = Heartbeat::new(File::options().write(true).open(&setup.beat).context("a worker cannot open its notes")?);
    // A thread has the same stack here as in a run without workers.
    let judge = std::thread::Builder::new().name("judge".to_owned()).spawn(move || work(link, &setup.plan, beat))?;
    judge.join().unwrap_or_else(|_| Err(anyhow::anyhow!("a worker panicked outside its oracles")))
}

/// Limits the memory of this process, and forbids core files.
fn restrict(memory: u64) -> anyhow::Result<()> {
    let limit = |bytes| Rlimit { current: Some(bytes), maximum: Some(bytes) };
    setrlimit(Resource::As, limit(memory)).context("cannot limit the memory of a worker")?;
    setrlimit(Resource::Core, limit(0)).context("cannot disable core files")
}

/// Ends this process when its supervisor is gone, whatever an oracle is doing.
fn end_with(link: &UnixStream) {
    loop {
        let mut links = [PollFd::new(link, PollFlags::empty())];
        match poll(&mut links, None) {
            Err(rustix::io::Errno::INTR) => {}
            _ => break,
        }
    }
    remove_scratch(TIDYING);
    let _ = kill_process(getpid(), Signal::KILL);
}

/// A pair whose oracles are announced, and the recorded cases that suit it.
struct PreparedSubject {
    pair: Pair,
    recorded: Vec<Case<'static>>,
    objects: Vec<Value>,
}

fn work(mut link: UnixStream, plan: &JudgingPlan, beat: Heartbeat) -> anyhow::Result<()> {
    let guard = Arc::new(AnswerGuard::new(beat));
    guard.at(Stage::Start);
    let catalogue = plan.catalogue()?;
    let ids = plan.ids(&catalogue)?;
    let prepared: Vec<OnceCell<PreparedSubject>> = ids.iter().map(|_| OnceCell::new()).collect();
    let judges: Vec<OnceCell<[Judge<'_>; 1]>> = ids.iter().map(|_| OnceCell::new()).collect();
    let controls: Vec<OnceCell<Vec<JudgeControls<'_>>>> = ids.iter().map(|_| OnceCell::new()).collect();
    let generators: Vec<OnceCell<Generator>> = ids.iter().map(|_| OnceCell::new()).collect();
    loop {
        let request: Request = match receive_json(&mut link) {
            Err(error) if error.kind() == ErrorKind::UnexpectedEof => return Ok(()),
            request => request?,
        };
        let Request { subject: index, seeds, deadly, too_large, cut, work } = request;
        guard.begin(deadly);
        guard.at(Stage::Start);
        let (Some(id), Some(prepared), Some(judge), Some(controls_of), Some(generator_of)) =
            (ids.get(index), prepared.get(index), judges.get(index), controls.get(index), generators.get(index))
        else {
            anyhow::bail!("there is no subject number {index}");
        };
        let prepared = match prepared.get() {
            Some(prepared) => prepared,
            None => {
                let new = make(plan, &catalogue, id, &guard)?;
                prepared.get_or_init(|| new)
            }
        };
        let judge = judge.get_or_init(|| [Judge::new(&prepared.pair)]);
        let subject_work = SubjectWork {
            prepared,
            judge,
            controls: controls_of.get_or_init(|| JudgeControls::all(judge, NonZeroUsize::MIN)),
            generator: &|| {
                generator_of.get_or_init(|| {
                    let chosen =
                        |index: &u64| usize::try_from(*index).ok().and_then(|at| prepared.objects.get(at)).cloned();
                    generator(plan, &prepared.pair, seeds.iter().filter_map(chosen).collect())
                })
            },
            guard: &guard,
            seed: plan.seed,
            too_large: &too_large,
            cut: cut.unwrap_or(u64::MAX),
        };
        let (reply, evidence) = subject_work.work(work)?;
        guard.at(Stage::HandingOver);
        send_json(&mut link, &reply)?;
        if let Some(evidence) = evidence {
            send(&mut link, evidence.to_json()?.as_bytes())?;
        }
    }
}

fn make(
    plan: &JudgingPlan,
    catalogue: &PairCatalogue,
    id: &PairId,
    guard: &Arc<AnswerGuard>,
) -> anyhow::Result<PreparedSubject> {
    let pair = one_pair(plan, catalogue, id)?;
    let guarded = |side, inner| Box::new(GuardedOracle { inner, side, guard: Arc::clone(guard) });
    let pair = Pair {
        reference: guarded(Side::Reference, pair.reference),
        candidate: guarded(Side::Candidate, pair.candidate),
        ..pair
    };
    let recorded = cases_of(&pair);
    let objects = objects(&recorded);
    Ok(PreparedSubject { pair, recorded, objects })
}

/// Where one subject is judged.
struct SubjectWork<'d> {
    prepared: &'d PreparedSubject,
    judge: &'d [Judge<'d>; 1],
    controls: &'d [JudgeControls<'d>],
    generator: &'d dyn Fn() -> &'d Generator,
    guard: &'d AnswerGuard,
    /// The seed of the run.
    seed: u64,
    /// Large cases that are counted and not judged.
    too_large: &'d [u64],
    /// From this case on, cases are counted and not judged.
    cut: u64,
}

impl SubjectWork<'_> {
    fn work(&self, work: Work) -> anyhow::Result<(Reply, Option<Evidence>)> {
        Ok(match work {
            Work::Accept => (Reply::Accepted(self.accept()), None),
            Work::Check => (Reply::Checked(self.check()), None),
            Work::Chunk { number, own, len } => {
                let (health, evidence) = self.chunk(number, own, len)?;
                (Reply::Judged(Box::new(health)), Some(evidence))
            }
            Work::Cases(cases) => {
                let mut tally = Tally::new(self.judge, self.controls);
                for (index, case) in (0..).zip(cases) {
                    let (place, case) = case.into_case();
                    self.judge(&mut tally, index, (place, 0), case, Vec::new());
                }
                (Reply::Judged(Box::default()), Some(tally.take()?))
            }
            Work::Examine(case, sought) => (Reply::Examined(Box::new(self.examine(*case, &sought))), None),
        })
    }

    fn accept(&self) -> Vec<u64> {
        let mut seeds = Vec::new();
        for (index, object) in (0..self.cut).zip(&self.prepared.objects) {
            if self.guard.decoding(index).is_none() && accepted(&self.prepared.pair, object) {
                seeds.push(index);
            }
        }
        seeds
    }

    fn check(&self) -> Option<String> {
        let sample = sample(&self.prepared.pair, (self.generator)());
        let cases = self.prepared.recorded.iter().chain(&sample);
        let sound = (0..self.cut).zip(cases).filter(|(index, _)| self.guard.decoding(*index).is_none());
        self_check::check(&self.prepared.pair, sound.map(|(_, case)| case)).err()
    }

    fn chunk(&self, number: u64, own: u64, len: u64) -> anyhow::Result<(Health, Evidence)> {
        let mut tally = Tally::new(self.judge, self.controls);
        let mut health = Health::default();
        let (of_chunk, mut of_case) = (Arena::new(), Arena::new());
        let mut cases = (self.generator)().chunk(own, self.seed).in_arena(&of_chunk);
        for index in 0..len {
            self.guard.making(index);
            of_case.reset();
            let Some(generated) = cases.make(&of_case) else { break };
            health.observe(&generated);
            let shows = generated.shows();
            let place = CasePlace::generated(number, index);
            if self.judge(&mut tally, index, (place, cases.field()), generated.case, shows) {
                cases.keep(index);
            }
        }
        Ok((health, tally.take()?))
    }

    /// Judges or counts a case about a field, and returns whether it showed something that no case of that field before it had shown.
    fn judge(
        &self,
        tally: &mut Tally<'_>,
        index: u64,
        (place, field): (CasePlace, u64),
        case: Case<'_>,
        shows: Vec<Shown>,
    ) -> bool {
        let left = if self.too_large.contains(&index) {
            Some((TOO_LARGE, TOO_LARGE))
        } else {
            const CUT: &str = "not judged, because the cases before it ended too many processes";
            (index >= self.cut).then_some(("oracles ended too many processes", CUT))
        };
        if let Some((reason, message)) = left {
            return tally.judge_of(
                place,
                field,
                Input::Unusable(Unusable {
                    subject: Some((0, case.operation)),
                    undecodable: false,
                    reason: reason.to_owned(),
                    message: message.to_owned(),
                    provenance: case.provenance,
                }),
            );
        }
        match self.guard.decoding(index) {
            Some(end) => {
                tally.died(place, 0, &case, death(end));
                false
            }
            None => tally.judge_of(place, field, Input::Case { subject: 0, case, shows }),
        }
    }

    fn examine(&self, case: SentCase, sought: &SoughtCauses) -> CaseDetails {
        let (_, case) = case.into_case();
        let mut details = CaseDetails::default();
        if let Some(end) = self.guard.decoding(0) {
            details.panics.push(("decoding".to_owned(), death(end)));
            return details;
        }
        let [judge] = self.judge;
        examine(judge, &case, sought, &mut Arena::new(), &mut CaseRecord::new())
    }
}

/// Returns everything about one case, with the causes that are sought.
pub(crate) fn examine(
    judge: &Judge<'_>,
    case: &Case,
    sought: &SoughtCauses,
    arena: &mut Arena,
    record: &mut CaseRecord,
) -> CaseDetails {
    let judgement = judge.case_seeking(case, sought.wanted(), arena, record);
    let late = OraclePanic::late(&judgement);
    let signature = |difference| Signature::of(&judge.pair().id, case.operation, difference);
    let side = |side: Option<Side>| side.map_or_else(|| "decoding".to_owned(), |side| side.to_string());
    CaseDetails {
        signatures: record.differences.iter().map(signature).collect(),
        panics: record
            .panics
            .iter()
            .chain(&late)
            .map(|panicked| (side(panicked.side), panicked.panic.clone()))
            .collect(),
        reference: record.reference.errors.as_slice().to_vec(),
        candidate: record.candidate.errors.as_slice().to_vec(),
        differences: record.differences.iter().filter_map(CaseDifference::of).collect(),
        deciding: record.deciding,
    }
}

fn death(end: String) -> Panic {
    Panic { message: end, place: WORKER_PROCESS.to_owned() }
}
