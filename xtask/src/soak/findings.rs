//! Findings as files: every signature, and every oracle that panicked, with the smallest case that shows it, both error lists, and
//! the command to see it again.

use super::Plan;
use crate::output::program;
use crate::run_folder::RunFolder;
use serde::Serialize;
use serde_json::{Value, json};
use takeover_corpora::minimise::{Limits, minimise, to_yaml};
use takeover_harness::case::{Case, Operation};
use takeover_harness::compare::{Semantics, Signature};
use takeover_harness::error::FieldError;
use takeover_harness::evidence::{Evidence, Example, Sighting};
use takeover_harness::judge::{Bench, Judge, Panic};
use takeover_harness::object::Arena;
use takeover_harness::subject::SubjectId;
use takeover_reports::{FindingFile, panic_label};

/// The JSON file of a finding.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct FindingRecord<'f> {
    finding: &'f str,
    #[serde(skip_serializing_if = "Option::is_none")]
    signature: Option<&'f Signature>,
    cases: u64,
    first: String,
    reproduce: &'f str,
    minimal: Value,
    reference: &'f [FieldError],
    candidate: &'f [FieldError],
    #[serde(skip_serializing_if = "Vec::is_empty")]
    panics: Vec<&'f Panic>,
}

/// What a case has to show.
enum Sought<'f> {
    /// A disagreement.
    Signature(&'f Signature),
    /// A panic of the named side.
    Panic { side: &'f str },
}

/// A finding as the evidence has it.
struct Found<'f> {
    label: String,
    sought: Sought<'f>,
    cases: u64,
    first: &'f Sighting,
    smallest: &'f Example,
}

/// Minimises and writes every finding of `evidence`: subject by subject, operation by operation, signatures before panics.
///
/// # Errors
/// When a file cannot be written.
pub fn write(
    evidence: &Evidence,
    judges: &[Judge<'_>],
    plan: &Plan,
    folder: &RunFolder,
) -> anyhow::Result<Vec<FindingFile>> {
    let mut files = Vec::new();
    for subject in evidence.subjects() {
        let Some(judge) = judges.iter().find(|judge| judge.subject().id == *subject.subject()) else { continue };
        for operation in Operation::ALL {
            let of = subject.operation(operation);
            let signatures = of.signatures.iter().map(|(signature, found)| Found {
                label: signature.to_string(),
                sought: Sought::Signature(signature),
                cases: found.cases,
                first: &found.first,
                smallest: &found.smallest,
            });
            let panics = of.panics.iter().map(|(side, found)| Found {
                label: panic_label(subject.subject(), operation, side),
                sought: Sought::Panic { side },
                cases: found.count,
                first: &found.first,
                smallest: &found.smallest,
            });
            for found in signatures.chain(panics) {
                files.push(one(files.len() + 1, found, judge, plan, folder)?);
            }
        }
    }
    Ok(files)
}

fn shows(sought: &Sought<'_>, case: &Case, bench: &Bench) -> bool {
    match sought {
        Sought::Signature(signature) => bench
            .findings
            .iter()
            .any(|finding| Signature::of(&signature.subject, case.operation, finding) == **signature),
        Sought::Panic { side } => bench
            .panics
            .iter()
            .any(|panic| panic.side.map_or_else(|| "decoding".to_owned(), |side| side.to_string()) == *side),
    }
}

fn one(
    number: usize,
    found: Found<'_>,
    judge: &Judge<'_>,
    plan: &Plan,
    folder: &RunFolder,
) -> anyhow::Result<FindingFile> {
    let mut arena = Arena::new();
    let mut bench = Bench::new();
    let case = found.smallest.case.to_case(found.smallest.sighting.provenance.clone());
    let mut judge_again = |case: &Case| {
        let _ = judge.case(case, &mut arena, &mut bench);
        shows(&found.sought, case, &bench)
    };
    let minimal = minimise(&case, Limits::default(), &mut judge_again).case;
    // The bench now holds the last case asked about, not necessarily the smallest.
    judge_again(&minimal);

    let document = document(&judge.subject().id, &minimal);
    let yaml = to_yaml(&document);
    let name = format!("findings/{number:03}.yaml");
    let place = folder.path().join(&name);
    let semantics =
        if plan.semantics == Semantics::default() { String::new() } else { format!(" --semantics {}", plan.semantics) };
    let idl =
        plan.idl.as_ref().map_or_else(String::new, |idl| format!(" --idl {}", shell_quoted(&idl.to_string_lossy())));
    let reproduce = format!(
        "{} soak --cases 0 --no-builtin{semantics}{idl} --recorded {}",
        program(),
        shell_quoted(&place.to_string_lossy())
    );
    let heading = format!("# {}\n# {} cases; again: {}\n", found.label, found.cases, reproduce.replace('\n', " "));
    folder.write(&name, format!("{heading}{yaml}").as_bytes())?;
    let record = FindingRecord {
        finding: &found.label,
        signature: match found.sought {
            Sought::Signature(signature) => Some(signature),
            Sought::Panic { .. } => None,
        },
        cases: found.cases,
        first: found.first.provenance.to_string(),
        reproduce: &reproduce,
        minimal: document,
        reference: bench.reference.as_slice(),
        candidate: bench.candidate.as_slice(),
        panics: bench.panics.iter().map(|panicked| &panicked.panic).collect(),
    };
    folder.write_json(&format!("findings/{number:03}.json"), &record)?;
    let object = minimal.object.to_value().map(|object| to_yaml(&object)).unwrap_or_default();
    Ok(FindingFile { label: found.label, number, file: name, minimal_lines: object.lines().count(), reproduce })
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

/// A word for a POSIX shell.
fn shell_quoted(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-+:@%=".contains(c);
    if !text.is_empty() && text.chars().all(plain) {
        text.to_owned()
    } else {
        format!("'{}'", text.replace('\'', "'\\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::shell_quoted;

    #[test]
    fn odd_paths_are_quoted_for_the_shell() {
        for (path, word) in
            [("target/a-1.yaml", "target/a-1.yaml"), ("a b", "'a b'"), ("it's", "'it'\\''s'"), ("", "''")]
        {
            assert_eq!(shell_quoted(path), word);
        }
    }
}
