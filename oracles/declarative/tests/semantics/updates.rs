//! `immutable`, `update`, `monotonic`: what may change.

use super::support::{Go::*, check, create, update};

const E: &str = "type E struct {\n\tN string `json:\"n\"`\n\tD int32 `json:\"d\"`\n}\n";

#[test]
fn immutable_values_fail_on_every_update_that_reaches_them() {
    check(&[
        create(Fields(&[("immutable", "a", "string")]), r#"{"a":"x"}"#, &[]),
        update(
            Fields(&[("immutable", "a", "*string")]),
            "{}",
            r#"{"a":""}"#,
            &["Invalid a origin=immutable bad=null detail=field is immutable stops"],
        ),
        update(
            Fields(&[("immutable;optional", "a", "string")]),
            r#"{"a":"x"}"#,
            "{}",
            &["Invalid a origin=immutable bad=null detail=field is immutable stops"],
        ),
        update(
            Fields(&[("immutable", "a", "[]string")]),
            r#"{"a":["x","y"]}"#,
            r#"{"a":["y","x"]}"#,
            &["Invalid a origin=immutable bad=null detail=field is immutable stops"],
        ),
        update(Fields(&[("immutable", "a", "[]string")]), r#"{"a":[]}"#, "{}", &[]),
        // A struct that was nil has no old members.
        update(
            With(&[("optional", "t", "*T")], "type T struct {\n\t// +k8s:immutable\n\tA string `json:\"a\"`\n}\n"),
            "{}",
            r#"{"t":{"a":"x"}}"#,
            &["Invalid t.a origin=immutable bad=null detail=field is immutable stops"],
        ),
        // Changed and new values fail, removed ones do not.
        update(
            Fields(&[("eachVal=+k8s:immutable", "m", "map[string]string")]),
            r#"{"m":{"a":"1","b":"1","c":"1"}}"#,
            r#"{"m":{"a":"1","b":"2","d":"1"}}"#,
            &[
                "Invalid m[b] origin=immutable bad=null detail=field is immutable stops",
                "Invalid m[d] origin=immutable bad=null detail=field is immutable stops",
            ],
        ),
        // On a type the rule stops its fields, and members of the struct are not judged.
        update(
            With(&[("immutable", "t", "T")], "type T struct {\n\t// +k8s:minimum=1\n\tA int32 `json:\"a\"`\n}\n"),
            r#"{"t":{"a":1}}"#,
            r#"{"t":{"a":0}}"#,
            &["Invalid t origin=immutable bad=null detail=field is immutable stops"],
        ),
    ]);
}

const SET: &str = "Invalid a origin=update bad=null detail=field cannot be set once created stops";
const UNSET: &str = "Invalid a origin=update bad=null detail=field cannot be cleared once set stops";
const MODIFY: &str = "Invalid a origin=update bad=null detail=field cannot be modified once set stops";

#[test]
fn update_constraints_tell_set_unset_and_change_apart() {
    const NO_SET: &[(&str, &str, &str)] = &[("update=NoSet", "a", "string")];
    const NO_UNSET: &[(&str, &str, &str)] = &[("update=NoUnset", "a", "string")];
    const NO_MODIFY: &[(&str, &str, &str)] = &[("update=NoModify", "a", "string")];
    check(&[
        create(Fields(NO_SET), r#"{"a":"x"}"#, &[]),
        update(Fields(NO_SET), "{}", r#"{"a":"x"}"#, &[SET]),
        update(Fields(NO_SET), r#"{"a":"x"}"#, r#"{"a":"y"}"#, &[]),
        update(Fields(NO_SET), r#"{"a":"x"}"#, "{}", &[]),
        update(Fields(NO_UNSET), r#"{"a":"x"}"#, "{}", &[UNSET]),
        update(Fields(NO_UNSET), "{}", r#"{"a":"x"}"#, &[]),
        update(Fields(NO_MODIFY), r#"{"a":"x"}"#, r#"{"a":"y"}"#, &[MODIFY]),
        update(Fields(NO_MODIFY), "{}", r#"{"a":"y"}"#, &[]),
        update(Fields(NO_MODIFY), r#"{"a":"x"}"#, "{}", &[]),
        update(Fields(&[("update=NoModify", "a", "*int32")]), r#"{"a":0}"#, r#"{"a":1}"#, &[MODIFY]),
        update(Fields(&[("update=NoModify", "a", "int32")]), r#"{"a":0}"#, r#"{"a":1}"#, &[]),
        update(
            With(&[("update=NoModify", "a", "T")], "type T struct {\n\tD int32 `json:\"d\"`\n}\n"),
            r#"{"a":{}}"#,
            r#"{"a":{"d":1}}"#,
            &[MODIFY],
        ),
        update(Fields(&[("update=NoSet;update=NoUnset", "a", "[]string")]), "{}", r#"{"a":["x"]}"#, &[SET]),
        update(Fields(&[("update=NoSet;update=NoUnset", "a", "[]string")]), r#"{"a":["x"]}"#, r#"{"a":[]}"#, &[UNSET]),
        update(Fields(&[("update=NoSet", "a", "map[string]string")]), r#"{"a":{}}"#, r#"{"a":{"k":"v"}}"#, &[SET]),
        // The level of a group is that of its first tag in tag order, which is the wrapped one.
        update(
            Fields(&[("update=NoUnset;alpha=+k8s:update=NoModify", "a", "string")]),
            r#"{"a":"x"}"#,
            "{}",
            &["Invalid a origin=update bad=null detail=field cannot be cleared once set alpha stops"],
        ),
        // In a struct that was nil: pointers are set, scalars have no old value.
        update(
            With(
                &[("optional", "t", "*T")],
                "type T struct {\n\t// +k8s:update=NoSet\n\tA *string `json:\"a\"`\n\t// +k8s:update=NoSet\n\tB string `json:\"b\"`\n}\n",
            ),
            "{}",
            r#"{"t":{"a":"x","b":"x"}}"#,
            &["Invalid t.a origin=update bad=null detail=field cannot be set once created stops"],
        ),
    ]);
}

#[test]
fn items_of_lists_and_maps_cannot_come_or_go() {
    const SET_LIST: &[(&str, &str, &str)] = &[("listType=set;update=NoAddItem;update=NoRemoveItem", "a", "[]string")];
    const MAP: &[(&str, &str, &str)] = &[("update=NoAddItem;update=NoRemoveItem", "a", "map[string]string")];
    const EACH: &[(&str, &str, &str)] = &[("listType=map;listMapKey=n;eachVal=+k8s:update=NoModify", "a", "[]E")];
    check(&[
        update(
            Fields(SET_LIST),
            r#"{"a":["x","y"]}"#,
            r#"{"a":["y","z"]}"#,
            &[
                "Forbidden a[1] origin=update detail=item may not be added stops",
                "Forbidden a origin=update detail=item may not be removed stops",
            ],
        ),
        update(
            Fields(MAP),
            r#"{"a":{"x":"1","y":"1"}}"#,
            r#"{"a":{"y":"2","z":"1"}}"#,
            &[
                "Forbidden a[z] origin=update detail=item may not be added stops",
                "Forbidden a[x] origin=update detail=item may not be removed stops",
            ],
        ),
        update(
            With(EACH, E),
            r#"{"a":[{"n":"1","d":1}]}"#,
            r#"{"a":[{"n":"1","d":2},{"n":"2"}]}"#,
            &["Invalid a[0] origin=update bad=null detail=field cannot be modified once set stops"],
        ),
        update(
            Fields(&[("eachVal=+k8s:update=NoModify", "a", "map[string]string")]),
            r#"{"a":{"x":"1"}}"#,
            r#"{"a":{"x":"2","y":"1"}}"#,
            &["Invalid a[x] origin=update bad=null detail=field cannot be modified once set stops"],
        ),
    ]);
}

#[test]
fn monotonic_integers_do_not_decrease() {
    check(&[
        update(
            Fields(&[("monotonic", "a", "int64")]),
            r#"{"a":2}"#,
            r#"{"a":1}"#,
            &["Invalid a origin=monotonic bad=1 detail=may not be decreased from 2"],
        ),
        update(Fields(&[("monotonic", "a", "int64")]), r#"{"a":2}"#, r#"{"a":3}"#, &[]),
        update(Fields(&[("monotonic", "a", "*int64")]), r#"{"a":2}"#, "{}", &[]),
        update(
            Fields(&[("monotonic", "a", "*int64")]),
            r#"{"a":2}"#,
            r#"{"a":0}"#,
            &["Invalid a origin=monotonic bad=0 detail=may not be decreased from 2"],
        ),
        create(Fields(&[("monotonic", "a", "int64")]), r#"{"a":-1}"#, &[]),
    ]);
}
