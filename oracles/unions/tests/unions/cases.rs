//! The cases of its test matrix from which KEP-1027 draws its conclusions, played.
//!
//! The document names them by number alone, in pairs. We read the first of a pair as the union without discriminator and the second as the
//! one with it.

#![expect(clippy::unwrap_used, clippy::panic, reason = "tests may stop at the first surprise")]

use serde_json::json;
use takeover_unions::play::{Cell, Client, Intent, Outcome, Played, Stored, Treatment, Verb, Verdict, Version};
use takeover_unions::{Discriminator, Member, Origin, Union};

fn member(name: &str, optional: bool) -> Member {
    Member { name: name.to_lowercase(), value: name.to_owned(), optional, zero_is_unset: false }
}

/// A union of `a`, `b` and `c`; the older version lacks `c`.
fn played(may_be_empty: bool, optional: bool) -> Played {
    let none = may_be_empty.then(String::new);
    let values = ["A", "B", "C"].map(str::to_owned).into_iter().chain(none).collect();
    let union = Union {
        owner: "Thing".to_owned(),
        name: String::new(),
        origin: Origin::Kep,
        members: vec![member("A", false), member("B", false), member("C", optional)],
        discriminator: Some(Discriminator { name: "kind".to_owned(), values, default: None }),
        may_be_empty,
    };
    let of = json!({"type": "object", "properties": {"size": {"type": "integer"}}});
    let schema = json!({"type": "object", "properties": {"kind": {"type": "string"}, "a": of, "b": of, "c": of}});
    Played::of_schema(&schema, &union, "c").unwrap()
}

/// The cells of a case, each with its outcome.
fn case(played: &Played, number: u8) -> Vec<(Cell, Outcome)> {
    let cells: Vec<Cell> = played.cells().into_iter().filter(|cell| cell.kep_case() == Some(number)).collect();
    assert!(!cells.is_empty(), "case {number} is not in the matrix");
    cells.into_iter().map(|cell| (cell, played.play(&cell).unwrap())).collect()
}

fn verdicts(played: &Played, number: u8) -> Vec<Verdict> {
    case(played, number).into_iter().map(|(_, outcome)| outcome.verdict).collect()
}

fn lost(what: &str) -> Verdict {
    Verdict::Lost(vec![what.to_owned()])
}

fn refused(verdict: &Verdict) -> &str {
    let Verdict::Refused(text) = verdict else { panic!("not refused: {verdict:?}") };
    text
}

#[test]
fn case_12_a_typed_client_that_echoes_the_union_drops_the_member_that_it_does_not_know() {
    for verdict in verdicts(&played(true, false), 12) {
        assert_eq!(verdict, lost("`c` is not stored"));
    }
    for verdict in verdicts(&played(false, false), 12) {
        assert_eq!(refused(&verdict), "spec: Required value: set one of `a`, `b`, `c`");
    }
}

#[test]
fn case_16_the_discriminator_of_an_echo_says_that_no_change_is_meant_and_the_loss_is_refused() {
    for may_be_empty in [true, false] {
        for verdict in verdicts(&played(may_be_empty, false), 16) {
            assert_eq!(refused(&verdict), "spec.c: Required value: must be set when `kind` is \"C\"");
        }
    }
    // What the document does not decide: a member that may be left out while it is selected looks as if it were unset on purpose.
    for verdict in verdicts(&played(true, true), 16) {
        assert_eq!(verdict, lost("`c` is not stored"));
    }
}

#[test]
fn case_22_an_untyped_client_cannot_clear_a_member_that_it_does_not_know() {
    for verdict in verdicts(&played(true, false), 22) {
        assert_eq!(verdict, lost("`c` is still stored"));
    }
}

#[test]
fn case_27_setting_the_discriminator_to_none_clears_members_that_the_client_does_not_know() {
    for (_, outcome) in case(&played(true, false), 27) {
        assert_eq!(outcome.verdict, Verdict::Kept);
        assert_eq!(outcome.after["spec"], json!({"kind": ""}));
    }
}

#[test]
fn case_23_setting_a_known_member_beside_an_unknown_one_makes_two_and_is_refused() {
    for verdict in verdicts(&played(true, false), 23) {
        assert_eq!(refused(&verdict), "spec: Invalid value: \"\": set only one of `a`, `c`");
    }
}

#[test]
fn case_28_the_server_respects_the_discriminator_and_clears_the_unknown_member() {
    for (_, outcome) in case(&played(true, false), 28) {
        assert_eq!(outcome.verdict, Verdict::Kept);
        assert_eq!(outcome.after["spec"], json!({"kind": "A", "a": {"size": 1}}));
    }
}

#[test]
fn case_34_a_server_drops_a_member_that_it_does_not_know_and_clears_the_union() {
    for (cell, outcome) in case(&played(true, false), 34) {
        let Verdict::Lost(what) = &outcome.verdict else { panic!("{cell:?}: {:?}", outcome.verdict) };
        assert!(what.contains(&"`c` is not stored".to_owned()), "{what:?}");
        assert_eq!(outcome.after["spec"], json!({}));
    }
}

#[test]
fn case_39_a_server_refuses_a_value_of_the_discriminator_that_it_does_not_know() {
    for (_, outcome) in case(&played(true, false), 39) {
        let text = "spec.kind: Unsupported value: \"C\": supported values: \"A\", \"B\", \"\"";
        assert_eq!(refused(&outcome.verdict), text);
        assert_eq!(outcome.after, outcome.before);
    }
}

#[test]
fn with_a_discriminator_nothing_is_lost_silently_and_without_one_much_is() {
    for may_be_empty in [true, false] {
        let played = played(may_be_empty, false);
        let lost = |treatment: Treatment| {
            let cells = played.cells().into_iter().filter(|cell| cell.treatment == treatment);
            let outcomes = cells.map(|cell| (cell, played.play(&cell).unwrap().verdict));
            outcomes.filter(|(_, verdict)| verdict.is_lost()).collect::<Vec<_>>()
        };
        assert!(!lost(Treatment::Without).is_empty());
        let with = lost(Treatment::With);
        assert!(with.is_empty(), "{with:#?}");
    }
}

#[test]
fn two_parties_of_the_same_new_version_lose_nothing_in_any_treatment_that_they_know() {
    let played = played(true, false);
    let same = |cell: &Cell| (cell.client_version, cell.server_version) == (Version::New, Version::New);
    for cell in played.cells().into_iter().filter(|cell| same(cell) && cell.treatment != Treatment::Unaware) {
        let outcome = played.play(&cell).unwrap();
        assert!(!outcome.verdict.is_lost(), "{cell:?}: {outcome:?}");
    }
}

#[test]
fn an_apply_without_force_gives_way_and_one_with_force_is_normalised() {
    let played = played(true, false);
    let cell = |verb| Cell {
        treatment: Treatment::With,
        client: Client::Typed,
        client_version: Version::Old,
        server_version: Version::New,
        stored: Stored::Added,
        verb,
        intent: Intent::SetKnown,
    };
    let outcome = played.play(&cell(Verb::Apply)).unwrap();
    assert_eq!(refused(&outcome.verdict), "Apply failed with 1 conflict: conflict with \"other\": .spec.kind");
    let outcome = played.play(&cell(Verb::ForceApply)).unwrap();
    assert_eq!((outcome.verdict, &outcome.after["spec"]), (Verdict::Kept, &json!({"kind": "A", "a": {"size": 1}})));
}

#[test]
fn requests_and_answers_are_those_that_were_sent() {
    let played = played(true, false);
    let (_, outcome) = case(&played, 16).remove(0);
    let requests: Vec<&str> = outcome.exchanges.iter().map(|exchange| exchange.request.as_str()).collect();
    assert_eq!(requests, ["GET", "PUT"]);
    assert_eq!(outcome.exchanges[0].answer["spec"], json!({"kind": "C", "c": {"size": 1}}));
    assert_eq!(outcome.exchanges[1].body["spec"], json!({"kind": "C"}));
}
