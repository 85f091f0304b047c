//! What fixtures of custom resources refer to: versions of CRDs, and manifests.

use serde_json::Value;
use std::collections::HashMap;
use std::rc::Rc;
use takeover_apply::schema::{Schema, TypeId, of_crd};
use takeover_corpora::fixture::CustomSchema;
use takeover_custom_resources::rules::RuleTree;
use takeover_custom_resources::{CustomKind, kinds_of_crd};

/// A version of a CRD, with its rules as compiled.
pub(in super::super) struct Version {
    /// The kind.
    pub(in super::super) kind: CustomKind,
    /// How its objects merge; none if its schema does not say.
    pub(in super::super) merging: Option<(Schema, TypeId)>,
    /// Its CEL rules; none if it has none.
    pub(super) rules: Option<RuleTree>,
}

impl Version {
    fn read(schema: &CustomSchema) -> Result<Self, String> {
        let kinds = kinds_of_crd(&schema.manifest()).map_err(|error| error.to_string())?;
        let kind = kinds.into_iter().next().ok_or("it has no version")?;
        let rules = RuleTree::of_schema(&kind.structural, &schema.schema).map_err(|error| error.to_string())?;
        Ok(Self { kind, merging: of_crd(&schema.schema).ok(), rules })
    }
}

/// Versions of CRDs and manifests that were met.
#[derive(Default)]
pub(in super::super) struct Known {
    versions: HashMap<(String, String), Result<Rc<Version>, String>>,
    manifests: HashMap<String, Value>,
}

impl Known {
    /// Remembers a version of a CRD.
    pub(super) fn learn_schema(&mut self, schema: &CustomSchema) {
        let version = Version::read(schema).map(Rc::new);
        self.versions.insert((schema.crd.clone(), schema.version.clone()), version);
    }

    /// Remembers a manifest by where it is from.
    pub(super) fn learn_manifest(&mut self, line: &Value) {
        if let (Some(source), Some(object)) = (line.get("source").and_then(Value::as_str), line.get("object")) {
            self.manifests.insert(source.to_owned(), object.clone());
        }
    }

    /// A version of a CRD; otherwise the reason why it cannot be judged by.
    pub(in super::super) fn version(&self, crd: &str, version: &str) -> Result<Rc<Version>, String> {
        match self.versions.get(&(crd.to_owned(), version.to_owned())) {
            Some(Ok(version)) => Ok(Rc::clone(version)),
            Some(Err(error)) => Err(format!("custom resource whose CRD cannot be read: {crd}: {error}")),
            None => Err("custom resource whose schema is missing: add it with --schemas".to_owned()),
        }
    }

    /// A manifest by where it is from.
    pub(super) fn manifest(&self, source: &str) -> Option<&Value> {
        self.manifests.get(source)
    }
}
