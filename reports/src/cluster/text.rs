//! The counts of both servers, for people.

use super::model::{ClusterReport, ClusterVerdict, MismatchCount, Variant, VariantReport};
use crate::form::Form;
use crate::layout::{Column, Layout, Look};
use crate::numbers::{counted, grouped, percent};
use crate::text::printable_text;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use takeover_harness::release::Release;

/// For a terminal.
pub(super) const FORM: Form<ClusterReport> =
    Form::new("table", "For people", "txt", |report, look| Ok(look.broken(&printable_text(&text(report, look)))));

fn text(report: &ClusterReport, look: Look) -> String {
    let mut out = answer(report);
    let types = match report.types.as_str() {
        "" => "types of your own".to_owned(),
        release => format!("types of {release}"),
    };
    let _ = writeln!(
        out,
        "{}, Kubernetes {}; {types}, comparison of {}.",
        report.server, report.server_version, report.semantics
    );
    let release = Release::of_version(report.server_version.trim_start_matches('v')).map(|of| of.to_string());
    let ours = [&report.types, &report.semantics];
    let is_other = |known: &String, release: &String| known.parse::<Release>().is_ok() && known != release;
    if release.is_ok_and(|release| ours.into_iter().any(|known| is_other(known, &release))) {
        out.push_str("These are not all of one release: what differs between releases counts as a disagreement.\n");
    }
    out.push('\n');
    out.push_str(&requests(report, look));
    out.push_str(&mismatches(report, look));
    for of in &report.variants {
        list(&mut out, &format!("{}: failed", of.variant.word()), &of.requests.failed);
        list(&mut out, &format!("{}: not sent", of.variant.word()), &of.not_sent);
        list(&mut out, &format!("{}: not compared", of.variant.word()), &of.reviews.not_compared);
    }
    if !report.resources.is_empty() {
        let names: Vec<&str> = report.resources.keys().map(String::as_str).collect();
        let _ = writeln!(out, "\nSent to {}: {}", counted(names.len() as u64, "resource"), names.join(", "));
    }
    for (reason, names) in &report.left_out {
        let _ = writeln!(out, "Left out, {reason}: {}", names.join(", "));
    }
    if !report.left_behind.is_empty() {
        out.push_str("\nNot deleted; delete it yourself:\n");
        report.left_behind.iter().for_each(|what| {
            let _ = writeln!(out, "  {what}");
        });
    }
    out
}

/// The first sentences: what the counts say.
fn answer(report: &ClusterReport) -> String {
    let so_far = if report.finished { "" } else { " Stopped before the end." };
    let validated: u64 = report.variants.iter().map(|of| of.requests.validated()).sum();
    let validated = counted(validated, "validated request");
    let first = match report.verdict {
        ClusterVerdict::Agree => {
            format!("The shadow server agrees with the API server's own counters over {validated}.")
        }
        ClusterVerdict::Disagree => {
            let by: BTreeSet<&str> = report.variants.iter().flat_map(VariantReport::disagreements).collect();
            let by: Vec<&str> = by.into_iter().map(named).collect();
            format!(
                "The shadow server DISAGREES with the API server's own counters over {validated}: {}.",
                by.join(", ")
            )
        }
        ClusterVerdict::Unknown => {
            let why = report.no_counters.as_deref().unwrap_or_default();
            format!("The API server's own counters are not known: {why}. Below is what the shadow server counted.")
        }
        ClusterVerdict::NothingCompared => "No request was compared.".to_owned(),
    };
    let mut out = format!("{first}{so_far}\n");
    for of in report.variants.iter().filter(|_| report.no_counters.is_none()) {
        let MismatchCount { server, ours, unclear } = of.total();
        let after = match of.variant {
            Variant::Mutating => "",
            Variant::Validating => " (it sees accepted requests alone)",
        };
        let unclear = match unclear {
            0 => String::new(),
            number => format!(", and {} in requests that failed otherwise", grouped(number)),
        };
        let _ = writeln!(
            out,
            "As a {} webhook, it counted {} mismatches where the API server counted {}{unclear}{after}.",
            of.variant.word(),
            grouped(ours),
            grouped(server),
        );
    }
    out
}

/// An identifier; the counter of a server that has none.
fn named(identifier: &str) -> &str {
    if identifier.is_empty() { "all together" } else { identifier }
}

/// What was sent, and what arrived, a column a variant.
fn requests(report: &ClusterReport, look: Look) -> String {
    let heading = |of: &VariantReport| Column::number(of.variant.word());
    let mut rows = Layout::new(std::iter::once(Column::text("")).chain(report.variants.iter().map(heading)));
    let mut row = |what: &str, of: fn(&VariantReport) -> String| {
        rows.row(std::iter::once(what.to_owned()).chain(report.variants.iter().map(of)));
    };
    row("requests", |of| grouped(of.requests.sent()));
    row("  accepted", |of| grouped(of.requests.accepted));
    row("  rejected by validation", |of| {
        format!("{} ({})", grouped(of.requests.rejected), percent(of.requests.rejected, of.requests.sent()))
    });
    row("  failed otherwise", |of| grouped(of.requests.failed.values().sum()));
    row("reviews that arrived", |of| grouped(of.reviews.arrived));
    row("  compared", |of| grouped(of.reviews.compared));
    row("accepted, no review", |of| grouped(of.reviews.missed.accepted));
    row("rejected, no review", |of| grouped(of.reviews.missed.rejected));
    rows.fitted(look) + "\n"
}

/// What both counted, a row an identifier.
fn mismatches(report: &ClusterReport, look: Look) -> String {
    let knows = report.no_counters.is_none();
    let columns = report.variants.iter().flat_map(|of| {
        let server = knows.then(|| Column::number("server"));
        server.into_iter().chain([Column::number(of.variant.word())])
    });
    let mut rows = Layout::new(std::iter::once(Column::text("mismatches")).chain(columns));
    let mut add = |what: &str, of: fn(&VariantReport) -> &BTreeMap<String, MismatchCount>| {
        let all: BTreeSet<&String> = report.variants.iter().flat_map(|variant| of(variant).keys()).collect();
        for identifier in &all {
            let cells = report.variants.iter().flat_map(|variant| {
                let count = of(variant).get(*identifier).copied().unwrap_or_default();
                let ours = match count.unclear {
                    0 => grouped(count.ours),
                    unclear => format!("{} to {}", grouped(count.ours), grouped(count.ours + unclear)),
                };
                let is_wrong = variant.disagreements().contains(&identifier.as_str());
                let ours = if knows && is_wrong { format!("{ours} !") } else { ours };
                knows.then(|| grouped(count.server)).into_iter().chain([ours])
            });
            rows.row(std::iter::once(format!("{what}{}", named(identifier))).chain(cells.collect::<Vec<_>>()));
        }
        all.len()
    };
    let found = add("", |of| &of.mismatches) + add("panics: ", |of| &of.panics);
    if found == 0 {
        return "No mismatch was counted.\n".to_owned();
    }
    rows.fitted(look) + "\n"
}

/// Reasons and their numbers on one line; nothing for none.
fn list(out: &mut String, what: &str, of: &BTreeMap<String, u64>) {
    if of.is_empty() {
        return;
    }
    let reasons: Vec<String> = of.iter().map(|(reason, number)| format!("{} {reason}", grouped(*number))).collect();
    let _ = writeln!(out, "{what}: {}", reasons.join("; "));
}
