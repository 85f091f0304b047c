//! Recordings of a server held against the truth recorded beside them: does the replay of an audit log and of AdmissionReviews get
//! the old objects right, does it find what the server itself complained about, and does our merging make what the server made?

mod applied;
mod complaints;
mod render;
mod truth;

pub use render::text;

use crate::say::Say;
use applied::Applied;
use complaints::{Complaints, Judges};
use serde::Serialize;
use serde_json::Value;
use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use takeover_corpora::load::{Document, Documents, Input, Limits, LoadedCase, load};
use takeover_corpora::requests::admission::Reviews;
use takeover_corpora::requests::audit::Replay;
use takeover_corpora::requests::{Doubt, Old, Request, Skip, Unread};
use takeover_harness::case::Operation;
use truth::{Call, Truth};

/// Most places that are listed.
const MOST_LISTED: usize = 20;

/// What came of a folder of recordings.
#[derive(Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RecordingsAgreement {
    /// The audit log.
    audit: ReadRecordings,
    /// The AdmissionReviews.
    reviews: ReadRecordings,
    /// What the server complained about, and what the replay of its audit log found.
    complaints: Complaints,
    /// Applies and updates, through our merging.
    applied: Applied,
}

/// What was read of one sort of recording.
#[derive(Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
struct ReadRecordings {
    documents: u64,
    unreadable: u64,
    /// Cases by default.
    cases: u64,
    /// Requests without a case, by reason.
    skipped: BTreeMap<String, u64>,
    /// Updates whose truth is recorded, one after the other.
    sequential: Olds,
    /// The same, of those that the server judged.
    judged: Olds,
    /// Updates of several requests at once, whose truth may be behind where it does not follow from the answers.
    concurrent: Olds,
    /// Updates that no recorded request is known of.
    without_truth: u64,
    /// Whether a request is in it every time that the server judged it, and not only the last time.
    #[serde(skip)]
    every: bool,
}

/// How old objects compare with the truth.
#[derive(Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
struct Olds {
    updates: u64,
    certain_right: u64,
    certain_wrong: u64,
    doubtful_right: u64,
    doubtful_wrong: u64,
    /// By reason.
    unknown: BTreeMap<String, u64>,
    /// Where certain ones are wrong.
    wrong: Vec<String>,
}

impl RecordingsAgreement {
    /// Whether no old object is wrong without being marked, and every request that was merged has the recorded result.
    pub fn is_right(&self) -> bool {
        self.applied.is_right()
            && [&self.audit, &self.reviews]
                .iter()
                .all(|read| read.sequential.certain_wrong + read.concurrent.certain_wrong == 0)
    }

    /// Whether there was anything to hold against the truth.
    pub fn is_empty(&self) -> bool {
        self.audit.sequential.updates + self.reviews.sequential.updates == 0
    }
}

impl Olds {
    fn add(&mut self, request: &Request, before: &[&Value]) {
        self.updates += 1;
        let old = match &request.old {
            Some(Ok(old)) => old,
            Some(Err(skip)) => return *self.unknown.entry(skip.to_string()).or_default() += 1,
            None => return *self.unknown.entry("taken for a create".to_owned()).or_default() += 1,
        };
        match (old.doubt, before.contains(&&truth::unmanaged(old.object.clone()))) {
            (None, true) => self.certain_right += 1,
            (None, false) => {
                self.certain_wrong += 1;
                if self.wrong.len() < MOST_LISTED {
                    self.wrong.push(format!("{}: {}", request.provenance, request.place));
                }
            }
            (Some(_), true) => self.doubtful_right += 1,
            (Some(_), false) => self.doubtful_wrong += 1,
        }
    }

    /// How many got the right old object.
    fn right(&self) -> u64 {
        self.certain_right + self.doubtful_right
    }
}

impl ReadRecordings {
    fn hold(&mut self, request: &Request, call: Option<&Call>, truth: &Truth) {
        if request.operation != Operation::Update {
            return;
        }
        // The truth is of the version that was sent.
        let converted = matches!(&request.old, Some(Ok(Old { doubt: Some(Doubt::Converted), .. })));
        let Some(call) = call.filter(|call| !converted && call.before.is_some()) else {
            self.without_truth += 1;
            return;
        };
        let before = truth.replaced(call, self.every);
        if call.concurrent {
            return self.concurrent.add(request, &before);
        }
        self.sequential.add(request, &before);
        if call.judged {
            self.judged.add(request, &before);
        }
    }

    fn skip(&mut self, skip: Skip) {
        *self.skipped.entry(skip.to_string()).or_default() += 1;
    }
}

/// Reads the recordings of `folder`: `audit/`, `admissionreviews.jsonl`, and beside them what the driver of the recording knew,
/// `requests.jsonl` and `server_validation_mismatches.jsonl`; each plain or compressed by gzip.
///
/// # Errors
/// When the truth cannot be read, or the subjects do not compile.
pub fn run(folder: &Path, say: Say<'_>) -> anyhow::Result<RecordingsAgreement> {
    let truth = Truth::read(folder)?;
    let complaints = Complaints::read(folder, &truth)?;
    let mut held =
        RecordingsAgreement { complaints, applied: Applied::read(folder)?, ..RecordingsAgreement::default() };
    held.reviews.every = true;
    let mut judges = Judges::new()?;
    let mut uids = HashMap::new();
    let mut replay = Replay::new(Replay::MEMORY);
    let mut documents = load(vec![Input::named(folder.join("audit"))], Limits::default());
    while let Some(document) = next(&mut documents, &mut held.audit, say) {
        for (name, uid) in document.value.pointer("/annotations").and_then(Value::as_object).into_iter().flatten() {
            if let (true, Some(uid), Some(id)) =
                (name.ends_with("/review-uid"), uid.as_str(), document.value.get("auditID").and_then(Value::as_str))
            {
                uids.insert(uid.to_owned(), id.to_owned());
            }
        }
        for read in replay.event(document.value, &document.provenance) {
            take(
                read,
                &mut held.audit,
                &truth,
                |request| Some(request.id.clone()),
                |call, read| {
                    held.complaints.hold(call, read, &mut judges);
                },
            );
        }
    }
    replay.finish().iter().for_each(|lost| held.audit.skip(lost.skip));
    let mut reviews = Reviews::default();
    let mut documents = load(vec![Input::named(truth::file(folder, "admissionreviews.jsonl")?)], Limits::default());
    while let Some(document) = next(&mut documents, &mut held.reviews, say) {
        let read = reviews.review(document.value, &document.provenance);
        take(read, &mut held.reviews, &truth, |request| uids.get(&request.id).cloned(), |_, _| {});
    }
    held.complaints.finish();
    Ok(held)
}

/// The next document that can be read.
fn next(documents: &mut Documents, reading: &mut ReadRecordings, say: Say<'_>) -> Option<Document> {
    loop {
        match documents.next()? {
            Ok(document) => {
                reading.documents += 1;
                return Some(document);
            }
            Err(error) => {
                reading.unreadable += 1;
                say(&format!("warning: {error}"));
            }
        }
    }
}

fn take(
    read: Result<Request, Unread>,
    reading: &mut ReadRecordings,
    truth: &Truth,
    audit_id: impl FnOnce(&Request) -> Option<String>,
    judge: impl FnOnce(Option<&Call>, Result<LoadedCase, Skip>),
) {
    let request = match read {
        Ok(request) => request,
        Err(Unread::Skipped(skipped)) => return reading.skip(skipped.skip),
        Err(Unread::Broken(_)) => return reading.unreadable += 1,
    };
    let call = audit_id(&request).and_then(|id| truth.call(&id));
    reading.hold(&request, call, truth);
    let case = request.into_case(false).map_err(|skipped| skipped.skip);
    match &case {
        Ok(_) => reading.cases += 1,
        Err(skip) => reading.skip(*skip),
    }
    judge(call, case);
}
