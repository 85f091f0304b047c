//! A pair with its sides exchanged finds the same, mirrored.

use crate::closures::{any_answer, any_error, scripted};
use crate::fakes::{create, gathered_of, judged, only, plain};
use crate::made_objects::made;
use proptest::prelude::*;
use serde_json::{Map, Value, json};
use takeover_harness::case::{Case, Operation};
use takeover_harness::compare::{Comparator, Direction, Unset};
use takeover_harness::error::ErrorType;
use takeover_harness::evidence::{Evidence, OperationEvidence};
use takeover_harness::judge::{Judgement, Outcome};
use takeover_harness::oracle::{Answer, Precision};
use takeover_harness::pair::Pair;
use takeover_harness::subject::SubjectId;

/// The pair of oracles that say this of objects with a list and a map.
fn saying(comparator: &Comparator, precision: Precision, answers: &[(Answer, Answer)]) -> Pair {
    let (reference, candidate): (Vec<Answer>, Vec<Answer>) = answers.iter().cloned().unzip();
    let (reference, candidate) = (scripted(precision, &reference), scripted(precision, &candidate));
    let pair = Pair::new(SubjectId::new("v1", "Made"), made(), reference, candidate);
    Pair { comparator: comparator.clone(), ..pair }
}

/// The case that gets the answers with this number.
fn counting(at: i64) -> Case<'static> {
    create(json!({ "count": at }))
}

fn evidence(pair: &Pair, answers: &[(Answer, Answer)]) -> Evidence {
    gathered_of(pair, (0..).zip(answers).map(|(at, _)| counting(at)))
}

/// The evidence file with the sides exchanged. A case counts once, where both sides are alone with something as missing: `cases`
/// says how many are missing, extra and differing then.
fn mirrored(text: &str, cases: [u64; 3]) -> String {
    let mut file: Value = serde_json::from_str(text).unwrap();
    exchange(&mut file);
    let counts = &mut file["subjects"][0]["create"]["counts"];
    for (name, count) in ["missing", "extra", "differs"].into_iter().zip(cases) {
        counts[name] = json!(count);
    }
    Evidence::from_json(&file.to_string()).unwrap().to_json().unwrap()
}

fn exchange(value: &mut Value) {
    match value {
        Value::Object(members) => {
            *members = std::mem::take(members).into_iter().map(exchanged).collect::<Map<_, _>>();
        }
        Value::Array(items) => items.iter_mut().for_each(exchange),
        _ => {}
    }
}

fn exchanged((name, mut value): (String, Value)) -> (String, Value) {
    exchange(&mut value);
    let other = |name: &str| match name {
        "missing" => "extra".to_owned(),
        "extra" => "missing".to_owned(),
        "missingErrors" => "extraErrors".to_owned(),
        "extraErrors" => "missingErrors".to_owned(),
        "reference" => "candidate".to_owned(),
        "candidate" => "reference".to_owned(),
        other => other.to_owned(),
    };
    match (name.as_str(), value.as_str()) {
        ("direction", Some(named)) => value = json!(other(named)),
        ("cause", Some("reports-less")) => value = json!("reports-more"),
        ("cause", Some("reports-more")) => value = json!("reports-less"),
        ("message", Some(message)) => {
            let sides = message
                .split_once(": ")
                .and_then(|(path, sides)| Some((path, sides.strip_suffix(" in the candidate")?)))
                .and_then(|(path, sides)| Some((path, sides.split_once(" in the reference, ")?)));
            if let Some((path, (one, two))) = sides {
                value = json!(format!("{path}: {two} in the reference, {one} in the candidate"));
            }
        }
        ("side", Some(side)) => value = json!(other(side)),
        _ => {}
    }
    (other(&name), value)
}

/// How many cases are missing, extra and differing once the sides are exchanged.
fn cases_reversed(pair: &Pair, answers: &[(Answer, Answer)]) -> [u64; 3] {
    let mut cases = [0; 3];
    for (at, _) in (0..).zip(answers) {
        let (_, bench) = judged(pair, &counting(at));
        let reversed: Vec<Direction> = bench.differences.iter().map(|of| of.direction.reversed()).collect();
        let worst =
            [Direction::Missing, Direction::Differs, Direction::Extra].into_iter().find(|of| reversed.contains(of));
        if let Some(worst) = worst {
            cases[Direction::ALL.iter().position(|of| *of == worst).unwrap()] += 1;
        }
    }
    cases
}

/// Evidence without what the reference rejected, which nobody counts of the candidate.
fn without_refused(text: &str) -> String {
    let mut file: Value = serde_json::from_str(text).unwrap();
    for operation in ["create", "update"] {
        file["subjects"][0][operation]["refused"] = json!([]);
        if let Some(of) = file["subjects"][0][operation].as_object_mut() {
            of.remove("observed");
        }
    }
    Evidence::from_json(&file.to_string()).unwrap().to_json().unwrap()
}

fn is_mirrored(
    comparator: &Comparator,
    precision: Precision,
    answers: &[(Answer, Answer)],
) -> Result<(), TestCaseError> {
    let pair = saying(comparator, precision, answers);
    let text = without_refused(&evidence(&pair, answers).to_json().unwrap());
    let cases = cases_reversed(&pair, answers);
    let reversed = without_refused(&evidence(&pair.reversed(), answers).to_json().unwrap());
    prop_assert_eq!(reversed, mirrored(&text, cases));
    let back = evidence(&saying(comparator, precision, answers).reversed().reversed(), answers).to_json().unwrap();
    let back = without_refused(&back);
    prop_assert_eq!(back, text, "exchanged twice");
    Ok(())
}

/// Any JSON of few names, so that two of them have places in common.
fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        (0..3i64).prop_map(Value::from),
        Just(json!("x")),
        any::<bool>().prop_map(Value::from)
    ];
    leaf.prop_recursive(3, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map(prop::sample::select(vec!["a", "b", "labels", "list"]), inner, 0..4)
                .prop_map(|members| members.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()),
        ]
    })
}

fn any_made() -> impl Strategy<Value = Answer> {
    let members = prop::collection::btree_map(prop::sample::select(vec!["a", "labels", "list"]), any_json(), 0..4);
    let object =
        members.prop_map(|members| members.into_iter().map(|(name, value)| (name.to_owned(), value)).collect());
    let made = object.prop_map(|object: Value| Answer { object: Some(object), ..Answer::new() });
    prop_oneof![4 => made, 1 => Just(Answer::new()), 1 => any_answer()]
}

#[test]
fn what_was_missing_is_extra_and_a_case_with_both_counts_as_missing_either_way() {
    let says = |fields: &[&str]| {
        let errors = fields.iter().map(|field| plain(ErrorType::Invalid, field));
        Answer { errors: errors.collect::<Vec<_>>().into(), ..Answer::new() }
    };
    let answers = [(says(&["a"]), says(&[])), (says(&[]), says(&["b"])), (says(&["a", "c"]), says(&["b", "c"]))];
    let fields = Comparator::Fields { origin: false };
    let pair = saying(&fields, Precision::ERRORS, &answers);
    let found = |of: &OperationEvidence| {
        let counts = of.counts;
        let signatures = of
            .signatures
            .iter()
            .map(|(signature, of)| format!("{} {} {}", signature.direction, signature.path, of.cases));
        ((counts.missing, counts.extra, counts.missing_errors, counts.extra_errors), signatures.collect::<Vec<_>>())
    };
    let of = |pair: &Pair| found(only(&evidence(pair, &answers)).operation(Operation::Create));
    assert_eq!(of(&pair), ((2, 1, 2, 2), vec!["missing a 2".to_owned(), "extra b 2".to_owned()]));
    let reversed = pair.reversed();
    assert_eq!(of(&reversed), ((2, 1, 2, 2), vec!["missing b 2".to_owned(), "extra a 2".to_owned()]));
    assert!(reversed.rules.is_empty() && reversed.controls.is_none());
    assert_eq!(judged(&reversed, &counting(0)).0, Judgement::Compared(Outcome::Extra));
}

#[test]
fn what_is_told_first_of_several_entries_does_not_depend_on_the_side() {
    let makes = |object: Value| Answer { object: Some(object), ..Answer::new() };
    let answers = [(makes(json!({"labels": {"a": "1", "b": "2"}})), makes(json!({"labels": {"b": null}})))];
    is_mirrored(&Comparator::Objects { unset: Unset::Told }, Precision::OBJECTS, &answers).unwrap();
}

#[test]
fn a_map_with_nothing_but_nulls_is_as_unset_as_an_empty_one() {
    let makes = |object: Value| Answer { object: Some(object), ..Answer::new() };
    let answers = [(makes(json!({"labels": {"a": null}})), makes(json!({"labels": {}})))];
    is_mirrored(&Comparator::Objects { unset: Unset::Empty }, Precision::OBJECTS, &answers).unwrap();
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn error_lists_are_mirrored(
        answers in prop::collection::vec((any_errors(), any_errors()), 1..6),
        origin in any::<bool>(),
    ) {
        is_mirrored(&Comparator::Fields { origin }, Precision::ERRORS, &answers)?;
    }

    #[test]
    fn error_lists_are_mirrored_word_for_word(
        answers in prop::collection::vec((any_errors(), any_errors()), 1..6),
    ) {
        is_mirrored(&Comparator::Verbatim, Precision::ERRORS, &answers)?;
    }

    #[test]
    fn decisions_are_mirrored(answers in prop::collection::vec((any_answer(), any_answer()), 1..6)) {
        is_mirrored(&Comparator::Decision, Precision::DECISIONS, &answers)?;
    }

    #[test]
    fn whatever_is_said_is_mirrored_by_fields(answers in prop::collection::vec((any_answer(), any_answer()), 1..6)) {
        is_mirrored(&Comparator::Fields { origin: true }, Precision::ERRORS, &answers)?;
    }

    #[test]
    fn objects_are_mirrored(
        answers in prop::collection::vec((any_made(), any_made()), 1..6),
        unset in prop::sample::select(vec![Unset::Told, Unset::Distinct, Unset::Empty]),
    ) {
        is_mirrored(&Comparator::Objects { unset }, Precision::OBJECTS, &answers)?;
    }
}

fn any_errors() -> impl Strategy<Value = Answer> {
    prop::collection::vec(any_error(), 0..6).prop_map(|errors| Answer { errors: errors.into(), ..Answer::new() })
}
