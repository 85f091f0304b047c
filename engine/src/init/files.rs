//! The files that `init` writes. It replaces none by accident.

use crate::run_folder::write_whole;
use anyhow::Context as _;
use std::fs;
use std::path::{Path, PathBuf};

/// A file that is to be written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewFile {
    /// Its place, from the folder of the project on.
    pub place: PathBuf,
    /// What it says.
    pub text: String,
}

/// What to do with files that exist and say something else.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Existing {
    /// Write nothing at all.
    Refuse,
    /// Replace them.
    Replace,
}

/// Writes files below `folder`, and returns the places of those that did not say the same already.
///
/// # Errors
/// Returns an error that names every file in the way, before anything is written; and when one cannot be written.
pub fn write(folder: &Path, files: &[NewFile], existing: Existing) -> anyhow::Result<Vec<PathBuf>> {
    let says_the_same =
        |file: &&NewFile| fs::read(folder.join(&file.place)).is_ok_and(|text| text == file.text.as_bytes());
    let new: Vec<&NewFile> = files.iter().filter(|file| !says_the_same(file)).collect();
    let in_the_way: Vec<String> = new
        .iter()
        .map(|file| folder.join(&file.place))
        .filter(|place| place.symlink_metadata().is_ok())
        .map(|place| format!("`{}`", place.display()))
        .collect();
    if existing == Existing::Refuse && !in_the_way.is_empty() {
        let (is, them) = if in_the_way.len() == 1 { ("exists", "it") } else { ("exist", "them") };
        anyhow::bail!("{} {is} already; nothing was written. `--force` replaces {them}", in_the_way.join(", "));
    }
    for file in &new {
        let place = folder.join(&file.place);
        if let Some(above) = place.parent() {
            fs::create_dir_all(above).with_context(|| format!("failed to create `{}`", above.display()))?;
        }
        write_whole(&place, file.text.as_bytes())?;
    }
    Ok(new.into_iter().map(|file| file.place.clone()).collect())
}
