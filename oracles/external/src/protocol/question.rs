//! Questions, and how they are written.

use serde::{Deserialize, Serialize, Serializer};
use serde_json::Value;
use std::collections::BTreeMap;
use takeover_harness::case::{Operation, Options};
use takeover_harness::object::{InOrder, to_value_with_empty};
use takeover_harness::oracle;

/// A question with its objects as JSON.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Question {
    /// Positive, and unique among the questions of a process.
    pub id: u64,
    /// Create or update.
    pub operation: Operation,
    /// Group and version of the object: `v1`, `apps/v1`.
    pub api_version: String,
    /// Kind of the object.
    pub kind: String,
    /// Subresource without leading slash; empty for the main resource.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub subresource: String,
    /// The object of the request.
    pub object: Value,
    /// The stored object, on updates.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub old_object: Option<Value>,
    /// Feature gates and validation options that the case sets.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub options: BTreeMap<String, bool>,
    /// Who makes the request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user: Option<User>,
}

/// Who makes a request.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct User {
    /// Name.
    pub username: String,
    /// Groups that the user is in.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub groups: Vec<String>,
}

/// A question of the harness as it is written.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Written<'q> {
    id: u64,
    operation: Operation,
    api_version: &'q str,
    kind: &'q str,
    #[serde(skip_serializing_if = "str::is_empty")]
    subresource: &'q str,
    object: InOrder<'q>,
    #[serde(skip_serializing_if = "Option::is_none")]
    old_object: Option<Value>,
    #[serde(skip_serializing_if = "is_empty", serialize_with = "as_map")]
    options: &'q Options,
}

fn is_empty(options: &&Options) -> bool {
    options.iter().next().is_none()
}

fn as_map<S: Serializer>(options: &&Options, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_map(options.iter())
}

/// Appends a question about an object of this kind to `out`, without line end.
pub(crate) fn write_question(
    out: &mut Vec<u8>,
    id: u64,
    (api_version, kind): (&str, &str),
    question: &oracle::Question<'_>,
) -> Result<(), serde_json::Error> {
    let &oracle::Question { operation, objects, options, subresource } = question;
    // What is given and empty is no absence to a validator.
    let value = |node| to_value_with_empty(objects.schema, objects.root, node);
    let object = objects.given().unwrap_or_else(|| value(&objects.new));
    let old_object = objects.given_old().or_else(|| objects.old.as_ref().map(value));
    let object = objects.ordered(&object);
    serde_json::to_writer(out, &Written { id, operation, api_version, kind, subresource, object, old_object, options })
}
