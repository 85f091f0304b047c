//! `cargo xtask gate`: may this change go in?

use super::here::today;
use super::pair::PairArguments;
use super::soak::say_absent;
use super::units::date;
use super::watched::supervised;
use crate::exit_code::{Exit, codes};
use crate::form::{one_of, printed};
use crate::output;
use crate::report::read;
use crate::whole::ServersEvidence;
use anyhow::{Context as _, bail, ensure};
use clap::Args;
use jiff::ToSpan as _;
use jiff::civil::Date;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};
use takeover_engine::config::{Config, GateSection};
use takeover_engine::gate::{self, Baseline, HeldRun, ProposalDetails, hold, proposals};
use takeover_engine::plan::{JudgingPlan, RunKeeping, RunOrder};
use takeover_engine::run::FinishedRun;
use takeover_engine::run_folder::{check_free, write_whole};
use takeover_harness::compare::Cause;
use takeover_harness::exception::{Exceptions, Excuses};
use takeover_harness::subject::PairId;
use takeover_harness::text::plural;
use takeover_oracles::registry::Registry;
use takeover_reports::gate::{FORMS, GateReport};
use takeover_reports::{Criteria, Form, shell_quoted};

/// The run folder, unless another one is named.
const FOLDER: &str = "target/takeover/gate";

/// How long an exception that is written excuses, unless somebody says otherwise.
const DAYS: i64 = 90;

/// Checks in CI that no rule is worse than what the project has committed to.
///
/// Runs a soak with the settings in takeover.toml, on the same cases every time. With --reference and --candidate (or --crd), it judges
/// that pair instead of what the settings select; budget, policy, exceptions and baseline still come from the settings. Fails on
/// findings without an exception, on expired or stale exceptions, on rules that are less ready than in the baseline or have too little
/// evidence, and when nothing was compared. All failures are printed; the exit code is that of the first one in this order: 4, 3, 1, 2,
/// 5, 6, 7, 8. See docs/gate.md.
#[derive(Args)]
#[command(after_help = Exit::after_help(&[
    "cargo xtask gate",
    "cargo xtask gate --config teams/takeover.toml --format github",
    "cargo xtask gate --update-baseline                               accept the current state as the baseline",
    "cargo xtask gate --run target/takeover/gate                      check the same run again, after changes to settings or exceptions",
    "cargo xtask gate --run target/takeover/gate --write-exceptions --owner sig-apps --issue '#7' --reason '…'",
    "cargo xtask gate --run target/takeover/gate --write-exceptions --fold ratchets",
    "cargo xtask gate --run production                               evidence of servers, combined by merge",
    "cargo xtask gate --crd config/crd/widgets.yaml --reference webhook:https://localhost:9443/validate-widget",
    "cargo xtask gate --kind 'shop.example.com/v1 Widget' --types api/v1 --reference 'exec ./bin/oracle' --candidate tags",
    "cargo xtask gate --today 2027-02-01                              which exceptions will have expired?",
], codes::GATE))]
pub struct Gate {
    /// Read the project's settings from this file [default: takeover.toml in the current folder, if it exists].
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Version and kind that --reference and --candidate judge, such as 'shop.example.com/v1 Widget'; with --crd, the versions and kinds
    /// to judge. For built-in kinds, use `[subjects] only` in takeover.toml.
    #[arg(long)]
    kind: Vec<String>,
    /// Types of the pair that --reference and --candidate describe: a Go package, CRD manifests or an OpenAPI v3 document.
    #[arg(long, value_name = "DIR")]
    types: Option<PathBuf>,
    #[command(flatten)]
    pair: PairArguments,
    /// Check this finished run instead of starting a soak: the run folder of a soak or of a `merge`, or a folder that contains the
    /// run folders of servers.
    #[arg(long, value_name = "RUN", conflicts_with = "out")]
    run: Option<PathBuf>,
    /// Also judge versions and kinds that the newest supported Kubernetes no longer serves, and kinds whose rules it does not evaluate;
    /// same as `all-versions` in the settings.
    #[arg(long, conflicts_with_all = ["run", "reference"])]
    all_versions: bool,
    /// Write the run to this folder [default: target/takeover/gate, where an earlier run is replaced].
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Replace a run that is already in the folder.
    #[arg(long, requires = "out")]
    force: bool,
    /// Write the baseline from this run: accept what is worse or below the floor.
    #[arg(long)]
    update_baseline: bool,
    /// Add an exception to the exceptions file for every finding that has none, to be reviewed and owned by someone.
    #[arg(long)]
    write_exceptions: bool,
    /// Reason to put into the exceptions that --write-exceptions writes.
    #[arg(long, requires = "write_exceptions", default_value = "", hide_default_value = true)]
    reason: String,
    /// Owner to put into these exceptions.
    #[arg(long, requires = "write_exceptions", default_value = "", hide_default_value = true)]
    owner: String,
    /// Issue to put into these exceptions.
    #[arg(long, requires = "write_exceptions", default_value = "", hide_default_value = true)]
    issue: String,
    /// Last day on which these exceptions are valid [default: in 90 days].
    #[arg(long, value_name = "DATE", value_parser = date, requires = "write_exceptions")]
    expires: Option<Date>,
    /// Write one exception per kind for the findings with this cause, with a pattern that covers their fields.
    #[arg(long, value_name = "CAUSE", requires = "write_exceptions")]
    fold: Option<Cause>,
    /// Write exceptions only for findings with this cause; --reason must fit all of them.
    #[arg(long, value_name = "CAUSE", requires = "write_exceptions")]
    cause: Option<Cause>,
    /// Check the expiry of exceptions against this date, such as 2027-01-31 [default: today, UTC].
    #[arg(long, value_name = "DATE", value_parser = date)]
    today: Option<Date>,
    /// How to print the result.
    #[arg(long, value_parser = one_of(FORMS), default_value = "table")]
    format: &'static Form<GateReport>,
}

impl Gate {
    /// Soaks, unless there is a run, and holds it against what is committed.
    ///
    /// # Errors
    /// Settings, exceptions or a baseline that cannot be read; a run that cannot be made or read.
    pub fn run(self) -> anyhow::Result<Exit> {
        ensure!(
            self.pair.is_given() || (self.kind.is_empty() && self.types.is_none()),
            "--kind and --types belong to a pair: add --reference and --candidate, or --crd; to gate some built-in kinds or types of your own, set `[subjects] only` or `types` in takeover.toml"
        );
        let today = self.today.unwrap_or_else(today);
        let of_flags = self.pair.described(&self.kind, self.types.as_deref())?;
        let pair = self.pair.as_flags(&self.kind, self.types.as_deref());
        let mut config = Config::load(self.config.as_deref())?.with_pairs(of_flags);
        config.subjects.all_versions |= self.all_versions;
        if self.run.is_none() {
            config.check_places()?;
        }
        let exceptions = config.exceptions(today)?;
        let exceptions_file = config.place(&config.gate.exceptions);
        let baseline_file = config.place(&config.gate.baseline);
        // One that is written anew may be of an earlier format.
        let is_of_settings = !self.pair.is_given();
        let baseline = if self.update_baseline && is_of_settings { None } else { Baseline::read(&baseline_file)? };
        let by_default = config.gate.baseline == GateSection::default().baseline;
        if baseline.is_none() && !by_default && !self.update_baseline {
            let program = output::program();
            bail!(
                "there is no baseline `{}`: create it with `{program} gate --update-baseline`",
                baseline_file.display()
            );
        }
        let folder = self.run.clone().or(self.out.clone()).unwrap_or_else(|| PathBuf::from(FOLDER));
        if let Some(run) = &self.run {
            ServersEvidence::check_within(run)?;
        } else {
            if self.out.is_some() && !self.force {
                check_free(&folder)?;
            }
            let before = record(&folder);
            match soak(&config, &exceptions, &folder)? {
                Exit::SelfCheck => return Ok(Exit::SelfCheck),
                exit @ (Exit::Interrupted | Exit::Terminated) => {
                    say_resume(&folder, self.config.as_deref(), &pair);
                    return Ok(exit);
                }
                exit if record(&folder) == before || !is_finished(&folder) => {
                    return Ok(if matches!(exit, Exit::NothingCompared) { exit } else { Exit::Usage });
                }
                _ => {}
            }
        }
        let finished = match of_servers(&folder, &config)? {
            Some(finished) => finished,
            None => FinishedRun::read(&folder)?,
        };
        let excuses = Excuses::of(&exceptions, &finished.evidence);
        let report = finished.report(Criteria { policy: &config.policy, excuses: &excuses });
        let updated = self.update_baseline.then(|| match &baseline {
            // What a pair of the command line shows says nothing about others.
            Some(baseline) => Baseline::of(&report).beside(baseline),
            None => Baseline::of(&report),
        });
        let known = JudgingPlan { pairs: config.described(), ..JudgingPlan::default() }.catalogue()?;
        let (_, types) = config.judged(Vec::new(), None, false)?;
        let declared = JudgingPlan { types, pairs: config.described(), ..JudgingPlan::default() }.catalogue()?;
        let held = hold(&HeldRun {
            report: &report,
            excuses: &excuses,
            beyond: finished.evidence.beyond(),
            unreadable: finished.unreadable,
            configured: &config.pairs(&declared)?,
            known: &takeover_harness::catalogue::Catalogue::ids(&known),
            left_out: &Registry::left_out().map(PairId::from).collect::<Vec<_>>(),
            others_wait: !is_of_settings,
            baseline: updated.as_ref().or(baseline.as_ref()),
            floor: config.gate.floor,
            folder: &folder,
            program: output::program(),
            config: self.config.as_deref(),
            pair: &pair,
            exceptions_file: &exceptions_file,
            baseline_file: &baseline_file,
        });
        // A run that did not judge what it should says nothing that could be committed to; what it found can be excused all the same.
        let nothing = held.exit_code == NOTHING_COMPARED;
        let finds = finished.evidence.compared() > 0;
        if (self.write_exceptions && !finds) || (self.update_baseline && nothing) {
            output::say("note: not everything was compared, so no exception and no baseline was written");
        }
        if self.write_exceptions && finds {
            let expires = self.expires.map_or_else(|| today.checked_add(DAYS.days()), Ok)?;
            let (reason, owner, issue, folded) = (self.reason, self.owner, self.issue, self.fold);
            let empty = [("reason", &reason), ("owner", &owner), ("issue", &issue)];
            let empty: Vec<&str> =
                empty.into_iter().filter(|(_, value)| value.is_empty()).map(|(name, _)| name).collect();
            let missing = empty.join(", ");
            let details = ProposalDetails { reason, owner, issue, expires, folded, cause: self.cause };
            let (entries, number) = proposals(&finished.evidence, &report, &exceptions, &details);
            add_to(&exceptions_file, &entries)?;
            let (added, file) = (plural(number as u64, "exception"), exceptions_file.display());
            output::say(&format!("note: added {added} to `{file}`"));
            if number > 0 && !missing.is_empty() {
                output::say(&format!("note: fill in {missing} in `{file}` before the next gate"));
            }
        }
        if let Some(updated) = updated.filter(|_| !nothing) {
            write_whole(&baseline_file, updated.text().as_bytes())?;
            output::say(&format!("note: the baseline `{}` was written", baseline_file.display()));
        }
        output::print(&printed(&held, self.format)?)?;
        Ok(Exit::of(held.exit_code.into()).unwrap_or(Exit::Usage))
    }
}

/// The exit code of a gate whose run did not judge everything that the settings name.
const NOTHING_COMPARED: u8 = 3;

/// Says how far a run came that was stopped, and how to come to an answer all the same.
fn say_resume(folder: &Path, config: Option<&Path>, pair: &str) {
    // A run that was stopped before its first checkpoint has no report.
    let Ok(report) = read(folder) else { return };
    let Some(resume) = report.resumes() else { return };
    let (program, place) = (output::program(), folder.to_string_lossy());
    let settings =
        config.map(|file| format!(" --config {}", shell_quoted(&file.to_string_lossy()))).unwrap_or_default();
    let pair = if pair.is_empty() { String::new() } else { format!(" {pair}") };
    output::say_lines(&format!(
        "{}\nThe gate did not decide. Resume the run, then check it:\n  {resume}\n  {program} gate{settings}{pair} --run {}",
        report.in_a_line(),
        shell_quoted(&place)
    ));
}

/// How often it is written where the run of a gate stands.
const CHECKPOINT_EVERY: Duration = Duration::from_secs(5);

/// Soaks as `config` says, in a watched process.
fn soak(config: &Config, exceptions: &Exceptions, folder: &Path) -> anyhow::Result<Exit> {
    let plan = gate::run_plan(config, exceptions.clone())?;
    let catalogue = plan.judging.catalogue()?;
    if !config.subjects.chooses() {
        say_absent(&JudgingPlan { kinds: Vec::new(), ..plan.judging.clone() }, catalogue.registry());
    }
    let pairs = plan.judging.ids(&catalogue)?;
    let keeping =
        RunKeeping { folder: folder.to_owned(), checkpoint_every: CHECKPOINT_EVERY, force: true, storage: None };
    let limits = plan.worker;
    supervised(RunOrder::Begin(Box::new(plan), keeping), pairs, limits, None)
}

/// What tells one run in the folder from another.
fn record(folder: &Path) -> Option<(Vec<u8>, SystemTime)> {
    let place = folder.join("run.json");
    Some((fs::read(&place).ok()?, place.metadata().and_then(|record| record.modified()).ok()?))
}

/// Whether the run came to its end; what kept it from that was said by itself.
fn is_finished(folder: &Path) -> bool {
    folder.join("report.json").is_file()
}

/// Adds entries to the end of a file, which may not be there yet.
fn add_to(file: &Path, entries: &str) -> anyhow::Result<()> {
    if entries.is_empty() {
        return Ok(());
    }
    let mut text = match fs::read_to_string(file) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
        text => text.with_context(|| format!("failed to read `{}`", file.display()))?,
    };
    if text.is_empty() {
        text.push_str("# Findings that are excused for a while: docs/exceptions.md.\n");
    } else if !text.ends_with('\n') {
        text.push('\n');
    }
    text.push_str(entries);
    write_whole(file, text.as_bytes())
}

/// What servers saw, if the run in `folder` is theirs.
#[cfg(feature = "whole")]
fn of_servers(folder: &Path, config: &Config) -> anyhow::Result<Option<FinishedRun>> {
    for aside in takeover_shadow::merge::servers_in(folder)?.aside {
        output::say(&format!("note: left out, because a server moved it aside: {}", aside.display()));
    }
    takeover_shadow::merge::finished(folder, config.types().as_deref())
}

#[cfg(not(feature = "whole"))]
fn of_servers(_: &Path, _: &Config) -> anyhow::Result<Option<FinishedRun>> {
    Ok(None)
}
