//! Programs that pose as oracles, and questions for them.

use serde_json::{Value, json};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::time::Duration;
use takeover_external::exec::{Exec, ExecSettings};
use takeover_harness::case::{Operation, Options};
use takeover_harness::object::{Arena, from_value};
use takeover_harness::oracle::{Answer, Objects, OracleFailure, Question};
use takeover_harness::schema::{Field, Kind, Presence, Schema, Struct, TypeId};

/// What every fake begins with.
const PRELUDE: &str = r#"
import json, os, signal, sys, time
BESIDE = os.path.dirname(os.path.abspath(__file__))
def say(message):
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()
def hello(**more):
    say({"hello": {"protocol": 1, "name": "widget-oracle", "version": "1.2", **more}})
def lines():
    for line in iter(sys.stdin.readline, ""):
        message = json.loads(line) if line.strip() else {}
        if "hello" not in message and message:
            yield message.get("questions", [message])
def questions():
    for several in lines():
        yield from several
def number(question):
    return question["object"]["spec"]["replicas"]
def judge(question):
    if not isinstance(question["object"], dict) or question["kind"] not in ("Widget", "Pod"):
        return {"id": question["id"], "failure": "this is no widget"}
    bad = number(question) < 0
    error = {"type": "FieldValueInvalid", "field": "spec.replicas", "badValue": number(question), "detail": "negative"}
    return {"id": question["id"], "errors": [error] if bad else []}
def starts():
    # How many processes ran this script, with this one.
    with open(os.path.join(BESIDE, "starts"), "a") as file:
        file.write("x")
        return file.tell()
"#;

/// An oracle that does nothing wrong.
pub(crate) const GOOD: &str =
    "hello(batch=16, pending=64)\nfor several in lines():\n    say({'answers': [judge(q) for q in several]})\n";

/// A program that poses as an oracle.
pub(crate) struct Fake {
    folder: tempfile::TempDir,
    pub(crate) settings: ExecSettings,
}

impl Fake {
    /// A Python program, after the prelude.
    pub(crate) fn new(script: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("oracle.py");
        std::fs::write(&path, format!("{PRELUDE}\n{script}")).unwrap();
        let mut settings = ExecSettings::new(["python3", "-S", path.to_str().unwrap()]);
        settings.processes = NonZeroUsize::MIN;
        settings.timeout = Duration::from_millis(500);
        Self { folder, settings }
    }

    pub(crate) fn start(&self) -> Exec {
        Exec::start(self.settings.clone()).unwrap()
    }

    /// A file that the program writes beside itself.
    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// How many processes ran.
    pub(crate) fn starts(&self) -> usize {
        text(&self.file("starts")).len()
    }
}

pub(crate) fn text(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_default()
}

fn field(name: &str, ty: TypeId, presence: Presence) -> Field {
    Field { go_name: name.into(), json_name: name.into(), ty, presence, omit_empty: true, default: None }
}

/// `type Widget struct { TypeMeta ",inline"; Spec struct { Replicas int64; Name string; Tags []string } }`
pub(crate) fn schema() -> (Schema, TypeId) {
    let mut schema = Schema::new();
    let text = schema.add("string", Kind::Text);
    let int = schema.add("int64", Kind::Int { bits: 64, signed: true });
    let tags = schema.add("[]string", Kind::List(text));
    let named = |name, ty| field(name, ty, Presence::Named);
    let meta = Struct::new(vec![named("apiVersion", text), named("kind", text)]);
    let meta = schema.add("TypeMeta", Kind::Struct(meta));
    let replicas = Field { omit_empty: false, ..named("replicas", int) };
    let spec = Struct::new(vec![replicas, named("name", text), named("tags", tags)]);
    let spec = schema.add("Spec", Kind::Struct(spec));
    let root = Struct::new(vec![
        Field { json_name: "".into(), ..field("TypeMeta", meta, Presence::Inlined) },
        named("spec", spec),
    ]);
    let root = schema.add("Widget", Kind::Struct(root));
    schema.link();
    (schema, root)
}

pub(crate) fn widget(replicas: i64) -> Value {
    json!({"apiVersion": "shop.example.com/v1", "kind": "Widget",
        "spec": {"replicas": replicas, "name": "a-widget", "tags": ["red"]}})
}

/// What became of questions about these objects.
pub(crate) fn ask_about(exec: &Exec, objects: &[Value]) -> Vec<Result<Answer, OracleFailure>> {
    let (schema, root) = schema();
    let (arena, options) = (Arena::new(), Options::new());
    let questions: Vec<_> = objects
        .iter()
        .map(|value| Question {
            operation: Operation::Create,
            objects: Objects {
                schema: &schema,
                root,
                new: from_value(&schema, root, value, &arena).unwrap(),
                old: None,
                sent: None,
            },
            options: &options,
            subresource: "",
        })
        .collect();
    exec.ask(&questions)
}

/// What became of questions about widgets with these numbers, in words: `ok`, the field at fault, or why there is no answer.
pub(crate) fn ask(exec: &Exec, replicas: &[i64]) -> Vec<String> {
    let objects: Vec<_> = replicas.iter().map(|replicas| widget(*replicas)).collect();
    ask_about(exec, &objects).into_iter().map(|result| in_words(&result)).collect()
}

/// What becomes of one question.
pub(crate) fn ask_one(exec: &Exec, replicas: i64) -> String {
    ask(exec, &[replicas]).remove(0)
}

pub(crate) fn in_words(result: &Result<Answer, OracleFailure>) -> String {
    match result {
        Ok(answer) if answer.rejects() => answer.reason(),
        Ok(_) => "ok".to_owned(),
        Err(failure) if failure.panic_place().is_some() => format!("panic: {failure}"),
        Err(failure) => failure.to_string(),
    }
}

/// Asserts that a text contains another.
#[track_caller]
pub(crate) fn assert_says(text: &str, says: &str) {
    assert!(text.contains(says), "`{text}` does not say `{says}`");
}
