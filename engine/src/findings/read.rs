//! The findings of run folders.

use anyhow::Context as _;
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use takeover_harness::compare::Signature;

/// The smallest case of a signature: objects without their version and kind.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Minimal {
    /// The new object.
    pub object: Value,
    /// The stored object, on updates.
    pub old: Option<Value>,
}

impl Minimal {
    /// What is smaller is better to read; what is as small is told apart by its text.
    pub(super) fn size(&self) -> (usize, String) {
        let text = format!("{} {}", self.object, self.old.as_ref().unwrap_or_default());
        (text.chars().count(), text)
    }
}

/// What is read of a finding's file.
#[derive(Deserialize)]
struct Record {
    finding: String,
    signature: Option<Signature>,
    minimal: Document,
}

/// A case as soaks write it.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Document {
    object: Value,
    old_object: Option<Value>,
}

/// The smallest case of every signature in `folders`.
///
/// # Errors
/// Returns an error when a folder holds no run or a finding cannot be read, and for findings that are no signatures.
pub(super) fn read(folders: &[PathBuf]) -> anyhow::Result<BTreeMap<Signature, Minimal>> {
    let mut found: BTreeMap<Signature, Minimal> = BTreeMap::new();
    for folder in folders {
        for file in files(folder)? {
            let text = std::fs::read(&file).with_context(|| format!("failed to read `{}`", file.display()))?;
            let record: Record = serde_json::from_slice(&text)
                .with_context(|| format!("failed to read `{}`: not the finding of a soak", file.display()))?;
            let Some(signature) = record.signature else {
                anyhow::bail!("`{}` is no disagreement: {}", file.display(), record.finding);
            };
            let case =
                Minimal { object: anonymous(record.minimal.object), old: record.minimal.old_object.map(anonymous) };
            match found.get(&signature) {
                Some(known) if known.size() <= case.size() => {}
                _ => {
                    found.insert(signature, case);
                }
            }
        }
    }
    Ok(found)
}

/// The files of the findings, in the order of their names.
fn files(folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
    anyhow::ensure!(folder.join("run.json").is_file(), "`{}` is no run folder: it has no `run.json`", folder.display());
    let findings = folder.join("findings");
    let entries = std::fs::read_dir(&findings).with_context(|| format!("failed to read `{}`", findings.display()))?;
    let mut files = Vec::new();
    for entry in entries {
        let path = entry.with_context(|| format!("failed to read `{}`", findings.display()))?.path();
        if path.extension().is_some_and(|extension| extension == "json") {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

fn anonymous(mut object: Value) -> Value {
    if let Some(members) = object.as_object_mut() {
        members.remove("apiVersion");
        members.remove("kind");
    }
    object
}
