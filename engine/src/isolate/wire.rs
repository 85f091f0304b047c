//! What supervisor and worker say to each other: frames of JSON, each behind its length.

use crate::plan::JudgingPlan;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::io::{self, Read, Write};
use std::path::PathBuf;
use std::sync::Arc;
use takeover_corpora::generate::Health;
use takeover_harness::case::{Case, Operation, Options, Payload, Provenance, stored};
use takeover_harness::compare::Signature;
use takeover_harness::error::FieldError;
use takeover_harness::evidence::CasePlace;
use takeover_harness::judge::{Panic, Wanted};
use takeover_reports::CaseDifference;

/// Most bytes of a frame; a longer one is not ours.
const MAX_FRAME: u64 = 4 << 30;

/// What a worker is told first.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct WorkerSetup {
    /// The file of notes.
    pub beat: PathBuf,
    /// Limit of address space, in bytes.
    pub memory: u64,
    /// What is judged.
    pub plan: JudgingPlan,
}

/// Something to do with one subject.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Request {
    /// Index among the subjects of the run.
    pub subject: usize,
    /// The recorded objects that the generator starts from, by index.
    pub seeds: Vec<u64>,
    /// Answers that are not to be asked for.
    pub deadly: Vec<DeadlyAnswer>,
    /// Large cases that are counted and not judged, because they took too much time or memory.
    pub too_large: Vec<u64>,
    /// From this case on, cases are counted and not judged.
    pub cut: Option<u64>,
    /// What to do.
    pub work: Work,
}

impl Request {
    /// How many times as long as a small case the case with this index may take.
    pub(super) fn patience(&self, index: u64) -> u32 {
        match &self.work {
            Work::Cases(cases) => {
                usize::try_from(index).ok().and_then(|at| cases.get(at)).map_or(1, |case| case.patience)
            }
            Work::Examine(case, _) => case.patience,
            Work::Accept | Work::Check | Work::Chunk { .. } => 1,
        }
    }
}

/// An answer that ends the process.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct DeadlyAnswer {
    /// Which case of the work.
    pub index: u64,
    /// Who was to answer.
    pub culprit: Culprit,
    /// After how many answers of the culprit to the case and its variants: 0 if it is the answer to the case itself.
    pub before: u64,
    /// How the process ended, as text.
    pub end: String,
}

/// Who ended a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Culprit {
    /// Whoever decodes the objects or takes them in.
    Decoding,
    /// The reference.
    Reference,
    /// The candidate.
    Candidate,
}

/// What to do.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) enum Work {
    /// Say which recorded objects the reference accepts.
    Accept,
    /// Check the harness itself on cases of the subject.
    Check,
    /// Make and judge a chunk.
    Chunk {
        /// Number in the run.
        number: u64,
        /// Number among the chunks of the subject.
        own: u64,
        /// How many cases.
        len: u64,
    },
    /// Judge these.
    Cases(Vec<SentCase>),
    /// Say everything about one case, with these causes.
    Examine(Box<SentCase>, SoughtCauses),
}

/// What was done. The evidence of chunks and cases follows in a frame of its own.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) enum Reply {
    /// The accepted objects, by index.
    Accepted(Vec<u64>),
    /// What the harness failed to notice; none when it is sound.
    Checked(Option<String>),
    /// What was generated.
    Judged(Box<Health>),
    /// What became of one case.
    Examined(Box<CaseDetails>),
}

/// Which causes are looked for.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) enum SoughtCauses {
    /// Those of all that differs.
    Every,
    /// That of what may have this signature.
    Of(Signature),
    /// None.
    None,
}

impl SoughtCauses {
    pub(super) fn wanted(&self) -> Wanted<'_> {
        match self {
            Self::Every => Wanted::Every,
            Self::Of(signature) => Wanted::Of(signature),
            Self::None => Wanted::None,
        }
    }
}

/// Everything about one case.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct CaseDetails {
    /// Its disagreements.
    pub signatures: Vec<Signature>,
    /// Sides (or `decoding`) that panicked or ended the process.
    pub panics: Vec<(String, Panic)>,
    /// Errors of the reference.
    pub reference: Vec<FieldError>,
    /// Errors of the candidate.
    pub candidate: Vec<FieldError>,
    /// Decisions and values that differ.
    pub differences: Vec<CaseDifference>,
    /// Whether the user would get another decision, rather than other words, if the candidate took over.
    pub deciding: bool,
}

/// A case on its way.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct SentCase {
    place: CasePlace,
    operation: Operation,
    object: SentObject,
    old: Option<SentObject>,
    options: Options,
    provenance: Provenance,
    /// Known to the supervisor alone.
    #[serde(skip)]
    patience: u32,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
enum SentObject {
    Text(String),
    Bytes(Vec<u8>),
    Tree(Value),
}

impl SentCase {
    /// The case at its place.
    pub(super) fn new(place: CasePlace, case: &Case) -> Self {
        Self {
            place,
            operation: case.operation,
            object: (&case.object).into(),
            old: case.old.as_ref().map(Into::into),
            options: case.options.clone(),
            provenance: case.provenance.clone(),
            patience: case.patience(),
        }
    }

    /// The same case again.
    pub(super) fn into_case(self) -> (CasePlace, Case<'static>) {
        let Self { place, operation, object, old, options, provenance, .. } = self;
        (place, Case { operation, object: object.into(), old: old.map(Into::into), options, provenance })
    }

    /// Where it came from.
    pub(super) fn provenance(&self) -> &Provenance {
        &self.provenance
    }
}

impl From<&Payload<'_>> for SentObject {
    fn from(payload: &Payload) -> Self {
        match payload {
            Payload::Json(text) => match std::str::from_utf8(text) {
                Ok(text) => Self::Text(text.to_owned()),
                Err(_) => Self::Bytes(text.to_vec()),
            },
            Payload::Value(value) => Self::Tree(value.as_ref().clone()),
            Payload::Stored(value) => Self::Tree(stored(value.as_ref().clone())),
            Payload::Tree(tree) => Self::Tree(tree.to_value()),
        }
    }
}

impl From<SentObject> for Payload<'_> {
    fn from(object: SentObject) -> Self {
        match object {
            SentObject::Text(text) => Self::Json(Arc::from(text.into_bytes())),
            SentObject::Bytes(bytes) => Self::Json(Arc::from(bytes)),
            SentObject::Tree(value) => Self::from(value),
        }
    }
}

/// Writes a frame.
///
/// # Errors
/// Returns an error when the other side is gone.
pub(super) fn send(link: &mut impl Write, content: &[u8]) -> io::Result<()> {
    link.write_all(&(content.len() as u64).to_le_bytes())?;
    link.write_all(content)?;
    link.flush()
}

/// Writes a frame of JSON.
///
/// # Errors
/// Returns an error when the other side is gone.
pub(super) fn send_json(link: &mut impl Write, content: &impl Serialize) -> io::Result<()> {
    send(link, &serde_json::to_vec(content)?)
}

/// Reads a frame.
///
/// # Errors
/// Returns an error when the other side is gone, or says what is no frame.
pub(super) fn receive(link: &mut impl Read) -> io::Result<Vec<u8>> {
    let mut length = [0; 8];
    link.read_exact(&mut length)?;
    let length = u64::from_le_bytes(length);
    if length > MAX_FRAME {
        return Err(io::Error::new(io::ErrorKind::InvalidData, "a frame is too long"));
    }
    let mut content = Vec::new();
    link.take(length).read_to_end(&mut content)?;
    if content.len() as u64 != length {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    Ok(content)
}

/// Reads a frame of JSON.
///
/// # Errors
/// Returns the errors of [`receive`].
pub(super) fn receive_json<T: DeserializeOwned>(link: &mut impl Read) -> io::Result<T> {
    Ok(serde_json::from_slice(&receive(link)?)?)
}

#[cfg(test)]
mod tests {
    use super::{SentCase, receive, receive_json, send, send_json};
    use serde_json::json;
    use std::sync::Arc;
    use takeover_harness::case::{Case, Operation, Options, Payload, Provenance};
    use takeover_harness::evidence::CasePlace;
    use takeover_harness::object::{Arena, Tree};

    #[test]
    fn a_case_arrives_as_it_was_sent_whatever_its_objects_are() {
        let arena = Arena::new();
        let payloads = [
            Payload::from(json!({"a": 1, "b": [null, "ä"]})),
            Payload::from(Tree::copy_of(&json!({"a": 1, "b": [null, "ä"]}), &arena)),
            Payload::Stored(Arc::new(json!({"metadata": {"name": "a"}}))),
            Payload::Json(br#"{"a": 1, "a": 2, "b": 1e400}"#.as_slice().into()),
            Payload::Json(b"\xff\xfe{".as_slice().into()),
        ];
        for payload in payloads {
            let mut options = Options::new();
            options.set("Some", true);
            let provenance = Provenance::File { path: "a.yaml".into(), document: 1, line: 2 };
            let case =
                Case { operation: Operation::Update, object: payload.clone(), old: Some(payload), options, provenance };
            let place = CasePlace::recorded(3, 4);
            let mut pipe = Vec::new();
            send_json(&mut pipe, &SentCase::new(place, &case)).unwrap();
            let sent: SentCase = receive_json(&mut pipe.as_slice()).unwrap();
            assert_eq!(sent.into_case(), (place, case));
        }
    }

    #[test]
    fn a_frame_that_is_cut_off_or_no_frame_is_an_error() {
        let mut pipe = Vec::new();
        send(&mut pipe, b"abc").unwrap();
        assert_eq!(receive(&mut pipe.as_slice()).unwrap(), b"abc");
        for length in 0..pipe.len() {
            receive(&mut pipe.get(..length).unwrap()).unwrap_err();
        }
        receive(&mut [0xff; 100].as_slice()).unwrap_err();
    }
}
