//! Which webhook is asked, and how.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;
use takeover_harness::subject::SubjectId;

/// What the answers of a webhook consist of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Answers {
    /// Field errors, from the causes of a denial.
    #[default]
    Errors,
    /// Allowed or not.
    Decision,
    /// The object as the webhook changes it.
    Object,
}

/// Who the request is said to come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct User {
    /// Name.
    pub username: String,
    /// Groups.
    pub groups: Vec<String>,
}

impl Default for User {
    /// `takeover`, of the group of everybody who is logged in.
    fn default() -> Self {
        Self { username: "takeover".to_owned(), groups: vec!["system:authenticated".to_owned()] }
    }
}

/// Which webhook is asked, and how.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct WebhookSettings {
    /// Where it listens, with the path of its service: `https://127.0.0.1:9443/validate-shop-v1-widget`.
    pub url: String,
    /// Address to connect to, whatever host the URL names: for a forwarded port of a service, whose certificate has the name
    /// of the service, `https://hook.shop.svc/validate`.
    pub address: Option<SocketAddr>,
    /// PEM file with the certificate authorities to trust; needed for HTTPS, except on loopback, where any certificate is trusted without
    /// it. The system's are not used: webhooks have their own.
    pub ca: Option<PathBuf>,
    /// PEM file with the client certificate, and its chain.
    pub client_certificate: Option<PathBuf>,
    /// PEM file with the key of the client certificate.
    pub client_key: Option<PathBuf>,
    /// How long an answer may take, the connection included.
    pub timeout: Duration,
    /// Most requests at the same time, over as many connections.
    pub concurrency: usize,
    /// Version and kind of the object; none takes what the object says. Objects that say nothing are sent with it.
    pub subject: Option<SubjectId>,
    /// Plural name of the resource, `widgets`; or with version and group, `replicasets.v1.apps`, where these are not the
    /// object's, as for the `Scale` of a ReplicaSet. None guesses the plural from the kind, as Kubernetes does.
    pub resource: Option<String>,
    /// Who the request is said to come from.
    pub user: User,
    /// What the answers consist of.
    pub answers: Answers,
}

impl WebhookSettings {
    /// The webhook at `url`, asked for field errors: 10 s for an answer, 8 requests at the same time.
    #[must_use]
    pub fn new(url: impl Into<String>) -> Self {
        Self {
            url: url.into(),
            address: None,
            ca: None,
            client_certificate: None,
            client_key: None,
            timeout: Duration::from_secs(10),
            concurrency: 8,
            subject: None,
            resource: None,
            user: User::default(),
            answers: Answers::default(),
        }
    }
}
