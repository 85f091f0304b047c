//! Putting the evidence of servers together, with that of a soak or by itself.

use super::folder::{Record, is_shadow, read};
use crate::config::Config;
use crate::exit_code::Exit;
use crate::run_folder::{self, RunFolder};
use crate::soak::Soaked;
use std::path::{Path, PathBuf};
use takeover_harness::evidence::Evidence;
use takeover_harness::exception::Excuses;
use takeover_harness::readiness::Policy;
use takeover_harness::subject::Subject;
use takeover_oracles::registry::Registry;
use takeover_reports::html::html;
use takeover_reports::{Criteria, FindingFile, Look};
use takeover_shadow::ledger::Production;

/// Columns of the report as text.
const WIDTH: usize = 160;

/// The day it is, in UTC.
fn today() -> jiff::civil::Date {
    jiff::Timestamp::now().to_zoned(jiff::tz::TimeZone::UTC).date()
}

/// What servers gathered.
pub struct Servers {
    evidence: Evidence,
    production: Production,
}

/// Divides run folders into those of servers and others.
pub fn divide(runs: Vec<PathBuf>) -> (Vec<PathBuf>, Vec<PathBuf>) {
    runs.into_iter().partition(|root| is_shadow(root))
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
                sum = Some(Self { evidence, production });
                continue;
            };
            for (origin, run) in production.runs {
                anyhow::ensure!(
                    !sum.production.runs.contains_key(&origin),
                    "`{}` holds a start of the replica `{}` that another folder holds too: one of them is a copy",
                    root.display(),
                    run.replica
                );
                sum.production.runs.insert(origin, run);
            }
            sum.evidence
                .merge(evidence)
                .map_err(|error| anyhow::anyhow!("cannot add `{}`: {error}", root.display()))?;
        }
        sum.ok_or_else(|| anyhow::anyhow!("there is no run to merge"))
    }

    /// Writes the sum to a folder of its own, as a server leaves one.
    ///
    /// # Errors
    /// When the folder cannot be written.
    pub fn write(self, out: &Path) -> anyhow::Result<Soaked> {
        let folder = RunFolder::create(out)?;
        let subjects: Vec<String> = self.evidence.subjects().map(|subject| subject.subject().to_string()).collect();
        folder.write_json("run.json", &Record::new(subjects, "merged"))?;
        self.conclude(&folder, None, &Config::load(None)?.policy)
    }

    /// Adds the evidence of servers to that of a soak, which is in `out`.
    ///
    /// # Errors
    /// When they compared by other rules, or the folder cannot be written.
    pub fn add_to(mut self, out: &Path, soaked: &Soaked) -> anyhow::Result<Soaked> {
        let alone = self.evidence.clone();
        let evidence = Evidence::from_json(&run_folder::read(out, "evidence.json")?)?;
        self.evidence.merge(evidence).map_err(|error| {
            anyhow::anyhow!("cannot add what servers saw to the soak in `{}`: {error}", out.display())
        })?;
        let policy = soaked.report.policy.unwrap_or_default();
        self.conclude(&RunFolder::reopen(out)?, Some((soaked, &alone)), &policy)
    }

    /// Writes the report; beside a soak, with what servers saw alone.
    fn conclude(
        self,
        folder: &RunFolder,
        soak: Option<(&Soaked, &Evidence)>,
        policy: &Policy,
    ) -> anyhow::Result<Soaked> {
        let Self { evidence, production } = self;
        let soaked = soak.map(|(soaked, _)| soaked);
        let exceptions = Config::load(None)?.exceptions(today())?;
        let registry = Registry::of_builtin()?;
        let known = Registry::subjects().filter(|id| evidence.subject(id).is_some());
        let subjects = known.map(|id| registry.subject(&id)).collect::<Result<Vec<Subject>, _>>()?;
        let (seed, files) = match soaked {
            Some(soaked) => (soaked.report.seed, files(soaked)),
            None => (0, Vec::new()),
        };
        let excuses = Excuses::of(&exceptions, &evidence);
        let criteria = Criteria { policy, excuses: &excuses };
        let mut report = takeover_reports::build(&evidence, &subjects, seed, &files, criteria);
        let alone = soak.map(|(_, alone)| takeover_reports::build(alone, &subjects, 0, &[], criteria).subjects);
        report.mark_production(production.summary(), &alone.unwrap_or_else(|| report.subjects.clone()));
        if let Some(soaked) = soaked {
            report.missing_shards.clone_from(&soaked.report.missing_shards);
        }
        folder.write_durable("evidence.json", evidence.to_json()?.as_bytes())?;
        folder.write_json("production.json", &production)?;
        folder.write_json("report.json", &report)?;
        let text = takeover_reports::table(&report, Look::plain(WIDTH)) + &takeover_reports::not_compared(&report);
        folder.write("report.txt", text.as_bytes())?;
        folder.write("report.html", html(&report)?.as_bytes())?;
        let exit = if evidence.compared() == 0 {
            Exit::NothingCompared
        } else if evidence.disagreed() > 0 {
            Exit::Findings
        } else {
            soaked.map_or(Exit::Ready, |soaked| soaked.exit)
        };
        Ok(Soaked { report, text, exit })
    }
}

/// The files of a soak's findings, as its report has them.
fn files(soaked: &Soaked) -> Vec<FindingFile> {
    soaked.report.findings().filter_map(FindingFile::of).collect()
}
