//! From paths to packages: a Go file, a package or a tree of packages, and the import path of each.

use anyhow::{Context as _, bail};
use std::collections::{BTreeSet, HashMap};
use std::fs;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;
use takeover_oracles::declarative::idl::{Folder, GoFile, Loader, PackageFiles, Sources, builtin};
use takeover_oracles::declarative::lint::{Exceptions, shipped_exceptions};

/// Name of the exceptions file that is read without being named.
const EXCEPTIONS: &str = "lint-exceptions.toml";

/// What to lint.
pub struct Inputs {
    /// Finds the packages, and those they refer to.
    pub loader: Loader,
    /// Import paths of the packages to lint.
    pub packages: Vec<String>,
    /// Files that findings are about; none for all.
    pub files: Option<BTreeSet<String>>,
    /// Findings that are intended: those of the folders, or of the built-in types.
    pub exceptions: Exceptions,
}

impl Inputs {
    /// The built-in types with their exceptions.
    fn builtin() -> anyhow::Result<Self> {
        let loader = Loader::new().with(builtin());
        Ok(Self { packages: loader.packages(), loader, files: None, exceptions: shipped_exceptions()? })
    }

    /// Restricts linting to these packages. Paths are compared from the end, because the module is unknown where folders alone name a package.
    pub fn keep(&mut self, packages: &BTreeSet<&str>) {
        let ends =
            |path: &str, end: &str| path.strip_suffix(end).is_some_and(|rest| rest.is_empty() || rest.ends_with('/'));
        self.packages.retain(|own| packages.iter().any(|kept| ends(own, kept) || ends(kept, own)));
    }
}

/// The packages that `paths` mean; without paths the built-in ones. `prefix` is the import path of each path, where neither a
/// `go.mod` nor the layout of the folders says it.
///
/// # Errors
/// When a path is not there or contains no Go package, or an exceptions file beside it cannot be read.
pub fn resolve(paths: &[PathBuf], prefix: Option<&str>) -> anyhow::Result<Inputs> {
    if paths.is_empty() {
        return Inputs::builtin();
    }
    let here = std::env::current_dir().context("failed to find the working folder")?;
    let mut mounts: Vec<Mount> = Vec::new();
    let mut packages = Vec::new();
    let mut files = Some(BTreeSet::new());
    let mut exceptions = Exceptions::default();
    let mut read = BTreeSet::new();
    for path in paths {
        let kind = fs::metadata(path).with_context(|| format!("failed to read `{}`", path.display()))?;
        let whole = std::path::absolute(path).with_context(|| format!("failed to find `{}`", path.display()))?;
        let whole = normal(&whole);
        let folder = if kind.is_dir() {
            files = None;
            whole
        } else {
            if whole.extension().is_none_or(|extension| extension != "go") {
                bail!("`{}` is neither a folder nor a Go file", path.display());
            }
            if let Some(files) = &mut files {
                files.insert(shown(&whole, &here));
            }
            whole.parent().map(Path::to_path_buf).unwrap_or_default()
        };
        let below = if kind.is_dir() { packages_below(&folder) } else { vec![folder.clone()] };
        if below.is_empty() {
            bail!("`{}` contains no Go package", path.display());
        }
        let mut known: HashMap<PathBuf, Option<Mount>> = HashMap::new();
        for package in below {
            let mount = match prefix {
                Some(prefix) => Mount { prefix: prefix.trim_matches('/').to_owned(), root: folder.clone() },
                None => declared(&package, &mut known).unwrap_or_else(|| Mount::guess(&folder)),
            };
            packages.extend(mount.import_path(&package));
            if !mounts.contains(&mount) {
                mounts.push(mount);
            }
        }
        if let Some(file) = nearest_exceptions(&folder, &mounts)
            && read.insert(file.clone())
        {
            exceptions.extend(read_exceptions(&[PathBuf::from(shown(&file, &here))])?);
        }
    }
    packages.sort();
    packages.dedup();
    let neighbours: Vec<Mount> = mounts.iter().flat_map(Mount::neighbours).collect();
    mounts.extend(neighbours);
    let loader = mounts.into_iter().fold(Loader::new(), |loader, mount| loader.with(Tree::new(mount, here.clone())));
    // Packages of the API machinery that are not there are the built-in ones.
    Ok(Inputs { loader: loader.with(builtin().stand_in()), packages, files, exceptions })
}

/// The exceptions file in the folder, or in the nearest one above up to the root of its packages.
fn nearest_exceptions(folder: &Path, mounts: &[Mount]) -> Option<PathBuf> {
    let root = mounts.iter().map(|mount| &mount.root).filter(|root| folder.starts_with(root)).min();
    let inside = folder.ancestors().take_while(|above| root.map_or(*above == folder, |root| above.starts_with(root)));
    inside.map(|above| above.join(EXCEPTIONS)).find(|file| file.is_file())
}

/// Reads files of exceptions.
///
/// # Errors
/// When one cannot be read, or is none.
pub fn read_exceptions(files: &[PathBuf]) -> anyhow::Result<Exceptions> {
    let mut all = Exceptions::default();
    for file in files {
        let text = fs::read_to_string(file).with_context(|| format!("failed to read `{}`", file.display()))?;
        all.extend(Exceptions::parse(&file.to_string_lossy(), &text)?);
    }
    Ok(all)
}

/// Without `.` and `..`, as far as the text tells.
fn normal(path: &Path) -> PathBuf {
    let mut normal = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                normal.pop();
            }
            part => normal.push(part),
        }
    }
    normal
}

/// A file as the user knows it: below the working folder without it.
fn shown(file: &Path, here: &Path) -> String {
    file.strip_prefix(here).unwrap_or(file).to_string_lossy().into_owned()
}

/// Folders at and below `folder` that hold Go files, as the go command finds packages.
pub(super) fn packages_below(folder: &Path) -> Vec<PathBuf> {
    let ignored = |path: &str| path.split('/').any(|part| part == "vendor" || part.starts_with('_'));
    let below = Folder::new(folder).packages();
    below.iter().filter(|path| !ignored(path)).map(|path| normal(&folder.join(path))).collect()
}

/// A folder and the import path of what is in it.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Mount {
    /// Import path of the root; empty when folders below it spell whole import paths.
    prefix: String,
    root: PathBuf,
}

impl Mount {
    fn import_path(&self, package: &Path) -> Option<String> {
        let below = package.strip_prefix(&self.root).ok()?;
        let parts = below.components().map(|part| part.as_os_str().to_string_lossy().into_owned());
        let prefix = (!self.prefix.is_empty()).then(|| self.prefix.clone());
        Some(prefix.into_iter().chain(parts).collect::<Vec<_>>().join("/"))
    }

    /// Other packages that those of a module refer to: vendored ones, and modules beside it.
    fn neighbours(&self) -> Vec<Self> {
        if module(&self.root).is_none() {
            return Vec::new();
        }
        let trees = ["staging/src", "vendor"].map(|below| self.root.join(below)).into_iter();
        let trees = trees.filter(|tree| tree.is_dir()).map(|root| Self { prefix: String::new(), root });
        let beside = self.root.parent().and_then(|parent| fs::read_dir(parent).ok()).into_iter().flatten().flatten();
        let mut beside: Vec<Self> =
            beside.filter_map(|entry| module(&entry.path())).filter(|other| other != self).collect();
        beside.sort_by(|a, b| a.root.cmp(&b.root));
        trees.chain(beside).collect()
    }

    /// Where nothing says it: from the folder that is named like a host on (`example.com`), else below a tree, else group and
    /// version.
    fn guess(folder: &Path) -> Self {
        let host =
            folder.ancestors().find(|folder| folder.file_name().is_some_and(|name| is_host(&name.to_string_lossy())));
        let is_package = !Folder::new(folder).packages().is_empty() && has_go_files(folder);
        let root = match host {
            Some(host) => host.parent(),
            None if is_package => folder.parent().and_then(|group| group.parent().or(Some(group))),
            None => Some(folder),
        };
        Self { prefix: String::new(), root: root.unwrap_or(folder).to_path_buf() }
    }
}

fn has_go_files(folder: &Path) -> bool {
    let Ok(entries) = fs::read_dir(folder) else { return false };
    entries.flatten().any(|entry| entry.path().extension().is_some_and(|extension| extension == "go"))
}

fn is_host(name: &str) -> bool {
    let letters = |text: &str| text.chars().all(|c| c.is_ascii_alphanumeric() || c == '-');
    name.rsplit_once('.').is_some_and(|(before, last)| {
        last.len() > 1
            && last.chars().all(|c| c.is_ascii_alphabetic())
            && before.split('.').all(|part| !part.is_empty() && letters(part))
    })
}

/// The mount that files say: the nearest `go.mod`, or the layout of the built-in types.
fn declared(folder: &Path, known: &mut HashMap<PathBuf, Option<Mount>>) -> Option<Mount> {
    if let Some(mount) = known.get(folder) {
        return mount.clone();
    }
    let own = module(folder).or_else(|| {
        // `apimachinery` beside the groups; packages of it have a root of their own.
        let is_idl = |root: &Path| root.join("apimachinery/pkg/apis/meta/v1").is_dir();
        if folder.file_name().is_some_and(|name| name == "apimachinery") && folder.parent().is_some_and(is_idl) {
            Some(Mount { prefix: "k8s.io/apimachinery".to_owned(), root: folder.to_path_buf() })
        } else {
            is_idl(folder).then(|| Mount { prefix: "k8s.io/api".to_owned(), root: folder.to_path_buf() })
        }
    });
    let mount = own.or_else(|| declared(folder.parent()?, known));
    known.insert(folder.to_path_buf(), mount.clone());
    mount
}

/// The module whose `go.mod` is in the folder.
fn module(folder: &Path) -> Option<Mount> {
    let text = fs::read_to_string(folder.join("go.mod")).ok()?;
    let line = text.lines().find_map(|line| line.trim().strip_prefix("module"))?;
    let name = line.split("//").next()?.trim().trim_matches(['"', '`']);
    (!name.is_empty()).then(|| Mount { prefix: name.to_owned(), root: folder.to_path_buf() })
}

/// The packages of a mount, with file names as the user knows them.
struct Tree {
    mount: Mount,
    folder: Folder,
    here: PathBuf,
}

impl Tree {
    fn new(mount: Mount, here: PathBuf) -> Self {
        let folder = if mount.prefix.is_empty() {
            Folder::new(&mount.root)
        } else {
            Folder::mounted(format!("{}/", mount.prefix), &mount.root)
        };
        Self { mount, folder, here }
    }
}

impl Sources for Tree {
    fn package_files(&self, import_path: &str) -> Option<PackageFiles> {
        // The root of a module is a package too.
        let root =
            (!self.mount.prefix.is_empty() && import_path == self.mount.prefix).then(|| format!("{import_path}/"));
        let mut files = self.folder.package_files(root.as_deref().unwrap_or(import_path))?;
        let rename = |file: GoFile| GoFile { name: Arc::from(shown(Path::new(&*file.name), &self.here)), ..file };
        files.files = files.files.into_iter().map(rename).collect();
        Some(files)
    }

    fn packages(&self) -> Vec<String> {
        self.folder.packages()
    }

    fn by_tail(&self) -> bool {
        self.folder.by_tail()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_are_names_with_a_dot_and_a_word_behind_it() {
        for (name, host) in [
            ("example.com", true),
            ("k8s.io", true),
            ("sub.k8s.io", true),
            ("api", false),
            (".tmp", false),
            ("v1.36", false),
            ("a.b", false),
            ("x_y.com", false),
            (".hidden.com", false),
        ] {
            assert_eq!(is_host(name), host, "{name}");
        }
    }

    #[test]
    fn paths_lose_their_dots() {
        for (path, expected) in [("/a/./b/../c", "/a/c"), ("/..", "/"), ("/a/b/", "/a/b")] {
            assert_eq!(normal(Path::new(path)), Path::new(expected), "{path}");
        }
    }
}
