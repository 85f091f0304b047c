//! All lints.

use super::def::Lint;
use super::model::Model;
use super::rules;
use super::sink::Sink;

/// The function that runs a lint.
pub(super) type Look = fn(&Model<'_>, &mut Sink<'_>);

/// Every lint with its function, in the order they run.
pub(super) const LINTS: &[(&Lint, Look)] = &[
    (&rules::source::GO_SOURCE, rules::source::go_source),
    (&rules::invalid::INVALID_TAGS, rules::invalid::invalid_tags),
    (&rules::lifecycle::PREFIX, rules::lifecycle::prefix),
    (&rules::lifecycle::NESTED, rules::lifecycle::nested),
    (&rules::lifecycle::PAYLOAD, rules::lifecycle::payload),
    (&rules::lifecycle::SINCE, rules::lifecycle::since),
    (&rules::lifecycle::OWNER, rules::lifecycle::owner),
    (&rules::graduation::GRADUATION, rules::graduation::graduation),
    (&rules::stability::STABILITY, rules::stability::stability),
    (&rules::requiredness::REQUIREDNESS, rules::requiredness::requiredness),
    (&rules::tri_state::TRI_STATE, rules::tri_state::tri_state),
    (&rules::tri_state::OPTIONAL_DEFAULT, rules::tri_state::optional_default),
    (&rules::default_value::DEFAULT_VALUE, rules::default_value::default_value),
    (&rules::default_marker::DEFAULT_STRUCT, rules::default_marker::default_struct),
    (&rules::default_marker::DEFAULT_OMITEMPTY, rules::default_marker::default_omitempty),
    (&rules::default_marker::ZERO_DEFAULT, rules::default_marker::zero_default),
    (&rules::default_marker::STRUCT_OMITEMPTY, rules::default_marker::struct_omitempty),
    (&rules::never_fires::NEVER_FIRES, rules::never_fires::never_fires),
    (&rules::drift::DRIFT, rules::drift::drift),
    (&rules::lost_tags::DETACHED, rules::lost_tags::detached),
    (&rules::lost_tags::TYPEDEF, rules::lost_tags::typedef),
    (&rules::unknown::UNKNOWN_TAG, rules::unknown::unknown_tag),
    (&rules::package::KNOWN_TAGS_ONLY, rules::package::known_tags_only),
    (&rules::package::EXPLICIT_DISABLEMENT, rules::package::explicit_disablement),
    (&rules::source::UNUSED_EXCEPTION, |_, _| {}),
];

/// Every lint, in the order they run.
pub fn lints() -> impl Iterator<Item = &'static Lint> {
    LINTS.iter().map(|(lint, _)| *lint)
}

/// The lint of this name.
#[must_use]
pub fn lookup(name: &str) -> Option<&'static Lint> {
    lints().find(|lint| lint.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_lint_is_registered_once_and_documented() {
        let mut seen = std::collections::HashSet::new();
        for lint in lints() {
            assert!(seen.insert(lint.name), "`{}` is registered twice", lint.name);
            assert!(lint.summary.ends_with('.') && lint.explanation.ends_with('.'), "`{}` lacks prose", lint.name);
        }
    }
}
