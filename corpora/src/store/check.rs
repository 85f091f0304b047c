//! Whether a file is a whole corpus.

use super::format::{Begin, End};
use crate::case_document::{CORPUS_FORMAT, OWN_VERSION, is_mark};
use crate::load::plain_lines;
use crate::redact::RedactionSettings;
use serde::Deserialize;
use std::io::Read;

/// A file that is no corpus, or not all of one.
#[derive(Debug, thiserror::Error)]
#[error("`{name}:{line}`: {detail}")]
pub struct CheckError {
    name: String,
    line: u64,
    detail: String,
}

/// What a whole corpus says of itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checked {
    /// Cases.
    pub cases: u64,
    /// How many corpora were joined to it.
    pub parts: u64,
    /// Parts that were not redacted.
    pub raw: u64,
    /// How the last part that was redacted was.
    pub redacted: Option<RedactionSettings>,
}

/// What each line says first.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Head {
    api_version: String,
    kind: String,
}

/// Reads a corpus from its first to its last byte, and compares what it holds with what its marks say. Whether its cases can be
/// read is not looked at.
///
/// # Errors
/// Returns an error when a line is not what the corpus says; it names the first one.
pub fn check(name: &str, bytes: impl Read + Send + 'static) -> Result<Checked, CheckError> {
    let at = |line, detail: String| CheckError { name: name.to_owned(), line, detail };
    let mut checked = Checked { cases: 0, parts: 0, raw: 0, redacted: None };
    // Cases and hash of the part that has begun and not ended.
    let mut part: Option<(u64, blake3::Hasher)> = None;
    let mut number = 0;
    for line in plain_lines(name, Box::new(bytes)) {
        number += 1;
        let text = line.map_err(|detail| at(number, detail))?;
        let head = serde_json::from_slice::<Head>(&text);
        let head = head.ok().filter(|head| head.api_version == OWN_VERSION);
        let Some(head) = head else {
            return Err(at(number, "not a line of a corpus; create one with `corpus import`".to_owned()));
        };
        if !is_mark(&head.kind) {
            let Some((cases, hasher)) = &mut part else {
                return Err(at(number, "a case outside a corpus: its first line is missing".to_owned()));
            };
            *cases += 1;
            hasher.update(&text);
            continue;
        }
        match part.take() {
            None => {
                CORPUS_FORMAT.check_json(&text).map_err(|error| at(number, error.to_string()))?;
                let begin: Begin = serde_json::from_slice(&text)
                    .map_err(|error| at(number, format!("not the first line of a corpus: {error}")))?;
                match begin.redacted {
                    Some(settings) => checked.redacted = Some(settings),
                    None => checked.raw += 1,
                }
                let mut hasher = blake3::Hasher::new();
                hasher.update(&text);
                part = Some((0, hasher));
            }
            Some((cases, hasher)) => {
                let end: End = serde_json::from_slice(&text)
                    .map_err(|error| at(number, format!("not the last line of a corpus: {error}")))?;
                if end.cases != cases {
                    return Err(at(number, format!("the corpus had {} cases, {cases} of them are here", end.cases)));
                }
                if end.blake3 != hasher.finalize().to_hex().as_str() {
                    return Err(at(number, "the corpus was changed after it was written: its hash differs".to_owned()));
                }
                checked.cases += cases;
                checked.parts += 1;
            }
        }
    }
    match part {
        Some((cases, _)) => {
            Err(at(number, format!("the corpus is truncated after {cases} cases: its last line is missing")))
        }
        None if checked.parts == 0 => Err(at(number, "an empty file is not a corpus".to_owned())),
        None => Ok(checked),
    }
}
