//! ValidatingAdmissionPolicies as one side of a pair: their files, and the oracle that judges by them.

use super::types::Types;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeSet;
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use takeover_admission_policies::api::{Binding, Policy};
use takeover_admission_policies::{
    Cluster, Grants, Policies, PolicyHints, PolicyOracle, PolicySet, Requester, Resource, Target, binding_errors,
    is_cluster_scoped, plural, policy_errors,
};
use takeover_cel::value::Answerer;
use takeover_corpora::load::{Document, Input, Limits, load, places};
use takeover_custom_resources::{CustomKind, Scope};
use takeover_harness::case::Provenance;
use takeover_harness::error::FieldError;
use takeover_harness::rule::{Rule, Source};
use takeover_harness::subject::SubjectId;

/// Policies with what is in the cluster, and who asks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PolicyDescription {
    /// Files and folders of manifests: policies, bindings, params, namespaces, and the CRDs of params.
    pub files: Vec<PathBuf>,
    /// The plural of the kind, where it is not the usual one.
    pub resource: Option<String>,
    /// Who sends the requests.
    pub user: Option<String>,
    /// The groups of that user.
    pub groups: Vec<String>,
    /// Users who, as the authorizer says, may do everything; of others it says nothing.
    pub may: Vec<String>,
}

/// One file or several.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(untagged)]
pub(super) enum Files {
    /// One.
    One(PathBuf),
    /// Several.
    Several(Vec<PathBuf>),
}

impl Files {
    /// All of them.
    pub(super) fn all(self) -> Vec<PathBuf> {
        match self {
            Self::One(file) => vec![file],
            Self::Several(files) => files,
        }
    }

    /// As they are written.
    pub(super) fn of(mut files: Vec<PathBuf>) -> Self {
        match files.len() {
            1 => Self::One(files.remove(0)),
            _ => Self::Several(files),
        }
    }
}

impl fmt::Display for PolicyDescription {
    /// Prints the files, for people.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("policy")?;
        self.files.iter().try_for_each(|file| write!(f, " {}", file.display()))
    }
}

impl PolicyDescription {
    /// What a run cannot show about the policies, one sentence each. Policies that cannot be read fail later.
    pub(super) fn limits(&self) -> Vec<String> {
        let Ok(read) = ReadPolicies::read(self, None) else { return Vec::new() };
        let PolicyHints { fixed, selects_alike, .. } = read.hints;
        let user = self.user.as_deref().unwrap_or(USER);
        let names: Vec<String> = fixed.iter().map(|name| format!("`{name}`")).collect();
        let of_requests = (!names.is_empty()).then(|| {
            format!(
                "{self} reads {}: every case is a request of the user `{user}` and no dry run; what it says of other requests is not compared",
                names.join(", ")
            )
        });
        let of_namespaces = selects_alike.then(|| {
            format!(
                "{self} selects namespaces, but accepts or rejects all known ones alike: add Namespace objects with other labels to the files"
            )
        });
        of_requests.into_iter().chain(of_namespaces).collect()
    }
}

/// Whether types are those of Go packages, which replace the built-in kinds.
#[must_use]
pub fn has_go_types(place: &Path) -> bool {
    place.is_dir() && Types::is_go(place)
}

/// The user whom policies see where nothing is said.
const USER: &str = "takeover";
/// The group of everybody who is logged in.
const LOGGED_IN: &str = "system:authenticated";

/// Why policies cannot be asked.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct PoliciesError(String);

/// Policies as they were read.
pub struct ReadPolicies {
    policies: Policies,
    /// Rows of all validations.
    pub rules: Vec<Rule>,
    /// What expressions compare with, for the generator.
    pub hints: PolicyHints,
    /// The custom kinds of the types.
    kinds: Vec<CustomKind>,
    /// The custom kinds of CRDs among the files: version, kind, plural, and whether they are in namespaces.
    crds: Vec<(String, String, String, bool)>,
    resource: Option<String>,
    namespaces: Namespaces,
}

/// What is known of namespaces.
#[derive(Default)]
struct Namespaces {
    /// Whether a policy or binding looks at them.
    count: bool,
    known: BTreeSet<String>,
}

impl ReadPolicies {
    /// Reads the files of a description. `types` are those of the pair, which may have custom kinds.
    ///
    /// # Errors
    /// When a file cannot be read, a server rejects a policy or binding, or no policy is bound.
    pub fn read(of: &PolicyDescription, types: Option<&Path>) -> Result<Self, PoliciesError> {
        let custom = |place: &Path| {
            Types::custom_kinds(place)
                .map_err(|error| PoliciesError(format!("failed to read `{}`: {error}", place.display())))
        };
        let kinds = types.map(custom).transpose()?.unwrap_or_default();
        let mut reader = Reader::default();
        for document in load(of.files.iter().map(Input::named).collect(), Limits::default()) {
            let document = document.map_err(|error| PoliciesError(error.to_string()))?;
            reader.document(document).map_err(PoliciesError)?;
        }
        reader.finish(of, kinds).map_err(PoliciesError)
    }

    /// Whether a policy or binding looks at namespaces, and this one is not among the files: it is taken as existing, without labels
    /// but its name.
    #[must_use]
    pub fn assumes_namespace(&self, name: &str) -> bool {
        self.namespaces.count && !name.is_empty() && !self.namespaces.known.contains(name)
    }

    /// The policies as judges of one kind, even if none of them applies to it.
    #[must_use]
    pub fn asking(&self, subject: &SubjectId) -> PolicyOracle {
        let is = |version: &str, kind: &str| version == subject.api_version && kind == subject.kind;
        let of_types = self.kinds.iter().find(|kind| is(&kind.api_version(), &kind.kind));
        let of_crds = self.crds.iter().find(|(version, kind, ..)| is(version, kind));
        let known = of_types
            .map(|kind| (kind.plural.clone(), kind.scope == Scope::Namespaced))
            .or_else(|| of_crds.map(|(_, _, plural, namespaced)| (plural.clone(), *namespaced)));
        let (resource, namespaced) = known.unzip();
        let resource = self.resource.clone().or(resource);
        self.policies.judging(Target { subject: subject.clone(), resource, namespaced })
    }

    /// The policies as judges of one kind.
    ///
    /// # Errors
    /// When none of them applies to it.
    pub fn judging(&self, subject: &SubjectId) -> Result<PolicyOracle, PoliciesError> {
        let oracle = self.asking(subject);
        if oracle.is_concerned() {
            return Ok(oracle);
        }
        Err(PoliciesError(format!(
            "no policy with a binding applies to creates or updates of `{}`: check `matchConstraints`, or name the \
             plural of the kind with `resource`",
            oracle.resource()
        )))
    }
}

#[derive(Default)]
struct Reader {
    cluster: Cluster,
    policies: Vec<(Policy, Option<Source>)>,
    bindings: Vec<(Binding, String)>,
    crds: Vec<(String, String, String, bool)>,
    objects: Vec<Value>,
    namespaces: Namespaces,
}

impl Reader {
    fn document(&mut self, document: Document) -> Result<(), String> {
        let Document { provenance, value, api_version, kind } = document;
        let group = api_version.split_once('/').map_or("", |(group, _)| group);
        let refused = |errors: Vec<FieldError>| match errors.as_slice() {
            [] => Ok(()),
            errors => {
                let errors: Vec<String> = errors.iter().map(ToString::to_string).collect();
                Err(format!("{provenance}: a server rejects this {kind}: {}", errors.join("; ")))
            }
        };
        if group == "admissionregistration.k8s.io" {
            self.namespaces.count |= looks_at_namespaces(&value);
        }
        match (group, kind.as_str()) {
            ("admissionregistration.k8s.io", "ValidatingAdmissionPolicy") => {
                let policy = Policy::read(&value).map_err(|error| format!("{provenance}: {error}"))?;
                refused(policy_errors(&policy))?;
                self.policies.push((policy, source(&provenance)));
            }
            ("admissionregistration.k8s.io", "ValidatingAdmissionPolicyBinding") => {
                let binding = Binding::read(&value).map_err(|error| format!("{provenance}: {error}"))?;
                refused(binding_errors(&binding))?;
                self.bindings.push((binding, provenance.to_string()));
            }
            ("apiextensions.k8s.io", "CustomResourceDefinition") => self.crd(&value),
            ("", "Namespace") => {
                let name = value.pointer("/metadata/name").and_then(Value::as_str).unwrap_or_default();
                self.namespaces.known.insert(name.to_owned());
                self.objects.push(value.clone());
                self.cluster.add_namespace(value);
            }
            _ => self.objects.push(value),
        }
        Ok(())
    }

    fn crd(&mut self, crd: &Value) {
        let text = |pointer: &str| crd.pointer(pointer).and_then(Value::as_str).unwrap_or_default().to_owned();
        let (group, kind) = (text("/spec/group"), text("/spec/names/kind"));
        let namespaced = text("/spec/scope") != "Cluster";
        for version in crd.pointer("/spec/versions").and_then(Value::as_array).into_iter().flatten() {
            let version = version.get("name").and_then(Value::as_str).unwrap_or_default();
            self.crds.push((format!("{group}/{version}"), kind.clone(), text("/spec/names/plural"), namespaced));
        }
    }

    fn finish(mut self, of: &PolicyDescription, kinds: Vec<CustomKind>) -> Result<ReadPolicies, String> {
        if self.policies.is_empty() {
            return Err("there is no ValidatingAdmissionPolicy in these files".to_owned());
        }
        let named = |binding: &Binding| self.policies.iter().any(|(policy, _)| policy.name == binding.spec.policy_name);
        if let Some((binding, place)) = self.bindings.iter().find(|(binding, _)| !named(binding)) {
            return Err(format!(
                "{place}: the binding `{}` names the policy `{}`, which is not in these files",
                binding.name, binding.spec.policy_name
            ));
        }
        if self.bindings.is_empty() {
            return Err(
                "no ValidatingAdmissionPolicyBinding is in these files, and a server ignores policies without one"
                    .to_owned(),
            );
        }
        self.scopes(&kinds);
        self.cluster.assume_namespaces();
        for of_version in &kinds {
            let same = |other: &&CustomKind| other.group == of_version.group && other.plural == of_version.plural;
            self.cluster.add_equivalents(kinds.iter().filter(same).map(resource_of).collect());
        }
        self.cluster.set_authorizer(Answerer(Arc::new(Grants {
            users: of.may.iter().map(|user| (user.clone(), "the settings allow it".to_owned())).collect(),
            otherwise: String::new(),
        })));
        for object in self.objects {
            self.cluster.add_object(object);
        }
        let user = Requester {
            username: of.user.clone().unwrap_or_else(|| USER.to_owned()),
            groups: if of.groups.is_empty() { vec![LOGGED_IN.to_owned()] } else { of.groups.clone() },
            ..Requester::default()
        };
        let lines: Vec<Lines> = self.policies.iter().map(|(_, source)| Lines::of(source.as_ref())).collect();
        let policies: Vec<Policy> = self.policies.into_iter().map(|(policy, _)| policy).collect();
        let bindings: Vec<Binding> = self.bindings.into_iter().map(|(binding, _)| binding).collect();
        let set = PolicySet::new(policies, &bindings);
        let rules = set.rules(&|policy, validation| lines.get(policy)?.validation(validation));
        let hints = set.hints(&self.cluster);
        let policies = Policies::new(set, self.cluster, user);
        let (crds, namespaces, resource) = (self.crds, self.namespaces, of.resource.clone());
        Ok(ReadPolicies { policies, rules, hints, kinds, crds, resource, namespaces })
    }

    /// Finds out which kinds of params are in no namespace: CRDs say it, built-in kinds are known, and of others objects tell.
    fn scopes(&mut self, kinds: &[CustomKind]) {
        let of_params = self.policies.iter().filter_map(|(policy, _)| policy.spec.param_kind.clone());
        for param in of_params.collect::<Vec<_>>() {
            let of_kinds = kinds.iter().find(|kind| kind.api_version() == param.api_version && kind.kind == param.kind);
            let of_crds =
                self.crds.iter().find(|(version, kind, ..)| *version == param.api_version && *kind == param.kind);
            let said = of_kinds.map(|kind| kind.scope == Scope::Namespaced).or(of_crds.map(|(.., said)| *said));
            let namespaced = said.unwrap_or_else(|| {
                let group = param.api_version.split_once('/').map_or("", |(group, _)| group);
                let text = |object: &Value, name: &str| {
                    object.pointer(name).and_then(Value::as_str).unwrap_or_default().to_owned()
                };
                let is = |object: &&Value| {
                    text(object, "/apiVersion") == param.api_version && text(object, "/kind") == param.kind
                };
                let mut objects = self.objects.iter().filter(is).peekable();
                let told =
                    objects.peek().is_some() && objects.all(|object| text(object, "/metadata/namespace").is_empty());
                !told && !is_cluster_scoped(group, &plural(&param.kind))
            });
            if !namespaced {
                self.cluster.set_cluster_scoped(&param.api_version, &param.kind);
            }
        }
    }
}

/// Whether a policy or binding selects by namespace, or one of its expressions reads the namespace.
fn looks_at_namespaces(document: &Value) -> bool {
    let selects = |pointer: &str| {
        let selector = document.pointer(pointer).and_then(Value::as_object);
        selector.is_some_and(|selector| !selector.is_empty())
    };
    selects("/spec/matchConstraints/namespaceSelector")
        || selects("/spec/matchResources/namespaceSelector")
        || document.pointer("/spec").is_some_and(|spec| spec.to_string().contains("namespaceObject"))
}

fn resource_of(kind: &CustomKind) -> Resource {
    Resource {
        group: kind.group.clone(),
        version: kind.version.clone(),
        resource: kind.plural.clone(),
        kind: kind.kind.clone(),
    }
}

fn source(provenance: &Provenance) -> Option<Source> {
    match provenance {
        Provenance::File { path, line, .. } => {
            Some(Source { file: path.clone(), line: u32::try_from(*line).ok().filter(|line| *line > 0)? })
        }
        _ => None,
    }
}

/// Where the parts of a policy stand.
struct Lines {
    policy: Option<Source>,
    places: std::collections::HashMap<String, (u64, u64)>,
}

impl Lines {
    fn of(policy: Option<&Source>) -> Self {
        let text = policy.and_then(|source| fs::read_to_string(Path::new(&source.file)).ok());
        let places = text.zip(policy).map(|(text, source)| places(&text, u64::from(source.line)));
        Self { policy: policy.cloned(), places: places.unwrap_or_default() }
    }

    fn validation(&self, place: usize) -> Option<Source> {
        let policy = self.policy.clone()?;
        let found = self.places.get(&format!("/spec/validations/{place}/expression"));
        let line = found.and_then(|(line, _)| u32::try_from(*line).ok()).unwrap_or(policy.line);
        Some(Source { line, ..policy })
    }
}

#[cfg(test)]
mod tests {
    use super::{PolicyDescription, ReadPolicies};
    use serde_json::{Value, json};
    use std::fs;
    use takeover_harness::case::Operation;
    use takeover_harness::rule::Sample;
    use takeover_harness::subject::SubjectId;

    const POLICY: &str = "apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: sizes}
spec:
  paramKind: {apiVersion: shop.example.com/v1, kind: Limit}
  matchConstraints:
    resourceRules: [{apiGroups: [shop.example.com], apiVersions: [v1], operations: [CREATE], resources: [gateways]}]
  validations:
  - expression: object.spec.size <= params.most
";
    const BINDING: &str = "---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: all}
spec:
  policyName: sizes
  paramRef: {name: limits, parameterNotFoundAction: Deny}
  validationActions: [Deny]
";
    // No namespace: the kind is in none.
    const PARAM: &str = "---
apiVersion: shop.example.com/v1
kind: Limit
metadata: {name: limits}
most: 3
";

    fn read(text: &str) -> Result<ReadPolicies, String> {
        let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
        let file = folder.path().join("policies.yaml");
        fs::write(&file, text).map_err(|error| error.to_string())?;
        let of = PolicyDescription { files: vec![file], ..PolicyDescription::default() };
        ReadPolicies::read(&of, None).map_err(|error| error.to_string())
    }

    #[test]
    fn policies_are_asked_with_their_bindings_and_params() {
        let read = read(&format!("{POLICY}{BINDING}{PARAM}")).unwrap();
        let rows: Vec<(String, Option<u32>)> = read
            .rules
            .iter()
            .map(|rule| (rule.chain.clone(), rule.source.as_ref().map(|source| source.line)))
            .collect();
        assert_eq!(rows, [("policy(sizes)[0]=object.spec.size <= params.most".to_owned(), Some(9))]);
        assert_eq!(read.hints.rules.iter().map(|rule| rule.path.as_str()).collect::<Vec<_>>(), ["spec.size"]);
        let gateways = read.judging(&SubjectId::new("shop.example.com/v1", "Gateway")).unwrap();
        let answer = |size: u64| {
            let response = gateways.respond(
                Operation::Create,
                json!({"metadata": {"name": "g"}, "spec": {"size": size}}),
                None,
                &mut |_| (),
            );
            response.status.map(|status| status.message)
        };
        assert_eq!(answer(3), None);
        let denied = "gateways.shop.example.com \"g\" is forbidden: ValidatingAdmissionPolicy 'sizes' with binding 'all' \
                      denied request: failed expression: object.spec.size <= params.most";
        assert_eq!(answer(4).as_deref(), Some(denied));
        let other = read.judging(&SubjectId::new("shop.example.com/v1", "Widget")).map(|_| ()).unwrap_err();
        assert!(other.to_string().contains("applies to creates or updates of `widgets`"), "{other}");
    }

    #[test]
    fn a_sample_of_a_key_keeps_the_other_keys_that_policies_want() {
        let expression = "object.metadata.labels['tier'] == 'gold' && 'team' in object.metadata.labels";
        let policy = POLICY.replace("object.spec.size <= params.most", expression);
        let read = read(&format!("{policy}{BINDING}{PARAM}")).unwrap();
        let samples = |what: &str| -> Vec<(bool, Value)> {
            let hint = read
                .hints
                .rules
                .iter()
                .find(|rule| rule.path == "metadata.labels" && rule.chain.ends_with(what))
                .unwrap();
            let classes = hint.boundaries.iter();
            classes.filter_map(|class| Some((class.breaks, value(&class.sample)?))).collect()
        };
        let tier = [(false, json!({"team": "1e0", "tier": "gold"})), (true, json!({"team": "1e0", "tier": "goldx"}))];
        assert_eq!(samples("tier == \"gold\""), tier);
        let team =
            [(false, json!({"team": "1e0", "tier": "gold"})), (true, json!({"not-team": "1e0", "tier": "gold"}))];
        assert_eq!(samples("has team"), team);
    }

    fn value(sample: &Sample) -> Option<Value> {
        match sample {
            Sample::Value(value) => Some(value.clone()),
            _ => None,
        }
    }

    #[test]
    fn files_that_ask_nothing_are_refused() {
        let elsewhere = BINDING.replace("sizes", "others");
        let broken = POLICY.replace("<= params.most", "<=");
        for (text, said) in [
            (PARAM.to_owned(), "no ValidatingAdmissionPolicy in these files"),
            (POLICY.to_owned(), "no ValidatingAdmissionPolicyBinding is in these files"),
            (format!("{POLICY}{elsewhere}"), "names the policy `others`, which is not in these files"),
            (
                format!("{broken}{BINDING}"),
                "a server rejects this ValidatingAdmissionPolicy: spec.validations[0].expression",
            ),
        ] {
            let error = read(&text).map(|_| ()).unwrap_err();
            assert!(error.contains(said), "{error}");
        }
    }
}
