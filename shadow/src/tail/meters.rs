//! What is counted of a log that is followed. The label is the file as the operator named it.

use prometheus::{Error, IntCounter, IntCounterVec, IntGauge, IntGaugeVec, Opts};
use takeover_harness::metrics::Metrics;

/// Something that happened to a log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Change {
    /// It was rotated, and reading goes on with the next file.
    Rotated,
    /// It became shorter, or another content took its place.
    Truncated,
    /// A file is gone of which not everything may have been read.
    Lost,
    /// It cannot be opened or read, or is broken.
    Unreadable,
}

impl Change {
    const ALL: [Self; 4] = [Self::Rotated, Self::Truncated, Self::Lost, Self::Unreadable];

    fn label(self) -> &'static str {
        match self {
            Self::Rotated => "rotated",
            Self::Truncated => "truncated",
            Self::Lost => "lost",
            Self::Unreadable => "unreadable",
        }
    }
}

/// What became of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Became {
    /// Read for comparison.
    Read,
    /// Read for what it says of stored objects only: it is from before the place where comparison begins.
    Learnt,
    /// Longer than the limit.
    TooLong,
    /// No event.
    Broken,
    /// Earlier servers ended over it.
    LeftOut,
}

impl Became {
    const ALL: [Self; 5] = [Self::Read, Self::Learnt, Self::TooLong, Self::Broken, Self::LeftOut];

    fn label(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Learnt => "learnt",
            Self::TooLong => "too_long",
            Self::Broken => "broken",
            Self::LeftOut => "left_out",
        }
    }
}

/// The counters of all logs.
pub(crate) struct TailCounters {
    lines: IntCounterVec,
    bytes: IntCounterVec,
    changes: IntCounterVec,
    behind: IntGaugeVec,
}

/// The counters of one log.
pub(crate) struct TailMeters {
    lines: [IntCounter; 5],
    bytes: IntCounter,
    changes: [IntCounter; 4],
    behind: IntGauge,
}

impl TailCounters {
    /// Registers them.
    ///
    /// # Errors
    /// When they are registered already.
    pub(crate) fn new(registry: &Metrics) -> Result<Self, Error> {
        let counters = |name, help, labels: &[&str]| {
            let counters = IntCounterVec::new(Opts::new(name, help), labels)?;
            registry.add(Box::new(counters.clone())).map(|()| counters)
        };
        let behind = Opts::new("takeover_shadow_tail_behind_bytes", "Bytes of logs that are not read yet.");
        let behind = IntGaugeVec::new(behind, &["file"])?;
        registry.add(Box::new(behind.clone()))?;
        Ok(Self {
            lines: counters(
                "takeover_shadow_tail_lines_total",
                "Lines of logs by what became of them.",
                &["file", "outcome"],
            )?,
            bytes: counters("takeover_shadow_tail_bytes_total", "Bytes of the lines of logs.", &["file"])?,
            changes: counters(
                "takeover_shadow_tail_changes_total",
                "What happened to the files of logs.",
                &["file", "change"],
            )?,
            behind,
        })
    }

    /// Those of the log `file`.
    pub(crate) fn of(&self, file: &str) -> TailMeters {
        TailMeters {
            lines: Became::ALL.map(|became| self.lines.with_label_values(&[file, became.label()])),
            bytes: self.bytes.with_label_values(&[file]),
            changes: Change::ALL.map(|change| self.changes.with_label_values(&[file, change.label()])),
            behind: self.behind.with_label_values(&[file]),
        }
    }
}

impl TailMeters {
    /// Counts a line of so many bytes.
    pub(crate) fn line(&self, became: Became, bytes: u64) {
        if let Some((_, counter)) = Became::ALL.iter().zip(&self.lines).find(|(of, _)| **of == became) {
            counter.inc();
        }
        self.bytes.inc_by(bytes);
    }

    /// Counts a change.
    pub(crate) fn change(&self, change: Change) {
        if let Some((_, counter)) = Change::ALL.iter().zip(&self.changes).find(|(of, _)| **of == change) {
            counter.inc();
        }
    }

    /// Notes how much is not read yet.
    pub(crate) fn behind(&self, bytes: u64) {
        self.behind.set(i64::try_from(bytes).unwrap_or(i64::MAX));
    }
}
