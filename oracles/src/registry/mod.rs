//! The subjects: which handwritten reference judges which type of the IDL.
//!
//! Adding a kind is one validator, its IDL, and one line in the table `REFERENCES`.

mod error;
mod references;
mod short_names;
mod transformations;

pub use error::RegistryError;

use self::references::{REFERENCES, Reference, WITHOUT_RULES, reference};
use crate::apply;
use crate::defaults;
use crate::merges::Merges;
use crate::wiring::wiring;
use regex::Regex;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};
use takeover_declarative::idl::{Folder, Idl, Loader, builtin};
use takeover_declarative::{CompileSettings, Declarative, DeclaredDefaults, LazyControls};
use takeover_handwritten::defaulted::defaulted;
use takeover_handwritten::kind::{Defaults, Gate};
use takeover_handwritten::meta::Scope;
use takeover_handwritten::request::RequestChecks;
use takeover_handwritten::strategy::Steps;
use takeover_harness::catalogue::Catalogue;
use takeover_harness::compare::{Comparator, Matcher, Semantics};
use takeover_harness::form::{Defaulter, Form};
use takeover_harness::object::{Arena, Edit, FieldValidation, KnownChanges, Node};
use takeover_harness::pair::Pair;
use takeover_harness::release::Release;
use takeover_harness::rule::Rule;
use takeover_harness::schema::{Kind, Presence, Schema, TypeId};
use takeover_harness::subject::{PairId, SubjectId};
use takeover_harness::text::nearest;
use takeover_harness::wiring::Wiring;

/// The release that references model where none is asked for: that of the built-in types.
pub const RELEASE: Release = Release::V1_36;

/// The kinds that the loaded Go packages declare, and the subjects among them.
pub struct Registry {
    idl: Idl,
    schema: Arc<Schema>,
    kinds: Vec<KnownKind>,
    /// Built-in kinds that nothing judges: their objects are defaulted and applied.
    unjudged: Vec<KnownKind>,
    /// Whether these are the built-in types.
    builtin: bool,
}

/// The group of a package of k8s.io/api that does not name it: that of its folder (`k8s.io/api/apps/v1`).
fn group_of_folder(path: &str) -> Option<&str> {
    path.strip_prefix("k8s.io/api/")?.split_once('/').map(|(group, _)| group)
}

/// A kind that the IDL declares.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KnownKind {
    /// Group and version.
    pub api_version: String,
    /// Kind: the name of the Go type.
    pub kind: String,
    /// Its type.
    pub root: TypeId,
}

impl Registry {
    /// The kinds of the types that are built into the program.
    ///
    /// # Errors
    /// When they do not load, which a test rules out.
    pub fn of_builtin() -> Result<Self, RegistryError> {
        let loader = Loader::new().with(builtin());
        let mut known = Self::new(loader.load(loader.packages()).into_result()?);
        let is_unjudged =
            |kind: &mut KnownKind| defaulted(&kind.api_version, &kind.kind).is_some_and(|known| !known.has_rules);
        let unjudged = known.kinds.extract_if(.., is_unjudged).collect();
        Ok(Self { builtin: true, unjudged, ..known })
    }

    /// The kinds of the types in a folder that is laid out as k8s.io/api: `<group>/<version>`. Packages of the API machinery may be in
    /// `apimachinery/pkg/…`; where these and others that are imported are not there, the built-in ones stand in for them.
    ///
    /// # Errors
    /// When they do not load.
    pub fn of_folder(folder: &Path) -> Result<Self, RegistryError> {
        Self::of_folder_with(folder, &BTreeMap::new())
    }

    /// As [`Registry::of_folder`], with other texts of files: by their names in [`takeover_harness::rule::Rule::source`].
    ///
    /// # Errors
    /// When they do not load.
    pub fn of_folder_with(folder: &Path, texts: &BTreeMap<String, String>) -> Result<Self, RegistryError> {
        let mounted = |prefix: &str, root: PathBuf| Folder::mounted(prefix, root).with_texts(texts.clone());
        let loader = Loader::new()
            .with(mounted("k8s.io/apimachinery/", folder.join("apimachinery")))
            .with(mounted("k8s.io/api/", folder.to_owned()));
        let mut packages = loader.packages();
        // The first root holds these already, under their own paths.
        packages.retain(|path| !path.starts_with("k8s.io/api/apimachinery/"));
        let idl = loader.with(builtin().stand_in()).load(&packages).into_result()?;
        Ok(Self::of_packages(idl, |path| packages.iter().any(|of| of == path)))
    }

    /// The kinds of the types in a folder: of a Go package or module, as kubebuilder lays them out, or else of a folder that is laid out
    /// as k8s.io/api.
    ///
    /// # Errors
    /// When they do not load.
    pub fn of_types(folder: &Path) -> Result<Self, RegistryError> {
        let whole = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
        let is_package = std::fs::read_dir(&whole).is_ok_and(|entries| {
            entries.flatten().any(|entry| entry.path().extension().is_some_and(|ending| ending == "go"))
        });
        let module = whole.ancestors().find_map(module_path);
        let is_own = module.is_some_and(|module| module != "k8s.io/api");
        if is_package || is_own { Self::of_module(folder) } else { Self::of_folder(folder) }
    }

    /// The kinds of a Go package in its module, as kubebuilder lays it out: `folder` holds the package, the nearest `go.mod` above it
    /// says its import path, and a comment above a package clause says `+groupName=`. A folder with packages below it has the kinds of
    /// all of them.
    ///
    /// # Errors
    /// When they do not load.
    pub fn of_module(folder: &Path) -> Result<Self, RegistryError> {
        let (idl, packages) = Self::load_module(folder)?;
        Ok(Self::of_packages(idl, |path| packages.iter().any(|of| of == path)))
    }

    /// The types of a folder of a Go module, as [`Registry::of_module`] reads it, and the import paths of the packages in it: the types of
    /// others are there because these refer to them.
    ///
    /// # Errors
    /// When they do not load.
    pub fn load_module(folder: &Path) -> Result<(Idl, Vec<String>), RegistryError> {
        let whole = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
        let (root, module) = go_module(&whole);
        let prefix = format!("{module}/");
        let loader = Loader::new().with(Folder::mounted(prefix.as_str(), root.clone()));
        let below = whole.strip_prefix(&root).unwrap_or(Path::new(""));
        let own = format!("{prefix}{}", below.to_string_lossy().replace('\\', "/"));
        let own = own.trim_end_matches('/');
        let is_asked_for =
            |path: &str| path.strip_prefix(own).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
        let packages: Vec<String> = loader.packages().into_iter().filter(|path| is_asked_for(path)).collect();
        let idl = loader.with(builtin().stand_in()).load(&packages).into_result()?;
        Ok((idl, packages))
    }

    /// The kinds of `idl`: structs that embed `TypeMeta`, in packages whose `doc.go` says `+groupName=`.
    #[must_use]
    pub fn new(idl: Idl) -> Self {
        Self::of_packages(idl, |_| true)
    }

    /// As [`Registry::new`], of the packages that are asked for and not of those that they import.
    fn of_packages(idl: Idl, is_asked_for: impl Fn(&str) -> bool) -> Self {
        let mut kinds = Vec::new();
        for package in idl.packages.iter().filter(|package| is_asked_for(&package.path)) {
            let named = package.doc.iter().find_map(|line| line.text.strip_prefix("groupName="));
            let Some(group) = named.or_else(|| group_of_folder(&package.path)) else { continue };
            let version = package.path.rsplit('/').next().unwrap_or_default();
            let api_version = if group.is_empty() { version.to_owned() } else { format!("{group}/{version}") };
            for (info, (root, ty)) in idl.types.iter().zip(idl.schema.iter()) {
                let declared_here = info.package == package.path && info.exported;
                if declared_here && embeds_type_meta(&idl.schema, &ty.kind) {
                    kinds.push(KnownKind { api_version: api_version.clone(), kind: info.go_name.to_string(), root });
                }
            }
        }
        let mut schema = idl.schema.clone();
        Merges::of(&idl).note_lists(&mut schema);
        idl.note_item_defaults(&mut schema);
        let schema = Arc::new(schema);
        Self { idl, schema, kinds, unjudged: Vec::new(), builtin: false }
    }

    /// The type of a kind, also of one that nothing judges.
    #[must_use]
    pub fn root(&self, api_version: &str, kind: &str) -> Option<TypeId> {
        let mut all = self.kinds.iter().chain(&self.unjudged);
        all.find(|known| known.api_version == api_version && known.kind == kind).map(|known| known.root)
    }

    /// The import path of the package that declares a subject's kind.
    #[must_use]
    pub fn package(&self, id: &SubjectId) -> Option<&str> {
        let root = self.root(&id.api_version, &id.kind)?;
        Some(&self.idl.types.get(root.0 as usize)?.package)
    }

    /// The built-in kinds that nothing judges, whose objects are defaulted and applied.
    #[must_use]
    pub fn unjudged(&self) -> &[KnownKind] {
        &self.unjudged
    }

    /// Every kind of the IDL that can be judged, with or without a reference.
    #[must_use]
    pub fn kinds(&self) -> &[KnownKind] {
        &self.kinds
    }

    /// What the source says of the loaded packages.
    #[must_use]
    pub fn idl(&self) -> &Idl {
        &self.idl
    }

    /// The types of the loaded packages.
    #[must_use]
    pub fn schema(&self) -> &Arc<Schema> {
        &self.schema
    }

    /// The subjects that a run compares: everything with a reference and rules, main resources before their subresources.
    pub fn subjects(&self) -> impl Iterator<Item = SubjectId> {
        REFERENCES.iter().flat_map(Reference::subjects).filter(|id| self.declares(id))
    }

    /// The subjects that the types lack the kind of.
    pub fn absent(&self) -> impl Iterator<Item = SubjectId> {
        REFERENCES.iter().flat_map(Reference::subjects).filter(|id| !self.declares(id))
    }

    /// Whether the types hold the kind.
    #[must_use]
    pub fn declares(&self, id: &SubjectId) -> bool {
        self.kinds.iter().any(|kind| kind.api_version == id.api_version && kind.kind == id.kind)
    }

    /// What has a reference, and no rule in the built-in types: it is judged where it is asked for, and no part of a run over everything.
    pub fn without_rules(&self) -> impl Iterator<Item = SubjectId> {
        WITHOUT_RULES.iter().flat_map(Reference::subjects).filter(|id| self.declares(id))
    }

    /// The subjects whose rules a server of the release of the built-in types can show: it serves them, and their strategies run
    /// the rules.
    pub fn shown(&self) -> impl Iterator<Item = SubjectId> {
        self.subjects().filter(|id| Self::obstacle(id).is_none())
    }

    /// The other subjects with rules, which a run over everything leaves out unless it is told to judge all versions.
    pub fn left_out() -> impl Iterator<Item = SubjectId> {
        REFERENCES.iter().flat_map(Reference::subjects).filter(|id| Self::obstacle(id).is_some())
    }

    /// Why no server of the release of the built-in types shows what the rules of `id` say; none where one can.
    #[must_use]
    pub fn obstacle(id: &SubjectId) -> Option<String> {
        wiring(id, RELEASE).and_then(Wiring::obstacle)
    }

    /// Whether there is a reference for `id`, a main resource or a subresource.
    #[must_use]
    pub fn has_reference(&self, id: &SubjectId) -> bool {
        reference(id, RELEASE).is_some()
    }

    /// The compared subjects that `name` asks for: a kind (`ReplicationController`), or version and kind as subjects are printed.
    ///
    /// # Errors
    /// When there is none; the message says what was probably meant, or that there are no rules to compare.
    pub fn find(&self, name: &str) -> Result<Vec<SubjectId>, RegistryError> {
        let found = self.find_any(name)?;
        let compared: Vec<SubjectId> = self.subjects().filter(|id| found.contains(id)).collect();
        if compared.is_empty() { Err(RegistryError::NoRules { asked: name.to_owned() }) } else { Ok(compared) }
    }

    /// What `name` asks for of everything that has a reference, with or without rules in the built-in types.
    ///
    /// # Errors
    /// When there is none; the message says what was probably meant.
    pub fn find_any(&self, name: &str) -> Result<Vec<SubjectId>, RegistryError> {
        let all = || REFERENCES.iter().chain(WITHOUT_RULES).flat_map(Reference::subjects);
        let named = |id: &SubjectId| id.is_called(name);
        let found: Vec<SubjectId> = all().filter(|id| named(id) && self.declares(id)).collect();
        if let Some(absent) = all().find(named).filter(|_| found.is_empty()) {
            return Err(RegistryError::NotDeclared(absent));
        }
        if found.is_empty() {
            let kind = short_names::kind(name).unwrap_or(name);
            if let Some(unjudged) = self.unjudged.iter().find(|known| known.kind.eq_ignore_ascii_case(kind)) {
                return Err(RegistryError::Unjudged(unjudged.kind.clone()));
            }
            let known: Vec<String> = all().flat_map(|id| [id.kind.clone(), id.to_string()]).collect();
            let near = nearest(kind, known.iter().map(String::as_str)).map(str::to_owned);
            return Err(RegistryError::Unknown { asked: name.to_owned(), near });
        }
        Ok(found)
    }

    /// The pair of a subject whose reference models the release of the built-in types and runs these steps of a request.
    ///
    /// # Errors
    /// Returns an error when there is no reference, no type, or the tags do not compile.
    pub fn pair_with(&self, id: &SubjectId, checks: RequestChecks) -> Result<Pair, RegistryError> {
        self.pair_of(id, RELEASE, checks)
    }

    /// The pair of a subject whose reference runs these steps of a request as a release of Kubernetes does.
    ///
    /// # Errors
    /// Returns an error when there is no reference of that release, no type, or the tags do not compile.
    pub fn pair_of(&self, id: &SubjectId, release: Release, checks: RequestChecks) -> Result<Pair, RegistryError> {
        let entry =
            reference(id, release).ok_or_else(|| RegistryError::NoReference { subject: id.clone(), release })?;
        let (root, candidate) = self.candidate(id)?;
        let candidate = candidate.filled(entry.filled).switched_on(entry.switched_on);
        let normalization = entry
            .normalization
            .iter()
            .map(|(pattern, replacement)| Ok((Regex::new(pattern)?, (*replacement).to_owned())))
            .collect::<Result<_, regex::Error>>()?;
        let form = Form {
            schema: Arc::clone(&self.schema),
            root,
            field_validation: FieldValidation::Strict,
            defaulter: self.defaulter(root, entry.defaults, entry.declared_defaults),
            strategy: Some(Box::new(Steps {
                checks,
                scope: entry.scope,
                unconditional: entry.unconditional,
                prepare: entry.prepare,
                convert: entry.convert,
                stored: entry.stored,
                scaled: entry.main,
                user_fields: entry.user_fields,
            })),
        };
        Ok(Pair {
            comparator: Comparator::Kubernetes(Matcher::default().normalization(normalization)),
            rules: candidate.rules().to_vec(),
            baseline: shipped_rules(id, self),
            checks: takeover_handwritten::checks::of(id, release)?,
            controls: Some(Box::new(LazyControls::new(candidate.clone()))),
            delegated: (entry.delegated)(),
            ..Pair::new(id.clone(), form, (entry.oracle)(checks, release), Box::new(candidate))
        })
    }

    /// The feature gates that the reference for `id` obeys.
    #[must_use]
    pub fn gates(&self, id: &SubjectId) -> &'static [Gate] {
        reference(id, RELEASE).map_or(&[], |entry| entry.gates)
    }

    /// Path patterns that the handwritten defaults of each subject never leave unset, where what is around them is set.
    pub fn filled(&self) -> impl Iterator<Item = (SubjectId, &'static [&'static str])> {
        let main = REFERENCES.iter().filter(|entry| entry.main);
        main.map(|entry| (SubjectId::new(entry.api_version, entry.kind), entry.filled))
    }

    /// The defaults of a main resource, also of one without a reference; none when it has none.
    #[must_use]
    pub fn defaults(&self, id: &SubjectId) -> Option<Box<dyn Defaulter>> {
        let root = self.root(&id.api_version, &id.kind)?;
        match reference(id, RELEASE) {
            Some(entry) => self.defaulter(root, entry.defaults, entry.declared_defaults),
            None => self.defaulter(root, defaulted(&id.api_version, &id.kind)?.defaults, true),
        }
    }

    /// Whether the defaults that a server's code sets in objects of a main resource are known, even if there are none.
    #[must_use]
    pub fn knows_defaults(&self, id: &SubjectId) -> bool {
        reference(id, RELEASE).is_some() || defaulted(&id.api_version, &id.kind).is_some()
    }

    /// Whether objects of a main resource are in a namespace; none when nothing says so.
    #[must_use]
    pub fn scope(&self, id: &SubjectId) -> Option<Scope> {
        let scope = reference(id, RELEASE).map(|entry| entry.scope);
        scope.or_else(|| defaulted(&id.api_version, &id.kind).map(|known| known.scope))
    }

    /// The handwritten defaults of a version, and then those that its types declare: the order of an API server.
    fn defaulter(
        &self,
        root: TypeId,
        handwritten: Option<fn(&mut Edit<'_>)>,
        are_declared: bool,
    ) -> Option<Box<dyn Defaulter>> {
        let declared = DeclaredDefaults::of(&self.idl, root).filter(|_| are_declared);
        match (handwritten.map(Defaults), declared) {
            (None, None) => None,
            (Some(handwritten), None) => Some(Box::new(handwritten)),
            (None, Some(declared)) => Some(Box::new(declared)),
            (Some(handwritten), Some(declared)) => Some(Box::new(InTurn(handwritten, declared))),
        }
    }

    /// How many `+kubebuilder:validation` markers the package of a kind has: rules that another tool turns into a schema.
    #[must_use]
    pub fn foreign_markers(&self, id: &SubjectId) -> usize {
        let known = self.kinds.iter().find(|known| known.api_version == id.api_version && known.kind == id.kind);
        let package = known.and_then(|known| self.idl.types.get(known.root.0 as usize)).map(|info| &info.package);
        self.idl.kubebuilder_validations(|of| package.is_some_and(|package| **package == *of))
    }

    /// The declarative side of a kind of the IDL, also of one without a reference.
    ///
    /// # Errors
    /// When the IDL lacks the kind or its tags do not compile.
    pub fn candidate(&self, id: &SubjectId) -> Result<(TypeId, Declarative), RegistryError> {
        let known = self
            .kinds
            .iter()
            .find(|known| known.api_version == id.api_version && known.kind == id.kind)
            .ok_or_else(|| RegistryError::NotDeclared(id.clone()))?;
        let candidate = Declarative::compile_type(&self.idl, known.root, &CompileSettings::default())
            .map_err(|diagnostics| RegistryError::Rules { subject: id.to_string(), diagnostics })?;
        Ok((known.root, candidate))
    }
}

impl Catalogue for Registry {
    type Error = RegistryError;

    /// The pairs that a run compares: everything with a reference and rules, main resources before their subresources.
    fn ids(&self) -> Vec<PairId> {
        self.subjects().map(PairId::from).collect()
    }

    /// The pair of a subject: its handwritten reference against the rules of its types. A pair that is named after a release,
    /// `v1 Service#1.35`, has the reference of that release and compares as it does; one that is named after two,
    /// `v1 Service#1.35-1.36`, has the references of both, and no rules.
    fn pair(&self, id: &PairId) -> Result<Pair, RegistryError> {
        if id.name.is_empty() {
            return self.pair_with(&id.subject, RequestChecks::default());
        }
        let name = id.name.as_str();
        if name == defaults::NAME {
            return self.defaults_pair(&id.subject).ok_or_else(|| RegistryError::NoPair(id.clone()));
        }
        if name == apply::NAME {
            return self.apply_pair(&id.subject)?.ok_or_else(|| RegistryError::NoPair(id.clone()));
        }
        let of = |name: &str| {
            let release = name.parse().ok().filter(|release| reference(&id.subject, *release).is_some());
            let release: Release = release.ok_or_else(|| RegistryError::NoPair(id.clone()))?;
            let pair = self.pair_of(&id.subject, release, RequestChecks::default())?;
            Ok(Pair { id: id.clone(), ..pair.as_of(Semantics::from(release)) })
        };
        match name.split_once('-') {
            None => of(name),
            Some((one, other)) => Ok(handwritten(of(one)?, of(other)?)),
        }
    }
}

/// The built-in types; none if they do not load, which a test rules out.
static SHIPPED: LazyLock<Option<Registry>> = LazyLock::new(|| Registry::of_builtin().ok());

/// What the built-in types say of a kind: the rules of this version, then those of the other versions that say something else. They are
/// read again where `loaded` are other types.
fn shipped_rules(id: &SubjectId, loaded: &Registry) -> Vec<Rule> {
    let shipped = || if loaded.builtin { Some(loaded) } else { SHIPPED.as_ref() };
    static KNOWN: Mutex<BTreeMap<(String, String), Vec<Rule>>> = Mutex::new(BTreeMap::new());
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    let mut rules_of = |api_version: &str| {
        let key = (api_version.to_owned(), id.kind.clone());
        let compile = || {
            let candidate = shipped()?.candidate(&SubjectId::new(api_version, id.kind.as_str())).ok();
            candidate.map(|(_, candidate)| candidate.rules().to_vec())
        };
        known.entry(key).or_insert_with(|| compile().unwrap_or_default()).clone()
    };
    let group = |api_version: &str| api_version.split_once('/').map(|(group, _)| group.to_owned());
    let versions = shipped().into_iter().flat_map(Registry::kinds).filter(|known| known.kind == id.kind);
    let siblings = versions.map(|known| known.api_version.as_str()).filter(|version| *version != id.api_version);
    let siblings = siblings.filter(|version| group(version) == group(&id.api_version));
    let mut rules = rules_of(&id.api_version);
    for sibling in siblings {
        for rule in rules_of(sibling) {
            let same = |other: &Rule| (&other.path, &other.chain) == (&rule.path, &rule.chain);
            if !rules.iter().any(same) {
                rules.push(rule);
            }
        }
    }
    rules
}

/// The reference of one pair against that of another: every error takes part, by type, field and origin.
fn handwritten(one: Pair, other: Pair) -> Pair {
    let candidate = other.reference;
    let comparator = Comparator::between(one.reference.precision(), candidate.precision());
    Pair { candidate, comparator, rules: Vec::new(), controls: None, ..one }
}

/// The path of the module whose `go.mod` is in a folder.
fn module_path(folder: &Path) -> Option<String> {
    let text = std::fs::read_to_string(folder.join("go.mod")).ok()?;
    let path = text.lines().find_map(|line| line.trim().strip_prefix("module "))?;
    Some(path.split("//").next()?.trim().trim_matches('"').to_owned())
}

/// The folder of the nearest `go.mod` above a folder, and the path of its module; the folder itself, as a module of no name that
/// anybody imports, when there is none.
#[must_use]
pub fn go_module(folder: &Path) -> (PathBuf, String) {
    let module = |above: &Path| module_path(above).map(|path| (above.to_owned(), path));
    // Without a module, the folder above still says the version: `api/v1`.
    let alone = || (folder.parent().unwrap_or(folder).to_owned(), "module.local".to_owned());
    folder.ancestors().find_map(module).unwrap_or_else(alone)
}

/// Handwritten defaults, then declared ones.
struct InTurn(Defaults, DeclaredDefaults);

impl Defaulter for InTurn {
    fn apply<'a>(&self, schema: &'a Schema, root: TypeId, object: Node<'a>, arena: &'a Arena) -> Node<'a> {
        self.1.apply(schema, root, self.0.apply(schema, root, object, arena), arena)
    }

    fn apply_beside<'a>(
        &self,
        schema: &'a Schema,
        root: TypeId,
        object: Node<'a>,
        known: &'a KnownChanges<'a>,
        arena: &'a Arena,
    ) -> Node<'a> {
        self.1.apply(schema, root, self.0.apply_beside(schema, root, object, known, arena), arena)
    }
}

fn embeds_type_meta(schema: &Schema, kind: &Kind) -> bool {
    let Kind::Struct(fields) = kind else { return false };
    fields
        .fields
        .iter()
        .any(|field| field.presence == Presence::Inlined && schema.get(field.ty).name.ends_with("/meta/v1.TypeMeta"))
}
