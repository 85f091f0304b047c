//! What breaks a law.

use std::collections::BTreeSet;
use takeover_harness::compare::Cause;
use takeover_harness::error::{BadValue, ErrorType, FieldError, Stability};
use takeover_harness::path::Path;
use takeover_harness::rule::{Law, RuleId};

/// The level of laws: without one, they would not be compared.
const LEVEL: Stability = Stability::Beta;

/// The origin of errors for values that are lost on the way through a configuration.
pub const LOST: &str = "lost in an apply configuration";
/// The origin of errors for values that are extracted in another way than they were applied.
pub const EXTRACTED: &str = "not extracted as it was applied";
/// The origin of errors for values that change when the same is applied again.
pub const AGAIN: &str = "changes when the same is applied again";
/// The origin of errors for values that differ after an update and an apply.
pub const OBJECT: &str = "differs after an update and an apply";
/// The origin of errors for values that are judged differently after an update and an apply.
pub const VERDICT: &str = "judged differently after an update and an apply";

/// The origin of errors for fields over which applies are refused, or taken over, in another way than ownership has it.
pub const CONFLICTS: &str = "another conflict than ownership has";

/// The origin of errors about a law.
fn origin(law: Law) -> &'static str {
    match law {
        Law::RoundTrip => LOST,
        Law::Extracted => EXTRACTED,
        Law::Again => AGAIN,
        Law::Conflicts => CONFLICTS,
        Law::SameVerdict => VERDICT,
        _ => OBJECT,
    }
}

/// The number of a law among the rules of a pair.
pub(super) fn number(law: Law) -> RuleId {
    let at = Law::OF_APPLY.iter().position(|of| *of == law);
    RuleId(at.and_then(|at| u32::try_from(at).ok()).unwrap_or(u32::MAX))
}

/// A value that breaks a law.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Breach {
    pub(super) law: Law,
    pub(super) field: String,
    pub(super) detail: String,
    /// How it came to be, where that is known.
    pub(super) cause: Option<Cause>,
}

/// The result of checking one request against the laws.
#[derive(Clone)]
pub(super) struct Held {
    /// The laws that were checked.
    pub(super) tried: BTreeSet<Law>,
    pub(super) breaches: Vec<Breach>,
}

impl From<Breach> for FieldError {
    fn from(Breach { law, field, detail, cause }: Breach) -> Self {
        let error = Self::new(ErrorType::Invalid, &Path::ROOT, BadValue::Hidden, detail).with_origin(origin(law));
        Self { field, rule: Some(number(law)), stability: Some(LEVEL), cause, ..error }
    }
}
