//! The objects of a shard: a line with format and hash of what follows; compressed, a line each for what is small, then evidence.

use crate::bounded;
use crate::run::record::RunRecord;
use crate::run::state::{self, State};
use crate::storage::Storage;
use anyhow::Context as _;
use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use std::io::{Read as _, Write as _};
use takeover_corpora::generate::Health;
use takeover_harness::evidence::Evidence;
use takeover_harness::format::Format;
use takeover_harness::runner::Shard;

const CHECKPOINT: Format =
    Format { name: "shard-checkpoint", major: 1, minor: 0, remedy: "remove it, which starts the shard again" };
const RESULT: Format =
    Format { name: "shard-result", major: 1, minor: 0, remedy: "remove it, which starts the shard again" };

/// The folder of results.
pub(super) const RESULTS: &str = "results";

/// The name of an object of a shard in one of the folders: names are in the order of the shards.
pub(super) fn name_in(folder: &str, shard: Shard) -> String {
    format!("{folder}/{:06}-of-{:06}", shard.number(), shard.of())
}

/// The name of the checkpoint of a shard.
pub(super) fn checkpoint_name(shard: Shard) -> String {
    name_in("checkpoints", shard)
}

/// The name of the result of a shard.
pub(super) fn result_name(shard: Shard) -> String {
    name_in(RESULTS, shard)
}

/// The shard of a result by its name.
pub(super) fn shard_of(name: &str) -> Option<Shard> {
    let (number, of) = name.strip_prefix(RESULTS)?.strip_prefix('/')?.split_once("-of-")?;
    let [number, of]: [u64; 2] = [number.parse().ok()?, of.parse().ok()?];
    format!("{number}/{of}").parse().ok()
}

/// A line that says what this is, with the hash of what follows: the body, compressed, for it repeats itself.
fn sealed(format: Format, body: &str) -> anyhow::Result<Vec<u8>> {
    let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
    packed.write_all(body.as_bytes())?;
    let packed = packed.finish()?;
    let mut out = format!("takeover {} {} {}\n", format.name, format.version(), blake3::hash(&packed)).into_bytes();
    out.extend(packed);
    Ok(out)
}

/// The body of an object.
///
/// # Errors
/// Returns an error when it is damaged, or of another program.
fn opened(format: Format, content: &[u8]) -> anyhow::Result<String> {
    let end = content.iter().position(|byte| *byte == b'\n').context("it is truncated")?;
    let (head, packed) = content.split_at(end);
    let (head, packed) = (std::str::from_utf8(head).unwrap_or_default(), packed.get(1..).unwrap_or_default());
    let head = head.strip_prefix("takeover ").and_then(|head| head.strip_prefix(format.name)?.strip_prefix(' '));
    let (version, hash) = head.and_then(|head| head.split_once(' ')).context("it does not start as it should")?;
    format.check_version(version)?;
    anyhow::ensure!(hash == blake3::hash(packed).to_hex().as_str(), "its content has changed since it was written");
    let mut body = String::new();
    GzDecoder::new(packed).take(bounded::EVIDENCE + 1).read_to_string(&mut body)?;
    anyhow::ensure!(body.len() as u64 <= bounded::EVIDENCE, "it is longer than {} MiB", bounded::EVIDENCE >> 20);
    Ok(body)
}

/// A checkpoint with the record of its run.
pub(super) struct Checkpointed {
    /// `run.json` as it was when the shard began.
    pub(super) record: String,
    /// The file in the run folder.
    pub(super) checkpoint: String,
}

impl Checkpointed {
    pub(super) fn encode(record: &RunRecord, checkpoint: &str) -> anyhow::Result<Vec<u8>> {
        sealed(CHECKPOINT, &format!("{}\n{checkpoint}", serde_json::to_string(record)?))
    }

    pub(super) fn decode(content: &[u8]) -> anyhow::Result<Self> {
        let body = opened(CHECKPOINT, content)?;
        let (record, checkpoint) = body.split_once('\n').context("it holds no checkpoint")?;
        Ok(Self { record: record.to_owned(), checkpoint: checkpoint.to_owned() })
    }

    /// How far the shard had come.
    pub(super) fn state(&self) -> anyhow::Result<State> {
        Ok(state::decode(&self.checkpoint)?.state)
    }
}

/// What a finished shard leaves.
pub(super) struct ShardResult {
    pub(super) record: RunRecord,
    pub(super) health: Vec<Health>,
    pub(super) evidence: Evidence,
}

impl ShardResult {
    pub(super) fn encode(record: &RunRecord, health: &[Health], evidence: &Evidence) -> anyhow::Result<Vec<u8>> {
        let (record, health) = (serde_json::to_string(record)?, serde_json::to_string(health)?);
        sealed(RESULT, &format!("{record}\n{health}\n{}", evidence.to_json()?))
    }

    /// The result of this name, which was there a moment ago.
    pub(super) fn read(storage: &dyn Storage, name: &str) -> anyhow::Result<Self> {
        let place = storage.location().join(name);
        let stored = storage.read(name)?.with_context(|| format!("`{place}` was removed in the meantime"))?;
        Self::decode(&stored.content).with_context(|| format!("failed to read `{place}`"))
    }

    pub(super) fn decode(content: &[u8]) -> anyhow::Result<Self> {
        let body = opened(RESULT, content)?;
        let mut parts = body.splitn(3, '\n');
        let mut part = || parts.next().context("a part is missing");
        let (record, health, evidence) = (part()?, part()?, part()?);
        Ok(Self {
            record: RunRecord::from_json(record)?,
            health: serde_json::from_str(health)?,
            evidence: Evidence::from_json(evidence)?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::{CHECKPOINT, RESULT, opened, result_name, sealed, shard_of};

    #[test]
    fn damage_and_other_objects_are_noticed() {
        let whole = sealed(RESULT, "one\ntwo\nthree").unwrap();
        assert_eq!(opened(RESULT, &whole).unwrap(), "one\ntwo\nthree");
        let short = whole[..whole.len() - 1].to_vec();
        let at = whole.iter().position(|byte| *byte == b'1').unwrap();
        let mut newer = whole.clone();
        newer[at] = b'2';
        for (format, content, said) in [
            (RESULT, short, "has changed"),
            (RESULT, b"takeover".to_vec(), "truncated"),
            (CHECKPOINT, whole.clone(), "does not start as it should"),
            (RESULT, newer, "too new"),
            (RESULT, b"\xff\n".to_vec(), "does not start as it should"),
        ] {
            let error = format!("{:#}", opened(format, &content).unwrap_err());
            assert!(error.contains(said), "{said}: {error}");
        }
    }

    #[test]
    fn results_are_named_in_the_order_of_their_shards() {
        let names: Vec<String> = ["2/64", "10/64"].iter().map(|shard| result_name(shard.parse().unwrap())).collect();
        assert_eq!(names, ["results/000002-of-000064", "results/000010-of-000064"]);
        assert!(names.is_sorted());
        assert_eq!(names.iter().map(|name| shard_of(name).unwrap().to_string()).collect::<Vec<_>>(), ["2/64", "10/64"]);
        for other in
            ["results/x", "checkpoints/000002-of-000064", "results/000000-of-000064", "results/000065-of-000064"]
        {
            assert_eq!(shard_of(other), None, "{other}");
        }
    }
}
