//! What judges objects: a subject with both sides, or the declarative side alone of a kind or Go type.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use takeover_harness::case::{Operation, Options};
use takeover_harness::compare::{Comparator, Matcher};
use takeover_harness::form::{Defaulter, Form, Strategy};
use takeover_harness::object::{Arena, FieldValidation, Node, Undecodable, from_value_with};
use takeover_harness::oracle::{Objects, Oracle};
use takeover_harness::pair::{Delegated, Pair};
use takeover_harness::path::pattern;
use takeover_harness::release::Release;
use takeover_harness::rule::Rule;
use takeover_harness::schema::{Schema, TypeId};
use takeover_harness::subject::SubjectId;
use takeover_oracles::declarative::idl::{Folder, Loader, builtin};
use takeover_oracles::declarative::{CompileSettings, Declarative};
use takeover_oracles::handwritten::kind::Gate;
use takeover_oracles::handwritten::request::RequestChecks;
use takeover_oracles::registry::{RELEASE, Registry};

/// What judges the objects of one kind or Go type.
pub struct Target {
    /// Version, kind and subresource, or package and type.
    pub name: String,
    /// Subresource without leading slash; empty for the main resource.
    pub subresource: String,
    /// Type of the objects.
    pub root: TypeId,
    /// The declarative side.
    pub candidate: Arc<dyn Oracle>,
    /// The rules of the declarative side; index is [`takeover_harness::rule::RuleId`].
    pub rules: Vec<Rule>,
    /// Paths of the resources that the declarative side serves, where it judges alone.
    pub subresources: Vec<String>,
    /// Defaulting, where it is ours.
    pub defaulter: Option<Box<dyn Defaulter>>,
    /// Steps of a request between defaulting and validation, where they are ours.
    strategy: Option<Box<dyn Strategy>>,
    /// Options that rules name.
    pub options: Vec<String>,
    /// Feature gates that the handwritten side obeys.
    gates: &'static [Gate],
    /// How the errors of the kind are matched.
    pub matcher: Matcher,
    /// Parts that the handwritten side leaves unjudged.
    pub delegated: Vec<Delegated>,
    /// How answers of a described pair are compared; none for those of Kubernetes, which are compared word for word.
    pub comparator: Option<Comparator>,
    /// The handwritten side, where there is one.
    reference: Option<Arc<dyn Oracle>>,
    schema: Arc<Schema>,
    id: Option<SubjectId>,
}

/// Every fault: behind the text that introduces it when it is the only one, else on a line each.
fn listed(faults: &[impl ToString]) -> String {
    let before = if faults.len() > 1 { "\n  " } else { " " };
    faults.iter().map(|fault| format!("{before}{}", fault.to_string())).collect()
}

impl Target {
    /// What judges a kind: both sides where there is a handwritten one, which then runs `checks`.
    ///
    /// # Errors
    /// Returns the reason as text when the types hold no such kind or its tags do not compile.
    pub fn of_kind(registry: &Registry, id: &SubjectId, checks: RequestChecks) -> Result<Self, String> {
        Self::of_release(registry, id, RELEASE, checks)
    }

    /// What judges a kind: the oracles of a pair that a project describes.
    pub fn of_described(pair: Pair) -> Self {
        Self {
            name: pair.id.to_string(),
            subresource: pair.id.subject.subresource.clone(),
            root: pair.form.root,
            candidate: pair.candidate.into(),
            options: pair.options,
            gates: &[],
            rules: pair.rules,
            subresources: Vec::new(),
            defaulter: pair.form.defaulter,
            strategy: pair.form.strategy,
            matcher: pair.comparator.matcher().cloned().unwrap_or_default(),
            delegated: pair.delegated,
            comparator: Some(pair.comparator),
            reference: Some(pair.reference.into()),
            schema: pair.form.schema,
            id: Some(pair.id.subject),
        }
    }

    /// As [`Target::of_kind`], with the handwritten side of another release.
    ///
    /// # Errors
    /// Returns the reason as text when the types hold no such kind, its tags do not compile, or no reference models the release.
    pub fn of_release(
        registry: &Registry,
        id: &SubjectId,
        release: Release,
        checks: RequestChecks,
    ) -> Result<Self, String> {
        // The types of a kind do not depend on the subresource it is judged through.
        if registry.has_reference(id) {
            let pair = registry.pair_of(id, release, checks).map_err(|error| error.to_string())?;
            return Ok(Self {
                name: id.to_string(),
                subresource: id.subresource.clone(),
                root: pair.form.root,
                candidate: pair.candidate.into(),
                options: options(&pair.rules),
                gates: registry.gates(id),
                rules: pair.rules,
                subresources: Vec::new(),
                defaulter: pair.form.defaulter,
                strategy: pair.form.strategy,
                matcher: match pair.comparator {
                    Comparator::Kubernetes(matcher) => matcher,
                    _ => Matcher::default(),
                },
                delegated: pair.delegated,
                comparator: None,
                reference: Some(pair.reference.into()),
                schema: pair.form.schema,
                id: Some(id.clone()),
            });
        }
        if !registry.declares(id) {
            return Err(format!("unknown kind {} {}: no types and no handwritten reference", id.api_version, id.kind));
        }
        let (root, candidate) = registry.candidate(id).map_err(|error| error.to_string())?;
        let schema = Arc::clone(registry.schema());
        Ok(Self {
            id: Some(id.clone()),
            subresource: id.subresource.clone(),
            ..Self::declarative(id.to_string(), root, candidate, schema)
        })
    }

    /// The declarative side of the Go type `root` of a package below `folder`, or of a built-in package.
    ///
    /// # Errors
    /// Returns an error when the package does not load, lacks the type, or its tags do not compile; the reason as text.
    pub fn of_type(folder: Option<&Path>, package: &str, root: &str) -> Result<Self, String> {
        let name = format!("{package}.{root}");
        // Packages of the API machinery that are not below the folder are the built-in ones.
        let mut loader = Loader::new();
        if let Some(folder) = folder {
            loader = loader.with(Folder::new(folder));
        }
        let loaded = loader
            .with(builtin().stand_in())
            .load([package])
            .into_result()
            .map_err(|error| format!("package `{package}` does not load:{}", listed(error.diagnostics())))?;
        let root =
            loaded.schema.lookup(&name).ok_or_else(|| format!("package `{package}` declares no type `{root}`"))?;
        let candidate = Declarative::compile_type(&loaded, root, &CompileSettings::default())
            .map_err(|diagnostics| format!("`{name}` does not compile:{}", listed(&diagnostics)))?;
        Ok(Self::declarative(name, root, candidate, Arc::new(loaded.schema)))
    }

    fn declarative(name: String, root: TypeId, candidate: Declarative, schema: Arc<Schema>) -> Self {
        Self {
            name,
            subresource: String::new(),
            root,
            options: options(candidate.rules()),
            rules: candidate.rules().to_vec(),
            subresources: candidate.subresources().to_vec(),
            candidate: Arc::new(candidate),
            defaulter: None,
            gates: &[],
            strategy: None,
            matcher: Matcher::default(),
            delegated: Vec::new(),
            comparator: None,
            reference: None,
            schema,
            id: None,
        }
    }

    /// The kind; none for a Go type that is named by its package.
    pub fn id(&self) -> Option<&SubjectId> {
        self.id.as_ref()
    }

    /// Types of the objects.
    pub fn schema(&self) -> &Schema {
        &self.schema
    }

    /// Whether the reference leaves the path unjudged.
    pub fn delegates(&self, field: &str) -> bool {
        let place = pattern(field);
        self.delegated.iter().any(|part| part.contains(&place))
    }

    /// Takes version and kind, which every document has to have, away from an object of a Go type that has no place for them.
    pub fn without_type_meta(&self, object: &mut serde_json::Value) {
        let members = self.schema.as_struct(self.root).map(|(_, members)| members);
        if let (None, Some(members), Some(object)) = (&self.id, members, object.as_object_mut()) {
            object.retain(|name, _| !matches!(name.as_str(), "apiVersion" | "kind") || members.member(name).is_some());
        }
    }

    /// Decodes an object as it is, strictly and without defaults.
    pub fn decode_value<'a>(&'a self, value: &'a serde_json::Value, arena: &'a Arena) -> Result<Node<'a>, Undecodable> {
        self.decode_with(value, FieldValidation::Strict, arena)
    }

    /// Decodes an object as it is, without defaults.
    pub fn decode_with<'a>(
        &'a self,
        value: &'a serde_json::Value,
        validation: FieldValidation,
        arena: &'a Arena,
    ) -> Result<Node<'a>, Undecodable> {
        let node = from_value_with(&self.schema, self.root, value, validation, arena)?.node;
        match &self.id {
            Some(id) => id.check_kind(&self.schema, self.root, node).map(|()| node),
            None => Ok(node),
        }
    }

    /// Does to the object of a request what happens before validation.
    pub fn prepare<'a>(
        &self,
        operation: Operation,
        subresource: &str,
        objects: Objects<'a>,
        arena: &'a Arena,
    ) -> Objects<'a> {
        match &self.strategy {
            Some(strategy) => strategy.prepare(operation, subresource, &objects, arena),
            None => objects,
        }
    }

    /// Members that a new object takes from the user who makes the request.
    pub fn user_fields(&self) -> &'static [&'static str] {
        self.strategy.as_ref().map_or(&[], |strategy| strategy.user_fields())
    }

    /// Every option that a rule names, switched off as on a server with default gates.
    pub fn options_off(&self) -> Options {
        let mut options = Options::new();
        self.options.iter().for_each(|name| options.set(name, false));
        options
    }

    /// An object with its defaults, where they are ours.
    pub fn defaulted<'a>(&'a self, node: Node<'a>, arena: &'a Arena) -> Node<'a> {
        match &self.defaulter {
            Some(defaulter) => defaulter.apply(self.schema(), self.root, node, arena),
            None => node,
        }
    }

    /// What a case may switch on or off: options of rules, and gates.
    pub fn settable(&self) -> impl Iterator<Item = &str> {
        self.options.iter().map(String::as_str).chain(self.gates.iter().map(|gate| gate.name))
    }

    /// The handwritten side.
    pub fn reference(&self) -> Option<&Arc<dyn Oracle>> {
        self.reference.as_ref()
    }

    /// A pair of other oracles that are asked about the same objects, in the form that these have before validation.
    pub fn pair(
        &self,
        reference: impl Oracle + 'static,
        candidate: impl Oracle + 'static,
        comparator: Comparator,
    ) -> Pair {
        let form = Form {
            schema: Arc::clone(&self.schema),
            root: self.root,
            field_validation: FieldValidation::Strict,
            defaulter: None,
            strategy: None,
        };
        let id = self.id.clone().unwrap_or_else(|| SubjectId::new("", &self.name));
        Pair { comparator, ..Pair::new(id, form, Box::new(reference), Box::new(candidate)) }
    }
}

/// Names of the options that rules name.
fn options(rules: &[Rule]) -> Vec<String> {
    let names: BTreeSet<String> = rules.iter().flat_map(Rule::option_names).map(str::to_owned).collect();
    names.into_iter().collect()
}
