//! Kinds from manifests of CustomResourceDefinitions.

use crate::coerce::with_sound_metadata;
use crate::kind::{CustomKind, ScalePaths, Scope, Unread};
use crate::reader::Reader;
use crate::structural::Structural;
use crate::types;
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Why a manifest gives no kinds.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CrdError {
    /// The document is something else.
    #[error(
        "`{found}` is not a CustomResourceDefinition of `apiextensions.k8s.io/v1` or `apiextensions.k8s.io/v1beta1`"
    )]
    NotACrd {
        /// What its `apiVersion` and `kind` say.
        found: String,
    },
    /// A field is missing.
    #[error("field `{field}` is missing")]
    Missing {
        /// Path of the field.
        field: String,
    },
    /// A field has a value that is none of it.
    #[error("field `{field}` is {found}, expected {expected}")]
    Unexpected {
        /// Path of the field.
        field: String,
        /// What it is, shortened.
        found: String,
        /// What it can be.
        expected: &'static str,
    },
    /// A server does not take the manifest.
    #[error("an API server rejects it: {}", shown(.errors))]
    Refused {
        /// Its errors, as the server words them.
        errors: Vec<String>,
    },
}

/// How many errors of a server are shown.
const MOST_SHOWN: usize = 10;

fn shown(errors: &[String]) -> String {
    let shown = errors.iter().take(MOST_SHOWN).map(String::as_str).collect::<Vec<_>>().join("; ");
    match errors.len().saturating_sub(MOST_SHOWN) {
        0 => shown,
        more => format!("{shown} (and {more} more)"),
    }
}

/// Reads every version of a CustomResourceDefinition: of `apiextensions.k8s.io/v1`, or of `v1beta1` where versions share the schema
/// in `spec.validation`.
///
/// A version without a schema has a kind that knows apiVersion, kind and metadata only, as servers prune it. What a schema says and
/// this crate does not read is in [`CustomKind::unread`].
///
/// # Errors
/// Returns an error when the document is no such manifest, or when its group, names or versions are missing.
pub fn kinds_of_crd(document: &Value) -> Result<Vec<CustomKind>, CrdError> {
    let text = |name: &str| document.get(name).and_then(Value::as_str).unwrap_or_default();
    let old = match (text("apiVersion"), text("kind")) {
        ("apiextensions.k8s.io/v1", "CustomResourceDefinition") => false,
        ("apiextensions.k8s.io/v1beta1", "CustomResourceDefinition") => true,
        (version, kind) => return Err(CrdError::NotACrd { found: format!("{version} {kind}") }),
    };
    let spec = At { path: "spec".to_owned(), members: object(document.get("spec"), "spec")? };
    let names = spec.below("names")?;
    let crd = Crd {
        old,
        group: spec.text("group")?,
        kind: names.text("kind")?,
        plural: names.text("plural")?,
        scope: match spec.members.get("scope").and_then(Value::as_str) {
            Some("Namespaced") => Scope::Namespaced,
            Some("Cluster") => Scope::Cluster,
            None if old => Scope::Namespaced,
            _ => return Err(spec.unexpected("scope", "`Namespaced` or `Cluster`")),
        },
        spec,
    };
    crd.kinds()
}

/// Reads a schema that stands alone; `path` is what its parts are named after. What it says and this crate does not read is beside
/// it.
#[must_use]
pub fn structural_of(schema: &Value, path: &str) -> (Arc<Structural>, Vec<Unread>) {
    let mut reader = Reader::new(None);
    let structural = reader.read(schema, path, 0);
    (structural, reader.unread)
}

/// An object of the manifest.
struct At<'d> {
    path: String,
    members: &'d Map<String, Value>,
}

fn object<'d>(value: Option<&'d Value>, path: &str) -> Result<&'d Map<String, Value>, CrdError> {
    match value {
        Some(Value::Object(members)) => Ok(members),
        None | Some(Value::Null) => Err(CrdError::Missing { field: path.to_owned() }),
        Some(other) => Err(unexpected(path.to_owned(), other, "an object")),
    }
}

fn unexpected(field: String, found: &Value, expected: &'static str) -> CrdError {
    CrdError::Unexpected { field, found: found.to_string().chars().take(60).collect(), expected }
}

impl<'d> At<'d> {
    fn below(&self, name: &str) -> Result<Self, CrdError> {
        let path = format!("{}.{name}", self.path);
        Ok(Self { members: object(self.members.get(name), &path)?, path })
    }

    /// The object `name`, if it is there.
    fn optional(&self, name: &str) -> Result<Option<Self>, CrdError> {
        match self.members.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(_) => self.below(name).map(Some),
        }
    }

    fn text(&self, name: &str) -> Result<String, CrdError> {
        match self.members.get(name) {
            Some(Value::String(text)) if !text.is_empty() => Ok(text.clone()),
            None | Some(Value::Null | Value::String(_)) => {
                Err(CrdError::Missing { field: format!("{}.{name}", self.path) })
            }
            Some(_) => Err(self.unexpected(name, "a text")),
        }
    }

    fn flag(&self, name: &str) -> bool {
        self.members.get(name).and_then(Value::as_bool).unwrap_or_default()
    }

    fn unexpected(&self, name: &str, expected: &'static str) -> CrdError {
        let field = format!("{}.{name}", self.path);
        match self.members.get(name) {
            None | Some(Value::Null) => CrdError::Missing { field },
            Some(found) => unexpected(field, found, expected),
        }
    }
}

struct Crd<'d> {
    old: bool,
    group: String,
    kind: String,
    plural: String,
    scope: Scope,
    spec: At<'d>,
}

impl<'d> Crd<'d> {
    fn kinds(&self) -> Result<Vec<CustomKind>, CrdError> {
        // In v1beta1 that is what is so unless it is said otherwise.
        let preserves = match self.spec.members.get("preserveUnknownFields") {
            None | Some(Value::Null) => self.old,
            Some(_) => self.spec.flag("preserveUnknownFields"),
        };
        let listed = match self.spec.members.get("versions") {
            None | Some(Value::Null) => &[],
            Some(Value::Array(versions)) => versions.as_slice(),
            Some(_) => return Err(self.spec.unexpected("versions", "a list")),
        };
        let mut kinds = Vec::new();
        for (index, version) in listed.iter().enumerate() {
            let path = format!("spec.versions[{index}]");
            let version = At { members: object(Some(version), &path)?, path };
            let name = version.text("name")?;
            kinds.push(self.kind(&version, name, preserves)?);
        }
        if kinds.is_empty() {
            // In v1beta1 a single version may stand in `spec.version` alone.
            if !self.old {
                return Err(CrdError::Missing { field: "spec.versions".to_owned() });
            }
            let name = self.spec.text("version")?;
            let mut kind = self.kind(&At { path: "spec".to_owned(), members: self.spec.members }, name, preserves)?;
            (kind.served, kind.storage) = (true, true);
            kinds.push(kind);
        }
        Ok(kinds)
    }

    fn kind(&self, version: &At<'d>, name: String, preserves: bool) -> Result<CustomKind, CrdError> {
        let schema = |at: Option<At<'d>>| {
            let at = at?;
            let value = at.members.get("openAPIV3Schema").filter(|value| !value.is_null())?;
            Some((value, format!("{}.openAPIV3Schema", at.path)))
        };
        let mut found = schema(version.optional("schema")?);
        let mut subresources = version.optional("subresources")?;
        if self.old {
            found = match found {
                Some(found) => Some(found),
                None => schema(self.spec.optional("validation")?),
            };
            subresources = match subresources {
                Some(found) => Some(found),
                None => self.spec.optional("subresources")?,
            };
        }
        let mut reader = Reader::new(None);
        let mut structural = match &found {
            Some((schema, path)) => reader.read(schema, path, 0),
            None => Arc::new(Structural::default()),
        };
        let written = Arc::new(found.as_ref().map_or(Value::Null, |(schema, _)| Value::clone(schema)));
        let path = found.map_or_else(|| version.path.clone(), |(_, path)| path);
        let place = format!("/{}", path.replace(['.', '['], "/").replace(']', ""));
        if preserves {
            reader.unread.push(Unread::new(
                "spec.preserveUnknownFields",
                "true: nothing is pruned, which is read as x-kubernetes-preserve-unknown-fields of the whole object alone",
            ));
            structural = Arc::new(Structural { preserve_unknown: true, ..Arc::unwrap_or_clone(structural) });
        }
        let mut scale = None;
        let mut status_subresource = false;
        if let Some(subresources) = subresources {
            status_subresource = subresources.members.get("status").is_some_and(|status| !status.is_null());
            if let Some(paths) = subresources.optional("scale")? {
                scale = Some(ScalePaths {
                    spec_replicas: paths.text("specReplicasPath")?,
                    status_replicas: paths.text("statusReplicasPath")?,
                    label_selector: paths.text("labelSelectorPath").ok(),
                });
            }
        }
        let type_name = format!("{}/{name}.{}", self.group, self.kind);
        Ok(CustomKind {
            group: self.group.clone(),
            version: name,
            kind: self.kind.clone(),
            plural: self.plural.clone(),
            scope: self.scope,
            served: version.flag("served"),
            storage: version.flag("storage"),
            status_subresource,
            scale,
            written,
            place,
            ..of_schema(&type_name, &path, with_sound_metadata(structural), reader.unread)
        })
    }
}

/// A kind of which nothing but its schema at `path` is known. `name` is the qualified name of its type.
pub(crate) fn of_schema(name: &str, path: &str, structural: Arc<Structural>, mut unread: Vec<Unread>) -> CustomKind {
    let (schema, root) = types::of_kind(name, path, &structural, &mut unread);
    CustomKind {
        group: String::new(),
        version: String::new(),
        kind: String::new(),
        plural: String::new(),
        scope: Scope::Namespaced,
        served: true,
        storage: false,
        status_subresource: false,
        scale: None,
        schema: Arc::new(schema),
        root,
        structural,
        written: Arc::new(Value::Null),
        place: String::new(),
        manifest: None,
        fields: BTreeMap::new(),
        named: Arc::default(),
        hinted: Arc::default(),
        unread,
    }
}
