//! Policies as an oracle: which objects would a server with them accept.

use crate::cluster::Cluster;
use crate::dispatch::{PolicySet, Ran, Response};
use crate::evaluate::DecisionKind;
use crate::request::{Request, Requester};
use crate::scope::{is_cluster_scoped, plural};
use serde_json::{Value, json};
use std::sync::Arc;
use takeover_harness::case::Operation;
use takeover_harness::error::FieldError;
use takeover_harness::object::to_value;
use takeover_harness::oracle::{Answer, Decision, Detail, Oracle, OracleFailure, Precision, Question, View};
use takeover_harness::path::Path;
use takeover_harness::rule::RuleId;
use takeover_harness::subject::SubjectId;

/// Policies with what is in the cluster, and who asks.
#[derive(Clone, Debug)]
pub struct Policies {
    set: Arc<PolicySet>,
    cluster: Arc<Cluster>,
    user: Requester,
}

/// The kind of objects that are judged, and how requests name it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    /// The kind.
    pub subject: SubjectId,
    /// The resource in the plural; guessed from the kind where nothing is said.
    pub resource: Option<String>,
    /// Whether objects are in namespaces; known of built-in kinds, and assumed of others, where nothing is said.
    pub namespaced: Option<bool>,
}

/// Policies as judges of one kind.
#[derive(Clone, Debug)]
pub struct PolicyOracle {
    policies: Policies,
    target: Target,
}

impl Policies {
    /// Policies with what is in the cluster, asked by this user.
    #[must_use]
    pub fn new(set: PolicySet, cluster: Cluster, user: Requester) -> Self {
        Self { set: Arc::new(set), cluster: Arc::new(cluster), user }
    }

    /// The policies with their bindings.
    #[must_use]
    pub fn set(&self) -> &PolicySet {
        &self.set
    }

    /// What is in the cluster.
    pub(crate) fn cluster(&self) -> &Cluster {
        &self.cluster
    }

    /// The policies as judges of one kind.
    #[must_use]
    pub fn judging(&self, target: Target) -> PolicyOracle {
        PolicyOracle { policies: self.clone(), target }
    }
}

impl PolicyOracle {
    /// What a server answers to the request to store `object` in place of `old`. Objects that do not say their version, kind and
    /// namespace get them.
    pub fn respond(
        &self,
        operation: Operation,
        object: Value,
        old: Option<Value>,
        ran: &mut dyn FnMut(Ran),
    ) -> Response {
        let request = self.request(operation, object, old);
        self.policies.set.judge(&request, &self.policies.cluster, ran)
    }

    /// The resource in the plural.
    #[must_use]
    pub fn resource(&self) -> String {
        self.target.resource.clone().unwrap_or_else(|| plural(&self.target.subject.kind))
    }

    /// Whether objects of the kind are in namespaces. Those that name none are in `default`.
    #[must_use]
    pub fn is_namespaced(&self) -> bool {
        let group = self.target.subject.api_version.split_once('/').map_or("", |(group, _)| group);
        self.target.namespaced.unwrap_or_else(|| !is_cluster_scoped(group, &self.resource()))
    }

    /// Whether a policy with a binding may be about creates or updates of this kind.
    #[must_use]
    pub fn is_concerned(&self) -> bool {
        self.concerns(&self.policies.set)
    }

    /// Whether one of these policies may be about creates or updates of this kind.
    pub(crate) fn concerns(&self, set: &PolicySet) -> bool {
        let requests = [Operation::Create, Operation::Update].map(|of| self.request(of, json!({}), None));
        requests.iter().any(|request| set.concerns(request, &self.policies.cluster))
    }

    /// The policies with what is in the cluster.
    pub(crate) fn policies(&self) -> &Policies {
        &self.policies
    }

    /// The same with other policies.
    pub(crate) fn with(&self, set: PolicySet) -> Self {
        let policies = Policies { set: Arc::new(set), ..self.policies.clone() };
        Self { policies, target: self.target.clone() }
    }

    /// The request of a question.
    pub(crate) fn request_of(&self, question: &Question<'_>) -> Request {
        let objects = &question.objects;
        let object = to_value(objects.schema, objects.root, &objects.new);
        let old = objects.old.as_ref().map(|old| to_value(objects.schema, objects.root, old));
        self.request(question.operation, object, old)
    }

    fn request(&self, operation: Operation, mut object: Value, mut old: Option<Value>) -> Request {
        let subject = &self.target.subject;
        let (group, version) = subject.api_version.split_once('/').unwrap_or(("", &subject.api_version));
        let resource = self.resource();
        let namespaced = self.is_namespaced();
        for object in std::iter::once(&mut object).chain(&mut old) {
            self.complete(object, namespaced);
        }
        let text = |pointer: &str| {
            object
                .pointer(pointer)
                .and_then(Value::as_str)
                .filter(|text| !text.is_empty())
                .unwrap_or_default()
                .to_owned()
        };
        let name = text("/metadata/name");
        // A namespace lies in itself.
        let itself = group.is_empty() && subject.kind == "Namespace";
        let namespace = if itself { name.clone() } else { text("/metadata/namespace") };
        let (operation, options) = match operation {
            Operation::Create => ("CREATE", "CreateOptions"),
            Operation::Update => ("UPDATE", "UpdateOptions"),
        };
        Request {
            operation: operation.to_owned(),
            group: group.to_owned(),
            version: version.to_owned(),
            kind: subject.kind.clone(),
            resource,
            subresource: subject.subresource.clone(),
            name,
            namespace,
            object: Some(object),
            old_object: old,
            user_info: self.policies.user.clone(),
            options: Some(json!({"kind": options, "apiVersion": "meta.k8s.io/v1"})),
            dry_run: false,
        }
    }

    /// Adds version, kind and namespace where they are missing, and makes whole numbers whole: the decoded object prints a number
    /// with a fraction that the request had without one.
    fn complete(&self, object: &mut Value, namespaced: bool) {
        whole_numbers(object);
        let Value::Object(members) = object else { return };
        let subject = &self.target.subject;
        for (name, text) in [("apiVersion", &subject.api_version), ("kind", &subject.kind)] {
            let given = members.get(name).and_then(Value::as_str).is_some_and(|text| !text.is_empty());
            if !given {
                members.insert(name.to_owned(), Value::from(text.as_str()));
            }
        }
        if !namespaced {
            return;
        }
        let metadata = members.entry("metadata").or_insert_with(|| json!({}));
        if let Value::Object(metadata) = metadata
            && metadata.get("namespace").and_then(Value::as_str).is_none_or(str::is_empty)
        {
            metadata.insert("namespace".to_owned(), Value::from("default"));
        }
    }
}

fn whole_numbers(value: &mut Value) {
    match value {
        Value::Number(number) => {
            let double = number.as_f64().filter(|_| number.is_f64());
            #[expect(clippy::cast_possible_truncation, reason = "within what a double counts exactly")]
            if let Some(whole) = double.filter(|double| double.fract() == 0.0 && double.abs() < 9e15) {
                *value = Value::from(whole as i64);
            }
        }
        Value::Array(items) => items.iter_mut().for_each(whole_numbers),
        Value::Object(members) => members.values_mut().for_each(whole_numbers),
        _ => {}
    }
}

impl Oracle for PolicyOracle {
    fn precision(&self) -> Precision {
        Precision { reached: true, detail: Detail::Reasons, ..Precision::DECISIONS }
    }

    fn answer(&self, question: &Question<'_>, _: &View<'_>, answer: &mut Answer) -> Result<(), OracleFailure> {
        let firsts = self.policies.set.first_rules();
        let mut ran = |ran: Ran| {
            let first = firsts.get(ran.policy).copied().unwrap_or_default();
            for (index, decision) in ran.evaluation.decisions.iter().enumerate() {
                // What could not be evaluated judged nothing.
                if decision.evaluation != DecisionKind::Error {
                    answer.reach(RuleId(u32::try_from(first + index).unwrap_or(u32::MAX)));
                }
            }
        };
        let request = self.request_of(question);
        let response = self.policies.set.judge(&request, &self.policies.cluster, &mut ran);
        // Comparisons look at the decision; these say which validation it was.
        for denial in &response.denials {
            let place = self.policies.set.place(&denial.policy);
            let rule = place.zip(denial.validation).and_then(|(policy, index)| Some(firsts.get(policy)? + index));
            if let Some(rule) = rule.and_then(|rule| u32::try_from(rule).ok()) {
                let error = FieldError::forbidden(&Path::ROOT, denial.text());
                answer.push(FieldError { rule: Some(RuleId(rule)), ..error });
            }
        }
        answer.decision = Some(match response.status {
            None => Decision::Accept,
            Some(status) => Decision::Reject(status.message.into()),
        });
        Ok(())
    }
}
