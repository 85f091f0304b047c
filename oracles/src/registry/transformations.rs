//! Pairs that compare objects: defaults, and the laws of server-side apply.

use super::references::reference;
use super::{KnownKind, RELEASE, Registry, RegistryError, shipped_rules};
use crate::apply::{self, BuiltinType, Planted};
use crate::defaults::{self, Sources};
use serde_json::Value;
use std::collections::BTreeMap;
use takeover_apply::extract::Scope;
use takeover_declarative::idl::TagLine;
use takeover_declarative::{CompileSettings, Declarative, DeclaredDefaults};
use takeover_handwritten::defaulted::defaulted;
use takeover_handwritten::kind::Defaults;
use takeover_handwritten::meta;
use takeover_handwritten::request::RequestChecks;
use takeover_harness::compare::Matter;
use takeover_harness::form::Defaulter;
use takeover_harness::oracle::Oracle;
use takeover_harness::pair::Pair;
use takeover_harness::schema::TypeId;
use takeover_harness::subject::{PairId, SubjectId};

impl Registry {
    /// The main resources whose pairs of a name there are: of [`defaults::NAME`] or [`apply::NAME`]; none of another name.
    #[must_use]
    pub fn transformed(&self, name: &str) -> Option<Vec<SubjectId>> {
        match name {
            defaults::NAME => Some(self.defaulting()),
            apply::NAME => Some(self.applying()),
            _ => None,
        }
    }

    /// Whether the kinds are those of the types that are built into the program.
    #[must_use]
    pub fn is_builtin(&self) -> bool {
        self.builtin
    }

    /// The main resources in whose objects code or markers set defaults.
    #[must_use]
    pub fn defaulting(&self) -> Vec<SubjectId> {
        let known = self.kinds.iter().chain(&self.unjudged);
        let ids = known.map(|known| SubjectId::new(known.api_version.as_str(), known.kind.as_str()));
        let sets_any = |id: &SubjectId| {
            self.default_sources(id).is_some_and(|(root, sources, _)| sources.set_any(&self.schema, root))
        };
        ids.filter(sets_any).collect()
    }

    /// The main resources whose objects can be applied: those with metadata, whose clients are not generated without the verb
    /// (`+genclient:noVerbs`, `onlyVerbs`, `skipVerbs`).
    #[must_use]
    pub fn applying(&self) -> Vec<SubjectId> {
        let known = self.applicable(&self.kinds).chain(self.applicable(&self.unjudged));
        known.map(|known| SubjectId::new(known.api_version.as_str(), known.kind.as_str())).collect()
    }

    /// Those of some kinds whose objects can be applied; see [`Registry::applying`].
    pub fn applicable<'k>(&self, kinds: &'k [KnownKind]) -> impl Iterator<Item = &'k KnownKind> {
        kinds.iter().filter(|kind| {
            let info = self.idl.types.get(kind.root.0 as usize);
            let tags =
                info.map(|info| [info.tags.as_slice(), info.second_closest.as_slice()].concat()).unwrap_or_default();
            self.has_metadata(kind) && allows_apply(&tags)
        })
    }

    fn has_metadata(&self, kind: &KnownKind) -> bool {
        let types = &self.schema;
        let member = types.as_struct(kind.root).and_then(|(_, fields)| fields.member("metadata"));
        let ty = member.and_then(|member| types.as_struct(member.ty));
        ty.is_some_and(|(id, _)| types.get(id).name.ends_with("meta/v1.ObjectMeta"))
    }

    /// A main resource as server-side apply sees it; none if the types do not declare it.
    #[must_use]
    pub fn applied(&self, id: &SubjectId) -> Option<BuiltinType> {
        let root = self.root(&id.api_version, &id.kind)?;
        let scope = match self.scope(id) {
            Some(meta::Scope::Cluster) => Scope::Cluster,
            Some(meta::Scope::Namespaced) | None => Scope::Namespaced,
        };
        Some(BuiltinType::new(id.clone(), &self.schema, root, self.defaults(id), scope))
    }

    /// The laws of server-side apply, held against objects of a main resource; `None` if they cannot be applied.
    ///
    /// # Errors
    /// Returns an error when a pair cannot have the name, which a test rules out.
    pub fn apply_pair(&self, id: &SubjectId) -> Result<Option<Pair>, RegistryError> {
        if !id.subresource.is_empty() || !self.applying().contains(id) {
            return Ok(None);
        }
        let Some(kind) = self.applied(id) else { return Ok(None) };
        let name = PairId::named(id.clone(), apply::NAME)?;
        Ok(Some(Pair { baseline: shipped_rules(id, self), ..apply::pair(name, kind, validator(id)) }))
    }

    /// The engine of server-side apply for a main resource, and the faults planted in it; `None` if objects cannot be applied.
    #[must_use]
    pub fn planted_in_apply(&self, id: &SubjectId) -> Option<Planted> {
        let kind = self.applied(id).filter(|_| id.subresource.is_empty() && self.applying().contains(id))?;
        Some(Planted::of(kind, validator(id)))
    }

    /// What a server sets in objects of a main resource, by code and then by markers, and the faults planted in it; `None` where neither
    /// sets anything.
    #[must_use]
    pub fn planted_in_defaults(&self, id: &SubjectId) -> Option<defaults::Planted> {
        let (root, sources, matter) = self.default_sources(id)?;
        // In a custom resource, the markers stand for code as well.
        let code = sources.code.filter(|_| matter == Matter::Defaults);
        let sources = Sources { code, values: listed_values(id), ..sources };
        defaults::Planted::of(&self.schema, root, sources)
    }

    /// The defaults of the items of lists and the values of maps, by their type.
    #[must_use]
    pub fn item_defaults(&self) -> Vec<Option<Value>> {
        self.idl.types.iter().map(|info| info.item_default.clone()).collect()
    }

    /// What code sets in objects of a main resource against what the markers of its types set; `None` where neither sets anything. Where
    /// there is only one of both, nothing is compared, and only laws are tried. For types of others, which have no code here: what their
    /// markers set in a custom resource and in a built-in one.
    #[must_use]
    pub fn defaults_pair(&self, id: &SubjectId) -> Option<Pair> {
        let (root, sources, matter) = self.default_sources(id)?;
        let name = PairId::named(id.clone(), defaults::NAME).ok()?;
        if matter == Matter::Semantics {
            // Without rules, nothing judges the defaults.
            let rules = Declarative::compile_type(&self.idl, root, &CompileSettings::default()).ok();
            let rules = rules.filter(|declared| !declared.rules().is_empty());
            let validator = rules.map(|declared| Box::new(declared) as Box<dyn Oracle>);
            return defaults::semantics(name, &self.schema, root, Sources { validator, ..sources });
        }
        let sources = Sources { validator: validator(id), values: listed_values(id), ..sources };
        defaults::pair(name, &self.schema, root, sources)
    }

    /// What sets defaults in objects of a main resource, and what a pair of both compares.
    fn default_sources(&self, id: &SubjectId) -> Option<(TypeId, Sources, Matter)> {
        let root = self.root(&id.api_version, &id.kind).filter(|_| id.subresource.is_empty())?;
        let entry = reference(id, RELEASE);
        let (code, are_declared) = match entry {
            Some(entry) => (entry.defaults, entry.declared_defaults),
            None => (defaulted(&id.api_version, &id.kind).and_then(|known| known.defaults), true),
        };
        if entry.is_none() && code.is_none() && !is_builtin(&id.api_version) {
            return Some((root, Sources::of_custom_resource(&self.idl, root)?, Matter::Semantics));
        }
        let markers = DeclaredDefaults::of(&self.idl, root).filter(|_| are_declared);
        let sources = Sources {
            code: code.map(|code| Box::new(Defaults(code)) as Box<dyn Defaulter>),
            markers: markers.map(|markers| Box::new(markers) as Box<dyn Defaulter>),
            items: self.item_defaults(),
            ..Sources::default()
        };
        Some((root, sources, Matter::Defaults))
    }
}

/// The groups of Kubernetes that have a domain. Groups of approved custom resources end in `k8s.io`, too.
const GROUPS: [&str; 21] = [
    "admission.k8s.io",
    "admissionregistration.k8s.io",
    "apidiscovery.k8s.io",
    "apiextensions.k8s.io",
    "apiregistration.k8s.io",
    "authentication.k8s.io",
    "authorization.k8s.io",
    "certificates.k8s.io",
    "coordination.k8s.io",
    "discovery.k8s.io",
    "events.k8s.io",
    "flowcontrol.apiserver.k8s.io",
    "imagepolicy.k8s.io",
    "internal.apiserver.k8s.io",
    "networking.k8s.io",
    "node.k8s.io",
    "rbac.authorization.k8s.io",
    "resource.k8s.io",
    "scheduling.k8s.io",
    "storage.k8s.io",
    "storagemigration.k8s.io",
];

/// Whether a group belongs to Kubernetes: it has no domain, or is in `GROUPS`.
fn is_builtin(api_version: &str) -> bool {
    let group = api_version.split_once('/').map_or("", |(group, _)| group);
    !group.contains('.') || GROUPS.contains(&group)
}

/// The handwritten validation of a subject, if it has one.
fn validator(id: &SubjectId) -> Option<Box<dyn Oracle>> {
    reference(id, RELEASE).map(|entry| (entry.oracle)(RequestChecks::default(), RELEASE))
}

/// The values that the handwritten checks of a subject list, by path pattern.
fn listed_values(id: &SubjectId) -> BTreeMap<String, Vec<String>> {
    let checks = takeover_handwritten::checks::of(id, RELEASE).unwrap_or_default();
    let mut values: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for check in checks {
        values.entry(check.error.field).or_default().extend(check.values);
    }
    values
}

fn allows_apply(tags: &[TagLine]) -> bool {
    tags.iter().filter_map(|line| line.text.strip_prefix("genclient:")).all(|tag| match tag.split_once('=') {
        None => tag.trim() != "noVerbs",
        Some(("onlyVerbs", verbs)) => verbs.split(',').any(|verb| verb.trim() == "apply"),
        Some(("skipVerbs", verbs)) => !verbs.split(',').any(|verb| verb.trim() == "apply"),
        Some(_) => true,
    })
}

#[cfg(test)]
mod tests {
    use super::{Registry, defaults, is_builtin};
    use takeover_declarative::idl::{Loader, Memory, builtin};
    use takeover_harness::compare::Matter;
    use takeover_harness::subject::SubjectId;

    #[test]
    fn the_kinds_with_defaults_are_those_that_have_a_pair_of_them() {
        let builtin = Registry::of_builtin().unwrap();
        let known = builtin.kinds.iter().chain(&builtin.unjudged);
        let ids = known.map(|known| SubjectId::new(known.api_version.as_str(), known.kind.as_str()));
        let with_pair: Vec<SubjectId> = ids.filter(|id| builtin.defaults_pair(id).is_some()).collect();
        assert_eq!(builtin.defaulting(), with_pair);
    }

    #[test]
    fn a_group_is_built_in_by_its_whole_name_and_not_by_its_domain() {
        let builtin = Registry::of_builtin().unwrap();
        assert!(builtin.kinds.iter().chain(&builtin.unjudged).all(|kind| is_builtin(&kind.api_version)));
        for other in ["shop.example.com/v1", "gateway.networking.k8s.io/v1", "snapshot.storage.k8s.io/v1", "k8s.io/v1"]
        {
            assert!(!is_builtin(other), "{other}");
        }
    }

    #[test]
    fn defaults_of_a_custom_resource_that_kubernetes_approved_are_compared_with_those_of_its_schema() {
        let source = "// +groupName=gateway.networking.k8s.io\npackage v1\n\n\
                      import metav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n\n\
                      type Route struct {\n\tmetav1.TypeMeta `json:\",inline\"`\n\t// +default=1\n\tWeight *int32 `json:\"weight\"`\n}\n";
        let package = "sigs.k8s.io/gateway-api/apis/v1";
        let own = Memory::new().file(package, "types.go", source);
        let registry = Registry::new(Loader::new().with(own).with(builtin()).load([package]).idl);
        let pair = registry.defaults_pair(&SubjectId::new("gateway.networking.k8s.io/v1", "Route")).unwrap();
        assert_eq!((pair.matter, pair.id.name.as_str()), (Matter::Semantics, defaults::NAME));
    }
}
