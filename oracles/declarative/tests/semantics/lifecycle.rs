//! Levels, order, short circuits, cohorts.

use super::support::{Go::*, check, create};

#[test]
fn wrappers_mark_errors_and_change_nothing_else() {
    check(&[
        create(
            Fields(&[("alpha(since: \"1.36\")=+k8s:required;maxLength=0", "a", "string")]),
            "{}",
            &["Required a alpha stops"],
        ),
        create(
            Fields(&[("beta(since: \"1.37\", owner: \"someone\")=+k8s:minimum=1", "a", "int32")]),
            "{}",
            &["Invalid a origin=minimum bad=0 detail=must be greater than or equal to 1 beta"],
        ),
        // The outer mark wins.
        create(
            Fields(&[("alpha=+k8s:beta=+k8s:minimum=1", "a", "int32")]),
            "{}",
            &["Invalid a origin=minimum bad=0 detail=must be greater than or equal to 1 alpha"],
        ),
        create(
            Fields(&[("eachVal=+k8s:alpha=+k8s:minimum=1", "a", "[]int32")]),
            r#"{"a":[0]}"#,
            &["Invalid a[0] origin=minimum bad=0 detail=must be greater than or equal to 1 alpha"],
        ),
        // Below a wrapper, the mark of a rule without parameters is lost.
        create(
            Fields(&[("eachVal=+k8s:alpha=+k8s:format=k8s-short-name", "a", "[]string")]),
            r#"{"a":["a.b"]}"#,
            &["Invalid a[0] origin=format=k8s-short-name bad=\"a.b\" detail=must not contain dots"],
        ),
        create(
            Fields(&[("alpha=+k8s:eachVal=+k8s:format=k8s-short-name", "a", "[]string")]),
            r#"{"a":["a.b"]}"#,
            &["Invalid a[0] origin=format=k8s-short-name bad=\"a.b\" detail=must not contain dots alpha"],
        ),
    ]);
}

#[test]
fn stopping_rules_stop_their_cohort() {
    check(&[
        create(
            Fields(&[(
                "validateFalse=\"plain\";validateFalse(flags: \"ShortCircuit\")=\"one\";validateFalse(flags: \"ShortCircuit\")=\"two\"",
                "a",
                "string",
            )]),
            "{}",
            &[
                "Invalid a origin=validateFalse detail=forced failure: one stops",
                "Invalid a origin=validateFalse detail=forced failure: two stops",
            ],
        ),
        create(
            Fields(&[(
                "validateFalse=\"plain\";validateFalse(cohort: \"c\", flags: \"ShortCircuit\")=\"c1\";validateFalse(cohort: \"c\")=\"c2\";validateFalse(cohort: \"d\")=\"d\"",
                "a",
                "string",
            )]),
            "{}",
            &[
                "Invalid a origin=validateFalse detail=forced failure: plain",
                "Invalid a origin=validateFalse detail=forced failure: c1 stops",
                "Invalid a origin=validateFalse detail=forced failure: d",
            ],
        ),
        // Silent ones say nothing.
        create(
            Fields(&[(
                "validateFalse(flags: \"ShortCircuit,NonError\")=\"silent\";validateFalse=\"plain\"",
                "a",
                "string",
            )]),
            "{}",
            &[],
        ),
        create(
            Fields(&[("validateFalse(flags: \"NonError\")=\"silent\";validateFalse=\"plain\"", "a", "string")]),
            "{}",
            &["Invalid a origin=validateFalse detail=forced failure: plain"],
        ),
        create(Fields(&[("validateTrue=\"fine\";validateTrueAlpha;validateTrueBeta", "a", "string")]), "{}", &[]),
        // A field that stops keeps its type's rules from running; a stopped element stops the field.
        create(
            With(
                &[("validateFalse(flags: \"ShortCircuit\")=\"field\"", "a", "T")],
                "// +k8s:validateFalse=\"type\"\ntype T struct {\n\tD int32 `json:\"d\"`\n}\n",
            ),
            "{}",
            &[r#"Invalid a origin=validateFalse bad={"d":0} detail=forced failure: field stops"#],
        ),
        create(
            Fields(&[("eachVal=+k8s:validateFalse(flags: \"ShortCircuit\")=\"element\";minItems=5", "a", "[]string")]),
            r#"{"a":["x"]}"#,
            &["Invalid a[0] origin=validateFalse bad=\"x\" detail=forced failure: element stops"],
        ),
        // A type that stops keeps its fields from running.
        create(
            With(
                &[("", "a", "T")],
                "// +k8s:validateFalse(flags: \"ShortCircuit\")=\"type\"\ntype T struct {\n\t// +k8s:required\n\tD int32 `json:\"d\"`\n}\n",
            ),
            "{}",
            &[r#"Invalid a origin=validateFalse bad={"d":0} detail=forced failure: type stops"#],
        ),
    ]);
}
