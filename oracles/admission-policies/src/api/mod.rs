//! Policies, bindings and selectors as manifests write them, with the defaults of an API server.

mod binding;
mod matching;
mod policy;

pub use binding::{Binding, BindingSpec, ParamRef};
pub use matching::{MatchResources, Requirement, Rule, Selector};
pub use policy::{AuditAnnotation, MatchCondition, ParamKind, Policy, PolicySpec, Validation, Variable};

use serde::{Deserialize, Deserializer};

/// A member that may be `null`, which is as if it were absent.
fn or_default<'de, D: Deserializer<'de>, T: Default + Deserialize<'de>>(deserializer: D) -> Result<T, D::Error> {
    Option::<T>::deserialize(deserializer).map(Option::unwrap_or_default)
}
