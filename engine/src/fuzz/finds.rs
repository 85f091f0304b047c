//! Finds as files that people read and tests replay.
//!
//! An input that breaks an equivalence becomes a case that the loaders read, as small as it can be made. Every other input
//! becomes text: lines that begin with `|` and continue with the bytes, escaped as in Rust's byte strings.

use super::checks::{Broken, Equivalence, Target};
use super::folder::{Folder, files_in, read, unescaped};
use super::plan::Found;
use crate::run_folder::write_whole;
use anyhow::Context as _;
use std::fs;
use std::io::Cursor;
use std::path::{Path, PathBuf};
use takeover_corpora::load::{self, Input, Limits, LoadedCase};
use takeover_corpora::minimise::to_yaml;
use takeover_harness::case::Case;
use takeover_harness::format::Format;
use takeover_harness::subject::SubjectId;
use takeover_reports::printable_text as printable;

/// The beginning of the first line of a text file. The version of the format follows, except in files older than versions.
const HEADER: &str = "# takeover find ";

/// The format of text files. Cases have the version of their kind.
const FORMAT: Format = Format { name: "find", major: 1, minor: 0, remedy: "fuzz again from the input that it shows" };

/// How often a smaller input is tried.
const MOST_TRIES: usize = 3_000;

/// Characters of an explanation that are kept.
const MOST_DETAIL: usize = 300;

/// Writes a find, as small as it can be made; the path is below the repository.
pub(super) fn write(
    found: &Found,
    target: Target,
    equivalence: &Equivalence,
    folder: &Folder,
) -> anyhow::Result<PathBuf> {
    let (ending, text) = match &found.broken {
        Ok(broken) => match case_text(found, broken, target, equivalence) {
            Some(text) => ("yaml", text),
            None => ("txt", bytes_text(&smallest(&found.data, broken, target, equivalence), broken)),
        },
        Err(why) => {
            let broken = Broken { what: format!("no end: {why}"), detail: "not tried again".to_owned() };
            ("txt", bytes_text(&found.data, &broken))
        }
    };
    let place = folder.finds(target);
    fs::create_dir_all(&place).with_context(|| format!("failed to create `{}`", place.display()))?;
    let hash = blake3::hash(text.as_bytes()).to_hex();
    let file = place.join(format!("{}.{ending}", hash.get(..12).unwrap_or_default()));
    write_whole(&file, text.as_bytes())?;
    Ok(file)
}

/// Returns the find as a case; none if it is not one or would be read differently.
fn case_text(found: &Found, broken: &Broken, target: Target, equivalence: &Equivalence) -> Option<String> {
    if target != Target::Equivalence {
        return None;
    }
    let same = |subject: &SubjectId, case: &Case| {
        equivalence.examine(subject, case).is_err_and(|other| other.what == broken.what)
    };
    let (subject, case) = equivalence.case(&found.data);
    // A file is of the kind that its object says it is.
    let named = named(&case, subject);
    let case = if same(subject, &named) { named } else { case };
    let case = equivalence.minimise(subject, &case, broken);
    let text = format!("{}{}", heading(broken), to_yaml(&load::document_of(&case, &subject.subresource)));
    let (again, case) = case_of(text.as_bytes(), "a find").ok()?;
    (again == *subject && same(&again, &case)).then_some(text)
}

/// The case with objects that say of which version and kind they are.
pub(super) fn named(case: &Case, subject: &SubjectId) -> Case<'static> {
    let mut case = case.clone().kept();
    for payload in std::iter::once(&mut case.object).chain(&mut case.old) {
        let Ok(mut object) = payload.to_value() else { continue };
        if let Some(members) = object.as_object_mut() {
            members.insert("apiVersion".to_owned(), subject.api_version.as_str().into());
            members.insert("kind".to_owned(), subject.kind.as_str().into());
        }
        *payload = object.into();
    }
    case
}

fn bytes_text(data: &[u8], broken: &Broken) -> String {
    let mut text = format!("{HEADER}{}\n{}", FORMAT.version(), heading(broken));
    for line in data.split_inclusive(|byte| *byte == b'\n') {
        text.push('|');
        text.push_str(&line.escape_ascii().to_string());
        text.push('\n');
    }
    text
}

/// The properties that did not hold, as comments.
pub(super) fn heading(broken: &Broken) -> String {
    let line = |text: &str| {
        let text: String = text.chars().take(MOST_DETAIL).collect();
        format!("# {}\n", printable(&text).replace('\n', " "))
    };
    line(&broken.what) + &line(&broken.detail)
}

/// Cuts pieces out of `data`, halves first and single bytes last, as long as the same property still fails.
fn smallest(data: &[u8], broken: &Broken, target: Target, equivalence: &Equivalence) -> Vec<u8> {
    let mut best = data.to_vec();
    let mut tries = 0;
    let mut piece = best.len();
    while piece > 0 && tries < MOST_TRIES {
        let mut from = 0;
        let mut cut = false;
        while from < best.len() && tries < MOST_TRIES {
            tries += 1;
            let mut shorter = best.clone();
            shorter.drain(from..best.len().min(from + piece));
            if target.attempt(&shorter, equivalence).is_err_and(|other| other.what == broken.what) {
                best = shorter;
                cut = true;
            } else {
                from += piece;
            }
        }
        if !cut {
            piece /= 2;
        }
    }
    best
}

/// Returns the finds that are raw inputs, for a driver to start from.
pub(super) fn raw(target: Target, folder: &Folder) -> anyhow::Result<Vec<Vec<u8>>> {
    let files = files_in(&folder.finds(target))?;
    files.iter().filter(|file| is(file, "txt")).map(|file| bytes_of(file)).collect()
}

pub(super) fn is(file: &Path, ending: &str) -> bool {
    file.extension().is_some_and(|found| found == ending)
}

/// The input that a text file holds.
pub(super) fn bytes_of(file: &Path) -> anyhow::Result<Vec<u8>> {
    let text = String::from_utf8(read(file)?).with_context(|| format!("`{}` is not text", file.display()))?;
    if let Some(version) = text.lines().next().and_then(|line| line.strip_prefix(HEADER)) {
        FORMAT.check_version(version).with_context(|| format!("failed to parse `{}`", file.display()))?;
    }
    let mut bytes = Vec::new();
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let part = line.strip_prefix('|').and_then(unescaped);
        bytes.extend(part.with_context(|| {
            format!("`{}` has a line that is neither `#` nor `|` and escaped bytes", file.display())
        })?);
    }
    Ok(bytes)
}

/// The case that a YAML file holds, and the subject that it belongs to.
pub(super) fn case_of(text: &[u8], name: &str) -> anyhow::Result<(SubjectId, Case<'static>)> {
    let input = Input::stream("find.yaml", Cursor::new(text.to_vec()));
    let cases: Result<Vec<LoadedCase>, _> = load::load(vec![input], Limits::default()).cases().collect();
    let mut cases = cases.with_context(|| format!("`{name}` cannot be read"))?;
    match (cases.pop(), cases.pop()) {
        (Some(loaded), None) => {
            let id = SubjectId::new(loaded.api_version, loaded.kind).with_subresource(loaded.subresource);
            Ok((id, loaded.case))
        }
        _ => anyhow::bail!("`{name}` holds more than one case"),
    }
}

#[cfg(test)]
mod tests {
    use super::{Broken, bytes_of, bytes_text};

    #[test]
    fn any_bytes_are_read_from_the_text_that_was_written() {
        let folder = tempfile::tempdir().unwrap();
        let broken = Broken { what: "a\nlaw".to_owned(), detail: "\u{1b}[31m".to_owned() };
        for data in [&b""[..], b"\n", b"a\n|b\\\"#", &(0..=255).collect::<Vec<u8>>()] {
            let file = folder.path().join("find.txt");
            std::fs::write(&file, bytes_text(data, &broken)).unwrap();
            assert_eq!(bytes_of(&file).unwrap(), data);
        }
        let read = |text: &str| {
            std::fs::write(folder.path().join("find.txt"), text).unwrap();
            bytes_of(&folder.path().join("find.txt")).map_err(|error| format!("{error:#}"))
        };
        assert_eq!(read("# a law\n# of before there were versions\n|a\\n\n").unwrap(), b"a\n");
        assert!(read("# takeover find 2.0\n|a\n").unwrap_err().contains("find.txt`: too new: `find` of format 2.0"));
        std::fs::write(folder.path().join("find.txt"), "oops\n").unwrap();
        assert!(bytes_of(&folder.path().join("find.txt")).unwrap_err().to_string().contains("neither"));
    }
}
