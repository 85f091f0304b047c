//! Takes what is secret out of objects and keeps what validation looks at.
//!
//! * [`Key`] maps a text to another one of the same length in bytes and characters, letter to letter and digit to digit, the
//!   same text always to the same, different ones to different ones. So lengths, formats, uniqueness, and what is equal in the
//!   old and the new object stay as they are.
//! * [`Redactor`] finds by place what is to be replaced: data of Secrets and ConfigMaps, values of environment variables,
//!   what is under the name of a secret, objects within texts, tokens, and names if asked to.
//! * [`Hunt`] replaces what was found that way wherever else it stands, as it is or encoded, but where it must keep its form,
//!   and says where it still does.
//!
//! Whether the verdicts of a case stayed the same is for whoever has oracles to see.

mod cipher;
mod decoded;
mod embedded;
mod forms;
mod hunt;
mod originals;
mod public;
mod quarry;
mod redactor;
mod spelled;
#[cfg(test)]
mod tests;
mod text_roles;
mod tokens;

pub use cipher::Key;
pub use hunt::{Hunt, Kept, Survivors};
pub use originals::Originals;
pub use redactor::{RedactionSettings, Redactor};
