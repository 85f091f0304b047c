//! References to objects whose version may change.

use crate::meta::parse_group_version;
use crate::names::path_segment;
use crate::report::text;
use crate::types::autoscaling::v2::CrossVersionObjectReference;
use std::borrow::Cow;
use takeover_harness::error::{ErrorList, FieldError};
use takeover_harness::path::Path;

/// Which API versions a reference may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ApiVersions {
    /// Any text, because what is stored has it too.
    Any,
    /// A group and a version, or the version of the core group.
    WithCore,
    /// A group and a version.
    WithGroup,
}

/// What is wrong with an API version.
#[must_use]
pub fn api_version_problem(version: &str, allowed: ApiVersions) -> Option<Cow<'static, str>> {
    if allowed == ApiVersions::Any {
        return None;
    }
    match parse_group_version(version) {
        None => Some(format!("unexpected GroupVersion string: {version}").into()),
        Some(("", _)) if allowed == ApiVersions::WithGroup => Some("apiVersion must specify API group".into()),
        Some(_) => None,
    }
}

/// Checks a reference.
pub fn validate_reference(
    reference: &CrossVersionObjectReference,
    versions: ApiVersions,
    path: &Path<'_>,
    errors: &mut ErrorList,
) {
    for (value, member) in [(reference.kind, "kind"), (reference.name, "name")] {
        let at = path.child(member);
        if value.is_empty() {
            errors.push(FieldError::required(&at, ""));
        }
        for problem in path_segment(value) {
            errors.push(FieldError::invalid(&at, value, problem));
        }
    }
    let version = text(reference.api_version);
    if let Some(problem) = api_version_problem(version, versions) {
        errors.push(FieldError::invalid(&path.child("apiVersion"), version, problem));
    }
}
