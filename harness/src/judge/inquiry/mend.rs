//! What stops the silent side: its other errors are mended one by one, until it reports the disputed error as well.

use super::place::{Step, get, steps};
use super::variant::Variant;
use super::{Disputed, Inquiry, are_alike};
use crate::error::{ErrorType, FieldError};
use crate::judge::CaseRecord;
use crate::object::{Number, Tree};
use crate::rule::{ErrorShape, RuleId, Sample};
use crate::side::Side;

/// Most errors of the silent side that are mended.
const MOST_STOPPERS: usize = 6;

/// Most members beside a place that are left out, one at a time.
const MOST_MEMBERS: usize = 8;

/// Most samples of a rule that are tried.
const MOST_SAMPLES: usize = 4;

impl<'i> Inquiry<'i> {
    /// The error of the silent side without which it reports the disputed one.
    pub(super) fn stopper(&mut self, disputed: &Disputed<'_>, record: &CaseRecord) -> Option<ErrorShape> {
        if self.left == 0 {
            return None;
        }
        let silent = disputed.reporter.other();
        // Of rules it is known which stop others; a check may return anywhere.
        let told = silent == Side::Candidate && self.judge.pair().candidate.precision().marks;
        let stops = |error: &&FieldError| !told || error.short_circuit;
        let mut stoppers: Vec<&FieldError> = record.answer(silent).errors.iter().filter(stops).collect();
        // What is around the place, or at it, stops it more likely than what is beside it.
        stoppers.sort_by_key(|error| !disputed.place.starts_with(&steps(&error.field)));
        stoppers.dedup_by(|one, other| one.field == other.field && are_alike(one, other));
        let mut variant = self.objects.clone();
        for stopper in stoppers.into_iter().take(MOST_STOPPERS) {
            let Some((mended, agreed)) = self.without(&variant, stopper, silent, disputed) else { continue };
            if agreed {
                return Some(ErrorShape::of(stopper));
            }
            variant = mended;
        }
        None
    }

    /// A variant in which the silent side does not report `stopper`, and the other side still reports the disputed error; and whether
    /// both sides now do.
    fn without(
        &mut self,
        objects: &Variant<'i>,
        stopper: &FieldError,
        silent: Side,
        disputed: &Disputed<'_>,
    ) -> Option<(Variant<'i>, bool)> {
        let mut mended = None;
        for variant in self.mends(objects, stopper, silent, disputed) {
            let Some(record) = self.judged(variant.clone()) else { continue };
            if record.answer(silent).errors.iter().any(|error| are_alike(error, stopper)) {
                continue;
            }
            if disputed.is_agreed(record) {
                return Some((variant, true));
            }
            if disputed.is_reported(record) {
                mended.get_or_insert((variant, false));
            }
        }
        mended
    }

    /// Objects in which what `stopper` is about may be right, the likeliest first.
    fn mends(
        &self,
        objects: &Variant<'i>,
        stopper: &FieldError,
        silent: Side,
        disputed: &Disputed<'_>,
    ) -> Vec<Variant<'i>> {
        let at = steps(&stopper.field);
        let own = disputed.place.as_slice();
        let mut mends: Vec<Option<Variant<'i>>> = Vec::new();
        if at == own {
            // One value, two complaints: another value may deserve the disputed one alone.
            let breaking = self.samples(disputed.rules, own, true);
            mends.extend(breaking.into_iter().map(|sample| objects.with_new(own, Some(sample))));
        }
        if own.starts_with(&at) {
            mends.push(objects.stored(&at));
            if let Some(item) = own.get(at.len()) {
                mends.push(objects.alone(&at, *item));
                // A duplicate alone is none.
                mends.push(objects.with_its_like(&at, *item));
            }
            if let Some((item @ Step::Within(_), list)) = at.split_last() {
                mends.push(objects.alone(list, *item));
            }
            // What else is set beside the place, of which only one may be.
            if let Some(own @ Step::Member(_)) = own.get(at.len()) {
                let members = members(&objects.new, &at);
                for member in members.iter().filter(|member| Step::Member(member) != *own).take(MOST_MEMBERS) {
                    let beside: Vec<Step<'_>> = at.iter().copied().chain([Step::Member(member)]).collect();
                    mends.push(objects.with_both(&beside, None));
                }
            }
        } else {
            let rules = self.judge.rules(silent, stopper);
            mends.push(objects.reverted(&at));
            let good = self.samples(&rules, &at, false);
            mends.extend(good.into_iter().map(|sample| objects.with_new(&at, Some(sample))));
            if stopper.error_type == ErrorType::Required {
                mends.extend(fillers().map(|filler| objects.with_both(&at, Some(&filler))));
            } else {
                mends.push(objects.with_new(&at, None));
                mends.push(objects.with_both(&at, None));
            }
            mends.push(objects.stored(&at));
            // Beside it in a list: the disputed item alone.
            let shared = at.iter().zip(own).take_while(|(one, other)| one == other).count();
            if let (Some(list), Some(item @ Step::Within(_))) = (own.get(..shared), own.get(shared)) {
                mends.push(objects.alone(list, *item));
            }
        }
        mends.push(objects.created());
        mends.into_iter().flatten().collect()
    }

    /// Values of the rules that stand at the place, those that break them or those that do not.
    fn samples(&self, rules: &[RuleId], place: &[Step<'_>], breaking: bool) -> Vec<Tree<'i>> {
        let all = &self.judge.pair().rules;
        let at = place.iter().fold(String::new(), |mut path, step| {
            match step {
                Step::Member(name) if path.is_empty() => path.push_str(name),
                Step::Member(name) => {
                    path.push('.');
                    path.push_str(name);
                }
                Step::Within(_) => path.push_str("[*]"),
            }
            path
        });
        let standing = rules.iter().filter_map(|rule| all.get(rule.index())).filter(|rule| rule.path == at);
        let samples = standing.flat_map(|rule| &rule.boundaries).filter(|boundary| boundary.breaks == breaking);
        let values = samples.filter_map(|boundary| match &boundary.sample {
            Sample::Value(value) => Some(Tree::of(value, self.objects.arena())),
            Sample::Absent | Sample::Beside(_) => None,
        });
        values.take(MOST_SAMPLES).collect()
    }
}

/// The names of what is set in the object at a place.
fn members<'v>(object: &'v Tree<'v>, place: &[Step<'_>]) -> Vec<&'v str> {
    match get(object, place) {
        Some(Tree::Object(members)) => members.iter().map(|(name, _)| name).collect(),
        _ => Vec::new(),
    }
}

/// Values that a required field may hold.
pub(super) fn fillers() -> [Tree<'static>; 6] {
    [
        Tree::String("a"),
        Tree::from(Number::from(1_u64)),
        Tree::EMPTY,
        Tree::Array(&[Tree::EMPTY]),
        Tree::Array(&[Tree::String("a")]),
        Tree::Bool(true),
    ]
}
