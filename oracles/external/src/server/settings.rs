//! Which server is asked, and how.

use std::path::PathBuf;
use std::time::Duration;
use takeover_harness::subject::SubjectId;

/// Which server is asked, and how.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ServerSettings {
    /// The kubeconfig file.
    pub kubeconfig: PathBuf,
    /// Name of its context; there is no default.
    pub context: String,
    /// Most requests a second. A create takes one, an update three, or four if the object has a status.
    pub rate: u32,
    /// Most requests at the same time.
    pub concurrency: usize,
    /// How long an answer may take.
    pub timeout: Duration,
    /// How the name of the scratch namespace begins.
    pub namespace_prefix: String,
    /// Whether updates may be asked. They store old objects for a moment, on which controllers may act.
    pub updates: bool,
    /// Whether answers are the objects that it would store, rather than field errors.
    pub objects: bool,
    /// Version and kind of the objects; none takes what they say. Objects that say nothing are sent with it.
    pub subject: Option<SubjectId>,
}

impl ServerSettings {
    /// The server of this context: 50 requests a second, 4 at the same time, 5 s for an answer, updates included. A
    /// worker process that takes 10 s for a question is taken to hang.
    #[must_use]
    pub fn new(kubeconfig: impl Into<PathBuf>, context: impl Into<String>) -> Self {
        Self {
            kubeconfig: kubeconfig.into(),
            context: context.into(),
            rate: 50,
            concurrency: 4,
            timeout: Duration::from_secs(5),
            namespace_prefix: "takeover-scratch-".to_owned(),
            updates: true,
            objects: false,
            subject: None,
        }
    }
}
