//! The syntax of CEL: guards, parser, macros and our own compact tree.

mod ast;
mod guard;
mod lower;
mod macros;
mod offsets;
mod parser;
mod source;

pub use ast::{Ast, Entry, Kind, Literal, Node, NodeId};
pub use guard::{MAX_DEPTH, MAX_LENGTH};
pub use offsets::SyntaxErrors;
pub use parser::{CelParser, Parse, parse};
pub use source::{Issue, Source};
