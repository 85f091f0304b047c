//! One typed subcommand a file.

mod apply;
#[cfg(feature = "whole")]
mod baseline;
#[cfg(feature = "whole")]
mod bench;
#[cfg(feature = "whole")]
mod bench_tables;
#[cfg(feature = "whole")]
mod cluster;
#[cfg(feature = "whole")]
mod completions;
mod config;
mod conform;
mod corpus;
mod docs;
mod explain;
mod fleet;
mod fuzz;
mod gate;
mod here;
mod init;
mod lint;
#[cfg(feature = "whole")]
mod merge;
#[cfg(feature = "whole")]
mod merge_stored;
mod oracle;
mod oracle_record;
mod pair;
mod printing;
mod promote;
mod report;
mod scan;
mod selftest;
#[cfg(feature = "whole")]
mod shadow;
mod skew;
mod soak;
mod soak_choices;
mod soak_plan;
mod subjects;
mod test;
mod types;
mod units;
mod validate;
mod watched;
mod worker;

use crate::exit_code::Exit;
use clap::{Subcommand, ValueEnum};

/// What the program can do.
#[derive(Subcommand)]
pub enum Command {
    Soak(Box<soak::Soak>),
    Gate(gate::Gate),
    #[cfg(feature = "whole")]
    Merge(merge::Merge),
    Report(report::ReportCommand),
    Explain(explain::Explain),
    Promote(promote::Promote),
    Conform(conform::Conform),
    Oracle(oracle::Oracle),
    Corpus(corpus::Corpus),
    #[cfg(feature = "whole")]
    Bench(bench::Bench),
    Subjects(subjects::Subjects),
    Types(types::TypesCommand),
    Skew(skew::SkewCommand),
    Apply(apply::Apply),
    Config(config::ConfigCommand),
    Init(init::Init),
    Selftest(selftest::Selftest),
    #[cfg(feature = "whole")]
    Shadow(Box<shadow::Shadow>),
    Scan(scan::Scan),
    Docs(docs::Docs),
    Lint(lint::LintCommand),
    Validate(validate::Validate),
    Fuzz(fuzz::Fuzz),
    Test(test::Test),
    #[cfg(feature = "whole")]
    Completions(completions::Completions),
    #[cfg(feature = "whole")]
    Man(completions::Man),
    #[command(hide = true)]
    Watched(watched::Watched),
    #[command(hide = true)]
    Worker(worker::Worker),
    #[cfg(feature = "whole")]
    #[command(hide = true)]
    BenchBaseline(baseline::Baseline),
}

impl Command {
    /// Whether it says on standard error how far it is.
    pub fn shows_progress(&self) -> bool {
        match self {
            // Whoever started a worker shows the progress.
            Self::Worker(_) => false,
            Self::Soak(soak) => !soak.printing.is_quiet(),
            Self::Watched(watched) => !watched.printing.is_quiet(),
            Self::Report(report) => !report.printing.is_quiet(),
            #[cfg(feature = "whole")]
            Self::Merge(merge) => !merge.printing.is_quiet(),
            _ => true,
        }
    }

    /// Runs the command.
    ///
    /// # Errors
    /// Wrong configuration or unreadable input; everything else is an exit code.
    pub fn run(self) -> anyhow::Result<Exit> {
        match self {
            Self::Soak(soak) => soak.run(),
            Self::Gate(gate) => gate.run(),
            #[cfg(feature = "whole")]
            Self::Merge(merge) => merge.run(),
            Self::Report(report) => report.run(),
            Self::Explain(explain) => explain.run(),
            Self::Promote(promote) => promote.run(),
            Self::Conform(conform) => conform.run(),
            Self::Oracle(oracle) => oracle.run(),
            Self::Corpus(corpus) => corpus.run(),
            #[cfg(feature = "whole")]
            Self::Bench(bench) => bench.run(),
            Self::Subjects(subjects) => subjects.run(),
            Self::Types(types) => types.run(),
            Self::Skew(skew) => skew.run(),
            Self::Apply(apply) => apply.run(),
            Self::Config(config) => config.run(),
            Self::Init(init) => init.run(),
            Self::Selftest(selftest) => selftest.run(),
            #[cfg(feature = "whole")]
            Self::Shadow(shadow) => shadow.run(),
            Self::Scan(scan) => scan.run(),
            Self::Docs(docs) => docs.run(),
            Self::Lint(lint) => lint.run(),
            Self::Validate(validate) => validate.run(),
            Self::Fuzz(fuzz) => fuzz.run(),
            Self::Test(test) => test.run(),
            #[cfg(feature = "whole")]
            Self::Completions(completions) => completions.run(),
            #[cfg(feature = "whole")]
            Self::Man(man) => man.run(),
            Self::Watched(watched) => watched.run(),
            Self::Worker(worker) => worker.run(),
            #[cfg(feature = "whole")]
            Self::BenchBaseline(baseline) => baseline.run(),
        }
    }
}

/// Forms of output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For people.
    Table,
    /// For machines: one JSON object.
    Json,
}
