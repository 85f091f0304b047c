//! What is run: steps, as API servers plan them, because cost is counted by step.

use crate::library::Function;
use crate::value::{Key, Value};
use std::collections::BTreeSet;
use std::sync::Arc;

/// A part of a plan.
#[derive(Debug)]
pub(super) enum Step {
    Constant(Value<'static>),
    Attribute(Box<Attribute>),
    And(Vec<Step>),
    Or(Vec<Step>),
    /// `==`, or `!=`.
    Equal {
        negated: bool,
        sides: Box<[Step; 2]>,
    },
    Call(Box<CallStep>),
    /// `in` a list of constants.
    Member {
        value: Box<Step>,
        set: BTreeSet<Key<'static>>,
    },
    /// Elements, and whether each is optional.
    List(Vec<(Step, bool)>),
    /// Keys, values, and whether each is optional.
    Map(Vec<(Step, Step, bool)>),
    Fold(Box<Fold>),
    /// `or()` and `orValue()`, which do not evaluate what they do not need.
    Otherwise {
        /// Whether the result is what is in the optional value.
        value: bool,
        sides: Box<[Step; 2]>,
    },
}

/// A call of a function.
pub(super) struct CallStep {
    pub(super) name: Arc<str>,
    pub(super) overload: Option<&'static str>,
    pub(super) function: Function,
    pub(super) args: Vec<Step>,
    /// Whether errors are arguments like others.
    pub(super) lenient: bool,
    /// The accumulator that the first argument is, if the result becomes its next value: it is changed in place.
    pub(super) accumulates: Option<usize>,
}

impl std::fmt::Debug for CallStep {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}{:?}", self.name, self.args)
    }
}

/// A variable or a value, and what is selected from it.
#[derive(Debug)]
pub(super) struct Attribute {
    pub(super) root: Root,
    pub(super) qualifiers: Vec<Qualifier>,
    /// Whether it only tests presence.
    pub(super) test: bool,
}

/// What a selection starts from.
#[derive(Debug)]
pub(super) enum Root {
    /// A variable of the rule.
    Variable(Arc<str>),
    /// A variable of a comprehension.
    Slot(usize),
    /// The value of a step.
    Relative(Box<Step>),
    /// `condition ? truthy : falsy`. What is selected is selected from the taken side.
    Conditional { condition: Box<Step>, sides: Box<[Attribute; 2]> },
}

/// A selection.
#[derive(Debug)]
pub(super) struct Qualifier {
    pub(super) key: QualifierKey,
    pub(super) optional: bool,
    /// Whether only presence is tested.
    pub(super) test: bool,
}

/// What is selected.
#[derive(Debug)]
pub(super) enum QualifierKey {
    Constant(Value<'static>),
    /// The value of an attribute, which costs nothing itself.
    Attribute(Box<Attribute>),
}

/// A comprehension. Its variables are in numbered slots.
#[derive(Debug)]
pub(super) struct Fold {
    pub(super) range: Step,
    pub(super) var: usize,
    pub(super) var2: Option<usize>,
    pub(super) accu: usize,
    pub(super) init: Step,
    pub(super) condition: Step,
    pub(super) step: Step,
    pub(super) result: Step,
}
