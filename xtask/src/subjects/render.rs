//! The subjects for people.

use super::catalogue::{Catalogue, Check, Entry};
use std::fmt::Write as _;
use tabled::builder::Builder;
use tabled::settings::object::Columns;
use tabled::settings::{Alignment, Modify, Style};
use takeover_engine::conform::Tally;

/// A row a subject.
#[must_use]
pub fn table(catalogue: &Catalogue) -> String {
    let mut builder = Builder::default();
    builder.push_record([
        "subject",
        "rules α/β/stable",
        "with twin",
        "checks without rule",
        "delegated",
        "declarative verdicts",
        "handwritten",
        "mismatches",
    ]);
    for entry in &catalogue.subjects {
        builder.push_record([
            entry.subject.clone(),
            format!("{}/{}/{}", entry.levels.alpha, entry.levels.beta, entry.levels.stable),
            format!("{} of {}", entry.twins(), entry.rules.len()),
            entry.not_covered.len().to_string(),
            entry.delegated.len().to_string(),
            verdicts(entry, "declarative"),
            verdicts(entry, "handwritten"),
            verdicts(entry, "mismatches"),
        ]);
    }
    let mut table = builder.build();
    table.with(Style::rounded()).with(Modify::new(Columns::new(1..)).with(Alignment::right()));
    format!(
        "{table}\nTwins are rules that reported the same as a handwritten check at least once in what ships with the program; `agreed/compared` are recorded \
         verdicts of Kubernetes.\n"
    )
}

/// `agreed/compared` of a side; empty when nothing was recorded.
#[must_use]
pub fn verdicts(entry: &Entry, side: &str) -> String {
    match entry.verdicts.get(side) {
        Some(Tally { compared, agreed }) => format!("{agreed}/{compared}"),
        None => String::new(),
    }
}

/// Everything about each subject.
#[must_use]
pub fn details(catalogue: &Catalogue) -> String {
    let mut out = String::new();
    for entry in &catalogue.subjects {
        let _ = writeln!(out, "{}", entry.subject);
        let _ = writeln!(
            out,
            "  rules: {} alpha, {} beta, {} stable",
            entry.levels.alpha, entry.levels.beta, entry.levels.stable
        );
        for rule in &entry.rules {
            let path = if rule.path.is_empty() { "(the object)" } else { &rule.path };
            let twin = match rule.twin.as_slice() {
                [] if rule.disagreed > 0 => format!("no twin seen, disagreed {} times", rule.disagreed),
                [] => "no twin seen".to_owned(),
                twins => {
                    let twins: Vec<String> = twins.iter().map(line).collect();
                    format!("twin {}; agreed {}, disagreed {}", twins.join(", "), rule.agreed, rule.disagreed)
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
        for (side, Tally { compared, agreed }) in &entry.verdicts {
            let _ = writeln!(out, "  recorded verdicts, {side}: {agreed} of {compared} agree");
        }
    }
    out
}

/// A sort of error in a line.
#[must_use]
pub fn line(check: &Check) -> String {
    let origin = if check.origin.is_empty() { String::new() } else { format!(" `{}`", check.origin) };
    format!("{} {}{origin}", check.error_type, check.field)
}
