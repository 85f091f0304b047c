//! The answer, the table by union, and the matrix.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt::Write as _;
use tabled::builder::Builder;
use tabled::settings::object::Columns;
use tabled::settings::{Alignment, Modify, Style};
use takeover_engine::skew::{FailedUnion, LostCell, Skew, SkewedUnion, Tally};
use takeover_harness::text::{grouped, plural};
use takeover_reports::printable;
use takeover_unions::play::Treatment;

/// Everything: the answer first.
pub fn text(skew: &Skew) -> String {
    let mut text = answer(skew);
    if !skew.is_empty() {
        let _ = writeln!(text, "{}", by_union(&skew.unions));
        text.push_str(&remarks(skew));
    }
    for FailedUnion { owner, reason, .. } in &skew.failed {
        let _ = writeln!(text, "cannot be played: {}: {}", printable(owner), printable(reason));
    }
    for left_out in &skew.left_out {
        let _ = writeln!(text, "not played: {}", printable(left_out));
    }
    if !skew.cells.is_empty() {
        let _ = writeln!(text, "{}", matrix(skew));
    } else if !skew.is_empty() {
        text.push_str("Add --full for every cell, or --cell N for the requests of one.\n");
    }
    text
}

fn answer(skew: &Skew) -> String {
    if skew.is_empty() && !skew.failed.is_empty() {
        return format!("{} cannot be played.\n", plural(skew.failed.len() as u64, "union"));
    }
    if skew.is_empty() {
        return "There is no union with a member that one version lacks.\n".to_owned();
    }
    let added: usize = skew.unions.iter().map(|union| union.added.len()).sum();
    let lost = |tally: Tally| format!("{} of {}", grouped(tally.lost as u64), plural(tally.cells as u64, "cell"));
    let required = skew.with_discriminator(false);
    let optional = match skew.with_discriminator(true) {
        Tally { cells: 0, .. } => String::new(),
        tally => format!("With one, of members that may be unset while selected: {}.\n", lost(tally)),
    };
    let failed = match skew.failed.len() {
        0 => String::new(),
        some => format!(" {} more cannot be played.", plural(some as u64, "union")),
    };
    format!(
        "{}, {} that one version lacks.{failed}\n\
         Lost silently without a discriminator: {}; with one: {}.\n\
         {optional}With one that the client does not know: {}.\n",
        plural(skew.unions.len() as u64, "union"),
        plural(added as u64, "member"),
        lost(skew.tally(Treatment::Without)),
        lost(required),
        lost(skew.tally(Treatment::Unaware)),
    )
}

fn by_union(unions: &[SkewedUnion]) -> String {
    let mut builder = Builder::default();
    builder.push_record([
        "union",
        "read from",
        "discriminator",
        "members",
        "lost without",
        "lost with",
        "client unaware",
    ]);
    for union in unions {
        let owner = shown(&union.owner);
        let is_alike = |other: &&SkewedUnion| (&other.owner, &other.name) == (&union.owner, &union.name);
        let members = || union.added.iter().map(|member| member.member.as_str()).collect::<Vec<_>>().join(", ");
        let name = match unions.iter().filter(is_alike).count() {
            // Nothing but its members tells it from another union of the struct.
            2.. => format!("{owner} ({})", printable(&members())).into(),
            _ if union.name.is_empty() => owner,
            _ => format!("{owner} ({})", printable(&union.name)).into(),
        };
        let lost = |treatment| {
            let tally = union.tally(treatment);
            format!("{} / {}", grouped(tally.lost as u64), grouped(tally.cells as u64))
        };
        builder.push_record([
            name.into_owned(),
            union.origin.to_string(),
            union.discriminator.clone().unwrap_or_else(|| "–".to_owned()),
            union.added.len().to_string(),
            lost(Treatment::Without),
            lost(Treatment::With),
            lost(Treatment::Unaware),
        ]);
    }
    let mut table = builder.build();
    table.with(Style::rounded()).with(Modify::new(Columns::new(3..)).with(Alignment::right()));
    table.to_string()
}

fn remarks(skew: &Skew) -> String {
    let mut text = String::new();
    let members = skew.unions.iter().flat_map(|union| union.added.iter().map(move |member| (union, member)));
    let mut optional = members.filter(|(_, member)| member.optional && member.with.lost > 0).peekable();
    if optional.peek().is_some() {
        text.push_str(
            "Lost with a discriminator: a client that does not know the member drops it, and the discriminator stays. The server\n\
             cannot tell this from unsetting the member, which is allowed of these members, and rejects it of all others:\n",
        );
        for (union, member) in optional {
            let (owner, name) = (shown(&union.owner), printable(&member.member));
            let _ = writeln!(text, "  {owner}: `{name}`, {}", cells(&member.lost_with));
        }
    }
    for union in &skew.unions {
        for fault in &union.faults {
            let _ = writeln!(text, "fault in {}: {}", printable(&union.owner), printable(fault));
        }
    }
    text
}

/// The numbers of cells, and their case in the proposal.
fn cells(lost: &[LostCell]) -> String {
    let numbers: Vec<String> = lost.iter().map(|cell| cell.number.to_string()).collect();
    let cases: BTreeSet<u8> = lost.iter().filter_map(|cell| cell.kep_case).collect();
    let cases: Vec<String> = cases.iter().map(|case| format!("#{case}")).collect();
    let word = if numbers.len() == 1 { "cell" } else { "cells" };
    let of = if cases.is_empty() { String::new() } else { format!(" (case {} of KEP-1027)", cases.join(", ")) };
    format!("{word} {}{of}", numbers.join(", "))
}

/// The name of a struct.
fn shown(owner: &str) -> Cow<'_, str> {
    printable(owner.strip_prefix("k8s.io/api/").unwrap_or(owner))
}

fn matrix(skew: &Skew) -> String {
    let mut builder = Builder::default();
    builder.push_record([
        "cell",
        "new member",
        "discriminator",
        "client",
        "server",
        "stored",
        "request",
        "wants to",
        "verdict",
    ]);
    for row in &skew.cells {
        let cell = &row.cell;
        let discriminator = match cell.treatment {
            Treatment::Without => "none",
            Treatment::With => "set",
            Treatment::Unaware => "unknown to client",
        };
        let member = format!("{}.{}", row.owner.rsplit('/').next().unwrap_or_default(), row.member);
        builder.push_record([
            row.number.to_string(),
            printable(&member).into_owned(),
            discriminator.to_owned(),
            format!("{} {}", cell.client_version, cell.client),
            cell.server_version.to_string(),
            row.before.clone(),
            cell.verb.to_string(),
            row.wants.clone(),
            printable(&super::verdict(&row.verdict)).into_owned(),
        ]);
    }
    let mut table = builder.build();
    table.with(Style::rounded()).with(Modify::new(Columns::first()).with(Alignment::right()));
    table.to_string()
}
