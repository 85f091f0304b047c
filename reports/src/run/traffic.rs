//! What operators ask of a report of live traffic: what was left out, and which rules it showed from which side.

use super::model::RunReport;
use super::production::ApiServerCounts;
use crate::numbers::{counted, grouped};
use crate::text::shown;
use std::collections::BTreeMap;

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
        lines.extend(production.api_server.iter().flat_map(ApiServerCounts::lines));
        lines.extend(production.api_server.as_ref().and_then(|server| self.shown_line(server)));
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

    /// Of how many subjects the API server shows rules; none if it was not asked.
    fn shown_line(&self, server: &ApiServerCounts) -> Option<String> {
        let ApiServerCounts { version, unshown, undiscovered, .. } = server;
        let version = if version.is_empty() { String::new() } else { format!(" {}", shown(version)) };
        let Some(unshown) = unshown else {
            let why = undiscovered.as_deref().map(shown)?;
            return Some(format!("Which of the subjects the API server{version} serves is unknown ({why})."));
        };
        let of = self.subjects.iter().filter(|subject| !unshown.contains_key(&subject.subject)).count();
        let (of, all) = (grouped(of as u64), counted(self.subjects.len() as u64, "subject"));
        let others = if unshown.is_empty() { "" } else { "; the others stand apart" };
        Some(format!("The API server{version} serves and runs the rules of {of} of {all}{others}."))
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
