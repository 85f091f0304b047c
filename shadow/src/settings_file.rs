//! The file that settings are from, read again when it changes.

use crate::settings::{SettingsError, ShadowSettings};
use std::io::{Error, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use takeover_engine::bounded::{SETTINGS, plain_file};
use takeover_harness::subject::PairId;

/// A settings file that cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("failed to read `{}`: {why}", .path.display())]
pub struct SettingsFileError {
    path: PathBuf,
    why: Fault,
}

#[derive(Debug, thiserror::Error)]
enum Fault {
    #[error(transparent)]
    Read(#[from] Error),
    #[error("it is not UTF-8 at byte {}", .0.valid_up_to())]
    Text(#[from] std::str::Utf8Error),
    #[error(transparent)]
    ShadowSettings(#[from] SettingsError),
}

/// The file that settings are from.
#[derive(Debug)]
pub struct SettingsFile {
    path: PathBuf,
    /// What was there when it was last looked at.
    seen: Mutex<Seen>,
}

#[derive(Debug, PartialEq, Eq)]
enum Seen {
    Content(Vec<u8>),
    /// Not there at the last look. While it is replaced it may be gone for a moment.
    Missing,
    /// Not to be read, as was said.
    Unreadable(ErrorKind),
}

impl SettingsFile {
    /// Reads the settings of a server of these subjects.
    ///
    /// # Errors
    /// When the file cannot be read or makes no sense; the message names it.
    pub fn read(path: &Path, pairs: &[PairId]) -> Result<(Self, ShadowSettings), SettingsFileError> {
        let failed = |why| SettingsFileError { path: path.to_owned(), why };
        let content = plain_file(path, SETTINGS).map_err(|error| failed(error.into()))?;
        let settings = parse(&content, pairs).map_err(failed)?;
        Ok((Self { path: path.to_owned(), seen: Mutex::new(Seen::Content(content)) }, settings))
    }

    /// Looks at the file again. The settings, if it has others than when it was last looked at.
    ///
    /// # Errors
    /// As [`SettingsFile::read`], once for every change of the file. One that is missing is told of at the second look.
    pub fn reload(&self, pairs: &[PairId]) -> Result<Option<ShadowSettings>, SettingsFileError> {
        let failed = |why| SettingsFileError { path: self.path.clone(), why };
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        let content = match plain_file(&self.path, SETTINGS) {
            Ok(content) => content,
            Err(error) => {
                let known = *seen == Seen::Unreadable(error.kind());
                let just_gone = error.kind() == ErrorKind::NotFound && *seen != Seen::Missing;
                if known {
                    return Ok(None);
                }
                *seen = if just_gone { Seen::Missing } else { Seen::Unreadable(error.kind()) };
                return if just_gone { Ok(None) } else { Err(failed(error.into())) };
            }
        };
        let content = Seen::Content(content);
        if *seen == content {
            return Ok(None);
        }
        *seen = content;
        match &*seen {
            Seen::Content(content) => parse(content, pairs).map(Some).map_err(failed),
            Seen::Missing | Seen::Unreadable(_) => Ok(None),
        }
    }
}

fn parse(content: &[u8], pairs: &[PairId]) -> Result<ShadowSettings, Fault> {
    Ok(ShadowSettings::parse(std::str::from_utf8(content)?, pairs)?)
}

#[cfg(test)]
mod tests {
    use super::SettingsFile;

    #[test]
    fn whatever_is_wrong_with_a_file_is_told_once_and_what_is_right_again_is_taken_over() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("shadow.toml");
        let share = |share: &str| std::fs::write(&path, format!("[compare]\nshare = {share}\n")).unwrap();
        share("0.5");
        let (file, settings) = SettingsFile::read(&path, &[]).unwrap();
        assert_eq!(settings.compare.share, 0.5);
        let same = || assert!(file.reload(&[]).unwrap().is_none());
        let wrong = |named: &str| {
            let said = file.reload(&[]).unwrap_err().to_string();
            assert!(said.contains("shadow.toml") && said.contains(named), "{said}");
            same();
        };
        same();
        std::fs::write(&path, b"[compare]\nshare = \xff\n").unwrap();
        wrong("not UTF-8 at byte 18");
        share("7");
        wrong("`compare.share` is 7");
        std::fs::remove_file(&path).unwrap();
        same();
        wrong("No such file");
        std::fs::create_dir(&path).unwrap();
        wrong("directory");
        std::fs::remove_dir(&path).unwrap();
        assert!(std::process::Command::new("mkfifo").arg(&path).status().unwrap().success());
        wrong("not a plain file");
        std::fs::remove_file(&path).unwrap();
        share("0.25");
        assert_eq!(file.reload(&[]).unwrap().unwrap().compare.share, 0.25);
        same();
        assert!(SettingsFile::read(folder.path(), &[]).unwrap_err().to_string().contains("failed to read"));
    }
}
