//! Oracles that misbehave, each in a run of its own: is it reported as what it is, and do the other subjects come out as ever?

use anyhow::Context as _;
use serde_json::Value;
use std::path::Path;
use std::process::Command;

/// The kind they are planted in; it is served in several versions, of which one is spoilt.
const KIND: &str = "PriorityLevelConfiguration";

/// The subject that is spoilt.
const SPOILT: &str = "flowcontrol.apiserver.k8s.io/v1beta2 PriorityLevelConfiguration";

/// Once in how many cases a fake misbehaves.
const ONE_IN: u32 = 200;

/// A misbehaving oracle, and the word by which a report has to know it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fake {
    /// As `soak --plant` names it.
    pub name: &'static str,
    /// Found in the first sighting of a finding.
    reported_as: &'static str,
}

/// Every way to misbehave.
pub const FAKES: [Fake; 9] = [
    Fake { name: "lie", reported_as: "planted" },
    Fake { name: "garbage", reported_as: "planted" },
    Fake { name: "panic", reported_as: "planted panic" },
    Fake { name: "overflow", reported_as: "stack overflow" },
    Fake { name: "abort", reported_as: "abort" },
    Fake { name: "exit", reported_as: "left the program" },
    Fake { name: "sleep", reported_as: "no answer within" },
    Fake { name: "spin", reported_as: "no answer within" },
    Fake { name: "memory", reported_as: "out of memory" },
];

impl Fake {
    /// Runs a soak with it and one without, in worker processes, below `folder`.
    ///
    /// # Errors
    /// What was not as it has to be.
    pub fn check(self, folder: &Path) -> anyhow::Result<()> {
        let sound = match read(&folder.join("sound"), "evidence.json") {
            Ok(sound) => sound,
            Err(_) => {
                soak(&folder.join("sound"), None)?;
                read(&folder.join("sound"), "evidence.json")?
            }
        };
        let spoilt = folder.join(self.name);
        let plant = format!("{}/candidate/{ONE_IN}@{SPOILT}", self.name);
        soak(&spoilt, Some(&plant))?;
        let report = read(&spoilt, "report.json")?;
        let of = |subject: &&Value| subject.get("subject").is_some_and(|name| name == SPOILT);
        let subject = report.get("subjects").and_then(Value::as_array).and_then(|list| list.iter().find(of));
        let findings = subject.and_then(|subject| subject.get("findings")).and_then(Value::as_array);
        let says = |finding: &Value| {
            finding.get("first").and_then(Value::as_str).is_some_and(|first| first.contains(self.reported_as))
        };
        if !findings.is_some_and(|findings| findings.iter().any(says)) {
            anyhow::bail!("no finding says `{}`", self.reported_as);
        }
        let spoilt = read(&spoilt, "evidence.json")?;
        if others(&sound) != others(&spoilt) {
            anyhow::bail!("the evidence of other subjects changed");
        }
        Ok(())
    }
}

/// The evidence of the subjects in which nothing was planted.
fn others(evidence: &Value) -> Vec<&Value> {
    let name = |of: &Value, part: &str| {
        of.pointer(&format!("/subject/{part}")).and_then(Value::as_str).unwrap_or_default().to_owned()
    };
    let subjects = evidence.get("subjects").and_then(Value::as_array).into_iter().flatten();
    subjects.filter(|of| format!("{} {}", name(of, "apiVersion"), name(of, "kind")) != SPOILT).collect()
}

fn soak(out: &Path, plant: Option<&str>) -> anyhow::Result<()> {
    let program = std::env::current_exe().context("failed to find this program")?;
    let mut command = Command::new(program);
    command.args(["soak", "--kind", KIND, "--seed", "7", "--cases", "4096", "--no-builtin", "--format", "json"]);
    command.args(["--case-timeout", "2s", "--worker-memory", "512MiB", "--isolate", "--out"]).arg(out);
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
