//! How a worker ended.

use std::fmt;
use std::os::unix::process::ExitStatusExt as _;
use std::process::ExitStatus;
use std::time::Duration;

/// How a worker ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ProcessEnd {
    /// Calls went deeper than the stack.
    StackOverflow,
    /// It asked for more memory than it may have.
    OutOfMemory {
        /// The limit in bytes.
        limit: u64,
    },
    /// It aborted.
    Aborted,
    /// It left with this code.
    Exited(i32),
    /// It was ended by a signal that it caused itself, such as a segmentation fault.
    Crashed(i32),
    /// Somebody else ended it, maybe the system when it ran out of memory.
    Killed(i32),
    /// It was ended because it gave no answer for so long.
    TimedOut(Duration),
}

const SIGNALS: [(i32, &str); 10] = [
    (1, "SIGHUP"),
    (2, "SIGINT"),
    (4, "SIGILL"),
    (5, "SIGTRAP"),
    (6, "SIGABRT"),
    (7, "SIGBUS"),
    (8, "SIGFPE"),
    (9, "SIGKILL"),
    (11, "SIGSEGV"),
    (15, "SIGTERM"),
];

impl ProcessEnd {
    /// Concludes from the status and the last output of a worker how it ended. `memory` is its limit in bytes.
    pub(crate) fn of(status: ExitStatus, words: &str, memory: u64) -> Self {
        match (status.signal(), status.code()) {
            // What the runtime and the allocators print before they abort.
            _ if words.contains("has overflowed its stack") => Self::StackOverflow,
            _ if words.contains("memory allocation of ") => Self::OutOfMemory { limit: memory },
            (Some(6), _) => Self::Aborted,
            (Some(signal @ (4 | 5 | 7 | 8 | 11 | 31)), _) => Self::Crashed(signal),
            (Some(signal), _) => Self::Killed(signal),
            (None, code) => Self::Exited(code.unwrap_or_default()),
        }
    }

    /// Whether the same case ends the next worker, too. What depends on the state of the worker or of the machine is tried again.
    pub(crate) fn is_certain(&self) -> bool {
        !matches!(self, Self::OutOfMemory { .. } | Self::Killed(_))
    }

    /// Whether the last output adds nothing.
    pub(crate) fn says_it_all(&self) -> bool {
        matches!(self, Self::StackOverflow | Self::OutOfMemory { .. } | Self::TimedOut(_))
    }

    /// Whether the size of an object may be what ended it.
    pub(crate) fn may_be_for_size(&self) -> bool {
        matches!(self, Self::TimedOut(_) | Self::OutOfMemory { .. })
    }

    /// Whether an oracle can be blamed for it at all.
    pub(crate) fn is_own_doing(&self) -> bool {
        !matches!(self, Self::Killed(_))
    }
}

impl fmt::Display for ProcessEnd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = |signal: &i32| {
            let known = SIGNALS.iter().find(|(number, _)| number == signal);
            known.map_or_else(|| format!("signal {signal}"), |(_, name)| (*name).to_owned())
        };
        match self {
            Self::StackOverflow => f.write_str("stack overflow"),
            Self::OutOfMemory { limit } => write!(f, "out of memory (limit: {} MiB)", limit >> 20),
            Self::Aborted => f.write_str("abort"),
            Self::Exited(code) => write!(f, "exited with code {code}"),
            Self::Crashed(signal) => write!(f, "crash by {}", name(signal)),
            Self::Killed(signal) => write!(f, "killed by {}", name(signal)),
            Self::TimedOut(time) => write!(f, "no answer within {time:?}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::ProcessEnd;
    use std::os::unix::process::ExitStatusExt as _;
    use std::process::ExitStatus;

    #[test]
    fn signals_and_last_words_tell_what_happened() {
        let overflow = "\nthread 'judge' (7) has overflowed its stack\nfatal runtime error: stack overflow, aborting\n";
        let memory = "memory allocation of 67108864 bytes failed\n";
        for (status, words, end, certain) in [
            (6, overflow, "stack overflow", true),
            (6, memory, "out of memory (limit: 256 MiB)", false),
            (6, "", "abort", true),
            (11, "", "crash by SIGSEGV", true),
            (9, "", "killed by SIGKILL", false),
            (64, "", "killed by signal 64", false),
            (0, "", "exited with code 0", true),
            (3 << 8, "", "exited with code 3", true),
        ] {
            let found = ProcessEnd::of(ExitStatus::from_raw(status), words, 256 << 20);
            assert_eq!((found.to_string().as_str(), found.is_certain()), (end, certain));
        }
    }
}
