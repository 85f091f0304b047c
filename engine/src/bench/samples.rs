//! The declarative side alone, on one object of about 1 KB each of kinds with and without a handwritten reference.

use super::measure::{Measured, Work, measure};
use super::row::{Row, row};
use anyhow::Context as _;
use serde_json::Value;
use std::hint::black_box;
use std::time::Duration;
use takeover_harness::case::{Operation, Options};
use takeover_harness::object::{Arena, from_bytes};
use takeover_harness::oracle::{Answer, Objects, Oracle as _, Question, View};
use takeover_harness::subject::SubjectId;
use takeover_oracles::registry::Registry;

/// Objects as an API server stores them: a long one with few rules, one whose rules look at a list, and one rich in rules.
const SAMPLES: [(&str, &str, &str); 3] = [
    ("v1", "ReplicationController", include_str!("objects/replicationcontroller.json")),
    ("certificates.k8s.io/v1", "CertificateSigningRequest", include_str!("objects/certificatesigningrequest.json")),
    ("resource.k8s.io/v1", "ResourceClaim", include_str!("objects/resourceclaim.json")),
];

/// Judgements between two looks at the clock: one takes less time than looking.
const BATCH: usize = 256;

/// The kinds with a sample.
pub fn kinds() -> impl Iterator<Item = SubjectId> {
    SAMPLES.iter().map(|(api_version, kind, _)| SubjectId::new(*api_version, *kind))
}

/// Measures decoding, a create and an unchanged update of the sample of `id` for about `time`. Returns nothing if there is no
/// sample.
///
/// # Errors
/// Returns an error when the sample does not decode, or has errors: rules that fail would be measured making errors.
pub fn run(registry: &Registry, id: &SubjectId, time: Duration) -> anyhow::Result<Vec<Row>> {
    let of_kind = |sample: &&(&str, &str, &str)| (sample.0, sample.1) == (id.api_version.as_str(), id.kind.as_str());
    let Some((_, _, text)) = SAMPLES.iter().find(of_kind) else { return Ok(Vec::new()) };
    let text = serde_json::from_str::<Value>(text).context("the sample is not JSON")?.to_string();
    let (root, oracle) = registry.candidate(id)?;
    let schema = registry.schema();

    let (arena, options) = (Arena::new(), Options::new());
    let decode = || from_bytes(schema, root, text.as_bytes(), &arena).with_context(|| format!("sample of {id}"));
    let (new, stored) = (decode()?, decode()?);
    let judge = |operation| {
        let question = Question {
            operation,
            objects: Objects { schema, root, new, old: (operation == Operation::Update).then_some(stored), sent: None },
            options: &options,
            subresource: "",
        };
        let (view, mut answer) = (View::none(), Answer::new());
        oracle.answer(&question, &view, &mut answer).with_context(|| format!("sample of {id}"))?;
        anyhow::ensure!(answer.errors.is_empty(), "the sample of {id} has errors: {:?}", answer.errors.as_slice());
        let oracle = &oracle;
        let work: Work<'_> = Box::new(move || {
            for _ in 0..BATCH {
                answer.clear();
                let _ = black_box(oracle.answer(black_box(&question), &view, &mut answer));
            }
            BATCH
        });
        Ok(work)
    };
    let decode_alone: Work<'_> = {
        let mut arena = Arena::new();
        let text = text.as_bytes();
        Box::new(move || {
            for _ in 0..BATCH {
                arena.reset();
                let _ = black_box(from_bytes(schema, root, black_box(text), &arena).is_ok());
            }
            BATCH
        })
    };
    let mut works = [decode_alone, judge(Operation::Create)?, judge(Operation::Update)?];
    let measured = measure(time, &mut works);
    let decode = measured.first().map_or(f64::NAN, |Measured { median_ns, .. }| *median_ns);
    let names = ["decode alone", "declarative alone, create", "declarative alone, update without change"];
    let rows = names.into_iter().zip(measured);
    Ok(rows
        .map(|(what, measured)| row(&id.clone().into(), format!("{what} ({} bytes)", text.len()), measured, decode))
        .collect())
}
