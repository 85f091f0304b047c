//! Objects that are not of their type.

use std::fmt;

/// An object that is not one of its type.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{field}`: {detail}")]
pub struct Undecodable {
    /// Path of the field at fault; `<nil>` for the whole object.
    pub field: String,
    /// What sort of fault.
    pub reason: Misfit,
    /// Explanation with the value at fault.
    pub detail: String,
}

/// Sorts of undecodable objects, to count them by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub enum Misfit {
    /// The text is not JSON.
    Syntax,
    /// A field that the type does not have.
    UnknownField,
    /// A field given twice.
    RepeatedField,
    /// A JSON type that does not fit the Go type.
    WrongType,
    /// A number that does not fit the Go type.
    OutOfRange,
    /// A text that is no time, duration, quantity or base64.
    Malformed,
    /// Nested deeper than the decoder goes.
    TooDeep,
    /// `apiVersion` or `kind` of another subject.
    WrongKind,
}

impl fmt::Display for Misfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Syntax => "not JSON",
            Self::UnknownField => "unknown field",
            Self::RepeatedField => "repeated field",
            Self::WrongType => "wrong type",
            Self::OutOfRange => "number out of range",
            Self::Malformed => "malformed value",
            Self::TooDeep => "nested too deeply",
            Self::WrongKind => "wrong kind",
        })
    }
}

/// What happens to unknown and repeated fields: the request parameter `fieldValidation`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum FieldValidation {
    /// They make the object undecodable. This is what `kubectl` asks for.
    #[default]
    Strict,
    /// They are dropped with a warning, and the last of a repeated field counts. This is the default of a server.
    Warn,
}
