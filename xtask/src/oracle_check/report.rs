//! What came of checking an oracle: the answer in a sentence, what the oracle says of itself, and a line for each check.

use crate::exit_code::Exit;
use console::style;
use serde::Serialize;
use std::fmt::Write as _;
use takeover_external::exec::conformance::{CheckOutcome, Conformance, ExampleQuestion};
use takeover_external::protocol::{AnswerDetail, Hello};
use takeover_reports::{counted, line, shell_quoted};

/// The version of the JSON form.
const FORMAT_VERSION: u32 = 1;

/// What came of checking an oracle. Its JSON form is the machine-readable output.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct OracleReport {
    format_version: u32,
    command: Vec<String>,
    result: Outcome,
    #[serde(flatten)]
    conformance: Conformance,
}

/// How the checks ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Outcome {
    /// No check failed.
    Passed,
    /// At least one check failed.
    Failed,
    /// The oracle did not start or said no hello, so that nothing was checked.
    NotStarted,
}

impl From<Outcome> for Exit {
    fn from(result: Outcome) -> Self {
        match result {
            Outcome::Passed => Self::Ready,
            Outcome::Failed => Self::Findings,
            Outcome::NotStarted => Self::Usage,
        }
    }
}

impl OracleReport {
    /// The report on the oracle that this command starts.
    pub fn new(command: Vec<String>, conformance: Conformance) -> Self {
        let result = match conformance.silence() {
            Some(_) => Outcome::NotStarted,
            None if conformance.passed() => Outcome::Passed,
            None => Outcome::Failed,
        };
        Self { format_version: FORMAT_VERSION, command, result, conformance }
    }

    /// How the checks ended.
    pub fn result(&self) -> Outcome {
        self.result
    }

    /// What to say of examples of kinds that the oracle does not judge, so that it was not asked about them; one line a kind.
    pub fn not_asked(&self, examples: &[ExampleQuestion]) -> Vec<String> {
        let Some(hello) = &self.conformance.hello else { return Vec::new() };
        let mut subjects: Vec<_> = examples.iter().map(|example| &example.subject).collect();
        subjects.sort();
        subjects.dedup();
        subjects.retain(|subject| !hello.judges(&subject.api_version, &subject.kind, &subject.subresource));
        let lines = subjects.iter().map(|subject| {
            format!("note: examples of `{subject}` were left out, because the hello of the oracle does not list it")
        });
        lines.collect()
    }

    /// The report for people.
    pub fn text(&self) -> String {
        let mut out = format!("{}\n", self.sentence());
        if self.result == Outcome::NotStarted {
            return out;
        }
        if let Some(hello) = &self.conformance.hello {
            out.push('\n');
            for (member, says) in said(hello) {
                let _ = writeln!(out, "{member:<8} {}", line(&says));
            }
        }
        out.push('\n');
        for check in &self.conformance.checks {
            let outcome = match check.outcome {
                CheckOutcome::Passed => style("passed ").green(),
                CheckOutcome::Failed => style("failed ").red().bold(),
                _ => style("skipped").dim(),
            };
            let _ = writeln!(out, "{outcome}  {}: {}", check.title, line(&check.explanation));
        }
        out
    }

    /// The answer in a sentence.
    fn sentence(&self) -> String {
        let Conformance { hello, checks } = &self.conformance;
        let count = |outcome| self.conformance.count(outcome) as u64;
        if let Some(why) = self.conformance.silence() {
            return format!("{} says no hello: {}", self.shown(), line(why));
        }
        let name = hello.as_ref().map_or_else(|| self.shown(), |hello| line(&hello.title()));
        match (count(CheckOutcome::Failed), count(CheckOutcome::Skipped)) {
            (0, skipped) => {
                let passed = counted(count(CheckOutcome::Passed), "check");
                let rest = if skipped == 0 { String::new() } else { format!(", {skipped} skipped") };
                format!("{name} speaks the protocol: {passed} passed{rest}.")
            }
            (failed, _) => format!("{name} gets {failed} of {} wrong.", counted(checks.len() as u64, "check")),
        }
    }

    /// The command as it is typed.
    fn shown(&self) -> String {
        let words: Vec<_> = self.command.iter().map(|word| shell_quoted(word)).collect();
        format!("`{}`", line(&words.join(" ")))
    }
}

/// What an oracle says of itself, by the members of its hello.
fn said(hello: &Hello) -> [(&'static str, String); 7] {
    let yes = |said: bool| if said { "yes" } else { "no" }.to_owned();
    let kinds = hello
        .subjects()
        .map_or_else(|| "any".to_owned(), |kinds| kinds.iter().map(ToString::to_string).collect::<Vec<_>>().join(", "));
    let answers = match hello.answers {
        AnswerDetail::Errors => "field errors",
        AnswerDetail::Decision => "allowed or not",
        AnswerDetail::Object => "the object as it changes it",
    };
    [
        ("kinds", kinds),
        ("answers", answers.to_owned()),
        ("origins", yes(hello.origins)),
        ("marks", yes(hello.marks)),
        ("steady", yes(hello.steady)),
        ("batch", counted(hello.batch.get() as u64, "question") + " in one line"),
        ("pending", counted(hello.pending.get() as u64, "question") + " at once"),
    ]
}
