//! The objects recorded in this project, built into the program.

use crate::load::{Input, LoadedCase, load};
use serde_json::Value;
use std::sync::LazyLock;
use takeover_harness::case::{Case, Operation, Options, Payload, Provenance};
use takeover_harness::error::ErrorList;
use takeover_harness::judge::run_oracle;
use takeover_harness::object::Arena;
use takeover_harness::subject::Subject;

/// Every recorded case, read once.
static CASES: LazyLock<Vec<LoadedCase>> =
    LazyLock::new(|| load(inputs(), crate::load::Limits::default()).cases().flatten().collect());

/// Path within `corpora/` and text of every recorded file, in the order of the paths.
#[must_use]
pub fn builtin() -> &'static [(&'static str, &'static str)] {
    include!(concat!(env!("OUT_DIR"), "/recorded.rs"))
}

/// The recorded files as inputs of [`load`].
#[must_use]
pub fn inputs() -> Vec<Input> {
    builtin().iter().map(|(path, text)| Input::stream(*path, text.as_bytes())).collect()
}

/// The recorded cases that suit a subject, every option defined. A subresource, or a version without recorded objects, takes
/// those of its kind; for a kind that is not recorded there are none.
#[must_use]
pub fn cases_of(subject: &Subject) -> Vec<Case> {
    let of_kind =
        |case: &&LoadedCase| case.kind == subject.id.kind && group(&case.api_version) == group(&subject.id.api_version);
    let own = |case: &&LoadedCase| {
        case.api_version == subject.id.api_version
            && (case.subresource == subject.id.subresource || case.subresource.is_empty())
    };
    let mut cases: Vec<Case> = CASES.iter().filter(of_kind).filter(own).map(|loaded| loaded.case.clone()).collect();
    let foreign = cases.is_empty();
    if foreign {
        cases.extend(CASES.iter().filter(of_kind).map(|loaded| loaded.case.clone()));
    }
    for case in &mut cases {
        subject.define_options(&mut case.options);
        for payload in std::iter::once(&mut case.object).chain(&mut case.old).filter(|_| foreign) {
            *payload = with_version(payload, &subject.id.api_version);
        }
    }
    cases
}

/// The objects of `cases`, new and old, each once, that the reference of `subject` accepts.
#[must_use]
pub fn accepted_objects(subject: &Subject, cases: &[Case]) -> Vec<Value> {
    let mut known = objects(cases);
    known.retain(|object| accepted(subject, object));
    known
}

/// The objects of `cases`, new and old, each once.
#[must_use]
pub fn objects(cases: &[Case]) -> Vec<Value> {
    let objects = cases.iter().flat_map(|case| std::iter::once(&case.object).chain(&case.old));
    let mut known: Vec<Value> = Vec::new();
    for object in objects.filter_map(|object| object.to_value().ok()) {
        if !known.contains(&object) {
            known.push(object);
        }
    }
    known
}

/// Whether the reference accepts the object: its creation, or on a subresource an update that changes nothing. The candidate is not
/// asked: what a wrong rule refuses is where cases should start.
#[must_use]
pub fn accepted(subject: &Subject, object: &Value) -> bool {
    let update = !subject.id.subresource.is_empty();
    let mut case = Case {
        operation: if update { Operation::Update } else { Operation::Create },
        object: object.clone().into(),
        old: update.then(|| object.clone().into()),
        options: Options::new(),
        provenance: Provenance::Generated { seed: 0, chunk: 0, index: 0, planted: String::new() },
    };
    subject.define_options(&mut case.options);
    let arena = Arena::new();
    let mut errors = ErrorList::new();
    subject
        .prepare(&case, &arena)
        .is_ok_and(|prepared| run_oracle(subject.reference.as_ref(), &prepared, &mut errors).is_ok())
        && errors.is_empty()
}

/// The object as of another version. One that does not fit there will not decode.
fn with_version(payload: &Payload, api_version: &str) -> Payload {
    let Ok(mut object) = payload.to_value() else { return payload.clone() };
    if let Some(version) = object.get_mut("apiVersion") {
        *version = api_version.into();
    }
    Payload::from(object)
}

fn group(api_version: &str) -> &str {
    api_version.rsplit_once('/').map_or("", |(group, _)| group)
}
