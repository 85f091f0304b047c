//! What is known wherever a value is validated.

use super::name::Name;
use super::outcome::{error, field};
use super::places::RulePlaces;
use takeover_harness::error::{BadValue, ErrorType, FieldError};
use takeover_harness::reach::RuleId;

/// Validates values below `prefix`: nothing, or the field that is validated alone.
#[derive(Clone, Copy, Debug)]
pub(super) struct Checker<'c> {
    pub(super) prefix: &'c str,
    /// The field that errors have which say only in their text where they are.
    whole: &'c str,
    /// The rules that errors are attributed to; `None` when nobody asks.
    rules: Option<&'c RulePlaces>,
    /// Whether values are held against one of several schemas, and the rule that this is: it made all errors inside.
    inside: Option<Option<RuleId>>,
}

impl<'c> Checker<'c> {
    /// One that attributes errors to no rules.
    pub(super) fn of(prefix: &'c str) -> Self {
        Self::attributing(prefix, None)
    }

    /// One that attributes errors to these rules.
    pub(super) fn attributing(prefix: &'c str, rules: Option<&'c RulePlaces>) -> Self {
        Self { prefix, whole: prefix, rules, inside: None }
    }

    /// One whose errors are at `whole` where they do not say where they are but in their text.
    pub(super) fn in_whole(self, whole: &'c str) -> Self {
        Self { whole, ..self }
    }

    /// One for the schemas of a keyword at `name` that has several.
    pub(super) fn inside(self, keyword: &str, name: &Name<'_>) -> Self {
        let rule = self.rules.and_then(|_| self.rule(keyword, name));
        Self { inside: self.inside.or(Some(rule)), ..self }
    }

    /// An error of a keyword at `name`.
    pub(super) fn error(
        &self,
        keyword: &str,
        error_type: ErrorType,
        name: &Name<'_>,
        bad_value: impl Into<BadValue>,
        detail: impl Into<String>,
    ) -> FieldError {
        let error = error(error_type, field(self.prefix, name), bad_value, detail);
        FieldError { rule: self.rule(keyword, name), ..error }
    }

    /// An error that does not say where it is but in its text.
    pub(super) fn vague(&self, keyword: &str, name: &Name<'_>, detail: impl Into<String>) -> FieldError {
        let error = error(ErrorType::Invalid, self.whole.to_owned(), "", detail);
        FieldError { rule: self.rule(keyword, name), ..error }
    }

    fn rule(&self, keyword: &str, name: &Name<'_>) -> Option<RuleId> {
        match self.inside {
            Some(rule) => rule,
            None => self.rules?.of_keyword(&name.pattern(self.prefix), keyword),
        }
    }
}
