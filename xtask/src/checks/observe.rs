//! What the handwritten validators report on generated, recorded and golden cases.

use crate::subjects::inputs;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use takeover_corpora::fixture::{self, Fixture};
use takeover_corpora::generate::Generator;
use takeover_corpora::recorded::{accepted_objects, cases_of};
use takeover_engine::pairs::message::bounds;
use takeover_harness::case::{Case, Operation};
use takeover_harness::error::FieldError;
use takeover_harness::judge::ask;
use takeover_harness::object::Arena;
use takeover_harness::oracle::Answer;
use takeover_harness::pair::Pair;
use takeover_harness::path::pattern;
use takeover_harness::release::Release;
use takeover_harness::rule::ErrorShape;
use takeover_harness::runner::Input;
use takeover_harness::subject::SubjectId;
use takeover_oracles::handwritten::request::RequestChecks;
use takeover_oracles::registry::Registry;

/// The releases that are asked.
pub const RELEASES: [Release; 3] = [Release::V1_35, Release::V1_36, Release::V1_37];

/// What makes a check another one.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Key {
    /// The subject, as it is printed.
    pub subject: String,
    /// Path pattern of the error.
    pub field: String,
    /// The error itself.
    pub error: ErrorShape,
    /// Whether the error says that a rule covers it.
    pub covered: bool,
    /// The bound that its message names.
    pub limit: Option<i64>,
    /// The values that its message names.
    pub values: Vec<String>,
}

/// Where a check was seen.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Seen {
    /// On which operations.
    pub operations: BTreeSet<Operation>,
    /// In which releases.
    pub releases: BTreeSet<Release>,
}

/// Every check that was seen.
pub type Checks = BTreeMap<Key, Seen>;

/// How many cases are generated.
#[derive(Clone, Copy, Debug)]
pub struct Amount {
    /// Cases of each subject.
    pub cases: u64,
    /// Seed of the cases.
    pub seed: u64,
}

/// Asks the validators of every release about recorded, golden and generated cases of every subject.
///
/// # Errors
/// Returns an error when the shipped types or the list itself cannot be read.
pub fn observe(amount: Amount) -> anyhow::Result<Checks> {
    let registry = Registry::of_builtin()?;
    let ids: Vec<SubjectId> = registry.subjects().chain(registry.without_rules()).collect();
    let (next, seen) = (AtomicUsize::new(0), Mutex::new(Checks::new()));
    let work = || -> anyhow::Result<()> {
        while let Some(id) = ids.get(next.fetch_add(1, Ordering::Relaxed)) {
            let mut checks = of_subject(&registry, id, amount)?;
            seen.lock().unwrap_or_else(PoisonError::into_inner).append(&mut checks);
        }
        Ok(())
    };
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        workers.into_iter().try_for_each(|worker| {
            worker.join().unwrap_or_else(|_| Err(anyhow::anyhow!("a handwritten validator panicked")))
        })
    })?;
    let mut seen = seen.into_inner().unwrap_or_else(PoisonError::into_inner);
    golden(&registry, &ids, &mut seen)?;
    Ok(seen)
}

fn of_subject(registry: &Registry, id: &SubjectId, amount: Amount) -> anyhow::Result<Checks> {
    let of = |release| registry.pair_of(id, release, RequestChecks::default());
    let pairs: Vec<(Release, Pair)> =
        RELEASES.iter().filter_map(|&release| Some((release, of(release).ok()?))).collect();
    // The pair of the built-in release says what is generated; an error of it is one of the program.
    let builtin = of(takeover_oracles::registry::RELEASE)?;
    let recorded = cases_of(&builtin);
    let generator = Generator::of(&builtin, accepted_objects(&builtin, &recorded), amount.seed);
    let chunk = takeover_corpora::generate::GeneratorSettings::of(&builtin, amount.seed).chunk_size.max(1);
    let mut checks = Checks::new();
    let mut answer = Answer::new();
    let mut judge = |case: &Case| {
        for (release, pair) in &pairs {
            judge(pair, *release, case, &mut answer, &mut checks);
        }
    };
    let shipped = inputs(std::slice::from_ref(&builtin));
    shipped.iter().for_each(|input| {
        if let Input::Case { case, .. } = input {
            judge(case)
        }
    });
    let generated = (0..amount.cases.div_ceil(chunk)).flat_map(|number| generator.chunk(number, amount.seed ^ number));
    usize::try_from(amount.cases).map(|cases| generated.take(cases).for_each(|made| judge(&made.case)))?;
    Ok(checks)
}

fn judge(pair: &Pair, release: Release, case: &Case, answer: &mut Answer, checks: &mut Checks) {
    let arena = Arena::new();
    let Ok(prepared) = pair.prepare(case, &arena) else { return };
    answer.clear();
    if ask(pair.reference.as_ref(), &prepared.question, &prepared.views.reference, answer).is_ok() {
        note(pair, release, case.operation, answer.errors.as_slice(), checks);
    }
}

/// Notes the checks that made `errors`. Parts that are delegated are not the kind's own: they have one entry in the pair.
fn note(pair: &Pair, release: Release, operation: Operation, errors: &[FieldError], checks: &mut Checks) {
    for error in errors {
        let field = pattern(&error.field);
        if pair.delegated.iter().any(|part| part.contains(&field)) {
            continue;
        }
        for (limit, values) in bounds(error.error_type, &error.detail) {
            let origin = error.origin.to_string();
            let key = Key {
                subject: pair.id.subject.to_string(),
                field: field.clone(),
                error: ErrorShape { error_type: error.error_type, field: field.clone(), origin },
                covered: error.covered_by_declarative,
                limit,
                values,
            };
            let seen = checks.entry(key).or_default();
            seen.operations.insert(operation);
            seen.releases.insert(release);
        }
    }
}

/// Notes what recorded verdicts say of the handwritten side.
fn golden(registry: &Registry, ids: &[SubjectId], checks: &mut Checks) -> anyhow::Result<()> {
    let mut pairs: BTreeMap<(&SubjectId, Release), Pair> = BTreeMap::new();
    for line in fixture::builtin().iter().flat_map(|(_, text)| text.lines()) {
        // Lines of other forms hold no verdict of the handwritten side.
        let Ok(fixture) = serde_json::from_str::<Fixture>(line) else { continue };
        let id = SubjectId::new(&fixture.api_version, &fixture.kind).with_subresource(&fixture.subresource);
        let Some(id) = ids.iter().find(|known| **known == id) else { continue };
        let (Ok(release), Some(errors)) = (Release::of_version(&fixture.kubernetes), &fixture.expect.handwritten)
        else {
            continue;
        };
        let pair = match pairs.entry((id, release)) {
            std::collections::btree_map::Entry::Occupied(known) => known.into_mut(),
            std::collections::btree_map::Entry::Vacant(free) => {
                match registry.pair_of(id, release, RequestChecks::default()) {
                    Ok(pair) => free.insert(pair),
                    Err(takeover_oracles::registry::RegistryError::NoReference { .. }) => continue,
                    Err(error) => return Err(error.into()),
                }
            }
        };
        note(pair, release, fixture.operation, errors, checks);
    }
    Ok(())
}
