//! `cargo xtask shadow`: the comparison beside live traffic.

use super::soak::SemanticsName;
use super::units::size;
use super::validate::switch;
use crate::exit_code::{Exit, codes};
use crate::output::printable;
use crate::shadow;
use crate::validate::{self, Authority};
use anyhow::Context as _;
use clap::Args;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;
use takeover_engine::config::Config;
use takeover_engine::isolate::IsolatedJudge;
use takeover_engine::plan::{Plant, WorkerLimits};
use takeover_shadow::Mode;
use takeover_shadow::certificate::{Certificate, make};
use takeover_shadow::comparison::ServedComparison;
use takeover_shadow::folder::{Folder, PositionsByPath};
use takeover_shadow::server::{Ended, Keep, Server, Setup};

/// Compares both sides on the objects that an API server sends to a validating webhook, which allows everything.
///
/// The answer never waits for the comparison. Metrics, health, the live report and the settings are on a listener of their own.
/// SIGHUP and changed files reload settings and certificate; SIGTERM answers what is under way, compares what is queued, and writes
/// the evidence. docs/shadow.md is the runbook.
#[derive(Args)]
#[command(after_help = Exit::after_help(&[
    "cargo xtask shadow --self-test                               the first thing to run",
    "cargo xtask shadow --make-certificate tls --host takeover-shadow.takeover.svc",
    "cargo xtask shadow --certificate tls/tls.crt --key tls/tls.key --out evidence",
    "cargo xtask shadow --example > shadow.toml                   every setting",
    "cargo xtask shadow --certificate tls.crt --key tls.key --settings shadow.toml --kind CronJob",
    "cargo xtask shadow --tail /var/log/kubernetes/audit/audit.log --out evidence        audit logs alone, without a webhook",
    "curl http://localhost:9090/report                            the live report",
    "curl http://localhost:9090/evidence -o one.json              what it knows, for cargo xtask merge",
], codes::SHADOW))]
pub struct Shadow {
    /// The certificate of the webhook with its chain, PEM. Read again when it changes.
    #[arg(long, value_name = "FILE", requires = "key")]
    certificate: Option<PathBuf>,
    /// The key of the certificate, PEM.
    #[arg(long, value_name = "FILE")]
    key: Option<PathBuf>,
    /// Where the webhook listens: HTTPS, paths /validate for reviews and /audit for batches of audit events.
    #[arg(long, value_name = "ADDRESS", default_value = "0.0.0.0:8443")]
    listen: SocketAddr,
    /// Where the pages for operators are: /metrics, /healthz, /readyz, /report, /evidence, /config. Plain HTTP.
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:9090")]
    pages: SocketAddr,
    /// Follow this audit log of an API server, from file to file as it is rotated (`audit-TIME.log`, `.gz`); repeatable. With --out,
    /// the next start goes on where this one stops. Without --certificate there is no webhook beside it.
    #[arg(long, value_name = "FILE")]
    tail: Vec<PathBuf>,
    /// Begin with the oldest rotated file of a log of which no position is known, instead of with what is written from now on.
    #[arg(long, requires = "tail")]
    from_start: bool,
    /// Settings, most of which may change while the server runs [default: those of --example].
    #[arg(long, value_name = "FILE")]
    settings: Option<PathBuf>,
    /// Keep evidence in a folder of this replica below this one, and go on with what is there.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Name of this replica [default: $HOSTNAME].
    #[arg(long, value_name = "NAME")]
    replica: Option<String>,
    /// Answer as the authority decides, instead of allowing everything. Answers then wait for the comparison.
    #[arg(long, conflicts_with = "warn")]
    enforce: bool,
    /// Allow everything, and warn users of what the declarative side would refuse. Answers then wait for the comparison.
    #[arg(long)]
    warn: bool,
    /// Who decides with --enforce, and whose gates the metrics show.
    #[arg(long, value_enum, default_value_t = Authority::Lifecycle)]
    authority: Authority,
    /// State of a feature gate of the authority.
    #[arg(long = "gate", value_name = "NAME=BOOL", value_parser = switch)]
    gates: Vec<(String, bool)>,
    /// Ask oracles in worker processes, which they may end: a stack overflow, an abort or a hang costs one comparison. Not with --warn or
    /// --enforce, whose answers need what stays in those processes.
    #[arg(long, conflicts_with_all = ["enforce", "warn", "self_test"])]
    isolate: bool,
    /// How much memory (address space) a worker process may take.
    #[arg(long, value_name = "SIZE", value_parser = size, default_value = "2GiB", requires = "isolate")]
    worker_memory: u64,
    /// Replace an oracle by one that misbehaves, to see that it is reported: `overflow/candidate/10000@v1 ReplicationController`.
    #[arg(long, value_name = "PLANT", hide = true)]
    plant: Vec<Plant>,
    /// Only this kind (`ReplicationController`), or subject (`v1 ReplicationController`); repeatable.
    #[arg(long)]
    kind: Vec<String>,
    /// Read the Go types from this folder instead of the built-in ones (laid out as `oracles/idl`).
    #[arg(long, value_name = "DIR")]
    types: Option<PathBuf>,
    /// Whose comparison algorithm to use.
    #[arg(long, value_enum, default_value_t = SemanticsName::V1_37)]
    semantics: SemanticsName,
    /// Prefix of Kubernetes' metric names; `apiserver_validation_` gives upstream's full names.
    #[arg(long, default_value = "", value_name = "PREFIX")]
    metrics_prefix: String,
    /// The settings of the project, for the criteria of the report [default: takeover.toml in the current folder, if there is one].
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// End with this process, which started this one: for load tests.
    #[arg(long, hide = true, value_name = "PID")]
    parent: Option<i32>,
    /// Start a server with a certificate of its own, send it reviews, say whether all is well, and end.
    #[arg(long, conflicts_with_all = ["certificate", "out", "tail", "example", "make_certificate"])]
    self_test: bool,
    /// Print every setting with its default, and end.
    #[arg(long, conflicts_with = "make_certificate")]
    example: bool,
    /// Make a certificate for the hosts and an authority for it, both valid for ten years, write them to this folder (tls.crt, tls.key,
    /// ca.crt), and end.
    #[arg(long, value_name = "DIR", requires = "host")]
    make_certificate: Option<PathBuf>,
    /// A host name of the certificate to make.
    #[arg(long, value_name = "NAME")]
    host: Vec<String>,
}

impl Shadow {
    /// Serves until it is asked to end.
    ///
    /// # Errors
    /// Wrong usage or settings; an address, file or folder that cannot be used.
    pub fn run(self) -> anyhow::Result<Exit> {
        if self.example {
            crate::output::print(takeover_shadow::settings::EXAMPLE)?;
            return Ok(Exit::Ready);
        }
        if let Some(folder) = &self.make_certificate {
            write_certificate(folder, &self.host)?;
            return Ok(Exit::Ready);
        }
        let config = Config::load(self.config.as_deref())?;
        let (kinds, types) = config.judged(self.kind.clone(), self.types.clone(), true)?;
        let what = ServedComparison {
            judging: ServedComparison::judging(kinds, types, self.semantics.into(), self.plant.clone()),
            authority: validate::policy(self.authority, &self.gates)?,
            mode: match (self.enforce, self.warn) {
                (true, _) => Mode::Enforce,
                (_, true) => Mode::Warn,
                _ => Mode::Shadow,
            },
            replica: self.replica.clone().or_else(|| std::env::var("HOSTNAME").ok()).unwrap_or_default(),
            isolated: self.isolate,
        };
        if self.self_test {
            let (_, settings) = shadow::settings(self.settings.as_deref(), &what.plan()?.ids())?;
            return Ok(if shadow::try_out(&what, &settings)? { Exit::Ready } else { Exit::SelfCheck });
        }
        self.serve(&what)
    }

    fn serve(self, what: &ServedComparison) -> anyhow::Result<Exit> {
        let files = self.certificate.as_ref().zip(self.key.as_ref());
        if files.is_none() && self.tail.is_empty() {
            anyhow::bail!(
                "--certificate and --key are missing: --make-certificate makes them; --self-test and a --tail alone need none"
            );
        }
        if let Some(parent) = self.parent {
            takeover_engine::parent::end_with(parent)?;
        }
        shadow::log_lines();
        let certificate = files.map(|(certificate, key)| Certificate::read(certificate, key)).transpose()?;
        let plan = what.plan()?;
        let (settings_file, settings) = shadow::settings(self.settings.as_deref(), &plan.ids())?;
        let (keep, before, positions) = match &self.out {
            None => (None, None, PositionsByPath::new()),
            Some(root) => {
                let (folder, before, positions) = Folder::open(root, &plan, jiff::Timestamp::now())?;
                (Some(Box::new(folder) as Box<dyn Keep>), before, positions)
            }
        };
        let tails = shadow::tails(&self.tail, self.from_start, positions)?;
        let limits = WorkerLimits {
            time: Duration::from_millis(settings.limits.oracle_milliseconds),
            memory: self.worker_memory,
        };
        // What a process said last may hold values of objects, and is left out.
        let log = |line: &str, _: Option<&str>| tracing::warn!("{}", printable(line));
        let judge = || IsolatedJudge::new(what.judging.clone(), limits, Box::new(log));
        let isolated_judge = self.isolate.then(judge).transpose()?;
        let config = Config::load(self.config.as_deref())?;
        let server = Server::start(Setup {
            plan,
            settings,
            settings_file,
            certificate,
            webhook: self.listen,
            pages: self.pages,
            metrics_prefix: self.metrics_prefix,
            policy: config.policy.clone(),
            exceptions: config.exceptions(super::soak::today())?,
            tails,
            isolated_judge,
            before,
            keep,
        })?;
        let webhook = server.webhook().map_or_else(|| "none".to_owned(), |address| address.to_string());
        let listening = || tracing::info!(webhook, pages = %server.pages(), mode = ?what.mode, "listening");
        server.wait(listening).context("failed to wait for signals")?;
        tracing::info!("about to end");
        let ended = server.end();
        let Ended { answered, left, answers, queued, lost } = ended;
        tracing::info!(answered, answers, queued, reviews_left = left.reviews, workers_left = left.workers, "ended");
        match lost {
            None => Ok(Exit::Ready),
            Some(why) => anyhow::bail!("what was seen since the last checkpoint is lost: {why}"),
        }
    }
}

fn write_certificate(folder: &Path, hosts: &[String]) -> anyhow::Result<()> {
    let made = make(hosts)?;
    std::fs::create_dir_all(folder).with_context(|| format!("failed to create `{}`", folder.display()))?;
    for (name, content) in [("ca.crt", &made.authority), ("tls.crt", &made.certificate), ("tls.key", &made.key)] {
        shadow::write_private(&folder.join(name), content)?;
    }
    Ok(())
}
