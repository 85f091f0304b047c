//! Questions to check a program with.

use crate::protocol::{Hello, Question};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use takeover_harness::case::Operation;
use takeover_harness::subject::SubjectId;

/// A question that the program should be able to judge; whether it accepts the object does not matter.
#[derive(Clone, Debug, PartialEq)]
pub struct ExampleQuestion {
    /// Kind and subresource.
    pub subject: SubjectId,
    /// Create or update.
    pub operation: Operation,
    /// The object of the request.
    pub object: Value,
    /// The stored object, on updates.
    pub old_object: Option<Value>,
    /// Feature gates and validation options.
    pub options: BTreeMap<String, bool>,
}

impl ExampleQuestion {
    /// The creation of an object.
    #[must_use]
    pub fn create(subject: SubjectId, object: Value) -> Self {
        Self { subject, operation: Operation::Create, object, old_object: None, options: BTreeMap::new() }
    }

    /// An update that changes nothing.
    #[must_use]
    pub fn unchanged(self) -> Self {
        let old_object = Some(self.object.clone());
        Self { operation: Operation::Update, old_object, ..self }
    }

    /// An object of a kind that the program says it judges, with a name and nothing else.
    pub(super) fn made_up(hello: &Hello) -> Self {
        let listed = hello.subjects().and_then(|subjects| subjects.into_iter().next());
        let subject = listed.unwrap_or_else(|| SubjectId::new("v1", "ConfigMap"));
        let object = json!({"apiVersion": subject.api_version, "kind": subject.kind,
            "metadata": {"name": "example", "namespace": "default"}});
        Self::create(subject, object)
    }

    /// The question as it is written.
    pub(super) fn to_question(&self, id: u64) -> Question {
        let SubjectId { api_version, kind, subresource } = self.subject.clone();
        let Self { operation, object, old_object, options, .. } = self.clone();
        Question { id, operation, api_version, kind, subresource, object, old_object, options, user: None }
    }
}
