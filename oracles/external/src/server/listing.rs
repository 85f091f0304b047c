//! The objects that a server stores, page by page. Nothing is ever sent but GET.

use super::api::Api;
use super::error::ServerError;
use super::settings::ServerSettings;
use crate::http::{Repeat, beginning};
use http::Method;
use serde_json::Value;
use std::fmt::Write as _;
use takeover_harness::oracle::OracleFailure;
use takeover_harness::subject::SubjectId;

/// Reads what a server stores.
pub struct Listing {
    api: Api,
    server: String,
}

/// Some of the objects of a kind.
#[derive(Debug, Default)]
pub struct ListedPage {
    /// The objects, each with its version and kind.
    pub objects: Vec<Value>,
    /// Where the next page begins; none after the last.
    pub next: Option<String>,
    /// How many objects follow this page, if the server says so.
    pub remaining: Option<u64>,
}

/// Why there is no page.
#[derive(Debug, thiserror::Error)]
pub enum ListError {
    /// The server has no such kind in this version.
    #[error("not served")]
    NotServed,
    /// The user may not list it.
    #[error("not allowed to list")]
    Forbidden,
    /// There is no answer, or none that can be read.
    #[error(transparent)]
    Failed(#[from] OracleFailure),
}

impl Listing {
    /// Reads the kubeconfig. Nothing is sent yet.
    ///
    /// # Errors
    /// Returns an error when the context is not named, is not there, or needs what is not supported.
    pub fn of(settings: &ServerSettings) -> Result<Self, ServerError> {
        let (api, access) = Api::of(settings)?;
        Ok(Self { api, server: access.server })
    }

    /// Address of the server.
    #[must_use]
    pub fn server(&self) -> &str {
        &self.server
    }

    /// At most `most` objects of all namespaces, beginning at `from`. If the server has forgotten that list, the page comes from a newer one.
    ///
    /// # Errors
    /// Returns an error when the server does not serve the kind, may not tell, or gives no list.
    pub fn page(&self, subject: &SubjectId, most: u32, from: Option<&str>) -> Result<ListedPage, ListError> {
        let Some(resource) = self.api.find(subject)? else { return Err(ListError::NotServed) };
        let mut from = from.map(str::to_owned);
        for _ in 0..2 {
            let mut target = format!("{}?limit={most}", resource.everywhere());
            if let Some(from) = &from {
                let _ = write!(target, "&continue={}", encoded(from));
            }
            let reply = self.api.call(&Method::GET, &target, None, Repeat::Once)?;
            let body: Option<Value> = serde_json::from_slice(&reply.body).ok();
            match (reply.code, body) {
                (200, Some(list)) => return Ok(page(list, subject)),
                // 410 Gone: the list has expired, and this token continues in a newer one.
                (410, Some(status)) => {
                    let newer = status.pointer("/metadata/continue").and_then(Value::as_str);
                    from = Some(
                        newer
                            .filter(|newer| !newer.is_empty())
                            .ok_or_else(|| self.failure(410, &reply.body))?
                            .to_owned(),
                    );
                }
                (401 | 403, _) => return Err(ListError::Forbidden),
                (404, _) => return Err(ListError::NotServed),
                (code, _) => return Err(self.failure(code, &reply.body).into()),
            }
        }
        Err(OracleFailure::new(format!("`{}` forgets its lists faster than they can be read", self.server)).into())
    }

    fn failure(&self, code: u16, body: &[u8]) -> OracleFailure {
        OracleFailure::new(format!("`{}` gives no list: HTTP status {code}: {}", self.server, beginning(body)))
    }
}

/// The page of a list. Its items get the version and kind that they lack.
fn page(mut list: Value, subject: &SubjectId) -> ListedPage {
    let next = list.pointer("/metadata/continue").and_then(Value::as_str).filter(|next| !next.is_empty());
    let (next, remaining) =
        (next.map(str::to_owned), list.pointer("/metadata/remainingItemCount").and_then(Value::as_u64));
    let mut objects = match list.get_mut("items").map(Value::take) {
        Some(Value::Array(objects)) => objects,
        _ => Vec::new(),
    };
    for object in objects.iter_mut().filter_map(Value::as_object_mut) {
        object.entry("apiVersion").or_insert_with(|| subject.api_version.as_str().into());
        object.entry("kind").or_insert_with(|| subject.kind.as_str().into());
    }
    ListedPage { objects, next, remaining }
}

/// Percent-encodes a text for a query.
fn encoded(text: &str) -> String {
    let mut encoded = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => encoded.push(byte.into()),
            other => {
                let _ = write!(encoded, "%{other:02X}");
            }
        }
    }
    encoded
}

#[cfg(test)]
mod tests {
    use super::{encoded, page};
    use serde_json::json;
    use takeover_harness::subject::SubjectId;

    #[test]
    fn items_say_what_they_are_and_pages_where_the_next_begins() {
        let subject = SubjectId::new("apps/v1", "Deployment");
        let read =
            page(json!({"metadata": {"continue": "abc", "remainingItemCount": 7}, "items": [{"spec": {}}]}), &subject);
        assert_eq!(read.objects, [json!({"apiVersion": "apps/v1", "kind": "Deployment", "spec": {}})]);
        assert_eq!((read.next.as_deref(), read.remaining), (Some("abc"), Some(7)));
        let last = page(json!({"metadata": {"continue": ""}, "items": null}), &subject);
        assert_eq!((last.objects.len(), last.next), (0, None));
    }

    #[test]
    fn tokens_are_encoded() {
        assert_eq!(encoded("aZ0-._~=+/ &"), "aZ0-._~%3D%2B%2F%20%26");
    }
}
