//! The folder of a run: what went in, what came out, written as the run goes.
//!
//! Every file is written beside its place and then renamed, so that a reader never sees half of one.

use crate::bounded;
use crate::program::program_name;
use anyhow::Context as _;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::ffi::OsStr;
use std::fs::{self, File, TryLockError};
use std::io::{ErrorKind, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use takeover_reports::run::FORMS;
use takeover_reports::{Form, Look, RunReport};

/// Held while a program writes to the folder; the system releases it however the program ends.
const LOCK: &str = ".lock";

/// How long a killed run may take to be gone.
const GOING: Duration = Duration::from_millis(500);

/// What a run leaves, other than `run.json`, its findings and its report.
const RESULTS: [&str; 5] = ["evidence.json", "positions.json", "production.json", "health.json", "checkpoint"];

/// An open run folder. No other program writes to it meanwhile.
#[derive(Debug)]
pub struct RunFolder {
    root: PathBuf,
    /// Locked as long as it is open; none where the file system has no locks.
    _lock: Option<File>,
}

impl RunFolder {
    /// Creates the folder. With `force`, a run that is there already is cleared.
    ///
    /// # Errors
    /// Returns an error when `root` holds something else than a run, a run that must not be cleared, is in use, or cannot be written.
    pub fn create(root: &Path, force: bool) -> anyhow::Result<Self> {
        let foreign = |entry: std::io::Result<fs::DirEntry>| {
            entry.is_ok_and(|entry| entry.file_name() != LOCK && !is_part(&entry.file_name()))
        };
        let occupied = root.is_dir() && fs::read_dir(root).is_ok_and(|mut entries| entries.any(foreign));
        if occupied && !root.join("run.json").is_file() {
            anyhow::bail!("`{}` is not empty and holds no earlier run: choose another --out", root.display());
        }
        if !force {
            check_free(root)?;
        }
        fs::create_dir_all(root).with_context(|| format!("failed to create `{}`", root.display()))?;
        let folder = Self { root: root.to_owned(), _lock: lock(root)? };
        let clear = || format!("failed to clear `{}`", root.display());
        for stale in RESULTS {
            remove(&root.join(stale)).with_context(clear)?;
        }
        folder.clear_report()?;
        folder.clear_parts().with_context(clear)?;
        // First of all the mark that this is a run: whatever ends the program from here on, the folder can be used again.
        write_whole(&root.join("run.json"), b"{}\n")?;
        folder.clear_findings()?;
        Ok(folder)
    }

    /// Does the same as [`RunFolder::create`], for a run that is made from the runs in `from`.
    ///
    /// # Errors
    /// Returns the errors of [`RunFolder::create`], and an error when `root` is one of `from`: it would be cleared.
    pub fn create_of(root: &Path, from: &[PathBuf], force: bool) -> anyhow::Result<Self> {
        Self::check_of(root, from, force)?;
        Self::create(root, force)
    }

    /// Checks that a run made from the runs in `from` may be written to `root`: better known before it is made.
    ///
    /// # Errors
    /// Returns an error when `root` is one of them, or without `force` holds another run.
    pub fn check_of(root: &Path, from: &[PathBuf], force: bool) -> anyhow::Result<()> {
        let same = |run: &PathBuf| match (run.canonicalize(), root.canonicalize()) {
            (Ok(run), Ok(root)) => run == root,
            _ => false,
        };
        anyhow::ensure!(!from.iter().any(same), "--out `{}` is one of the runs to merge", root.display());
        if force { Ok(()) } else { check_free(root) }
    }

    /// Opens the folder of an earlier run, to resume it.
    ///
    /// # Errors
    /// Returns an error when there is no run in `root`, or it is in use.
    pub fn reopen(root: &Path) -> anyhow::Result<Self> {
        if !root.join("run.json").is_file() {
            anyhow::bail!("`{}` holds no run to resume: it has no run.json", root.display());
        }
        let folder = Self { root: root.to_owned(), _lock: lock(root)? };
        folder.clear_parts().with_context(|| format!("failed to clear `{}`", root.display()))?;
        Ok(folder)
    }

    /// Removes the findings of an earlier attempt.
    ///
    /// # Errors
    /// Returns an error when they cannot be removed.
    pub fn clear_findings(&self) -> anyhow::Result<()> {
        let findings = self.root.join("findings");
        if findings.is_dir() {
            fs::remove_dir_all(&findings).with_context(|| format!("failed to clear `{}`", findings.display()))?;
        }
        fs::create_dir_all(&findings).with_context(|| format!("failed to create `{}`", findings.display()))
    }

    /// Removes the report in every form.
    ///
    /// # Errors
    /// Returns an error when it cannot be removed.
    pub fn clear_report(&self) -> anyhow::Result<()> {
        kept().try_for_each(|form| self.remove(&form.file_name()))
    }

    /// Removes the incomplete files that a killed program left.
    fn clear_parts(&self) -> std::io::Result<()> {
        for entry in fs::read_dir(&self.root)? {
            let entry = entry?;
            if is_part(&entry.file_name()) {
                remove(&entry.path())?;
            }
        }
        Ok(())
    }

    /// The folder.
    pub fn path(&self) -> &Path {
        &self.root
    }

    /// Writes `name` below the folder, whole or not at all.
    ///
    /// # Errors
    /// Returns an error when the file cannot be written.
    pub fn write(&self, name: &str, content: &[u8]) -> anyhow::Result<PathBuf> {
        let place = self.root.join(name);
        write_whole(&place, content)?;
        Ok(place)
    }

    /// Does the same as [`RunFolder::write`], durably: after a power failure, the file has either the old or the new content.
    ///
    /// # Errors
    /// Returns an error when the file cannot be written.
    pub fn write_durable(&self, name: &str, content: &[u8]) -> anyhow::Result<()> {
        write_beside(&self.root.join(name), content, Writing { durable: true, private: false })
    }

    /// As [`RunFolder::write_durable`], readable for its owner alone.
    ///
    /// # Errors
    /// Returns an error when the file cannot be written.
    pub fn write_private(&self, name: &str, content: &[u8]) -> anyhow::Result<()> {
        write_beside(&self.root.join(name), content, Writing { durable: true, private: true })
    }

    /// Removes `name`, if it is there.
    ///
    /// # Errors
    /// Returns an error when it cannot be removed.
    pub fn remove(&self, name: &str) -> anyhow::Result<()> {
        let place = self.root.join(name);
        remove(&place).with_context(|| format!("failed to remove `{}`", place.display()))
    }

    /// Writes the report in every form that run folders keep; a form that fails does not keep the others from being written.
    pub fn write_report(&self, report: &RunReport, look: Look) -> Vec<anyhow::Result<PathBuf>> {
        let write = |form: &Form<RunReport>| {
            let name = form.file_name();
            let text = (form.write)(report, look).with_context(|| format!("failed to encode `{name}`"))?;
            self.write(&name, text.as_bytes())
        };
        kept().map(write).collect()
    }

    /// Writes `name` as indented JSON with a final line break.
    ///
    /// # Errors
    /// Returns an error when the file cannot be written.
    pub fn write_json(&self, name: &str, content: &impl Serialize) -> anyhow::Result<PathBuf> {
        let text = takeover_reports::json(content).with_context(|| format!("failed to encode `{name}`"))?;
        self.write(name, text.as_bytes())
    }
}

/// Checks that no run would be lost with what is in `root`. One that never began holds nothing.
///
/// # Errors
/// Returns an error when `root` holds a run.
pub fn check_free(root: &Path) -> anyhow::Result<()> {
    let Ok(text) = fs::read(root.join("run.json")) else { return Ok(()) };
    let record: Value = serde_json::from_slice(&text).unwrap_or_default();
    let (place, finished) = (root.display(), record.get("finished").and_then(Value::as_bool));
    let results = || RESULTS.iter().any(|result| root.join(result).is_file());
    if finished == Some(false) && results() {
        anyhow::bail!(
            "`{place}` holds an unfinished run: resume it with `{} soak --resume {place}`, or replace it with --force",
            program_name()
        );
    }
    anyhow::ensure!(
        finished == Some(false) || !results(),
        "`{place}` holds a run: choose another --out, or replace it with --force"
    );
    Ok(())
}

/// The forms of a report that run folders keep.
fn kept() -> impl Iterator<Item = &'static Form<RunReport>> {
    FORMS.iter().filter(|form| form.kept)
}

/// Whether this is the name of an incomplete file.
fn is_part(name: &OsStr) -> bool {
    let name = name.to_string_lossy();
    name.starts_with('.') && name.ends_with(".part")
}

fn remove(file: &Path) -> std::io::Result<()> {
    match fs::remove_file(file) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

fn lock(root: &Path) -> anyhow::Result<Option<File>> {
    let place = root.join(LOCK);
    let file = File::options()
        .create(true)
        .truncate(false)
        .write(true)
        .open(&place)
        .with_context(|| format!("failed to open `{}`", place.display()))?;
    let begin = Instant::now();
    loop {
        return match file.try_lock() {
            Ok(()) => Ok(Some(file)),
            // A run that was killed a moment ago may not be gone altogether.
            Err(TryLockError::WouldBlock) if begin.elapsed() < GOING => {
                std::thread::sleep(Duration::from_millis(20));
                continue;
            }
            Err(TryLockError::WouldBlock) => anyhow::bail!("`{}` is in use by another run", root.display()),
            Err(TryLockError::Error(error)) if error.kind() == ErrorKind::Unsupported => Ok(None),
            Err(TryLockError::Error(error)) => {
                Err(error).with_context(|| format!("failed to lock `{}`", place.display()))
            }
        };
    }
}

/// Reads `name` in the run folder `root`.
///
/// # Errors
/// Returns an error when it cannot be read; the message names it.
pub fn read(root: &Path, name: &str) -> anyhow::Result<String> {
    let place = root.join(name);
    bounded::text(&place, bounded::EVIDENCE).with_context(|| format!("failed to read `{}`", place.display()))
}

/// Reads the JSON file `name` in the run folder `root`.
///
/// # Errors
/// Returns an error when it cannot be read, or is of another shape; the message names it.
pub fn read_json<T: DeserializeOwned>(root: &Path, name: &str) -> anyhow::Result<T> {
    let text = read(root, name)?;
    serde_json::from_str(&text).with_context(|| format!("failed to parse `{}`", root.join(name).display()))
}

/// Reads the report in the run folder `root`.
///
/// # Errors
/// Returns an error when it cannot be read, or is of another format version; the message names it.
pub fn read_report(root: &Path) -> anyhow::Result<RunReport> {
    const REPORT: &str = "report.json";
    let text = read(root, REPORT)?;
    RunReport::from_json(&text).with_context(|| format!("failed to parse `{}`", root.join(REPORT).display()))
}

/// Writes a file beside its place and then renames it. A device, a pipe or a socket is written to instead, and for
/// a link, the file that it leads to is replaced.
///
/// # Errors
/// Returns an error when the file cannot be written; the message names it.
pub fn write_whole(place: &Path, content: &[u8]) -> anyhow::Result<()> {
    write_beside(place, content, Writing::default())
}

/// As [`write_whole`], durably, and readable for its owner alone.
///
/// # Errors
/// Returns an error when the file cannot be written; the message names it.
pub(crate) fn write_durably(place: &Path, content: &[u8]) -> anyhow::Result<()> {
    write_beside(place, content, Writing { durable: true, private: true })
}

/// Whether something is there that a file must not take the place of: a device, a pipe.
pub(crate) fn is_device(place: &Path) -> bool {
    fs::metadata(place).is_ok_and(|found| !found.is_file() && !found.is_dir())
}

/// The file that a chain of links leads to, whether or not it is there.
pub(crate) fn target(place: &Path) -> PathBuf {
    /// As many as systems follow.
    const MOST: usize = 40;
    let mut place = place.to_owned();
    for _ in 0..MOST {
        let Ok(to) = fs::read_link(&place) else { break };
        place = place.parent().unwrap_or(Path::new("")).join(to);
    }
    place
}

/// How a file is written.
#[derive(Clone, Copy, Default)]
struct Writing {
    /// Whether it is on disk when that returns.
    durable: bool,
    /// Whether its owner alone may read it.
    private: bool,
}

fn write_beside(place: &Path, content: &[u8], Writing { durable, private }: Writing) -> anyhow::Result<()> {
    if is_device(place) {
        return fs::write(place, content).with_context(|| format!("failed to write `{}`", place.display()));
    }
    let place = &*target(place);
    let name = place.file_name().unwrap_or_default().to_string_lossy();
    // A plain file rather than a temporary one, so that the user's own permissions apply to it.
    let beside = place.with_file_name(format!(".{name}.{}.part", std::process::id()));
    let write = || -> std::io::Result<()> {
        let mut options = File::options();
        options.write(true).create(true).truncate(true);
        if private {
            options.mode(0o600);
            // One that a killed process left keeps its mode.
            remove(&beside)?;
        }
        let mut file = options.open(&beside)?;
        file.write_all(content)?;
        if durable {
            file.sync_all()?;
        }
        drop(file);
        fs::rename(&beside, place)
    };
    // Half of a file is of no use, and takes room that there may not be.
    let written = write().inspect_err(|_| {
        let _ = fs::remove_file(&beside);
    });
    written.with_context(|| format!("failed to write `{}`", place.display()))
}

/// The way from one folder to another, such as `../..`; empty where they are the same, none where one is missing.
#[must_use]
pub fn way(from: &Path, to: &Path) -> Option<PathBuf> {
    let (from, to) = (from.canonicalize().ok()?, to.canonicalize().ok()?);
    let common = from.components().zip(to.components()).take_while(|(one, other)| one == other).count();
    let up = from.components().skip(common).map(|_| std::path::Component::ParentDir);
    Some(up.chain(to.components().skip(common)).collect())
}

#[cfg(test)]
mod tests {
    use super::{RunFolder, write_whole};

    #[test]
    fn ways_lead_up_and_down() {
        let root = tempfile::tempdir().unwrap();
        let at = |path: &str| root.path().join(path);
        std::fs::create_dir_all(at("a/b")).unwrap();
        std::fs::create_dir_all(at("a/c/d")).unwrap();
        for (from, to, expected) in
            [("a/b", "a/c/d", "../c/d"), ("a/c/d", "a", "../.."), ("a", "a/b", "b"), ("a", "a", "")]
        {
            assert_eq!(super::way(&at(from), &at(to)).unwrap(), std::path::Path::new(expected), "{from} to {to}");
        }
        assert_eq!(super::way(&at("a"), &at("none")), None);
    }

    #[test]
    fn a_folder_with_other_things_is_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("thesis.txt"), "years of work").unwrap();
        let error = RunFolder::create(folder.path(), false).unwrap_err().to_string();
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
    fn a_device_is_written_to_and_stays_a_device() {
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().join("a.json");
        std::os::unix::fs::symlink("/dev/null", &place).unwrap();
        write_whole(&place, b"new").unwrap();
        assert!(place.symlink_metadata().unwrap().is_symlink());
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_folder_in_use_is_left_alone_until_it_is_free() {
        let folder = tempfile::tempdir().unwrap();
        let first = RunFolder::create(folder.path(), false).unwrap();
        for second in [RunFolder::create(folder.path(), false), RunFolder::reopen(folder.path())] {
            let error = second.unwrap_err().to_string();
            assert!(error.contains("is in use by another run"), "{error}");
        }
        drop(first);
        RunFolder::reopen(folder.path()).unwrap();
    }

    #[test]
    fn halves_of_files_that_a_killed_run_left_are_cleared() {
        let folder = tempfile::tempdir().unwrap();
        drop(RunFolder::create(folder.path(), false).unwrap());
        let half = folder.path().join(".checkpoint.4711.part");
        std::fs::write(&half, "ha").unwrap();
        RunFolder::reopen(folder.path()).unwrap();
        assert!(!half.exists());
        let error = RunFolder::reopen(&folder.path().join("findings")).unwrap_err().to_string();
        assert!(error.contains("holds no run"), "{error}");
    }

    #[test]
    fn a_folder_whose_first_file_was_cut_off_can_be_used_again() {
        let folder = tempfile::tempdir().unwrap();
        for left in [".lock", ".run.json.4711.part"] {
            std::fs::write(folder.path().join(left), "").unwrap();
        }
        drop(RunFolder::create(folder.path(), false).unwrap());
        assert!(!folder.path().join(".run.json.4711.part").exists());
    }

    #[test]
    fn a_full_disk_keeps_what_there_was_and_leaves_no_half_of_a_file() {
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().join("evidence.json");
        write_whole(&place, b"before").unwrap();
        let beside = folder.path().join(format!(".evidence.json.{}.part", std::process::id()));
        std::os::unix::fs::symlink("/dev/full", &beside).unwrap();
        let error = write_whole(&place, b"after").unwrap_err().to_string();
        assert!(error.contains("evidence.json"), "{error}");
        assert!(!std::fs::exists(&beside).unwrap() && beside.symlink_metadata().is_err());
        assert_eq!(std::fs::read(&place).unwrap(), b"before");
    }

    #[test]
    fn a_second_run_clears_what_the_first_left_if_it_may() {
        let folder = tempfile::tempdir().unwrap();
        let first = RunFolder::create(folder.path(), false).unwrap();
        first.write("findings/001.json", b"{}").unwrap();
        first.write_json("run.json", &serde_json::json!({"finished": false})).unwrap();
        drop(first);
        drop(RunFolder::create(folder.path(), false).unwrap());
        for (finished, said) in [(false, "--resume"), (true, "choose another --out")] {
            let held = RunFolder::reopen(folder.path()).unwrap();
            held.write_json("run.json", &serde_json::json!({"finished": finished})).unwrap();
            held.write_json("evidence.json", &1).unwrap();
            drop(held);
            let error = RunFolder::create(folder.path(), false).unwrap_err().to_string();
            assert!(error.contains(said) && error.contains("--force"), "{error}");
        }
        let second = RunFolder::create(folder.path(), true).unwrap();
        assert!(!second.path().join("findings/001.json").exists());
        assert!(!second.path().join("evidence.json").exists());
    }
}
