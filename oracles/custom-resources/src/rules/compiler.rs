//! Rules as API servers compile and evaluate them.

use super::language::{Cel, Compiled, Message, Old, Outcome, Program, Ran};
use super::tree::RuleTree;
use crate::structural::{CelRule, Structural};
use serde_json::Value;
use std::collections::HashMap;
use std::sync::Arc;
use takeover_cel::rules::{CompiledRule, NodeCompiler, NodeRules, Rule as StatedRule, SchemaRules, compile_schema};
use takeover_cel::schema::SchemaError;
use takeover_cel::value::{Error, Shape, Value as CelValue, wrap};
use takeover_cel::{Bindings, Limits};

/// How errors begin that say that no function takes such arguments.
const NO_OVERLOAD: &str = "no such overload";
/// How errors begin that say that a call cost too much.
const TOO_EXPENSIVE: &str = "operation cancelled: actual cost limit exceeded";
/// What a server says of a node that has no type in the language.
const UNTYPED: &str = "unable to convert structural schema to CEL declarations";

/// The rules of one schema, which are compiled together.
pub struct Compiler<'s> {
    schema: &'s Value,
    nodes: HashMap<String, NodeRules>,
}

impl<'s> Compiler<'s> {
    /// Compiles the rules of `schema`; `whole` tells whether it is the schema of a whole object.
    ///
    /// # Errors
    /// Returns an error when the schema nests too deeply.
    pub fn new(schema: &'s Value, whole: bool) -> Result<Self, SchemaError> {
        Ok(Self::of(schema, compile_schema(schema, whole, "")?))
    }

    /// Takes rules of `schema` that are compiled.
    #[must_use]
    pub fn of(schema: &'s Value, rules: SchemaRules) -> Self {
        Self { schema, nodes: rules.nodes.into_iter().map(|node| (node.pointer.clone(), node)).collect() }
    }
}

impl Cel for Compiler<'_> {
    fn compile(&mut self, pointer: &str, _: &Structural, whole: bool) -> Result<Vec<Compiled>, String> {
        let node = self.nodes.remove(pointer).ok_or_else(|| UNTYPED.to_owned())?;
        let shape = Arc::new(Shape::of(self.schema.pointer(pointer).unwrap_or(&Value::Null), whole));
        let compiled = |rule: CompiledRule| -> Compiled {
            match &rule.expression {
                Err(error) => Err(error.to_string()),
                Ok(_) => Ok(Arc::new(Rule { shape: Arc::clone(&shape), rule })),
            }
        };
        Ok(node.rules.into_iter().map(compiled).collect())
    }
}

/// Compiles the rules that a schema was read with.
struct AsRead;

/// Schemas below a node with rules.
const MOST_SCHEMAS: usize = 100_000;

impl Cel for AsRead {
    fn compile(&mut self, _: &str, node: &Structural, whole: bool) -> Result<Vec<Compiled>, String> {
        let language = NodeLanguage::of(node, whole, MOST_SCHEMAS).ok_or_else(|| UNTYPED.to_owned())?;
        Ok(node.rules.iter().map(|rule| language.compile(rule)).collect())
    }
}

impl RuleTree {
    /// Compiles the rules of the schema of a whole object; `None` if it has no rules.
    #[must_use]
    pub fn of(structural: &Arc<Structural>) -> Option<Self> {
        Self::compile(structural, &mut AsRead)
    }

    /// Compiles the rules at a node and below it; `whole` tells whether it is the schema of a whole object. `None` if there are no rules.
    #[must_use]
    pub(crate) fn of_node(node: &Structural, whole: bool) -> Option<Self> {
        Self::below(&Arc::new(node.clone()), "", whole, &mut AsRead, &mut 0)
    }

    /// Compiles the rules of the schema of a whole object, which was read from `schema`; `None` if it has no rules.
    ///
    /// # Errors
    /// Returns an error when the schema nests too deeply.
    pub fn of_schema(structural: &Arc<Structural>, schema: &Value) -> Result<Option<Self>, SchemaError> {
        Ok(Self::compile(structural, &mut Compiler::new(schema, true)?))
    }
}

/// Compiles single rules of one node: those that the schema has, and others in their place.
pub struct NodeLanguage {
    compiler: NodeCompiler,
    shape: Arc<Shape>,
}

impl NodeLanguage {
    /// The language at a node of no more than `most` schemas; `None` if rules see nothing there. `whole` tells whether it is the schema of a
    /// whole object.
    #[must_use]
    pub fn of(node: &Structural, whole: bool, most: usize) -> Option<Self> {
        let schema = node.to_cel_schema(most)?;
        let shape = Arc::new(Shape::of(&schema, whole));
        let compiler = NodeCompiler::new(schema, whole).ok()??;
        Some(Self { compiler, shape })
    }

    /// Compiles a rule.
    ///
    /// # Errors
    /// Returns why a server would not take it; the text of its message is not looked at.
    pub fn compile(&self, rule: &CelRule) -> Compiled {
        let text = |text: &Option<String>| text.clone().unwrap_or_default();
        let stated = StatedRule {
            rule: rule.rule.clone(),
            message: text(&rule.message),
            message_expression: text(&rule.message_expression),
            reason: rule.reason.clone(),
            field_path: text(&rule.field_path),
            optional_old_self: rule.optional_old_self,
        };
        let rule = self.compiler.compile(stated);
        match &rule.expression {
            Err(error) => Err(error.to_string()),
            Ok(_) => Ok(Arc::new(Rule { shape: Arc::clone(&self.shape), rule })),
        }
    }
}

/// A compiled rule, and the form of the values at its node.
struct Rule {
    shape: Arc<Shape>,
    rule: CompiledRule,
}

impl Rule {
    fn bindings<'v>(&'v self, value: &'v Value) -> Bindings<'v> {
        Bindings::default().with("self", wrap(value, &self.shape))
    }
}

impl Program for Rule {
    fn uses_old(&self) -> bool {
        self.rule.uses_old_self
    }

    fn field_path(&self) -> Option<&str> {
        Some(self.rule.field_path.as_str()).filter(|path| !path.is_empty())
    }

    fn run(&self, value: &Value, old: Old<'_>, limit: u64) -> Ran {
        // A blank rule is none.
        let Ok(Some(expression)) = &self.rule.expression else { return Ran { outcome: Outcome::Holds, cost: 0 } };
        let bindings = self.bindings(value);
        let bindings = match old {
            Old::Unbound => bindings,
            Old::Value(old) => bindings.with("oldSelf", wrap(old, &self.shape)),
            Old::Optional(old) => {
                let old = old.map(|old| wrap(old, &self.shape)).transpose();
                bindings.with("oldSelf", old.map(|old| CelValue::Optional(old.map(Arc::new))))
            }
        };
        let evaluation = expression.program.evaluate(&bindings, &Limits { cost: Some(limit), ..Limits::default() });
        let outcome = match evaluation.value {
            Ok(CelValue::Bool(true)) => Outcome::Holds,
            Ok(_) => Outcome::Fails,
            Err(error) => of_error(&error),
        };
        Ran { outcome, cost: evaluation.cost }
    }

    fn message(&self, value: &Value, old: Option<&Value>, limit: u64) -> Option<Message> {
        let Ok(Some(expression)) = &self.rule.message else { return None };
        let bindings = self.bindings(value);
        let bindings = match old {
            None => bindings,
            Some(old) => bindings.with("oldSelf", wrap(old, &self.shape)),
        };
        let evaluation = expression.program.evaluate(&bindings, &Limits { cost: Some(limit), ..Limits::default() });
        let too_expensive = matches!(&evaluation.value, Err(error) if error.message().starts_with(TOO_EXPENSIVE));
        let text = match evaluation.value {
            Ok(CelValue::String(text)) => Some(text.to_string()),
            _ => None,
        };
        Some(Message { text, too_expensive, cost: evaluation.cost })
    }
}

fn of_error(error: &Error) -> Outcome {
    let text = error.message();
    if text.starts_with(NO_OVERLOAD) {
        Outcome::NoOverload(text.to_owned())
    } else if text.starts_with(TOO_EXPENSIVE) {
        Outcome::TooExpensive
    } else {
        Outcome::Error(text.to_owned())
    }
}
