//! The outcome of a cell.

use serde::Serialize;
use serde_json::Value;

/// One request and its answer.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Exchange {
    /// The method, with the type of a patch.
    pub request: String,
    /// The body; null for a get.
    pub body: Value,
    /// The object that the server returns, or its error.
    pub answer: Value,
}

/// Whether the client's change was stored.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase", tag = "verdict", content = "because")]
pub enum Verdict {
    /// The change is stored.
    Kept,
    /// The server rejected the request with an error.
    Refused(String),
    /// The server accepted the request and stored something else.
    Lost(Vec<String>),
}

/// The outcome of a cell.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Outcome {
    /// The object before the requests, or null.
    pub before: Value,
    /// Requests in the order in which they are sent.
    pub exchanges: Vec<Exchange>,
    /// The union that the client wants to store: its members, and the discriminator if the client knows it.
    pub wanted: Value,
    /// The object after the requests, or null.
    pub after: Value,
    /// The verdict.
    #[serde(flatten)]
    pub verdict: Verdict,
}

impl Verdict {
    /// Whether the server accepted and stored something else.
    #[must_use]
    pub fn is_lost(&self) -> bool {
        matches!(self, Self::Lost(_))
    }
}
