//! The counters of an API server, and ours beside them.

use crate::exposition::Exposition;
use std::collections::BTreeMap;
use takeover_reports::cluster::MismatchCount;

/// How Kubernetes' own counters begin.
const PREFIX: &str = "apiserver_validation_declarative_validation_";

/// The identifier of what a server counts together.
const ALL: &str = "";

/// What an API server has counted since its start.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ServerCounters {
    /// Start of its process in seconds since 1970, as it prints it: tells several servers behind one address apart.
    pub started: String,
    /// Mismatches by `validation_identifier`; under an empty one what it counts together.
    pub mismatches: BTreeMap<String, u64>,
    /// Panics of declarative validation, the same.
    pub panics: BTreeMap<String, u64>,
    /// Its version, such as `v1.36.2`; empty when it does not say.
    pub version: String,
    /// Whether anything says that it compares: a counter that is there, or a feature gate that is on.
    pub compares: bool,
}

impl ServerCounters {
    /// Reads the text of `/metrics`.
    #[must_use]
    pub fn read(text: &str) -> Self {
        let read = Exposition::read(text);
        // 1.36 counts mismatches by identifier under the first name, others under the second, with or without identifiers.
        let counted = |names: [&str; 2]| {
            let mut all = names.iter().map(|name| read.by_label(&format!("{PREFIX}{name}")));
            all.find(|by| !by.is_empty()).unwrap_or_default()
        };
        let gate = read.labelled("kubernetes_feature_enabled", "name=\"DeclarativeValidation\"");
        let there = ["mismatch_total", "parity_discrepancies_total", "panic_total", "panics_total"];
        let there = there.iter().any(|name| read.has(&format!("{PREFIX}{name}")));
        Self {
            started: read.value("process_start_time_seconds").to_string(),
            mismatches: counted(["parity_discrepancies_total", "mismatch_total"]),
            panics: counted(["panics_total", "panic_total"]),
            version: read.label_of("kubernetes_build_info", "git_version").unwrap_or_default(),
            compares: gate.map_or(there, |gate| gate > 0.0),
        }
    }

    /// What was counted since `before`; none when that was another process.
    #[must_use]
    pub fn since(&self, before: &Self) -> Option<Self> {
        let of = |now: &BTreeMap<String, u64>, before: &BTreeMap<String, u64>| {
            // A server that had counted nothing by identifier may have had a sum of it.
            let by_identifier = now.keys().any(|identifier| identifier != ALL);
            let mut counted = less(now, before);
            counted.retain(|identifier, _| !by_identifier || identifier != ALL);
            counted
        };
        (self.started == before.started).then(|| Self {
            mismatches: of(&self.mismatches, &before.mismatches),
            panics: of(&self.panics, &before.panics),
            ..self.clone()
        })
    }
}

/// What is counted now and was not before.
pub(crate) fn less(now: &BTreeMap<String, u64>, before: &BTreeMap<String, u64>) -> BTreeMap<String, u64> {
    let earlier = |identifier: &String| before.get(identifier).copied().unwrap_or_default();
    let rest = |(identifier, count): (&String, &u64)| (identifier.clone(), count.saturating_sub(earlier(identifier)));
    now.iter().map(rest).filter(|(_, count)| *count > 0).collect()
}

/// What the server counted beside ours; `unclear` is ours of requests that it may not have validated. Where the server counts all together,
/// so are ours.
#[must_use]
pub fn compared(
    server: &BTreeMap<String, u64>,
    ours: &BTreeMap<String, u64>,
    unclear: &BTreeMap<String, u64>,
) -> BTreeMap<String, MismatchCount> {
    let mut all: BTreeMap<String, MismatchCount> = BTreeMap::new();
    let place = |identifier: &String| if server.contains_key(ALL) { ALL.to_owned() } else { identifier.clone() };
    for (identifier, count) in server {
        all.entry(place(identifier)).or_default().server += count;
    }
    for (identifier, count) in ours {
        all.entry(place(identifier)).or_default().ours += count;
    }
    for (identifier, count) in unclear {
        all.entry(place(identifier)).or_default().unclear += count;
    }
    all.retain(|_, count| *count != MismatchCount::default());
    all
}

#[cfg(test)]
mod tests {
    use super::{ServerCounters, compared};
    use std::collections::BTreeMap;
    use takeover_reports::cluster::MismatchCount;

    const NEW: &str = "process_start_time_seconds 1.7e+09\n\
        apiserver_validation_declarative_validation_mismatch_total 5\n\
        apiserver_validation_declarative_validation_parity_discrepancies_total{validation_identifier=\"a_create\"} 3\n\
        apiserver_validation_declarative_validation_parity_discrepancies_total{validation_identifier=\"b_update\"} 2\n\
        apiserver_validation_declarative_validation_panic_total 0\n";

    fn map<const N: usize>(of: [(&str, u64); N]) -> BTreeMap<String, u64> {
        of.map(|(identifier, count)| (identifier.to_owned(), count)).into()
    }

    #[test]
    fn mismatches_are_read_by_identifier_under_whichever_name_they_have() {
        let read = ServerCounters::read(NEW);
        assert_eq!(read.mismatches, map([("a_create", 3), ("b_update", 2)]));
        assert!(read.compares && read.panics.is_empty());
        let old = NEW.replace("mismatch_total 5\n", "x 0\n").replace("parity_discrepancies", "mismatch");
        assert_eq!(ServerCounters::read(&old).mismatches, read.mismatches);
        let plain: String =
            NEW.lines().filter(|line| !line.contains("identifier")).map(|line| format!("{line}\n")).collect();
        assert_eq!(ServerCounters::read(&plain).mismatches, map([("", 5)]));
    }

    #[test]
    fn a_server_that_compares_says_so_by_its_counters_or_by_its_gate() {
        assert!(!ServerCounters::read("up 1\n").compares);
        let gate =
            |on| format!("{NEW}kubernetes_feature_enabled{{name=\"DeclarativeValidation\",stage=\"BETA\"}} {on}\n");
        assert!(!ServerCounters::read(&gate(0)).compares);
        assert!(ServerCounters::read(&gate(1)).compares);
    }

    #[test]
    fn counts_are_those_since_the_beginning_of_the_same_process() {
        let before = ServerCounters::read(NEW);
        let after = ServerCounters::read(&NEW.replace("} 2", "} 7").replace("total 5", "total 10"));
        assert_eq!(after.since(&before).unwrap().mismatches, map([("b_update", 5)]));
        assert_eq!(ServerCounters::read(&NEW.replace("1.7e", "1.8e")).since(&before), None);
        // The first mismatch makes the series.
        let none: String =
            NEW.lines().filter(|line| !line.contains("identifier")).map(|line| format!("{line}\n")).collect();
        let none = ServerCounters::read(&none.replace("mismatch_total 5", "mismatch_total 0"));
        assert_eq!(before.since(&none).unwrap().mismatches, map([("a_create", 3), ("b_update", 2)]));
    }

    #[test]
    fn a_server_without_identifiers_is_compared_as_a_whole() {
        let (ours, unclear) = (map([("a", 2), ("b", 3)]), map([("b", 1)]));
        let sum = MismatchCount { server: 5, ours: 5, unclear: 1 };
        assert_eq!(compared(&map([("", 5)]), &ours, &unclear), [(String::new(), sum)].into());
        let by = compared(&map([("a", 2), ("c", 1)]), &ours, &unclear);
        let count = |server, ours, unclear| MismatchCount { server, ours, unclear };
        assert_eq!(
            by,
            [("a", count(2, 2, 0)), ("b", count(0, 3, 1)), ("c", count(1, 0, 0))]
                .map(|(a, b)| (a.to_owned(), b))
                .into()
        );
    }
}
