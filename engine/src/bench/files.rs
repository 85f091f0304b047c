//! Objects of the user that are measured.

use std::path::Path;
use takeover_corpora::load::{Input, Limits, LoadError, LoadedCase, load};

/// The cases of a file, in the forms that `soak` reads: objects, lists, pairs of an update, reviews, audit logs.
///
/// # Errors
/// Returns the error of the first document that cannot be read.
pub fn cases_in(file: &Path) -> Result<Vec<LoadedCase>, LoadError> {
    load(vec![Input::named(file)], Limits::default()).cases().collect()
}
