//! Compares validation with recorded verdicts of an API server.
//!
//! `golden crd-schemas.jsonl crd-validation.jsonl [show]`: one JSON object a line, decompressed.

use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use takeover_custom_resources::{CustomKind, coerce, kinds_of_crd, validate};
use takeover_harness::error::ErrorList;

type Problem = Box<dyn std::error::Error>;

fn lines(path: &str) -> Result<impl Iterator<Item = Result<Value, Problem>>, Problem> {
    let file = std::fs::File::open(path).map_err(|error| format!("open `{path}`: {error}"))?;
    Ok(BufReader::new(file).lines().map(|line| Ok(serde_json::from_str(&line?)?)))
}

fn text<'v>(value: &'v Value, name: &str) -> &'v str {
    value.get(name).and_then(Value::as_str).unwrap_or_default()
}

/// The manifest that a line of schemas stands for.
fn manifest(line: &Value) -> Value {
    let mut version = json!({"name": line["version"], "served": true, "storage": true,
        "schema": {"openAPIV3Schema": line["schema"]}});
    if let Some(subresources) = line.get("subresources").filter(|value| !value.is_null()) {
        version["subresources"] = subresources.clone();
    }
    json!({"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "spec": {
        "group": line["group"], "scope": line["scope"], "names": {"kind": line["kind"], "plural": line["plural"]},
        "preserveUnknownFields": line["preserveUnknownFields"], "versions": [version]}})
}

/// Type, field, detail and value of each error, sorted.
fn shown(errors: &[Value]) -> Vec<String> {
    let mut shown: Vec<String> = errors
        .iter()
        .map(|error| {
            let bad = error.get("badValue").cloned().unwrap_or_default();
            let bad = bad.as_f64().filter(|_| !bad.is_i64()).map_or(bad.to_string(), |float| float.to_string());
            format!(
                "{} {} {:?} {} {bad}",
                text(error, "type"),
                text(error, "field"),
                text(error, "origin"),
                text(error, "detail")
            )
        })
        .collect();
    shown.sort();
    shown
}

/// JSON with whole floats as integers, as the verdicts have them.
fn whole_numbers(value: Value) -> Value {
    match value {
        Value::Number(number) if number.as_f64() == Some(0.0) => Value::from(0),
        Value::Array(items) => items.into_iter().map(whole_numbers).collect(),
        Value::Object(members) => members
            .into_iter()
            .map(|(key, value)| (key, whole_numbers(value)))
            .collect::<serde_json::Map<_, _>>()
            .into(),
        other => other,
    }
}

fn ours(lists: &[ErrorList]) -> Result<Vec<String>, Problem> {
    let errors = lists.iter().flat_map(ErrorList::iter).map(|error| {
        let mut json = serde_json::to_value(error)?;
        json["badValue"] = error.bad_value.to_json();
        Ok::<_, Problem>(json)
    });
    Ok(shown(&errors.collect::<Result<Vec<_>, _>>()?))
}

fn main() -> Result<(), Problem> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [schemas, fixtures, rest @ ..] = arguments.as_slice() else {
        return Err("usage: golden SCHEMAS FIXTURES [SHOW]".into());
    };
    let show: usize = rest.first().map_or(Ok(0), |count| count.parse())?;
    let mut kinds: BTreeMap<(String, String), CustomKind> = BTreeMap::new();
    for line in lines(schemas)? {
        let line = line?;
        let kind = kinds_of_crd(&manifest(&line))?.into_iter().next().ok_or("no kind")?;
        kinds.insert((text(&line, "crd").to_owned(), text(&line, "version").to_owned()), kind);
    }
    let mut counts: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    let mut out = std::io::stdout().lock();
    let mut left = show;
    for fixture in lines(fixtures)? {
        let fixture = fixture?;
        let expect = &fixture["expect"];
        let Some(kind) = kinds.get(&(text(&fixture, "crd").to_owned(), text(&fixture, "version").to_owned())) else {
            continue;
        };
        if expect.get("decodeError").is_some() {
            counts.entry("decode errors, not compared").or_default().1 += 1;
            continue;
        }
        let mut count = |what: &'static str, ok: bool, ours: &dyn Fn() -> String| -> Result<(), Problem> {
            let (agreed, all) = counts.entry(what).or_default();
            *all += 1;
            *agreed += usize::from(ok);
            if !ok && left > 0 {
                left -= 1;
                writeln!(
                    out,
                    "{what} {} {} {}\n{}",
                    text(&fixture, "id"),
                    text(&fixture, "crd"),
                    text(&fixture, "mutation"),
                    ours()
                )?;
            }
            Ok(())
        };
        let mut object = fixture["object"].clone();
        let pruned = coerce::coerce(&kind.structural, &mut object);
        let named = expect["pruned"].as_array().into_iter().flatten().filter_map(Value::as_str);
        let mut named: Vec<String> = named.map(str::to_owned).collect();
        named.sort();
        count("pruned", named == pruned, &|| format!("  golden {named:?}\n  ours   {pruned:?}"))?;
        let defaulted = expect.get("defaulted").unwrap_or(&fixture["object"]);
        let without = |value: &Value| {
            let mut value = whole_numbers(value.clone());
            value.as_object_mut().map(|members| members.remove("metadata"));
            value
        };
        count("defaulted", without(defaulted) == without(&object), &|| {
            format!("  golden {}\n  ours   {}", without(defaulted), without(&object))
        })?;
        let validated = expect.get("validated").unwrap_or(defaulted);
        let status = text(&fixture, "subresource") == "status";
        let structural = &kind.structural;
        let mut lists = vec![match fixture.get("oldObject") {
            None => validate::validate(structural, validated),
            Some(old) if status => validate::validate_status_update(structural, validated, old),
            Some(old) => validate::validate_update(structural, validated, old),
        }];
        let type_meta = text(validated, "kind") == kind.kind && text(validated, "apiVersion") == kind.api_version();
        if let Some(scale) = kind.scale.as_ref().filter(|_| type_meta) {
            lists.push(validate::validate_scale(scale, validated, status));
        }
        let ours = ours(&lists)?;
        let errors = expect["errors"].as_array().cloned().unwrap_or_default();
        let of_schema = |error: &&Value| matches!(text(error, "source"), "schema" | "listtype" | "embedded" | "scale");
        let golden = shown(&errors.iter().filter(of_schema).cloned().collect::<Vec<_>>());
        count("errors", golden == ours, &|| {
            let only = |one: &[String], other: &[String]| {
                one.iter().filter(|line| !other.contains(line)).map(|line| format!("\n    {line}")).collect::<String>()
            };
            format!("  golden only{}\n  ours only{}", only(&golden, &ours), only(&ours, &golden))
        })?;
        if !golden.is_empty() {
            count("errors, where there are some", golden == ours, &String::new)?;
        }
    }
    for (what, (agreed, all)) in counts {
        writeln!(out, "{what}: {agreed} of {all}")?;
    }
    Ok(())
}
