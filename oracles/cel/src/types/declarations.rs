//! The functions and names of the environment in which Kubernetes 1.36 runs rules.

use super::signature::{Overload, Row, overload};
use super::ty::Type;
use super::{libraries, standard};
use std::collections::HashMap;
use std::sync::{Arc, LazyLock};

/// A function with its overloads, in the order in which they are tried.
#[derive(Debug)]
pub struct Function {
    /// Its name, qualified if it has a namespace.
    pub name: &'static str,
    /// Its overloads.
    pub overloads: Vec<Overload>,
}

static FUNCTIONS: LazyLock<HashMap<&'static str, Function>> = LazyLock::new(|| {
    let mut functions: HashMap<&'static str, Function> = HashMap::new();
    for (name, rows) in rows() {
        let function = functions.entry(*name).or_insert_with(|| Function { name, overloads: Vec::new() });
        function.overloads.extend(rows.iter().copied().filter_map(overload));
    }
    functions
});

fn rows() -> impl Iterator<Item = &'static (&'static str, &'static [Row])> {
    standard::FUNCTIONS.iter().chain(libraries::FUNCTIONS)
}

/// Looks up a function by its qualified name.
#[must_use]
pub fn function(name: &str) -> Option<&'static Function> {
    FUNCTIONS.get(name)
}

/// Returns the type of an identifier that the environment always declares: the name of a type, or an enum value.
#[must_use]
pub fn identifier(name: &str) -> Option<Type> {
    let named = |letters: &str| Type::Param(Arc::from(letters));
    Some(match name {
        "list" => Type::type_of(Type::list(named("A"))),
        "map" => Type::type_of(Type::map(named("A"), named("B"))),
        "type" => Type::type_of(Type::Type(None)),
        "google.protobuf.NullValue.NULL_VALUE" => Type::Int,
        "net.IP" | "net.CIDR" | "optional_type" => Type::type_of(Type::Opaque(Arc::from(name), Arc::from([]))),
        _ => Type::type_of(primitive(name).or_else(|| well_known(name))?),
    })
}

fn primitive(name: &str) -> Option<Type> {
    Some(match name {
        "bool" => Type::Bool,
        "bytes" => Type::Bytes,
        "double" => Type::Double,
        "duration" => Type::Duration,
        "int" => Type::Int,
        "null_type" => Type::Null,
        "string" => Type::String,
        "timestamp" => Type::Timestamp,
        "uint" => Type::Uint,
        _ => return None,
    })
}

/// Returns the type that a message of the well-known protobuf packages stands for.
#[must_use]
pub fn well_known(name: &str) -> Option<Type> {
    let wrapper = |wrapped| Type::Wrapper(Arc::new(wrapped));
    Some(match name.strip_prefix("google.protobuf.")? {
        "Any" => Type::Any,
        "Duration" => Type::Duration,
        "Timestamp" => Type::Timestamp,
        "Struct" => Type::map(Type::String, Type::Dyn),
        "Value" => Type::Dyn,
        "ListValue" => Type::list(Type::Dyn),
        "BoolValue" => wrapper(Type::Bool),
        "BytesValue" => wrapper(Type::Bytes),
        "DoubleValue" | "FloatValue" => wrapper(Type::Double),
        "Int32Value" | "Int64Value" => wrapper(Type::Int),
        "StringValue" => wrapper(Type::String),
        "UInt32Value" | "UInt64Value" => wrapper(Type::Uint),
        "Empty" => Type::object(name),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn every_row_is_read() {
        let mut ids = HashSet::new();
        for (name, rows) in rows() {
            for row in *rows {
                let overload = overload(*row).unwrap_or_else(|| panic!("{name}: {row:?}"));
                let alias = matches!(*name, "_in_" | "in" | "__not_strictly_false__");
                assert!(alias || ids.insert(overload.id), "{name}: {} twice", overload.id);
            }
        }
    }

    #[test]
    fn overloads_of_both_tables_stand_under_one_name() {
        let ids: Vec<_> = function("string").unwrap().overloads.iter().map(|overload| overload.id).collect();
        assert_eq!(ids.first(), Some(&"string_to_string"));
        assert_eq!(ids.last(), Some(&"cidr_to_string"));
        let slice = &function("slice").unwrap().overloads[0];
        assert!(slice.member);
        assert_eq!(slice.parameters, [Type::list(Type::Param("T".into())), Type::Int, Type::Int]);
        assert_eq!(function("math.abs").map(|function| function.name), None);
    }

    #[test]
    fn names_of_types_are_declared() {
        let shown = |name| identifier(name).map(|ty| ty.to_string());
        assert_eq!(shown("int").as_deref(), Some("type(int)"));
        assert_eq!(shown("google.protobuf.Timestamp").as_deref(), Some("type(timestamp)"));
        assert_eq!(shown("net.IP").as_deref(), Some("type(net.IP)"));
        assert_eq!(shown("google.protobuf.Int64Value").as_deref(), Some("type(wrapper(int))"));
        assert_eq!(shown("kubernetes.Quantity"), None);
    }
}
