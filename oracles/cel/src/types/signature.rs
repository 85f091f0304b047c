//! Signatures written as text, such as `list(T).(int, int) -> list(T)`, to types.

use super::ty::Type;
use std::sync::Arc;

/// One way to call a function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Overload {
    /// Its identifier, by which costs and implementations are looked up.
    pub id: &'static str,
    /// Whether it is called on a receiver, whose type is the first parameter.
    pub member: bool,
    /// Types of the receiver, if any, and of the arguments.
    pub parameters: Vec<Type>,
    /// Type of the result.
    pub result: Type,
    /// Names of its type parameters.
    pub names: Vec<Arc<str>>,
}

/// An overload as the tables write it: its identifier and signature. A receiver stands before the brackets.
pub(super) type Row = (&'static str, &'static str);

/// Names of types that have fields as far as the checker knows.
const OBJECTS: &[&str] = &[
    "kubernetes.Quantity",
    "kubernetes.URL",
    "kubernetes.NamedFormat",
    "kubernetes.Semver",
    "kubernetes.authorization.Authorizer",
    "kubernetes.authorization.PathCheck",
    "kubernetes.authorization.GroupCheck",
    "kubernetes.authorization.ResourceCheck",
    "kubernetes.authorization.Decision",
];

/// Reads a row of the tables; `None` when it is not well-formed, which a test rules out.
pub(super) fn overload((id, signature): Row) -> Option<Overload> {
    let (call, result) = signature.split_once(" -> ")?;
    let (receiver, arguments) = match call.strip_prefix('(') {
        Some(rest) => (None, rest),
        None => {
            let (receiver, rest) = call.split_once(".(")?;
            (Some(read(receiver)?), rest)
        }
    };
    let member = receiver.is_some();
    let mut parameters: Vec<Type> = receiver.into_iter().collect();
    for argument in split(arguments.strip_suffix(')')?) {
        parameters.push(read(argument)?);
    }
    let result = read(result)?;
    let mut names = Vec::new();
    collect(&result, &mut names);
    parameters.iter().for_each(|parameter| collect(parameter, &mut names));
    Some(Overload { id, member, parameters, result, names })
}

/// Splits at the commas outside brackets.
fn split(list: &str) -> Vec<&str> {
    let (mut depth, mut start, mut parts) = (0usize, 0, Vec::new());
    for (at, c) in list.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                parts.push(list.get(start..at).unwrap_or_default().trim());
                start = at + 1;
            }
            _ => {}
        }
    }
    let last = list.get(start..).unwrap_or_default().trim();
    if !last.is_empty() {
        parts.push(last);
    }
    parts
}

/// Reads a type.
fn read(text: &str) -> Option<Type> {
    if let Some((name, inner)) = text.split_once('(') {
        let mut inner =
            split(inner.strip_suffix(')')?).into_iter().map(read).collect::<Option<Vec<Type>>>()?.into_iter();
        return Some(match name {
            "list" => Type::list(inner.next()?),
            "map" => Type::map(inner.next()?, inner.next()?),
            "type" => Type::type_of(inner.next()?),
            _ => Type::Opaque(Arc::from(name), inner.collect()),
        });
    }
    Some(match text {
        "dyn" => Type::Dyn,
        "bool" => Type::Bool,
        "bytes" => Type::Bytes,
        "double" => Type::Double,
        "duration" => Type::Duration,
        "int" => Type::Int,
        "null" => Type::Null,
        "string" => Type::String,
        "timestamp" => Type::Timestamp,
        "uint" => Type::Uint,
        "net.IP" | "net.CIDR" => Type::Opaque(Arc::from(text), Arc::from([])),
        _ if OBJECTS.contains(&text) => Type::object(text),
        _ if text.len() == 1 => Type::Param(Arc::from(text)),
        _ => return None,
    })
}

/// Collects the names of type parameters.
fn collect(ty: &Type, names: &mut Vec<Arc<str>>) {
    match ty {
        Type::Param(name) if !names.contains(name) => names.push(Arc::clone(name)),
        Type::Map(entry) => {
            collect(&entry.0, names);
            collect(&entry.1, names);
        }
        _ => ty.parameters().iter().for_each(|parameter| collect(parameter, names)),
    }
}
