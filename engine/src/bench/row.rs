//! A line of the result: what was measured, what it includes, and how long it takes.

use super::measure::Measured;
use serde::{Deserialize, Serialize};
use takeover_harness::subject::PairId;

/// One line of the result.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Row {
    /// The subject.
    pub subject: String,
    /// What was measured.
    pub what: String,
    /// The steps that the time of an item includes.
    #[serde(default)]
    pub includes: String,
    /// Median nanoseconds an item.
    pub median_ns: f64,
    /// Lower quartile.
    pub low_ns: f64,
    /// Upper quartile.
    pub high_ns: f64,
    /// Nanoseconds an item in the fastest round: what it takes where nothing disturbs.
    pub least_ns: f64,
    /// Items a second at the median.
    pub per_second: f64,
    /// Median as a multiple of decoding and defaulting.
    pub times_decode: f64,
    /// Median as a multiple of a deep copy of the same objects; none where that says nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub times_copy: Option<f64>,
}

const ONE_SIDE: &str = "a decoded case: one side, without comparison";

/// The steps that a line includes, by the start of its name.
const INCLUDES: [(&str, &str); 19] = [
    (
        "decode and default",
        "a case: reading JSON bytes, decoding into the arena, defaulting; of an update both objects",
    ),
    ("decode, prune", "a case: decoding, pruning and defaulting, and what each side needs of the object"),
    ("decode alone", "an object: reading JSON bytes, decoding into the arena"),
    ("typed view", "a case: making the typed objects of the handwritten side from decoded ones"),
    (
        "JSON bytes to recorded verdict",
        "a case: decoding, defaulting, views, both sides, comparison, record in the evidence",
    ),
    ("prepared comparison", "a decoded case: both sides, comparison, record in the evidence"),
    ("comparison and record alone", "a decoded case: comparison and record, with sides that say nothing"),
    ("generate a case", "a random case: making its objects as trees"),
    (
        "generated case",
        "a random case: making its objects, decoding, defaulting, views, both sides, comparison, causes, planted faults, record in the evidence",
    ),
    ("default", "a decoded object: defaulting"),
    ("deep copy of JSON trees", "a JSON tree: copying all of it"),
    ("deep copy", "a decoded object: copying all of it into the arena"),
    ("prune", "a JSON tree: dropping what the schema does not know"),
    ("schema alone", "an object: the keywords of the schema"),
    ("CEL alone", "an object: the CEL rules"),
    ("declarative alone", ONE_SIDE),
    ("handwritten alone", ONE_SIDE),
    ("reference alone", ONE_SIDE),
    ("candidate alone", ONE_SIDE),
];

/// One line; `decode` is the median of decoding alone.
pub(super) fn row(pair: &PairId, what: String, measured: Measured, decode: f64) -> Row {
    let Measured { median_ns, low_ns, high_ns, least_ns, .. } = measured;
    let includes = INCLUDES.into_iter().find(|(begin, _)| what.starts_with(begin)).map(|(_, includes)| includes);
    Row {
        subject: pair.to_string(),
        includes: includes.unwrap_or_default().to_owned(),
        what,
        median_ns,
        low_ns,
        high_ns,
        least_ns,
        per_second: 1e9 / median_ns,
        times_decode: median_ns / decode,
        times_copy: None,
    }
}

/// Adds to the lines whose names begin with `compared` how they compare with the line `copy`.
pub(super) fn beside_copy(rows: &mut [Row], copy: &str, compared: &str) {
    let Some(of_copy) = rows.iter().find(|row| row.what == copy).map(|row| row.median_ns) else { return };
    for row in rows.iter_mut().filter(|row| row.what.starts_with(compared) || row.what == copy) {
        row.times_copy = Some(row.median_ns / of_copy);
    }
}
