//! Finished runs, read to conclude from their evidence again.

use super::record::RunRecord;
use crate::pairs::pairs;
use crate::program::program_name;
use crate::run_folder;
use anyhow::Context as _;
use std::collections::BTreeMap;
use std::path::Path;
use takeover_harness::evidence::{Evidence, PairEvidence, RuleName};
use takeover_harness::pair::Pair;
use takeover_harness::subject::PairId;
use takeover_reports::{Criteria, FindingFile, Production, RunReport, build};

/// A whole run, read from its folder.
pub struct FinishedRun {
    /// What was counted.
    pub evidence: Evidence,
    /// What was judged.
    pub pairs: Vec<Pair>,
    /// Documents and files that could not be read.
    pub unreadable: u64,
    seed: u64,
    files: Vec<FindingFile>,
    /// How much of it was seen beside live traffic.
    production: Option<Production>,
    /// Where all of it was, the comparisons of requests that API servers had already accepted, by subject.
    accepted_only: Option<BTreeMap<String, u64>>,
}

impl FinishedRun {
    /// Reads the run in `folder`.
    ///
    /// # Errors
    /// Returns an error when there is none, it was killed or is a part of a run, or the rules that it judged are no longer
    /// those of this program and its types.
    pub fn read(folder: &Path) -> anyhow::Result<Self> {
        let place = folder.display();
        let record = RunRecord::read(folder)?;
        anyhow::ensure!(
            record.finished,
            "the run in `{place}` is not finished: resume it with `{} soak --resume {place}`",
            program_name()
        );
        let complete = record.plan.shard.is_whole() && record.merged.as_ref().is_none_or(|of| of.missing.is_empty());
        anyhow::ensure!(complete, "the run in `{place}` is one shard: `{} merge` combines the shards", program_name());
        let evidence = Evidence::from_json(&run_folder::read(folder, "evidence.json")?)
            .with_context(|| format!("failed to parse `{}`", folder.join("evidence.json").display()))?;
        let pairs = pairs(&record.plan.judging, &record.plan.isolation)?;
        if let Err(pair) = same_rules(&evidence, &pairs) {
            anyhow::bail!("the rules of `{pair}` changed since the run in `{place}`: run the soak again");
        }
        let report = run_folder::read_report(folder)?;
        let files = report.findings().filter_map(FindingFile::of).collect();
        Ok(Self {
            files,
            seed: record.plan.judging.seed,
            unreadable: record.unreadable,
            evidence,
            pairs,
            production: report.production,
            accepted_only: None,
        })
    }

    /// What servers saw of these pairs, by the rules that they have: since when and how much, and by subject the comparisons of requests
    /// that API servers had already accepted.
    pub fn of_servers(
        evidence: Evidence,
        pairs: Vec<Pair>,
        production: Production,
        accepted_only: BTreeMap<String, u64>,
    ) -> Self {
        let (production, accepted_only) = (Some(production), Some(accepted_only));
        Self { evidence, pairs, unreadable: 0, seed: 0, files: Vec::new(), production, accepted_only }
    }

    /// The report by other criteria than those of the run.
    pub fn report(&self, criteria: Criteria<'_>) -> RunReport {
        let mut report = build(&self.evidence, &self.pairs, self.seed, &self.files, criteria);
        match (&self.production, &self.accepted_only) {
            (Some(production), Some(accepted_only)) => {
                let all = report.subjects.clone();
                report.mark_production(production.clone(), &all, accepted_only);
            }
            // Which of the cases were seen there is not known any more.
            (production, _) => report.production.clone_from(production),
        }
        report
    }
}

/// Checks that the rules of the evidence are those of `pairs`.
///
/// # Errors
/// Returns an error when they are not; it names the first such pair.
pub fn same_rules<'e>(evidence: &'e Evidence, pairs: &[Pair]) -> Result<(), &'e PairId> {
    let same = |of: &PairEvidence| {
        let known = pairs.iter().find(|pair| pair.id == *of.pair());
        known.is_some_and(|pair| pair.rules.iter().map(RuleName::of).eq(of.rules().iter().cloned()))
    };
    evidence.pairs().find(|of| !same(of)).map_or(Ok(()), |of| Err(of.pair()))
}
