//! Loads packages and runs every lint over them.

use super::def::Level;
use super::excerpt::Text;
use super::finding::Finding;
use super::model::Model;
use super::registry::LINTS;
use super::rules::graduation::fold;
use super::rules::invalid::INVALID_TAGS;
use super::rules::source::UNUSED_EXCEPTION;
use super::scope;
use super::settings::LintSettings;
use super::sink::Sink;
use crate::idl::{Idl, IdlFault, Loader};
use crate::settings::CompileSettings;
use crate::tags::TagScope;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use takeover_harness::release::Release;

/// What lint found.
#[derive(Clone, Debug, Default)]
pub struct LintReport {
    /// By file, line and column; those without a place first.
    pub findings: Vec<Finding>,
    /// Types that were looked at.
    pub types: usize,
    /// Fields that were looked at.
    pub fields: usize,
    /// Validation tags that were looked at, one per line.
    pub tags: usize,
    /// Findings that exceptions took away.
    pub excused: usize,
    /// Packages that were asked for and loaded.
    pub packages: usize,
    /// Files and packages that cannot be read; each is a finding too.
    pub unreadable: usize,
    /// `+kubebuilder:validation` markers beside the types, which are not read.
    pub kubebuilder_validations: usize,
    /// The release that graduation was judged for.
    pub release: Option<Release>,
}

impl LintReport {
    /// How many findings are of this level.
    #[must_use]
    pub fn count(&self, level: Level) -> usize {
        self.findings.iter().filter(|finding| finding.level == level).count()
    }
}

/// Lints the types of `packages`, which `loader` finds: every exported one and those they use.
///
/// Types of other packages are read and not linted, except that a package whose `doc.go` has `+k8s:validation-gen-input` stands for
/// the package named there. Rules further down count for `requiredness` in types that validation comes to: from kinds, and from
/// what `+k8s:validation-gen` of `doc.go` selects.
///
/// ```
/// use takeover_declarative::idl::{Loader, Memory};
/// use takeover_declarative::lint::{LintSettings, lint};
///
/// let go = "package v1\n\ntype Widget struct {\n\t// +k8s:minimum=0\n\tSize int32 `json:\"size\"`\n}\n";
/// let loader = Loader::new().with(Memory::new().file("example.com/v1", "types.go", go));
/// let report = lint(&loader, &["example.com/v1".to_owned()], &LintSettings::default());
/// assert_eq!(report.findings[0].lint().name, "requiredness");
/// ```
#[must_use]
pub fn lint(loader: &Loader, packages: &[String], settings: &LintSettings) -> LintReport {
    let mut packages = packages.to_vec();
    let mut loaded = loader.load(&packages);
    let mut inputs = scope::inputs(&loaded.idl, &packages);
    inputs.retain(|path| loader.find(path).is_some());
    if !inputs.is_empty() {
        packages.extend(inputs);
        loaded = loader.load(&packages);
    }
    // What is wrong with packages that are only read is theirs to say.
    let files = files_of(loader, &packages);
    loaded.diagnostics.retain(|fault| fault.position().is_none_or(|at| files.contains(&at.file)));
    let engine = CompileSettings::default();
    let model = Model::new(&loaded.idl, &loaded.diagnostics, &packages, &engine, settings.release);
    let mut findings = Vec::new();
    for (lint, look) in LINTS.iter().filter(|(lint, _)| settings.runs(lint)) {
        look(&model, &mut Sink { lint, findings: &mut findings });
    }
    drop_said_twice(&mut findings);
    let before = findings.len();
    let mut used = settings.exceptions.unused();
    findings.retain(|finding| !used.excuses(finding));
    let excused = before - findings.len();
    if settings.runs(&UNUSED_EXCEPTION) {
        used.report_unused(&model, |lint| settings.runs(lint), &mut findings);
    }
    for finding in &mut findings {
        if settings.deny.contains(finding.lint.name) || (settings.strict && finding.level == Level::Note) {
            finding.level = Level::Error;
        }
    }
    findings.sort_by(|a, b| (&a.position, a.lint.name, &a.message).cmp(&(&b.position, b.lint.name, &b.message)));
    findings.dedup_by(|a, b| a.position == b.position && a.lint.name == b.lint.name && a.message == b.message);
    fold(&mut findings);
    attach_sources(loader, &loaded.idl, &mut findings);
    let count = |place| model.subjects.iter().filter(|subject| subject.place == place).count();
    LintReport {
        findings,
        types: count(TagScope::Type),
        fields: count(TagScope::Field),
        tags: model.subjects.iter().map(|subject| subject.tags().count()).sum(),
        excused,
        packages: model.packages.len(),
        unreadable: loaded.diagnostics.iter().filter(|fault| is_unreadable(fault.fault())).count(),
        kubebuilder_validations: loaded.idl.kubebuilder_validations(|of| packages.iter().any(|package| package == of)),
        release: model.release,
    }
}

/// Names of the files of packages.
fn files_of(loader: &Loader, packages: &[String]) -> HashSet<Arc<str>> {
    let packages = packages.iter().filter_map(|path| loader.find(path));
    packages.flat_map(|package| package.files).map(|file| file.name).collect()
}

fn is_unreadable(fault: IdlFault) -> bool {
    matches!(fault, IdlFault::Unreadable | IdlFault::MissingPackage)
}

/// Takes away findings of `invalid-tags` on lines of which another lint says the same.
fn drop_said_twice(findings: &mut Vec<Finding>) {
    let said: HashSet<(Arc<str>, u32)> = findings
        .iter()
        .filter(|finding| finding.lint.says_invalid && finding.level == Level::Error)
        .filter_map(|finding| finding.position.as_ref())
        .map(|at| (Arc::clone(&at.file), at.line))
        .collect();
    findings.retain(|finding| {
        let at = finding.position.as_ref().map(|at| (Arc::clone(&at.file), at.line));
        finding.lint.name != INVALID_TAGS.name || !at.is_some_and(|at| said.contains(&at))
    });
}

/// Gives every finding the lines around it.
fn attach_sources(loader: &Loader, idl: &Idl, findings: &mut [Finding]) {
    let mut texts: HashMap<Arc<str>, Option<Text>> = findings
        .iter()
        .filter(|finding| finding.excerpt.is_none())
        .filter_map(|finding| finding.position.as_ref())
        .map(|position| (Arc::clone(&position.file), None))
        .collect();
    if texts.is_empty() {
        return;
    }
    for file in idl.packages.iter().filter_map(|package| loader.find(&package.path)).flat_map(|package| package.files) {
        if let (Some(slot), Ok(text)) = (texts.get_mut(&file.name), file.text) {
            *slot = Some(Text::new(&text));
        }
    }
    for finding in findings.iter_mut().filter(|finding| finding.excerpt.is_none()) {
        let text = finding.position.as_ref().and_then(|at| texts.get(&at.file)?.as_ref()?.around(at));
        finding.excerpt = text;
    }
}
