//! Compares evaluation with recorded verdicts: `golden FILE.jsonl.gz [SHOWN [CATEGORY]]`, where the file is of kind `cel-expressions`.
#![expect(clippy::print_stdout, reason = "a program")]

use serde_json::Value as Json;
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};
use std::sync::Arc;
use takeover_cel::check::Environment;
use takeover_cel::schema::declare;
use takeover_cel::value::{Shape, to_json, wrap};
use takeover_cel::{Bindings, CompileError, Limits, Program};

type Problem = Box<dyn std::error::Error>;

/// What running one fixture gave, side by side.
fn run(fixture: &Json) -> Result<BTreeMap<&'static str, Json>, Problem> {
    let text = fixture.get("expr").and_then(Json::as_str).unwrap_or_default();
    let schema = fixture.get("schema").cloned().unwrap_or_default();
    let declared = Arc::new(declare(&schema, false)?.ok_or("no type")?);
    let environment = Environment::new().with_declared("self", &declared).with_declared("oldSelf", &declared);
    let mut sides = BTreeMap::new();
    let program = match Program::compile(text, &environment) {
        Ok(program) => program,
        Err(CompileError::Plan { error, .. }) => {
            sides.insert("programError", error.message().into());
            return Ok(sides);
        }
        Err(error) => {
            sides.insert("compileError", error.to_string().into());
            return Ok(sides);
        }
    };
    let shape = Shape::of(&schema, false);
    let mut bindings = Bindings::default();
    for name in ["self", "oldSelf"] {
        if let Some(value) = fixture.get(name) {
            bindings = bindings.with(name, wrap(value, &shape));
        }
    }
    let evaluation = program.evaluate(&bindings, &Limits::default());
    sides.insert("actualCost", evaluation.cost.into());
    match evaluation.value.and_then(|value| to_json(&value)) {
        Ok(value) => sides.insert("value", value),
        Err(error) => sides.insert("evalError", error.message().into()),
    };
    Ok(sides)
}

fn main() -> Result<(), Problem> {
    let mut args = std::env::args().skip(1);
    let path = args.next().ok_or("name a file")?;
    let shown: usize = args.next().and_then(|shown| shown.parse().ok()).unwrap_or(10);
    let only = args.next();
    let file = BufReader::new(flate2::read::MultiGzDecoder::new(std::fs::File::open(&path)?));
    let mut counts: BTreeMap<(String, &str), (usize, usize)> = BTreeMap::new();
    let mut left = shown;
    for line in file.lines() {
        let fixture: Json = serde_json::from_str(&line?)?;
        let part = |name: &str| fixture.get(name).and_then(Json::as_str).unwrap_or_default().to_owned();
        let defaulted = fixture.get("default") == Some(&Json::Bool(true));
        if part("mode") != "expr" || defaulted || only.as_ref().is_some_and(|only| *only != part("category")) {
            continue;
        }
        let expect = fixture.get("expect").cloned().unwrap_or_default();
        let ours = run(&fixture)?;
        let mut wrong = Vec::new();
        for side in ["compileError", "programError", "value", "evalError", "actualCost"] {
            let (mine, theirs) = (ours.get(side), expect.get(side));
            if mine.is_none() && theirs.is_none() {
                continue;
            }
            for key in [(part("category"), side), ("all".to_owned(), side)] {
                let (agreed, all) = counts.entry(key).or_default();
                *all += 1;
                *agreed += usize::from(mine == theirs);
            }
            if mine != theirs {
                wrong.push((side, theirs.cloned(), mine.cloned()));
            }
        }
        if !wrong.is_empty() && left > 0 {
            left -= 1;
            println!("{} {}: {}", part("id"), part("category"), part("expr"));
            for (side, theirs, mine) in wrong {
                let text = |value: Option<Json>| value.map_or("-".to_owned(), |value| value.to_string());
                println!("   {side}\n      expected {}\n      got      {}", text(theirs), text(mine));
            }
        }
    }
    for ((category, side), (agreed, all)) in counts {
        if agreed != all || category == "all" {
            println!("{category:24} {side:14} {agreed:5} of {all:5}");
        }
    }
    Ok(())
}
