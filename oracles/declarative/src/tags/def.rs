//! What a tag registers.

use super::hints::Hints;
pub use crate::compile::TagScope;
use crate::compile::build::{Build, Validations};
use crate::compile::context::Context;
use crate::compile::problem::Problem;
use crate::grammar::{Literal, Payload, Tag};
use std::fmt;
use takeover_harness::error::Stability;
pub(super) use takeover_harness::rule::Specificity;
pub use takeover_harness::rule::TagStability;

/// The prefix of every validation tag.
pub const PREFIX: &str = "k8s:";

/// Whether a tag is one of the newest Kubernetes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Standing {
    /// It is.
    Current,
    /// The name of Kubernetes 1.33 to 1.36 for the tag of this name.
    Older(&'static str),
    /// KEP-5073 describes it, no release generates code for it.
    Proposed,
}

/// The lines that move from level to level together with the lines of a tag, because all of them make one rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Companions {
    /// Nothing.
    None,
    /// The lines of this name on the same field or type.
    OfPlace(&'static str),
    /// The lines of this name at the fields of the same struct.
    OfStruct(&'static str),
}

/// How a tag treats values that are not set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Requiredness {
    /// It refuses them.
    Required,
    /// It accepts them.
    Optional,
    /// It accepts nothing else.
    Forbidden,
}

/// Type of an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ArgKind {
    /// A word or quoted text.
    Text,
    /// An integer.
    Int,
    /// `true` or `false`.
    Bool,
}

/// An argument of a tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ArgDef {
    /// Name; none for the positional argument.
    pub name: Option<&'static str>,
    /// Type.
    pub kind: ArgKind,
    /// Whether it must be there.
    pub required: bool,
    /// What it says.
    pub doc: &'static str,
}

/// Type of a tag's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PayloadKind {
    /// No value.
    None,
    /// Text that may be left out.
    OptionalText,
    /// Text.
    Text,
    /// An integer.
    Int,
    /// Text, an integer or a bool.
    Scalar,
    /// Another tag.
    Tag,
}

/// A registered tag.
#[derive(Clone, Copy)]
pub struct TagDef {
    /// Name without prefix: `minimum`.
    pub name: &'static str,
    /// How settled its meaning is.
    pub stability: TagStability,
    /// Where it can stand.
    pub places: &'static [TagScope],
    /// Its arguments.
    pub args: &'static [ArgDef],
    /// Whether arguments of any name are taken.
    pub any_args: bool,
    /// Its value.
    pub payload: PayloadKind,
    /// One sentence.
    pub summary: &'static str,
    /// What exactly it does.
    pub semantics: &'static str,
    /// The errors it makes, each as `Type origin: detail`; empty when it makes none.
    pub errors: &'static [&'static str],
    /// A tag line that shows it.
    pub example: &'static str,
    /// Go code around the example: fields of a struct, or the declarations of a type `Example` and what it needs. `@` is
    /// the place of the tag line.
    pub go: &'static str,
    /// Whether it is a tag of the newest Kubernetes.
    pub standing: Standing,
    /// How far the tag narrows the values down: samples are made for the narrowest tags first.
    pub specificity: Specificity,
    /// The lines that move from level to level together with its own.
    pub companions: Companions,
    /// The level that it gives the rules in its value; none for tags that give none.
    pub level: Option<Stability>,
    /// The state that the option named in its argument must have; `None` for tags without an option.
    pub condition: Option<bool>,
    /// How it treats values that are not set; `None` when it does not look at that.
    pub requiredness: Option<Requiredness>,
    /// What else lint has to know about it.
    pub(crate) hints: Hints,
    /// Why no faults are registered for the controls, beside those that every rule can have; none if some are.
    pub no_mutants: Option<&'static str>,
    /// Makes rules of it.
    pub(crate) compile: Compile,
}

/// Makes rules of a tag in its place.
pub(crate) type Compile = fn(&mut Build<'_>, &Context, &Tag) -> Result<Validations, Problem>;

/// Every place but constants.
pub(crate) const VALUES: &[TagScope] =
    &[TagScope::Type, TagScope::Field, TagScope::ListValue, TagScope::MapKey, TagScope::MapValue];
/// Types and fields.
pub(crate) const TYPES_AND_FIELDS: &[TagScope] = &[TagScope::Type, TagScope::Field];
/// Fields.
pub(crate) const FIELDS: &[TagScope] = &[TagScope::Field];

impl TagDef {
    /// What a tag is when its registration says nothing else.
    pub(crate) const DEFAULT: TagDef = TagDef {
        name: "",
        stability: TagStability::Stable,
        places: VALUES,
        args: &[],
        any_args: false,
        payload: PayloadKind::None,
        summary: "",
        semantics: "",
        errors: &[],
        example: "",
        go: "",
        standing: Standing::Current,
        specificity: Specificity::Bound,
        companions: Companions::None,
        level: None,
        condition: None,
        requiredness: None,
        hints: Hints::DEFAULT,
        no_mutants: None,
        compile: |_, _, _| Ok(Validations::default()),
    };

    /// Whether a use of the tag fits its registration. `owner` of lifecycle wrappers is refused in strict mode alone.
    pub(crate) fn accepts(&self, tag: &Tag, place: TagScope, strict: bool) -> Result<(), Problem> {
        if !self.places.contains(&place) {
            return Err(Problem::new(format!("cannot stand on {place}")));
        }
        for def in self.args {
            let value = match def.name {
                Some(name) => tag.named(name),
                None => tag.positional(),
            };
            match value {
                Some(value) if !def.kind.takes(value) => {
                    let (name, found) = (def.shown(), value.type_name());
                    return Err(Problem::new(format!("argument {name} must be a {}, not a {found}", def.kind)));
                }
                None if def.required => {
                    return Err(Problem::new(format!("the argument {} is missing", def.shown())));
                }
                _ => {}
            }
        }
        for arg in &tag.args {
            let known = self.args.iter().any(|def| def.name == arg.name.as_deref());
            let proposed = !strict && self.level.is_some() && arg.name.as_deref() == Some("owner");
            if !known && !proposed && !self.any_args {
                let Some(name) = arg.name.as_deref() else {
                    return Err(Problem::new("the argument positional is not known"));
                };
                let known = self.args.iter().filter_map(|def| def.name);
                return Err(Problem::misspelt(format!("the argument `{name}` is not known"), name, known));
            }
        }
        let found = match &tag.value {
            Payload::None => None,
            Payload::Literal(literal) => Some(literal.type_name()),
            Payload::Tag(_) => Some("tag"),
        };
        match (self.payload, found) {
            (PayloadKind::None | PayloadKind::OptionalText, None) => Ok(()),
            (_, None) => Err(Problem::new(format!("a value of type {} is required", self.payload))),
            (PayloadKind::Text | PayloadKind::OptionalText, Some("string"))
            | (PayloadKind::Int, Some("int"))
            | (PayloadKind::Tag, Some("tag")) => Ok(()),
            (PayloadKind::Scalar, Some(found)) if found != "tag" => Ok(()),
            (PayloadKind::None, Some(found)) => Err(Problem::new(format!("takes no value, but has a {found}"))),
            (kind, Some(found)) => Err(Problem::new(format!("the value must be a {kind}, not a {found}"))),
        }
    }
}

impl fmt::Debug for TagDef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TagDef").field("name", &self.name).field("stability", &self.stability).finish_non_exhaustive()
    }
}

impl ArgDef {
    fn shown(&self) -> String {
        self.name.map_or("in parentheses".to_owned(), |name| format!("`{name}`"))
    }
}

impl PayloadKind {
    /// Whether a tag must have its value.
    pub(crate) fn is_required(self) -> bool {
        !matches!(self, Self::None | Self::OptionalText)
    }
}

impl ArgKind {
    fn takes(self, value: &Literal) -> bool {
        matches!(
            (self, value),
            (Self::Text, Literal::Text(_)) | (Self::Int, Literal::Int(_)) | (Self::Bool, Literal::Bool(_))
        )
    }
}

impl fmt::Display for ArgKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Text => "string",
            Self::Int => "int",
            Self::Bool => "bool",
        })
    }
}

impl fmt::Display for PayloadKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::None => "none",
            Self::OptionalText | Self::Text => "string",
            Self::Int => "int",
            Self::Scalar => "string, int or bool",
            Self::Tag => "tag",
        })
    }
}
