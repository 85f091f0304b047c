//! A pair of objects: what each side makes of the object that it is given, value by value.

use crate::fakes::{field, form, gathered_of, judged, only};
use serde_json::{Value, json};
use takeover_harness::case::{Case, Operation};
use takeover_harness::compare::{Comparator, ComparedBy, Difference, Direction, Signature, Unset};
use takeover_harness::error::ErrorType;
use takeover_harness::evidence::Evidence;
use takeover_harness::form::Form;
use takeover_harness::judge::{Judgement, Outcome, RuleMark};
use takeover_harness::object::to_value;
use takeover_harness::oracle::{Answer, Decision, Oracle, Precision, Question, WithPrecision};
use takeover_harness::pair::{Delegated, Pair};
use takeover_harness::readiness::{CausePolicy, ReadinessPolicy, Treat, assess_pair};
use takeover_harness::rule::{Rule, RuleId};
use takeover_harness::schema::{Field, Kind, ListType, Schema, Struct, WellKnown};
use takeover_harness::side::BySide;
use takeover_harness::subject::SubjectId;

/// A default of `count`.
const COUNT: RuleId = RuleId(0);
/// A default of the value of every item.
const ITEM: RuleId = RuleId(1);
/// A default of every label.
const LABEL: RuleId = RuleId(2);

/// `v1 Made { kind, apiVersion, name string; count int32; list []Item; labels map[string]string; ref *Item;
/// limits map[string]Quantity; at Time }`, and `Item { name, value string }`.
pub(crate) fn made() -> Form {
    let mut schema = Schema::new();
    let text = schema.add("string", Kind::Text);
    let int32 = schema.add("int32", Kind::Int { bits: 32, signed: true });
    let item = schema.add("Item", Kind::Struct(Struct::new(vec![field("name", text), field("value", text)])));
    let list = schema.add("[]Item", Kind::List(item));
    let labels = schema.add("map[string]string", Kind::Map { key: text, value: text });
    let reference = schema.add("*Item", Kind::Pointer(item));
    let quantity = schema.add("Quantity", Kind::WellKnown(WellKnown::Quantity));
    let limits = schema.add("map[string]Quantity", Kind::Map { key: text, value: quantity });
    let at = schema.add("Time", Kind::WellKnown(WellKnown::Time));
    let fields = [
        ("kind", text),
        ("apiVersion", text),
        ("name", text),
        ("count", int32),
        ("list", list),
        ("labels", labels),
        ("ref", reference),
        ("limits", limits),
        ("at", at),
    ];
    let texts = schema.add("[]string", Kind::List(text));
    let whole = schema.add("*int32", Kind::Pointer(int32));
    let grid = schema.add("[][]string", Kind::List(texts));
    let shelves = schema.add("map[string][]Item", Kind::Map { key: text, value: list });
    let more =
        [("keyed", list), ("tags", texts), ("steps", texts), ("limit", whole), ("grid", grid), ("shelves", shelves)];
    let fields = fields.into_iter().chain(more).map(|(name, ty)| field(name, ty));
    let written = Field { omit_empty: false, ..field("written", texts) };
    let root = schema.add("Made", Kind::Struct(Struct::new(fields.chain([written]).collect())));
    schema.set_list_type(root, "keyed", ListType::Map(vec!["name".to_owned()]));
    schema.set_list_type(root, "tags", ListType::Set);
    schema.set_list_types(root, "grid", vec![ListType::Atomic, ListType::Set]);
    schema.set_list_types(root, "shelves", vec![ListType::Atomic, ListType::Map(vec!["name".to_owned()])]);
    schema.link();
    form(schema, root)
}

/// Makes an object of the one that it is given.
fn maker(make: impl Fn(&mut Value) + Send + Sync + 'static) -> Box<dyn Oracle> {
    Box::new(WithPrecision(Precision::OBJECTS, move |question: &Question<'_>, answer: &mut Answer| {
        let objects = &question.objects;
        let mut object = to_value(objects.schema, objects.root, &objects.new);
        make(&mut object);
        answer.object = Some(object);
    }))
}

/// Puts these members into the object.
fn putting(members: Value) -> Box<dyn Oracle> {
    maker(move |object| object.as_object_mut().unwrap().extend(members.as_object().unwrap().clone()))
}

/// An oracle of objects that says this.
fn saying(says: impl Fn(&mut Answer) + Send + Sync + 'static) -> Box<dyn Oracle> {
    Box::new(WithPrecision(Precision::OBJECTS, move |_: &Question<'_>, answer: &mut Answer| says(answer)))
}

fn pair(reference: Box<dyn Oracle>, candidate: Box<dyn Oracle>) -> Pair {
    let rules = [(COUNT, "count"), (ITEM, "list[*].value"), (LABEL, "labels[*]")];
    Pair {
        rules: rules.map(|(id, path)| Rule::new(id, path, "default=x")).into(),
        ..Pair::new(SubjectId::new("v1", "Made"), made(), reference, candidate)
    }
}

fn create(object: Value) -> Case<'static> {
    crate::fakes::create(object)
}

/// The differences of two makers, as text.
fn between(unset: Unset, reference: Value, candidate: Value) -> Vec<String> {
    let pair = Pair { comparator: Comparator::Objects { unset }, ..pair(putting(reference), putting(candidate)) };
    let (_, bench) = judged(&pair, &create(json!({})));
    bench.differences.iter().map(|difference| format!("{} {}", difference.direction, difference.what)).collect()
}

#[test]
fn oracles_that_make_objects_are_compared_by_value() {
    let comparator = Comparator::between(Precision::OBJECTS, Precision::OBJECTS);
    assert_eq!(comparator.name(), ComparedBy::Objects { unset: Unset::Told });
}

#[test]
fn objects_may_be_compared_as_kubernetes_takes_values_for_equal() {
    for (reference, candidate, differs) in [
        (json!({"limits": {"cpu": "500m"}}), json!({"limits": {"cpu": "0.5"}}), false),
        (json!({"limits": {"cpu": "500m"}}), json!({"limits": {"cpu": "501m"}}), true),
        (json!({"limits": {"cpu": "0"}}), json!({"limits": {}}), true),
        (json!({"at": "2026-01-01T01:00:00Z"}), json!({"at": "2026-01-01T02:00:00+01:00"}), false),
        (json!({"list": [], "labels": {}, "name": ""}), json!({}), false),
        (json!({"list": [{"name": "a", "value": ""}]}), json!({"list": [{"name": "a"}]}), false),
        (json!({"list": [{}]}), json!({"list": []}), true),
        (json!({"labels": {"a": ""}}), json!({"labels": {}}), true),
        (json!({"ref": {}}), json!({}), true),
        (json!({"name": "a", "more": []}), json!({"name": "a"}), true),
    ] {
        let found = between(Unset::Empty, reference.clone(), candidate.clone());
        assert_eq!(!found.is_empty(), differs, "{reference} {candidate}: {found:?}");
        assert!(!between(Unset::Distinct, reference.clone(), candidate.clone()).is_empty(), "{reference} {candidate}");
    }
}

/// The differences of two makers that tell what sets nothing apart: direction, place and cause.
fn told(reference: Value, candidate: Value) -> Vec<String> {
    let (_, bench) = judged(&pair(putting(reference), putting(candidate)), &create(json!({})));
    let cause = |of: &Difference| of.cause.map_or_else(|| "-".to_owned(), |cause| cause.to_string());
    bench.differences.iter().map(|of| format!("{} {} {}", of.direction, of.what.field(), cause(of))).collect()
}

#[test]
fn null_empty_and_absent_values_are_told_apart_unless_go_writes_them_alike() {
    for (reference, candidate, expected) in [
        (json!({"count": null}), json!({}), vec!["missing count null-or-absent"]),
        (json!({"labels": {"a": null}}), json!({"labels": {}}), vec!["missing labels[a] null-or-absent"]),
        (json!({"other": null}), json!({}), vec!["missing other null-or-absent"]),
        (json!({"written": []}), json!({}), vec!["differs written empty-or-absent"]),
        (json!({}), json!({"ref": {}}), vec!["extra ref empty-or-absent"]),
        (json!({"ref": null}), json!({"ref": {}}), vec!["differs ref empty-or-absent"]),
        // Go's omitempty writes none of these.
        (json!({"list": [], "labels": {}, "name": "", "count": 0}), json!({}), vec![]),
        (json!({"list": [{"name": "a", "value": ""}]}), json!({"list": [{"name": "a"}]}), vec![]),
        // What a pointer leads to is a value, and so is an entry of a map.
        (json!({"limit": 0}), json!({}), vec!["missing limit -"]),
        (json!({}), json!({"labels": {"a": ""}}), vec!["extra labels -"]),
        (json!({"labels": {"a": ""}}), json!({"labels": {"b": "1"}}), vec!["missing labels[a] -", "extra labels[b] -"]),
        (json!({"limits": {"cpu": "500m"}}), json!({"limits": {"cpu": "0.5"}}), vec![]),
        (json!({"limits": {"cpu": "500m"}}), json!({"limits": {"cpu": "501m"}}), vec!["differs limits[cpu] -"]),
    ] {
        assert_eq!(told(reference.clone(), candidate.clone()), expected, "{reference} {candidate}");
    }
}

#[test]
fn order_counts_by_the_type_of_a_list() {
    let item = |name: &str, value: &str| json!({"name": name, "value": value});
    for (reference, candidate, expected) in [
        (json!({"tags": ["a", "b"]}), json!({"tags": ["b", "a"]}), vec![]),
        // Go reads null among texts as the empty one.
        (json!({"tags": [null, "a"]}), json!({"tags": ["a", ""]}), vec![]),
        (
            json!({"keyed": [item("b", "3"), item("a", "1"), item("a", "2")]}),
            json!({"keyed": [item("a", "2"), item("a", "1"), item("b", "3")]}),
            vec![],
        ),
        (
            json!({"tags": ["a", "b", "c"]}),
            json!({"tags": ["c", "d", "a"]}),
            vec!["missing tags[1] -", "extra tags[1] -"],
        ),
        (
            json!({"keyed": [item("a", "1"), item("b", "2")]}),
            json!({"keyed": [item("b", "2"), item("a", "1")]}),
            vec![],
        ),
        (json!({"keyed": [{"value": "1"}]}), json!({"keyed": [item("", "1")]}), vec![]),
        (
            json!({"keyed": [item("a", "1"), item("b", "2")]}),
            json!({"keyed": [item("b", "3"), item("c", "1")]}),
            vec!["missing keyed[0] -", "differs keyed[1].value -", "extra keyed[1] -"],
        ),
        // Two items with one key are told apart by their position.
        (
            json!({"keyed": [item("a", "1"), item("a", "2")]}),
            json!({"keyed": [item("a", "1"), item("a", "3")]}),
            vec!["differs keyed[1].value -"],
        ),
        // Lists inside lists and maps have types of their own.
        (json!({"grid": [["a", "b"], ["c"]]}), json!({"grid": [["b", "a"], ["c"]]}), vec![]),
        (
            json!({"grid": [["a", "b"]]}),
            json!({"grid": [["b", "c"]]}),
            vec!["missing grid[0][0] -", "extra grid[0][1] -"],
        ),
        (json!({"grid": [["a"], ["c"]]}), json!({"grid": [["c"], ["a"]]}), vec!["differs grid order"]),
        (
            json!({"shelves": {"x": [item("a", "1"), item("b", "2")]}}),
            json!({"shelves": {"x": [item("b", "3"), item("a", "1")]}}),
            vec!["differs shelves[x][1].value -"],
        ),
        (json!({"steps": ["a", "b"]}), json!({"steps": ["b", "a"]}), vec!["differs steps order"]),
        (json!({"steps": ["a", "b"]}), json!({"steps": ["b", "c"]}), vec!["differs steps[0] -", "differs steps[1] -"]),
        (
            json!({"list": [item("a", "1"), item("b", "2")]}),
            json!({"list": [item("b", "2"), item("a", "1")]}),
            vec!["differs list order"],
        ),
    ] {
        assert_eq!(told(reference.clone(), candidate.clone()), expected, "{reference} {candidate}");
    }
}

#[test]
fn null_against_absent_is_tolerated_and_empty_and_order_block() {
    for (reference, candidate, ready) in [
        (json!({"count": null}), json!({}), true),
        (json!({"written": []}), json!({}), false),
        (json!({"steps": ["a", "b"]}), json!({"steps": ["b", "a"]}), false),
    ] {
        let (said, causes) = {
            let pair = pair(putting(reference.clone()), putting(candidate));
            let evidence = gathered_of(&pair, (0..20).map(|at| create(json!({"name": format!("n{at}")}))));
            let create = only(&evidence).operation(Operation::Create);
            let found: Vec<Signature> = create.signatures.keys().cloned().collect();
            let policy = CausePolicy::default();
            (found.iter().all(|of| policy.of(of).0 == Treat::Tolerate), found.len())
        };
        assert_eq!((said, causes), (ready, 1), "{reference}");
    }
}

#[test]
fn each_place_that_differs_is_told_with_both_values() {
    let said = |direction: &str, path: &str, reference: &str, candidate: &str| {
        format!("{direction} {path}: {reference} in the reference, {candidate} in the candidate")
    };
    let items = json!({"list": [{"name": "a"}, {"name": "b", "value": "v"}]});
    for (reference, candidate, expected) in [
        (json!({"count": 1}), json!({"count": 1}), vec![]),
        (json!({"count": 1}), json!({}), vec![said("missing", "count", "1", "unset")]),
        (json!({}), json!({"name": "n"}), vec![said("extra", "name", "unset", "\"n\"")]),
        (json!({"count": 1}), json!({"count": 2}), vec![said("differs", "count", "1", "2")]),
        (json!({"count": 1}), json!({"count": "1"}), vec![said("differs", "count", "1", "\"1\"")]),
        (
            json!({"count": 1, "name": "n"}),
            json!({"count": 2, "ref": {}}),
            vec![
                said("differs", "count", "1", "2"),
                said("missing", "name", "\"n\"", "unset"),
                said("extra", "ref", "unset", "{}"),
            ],
        ),
        (
            items.clone(),
            json!({"list": [{"name": "c"}, {"name": "b"}, {}]}),
            vec![
                said("differs", "list[0].name", "\"a\"", "\"c\""),
                said("missing", "list[1].value", "\"v\"", "unset"),
                said("extra", "list[2]", "unset", "{}"),
            ],
        ),
        (
            items,
            json!({"list": []}),
            vec![
                said("missing", "list[0]", "{\"name\":\"a\"}", "unset"),
                said("missing", "list[1]", "{\"name\":\"b\",\"value\":\"v\"}", "unset"),
            ],
        ),
        (
            json!({"labels": {"a.b/c": "1", "d": "2"}}),
            json!({"labels": {"a.b/c": "3", "e": "4"}}),
            vec![
                said("differs", "labels[a.b/c]", "\"1\"", "\"3\""),
                said("missing", "labels[d]", "\"2\"", "unset"),
                said("extra", "labels[e]", "unset", "\"4\""),
            ],
        ),
        (
            json!({"ref": {"name": "a", "value": "b"}}),
            json!({"ref": {"name": "x"}}),
            vec![said("differs", "ref.name", "\"a\"", "\"x\""), said("missing", "ref.value", "\"b\"", "unset")],
        ),
        // Members that no type knows are fields still.
        (json!({"other": {"a": [1]}}), json!({"other": {"a": [2]}}), vec![said("differs", "other.a[0]", "1", "2")]),
        (json!({"ref": {"name": "a"}}), json!({"ref": "a"}), vec![said("differs", "ref", "{\"name\":\"a\"}", "\"a\"")]),
    ] {
        for unset in [Unset::Told, Unset::Distinct] {
            assert_eq!(between(unset, reference.clone(), candidate.clone()), expected, "{unset:?}");
        }
    }
}

#[test]
fn null_and_absence_are_distinct_in_a_patch() {
    for (reference, candidate, expected) in [
        (json!({"count": null}), json!({}), "missing count: null in the reference, unset in the candidate"),
        (json!({}), json!({"count": null}), "extra count: unset in the reference, null in the candidate"),
        (
            json!({"labels": {"a": null}}),
            json!({"labels": {}}),
            "missing labels[a]: null in the reference, unset in the candidate",
        ),
        (json!({"count": null}), json!({"count": 1}), "differs count: null in the reference, 1 in the candidate"),
    ] {
        assert_eq!(between(Unset::Distinct, reference, candidate), [expected]);
    }
}

#[test]
fn the_worst_direction_is_that_of_the_case() {
    for (reference, candidate, outcome) in [
        (json!({"count": 1}), json!({"count": 2}), Outcome::Differs),
        (json!({"count": 1}), json!({"count": 2, "name": "n"}), Outcome::Differs),
        (json!({}), json!({"name": "n"}), Outcome::Extra),
        (json!({"count": 1, "name": "m"}), json!({"count": 2}), Outcome::Missing),
    ] {
        let pair = pair(putting(reference), putting(candidate));
        assert_eq!(judged(&pair, &create(json!({}))).0, Judgement::Compared(outcome));
    }
}

#[test]
fn a_change_that_both_make_is_agreed_and_laid_to_the_rule_at_its_place() {
    let fill = || {
        maker(|object| {
            let object = object.as_object_mut().unwrap();
            object.entry("count").or_insert(json!(3));
            for item in object.get_mut("list").and_then(Value::as_array_mut).into_iter().flatten() {
                item.as_object_mut().unwrap().entry("value").or_insert(json!("x"));
            }
        })
    };
    let pair = pair(fill(), fill());
    let agreed = RuleMark::Compared(Outcome::AgreedReject);
    for (object, outcome, marks) in [
        (json!({"count": 1}), Outcome::AgreedAccept, vec![]),
        (json!({"list": []}), Outcome::AgreedReject, vec![(COUNT, agreed)]),
        (json!({"count": 1, "list": [{"value": "v"}, {}]}), Outcome::AgreedReject, vec![(ITEM, agreed)]),
        (json!({"list": [{}]}), Outcome::AgreedReject, vec![(COUNT, agreed), (ITEM, agreed)]),
    ] {
        let (verdict, bench) = judged(&pair, &create(object.clone()));
        assert_eq!((verdict, bench.marks()), (Judgement::Compared(outcome), marks.as_slice()), "{object}");
        assert_eq!((bench.comparable, bench.incomparable), (BySide { reference: 1, candidate: 1 }, BySide::default()));
    }
}

#[test]
fn a_difference_is_laid_to_the_rule_at_its_place() {
    let reference = putting(json!({"count": 1, "list": [{"name": "a", "value": "x"}], "labels": {"k": "v"}}));
    let candidate = putting(json!({"count": 2, "list": [{"name": "b"}], "labels": {"k": "v", "l": "w"}}));
    let (_, bench) = judged(&pair(reference, candidate), &create(json!({})));
    let rules: Vec<(String, Vec<RuleId>)> =
        bench.differences.iter().map(|of| (of.what.field().to_owned(), of.rules.clone())).collect();
    let laid = |path: &str, rules: &[RuleId]| (path.to_owned(), rules.to_vec());
    let expected = [
        laid("count", &[COUNT]),
        laid("labels[l]", &[LABEL]),
        laid("list[0].name", &[]),
        laid("list[0].value", &[ITEM]),
    ];
    assert_eq!(rules, expected);
    let compared = RuleMark::Compared;
    assert_eq!(
        bench.marks(),
        [(COUNT, compared(Outcome::Differs)), (ITEM, compared(Outcome::Missing)), (LABEL, compared(Outcome::Extra)),]
    );
}

#[test]
fn an_oracle_that_makes_no_object_and_does_not_reject_cannot_be_compared() {
    let silent = || saying(|_| {});
    for (pair, incomparable) in [
        (pair(putting(json!({"count": 1})), silent()), BySide { reference: 0, candidate: 1 }),
        (pair(silent(), putting(json!({}))), BySide { reference: 1, candidate: 0 }),
        (pair(silent(), silent()), BySide { reference: 1, candidate: 1 }),
    ] {
        let (verdict, bench) = judged(&pair, &create(json!({"count": 2})));
        assert_eq!(verdict, Judgement::Compared(Outcome::Incomparable));
        assert_eq!(bench.incomparable, incomparable);
        assert!(bench.differences.is_empty());
        assert_eq!(bench.marks(), [(COUNT, RuleMark::SetAside)], "the rule that is reached by presence");
        let evidence = gathered_of(&pair, (0..300).map(|_| create(json!({}))));
        let assessed = assess_pair(only(&evidence), &ReadinessPolicy::default(), &[]);
        assert_eq!(assessed.verdict.to_string(), "INSUFFICIENT");
        assert!(assessed.verdict.reasons().iter().any(|reason| reason.contains("300 of 300 answers of the")));
    }
}

#[test]
fn a_rejection_is_compared_with_a_rejection_and_not_with_an_object() {
    let rejecting = || saying(|answer| answer.decision = Some(Decision::Reject("no".into())));
    let erring = || saying(|answer| answer.push(crate::fakes::plain(ErrorType::Invalid, "count")));
    let making = || putting(json!({"count": 1}));
    for (pair, outcome, said) in [
        (pair(rejecting(), erring()), Outcome::AgreedReject, None),
        (pair(rejecting(), making()), Outcome::Missing, Some("no")),
        (pair(making(), erring()), Outcome::Extra, Some("count: Invalid value: 1: bad")),
    ] {
        let (verdict, bench) = judged(&pair, &create(json!({})));
        assert_eq!(verdict, Judgement::Compared(outcome));
        let reasons: Vec<String> = bench.differences.iter().map(|of| of.what.to_string()).collect();
        assert_eq!(reasons.first().map(String::as_str), said);
    }
}

#[test]
fn findings_of_values_are_grouped_by_place_and_direction_and_read_back() {
    let reference = putting(json!({"count": 1, "labels": {"a": "1", "b": "2"}}));
    let candidate = putting(json!({"count": 2, "labels": {"c": "3"}}));
    let evidence = gathered_of(&pair(reference, candidate), [create(json!({})), create(json!({"name": "n"}))]);
    let create = only(&evidence).operation(Operation::Create);
    let counts = create.counts;
    assert_eq!((counts.missing, counts.extra, counts.differs), (2, 0, 0), "a case counts once");
    assert_eq!((counts.missing_errors, counts.extra_errors, counts.differing_values, counts.mismatches), (4, 2, 2, 8));
    let found: Vec<(String, u64, u64)> =
        create.signatures.iter().map(|(signature, of)| (signature.to_string(), of.cases, of.errors)).collect();
    assert_eq!(
        found,
        [
            ("v1 Made create new missing - Value labels[*] -".to_owned(), 2, 4),
            ("v1 Made create new extra - Value labels[*] -".to_owned(), 2, 2),
            ("v1 Made create new differs - Value count -".to_owned(), 2, 2),
        ]
    );
    for (signature, of) in &create.signatures {
        assert_eq!(signature.to_string().parse::<Signature>().as_ref(), Ok(signature));
        assert_eq!(of.smallest.case.object, json!({}));
    }
    let text = evidence.to_json().unwrap();
    assert_eq!(Evidence::from_json(&text).unwrap(), evidence);
    let file: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(file["subjects"][0]["comparedBy"], json!({"objects": {"unset": "told"}}));
    assert_eq!(file["subjects"][0]["create"]["signatures"][2]["what"], "value");
    assert_eq!(file["subjects"][0]["create"]["signatures"][2]["direction"], "differs");
}

#[test]
fn delegated_places_are_not_compared() {
    let delegated = vec![Delegated { path: "labels".into(), reason: "somebody else's".into() }];
    let pair = |reference: Value, candidate: Value| Pair {
        delegated: delegated.clone(),
        ..pair(putting(reference), putting(candidate))
    };
    let apart = pair(json!({"labels": {"a": "1"}}), json!({"labels": {"a": "2"}, "count": 4}));
    let (verdict, bench) = judged(&apart, &create(json!({})));
    assert_eq!(verdict, Judgement::Compared(Outcome::Extra));
    assert_eq!(bench.differences.iter().map(|of| of.what.field()).collect::<Vec<_>>(), ["count"]);
}

#[test]
fn sides_that_make_different_objects_are_blocked_and_those_that_make_the_same_are_ready() {
    let cases = || (0..400).map(|at| create(if at % 4 == 0 { json!({}) } else { json!({"count": at}) }));
    let fill = |value: i64| {
        maker(move |object| {
            object.as_object_mut().unwrap().entry("count").or_insert(json!(value));
        })
    };
    let keep = || maker(|_| {});
    for (pair, verdict, reason) in [
        (pair(fill(1), fill(1)), "READY", "300 of 100 agreed accepts"),
        (pair(fill(1), fill(2)), "BLOCKED", "100 cases in which the two sides set different values, on create"),
        (pair(fill(1), keep()), "BLOCKED", "100 cases in which only the reference sets a value or rejects, on create"),
        (pair(keep(), fill(1)), "BLOCKED", "100 cases in which only the candidate sets a value or rejects, on create"),
    ] {
        let evidence = gathered_of(&pair, cases());
        let said = assess_pair(only(&evidence), &ReadinessPolicy::default(), &[]).verdict;
        assert_eq!((said.to_string().as_str(), said.reasons()[0].as_str()), (verdict, reason));
    }
}

#[test]
fn every_direction_has_a_reverse() {
    assert_eq!(Direction::ALL.map(Direction::reversed), [Direction::Extra, Direction::Missing, Direction::Differs]);
}
