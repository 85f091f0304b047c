//! How much was compared beside live traffic, and since when.

use crate::numbers::grouped;
use crate::text::shown;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;
use takeover_harness::text::plural;

/// How much was compared beside live traffic.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Production {
    /// The first of the days, such as `2026-11-26`; empty when nothing was compared.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub since: String,
    /// Days (UTC) on which something was compared.
    pub days: u64,
    /// Servers that compared something.
    pub replicas: u64,
    /// Comparisons.
    pub comparisons: u64,
    /// How many of these were requests that the API server had already accepted. A validating webhook sees no others.
    #[serde(default)]
    pub accepted_only: u64,
    /// Requests that did not reach a comparison, by reason.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub lost: BTreeMap<String, u64>,
}

impl fmt::Display for Production {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { since, days, replicas, comparisons, accepted_only, .. } = self;
        f.write_str("Seen in production")?;
        if !since.is_empty() {
            write!(f, " since {}", shown(since))?;
        }
        write!(f, ": {}, {}, ", plural(*days, "day"), plural(*replicas, "replica"))?;
        match comparisons {
            0..1_000_000 => f.write_str(&plural(*comparisons, "comparison"))?,
            // Cut off, so that it never says more than there was.
            _ => write!(f, "{}.{} M comparisons", comparisons / 1_000_000, comparisons / 100_000 % 10)?,
        }
        match accepted_only {
            0 => Ok(()),
            _ if accepted_only >= comparisons => {
                f.write_str(", all by a validating webhook, which sees no request that handwritten checks reject")
            }
            _ => write!(
                f,
                ", {} of them by a validating webhook, which sees no request that handwritten checks reject",
                grouped(*accepted_only)
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Production;

    fn seen(days: u64, replicas: u64, comparisons: u64, accepted_only: u64) -> Production {
        Production { days, replicas, comparisons, accepted_only, ..Production::default() }
    }

    #[test]
    fn production_is_told_in_a_line_that_never_says_more_than_was_seen() {
        for (days, replicas, comparisons, said) in [
            (1, 1, 1, "1 day, 1 replica, 1 comparison"),
            (2, 2, 999_999, "2 days, 2 replicas, 999,999 comparisons"),
            (14, 3, 2_199_999, "14 days, 3 replicas, 2.1 M comparisons"),
            (90, 3, 12_000_000, "90 days, 3 replicas, 12.0 M comparisons"),
        ] {
            let production = seen(days, replicas, comparisons, 0);
            assert_eq!(production.to_string(), format!("Seen in production: {said}"));
            let dated = Production { since: "2026-11-12".to_owned(), ..production };
            assert_eq!(dated.to_string(), format!("Seen in production since 2026-11-12: {said}"));
        }
        let shown = |accepted_only| {
            seen(1, 1, 2_000, accepted_only).to_string().split_once("comparisons").map(|(_, end)| end.to_owned())
        };
        let which = "by a validating webhook, which sees no request that handwritten checks reject";
        assert_eq!(shown(1_999), Some(format!(", 1,999 of them {which}")));
        assert_eq!(shown(2_000), Some(format!(", all {which}")));
    }
}
