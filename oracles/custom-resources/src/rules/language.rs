//! What the rules of a schema need of a language.

use crate::structural::Structural;
use serde_json::Value;

/// Compiles CEL rules.
pub trait Cel: Send + Sync {
    /// Compiles the rules of a node, in their order; `whole` tells whether the value is a whole object, of which apiVersion, kind and
    /// the names in its metadata can be told.
    ///
    /// # Errors
    /// Returns the reason when the node has no type in the language.
    fn compile(&self, node: &Structural, whole: bool) -> Result<Vec<Compiled>, String>;
}

/// A compiled rule, or why it does not compile.
pub type Compiled = Result<Box<dyn Program>, String>;

/// A rule that can be evaluated.
pub trait Program: Send + Sync {
    /// Whether the rule refers to the old value; its message does not count.
    fn uses_old(&self) -> bool;

    /// Evaluates the rule, within the limit of one call.
    fn run(&self, value: &Value, old: Old<'_>) -> Ran;

    /// Evaluates the expression of the message; none if the rule has none.
    fn message(&self, value: &Value, old: Option<&Value>) -> Option<Message>;
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
    /// The text; none where it failed or is no text.
    pub text: Option<String>,
    /// Whether the call cost more than one call may.
    pub too_expensive: bool,
    /// What it cost.
    pub cost: u64,
}
