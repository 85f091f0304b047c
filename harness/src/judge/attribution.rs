//! Which rules a disagreement is laid to.

use crate::compare::Matcher;
use crate::error::{ErrorType, FieldError};
use crate::path::pattern;
use crate::rule::{Rule, RuleId};
use std::collections::HashMap;

/// The rules of a subject by what they say they report.
pub(super) struct Attribution {
    rules: usize,
    by_origin: HashMap<String, Vec<(ErrorType, String, RuleId)>>,
}

impl Attribution {
    /// Indexes `rules` under the paths that they report and the paths that normalisation makes of those.
    pub(super) fn new(rules: &[Rule], matcher: &Matcher<'_>) -> Self {
        let mut by_origin: HashMap<String, Vec<_>> = HashMap::new();
        for rule in rules {
            for report in &rule.reports {
                let entry = by_origin.entry(report.origin.clone()).or_default();
                // Normalisation rules speak of indexes, patterns of `[*]`.
                let sample = report.field.replace("[*]", "[0]");
                let normalized = pattern(&matcher.normalized(&sample));
                if normalized != report.field {
                    entry.push((report.error_type, normalized, rule.id));
                }
                entry.push((report.error_type, report.field.clone(), rule.id));
            }
        }
        Self { rules: rules.len(), by_origin }
    }

    /// The rules that should have reported the reference error `error`, in catalogue order.
    pub(super) fn twins(&self, error: &FieldError) -> Vec<RuleId> {
        self.twins_at(error, &pattern(&error.field))
    }

    /// As [`Attribution::twins`], given the pattern of the error's field.
    pub(super) fn twins_at(&self, error: &FieldError, path: &str) -> Vec<RuleId> {
        let Some(reports) = self.by_origin.get(error.origin.as_ref()) else { return Vec::new() };
        let mut twins: Vec<RuleId> = reports
            .iter()
            .filter(|(error_type, field, _)| *error_type == error.error_type && *field == path)
            .map(|(_, _, rule)| *rule)
            .collect();
        twins.sort_unstable();
        twins.dedup();
        twins
    }

    /// The rule that made `error`; none when the candidate names none, or one that does not exist.
    pub(super) fn maker(&self, error: &FieldError) -> Option<RuleId> {
        error.rule.filter(|rule| rule.index() < self.rules)
    }
}
