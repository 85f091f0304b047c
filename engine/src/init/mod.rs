//! The first files of a project: which kinds a folder declares, and the settings and oracles that compare their validators.

mod discover;
mod files;
mod kind;
mod oracle;
mod settings;
mod validator;
mod walk;

pub use discover::{Discovery, discover};
pub use files::{Existing, NewFile, write};
pub use kind::{ApiKind, GoPackage, Source, names};
pub use oracle::{Language, OracleFile, oracle};
pub use settings::settings;
pub use validator::{Shape, Validator};
