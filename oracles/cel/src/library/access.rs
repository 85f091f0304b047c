//! Functions of authorizers.

use super::call::{Call, Function};
use crate::scalar::format::NamedFormat;
use crate::value::{Access, Error, Outcome, Stage, User, Value};
use std::sync::Arc;

pub(super) fn function(name: &str) -> Option<Function> {
    Some(match name {
        "path" => |call| {
            next(call, &Stage::Authorizer, |access, path| {
                some(path, "path must not be empty")?;
                Ok(Access { stage: Stage::Path, path: path.to_owned(), ..access.clone() })
            })
        },
        "group" => |call| {
            next(call, &Stage::Authorizer, |access, group| {
                Ok(Access { stage: Stage::Group, group: group.to_owned(), ..access.clone() })
            })
        },
        "serviceAccount" => service_account,
        "resource" => |call| {
            next(call, &Stage::Group, |access, resource| {
                some(resource, "resource must not be empty")?;
                Ok(Access { stage: Stage::Resource, resource: resource.to_owned(), ..access.clone() })
            })
        },
        "subresource" => |call| {
            next(call, &Stage::Resource, |access, text| Ok(Access { subresource: text.to_owned(), ..access.clone() }))
        },
        "namespace" => |call| {
            next(call, &Stage::Resource, |access, text| Ok(Access { namespace: text.to_owned(), ..access.clone() }))
        },
        "name" => {
            |call| next(call, &Stage::Resource, |access, text| Ok(Access { name: text.to_owned(), ..access.clone() }))
        }
        "fieldSelector" => |call| {
            next(call, &Stage::Resource, |access, text| {
                Ok(Access { field_selector: text.to_owned(), ..access.clone() })
            })
        },
        "labelSelector" => |call| {
            next(call, &Stage::Resource, |access, text| {
                Ok(Access { label_selector: text.to_owned(), ..access.clone() })
            })
        },
        "check" => |call| match call.args {
            [Value::Access(access), Value::String(verb)] if matches!(access.stage, Stage::Path | Stage::Resource) => {
                Ok(Value::Access(Arc::new(access.decided(verb))))
            }
            _ => call.mismatch(),
        },
        "allowed" => |call| of_decision(call, |decision| Value::Bool(decision.allowed)),
        "reason" => |call| of_decision(call, |decision| Value::text(decision.reason.as_str())),
        "errored" => |call| of_decision(call, |decision| Value::Bool(decision.error.is_some())),
        "error" => |call| of_decision(call, |decision| Value::text(decision.error.as_deref().unwrap_or_default())),
        _ => return None,
    })
}

/// The question with a part more.
fn next<'a>(
    call: &Call<'_, 'a>,
    stage: &Stage,
    with: fn(&Access, &str) -> Result<Access, &'static str>,
) -> Outcome<Value<'a>> {
    match call.args {
        [Value::Access(access), Value::String(text)] if access.stage == *stage => {
            with(access, text).map(|access| Value::Access(Arc::new(access))).map_err(Error::new)
        }
        _ => call.mismatch(),
    }
}

fn some(text: &str, refusal: &'static str) -> Result<(), &'static str> {
    if text.trim().is_empty() { Err(refusal) } else { Ok(()) }
}

fn service_account<'a>(call: &Call<'_, 'a>) -> Outcome<Value<'a>> {
    let [Value::Access(access), Value::String(namespace), Value::String(name)] = call.args else {
        return call.mismatch();
    };
    if access.stage != Stage::Authorizer {
        return call.mismatch();
    }
    let is =
        |format: &str, text: &str| NamedFormat::named(format).is_some_and(|format| format.validate(text).is_empty());
    if !is("dns1123Subdomain", name) {
        return Err(Error::new("Invalid service account name"));
    }
    if !is("dns1123Label", namespace) {
        return Err(Error::new("Invalid service account namespace"));
    }
    let user = User {
        name: format!("system:serviceaccount:{namespace}:{name}", namespace = &**namespace, name = &**name),
        uid: String::new(),
        groups: vec!["system:serviceaccounts".to_owned(), format!("system:serviceaccounts:{}", &**namespace)],
    };
    Ok(Value::Access(Arc::new(Access { user, ..Access::clone(access) })))
}

fn of_decision<'a>(call: &Call<'_, 'a>, part: fn(&crate::value::Decision) -> Value<'a>) -> Outcome<Value<'a>> {
    match call.args {
        [Value::Access(access)] => match &access.stage {
            Stage::Decided(decision) => Ok(part(decision)),
            _ => call.mismatch(),
        },
        _ => call.mismatch(),
    }
}
