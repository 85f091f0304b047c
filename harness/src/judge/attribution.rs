//! Which rules a disagreement is attributed to.

use crate::case::Options;
use crate::compare::Comparator;
use crate::error::{ErrorType, FieldError};
use crate::path::{is_inside, pattern};
use crate::rule::{Rule, RuleId};
use std::collections::{HashMap, HashSet};

/// The rules of a subject by what they say they report.
pub(super) struct Attribution {
    rules: usize,
    /// Those that nothing breaks.
    idle: HashSet<RuleId>,
    /// Whether two rules may differ in nothing but the origin of their errors.
    origins: bool,
    /// Whether the candidate names the rule of each error itself.
    named: bool,
    /// Whether each error stands for a default, whose value is its origin.
    defaults: bool,
    /// The options that switch a rule, each with the state in which it runs.
    switches: HashMap<RuleId, Vec<(String, bool)>>,
    by_path: HashMap<String, Vec<RuleId>>,
    by_origin: HashMap<String, Vec<(ErrorType, String, RuleId)>>,
}

impl Attribution {
    /// Indexes `rules` by the paths that they report, and by those paths after normalisation. `named` says that the candidate
    /// names the rules that it reaches and those that make its errors, `defaults` that each error stands for a default.
    pub(super) fn new(rules: &[Rule], comparator: &Comparator, named: bool, defaults: bool) -> Self {
        let mut by_origin: HashMap<String, Vec<_>> = HashMap::new();
        let mut by_path: HashMap<String, Vec<RuleId>> = HashMap::new();
        let origins = comparator.heeds_origin();
        for rule in rules {
            by_path.entry(rule.path.clone()).or_default().push(rule.id);
            for report in &rule.reports {
                let origin = if origins { report.origin.clone() } else { String::new() };
                let entry = by_origin.entry(origin).or_default();
                // Normalisation rules speak of indexes, patterns of `[*]`.
                let sample = report.field.replace("[*]", "[0]");
                let normalized = pattern(&comparator.normalized(&sample));
                if normalized != report.field {
                    entry.push((report.error_type, normalized, rule.id));
                }
                entry.push((report.error_type, report.field.clone(), rule.id));
            }
        }
        let idle = rules.iter().filter(|rule| !rule.can_break()).map(|rule| rule.id).collect();
        let switches = rules.iter().filter(|rule| !rule.options.is_empty());
        let switches = switches.map(|rule| (rule.id, rule.options.clone())).collect();
        Self { rules: rules.len(), idle, origins, named, defaults, switches, by_path, by_origin }
    }

    /// The rules that should have reported the reference error `error`, in catalogue order.
    pub(super) fn twins(&self, error: &FieldError) -> Vec<RuleId> {
        self.twins_at(error, &pattern(&error.field))
    }

    /// As [`Attribution::twins`], given the pattern of the error's field.
    pub(super) fn twins_at(&self, error: &FieldError, path: &str) -> Vec<RuleId> {
        self.twins_of(error.error_type, path, &error.origin)
    }

    /// The rules that report errors of this type, at this pattern, with this origin; those that nothing breaks only where there is no
    /// other.
    pub(super) fn twins_of(&self, error_type: ErrorType, path: &str, origin: &str) -> Vec<RuleId> {
        let reports = self.by_origin.get(if self.origins { origin } else { "" }).into_iter().flatten();
        let mut twins: Vec<RuleId> = reports
            .filter(|(reported, field, _)| *reported == error_type && *field == path)
            .map(|(_, _, rule)| *rule)
            .collect();
        // The laws are about the object as a whole.
        if twins.is_empty() && self.defaults && !path.is_empty() {
            // Another value is a default of the same field, for which its marker is to blame.
            twins.extend(self.by_path.get(path).into_iter().flatten());
        }
        twins.sort_unstable();
        twins.dedup();
        if twins.iter().any(|rule| !self.idle.contains(rule)) {
            twins.retain(|rule| !self.idle.contains(rule));
        }
        twins
    }

    /// Those of `rules` that no option switches off; all of them where it switches off each.
    pub(super) fn running(&self, mut rules: Vec<RuleId>, options: &Options) -> Vec<RuleId> {
        let runs = |rule: &RuleId| {
            self.switches
                .get(rule)
                .is_none_or(|of| of.iter().all(|(name, state)| options.get(name).is_none_or(|on| on == *state)))
        };
        if rules.iter().any(runs) {
            rules.retain(runs);
        }
        rules
    }

    /// The rule that made `error`; none when the candidate names none, or one that does not exist.
    pub(super) fn maker(&self, error: &FieldError) -> Option<RuleId> {
        error.rule.filter(|rule| rule.index() < self.rules)
    }

    /// The rules behind an error of the candidate: the one that it names, otherwise those that report errors of that shape.
    pub(super) fn makers(&self, error: &FieldError) -> Vec<RuleId> {
        if self.named { self.maker(error).into_iter().collect() } else { self.twins(error) }
    }

    /// The rules at a place, given as a pattern, and below it: a value that appears or disappears takes its members along.
    pub(super) fn at(&self, place: &str) -> Vec<RuleId> {
        let mut rules: Vec<RuleId> = self
            .by_path
            .iter()
            .filter(|(path, _)| is_inside(path, place))
            .flat_map(|(_, rules)| rules.iter().copied())
            .collect();
        rules.sort_unstable();
        rules
    }
}
