//! Rows of the tables and how they run.

use takeover_declarative::idl::{Idl, Loaded, Loader, Memory};
use takeover_declarative::{CompileSettings, Declarative, Diagnostic};
use takeover_harness::case::{Operation, Options};
use takeover_harness::error::FieldError;
use takeover_harness::object::{Arena, from_bytes};
use takeover_harness::oracle::{Answer, Objects, Oracle, Question, View};
use takeover_harness::rule::Rule;

const PACKAGE: &str = "example.com/api/t";

/// Go source of a package whose root type is `S`.
#[derive(Clone, Copy)]
pub(crate) enum Go {
    /// Fields of `S` as (tags joined by `;`, JSON name, Go type).
    Fields(&'static [(&'static str, &'static str, &'static str)]),
    /// As above, then more declarations.
    With(&'static [(&'static str, &'static str, &'static str)], &'static str),
    /// Everything after the package clause.
    Source(&'static str),
}

/// One fact.
pub(crate) struct Row {
    pub(crate) go: Go,
    pub(crate) options: &'static [(&'static str, bool)],
    /// The stored object; empty on create.
    pub(crate) old: &'static str,
    pub(crate) object: &'static str,
    /// All errors: `Type field`, then `origin=`, `bad=`, `detail=` unless empty, then level and `stops`.
    pub(crate) errors: &'static [&'static str],
}

pub(crate) const fn create(go: Go, object: &'static str, errors: &'static [&'static str]) -> Row {
    Row { go, options: &[], old: "", object, errors }
}

pub(crate) const fn update(go: Go, old: &'static str, object: &'static str, errors: &'static [&'static str]) -> Row {
    Row { go, options: &[], old, object, errors }
}

impl Row {
    pub(crate) const fn with(mut self, options: &'static [(&'static str, bool)]) -> Row {
        self.options = options;
        self
    }
}

impl Go {
    pub(crate) fn source(&self) -> String {
        let (fields, more) = match self {
            Self::Source(source) => return format!("package t\n\n{source}\n"),
            Self::Fields(fields) => (fields, ""),
            Self::With(fields, more) => (fields, *more),
        };
        let mut source = "package t\n\ntype S struct {\n".to_owned();
        for (tags, name, ty) in *fields {
            for tag in tags.split(';').filter(|tag| !tag.is_empty()) {
                let prefix = if tag.starts_with("default") { "+" } else { "+k8s:" };
                source.push_str(&format!("\t// {prefix}{tag}\n"));
            }
            let (first, rest) = name.split_at(1);
            source.push_str(&format!("\t{}{rest} {ty} `json:\"{name},omitempty\"`\n\n", first.to_uppercase()));
        }
        source.push_str("}\n\n");
        source.push_str(more);
        source
    }

    fn load(&self) -> Loaded {
        load(&self.source())
    }

    /// Compiles whatever the front end made of the source, complaints or not.
    pub(crate) fn compile(&self, settings: &CompileSettings) -> Result<Declarative, Vec<Diagnostic>> {
        Declarative::compile(&self.load().idl, &format!("{PACKAGE}.S"), settings)
    }
}

fn load(source: &str) -> Loaded {
    Loader::new().with(Memory::new().file(PACKAGE, "types.go", source)).load([PACKAGE])
}

/// Compiles the root `S` of a whole file.
pub(crate) fn compile_source(source: &str) -> Result<Declarative, Vec<Diagnostic>> {
    Declarative::compile(&load(source).idl, &format!("{PACKAGE}.S"), &CompileSettings::default())
}

/// Runs a table; all wrong rows are shown.
pub(crate) fn check(rows: &[Row]) {
    let wrong: Vec<String> = rows.iter().filter_map(wrong).collect();
    assert!(wrong.is_empty(), "{} of {} rows:\n{}", wrong.len(), rows.len(), wrong.join("\n"));
}

fn wrong(row: &Row) -> Option<String> {
    let mut found: Vec<String> = judge(row).iter().map(show).collect();
    let mut expected: Vec<String> = row.errors.iter().map(|error| (*error).to_owned()).collect();
    found.sort();
    expected.sort();
    (found != expected).then(|| {
        let (old, object) = (row.old, row.object);
        format!("{}old {old}\nnew {object}\nexpected {expected:#?}\nfound {found:#?}\n", row.go.source())
    })
}

fn judge(row: &Row) -> Vec<FieldError> {
    let compiled = Compiled::new(&row.go.source());
    let mut options = Options::new();
    for (name, on) in row.options {
        options.set(*name, *on);
    }
    compiled.judge_with(&options, row.object, Some(row.old).filter(|old| !old.is_empty()))
}

/// A source, ready to judge objects of its root `S`.
pub(crate) struct Compiled {
    idl: Idl,
    oracle: Declarative,
}

impl Compiled {
    pub(crate) fn new(source: &str) -> Self {
        Self::with(source, &CompileSettings::default())
    }

    pub(crate) fn with(source: &str, settings: &CompileSettings) -> Self {
        let idl = load(source).into_result().unwrap_or_else(|error| panic!("{error}\n{source}"));
        let oracle = Declarative::compile(&idl, &format!("{PACKAGE}.S"), settings)
            .unwrap_or_else(|diagnostics| panic!("{diagnostics:#?}\n{source}"));
        Self { idl, oracle }
    }

    /// The errors of an object, with every option on.
    pub(crate) fn judge(&self, object: &str, old: Option<&str>) -> Vec<FieldError> {
        let mut options = Options::new();
        for name in self.oracle.rules().iter().flat_map(Rule::option_names) {
            options.set(name, true);
        }
        self.judge_with(&options, object, old)
    }

    /// The compiled rules.
    pub(crate) fn oracle(&self) -> &Declarative {
        &self.oracle
    }

    pub(crate) fn judge_with(&self, options: &Options, object: &str, old: Option<&str>) -> Vec<FieldError> {
        let mut answer = Answer::new();
        // A panic of generated code shows in the list.
        self.ask(options, object, old, &mut |question| {
            drop(self.oracle.answer(question, &View::none(), &mut answer));
        });
        answer.errors.into_vec()
    }

    /// Calls `with` with the question about an object of this source.
    pub(crate) fn ask(&self, options: &Options, object: &str, old: Option<&str>, with: &mut dyn FnMut(&Question<'_>)) {
        let schema = &self.idl.schema;
        let root = schema.lookup(&format!("{PACKAGE}.S")).expect("the root is there");
        let arena = Arena::new();
        let decode = |text: &str| {
            let text = arena.alloc_str(text);
            from_bytes(schema, root, text.as_bytes(), &arena).unwrap_or_else(|error| panic!("{text}: {error}"))
        };
        with(&Question {
            operation: if old.is_some() { Operation::Update } else { Operation::Create },
            objects: Objects { schema, root, new: decode(object), old: old.map(decode), sent: None },
            options,
            subresource: "",
        });
    }
}

pub(crate) fn show(error: &FieldError) -> String {
    let mut text = format!("{:?} {}", error.error_type, error.field);
    if !error.origin.is_empty() {
        text.push_str(&format!(" origin={}", error.origin));
    }
    let bad = error.bad_value.to_json();
    if bad.as_str() != Some("") {
        text.push_str(&format!(" bad={bad}"));
    }
    if !error.detail.is_empty() {
        text.push_str(&format!(" detail={}", error.detail));
    }
    if let Some(level) = error.stability {
        text.push_str(&format!(" {level}"));
    }
    if error.short_circuit {
        text.push_str(" stops");
    }
    text
}
