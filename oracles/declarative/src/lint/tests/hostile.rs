//! Source made to hurt: it ends in a report.

use super::{LintSettings, PACKAGE, lint_source, shown};

#[test]
fn recursive_types_end() {
    let go = "type T struct {\n\t// +k8s:optional\n\tA *T `json:\"a\"`\n\tB []U `json:\"b\"`\n}\n\ntype U struct {\n\tC map[string]T `json:\"c\"`\n}\n\n\
              type L []L\n";
    let report = lint_source(PACKAGE, go, &LintSettings::default());
    assert_eq!(super::places(&report, "requiredness"), [(6, 2), (10, 2)], "{:#?}", shown(&report));
}

#[test]
fn long_chains_and_names_end() {
    let chain = |tag: &str, count: usize| format!("{}k8s:required", format!("k8s:{tag}=+").repeat(count));
    for line in [
        chain("alpha", 60),
        chain("alpha", 5000),
        chain("eachVal", 60),
        chain("ifEnabled(A)", 60).replace("=+k8s:required", "=+k8s:ifDisabled(A)=+k8s:required"),
        format!("k8s:{}", "x".repeat(100_000)),
        format!("k8s:{}=1", "é".repeat(70_000)),
        format!("default={}", "[".repeat(100_000)),
        format!("k8s:default={}{}", "[".repeat(120), "]".repeat(120)),
        format!("k8s:minimum={}", "9".repeat(5000)),
        "k8s:neq=\"\u{1b}[31m\u{202e}\"".to_owned(),
    ] {
        let go = format!("type T struct {{\n\t// +{line}\n\tA []string `json:\"a\"`\n}}\n");
        let settings = LintSettings::default();
        assert!(!lint_source(PACKAGE, &go, &settings).findings.is_empty(), "{}", &line[..line.len().min(60)]);
    }
}

#[test]
fn types_with_exponentially_many_paths_end() {
    let mut go = String::new();
    for level in 0..40 {
        let next = level + 1;
        go.push_str(&format!("type T{level} struct {{\n\tA *T{next} `json:\"a\"`\n\tB *T{next} `json:\"b\"`\n}}\n\n"));
    }
    go.push_str("type T40 struct {\n\t// +k8s:required\n\tD string `json:\"d\"`\n}\n");
    assert_eq!(lint_source(PACKAGE, &go, &LintSettings::default()).findings.len(), 80);
}

#[test]
fn text_that_is_no_go_ends() {
    for text in [
        "",
        "}{",
        "type",
        "type T struct {",
        "// +k8s:",
        "type T struct {\n\t// +\n\t// +=\n\t// +k8s:alpha(\n\tA",
        "\u{feff}\0",
    ] {
        lint_source(PACKAGE, text, &LintSettings::default());
    }
}
