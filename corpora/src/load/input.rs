//! What the user names: files, folders, standard input.

use super::error::{Fault, LoadError, LoadErrorKind};
use super::open::{self, Plain};
use std::collections::HashSet;
use std::fmt;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Component, Path, PathBuf};
use walkdir::{DirEntry, WalkDir};

/// Something to load from.
pub struct Input(Kind);

enum Kind {
    Path(PathBuf),
    Stream { name: String, bytes: Box<dyn Read + Send> },
}

impl fmt::Debug for Input {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Input").field(&self.to_string()).finish()
    }
}

/// The name of the input.
impl fmt::Display for Input {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Kind::Path(path) => write!(f, "{}", path.display()),
            Kind::Stream { name, .. } => f.write_str(name),
        }
    }
}

impl Input {
    /// An input as named on a command line: a file, a folder, `-` for standard input, or a pattern such as `shop/**/*.yaml`
    /// (`*`, `?`, `[…]`; `**` for any number of folders) for those that it matches, in the order of their names. What exists is
    /// no pattern, whatever its name.
    #[must_use]
    pub fn named(name: impl Into<PathBuf>) -> Self {
        let name = name.into();
        if name.as_os_str() == "-" { Self::stream("-", io::stdin()) } else { Self(Kind::Path(name)) }
    }

    /// Whether there is something of this name, before anything is read. Standard input always is.
    ///
    /// # Errors
    /// Returns an error when a file or folder does not exist, or a pattern is broken or matches nothing.
    pub fn check(name: &Path) -> Result<(), LoadError> {
        if name.as_os_str() == "-" {
            return Ok(());
        }
        match (std::fs::metadata(name), pattern(name)) {
            (Ok(_), _) => Ok(()),
            (Err(error), None) => Err(unreadable(name, &error)),
            (Err(_), Some(pattern)) => {
                let mut fault = None;
                for found in matches(pattern) {
                    match found {
                        Ok(_) => return Ok(()),
                        Err(error) => fault = fault.or(Some(error)),
                    }
                }
                Err(fault.unwrap_or_else(|| nothing_matches(pattern)))
            }
        }
    }

    /// Bytes from elsewhere. The ending of `name` says what they are, as with a file; without a known ending, a first `{`
    /// means JSON and anything else YAML.
    #[must_use]
    pub fn stream(name: impl Into<String>, bytes: impl Read + Send + 'static) -> Self {
        Self(Kind::Stream { name: name.into(), bytes: Box::new(bytes) })
    }
}

/// The files that [`load`](super::load) reads for `paths`, under the names that provenance gives them, in the order of reading.
/// What cannot be opened is listed too. Standard input (`-`) is listed and left alone.
#[must_use]
pub fn files(paths: &[PathBuf]) -> Vec<String> {
    let mut files = Vec::new();
    for path in paths {
        if path.as_os_str() == "-" {
            files.push("-".to_owned());
            continue;
        }
        files.extend(Sources::new(vec![Input::named(path)]).map(|source| match source {
            Ok(source) => source.name,
            Err(error) => error.path().to_owned(),
        }));
    }
    files
}

/// Whether a file of this name is read when it is found below a folder: its ending says what it holds. Logs are not: most are not for us.
#[must_use]
pub fn is_recorded_name(name: &str) -> bool {
    !matches!(Format::of(name), Format::Unknown | Format::Log)
}

/// Whether a file of this name has an object a line, and can be read from any line on.
#[must_use]
pub fn is_uncompressed_lines(name: &str) -> bool {
    let (inner, compressed) = open::inner_name(name);
    compressed.is_none() && Format::of(inner) == Format::JsonLines
}

/// How a file is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Format {
    Yaml,
    Json,
    JsonLines,
    /// JSON Lines, as a server writes audit logs, when it begins with `{`.
    Log,
    /// Told by the first byte.
    Unknown,
}

impl Format {
    /// What the ending of a file name says, below the ending of a compression.
    pub(super) fn of(name: &str) -> Self {
        let (inner, _) = open::inner_name(name);
        match inner.rsplit_once('.').map(|(_, ending)| ending) {
            Some("yaml" | "yml") => Self::Yaml,
            Some("json") => Self::Json,
            Some("jsonl" | "ndjson") => Self::JsonLines,
            Some("log") => Self::Log,
            _ => Self::Unknown,
        }
    }
}

/// An opened file.
pub(super) struct Source {
    pub(super) name: String,
    pub(super) format: Format,
    pub(super) bytes: Plain,
}

/// Opens one file after the other; folders are walked as it goes.
pub(super) struct Sources {
    inputs: std::vec::IntoIter<Input>,
    /// What is left of the matches of a pattern.
    matches: Option<Matches>,
    folder: Option<Folder>,
}

type Matches = Box<dyn Iterator<Item = Result<PathBuf, LoadError>> + Send>;

struct Folder {
    name: String,
    entries: Box<dyn Iterator<Item = walkdir::Result<DirEntry>> + Send>,
    files: u64,
    faults: u64,
}

impl Sources {
    pub(super) fn new(inputs: Vec<Input>) -> Self {
        Self { inputs: inputs.into_iter(), matches: None, folder: None }
    }
}

impl Iterator for Sources {
    type Item = Result<Source, LoadError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(folder) = &mut self.folder {
                match folder.next_file() {
                    Some(found) => return Some(found),
                    None => {
                        let empty = folder.files == 0 && folder.faults == 0;
                        let name = std::mem::take(&mut folder.name);
                        self.folder = None;
                        if empty {
                            return Some(Err(nothing_in_folder(&name)));
                        }
                    }
                }
            }
            let path = match self.matches.as_mut().and_then(Iterator::next) {
                Some(Ok(path)) => path,
                Some(Err(error)) => return Some(Err(error)),
                None => {
                    self.matches = None;
                    match self.inputs.next()?.0 {
                        Kind::Stream { name, bytes } => return Some(open_stream(name, bytes)),
                        Kind::Path(path) => path,
                    }
                }
            };
            match std::fs::metadata(&path) {
                Ok(metadata) if metadata.is_dir() => self.folder = Some(Folder::new(&path)),
                Ok(_) => return Some(open_file(&path)),
                Err(error) => match pattern(&path) {
                    None => return Some(Err(unreadable(&path, &error))),
                    Some(pattern) => {
                        let mut found = matches(pattern).peekable();
                        if found.peek().is_none() {
                            return Some(Err(nothing_matches(pattern)));
                        }
                        self.matches = Some(Box::new(found));
                    }
                },
            }
        }
    }
}

impl Folder {
    fn new(path: &Path) -> Self {
        let entries = WalkDir::new(path)
            .follow_links(true)
            .sort_by_file_name()
            .into_iter()
            .filter_entry(|entry| entry.depth() == 0 || !hidden(entry));
        Self { name: path.display().to_string(), entries: Box::new(entries), files: 0, faults: 0 }
    }

    fn next_file(&mut self) -> Option<Result<Source, LoadError>> {
        loop {
            match self.entries.next()? {
                Ok(entry) => {
                    let known = Format::of(&entry.path().to_string_lossy()) != Format::Unknown;
                    if entry.file_type().is_file() && known {
                        let source = open_file(entry.path());
                        // Most logs are not for us.
                        if source.as_ref().is_ok_and(|source| source.format == Format::Log) {
                            continue;
                        }
                        self.files += 1;
                        return Some(source);
                    }
                }
                Err(error) => {
                    self.faults += 1;
                    let path = error.path().map_or_else(|| self.name.clone(), |path| path.display().to_string());
                    let fault = Fault::new(LoadErrorKind::Unreadable, format!("failed to walk the folder: {error}"));
                    return Some(Err(LoadError::new(path, fault)));
                }
            }
        }
    }
}

/// The pattern that a path is, if it is one.
fn pattern(path: &Path) -> Option<&str> {
    path.to_str().filter(|path| path.contains(['*', '?', '[']))
}

/// What a pattern matches, in the order of the names; hidden files and folders only where the pattern says so.
fn matches(pattern: &str) -> impl Iterator<Item = Result<PathBuf, LoadError>> + Send + use<> {
    let options =
        glob::MatchOptions { require_literal_leading_dot: true, require_literal_separator: true, ..Default::default() };
    let name = pattern.to_owned();
    let fault = |detail: String| Fault::new(LoadErrorKind::Unreadable, detail);
    let (found, broken) = match glob::glob_with(pattern, options) {
        Ok(found) => (Some(found), None),
        Err(error) => (None, Some(Err(LoadError::new(pattern, fault(format!("not a pattern: {error}")))))),
    };
    let mut loops = Loops::default();
    let found = found.into_iter().flatten().filter_map(move |path| match path {
        Ok(path) if loops.hold(&path) => loops.is_news().then(|| {
            let message =
                "the pattern follows a link to a folder that contains the link; what is behind it is left out";
            Err(LoadError::new(path.display().to_string(), fault(message.to_owned())))
        }),
        Ok(path) => Some(Ok(path)),
        Err(error) => Some(Err(LoadError::new(name.as_str(), fault(format!("failed to look for files: {error}"))))),
    });
    broken.into_iter().chain(found)
}

/// Finds paths that come through a folder twice, which a link upwards makes possible without end.
#[derive(Default)]
struct Loops {
    /// The folder that was looked at last, and whether a path in it does so: matches come folder by folder.
    last: Option<(PathBuf, bool)>,
    told: bool,
}

impl Loops {
    fn hold(&mut self, path: &Path) -> bool {
        let Some(folder) = path.parent() else { return false };
        if let Some((last, held)) = &self.last
            && last == folder
        {
            return *held;
        }
        let mut met = HashSet::new();
        let above = folder.ancestors().filter(|above| !above.as_os_str().is_empty());
        // `a/.` and `a/b/..` come to a folder again without a link.
        let plain = above.filter(|above| matches!(above.components().next_back(), Some(Component::Normal(_))));
        let held = plain.filter_map(|above| above.canonicalize().ok()).any(|real| !met.insert(real));
        self.last = Some((folder.to_owned(), held));
        held
    }

    /// Whether this is the first that is told of.
    fn is_news(&mut self) -> bool {
        !std::mem::replace(&mut self.told, true)
    }
}

fn nothing_matches(pattern: &str) -> LoadError {
    LoadError::new(pattern, Fault::new(LoadErrorKind::NothingFound, "the pattern matches no file or folder"))
}

fn hidden(entry: &DirEntry) -> bool {
    entry.file_name().as_encoded_bytes().first() == Some(&b'.')
}

fn nothing_in_folder(name: &str) -> LoadError {
    LoadError::new(
        name,
        Fault::new(
            LoadErrorKind::NothingFound,
            "the folder contains no file ending in .yaml, .yml, .json, .jsonl or .ndjson and no audit log in a .log, plain or with .gz or .zst",
        ),
    )
}

fn unreadable(path: &Path, error: &io::Error) -> LoadError {
    LoadError::new(
        path.display().to_string(),
        Fault::new(LoadErrorKind::Unreadable, format!("failed to open: {error}")),
    )
}

fn open_file(path: &Path) -> Result<Source, LoadError> {
    let file = File::open(path).map_err(|error| unreadable(path, &error))?;
    open_stream(path.display().to_string(), Box::new(file))
}

fn open_stream(name: String, raw: Box<dyn Read + Send>) -> Result<Source, LoadError> {
    let opened = open::plain(&name, raw).and_then(|mut bytes| {
        let format = match Format::of(&name) {
            Format::Unknown if begins_a_map(&mut bytes)? => Format::Json,
            Format::Unknown => Format::Yaml,
            Format::Log if begins_a_map(&mut bytes)? => Format::JsonLines,
            known => known,
        };
        Ok((format, bytes))
    });
    match opened {
        Ok((format, bytes)) => Ok(Source { name, format, bytes }),
        Err(fault) => Err(LoadError::new(name, fault)),
    }
}

fn begins_a_map(bytes: &mut Plain) -> Result<bool, Fault> {
    let start = bytes.fill_buf().map_err(|error| Fault::unreadable(&error))?;
    Ok(start.iter().find(|byte| !byte.is_ascii_whitespace()) == Some(&b'{'))
}

#[cfg(all(test, unix))]
mod tests {
    use super::{Input, files};
    use std::fs;
    use std::os::unix::fs::symlink;

    #[test]
    fn a_pattern_does_not_come_through_a_link_upwards_again() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        fs::create_dir_all(root.join("a/b")).unwrap();
        fs::create_dir(root.join("c")).unwrap();
        fs::write(root.join("a/b/x.yaml"), "").unwrap();
        symlink("..", root.join("a/b/up")).unwrap();
        symlink("../a/b", root.join("c/aside")).unwrap();
        let pattern = root.join("**/*.yaml");
        Input::check(&pattern).unwrap();
        let found: Vec<String> = super::matches(pattern.to_str().unwrap())
            .map(|found| match found {
                Ok(path) => path.strip_prefix(root).unwrap().display().to_string(),
                Err(error) => error.to_string(),
            })
            .collect();
        assert_eq!(found.iter().filter(|name| name.ends_with("x.yaml")).count(), 2, "{found:?}");
        assert_eq!(found.iter().filter(|name| name.contains("a link to a folder")).count(), 1, "{found:?}");
        assert_eq!(files(&[pattern]).iter().filter(|name| name.ends_with("x.yaml")).count(), 3);
    }
}
