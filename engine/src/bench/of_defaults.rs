//! The defaulting of a kind, beside decoding and a deep copy, also of one that nothing validates.

use super::defaulting::{COPY, DEFAULT, NAMES, decode, decoded, values, works};
use super::measure::measure;
use super::row::{Row, beside_copy, row};
use std::time::Duration;
use takeover_corpora::generate::Generator;
use takeover_corpora::recorded::cases_of;
use takeover_harness::case::Case;
use takeover_harness::catalogue::Catalogue as _;
use takeover_harness::object::Arena;
use takeover_harness::subject::{PairId, SubjectId};
use takeover_oracles::defaults;
use takeover_oracles::registry::{Registry, RegistryError};

/// Seed of the cases: the same every time.
const SEED: u64 = 5;

/// Generated objects that are measured where none are recorded.
const GENERATED: u64 = 256;

/// Measures decoding, defaulting and a deep copy of the objects of a kind that sets defaults, for about `time`: of a kind that nothing
/// validates too. Objects are the recorded ones, or else generated ones.
///
/// # Errors
/// Returns an error when code and markers set nothing in objects of the kind.
pub fn of_defaults(registry: &Registry, id: &SubjectId, time: Duration) -> Result<Vec<Row>, RegistryError> {
    let mut pair = registry.pair(&PairId::named(id.clone(), defaults::NAME)?)?;
    pair.form.defaulter = registry.defaults(id);
    let mut objects = values(cases_of(&pair).iter());
    if objects.is_empty() {
        let generator = Generator::of(&pair, Vec::new(), SEED);
        let cases: Vec<Case<'static>> =
            (0..GENERATED).filter_map(|index| generator.case(0, SEED, index)).map(|made| made.case).collect();
        objects = values(cases.iter());
    }
    let texts: Vec<String> = objects.iter().map(ToString::to_string).collect();
    let arena = Arena::new();
    let nodes = decoded(&pair, &objects, &arena);
    let mut all = vec![decode(&pair.form, &texts)];
    all.extend(works(&pair, &nodes));
    let measured = measure(time, &mut all);
    let base = measured.first().map_or(f64::NAN, |of| of.median_ns);
    let names = ["decode alone"].into_iter().chain(NAMES);
    let mut rows: Vec<Row> = names.zip(measured).map(|(what, of)| row(&pair.id, what.to_owned(), of, base)).collect();
    beside_copy(&mut rows, COPY, DEFAULT);
    Ok(rows)
}
