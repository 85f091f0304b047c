//! What a server writes itself before it judges.

use takeover_harness::pair::Delegated;

/// Members of `metadata` that a server writes itself, with the reason.
const GIVEN: [(&str, &str); 8] = [
    ("managedFields", "the server writes it before it judges"),
    ("generation", "the server counts it"),
    ("resourceVersion", "the server gives it to stored objects"),
    ("uid", "the server gives it to stored objects"),
    ("creationTimestamp", "the server gives it to stored objects"),
    ("deletionTimestamp", "the server sets it when an object is deleted"),
    ("deletionGracePeriodSeconds", "the server sets it when an object is deleted"),
    ("selfLink", "the server clears it"),
];

/// The parts of objects on which an API server says nothing of what it was sent.
#[must_use]
pub fn given_by_server() -> Vec<Delegated> {
    let part =
        |(member, reason): (&str, &str)| Delegated { path: format!("metadata.{member}"), reason: reason.to_owned() };
    GIVEN.into_iter().map(part).collect()
}
