//! Long JSON lists, whose items are read one by one.

use super::{stream, summary};
use crate::load::{Input, Limits, LoadErrorKind, load};
use proptest::prelude::*;
use std::io::{self, Read};

const A: &str = r#"{"apiVersion":"v1","kind":"A","metadata":{"name":"}],{\"[\\"}}"#;
const B: &str = "{\n  \"apiVersion\": \"v1\",\n  \"kind\": \"B\", \"list\": [[], {\"items\": [1, 2]}]\n }";

/// Limits under which a list is read item by item once `list_bytes` of it were read.
fn from(list_bytes: usize) -> Limits {
    Limits { list_bytes, ..Limits::default() }
}

const WHOLE: usize = usize::MAX;

/// What is read of `text`: documents and faults, and the cases of it.
fn read(input: impl Fn() -> Input, limits: Limits) -> (Vec<String>, Vec<String>) {
    let documents = load(vec![input()], limits).map(|item| format!("{item:?}")).collect();
    let cases = load(vec![input()], limits).remembering().cases().map(|item| match item {
        Ok(case) => format!("{} {} {:?} {}", case.kind, case.case.operation, case.case.object, case.case.provenance),
        Err(error) => error.to_string(),
    });
    (documents, cases.collect())
}

fn read_from(text: &str, list_bytes: usize) -> Vec<String> {
    summary(&load(vec![stream("t.json", text)], from(list_bytes)).collect::<Vec<_>>())
}

/// Gives three bytes at a time.
struct Slow(io::Cursor<Vec<u8>>);

impl Read for Slow {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let length = into.len().min(3);
        self.0.read(into.get_mut(..length).unwrap_or_default())
    }
}

#[test]
fn items_read_one_by_one_are_those_of_the_whole_list() {
    let inner = format!("{{\"apiVersion\":\"v1\",\"kind\":\"List\",\n\"items\":[{A},\n{B}]}}");
    for text in [
        format!(
            "{{\n\"apiVersion\": \"v1\",\n\"items\": [\n {A},\n {B},\n{B}\n],\n\"kind\": \"List\",\n\"metadata\": {{}}\n}}\n"
        ),
        format!("{{\"kind\":\"List\",\"apiVersion\":\"v1\",\"items\":[{A},{B}]}}"),
        format!("\u{feff}{{\"kind\":\"List\",\r\n\"items\":[\r\n{A} ,\r\n{B}\r\n]\r\n}}\r\n---\r\n{A}"),
        format!("{{\"kind\":\"List\",\"metadata\":[{A}],\"it\\u0065ms\" : [{A},{B}]}}{A}{B}"),
        format!(
            "{{\"kind\":\"List\",\"items\":[{A},{inner},{B}]}}\n{{\"items\":[{inner},{A}],\"kind\":\"List\"}}\n{B}"
        ),
        // Typed lists lend their items what these lack.
        "{\"kind\":\"RoleList\",\"apiVersion\":\"g/v1\",\"items\":[{\"x\":1},\n{\"x\":2},{\"kind\":\"C\"}]}".to_owned(),
        "{\"apiVersion\":\"g/v1\",\"items\":[{\"x\":1},\n{\"x\":2}],\"kind\":\"RoleList\"}".to_owned(),
        "{\"kind\":\"RoleList\",\"items\":[{\"x\":1},\n{\"x\":2}],\"apiVersion\":\"g/v1\"}".to_owned(),
        // Items that are no objects.
        "{\"kind\":\"List\",\"items\":[{\"x\":1},{\"apiVersion\":\"v1\"},{\"kind\":\"A\"},{}]}".to_owned(),
        "{\"kind\":\"List\",\"items\":[{\"x\":1},\n1, \"a,]\\\"}\", null,\n[{}], -0.5e3 ,true]}".replace('\n', ""),
        // What is no list, or not surely one.
        format!("{{\"apiVersion\":\"v1\",\"kind\":\"Menu\",\"items\":[{A},{B}]}}"),
        format!("{{\"apiVersion\":\"v1\",\"kind\":7,\"items\":[{A},{B}]}}"),
        format!("{{\"apiVersion\":\"v1\",\"entries\":[{A},{B}],\"kind\":\"Menu\"}}"),
        format!("{{\"apiVersion\":\"v1\",\"x\\\"items\":[{A},{B}],\"kind\":\"Menu\"}}"),
        "{\"apiVersion\":\"v1\",\"items\":[{\"apiVersion\":\"v1\"},{\"kind\":\"A\"}],\"kind\":\"Menu\"}".to_owned(),
        format!("{{\"apiVersion\":\"v1\",\"items\":[1, {A}],\"kind\":\"Menu\"}}"),
        format!("{{\"apiVersion\":\"v1\",\"items\":{{\"a\":[{A}]}},\"kind\":\"Menu\"}}"),
        format!("[{A},{B}]"),
        format!("{{\"kind\":\"List\",\"items\":null,\"metadata\":[{A},{B}]}}"),
        "{\"kind\":\"List\",\"apiVersion\":\"v1\",\"items\":[ ]}".to_owned(),
        // Recorded requests.
        format!(
            "{{\"kind\":\"List\",\"items\":[{{\"source\":\"x\",\"object\":{A}}},{{\"apiVersion\":\"audit.k8s.io/v1\",\"kind\":\"Event\"}}]}}"
        ),
    ] {
        let input = || stream("t.json", &text);
        let whole = read(input, from(WHOLE));
        for list_bytes in (0..text.len()).step_by(7) {
            assert_eq!(read(input, from(list_bytes)), whole, "from {list_bytes}: {text}");
            let slow = || Input::stream("t.json", Slow(io::Cursor::new(text.clone().into_bytes())));
            assert_eq!(read(slow, from(list_bytes)), whole, "slowly from {list_bytes}: {text}");
        }
    }
}

#[test]
fn of_a_broken_list_the_other_items_are_kept_and_the_fault_is_that_of_the_whole() {
    let list = |rest: &str| format!("{{\"kind\":\"List\",\n \"items\":[{A},\n  {rest}");
    for (rest, after) in [
        ("{\"kind\":1,\"kind\":2}]}", 0),
        ("{\"kind\":1,\n\"kind\":2},{\"apiVersion\":\"v1\",\"kind\":\"C\"}]}", 1),
        ("{\"kind\": tru},{\"apiVersion\":\"v1\",\"kind\":\"C\"}]}", 1),
        ("]}", 0),
        // Truncated.
        ("", 0),
        ("{\"apiVersion\":\"v1\",\"kind", 0),
        ("{\"apiVersion\":\"v1\",\"kind\":\"C\"}", 1),
        ("{\"apiVersion\":\"v1\",\"kind\":\"C\"},", 1),
        ("{\"apiVersion\":\"v1\",\"kind\":\"C\"}]", 1),
        ("{\"apiVersion\":\"v1\",\"kind\":\"C\"}], \"kind", 1),
        // Around the items.
        ("{\"apiVersion\":\"v1\",\"kind\":\"C\"}],\n \"kind\":\"List\"}", 1),
        ("{\"apiVersion\":\"v1\",\"kind\":\"C\"}], \"items\":[{}]}", 1),
        ("{\"apiVersion\":\"v1\",\"kind\":\"C\"}], \"metadata\":\n{\"a\" 1}}", 1),
        ("{\"apiVersion\":\"v1\",\"kind\":\"C\"}], \"metadata\":\"x\ny\"}", 1),
    ] {
        let text = list(rest);
        let mut items = read_from(&text, 0);
        for fault in read_from(&text, WHOLE) {
            let place = items.iter().position(|item| *item == fault);
            items.remove(place.unwrap_or_else(|| panic!("{items:#?} lacks {fault}")));
        }
        assert_eq!(items.len(), 1 + after, "{text}: {items:#?}");
        assert_eq!(items[0], "A }],{\"[\\ at t.json:2 (document 1)");
        assert!(items.iter().skip(1).all(|item| item.starts_with("C - at t.json:")), "{items:#?}");
    }
}

#[test]
fn a_comma_too_few_and_what_is_no_value_are_named_with_their_place() {
    let next = "\n{\"apiVersion\":\"v1\",\"kind\":\"D\"}";
    for (rest, expected) in [
        (
            " {\"apiVersion\":\"v1\",\"kind\":\"C\"}]}",
            vec!["`t.json:2:13`: expected `,` or `]`", "C - at t.json:2 (document 2)"],
        ),
        (" 7]}", vec!["`t.json:2:13`: expected `,` or `]`, found `7`"]),
        ("}]}", vec!["`t.json:2:12`: expected `,` or `]`, found `}`"]),
        (",,{}]}", vec!["`t.json:2:13`: expected an item, found `,`"]),
        (",}", vec!["`t.json:2:13`: expected an item, found `}`"]),
        ("\n", vec!["`t.json:1:1`: the JSON document is incomplete: another one begins on the next line"]),
        (",{\"x\":1", vec!["`t.json:1:1`: the JSON document is incomplete: another one begins on the next line"]),
        ("],\"a\":1", vec!["`t.json:1:1`: the JSON document is incomplete: another one begins on the next line"]),
        (
            ",{\"x\":\"\n\"}]}",
            vec!["`t.json:2:19`: a line break in a JSON string", "`t.json:3:1`: expected a JSON object, found `\"`"],
        ),
    ] {
        let text = format!("{{\"kind\":\"List\",\"items\":[\n{{\"x\": true}}{rest}{next}");
        let items = read_from(&text, 0);
        assert_eq!(items[0], "`t.json:2`: the document is no Kubernetes object: it has no text `apiVersion`");
        assert_eq!(items[1..items.len() - 1], expected, "{text}");
        assert!(items.last().unwrap().starts_with("D - at t.json:"), "{items:#?}");
    }
}

#[test]
fn a_kind_after_the_items_that_is_no_list_is_a_fault() {
    for (kind, expected) in [
        ("\"kind\":\"Menu\"", "its kind is `Menu`"),
        ("\"kind\":7", "it has no text `kind`"),
        ("\"metadata\":{}", "it has no text `kind`"),
    ] {
        let items: Vec<_> =
            load(vec![stream("t.json", format!("\n{{\"items\":[{A}],{kind}}}\n{A}"))], from(0)).collect();
        assert_eq!(items.len(), 3);
        let error = items[1].as_ref().unwrap_err();
        assert_eq!(
            error.to_string(),
            format!("`t.json:2`: the document whose `items` were read as objects is not a list: {expected}")
        );
        assert_eq!(error.kind(), LoadErrorKind::NotAnObject);
        assert!(items[0].is_ok() && items[2].is_ok());
    }
}

#[test]
fn limits_hold_for_every_item() {
    let limits = Limits { document_bytes: 200, values: 12, ..from(100) };
    let list = |items: &str| format!("{{\"kind\":\"List\",\"items\":[{}{items}]}}", format!("{A},").repeat(100));
    let read = |items: &str| load(vec![stream("t.json", list(items))], limits).collect::<Vec<_>>();
    let reason =
        |item: &Result<_, crate::load::LoadError>| item.as_ref().map_err(|error| error.kind()).map(|_| ()).err();

    assert!(read(A).iter().all(Result::is_ok));
    let values = read(&format!("[1,2,3,4,5,6,7,8,9,10,11,12],{A}"));
    assert_eq!(values.len(), 102);
    assert_eq!(reason(&values[100]), Some(LoadErrorKind::TooManyValues));
    let long = read(&format!("\"{}\",{A}", "x".repeat(200)));
    assert_eq!((long.len(), reason(&long[100])), (101, Some(LoadErrorKind::TooLarge)));
    let end = format!("{A}],\"metadata\":[\"{}\"", "x".repeat(200));
    assert_eq!(reason(read(&end).last().unwrap()), Some(LoadErrorKind::TooLarge));
}

#[test]
fn an_item_may_be_as_deep_as_within_the_whole_list() {
    let levels = Limits::default().depth - 2;
    for (levels, deep) in [(levels, None), (levels + 1, Some(LoadErrorKind::TooDeep))] {
        let nested = format!("{}{}", "[".repeat(levels - 1), "]".repeat(levels - 1));
        let item = format!("{{\"apiVersion\":\"v1\",\"kind\":\"C\",\"x\":{nested}}}");
        let text = format!("{{\"kind\":\"List\",\"items\":[{A},{item},{A}]}}");
        let whole = read_from(&text, WHOLE);
        let items: Vec<_> = load(vec![stream("t.json", &text)], from(0)).collect();
        assert_eq!(items.len(), 3);
        assert_eq!(items[1].as_ref().err().map(|error| error.kind()), deep);
        assert!(summary(&items).contains(&whole[if deep.is_some() { 0 } else { 1 }]), "{whole:?}");
    }
}

/// A list of very many items that is cut off.
struct Endless {
    head: &'static [u8],
    items: u32,
    left: &'static [u8],
}

impl Read for Endless {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if self.left.is_empty() && self.items > 0 {
            self.items -= 1;
            self.left = b",\n{\"apiVersion\":\"v1\",\"kind\":\"A\"}";
        }
        if self.head.is_empty() { self.left.read(into) } else { self.head.read(into) }
    }
}

#[test]
fn a_list_beyond_the_limit_of_a_document_is_read_up_to_where_it_is_cut_off() {
    let head = b"{\"apiVersion\":\"v1\",\"items\":[\n{\"apiVersion\":\"v1\",\"kind\":\"A\"}";
    let limits = Limits { document_bytes: 64 << 10, list_bytes: 16 << 10, ..Limits::default() };
    let input = Input::stream("t.json", Endless { head, items: 9_999, left: b"" });
    let mut good = 0;
    let mut faults = Vec::new();
    for item in load(vec![input], limits) {
        match item {
            Ok(_) => good += 1,
            Err(error) => faults.push(error.to_string()),
        }
    }
    assert_eq!(good, 10_000);
    assert_eq!(faults, ["`t.json:1:1`: the JSON document is incomplete: the input ends inside it"]);
}

/// Pieces of lists, most of them items.
fn piece() -> impl Strategy<Value = &'static str> {
    prop_oneof![
        4 => prop::sample::select(vec![A, B, "{\"x\":1}", "{\"kind\":\"List\",\"items\":[{}]}"]),
        4 => Just(","),
        2 => prop::sample::select(vec!["\n", " ", "null", "-1", "\"x\"", "[]", "{", "}", "[", "]", "\"", "\\", ":", "---\n"]),
        1 => prop::sample::select(vec!["],", "]}", "\"kind\":\"Menu\"", "\"items\":[", "{\"kind\":\"List\",\"items\":["]),
    ]
}

proptest! {
    #[test]
    fn items_read_one_by_one_are_a_fault_exactly_where_the_whole_list_is_one(
        pieces in proptest::collection::vec(piece(), 0..12),
        list_bytes in 0..200_usize,
    ) {
        let text = format!("{{\"apiVersion\":\"v1\",\"kind\":\"List\",\"items\":[{A}{}]}}", pieces.concat());
        let parsed = |limits| load(vec![stream("t.json", &text)], limits).collect::<Vec<_>>();
        let (whole, items) = (parsed(from(WHOLE)), parsed(from(list_bytes)));
        let broken = |items: &[Result<_, crate::load::LoadError>]| {
            items.iter().any(|item| item.as_ref().is_err_and(|error| error.kind() != LoadErrorKind::NotAnObject))
        };
        prop_assert_eq!(broken(&whole), broken(&items), "{}", text);
        if !broken(&whole) {
            // A list does not tell the lines of its items when some are no maps.
            let kinds = |items: &[Result<crate::load::Document, crate::load::LoadError>]| -> Vec<_> {
                items.iter().map(|item| item.as_ref().map(|document| document.value.clone()).map_err(|error| error.detail().to_owned())).collect()
            };
            prop_assert_eq!(kinds(&whole), kinds(&items), "{}", text);
        }
    }
}
