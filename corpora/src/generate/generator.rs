//! From choices to cases.

use super::case::GeneratedCase;
use super::choices::Choices;
use super::deviate::Deviator;
use super::draft::{Draft, separate};
use super::edits::edit;
use super::grow::Soil;
use super::layout::Layout;
use super::mode::Mode;
use super::planting::{Deviation, Planting, Target, What};
use super::pools::Pools;
use super::rules::{RulePlace, RuleTree};
use super::settings::GeneratorSettings;
use super::site::as_object;
use super::systematic::{Compound, compounds, guard, pairs, systematic};
use arbitrary::Unstructured;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use serde_json::Value;
use std::sync::Arc;
use takeover_harness::case::{Case, Operation, Options, Payload, Provenance};
use takeover_harness::rule::Rule;
use takeover_harness::schema::{Schema, TypeId};

/// Of so many cases after the systematic ones, one has a compound fault.
const COMPOUND_EVERY: u64 = 32;

/// How many objects are grown from the types to start from.
const GROWN: u64 = 32;

/// Makes cases for one subject. Cheap to share between threads; a case depends on nothing but the generator and its choices.
#[derive(Clone, Debug)]
pub struct Generator {
    schema: Arc<Schema>,
    root: TypeId,
    layout: Layout,
    rules: Vec<Rule>,
    places: Vec<Option<RulePlace>>,
    /// Positions of the rules that stand somewhere.
    placed: Vec<usize>,
    tree: RuleTree,
    pools: Pools,
    recorded: Vec<Value>,
    grown: Vec<Value>,
    plantings: Vec<Planting>,
    pairs: Vec<[Planting; 2]>,
    compounds: Vec<Compound>,
    options: Vec<String>,
    pub(super) settings: GeneratorSettings,
}

impl Generator {
    /// Bytes of choices per case; a case that wants more gets the plainest choice from there on.
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
        let mut places: Vec<Option<RulePlace>> = rules.iter().map(|rule| RulePlace::of(&schema, root, rule)).collect();
        let guards: Vec<Option<usize>> =
            places.iter().map(|place| place.as_ref().and_then(|place| guard(rules, &places, place))).collect();
        for (place, guard) in places.iter_mut().zip(guards) {
            place.iter_mut().for_each(|place| place.guard = guard);
        }
        let mut options = settings.options.clone();
        options.extend(rules.iter().flat_map(Rule::option_names).map(str::to_owned));
        options.sort_unstable();
        options.dedup();
        let recorded: Vec<Value> = recorded.into_iter().filter(Value::is_object).collect();
        let mut generator = Self {
            layout: Layout::new(&schema),
            tree: RuleTree::new(rules, &places),
            pools: Pools::new(&settings, &recorded),
            plantings: systematic(rules, &places),
            pairs: pairs(rules, &places, settings.updates_only),
            compounds: compounds(rules, &places),
            placed: places.iter().enumerate().filter(|(_, place)| place.is_some()).map(|(index, _)| index).collect(),
            rules: rules.to_vec(),
            grown: Vec::new(),
            schema,
            root,
            places,
            recorded,
            options,
            settings,
        };
        if generator.settings.updates_only {
            generator.plantings.retain(|planting| planting.mode.operation() == Operation::Update);
        }
        for object in &mut generator.recorded {
            identify(object, &generator.settings, generator.layout.members(generator.root).iter().map(|m| &*m.name));
        }
        generator.grown = (0..GROWN).map(|index| generator.grow_base(index)).collect();
        generator
    }

    fn grow_base(&self, index: u64) -> Value {
        let mut bytes = [0_u8; 4 * Self::STREAM];
        // The first is the smallest there is: its stream is empty.
        let bytes = if index == 0 {
            &[][..]
        } else {
            ChaCha8Rng::seed_from_u64(index).fill_bytes(&mut bytes);
            &bytes[..]
        };
        let mut source = Unstructured::new(bytes);
        self.fresh(&mut Choices::new(&mut source))
    }

    fn fresh(&self, choices: &mut Choices<'_, '_>) -> Value {
        let mut object = self.soil().grow(self.root, self.tree.root(), "", 0, choices);
        identify(&mut object, &self.settings, self.layout.members(self.root).iter().map(|m| &*m.name));
        object
    }

    fn soil(&self) -> Soil<'_> {
        Soil { schema: &self.schema, layout: &self.layout, rules: &self.tree, pools: &self.pools }
    }

    /// How many cases from the first on are systematic: every rule × class × operation, then rules that break together. The rest
    /// is random.
    #[must_use]
    pub fn systematic_len(&self) -> u64 {
        (self.plantings.len() + self.pairs.len()) as u64
    }

    /// Rules that cannot be planted: their tag registers no boundary values (their places are then deviated along the type), or
    /// the types have no such place.
    pub fn unplantable(&self) -> impl Iterator<Item = &Rule> {
        let rules = self.rules.iter().zip(&self.places);
        rules.filter(|(rule, place)| place.is_none() || rule.boundaries.is_empty()).map(|(rule, _)| rule)
    }

    /// A random case from any stream of choices, for fuzzers and property tests. An empty stream gives the plainest case.
    #[must_use]
    pub fn case_from(&self, source: &mut Unstructured<'_>) -> GeneratedCase {
        self.finish(&[], None, 0, 0, &mut Choices::new(source))
    }

    /// The random case of a stream of choices as plain bytes; see [`Generator::case_from`].
    #[must_use]
    pub fn case_of(&self, stream: &[u8]) -> GeneratedCase {
        self.case_from(&mut Unstructured::new(stream))
    }

    /// What case number `place` of all is made to show: a class, a compound fault, or nothing in particular.
    pub(super) fn planned(&self, place: u64) -> (Vec<Planting>, Option<Deviation>) {
        let systematic = usize::try_from(place).unwrap_or(usize::MAX);
        if let Some(planting) = self.plantings.get(systematic) {
            return (vec![*planting], None);
        }
        if let Some(pair) = systematic.checked_sub(self.plantings.len()).and_then(|place| self.pairs.get(place)) {
            return (pair.to_vec(), None);
        }
        let beyond = place - self.systematic_len();
        let count = self.compounds.len() as u64;
        if count == 0 || beyond % COMPOUND_EVERY != COMPOUND_EVERY - 1 {
            return (Vec::new(), None);
        }
        let number = beyond / COMPOUND_EVERY;
        let modes = Compound::MODES.get(usize::from(self.settings.updates_only)..).unwrap_or_default();
        let at = |number: u64, len: usize| usize::try_from(number % len.max(1) as u64).unwrap_or_default();
        let compound = self.compounds.get(at(number, self.compounds.len()));
        match compound.zip(modes.get(at(number / count, modes.len()))) {
            Some((compound, mode)) => (compound.plantings(*mode), compound.deviation(*mode)),
            None => (Vec::new(), None),
        }
    }

    pub(super) fn finish(
        &self,
        plantings: &[Planting],
        deviation: Option<Deviation>,
        chunk: u64,
        index: u64,
        choices: &mut Choices<'_, '_>,
    ) -> GeneratedCase {
        let draft = match plantings.first() {
            Some(planting) => self.draft(planting.mode.operation(), plantings, deviation.as_slice(), choices),
            None => self.random(choices),
        };
        let mut options = Options::new();
        for name in &self.options {
            options.set(name.as_str(), choices.chance(1, 2));
        }
        for planting in plantings {
            let Some(rule) = self.rules.get(planting.rule) else { continue };
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

    fn random(&self, choices: &mut Choices<'_, '_>) -> Draft {
        let update = choices.chance(usize::from(self.settings.update_percent), 100) || self.settings.updates_only;
        let mut plantings = Vec::new();
        let mut deviations = Vec::new();
        let deviant = choices.chance(100_usize.saturating_sub(self.settings.clean_percent.into()), 100);
        let mut count = usize::from(deviant && self.settings.most_deviations > 0);
        while count > 0 && count < self.settings.most_deviations && choices.chance(1, 3) {
            count += 1;
        }
        let target = |choices: &mut Choices<'_, '_>| {
            let targets = [Target::New, Target::New, Target::New, Target::Both, Target::Both, Target::Old];
            let target = if update { choices.pick(&targets).copied() } else { None };
            target.unwrap_or(Target::New)
        };
        for _ in 0..count {
            let rule = choices.chance(1, 2).then(|| choices.pick(&self.placed).copied()).flatten();
            let classes = rule.and_then(|rule| self.rules.get(rule)).map_or(0, |rule| rule.boundaries.len());
            // What the samples of a rule do not show, and rules without samples, take changes along the type.
            if let Some(rule) = rule
                && classes > 0
                && !choices.chance(1, 5)
            {
                let class = choices.below(classes);
                let modes = Mode::ALL.get(usize::from(update)..).unwrap_or_default();
                let guarded = self.places.get(rule).and_then(Option::as_ref).is_some_and(|place| place.guard.is_some());
                let mode = match update {
                    true if guarded && choices.chance(1, 2) => Mode::Appeared,
                    true => choices.pick(modes).copied().unwrap_or(Mode::Changed),
                    false => Mode::Created,
                };
                plantings.push(Planting::new(rule, class, mode));
            } else {
                deviations.push(Deviation { target: target(choices), what: rule.map_or(What::Anywhere, What::At) });
            }
        }
        if !plantings.is_empty() && choices.chance(1, 256) {
            deviations.push(Deviation { target: target(choices), what: What::Around });
        }
        self.draft(if update { Operation::Update } else { Operation::Create }, &plantings, &deviations, choices)
    }

    fn base(&self, choices: &mut Choices<'_, '_>) -> Value {
        let grown = self.recorded.is_empty() || choices.chance(usize::from(self.settings.grown_percent), 100);
        if !grown {
            return choices.pick(&self.recorded).cloned().unwrap_or_default();
        }
        if choices.chance(1, 4) {
            return self.fresh(choices);
        }
        choices.pick(&self.grown).cloned().unwrap_or_default()
    }

    /// Makes the objects: what both sides share first, then one copy for the old object, then what sets the sides apart.
    fn draft(
        &self,
        operation: Operation,
        plantings: &[Planting],
        deviations: &[Deviation],
        choices: &mut Choices<'_, '_>,
    ) -> Draft {
        let mut draft = Draft {
            object: self.base(choices),
            old: None,
            planted: Vec::with_capacity(plantings.len()),
            deviations: 0,
            unchanged: operation == Operation::Update,
            note: String::new(),
        };
        let update = operation == Operation::Update;
        if update && !choices.chance(1, 64) {
            self.store(&mut draft.object);
        }
        let deviator = Deviator { soil: self.soil(), quiet: &self.settings.quiet };
        let mut sites = Vec::with_capacity(plantings.len());
        for planting in plantings {
            if let (Some(rule), Some(Some(place))) = (self.rules.get(planting.rule), self.places.get(planting.rule)) {
                sites.push((planting, rule, place, deviator.soil.locate(&mut draft.object, self.root, place, choices)));
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
            draft.old = Some(draft.object.clone());
        }
        for (planting, rule, place, site) in &sites {
            draft.plant(&deviator.soil, planting, rule, place, site, choices);
        }
        for deviation in deviations {
            if deviation.what == What::Around {
                if let Some((.., site)) = choices.pick(&sites) {
                    draft.crowd(deviation.target, site, choices);
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
        let free = update && draft.planted.is_empty() && choices.chance(1, 2);
        if beside || free {
            if let Some(what) = edit(&mut draft.object, choices) {
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
    fn deviate(
        &self,
        deviator: &Deviator<'_>,
        object: &mut Value,
        what: What,
        choices: &mut Choices<'_, '_>,
        note: &mut String,
    ) {
        let placed = match what {
            What::At(rule) => self.rules.get(rule).zip(self.places.get(rule).and_then(Option::as_ref)),
            What::Anywhere | What::Around => None,
        };
        match placed {
            Some((rule, place)) => {
                let site = deviator.soil.locate(object, self.root, place, choices);
                deviator.deviate_at(object, &rule.path, place, &site, choices, note);
            }
            None => deviator.deviate(object, self.root, choices, note),
        }
    }

    /// An object that is updated has been stored, and says in which version it was read.
    fn store(&self, object: &mut Value) {
        let known = |ty: TypeId, name: &str| {
            let (id, _) = super::layout::shape(&self.schema, ty);
            self.layout.member(&self.schema, id, name)
        };
        if known(self.root, "metadata").and_then(|metadata| known(metadata, "resourceVersion")).is_some()
            && let Some(metadata) = object.get_mut("metadata").and_then(Value::as_object_mut)
            && !metadata.contains_key("resourceVersion")
        {
            metadata.insert("resourceVersion".to_owned(), Value::from("1"));
        }
    }
}

/// Writes version and kind into an object whose type has them.
pub(super) fn identify<'m>(
    object: &mut Value,
    settings: &GeneratorSettings,
    mut members: impl Iterator<Item = &'m str>,
) {
    let Some(fields) = as_object(object) else { return };
    if members.any(|name| name == "kind") {
        fields.insert("apiVersion".to_owned(), Value::from(settings.subject.api_version.as_str()));
        fields.insert("kind".to_owned(), Value::from(settings.subject.kind.as_str()));
    }
}
