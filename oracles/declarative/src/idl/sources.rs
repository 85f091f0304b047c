//! Where Go files come from.

use super::constraint;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Gives the files of packages by import path.
pub trait Sources {
    /// The Go files of the package with this import path, or none if it is not here.
    fn package_files(&self, import_path: &str) -> Option<PackageFiles>;

    /// Import paths of all packages that are here, sorted.
    fn packages(&self) -> Vec<String>;

    /// Whether a package may also be asked for by a tail of its import path (`core/v1` for `k8s.io/api/core/v1`).
    fn by_tail(&self) -> bool {
        false
    }
}

/// The files of one package.
#[derive(Debug)]
pub struct PackageFiles {
    /// What makes the package the same under several import paths: its folder.
    pub identity: String,
    /// The files in the order they are read; tests and generated helpers may be left out.
    pub files: Vec<GoFile>,
    /// Whether the package declares more than these files: a name that they lack is opaque instead of a fault.
    pub partial: bool,
}

/// One file.
#[derive(Debug)]
pub struct GoFile {
    /// Name for messages: a path the user recognises.
    pub name: Arc<str>,
    /// The text, or why it cannot be read.
    pub text: Result<String, std::io::Error>,
}

/// A folder of packages on disk: the import path of a package is the folder path below the root.
#[derive(Clone, Debug)]
pub struct Folder {
    root: PathBuf,
    prefix: Option<String>,
    texts: BTreeMap<String, String>,
}

impl Folder {
    /// A types root: packages are found by the path below `root`, and by any tail of a longer import path.
    #[must_use]
    pub fn new(root: impl Into<PathBuf>) -> Self {
        Self { root: root.into(), prefix: None, texts: BTreeMap::new() }
    }

    /// A root that holds the packages whose import path starts with `prefix` (`k8s.io/api/`), and no others.
    #[must_use]
    pub fn mounted(prefix: impl Into<String>, root: impl Into<PathBuf>) -> Self {
        Self { root: root.into(), prefix: Some(prefix.into()), texts: BTreeMap::new() }
    }

    /// Files that read otherwise than on disk, by the names that they have in messages.
    #[must_use]
    pub fn with_texts(self, texts: BTreeMap<String, String>) -> Self {
        Self { texts, ..self }
    }

    fn folder(&self, import_path: &str) -> Option<PathBuf> {
        let below = match &self.prefix {
            Some(prefix) => import_path.strip_prefix(prefix.as_str())?,
            None => import_path,
        };
        // `..` or an absolute path would leave the root.
        let inside = below.split('/').all(|part| !matches!(part, "" | "." | "..") && !part.contains(['\\', ':', '\0']));
        (inside || below.is_empty()).then(|| self.root.join(below))
    }
}

/// Go files of a folder that belong to a package, sorted by name.
fn go_files(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let mut files: Vec<PathBuf> = entries
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.file_name().and_then(|name| name.to_str()).is_some_and(constraint::file_belongs))
        .filter(|path| path.is_file())
        .collect();
    files.sort();
    files
}

impl Sources for Folder {
    fn package_files(&self, import_path: &str) -> Option<PackageFiles> {
        let folder = self.folder(import_path)?;
        let files = go_files(&folder);
        if files.is_empty() {
            return None;
        }
        let identity = fs::canonicalize(&folder).unwrap_or(folder).to_string_lossy().into_owned();
        let files = files
            .into_iter()
            .map(|path| {
                let name = path.to_string_lossy();
                let text =
                    self.texts.get(name.as_ref()).map_or_else(|| fs::read_to_string(&path), |text| Ok(text.clone()));
                GoFile { name: Arc::from(name.as_ref()), text }
            })
            .collect();
        Some(PackageFiles { identity, files, partial: false })
    }

    fn packages(&self) -> Vec<String> {
        /// Folders below the root that are visited; links in a circle end here.
        const MAX_DEPTH: usize = 24;
        let mut found = Vec::new();
        let mut open = vec![(self.root.clone(), String::new(), 0)];
        while let Some((folder, path, depth)) = open.pop() {
            if !go_files(&folder).is_empty() {
                found.push(format!("{}{path}", self.prefix.as_deref().unwrap_or_default()));
            }
            let Ok(entries) = fs::read_dir(&folder) else { continue };
            for entry in entries.flatten() {
                let name = entry.file_name().to_string_lossy().into_owned();
                // `testdata` and hidden folders are no packages to the go command either.
                if depth < MAX_DEPTH && !name.starts_with('.') && name != "testdata" && entry.path().is_dir() {
                    let below = if path.is_empty() { name } else { format!("{path}/{name}") };
                    open.push((entry.path(), below, depth + 1));
                }
            }
        }
        found.sort();
        found
    }

    fn by_tail(&self) -> bool {
        self.prefix.is_none()
    }
}

/// Packages in memory.
#[derive(Clone, Debug, Default)]
pub struct Memory {
    files: Vec<(String, String, String)>,
}

impl Memory {
    /// No packages.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a file `name` with `text` to the package with this import path.
    #[must_use]
    pub fn file(mut self, import_path: &str, name: &str, text: &str) -> Self {
        self.files.push((import_path.to_owned(), name.to_owned(), text.to_owned()));
        self
    }
}

impl Sources for Memory {
    fn package_files(&self, import_path: &str) -> Option<PackageFiles> {
        let files: Vec<GoFile> = self
            .files
            .iter()
            .filter(|(path, name, _)| path == import_path && constraint::file_belongs(name))
            .map(|(path, name, text)| GoFile { name: Arc::from(format!("{path}/{name}")), text: Ok(text.clone()) })
            .collect();
        (!files.is_empty()).then(|| PackageFiles { identity: import_path.to_owned(), files, partial: false })
    }

    fn packages(&self) -> Vec<String> {
        let mut paths: Vec<String> = self.files.iter().map(|(path, ..)| path.clone()).collect();
        paths.sort();
        paths.dedup();
        paths
    }
}

/// Looks for a package below the roots, first for its whole path and then for shorter tails of it, so that a one-word folder of
/// one root does not hide the package of another.
pub(super) fn find(roots: &[Box<dyn Sources>], path: &str) -> Option<PackageFiles> {
    // Paths of the standard library have no dot in the first element and never stand for a folder of another name.
    let tails: Vec<&str> = match path.split_once('/') {
        Some((host, _)) if host.contains('.') => {
            path.match_indices('/').filter_map(|(at, _)| path.get(at + 1..)).collect()
        }
        _ => Vec::new(),
    };
    let (long, short): (Vec<&str>, Vec<&str>) = tails.into_iter().partition(|tail| tail.contains('/'));
    let by_tail = |sources: &dyn Sources, tails: &[&str]| {
        tails.iter().filter(|_| sources.by_tail()).find_map(|tail| sources.package_files(tail))
    };
    let whole = roots.iter().find_map(|root| root.package_files(path).or_else(|| by_tail(root.as_ref(), &long)));
    whole.or_else(|| roots.iter().find_map(|root| by_tail(root.as_ref(), &short)))
}
