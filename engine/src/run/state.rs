//! The state of a run: what was gathered, and from exactly which chunks. One file holds both, so that they cannot disagree.

use crate::bounded;
use crate::plan::{RunBudget, RunPlan};
use anyhow::Context as _;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::path::Path;
use std::time::Duration;
use takeover_corpora::generate::Health;
use takeover_harness::evidence::Evidence;
use takeover_harness::format::{Format, FormatError};
use takeover_harness::runner::Chunks;
use takeover_reports::run::Unfinished;

/// The file in the run folder.
pub(super) const FILE: &str = "checkpoint";

/// The format of the file.
const FORMAT: Format = Format { name: "checkpoint", major: 1, minor: 1, remedy: "run again without --resume" };

/// The part of a run that is done.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct State {
    /// The settings of the run that evidence and verdicts depend on; none in checkpoints of before they were kept.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub settings: Map<String, Value>,
    /// Chunks of the recorded cases, by their number in the shard.
    pub recorded: Chunks,
    /// Whether these are all chunks of recorded cases.
    pub recorded_all: bool,
    /// The shard's parts of inputs in storages.
    #[serde(default, skip_serializing_if = "StoredPartsDone::is_none")]
    pub stored: StoredPartsDone,
    /// Documents and files that could not be read; known when all inputs were read.
    pub unreadable: u64,
    /// Chunks of the generated cases, by their number in the shard.
    pub generated: Chunks,
    /// Generated cases.
    pub cases: u64,
    /// Time that went into generated cases.
    pub spent: Duration,
    /// What was generated, by subject.
    pub health: Vec<Health>,
}

/// How far the parts of inputs in storages are judged.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct StoredPartsDone {
    /// How many are done.
    pub parts: u64,
    /// Chunks of the next one.
    pub chunks: Chunks,
    /// Documents and files in those that are done that could not be read.
    pub unreadable: u64,
}

impl StoredPartsDone {
    fn is_none(&self) -> bool {
        *self == Self::default()
    }
}

/// Settings that may change when a run is resumed, for nothing that is counted depends on them.
const FREE: [&str; 4] = ["config", "isolation", "jobs", "metricsFile"];

/// The settings that a checkpoint is bound to.
pub(super) fn bound(plan: &RunPlan) -> Map<String, Value> {
    let Ok(Value::Object(mut settings)) = serde_json::to_value(plan) else { return Map::new() };
    settings.retain(|name, _| !FREE.contains(&name.as_str()));
    settings
}

/// Where two values differ first, with both.
fn difference(place: &str, one: &Value, other: &Value) -> Option<String> {
    if let (Value::Object(members), Value::Object(others)) = (one, other) {
        let mut names = members.keys().chain(others.keys().filter(|name| !members.contains_key(*name)));
        let of = |members: &Map<String, Value>, name: &str| members.get(name).cloned().unwrap_or_default();
        return names.find_map(|name| {
            let place = if place.is_empty() { name.clone() } else { format!("{place}.{name}") };
            difference(&place, &of(members, name), &of(others, name))
        });
    }
    (one != other).then(|| format!("{place} was {one} and is {other}"))
}

/// Whether two runs have the same settings.
///
/// # Errors
/// Returns where they differ.
pub(super) fn check_same(before: &Map<String, Value>, now: &Map<String, Value>) -> Result<(), String> {
    match difference("", &before.clone().into(), &now.clone().into()) {
        Some(difference) => Err(difference),
        None => Ok(()),
    }
}

impl State {
    /// Whether it was gathered with these settings.
    ///
    /// # Errors
    /// Returns where they differ.
    pub(super) fn check_settings(&self, now: &Map<String, Value>) -> Result<(), String> {
        if self.settings.is_empty() {
            return Ok(());
        }
        check_same(&self.settings, now)
    }

    /// How far it came: the later of two states of a shard has more.
    pub(super) fn progress(&self) -> u64 {
        /// More chunks than a part has.
        const PART: u64 = 1 << 20;
        let stored = self.stored.parts.saturating_mul(PART).saturating_add(self.stored.chunks.len());
        self.recorded.len().saturating_add(stored).saturating_add(self.cases)
    }

    /// How far a run with this plan has come.
    pub(super) fn far(&self, plan: &RunPlan) -> Unfinished {
        let (wanted, wanted_seconds) = match plan.own_budget() {
            RunBudget::Cases(cases) => (Some(cases), None),
            RunBudget::For(time) => (None, Some(time.as_secs())),
        };
        let (cases, seconds) = (self.cases, self.spent.as_secs());
        let resumable = self.recorded_all || !plan.reads_standard_input();
        Unfinished { recorded: self.recorded_all, cases, wanted, seconds, wanted_seconds, not_minimised: 0, resumable }
    }
}

/// What a checkpoint holds.
#[derive(Debug, Default)]
pub(super) struct Saved {
    /// What is done.
    pub state: State,
    /// The evidence; none before the first checkpoint.
    pub evidence: Option<Evidence>,
}

/// The file form: a line with the hash of what follows, a line of state, and the evidence.
///
/// # Errors
/// Returns an error when the evidence breaks a law.
pub(super) fn encode(state: &State, evidence: &Evidence) -> anyhow::Result<String> {
    let body = format!("{}\n{}", serde_json::to_string(state)?, evidence.to_json()?);
    Ok(format!("takeover checkpoint {} {}\n{body}", FORMAT.version(), blake3::hash(body.as_bytes())))
}

/// Reads the file form.
///
/// # Errors
/// Returns an error when it is damaged, or of another program.
pub(super) fn decode(text: &str) -> anyhow::Result<Saved> {
    let (head, body) = text.split_once('\n').context("it is truncated")?;
    let head = head.strip_prefix("takeover checkpoint ").context("it does not start like a checkpoint")?;
    let (format, hash) = head.split_once(' ').context("its first line is truncated")?;
    FORMAT.check_version(format)?;
    anyhow::ensure!(
        hash == blake3::hash(body.as_bytes()).to_hex().as_str(),
        "its content has changed since it was written"
    );
    let (state, evidence) = body.split_once('\n').context("it holds no evidence")?;
    Ok(Saved { state: serde_json::from_str(state)?, evidence: Some(Evidence::from_json(evidence)?) })
}

/// The last checkpoint in the run folder `root`; nothing done when there is none.
///
/// # Errors
/// Returns an error when it is damaged or cannot be read.
pub(super) fn read(root: &Path) -> anyhow::Result<Saved> {
    let place = root.join(FILE);
    let bytes = match bounded::plain_file(&place, bounded::EVIDENCE) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Saved::default()),
        bytes => bytes.with_context(|| format!("failed to read `{}`", place.display()))?,
    };
    std::str::from_utf8(&bytes).context("it is not text").and_then(decode).map_err(|error| {
        let damage =
            if error.is::<FormatError>() { "cannot be read" } else { "is damaged: run it again without --resume" };
        error.context(format!("the checkpoint `{}` {damage}", place.display()))
    })
}

#[cfg(test)]
mod tests {
    use super::{FILE, Saved, State, encode, read};
    use std::time::Duration;
    use takeover_corpora::generate::Health;
    use takeover_harness::case::Provenance;
    use takeover_harness::evidence::{CasePlace, Evidence, Sighting};

    #[test]
    fn a_checkpoint_reads_back_and_any_damage_to_it_is_noticed() {
        let folder = tempfile::tempdir().unwrap();
        let mut evidence = Evidence::new();
        let provenance = Provenance::File { path: "a.yaml".into(), document: 1, line: 1 };
        let sighting = Sighting { place: CasePlace::default(), provenance, message: "`Other`".into() };
        evidence.record_outside("unknown kind", sighting);
        let mut health = Health::default();
        health.cases = 8192;
        let state = State {
            generated: serde_json::from_str("[[0,7],[9,10]]").unwrap(),
            cases: 8192,
            spent: Duration::from_millis(1234),
            health: vec![health],
            ..State::default()
        };
        let text = encode(&state, &evidence).unwrap();
        let place = folder.path().join(FILE);
        let nothing = read(folder.path()).unwrap();
        assert!(nothing.evidence.is_none() && nothing.state == State::default(), "no file is a run not begun");
        std::fs::write(&place, &text).unwrap();
        let Saved { state: again, evidence: Some(gathered) } = read(folder.path()).unwrap() else {
            panic!("no evidence")
        };
        assert_eq!((again, gathered), (state, evidence));
        let damaged = [
            text[..text.len() - 9].to_owned(),
            text[..30].to_owned(),
            String::new(),
            text.replace("8192", "8193"),
            "{}\n".to_owned(),
        ];
        for text in damaged {
            std::fs::write(&place, &text).unwrap();
            let error = format!("{:#}", read(folder.path()).unwrap_err());
            assert!(error.contains("is damaged") && error.contains(&*place.to_string_lossy()), "{text}: {error}");
        }
        for (version, said) in [("0.9", "cannot be read: too old: `checkpoint`"), ("2.0", "cannot be read: too new")] {
            std::fs::write(&place, text.replacen("checkpoint 1.1", &format!("checkpoint {version}"), 1)).unwrap();
            let error = format!("{:#}", read(folder.path()).unwrap_err());
            assert!(error.contains(said) && error.contains(&*place.to_string_lossy()), "{error}");
        }
        // Of before there were minor versions.
        std::fs::write(&place, text.replacen("checkpoint 1.1", "checkpoint 1", 1)).unwrap();
        assert_eq!(read(folder.path()).unwrap().state.cases, 8192);
        std::fs::write(&place, b"\xff\xfe").unwrap();
        read(folder.path()).unwrap_err();
    }
}
