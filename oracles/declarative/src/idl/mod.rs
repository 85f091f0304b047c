//! Go source to type graph.
//!
//! [`Sources`] (files of packages) → `parse` (declarations and comments of a file) → `graph` (types, across packages) →
//! `finish` (what needs the whole graph) → [`Idl`].

mod builtin;
mod comments;
mod constants;
mod constraint;
mod diagnostic;
mod endless;
mod finish;
mod graph;
mod known;
mod literal;
mod loader;
mod model;
mod packages;
mod parse;
mod source;
mod sources;
mod struct_tag;
mod syntax;
#[cfg(test)]
mod tests;

pub use builtin::{Builtin, builtin};
pub use diagnostic::{IdlDiagnostic, IdlError, IdlFault};
pub use finish::Loaded;
pub use loader::Loader;
pub use model::{Constant, ConstantValue, FieldInfo, Idl, Package, Position, TagLine, TypeInfo};
pub use sources::{Folder, GoFile, Memory, PackageFiles, Sources};
