//! Packages as they are read: their files, and where each declaration stands.

use super::comments::Comments;
use super::constraint;
use super::diagnostic::{IdlDiagnostic, IdlFault};
use super::model;
use super::parse;
use super::source::{Source, Span};
use super::sources::{self, PackageFiles, Sources};
use super::syntax::File;
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

/// One file of a package.
#[derive(Debug)]
pub(super) struct Unit {
    pub(super) source: Source,
    pub(super) comments: Comments,
    pub(super) syntax: File,
}

/// One package; values of the maps are the index of the file and the index in its list.
#[derive(Debug, Default)]
pub(super) struct Package {
    pub(super) path: Arc<str>,
    pub(super) name: String,
    /// Whether there is more of it elsewhere.
    pub(super) partial: bool,
    pub(super) units: Vec<Unit>,
    pub(super) types: HashMap<String, (usize, usize)>,
    pub(super) constants: HashMap<String, (usize, usize)>,
}

/// The packages of one load, each read once.
pub(super) struct Packages<'l> {
    sources: &'l [Box<dyn Sources>],
    parser: tree_sitter::Parser,
    by_path: HashMap<String, Option<usize>>,
    by_identity: HashMap<String, usize>,
    pub(super) loaded: Vec<Rc<Package>>,
    pub(super) described: Vec<model::Package>,
}

impl<'l> Packages<'l> {
    pub(super) fn new(sources: &'l [Box<dyn Sources>]) -> Self {
        Self {
            sources,
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
        let Some(files) = sources::find(self.sources, path) else {
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
            // Tags of the package stand in doc.go, or, as kubebuilder writes them, above the package clause of any file.
            if file.name.rsplit(['/', '\\']).next() == Some("doc.go") {
                doc.extend(comments.all(&source));
            } else {
                doc.extend(comments.closest(&source, source.line(clause)));
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
