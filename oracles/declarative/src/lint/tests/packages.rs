//! Mistakes that take several packages, or stand in `doc.go`.

use super::{Level, LintSettings, lint_files, marks, places, shown};
use crate::lint::Finding;

const V1: &str = "example.com/api/apps/v1";
const BETA1: &str = "example.com/api/apps/v1beta1";
const BETA2: &str = "example.com/api/apps/v1beta2";

fn field(tags: &str) -> String {
    let lines: String = tags.lines().map(|tag| format!("\t// {tag}\n")).collect();
    format!("type T struct {{\n{lines}\tA string `json:\"a\"`\n}}\n")
}

#[test]
fn drift_is_reported_at_both_places() {
    // Fields of v1 and v1beta1; a mark stands before each finding.
    for (v1, beta1, message) in [
        ("+k8s:required", "+k8s:required", ""),
        ("+k8s:required\n+k8s:maxLength=2", "+k8s:maxLength=2\n+k8s:required", ""),
        (
            "+k8s:required\n‸+k8s:maxLength=2",
            "+k8s:required\n‸+k8s:maxLength=3",
            "`maxLength=2` here is `maxLength=3` in `v1beta1`",
        ),
        (
            "‸+k8s:required",
            "‸+k8s:beta(since: \"1.37\")=+k8s:required",
            "`required` is stable here and beta in `v1beta1`",
        ),
        // Since when is no part of the rule.
        ("+k8s:beta(since: \"1.36\")=+k8s:required", "+k8s:beta(since: \"1.37\")=+k8s:required", ""),
        // The other place is the field itself.
        ("+k8s:required\n‸+k8s:maxLength=2", "+k8s:required\n‸", "`maxLength=2` is not on `T.A` of `v1beta1`"),
        ("+k8s:required\n‸", "+k8s:required\n‸+k8s:maxLength=2", "`maxLength=2` of `v1beta1` is missing here"),
        ("‸+k8s:required\n‸", "‸+k8s:optional\n‸", "`required` is not on `T.A` of `v1beta1`"),
        // What is misspelt is no other rule.
        ("+k8s:required\n+k8s:maxLength=2", "+k8s:required\n+k8s:maxLenght=2", ""),
    ] {
        let source = |version: &str, tags: &str| {
            let text = format!("package {version}\n\n{}", field(tags));
            // A mark at the end of the tags stands for the field.
            marks(&text.replace("\t// ‸\n\tA", "\t‸A"))
        };
        let ((v1, expected_v1), (beta1, expected_beta1)) = (source("v1", v1), source("v1beta1", beta1));
        let report = lint_files(&[(V1, "types.go", &v1), (BETA1, "types.go", &beta1)], &LintSettings::default());
        let drift: Vec<&Finding> =
            report.findings.iter().filter(|finding| finding.lint().name == "version-drift").collect();
        let of = |package: &str| -> Vec<(u32, u32)> {
            let of = drift.iter().filter_map(|finding| finding.position());
            of.filter(|at| at.file.starts_with(&format!("{package}/"))).map(|at| (at.line, at.column)).collect()
        };
        assert_eq!((of(V1), of(BETA1)), (expected_v1, expected_beta1), "{v1}{beta1}{:#?}", shown(&report));
        assert!(
            message.is_empty() || drift.iter().any(|finding| finding.message() == message),
            "{:#?}",
            shown(&report)
        );
    }
}

#[test]
fn every_version_is_compared_with_the_most_mature_that_has_the_field() {
    // The field of v1beta1 lacks what the second tag of v1beta2 says; v1 does not have the field.
    let two = format!("package v1beta2\n\n{}", field("+k8s:required\n+k8s:maxLength=3"));
    let one = format!("package v1beta1\n\n{}", field("+k8s:required"));
    let stable = "package v1\n\ntype T struct {\n\tB string `json:\"b\"`\n}\n";
    let files = [(V1, "types.go", stable), (BETA1, "types.go", one.as_str()), (BETA2, "types.go", two.as_str())];
    assert_eq!(places(&lint_files(&files, &LintSettings::default()), "version-drift"), [(5, 2), (5, 5)]);
}

#[test]
fn other_groups_and_packages_without_version_do_not_drift() {
    let strict = |name: &str| format!("package {name}\n\n{}", field("+k8s:required"));
    let loose = "package v1\n\ntype T struct {\n\tA string `json:\"a\"`\n}\n";
    let (beta, internal) = (strict("v1beta1"), strict("internal"));
    let files = [
        ("example.com/api/apps/v1", "types.go", loose),
        ("example.com/api/batch/v1beta1", "types.go", beta.as_str()),
        ("example.com/api/apps/internal", "types.go", internal.as_str()),
    ];
    assert_eq!(shown(&lint_files(&files, &LintSettings::default())), [""; 0]);
}

#[test]
fn constants_drift_too() {
    let source = |version: &str, tag: &str| {
        format!("package {version}\n\n// +k8s:enum\ntype L string\n\nconst (\n{tag}\tA L = \"a\"\n)\n")
    };
    let (v1, beta1) = (source("v1", ""), source("v1beta1", "\t// +k8s:ifEnabled(X)=+k8s:enumExclude\n"));
    let report = lint_files(&[(V1, "types.go", &v1), (BETA1, "types.go", &beta1)], &LintSettings::default());
    assert_eq!(places(&report, "version-drift"), [(7, 2), (7, 5)], "{:#?}", shown(&report));
}

#[test]
fn generator_tags_of_doc_go_are_known_ones() {
    let types = "package v1\n\ntype TypeMeta struct{}\n\ntype T struct {\n\tTypeMeta `json:\",inline\"`\n}\n";
    let asked =
        || LintSettings { deny: ["known-tags-only", "require-explicit-disablement"].into(), ..LintSettings::default() };
    for (doc, unknown, missing) in [
        ("// +k8s:deepcopy-gen=package\n// +groupName=apps\npackage v1\n", vec![], 0),
        ("// +groupName=apps\npackage v1\n", vec![], 1),
        ("// +groupName=apps\n// +k8s:deepcopy-gen=false\n// +k8s:deepcoppy-gen=x\npackage v1\n", vec![(3, 4)], 0),
        ("// +k8s:deepcopy-gen:interfaces=x\n// +k8s:nothing=x\n// +k8s:deepcopy-gen=package\npackage v1\n", vec![], 0),
        ("package v1\n", vec![], 0),
    ] {
        let files = [(V1, "doc.go", doc), (V1, "types.go", types)];
        let report = lint_files(&files, &asked());
        assert_eq!(places(&report, "known-tags-only"), unknown, "{doc}");
        assert_eq!(places(&report, "require-explicit-disablement").len(), missing, "{doc}");
        assert_eq!(shown(&lint_files(&files, &LintSettings::default())), [""; 0], "{doc}");
    }
    // Defaults and validation of a version whose types are elsewhere.
    let doc = "// +k8s:validation-gen=TypesWithField=TypeMeta\n// +k8s:defaulter-gen=false\npackage v1\n";
    let report = lint_files(&[(V1, "doc.go", doc), (V1, "defaults.go", "package v1\n")], &asked());
    let messages: Vec<&str> = report.findings.iter().map(Finding::message).collect();
    assert_eq!(messages, ["`doc.go` of `example.com/api/apps/v1` neither sets nor disables `+k8s:conversion-gen`"]);
}

#[test]
fn nolint_silences_a_package_or_a_type_and_what_is_below_it() {
    let mistake = "\t// +k8s:minimum=1\n\tA int32 `json:\"a\"`\n}\n";
    let kind = "type Kind struct {\n\tTypeMeta `json:\",inline\"`\n";
    let nested = format!("{kind}\tU U `json:\"u\"`\n}}\n\ntype TypeMeta struct{{}}\n\ntype U struct {{\n{mistake}");
    let quiet = "// +k8s:validation-gen-nolint\n";
    for (doc, go, found) in [
        ("", nested.clone(), 1),
        (quiet, nested.clone(), 0),
        ("", format!("{quiet}{nested}"), 0),
        ("", format!("{quiet}type T struct {{\n{mistake}"), 0),
        // What is reached another way is linted.
        ("", format!("{quiet}{nested}\n{}\tU U `json:\"u\"`\n}}\n", kind.replace("Kind", "Other")), 1),
        // Tags that do not compile are silenced with the rest.
        ("", format!("{quiet}type T struct {{\n{}", mistake.replace("int32", "string")), 0),
    ] {
        let (doc, go) = (format!("{doc}package v1\n"), format!("package v1\n\n{go}"));
        let report = lint_files(&[(V1, "doc.go", doc.as_str()), (V1, "types.go", &go)], &LintSettings::default());
        assert_eq!(report.findings.len(), found, "{doc}{go}{:#?}", shown(&report));
    }
}

#[test]
fn rules_further_down_count_where_validation_comes_to_a_type() {
    // `T.U` needs a requiredness tag where `T` is a root, or below one.
    let types =
        "type T struct {\n\tU *U `json:\"u\"`\n}\n\ntype U struct {\n\t// +k8s:required\n\tA string `json:\"a\"`\n}\n";
    let kind = "type Kind struct {\n\tTypeMeta `json:\",inline\"`\n\tT T `json:\"t\"`\n}\n\ntype TypeMeta struct{}\n";
    let other = kind.replace("\tT T `json:\"t\"`\n", "");
    for (marker, go, found) in [
        ("", types.to_owned(), 1),
        ("", format!("{types}{kind}"), 1),
        ("", format!("{types}{other}"), 0),
        ("*", format!("{types}{other}"), 1),
        ("false", types.to_owned(), 0),
        ("false", format!("{types}{kind}"), 0),
        ("TypesWithSuffix=T", format!("{types}{other}"), 1),
        ("TypesWithField=U", format!("{types}{other}"), 1),
        ("TypesWithField=V", format!("{types}{other}"), 0),
        ("", format!("// +k8s:validation-gen=true\n{types}{other}"), 1),
        ("*", format!("// +k8s:validation-gen=false\n{types}"), 0),
        ("", types.replace("\tU *U", "\tListMeta `json:\"metadata\"`\n\tU *U") + "\ntype ListMeta struct{}\n", 0),
    ] {
        let marker = if marker.is_empty() { String::new() } else { format!("// +k8s:validation-gen={marker}\n") };
        let (doc, go) = (format!("{marker}package v1\n"), format!("package v1\n\n{go}"));
        let report = lint_files(&[(V1, "doc.go", doc.as_str()), (V1, "types.go", &go)], &LintSettings::default());
        assert_eq!(places(&report, "requiredness").len(), found, "{doc}{go}{:#?}", shown(&report));
    }
}

#[test]
fn a_package_of_generated_code_stands_for_the_package_of_its_types() {
    let mistake = "package v1\n\ntype T struct {\n\t// +k8s:minimum=1\n\tA int32 `json:\"a\"`\n}\n";
    let doc = format!("// +k8s:validation-gen=*\n// +k8s:validation-gen-input={V1}\npackage v1\n");
    let memory = super::Memory::new().file(V1, "types.go", mistake).file("example.com/pkg/apps/v1", "doc.go", &doc);
    let loader = super::Loader::new().with(memory);
    let report = super::lint(&loader, &["example.com/pkg/apps/v1".to_owned()], &LintSettings::default());
    assert_eq!(places(&report, "requiredness"), [(5, 2)], "{:#?}", shown(&report));
}

#[test]
fn types_of_other_packages_are_read_and_not_linted() {
    let mistake = "package v1\n\ntype U struct {\n\t// +k8s:minimum=1\n\tA int32 `json:\"a\"`\n\tB ?\n}\n";
    let user = "package v1\n\nimport other \"example.com/other/v1\"\n\ntype T struct {\n\t// +k8s:optional\n\tU *other.U `json:\"u\"`\n\
                \tV *other.U `json:\"v\"`\n}\n";
    let memory = super::Memory::new().file(V1, "types.go", user).file("example.com/other/v1", "types.go", mistake);
    let report = super::lint(&super::Loader::new().with(memory), &[V1.to_owned()], &LintSettings::default());
    assert_eq!((report.findings.len(), places(&report, "requiredness")), (1, vec![(8, 2)]), "{:#?}", shown(&report));
}

#[test]
fn every_fault_of_every_file_is_reported() {
    let a = "package v1\n\ntype A struct {\n\tX string ?\n}\n\ntype B struct {\n\tY Missing `json:\"y\"`\n}\n";
    let b = "package v1\n\ntype C struct {\n\t// +k8s:required\n\t// +k8s:minimum=x\n\tZ string `json:\"z\"`\n\t// +k8s:maxLength=-1\n\t// +k8s:required\n\tW string `json:\"w\"`\n}\n";
    let report = lint_files(&[(V1, "a.go", a), (V1, "b.go", b)], &LintSettings::default());
    assert_eq!(places(&report, "go-source"), [(4, 11), (8, 4)], "{:#?}", shown(&report));
    assert_eq!(places(&report, "invalid-tags"), [(5, 5), (7, 5)], "{:#?}", shown(&report));
    assert!(report.findings.iter().all(|finding| finding.source_line().is_some()), "{:#?}", shown(&report));
    assert!(report.findings.iter().all(|finding| finding.level() == Level::Error));
}

#[test]
fn types_that_the_generator_refuses_are_reported_where_somebody_validates_them() {
    let types = "\n\ntype P *int32\n\ntype T struct {\n\tA map[string]*string `json:\"a\"`\n}\n";
    let tagged = format!("{types}\ntype U struct {{\n\t// +k8s:required\n\tB string `json:\"b\"`\n}}\n");
    for (doc, go, expected) in [
        ("", types, vec![]),
        ("// +k8s:validation-gen=*\n", types, vec![(3, 6), (6, 2)]),
        ("", tagged.as_str(), vec![(3, 6), (6, 2)]),
    ] {
        let (doc, go) = (format!("{doc}package v1\n"), format!("package v1{go}"));
        let report = lint_files(&[(V1, "doc.go", doc.as_str()), (V1, "types.go", &go)], &LintSettings::default());
        assert_eq!(places(&report, "invalid-tags"), expected, "{doc}{go}{:#?}", shown(&report));
        assert_eq!(report.types, if go.contains("U struct") { 3 } else { 2 });
    }
}

#[test]
fn what_tags_say_about_types_that_are_not_loaded_is_doubted() {
    let go = "package v1\n\nimport o \"example.com/gone/v1\"\n\ntype T struct {\n\t// +k8s:subfield(a)=+k8s:required\n\tA o.U `json:\"a\"`\n\
              \t// +k8s:optional\n\t// +k8s:listType=map\n\t// +k8s:listMapKey=a\n\tB []o.U `json:\"b\"`\n\
              \t// +k8s:optional\n\t// +k8s:minimum=x\n\tC int32 `json:\"c\"`\n}\n";
    let report = lint_files(&[(V1, "types.go", go)], &LintSettings::default());
    let levels: Vec<_> =
        report.findings.iter().map(|finding| (finding.position().unwrap().line, finding.level())).collect();
    assert_eq!(levels, [(6, Level::Warning), (9, Level::Warning), (10, Level::Warning), (13, Level::Error)]);
}

#[test]
fn a_package_that_is_not_there_is_reported() {
    let report = super::lint(&super::Loader::new(), &["example.com/gone".to_owned()], &LintSettings::default());
    assert_eq!((report.findings.len(), report.unreadable, report.packages), (1, 1, 0), "{:?}", shown(&report));
}
