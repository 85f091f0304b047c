//! Streams the cases of inputs, and counts what could not be read.

use crate::say::Say;
use std::collections::BTreeMap;
use std::path::PathBuf;
use takeover_corpora::load::{Cases, Documents, Input, Limits, LoadErrorKind, LoadedCase, load};

/// Most errors that are printed one by one; all are counted.
const MOST_PRINTED: u64 = 50;

/// What is read, and by which types it is judged.
#[derive(Clone, Debug)]
pub struct CorpusInputs {
    /// Files, folders, standard input.
    pub files: Vec<PathBuf>,
    /// Largest document that is read, or item of a long JSON list, in MiB.
    pub max_document: u32,
    /// The folder of Go types; none for the built-in ones.
    pub types: Option<PathBuf>,
}

/// The cases of inputs.
pub(super) struct CorpusReading<'s> {
    cases: Cases<Documents>,
    /// Documents and files that could not be read, by reason.
    pub unreadable: BTreeMap<String, u64>,
    /// Recorded requests that give no case, by reason.
    pub skipped: BTreeMap<String, u64>,
    say: Say<'s>,
}

impl<'s> CorpusReading<'s> {
    /// Begins to read. Calls `say` with a message for everything that cannot be read.
    ///
    /// # Errors
    /// Returns an error when an input does not exist: a mistyped name should not cost a whole run.
    pub(super) fn new(inputs: &CorpusInputs, say: Say<'s>) -> anyhow::Result<Self> {
        inputs.files.iter().try_for_each(|path| Input::check(path))?;
        let limits = Limits { document_bytes: (inputs.max_document as usize) << 20, ..Limits::default() };
        let inputs = inputs.files.iter().map(Input::named).collect();
        Ok(Self { cases: load(inputs, limits).cases(), unreadable: BTreeMap::new(), skipped: BTreeMap::new(), say })
    }
}

impl Iterator for CorpusReading<'_> {
    type Item = LoadedCase;

    fn next(&mut self) -> Option<LoadedCase> {
        loop {
            match self.cases.next()? {
                Ok(case) => return Some(case),
                Err(error) if matches!(error.kind(), LoadErrorKind::NoCase(_)) => {
                    *self.skipped.entry(error.kind().to_string()).or_default() += 1;
                }
                Err(error) => {
                    let count = self.unreadable.values().sum::<u64>() + 1;
                    *self.unreadable.entry(error.kind().to_string()).or_default() += 1;
                    if count <= MOST_PRINTED {
                        (self.say)(&format!("warning: {error}"));
                    } else if count == MOST_PRINTED + 1 {
                        (self.say)("warning: more inputs cannot be read; they are counted");
                    }
                }
            }
        }
    }
}
