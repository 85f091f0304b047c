//! The shard of this machine, from the variables that schedulers and CI systems set.

use takeover_harness::runner::Shard;

/// A pair of variables that say which of how many parts this machine has.
struct Known {
    /// Whose they are.
    of: &'static str,
    number: &'static str,
    total: &'static str,
    /// Whether numbers begin with 0.
    from_zero: bool,
}

const fn known(of: &'static str, number: &'static str, total: &'static str, from_zero: bool) -> Known {
    Known { of, number, total, from_zero }
}

/// The variables that are read, in this order. Kubernetes sets no total, and GitHub neither: manifests and workflows pass it on.
const KNOWN: [Known; 7] = [
    known("a Kubernetes Indexed Job", "JOB_COMPLETION_INDEX", "JOB_COMPLETIONS", true),
    known("a GitHub matrix", "STRATEGY_JOB_INDEX", "STRATEGY_JOB_TOTAL", true),
    known("GitLab CI", "CI_NODE_INDEX", "CI_NODE_TOTAL", false),
    known("CircleCI", "CIRCLE_NODE_INDEX", "CIRCLE_NODE_TOTAL", true),
    known("Buildkite", "BUILDKITE_PARALLEL_JOB", "BUILDKITE_PARALLEL_JOB_COUNT", true),
    known("Azure Pipelines", "SYSTEM_JOBPOSITIONINPHASE", "SYSTEM_TOTALJOBSINPHASE", false),
    known("Semaphore", "SEMAPHORE_JOB_INDEX", "SEMAPHORE_JOB_COUNT", false),
];

/// Why the variables tell no shard.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoShard {
    /// None is set.
    #[error("`--shard auto` found none of {}: name the shard, such as --shard 1/4", names())]
    Unset,
    /// The number is there without the total, or the reverse.
    #[error("`--shard auto`: {set} of {of} is set and {unset} is not")]
    Half {
        /// Whose variables they are.
        of: &'static str,
        /// The variable that is set.
        set: &'static str,
        /// The one that is not.
        unset: &'static str,
    },
    /// They are no number and total.
    #[error("`--shard auto`: {number}={index} and {total}={count} of {of} name no shard")]
    Wrong {
        /// Whose variables they are.
        of: &'static str,
        /// Variable of the number.
        number: &'static str,
        /// Its value.
        index: String,
        /// Variable of the total.
        total: &'static str,
        /// Its value.
        count: String,
    },
}

fn names() -> String {
    KNOWN
        .iter()
        .map(|known| format!("{} and {} ({})", known.number, known.total, known.of))
        .collect::<Vec<_>>()
        .join(", ")
}

/// The shard that the variables name; `value` reads one of them, empty ones count as unset.
///
/// # Errors
/// Names the variables when none is set, one of a pair is missing, or they make no sense.
pub fn auto_shard(value: impl Fn(&str) -> Option<String>) -> Result<Shard, NoShard> {
    let value = |name: &str| value(name).map(|text| text.trim().to_owned()).filter(|text| !text.is_empty());
    for Known { of, number, total, from_zero } in KNOWN {
        let (index, count) = match (value(number), value(total)) {
            (None, None) => continue,
            (Some(index), Some(count)) => (index, count),
            (Some(_), None) => return Err(NoShard::Half { of, set: number, unset: total }),
            // A total alone is left over from something else.
            (None, Some(_)) => continue,
        };
        let first = index.parse::<u64>().ok().and_then(|index| index.checked_add(u64::from(from_zero)));
        let shard = first.and_then(|first| format!("{first}/{count}").parse().ok());
        return shard.ok_or(NoShard::Wrong { of, number, index, total, count });
    }
    Err(NoShard::Unset)
}

#[cfg(test)]
mod tests {
    use super::{KNOWN, NoShard, auto_shard};

    fn told(variables: &[(&str, &str)]) -> Result<String, NoShard> {
        let value =
            |name: &str| variables.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned());
        auto_shard(value).map(|shard| shard.to_string())
    }

    #[test]
    fn each_scheduler_names_the_first_and_the_last_shard() {
        for known in KNOWN {
            let (first, last) = if known.from_zero { ("0", "3") } else { ("1", "4") };
            for (index, shard) in [(first, "1/4"), (last, "4/4")] {
                let variables = [(known.number, index), (known.total, "4")];
                assert_eq!(told(&variables).as_deref(), Ok(shard), "{}", known.of);
            }
        }
    }

    #[test]
    fn what_names_no_shard_is_an_error_that_names_the_variables() {
        for (variables, said) in [
            (&[][..], "found none of JOB_COMPLETION_INDEX and JOB_COMPLETIONS (a Kubernetes Indexed Job), "),
            (&[("CI_NODE_TOTAL", "4")], "found none of "),
            (
                &[("JOB_COMPLETION_INDEX", "0")],
                "JOB_COMPLETION_INDEX of a Kubernetes Indexed Job is set and JOB_COMPLETIONS is not",
            ),
            (
                &[("JOB_COMPLETION_INDEX", "4"), ("JOB_COMPLETIONS", "4")],
                "JOB_COMPLETION_INDEX=4 and JOB_COMPLETIONS=4 of",
            ),
            (&[("CI_NODE_INDEX", "0"), ("CI_NODE_TOTAL", "2")], "CI_NODE_INDEX=0 and CI_NODE_TOTAL=2 of GitLab CI"),
            (&[("CI_NODE_INDEX", "x"), ("CI_NODE_TOTAL", "2")], "CI_NODE_INDEX=x"),
        ] {
            let error = told(variables).unwrap_err().to_string();
            assert!(error.contains(said), "{error}");
        }
        let empty = [("JOB_COMPLETION_INDEX", ""), ("CI_NODE_INDEX", "2"), ("CI_NODE_TOTAL", "2")];
        assert_eq!(told(&empty).as_deref(), Ok("2/2"));
    }
}
