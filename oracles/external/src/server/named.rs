//! Objects of an API server that are read and replaced by their names.

use super::api::{Api, plain};
use super::error::{ServerError, ServerErrorKind};
use super::kubeconfig::Access;
use super::settings::ServerSettings;
use crate::http::{Repeat, Reply, beginning};
use http::Method;
use serde_json::Value;
use std::path::Path;
use std::time::Duration;
use takeover_harness::oracle::OracleFailure;

/// Where the kubelet puts what a pod shows to the API server.
const SERVICE_ACCOUNT: &str = "/var/run/secrets/kubernetes.io/serviceaccount";

/// Most requests a second.
const RATE: u32 = 10;

/// How long an answer may take.
const TIMEOUT: Duration = Duration::from_secs(10);

/// Reads and replaces objects by their names.
pub struct NamedObjects {
    api: Api,
}

/// Where an object is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ObjectPath(String);

impl ObjectPath {
    /// The object `name` of a resource: `root` is `/api/v1` or `/apis/<group>/<version>`, and `plural` the resource. None if a name cannot
    /// stand in a path.
    #[must_use]
    pub fn new(root: &str, namespace: Option<&str>, plural: &str, name: &str) -> Option<Self> {
        if !plain(name) || !namespace.is_none_or(plain) {
            return None;
        }
        let within = namespace.map(|namespace| format!("/namespaces/{namespace}")).unwrap_or_default();
        Some(Self(format!("{root}{within}/{plural}/{name}")))
    }
}

impl NamedObjects {
    /// Those of the server in this context of a kubeconfig file. Nothing is sent yet.
    ///
    /// # Errors
    /// Returns an error when the context is not named, is not there, or needs what is not supported.
    pub fn of(settings: &ServerSettings) -> Result<Self, ServerError> {
        let access = Access::read(&settings.kubeconfig, &settings.context)?;
        Self::with(&access).map_err(|why| ServerErrorKind::Trust { context: settings.context.clone(), why }.into())
    }

    /// Those of the cluster that this program runs in, as its service account. `variable` reads an environment variable. Nothing is sent
    /// yet.
    ///
    /// # Errors
    /// Returns an error when this is no pod, or it has no token.
    pub fn in_cluster(variable: impl Fn(&str) -> Option<String>) -> Result<Self, ServerError> {
        let access = Access::in_cluster(variable, Path::new(SERVICE_ACCOUNT))?;
        Self::with(&access).map_err(|why| ServerErrorKind::InCluster(format!("there is {why}")).into())
    }

    fn with(access: &Access) -> Result<Self, crate::http::TrustError> {
        Ok(Self { api: Api::new(access, RATE, TIMEOUT, 1)? })
    }

    /// The object; none if there is none.
    ///
    /// # Errors
    /// Returns an error when the server does not answer, or does not give it.
    pub fn get(&self, path: &ObjectPath) -> Result<Option<Value>, OracleFailure> {
        let reply = self.api.call(&Method::GET, &path.0, None, Repeat::Once)?;
        match reply.code {
            404 => Ok(None),
            200 => match serde_json::from_slice(&reply.body) {
                Ok(object) => Ok(Some(object)),
                Err(_) => Err(refused("GET", path, &reply)),
            },
            _ => Err(refused("GET", path, &reply)),
        }
    }

    /// Replaces the object, if it still is the one that was read. False if it is not.
    ///
    /// # Errors
    /// Returns an error when the server does not answer, or refuses.
    pub fn replace(&self, path: &ObjectPath, object: &Value) -> Result<bool, OracleFailure> {
        let reply = self.api.call(&Method::PUT, &path.0, Some(object.into()), Repeat::Never)?;
        match reply.code {
            200 => Ok(true),
            409 => Ok(false),
            _ => Err(refused("PUT", path, &reply)),
        }
    }
}

fn refused(method: &str, path: &ObjectPath, reply: &Reply) -> OracleFailure {
    OracleFailure::new(format!("{method} `{}`: HTTP status {}: {}", path.0, reply.code, beginning(&reply.body)))
}

#[cfg(test)]
mod tests {
    use super::ObjectPath;

    #[test]
    fn paths_lead_to_the_object_that_is_named_and_nowhere_else() {
        let secret = ObjectPath::new("/api/v1", Some("takeover"), "secrets", "tls").unwrap();
        assert_eq!(secret.0, "/api/v1/namespaces/takeover/secrets/tls");
        let cluster = ObjectPath::new("/apis/a/v1", None, "things", "zz-a.b").unwrap();
        assert_eq!(cluster.0, "/apis/a/v1/things/zz-a.b");
        for (namespace, name) in [("a/b", "c"), ("..", "c"), ("a", ""), ("a", "b/c"), ("a", "b?c")] {
            assert_eq!(ObjectPath::new("/api/v1", Some(namespace), "secrets", name), None, "{namespace} {name}");
        }
    }
}
