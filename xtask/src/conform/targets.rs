//! What judges a fixture: a subject with both sides, or the declarative side alone of a kind or Go type.

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;
use takeover_corpora::fixture::{Fixture, GoType};
use takeover_harness::compare::Semantics;
use takeover_harness::object::{Arena, Node, Undecodable, from_value};
use takeover_harness::oracle::Oracle;
use takeover_harness::rule::Rule;
use takeover_harness::schema::{Schema, TypeId};
use takeover_harness::subject::{Defaulter, Delegated, Matching, SubjectId};
use takeover_oracles::declarative::idl::{Folder, Loader, builtin};
use takeover_oracles::declarative::{Declarative, Settings};
use takeover_oracles::handwritten::request::RequestChecks;
use takeover_oracles::registry::Registry;

/// What judges the fixtures of one kind or Go type.
pub struct Target {
    /// As counted: version, kind and subresource, or package and type.
    pub name: String,
    /// Type of the objects.
    pub root: TypeId,
    /// The declarative side.
    pub candidate: Box<dyn Oracle>,
    /// The handwritten side, where there is one: the checks of the kind's strategy, which is where verdicts are recorded. A live
    /// server runs metadata checks of its own around them.
    reference: Option<Box<dyn Oracle>>,
    /// Defaulting, where it is ours.
    pub defaulter: Option<Box<dyn Defaulter>>,
    /// Options of the kind.
    pub options: Vec<String>,
    /// Matching of the kind.
    pub matching: Matching,
    delegated: Vec<Delegated>,
    schema: Arc<Schema>,
    id: Option<SubjectId>,
}

impl Target {
    /// Types of the objects.
    pub fn schema(&self) -> &Schema {
        &self.schema
    }

    /// Whether the reference leaves the path unjudged.
    pub fn delegates(&self, field: &str) -> bool {
        self.delegated.iter().any(|part| part.contains(field))
    }

    /// Decodes an object as it is, without defaults.
    pub fn decode_value<'a>(&'a self, value: &'a serde_json::Value, arena: &'a Arena) -> Result<Node<'a>, Undecodable> {
        let node = from_value(&self.schema, self.root, value, arena)?;
        match &self.id {
            Some(id) => id.check_kind(&self.schema, self.root, node).map(|()| node),
            None => Ok(node),
        }
    }

    /// The handwritten side.
    pub fn reference(&self) -> Option<&dyn Oracle> {
        self.reference.as_deref()
    }
}

/// Names of the options that rules name. A fixture that lists the enabled ones has every other one off.
fn options(rules: &[Rule]) -> Vec<String> {
    let names: BTreeSet<String> = rules.iter().flat_map(|rule| &rule.options).map(|(name, _)| name.clone()).collect();
    names.into_iter().collect()
}

/// The comparison algorithm of a recorded release.
pub fn semantics(kubernetes: &str) -> Semantics {
    match kubernetes.split('.').nth(1).and_then(|minor| minor.parse::<u32>().ok()) {
        Some(..=35) => Semantics::V1_35,
        Some(36) => Semantics::V1_36,
        _ => Semantics::V1_37,
    }
}

/// Finds and keeps targets.
pub struct Targets {
    registry: Registry,
    types_root: Option<PathBuf>,
    known: HashMap<String, Result<Rc<Target>, String>>,
}

impl Targets {
    /// The shipped IDL, and Go packages below `types_root`.
    ///
    /// # Errors
    /// When the shipped IDL does not load.
    pub fn new(types_root: Option<&Path>) -> anyhow::Result<Self> {
        if let Some(root) = types_root
            && !root.is_dir()
        {
            anyhow::bail!("--types-root `{}` is not a folder", root.display());
        }
        let registry = Registry::of_builtin()?;
        Ok(Self { registry, types_root: types_root.map(Path::to_owned), known: HashMap::new() })
    }

    /// What judges `fixture`; otherwise the reason why nothing does.
    pub fn of(&mut self, fixture: &Fixture) -> Result<Rc<Target>, String> {
        let key = match &fixture.types {
            Some(GoType { package, root }) => format!("{package}.{root}"),
            None => {
                SubjectId::new(&fixture.api_version, &fixture.kind).with_subresource(&fixture.subresource).to_string()
            }
        };
        if let Some(known) = self.known.get(&key) {
            return known.clone();
        }
        let made = match &fixture.types {
            Some(go_type) => self.foreign(go_type, &key),
            None => self.kind(fixture, &key),
        }
        .map(Rc::new);
        self.known.insert(key, made.clone());
        made
    }

    fn kind(&self, fixture: &Fixture, name: &str) -> Result<Target, String> {
        let id = SubjectId::new(&fixture.api_version, &fixture.kind).with_subresource(&fixture.subresource);
        // The types of a kind do not depend on the subresource it is judged through.
        if Registry::has_reference(&id) {
            let checks = RequestChecks::StrategyOnly;
            let subject = self.registry.subject_with(&id, checks).map_err(|error| error.to_string())?;
            return Ok(Target {
                name: name.to_owned(),
                root: subject.root,
                candidate: subject.candidate,
                reference: Some(subject.reference),
                defaulter: subject.defaulter,
                options: options(&subject.rules),
                matching: subject.matching,
                delegated: subject.delegated,
                schema: subject.schema,
                id: Some(id),
            });
        }
        let declared =
            self.registry.kinds().iter().any(|kind| kind.api_version == id.api_version && kind.kind == id.kind);
        if !declared {
            return Err(format!("unknown kind {} {}: no types and no handwritten reference", id.api_version, id.kind));
        }
        let (root, candidate) = self.registry.candidate(&id).map_err(|error| error.to_string())?;
        Ok(Target {
            name: name.to_owned(),
            root,
            options: options(candidate.rules()),
            candidate: Box::new(candidate),
            reference: None,
            defaulter: None,
            matching: Matching::default(),
            delegated: Vec::new(),
            schema: Arc::clone(self.registry.schema()),
            id: Some(id),
        })
    }

    fn foreign(&self, go_type: &GoType, name: &str) -> Result<Target, String> {
        let Some(root_folder) = &self.types_root else {
            return Err("names a Go type: give the folder of its packages with --types-root".to_owned());
        };
        // Packages of the API machinery that are not below the folder are the built-in ones.
        let loaded = Loader::new()
            .with(Folder::new(root_folder))
            .with(builtin())
            .load([go_type.package.as_str()])
            .into_result()
            .map_err(|error| format!("package `{}` does not load: {error}", go_type.package))?;
        let root = loaded
            .schema
            .lookup(&format!("{}.{}", go_type.package, go_type.root))
            .ok_or_else(|| format!("package `{}` declares no type `{}`", go_type.package, go_type.root))?;
        let candidate = Declarative::compile_type(&loaded, root, &Settings::default()).map_err(|diagnostics| {
            let first = diagnostics.first().map(ToString::to_string).unwrap_or_default();
            format!("`{name}` does not compile: {first}")
        })?;
        Ok(Target {
            name: name.to_owned(),
            root,
            options: options(candidate.rules()),
            candidate: Box::new(candidate),
            reference: None,
            defaulter: None,
            matching: Matching::default(),
            delegated: Vec::new(),
            schema: Arc::new(loaded.schema),
            id: None,
        })
    }
}
