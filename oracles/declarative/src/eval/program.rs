//! The flat, immutable program that evaluation runs.
//!
//! Types are laid out once per path from the root, so that every rule knows its entry in the catalogue; types that contain
//! themselves refer back to the layout they are part of.

use super::check::Check;
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::Arc;
use takeover_harness::error::Stability;
use takeover_harness::rule::RuleId;
use takeover_harness::schema::Slot;

/// Index of a block in its program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct BlockId(pub(crate) u32);

/// All blocks; the root's first.
#[derive(Clone, Debug, Default)]
pub(crate) struct Program {
    /// Blocks by id.
    pub(crate) blocks: Vec<Block>,
}

/// What validating a value of a type at a path does.
#[derive(Clone, Debug, Default)]
pub(crate) struct Block {
    /// Rules of the type.
    pub(crate) rules: Box<[Cohort]>,
    /// Runs over keys and elements, for named lists and maps.
    pub(crate) iterations: Box<[Call]>,
    /// Fields with something to do.
    pub(crate) fields: Box<[FieldPlan]>,
}

/// What validating a struct field does.
#[derive(Clone, Debug)]
pub(crate) struct FieldPlan {
    /// Position in the struct.
    pub(crate) slot: Slot,
    /// Whether the field is a pointer.
    pub(crate) pointer: bool,
    /// How the path goes on.
    pub(crate) name: FieldName,
    /// Whether an unchanged field is skipped on update.
    pub(crate) ratchets: bool,
    /// Rules of the field.
    pub(crate) rules: Box<[Cohort]>,
    /// The field's type, if it has rules.
    pub(crate) block: Option<BlockId>,
    /// Runs over keys and elements.
    pub(crate) iterations: Box<[Call]>,
}

/// The path element of a field.
#[derive(Clone, Debug)]
pub(crate) enum FieldName {
    /// `.name`
    Named(Box<str>),
    /// None: the field reports at its parent's path; at the root, which has none, under its Go type.
    Inlined(Box<str>),
}

/// Rules that stop together.
#[derive(Clone, Debug)]
pub(crate) struct Cohort {
    /// Whether stopping ends the whole place.
    pub(crate) default: bool,
    /// All of these run.
    pub(crate) first: Box<[Call]>,
    /// These run if none of the first failed.
    pub(crate) rest: Box<[Call]>,
}

/// One rule in its place.
#[derive(Clone, Debug)]
pub(crate) struct Call {
    /// What it does.
    pub(crate) op: Op,
    /// Mark for its errors.
    pub(crate) level: Option<Stability>,
    /// Whether its errors are dropped.
    pub(crate) silent: bool,
    /// Whether it ends the cohort when it fails; kept for the rules of modes, which have no cohorts.
    pub(crate) short_circuit: bool,
}

/// What a rule does.
#[derive(Clone, Debug)]
pub(crate) enum Op {
    /// Checks the value.
    Check {
        /// The check.
        check: Arc<dyn Check>,
        /// Entry in the catalogue.
        rule: Option<RuleId>,
        /// Whether it has nothing to say on create.
        update_only: bool,
        /// Whether it has something to say about nil.
        judges_nil: bool,
    },
    /// Validates the value as its type says.
    Block(BlockId),
    /// On each list element.
    EachItem {
        /// How old elements are found.
        correlation: Correlation,
        /// Whether elements are pointers.
        pointers: bool,
        /// The rule.
        inner: Box<Call>,
    },
    /// On each map value.
    EachEntry(Box<Call>),
    /// On each map key.
    EachKey(Box<Call>),
    /// On a member.
    Subfield {
        /// The member's place.
        slot: Slot,
        /// Whether it is a pointer.
        pointer: bool,
        /// JSON name.
        name: Arc<str>,
        /// The rule.
        inner: Box<Call>,
    },
    /// On the list element with given keys.
    Item {
        /// The keys.
        selector: Selector,
        /// Whether elements are pointers.
        pointers: bool,
        /// The rule.
        inner: Box<Call>,
    },
    /// Depends on an option.
    IfOption {
        /// Option name.
        option: Arc<str>,
        /// State in which the rule runs.
        enabled: bool,
        /// The rule.
        inner: Box<Call>,
    },
    /// Depends on a discriminator.
    Mode(Box<ModeOp>),
}

/// The mode rules of one member.
#[derive(Clone, Debug)]
pub(crate) struct ModeOp {
    /// The member's place.
    pub(crate) slot: Slot,
    /// Whether it is a pointer.
    pub(crate) pointer: bool,
    /// JSON name.
    pub(crate) name: Arc<str>,
    /// The discriminator's place.
    pub(crate) discriminator: Slot,
    /// Whether the discriminator is a bool.
    pub(crate) boolean: bool,
    /// Rules by mode.
    pub(crate) modes: BTreeMap<Arc<str>, Box<[Call]>>,
    /// Runs in every other mode.
    pub(crate) otherwise: Call,
    /// Whether errors that stop a mode's rules carry the mark for it.
    pub(crate) marks_stops: bool,
}

/// How an element of the old list is found.
#[derive(Clone, Debug)]
pub(crate) enum Correlation {
    /// Not at all.
    None,
    /// Equal in full.
    Equal,
    /// Equal in these members.
    Keys(Arc<[Key]>),
}

/// A member that identifies list elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Key {
    /// Position in the element.
    pub(crate) slot: Slot,
    /// Whether the member is a pointer.
    pub(crate) pointer: bool,
}

/// Members and the values they must have.
pub(crate) type Selector = Arc<[(Key, KeyValue)]>;

/// A value written in an `item` tag.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum KeyValue {
    /// Text.
    Text(Arc<str>),
    /// Integer.
    Int(i64),
    /// Bool.
    Bool(bool),
}

impl KeyValue {
    /// The value as JSON.
    pub(crate) fn to_json(&self) -> Value {
        match self {
            Self::Text(text) => Value::from(text.as_ref()),
            Self::Int(value) => Value::from(*value),
            Self::Bool(value) => Value::from(*value),
        }
    }
}
