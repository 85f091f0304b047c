//! Rules with flags and marks: what tags compile to.

use crate::eval::Check;
use crate::eval::program::{Correlation, KeyValue, Selector};
use crate::idl::Position;
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::sync::Arc;
use takeover_harness::error::Stability;
use takeover_harness::rule::TagStability;
use takeover_harness::schema::{Slot, TypeId};

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

/// Names of members and the values they must have, as written.
pub(crate) type Terms = Arc<[(Arc<str>, KeyValue)]>;

/// The members that terms name.
pub(crate) fn selected(terms: &[(Arc<str>, KeyValue)]) -> Map<String, Value> {
    terms.iter().map(|(name, value)| (name.to_string(), value.to_json())).collect()
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
