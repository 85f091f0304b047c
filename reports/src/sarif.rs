//! The part of SARIF 2.1.0 that is written here, with the names of the standard. Code hosts and editors read it.

use crate::severity::Severity;
use serde::Serialize;
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::path::Path;

/// A log file.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Log {
    #[serde(rename = "$schema")]
    schema: &'static str,
    version: &'static str,
    /// The runs in it.
    pub(crate) runs: Vec<RunLog>,
}

impl Log {
    /// A log of one run of this program.
    #[must_use]
    pub(crate) fn new(
        rules: Vec<ReportingDescriptor>,
        results: Vec<SarifResult>,
        properties: Map<String, Value>,
    ) -> Self {
        let driver = Driver { name: "takeover", semantic_version: env!("CARGO_PKG_VERSION"), rules };
        Self {
            schema: "https://json.schemastore.org/sarif-2.1.0.json",
            version: "2.1.0",
            runs: vec![RunLog { tool: Tool { driver }, column_kind: "unicodeCodePoints", results, properties }],
        }
    }
}

/// A run of a tool.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RunLog {
    /// The tool.
    pub(crate) tool: Tool,
    /// What columns count.
    pub(crate) column_kind: &'static str,
    /// What it found.
    pub(crate) results: Vec<SarifResult>,
    /// What else there is to say.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub(crate) properties: Map<String, Value>,
}

/// A tool.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Tool {
    /// The program itself.
    pub(crate) driver: Driver,
}

/// The program of a tool.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Driver {
    /// Its name.
    pub(crate) name: &'static str,
    /// Its version.
    pub(crate) semantic_version: &'static str,
    /// What it can report.
    pub(crate) rules: Vec<ReportingDescriptor>,
}

/// A sort of result.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ReportingDescriptor {
    /// Its name, which results refer to.
    pub(crate) id: String,
    /// In a sentence.
    pub(crate) short_description: Message,
    /// In full.
    pub(crate) full_description: Message,
    /// Its level.
    pub(crate) default_configuration: Configuration,
    /// What else there is to say.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub(crate) properties: Map<String, Value>,
}

impl ReportingDescriptor {
    /// A sort of result by its name, a sentence about it, and all there is to say.
    pub(crate) fn new(id: &str, severity: Severity, short: &str, full: &str) -> Self {
        Self {
            id: id.to_owned(),
            short_description: Message::new(short),
            full_description: Message::new(full),
            default_configuration: Configuration { level: severity, enabled: true },
            properties: Map::new(),
        }
    }
}

/// How a sort of result is reported.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Configuration {
    /// Its level.
    pub(crate) level: Severity,
    /// Whether it is looked for unasked.
    pub(crate) enabled: bool,
}

/// Text.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Message {
    /// The text.
    pub(crate) text: String,
}

impl Message {
    /// A message of this text.
    pub(crate) fn new(text: impl Into<String>) -> Self {
        Self { text: text.into() }
    }
}

/// Something found.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SarifResult {
    /// The sort of it.
    pub(crate) rule_id: String,
    /// Where the sort stands in the driver's list.
    pub(crate) rule_index: Option<usize>,
    /// Its level.
    pub(crate) level: Severity,
    /// What is wrong.
    pub(crate) message: Message,
    /// Where.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) locations: Vec<Location>,
    /// Why it is suppressed; empty when it is not. In a log, either all results say it or none does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) suppressions: Option<Vec<Suppression>>,
    /// What tells it from other results in every run.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) partial_fingerprints: BTreeMap<String, String>,
    /// What else there is to say.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub(crate) properties: Map<String, Value>,
}

impl SarifResult {
    /// A result of one of the sorts, at these places.
    pub(crate) fn new(
        sorts: &[ReportingDescriptor],
        sort: &str,
        severity: Severity,
        text: String,
        locations: Vec<Location>,
    ) -> Self {
        Self {
            rule_id: sort.to_owned(),
            rule_index: sorts.iter().position(|known| known.id == sort),
            level: severity,
            message: Message::new(text),
            locations,
            suppressions: None,
            partial_fingerprints: BTreeMap::new(),
            properties: Map::new(),
        }
    }
}

/// A decision that a result is not to be acted upon.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Suppression {
    kind: &'static str,
    status: &'static str,
    justification: String,
}

impl Suppression {
    /// A decision that was taken outside of the judged files, and stands.
    #[must_use]
    pub(crate) fn accepted(justification: String) -> Self {
        Self { kind: "external", status: "accepted", justification }
    }
}

/// A place.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Location {
    /// The place in a file.
    pub(crate) physical_location: PhysicalLocation,
}

/// A place in a file.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PhysicalLocation {
    /// The file.
    pub(crate) artifact_location: ArtifactLocation,
    /// The part of it.
    pub(crate) region: Region,
}

/// A file.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct ArtifactLocation {
    /// As a URI, see [`uri`].
    pub(crate) uri: String,
}

/// A part of a file.
#[derive(Clone, Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Region {
    /// Line, from 1.
    pub(crate) start_line: u32,
    /// Column of the first character, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) start_column: Option<usize>,
    /// Column behind the last character.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) end_column: Option<usize>,
    /// The text there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) snippet: Option<Message>,
}

impl Location {
    /// A part of the file of this name.
    pub(crate) fn new(file: &str, region: Region) -> Self {
        let artifact_location = ArtifactLocation { uri: uri(file) };
        Self { physical_location: PhysicalLocation { artifact_location, region } }
    }
}

/// A file as a relative or `file:` URI.
#[must_use]
pub(crate) fn uri(file: &str) -> String {
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
