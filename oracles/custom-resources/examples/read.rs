//! Reads CRDs and prints their kinds: `read [--quiet] FILES…`, JSON documents, one a line or one a file; a line may have the document
//! under `object`. `--objects FILES…` after the CRDs: custom resources, decoded and judged by them.

use serde_json::Value;
use std::collections::BTreeMap;
use std::io::Write;
use takeover_custom_resources::refuse::accepted_kinds_of_crd;
use takeover_custom_resources::structural::{Additional, Structural};
use takeover_custom_resources::validate::Request;
use takeover_custom_resources::{CustomKind, coerce, kinds_of_openapi, request, validate};
use takeover_harness::object::{Arena, FieldValidation, from_value_with, to_value};
use takeover_harness::rule::Sample;
use takeover_harness::schema::Kind;

type Problem = Box<dyn std::error::Error>;

/// The documents of a file with where they are from.
fn documents(path: &str) -> Result<Vec<(String, Value)>, Problem> {
    let text = std::fs::read_to_string(path).map_err(|error| format!("read `{path}`: {error}"))?;
    if let Ok(document) = serde_json::from_str::<Value>(&text) {
        return Ok(vec![source(path, document)]);
    }
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    let each = lines.map(|(at, line)| {
        let document = serde_json::from_str(line).map_err(|error| format!("`{path}` line {}: {error}", at + 1))?;
        Ok(source(&format!("{path}:{}", at + 1), document))
    });
    each.collect()
}

fn source(place: &str, mut document: Value) -> (String, Value) {
    match document.get_mut("object").map(Value::take) {
        Some(object) if object.is_object() => {
            (document.get("source").and_then(Value::as_str).unwrap_or(place).to_owned(), object)
        }
        _ => (place.to_owned(), document),
    }
}

#[derive(Default)]
struct Totals {
    documents: usize,
    refused: BTreeMap<String, usize>,
    kinds: usize,
    types: usize,
    fields: usize,
    hints: usize,
    rules: usize,
    unread: BTreeMap<String, usize>,
    kinds_with_unread: usize,
    samples: [usize; 4],
}

fn main() -> Result<(), Problem> {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let quiet = arguments.first().is_some_and(|first| first == "--quiet");
    arguments.drain(..usize::from(quiet));
    let at = arguments.iter().position(|argument| argument == "--objects").unwrap_or(arguments.len());
    let (crds, objects) = arguments.split_at(at);
    let mut out = std::io::stdout().lock();
    let mut totals = Totals::default();
    let mut known: BTreeMap<(String, String), Vec<CustomKind>> = BTreeMap::new();
    for (source, document) in
        crds.iter().map(|path| documents(path)).collect::<Result<Vec<_>, _>>()?.into_iter().flatten()
    {
        totals.documents += 1;
        let read = if document.get("openapi").is_some() {
            kinds_of_openapi(&document).map_err(|error| error.to_string())
        } else {
            accepted_kinds_of_crd(&document).map_err(|error| error.to_string())
        };
        let kinds = match read {
            Ok(kinds) => kinds,
            Err(error) => {
                if !quiet {
                    writeln!(out, "{source}: failed to read: {error}")?;
                }
                *totals.refused.entry(error).or_default() += 1;
                continue;
            }
        };
        for kind in kinds {
            let fields: usize = kind
                .schema
                .iter()
                .map(|(_, ty)| if let Kind::Struct(fields) = &ty.kind { fields.fields.len() } else { 0 })
                .sum();
            if !quiet {
                writeln!(
                    out,
                    "{} {} ({}, {}): {} types, {fields} fields, {} hints, {} CEL rules, {} unread",
                    kind.api_version(),
                    kind.kind,
                    kind.plural,
                    kind.scope,
                    kind.schema.len(),
                    kind.hints().len(),
                    kind.cel_rules(),
                    kind.unread.len()
                )?;
                for unread in &kind.unread {
                    writeln!(out, "  {unread}")?;
                }
            }
            totals.kinds += 1;
            samples(&kind, &mut totals.samples, &mut out)?;
            totals.types += kind.schema.len();
            totals.fields += fields;
            totals.hints += kind.hints().len();
            totals.rules += kind.cel_rules();
            totals.kinds_with_unread += usize::from(!kind.unread.is_empty());
            for unread in &kind.unread {
                *totals.unread.entry(unread.what.clone()).or_default() += 1;
            }
            if !objects.is_empty() {
                known.entry((kind.api_version(), kind.kind.clone())).or_default().push(kind);
            }
        }
    }
    writeln!(
        out,
        "{} documents, {} refused; {} kinds, {} types, {} fields, {} hints, {} CEL rules; {} kinds with something unread",
        totals.documents,
        totals.refused.values().sum::<usize>(),
        totals.kinds,
        totals.types,
        totals.fields,
        totals.hints,
        totals.rules,
        totals.kinds_with_unread
    )?;
    let [breaking, missed, keeping, kept] = totals.samples;
    writeln!(
        out,
        "samples: {breaking} that break their rule, {missed} of them accepted; {keeping} others, {kept} of them accepted by all rules of the \
         value"
    )?;
    for (what, count) in totals.refused.iter().map(|(what, count)| (format!("refused: {what}"), count)) {
        writeln!(out, "{count:6} {what}")?;
    }
    for (what, count) in &totals.unread {
        writeln!(out, "{count:6} unread: {what}")?;
    }
    let paths = objects.get(1..).unwrap_or_default();
    if !paths.is_empty() {
        judge(paths, &known, quiet, &mut out)?;
    }
    Ok(())
}

/// The schemas at a path of a rule.
fn at<'s>(node: &'s Structural, path: &str, found: &mut Vec<&'s Structural>) {
    if path.is_empty() {
        found.push(node);
    }
    if let Some(rest) = path.strip_prefix("[*]") {
        let additional = match &node.additional {
            Some(Additional::Schema(schema)) => Some(schema),
            _ => None,
        };
        node.items.iter().chain(additional).for_each(|schema| at(schema, rest, found));
    }
    let path = path.strip_prefix('.').unwrap_or(path);
    for (name, schema) in &node.properties {
        if let Some(rest) = path.strip_prefix(name.as_str())
            && (rest.is_empty() || rest.starts_with(['.', '[']))
        {
            at(schema, rest, found);
        }
    }
}

/// Counts the samples of hints that are to be refused, those of them that are accepted, those that are to be accepted, and those of
/// them that the whole schema of the value accepts.
fn samples(kind: &CustomKind, counts: &mut [usize; 4], out: &mut impl Write) -> Result<(), Problem> {
    for rule in kind.hints() {
        let mut nodes = Vec::new();
        at(&kind.structural, &rule.path, &mut nodes);
        for boundary in &rule.boundaries {
            let Sample::Value(value) = &boundary.sample else { continue };
            let accepted = nodes.iter().any(|node| validate::validate(node, value).is_empty());
            let [breaking, missed, keeping, kept] = &mut *counts;
            if boundary.breaks {
                *breaking += 1;
                *missed += usize::from(accepted);
                if accepted {
                    writeln!(out, "accepted: {} {} {}: {value}", kind.kind, rule.reference(), boundary.class)?;
                }
            } else {
                *keeping += 1;
                *kept += usize::from(accepted);
            }
        }
    }
    Ok(())
}

/// Validates custom resources by the variant of their CRD that finds the fewest errors.
fn judge(
    paths: &[String],
    known: &BTreeMap<(String, String), Vec<CustomKind>>,
    quiet: bool,
    out: &mut impl Write,
) -> Result<(), Problem> {
    let (mut all, mut unknown, mut valid, mut pruned_some, mut decoded, mut same) = (0, 0, 0, 0, 0, 0);
    let mut undecodable: BTreeMap<String, usize> = BTreeMap::new();
    let (mut requests, mut refused, mut malformed) = (0, 0, 0);
    for (source, object) in
        paths.iter().map(|path| documents(path)).collect::<Result<Vec<_>, _>>()?.into_iter().flatten()
    {
        all += 1;
        let text = |name: &str| object.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
        let Some(kinds) = known.get(&(text("apiVersion"), text("kind"))) else {
            unknown += 1;
            continue;
        };
        let judged = kinds.iter().map(|kind| {
            let mut object = object.clone();
            let coerced = coerce::coerce(&kind.structural, &mut object);
            malformed += usize::from(coerced.is_err());
            let stored = request::prepare(kind, object.clone(), Request::Create);
            for request in [Request::Create, Request::Update(&stored), Request::UpdateStatus(&stored)] {
                let prepared = request::prepare(kind, object.clone(), request);
                requests += 1;
                refused += usize::from(!validate::validate_request(kind, &prepared, request).is_empty());
            }
            let pruned = coerced.unwrap_or_default();
            let errors = validate::validate(&kind.structural, &object);
            (errors.len(), pruned.len(), kind, object, errors)
        });
        let Some((_, pruned, kind, object, errors)) = judged.min_by_key(|(errors, pruned, kind, ..)| {
            (*errors, *pruned, kind.unread.len(), usize::MAX - kind.schema.len())
        }) else {
            continue;
        };
        pruned_some += usize::from(pruned > 0);
        if !errors.is_empty() {
            if !quiet {
                writeln!(out, "{source}: {}", errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))?;
            }
            continue;
        }
        valid += 1;
        let arena = Arena::new();
        match from_value_with(&kind.schema, kind.root, &object, FieldValidation::Strict, &arena) {
            Ok(node) => {
                decoded += 1;
                let mut back = to_value(&kind.schema, kind.root, &node.node);
                let mut object = object;
                // Times in metadata are printed anew.
                for value in [&mut back, &mut object] {
                    value.as_object_mut().map(|members| members.remove("metadata"));
                }
                same += usize::from(back == object);
                if back != object && !quiet {
                    writeln!(out, "{source}: changed by decoding\n  {object}\n  {back}")?;
                }
            }
            Err(error) => {
                if !quiet {
                    writeln!(out, "{source}: not decoded: {error}")?;
                }
                *undecodable.entry(error.detail.clone()).or_default() += 1;
            }
        }
    }
    writeln!(
        out,
        "{all} objects, {unknown} of unknown kinds; {valid} valid, {pruned_some} with pruned fields; of the valid ones {decoded} \
         decoded, {same} the same after decoding and encoding"
    )?;
    writeln!(
        out,
        "as requests to every variant of their CRDs: {requests}, of them {refused} refused; {malformed} times no object of the kind"
    )?;
    for (why, count) in undecodable {
        writeln!(out, "{count:6} not decoded: {why}")?;
    }
    Ok(())
}
