//! Exit codes. Part of the interface: documented in `--help` of each command and in docs/exit-codes.md.

use crate::output::program;
use std::process::{ExitCode, Termination};
use takeover_engine::catalogue::CatalogueError;
use takeover_engine::ending::Ending;
use takeover_engine::stop::{StopSignal, Stopped};

/// How a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Exit {
    /// Every rule is ready, or nothing stands in the way of one; every object is valid; lint found no error.
    Ready = 0,
    /// There are findings: the two sides disagree, a check failed, an object is invalid, lint or fuzzing found errors, or no
    /// rule may be promoted.
    Findings = 1,
    /// Wrong usage or configuration, unreadable input, output that cannot be written.
    Usage = 2,
    /// Nothing was compared, validated, linted or tried.
    NothingCompared = 3,
    /// The harness's own self-check failed: no result of this run can be trusted.
    SelfCheck = 4,
    /// `gate`: an exception has expired.
    Expired = 5,
    /// `gate`: an exception is about another number of findings than it says.
    Stale = 6,
    /// `gate`: a rule is less ready than in the baseline.
    Worse = 7,
    /// `gate`: too little was seen of a rule that the baseline does not know as such.
    BelowFloor = 8,
    /// Ctrl-C or SIGINT: what was judged until then is written.
    Interrupted = 130,
    /// SIGTERM: what was judged until then is written.
    Terminated = 143,
}

impl Exit {
    /// How a command ends that an error ended: stopped where somebody asked to stop, nothing was compared where
    /// nothing judges, and everything else is wrong usage.
    #[must_use]
    pub fn of_error(error: &anyhow::Error) -> Self {
        if let Some(Stopped(signal)) = error.downcast_ref() {
            return Ending::Stopped(*signal).into();
        }
        let of_catalogue = error.chain().find_map(|cause| cause.downcast_ref::<CatalogueError>());
        if of_catalogue.is_some_and(CatalogueError::is_nothing_to_compare) {
            Self::NothingCompared
        } else {
            Self::Usage
        }
    }

    /// Every way to end.
    pub const ALL: [Self; 11] = [
        Self::Ready,
        Self::Findings,
        Self::Usage,
        Self::NothingCompared,
        Self::SelfCheck,
        Self::Expired,
        Self::Stale,
        Self::Worse,
        Self::BelowFloor,
        Self::Interrupted,
        Self::Terminated,
    ];
}

/// The codes of a command, each with what it means there. Code 2 means the same everywhere, and is not among them.
pub type Codes = [(Exit, &'static str)];

/// What wrong usage is.
const USAGE: &str = "wrong usage or settings, or a file that cannot be read or written";

/// The codes of every command: the one place that says them.
pub mod codes {
    use super::Codes;
    use super::Exit::{
        BelowFloor, Expired, Findings, Interrupted, NothingCompared, Ready, SelfCheck, Stale, Terminated, Worse,
    };

    /// `soak`.
    pub const SOAK: &Codes = &[
        (Ready, "no finding that counts (tolerated and excused ones do not)"),
        (Findings, "findings that count: the two sides disagree, or one panicked"),
        (NothingCompared, "nothing was compared"),
        (SelfCheck, "the self-check failed: no result can be trusted"),
        (Interrupted, "stopped by Ctrl-C; the results so far are written"),
        (Terminated, "stopped by SIGTERM; the results so far are written"),
    ];
    /// `merge`.
    #[cfg(feature = "whole")]
    pub const MERGE: &Codes = &[
        (Ready, "no finding that counts (tolerated and excused ones do not)"),
        (Findings, "findings that count: the two sides disagree, or one panicked"),
        (NothingCompared, "nothing was compared"),
        (SelfCheck, "the self-check failed: no result can be trusted"),
        (Interrupted, "--wait: stopped by Ctrl-C; nothing was merged"),
        (Terminated, "--wait: stopped by SIGTERM; nothing was merged"),
    ];
    /// `gate`.
    pub const GATE: &Codes = &[
        (Ready, "the change may be merged"),
        (Findings, "findings without an exception"),
        (NothingCompared, "nothing was compared"),
        (SelfCheck, "the self-check failed: no result can be trusted"),
        (Expired, "an exception has expired"),
        (Stale, "an exception is stale: it matches no finding, or its finding has outgrown what it allows"),
        (Worse, "a rule is less ready than in the baseline"),
        (BelowFloor, "a rule or law has too little evidence, and neither the baseline nor `floor` allows that"),
        (Interrupted, "stopped by Ctrl-C"),
        (Terminated, "stopped by SIGTERM"),
    ];
    /// `explain`.
    pub const EXPLAIN: &Codes = &[(Ready, "printed"), (NothingCompared, "nothing was compared")];
    /// `report`, `config`, `subjects`, and what else only prints.
    pub const PRINT: &Codes = &[(Ready, "printed")];
    /// `init`.
    pub const INIT: &Codes = &[(Ready, "written"), (NothingCompared, "there was no API type")];
    /// `report diff`.
    pub const DIFF: &Codes = &[(Ready, "nothing got worse"), (Findings, "a rule got worse, or a finding is new")];
    /// `promote`.
    pub const PROMOTE: &Codes = &[(Ready, "at least one rule may be promoted"), (Findings, "no rule may be promoted")];
    /// `conform`.
    pub const CONFORM: &Codes = &[
        (Ready, "the oracles agree with Kubernetes"),
        (Findings, "an oracle disagrees with Kubernetes"),
        (NothingCompared, "nothing was compared"),
    ];
    /// `types`.
    pub const TYPES: &Codes = &[
        (Ready, "everything was read"),
        (Findings, "part of the input could not be understood; it is listed"),
        (NothingCompared, "no input declares a kind"),
    ];
    /// `skew`.
    pub const SKEW: &Codes = &[
        (Ready, "nothing is lost silently in the unions as they are declared"),
        (
            Findings,
            "a union, as it is declared, loses something silently, has a mistake in its tags, or cannot be played",
        ),
        (NothingCompared, "there is no union with a member that one version lacks"),
    ];
    /// `apply`, whatever it does.
    pub const APPLY: &Codes = &[
        (Ready, "written, or clients send only fields that were set"),
        (Findings, "zeroes: fields are sent that nobody set"),
        (NothingCompared, "no input declares a kind"),
    ];
    /// `apply generate`.
    pub const GENERATE: &Codes = &[(Ready, "written"), (NothingCompared, "no input declares a kind")];
    /// `apply zeroes`.
    pub const ZEROES: &Codes = &[
        (Ready, "clients send only fields that were set"),
        (Findings, "fields are sent that nobody set"),
        (NothingCompared, "no input declares a kind"),
    ];
    /// `oracle check`.
    pub const ORACLE: &Codes = &[(Ready, "no check failed"), (Findings, "the program gets a check wrong")];
    /// `oracle listen`.
    pub const LISTEN: &Codes = &[(Interrupted, "stopped by Ctrl-C"), (Terminated, "stopped by SIGTERM")];
    /// `oracle connect`.
    pub const CONNECT: &Codes = &[(Ready, "every question was passed on and the oracle ended, or it said hello")];
    /// `oracle`, whatever it does.
    pub const ORACLES: &Codes = &[
        (Ready, "no check failed, or every case has a verdict"),
        (Findings, "the program gets a check wrong, or did not answer some cases"),
        (NothingCompared, "record: no case has a verdict"),
        (Interrupted, "listen: stopped by Ctrl-C"),
        (Terminated, "listen: stopped by SIGTERM"),
    ];
    /// `oracle record`.
    pub const RECORD: &Codes = &[
        (Ready, "every case has a verdict"),
        (Findings, "an oracle did not answer some cases"),
        (NothingCompared, "no case has a verdict"),
    ];
    /// `corpus`, whatever it does.
    pub const CORPUS: &Codes = &[
        (Ready, "the corpus is sound"),
        (Findings, "a case is judged differently, a secret is left, or the corpus is damaged"),
        (NothingCompared, "no case was read"),
    ];
    /// `corpus import` and `corpus redact`.
    pub const REDACT: &Codes = &[
        (Ready, "every case is judged as before"),
        (Findings, "redaction changed how a case is judged (it was left out), or a secret is left"),
        (NothingCompared, "no case was read"),
    ];
    /// `corpus verify`.
    pub const VERIFY: &Codes = &[
        (Ready, "the corpus is complete, and judged as recorded"),
        (Findings, "it is damaged, or a case is judged differently"),
        (NothingCompared, "no case was read"),
    ];
    /// `corpus stats` and `corpus min`.
    pub const READ: &Codes = &[(Ready, "every input was read"), (NothingCompared, "no case was read")];
    /// `bench`.
    #[cfg(feature = "whole")]
    pub const BENCH: &Codes = &[
        (Ready, "measured"),
        (Findings, "a line is outside --at-least or --at-most, or the server of --shadow gave wrong answers"),
        (NothingCompared, "there was nothing to measure"),
    ];
    /// `selftest`.
    pub const SELFTEST: &Codes = &[
        (Ready, "every planted fault was detected"),
        (NothingCompared, "nothing was compared"),
        (SelfCheck, "a planted fault was missed"),
    ];
    /// `shadow`.
    #[cfg(feature = "whole")]
    pub const SHADOW: &Codes = &[
        (Ready, "the server stopped as requested; --check-cluster: both servers agree"),
        (Findings, "--check-cluster: the API server counted something else"),
        (NothingCompared, "--check-cluster: no request was compared"),
        (SelfCheck, "--self-test: the server failed its self-test"),
        (Interrupted, "--check-cluster: stopped by Ctrl-C; what was created is deleted"),
        (Terminated, "--check-cluster: stopped by SIGTERM; what was created is deleted"),
    ];
    /// `docs checks`.
    pub const LISTED: &Codes = &[
        (Ready, "printed; with --check: every observed check is listed"),
        (Findings, "--check: a validator reported a check that is not listed"),
    ];
    /// `docs` with `--check`.
    pub const CHECKED: &Codes =
        &[(Ready, "printed; with --check: up to date"), (Findings, "--check: the checked-in file is out of date")];
    /// `lint`.
    pub const LINT: &Codes =
        &[(Ready, "no lint errors"), (Findings, "lint errors"), (NothingCompared, "there was no type to lint")];
    /// `validate`.
    pub const VALIDATE: &Codes = &[
        (Ready, "every object is valid"),
        (Findings, "an object is invalid"),
        (NothingCompared, "there was no object of a known kind"),
    ];
    /// `scan`.
    pub const SCAN: &Codes = &[
        (Ready, "no rule rejects a stored object"),
        (Findings, "a rule rejects a stored object"),
        (NothingCompared, "no stored object was scanned"),
        (Interrupted, "stopped by Ctrl-C; the results so far are printed"),
        (Terminated, "stopped by SIGTERM; the results so far are printed"),
    ];
    /// `fuzz`.
    pub const FUZZ: &Codes = &[
        (Ready, "inputs were tried and no check failed"),
        (Findings, "an input failed a check"),
        (NothingCompared, "no input was tried"),
    ];
    /// `test`.
    pub const TEST: &Codes = &[(Ready, "everything passed"), (Findings, "something failed")];
    /// The program as a whole.
    pub const ALL: &Codes = &[
        (Ready, "success: nothing found"),
        (Findings, "findings, or a check that failed; see the command's --help"),
        (NothingCompared, "nothing to work on: no case, object, type or input"),
        (SelfCheck, "the self-check failed: no result can be trusted"),
        (Expired, "`gate` only, like 6, 7 and 8; see `gate --help`"),
        (Interrupted, "stopped by Ctrl-C"),
        (Terminated, "stopped by SIGTERM"),
    ];
}

impl Exit {
    /// The way to end that a code stands for.
    pub fn of(code: i32) -> Option<Self> {
        Self::ALL.into_iter().find(|exit| *exit as i32 == code)
    }

    /// Text below the help of a command: examples, then its exit codes.
    pub fn after_help(examples: &[&str], codes: &Codes) -> String {
        let examples = aligned(&examples.join("\n").replace("cargo xtask", program()));
        let mut lines: Vec<(u8, &str)> = codes.iter().map(|(exit, means)| (*exit as u8, *means)).collect();
        lines.push((Self::Usage as u8, USAGE));
        lines.sort_unstable();
        let lines: Vec<String> = lines.iter().map(|(code, means)| format!("  {code:<3} {means}")).collect();
        format!("Examples:\n  {examples}\n\nExit codes:\n{}", lines.join("\n"))
    }
}

/// Examples with their comments, which stand behind three spaces or more, in one column.
fn aligned(examples: &str) -> String {
    let parts = |line: &str| match line.split_once("   ") {
        Some((command, comment)) => (command.trim_end().to_owned(), Some(comment.trim_start().to_owned())),
        None => (line.to_owned(), None),
    };
    let lines: Vec<(String, Option<String>)> = examples.lines().map(str::trim_start).map(parts).collect();
    let commented = lines.iter().filter(|(_, comment)| comment.is_some());
    let width = commented.map(|(command, _)| command.chars().count()).max().unwrap_or_default();
    let lines = lines.into_iter().map(|(command, comment)| match comment {
        Some(comment) => format!("{command:<width$}   {comment}"),
        None => command,
    });
    lines.collect::<Vec<_>>().join("\n  ")
}

impl From<Ending> for Exit {
    fn from(ending: Ending) -> Self {
        match ending {
            Ending::Clean => Self::Ready,
            Ending::Findings => Self::Findings,
            Ending::Unreadable => Self::Usage,
            Ending::NothingCompared => Self::NothingCompared,
            Ending::Stopped(StopSignal::Interrupt) => Self::Interrupted,
            Ending::Stopped(StopSignal::Terminate) => Self::Terminated,
        }
    }
}

impl Termination for Exit {
    fn report(self) -> ExitCode {
        ExitCode::from(self as u8)
    }
}

#[cfg(test)]
mod tests {
    use super::Exit;
    use clap::CommandFactory as _;
    use std::collections::BTreeSet;

    /// The help of a command and of those below it, each with the words that name it.
    fn helps(words: &str, command: &clap::Command, into: &mut Vec<(String, String)>) {
        let below: Vec<_> = command.get_subcommands().filter(|command| !command.is_hide_set()).collect();
        for command in below {
            let words = format!("{words} {}", command.get_name());
            let help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
            into.push((words.trim().to_owned(), help));
            helps(&words, command, into);
        }
    }

    /// The codes that a help lists, each with what it means.
    fn listed(help: &str) -> Vec<(Exit, String)> {
        let (_, codes) = help.split_once("\n\nExit codes:\n").unwrap_or_else(|| panic!("no exit codes: {help}"));
        let line = |line: &str| {
            let (code, means) = line.trim().split_once(' ').expect("a code and what it means");
            (Exit::of(code.parse().expect("a number")).expect("a code of this program"), means.trim().to_owned())
        };
        codes.lines().map(line).collect()
    }

    #[test]
    fn every_command_lists_its_own_codes_in_order_and_the_page_has_them_all() {
        let mut commands = Vec::new();
        helps("", &crate::Cli::command(), &mut commands);
        let mut table = String::from("| command | code | meaning |\n|---|--:|---|\n");
        let mut known = BTreeSet::new();
        for (words, help) in &commands {
            let codes = listed(help);
            assert!(codes.is_sorted() && codes.iter().any(|(exit, _)| *exit == Exit::Usage), "{words}: {codes:?}");
            for (at, (exit, means)) in codes.iter().filter(|(exit, _)| *exit != Exit::Usage).enumerate() {
                let name = if at == 0 { format!("`{words}`") } else { String::new() };
                table.push_str(&format!("| {name} | {} | {means} |\n", *exit as u8));
            }
            known.extend(codes.into_iter().map(|(exit, _)| exit));
        }
        assert_eq!(known.into_iter().collect::<Vec<_>>(), Exit::ALL, "a code that no command has");
        let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/exit-codes.md");
        let text = std::fs::read_to_string(page).expect("the page is there");
        assert!(text.contains(&table), "docs/exit-codes.md lacks:\n{table}");
    }
}
