//! The types of a pair: a Go package, CRD manifests, or an OpenAPI v3 document.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use takeover_corpora::load::{Input, Limits, load};
use takeover_custom_resources::{CustomKind, kinds_of_crd, kinds_of_openapi};
use takeover_harness::form::Defaulter;
use takeover_harness::object::FieldValidation;
use takeover_harness::rule::Rule;
use takeover_harness::schema::{Schema, TypeId};
use takeover_harness::subject::SubjectId;
use takeover_oracles::declarative::{Declarative, DeclaredDefaults};
use takeover_oracles::registry::{Registry, RegistryError};

/// The types that a person names.
pub(super) enum Types {
    /// Go packages.
    Go(Box<Registry>),
    /// Custom kinds, by their schemas.
    Custom(Vec<CustomKind>),
}

/// What types say of one kind.
pub(super) struct KindTypes {
    /// All types.
    pub(super) schema: Arc<Schema>,
    /// That of the object.
    pub(super) root: TypeId,
    /// The rules that the types declare as tags; none where types have no tags.
    pub(super) declared: Option<Declarative>,
    /// Markers of other tools, which nothing here reads as rules.
    pub(super) foreign_markers: usize,
    /// The defaults that the types declare.
    pub(super) defaulter: Option<Box<dyn Defaulter>>,
    /// What the schema says of values, for the generator.
    pub(super) hints: Vec<Rule>,
}

impl Types {
    /// Reads the types at `place`: a folder of Go files or with some below it, a folder or file of CRD manifests, or an OpenAPI document.
    ///
    /// # Errors
    /// Returns an error when there are none, or they cannot be read; as text.
    pub(super) fn read(place: &Path) -> Result<Self, String> {
        let metadata = fs::metadata(place).map_err(|error| error.to_string())?;
        if metadata.is_dir() && has_go_files(place, 0) {
            return Registry::of_module(place)
                .map(|registry| Self::Go(Box::new(registry)))
                .map_err(|error| error.to_string());
        }
        if let Some(document) = open_api(place) {
            return kinds_of_openapi(&document).map(Self::Custom).map_err(|error| error.to_string());
        }
        let mut kinds = Vec::new();
        for document in load(vec![Input::named(place)], Limits::default()) {
            let document = document.map_err(|error| error.to_string())?;
            if document.kind == "CustomResourceDefinition" {
                let of = |error| format!("{}: {error}", document.provenance);
                kinds.extend(kinds_of_crd(&document.value).map_err(of)?);
            }
        }
        if kinds.is_empty() {
            return Err("no Go package, no CustomResourceDefinition and no OpenAPI v3 document".to_owned());
        }
        Ok(Self::Custom(kinds))
    }

    /// What the types say of a kind; none if they do not declare it.
    ///
    /// # Errors
    /// Returns an error when its tags do not compile.
    pub(super) fn kind(&self, subject: &SubjectId) -> Result<Option<KindTypes>, RegistryError> {
        match self {
            Self::Go(registry) if registry.declares(subject) => Self::of_go(registry, subject).map(Some),
            Self::Go(_) => Ok(None),
            Self::Custom(kinds) => {
                let is_it = |kind: &&CustomKind| kind.api_version() == subject.api_version && kind.kind == subject.kind;
                Ok(kinds.iter().find(is_it).map(|kind| KindTypes {
                    schema: Arc::clone(&kind.schema),
                    root: kind.root,
                    declared: None,
                    foreign_markers: 0,
                    defaulter: kind.form(FieldValidation::Strict).defaulter,
                    hints: kind.hints.clone(),
                }))
            }
        }
    }

    /// What Go types say of a kind that they declare.
    ///
    /// # Errors
    /// Returns an error when its tags do not compile.
    pub(super) fn of_go(registry: &Registry, subject: &SubjectId) -> Result<KindTypes, RegistryError> {
        let (root, declared) = registry.candidate(subject)?;
        let schema = Arc::clone(registry.schema());
        let defaulter = DeclaredDefaults::of(&schema, root).map(|defaults| Box::new(defaults) as Box<dyn Defaulter>);
        let foreign_markers = registry.foreign_markers(subject);
        Ok(KindTypes { schema, root, declared: Some(declared), foreign_markers, defaulter, hints: Vec::new() })
    }

    /// The kinds, as people write them.
    pub(super) fn known(&self) -> Vec<String> {
        let mut known: Vec<String> = match self {
            Self::Go(registry) => {
                registry.kinds().iter().map(|kind| format!("`{} {}`", kind.api_version, kind.kind)).collect()
            }
            Self::Custom(kinds) => kinds.iter().map(|kind| format!("`{} {}`", kind.api_version(), kind.kind)).collect(),
        };
        known.sort();
        known
    }
}

/// How deep Go files may stand below a folder that is named.
const DEPTH: usize = 6;

fn has_go_files(folder: &Path, depth: usize) -> bool {
    let Ok(entries) = fs::read_dir(folder) else { return false };
    let below = |path: &Path| depth < DEPTH && path.is_dir() && has_go_files(path, depth + 1);
    entries
        .flatten()
        .map(|entry| entry.path())
        .any(|path| path.extension().is_some_and(|ending| ending == "go") || below(&path))
}

/// The document at `place` if it is one of OpenAPI v3.
fn open_api(place: &Path) -> Option<serde_json::Value> {
    let is_json = place.extension().is_some_and(|ending| ending == "json");
    let text = is_json.then(|| fs::read(place).ok()).flatten()?;
    let document: serde_json::Value = serde_json::from_slice(&text).ok()?;
    document.get("openapi").is_some().then_some(document)
}
