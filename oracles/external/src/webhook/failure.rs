//! Settings that make no webhook.

use crate::http::TrustError;
use std::io;
use std::path::PathBuf;

/// Why there is no webhook to ask with these settings.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub struct WebhookError(#[from] pub(super) WebhookErrorKind);

#[derive(Debug, thiserror::Error)]
pub(super) enum WebhookErrorKind {
    #[error("use the URL of the webhook: it {0}")]
    Url(&'static str),
    #[error(
        "trust `{0}`: name its certificate authority, with `ca = \"FILE\"` in a table or `webhook URL FILE` on the command line"
    )]
    Untrusted(String),
    #[error("use a client certificate: {0} is given without {1}")]
    Half(&'static str, &'static str),
    #[error("read `{}`: {error}", path.display())]
    Read {
        path: PathBuf,
        #[source]
        error: io::Error,
    },
    #[error("use the certificates of the webhook: there is {0}")]
    Trust(TrustError),
    #[error("use resource `{0}`: give a name such as `widgets` or `widgets.v1.shop.example.com`")]
    Resource(String),
    #[error("{0}")]
    Unreachable(String),
    #[error("start threads: {0}")]
    Threads(#[source] io::Error),
}
