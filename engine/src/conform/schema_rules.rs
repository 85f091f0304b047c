//! Fixtures of the CEL rules of one schema: compiled, and held against a value.

use super::judging::between;
use serde::Deserialize;
use serde_json::{Value, json};
use takeover_cel::rules::{CompiledRule, compile_schema};
use takeover_corpora::fixture::Recorded;
use takeover_custom_resources::rules::{Bounds, Compiler, OfRules, RuleTree};
use takeover_custom_resources::structural_of;
use takeover_harness::case::Operation;
use takeover_harness::compare::Comparator;
use takeover_harness::error::FieldError;
use takeover_harness::path::Path;
use takeover_harness::subject::SubjectId;
use takeover_reports::conform::{Agreement, ERRORS, FixtureExample};

/// The name under which these fixtures are counted.
const KIND: &str = "CEL rules";
/// Whether a rule compiles, what it refers to, and how often it may run.
const COMPILED: &str = "compiled";
/// The highest costs, estimated before a rule runs.
const ESTIMATED_COST: &str = "estimatedCost";
/// What the rules cost on the value, or that they cost too much.
const ACTUAL_COST: &str = "actualCost";

/// The rules of a schema, what they are held against, and what an API server's code made of it.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Fixture {
    id: String,
    schema: Value,
    #[serde(default)]
    rule: Option<Value>,
    #[serde(rename = "self", default)]
    value: Value,
    #[serde(default)]
    old_self: Option<Value>,
    #[serde(default)]
    per_call_limit: Option<u64>,
    #[serde(default)]
    budget: Option<u64>,
    expect: Answer,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Answer {
    #[serde(default)]
    rules: Option<Vec<Value>>,
    #[serde(default)]
    errors: Option<Vec<FieldError>>,
    cost: Option<i64>,
    #[serde(default)]
    out_of_budget: bool,
    #[serde(default)]
    unstable: Vec<String>,
}

/// Judges the rules on every side that was recorded.
pub(super) fn judge(mut fixture: Fixture, place: &str, bytes: usize, agreement: &mut Agreement) {
    if let (Some(rule), Some(members)) = (fixture.rule.take(), fixture.schema.as_object_mut()) {
        members.insert("x-kubernetes-validations".to_owned(), rule);
    }
    let compiled = match compile_schema(&fixture.schema, false, "") {
        Ok(compiled) => compiled,
        Err(error) => return agreement.skip(format!("CEL rules whose schema cannot be used: {error}")),
    };
    let example = |detail| FixtureExample { place: place.to_owned(), id: fixture.id.clone(), bytes, detail };
    let expect = &fixture.expect;
    let mut same = |side: &str, recorded: &Value, ours: &Value| {
        let lines = match recorded == ours {
            true => Vec::new(),
            false => vec![(format!("{side} differs"), format!("recorded {recorded}\nours     {ours}"))],
        };
        agreement.count(KIND, side, "evaluate", lines, example);
    };
    let at_root = compiled.nodes.iter().find(|node| node.pointer.is_empty());
    for (index, recorded) in expect.rules.iter().flatten().enumerate() {
        let ours = at_root.and_then(|node| node.rules.get(index)).map(described).unwrap_or_default();
        let costs = ["maxCost", "messageExpressionMaxCost"];
        let part = |of: &Value, cost: bool| {
            let members = of.as_object().into_iter().flatten();
            members
                .filter(|(name, _)| costs.contains(&name.as_str()) == cost)
                .map(|(n, v)| (n.clone(), v.clone()))
                .collect()
        };
        same(COMPILED, &part(recorded, false), &part(&ours, false));
        same(ESTIMATED_COST, &part(recorded, true), &part(&ours, true));
    }
    let (structural, _) = structural_of(&fixture.schema, "");
    let tree = RuleTree::compile(&structural, &mut Compiler::of(&fixture.schema, compiled));
    let standard = Bounds::default();
    let bounds = Bounds {
        per_call: fixture.per_call_limit.unwrap_or(standard.per_call),
        per_object: fixture.budget.unwrap_or(standard.per_object),
    };
    let found = match &tree {
        Some(tree) => tree.judge_at(&fixture.value, fixture.old_self.as_ref(), &Path::ROOT.child("root"), bounds),
        None => OfRules { cost: Some(0), ..OfRules::default() },
    };
    if !expect.unstable.iter().any(|side| side == "cost") {
        let recorded = if expect.out_of_budget { Value::Null } else { json!(expect.cost) };
        same(ACTUAL_COST, &recorded, &json!(found.cost));
    }
    let ours = Recorded::errors(found.errors.into_iter().map(|found| found.error).collect());
    let recorded = Recorded::errors(expect.errors.clone().unwrap_or_default());
    let lines = between(&SubjectId::new("", KIND), Operation::Create, recorded, ours, Comparator::Verbatim);
    agreement.count(KIND, ERRORS, "evaluate", lines, example);
}

/// A compiled rule in the form of the recorded one.
fn described(rule: &CompiledRule) -> Value {
    let expression = rule.expression.as_ref().ok().and_then(Option::as_ref);
    let message = rule.message.as_ref().ok().and_then(Option::as_ref);
    // A blank rule costs nothing.
    let blank = rule.rule.rule.trim().is_empty().then(|| "0".to_owned());
    let count = |known: bool, count: u64| if known { Some(count.to_string()) } else { blank.clone() };
    let members = [
        ("compileError", json!(rule.expression.as_ref().err().map(ToString::to_string))),
        ("maxCost", json!(count(expression.is_some(), expression.map_or(0, |expression| expression.max_cost)))),
        ("maxCardinality", json!(count(expression.is_some(), rule.max_cardinality))),
        ("usesOldSelf", json!(rule.uses_old_self)),
        ("messageExpressionError", json!(rule.message.as_ref().err().map(ToString::to_string))),
        ("messageExpressionMaxCost", json!(message.map(|message| message.max_cost.to_string()))),
        ("normalizedFieldPath", json!(Some(&rule.field_path).filter(|path| !path.is_empty()))),
    ];
    members.into_iter().filter(|(_, value)| !value.is_null()).map(|(name, value)| (name.to_owned(), value)).collect()
}
