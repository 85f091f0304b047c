//! Lists, maps, elements, keys, members from outside, opaque types.

use super::support::{Go::*, check, create, update};

const E: &str = "type E struct {\n\tN string `json:\"n\"`\n\tP *string `json:\"p\"`\n\tD int32 `json:\"d\"`\n}\n";

#[test]
fn sizes_of_lists_and_maps() {
    check(&[
        create(
            Fields(&[("maxItems=1;eachVal=+k8s:validateFalse", "a", "[]string")]),
            r#"{"a":["x","x"]}"#,
            &["TooMany a origin=maxItems bad=2 detail=must have at most 1 item stops"],
        ),
        create(
            Fields(&[("minItems=2;eachVal=+k8s:maxLength=0", "a", "[]string")]),
            r#"{"a":["x"]}"#,
            &[
                "TooFew a origin=minItems bad=1 detail=must have at least 2 items",
                "TooLong a[0] origin=maxLength bad=\"<value omitted>\" detail=may not be more than 0 characters",
            ],
        ),
        create(
            Fields(&[("minItems=1", "a", "[]string")]),
            "{}",
            &["TooFew a origin=minItems bad=0 detail=must have at least 1 item"],
        ),
        create(
            Fields(&[("minProperties=1", "a", "map[string]string")]),
            "{}",
            &["TooFew a origin=minProperties bad=0 detail=must have at least 1 item"],
        ),
        create(
            Fields(&[("maxProperties=0;eachKey=+k8s:validateFalse", "a", "map[string]string")]),
            r#"{"a":{"k":""}}"#,
            &["TooMany a origin=maxProperties bad=1 detail=must have at most 0 items stops"],
        ),
    ]);
}

#[test]
fn uniqueness_is_by_element_or_by_key() {
    const MAP: &[(&str, &str, &str)] = &[("listType=map;listMapKey=n;listMapKey=p", "a", "[]E")];
    const UNIQUE: &[(&str, &str, &str)] = &[("listType=atomic;unique=map;listMapKey=n", "a", "[]E")];
    const CUSTOM: &[(&str, &str, &str)] = &[("listType=map;listMapKey=n;customUnique", "a", "[]E")];
    const LEVEL: &[(&str, &str, &str)] = &[("beta=+k8s:listType=set", "a", "[]string")];
    check(&[
        create(
            With(MAP, E),
            r#"{"a":[{"n":"x"},{"n":"x","p":""},{"n":"x","d":1}]}"#,
            &[r#"Duplicate a[2] bad={"d":1,"n":"x","p":null}"#],
        ),
        create(
            With(UNIQUE, E),
            r#"{"a":[{"n":"x"},{"n":"x","p":""}]}"#,
            &[r#"Duplicate a[1] bad={"d":0,"n":"x","p":""}"#],
        ),
        create(With(CUSTOM, E), r#"{"a":[{"n":"x"},{"n":"x"}]}"#, &[]),
        create(Fields(LEVEL), r#"{"a":["x","x"]}"#, &["Duplicate a[1] bad=\"x\" beta"]),
        create(Fields(&[("listType=atomic", "a", "[]string")]), r#"{"a":["x","x"]}"#, &[]),
        create(
            With(&[("listMapKey=n", "b", "[]E"), ("listType=set", "a", "[]*string")], E),
            r#"{"a":["x","x"]}"#,
            &["Duplicate a[1] bad=\"x\""],
        ),
        create(
            With(&[("", "a", "L")], "// +k8s:listType=set\ntype L []string\n"),
            r#"{"a":["x","x"]}"#,
            &["Duplicate a[1] bad=\"x\""],
        ),
    ]);
}

#[test]
fn elements_correlate_as_the_list_says() {
    const SET: &[(&str, &str, &str)] = &[("listType=set;eachVal=+k8s:minimum=1", "a", "[]int32")];
    const ATOMIC: &[(&str, &str, &str)] = &[("listType=atomic;eachVal=+k8s:minimum=1", "a", "[]int32")];
    check(&[
        update(
            Fields(SET),
            r#"{"a":[0]}"#,
            r#"{"a":[0,-1]}"#,
            &["Invalid a[1] origin=minimum bad=-1 detail=must be greater than or equal to 1"],
        ),
        update(
            Fields(ATOMIC),
            r#"{"a":[0]}"#,
            r#"{"a":[0,1]}"#,
            &["Invalid a[0] origin=minimum bad=0 detail=must be greater than or equal to 1"],
        ),
        update(Fields(ATOMIC), r#"{"a":[0]}"#, r#"{"a":[0]}"#, &[]),
        update(
            Fields(&[("eachVal=+k8s:minimum=1", "a", "map[string]int32")]),
            r#"{"a":{"x":0,"y":0}}"#,
            r#"{"a":{"x":0,"y":-1}}"#,
            &["Invalid a[y] origin=minimum bad=-1 detail=must be greater than or equal to 1"],
        ),
        // Keys of the element type count for the field too.
        update(
            With(
                &[("", "a", "L")],
                "// +k8s:listType=map\n// +k8s:listMapKey=n\ntype L []F\n\ntype F struct {\n\tN string `json:\"n\"`\n\t// +k8s:minimum=1\n\tD int32 `json:\"d\"`\n}\n",
            ),
            r#"{"a":[{"n":"x"},{"n":"y"}]}"#,
            r#"{"a":[{"n":"y"},{"n":"x","d":-1}]}"#,
            &["Invalid a[1].d origin=minimum bad=-1 detail=must be greater than or equal to 1"],
        ),
    ]);
}

#[test]
fn keys_are_reported_at_their_map() {
    check(&[
        create(
            Fields(&[("eachKey=+k8s:maxLength=1;eachVal=+k8s:maxLength=1", "a", "map[string]string")]),
            r#"{"a":{"kk":"vv"}}"#,
            &[
                "TooLong a origin=maxLength bad=\"<value omitted>\" detail=may not be more than 1 character",
                "TooLong a[kk] origin=maxLength bad=\"<value omitted>\" detail=may not be more than 1 character",
            ],
        ),
        create(
            With(&[("", "a", "map[K]V")], "// +k8s:maxLength=1\ntype K string\n\n// +k8s:maxLength=1\ntype V string\n"),
            r#"{"a":{"kk":"vv"}}"#,
            &[
                "TooLong a origin=maxLength bad=\"<value omitted>\" detail=may not be more than 1 character",
                "TooLong a[kk] origin=maxLength bad=\"<value omitted>\" detail=may not be more than 1 character",
            ],
        ),
    ]);
}

#[test]
fn lists_of_pointers_hold_no_nil_once_they_have_rules() {
    const F: &str = "type F struct {\n\t// +k8s:minimum=1\n\tD int32 `json:\"d\"`\n}\n";
    check(&[
        create(With(&[("maxItems=5", "a", "[]*F")], F), r#"{"a":[null,{"d":0}]}"#, &["Required a[0] stops"]),
        // Rules of the element type alone skip nil.
        create(
            With(&[("", "a", "[]*F")], F),
            r#"{"a":[null,{"d":0}]}"#,
            &["Invalid a[1].d origin=minimum bad=0 detail=must be greater than or equal to 1"],
        ),
        create(
            With(&[("", "a", "L")], "type L []*F\n\ntype F struct {\n\t// +k8s:minimum=1\n\tD int32 `json:\"d\"`\n}\n"),
            r#"{"a":[null]}"#,
            &["Required a[0] stops"],
        ),
    ]);
}

const TWO: &str = "type T struct {\n\tX string `json:\"x\"`\n\tY string `json:\"y\"`\n}\n";
const GATED: &str = "type T struct {\n\t// +k8s:optional\n\t// +k8s:maxLength=1\n\tX string `json:\"x\"`\n}\n";

#[test]
fn members_are_judged_from_outside_in_groups() {
    check(&[
        create(
            With(
                &[("subfield(x)=+k8s:required;subfield(x)=+k8s:maxLength=0;subfield(y)=+k8s:required", "t", "T")],
                TWO,
            ),
            "{}",
            &["Required t.x stops", "Required t.y stops"],
        ),
        // The member's own gate counts for the group.
        create(With(&[("subfield(x)=+k8s:minLength=5", "t", "T")], GATED), "{}", &[]),
        create(
            With(&[("subfield(x)=+k8s:minLength=5", "t", "T")], GATED),
            r#"{"t":{"x":"ab"}}"#,
            &[
                "TooShort t.x origin=minLength bad=\"ab\" detail=must be at least 5 characters",
                "TooLong t.x origin=maxLength bad=\"<value omitted>\" detail=may not be more than 1 character",
            ],
        ),
        // Not when the field is opaque, which also leaves out the member's own rules.
        create(
            With(&[("opaqueType;subfield(x)=+k8s:minLength=5", "t", "T")], GATED),
            "{}",
            &["TooShort t.x origin=minLength detail=must be at least 5 characters"],
        ),
        update(With(&[("subfield(x)=+k8s:minLength=5", "t", "T")], TWO), r#"{"t":{}}"#, r#"{"t":{"y":"a"}}"#, &[]),
        // An optional struct stops before its members.
        create(With(&[("optional;subfield(x)=+k8s:required", "t", "*T")], TWO), "{}", &[]),
        // Nothing stops before a nil struct: generated code panics.
        create(
            With(&[("subfield(x)=+k8s:required", "t", "*T")], TWO),
            "{}",
            &[
                "Internal <nil> bad=null detail=panic during declarative validation: runtime error: invalid memory address or nil pointer dereference",
            ],
        ),
        create(
            With(&[("", "t", "*T")], GATED),
            "{}",
            &[
                "Internal <nil> bad=null detail=panic during declarative validation: runtime error: invalid memory address or nil pointer dereference",
            ],
        ),
    ]);
}

const ITEMS: &[(&str, &str, &str)] = &[(
    "listType=map;listMapKey=n;item(n: \"x\")=+k8s:validateFalse=\"x\";item(n: \"y\")=+k8s:validateFalse(flags: \"ShortCircuit\")=\"y\";item(n: \"y\")=+k8s:validateFalse=\"never\"",
    "a",
    "[]E",
)];

#[test]
fn elements_are_chosen_by_all_their_keys() {
    check(&[
        create(With(ITEMS, E), r#"{"a":[{"n":"z"}]}"#, &[]),
        create(
            With(ITEMS, E),
            r#"{"a":[{"n":"y"},{"n":"x"}]}"#,
            &[
                r#"Invalid a[0] origin=validateFalse bad={"d":0,"n":"y","p":null} detail=forced failure: y stops"#,
                r#"Invalid a[1] origin=validateFalse bad={"d":0,"n":"x","p":null} detail=forced failure: x"#,
            ],
        ),
        update(With(ITEMS, E), r#"{"a":[{"n":"x"}]}"#, r#"{"a":[{"n":"x"},{"n":"z"}]}"#, &[]),
        update(With(ITEMS, E), r#"{"a":[{"n":"x"}]}"#, r#"{"a":[]}"#, &[]),
        // A pointer key is chosen when it points to the value.
        create(
            With(&[("listType=map;listMapKey=p;item(p: \"\")=+k8s:validateFalse=\"p\"", "a", "[]E")], E),
            r#"{"a":[{"n":"nil"},{"n":"set","p":""}]}"#,
            &[r#"Invalid a[1] origin=validateFalse bad={"d":0,"n":"set","p":""} detail=forced failure: p"#],
        ),
    ]);
}

#[test]
fn opaque_types_are_not_entered() {
    const F: &str = "// +k8s:validateFalse=\"type\"\ntype F struct {\n\t// +k8s:minimum=1\n\tD int32 `json:\"d\"`\n}\n";
    const O: &str = "// +k8s:opaqueType\n// +k8s:validateFalse=\"type\"\ntype F struct {\n\t// +k8s:minimum=1\n\tD int32 `json:\"d\"`\n}\n";
    check(&[
        create(
            With(&[("opaqueType;validateFalse=\"field\"", "a", "F")], F),
            "{}",
            &[r#"Invalid a origin=validateFalse bad={"d":0} detail=forced failure: field"#],
        ),
        create(
            With(&[("", "a", "F")], O),
            "{}",
            &[r#"Invalid a origin=validateFalse bad={"d":0} detail=forced failure: type"#],
        ),
        create(
            With(&[("eachVal=+k8s:opaqueType", "a", "[]F"), ("", "b", "[]F")], F),
            r#"{"a":[{}],"b":[{}]}"#,
            &[
                r#"Invalid b[0] origin=validateFalse bad={"d":0} detail=forced failure: type"#,
                "Invalid b[0].d origin=minimum bad=0 detail=must be greater than or equal to 1",
            ],
        ),
        create(
            With(&[("opaqueType", "a", "[]F")], F),
            r#"{"a":[{}]}"#,
            &[
                r#"Invalid a[0] origin=validateFalse bad={"d":0} detail=forced failure: type"#,
                "Invalid a[0].d origin=minimum bad=0 detail=must be greater than or equal to 1",
            ],
        ),
    ]);
}
