//! Kinds from the OpenAPI v3 documents of an API server.

use crate::crd::of_schema;
use crate::kind::{CustomKind, Scope, Unread};
use crate::reader::Reader;
use serde_json::{Map, Value};

/// Why a document gives no kinds.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum OpenApiError {
    /// The document is something else, or of another version.
    #[error(
        "field `openapi` is {found}, expected a version 3: get documents from `/openapi/v3/apis/<group>/<version>`"
    )]
    NotVersion3 {
        /// What the field is.
        found: String,
    },
    /// The document has no schemas.
    #[error("field `components.schemas` is missing or not an object")]
    NoSchemas,
}

/// What says of which kinds a schema or an operation is.
const KINDS: &str = "x-kubernetes-group-version-kind";

/// Reads the kinds of an OpenAPI v3 document of an API server, as `/openapi/v3/apis/<group>/<version>` answers it: those schemas that
/// name one group, version and kind and have `metadata` of an object. Names in URLs, scopes and subresources come from its paths.
///
/// Documents do not say which version is stored, where the numbers of a scale are, or what is under a definition that holds itself.
///
/// # Errors
/// Returns an error when the document is no OpenAPI document of version 3.
pub fn kinds_of_openapi(document: &Value) -> Result<Vec<CustomKind>, OpenApiError> {
    match document.get("openapi") {
        Some(Value::String(version)) if version.starts_with("3.") => {}
        found => {
            let found = found.map_or_else(|| "missing".to_owned(), |found| format!("`{found}`"));
            return Err(OpenApiError::NotVersion3 { found: found.chars().take(60).collect() });
        }
    }
    let schemas = document.pointer("/components/schemas").and_then(Value::as_object).ok_or(OpenApiError::NoSchemas)?;
    let paths = document.get("paths").and_then(Value::as_object);
    let mut kinds = Vec::new();
    for (name, schema) in schemas {
        let Some([kind]) = schema.get(KINDS).and_then(Value::as_array).map(Vec::as_slice) else { continue };
        if !has_object_meta(schema) {
            continue;
        }
        let text = |name: &str| kind.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
        let (group, version, kind) = (text("group"), text("version"), text("kind"));
        let path = format!("components.schemas[{name}]");
        let mut reader = Reader::new(Some(schemas));
        let structural = reader.read(schema, &path, 0);
        let found = paths.map(|paths| Found::of(paths, &group, &version, &kind)).unwrap_or_default();
        if found.scale {
            reader.unread.push(Unread::new(&path, "scale subresource: OpenAPI does not say where its numbers are"));
        }
        let prefix = if group.is_empty() { version.clone() } else { format!("{group}/{version}") };
        kinds.push(CustomKind {
            group,
            version,
            plural: found.plural,
            scope: if found.namespaced { Scope::Namespaced } else { Scope::Cluster },
            status_subresource: found.status,
            ..of_schema(&format!("{prefix}.{kind}"), &path, structural, reader.unread)
        });
        if let Some(last) = kinds.last_mut() {
            last.kind = kind;
        }
    }
    Ok(kinds)
}

/// Whether the objects of a schema have metadata as objects have it, not as lists do.
fn has_object_meta(schema: &Value) -> bool {
    let Some(metadata) = schema.pointer("/properties/metadata") else { return false };
    let only = metadata.pointer("/allOf/0").unwrap_or(metadata);
    match only.get("$ref").and_then(Value::as_str) {
        Some(reference) => reference.ends_with(".meta.v1.ObjectMeta"),
        None => metadata.get("type").and_then(Value::as_str) == Some("object"),
    }
}

/// What the paths of a document say of a kind.
#[derive(Default)]
struct Found {
    plural: String,
    namespaced: bool,
    status: bool,
    scale: bool,
}

impl Found {
    fn of(paths: &Map<String, Value>, group: &str, version: &str, kind: &str) -> Self {
        let base = if group.is_empty() { format!("/api/{version}/") } else { format!("/apis/{group}/{version}/") };
        let mut found = Self::default();
        for (path, operations) in paths {
            let Some(rest) = path.strip_prefix(&base).filter(|rest| !rest.starts_with("watch/")) else { continue };
            let (namespaced, rest) = match rest.strip_prefix("namespaces/{namespace}/") {
                Some(rest) => (true, rest),
                None => (false, rest),
            };
            let (plural, rest) = rest.split_once("/{name}").unwrap_or((rest, ""));
            let is_of_kind = |operation: &Value| {
                let said = |name: &str| operation.pointer(&format!("/{KINDS}/{name}")).and_then(Value::as_str);
                said("group").unwrap_or_default() == group
                    && said("version") == Some(version)
                    && said("kind") == Some(kind)
            };
            let operations: Vec<&Value> = operations.as_object().into_iter().flat_map(Map::values).collect();
            match rest {
                "" if path.ends_with("/{name}") && operations.iter().any(|operation| is_of_kind(operation)) => {
                    plural.clone_into(&mut found.plural);
                    found.namespaced |= namespaced;
                }
                "/status" if operations.iter().any(|operation| is_of_kind(operation)) => found.status = true,
                _ => {}
            }
        }
        // The operations of a scale are of another kind.
        found.scale = !found.plural.is_empty()
            && paths
                .keys()
                .any(|path| path.starts_with(&base) && path.ends_with(&format!("/{}/{{name}}/scale", found.plural)));
        found
    }
}
