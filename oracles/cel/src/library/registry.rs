//! Finds functions by their names.

use crate::value::{Error, Outcome, Value};

/// A call with evaluated arguments, the receiver first.
pub(crate) struct Call<'c, 'a> {
    /// The name of the function.
    pub(crate) name: &'c str,
    /// The overload, where types decide it alone.
    pub(crate) overload: Option<&'c str>,
    /// The arguments.
    pub(crate) args: &'c [Value<'a>],
}

impl<'a> Call<'_, 'a> {
    /// No overload takes these arguments.
    pub(crate) fn mismatch<T>(&self) -> Outcome<T> {
        let types: Vec<&str> = self.args.iter().map(Value::type_name).collect();
        Err(Error::new(format!("no such overload: {}({})", self.name, types.join(", "))))
    }
}

/// What a function does.
pub(crate) type Function = for<'c, 'a> fn(&Call<'c, 'a>) -> Outcome<Value<'a>>;

/// The function of a name.
pub(crate) fn function(name: &str) -> Option<Function> {
    use super::{address, convert, lists, objects, optional, regex, sets, standard, strings, times};
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
    ]
    .into_iter()
    .find_map(|family: fn(&str) -> Option<Function>| family(name))
}

/// Whether a call with one constant is computed when a program is planned.
pub(crate) fn is_conversion(name: &str) -> bool {
    matches!(name, "bool" | "bytes" | "double" | "dyn" | "duration" | "int" | "string" | "timestamp" | "type" | "uint")
}
