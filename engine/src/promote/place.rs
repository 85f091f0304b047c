//! The place of the types that a patch changes.

use anyhow::Context as _;
use std::fs;
use std::path::{Path, PathBuf};

/// A folder of types, and what of it may be changed.
#[derive(Clone, Debug)]
pub struct PatchPlace {
    /// The folder, laid out as `<group>/<version>`.
    pub folder: PathBuf,
    /// The only file that may be changed.
    only: Option<PathBuf>,
}

impl PatchPlace {
    /// Takes a folder of types, or a file in its `<group>/<version>`, which is then the only file that is changed.
    ///
    /// # Errors
    /// Returns an error when there is neither at `path`.
    pub fn of(path: &Path) -> anyhow::Result<Self> {
        let failed = || format!("failed to find the types `{}`", path.display());
        let real = fs::canonicalize(path).with_context(failed)?;
        if real.is_dir() {
            return Ok(Self { folder: path.to_owned(), only: None });
        }
        let name = path.file_name().with_context(failed)?;
        // A bare name has no folders to go up from.
        let version = match path.parent() {
            Some(parent) if parent.components().count() > 2 => parent.to_owned(),
            _ => real.parent().with_context(failed)?.to_owned(),
        };
        let folder = version.parent().and_then(Path::parent).with_context(|| {
            format!("`{}` is not in a folder `<group>/<version>`, which names its package", path.display())
        })?;
        anyhow::ensure!(
            name.to_string_lossy().ends_with(".go"),
            "`{}` is not a Go file: name a folder of types, or a Go file in it",
            path.display()
        );
        Ok(Self { folder: folder.to_owned(), only: Some(real) })
    }

    /// Whether the file may be changed: it is the named one, or in the folder. Packages that were read from elsewhere, or stand in for
    /// missing ones, may not.
    pub fn takes(&self, file: &str) -> bool {
        let real = || fs::canonicalize(file).ok();
        match &self.only {
            Some(only) => real().is_some_and(|file| file == *only),
            None => {
                let below = || fs::canonicalize(&self.folder).ok().zip(real());
                Path::new(file).starts_with(&self.folder)
                    || below().is_some_and(|(folder, file)| file.starts_with(folder))
            }
        }
    }
}

/// The name of a file in a patch: from the current folder if it is below, and else from the folder of types.
///
/// # Errors
/// Returns an error when no patch can name it.
pub(super) fn name_in_patch(file: &str, folder: &Path) -> anyhow::Result<String> {
    let real = fs::canonicalize(file).with_context(|| format!("failed to find `{file}`"))?;
    let below = |root: &Path| {
        let root = fs::canonicalize(root).ok()?;
        Some(real.strip_prefix(root).ok()?.to_string_lossy().into_owned())
    };
    let name = below(Path::new(".")).or_else(|| below(folder)).unwrap_or_else(|| file.to_owned());
    anyhow::ensure!(
        !name.contains(|c: char| c.is_control() || c == '"'),
        "the name of the file `{file}` cannot be written in a patch"
    );
    // What follows a tab is no part of the name: without it, a name with blanks ends early.
    Ok(if name.contains(' ') { format!("{name}\t") } else { name })
}
