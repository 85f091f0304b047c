//! `cargo xtask <command>`, and the same program installed as `takeover`: may this handwritten check be deleted?
//!
//! A library only so that it is compiled beside the crates that it is linked with, and not after them.

#![expect(unreachable_pub, reason = "a program has no outside")]

mod checks;
mod commands;
#[cfg(test)]
mod documented;
mod exit_code;
mod explain;
#[cfg(feature = "whole")]
mod figures;
mod form;
mod lint;
#[cfg(feature = "whole")]
mod load;
mod oracle_check;
mod output;
mod progress;
mod report;
mod selftest;
#[cfg(feature = "whole")]
mod shadow;
mod skew;
mod subjects;
mod usage;
mod validate;
mod version;
mod whole;

use clap::error::ErrorKind;
use clap::{CommandFactory as _, FromArgMatches as _, Parser};
use exit_code::{Exit, codes};
use std::process::{ExitCode, Termination as _};

/// Shows whether declarative Kubernetes validation can replace handwritten validation.
///
/// Takeover runs a reference (handwritten) and a candidate (declarative) validator side by side on the same objects, counts
/// every disagreement, and says for every rule whether it may take over and which handwritten checks may then be deleted.
#[derive(Parser)]
#[command(
    name = "takeover",
    bin_name = output::program(),
    version = version::VERSION,
    long_version = version::long(),
    max_term_width = 110,
    after_help = Exit::after_help(&[
        "cargo xtask soak                          compare both sides of every subject for a minute",
        "cargo xtask soak --recorded manifests/    also compare on your own objects",
        "cargo xtask report RUN --only blocked     the blocked rules of a run",
        "cargo xtask explain spec.replicas         a field's rules",
        "cargo xtask corpus import FILE -o CORPUS  a corpus without secrets",
        "cargo xtask gate                          may this change be merged? for CI",
        "cargo xtask promote RUN --to beta         a patch that promotes rules",
        "cargo xtask conform fixtures.jsonl.gz     compare the oracles with verdicts of Kubernetes",
        "cargo xtask oracle check -- ./oracle      does a program speak the oracle protocol?",
        "cargo xtask bench                         measure both sides and the harness",
        "cargo xtask validate web.yaml             the errors of an object, with their rules",
        "cargo xtask lint api/                     mistakes in the validation tags of Go types",
        "cargo xtask config --example              every setting of takeover.toml",
        "cargo xtask init                          a takeover.toml for your own kinds and validators",
        "cargo xtask skew api/v1                   what do unions lose between versions?",
        "cargo xtask apply generate api/v1         Rust types for server-side apply",
        "cargo xtask selftest                      does this program detect planted faults?",
        "cargo xtask shadow --self-test            the comparison on live traffic, as a webhook",
        "cargo xtask scan --context staging        which stored objects would rules reject?",
        "cargo xtask docs tags                     the reference of every tag",
        "cargo xtask fuzz --list                   what can be fuzzed",
        "cargo xtask test                          every test that CI runs",
        "cargo install --path xtask                the same program, installed as `takeover`",
    ], codes::ALL),
)]
struct Cli {
    /// When to use colours.
    #[arg(
        long,
        global = true,
        value_enum,
        value_name = "WHEN",
        default_value_t,
        hide_possible_values = false,
        display_order = 900
    )]
    color: output::Color,
    #[command(subcommand)]
    command: commands::Command,
}

/// Runs the command that the arguments of this process name.
#[must_use]
pub fn run() -> ExitCode {
    if let Some(lacking) =
        whole::called(std::env::args_os().skip(1).map(|argument| argument.to_string_lossy().into_owned()))
    {
        return failed(&lacking.run());
    }
    let parsed = whole::completed(Cli::command()).try_get_matches().and_then(|matches| Cli::from_arg_matches(&matches));
    let cli = match parsed {
        Ok(cli) => cli,
        Err(error) => {
            // Help and version are answers, not errors; everything else is wrong usage.
            let no_command = error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand;
            if error.use_stderr() && !no_command {
                output::say_lines(&usage::said(error, std::env::args().skip(1)));
                return Exit::Usage.report();
            }
            let _ = error.print();
            return if no_command { Exit::Usage } else { Exit::Ready }.report();
        }
    };
    output::set_color(cli.color);
    if cli.command.shows_progress() {
        static PROBING: progress::ProbingLine = progress::ProbingLine::new();
        takeover_engine::pairs::show_probing(&PROBING);
    }
    match cli.command.run() {
        Ok(exit) => exit.report(),
        Err(error) => failed(&whole::instead(error)),
    }
}

/// Says an error, and what it means for the caller.
fn failed(error: &anyhow::Error) -> ExitCode {
    output::say_error(error);
    Exit::of_error(error).report()
}
