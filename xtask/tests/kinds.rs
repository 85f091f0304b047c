//! Laws that hold for objects of every kind of the shipped types, and what judging valid ones costs in allocations.

#![expect(clippy::unwrap_used, reason = "helpers of tests stop at the first surprise")]

use proptest::prelude::*;
use serde_json::Value;
use std::fmt;
use std::num::NonZeroUsize;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU64, Ordering};
use takeover_corpora::generate::{ArenaChunk, Generator, GeneratorSettings};
use takeover_engine::bench::custom::Widget;
use takeover_harness::case::{Case, Operation, Options, Payload, Provenance};
use takeover_harness::catalogue::Catalogue as _;
use takeover_harness::error::FieldError;
use takeover_harness::evidence::{CasePlace, Evidence, PairEvidence};
use takeover_harness::form::{Defaulter, Sent};
use takeover_harness::judge::{CaseRecord, Judge};
use takeover_harness::object::{
    Arena, Edit, FieldValidation, KnownChanges, Node, Tree, from_bytes, from_tree_beside, from_tree_with,
    from_value_with,
};
use takeover_harness::oracle::{Answer, Objects, Oracle as _, Question, View};
use takeover_harness::pair::Pair;
use takeover_harness::runner::{Base, Budget, CaseSource, Cases, Chunk, Input, Part, Run, Steering};
use takeover_harness::schema::{Kind, Presence, Schema, TypeId};
use takeover_harness::side::Side;
use takeover_harness::subject::SubjectId;
use takeover_oracles::declarative::Declarative;
use takeover_oracles::registry::Registry;

static REGISTRY: LazyLock<Registry> = LazyLock::new(|| Registry::of_builtin().unwrap());

/// A kind with what judges and makes its objects.
struct Judged {
    id: SubjectId,
    root: TypeId,
    oracle: Declarative,
    generator: Generator,
    /// None if it is a type of subresources alone.
    pair: Option<Pair>,
    /// The same without the steps of a request: both sides are asked about decoded objects with their defaults.
    defaulted: Option<Pair>,
}

/// Every kind that has rules.
static KINDS: LazyLock<Vec<Judged>> = LazyLock::new(|| {
    let judged = REGISTRY.kinds().iter().map(|kind| {
        let id = SubjectId::new(kind.api_version.as_str(), kind.kind.as_str());
        let (root, oracle) = REGISTRY.candidate(&id).unwrap();
        let settings = GeneratorSettings::new(id.clone(), 0);
        let generator = Generator::new(REGISTRY.schema().clone(), root, oracle.rules(), Vec::new(), settings);
        let pair = REGISTRY.pair(&id.clone().into()).ok();
        let mut defaulted = REGISTRY.pair(&id.clone().into()).ok();
        defaulted.iter_mut().for_each(|pair| pair.form.strategy = None);
        assert!(pair.is_some() || !oracle.subresources().is_empty(), "{id} is judged by nobody");
        Judged { id, root, oracle, generator, pair, defaulted }
    });
    judged.filter(|kind| !kind.oracle.rules().is_empty()).collect()
});

impl fmt::Debug for Judged {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.id)
    }
}

impl Judged {
    /// The case at a place.
    fn case<'a>(&'a self, (index, seed): (u64, u64), arena: &'a Arena) -> Case<'a> {
        self.generator.case_in(index / 1024, seed, index % 1024, arena).unwrap().case
    }

    /// The errors of an object; none when it does not decode.
    fn errors(&self, options: &Options, new: &str, old: Option<&str>) -> Option<Vec<FieldError>> {
        let arena = Arena::new();
        let decode = |text: &str| -> Option<Node<'_>> {
            from_bytes(REGISTRY.schema(), self.root, arena.alloc_str(text).as_bytes(), &arena).ok()
        };
        let old = match old {
            Some(old) => Some(decode(old)?),
            None => None,
        };
        let mut answer = Answer::new();
        let question = question(self.root, decode(new)?, old, options);
        // Types of subresources alone are served under nothing else.
        let subresource = self.oracle.subresources().first().map_or("", |path| path.trim_start_matches('/'));
        // A nil pointer that Go would follow shows as an error in the list.
        let _ = self.oracle.answer(&Question { subresource, ..question }, &View::none(), &mut answer);
        Some(answer.errors.into_vec())
    }
}

fn question<'a>(root: TypeId, new: Node<'a>, old: Option<Node<'a>>, options: &'a Options) -> Question<'a> {
    Question {
        operation: if old.is_some() { Operation::Update } else { Operation::Create },
        objects: Objects { schema: REGISTRY.schema(), root, new, old, sent: None },
        options,
        subresource: "",
    }
}

/// A kind and the place of a case of it: every class of every rule comes up, and random cases beyond.
fn place() -> impl Strategy<Value = (&'static Judged, (u64, u64))> {
    (any::<prop::sample::Index>(), any::<u64>(), any::<prop::sample::Index>()).prop_map(|(kind, seed, index)| {
        let kind = kind.get(KINDS.as_slice());
        let planned = usize::try_from(kind.generator.systematic_len()).unwrap();
        (kind, (u64::try_from(index.index(planned + 256)).unwrap(), seed))
    })
}

/// A kind and a case of it.
fn case() -> impl Strategy<Value = (&'static Judged, Case<'static>)> {
    place().prop_map(|(kind, place)| (kind, kind.case(place, &Arena::new()).kept()))
}

/// The objects that both sides are asked about, and what they answer.
fn made<'a>(pair: &'a Pair, case: &'a Case<'a>, known: &Sent<'a>, arena: &'a Arena) -> Result<String, String> {
    let prepared = pair.prepare_beside(case, known, arena).map_err(|unprepared| unprepared.to_string())?;
    let answers = Side::ALL.map(|side| answer(pair, side, &prepared.question, prepared.views.of(side)));
    let Objects { new, old, .. } = prepared.question.objects;
    let (sent, dropped) = (prepared.sent.object(), prepared.sent.dropped());
    Ok(format!("{new:?} {old:?} {sent:?} {dropped} {answers:?}"))
}

/// What a side answers.
fn answer(pair: &Pair, side: Side, question: &Question<'_>, view: &View<'_>) -> (Result<(), String>, Vec<FieldError>) {
    let mut answer = Answer::new();
    let given = pair.oracle(side).answer(question, view, &mut answer);
    (given.map_err(|failure| failure.to_string()), answer.errors.into_vec())
}

/// The object with one change, at a place that `at` picks: a member or an item less, an item twice, or another text. It may stay as it is
/// where a list or object is empty.
fn varied<'a>(object: &Payload<'a>, at: usize, arena: &'a Arena) -> Payload<'a> {
    assert!(matches!(object, Payload::Tree(_)), "no tree: {object:?}");
    Payload::from(vary(&object.to_tree(arena).unwrap(), at, arena))
}

fn vary<'a>(tree: &Tree<'a>, at: usize, arena: &'a Arena) -> Tree<'a> {
    match tree {
        Tree::Object(members) if !members.is_empty() => {
            let mut members = members.to_change(arena);
            let place = at % members.len();
            let name = members.nth(place).map(|(name, _)| name).unwrap();
            match members.nth_mut(place) {
                Some((_, inner)) if !at.is_multiple_of(7) => *inner = vary(inner, at / 2, arena),
                _ => _ = members.remove(name),
            }
            members.into()
        }
        Tree::Array(items) if !items.is_empty() => {
            let place = at % items.len();
            let copy = *items.get(place).unwrap();
            let mut items = Tree::to_change(items, arena);
            match at % 5 {
                0 => _ = items.remove(place),
                1 => items.push(copy),
                2 => items.insert(0, copy),
                _ => *items.get_mut(place).unwrap() = vary(&copy, at / 3, arena),
            }
            items.into()
        }
        Tree::Object(_) | Tree::Array(_) => *tree,
        _ => Tree::from("other"),
    }
}

fn texts(case: &Case, change: impl Fn(&Value) -> String) -> (String, Option<String>) {
    let text = |payload: &Payload| change(&payload.to_value().unwrap());
    (text(&case.object), case.old.as_ref().map(text))
}

/// `value` of type `ty` with a `null` for every field that its structs do not have.
fn with_nulls(value: &Value, ty: TypeId) -> Value {
    let schema = REGISTRY.schema();
    match (schema.native(ty).1, value) {
        (Kind::Pointer(inner), _) => with_nulls(value, *inner),
        (Kind::List(element), Value::Array(items)) => items.iter().map(|item| with_nulls(item, *element)).collect(),
        (Kind::Map { value: of, .. }, Value::Object(entries)) => {
            let entries = entries.iter().map(|(key, value)| (key.clone(), with_nulls(value, *of)));
            Value::Object(entries.collect())
        }
        (Kind::Struct(fields), Value::Object(given)) => {
            let mut all = given.clone();
            for (name, value) in &mut all {
                if let Some(member) = fields.member(name) {
                    *value = with_nulls(value, member.ty);
                }
            }
            let mut structs = vec![fields];
            while let Some(fields) = structs.pop() {
                for field in &fields.fields {
                    match field.presence {
                        Presence::Named => drop(all.entry(field.json_name.to_string()).or_insert(Value::Null)),
                        Presence::Inlined => structs.extend(schema.as_struct(field.ty).map(|(_, inner)| inner)),
                        Presence::Hidden => {}
                    }
                }
            }
            Value::Object(all)
        }
        _ => value.clone(),
    }
}

/// The JSON text with the keys of every object in reverse order.
fn reversed(value: &Value) -> String {
    match value {
        Value::Object(entries) => {
            let entries =
                entries.iter().rev().map(|(key, value)| format!("{}:{}", Value::from(&**key), reversed(value)));
            format!("{{{}}}", entries.collect::<Vec<_>>().join(","))
        }
        Value::Array(items) => format!("[{}]", items.iter().map(reversed).collect::<Vec<_>>().join(",")),
        other => other.to_string(),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(2_000) })]

    #[test]
    fn an_update_that_changes_nothing_has_no_errors((kind, case) in case()) {
        let (text, _) = texts(&case, Value::to_string);
        if let Some(errors) = kind.errors(&case.options, &text, Some(&text)) {
            prop_assert!(errors.is_empty(), "{:?}", errors);
        }
    }

    #[test]
    fn what_the_objects_of_an_update_share_decodes_as_what_they_do_not((kind, place) in place()) {
        let trees = Arena::new();
        let case = kind.case(place, &trees);
        if case.operation == Operation::Create {
            return Ok(());
        }
        let (Payload::Tree(new), Some(Payload::Tree(old))) = (&case.object, &case.old) else {
            panic!("objects that share nothing: {case:?}")
        };
        let plain = old.to_value();
        for validation in [FieldValidation::Strict, FieldValidation::Warn] {
            let (arena, schema) = (Arena::new(), REGISTRY.schema());
            let alone = from_value_with(schema, kind.root, &plain, validation, &arena);
            let Ok(known) = from_tree_with(schema, kind.root, new, validation, &arena) else { continue };
            let beside = from_tree_beside(schema, kind.root, old, (new, &known), validation, &arena);
            prop_assert_eq!(format!("{beside:?}"), format!("{alone:?}"));
        }
    }

    #[test]
    fn variants_are_made_beside_a_case_as_they_are_alone((kind, place) in place(), at in 0..1_000_usize) {
        let Some(pair) = &kind.pair else { return Ok(()) };
        let arena = Arena::new();
        let case = kind.case(place, &arena);
        // What does not decode is known to nobody.
        let Ok(known) = pair.prepare(&case, &arena).map(|prepared| prepared.sent) else { return Ok(()) };
        let old = &case.old;
        for (object, old) in [
            (varied(&case.object, at, &arena), old.clone()),
            (case.object.clone(), old.as_ref().map(|old| varied(old, at, &arena))),
            (old.clone().unwrap_or_else(|| case.object.clone()), old.clone()),
            (case.object.clone(), old.clone()),
        ] {
            let variant = Case { object, old, ..case.clone() };
            let apart = |payload: &Payload| Payload::from(payload.to_value().unwrap());
            let alone = Case { object: apart(&variant.object), old: variant.old.as_ref().map(apart), ..case.clone() };
            prop_assert_eq!(made(pair, &variant, &known, &arena), made(pair, &alone, &Sent::default(), &arena));
        }
    }

    #[test]
    fn objects_from_text_are_those_that_share_nothing((kind, case) in case()) {
        let Some(pair) = &kind.defaulted else { return Ok(()) };
        let text = |payload: &Payload| Payload::Json(payload.to_value().unwrap().to_string().into_bytes().into());
        let case = Case { object: text(&case.object), old: case.old.as_ref().map(text), ..case };
        let arena = Arena::new();
        let Ok(prepared) = pair.prepare(&case, &arena) else { return Ok(()) };
        let decode = |payload| pair.decode(payload, &arena).unwrap();
        let alone = Objects { new: decode(&case.object), old: case.old.as_ref().map(decode), ..prepared.question.objects };
        let nodes = |Objects { new, old, .. }: Objects<'_>| format!("{new:?} {old:?}");
        prop_assert_eq!(nodes(prepared.question.objects), nodes(alone));
        for side in Side::ALL {
            let view = pair.oracle(side).view(&alone, &arena).unwrap();
            let shared = answer(pair, side, &prepared.question, prepared.views.of(side));
            prop_assert_eq!(shared, answer(pair, side, &Question { objects: alone, ..prepared.question }, &view));
        }
    }

    #[test]
    fn judging_twice_null_for_absence_and_the_order_of_keys_make_no_difference((kind, case) in case()) {
        let of = |(new, old): (String, Option<String>)| kind.errors(&case.options, &new, old.as_deref());
        let plain = of(texts(&case, Value::to_string));
        prop_assert_eq!(&of(texts(&case, Value::to_string)), &plain, "judged twice");
        prop_assert_eq!(&of(texts(&case, reversed)), &plain, "keys reversed");
        if plain.is_some() {
            prop_assert_eq!(&of(texts(&case, |value| with_nulls(value, kind.root).to_string())), &plain, "with nulls");
        }
    }
}

/// The cases of a generator, which name the objects that they were made from, or do not.
struct Source<'g> {
    generator: &'g Generator,
    names_bases: bool,
}

struct SourceChunk<'g> {
    made: ArenaChunk<'g>,
    names_bases: bool,
}

impl CaseSource for Source<'_> {
    fn chunk_len(&self) -> u64 {
        1024
    }

    fn cases<'c>(&'c self, chunk: Chunk, arena: &'c Arena) -> Box<dyn Cases<'c> + 'c> {
        let made = self.generator.chunk(chunk.number, chunk.seed).in_arena(arena);
        Box::new(SourceChunk { made, names_bases: self.names_bases })
    }
}

impl<'g> Cases<'g> for SourceChunk<'g> {
    fn next<'a>(&mut self, arena: &'a Arena) -> Option<Input<'a>>
    where
        'g: 'a,
    {
        self.made.next(arena)
    }

    fn ahead(&self) -> u64 {
        self.made.ahead()
    }

    fn field(&self) -> u64 {
        self.made.field()
    }

    fn base(&self) -> Option<&Base<'g>> {
        self.made.base().filter(|_| self.names_bases)
    }

    fn keep(&mut self, index: u64) {
        self.made.keep(index);
    }
}

fn evidence(pair: &Pair, source: Source<'_>, cases: u64) -> Evidence {
    let judges = [Judge::new(pair)];
    let steering = Steering { stop: &|| false, progress: &|_| () };
    let run = Run::new(&judges, NonZeroUsize::MIN).with_controls();
    run.generated(&source, 7, Budget::Cases(cases), Part::default(), steering).unwrap().evidence
}

#[test]
fn cases_are_judged_beside_the_objects_that_they_were_made_from_as_they_are_alone() {
    for Judged { id, generator, pair, .. } in KINDS.iter() {
        let Some(pair) = pair else { continue };
        let [beside, alone] =
            [true, false].map(|names_bases| evidence(pair, Source { generator, names_bases }, 192).to_json().unwrap());
        assert!(beside == alone, "{id}: the evidence differs");
    }
}

/// How often the defaults of pod specs were set.
static SET: AtomicU64 = AtomicU64::new(0);

/// Sets a default in the pod specs of ReplicationControllers, and counts how often.
struct CountedDefaults;

impl Defaulter for CountedDefaults {
    fn apply<'a>(&self, schema: &'a Schema, root: TypeId, object: Node<'a>, arena: &'a Arena) -> Node<'a> {
        let known = arena.alloc(KnownChanges::default());
        self.apply_beside(schema, root, object, known, arena)
    }

    fn apply_beside<'a>(
        &self,
        schema: &'a Schema,
        root: TypeId,
        object: Node<'a>,
        known: &'a KnownChanges<'a>,
        arena: &'a Arena,
    ) -> Node<'a> {
        let mut object = Edit::new(schema, arena, root, object).beside(known);
        object.edit("spec", |spec| {
            spec.edit("template", |template| {
                template.edit_alone("spec", |spec| {
                    SET.fetch_add(1, Ordering::Relaxed);
                    spec.set_default_text("restartPolicy", "Always");
                });
            });
        });
        object.finish()
    }
}

#[test]
fn the_objects_that_cases_are_made_from_are_defaulted_once_a_chunk() {
    let text = include_str!("../../engine/src/bench/objects/replicationcontroller.json");
    let mut pair = REGISTRY.pair(&SubjectId::new("v1", "ReplicationController").into()).unwrap();
    pair.form.defaulter = Some(Box::new(CountedDefaults));
    let generator = &Generator::of(&pair, vec![serde_json::from_str(text).unwrap()], 7);
    let [beside, alone] = [true, false].map(|names_bases| {
        SET.store(0, Ordering::Relaxed);
        evidence(&pair, Source { generator, names_bases }, 1024);
        SET.load(Ordering::Relaxed)
    });
    // The others have a pod spec of their own.
    assert!(beside * 3 < alone * 2, "{beside} times, {alone} without");
}

#[test]
fn the_objects_of_an_update_share_what_is_equal_in_their_texts_or_values() {
    let text = include_str!("../../engine/src/bench/objects/replicationcontroller.json");
    let pair = REGISTRY.pair(&SubjectId::new("v1", "ReplicationController").into()).unwrap();
    let stored: Value = serde_json::from_str(text).unwrap();
    let mut sent = stored.clone();
    sent["spec"]["replicas"] = 7.into();
    let of_text: fn(&Value) -> Payload = |value| Payload::Json(value.to_string().into_bytes().into());
    for payload in [of_text, |value: &Value| Payload::from(value.clone())] {
        let old = Some(payload(&stored));
        let (operation, options) = (Operation::Update, Options::new());
        let provenance = Provenance::File { path: "replicationcontroller.json".into(), document: 1, line: 1 };
        let case = Case { operation, object: payload(&sent), old, options, provenance };
        let arena = Arena::new();
        let Objects { schema, root, new, old, .. } = pair.prepare(&case, &arena).unwrap().question.objects;
        let [new, old] = [Some(new), old].map(|object| {
            let spec = schema.as_struct(root).unwrap().1.member("spec").unwrap();
            let template = schema.as_struct(spec.ty).unwrap().1.member("template").unwrap();
            object.unwrap().member(&spec.slots).member(&template.slots)
        });
        assert!(new.is_shared(&old) && !new.is_unset());
    }
}

#[test]
fn the_laws_meet_objects_that_decode_with_and_without_errors() {
    let (mut valid, mut invalid) = (0, 0);
    for kind in KINDS.iter() {
        for generated in kind.generator.chunk(0, 1).take(64) {
            let (new, old) = texts(&generated.case, Value::to_string);
            match kind.errors(&generated.case.options, &new, old.as_deref()) {
                Some(errors) if errors.is_empty() => valid += 1,
                Some(_) => invalid += 1,
                None => {}
            }
        }
    }
    assert!(KINDS.len() > 20 && valid > 300 && invalid > 300, "{} kinds, {valid}, {invalid}", KINDS.len());
}

#[test]
fn judging_valid_objects_allocates_nothing() {
    let rows = [
        ("v1", "ReplicationController", include_str!("../../engine/src/bench/objects/replicationcontroller.json")),
        (
            "certificates.k8s.io/v1",
            "CertificateSigningRequest",
            include_str!("../../engine/src/bench/objects/certificatesigningrequest.json"),
        ),
        ("resource.k8s.io/v1", "ResourceClaim", include_str!("../../engine/src/bench/objects/resourceclaim.json")),
    ];
    let (arena, options) = (Arena::new(), Options::new());
    for (api_version, kind, text) in rows {
        let (root, oracle) = REGISTRY.candidate(&SubjectId::new(api_version, kind)).unwrap();
        let decode = || from_bytes(REGISTRY.schema(), root, text.as_bytes(), &arena).unwrap();
        for old in [None, Some(decode())] {
            let question = question(root, decode(), old, &options);
            let mut answer = Answer::new();
            let mut judge = || {
                answer.clear();
                oracle.answer(&question, &View::none(), &mut answer).unwrap();
                assert!(answer.errors.is_empty(), "{kind}: {:?}", answer.errors.as_slice());
            };
            judge();
            let measured = allocation_counter::measure(|| (0..10).for_each(|_| judge()));
            assert_eq!(measured.count_total, 0, "{kind}, {:?}: {measured:?}", question.operation);
        }
    }
}

#[test]
fn from_bytes_to_evidence_a_valid_object_allocates_nothing_once_memory_is_warm() {
    let text = include_str!("../../engine/src/bench/objects/replicationcontroller.json");
    let id = SubjectId::new("v1", "ReplicationController");
    let subject = REGISTRY.pair(&id.into()).unwrap();
    let judge = Judge::new(&subject);
    let payload = Payload::Json(text.as_bytes().into());
    let case = |operation, old| Case {
        operation,
        object: payload.clone(),
        old,
        options: Options::new(),
        provenance: Provenance::File { path: "replicationcontroller.json".into(), document: 1, line: 1 },
    };
    let mut stored: Value = serde_json::from_str(text).unwrap();
    stored["spec"]["replicas"] = 7.into();
    let stored = Payload::Json(stored.to_string().into_bytes().into());
    for old in [None, Some(payload.clone()), Some(stored)] {
        let case = case(if old.is_some() { Operation::Update } else { Operation::Create }, old);
        let (mut arena, mut record, mut evidence) = (Arena::new(), CaseRecord::new(), PairEvidence::of(&judge));
        let mut round = || {
            let verdict = judge.case(&case, &mut arena, &mut record);
            assert_eq!(record.mismatches(), 0);
            evidence.record(CasePlace::default(), &case, &verdict, &record);
        };
        // Memory comes in pieces that double, until one holds a whole case.
        (0..4).for_each(|_| round());
        let measured = allocation_counter::measure(|| (0..10).for_each(|_| round()));
        assert_eq!(measured.count_total, 0, "{}: {measured:?}", case.operation);
        let counts = &evidence.operation(case.operation).counts;
        assert_eq!((counts.compared, counts.agreed_accept), (14, 14), "{}", case.operation);
    }
}

#[test]
fn judging_a_custom_resource_again_and_again_keeps_no_memory() {
    let widget = Widget::new().unwrap();
    let judge = Judge::new(widget.pair());
    let (mut arena, mut record, mut evidence) = (Arena::new(), CaseRecord::new(), PairEvidence::of(&judge));
    let mut round = |times: usize| {
        for _ in 0..times {
            let verdict = judge.case(widget.case(), &mut arena, &mut record);
            assert!(!record.candidate.rejects(), "{:?}", record.candidate.errors.as_slice());
            evidence.record(CasePlace::default(), widget.case(), &verdict, &record);
        }
    };
    round(5);
    let few = allocation_counter::measure(|| round(10));
    let many = allocation_counter::measure(|| round(40));
    assert_eq!((few.bytes_current, many.bytes_current), (0, 0), "{few:?} {many:?}");
    assert_eq!(few.bytes_max, many.bytes_max, "{few:?} {many:?}");
    assert_eq!(4 * few.count_total, many.count_total, "{few:?} {many:?}");
}
