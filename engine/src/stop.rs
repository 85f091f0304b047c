//! Ctrl-C and SIGTERM: what runs stops at the next chunk, so that what was judged can be written.

use signal_hook::consts::{SIGINT, SIGTERM, SIGXFSZ};
use signal_hook::iterator::Signals;
use signal_hook::low_level::emulate_default_handler;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicI32, Ordering};
use std::time::{Duration, Instant};

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

/// Whether this process was asked to stop.
#[derive(Debug, Default)]
pub struct Stop(AtomicI32);

/// A terminal sends Ctrl-C to the supervisor and to the run, and the supervisor passes on what it gets: within this time both are one.
const ONE_REQUEST: Duration = Duration::from_millis(500);

static STOP: OnceLock<Stop> = OnceLock::new();

impl Stop {
    /// A request that nobody makes.
    #[must_use]
    pub fn never() -> &'static Self {
        static NEVER: Stop = Stop(AtomicI32::new(0));
        &NEVER
    }

    /// From now on the signals no longer end this process: the first is noted and `said` is called, and a second one ends it at once.
    /// Where the system refuses to tell of signals, they end it as before. A file that grows beyond its limit becomes an error of writing.
    pub fn on_signals(said: fn()) -> &'static Self {
        let stop = STOP.get_or_init(Self::default);
        let Ok(mut signals) = Signals::new([SIGINT, SIGTERM, SIGXFSZ]) else { return stop };
        let wait = move || {
            let mut first = None;
            for signal in signals.forever().filter(|signal| *signal != SIGXFSZ) {
                match first {
                    None => {
                        first = Some(Instant::now());
                        stop.0.store(signal, Ordering::Relaxed);
                        said();
                    }
                    Some(first) if Instant::now().duration_since(first) > ONE_REQUEST => {
                        let _ = emulate_default_handler(signal);
                    }
                    Some(_) => {}
                }
            }
        };
        let _ = std::thread::Builder::new().name("signals".to_owned()).spawn(wait);
        stop
    }

    /// The signal by which somebody asked, if somebody did.
    #[must_use]
    pub fn asked(&self) -> Option<StopSignal> {
        StopSignal::of(self.0.load(Ordering::Relaxed))
    }
}
