//! The types of a pair: a Go package, CRD manifests, or an OpenAPI v3 document.

use serde_json::Value;
use std::fs;
use std::path::Path;
use std::sync::Arc;
use takeover_corpora::load::{Input, Limits, load, places};
use takeover_custom_resources::refuse::accepted_kinds_of_crd;
use takeover_custom_resources::{CustomKind, kinds_of_openapi};
use takeover_harness::case::Provenance;
use takeover_harness::form::{Defaulter, Form};
use takeover_harness::object::FieldValidation;
use takeover_harness::rule::{Rule, Source};
use takeover_harness::schema::{Schema, TypeId};
use takeover_harness::subject::SubjectId;
use takeover_oracles::declarative::{Declarative, DeclaredDefaults};
use takeover_oracles::registry::{Registry, RegistryError};

/// The types that a person names.
pub(crate) enum Types {
    /// Go packages.
    Go(Box<Registry>),
    /// Custom kinds, by their schemas.
    Custom(Vec<CustomKind>),
}

/// What types say of one kind.
pub(crate) struct KindTypes {
    /// All types.
    pub(crate) schema: Arc<Schema>,
    /// That of the object.
    pub(crate) root: TypeId,
    /// The custom kind, with its schema; none of Go types.
    pub(crate) custom: Option<Box<CustomKind>>,
    /// The rules that the types declare as tags; none where types have no tags.
    pub(crate) declared: Option<Declarative>,
    /// Markers of other tools, which nothing here reads as rules.
    pub(crate) foreign_markers: usize,
    /// The defaults that the types declare.
    pub(crate) defaulter: Option<Box<dyn Defaulter>>,
    /// The defaults of the items of lists and the values of maps, by their type; empty where types have none.
    pub(crate) items: Vec<Option<Value>>,
    /// What the schema says of values, for the generator.
    pub(crate) hints: Vec<Rule>,
}

impl Types {
    /// Reads the types at `place`: a folder of Go files or with some below it, a folder or file of CRD manifests, or an OpenAPI document.
    ///
    /// # Errors
    /// Returns an error when there are none, or they cannot be read; as text.
    pub(crate) fn read(place: &Path) -> Result<Self, String> {
        let (types, mut unread) = Self::read_in_part(place)?;
        if unread.is_empty() { Ok(types) } else { Err(unread.remove(0)) }
    }

    /// Reads the types at `place` as far as they can be read; each thing that cannot is named.
    ///
    /// # Errors
    /// Returns an error when there are none; as text.
    pub(crate) fn read_in_part(place: &Path) -> Result<(Self, Vec<String>), String> {
        let metadata = fs::metadata(place).map_err(|error| error.to_string())?;
        if metadata.is_dir() && Self::is_go(place) {
            let registry = Registry::of_module(place).map_err(|error| error.to_string())?;
            return Ok((Self::Go(Box::new(registry)), Vec::new()));
        }
        if place.extension().is_some_and(|ending| ending == "go") {
            return Err("it is Go source: name its folder, or the CustomResourceDefinition that controller-gen generates from it".to_owned());
        }
        if let Some(document) = open_api(place) {
            let kinds = kinds_of_openapi(&document).map_err(|error| error.to_string())?;
            return Ok((Self::Custom(kinds), Vec::new()));
        }
        let (mut kinds, mut unread) = (Vec::new(), Vec::new());
        for document in load(vec![Input::named(place)], Limits::default()) {
            match document {
                Ok(document) if document.kind == "CustomResourceDefinition" => {
                    match accepted_kinds_of_crd(&document.value) {
                        Ok(of_crd) => kinds.extend(of_crd.into_iter().map(|kind| from(kind, &document.provenance))),
                        Err(error) => unread.push(format!("{}: {error}", document.provenance)),
                    }
                }
                Ok(_) => {}
                Err(error) => unread.push(error.to_string()),
            }
        }
        if kinds.is_empty() {
            let nothing =
                || "neither a Go package, nor a CustomResourceDefinition, nor an OpenAPI v3 document".to_owned();
            return Err(unread.into_iter().next().unwrap_or_else(nothing));
        }
        Ok((Self::Custom(kinds), unread))
    }

    /// Whether there are Go files in a folder or below it.
    pub(crate) fn is_go(place: &Path) -> bool {
        has_go_files(place, 0)
    }

    /// Every kind that the types declare, in their order; lists of objects are none.
    pub(crate) fn subjects(&self) -> Vec<SubjectId> {
        match self {
            Self::Go(registry) => {
                let is_list = |kind: &str| {
                    kind.strip_suffix("List")
                        .is_some_and(|item| registry.kinds().iter().any(|known| known.kind == item))
                };
                let kinds = registry.kinds().iter().filter(|known| !is_list(&known.kind));
                kinds.map(|known| SubjectId::new(&known.api_version, &known.kind)).collect()
            }
            Self::Custom(kinds) => kinds.iter().map(CustomKind::subject).collect(),
        }
    }

    /// The custom kinds at `place`; empty for Go types.
    ///
    /// # Errors
    /// Returns an error when there are no types, or they cannot be read; as text.
    pub(crate) fn custom_kinds(place: &Path) -> Result<Vec<CustomKind>, String> {
        Ok(match Self::read(place)? {
            Self::Go(_) => Vec::new(),
            Self::Custom(kinds) => kinds,
        })
    }

    /// The custom kind of this name; none of Go types.
    pub(crate) fn custom(&self, subject: &SubjectId) -> Option<&CustomKind> {
        match self {
            Self::Go(_) => None,
            Self::Custom(kinds) => {
                kinds.iter().find(|kind| kind.api_version() == subject.api_version && kind.kind == subject.kind)
            }
        }
    }

    /// What the types say of a kind; none if they do not declare it.
    ///
    /// # Errors
    /// Returns an error when its tags do not compile.
    pub(crate) fn kind(&self, subject: &SubjectId) -> Result<Option<KindTypes>, RegistryError> {
        match self {
            Self::Go(registry) if registry.declares(subject) => Self::of_go(registry, subject).map(Some),
            Self::Go(_) => Ok(None),
            Self::Custom(_) => Ok(self.custom(subject).cloned().map(located).map(|kind| KindTypes {
                custom: Some(Box::new(kind.clone())),
                schema: Arc::clone(&kind.schema),
                root: kind.root,
                declared: None,
                foreign_markers: 0,
                defaulter: kind.form(FieldValidation::Strict).defaulter,
                items: Vec::new(),
                hints: kind.hints().to_vec(),
            })),
        }
    }

    /// The same without rules that do not compile.
    ///
    /// # Errors
    /// Returns the errors of [`Types::kind`] for other types than Go's.
    pub(super) fn kind_with_defaults(&self, subject: &SubjectId) -> Result<Option<KindTypes>, RegistryError> {
        match self {
            Self::Go(registry) if registry.declares(subject) => {
                Ok(Self::of_go(registry, subject).ok().or_else(|| Self::without_rules(registry, subject)))
            }
            _ => self.kind(subject),
        }
    }

    /// What Go types say of a kind that they declare.
    ///
    /// # Errors
    /// Returns an error when its tags do not compile.
    pub(super) fn of_go(registry: &Registry, subject: &SubjectId) -> Result<KindTypes, RegistryError> {
        let (root, declared) = registry.candidate(subject)?;
        let schema = Arc::clone(registry.schema());
        let defaulter =
            DeclaredDefaults::of(registry.idl(), root).map(|defaults| Box::new(defaults) as Box<dyn Defaulter>);
        let foreign_markers = registry.foreign_markers(subject);
        Ok(KindTypes {
            schema,
            root,
            custom: None,
            declared: Some(declared),
            foreign_markers,
            defaulter,
            items: registry.item_defaults(),
            hints: Vec::new(),
        })
    }

    /// What Go types say of a kind that they declare, but for its rules.
    pub(super) fn without_rules(registry: &Registry, subject: &SubjectId) -> Option<KindTypes> {
        let root = registry.root(&subject.api_version, &subject.kind)?;
        let defaults = DeclaredDefaults::of(registry.idl(), root);
        let defaulter = defaults.map(|defaults| Box::new(defaults) as Box<dyn Defaulter>);
        let bare = KindTypes::bare(Arc::clone(registry.schema()), root);
        Some(KindTypes { defaulter, items: registry.item_defaults(), ..bare })
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

impl KindTypes {
    /// A type without hints, checks or CRD.
    pub(super) fn bare(schema: Arc<Schema>, root: TypeId) -> Self {
        let (custom, declared, defaulter, items, hints) = (None, None, None, Vec::new(), Vec::new());
        Self { schema, root, custom, declared, foreign_markers: 0, defaulter, items, hints }
    }

    /// The form of the objects: decoded by type, with the defaults that the types declare.
    pub(crate) fn into_form(self, field_validation: FieldValidation) -> Form {
        Form { schema: self.schema, root: self.root, field_validation, defaulter: self.defaulter, strategy: None }
    }
}

/// The kind with the place of its manifest.
fn from(kind: CustomKind, provenance: &Provenance) -> CustomKind {
    let mut kind = kind;
    if let Provenance::File { path, line, .. } = provenance {
        let line = u32::try_from(*line).unwrap_or(u32::MAX);
        kind.manifest = Some(Source { file: path.clone(), line });
    }
    kind
}

/// The kind with the lines of its rules, as far as its manifest is a file that can be read again.
pub(super) fn located(mut kind: CustomKind) -> CustomKind {
    let Some(Source { file, line }) = kind.manifest.clone() else { return kind };
    let Ok(text) = fs::read_to_string(&file) else { return kind };
    let known = places(&text, u64::from(line));
    kind.locate(&file, |pointer| known.get(pointer).and_then(|(line, _)| u32::try_from(*line).ok()));
    kind
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
fn open_api(place: &Path) -> Option<Value> {
    let is_json = place.extension().is_some_and(|ending| ending == "json");
    let text = is_json.then(|| fs::read(place).ok()).flatten()?;
    let document: Value = serde_json::from_slice(&text).ok()?;
    document.get("openapi").is_some().then_some(document)
}
