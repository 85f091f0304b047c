//! From choices to cases.

use super::case::{GeneratedCase, Planted};
use super::choices::Choices;
use super::deviate::Deviator;
use super::edits::edit;
use super::grow::Soil;
use super::layout::Layout;
use super::plan::{Mode, Plan, systematic};
use super::pools::Pools;
use super::rules::{Place, RuleTree};
use super::settings::Settings;
use super::site::{Step, as_object, get, put};
use arbitrary::Unstructured;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use serde_json::Value;
use std::sync::Arc;
use takeover_harness::case::{Case, Operation, Options, Payload, Provenance};
use takeover_harness::rule::{Rule, Sample};
use takeover_harness::schema::{Schema, TypeId};

/// How many objects are grown from the types to start from.
const GROWN: u64 = 32;

/// Makes cases for one subject. Cheap to share between threads; a case depends on nothing but the generator and its choices.
#[derive(Clone, Debug)]
pub struct Generator {
    schema: Arc<Schema>,
    root: TypeId,
    layout: Layout,
    rules: Vec<Rule>,
    places: Vec<Option<Place>>,
    /// Positions of the rules that stand somewhere.
    placed: Vec<usize>,
    tree: RuleTree,
    pools: Pools,
    recorded: Vec<Value>,
    grown: Vec<Value>,
    plans: Vec<Plan>,
    options: Vec<String>,
    settings: Settings,
}

/// A case being made.
struct Draft {
    object: Value,
    old: Option<Value>,
    planted: Vec<Planted>,
    deviations: u32,
    unchanged: bool,
    note: String,
}

/// A deviation along the types to make.
#[derive(Clone, Copy)]
struct Deviation {
    target: Target,
    /// Position of the rule at whose place it is made; anywhere by default.
    rule: Option<usize>,
}

/// Which objects of a case a deviation is made to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Target {
    New,
    Both,
    Old,
}

impl Generator {
    /// Bytes of choices per case; a case that wants more gets the plainest choice from there on.
    pub const STREAM: usize = 320;

    /// A generator for objects of type `root` under `rules`, starting from the `recorded` valid objects.
    ///
    /// Recorded values that are no JSON objects are left out. Without any, all objects are grown from the types.
    #[must_use]
    pub fn new(schema: Arc<Schema>, root: TypeId, rules: &[Rule], recorded: Vec<Value>, settings: Settings) -> Self {
        let places: Vec<Option<Place>> = rules.iter().map(|rule| Place::of(&schema, root, rule)).collect();
        let mut options = settings.options.clone();
        options.extend(rules.iter().flat_map(Rule::option_names).map(str::to_owned));
        options.sort_unstable();
        options.dedup();
        let recorded: Vec<Value> = recorded.into_iter().filter(Value::is_object).collect();
        let mut generator = Self {
            layout: Layout::new(&schema),
            tree: RuleTree::new(rules, &places),
            pools: Pools::new(&settings, &recorded),
            plans: systematic(rules, &places),
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
            generator.plans.retain(|plan| plan.mode.operation() == Operation::Update);
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

    /// How many cases from the first on are systematic: every rule × class × operation. The rest is random.
    #[must_use]
    pub fn systematic_len(&self) -> u64 {
        self.plans.len() as u64
    }

    /// Rules that cannot be planted: their tag registers no boundary values (their places are then deviated along the type), or
    /// the types have no such place.
    pub fn unplantable(&self) -> impl Iterator<Item = &Rule> {
        let rules = self.rules.iter().zip(&self.places);
        rules.filter(|(rule, place)| place.is_none() || rule.boundaries.is_empty()).map(|(rule, _)| rule)
    }

    /// The cases of chunk `number`, [`Settings::chunk_size`] of them.
    ///
    /// The same generator, number and seed give the same bytes, whatever was generated before. The stream of choices differs
    /// between chunks also where `chunk_seed` does not.
    #[must_use]
    pub fn chunk(&self, number: u64, chunk_seed: u64) -> Chunk<'_> {
        let mut random = ChaCha8Rng::seed_from_u64(chunk_seed);
        random.set_stream(number);
        Chunk { generator: self, random, number, next: 0 }
    }

    /// Case `index` of chunk `number`, the same as the chunk has it, without making those before it; none beyond the chunk.
    #[must_use]
    pub fn case(&self, number: u64, chunk_seed: u64, index: u64) -> Option<GeneratedCase> {
        let mut chunk = self.chunk(number, chunk_seed);
        // The random stream counts words of four bytes.
        chunk.random.set_word_pos(u128::from(index) * (Self::STREAM as u128 / 4));
        chunk.next = index;
        chunk.next()
    }

    /// A random case from any stream of choices, for fuzzers and property tests. An empty stream gives the plainest case.
    #[must_use]
    pub fn case_from(&self, source: &mut Unstructured<'_>) -> GeneratedCase {
        self.finish(None, 0, 0, &mut Choices::new(source))
    }

    /// The random case of a stream of choices as plain bytes; see [`Generator::case_from`].
    #[must_use]
    pub fn case_of(&self, stream: &[u8]) -> GeneratedCase {
        self.case_from(&mut Unstructured::new(stream))
    }

    fn finish(&self, plan: Option<&Plan>, chunk: u64, index: u64, choices: &mut Choices<'_, '_>) -> GeneratedCase {
        let draft = match plan {
            Some(plan) => self.draft(plan.mode.operation(), std::slice::from_ref(plan), &[], choices),
            None => self.random(choices),
        };
        let mut options = Options::new();
        for name in &self.options {
            options.set(name.as_str(), choices.chance(1, 2));
        }
        if let Some(plan) = plan
            && let Some(rule) = self.rules.get(plan.rule)
        {
            for (name, state) in &rule.options {
                options.set(name.as_str(), *state != plan.switched_off);
            }
            for (name, state) in rule.boundaries.get(plan.class).map_or(&[][..], |boundary| &boundary.options) {
                options.set(name.as_str(), *state);
            }
        }
        let operation = if draft.old.is_some() { Operation::Update } else { Operation::Create };
        GeneratedCase {
            case: Case {
                operation,
                object: Payload::Value(draft.object),
                old: draft.old.map(Payload::Value),
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
        let mut plans = Vec::new();
        let mut deviations = Vec::new();
        let deviant = choices.chance(100_usize.saturating_sub(self.settings.clean_percent.into()), 100);
        let mut count = usize::from(deviant && self.settings.most_deviations > 0);
        while count > 0 && count < self.settings.most_deviations && choices.chance(1, 3) {
            count += 1;
        }
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
                let mode = if update { choices.pick(modes).copied().unwrap_or(Mode::Changed) } else { Mode::Created };
                plans.push(Plan { rule, class, other: None, mode, switched_off: false });
            } else {
                let targets = [Target::New, Target::New, Target::New, Target::Both, Target::Both, Target::Old];
                let target = if update { choices.pick(&targets).copied() } else { None };
                deviations.push(Deviation { target: target.unwrap_or(Target::New), rule });
            }
        }
        self.draft(if update { Operation::Update } else { Operation::Create }, &plans, &deviations, choices)
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
        plans: &[Plan],
        deviations: &[Deviation],
        choices: &mut Choices<'_, '_>,
    ) -> Draft {
        let mut draft = Draft {
            object: self.base(choices),
            old: None,
            planted: Vec::with_capacity(plans.len()),
            deviations: 0,
            unchanged: operation == Operation::Update,
            note: String::new(),
        };
        let update = operation == Operation::Update;
        if update && !choices.chance(1, 64) {
            self.store(&mut draft.object);
        }
        let deviator = Deviator { soil: self.soil(), quiet: &self.settings.quiet };
        let mut sites = Vec::with_capacity(plans.len());
        for plan in plans {
            if let (Some(rule), Some(Some(place))) = (self.rules.get(plan.rule), self.places.get(plan.rule)) {
                sites.push((plan, rule, place, deviator.soil.locate(&mut draft.object, self.root, place, choices)));
            }
        }
        for deviation in deviations.iter().filter(|deviation| deviation.target == Target::Both) {
            separate(&mut draft.note);
            self.deviate(&deviator, &mut draft.object, deviation.rule, choices, &mut draft.note);
            draft.note.push_str(" (both)");
            draft.deviations += 1;
        }
        if update {
            draft.old = Some(draft.object.clone());
        }
        for (plan, rule, place, site) in &sites {
            self.plant(&mut draft, plan, rule, place, site, choices);
        }
        for deviation in deviations {
            let (object, label) = match (deviation.target, &mut draft.old) {
                (Target::Both, _) => continue,
                (Target::Old, Some(old)) => (old, " (old)"),
                _ => (&mut draft.object, if update { " (new)" } else { "" }),
            };
            separate(&mut draft.note);
            self.deviate(&deviator, object, deviation.rule, choices, &mut draft.note);
            draft.note.push_str(label);
            draft.deviations += 1;
            draft.unchanged = false;
        }
        // A systematic update shows its class and nothing else, unless it is to be kept beside a change.
        let beside = plans.iter().any(|plan| plan.mode == Mode::KeptBeside);
        let free = update && draft.planted.is_empty() && choices.chance(1, 2);
        if beside || free {
            if let Some(what) = edit(&mut draft.object, choices) {
                separate(&mut draft.note);
                draft.note.push_str(what);
            } else {
                separate(&mut draft.note);
                self.deviate(&deviator, &mut draft.object, None, choices, &mut draft.note);
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
        rule: Option<usize>,
        choices: &mut Choices<'_, '_>,
        note: &mut String,
    ) {
        let placed = rule.and_then(|rule| Some((self.rules.get(rule)?, self.places.get(rule)?.as_ref()?)));
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

    fn plant(
        &self,
        draft: &mut Draft,
        plan: &Plan,
        rule: &Rule,
        place: &Place,
        site: &[Step<'_>],
        choices: &mut Choices<'_, '_>,
    ) {
        let Some(boundary) = rule.boundaries.get(plan.class) else { return };
        let soil = self.soil();
        let value_of = |class: usize, current: Option<&Value>| match &rule.boundaries.get(class)?.sample {
            Sample::Absent => None,
            Sample::Value(sample) => soil.fit(place, Some(sample), current),
            Sample::Beside(sample) => soil.fit(place, Some(&Value::Object(sample.clone())), current),
        };
        let current = get(&draft.object, site).cloned();
        let planted = value_of(plan.class, current.as_ref());
        // What the other side of an update holds, where what was there would make no difference.
        let other = |choices: &mut Choices<'_, '_>| {
            if plan.other.is_none() && current != planted {
                return current.clone();
            }
            let apart = |class: &usize| value_of(*class, current.as_ref()) != planted;
            let different = (0..rule.boundaries.len()).filter(apart);
            let class = plan.other.or_else(|| {
                different.min_by_key(|class| rule.boundaries.get(*class).is_none_or(|boundary| boundary.breaks))
            });
            match class {
                Some(class) => value_of(class, current.as_ref()),
                None if planted.is_some() => None,
                None => Some(soil.grow(place.ty, super::rules::At::NOWHERE, "", 4, choices)),
            }
        };
        match (plan.mode, &mut draft.old) {
            (Mode::Kept | Mode::KeptBeside, Some(old)) => {
                put(old, site, planted.clone());
                put(&mut draft.object, site, planted);
            }
            (Mode::Mended, Some(old)) => {
                let new = other(choices);
                put(&mut draft.object, site, new);
                put(old, site, planted);
            }
            (Mode::Appeared, Some(old)) if site.len() > 1 => {
                let parents = 1 + choices.below(site.len() - 1);
                put(old, site.get(..parents).unwrap_or(site), None);
                put(&mut draft.object, site, planted);
            }
            (Mode::Reordered, Some(old)) if planted.as_ref().is_some_and(Value::is_array) => {
                let mut before = planted.clone();
                before.as_mut().and_then(Value::as_array_mut).into_iter().for_each(|items| items.reverse());
                put(old, site, before);
                put(&mut draft.object, site, planted);
            }
            (_, Some(old)) => {
                let before = other(choices);
                put(old, site, before);
                put(&mut draft.object, site, planted);
            }
            (_, None) => put(&mut draft.object, site, planted),
        }
        draft.unchanged &= matches!(plan.mode, Mode::Kept | Mode::KeptBeside);
        separate(&mut draft.note);
        for part in [rule.path.as_str(), " ", rule.chain.as_str(), ": ", boundary.class.as_str()] {
            draft.note.push_str(part);
        }
        if plan.mode != Mode::Created {
            draft.note.push_str(" (");
            draft.note.push_str(plan.mode.name());
            draft.note.push(')');
        }
        // A default is set before the rule is asked.
        let breaks = boundary.breaks && !rule.after_default;
        draft.planted.push(Planted { rule: rule.id, class: plan.class, mode: plan.mode, breaks });
    }
}

/// Writes version and kind into an object whose type has them.
fn identify<'m>(object: &mut Value, settings: &Settings, mut members: impl Iterator<Item = &'m str>) {
    let Some(fields) = as_object(object) else { return };
    if members.any(|name| name == "kind") {
        fields.insert("apiVersion".to_owned(), Value::from(settings.subject.api_version.as_str()));
        fields.insert("kind".to_owned(), Value::from(settings.subject.kind.as_str()));
    }
}

fn separate(note: &mut String) {
    if !note.is_empty() {
        note.push_str("; ");
    }
}

/// The cases of one chunk.
#[derive(Debug)]
pub struct Chunk<'g> {
    generator: &'g Generator,
    random: ChaCha8Rng,
    number: u64,
    next: u64,
}

impl Iterator for Chunk<'_> {
    type Item = GeneratedCase;

    fn next(&mut self) -> Option<GeneratedCase> {
        let generator = self.generator;
        if self.next >= generator.settings.chunk_size {
            return None;
        }
        let index = self.next;
        self.next += 1;
        let mut bytes = [0_u8; Generator::STREAM];
        self.random.fill_bytes(&mut bytes);
        let mut source = Unstructured::new(&bytes);
        let place = self.number.checked_mul(generator.settings.chunk_size).and_then(|first| first.checked_add(index));
        let plan = place.and_then(|place| generator.plans.get(usize::try_from(place).ok()?));
        Some(generator.finish(plan, self.number, index, &mut Choices::new(&mut source)))
    }
}
