//! The plan of a subject: which field each of its cases is about, and what it is made to show there.
//!
//! The plan is laid out by the types, the baseline and the checks. Rules under test that the baseline does not have add cases to their own
//! field and put their values into some others; they take no case away, and change none of another field.

use super::choices::{hash, mix};
use super::further::{Siblings, drifting, in_modes, selected};
use super::knowledge::{Knowledge, KnownField};
use super::mode::Mode;
use super::packs::packs;
use super::planting::{Planned, Planting};
use super::rules::RulePlace;
use super::settings::GeneratorSettings;
use super::systematic::{Compound, compounds, pairs, singles, variants};
use std::collections::HashSet;
use takeover_harness::case::Operation;

/// Of so many cases of a field after the planned ones, one has a compound fault.
const COMPOUND_EVERY: u64 = 8;

/// Of so many cases of a field after the planned ones, one shows a rule that the baseline does not have, where there is one.
const OWN_EVERY: u64 = 4;

/// In the first round, fields with known checks and no rule share at most so many cases, and so do fields about which nothing is known.
const MOST_WITHOUT_RULE: usize = 512;

/// In the first round, a field has no more cases than this for the classes of its type.
const MOST_OF_TYPE: usize = 16;

/// A first round of more cases than this is longer than most runs: what shows a class for the first time comes before all else there, first
/// several together and then each alone.
const LONG_ROUND: usize = 16_384;

/// Turns of a field without a rule, if any field may have a check.
const TURNS_OF_ANY: u64 = 6;

/// A case of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Slot {
    /// Position of the field.
    pub(super) field: usize,
    /// Number of the case among those of the field.
    pub(super) number: u64,
    /// Position of the pack that the case shows instead, which begins with this case of the field.
    pub(super) pack: Option<u32>,
}

impl Slot {
    /// A case of a field alone.
    pub(super) fn new(field: usize, number: u64) -> Self {
        Self { field, number, pack: None }
    }
}

/// The cases of a field.
#[derive(Clone, Debug)]
pub(super) struct FieldPlan {
    pub(super) place: RulePlace,
    /// A number for the field, from its path.
    pub(super) key: u64,
    /// Positions of the rules of the baseline, of checks and of the type.
    pub(super) rules: Vec<usize>,
    /// Positions of the rules under test that the baseline does not have, and that something breaks.
    own: Vec<usize>,
    /// What each of the first cases shows of those, and then of the others.
    own_shows: Vec<(Planting, Option<Planting>)>,
    shows: Vec<(Planting, Option<Planting>)>,
    /// How many cases it has in the first round.
    first: u64,
    compounds: Vec<Compound>,
}

/// One of each after the other, then what is left of the longer list.
fn in_turns<T>(one: Vec<T>, other: Vec<T>) -> Vec<T> {
    let mut others = other.into_iter();
    let mut all: Vec<T> = one.into_iter().flat_map(|of| [Some(of), others.next()]).flatten().collect();
    all.extend(others);
    all
}

/// The cases of all fields.
#[derive(Clone, Debug)]
pub(super) struct Plan {
    pub(super) fields: Vec<FieldPlan>,
    /// What cases show together before the first round: fields, each with a number of its cases.
    packs: Vec<Vec<(u32, u32)>>,
    first: Vec<(u32, u32)>,
    /// Fields in turn, each with how many of its turns come before; quiet ones take turns among themselves.
    cycle: Vec<(Turn, u64)>,
    /// Turns of each field in the cycle.
    turns: Vec<u64>,
    quiet: Vec<usize>,
    /// Turns of quiet fields in the cycle.
    quiet_turns: u64,
    /// The first class that each selecting rule accepts: position of the rule, and of the class.
    selecting: Vec<(usize, usize)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Turn {
    Of(usize),
    Quiet,
}

impl FieldPlan {
    fn new(
        knowledge: &Knowledge,
        field: &KnownField,
        operations: &[Operation],
        most: usize,
        siblings: Option<&Siblings<'_>>,
    ) -> Self {
        let book = knowledge.book();
        let updates_only = !operations.contains(&Operation::Create);
        let modes: Vec<Mode> = Mode::ALL.into_iter().filter(|mode| operations.contains(&mode.operation())).collect();
        let alone = |rules: &[usize]| {
            let mut all = singles(book, rules, &modes);
            all.extend(variants(book, rules, operations));
            all.into_iter().map(|planting| (planting, None)).collect::<Vec<_>>()
        };
        let together = |rules: &[usize]| {
            let pairs = pairs(book, rules, &knowledge.known, updates_only);
            pairs.into_iter().map(|[outer, inner]| (outer, Some(inner))).collect::<Vec<_>>()
        };
        let type_mode = |mode: Mode| {
            let singles = singles(book, &field.of_type, &[mode]);
            singles.into_iter().map(|planting| (planting, None)).collect::<Vec<_>>()
        };
        let (first_mode, second_mode) = match operations {
            [Operation::Update] => (Mode::Changed, Mode::Kept),
            [Operation::Create] => (Mode::Created, Mode::Created),
            _ => (Mode::Created, Mode::Changed),
        };
        let by_type = type_mode(first_mode);
        let known = alone(&field.known).len() + together(&field.known).len();
        let first = (known + by_type.len().min(MOST_OF_TYPE)).min(most);
        let distinct = |parts: &[Vec<(Planting, Option<Planting>)>]| -> Vec<(Planting, Option<Planting>)> {
            let mut seen = HashSet::new();
            parts.iter().flatten().copied().filter(|show| seen.insert(*show)).collect()
        };
        let own: Vec<usize> = field.tested.iter().copied().filter(|index| !field.known.contains(index)).collect();
        let own_selected = siblings.map(|siblings| selected(book, &own, siblings, first_mode)).unwrap_or_default();
        let own_shows = distinct(&[alone(&own), own_selected, together(&own)]);
        let rules: Vec<usize> = field.known.iter().chain(&field.of_type).copied().collect();
        let further = siblings.map(|siblings| {
            let mut beside = selected(book, &field.known, siblings, first_mode);
            let modes = in_modes(book, (&field.place, &rules), siblings, first_mode);
            beside.extend(modes.into_iter().map(|[value, mode]| (value, Some(mode))));
            let drifting = if operations.len() > 1 { drifting(book, &field.known) } else { Vec::new() };
            in_turns(drifting.into_iter().map(|planting| (planting, None)).collect(), beside)
        });
        let mut singles = alone(&field.known);
        // Every class comes created, changed and kept before what goes further.
        let is_plain = |mode: Mode| matches!(mode, Mode::Created | Mode::Changed | Mode::Kept);
        let plain = singles.iter().take_while(|(planting, _)| is_plain(planting.mode)).count();
        let others = singles.split_off(plain);
        singles.extend(in_turns(others, further.unwrap_or_default()));
        let shows = distinct(&[singles, by_type, together(&field.known), type_mode(second_mode)]);
        Self {
            key: hash(&field.place.field),
            place: field.place.clone(),
            rules,
            own,
            own_shows,
            shows,
            first: first as u64,
            compounds: compounds(book, &field.known, &knowledge.known),
        }
    }

    /// Whether case `number` of the first round shows a class in the plainest way: in a create where there are creates, or as a pair of values
    /// that a rule of updates tells apart.
    fn shows_first(&self, number: u32, operations: &[Operation]) -> bool {
        let plainest = if operations.contains(&Operation::Create) { Mode::Created } else { Mode::Changed };
        matches!(self.shows.get(number as usize), Some((planting, None))
            if !planting.behind && !planting.switched_off && (planting.mode == plainest || planting.other.is_some()))
    }

    /// What case `number` of the field is made to show; none when that is left to chance.
    pub(super) fn planned(&self, number: u64, operations: &[Operation]) -> Option<Planned> {
        let number = usize::try_from(number).unwrap_or(usize::MAX);
        let show = match number.checked_sub(self.own_shows.len()) {
            Some(common) => self.shows.get(common),
            None => self.own_shows.get(number),
        };
        if let Some((one, other)) = show {
            return Some(Planned { plantings: [*one].into_iter().chain(*other).collect(), deviations: Vec::new() });
        }
        let beyond = self.beyond(number as u64)?;
        if self.compounds.is_empty() || beyond % COMPOUND_EVERY != COMPOUND_EVERY - 1 {
            return None;
        }
        let at = |number: u64, len: usize| usize::try_from(number % len.max(1) as u64).unwrap_or_default();
        let number = beyond / COMPOUND_EVERY;
        let modes = Compound::MODES.into_iter().filter(|mode| operations.contains(&mode.operation()));
        let modes: Vec<Mode> = modes.collect();
        let compound = self.compounds.get(at(number, self.compounds.len()))?;
        let mode = modes.get(at(number / self.compounds.len() as u64, modes.len()))?;
        Some(Planned {
            plantings: compound.plantings(*mode),
            deviations: compound.deviation(*mode).into_iter().collect(),
        })
    }

    /// What the choices of case `number` follow from: the same whatever rules are under test.
    pub(super) fn choices(&self, number: u64) -> u64 {
        number.wrapping_sub(self.own_shows.len() as u64)
    }

    /// The number of a case among those of the field that show nothing planned; none if it is not one of them.
    pub(super) fn beyond(&self, number: u64) -> Option<u64> {
        number.checked_sub(self.own_shows.len() as u64)?.checked_sub(self.first.max(self.shows.len() as u64))
    }

    /// The rules that the baseline does not have, if case `number` is to show one of them beside what chance decides.
    pub(super) fn own_rules(&self, number: u64) -> &[usize] {
        match self.beyond(number) {
            Some(beyond) if beyond % OWN_EVERY == 1 => &self.own,
            _ => &[],
        }
    }

    /// Whether case `number` is there, or is as it is, for a rule that the baseline does not have.
    pub(super) fn is_own(&self, number: u64) -> bool {
        number < self.own_shows.len() as u64 || !self.own_rules(number).is_empty()
    }
}

impl Plan {
    /// The plan for what is known.
    pub(super) fn new(knowledge: &Knowledge, settings: &GeneratorSettings) -> Self {
        let operations = settings.operations();
        let is_quiet = |place: &RulePlace| {
            settings.quiet.iter().any(|quiet| {
                let below = place.field.strip_prefix(quiet.as_str());
                below.is_some_and(|below| below.is_empty() || below.starts_with(['.', '[']))
            })
        };
        let ranks: Vec<Rank> = knowledge
            .fields
            .iter()
            .map(|field| match field.place.segments.is_empty() {
                true => Rank::Root,
                false if is_quiet(&field.place) => Rank::Quiet,
                false if field.known.iter().any(|rule| knowledge.baseline.contains(rule)) => Rank::Ruled,
                false if !field.known.is_empty() => Rank::Checked,
                false => Rank::Unknown,
            })
            .collect();
        let count = |which: Rank| ranks.iter().filter(|rank| **rank == which).count();
        let (checked, unknown) = (count(Rank::Checked), count(Rank::Unknown));
        let each = |of: usize| (MOST_WITHOUT_RULE / of.max(1)).max(1);
        let most = |rank: Rank| match rank {
            Rank::Root | Rank::Ruled => usize::MAX,
            Rank::Checked => each(checked),
            Rank::Unknown => each(unknown),
            Rank::Quiet => 0,
        };
        let all: Vec<usize> = if settings.looks_further { (0..knowledge.rules.len()).collect() } else { Vec::new() };
        let siblings = settings.looks_further.then(|| Siblings::new(knowledge.book(), &all));
        let fields: Vec<FieldPlan> = knowledge
            .fields
            .iter()
            .zip(&ranks)
            .map(|(field, rank)| FieldPlan::new(knowledge, field, operations, most(*rank), siblings.as_ref()))
            .collect();
        let mut first: Vec<(Rank, u32, u32)> = (0..)
            .zip(fields.iter().zip(&ranks))
            .flat_map(|(index, (field, rank))| {
                (0..).take(usize::try_from(field.first).unwrap_or_default()).map(move |number| (*rank, number, index))
            })
            .collect();
        let mut together = Vec::new();
        if first.len() > LONG_ROUND {
            let is_late = |number: u32, field: u32| {
                let field = fields.get(field as usize);
                field.is_some_and(|field| !field.shows_first(number, operations))
            };
            first.sort_by_cached_key(|(rank, number, field)| (*rank, is_late(*number, *field), *number, *field));
            let early = first.iter().filter(|(_, number, field)| !is_late(*number, *field));
            // Classes of types stand alone: they show less, and their long texts would make large objects.
            let known: HashSet<usize> = knowledge.known.iter().copied().collect();
            let shows = early.filter_map(|(_, number, field)| {
                let (planting, _) = fields.get(*field as usize)?.shows.get(*number as usize)?;
                known.contains(&planting.rule).then_some(((*field, *number), *planting))
            });
            together = packs(knowledge, shows);
        } else {
            first.sort_unstable();
        }
        let first = first.into_iter().map(|(_, number, field)| (field, number)).collect();
        let mut plan = Self {
            packs: together,
            first,
            cycle: Vec::new(),
            turns: Vec::new(),
            quiet: Vec::new(),
            quiet_turns: 0,
            selecting: siblings.map(|siblings| siblings.accepting).unwrap_or_default(),
            fields,
        };
        plan.take_turns(&ranks, settings.may_check_any);
        plan
    }

    /// Lays out the cycle: most of it is for fields with rules, a quarter for the object as a whole, and little for the other fields. If
    /// any field may have a check, fields without a rule get as many turns as those with one.
    fn take_turns(&mut self, ranks: &[Rank], may_check_any: bool) {
        let weight = |field: &FieldPlan| 2 + (field.first / 32).min(6);
        let is_usual =
            |field: &FieldPlan| ["metadata", "status"].iter().any(|part| field.place.field.starts_with(part));
        let turns = |field: &FieldPlan| if may_check_any && !is_usual(field) { TURNS_OF_ANY } else { 1 };
        let of_rank = |wanted: &'static [Rank]| {
            let all = self.fields.iter().zip(ranks).filter(move |(_, rank)| wanted.contains(rank));
            all.map(|(field, _)| field)
        };
        let ruled: u64 = of_rank(&[Rank::Ruled]).map(weight).sum();
        let without_rule: u64 = of_rank(&[Rank::Checked, Rank::Unknown]).map(turns).sum();
        let share = if may_check_any { 1 } else { 4 };
        let times = (share * without_rule).div_ceil(ruled.max(1)).max(1);
        let sum = ruled * times + without_rule;
        self.quiet = (0..).zip(ranks).filter(|(_, rank)| **rank == Rank::Quiet).map(|(index, _)| index).collect();
        self.quiet_turns = if self.quiet.is_empty() { 0 } else { (sum / 16).max(1) };
        self.turns = self
            .fields
            .iter()
            .zip(ranks)
            .map(|(field, rank)| match rank {
                Rank::Root => (sum / 3).max(1),
                Rank::Ruled => weight(field) * times,
                Rank::Checked | Rank::Unknown => turns(field),
                Rank::Quiet => 0,
            })
            .collect();
        let of_fields = self.turns.iter().enumerate().flat_map(|(field, turns)| {
            let key = self.fields.get(field).map_or(0, |field| field.key);
            (0..*turns).map(move |turn| (mix(key ^ turn), Turn::Of(field), turn))
        });
        let of_quiet = (0..self.quiet_turns).map(|turn| (mix(turn), Turn::Quiet, turn));
        let mut cycle: Vec<(u64, Turn, u64)> = of_fields.chain(of_quiet).collect();
        cycle.sort_by_key(|(order, ..)| *order);
        self.cycle = cycle.into_iter().map(|(_, turn, before)| (turn, before)).collect();
    }

    /// How many cases the first round has, with the packs before it.
    pub(super) fn first_round(&self) -> u64 {
        (self.packs.len() + self.first.len()) as u64
    }

    /// What a case is made to show; none when that is left to chance.
    pub(super) fn planned(&self, slot: Slot, operations: &[Operation]) -> Option<Planned> {
        let Some(pack) = slot.pack.and_then(|pack| self.packs.get(pack as usize)) else {
            let mut planned = self.fields.get(slot.field)?.planned(slot.number, operations)?;
            if let Some(first) = planned.plantings.first().filter(|planting| planting.selected) {
                let mode = if first.mode == Mode::Created { Mode::Created } else { Mode::Kept };
                let selecting = self.selecting.iter().map(|(rule, class)| Planting::new(*rule, *class, mode));
                // Another planting at the same place comes later and wins.
                planned.plantings.splice(1..1, selecting);
            }
            return Some(planned);
        };
        let planting = |(field, number): &(u32, u32)| {
            self.fields.get(*field as usize)?.shows.get(*number as usize).map(|(planting, _)| *planting)
        };
        Some(Planned { plantings: pack.iter().filter_map(planting).collect(), deviations: Vec::new() })
    }

    /// Which case of which field case number `place` of the subject is.
    pub(super) fn slot(&self, place: u64) -> Slot {
        let at = usize::try_from(place).unwrap_or(usize::MAX);
        if let Some((field, number)) = self.packs.get(at).and_then(|pack| pack.first()) {
            return Slot { pack: u32::try_from(at).ok(), ..Slot::new(*field as usize, u64::from(*number)) };
        }
        if let Some((field, number)) = at.checked_sub(self.packs.len()).and_then(|at| self.first.get(at)) {
            return Slot::new(*field as usize, u64::from(*number));
        }
        let beyond = place - self.first_round();
        let len = self.cycle.len().max(1) as u64;
        let (round, at) = (beyond / len, usize::try_from(beyond % len).unwrap_or_default());
        let Some((turn, before)) = self.cycle.get(at) else { return Slot::new(0, beyond) };
        let (field, number) = match turn {
            Turn::Of(field) => (*field, round * self.turns.get(*field).copied().unwrap_or_default() + before),
            Turn::Quiet => {
                let number = round * self.quiet_turns + before;
                let count = self.quiet.len().max(1) as u64;
                let index = usize::try_from(number % count).unwrap_or_default();
                (self.quiet.get(index).copied().unwrap_or_default(), number / count)
            }
        };
        Slot::new(field, self.fields.get(field).map_or(0, |field| field.first) + number)
    }
}

/// How much a field is worth, the most first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    /// The object as a whole.
    Root,
    /// A rule of the baseline is known.
    Ruled,
    /// Only checks are known.
    Checked,
    Unknown,
    /// The reference leaves it to others, or there is little to be seen.
    Quiet,
}
