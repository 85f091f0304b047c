//! Fixtures of single CEL expressions, judged by the environment of rules of custom resources.

use serde::Deserialize;
use serde_json::{Value, json};
use std::sync::Arc;
use takeover_cel::check::Environment;
use takeover_cel::cost::estimate;
use takeover_cel::schema::declare;
use takeover_cel::value::{Shape, to_json, wrap};
use takeover_cel::{Bindings, CompileError, Limits, Program};
use takeover_custom_resources::{coerce, kinds_of_crd};
use takeover_reports::conform::{Agreement, FixtureExample};

/// The name under which these fixtures are counted.
const KIND: &str = "CEL expression";
/// What an expression gives.
const VALUE: &str = "value";
/// Why it does not compile, or gives no value.
const ERRORS: &str = "errors";
/// Its cost when it runs.
const ACTUAL_COST: &str = "actualCost";
/// Its highest cost, estimated before it runs.
const ESTIMATED_COST: &str = "estimatedCost";
/// Its static type.
const OUTPUT_TYPE: &str = "outputType";

/// An expression, what it is evaluated on, and what an API server's code made of it.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Expression {
    id: String,
    expr: String,
    schema: Value,
    #[serde(rename = "self", default)]
    value: Option<Value>,
    #[serde(default)]
    old_self: Option<Value>,
    #[serde(default)]
    default: bool,
    expect: Answer,
}

/// What was recorded, or what we answer.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Answer {
    compile_error: Option<String>,
    program_error: Option<String>,
    eval_error: Option<String>,
    value: Option<Value>,
    output_type: Option<String>,
    actual_cost: Option<u64>,
    estimated_max_cost: Option<String>,
    #[serde(default)]
    unstable: Vec<String>,
}

impl Answer {
    fn error(&self) -> Option<&String> {
        self.compile_error.as_ref().or(self.program_error.as_ref()).or(self.eval_error.as_ref())
    }
}

/// Judges one expression on every side that was recorded.
pub(super) fn judge(fixture: &Expression, place: &str, bytes: usize, agreement: &mut Agreement) {
    let ours = match answer(fixture) {
        Ok(ours) => ours,
        Err(reason) => return agreement.skip(format!("CEL expression whose schema {reason}")),
    };
    let recorded = &fixture.expect;
    let example = |detail| FixtureExample { place: place.to_owned(), id: fixture.id.clone(), bytes, detail };
    let mut count = |side: &str, recorded: Value, ours: Value| {
        if fixture.expect.unstable.iter().any(|unstable| unstable == side) || (recorded.is_null() && ours.is_null()) {
            return;
        }
        let lines = if recorded == ours {
            Vec::new()
        } else {
            let detail = format!("`{}`\nrecorded {recorded}\nours     {ours}", fixture.expr);
            vec![(format!("{side} differs"), detail)]
        };
        agreement.count(KIND, side, "evaluate", lines, example);
    };
    count(VALUE, json!(recorded.value), json!(ours.value));
    count(ERRORS, json!(recorded.error()), json!(ours.error()));
    count(ACTUAL_COST, json!(recorded.actual_cost), json!(ours.actual_cost));
    count(OUTPUT_TYPE, json!(recorded.output_type), json!(ours.output_type));
    // Only rules have an estimate, and they are boolean.
    if recorded.estimated_max_cost.is_some() {
        count(ESTIMATED_COST, json!(recorded.estimated_max_cost), json!(ours.estimated_max_cost));
    }
}

/// What we make of an expression.
fn answer(fixture: &Expression) -> Result<Answer, String> {
    let declared = declare(&fixture.schema, false).map_err(|error| format!("cannot be used: {error}"))?;
    let declared = Arc::new(declared.ok_or("has no type")?);
    let environment = Environment::new().with_declared("self", &declared).with_declared("oldSelf", &declared);
    let mut answer = Answer::default();
    let program = match Program::compile(&fixture.expr, &environment) {
        Ok(program) => program,
        Err(CompileError::Plan { error, output }) => {
            answer.program_error = Some(error.to_string());
            answer.output_type = Some(output);
            return Ok(answer);
        }
        Err(error) => {
            answer.compile_error = Some(error.to_string());
            return Ok(answer);
        }
    };
    answer.output_type = Some(program.checked().output().full_name());
    answer.estimated_max_cost = Some(estimate(program.ast(), program.checked(), &declared).max.to_string());
    let shape = Shape::of(&fixture.schema, false);
    let defaulted =
        if fixture.default { fixture.value.as_ref().map(|value| with_defaults(fixture, value)) } else { None };
    let defaulted = defaulted.transpose()?;
    let mut bindings = Bindings::default();
    for (name, value) in
        [("self", defaulted.as_ref().or(fixture.value.as_ref())), ("oldSelf", fixture.old_self.as_ref())]
    {
        if let Some(value) = value {
            bindings = bindings.with(name, wrap(value, &shape));
        }
    }
    let evaluation = program.evaluate(&bindings, &Limits::default());
    answer.actual_cost = Some(evaluation.cost);
    match evaluation.value.and_then(|value| to_json(&value)) {
        Ok(value) => answer.value = Some(value),
        Err(error) => answer.eval_error = Some(error.to_string()),
    }
    Ok(answer)
}

/// A value without nulls that its schema does not allow, and with its defaults.
fn with_defaults(fixture: &Expression, value: &Value) -> Result<Value, String> {
    let schema = json!({"type": "object", "properties": {"value": fixture.schema}});
    let manifest = json!({"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "spec": {
        "group": "example.com", "scope": "Cluster", "names": {"kind": "Expression", "plural": "expressions"},
        "versions": [{"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": schema}}]}});
    let kinds = kinds_of_crd(&manifest).map_err(|error| format!("cannot be read: {error}"))?;
    let node = kinds.first().and_then(|kind| kind.structural.properties.get("value")).ok_or("is not structural")?;
    let mut value = value.clone();
    coerce::drop_nulls(node, &mut value);
    coerce::set_defaults(node, &mut value);
    Ok(value)
}
