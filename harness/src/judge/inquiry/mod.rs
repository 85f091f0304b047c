//! Why two answers differ: the case is varied and both sides are asked again.
//!
//! Nothing here knows a kind or a rule's meaning. An inquiry tries what a person at a debugger would: the same case again, the value
//! as a create, another stored value, what else is wrong mended. Each trial is one more judgement, which is why only cases that differ
//! are looked into, and only so far.

mod apart;
mod mend;
mod place;
mod updates;
mod value;
mod variant;

use super::case_record::{CaseRecord, Judgement, OraclePanic, Scratch};
use crate::case::{Case, Operation, Payload};
use crate::compare::{Cause, Comparator, Difference, Direction, Relation, Signature, What, is_said_in, message_shape};
use crate::error::{ErrorType, FieldError};
use crate::form::Sent;
use crate::object::{Arena, Tree};
use crate::pair::{Pair, Prepared};
use crate::path::pattern;
use crate::rule::{ErrorShape, Law, RuleId};
use crate::side::Side;
use place::{Step, get, steps};
use std::borrow::Cow;
use value::{Seen, is_unset};
use variant::Variant;

/// Most judgements that an inquiry into one case takes.
const MOST_TRIALS: u32 = 96;

/// Most memory for variants that is kept from case to case, in bytes.
const MOST_KEPT: usize = 1 << 20;

/// How often a case that differs is judged again as it is.
const AGAIN: usize = 1;

/// Texts that most checks of texts accept. One of them is another text than the stored one.
const OTHER_TEXTS: [&str; 2] = ["a", "b"];

/// Which differences an inquiry looks into.
#[derive(Clone, Copy, Debug)]
pub enum Wanted<'w> {
    /// All of them.
    Every,
    /// Those that may have this signature.
    Of(&'w Signature),
    /// None: only how the values relate to the stored object is noted.
    None,
}

impl Wanted<'_> {
    fn takes(self, operation: Operation, difference: &Difference) -> bool {
        match self {
            Self::Every => true,
            Self::Of(sought) => sought.is_of(operation, difference),
            Self::None => false,
        }
    }
}

/// Who is asked again.
pub(super) trait Asked {
    /// The pair.
    fn pair(&self) -> &Pair;

    /// Decodes and defaults the objects of a case, without asking either side; returns nothing when that fails.
    fn sent<'a>(&'a self, case: &'a Case<'a>, arena: &'a Arena) -> Sent<'a>;

    /// Judges a case, without looking into what differs. What its objects share with `known` is not made again.
    fn again(&self, case: &Case, known: &Sent<'_>, arena: &mut Arena, record: &mut CaseRecord) -> Judgement;

    /// The rules behind an error of a side.
    fn rules(&self, side: Side, error: &FieldError) -> Vec<RuleId>;
}

/// A variant on which an oracle panicked, ended its process or gave no answer in time.
pub(super) struct VariantPanic {
    pub(super) case: Case<'static>,
    pub(super) panicked: OraclePanic,
}

/// Notes on every difference of `record` how its value relates to the stored object, of which sort it is, and why the sides differ.
/// Returns the first variant on which an oracle panics. If one ends its process or gives no answer in time, the causes that are not known
/// by then stay unknown.
pub(super) fn look_into(
    judge: &dyn Asked,
    case: &Case<'_>,
    prepared: &Prepared<'_>,
    record: &mut CaseRecord,
    wanted: Wanted<'_>,
) -> Option<VariantPanic> {
    let mut scratch = record.scratch.take().unwrap_or_default();
    let panic = looked_into(judge, case, prepared, record, wanted, &mut scratch);
    if scratch.trees.allocated_bytes() > MOST_KEPT {
        scratch.trees = Arena::new();
    }
    scratch.trees.reset();
    record.scratch = Some(scratch);
    panic
}

fn looked_into<'i>(
    judge: &'i dyn Asked,
    case: &'i Case<'i>,
    prepared: &'i Prepared<'i>,
    record: &mut CaseRecord,
    wanted: Wanted<'_>,
    Scratch { arena, record: scratch, trees }: &'i mut Scratch,
) -> Option<VariantPanic> {
    let trees = &*trees;
    let fields: Vec<String> = record.differences.iter().map(|difference| difference.what.field().to_owned()).collect();
    let places: Vec<_> = fields.iter().map(|field| steps(field)).collect();
    let seen = Seen::of(&prepared.question.objects, &places, trees);
    for (difference, place) in record.differences.iter_mut().zip(&places) {
        difference.relation = seen.relation(place);
        difference.class = seen.class(place);
    }
    let objects = Variant::of(case, trees)?;
    if !record.differences.iter().any(|difference| wanted.takes(case.operation, difference)) {
        return None;
    }
    // Variants are trees, and trees share nothing with what was read from a file or a request: it is made once more, of trees.
    let is_tree = |payload: &Payload<'_>| matches!(payload, Payload::Tree(_));
    let is_read = !is_tree(&case.object) || !case.old.as_ref().is_none_or(is_tree);
    let (made, of_trees) = (is_read.then(|| objects.clone().case(case)), Arena::new());
    let sent = made.as_ref().map_or(prepared.sent, |case| judge.sent(case, &of_trees));
    let left = MOST_TRIALS;
    let mut inquiry = Inquiry { judge, case, sent, objects, arena, scratch, left, panic: None, ended: false };
    inquiry.look(record, wanted);
    inquiry.panic
}

struct Inquiry<'i> {
    judge: &'i dyn Asked,
    case: &'i Case<'i>,
    /// What was made of the objects of the case.
    sent: Sent<'i>,
    objects: Variant<'i>,
    /// Where variants are judged.
    arena: &'i mut Arena,
    scratch: &'i mut CaseRecord,
    left: u32,
    /// The first variant on which an oracle panicked.
    panic: Option<VariantPanic>,
    /// Whether an oracle ended its process, or gave no answer in time. The inquiry then stops, because the next trial may cost as much.
    ended: bool,
}

/// What a trial looks for: an error of the reporting side, or that it rejects.
struct Disputed<'d> {
    reporter: Side,
    what: Sought<'d>,
    place: Vec<Step<'d>>,
    relation: Relation,
    rules: &'d [RuleId],
}

enum Sought<'d> {
    Error(&'d FieldError),
    /// The field and the shape of a reason.
    Decision(&'d str, &'d str),
}

impl<'d> Disputed<'d> {
    fn of(difference: &'d Difference) -> Option<Self> {
        let reporter = match difference.direction {
            Direction::Missing => Side::Reference,
            Direction::Extra => Side::Candidate,
            Direction::Differs => return None,
        };
        let what = match &difference.what {
            What::Error(error) => Sought::Error(error),
            What::Decision { field, shape, .. } => Sought::Decision(field, shape),
            What::Value { .. } => return None,
        };
        let place = steps(difference.what.field());
        Some(Self { reporter, what, place, relation: difference.relation, rules: &difference.rules })
    }

    fn is_like(&self, other: &Disputed<'_>) -> bool {
        self.reporter == other.reporter
            && match (&self.what, &other.what) {
                (Sought::Error(one), Sought::Error(other)) => are_alike(one, other),
                (Sought::Decision(at, one), Sought::Decision(at_other, other)) => {
                    one == other && pattern(at) == pattern(at_other)
                }
                _ => false,
            }
    }

    /// Whether the reporting side still says it. Indexes do not count: a variant may have fewer items.
    fn is_reported(&self, record: &CaseRecord) -> bool {
        let answer = record.answer(self.reporter);
        match self.what {
            Sought::Error(error) => answer.errors.iter().any(|other| are_alike(error, other)),
            Sought::Decision(field, shape) => answer.rejects() && is_said_in(field, shape, &answer.reason()),
        }
    }

    /// Whether the two sides still differ in it.
    fn is_disputed(&self, record: &CaseRecord) -> bool {
        record.differences.iter().any(|difference| match (&self.what, &difference.what) {
            (Sought::Error(error), What::Error(other)) => are_alike(error, other),
            (Sought::Decision(at, one), What::Decision { field, shape, .. }) => {
                one == shape && pattern(at) == pattern(field)
            }
            _ => false,
        })
    }

    /// Whether both sides say it.
    fn is_agreed(&self, record: &CaseRecord) -> bool {
        self.is_reported(record) && !self.is_disputed(record)
    }
}

/// Whether a difference is one of a record, too.
fn is_there(difference: &Difference, record: &CaseRecord) -> bool {
    match (Disputed::of(difference), &difference.what) {
        (Some(disputed), _) => disputed.is_disputed(record),
        (None, What::Value { path, .. }) => {
            let has_path = |other: &Difference| matches!(&other.what, What::Value { path: other, .. } if other == path);
            record.differences.iter().any(has_path)
        }
        (None, _) => true,
    }
}

/// Whether two errors have one type and origin, at places that indexes and keys alone tell apart. Of the object itself, many checks may
/// speak: there they have to say the same, but for values.
fn are_alike(one: &FieldError, other: &FieldError) -> bool {
    if one.error_type != other.error_type || one.origin != other.origin {
        return false;
    }
    let place = pattern(&one.field);
    let says = |error: &FieldError| message_shape(&error.detail);
    place == pattern(&other.field) && (!place.is_empty() || one.detail == other.detail || says(one) == says(other))
}

impl<'i> Inquiry<'i> {
    /// Judges a variant; none when no trial is left, or the variant cannot be compared.
    fn judged(&mut self, variant: Variant<'_>) -> Option<&CaseRecord> {
        let known = self.sent;
        self.judged_beside(variant, &known)
    }

    fn judged_beside(&mut self, variant: Variant<'_>, known: &Sent<'_>) -> Option<&CaseRecord> {
        self.left = self.left.checked_sub(1)?;
        let case = variant.case(self.case);
        let record = &mut *self.scratch;
        let judgement = self.judge.again(&case, known, self.arena, record);
        let ends = |panicked: &&OraclePanic| panicked.panic.ended_its_process();
        let worst = record.panics.iter().find(ends).or(record.panics.first()).cloned();
        let Some(panicked) = worst.or_else(|| OraclePanic::late(&judgement)) else {
            return judgement.is_comparison().then_some(record);
        };
        if panicked.panic.ended_its_process() {
            (self.ended, self.left) = (true, 0);
        }
        self.panic.get_or_insert_with(|| VariantPanic { case: case.clone().kept(), panicked });
        None
    }

    /// Finds the cause of every difference that is wanted.
    fn look(&mut self, record: &mut CaseRecord, wanted: Wanted<'_>) {
        let unsteady = self.unsteady(record);
        let mut found: Vec<Option<(Cause, Option<ErrorShape>)>> = Vec::with_capacity(record.differences.len());
        for (at, difference) in record.differences.iter().enumerate() {
            let is_unsteady = unsteady.get(at).copied().unwrap_or(false);
            let disputed = Disputed::of(difference).filter(|_| wanted.takes(self.case.operation, difference));
            let Some(disputed) = disputed else {
                // Of values nothing can be found out but whether they stay.
                found.push(is_unsteady.then_some((Cause::Unsteady, None)));
                continue;
            };
            // Errors that indexes alone tell apart, of values of one sort, have one cause.
            let mut before = record.differences.iter().zip(&found);
            let known = before.find(|(other, _)| {
                other.class == difference.class
                    && other.relation == difference.relation
                    && Disputed::of(other).is_some_and(|other| other.is_like(&disputed))
            });
            found.push(match known {
                _ if !is_unsteady && let Some(cause) = self.of_law(&disputed) => Some((cause, None)),
                _ if is_unsteady && self.judge.pair().matter.is_of_defaults() => Some((Cause::Unsteady, None)),
                _ if self.judge.pair().matter.is_of_defaults() => Some((self.of_default(&disputed, record), None)),
                Some((_, Some(known))) => Some(known.clone()),
                _ if is_unsteady => Some((Cause::Unsteady, None)),
                _ => Some(self.cause(&disputed, record)).filter(|_| !self.ended),
            });
        }
        for (difference, found) in record.differences.iter_mut().zip(found) {
            if let Some((cause, stopped_by)) = found {
                (difference.cause, difference.stopped_by) = (Some(cause), stopped_by);
            }
        }
    }

    /// Which differences are gone when the case is judged again.
    fn unsteady(&mut self, record: &CaseRecord) -> Vec<bool> {
        let mut gone = vec![false; record.differences.len()];
        for _ in 0..AGAIN {
            // Nothing is taken over: decoding and defaulting are repeated, too.
            let objects = self.objects.clone();
            let Some(again) = self.judged_beside(objects, &Sent::default()) else { continue };
            for (gone, difference) in gone.iter_mut().zip(&record.differences) {
                *gone |= !is_there(difference, again);
            }
        }
        gone
    }

    fn cause(&mut self, disputed: &Disputed<'_>, record: &CaseRecord) -> (Cause, Option<ErrorShape>) {
        if let Some(cause) = self.of_law(disputed) {
            return (cause, None);
        }
        if self.is_unmarked(disputed, record) {
            return (Cause::Unmarked, None);
        }
        let without_rule = disputed.rules.is_empty() && !self.judge.pair().rules.is_empty();
        let residual = match disputed.reporter {
            Side::Reference if without_rule && covered(disputed) => Cause::LostTwin,
            Side::Reference => Cause::ReportsLess,
            Side::Candidate => Cause::ReportsMore,
        };
        if disputed.relation == Relation::Kept
            && let Some(cause) = self.of_updates(disputed, record)
        {
            return (cause, None);
        }
        if let Some(stopper) = self.stopper(disputed, record) {
            return (Cause::Stopped, Some(stopper));
        }
        if let Some(cause) = self.partner(disputed, record) {
            return (cause, None);
        }
        if disputed.relation != Relation::Kept
            && let Some(cause) = self.of_updates(disputed, record)
        {
            return (cause, None);
        }
        (residual, None)
    }

    /// What a law says of the cause: nothing is left to find out where defaulting or apply breaks one.
    fn of_law(&self, disputed: &Disputed<'_>) -> Option<Cause> {
        let rules = &self.judge.pair().rules;
        let law = disputed.rules.iter().find_map(|id| rules.get(id.index())?.law)?;
        if let Sought::Error(FieldError { cause: Some(cause), .. }) = disputed.what {
            return Some(*cause);
        }
        Some(if law == Law::Independent { Cause::DependsOnField } else { Cause::BreaksLaw })
    }

    /// The cause of an error that stands for a default: the other side has another one at the place, or sets none over what was sent there,
    /// or in the place of what encloses it.
    fn of_default(&self, disputed: &Disputed<'_>, record: &CaseRecord) -> Cause {
        let Sought::Error(error) = disputed.what else { return Cause::NotDefaulted };
        let is_law = |id: RuleId| self.judge.pair().rules.get(id.index()).is_some_and(|rule| rule.law.is_some());
        let is_other = |other: &FieldError| {
            other.error_type == error.error_type && other.field == error.field && !other.rule.is_some_and(is_law)
        };
        if record.answer(disputed.reporter.other()).errors.iter().any(is_other) {
            return Cause::OtherDefault;
        }
        let place = disputed.place.as_slice();
        let up = (1..=place.len()).rev().filter_map(|end| place.split_at_checked(end));
        let sent = up.into_iter().find_map(|(to, rest)| Some((get(&self.objects.new, to)?, rest.first())));
        match sent {
            Some((Tree::Null, _)) => Cause::DefaultsNull,
            Some((_, None)) => Cause::DefaultsZero,
            Some((value, Some(Step::Within(_)))) if is_unset(Some(value)) => Cause::DefaultsZero,
            _ => Cause::NotDefaulted,
        }
    }

    /// Whether the silent side reports the type at the place, in an error that cannot be compared for want of a mark or an origin.
    fn is_unmarked(&mut self, disputed: &Disputed<'_>, record: &CaseRecord) -> bool {
        let Sought::Error(error) = disputed.what else { return false };
        let comparator = &self.judge.pair().comparator;
        let silent = disputed.reporter.other();
        let field = |side, error: &FieldError| -> String { normalized(self.judge, side, &error.field).into_owned() };
        let place = field(disputed.reporter, error);
        let is_like = |other: &&FieldError| {
            let compared = comparator.may_match(silent, other) && !lacks_origin(other) && !lacks_origin(error);
            other.error_type == error.error_type && field(silent, other) == place && !compared
        };
        let like: Vec<FieldError> = record.answer(silent).errors.iter().filter(is_like).cloned().collect();
        !like.is_empty() && !self.is_of_others(disputed, &like)
    }

    /// Whether each of these errors of the silent side is there without the disputed one when the value is another: they are of other
    /// checks at the same place.
    fn is_of_others(&mut self, disputed: &Disputed<'_>, like: &[FieldError]) -> bool {
        let silent = disputed.reporter.other();
        let mut left: Vec<&FieldError> = like.iter().collect();
        for text in OTHER_TEXTS {
            if !matches!(get(&self.objects.new, &disputed.place), Some(Tree::String(_))) {
                break;
            }
            let Some(variant) = self.objects.with_new(&disputed.place, Some(text.into())) else { break };
            let Some(record) = self.judged(variant) else { continue };
            if disputed.is_reported(record) {
                continue;
            }
            let stays = |error: &FieldError| {
                let same = |other: &FieldError| are_alike(error, other) && other.detail == error.detail;
                record.answer(silent).errors.iter().any(same)
            };
            left.retain(|error| !stays(error));
        }
        left.is_empty()
    }

    /// How an error of the silent side says the same with another type, origin or place; none when there is no such error.
    fn partner(&mut self, disputed: &Disputed<'_>, record: &CaseRecord) -> Option<Cause> {
        let Sought::Error(error) = disputed.what else { return None };
        let silent = disputed.reporter.other();
        let differing = record.differences.iter().filter_map(|difference| match &difference.what {
            What::Error(said) if Disputed::of(difference)?.reporter == silent => Some(said),
            _ => None,
        });
        // Errors that are not compared, for want of a mark, are said to the user all the same.
        let comparator = &self.judge.pair().comparator;
        let unmarked = record.answer(silent).errors.iter().filter(|said| !comparator.may_match(silent, said));
        let partners = differing.chain(unmarked).filter_map(|said| {
            let cause = likeness(self.judge, disputed.reporter, error, said)?;
            let (what, place) = (Sought::Error(said), steps(&said.field));
            Some((cause, Disputed { reporter: silent, what, place, relation: disputed.relation, rules: &[] }))
        });
        let mut partners: Vec<(Cause, Disputed<'_>)> = partners.collect();
        partners.sort_by_key(|(cause, _)| *cause);
        partners.into_iter().find(|(_, partner)| self.belong_together(disputed, partner)).map(|(cause, _)| cause)
    }

    /// Whether two errors come and go together when the value of either is another. Where errors of all sorts are compared, they also
    /// go together when both sides say the same of the other value.
    fn belong_together(&mut self, one: &Disputed<'_>, other: &Disputed<'_>) -> bool {
        if self.left == 0 {
            return one.place == other.place;
        }
        let compares_all = matches!(self.judge.pair().comparator, Comparator::Fields { .. } | Comparator::Verbatim);
        let places: Vec<&[Step<'_>]> = [&one.place, &other.place].into_iter().map(Vec::as_slice).collect();
        let mut together = false;
        for place in places {
            let trials = [
                self.objects.with_new(place, None),
                self.objects.reverted(place),
                self.objects.with_new(place, Some("a".into())),
                compares_all.then(|| self.objects.with_new(place, Some(Tree::EMPTY))).flatten(),
            ];
            for variant in trials.into_iter().flatten() {
                let Some(record) = self.judged(variant) else { continue };
                match (one.is_reported(record), other.is_reported(record)) {
                    (true, true) => {}
                    (false, false) => together = true,
                    _ if compares_all && !one.is_disputed(record) && !other.is_disputed(record) => together = true,
                    _ => return false,
                }
            }
        }
        together || one.place == other.place
    }
}

/// What two errors of the two sides have in common but one thing; none when they differ in more.
fn likeness(judge: &dyn Asked, side: Side, error: &FieldError, other: &FieldError) -> Option<Cause> {
    let one = normalized(judge, side, &error.field);
    let two = normalized(judge, side.other(), &other.field);
    let near = |one: &str, two: &str| {
        let inside = |outer: &str, inner: &str| {
            outer.is_empty() || inner.strip_prefix(outer).is_some_and(|rest| rest.starts_with(['.', '[']))
        };
        let (one, two) = (one.trim_start_matches("<nil>"), two.trim_start_matches("<nil>"));
        let parent = |field: &str| field.rfind(['.', '[']).map_or("", |end| field.get(..end).unwrap_or("")).to_owned();
        inside(one, two) || inside(two, one) || parent(one) == parent(two)
    };
    match (one == two, error.error_type == other.error_type, error.origin == other.origin) {
        (true, true, false) => Some(Cause::OtherOrigin),
        (true, false, _) => Some(Cause::OtherType),
        (false, true, true) if near(&one, &two) => Some(Cause::OtherPlace),
        _ => None,
    }
}

fn normalized<'f>(judge: &dyn Asked, side: Side, field: &'f str) -> Cow<'f, str> {
    match side {
        Side::Reference => Cow::Borrowed(field),
        Side::Candidate => judge.pair().comparator.normalized(field),
    }
}

fn lacks_origin(error: &FieldError) -> bool {
    error.error_type == ErrorType::Invalid && error.origin.is_empty()
}

fn covered(disputed: &Disputed<'_>) -> bool {
    matches!(disputed.what, Sought::Error(error) if error.covered_by_declarative)
}
