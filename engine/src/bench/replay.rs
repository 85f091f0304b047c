//! What replaying recorded objects costs beside parsing them, in time and in memory.

use crate::run::{Offered, RunInputs};
use anyhow::Context as _;
use serde::Serialize;
use serde_json::{Value, json};
use std::io::{self, Read};
use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;
use takeover_corpora::load::{Document, Documents, Input, Limits, load};
use takeover_corpora::select::Selection;
use takeover_harness::catalogue::Catalogue as _;
use takeover_harness::judge::Judge;
use takeover_harness::pair::Pair;
use takeover_harness::runner::{Part, Run, Steering};
use takeover_harness::subject::SubjectId;
use takeover_harness::yaml::to_yaml;
use takeover_oracles::registry::Registry;

/// Placeholder for the name of an object until it is written.
const NAME: &str = "takeover-name-of-the-object";

/// What is replayed.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    /// How many objects; the file is repeated as often as needed.
    pub objects: u64,
    /// As YAML documents instead of JSON lines.
    pub yaml: bool,
    /// Every object with a name of its own.
    pub distinct: bool,
    /// Threads that judge.
    pub jobs: NonZeroUsize,
}

/// The result.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Replayed {
    /// `JSON lines` or `YAML`.
    pub form: &'static str,
    /// Whether every object had a name of its own.
    pub distinct: bool,
    /// Objects.
    pub objects: u64,
    /// Objects in the file.
    pub of: usize,
    /// Mean bytes of text of an object.
    pub bytes: u64,
    /// Cases that were compared.
    pub compared: u64,
    /// Nanoseconds an object to parse every one, and nothing else.
    pub parsing_ns: f64,
    /// Nanoseconds an object to parse every one and make cases of it.
    pub loading_ns: f64,
    /// Nanoseconds an object for the whole replay.
    pub replay_ns: f64,
    /// The replay as a multiple of parsing.
    pub ratio: f64,
    /// Most memory of the process, in KiB, when the first objects had been replayed; where the system tells.
    pub first_kib: Option<u64>,
    /// Most memory of the process, in KiB, at the end.
    pub peak_kib: Option<u64>,
}

/// Measures the objects of `file` that belong to a subject.
///
/// # Errors
/// Returns an error when the file cannot be read, or holds no such object.
pub fn run(registry: &Registry, file: &Path, effort: Effort) -> anyhow::Result<Replayed> {
    let (ids, objects) = objects(registry, file)?;
    let pairs = ids.into_iter().map(|id| registry.pair(&id.into())).collect::<Result<Vec<_>, _>>()?;
    let objects = Arc::new(objects);
    let bytes = io::copy(&mut Texts::new(&objects, effort), &mut io::sink())?;
    let read = || -> Documents {
        let name = if effort.yaml { "objects.yaml" } else { "objects.jsonl" };
        load(vec![Input::stream(name, Texts::new(&objects, effort))], Limits::default())
    };
    let parsing_ns = timed(effort, || Ok(read().filter(Result::is_ok).count()))?.0;
    let loading_ns = timed(effort, || Ok(read().cases().filter(Result::is_ok).count()))?.0;
    let first_kib = AtomicU64::new(0);
    let (replay_ns, compared) = timed(effort, || replay(&pairs, read(), effort.jobs, &first_kib))?;
    Ok(Replayed {
        form: if effort.yaml { "YAML" } else { "JSON lines" },
        distinct: effort.distinct,
        objects: effort.objects,
        of: objects.len(),
        bytes: bytes / effort.objects.max(1),
        compared,
        parsing_ns,
        loading_ns,
        replay_ns,
        ratio: replay_ns / parsing_ns,
        first_kib: Some(first_kib.into_inner()).filter(|kib| *kib > 0),
        peak_kib: peak_kib(),
    })
}

/// Nanoseconds per object, and the result of the work.
fn timed<T>(effort: Effort, work: impl FnOnce() -> anyhow::Result<T>) -> anyhow::Result<(f64, T)> {
    let start = Instant::now();
    let done = work()?;
    #[expect(clippy::cast_precision_loss, reason = "a measurement is far below 2^52 nanoseconds")]
    Ok((start.elapsed().as_nanos() as f64 / effort.objects.max(1) as f64, done))
}

/// Judges the cases of all documents as a soak does, and returns how many were compared.
fn replay(pairs: &[Pair], documents: Documents, jobs: NonZeroUsize, first_kib: &AtomicU64) -> anyhow::Result<u64> {
    let judges: Vec<Judge<'_>> = pairs.iter().map(Judge::new).collect();
    let mut inputs =
        RunInputs::new(documents.remembering().cases(), pairs, Offered::default(), Selection::new(None, None), &|_| ());
    let progress = |progress: &takeover_harness::runner::Progress<'_>| {
        if progress.chunks == 1 {
            first_kib.store(peak_kib().unwrap_or_default(), Ordering::Relaxed);
        }
    };
    let run = Run::new(&judges, jobs).with_controls();
    let done = run.recorded(&mut inputs, Part::default(), Steering { stop: &|| false, progress: &progress })?;
    Ok(done.evidence.compared())
}

/// The objects of a file that belong to a subject, and the subjects.
fn objects(registry: &Registry, file: &Path) -> anyhow::Result<(Vec<SubjectId>, Vec<Object>)> {
    let mut ids: Vec<SubjectId> = Vec::new();
    let mut objects = Vec::new();
    for document in load(vec![Input::named(file)], Limits::default()) {
        let Document { value, api_version, kind, .. } = document?;
        let id = SubjectId::new(api_version, kind);
        if !registry.subjects().any(|known| known == id) {
            continue;
        }
        objects.push(Object::of(value).with_context(|| format!("{} has an object without metadata", file.display()))?);
        if !ids.contains(&id) {
            ids.push(id);
        }
    }
    anyhow::ensure!(!objects.is_empty(), "`{}` contains no object of a known kind", file.display());
    Ok((ids, objects))
}

/// An object to be written: its name, and the text before and after the name in JSON and YAML.
struct Object {
    name: String,
    json: [String; 2],
    yaml: [String; 2],
}

impl Object {
    fn of(mut value: Value) -> Option<Self> {
        let metadata = value.as_object_mut()?.entry("metadata").or_insert_with(|| json!({})).as_object_mut()?;
        let name = metadata.insert("name".to_owned(), NAME.into());
        let name = name.as_ref().and_then(Value::as_str).unwrap_or("unnamed").to_owned();
        let around = |text: &str| text.split_once(NAME).map(|(before, after)| [before.to_owned(), after.to_owned()]);
        Some(Self { name, json: around(&value.to_string())?, yaml: around(&to_yaml(&value))? })
    }
}

/// The text of all objects, made as it is read.
struct Texts {
    objects: Arc<Vec<Object>>,
    effort: Effort,
    written: u64,
    text: Vec<u8>,
    /// Bytes of `text` that were read.
    read: usize,
}

impl Texts {
    fn new(objects: &Arc<Vec<Object>>, effort: Effort) -> Self {
        Self { objects: Arc::clone(objects), effort, written: 0, text: Vec::new(), read: 0 }
    }

    fn write(&mut self) {
        let index = self.written % self.objects.len().max(1) as u64;
        let Some(object) = usize::try_from(index).ok().and_then(|index| self.objects.get(index)) else { return };
        let [before, after] = if self.effort.yaml { &object.yaml } else { &object.json };
        let own = format!("n{}", self.written);
        let name = if self.effort.distinct { own.as_str() } else { object.name.as_str() };
        self.text.clear();
        self.read = 0;
        let parts = [if self.effort.yaml { "---\n" } else { "" }, before, name, after, "\n"];
        parts.iter().for_each(|part| self.text.extend_from_slice(part.as_bytes()));
        self.written += 1;
    }
}

impl Read for Texts {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.read == self.text.len() {
            if self.written == self.effort.objects {
                return Ok(0);
            }
            self.write();
        }
        let read = self.text.get(self.read..).unwrap_or_default().read(buffer)?;
        self.read += read;
        Ok(read)
    }
}

/// Most memory that this process ever had, where the system tells.
fn peak_kib() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.split_whitespace().next()?.parse().ok()
}
