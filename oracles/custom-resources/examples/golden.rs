//! Compares validation with recorded verdicts of an API server.
//!
//! `golden crd-schemas.jsonl crd-validation.jsonl [show [crd-defaulting.jsonl]]`: one JSON object a line, decompressed. Shows so many
//! differences.

use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use takeover_custom_resources::structural::Structural;
use takeover_custom_resources::validate::Request;
use takeover_custom_resources::{CustomKind, coerce, kinds_of_crd, validate};
use takeover_harness::error::{ErrorList, FieldError};

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
        version.as_object_mut().map(|members| members.insert("subresources".to_owned(), subresources.clone()));
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
        Value::Number(number) if number.is_f64() => {
            let text = number.to_string();
            text.strip_suffix(".0")
                .and_then(|whole| whole.parse::<i64>().ok())
                .map_or(Value::Number(number), Value::from)
        }
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
        json.as_object_mut().map(|members| members.insert("badValue".to_owned(), error.bad_value.to_json()));
        Ok::<_, Problem>(json)
    });
    Ok(shown(&errors.collect::<Result<Vec<_>, _>>()?))
}

/// Compares removal of nulls and setting of defaults with recorded results, which are of any schema.
fn defaulting(path: &str, counts: &mut BTreeMap<&str, (usize, usize)>) -> Result<(), Problem> {
    for fixture in lines(path)? {
        let fixture = fixture?;
        let part = |name: &str| fixture.get(name).cloned().unwrap_or_default();
        // Objects are wrapped, because a root is treated differently.
        let schema = json!({"type": "object", "properties": {"x": part("schema")}});
        let manifest = manifest(&json!({"version": "v1", "schema": schema, "group": "example.com", "scope": "Cluster",
            "kind": "X", "plural": "xs"}));
        let kind = kinds_of_crd(&manifest)?.into_iter().next().ok_or("no kind")?;
        let inner = kind.structural.properties.get("x").ok_or("no schema")?;
        let (mut nulls, mut defaulted) = (part("object"), part("object"));
        coerce::drop_nulls(inner, &mut nulls);
        coerce::set_defaults(inner, &mut defaulted);
        let mut both = nulls.clone();
        coerce::set_defaults(inner, &mut both);
        let steps = [
            ("nulls dropped", nulls, "nulls_pruned"),
            ("defaults set", defaulted, "default_only"),
            ("both", both, "defaulted"),
        ];
        for (what, ours, golden) in steps {
            let (agreed, all) = counts.entry(what).or_default();
            *all += 1;
            *agreed += usize::from(whole_numbers(ours) == whole_numbers(part(golden)));
        }
        let mut object = json!({"x": part("object")});
        let mut structural = Structural::clone(&kind.structural);
        if fixture.get("is_resource_root") == Some(&Value::Bool(true)) {
            object = part("object");
            structural = Structural::clone(inner);
        }
        coerce::prune(&structural, &mut object);
        let object =
            object.get("x").filter(|_| fixture.get("is_resource_root") != Some(&Value::Bool(true))).unwrap_or(&object);
        let (agreed, all) = counts.entry("pruned alone").or_default();
        *all += 1;
        *agreed += usize::from(whole_numbers(object.clone()) == whole_numbers(part("pruned")));
    }
    Ok(())
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
        let expect = fixture.get("expect").unwrap_or(&Value::Null);
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
        let sent = fixture.get("object").unwrap_or(&Value::Null);
        let mut object = sent.clone();
        let pruned = coerce::coerce(&kind.structural, &mut object);
        let named = expect.get("pruned").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
        let mut named: Vec<String> = named.map(str::to_owned).collect();
        named.sort();
        count("pruned", named == pruned, &|| format!("  golden {named:?}\n  ours   {pruned:?}"))?;
        let defaulted = expect.get("defaulted").unwrap_or(sent);
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
        let errors = expect.get("errors").and_then(Value::as_array).cloned().unwrap_or_default();
        let of_schema = |error: &&Value| matches!(text(error, "source"), "schema" | "listtype" | "embedded" | "scale");
        let golden = shown(&errors.iter().filter(of_schema).cloned().collect::<Vec<_>>());
        count("errors", golden == ours, &|| {
            let only = |one: &[String], other: &[String]| {
                one.iter().filter(|line| !other.contains(line)).map(|line| format!("\n    {line}")).collect::<String>()
            };
            format!("  golden only{}\n  ours only{}", only(&golden, &ours), only(&ours, &golden))
        })?;
        if type_meta {
            let found = match fixture.get("oldObject") {
                None => validate::validate_metadata(kind.scope, validated),
                Some(old) => validate::validate_metadata_update(validated, old),
            };
            let golden =
                shown(&errors.iter().filter(|error| text(error, "source") == "meta").cloned().collect::<Vec<_>>());
            let found = self::ours(&[found])?;
            count("metadata", golden == found, &|| format!("  golden {golden:#?}\n  ours {found:#?}"))?;
        }
        let others = errors.iter().filter(|error| !matches!(text(error, "source"), "cel" | "blocked"));
        let others: Vec<FieldError> =
            others.map(|error| serde_json::from_value(error.clone())).collect::<Result<_, _>>()?;
        let said: Vec<Value> = errors
            .iter()
            .filter(|error| text(error, "detail").starts_with("some validation rules were not checked"))
            .cloned()
            .collect();
        let replaced: ErrorList =
            validate::unchecked_rules(structural, &others.into()).into_iter().collect::<Vec<_>>().into();
        count("rules left unchecked", shown(&said) == self::ours(std::slice::from_ref(&replaced))?, &|| {
            format!("{said:?} {replaced:?}")
        })?;
        let request = match fixture.get("oldObject") {
            None => Request::Create,
            Some(old) if status => Request::UpdateStatus(old),
            Some(old) => Request::Update(old),
        };
        let whole = validate::validate_request(kind, validated, request);
        let is_replaced = |error: &Value| text(error, "detail").starts_with("some validation rules were not checked");
        let but_rules = errors.iter().filter(|error| text(error, "source") != "cel" || is_replaced(error));
        let but_rules = shown(&but_rules.cloned().collect::<Vec<_>>());
        let whole = self::ours(&[whole])?;
        count("all but CEL", but_rules == whole, &|| format!("  golden {but_rules:#?}\n  ours {whole:#?}"))?;
        if !golden.is_empty() {
            count("errors, where there are some", golden == ours, &String::new)?;
        }
    }
    if let Some(path) = rest.get(1) {
        defaulting(path, &mut counts)?;
    }
    for (what, (agreed, all)) in counts {
        writeln!(out, "{what}: {agreed} of {all}")?;
    }
    Ok(())
}
