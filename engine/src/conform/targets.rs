//! What judges a fixture: a subject with both sides, or the declarative side alone of a kind or Go type.

use super::custom::Known;
use crate::pairs::ChosenPairs;
use crate::target::Target;
use serde_json::Value;
use std::cell::OnceCell;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use takeover_corpora::fixture::{Fixture, GoType};

use takeover_harness::release::Release;
use takeover_harness::subject::{PairId, SubjectId};
use takeover_oracles::apply::BuiltinType;
use takeover_oracles::declarative::idl::ConstantValue;
use takeover_oracles::handwritten::request::RequestChecks;
use takeover_oracles::registry::Registry;

/// The release that was recorded; the newest that is modelled when the fixture does not say it in a known form.
pub(super) fn release(kubernetes: &str) -> Release {
    Release::of_version(kubernetes).unwrap_or(Release::V1_37)
}

/// Finds and keeps targets.
pub(super) struct Targets {
    registry: Registry,
    types: Option<PathBuf>,
    /// The kinds of these Go packages, read on the first question; `None` if the packages do not load.
    given: OnceCell<Option<Registry>>,
    known: HashMap<String, Result<Rc<Target>, String>>,
    described: HashMap<PairId, Result<Rc<Target>, String>>,
    /// What fixtures of custom resources refer to.
    pub(super) custom: Known,
    /// Built-in kinds by version and kind; `None` when their types are unknown.
    merging: HashMap<(String, String), Option<Rc<BuiltinType>>>,
}

impl Targets {
    /// The shipped IDL, and Go packages below `types`.
    ///
    /// # Errors
    /// When the shipped IDL does not load.
    pub(super) fn new(types: Option<&Path>) -> anyhow::Result<Self> {
        if let Some(root) = types
            && !root.is_dir()
        {
            anyhow::bail!("--types `{}` is not a folder", root.display());
        }
        let registry = Registry::of_builtin()?;
        Ok(Self {
            registry,
            types: types.map(Path::to_owned),
            given: OnceCell::new(),
            known: HashMap::new(),
            described: HashMap::new(),
            custom: Known::default(),
            merging: HashMap::new(),
        })
    }

    /// What judges `fixture`; otherwise the reason why nothing does.
    pub(super) fn of(&mut self, fixture: &Fixture) -> Result<Rc<Target>, String> {
        let key = match &fixture.types {
            Some(GoType { package, root }) => format!("{package}.{root}"),
            None => {
                let id = SubjectId::new(&fixture.api_version, &fixture.kind).with_subresource(&fixture.subresource);
                format!("{id}#{}", release(&fixture.kubernetes))
            }
        };
        if let Some(known) = self.known.get(&key) {
            return known.clone();
        }
        let made = match &fixture.types {
            Some(go_type) => self.foreign(go_type),
            None => self.kind(fixture),
        }
        .map(Rc::new);
        self.known.insert(key, made.clone());
        made
    }

    /// What judges `fixture` among the pairs that a project describes: each that is of its kind, or why it cannot judge.
    pub(super) fn described(&mut self, chosen: &ChosenPairs, fixture: &Fixture) -> Vec<Result<Rc<Target>, String>> {
        let id = SubjectId::new(&fixture.api_version, &fixture.kind).with_subresource(&fixture.subresource);
        let of_kind = chosen.described.iter().filter(|pair| pair.subject == id && fixture.types.is_none());
        let mut made = |pair: &PairId| {
            let make = || {
                let made = chosen.pair(pair).map(Target::of_described).map(Rc::new);
                made.map_err(|error| format!("{error:#}"))
            };
            self.described.entry(pair.clone()).or_insert_with(make).clone()
        };
        of_kind.map(&mut made).collect()
    }

    /// Whether fixtures of the kind or subject can be judged by the built-in types.
    ///
    /// # Errors
    /// When the name is unknown; the message says what was probably meant.
    pub(super) fn check_kind(&self, name: &str) -> anyhow::Result<()> {
        let declared = self.registry.kinds().iter().chain(self.registry.unjudged()).any(|known| {
            known.kind.eq_ignore_ascii_case(name) || format!("{} {}", known.api_version, known.kind) == name
        });
        if !declared {
            self.registry.find_any(name)?;
        }
        Ok(())
    }

    /// How objects of a built-in kind merge; otherwise the reason why that is not known.
    pub(super) fn merging(&mut self, api_version: &str, kind: &str) -> Result<Rc<BuiltinType>, String> {
        let key = (api_version.to_owned(), kind.to_owned());
        let make = || self.registry.applied(&SubjectId::new(api_version, kind)).map(Rc::new);
        let known = self.merging.entry(key).or_insert_with(make).clone();
        known.ok_or_else(|| format!("apply of {api_version} {kind}, whose Go types are not built in"))
    }

    /// What defaults objects of a built-in kind; otherwise the reason why its defaults are not known.
    pub(super) fn defaulting(&mut self, id: &SubjectId) -> Result<Rc<BuiltinType>, String> {
        if self.registry.root(&id.api_version, &id.kind).is_none() {
            return Err(format!("defaults of {id}, whose Go types are not built in"));
        }
        if !self.registry.knows_defaults(id) {
            return Err(format!("defaults of {id}, which has no handwritten defaults"));
        }
        self.merging(&id.api_version, &id.kind)
    }

    /// The Go types that are read: those that are given, before the built-in ones.
    fn registries(&self) -> impl Iterator<Item = &Registry> {
        let read = || self.types.as_deref().and_then(|types| Registry::of_types(types).ok());
        self.given.get_or_init(read).as_ref().into_iter().chain([&self.registry])
    }

    /// Whether a struct is among the Go types that are read.
    pub(super) fn has_struct(&self, type_name: &str) -> bool {
        self.registries().any(|registry| registry.schema().lookup(type_name).is_some())
    }

    /// The default that a field of a struct declares; `None` without such a field.
    pub(super) fn declared_default(&self, type_name: &str, go_field: &str) -> Option<Option<Value>> {
        self.registries().find_map(|registry| {
            let schema = registry.schema();
            let (_, fields) = schema.as_struct(schema.lookup(type_name)?)?;
            let field = fields.fields.iter().find(|field| *field.go_name == *go_field)?;
            Some(field.default.clone())
        })
    }

    /// The value of a typed constant of a package, or of another if its name says so.
    pub(super) fn constant(&self, package: &str, name: &str) -> Option<Value> {
        let (package, name) = name.rsplit_once('.').unwrap_or((package, name));
        let types = self.registries().flat_map(|registry| &registry.idl().types);
        types.filter(|info| *info.package == *package).find_map(|info| {
            let constant = info.constants.iter().find(|constant| *constant.name == *name)?;
            match &constant.value {
                ConstantValue::Text(text) => Some(Value::from(text.as_ref())),
                ConstantValue::Int(number) => Some(Value::from(*number)),
                ConstantValue::Bool(flag) => Some(Value::from(*flag)),
                ConstantValue::Other(_) => None,
            }
        })
    }

    /// Whether there is a handwritten side.
    pub(super) fn has_reference(&self, id: &SubjectId) -> bool {
        self.registry.has_reference(id)
    }

    /// What judges requests of `id` as a live server does.
    pub(super) fn of_server(&mut self, id: &SubjectId) -> Result<Rc<Target>, String> {
        let key = format!("server: {id}");
        if let Some(known) = self.known.get(&key) {
            return known.clone();
        }
        let made = Target::of_kind(&self.registry, id, RequestChecks::AsSent).map(Rc::new);
        self.known.insert(key, made.clone());
        made
    }

    /// The handwritten side is that of the kind's strategy, which is where verdicts are recorded. A live server runs metadata
    /// checks of its own around it.
    fn kind(&self, fixture: &Fixture) -> Result<Target, String> {
        let id = SubjectId::new(&fixture.api_version, &fixture.kind).with_subresource(&fixture.subresource);
        Target::of_release(&self.registry, &id, release(&fixture.kubernetes), RequestChecks::StrategyOnly)
    }

    fn foreign(&self, go_type: &GoType) -> Result<Target, String> {
        let Some(root_folder) = &self.types else {
            return Err("names a Go type: name the folder of its packages with --types".to_owned());
        };
        Target::of_type(Some(root_folder), &go_type.package, &go_type.root)
    }
}
