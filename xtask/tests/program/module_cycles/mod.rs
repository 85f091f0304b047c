//! No cycles between the modules of a crate: of two neighbours, one lies below the other.

mod tokens;
mod uses;

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::path::{Path, PathBuf};
use uses::{Module, Named, Source};

/// Modules of one crate that depend on each other: the module that holds them, their names, and one way around.
#[derive(Debug, PartialEq, Eq)]
struct Cycle {
    parent: String,
    members: Vec<String>,
    way: String,
}

/// For every module that holds others: which of those names which, and one path that does.
type Neighbours = BTreeMap<Module, BTreeMap<String, BTreeMap<String, String>>>;

/// The cycles of a crate whose sources these are.
fn cycles(sources: &[(Module, String)]) -> Vec<Cycle> {
    let read: Vec<Source> = sources.iter().map(|(module, text)| uses::source(module, text)).collect();
    let tests: BTreeSet<Module> = read.iter().flat_map(|source| source.tests.iter().cloned()).collect();
    let is_test = |module: &[String]| (0..=module.len()).any(|length| tests.contains(&module[..length]));
    let modules: BTreeSet<Module> = sources
        .iter()
        .map(|(module, _)| module.clone())
        .chain(read.iter().flat_map(|source| source.modules.iter().cloned()))
        .filter(|module| !is_test(module))
        .collect();
    let named: Vec<&Named> = read.iter().flat_map(|source| &source.named).filter(|named| !is_test(&named.by)).collect();
    let imports: BTreeMap<(&Module, &str), &Module> =
        named.iter().filter_map(|named| Some(((&named.by, named.imports.as_deref()?), &named.path))).collect();
    let mut neighbours = Neighbours::new();
    for Named { by, path, .. } in &named {
        let of = module_of(path, &modules, &imports);
        let shared = by.iter().zip(&of).take_while(|(one, other)| one == other).count();
        if let (Some(from), Some(to)) = (by.get(shared), of.get(shared)) {
            let of_parent = neighbours.entry(by[..shared].to_vec()).or_default();
            let line = format!("{} names {}", by.join("::"), path.join("::"));
            of_parent.entry(from.clone()).or_default().entry(to.clone()).or_insert(line);
        }
    }
    neighbours.iter().flat_map(|(parent, edges)| connected(parent, edges)).collect()
}

/// The module that a path leads into. What a module imports from elsewhere leads there.
fn module_of(path: &[String], modules: &BTreeSet<Module>, imports: &BTreeMap<(&Module, &str), &Module>) -> Module {
    let mut path = path.to_vec();
    // Imports of a name by itself would lead in circles.
    for _ in 0..8 {
        let length = (0..=path.len()).rev().find(|length| modules.contains(&path[..*length])).unwrap_or_default();
        let module = path[..length].to_vec();
        let Some(imported) = path.get(length).and_then(|name| imports.get(&(&module, name.as_str()))) else {
            return module;
        };
        let is_ours = (1..=imported.len()).any(|length| modules.contains(&imported[..length]));
        if !is_ours {
            return module;
        }
        path = imported.iter().chain(&path[length + 1..]).cloned().collect();
    }
    path
}

/// The sets of neighbours of which each leads to each.
fn connected(parent: &Module, edges: &BTreeMap<String, BTreeMap<String, String>>) -> Vec<Cycle> {
    let mut seen = BTreeSet::new();
    let mut cycles = Vec::new();
    for start in edges.keys() {
        let members: BTreeSet<&String> = reached(start, edges)
            .into_iter()
            .filter(|other| *other == start || reached(other, edges).contains(start))
            .collect();
        if members.len() > 1 && members.iter().all(|member| seen.insert((*member).clone())) {
            cycles.push(Cycle {
                parent: if parent.is_empty() { "crate".to_owned() } else { parent.join("::") },
                members: members.iter().map(|member| (*member).clone()).collect(),
                way: way(start, edges),
            });
        }
    }
    cycles
}

fn reached<'e>(start: &'e String, edges: &'e BTreeMap<String, BTreeMap<String, String>>) -> BTreeSet<&'e String> {
    let mut reached = BTreeSet::from([start]);
    let mut open = vec![start];
    while let Some(next) = open.pop() {
        open.extend(edges.get(next).into_iter().flat_map(BTreeMap::keys).filter(|to| reached.insert(*to)));
    }
    reached
}

/// The shortest way from a module around to itself, a line a step.
fn way(start: &String, edges: &BTreeMap<String, BTreeMap<String, String>>) -> String {
    let mut open = VecDeque::from([vec![start]]);
    let mut seen = BTreeSet::new();
    while let Some(path) = open.pop_front() {
        for to in path.last().and_then(|last| edges.get(*last)).into_iter().flat_map(BTreeMap::keys) {
            if to == start {
                let all: Vec<&String> = path.iter().copied().chain([start]).collect();
                return all.windows(2).map(|step| format!("\n  {}", edges[step[0]][step[1]])).collect();
            }
            if seen.insert(to) {
                open.push_back(path.iter().copied().chain([to]).collect());
            }
        }
    }
    String::new()
}

/// The sources of a crate, by module.
fn sources(folder: &Path) -> Vec<(Module, String)> {
    let mut sources = Vec::new();
    let mut open: Vec<PathBuf> = vec![folder.to_owned()];
    while let Some(place) = open.pop() {
        for entry in std::fs::read_dir(&place).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let inside = path.strip_prefix(folder).unwrap().with_extension("");
                let mut module: Module = inside.iter().map(|name| name.to_str().unwrap().to_owned()).collect();
                if module.last().is_some_and(|last| last == "mod")
                    || matches!(module.as_slice(), [only] if only == "lib" || only == "main")
                {
                    module.pop();
                }
                sources.push((module, std::fs::read_to_string(&path).unwrap()));
            }
        }
    }
    sources
}

#[test]
fn no_modules_of_a_crate_depend_on_each_other() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let workspace: toml::Table = std::fs::read_to_string(root.join("Cargo.toml")).unwrap().parse().unwrap();
    let members = workspace["workspace"]["members"].as_array().unwrap().clone();
    let mut found = String::new();
    let mut modules = 0;
    for member in members.iter().map(|member| member.as_str().unwrap()) {
        let sources = sources(&root.join(member).join("src"));
        modules += sources.len();
        for Cycle { parent, members, way } in cycles(&sources) {
            found += &format!("{member}, in {parent}: {members:?}{way}\n");
        }
    }
    assert!(modules > 500, "only {modules} files were read");
    assert!(found.is_empty(), "modules depend on each other:\n{found}");
}

fn planted(files: &[(&str, &str)]) -> Vec<Cycle> {
    let module = |name: &str| name.split("::").filter(|name| !name.is_empty()).map(str::to_owned).collect();
    cycles(&files.iter().map(|(name, text)| (module(name), (*text).to_owned())).collect::<Vec<_>>())
}

#[test]
fn a_planted_cycle_is_found_with_the_way_around_it() {
    let found = planted(&[
        ("", "mod a; mod b; mod c;"),
        ("a", "use crate::{b::{B, inner::{self}}, c};"),
        ("b", "pub struct B; pub mod inner { fn f() { super::super::c::g() } }"),
        ("c", "pub fn g() { let a = crate::a::A; }"),
    ]);
    let way = "\n  a names c\n  c names a::A".to_owned();
    assert_eq!(found, [Cycle { parent: "crate".into(), members: vec!["a".into(), "b".into(), "c".into()], way }]);
}

#[test]
fn cycles_within_a_module_are_found_also_through_what_it_exports() {
    let found = planted(&[
        ("", "mod a;"),
        ("a", "mod one;\nmod two;\npub use one::One;"),
        ("a::one", "use super::two::Two; pub struct One;"),
        ("a::two", "pub struct Two; fn f(_: super::One) {}"),
    ]);
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!((found[0].parent.as_str(), found[0].members.join(" ")), ("a", "one two".to_owned()));
}

#[test]
fn tests_visibilities_and_parents_make_no_cycle() {
    let found = planted(&[
        ("", "mod a;\nmod b;\n#[cfg(test)]\nmod t;\npub fn root() {}"),
        (
            "a",
            "use crate::root; pub(in crate::b) fn f() {} #[cfg(test)] use crate::b;\n#[cfg(test)]\nmod tests { use crate::b::B; }",
        ),
        ("b", "use crate::a::f; /* crate::c */ const X: &str = \"crate::a\";"),
        ("t", "use crate::a; use crate::b;"),
        ("a::deep", "use super::super::b as other;"),
    ]);
    assert_eq!(found.len(), 1, "what lies in `a` names `b`: {found:?}");
    assert!(found[0].way.contains("a::deep names b"), "{found:?}");
}
