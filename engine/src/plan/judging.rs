//! What is judged, and how: the part of a plan that its evidence depends on.

use super::Plant;
use super::assumed_mark::{self, AssumedMark};
use crate::catalogue::{CatalogueError, PairCatalogue, PairDescription};
use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use takeover_harness::catalogue::Catalogue as _;
use takeover_harness::compare::{ComparedBy, Participation, Semantics};
use takeover_harness::object::FieldValidation;
use takeover_harness::pair::Pair;
use takeover_harness::subject::PairId;
use takeover_oracles::registry::{Registry, RegistryError};

/// What is judged, and how. A run, a server and their worker processes have it in common.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct JudgingPlan {
    /// Kinds or subjects, with or without the name of a pair behind `#`; or none for all.
    #[serde(default)]
    pub kinds: Vec<String>,
    /// Whether a run over all also judges what no server of the newest modelled release shows.
    #[serde(default = "everything")]
    pub all_versions: bool,
    /// Folder of Go types instead of the built-in ones.
    #[serde(alias = "idl")]
    pub types: Option<PathBuf>,
    /// Pairs that a project describes, beside the built-in ones.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pairs: Vec<PairDescription>,
    /// Comparison algorithm.
    pub semantics: Semantics,
    /// Whether a handwritten check that repeats what its stable rule reports is a difference, as servers count it. Otherwise the two agree,
    /// which tells that the check may go.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub counts_leftovers: bool,
    /// What happens to unknown and repeated fields.
    pub field_validation: FieldValidation,
    /// Seed of the generated cases.
    pub seed: u64,
    /// Whether nothing is generated, so that nobody needs to know which values are worth trying.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub recorded_only: bool,
    /// Errors of handwritten checks that are taken as marked.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub assume_covered: Vec<AssumedMark>,
    /// Oracles to replace by misbehaving ones.
    #[serde(default)]
    pub plants: Vec<Plant>,
}

/// Runs that were made before there was a choice judged everything.
fn everything() -> bool {
    true
}

impl Default for JudgingPlan {
    /// Every subject of the built-in types that a server shows, as the newest Kubernetes compares and its servers decode.
    fn default() -> Self {
        Self {
            kinds: Vec::new(),
            all_versions: false,
            types: None,
            pairs: Vec::new(),
            semantics: Semantics::default(),
            counts_leftovers: false,
            field_validation: FieldValidation::Warn,
            seed: 0,
            recorded_only: false,
            assume_covered: Vec::new(),
            plants: Vec::new(),
        }
    }
}

impl JudgingPlan {
    /// The pairs that the plan selects.
    ///
    /// # Errors
    /// Returns an error when there are none of that name, or this build cannot ask one of them.
    pub fn ids(&self, catalogue: &PairCatalogue) -> Result<Vec<PairId>, CatalogueError> {
        let ids = catalogue.selected(&self.kinds, self.all_versions)?;
        catalogue.check_built(&ids)?;
        Ok(ids)
    }

    /// Every pair that a plan can select.
    ///
    /// # Errors
    /// Returns an error when the types do not load, or the name of a pair is none.
    pub fn catalogue(&self) -> Result<PairCatalogue, CatalogueError> {
        let registry = match &self.types {
            Some(folder) => Registry::of_types(folder),
            None => Registry::of_builtin(),
        };
        PairCatalogue::new(registry?, &self.pairs)
    }

    /// Returns a pair without planted oracles.
    ///
    /// # Errors
    /// Returns an error when it has no rules, or they do not compile.
    pub fn sound_pair(&self, catalogue: &PairCatalogue, id: &PairId) -> Result<Pair, CatalogueError> {
        let mut pair = catalogue.pair(id)?;
        if id.name.is_empty() {
            pair = pair.as_of(self.semantics);
            if !self.counts_leftovers {
                pair.comparator = pair.comparator.answering();
            }
        }
        pair.form.field_validation = self.field_validation;
        pair = assumed_mark::in_pair(pair, &self.assume_covered);
        // Without rules, no error of the candidate of the types is marked for comparison.
        let marked =
            matches!(pair.comparator.name(), ComparedBy::Kubernetes { participation: Participation::Marked(_), .. });
        if marked && pair.rules.is_empty() && !catalogue.described().any(|described| described == id) {
            return Err(RegistryError::NoRules { asked: id.to_string() }.into());
        }
        Ok(pair)
    }

    /// Whether a project describes the pair.
    #[must_use]
    pub fn describes(&self, id: &PairId) -> bool {
        self.pairs.iter().any(|pair| pair.id().is_ok_and(|described| described == *id))
    }

    /// Whether a pair is not one of built-in validators that are compared in the usual way.
    #[must_use]
    pub fn is_special(&self, id: &PairId) -> bool {
        !id.name.is_empty()
            || self.semantics != Semantics::default()
            || self.counts_leftovers
            || !self.assume_covered.is_empty()
            || self.plants.iter().any(|plant| plant.is_in(&id.subject))
            || self.describes(id)
    }

    /// Whether it names files: types, or those of pairs.
    #[must_use]
    pub fn names_files(&self) -> bool {
        self.types.is_some() || !self.pairs.is_empty()
    }

    /// Whether to judge by it starts programs, or asks others.
    #[must_use]
    pub fn asks_others(&self) -> bool {
        self.pairs.iter().any(|pair| pair.reference.asks_others() || pair.candidate.asks_others())
    }
}

#[cfg(test)]
mod tests {
    use super::JudgingPlan;
    use crate::pairs::mark_unshown;
    use takeover_harness::catalogue::Catalogue as _;
    use takeover_harness::subject::PairId;
    use takeover_oracles::registry::Registry;

    const BINDING: &str = "rbac.authorization.k8s.io/v1 ClusterRoleBinding";

    fn names(kinds: &[&str], all_versions: bool) -> Vec<String> {
        let kinds = kinds.iter().map(|kind| (*kind).to_owned()).collect();
        let plan = JudgingPlan { kinds, all_versions, ..JudgingPlan::default() };
        plan.ids(&plan.catalogue().unwrap()).unwrap().iter().map(PairId::to_string).collect()
    }

    #[test]
    fn all_is_what_a_server_shows_unless_all_versions_are_asked_for() {
        let (shown, all) = (names(&[], false), names(&[], true));
        assert!(shown.iter().all(|name| all.contains(name)));
        let left_out = |name: &str| !shown.iter().any(|shown| shown == name) && all.iter().any(|of| of == name);
        assert!(left_out(BINDING) && left_out("batch/v1beta1 CronJob"), "{shown:?}");
        assert_eq!(all.len() - shown.len(), Registry::left_out().count());
        assert_eq!(names(&[BINDING], false), [BINDING], "what is named is judged");
    }

    #[test]
    fn a_plan_says_what_it_meant_by_all_and_an_older_one_meant_everything() {
        let mut plan = serde_json::to_value(JudgingPlan::default()).unwrap();
        let read = |plan| serde_json::from_value::<JudgingPlan>(plan).unwrap().all_versions;
        assert!(!read(plan.clone()));
        plan.as_object_mut().unwrap().remove("allVersions");
        assert!(read(plan));
    }

    #[test]
    fn what_no_server_shows_stands_apart_beside_what_one_shows() {
        let registry = Registry::of_builtin().unwrap();
        let marked = |names: &[&str]| {
            let id = |name: &&str| registry.find(name).unwrap().remove(0).into();
            let mut pairs: Vec<_> = names.iter().map(|name| registry.pair(&id(name)).unwrap()).collect();
            mark_unshown(&mut pairs);
            pairs.into_iter().map(|pair| pair.unshown.map(|of| (of.because, of.apart))).collect::<Vec<_>>()
        };
        let said = |apart| Some(("the strategy of 1.36 runs no declarative rules".to_owned(), apart));
        assert_eq!(marked(&[BINDING, "v1 ReplicationController"]), [said(true), None]);
        assert_eq!(marked(&[BINDING]), [said(false)]);
    }
}
