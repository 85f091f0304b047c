//! A reader that remembers gives what one gives that does not.

use super::stream;
use crate::load::{Document, Input, Limits, LoadError, LoadedCase, load};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use takeover_harness::case::{Case, Operation, Provenance};

fn plain(inputs: impl Fn() -> Vec<Input>) -> Vec<Result<LoadedCase, LoadError>> {
    load(inputs(), Limits::default()).cases().collect()
}

fn remembering(inputs: impl Fn() -> Vec<Input>) -> Vec<Result<LoadedCase, LoadError>> {
    load(inputs(), Limits::default()).remembering().cases().collect()
}

/// All of a case but in which form it holds its objects.
fn content(loaded: &Result<LoadedCase, LoadError>) -> Result<(String, Case<'static>, [Value; 2]), String> {
    let loaded = loaded.as_ref().map_err(ToString::to_string)?;
    let object = |payload: &takeover_harness::case::Payload| payload.to_value().unwrap();
    let objects = [object(&loaded.case.object), loaded.case.old.as_ref().map(object).unwrap_or_default()];
    let hollow = Case { object: Value::Null.into(), old: None, ..loaded.case.clone() };
    Ok((format!("{} {} {:?} {}", loaded.api_version, loaded.kind, loaded.name, loaded.subresource), hollow, objects))
}

fn numbers(cases: &[Result<LoadedCase, LoadError>]) -> Vec<Option<u64>> {
    cases.iter().map(|case| case.as_ref().ok().and_then(|case| case.content)).collect()
}

/// The same cases, and the numbers of their contents.
fn alike(inputs: impl Fn() -> Vec<Input>) -> Vec<Option<u64>> {
    let (known, plain) = (remembering(&inputs), plain(&inputs));
    assert_eq!(known.iter().map(content).collect::<Vec<_>>(), plain.iter().map(content).collect::<Vec<_>>());
    assert!(numbers(&plain).iter().all(Option::is_none));
    // One number is one content, and the other way round: a judgement is found by it.
    let mut of_number: BTreeMap<u64, Option<String>> = BTreeMap::new();
    for loaded in known.iter().flatten() {
        if let Some(number) = loaded.content {
            let object = (loaded.case.operation == Operation::Create).then(|| loaded.case.object.to_value().unwrap());
            let object = object.map(|object| object.to_string());
            let before = of_number.entry(number).or_insert_with(|| object.clone());
            assert!(before.is_none() || object.is_none() || *before == object, "{number}: {before:?}, {object:?}");
        }
    }
    numbers(&known)
}

#[test]
fn what_comes_several_times_before_it_is_kept_has_one_number_and_no_other_has_that() {
    let object =
        |name: &str| format!("{{\"apiVersion\":\"v1\",\"kind\":\"T\",\"metadata\":{{\"name\":\"{name}\"}}}}\n");
    let (a, b, c) = (object("a"), object("b"), object("c"));
    // The first three make one document of the file.
    let others = [&b, &c, &b, &c].map(|object| format!("---\n{object}")).concat();
    let text = format!("{a}{a}{a}{others}---\n{a}{others}");
    for name in ["t.yaml", "t.jsonl", "t.json"] {
        let numbers = alike(|| vec![stream(name, &text), stream(name, &text)]);
        let distinct: BTreeSet<u64> = numbers.iter().flatten().copied().collect();
        assert!(distinct.len() >= 3, "{name}: {numbers:?}");
    }
}

#[test]
fn what_one_reader_takes_is_not_known_to_the_other() {
    let text = "{apiVersion: v1, kind: T}";
    let cases = remembering(|| vec![stream("a.yaml", text), stream("b.yaml", text), stream("c.json", text)]);
    assert!(matches!(cases.as_slice(), [Ok(_), Ok(_), Ok(_), Ok(_), Err(_)]), "{cases:?}");
}

#[test]
fn what_comes_again_has_one_number_from_its_second_time_on() {
    let a = r#"{"apiVersion":"v1","kind":"T","metadata":{"name":"a"},"x":[1,-0,1.0,1e300,18446744073709551615,"ä\n"]}"#;
    let b = r#"{"apiVersion":"v1","kind":"T","metadata":{"name":"b","resourceVersion":"7"}}"#;
    let same_in_other_words = a.replace(":[", ": [");
    let text = [a, b, a, &same_in_other_words, a, b].join("\n");
    let (zero, one) = (Some(0), Some(1));
    for name in ["t.jsonl", "t.json", "t.log"] {
        let numbers = alike(|| vec![stream(name, &text)]);
        let objects: Vec<_> = numbers.chunks(2).map(|pair| (pair[0], pair[0] == pair[1])).collect();
        assert_eq!(objects, [None, None, zero, None, zero, one].map(|number| (number, true)), "{name}");
    }
}

#[test]
fn yaml_documents_keep_their_lines_wherever_they_come_again() {
    let one = "# first\n\n---\n# why\napiVersion: v1\nkind: T\nmetadata: {name: a, labels: &l {on: yes}}\nspec: *l\n";
    let other = "---\napiVersion: v1\nkind: T\nmetadata:\n  name: b\n  resourceVersion: \"\"\n";
    let text = [one, other, "---\n", other, one, other].concat();
    let numbers = alike(|| vec![stream("t.yaml", &text), stream("u.yaml", &text)]);
    assert!(numbers.iter().flatten().count() > 8, "{numbers:?}");
    let lines = remembering(|| vec![stream("t.yaml", &text)]).into_iter().map(|case| case.unwrap().case.provenance);
    let lines: Vec<u64> = lines
        .map(|provenance| match provenance {
            Provenance::File { line, .. } => line,
            _ => 0,
        })
        .collect();
    assert_eq!(lines.len(), 10);
    assert!(lines.is_sorted(), "{lines:?}");
}

#[test]
fn what_is_no_plain_object_is_read_anew_every_time() {
    let case = r#"{"apiVersion":"takeover.dev/v1alpha1","kind":"Case","operation":"create","object":{"apiVersion":"v1","kind":"T"}}"#;
    let recorded = r#"{"apiVersion":"v1","kind":"T","operation":"create","object":{"apiVersion":"v1","kind":"T"}}"#;
    let list =
        r#"{"apiVersion":"v1","kind":"List","items":[{"apiVersion":"v1","kind":"T"},{"apiVersion":"v1","kind":"T"}]}"#;
    let review = r#"{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","request":{"uid":"1"}}"#;
    let event =
        r#"{"apiVersion":"audit.k8s.io/v1","kind":"Event","auditID":"1","stage":"ResponseComplete","verb":"get"}"#;
    let broken = r#"{"apiVersion":"v1","kind":"T","a":1,"a":2}"#;
    let text =
        [case, recorded, list, review, event, broken, "[1]", r#"{"a":1}"#].map(|line| format!("{line}\n")).concat();
    let numbers = alike(|| vec![stream("t.jsonl", text.repeat(4))]);
    assert!(numbers.len() > 32 && numbers.iter().all(Option::is_none), "{numbers:?}");
}

#[test]
fn envelopes_are_opened_and_known_by_their_whole_text() {
    let line =
        |source: &str| format!("{{\"source\":\"{source}\",\"object\":{{\"apiVersion\":\"v1\",\"kind\":\"T\"}}}}\n");
    let text = [line("a"), line("b"), line("a"), line("b")].concat();
    assert_eq!(alike(|| vec![stream("t.jsonl", &text)])[4..], [Some(0), Some(0), Some(1), Some(1)]);
}

#[test]
fn what_is_remembered_is_bounded() {
    let line = |name: usize, bytes: usize| {
        let note = "x".repeat(bytes);
        format!("{{\"apiVersion\":\"v1\",\"kind\":\"T\",\"metadata\":{{\"name\":\"n{name}\"}},\"note\":\"{note}\"}}\n")
    };
    let text: String = (0..100).map(|name| line(name, 100_000)).collect();
    let numbers = alike(|| vec![stream("t.jsonl", text.repeat(3))]);
    let kept = numbers.iter().flatten().max().unwrap();
    assert!((10..40).contains(kept), "{kept} objects of 300 kB each");
    let large = line(0, 1 << 20);
    assert!(alike(|| vec![stream("t.jsonl", large.repeat(3))]).iter().all(Option::is_none));
}

#[test]
fn documents_are_the_same_too() {
    let text = "---\napiVersion: v1\nkind: T\nspec: {at: 2001-01-01}\n".repeat(5);
    let plain: Vec<_> = load(vec![stream("t.yaml", &text)], Limits::default()).map(Result::unwrap).collect();
    let known = load(vec![stream("t.yaml", &text)], Limits::default()).remembering();
    let known: Vec<Document> = known.map(|reading| reading.unwrap().into()).collect();
    assert_eq!(known, plain);
}
