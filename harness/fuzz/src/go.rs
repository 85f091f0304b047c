//! Go sources and tag lines.

use takeover_harness::case::{Operation, Options};
use takeover_harness::object::{Arena, from_bytes};
use takeover_harness::oracle::{Answer, Objects, Oracle as _, Question, View};
use takeover_harness::rule::Rule;
use takeover_harness::schema::Kind;
use takeover_oracles::declarative::grammar;
use takeover_oracles::declarative::idl::{Idl, Loaded, Loader, Memory};
use takeover_oracles::declarative::{CompileSettings, Declarative};

/// Compiling every type of a large file would make one input slow and show nothing new.
const MOST_ROOTS: usize = 8;

/// Small objects of most types.
const OBJECTS: [&[u8]; 3] = [b"{}", br#"{"x":null}"#, br#"{"x":{},"metadata":{}}"#];

/// Reads `data` as a Go file, compiles the rules of its structs, and judges small objects by them: all of that ends in a
/// result or in diagnostics that point into the file.
///
/// # Panics
/// When something does not.
pub fn go_front_end(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let loaded = load(&text);
    let lines = u32::try_from(text.lines().count()).unwrap_or(u32::MAX).saturating_add(1);
    for diagnostic in &loaded.diagnostics {
        assert!(!diagnostic.message().is_empty());
        if let Some(at) = diagnostic.position() {
            assert!((1..=lines).contains(&at.line), "{diagnostic:?} in {lines} lines");
        }
    }
    assert_eq!(loaded.idl.schema.len(), loaded.idl.types.len(), "every type has its tags");
    judge(&loaded.idl);
}

/// Reads `data` as a tag line, and puts it on fields of several types: all of that ends in rules or in diagnostics.
///
/// # Panics
/// When something does not.
pub fn tag_parser(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let line = text.lines().next().unwrap_or_default();
    match grammar::parse(line) {
        Ok(tag) => {
            assert!(tag.chain().count() <= grammar::MAX_CHAIN);
            for tag in tag.chain() {
                let text = line.get(tag.offset..).expect("a tag starts in its line");
                assert!(text.starts_with(&*tag.name) && text.starts_with(&*tag.text), "{tag:?} of `{line}`");
            }
            assert_eq!(grammar::name_of(line), &*tag.name);
        }
        Err(error) => assert!(line.is_char_boundary(error.offset), "{error:?} of `{line}`"),
    }
    let fields = ["string", "*string", "int32", "*int32", "bool", "T", "*T", "[]string", "[]T", "[]*T", "map[string]T"];
    let fields = fields.iter().enumerate().map(|(at, ty)| format!("\t// +{line}\n\tF{at} {ty} `json:\"f{at}\"`\n"));
    let fields: String = fields.collect();
    let source = format!(
        "package p\n\n// +{line}\ntype S struct {{\n{fields}}}\n\n\
         type T struct {{\n\tX string `json:\"x\"`\n\tN *int32 `json:\"n\"`\n}}\n\n\
         // +{line}\ntype L []T\n"
    );
    judge(&load(&source).idl);
}

fn load(text: &str) -> Loaded {
    Loader::new().with(Memory::new().file("example.com/p", "types.go", text)).load(["example.com/p"])
}

/// Compiles structs and judges small objects.
fn judge(idl: &Idl) {
    let schema = &idl.schema;
    let structs = schema.iter().filter(|(_, ty)| matches!(ty.kind, Kind::Struct(_)));
    for (root, _) in structs.take(MOST_ROOTS) {
        let oracle = match Declarative::compile_type(idl, root, &CompileSettings::default()) {
            Ok(oracle) => oracle,
            Err(diagnostics) => {
                assert!(!diagnostics.is_empty(), "a refusal says why");
                continue;
            }
        };
        let (arena, mut options) = (Arena::new(), Options::new());
        for name in oracle.rules().iter().flat_map(Rule::option_names) {
            options.set(name, true);
        }
        let nodes: Vec<_> = OBJECTS.iter().filter_map(|text| from_bytes(schema, root, text, &arena).ok()).collect();
        for new in &nodes {
            for old in nodes.iter().map(Some).chain([None]) {
                let question = Question {
                    operation: if old.is_some() { Operation::Update } else { Operation::Create },
                    objects: Objects { schema, root, new: *new, old: old.copied(), sent: None },
                    options: &options,
                    subresource: "",
                };
                // A nil pointer that Go would follow is an answer too.
                let _ = oracle.answer(&question, &View::none(), &mut Answer::new());
            }
        }
    }
}
