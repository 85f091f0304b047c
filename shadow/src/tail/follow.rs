//! Which file comes next, and which of its lines are new.

use super::log::{Got, Log};
use super::meters::{Change, TailMeters};
use super::position::{Position, Start};
use super::rotated::{Rotated, rotated};
use std::collections::VecDeque;
use std::io::{self, ErrorKind};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

/// How much larger a packed file is taken to be unpacked.
const PACKED: u64 = 12;

/// How many lines are read before it is looked again how many are left.
const COUNT_EVERY: u32 = 1024;

/// How much is read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Most {
    /// Bytes of a line.
    pub(crate) line: usize,
    /// Bytes before the place where comparison begins that are read for what they say of stored objects.
    pub(crate) learn: u64,
}

/// A line of a log.
#[derive(Debug)]
pub(crate) struct Line {
    /// Its text, or the bytes of one that is too long.
    pub(crate) text: Result<Vec<u8>, u64>,
    /// The file it was read from.
    pub(crate) file: String,
    /// Its number in the file, from 1.
    pub(crate) number: u64,
    /// Whether it is to be compared, and not from before the place where that begins.
    pub(crate) is_new: bool,
    /// The position before it; `part` of its requests are counted already.
    pub(crate) before: Position,
    /// The position after it.
    pub(crate) after: Position,
}

/// What comes next.
#[derive(Debug)]
pub(crate) enum Next {
    /// The end was found, and what comes after this position is new. What is before it may be learnt from first.
    Begun(Position),
    /// A line.
    Line(Box<Line>),
    /// Nothing for now. The position, where it changed without a line.
    Nothing(Option<Position>),
}

/// How often a rotated file is tried to be opened before it is passed over: a minute, at four looks a second.
const MOST_TRIES: u32 = 240;

/// How often a file that was read is looked for under its new name.
const MOST_LOOKS: u32 = 3;

/// Follows a log from file to file.
pub(crate) struct Follower {
    path: PathBuf,
    /// A rotated file that could not be opened, by its time, and how often that was tried.
    refused: (i64, u32),
    start: Option<Start>,
    /// Files to read first.
    queue: VecDeque<Turn>,
    current: Option<Current>,
    /// When the last file that is read to its end was rotated.
    after: i64,
    /// Requests of the first line that are counted already.
    part: u64,
    told: Option<Position>,
    /// The end that was found, until that is told.
    begun: Option<Position>,
    lines: u32,
    complained: Option<ErrorKind>,
}

/// A file to read, and which of its lines are new.
struct Turn {
    what: What,
    span: Span,
}

enum What {
    Open(Box<Log>, Option<i64>),
    Rotated(Rotated),
}

/// Lines that end up to `learn` are passed over, those up to `new` are learnt from only.
#[derive(Clone, Copy)]
struct Span {
    learn: u64,
    new: u64,
}

impl Span {
    const NEW: Self = Self { learn: 0, new: 0 };
    const LEARN: Self = Self { learn: 0, new: u64::MAX };
}

struct Current {
    log: Log,
    /// When it was rotated, if it was before it was opened.
    rotated: Option<i64>,
    span: Span,
    /// Nobody writes to it any more: what is read from here on is the rest.
    closing: bool,
    /// Whether everything was read when it was last looked at.
    idle: bool,
}

enum Look {
    Again,
    Wait,
}

impl Follower {
    /// Follows the log that is written to `path`.
    pub(crate) fn new(path: PathBuf, start: Start) -> Self {
        Self {
            path,
            refused: (0, 0),
            start: Some(start),
            queue: VecDeque::new(),
            current: None,
            after: 0,
            part: 0,
            told: None,
            begun: None,
            lines: 0,
            complained: None,
        }
    }

    /// Finds the place to begin. What is written from here on is new.
    pub(crate) fn begin(&mut self, most: Most, meters: &TailMeters) {
        let Some(start) = self.start.take() else { return };
        if let Err(error) = self.begin_at(&start, most, meters) {
            self.start = Some(start);
            self.complain(&error, meters);
        }
    }

    /// The end that was found, once.
    pub(crate) fn begun(&mut self) -> Option<Position> {
        self.begun.take()
    }

    /// Reads what comes next. Never waits.
    pub(crate) fn next(&mut self, most: Most, meters: &TailMeters) -> Next {
        self.begin(most, meters);
        if self.start.is_some() {
            return Next::Nothing(None);
        }
        if let Some(position) = self.begun() {
            return Next::Begun(position);
        }
        loop {
            let Some(current) = &mut self.current else {
                match self.open_next(meters) {
                    Ok(true) => continue,
                    Ok(false) => return self.nothing(meters),
                    Err(error) => {
                        self.complain(&error, meters);
                        return self.nothing(meters);
                    }
                }
            };
            if std::mem::take(&mut current.idle)
                && current.rotated.is_none()
                && current.log.is_intact().is_ok_and(|is| !is)
            {
                self.truncated(meters);
                continue;
            }
            let before = current.log.position(self.after);
            let got = match current.log.next(most.line) {
                Ok(Got::Nothing) if current.closing => current.log.last(most.line),
                Ok(got) => got,
                Err(error) => {
                    // Of a broken file nothing more is to be had; another may be readable later.
                    let broken = current.rotated.is_some();
                    self.complain(&error, meters);
                    if broken {
                        self.finish(meters);
                        continue;
                    }
                    Got::Nothing
                }
            };
            match got {
                Got::Nothing => match self.look(meters) {
                    Look::Again => {}
                    Look::Wait => return self.nothing(meters),
                },
                Got::Line(text) => {
                    if let Some(line) = self.line(Ok(text), before, meters) {
                        return Next::Line(line);
                    }
                }
                Got::TooLong(bytes) => {
                    if let Some(line) = self.line(Err(bytes), before, meters) {
                        return Next::Line(line);
                    }
                }
            }
        }
    }

    fn line(&mut self, text: Result<Vec<u8>, u64>, mut before: Position, meters: &TailMeters) -> Option<Box<Line>> {
        self.lines += 1;
        if self.lines.is_multiple_of(COUNT_EVERY) {
            self.count_rest(meters);
        }
        let current = self.current.as_ref()?;
        let end = current.log.offset();
        if end <= current.span.learn {
            return None;
        }
        let is_new = end > current.span.new;
        if is_new {
            before.part = std::mem::take(&mut self.part);
        }
        let after = current.log.position(self.after);
        if is_new {
            self.told = Some(after.clone());
        }
        self.complained = None;
        let (file, number) = (current.log.name().to_owned(), current.log.line());
        Some(Box::new(Line { text, file, number, is_new, before, after }))
    }

    fn nothing(&mut self, meters: &TailMeters) -> Next {
        self.count_rest(meters);
        let position = match &mut self.current {
            Some(current) => {
                current.idle = true;
                current.log.position(self.after)
            }
            None => Position { after: self.after, ..Position::default() },
        };
        if self.told.as_ref() == Some(&position) {
            return Next::Nothing(None);
        }
        self.told = Some(position.clone());
        Next::Nothing(Some(position))
    }

    fn count_rest(&self, meters: &TailMeters) {
        let mut rest = self.current.as_ref().map_or(0, |current| current.log.rest());
        if self.current.as_ref().is_none_or(|current| current.rotated.is_some()) {
            let length = |path: &Path| std::fs::metadata(path).map_or(0, |metadata| metadata.len());
            let from = self.current.as_ref().and_then(|current| current.rotated).unwrap_or(self.after);
            let later = rotated(&self.path).unwrap_or_default().into_iter().filter(|file| file.at > from);
            rest += later.map(|file| length(&file.path)).sum::<u64>() + length(&self.path);
        }
        meters.behind(rest);
    }

    /// Finds the place to begin, and what is to be learnt before it.
    fn begin_at(&mut self, start: &Start, most: Most, meters: &TailMeters) -> io::Result<()> {
        let mut found = match start {
            Start::Beginning => return Ok(()),
            Start::End => {
                let log = optional(Log::open(&self.path, false))?;
                log.map(Found::end).transpose()?
            }
            Start::At(position) => {
                self.after = position.after;
                self.find(position, true)?
            }
        };
        let mut earlier = rotated(&self.path)?;
        match (start, &found) {
            (Start::End, found) => {
                // The file may have been rotated just now.
                let is_it =
                    |file: &Rotated| found.as_ref().is_some_and(|found| is_file(&file.path, found.log.identity()));
                earlier.retain(|file| !is_it(file));
                self.after = earlier.last().map_or(0, |file| file.at);
            }
            (_, None) => {
                earlier.retain(|file| file.at <= self.after);
                if let Start::At(position) = start
                    && position.head_bytes > 0
                {
                    meters.change(Change::Lost);
                    tracing::warn!(log = %self.path.display(), "the file that was read last is gone, and what was written to its end");
                }
            }
            (Start::At(position), Some(_)) => {
                self.part = position.part;
                earlier.retain(|file| file.at <= self.after);
            }
            (Start::Beginning, Some(_)) => {}
        }
        if *start == Start::End {
            self.begun = Some(match &found {
                Some(found) => Position { offset: found.new, ..found.log.position(self.after) },
                None => Position { after: self.after, ..Position::default() },
            });
        }
        let mut room = most.learn;
        if let Some(Found { log, rotated, new }) = found.take() {
            let learn = new.saturating_sub(room);
            room = room.saturating_sub(new);
            self.queue.push_back(Turn { what: What::Open(log, rotated), span: Span { learn, new } });
        }
        for file in earlier.into_iter().rev() {
            let length = std::fs::metadata(&file.path).map_or(0, |metadata| metadata.len());
            let length = if file.packed { length.saturating_mul(PACKED) } else { length };
            let Some(left) = room.checked_sub(length) else { break };
            room = left;
            self.queue.push_front(Turn { what: What::Rotated(file), span: Span::LEARN });
        }
        Ok(())
    }

    /// The file of a position, under whatever name it is by now.
    fn find(&self, position: &Position, may_be_in_place: bool) -> io::Result<Option<Found>> {
        let is_it = |mut log: Log, rotated| -> io::Result<Option<Found>> {
            let same = if position.head_bytes == 0 { log.identity().1 == position.inode } else { log.is_of(position)? };
            // What was read to know it is read again.
            Ok(same.then(|| Found { log: Box::new(log), rotated, new: position.offset }))
        };
        if may_be_in_place
            && let Some(log) = optional(Log::open(&self.path, false))?
            && let Some(found) = is_it(log, None)?
        {
            return Ok(Some(found));
        }
        for file in rotated(&self.path)?.into_iter().filter(|file| file.at > position.after) {
            // One that cannot be read is not what is looked for.
            if let Ok(log) = Log::open(&file.path, file.packed)
                && let Ok(Some(found)) = is_it(log, Some(file.at))
            {
                return Ok(Some(found));
            }
        }
        Ok(None)
    }

    /// Opens the next file, if there is one.
    fn open_next(&mut self, meters: &TailMeters) -> io::Result<bool> {
        while let Some(Turn { what, span }) = self.queue.pop_front() {
            let (log, rotated) = match what {
                What::Open(log, rotated) => (*log, rotated),
                What::Rotated(file) => match Log::open(&file.path, file.packed) {
                    Ok(log) => (log, Some(file.at)),
                    // It was to be learnt from only.
                    Err(_) => continue,
                },
            };
            self.current = Some(Current { log, rotated, span, closing: false, idle: false });
            return Ok(true);
        }
        let in_place = optional(Log::open(&self.path, false))?;
        // Looked for only now: a file that was rotated before that one was made has to be seen.
        let next = self.unread()?;
        let (log, rotated) = match (next, in_place) {
            (Some(next), Some(log)) if is_file(&next.path, log.identity()) => (log, None),
            (Some(next), _) => match Log::open(&next.path, next.packed) {
                Ok(log) => (log, Some(next.at)),
                // It was packed just now.
                Err(error) if error.kind() == ErrorKind::NotFound => return Ok(false),
                Err(error) => {
                    let (at, tries) = self.refused;
                    self.refused = (next.at, if at == next.at { tries + 1 } else { 1 });
                    if self.refused.1 >= MOST_TRIES {
                        // What comes after it is not to wait for ever.
                        self.after = next.at;
                        meters.change(Change::Lost);
                        tracing::warn!(log = %next.path.display(), "passed over: a rotated file that cannot be opened");
                    }
                    return Err(error);
                }
            },
            (None, Some(log)) => (log, None),
            (None, None) => return Ok(false),
        };
        self.current = Some(Current { log, rotated, span: Span::NEW, closing: false, idle: false });
        Ok(true)
    }

    /// The oldest rotated file that was not read yet.
    fn unread(&self) -> io::Result<Option<Rotated>> {
        Ok(rotated(&self.path)?.into_iter().find(|file| file.at > self.after))
    }

    /// Everything was read: is there more to come, or another file to go on with?
    fn look(&mut self, meters: &TailMeters) -> Look {
        let Some(current) = &mut self.current else { return Look::Again };
        if current.closing {
            self.finish(meters);
            return Look::Again;
        }
        let identity = current.log.identity();
        let moved_on = current.rotated.is_some()
            || match std::fs::metadata(&self.path) {
                Ok(metadata) if (metadata.dev(), metadata.ino()) == identity => false,
                // As long as nothing is in the other file, whoever writes may still write to this one.
                Ok(metadata) if metadata.len() > 0 => true,
                _ => rotated(&self.path)
                    .is_ok_and(|files| files.iter().any(|file| file.at > self.after && !is_file(&file.path, identity))),
            };
        match &mut self.current {
            Some(current) if moved_on => {
                // Until now something may have been written to it.
                current.closing = true;
                Look::Again
            }
            _ => Look::Wait,
        }
    }

    /// The file is read to its end.
    fn finish(&mut self, meters: &TailMeters) {
        let Some(Current { log, rotated, span, .. }) = self.current.take() else { return };
        if span.new != u64::MAX {
            meters.change(Change::Rotated);
        }
        let at = rotated.or_else(|| {
            let position = log.position(self.after);
            // A file that is packed between two looks at the folder is there under another name at the next.
            let found = (0..MOST_LOOKS).find_map(|_| self.find(&position, false).transpose());
            found.and_then(Result::ok).and_then(|found| found.rotated)
        });
        // A file that is gone or has another name by now leaves the time as it was: those rotated later are still to come.
        self.after = self.after.max(at.unwrap_or(self.after));
    }

    /// The file was emptied in place. What was not read of it is in its copy, if there is one.
    fn truncated(&mut self, meters: &TailMeters) {
        let Some(current) = self.current.take() else { return };
        meters.change(Change::Truncated);
        let position = current.log.position(self.after);
        match self.find(&position, false) {
            Ok(Some(Found { log, rotated, new })) => {
                let span = Span { learn: new, new };
                self.queue.push_back(Turn { what: What::Open(log, rotated), span });
            }
            _ => {
                meters.change(Change::Lost);
                tracing::warn!(log = %self.path.display(), "the log was emptied, and what was written to its end is not known");
            }
        }
    }

    /// Says what is wrong, once as long as it stays so.
    fn complain(&mut self, error: &io::Error, meters: &TailMeters) {
        meters.change(Change::Unreadable);
        if self.complained != Some(error.kind()) {
            self.complained = Some(error.kind());
            let file = self
                .current
                .as_ref()
                .map_or_else(|| self.path.display().to_string(), |current| current.log.name().to_owned());
            tracing::warn!(log = file, %error, "the log cannot be read");
        }
    }
}

/// The file of a position.
struct Found {
    log: Box<Log>,
    rotated: Option<i64>,
    /// From where on its lines are new.
    new: u64,
}

impl Found {
    /// The end of a file, which is known by its beginning before anything is read.
    fn end(mut log: Log) -> io::Result<Self> {
        let new = log.length();
        log.know()?;
        Ok(Self { log: Box::new(log), rotated: None, new })
    }
}

/// What is not there is nothing wrong.
fn optional(log: io::Result<Log>) -> io::Result<Option<Log>> {
    match log {
        Ok(log) => Ok(Some(log)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// Whether the file of this name is the one of this device and inode.
fn is_file(path: &Path, identity: (u64, u64)) -> bool {
    std::fs::metadata(path).is_ok_and(|metadata| (metadata.dev(), metadata.ino()) == identity)
}
