//! `version-drift`: the versions of a type have the same rules.

use crate::grammar::Tag;
use crate::lint::def::{Lint, Origin};
use crate::lint::model::{Line, Model, Subject, is_lifecycle, short};
use crate::lint::rules::unknown::is_unknown;
use crate::lint::sink::{Sink, Spot};
use crate::lint::version::Version;
use crate::tags::{self, TagScope};
use std::collections::BTreeMap;

pub(in crate::lint) static DRIFT: Lint = Lint {
    name: "version-drift",
    summary: "All versions of a type should have the same rules at the same level.",
    explanation: "Types, fields and constants with the same Go name in neighbouring packages (`apps/v1`, `apps/v1beta1`): \
                  each older version is compared with the most mature one that has it. Reported at both places. Packages must \
                  be linted in the same run.",
    source: Origin::Proposal,
    ..Lint::DEFAULT
};

/// What versions have in common: the folder of the group, the type, and the field or constant.
type Key<'s> = (&'s str, &'s str, &'static str, Option<&'s str>);

pub(in crate::lint) fn drift(model: &Model<'_>, sink: &mut Sink<'_>) {
    let mut versions: BTreeMap<Key<'_>, Vec<Side<'_, '_>>> = BTreeMap::new();
    // A type that validation does not come to has no rules to agree on.
    for subject in model.subjects.iter().filter(|subject| model.reached.contains(&subject.ty)) {
        let Some((group, name)) = subject.info.package.rsplit_once('/').or(Some(("", &*subject.info.package))) else {
            continue;
        };
        let Some(version) = Version::of_path(name) else { continue };
        let place = match subject.place {
            TagScope::Type => "type",
            TagScope::Field => "field",
            _ => "constant",
        };
        let key = (group, subject.info.go_name.as_ref(), place, subject.member);
        versions.entry(key).or_default().push(Side::new(version, name, subject));
    }
    for sides in versions.values_mut() {
        sides.sort_by_key(|side| std::cmp::Reverse(side.version));
        if let Some((mature, others)) = sides.split_first() {
            others.iter().for_each(|other| compare(mature, other, sink));
        }
    }
}

/// A version's type, field or constant with its chains.
struct Side<'s, 'i> {
    version: Version,
    name: &'s str,
    subject: &'s Subject<'i>,
    rules: Vec<Rule<'s, 'i>>,
}

struct Rule<'s, 'i> {
    line: &'s Line<'i>,
    tag: &'s Tag,
    /// The chain without lifecycle tags.
    chain: String,
    /// The chain without its last value: what must agree for two chains to be the same rule with another bound.
    frame: String,
    level: &'s str,
}

impl<'s, 'i> Side<'s, 'i> {
    fn new(version: Version, name: &'s str, subject: &'s Subject<'i>) -> Self {
        let rules = subject.tags().map(|(line, tag)| {
            let chain = tags::chain_text(tag);
            let value = tag.chain().last().map(|last| match &last.value {
                crate::grammar::Payload::Literal(_) => last.text.len() - last.text.find('=').unwrap_or(0),
                _ => 0,
            });
            let frame = chain.get(..chain.len() - value.unwrap_or(0).min(chain.len())).unwrap_or_default().to_owned();
            let level = if is_lifecycle(tag) { short(tag) } else { "stable" };
            Rule { line, tag, chain, frame, level }
        });
        Self { version, name, subject, rules: rules.collect() }
    }

    /// Whether a tag, or one below it, is unknown.
    fn is_misspelt(&self) -> bool {
        let below = self.rules.iter().flat_map(|rule| rule.tag.chain()).map(|tag| &*tag.name);
        self.subject.lines.iter().map(|line| line.name).chain(below).any(is_unknown)
    }
}

/// Pairs of rules that are the same by `same`, taken out of both lists.
fn pair<'r, 's, 'i>(
    left: &mut Vec<&'r Rule<'s, 'i>>,
    right: &mut Vec<&'r Rule<'s, 'i>>,
    same: impl Fn(&Rule<'s, 'i>, &Rule<'s, 'i>) -> bool,
) -> Vec<(&'r Rule<'s, 'i>, &'r Rule<'s, 'i>)> {
    let mut pairs = Vec::new();
    left.retain(|rule| match right.iter().position(|other| same(rule, other)) {
        Some(at) => {
            pairs.push((*rule, right.remove(at)));
            false
        }
        None => true,
    });
    pairs
}

fn compare(mature: &Side<'_, '_>, other: &Side<'_, '_>, sink: &mut Sink<'_>) {
    let mut left: Vec<&Rule<'_, '_>> = mature.rules.iter().collect();
    let mut right: Vec<&Rule<'_, '_>> = other.rules.iter().collect();
    pair(&mut left, &mut right, |a, b| a.chain == b.chain && a.level == b.level);
    let by_level = pair(&mut left, &mut right, |a, b| a.chain == b.chain);
    let by_value = pair(&mut left, &mut right, |a, b| a.frame == b.frame);
    for (here, there) in [(mature, other), (other, mature)] {
        let swap = std::ptr::eq(here, other);
        for pair in &by_level {
            let (mine, theirs) = if swap { (pair.1, pair.0) } else { *pair };
            let message = format!("`{}` is {} here and {} in `{}`", mine.chain, mine.level, theirs.level, there.name);
            sink.report(here.subject, Spot::tag(mine.line, mine.tag), message);
        }
        for pair in &by_value {
            let (mine, theirs) = if swap { (pair.1, pair.0) } else { *pair };
            let message = format!("`{}` here is `{}` in `{}`", mine.chain, theirs.chain, there.name);
            sink.report(here.subject, Spot::tag(mine.line, mine.tag), message);
        }
    }
    // What is misspelt on one side has its own finding, and is probably what the other side has.
    if mature.is_misspelt() || other.is_misspelt() {
        return;
    }
    for (here, there, alone) in [(mature, other, &left), (other, mature, &right)] {
        for rule in alone {
            let shown = here.subject.shown();
            let message = format!("`{}` is not on `{shown}` of `{}`", rule.chain, there.name);
            sink.report(here.subject, Spot::tag(rule.line, rule.tag), message);
            let message = format!("`{}` of `{}` is missing here", rule.chain, here.name);
            let help = format!("add it to `{shown}`, or excuse the difference in `lint-exceptions.toml`");
            sink.report(there.subject, Spot::subject(there.subject), message).help(help);
        }
    }
}
