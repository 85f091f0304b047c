//! One event, taken apart.

use crate::requests::LONGEST_NAME;
use serde::Deserialize;
use serde_json::{Map, Value};

/// The longest that a request may take, in microseconds: the server's default for requests that are no watches.
pub(super) const LONGEST: i64 = 60_000_000;

/// What an event says.
#[derive(Debug)]
pub(super) struct Event {
    pub(super) head: Head,
    pub(super) request: Option<Value>,
    pub(super) response: Option<Value>,
    /// When the request came in, in microseconds.
    pub(super) received: i64,
    /// When the event came about, in microseconds.
    pub(super) at: i64,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Head {
    #[serde(rename = "auditID")]
    pub(super) id: String,
    pub(super) stage: Stage,
    #[serde(rename = "requestURI", default)]
    pub(super) uri: String,
    #[serde(default)]
    pub(super) verb: String,
    pub(super) object_ref: Option<Reference>,
    response_status: Option<Status>,
    request_received_timestamp: jiff::Timestamp,
    stage_timestamp: jiff::Timestamp,
    #[serde(default)]
    annotations: Option<Map<String, Value>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub(super) enum Stage {
    RequestReceived,
    ResponseStarted,
    ResponseComplete,
    Panic,
}

/// Which object a request is about.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Reference {
    pub(super) resource: String,
    pub(super) namespace: String,
    pub(super) name: String,
    pub(super) api_group: String,
    pub(super) api_version: String,
    pub(super) subresource: String,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Status {
    code: Option<u16>,
    details: Option<Details>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Details {
    causes: Option<Vec<Value>>,
}

/// Verbs of requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verb {
    Create,
    Update,
    Patch,
    Delete,
    DeleteCollection,
    /// `get` and `list`.
    Read,
    Other,
}

/// What makes an object the same, whatever the version: group, resource, namespace, name.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Key {
    pub(super) group: String,
    pub(super) resource: String,
    pub(super) namespace: String,
    pub(super) name: String,
}

impl Head {
    /// Names are remembered for a while. Those of real events are far shorter than what is refused.
    fn check(&self) -> Result<(), String> {
        let reference = self.object_ref.as_ref().map(|reference| {
            let Reference { resource, namespace, name, api_group, api_version, subresource } = reference;
            [
                ("objectRef.resource", resource),
                ("objectRef.namespace", namespace),
                ("objectRef.name", name),
                ("objectRef.apiGroup", api_group),
                ("objectRef.apiVersion", api_version),
                ("objectRef.subresource", subresource),
            ]
        });
        let own = [("auditID", &self.id), ("verb", &self.verb)];
        let mut all = own.into_iter().chain(reference.into_iter().flatten());
        match all.find(|(_, text)| text.len() > LONGEST_NAME) {
            None => Ok(()),
            Some((member, _)) => Err(format!("not an audit event: `{member}` is longer than {LONGEST_NAME} bytes")),
        }
    }
}

impl Event {
    /// Takes `event` apart.
    ///
    /// # Errors
    /// Returns an error when the event is malformed, which says why.
    pub(super) fn read(event: Value) -> Result<Self, String> {
        let Value::Object(mut map) = event else { return Err("an audit event is a map".to_owned()) };
        let object = |value: Option<Value>| value.filter(|value| !value.is_null());
        let request = object(map.remove("requestObject"));
        let response = object(map.remove("responseObject"));
        let head: Head =
            serde_json::from_value(Value::Object(map)).map_err(|error| format!("not an audit event: {error}"))?;
        head.check()?;
        let received = head.request_received_timestamp.as_microsecond();
        let at = head.stage_timestamp.as_microsecond();
        Ok(Self { head, request, response, received, at })
    }

    pub(super) fn code(&self) -> u16 {
        let code = self.head.response_status.as_ref().and_then(|status| status.code);
        // Requests are counted by it, so there must not be more than HTTP has.
        code.unwrap_or_default().min(599)
    }

    /// Whether the request was accepted.
    pub(super) fn accepted(&self) -> bool {
        (200..300).contains(&self.code())
    }

    /// Whether validation refused the request: other refusals with this code list no causes.
    pub(super) fn invalid(&self) -> bool {
        let details = self.head.response_status.as_ref().and_then(|status| status.details.as_ref());
        self.code() == 422
            && details.and_then(|details| details.causes.as_ref()).is_some_and(|causes| !causes.is_empty())
    }

    pub(super) fn truncated(&self) -> bool {
        let mark = self.head.annotations.as_ref().and_then(|all| all.get("audit.k8s.io/truncated"));
        mark.and_then(Value::as_str) == Some("true")
    }

    pub(super) fn dry_run(&self) -> bool {
        parameters(&self.head.uri).any(|(name, value)| name == "dryRun" && !value.is_empty())
    }

    /// Whether the request names its field manager, as each server-side apply does.
    pub(super) fn has_manager(&self) -> bool {
        parameters(&self.head.uri).any(|(name, _)| name == "fieldManager")
    }

    /// Whether a read asks for no newer object than some version, which a cache may answer.
    pub(super) fn may_be_stale(&self) -> bool {
        parameters(&self.head.uri)
            .any(|(name, value)| name == "resourceVersion" && !value.is_empty() || name == "continue")
    }

    pub(super) fn verb(&self) -> Verb {
        match self.head.verb.as_str() {
            "create" => Verb::Create,
            "update" => Verb::Update,
            "patch" => Verb::Patch,
            "delete" => Verb::Delete,
            "deletecollection" => Verb::DeleteCollection,
            "get" | "list" => Verb::Read,
            _ => Verb::Other,
        }
    }
}

impl Verb {
    /// Whether it may change what is stored.
    pub(super) fn writes(self) -> bool {
        !matches!(self, Self::Read | Self::Other)
    }
}

impl Reference {
    /// `apiVersion` of the resource.
    pub(super) fn version(&self) -> String {
        if self.api_group.is_empty() {
            self.api_version.clone()
        } else {
            format!("{}/{}", self.api_group, self.api_version)
        }
    }

    /// The key of the object of this name.
    pub(super) fn key(&self, name: &str) -> Key {
        // One store behind two groups.
        let group = if self.resource == "events" { "" } else { self.api_group.as_str() };
        // A path of a namespace names it as namespace too.
        let namespace = if self.resource == "namespaces" { "" } else { self.namespace.as_str() };
        Key {
            group: group.to_owned(),
            resource: self.resource.clone(),
            namespace: namespace.to_owned(),
            name: name.to_owned(),
        }
    }

    /// For people.
    pub(super) fn place(&self) -> String {
        let mut text = format!("{} {}", self.version(), self.resource);
        if !self.subresource.is_empty() {
            text = format!("{text}/{}", self.subresource);
        }
        match (self.namespace.as_str(), self.name.as_str()) {
            ("", "") => {}
            ("", name) => text = format!("{text} {name}"),
            (namespace, name) => text = format!("{text} {namespace}/{name}"),
        }
        text
    }
}

/// Names and values of the parameters of a URI. Names and what is asked of the values need no decoding.
fn parameters(uri: &str) -> impl Iterator<Item = (&str, &str)> {
    let query = uri.split_once('?').map_or("", |(_, query)| query);
    query.split('&').map(|parameter| parameter.split_once('=').unwrap_or((parameter, "")))
}
