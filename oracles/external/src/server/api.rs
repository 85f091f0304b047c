//! Requests to an API server: not too many, repeated when it says so.

use super::error::{ServerError, ServerErrorKind};
use super::kubeconfig::Access;
use super::settings::ServerSettings;
use crate::http::{Client, Repeat, Reply, TrustError, beginning};
use http::Method;
use serde::Deserialize;
use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};
use takeover_harness::object::InOrder;
use takeover_harness::oracle::OracleFailure;
use takeover_harness::subject::SubjectId;

/// How often a request is sent that the server asks to repeat later.
const ATTEMPTS: usize = 5;

/// Longest time to wait before a request is repeated: with all attempts, less than a run may stand still.
const LONGEST_WAIT: Duration = Duration::from_secs(5);

/// An API server.
pub(super) struct Api {
    client: Client,
    server: String,
    gap: Duration,
    pace: Arc<Pace>,
    groups: Mutex<HashMap<String, Arc<[Served]>>>,
}

/// A resource as the server lists it.
#[derive(Clone, Debug, Deserialize)]
struct Served {
    /// Plural, or plural and subresource.
    name: String,
    kind: String,
    namespaced: bool,
}

/// Where objects of a kind are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Resource {
    /// `/api/v1`, `/apis/apps/v1`.
    root: String,
    /// Plural.
    plural: String,
    /// Whether its objects are in namespaces.
    pub(super) namespaced: bool,
    /// Whether it has `/status`.
    pub(super) status: bool,
}

impl Resource {
    /// The path of the objects of all namespaces.
    pub(super) fn everywhere(&self) -> String {
        format!("{}/{}", self.root, self.plural)
    }

    /// The path of all objects, in `namespace` if they have namespaces.
    pub(super) fn path(&self, namespace: &str) -> String {
        let Self { root, plural, namespaced, .. } = self;
        if *namespaced { format!("{root}/namespaces/{namespace}/{plural}") } else { format!("{root}/{plural}") }
    }
}

impl Api {
    /// The server of a context, over one connection, and how it is reached. Nothing is sent yet.
    ///
    /// # Errors
    /// Returns an error when the rate is zero, or the context is not named, is not there, or needs what is not supported.
    pub(super) fn of(settings: &ServerSettings) -> Result<(Self, Access), ServerError> {
        if settings.rate == 0 {
            return Err(ServerErrorKind::Rate.into());
        }
        let access = Access::read(&settings.kubeconfig, &settings.context)?;
        let api = Self::new(&access, settings.rate, settings.timeout, 1)
            .map_err(|why| ServerErrorKind::Trust { context: settings.context.clone(), why })?;
        Ok((api, access))
    }

    /// The server of `access`, with at most `rate` requests a second, those of every other [`Api`] of that server included.
    pub(super) fn new(access: &Access, rate: u32, timeout: Duration, connections: usize) -> Result<Self, TrustError> {
        let mut client = Client::new(&access.trust, timeout, connections, None)?;
        if let Some(token) = &access.token {
            client = client.with_token(token).ok_or(TrustError::Token)?;
        }
        let (server, gap) = (access.server.clone(), Duration::from_secs(1) / rate.max(1));
        Ok(Self { client, pace: Pace::to(&server), server, gap, groups: Mutex::default() })
    }

    /// Sends a request; `target` is path and query.
    ///
    /// # Errors
    /// Returns an error when there is no answer, or only ever the answer to come back later.
    pub(super) fn call(
        &self,
        method: &Method,
        target: &str,
        body: Option<InOrder<'_>>,
        repeat: Repeat,
    ) -> Result<Reply, OracleFailure> {
        let body = body.map(|body| body.to_string().into_bytes());
        let url = format!("{}{target}", self.server);
        let mut last = 0;
        for _ in 0..ATTEMPTS {
            self.pace.wait(self.gap);
            let reply = self.client.send(method, &url, body.as_deref(), repeat);
            let reply = reply.map_err(|error| OracleFailure::new(error.at(&self.server)))?;
            // A server that cannot work at the moment says when to come back.
            let later =
                reply.code == 429 || (reply.code >= 500 && reply.retry_after.is_some() && repeat == Repeat::Once);
            if !later {
                return Ok(reply);
            }
            last = reply.code;
            thread::sleep(reply.retry_after.unwrap_or(Duration::from_secs(1)).min(LONGEST_WAIT));
        }
        Err(OracleFailure::new(format!(
            "`{}` asked {ATTEMPTS} times to come back later, at last with HTTP status {last}",
            self.server
        )))
    }

    /// Where the server has objects of this kind.
    ///
    /// # Errors
    /// Returns an error when it has none.
    pub(super) fn resource(&self, subject: &SubjectId) -> Result<Resource, OracleFailure> {
        let missing = || {
            let SubjectId { api_version, kind, .. } = subject;
            OracleFailure::new(format!("`{}` has no kind `{kind}` in `{api_version}`", self.server))
        };
        self.find(subject)?.ok_or_else(missing)
    }

    /// Where the server has objects of this kind; none if it has no such kind.
    ///
    /// # Errors
    /// Returns an error when the server does not list its kinds.
    pub(super) fn find(&self, subject: &SubjectId) -> Result<Option<Resource>, OracleFailure> {
        let api_version = subject.api_version.as_str();
        let root = root(api_version).ok_or_else(|| OracleFailure::new(format!("`{api_version}` is not a version")))?;
        let served = self.served(&root)?;
        let is_main = |served: &&Served| served.kind == subject.kind && plain(&served.name);
        let Some(found) = served.iter().find(is_main) else { return Ok(None) };
        let status = format!("{}/status", found.name);
        Ok(Some(Resource {
            root,
            plural: found.name.clone(),
            namespaced: found.namespaced,
            status: served.iter().any(|served| served.name == status),
        }))
    }

    /// What the server has under `root`; asked once.
    fn served(&self, root: &str) -> Result<Arc<[Served]>, OracleFailure> {
        #[derive(Deserialize)]
        struct List {
            resources: Vec<Served>,
        }
        let mut groups = self.groups.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = groups.get(root) {
            return Ok(Arc::clone(known));
        }
        let reply = self.call(&Method::GET, root, None, Repeat::Once)?;
        let list = match reply.code {
            200 => Some(serde_json::from_slice::<List>(&reply.body)),
            // No such version.
            404 => Some(Ok(List { resources: Vec::new() })),
            _ => None,
        };
        let Some(Ok(list)) = list else {
            return Err(OracleFailure::new(format!(
                "`{}{root}` lists no kinds: HTTP status {}: {}",
                self.server,
                reply.code,
                beginning(&reply.body)
            )));
        };
        let served: Arc<[Served]> = list.resources.into();
        groups.insert(root.to_owned(), Arc::clone(&served));
        Ok(served)
    }
}

/// The path of a version; none for a text that is none, which comes from a case and must not lead elsewhere.
fn root(api_version: &str) -> Option<String> {
    match api_version.split_once('/') {
        None => plain(api_version).then(|| format!("/api/{api_version}")),
        Some((group, version)) => (plain(group) && plain(version)).then(|| format!("/apis/{group}/{version}")),
    }
}

/// Whether the text can stand in a path as it is.
pub(super) fn plain(text: &str) -> bool {
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.');
    text.bytes().all(fits) && text.bytes().next().is_some_and(|byte| byte != b'.')
}

/// Spreads the requests of this process to one server over time.
struct Pace(Mutex<Instant>);

/// One pace a server, whoever asks it.
static PACES: LazyLock<Mutex<HashMap<String, Arc<Pace>>>> = LazyLock::new(Mutex::default);

impl Pace {
    /// The pace of a server.
    fn to(server: &str) -> Arc<Self> {
        let mut paces = PACES.lock().unwrap_or_else(PoisonError::into_inner);
        let new = || Arc::new(Self(Mutex::new(Instant::now())));
        Arc::clone(paces.entry(server.to_owned()).or_insert_with(new))
    }

    /// Waits until the next request may go out; none goes out within `gap` after it.
    fn wait(&self, gap: Duration) {
        let now = Instant::now();
        let mut next = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let at = (*next).max(now);
        *next = at + gap;
        drop(next);
        thread::sleep(at - now);
    }
}

#[cfg(test)]
mod tests {
    use super::{Pace, root};
    use std::time::{Duration, Instant};

    #[test]
    fn versions_of_cases_lead_nowhere_else() {
        assert_eq!(root("v1").as_deref(), Some("/api/v1"));
        assert_eq!(root("shop.example.com/v1").as_deref(), Some("/apis/shop.example.com/v1"));
        for wrong in ["", "..", "apps/..", "apps/v1/namespaces/kube-system", "v1?x=", "v1#", "%2e", "apps/v1 "] {
            assert_eq!(root(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn requests_are_spread_over_time() {
        let started = Instant::now();
        for _ in 0..6 {
            Pace::to("https://one").wait(Duration::from_millis(10));
            Pace::to("https://one").wait(Duration::from_millis(10));
        }
        assert!(started.elapsed() >= Duration::from_millis(110));
        // Another server waits for nobody.
        Pace::to("https://other").wait(Duration::from_secs(60));
        assert!(started.elapsed() < Duration::from_secs(30));
    }
}
