//! The review that a webhook is sent.

use super::resource::{GroupKind, Named, Resource, resource};
use super::settings::User;
use crate::http::{Sent, group_version, metadata};
use serde::Serialize;
use serde_json::Value;
use takeover_harness::case::Operation;
use takeover_harness::object::InOrder;
use takeover_harness::oracle::OracleFailure;

/// Version of reviews.
pub(super) const API_VERSION: &str = "admission.k8s.io/v1";

/// Kind of reviews.
pub(super) const KIND: &str = "AdmissionReview";

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Review<'a> {
    kind: &'static str,
    api_version: &'static str,
    request: Request<'a>,
}

/// The members in the order in which an API server writes them.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Request<'a> {
    uid: &'a str,
    kind: GroupKind<'a>,
    resource: Resource<'a>,
    #[serde(skip_serializing_if = "str::is_empty")]
    sub_resource: &'a str,
    request_kind: GroupKind<'a>,
    request_resource: Resource<'a>,
    #[serde(skip_serializing_if = "str::is_empty")]
    request_sub_resource: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    name: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    namespace: &'a str,
    operation: &'static str,
    user_info: UserInfo<'a>,
    object: InOrder<'a>,
    old_object: Option<&'a Value>,
    dry_run: bool,
    options: RequestOptions,
}

#[derive(Serialize)]
struct UserInfo<'a> {
    username: &'a str,
    groups: &'a [String],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct RequestOptions {
    kind: &'static str,
    api_version: &'static str,
    dry_run: [&'static str; 1],
}

/// The review of `sent` as JSON.
pub(super) fn review(
    uid: &str,
    sent: &Sent,
    operation: Operation,
    named: Option<&Named>,
    user: &User,
) -> Result<Vec<u8>, OracleFailure> {
    let (group, version) = group_version(&sent.subject.api_version);
    let kind = GroupKind { group, version, kind: &sent.subject.kind };
    let resource = resource(&kind, named);
    let name = metadata(&sent.object, "name");
    // A namespace lies in itself.
    let itself = group.is_empty() && kind.kind == "Namespace";
    let (operation, options) = match operation {
        Operation::Create => ("CREATE", "CreateOptions"),
        Operation::Update => ("UPDATE", "UpdateOptions"),
    };
    let request = Request {
        uid,
        request_kind: kind.clone(),
        request_resource: resource.clone(),
        kind,
        resource,
        sub_resource: &sent.subject.subresource,
        request_sub_resource: &sent.subject.subresource,
        name,
        namespace: if itself { name } else { metadata(&sent.object, "namespace") },
        operation,
        user_info: UserInfo { username: &user.username, groups: &user.groups },
        object: InOrder(&sent.object, sent.order),
        old_object: sent.old.as_ref(),
        dry_run: true,
        options: RequestOptions { kind: options, api_version: "meta.k8s.io/v1", dry_run: ["All"] },
    };
    serde_json::to_vec(&Review { kind: KIND, api_version: API_VERSION, request })
        .map_err(|error| OracleFailure::new(format!("the review cannot be written: {error}")))
}
