//! Where stored objects come from: files as they are, or a cluster page by page.

use super::plan::{Position, ScanPlan, ScanSource};
use super::subjects::Subjects;
use crate::catalogue::NotBuilt;
use anyhow::Context as _;
use serde_json::Value;
use takeover_corpora::load::{Input, Limits, LoadErrorKind, load};
use takeover_external::server::{ListError, Listing, ServerSettings};
use takeover_harness::subject::SubjectId;

/// Objects, and where the next ones are.
pub(super) struct Page {
    /// Each with its kind, if it is one that is scanned.
    pub(super) objects: Vec<(SubjectId, Value)>,
    /// What is not scanned, and why.
    pub(super) not_scanned: Vec<(String, String)>,
    /// Where the next page begins; none after the last.
    pub(super) next: Option<Position>,
}

/// Where stored objects come from.
pub(super) enum Source<'p> {
    Files(Box<dyn Iterator<Item = Result<(SubjectId, Value), String>> + 'p>),
    Cluster { listing: Box<Listing>, page: u32, ids: &'p [SubjectId] },
}

/// Objects of files that are judged before the next check for a stop.
const TOGETHER: usize = 500;

impl<'p> Source<'p> {
    /// # Errors
    /// Returns an error when a kubeconfig cannot be used.
    pub(super) fn of(plan: &'p ScanPlan, subjects: &'p Subjects) -> anyhow::Result<Self> {
        match &plan.source {
            ScanSource::Files(files) => Ok(Self::Files(Box::new(objects_of(files)))),
            ScanSource::Cluster { kubeconfig, context, rate, page } => {
                NotBuilt::check()?;
                let mut settings = ServerSettings::new(kubeconfig, context);
                settings.rate = *rate;
                let listing = Box::new(Listing::of(&settings)?);
                Ok(Self::Cluster { listing, page: *page, ids: &subjects.ids })
            }
        }
    }

    /// The name of the source in the report.
    pub(super) fn name(&self) -> String {
        match self {
            Self::Files(_) => "files".to_owned(),
            Self::Cluster { listing, .. } => listing.server().to_owned(),
        }
    }

    /// The objects at a position.
    ///
    /// # Errors
    /// Returns an error when a server gives none.
    pub(super) fn page(&mut self, at: &Position, subjects: &Subjects) -> anyhow::Result<Page> {
        match self {
            Self::Files(objects) => {
                let (mut page, mut taken) = (Page { objects: Vec::new(), not_scanned: Vec::new(), next: None }, 0);
                for object in objects.by_ref().take(TOGETHER) {
                    taken += 1;
                    match object {
                        Ok((id, object)) if subjects.target(&id).is_some() => page.objects.push((id, object)),
                        Ok((id, _)) => page.not_scanned.push((id.to_string(), "no rules".to_owned())),
                        Err(why) => page.not_scanned.push((String::new(), why)),
                    }
                }
                page.next = (taken == TOGETHER).then(|| Position { kind: at.kind + 1, from: None });
                Ok(page)
            }
            Self::Cluster { listing, page, ids } => of_cluster(listing, *page, ids, at),
        }
    }
}

fn of_cluster(listing: &Listing, most: u32, ids: &[SubjectId], at: &Position) -> anyhow::Result<Page> {
    let behind = |kind: usize| (kind + 1 < ids.len()).then_some(Position { kind: kind + 1, from: None });
    let Some(id) = ids.get(at.kind) else {
        return Ok(Page { objects: Vec::new(), not_scanned: Vec::new(), next: None });
    };
    let skip = |why: &str| Page {
        objects: Vec::new(),
        not_scanned: vec![(id.to_string(), why.to_owned())],
        next: behind(at.kind),
    };
    // The objects of a group and kind are the same in every version: the first that may be listed is enough.
    let of_kind = |other: &&SubjectId| other.kind == id.kind && group(other) == group(id);
    let earlier = ids.get(..at.kind).unwrap_or_default().iter().filter(of_kind);
    for other in earlier.filter(|_| at.from.is_none()) {
        match listing.page(other, 1, None) {
            Ok(_) => return Ok(skip("read in another version")),
            Err(ListError::NotServed | ListError::Forbidden) => {}
            Err(ListError::Failed(failure)) => return Err(failure.into()),
        }
    }
    match listing.page(id, most, at.from.as_deref()) {
        Ok(listed) => Ok(Page {
            objects: listed.objects.into_iter().map(|object| (id.clone(), object)).collect(),
            not_scanned: Vec::new(),
            next: match listed.next {
                Some(from) => Some(Position { kind: at.kind, from: Some(from) }),
                None => behind(at.kind),
            },
        }),
        Err(error @ (ListError::NotServed | ListError::Forbidden)) => Ok(skip(&error.to_string())),
        Err(error) => Err(error).with_context(|| format!("failed to list {id}")),
    }
}

/// The API group of a kind; empty for the core group.
fn group(id: &SubjectId) -> &str {
    id.api_version.rsplit_once('/').map_or("", |(group, _)| group)
}

/// Every object in the files. Of a recorded request, this is the object that it would store.
fn objects_of(files: &[std::path::PathBuf]) -> impl Iterator<Item = Result<(SubjectId, Value), String>> + use<> {
    let inputs = files.iter().map(Input::named).collect();
    load(inputs, Limits::default()).cases().creates_only().map(|case| match case {
        Ok(case) => {
            let id = SubjectId::new(case.api_version.as_str(), case.kind.as_str());
            case.case.object.to_value().map(|object| (id, object)).map_err(|error| format!("not JSON: {error}"))
        }
        Err(error) => Err(match error.kind() {
            LoadErrorKind::NoCase(skip) => skip.to_string(),
            _ => error.to_string(),
        }),
    })
}
