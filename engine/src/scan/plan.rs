//! What to scan, and where a scan stands.

use crate::say::Say;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// What to scan, and by which rules.
pub struct ScanPlan<'s> {
    /// Where the objects are.
    pub source: ScanSource,
    /// Kinds or subjects; none for all that have rules.
    pub kinds: Vec<String>,
    /// Folder of Go types in place of the built-in ones.
    pub types: Option<PathBuf>,
    /// CRD manifests in place of Go types.
    pub crd: Option<PathBuf>,
    /// Whether the report may hold values of objects.
    pub values: bool,
    /// Folder for the report and the progress, which are written after every page.
    pub out: Option<PathBuf>,
    /// Whether to resume the scan in that folder.
    pub resume: bool,
    /// Receives a line for everything that is left out.
    pub say: Say<'s>,
}

/// Where stored objects are.
#[derive(Clone, Debug)]
pub enum ScanSource {
    /// Files and folders, as `kubectl get -o json` writes them.
    Files(Vec<PathBuf>),
    /// A cluster, which is only read.
    Cluster {
        /// The kubeconfig file.
        kubeconfig: PathBuf,
        /// Its context.
        context: String,
        /// Most requests a second.
        rate: u32,
        /// Most objects of an answer.
        page: u32,
    },
}

/// Where reading stands: at which kind, and from where in it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Position {
    pub(super) kind: usize,
    pub(super) from: Option<String>,
}
