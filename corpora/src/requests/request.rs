//! A request as a recording shows it.

use super::why::{Doubt, Skip};
use crate::case_document::LoadedCase;
use serde_json::Value;
use takeover_harness::case::{Case, Operation, Options, Payload, Provenance};

/// A create or update that was sent to an API server.
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    /// Audit id, or uid of the review. Clients may choose audit ids, so they need not be unique.
    pub id: String,
    /// Which object: resource, namespace and name, for people.
    pub place: String,
    /// `apiVersion` of the object.
    pub api_version: String,
    /// `kind` of the object; empty where neither object is known.
    pub kind: String,
    /// Subresource without leading slash; empty for the main resource.
    pub subresource: String,
    /// Create or update.
    pub operation: Operation,
    /// Whether nothing was to be stored.
    pub dry_run: bool,
    /// The object as the server judged it, as far as that can be told.
    pub object: Result<Value, Skip>,
    /// The stored object; none for creates.
    pub old: Option<Result<Old, Skip>>,
    /// Where the event or review stands.
    pub provenance: Provenance,
}

/// The object that an update replaces.
#[derive(Clone, Debug, PartialEq)]
pub struct Old {
    /// The object.
    pub object: Value,
    /// Why it may be another; none when it is certain.
    pub doubt: Option<Doubt>,
}

/// A request that no case comes of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Skipped {
    /// Verb and object, for people.
    pub request: String,
    /// Why.
    pub skip: Skip,
    /// Where the event or review stands.
    pub provenance: Provenance,
}

/// An event or review that gives no request.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unread {
    /// It shows one that no case can come of.
    #[error("{}: {}", .0.request, .0.skip)]
    Skipped(Skipped),
    /// It is broken: what is wrong with it.
    #[error("{0}")]
    Broken(String),
}

impl Request {
    /// The case; with `doubtful`, of an old object that is not certain too. The provenance says so then.
    ///
    /// # Errors
    /// Returns an error when there is none, which says why.
    pub fn into_case(self, doubtful: bool) -> Result<LoadedCase, Skipped> {
        let request = format!("{} of {}", self.operation, self.place);
        let refuse = |skip| Skipped { request: request.clone(), skip, provenance: self.provenance.clone() };
        // What was sent comes first: of a request that was not judged, nobody asks for the old object.
        let object = self.object.map_err(refuse)?;
        let old = self.old.transpose().map_err(refuse)?;
        let doubt = old.as_ref().and_then(|old| old.doubt);
        if let Some(doubt) = doubt.filter(|_| !doubtful) {
            return Err(refuse(Skip::Doubtful(doubt)));
        }
        let provenance = match self.provenance {
            Provenance::File { path, document, line } => Provenance::Request {
                path,
                document,
                line,
                request: self.id,
                doubt: doubt.map(|doubt| doubt.to_string()),
            },
            other => other,
        };
        Ok(LoadedCase {
            name: None,
            api_version: self.api_version,
            kind: self.kind,
            subresource: self.subresource,
            origin: None,
            verdict: None,
            content: None,
            case: Case {
                operation: self.operation,
                object: object.into(),
                old: old.map(|old| Payload::from(old.object)),
                options: Options::new(),
                provenance,
            },
        })
    }
}
