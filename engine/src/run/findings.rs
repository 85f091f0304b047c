//! Writes findings as files, one for each signature and each oracle that panicked, with the smallest case that shows it, what
//! both sides say about it, and the command that reproduces it.

use super::host::RunHost;
use super::unwritten::Unwritten;
use crate::isolate::{CaseDetails, SoughtCauses, WorkerPool, WorkerPoolError, examine};
use crate::plan::RunPlan;
use crate::run_folder::RunFolder;
use serde::Serialize;
use serde_json::{Value, json};
use std::time::{Duration, Instant};
use takeover_corpora::minimise::{Limits, minimise_by, to_yaml};
use takeover_harness::case::{Case, Operation};
use takeover_harness::compare::{Semantics, Signature};
use takeover_harness::error::FieldError;
use takeover_harness::evidence::{Evidence, Example, Sighting};
use takeover_harness::judge::{CaseRecord, Judge, Panic};
use takeover_harness::object::Arena;
use takeover_harness::subject::SubjectId;
use takeover_harness::text::plural;
use takeover_reports::{CaseDifference, FindingCase, FindingFile, panic_label, shell_quoted};

/// How often an oracle may end its process while a case is made smaller, because each time costs a new process. An oracle that
/// hangs costs too much, so that its case stays as it is.
const MOST_DEATHS: u32 = 40;

/// After so many cases of a subject that gave no answer in time, its findings are not minimised further: each costs the whole time.
const MOST_HANGS: u32 = 4;

/// How long cases are made smaller after somebody asked the run to stop.
const HURRY: Duration = Duration::from_secs(2);

/// How long cases are then written as they are.
const LAST: Duration = Duration::from_secs(2);

/// How often a case is judged while it is made smaller and its cause is looked for each time.
const CAUSED: Limits = Limits { calls: 400 };

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

/// The findings of a run that have files.
pub(super) struct WrittenFindings {
    pub files: Vec<FindingFile>,
    /// How many of them have the smallest case.
    pub minimised: u64,
}

/// Minimises and writes every finding of `evidence`: pair by pair, operation by operation, signatures before panics. What cannot be
/// written is noted. Soon after somebody asked the run to stop, the others are written with the smallest case that was judged, and
/// soon after that left out.
///
/// # Errors
/// Returns an error when no worker process can be started.
pub(super) fn write(
    evidence: &Evidence,
    judges: &[Judge<'_>],
    pool: &WorkerPool<'_>,
    plan: &RunPlan,
    folder: &RunFolder,
    host: &RunHost<'_>,
    unwritten: &mut Unwritten,
) -> anyhow::Result<WrittenFindings> {
    let mut written = WrittenFindings { files: Vec::new(), minimised: 0 };
    let begin = Instant::now();
    let asked_for = |time: Duration| host.stop.asked().is_some() && begin.elapsed() > time;
    let hurried = || asked_for(HURRY);
    let setting = Setting { plan, folder, program: host.program, hurried: &hurried };
    for pair in evidence.pairs() {
        let Some(index) = judges.iter().position(|judge| judge.pair().id == *pair.pair()) else { continue };
        let Some(judge) = judges.get(index) else { continue };
        let pool = pool.takes(index).then_some((pool, index));
        let mut examiner = Examiner { judge, pool, arena: Arena::new(), record: CaseRecord::new(), hangs: 0 };
        for operation in Operation::ALL {
            let of = pair.operation(operation);
            let signatures = of.signatures.iter().map(|(signature, found)| Found {
                label: signature.to_string(),
                sought: Sought::Signature(signature),
                cases: found.cases,
                first: &found.first,
                smallest: &found.smallest,
            });
            let panics = of.panics.iter().map(|(side, found)| Found {
                label: panic_label(pair.pair(), operation, side),
                sought: Sought::Panic { side },
                cases: found.count,
                first: &found.first,
                smallest: &found.smallest,
            });
            for found in signatures.chain(panics) {
                // What a process of its own judges may cost that process: it is not asked once more.
                if asked_for(HURRY + LAST) || hurried() && pool.is_some() {
                    return Ok(written);
                }
                host.notes.at(pool.is_none().then_some(index));
                written.files.push(one(written.files.len() + 1, found, &mut examiner, &setting, unwritten)?);
                written.minimised += u64::from(!hurried());
                host.progress.minimised(written.files.len() as u64);
                host.notes.at(None);
            }
        }
    }
    Ok(written)
}

/// Looks at cases again: here, or where the subject's oracles may end the process.
struct Examiner<'e> {
    judge: &'e Judge<'e>,
    pool: Option<(&'e WorkerPool<'e>, usize)>,
    arena: Arena,
    record: CaseRecord,
    /// How many cases gave no answer in time.
    hangs: u32,
}

impl Examiner<'_> {
    fn examine(&mut self, case: &Case, sought: &SoughtCauses) -> Result<CaseDetails, WorkerPoolError> {
        let Some((pool, subject)) = self.pool else {
            return Ok(examine(self.judge, case, sought, &mut self.arena, &mut self.record));
        };
        let details = pool.examine(subject, case, sought)?;
        self.hangs += u32::from(details.panics.iter().any(|(_, panic)| is_hang(panic)));
        Ok(details)
    }
}

/// Whether an oracle gave no answer in time.
fn is_hang(panic: &Panic) -> bool {
    panic.ended_its_process() && panic.message.starts_with("no answer")
}

/// How many errors a case has beside what is sought; none when it does not show that. `whatever_cause` leaves the cause aside.
fn beside(sought: &Sought<'_>, details: &CaseDetails, whatever_cause: bool) -> Option<u64> {
    match sought {
        Sought::Signature(signature) => {
            let cause = |of: &Signature| if whatever_cause { signature.cause } else { of.cause };
            let is_shown = |of: &&Signature| Signature { cause: cause(of), ..(*of).clone() } == **signature;
            let shown = details.signatures.iter().filter(is_shown).count();
            let said = details.reference.len() + details.candidate.len();
            (shown > 0).then_some(said.saturating_sub(shown) as u64)
        }
        Sought::Panic { side } => details.panics.iter().any(|(of, _)| of == side).then_some(0),
    }
}

/// What all findings have in common.
struct Setting<'s> {
    plan: &'s RunPlan,
    folder: &'s RunFolder,
    program: &'s str,
    /// Whether there is no time left.
    hurried: &'s dyn Fn() -> bool,
}

fn one(
    number: usize,
    found: Found<'_>,
    examiner: &mut Examiner<'_>,
    setting: &Setting<'_>,
    unwritten: &mut Unwritten,
) -> anyhow::Result<FindingFile> {
    let Setting { plan, folder, program, hurried } = *setting;
    let case = found.smallest.case.to_case(found.smallest.sighting.provenance.clone());
    let hangs = found.smallest.sighting.message.starts_with("`no answer");
    let most_deaths = if hangs { 1 } else { MOST_DEATHS };
    let (mut deaths, mut shown, mut fault) = (0, None, None);
    let causes = match found.sought {
        Sought::Signature(signature) => SoughtCauses::Of(signature.clone()),
        Sought::Panic { .. } => SoughtCauses::None,
    };
    let mut judge_again = |case: &Case, whatever_cause: bool| {
        if deaths >= most_deaths || examiner.hangs >= MOST_HANGS || fault.is_some() || hurried() {
            return None;
        }
        let sought = if whatever_cause { &SoughtCauses::None } else { &causes };
        match examiner.examine(case, sought) {
            Ok(details) => {
                deaths += u32::from(details.panics.iter().any(|(_, panic)| panic.ended_its_process()));
                let beside = beside(&found.sought, &details, whatever_cause);
                // What shows a panic is taken as the smallest so far, and judging it again may cost a process.
                if matches!(found.sought, Sought::Panic { .. }) && beside.is_some() {
                    shown = Some(details);
                }
                beside
            }
            Err(error) => {
                fault = Some(error);
                None
            }
        }
    };
    // To look for the cause at each step costs much, and it is seldom another one in the end.
    let mut minimal = minimise_by(&case, Limits::default(), |case| judge_again(case, true)).case;
    if matches!(found.sought, Sought::Signature(_)) && judge_again(&minimal, false).is_none() {
        minimal = minimise_by(&case, CAUSED, |case| judge_again(case, false)).case;
    }
    if let Some(fault) = fault {
        return Err(fault.into());
    }
    let details = match shown {
        Some(details) => details,
        None => examiner.examine(&minimal, &SoughtCauses::Every)?,
    };

    let redaction = found.smallest.redacted.then(|| match beside(&found.sought, &details, true) {
        Some(_) => "secrets are replaced; the case still shows the finding",
        None => "secrets are replaced, and the case no longer shows the finding: use `soak --raw` to keep the original",
    });
    let document = document(&examiner.judge.pair().id.subject, &minimal);
    let yaml = to_yaml(&document);
    let name = format!("findings/{number:03}.yaml");
    let place = folder.path().join(&name);
    let semantics = if plan.judging.semantics == Semantics::default() {
        String::new()
    } else {
        format!(" --semantics {}", plan.judging.semantics)
    };
    let types = plan
        .judging
        .types
        .as_ref()
        .map_or_else(String::new, |types| format!(" --types {}", shell_quoted(&types.to_string_lossy())));
    let id = &examiner.judge.pair().id;
    let named = if id.name.is_empty() { String::new() } else { format!(" --kind {}", shell_quoted(&id.to_string())) };
    let dies = if details.panics.iter().any(|(_, panic)| panic.ended_its_process()) {
        format!(" {}", shell_quoted(&format!("--isolate={id}")))
    } else {
        String::new()
    };
    let plants = plan.judging.plants.iter().filter(|plant| plant.is_in(&id.subject));
    let plants: String = plants.map(|plant| format!(" --plant {}", shell_quoted(&plant.to_string()))).collect();
    let file = shell_quoted(&place.to_string_lossy());
    // What one object gets is shown by `validate`; it asks the usual pair in this process, compared in the usual way.
    let is_usual = named.is_empty() && semantics.is_empty() && plants.is_empty() && details.panics.is_empty();
    let is_described = plan.judging.pairs.iter().any(|pair| pair.id().is_ok_and(|described| described == *id));
    let reproduce = if is_described {
        let run = shell_quoted(&folder.path().to_string_lossy());
        format!("{program} validate --run {run} {file}")
    } else if is_usual {
        format!("{program} validate{types} {file}")
    } else {
        format!("{program} soak --cases 0 --no-builtin{named}{dies}{plants}{semantics}{types} --recorded {file}")
    };
    let mut heading =
        format!("# {}\n# {}; reproduce: {}\n", found.label, plural(found.cases, "case"), reproduce.replace('\n', " "));
    heading.extend(redaction.map(|said| format!("# {said}\n")));
    unwritten.note(folder.write(&name, format!("{heading}{yaml}").as_bytes()));
    let case = FindingCase {
        signature: match found.sought {
            Sought::Signature(signature) => Some(signature.clone()),
            Sought::Panic { .. } => None,
        },
        compared_by: Some(examiner.judge.pair().comparator.name()).filter(|how| !how.is_usual()),
        minimal: document,
        reference: details.reference,
        candidate: details.candidate,
        differences: details.differences,
        panics: details.panics.into_iter().map(|(_, panic)| panic).collect(),
    };
    let record = FindingRecord {
        finding: &found.label,
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
    unwritten.note(folder.write_json(&format!("findings/{number:03}.json"), &record));
    let object = minimal.object.to_value().map(|object| to_yaml(&object)).unwrap_or_default();
    let minimal_lines = object.lines().count();
    Ok(FindingFile { label: found.label, number, file: name, minimal_lines, reproduce, case })
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
