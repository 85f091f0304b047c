//! What one manager applied, by our extraction.

use super::super::custom::{OBJECTS, Place, Sides, object, texts};
use super::super::judging::between;
use super::super::targets::Targets;
use takeover_apply::extract::configuration;
use takeover_apply::managed::ObjectType;
use takeover_corpora::fixture::{Recorded, RecordedExtract};
use takeover_harness::case::Operation;
use takeover_harness::compare::Comparator;
use takeover_harness::subject::SubjectId;
use takeover_reports::conform::{Agreement, EXTRACTED};

/// Judges `recorded` by the types of its kind.
pub(super) fn judge(
    recorded: &RecordedExtract,
    targets: &mut Targets,
    at: Place<'_>,
    asked: &dyn Fn(&SubjectId) -> bool,
    agreement: &mut Agreement,
) {
    let id = SubjectId::new(&recorded.api_version, &recorded.kind);
    if !asked(&id) {
        return;
    }
    let kind = match targets.merging(&recorded.api_version, &recorded.kind) {
        Ok(kind) => kind,
        Err(reason) => return agreement.skip(reason),
    };
    let ours = kind.held(recorded.live.clone()).and_then(|live| {
        configuration(kind.schema(), kind.scope(), &live, &recorded.field_manager, &recorded.subresource)
            .map_err(|error| error.to_string())
    });
    let expect = &recorded.expect;
    let lines = |recorded, ours, comparator| between(&id, Operation::Update, recorded, ours, comparator);
    let lines = match (&expect.extracted, &expect.error, ours) {
        (Some(recorded), None, Ok(ours)) => lines(object(recorded.clone()), object(ours), OBJECTS),
        (None, Some(error), Err(ours)) => lines(texts([error]), texts([&ours]), Comparator::Verbatim),
        (_, error, ours) => {
            lines(Recorded::decision(error.clone()), Recorded::decision(ours.err()), Comparator::Decision)
        }
    };
    let operation = "extract".to_owned();
    Sides { at, kind: id.to_string(), id: &recorded.id, operation, agreement }.count(EXTRACTED, lines);
}
