//! What lint found, as its report has it.

use takeover_harness::rule::Source;
use takeover_oracles::declarative::idl::Position;
use takeover_oracles::declarative::lint::{self, Finding, Level, Lint, LintSettings, Origin, lints};
use takeover_reports::Severity;
use takeover_reports::lint::{
    Excerpt, FORMAT_VERSION, LintAbout, LintFinding, LintList, LintPosition, LintReport, LintSummary,
};

/// The report of what was found, with the findings that `wanted` accepts by their file; those without a file stay.
#[must_use]
pub fn report(of: lint::LintReport, with_notes: bool, wanted: impl Fn(&str) -> bool) -> LintReport {
    let mut found = of.findings;
    found.retain(|finding| finding.position().is_none_or(|at| wanted(&at.file)));
    let count = |level| found.iter().filter(|finding| finding.level() == level).count();
    LintReport {
        of_crds: false,
        format_version: FORMAT_VERSION,
        release: of.release.map(|release| release.to_string()),
        summary: LintSummary {
            packages: of.packages,
            types: of.types,
            fields: of.fields,
            tags: of.tags,
            errors: count(Level::Error),
            warnings: count(Level::Warning),
            notes: count(Level::Note),
            excused: of.excused,
        },
        findings: found.iter().map(finding).collect(),
        lints: abouts(),
        off: Vec::new(),
        with_notes,
    }
}

/// The lints of Go types that run only on request, and that these settings leave out.
#[must_use]
pub fn off(settings: &LintSettings) -> Vec<&'static str> {
    let is_off =
        |lint: &&Lint| lint.on_request && !settings.deny.contains(lint.name) && !settings.allow.contains(lint.name);
    lints().filter(is_off).map(|lint| lint.name).collect()
}

/// Every lint, in the order they run.
#[must_use]
pub fn list() -> LintList {
    LintList { format_version: FORMAT_VERSION, lints: abouts() }
}

fn finding(of: &Finding) -> LintFinding {
    let owned = |text: &str| (!text.is_empty()).then(|| text.to_owned());
    LintFinding {
        lint: of.lint().name,
        level: severity(of.level()),
        message: of.message().to_owned(),
        help: of.help_text().map(str::to_owned),
        position: of.position().map(position),
        length: of.length(),
        go_type: owned(of.go_type()),
        field: of.field().and_then(owned),
        source: of.source_line().map(str::to_owned),
        is_hint: of.lint().is_hint,
        excerpt: of.excerpt().map(|excerpt| Excerpt {
            text: excerpt.text().to_owned(),
            before: excerpt.before(),
            start: excerpt.start(),
        }),
    }
}

fn position(of: &Position) -> LintPosition {
    LintPosition { at: Source { file: of.file.as_ref().to_owned(), line: of.line }, column: of.column }
}

fn abouts() -> Vec<LintAbout> {
    lints().map(about).chain(super::crds::abouts()).collect()
}

fn about(lint: &Lint) -> LintAbout {
    LintAbout {
        name: lint.name,
        level: severity(lint.level),
        on_request: lint.on_request,
        origin: match lint.source {
            Origin::Generator => "generator",
            Origin::Proposal => "KEP-5073",
            Origin::Defaults => "KEP-1929",
            Origin::Own => "takeover",
        },
        summary: lint.summary,
        explanation: lint.explanation,
    }
}

fn severity(level: Level) -> Severity {
    match level {
        Level::Note => Severity::Note,
        Level::Warning => Severity::Warning,
        Level::Error => Severity::Error,
    }
}
