//! Custom resources: types from CRD manifests and OpenAPI documents, and what their schemas say.
//!
//! [`kinds_of_crd`] and [`kinds_of_openapi`] read kinds: their structural schema, a type graph by which their objects are decoded,
//! generated, minimised and redacted like built-in ones, and hints for the generator. [`coerce`] does to an object what an API
//! server does before it validates, and [`validate`] judges it by the schema. [`refuse`] says which
//! CRDs a server does not take, for their CEL rules, too. [`rules`] evaluates these rules on objects.
//!
//! ```
//! use takeover_custom_resources::{coerce, kinds_of_crd, validate};
//! let crd = serde_json::json!({
//!     "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
//!     "spec": {
//!         "group": "example.com", "scope": "Namespaced", "names": {"kind": "Gadget", "plural": "gadgets"},
//!         "versions": [{"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": {
//!             "type": "object",
//!             "properties": {"spec": {"type": "object", "properties": {"size": {"type": "integer", "minimum": 1}}}}
//!         }}}]
//!     }
//! });
//! let kinds = kinds_of_crd(&crd)?;
//! let mut object = serde_json::json!({"kind": "Gadget", "spec": {"size": 0, "colour": "red"}});
//! assert_eq!(coerce::prune(&kinds[0].structural, &mut object), ["spec.colour"]);
//! let errors = validate::validate(&kinds[0].structural, &object);
//! assert_eq!(
//!     errors.as_slice()[0].to_string(),
//!     "spec.size: Invalid value: 0: spec.size in body should be greater than or equal to 1"
//! );
//! # Ok::<(), takeover_custom_resources::CrdError>(())
//! ```

pub mod coerce;
mod crd;
pub mod faults;
mod form;
mod hints;
mod kind;
pub mod lint;
mod node_defaults;
mod openapi;
mod oracle;
mod pointer;
mod reader;
pub mod refuse;
pub mod request;
pub mod rules;
pub mod structural;
mod text;
mod types;
pub mod validate;

pub use crd::{CrdError, kinds_of_crd, structural_of};
pub use hints::texts_around;
pub use kind::{CustomKind, ScalePaths, Scope, Unread};
pub use openapi::{OpenApiError, kinds_of_openapi};
pub use oracle::{CrdDefaults, CrdOracle, CrdOracleError, CrdVerdict};
