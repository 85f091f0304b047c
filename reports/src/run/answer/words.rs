//! The answer in words, which every form shares.

use super::check::Answer;
use super::summary::{CheckSums, DefaultSums, FindingSums, LawSums, PairSums, RuleSums, Summary};
use crate::numbers::{counted, grouped};
use crate::run::rule::Level;
use std::collections::BTreeMap;
use takeover_harness::compare::Matter;

/// Room for causes in a line of 80 columns; those that do not fit are added up.
const CAUSES_WIDTH: usize = 50;

/// The answer in a sentence: `12 of the 96 handwritten checks that have a rule may be deleted.` Two sentences for a run that has both pairs
/// with checks and pairs without.
#[must_use]
pub fn sentence(summary: &Summary) -> String {
    sentences(summary).join(" ")
}

/// The sentences of the answer; each fits a line of 80 columns.
pub(crate) fn sentences(summary: &Summary) -> Vec<String> {
    let none = || "No handwritten check has a rule that could replace it.".to_owned();
    let of_defaults = defaults(&summary.defaults).into_iter().chain(semantics(&summary.semantics));
    let said = checks(&summary.checks).into_iter().chain(of_defaults).chain(laws(summary.laws));
    let said = said.chain(pairs(summary.pairs));
    let said: Vec<String> = said.collect();
    // Nobody lists the checks of such a reference: they show when it refuses something.
    let no_check = summary.checks == CheckSums::default() && summary.cases.compared > 0;
    let silent = || "The reference rejected nothing, so there is no check to replace.".to_owned();
    match said.as_slice() {
        [] if no_check => vec![silent()],
        [] => vec![none()],
        _ => said,
    }
}

/// `12 of the 96 handwritten checks that have a rule may be deleted.`; none where no check could be replaced.
fn checks(sums: &CheckSums) -> Option<String> {
    let CheckSums { with_rule, may_go, observed, .. } = *sums;
    let (one, several) = match with_rule - observed {
        0 => ("check that the reference showed", "checks that the reference showed"),
        _ if observed > 0 => ("check", "checks that have a rule or were observed"),
        _ => ("handwritten check that has a rule", "handwritten checks that have a rule"),
    };
    let all = grouped(with_rule as u64);
    match (may_go, with_rule) {
        (_, 0) => None,
        (0, 1) => Some(format!("The 1 {one} may not be deleted yet.")),
        (1, 1) => Some(format!("The 1 {one} may be deleted.")),
        (0, _) => Some(format!("None of the {all} {several} may be deleted yet.")),
        (some, with) if some == with => Some(format!("All {all} {several} may be deleted.")),
        (some, _) => Some(format!("{} of the {all} {several} may be deleted.", grouped(some as u64))),
    }
}

/// `12 of the 13 defaults with a marker may be deleted from SetDefaults.`; none where no pair compares defaults.
fn defaults(sums: &DefaultSums) -> Option<String> {
    if sums.is_empty() {
        return None;
    }
    let all = grouped(sums.with_marker as u64);
    Some(match (sums.may_go, sums.with_marker) {
        (_, 0) if sums.by_marker > 0 && sums.may_move + sums.by_code + sums.need_evidence == 0 => {
            format!(
                "No code sets {}: only the laws of defaulting are tried.",
                counted(sums.by_marker as u64, "default")
            )
        }
        (_, 0) => "No default of code has a marker.".to_owned(),
        (0, 1) => "The 1 default with a marker may not be deleted from SetDefaults yet.".to_owned(),
        (1, 1) => "The 1 default with a marker may be deleted from SetDefaults.".to_owned(),
        (0, _) => format!("None of the {all} defaults with a marker may be deleted from SetDefaults yet."),
        (some, with) if some == with => format!("All {all} defaults with a marker may be deleted from SetDefaults."),
        (some, _) => {
            let some = grouped(some as u64);
            format!("{some} of the {all} defaults with a marker may be deleted from SetDefaults.")
        }
    })
}

/// `12 of the 13 defaults mean the same in a custom resource.`; none where no pair compares them.
fn semantics(sums: &DefaultSums) -> Option<String> {
    if sums.is_empty() {
        return None;
    }
    let all = grouped(sums.with_marker as u64);
    Some(match (sums.may_go, sums.with_marker) {
        (_, 0) => "No default has a marker.".to_owned(),
        (0, 1) => "The 1 default is not known to mean the same in a custom resource.".to_owned(),
        (0, _) => format!("None of the {all} defaults is known to mean the same in a custom resource."),
        (1, 1) => "The 1 default means the same in a custom resource.".to_owned(),
        (some, with) if some == with => format!("All {all} defaults mean the same in a custom resource."),
        (some, _) => {
            let mean = if some == 1 { "means" } else { "mean" };
            format!("{} of the {all} defaults {mean} the same in a custom resource.", grouped(some as u64))
        }
    })
}

/// `17 of the 20 laws of server-side apply hold.`; none where no pair has them.
fn laws(LawSums { all, hold, .. }: LawSums) -> Option<String> {
    match (hold, all) {
        (_, 0) => None,
        (0, _) => Some(format!("None of the {} laws of server-side apply is known to hold.", grouped(all as u64))),
        (1, _) if all > 1 => Some(format!("1 of the {} laws of server-side apply holds.", grouped(all as u64))),
        _ if hold == all => Some(format!("All {} laws of server-side apply hold.", grouped(all as u64))),
        (some, _) => {
            Some(format!("{} of the {} laws of server-side apply hold.", grouped(some as u64), grouped(all as u64)))
        }
    }
}

/// `1 of 3 validators may be replaced; 1 may not, 1 needs evidence.`; none where every pair has rules.
fn pairs(pairs: PairSums) -> Option<String> {
    let PairSums { all, ready, blocked, findings } = pairs;
    let short = all - ready - blocked;
    if all < 2 {
        let one = match (ready, blocked, findings) {
            (1, ..) => "The candidate may replace the reference: no case tells them apart.".to_owned(),
            (_, 1, 0) => "The candidate may not replace the reference: not every case was judged.".to_owned(),
            (_, 1, 1) => "The candidate may not replace the reference: 1 finding tells them apart.".to_owned(),
            (_, 1, some) => {
                format!(
                    "The candidate may not replace the reference: {} findings tell them apart.",
                    grouped(some as u64)
                )
            }
            _ => "Too few cases show whether the candidate may replace the reference.".to_owned(),
        };
        return (all == 1).then_some(one);
    }
    let need = if short == 1 { "needs" } else { "need" };
    let rest = [(blocked, "may not"), (short, &format!("{need} evidence"))];
    let rest = rest.iter().filter(|(count, _)| *count > 0);
    let rest: Vec<String> = rest.map(|(count, what)| format!("{} {what}", grouped(*count as u64))).collect();
    let rest = if rest.is_empty() { String::new() } else { format!("; {}", rest.join(", ")) };
    let (ready, all) = (grouped(ready as u64), counted(all as u64, "validator"));
    Some(format!("{ready} of {all} may be replaced{rest}."))
}

/// What the answers about a matter are about, in the order in which forms list them.
pub(crate) const MATTERS: [(Matter, &str); 4] = [
    (Matter::Errors, "handwritten checks"),
    (Matter::Defaults, "defaults"),
    (Matter::Semantics, "defaults in a custom resource"),
    (Matter::Apply, "laws of apply"),
];

/// What the answers about a matter are about.
pub(crate) fn counted_in(matter: Matter) -> &'static str {
    MATTERS.iter().find(|(of, _)| *of == matter).map_or("", |(_, name)| name)
}

/// The question to each check, default or law.
pub(crate) fn asked(matter: Matter) -> &'static str {
    match matter {
        Matter::Errors | Matter::Objects => "may this check be deleted?",
        Matter::Defaults => "may this line of SetDefaults be deleted?",
        Matter::Semantics => "does this default mean the same in a custom resource?",
        Matter::Apply => "does this law hold?",
    }
}

/// How many checks, defaults or laws got an answer, with what there is to say of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct AnswerRow {
    /// The answer.
    pub(crate) answer: Answer,
    /// How many.
    pub(crate) number: String,
    /// What stands behind the number.
    pub(crate) label: &'static str,
    /// More of it; may be empty.
    pub(crate) remark: String,
    /// What it counts.
    pub(crate) of: Matter,
}

impl AnswerRow {
    /// What stands beside the number, in a table.
    pub(crate) fn heading(&self) -> &'static str {
        match self.of {
            Matter::Defaults => self.answer.label_of_defaults(""),
            Matter::Semantics => self.answer.label_of_semantics(""),
            Matter::Apply => self.answer.label_of_laws(""),
            Matter::Errors | Matter::Objects => self.answer.label(),
        }
    }
}

/// The sums of checks, then of defaults and of laws, each with its description. Zero sums are left out, except for those that may
/// be deleted.
pub(crate) fn rows(summary: &Summary) -> Vec<AnswerRow> {
    let mut rows = rows_of_checks(summary);
    for (sums, of) in [(&summary.defaults, Matter::Defaults), (&summary.semantics, Matter::Semantics)] {
        for answer in Answer::ALL {
            let count = sums.with(answer);
            if count > 0 || (answer == Answer::MayGo && sums.with_marker > 0) {
                let number = grouped(count as u64);
                let (label, remark) = match of {
                    Matter::Semantics => (answer.label_of_semantics(&number), remark_of_semantics(answer, sums)),
                    _ => (answer.label_of_defaults(&number), remark_of_default(answer, sums)),
                };
                rows.push(AnswerRow { answer, label, number, remark, of });
            }
        }
    }
    for answer in Answer::ALL {
        let count = summary.laws.with(answer);
        if count > 0 || (answer == Answer::MayGo && summary.laws.all > 0) {
            let number = grouped(count as u64);
            let label = answer.label_of_laws(&number);
            rows.push(AnswerRow { answer, label, number, remark: String::new(), of: Matter::Apply });
        }
    }
    rows
}

fn remark_of_default(answer: Answer, sums: &DefaultSums) -> String {
    match answer {
        Answer::MayGo if sums.may_go > 0 => "from SetDefaults: the marker sets the same".to_owned(),
        Answer::MayMove => "code sets one value, whatever else is set".to_owned(),
        Answer::MayNot => causes(&sums.may_not_by_cause),
        Answer::NoRule => "they depend on other fields".to_owned(),
        _ => String::new(),
    }
}

fn remark_of_semantics(answer: Answer, sums: &DefaultSums) -> String {
    if answer == Answer::MayNot { causes(&sums.may_not_by_cause) } else { String::new() }
}

fn rows_of_checks(summary: &Summary) -> Vec<AnswerRow> {
    let sums = &summary.checks;
    let some = |answer: &Answer| sums.with(*answer) > 0 || (*answer == Answer::MayGo && sums.with_rule > 0);
    let row = |answer: Answer| {
        let remark = match answer {
            Answer::MayGo if sums.may_go > 0 && sums.observed == sums.with_rule => fields(&sums.may_go_by_field),
            Answer::MayGo => levels(sums),
            Answer::MayNot => causes(&sums.may_not_by_cause),
            Answer::NoRule if sums.lost_rule == 1 => "1 of them says that a rule covers it".to_owned(),
            Answer::NoRule if sums.lost_rule > 0 => {
                format!("{} of them say that a rule covers them", grouped(sums.lost_rule as u64))
            }
            Answer::NeedsEvidence | Answer::NoRule | Answer::Elsewhere | Answer::MayMove => String::new(),
        };
        let number = grouped(sums.with(answer) as u64);
        AnswerRow { answer, label: answer.label_of(&number), number, remark, of: Matter::Errors }
    };
    Answer::ALL.into_iter().filter(some).map(row).collect()
}

/// Fields with checks that may go, as many as fit: `spec.mode, spec.size (2) and 12 more`.
fn fields(by_field: &BTreeMap<String, usize>) -> String {
    let named = |(field, checks): (&String, &usize)| {
        let field = if field.is_empty() { "the object" } else { field };
        if *checks == 1 { field.to_owned() } else { format!("{field} ({})", grouped(*checks as u64)) }
    };
    let names: Vec<String> = by_field.iter().map(named).collect();
    let all: usize = by_field.values().sum();
    let said = |shown: usize| {
        let left = all - by_field.values().take(shown).sum::<usize>();
        let names = names.get(..shown).unwrap_or_default().join(", ");
        if left == 0 { names } else { format!("{names} and {} more", grouped(left as u64)) }
    };
    let fits = |line: &String| line.chars().count() <= CAUSES_WIDTH;
    (1..=names.len()).rev().map(said).find(fits).unwrap_or_else(|| "the candidate rejects the same".to_owned())
}

/// `3 now; 9 once their rules are stable (7 alpha, 2 beta)`.
fn levels(sums: &CheckSums) -> String {
    let at = |level: Level| sums.may_go_by_level.get(&level).copied().unwrap_or_default();
    let (now, later) = (at(Level::Stable), at(Level::Alpha) + at(Level::Beta));
    let levels = [Level::Alpha, Level::Beta].into_iter().filter(|level| at(*level) > 0);
    let levels: Vec<String> = levels.map(|level| format!("{} {}", grouped(at(level) as u64), level.name())).collect();
    let whose = if later == 1 { "its rule is" } else { "their rules are" };
    let then = format!("once {whose} stable ({} now)", levels.join(", "));
    match (now, later) {
        (0, 0) => String::new(),
        (1, 0) => "now: its rule is stable".to_owned(),
        (_, 0) => "now: their rules are stable".to_owned(),
        (0, _) => then,
        _ => format!("{} now, {} {then}", grouped(now as u64), grouped(later as u64)),
    }
}

/// `12 ratchets, 9 reports-more, 8 others`, the most frequent first.
fn causes(by_cause: &BTreeMap<String, usize>) -> String {
    let mut causes: Vec<(&str, usize)> = by_cause.iter().map(|(cause, count)| (cause.as_str(), *count)).collect();
    causes.sort_by_key(|(cause, count)| (std::cmp::Reverse(*count), *cause));
    let said = |named: usize| {
        let rest: usize = causes.iter().skip(named).map(|(_, count)| count).sum();
        let parts = causes.iter().take(named).map(|(cause, count)| format!("{} {cause}", grouped(*count as u64)));
        let rest = match rest {
            0 => None,
            1 => Some("1 other".to_owned()),
            some => Some(format!("{} others", grouped(some as u64))),
        };
        parts.chain(rest).collect::<Vec<_>>().join(", ")
    };
    let fits = |line: &String| line.chars().count() <= CAUSES_WIDTH;
    (1..=causes.len()).rev().map(said).find(fits).unwrap_or_else(|| said(1))
}

/// What else there is to say of defaults: `2 are set by markers alone, 14 of 15 laws hold`; none where no pair compares defaults.
pub(crate) fn apart_defaults(sums: &DefaultSums) -> Option<String> {
    let alone = match sums.by_marker {
        0 => None,
        1 => Some("1 is set by a marker alone".to_owned()),
        some => Some(format!("{} are set by markers alone", grouped(some as u64))),
    };
    let laws = counted(sums.laws as u64, "law");
    let laws = match (sums.laws, sums.laws_broken) {
        (0, _) => None,
        (_, 0) => Some(format!("all {laws} hold")),
        (all, broken) => Some(format!("{} of {laws} hold", grouped(all.saturating_sub(broken) as u64))),
    };
    let parts: Vec<String> = alone.into_iter().chain(laws).collect();
    (!parts.is_empty()).then(|| parts.join(", "))
}

/// The rules that stand behind no check: `23 rules are new, 296 rules replace no check`; none where there is no such rule.
pub(crate) fn apart_rules(rules: &RuleSums) -> Option<String> {
    let new = match rules.new {
        0 => None,
        1 => Some("1 rule is new".to_owned()),
        some => Some(format!("{} rules are new", grouped(some as u64))),
    };
    let nothing = match rules.replace_nothing {
        0 => None,
        1 => Some("1 rule replaces no check".to_owned()),
        some => Some(format!("{} rules replace no check", grouped(some as u64))),
    };
    let parts: Vec<String> = new.into_iter().chain(nothing).collect();
    (!parts.is_empty()).then(|| parts.join(", "))
}

/// `no finding`, `3 findings`, `5 findings, 1 excused, 2 tolerated, 7 more brought along`.
#[must_use]
pub(crate) fn findings(sums: &FindingSums) -> String {
    let all = match sums.all {
        0 => "no finding".to_owned(),
        some => counted(some as u64, "finding"),
    };
    all + &decided(sums)
}

/// How many findings are decided about, behind their number: `, 1 excused, 2 tolerated`.
#[must_use]
pub(crate) fn decided(sums: &FindingSums) -> String {
    let parts = [
        (sums.excused, "excused"),
        (sums.tolerated, "tolerated"),
        (sums.reported, "reported only"),
        (sums.brought_along, "more brought along"),
    ];
    let some = parts.iter().filter(|(count, _)| *count > 0);
    some.map(|(count, what)| format!(", {} {what}", grouped(*count as u64))).collect()
}

#[cfg(test)]
mod tests {
    use super::{rows, sentence, sentences};
    use crate::run::answer::summary::{CaseSums, CheckSums, DefaultSums, LawSums, PairSums, Summary};
    use crate::run::rule::Level;
    use takeover_harness::compare::Matter;

    fn summary(may_go: usize, may_not: usize) -> Summary {
        let checks = CheckSums {
            with_rule: may_go + may_not,
            may_go,
            may_go_by_level: [(Level::Alpha, may_go)].into(),
            may_not,
            may_not_by_cause: [("ratchets".to_owned(), may_not)].into(),
            ..CheckSums::default()
        };
        Summary { checks, ..Summary::default() }
    }

    fn of_laws(all: usize, hold: usize) -> Summary {
        Summary { laws: LawSums { all, hold, broken: all - hold, need_evidence: 0 }, ..Summary::default() }
    }

    #[test]
    fn defaults_of_code_and_those_of_own_types_are_answered_apart() {
        let of = |with_marker, may_go| DefaultSums {
            with_marker,
            may_go,
            need_evidence: with_marker - may_go,
            ..DefaultSums::default()
        };
        let both = Summary { defaults: of(2, 1), semantics: of(3, 0), ..Summary::default() };
        assert_eq!(
            sentences(&both),
            [
                "1 of the 2 defaults with a marker may be deleted from SetDefaults.",
                "None of the 3 defaults is known to mean the same in a custom resource.",
            ]
        );
        let of_schema = Summary { defaults: DefaultSums { by_marker: 3, laws: 4, ..of(0, 0) }, ..Summary::default() };
        assert_eq!(sentence(&of_schema), "No code sets 3 defaults: only the laws of defaulting are tried.");
        let said: Vec<(Matter, String)> = rows(&both).into_iter().map(|row| (row.of, row.number)).collect();
        let row = |of, number: &str| (of, number.to_owned());
        assert_eq!(
            said,
            [
                row(Matter::Defaults, "1"),
                row(Matter::Defaults, "1"),
                row(Matter::Semantics, "0"),
                row(Matter::Semantics, "3")
            ]
        );
    }

    #[test]
    fn the_sentence_answers_in_checks() {
        for (summary, said) in [
            (summary(0, 0), "No handwritten check has a rule that could replace it."),
            (
                Summary { cases: CaseSums { subjects: 1, compared: 9 }, ..Summary::default() },
                "The reference rejected nothing, so there is no check to replace.",
            ),
            (summary(0, 1), "The 1 handwritten check that has a rule may not be deleted yet."),
            (summary(1, 0), "The 1 handwritten check that has a rule may be deleted."),
            (summary(0, 2), "None of the 2 handwritten checks that have a rule may be deleted yet."),
            (summary(2, 0), "All 2 handwritten checks that have a rule may be deleted."),
            (summary(1200, 1), "1,200 of the 1,201 handwritten checks that have a rule may be deleted."),
            (
                Summary { pairs: PairSums { all: 3, ready: 1, blocked: 1, findings: 2 }, ..Summary::default() },
                "1 of 3 validators may be replaced; 1 may not, 1 needs evidence.",
            ),
            (of_laws(5, 5), "All 5 laws of server-side apply hold."),
            (of_laws(5, 3), "3 of the 5 laws of server-side apply hold."),
            (of_laws(5, 1), "1 of the 5 laws of server-side apply holds."),
            (of_laws(5, 0), "None of the 5 laws of server-side apply is known to hold."),
            (
                Summary { pairs: PairSums { all: 2, ready: 2, ..PairSums::default() }, ..summary(2, 0) },
                "All 2 handwritten checks that have a rule may be deleted. 2 of 2 validators may be replaced.",
            ),
        ] {
            assert_eq!(sentence(&summary), said);
        }
        for ((ready, blocked, findings), said) in [
            ((1, 0, 0), "The candidate may replace the reference: no case tells them apart."),
            ((0, 1, 0), "The candidate may not replace the reference: not every case was judged."),
            ((0, 1, 1), "The candidate may not replace the reference: 1 finding tells them apart."),
            ((0, 1, 1200), "The candidate may not replace the reference: 1,200 findings tell them apart."),
            ((0, 0, 0), "Too few cases show whether the candidate may replace the reference."),
        ] {
            let pairs = PairSums { all: 1, ready, blocked, findings };
            assert_eq!(sentence(&Summary { pairs, ..Summary::default() }), said);
        }
    }

    /// The largest number of checks and of pairs that lines have room for.
    const MANY: (usize, usize) = (999_999, 9_999);

    #[test]
    fn every_sentence_fits_a_line() {
        let (checks, validators) = MANY;
        let mut forms = Vec::new();
        for (may_go, may_not) in [(0, 0), (0, 1), (1, 0), (0, checks), (checks, 0), (checks - 1, 1), (1, checks - 1)] {
            for observed in [0, 1, may_go + may_not] {
                for (ready, blocked) in [(0, 0), (validators, 0), (0, validators), (validators / 3, validators / 3)] {
                    for all in [0, 1, validators].into_iter().filter(|all| *all != 1 || ready + blocked < 2) {
                        let mut of = summary(may_go, may_not);
                        of.checks.observed = observed.min(of.checks.with_rule);
                        of.pairs = PairSums { all, ready: ready.min(all), blocked: blocked.min(all), findings: all };
                        forms.push(of);
                    }
                }
            }
        }
        for of in forms {
            let lines = sentences(&of);
            assert!((1..=2).contains(&lines.len()), "{lines:?}");
            for line in lines {
                assert!(line.chars().count() <= 80 && line.ends_with('.'), "{line}");
            }
        }
    }

    #[test]
    fn causes_that_do_not_fit_are_added_up() {
        let mut many = summary(0, 0);
        let causes = ["ratchets", "stopped", "reports-less", "reports-more", "unmarked", "other-type"];
        many.checks.may_not_by_cause =
            causes.iter().zip(1..).map(|(cause, count)| ((*cause).to_owned(), count)).collect();
        many.checks.may_not = 21;
        let said: Vec<String> = rows(&many).into_iter().map(|row| row.remark).collect();
        assert_eq!(said, ["6 other-type, 5 unmarked, 4 reports-more, 6 others"]);
    }
}
