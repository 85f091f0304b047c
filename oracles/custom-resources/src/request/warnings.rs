//! What the user is warned of.

use crate::text::quoted;
use crate::validate::{Request, key_problems};
use serde_json::Value;

/// Finalizers of the API machinery itself, which need no domain.
const STANDARD: [&str; 3] = ["orphan", "foregroundDeletion", "kubernetes"];

/// What a server warns of where it accepts or refuses an object: finalizers that were added and are no qualified names. Updates of
/// the status give no warnings.
#[must_use]
pub fn warnings(object: &Value, request: Request<'_>) -> Vec<String> {
    let old = match request {
        Request::Create => None,
        Request::Update(old) => Some(old),
        Request::UpdateStatus(_) => return Vec::new(),
    };
    let before = old.map(finalizers).unwrap_or_default();
    let mut added: Vec<&str> = finalizers(object).into_iter().filter(|name| !before.contains(name)).collect();
    added.sort_unstable();
    added.dedup();
    let mut warnings = Vec::new();
    for name in added {
        let shown = quoted(name);
        let problems = key_problems(name, "a qualified name");
        warnings.extend(problems.into_iter().map(|problem| format!("metadata.finalizers: {shown}: {problem}")));
        if !name.contains('/') && !STANDARD.contains(&name) {
            let path = if name.contains('.') { " including a path (/)" } else { "" };
            warnings.push(format!(
                "metadata.finalizers: {shown}: prefer a domain-qualified finalizer name{path} to avoid accidental conflicts with other \
                 finalizer writers"
            ));
        }
    }
    warnings
}

fn finalizers(object: &Value) -> Vec<&str> {
    let listed = object.pointer("/metadata/finalizers").and_then(Value::as_array);
    listed.into_iter().flatten().filter_map(Value::as_str).collect()
}
