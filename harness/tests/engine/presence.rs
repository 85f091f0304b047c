//! Candidates that do not say which rules they reach: a rule counts where its field is present.

use crate::fakes::{COUNT, create, field, form, gathered_of, judged, only, pair, plain, rules_with_minimum, strangers};
use serde_json::{Value, json};
use takeover_harness::case::{Case, Operation};
use takeover_harness::error::ErrorType;
use takeover_harness::evidence::Evidence;
use takeover_harness::form::Form;
use takeover_harness::judge::{Judge, Judgement, Outcome};
use takeover_harness::oracle::{Answer, Oracle, Question};
use takeover_harness::pair::Pair;
use takeover_harness::rule::{ErrorShape, Rule, RuleId};
use takeover_harness::schema::{Kind, Schema, Struct};
use takeover_harness::subject::SubjectId;

/// `v1 Nest { kind, apiVersion string; limit *int32; items []Item; byName map[string]Item; grid [][]Item;
/// lists map[string][]Item; alias Items }`, `Item { name string; inner *Inner }`, `Inner { value string }` and `type Items
/// []Item`.
fn nest() -> Form {
    let mut schema = Schema::new();
    let text = schema.add("string", Kind::Text);
    let int32 = schema.add("int32", Kind::Int { bits: 32, signed: true });
    let limit = schema.add("*int32", Kind::Pointer(int32));
    let inner = schema.add("Inner", Kind::Struct(Struct::new(vec![field("value", text)])));
    let inner = schema.add("*Inner", Kind::Pointer(inner));
    let item = schema.add("Item", Kind::Struct(Struct::new(vec![field("name", text), field("inner", inner)])));
    let items = schema.add("[]Item", Kind::List(item));
    let by_name = schema.add("map[string]Item", Kind::Map { key: text, value: item });
    let grid = schema.add("[][]Item", Kind::List(items));
    let lists = schema.add("map[string][]Item", Kind::Map { key: text, value: items });
    let alias = schema.add("Items", Kind::Named(items));
    let fields = [
        ("kind", text),
        ("apiVersion", text),
        ("limit", limit),
        ("items", items),
        ("byName", by_name),
        ("grid", grid),
        ("lists", lists),
        ("alias", alias),
    ];
    let root = schema.add("Nest", Kind::Struct(Struct::new(fields.map(|(name, ty)| field(name, ty)).into())));
    schema.link();
    form(schema, root)
}

fn silent() -> Box<dyn Oracle> {
    Box::new(|_: &Question<'_>, _: &mut Answer| {})
}

/// Rules at these places.
fn with_rules(paths: &[&str]) -> Pair {
    let rules = (0..).map(RuleId).zip(paths).map(|(id, path)| Rule::new(id, *path, "required"));
    Pair { rules: rules.collect(), ..Pair::new(SubjectId::new("v1", "Nest"), nest(), silent(), silent()) }
}

/// Whether a rule at this place is reached.
fn reaches(path: &str, object: Value, old: Option<Value>) -> bool {
    let mut case = create(object);
    if let Some(old) = old {
        case = Case { operation: Operation::Update, old: Some(old.into()), ..case };
    }
    let (verdict, bench) = judged(&with_rules(&[path]), &case);
    assert_eq!(verdict, Judgement::Compared(Outcome::AgreedAccept));
    bench.candidate.reached.contains(RuleId(0))
}

#[test]
fn a_rule_is_reached_where_its_field_is_present_at_any_depth() {
    let item = |object: Value| json!([{"name": "a"}, object]);
    let deep = json!({"name": "b", "inner": {"value": "v"}});
    for (path, object, reached) in [
        ("", json!({"kind": "Nest"}), true),
        ("kind", json!({}), false),
        ("kind", json!({"kind": "Nest"}), true),
        ("limit", json!({}), false),
        ("limit", json!({"limit": null}), false),
        ("limit", json!({"limit": 0}), true),
        ("items", json!({"items": []}), true),
        ("items[*]", json!({"items": []}), false),
        ("items[*]", json!({"items": [{"name": "a"}]}), true),
        ("items[*].name", json!({"items": [{"name": "a"}]}), true),
        ("items[*].inner", json!({"items": [{"name": "a"}]}), false),
        ("items[*].inner", json!({"items": item(json!({"inner": {}}))}), true),
        ("items[*].inner.value", json!({"items": item(json!({"inner": {}}))}), false),
        ("items[*].inner.value", json!({"items": item(deep.clone())}), true),
        ("byName[*]", json!({"byName": {}}), false),
        ("byName[*].name", json!({"byName": {"a.b": {"name": "n"}}}), true),
        ("byName[*].inner.value", json!({"byName": {"a": {"name": "n"}, "b": deep}}), true),
        ("byName[*].inner.value", json!({"byName": {"a": {"name": "n"}}}), false),
        ("grid[*][*].inner.value", json!({"grid": [[], [{"name": "a"}, deep]]}), true),
        ("grid[*][*].inner", json!({"grid": [[], [{"name": "a"}]]}), false),
        ("lists[*][*].name", json!({"lists": {"a": [], "b": [deep]}}), true),
        ("lists[*][*]", json!({"lists": {"a": []}}), false),
        ("alias[*].name", json!({"alias": [{"name": "a"}]}), true),
        ("items", json!({"byName": {"items": {"name": "a"}}}), false),
        // What the types do not have is never there.
        ("items[*].other", json!({"items": [{"name": "a"}]}), false),
        ("limit[*]", json!({"limit": 1}), false),
    ] {
        assert_eq!(reaches(path, object.clone(), None), reached, "{path} of {object}");
    }
}

#[test]
fn on_an_update_either_object_may_have_the_field() {
    let (with, without) = (json!({"limit": 1}), json!({}));
    for (new, old, reached) in
        [(&with, &with, true), (&with, &without, true), (&without, &with, true), (&without, &without, false)]
    {
        assert_eq!(reaches("limit", new.clone(), Some(old.clone())), reached, "{new} after {old}");
    }
}

#[test]
fn evidence_says_that_rules_are_reached_by_presence_and_merges_with_no_other() {
    let pair_of = with_rules(&["limit", "items[*].name"]);
    assert!(Judge::new(&pair_of).reaches_by_presence());
    let cases = [json!({}), json!({"limit": 1}), json!({"limit": 2, "items": [{"name": "a"}]})].map(create);
    let evidence = gathered_of(&pair_of, cases);
    let of = only(&evidence);
    assert!(of.reached_by_presence());
    let counts = |rule| {
        let counts = of.rule(Operation::Create, rule);
        (counts.compared, counts.agreed_accept, counts.not_reached)
    };
    assert_eq!([counts(RuleId(0)), counts(RuleId(1))], [(2, 2, 1), (1, 1, 2)]);
    let text = evidence.to_json().unwrap();
    let file: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(file["subjects"][0]["reachedByPresence"], true);
    assert_eq!(Evidence::from_json(&text).unwrap(), evidence);
    // A candidate that says which rules it reaches is believed.
    let saying = pair(silent(), rules_with_minimum(0));
    assert!(!Judge::new(&saying).reaches_by_presence());
    let said = gathered_of(&saying, [create(json!({"name": "n"}))]);
    assert!(!only(&said).reached_by_presence());
    assert_eq!(
        only(&said).rule(Operation::Create, COUNT).agreed_accept,
        1,
        "the count is not there, and the rule looked"
    );
}

#[test]
fn errors_of_a_candidate_that_names_no_rules_are_laid_to_those_that_report_the_like() {
    let reports = vec![ErrorShape { error_type: ErrorType::Invalid, field: "count".into(), origin: "minimum".into() }];
    let errs = || {
        Box::new(|question: &Question<'_>, answer: &mut Answer| match crate::fakes::count(question) {
            1 => answer.push(plain(ErrorType::Invalid, "count")),
            2 => answer.push(plain(ErrorType::Required, "count")),
            _ => {}
        })
    };
    let rules = || vec![Rule { reports: reports.clone(), ..Rule::new(COUNT, "count", "minimum=0") }];
    for (pair, value, outcome) in [
        (strangers(silent(), errs()), 1, Some(Outcome::Extra)),
        (strangers(errs(), silent()), 1, Some(Outcome::Missing)),
        (strangers(errs(), errs()), 1, Some(Outcome::AgreedReject)),
        (strangers(silent(), errs()), 2, None),
    ] {
        let pair = Pair { rules: rules(), ..pair };
        let evidence = gathered_of(&pair, [crate::fakes::counting(value)]);
        let counts = only(&evidence).rule(Operation::Create, COUNT);
        let found = [
            (Outcome::Extra, counts.extra),
            (Outcome::Missing, counts.missing),
            (Outcome::AgreedReject, counts.agreed_reject),
        ];
        let found: Vec<Outcome> =
            found.into_iter().filter(|(_, count)| *count == 1).map(|(outcome, _)| outcome).collect();
        assert_eq!(found, outcome.into_iter().collect::<Vec<_>>(), "{value}");
        assert_eq!(counts.compared, 1);
    }
}
