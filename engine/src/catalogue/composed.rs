//! The built-in pairs and those that a project describes, in one catalogue.

use super::comparing::comparator;
use super::error::CatalogueError;
use super::go_markers;
use super::laws;
use super::oracle::OracleDescription;
use super::pair::PairDescription;
use super::read_types::ReadTypes;
use super::sides::{Sides, as_a_whole_server, server_settings};
use super::types::{KindTypes, Types};
use std::collections::BTreeSet;
use std::sync::Arc;
use takeover_custom_resources::CustomKind;
use takeover_external::server::{Plan, given_by_server};
use takeover_harness::catalogue::Catalogue;
use takeover_harness::compare::{Matcher, Matter};
use takeover_harness::control::Controls;
use takeover_harness::form::Form;
use takeover_harness::object::FieldValidation;
use takeover_harness::oracle::Oracle;
use takeover_harness::pair::{Delegated, Pair, Written};
use takeover_harness::rule::Rule;
use takeover_harness::side::{BySide, Side};
use takeover_harness::subject::{PairId, SubjectId};
use takeover_harness::text::nearest;
use takeover_oracles::declarative::LazyControls;
use takeover_oracles::defaults;
use takeover_oracles::registry::{Registry, RegistryError};

/// How many cases two schemas are asked about before a run: their rules say nearly everything.
const OF_SCHEMAS: u64 = 500;

/// The pairs of a run: the built-in ones, and those that are described.
pub struct PairCatalogue {
    registry: Registry,
    described: Vec<(PairId, PairDescription)>,
    read: ReadTypes,
}

impl PairCatalogue {
    /// The pairs of `registry`, and these.
    ///
    /// # Errors
    /// Returns an error when a description has no name, or two have the same.
    pub fn new(registry: Registry, described: &[PairDescription]) -> Result<Self, CatalogueError> {
        let mut pairs: Vec<(PairId, PairDescription)> = Vec::new();
        for description in described {
            let id = description.id()?;
            if pairs.iter().any(|(known, _)| *known == id) {
                return Err(CatalogueError::Twice(Box::new(id)));
            }
            pairs.push((id, description.clone()));
        }
        Ok(Self { registry, described: pairs, read: ReadTypes::default() })
    }

    /// # Errors
    /// Returns an error when this build cannot ask a side of one of these pairs.
    pub(crate) fn check_built(&self, ids: &[PairId]) -> Result<(), CatalogueError> {
        self.described
            .iter()
            .filter(|(id, _)| ids.contains(id))
            .try_for_each(|(id, description)| description.check_built(id))
    }

    /// The built-in kinds, or those of the Go types that take their place.
    #[must_use]
    pub fn registry(&self) -> &Registry {
        &self.registry
    }

    /// The pairs that are described.
    pub fn described(&self) -> impl Iterator<Item = &PairId> {
        self.described.iter().map(|(id, _)| id)
    }

    /// The described pairs that `name` stands for.
    #[must_use]
    pub fn described_by(&self, name: &str) -> Vec<PairId> {
        self.described().filter(|id| is_called(id, name)).cloned().collect()
    }

    /// Returns the pairs that kinds or names select. If none is named, these are all that are described; if none is described either,
    /// all that a server of the newest modelled release shows, or simply all.
    ///
    /// # Errors
    /// Returns an error when a kind or name is not known.
    pub fn selected(&self, names: &[String], all_versions: bool) -> Result<Vec<PairId>, CatalogueError> {
        match (names.is_empty(), self.described.is_empty(), all_versions) {
            (true, true, false) => Ok(self.registry.shown().map(PairId::from).collect()),
            (true, true, true) => Ok(self.registry.ids()),
            (true, false, _) => Ok(self.described().cloned().collect()),
            (false, ..) => self.named(names),
        }
    }

    /// Returns the pairs that kinds or names select, the described ones first, each group in the order of a run. A kind selects every
    /// pair of it; a described pair is also selected by its name. A built-in kind that the types lack does not stop the others.
    ///
    /// # Errors
    /// Returns an error when a kind or name is not known, or the types lack all of them.
    pub fn named(&self, names: &[String]) -> Result<Vec<PairId>, CatalogueError> {
        let (mut described, mut builtin, mut transformed) = (BTreeSet::new(), BTreeSet::new(), Vec::new());
        let mut absent = None;
        for name in names {
            let by_name = self.described().filter(|id| is_called(id, name)).cloned();
            let known = described.len();
            described.extend(by_name);
            let found = described.len() > known || self.described().any(|id| is_called(id, name));
            let (kind, pair) = name.split_once('#').unwrap_or((name, ""));
            if let Some(all) = self.registry.transformed(pair).filter(|_| !found) {
                transformed.extend(Self::transformed(&all, kind, pair)?);
                continue;
            }
            match self.registry.find_any(kind) {
                _ if found && !pair.is_empty() => {}
                Ok(subjects) => {
                    for subject in subjects {
                        builtin.insert(PairId::named(subject, pair)?);
                    }
                }
                Err(_) if found => {}
                Err(_) if !pair.is_empty() && !self.described_by(kind).is_empty() => {
                    let known = self.described_by(kind);
                    return Err(CatalogueError::NoPair { asked: name.clone(), known });
                }
                Err(RegistryError::Unknown { asked, near }) => return Err(self.unknown(asked, near).into()),
                Err(error @ RegistryError::NotDeclared(_)) => absent = absent.or(Some(error)),
                Err(error) => return Err(error.into()),
            }
        }
        if let Some(error) = absent.filter(|_| described.is_empty() && builtin.is_empty() && transformed.is_empty()) {
            return Err(error.into());
        }
        // The types of a run may have rules where the built-in ones have none.
        let all = self.registry.subjects().chain(self.registry.without_rules());
        let builtin = all.flat_map(|subject| builtin.iter().filter(move |id| id.subject == subject)).cloned();
        let described = self.described().filter(|id| described.contains(id)).cloned();
        Ok(described.chain(builtin).chain(transformed).collect())
    }

    /// The pairs called `pair` of a kind or subject, or of all that have one if none is named.
    fn transformed(all: &[SubjectId], name: &str, pair: &str) -> Result<Vec<PairId>, CatalogueError> {
        let is_meant = |id: &&SubjectId| name.is_empty() || id.is_called(name);
        let found: Vec<&SubjectId> = all.iter().filter(is_meant).collect();
        if found.is_empty() && name.is_empty() {
            return Err(match pair {
                defaults::NAME => CatalogueError::NoDefaults,
                _ => CatalogueError::NothingToApply,
            });
        }
        if found.is_empty() {
            let known: Vec<String> = all.iter().flat_map(|id| [id.kind.clone(), id.to_string()]).collect();
            let near = nearest(name, known.iter().map(String::as_str)).map(str::to_owned);
            return Err(RegistryError::Unknown { asked: format!("{name}#{pair}"), near }.into());
        }
        Ok(found.into_iter().map(|id| PairId::named(id.clone(), pair)).collect::<Result<_, _>>()?)
    }

    /// Checks that none of the pairs that kinds or names select, or of all if none is named, names its types itself: `--types` would
    /// change nothing there.
    ///
    /// # Errors
    /// Returns an error that names the first pair that does.
    pub fn refuse_types(&self, names: &[String]) -> Result<(), CatalogueError> {
        let is_meant = |id: &PairId| names.is_empty() || names.iter().any(|name| is_called(id, name));
        let own = self.described.iter().find(|(id, description)| description.types.is_some() && is_meant(id));
        own.map_or(Ok(()), |(id, _)| Err(CatalogueError::OwnTypes(Box::new(id.clone()))))
    }

    /// The name that nobody has, with the one that was probably meant.
    fn unknown(&self, asked: String, near: Option<String>) -> RegistryError {
        let known: Vec<String> =
            self.described().flat_map(|id| [id.subject.kind.clone(), id.name.as_str().to_owned()]).collect();
        let near = near.or_else(|| nearest(&asked, known.iter().map(String::as_str)).map(str::to_owned));
        RegistryError::Unknown { asked, near }
    }

    /// How many cases the oracles of a pair are asked about before a run, because they bring no rules; none for oracles of this program.
    #[must_use]
    pub fn probing_cases(&self, id: &PairId) -> Option<u64> {
        let (_, description) = self.described.iter().find(|(known, _)| known == id)?;
        if [&description.reference, &description.candidate].iter().all(|of| matches!(of, OracleDescription::Crd(_))) {
            return Some(OF_SCHEMAS);
        }
        if matches!(description.candidate, OracleDescription::Laws(_)) {
            return None;
        }
        [&description.reference, &description.candidate].into_iter().filter_map(OracleDescription::probing_cases).min()
    }

    /// Whether a side of a described pair is a CRD.
    #[must_use]
    pub fn has_crd(&self, id: &PairId) -> bool {
        self.described.iter().any(|(known, description)| known == id && description.has_crd())
    }

    /// The oracles of a described pair, as people write them.
    #[must_use]
    pub fn oracles(&self, id: &PairId) -> Option<BySide<String>> {
        let (_, description) = self.described.iter().find(|(known, _)| known == id)?;
        let (reference, candidate) = (description.reference.to_string(), description.candidate.to_string());
        Some(BySide { reference, candidate })
    }

    /// What making these pairs and asking them will do to API servers, and what it cannot show of policies, in sentences. Each is said
    /// once.
    ///
    /// # Errors
    /// Returns an error when a kubeconfig has no such context, or one that cannot be used.
    pub fn intents(&self, ids: &[PairId]) -> Result<Vec<String>, CatalogueError> {
        let mut intents: Vec<String> = Vec::new();
        for (id, description) in self.described.iter().filter(|(id, _)| ids.contains(id)) {
            for (side, of) in [(Side::Reference, &description.reference), (Side::Candidate, &description.candidate)] {
                if let OracleDescription::Policy(policies) = of {
                    let new = policies.limits().into_iter().filter(|sentence| !intents.contains(sentence));
                    intents.extend(new.collect::<Vec<_>>());
                }
                let OracleDescription::Server(server) = of else { continue };
                let wrong = |reason| CatalogueError::Oracle { pair: Box::new(id.clone()), side, reason };
                let plan = Plan::of(server_settings(server, &id.subject)).map_err(|error| wrong(error.to_string()))?;
                let new = plan.sentences().into_iter().filter(|sentence| !intents.contains(sentence));
                intents.extend(new.collect::<Vec<_>>());
            }
        }
        Ok(intents)
    }

    /// Whether a pair is described, and how its answers are compared is not.
    #[must_use]
    pub fn leaves_comparison_open(&self, id: &PairId) -> bool {
        self.described.iter().any(|(known, description)| known == id && description.compare.is_none())
    }

    /// Whether a side of a described pair may refuse an object and name no field.
    #[must_use]
    pub fn may_refuse_without_fields(&self, id: &PairId) -> bool {
        let Some((_, description)) = self.described.iter().find(|(known, _)| known == id) else { return false };
        !description.reference.names_fields() || !description.candidate.names_fields()
    }

    fn make(&self, id: &PairId, description: &PairDescription) -> Result<Pair, CatalogueError> {
        description.check_built(id)?;
        if let OracleDescription::Laws(of) = &description.reference {
            return laws::pair(id, description, *of, &self.read);
        }
        if let OracleDescription::Laws(of) = &description.candidate {
            return laws::of_reference(id, description, *of, (&self.registry, &self.read));
        }
        let mut base = self.base(id, description)?;
        if description.compares_defaults() {
            base.form.defaulter = None;
        }
        let whole_server = as_a_whole_server(description);
        let status_is_kept = base.custom.as_ref().is_some_and(|kind| kind.status_subresource);
        let leaves_status =
            description.serves_crd() && status_is_kept && id.subject.subresource.is_empty() && !whole_server;
        let nulls = base.custom.as_ref().map(|kind| kind.nullable()).unwrap_or_default();
        let mut sides = Sides {
            registry: &self.registry,
            read: &self.read,
            id,
            has_builtin: base.builtin.is_some(),
            builtin: base.builtin,
            declared: base.declared.clone(),
            custom: base.custom,
            as_a_whole_server: whole_server,
            types: description.types.as_deref(),
            rules: BySide { reference: Vec::new(), candidate: Vec::new() },
            faults: None,
            written: Written::default(),
            hints: Vec::new(),
            checks: Vec::new(),
        };
        let reference = sides.make(Side::Reference, &description.reference)?;
        let candidate = sides.make(Side::Candidate, &description.candidate)?;
        let validation = if description.is_asked_after_validation() { sides.validation()? } else { None };
        let comparator = comparator(id, description, reference.precision(), candidate.precision(), base.matcher)?;
        let declares = base.declared.as_ref().is_some_and(|declared| !declared.rules().is_empty());
        let judges = |oracle: &OracleDescription| *oracle != OracleDescription::Tags || declares;
        if !judges(&description.reference) && !judges(&description.candidate) {
            let reason = match base.foreign_markers {
                0 => "its types declare no `+k8s:` tag".to_owned(),
                _ => "its types declare no `+k8s:` tag, and `+kubebuilder:validation` markers are not read: use the CRD that controller-gen generates from them, with --crd FILE".to_owned(),
            };
            return Err(CatalogueError::NothingJudges { pair: Box::new(id.clone()), reason });
        }
        let matter = if description.compares_defaults() { Matter::Objects } else { Matter::Errors };
        let (hints, checks) = (sides.hints, sides.checks);
        let BySide { reference: of_reference, candidate: of_candidate } = sides.rules;
        let mut pair =
            Pair { comparator, matter, validation, nulls, ..Pair::new(id.clone(), base.form, reference, candidate) };
        let rules = base.declared.as_ref().map(|declared| declared.rules().to_vec()).unwrap_or_default();
        pair.baseline = base.hints;
        if matter == Matter::Objects {
            pair.baseline.extend(defaults::hints(&pair.form.schema, pair.form.root));
        }
        pair.probed.checks = checks;
        // A gate that a rule names is defined on both sides, whichever of them has the rules.
        pair.options = rules.iter().flat_map(|rule| rule.option_names()).map(str::to_owned).collect();
        pair.options.sort_unstable();
        pair.options.dedup();
        match (&description.candidate, base.declared) {
            (OracleDescription::Tags, Some(declared)) => {
                pair.controls = Some(Box::new(LazyControls::new(declared)));
                pair.rules = rules;
            }
            (OracleDescription::Crd(of), _) => {
                pair.controls = sides.faults.map(|faults| Box::new(faults) as Box<dyn Controls>);
                pair.rules = of_candidate;
                pair.is_crd = true;
                if let Some(folder) = &description.go_types {
                    pair.written.push(go_markers::written(folder, &id.subject, &pair.rules).map_err(|reason| {
                        CatalogueError::Types { pair: Box::new(id.clone()), place: folder.clone(), reason }
                    })?);
                }
                pair.written.push(sides.written);
                // The types repeat the rules of their own CRD, which stand for a baseline where there is no other one.
                if of.is_none() && hints.is_empty() {
                    pair.baseline = Vec::new();
                }
                pair.baseline.extend(rules);
            }
            (OracleDescription::Policy(_), _) => {
                pair.rules = of_candidate;
                pair.baseline.extend(rules);
            }
            // What the tags say is worth trying on any oracle.
            _ => pair.baseline.extend(rules),
        }
        // Rules of policies have no path; what they compare with has.
        pair.baseline.extend(of_reference.into_iter().chain(hints));
        if description.reference == OracleDescription::Builtin {
            pair.checks = base.checks;
        }
        pair.delegated = base.delegated;
        if leaves_status {
            let reason = "no request to this endpoint brings a status: the server keeps the stored one".to_owned();
            pair.delegated.push(Delegated { path: "status".to_owned(), reason });
        }
        if [&description.reference, &description.candidate]
            .into_iter()
            .any(|of| matches!(of, OracleDescription::Server(_)))
        {
            pair.delegated.extend(given_by_server());
        }
        Ok(pair)
    }

    /// Everything of a pair that its oracles do not bring.
    fn base(&self, id: &PairId, description: &PairDescription) -> Result<Base, CatalogueError> {
        let subject = &id.subject;
        let types = match description.places().next() {
            None if self.registry.has_reference(subject) && self.registry.declares(subject) => {
                let of_builtin = self.registry.pair(&PairId::from(subject.clone()))?;
                let (_, declared) = self.registry.candidate(subject)?;
                return Ok(Base {
                    custom: None,
                    form: of_builtin.form,
                    builtin: Some(of_builtin.reference),
                    declared: Some(declared),
                    foreign_markers: 0,
                    hints: of_builtin.baseline,
                    checks: of_builtin.checks,
                    delegated: of_builtin.delegated,
                    matcher: of_builtin.comparator.matcher().cloned().unwrap_or_default(),
                });
            }
            None if description.compares_defaults() && !self.registry.has_reference(subject) => {
                let root = self.registry.root(&subject.api_version, &subject.kind);
                let root = root.ok_or_else(|| CatalogueError::NoTypes(subject.clone()))?;
                return Ok(KindTypes::bare(Arc::clone(self.registry.schema()), root).into());
            }
            None => {
                let kind = Types::of_go(&self.registry, subject).map_err(|error| match error {
                    RegistryError::NotDeclared(_) => match self.registry.find_any(&subject.to_string()) {
                        Err(RegistryError::Unknown { asked, near: Some(near) }) => {
                            CatalogueError::from(RegistryError::Unknown { asked, near: Some(near) })
                        }
                        _ => CatalogueError::NoTypes(subject.clone()),
                    },
                    error => error.into(),
                })?;
                return Ok(kind.into());
            }
            Some(place) => place,
        };
        let kind = match description.compares_defaults() {
            true => self.read.kind_with_defaults(types, id)?,
            false => self.read.kind(types, id)?,
        };
        // A server takes these steps before anybody validates.
        let steps = kind.custom.as_ref().filter(|_| description.serves_crd()).map(|kind| kind.steps());
        let mut base = Base::from(kind);
        base.form.strategy = steps;
        Ok(base)
    }
}

impl Catalogue for PairCatalogue {
    type Error = CatalogueError;

    fn ids(&self) -> Vec<PairId> {
        self.described().cloned().chain(self.registry.ids()).collect()
    }

    fn pair(&self, id: &PairId) -> Result<Pair, CatalogueError> {
        match self.described.iter().find(|(known, _)| known == id) {
            Some((_, description)) => self.make(id, description),
            None => Ok(self.registry.pair(id)?),
        }
    }
}

/// Whether somebody who writes `name` means the pair.
fn is_called(id: &PairId, name: &str) -> bool {
    let of_kind = |(kind, pair): (&str, &str)| pair == id.name.as_str() && id.subject.is_called(kind);
    name.split_once('#').is_some_and(of_kind) || name == id.name.as_str() || id.subject.is_called(name)
}

/// Everything of a pair that its oracles do not bring.
struct Base {
    custom: Option<Box<CustomKind>>,
    form: Form,
    builtin: Option<Box<dyn Oracle>>,
    declared: Option<takeover_oracles::declarative::Declarative>,
    foreign_markers: usize,
    hints: Vec<Rule>,
    checks: Vec<takeover_harness::check::Check>,
    delegated: Vec<Delegated>,
    matcher: Matcher,
}

impl From<KindTypes> for Base {
    fn from(mut kind: KindTypes) -> Self {
        Self {
            custom: kind.custom.take(),
            builtin: None,
            declared: kind.declared.take(),
            foreign_markers: kind.foreign_markers,
            hints: std::mem::take(&mut kind.hints),
            form: kind.into_form(FieldValidation::Strict),
            checks: Vec::new(),
            delegated: Vec::new(),
            matcher: Matcher::default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::PairCatalogue;
    use crate::catalogue::PairDescription;
    use std::fs;
    use std::path::Path;
    use takeover_harness::case::{Case, Operation, Options, Provenance};
    use takeover_harness::catalogue::Catalogue as _;
    use takeover_harness::judge::{CaseRecord, Judge};
    use takeover_harness::object::Arena;
    use takeover_harness::pair::Pair;
    use takeover_oracles::registry::Registry;

    /// A CRD whose widgets have a size of at most `most`.
    fn crd(folder: &Path, name: &str, most: u32) {
        let schema = format!(
            "{{type: object, properties: {{spec: {{type: object, required: [size], properties: {{size: {{type: integer, maximum: {most}}}}}}}}}}}"
        );
        let text = format!(
            "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {{name: widgets.example.com}}\nspec:\n  \
             group: example.com\n  scope: Cluster\n  names: {{kind: Widget, plural: widgets}}\n  versions:\n  \
             - {{name: v1, served: true, storage: true, schema: {{openAPIV3Schema: {schema}}}}}\n"
        );
        fs::write(folder.join(name), text).unwrap();
    }

    fn pair(folder: &Path, sides: &str) -> Result<Pair, String> {
        let toml = format!("name = \"p\"\napiVersion = \"example.com/v1\"\nkind = \"Widget\"\n{sides}");
        let description: PairDescription = toml::from_str(&toml).unwrap();
        let catalogue = PairCatalogue::new(Registry::of_builtin().unwrap(), &[description.below(folder)]).unwrap();
        catalogue.pair(&catalogue.described().next().unwrap().clone()).map_err(|error| error.to_string())
    }

    #[test]
    fn two_crds_make_a_pair_with_the_rules_of_the_candidate() {
        let folder = tempfile::tempdir().unwrap();
        crd(folder.path(), "old.yaml", 5);
        crd(folder.path(), "new.yaml", 9);
        let pair =
            pair(folder.path(), "reference = { crd = \"old.yaml\" }\ncandidate = { crd = \"new.yaml\" }").unwrap();
        let rules: Vec<&str> = pair.rules.iter().map(|rule| rule.chain.as_str()).collect();
        assert!(rules.contains(&"maximum=9") && rules.contains(&"required"), "{rules:?}");
        assert!(pair.rules.iter().all(|rule| rule.source.as_ref().is_some_and(|source| source.line == 9)));
        assert!(pair.controls.as_ref().is_some_and(|controls| !controls.catalogue().is_empty()));
        let object = serde_json::json!({"apiVersion": "example.com/v1", "kind": "Widget", "metadata": {"name": "w"},
            "spec": {"size": 7, "odd": true}});
        let provenance = Provenance::File { path: "w.yaml".to_owned(), document: 1, line: 1 };
        let (object, options) = (object.into(), Options::new());
        let case = Case { operation: Operation::Create, object, old: None, options, provenance };
        let mut pair = pair;
        pair.form.field_validation = takeover_harness::object::FieldValidation::Warn;
        let mut record = CaseRecord::new();
        assert!(Judge::new(&pair).case(&case, &mut Arena::new(), &mut record).is_comparison());
        assert_eq!((record.reference.errors.len(), record.candidate.errors.len()), (1, 0));
    }

    #[test]
    fn a_crd_that_a_server_refuses_or_that_is_missing_is_named() {
        let folder = tempfile::tempdir().unwrap();
        crd(folder.path(), "crd.yaml", 5);
        let text = fs::read_to_string(folder.path().join("crd.yaml")).unwrap();
        fs::write(folder.path().join("bad.yaml"), text.replace("type: integer, ", "type: list, ")).unwrap();
        let refused =
            pair(folder.path(), "types = \"bad.yaml\"\nreference = { exec = [\"x\"] }\ncandidate = { crd = true }");
        assert!(
            refused.as_ref().is_err_and(|error| error.contains("an API server rejects it: ")),
            "{:?}",
            refused.err()
        );
        let status = pair(
            folder.path(),
            "subresource = \"status\"\nreference = { crd = true }\ncandidate = { crd = \"crd.yaml\" }",
        );
        assert!(
            status.as_ref().is_err_and(|error| error.contains("serves no subresource `status`")),
            "{:?}",
            status.err()
        );
    }

    #[test]
    fn policies_are_asked_after_the_crd_unless_the_crd_is_the_other_side() {
        let folder = tempfile::tempdir().unwrap();
        crd(folder.path(), "crd.yaml", 5);
        let policy = "apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicy\nmetadata: {name: p}\nspec:\n  \
             matchConstraints:\n    resourceRules: [{apiGroups: [example.com], apiVersions: [v1], operations: [CREATE], \
             resources: [widgets]}]\n  validations: [{expression: object.spec.size != 3}]\n---\n\
             apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicyBinding\nmetadata: {name: p}\n\
             spec: {policyName: p, validationActions: [Deny]}\n";
        fs::write(folder.path().join("policy.yaml"), policy).unwrap();
        let with = |candidate: &str| {
            let sides =
                format!("types = \"crd.yaml\"\nreference = {{ policy = \"policy.yaml\" }}\ncandidate = {candidate}");
            pair(folder.path(), &sides).unwrap()
        };
        assert!(with("{ crd = true }").validation.is_none());
        let policies = with("{ policy = \"policy.yaml\" }");
        assert!(policies.validation.is_some());
        let skipped = |size: u32| {
            let object = serde_json::json!({"apiVersion": "example.com/v1", "kind": "Widget", "metadata": {"name": "w"},
                "spec": {"size": size}});
            let provenance = Provenance::File { path: "w.yaml".to_owned(), document: 1, line: 1 };
            let (object, options) = (object.into(), Options::new());
            let case = Case { operation: Operation::Create, object, old: None, options, provenance };
            let judgement = Judge::new(&policies).case(&case, &mut Arena::new(), &mut CaseRecord::new());
            judgement.reason().map(|(_, message)| message)
        };
        assert_eq!(skipped(3), None);
        let said = skipped(6).unwrap();
        assert!(said.contains("spec.size: Invalid value: 6: "), "{said}");
    }
}
