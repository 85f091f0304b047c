//! Objects through the handwritten side of a subject.

use crate::expected::is_expected;
use serde_json::Value;
use std::sync::LazyLock;
use takeover_harness::case::{Case, Operation, Options, Payload, Provenance};
use takeover_harness::catalogue::Catalogue as _;
use takeover_harness::error::FieldError;
use takeover_harness::object::{Arena, to_value};
use takeover_harness::oracle::Answer;
use takeover_harness::subject::SubjectId;
use takeover_oracles::handwritten::request::RequestChecks;
use takeover_oracles::registry::Registry;

static REGISTRY: LazyLock<Registry> = LazyLock::new(|| Registry::of_builtin().expect("the shipped types load"));

/// Changes of an object, and every expected error in order: its path and type, then as much of its value and detail as matters,
/// where `…` stands for any text.
type Row<'a> = (&'a [(&'a str, Value)], &'a [&'a str]);

/// A kind in one version, with the object that rows change.
pub(crate) struct Rows {
    id: SubjectId,
    base: Value,
    checks: RequestChecks,
}

impl Rows {
    pub(crate) fn of(api_version: &str, kind: &str, base: Value) -> Self {
        Self { id: SubjectId::new(api_version, kind), base, checks: RequestChecks::StrategyOnly }
    }

    /// Judged with all steps of a server, and not by the kind's own checks alone.
    pub(crate) fn in_requests(self) -> Self {
        Self { checks: RequestChecks::AsSent, ..self }
    }

    pub(crate) fn at(self, subresource: &str) -> Self {
        Self { id: self.id.with_subresource(subresource), ..self }
    }

    /// The object with the member at a JSON pointer replaced; null removes it.
    pub(crate) fn with(&self, changes: &[(&str, Value)]) -> Value {
        let mut object = self.base.clone();
        for (pointer, value) in changes {
            let (parent, name) = pointer.rsplit_once('/').expect("a pointer");
            let parent = object.pointer_mut(parent).and_then(Value::as_object_mut).expect(pointer);
            parent.remove(name);
            if !value.is_null() {
                parent.insert(name.to_owned(), value.clone());
            }
        }
        object
    }

    /// Judges every row as a new object; `*` ends messages of covered errors.
    pub(crate) fn created(&self, rows: &[Row<'_>]) {
        for (changes, expected) in rows {
            compare(&self.errors(&self.with(changes), None, Options::new()), expected, &format!("{changes:?}"));
        }
    }

    /// Judges every row as an update of the unchanged object.
    pub(crate) fn updated(&self, rows: &[Row<'_>]) {
        for (changes, expected) in rows {
            compare(
                &self.errors(&self.with(changes), Some(&self.base), Options::new()),
                expected,
                &format!("{changes:?}"),
            );
        }
    }

    /// Judges every row as an update of the object with the changes before it: (stored, new, expected).
    pub(crate) fn changed(&self, rows: &[(&[(&str, Value)], Row<'_>)]) {
        for (stored, (changes, expected)) in rows {
            let found = self.errors(&self.with(changes), Some(&self.with(stored)), Options::new());
            compare(&found, expected, &format!("{stored:?} to {changes:?}"));
        }
    }

    /// What validation sees of a request to a server: the object with these changes, and the stored one.
    pub(crate) fn seen(&self, changes: &[(&str, Value)], stored: Option<&[(&str, Value)]>) -> Value {
        self.prepared(&self.with(changes), stored.map(|changes| self.with(changes)).as_ref())
    }

    /// What validation sees of a request to a server at JSON pointers, or why the request is refused before.
    pub(crate) fn seen_at(&self, new: &Value, old: Option<&Value>, pointers: &[&str]) -> Result<Vec<Value>, String> {
        let object = self.try_prepared(new, old)?;
        Ok(pointers.iter().map(|pointer| object.pointer(pointer).cloned().unwrap_or(Value::Null)).collect())
    }

    /// What validation sees of a request to a server.
    pub(crate) fn prepared(&self, new: &Value, old: Option<&Value>) -> Value {
        self.try_prepared(new, old).expect("decodable")
    }

    fn try_prepared(&self, new: &Value, old: Option<&Value>) -> Result<Value, String> {
        let pair = REGISTRY.pair(&self.id.clone().into()).expect("the pair");
        let (case, arena) = (case(new, old, Options::new()), Arena::new());
        let prepared = pair.prepare(&case, &arena).map_err(|refused| refused.to_string())?;
        Ok(to_value(&pair.form.schema, pair.form.root, &prepared.question.objects.new))
    }

    /// What the side says of a request.
    pub(crate) fn judge(&self, new: &Value, old: Option<&Value>) -> Vec<String> {
        self.judge_with(new, old, Options::new())
    }

    /// What the side says of a request to a server with these gates.
    pub(crate) fn judge_with(&self, new: &Value, old: Option<&Value>, options: Options) -> Vec<String> {
        self.errors(new, old, options).iter().map(line).collect()
    }

    fn errors(&self, new: &Value, old: Option<&Value>, options: Options) -> Vec<FieldError> {
        let pair = REGISTRY.pair_with(&self.id, self.checks).expect("the pair");
        let case = case(new, old, options);
        let arena = Arena::new();
        let prepared = pair.prepare(&case, &arena).expect("decodable");
        let mut answer = Answer::new();
        let view = &prepared.views.reference;
        pair.reference.answer(&prepared.question, view, &mut answer).expect("judged");
        answer.errors.into_vec()
    }
}

fn case(new: &Value, old: Option<&Value>, options: Options) -> Case<'static> {
    Case {
        operation: if old.is_some() { Operation::Update } else { Operation::Create },
        object: Payload::from(new.clone()),
        old: old.cloned().map(Payload::from),
        options,
        provenance: Provenance::Generated { seed: 0, chunk: 0, index: 0, planted: String::new() },
    }
}

fn line(error: &FieldError) -> String {
    format!("{error}{}", if error.covered_by_declarative { " *" } else { "" })
}

fn compare(found: &[FieldError], expected: &[&str], row: &str) {
    let lines: Vec<String> = found.iter().map(line).collect();
    assert_eq!(found.len(), expected.len(), "{row}: {lines:#?}");
    for ((error, line), expected) in found.iter().zip(&lines).zip(expected) {
        let path_and_type = format!("{}: {}", error.field, error.error_type);
        assert!(is_expected(line, &path_and_type, expected), "{row}: `{line}` is not `{expected}`");
    }
}
