//! JSON and JSON Lines.

use super::{loaded, summary};
use crate::load::LoadErrorKind;
use serde_json::{Value, json};

fn field(value: &str) -> Value {
    let text = format!(r#"{{"apiVersion": "v1", "kind": "T", "x": {value}}}"#);
    loaded("t.json", text).remove(0).unwrap().value["x"].take()
}

#[test]
fn numbers_keep_their_sort() {
    for (text, expected) in [
        ("1", json!(1)),
        ("-0", json!(0)),
        ("-0.0", json!(-0.0)),
        ("1.0", json!(1.0)),
        ("9223372036854775807", json!(i64::MAX)),
        ("-9223372036854775808", json!(i64::MIN)),
        ("18446744073709551615", json!(u64::MAX)),
        ("1e3", json!(1000.0)),
    ] {
        assert_eq!(field(text), expected, "{text}");
    }
}

#[test]
fn documents_follow_each_other_with_or_without_line_breaks() {
    let text = "\u{feff}{\"apiVersion\":\"v1\",\"kind\":\"A\"}{\"apiVersion\":\"v1\",\n\"kind\":\"B\"}\n\n{\"apiVersion\":\"v1\",\"kind\":\"C\"}";
    assert_eq!(
        summary(&loaded("t.json", text)),
        ["A - at t.json:1 (document 1)", "B - at t.json:1 (document 2)", "C - at t.json:4 (document 3)"]
    );
}

#[test]
fn separator_lines_may_stand_between_documents_and_around_them() {
    let [a, b] = ["A", "B"].map(|kind| format!("{{\n\"apiVersion\":\"v1\",\"kind\":\"{kind}\"}}"));
    for (text, lines) in [
        (format!("{a}\n---\n{b}\n"), [1, 4]),
        (format!("---\n{a}\n---\n{b}\n---\n"), [2, 5]),
        (format!("\u{feff}---\r\n---\r\n{a}\r\n--- \t\r\n{b}\r\n---"), [3, 6]),
        (format!("--- {a}\n\n\n---\n--- {b}\n"), [1, 6]),
        (format!("{}{a}{}{b}", "---\n".repeat(50_000), "\n---".repeat(50_000) + "\n"), [50_001, 100_003]),
    ] {
        let expected = [("A", lines[0], 1), ("B", lines[1], 2)]
            .map(|(kind, line, number)| format!("{kind} - at t.json:{line} (document {number})"));
        assert_eq!(summary(&loaded("t.json", &text)), expected, "{:?}", text.get(..60));
    }
}

#[test]
fn what_only_resembles_a_separator_line_is_a_fault() {
    for (text, column) in [("----", 1), ("--", 1), ("---x", 1), ("-1", 1), (" ---", 2)] {
        let text = format!("{text}\n{{\"apiVersion\":\"v1\",\"kind\":\"A\"}}");
        assert_eq!(
            summary(&loaded("t.json", &text)),
            [
                format!("`t.json:1:{column}`: expected a JSON object, found `-`"),
                "A - at t.json:2 (document 1)".to_owned()
            ],
            "{text}"
        );
    }
}

#[test]
fn faults_are_named_with_their_place() {
    for (text, expected) in [
        ("{\"a\": 1,\n \"a\": 2}", "`t.json:2:4`: key `a` occurs twice in one map"),
        ("{\"a\": {\"b\": 1, \"\\u0062\": 2}}", "`t.json:1:23`: key `b` occurs twice in one map"),
        ("{\"a\": 1", "`t.json:1:1`: the JSON document is incomplete: the input ends inside it"),
        ("[1]", "`t.json:1`: expected a Kubernetes object, found a list"),
        ("  x", "`t.json:1:3`: expected a JSON object, found `x`"),
        ("{\"a\": tru}", "`t.json:1:10`: expected ident"),
        ("{\"a\": \"b\nc\"}", "`t.json:1:9`: a line break in a JSON string"),
        ("{\"a\": 1e999}", "`t.json:1:11`: number out of range"),
        ("{\"a\": [}", "`t.json:1:1`: the JSON document is incomplete: the input ends inside it"),
    ] {
        assert_eq!(summary(&loaded("t.json", text))[0], expected, "{text}");
    }
}

#[test]
fn what_follows_a_broken_document_is_still_read() {
    let text = concat!(
        "{\"apiVersion\": \"v1\", \"kind\": \"A\"} trailing words\n",
        "more of them\n",
        "{\"apiVersion\": \"v1\", \"kind\": \"B\", \"x\": 1\n",
        "{\"apiVersion\": \"v1\", \"kind\": \"C\", \"x\": \"cut\n",
        "{\"apiVersion\": \"v1\", \"kind\": \"D\", \"x\": nul}\n",
        "{\"apiVersion\": \"v1\", \"kind\": \"E\"}\n",
    );
    assert_eq!(
        summary(&loaded("t.json", text)),
        [
            "A - at t.json:1 (document 1)",
            "`t.json:1:35`: expected a JSON object, found `t`",
            "`t.json:3:1`: the JSON document is incomplete: another one begins on the next line",
            "`t.json:4:44`: a line break in a JSON string",
            "`t.json:5:43`: expected ident",
            "E - at t.json:6 (document 2)",
        ]
    );
}

#[test]
fn a_broken_line_of_json_lines_harms_no_other() {
    let text = "{\"apiVersion\":\"v1\",\"kind\":\"A\"}\n{\"a\": [1,\n\n{\"apiVersion\":\"v1\",\"kind\":\"B\"}";
    assert_eq!(
        summary(&loaded("t.jsonl", text)),
        [
            "A - at t.jsonl:1 (document 1)",
            "`t.jsonl:2:1`: the JSON document is incomplete: the input ends inside it",
            "B - at t.jsonl:4 (document 2)",
        ]
    );
}

#[test]
fn items_of_a_list_have_the_line_they_start_on() {
    let text = "{\"kind\": \"List\", \"apiVersion\": \"v1\",\n \"items\": [\n  {\"apiVersion\": \"v1\", \"kind\": \"A\",\n   \"p\": [{}]},\n  {\"apiVersion\": \"v1\", \"kind\": \"B\"}\n ]}";
    assert_eq!(summary(&loaded("t.json", text)), ["A - at t.json:3 (document 1)", "B - at t.json:5 (document 2)"]);
}

#[test]
fn what_is_no_text_in_a_string_is_read_as_go_reads_it_and_named_with_its_place_elsewhere() {
    let second = b"\n{\"apiVersion\":\"v1\",\"kind\":\"B\"}";
    let with = |kind: &[u8]| [b"{\"apiVersion\": \"v1\",\n \"kind\": ", kind, b"}", &second[..]].concat();
    for (kind, read) in [(&b"\"a\xff\""[..], "a\u{fffd}"), (b"\"a\\ud800\"", "a\u{fffd}")] {
        let items = loaded("t.json", with(kind));
        let first = format!("{read} - at t.json:1 (document 1)");
        assert_eq!(summary(&items), [first.as_str(), "B - at t.json:3 (document 2)"]);
    }
    let items = loaded("t.json", with(b"\xff"));
    assert_eq!(summary(&items), ["`t.json:2:10`: the text is not UTF-8", "B - at t.json:3 (document 1)"]);
    assert_eq!(items[0].as_ref().unwrap_err().kind(), LoadErrorKind::Encoding);
}

#[test]
fn an_envelope_that_names_the_source_is_opened() {
    let text = concat!(
        "{\"source\": \"a/b@1:c.yaml\", \"object\": {\"apiVersion\": \"v1\", \"kind\": \"A\"}}\n",
        "{\"source\": \"x\", \"object\": {\"kind\": \"A\"}}\n",
        "{\"apiVersion\": \"v1\", \"kind\": \"B\", \"object\": {\"kind\": \"C\"}}\n",
    );
    assert_eq!(
        summary(&loaded("t.jsonl", text)),
        [
            "A - at t.jsonl:1 (document 1)",
            "`t.jsonl:2`: the document is no Kubernetes object: it has no text `apiVersion`",
            "B - at t.jsonl:3 (document 3)",
        ]
    );
}
