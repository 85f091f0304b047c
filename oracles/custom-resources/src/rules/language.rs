//! What the rules of a schema need of a language.

use crate::structural::Structural;
use serde_json::Value;
use std::sync::Arc;
use takeover_cel::cost::limits;

/// Compiles CEL rules.
pub trait Cel {
    /// Compiles the rules of a node, in their order. `pointer` is the JSON pointer of the node in its schema; `whole` tells whether the
    /// value is a whole object, of which apiVersion, kind and the names in its metadata can be told.
    ///
    /// # Errors
    /// Returns the reason when the node has no type in the language.
    fn compile(&mut self, pointer: &str, node: &Structural, whole: bool) -> Result<Vec<Compiled>, String>;
}

/// A compiled rule, or why it does not compile.
pub type Compiled = Result<Arc<dyn Program>, String>;

/// A rule that can be evaluated.
pub trait Program: Send + Sync {
    /// Whether the rule refers to the old value; its message does not count.
    fn uses_old(&self) -> bool;

    /// Where errors of the rule point to below its value, as errors write it: `a.b`, `m[k]`. None if it is the value itself.
    fn field_path(&self) -> Option<&str>;

    /// Evaluates the rule; a call that costs more than `limit` ends.
    fn run(&self, value: &Value, old: Old<'_>, limit: u64) -> Ran;

    /// Evaluates the expression of the message, within the same limit; `None` if the rule has none.
    fn message(&self, value: &Value, old: Option<&Value>, limit: u64) -> Option<Message>;
}

/// What rules may cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// One evaluation of an expression.
    pub per_call: u64,
    /// All rules on one object.
    pub per_object: u64,
}

impl Default for Bounds {
    /// Those of API servers.
    fn default() -> Self {
        Self { per_call: limits::PER_CALL, per_object: limits::PER_OBJECT }
    }
}

/// The old value as a rule sees it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Old<'v> {
    /// There is none.
    Unbound,
    /// The value.
    Value(&'v Value),
    /// A value that may be absent (`optionalOldSelf`).
    Optional(Option<&'v Value>),
}

/// What came of evaluating a rule.
#[derive(Clone, Debug, PartialEq)]
pub struct Ran {
    /// The result.
    pub outcome: Outcome,
    /// What it cost.
    pub cost: u64,
}

/// The result of a rule.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// True.
    Holds,
    /// False.
    Fails,
    /// An error, as text.
    Error(String),
    /// No function takes arguments of these types; as text.
    NoOverload(String),
    /// The call cost more than one call may.
    TooExpensive,
}

/// What came of the expression of a message.
#[derive(Clone, Debug, PartialEq)]
pub struct Message {
    /// The text; `None` if it failed or is no text.
    pub text: Option<String>,
    /// Whether the call cost more than one call may.
    pub too_expensive: bool,
    /// What it cost.
    pub cost: u64,
}
