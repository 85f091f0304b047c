//! Paths, embedded structs, recursion, ratcheting of fields, subresources, the catalogue.

use super::support::{Go::*, check, create, update};
use takeover_declarative::CompileSettings;

#[test]
fn paths_follow_json_names_and_inlined_structs() {
    check(&[
        create(
            Source(
                "type S struct {\n\tT `json:\",inline\"`\n\t// +k8s:minimum=1\n\tNoTag int32\n\t// +k8s:minimum=1\n\thidden int32\n}\n\ntype T struct {\n\t// +k8s:minimum=1\n\tD int32 `json:\"d\"`\n}",
            ),
            "{}",
            &[
                "Invalid T.d origin=minimum bad=0 detail=must be greater than or equal to 1",
                "Invalid NoTag origin=minimum bad=0 detail=must be greater than or equal to 1",
            ],
        ),
        create(
            Source(
                "type S struct {\n\tX U `json:\"x\"`\n}\n\ntype U struct {\n\tT `json:\",inline\"`\n}\n\ntype T struct {\n\t// +k8s:minimum=1\n\tD int32 `json:\"d\"`\n}",
            ),
            "{}",
            &["Invalid x.d origin=minimum bad=0 detail=must be greater than or equal to 1"],
        ),
        // Only the comment right above counts.
        create(
            Source(
                "type S struct {\n\t// +k8s:minimum=1\n\n\tA int32 `json:\"a\"`\n\t// prose: // +k8s:minimum=1\n\tB int32 `json:\"b\"`\n}",
            ),
            "{}",
            &[],
        ),
        // A definition over a struct has its fields with their tags, and none of its own tags.
        create(
            Source(
                "type S struct {\n\tX U `json:\"x\"`\n}\n\ntype U T\n\n// +k8s:validateFalse\ntype T struct {\n\t// +k8s:minimum=1\n\tD int32 `json:\"d\"`\n}",
            ),
            "{}",
            &["Invalid x.d origin=minimum bad=0 detail=must be greater than or equal to 1"],
        ),
    ]);
}

const TREE: &str = "type S struct {\n\t// +k8s:optional\n\tChild *S `json:\"child\"`\n\tList []S `json:\"list\"`\n\t// +k8s:minimum=1\n\tD int32 `json:\"d\"`\n}";

#[test]
fn recursive_types_recurse_over_the_data() {
    check(&[
        create(
            Source(TREE),
            r#"{"d":1,"child":{"d":1,"child":{"d":0}},"list":[{"d":1},{"d":1,"list":[{"d":0}]}]}"#,
            &[
                "Invalid child.child.d origin=minimum bad=0 detail=must be greater than or equal to 1",
                "Invalid list[1].list[0].d origin=minimum bad=0 detail=must be greater than or equal to 1",
            ],
        ),
        update(Source(TREE), r#"{"child":{"child":{"d":0}}}"#, r#"{"d":1,"child":{"d":1,"child":{"d":0}}}"#, &[]),
    ]);
    let oracle = Source(TREE).compile(&CompileSettings::default()).expect("compiles");
    let rules: Vec<String> = oracle.rules().iter().map(|rule| format!("{} {}", rule.path, rule.chain)).collect();
    assert_eq!(rules, ["child optional", "d minimum=1"]);
}

/// What other lines add to a rule is part of its name, so that a rule that loses it is another rule.
#[test]
fn a_rule_is_named_with_its_members_keys_and_values() {
    let item = "type E struct {\n\tN string `json:\"n\"`\n\tM string `json:\"m\"`\n}";
    let list = |tags: &'static str| {
        format!(
            "type S struct {{\n{}\tL []E `json:\"l\"`\n}}\n{item}",
            tags.replace('+', "\t// +k8s:").replace(';', "\n")
        )
    };
    let union = |discriminator: &str| {
        format!(
            "type S struct {{\n{discriminator}\tD string `json:\"d\"`\n\t// +k8s:unionMember\n\tX *int32 `json:\"x\"`\n\
             \t// +k8s:unionMember(memberName: \"Why\")\n\tY *int32 `json:\"y\"`\n}}"
        )
    };
    for (source, rule) in [
        (list("+listType=map;+listMapKey=n;"), "l listType=map by n"),
        (list("+listType=map;+listMapKey=n;+listMapKey=m;"), "l listType=map by n, m"),
        (list("+listType=atomic;+unique=map;+listMapKey=m;"), "l unique=map by m"),
        (list("+listType=set;"), "l listType=set"),
        (union(""), " unionMember of x, y"),
        (union("\t// +k8s:unionDiscriminator\n"), " unionMember by d of x for \"X\", y for \"Why\""),
        (
            "type S struct {\n\tL V `json:\"l\"`\n}\n// +k8s:enum\ntype V string\nconst (\n\tA V = \"a\"\n\
             \t// +k8s:ifEnabled(Opt)=+k8s:enumExclude\n\tB V = \"b\"\n)"
                .to_owned(),
            "l enum of a, b unless Opt is on",
        ),
    ] {
        let oracle = Source(Box::leak(source.clone().into_boxed_str())).compile(&CompileSettings::default());
        let rules = oracle
            .expect("compiles")
            .rules()
            .iter()
            .map(|rule| format!("{} {}", rule.path, rule.chain))
            .collect::<Vec<_>>();
        assert_eq!(rules, [rule], "{source}");
    }
}

#[test]
fn unchanged_fields_are_left_alone_and_roots_are_not() {
    check(&[
        update(Fields(&[("minimum=1", "a", "int32"), ("", "b", "int32")]), "{}", r#"{"b":1}"#, &[]),
        update(
            Source("// +k8s:validateFalse=\"root\"\ntype S struct {\n\tA int32 `json:\"a\"`\n}"),
            "{}",
            "{}",
            &[r#"Invalid <nil> origin=validateFalse bad={"a":0} detail=forced failure: root"#],
        ),
        // Nil and empty are equal, nil and a pointer to zero are not.
        update(Fields(&[("validateFalse", "a", "[]string")]), "{}", r#"{"a":[]}"#, &[]),
        update(
            Fields(&[("validateFalse", "a", "*int32")]),
            "{}",
            r#"{"a":0}"#,
            &["Invalid a origin=validateFalse bad=0 detail=forced failure: "],
        ),
    ]);
}

#[test]
fn the_catalogue_has_a_rule_per_tag_and_path() {
    let go = With(
        &[
            ("optional;alpha(since: \"1.36\")=+k8s:eachVal=+k8s:maxLength=3", "a", "[]string"),
            ("", "x", "T"),
            ("", "y", "T"),
        ],
        "type T struct {\n\t// +k8s:forbidden\n\tF string `json:\"f\"`\n\t// +k8s:ifEnabled(O)=+k8s:immutable\n\tG string `json:\"g\"`\n}\n",
    );
    let oracle = go.compile(&CompileSettings::default()).expect("compiles");
    let rules: Vec<String> = oracle
        .rules()
        .iter()
        .map(|rule| {
            let reports: Vec<String> =
                rule.reports.iter().map(|report| format!("{:?}@{}", report.error_type, report.field)).collect();
            format!(
                "{} | {} | {} | {} | {:?}",
                rule.path,
                rule.label(),
                reports.join(","),
                rule.update_only,
                rule.options
            )
        })
        .collect();
    assert_eq!(
        rules,
        [
            "a | optional |  | false | []",
            "a[*] | alpha eachVal=maxLength=3 | TooLong@a[*] | false | []",
            "x.f | forbidden | Forbidden@x.f | false | []",
            "x.g | ifEnabled(O)=immutable | Invalid@x.g | true | [(\"O\", true)]",
            "y.f | forbidden | Forbidden@y.f | false | []",
            "y.g | ifEnabled(O)=immutable | Invalid@y.g | true | [(\"O\", true)]",
        ]
    );
}
