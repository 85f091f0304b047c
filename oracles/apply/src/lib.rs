//! Server-side apply (KEP-555, KEP-2155): what a server makes of an object that is applied or updated, and who owns its fields.
//!
//! [`fields`] are sets of fields, in memory and in the form of `FieldsV1`. A [`schema`] says how values merge: which lists are maps
//! and sets, what is one piece. [`typed`] validates, merges and compares values by it. [`managed`] keeps the `managedFields` of an
//! object through updates and applies, and [`extract`](mod@extract) takes out of an object what one manager applied. [`configuration`]
//! generates the types of what is applied.

pub mod configuration;
pub mod extract;
pub mod fields;
pub mod managed;
pub mod schema;
pub mod typed;
pub mod value;
