//! `cargo xtask oracle`: programs that are oracles.

use super::Format;
use super::oracle_record::RecordOracle;
use super::units::duration;
use crate::exit_code::{Exit, codes};
use crate::oracle_check::{OracleReport, Outcome, of_files, of_types};
use crate::output;
use anyhow::Context as _;
use clap::{Args, Subcommand};
use std::path::PathBuf;
use std::time::Duration;
use takeover_engine::ending::Ending;
use takeover_engine::stop::Stop;
use takeover_external::exec::ExecSettings;
use takeover_external::exec::conformance::check;
use takeover_external::socket::{Address, Listener, greet, join};

/// How long an oracle has to say hello to a probe.
const GREETING: Duration = Duration::from_secs(10);

/// Checks programs that act as oracles, records their answers, and reaches those that run elsewhere.
///
/// `soak --reference 'exec COMMAND'` compares such a program with another validator. docs/oracle-protocol.md describes the
/// protocol that it speaks.
#[derive(Args)]
#[command(after_help = Exit::after_help(&[
    "cargo xtask oracle check -- ./bin/widget-oracle",
    "cargo xtask oracle check --example widget.yaml -- python3 oracle.py",
    "cargo xtask oracle record --kind 'v1 Service' -o verdicts.jsonl.gz --reference 'exec ./old' --candidate 'exec ./new'",
    "cargo xtask oracle listen unix:/sockets/oracle.sock -- ./bin/widget-oracle",
], codes::ORACLES))]
pub struct Oracle {
    #[command(subcommand)]
    action: Action,
}

#[derive(Subcommand)]
enum Action {
    Check(CheckOracle),
    Record(Box<RecordOracle>),
    Listen(ListenForOracle),
    Connect(ConnectToOracle),
}

/// Checks whether a program speaks the oracle protocol, and prints what it can do and what it gets wrong.
///
/// Starts the program once for each check and asks it about the examples. It may reject them, but it should be able to judge
/// them. Without examples, it is asked about an object of the first kind that the program lists, with only a name. If the
/// program does not start or sends no hello, the command exits with 2. docs/oracle-protocol.md describes the protocol and the
/// checks.
#[derive(Args)]
#[command(after_help = Exit::after_help(&[
    "cargo xtask oracle check -- ./bin/widget-oracle",
    "cargo xtask oracle check --example widget.yaml -- python3 oracle.py",
    "cargo xtask oracle check --types config/crd --kind 'shop.example.com/v1 Widget' -- ./bin/widget-oracle",
    "cargo xtask oracle check --timeout 60s --format json -- java -jar oracle.jar",
], codes::ORACLE))]
struct CheckOracle {
    /// The program and its arguments.
    #[arg(last = true, required = true, value_name = "CMD")]
    command: Vec<String>,
    /// Ask about the objects in this file (YAML or JSON, also several documents or lists), folder, or `-` for standard input.
    /// Repeatable.
    #[arg(long, value_name = "FILE")]
    example: Vec<PathBuf>,
    /// Ask about generated objects of this kind: version and kind, such as `shop.example.com/v1 Widget`.
    #[arg(long)]
    kind: Option<String>,
    /// Generate them from these types: a Go package, CRD manifests or an OpenAPI v3 document [default: the built-in types].
    #[arg(long, value_name = "PATH", requires = "kind")]
    types: Option<PathBuf>,
    /// How long to wait for the hello and for each answer.
    #[arg(long, value_name = "TIME", value_parser = duration, default_value = "10s")]
    timeout: Duration,
    /// How to print the result.
    #[arg(long, value_enum, default_value_t = Format::Table)]
    format: Format,
}

/// Starts a program that speaks the oracle protocol for each connection to a socket.
///
/// For a program in another container than `soak`, which reaches it by `oracle connect`. What connects is trusted, and nothing is
/// encrypted: use a socket in a folder that both containers mount, or a port on localhost.
///
/// Runs until it is stopped. First, it starts the program and kills it, to see that it can be started. When a connection ends, its
/// program gets the end of its input. It is killed 2 s after the other side is gone, or after 10 s of silence; any other end
/// without success is printed.
#[derive(Args)]
#[command(after_help = Exit::after_help(&[
    "cargo xtask oracle listen unix:/sockets/oracle.sock -- ./bin/widget-oracle",
    "cargo xtask oracle listen localhost:7000 -- python3 oracle.py",
], codes::LISTEN))]
struct ListenForOracle {
    /// Where to listen: `unix:PATH` or `HOST:PORT`.
    address: Address,
    /// The program and its arguments.
    #[arg(last = true, required = true, value_name = "CMD")]
    command: Vec<String>,
}

/// Stands in for a program that speaks the oracle protocol and runs behind a socket.
///
/// Passes standard input to what listens at the address (`oracle listen`, or a program of yours) and prints what comes back,
/// so that it can be named wherever a program can: `exec = ["takeover", "oracle", "connect", "unix:/sockets/oracle.sock"]`.
/// Standard error and exit code of the program do not come through a socket: `oracle listen` shows them.
#[derive(Args)]
#[command(after_help = Exit::after_help(&[
    "cargo xtask oracle check -- takeover oracle connect unix:/sockets/oracle.sock",
    "cargo xtask oracle connect --probe unix:/sockets/oracle.sock",
    "cargo xtask soak --crd widgets.yaml --reference 'exec takeover oracle connect localhost:7000'",
], codes::CONNECT))]
struct ConnectToOracle {
    /// Where something listens: `unix:PATH` or `HOST:PORT`.
    address: Address,
    /// How long to go on trying to connect. `soak` gives an oracle 10 s to say hello.
    #[arg(long, value_name = "TIME", value_parser = duration, default_value = "8s")]
    wait: Duration,
    /// Only say hello, and print the name and version that the oracle says: for startup probes.
    #[arg(long)]
    probe: bool,
}

impl Oracle {
    /// Does what the action says, and prints.
    ///
    /// # Errors
    /// When the examples cannot be read or generated, the answers cannot be recorded, or the socket cannot be used.
    pub fn run(self) -> anyhow::Result<Exit> {
        match self.action {
            Action::Check(check) => check.run(),
            Action::Record(record) => record.run(),
            Action::Listen(listen) => listen.run(),
            Action::Connect(connect) => connect.run(),
        }
    }
}

impl ListenForOracle {
    fn run(self) -> anyhow::Result<Exit> {
        let listener =
            Listener::bind(&self.address).with_context(|| format!("failed to listen at {}", self.address))?;
        let stop = Stop::on_signals(|| ());
        output::say(&format!("listening at {}", listener.address()));
        listener.serve(&self.command, output::say, &|| stop.asked().is_some())?;
        Ok(stop.asked().map_or(Exit::Ready, |signal| Ending::Stopped(signal).into()))
    }
}

impl ConnectToOracle {
    fn run(self) -> anyhow::Result<Exit> {
        let reached = if self.probe {
            greet(&self.address, self.wait, GREETING).map(|hello| Some(format!("{} {}", hello.name, hello.version)))
        } else {
            join(&self.address, self.wait).map(|()| None)
        };
        if let Some(name) = reached.with_context(|| format!("failed to reach an oracle at {}", self.address))? {
            output::print(&format!("{}\n", name.trim_end()))?;
        }
        Ok(Exit::Ready)
    }
}

impl CheckOracle {
    fn run(self) -> anyhow::Result<Exit> {
        let mut examples = if self.example.is_empty() { Vec::new() } else { of_files(&self.example)? };
        if let Some(kind) = &self.kind {
            examples.extend(of_types(self.types.as_deref(), kind)?);
        }
        let mut settings = ExecSettings::new(self.command.iter().map(String::as_str));
        (settings.timeout, settings.start_timeout) = (self.timeout, self.timeout);
        let report = OracleReport::new(self.command, check(&settings, &examples));
        for note in report.not_asked(&examples) {
            output::say(&note);
        }
        match self.format {
            // What kept the program from being checked is an error, not an answer.
            Format::Table if report.result() == Outcome::NotStarted => {
                output::say(&format!("error: {}", report.text().trim_end()));
            }
            Format::Table => output::print(&report.text())?,
            Format::Json => output::print_json(&report)?,
        }
        Ok(report.result().into())
    }
}
