//! What inputs are about, before a run judges them.

use crate::stop::Stop;
use std::collections::BTreeSet;
use std::path::PathBuf;
use takeover_corpora::load::{Input, Limits, load};
use takeover_harness::subject::SubjectId;

/// The subjects that have cases in `recorded`. Stops reading when asked to; the run reports what cannot be read.
#[must_use]
pub fn recorded_subjects(recorded: &[PathBuf], max_document: u32, stop: &Stop) -> BTreeSet<SubjectId> {
    let limits = Limits { document_bytes: (max_document as usize) << 20, ..Limits::default() };
    let cases = load(recorded.iter().map(Input::named).collect(), limits).remembering().cases().doubtful(true);
    let read = cases.take_while(|_| stop.asked().is_none()).flatten();
    read.map(|case| SubjectId::new(&case.api_version, &case.kind).with_subresource(&case.subresource)).collect()
}
