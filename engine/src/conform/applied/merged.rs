//! One apply or update through our merging.

use super::super::custom::{OBJECTS, Place, Sides, Version, object, texts};
use super::super::judging::{Line, between};
use super::super::targets::Targets;
use serde_json::Value;
use takeover_apply::fields::{Element, FieldSet};
use takeover_apply::managed::{Conflict, CustomType, FieldManager, ObjectType, Refusal, Request};
use takeover_corpora::fixture::{Recorded, RecordedApply, RecordedConflict};
use takeover_custom_resources::coerce;
use takeover_harness::case::Operation;
use takeover_harness::compare::Comparator;
use takeover_harness::subject::SubjectId;
use takeover_reports::conform::{Agreement, MERGED};

/// Judges `recorded` by the types of its kind.
pub(super) fn judge(
    recorded: &RecordedApply,
    targets: &mut Targets,
    at: Place<'_>,
    asked: &dyn Fn(&SubjectId) -> bool,
    agreement: &mut Agreement,
) {
    let id = SubjectId::new(&recorded.api_version, &recorded.kind).with_subresource(&recorded.subresource);
    if !asked(&id) {
        return;
    }
    let ours = match (&recorded.crd, &recorded.version) {
        (Some(crd), Some(version)) => {
            targets.custom.version(crd, version).and_then(|version| of_custom(recorded, &version))
        }
        _ => {
            let kind = targets.merging(&recorded.api_version, &recorded.kind);
            kind.and_then(|kind| made(recorded, &*kind))
        }
    };
    let ours = match ours {
        Ok(ours) => ours,
        Err(reason) => return agreement.skip(reason),
    };
    let lines = compared(recorded, &id, ours);
    let operation = recorded.operation.clone();
    Sides { at, kind: id.to_string(), id: &recorded.id, operation, agreement }.count(MERGED, lines);
}

fn of_custom(recorded: &RecordedApply, version: &Version) -> Result<Result<Value, Refusal>, String> {
    let Some((schema, root)) = &version.merging else {
        return Err(format!("apply of {}, whose schema does not say how lists and maps merge", recorded.kind));
    };
    let kind = CustomType {
        api_version: &recorded.api_version,
        kind: &recorded.kind,
        schema: (schema, *root),
        set_defaults: |object: &mut Value| coerce::set_defaults(&version.kind.structural, object),
    };
    made(recorded, &kind)
}

/// What we make of the request; otherwise why it cannot be asked.
pub(in super::super) fn made(
    recorded: &RecordedApply,
    kind: &dyn ObjectType,
) -> Result<Result<Value, Refusal>, String> {
    let path = |path: &String| path.split('.').map(Element::field).collect::<Vec<_>>();
    let mut reset = FieldSet::new();
    recorded.reset_fields.iter().for_each(|field| reset.insert(&path(field)));
    let (manager, subresource) = (recorded.manager.as_str(), recorded.subresource.as_str());
    let request = Request { manager, subresource, now: &recorded.now, reset: &reset };
    let (fields, live) = (FieldManager::new(kind), recorded.live.as_ref());
    match (recorded.operation.as_str(), &recorded.applied, &recorded.object) {
        ("apply", Some(applied), _) => Ok(fields.apply(live, applied, request, recorded.force)),
        ("update", _, Some(object)) => Ok(fields.update(live, object, request)),
        _ => Err("request that is neither an apply of a configuration nor an update to an object".to_owned()),
    }
}

/// Where the recorded result and ours differ.
pub(in super::super) fn compared(recorded: &RecordedApply, id: &SubjectId, ours: Result<Value, Refusal>) -> Vec<Line> {
    let expect = &recorded.expect;
    let operation = if recorded.live.is_some() { Operation::Update } else { Operation::Create };
    let lines = |recorded, ours, comparator| between(id, operation, recorded, ours, comparator);
    match (&expect.object, &expect.error, ours) {
        (Some(recorded), None, Ok(ours)) => lines(object(recorded.clone()), object(ours), OBJECTS),
        (None, Some(_), Err(_)) if expect.unstable.iter().any(|member| member == "error") => Vec::new(),
        (None, Some(error), Err(refusal)) => {
            let mut found = lines(texts([error]), texts([&refusal.to_string()]), Comparator::Verbatim);
            let listed = |conflict: &RecordedConflict| format!("{}: {}", conflict.field, conflict.message);
            let recorded: Vec<String> = expect.conflicts.iter().map(listed).collect();
            let listed = |conflict: &Conflict| format!("{}: {}", conflict.path, conflict.message());
            let ours: Vec<String> = match &refusal {
                Refusal::Conflicts(conflicts) => conflicts.0.iter().map(listed).collect(),
                Refusal::Other(_) => Vec::new(),
            };
            found.extend(lines(texts(&recorded), texts(&ours), Comparator::Verbatim));
            found
        }
        (_, error, ours) => {
            let ours = ours.err().map(|refusal| refusal.to_string());
            lines(Recorded::decision(error.clone()), Recorded::decision(ours), Comparator::Decision)
        }
    }
}
