//! The objects of a question as they are sent.

use serde_json::Value;
use takeover_harness::object::{Node, Order, to_value, to_value_with_empty};
use takeover_harness::oracle::{OracleFailure, Question};
use takeover_harness::schema::{Schema, TypeId};
use takeover_harness::subject::SubjectId;

/// The objects of a question as JSON that says its version and kind.
pub(crate) struct Sent {
    /// The object of the request.
    pub(crate) object: Value,
    /// The stored object.
    pub(crate) old: Option<Value>,
    /// The order of the members of `object`.
    pub(crate) order: Order,
    /// Version and kind of both.
    pub(crate) subject: SubjectId,
}

impl Sent {
    /// The objects of `question` as an API server passes them on to a webhook, which are of `subject` if they do not say it
    /// themselves.
    ///
    /// # Errors
    /// Returns an error when nobody says it.
    pub(crate) fn of(question: &Question<'_>, subject: Option<&SubjectId>) -> Result<Self, OracleFailure> {
        Self::encoded(question, subject, to_value)
    }

    /// The same as a user sends them: what is given and empty is there.
    ///
    /// # Errors
    /// Returns an error when nobody says what they are.
    pub(crate) fn as_given(question: &Question<'_>, subject: Option<&SubjectId>) -> Result<Self, OracleFailure> {
        Self::encoded(question, subject, to_value_with_empty)
    }

    fn encoded(
        question: &Question<'_>,
        subject: Option<&SubjectId>,
        encode: fn(&Schema, TypeId, &Node<'_>) -> Value,
    ) -> Result<Self, OracleFailure> {
        let objects = &question.objects;
        let value = |node: &Node<'_>| encode(objects.schema, objects.root, node);
        let mut object = objects.given().unwrap_or_else(|| value(&objects.new));
        let given = |name: &str, known: Option<&String>| -> Result<String, OracleFailure> {
            let said = object.get(name).and_then(Value::as_str).filter(|said| !said.is_empty());
            let said = said.map(str::to_owned).or_else(|| known.cloned());
            said.ok_or_else(|| {
                OracleFailure::new(format!("the object does not say its `{name}`, and no subject is set"))
            })
        };
        let api_version = given("apiVersion", subject.map(|subject| &subject.api_version))?;
        let kind = given("kind", subject.map(|subject| &subject.kind))?;
        let subject = SubjectId { api_version, kind, subresource: question.subresource.to_owned() };
        let mut old = objects.given_old().or_else(|| objects.old.as_ref().map(value));
        for value in [Some(&mut object), old.as_mut()].into_iter().flatten() {
            let Some(members) = value.as_object_mut() else {
                return Err(OracleFailure::new("the object is not a JSON object"));
            };
            members.insert("apiVersion".to_owned(), Value::from(subject.api_version.as_str()));
            members.insert("kind".to_owned(), Value::from(subject.kind.as_str()));
        }
        let order = objects.sent.map(|sent| sent.order).unwrap_or_default();
        Ok(Self { object, old, order, subject })
    }
}

/// The text at `/metadata/<name>`; empty when there is none.
pub(crate) fn metadata<'v>(object: &'v Value, name: &str) -> &'v str {
    object.get("metadata").and_then(|metadata| metadata.get(name)).and_then(Value::as_str).unwrap_or_default()
}

/// Group and version of `apps/v1` or `v1`.
pub(crate) fn group_version(api_version: &str) -> (&str, &str) {
    api_version.split_once('/').unwrap_or(("", api_version))
}
