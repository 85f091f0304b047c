//! What the candidate says of its own rules: the catalogue that evidence, reports and the generator work from.

mod reference;

pub use reference::{RuleRef, RuleRefError, Source, SourceError};

use crate::error::{ErrorType, FieldError, Stability};
use crate::path::{pattern, pattern_of};
pub use crate::reach::{Reached, RuleId};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::fmt;

/// One tag on one path.
///
/// Reads as `spec.replicas +k8s:minimum=0`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Rule {
    /// Index in the catalogue.
    pub id: RuleId,
    /// Path pattern of the value under test, `[*]` for indexes and keys, empty for the object itself.
    pub path: String,
    /// The tag chain without lifecycle wrapper, as written: `+k8s:subfield(name)=+k8s:format=k8s-long-name` is
    /// `subfield(name)=format=k8s-long-name`. What other lines add stands behind it: the members of a union, as in
    /// `unionMember of bool, int`, the keys of a list, as in `listType=map by name`, and the values of an enumeration.
    pub chain: String,
    /// Name of the tag that checks (the innermost), without prefix: `format`.
    pub tag: String,
    /// The tag of the chain whose own meaning is least settled, lifecycle wrappers aside; none when no tag is known.
    #[serde(default)]
    pub least_settled: Option<(String, TagStability)>,
    /// Lifecycle level; none is standard.
    pub stability: Option<Stability>,
    /// The `since` argument of the lifecycle wrapper.
    pub since: Option<String>,
    /// File and line of the tag, where known.
    pub source: Option<Source>,
    /// What the rule can report. Empty for rules that only steer (such as `optional`).
    pub reports: Vec<ErrorShape>,
    /// Whether the rule judges updates only (such as `immutable`).
    pub update_only: bool,
    /// Whether the rule judges creates too, but another old value can change what it says.
    #[serde(skip)]
    pub reads_old: bool,
    /// Path patterns of the values that decide whether it holds, as far as it reads others than the value under test; empty if it reads
    /// that one alone, or they are not known.
    #[serde(skip)]
    pub reads: Vec<String>,
    /// Whether its classes decide if, or by which limits, the candidate judges other fields, like those of a selector.
    #[serde(skip)]
    pub selects: bool,
    /// Whether the rule rejects only unset values of a field that has a default: defaulting comes first, so that no request can
    /// make it reject.
    pub after_default: bool,
    /// Options that switch the rule: name and the state in which it runs.
    pub options: Vec<(String, bool)>,
    /// How much a value that keeps the rule says, for the generator.
    #[serde(skip)]
    pub specificity: Specificity,
    /// Values on each side of the rule's boundary, for the generator.
    pub boundaries: Vec<Boundary>,
    /// Classes that the tag tells apart and that no object can show here, so that none is left out unsaid.
    #[serde(default)]
    pub unreachable: Vec<Unreachable>,
    /// The law that the rule holds objects to; none for rules that types declare.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub law: Option<Law>,
}

/// A law that every defaulting keeps, or every server-side apply.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Law {
    /// Defaulting twice changes nothing more.
    Twice,
    /// The order of fields does not matter.
    Order,
    /// What is set is kept.
    Kept,
    /// What is defaulted again after mutating admission, or when it is read from storage, is as if it had been defaulted at once.
    Later,
    /// A default is valid itself.
    Valid,
    /// A default does not depend on another field.
    Independent,
    /// An object goes into an apply configuration and back without loss.
    RoundTrip,
    /// What is extracted is what was applied.
    Extracted,
    /// Applying the same again changes nothing.
    Again,
    /// An update and an apply of the same change make the same object.
    SameObject,
    /// An apply without force is refused over the fields that it would change and others own, and over no others.
    Conflicts,
    /// An update and an apply of the same change get the same verdict.
    SameVerdict,
}

impl Law {
    /// The laws of defaulting.
    pub const OF_DEFAULTS: [Self; 6] =
        [Self::Twice, Self::Order, Self::Kept, Self::Later, Self::Valid, Self::Independent];
    /// The laws of server-side apply.
    pub const OF_APPLY: [Self; 6] =
        [Self::RoundTrip, Self::Extracted, Self::Again, Self::SameObject, Self::Conflicts, Self::SameVerdict];

    /// What it says, as the chain of its rule.
    #[must_use]
    pub fn said(self) -> &'static str {
        match self {
            Self::Twice => "defaulting twice changes nothing more",
            Self::Order => "the order of fields does not matter",
            Self::Kept => "what is set is kept",
            Self::Later => "defaulting after admission and on reads sets the same",
            Self::Valid => "a default is valid",
            Self::Independent => "a default does not depend on another field",
            Self::RoundTrip => "a configuration holds everything that an object sets",
            Self::Extracted => "what is extracted is what was applied",
            Self::Again => "applying the same again changes nothing",
            Self::SameObject => "update and apply make the same object",
            Self::Conflicts => "conflicts are what ownership says",
            Self::SameVerdict => "update and apply get the same verdict",
        }
    }

    /// What it asks of every object, in a sentence without a full stop.
    #[must_use]
    pub fn asks(self) -> &'static str {
        match self {
            Self::Twice => {
                "an object that has its defaults takes no others when it is defaulted again, as on every read"
            }
            Self::Order => "an object takes the same defaults in whatever order its fields are written",
            Self::Kept => "defaulting neither changes nor removes a value that the object sets",
            Self::Later => {
                "defaults that mutating admission removes or sets to null, of items that it adds, and that did not exist when the object \
                 was stored, are set as on the request"
            }
            Self::Valid => "validation accepts the defaults of an object whose other fields are unset",
            Self::Independent => "a field takes the same default whatever the other fields are",
            Self::RoundTrip => "an object that becomes an apply configuration and is read back has all its values",
            Self::Extracted => {
                "what is extracted for a manager is what it applied, also beside another manager and after an update"
            }
            Self::Again => "applying the same configuration again changes neither the object nor its managed fields",
            Self::SameObject => {
                "a change that is made by an update and the same made by an apply end in the same object"
            }
            Self::Conflicts => {
                "an apply without force is refused over the fields of others that it changes, and over no others"
            }
            Self::SameVerdict => {
                "an update and an apply of the same change are both accepted, or rejected with the same errors"
            }
        }
    }
}

/// How much a value that keeps a rule tells about other such values, most first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Specificity {
    /// All of it: one of an enumeration, or a list of the least elements.
    Whole,
    /// Its form.
    Form,
    /// A bound that it keeps.
    #[default]
    Bound,
    /// Nothing but that it is there.
    Presence,
}

/// How settled the meaning of a tag is. Says nothing about the rules made with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TagStability {
    /// May change.
    Alpha,
    /// Complete, being tried.
    Beta,
    /// Settled.
    Stable,
}

impl fmt::Display for TagStability {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Alpha => "alpha",
            Self::Beta => "beta",
            Self::Stable => "stable",
        })
    }
}

impl Rule {
    /// A standard rule of one tag, of which nothing more is known: it reports nothing and tells no classes apart.
    #[must_use]
    pub fn new(id: RuleId, path: impl Into<String>, chain: impl Into<String>) -> Self {
        let chain = chain.into();
        let tag = chain.split(['=', '(', ' ']).next().unwrap_or_default().to_owned();
        Self {
            id,
            path: path.into(),
            chain,
            tag,
            least_settled: None,
            stability: None,
            since: None,
            source: None,
            reports: Vec::new(),
            update_only: false,
            reads_old: false,
            reads: Vec::new(),
            selects: false,
            after_default: false,
            options: Vec::new(),
            specificity: Specificity::default(),
            boundaries: Vec::new(),
            unreachable: Vec::new(),
            law: None,
        }
    }

    /// Whether a value can break it, as far as its samples tell: no number of the type may lie outside its bounds.
    #[must_use]
    pub fn can_break(&self) -> bool {
        self.boundaries.is_empty() || self.boundaries.iter().any(|boundary| boundary.breaks)
    }

    /// Names of the options that the rule or one of its classes depends on, some more than once.
    pub fn option_names(&self) -> impl Iterator<Item = &str> {
        let classes = self.boundaries.iter().flat_map(|boundary| &boundary.options);
        self.options.iter().chain(classes).map(|(name, _)| name.as_str())
    }

    /// What the rule says, and where. This is its identity, of which the lifecycle level is no part.
    #[must_use]
    pub fn reference(&self) -> RuleRef {
        RuleRef { path: self.path.clone(), chain: self.chain.clone() }
    }

    /// The rule as people read it; see [`label`].
    #[must_use]
    pub fn label(&self) -> String {
        label(self.stability, &self.chain)
    }
}

/// A rule as people read it: `minimum=0`, with its level in front: `alpha minimum=0`.
#[must_use]
pub fn label(level: Option<Stability>, chain: &str) -> String {
    match level {
        Some(level) => format!("{level} {chain}"),
        None => chain.to_owned(),
    }
}

/// A shape of error that a rule can make.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ErrorShape {
    /// Type of the error.
    pub error_type: ErrorType,
    /// Pattern of the error's path.
    pub field: String,
    /// Origin of the error.
    pub origin: String,
}

impl ErrorShape {
    /// The shape of an error.
    #[must_use]
    pub fn of(error: &FieldError) -> Self {
        let origin = error.origin.as_ref().to_owned();
        Self { error_type: error.error_type, field: pattern(&error.field), origin }
    }

    /// Whether it is the shape of this error.
    #[must_use]
    pub fn is_of(&self, error: &FieldError) -> bool {
        let Self { error_type, field, origin } = self;
        *error_type == error.error_type && *origin == *error.origin && *field == *pattern_of(&error.field)
    }
}

/// A class of values that a rule distinguishes, with a sample of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Boundary {
    /// Name of the class: `below`, `on`, `above`, `far below`, `unset`, …
    pub class: String,
    /// Whether a value of the class breaks the rule.
    pub breaks: bool,
    /// A member of the class to put at the rule's path.
    pub sample: Sample,
    /// States of options, beside those of the rule, without which the sample is not of the class.
    #[serde(default)]
    pub options: Vec<(String, bool)>,
}

/// A class of values without a sample.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unreachable {
    /// Name of the class.
    pub class: String,
    /// Why: ``stopped by `required` ``, `no int8 is below`, …
    pub reason: String,
}

impl Unreachable {
    /// A class that cannot be shown, and why.
    pub fn new(class: impl Into<String>, reason: impl Into<String>) -> Self {
        Self { class: class.into(), reason: reason.into() }
    }
}

/// Text number `number` of those that stand for any text in samples: the generator may put one that other rules of the place
/// ask for, the same for the same number.
#[must_use]
pub fn any_text(number: usize) -> String {
    format!("{ANY}{number}")
}

/// The number of a text that stands for any; none if it stands for itself.
#[must_use]
pub fn any_text_number(text: &str) -> Option<usize> {
    text.strip_prefix(ANY)?.parse().ok()
}

const ANY: &str = "any-";

/// A text that differs from another one in the case of its letters alone, if it has any.
#[must_use]
pub fn in_another_case(text: &str) -> String {
    if text.contains(char::is_lowercase) { text.to_uppercase() } else { text.to_lowercase() }
}

/// A value for the generator to plant.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Sample {
    /// Leave the field out.
    Absent,
    /// Put this JSON value.
    Value(Value),
    /// Put these members into the struct around: the value itself, left out when it is to be absent, and those beside it
    /// that decide whether the rule judges it, such as a discriminator.
    Beside(Map<String, Value>),
}
