//! The place that a tag stands on.

use super::rule::{Body, RuleFn, Source, SourceLine, Terms};
use crate::eval::Check;
use std::fmt;
use std::sync::Arc;
use takeover_harness::error::Stability;
use takeover_harness::schema::{Slot, TypeId};

/// A place where a tag can stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TagScope {
    /// Above a type.
    Type,
    /// Above a struct field.
    Field,
    /// On the elements of a list, below `eachVal` or `item`.
    ListValue,
    /// On the keys of a map, below `eachKey`.
    MapKey,
    /// On the values of a map, below `eachVal`.
    MapValue,
    /// Above a constant.
    Constant,
}

/// The place a tag stands on.
#[derive(Clone, Debug)]
pub(crate) struct Context {
    /// Kind of place.
    pub(crate) place: TagScope,
    /// The type under test there.
    pub(crate) ty: TypeId,
    /// Names the place: `pkg.Type.field[(vals)]`.
    pub(crate) path: Arc<str>,
    /// The struct field, on fields.
    pub(crate) member: Option<MemberRef>,
    /// Names the place around it; none on types.
    pub(crate) parent_path: Option<Arc<str>>,
    /// The type around it; none on types.
    pub(crate) parent: Option<TypeId>,
    /// Which list elements, below `item`.
    pub(crate) selector: Option<Terms>,
    /// Mark of the lifecycle wrapper around the tag.
    pub(crate) level: Option<Stability>,
    /// The line.
    pub(crate) line: Arc<SourceLine>,
}

/// A field of a struct in the type graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct MemberRef {
    /// The struct.
    pub(crate) owner: TypeId,
    /// The field's place in it.
    pub(crate) slot: Slot,
}

impl Context {
    /// A rule of `tag` here that checks the value.
    pub(crate) fn rule(&self, tag: &'static str, check: impl Check + 'static) -> RuleFn {
        self.attributed(tag, RuleFn::new(Body::Check(Arc::new(check))))
    }

    /// Says that a rule came from `tag` here.
    pub(crate) fn attributed(&self, tag: &'static str, rule: RuleFn) -> RuleFn {
        RuleFn { source: Some(Source { line: Arc::clone(&self.line), tag }), ..rule }
    }

    /// The path of the place around this one; empty for types.
    pub(crate) fn parent_key(&self) -> Arc<str> {
        self.parent_path.clone().unwrap_or_else(|| Arc::from(""))
    }
}

impl fmt::Display for TagScope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Type => "types",
            Self::Field => "struct fields",
            Self::ListValue => "list values",
            Self::MapKey => "map keys",
            Self::MapValue => "map values",
            Self::Constant => "constants",
        })
    }
}
