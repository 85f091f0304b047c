//! Both sides of the boundaries of the rules on a field.

use super::examples::{SEED, Showcase, smaller};
use super::explanation::line_at;
use std::time::Instant;
use takeover_corpora::generate::Generator;
use takeover_corpora::minimise::Limits;
use takeover_corpora::recorded::{accepted_objects, cases_of};
use takeover_harness::case::Case;
use takeover_harness::compare::{Difference, Signature};
use takeover_harness::error::FieldError;
use takeover_harness::judge::{CaseRecord, Judge};
use takeover_harness::object::Arena;
use takeover_harness::oracle::Answer;
use takeover_harness::pair::Pair;
use takeover_harness::rule::Rule;
use takeover_reports::because;
use takeover_reports::explain::{ExplainedCase, ExplainedClass, ExplainedRule};

/// Most rules whose boundaries are shown.
const MOST_RULES: usize = 12;

/// Trials to make an example smaller.
const LIMITS: Limits = Limits { calls: 150 };

/// Most generated cases that are looked through for both sides of a rule.
const MOST_MET: usize = 2_000;

/// Most classes on each side that are shown of an expression, which may tell apart many.
const MOST_OF_SIDE: usize = 2;

/// The rules of the candidate on a field: those that stand there, then others that report there.
pub(super) fn rules_on<'p>(pair: &'p Pair, field: &'p str) -> impl Iterator<Item = &'p Rule> {
    // Some rules report at the object as a whole, and say in their text which value they mean.
    let reports_there = move |rule: &Rule| {
        rule.path != field && !field.is_empty() && rule.reports.iter().any(|report| report.field == field)
    };
    let standing = pair.rules.iter().filter(move |rule| rule.path == field);
    standing.chain(pair.rules.iter().filter(move |rule| reports_there(rule)))
}

/// Whether every word is one of the rule.
pub(super) fn is_named(rule: &Rule, words: &[String]) -> bool {
    let text = format!("{} {}", rule.path, rule.label()).to_lowercase();
    words.iter().all(|word| text.contains(&word.to_lowercase()))
}

/// An example of every class of the first of these rules, as far as there is time.
pub(super) fn boundaries(pair: &Pair, rules: &[&Rule], until: Instant) -> Vec<ExplainedRule> {
    let (showcase, judge) = (Showcase::of(pair), Judge::new(pair));
    let mut in_time = || Instant::now() < until;
    let mut explained_rules = Vec::new();
    for rule in rules.iter().take(MOST_RULES) {
        if !in_time() {
            break;
        }
        let mut classes = Vec::new();
        let mut shown = [0, 0];
        for (index, boundary) in rule.boundaries.iter().enumerate() {
            let [fine, broken] = &mut shown;
            let of_side = if boundary.breaks { broken } else { fine };
            if rule.tag == "cel" && *of_side == MOST_OF_SIDE {
                continue;
            }
            *of_side += 1;
            let case = showcase.case(rule, index).and_then(|case| {
                let small = smaller(&judge, rule, boundary.breaks, &case, LIMITS, &mut in_time)?.case;
                explained(&judge, &small, &|difference| difference.rules.contains(&rule.id))
            });
            classes.push(ExplainedClass { class: boundary.class.clone(), breaks: boundary.breaks, case });
        }
        if let Some((class, case)) = showcase.allowed(rule) {
            let class = rule.boundaries.get(class).map_or("", |boundary| &*boundary.class);
            let class = format!("{class} in a create, and holds after this old value");
            classes.push(ExplainedClass { class, breaks: false, case: explained(&judge, &case, &|_| true) });
        }
        if rule.boundaries.is_empty() && rule.unreachable.is_empty() {
            classes = met(pair, &judge, rule, &mut in_time);
        }
        explained_rules.push(ExplainedRule {
            rule: rule.reference(),
            line: rule.source.as_ref().and_then(line_at),
            source: rule.source.clone(),
            classes,
            unreachable: rule.unreachable.iter().map(|class| format!("{}: {}", class.class, class.reason)).collect(),
        });
    }
    explained_rules
}

/// A case with what makes it a bad example: that an expression ends in an error, that it is an update, and its size.
type Ranked = ((bool, bool, usize), Case<'static>);

/// A case of each side of a rule that names no classes, as those of policies: what generated cases showed.
fn met(pair: &Pair, judge: &Judge<'_>, rule: &Rule, in_time: &mut dyn FnMut() -> bool) -> Vec<ExplainedClass> {
    let generator = Generator::of(pair, accepted_objects(pair, &cases_of(pair)), SEED);
    let quick = Judge::new(pair).without_causes();
    let (mut arena, mut record) = (Arena::new(), CaseRecord::new());
    let mut sides: [Option<Ranked>; 2] = [None, None];
    let cases = (0..).flat_map(|chunk| generator.chunk(chunk, SEED)).map(|made| made.case).take(MOST_MET);
    for case in cases {
        if !in_time() {
            break;
        }
        if !quick.case(&case, &mut arena, &mut record).is_comparison() || !record.candidate.reached.contains(rule.id) {
            continue;
        }
        let of_rule = record.candidate.errors.as_slice().iter().find(|error| error.rule == Some(rule.id));
        let breaks = of_rule.is_some();
        // That an expression cannot be evaluated shows less of it.
        let ends_in_error = of_rule.is_some_and(|error| error.detail.contains("resulted in error"));
        let size = case.object.to_value().map_or(usize::MAX, |object| object.to_string().len());
        let [fine, broken] = &mut sides;
        let side = if breaks { broken } else { fine };
        let rank = (ends_in_error, case.old.is_some(), size);
        if side.as_ref().is_none_or(|(known, _)| rank < *known) {
            *side = Some((rank, case));
        }
    }
    let [fine, broken] = sides;
    let class = |name: &str, breaks: bool, found: Option<Ranked>, in_time: &mut dyn FnMut() -> bool| {
        let case = found.and_then(|(_, case)| {
            let small = smaller(judge, rule, breaks, &case, LIMITS, in_time)?.case;
            explained(judge, &small, &|difference| difference.rules.contains(&rule.id))
        });
        ExplainedClass { class: name.to_owned(), breaks, case }
    };
    vec![class("the expression holds", false, fine, in_time), class("the expression fails", true, broken, in_time)]
}

/// A case with what both sides say of it, and why they differ about what is asked.
pub(super) fn explained(
    judge: &Judge<'_>,
    case: &Case,
    is_about: &dyn Fn(&Difference) -> bool,
) -> Option<ExplainedCase> {
    let mut record = CaseRecord::new();
    if !judge.case(case, &mut Arena::new(), &mut record).is_comparison() {
        return None;
    }
    let said = |answer: &Answer| -> Vec<String> {
        match answer.errors.as_slice() {
            [] if answer.rejects() => vec![format!("rejected: {}", answer.reason())],
            errors if judge.pair().matter.is_of_defaults() => {
                errors.iter().map(|error| of_default(error, &judge.pair().rules)).collect()
            }
            errors => errors.iter().map(ToString::to_string).collect(),
        }
    };
    let difference = record.differences.iter().find(|difference| is_about(difference));
    Some(ExplainedCase {
        object: case.object.to_value().ok()?,
        old: case.old.as_ref().and_then(|old| old.to_value().ok()),
        reference: said(&record.reference),
        candidate: said(&record.candidate),
        because: difference.and_then(|of| because(&Signature::of(&judge.pair().id, case.operation, of))),
    })
}

/// What an error says that stands for a default, or for a law that it breaks.
fn of_default(error: &FieldError, rules: &[Rule]) -> String {
    let FieldError { field, detail, rule, .. } = error;
    let place = if field.is_empty() { "the object" } else { field };
    let is_law = rule.and_then(|rule| rules.get(rule.index())).is_some_and(|rule| rule.law.is_some());
    if is_law { format!("{place}: {detail}") } else { format!("{place} {detail}") }
}
