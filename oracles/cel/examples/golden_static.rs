//! Compares compile errors, types and estimated costs with recorded ones: `golden_static FILE.jsonl.gz`.
#![expect(clippy::print_stdout, reason = "a program")]

use serde_json::Value as Json;
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};
use std::sync::Arc;
use takeover_cel::check::{Environment, check};
use takeover_cel::cost::estimate;
use takeover_cel::rules::compile_schema;
use takeover_cel::schema::declare;
use takeover_cel::syntax::parse;

type Fault = Box<dyn std::error::Error>;

fn main() -> Result<(), Fault> {
    let file = std::env::args().nth(1).ok_or("give a file")?;
    let shown: usize = std::env::args().nth(2).and_then(|shown| shown.parse().ok()).unwrap_or(5);
    let lines = BufReader::new(flate2::read::MultiGzDecoder::new(std::fs::File::open(file)?)).lines();
    let mut tally: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for line in lines {
        let fixture: Json = serde_json::from_str(&line?)?;
        if fixture.get("rejected").is_some() {
            refused(&fixture, &mut tally)?;
            continue;
        }
        if fixture.get("crd").is_some() {
            accepted(&fixture, &mut tally)?;
            continue;
        }
        if fixture.get("mode").and_then(Json::as_str) != Some("expr") {
            rules(&fixture, &mut tally, shown)?;
            continue;
        }
        let text = fixture.get("expr").and_then(Json::as_str).unwrap_or_default();
        let schema = fixture.get("schema").cloned().unwrap_or_default();
        let expect = fixture.get("expect").cloned().unwrap_or_default();
        let declared = Arc::new(declare(&schema, false)?.ok_or("no type")?);
        let environment = Environment::new().with_declared("self", &declared).with_declared("oldSelf", &declared);
        let compiled = parse(text).map_err(|errors| errors.to_string()).and_then(|ast| {
            let checked = check(&ast, &environment).map_err(|errors| errors.to_string())?;
            Ok((ast, checked))
        });
        let mut side = |name: &'static str, expected: Option<String>, found: Option<String>| {
            let count = tally.entry(name).or_default();
            count.1 += 1;
            if expected == found {
                count.0 += 1;
            } else if count.1 - count.0 <= shown {
                println!(
                    "{} {name}: {text}\n expected {}\n found    {}",
                    fixture.get("id").map(Json::to_string).unwrap_or_default(),
                    expected.unwrap_or_default(),
                    found.unwrap_or_default()
                );
            }
        };
        let text_of = |name: &str| expect.get(name).and_then(Json::as_str).map(str::to_owned);
        let error = compiled.as_ref().err().cloned();
        if error.is_some() || expect.get("compileError").is_some() {
            side("compileError", text_of("compileError"), error);
        } else {
            side("no compileError", None, None);
        }
        if let Ok((ast, checked)) = compiled {
            if expect.get("outputType").is_some() {
                side("outputType", text_of("outputType"), Some(checked.output().full_name()));
            }
            if expect.get("usesOldSelf").is_some() {
                side(
                    "usesOldSelf",
                    expect.get("usesOldSelf").map(Json::to_string),
                    Some(checked.refers_to("oldSelf").to_string()),
                );
            }
            if expect.get("estimatedMaxCost").is_some() {
                side(
                    "estimatedMaxCost",
                    text_of("estimatedMaxCost"),
                    Some(estimate(&ast, &checked, &declared).max.to_string()),
                );
            }
        }
    }
    for (name, (equal, all)) in tally {
        println!("{name}: {equal} of {all}");
    }
    Ok(())
}

/// The compiled rules at the root of a schema.
fn rules(fixture: &Json, tally: &mut BTreeMap<&str, (usize, usize)>, shown: usize) -> Result<(), Fault> {
    let mut schema = fixture.get("schema").cloned().unwrap_or_default();
    if let (Some(rule), Some(members)) = (fixture.get("rule"), schema.as_object_mut()) {
        members.insert("x-kubernetes-validations".to_owned(), rule.clone());
    }
    let compiled = compile_schema(&schema, false, "s")?;
    let nodes = compiled.nodes.iter().find(|node| node.pointer.is_empty());
    let expected = fixture.pointer("/expect/rules").and_then(Json::as_array);
    for (index, expected) in expected.into_iter().flatten().enumerate() {
        let rule =
            nodes.and_then(|node| node.rules.get(index)).ok_or_else(|| format!("no rule: {:?}", compiled.refusals))?;
        let expression = rule.expression.as_ref().ok().and_then(Option::as_ref);
        let message = rule.message.as_ref().ok().and_then(Option::as_ref);
        // A blank rule is recorded as one that costs nothing.
        let blank = || rule.rule.rule.trim().is_empty().then(|| "0".to_owned());
        let found = [
            ("rule compileError", "compileError", rule.expression.as_ref().err().map(ToString::to_string)),
            ("rule maxCost", "maxCost", expression.map(|expression| expression.max_cost.to_string()).or(blank())),
            ("rule maxCardinality", "maxCardinality", expression.map(|_| rule.max_cardinality.to_string()).or(blank())),
            (
                "rule usesOldSelf",
                "usesOldSelf",
                Some(rule.uses_old_self.to_string()).filter(|_| expected.get("usesOldSelf").is_some()),
            ),
            ("messageExpressionError", "messageExpressionError", rule.message.as_ref().err().map(ToString::to_string)),
            (
                "messageExpressionMaxCost",
                "messageExpressionMaxCost",
                message.map(|message| message.max_cost.to_string()),
            ),
            (
                "normalizedFieldPath",
                "normalizedFieldPath",
                Some(rule.field_path.clone()).filter(|path| !path.is_empty()),
            ),
        ];
        for (name, key, found) in found {
            let expected =
                expected.get(key).map(|value| value.as_str().map_or_else(|| value.to_string(), str::to_owned));
            if expected.is_none() && found.is_none() {
                continue;
            }
            let count = tally.entry(name).or_default();
            count.1 += 1;
            if expected == found {
                count.0 += 1;
            } else if count.1 - count.0 <= shown {
                println!(
                    "{} {name}: {}\n expected {expected:?}\n found    {found:?}",
                    fixture.get("id").map(Json::to_string).unwrap_or_default(),
                    rule.rule.rule
                );
            }
        }
    }
    Ok(())
}

/// A schema that API servers accept.
fn accepted(fixture: &Json, tally: &mut BTreeMap<&str, (usize, usize)>) -> Result<(), Fault> {
    let schema = fixture.get("schema").ok_or("no schema")?;
    let compiled = compile_schema(schema, true, "S")?;
    let count = tally.entry("accepted schemas").or_default();
    count.1 += 1;
    count.0 += usize::from(compiled.refusals.is_empty());
    for refusal in &compiled.refusals {
        println!(
            "{} {}: {:?} {}",
            fixture.get("crd").map(Json::to_string).unwrap_or_default(),
            refusal.field,
            refusal.kind,
            refusal.detail
        );
    }
    let stated = fixture.get("rules").and_then(Json::as_array).map_or(0, Vec::len);
    let rules = tally.entry("compiled rules").or_default();
    rules.1 += stated;
    rules.0 += compiled.nodes.iter().flat_map(|node| &node.rules).filter(|rule| rule.expression.is_ok()).count();
    Ok(())
}

/// A schema that API servers reject, with the errors about its rules.
fn refused(fixture: &Json, tally: &mut BTreeMap<&str, (usize, usize)>) -> Result<(), Fault> {
    let schema = fixture.get("schema").ok_or("no schema")?;
    let compiled = compile_schema(schema, true, "spec.validation.openAPIV3Schema")?;
    let mut found: Vec<_> =
        compiled.refusals.iter().map(|refusal| (refusal.field.as_str(), refusal.detail.as_str())).collect();
    let text = |error: &'static str| move |fixture: &Json| fixture.get(error).and_then(Json::as_str).map(str::to_owned);
    for error in fixture.get("errors").and_then(Json::as_array).into_iter().flatten() {
        let count = tally.entry("refusals").or_default();
        count.1 += 1;
        let (field, detail) = (text("field")(error).unwrap_or_default(), text("detail")(error).unwrap_or_default());
        match found.iter().position(|(at, what)| *at == field && *what == detail) {
            Some(at) => {
                found.swap_remove(at);
                count.0 += 1;
            }
            None => println!("missing {field}: {detail}"),
        }
    }
    found.iter().for_each(|(field, detail)| println!("extra {field}: {detail}"));
    Ok(())
}
