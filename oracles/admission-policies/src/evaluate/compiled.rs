//! A compiled policy.

use super::activation::{Group, Inputs, OUT_OF_BUDGET, OutOfBudget, Valued, run};
use super::outcome::{AnnotationResult, Decision, DecisionKind, Evaluation};
use crate::api::{Policy, Validation};
use crate::language::{Environments, Expression};
use std::collections::BTreeSet;
use takeover_cel::Program;
use takeover_cel::syntax::{Ast, Kind};
use takeover_cel::types::Type;
use takeover_cel::value::Value;

/// What validations of one binding and param may cost, and what their annotations may.
const BUDGET: u64 = 10_000_000;
/// What match conditions may cost.
const BUDGET_OF_CONDITIONS: u64 = 2_500_000;
/// Longest message that an expression may make, in bytes.
const LONGEST_MESSAGE: usize = 5_120;

/// A policy whose expressions are compiled.
#[derive(Debug)]
pub struct CompiledPolicy {
    policy: Policy,
    variables: Vec<(String, Expression)>,
    conditions: Vec<Expression>,
    validations: Vec<Expression>,
    messages: Vec<Option<Expression>>,
    annotations: Vec<Expression>,
}

impl CompiledPolicy {
    /// Compiles every expression of a policy. Those that do not compile fail when they are evaluated.
    #[must_use]
    pub fn new(policy: Policy) -> Self {
        let spec = &policy.spec;
        let mut environments = Environments::new(spec.param_kind.is_some(), true);
        let mut variables = Vec::new();
        for variable in &spec.variables {
            let compiled = Expression::compile(&variable.expression, environments.get(true), &[]);
            environments = environments.with_variable(&variable.name, compiled.output());
            variables.push((variable.name.clone(), compiled));
        }
        let compile = |text: &str, expected: &[Type]| Expression::compile(text, environments.get(true), expected);
        let message = |validation: &Validation| {
            let text = &validation.message_expression;
            (!text.is_empty()).then(|| Expression::compile(text, environments.get(false), &[Type::String]))
        };
        Self {
            conditions: spec.match_conditions.iter().map(|of| compile(&of.expression, &[Type::Bool])).collect(),
            validations: spec.validations.iter().map(|of| compile(&of.expression, &[Type::Bool])).collect(),
            messages: spec.validations.iter().map(message).collect(),
            annotations: spec
                .audit_annotations
                .iter()
                .map(|of| compile(&of.value_expression, &[Type::String, Type::Null]))
                .collect(),
            variables,
            policy,
        }
    }

    /// The policy.
    #[must_use]
    pub fn policy(&self) -> &Policy {
        &self.policy
    }

    /// Whether a match condition compiles, by its place.
    pub(crate) fn condition_compiles(&self, at: usize) -> bool {
        self.conditions.get(at).is_some_and(|expression| expression.program.is_ok())
    }

    /// Whether a validation compiles, by its place.
    pub(crate) fn validation_compiles(&self, at: usize) -> bool {
        self.validations.get(at).is_some_and(|expression| expression.program.is_ok())
    }

    /// Every expression that compiles, except messages, and whether it is a match condition.
    pub(crate) fn programs(&self) -> impl Iterator<Item = (bool, &Program)> {
        let conditions = self.conditions.iter().map(|condition| (true, condition));
        let variables = self.variables.iter().map(|(_, variable)| (false, variable));
        let all = conditions.chain(variables).chain(self.validations.iter().map(|validation| (false, validation)));
        all.filter_map(|(is_condition, expression)| Some((is_condition, expression.program.as_ref().ok()?)))
    }

    /// The places in the object that a validation reads, itself and by variables; empty if it does not compile.
    pub(crate) fn reads(&self, validation: usize) -> Vec<String> {
        let program = self.validations.get(validation).and_then(|expression| expression.program.as_ref().ok());
        let mut all = BTreeSet::new();
        if let Some(program) = program {
            self.add_reads(program.ast(), &[], 0, &mut all);
        }
        all.into_iter().collect()
    }

    /// Adds what an expression reads; `below` are the members of its value that matter, if it is a member of the object itself.
    fn add_reads(&self, ast: &Ast, below: &[&str], depth: usize, all: &mut BTreeSet<String>) {
        if depth > self.variables.len() {
            return;
        }
        for root in ["object", "oldObject"] {
            let reads = ast.reads(root);
            let is_member = reads.len() == 1 && is_path(ast);
            for mut path in reads {
                if is_member {
                    path.extend(below);
                }
                all.insert(path.join("."));
            }
        }
        for path in ast.reads("variables") {
            let Some((name, below)) = path.split_first() else { continue };
            if let Some(variable) = self.variable(name) {
                self.add_reads(variable.ast(), below, depth + 1, all);
            }
        }
        all.extend(ast.reads("request").into_iter().filter_map(|path| match path.as_slice() {
            ["name"] => Some("metadata.name".to_owned()),
            ["namespace"] => Some("metadata.namespace".to_owned()),
            ["object" | "oldObject", rest @ ..] => Some(rest.join(".")),
            _ => None,
        }));
    }

    /// A variable by its name, if it compiles.
    pub(crate) fn variable(&self, name: &str) -> Option<&Program> {
        self.variables.iter().rev().find(|(known, _)| known == name)?.1.program.as_ref().ok()
    }

    /// Evaluates the policy for one binding and one param.
    pub(crate) fn evaluate(&self, inputs: &Inputs<'_>) -> Evaluation {
        let ignored = self.policy.ignores_failures();
        let only = |message: String| Evaluation {
            match_conditions_met: true,
            decisions: vec![Decision::error(ignored, message)],
            audit_annotations: Vec::new(),
        };
        match self.conditions_hold(inputs) {
            Ok(true) => {}
            Ok(false) => return Evaluation::default(),
            Err(_) if ignored => return Evaluation::default(),
            Err(message) => return only(message),
        }
        let mut budget = BUDGET;
        let validations = self.validations.iter().map(Some);
        let Ok(results) = run(validations, &self.variables, inputs, Group::Validations, &mut budget) else {
            return only(OUT_OF_BUDGET.to_owned());
        };
        let messages = self.messages.iter().map(Option::as_ref);
        let messages = run(messages, &self.variables, inputs, Group::Messages, &mut budget);
        let mut decisions = Vec::with_capacity(results.len());
        for (index, (result, validation)) in results.into_iter().zip(&self.policy.spec.validations).enumerate() {
            let message = match &messages {
                Ok(messages) => Ok(messages.get(index).and_then(Option::as_ref)),
                Err(OutOfBudget) => Err(OutOfBudget),
            };
            decisions.push(decision(validation, result, message, ignored));
        }
        let mut budget = BUDGET;
        let annotations = self.annotations.iter().map(Some);
        let Ok(results) = run(annotations, &self.variables, inputs, Group::Annotations, &mut budget) else {
            return only(OUT_OF_BUDGET.to_owned());
        };
        let annotated = self.policy.spec.audit_annotations.iter().zip(results.into_iter().flatten());
        let audit_annotations =
            annotated.map(|(of, result)| annotation(&of.key, &of.value_expression, result, ignored)).collect();
        Evaluation { match_conditions_met: true, decisions, audit_annotations }
    }

    /// Whether all match conditions hold. One that does not outweighs all errors.
    fn conditions_hold(&self, inputs: &Inputs<'_>) -> Result<bool, String> {
        if self.conditions.is_empty() {
            return Ok(true);
        }
        let mut budget = BUDGET_OF_CONDITIONS;
        let conditions = self.conditions.iter().map(Some);
        let results = run(conditions, &self.variables, inputs, Group::Conditions, &mut budget)
            .map_err(|OutOfBudget| OUT_OF_BUDGET.to_owned())?;
        let mut errors: Vec<String> = Vec::new();
        for result in results.into_iter().flatten() {
            match result {
                Ok(Value::Bool(false)) => return Ok(false),
                Ok(_) => {}
                Err(error) if errors.contains(&error) => {}
                Err(error) => errors.push(error),
            }
        }
        match errors.len() {
            0 => Ok(true),
            1 => Err(errors.remove(0)),
            _ => Err(format!("[{}]", errors.join(", "))),
        }
    }
}

/// What comes of one validation.
fn decision(
    validation: &Validation,
    result: Option<Valued<'_>>,
    message: Result<Option<&Valued<'_>>, OutOfBudget>,
    ignored: bool,
) -> Decision {
    let value = match result {
        Some(Ok(value)) => value,
        Some(Err(error)) => return Decision::error(ignored, error),
        None => return Decision::admit(),
    };
    let Ok(message) = message else {
        return Decision::error(ignored, format!("failed messageExpression: {OUT_OF_BUDGET}"));
    };
    if matches!(value, Value::Bool(true)) {
        return Decision::admit();
    }
    let made = message.and_then(|message| message.as_ref().ok()).and_then(Value::as_text).map(str::trim);
    let made = made.filter(|text| text.len() <= LONGEST_MESSAGE && !text.contains('\n'));
    let message = [made.unwrap_or_default(), validation.message.trim()].into_iter().find(|text| !text.is_empty());
    let message = message.map_or_else(|| format!("failed expression: {}", validation.expression.trim()), str::to_owned);
    let reason = validation.reason.clone().unwrap_or_else(|| "Invalid".to_owned());
    Decision { denies: true, evaluation: DecisionKind::Deny, message, reason }
}

/// What comes of one audit annotation.
fn annotation(key: &str, expression: &str, result: Valued<'_>, ignored: bool) -> AnnotationResult {
    let key = key.to_owned();
    match result {
        Ok(Value::String(text)) if !text.trim().is_empty() => {
            AnnotationResult::Publish { key, value: text.trim().to_owned() }
        }
        Ok(Value::String(_) | Value::Null) => AnnotationResult::Exclude { key, error: None },
        Ok(other) => AnnotationResult::Error {
            key,
            error: format!(
                "valueExpression '{expression}' resulted in unsupported return type: {}. Return type must be either \
                 string or null.",
                other.type_name()
            ),
        },
        Err(error) if ignored => AnnotationResult::Exclude { key, error: Some(error) },
        Err(error) => AnnotationResult::Error { key, error },
    }
}

/// Whether an expression is nothing but a member of something.
fn is_path(ast: &Ast) -> bool {
    ast.nodes().iter().all(|node| matches!(node.kind, Kind::Ident(_) | Kind::Select { test: false, .. }))
}
