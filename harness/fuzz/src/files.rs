//! Files that people give: manifests and recorded verdicts.

use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::Value;
use std::io::{Cursor, Write as _};
use std::path::Path;
use takeover_corpora::fixture::{self, Cause, Fixture, FixtureError, Line, Live};
use takeover_corpora::load::{Document, Input, Limits, LoadError, LoadedCase, document_of, load};
use takeover_corpora::minimise::to_yaml;
use takeover_harness::case::{Operation, Provenance};
use takeover_harness::error::FieldError;

/// Names that manifests have: the first byte chooses one.
const MANIFESTS: [&str; 8] =
    ["a.yaml", "a.json", "a.jsonl", "a", "a.yaml.gz", "a.json.gz", "a.yaml.zst", "a.ndjson.zst"];

/// How packed files start: gzip, Zstandard.
const PACKED: [&[u8]; 2] = [&[0x1f, 0x8b], &[0x28, 0xb5, 0x2f, 0xfd]];

/// Small, so that every limit is reached.
const LIMITS: Limits = Limits {
    document_bytes: 6 << 10,
    list_bytes: 512,
    depth: 24,
    values: 600,
    alias_values: 200,
    alias_bytes: 4 << 10,
};

/// Items of one file that are looked at. A packed file can hold very many.
const MOST_ITEMS: usize = 2_000;

/// Documents of one file that are written and read again.
const MOST_REREAD: usize = 8;

/// Loads the bytes after the first as a file whose name the first chooses: every document is an object or an error, within the
/// limits; written as JSON and YAML it loads as what it was, and so do the cases made of it; a packed file is the file.
///
/// # Panics
/// When that does not hold.
pub fn manifest_loader(data: &[u8]) {
    let (first, content) = data.split_first().unwrap_or((&0, &[]));
    let name = MANIFESTS.get(usize::from(*first) % MANIFESTS.len()).copied().unwrap_or_default();
    let loaded = documents(name, content, LIMITS);
    let mut seen = 0;
    for document in &loaded {
        match document {
            Ok(document) => {
                assert!(!document.kind.is_empty() && !document.api_version.is_empty());
                assert!(depth(&document.value) <= LIMITS.depth, "deeper than the limit: {document:?}");
                assert!(values(&document.value) <= LIMITS.values + LIMITS.alias_values, "more than the limit");
                let Provenance::File { path, document: number, line } = &document.provenance else {
                    panic!("a document of no file: {document:?}")
                };
                assert!(path == name && *number > seen && *line > 0, "misplaced: {document:?}");
                seen = *number;
            }
            Err(error) => {
                assert!(error.path() == name && !error.detail().is_empty(), "{error:?}");
                assert!(error.line() != Some(0) && error.column() != Some(0), "counted from 0: {error:?}");
            }
        }
    }
    for document in loaded.iter().flatten().take(MOST_REREAD) {
        reread(&document.value);
    }
    let cases = load(vec![Input::stream(name, Cursor::new(content.to_vec()))], LIMITS).cases();
    for case in cases.take(MOST_REREAD).flatten() {
        rewrite(&case);
    }
    let is_packed = PACKED.iter().any(|start| content.starts_with(start));
    if !name.contains(".gz") && !name.contains(".zst") && !is_packed {
        let packed = documents(&format!("{name}.gz"), &packed(content), LIMITS);
        let plain: Vec<_> = loaded.iter().map(placeless).collect();
        let packed: Vec<_> = packed.iter().map(placeless).collect();
        // Without any byte there is nothing that could be seen to be packed.
        assert!(plain == packed || content.is_empty(), "{plain:#?} plain, {packed:#?} packed");
    }
}

fn documents(name: &str, content: &[u8], limits: Limits) -> Vec<Result<Document, LoadError>> {
    load(vec![Input::stream(name, Cursor::new(content.to_vec()))], limits).take(MOST_ITEMS).collect()
}

fn packed(content: &[u8]) -> Vec<u8> {
    let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
    let written = packed.write_all(content).and_then(|()| packed.finish());
    written.expect("memory can be written")
}

/// What was loaded with its place, or what was wrong with its line, without the name of the file.
fn placeless(loaded: &Result<Document, LoadError>) -> Result<(&Value, String), (Option<u64>, &str)> {
    match loaded {
        Ok(document) => {
            let place = match &document.provenance {
                Provenance::File { document, line, .. } => format!("document {document} in line {line}"),
                other => other.to_string(),
            };
            Ok((&document.value, place))
        }
        Err(error) => Err((error.line(), error.detail())),
    }
}

fn reread(value: &Value) {
    // YAML, as Kubernetes reads it, has no number that is integral and yet no integer.
    for (name, text, expected) in
        [("written.json", value.to_string(), value.clone()), ("written.yaml", to_yaml(value), integral(value))]
    {
        let again = documents(name, text.as_bytes(), Limits::default());
        let [Ok(again)] = again.as_slice() else { panic!("{again:?} from\n{text}") };
        assert_eq!(again.value, expected, "{name}:\n{text}");
    }
}

/// The value with integers for numbers such as `500.0`.
fn integral(value: &Value) -> Value {
    match value {
        Value::Array(items) => items.iter().map(integral).collect(),
        Value::Object(members) => {
            members.iter().map(|(key, value)| (key.clone(), integral(value))).collect::<serde_json::Map<_, _>>().into()
        }
        Value::Number(number) => {
            let float = number.as_f64().filter(|float| number.is_f64() && float.fract() == 0.0);
            float.and_then(|float| format!("{float:.0}").parse::<i64>().ok()).map_or_else(|| value.clone(), Value::from)
        }
        other => other.clone(),
    }
}

/// Writes a case as a document and reads it again.
fn rewrite(loaded: &LoadedCase) {
    let case = &loaded.case;
    assert_eq!(case.old.is_some(), case.operation == Operation::Update, "{case:?}");
    let document = document_of(case, &loaded.subresource);
    let input = Input::stream("written.json", Cursor::new(document.to_string().into_bytes()));
    let again: Vec<_> = load(vec![input], Limits::default()).cases().collect();
    match again.as_slice() {
        [Ok(again)] => {
            assert_eq!(again.case.operation, case.operation);
            assert_eq!((&again.case.object, &again.case.old), (&case.object, &case.old));
            let states = |case: &LoadedCase| {
                let mut states: Vec<_> = case.case.options.iter().map(|(name, on)| (name.to_owned(), on)).collect();
                states.sort_unstable();
                states
            };
            assert_eq!(states(again), states(loaded));
            assert_eq!(again.subresource, loaded.subresource);
        }
        // A recorded verdict may hold an object without version and kind, which a case of our own has to have.
        [Err(error)] if error.detail().starts_with("`object` has no text") => {}
        other => panic!("{other:?} from {document}"),
    }
}

fn depth(value: &Value) -> usize {
    match value {
        Value::Array(items) => 1 + items.iter().map(depth).max().unwrap_or_default(),
        Value::Object(members) => 1 + members.values().map(depth).max().unwrap_or_default(),
        _ => 0,
    }
}

fn values(value: &Value) -> usize {
    match value {
        Value::Array(items) => 1 + items.iter().map(values).sum::<usize>(),
        Value::Object(members) => 1 + members.values().map(values).sum::<usize>(),
        _ => 1,
    }
}

/// Reads `data` as a fixture file: lines come in order, each is a verdict, a response or an error; recorded errors print and
/// are read again as what they were; a packed file is the file.
///
/// # Panics
/// When that does not hold.
pub fn fixture_reader(data: &[u8]) {
    // What starts like a packed file is read as one.
    let name = if data.starts_with(&[0x1f, 0x8b]) { "a.jsonl.gz" } else { "a.jsonl" };
    let read = lines(name, data);
    let mut last = 0;
    for line in &read {
        match line {
            Ok(line) => {
                assert!(line.number > last && !line.text.trim_ascii().is_empty(), "{line:?} after line {last}");
                last = line.number;
                fixture_line(&line.text);
            }
            Err(error) => assert!(error.to_string().contains(name), "{error}"),
        }
    }
    assert!(read.iter().rev().skip(1).all(Result::is_ok), "an error ends the file");
    if name == "a.jsonl" {
        let packed: Vec<_> = lines("a.jsonl.gz", &packed(data)).into_iter().flatten().map(|line| line.text).collect();
        let plain: Vec<_> = read.into_iter().flatten().map(|line| line.text).collect();
        assert_eq!(plain, packed);
    }
}

fn lines(name: &str, content: &[u8]) -> Vec<Result<Line, FixtureError>> {
    fixture::lines_of(Path::new(name), Cursor::new(content.to_vec())).take(MOST_ITEMS).collect()
}

fn fixture_line(text: &[u8]) {
    let Ok(value) = serde_json::from_slice::<Value>(text) else { return };
    if let Ok(fixture) = serde_json::from_value::<Fixture>(value.clone()) {
        let defined = ["A".to_owned(), "B".to_owned()];
        let options = fixture.options.resolve(&defined);
        assert!(options.iter().all(|(name, on)| options.get(name) == Some(on)), "{options:?}");
        let expect = fixture.expect;
        for error in [expect.handwritten, expect.declarative, expect.returned].into_iter().flatten().flatten() {
            recorded_error(&error);
        }
    }
    if let Ok(live) = serde_json::from_value::<Live>(value) {
        let identifier = live.subject().validation_identifier(live.operation());
        assert!(!identifier.is_empty() && !identifier.contains('/'), "{identifier}");
    }
}

fn recorded_error(error: &FieldError) {
    let written = serde_json::to_value(error).expect("an error is JSON");
    let again: FieldError = serde_json::from_value(written.clone()).expect("what is written can be read");
    assert_eq!(&again, error, "{written}");
    let cause = Cause::from(error);
    assert!(error.to_string().contains(&cause.message), "{cause:?} of {error}");
}
