//! What API servers reject of policies and bindings themselves.

mod binding;
mod expressions;
mod matching;
mod policy;
mod rules;

pub use binding::binding_errors;
pub use policy::policy_errors;

use takeover_harness::error::{ErrorType, FieldError};
use takeover_harness::path::Path;

/// A value outside of a set.
fn not_supported(path: &Path<'_>, value: &str, supported: &[&str]) -> FieldError {
    let supported: Vec<String> = supported.iter().map(|value| format!("\"{value}\"")).collect();
    FieldError::new(ErrorType::NotSupported, path, value, format!("supported values: {}", supported.join(", ")))
}
