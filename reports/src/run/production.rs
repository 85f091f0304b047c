//! How much was compared beside live traffic, and since when.

use crate::cluster::MismatchCount;
use crate::numbers::grouped;
use crate::text::shown;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;
use takeover_harness::release::Release;
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
    /// The API server's own counters beside ours, if they are read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub api_server: Option<ApiServerCounts>,
}

/// What an API server counted itself since it is read, and what shadow servers counted meanwhile.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ApiServerCounts {
    /// Its version, such as `v1.36.2`; empty when it does not say.
    pub version: String,
    /// Release of the types of the shadow servers; empty for types of one's own.
    pub types: String,
    /// Release whose comparison they use.
    pub semantics: String,
    /// Processes of API servers that were read.
    pub processes: u64,
    /// Mismatches by `validation_identifier`; empty where it counts all of them together.
    pub mismatches: BTreeMap<String, MismatchCount>,
    /// Why it could not be read the last time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unreadable: Option<String>,
    /// Pairs whose rules it shows nothing of, and why: it does not serve them, or does not run the rules. None if it did not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unshown: Option<BTreeMap<String, String>>,
    /// Why it did not say the last time what it serves.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub undiscovered: Option<String>,
}

impl ApiServerCounts {
    /// What is to be said of it, a line each.
    #[must_use]
    pub(super) fn lines(&self) -> Vec<String> {
        let mut lines = Vec::new();
        let version = if self.version.is_empty() { String::new() } else { format!(" {}", shown(&self.version)) };
        let why = self.unreadable.as_deref().map(shown);
        if self.processes == 0 {
            let why = why.unwrap_or_else(|| "not read yet".to_owned());
            lines.push(format!("Mismatches counted by the API server{version} itself: unknown ({why})."));
        } else {
            lines.extend(self.count_lines(&version));
            lines.extend(why.map(|why| format!("  the last reading failed: {why}")));
        }
        let release = Release::of_version(self.version.trim_start_matches('v')).map(|release| release.to_string());
        let ours = [("types", &self.types), ("comparison", &self.semantics)];
        for (what, known) in ours.into_iter().filter(|(_, known)| known.parse::<Release>().is_ok()) {
            if let Ok(release) = &release
                && release != known
            {
                lines.push(format!("  WARNING: the API server is of {release}, the {what} of {}", shown(known)));
            }
        }
        lines
    }

    /// The counts beside ours, and whether they are the same.
    fn count_lines(&self, version: &str) -> Vec<String> {
        let mut lines = Vec::new();
        let same = self.mismatches.values().all(|count| count.server == count.ours);
        let verdict = if same { "the same as here" } else { "NOT the same as here" };
        lines.push(format!("Mismatches counted by the API server{version} itself meanwhile: {verdict}."));
        for (identifier, count) in self.mismatches.iter().take(MOST_IDENTIFIERS) {
            let MismatchCount { server, ours, .. } = count;
            let identifier = if identifier.is_empty() { "all".to_owned() } else { shown(identifier) };
            let differs = if server == ours { "" } else { "  differs" };
            lines.push(format!("  {identifier}: {} there, {} here{differs}", grouped(*server), grouped(*ours)));
        }
        let more = self.mismatches.len().saturating_sub(MOST_IDENTIFIERS);
        if more > 0 {
            lines.push(format!("  and {more} more; see /report?format=json"));
        }
        if self.processes > 1 {
            let processes = grouped(self.processes);
            lines.push(format!(
                "  {processes} API server processes answered: each is counted only from its first reading"
            ));
        }
        lines
    }
}

/// Most identifiers that are shown.
const MOST_IDENTIFIERS: usize = 20;

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
    use super::{ApiServerCounts, MismatchCount, Production};

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

    #[test]
    fn counts_of_the_api_server_stand_beside_ours_and_what_differs_is_said() {
        let counts = |count: [u64; 2]| ApiServerCounts {
            version: "v1.36.2".to_owned(),
            types: "1.36".to_owned(),
            semantics: "1.36".to_owned(),
            processes: 1,
            mismatches: [("role_create".to_owned(), MismatchCount { server: count[0], ours: count[1], unclear: 0 })]
                .into(),
            ..ApiServerCounts::default()
        };
        assert_eq!(
            counts([1_000, 1_000]).lines(),
            [
                "Mismatches counted by the API server v1.36.2 itself meanwhile: the same as here.",
                "  role_create: 1,000 there, 1,000 here"
            ]
        );
        let other = ApiServerCounts {
            semantics: "1.37".to_owned(),
            processes: 2,
            unreadable: Some("HTTP status 503".to_owned()),
            ..counts([2, 1])
        };
        assert_eq!(
            other.lines(),
            [
                "Mismatches counted by the API server v1.36.2 itself meanwhile: NOT the same as here.",
                "  role_create: 2 there, 1 here  differs",
                "  2 API server processes answered: each is counted only from its first reading",
                "  the last reading failed: HTTP status 503",
                "  WARNING: the API server is of 1.36, the comparison of 1.37",
            ]
        );
        let none = ApiServerCounts { processes: 0, ..other };
        assert_eq!(
            none.lines(),
            [
                "Mismatches counted by the API server v1.36.2 itself: unknown (HTTP status 503).",
                "  WARNING: the API server is of 1.36, the comparison of 1.37",
            ]
        );
    }
}
