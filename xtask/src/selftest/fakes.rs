//! Oracles that misbehave, each in a run of its own: is it reported as what it is, and do the other subjects come out as ever?

use anyhow::Context as _;
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

/// The kind they are planted in; it is served in several versions, of which one is spoilt.
const KIND: &str = "PriorityLevelConfiguration";

/// The subject that is spoilt.
const SPOILT: &str = "flowcontrol.apiserver.k8s.io/v1beta2 PriorityLevelConfiguration";

/// What tells signatures of one subject apart.
const SIGNATURE: [&str; 7] = ["operation", "relation", "direction", "cause", "errorType", "path", "origin"];

/// Once in how many cases a fake misbehaves.
const ONE_IN: u32 = 200;

/// A misbehaving oracle, and how it has to be reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fake {
    /// As `soak --plant` names it.
    pub name: &'static str,
    reported: Reported,
}

/// How a misbehaving oracle has to be reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reported {
    /// The first sighting of a finding has this word.
    Finding(&'static str),
    /// The sides disagree in a way in which sound ones do not.
    Disagreement,
    /// It is counted that the oracle did not answer, with this reason.
    NoAnswer(&'static str),
}

/// Every way to misbehave.
pub const FAKES: [Fake; 11] = [
    Fake { name: "lie", reported: Reported::Finding("planted") },
    Fake { name: "garbage", reported: Reported::Finding("planted") },
    Fake { name: "panic", reported: Reported::Finding("planted panic") },
    Fake { name: "overflow", reported: Reported::Finding("stack overflow") },
    Fake { name: "abort", reported: Reported::Finding("abort") },
    Fake { name: "exit", reported: Reported::Finding("exited with code") },
    Fake { name: "sleep", reported: Reported::Finding("no answer within") },
    Fake { name: "spin", reported: Reported::Finding("no answer within") },
    Fake { name: "memory", reported: Reported::Finding("out of memory") },
    Fake { name: "lose", reported: Reported::NoAnswer("left the question without an answer") },
    Fake { name: "swap", reported: Reported::Disagreement },
];

/// The run in which no oracle misbehaves.
#[derive(Debug)]
pub struct Sound<'f> {
    folder: &'f Path,
    evidence: Value,
}

impl<'f> Sound<'f> {
    /// Runs it in a folder below this one.
    ///
    /// # Errors
    /// Returns an error when the run fails.
    pub fn observe(folder: &'f Path) -> anyhow::Result<Self> {
        let sound = folder.join("sound");
        soak(&sound, None, true)?;
        Ok(Self { folder, evidence: read(&sound, "evidence.json")? })
    }
}

impl Fake {
    /// Runs a soak with it beside the sound one: in worker processes, unless it misbehaves in batches, which workers do not ask for.
    ///
    /// # Errors
    /// Returns an error when a run fails, the oracle is not reported as it has to be, or the evidence of other subjects changed.
    pub fn check(self, sound: &Sound<'_>) -> anyhow::Result<()> {
        let Sound { folder, evidence: sound } = sound;
        let spoilt = folder.join(self.name);
        let plant = format!("{}/candidate/{ONE_IN}@{SPOILT}", self.name);
        soak(&spoilt, Some(&plant), matches!(self.reported, Reported::Finding(_)))?;
        let report = read(&spoilt, "report.json")?;
        let of = |subject: &&Value| subject.get("subject").is_some_and(|name| name == SPOILT);
        let subject = report.get("subjects").and_then(Value::as_array).and_then(|list| list.iter().find(of));
        let findings = subject.and_then(|subject| subject.get("findings")).and_then(Value::as_array);
        let says = |finding: &Value, word| {
            finding.get("first").and_then(Value::as_str).is_some_and(|first| first.contains(word))
        };
        let spoilt = read(&spoilt, "evidence.json")?;
        match self.reported {
            Reported::Finding(word)
                if !findings.is_some_and(|findings| findings.iter().any(|found| says(found, word))) =>
            {
                anyhow::bail!("no finding says `{word}`");
            }
            Reported::Disagreement if signatures(&spoilt).is_subset(&signatures(sound)) => {
                anyhow::bail!("the sides disagree in no other way than sound ones");
            }
            Reported::NoAnswer(word) if !reasons(&spoilt).any(|reason| reason.contains(word)) => {
                anyhow::bail!("no case is skipped because the oracle `{word}`");
            }
            _ => {}
        }
        if others(sound) != others(&spoilt) {
            anyhow::bail!("the evidence of other subjects changed");
        }
        Ok(())
    }
}

/// The evidence of the subjects in which something was planted, or of the others.
fn subjects(evidence: &Value, spoilt: bool) -> impl Iterator<Item = &Value> {
    let name = |of: &Value, part: &str| {
        of.pointer(&format!("/subject/{part}")).and_then(Value::as_str).unwrap_or_default().to_owned()
    };
    let subjects = evidence.get("subjects").and_then(Value::as_array).into_iter().flatten();
    subjects.filter(move |of| (format!("{} {}", name(of, "apiVersion"), name(of, "kind")) == SPOILT) == spoilt)
}

/// The evidence of the subjects in which nothing was planted.
fn others(evidence: &Value) -> Vec<&Value> {
    subjects(evidence, false).collect()
}

/// The evidence of each operation of the spoilt subject.
fn operations(evidence: &Value) -> impl Iterator<Item = &Value> {
    subjects(evidence, true).flat_map(|of| [of.get("create"), of.get("update")]).flatten()
}

/// The ways in which the sides of the spoilt subject disagree.
fn signatures(evidence: &Value) -> BTreeSet<Vec<String>> {
    let all = operations(evidence).filter_map(|of| of.get("signatures")?.as_array()).flatten();
    all.map(|of| SIGNATURE.iter().filter_map(|part| of.get(part)).map(Value::to_string).collect()).collect()
}

/// Why cases of the spoilt subject were skipped.
fn reasons(evidence: &Value) -> impl Iterator<Item = &str> {
    let skipped = operations(evidence).filter_map(|of| of.get("skipped")?.as_object()).flat_map(|of| of.values());
    skipped.filter_map(|reason| reason.pointer("/first/message")?.as_str())
}

fn soak(out: &Path, plant: Option<&str>, isolate: bool) -> anyhow::Result<()> {
    let program = std::env::current_exe().context("failed to find this program")?;
    let mut command = Command::new(program);
    command.args(["soak", "--kind", KIND, "--seed", "7", "--cases", "4096", "--no-builtin", "--format", "json"]);
    command.args(["--case-timeout", "2s", "--worker-memory", "512MiB", "--out"]).arg(out);
    command.args(isolate.then_some("--isolate"));
    if let Some(plant) = plant {
        command.args(["--plant", plant]);
    }
    let output = command.output().context("failed to start a soak")?;
    match output.status.code() {
        // Kubernetes' own two sides disagree on this kind, too.
        Some(0 | 1) => Ok(()),
        _ => anyhow::bail!("the soak ended with {}: {}", output.status, String::from_utf8_lossy(&output.stderr).trim()),
    }
}

fn read(folder: &Path, file: &str) -> anyhow::Result<Value> {
    let place = folder.join(file);
    let text = std::fs::read(&place).with_context(|| format!("failed to read `{}`", place.display()))?;
    serde_json::from_slice(&text).with_context(|| format!("failed to read `{}`", place.display()))
}
