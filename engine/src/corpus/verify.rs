//! Checks that a corpus is complete and still judged as recorded.

use super::jury::{Jury, pairs};
use super::reading::{CorpusInputs, CorpusReading};
use crate::ending::Ending;
use crate::say::Say;
use anyhow::Context as _;
use serde::Serialize;
use std::collections::BTreeMap;
use std::fs::File;
use takeover_corpora::store;

/// Most cases that are named.
const MOST_NAMED: usize = 20;

/// What was found. Fields are only ever added.
#[derive(Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Verified {
    /// Corpora that are not whole, with the line.
    pub broken: Vec<String>,
    /// Corpora, or parts joined to one, that are not redacted.
    pub raw: u64,
    /// Cases that were read.
    pub cases: u64,
    /// Cases that are judged as recorded.
    pub as_recorded: u64,
    /// Cases without a recorded verdict.
    pub not_recorded: u64,
    /// Cases that are judged otherwise.
    pub otherwise: u64,
    /// Where the first cases stand that are judged otherwise.
    pub first: Vec<String>,
    /// Lines that could not be read, by reason.
    pub unreadable: BTreeMap<String, u64>,
    /// Recorded requests that gave no case, by reason.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub skipped: BTreeMap<String, u64>,
}

/// Verifies.
///
/// # Errors
/// Returns an error when a file cannot be opened.
pub fn verify(corpora: &CorpusInputs, say: Say<'_>) -> anyhow::Result<Verified> {
    let mut verified = Verified::default();
    for place in &corpora.files {
        let name = place.display().to_string();
        let file = File::open(place).with_context(|| format!("cannot read `{name}`"))?;
        match store::check(&name, file) {
            Ok(checked) => verified.raw += checked.raw,
            Err(error) => verified.broken.push(error.to_string()),
        }
    }
    let pairs = pairs(corpora.types.as_deref())?;
    let mut jury = Jury::new(&pairs);
    let mut reading = CorpusReading::new(corpora, say)?;
    for loaded in reading.by_ref() {
        verified.cases += 1;
        let verdict = jury.verdict(&loaded);
        if loaded.verdict.is_none() {
            verified.not_recorded += 1;
        } else if verdict == loaded.verdict {
            verified.as_recorded += 1;
        } else {
            verified.otherwise += 1;
            if verified.first.len() < MOST_NAMED {
                let now = verdict.map_or("not judged".to_owned(), |verdict| verdict.outcome);
                let was = loaded.verdict.map(|verdict| verdict.outcome).unwrap_or_default();
                let place = loaded.case.provenance;
                verified.first.push(format!("{place}: {} {} was {was}, is {now}", loaded.kind, loaded.case.operation));
            }
        }
    }
    verified.unreadable = reading.unreadable;
    verified.skipped = reading.skipped;
    Ok(verified)
}

impl Verified {
    /// Returns how the command ends.
    pub fn ending(&self) -> Ending {
        if !self.broken.is_empty() || self.otherwise > 0 {
            Ending::Findings
        } else if !self.unreadable.is_empty() {
            Ending::Unreadable
        } else if self.cases == 0 {
            Ending::NothingCompared
        } else {
            Ending::Clean
        }
    }
}
