//! Asking a batch of questions: written as fast as the process takes them, answered in any order, and asked again one by one when
//! the process has to be ended.

use super::pool::{Lease, Pool};
use super::process::{Heard, Process};
use super::trouble::Trouble;
use crate::protocol::{MAX_LINE, Message, TooLong, read_message, write_question};
use std::time::Instant;
use takeover_harness::oracle::{Answer, OracleFailure, Question};

/// A line that is longer gets no more questions.
const LONG_LINE: usize = 1 << 20;

/// No more questions are prepared while so many bytes wait to be written.
const ENOUGH: usize = 256 << 10;

/// The questions of a batch, and what became of them.
pub(super) struct Asking<'q> {
    pool: &'q Pool,
    questions: Vec<Asked<'q>>,
    results: Vec<Option<Result<Answer, OracleFailure>>>,
}

/// A question, with version and kind of its object.
type Asked<'q> = (&'q Question<'q>, (&'q str, &'q str));

/// Questions that a process was asked together, and how far it came with them.
struct Round<'o> {
    /// Indices of the questions.
    order: &'o [usize],
    /// The id of the first; the others follow.
    first_id: u64,
    /// How many were written.
    sent: usize,
    /// Of each, whether it waits for an answer.
    waits: Vec<bool>,
    waiting: usize,
    /// How many answers came.
    answered: u64,
}

impl<'q> Asking<'q> {
    /// A batch, of which only those questions are asked that have a kind.
    pub(super) fn of(
        pool: &'q Pool,
        questions: impl Iterator<Item = (&'q Question<'q>, Result<(&'q str, &'q str), OracleFailure>)>,
    ) -> Self {
        let (questions, results) = questions
            .map(|(question, kind)| match kind {
                Ok(kind) => ((question, kind), None),
                Err(failure) => ((question, ("", "")), Some(Err(failure))),
            })
            .unzip();
        Self { pool, questions, results }
    }

    /// What became of each question.
    pub(super) fn into_results(self) -> impl Iterator<Item = Result<Answer, OracleFailure>> {
        let lost = || Err(OracleFailure::new("the question was not asked"));
        self.results.into_iter().map(move |result| result.unwrap_or_else(lost))
    }

    /// Asks everything.
    pub(super) fn ask(&mut self) {
        let order: Vec<usize> =
            self.results.iter().enumerate().filter(|(_, result)| result.is_none()).map(|(index, _)| index).collect();
        if order.is_empty() {
            return;
        }
        let mut lease = self.pool.lease();
        let mut again = Vec::new();
        let mut rest = order.as_slice();
        while !rest.is_empty() {
            let mut round = Round::of(rest);
            let ended = self.ask_round(&mut lease, &mut round);
            let (asked, unasked) = rest.split_at(round.sent);
            match ended {
                Ok(()) => {}
                Err(Ended::Unstarted(failure)) => return self.fail(&order, &failure),
                // It was by itself already: whoever asks again knows no more about who is at fault.
                Err(ended) if order.len() == 1 && !ended.is_late() => self.fail(asked, &ended.failure()),
                Err(Ended::Trouble(_)) => again.extend(round.unanswered()),
            }
            rest = unasked;
        }
        for index in again {
            let alone = [index];
            if let Err(ended) = self.ask_round(&mut lease, &mut Round::of(&alone)) {
                self.fail(&alone, &ended.failure());
            }
        }
    }

    /// Fails those of the questions that have no result.
    fn fail(&mut self, questions: &[usize], failure: &OracleFailure) {
        for index in questions {
            self.settle(*index, || Err(failure.clone()));
        }
    }

    fn settle(&mut self, index: usize, result: impl FnOnce() -> Result<Answer, OracleFailure>) {
        if let Some(free @ None) = self.results.get_mut(index) {
            *free = Some(result());
        }
    }

    /// Asks the questions of a round. After an error the process is gone.
    fn ask_round(&mut self, lease: &mut Lease<'_>, round: &mut Round<'_>) -> Result<(), Ended> {
        let process = lease.process().map_err(Ended::Unstarted)?;
        let ended = self.converse(process, round);
        if round.answered > 0 {
            self.pool.answered(round.answered);
        }
        ended.map_err(|trouble| {
            lease.lost(&trouble);
            Ended::Trouble(trouble)
        })
    }

    fn converse(&mut self, process: &mut Process, round: &mut Round<'_>) -> Result<(), Trouble> {
        let time = self.pool.settings().timeout;
        round.first_id = process.next_id;
        process.next_id += round.order.len() as u64;
        let mut until = Instant::now() + time;
        loop {
            let sent = round.sent;
            self.write(process, round);
            if round.sent > sent {
                // Time that was spent on writing is not the oracle's.
                until = Instant::now() + time;
            }
            let mut answered = false;
            while let Some(line) = process.next_line().map_err(|TooLong| Trouble::too_long())? {
                let message = read_message(line)?;
                self.hear(message, round)?;
                answered = true;
            }
            if round.is_over() {
                return Ok(());
            }
            if answered {
                until = Instant::now() + time;
                continue;
            }
            match process.wait(until) {
                Heard::Something => {}
                Heard::Nothing => return Err(Trouble::Late(time)),
                Heard::End => return Err(process.died()),
            }
        }
    }

    /// Writes as many questions as may wait and as are worth preparing.
    fn write(&mut self, process: &mut Process, round: &mut Round<'_>) {
        let hello = self.pool.hello();
        while round.sent < round.order.len() && process.unwritten() < ENOUGH {
            let line = hello.questions_per_line().get().min(round.order.len() - round.sent);
            // A line is not worth writing before it can be full.
            if hello.pending.get() - round.waiting < line {
                break;
            }
            self.write_line(process.out(), round, line);
        }
    }

    /// Writes a line of at most so many questions.
    fn write_line(&mut self, out: &mut Vec<u8>, round: &mut Round<'_>, most: usize) {
        let start = out.len();
        let (head, tail): (&[u8], &[u8]) = if most > 1 { (b"{\"questions\":[", b"]}\n") } else { (b"", b"\n") };
        out.extend_from_slice(head);
        let mut count = 0;
        for index in round.order.iter().skip(round.sent).take(most) {
            let before = out.len();
            if count > 0 {
                out.push(b',');
            }
            let written = self.questions.get(*index).map(|(question, kind)| {
                let id = round.first_id + round.sent as u64;
                write_question(out, id, *kind, question)
            });
            let fits = out.len() - start + tail.len() <= MAX_LINE;
            if !fits && count > 0 {
                out.truncate(before);
                break;
            }
            let failure = match written {
                Some(Ok(())) if fits => None,
                Some(Err(error)) => Some(format!("the question cannot be written: {error}")),
                _ => Some(format!("the question is longer than {} MiB", MAX_LINE >> 20)),
            };
            round.sent += 1;
            round.waits.push(failure.is_none());
            match failure {
                None => {
                    count += 1;
                    round.waiting += 1;
                }
                Some(failure) => {
                    out.truncate(before);
                    self.settle(*index, || Err(OracleFailure::new(failure)));
                }
            }
            if out.len() - start > LONG_LINE {
                break;
            }
        }
        if count == 0 {
            out.truncate(start);
        } else {
            out.extend_from_slice(tail);
        }
    }

    /// Takes the answers of a message.
    fn hear(&mut self, message: Message, round: &mut Round<'_>) -> Result<(), Trouble> {
        let Message::Answers(answers) = message else {
            return Err(Trouble::Broke("the oracle sent a second hello".to_owned()));
        };
        let detail = self.pool.hello().precision().detail;
        for answer in answers {
            let id = answer.id;
            let position = id.checked_sub(round.first_id).and_then(|position| usize::try_from(position).ok());
            let place =
                position.and_then(|position| Some((*round.order.get(position)?, round.waits.get_mut(position)?)));
            match place {
                Some((index, waits @ true)) => {
                    *waits = false;
                    round.waiting -= 1;
                    round.answered += 1;
                    self.settle(index, || answer.into_harness(detail));
                }
                Some((index, false)) => {
                    // Nobody knows which of the two it means.
                    let twice = Trouble::Broke(format!("the oracle answered question {id} a second time"));
                    if let Some(result) = self.results.get_mut(index) {
                        *result = Some(Err(twice.failure()));
                    }
                    return Err(twice);
                }
                None if id < round.first_id => {
                    let twice = format!("the oracle answered question {id} a second time");
                    return Err(Trouble::Broke(twice));
                }
                None => {
                    let unasked = format!("the oracle answered question {id}, which it was not asked");
                    return Err(Trouble::Broke(unasked));
                }
            }
        }
        Ok(())
    }
}

/// Why a round ended before all was answered.
enum Ended {
    /// There was no process to ask.
    Unstarted(OracleFailure),
    /// The process had to be ended.
    Trouble(Trouble),
}

impl Ended {
    fn is_late(&self) -> bool {
        matches!(self, Self::Trouble(Trouble::Late(_)))
    }

    fn failure(&self) -> OracleFailure {
        match self {
            Self::Unstarted(failure) => failure.clone(),
            Self::Trouble(trouble) => trouble.failure(),
        }
    }
}

impl<'o> Round<'o> {
    fn of(order: &'o [usize]) -> Self {
        let waits = Vec::with_capacity(order.len());
        Self { order, first_id: 0, sent: 0, waits, waiting: 0, answered: 0 }
    }

    fn is_over(&self) -> bool {
        self.sent == self.order.len() && self.waiting == 0
    }

    /// Indices of the questions that were written and not answered.
    fn unanswered(&self) -> impl Iterator<Item = usize> {
        self.order.iter().zip(&self.waits).filter(|(_, waits)| **waits).map(|(index, _)| *index)
    }
}
