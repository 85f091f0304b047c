//! Ctrl-C and SIGTERM: what runs stops at the next chunk, so that what was judged can be written. Whatever ends a process, scratch
//! namespaces of API servers are removed before.

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGUSR1, SIGXFSZ};
use signal_hook::iterator::Signals;
use signal_hook::low_level::emulate_default_handler;
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};
use std::sync::{Mutex, Once, PoisonError};
use std::time::{Duration, Instant};
use takeover_external::server::remove_scratch;

/// A signal by which users and systems ask a program to stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StopSignal {
    /// SIGINT: Ctrl-C.
    Interrupt,
    /// SIGTERM.
    Terminate,
}

impl StopSignal {
    /// The signal of this number; none for one that asks for something else.
    #[must_use]
    pub fn of(number: i32) -> Option<Self> {
        match number {
            SIGINT => Some(Self::Interrupt),
            SIGTERM => Some(Self::Terminate),
            _ => None,
        }
    }

    /// The same, to be sent.
    pub(crate) fn to_rustix(self) -> rustix::process::Signal {
        match self {
            Self::Interrupt => rustix::process::Signal::INT,
            Self::Terminate => rustix::process::Signal::TERM,
        }
    }

    /// Its number.
    #[must_use]
    pub fn number(self) -> i32 {
        match self {
            Self::Interrupt => SIGINT,
            Self::Terminate => SIGTERM,
        }
    }
}

/// Somebody asked to stop before there was anything to write.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("stopped before the first case was judged: there are no results")]
pub struct Stopped(
    /// The signal by which somebody asked.
    pub StopSignal,
);

/// Whether this process was asked to stop.
#[derive(Debug, Default)]
pub struct Stop(AtomicI32);

/// A terminal sends Ctrl-C to the supervisor and to the run, and the supervisor passes on what it gets: within this time both are one.
const ONE_REQUEST: Duration = Duration::from_millis(500);

/// How long a process that ends may take to remove what it made elsewhere.
pub(crate) const TIDYING: Duration = Duration::from_secs(5);

/// Ends a process of this program at once, but tidily.
pub(crate) const GIVE_UP: rustix::process::Signal = rustix::process::Signal::USR1;

/// A static, because a signal may arrive while its handler is still being registered.
static STOP: Stop = Stop(AtomicI32::new(0));

static LISTENS: Once = Once::new();

/// What is called when somebody asks a process to stop that can.
static SAID: Mutex<Option<fn()>> = Mutex::new(None);

impl Stop {
    /// A request that nobody makes.
    #[must_use]
    pub fn never() -> &'static Self {
        static NEVER: Stop = Stop(AtomicI32::new(0));
        &NEVER
    }

    /// From now on the signals no longer end this process: the first is noted and `said` is called, and a second one ends it at once.
    /// Of several calls the last one counts.
    /// Where the system refuses to tell of signals, they end it as before. A file that grows beyond its limit becomes an error of writing.
    pub fn on_signals(said: fn()) -> &'static Self {
        *SAID.lock().unwrap_or_else(PoisonError::into_inner) = Some(said);
        listen()
    }

    /// Undoes [`Stop::on_signals`]: from now on the signals end this process again.
    pub fn end_on_signals() {
        *SAID.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    /// Ends what goes before a run, if somebody asked this process to stop.
    ///
    /// # Errors
    /// Returns the signal by which somebody asked.
    pub fn check() -> Result<(), Stopped> {
        STOP.asked().map_or(Ok(()), |signal| Err(Stopped(signal)))
    }

    /// The signal by which somebody asked, if somebody did.
    #[must_use]
    pub fn asked(&self) -> Option<StopSignal> {
        StopSignal::of(self.0.load(Ordering::Relaxed))
    }
}

/// Removes the scratch namespaces of this process before a signal ends it.
pub fn tidy_on_signals() {
    if !LEFT_ALONE.load(Ordering::Relaxed) {
        listen();
    }
}

/// Somebody else waits for signals: from now on nothing here does, unless [`Stop::on_signals`] asks for it.
pub fn leave_signals_alone() {
    LEFT_ALONE.store(true, Ordering::Relaxed);
}

static LEFT_ALONE: AtomicBool = AtomicBool::new(false);

/// Removes the scratch namespaces of this process, which is about to end.
pub fn tidy() {
    remove_scratch(TIDYING);
}

/// Listens to signals, once for all.
fn listen() -> &'static Stop {
    LISTENS.call_once(|| {
        // What starts a program with `nohup` means it to outlive the terminal.
        let hang_up = (!ignores(SIGHUP)).then_some(SIGHUP);
        if let Ok(signals) = Signals::new([SIGINT, SIGTERM, SIGUSR1, SIGXFSZ].into_iter().chain(hang_up)) {
            let _ = std::thread::Builder::new().name("signals".to_owned()).spawn(move || wait(signals));
        }
    });
    &STOP
}

fn wait(mut signals: Signals) {
    let mut first: Option<Instant> = None;
    for signal in signals.forever().filter(|signal| *signal != SIGXFSZ) {
        // Keep the lock until the request is noted, so that `end_on_signals` cannot come in between.
        let said = SAID.lock().unwrap_or_else(PoisonError::into_inner);
        match (StopSignal::of(signal).and(*said), first) {
            (Some(said), None) => {
                first = Some(Instant::now());
                STOP.0.store(signal, Ordering::Relaxed);
                said();
            }
            (Some(_), Some(first)) if first.elapsed() <= ONE_REQUEST => {}
            _ => {
                remove_scratch(TIDYING);
                // The kernel ignores default signal actions of a container's first process.
                if std::process::id() == 1 {
                    std::process::exit(128 + signal);
                }
                let _ = emulate_default_handler(signal);
            }
        }
    }
}

/// Whether this process was started with a signal ignored; where the system does not say, it is left alone.
fn ignores(signal: i32) -> bool {
    let Ok(status) = std::fs::read_to_string("/proc/self/status") else { return true };
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    mask.is_none_or(|mask| mask >> (signal - 1) & 1 == 1)
}
