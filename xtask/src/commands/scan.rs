//! `cargo xtask scan`: what would rules reject of the objects that are stored?

use crate::exit_code::{Exit, codes};
use crate::form::{one_of, printed};
use crate::output;
use anyhow::{Context as _, ensure};
use clap::Args;
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Mutex;
use std::time::{Duration, Instant};
use takeover_engine::config::Config;
use takeover_engine::ending::Ending;
use takeover_engine::scan::{ScanPlan, ScanProgress, ScanSource, scan};
use takeover_engine::stop::Stop;
use takeover_harness::subject::SubjectId;
use takeover_harness::text::grouped;
use takeover_reports::Form;
use takeover_reports::scan::{FORMS, ScanReport};

/// Shows which stored objects would be rejected if the rules were enforced.
///
/// Reads the objects of a cluster, or of files, and judges each with the declarative rules twice: as a create, and as an update that
/// changes nothing. If only the create is rejected, ratcheting lets the object be updated as long as the invalid value stays as it is. A
/// cluster is only read, with GET requests, page by page and at a bounded rate. The report contains names and fields of objects, but their
/// values only with --values. docs/scan.md has an example.
#[derive(Args)]
#[command(after_help = Exit::after_help(&[
    "cargo xtask scan --context staging --out scan",
    "cargo xtask scan --context staging --out scan --resume          after it was stopped",
    "cargo xtask scan --context staging --types api/ --kind Widget   rules on types of your own",
    "cargo xtask scan --context staging --crd widgets.yaml           the next version of a CRD",
    "kubectl get rc,cj -A -o json | cargo xtask scan -               objects from standard input",
], codes::SCAN))]
pub struct Scan {
    /// Files of objects (YAML or JSON, also lists), folders of them, or `-` for standard input.
    #[arg(value_name = "FILE", conflicts_with_all = ["context", "kubeconfig", "resume"])]
    files: Vec<PathBuf>,
    /// Context of the kubeconfig whose cluster is read. There is no default.
    #[arg(long, value_name = "NAME")]
    context: Option<String>,
    /// The kubeconfig [default: $KUBECONFIG, or ~/.kube/config].
    #[arg(long, value_name = "FILE", requires = "context")]
    kubeconfig: Option<PathBuf>,
    /// Scan only this kind (`ReplicationController`) or subject (`v1 ReplicationController`). Repeatable.
    #[arg(long = "kind", value_name = "KIND")]
    kinds: Vec<String>,
    /// Use the rules on the Go types in this folder instead of the built-in ones [default: the types that takeover.toml names].
    #[arg(long, value_name = "DIR", conflicts_with = "crd")]
    types: Option<PathBuf>,
    /// Use the rules of these CRD manifests, a file or folder.
    #[arg(long, value_name = "FILE")]
    crd: Option<PathBuf>,
    /// Send at most this many requests a second.
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..))]
    rate: u32,
    /// Ask for at most this many objects at once.
    #[arg(long, value_name = "N", default_value_t = 200, value_parser = clap::value_parser!(u32).range(1..))]
    page: u32,
    /// Write the report and the progress to this folder.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Resume the scan in --out that was stopped.
    #[arg(long, requires = "out")]
    resume: bool,
    /// Show the invalid values.
    #[arg(long)]
    values: bool,
    /// Read the settings ([subjects] is used) from this file [default: takeover.toml in the current folder, if it exists].
    #[arg(long, value_name = "FILE", conflicts_with_all = ["types", "crd"])]
    config: Option<PathBuf>,
    /// How to print the result.
    #[arg(long, value_parser = one_of(FORMS), default_value = "table")]
    format: &'static Form<ScanReport>,
}

impl Scan {
    /// Scans and prints.
    ///
    /// # Errors
    /// Wrong usage, objects or types that cannot be read, a server that gives no answer.
    pub fn run(self) -> anyhow::Result<Exit> {
        let source = match &self.context {
            Some(context) => ScanSource::Cluster {
                kubeconfig: self.kubeconfig.clone().map_or_else(kubeconfig, Ok)?,
                context: context.clone(),
                rate: self.rate,
                page: self.page,
            },
            None => {
                ensure!(
                    !self.files.is_empty(),
                    "nothing to scan: pass --context with a context of your kubeconfig, or pass files"
                );
                ScanSource::Files(self.files)
            }
        };
        let (kinds, types) = match (&self.types, &self.crd) {
            (None, None) => {
                let config = Config::load(self.config.as_deref())?;
                (chosen(self.kinds, &config)?, config.types())
            }
            _ => (self.kinds, self.types),
        };
        let plan = ScanPlan {
            source,
            kinds,
            types,
            crd: self.crd,
            values: self.values,
            out: self.out,
            resume: self.resume,
            say: &output::say,
        };
        let stop = Stop::on_signals(|| output::say("stopping after this page"));
        let scanned = scan(&plan, stop, &Line(Mutex::new(Instant::now())));
        if let (Err(_), Some(folder)) =
            (&scanned, plan.out.as_ref().filter(|folder| folder.join("scan.json").is_file()))
        {
            output::say(&format!(
                "note: what was scanned until then is in `{}`; to resume, add --resume to the same command",
                folder.display()
            ));
        }
        let report = scanned?;
        output::print(&printed(&report, self.format)?)?;
        if let Some(signal) = stop.asked().filter(|_| !report.finished) {
            if plan.out.is_some() {
                output::say("stopped; to resume, add --resume to the same command");
            }
            return Ok(Ending::Stopped(signal).into());
        }
        Ok(match (report.objects(), report.rejected()) {
            (0, _) => Exit::NothingCompared,
            (_, 0) => Exit::Ready,
            _ => Exit::Findings,
        })
    }
}

/// The kinds that flags name, or else those that `[subjects]` chooses; no kind stands for all.
fn chosen(kinds: Vec<String>, config: &Config) -> anyhow::Result<Vec<String>> {
    if !kinds.is_empty() {
        return Ok(kinds);
    }
    let Some((catalogue, chosen)) = config.chosen_pairs()? else { return Ok(kinds) };
    let subjects: BTreeSet<&SubjectId> = chosen.iter().map(|pair| &pair.subject).collect();
    let known = subjects.into_iter().filter(|id| catalogue.registry().declares(id));
    let kinds: Vec<String> = known.map(ToString::to_string).collect();
    ensure!(
        !kinds.is_empty(),
        "`[subjects]` in the settings chooses no kind that can be scanned: name kinds with --kind"
    );
    Ok(kinds)
}

/// The kubeconfig where kubectl looks for it.
///
/// # Errors
/// When nothing says where the user is at home.
pub(super) fn kubeconfig() -> anyhow::Result<PathBuf> {
    if let Some(place) = std::env::var_os("KUBECONFIG").filter(|place| !place.is_empty()) {
        return Ok(place.into());
    }
    let home =
        std::env::var_os("HOME").context("HOME is not set, so there is no default kubeconfig: pass --kubeconfig")?;
    Ok(PathBuf::from(home).join(".kube").join("config"))
}

/// Prints the progress now and then.
struct Line(Mutex<Instant>);

/// Time between two lines.
const BETWEEN: Duration = Duration::from_secs(10);

impl ScanProgress for Line {
    fn page(&self, report: &ScanReport) {
        let mut said = self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if said.elapsed() >= BETWEEN {
            *said = Instant::now();
            output::say(&format!("{} objects, {} rejected", grouped(report.objects()), grouped(report.rejected())));
        }
    }
}
