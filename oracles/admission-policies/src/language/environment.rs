//! What expressions of policies may refer to.

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};
use takeover_cel::check::Environment;
use takeover_cel::types::{DeclaredField, DeclaredType, Type};

/// Environments of a policy while its variables are compiled.
#[derive(Clone)]
pub(crate) struct Environments {
    plain: Environment,
    authorized: Environment,
    /// Types of the variables so far; nothing where `variables` is not declared.
    variables: Option<BTreeMap<Arc<str>, DeclaredField>>,
}

impl Environments {
    /// Environments without variables of the policy: with `params` if the policy has a kind of them, and with an empty `variables`
    /// if it is `composed`.
    pub(crate) fn new(has_params: bool, composed: bool) -> Self {
        let mut plain = Environment::new()
            .with_variable("object", Type::Dyn)
            .with_variable("oldObject", Type::Dyn)
            .with_declared("namespaceObject", &NAMESPACE)
            .with_declared("request", &REQUEST);
        if has_params {
            plain = plain.with_variable("params", Type::Dyn);
        }
        let authorized = plain
            .clone()
            .with_variable("authorizer", Type::object("kubernetes.authorization.Authorizer"))
            .with_variable("authorizer.requestResource", Type::object("kubernetes.authorization.ResourceCheck"));
        Self { plain, authorized, variables: composed.then(BTreeMap::new) }.declared()
    }

    /// Adds a variable of the policy with the type that it was found to have.
    pub(crate) fn with_variable(mut self, name: &str, ty: Option<&Type>) -> Self {
        let ty = ty.map_or(Type::Dyn, kept);
        if let Some(variables) = &mut self.variables {
            variables.insert(Arc::from(name), field(name, scalar(ty)));
        }
        self.declared()
    }

    fn declared(mut self) -> Self {
        if let Some(variables) = &self.variables {
            let declared = Arc::new(DeclaredType::object("kubernetes.variables", variables.clone(), 2));
            self.plain = self.plain.with_declared("variables", &declared);
            self.authorized = self.authorized.with_declared("variables", &declared);
        }
        self
    }

    /// With the authorizer or without it.
    pub(crate) fn get(&self, authorized: bool) -> &Environment {
        if authorized { &self.authorized } else { &self.plain }
    }
}

/// The type that is kept of a variable: scalars, lists and maps of them; anything else is dynamic.
fn kept(ty: &Type) -> Type {
    match ty {
        Type::Any
        | Type::Bool
        | Type::Bytes
        | Type::Double
        | Type::Duration
        | Type::Int
        | Type::Null
        | Type::String
        | Type::Timestamp
        | Type::Uint => ty.clone(),
        Type::List(element) => Type::list(kept(element)),
        Type::Map(entry) => Type::map(kept(&entry.0), kept(&entry.1)),
        _ => Type::Dyn,
    }
}

fn scalar(ty: Type) -> DeclaredType {
    DeclaredType::scalar(ty, 0, 1)
}

fn field(name: &str, declared: DeclaredType) -> DeclaredField {
    DeclaredField { property: Arc::from(name), declared: Arc::new(declared) }
}

fn object(name: &str, fields: Vec<(&str, DeclaredType)>) -> DeclaredType {
    let fields = fields.into_iter().map(|(name, declared)| (Arc::from(name), field(name, declared))).collect();
    DeclaredType::object(name, fields, 2)
}

fn list(element: DeclaredType) -> DeclaredType {
    DeclaredType::list(Arc::new(element), 0)
}

fn map(value: DeclaredType) -> DeclaredType {
    DeclaredType::map(Arc::new(value), 0)
}

fn text() -> DeclaredType {
    scalar(Type::String)
}

/// The type of `request`.
static REQUEST: LazyLock<Arc<DeclaredType>> = LazyLock::new(|| {
    let kind = || object("kubernetes.GroupVersionKind", vec![("group", text()), ("version", text()), ("kind", text())]);
    let resource = || {
        object("kubernetes.GroupVersionResource", vec![("group", text()), ("version", text()), ("resource", text())])
    };
    let user = object(
        "kubernetes.UserInfo",
        vec![("username", text()), ("uid", text()), ("groups", list(text())), ("extra", map(list(text())))],
    );
    Arc::new(object(
        "kubernetes.AdmissionRequest",
        vec![
            ("kind", kind()),
            ("resource", resource()),
            ("subResource", text()),
            ("requestKind", kind()),
            ("requestResource", resource()),
            ("requestSubResource", text()),
            ("name", text()),
            ("namespace", text()),
            ("operation", text()),
            ("userInfo", user),
            ("dryRun", scalar(Type::Bool)),
            ("options", scalar(Type::Dyn)),
        ],
    ))
});

/// The type of `namespaceObject`.
static NAMESPACE: LazyLock<Arc<DeclaredType>> = LazyLock::new(|| {
    let condition = object(
        "kubernetes.NamespaceCondition",
        vec![
            ("status", text()),
            ("type", text()),
            ("lastTransitionTime", scalar(Type::Timestamp)),
            ("message", text()),
            ("reason", text()),
        ],
    );
    let metadata = object(
        "kubernetes.NamespaceMetadata",
        vec![
            ("name", text()),
            ("generateName", text()),
            ("namespace", text()),
            ("labels", map(text())),
            ("annotations", map(text())),
            ("UID", text()),
            ("creationTimestamp", scalar(Type::Timestamp)),
            ("deletionGracePeriodSeconds", scalar(Type::Int)),
            ("deletionTimestamp", scalar(Type::Timestamp)),
            ("generation", scalar(Type::Int)),
            ("resourceVersion", text()),
            ("finalizers", list(text())),
        ],
    );
    Arc::new(object(
        "kubernetes.Namespace",
        vec![
            ("metadata", metadata),
            ("spec", object("kubernetes.NamespaceSpec", vec![("finalizers", list(text()))])),
            ("status", object("kubernetes.NamespaceStatus", vec![("conditions", list(condition)), ("phase", text())])),
        ],
    ))
});
