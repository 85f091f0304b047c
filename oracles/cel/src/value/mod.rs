//! Values at run time.

mod access;
mod compare;

mod data;
mod error;
mod json;
mod kinds;
pub(crate) mod list;
mod map;
pub(crate) mod numbers;
mod shape;
mod typed;

pub use access::{Access, Answerer, Authorizer, Decision, Stage, User};
pub use compare::{compare, equal};
pub use data::{Datum, View};
pub use error::{Error, Outcome};
pub use json::to_json;
pub use kinds::{Key, List, ListType, Map, PlainMap, Text, Value};
pub use numbers::{double_text, go_general};
pub use shape::{Format, Shape, ShapeKind};
pub use typed::{native, nativized, wrap};
