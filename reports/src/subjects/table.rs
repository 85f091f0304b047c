//! The subjects for people.

use super::model::{SubjectEntry, SubjectList};
use crate::conform::AgreementCount;
use crate::form::Form;
use crate::layout::{Column, Layout};
use crate::numbers::grouped;
use crate::run::Check;
use crate::text::printable_text;
use std::fmt::Write as _;
use takeover_harness::text::plural;

/// For a terminal.
pub(super) const FORM: Form<SubjectList> = Form::new("table", "For people", "txt", |list, _| {
    let subjects = match list.subjects.as_slice() {
        [] => String::new(),
        _ if list.in_detail => printable_text(&details(list)),
        _ => table(list),
    };
    Ok(match (list.pairs.is_empty(), subjects.is_empty()) {
        (true, _) => subjects,
        (false, true) => pairs(list),
        (false, false) => format!("{}\n{subjects}", pairs(list)),
    })
});

/// A row a pair that the settings describe.
fn pairs(list: &SubjectList) -> String {
    let mut rows = Layout::new(["pair of the settings", "reference", "candidate", "compared by"].map(Column::text));
    for pair in &list.pairs {
        let compare = pair.compare.clone().unwrap_or_else(|| "what both can say".to_owned());
        rows.row([pair.pair.clone(), pair.reference.clone(), pair.candidate.clone(), compare]);
    }
    format!("{}\n", rows.whole())
}

/// A row a subject.
fn table(list: &SubjectList) -> String {
    let numbers = [
        "rules α/β/stable",
        "with twin",
        "checks without rule",
        "delegated",
        "declarative verdicts",
        "handwritten",
        "mismatches",
    ];
    let served = format!("served by {}", list.release);
    let texts = ["subject", served.as_str(), "runs rules"].map(Column::text);
    let mut rows = Layout::new(texts.into_iter().chain(numbers.map(Column::number)));
    for entry in &list.subjects {
        rows.row([
            entry.subject.clone(),
            list.newest(entry).map_or_else(String::new, |of| of.served.clone()),
            list.newest(entry).map_or_else(String::new, |of| of.runs.clone()),
            format!("{}/{}/{}", entry.levels.alpha, entry.levels.beta, entry.levels.stable),
            format!("{} of {}", entry.twins(), entry.rules.len()),
            entry.not_covered.len().to_string(),
            entry.delegated.len().to_string(),
            verdicts(entry, "declarative"),
            verdicts(entry, "handwritten"),
            verdicts(entry, "mismatches"),
        ]);
    }
    format!(
        "{}\nTwins are rules that reported the same as a handwritten check at least once in what ships with the program; `agreed/compared` are recorded \
         verdicts of Kubernetes.\n",
        rows.whole()
    )
}

/// `agreed/compared` of a side; empty when nothing was recorded.
pub(super) fn verdicts(entry: &SubjectEntry, side: &str) -> String {
    match entry.verdicts.get(side) {
        Some(AgreementCount { compared, agreed }) => format!("{}/{}", grouped(*agreed), grouped(*compared)),
        None => String::new(),
    }
}

/// Everything about each subject.
fn details(list: &SubjectList) -> String {
    let mut out = String::new();
    for entry in &list.subjects {
        let _ = writeln!(out, "{}", entry.subject);
        for of in &entry.releases {
            let _ = writeln!(out, "  {}: served {}, runs the rules: {}", of.release, of.served, of.runs);
        }
        if let Some(because) = &entry.unshown {
            let _ = writeln!(out, "  left out of a run over everything: {because}");
        }
        let _ = writeln!(
            out,
            "  rules: {} alpha, {} beta, {} stable",
            entry.levels.alpha, entry.levels.beta, entry.levels.stable
        );
        for rule in &entry.rules {
            let path = if rule.path.is_empty() { "(the object)" } else { &rule.path };
            let twin = match rule.twin.as_slice() {
                [] if rule.disagreed > 0 => format!("no twin seen, disagreed {}", plural(rule.disagreed, "time")),
                [] => "no twin seen".to_owned(),
                twins => {
                    let twins: Vec<String> = twins.iter().map(line).collect();
                    format!(
                        "twin {}; agreed {}, disagreed {}",
                        twins.join(", "),
                        grouped(rule.agreed),
                        grouped(rule.disagreed)
                    )
                }
            };
            let _ = writeln!(out, "    {path} +k8s:{}: {twin}", rule.rule);
        }
        let _ = writeln!(out, "  handwritten checks without rule: {}", entry.not_covered.len());
        for check in &entry.not_covered {
            let _ = writeln!(out, "    {}", line(check));
        }
        let _ = writeln!(out, "  delegated: {}", entry.delegated.len());
        for part in &entry.delegated {
            let _ = writeln!(out, "    {} ({})", part.path, part.reason);
        }
        for (side, AgreementCount { compared, agreed }) in &entry.verdicts {
            let _ = writeln!(out, "  recorded verdicts, {side}: {} of {} agree", grouped(*agreed), grouped(*compared));
        }
    }
    out
}

/// A sort of error in a line.
pub(super) fn line(check: &Check) -> String {
    let origin = if check.origin.is_empty() { String::new() } else { format!(" `{}`", check.origin) };
    format!("{} {}{origin}", check.error_type, check.field)
}
