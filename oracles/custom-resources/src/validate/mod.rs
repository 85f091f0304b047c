//! Validation of objects by their structural schema, with the errors of an API server: types, paths, texts and values.
//!
//! These are the checks of OpenAPI keywords, of lists that are sets or maps, and of embedded objects. CEL rules are not
//! evaluated, and the object's own metadata is judged apart. Objects are as
//! [`coerce`](mod@crate::coerce) leaves them.

mod checker;
mod embedded;
mod entry;
mod enumeration;
mod formats;
mod junctor;
mod lists;
mod mail;
mod metadata;
mod name;
mod number;
mod outcome;
mod places;
mod ratchet;
mod scale;
mod value;

pub(crate) use embedded::embedded_errors;
pub use entry::{
    Request, Source, unchecked_rules, validate, validate_by_rule, validate_by_source, validate_request,
    validate_status_update, validate_update,
};
pub(crate) use entry::{accepts, admits, has_sound_lists, keyword_errors, node_errors, unchecked};
pub(crate) use formats::{TEXTS as TEXT_FORMATS, kept as kept_format};
pub(crate) use metadata::{key_problems, named_metadata, subdomain_problems};
pub use metadata::{validate_metadata, validate_metadata_update};
pub use places::RulePlaces;
pub(crate) use places::is_cel;
pub(crate) use ratchet::Link;
pub use scale::validate_scale;
