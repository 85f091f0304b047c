//! `cargo xtask shadow --check-cluster`: does the shadow server count what an API server counts?

use super::scan::kubeconfig;
use super::soak::SemanticsName;
use crate::exit_code::Exit;
use crate::form::{one_of, printed};
use crate::output;
use anyhow::ensure;
use clap::{Args, ValueEnum};
use std::path::PathBuf;
use takeover_engine::ending::Ending;
use takeover_engine::plan::JudgingPlan;
use takeover_engine::stop::Stop;
use takeover_oracles::registry::RELEASE;
use takeover_reports::Form;
use takeover_reports::cluster::{ClusterReport, ClusterVerdict, FORMS, Variant};
use takeover_shadow::cluster::{ClusterCheck, check};
use takeover_shadow::comparison::ServedComparison;

/// The webhooks to register.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Variants {
    /// Called before the API server's own validation.
    Mutating,
    /// Called after it.
    Validating,
    /// One after the other.
    Both,
}

/// What a check against a cluster needs.
#[derive(Args)]
#[command(next_help_heading = "Check against a test cluster")]
pub struct ClusterArguments {
    /// Register the webhook in a test cluster, send objects, compare the counts with the API server's own counters, delete everything
    /// created, and exit. Objects are sent as dry runs; only the old objects of updates are stored for a moment.
    #[arg(long, group = "asks_cluster", requires = "context", conflicts_with_all = [
        "certificate", "certificate_secret", "out", "tail", "settings", "example", "make_certificate", "self_test", "enforce", "warn", "isolate", "metrics_prefix", "server_metrics",
    ])]
    pub check_cluster: bool,
    /// Context of the kubeconfig whose cluster is used. Without it, --certificate-secret uses the cluster that this program runs in.
    #[arg(long, value_name = "NAME", requires = "asks_cluster")]
    pub context: Option<String>,
    /// The kubeconfig [default: $KUBECONFIG, or ~/.kube/config].
    #[arg(long, value_name = "FILE", requires = "context")]
    pub kubeconfig: Option<PathBuf>,
    /// Where the API server can reach this process [default: the address of this machine on the route to the API server, and a free
    /// port].
    #[arg(long, value_name = "HOST[:PORT]", requires = "check_cluster")]
    address: Option<String>,
    /// The webhooks to register.
    #[arg(long, value_enum, default_value = "both", requires = "check_cluster")]
    variant: Variants,
    /// Send about this many creates and updates per webhook.
    #[arg(long, value_name = "N", default_value_t = 1500, value_parser = clap::value_parser!(u64).range(1..), requires = "check_cluster")]
    requests: u64,
    /// Send at most this many requests a second.
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..), requires = "check_cluster")]
    rate: u32,
    /// Send the objects in these files (YAML or JSON, also cases with an old object) instead of the built-in ones.
    #[arg(long, value_name = "FILE", num_args = 1.., requires = "check_cluster")]
    objects: Vec<PathBuf>,
    /// How to print the result.
    #[arg(long, value_parser = one_of(FORMS), default_value = "table", requires = "check_cluster")]
    format: &'static Form<ClusterReport>,
}

impl ClusterArguments {
    /// Checks, and prints what both servers counted. Unless `semantics` says otherwise, errors are compared as by the API server's release.
    ///
    /// # Errors
    /// A kubeconfig, object or address that cannot be used; an API server that cannot be reached or does not reach this process; a
    /// permission that is missing.
    pub fn run(self, what: &ServedComparison, semantics: Option<SemanticsName>) -> anyhow::Result<Exit> {
        let variants = match self.variant {
            Variants::Mutating => vec![Variant::Mutating],
            Variants::Validating => vec![Variant::Validating],
            Variants::Both => vec![Variant::Mutating, Variant::Validating],
        };
        let plan = ClusterCheck {
            kubeconfig: self.kubeconfig.map_or_else(kubeconfig, Ok)?,
            context: self.context.unwrap_or_default(),
            rate: self.rate,
            address: self.address,
            variants,
            requests: self.requests,
            objects: self.objects,
            types: what.judging.types.as_ref().map_or_else(|| RELEASE.to_string(), |_| String::new()),
            say: &output::say,
        };
        let stop = Stop::on_signals(|| {
            output::say("stopping: deletes what was created; a second Ctrl-C leaves it in the cluster")
        });
        let mut of_version = |version: &str| {
            let semantics = semantics.unwrap_or_else(|| SemanticsName::of_version(version)).into();
            let judging = JudgingPlan { semantics, ..what.judging.clone() };
            ServedComparison { judging, ..what.clone() }.plan()
        };
        let report = check(&plan, &mut of_version, stop)?;
        output::print(&printed(&report, self.format)?)?;
        if let Some(signal) = stop.asked().filter(|_| !report.finished) {
            return Ok(Ending::Stopped(signal).into());
        }
        ensure!(
            report.left_behind.is_empty(),
            "not everything that was created could be deleted: {}",
            report.left_behind.join(", ")
        );
        Ok(match report.verdict {
            ClusterVerdict::Agree => Exit::Ready,
            ClusterVerdict::Disagree => Exit::Findings,
            ClusterVerdict::Unknown => Exit::Usage,
            ClusterVerdict::NothingCompared => Exit::NothingCompared,
        })
    }
}
