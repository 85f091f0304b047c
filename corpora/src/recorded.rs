//! The objects recorded in this project, built into the program.

use crate::embedded::unpacked;
use crate::load::{Input, LoadedCase, load};
use serde_json::Value;
use std::sync::LazyLock;
use takeover_harness::case::{Case, Operation, Options, Payload, Provenance};
use takeover_harness::judge::ask;
use takeover_harness::object::Arena;
use takeover_harness::oracle::Answer;
use takeover_harness::pair::Pair;

/// Every recorded case, read once.
static CASES: LazyLock<Vec<LoadedCase>> =
    LazyLock::new(|| load(inputs(), crate::load::Limits::default()).cases().flatten().collect());

/// Path within `corpora/` and text of every recorded file, in the order of the paths.
#[must_use]
pub fn builtin() -> &'static [(&'static str, &'static str)] {
    static FILES: LazyLock<Vec<(&str, &str)>> = LazyLock::new(|| {
        let packed = include_bytes!(concat!(env!("OUT_DIR"), "/recorded.gz"));
        unpacked(packed, include!(concat!(env!("OUT_DIR"), "/recorded.rs")))
    });
    &FILES
}

/// The recorded files as inputs of [`load`].
#[must_use]
pub fn inputs() -> Vec<Input> {
    builtin().iter().map(|(path, text)| Input::stream(*path, text.as_bytes())).collect()
}

/// The recorded cases that suit a pair, every option defined. A subresource, or a version without recorded objects, takes
/// those of its kind; for a kind that is not recorded there are none.
#[must_use]
pub fn cases_of(pair: &Pair) -> Vec<Case<'static>> {
    let of_kind = |case: &&LoadedCase| {
        case.kind == pair.id.subject.kind && group(&case.api_version) == group(&pair.id.subject.api_version)
    };
    let own = |case: &&LoadedCase| {
        case.api_version == pair.id.subject.api_version
            && (case.subresource == pair.id.subject.subresource || case.subresource.is_empty())
    };
    let mut cases: Vec<Case<'static>> =
        CASES.iter().filter(of_kind).filter(own).map(|loaded| loaded.case.clone()).collect();
    let foreign = cases.is_empty();
    if foreign {
        cases.extend(CASES.iter().filter(of_kind).map(|loaded| loaded.case.clone()));
    }
    for case in &mut cases {
        pair.define_options(&mut case.options);
        for payload in std::iter::once(&mut case.object).chain(&mut case.old).filter(|_| foreign) {
            *payload = with_version(payload, &pair.id.subject.api_version);
        }
    }
    cases
}

/// The objects of `cases`, new and old, each once, that the reference of `pair` accepts.
#[must_use]
pub fn accepted_objects(pair: &Pair, cases: &[Case]) -> Vec<Value> {
    let mut known = objects(cases);
    known.retain(|object| accepted(pair, object));
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
/// asked: what a wrong rule rejects is where cases should start.
#[must_use]
pub fn accepted(pair: &Pair, object: &Value) -> bool {
    let update = !pair.id.subject.subresource.is_empty();
    let mut case = Case {
        operation: if update { Operation::Update } else { Operation::Create },
        object: object.clone().into(),
        old: update.then(|| object.clone().into()),
        options: Options::new(),
        provenance: Provenance::Generated { seed: 0, chunk: 0, index: 0, planted: String::new() },
    };
    pair.define_options(&mut case.options);
    let arena = Arena::new();
    let mut answer = Answer::new();
    let answered = pair.prepare(&case, &arena).is_ok_and(|prepared| {
        ask(pair.reference.as_ref(), &prepared.question, &prepared.views.reference, &mut answer).is_ok()
    });
    answered && !answer.rejects()
}

/// The object as of another version. One that does not fit there will not decode.
fn with_version(payload: &Payload, api_version: &str) -> Payload<'static> {
    let Ok(mut object) = payload.to_value() else { return payload.clone().kept() };
    if let Some(version) = object.get_mut("apiVersion") {
        *version = api_version.into();
    }
    Payload::from(object)
}

fn group(api_version: &str) -> &str {
    api_version.rsplit_once('/').map_or("", |(group, _)| group)
}
