//! Names of values as the texts of OpenAPI errors have them.

use std::fmt;

/// Where a value stands below the one that is validated: `spec.list[0].key`. Keys of maps look like members.
#[derive(Clone, Copy, Debug)]
pub(super) enum Name<'n> {
    /// The value that is validated; empty.
    Whole,
    /// A named member.
    Member(&'n Name<'n>, &'n str),
    /// A member without a name in the schema: below the whole value it has a dot in front.
    Other(&'n Name<'n>, &'n str),
    /// A member that is not there, with the same dot.
    Missing(&'n Name<'n>, &'n str),
    /// An element.
    Element(&'n Name<'n>, usize),
}

impl Name<'_> {
    /// The place below `prefix` as rules name it: `spec.list[*].key`, and `[*]` for keys of maps.
    pub(super) fn pattern(&self, prefix: &str) -> String {
        match self {
            Self::Whole => prefix.to_owned(),
            Self::Member(parent, name) | Self::Missing(parent, name) => match parent.pattern(prefix) {
                place if place.is_empty() => (*name).to_owned(),
                place => format!("{place}.{name}"),
            },
            Self::Other(parent, _) | Self::Element(parent, _) => format!("{}[*]", parent.pattern(prefix)),
        }
    }
}

impl fmt::Display for Name<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Whole => Ok(()),
            Self::Member(Self::Whole, name) => f.write_str(name),
            Self::Member(parent, name) | Self::Other(parent, name) | Self::Missing(parent, name) => {
                write!(f, "{parent}.{name}")
            }
            Self::Element(parent, index) => write!(f, "{parent}[{index}]"),
        }
    }
}
