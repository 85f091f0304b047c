//! Why two answers differ, and how the value in question came to be there.

use crate::text::nearest;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// Why one side says what the other does not, found by varying the case and asking both sides again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Cause {
    /// One side lets a stored value be: on a create, or when the value is changed, both sides agree.
    Ratchets,
    /// One side judges creates only: on a create both sides agree, and it accepts updates that bring the value.
    CreateOnly,
    /// Another error of the silent side stops it: once that one is mended, both sides report the error.
    Stopped,
    /// Both sides report the type at the place; one of them lacks the mark or the origin that lets the errors be compared.
    Unmarked,
    /// Both sides refuse the value at the place, with errors of different types.
    OtherType,
    /// Both sides refuse the value with errors of one type and origin, at different places.
    OtherPlace,
    /// Both sides report the type at the place, with different origins.
    OtherOrigin,
    /// The candidate rejects what the reference accepts.
    ReportsMore,
    /// The candidate accepts what the reference rejects.
    ReportsLess,
    /// The same case judged again gives another answer.
    Unsteady,
    /// The reference says that a rule covers its check, and no rule reports such an error.
    LostTwin,
    /// Defaulting or apply breaks a law in a way that is not known: what is set is not kept, for example.
    BreaksLaw,
    /// A default depends on another field, which KEP-1929 calls an anti-pattern.
    DependsOnField,
    /// A default stays after an apply, because no client owns it.
    StaleDefault,
    /// A default inside an atomic list or map belongs to who applied it.
    AtomicDefault,
    /// An empty struct that has fields of others, such as defaults, is not extracted.
    FilledStruct,
    /// A struct that has nothing but empty lists belongs to nobody, and is not extracted.
    UnownedStruct,
    /// Defaulting changes or removes what was sent or applied.
    ChangedByDefault,
    /// An apply that sets no field leaves no manager, and the next one attributes every field to `before-first-apply`.
    BeforeFirstApply,
    /// An apply refuses items with the same key, which validation accepts.
    DuplicateKey,
    /// An apply refuses items without a key, which validation accepts.
    MissingKey,
    /// An apply refuses a value of another JSON type than its schema says, which validation accepts.
    OtherJsonType,
    /// A list that an apply empties becomes null first, and empty when the same is applied again.
    EmptiedList,
    /// One object has null where the other has nothing.
    NullOrAbsent,
    /// One object has an empty list, map or text where the other has nothing or null.
    EmptyOrAbsent,
    /// Both objects have the same items in a list whose order counts, in another order.
    Order,
    /// One side sets a default where nothing was sent, and the other leaves the value unset.
    NotDefaulted,
    /// Both sides set a default where nothing was sent, and the two defaults are different.
    OtherDefault,
    /// One side sets a default where null was sent, and the other keeps the null or drops it.
    DefaultsNull,
    /// One side sets a default where a zero or empty value was sent, and the other keeps that or drops it.
    DefaultsZero,
}

impl Cause {
    /// Every cause.
    pub const ALL: [Self; 30] = [
        Self::Ratchets,
        Self::CreateOnly,
        Self::Stopped,
        Self::Unmarked,
        Self::OtherType,
        Self::OtherPlace,
        Self::OtherOrigin,
        Self::ReportsMore,
        Self::ReportsLess,
        Self::Unsteady,
        Self::LostTwin,
        Self::BreaksLaw,
        Self::DependsOnField,
        Self::StaleDefault,
        Self::AtomicDefault,
        Self::FilledStruct,
        Self::UnownedStruct,
        Self::ChangedByDefault,
        Self::BeforeFirstApply,
        Self::DuplicateKey,
        Self::MissingKey,
        Self::OtherJsonType,
        Self::EmptiedList,
        Self::NullOrAbsent,
        Self::EmptyOrAbsent,
        Self::Order,
        Self::NotDefaulted,
        Self::OtherDefault,
        Self::DefaultsNull,
        Self::DefaultsZero,
    ];

    /// Whether it tells apart two ways to set nothing, which most readers of objects take for the same.
    #[must_use]
    pub fn is_of_unset(self) -> bool {
        matches!(self, Self::NullOrAbsent | Self::EmptyOrAbsent)
    }

    /// One word, as in files: `reports-less`.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Ratchets => "ratchets",
            Self::CreateOnly => "create-only",
            Self::Stopped => "stopped",
            Self::Unmarked => "unmarked",
            Self::OtherType => "other-type",
            Self::OtherPlace => "other-place",
            Self::OtherOrigin => "other-origin",
            Self::ReportsMore => "reports-more",
            Self::ReportsLess => "reports-less",
            Self::Unsteady => "unsteady",
            Self::LostTwin => "lost-twin",
            Self::BreaksLaw => "breaks-law",
            Self::DependsOnField => "depends-on-field",
            Self::StaleDefault => "stale-default",
            Self::AtomicDefault => "atomic-default",
            Self::FilledStruct => "filled-struct",
            Self::UnownedStruct => "unowned-struct",
            Self::ChangedByDefault => "changed-by-default",
            Self::BeforeFirstApply => "before-first-apply",
            Self::DuplicateKey => "duplicate-key",
            Self::MissingKey => "missing-key",
            Self::OtherJsonType => "other-json-type",
            Self::EmptiedList => "emptied-list",
            Self::NullOrAbsent => "null-or-absent",
            Self::EmptyOrAbsent => "empty-or-absent",
            Self::Order => "order",
            Self::NotDefaulted => "not-defaulted",
            Self::OtherDefault => "other-default",
            Self::DefaultsNull => "defaults-null",
            Self::DefaultsZero => "defaults-zero",
        }
    }
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

/// A word that names no cause.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown cause `{0}`: {hint}", hint = hint(.0))]
pub struct NotACause(String);

/// What was probably meant, or else every cause.
fn hint(asked: &str) -> String {
    let words = || Cause::ALL.map(Cause::word);
    match nearest(asked, words()) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("the causes are {}", words().join(", ")),
    }
}

impl FromStr for Cause {
    type Err = NotACause;

    fn from_str(text: &str) -> Result<Self, NotACause> {
        Self::ALL.into_iter().find(|cause| cause.word() == text).ok_or_else(|| NotACause(text.to_owned()))
    }
}

/// How the value in question relates to the stored object.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Relation {
    /// The request brings it: a create, or an update of an object that had no such value.
    #[default]
    New,
    /// The update changes it.
    Changed,
    /// The update leaves it as it was stored.
    Kept,
}

impl Relation {
    /// Every relation.
    pub const ALL: [Self; 3] = [Self::New, Self::Changed, Self::Kept];

    /// One word: `kept`.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::New => "new",
            Self::Changed => "changed",
            Self::Kept => "kept",
        }
    }
}

impl fmt::Display for Relation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}
