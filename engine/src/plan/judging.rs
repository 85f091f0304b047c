//! What is judged, and how: the part of a plan that its evidence depends on.

use super::Plant;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::path::PathBuf;
use takeover_harness::compare::{Candidates, Matcher, Semantics};
use takeover_harness::object::FieldValidation;
use takeover_harness::subject::{Subject, SubjectId};
use takeover_oracles::registry::{Registry, RegistryError};

/// What is judged, and how. A run, a server and their worker processes have it in common.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct JudgingPlan {
    /// Kinds or subjects; none is all.
    #[serde(default)]
    pub kinds: Vec<String>,
    /// Folder of Go types instead of the built-in ones.
    pub idl: Option<PathBuf>,
    /// Comparison algorithm.
    pub semantics: Semantics,
    /// What happens to unknown and repeated fields.
    pub field_validation: FieldValidation,
    /// Seed of the generated cases.
    pub seed: u64,
    /// Oracles to replace by misbehaving ones.
    #[serde(default)]
    pub plants: Vec<Plant>,
}

impl Default for JudgingPlan {
    /// Every subject of the built-in types, as the newest Kubernetes compares and its servers decode.
    fn default() -> Self {
        Self {
            kinds: Vec::new(),
            idl: None,
            semantics: Semantics::default(),
            field_validation: FieldValidation::Warn,
            seed: 0,
            plants: Vec::new(),
        }
    }
}

impl JudgingPlan {
    /// The subjects that are asked for.
    ///
    /// # Errors
    /// When there are none of that name.
    pub fn ids(&self) -> Result<Vec<SubjectId>, RegistryError> {
        ids(&self.kinds)
    }

    /// The types that are asked for.
    ///
    /// # Errors
    /// When they do not load.
    pub fn registry(&self) -> Result<Registry, RegistryError> {
        match &self.idl {
            Some(folder) => Registry::of_folder(folder),
            None => Registry::of_builtin(),
        }
    }

    /// A subject, with what is planted in it.
    ///
    /// # Errors
    /// When it has no rules, they do not compile, or what is to be planted would harm the machine.
    pub fn subject(&self, registry: &Registry, id: &SubjectId) -> anyhow::Result<Subject> {
        self.plants.iter().try_fold(self.sound_subject(registry, id)?, |subject, plant| plant.in_subject(subject))
    }

    /// A subject as it is, without what is planted in it.
    ///
    /// # Errors
    /// When it has no rules, or they do not compile.
    pub fn sound_subject(&self, registry: &Registry, id: &SubjectId) -> Result<Subject, RegistryError> {
        let subject = Subject { field_validation: self.field_validation, ..registry.subject(id)? };
        if subject.rules.is_empty() {
            return Err(RegistryError::NoRules { asked: id.to_string() });
        }
        Ok(subject)
    }
}

/// The subjects that kinds or names ask for, all without any, in the order of a run.
///
/// # Errors
/// When there are none of a name.
pub fn ids(kinds: &[String]) -> Result<Vec<SubjectId>, RegistryError> {
    let mut asked = BTreeSet::new();
    for kind in kinds {
        asked.extend(Registry::find_any(kind)?);
    }
    if kinds.is_empty() {
        return Ok(Registry::subjects().collect());
    }
    // The types of a run may have rules where the built-in ones have none.
    Ok(Registry::subjects().chain(Registry::without_rules()).filter(|id| asked.contains(id)).collect())
}

/// How the errors of a subject are compared. Before 1.37, every error of the declarative side took part.
pub fn matcher(subject: &Subject, semantics: Semantics) -> Matcher<'_> {
    let candidates = if semantics == Semantics::V1_37 { Candidates::Leveled } else { Candidates::All };
    Matcher::of(&subject.matching, semantics).candidates(candidates)
}
