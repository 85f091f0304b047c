//! `docs` as a user runs it.

use assert_cmd::Command;
use serde_json::Value;
use std::path::PathBuf;
use std::process::Output;

fn docs(arguments: &[&str]) -> Output {
    Command::cargo_bin("takeover").unwrap().arg("docs").args(arguments).output().unwrap()
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn checked_in() -> PathBuf {
    [env!("CARGO_MANIFEST_DIR"), "..", "docs", "tags.md"].iter().collect()
}

#[test]
fn the_checked_in_tag_reference_is_current() {
    let output = docs(&["tags", "--check"]);
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    let (printed, file) = (stdout(&docs(&["tags"])), std::fs::read_to_string(checked_in()).unwrap());
    assert_eq!(printed, file.replace("\r\n", "\n"), "make it anew: cargo xtask docs tags > docs/tags.md");
}

#[test]
fn a_stale_tag_reference_ends_with_code_1_and_names_the_line() {
    let folder = tempfile::tempdir().unwrap();
    let current = std::fs::read_to_string(checked_in()).unwrap();
    let lines: Vec<&str> = current.lines().collect();
    let changed = current.replacen(lines[2], "something else", 1);
    let cut = format!("{}\n", lines[..9].join("\n"));
    let longer = format!("{current}more\n");
    for (text, line) in [(changed, 3), (cut, 10), (longer, lines.len() + 1)] {
        let file = folder.path().join("tags.md");
        std::fs::write(&file, text).unwrap();
        let output = docs(&["tags", "--check", "--file", &file.to_string_lossy()]);
        assert_eq!(output.status.code(), Some(1));
        let message = String::from_utf8(output.stderr).unwrap();
        assert!(message.contains(&format!("tags.md:{line}: out of date")), "{message}");
    }
}

#[test]
fn a_tag_reference_that_cannot_be_read_is_wrong_usage() {
    let output = docs(&["tags", "--check", "--file", "no/such/file.md"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("`no/such/file.md`"));
    assert_eq!(docs(&["tags", "--file", "docs/tags.md"]).status.code(), Some(2), "--file without --check");
}

#[test]
fn the_json_form_says_of_every_tag_what_the_markdown_says() {
    let json: Value = serde_json::from_slice(&docs(&["tags", "--format", "json"]).stdout).unwrap();
    let markdown = stdout(&docs(&["tags"]));
    assert_eq!((&json["formatVersion"], &json["prefix"]), (&Value::from(1), &Value::from("k8s:")));
    let tags = json["tags"].as_array().unwrap();
    assert!(tags.len() > 40, "{}", tags.len());
    for tag in tags {
        let name = tag["name"].as_str().unwrap();
        assert!(markdown.contains(&format!("\n## {name}\n")), "no section `{name}`");
        for key in ["syntax", "summary", "semantics", "example", "go"] {
            let text = tag[key].as_str().unwrap();
            assert!(!text.is_empty() && markdown.contains(text), "`{name}` lacks its {key}");
        }
        for error in tag["errors"].as_array().unwrap() {
            assert!(markdown.contains(&error.as_str().unwrap().replace('<', "\\<")), "`{name}` lacks {error}");
        }
        assert!(!tag["scopes"].as_array().unwrap().is_empty(), "`{name}` stands nowhere");
    }
}

#[test]
fn the_section_of_a_tag_reads_well() {
    let markdown = stdout(&docs(&["tags"]));
    for name in ["exclusiveMinimum", "ifMode", "member"] {
        let start = markdown.find(&format!("\n## {name}\n")).unwrap() + 1;
        let section = &markdown[start..];
        let end = section[3..].find("\n## ").unwrap() + 4;
        insta::assert_snapshot!(format!("section_{name}"), &section[..end]);
    }
}

#[test]
fn the_handwritten_validators_report_nothing_that_is_not_listed() {
    let output = docs(&["checks", "--check", "--cases", "300"]);
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
}
