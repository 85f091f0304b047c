//! What a side makes of updates, where it is silent: it lets stored values be, or judges creates only.

use super::apart::{gather, others, say_the_same};
use super::place::{Step, get, steps};
use super::value::{is_unset, is_zero};
use super::variant::Variant;
use super::{Disputed, Inquiry, Sought, are_alike};
use crate::compare::{Cause, Comparator, Relation};
use crate::error::{ErrorType, FieldError};
use crate::judge::case_record::CaseRecord;
use crate::object::Tree;
use crate::path::pattern;

impl<'i> Inquiry<'i> {
    /// Whether the silent side lets stored values be, or judges creates only; none when the sides differ on creates, too.
    pub(super) fn of_updates(&mut self, disputed: &Disputed<'_>, record: &CaseRecord) -> Option<Cause> {
        if self.left == 0 {
            return None;
        }
        let silent = disputed.reporter.other();
        let is_silent = |record: &CaseRecord| disputed.is_reported(record) && !record.answer(silent).rejects();
        // An unset value cannot be brought, nor can a zero where nothing stored is zero, too; what the decision is about is not known.
        let value = get(&self.objects.new, &disputed.place);
        let is_brought = !disputed.place.is_empty() && !is_unset(value) && !is_zero(value);
        let may_keep = matches!(value, Some(Tree::Object(_) | Tree::Array(_)));
        let mut lets_be_brought = disputed.relation == Relation::New && is_silent(record);
        let elsewise = |objects: &Variant<'i>| objects.with_old(&disputed.place, None);
        let around = |objects: &Variant<'i>| match disputed.place.split_last() {
            Some((Step::Within(_), list)) => objects.with_old(list, None),
            Some((_, around)) if around.len() > 1 => objects.with_old(around, None),
            _ => None,
        };
        for variant in [elsewise(&self.objects), around(&self.objects)].into_iter().flatten() {
            let Some(record) = self.judged(variant.clone()) else { continue };
            lets_be_brought |= is_silent(record);
            // Whoever compares with what is stored reports a changed value for another reason when nothing is stored.
            if disputed.relation == Relation::Kept && self.agrees(&variant, disputed) {
                return Some(Cause::Ratchets);
            }
        }
        if let Some(variant) = self.objects.without_its_list(&disputed.place)
            && self.agrees(&variant, disputed)
        {
            return Some(Cause::Ratchets);
        }
        if !self.agrees_on_create(disputed) {
            return None;
        }
        if disputed.relation == Relation::Changed {
            return self.of_changes(disputed, may_keep);
        }
        let seems_create_only = is_brought && lets_be_brought;
        let minds_updates = seems_create_only
            && match (disputed.relation, disputed.place.last()) {
                // Defaulting may have brought a kept value back into what is stored. It does not bring another value there.
                (Relation::Kept, _) => self.minds_changes(disputed),
                (_, Some(_)) => self.minds_what_is_stored(disputed),
                _ => false,
            };
        Some(if seems_create_only && !minds_updates { Cause::CreateOnly } else { Cause::Ratchets })
    }

    /// What the silent side makes of a change that it rejects on creates. A value that changed is no stored one: it may be let be only for
    /// what is kept in it, or because a list was bad before. None when it is neither, nor for creates only.
    fn of_changes(&mut self, disputed: &Disputed<'_>, may_keep: bool) -> Option<Cause> {
        if self.minds_what_is_stored(disputed) {
            return Some(Cause::Ratchets);
        }
        let by_decision = matches!(self.judge.pair().comparator, Comparator::Decision);
        match self.minds_what_was_good(disputed) {
            Some(false) => Some(Cause::CreateOnly),
            Some(true) => may_keep.then_some(Cause::Ratchets),
            None => (may_keep && !by_decision).then_some(Cause::Ratchets),
        }
    }

    /// Whether the silent side rejects the new object whichever good value is stored; `None` if no good value is found.
    fn minds_what_was_good(&mut self, disputed: &Disputed<'_>) -> Option<bool> {
        let silent = disputed.reporter.other();
        let created = self.objects.created()?;
        let errors = self.judged(created.clone())?.answer(silent).errors.clone();
        let has = |record: &CaseRecord, error: &FieldError| {
            record.answer(silent).errors.iter().any(|other| say_the_same(error, other))
        };
        let (mut places, mut minds) = (Vec::new(), None);
        let below: Vec<Vec<Step<'_>>> = match (disputed.place.is_empty(), errors.as_slice()) {
            (true, []) => vec![Vec::new()],
            (true, errors) => errors.iter().map(|error| steps(&error.field)).collect(),
            (false, _) => vec![disputed.place.clone()],
        };
        for place in &below {
            if !place.is_empty() {
                places.push(place.clone());
            }
            get(&created.new, place).into_iter().for_each(|value| gather(value, place, &mut places));
        }
        for place in &places {
            let stored = self.objects.old.as_ref().and_then(|old| get(old, place)).copied();
            let tried = others(get(&created.new, place)).into_iter().map(Some);
            for other in [stored, None].into_iter().chain(tried) {
                let Some(good) = created.with_new(place, other) else { continue };
                let Some(record) = self.judged(good.clone()) else { continue };
                let is_good = match errors.as_slice() {
                    [] => !record.answer(silent).rejects(),
                    errors => errors.iter().any(|error| !has(record, error)),
                };
                if disputed.is_reported(record) || !is_good {
                    continue;
                }
                let update = created.over(good);
                let Some(record) = self.judged(update) else { continue };
                if !disputed.is_reported(record) {
                    continue;
                }
                let rejects = match errors.as_slice() {
                    [] => record.answer(silent).rejects(),
                    errors => errors.iter().any(|error| has(record, error)),
                };
                // It lets a good value become a bad one, if not every good value.
                if !rejects {
                    return Some(false);
                }
                minds = Some(true);
            }
        }
        minds
    }

    /// Whether the silent side would reject the stored list as it rejects the new one on a create: it lets a list be that was bad before, as
    /// an API server does with a list that has a key twice. For a key, its error may name the item.
    fn minds_what_is_stored(&mut self, disputed: &Disputed<'_>) -> bool {
        let is_item = matches!(disputed.place.last(), Some(Step::Within(_)));
        if !disputed.place.iter().any(|step| matches!(step, Step::Within(_))) {
            return false;
        }
        let silent = disputed.reporter.other();
        let place = pattern(match &disputed.what {
            Sought::Error(error) => &error.field,
            Sought::Decision(field, _) => field,
        });
        let (new, stored) = (self.objects.created(), self.objects.stored_as_created());
        let mut rejected = |variant: Option<Variant<'i>>| -> Vec<FieldError> {
            let record = variant.and_then(|variant| self.judged(variant));
            let errors = record.map(|record| record.answer(silent).errors.as_slice()).unwrap_or_default();
            let is_about = |error: &&FieldError| {
                let field = pattern(&error.field);
                let is_of_item = error.error_type == ErrorType::Duplicate
                    && place.strip_prefix(&field).is_some_and(|rest| rest.starts_with('.'));
                (is_item && field == place) || is_of_item
            };
            errors.iter().filter(is_about).cloned().collect()
        };
        let of_new = rejected(new);
        !of_new.is_empty() && rejected(stored).iter().any(|error| of_new.iter().any(|other| are_alike(error, other)))
    }

    /// Whether both sides say it where another value is stored.
    fn minds_changes(&mut self, disputed: &Disputed<'_>) -> bool {
        let stored = others(get(&self.objects.new, &disputed.place));
        let variants: Vec<Variant<'i>> =
            stored.into_iter().filter_map(|other| self.objects.with_old(&disputed.place, Some(other))).collect();
        variants.iter().any(|variant| self.agrees(variant, disputed))
    }

    fn agrees_on_create(&mut self, disputed: &Disputed<'_>) -> bool {
        self.objects.created().is_some_and(|created| self.agrees(&created, disputed))
    }

    /// Whether both sides say it of a variant. Where decisions are compared, the silent side may reject for another reason.
    fn agrees(&mut self, variant: &Variant<'i>, disputed: &Disputed<'_>) -> bool {
        let silent = disputed.reporter.other();
        let by_decision = matches!(self.judge.pair().comparator, Comparator::Decision);
        let Some(record) = self.judged(variant.clone()) else { return false };
        if !disputed.is_agreed(record) || !by_decision {
            return disputed.is_agreed(record);
        }
        let answer = record.answer(silent);
        let (errors, reason) = (answer.errors.clone(), answer.reason());
        if disputed.place.is_empty() {
            self.go_together(variant, disputed, errors.as_slice(), &reason)
        } else {
            self.looks_at(variant, disputed, errors.as_slice())
        }
    }
}
