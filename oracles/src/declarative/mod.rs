//! The declarative engine: Go types with `+k8s:` tags in, field errors out.
//!
//! [`idl`] (Go source → type graph with tag lines) → `tags` (grammar and registry) → `plan` (compiled rules) → `eval`.

pub mod formats;
pub mod idl;
