//! Policies with their bindings.

use super::audit::{Published, record_failure};
use super::params;
use super::response::{Denial, Response, Status};
use crate::api::{Binding, MatchResources, Policy};
use crate::cluster::Cluster;
use crate::evaluate::{AnnotationResult, CompiledPolicy, Evaluation, Inputs};
use crate::matching::{self, Match};
use crate::request::{Request, Resource};
use serde_json::{Map, Value, json};
use std::borrow::Cow;
use takeover_cel::value::Access;

/// Policies with their bindings.
#[derive(Debug, Default)]
pub struct PolicySet {
    policies: Vec<(CompiledPolicy, Vec<Binding>)>,
}

/// A policy that ran.
#[derive(Clone, Debug)]
pub struct Ran {
    /// Its place among the policies.
    pub policy: usize,
    /// The binding.
    pub binding: String,
    /// The outcome.
    pub evaluation: Evaluation,
}

/// Resources that no policy is asked about.
const EXEMPT: [(&str, &str); 10] = [
    ("admissionregistration.k8s.io", "validatingadmissionpolicies"),
    ("admissionregistration.k8s.io", "validatingadmissionpolicybindings"),
    ("admissionregistration.k8s.io", "mutatingadmissionpolicies"),
    ("admissionregistration.k8s.io", "mutatingadmissionpolicybindings"),
    ("authentication.k8s.io", "selfsubjectreviews"),
    ("authentication.k8s.io", "tokenreviews"),
    ("authorization.k8s.io", "localsubjectaccessreviews"),
    ("authorization.k8s.io", "selfsubjectaccessreviews"),
    ("authorization.k8s.io", "selfsubjectrulesreviews"),
    ("authorization.k8s.io", "subjectaccessreviews"),
];

impl PolicySet {
    /// Policies, each with the bindings that name it. What has no binding is never asked.
    #[must_use]
    pub fn new(policies: Vec<Policy>, bindings: &[Binding]) -> Self {
        let of = |policy: &Policy| {
            bindings.iter().filter(|binding| binding.spec.policy_name == policy.name).cloned().collect()
        };
        let policies = policies
            .into_iter()
            .map(|policy| {
                let bindings = of(&policy);
                (CompiledPolicy::new(policy), bindings)
            })
            .collect();
        Self { policies }
    }

    /// The policies with their bindings.
    pub fn policies(&self) -> impl Iterator<Item = (&CompiledPolicy, &[Binding])> {
        self.policies.iter().map(|(policy, bindings)| (policy, bindings.as_slice()))
    }

    /// The place of a policy by its name.
    pub(crate) fn place(&self, name: &str) -> Option<usize> {
        self.policies.iter().position(|(policy, _)| policy.policy().name == name)
    }

    /// Whether the rules of a policy with a binding name the resource and operation of a request, whatever its object and its name.
    pub(crate) fn concerns(&self, request: &Request, cluster: &Cluster) -> bool {
        self.policies.iter().filter(|(_, bindings)| !bindings.is_empty()).any(|(policy, _)| {
            let constraints = policy.policy().spec.match_constraints.as_ref();
            constraints.is_some_and(|constraints| matching::may_match(constraints, request, cluster))
        })
    }

    /// Judges a request; `ran` is told what ran, in order.
    pub fn judge(&self, request: &Request, cluster: &Cluster, ran: &mut dyn FnMut(Ran)) -> Response {
        let mut response = Response::default();
        if EXEMPT.contains(&(request.group.as_str(), request.resource.as_str())) {
            return response;
        }
        for (index, (policy, bindings)) in self.policies.iter().enumerate() {
            if bindings.is_empty() {
                continue;
            }
            let mut asked = Asked { policy, request, cluster, response: &mut response };
            let matched = match asked.matches() {
                Ok(Match::Yes(matched)) => matched,
                Ok(Match::No) => continue,
                Err(error) => {
                    asked.misconfigured(None, &error);
                    continue;
                }
            };
            let mut published = Published::default();
            for binding in bindings {
                let told = |evaluation: &Evaluation| {
                    ran(Ran { policy: index, binding: binding.name.clone(), evaluation: evaluation.clone() });
                };
                if let Err(status) = asked.bound(binding, &matched, &mut published, told) {
                    response.status = Some(status);
                    return response;
                }
            }
            published.publish(&policy.policy().name, &mut response.audit_annotations);
        }
        response.conclude(&request.qualified_resource(), request.shown_name());
        response
    }
}

/// One policy and one request.
struct Asked<'s> {
    policy: &'s CompiledPolicy,
    request: &'s Request,
    cluster: &'s Cluster,
    response: &'s mut Response,
}

impl Asked<'_> {
    fn matches(&self) -> Result<Match, String> {
        match &self.policy.policy().spec.match_constraints {
            Some(constraints) => matching::matches(constraints, self.request, self.cluster),
            None => Err("policy contained no match constraints, a required field".to_owned()),
        }
    }

    fn misconfigured(&mut self, binding: Option<&Binding>, error: &str) {
        let policy = self.policy.policy();
        if policy.ignores_failures() {
            return;
        }
        let message = match policy.spec.failure_policy.as_deref() {
            None | Some("Fail") => {
                let what = if binding.is_some() { "binding" } else { "policy" };
                format!("failed to configure {what}: {error}")
            }
            Some(other) => format!("unrecognized failure policy: '{other}'"),
        };
        self.response.denials.push(Denial {
            policy: policy.name.clone(),
            binding: binding.map(|binding| binding.name.clone()),
            validation: None,
            message,
            reason: String::new(),
        });
    }

    /// Evaluates the policy for a binding. The status is what ends the whole request.
    fn bound(
        &mut self,
        binding: &Binding,
        matched: &Resource,
        published: &mut Published,
        mut ran: impl FnMut(&Evaluation),
    ) -> Result<(), Status> {
        let everything = MatchResources::default();
        let resources = binding.spec.match_resources.as_ref().unwrap_or(&everything);
        let about = match &binding.spec.match_resources {
            None => Ok(true),
            Some(_) => matching::matches(resources, self.request, self.cluster).map(|of| matches!(of, Match::Yes(_))),
        };
        let request = self.request;
        let params = about.and_then(|about| match about {
            true => params::collect(self.policy.policy(), binding, &request.namespace, self.cluster),
            false => Ok(Vec::new()),
        });
        let params = match params {
            Ok(params) if params.is_empty() => return Ok(()),
            Ok(params) => params,
            Err(error) => {
                self.misconfigured(Some(binding), &error);
                return Ok(());
            }
        };
        let namespace = self.namespace()?;
        let of_request = request.as_value(matched, matched);
        let of_conditions = request.as_value(matched, &request.resource());
        let asked = access(request);
        let (object, old_object) =
            (converted(&request.object, request, matched), converted(&request.old_object, request, matched));
        for param in params {
            let evaluation = self.policy.evaluate(&Inputs {
                object: object.as_deref(),
                old_object: old_object.as_deref(),
                params: param,
                request: &of_request,
                request_of_conditions: &of_conditions,
                namespace: namespace.as_ref(),
                asked: &asked,
                answerer: self.cluster.answerer(),
            });
            ran(&evaluation);
            self.apply(binding, &evaluation, published);
        }
        Ok(())
    }

    /// The namespace of the request, as expressions see it.
    fn namespace(&self) -> Result<Option<Value>, Status> {
        let name = self.request.namespace.as_str();
        if name.is_empty() || self.request.is_namespace() {
            return Ok(None);
        }
        let missing = || Status { code: 404, reason: "NotFound".to_owned(), message: matching::not_found(name) };
        self.cluster.namespace(name).map(|namespace| namespace_object(&namespace)).map(Some).ok_or_else(missing)
    }

    fn apply(&mut self, binding: &Binding, evaluation: &Evaluation, published: &mut Published) {
        let policy = self.policy.policy().name.clone();
        let denial = |validation: Option<usize>, message: &str, reason: &str| Denial {
            policy: policy.clone(),
            binding: Some(binding.name.clone()),
            validation,
            message: message.to_owned(),
            reason: reason.to_owned(),
        };
        for (index, decision) in evaluation.decisions.iter().enumerate().filter(|(_, decision)| decision.denies) {
            for action in &binding.spec.validation_actions {
                match action.as_str() {
                    "Deny" => {
                        self.response.denials.push(denial(Some(index), &decision.message, &decision.reason));
                    }
                    "Audit" => {
                        record_failure(&mut self.response.audit_annotations, binding, index, &decision.message);
                    }
                    "Warn" => self.response.warnings.push(format!(
                        "Validation failed for ValidatingAdmissionPolicy '{policy}' with binding '{}': {}",
                        binding.name, decision.message
                    )),
                    _ => {}
                }
            }
        }
        for annotation in &evaluation.audit_annotations {
            match annotation {
                AnnotationResult::Publish { key, value } => published.add(key, value),
                AnnotationResult::Exclude { .. } => {}
                AnnotationResult::Error { error, .. } => self.response.denials.push(denial(None, error, "")),
            }
        }
    }
}

/// An object in the version under which it matched: only its `apiVersion` changes, as without a webhook of conversion.
fn converted<'o>(object: &'o Option<Value>, request: &Request, matched: &Resource) -> Option<Cow<'o, Value>> {
    let object = object.as_ref().filter(|object| !object.is_null())?;
    if *matched == request.resource() {
        return Some(Cow::Borrowed(object));
    }
    let Resource { group, version, .. } = matched;
    let mut converted = object.clone();
    if let Value::Object(members) = &mut converted {
        let version = if group.is_empty() { version.clone() } else { format!("{group}/{version}") };
        members.insert("apiVersion".to_owned(), Value::from(version));
    }
    Some(Cow::Owned(converted))
}

/// What the authorizer is asked about the resource of the request.
fn access(request: &Request) -> Access {
    Access {
        user: request.user(),
        group: request.group.clone(),
        resource: request.resource.clone(),
        subresource: request.subresource.clone(),
        namespace: request.namespace.clone(),
        name: request.name.clone(),
        ..Access::default()
    }
}

/// A namespace as `namespaceObject`: some of its metadata, `spec` and `status`, without what is empty.
fn namespace_object(namespace: &Value) -> Value {
    const METADATA: [&str; 12] = [
        "name",
        "generateName",
        "namespace",
        "uid",
        "resourceVersion",
        "generation",
        "creationTimestamp",
        "deletionTimestamp",
        "deletionGracePeriodSeconds",
        "labels",
        "annotations",
        "finalizers",
    ];
    let part = |name: &str, members: &[&str]| -> Map<String, Value> {
        let given = namespace.get(name).and_then(Value::as_object);
        let known = members.iter().filter_map(|member| Some(((*member).to_owned(), given?.get(*member)?.clone())));
        known.filter(|(_, value)| !is_empty(value)).collect()
    };
    json!({
        "metadata": part("metadata", &METADATA),
        "spec": part("spec", &["finalizers"]),
        "status": part("status", &["phase", "conditions"]),
    })
}

/// Whether Go leaves a member out that may be empty.
fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(members) => members.is_empty(),
        Value::Number(number) => number.as_i64() == Some(0),
        Value::Bool(_) => false,
    }
}
