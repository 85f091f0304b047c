//! Tests of corpora as files.

use super::{Compression, StoredVerdict, Writer, check, line_of};
use crate::load::{Input, Limits, LoadErrorKind, LoadedCase, load};
use crate::redact::RedactionSettings;
use std::io::Cursor;

const OBJECTS: &str = "apiVersion: v1\nkind: T\nmetadata: {name: a}\n---\napiVersion: takeover.dev/v1alpha1\nkind: Case\n\
    name: grow\noperation: update\nsubresource: scale\noptions: {A: true}\n\
    oldObject: {apiVersion: v1, kind: T, size: 1}\nobject: {apiVersion: v1, kind: T, size: 2}\n";

fn cases(name: &str, bytes: &[u8]) -> Vec<LoadedCase> {
    let input = Input::stream(name, Cursor::new(bytes.to_vec()));
    load(vec![input], Limits::default()).cases().map(Result::unwrap).collect()
}

fn written(compression: Compression, cases: &[LoadedCase]) -> Vec<u8> {
    let mut writer = Writer::new(Vec::new(), compression, Some(RedactionSettings { names: true })).unwrap();
    for case in cases {
        writer.case(&line_of(case)).unwrap();
    }
    assert_eq!(writer.cases(), cases.len() as u64);
    writer.finish().unwrap()
}

fn checked(name: &str, bytes: Vec<u8>) -> Result<super::Checked, String> {
    check(name, Cursor::new(bytes)).map_err(|error| error.to_string())
}

#[test]
fn a_corpus_is_read_as_what_was_written_however_it_is_compressed() {
    let mut before = cases("a.yaml", OBJECTS.as_bytes());
    before[0].verdict = Some(StoredVerdict {
        outcome: "agreedReject".to_owned(),
        reference: vec!["e".to_owned()],
        candidate: Vec::new(),
    });
    for (name, compression) in
        [("c.jsonl", Compression::Plain), ("c.jsonl.gz", Compression::Gzip), ("c.jsonl.zst", Compression::Zstd)]
    {
        assert_eq!(Compression::of(name), compression);
        let bytes = written(compression, &before);
        let after = cases(name, &bytes);
        assert_eq!(after.len(), before.len());
        for (one, other) in before.iter().zip(&after) {
            assert_eq!(other.origin, Some(one.case.provenance.to_string()));
            assert_eq!((&one.name, &one.subresource, &one.verdict), (&other.name, &other.subresource, &other.verdict));
            assert_eq!((one.case.operation, &one.case.options), (other.case.operation, &other.case.options));
            assert_eq!((&one.case.object, &one.case.old), (&other.case.object, &other.case.old));
        }
        // Copied once more, a case still says where it was found first.
        assert_eq!(cases(name, &written(compression, &after))[0].origin.as_deref(), Some("a.yaml:1 (document 1)"));
        let checked = checked(name, bytes).unwrap();
        assert_eq!((checked.cases, checked.parts, checked.raw), (3, 1, 0));
        assert_eq!(checked.redacted, Some(RedactionSettings { names: true }));
    }
}

#[test]
fn corpora_are_joined_by_appending() {
    let before = cases("a.yaml", OBJECTS.as_bytes());
    for (name, compression) in [("c.jsonl", Compression::Plain), ("c.jsonl.zst", Compression::Zstd)] {
        let twice = [written(compression, &before), written(compression, &before)].concat();
        assert_eq!(cases(name, &twice).len(), 6);
        let checked = checked(name, twice).unwrap();
        assert_eq!((checked.cases, checked.parts), (6, 2));
    }
}

#[test]
fn a_corpus_that_is_not_whole_is_told_with_its_line() {
    let whole = String::from_utf8(written(Compression::Plain, &cases("a.yaml", OBJECTS.as_bytes()))).unwrap();
    let lines: Vec<&str> = whole.split_inclusive('\n').collect();
    for (bytes, said) in [
        (lines[..3].concat(), "`c.jsonl:3`: the corpus is truncated after 2 cases: its last line is missing"),
        (lines[1..].concat(), "`c.jsonl:1`: a case outside a corpus: its first line is missing"),
        ([&lines[..2], &lines[3..]].concat().concat(), "`c.jsonl:4`: the corpus had 3 cases, 2 of them are here"),
        (
            whole.replace("\"size\":2", "\"size\":3"),
            "`c.jsonl:5`: the corpus was changed after it was written: its hash differs",
        ),
        (OBJECTS.to_owned(), "`c.jsonl:1`: not a line of a corpus; create one with `corpus import`"),
        (String::new(), "`c.jsonl:0`: an empty file is not a corpus"),
    ] {
        assert_eq!(checked("c.jsonl", bytes.into_bytes()).unwrap_err(), said);
    }
    let packed = written(Compression::Gzip, &cases("a.yaml", OBJECTS.as_bytes()));
    let error = checked("c.jsonl.gz", packed[..packed.len() - 9].to_vec()).unwrap_err();
    assert!(error.starts_with("`c.jsonl.gz:"), "{error}");
}

fn of_major(corpus: &str, major: u32) -> String {
    corpus.replace("\"major\":1", &format!("\"major\":{major}"))
}

#[test]
fn corpora_of_other_major_versions_are_refused_by_name_and_what_follows_them_is_read() {
    let whole = String::from_utf8(written(Compression::Plain, &cases("a.yaml", OBJECTS.as_bytes()))).unwrap();
    for (major, said) in
        [(0, "`c.jsonl:1`: too old: `corpus` of format 0."), (2, "`c.jsonl:1`: too new: `corpus` of format 2.")]
    {
        let other = of_major(&whole, major);
        let refused = checked("c.jsonl", other.clone().into_bytes()).unwrap_err();
        assert!(refused.starts_with(said), "{refused}");
        let joined = Input::stream("c.jsonl", Cursor::new([other.as_str(), &whole].concat()));
        // One that is cut off ends with its file.
        let cut = Input::stream("d.jsonl", Cursor::new(other.lines().next().unwrap().to_owned()));
        let plain = Input::stream("a.yaml", Cursor::new(OBJECTS));
        let read: Vec<_> = load(vec![joined, cut, plain], Limits::default()).cases().collect();
        let errors: Vec<_> = read.iter().filter_map(|read| read.as_ref().err()).collect();
        assert_eq!((read.len(), errors.len()), (2 + 3 + 3, 2));
        assert!(errors.iter().all(|error| error.kind() == LoadErrorKind::OtherFormat), "{errors:?}");
        assert_eq!(errors[0].to_string(), refused);
    }
}

#[test]
fn members_of_newer_minor_versions_are_passed_over() {
    let whole = String::from_utf8(written(Compression::Plain, &cases("a.yaml", OBJECTS.as_bytes()))).unwrap();
    let newer = whole.replace("\"minor\":1", "\"minor\":9").replace("\"operation\"", "\"later\":{},\"operation\"");
    assert_eq!(cases("c.jsonl", newer.as_bytes()).len(), 3);
    let outside =
        load(vec![Input::stream("c.jsonl", Cursor::new(newer.lines().nth(1).unwrap().to_owned()))], Limits::default());
    let error = outside.cases().next().unwrap().unwrap_err();
    assert!(error.to_string().contains("a case has no field `later`"), "{error}");
}

#[test]
fn corpora_of_before_there_were_minor_versions_are_read() {
    let old = include_bytes!("old/corpus-1.jsonl");
    let read = cases("c.jsonl", old);
    assert_eq!((read.len(), read[0].verdict.as_ref().unwrap().outcome.as_str()), (2, "agreedAccept"));
    let checked = checked("c.jsonl", old.to_vec()).unwrap();
    assert_eq!((checked.cases, checked.parts, checked.redacted), (2, 1, Some(RedactionSettings { names: false })));
}
