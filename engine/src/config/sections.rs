//! The tables of `takeover.toml`, but for the policy, which is the harness's own.

use crate::catalogue::PairCatalogue;
use serde::{Deserialize, Serialize};
use std::num::NonZeroUsize;
use std::path::PathBuf;
use takeover_harness::object::FieldValidation;
use takeover_harness::subject::PairId;

/// `[subjects]`: what is judged.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct SubjectsSection {
    /// Kinds or subjects; all if the list is empty.
    pub only: Vec<String>,
    /// Kinds or subjects that are left out.
    pub except: Vec<String>,
    /// Whether versions and kinds whose rules no server of the newest modelled release shows are judged, too, where `only` is empty.
    pub all_versions: bool,
    /// The folder of Go types; empty for the built-in ones.
    pub types: PathBuf,
}

impl SubjectsSection {
    /// Whether it names some and leaves out others.
    #[must_use]
    pub fn chooses(&self) -> bool {
        !self.only.is_empty() || !self.except.is_empty()
    }

    /// The pairs, in the order of a run.
    ///
    /// # Errors
    /// Returns an error when a name is unknown or the choice leaves nothing; it names the key.
    pub fn pairs(&self, catalogue: &PairCatalogue) -> Result<Vec<PairId>, (&'static str, String)> {
        let only = catalogue.selected(&self.only, self.all_versions).map_err(|error| ("only", error.to_string()))?;
        if self.except.is_empty() {
            return Ok(only);
        }
        let except = catalogue.named(&self.except).map_err(|error| ("except", error.to_string()))?;
        let left: Vec<PairId> = only.into_iter().filter(|id| !except.contains(id)).collect();
        if left.is_empty() { Err(("except", "nothing is left to judge".to_owned())) } else { Ok(left) }
    }

    /// Checks that there is something of every name.
    pub(super) fn check(&self, catalogue: &PairCatalogue) -> Result<(), (&'static str, String)> {
        if self.chooses() { self.pairs(catalogue).map(|_| ()) } else { Ok(()) }
    }
}

/// `[corpora]`: recorded objects.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct CorporaSection {
    /// Files and folders.
    pub recorded: Vec<PathBuf>,
    /// Whether the objects that are built into the program are judged.
    pub builtin: bool,
    /// What happens to unknown and repeated fields.
    pub field_validation: FieldValidationName,
    /// Largest document that is read, or item of a long JSON list, in MiB.
    pub max_document: u32,
}

impl Default for CorporaSection {
    fn default() -> Self {
        Self { recorded: Vec::new(), builtin: true, field_validation: FieldValidationName::Warn, max_document: 64 }
    }
}

/// The request parameter `fieldValidation`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FieldValidationName {
    /// Unknown and repeated fields are dropped.
    Warn,
    /// They are errors.
    Strict,
}

impl From<FieldValidationName> for FieldValidation {
    fn from(name: FieldValidationName) -> Self {
        match name {
            FieldValidationName::Warn => Self::Warn,
            FieldValidationName::Strict => Self::Strict,
        }
    }
}

/// `[budget]`: how much is generated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct BudgetSection {
    /// Generated cases, of all subjects together.
    pub cases: u64,
    /// Their seed.
    pub seed: u64,
    /// Threads; 0 for one per processor.
    pub jobs: usize,
}

impl Default for BudgetSection {
    fn default() -> Self {
        Self { cases: 400_000, seed: 1, jobs: 0 }
    }
}

impl BudgetSection {
    /// Returns the number of threads, or none for one per processor.
    pub fn threads(&self) -> Option<NonZeroUsize> {
        NonZeroUsize::new(self.jobs)
    }
}

/// `[gate]`: what is held against the result.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct GateSection {
    /// The file of exceptions.
    pub exceptions: PathBuf,
    /// The file of the committed readiness.
    pub baseline: PathBuf,
    /// Which rules too little may be seen of.
    pub floor: Floor,
}

impl Default for GateSection {
    fn default() -> Self {
        Self {
            exceptions: "takeover-exceptions.toml".into(),
            baseline: "takeover-baseline.txt".into(),
            floor: Floor::Baseline,
        }
    }
}

/// Which rules too little may be seen of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Floor {
    /// Rules that the baseline lists as insufficient.
    Baseline,
    /// No rule.
    EveryRule,
    /// Any rule, for evidence of production.
    None,
}
