//! Lints on Go source with mistakes sown in.

mod hostile;
mod packages;
mod seeded;

use super::{Exceptions, Finding, Level, LintReport, LintSettings, lint};
use crate::idl::{Loader, Memory, builtin};

/// Stands in Go source right before the place where a finding is expected.
const MARK: char = '‸';

const PACKAGE: &str = "example.com/api/apps/v1";

/// Lints one file of one package; `go` follows the package clause.
fn lint_source(package: &str, go: &str, settings: &LintSettings) -> LintReport {
    let name = package.rsplit('/').next().unwrap();
    let text = format!("package {name}\n\n{go}");
    lint_files(&[(package, "types.go", &text)], settings)
}

/// Lints packages of whole files: import path, file name, text.
fn lint_files(files: &[(&str, &str, &str)], settings: &LintSettings) -> LintReport {
    let memory = files.iter().fold(Memory::new(), |memory, (path, name, text)| memory.file(path, name, text));
    let mut packages: Vec<String> = files.iter().map(|(path, ..)| (*path).to_owned()).collect();
    packages.dedup();
    lint(&Loader::new().with(memory).with(builtin()), &packages, settings)
}

/// The text without marks, and line and column of each mark.
fn marks(text: &str) -> (String, Vec<(u32, u32)>) {
    let mut marks = Vec::new();
    let (mut line, mut column) = (1, 1);
    let mut plain = String::new();
    for c in text.chars() {
        if c == MARK {
            marks.push((line, column));
            continue;
        }
        plain.push(c);
        if c == '\n' {
            line += 1;
            column = 1;
        } else {
            column += u32::try_from(c.len_utf8()).unwrap();
        }
    }
    (plain, marks)
}

/// Line and column of every finding of a lint.
fn places(report: &LintReport, lint: &str) -> Vec<(u32, u32)> {
    let found = report.findings.iter().filter(|finding| finding.lint().name == lint);
    found.filter_map(Finding::position).map(|at| (at.line, at.column)).collect()
}

/// Findings as people read them, for messages of tests.
fn shown(report: &LintReport) -> Vec<String> {
    let shown = |finding: &Finding| {
        let at = finding.position().map_or(String::new(), |at| format!("{}:{}:{}: ", at.file, at.line, at.column));
        format!("{at}{}[{}]: {}", finding.level(), finding.lint().name, finding.message())
    };
    report.findings.iter().map(shown).collect()
}

#[test]
fn the_shipped_types_are_clean() {
    let loader = Loader::new().with(builtin());
    let exceptions = super::shipped_exceptions().unwrap();
    let report = lint(&loader, &loader.packages(), &LintSettings { exceptions, ..LintSettings::default() });
    let loud = LintReport {
        findings: report.findings.iter().filter(|finding| finding.level() > Level::Note).cloned().collect(),
        ..LintReport::default()
    };
    assert!(loud.findings.is_empty(), "{:#?}", shown(&loud));
    assert!(report.types > 100 && report.tags > 500, "{} types, {} tags", report.types, report.tags);
}

#[test]
fn strict_makes_errors_of_notes() {
    let go = "type T struct {\n\t// +k8s:alpha=+k8s:required\n\tA string `json:\"a\"`\n}\n";
    for (strict, level) in [(false, Level::Note), (true, Level::Error)] {
        let report = lint_source(PACKAGE, go, &LintSettings { strict, ..LintSettings::default() });
        assert_eq!(report.findings.len(), 2, "{:?}", shown(&report));
        assert!(report.findings.iter().all(|finding| finding.level() == level), "{:?}", shown(&report));
    }
}

#[test]
fn lints_can_be_denied_and_allowed() {
    let go = "type T struct {\n\t// +k8s:requird\n\t// +k8s:alpha(since: \"1.36\")=+k8s:required\n\tA string `json:\"a\"`\n}\n";
    let of = |settings: &LintSettings| {
        let report = lint_source(PACKAGE, go, settings);
        let names = report.findings.iter().map(|finding| (finding.lint().name, finding.level()));
        names.collect::<Vec<_>>()
    };
    assert_eq!(of(&LintSettings::default()), [("unknown-tag", Level::Error), ("lifecycle-owner", Level::Note)]);
    let deny = ["lifecycle-owner"].into();
    assert_eq!(
        of(&LintSettings { deny, ..LintSettings::default() }),
        [("unknown-tag", Level::Error), ("lifecycle-owner", Level::Error)]
    );
    let allow = ["lifecycle-owner", "unknown-tag"].into();
    assert_eq!(of(&LintSettings { allow, ..LintSettings::default() }), []);
}

#[test]
fn graduation_is_judged_for_a_release_and_said_once_a_package() {
    let field = |name: &str, since: &str| {
        let json = name.to_lowercase();
        format!(
            "\t// +k8s:alpha(since: \"{since}\", owner: \"sig-node\")=+k8s:required\n\t{name} string `json:\"{json}\"`\n"
        )
    };
    let fields: String = ["A", "B", "C", "D", "E"].map(|name| field(name, "1.36")).concat();
    let go = format!("type T struct {{\n{fields}{}}}\n", field("F", "1.37"));
    let found = |release: Option<&str>| {
        let release = release.map(|release| release.parse().unwrap());
        let report = lint_source(PACKAGE, &go, &LintSettings { release, ..LintSettings::default() });
        report.findings.iter().map(|finding| finding.message().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(found(None), [""; 0], "a later `since` makes no older rule eligible");
    assert_eq!(found(Some("1.37")), ["5 rules of apps/v1 could graduate: T.A to beta and 4 more"]);
    // A field is named once, and a tag that does not compile goes nowhere.
    let tag = "\t// +k8s:alpha(since: \"1.36\")=";
    let fields = format!(
        "{tag}+k8s:required\n{tag}+k8s:maxLength=9\n\tA string `json:\"a\"`\n{tag}+k8s:requird\n\tB string `json:\"b\"`\n"
    );
    let settings = LintSettings { release: Some("1.37".parse().unwrap()), ..LintSettings::default() };
    let report = lint_source(PACKAGE, &format!("type T struct {{\n{fields}}}\n"), &settings);
    let messages: Vec<&str> = report.findings.iter().map(|finding| finding.message()).collect();
    assert!(messages.contains(&"2 rules of apps/v1 could graduate: T.A to beta (×2)"), "{messages:?}");
    let last = lint_source(
        PACKAGE,
        &format!("type T struct {{\n{}}}\n", field("A", "1.36")),
        &LintSettings { release: Some("1.37".parse().unwrap()), ..LintSettings::default() },
    );
    assert!(last.findings[0].message().starts_with("eligible for graduation to beta"), "{:?}", last.findings);
}

#[test]
fn exceptions_excuse_findings_and_stale_ones_are_errors() {
    let go = "type T struct {\n\t// +k8s:minItems=0\n\t// +k8s:optional\n\tA []string `json:\"a\"`\n\
              \t// +k8s:required\n\tB string `json:\"b\"`\n}\n";
    let entry = |go_type: &str, field: &str| {
        format!(
            "[[exception]]\nlint = \"never-fires\"\ntype = \"{go_type}\"\nfield = \"{field}\"\nreason = \"as it is\"\n"
        )
    };
    for (text, expected, excused) in [
        (String::new(), vec![("never-fires", 4)], 0),
        (entry("*.T", "A"), vec![], 1),
        (entry("example.com/api/apps/v1.T", "A"), vec![], 1),
        // Two that excuse the same finding are both in use.
        (format!("{}{}", entry("*.T", "A"), entry("*", "A")), vec![], 1),
        (entry("*.T", "B"), vec![("unused-exception", 1), ("never-fires", 4)], 0),
        (entry("example.com/api/apps/v1.Gone", "A"), vec![("unused-exception", 1), ("never-fires", 4)], 0),
        // Types that are not linted here.
        (entry("example.com/api/apps/v2.T", "A"), vec![("never-fires", 4)], 0),
    ] {
        let exceptions = Exceptions::parse("lint-exceptions.toml", &text).unwrap();
        let report = lint_source(PACKAGE, go, &LintSettings { exceptions, ..LintSettings::default() });
        let mut found: Vec<_> =
            report.findings.iter().map(|finding| (finding.lint().name, finding.position().unwrap().line)).collect();
        found.sort_unstable_by_key(|(_, line)| *line);
        assert_eq!((found, report.excused), (expected, excused), "{text}");
    }
}

#[test]
fn exceptions_from_lints_that_do_not_run_are_not_stale() {
    let text = "[[exception]]\nlint = \"known-tags-only\"\ntype = \"*\"\nreason = \"r\"\n";
    let exceptions = Exceptions::parse("e.toml", text).unwrap();
    let go = "type T struct {\n\tA string `json:\"a\"`\n}\n";
    let settings = LintSettings { exceptions, ..LintSettings::default() };
    assert_eq!(shown(&lint_source(PACKAGE, go, &settings)), [""; 0]);
    let settings = LintSettings { deny: ["known-tags-only"].into(), ..settings };
    assert_eq!(places(&lint_source(PACKAGE, go, &settings), "unused-exception"), [(1, 1)]);
}

#[test]
fn exceptions_from_drift_are_stale_only_where_versions_are_compared() {
    let text = "[[exception]]\nlint = \"version-drift\"\ntype = \"example.com/api/apps/*.T\"\nreason = \"r\"\n";
    let settings = LintSettings { exceptions: Exceptions::parse("e.toml", text).unwrap(), ..LintSettings::default() };
    let go = "\n\ntype T struct {\n\t// +k8s:required\n\tA string `json:\"a\"`\n}\n";
    let (v1, beta1) = (format!("package v1{go}"), format!("package v1beta1{go}"));
    let files = [(PACKAGE, "types.go", v1.as_str()), ("example.com/api/apps/v1beta1", "types.go", beta1.as_str())];
    assert_eq!(places(&lint_files(&files[..1], &settings), "unused-exception"), []);
    assert_eq!(places(&lint_files(&files, &settings), "unused-exception"), [(1, 1)]);
}
