//! Compiles the patched types, and checks that exactly the intended rules have moved.

use super::lines::{At, rules};
use super::place::PatchPlace;
use super::step::Step;
use anyhow::Context as _;
use std::collections::BTreeMap;
use takeover_harness::rule::Rule;
use takeover_oracles::registry::Registry;

/// Compiles the types with the changed files, and compares the rules with those before.
///
/// # Errors
/// Returns an error when they do not compile any more, or another rule would move, or one of `moved` would not.
pub fn verify(
    before: &Registry,
    place: &PatchPlace,
    texts: &BTreeMap<String, String>,
    moved: &BTreeMap<At, String>,
    step: Step,
) -> anyhow::Result<()> {
    let failed = "failed to compile the patched types: no patch was printed";
    let after = Registry::of_folder_with(&place.folder, texts).context(failed)?;
    let (before, after) = (rules(before)?, rules(&after).context(failed)?);
    let all = before.keys().chain(after.keys().filter(|key| !before.contains_key(*key)));
    for key in all {
        let (subject, path, chain, at) = key;
        let asked = |rule: &Rule| if moved.contains_key(at) { step.stability() } else { rule.stability };
        let (was, is) = (before.get(key), after.get(key));
        let as_meant = matches!((was, is), (Some(was), Some(is)) if is.stability == asked(was));
        anyhow::ensure!(
            as_meant,
            "the patch would change the rule `{path} {chain}` of `{subject}` ({}:{}) in an unintended way; no patch was printed",
            at.0,
            at.1
        );
    }
    Ok(())
}
