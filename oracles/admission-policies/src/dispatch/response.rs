//! What a server answers.

use serde::Serialize;
use std::collections::BTreeMap;

/// Characters of all warnings of a request together.
const MOST_WARNED: usize = 4_096;
/// Characters of one of them, where there are more.
const LONGEST_OF_MANY: usize = 256;

/// What admission by policies says of a request.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Response {
    /// The status of a denial; `None` when the request is allowed.
    pub status: Option<Status>,
    /// Every objection to the request; the first one makes the status.
    pub denials: Vec<Denial>,
    /// Warnings as bindings make them; see [`Self::sent_warnings`].
    pub warnings: Vec<String>,
    /// What audit events get.
    pub audit_annotations: BTreeMap<String, String>,
}

/// The status of a denial.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Status {
    /// The code of HTTP.
    pub code: u16,
    /// The reason.
    pub reason: String,
    /// What users are told.
    pub message: String,
}

/// An objection to a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Denial {
    /// The policy.
    pub policy: String,
    /// The binding, if it came so far.
    pub binding: Option<String>,
    /// The validation by its place in the policy, if it is one.
    pub validation: Option<usize>,
    /// Why.
    pub message: String,
    /// The reason, empty where none is given.
    pub reason: String,
}

impl Response {
    /// Whether the request is allowed.
    #[must_use]
    pub fn allows(&self) -> bool {
        self.status.is_none()
    }

    /// The warnings that reach the client: each text once, none that a header cannot hold, and cut where they are too long together.
    #[must_use]
    pub fn sent_warnings(&self) -> Vec<String> {
        let mut sent: Vec<String> = Vec::new();
        for text in self.warnings.iter().filter(|text| !text.chars().any(char::is_control)) {
            if !sent.contains(text) {
                sent.push(text.clone());
            }
        }
        let length = |texts: &[String]| texts.iter().map(|text| text.chars().count()).sum::<usize>();
        if length(&sent) > MOST_WARNED {
            let mut room = MOST_WARNED;
            sent = sent.iter().map(|text| text.chars().take(LONGEST_OF_MANY).collect()).collect();
            sent.retain(|text: &String| {
                let fits = text.chars().count() <= room;
                room = if fits { room - text.chars().count() } else { 0 };
                fits
            });
        }
        sent
    }

    /// Makes the status of the first denial, about an object that messages call so.
    pub(super) fn conclude(&mut self, resource: &str, name: &str) {
        let Some(denial) = self.denials.first() else { return };
        let why = denial.text();
        let reason = if denial.reason.is_empty() { "Invalid" } else { &denial.reason };
        let code = match reason {
            "Forbidden" => 403,
            "Unauthorized" => 401,
            "RequestEntityTooLarge" => 413,
            _ => 422,
        };
        let name = takeover_cel::scalar::text::quoted(name);
        let message = format!("{resource} {name} is forbidden: {why}");
        self.status = Some(Status { code, reason: reason.to_owned(), message });
    }
}

impl Denial {
    /// What a server says of it, without the object.
    #[must_use]
    pub fn text(&self) -> String {
        let with = self.binding.as_ref().map(|binding| format!(" with binding '{binding}'")).unwrap_or_default();
        format!("ValidatingAdmissionPolicy '{}'{with} denied request: {}", self.policy, self.message)
    }
}
