//! `run.json`: what went into a run. It serves to repeat a run, to resume it, and to tell whether shards belong together.

use super::state;
use crate::pairs::Generators;
use crate::plan::RunPlan;
use crate::run_folder;
use anyhow::Context as _;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::fmt::Display;
use std::path::{Path, PathBuf};
use takeover_harness::evidence::StoredCase;
use takeover_harness::format::{Format, FormatMark};
use takeover_harness::pair::Pair;
use takeover_harness::runner::Shard;

/// The format of `run.json`, and of the layout of the run folder.
const FORMAT: Format = Format { name: "run", major: 1, minor: 1, remedy: "run `soak` again" };

/// The file in the run folder.
pub(super) const FILE: &str = "run.json";

/// Settings that a run and its continuation, or two shards of a run, need not have in common.
const LOCAL: [&str; 6] = ["config", "exceptions", "isolation", "jobs", "metricsFile", "shard"];

/// What went into a run.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct RunRecord {
    #[serde(alias = "formatVersion")]
    format: FormatMark,
    /// Version of this program.
    takeover: String,
    /// BLAKE3 of this program's file: another build may judge otherwise.
    program: Option<String>,
    /// Hash of every rule, and of cases that the generator makes of them.
    rules: String,
    /// The folder in which the program ran, as the way there from the run folder: files are named from there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub home: Option<PathBuf>,
    /// Subjects.
    subjects: Vec<String>,
    /// The settings of the run.
    #[serde(flatten)]
    pub plan: RunPlan,
    /// Files that are read, with their BLAKE3 hashes.
    inputs: Vec<InputRecord>,
    /// Number of generated cases: asked for, or reached when the time was up. With the seed and the inputs, it makes the run
    /// again.
    pub cases: u64,
    /// Documents and files that could not be read.
    pub unreadable: u64,
    /// Of these, the ones in inputs that are stored: each shard reads its own parts of them.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub unreadable_parts: u64,
    /// The shards that were put together, when this is what `merge` wrote.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub merged: Option<Merged>,
    /// Whether the run ended of its own accord; otherwise it was killed.
    pub finished: bool,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "as serde calls it")]
fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// A file that is read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct InputRecord {
    /// As named by the user.
    pub(super) path: String,
    /// BLAKE3, hexadecimal; absent for streams. Of an address in a storage, that of the names, sizes and versions of its objects.
    pub(super) blake3: Option<String>,
}

/// What all shards of a run have in common.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SharedSettings {
    format: FormatMark,
    takeover: String,
    /// How many shards the run has.
    shards: u64,
    /// The settings that evidence and verdicts depend on.
    settings: serde_json::Map<String, Value>,
    /// Inputs in storages.
    inputs: Vec<InputRecord>,
}

impl SharedSettings {
    pub(super) fn of(plan: &RunPlan, inputs: Vec<InputRecord>, format: FormatMark) -> Self {
        let mut settings = state::bound(plan);
        settings.remove("shard");
        Self { format, takeover: env!("CARGO_PKG_VERSION").to_owned(), shards: plan.shard.of(), settings, inputs }
    }

    /// Whether both are of the same run.
    ///
    /// # Errors
    /// Returns an error when they differ; it names the first difference.
    pub(super) fn check_same(&self, now: &Self) -> Result<(), String> {
        same("the version of the program", &self.takeover, &now.takeover)?;
        same("the number of shards", &self.shards, &now.shards)?;
        state::check_same(&self.settings, &now.settings)?;
        match self.inputs.iter().zip(&now.inputs).find(|(before, now)| before != now) {
            Some((_, now)) => Err(format!("the objects of the input `{}` have changed", now.path)),
            None => Ok(()),
        }
    }
}

/// Shards as `merge` found them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Merged {
    /// The shards that were found.
    pub shards: Vec<Shard>,
    /// The shards that were missing: the evidence covers only a part of the run.
    pub missing: Vec<Shard>,
}

impl RunRecord {
    /// The record of the run in the folder `root`; none when the run was killed before it began.
    ///
    /// # Errors
    /// Returns an error when there is no run, its record is damaged, or of a format that is not read; the message names the
    /// file.
    pub(super) fn read_begun(root: &Path) -> anyhow::Result<Option<Self>> {
        let text = run_folder::read(root, FILE)?;
        let understand = || format!("failed to parse `{}`", root.join(FILE).display());
        let raw: Value = serde_json::from_str(&text).with_context(understand)?;
        if raw.as_object().is_none_or(serde_json::Map::is_empty) {
            return Ok(None);
        }
        Self::from_value(raw).with_context(understand).map(Some)
    }

    /// The record of this text.
    ///
    /// # Errors
    /// Returns an error when it is damaged, or of a format that is not read.
    pub(super) fn from_json(text: &str) -> anyhow::Result<Self> {
        Self::from_value(serde_json::from_str(text)?)
    }

    fn from_value(raw: Value) -> anyhow::Result<Self> {
        FORMAT.check_value(&raw)?;
        let record: Self = serde_json::from_value(raw)?;
        // Whatever it was read from, it is written in the form of today.
        Ok(Self { format: FORMAT.mark(), ..record })
    }

    /// The record of the run in the folder `root`, which began.
    ///
    /// # Errors
    /// Returns the errors of [`RunRecord::read_begun`], and an error when the run did not begin.
    pub(super) fn read(root: &Path) -> anyhow::Result<Self> {
        let place = root.display();
        anyhow::ensure!(root.is_dir(), "`{place}` is not a folder: name the run folder that `soak` printed");
        anyhow::ensure!(root.join(FILE).is_file(), "`{place}` holds no run: it has no {FILE}");
        let begun = Self::read_begun(root)?;
        begun.with_context(|| format!("the run in `{}` was killed before it started: run it again", root.display()))
    }

    /// Notes that the program runs in the working folder, and keeps the run in `root`.
    pub(super) fn run_here(&mut self, root: &Path) {
        self.home = std::env::current_dir().ok().and_then(|here| run_folder::way(root, &here));
    }

    /// The record of a run that begins now.
    pub(super) fn new(plan: &RunPlan, pairs: &[Pair], generators: &Generators, stored: Vec<InputRecord>) -> Self {
        Self {
            format: FORMAT.mark(),
            takeover: env!("CARGO_PKG_VERSION").to_owned(),
            program: std::env::current_exe().ok().and_then(|program| hash_of(&program)),
            rules: rules_hash(pairs, generators),
            home: None,
            subjects: pairs.iter().map(|pair| pair.id.to_string()).collect(),
            plan: plan.clone(),
            inputs: inputs(plan).into_iter().chain(stored).collect(),
            cases: 0,
            unreadable: 0,
            unreadable_parts: 0,
            merged: None,
            finished: false,
        }
    }

    /// Whether both are of the same run.
    ///
    /// # Errors
    /// Returns an error when they differ; it names the first difference.
    pub(super) fn same_run(&self, other: &Self) -> Result<(), String> {
        let (ours, theirs) = (self.settings(), other.settings());
        self.same_rules(other)?;
        let names = ours.iter().chain(&theirs).map(|(name, _)| name);
        for name in names.filter(|name| !LOCAL.contains(&name.as_str())) {
            let text =
                |settings: &serde_json::Map<String, Value>| settings.get(name).unwrap_or(&Value::Null).to_string();
            same(&format!("the setting {name}"), &text(&ours), &text(&theirs))?;
        }
        let input = |list: &[InputRecord], at: usize| list.get(at).cloned();
        for at in 0..self.inputs.len().max(other.inputs.len()) {
            match (input(&self.inputs, at), input(&other.inputs, at)) {
                (Some(one), Some(other)) if one == other => {}
                (Some(one), Some(other)) if one.path == other.path => {
                    return Err(format!("the input `{}` is not the same", one.path));
                }
                // In lists that are not the same, the first file that only one of them has.
                (one, other_at) => {
                    let in_other = |path: &str| other.inputs.iter().any(|input| input.path == path);
                    let lone = match (&one, &other_at) {
                        (Some(one), _) if !in_other(&one.path) => one,
                        (_, Some(other)) => other,
                        (Some(one), None) => one,
                        (None, None) => continue,
                    };
                    return Err(format!("only one has the input `{}`", lone.path));
                }
            }
        }
        Ok(())
    }

    /// Whether the run of `earlier`, in the folder `place`, can be gone on with by this one. `recorded_all` says whether its recorded
    /// cases are all judged.
    ///
    /// # Errors
    /// Returns an error when something is not the same, which says what.
    pub(super) fn check_continues(&self, earlier: &Self, place: &Path, recorded_all: bool) -> anyhow::Result<()> {
        let place = place.display();
        if let Err(difference) = earlier.same_run(self) {
            anyhow::bail!("cannot resume the run in `{place}`: {difference}");
        }
        anyhow::ensure!(
            earlier.program == self.program,
            "cannot resume the run in `{place}`: it was started by another build of this program"
        );
        anyhow::ensure!(
            recorded_all || !earlier.plan.reads_standard_input(),
            "cannot resume the run in `{place}`: it read standard input, which cannot be read again"
        );
        Ok(())
    }

    /// Whether both were made by programs that count the same.
    ///
    /// # Errors
    /// Returns an error when they differ; it names the first difference.
    pub(super) fn same_rules(&self, other: &Self) -> Result<(), String> {
        same("the version of the program", &self.takeover, &other.takeover)?;
        same("the list of subjects", &self.subjects.join(", "), &other.subjects.join(", "))?;
        if self.rules == other.rules {
            Ok(())
        } else {
            Err("the rules, or the cases that are generated from them, are not the same".to_owned())
        }
    }

    fn settings(&self) -> serde_json::Map<String, Value> {
        match serde_json::to_value(&self.plan) {
            Ok(Value::Object(settings)) => settings,
            _ => serde_json::Map::new(),
        }
    }
}

fn same(what: &str, one: &dyn Display, other: &dyn Display) -> Result<(), String> {
    let (one, other) = (one.to_string(), other.to_string());
    if one == other { Ok(()) } else { Err(format!("{what} differs: `{one}` and `{other}`")) }
}

fn inputs(plan: &RunPlan) -> Vec<InputRecord> {
    let mut inputs = Vec::new();
    if plan.builtin {
        inputs.extend(takeover_corpora::recorded::builtin().iter().map(|(path, text)| InputRecord {
            path: (*path).to_owned(),
            blake3: Some(blake3::hash(text.as_bytes()).to_hex().to_string()),
        }));
    }
    inputs.extend(takeover_corpora::load::files(&plan.local_inputs()).into_iter().map(|path| {
        let blake3 = if path == "-" { None } else { hash_of(Path::new(&path)) };
        InputRecord { path, blake3 }
    }));
    inputs
}

fn hash_of(path: &Path) -> Option<String> {
    let mut hasher = blake3::Hasher::new();
    hasher.update_reader(std::fs::File::open(path).ok()?).ok()?;
    Some(hasher.finalize().to_hex().to_string())
}

/// Hashes what the rules and options say and the first cases that the generators make, to tell them from others.
fn rules_hash(pairs: &[Pair], generators: &Generators) -> String {
    let mut hasher = blake3::Hasher::new();
    let mut add = |text: &str| {
        hasher.update(&(text.len() as u64).to_le_bytes());
        hasher.update(text.as_bytes());
    };
    for (index, pair) in pairs.iter().enumerate() {
        add(&pair.id.to_string());
        pair.options.iter().for_each(|option| add(option));
        pair.delegated.iter().for_each(|part| add(&part.path));
        for rule in &pair.rules {
            // Where a rule is written is not what it says.
            let rule = takeover_harness::rule::Rule { source: None, ..rule.clone() };
            add(&serde_json::to_string(&rule).unwrap_or_default());
        }
        for rule in pair.baseline.iter().filter(|_| pair.validation.is_some()) {
            add(&rule.path);
            add(&rule.chain);
        }
        for case in generators.sample(index, pair) {
            add(&serde_json::to_string(&StoredCase::from(&case)).unwrap_or_default());
        }
    }
    hasher.finalize().to_hex().to_string()
}

#[cfg(test)]
mod tests {
    use super::{FILE, RunRecord};

    #[test]
    fn runs_of_before_there_were_minor_versions_are_read_and_others_refused_by_name() {
        let folder = tempfile::tempdir().unwrap();
        let old = include_str!("old/run-1.json");
        let read = |text: &str| {
            std::fs::write(folder.path().join(FILE), text).unwrap();
            RunRecord::read(folder.path()).map_err(|error| format!("{error:#}"))
        };
        let record = read(old).unwrap();
        assert_eq!((record.cases, record.finished, record.plan.judging.seed), (3, true, 7));
        let now = serde_json::to_string(&record).unwrap();
        assert!(now.starts_with("{\"format\":{\"name\":\"run\",\"major\":1,\"minor\":1,"), "{now}");
        assert_eq!(serde_json::to_string(&read(&now).unwrap()).unwrap(), now);
        let file = folder.path().join(FILE).display().to_string();
        let mark = "\"formatVersion\": 1";
        for (text, said) in [
            (old.replace(mark, "\"formatVersion\": 0"), "too old: `run` of format 0.0"),
            (
                old.replace(mark, "\"format\": {\"name\": \"run\", \"major\": 2, \"minor\": 0}"),
                "too new: `run` of format 2.0",
            ),
            (
                old.replace(mark, "\"format\": {\"name\": \"shadow-run\", \"major\": 1, \"minor\": 1}"),
                "it is `shadow-run`, not `run`",
            ),
        ] {
            let error = read(&text).unwrap_err();
            assert!(error.contains(said) && error.contains(&file), "{error}");
        }
        assert!(read("{}").unwrap_err().contains("was killed before it started"));
    }
}
