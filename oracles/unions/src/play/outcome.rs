//! What came of a cell.

use serde::Serialize;
use serde_json::Value;

/// One request and its answer.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Exchange {
    /// Method, and of a patch its type.
    pub request: String,
    /// What is sent; null for a get.
    pub body: Value,
    /// The object that the server answers with, or the text of its refusal.
    pub answer: Value,
}

/// Whether the client got what it wanted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase", tag = "verdict", content = "because")]
pub enum Verdict {
    /// What the client wanted is stored.
    Kept,
    /// The server refused, and said so.
    Refused(String),
    /// The server accepted, and something else is stored.
    Lost(Vec<String>),
}

/// What came of a cell.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Outcome {
    /// The object before; null if there is none.
    pub before: Value,
    /// Requests in the order in which they are sent.
    pub exchanges: Vec<Exchange>,
    /// The union that the client wants stored: its members, and the discriminator if the client knows it.
    pub wanted: Value,
    /// The object afterwards; null if there is none.
    pub after: Value,
    /// Whether it is what the client wanted.
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
