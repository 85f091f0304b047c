//! Writes the document of a case.

use super::kinds::{OWN_KIND, OWN_VERSION};
use serde_json::{Map, Value};
use takeover_harness::case::Case;

/// The document of our own kind that [`cases`](crate::load::cases()) reads `case` from, on `subresource` (empty for the main resource). An
/// object that is not JSON becomes null, which is no case.
#[must_use]
pub fn document_of(case: &Case, subresource: &str) -> Value {
    let mut document = Map::new();
    document.insert("apiVersion".to_owned(), OWN_VERSION.into());
    document.insert("kind".to_owned(), OWN_KIND.into());
    document.insert("operation".to_owned(), case.operation.to_string().into());
    document.insert("object".to_owned(), case.object.to_value().unwrap_or_default());
    if let Some(old) = &case.old {
        document.insert("oldObject".to_owned(), old.to_value().unwrap_or_default());
    }
    if !subresource.is_empty() {
        document.insert("subresource".to_owned(), subresource.into());
    }
    let options: Map<String, Value> = case.options.iter().map(|(name, on)| (name.to_owned(), on.into())).collect();
    if !options.is_empty() {
        document.insert("options".to_owned(), options.into());
    }
    document.into()
}
