//! Which mutants a rule has.

use super::change::{Change, Mutant, Part};
use super::site::{Site, holds, sites};
use super::updates::{blocks_modified, blocks_with_old, is_frozen};
use crate::eval::ShownBy;
use crate::eval::program::{Correlation, Op, Program};
use crate::tags;
use takeover_harness::rule::{Rule, RuleId, Unreachable};

/// Why a mutant makes no difference.
type Reason = Option<&'static str>;

const IDLE: &str = "the rule reports nothing, and nothing that it stops could fail";
const NEVER_FAILS: &str = "no value of the type breaks the rule";
const DEFAULTED: &str = "the field has a default, so that no request leaves it unset";
const NOTHING_STOPPED: &str = "nothing that the rule stops could fail on what breaks it";
const UNCHANGED: &str = "what an update leaves as it was does not break the rule";
const NO_OLD: &str = "the value never has an old one: a list around it does not tell which elements are the same";
const FROZEN: &str = "only modifying what is there shows it, and a rule around stops every update that does";
const REPEATED: &str = "another rule reports the same in the other state of the option";
const KEPT_AWAY: &str = "another rule stops all values that show it";
const UNSET: &str = "an unset value is all that shows it, and another rule stops those";

/// Every mutant of a rule, those that change no answer marked so. `filled` says that no request leaves its place unset.
pub(super) fn mutants(program: &Program, rule: &Rule, filled: bool) -> Vec<Mutant> {
    let sites = sites(program, rule.id);
    let (old, modified) = (blocks_with_old(program), blocks_modified(program));
    let unseen_unset = if filled { DEFAULTED } else { UNSET };
    let sees_unset = |site: &Site<'_>| !filled && site.sees_unset(program);
    // A check that reports nothing and stops nobody who would report does nothing.
    let matters = |site: &Site<'_>| !site.is_silent() || (site.stops() && site.stops_judges_of_unset(program));
    let fails = |site: &Site<'_>| site.check.can_fail();
    let idle = (!sites.iter().any(matters)).then_some(IDLE);
    let harmless = idle.or(rule.after_default.then_some(DEFAULTED));
    let harmless = harmless.or((!sites.iter().any(fails)).then_some(NEVER_FAILS));
    let unset = !sites.iter().any(|site| site.check.fails_set() || sees_unset(site));
    let harmless = harmless.or(unset.then_some(unseen_unset));

    let mut list = List { rule: rule.id, mutants: Vec::new() };
    list.add("", "dropped", Change::Dropped, harmless);
    let own = tags::lookup(&format!("{}{}", tags::PREFIX, rule.tag)).map_or("", |def| def.name);
    for (nth, site) in sites.iter().enumerate() {
        // One that stops the wrong values is noticed by whatever could fail on those.
        let idle = (site.is_silent() && !(site.stops() && site.stops_something())).then_some(IDLE);
        for fault in site.check.faults() {
            let unseen = match fault.shown_by {
                ShownBy::Unset if !sees_unset(site) => Some(unseen_unset),
                ShownBy::Turned if filled => Some(DEFAULTED),
                ShownBy::WithOld | ShownBy::Modified if !site.has_old(&old) => Some(NO_OLD),
                ShownBy::Modified if is_frozen(site, &modified) => Some(FROZEN),
                ShownBy::Class(class) if is_kept_away(class, rule, site) => Some(KEPT_AWAY),
                _ => None,
            };
            let reason = idle.or(fault.equivalent).or(unseen);
            list.add(own, &fault.name, Change::Check { nth, check: fault.check }, reason);
        }
    }
    let loud: Vec<&Site<'_>> = sites.iter().filter(|site| !site.is_silent()).collect();
    if !loud.is_empty() && !rule.reports.is_empty() {
        list.add("", "wrong type", Change::Error(Part::Type), harmless);
        list.add("", "wrong path", Change::Error(Part::Path), harmless);
        // Errors without an origin are told apart by their type alone.
        if rule.reports.iter().any(|report| !report.origin.is_empty()) {
            list.add("", "wrong origin", Change::Error(Part::Origin), harmless);
        }
    }
    let stoppers: Vec<&&Site<'_>> = loud.iter().filter(|site| site.stops()).collect();
    if !stoppers.is_empty() {
        let useful = |site: &&&Site<'_>| {
            let on_set = || site.stops_something() || site.has_rivals_on_set();
            let on_unset = || site.stops_judges_of_unset(program) || site.has_rivals_on_unset(program);
            (site.check.fails_set() && on_set()) || (!filled && site.check.fails_unset() && on_unset())
        };
        let useless = !stoppers.iter().any(useful);
        list.add("", "stops nothing", Change::StopsNothing, harmless.or(useless.then_some(NOTHING_STOPPED)));
    }
    for site in loud {
        if site.is_ratcheted() {
            let unchanged = (!site.check.judges_unchanged()).then_some(UNCHANGED);
            list.add("", "judges the unchanged", Change::Unratcheted, harmless.or(unchanged));
        }
        if site.check.identifies() && correlates(site) {
            let lost = (!site.place_has_old(&old)).then_some(NO_OLD);
            let lost = lost.or(is_frozen(site, &modified).then_some(FROZEN));
            list.add(own, "correlation lost", Change::CorrelationOfPlace, lost);
        }
        let frozen = is_frozen(site, &modified).then_some(FROZEN);
        around(site, rule.id, harmless, harmless.or(frozen), &mut list);
    }
    list.mutants
}

/// Whether other rules stop the values of a class, rather than that the type has none.
fn is_kept_away(class: &str, rule: &Rule, site: &Site<'_>) -> bool {
    let among = |unreachable: &[Unreachable]| unreachable.iter().any(|of| of.class == class);
    among(&rule.unreachable) && !among(&site.check.unreachable())
}

/// Faults in how the rule is called. `modified` says why those make no difference that only modifying a list shows.
fn around(site: &Site<'_>, rule: RuleId, harmless: Reason, modified: Reason, list: &mut List) {
    for call in &site.calls {
        match &call.op {
            Op::IfOption { enabled, .. } => {
                let tag = if *enabled { "ifEnabled" } else { "ifDisabled" };
                list.add(tag, "option inverted", Change::OptionInverted, harmless);
                let repeated = site.is_repeated_in_the_other_state().then_some(REPEATED);
                list.add(tag, "option ignored", Change::OptionIgnored, harmless.or(repeated));
            }
            Op::EachItem { correlation: Correlation::None, .. } => {
                list.add("eachVal", "elements correlated", Change::Correlation(Correlation::Equal), modified);
            }
            Op::EachItem { .. } => {
                list.add("eachVal", "elements not correlated", Change::Correlation(Correlation::None), modified);
            }
            Op::Item { .. } => list.add("item", "another element", Change::OtherElement, harmless),
            Op::Mode(mode) if holds(&mode.otherwise, rule) => {
                list.add("ifMode", "forbidden in every mode", Change::EveryMode, harmless);
            }
            Op::Mode(_) => list.add("ifMode", "another mode", Change::OtherMode, harmless),
            _ => {}
        }
    }
}

/// Whether anything at the place of the site finds elements of the old list.
fn correlates(site: &Site<'_>) -> bool {
    let finds = |op: &Op| matches!(op, Op::EachItem { correlation: Correlation::Equal | Correlation::Keys(_), .. });
    site.place.calls().any(|call| finds(&call.op))
}

struct List {
    rule: RuleId,
    mutants: Vec<Mutant>,
}

impl List {
    /// Adds a mutant; faults of the rule as a whole once, faults of single checks as often as there are checks.
    fn add(&mut self, tag: &'static str, name: &str, change: Change, equivalent: Reason) {
        let same = |mutant: &&mut Mutant| mutant.name == name || mutant.name.strip_prefix(name).is_some_and(is_count);
        let mut known = self.mutants.iter_mut().filter(same);
        let first = known.next();
        let count = usize::from(first.is_some()) + known.count();
        let name = match (first, &change) {
            (None, _) => name.to_owned(),
            (Some(_), Change::Check { .. }) => format!("{name} ({})", count + 1),
            (Some(first), _) => {
                // One check that tells is enough.
                first.equivalent = first.equivalent.and(equivalent);
                return;
            }
        };
        self.mutants.push(Mutant { rule: self.rule, name, tag, equivalent, change });
    }
}

fn is_count(rest: &str) -> bool {
    let digits = rest.strip_prefix(" (").and_then(|rest| rest.strip_suffix(')'));
    digits.is_some_and(|digits| digits.bytes().all(|byte| byte.is_ascii_digit()))
}
