//! `graduation-eligible`: rules that could move to the next level.

use super::stability;
use crate::lint::def::{Level, Lint, Origin};
use crate::lint::finding::Finding;
use crate::lint::model::{Line, Model, short};
use crate::lint::sink::{Sink, Spot};
use crate::tags::{self, TagStability};
use std::collections::BTreeMap;
use takeover_harness::error::Stability;
use takeover_harness::release::Release;
use takeover_harness::text::{grouped, plural};

pub(in crate::lint) static GRADUATION: Lint = Lint {
    name: "graduation-eligible",
    level: Level::Warning,
    summary: "A rule has been at its level for a release and could move to the next.",
    explanation: "Only with `--release`: an `alpha` or `beta` from before that release whose chained tags are stable enough \
                  for the next level, in one line per package. Evidence is not considered. \
                  `+k8s:validation-lifecycle-exempt=\"issue …\"` on the field silences it.",
    source: Origin::Proposal,
    is_hint: true,
    ..Lint::DEFAULT
};

/// How the message of one rule begins.
const ELIGIBLE: &str = "eligible for graduation to ";

/// Marker that keeps the level of a field's rules.
const EXEMPT: &str = "k8s:validation-lifecycle-exempt";

pub(in crate::lint) fn graduation(model: &Model<'_>, sink: &mut Sink<'_>) {
    let Some(release) = model.release else { return };
    for subject in model.subjects.iter().filter(|subject| subject.marker(EXEMPT).is_none()) {
        let compiles = |line: &Line<'_>| {
            !model.complaints.iter().any(|complaint| complaint.position.as_ref() == Some(&line.line.position))
        };
        for (line, tag) in subject.tags().filter(|(line, _)| compiles(line)) {
            let (next, wanted) = match tags::level(tag) {
                Some(Stability::Alpha) => ("beta", TagStability::Beta),
                Some(Stability::Beta) => ("stable", stability::of_package(subject)),
                None => continue,
            };
            let since = tags::since(tag).and_then(|since| since.parse::<Release>().ok());
            let (Some(since), Some(chain)) = (since, tag.inner()) else { continue };
            let settled = stability::less_settled(chain, stability::relaxed(wanted, chain)).is_none();
            if since < release && settled {
                let name = short(tag);
                let message = format!("{ELIGIBLE}{next}: {name} since {since}, now {release}");
                let help = "move it, or say why not with `+k8s:validation-lifecycle-exempt=\"issue …\"` on the field";
                sink.report(subject, Spot::tag(line, tag), message).help(help);
            }
        }
    }
}

/// How many fields of a package are named.
const NAMED: usize = 1;

/// Puts the findings of each package into one, at the place of the first.
pub(in crate::lint) fn fold(findings: &mut Vec<Finding>) {
    let mut of_package: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for finding in findings.iter().filter(|finding| is_graduation(finding)) {
        of_package.entry(package(finding)).or_default().push(rule(finding));
    }
    of_package.retain(|_, rules| rules.len() > 1);
    findings.retain_mut(|finding| {
        if !is_graduation(finding) {
            return true;
        }
        match of_package.get_mut(&package(finding)) {
            None => true,
            Some(rules) if rules.is_empty() => false,
            Some(rules) => {
                finding.message = folded(&finding.go_type, &std::mem::take(rules));
                finding.go_type.clear();
                finding.field = None;
                true
            }
        }
    });
}

fn is_graduation(finding: &Finding) -> bool {
    finding.lint.name == GRADUATION.name
}

/// The folder of the file.
fn package(finding: &Finding) -> String {
    let file = finding.position.as_ref().map(|position| position.file.to_string()).unwrap_or_default();
    file.rsplit_once('/').map(|(folder, _)| folder.to_owned()).unwrap_or_default()
}

/// `HPASpec.MinReplicas` and what the finding says of it.
fn rule(finding: &Finding) -> String {
    let name = finding.go_type.rsplit('.').next().unwrap_or_default();
    let field = finding.field.as_ref().map_or_else(String::new, |field| format!(".{field}"));
    let to = finding.message.strip_prefix(ELIGIBLE).and_then(|rest| rest.split_once(": ")).map_or("", |(to, _)| to);
    format!("{name}{field} to {to}")
}

fn folded(go_type: &str, rules: &[String]) -> String {
    // `core/v1` of `k8s.io/api/core/v1.Pod`.
    let package = go_type.rsplit_once('.').map_or("", |(package, _)| package);
    let start = package.rmatch_indices('/').nth(1).map_or(0, |(slash, _)| slash + 1);
    let of =
        package.get(start..).filter(|name| !name.is_empty()).map_or_else(String::new, |name| format!(" of {name}"));
    // The rules of a field are side by side.
    let of_field = rules.chunk_by(|one, other| one == other).filter_map(|same| Some((same.first()?, same.len())));
    let named = of_field.take(NAMED);
    let named_rules: usize = named.clone().map(|(_, count)| count).sum();
    let named = named.map(|(name, count)| if count > 1 { format!("{name} (×{count})") } else { name.clone() });
    let named = named.collect::<Vec<_>>().join(", ");
    let more = rules.len().saturating_sub(named_rules);
    let more = if more > 0 { format!(" and {} more", grouped(more as u64)) } else { String::new() };
    format!("{}{of} could graduate: {named}{more}", plural(rules.len() as u64, "rule"))
}
