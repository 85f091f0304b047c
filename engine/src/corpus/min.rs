//! Reduces a corpus to the fewest cases that show the same things.
//!
//! Cases that show the same things stand for each other, so only the smallest of them is held. Of those, the one that adds most
//! is taken until nothing is left to add: not always the fewest there could be, but never more than a logarithm's factor of it.

use super::coverage::{Coverage, Shown};
use super::jury::{Jury, pairs};
use super::output::Output;
use super::reading::{CorpusInputs, CorpusReading};
use crate::ending::Ending;
use crate::say::Say;
use serde::Serialize;
use serde_json::Value;
use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::fs::File;
use std::path::{Path, PathBuf};
use takeover_corpora::redact::RedactionSettings;
use takeover_corpora::store::{self, line_of};

/// The result. Fields are only ever added.
#[derive(Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Minimised {
    /// Cases that were read.
    pub cases: u64,
    /// Cases of kinds that nothing can judge. They show nothing, so that none is kept.
    pub not_judged: u64,
    /// Cases that are kept.
    pub kept: u64,
    /// Different things that the cases show, and the kept ones too: outcomes, rules by operation and answer, faults that would
    /// have been exposed, errors, signatures.
    pub shown: usize,
    /// Documents and files that could not be read, by reason.
    pub unreadable: BTreeMap<String, u64>,
    /// Recorded requests that gave no case, by reason.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub skipped: BTreeMap<String, u64>,
}

/// A case that is held, for what it shows.
struct KeptCase {
    /// When it came.
    number: u64,
    text: String,
}

/// How the input corpora were redacted; none if an input is raw or not a corpus.
fn redacted(inputs: &[PathBuf]) -> Option<RedactionSettings> {
    let of = |place: &PathBuf| {
        let checked = store::check(&place.display().to_string(), File::open(place).ok()?).ok()?;
        checked.redacted.filter(|_| checked.raw == 0)
    };
    let all: Vec<RedactionSettings> = inputs.iter().map(of).collect::<Option<_>>()?;
    Some(RedactionSettings { names: all.iter().all(|settings| settings.names) })
}

/// Keeps the fewest cases of `inputs` in the corpus `out`.
///
/// # Errors
/// Returns an error when inputs do not exist, or the corpus cannot be written.
pub fn min(inputs: &CorpusInputs, out: &Path, say: Say<'_>) -> anyhow::Result<Minimised> {
    let pairs = pairs(inputs.types.as_deref())?;
    let mut jury = Jury::new(&pairs);
    let mut coverage = Coverage::new(&jury);
    let mut reading = CorpusReading::new(inputs, say)?;
    let mut done = Minimised::default();
    let mut numbers: HashMap<Shown, u32> = HashMap::new();
    let mut held: BTreeMap<Vec<u32>, KeptCase> = BTreeMap::new();
    for mut loaded in reading.by_ref() {
        done.cases += 1;
        let shown = coverage.of(&jury, &loaded);
        if shown.is_empty() {
            done.not_judged += 1;
            continue;
        }
        let mut set: Vec<u32> = Vec::with_capacity(shown.len());
        for one in shown {
            let next = u32::try_from(numbers.len()).unwrap_or(u32::MAX);
            set.push(*numbers.entry(one).or_insert(next));
        }
        set.sort_unstable();
        loaded.verdict = jury.verdict(&loaded);
        let text = serde_json::to_string(&line_of(&loaded))?;
        let number = done.cases;
        match held.get_mut(&set) {
            Some(known) if known.text.len() <= text.len() => {}
            Some(known) => known.text = text,
            None => _ = held.insert(set, KeptCase { number, text }),
        }
    }
    done.unreadable = reading.unreadable;
    done.skipped = reading.skipped;
    done.shown = numbers.len();
    let mut kept = fewest(held);
    kept.sort_by_key(|case| case.number);
    let mut output = Output::new(out, redacted(&inputs.files))?;
    for case in kept {
        output.case(&serde_json::from_str::<Value>(&case.text)?)?;
        done.kept += 1;
    }
    output.finish(|_| Ok(()))?;
    Ok(done)
}

/// Takes the case that adds most, of those the shortest, then the first, until nothing is left to add.
fn fewest(held: BTreeMap<Vec<u32>, KeptCase>) -> Vec<KeptCase> {
    let mut left: Vec<(Vec<u32>, KeptCase)> = held.into_iter().collect();
    let mut covered: HashSet<u32> = HashSet::new();
    let mut kept = Vec::new();
    loop {
        // What is covered adds nothing any more, and is forgotten.
        for (set, _) in &mut left {
            set.retain(|one| !covered.contains(one));
        }
        left.retain(|(set, _)| !set.is_empty());
        let best =
            left.iter().enumerate().max_by_key(|(_, (set, case))| (set.len(), Reverse((case.text.len(), case.number))));
        let Some((at, _)) = best else { return kept };
        let (set, case) = left.swap_remove(at);
        covered.extend(set);
        kept.push(case);
    }
}

impl Minimised {
    /// Returns how the command ends.
    pub fn ending(&self) -> Ending {
        match (self.kept, self.unreadable.is_empty()) {
            (0, _) => Ending::NothingCompared,
            (_, false) => Ending::Unreadable,
            (_, true) => Ending::Clean,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{KeptCase, fewest};

    #[test]
    fn the_fewest_cases_cover_everything_and_short_ones_come_first() {
        let held = |sets: &[(&[u32], u64, &str)]| {
            let one = |(set, number, text): &(&[u32], u64, &str)| {
                (set.to_vec(), KeptCase { number: *number, text: (*text).to_owned() })
            };
            let mut numbers: Vec<u64> = fewest(sets.iter().map(one).collect()).iter().map(|case| case.number).collect();
            numbers.sort_unstable();
            numbers
        };
        assert_eq!(held(&[(&[1, 2, 3], 1, "aaaa"), (&[1], 2, "a"), (&[2, 3], 3, "aa"), (&[4], 4, "a")]), [1, 4]);
        assert_eq!(held(&[(&[1, 2], 1, "aaaa"), (&[1, 3], 2, "a"), (&[2, 3], 3, "aaa")]), [2, 3]);
        assert_eq!(held(&[]), [0_u64; 0]);
    }
}
