//! What was compared beside live traffic: since when, how much, what was left out, and which rules it showed from both sides.

use super::model::RunReport;
use crate::numbers::{counted, grouped};
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

/// Most reasons for which requests were left out that are named.
const MOST_REASONS: usize = 3;

impl RunReport {
    /// Whether servers alone gathered it: there are neither seeds nor planted faults.
    #[must_use]
    pub(super) fn is_of_servers(&self) -> bool {
        let compared = self.summary.cases.compared;
        self.seed == 0 && self.production.as_ref().is_some_and(|seen| seen.comparisons >= compared)
    }

    /// What operators ask of production, a line each; nothing when nothing was seen there.
    #[must_use]
    pub(super) fn production_lines(&self) -> Vec<String> {
        let Some(production) = &self.production else { return Vec::new() };
        let mut lines = vec![format!("{production}.")];
        if self.is_of_servers() {
            lines.push(self.left_out_line());
        }
        let mut sides = [0_u64; 4];
        let served = self.subjects.iter().filter(|subject| !subject.apart);
        let rules = served.flat_map(|subject| &subject.fields).flat_map(|field| &field.rules);
        for seen in rules.filter_map(|rule| rule.production.as_ref()) {
            let of = &seen.counts;
            let (accepts, rejects) =
                (of.agreed_accept > 0, of.agreed_reject + of.missing + of.extra + of.differs + of.panicked > 0);
            let side = match (accepts, rejects) {
                (true, true) => 0,
                (false, true) => 1,
                (true, false) => 2,
                (false, false) => 3,
            };
            if let Some(number) = sides.get_mut(side) {
                *number += 1;
            }
        }
        // A run that was read by itself does not say which part of it was production.
        if sides == [0; 4] {
            return lines;
        }
        let [both, rejects, accepts, neither] = sides.map(grouped);
        lines.push(format!(
            "Rules that traffic showed: {both} by accepted and rejected values, {rejects} by rejected ones only, {accepts} by accepted ones \
             only; {neither} not at all."
        ));
        lines
    }

    /// How many requests were left out, and the reasons of most of them.
    fn left_out_line(&self) -> String {
        let mut reasons: BTreeMap<String, u64> = BTreeMap::new();
        for (count, reason) in self.subjects.iter().flat_map(|subject| subject.totals.left_out()) {
            *reasons.entry(reason).or_default() += count;
        }
        for (why, count) in self.production.iter().flat_map(|seen| &seen.lost) {
            *reasons.entry(shown(why)).or_default() += count;
        }
        for outside in &self.outside {
            *reasons.entry(shown(&outside.reason)).or_default() += outside.count;
        }
        let all: u64 = reasons.values().sum();
        if all == 0 {
            return "Every request of these kinds was compared.".to_owned();
        }
        let mut reasons: Vec<(u64, String)> = reasons.into_iter().map(|(reason, count)| (count, reason)).collect();
        reasons.sort_by(|(one, _), (other, _)| other.cmp(one));
        let more = reasons.len().saturating_sub(MOST_REASONS);
        let named: Vec<String> =
            reasons.iter().take(MOST_REASONS).map(|(count, reason)| format!("{} {reason}", grouped(*count))).collect();
        let more = if more == 0 { String::new() } else { format!("; {more} more reasons") };
        format!("Not compared: {}: {}{more}.", counted(all, "request"), named.join("; "))
    }
}

#[cfg(test)]
mod tests {
    use super::Production;
    use crate::run::model::RunReport;
    use serde_json::{Value, json};

    /// A report of servers with rules that traffic showed in these ways.
    fn report(seen: &[Value], skipped: &Value, lost: &Value) -> RunReport {
        let none = json!({
            "compared": 0, "agreedAccept": 0, "agreedReject": 0, "missing": 0, "extra": 0, "panicked": 0, "notReached": 0,
        });
        let ready = json!({"verdict": "ready", "reasons": []});
        let rules = seen.iter().map(|counts| {
            let mut production = none.clone();
            for (name, number) in counts.as_object().into_iter().flatten() {
                production[name] = number.clone();
            }
            json!({
                "rule": {"path": "spec.replicas", "chain": "minimum=0"}, "lifecycle": {"level": "alpha"}, "reports": [],
                "create": none, "update": none, "production": production, "verdict": ready, "criteria": [], "classes": [],
                "controls": {"planted": 0, "telling": 0, "exposed": 0, "survivors": [], "equivalent": [], "hidden": []},
            })
        });
        let field = json!({"field": "spec.replicas", "verdict": ready, "rules": rules.collect::<Vec<_>>()});
        serde_json::from_value(json!({
            "formatVersion": 3, "seed": 0, "semantics": "1.37",
            "production": {"since": "2026-11-12", "days": 2, "replicas": 1, "comparisons": 7, "lost": lost},
            "subjects": [{
                "subject": "v1 ReplicationController", "fields": [field], "findings": [], "notMigrated": [], "delegated": [],
                "totals": {
                    "cases": 9, "compared": 7, "agreedAccept": 7, "agreedReject": 0, "disagreed": 0, "panicked": 0,
                    "undecodable": {}, "skipped": skipped,
                },
            }],
        }))
        .expect("a report")
    }

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
    fn operators_read_since_when_what_was_left_out_and_what_traffic_showed() {
        let rules = [
            json!({"agreedAccept": 4, "agreedReject": 1}),
            json!({"differs": 1}),
            json!({"agreedAccept": 4}),
            json!({}),
            json!({"missing": 2}),
        ];
        let lines = report(&rules, &json!({"too large": 2}), &json!({"queue full": 1_200})).production_lines();
        assert_eq!(
            lines,
            [
                "Seen in production since 2026-11-12: 2 days, 1 replica, 7 comparisons.",
                "Not compared: 1,202 requests: 1,200 queue full; 2 too large.",
                "Rules that traffic showed: 1 by accepted and rejected values, 2 by rejected ones only, 1 by accepted ones only; 1 not at all.",
            ]
        );
        let lines = report(&rules, &json!({}), &json!({})).production_lines();
        assert_eq!(lines[1], "Every request of these kinds was compared.");
    }
}
