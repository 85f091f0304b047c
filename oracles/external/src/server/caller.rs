//! Requests that others make up, sent to the server of a context at a bounded rate.

use super::api::Api;
use super::error::ServerError;
use super::place::object_path;
use super::scratch::delete;
use super::settings::ServerSettings;
use super::verdict::{Turned, refused, turned_away, unauthorized};
use crate::http::{Repeat, Reply, Status};
use http::Method;
use serde_json::Value;
use takeover_harness::oracle::OracleFailure;

/// Sends requests to an API server.
pub struct ServerCaller {
    api: Api,
    server: String,
    user: String,
}

/// What a server answered, whatever its code.
#[derive(Debug)]
pub struct ServerAnswer(Reply);

/// What is sent with an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verb {
    /// POST.
    Create,
    /// PUT.
    Update,
}

impl Verb {
    /// As roles name it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Create => "create",
            Self::Update => "update",
        }
    }
}

impl ServerCaller {
    /// Reads the kubeconfig. Nothing is sent yet.
    ///
    /// # Errors
    /// Returns an error when the context is not named, is not there, or needs what is not supported.
    pub fn of(settings: &ServerSettings) -> Result<Self, ServerError> {
        let (api, access) = Api::of(settings)?;
        Ok(Self { api, server: access.server, user: access.user })
    }

    /// Address of the server.
    #[must_use]
    pub fn server(&self) -> &str {
        &self.server
    }

    /// Name of the user in the kubeconfig.
    #[must_use]
    pub fn user(&self) -> &str {
        &self.user
    }

    /// Gets what is at `target`, a path with its query.
    ///
    /// # Errors
    /// Returns an error when there is no answer.
    pub fn get(&self, target: &str) -> Result<ServerAnswer, OracleFailure> {
        self.api.call(&Method::GET, target, None, Repeat::Once).map(ServerAnswer)
    }

    /// Sends an object once.
    ///
    /// # Errors
    /// Returns an error when there is no answer; what was sent may have been stored.
    pub fn send(&self, verb: Verb, target: &str, object: &Value) -> Result<ServerAnswer, OracleFailure> {
        let method = match verb {
            Verb::Create => Method::POST,
            Verb::Update => Method::PUT,
        };
        self.api.call(&method, target, Some(object.into()), Repeat::Never).map(ServerAnswer)
    }

    /// Deletes what is at `path`, if it still is the object with this uid. What is not there is deleted.
    ///
    /// # Errors
    /// Returns an error when there is no answer, or the server refuses.
    pub fn delete(&self, path: &str, uid: &str) -> Result<(), OracleFailure> {
        delete(&self.api, path, uid)
    }

    /// The path of the object of this name among the objects at the path `objects`.
    #[must_use]
    pub fn path_of(objects: &str, name: &str) -> String {
        object_path(objects, name)
    }
}

impl ServerAnswer {
    /// HTTP code.
    #[must_use]
    pub fn code(&self) -> u16 {
        self.0.code
    }

    /// The body.
    #[must_use]
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.0.body).into_owned()
    }

    /// The body as JSON; null where it is none.
    #[must_use]
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.0.body).unwrap_or_default()
    }

    /// Whether the server did what it was asked.
    #[must_use]
    pub fn is_done(&self) -> bool {
        (200..300).contains(&self.0.code)
    }

    /// Whether it refused because an object of this name is there. API servers find that out after validation.
    #[must_use]
    pub fn is_taken(&self) -> bool {
        turned_away(&self.0) == Some(Turned::Taken)
    }

    /// Whether it refused because another version of the object is stored than the request is based on.
    #[must_use]
    pub fn is_changed(&self) -> bool {
        turned_away(&self.0) == Some(Turned::Changed)
    }

    /// Whether the user may not do this to any object.
    #[must_use]
    pub fn is_forbidden(&self) -> bool {
        let status: Status = serde_json::from_slice(&self.0.body).unwrap_or_default();
        self.0.code == 401 || self.0.code == 403 && unauthorized(status.message.as_deref().unwrap_or_default())
    }

    /// The reason of a refusal in a word, such as `Invalid`; empty where the server gives none.
    #[must_use]
    pub fn reason(&self) -> String {
        let status: Status = serde_json::from_slice(&self.0.body).unwrap_or_default();
        status.reason.unwrap_or_default()
    }

    /// What the server said, in a sentence.
    #[must_use]
    pub fn refusal(&self) -> String {
        refused(&self.0)
    }
}
