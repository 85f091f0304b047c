//! What every check sees, and where it reports.

use std::any::Any;
use std::borrow::Cow;
use std::fmt::Debug;
use std::sync::Arc;
use takeover_harness::case::{Operation, Options};
use takeover_harness::error::{BadValue, ErrorType, FieldError, Stability};
use takeover_harness::object::Node;
use takeover_harness::oracle::Answer;
use takeover_harness::path::Path;
use takeover_harness::rule::{Boundary, RuleId, Unreachable};
use takeover_harness::schema::Schema;

/// One check of one value: what a tag compiles to in the end.
pub(crate) trait Check: Any + Debug + Send + Sync {
    /// Judges the value at `at`.
    fn check(&self, at: &At<'_>, sink: &mut Sink<'_>);

    /// What it can report, relative to the path of the value.
    fn reports(&self) -> Vec<Emission>;

    /// What its rule says that is not on the line of its tag: ` of a, b` for the members of a union or the values of an enumeration,
    /// ` by name` for the key of a list. Stands behind the chain, so that a rule with another member or key is another rule. Empty when
    /// the line says everything.
    fn beside_line(&self) -> String {
        String::new()
    }

    /// Whether it never reports on create.
    fn update_only(&self) -> bool {
        false
    }

    /// Whether it has something to say about a nil pointer.
    fn judges_nil(&self) -> bool {
        false
    }

    /// Whether the generated call has parameters of its own; a lifecycle mark on a call without them is lost inside a
    /// wrapper.
    fn has_parameters(&self) -> bool {
        true
    }

    /// Values on each side of what it checks.
    fn boundaries(&self) -> Vec<Boundary> {
        Vec::new()
    }

    /// Faults of its own that change an answer; those that every check can have are not among them.
    fn faults(&self) -> Vec<Fault> {
        Vec::new()
    }

    /// Whether it can fail on a value that an update leaves as it was.
    fn judges_unchanged(&self) -> bool {
        true
    }

    /// Whether any value of the type breaks it.
    fn can_fail(&self) -> bool {
        true
    }

    /// Whether it can fail on an unset value, or on the zero value of its type.
    fn fails_unset(&self) -> bool {
        true
    }

    /// Whether it can fail on a value that is set.
    fn fails_set(&self) -> bool {
        true
    }

    /// Whether it fails on every unset value.
    fn refuses_unset(&self) -> bool {
        false
    }

    /// Whether it fails on every update that puts one set value for another.
    fn refuses_modification(&self) -> bool {
        false
    }

    /// Whether it reports an error of the same type, path and origin wherever `other` does. When in doubt, the answer is no, which
    /// is safe.
    fn repeats(&self, _other: &dyn Check) -> bool {
        false
    }

    /// Whether it stands for how elements of its list are told apart, in correlation too.
    fn identifies(&self) -> bool {
        false
    }

    /// Classes that are not among [`Check::boundaries`], because the type has no value of them or none that is fit to be a
    /// sample.
    fn unreachable(&self) -> Vec<Unreachable> {
        Vec::new()
    }
}

/// A check with a fault in it.
#[derive(Clone, Debug)]
pub(crate) struct Fault {
    /// Name among the faults of the check.
    pub(crate) name: String,
    /// The check as it should not be.
    pub(crate) check: Arc<dyn Check>,
    /// Why no value can expose it; `None` when some value can.
    pub(crate) equivalent: Option<&'static str>,
    /// The values that expose it.
    pub(crate) shown_by: ShownBy,
}

/// Values that expose a fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ShownBy {
    /// All values.
    Any,
    /// Unset ones, or the zero value of the type.
    Unset,
    /// Values that have an old value.
    WithOld,
    /// Values that an update replaces another set value with.
    Modified,
    /// Values that an update sets where none was, or clears.
    Turned,
    /// Values of this class of the check.
    Class(&'static str),
}

/// A shape of error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Emission {
    /// Type.
    pub(crate) error_type: ErrorType,
    /// What the path goes on with: empty, `[*]`, `.member`.
    pub(crate) suffix: Cow<'static, str>,
    /// Origin.
    pub(crate) origin: Cow<'static, str>,
}

impl Emission {
    /// An error at the value itself.
    pub(crate) fn here(error_type: ErrorType, origin: impl Into<Cow<'static, str>>) -> Self {
        Self { error_type, suffix: Cow::Borrowed(""), origin: origin.into() }
    }

    /// An error further down.
    pub(crate) fn below(
        error_type: ErrorType,
        suffix: impl Into<Cow<'static, str>>,
        origin: impl Into<Cow<'static, str>>,
    ) -> Self {
        Self { error_type, suffix: suffix.into(), origin: origin.into() }
    }
}

/// A value under test with everything around it.
#[derive(Clone, Copy)]
pub(crate) struct At<'a> {
    /// Types.
    pub(crate) schema: &'a Schema,
    /// Create or update.
    pub(crate) operation: Operation,
    /// State of options.
    pub(crate) options: &'a Options,
    /// Where.
    pub(crate) path: &'a Path<'a>,
    /// The value; none is a nil pointer. Value types, lists and maps are never none.
    pub(crate) value: Option<Node<'a>>,
    /// The correlated old value; none when there is none, or when it is a nil pointer.
    pub(crate) old: Option<Node<'a>>,
}

impl At<'_> {
    /// Whether this is an update.
    pub(crate) fn is_update(&self) -> bool {
        self.operation == Operation::Update
    }
}

/// Takes errors, or only counts them while a silent rule runs, so that a silent rule that stops a field allocates nothing.
pub(crate) struct Sink<'l> {
    answer: &'l mut Answer,
    silent: bool,
    failures: usize,
}

impl<'l> Sink<'l> {
    /// Adds to `answer`.
    #[inline]
    pub(crate) fn new(answer: &'l mut Answer) -> Self {
        Self { answer, silent: false, failures: 0 }
    }

    /// Reports an error, which is only made if somebody wants it.
    pub(crate) fn report(&mut self, error: impl FnOnce() -> FieldError) {
        self.failures += 1;
        if !self.silent {
            self.answer.push(error());
        }
    }

    /// How often a rule has failed so far.
    #[inline]
    pub(crate) fn failures(&self) -> usize {
        self.failures
    }

    /// Number of errors so far.
    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.answer.errors.len()
    }

    /// Notes that a rule judged a value.
    #[inline]
    pub(crate) fn reach(&mut self, rule: RuleId) {
        self.answer.reach(rule);
    }

    /// Switches silence on or off and answers what it was.
    #[inline]
    pub(crate) fn set_silent(&mut self, silent: bool) -> bool {
        std::mem::replace(&mut self.silent, silent)
    }

    /// Marks the errors from index `from` on as those of a rule.
    pub(crate) fn attribute(&mut self, from: usize, rule: RuleId) {
        for error in self.answer.errors.since_mut(from) {
            error.rule.get_or_insert(rule);
        }
    }

    /// The errors from index `from` on.
    pub(crate) fn since_mut(&mut self, from: usize) -> &mut [FieldError] {
        self.answer.errors.since_mut(from)
    }

    /// Marks the errors from index `from` on with a level.
    pub(crate) fn mark_level(&mut self, from: usize, level: Stability) {
        for error in self.answer.errors.since_mut(from) {
            error.stability = Some(level);
        }
    }

    /// Marks the errors from index `from` on as those that stopped a place.
    pub(crate) fn mark_short_circuit(&mut self, from: usize) {
        for error in self.answer.errors.since_mut(from) {
            error.short_circuit = true;
        }
    }
}

/// An integer of any Go type.
pub(crate) fn integer(node: &Node<'_>) -> i128 {
    match node {
        Node::Int(value) => i128::from(*value),
        Node::Uint(value) => i128::from(*value),
        _ => 0,
    }
}

/// A string as the bad value of an error: Go stores a value of a named string type as such, and prints it as JSON.
pub(crate) fn text_value(named: bool, text: &str) -> BadValue {
    if named {
        BadValue::json(serde_json::Value::String(text.to_owned()))
    } else {
        BadValue::Text(Cow::Owned(text.to_owned()))
    }
}
