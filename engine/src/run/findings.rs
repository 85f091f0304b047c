//! Writes findings as files, one for each signature and each oracle that panicked, with the smallest case that shows it, what
//! both sides say about it, and the command that reproduces it.

use super::host::RunHost;
use super::minimising::{Found, Minimal, Sought, beside, found, minimise};
use super::unwritten::Unwritten;
use crate::isolate::WorkerPool;
use crate::plan::RunPlan;
use crate::run_folder::RunFolder;
use serde::Serialize;
use serde_json::{Value, json};
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use takeover_corpora::minimise::to_yaml;
use takeover_harness::case::Case;
use takeover_harness::compare::{Semantics, Signature};
use takeover_harness::error::FieldError;
use takeover_harness::evidence::Evidence;
use takeover_harness::judge::{Judge, Panic};
use takeover_harness::subject::SubjectId;
use takeover_harness::text::plural;
use takeover_reports::{CaseDifference, FindingCase, FindingFile, shell_quoted};

/// The JSON file of a finding.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct FindingRecord<'f> {
    finding: &'f str,
    pair: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    signature: Option<&'f Signature>,
    cases: u64,
    first: String,
    reproduce: &'f str,
    minimal: &'f Value,
    #[serde(skip_serializing_if = "Option::is_none")]
    redaction: Option<&'static str>,
    reference: &'f [FieldError],
    candidate: &'f [FieldError],
    #[serde(skip_serializing_if = "<[CaseDifference]>::is_empty")]
    differences: &'f [CaseDifference],
    #[serde(skip_serializing_if = "<[Panic]>::is_empty")]
    panics: &'f [Panic],
}

/// The findings of a run that have files.
pub(super) struct WrittenFindings {
    pub files: Vec<FindingFile>,
    /// How many of them have the smallest case.
    pub minimised: u64,
}

/// Minimises and writes every finding of `evidence`. What cannot be written is noted.
///
/// # Errors
/// Returns an error when no worker process or no thread can be started.
pub(super) fn write(
    evidence: &Evidence,
    judges: &[Judge<'_>],
    pool: &WorkerPool<'_>,
    plan: &RunPlan,
    folder: &RunFolder,
    host: &RunHost<'_>,
    unwritten: &mut Unwritten,
) -> anyhow::Result<WrittenFindings> {
    let setting = Setting { plan, folder, program: host.program };
    let gathered = Mutex::new((WrittenFindings { files: Vec::new(), minimised: 0 }, unwritten));
    let done = |found: &Found<'_>, minimal: Minimal| {
        let is_smallest = minimal.is_smallest;
        let (file, texts) = one(found, minimal, &setting);
        let mut gathered = gathered.lock().unwrap_or_else(PoisonError::into_inner);
        let (written, unwritten) = &mut *gathered;
        texts.into_iter().for_each(|text| unwritten.note(text));
        written.minimised += u64::from(is_smallest);
        written.files.push(file);
    };
    minimise(&found(evidence, judges), pool, plan, host, &done)?;
    let (mut written, _) = gathered.into_inner().unwrap_or_else(PoisonError::into_inner);
    written.files.sort_by_key(|file| file.number);
    Ok(written)
}

/// What all findings have in common.
struct Setting<'s> {
    plan: &'s RunPlan,
    folder: &'s RunFolder,
    program: &'s str,
}

/// Writes the files of a finding. Returns it, and what became of each file.
fn one(found: &Found<'_>, minimal: Minimal, setting: &Setting<'_>) -> (FindingFile, [anyhow::Result<PathBuf>; 2]) {
    let number = found.number;
    let Setting { plan, folder, program } = *setting;
    let pair = found.judge.pair();
    let Minimal { case: minimal, details, .. } = minimal;
    let redaction = found.smallest.redacted.then(|| match beside(&found.sought, &details, true) {
        Some(_) => "secrets are replaced; the case still shows the finding",
        None => "secrets are replaced, and the case no longer shows the finding: use `soak --raw` to keep the original",
    });
    let document = document(&pair.id.subject, &minimal);
    let yaml = to_yaml(&document);
    let name = format!("findings/{number:03}.yaml");
    let place = folder.path().join(&name);
    let file = shell_quoted(&place.to_string_lossy());
    // `validate` knows by the folder what the run compared, and how, but starts no program of somebody else's run without being told to. What
    // ends this process is asked in one of its own.
    let id = &pair.id;
    let dies = !plan.judging.describes(id) && details.panics.iter().any(|(_, panic)| panic.ended_its_process());
    let reproduce = if plan.judging.asks_others() {
        format!("{program} validate --run {} {file}", shell_quoted(&folder.path().to_string_lossy()))
    } else if dies {
        let semantics = plan.judging.semantics;
        let semantics =
            if semantics == Semantics::default() { String::new() } else { format!(" --semantics {semantics}") };
        let (kind, isolate) = (shell_quoted(&id.to_string()), shell_quoted(&format!("--isolate={id}")));
        let plants = plan.judging.plants.iter().filter(|plant| plant.is_in(&id.subject));
        let plants: String = plants.map(|plant| format!(" --plant {}", shell_quoted(&plant.to_string()))).collect();
        let types = plan.judging.types.as_ref();
        let types =
            types.map_or_else(String::new, |types| format!(" --types {}", shell_quoted(&types.to_string_lossy())));
        format!(
            "{program} soak --cases 0 --no-builtin --kind {kind} {isolate}{plants}{semantics}{types} --recorded {file}"
        )
    } else {
        format!("{program} validate {file}")
    };
    let mut heading =
        format!("# {}\n# {}; reproduce: {}\n", found.label, plural(found.cases, "case"), reproduce.replace('\n', " "));
    heading.extend(redaction.map(|said| format!("# {said}\n")));
    let text = folder.write(&name, format!("{heading}{yaml}").as_bytes());
    let case = FindingCase {
        signature: match found.sought {
            Sought::Signature(signature) => Some(signature.clone()),
            Sought::Panic { .. } => None,
        },
        compared_by: Some(pair.comparator.name()).filter(|how| !how.is_usual()),
        minimal: document,
        reference: details.reference,
        candidate: details.candidate,
        differences: details.differences,
        panics: match found.sought {
            Sought::Panic { .. } => details.panics.into_iter().map(|(_, panic)| panic).collect(),
            // A panic on a variant is a finding of its own.
            Sought::Signature(_) => Vec::new(),
        },
    };
    let record = FindingRecord {
        finding: &found.label,
        pair: pair.id.to_string(),
        signature: case.signature.as_ref(),
        cases: found.cases,
        first: found.first.provenance.to_string(),
        reproduce: &reproduce,
        minimal: &case.minimal,
        redaction,
        reference: &case.reference,
        candidate: &case.candidate,
        differences: &case.differences,
        panics: &case.panics,
    };
    let json = folder.write_json(&format!("findings/{number:03}.json"), &record);
    let object = minimal.object.to_value().map(|object| to_yaml(&object)).unwrap_or_default();
    let minimal_lines = object.lines().count();
    let file = FindingFile { label: found.label.clone(), number, file: name, minimal_lines, reproduce, case };
    (file, [text, json])
}

/// The case as the loader reads it.
fn document(subject: &SubjectId, case: &Case) -> Value {
    let mut document = json!({
        "apiVersion": "takeover.dev/v1alpha1",
        "kind": "Case",
        "operation": case.operation,
        "object": case.object.to_value().unwrap_or_default(),
    });
    let mut set = |name: &str, value: Value| {
        if let Some(members) = document.as_object_mut() {
            members.insert(name.to_owned(), value);
        }
    };
    if let Some(old) = &case.old {
        set("oldObject", old.to_value().unwrap_or_default());
    }
    if !subject.subresource.is_empty() {
        set("subresource", subject.subresource.clone().into());
    }
    let options: serde_json::Map<String, Value> =
        case.options.iter().map(|(name, on)| (name.to_owned(), on.into())).collect();
    if !options.is_empty() {
        set("options", options.into());
    }
    document
}
