use super::{Ends, Field, Kind, Presence, Schema, Struct};

#[test]
fn members_are_found_by_name_also_when_names_share_a_hash() {
    let mut names: Vec<String> = (0..300).map(|at| format!("field{at}")).collect();
    names.extend(["", "a", "ab", "abc"].map(str::to_owned));
    names.extend((0..20).map(|at| format!("sameHead{at:02}sameTail")));
    let mut schema = Schema::new();
    let ty = schema.add("bool", Kind::Bool);
    let field = |name: &String| Field {
        go_name: name.as_str().into(),
        json_name: name.as_str().into(),
        ty,
        presence: Presence::Named,
        omit_empty: false,
        default: None,
    };
    let root = schema.add("T", Kind::Struct(Struct::new(names.iter().map(field).collect())));
    let empty = schema.add("E", Kind::Struct(Struct::default()));
    schema.link();
    assert_eq!(Ends::of("sameHead00sameTail"), Ends::of("sameHead01sameTail"));
    let (_, fields) = schema.as_struct(root).unwrap();
    for (slot, name) in (0..).zip(&names) {
        assert_eq!(fields.direct(name), Some(slot), "{name}");
    }
    for unknown in ["field300", "Field1", "abcd", "sameHead20sameTail"] {
        assert_eq!(fields.member(unknown), None, "{unknown}");
    }
    assert_eq!(schema.as_struct(empty).unwrap().1.member("x"), None);
}
