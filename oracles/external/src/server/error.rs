//! Servers that cannot be asked.

use crate::http::TrustError;
use std::io;
use std::path::PathBuf;
use takeover_harness::oracle::OracleFailure;

/// Why there is no server to ask.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub struct ServerError(#[from] pub(super) ServerErrorKind);

#[derive(Debug, thiserror::Error)]
pub(super) enum ServerErrorKind {
    #[error("read `{}`: {error}", path.display())]
    Read {
        path: PathBuf,
        #[source]
        error: io::Error,
    },
    #[error("read `{}`: not YAML at line {line}", path.display())]
    Yaml { path: PathBuf, line: usize },
    #[error("choose a context: name one of `{}`, which has {known}; its current context is not used", path.display())]
    Unnamed { path: PathBuf, known: String },
    #[error("find context `{context}` in `{}`, which has {known}", path.display())]
    Unknown { path: PathBuf, context: String, known: String },
    #[error("use context `{context}` of `{}`: {why}", path.display())]
    Context { path: PathBuf, context: String, why: String },
    #[error("ask the cluster that this program runs in: {0}")]
    InCluster(String),
    #[error("use the certificates of context `{context}`: there is {why}")]
    Trust { context: String, why: TrustError },
    #[error(
        "begin the name of a namespace with `{0}`: use at most 40 lower-case letters, digits and `-`, a letter first"
    )]
    Prefix(String),
    #[error("send 0 requests a second: set a rate of at least 1")]
    Rate,
    #[error("create the scratch namespace `{name}`: {why}")]
    Make { name: String, why: OracleFailure },
    #[error("delete the scratch namespace `{name}`: {why}; delete it yourself")]
    Remove { name: String, why: OracleFailure },
    #[error("start threads: {0}")]
    Threads(#[source] io::Error),
}
