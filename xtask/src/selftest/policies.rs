//! Every fault planted in the validations and match conditions of policies, in a whole comparison.

use super::Tally;
use super::planted::{Planted, compare, survivors};
use std::path::{Path, PathBuf};
use takeover_admission_policies::PolicyFaults;
use takeover_engine::catalogue::{OracleDescription, PairDescription, PolicyDescription, ReadPolicies, ServedCrds};
use takeover_engine::plan::JudgingPlan;
use takeover_harness::catalogue::Catalogue as _;
use takeover_harness::control::{Control, Controls};
use takeover_harness::oracle::Oracle;
use takeover_harness::pair::Pair;
use takeover_harness::readiness::CandidateMay;
use takeover_harness::rule::Rule;
use takeover_harness::subject::SubjectId;
use takeover_oracles::registry::Registry;

/// The policies that apply to one kind, with the faults planted in them.
pub struct OfPolicies {
    subject: SubjectId,
    description: PairDescription,
    rules: Vec<Rule>,
    faults: PolicyFaults,
}

impl OfPolicies {
    /// The faults of policies for each kind that they apply to: those of the CRD if one is given, otherwise the built-in ones, restricted
    /// to those that `kind` names.
    ///
    /// # Errors
    /// When a file cannot be read, there is no such kind, or the policies apply to none of them.
    pub fn of(files: &[PathBuf], crd: Option<&Path>, kind: Option<&str>) -> anyhow::Result<Vec<Self>> {
        let of = PolicyDescription { files: files.to_vec(), ..PolicyDescription::default() };
        let read = ReadPolicies::read(&of, crd)?;
        let names: Vec<String> = kind.map(str::to_owned).into_iter().collect();
        let subjects = match (crd, kind) {
            (Some(crd), _) => ServedCrds::read(crd)?.chosen(&names)?,
            (None, Some(kind)) => Registry::of_builtin()?.find_any(kind)?,
            (None, None) => Registry::of_builtin()?.subjects().collect(),
        };
        let mut all = Vec::new();
        for subject in subjects {
            let Ok(oracle) = read.judging(&subject) else { continue };
            let side = OracleDescription::Policy(of.clone());
            let description = PairDescription {
                name: "policies".to_owned(),
                api_version: subject.api_version.clone(),
                kind: subject.kind.clone(),
                subresource: subject.subresource.clone(),
                types: crd.map(Path::to_path_buf),
                go_types: None,
                reference: side.clone(),
                candidate: side,
                compare: None,
                candidate_may: CandidateMay::default(),
            };
            let faults = PolicyFaults::of(&oracle);
            all.push(Self { subject, description, rules: read.rules.clone(), faults });
        }
        anyhow::ensure!(
            !all.is_empty(),
            "the policies apply to no creates or updates of these kinds: name a built-in kind with --kind, or give the CRD with --crd"
        );
        Ok(all)
    }

    /// Compares over `cases` generated cases: the policies with themselves, and each faulty one on the first case that shows its fault.
    ///
    /// # Errors
    /// When no pair of the kind can be made.
    pub fn run(&self, cases: u64, seed: u64) -> anyhow::Result<Tally> {
        let telling = self.faults.catalogue().iter().filter(|fault| fault.equivalent.is_none()).count() as u64;
        let out_of_reach = self.faults.catalogue().len() as u64 - telling;
        let mut tally = Tally { telling, out_of_reach, ..Tally::default() };
        let mut exposure = self.faults.exposure();
        let (sound, faulty) = (self.pair()?, self.pair()?);
        compare(self, (&sound, faulty), (cases, seed), &mut exposure, &mut tally);
        survivors(self, &exposure, &mut tally);
        Ok(tally)
    }

    fn pair(&self) -> anyhow::Result<Pair> {
        let plan = JudgingPlan { pairs: vec![self.description.clone()], ..JudgingPlan::default() };
        let catalogue = plan.catalogue()?;
        let id = catalogue.described().next().cloned();
        Ok(catalogue.pair(&id.ok_or_else(|| anyhow::anyhow!("no pair of {} was made", self.subject))?)?)
    }
}

impl Planted for OfPolicies {
    fn controls(&self) -> &dyn Controls {
        &self.faults
    }

    fn faulty(&self, index: usize) -> Option<(Box<dyn Oracle>, bool)> {
        Some((Box::new(self.faults.faulty(index)?), false))
    }

    fn named(&self, fault: &Control) -> String {
        let rule = self.rules.get(fault.rule.index()).map(|rule| rule.chain.as_str()).unwrap_or_default();
        format!("{} {rule}: {}", self.subject, fault.name)
    }
}
