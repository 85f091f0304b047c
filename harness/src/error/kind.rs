//! The type of a field error and the stability level of the rule that made it.

use serde::{Deserialize, Serialize};
use std::fmt;

/// The kind of a field error (`field.ErrorType` of `k8s.io/apimachinery/pkg/util/validation/field`).
///
/// Serialised by its name in the API, for example `FieldValueInvalid`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[non_exhaustive]
pub enum ErrorType {
    /// A referenced value does not exist.
    #[serde(rename = "FieldValueNotFound")]
    NotFound,
    /// A value must be given.
    #[serde(rename = "FieldValueRequired")]
    Required,
    /// A value that must be unique occurs twice.
    #[serde(rename = "FieldValueDuplicate")]
    Duplicate,
    /// A malformed or out-of-bounds value.
    #[serde(rename = "FieldValueInvalid")]
    Invalid,
    /// A value outside a fixed set.
    #[serde(rename = "FieldValueNotSupported")]
    NotSupported,
    /// A value that may not be given here.
    #[serde(rename = "FieldValueForbidden")]
    Forbidden,
    /// A text that is too long.
    #[serde(rename = "FieldValueTooLong")]
    TooLong,
    /// A list or map with too many entries.
    #[serde(rename = "FieldValueTooMany")]
    TooMany,
    /// A list or map with too few entries.
    #[serde(rename = "FieldValueTooFew")]
    TooFew,
    /// A text that is too short.
    #[serde(rename = "FieldValueTooShort")]
    TooShort,
    /// A value of the wrong type.
    #[serde(rename = "FieldValueTypeInvalid")]
    TypeInvalid,
    /// Validation itself failed.
    #[serde(rename = "InternalError")]
    Internal,
}

impl ErrorType {
    /// Every type, in declaration order.
    pub const ALL: [ErrorType; 12] = [
        Self::NotFound,
        Self::Required,
        Self::Duplicate,
        Self::Invalid,
        Self::NotSupported,
        Self::Forbidden,
        Self::TooLong,
        Self::TooMany,
        Self::TooFew,
        Self::TooShort,
        Self::TypeInvalid,
        Self::Internal,
    ];

    /// The name in the API, as in `Status.details.causes[].reason`.
    #[must_use]
    pub fn api_name(self) -> &'static str {
        match self {
            Self::NotFound => "FieldValueNotFound",
            Self::Required => "FieldValueRequired",
            Self::Duplicate => "FieldValueDuplicate",
            Self::Invalid => "FieldValueInvalid",
            Self::NotSupported => "FieldValueNotSupported",
            Self::Forbidden => "FieldValueForbidden",
            Self::TooLong => "FieldValueTooLong",
            Self::TooMany => "FieldValueTooMany",
            Self::TooFew => "FieldValueTooFew",
            Self::TooShort => "FieldValueTooShort",
            Self::TypeInvalid => "FieldValueTypeInvalid",
            Self::Internal => "InternalError",
        }
    }

    /// The text that messages print for the type.
    #[must_use]
    pub fn printed(self) -> &'static str {
        match self {
            Self::NotFound => "Not found",
            Self::Required => "Required value",
            Self::Duplicate => "Duplicate value",
            Self::Invalid | Self::TypeInvalid => "Invalid value",
            Self::NotSupported => "Unsupported value",
            Self::Forbidden => "Forbidden",
            Self::TooLong => "Too long",
            Self::TooMany => "Too many",
            Self::TooFew => "Too few",
            Self::TooShort => "Too short",
            Self::Internal => "Internal error",
        }
    }

    /// Whether the message of an error of this type shows the bad value.
    #[must_use]
    pub fn shows_bad_value(self) -> bool {
        !matches!(self, Self::Required | Self::Forbidden | Self::TooLong | Self::TooShort | Self::Internal)
    }
}

impl fmt::Display for ErrorType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.printed())
    }
}

/// How far a rule has come; a rule without a mark is *standard* (always enforced).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Stability {
    /// Shadow: compared, never enforced.
    Alpha,
    /// Enforced, can be switched off by `DeclarativeValidationBeta`.
    Beta,
}

impl fmt::Display for Stability {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Alpha => "alpha",
            Self::Beta => "beta",
        })
    }
}
