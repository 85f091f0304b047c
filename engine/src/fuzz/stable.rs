//! The stable driver: in this process, it tries every seed and find, then random mutations of them until the time is up.

use super::checks::{Broken, Equivalence, Target};
use super::finds;
use super::folder::Folder;
use super::mutate::Mutator;
use super::plan::{DriverOutcome, Found, FuzzPlan};
use chacha20::ChaCha8Rng;
use chacha20::rand_core::SeedableRng as _;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// How long one input may take.
const PATIENCE: Duration = Duration::from_secs(20);

/// The number of finds after which a run ends: more are seldom looked at, and often have the same cause.
const MOST_FINDS: usize = 20;

/// Stack of a thread. Trees of hostile depth need more than the usual one, as much as the main thread has.
const STACK: usize = 8 << 20;

/// What the threads share.
struct Shared {
    target: Target,
    equivalence: Equivalence,
    /// Seeds and finds.
    start: Vec<Vec<u8>>,
    words: Vec<Vec<u8>>,
    seed: u64,
    jobs: usize,
    end: Instant,
    done: AtomicBool,
    executions: AtomicU64,
    running: AtomicU64,
    found: Mutex<BTreeMap<String, Found>>,
    /// What each thread is trying.
    trying: Vec<Mutex<Option<Trial>>>,
}

/// An input that is being tried.
struct Trial {
    since: Instant,
    data: Vec<u8>,
}

/// Fuzzes within this process.
pub(super) fn run(plan: &FuzzPlan, folder: &Folder, equivalence: Equivalence) -> anyhow::Result<DriverOutcome> {
    let unknown = Arc::new(Mutex::new(BTreeSet::new()));
    let equivalence = if plan.accept {
        let unknown = Arc::clone(&unknown);
        equivalence.accepting(move |signature| {
            let mut unknown = locked(&unknown);
            if !unknown.contains(signature) {
                unknown.insert(signature.to_owned());
            }
        })
    } else {
        equivalence
    };
    let mut start = folder.read_seeds(plan.target)?;
    start.extend(finds::raw(plan.target, folder)?);
    let begin = Instant::now();
    let shared = Arc::new(Shared {
        target: plan.target,
        equivalence,
        start,
        words: folder.read_dictionary(plan.target)?,
        seed: plan.seed,
        jobs: plan.jobs.get(),
        end: begin + plan.time,
        done: AtomicBool::new(false),
        executions: AtomicU64::new(0),
        running: AtomicU64::new(plan.jobs.get() as u64),
        found: Mutex::default(),
        trying: (0..plan.jobs.get()).map(|_| Mutex::default()).collect(),
    });
    for job in 0..plan.jobs.get() {
        let shared = Arc::clone(&shared);
        thread::Builder::new().stack_size(STACK).spawn(move || shared.work(job))?;
    }
    // The threads are not joined: one that hangs would keep the program from saying so.
    let hung = loop {
        thread::sleep(Duration::from_millis(50));
        if shared.running.load(Ordering::Acquire) == 0 {
            break None;
        }
        if let Some(data) = shared.hung() {
            shared.done.store(true, Ordering::Release);
            break Some(data);
        }
    };
    let mut found: Vec<Found> = locked(&shared.found).values().cloned().collect();
    found.extend(hung.map(|data| Found { data, broken: Err(format!("more than {} s", PATIENCE.as_secs())) }));
    let unknown = locked(&unknown).clone();
    Ok(DriverOutcome {
        executions: shared.executions.load(Ordering::Acquire),
        time: Some(begin.elapsed()),
        coverage: None,
        found,
        unknown,
    })
}

impl Shared {
    fn work(&self, job: usize) {
        for data in self.start.iter().skip(job).step_by(self.jobs) {
            self.try_input(job, data);
        }
        let mut random = ChaCha8Rng::seed_from_u64(self.seed);
        random.set_stream(job as u64);
        let mut mutator = Mutator::new(&self.start, &self.words, self.target.max_len(), random);
        while Instant::now() < self.end && !self.done.load(Ordering::Acquire) {
            self.try_input(job, &mutator.input());
        }
        self.running.fetch_sub(1, Ordering::AcqRel);
    }

    fn try_input(&self, job: usize, data: &[u8]) {
        let trying = |what| {
            if let Some(slot) = self.trying.get(job) {
                *locked(slot) = what;
            }
        };
        trying(Some(Trial { since: Instant::now(), data: data.to_vec() }));
        let attempted = self.target.attempt(data, &self.equivalence);
        trying(None);
        self.executions.fetch_add(1, Ordering::AcqRel);
        if let Err(broken) = attempted {
            self.keep(data, broken);
        }
    }

    /// Keeps the shortest input that shows it.
    fn keep(&self, data: &[u8], broken: Broken) {
        let mut found = locked(&self.found);
        let known = found.get(&broken.what);
        if known.is_none_or(|known| data.len() < known.data.len()) {
            found.insert(broken.what.clone(), Found { data: data.to_vec(), broken: Ok(broken) });
        }
        if found.len() >= MOST_FINDS {
            self.done.store(true, Ordering::Release);
        }
    }

    /// An input that a thread has been trying for too long.
    fn hung(&self) -> Option<Vec<u8>> {
        self.trying.iter().find_map(|slot| match &*locked(slot) {
            Some(trial) if trial.since.elapsed() > PATIENCE => Some(trial.data.clone()),
            _ => None,
        })
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
