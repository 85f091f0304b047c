//! `cargo xtask shadow`: the comparison beside live traffic.

use super::cluster::ClusterArguments;
use super::pair::PairArguments;
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
use takeover_engine::pairs::announce;
use takeover_engine::plan::{JudgingPlan, Plant, WorkerLimits};
use takeover_external::server::{NamedObjects, ServerSettings};
use takeover_oracles::registry::RELEASE;
use takeover_shadow::Mode;
use takeover_shadow::api_server::ApiServer;
use takeover_shadow::certificate::{Certificate, make};
use takeover_shadow::cluster_certificate::{ClusterCertificate, ConfigurationName, Ensured, SecretName};
use takeover_shadow::comparison::ServedComparison;
use takeover_shadow::folder::{Folder, PositionsByPath};
use takeover_shadow::server::{Ended, Keep, Server, Setup};

/// Compares both sides on live traffic, as a mutating webhook that allows everything and changes nothing.
///
/// Without --warn or --enforce, answers never wait for the comparison. Metrics, health, the live report and the settings are served on a
/// separate address. SIGHUP, or a change to the files, reloads settings and certificate. On SIGTERM, the server answers pending requests,
/// compares what is queued, and writes the evidence. The runbook is docs/shadow.md.
#[derive(Args)]
#[command(after_help = Exit::after_help(&[
    "cargo xtask shadow --self-test                               the first thing to run",
    "cargo xtask shadow --check-cluster --context test            compare counts with a test cluster",
    "cargo xtask shadow --make-certificate tls --host takeover-shadow.takeover.svc",
    "cargo xtask shadow --certificate tls/tls.crt --key tls/tls.key --out evidence",
    "cargo xtask shadow --certificate-secret takeover/takeover-shadow-tls --host takeover-shadow.takeover.svc --trusted-by mutating/zz-takeover-shadow",
    "cargo xtask shadow --example > shadow.toml                   every setting",
    "cargo xtask shadow --certificate tls.crt --key tls.key --settings shadow.toml --kind CronJob",
    "cargo xtask shadow --tail /var/log/kubernetes/audit/audit.log --out evidence        audit logs only, no webhook",
    "curl http://localhost:9090/report                            the live report",
    "curl http://localhost:9090/evidence -o one.json              its evidence, for cargo xtask merge",
], codes::SHADOW))]
pub struct Shadow {
    /// Certificate of the webhook with its chain, PEM. Reloaded when it changes.
    #[arg(long, value_name = "FILE", requires = "key")]
    certificate: Option<PathBuf>,
    /// Key of the certificate, PEM.
    #[arg(long, value_name = "FILE")]
    key: Option<PathBuf>,
    /// Address of the webhook (HTTPS), with the paths /mutate and /validate for reviews of mutating and validating webhooks, and
    /// /audit for batches of audit events.
    #[arg(long, value_name = "ADDRESS", default_value = "0.0.0.0:8443")]
    listen: SocketAddr,
    /// Address of the pages for operators (plain HTTP): /metrics, /healthz, /readyz, /report, /evidence, /config.
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:9090")]
    pages: SocketAddr,
    /// Follow this audit log of an API server across rotations (`audit-TIME.log`, `.gz`). Repeatable. With --out, the next
    /// start resumes where this one stopped. Without --certificate, no webhook is served.
    #[arg(long, value_name = "FILE")]
    tail: Vec<PathBuf>,
    /// If no position in a log is stored, start with its oldest rotated file instead of with new events.
    #[arg(long, requires = "tail")]
    from_start: bool,
    /// Read the settings of the server from this file; most can change while it runs [default: those of --example].
    #[arg(long, value_name = "FILE")]
    settings: Option<PathBuf>,
    /// Keep the evidence of this replica in a subfolder of this folder, and continue from evidence that is already there.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Name of this replica [default: $HOSTNAME].
    #[arg(long, value_name = "NAME")]
    replica: Option<String>,
    /// Deny what the authority denies, instead of allowing everything. Answers then wait for the comparison.
    #[arg(long, conflicts_with = "warn")]
    enforce: bool,
    /// Allow everything, but warn users about what the declarative side would reject. Answers then wait for the comparison.
    #[arg(long)]
    warn: bool,
    /// Scheme by which --enforce decides; the metrics show its feature gates.
    #[arg(long, value_enum, default_value_t = Authority::Lifecycle)]
    authority: Authority,
    /// Set a feature gate of the authority. Repeatable.
    #[arg(long = "gate", value_name = "NAME=BOOL", value_parser = switch)]
    gates: Vec<(String, bool)>,
    /// Run the oracles in worker processes, so that a stack overflow, abort or hang costs only one comparison. Not available
    /// with --warn or --enforce, whose answers need details that stay in the workers.
    #[arg(long, conflicts_with_all = ["enforce", "warn", "self_test"])]
    isolate: bool,
    /// How much memory (address space) a worker process may use.
    #[arg(long, value_name = "SIZE", value_parser = size, default_value = "2GiB", requires = "isolate")]
    worker_memory: u64,
    /// Replace an oracle by one that misbehaves, to see that it is reported: `overflow/candidate/10000@v1 ReplicationController`.
    #[arg(long, value_name = "PLANT", hide = true)]
    plant: Vec<Plant>,
    /// Judge only this kind (`ReplicationController`) or subject (`v1 ReplicationController`). Repeatable; overrides
    /// `[subjects]` [default: what `[subjects]` in takeover.toml selects, or else every subject].
    #[arg(long)]
    kind: Vec<String>,
    #[command(flatten)]
    pair: PairArguments,
    /// Use the Go types in this folder instead of the built-in ones, laid out as k8s.io/api: `<group>/<version>`.
    #[arg(long, value_name = "DIR")]
    types: Option<PathBuf>,
    /// Use the comparison algorithm of this release of Kubernetes [default: 1.37; with --check-cluster, that of the API server].
    #[arg(long, value_enum)]
    semantics: Option<SemanticsName>,
    /// Prefix for the metrics that Kubernetes also exports; with `apiserver_validation_`, they have the same names as in Kubernetes.
    #[arg(long, default_value = "", hide_default_value = true, value_name = "PREFIX")]
    metrics_prefix: String,
    /// Read the project's settings, for `[subjects]` and the criteria of the report, from this file [default: takeover.toml in
    /// the current folder, if it exists].
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Show the API server's own mismatch counters beside ours in reports. They are read from this URL of its metrics, such as
    /// https://kubernetes.default.svc/metrics, or from a file to which somebody saves them.
    #[arg(long, value_name = "URL_OR_FILE")]
    server_metrics: Option<String>,
    /// Bearer token for the URL of --server-metrics [default: that of the pod's service account, if there is one].
    #[arg(long, value_name = "FILE", requires = "server_metrics")]
    server_token: Option<PathBuf>,
    /// Certificate authority of the API server, PEM [default: that of the pod's service account, if there is one].
    #[arg(long, value_name = "FILE", requires = "server_metrics")]
    server_ca: Option<PathBuf>,
    /// End with this process, which started this one: for load tests.
    #[arg(long, hide = true, value_name = "PID")]
    parent: Option<i32>,
    /// Start a server with a temporary certificate, send it reviews, report whether it works, and exit.
    #[arg(long, conflicts_with_all = ["certificate", "out", "tail", "example", "make_certificate"])]
    self_test: bool,
    /// Print every setting with its default, and exit.
    #[arg(long, conflicts_with = "make_certificate")]
    example: bool,
    /// Create a certificate for the hosts of --host and a certificate authority, both valid for ten years, write them to this
    /// folder (tls.crt, tls.key, ca.crt), and exit.
    #[arg(long, value_name = "DIR", requires = "host")]
    make_certificate: Option<PathBuf>,
    /// Host name for the certificate to create. Repeatable.
    #[arg(long, value_name = "NAME")]
    host: Vec<String>,
    /// Keep a certificate for the hosts of --host in this Secret, have the webhooks of --trusted-by trust it, and exit. Valid for a year,
    /// and renewed 120 days before its end. Asks the API server as the service account of its pod, or as --context says.
    #[arg(
        long,
        value_name = "NAMESPACE/NAME",
        group = "asks_cluster",
        requires_all = ["host", "trusted_by"],
        conflicts_with_all = ["certificate", "out", "tail", "example", "self_test", "make_certificate"]
    )]
    certificate_secret: Option<SecretName>,
    /// Webhook configuration that trusts the certificate of --certificate-secret: mutating/NAME or validating/NAME. Repeatable.
    #[arg(long, value_name = "KIND/NAME", requires = "certificate_secret")]
    trusted_by: Vec<ConfigurationName>,
    #[command(flatten)]
    cluster: ClusterArguments,
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
        if let Some(secret) = &self.certificate_secret {
            return self.ensure_certificate(secret);
        }
        let config = Config::load(self.config.as_deref())?;
        let described = self.pair.described(&self.kind, self.types.as_deref())?;
        let (kinds, types, pairs) = if described.is_empty() {
            let (kinds, types) = config.judged(self.kind.clone(), self.types.clone(), true)?;
            (kinds, types, config.described())
        } else {
            (Vec::new(), None, described)
        };
        // A server ends in its own way.
        takeover_engine::stop::leave_signals_alone();
        let judging =
            ServedComparison::judging(kinds, types, self.semantics.unwrap_or_default().into(), self.plant.clone());
        let what = ServedComparison {
            judging: JudgingPlan { pairs, ..judging },
            authority: validate::policy(self.authority, &self.gates)?,
            mode: match (self.enforce, self.warn) {
                (true, _) => Mode::Enforce,
                (_, true) => Mode::Warn,
                _ => Mode::Shadow,
            },
            replica: self.replica.clone().or_else(|| std::env::var("HOSTNAME").ok()).unwrap_or_default(),
            isolated: self.isolate,
        };
        announce(&what.judging, &crate::output::say)?;
        if self.self_test {
            let (_, settings) = shadow::settings(self.settings.as_deref(), &what.plan()?.ids())?;
            return Ok(if shadow::try_out(&what, &settings)? { Exit::Ready } else { Exit::SelfCheck });
        }
        if self.cluster.check_cluster {
            return self.cluster.run(&what, self.semantics);
        }
        self.serve(&what)
    }

    fn ensure_certificate(&self, secret: &SecretName) -> anyhow::Result<Exit> {
        let objects = match &self.cluster.context {
            None => NamedObjects::in_cluster(|name| std::env::var(name).ok()),
            Some(context) => {
                let file = self.cluster.kubeconfig.clone().map_or_else(super::scan::kubeconfig, Ok)?;
                NamedObjects::of(&ServerSettings::new(file, context))
            }
        };
        let objects = objects.map_err(|error| anyhow::anyhow!("failed to {error}"))?;
        let (hosts, trusted_by) = (self.host.clone(), self.trusted_by.clone());
        let wanted = ClusterCertificate { secret: secret.clone(), hosts, trusted_by };
        let done = match wanted.ensure(&objects, jiff::Timestamp::now())? {
            Ensured::Kept => "is valid for long enough",
            Ensured::Made => "is made",
            Ensured::Renewed => "is renewed",
        };
        crate::output::print(&format!("the certificate in `{secret}` {done}\n"))?;
        Ok(Exit::Ready)
    }

    fn serve(self, what: &ServedComparison) -> anyhow::Result<Exit> {
        let files = self.certificate.as_ref().zip(self.key.as_ref());
        if files.is_none() && self.tail.is_empty() {
            anyhow::bail!(
                "--certificate and --key are required: create them with --make-certificate. Only --self-test, and --tail alone, work without them"
            );
        }
        if let Some(parent) = self.parent {
            takeover_engine::parent::end_with(parent)?;
        }
        shadow::log_lines();
        let certificate = files.map(|(certificate, key)| Certificate::read(certificate, key)).transpose()?;
        let plan = what.plan()?;
        let (settings_file, settings) = shadow::settings(self.settings.as_deref(), &plan.ids())?;
        let (keep, lines_at_hand, before, positions) = match &self.out {
            None => (None, None, None, PositionsByPath::new()),
            Some(root) => {
                let (folder, before, positions) = Folder::open(root, &plan, jiff::Timestamp::now())?;
                let lines = (!self.tail.is_empty()).then(|| folder.lines_at_hand()).transpose()?;
                (Some(Box::new(folder) as Box<dyn Keep>), lines, before, positions)
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
        let types = what.judging.types.as_ref().map_or_else(|| RELEASE.to_string(), |_| String::new());
        let api_server = self.server_metrics.map(|place| ApiServer::at(&place, self.server_token, self.server_ca));
        let api_server = api_server.transpose()?.map(|server| server.beside_types_of(types));
        let config = Config::load(self.config.as_deref())?;
        config.exceptions(super::here::today())?;
        let file = self.config.clone();
        let exceptions = move |today| {
            let read = Config::load(file.as_deref()).and_then(|config| config.exceptions(today));
            read.map_err(|error| format!("{error:#}"))
        };
        let server = Server::start(Setup {
            plan,
            settings,
            settings_file,
            certificate,
            webhook: self.listen,
            pages: self.pages,
            metrics_prefix: self.metrics_prefix,
            policy: config.policy.clone(),
            exceptions: Box::new(exceptions),
            tails,
            lines_at_hand,
            isolated_judge,
            before,
            keep,
            api_server,
        })?;
        let webhook = server.webhook().map_or_else(|| "none".to_owned(), |address| address.to_string());
        let listening = || tracing::info!(webhook, pages = %server.pages(), mode = ?what.mode, "listening");
        server.wait(listening).context("failed to wait for signals")?;
        tracing::info!("shutting down");
        let ended = server.end();
        takeover_engine::stop::tidy();
        let Ended { answered, left, answers, queued, lost } = ended;
        tracing::info!(answered, answers, queued, reviews_left = left.reviews, workers_left = left.workers, "ended");
        match lost {
            None => Ok(Exit::Ready),
            Some(why) => anyhow::bail!("the evidence since the last checkpoint is lost: {why}"),
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
