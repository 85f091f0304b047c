//! Requiredness, bounds, lengths, formats, enumerations, refused values.

use super::support::{Go::*, check, create, update};

const REQUIRED: &str = "Required a stops";

#[test]
fn requiredness_depends_on_the_kind_of_the_field() {
    check(&[
        create(Fields(&[("required", "a", "bool")]), r#"{"a":false}"#, &[REQUIRED]),
        create(Fields(&[("required", "a", "*bool")]), r#"{"a":false}"#, &[]),
        create(Fields(&[("required", "a", "[]string")]), r#"{"a":[]}"#, &[REQUIRED]),
        create(Fields(&[("required", "a", "[]string")]), r#"{"a":[""]}"#, &[]),
        create(Fields(&[("required", "a", "map[string]string")]), r#"{"a":{}}"#, &[REQUIRED]),
        create(Fields(&[("required", "a", "float64")]), r#"{"a":0}"#, &[REQUIRED]),
        create(With(&[("required", "a", "N")], "type N string\n"), r#"{"a":""}"#, &[REQUIRED]),
        create(With(&[("required", "a", "*T")], "type T struct {}\n"), r#"{"a":{}}"#, &[]),
        // Unchanged invalid values are left alone by the field, cleared ones are not.
        update(Fields(&[("required", "a", "string")]), r#"{"a":""}"#, "{}", &[]),
        update(Fields(&[("required", "a", "string")]), r#"{"a":"x"}"#, "{}", &[REQUIRED]),
        // A pointer to zero is set.
        create(
            Fields(&[("optional;minLength=1", "a", "*string")]),
            r#"{"a":""}"#,
            &["TooShort a origin=minLength detail=must be at least 1 character"],
        ),
        create(Fields(&[("optional;minLength=1", "a", "string")]), r#"{"a":""}"#, &[]),
        // Defaults make optional fields required, except zero defaults of values.
        create(Fields(&[("optional;default=\"x\"", "a", "string")]), "{}", &[REQUIRED]),
        create(Fields(&[("optional;default=\"\"", "a", "string")]), "{}", &[]),
        create(Fields(&[("optional;default=false", "a", "bool")]), "{}", &[]),
        create(Fields(&[("optional;default=0.0", "a", "int32")]), "{}", &[]),
        create(Fields(&[("optional;default=[]", "a", "[]string")]), "{}", &[REQUIRED]),
        create(Fields(&[("optional;default=0", "a", "*int32")]), "{}", &[REQUIRED]),
        create(Fields(&[("forbidden;validateFalse", "a", "string")]), r#"{"a":"x"}"#, &["Forbidden a stops"]),
        create(Fields(&[("forbidden;validateFalse", "a", "string")]), "{}", &[]),
        create(Fields(&[("forbidden", "a", "*int32")]), r#"{"a":0}"#, &["Forbidden a stops"]),
        // Both, since all stopping rules run.
        update(
            Fields(&[("required;immutable", "a", "string")]),
            r#"{"a":"x"}"#,
            "{}",
            &[REQUIRED, "Invalid a origin=immutable bad=null detail=field is immutable stops"],
        ),
        create(Fields(&[("required;optional", "a", "string")]), "{}", &[REQUIRED]),
    ]);
}

#[test]
fn bounds_compare_integers_of_every_width() {
    check(&[
        create(
            Fields(&[("minimum=-1;maximum=1", "a", "int64")]),
            r#"{"a":-2}"#,
            &["Invalid a origin=minimum bad=-2 detail=must be greater than or equal to -1"],
        ),
        create(
            Fields(&[("minimum=-1;maximum=1", "a", "int64")]),
            r#"{"a":2}"#,
            &["Invalid a origin=maximum bad=2 detail=must be less than or equal to 1"],
        ),
        create(Fields(&[("minimum=-1;maximum=1", "a", "int64")]), r#"{"a":1}"#, &[]),
        create(Fields(&[("minimum=1", "a", "*int32")]), "{}", &[]),
        create(Fields(&[("minimum=1", "a", "*int32")]), r#"{"a":null}"#, &[]),
        create(
            Fields(&[("maximum=9223372036854775807", "a", "uint64")]),
            r#"{"a":18446744073709551615}"#,
            &[
                "Invalid a origin=maximum bad=18446744073709551615 detail=must be less than or equal to 9223372036854775807",
            ],
        ),
        create(
            With(&[("", "a", "N")], "// +k8s:minimum=1\ntype N int32\n"),
            "{}",
            &["Invalid a origin=minimum bad=0 detail=must be greater than or equal to 1"],
        ),
        // Tags on the field and on its type both count, the field's first; repeated tags too.
        create(
            With(&[("minimum=2;minimum=3", "a", "N")], "// +k8s:minimum=1\ntype N int32\n"),
            "{}",
            &[
                "Invalid a origin=minimum bad=0 detail=must be greater than or equal to 1",
                "Invalid a origin=minimum bad=0 detail=must be greater than or equal to 2",
                "Invalid a origin=minimum bad=0 detail=must be greater than or equal to 3",
            ],
        ),
        // A definition over a named type inherits none of its tags.
        create(With(&[("", "a", "B")], "type B A\n\n// +k8s:minimum=1\ntype A int32\n"), "{}", &[]),
        create(Fields(&[("exclusiveMinimum=0;exclusiveMaximum=2", "a", "int32")]), r#"{"a":1}"#, &[]),
        create(
            Fields(&[("exclusiveMinimum=0", "a", "int32")]),
            "{}",
            &["Invalid a origin=exclusiveMinimum bad=0 detail=must be greater than 0"],
        ),
        create(
            Fields(&[("exclusiveMaximum=2", "a", "int32")]),
            r#"{"a":2}"#,
            &["Invalid a origin=exclusiveMaximum bad=2 detail=must be less than 2"],
        ),
    ]);
}

#[test]
fn lengths_count_characters_or_bytes() {
    check(&[
        create(Fields(&[("maxLength=2", "a", "string")]), r#"{"a":"éé"}"#, &[]),
        create(
            Fields(&[("maxBytes=3", "a", "string")]),
            r#"{"a":"éé"}"#,
            &["TooLong a origin=maxBytes bad=\"<value omitted>\" detail=may not be more than 3 bytes"],
        ),
        create(
            Fields(&[("maxBytes=1", "a", "string")]),
            r#"{"a":"ab"}"#,
            &["TooLong a origin=maxBytes bad=\"<value omitted>\" detail=may not be more than 1 byte"],
        ),
        create(
            Fields(&[("maxLength=1", "a", "*string")]),
            r#"{"a":"ab"}"#,
            &["TooLong a origin=maxLength bad=\"<value omitted>\" detail=may not be more than 1 character"],
        ),
        create(
            Fields(&[("maxLength=0", "a", "string")]),
            r#"{"a":"ab"}"#,
            &["TooLong a origin=maxLength bad=\"<value omitted>\" detail=may not be more than 0 characters"],
        ),
        create(
            Fields(&[("minLength=3", "a", "string")]),
            r#"{"a":"éé"}"#,
            &["TooShort a origin=minLength bad=\"éé\" detail=must be at least 3 characters"],
        ),
        create(
            Fields(&[("minLength=1", "a", "string")]),
            "{}",
            &["TooShort a origin=minLength detail=must be at least 1 character"],
        ),
        create(Fields(&[("minLength=0;minLength=-1", "a", "string")]), "{}", &[]),
        create(Fields(&[("minLength=1", "a", "*string")]), "{}", &[]),
        create(
            With(&[("maxLength=1", "a", "N")], "type N string\n"),
            r#"{"a":"ab"}"#,
            &["TooLong a origin=maxLength bad=\"<value omitted>\" detail=may not be more than 1 character"],
        ),
    ]);
}

#[test]
fn formats_report_every_failing_part() {
    check(&[
        create(Fields(&[("format=k8s-uuid", "a", "*string")]), "{}", &[]),
        create(
            Fields(&[("format=k8s-uuid", "a", "string")]),
            "{}",
            &["Invalid a origin=format=k8s-uuid detail=must be a lowercase UUID in 8-4-4-4-12 format"],
        ),
        create(
            Fields(&[("format=k8s-path-segment-name", "a", "string")]),
            r#"{"a":"/%"}"#,
            &[
                "Invalid a origin=format=k8s-path-segment-name bad=\"/%\" detail=may not contain '/'",
                "Invalid a origin=format=k8s-path-segment-name bad=\"/%\" detail=may not contain '%'",
            ],
        ),
        create(
            Fields(&[("format=k8s-resource-pool-name", "a", "string")]),
            r#"{"a":"a//b"}"#,
            &["Invalid a origin=format=k8s-resource-pool-name bad=\"a//b\" detail=segment 1: must not be empty"],
        ),
        create(
            With(&[("format=k8s-short-name", "a", "N")], "type N string\n"),
            r#"{"a":"a.b"}"#,
            &["Invalid a origin=format=k8s-short-name bad=\"a.b\" detail=must not contain dots"],
        ),
    ]);
}

#[test]
fn patterns_match_somewhere() {
    check(&[
        create(Fields(&[("pattern=`^a+$`", "a", "string")]), r#"{"a":"aa"}"#, &[]),
        create(Fields(&[("pattern=\"a\"", "a", "string")]), r#"{"a":"bab"}"#, &[]),
        create(Fields(&[("pattern=`^a+$`", "a", "*string")]), "{}", &[]),
        create(
            Fields(&[("pattern=`^a+$`", "a", "string")]),
            r#"{"a":"b"}"#,
            &["Invalid a origin=pattern bad=\"b\" detail=should match '^a+$'"],
        ),
    ]);
}

const ENUM: &str = "// +k8s:enum\ntype E string\n\nconst (\n\tEB E = \"B\"\n\tEA E = \"A\"\n\tEAgain E = \"A\"\n\t// +k8s:enumExclude\n\tEX E = \"X\"\n\t// +k8s:ifDisabled(O)=+k8s:enumExclude\n\tEO E = \"O\"\n)\n\nconst EConverted = E(\"C\")\n\ntype Other string\n\nconst OtherD Other = \"D\"\n";
const EMPTY: &str = "// +k8s:enum\ntype E string\n";

#[test]
fn enumerations_are_the_constants_of_exactly_that_type() {
    let on = &[("O", true)];
    let off = &[("O", false)];
    check(&[
        create(With(&[("", "a", "E")], ENUM), r#"{"a":"A"}"#, &[]).with(on),
        create(With(&[("", "a", "E")], ENUM), r#"{"a":"C"}"#, &[]).with(on),
        create(With(&[("", "a", "E")], ENUM), r#"{"a":"O"}"#, &[]).with(on),
        create(
            With(&[("", "a", "E")], ENUM),
            r#"{"a":"X"}"#,
            &["NotSupported a bad=\"X\" detail=supported values: \"A\", \"B\", \"C\", \"O\""],
        )
        .with(on),
        create(
            With(&[("", "a", "E")], ENUM),
            r#"{"a":"O"}"#,
            &["NotSupported a bad=\"O\" detail=supported values: \"A\", \"B\", \"C\""],
        )
        .with(off),
        create(
            With(&[("", "a", "E")], ENUM),
            r#"{"a":"D"}"#,
            &["NotSupported a bad=\"D\" detail=supported values: \"A\", \"B\", \"C\""],
        )
        .with(off),
        create(With(&[("", "a", "E")], ENUM), "{}", &["NotSupported a detail=supported values: \"A\", \"B\", \"C\""])
            .with(off),
        create(With(&[("optional", "a", "E")], ENUM), "{}", &[]).with(off),
        create(With(&[("", "a", "*E")], ENUM), "{}", &[]).with(off),
        create(
            With(&[("", "a", "E")], ENUM),
            r#"{"a":"A"}"#,
            &["Internal a bad=null detail=undefined validation option \"O\""],
        ),
        create(With(&[("", "a", "E")], EMPTY), r#"{"a":"A"}"#, &["NotSupported a bad=\"A\""]),
    ]);
}

#[test]
fn refused_values_are_compared_by_type() {
    check(&[
        create(
            Fields(&[("neq=\"x\"", "a", "string")]),
            r#"{"a":"x"}"#,
            &["Invalid a origin=neq bad=\"x\" detail=must not be equal to \"x\""],
        ),
        create(Fields(&[("neq=\"x\"", "a", "string")]), r#"{"a":"y"}"#, &[]),
        create(Fields(&[("neq=0", "a", "int32")]), "{}", &["Invalid a origin=neq bad=0 detail=must not be equal to 0"]),
        create(Fields(&[("neq=0", "a", "*int32")]), "{}", &[]),
        create(
            Fields(&[("neq=true", "a", "bool")]),
            r#"{"a":true}"#,
            &["Invalid a origin=neq bad=true detail=must not be equal to true"],
        ),
    ]);
}
