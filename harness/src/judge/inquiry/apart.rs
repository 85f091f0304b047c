//! Whether two sides that reject one object mean the same, where only decisions are compared.

use super::mend::fillers;
use super::place::{Step, get, steps};
use super::variant::Variant;
use super::{Disputed, Inquiry, OTHER_TEXTS, Sought, are_alike};
use crate::compare::{Relation, is_said_in, message_shape};
use crate::error::{ErrorType, FieldError};
use crate::object::{Number, Tree};
use crate::path::{is_inside, pattern};
use crate::side::Side;

/// Most places at which other values are tried.
const MOST_PLACES: usize = 16;

impl<'i> Inquiry<'i> {
    /// Whether the errors of the silent side change when the disputed value does. If not, the silent side rejects any value. Where no
    /// value can be tried, whether one of the errors is about what stands there.
    pub(super) fn looks_at(&mut self, variant: &Variant<'i>, disputed: &Disputed<'_>, errors: &[FieldError]) -> bool {
        let silent = disputed.reporter.other();
        // Where nothing is stored, it objects to the kept value itself, in words of its own.
        let is_at_place = |error: &FieldError| steps(&error.field) == disputed.place;
        if variant.old.is_none() && disputed.relation == Relation::Kept && errors.iter().any(is_at_place) {
            return true;
        }
        let stored = self.objects.old.as_ref().and_then(|old| get(old, &disputed.place)).copied();
        let texts = OTHER_TEXTS.map(Tree::from);
        let others = [None, stored].into_iter().chain(texts.into_iter().chain(fillers()).map(Some));
        let mut is_tried = false;
        for other in others {
            let Some(variant) = variant.with_new(&disputed.place, other) else { continue };
            let Some(record) = self.judged(variant) else { continue };
            let after = record.answer(silent);
            // A value of another type can silence what looks at values.
            let is_of_type = |error: &FieldError| error.error_type == ErrorType::TypeInvalid && !errors.contains(error);
            if disputed.is_reported(record) || after.errors.iter().any(is_of_type) {
                continue;
            }
            is_tried = true;
            let is_gone = |error: &FieldError| !after.errors.iter().any(|other| say_the_same(error, other));
            if !after.rejects() || errors.iter().any(is_gone) {
                return true;
            }
        }
        let field = pattern(match &disputed.what {
            Sought::Error(error) => &error.field,
            Sought::Decision(field, _) => field,
        });
        !is_tried && errors.iter().any(|error| self.is_about(silent, error, &field))
    }

    /// Whether an error of a side is about the values at a path pattern, as far as its rules say what they read.
    fn is_about(&self, side: Side, error: &FieldError, field: &str) -> bool {
        let rules = if side == Side::Candidate { self.judge.rules(side, error) } else { Vec::new() };
        let rules = rules.iter().filter_map(|id| self.judge.pair().rules.get(id.index()));
        let mut reads: Vec<String> = rules.flat_map(|rule| rule.reads.iter().cloned()).collect();
        if reads.is_empty() {
            reads.push(pattern(&error.field));
        }
        reads.iter().any(|place| is_inside(field, place) || is_inside(place, field))
    }

    /// Whether a complaint without a known field disappears together with an error of the silent side, when values at or below the place of
    /// that error change. If the complaint once stays without the error, two different checks made them. A silent side that names no field
    /// either has to use the same words.
    pub(super) fn go_together(
        &mut self,
        variant: &Variant<'i>,
        disputed: &Disputed<'_>,
        errors: &[FieldError],
        reason: &str,
    ) -> bool {
        if errors.is_empty() {
            return matches!(disputed.what, Sought::Decision(field, shape) if is_said_in(field, shape, reason));
        }
        errors.iter().any(|error| self.goes_with(variant, disputed, error))
    }

    fn goes_with(&mut self, variant: &Variant<'i>, disputed: &Disputed<'_>, error: &FieldError) -> bool {
        let silent = disputed.reporter.other();
        let before = match self.judged(variant.clone()) {
            Some(record) => record.answer(disputed.reporter).reason(),
            None => return false,
        };
        let place = steps(&error.field);
        let mut places: Vec<Vec<Step<'_>>> = Vec::new();
        if let Some(value) = get(&variant.new, &place) {
            gather(value, &place, &mut places);
        }
        if !places.contains(&place) && !place.is_empty() {
            places.insert(0, place);
        }
        let mut together = false;
        for place in &places {
            let stored = self.objects.old.as_ref().and_then(|old| get(old, place)).copied();
            let others = others(get(&variant.new, place));
            for other in [stored, None].into_iter().chain(others.into_iter().map(Some)) {
                let Some(variant) = variant.with_new(place, other) else { continue };
                let Some(record) = self.judged(variant) else { continue };
                if record.answer(silent).errors.iter().any(|other| say_the_same(other, error)) {
                    continue;
                }
                if disputed.is_reported(record) {
                    return false;
                }
                let answer = record.answer(disputed.reporter);
                together |= !answer.rejects() || says_no_more(&answer.reason(), &before);
            }
        }
        together
    }
}

/// Whether two errors of one side are alike, and of one check as far as their words tell.
pub(super) fn say_the_same(one: &FieldError, other: &FieldError) -> bool {
    are_alike(one, other) && message_shape(&one.detail) == message_shape(&other.detail)
}

/// Whether a text has no reason that another lacks. A validator that names the first reason alone may name another one instead.
fn says_no_more(text: &str, before: &str) -> bool {
    let mut parts = text.split("; ").flat_map(str::lines).map(str::trim).filter(|part| !part.is_empty());
    parts.all(|part| is_said_in("", &message_shape(part), before))
}

/// Other values of the same type, which most checks accept.
pub(super) fn others<'v>(value: Option<&Tree<'v>>) -> Vec<Tree<'v>> {
    match value {
        Some(Tree::Number(_)) => [1_u64, 0].map(|number| Number::from(number).into()).into(),
        Some(Tree::Bool(truth)) => vec![Tree::Bool(!truth)],
        Some(Tree::String(_)) => OTHER_TEXTS.map(Tree::from).to_vec(),
        Some(Tree::Array(items)) => vec![Tree::Array(items.get(..1).unwrap_or(items))],
        _ => fillers().into(),
    }
}

/// Adds the places of the values at and below a place that are no objects.
pub(super) fn gather<'v>(value: &'v Tree<'v>, place: &[Step<'v>], places: &mut Vec<Vec<Step<'v>>>) {
    match value {
        Tree::Object(members) if !members.is_empty() => {
            for (name, below) in members.iter() {
                let is_of_type = place.is_empty() && matches!(name, "apiVersion" | "kind");
                if !is_of_type {
                    gather(below, &[place, &[Step::Member(name)]].concat(), places);
                }
            }
        }
        _ if places.len() < MOST_PLACES && !place.is_empty() => places.push(place.to_vec()),
        _ => {}
    }
}
