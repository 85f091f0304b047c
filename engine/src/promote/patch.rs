//! The changed files, and the changes as a unified diff.

use super::lines::{At, Line};
use super::place::name_in_patch;
use anyhow::Context as _;
use similar::TextDiff;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// A file before and after.
struct Changed {
    before: String,
    after: String,
}

/// The patch, and the changed files by name.
pub struct Patch {
    /// The unified diff; empty if nothing changed.
    pub diff: String,
    /// The new texts.
    pub texts: BTreeMap<String, String>,
}

/// Returns the files with the texts of `lines` replaced by `moved`.
///
/// # Errors
/// Returns an error when a file cannot be read, or no longer reads as it did.
pub fn diff(lines: &BTreeMap<At, Line>, moved: &BTreeMap<At, String>, folder: &Path) -> anyhow::Result<Patch> {
    let mut files: BTreeMap<&str, Vec<(u32, &Line, &str)>> = BTreeMap::new();
    for (at, text) in moved {
        let line = lines.get(at).with_context(|| format!("failed to find the tag at {}:{}", at.0, at.1))?;
        files.entry(&at.0).or_default().push((at.1, line, text));
    }
    let mut patch = Patch { diff: String::new(), texts: BTreeMap::new() };
    for (file, edits) in files {
        let Changed { before, after } = change(file, &edits)?;
        let name = name_in_patch(file, folder)?;
        let (old, new): (Vec<&str>, Vec<&str>) =
            (before.split_inclusive('\n').collect(), after.split_inclusive('\n').collect());
        let diff = TextDiff::configure().newline_terminated(true).diff_slices(&old, &new);
        let mut diff = diff.unified_diff();
        patch.diff.push_str(&diff.header(&format!("a/{name}"), &format!("b/{name}")).to_string());
        patch.texts.insert(file.to_owned(), after);
    }
    Ok(patch)
}

fn change(file: &str, edits: &[(u32, &Line, &str)]) -> anyhow::Result<Changed> {
    let before = fs::read_to_string(file).with_context(|| format!("failed to read `{file}`"))?;
    let mut lines: Vec<String> = before.split_inclusive('\n').map(str::to_owned).collect();
    for (number, line, text) in edits {
        let mut change = || {
            let (start, old) = (usize::try_from(line.column).ok()?, line.text.as_str());
            let place = lines.get_mut(usize::try_from(*number).ok()?.checked_sub(1)?)?;
            let end = start.checked_add(old.len())?;
            (place.get(start..end)? == old).then(|| place.replace_range(start..end, text))
        };
        change().with_context(|| format!("`{file}`:{number}: the file changed while it was being read"))?;
    }
    Ok(Changed { after: lines.concat(), before })
}
