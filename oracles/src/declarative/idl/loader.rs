//! Loads packages and everything their types refer to.

use super::comments::Comments;
use super::constraint;
use super::diagnostic::{IdlDiagnostic, IdlError, IdlFault};
use super::graph::{Graph, Package, Unit};
use super::model::{self, Idl};
use super::parse;
use super::source::{Source, Span};
use super::sources::{PackageFiles, Sources};
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

/// Loads Go packages from roots into one type graph.
///
/// ```
/// use takeover_oracles::declarative::idl::{Loader, Memory};
///
/// let go = "package v1\n\ntype Widget struct {\n\t// +k8s:minimum=0\n\tSize int32 `json:\"size\"`\n}\n";
/// let idl = Loader::new().with(Memory::new().file("example.com/v1", "types.go", go)).load(["example.com/v1"]);
/// let idl = idl.into_result()?;
/// let widget = idl.schema.lookup("example.com/v1.Widget").ok_or("no widget")?;
/// assert_eq!(idl.types[widget.0 as usize].fields[0].tags[0].text.as_ref(), "k8s:minimum=0");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Default)]
pub struct Loader {
    sources: Vec<Box<dyn Sources>>,
}

/// What was loaded, as far as it could be read, and everything that is wrong with it.
#[derive(Debug)]
pub struct Loaded {
    /// The type graph; types that could not be read are opaque.
    pub idl: Idl,
    /// Faults, by file in load order, then by place.
    pub diagnostics: Vec<IdlDiagnostic>,
}

impl Loaded {
    /// The type graph if there is no error; warnings are dropped.
    ///
    /// # Errors
    /// With every diagnostic if one of them is an error.
    pub fn into_result(self) -> Result<Idl, IdlError> {
        if self.diagnostics.iter().any(IdlDiagnostic::is_error) {
            Err(IdlError::new(self.diagnostics))
        } else {
            Ok(self.idl)
        }
    }
}

impl Loader {
    /// A loader without roots.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a root; earlier ones win.
    #[must_use]
    pub fn with(mut self, sources: impl Sources + 'static) -> Self {
        self.sources.push(Box::new(sources));
        self
    }

    /// Import paths of all packages below the roots, in the order of the roots.
    #[must_use]
    pub fn packages(&self) -> Vec<String> {
        let mut all = Vec::new();
        for path in self.sources.iter().flat_map(|sources| sources.packages()) {
            if !all.contains(&path) {
                all.push(path);
            }
        }
        all
    }

    /// Loads these packages and, transitively, the packages their types refer to. A package that is referred to and
    /// not below any root is opaque; a package that is asked for and not there is a diagnostic.
    pub fn load<P: AsRef<str>>(&self, packages: impl IntoIterator<Item = P>) -> Loaded {
        let mut graph = Graph::new(Packages::new(self));
        for path in packages {
            let path = path.as_ref();
            if graph.package(path).is_none() {
                let message = format!("package `{path}` is not below any types root, or has no Go files");
                graph.diagnostics.push(IdlDiagnostic::without_place(IdlFault::MissingPackage, message));
            }
        }
        graph.finish()
    }

    /// Asks the roots: for the whole path and longer tails first, so that a one-word folder of one root does not hide
    /// the package of another.
    pub(in crate::declarative) fn find(&self, path: &str) -> Option<PackageFiles> {
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
        let whole = self.sources.iter().find_map(|s| s.package_files(path).or_else(|| by_tail(s.as_ref(), &long)));
        whole.or_else(|| self.sources.iter().find_map(|sources| by_tail(sources.as_ref(), &short)))
    }
}

/// The packages of one load, each read once.
pub(super) struct Packages<'l> {
    loader: &'l Loader,
    parser: tree_sitter::Parser,
    by_path: HashMap<String, Option<usize>>,
    by_identity: HashMap<String, usize>,
    pub(super) loaded: Vec<Rc<Package>>,
    pub(super) described: Vec<model::Package>,
}

impl<'l> Packages<'l> {
    fn new(loader: &'l Loader) -> Self {
        Self {
            loader,
            parser: parse::parser(),
            by_path: HashMap::new(),
            by_identity: HashMap::new(),
            loaded: Vec::new(),
            described: Vec::new(),
        }
    }

    /// Index of the package, and whether this call has loaded it.
    pub(super) fn get(&mut self, path: &str, diagnostics: &mut Vec<IdlDiagnostic>) -> Option<(usize, bool)> {
        if let Some(known) = self.by_path.get(path) {
            return known.map(|index| (index, false));
        }
        let Some(files) = self.loader.find(path) else {
            self.by_path.insert(path.to_owned(), None);
            return None;
        };
        let next = self.loaded.len();
        let index = *self.by_identity.entry(files.identity.clone()).or_insert(next);
        self.by_path.insert(path.to_owned(), Some(index));
        if index == next {
            self.read(path, files, diagnostics);
        }
        Some((index, index == next))
    }

    fn read(&mut self, path: &str, files: PackageFiles, diagnostics: &mut Vec<IdlDiagnostic>) {
        let mut package = Package { path: Arc::from(path), partial: files.partial, ..Package::default() };
        let mut doc = Vec::new();
        for file in files.files {
            let text = match file.text {
                Ok(text) => text,
                Err(error) => {
                    let message = format!("cannot read `{}`: {error}", file.name);
                    diagnostics.push(IdlDiagnostic::without_place(IdlFault::Unreadable, message));
                    continue;
                }
            };
            if only_generated_code(&text) {
                continue;
            }
            let source = Source::new(&file.name, &text);
            let comments = Comments::scan(&source);
            let clause = package_clause(&source.text);
            if !constraint::holds(comments.before(&source, clause)) {
                continue;
            }
            if file.name.rsplit(['/', '\\']).next() == Some("doc.go") {
                doc.extend(comments.all(&source));
            }
            let syntax = parse::parse(&mut self.parser, &source, &comments, diagnostics);
            package.add(Unit { source, comments, syntax }, diagnostics);
        }
        let name = Arc::from(package.name.as_str());
        self.described.push(model::Package { path: Arc::clone(&package.path), name, doc });
        self.loaded.push(Rc::new(package));
    }
}

/// Whether the file is marked as generated and declares neither types nor constants: protobuf marshalling and the like,
/// which make up most of the text of an API package.
fn only_generated_code(text: &str) -> bool {
    let generated = text
        .lines()
        .take_while(|line| !line.starts_with("package "))
        .any(|line| line.starts_with("// Code generated ") && line.trim_end().ends_with(" DO NOT EDIT."));
    generated && !text.lines().any(|line| line.starts_with("type ") || line.starts_with("const "))
}

/// Where the package clause starts; the end of the text without one.
fn package_clause(text: &str) -> usize {
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        if line.starts_with("package ") {
            return at;
        }
        at += line.len();
    }
    at
}

impl Package {
    fn add(&mut self, unit: Unit, diagnostics: &mut Vec<IdlDiagnostic>) {
        let file = self.units.len();
        if self.name.is_empty() {
            self.name.clone_from(&unit.syntax.package);
        }
        let types = unit.syntax.types.iter().map(|decl| (&decl.name, decl.at, true)).enumerate();
        let constants = unit.syntax.constants.iter().map(|decl| (&decl.name, decl.at, false)).enumerate();
        for (index, (name, at, is_type)) in types.chain(constants) {
            if name == "_" {
                continue;
            }
            if self.types.contains_key(name) || self.constants.contains_key(name) {
                redeclared(&unit.source, at, name, diagnostics);
            } else if is_type {
                self.types.insert(name.clone(), (file, index));
            } else {
                self.constants.insert(name.clone(), (file, index));
            }
        }
        self.units.push(unit);
    }
}

fn redeclared(source: &Source, at: Span, name: &str, diagnostics: &mut Vec<IdlDiagnostic>) {
    let message = format!("`{name}` is declared twice in this package; this declaration is ignored");
    diagnostics.push(IdlDiagnostic::at(IdlFault::Redeclared, source, at, message));
}
