//! Finds functions by their names.

use super::call::Function;

/// The function of a name.
pub(crate) fn function(name: &str) -> Option<Function> {
    use super::{access, address, convert, lists, objects, optional, regex, sets, standard, strings, times};
    [
        standard::function,
        convert::function,
        strings::function,
        lists::function,
        times::function,
        regex::function,
        optional::function,
        sets::function,
        address::function,
        objects::function,
        access::function,
    ]
    .into_iter()
    .find_map(|family: fn(&str) -> Option<Function>| family(name))
}

/// Whether a call with one constant is computed when a program is planned.
pub(crate) fn is_conversion(name: &str) -> bool {
    matches!(name, "bool" | "bytes" | "double" | "dyn" | "duration" | "int" | "string" | "timestamp" | "type" | "uint")
}
