//! Expressions of policies.

use crate::api::{AuditAnnotation, PolicySpec, Validation, Variable};
use crate::language::{Environments, Expression};
use crate::names::qualified_name;
use takeover_cel::names::RESERVED;
use takeover_cel::types::Type;
use takeover_harness::error::{BadValue, ErrorType, FieldError};
use takeover_harness::path::Path;

/// Longest expression of an audit annotation, in bytes.
const LONGEST: usize = 5_120;

/// Judges the conditions, variables, validations and annotations of a policy.
pub(super) struct Judged<'e> {
    environments: Environments,
    has_params: bool,
    errors: &'e mut Vec<FieldError>,
}

impl<'e> Judged<'e> {
    pub(super) fn new(spec: &PolicySpec, errors: &'e mut Vec<FieldError>) -> Self {
        let has_params = spec.param_kind.is_some();
        // Without variables there is no name `variables` either.
        let environments = Environments::new(has_params, !spec.variables.is_empty());
        Self { environments, has_params, errors }
    }

    fn push(&mut self, error: FieldError) {
        self.errors.push(error);
    }

    /// Compiles; an error shows `value`.
    fn compile(&mut self, text: &str, value: &str, authorized: bool, expected: &[Type], path: &Path<'_>) -> Expression {
        let compiled = Expression::compile(text, self.environments.get(authorized), expected);
        self.refuse(&compiled, value, path);
        compiled
    }

    fn refuse(&mut self, compiled: &Expression, value: &str, path: &Path<'_>) {
        match &compiled.program {
            Ok(_) => {}
            Err(failure) if failure.is_internal => {
                self.push(FieldError::new(ErrorType::Internal, path, BadValue::Null, failure.to_string()));
            }
            Err(failure) => self.push(FieldError::invalid(path, value, failure.to_string())),
        }
    }

    /// Judges the match conditions, which know no variables.
    pub(super) fn conditions(&mut self, spec: &PolicySpec, path: &Path<'_>) {
        let count = spec.match_conditions.len();
        if count > 64 {
            self.push(FieldError::new(ErrorType::TooMany, path, count, "must have at most 64 items"));
        }
        let environments = Environments::new(self.has_params, false);
        let mut names: Vec<&str> = Vec::new();
        for (index, condition) in spec.match_conditions.iter().enumerate() {
            let path = path.index(index);
            let text = condition.expression.trim();
            if text.is_empty() {
                self.push(FieldError::required(&path.child("expression"), ""));
            } else {
                let compiled = Expression::compile(text, environments.get(true), &[Type::Bool]);
                self.refuse(&compiled, text, &path.child("expression"));
            }
            let name = condition.name.as_str();
            if name.is_empty() {
                self.push(FieldError::required(&path.child("name"), ""));
                continue;
            }
            for problem in qualified_name(name) {
                self.push(FieldError::invalid(&path.child("name"), name, problem));
            }
            if names.contains(&name) {
                self.push(FieldError::duplicate(&path.child("name"), name));
            } else {
                names.push(name);
            }
        }
    }

    /// Judges a variable; later expressions know it.
    pub(super) fn variable(&mut self, variable: &Variable, path: &Path<'_>) {
        let name = variable.name.as_str();
        if name.trim().is_empty() {
            self.push(FieldError::required(&path.child("name"), "name is not specified"));
        } else if !is_identifier(name) {
            self.push(FieldError::invalid(&path.child("name"), name, "must be a valid CEL identifier"));
        }
        let text = variable.expression.as_str();
        if text.trim().is_empty() {
            self.push(FieldError::required(&path.child("expression"), "expression is not specified"));
            return;
        }
        let compiled = self.compile(text, text, true, &[], &path.child("expression"));
        self.environments = self.environments.clone().with_variable(name, compiled.output());
    }

    /// Judges a validation.
    pub(super) fn validation(&mut self, validation: &Validation, path: &Path<'_>) {
        const REASONS: [&str; 3] = ["Forbidden", "Invalid", "RequestEntityTooLarge"];
        let text = validation.expression.as_str();
        if text.trim().is_empty() {
            self.push(FieldError::required(&path.child("expression"), "expression is not specified"));
        } else {
            self.compile(text, text, true, &[Type::Bool], &path.child("expression"));
        }
        let made = validation.message_expression.as_str();
        if !made.trim().is_empty() {
            self.compile(made, made, false, &[Type::String], &path.child("messageExpression"));
        } else if !made.is_empty() {
            let path = path.child("messageExpression");
            self.push(FieldError::invalid(&path, made, "must be non-empty if specified"));
        }
        let message = validation.message.as_str();
        if !message.is_empty() && message.trim().is_empty() {
            self.push(FieldError::invalid(&path.child("message"), message, "must be non-empty if specified"));
        } else if message.trim().contains(['\n', '\r']) {
            self.push(FieldError::invalid(&path.child("message"), message, "must not contain line breaks"));
        }
        if let Some(reason) = validation.reason.as_deref().filter(|reason| !REASONS.contains(reason)) {
            self.push(super::not_supported(&path.child("reason"), reason, &REASONS));
        }
    }

    /// Judges an audit annotation of the policy `policy`.
    pub(super) fn annotation(&mut self, annotation: &AuditAnnotation, policy: &str, path: &Path<'_>) {
        let key = annotation.key.as_str();
        if policy.is_empty() {
            self.push(FieldError::invalid(&path.child("key"), key, "requires metadata.name be non-empty"));
        } else {
            let whole = format!("{policy}/{key}");
            for problem in qualified_name(&whole) {
                self.push(FieldError::invalid(&path.child("key"), whole.as_str(), problem));
            }
        }
        let (text, path) = (annotation.value_expression.trim(), path.child("valueExpression"));
        if text.is_empty() {
            self.push(FieldError::required(&path, "valueExpression is not specified"));
        } else if text.len() > LONGEST {
            self.push(FieldError::required(&path, format!("must not exceed {LONGEST} bytes in length")));
        } else {
            self.compile(text, &annotation.value_expression, true, &[Type::String, Type::Null], &path);
        }
    }

    /// Refuses more audit annotations than are allowed.
    pub(super) fn too_many_annotations(&mut self, path: &Path<'_>, most: usize, annotations: &serde_json::Value) {
        let detail = format!("must not have more than {most} auditAnnotations");
        self.push(FieldError::invalid(path, annotations.clone(), detail));
    }

    /// Refuses a key that was used before.
    pub(super) fn duplicate_key(&mut self, key: &str, path: &Path<'_>) {
        self.push(FieldError::duplicate(&path.child("key"), key));
    }
}

fn is_identifier(name: &str) -> bool {
    let bytes = name.as_bytes();
    let first = bytes.first().is_some_and(|byte| byte.is_ascii_alphabetic() || *byte == b'_');
    first && bytes.iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b'_') && !RESERVED.contains(&name)
}
