//! The text of programs that answer for a validator.

use super::files::NewFile;
use super::kind::{ApiKind, GoPackage, Source};
use super::validator::{Shape, Validator};
use std::path::PathBuf;

/// In which language an oracle is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// Go, over the module in `sdk/go`.
    Go,
    /// Python, over the file in `sdk/python`.
    Python,
}

impl Language {
    /// The command that starts the oracle of this name.
    #[must_use]
    pub fn command(self, name: &str) -> Vec<String> {
        match self {
            Self::Go => vec![format!("./bin/{name}-oracle")],
            Self::Python => vec!["python3".to_owned(), python_file(name)],
        }
    }
}

/// The Python SDK, which lies beside the oracles that use it.
const SDK_FILE: &str = "takeover_oracle.py";
const SDK: &str = include_str!("../../../sdk/python/takeover_oracle.py");

/// The program of an oracle, and what is left to do in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OracleFile {
    /// The files.
    pub files: Vec<NewFile>,
    /// The validator that it calls; none where a person has to say which.
    pub calls: Option<Validator>,
}

/// Writes the oracle of a kind, called `name`.
#[must_use]
pub fn oracle(kind: &ApiKind, name: &str, language: Language) -> OracleFile {
    match language {
        Language::Go => go(kind, name),
        Language::Python => {
            let own = NewFile { place: PathBuf::from(python_file(name)), text: python(kind, name) };
            let sdk = NewFile { place: PathBuf::from(SDK_FILE), text: SDK.to_owned() };
            OracleFile { files: vec![own, sdk], calls: None }
        }
    }
}

fn python_file(name: &str) -> String {
    format!("{}_oracle.py", name.replace('-', "_"))
}

fn go(kind: &ApiKind, name: &str) -> OracleFile {
    let package = match &kind.source {
        Source::Go(package) => Some(package),
        Source::Crd(_) => None,
    };
    let place = PathBuf::from(format!("cmd/{name}-oracle/main.go"));
    let found = package.and_then(|package| Some((package, package.validator.as_ref()?)));
    let called = found.filter(|(_, validator)| validator.shape != Shape::OutOfReach);
    let program = match called {
        Some((package, validator)) => calling(kind, package, validator),
        None => {
            let file = place.to_string_lossy();
            unedited(kind, package, found.map(|(_, validator)| validator), &file)
        }
    };
    let text = program.text(kind, name);
    OracleFile { files: vec![NewFile { place, text }], calls: called.map(|(_, validator)| validator.clone()) }
}

/// The parts of a Go program that differ from kind to kind.
struct Program {
    /// Imports of the standard library.
    standard: Vec<&'static str>,
    /// Other imports, each with its name.
    imports: Vec<(String, String)>,
    /// The field `Judge` of the oracle, with the comment above it.
    judge: String,
    /// Functions below `main`.
    below: String,
}

impl Program {
    fn text(&self, kind: &ApiKind, name: &str) -> String {
        let standard: Vec<String> = self.standard.iter().map(|path| format!("\t\"{path}\"\n")).collect();
        let standard = if standard.is_empty() { String::new() } else { standard.concat() + "\n" };
        let mut imports = self.imports.clone();
        imports.sort_by(|one, other| one.1.cmp(&other.1));
        imports.dedup();
        let imports: Vec<String> = imports
            .iter()
            .map(
                |(alias, path)| {
                    if alias.is_empty() { format!("\t\"{path}\"\n") } else { format!("\t{alias} \"{path}\"\n") }
                },
            )
            .collect();
        let imports = if imports.is_empty() { String::new() } else { format!("\n{}", imports.concat()) };
        format!(
            "// Command {name}-oracle answers Takeover's questions about {of} objects as the webhook does.\npackage main\n\n\
             import (\n{standard}\t\"takeover.dev/oracle\"\n{imports})\n\nfunc main() {{\n\toracle.Main(oracle.Oracle{{\n\
             \t\tName:  \"{name}-webhook\",\n\t\tKinds: []oracle.Kind{{{{APIVersion: \"{api_version}\", Kind: \"{of}\"}}}},\n\
             {judge}\t}})\n}}\n{below}",
            of = kind.kind,
            api_version = kind.api_version,
            judge = self.judge,
            below = self.below,
        )
    }
}

/// A name for the package of a kind: `shopv1`.
fn alias(kind: &ApiKind) -> String {
    let (group, version) = kind.group_and_version();
    let group = group.split('.').next().unwrap_or_default();
    let group: String = group.chars().filter(char::is_ascii_alphanumeric).collect();
    let group = group.trim_start_matches(|c: char| c.is_ascii_digit());
    format!("{group}{version}")
}

/// A program that calls the validator that was found.
fn calling(kind: &ApiKind, package: &GoPackage, validator: &Validator) -> Program {
    let types = (alias(kind), package.import.clone());
    let object = format!("{}.{}", types.0, kind.kind);
    let in_types = validator.import == package.import;
    let webhook = if in_types {
        types.clone()
    } else {
        (format!("webhook{}", kind.group_and_version().1), validator.import.clone())
    };
    let value = format!("&{}.{}{{}}", webhook.0, validator.name);
    let note = "\t\t// EDIT if the validator needs something: set its fields.\n";
    match validator.shape {
        Shape::Untyped => Program {
            standard: Vec::new(),
            imports: vec![types, webhook, (String::new(), "k8s.io/apimachinery/pkg/runtime".to_owned())],
            judge: format!(
                "{note}\t\tJudge: oracle.ValidatorOf(func() runtime.Object {{ return &{object}{{}} }}, {value}),\n"
            ),
            below: String::new(),
        },
        Shape::OfType { warns } => {
            let names = if warns { "_, err" } else { "err" };
            let below = format!(
                "{head}\tif req.Operation != oracle.Update {{\n\t\t{names} := object.ValidateCreate()\n\
                 \t\treturn oracle.FromError(err), nil\n\t}}\n\t{names} := object.ValidateUpdate(&old)\n\
                 \treturn oracle.FromError(err), nil\n}}\n",
                head = decoding(&object),
            );
            Program { standard: vec!["context"], imports: vec![types], judge: "\t\tJudge: judge,\n".to_owned(), below }
        }
        Shape::Typed | Shape::OutOfReach => Program {
            standard: Vec::new(),
            imports: vec![webhook],
            judge: format!("{note}\t\tJudge: oracle.Validator({value}),\n"),
            below: String::new(),
        },
    }
}

/// A program that cannot judge before somebody says which code does.
fn unedited(kind: &ApiKind, package: Option<&GoPackage>, out_of_reach: Option<&Validator>, file: &str) -> Program {
    let types = package.map(|package| (alias(kind), package.import.clone()));
    let object =
        types.as_ref().map_or_else(|| "map[string]any".to_owned(), |(alias, _)| format!("{alias}.{}", kind.kind));
    let hint = match out_of_reach {
        Some(Validator { name, import, .. }) => {
            format!("\t// EDIT: {name} of {import} cannot be named from here. Export it, and use oracle.Validator.\n")
        }
        None => {
            "\t// EDIT: call your validator and return oracle.FromError or oracle.FromFieldErrors of what it says.\n"
                .to_owned()
        }
    };
    let below = format!(
        "{}{hint}\treturn oracle.Answer{{}}, errors.New(\"{file} calls no validator yet\")\n}}\n",
        decoding(&object)
    );
    Program {
        standard: vec!["context", "errors"],
        imports: types.into_iter().collect(),
        judge: "\t\tJudge: judge,\n".to_owned(),
        below,
    }
}

/// The beginning of a judge, which reads the objects.
fn decoding(object: &str) -> String {
    format!(
        "\n// judge says what is wrong with an object. On creates, old is empty.\n\
         func judge(_ context.Context, req *oracle.Request) (oracle.Answer, error) {{\n\tvar object, old {object}\n\
         \tif err := req.Decode(&object); err != nil {{\n\t\treturn oracle.Answer{{}}, err\n\t}}\n\
         \tif req.Operation == oracle.Update {{\n\t\tif err := req.DecodeOld(&old); err != nil {{\n\
         \t\t\treturn oracle.Answer{{}}, err\n\t\t}}\n\t}}\n"
    )
}

fn python(kind: &ApiKind, name: &str) -> String {
    let (of, api_version, file) = (&kind.kind, &kind.api_version, python_file(name));
    format!(
        "\"\"\"Answer Takeover's questions about {of} objects as the webhook does.\"\"\"\n\n\
         from takeover_oracle import Failure, FieldError, Kind, serve\n\n\n\
         def judge(question):\n    \"\"\"Yield what is wrong with an object. On creates, question.old_object is None.\"\"\"\n\
         \x20   # EDIT: replace the next line by your checks, such as:\n\
         \x20   # size = question.object[\"spec\"].get(\"size\", 1)\n\
         \x20   # if size < 1:\n\
         \x20   #     yield FieldError(\"FieldValueInvalid\", \"spec.size\", \"must be at least 1\", bad_value=size)\n\
         \x20   raise Failure(\"{file} judges nothing yet\")\n\n\n\
         serve(judge, name=\"{name}-webhook\", kinds=[Kind(\"{api_version}\", \"{of}\")])\n"
    )
}
