//! Audit logs on disk: lines in, cases out. Whoever asks for the next case reads on, so a log waits while its cases are compared.

use super::audit::{Read, reads};
use super::read::{Nothing, limits as bounds, unreadable};
use crate::settings::{Limits, Live};
use crate::tail::{Became, Follower, Line, LinesAtHand, LogMark, Most, Next, Position, Tail, TailCounters, TailMeters};
use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use takeover_corpora::load::{Document, LoadErrorKind, line};
use takeover_corpora::requests::audit::{API_VERSION, Replay};
use takeover_harness::case::Provenance;

/// How often a log is looked at that has nothing new. Looking costs a few system calls, also where changes are not announced, such as on
/// file systems of other machines.
const LOOK: Duration = Duration::from_millis(250);

/// Why a line or request is left out.
const ENDED: &str = "left out: two servers ended while they read or compared it";

/// A log that is followed, and what is known between its events.
pub struct Followed {
    number: usize,
    known: Mutex<Known>,
    meters: TailMeters,
    closed: Mutex<bool>,
    closing: Condvar,
}

struct Known {
    follower: Follower,
    replay: Replay,
    ready: VecDeque<Step>,
    sequence: u64,
    /// Where it begins, until that is recorded.
    begun: Option<LogMark>,
    /// Where it is noted which line is at hand.
    lines: Option<Arc<LinesAtHand>>,
    /// Whether one is noted.
    noted: bool,
}

/// What comes next of a log.
pub(crate) struct Step {
    /// A case, or why there is none; nothing, if only the position changed.
    pub(crate) read: Option<Read>,
    /// Where reading stands when this is recorded.
    pub(crate) mark: LogMark,
}

impl Followed {
    /// Follows the log of this number, of `all`.
    pub(crate) fn new(
        number: usize,
        all: usize,
        tail: Tail,
        lines: Option<Arc<LinesAtHand>>,
        counters: &TailCounters,
    ) -> Self {
        let meters = counters.of(&tail.path.display().to_string());
        let known = Known {
            follower: Follower::new(tail.path, tail.start),
            replay: Replay::new(Replay::MEMORY / all.max(1)),
            ready: VecDeque::new(),
            sequence: 0,
            begun: None,
            lines,
            noted: false,
        };
        Self { number, known: Mutex::new(known), meters, closed: Mutex::new(false), closing: Condvar::new() }
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn closed(&self) -> MutexGuard<'_, bool> {
        self.closed.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads no further. What is under way in the log is not lost for that: whoever goes on finds its end.
    pub(crate) fn close(&self) {
        *self.closed() = true;
        self.closing.notify_all();
    }

    /// Finds the place to begin: what is written to the log from here on is new.
    pub(crate) fn begin(&self, limits: &Limits) {
        let mut known = self.known();
        known.follower.begin(most(limits), &self.meters);
        if let Some(position) = known.follower.begun() {
            known.begun = Some(known.mark(self.number, position));
        }
    }

    /// Where it begins, once. To be recorded before anything is read: what a server learns first takes its time, and what is written
    /// meanwhile is not to be lost should it be cut off.
    pub(crate) fn begun(&self) -> Option<LogMark> {
        self.known().begun.take()
    }

    /// Waits for what comes next. None when it is closed.
    pub(crate) fn next(&self, settings: &Live) -> Option<Step> {
        loop {
            let mut known = self.known();
            if *self.closed() {
                known.is_at_no_line(self.number);
                return None;
            }
            if let Some(step) = known.ready.pop_front() {
                return Some(known.unless_left_out(self.number, step));
            }
            let most = most(&settings.get().limits);
            match known.follower.next(most, &self.meters) {
                Next::Line(line) => known.read(self.number, *line, most.line, &self.meters),
                Next::Begun(position) | Next::Nothing(Some(position)) => known.step(self.number, None, position),
                Next::Nothing(None) => {
                    known.is_at_no_line(self.number);
                    drop(known);
                    let _ = self.closing.wait_timeout_while(self.closed(), LOOK, |closed| !*closed);
                }
            }
        }
    }
}

fn left_out(message: String, line: Option<Box<Provenance>>) -> Nothing {
    Nothing { label: "ended_server", reason: ENDED.to_owned(), message, line }
}

fn most(limits: &Limits) -> Most {
    Most { line: limits.body_bytes, learn: limits.learn_bytes }
}

impl Known {
    /// Notes that a line is at hand, from now until the next is. Whether it is to be read.
    fn is_at(&mut self, log: usize, line: &[u8]) -> bool {
        let Some(lines) = &self.lines else { return true };
        self.noted = true;
        lines.take(log, line)
    }

    /// The step; without its case, if servers ended over that. A case may come of a later line than its own.
    fn unless_left_out(&mut self, log: usize, step: Step) -> Step {
        let Some(Read::Case(id, loaded)) = &step.read else { return step };
        if self.is_at(log, format!("request {id}").as_bytes()) {
            return step;
        }
        let message = format!("{}: {ENDED}", loaded.case.provenance);
        let line = Some(Box::new(loaded.case.provenance.clone()));
        Step { read: Some(Read::Nothing(left_out(message, line))), ..step }
    }

    fn is_at_no_line(&mut self, log: usize) {
        if let Some(lines) = self.lines.as_ref().filter(|_| std::mem::take(&mut self.noted)) {
            lines.done(log);
        }
    }

    fn step(&mut self, log: usize, read: Option<Read>, position: Position) {
        let mark = self.mark(log, position);
        self.ready.push_back(Step { read, mark });
    }

    fn mark(&mut self, log: usize, position: Position) -> LogMark {
        self.sequence += 1;
        LogMark { log, sequence: self.sequence, position }
    }

    fn read(&mut self, log: usize, next: Line, limit: usize, meters: &TailMeters) {
        let Line { text, file, number, is_new, before, after } = next;
        let bytes = match &text {
            Ok(text) => text.len() as u64,
            Err(bytes) => *bytes,
        };
        let mut became = if is_new { Became::Read } else { Became::Learnt };
        let mut found = Vec::new();
        match text {
            Ok(text) if !self.is_at(log, &text) => {
                became = Became::LeftOut;
                let message = format!("{file}:{number}: {ENDED}");
                found.push(Read::Nothing(left_out(message, None)));
            }
            Ok(text) => {
                for document in line(&text, &file, number, bounds(limit)) {
                    match document {
                        Ok(document) => found.extend(self.document(document)),
                        Err(error) => {
                            became = Became::Broken;
                            found.push(Read::Nothing((&error).into()));
                        }
                    }
                }
            }
            Err(bytes) => {
                became = Became::TooLong;
                let message = format!("{file}:{number}: a line of {bytes} bytes; only the first {limit} are read");
                found.push(Read::Nothing(unreadable(LoadErrorKind::TooLarge, message)));
            }
        }
        meters.line(became, bytes);
        if !is_new {
            return;
        }
        for read in &mut found {
            if let Read::Nothing(nothing) = read {
                // Whatever else is kept of it, it can be found.
                let line = Provenance::File { path: file.clone(), document: number, line: number };
                nothing.line = Some(Box::new(line));
            }
        }
        // INVARIANT: what is recorded and how far that brings the position belong together, so that a server that goes on from the
        // position counts nothing twice.
        let last = found.len() as u64;
        let counted = before.part;
        for (part, read) in (1..).zip(found).filter(|(part, _)| *part > counted) {
            let position = if part == last { after.clone() } else { Position { part, ..before.clone() } };
            self.step(log, Some(read), position);
        }
        if last <= counted {
            self.step(log, None, after);
        }
    }

    fn document(&mut self, document: Document) -> Vec<Read> {
        let Document { provenance, value, api_version, kind } = document;
        if (api_version.as_str(), kind.as_str()) == (API_VERSION, "Event") {
            return reads(&mut self.replay, value, &provenance);
        }
        if api_version.starts_with("audit.k8s.io/") {
            return vec![Read::Nothing(Nothing::of_version(&api_version, &kind))];
        }
        let (label, reason) = ("no_event", "no audit event".to_owned());
        vec![Read::Nothing(Nothing { label, reason, message: format!("{provenance}: not an audit event"), line: None })]
    }
}
