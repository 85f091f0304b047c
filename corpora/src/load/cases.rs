//! From documents to cases.
//!
//! A document is one of these:
//!
//! * A case of our own kind, for pairs that people write down:
//!
//!   ```yaml
//!   apiVersion: takeover.dev/v1alpha1
//!   kind: Case
//!   name: scale up          # optional
//!   operation: update       # or create
//!   subresource: status     # optional
//!   options: [Something]    # optional; a list names what is on, a map says on or off for each
//!   oldObject: {…}          # exactly on updates
//!   object: {…}
//!   provenance: a.yaml:3    # optional: where the case was found first
//!   verdict: {…}            # optional: how it was judged; see `store`
//!   ```
//! * A line of recorded verdicts: any object with `operation` and `object`, of which the same fields are read, and `id`
//!   as the name.
//! * An event of an audit log or an AdmissionReview; see [`requests`](crate::requests). A document that yields no case becomes an
//!   error with [`LoadErrorKind::NoCase`]. So does an update whose old object is uncertain, unless [`Cases::doubtful`] is set.
//! * A plain object. It becomes two cases: its creation, and an update that changes nothing. In the update both objects
//!   have a `resourceVersion`, as every stored object has; where the file gives none, it is `1`.

use super::document::{Content, Document, Reading};
use super::error::{Fault, LoadError, LoadErrorKind};
use super::plain::Plain;
use crate::case_document::{
    CORPUS_BEGIN, CORPUS_FORMAT, CaseDocument, LoadedCase, OWN_KIND, OWN_VERSION, is_mark, is_other_version,
    is_recorded,
};
use crate::requests::admission::{self, Reviews};
use crate::requests::audit::{self, Replay};
use crate::requests::{Skip, Skipped, Unread};
use crate::shortened::shortened;
use serde_json::Value;
use std::collections::VecDeque;
use takeover_harness::case::Provenance;
use takeover_harness::format::FormatError;

/// The cases of `documents`, in their order; errors pass through.
pub fn cases<I, D>(documents: I) -> Cases<I::IntoIter>
where
    I: IntoIterator<Item = Result<D, LoadError>>,
    D: Into<Reading>,
{
    Cases {
        documents: documents.into_iter(),
        unchanged: None,
        corpus: None,
        creates_only: false,
        doubtful: false,
        replay: Replay::new(Replay::MEMORY),
        reviews: Reviews::default(),
        ready: VecDeque::new(),
    }
}

/// Iterator over cases; made by [`cases`].
#[derive(Debug)]
pub struct Cases<I> {
    documents: I,
    /// A plain object whose creation was given out and whose update comes next.
    unchanged: Option<Plain>,
    /// The corpus that has begun and not ended.
    corpus: Option<Corpus>,
    creates_only: bool,
    doubtful: bool,
    replay: Replay,
    reviews: Reviews,
    ready: VecDeque<Result<LoadedCase, LoadError>>,
}

/// A corpus that is being read.
#[derive(Debug)]
struct Corpus {
    /// Its file. A corpus that is cut off ends with the file.
    path: String,
    /// Whether this program reads its format.
    is_read: bool,
}

impl<I> Cases<I> {
    /// Of plain objects only their creation.
    #[must_use]
    pub fn creates_only(self) -> Self {
        Self { creates_only: true, ..self }
    }

    /// With `yes`, also updates from recordings whose old object is not certain. Their provenance says why it is not.
    #[must_use]
    pub fn doubtful(self, yes: bool) -> Self {
        Self { doubtful: yes, ..self }
    }

    /// Notes where a corpus begins or ends.
    fn mark(&mut self, document: &Document) -> Result<(), LoadError> {
        self.corpus = None;
        if document.kind != CORPUS_BEGIN {
            return Ok(());
        }
        let format = CORPUS_FORMAT.check_value(&document.value);
        self.corpus = Some(Corpus { path: path_of(&document.provenance).to_owned(), is_read: format.is_ok() });
        let fault = |error: FormatError| Fault::new(LoadErrorKind::OtherFormat, error.to_string());
        format.map_err(|error| error_at(&document.provenance, fault(error)))
    }

    /// Whether the document is a recorded request; then what comes of it is ready.
    fn took(&mut self, document: Document) -> Option<Document> {
        let Document { provenance, value, api_version, kind } = document;
        let group = api_version.split_once('/').map_or("", |(group, _)| group);
        let read = match (group, kind.as_str()) {
            ("audit.k8s.io", "Event") if api_version == audit::API_VERSION => self.replay.event(value, &provenance),
            ("admission.k8s.io", "AdmissionReview") if api_version == admission::API_VERSION => {
                vec![self.reviews.review(value, &provenance)]
            }
            ("audit.k8s.io", "Event") | ("admission.k8s.io", "AdmissionReview") => {
                let request = format!("{api_version} {kind}");
                let provenance = provenance.clone();
                vec![Err(Unread::Skipped(Skipped { request, skip: Skip::OtherVersion, provenance }))]
            }
            _ => return Some(Document { provenance, value, api_version, kind }),
        };
        for read in read {
            let case = read.and_then(|request| request.into_case(self.doubtful).map_err(Unread::Skipped));
            self.ready.push_back(case.map_err(|unread| match unread {
                Unread::Skipped(skipped) => no_case(&skipped),
                Unread::Broken(fault) => bad_case(&provenance, fault),
            }));
        }
        None
    }
}

impl<D: Into<Reading>, I: Iterator<Item = Result<D, LoadError>>> Iterator for Cases<I> {
    type Item = Result<LoadedCase, LoadError>;

    fn next(&mut self) -> Option<Self::Item> {
        if let Some(plain) = self.unchanged.take() {
            return Some(Ok(plain.update()));
        }
        let reading = loop {
            if let Some(ready) = self.ready.pop_front() {
                return Some(ready);
            }
            match self.documents.next().map(|reading| reading.map(|reading| reading.into().0)) {
                Some(Ok(known @ Content::Known { .. })) => break Reading(known),
                Some(Ok(Content::Parsed(document))) => {
                    if let Some(document) = self.took(document) {
                        if is_other_version(&document.api_version) {
                            return Some(Err(other_version(&document)));
                        }
                        let own = document.api_version == OWN_VERSION;
                        if own && is_mark(&document.kind) {
                            match self.mark(&document) {
                                Ok(()) => continue,
                                Err(error) => return Some(Err(error)),
                            }
                        }
                        let corpus = self.corpus.as_ref().filter(|corpus| corpus.path == path_of(&document.provenance));
                        let stored = match corpus {
                            Some(Corpus { is_read: false, .. }) => continue,
                            within => within.is_some(),
                        };
                        let own = own && document.kind == OWN_KIND;
                        if own || is_recorded(&document.value) {
                            return Some(written(document, own, stored));
                        }
                        break document.into();
                    }
                }
                Some(Err(error)) => return Some(Err(error)),
                None => {
                    let lost = self.replay.finish();
                    if lost.is_empty() {
                        return None;
                    }
                    self.ready.extend(lost.iter().map(|lost| Err(no_case(lost))));
                }
            }
        };
        let plain = Plain::of(reading);
        let creation = plain.creation();
        self.unchanged = (!self.creates_only).then_some(plain);
        Some(Ok(creation))
    }
}

/// A case as its document has it.
fn written(document: Document, own: bool, stored: bool) -> Result<LoadedCase, LoadError> {
    let Document { provenance, value, api_version, kind } = document;
    let Value::Object(map) = value else { return Err(bad_case(&provenance, "a case is a map".to_owned())) };
    let place = provenance.clone();
    CaseDocument { provenance, api_version, kind, own, stored }.read(map).map_err(|detail| bad_case(&place, detail))
}

fn bad_case(provenance: &Provenance, detail: String) -> LoadError {
    error_at(provenance, Fault::new(LoadErrorKind::BadCase, detail))
}

fn no_case(skipped: &Skipped) -> LoadError {
    let detail = format!("{}: {}", skipped.request, skipped.skip);
    error_at(&skipped.provenance, Fault::new(LoadErrorKind::NoCase(skipped.skip), detail))
}

fn other_version(document: &Document) -> LoadError {
    let Document { api_version, kind, .. } = document;
    let detail =
        format!("`{} {}` is not read; this program reads `{OWN_VERSION}`", shortened(api_version), shortened(kind));
    error_at(&document.provenance, Fault::new(LoadErrorKind::OtherFormat, detail))
}

fn path_of(provenance: &Provenance) -> &str {
    match provenance {
        Provenance::File { path, .. } => path,
        _ => "",
    }
}

fn error_at(provenance: &Provenance, fault: Fault) -> LoadError {
    let (path, line) = match provenance {
        Provenance::File { path, line, .. } => (path.clone(), *line),
        other => (other.to_string(), 1),
    };
    LoadError::new(path, fault.on_line(line))
}
