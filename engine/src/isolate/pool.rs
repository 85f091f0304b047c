//! The workers of a run. Whatever a worker dies of is taken out of the work, and the next worker does the rest.

use super::heartbeat::{Spot, Stage};
use super::isolated_case::IsolatedCase;
use super::process::{Answer, WorkerDeath, WorkerProcess};
use super::process_end::ProcessEnd;
use super::wire::{CaseDetails, Culprit, DeadlyAnswer, Reply, Request, SentCase, SoughtCauses, Work};
use crate::pairs::Generators;
use crate::plan::{JudgingPlan, WorkerLimits};
use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use takeover_corpora::generate::Health;
use takeover_harness::case::Case;
use takeover_harness::evidence::{CasePlace, Evidence};
use takeover_harness::runner::{Chunk, RemoteCases, RemoteJudge, RemoteJudgeError};
use takeover_harness::subject::{PairId, SubjectId};

/// How many deaths a piece of work may cost. After that, the rest of the piece is counted as skipped. This is decided piece by
/// piece, so that the evidence does not depend on the number of workers.
const MOST_DEATHS: u32 = 8;

/// A worker that hangs costs more time than one that ends.
const HANGS_COUNT: u32 = 4;

/// How often in a row work is begun again although no oracle can be blamed.
const MOST_RETRIES: u32 = 3;

/// How many deaths of a subject are reported one by one; all are counted.
const MOST_TOLD: u32 = 10;

/// Work that cannot be done in workers: a fault of the harness or of the machine, not of an oracle.
#[derive(Debug, thiserror::Error)]
pub(crate) enum WorkerPoolError {
    /// No worker can be started.
    #[error("cannot start a worker process: {0}")]
    Start(#[from] std::io::Error),
    /// Workers end where no oracle runs.
    #[error("worker processes end before they judge `{subject}` ({end}){}", behind(words))]
    Helpless {
        /// The subject.
        subject: Box<PairId>,
        /// How the last one ended.
        end: ProcessEnd,
        /// What it printed last.
        words: String,
    },
    /// A worker sent an answer to something else.
    #[error("a worker process gave an unexpected answer for `{0}`")]
    Confused(PairId),
}

/// What a process printed last, behind something else.
fn behind(words: &str) -> String {
    if words.is_empty() { String::new() } else { format!(": {words}") }
}

/// What the processes cost that ended over a piece of work: one that ended counts once, one that hung several times.
#[derive(Clone, Copy, Debug, Default)]
struct Ends {
    /// Those that oracles are to blame for.
    held: u32,
    /// Those that the size of an object is to blame for.
    excused: u32,
}

/// Called when a process ended, with a line about it and the last output of the process, which may be anything.
pub type EndListener<'l> = Box<dyn Fn(&str, Option<&str>) + Send + Sync + 'l>;

/// The workers of a run.
pub(crate) struct WorkerPool<'l> {
    on_end: EndListener<'l>,
    plan: JudgingPlan,
    limits: WorkerLimits,
    subjects: Vec<(PairId, bool)>,
    seeds: Mutex<BTreeMap<usize, Vec<u64>>>,
    idle: Mutex<Vec<WorkerProcess>>,
    /// By subject, so that one does not drown out another.
    told: Mutex<BTreeMap<usize, u32>>,
}

impl<'l> WorkerPool<'l> {
    /// Workers for those of the run's subjects that are marked as isolated. None is started before it is needed.
    /// Calls `on_end` for each process that ends.
    pub(crate) fn new(
        plan: JudgingPlan,
        limits: WorkerLimits,
        subjects: Vec<(PairId, bool)>,
        on_end: EndListener<'l>,
    ) -> Self {
        let idle = Mutex::default();
        Self { on_end, plan, limits, subjects, seeds: Mutex::default(), idle, told: Mutex::default() }
    }

    /// Whether a subject is judged by workers.
    pub(crate) fn takes(&self, subject: usize) -> bool {
        self.subjects.get(subject).is_some_and(|(_, isolated)| *isolated)
    }

    /// Which of the recorded objects of a subject the reference accepts. They are what its generators start from.
    ///
    /// # Errors
    /// Returns an error when workers cannot work.
    pub(crate) fn accept(&self, subject: usize) -> Result<Vec<u64>, WorkerPoolError> {
        match self.ask(subject, Work::Accept)?.0.reply {
            Reply::Accepted(seeds) => {
                lock(&self.seeds).insert(subject, seeds.clone());
                Ok(seeds)
            }
            _ => Err(self.confused(subject)),
        }
    }

    /// Checks the harness itself on cases of a subject. Returns what it failed to notice, if anything.
    ///
    /// # Errors
    /// Returns an error when workers cannot work.
    pub(crate) fn check(&self, subject: usize) -> Result<Option<String>, WorkerPoolError> {
        match self.ask(subject, Work::Check)?.0.reply {
            Reply::Checked(fault) => Ok(fault),
            _ => Err(self.confused(subject)),
        }
    }

    /// Everything about one case.
    ///
    /// # Errors
    /// Returns an error when workers cannot work.
    pub(crate) fn examine(
        &self,
        subject: usize,
        case: &Case,
        sought: &SoughtCauses,
    ) -> Result<CaseDetails, WorkerPoolError> {
        let sent = SentCase::new(CasePlace::default(), case);
        match self.ask(subject, Work::Examine(Box::new(sent), sought.clone()))?.0.reply {
            Reply::Examined(details) => Ok(*details),
            _ => Err(self.confused(subject)),
        }
    }

    /// Judges one case.
    ///
    /// # Errors
    /// Returns an error when workers cannot work.
    pub(crate) fn case(&self, subject: usize, place: CasePlace, case: &Case) -> Result<IsolatedCase, RemoteJudgeError> {
        let (_, evidence, ends) = self.judge(subject, Work::Cases(vec![SentCase::new(place, case)]))?;
        Ok(IsolatedCase { evidence, cost: ends.held, too_large: ends.excused > 0 })
    }

    fn judge(&self, subject: usize, work: Work) -> Result<(Health, Evidence, Ends), RemoteJudgeError> {
        let (answer, ends) = self.ask(subject, work).map_err(|error| RemoteJudgeError::new(error.to_string()))?;
        let (Reply::Judged(health), Some(evidence)) = (answer.reply, answer.evidence) else {
            return Err(RemoteJudgeError::new(self.confused(subject).to_string()));
        };
        let evidence = String::from_utf8_lossy(&evidence);
        let evidence = Evidence::from_json(&evidence).map_err(|error| RemoteJudgeError::new(error.to_string()))?;
        Ok((*health, evidence, ends))
    }

    /// Has work done by as many workers as it takes. Returns the answer and the cost of the processes that ended.
    fn ask(&self, subject: usize, work: Work) -> Result<(Answer, Ends), WorkerPoolError> {
        let seeds = lock(&self.seeds).get(&subject).cloned().unwrap_or_default();
        let mut request = Request { subject, seeds, deadly: Vec::new(), too_large: Vec::new(), cut: None, work };
        let (mut ends, mut retries, mut doubted) = (Ends::default(), 0, None);
        loop {
            let idle = lock(&self.idle).pop();
            let mut worker = match idle {
                Some(worker) => worker,
                None => WorkerProcess::start(&self.plan, self.limits)?,
            };
            let death = match worker.ask(&request) {
                Ok(answer) => {
                    lock(&self.idle).push(worker);
                    return Ok((answer, ends));
                }
                Err(death) => death,
            };
            let certain = death.end.is_certain()
                || (death.end.is_own_doing() && doubted.is_some_and(|spot| death.spot.is_at(spot)));
            match culprit(death.spot) {
                Some(culprit) if certain => {
                    let Spot { index, before, .. } = death.spot;
                    let is_excused = request.patience(index) > 1 && death.end.may_be_for_size();
                    self.tell(subject, &request, Some(culprit).filter(|_| !is_excused), &death);
                    let cost = if matches!(death.end, ProcessEnd::TimedOut(_)) { HANGS_COUNT } else { 1 };
                    // Each answer may be doubted anew; how many deaths there are is limited.
                    (retries, doubted) = (0, None);
                    if is_excused {
                        ends.excused += cost;
                        request.too_large.push(index);
                    } else {
                        ends.held += cost;
                        request.deadly.push(DeadlyAnswer { index, culprit, before, end: death.end.to_string() });
                    }
                    if ends.held + ends.excused >= MOST_DEATHS {
                        request.cut = Some(index + 1);
                    }
                }
                _ if retries == MOST_RETRIES => {
                    let (subject, WorkerDeath { end, words, .. }) = (Box::new(self.id(subject)), death);
                    return Err(WorkerPoolError::Helpless { subject, end, words });
                }
                _ => {
                    retries += 1;
                    doubted = Some(death.spot);
                }
            }
        }
    }

    /// Says what happened, and which oracle is to blame: none if it is the size of the object.
    fn tell(&self, subject: usize, request: &Request, culprit: Option<Culprit>, death: &WorkerDeath) {
        let mut told = lock(&self.told);
        let told = told.entry(subject).or_default();
        *told += 1;
        if *told > MOST_TOLD {
            if *told == MOST_TOLD + 1 {
                (self.on_end)(
                    &format!("`{}`: more worker processes end; the cases are counted", self.id(subject)),
                    None,
                );
            }
            return;
        }
        let what = match culprit {
            None => "not compared, for its size".to_owned(),
            Some(Culprit::Decoding) => "decoding ended its process".to_owned(),
            Some(Culprit::Reference) => "the reference ended its process".to_owned(),
            Some(Culprit::Candidate) => "the candidate ended its process".to_owned(),
        };
        let index = death.spot.index;
        let case = match &request.work {
            Work::Accept | Work::Check => format!("the recorded object {index}"),
            Work::Chunk { own, .. } => format!("seed {} chunk {own} case {index}", self.plan.seed),
            Work::Cases(cases) => {
                let case = usize::try_from(index).ok().and_then(|index| cases.get(index));
                case.map_or_else(String::new, |case| case.provenance().to_string())
            }
            // Whatever is examined was met before.
            Work::Examine(..) => return,
        };
        let lines = death.words.lines().filter(|_| !death.end.says_it_all());
        let words = lines.map(str::trim).rfind(|line| !line.is_empty());
        let varied = if death.spot.before > 0 { "a variant of " } else { "" };
        let line = format!("`{}`: {what}: {} on {varied}{case}", self.id(subject), death.end);
        (self.on_end)(&line, words);
    }

    fn id(&self, subject: usize) -> PairId {
        self.subjects.get(subject).map_or_else(|| SubjectId::new("", "").into(), |(id, _)| id.clone())
    }

    fn confused(&self, subject: usize) -> WorkerPoolError {
        WorkerPoolError::Confused(self.id(subject))
    }
}

/// Returns who is to blame; `None` if the harness's own code ran.
fn culprit(spot: Spot) -> Option<Culprit> {
    match spot.stage {
        Stage::Decoding => Some(Culprit::Decoding),
        Stage::Reference => Some(Culprit::Reference),
        Stage::Candidate => Some(Culprit::Candidate),
        Stage::Start | Stage::Making | Stage::HandingOver => None,
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The workers as a run sees them.
pub(crate) struct RunWorkers<'c> {
    /// The workers.
    pub pool: &'c WorkerPool<'c>,
    /// Where chunks come from, and where it is counted what was generated.
    pub generators: &'c Generators,
}

impl RemoteJudge for RunWorkers<'_> {
    fn takes(&self, subject: usize) -> bool {
        self.pool.takes(subject)
    }

    fn takes_chunk(&self, chunk: Chunk) -> bool {
        self.pool.takes(self.generators.turn(chunk).0)
    }

    fn generated(&self, chunk: Chunk) -> Result<Evidence, RemoteJudgeError> {
        let (subject, own) = self.generators.turn(chunk);
        let work = Work::Chunk { number: chunk.number, own, len: chunk.len };
        let (health, evidence, _) = self.pool.judge(subject, work)?;
        self.generators.count(chunk.number, subject, health);
        Ok(evidence)
    }

    fn recorded(&self, cases: RemoteCases) -> Result<Evidence, RemoteJudgeError> {
        let mut by_subject: BTreeMap<usize, Vec<SentCase>> = BTreeMap::new();
        for (place, subject, case) in cases {
            by_subject.entry(subject).or_default().push(SentCase::new(place, &case));
        }
        let mut whole: Option<Evidence> = None;
        for (subject, cases) in by_subject {
            let (_, part, _) = self.pool.judge(subject, Work::Cases(cases))?;
            match &mut whole {
                None => whole = Some(part),
                Some(whole) => whole.merge(part).map_err(|error| RemoteJudgeError::new(error.to_string()))?,
            }
        }
        whole.ok_or_else(|| RemoteJudgeError::new("there is no case to judge"))
    }
}
