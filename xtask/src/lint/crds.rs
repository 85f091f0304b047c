//! CRD manifests: their lints, with the places in the files.

use anyhow::Context as _;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs;
use std::path::{Path, PathBuf};
use takeover_corpora::load::{Document, Input, Limits, load, places};
use takeover_custom_resources::lint::{CrdLint, Finding, REFUSED, changes, lint, lint_update, lints};
use takeover_harness::case::Provenance;
use takeover_harness::rule::Source;
use takeover_reports::Severity;
use takeover_reports::lint::{Excerpt, FORMAT_VERSION, LintAbout, LintFinding, LintPosition, LintReport, LintSummary};

/// What to lint, and which findings weigh otherwise.
pub struct CrdSettings<'s> {
    /// Manifests before a change.
    pub old: &'s [PathBuf],
    /// Lints whose findings are errors.
    pub deny: &'s [&'static str],
    /// Lints that are left out.
    pub allow: &'s [&'static str],
}

/// Whether a path is of manifests: a file of YAML or JSON, also a compressed one, or a folder with such files and no Go files.
#[must_use]
pub fn is_of_manifests(path: &Path) -> bool {
    if !path.is_dir() {
        return is_manifest(path);
    }
    super::inputs::packages_below(path).is_empty()
        && fs::read_dir(path).is_ok_and(|entries| entries.flatten().any(|entry| is_manifest(&entry.path())))
}

fn is_manifest(path: &Path) -> bool {
    let is = |path: &Path, endings: &[&str]| {
        path.extension().is_some_and(|extension| endings.iter().any(|known| extension == *known))
    };
    let plain = if is(path, &["gz", "zst"]) { path.with_extension("") } else { path.to_owned() };
    is(&plain, &["yaml", "yml", "json", "jsonl", "ndjson"])
}

/// Lints the CRDs in `paths`. Returns the report, and what to say of CRDs that are on one side of a change only; one line each.
///
/// # Errors
/// When a file cannot be read, or no old one has a CRD.
pub fn lint_crds(paths: &[PathBuf], settings: &CrdSettings<'_>) -> anyhow::Result<(LintReport, Vec<String>)> {
    let mut old = BTreeMap::new();
    for document in crds(settings.old)? {
        old.insert(name(&document.value).to_owned(), document.value);
    }
    anyhow::ensure!(settings.old.is_empty() || !old.is_empty(), "--old has no CRD");
    let mut findings = Vec::new();
    let mut texts: HashMap<String, Text> = HashMap::new();
    let (mut types, mut fields) = (0, 0);
    let mut new = BTreeSet::new();
    for document in crds(paths)? {
        types += 1;
        let before = old.get(name(&document.value));
        let mut found = match before {
            _ if document.api_version != V1 => vec![not_served(&document)],
            Some(old) => lint_update(old, &document.value),
            None => lint(&document.value),
        };
        found.extend(before.map(|old| changes(old, &document.value)).unwrap_or_default());
        new.insert(name(&document.value).to_owned());
        let Provenance::File { path, line, .. } = &document.provenance else { continue };
        let text = texts.entry(path.clone()).or_insert_with(|| Text::read(path));
        let known = places(&text.0, *line);
        fields += known.keys().filter(|pointer| in_properties(pointer)).count();
        let shown = found.into_iter().filter(|finding| !settings.allow.contains(&finding.lint.name));
        findings.extend(shown.map(|finding| text.finding(finding, path, *line, &known, settings)));
    }
    findings.sort_by_key(|finding: &LintFinding| {
        finding.position.as_ref().map(|position| (position.at.file.clone(), position.at.line, position.column))
    });
    let count = |level| findings.iter().filter(|finding: &&LintFinding| finding.level == level).count();
    let report = LintReport {
        of_crds: true,
        format_version: FORMAT_VERSION,
        release: None,
        summary: LintSummary {
            packages: texts.len(),
            types,
            fields,
            errors: count(Severity::Error),
            warnings: count(Severity::Warning),
            ..LintSummary::default()
        },
        findings,
        lints: abouts().collect(),
        off: Vec::new(),
        with_notes: false,
    };
    let notes = if settings.old.is_empty() { Vec::new() } else { without_counterpart(&old, &new) };
    Ok((report, notes))
}

/// What to say of CRDs that are on one side of a change only.
fn without_counterpart(old: &BTreeMap<String, Value>, new: &BTreeSet<String>) -> Vec<String> {
    let added = new.iter().filter(|name| !old.contains_key(*name));
    let added = added.map(|name| format!("note: --old has no CRD `{name}`: its changes are not judged"));
    let gone = old.keys().filter(|name| !new.contains(*name));
    let gone = gone.map(|name| format!("note: --old has the CRD `{name}`, which is not among those to lint"));
    added.chain(gone).collect()
}

/// The lints of CRDs, as lists have them.
pub(super) fn abouts() -> impl Iterator<Item = LintAbout> {
    lints().into_iter().map(|lint| LintAbout {
        name: lint.name,
        level: severity(lint),
        on_request: false,
        origin: "takeover",
        summary: lint.summary,
        explanation: lint.explanation,
    })
}

fn severity(lint: &CrdLint) -> Severity {
    if lint.is_error { Severity::Error } else { Severity::Warning }
}

fn name(document: &Value) -> &str {
    document.pointer("/metadata/name").and_then(Value::as_str).unwrap_or_default()
}

/// The version of CRDs that servers take.
const V1: &str = "apiextensions.k8s.io/v1";

/// What a server says of a CRD in another version: no server since 1.22 knows it.
fn not_served(document: &Document) -> Finding {
    Finding {
        lint: &REFUSED,
        field: "apiVersion".to_owned(),
        message: format!("no matches for kind \"CustomResourceDefinition\" in version \"{}\"", document.api_version),
        help: Some("write it for apiextensions.k8s.io/v1; Kubernetes 1.22 removed v1beta1".into()),
    }
}

/// The CRDs; other documents are left out.
fn crds(paths: &[PathBuf]) -> anyhow::Result<Vec<Document>> {
    let mut found = Vec::new();
    for path in paths {
        fs::metadata(path).with_context(|| format!("failed to read `{}`", path.display()))?;
        for document in load(vec![Input::named(path)], Limits::default()) {
            let document = document?;
            if document.kind == "CustomResourceDefinition" && document.api_version.starts_with("apiextensions.k8s.io/")
            {
                found.push(document);
            }
        }
    }
    Ok(found)
}

/// Whether a place is that of a field of an object.
fn in_properties(pointer: &str) -> bool {
    pointer.rsplit('/').nth(1) == Some("properties")
}

/// The text of a file; empty where it has none.
struct Text(String);

impl Text {
    fn read(path: &str) -> Self {
        Self(fs::read_to_string(path).unwrap_or_default())
    }

    fn finding(
        &self,
        finding: Finding,
        path: &str,
        first: u64,
        places: &HashMap<String, (u64, u64)>,
        settings: &CrdSettings<'_>,
    ) -> LintFinding {
        let (line, column) = place(&finding.field, places).unwrap_or((first, 1));
        let denied = settings.deny.contains(&finding.lint.name);
        let source = self.line(line);
        let rest = source.chars().skip(usize::try_from(column).unwrap_or(1).saturating_sub(1));
        let word: String = rest.take_while(|c| !matches!(c, ':' | ' ' | ',' | '}')).collect();
        let before: usize =
            source.chars().take(usize::try_from(column).unwrap_or(1).saturating_sub(1)).map(char::len_utf8).sum();
        LintFinding {
            lint: finding.lint.name,
            level: if denied { Severity::Error } else { severity(finding.lint) },
            message: format!("{}: {}", finding.field, finding.message),
            help: finding.help.map(std::borrow::Cow::into_owned),
            position: Some(LintPosition {
                at: Source { file: path.to_owned(), line: u32::try_from(line).unwrap_or(u32::MAX) },
                column: u32::try_from(before + 1).unwrap_or(1),
            }),
            length: word.len().max(1),
            go_type: None,
            field: Some(finding.field),
            is_hint: false,
            source: (!source.is_empty()).then(|| source.to_owned()),
            excerpt: self.around(line),
        }
    }

    fn line(&self, line: u64) -> &str {
        let before = usize::try_from(line).unwrap_or(usize::MAX).saturating_sub(1);
        self.0.lines().nth(before).unwrap_or_default()
    }

    /// The line with its neighbours.
    fn around(&self, line: u64) -> Option<Excerpt> {
        let before = usize::try_from(line).ok()?.saturating_sub(2);
        let text: String = self.0.split_inclusive('\n').skip(before).take(3).collect();
        let start = if line > 1 { text.split_inclusive('\n').next().map_or(0, str::len) } else { 0 };
        (!text.is_empty()).then_some(Excerpt { text, before, start })
    }
}

/// The place of a field, or of the nearest one around it that is written.
fn place(field: &str, places: &HashMap<String, (u64, u64)>) -> Option<(u64, u64)> {
    let mut steps = steps(field);
    while !steps.is_empty() {
        let pointer: String =
            steps.iter().map(|step| format!("/{}", step.replace('~', "~0").replace('/', "~1"))).collect();
        if let Some(place) = places.get(&pointer) {
            return Some(*place);
        }
        steps.pop();
    }
    None
}

/// The steps of a field in a manifest: what versions share stands in the first one, and what a server calls otherwise has its
/// name in manifests.
fn steps(field: &str) -> Vec<String> {
    let mut steps: Vec<String> = Vec::new();
    let mut rest = field;
    while !rest.is_empty() {
        rest = rest.strip_prefix('.').unwrap_or(rest);
        let (step, after) = match rest.strip_prefix('[') {
            Some(inner) => inner.split_once(']').unwrap_or((inner, "")),
            None => rest.split_at(rest.find(['.', '[']).unwrap_or(rest.len())),
        };
        steps.push(step.to_owned());
        rest = after;
    }
    let names: Vec<&str> = steps.iter().map(String::as_str).collect();
    let renamed: Option<(usize, &[&str])> = match names.as_slice() {
        ["spec", "validation", ..] => Some((2, &["spec", "versions", "0", "schema"])),
        ["spec", "subresources", ..] => Some((2, &["spec", "versions", "0", "subresources"])),
        ["spec", "additionalPrinterColumns", ..] => Some((2, &["spec", "versions", "0", "additionalPrinterColumns"])),
        ["spec", "selectableFields", ..] => Some((2, &["spec", "versions", "0", "selectableFields"])),
        ["spec", "version"] => Some((2, &["spec", "versions", "0", "name"])),
        ["spec", "conversion", "webhookClientConfig", ..] => {
            Some((3, &["spec", "conversion", "webhook", "clientConfig"]))
        }
        ["spec", "conversion", "conversionReviewVersions", ..] => {
            Some((3, &["spec", "conversion", "webhook", "conversionReviewVersions"]))
        }
        _ => None,
    };
    if let Some((taken, instead)) = renamed {
        let rest = steps.split_off(taken.min(steps.len()));
        steps = instead.iter().map(|step| (*step).to_owned()).chain(rest).collect();
    }
    for step in &mut steps {
        if step == "JSONPath" {
            "jsonPath".clone_into(step);
        }
    }
    steps
}

#[cfg(test)]
mod tests {
    use super::{CrdSettings, lint_crds, steps};
    use std::fs;
    use std::path::PathBuf;
    use takeover_reports::Severity;

    const CRD: &str = "\
apiVersion: v1
kind: ConfigMap
metadata: {name: other}
---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.shop.example.com}
spec:
  group: shop.example.com
  scope: Namespaced
  names: {plural: widgets, kind: Widget}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties:
              a.b: {type: string, pattern: '[a-z]', maxLength: 5}
              list:
                type: array
              n:
                type: integer
                default: 7
                maximum: 6
";

    fn found(old: &str, allow: &[&'static str]) -> Vec<(u32, u32, &'static str, Severity)> {
        let folder = tempfile::tempdir().unwrap();
        let (new, before) = (folder.path().join("crd.yaml"), folder.path().join("old.yaml"));
        fs::write(&new, CRD).unwrap();
        fs::write(&before, old).unwrap();
        let settings = CrdSettings { old: &[before], deny: &[], allow };
        let (report, notes) = lint_crds(&[new], &settings).unwrap();
        assert_eq!(notes, Vec::<String>::new());
        assert_eq!((report.summary.packages, report.summary.types), (1, 1));
        let place = |finding: takeover_reports::lint::LintFinding| {
            let position = finding.position.unwrap();
            (position.at.line, position.column, finding.lint, finding.level)
        };
        report.findings.into_iter().map(place).collect()
    }

    #[test]
    fn findings_stand_at_their_lines() {
        let anchors = (23, 35, "crd-pattern-anchors", Severity::Warning);
        let list = (24, 15, "crd-refused", Severity::Error);
        assert_eq!(found(CRD, &[]), [anchors, list]);
        let changed = (23, 53, "crd-change", Severity::Error);
        assert_eq!(found(&CRD.replace("maxLength: 5", "maxLength: 6"), &["crd-refused"]), [anchors, changed]);
    }

    #[test]
    fn old_files_without_a_crd_are_a_mistake() {
        let folder = tempfile::tempdir().unwrap();
        let (new, before) = (folder.path().join("crd.yaml"), folder.path().join("old.yaml"));
        fs::write(&new, CRD).unwrap();
        fs::write(&before, "{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}").unwrap();
        let settings = CrdSettings { old: &[before], deny: &[], allow: &[] };
        assert_eq!(lint_crds(&[new], &settings).unwrap_err().to_string(), "--old has no CRD");
    }

    #[test]
    fn a_version_that_no_server_takes_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("crd.yaml");
        fs::write(&file, CRD.replace("k8s.io/v1\n", "k8s.io/v1beta1\n")).unwrap();
        let report = lint_crds(&[file], &CrdSettings { old: &[], deny: &[], allow: &[] }).unwrap().0;
        let [finding] = report.findings.as_slice() else { panic!("{:?}", report.findings) };
        assert_eq!(
            (finding.lint, finding.position.as_ref().map(|position| position.at.line)),
            ("crd-refused", Some(5))
        );
    }

    #[test]
    fn a_manifest_of_one_line_is_drawn_without_it() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("crd.json");
        let crd: serde_json::Value = serde_json::json!({
            "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
            "metadata": {"name": "widgets.shop.example.com"},
            "spec": {"group": "shop.example.com", "description": "x".repeat(70_000)},
        });
        fs::write(&file, crd.to_string()).unwrap();
        let report = lint_crds(&[file], &CrdSettings { old: &[], deny: &[], allow: &[] }).unwrap().0;
        let text = (takeover_reports::lint::FORMS[0].write)(&report, takeover_reports::Look::plain(120)).unwrap();
        assert!(text.contains("crd.json:1: spec.names.kind: Required value"), "{text}");
    }

    #[test]
    fn crds_on_one_side_of_a_change_only_are_named() {
        let folder = tempfile::tempdir().unwrap();
        let (new, before) = (folder.path().join("crd.yaml"), folder.path().join("old.yaml"));
        fs::write(&new, CRD).unwrap();
        fs::write(&before, CRD.replace("widgets.shop", "gadgets.shop")).unwrap();
        let notes = |old: &[PathBuf]| {
            lint_crds(std::slice::from_ref(&new), &CrdSettings { old, deny: &[], allow: &[] }).unwrap().1
        };
        let said = [
            "note: --old has no CRD `widgets.shop.example.com`: its changes are not judged",
            "note: --old has the CRD `gadgets.shop.example.com`, which is not among those to lint",
        ];
        assert_eq!(notes(&[before]), said);
        assert_eq!(notes(&[]), Vec::<String>::new());
    }

    #[test]
    fn fields_of_servers_are_found_in_manifests() {
        let rows = [
            (
                "spec.validation.openAPIV3Schema.properties[a.b/c].items",
                "spec versions 0 schema openAPIV3Schema properties a.b/c items",
            ),
            (
                "spec.versions[1].additionalPrinterColumns[0].JSONPath",
                "spec versions 1 additionalPrinterColumns 0 jsonPath",
            ),
            ("spec.conversion.webhookClientConfig.url", "spec conversion webhook clientConfig url"),
        ];
        for (field, expected) in rows {
            assert_eq!(steps(field).join(" "), expected);
        }
        let is = |name: &str| super::is_of_manifests(&PathBuf::from(name));
        assert!(is("crd.yaml") && is("crds.jsonl.gz") && !is("types.go") && !is("types.go.gz"));
    }
}
