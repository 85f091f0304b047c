//! Which mutants a rule has.

use super::change::{Change, Mutant, Part};
use super::site::{Site, sites};
use crate::declarative::plan::program::{Op, Program};
use crate::declarative::plan::rule::Correlation;
use crate::declarative::tags;
use takeover_harness::rule::{Rule, RuleId};

/// Every mutant of a rule that can change an answer.
pub(super) fn mutants(program: &Program, rule: &Rule) -> Vec<Mutant> {
    let sites = sites(program, rule.id);
    // A check that reports nothing and stops nobody who would report does nothing.
    let matters = |site: &&Site<'_>| !site.is_silent() || (site.stops() && site.stops_judges_of_unset(program));
    if !sites.iter().any(|site| matters(&site)) {
        return Vec::new();
    }
    let mut list = List { rule: rule.id, mutants: Vec::new() };
    let fails = sites.iter().any(|site| site.check.can_fail());
    if fails {
        list.add("", "dropped", Change::Dropped);
    }
    let own = tags::lookup(&format!("{}{}", tags::PREFIX, rule.tag)).map_or("", |def| def.name);
    for (nth, site) in sites.iter().enumerate().filter(|(_, site)| matters(site)) {
        for fault in site.check.faults() {
            list.add(own, &fault.name, Change::Check { nth, check: fault.check });
        }
    }
    let mut loud = sites.iter().filter(|site| !site.is_silent()).peekable();
    if fails && loud.peek().is_some() && !rule.reports.is_empty() {
        list.add("", "wrong type", Change::Error(Part::Type));
        list.add("", "wrong path", Change::Error(Part::Path));
        // Errors without an origin are told apart by their type alone.
        if rule.reports.iter().any(|report| !report.origin.is_empty()) {
            list.add("", "wrong origin", Change::Error(Part::Origin));
        }
    }
    for site in loud.filter(|site| site.check.can_fail()) {
        if site.stops() && site.stops_something() {
            list.add("", "stops nothing", Change::StopsNothing);
        }
        if site.is_ratcheted() && !site.is_shielded() && site.check.judges_unchanged() {
            list.add("", "judges the unchanged", Change::Unratcheted);
        }
        if site.check.identifies() && correlates(site) {
            list.add(own, "correlation lost", Change::CorrelationOfPlace);
        }
        around(site, rule.id, &mut list);
    }
    list.mutants
}

/// Faults in how the rule is called.
fn around(site: &Site<'_>, rule: RuleId, list: &mut List) {
    let unchanged = site.check.judges_unchanged();
    for call in &site.calls {
        match &call.op {
            Op::IfOption { enabled, .. } => {
                let tag = if *enabled { "ifEnabled" } else { "ifDisabled" };
                list.add(tag, "option inverted", Change::OptionInverted);
                list.add(tag, "option ignored", Change::OptionIgnored);
            }
            Op::EachItem { correlation: Correlation::None, .. } if unchanged => {
                list.add("eachVal", "elements correlated", Change::Correlation(Correlation::Equal));
            }
            Op::EachItem { correlation: Correlation::Equal, .. } if unchanged => {
                list.add("eachVal", "elements not correlated", Change::Correlation(Correlation::None));
            }
            Op::EachItem { correlation: Correlation::Keys(_), .. } => {
                list.add("eachVal", "elements not correlated", Change::Correlation(Correlation::None));
            }
            Op::Item { .. } => list.add("item", "another element", Change::OtherElement),
            Op::Mode(mode) if super::site::holds(&mode.otherwise, rule) => {
                list.add("ifMode", "forbidden in every mode", Change::EveryMode);
            }
            Op::Mode(_) => list.add("ifMode", "another mode", Change::OtherMode),
            _ => {}
        }
    }
}

/// Whether anything at the place of the site finds elements of the old list.
fn correlates(site: &Site<'_>) -> bool {
    let calls = site.place.cohorts().iter().flat_map(|cohort| cohort.first.iter().chain(&cohort.rest));
    calls
        .chain(site.place.iterations())
        .any(|call| matches!(&call.op, Op::EachItem { correlation: Correlation::Equal | Correlation::Keys(_), .. }))
}

struct List {
    rule: RuleId,
    mutants: Vec<Mutant>,
}

impl List {
    /// Adds a mutant; faults of the rule as a whole once, faults of single checks as often as there are checks.
    fn add(&mut self, tag: &'static str, name: &str, change: Change) {
        let same = |mutant: &&Mutant| mutant.name == name || mutant.name.strip_prefix(name).is_some_and(is_count);
        let known = self.mutants.iter().filter(same).count();
        let name = match (known, &change) {
            (0, _) => name.to_owned(),
            (_, Change::Check { .. }) => format!("{name} ({})", known + 1),
            _ => return,
        };
        self.mutants.push(Mutant { rule: self.rule, name, tag, change });
    }
}

fn is_count(rest: &str) -> bool {
    let digits = rest.strip_prefix(" (").and_then(|rest| rest.strip_suffix(')'));
    digits.is_some_and(|digits| digits.bytes().all(|byte| byte.is_ascii_digit()))
}
