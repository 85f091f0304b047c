//! Unions, modes, dependencies, options: rules between fields.

use super::support::{Go::*, check, create, update};

const BOTH: &[(&str, &str, &str)] = &[
    ("unionMember", "x", "*int32"),
    ("unionMember", "y", "[]string"),
    ("unionMember", "z", "string"),
    ("", "other", "int32"),
];
const ZERO: &[(&str, &str, &str)] = &[("zeroOrOneOfMember", "x", "*int32"), ("zeroOrOneOfMember", "y", "*int32")];

#[test]
fn exactly_one_or_at_most_one_member_is_set() {
    check(&[
        create(Fields(BOTH), r#"{"x":0}"#, &[]),
        create(
            Fields(BOTH),
            r#"{"y":[],"z":""}"#,
            &["Invalid <nil> origin=union detail=must specify one of: `x`, `y`, `z`"],
        ),
        create(
            Fields(BOTH),
            r#"{"x":0,"z":"a"}"#,
            &["Invalid <nil> origin=union bad=\"{x, z}\" detail=must specify exactly one of: `x`, `y`, `z`"],
        ),
        update(Fields(BOTH), r#"{"x":0,"z":"a"}"#, r#"{"x":1,"z":"b","other":1}"#, &[]),
        update(
            Fields(BOTH),
            r#"{"x":0,"z":"a"}"#,
            r#"{"x":0,"y":["a"]}"#,
            &["Invalid <nil> origin=union bad=\"{x, y}\" detail=must specify exactly one of: `x`, `y`, `z`"],
        ),
        create(Fields(ZERO), "{}", &[]),
        create(
            Fields(ZERO),
            r#"{"x":0,"y":0}"#,
            &["Invalid <nil> origin=zeroOrOneOf bad=\"{x, y}\" detail=must specify at most one of: `x`, `y`"],
        ),
        // Several unions: by name, the unnamed first; the wrapper of the first member counts for all.
        create(
            Fields(&[
                ("alpha=+k8s:unionMember(union: \"b\")", "x", "*int32"),
                ("unionMember(union: \"a\")", "y", "*int32"),
                ("unionMember", "z", "*int32"),
            ]),
            "{}",
            &[
                "Invalid <nil> origin=union detail=must specify one of: `z` alpha",
                "Invalid <nil> origin=union detail=must specify one of: `y` alpha",
                "Invalid <nil> origin=union detail=must specify one of: `x` alpha",
            ],
        ),
        // From outside, a union of the members of a struct.
        create(
            With(
                &[("subfield(x)=+k8s:unionMember;subfield(y)=+k8s:unionMember", "t", "T")],
                "type T struct {\n\tX *int32 `json:\"x\"`\n\tY *int32 `json:\"y\"`\n}\n",
            ),
            "{}",
            &["Invalid t origin=union detail=must specify one of: `x`, `y`"],
        ),
    ]);
}

const DISCRIMINATED: &[(&str, &str, &str)] = &[
    ("unionDiscriminator", "d", "string"),
    ("unionMember(memberName: \"one\")", "x", "*int32"),
    ("unionMember", "y", "*int32"),
];

#[test]
fn a_discriminator_names_the_member() {
    check(&[
        create(Fields(DISCRIMINATED), r#"{"d":"one","x":1}"#, &[]),
        create(
            Fields(DISCRIMINATED),
            r#"{"d":"Y"}"#,
            &["Invalid y origin=union detail=must be specified when `d` is \"Y\""],
        ),
        create(
            Fields(DISCRIMINATED),
            r#"{"d":"other","x":1}"#,
            &["Invalid x origin=union detail=may only be specified when `d` is \"one\""],
        ),
        update(Fields(DISCRIMINATED), r#"{"d":"Y"}"#, r#"{"d":"Y"}"#, &[]),
        update(
            Fields(DISCRIMINATED),
            r#"{"d":"Y"}"#,
            r#"{"d":"one"}"#,
            &["Invalid x origin=union detail=must be specified when `d` is \"one\""],
        ),
    ]);
}

const E: &str = "type E struct {\n\tN string `json:\"n\"`\n\tD int32 `json:\"d\"`\n}\n";
const TASKS: &[(&str, &str, &str)] = &[(
    "listType=map;listMapKey=n;item(n: \"b\")=+k8s:zeroOrOneOfMember;item(n: \"a\")=+k8s:zeroOrOneOfMember",
    "tasks",
    "[]E",
)];

#[test]
fn unions_of_elements_stand_on_the_list() {
    check(&[
        create(With(TASKS, E), r#"{"tasks":[{"n":"a"}]}"#, &[]),
        create(
            With(TASKS, E),
            r#"{"tasks":[{"n":"a"},{"n":"b"}]}"#,
            &[
                "Invalid tasks origin=zeroOrOneOf bad=\"{tasks[{\\\"n\\\": \\\"b\\\"}], tasks[{\\\"n\\\": \\\"a\\\"}]}\" detail=must specify at most one of: `tasks[{\"n\": \"b\"}]`, `tasks[{\"n\": \"a\"}]`",
            ],
        ),
        update(With(TASKS, E), r#"{"tasks":[{"n":"a"},{"n":"b"}]}"#, r#"{"tasks":[{"n":"b"},{"n":"a","d":1}]}"#, &[]),
    ]);
}

const MODES: &[(&str, &str, &str)] = &[
    ("modeDiscriminator", "m", "string"),
    ("ifMode(\"A\")=+k8s:required;ifMode(\"A\")=+k8s:minimum=2;ifMode(\"B\")=+k8s:optional", "x", "*int32"),
];
const LEVELS: &[(&str, &str, &str)] = &[
    ("modeDiscriminator", "m", "string"),
    ("alpha=+k8s:ifMode(\"A\")=+k8s:optional;beta=+k8s:ifMode(\"B\")=+k8s:required", "x", "*int32"),
    ("alpha=+k8s:ifMode(\"A\")=+k8s:required", "y", "*int32"),
];
const BOOL: &[(&str, &str, &str)] = &[
    ("modeDiscriminator(modality: \"G\")", "on", "bool"),
    ("ifMode(modality: \"G\", mode: \"true\")=+k8s:required", "x", "[]string"),
];

#[test]
fn modes_choose_the_rules_of_a_member() {
    check(&[
        create(Fields(MODES), r#"{"m":"A"}"#, &["Required x"]),
        create(
            Fields(MODES),
            r#"{"m":"A","x":1}"#,
            &["Invalid x origin=minimum bad=1 detail=must be greater than or equal to 2"],
        ),
        create(Fields(MODES), r#"{"m":"B","x":1}"#, &[]),
        create(Fields(MODES), r#"{"m":"B"}"#, &[]),
        create(Fields(MODES), r#"{"x":1}"#, &["Forbidden x"]),
        create(Fields(MODES), r#"{"m":"C"}"#, &[]),
        update(Fields(MODES), r#"{"m":"A"}"#, r#"{"m":"A"}"#, &[]),
        update(Fields(MODES), r#"{"m":"A","x":1}"#, r#"{"m":"C","x":1}"#, &["Forbidden x"]),
        create(Fields(LEVELS), r#"{"x":1,"y":1}"#, &["Forbidden x", "Forbidden y alpha"]),
        create(Fields(LEVELS), r#"{"m":"B"}"#, &["Required x beta"]),
        create(Fields(BOOL), r#"{"on":true}"#, &["Required x"]),
        create(Fields(BOOL), r#"{"x":["a"]}"#, &["Forbidden x"]),
        // The older names, with the mark that older releases set.
        create(
            Fields(&[("discriminator", "m", "string"), ("member(\"A\")=+k8s:required", "x", "*int32")]),
            r#"{"m":"A"}"#,
            &["Required x stops"],
        ),
        // Rules that wait for the whole field are dropped.
        create(
            Fields(&[
                ("modeDiscriminator", "m", "string"),
                ("ifMode(\"A\")=+k8s:eachVal=+k8s:maxLength=0", "x", "[]string"),
            ]),
            r#"{"m":"A","x":["a"]}"#,
            &[],
        ),
    ]);
}

const DEPENDENT: &[(&str, &str, &str)] = &[
    ("dependentRequired(\"b\");dependentForbidden(\"c\")", "a", "string"),
    ("", "b", "[]string"),
    ("", "c", "*int32"),
    ("", "d", "int32"),
];

#[test]
fn a_set_field_asks_for_or_excludes_its_sibling() {
    const B: &str = "Required b origin=dependentRequired detail=must be set when a is set";
    const C: &str = "Forbidden c origin=dependentForbidden detail=may not be set when a is set";
    check(&[
        create(Fields(DEPENDENT), r#"{"a":"x"}"#, &[B]),
        create(Fields(DEPENDENT), r#"{"a":"x","b":[],"c":0}"#, &[B, C]),
        create(Fields(DEPENDENT), r#"{"b":["x"],"c":0}"#, &[]),
        update(Fields(DEPENDENT), r#"{"a":"x","c":0}"#, r#"{"a":"y","c":1,"d":1}"#, &[]),
        update(Fields(DEPENDENT), r#"{"a":"x","b":["x"]}"#, r#"{"a":"x"}"#, &[B]),
    ]);
}

const OPTION: &[(&str, &str, &str)] =
    &[("ifDisabled(O)=+k8s:forbidden;ifEnabled(O)=+k8s:optional;maxLength=0", "a", "string")];

#[test]
fn options_switch_rules() {
    check(&[
        create(Fields(OPTION), r#"{"a":"x"}"#, &["Forbidden a stops"]).with(&[("O", false)]),
        create(Fields(OPTION), "{}", &[]).with(&[("O", false)]),
        create(
            Fields(OPTION),
            r#"{"a":"x"}"#,
            &["TooLong a origin=maxLength bad=\"<value omitted>\" detail=may not be more than 0 characters"],
        )
        .with(&[("O", true)]),
        create(
            Fields(&[("alpha=+k8s:ifEnabled(O)=+k8s:required", "a", "string")]),
            "{}",
            &["Internal a bad=null detail=undefined validation option \"O\" alpha stops"],
        ),
        create(
            Fields(&[("ifOptionEnabled(O)=+k8s:required;ifOptionDisabled(P)=+k8s:maxLength=0", "a", "string")]),
            "{}",
            &["Required a stops"],
        )
        .with(&[("O", true), ("P", false)]),
    ]);
}
