//! `unknown-tag`: names with the prefix that nobody registered.

use crate::lint::def::{Level, Lint, Origin};
use crate::lint::model::{Line, Model};
use crate::lint::sink::{Sink, Spot};
use crate::tags;

pub(in crate::lint) static UNKNOWN_TAG: Lint = Lint {
    name: "unknown-tag",
    level: Level::Warning,
    summary: "A `+k8s:` name is no registered tag and is ignored.",
    explanation: "A misspelled tag is silently no rule. Tags of other generators (`+k8s:…-gen`) are left alone.",
    source: Origin::Own,
    on_request: true,
    ..Lint::DEFAULT
};

pub(in crate::lint) fn unknown_tag(model: &Model<'_>, sink: &mut Sink<'_>) {
    for subject in &model.subjects {
        for line in subject.lines.iter().filter(|line| is_unknown(line)) {
            let message = format!("`{}` is no registered tag and is ignored", line.name);
            let finding = sink.report(subject, Spot::line(line), message);
            if let Some(near) = nearest(line.name) {
                finding.help(format!("did you mean `+{}{near}`?", tags::PREFIX));
            }
        }
    }
}

fn is_unknown(line: &Line<'_>) -> bool {
    let known = tags::lookup(line.name).is_some() || tags::is_marker(line.name);
    line.name.strip_prefix(tags::PREFIX).is_some_and(|name| !known && !name.contains("-gen"))
}

/// The registered name that differs by case or a few letters.
fn nearest(name: &str) -> Option<&'static str> {
    let name = name.strip_prefix(tags::PREFIX)?.to_lowercase();
    let far = name.len().clamp(3, 9) / 3;
    tags::all()
        .map(|def| (distance(&name, &def.name.to_lowercase()), def.name))
        .filter(|(distance, _)| *distance <= far)
        .min()
        .map(|(_, name)| name)
}

/// How many letters must be put in, left out or changed to make one text of the other.
fn distance(from: &str, to: &str) -> usize {
    let to: Vec<char> = to.chars().collect();
    let mut row: Vec<usize> = (0..=to.len()).collect();
    // Names as long as a line would cost the square of it, and are near to nothing.
    for (at, letter) in from.chars().take(64).enumerate() {
        let mut next = vec![at + 1];
        for (column, (other, above)) in to.iter().zip(row.windows(2)).enumerate() {
            let (Some(left), [diagonal, above]) = (next.get(column), above) else { break };
            next.push((left + 1).min(above + 1).min(diagonal + usize::from(letter != *other)));
        }
        row = next;
    }
    let cut = from.chars().count().saturating_sub(64);
    row.last().copied().unwrap_or(0) + cut
}
