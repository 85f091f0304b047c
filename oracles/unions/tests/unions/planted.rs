//! Faults planted into normalisation: each is found by comparing objects, at the field that it spoils.

#![expect(clippy::unwrap_used, reason = "tests may stop at the first surprise")]

use serde_json::{Map, Value, json};
use std::collections::BTreeSet;
use takeover_unions::play::{Normalise, Played, Treatment};
use takeover_unions::{Discriminator, Member, Origin, Selected, Union, normalise};

fn union() -> Union {
    let member = |name: &str| Member {
        name: name.to_lowercase(),
        value: name.to_owned(),
        optional: name == "C",
        zero_is_unset: false,
    };
    Union {
        owner: "Thing".to_owned(),
        name: String::new(),
        origin: Origin::Kep,
        members: ["A", "B", "C"].map(member).to_vec(),
        discriminator: Some(Discriminator {
            name: "kind".to_owned(),
            values: ["A", "B", "C", "E", ""].map(str::to_owned).to_vec(),
            default: None,
        }),
        may_be_empty: true,
    }
}

/// Every struct: each value of the discriminator, one that it does not have, and each set of members.
fn structs() -> Vec<Value> {
    let mut made = Vec::new();
    for kind in ["A", "B", "C", "E", "", "X"] {
        for set in 0_u8..8 {
            let members = ["a", "b", "c"].into_iter().enumerate().filter(|(at, _)| set & (1 << at) != 0);
            let mut of: Map<String, Value> = members.map(|(at, name)| (name.to_owned(), json!(at + 1))).collect();
            of.insert("kind".to_owned(), json!(kind));
            of.insert("other".to_owned(), json!(true));
            made.push(Value::Object(of));
        }
    }
    made
}

/// Where a faulty normalisation of one request differs from the right one: the fields.
fn differing_in(fault: Normalise, old: Option<&Value>, new: &Value) -> BTreeSet<String> {
    let union = union();
    let (mut right, mut wrong) = (new.clone(), new.clone());
    normalise(&union, old, &mut right);
    fault(&union, old, &mut wrong);
    let names = right.as_object().into_iter().chain(wrong.as_object()).flat_map(Map::keys);
    names.filter(|name| right.get(*name) != wrong.get(*name)).cloned().collect()
}

/// The same over all pairs of an object before and a request.
fn differing(fault: Normalise) -> BTreeSet<String> {
    let structs = structs();
    let olds = std::iter::once(None).chain(structs.iter().map(Some));
    let pairs = olds.flat_map(|old| structs.iter().map(move |new| (old, new)));
    pairs.flat_map(|(old, new)| differing_in(fault, old, new)).collect()
}

/// The struct before, and in the request.
type Request = (Option<Value>, Value);

/// A request of a client that selected `a` before and sends `kind`, with all members.
fn switching(kind: &str) -> Request {
    (Some(json!({"kind": "A", "a": 1})), json!({"kind": kind, "a": 1, "b": 2, "c": 3, "other": true}))
}

fn keep_only(union: &Union, new: &mut Value, kept: impl Fn(&str) -> bool) {
    new.as_object_mut().unwrap().retain(|name, _| union.member(name).is_none() || kept(name));
}

fn changed<'v>(union: &'v Union, old: Option<&'v Value>, new: &'v Value) -> Option<(Selected<'v>, &'v str)> {
    let discriminator = union.discriminator.as_ref()?;
    let (before, after) = (discriminator.of(old?), discriminator.of(new));
    (before != after).then(|| (union.selected(after), before))
}

/// The member that a request selects newly; none if nothing is to be cleared.
fn kept(union: &Union, old: Option<&Value>, new: &Value) -> Option<Option<String>> {
    match changed(union, old, new)?.0 {
        Selected::Member(member) => Some(Some(member.name.clone())),
        Selected::Nothing => Some(None),
        Selected::Unknown => None,
    }
}

#[test]
fn ten_planted_faults_differ_at_the_members_that_they_spoil() {
    let faults: [(&str, Request, &[&str], Normalise, &[&str]); 10] = [
        ("a change of the discriminator is ignored", switching("B"), &["a", "c"], |_, _, _| {}, &["a", "b", "c"]),
        (
            "the selected member is cleared, and the others are kept",
            switching("B"),
            &["a", "b", "c"],
            |union, old, new| {
                let Some(Some(kept)) = kept(union, old, new) else { return normalise(union, old, new) };
                new.as_object_mut().unwrap().remove(&kept);
            },
            &["a", "b", "c"],
        ),
        (
            "the member that was selected before is kept, too",
            switching("B"),
            &["a"],
            |union, old, new| {
                let Some((_, before)) = changed(union, old, new) else { return };
                let before = union.members.iter().find(|of| of.value == before).map(|of| of.name.clone());
                let Some(kept) = kept(union, old, new) else { return };
                keep_only(union, new, |name| Some(name) == kept.as_deref() || Some(name) == before.as_deref());
            },
            &["a", "b", "c"],
        ),
        (
            "an unchanged discriminator clears, too",
            switching("A"),
            &["b", "c"],
            |union, old, new| {
                let chosen = union.discriminator.as_ref().unwrap().of(new).to_owned();
                match (old, union.selected(&chosen)) {
                    (Some(_), Selected::Member(member)) => keep_only(union, new, |name| name == member.name),
                    _ => normalise(union, old, new),
                }
            },
            &["a", "b", "c"],
        ),
        (
            "the none value clears nothing",
            switching(""),
            &["a", "b", "c"],
            |union, old, new| {
                if new.get("kind") != Some(&json!("")) {
                    normalise(union, old, new);
                }
            },
            &["a", "b", "c"],
        ),
        (
            "an empty member clears nothing",
            switching("E"),
            &["a", "b", "c"],
            |union, old, new| {
                if new.get("kind") != Some(&json!("E")) {
                    normalise(union, old, new);
                }
            },
            &["a", "b", "c"],
        ),
        (
            "an unknown value clears everything",
            switching("X"),
            &["a", "b", "c"],
            |union, old, new| match changed(union, old, new) {
                Some((Selected::Unknown, _)) => keep_only(union, new, |_| false),
                _ => normalise(union, old, new),
            },
            &["a", "b", "c"],
        ),
        (
            "members are cleared on create",
            (None, switching("B").1),
            &["a", "c"],
            |union, old, new| {
                let nothing = json!({"kind": "no value"});
                normalise(union, Some(old.unwrap_or(&nothing)), new);
            },
            &["a", "b", "c"],
        ),
        (
            "the last member is not cleared",
            switching("B"),
            &["c"],
            |union, old, new| {
                let last = new.get("c").cloned();
                normalise(union, old, new);
                if let Some(last) = last {
                    new.as_object_mut().unwrap().insert("c".to_owned(), last);
                }
            },
            &["c"],
        ),
        (
            "fields that are no members are cleared with them",
            switching("B"),
            &["other"],
            |union, old, new| {
                if kept(union, old, new).is_some() {
                    new.as_object_mut().unwrap().remove("other");
                }
                normalise(union, old, new);
            },
            &["other"],
        ),
    ];
    let named = |fields: &[&str]| fields.iter().map(|name| (*name).to_owned()).collect::<BTreeSet<String>>();
    for (fault, (old, new), of_request, planted, fields) in faults {
        assert_eq!(differing_in(planted, old.as_ref(), &new), named(of_request), "{fault}: {new}");
        assert_eq!(differing(planted), named(fields), "{fault}");
    }
    assert_eq!(differing(normalise), BTreeSet::new());
}

/// Cells with a discriminator whose outcome is another one with a faulty server.
fn spoilt(fault: Normalise) -> usize {
    let of = json!({"type": "object", "properties": {"size": {"type": "integer"}}});
    let schema = json!({"type": "object", "properties": {"kind": {"type": "string"}, "a": of, "b": of, "c": of}});
    let right = Played::of_schema(&schema, &union(), "c").unwrap();
    let wrong = Played::of_schema(&schema, &union(), "c").unwrap().with_normalise(fault);
    let cells = right.cells().into_iter().filter(|cell| cell.treatment == Treatment::With);
    cells.filter(|cell| right.play(cell).unwrap().after != wrong.play(cell).unwrap().after).count()
}

#[test]
fn a_server_that_ignores_the_discriminator_is_found_by_the_cells_and_a_sound_one_is_not() {
    assert!(spoilt(|_, _, _| {}) > 0);
    assert!(spoilt(|union, old, new| keep_only(union, new, |_| old.is_none())) > 0);
    assert_eq!(spoilt(normalise), 0);
}
