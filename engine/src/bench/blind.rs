//! How many cases it takes until a planted fault is found: our generator against objects filled at random by their types.

use super::source::Ours;
use serde::Serialize;
use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use takeover_corpora::generate::{Blind, Generator, GeneratorSettings};
use takeover_corpora::recorded::{accepted_objects, cases_of};
use takeover_harness::case::Operation;
use takeover_harness::evidence::PairEvidence;
use takeover_harness::judge::Judge;
use takeover_harness::object::Arena;
use takeover_harness::pair::Pair;
use takeover_harness::rule::Rule;
use takeover_harness::runner::{Budget, CaseSource, Cases, Chunk, FixedCases, Input, Part, Run, RunError, Steering};
use takeover_harness::text::percent_of;

/// How much is run.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    /// Seed of both sources.
    pub seed: u64,
    /// Cases of each source for a subject.
    pub cases: u64,
    /// Threads. The result does not depend on it.
    pub jobs: NonZeroUsize,
}

/// The result of both sources on the subjects of a kind.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Row {
    /// The kind; `all` for the sum of all.
    pub kind: String,
    /// Subjects: its versions and subresources.
    pub subjects: usize,
    /// Planted faults that a case can expose, on both sides.
    pub controls: usize,
    /// Those that either source found.
    pub either: usize,
    /// The generator.
    pub ours: FaultsFound,
    /// Objects filled at random.
    pub blind: FaultsFound,
    /// How many times as many cases the blind source took, as geometric mean over the faults that either source found. A
    /// fault that a source did not find counts as found by the case after its last.
    pub ratio: Option<f64>,
    /// Whether the ratio is a lower bound: the blind source missed some faults, and the generator missed none that it found.
    pub at_least: bool,
    /// Faults for which the blind source took 10, 100 and 1,000 times as many cases, or found nothing in so many.
    pub slower: [usize; 3],
    /// When each source had found as many faults as the blind one found in all; none if that is more than ours found.
    pub same: Option<Same>,
}

/// Cases until both sources had found the same number of faults, summed over subjects.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Same {
    /// Faults.
    pub faults: usize,
    /// Cases of the generator.
    pub ours: u64,
    /// Cases of the blind source.
    pub blind: u64,
}

impl Same {
    /// How many times as many cases the blind source took.
    pub fn ratio(self) -> f64 {
        #[expect(clippy::cast_precision_loss, reason = "numbers of cases are far below 2^52")]
        {
            self.blind as f64 / self.ours.max(1) as f64
        }
    }
}

/// What one source found.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct FaultsFound {
    /// Faults found.
    pub found: usize,
    /// Of 100 cases, how many were compared; the others did not decode, or an oracle could not take them.
    pub compared_percent: f64,
    /// Median of the cases until found, over the faults that either source found; none when this one found less than half.
    pub median: Option<f64>,
    /// Their geometric mean; a lower bound unless it found all of them.
    pub geometric_mean: Option<f64>,
}

/// What was seen on one subject.
pub struct Race {
    kind: String,
    cases: u64,
    /// Cases until found, by the generator and by the blind source, of every fault that a case can expose.
    found: Vec<[Option<u64>; 2]>,
    /// Cases that were judged, and those of them that were compared.
    judged: [[u64; 2]; 2],
}

/// Runs both sources on a pair.
///
/// # Errors
/// Returns an error when the run cannot be carried out.
pub fn race(pair: &Pair, effort: Effort) -> Result<Race, RunError> {
    let ours = Generator::of(pair, accepted_objects(pair, &cases_of(pair)), effort.seed);
    let mut settings = GeneratorSettings::of(pair, effort.seed);
    settings.options.extend(pair.rules.iter().flat_map(Rule::option_names).map(str::to_owned));
    settings.options.sort_unstable();
    settings.options.dedup();
    let chunk_len = settings.chunk_size;
    let blind = Blind::new(pair.form.schema.clone(), pair.form.root, settings);
    let ours = Ours { generator: &ours, chunk_len, first: 0, seed: effort.seed };
    let blind = Theirs { blind: &blind, chunk_len };

    let judges = [Judge::new(pair)];
    let run = Run::new(&judges, effort.jobs).with_controls();
    let (ours_found, ours_judged) = expose(&run, &ours, effort)?;
    let (blind_found, blind_judged) = expose(&run, &blind, effort)?;
    Ok(Race {
        kind: pair.id.subject.kind.clone(),
        cases: effort.cases,
        found: ours_found.into_iter().zip(blind_found).map(|(ours, blind)| [ours, blind]).collect(),
        judged: [ours_judged, blind_judged],
    })
}

/// The cases of the blind source.
struct Theirs<'b> {
    blind: &'b Blind,
    chunk_len: u64,
}

impl CaseSource for Theirs<'_> {
    fn chunk_len(&self) -> u64 {
        self.chunk_len
    }

    fn cases<'c>(&'c self, chunk: Chunk, _: &'c Arena) -> Box<dyn Cases<'c> + 'c> {
        let cases = self.blind.chunk(chunk.number, chunk.seed);
        Box::new(FixedCases(cases.map(|case| Input::Case { subject: 0, case, shows: Vec::new() })))
    }
}

/// The cases until each control was found that a case can expose; then the cases that were judged and those compared.
fn expose(run: &Run<'_>, source: &dyn CaseSource, effort: Effort) -> Result<(Vec<Option<u64>>, [u64; 2]), RunError> {
    let control = Steering { stop: &|| false, progress: &|_| {} };
    let result = run.generated(source, effort.seed, Budget::Cases(effort.cases), Part::default(), control)?;
    let (mut found, mut judged) = (Vec::new(), [0; 2]);
    for evidence in result.evidence.pairs() {
        let number = |at| evidence.exposed(at).map(|place| place.chunk * source.chunk_len() + place.index + 1);
        found.extend(telling(evidence).map(number));
        for operation in Operation::ALL {
            let counts = &evidence.operation(operation).counts;
            judged = [judged[0] + counts.cases, judged[1] + counts.compared];
        }
    }
    Ok((found, judged))
}

/// The controls that a case can expose.
fn telling(evidence: &PairEvidence) -> impl Iterator<Item = usize> + '_ {
    let controls = evidence.controls().iter().enumerate();
    controls.filter(|(_, control)| control.equivalent.is_none()).map(|(at, _)| at)
}

/// Returns a line for each kind, sorted by name, and one for all if there are several.
pub fn rows(races: &[Race]) -> Vec<Row> {
    let mut kinds: BTreeMap<&str, Vec<&Race>> = BTreeMap::new();
    for race in races {
        kinds.entry(&race.kind).or_default().push(race);
    }
    let mut rows: Vec<Row> = kinds.iter().map(|(kind, races)| row(kind, races)).collect();
    if rows.len() > 1 {
        rows.push(row("all", &races.iter().collect::<Vec<_>>()));
    }
    rows
}

fn row(kind: &str, races: &[&Race]) -> Row {
    let all = || races.iter().flat_map(|race| race.found.iter().map(|found| (race.cases, *found)));
    let either: Vec<(u64, [Option<u64>; 2])> = all().filter(|(_, found)| found.iter().any(Option::is_some)).collect();
    let ours = summarise(&either, races, 0);
    let blind = summarise(&either, races, 1);
    let ratio = ours.geometric_mean.zip(blind.geometric_mean).map(|(ours, blind)| blind / ours);
    let at_least = ours.found == either.len() && blind.found < either.len();
    let slower = [10, 100, 1_000].map(|times| {
        let is_slower = |(cases, [ours, blind]): &&(u64, [Option<u64>; 2])| {
            let blind = blind.unwrap_or(cases.saturating_add(1));
            ours.is_some_and(|ours| blind >= ours.saturating_mul(times))
        };
        either.iter().filter(is_slower).count()
    });
    let (kind, subjects, controls, either) = (kind.to_owned(), races.len(), all().count(), either.len());
    Row { kind, subjects, controls, either, ours, blind, ratio, at_least, slower, same: same(races) }
}

/// When each source had found as many faults of every subject as the blind one found in all.
fn same(races: &[&Race]) -> Option<Same> {
    let mut sum = Same { faults: 0, ours: 0, blind: 0 };
    for race in races {
        let of = |source: usize| {
            let mut until: Vec<u64> = race.found.iter().filter_map(|found| *found.get(source)?).collect();
            until.sort_unstable();
            until
        };
        let (ours, blind) = (of(0), of(1));
        let Some(last) = blind.len().checked_sub(1) else { continue };
        sum.faults += blind.len();
        sum.ours += ours.get(last)?;
        sum.blind += blind.get(last)?;
    }
    (sum.faults > 0).then_some(sum)
}

/// What the source with this number found.
fn summarise(either: &[(u64, [Option<u64>; 2])], races: &[&Race], source: usize) -> FaultsFound {
    let found = either.iter().filter(|(_, found)| found.get(source).is_some_and(Option::is_some)).count();
    let mut until: Vec<u64> = either
        .iter()
        .map(|(cases, found)| found.get(source).copied().flatten().unwrap_or(cases.saturating_add(1)))
        .collect();
    until.sort_unstable();
    #[expect(clippy::cast_precision_loss, reason = "numbers of cases are far below 2^52")]
    let until: Vec<f64> = until.into_iter().map(|cases| cases as f64).collect();
    let [judged, compared] = races
        .iter()
        .filter_map(|race| race.judged.get(source))
        .fold([0; 2], |sum, of| [sum[0] + of[0], sum[1] + of[1]]);
    let middle = until.len().saturating_sub(1) / 2;
    #[expect(clippy::cast_precision_loss, reason = "numbers of cases are far below 2^52")]
    FaultsFound {
        found,
        compared_percent: percent_of(compared, judged),
        median: until.get(middle).copied().filter(|_| found > middle),
        geometric_mean: (!until.is_empty())
            .then(|| (until.iter().map(|cases| cases.ln()).sum::<f64>() / until.len() as f64).exp()),
    }
}

#[cfg(test)]
mod tests {
    use super::{Race, Same, rows};

    fn race(kind: &str, found: &[[Option<u64>; 2]]) -> Race {
        Race { kind: kind.to_owned(), cases: 999, found: found.to_vec(), judged: [[10, 10], [20, 15]] }
    }

    #[test]
    fn what_the_blind_source_did_not_find_makes_the_ratio_a_lower_bound() {
        let one = race("A", &[[Some(10), Some(100)], [Some(1), None], [None, None]]);
        let rows = rows(&[one]);
        let [row] = rows.as_slice() else { panic!("one kind has one line") };
        assert_eq!((row.controls, row.ours.found, row.blind.found, row.at_least), (3, 2, 1, true));
        // √(10 · 1) against √(100 · 1000).
        assert!((row.ratio.unwrap() - 100.0).abs() < 1e-6, "{row:?}");
        assert_eq!((row.ours.median, row.blind.median), (Some(1.0), Some(100.0)));
        assert!((row.blind.compared_percent - 75.0).abs() < 1e-9);
        assert_eq!(row.slower, [2, 1, 1], "100 to 10, and none in 999 to 1");
        assert_eq!(row.same, Some(Same { faults: 1, ours: 1, blind: 100 }));
    }

    #[test]
    fn a_ratio_is_no_bound_where_ours_missed_a_fault_or_both_found_all() {
        let rows = rows(&[race("B", &[[Some(2), Some(20)]]), race("A", &[[None, Some(7)], [Some(1), None]])]);
        let kinds: Vec<&str> = rows.iter().map(|row| row.kind.as_str()).collect();
        assert_eq!(kinds, ["A", "B", "all"]);
        assert!(rows.iter().all(|row| !row.at_least), "{rows:?}");
        assert_eq!((rows[2].controls, rows[2].subjects), (3, 2));
    }

    #[test]
    fn a_kind_without_any_find_has_no_ratio() {
        let rows = rows(&[race("A", &[[None, None]])]);
        assert_eq!((rows[0].ratio, rows[0].ours.median, rows[0].same), (None, None, None));
    }
}
