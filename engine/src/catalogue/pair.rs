//! Pairs as data: what a person writes of one in `takeover.toml` or on the command line, and what a run keeps of it.

use super::error::{CatalogueError, NotBuilt};
use super::oracle::OracleDescription;
use super::oracle_sorts::{AnswersLevel, DefaultsSource};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::path::{Path, PathBuf};
use takeover_harness::readiness::CandidateMay;
use takeover_harness::subject::{PairId, PairNameError, SubjectId};

/// Two oracles, the types they are asked about, and how their answers are compared.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct PairDescription {
    /// Tells it from other pairs of its kind: lower-case letters, digits, `-` and `.`.
    pub name: String,
    /// Group and version of the kind.
    #[serde(rename = "apiVersion")]
    pub api_version: String,
    /// The kind.
    pub kind: String,
    /// The subresource that is judged, without leading slash; empty for the main resource.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub subresource: String,
    /// A Go package, a CRD manifest or an OpenAPI v3 document; the built-in types where nothing is said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub types: Option<PathBuf>,
    /// The Go types that the candidate's CRD is generated from, to point at their markers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub go_types: Option<PathBuf>,
    /// What decides today.
    pub reference: OracleDescription,
    /// What is to take over.
    pub candidate: OracleDescription,
    /// How precisely answers are compared; where nothing is said, by decision between a CRD and a program or webhook, and otherwise as
    /// precisely as both sides can.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub compare: Option<CompareLevel>,
    /// In which way the candidate may differ.
    #[serde(default, skip_serializing_if = "CandidateMay::is_default")]
    pub candidate_may: CandidateMay,
}

/// How precisely the answers of a pair are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CompareLevel {
    /// Accepted or rejected.
    Decision,
    /// Errors by type and field, and by origin where both sides name it.
    Field,
    /// As an API server compares its handwritten and its declarative errors: the marked ones.
    Kubernetes,
    /// Errors word for word, with values and marks: for a validator that is to answer what another one answers.
    Verbatim,
}

impl fmt::Display for CompareLevel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Decision => "decision",
            Self::Field => "field",
            Self::Kubernetes => "kubernetes",
            Self::Verbatim => "verbatim",
        })
    }
}

impl PairDescription {
    /// # Errors
    /// Returns an error when a side is somewhere on the network, and this build cannot ask it.
    pub(super) fn check_built(&self, id: &PairId) -> Result<(), CatalogueError> {
        let is_asked = [&self.reference, &self.candidate].into_iter().any(OracleDescription::is_asked_by_https);
        let check = if is_asked { NotBuilt::check() } else { Ok(()) };
        check.map_err(|lacking| CatalogueError::NotBuilt(Box::new(id.clone()), lacking))
    }

    /// The name by which a run knows the pair: `shop.example.com/v1 Widget#webhook-to-tags`.
    ///
    /// # Errors
    /// Returns an error when the name is empty or has characters that no name has.
    pub fn id(&self) -> Result<PairId, PairNameError> {
        let subject = SubjectId::new(&self.api_version, &self.kind).with_subresource(&self.subresource);
        // An empty name would be that of the built-in pair.
        let name = if self.name.is_empty() { " " } else { &self.name };
        PairId::named(subject, name)
    }

    /// Where the types are said to be: by the pair, or else by the CRD of a side, the candidate's first.
    pub(super) fn places(&self) -> impl Iterator<Item = &Path> {
        let of_sides = [&self.candidate, &self.reference].into_iter().filter_map(|oracle| match oracle {
            OracleDescription::Crd(place) => place.as_deref(),
            _ => None,
        });
        self.types.as_deref().into_iter().chain(of_sides)
    }

    /// Whether a side is a CRD.
    pub(super) fn has_crd(&self) -> bool {
        [&self.candidate, &self.reference].into_iter().any(|oracle| matches!(oracle, OracleDescription::Crd(_)))
    }

    /// Whether a side answers as an API server that serves a CRD, which prepares creates and updates before it validates.
    pub(super) fn serves_crd(&self) -> bool {
        let sets_defaults = |of: &OracleDescription| *of == OracleDescription::Defaults(DefaultsSource::Crd);
        self.has_crd() || sets_defaults(&self.reference) || sets_defaults(&self.candidate)
    }

    /// Whether a server asks the sides only about objects that passed its own validation: policies on one side, and none of that
    /// validation on the other.
    pub(super) fn is_asked_after_validation(&self) -> bool {
        let both = [&self.candidate, &self.reference];
        let validates = |of: &OracleDescription| {
            matches!(of, OracleDescription::Builtin | OracleDescription::Crd(_) | OracleDescription::Tags)
        };
        both.iter().any(|of| matches!(of, OracleDescription::Policy(_))) && !both.into_iter().any(validates)
    }

    /// Whether a side sets defaults, so that both sides get objects without defaults.
    pub(super) fn compares_defaults(&self) -> bool {
        [&self.candidate, &self.reference].into_iter().any(|oracle| match oracle {
            OracleDescription::Defaults(_) => true,
            OracleDescription::Server(of) => of.answers == Some(AnswersLevel::Object),
            _ => false,
        })
    }

    /// Whether the sides say the same in different words and at different places: a CRD speaks as API servers do, and a program or
    /// webhook as its author likes.
    pub(super) fn differs_in_words(&self) -> bool {
        use OracleDescription::{Crd, Exec, Webhook};
        matches!((&self.reference, &self.candidate), (Crd(_), Exec(_) | Webhook(_)) | (Exec(_) | Webhook(_), Crd(_)))
    }

    /// Returns the description with its paths as seen from where `folder` is.
    #[must_use]
    pub fn below(self, folder: &Path) -> Self {
        Self {
            types: self.types.map(|types| folder.join(types)),
            go_types: self.go_types.map(|types| folder.join(types)),
            reference: self.reference.below(folder),
            candidate: self.candidate.below(folder),
            ..self
        }
    }
}
