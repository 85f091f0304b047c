//! The folder of the fuzz package: seeds, finds, dictionaries.

use super::checks::Target;
use anyhow::Context as _;
use std::fs;
use std::path::{Path, PathBuf};

/// The fuzz package in a source checkout.
#[derive(Clone, Debug)]
pub(super) struct Folder {
    repository: PathBuf,
}

impl Folder {
    /// Returns the package of the repository around the working folder.
    pub(super) fn here() -> anyhow::Result<Self> {
        let here = std::env::current_dir().context("failed to find the working folder")?;
        match here.ancestors().find(|folder| folder.join("harness/fuzz/Cargo.toml").is_file()) {
            Some(repository) => Ok(Self { repository: repository.to_owned() }),
            None => anyhow::bail!(
                "`{}` is not inside the Takeover repository, which contains the code to fuzz",
                here.display()
            ),
        }
    }

    /// Returns the package of a repository.
    #[cfg(test)]
    pub(super) fn of(repository: &Path) -> Self {
        Self { repository: repository.to_owned() }
    }

    pub(super) fn package(&self) -> PathBuf {
        self.repository.join("harness/fuzz")
    }

    /// Where builds, growing corpora and logs go.
    pub(super) fn scratch(&self) -> PathBuf {
        self.repository.join("target/fuzz")
    }

    pub(super) fn known_signatures(&self) -> PathBuf {
        self.package().join("known-signatures.txt")
    }

    pub(super) fn seeds(&self, target: Target) -> PathBuf {
        self.package().join("seeds").join(target.name())
    }

    pub(super) fn finds(&self, target: Target) -> PathBuf {
        self.package().join("finds").join(target.name())
    }

    pub(super) fn dictionary(&self, target: Target) -> PathBuf {
        self.package().join(target.dictionary())
    }

    /// The seeds of a target by file name.
    ///
    /// # Errors
    /// Returns an error when there are none: fuzzing would start from nothing, and a test of them would test nothing.
    pub(super) fn read_seeds(&self, target: Target) -> anyhow::Result<Vec<Vec<u8>>> {
        let folder = self.seeds(target);
        let files = files_in(&folder)?;
        if files.is_empty() {
            anyhow::bail!("`{}` holds no seeds", folder.display());
        }
        files.iter().map(|file| read(file)).collect()
    }

    /// The words of a target's dictionary.
    ///
    /// # Errors
    /// Returns an error when the file cannot be read or has a line that is no word.
    pub(super) fn read_dictionary(&self, target: Target) -> anyhow::Result<Vec<Vec<u8>>> {
        let file = self.dictionary(target);
        let text = fs::read_to_string(&file).with_context(|| format!("failed to read `{}`", file.display()))?;
        let lines = text.lines().zip(1..).filter(|(line, _)| !line.trim().is_empty() && !line.starts_with('#'));
        lines
            .map(|(line, number)| {
                word(line).with_context(|| format!("`{}` line {number} is not a quoted word", file.display()))
            })
            .collect()
    }
}

/// The files of a folder by name; none when there is no folder. Notes (`*.md`) are left out.
pub(super) fn files_in(folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
    if !folder.exists() {
        return Ok(Vec::new());
    }
    let entries = fs::read_dir(folder).with_context(|| format!("failed to read `{}`", folder.display()))?;
    let paths = entries.map(|entry| entry.map(|entry| entry.path())).collect::<Result<Vec<_>, _>>();
    let mut paths = paths.with_context(|| format!("failed to read `{}`", folder.display()))?;
    paths.retain(|path| path.is_file() && path.extension().is_none_or(|ending| ending != "md"));
    paths.sort_unstable();
    Ok(paths)
}

/// The content of a file.
pub(super) fn read(file: &Path) -> anyhow::Result<Vec<u8>> {
    fs::read(file).with_context(|| format!("failed to read `{}`", file.display()))
}

/// A line of a dictionary as libFuzzer reads it: `"word"` or `name="word"`, with `\\`, `\"` and `\xAB`.
fn word(line: &str) -> Option<Vec<u8>> {
    let start = line.find('"')? + 1;
    let body = line.trim_end().get(start..)?.strip_suffix('"')?;
    unescaped(body)
}

/// The bytes of a text with the escapes of Rust's byte strings.
pub(super) fn unescaped(text: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'\\' {
            bytes.push(byte);
            continue;
        }
        bytes.push(match rest.next()? {
            b'x' => {
                let digit = |byte: u8| char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
                digit(rest.next()?)? << 4 | digit(rest.next()?)?
            }
            b'n' => b'\n',
            b'r' => b'\r',
            b't' => b'\t',
            b'0' => 0,
            byte @ (b'\\' | b'"' | b'\'') => byte,
            _ => return None,
        });
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::{unescaped, word};

    #[test]
    fn words_are_read_with_their_escapes() {
        assert_eq!(word(r#""a\x0a\"\\""#).unwrap(), b"a\n\"\\");
        assert_eq!(word(r#"tag="+k8s:" "#).unwrap(), b"+k8s:");
        for line in ["", "a", "\"", r#""\x0""#, r#""\q""#] {
            assert_eq!(word(line), None, "{line}");
        }
    }

    #[test]
    fn escaped_bytes_are_read_as_they_were() {
        let all: Vec<u8> = (0..=255).collect();
        assert_eq!(unescaped(&all.escape_ascii().to_string()).unwrap(), all);
    }
}
