//! URLs as Go's standard library reads them, and addresses in them.

mod literal;
mod parse;
mod text;

pub use parse::Url;
