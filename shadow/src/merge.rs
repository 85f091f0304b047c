//! Putting the evidence of servers together, with that of a soak or by itself.

use crate::folder::{EVIDENCE, PRODUCTION, Record, is_aside, is_of_one_server, is_shadow, read};
use crate::ledger::Production;
use anyhow::Context as _;
use serde::Deserialize;
use std::path::{Path, PathBuf};
use takeover_engine::config::Config;
use takeover_engine::ending::Ending;
use takeover_engine::pairs::mark_unshown;
use takeover_engine::run::{ConcludedRun, FinishedRun, ending, same_rules};
use takeover_engine::run_folder::{self, RunFolder};
use takeover_harness::catalogue::Catalogue as _;
use takeover_harness::evidence::Evidence;
use takeover_harness::exception::{Exceptions, Excuses};
use takeover_harness::pair::Pair;
use takeover_harness::readiness::ReadinessPolicy;
use takeover_harness::subject::PairId;
use takeover_oracles::registry::Registry;
use takeover_reports::run::not_compared;
use takeover_reports::{Criteria, FindingFile, Look};

/// Columns of the report as text.
const WIDTH: usize = 160;

/// The day it is, in UTC.
fn today() -> jiff::civil::Date {
    jiff::Timestamp::now().to_zoned(jiff::tz::TimeZone::UTC).date()
}

/// What servers gathered.
pub struct Servers {
    roots: Vec<PathBuf>,
    evidence: Evidence,
    production: Production,
}

/// What of a soak's `run.json` is needed.
#[derive(Deserialize)]
struct Judged {
    /// The folder of types; none for the built-in ones.
    #[serde(alias = "idl")]
    types: Option<PathBuf>,
}

/// Run folders, divided into those of servers and others.
#[derive(Debug, Default)]
pub struct Divided {
    /// Of servers.
    pub servers: Vec<PathBuf>,
    /// Others.
    pub others: Vec<PathBuf>,
    /// Folders beside those of servers that were moved aside by one, and are left out.
    pub aside: Vec<PathBuf>,
}

/// Divides run folders into those of servers and others. A folder that is no run stands for the runs of servers in it, such as those of
/// replicas on one volume.
///
/// # Errors
/// When such a folder cannot be read, or one in it is damaged.
pub fn divide(runs: Vec<PathBuf>) -> anyhow::Result<Divided> {
    let mut divided = Divided::default();
    for root in runs {
        let within = servers_in(&root)?;
        if is_shadow(&root) {
            divided.servers.push(root);
        } else if within.servers.is_empty() {
            divided.others.push(root);
        } else {
            divided.servers.extend(within.servers);
            divided.aside.extend(within.aside);
        }
    }
    Ok(divided)
}

/// The run folders of servers right in a folder that is no run itself, by name.
///
/// # Errors
/// When the folder cannot be read, or has the evidence of a server that cannot be.
pub fn servers_in(root: &Path) -> anyhow::Result<Divided> {
    let mut found = Divided::default();
    if !root.is_dir() || root.join("run.json").is_file() {
        return Ok(found);
    }
    let failed = || format!("failed to read `{}`", root.display());
    for entry in std::fs::read_dir(root).with_context(failed)? {
        let folder = entry.with_context(failed)?.path();
        let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if !folder.is_dir() || !folder.join(PRODUCTION).is_file() {
            continue;
        }
        if is_aside(&name) {
            found.aside.push(folder);
        } else if is_shadow(&folder) {
            found.servers.push(folder);
        } else {
            anyhow::bail!("`{}` has evidence of a server, but no run.json of one: it is damaged", folder.display());
        }
    }
    found.servers.sort();
    found.aside.sort();
    Ok(found)
}

/// What servers saw, as it was put together in `folder`, or lies there in a folder for each of them, to conclude from it again. None when
/// the run there is not of servers. `types` are those of the settings, for servers that were given their own.
///
/// # Errors
/// When it is of one server, is damaged, or the rules that servers compared by are no longer those of this program and their types.
pub fn finished(folder: &Path, types: Option<&Path>) -> anyhow::Result<Option<FinishedRun>> {
    let Some(record) = Record::of(folder) else {
        let Divided { servers, .. } = servers_in(folder)?;
        let Some(first) = servers.first().and_then(|first| Record::of(first)) else { return Ok(None) };
        let Servers { evidence, production, .. } = Servers::read(&servers)?;
        let subjects = subjects_of(&evidence, first.types.as_deref().or(types), OF_THE_SETTINGS)?;
        return Ok(Some(seen(evidence, subjects, &production)));
    };
    anyhow::ensure!(
        !is_of_one_server(folder),
        "`{}` is the evidence of one server: `merge` turns it into a run with a report",
        folder.display()
    );
    let (evidence, production) = read(folder)?;
    let subjects = subjects_of(&evidence, record.types.as_deref(), OF_THE_RUN)?;
    Ok(Some(seen(evidence, subjects, &production)))
}

fn seen(evidence: Evidence, subjects: Vec<Pair>, production: &Production) -> FinishedRun {
    FinishedRun::of_servers(evidence, subjects, production.summary(), production.accepted_only())
}

/// The types that a run names in its `run.json` are taken.
const OF_THE_RUN: &str = "run.json names these types, and evidence of another version is for that version";

/// The types that settings name are taken.
const OF_THE_SETTINGS: &str = "`[subjects] types` names the types of servers that were given their own";

/// The types that the caller names are taken.
const OF_THE_CALLER: &str = "--types names the types of servers that were given their own, and evidence of another version is merged by that version";

/// The subjects of evidence, by the types that it was gathered by. `whose` says where it is known from which these are.
fn subjects_of(evidence: &Evidence, types: Option<&Path>, whose: &str) -> anyhow::Result<Vec<Pair>> {
    let registry = match types {
        Some(folder) => Registry::of_folder(folder)
            .with_context(|| format!("failed to read the types in `{}`", folder.display()))?,
        None => Registry::of_builtin()?,
    };
    // The types of servers may have rules where the built-in ones have none.
    let known = registry.subjects().chain(registry.without_rules()).map(PairId::from);
    let known = known.filter(|id| evidence.pair(id).is_some());
    let mut pairs = known.map(|id| registry.pair(&id)).collect::<Result<Vec<Pair>, _>>()?;
    mark_unshown(&mut pairs);
    if let Err(pair) = same_rules(evidence, &pairs) {
        let types = types.map_or_else(|| "the built-in types".to_owned(), |folder| format!("`{}`", folder.display()));
        anyhow::bail!("servers used other rules for `{pair}` than {types} contain: {whose}");
    }
    Ok(pairs)
}

impl Servers {
    /// Adds up the evidence of servers.
    ///
    /// # Errors
    /// When a folder is damaged, two hold the same start of a server, or they compared by other rules.
    pub fn read(roots: &[PathBuf]) -> anyhow::Result<Self> {
        let mut sum: Option<Self> = None;
        for root in roots {
            let (evidence, production) = read(root)?;
            let Some(sum) = &mut sum else {
                sum = Some(Self { roots: roots.to_owned(), evidence, production });
                continue;
            };
            for (origin, run) in production.runs {
                anyhow::ensure!(
                    !sum.production.runs.contains_key(&origin),
                    "`{}` holds a start of the replica `{}` that another folder contains too: one of them is a copy",
                    root.display(),
                    run.replica
                );
                sum.production.runs.insert(origin, run);
            }
            sum.evidence
                .merge(evidence)
                .map_err(|error| anyhow::anyhow!("cannot add `{}`: {error}", root.display()))?;
        }
        sum.ok_or_else(|| anyhow::anyhow!("no run to merge"))
    }

    /// Writes the sum to a folder of its own, as a server leaves one. `types` is the folder of types that servers were given; `force`
    /// replaces a run that is there already. The settings say by which policy and exceptions it is judged.
    ///
    /// # Errors
    /// When those are not the types that servers compared by, or the folder is one of theirs or cannot be written.
    pub fn write(self, out: &Path, types: Option<&Path>, force: bool, config: &Config) -> anyhow::Result<ConcludedRun> {
        let subjects = subjects_of(&self.evidence, types, OF_THE_CALLER)?;
        let folder = RunFolder::create_of(out, &self.roots, force)?;
        let names: Vec<String> = subjects.iter().map(|subject| subject.id.to_string()).collect();
        folder.write_json("run.json", &Record::merged(names, types))?;
        let criteria = (&config.policy, &config.exceptions(today())?);
        self.conclude(&folder, &subjects, None, criteria)
    }

    /// Whether this can be added to soaks and written to `out`: better known before the soaks are written there.
    ///
    /// # Errors
    /// When they compared by other rules, or `out` is a folder of a server, or without `force` holds a run.
    pub fn fits(&self, soaks: &[PathBuf], out: &Path, force: bool) -> anyhow::Result<()> {
        RunFolder::check_of(out, &self.roots, force)?;
        for root in soaks.iter().filter(|root| root.join(EVIDENCE).is_file()) {
            let evidence = Evidence::from_json(&run_folder::read(root, EVIDENCE)?)
                .with_context(|| format!("failed to parse `{}`", root.join(EVIDENCE).display()))?;
            let cannot = || format!("cannot add the evidence of servers to the soak in `{}`", root.display());
            let mut sum = self.evidence.clone();
            sum.merge(evidence).with_context(cannot)?;
            let judged: Judged = run_folder::read_json(root, "run.json")?;
            subjects_of(&sum, judged.types.as_deref(), OF_THE_RUN).with_context(cannot)?;
        }
        Ok(())
    }

    /// Adds the evidence of servers to that of a soak, which is in `out`, with the exceptions of the settings.
    ///
    /// # Errors
    /// When they compared by other rules, or the folder cannot be written.
    pub fn add_to(mut self, out: &Path, soaked: &ConcludedRun, config: &Config) -> anyhow::Result<ConcludedRun> {
        let alone = self.evidence.clone();
        self.evidence.merge(Evidence::from_json(&run_folder::read(out, EVIDENCE)?)?)?;
        let judged: Judged = run_folder::read_json(out, "run.json")?;
        let subjects = subjects_of(&self.evidence, judged.types.as_deref(), OF_THE_RUN)?;
        let policy = soaked.report.policy.clone().unwrap_or_default();
        let criteria = (&policy, &config.exceptions(today())?);
        self.conclude(&RunFolder::reopen(out)?, &subjects, Some((soaked, &alone)), criteria)
    }

    /// Writes the report; beside a soak, with what servers saw alone.
    fn conclude(
        self,
        folder: &RunFolder,
        pairs: &[Pair],
        soak: Option<(&ConcludedRun, &Evidence)>,
        (policy, exceptions): (&ReadinessPolicy, &Exceptions),
    ) -> anyhow::Result<ConcludedRun> {
        let Self { evidence, production, .. } = self;
        let soaked = soak.map(|(soaked, _)| soaked);
        let (seed, files) = match soaked {
            Some(soaked) => (soaked.report.seed, files(soaked)),
            None => (0, Vec::new()),
        };
        let excuses = Excuses::of(exceptions, &evidence);
        let criteria = Criteria { policy, excuses: &excuses };
        let mut report = takeover_reports::build(&evidence, pairs, seed, &files, criteria);
        let alone = soak.map(|(_, alone)| takeover_reports::build(alone, pairs, 0, &[], criteria).subjects);
        let alone = alone.unwrap_or_else(|| report.subjects.clone());
        report.mark_production(production.summary(), &alone, &production.accepted_only());
        if let Some(soaked) = soaked {
            report.missing_shards.clone_from(&soaked.report.missing_shards);
        }
        folder.write_durable(EVIDENCE, evidence.to_json()?.as_bytes())?;
        folder.write_json("production.json", &production)?;
        report.notes = not_compared(&report);
        folder.write_report(&report, Look::plain(WIDTH)).into_iter().collect::<anyhow::Result<Vec<_>>>()?;
        // Without findings, the exit of the soak says whether it could read everything.
        let unreadable = soaked.is_some_and(|soaked| soaked.ending == Ending::Unreadable);
        let ending = ending(&evidence, &report, unreadable.into());
        Ok(ConcludedRun { report, ending, unwritten: None })
    }
}

/// The files of a soak's findings, as its report has them.
fn files(soaked: &ConcludedRun) -> Vec<FindingFile> {
    soaked.report.findings().filter_map(FindingFile::of).collect()
}
