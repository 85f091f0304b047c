//! One rule: parsed, checked, planned, its cost estimated.

use super::field_path::normalized;
use super::rule::Rule;
use crate::check::{Environment, check};
use crate::cost::estimate;
use crate::cost::limits::REQUEST_BYTES;
use crate::eval::Program;
use crate::schema::{SchemaError, declare};
use crate::syntax::parse;
use crate::types::{DeclaredType, Type};
use serde_json::Value as Json;
use std::sync::Arc;

/// A rule as compiled.
#[derive(Debug)]
pub struct CompiledRule {
    /// What the schema states.
    pub rule: Rule,
    /// The expression; `None` where the rule is blank.
    pub expression: Result<Option<Compiled>, RuleError>,
    /// The expression of the message, where there is one and the rule compiles.
    pub message: Result<Option<Compiled>, RuleError>,
    /// Whether the rule refers to `oldSelf`.
    pub uses_old_self: bool,
    /// How often the rule may run at most in a request, by the size of its node.
    pub max_cardinality: u64,
    /// The field path as errors write it; empty when the rule names no path.
    pub field_path: String,
}

/// A compiled expression.
#[derive(Debug)]
pub struct Compiled {
    /// What runs.
    pub program: Program,
    /// The highest estimated cost of one evaluation.
    pub max_cost: u64,
}

/// Why an expression does not compile, in the words of API servers.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct RuleError(pub String);

/// What the rules of a node share.
pub(super) struct Node {
    declared: Arc<DeclaredType>,
    environment: Environment,
    optional: Environment,
}

/// Compiles single rules at one node of a schema and nothing else, to see what a changed rule would be.
pub struct NodeCompiler {
    node: Node,
    schema: Json,
}

impl NodeCompiler {
    /// The compiler of the node with this structural schema; `None` if rules see nothing there. `resource_root` tells whether the node is the
    /// root of a custom resource or of an embedded one.
    ///
    /// # Errors
    /// Refuses schemas that nest too deeply or refer to others.
    pub fn new(schema: Json, resource_root: bool) -> Result<Option<Self>, SchemaError> {
        let declared = declare(&schema, resource_root)?;
        Ok(declared.map(|declared| Self { node: Node::new(declared), schema }))
    }

    /// Compiles a rule.
    #[must_use]
    pub fn compile(&self, rule: Rule) -> CompiledRule {
        self.node.compile(rule, &self.schema)
    }

    /// The schema of the node.
    #[must_use]
    pub fn schema(&self) -> &Json {
        &self.schema
    }
}

impl Node {
    pub(super) fn new(declared: DeclaredType) -> Self {
        let declared = Arc::new(declared);
        let with_self = Environment::new().with_declared("self", &declared);
        let environment = with_self.clone().with_variable("oldSelf", declared.ty().clone());
        let optional = with_self.with_variable("oldSelf", Type::optional(declared.ty().clone()));
        Self { declared, environment, optional }
    }

    pub(super) fn compile(&self, rule: Rule, schema: &Json) -> CompiledRule {
        let mut compiled = CompiledRule {
            expression: Ok(None),
            message: Ok(None),
            uses_old_self: false,
            max_cardinality: 0,
            field_path: String::new(),
            rule,
        };
        let rule = &compiled.rule;
        if rule.rule.trim().is_empty() {
            return compiled;
        }
        let environment = if rule.optional_old_self == Some(true) { &self.optional } else { &self.environment };
        compiled.expression = self
            .expression(&rule.rule, environment, &Type::Bool)
            .map(|(expression, uses)| {
                compiled.uses_old_self = uses;
                Some(expression)
            })
            .map_err(|error| match error {
                Failure::Compile(text) => RuleError(format!("compilation failed: {text}")),
                Failure::Type => RuleError("cel expression must evaluate to a bool".to_owned()),
                Failure::Plan(text, uses) => {
                    compiled.uses_old_self = uses;
                    RuleError(format!("program instantiation failed: {text}"))
                }
            });
        if compiled.expression.is_err() {
            return compiled;
        }
        let size = self.declared.min_serialized_size.saturating_add(1).max(1);
        compiled.max_cardinality = (REQUEST_BYTES / size).cast_unsigned();
        let rule = &compiled.rule;
        if !rule.message_expression.is_empty() {
            let text = &rule.message_expression;
            let message = self.expression(text, environment, &Type::String);
            compiled.message = message.map(|(expression, _)| Some(expression)).map_err(|error| {
                RuleError(match error {
                    Failure::Compile(text) => format!("messageExpression compilation failed: {text}"),
                    Failure::Type => "messageExpression must evaluate to a string".to_owned(),
                    Failure::Plan(text, _) => format!("messageExpression instantiation failed: {text}"),
                })
            });
            // What does not compile ends it: the field path is not looked at.
            if compiled.message.is_err() {
                return compiled;
            }
        }
        if !compiled.rule.field_path.is_empty() {
            compiled.field_path = normalized(&compiled.rule.field_path, schema).unwrap_or_default();
        }
        compiled
    }

    fn expression(&self, text: &str, environment: &Environment, expected: &Type) -> Result<(Compiled, bool), Failure> {
        let ast = parse(text).map_err(|errors| Failure::Compile(errors.to_string()))?;
        let checked = check(&ast, environment).map_err(|errors| Failure::Compile(errors.to_string()))?;
        let uses_old_self = checked.refers_to("oldSelf");
        if checked.output() != expected {
            return Err(Failure::Type);
        }
        let max_cost = estimate(&ast, &checked, &self.declared).max;
        let program =
            Program::from_checked(ast, checked).map_err(|error| Failure::Plan(error.to_string(), uses_old_self))?;
        Ok((Compiled { program, max_cost }, uses_old_self))
    }
}

enum Failure {
    Compile(String),
    Type,
    Plan(String, bool),
}
