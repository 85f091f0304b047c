//! What tags compile to: rules with flags and marks, and work that has to wait until a field or type is complete.

use super::build::Build;
use super::problem::Problem;
use crate::declarative::eval::Check;
use crate::declarative::idl::Position;
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::sync::Arc;
use takeover_harness::error::Stability;
use takeover_harness::rule::TagStability;
use takeover_harness::schema::{Slot, TypeId};

/// Everything that tags on one place compile to.
#[derive(Default)]
pub(crate) struct Validations {
    /// Rules that are complete.
    pub(crate) rules: Vec<RuleFn>,
    /// Rules that are made later.
    pub(crate) deferred: Vec<Deferred>,
    /// Whether a tag left a remark in the generated code and nothing else; the place then counts as having rules.
    pub(crate) remark: bool,
    /// Whether a rule needs a variable of its own, which `eachVal` and `eachKey` refuse.
    pub(crate) variables: bool,
    /// Whether the type's own rules are cut off.
    pub(crate) opaque: bool,
    /// The same for map keys.
    pub(crate) opaque_key: bool,
    /// The same for elements and map values.
    pub(crate) opaque_val: bool,
}

/// A rule with the flags that steer its list.
#[derive(Clone, Debug)]
pub(crate) struct RuleFn {
    /// What it does.
    pub(crate) body: Body,
    /// Whether an error ends the cohort.
    pub(crate) short_circuit: bool,
    /// Whether its errors are not reported.
    pub(crate) non_error: bool,
    /// Named group; empty for the default one.
    pub(crate) cohort: Arc<str>,
    /// Lifecycle mark.
    pub(crate) level: Option<Stability>,
    /// Whether lifecycle wrappers leave the mark alone (mode rules mark their payloads themselves).
    pub(crate) self_marked: bool,
    /// The tag it came from.
    pub(crate) source: Option<Source>,
}

/// What a rule does.
#[derive(Clone, Debug)]
pub(crate) enum Body {
    /// Checks the value.
    Check(Arc<dyn Check>),
    /// Runs the rules of a type.
    Type(TypeId),
    /// Runs a rule on each list element.
    EachItem {
        /// How elements of the old list are found.
        correlation: Correlation,
        /// Type of the elements.
        element: TypeId,
        /// The rule.
        inner: Box<RuleFn>,
    },
    /// Runs a rule on each map value.
    EachEntry(Box<RuleFn>),
    /// Runs a rule on each map key.
    EachKey(Box<RuleFn>),
    /// Runs a rule on a member of a struct.
    Subfield {
        /// The member's place.
        slot: Slot,
        /// Its type.
        ty: TypeId,
        /// JSON name.
        name: Arc<str>,
        /// The rule.
        inner: Box<RuleFn>,
    },
    /// Runs a rule on the list element with given keys.
    Item {
        /// The keys as written.
        terms: Terms,
        /// The keys.
        selector: Selector,
        /// Whether the list holds pointers.
        pointers: bool,
        /// The rule.
        inner: Box<RuleFn>,
    },
    /// Runs a rule when an option is on (off).
    IfOption {
        /// Option name.
        option: Arc<str>,
        /// The state in which the rule runs.
        enabled: bool,
        /// The rule.
        inner: Box<RuleFn>,
    },
    /// Runs the rules of the mode that a discriminator names, on a member of a struct.
    Mode(Box<Mode>),
}

/// The mode rules of one member.
#[derive(Clone, Debug)]
pub(crate) struct Mode {
    /// The member's place.
    pub(crate) slot: Slot,
    /// Its type.
    pub(crate) ty: TypeId,
    /// JSON name.
    pub(crate) name: Arc<str>,
    /// The discriminator's place.
    pub(crate) discriminator: Slot,
    /// The discriminator's JSON name.
    pub(crate) chooser: Arc<str>,
    /// A value of the discriminator that is no mode; none when every value is.
    pub(crate) unknown: Option<Value>,
    /// Whether the discriminator is a bool.
    pub(crate) boolean: bool,
    /// Rules by mode, sorted by mode.
    pub(crate) modes: BTreeMap<Arc<str>, Vec<RuleFn>>,
    /// Runs in every other mode.
    pub(crate) otherwise: RuleFn,
    /// Whether errors that stop a mode's rules carry the mark for it, as they did before Kubernetes 1.37.
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
    /// Place in the element.
    pub(crate) slot: Slot,
    /// Whether the member is a pointer.
    pub(crate) pointer: bool,
}

/// Members and the values they must have.
pub(crate) type Selector = Arc<[(Key, KeyValue)]>;

/// Names of members and the values they must have, as written.
pub(crate) type Terms = Arc<[(Arc<str>, KeyValue)]>;

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

/// The members that terms name.
pub(crate) fn selected(terms: &[(Arc<str>, KeyValue)]) -> Map<String, Value> {
    terms.iter().map(|(name, value)| (name.to_string(), value.to_json())).collect()
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

/// Where a rule came from.
#[derive(Clone, Debug)]
pub(crate) struct Source {
    /// The line.
    pub(crate) line: Arc<SourceLine>,
    /// Name of the tag that checks, without prefix.
    pub(crate) tag: &'static str,
}

/// A tag line as rules remember it.
#[derive(Clone, Debug)]
pub(crate) struct SourceLine {
    /// Where the `+` stands.
    pub(crate) position: Position,
    /// The chain without lifecycle wrappers and prefixes: `subfield(name)=format=k8s-long-name`.
    pub(crate) chain: String,
    /// The `since` of the outermost lifecycle wrapper.
    pub(crate) since: Option<String>,
    /// The tag whose own meaning is least settled.
    pub(crate) least_settled: Option<(String, TagStability)>,
}

/// When deferred work runs, and whose rules come out of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scope {
    /// When the field or type is complete; the rules stay with it.
    Here,
    /// When all fields of the struct are complete; the rules go to the struct.
    Parent,
}

type Work = dyn FnOnce(&mut Build<'_>) -> Result<Validations, Problem>;

/// Work that waits.
pub(crate) struct Deferred {
    /// When it runs.
    pub(crate) scope: Scope,
    work: Box<Work>,
}

impl Deferred {
    /// Work for later.
    pub(crate) fn new(
        scope: Scope,
        work: impl FnOnce(&mut Build<'_>) -> Result<Validations, Problem> + 'static,
    ) -> Self {
        Self { scope, work: Box::new(work) }
    }

    /// Does the work.
    pub(crate) fn run(self, build: &mut Build<'_>) -> Result<Validations, Problem> {
        (self.work)(build)
    }
}

impl From<RuleFn> for Validations {
    fn from(rule: RuleFn) -> Self {
        Self { rules: vec![rule], ..Self::default() }
    }
}

impl From<Deferred> for Validations {
    fn from(deferred: Deferred) -> Self {
        Self { deferred: vec![deferred], ..Self::default() }
    }
}

impl Validations {
    /// Appends what another tag compiled to.
    pub(crate) fn add(&mut self, other: Validations) {
        self.rules.extend(other.rules);
        self.deferred.extend(other.deferred);
        self.remark |= other.remark;
        self.variables |= other.variables;
        self.opaque |= other.opaque;
        self.opaque_key |= other.opaque_key;
        self.opaque_val |= other.opaque_val;
    }

    /// Whether code comes out of this.
    pub(crate) fn emits(&self) -> bool {
        !self.rules.is_empty() || self.remark || self.variables || !self.deferred.is_empty()
    }

    /// Whether nothing at all comes out of this.
    pub(crate) fn is_empty(&self) -> bool {
        !self.emits() && !self.opaque && !self.opaque_key && !self.opaque_val
    }

    /// Puts every rule, present and deferred, through `wrap`, which is told whose rule it becomes.
    pub(crate) fn wrap(self, wrap: impl Fn(RuleFn, Scope) -> RuleFn + Clone + 'static) -> Validations {
        self.wrap_in(Scope::Here, wrap)
    }

    /// [`Validations::wrap`] for rules that belong to `scope`.
    pub(crate) fn wrap_in(
        mut self,
        scope: Scope,
        wrap: impl Fn(RuleFn, Scope) -> RuleFn + Clone + 'static,
    ) -> Validations {
        self.rules = self.rules.into_iter().map(|rule| wrap(rule, scope)).collect();
        self.deferred = self
            .deferred
            .into_iter()
            .map(|deferred| {
                let (scope, wrap) = (deferred.scope, Wrap::new(wrap.clone()));
                Deferred::new(scope, move |build| Ok(wrap.apply(deferred.run(build)?, scope)))
            })
            .collect();
        self
    }
}

/// A wrapping function behind a pointer, so that nested deferral does not nest types.
#[derive(Clone)]
struct Wrap(std::rc::Rc<dyn Fn(RuleFn, Scope) -> RuleFn>);

impl Wrap {
    fn new(wrap: impl Fn(RuleFn, Scope) -> RuleFn + 'static) -> Self {
        Self(std::rc::Rc::new(wrap))
    }

    fn apply(self, validations: Validations, scope: Scope) -> Validations {
        let wrap = self.0;
        validations.wrap_in(scope, move |rule, scope| wrap(rule, scope))
    }
}

impl RuleFn {
    /// A rule without flags.
    pub(crate) fn new(body: Body) -> Self {
        Self {
            body,
            short_circuit: false,
            non_error: false,
            cohort: Arc::from(""),
            level: None,
            self_marked: false,
            source: None,
        }
    }

    /// A rule that keeps the flags of the rule it wraps; cohort and mark stay inside.
    pub(crate) fn around(body: Body, inner: &RuleFn) -> Self {
        Self { short_circuit: inner.short_circuit, non_error: inner.non_error, ..Self::new(body) }
    }

    /// Ends the cohort when it fails.
    pub(crate) fn short_circuit(mut self) -> Self {
        self.short_circuit = true;
        self
    }

    /// Does not report.
    pub(crate) fn silent(mut self) -> Self {
        self.non_error = true;
        self
    }

    /// In a named cohort.
    pub(crate) fn in_cohort(mut self, cohort: &Arc<str>) -> Self {
        self.cohort = Arc::clone(cohort);
        self
    }

    /// With a lifecycle mark.
    pub(crate) fn marked(mut self, level: Option<Stability>) -> Self {
        if level.is_some() {
            self.level = level;
        }
        self
    }
}
