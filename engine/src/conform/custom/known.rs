//! What fixtures of custom resources refer to: versions of CRDs, and manifests.

use serde_json::Value;
use std::collections::HashMap;
use std::rc::Rc;
use takeover_corpora::fixture::CustomSchema;
use takeover_custom_resources::{CustomKind, kinds_of_crd};

/// Versions of CRDs and manifests that were met.
#[derive(Default)]
pub(in super::super) struct Known {
    kinds: HashMap<(String, String), Result<Rc<CustomKind>, String>>,
    manifests: HashMap<String, Value>,
}

impl Known {
    /// Remembers a version of a CRD.
    pub(super) fn learn_schema(&mut self, schema: &CustomSchema) {
        let read = kinds_of_crd(&schema.manifest()).map_err(|error| error.to_string());
        let kind = read.and_then(|kinds| kinds.into_iter().next().ok_or_else(|| "it has no version".to_owned()));
        self.kinds.insert((schema.crd.clone(), schema.version.clone()), kind.map(Rc::new));
    }

    /// Remembers a manifest by where it is from.
    pub(super) fn learn_manifest(&mut self, line: &Value) {
        if let (Some(source), Some(object)) = (line.get("source").and_then(Value::as_str), line.get("object")) {
            self.manifests.insert(source.to_owned(), object.clone());
        }
    }

    /// A version of a CRD; otherwise the reason why it cannot be judged by.
    pub(super) fn kind(&self, crd: &str, version: &str) -> Result<Rc<CustomKind>, String> {
        match self.kinds.get(&(crd.to_owned(), version.to_owned())) {
            Some(Ok(kind)) => Ok(Rc::clone(kind)),
            Some(Err(error)) => Err(format!("custom resource whose CRD cannot be read: {crd}: {error}")),
            None => Err("custom resource whose schema is missing: give it with --schemas".to_owned()),
        }
    }

    /// A manifest by where it is from.
    pub(super) fn manifest(&self, source: &str) -> Option<&Value> {
        self.manifests.get(source)
    }
}
