//! Where rules are written.

use crate::run::model::{FindingReport, SubjectReport};

/// Longest path that a system takes.
const LONGEST: usize = 4096;

/// File and line of `core/v1/types.go:10`.
#[must_use]
pub(crate) fn place_of(source: &str) -> Option<(&str, u32)> {
    let (file, line) = source.rsplit_once(':')?;
    let line = line.parse().ok().filter(|line| *line > 0)?;
    (file.len() <= LONGEST).then_some((file, line))
}

/// The places of the rules that a finding is laid to, in the order of the report.
pub(crate) fn places<'r>(
    subject: &'r SubjectReport,
    finding: &'r FindingReport,
) -> impl Iterator<Item = (&'r str, u32)> {
    subject
        .fields
        .iter()
        .flat_map(|field| field.rules.iter().map(move |rule| (field, rule)))
        .filter(|(field, rule)| finding.is_laid_to(&format!("{} {}", field.field, rule.rule)))
        .filter_map(|(_, rule)| rule.source.as_deref().and_then(place_of))
}
