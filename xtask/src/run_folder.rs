//! The folder of a run: what went in, what came out, written as the run goes.
//!
//! Every file is written beside its place and then renamed, so that a reader never sees half of one.

use anyhow::Context as _;
use serde::Serialize;
use std::fs;
use std::path::{Path, PathBuf};

/// Version of the layout and of `run.json`.
pub const FORMAT_VERSION: u32 = 1;

/// What went into a run.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RunRecord {
    /// [`FORMAT_VERSION`].
    pub format_version: u32,
    /// Version of this program.
    pub takeover: String,
    /// Seed of the generated cases.
    pub seed: u64,
    /// Number of generated cases per subject: asked for, or reached when the time was up. With the seed and the inputs, it
    /// makes the run again.
    pub cases: u64,
    /// Matching algorithm.
    pub semantics: String,
    /// Subjects.
    pub subjects: Vec<String>,
    /// Files that were read, with their BLAKE3 hashes.
    pub inputs: Vec<InputRecord>,
    /// Only this kind or subject was asked for.
    pub kind: Option<String>,
    /// Folder of Go types instead of the built-in ones.
    pub idl: Option<PathBuf>,
    /// Whether the objects recorded in this project took part.
    pub builtin: bool,
    /// What was asked for: a number of cases, or a time.
    pub budget: String,
    /// Whether the run came to its end. A folder without it was killed.
    pub finished: bool,
}

/// A file that was read.
#[derive(Debug, Serialize)]
pub struct InputRecord {
    /// As named by the user.
    pub path: String,
    /// BLAKE3, hexadecimal; absent for streams.
    pub blake3: Option<String>,
}

/// An open run folder.
#[derive(Debug)]
pub struct RunFolder {
    root: PathBuf,
}

impl RunFolder {
    /// Creates the folder, and clears what an earlier run left in it.
    ///
    /// # Errors
    /// When `root` holds something else than a run, or cannot be written.
    pub fn create(root: &Path) -> anyhow::Result<Self> {
        let occupied = root.is_dir() && fs::read_dir(root).is_ok_and(|mut entries| entries.next().is_some());
        if occupied && !root.join("run.json").is_file() {
            anyhow::bail!("`{}` is not empty and holds no earlier run: choose another --out", root.display());
        }
        for stale in ["evidence.json", "report.json", "report.txt"] {
            match fs::remove_file(root.join(stale)) {
                Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                    return Err(error).with_context(|| format!("failed to clear `{}`", root.display()));
                }
                _ => {}
            }
        }
        fs::create_dir_all(root).with_context(|| format!("failed to create `{}`", root.display()))?;
        // First of all the mark that this is a run: whatever ends the program from here on, the folder can be used again.
        write_whole(&root.join("run.json"), b"{}\n")?;
        let findings = root.join("findings");
        if findings.is_dir() {
            fs::remove_dir_all(&findings).with_context(|| format!("failed to clear `{}`", findings.display()))?;
        }
        fs::create_dir_all(&findings).with_context(|| format!("failed to create `{}`", findings.display()))?;
        Ok(Self { root: root.to_owned() })
    }

    /// The folder.
    pub fn path(&self) -> &Path {
        &self.root
    }

    /// Writes `name` below the folder, whole or not at all.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn write(&self, name: &str, content: &[u8]) -> anyhow::Result<PathBuf> {
        let place = self.root.join(name);
        write_whole(&place, content)?;
        Ok(place)
    }

    /// Writes `name` as indented JSON with a final line break.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn write_json(&self, name: &str, content: &impl Serialize) -> anyhow::Result<PathBuf> {
        let mut text = serde_json::to_vec_pretty(content).with_context(|| format!("failed to encode `{name}`"))?;
        text.push(b'\n');
        self.write(name, &text)
    }
}

/// Writes a file beside its place and then renames it.
///
/// # Errors
/// When the file cannot be written; the message names it.
pub fn write_whole(place: &Path, content: &[u8]) -> anyhow::Result<()> {
    let name = place.file_name().unwrap_or_default().to_string_lossy();
    // A plain file rather than a temporary one, so that the user's own permissions apply to it.
    let beside = place.with_file_name(format!(".{name}.{}.part", std::process::id()));
    let write = || -> std::io::Result<()> {
        fs::write(&beside, content)?;
        fs::rename(&beside, place).inspect_err(|_| {
            let _ = fs::remove_file(&beside);
        })
    };
    write().with_context(|| format!("failed to write `{}`", place.display()))
}

#[cfg(test)]
mod tests {
    use super::{RunFolder, write_whole};

    #[test]
    fn a_folder_with_other_things_is_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("thesis.txt"), "years of work").unwrap();
        let error = RunFolder::create(folder.path()).unwrap_err().to_string();
        assert!(error.contains("choose another --out"), "{error}");
        assert!(folder.path().join("thesis.txt").is_file());
    }

    #[test]
    fn a_file_is_replaced_whole_and_nothing_is_left_beside_it() {
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().join("a.json");
        write_whole(&place, b"old").unwrap();
        write_whole(&place, b"new").unwrap();
        assert_eq!(std::fs::read(&place).unwrap(), b"new");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
        let error = write_whole(&folder.path().join("no such folder").join("a.json"), b"").unwrap_err();
        assert!(error.to_string().contains("no such folder"), "{error}");
    }

    #[test]
    fn a_second_run_clears_what_the_first_left() {
        let folder = tempfile::tempdir().unwrap();
        let first = RunFolder::create(folder.path()).unwrap();
        first.write("findings/001.json", b"{}").unwrap();
        first.write_json("run.json", &1).unwrap();
        first.write_json("evidence.json", &1).unwrap();
        let second = RunFolder::create(folder.path()).unwrap();
        assert!(!second.path().join("findings/001.json").exists());
        assert!(!second.path().join("evidence.json").exists());
    }
}
