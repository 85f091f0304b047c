//! Calls of functions.

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
