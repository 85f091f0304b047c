//! Recorded verdicts of a real Kubernetes: objects in, errors of both sides and the defaulted object out.
//!
//! One JSON document a line, plain or gzipped. A missing key of `expect` means "not recorded", an empty list "no errors".

use flate2::read::MultiGzDecoder;
use serde::{Deserialize, Deserializer};
use serde_json::Value;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use takeover_harness::case::{Operation, Options};
use takeover_harness::error::FieldError;

/// Longest line that is read, in bytes; a longer one is an error.
const MAX_LINE: u64 = 64 << 20;

/// One recorded verdict.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Fixture {
    /// Name within its file.
    pub id: String,
    /// Release that was recorded, `1.36.2`.
    #[serde(default)]
    pub kubernetes: String,
    /// Group and version of the object.
    #[serde(default)]
    pub api_version: String,
    /// Kind of the object.
    #[serde(default)]
    pub kind: String,
    /// Go type to validate instead of a kind.
    #[serde(default)]
    pub types: Option<GoType>,
    /// Subresource without leading slash.
    #[serde(default)]
    pub subresource: String,
    /// Create or update.
    #[serde(default = "create")]
    pub operation: Operation,
    /// State of validation options.
    #[serde(default)]
    pub options: FixtureOptions,
    /// Path normalisation of the kind.
    #[serde(default, deserialize_with = "null_is_default")]
    pub normalization_rules: Vec<NormalizationRule>,
    /// The object as submitted.
    #[serde(default)]
    pub object: Value,
    /// The stored object.
    #[serde(default)]
    pub old_object: Option<Value>,
    /// What was recorded.
    pub expect: Expect,
}

fn create() -> Operation {
    Operation::Create
}

fn null_is_default<'de, D: Deserializer<'de>, T: Deserialize<'de> + Default>(source: D) -> Result<T, D::Error> {
    Ok(Option::<T>::deserialize(source)?.unwrap_or_default())
}

/// A Go type below a root folder of packages.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct GoType {
    /// Folder of the package below the root.
    pub package: String,
    /// Name of the type.
    pub root: String,
}

/// A rewriting of candidate paths before matching.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct NormalizationRule {
    /// Regular expression.
    pub regexp: String,
    /// Replacement, groups as `$1`.
    pub replacement: String,
}

/// Options as a list of enabled names (every other one is off) or as a map of states.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(untagged)]
pub enum FixtureOptions {
    /// Names of enabled options.
    Enabled(Vec<String>),
    /// Every option with its state.
    States(std::collections::BTreeMap<String, bool>),
    /// `null`.
    #[default]
    None,
}

impl FixtureOptions {
    /// The state of every option, given the names that the kind defines.
    #[must_use]
    pub fn resolve(&self, defined: &[String]) -> Options {
        let mut options = Options::new();
        match self {
            Self::States(states) => states.iter().for_each(|(name, on)| options.set(name, *on)),
            Self::Enabled(enabled) => {
                defined.iter().for_each(|name| options.set(name, false));
                enabled.iter().for_each(|name| options.set(name, true));
            }
            Self::None => defined.iter().for_each(|name| options.set(name, false)),
        }
        options
    }
}

/// What Kubernetes answered.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Expect {
    /// The object does not decode.
    pub decode_error: Option<String>,
    /// The object after version defaulting.
    pub defaulted: Option<Value>,
    /// The old object after version defaulting.
    pub old_defaulted: Option<Value>,
    /// What declarative validation saw.
    pub validated: Option<Value>,
    /// What declarative validation saw as old object.
    pub old_validated: Option<Value>,
    /// Errors of the handwritten side.
    pub handwritten: Option<Vec<FieldError>>,
    /// Errors of the declarative side.
    pub declarative: Option<Vec<FieldError>>,
    /// What the comparison reported: log texts, or objects with `kind`, `type`, `field`, `origin`.
    pub mismatches: Option<Vec<Value>>,
    /// What the user got.
    pub returned: Option<Vec<FieldError>>,
}

/// A line of a fixture file.
#[derive(Debug)]
pub struct Line {
    /// Number of the line, from 1.
    pub number: u64,
    /// Its JSON text.
    pub text: Vec<u8>,
}

/// A fixture file that cannot be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FixtureError {
    /// The file cannot be opened or unpacked.
    #[error("cannot read `{}` at line {line}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// Line that was being read.
        line: u64,
        /// The cause.
        source: io::Error,
    },
    /// A line is too long to be a fixture.
    #[error("`{}` line {line} is longer than {MAX_LINE} bytes", path.display())]
    TooLong {
        /// The file.
        path: PathBuf,
        /// The line.
        line: u64,
    },
}

/// The lines of a fixture file, `.gz` unpacked; blank lines are left out.
///
/// # Errors
/// When the file cannot be opened; the iterator gives an error, and then ends, when reading fails.
pub fn lines(path: &Path) -> Result<impl Iterator<Item = Result<Line, FixtureError>>, FixtureError> {
    let io = |line| move |source| FixtureError::Io { path: path.to_owned(), line, source };
    let file = File::open(path).map_err(io(0))?;
    let gzipped = path.extension().is_some_and(|extension| extension == "gz");
    let source: Box<dyn Read> =
        if gzipped { Box::new(MultiGzDecoder::new(BufReader::new(file))) } else { Box::new(file) };
    let mut reader = BufReader::with_capacity(1 << 16, source);
    let mut number = 0;
    let mut ended = false;
    let path = path.to_owned();
    Ok(std::iter::from_fn(move || {
        while !ended {
            number += 1;
            let mut text = Vec::new();
            let read = match reader.by_ref().take(MAX_LINE).read_until(b'\n', &mut text) {
                Ok(read) => read,
                Err(source) => {
                    ended = true;
                    return Some(Err(FixtureError::Io { path: path.clone(), line: number, source }));
                }
            };
            if read == 0 {
                return None;
            }
            if read as u64 == MAX_LINE {
                ended = true;
                return Some(Err(FixtureError::TooLong { path: path.clone(), line: number }));
            }
            if !text.trim_ascii().is_empty() {
                return Some(Ok(Line { number, text }));
            }
        }
        None
    }))
}

/// The fixture files among `inputs`: files as they are, folders searched for `.jsonl` and `.jsonl.gz`, sorted by name.
///
/// # Errors
/// When an input does not exist or a folder cannot be walked.
pub fn files(inputs: &[PathBuf]) -> Result<Vec<PathBuf>, FixtureError> {
    let mut found = Vec::new();
    for input in inputs {
        if !input.is_dir() {
            found.push(input.clone());
            continue;
        }
        for entry in walkdir::WalkDir::new(input).sort_by_file_name() {
            let entry =
                entry.map_err(|error| FixtureError::Io { path: input.clone(), line: 0, source: error.into() })?;
            let name = entry.file_name().to_string_lossy();
            if entry.file_type().is_file() && (name.ends_with(".jsonl") || name.ends_with(".jsonl.gz")) {
                found.push(entry.into_path());
            }
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::{Fixture, files, lines};
    use serde_json::json;
    use std::io::Write as _;

    #[test]
    fn a_fixture_reads_with_missing_keys_as_not_recorded() {
        let fixture: Fixture = serde_json::from_value(json!({
            "id": "1", "apiVersion": "v1", "kind": "X", "operation": "update", "options": {"A": true}, "normalizationRules": null,
            "object": {}, "oldObject": {},
            "expect": {"declarative": [{"type": "FieldValueInvalid", "field": "a", "badValue": -1, "detail": "d", "origin": "o", "stability": "alpha"}]}
        }))
        .unwrap();
        let declarative = fixture.expect.declarative.unwrap();
        assert_eq!(declarative[0].to_string(), "a: Invalid value: -1: d");
        assert!(fixture.expect.handwritten.is_none());
        assert_eq!(fixture.options.resolve(&["B".to_owned()]).get("B"), None, "a map gives every option explicitly");
    }

    #[test]
    fn a_list_of_options_switches_the_others_off() {
        let fixture: Fixture = serde_json::from_value(json!({"id": "1", "options": ["A"], "expect": {}})).unwrap();
        let options = fixture.options.resolve(&["A".to_owned(), "B".to_owned()]);
        assert_eq!((options.get("A"), options.get("B")), (Some(true), Some(false)));
    }

    #[test]
    fn files_are_found_unpacked_and_numbered() {
        let folder = tempfile::tempdir().unwrap();
        let mut gz = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        gz.write_all(b"{}\n\n[]\n").unwrap();
        std::fs::write(folder.path().join("a.jsonl.gz"), gz.finish().unwrap()).unwrap();
        std::fs::write(folder.path().join("b.txt"), "no").unwrap();
        let found = files(&[folder.path().to_owned()]).unwrap();
        assert_eq!(found.len(), 1);
        let numbers: Vec<u64> = lines(&found[0]).unwrap().map(|line| line.unwrap().number).collect();
        assert_eq!(numbers, [1, 3]);
        std::fs::write(folder.path().join("c.jsonl.gz"), "not gzip").unwrap();
        let error = lines(&folder.path().join("c.jsonl.gz")).unwrap().next().unwrap().unwrap_err();
        assert!(error.to_string().contains("c.jsonl.gz"), "{error}");
    }
}
