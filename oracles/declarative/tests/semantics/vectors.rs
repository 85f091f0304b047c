//! The test vectors of the specification, in its order.

use super::support::{Go::*, Row, check, create, update};

const IMMUTABLE: &str = "Invalid a origin=immutable bad=null detail=field is immutable stops";
const LIST: &str = "type E struct {\n\tN string `json:\"n\"`\n\tD int32 `json:\"d\"`\n}\n";
const REQUIRED: &str = "type E struct {\n\tN string `json:\"n\"`\n\t// +k8s:required\n\tD int32 `json:\"d\"`\n}\n";
const MAP_IMMUTABLE: super::support::Go =
    With(&[("listType=map;listMapKey=n;eachVal=+k8s:immutable", "a", "[]E")], LIST);
const KEYS: super::support::Go = Fields(&[("eachKey=+k8s:format=k8s-short-name", "m", "map[string]string")]);
const LABEL: &str = "Invalid m origin=format=k8s-short-name bad=\"A_\" detail=a lowercase RFC 1123 label must consist of lower case \
    alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used \
    for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
const POINTERS: super::support::Go = Fields(&[("unionMember", "x", "*int32"), ("unionMember", "y", "*int32")]);
const DISCRIMINATED: super::support::Go =
    Fields(&[("unionDiscriminator", "d", "string"), ("unionMember", "x", "*int32"), ("unionMember", "y", "*int32")]);
const MODE: super::support::Go =
    Fields(&[("modeDiscriminator", "d", "string"), ("ifMode(\"A\")=+k8s:required", "p", "*int32")]);
const NAME: super::support::Go = With(
    &[("subfield(name)=+k8s:optional;subfield(name)=+k8s:format=k8s-long-name", "metadata", "M")],
    "type M struct {\n\tName string `json:\"name\"`\n}\n",
);

const ROWS: &[Row] = &[
    create(Fields(&[("required", "a", "string")]), "{}", &["Required a stops"]),
    create(
        Fields(&[("required;minimum=1", "a", "*int32")]),
        r#"{"a":0}"#,
        &["Invalid a origin=minimum bad=0 detail=must be greater than or equal to 1"],
    ),
    create(Fields(&[("required;minimum=1", "a", "int32")]), r#"{"a":0}"#, &["Required a stops"]),
    create(Fields(&[("optional;minimum=1", "a", "int32")]), r#"{"a":0}"#, &[]),
    create(
        Fields(&[("optional;default=0;minimum=1", "a", "int32")]),
        "{}",
        &["Invalid a origin=minimum bad=0 detail=must be greater than or equal to 1"],
    ),
    create(Fields(&[("optional;default=1", "a", "*int32")]), "{}", &["Required a stops"]),
    update(Fields(&[("immutable;maxLength=2", "a", "string")]), r#"{"a":"x"}"#, r#"{"a":"abc"}"#, &[IMMUTABLE]),
    update(Fields(&[("immutable", "a", "string")]), r#"{"a":"x"}"#, r#"{"a":"x"}"#, &[]),
    update(
        Fields(&[("alpha=+k8s:immutable;maxLength=2", "a", "string")]),
        r#"{"a":"x"}"#,
        r#"{"a":"abc"}"#,
        &["Invalid a origin=immutable bad=null detail=field is immutable alpha stops"],
    ),
    create(
        Fields(&[("maxItems=1;listType=set", "a", "[]string")]),
        r#"{"a":["x","x"]}"#,
        &["TooMany a origin=maxItems bad=2 detail=must have at most 1 item stops"],
    ),
    create(
        Fields(&[("listType=set", "a", "[]string")]),
        r#"{"a":["x","x","x"]}"#,
        &["Duplicate a[1] bad=\"x\"", "Duplicate a[2] bad=\"x\""],
    ),
    update(
        Fields(&[("listType=set", "a", "[]string")]),
        r#"{"a":["x","x"]}"#,
        r#"{"a":["x","x","y"]}"#,
        &["Duplicate a[1] bad=\"x\""],
    ),
    update(
        MAP_IMMUTABLE,
        r#"{"a":[{"n":"1","d":1}]}"#,
        r#"{"a":[{"n":"1","d":1},{"n":"2"}]}"#,
        &["Invalid a[1] origin=immutable bad=null detail=field is immutable stops"],
    ),
    update(MAP_IMMUTABLE, r#"{"a":[{"n":"1","d":1}]}"#, r#"{"a":[]}"#, &[]),
    update(
        With(&[("", "a", "[]E")], REQUIRED),
        r#"{"a":[{"n":"1"}]}"#,
        r#"{"a":[{"n":"1"},{"n":"2","d":1}]}"#,
        &["Required a[0].d stops"],
    ),
    update(
        With(&[("listType=map;listMapKey=n", "a", "[]E")], REQUIRED),
        r#"{"a":[{"n":"1"}]}"#,
        r#"{"a":[{"n":"1"},{"n":"2","d":1}]}"#,
        &[],
    ),
    create(KEYS, r#"{"m":{"A_":""}}"#, &[LABEL]),
    update(KEYS, r#"{"m":{"A_":"1"}}"#, r#"{"m":{"A_":"2"}}"#, &[]),
    create(POINTERS, "{}", &["Invalid <nil> origin=union detail=must specify one of: `x`, `y`"]),
    update(
        With(
            &[("", "spec", "T")],
            "type T struct {\n\t// +k8s:unionMember\n\tX *int32 `json:\"x\"`\n\t// +k8s:unionMember\n\tY *int32 `json:\"y\"`\n\tZ int32 `json:\"z\"`\n}\n",
        ),
        r#"{"spec":{}}"#,
        r#"{"spec":{"z":1}}"#,
        &[],
    ),
    create(
        DISCRIMINATED,
        r#"{"d":"X","y":1}"#,
        &[
            "Invalid x origin=union detail=must be specified when `d` is \"X\"",
            "Invalid y origin=union detail=may only be specified when `d` is \"Y\"",
        ],
    ),
    create(DISCRIMINATED, r#"{"d":"Q"}"#, &[]),
    create(MODE, r#"{"d":"B","p":1}"#, &["Forbidden p"]),
    update(MODE, r#"{"d":"B","p":1}"#, r#"{"d":"B","p":1}"#, &[]),
    create(
        Fields(&[("dependentRequired(\"b\")", "a", "*int32"), ("", "b", "*int32")]),
        r#"{"a":1}"#,
        &["Required b origin=dependentRequired detail=must be set when a is set"],
    ),
    update(
        With(&[("update=NoRemoveItem;listType=map;listMapKey=n", "l", "[]E")], LIST),
        r#"{"l":[{"n":"1"},{"n":"2"}]}"#,
        r#"{"l":[]}"#,
        &[
            "Forbidden l origin=update detail=item may not be removed stops",
            "Forbidden l origin=update detail=item may not be removed stops",
        ],
    ),
    create(
        Fields(&[("ifEnabled(O)=+k8s:minimum=1", "a", "int32")]),
        r#"{"a":5}"#,
        &["Internal a bad=null detail=undefined validation option \"O\""],
    ),
    create(NAME, r#"{"metadata":{"name":""}}"#, &[]),
    create(
        NAME,
        r#"{"metadata":{"name":"A"}}"#,
        &[
            "Invalid metadata.name origin=format=k8s-long-name bad=\"A\" detail=a lowercase RFC 1123 subdomain must consist of lower case \
           alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for \
           validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
        ],
    ),
    update(
        With(&[("listType=map;listMapKey=n;item(n: \"x\")=+k8s:immutable", "l", "[]E")], LIST),
        r#"{"l":[]}"#,
        r#"{"l":[{"n":"x"}]}"#,
        &["Invalid l[0] origin=immutable bad=null detail=field is immutable stops"],
    ),
    create(Fields(&[("format=k8s-resource-fully-qualified-name", "a", "string")]), r#"{"a":"a/b/c"}"#, &[]),
    create(Fields(&[("eachVal=+k8s:minimum=1", "l", "[]*int32")]), r#"{"l":[null]}"#, &["Required l[0] stops"]),
    update(Fields(&[("update=NoSet;optional", "a", "[]string")]), r#"{"a":["a"]}"#, r#"{"a":[]}"#, &[]),
];

#[test]
fn the_vectors_of_the_specification_hold() {
    check(ROWS);
}
