//! Which params a binding takes.

use crate::api::{Binding, ParamRef, Policy};
use crate::cluster::Cluster;
use crate::matching::{Labels, parse};
use serde_json::Value;

/// The params to evaluate a policy with, `None` for one evaluation without; an empty list where nothing is evaluated.
///
/// # Errors
/// Returns why the binding cannot be used.
pub(super) fn collect<'c>(
    policy: &Policy,
    binding: &Binding,
    namespace: &str,
    cluster: &'c Cluster,
) -> Result<Vec<Option<&'c Value>>, String> {
    let (Some(kind), Some(reference)) = (&policy.spec.param_kind, &binding.spec.param_ref) else {
        return Ok(vec![None]);
    };
    let ParamRef { name, namespace: own, selector, parameter_not_found_action } = reference;
    let objects = cluster.objects(&kind.api_version, &kind.kind);
    let found = if cluster.is_cluster_scoped(&kind.api_version, &kind.kind) {
        if !own.is_empty() {
            return Err("paramRef.namespace must not be provided for a cluster-scoped `paramKind`".to_owned());
        }
        objects
    } else {
        let namespace = if own.is_empty() { namespace } else { own };
        if namespace.is_empty() {
            let refused = "cannot use namespaced paramRef in policy binding that matches cluster-scoped resources";
            return Err(refused.to_owned());
        }
        objects.into_iter().filter(|object| text(object, "/metadata/namespace") == namespace).collect()
    };
    let params: Vec<&Value> = match (name.as_str(), selector) {
        ("", None) => return Err("one of name or selector must be provided".to_owned()),
        ("", Some(selector)) => {
            let selector = parse(selector)?;
            found.into_iter().filter(|object| selector.accepts(&Labels::of(Some(object)))).collect()
        }
        (_, Some(_)) => return Err("paramRef.name and paramRef.selector are mutually exclusive".to_owned()),
        (name, None) => found.into_iter().filter(|object| text(object, "/metadata/name") == name).take(1).collect(),
    };
    if params.is_empty() && parameter_not_found_action.as_deref() == Some("Deny") {
        return Err("no params found for policy binding with `Deny` parameterNotFoundAction".to_owned());
    }
    Ok(params.into_iter().map(Some).collect())
}

fn text<'o>(object: &'o Value, pointer: &str) -> &'o str {
    object.pointer(pointer).and_then(Value::as_str).unwrap_or_default()
}
