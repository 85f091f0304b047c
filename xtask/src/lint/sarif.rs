//! The report as SARIF 2.1.0, which code hosts and editors read.

use super::report::{Listing, Report};
use serde_json::{Value, json};
use std::path::Path;
use takeover_oracles::declarative::lint::{Finding, LINTS, Level};

/// The log of one run.
#[must_use]
pub fn sarif(report: &Report) -> Value {
    let rules: Vec<Value> = Listing::new()
        .lints
        .iter()
        .map(|lint| {
            json!({
                "id": lint.name,
                "shortDescription": { "text": lint.summary },
                "fullDescription": { "text": lint.explanation },
                "defaultConfiguration": { "level": level(lint.level), "enabled": !lint.on_request },
                "properties": { "origin": lint.origin },
            })
        })
        .collect();
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": {
                "driver": {
                    "name": "takeover",
                    "semanticVersion": env!("CARGO_PKG_VERSION"),
                    "rules": rules,
                },
            },
            "columnKind": "unicodeCodePoints",
            "results": report.found.iter().map(result).collect::<Vec<_>>(),
        }],
    })
}

fn result(finding: &Finding) -> Value {
    let text = match finding.help_text() {
        Some(help) => format!("{}\n{help}", finding.message()),
        None => finding.message().to_owned(),
    };
    let mut result = json!({
        "ruleId": finding.lint().name,
        "ruleIndex": LINTS.iter().position(|lint| lint.name == finding.lint().name),
        "level": level(finding.level()),
        "message": { "text": text },
    });
    if let (Some(at), Some(object)) = (finding.position(), result.as_object_mut()) {
        let (start, end) = columns(finding, at.column);
        let mut region = json!({ "startLine": at.line, "startColumn": start, "endColumn": end });
        if let (Some(line), Some(region)) = (finding.source_line(), region.as_object_mut()) {
            region.insert("snippet".to_owned(), json!({ "text": line }));
        }
        let location =
            json!({ "physicalLocation": { "artifactLocation": { "uri": uri(&at.file) }, "region": region } });
        object.insert("locations".to_owned(), json!([location]));
    }
    result
}

/// Start and end of the region in characters, from bytes.
fn columns(finding: &Finding, column: u32) -> (usize, usize) {
    let start = usize::try_from(column).unwrap_or(usize::MAX).saturating_sub(1);
    let end = start.saturating_add(finding.length());
    let line = finding.source_line().unwrap_or_default();
    let characters = |byte: usize| match line.get(..byte) {
        Some(before) => before.chars().count() + 1,
        None => byte.min(line.len().max(start)) + 1,
    };
    (characters(start), characters(end))
}

fn level(level: Level) -> &'static str {
    match level {
        Level::Note => "note",
        Level::Warning => "warning",
        Level::Error => "error",
    }
}

/// A file as a relative or `file:` URI.
fn uri(file: &str) -> String {
    let mut uri = if Path::new(file).is_absolute() { "file://".to_owned() } else { String::new() };
    for byte in file.replace('\\', "/").bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte) {
            uri.push(char::from(byte));
        } else {
            uri.push_str(&format!("%{byte:02X}"));
        }
    }
    uri
}

#[cfg(test)]
mod tests {
    use super::uri;

    #[test]
    fn files_become_uris() {
        for (file, expected) in [
            ("api/v1/types.go", "api/v1/types.go"),
            ("a b/ü%.go", "a%20b/%C3%BC%25.go"),
            ("/tmp/types.go", "file:///tmp/types.go"),
        ] {
            assert_eq!(uri(file), expected, "{file}");
        }
    }
}
