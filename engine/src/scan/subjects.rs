//! What judges stored objects: the declarative side of each kind.

use super::plan::ScanPlan;
use crate::catalogue::{OracleDescription, PairDescription, ServedCrds};
use crate::plan::JudgingPlan;
use crate::target::Target;
use std::collections::BTreeMap;
use takeover_harness::object::FieldValidation;
use takeover_harness::subject::SubjectId;
use takeover_oracles::handwritten::request::RequestChecks;
use takeover_oracles::registry::Registry;

/// The kinds that are scanned, in their order, and what judges each.
pub(super) struct Subjects {
    /// Main resources with rules.
    pub(super) ids: Vec<SubjectId>,
    made: BTreeMap<SubjectId, Target>,
}

impl Subjects {
    /// The kinds that the plan names, or else all that have rules.
    ///
    /// # Errors
    /// Returns an error when types or a CRD cannot be read, or a name is unknown.
    pub(super) fn of(plan: &ScanPlan) -> anyhow::Result<Self> {
        let made = match &plan.crd {
            Some(crd) => Self::of_crd(plan, crd)?,
            None => Self::of_types(plan)?,
        };
        let ids = made.iter().map(|target| target.id().cloned()).collect::<Option<Vec<_>>>().unwrap_or_default();
        Ok(Self { made: ids.iter().cloned().zip(made).collect(), ids })
    }

    /// What judges a kind.
    pub(super) fn target(&self, id: &SubjectId) -> Option<&Target> {
        self.made.get(id)
    }

    fn of_types(plan: &ScanPlan) -> anyhow::Result<Vec<Target>> {
        let registry = match &plan.types {
            Some(folder) => Registry::of_types(folder)?,
            None => Registry::of_builtin()?,
        };
        let known: Vec<SubjectId> =
            registry.kinds().iter().map(|kind| SubjectId::new(kind.api_version.as_str(), kind.kind.as_str())).collect();
        let is_meant = |id: &SubjectId| plan.kinds.is_empty() || plan.kinds.iter().any(|name| id.is_called(name));
        for name in &plan.kinds {
            if !known.iter().any(|id| id.is_called(name)) {
                registry.find_any(name)?;
            }
        }
        let mut targets = Vec::new();
        for id in known.iter().filter(|id| is_meant(id)) {
            let target = Target::of_kind(&registry, id, RequestChecks::AsSent).map_err(anyhow::Error::msg)?;
            if !target.rules.is_empty() {
                targets.push(target);
            }
        }
        Ok(targets)
    }

    /// Uses the CRD as both sides of a pair. Only one side is asked.
    fn of_crd(plan: &ScanPlan, crd: &std::path::Path) -> anyhow::Result<Vec<Target>> {
        let (served, left_out) = ServedCrds::read_in_part(crd)?;
        left_out.iter().for_each(|why| (plan.say)(&format!("left out: {why}")));
        let pairs: Vec<PairDescription> = served
            .chosen(&plan.kinds)?
            .into_iter()
            .map(|id| PairDescription {
                name: "stored".to_owned(),
                api_version: id.api_version,
                kind: id.kind,
                subresource: id.subresource,
                types: Some(crd.to_owned()),
                go_types: None,
                reference: OracleDescription::Crd(None),
                candidate: OracleDescription::Crd(None),
                compare: None,
                candidate_may: takeover_harness::readiness::CandidateMay::Agree,
            })
            .collect();
        let judging = JudgingPlan { pairs, field_validation: FieldValidation::Warn, ..JudgingPlan::default() };
        let catalogue = judging.catalogue()?;
        let made = catalogue.described().map(|id| Ok(Target::of_described(judging.sound_pair(&catalogue, id)?)));
        made.collect()
    }
}
