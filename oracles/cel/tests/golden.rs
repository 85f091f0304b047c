//! Expressions are what Kubernetes makes of them: errors, values, types and costs.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests may stop at the first surprise")]

use flate2::read::GzDecoder;
use serde_json::{Value as Json, json};
use std::io::Read;
use std::sync::Arc;
use takeover_cel::check::Environment;
use takeover_cel::cost::estimate;
use takeover_cel::schema::declare;
use takeover_cel::value::{Shape, to_json, wrap};
use takeover_cel::{Bindings, CompileError, Limits, Program};

fn ours(fixture: &Json) -> Json {
    let schema = &fixture["schema"];
    let declared = Arc::new(declare(schema, false).unwrap().unwrap());
    let environment = Environment::new().with_declared("self", &declared).with_declared("oldSelf", &declared);
    let program = match Program::compile(fixture["expr"].as_str().unwrap(), &environment) {
        Ok(program) => program,
        Err(CompileError::Plan { error, output }) => {
            return json!({"programError": error.message(), "outputType": output});
        }
        Err(error) => return json!({"compileError": error.to_string()}),
    };
    let shape = Shape::of(schema, false);
    let mut bindings = Bindings::default();
    for name in ["self", "oldSelf"] {
        if let Some(value) = fixture.get(name) {
            bindings = bindings.with(name, wrap(value, &shape));
        }
    }
    let evaluation = program.evaluate(&bindings, &Limits::default());
    let mut ours = json!({
        "outputType": program.checked().output().full_name(),
        "actualCost": evaluation.cost,
        "estimatedMaxCost": estimate(program.ast(), program.checked(), &declared).max.to_string(),
    });
    match evaluation.value.and_then(|value| to_json(&value)) {
        Ok(value) => ours["value"] = value,
        Err(error) => ours["evalError"] = error.message().into(),
    }
    ours
}

#[test]
fn every_recorded_side_is_ours() {
    let file: &[u8] = include_bytes!("golden/expressions.jsonl.gz");
    let mut text = String::new();
    GzDecoder::new(file).read_to_string(&mut text).unwrap();
    let mut judged = 0;
    let mut wrong = Vec::new();
    for line in text.lines() {
        let fixture: Json = serde_json::from_str(line).unwrap();
        let ours = ours(&fixture);
        judged += 1;
        for side in
            ["compileError", "programError", "evalError", "value", "outputType", "actualCost", "estimatedMaxCost"]
        {
            let recorded = fixture["expect"].get(side);
            // Only boolean expressions have a recorded estimate.
            if side == "estimatedMaxCost" && recorded.is_none() {
                continue;
            }
            if recorded != ours.get(side) {
                wrong.push(format!("{} {side}\n  {recorded:?}\n  {:?}", fixture["expr"], ours.get(side)));
            }
        }
    }
    assert!(judged > 300, "only {judged} expressions");
    assert!(wrong.is_empty(), "{} sides differ:\n{}", wrong.len(), wrong.join("\n"));
}
