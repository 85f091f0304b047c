//! The processes of an oracle: each is used by one thread at a time, and none is started for ever.

use super::ExecSettings;
use super::error::{ExecError, ExecErrorKind};
use super::process::Process;
use crate::protocol::Hello;
use serde::Serialize;
use std::fmt::Display;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use takeover_harness::oracle::OracleFailure;

/// So many ends without an answer in between are the last.
const MOST_DEATHS: u32 = 10;

/// So many ends in all are forgiven, however few answers came in between.
const FORGIVEN: u64 = 40;

/// Beyond them, an oracle has to give so many answers for each end.
const ANSWERS_A_DEATH: u64 = 20;

/// How long processes may take to end after their standard input is closed.
const LEAVING: Duration = Duration::from_secs(2);

/// The processes of an oracle.
pub(super) struct Pool {
    settings: ExecSettings,
    hello: Hello,
    state: Mutex<State>,
    free: Condvar,
}

struct State {
    idle: Vec<Process>,
    /// How many processes run, idle or in use.
    living: usize,
    /// How many are in use or will be started by who may use one.
    leased: usize,
    /// How many ended since the last answer.
    deaths: u32,
    /// How many ended in all.
    deaths_in_all: u64,
    /// How many questions were answered in all.
    answers_in_all: u64,
    /// Why no more are started.
    given_up: Option<String>,
    incidents: Vec<Incident>,
}

/// Why processes of an oracle ended before their time, whether or not it made a question fail.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Incident {
    /// What happened, in words.
    pub what: String,
    /// How often.
    pub times: u64,
}

/// Most incidents that are told apart.
const MOST_INCIDENTS: usize = 100;

/// What the others are called.
const OTHER_INCIDENTS: &str = "other incidents";

impl Pool {
    /// A pool with one process, which said `hello`.
    pub(super) fn new(settings: ExecSettings, hello: Hello, process: Process) -> Self {
        let state = State {
            idle: vec![process],
            living: 1,
            leased: 0,
            deaths: 0,
            deaths_in_all: 0,
            answers_in_all: 0,
            given_up: None,
            incidents: Vec::new(),
        };
        Self { settings, hello, state: Mutex::new(state), free: Condvar::new() }
    }

    pub(super) fn settings(&self) -> &ExecSettings {
        &self.settings
    }

    pub(super) fn hello(&self) -> &Hello {
        &self.hello
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until a process may be used.
    pub(super) fn lease(&self) -> Lease<'_> {
        let most = self.settings.processes.get();
        let state = self.state();
        let mut state =
            self.free.wait_while(state, |state| state.leased >= most).unwrap_or_else(PoisonError::into_inner);
        state.leased += 1;
        Lease { pool: self, process: state.idle.pop() }
    }

    /// Notes that a process answered so many questions.
    pub(super) fn answered(&self, count: u64) {
        let mut state = self.state();
        state.deaths = 0;
        state.answers_in_all += count;
    }

    /// Why processes ended before their time.
    pub(super) fn incidents(&self) -> Vec<Incident> {
        self.state().incidents.clone()
    }

    /// Why nothing is answered any more: no process runs, and none is started.
    pub(super) fn given_up(&self) -> Option<String> {
        let state = self.state();
        state.given_up.clone().filter(|_| state.living == 0)
    }

    /// Notes that a process ended, and why.
    fn lost(&self, why: &dyn Display) {
        let mut state = self.state();
        state.note(why.to_string());
        state.deaths += 1;
        state.deaths_in_all += 1;
        if state.given_up.is_none() {
            state.given_up = state.too_often().map(|often| format!("not asked: the oracle ended {often}; last: {why}"));
        }
    }
}

impl State {
    /// How often processes ended, where that is too often to start another one.
    fn too_often(&self) -> Option<String> {
        let Self { deaths_in_all, answers_in_all, .. } = *self;
        if self.deaths >= MOST_DEATHS {
            return Some(format!("{MOST_DEATHS} times without an answer in between"));
        }
        let too_often = deaths_in_all > FORGIVEN && deaths_in_all * ANSWERS_A_DEATH > answers_in_all;
        too_often.then(|| format!("{deaths_in_all} times in {answers_in_all} answers"))
    }

    fn note(&mut self, what: String) {
        let full = self.incidents.len() >= MOST_INCIDENTS;
        let known = self.incidents.iter().position(|incident| incident.what == what);
        match known.or_else(|| full.then(|| self.incidents.len() - 1)).and_then(|at| self.incidents.get_mut(at)) {
            Some(incident) => {
                incident.times += 1;
                if known.is_none() {
                    OTHER_INCIDENTS.clone_into(&mut incident.what);
                }
            }
            None => self.incidents.push(Incident { what, times: 1 }),
        }
    }
}

/// Closes the standard input of all, and lets them end together.
impl Drop for Pool {
    fn drop(&mut self) {
        let state = self.state.get_mut().unwrap_or_else(PoisonError::into_inner);
        for process in &mut state.idle {
            process.hang_up();
        }
        let until = Instant::now() + LEAVING;
        for process in &mut state.idle {
            process.end(until);
        }
    }
}

/// The right to use one process.
pub(super) struct Lease<'p> {
    pool: &'p Pool,
    process: Option<Process>,
}

impl Lease<'_> {
    /// The process; a new one where there is none.
    ///
    /// # Errors
    /// Returns an error when none can be started, or is started any more.
    pub(super) fn process(&mut self) -> Result<&mut Process, OracleFailure> {
        let process = match self.process.take() {
            Some(process) => process,
            None => self.start()?,
        };
        Ok(self.process.insert(process))
    }

    fn start(&self) -> Result<Process, OracleFailure> {
        if let Some(why) = &self.pool.state().given_up {
            return Err(OracleFailure::new(why));
        }
        let settings = &self.pool.settings;
        let started = Process::start(settings).and_then(|(process, hello)| {
            let other = || ExecError::new(&settings.command, ExecErrorKind::OtherHello(hello.title()));
            (hello == self.pool.hello).then_some(process).ok_or_else(other)
        });
        self.pool.state().living += usize::from(started.is_ok());
        started.map_err(|error| {
            self.pool.lost(&error);
            let message = error.to_string();
            if error.is_death() { OracleFailure::death(message) } else { OracleFailure::new(message) }
        })
    }

    /// Drops the process, which ended for this reason.
    pub(super) fn lost(&mut self, why: &dyn Display) {
        if self.process.take().is_some() {
            self.pool.state().living -= 1;
        }
        self.pool.lost(why);
    }
}

impl Drop for Lease<'_> {
    fn drop(&mut self) {
        // Who panicked may have left questions without answer.
        let process = self.process.take();
        let has_process = process.is_some();
        let process = process.filter(|_| !std::thread::panicking());
        let mut state = self.pool.state();
        state.leased -= 1;
        state.living -= usize::from(has_process && process.is_none());
        state.idle.extend(process);
        drop(state);
        self.pool.free.notify_one();
    }
}
