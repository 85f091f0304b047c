//! The file of known disagreements.

use super::checks::Known;
use super::folder::Folder;
use crate::run_folder::write_whole;
use anyhow::Context as _;
use std::collections::BTreeSet;
use std::fs;

/// What the file says about itself.
const HEADING: &str = "\
# Disagreements of Kubernetes' own two sides that fuzzing knows of: a signature a line, sorted. docs/kubernetes-1.36-findings.md
# explains them. A disagreement that is not here is a find. After looking into new ones, add them with
# `cargo xtask fuzz equivalence --accept`.
";

/// The signatures in the file.
pub(super) fn of(folder: &Folder) -> anyhow::Result<Known> {
    let file = folder.known_signatures();
    let text = fs::read_to_string(&file).with_context(|| format!("failed to read `{}`", file.display()))?;
    Ok(Known::parse(&text))
}

/// Adds `unknown` signatures to the file, and returns those that are new to it.
pub(super) fn accept(mut known: Known, unknown: BTreeSet<String>, folder: &Folder) -> anyhow::Result<Vec<String>> {
    let accepted: Vec<String> = unknown.into_iter().filter(|signature| known.insert(signature.clone())).collect();
    if !accepted.is_empty() {
        write_whole(&folder.known_signatures(), text(&known).as_bytes())?;
    }
    Ok(accepted)
}

/// The file that holds `known`.
pub(super) fn text(known: &Known) -> String {
    let mut text = HEADING.to_owned();
    for signature in known.iter() {
        text.push_str(signature);
        text.push('\n');
    }
    text
}
