//! What the handwritten validators are seen to refuse: the list of their checks, made anew.

use regex::Regex;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;
use takeover_corpora::generate::Generator;
use takeover_corpora::recorded::{accepted, cases_of, objects};
use takeover_harness::case::{Case, Operation};
use takeover_harness::catalogue::Catalogue as _;
use takeover_harness::check::Check;
use takeover_harness::error::{ErrorType, FieldError};
use takeover_harness::judge::{CaseRecord, Judge};
use takeover_harness::object::Arena;
use takeover_harness::pair::Pair;
use takeover_harness::rule::ErrorShape;
use takeover_oracles::handwritten::checks::CheckList;
use takeover_oracles::registry::Registry;

/// What was seen of a check.
#[derive(Default)]
struct SeenCheck {
    operations: BTreeSet<Operation>,
    covered: bool,
    values: BTreeSet<String>,
}

/// Judges `cases` generated cases of each subject with each seed, beside the built-in objects, and lists what the references refuse,
/// together with what `known` lists already.
///
/// # Errors
/// Returns an error when the types of a subject cannot be compiled.
pub fn observed(known: &CheckList, cases: usize, seeds: &[u64]) -> anyhow::Result<CheckList> {
    let registry = Registry::of_builtin()?;
    let mut list = known.clone();
    for id in registry.ids() {
        let pair = registry.pair(&id)?;
        let mut seen = BTreeMap::new();
        for seed in seeds {
            observe(&pair, cases, *seed, &mut seen);
        }
        let checks = list.entry(id.to_string()).or_default();
        for ((shape, limit), SeenCheck { operations, covered, values }) in seen {
            let known = checks.iter().position(|check| check.error == shape && check.limit == limit);
            let mut check = Check {
                error: shape,
                operations: operations.into_iter().collect(),
                covered,
                limit,
                values: values.into_iter().collect(),
            };
            match known.and_then(|at| checks.get_mut(at)) {
                Some(listed) => {
                    check.operations.extend(listed.operations.iter().copied());
                    check.operations.sort_unstable();
                    check.operations.dedup();
                    *listed = check;
                }
                None => checks.push(check),
            }
        }
        checks.sort_by(|one, other| {
            let key = |check: &Check| (check.error.field.clone(), check.error.clone(), check.limit);
            key(one).cmp(&key(other))
        });
    }
    Ok(list)
}

fn observe(pair: &Pair, cases: usize, seed: u64, seen: &mut BTreeMap<(ErrorShape, Option<i64>), SeenCheck>) {
    let builtin = cases_of(pair);
    let recorded = objects(&builtin).into_iter().filter(|object| accepted(pair, object)).collect();
    let generator = Generator::of(pair, recorded, seed);
    let chunks = (0_u64..).flat_map(|number| generator.chunk(number, seed.wrapping_add(number)));
    let judge = Judge::new(pair).without_causes();
    let (mut arena, mut record) = (Arena::new(), CaseRecord::new());
    let mut judged = |case: &Case| {
        let _ = judge.case(case, &mut arena, &mut record);
        for error in &record.reference.errors {
            let of = seen.entry((ErrorShape::of(error), limit(error))).or_default();
            of.operations.insert(case.operation);
            of.covered |= error.covered_by_declarative;
            of.values.extend(supported(error));
        }
    };
    builtin.iter().for_each(&mut judged);
    chunks.take(cases).for_each(|generated| judged(&generated.case));
}

/// The last good number that the words of an error tell.
fn limit(error: &FieldError) -> Option<i64> {
    static MOST: LazyLock<Option<Regex>> = LazyLock::new(|| {
        let words = [
            r"(?:may not be|must be no|must not be|must be) (?:more|longer) than (-?\d+)",
            r"must have at most (-?\d+)",
            r"must be less than or equal to (-?\d+)",
            r"must be greater than or equal to (-?\d+)",
            r"must have at least (-?\d+)",
            r"must be at least (-?\d+)",
            r"must be at most (-?\d+)",
        ];
        Regex::new(&words.join("|")).ok()
    });
    static OPEN: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"must be (greater|less) than (-?\d+)").ok());
    let number = |text: &str| text.parse::<i64>().ok();
    if let Some(found) = MOST.as_ref()?.captures(&error.detail) {
        return found.iter().skip(1).flatten().next().and_then(|found| number(found.as_str()));
    }
    let found = OPEN.as_ref()?.captures(&error.detail)?;
    let bound = number(found.get(2)?.as_str())?;
    Some(if found.get(1)?.as_str() == "greater" { bound.saturating_add(1) } else { bound.saturating_sub(1) })
}

/// The values that the words of an error list as supported.
fn supported(error: &FieldError) -> Vec<String> {
    static QUOTED: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r#""([^"]*)""#).ok());
    let listed =
        error.detail.strip_prefix("supported values: ").filter(|_| error.error_type == ErrorType::NotSupported);
    let (Some(listed), Some(quoted)) = (listed, QUOTED.as_ref()) else { return Vec::new() };
    quoted.captures_iter(listed).filter_map(|found| Some(found.get(1)?.as_str().to_owned())).collect()
}

#[cfg(test)]
mod tests {
    use super::{limit, supported};
    use takeover_harness::error::{ErrorType, FieldError};
    use takeover_harness::path::Path;

    fn saying(error_type: ErrorType, detail: &'static str) -> FieldError {
        FieldError::new(error_type, &Path::ROOT, 1, detail)
    }

    #[test]
    fn words_tell_limits_and_values() {
        for (detail, expected) in [
            ("may not be more than 63 bytes", Some(63)),
            ("must be no more than 63 characters", Some(63)),
            ("must have at most 256 items", Some(256)),
            ("must be greater than or equal to 0", Some(0)),
            ("must be greater than 0", Some(1)),
            ("must be less than 65536", Some(65535)),
            ("must be unset", None),
        ] {
            assert_eq!(limit(&saying(ErrorType::Invalid, detail)), expected, "{detail}");
        }
        let error = saying(ErrorType::NotSupported, "supported values: \"A\", \"B c\"");
        assert_eq!(supported(&error), ["A", "B c"]);
    }
}
