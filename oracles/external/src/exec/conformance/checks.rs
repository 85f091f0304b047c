//! The checks.

use super::session::Session;
use super::{Check, CheckOutcome, Conformance, ExampleQuestion};
use crate::exec::ExecSettings;
use crate::exec::process::Process;
use crate::exec::trouble::seconds;
use crate::protocol::{Answer, Greeting, Hello, Message, Said, VERSION, excerpt, read_message};
use serde_json::{Value, json};
use std::time::Instant;
use takeover_harness::subject::SubjectId;

/// Most questions that are asked at once, whatever the hello allows.
const MANY: usize = 1000;

/// How many examples are asked where one would do.
const SOME: usize = 20;

/// Size of what makes an object big.
const BIG: usize = 1 << 20;

/// Name and title of a check.
type Name = (&'static str, &'static str);

const STARTS: Name = ("starts", "starts and says hello");
const VERSIONS: Name = ("protocol-version", "speaks version 1 of the protocol");
const HELLO: Name = ("hello-members", "says a hello whose members make sense");
const ENDS: Name = ("ends", "exits with 0 when standard input is closed");
const ANSWERS: Name = ("answers", "answers a question");
const BATCH: Name = ("batch", "answers several questions in one line");
const PENDING: Name = ("pending", "answers questions asked at once, each exactly once");
const STEADY: Name = ("steady", "gives the same answer to the same question");
const ANSWERS_FIRST: Name = ("answers-before-it-ends", "answers what it has read before it ends");
const OLD_OBJECT: Name = ("old-object", "answers a question with an `oldObject`");
const BIG_OBJECT: Name = ("big-object", "answers a question with an object of 1 MiB");
const LENIENT: Name = ("blank-lines-and-unknown-members", "ignores blank lines and unknown members");
const UNKNOWN_KIND: Name = ("unknown-kind", "answers a question about an unknown kind");
const WRONG_TYPE: Name = ("wrong-type", "does not accept an object of the wrong type");
const RECOVERS: Name = ("recovers", "carries on after a question that it could not judge");
const ONLY_MESSAGES: Name = ("only-messages", "writes nothing but messages to standard output");

/// Those that need a program that said hello.
const AFTER_HELLO: [Name; 13] = [
    ENDS,
    ANSWERS,
    BATCH,
    PENDING,
    STEADY,
    ANSWERS_FIRST,
    OLD_OBJECT,
    BIG_OBJECT,
    LENIENT,
    UNKNOWN_KIND,
    WRONG_TYPE,
    RECOVERS,
    ONLY_MESSAGES,
];

/// Runs a check.
type RunCheck<'c> = fn(&mut Checker<'c>) -> Verdict;

/// What a check came to, with the explanation.
type Verdict = Result<String, Unmet>;

/// Why a check was not passed.
enum Unmet {
    Failed(String),
    Skipped(String),
}

impl From<String> for Unmet {
    fn from(explanation: String) -> Self {
        Self::Failed(explanation)
    }
}

fn failed<T>(explanation: impl Into<String>) -> Result<T, Unmet> {
    Err(Unmet::Failed(explanation.into()))
}

fn skipped<T>(explanation: impl Into<String>) -> Result<T, Unmet> {
    Err(Unmet::Skipped(explanation.into()))
}

/// Checks a program. `examples` are questions that it should be able to judge; those of kinds that it does not judge are left out,
/// and a made-up object stands in when there are none.
#[must_use]
pub fn check(settings: &ExecSettings, examples: &[ExampleQuestion]) -> Conformance {
    let mut report = Conformance { hello: None, checks: Vec::new() };
    let Some((process, hello)) = say_hello(settings, &mut report) else {
        for name in AFTER_HELLO {
            report.add(name, skipped("it sent no usable hello"));
        }
        return report;
    };
    let judged = |example: &&ExampleQuestion| {
        let SubjectId { api_version, kind, subresource } = &example.subject;
        hello.judges(api_version, kind, subresource)
    };
    let mut examples: Vec<_> = examples.iter().filter(judged).cloned().collect();
    let made_up = examples.is_empty();
    if made_up {
        examples.push(ExampleQuestion::made_up(&hello));
    }
    let mut strays = Vec::new();
    let ends = Session::with(process, settings, &mut strays).finish();
    report.add(ENDS, ends.map(|()| "exit code 0".to_owned()).map_err(Unmet::Failed));
    let mut checker = Checker { settings, hello: &hello, examples, made_up, strays };
    let checks: [(Name, RunCheck<'_>); 11] = [
        (ANSWERS, Checker::answers),
        (BATCH, Checker::batch),
        (PENDING, Checker::pending),
        (STEADY, Checker::steady),
        (ANSWERS_FIRST, Checker::answers_first),
        (OLD_OBJECT, Checker::old_object),
        (BIG_OBJECT, Checker::big_object),
        (LENIENT, Checker::lenient),
        (UNKNOWN_KIND, Checker::unknown_kind),
        (WRONG_TYPE, Checker::wrong_type),
        (RECOVERS, Checker::recovers),
    ];
    for (name, check) in checks {
        report.add(name, check(&mut checker));
    }
    report.add(ONLY_MESSAGES, checker.only_messages());
    report.hello = Some(hello);
    report
}

impl Conformance {
    /// Why the program said no hello: it did not start, or said something else first. None if it said one, whatever it says.
    #[must_use]
    pub fn silence(&self) -> Option<&str> {
        let first = self.checks.first().filter(|check| check.name == STARTS.0 && check.outcome == CheckOutcome::Failed);
        first.map(|check| check.explanation.as_str())
    }

    fn add(&mut self, (name, title): Name, verdict: Verdict) {
        let (outcome, explanation) = match verdict {
            Ok(explanation) => (CheckOutcome::Passed, explanation),
            Err(Unmet::Failed(explanation)) => (CheckOutcome::Failed, explanation),
            Err(Unmet::Skipped(explanation)) => (CheckOutcome::Skipped, explanation),
        };
        self.checks.push(Check { name, title, outcome, explanation });
    }
}

/// Starts a process and looks closely at its hello.
fn say_hello(settings: &ExecSettings, report: &mut Conformance) -> Option<(Process, Hello)> {
    let begin = Instant::now();
    let first = first_line(settings).and_then(|(process, line)| {
        let value: Value = serde_json::from_slice(&line).unwrap_or_default();
        match value.get("hello") {
            Some(hello) => Ok((process, hello.get("protocol").cloned(), line)),
            None => Err(format!("it wrote something else before its hello: `{}`", excerpt(&line))),
        }
    });
    let (process, version, line) = match first {
        Ok(first) => first,
        Err(fault) => {
            report.add(STARTS, failed(fault));
            for name in [VERSIONS, HELLO] {
                report.add(name, skipped("it sent no hello"));
            }
            return None;
        }
    };
    report.add(STARTS, Ok(format!("hello after {} ms", begin.elapsed().as_millis())));
    if version.as_ref().and_then(Value::as_u64) != Some(VERSION) {
        let said = version.map_or("has no `protocol`".to_owned(), |version| format!("says `\"protocol\":{version}`"));
        report.add(VERSIONS, failed(format!("its hello {said}; this Takeover speaks version {VERSION}")));
        report.add(HELLO, skipped("it speaks another version"));
        return None;
    }
    report.add(VERSIONS, Ok(format!("version {VERSION}")));
    match read_message(&line) {
        Ok(Message::Hello(hello)) => {
            report.add(HELLO, Ok(hello.title()));
            Some((process, *hello))
        }
        Ok(Message::Answers(_)) => None,
        Err(error) => {
            report.add(HELLO, failed(error.to_string()));
            None
        }
    }
}

/// Starts a process, greets it, and waits for the first line that it writes.
fn first_line(settings: &ExecSettings) -> Result<(Process, Vec<u8>), String> {
    let mut process = Process::spawn(settings).map_err(|error| format!("it cannot be started: {}", error.kind()))?;
    process.send(Greeting::ours().to_line().as_bytes());
    let line = process.receive(Instant::now() + settings.start_timeout).map_err(|trouble| trouble.to_string())?;
    let late = || format!("no hello within {}", seconds(settings.start_timeout));
    line.map(|line| (process, line)).ok_or_else(late)
}

/// What the checks share.
struct Checker<'c> {
    settings: &'c ExecSettings,
    hello: &'c Hello,
    /// Never empty.
    examples: Vec<ExampleQuestion>,
    made_up: bool,
    strays: Vec<String>,
}

impl Checker<'_> {
    fn session(&mut self) -> Result<Session<'_>, String> {
        Session::start(self.settings, &mut self.strays)
    }

    /// The first example.
    fn example(&self) -> ExampleQuestion {
        self.examples.first().cloned().unwrap_or_else(|| ExampleQuestion::made_up(self.hello))
    }

    /// Asks a new process one question.
    fn ask(&mut self, example: &ExampleQuestion) -> Result<Answer, String> {
        let mut session = self.session()?;
        let answer = session.ask_example(example)?;
        session.leave()?;
        Ok(answer)
    }

    /// What an answer says, in words, if it is one that counts as an answer to an example.
    fn judgement(&self, answer: Answer) -> Verdict {
        match answer.into_harness(self.hello.precision().detail) {
            Ok(answer) if answer.rejects() => Ok(format!("rejected: {}", excerpt(answer.reason().as_bytes()))),
            Ok(_) => Ok("accepted".to_owned()),
            Err(failure) if self.made_up => Ok(format!("could not judge a made-up object: {failure}")),
            Err(failure) => failed(failure.to_string()),
        }
    }

    fn answers(&mut self) -> Verdict {
        let examples: Vec<_> = self.examples.iter().take(SOME).cloned().collect();
        let (mut session, mut answers) = (self.session()?, Vec::new());
        for example in &examples {
            answers.push(session.ask_example(example)?);
        }
        session.leave()?;
        let mut said = "accepted".to_owned();
        let count = answers.len();
        for (example, answer) in examples.iter().zip(answers) {
            said = match self.judgement(answer) {
                Err(Unmet::Failed(why)) => {
                    return failed(format!("{} of {}: {why}", example.operation, example.subject));
                }
                judged => judged?,
            };
        }
        Ok(if count == 1 { said } else { questions_in_words(count) })
    }

    /// Asks so many questions at once, and waits for exactly so many answers.
    fn ask_many(&mut self, count: usize, per_line: usize) -> Verdict {
        let examples = self.examples.clone();
        let mut session = self.session()?;
        let questions: Vec<_> =
            examples.iter().cycle().take(count).map(|example| example.to_question(session.next_id())).collect();
        for several in questions.chunks(per_line) {
            let line = match several {
                [one] => serde_json::to_string(one),
                several => serde_json::to_string(&json!({ "questions": several })),
            };
            session.send(&line.map_err(|error| error.to_string())?);
        }
        let ids: Vec<_> = questions.iter().map(|question| question.id).collect();
        let answers = session.answers(&ids)?;
        session.leave()?;
        let unusable = answers.into_values().find_map(|answer| answer.said.err());
        unusable.map_or(Ok(questions_in_words(count)), |unusable| failed(unusable.to_string()))
    }

    fn batch(&mut self) -> Verdict {
        match self.hello.questions_per_line().get() {
            1 => skipped("its hello has `batch` 1"),
            batch => self.ask_many(batch.min(MANY), batch.min(MANY)),
        }
    }

    fn pending(&mut self) -> Verdict {
        self.ask_many(self.hello.pending.get().min(MANY), self.hello.questions_per_line().get())
    }

    fn steady(&mut self) -> Verdict {
        if !self.hello.steady {
            return skipped("its hello has `steady` false");
        }
        let examples: Vec<_> = self.examples.iter().take(SOME).cloned().collect();
        let mut rounds = Vec::new();
        // Twice by one process, and by another.
        for times in [2, 1] {
            let mut session = self.session()?;
            for _ in 0..times {
                let said: Result<Vec<_>, _> =
                    examples.iter().map(|example| session.ask_example(example).map(said)).collect();
                rounds.push(said?);
            }
            session.leave()?;
        }
        let [first, second, third] = rounds.as_slice() else { return failed("it was not asked") };
        let differs = |again: &[_], who: &str| match first.iter().zip(again).position(|(one, other)| one != other) {
            Some(at) => failed(format!("{who} answered question {} differently when asked again", at + 1)),
            None => Ok(()),
        };
        differs(second, "the same process")?;
        differs(third, "another process")?;
        Ok(format!("{}, asked three times in two processes", questions_in_words(examples.len())))
    }

    fn answers_first(&mut self) -> Verdict {
        let example = self.example();
        let mut session = self.session()?;
        let id = session.next_id();
        session.send(&serde_json::to_string(&example.to_question(id)).map_err(|error| error.to_string())?);
        session.hang_up();
        let answer = session.answer(id)?;
        session.leave()?;
        self.judgement(answer)
    }

    fn old_object(&mut self) -> Verdict {
        let update = self.examples.iter().find(|example| example.old_object.is_some()).cloned();
        let update = update.unwrap_or_else(|| self.example().unchanged());
        let answer = self.ask(&update)?;
        self.judgement(answer)
    }

    fn big_object(&mut self) -> Verdict {
        let mut example = self.example();
        let annotation = json!({ "takeover.example.com/big": "x".repeat(BIG) });
        if let Some(object) = example.object.as_object_mut() {
            let metadata = object.entry("metadata").or_insert_with(|| json!({}));
            if let Some(metadata) = metadata.as_object_mut() {
                metadata.insert("annotations".to_owned(), annotation);
            }
        }
        // Whatever it says of it.
        Ok(in_words(self.ask(&example)?))
    }

    fn lenient(&mut self) -> Verdict {
        let example = self.example();
        let mut session = self.session()?;
        let id = session.next_id();
        let mut question = serde_json::to_value(example.to_question(id)).map_err(|error| error.to_string())?;
        if let Some(members) = question.as_object_mut() {
            members.insert("takeoverExtension".to_owned(), json!({"any": ["thing"]}));
        }
        session.send("");
        session.send(&question.to_string());
        let answer = session.answer(id)?;
        session.leave()?;
        self.judgement(answer)
    }

    fn unknown_kind(&mut self) -> Verdict {
        let subject = SubjectId::new("takeover.invalid/v1", "Unknown");
        let object = json!({"apiVersion": "takeover.invalid/v1", "kind": "Unknown", "metadata": {"name": "example"}});
        let answer = self.ask(&ExampleQuestion::create(subject, object))?;
        match (accepts(&answer), &self.hello.kinds) {
            (true, Some(_)) => failed("accepted an object of a kind that its hello does not list"),
            _ => Ok(in_words(answer)),
        }
    }

    fn wrong_type(&mut self) -> Verdict {
        let answer = self.ask(&ExampleQuestion { object: json!("no object"), ..self.example() })?;
        if accepts(&answer) {
            return failed("accepted a string instead of the object");
        }
        Ok(in_words(answer))
    }

    fn recovers(&mut self) -> Verdict {
        let example = self.example();
        let mut session = self.session()?;
        let strange = ExampleQuestion { object: json!(["no object"]), ..example.clone() };
        session.ask_example(&strange)?;
        let answer = session.ask_example(&example)?;
        session.leave()?;
        self.judgement(answer)
    }

    fn only_messages(&self) -> Verdict {
        match self.strays.as_slice() {
            [] => Ok("no other line".to_owned()),
            [one] => failed(one),
            [first, rest @ ..] => failed(format!("{first}, and {} more", rest.len())),
        }
    }
}

fn questions_in_words(count: usize) -> String {
    if count == 1 { "1 question".to_owned() } else { format!("{count} questions") }
}

fn said(answer: Answer) -> Result<Said, String> {
    answer.said.map_err(|unusable| unusable.to_string())
}

/// Whether the object may be stored.
fn accepts(answer: &Answer) -> bool {
    match &answer.said {
        Ok(Said::Judged { decision: Some(decision), .. }) => !decision.rejects(),
        Ok(Said::Judged { errors, .. }) => errors.as_ref().is_none_or(Vec::is_empty),
        Ok(Said::Object(_)) => true,
        _ => false,
    }
}

fn in_words(answer: Answer) -> String {
    match answer.said {
        Ok(Said::Failure(why)) => format!("could not judge it: {}", excerpt(why.as_bytes())),
        Ok(Said::Panic(why)) => format!("panicked: {}", excerpt(why.as_bytes())),
        Err(unusable) => unusable.to_string(),
        Ok(_) if accepts(&answer) => "accepted".to_owned(),
        Ok(_) => "rejected".to_owned(),
    }
}
