//! The laws that defaulting keeps, as rules, and what breaks them.

use super::bare::{Bare, Skeletons, set_in};
use super::rows::Row;
use super::skeleton::skeleton;
use super::together::{Trial, is_about};
use super::tried::{Once, Tried};
use serde_json::Value;
use takeover_harness::case::{Operation, Options};
use takeover_harness::error::{BadValue, ErrorType, FieldError};
use takeover_harness::object::{Arena, from_value};
use takeover_harness::oracle::{Answer, Objects, Oracle, Question};
use takeover_harness::path::Path;
use takeover_harness::rule::{Law, Rule, RuleId};

/// The origin of errors for values that defaulting changes.
pub const CHANGED: &str = "default changes what is set";
/// The origin of errors for values that defaulting removes.
pub const REMOVED: &str = "default removes what is set";
/// The origin of errors for values that change when an object is defaulted again.
pub const UNSTEADY: &str = "default sets more when it is applied again";
/// The origin of errors for values that depend on the order of fields.
pub const UNORDERED: &str = "default depends on the order of fields";
/// The origin of errors for values that later defaulting sets differently.
pub const LATER: &str = "default differs after admission or on a read";
/// The origin of errors for defaults that validation rejects.
pub const INVALID: &str = "default is not valid";
/// The origin of errors for defaults that depend on other fields.
pub const DEPENDENT: &str = "default depends on another field";

/// The laws of one pair.
pub(super) struct Laws {
    /// The number of the first law among the rules of the pair.
    pub(super) first: usize,
    /// What judges whether a default is valid; none where nothing does.
    pub(super) validator: Option<Box<dyn Oracle>>,
    /// Whether code sets anything: markers never depend on other fields.
    pub(super) has_code: bool,
}

impl Laws {
    /// The laws that can be tried.
    fn tried(&self) -> impl Iterator<Item = Law> {
        let (judges, has_code) = (self.validator.is_some(), self.has_code);
        Law::OF_DEFAULTS.into_iter().filter(move |law| match law {
            Law::Valid => judges,
            Law::Independent => has_code,
            _ => true,
        })
    }

    /// The laws that can be tried, as rules.
    pub(super) fn rules(&self) -> Vec<Rule> {
        let rule = |law: Law| Some(Rule { law: Some(law), ..Rule::new(self.id(law)?, "", law.said()) });
        self.tried().filter_map(rule).collect()
    }

    /// Reports what breaks a law: `by` names the defaulting, code or markers.
    pub(super) fn of_defaulting(&self, by: &str, found: &Once, tried: &Tried, answer: &mut Answer) {
        for row in found.rows.iter().filter(|row| !row.is_set()) {
            let Row { field, value, .. } = row;
            if row.is_removed() {
                let detail = format!("{by}: was {value}, and is removed");
                self.broken(Law::Kept, ErrorType::Forbidden, field, REMOVED, detail, answer);
            } else {
                let detail = format!("{by}: was set to another value, and becomes {value}");
                self.broken(Law::Kept, ErrorType::Invalid, field, CHANGED, detail, answer);
            }
        }
        for Row { field, value, .. } in &tried.again {
            let detail = format!("{by}: becomes {value} when the object is defaulted again");
            self.broken(Law::Twice, ErrorType::Invalid, field, UNSTEADY, detail, answer);
        }
        for Row { field, value, .. } in &tried.reordered {
            let detail = format!("{by}: becomes {value} when the fields stand in another order");
            self.broken(Law::Order, ErrorType::Invalid, field, UNORDERED, detail, answer);
        }
        for (step, row) in &tried.later {
            let Row { field, value, .. } = row;
            let becomes = if row.is_removed() { format!("{value} is not set") } else { format!("becomes {value}") };
            let detail = format!("{by}: {becomes} when {} and the object is defaulted again", step.said());
            self.broken(Law::Later, ErrorType::Invalid, field, LATER, detail, answer);
        }
    }

    /// Reports the defaults of code that depend on other fields.
    /// `left_out` has the defaults that are missing from the object.
    pub(super) fn of_dependence(&self, found: &Once, bare: &Bare, left_out: &[Row], answer: &mut Answer) {
        for row in found.rows.iter().filter(|row| row.is_set() && !bare.confirms(row)) {
            let Row { field, value, .. } = row;
            let detail = format!("takes the default {value}, and {}", bare.elsewhere(row));
            self.broken(Law::Independent, ErrorType::Required, field, DEPENDENT, detail, answer);
        }
        for Row { field, value, .. } in left_out {
            if found.rows.iter().any(|row| row.field == *field) {
                continue;
            }
            let detail = format!("takes no default, and {value} where nothing else is set");
            self.broken(Law::Independent, ErrorType::Required, field, DEPENDENT, detail, answer);
        }
    }

    /// Reports defaults that validation rejects in an object that says nothing else, or nothing but what is required.
    pub(super) fn of_validity(
        &self,
        bare: &Bare,
        skeletons: &Skeletons,
        (question, before): (&Question<'_>, &Value),
        answer: &mut Answer,
    ) {
        let Some(validator) = &self.validator else { return };
        let Objects { schema, root, .. } = question.objects;
        let judge = |object: &Value| -> Option<Vec<FieldError>> {
            let arena = Arena::new();
            let new = from_value(schema, root, object, &arena).ok()?;
            let objects = Objects { schema, root, new, old: None, sent: None };
            let view = validator.view(&objects, &arena).ok()?;
            let options: &Options = question.options;
            let created = Question { operation: Operation::Create, objects, options, subresource: "" };
            let mut judged = Answer::new();
            validator.answer(&created, &view, &mut judged).ok()?;
            Some(judged.errors.as_slice().to_vec())
        };
        let Some(errors) = judge(&bare.whole) else { return };
        let mut found: Vec<(Row, FieldError)> = Vec::new();
        for row in &bare.rows {
            found.extend(errors.iter().find(|error| is_about(error, row)).map(|error| (row.clone(), error.clone())));
        }
        let trial = Trial {
            sent: before,
            skeleton: &|| skeleton(schema, root, before),
            defaulted: &|object| skeletons.defaulted((schema, root), object),
            rows: &|before, after| set_in(before, after, (schema, root)),
            judge: &judge,
        };
        for (row, error) in trial.rejected(&errors, &bare.rows) {
            if !found.iter().any(|(known, _)| known.field == row.field) {
                found.push((row, error));
            }
        }
        for (Row { field, value, .. }, error) in &found {
            let detail = format!("takes the default {value}, which validation rejects: {error}");
            self.broken(Law::Valid, ErrorType::Invalid, field, INVALID, detail, answer);
        }
    }

    /// Marks the laws as reached.
    pub(super) fn reach(&self, answer: &mut Answer) {
        self.tried().filter_map(|law| self.id(law)).for_each(|id| answer.reach(id));
    }

    /// The rule of a law; `None` for a law that nothing tries.
    pub(super) fn id(&self, law: Law) -> Option<RuleId> {
        let at = self.tried().position(|of| of == law)?;
        Some(RuleId(u32::try_from(self.first + at).unwrap_or(u32::MAX)))
    }

    fn broken(
        &self,
        law: Law,
        error_type: ErrorType,
        field: &str,
        origin: &'static str,
        detail: String,
        answer: &mut Answer,
    ) {
        let Some(rule) = self.id(law) else { return };
        let error = FieldError::new(error_type, &Path::ROOT, BadValue::Hidden, detail).with_origin(origin);
        let (field, rule) = (field.to_owned(), Some(rule));
        answer.push(FieldError { field, rule, stability: Some(super::LEVEL), ..error });
    }
}
