//! A conversation with one process of the program.

use super::ExampleQuestion;
use crate::exec::ExecSettings;
use crate::exec::process::{Heard, Process};
use crate::exec::trouble::{Death, Trouble, seconds};
use crate::protocol::{Answer, Hello, Message, Question, read_message};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// How long a process may take to end after its standard input is closed.
const LEAVING: Duration = Duration::from_secs(2);

/// A process that said hello, and what it wrote that is no message.
pub(super) struct Session<'s> {
    process: Process,
    settings: &'s ExecSettings,
    strays: &'s mut Vec<String>,
}

impl<'s> Session<'s> {
    /// Starts a process, which said hello before without fault.
    pub(super) fn start(settings: &'s ExecSettings, strays: &'s mut Vec<String>) -> Result<Self, String> {
        let (process, _): (_, Hello) = Process::start(settings).map_err(|error| error.to_string())?;
        Ok(Self { process, settings, strays })
    }

    /// Goes on with a process whose hello has been read.
    pub(super) fn with(process: Process, settings: &'s ExecSettings, strays: &'s mut Vec<String>) -> Self {
        Self { process, settings, strays }
    }

    /// Writes a line.
    pub(super) fn send(&mut self, line: &str) {
        self.process.send(line.as_bytes());
    }

    /// Asks a question by itself, and returns the answer.
    pub(super) fn ask(&mut self, question: &Question) -> Result<Answer, String> {
        self.send(&serde_json::to_string(question).map_err(|error| error.to_string())?);
        self.answer(question.id)
    }

    /// Asks an example, and returns the answer.
    pub(super) fn ask_example(&mut self, example: &ExampleQuestion) -> Result<Answer, String> {
        let id = self.next_id();
        self.ask(&example.to_question(id))
    }

    /// An id that no question has had.
    pub(super) fn next_id(&mut self) -> u64 {
        let id = self.process.next_id;
        self.process.next_id += 1;
        id
    }

    /// Waits for the answer to a question.
    pub(super) fn answer(&mut self, id: u64) -> Result<Answer, String> {
        let mut answers = self.answers(&[id])?;
        answers.remove(&id).ok_or_else(|| format!("no answer to question {id}"))
    }

    /// Waits for the answers to questions, each of which must come once.
    pub(super) fn answers(&mut self, ids: &[u64]) -> Result<BTreeMap<u64, Answer>, String> {
        let mut answers = BTreeMap::new();
        let time = self.settings.timeout;
        let mut until = Instant::now() + time;
        while answers.len() < ids.len() {
            let Some(line) = self.process.receive(until).map_err(|trouble| trouble.to_string())? else {
                let (came, asked) = (answers.len(), ids.len());
                let rest =
                    if asked == 1 { String::new() } else { format!(": {came} of {asked} questions were answered") };
                return Err(format!("no answer within {}{rest}", seconds(time)));
            };
            if self.take(&line, ids, &mut answers)? {
                until = Instant::now() + time;
            }
        }
        Ok(answers)
    }

    /// Takes the answers of a line; returns whether there are any.
    fn take(&mut self, line: &[u8], ids: &[u64], answers: &mut BTreeMap<u64, Answer>) -> Result<bool, String> {
        match read_message(line) {
            Err(error) => {
                self.strays.push(error.to_string());
                Ok(false)
            }
            Ok(Message::Hello(_)) => Err("the oracle sent a second hello".to_owned()),
            Ok(Message::Answers(several)) => {
                for answer in several {
                    let id = answer.id;
                    if answers.contains_key(&id) || (!ids.contains(&id) && id < self.process.next_id) {
                        return Err(format!("the oracle answered question {id} a second time"));
                    }
                    if !ids.contains(&id) {
                        return Err(format!("the oracle answered question {id}, which it was not asked"));
                    }
                    answers.insert(id, answer);
                }
                Ok(true)
            }
        }
    }

    /// Closes standard input as soon as all is written.
    pub(super) fn hang_up(&mut self) {
        let until = Instant::now() + self.settings.timeout;
        while self.process.unwritten() > 0 && matches!(self.process.wait(until), Heard::Something) {}
        self.process.hang_up();
    }

    /// Closes standard input and reads what still comes, among which must be no answer. How the process ends does not matter.
    pub(super) fn leave(mut self) -> Result<(), String> {
        self.read_to_end().map(|_| ())
    }

    /// Closes standard input; the process must end with exit code 0.
    pub(super) fn finish(mut self) -> Result<(), String> {
        match self.read_to_end()? {
            Some(Trouble::Died(Death { status: Some(status), .. })) if status.success() => Ok(()),
            Some(Trouble::Died(death @ Death { status: Some(_), .. })) => {
                Err(format!("when its standard input was closed, {death}"))
            }
            _ => Err(format!("it still runs {} after its standard input was closed", seconds(LEAVING))),
        }
    }

    /// Closes standard input and reads all that still comes. Returns how the process ended, if it did.
    fn read_to_end(&mut self) -> Result<Option<Trouble>, String> {
        self.process.hang_up();
        let until = Instant::now() + LEAVING;
        loop {
            match self.process.receive(until) {
                Ok(None) => return Ok(None),
                Ok(Some(line)) => {
                    self.take(&line, &[], &mut BTreeMap::new())?;
                }
                Err(trouble) => return Ok(Some(trouble)),
            }
        }
    }
}
