//! The words for what the sides do with a value: they report errors, or set defaults.

use super::model::Shown;
use crate::numbers::{counted, grouped};
use crate::run::Check;
use takeover_harness::compare::Matter;
use takeover_harness::evidence::RuleCounts;

/// The words of a matter.
#[derive(Clone, Copy, Debug)]
pub(super) struct Words(Matter);

impl Words {
    pub(super) fn of(matter: Matter) -> Self {
        Self(matter)
    }

    /// The names of both sides.
    fn sides(self) -> [&'static str; 2] {
        match self.0 {
            Matter::Defaults => ["code", "the marker"],
            Matter::Semantics => ["a custom resource", "a built-in resource"],
            Matter::Errors | Matter::Apply | Matter::Objects => ["the handwritten side", "the rule"],
        }
    }

    /// What a class is expected to do.
    pub(super) fn should(self, breaks: bool) -> &'static str {
        match (self.0.is_of_defaults(), breaks) {
            (true, true) => "takes the default",
            (true, false) => "stays as it is",
            (false, true) => "breaks the rule",
            (false, false) => "is fine",
        }
    }

    /// What is counted of an operation.
    pub(super) fn counts(self, of: &RuleCounts) -> String {
        let differs =
            if of.differs > 0 { format!(", {} with different values", grouped(of.differs)) } else { String::new() };
        let [compared, accept, reject, missing, extra, panicked] =
            [of.compared, of.agreed_accept, of.agreed_reject, of.missing, of.extra, of.panicked].map(grouped);
        if !self.0.is_of_defaults() {
            return format!(
                "{compared} compared, {accept} agreed accepts, {reject} agreed rejects, {missing} missing, {extra} \
                 extra{differs}, {panicked} panicked"
            );
        }
        let [reference, candidate] = self.sides();
        format!(
            "{compared} compared: in {accept} neither side sets it, in {reject} both set the same, in {missing} only {reference} sets \
             its value, in {extra} only {candidate}{differs}, {panicked} panicked"
        )
    }

    /// How often a check reported, in words: `rejected in 28 cases, in 3 by the reference alone; 3,643 accepted`.
    pub(super) fn figures(self, reported: u64, alone: u64, accepted: u64) -> String {
        let alone = if alone > 0 { format!(", in {} by one side alone", grouped(alone)) } else { String::new() };
        if self.0.is_of_defaults() {
            return format!("set in {}{alone}; {} kept what was sent", counted(reported, "case"), grouped(accepted));
        }
        format!("rejected in {}{alone}; {} accepted", counted(reported, "case"), grouped(accepted))
    }

    /// What no case did, where nothing was observed.
    pub(super) fn no_check(self, is_alone: bool) -> &'static str {
        match (self.0.is_of_defaults(), is_alone) {
            (true, _) => "showed a default",
            (false, true) => "led to an error",
            (false, false) => "made a side report an error",
        }
    }

    /// What observed checks are called, at the beginning of a line.
    pub(super) fn checks(self) -> &'static str {
        if self.0.is_of_defaults() { "Defaults" } else { "Checks" }
    }

    /// Whether the types of errors say nothing, because each error stands for a default.
    pub(super) fn leaves_types_out(self) -> bool {
        self.0.is_of_defaults()
    }

    /// What a side says that reports nothing.
    pub(super) fn silence(self) -> &'static str {
        if self.0.is_of_defaults() { "sets nothing" } else { "accepts" }
    }

    /// What a rule does that reports this: a verb, and what.
    pub(super) fn does(self, check: &Check) -> (&'static str, String) {
        if self.0.is_of_defaults() {
            return ("sets", format!("{} ({})", field(&check.field), check.origin));
        }
        ("reports", sort(check))
    }

    /// Who reports a case.
    pub(super) fn said(self, shown: &Shown) -> String {
        let [reference, candidate] = self.sides();
        let (one, all) = if self.0.is_of_defaults() { ("sets", "set") } else { ("reports", "report") };
        match (shown.reference, shown.candidate) {
            (true, true) => format!("both {all} it"),
            (false, false) => format!("neither {one} it"),
            (true, false) => format!("ONLY {reference} {one} it"),
            (false, true) => format!("ONLY {candidate} {one} it"),
        }
    }
}

/// A path as people read it.
pub(super) fn field(path: &str) -> &str {
    if path.is_empty() { "(the object)" } else { path }
}

/// A sort of error as people read it.
fn sort(check: &Check) -> String {
    let origin = if check.origin.is_empty() { String::new() } else { format!(" ({})", check.origin) };
    format!("{} {}{origin}", check.error_type, field(&check.field))
}
