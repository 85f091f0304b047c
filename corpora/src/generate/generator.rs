//! From choices to cases.

use super::bases::Bases;
use super::case::{GeneratedCase, Planted};
use super::choices::{Choices, Log, mix};
use super::deviate::Deviator;
use super::draft::{Draft, separate};
use super::grow::Soil;
use super::knowledge::{Knowledge, Sources};
use super::layout::Layout;
use super::mode::Mode;
use super::plan::{FieldPlan, Plan, Slot};
use super::planting::{Deviation, Planned, Planting, Target, What};
use super::pools::Pools;
use super::rules::RuleTree;
use super::settings::GeneratorSettings;
use super::site::Start;
use arbitrary::Unstructured;
use serde_json::{Map, Value};
use std::sync::Arc;
use takeover_harness::case::{Case, Operation, Options, Payload, Provenance};
use takeover_harness::object::{Arena, Tree};
use takeover_harness::rule::{Rule, RuleId};
use takeover_harness::schema::{Schema, TypeId};

/// How many objects are grown from the types to start from.
const GROWN: u64 = 32;

/// Makes cases for one subject. Cheap to share between threads; a case depends on nothing but the generator and its choices.
#[derive(Clone, Debug)]
pub struct Generator {
    schema: Arc<Schema>,
    root: TypeId,
    layout: Layout,
    pub(super) knowledge: Knowledge,
    pub(super) plan: Plan,
    /// Positions of the rules that a case which is about no field may show.
    placed: Vec<usize>,
    tree: RuleTree,
    pools: Pools,
    recorded: Vec<Value>,
    grown: Vec<Value>,
    options: Vec<String>,
    pub(super) settings: GeneratorSettings,
}

/// What a case that is not planned is about.
#[derive(Clone, Copy)]
pub(super) enum About {
    /// Anything that the rules under test say.
    Rules,
    /// The field of this slot.
    Field(Slot),
}

impl Generator {
    /// Bytes of choices per case of [`Generator::case_of`]; a case that wants more gets the plainest choice from there on.
    pub const STREAM: usize = 320;

    /// A generator for objects of type `root` under `rules`, starting from the `recorded` valid objects.
    ///
    /// Recorded values that are no JSON objects are left out. Without any, all objects are grown from the types.
    #[must_use]
    pub fn new(
        schema: Arc<Schema>,
        root: TypeId,
        rules: &[Rule],
        recorded: Vec<Value>,
        settings: GeneratorSettings,
    ) -> Self {
        let layout = Layout::new(&schema);
        let sources = Sources {
            baseline: &settings.baseline,
            checks: &settings.checks,
            further: settings.looks_further,
            null: settings.tries_null,
        };
        let knowledge = Knowledge::new(&schema, &layout, root, rules, sources);
        let mut options = settings.options.clone();
        options.extend(knowledge.rules.iter().flat_map(Rule::option_names).map(str::to_owned));
        options.sort_unstable();
        options.dedup();
        let recorded: Vec<Value> = recorded.into_iter().filter(Value::is_object).collect();
        let mut generator = Self {
            tree: RuleTree::new(knowledge.book().of(&knowledge.baseline).map(|(_, rule, place)| (rule, place))),
            plan: Plan::new(&knowledge, &settings),
            pools: Pools::new(&settings, &recorded),
            placed: (0..knowledge.tested)
                .filter(|index| matches!(knowledge.places.get(*index), Some(Some(_))))
                .collect(),
            grown: Vec::new(),
            layout,
            knowledge,
            schema,
            root,
            recorded,
            options,
            settings,
        };
        for object in &mut generator.recorded {
            let members = generator.layout.members(generator.root).iter().map(|member| &*member.name);
            identify(object, &generator.settings, members);
        }
        generator.grown = (0..GROWN).map(|index| generator.grow_base(index)).collect();
        generator
    }

    /// Position of a rule under test that has a place in the types.
    pub(super) fn position(&self, rule: RuleId) -> Option<usize> {
        let Knowledge { rules, places, tested, .. } = &self.knowledge;
        let mut known = rules.iter().zip(places).take(*tested);
        known.position(|(known, place)| known.id == rule && place.is_some())
    }

    fn grow_base(&self, index: u64) -> Value {
        let arena = Arena::new();
        // The first is the smallest there is: its stream is empty.
        let base = match index {
            0 => self.fresh(&mut Choices::new(&mut Unstructured::new(&[])), &arena),
            _ => self.fresh(&mut Choices::keyed(mix(index), &Log::default()), &arena),
        };
        base.to_value()
    }

    fn fresh<'a>(&'a self, choices: &mut Choices<'_, '_>, arena: &'a Arena) -> Tree<'a> {
        let object = self.soil(arena).grow(self.root, self.tree.root(), "", 0, choices);
        let mut fields = object.as_object().unwrap_or_default().to_change(arena);
        let settings = &self.settings;
        for (name, value) in identity(settings, self.layout.members(self.root).iter().map(|m| &*m.name)) {
            fields.insert(name, Tree::String(value));
        }
        fields.into()
    }

    fn soil<'a>(&'a self, arena: &'a Arena) -> Soil<'a> {
        Soil {
            arena,
            schema: &self.schema,
            layout: &self.layout,
            rules: &self.tree,
            pools: &self.pools,
            sets_any: self.settings.may_check_any,
        }
    }

    /// How many cases from the first on are systematic: those that show every class of rule, check and type, each in the ways it can
    /// stand in a case, then rules that break together. The rest is random.
    ///
    /// The number follows from the types, the baseline and the checks; the rules under test do not change it.
    #[must_use]
    pub fn systematic_len(&self) -> u64 {
        self.plan.first_round()
    }

    /// Rules that cannot be planted: their tag registers no boundary values (their places are then deviated along the type), or
    /// the types have no such place.
    pub fn unplantable(&self) -> impl Iterator<Item = &Rule> {
        let rules = self.knowledge.rules.iter().zip(&self.knowledge.places).take(self.knowledge.tested);
        rules.filter(|(rule, place)| place.is_none() || rule.boundaries.is_empty()).map(|(rule, _)| rule)
    }

    /// A random case from any stream of choices, for fuzzers and property tests. An empty stream gives the plainest case.
    #[must_use]
    pub fn case_from(&self, source: &mut Unstructured<'_>) -> GeneratedCase<'static> {
        let arena = Arena::new();
        self.make(None, About::Rules, (0, 0), &mut Bases::new(&arena), &mut Choices::new(source), &arena).kept()
    }

    /// The random case of a stream of choices as plain bytes; see [`Generator::case_from`].
    #[must_use]
    pub fn case_of(&self, stream: &[u8]) -> GeneratedCase<'static> {
        self.case_from(&mut Unstructured::new(stream))
    }

    /// Makes the case at this place of a chunk in `arena`. It shows what is planned, or something at random.
    pub(super) fn make<'c: 'a, 'a>(
        &'c self,
        planned: Option<Planned>,
        about: About,
        (chunk, index): (u64, u64),
        bases: &mut Bases<'c>,
        choices: &mut Choices<'_, '_>,
        arena: &'a Arena,
    ) -> GeneratedCase<'a> {
        let (operation, planned) = match planned {
            Some(planned) => {
                let mode = planned.plantings.first().map_or(Mode::Changed, |planting| planting.mode);
                (mode.operation(), planned)
            }
            None => self.random(about, &mut choices.fork("random")),
        };
        let draft = self.draft(operation, &planned, bases, choices, arena);
        let mut options = Options::new();
        for name in &self.options {
            options.set(name.as_str(), choices.fork(name).chance(1, 2));
        }
        for planting in &planned.plantings {
            let Some(rule) = self.knowledge.rules.get(planting.rule) else { continue };
            for (name, state) in &rule.options {
                options.set(name.as_str(), *state != planting.switched_off);
            }
            for (name, state) in rule.boundaries.get(planting.class).map_or(&[][..], |boundary| &boundary.options) {
                options.set(name.as_str(), *state);
            }
        }
        let operation = if draft.old.is_some() { Operation::Update } else { Operation::Create };
        GeneratedCase {
            case: Case {
                operation,
                object: Payload::from(draft.object),
                old: draft.old.map(Payload::from),
                options,
                provenance: Provenance::Generated { seed: self.settings.seed, chunk, index, planted: draft.note },
            },
            planted: draft.planted,
            deviations: draft.deviations,
            unchanged: draft.unchanged,
        }
    }

    /// What a random case shows: mostly nothing or little, where it is about.
    fn random(&self, about: About, choices: &mut Choices<'_, '_>) -> (Operation, Planned) {
        let update = choices.chance(usize::from(self.settings.update_percent), 100) || self.settings.updates_only;
        let update = update && !self.settings.creates_only;
        let mut planned = Planned::default();
        let field = match about {
            About::Field(slot) => self.plan.fields.get(slot.field).filter(|field| !field.place.segments.is_empty()),
            About::Rules => None,
        };
        let elsewhere = match about {
            About::Field(_) => &self.knowledge.known,
            About::Rules => &self.placed,
        };
        let deviant = choices.chance(100_usize.saturating_sub(self.settings.clean_percent.into()), 100);
        // A field is no less worth looking at where nothing is wrong elsewhere.
        let mut count = usize::from((deviant || field.is_some()) && self.settings.most_deviations > 0);
        while count > 0 && deviant && count < self.settings.most_deviations && choices.chance(1, 3) {
            count += 1;
        }
        for number in 0..count {
            let at_field = field.filter(|_| number == 0);
            let rules = at_field.map_or(elsewhere, |field| &field.rules);
            let rule = (at_field.is_some() || choices.chance(1, 2)).then(|| choices.pick(rules).copied()).flatten();
            match rule.and_then(|rule| self.any_class(rule, deviant, update, choices)) {
                Some(planting) => planned.plantings.push(planting),
                None => {
                    let what = match about {
                        About::Field(slot) if at_field.is_some() => What::Field(slot.field),
                        _ => rule.map_or(What::Anywhere, What::At),
                    };
                    planned.deviations.push(Deviation { target: target(update, choices), what });
                }
            }
        }
        if !planned.plantings.is_empty() && choices.chance(1, 256) {
            planned.deviations.push(Deviation { target: target(update, choices), what: What::Around });
        }
        if let (About::Field(slot), Some(field)) = (about, field) {
            self.show_own(slot, field, update, &mut planned, &mut choices.fork("own"));
        }
        (if update { Operation::Update } else { Operation::Create }, planned)
    }

    /// Puts a class of a rule that the baseline does not have where the case shows something of its field; the rest of the case is as it
    /// is without that rule.
    fn show_own(
        &self,
        slot: Slot,
        field: &FieldPlan,
        update: bool,
        planned: &mut Planned,
        choices: &mut Choices<'_, '_>,
    ) {
        let Some(rule) = choices.pick(field.own_rules(slot.number)) else { return };
        let Some(planting) = self.any_class(*rule, true, update, choices) else { return };
        match planned.plantings.first_mut().filter(|first| field.rules.contains(&first.rule)) {
            Some(first) => *first = planting,
            None => {
                planned.deviations.retain(|deviation| deviation.what != What::Field(slot.field));
                planned.plantings.insert(0, planting);
            }
        }
    }

    /// Some class of a rule, one that breaks it only if `deviant`, in some mode; none where the place is to change along its type.
    fn any_class(&self, rule: usize, deviant: bool, update: bool, choices: &mut Choices<'_, '_>) -> Option<Planting> {
        let (boundaries, place) = (&self.knowledge.rules.get(rule)?.boundaries, self.knowledge.places.get(rule)?);
        let class = choices.below(boundaries.len());
        let boundary = boundaries.get(class)?;
        // What the samples of a rule do not show, and rules without samples, take changes along the type.
        if choices.chance(1, 5) || boundary.breaks && !deviant {
            return None;
        }
        let modes = Mode::ALL.get(usize::from(update)..).unwrap_or_default();
        let guarded = place.as_ref().is_some_and(|place| place.guard.is_some());
        let mode = match update {
            true if guarded && choices.chance(1, 2) => Mode::Appeared,
            true => choices.pick(modes).copied().unwrap_or(Mode::Changed),
            false => Mode::Created,
        };
        Some(Planting { behind: choices.chance(1, 4), ..Planting::new(rule, class, mode) })
    }

    fn base<'c: 'a, 'a>(&'c self, bases: &mut Bases<'c>, choices: &mut Choices<'_, '_>, arena: &'a Arena) -> Tree<'a> {
        bases.last = None;
        let grown = self.recorded.is_empty() || choices.chance(usize::from(self.settings.grown_percent), 100);
        if !grown {
            return bases.recorded(&self.recorded, choices, arena);
        }
        if choices.chance(1, 4) {
            return self.fresh(choices, arena);
        }
        bases.grown(&self.grown, choices, arena)
    }

    /// Makes the objects: what both sides share first, then one copy for the old object, then what sets the sides apart.
    fn draft<'c: 'a, 'a>(
        &'c self,
        operation: Operation,
        planned: &Planned,
        bases: &mut Bases<'c>,
        choices: &mut Choices<'_, '_>,
        arena: &'a Arena,
    ) -> Draft<'a> {
        let Planned { plantings, deviations } = planned;
        let mut draft = Draft {
            object: self.base(bases, &mut choices.fork("base"), arena),
            old: None,
            planted: Vec::with_capacity(plantings.len()),
            deviations: 0,
            unchanged: operation == Operation::Update,
            note: String::new(),
        };
        let update = operation == Operation::Update;
        if update && !choices.chance(1, 64) {
            self.store(&mut draft.object, arena);
        }
        let looks_further = self.settings.looks_further;
        let tries_null = self.settings.tries_null;
        let has_null_items = !looks_further && !tries_null;
        let quiet = &self.settings.quiet;
        let deviator = Deviator { soil: self.soil(arena), quiet, looks_further, has_null_items, tries_null };
        let mut sites = Vec::with_capacity(plantings.len());
        for planting in plantings {
            let Knowledge { rules, places, .. } = &self.knowledge;
            if let (Some(rule), Some(Some(place))) = (rules.get(planting.rule), places.get(planting.rule)) {
                let mut choices = choices.fork(&place.field);
                let from = Start { root: self.root, behind: planting.behind };
                sites.push((planting, rule, place, deviator.soil.locate(&mut draft.object, from, place, &mut choices)));
            }
        }
        // What stands inside another planted value comes after it, or it would be overwritten.
        sites.sort_by_key(|(_, _, place, _)| place.segments.len());
        for deviation in
            deviations.iter().filter(|deviation| deviation.target == Target::Both && deviation.what != What::Around)
        {
            separate(&mut draft.note);
            self.deviate(&deviator, &mut draft.object, deviation.what, choices, &mut draft.note);
            draft.note.push_str(" (both)");
            draft.deviations += 1;
        }
        if update {
            draft.old = Some(draft.object);
        }
        for (planting, rule, place, site) in &sites {
            let listed = planting.rule < self.knowledge.tested;
            draft.plant(
                &deviator.soil,
                (planting, listed, looks_further),
                rule,
                place,
                site,
                &mut choices.fork("plant"),
            );
            if let (Some(target), Some(old)) = (planting.drifts, &mut draft.old) {
                let object = if target == Target::Old { old } else { &mut draft.object };
                separate(&mut draft.note);
                deviator.deviate_at(object, place, site, &mut choices.fork("drift"), &mut draft.note);
                draft.note.push_str(if target == Target::Old { " (old)" } else { " (new)" });
                draft.deviations += 1;
                draft.unchanged = false;
            }
            for (rule, class) in rule
                .boundaries
                .get(planting.class)
                .into_iter()
                .flat_map(|boundary| self.knowledge.alike(place, boundary))
            {
                draft.planted.push(Planted { rule, class, mode: planting.mode, breaks: false });
            }
        }
        for deviation in deviations {
            if deviation.what == What::Around {
                if let Some((.., site)) = choices.pick(&sites) {
                    draft.crowd(&deviator.soil, deviation.target, site, choices);
                }
                continue;
            }
            let (object, label) = match (deviation.target, &mut draft.old) {
                (Target::Both, _) => continue,
                (Target::Old, Some(old)) => (old, " (old)"),
                _ => (&mut draft.object, if update { " (new)" } else { "" }),
            };
            separate(&mut draft.note);
            self.deviate(&deviator, object, deviation.what, choices, &mut draft.note);
            draft.note.push_str(label);
            draft.deviations += 1;
            draft.unchanged = false;
        }
        // A systematic update shows its class and nothing else, unless it is to be kept beside a change.
        let beside = plantings.iter().any(|planting| planting.mode == Mode::KeptBeside);
        let free = update && plantings.is_empty() && choices.chance(1, 2);
        if beside || free {
            if let Some(what) = deviator.soil.edit(&mut draft.object, choices) {
                separate(&mut draft.note);
                draft.note.push_str(what);
            } else {
                separate(&mut draft.note);
                self.deviate(&deviator, &mut draft.object, What::Anywhere, choices, &mut draft.note);
                draft.deviations += 1;
            }
            draft.unchanged = false;
        }
        draft
    }

    /// Makes one deviation, at the place of a rule or anywhere.
    fn deviate<'a>(
        &'a self,
        deviator: &Deviator<'a>,
        object: &mut Tree<'a>,
        what: What,
        choices: &mut Choices<'_, '_>,
        note: &mut String,
    ) {
        let place = match what {
            What::At(rule) => self.knowledge.places.get(rule).and_then(Option::as_ref),
            What::Field(field) => self.plan.fields.get(field).map(|field| &field.place),
            What::Anywhere | What::Around => None,
        };
        match place {
            Some(place) => {
                let from = Start { root: self.root, behind: false };
                let site = deviator.soil.locate(object, from, place, choices);
                deviator.deviate_at(object, place, &site, choices, note);
            }
            None => deviator.deviate(object, self.root, choices, note),
        }
    }

    /// An object that is updated has been stored, and says in which version it was read.
    fn store<'a>(&self, object: &mut Tree<'a>, arena: &'a Arena) {
        let known = |ty: TypeId, name: &str| {
            let (id, _) = self.schema.pointed(ty);
            self.layout.member(&self.schema, id, name)
        };
        if known(self.root, "metadata").and_then(|metadata| known(metadata, "resourceVersion")).is_some()
            && let Some(metadata) = object.get("metadata").and_then(Tree::as_object)
            && !metadata.contains_key("resourceVersion")
        {
            let mut metadata = metadata.to_change(arena);
            metadata.insert("resourceVersion", Tree::from("1"));
            object.change("metadata", arena, |value| *value = metadata.into());
        }
    }
}

/// Which objects a random deviation is made to.
fn target(update: bool, choices: &mut Choices<'_, '_>) -> Target {
    let targets = [Target::New, Target::New, Target::New, Target::Both, Target::Both, Target::Old];
    let target = if update { choices.pick(&targets).copied() } else { None };
    target.unwrap_or(Target::New)
}

/// Writes version and kind into an object whose type has them. What is no object becomes one.
pub(super) fn identify<'m>(object: &mut Value, settings: &GeneratorSettings, members: impl Iterator<Item = &'m str>) {
    if !object.is_object() {
        *object = Value::Object(Map::new());
    }
    let Some(fields) = object.as_object_mut() else { return };
    for (name, value) in identity(settings, members) {
        fields.insert(name.to_owned(), value.into());
    }
}

/// The members that say version and kind of an object, if its type has them.
fn identity<'s, 'm>(
    settings: &'s GeneratorSettings,
    mut members: impl Iterator<Item = &'m str>,
) -> impl Iterator<Item = (&'static str, &'s str)> {
    let subject = &settings.subject;
    let has_kind = members.any(|name| name == "kind");
    let identity = [("apiVersion", subject.api_version.as_str()), ("kind", subject.kind.as_str())];
    identity.into_iter().filter(move |_| has_kind)
}
