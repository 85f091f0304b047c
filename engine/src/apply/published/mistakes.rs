//! What keeps Kubernetes from publishing Go types.

use serde_json::Value;
use std::fmt;
use takeover_oracles::declarative::idl::Position;

/// A field that `openapi-gen` of Kubernetes stops at, or reads otherwise than Go does.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Mistake {
    position: Position,
    /// `Type.Field`, as in Go.
    field: String,
    wrong: Wrong,
}

/// What is wrong with a field.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Wrong {
    /// Its default is not that of what Go always writes: JSON of both.
    Default { given: String, implied: String },
    /// The type of its items has a default that is not that of what Go always writes: JSON of both.
    ItemDefault { given: String, implied: String },
    /// It is `+optional` and `+required`.
    OptionalAndRequired,
    /// It is embedded, and `inline` does not stand right behind the name.
    NotInline,
}

impl Wrong {
    pub(super) fn default(given: &Value, implied: &Value) -> Self {
        Self::Default { given: given.to_string(), implied: implied.to_string() }
    }

    pub(super) fn item_default(given: &Value, implied: &Value) -> Self {
        Self::ItemDefault { given: given.to_string(), implied: implied.to_string() }
    }
}

impl Mistake {
    pub(super) fn new(position: Position, field: String, wrong: Wrong) -> Self {
        Self { position, field, wrong }
    }
}

impl fmt::Display for Mistake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { position, field, wrong } = self;
        write!(f, "{}:{}: `{field}` ", position.file, position.line)?;
        match wrong {
            Wrong::Default { given, implied } if implied == "{}" => {
                write!(
                    f,
                    "is a struct that is no pointer: openapi-gen rejects its default {given}, because it must be {{}}"
                )
            }
            Wrong::Default { given, implied } => {
                write!(f, "has no `omitempty`: openapi-gen rejects its default {given}, because it must be {implied}")
            }
            Wrong::ItemDefault { given, implied } => write!(
                f,
                "holds items with the default {given} of their type: openapi-gen of Kubernetes 1.36 rejects it, because it must be {implied}"
            ),
            Wrong::OptionalAndRequired => f.write_str("is `+optional` and `+required`: openapi-gen rejects it"),
            Wrong::NotInline => f.write_str(
                "is embedded without `inline` in its JSON tag: Go inlines its members, openapi-gen of Kubernetes 1.36 does not",
            ),
        }
    }
}
