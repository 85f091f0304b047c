//! What both sides and the harness cost, on one core, as ratios within one run.

use super::measure::{Work, measure};
use super::row::{Row, beside_copy, row};
use super::{defaulting, generated};
use serde_json::Value;
use std::hint::black_box;
use std::time::Duration;
use takeover_harness::case::{Case, Operation, Payload};
use takeover_harness::evidence::{CasePlace, PairEvidence};
use takeover_harness::judge::{CaseRecord, Judge};
use takeover_harness::object::Arena;
use takeover_harness::oracle::{Answer, Oracle, Question, View};
use takeover_harness::pair::{Pair, Prepared};
use takeover_harness::side::Side;

/// Cases that are measured, all of which both sides accept.
pub struct Workload {
    /// As trees.
    cases: Vec<Case<'static>>,
    /// The same as JSON text.
    texts: Vec<Case<'static>>,
}

impl Workload {
    /// The accepted ones among `cases`, the old objects of updates included. With `pad`, objects are brought to that many bytes
    /// of JSON by an annotation.
    pub fn new(pair: &Pair, cases: &[Case], pad: Option<usize>) -> Self {
        let mut workload = Self { cases: Vec::new(), texts: Vec::new() };
        for case in cases {
            let Some(case) = pad.map_or_else(|| Some(case.clone().kept()), |bytes| padded(case, bytes)) else {
                continue;
            };
            let (mut arena, mut record) = (Arena::new(), CaseRecord::new());
            let judge = Judge::new(pair);
            let _ = judge.case(&case, &mut arena, &mut record);
            if !(record.reference.errors.is_empty() && record.candidate.errors.is_empty() && record.panics.is_empty()) {
                continue;
            }
            workload.add(case);
        }
        workload
    }

    /// These cases, as they are.
    pub(super) fn of_cases(cases: Vec<Case<'static>>) -> Self {
        let mut workload = Self { cases: Vec::new(), texts: Vec::new() };
        cases.into_iter().for_each(|case| workload.add(case));
        workload
    }

    /// The cases, as trees.
    pub(super) fn cases(&self) -> impl Iterator<Item = &Case<'static>> {
        self.cases.iter()
    }

    /// The cases, as JSON text.
    pub(super) fn texts(&self) -> impl Iterator<Item = &Case<'static>> {
        self.texts.iter()
    }

    /// Adds a case as tree and as text; one that is no JSON is left out.
    fn add(&mut self, case: Case<'static>) {
        let text = |payload: &Payload| {
            payload.to_value().ok().map(|value| Payload::Json(value.to_string().into_bytes().into()))
        };
        let Some(object) = text(&case.object) else { return };
        let old = case.old.as_ref().and_then(text);
        self.texts.push(Case { object, old, ..case.clone() });
        self.cases.push(case);
    }

    /// Number of cases.
    pub fn number(&self) -> usize {
        self.cases.len()
    }

    /// Mean bytes of JSON of the objects of the requests.
    pub fn mean_bytes(&self) -> usize {
        let bytes: usize = self.texts.iter().map(|case| json(&case.object).len()).sum();
        bytes / self.texts.len().max(1)
    }
}

fn json<'p>(payload: &'p Payload<'_>) -> &'p [u8] {
    match payload {
        Payload::Json(text) => text,
        Payload::Value(_) | Payload::Stored(_) | Payload::Tree(_) => &[],
    }
}

/// `case` with an annotation that brings its objects to `bytes` bytes of JSON; none when they are larger or no JSON objects.
pub fn padded(case: &Case, bytes: usize) -> Option<Case<'static>> {
    let pad = |payload: &Payload| {
        let mut value = payload.to_value().ok()?;
        let missing = bytes.checked_sub(value.to_string().len())?;
        let metadata = value.get_mut("metadata")?.as_object_mut()?;
        let annotations = metadata.entry("annotations").or_insert_with(|| serde_json::json!({}));
        annotations.as_object_mut()?.insert("example.com/note".to_owned(), "x".repeat(missing).into());
        Some(Payload::from(value))
    };
    let old = match &case.old {
        Some(old) => Some(pad(old)?),
        None => None,
    };
    Some(Case { object: pad(&case.object)?, old, ..case.clone().kept() })
}

/// Whether a reference may use what it remembers of earlier judgements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Memory {
    /// It forgets before every judgement.
    Cold,
    /// It has judged every case before.
    Warm,
}

/// Measures a subject over its workload for about `time`, with `each` also the handwritten side on every case alone. A
/// reference that remembers earlier judgements forgets them before every case, except for generated cases, and where a line says otherwise.
///
/// # Errors
/// Returns an error when no case can be generated, or no thread be started.
pub fn run(pair: &Pair, workload: &Workload, time: Duration, each: bool) -> anyhow::Result<Vec<Row>> {
    let judge = Judge::new(pair);
    let arena = Arena::new();
    let values = defaulting::values(workload.cases());
    let decoded = defaulting::decoded(pair, &values, &arena);
    let mut objects: Vec<Value> = Vec::new();
    values.iter().for_each(|value| {
        if !objects.contains(value) {
            objects.push(value.clone())
        }
    });
    let prepared: Vec<(&Case, Prepared<'_>)> = workload
        .cases
        .iter()
        .filter_map(|case| pair.prepare(case, &arena).ok().map(|prepared| (case, prepared)))
        .collect();
    let of = |operation: Operation| prepared.iter().filter(move |(case, _)| case.operation == operation);
    let decode: Work<'_> = Box::new(|| decode_all(pair, workload));
    let view: Work<'_> = Box::new(|| view_all(pair, &prepared));
    let from_bytes: Work<'_> = {
        let (mut arena, mut record) = (Arena::new(), CaseRecord::new());
        let mut evidence = PairEvidence::of(&judge);
        let judge = &judge;
        Box::new(move || {
            for case in &workload.texts {
                pair.reference.forget();
                let verdict = judge.case(case, &mut arena, &mut record);
                evidence.record(CasePlace::default(), case, &verdict, &record);
            }
            workload.texts.len()
        })
    };
    let from_prepared = recorded(&judge, &prepared);
    let silent = super::silent::pair_like(pair);
    let silent_judge = Judge::new(&silent);
    let silent_cases: Vec<_> =
        prepared.iter().map(|(case, ready)| super::silent::case_like(pair, case, ready)).collect();
    let harness_alone = recorded(&silent_judge, &silent_cases);
    let mut names: Vec<String> = [
        "decode and default, from JSON bytes",
        "typed view for the handwritten side",
        "JSON bytes to recorded verdict",
        "prepared comparison to recorded verdict",
        "comparison and record alone, both sides silent",
    ]
    .map(str::to_owned)
    .into();
    let mut works = vec![decode, view, from_bytes, from_prepared, harness_alone];
    let defaults = defaulting::works(pair, &decoded);
    names.extend(defaulting::NAMES.iter().take(defaults.len()).map(|name| (*name).to_owned()));
    works.extend(defaults);
    let reference = pair.reference.as_ref();
    let mut again = Vec::new();
    for operation in Operation::ALL {
        let chosen: Vec<&Prepared<'_>> = of(operation).map(|(_, prepared)| prepared).collect();
        if chosen.is_empty() {
            continue;
        }
        for (name, side) in [("declarative", Side::Candidate), ("handwritten", Side::Reference)] {
            names.push(format!("{name} alone, {operation}"));
            works.push(alone(pair.oracle(side), Memory::Cold, asked(side, &chosen)));
        }
        if reference.forget() {
            again.push((
                format!("handwritten alone, {operation}, seen before"),
                alone(reference, Memory::Warm, asked(Side::Reference, &chosen)),
            ));
        }
    }
    if each {
        for (case, ready) in &prepared {
            names.push(format!("handwritten alone, {}, {}", case.operation, case.provenance));
            works.push(alone(reference, Memory::Cold, asked(Side::Reference, &[ready])));
        }
    }
    let mut measured = measure(time / 2, &mut works);
    drop(works);
    names.extend(generated::NAMES.map(str::to_owned));
    measured.extend(generated::measured(pair, objects, time / 2)?);
    // Measured by themselves: the others make the reference forget.
    for (name, work) in again {
        names.push(name);
        measured.extend(measure(time / 8, &mut [work]));
    }
    let decode = measured.first().map_or(f64::NAN, |decode| decode.median_ns);
    let mut rows: Vec<Row> =
        names.into_iter().zip(measured).map(|(what, measured)| row(&pair.id, what, measured, decode)).collect();
    beside_copy(&mut rows, defaulting::COPY, defaulting::DEFAULT);
    Ok(rows)
}

/// Judges prepared cases, records the results, and returns the number of cases.
fn recorded<'w>(judge: &'w Judge<'w>, prepared: &'w [(&'w Case, Prepared<'w>)]) -> Work<'w> {
    let pair = judge.pair();
    let mut record = CaseRecord::new();
    let mut evidence = PairEvidence::of(judge);
    Box::new(move || {
        for (case, ready) in prepared {
            pair.reference.forget();
            let verdict = judge.prepared(ready, &mut record);
            evidence.record(CasePlace::default(), case, &verdict, &record);
        }
        prepared.len()
    })
}

/// A question to one side.
pub(super) type Asked<'w> = (&'w Question<'w>, &'w View<'w>);

/// What the oracle of a side is asked about prepared cases.
pub(super) fn asked<'w>(side: Side, prepared: &[&'w Prepared<'w>]) -> Vec<Asked<'w>> {
    prepared.iter().map(|ready| (&ready.question, ready.views.of(side))).collect()
}

/// Asks one side about prepared cases, and returns their number.
pub(super) fn alone<'w>(oracle: &'w dyn Oracle, memory: Memory, chosen: Vec<Asked<'w>>) -> Work<'w> {
    let mut answer = Answer::new();
    Box::new(move || {
        for (question, view) in &chosen {
            answer.clear();
            if memory == Memory::Cold {
                oracle.forget();
            }
            let _ = black_box(oracle.answer(question, view, &mut answer));
        }
        chosen.len()
    })
}

/// Decodes and defaults both objects of every case; returns the number of cases.
pub(super) fn decode_all(pair: &Pair, workload: &Workload) -> usize {
    let mut arena = Arena::new();
    for case in &workload.texts {
        arena.reset();
        for payload in std::iter::once(&case.object).chain(&case.old) {
            let _ = black_box(pair.decode(payload, &arena).is_ok());
        }
    }
    workload.texts.len()
}

/// Builds the handwritten side's typed objects of every case; returns the number of cases.
fn view_all(pair: &Pair, prepared: &[(&Case, Prepared<'_>)]) -> usize {
    let mut arena = Arena::new();
    for (_, ready) in prepared {
        arena.reset();
        let _ = black_box(pair.reference.view(&ready.question.objects, &arena).is_ok());
    }
    prepared.len()
}
