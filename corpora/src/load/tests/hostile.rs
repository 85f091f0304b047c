//! Inputs that are out to exhaust memory, stack or time.

use super::{loaded, stream};
use crate::load::{Limits, LoadErrorKind, load};
use proptest::prelude::*;
use std::cell::Cell;
use std::io::{self, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

const GOOD: &str = "apiVersion: v1\nkind: Good\n";

/// A line without end that counts how much of it was read.
struct Endless {
    start: Cell<&'static [u8]>,
    read: Arc<AtomicUsize>,
}

impl Read for Endless {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let mut start = self.start.get();
        let mut length = start.read(into)?;
        self.start.set(start);
        if length == 0 {
            into.fill(b'x');
            length = into.len();
        }
        self.read.fetch_add(length, Ordering::Relaxed);
        Ok(length)
    }
}

#[test]
fn a_line_without_end_is_left_at_the_limit() {
    for (name, start) in [("long.yaml", "a: "), ("long.json", "{\"a\": \""), ("long.jsonl", "{\"a\": \"")] {
        let read = Arc::new(AtomicUsize::new(0));
        let bytes = Endless { start: Cell::new(start.as_bytes()), read: Arc::clone(&read) };
        let limits = Limits { document_bytes: 1 << 20, ..Limits::default() };
        let inputs = vec![crate::load::Input::stream(name, bytes), stream("good.yaml", GOOD)];
        let items: Vec<_> = load(inputs, limits).collect();
        let error = items[0].as_ref().unwrap_err();
        assert_eq!(
            error.to_string(),
            format!(
                "`{name}:1`: a document here is longer than the limit of 1048576 bytes; \
                 the rest of the file is left out (raise the limit or split the file)"
            )
        );
        assert_eq!(error.kind(), LoadErrorKind::TooLarge);
        assert_eq!(items[1].as_ref().unwrap().kind, "Good");
        let over = read.load(Ordering::Relaxed) - (1 << 20);
        assert!(over <= 64 << 10, "{name}: {over} bytes beyond the limit were read");
    }
}

#[test]
fn a_file_of_nothing_is_left_when_nothing_came_of_it_for_long() {
    struct Repeated(&'static [u8], Arc<AtomicUsize>);
    impl Read for Repeated {
        fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
            into.iter_mut().zip(self.0.iter().cycle()).for_each(|(byte, next)| *byte = *next);
            self.1.fetch_add(into.len(), Ordering::Relaxed);
            Ok(into.len())
        }
    }
    let limits = Limits { document_bytes: 1 << 20, ..Limits::default() };
    for (name, piece) in [
        ("nul.json", &b"\0"[..]),
        ("blank.json", b" \n"),
        ("nul.jsonl", b"\0"),
        ("blank.jsonl", b"\n"),
        ("nul.yaml", b"\0"),
        ("empty.yaml", b"---\n"),
    ] {
        let read = Arc::new(AtomicUsize::new(0));
        let bytes = Repeated(piece, Arc::clone(&read));
        let inputs = vec![crate::load::Input::stream(name, bytes), stream("good.yaml", GOOD)];
        let items: Vec<_> = load(inputs, limits).collect();
        let error = items[0].as_ref().unwrap_err();
        assert_eq!(error.kind(), LoadErrorKind::TooLarge, "{name}: {error}");
        assert!(error.to_string().contains("the rest of the file is left out"), "{name}: {error}");
        assert_eq!((items.len(), items[1].as_ref().unwrap().kind.as_str()), (2, "Good"), "{name}");
        assert!(read.load(Ordering::Relaxed) < 3 << 20, "{name}");
    }
}

#[test]
fn nesting_beyond_the_limit_is_an_error_and_the_next_document_is_read() {
    let block: String = (0..10_000).map(|level| format!("{}a:\n", " ".repeat(level))).collect();
    let json = |text: String| format!("{text}\n{{\"apiVersion\":\"v1\",\"kind\":\"Good\"}}\n");
    for (name, text) in [
        ("flow.yaml", format!("a: {}{}\n---\n{GOOD}", "[".repeat(10_000), "]".repeat(10_000))),
        ("maps.yaml", format!("{}{}\n---\n{GOOD}", "{a: ".repeat(10_000), "}".repeat(10_000))),
        ("dashes.yaml", format!("{}a\n---\n{GOOD}", "- ".repeat(10_000))),
        ("keys.yaml", format!("{}a\n---\n{GOOD}", "? ".repeat(10_000))),
        ("block.yaml", format!("{block}---\n{GOOD}")),
        ("json.yaml", format!("{}1{}\n---\n{GOOD}", "{\"a\": ".repeat(10_000), "}".repeat(10_000))),
        ("maps.json", json(format!("{}1{}", "{\"a\": ".repeat(10_000), "}".repeat(10_000)))),
        ("lists.json", json(format!("{}{}", "[".repeat(10_000), "]".repeat(10_000)))),
    ] {
        let items = loaded(name, &text);
        let error = items[0].as_ref().unwrap_err();
        assert_eq!(error.kind(), LoadErrorKind::TooDeep, "{name}: {error}");
        assert!(error.to_string().contains(&format!("`{name}:")), "{error}");
        assert!(
            error.to_string().ends_with("lists and maps are nested deeper than the limit of 120 levels"),
            "{error}"
        );
        assert_eq!(items.last().unwrap().as_ref().unwrap().kind, "Good", "{name}");
    }
}

#[test]
fn unclosed_nesting_is_an_error() {
    for name in ["open.yaml", "open.json"] {
        let items = loaded(name, "[{\"a\":".repeat(100_000));
        assert_eq!(items.len(), 1, "{name}");
        assert_eq!(items[0].as_ref().unwrap_err().kind(), LoadErrorKind::TooDeep, "{name}");
    }
}

#[test]
fn nesting_up_to_the_limit_is_read() {
    let depth = Limits::default().depth - 1;
    let json = format!("{{\"apiVersion\":\"v1\",\"kind\":\"T\",\"x\":{}{}}}", "[".repeat(depth), "]".repeat(depth));
    for name in ["deep.json", "deep.yaml"] {
        assert!(loaded(name, &json)[0].is_ok(), "{name}");
    }
    let yaml = format!("apiVersion: v1\nkind: T\nx: {}{}\n", "[".repeat(depth), "]".repeat(depth));
    assert!(loaded("flow.yaml", yaml)[0].is_ok());
}

#[test]
fn aliases_that_multiply_are_stopped_before_they_are_built() {
    let mut laughs = String::from("a0: &a0 [lol, lol, lol, lol, lol, lol, lol, lol, lol, lol]\n");
    for level in 1..12 {
        let list = vec![format!("*a{}", level - 1); 10].join(", ");
        laughs.push_str(&format!("a{level}: &a{level} [{list}]\n"));
    }
    let long = format!("t: &t {}\nx: [{}]\n", "x".repeat(1 << 20), vec!["*t"; 1000].join(", "));
    let merged = format!(
        "m: &m {{{}}}\nx: [{}]\n",
        (0..1000).map(|n| format!("k{n}: v")).collect::<Vec<_>>().join(", "),
        vec!["{<<: *m}"; 1000].join(", ")
    );
    for text in [laughs, long, merged] {
        let items = loaded("bomb.yaml", format!("{text}---\n{GOOD}"));
        let error = items[0].as_ref().unwrap_err();
        assert_eq!(error.kind(), LoadErrorKind::TooManyValues);
        assert_eq!(error.detail(), "aliases expand to more than the limit of 100000 values or 8388608 bytes of text");
        assert!(error.line().is_some());
        assert_eq!(items[1].as_ref().unwrap().kind, "Good");
    }
}

#[test]
fn aliases_cannot_nest_beyond_the_limit() {
    let mut text = String::from("a0: &a0 [1]\n");
    for level in 1..1000 {
        text.push_str(&format!("a{level}: &a{level} [*a{}]\n", level - 1));
    }
    let error = loaded("t.yaml", text).remove(0).unwrap_err();
    assert_eq!(error.kind(), LoadErrorKind::TooDeep);
}

#[test]
fn a_document_with_too_many_values_is_an_error() {
    let limits = Limits { values: 1000, ..Limits::default() };
    let list = vec!["1"; 2000].join(",");
    for (name, text) in [
        ("many.json", format!("{{\"apiVersion\":\"v1\",\"kind\":\"T\",\"x\":[{list}]}}")),
        ("many.yaml", format!("apiVersion: v1\nkind: T\nx: [{list}]\n")),
    ] {
        let items: Vec<_> = load(vec![stream(name, text)], limits).collect();
        let error = items[0].as_ref().unwrap_err();
        assert_eq!(error.kind(), LoadErrorKind::TooManyValues);
        assert_eq!(error.detail(), "the document contains more values than the limit of 1000");
    }
}

#[test]
fn yaml_that_is_not_utf_8_is_named_with_its_place() {
    let text = [b"a: 1\nb: \"x\xff\"\n---\n".as_slice(), GOOD.as_bytes()].concat();
    let items = loaded("t.yaml", text);
    assert_eq!(items[0].as_ref().unwrap_err().to_string(), "`t.yaml:2:6`: the text is not UTF-8");
    assert_eq!(items[1].as_ref().unwrap().kind, "Good");
}

/// Pieces that mean something to one of the parsers.
fn piece() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        proptest::collection::vec(any::<u8>(), 0..4),
        prop::sample::select(vec![
            "---\n",
            "...\n",
            "{",
            "}",
            "[",
            "]",
            ":",
            ": ",
            ",",
            "- ",
            "? ",
            "\n",
            "\n  ",
            "\t",
            "\"",
            "'",
            "|\n",
            ">-\n",
            "&a ",
            "*a",
            "<<: ",
            "!!int ",
            "!!binary ",
            "! ",
            "!<",
            "%TAG ! x\n",
            "#",
            "0x",
            "1e",
            "~",
            "\\u",
            "\\ud800",
            "apiVersion: v1\n",
            "kind: List\n",
            "items:\n",
            "\"kind\":",
            "{\"kind\":\"List\",\"items\":[",
            "{\"items\":[{\"apiVersion\":\"v1\",\"kind\":\"A\"}",
            "{\"kind\":\"A\"},",
            "]}",
            "null",
            "\u{feff}",
            "\r",
            "\u{85}",
            "\u{2028}",
        ])
        .prop_map(|text| text.as_bytes().to_vec()),
    ]
}

proptest! {
    #[test]
    fn no_bytes_make_loading_panic_or_run_forever(
        pieces in proptest::collection::vec(piece(), 0..40),
        name in prop::sample::select(vec!["t.yaml", "t.json", "t.jsonl", "-", "t.yaml.gz", "t.json.zst"]),
        magic in prop::sample::select(vec![vec![], vec![0x1f, 0x8b, 8, 0], vec![0x28, 0xb5, 0x2f, 0xfd]]),
        list_bytes in prop::sample::select(vec![0, 50, 1 << 20]),
    ) {
        let bytes = [magic, pieces.concat()].concat();
        let limits = Limits { list_bytes, ..Limits::default() };
        let items = load(vec![stream(name, &bytes)], limits).cases().count();
        prop_assert!(items >= 1 && items <= 2 * bytes.len() + 2);
    }
}
