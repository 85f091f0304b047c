//! What sides that answer with objects make of a field.

use std::time::Instant;
use takeover_corpora::minimise::{Limits, minimise};
use takeover_harness::case::Case;
use takeover_harness::compare::{Difference, Signature, What};
use takeover_harness::judge::{CaseRecord, Judge};
use takeover_harness::object::Arena;
use takeover_harness::pair::Pair;
use takeover_harness::path::{is_inside, pattern};
use takeover_reports::because;
use takeover_reports::explain::{MadeValue, MadeValues};

/// How often the objects agree at a field, and the smallest case in which they differ there.
pub(super) struct Made<'f> {
    field: &'f str,
    counted: MadeValues,
    smallest: Option<(usize, Case<'static>)>,
}

impl<'f> Made<'f> {
    /// Counts nothing yet.
    pub(super) fn new(field: &'f str) -> Self {
        Self { field, counted: MadeValues::default(), smallest: None }
    }

    /// Counts a compared case whose object has this size.
    pub(super) fn add(&mut self, record: &CaseRecord, case: &Case, size: usize) {
        if at(record, self.field).next().is_none() {
            self.counted.same += 1;
            return;
        }
        self.counted.different += 1;
        if self.smallest.as_ref().is_none_or(|(known, _)| size < *known) {
            self.smallest = Some((size, case.clone().kept()));
        }
    }

    /// What was counted, with the smallest case made smaller until `until`.
    pub(super) fn told(self, pair: &Pair, limits: Limits, until: Instant) -> MadeValues {
        let example = self.smallest.and_then(|(_, case)| example(pair, self.field, &case, limits, until));
        MadeValues { example, ..self.counted }
    }
}

/// The differences at a field, inside it, or at what encloses it.
fn at<'r>(record: &'r CaseRecord, field: &str) -> impl Iterator<Item = &'r Difference> {
    record.differences.iter().filter(move |of| match &of.what {
        What::Value { path, .. } => {
            let path = pattern(path);
            is_inside(&path, field) || is_inside(field, &path)
        }
        _ => false,
    })
}

fn example(pair: &Pair, field: &str, case: &Case, limits: Limits, until: Instant) -> Option<MadeValue> {
    let quick = Judge::new(pair).without_causes();
    let (mut arena, mut record) = (Arena::new(), CaseRecord::new());
    let small = minimise(case, limits, |case: &Case| {
        Instant::now() < until
            && quick.case(case, &mut arena, &mut record).is_comparison()
            && at(&record, field).next().is_some()
    });
    let case = small.case;
    if !Judge::new(pair).case(&case, &mut arena, &mut record).is_comparison() {
        return None;
    }
    let difference = at(&record, field).next()?;
    let What::Value { path, reference, candidate } = &difference.what else { return None };
    Some(MadeValue {
        object: case.object.to_value().ok()?,
        path: path.clone(),
        reference: reference.clone(),
        candidate: candidate.clone(),
        because: because(&Signature::of(&pair.id, case.operation, difference)),
    })
}
