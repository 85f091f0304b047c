//! `v1` Secret.

use super::config_key::{FROZEN, SIZE_LIMIT, config_key};
use crate::go_json::object_error;
use crate::kind::{Checks, Request, Served};
use crate::meta::{self, NameRule, Scope};
use crate::names::{dns_subdomain_start, subdomain_name};
use crate::report::{IMMUTABLE, text, too_long};
use crate::typed_pair::TypedPair;
use crate::types::ByteString;
use crate::types::Map;
use crate::types::core::v1::Secret;
use std::collections::BTreeMap;
use takeover_harness::error::{ErrorList, FieldError};
use takeover_harness::object::{Arena, Edit, Node};
use takeover_harness::oracle::{Objects, OracleFailure};
use takeover_harness::path::Path;

/// How secrets are named.
const NAME: NameRule = NameRule::Plain { name: subdomain_name, start: dns_subdomain_start };
/// The annotation of a token that names its account.
const ACCOUNT: &str = "kubernetes.io/service-account.name";

/// Judges Secrets as a Kubernetes 1.36 server does.
#[derive(Clone, Copy, Debug)]
pub struct Secrets;

impl Served for Secrets {
    type Kind = Self;

    const DEFAULTS: Option<fn(&mut Edit<'_>)> = Some(|secret| secret.set_default_text("type", "Opaque"));
    const CONVERT: Option<fn(&mut Edit<'_>)> = Some(settle_texts);

    fn objects<'a>(objects: &Objects<'a>, arena: &'a Arena) -> Result<TypedPair<Secret<'a>>, OracleFailure> {
        Ok(TypedPair::<Secret<'_>>::of(objects, arena)?.map(|secret| {
            let texts = secret.string_data.unwrap_or_default();
            if texts.is_empty() {
                return secret;
            }
            let mut data: BTreeMap<&str, ByteString<'_>> =
                secret.data.into_iter().flatten().map(|(key, bytes)| (key, *bytes)).collect();
            data.extend(texts.iter().map(|(key, text)| (key, ByteString(text.as_bytes()))));
            Secret { data: Some(Map::new(arena.alloc_slice_fill_iter(data))), string_data: None, ..secret }
        }))
    }
}

/// Texts become data, in place of what `data` has under their keys.
fn settle_texts(secret: &mut Edit<'_>) {
    let arena = secret.arena();
    let texts = secret.get("stringData").entries();
    if !texts.is_empty() {
        let mut data: BTreeMap<_, _> = secret.get("data").entries().iter().copied().collect();
        data.extend(texts.iter().map(|(key, text)| (*key, Node::Bytes(text.text().as_bytes()))));
        secret.set("data", Node::Map(arena.alloc_slice_fill_iter(data)));
    }
    secret.clear("stringData");
}

impl Checks for Secrets {
    type Object<'a> = Secret<'a>;

    const SCOPE: Scope = Scope::Namespaced;

    fn create(new: &Secret, _: &Request<'_>, errors: &mut ErrorList) {
        validate(new, errors);
    }

    fn update(new: &Secret, old: &Secret, _: &Request<'_>, errors: &mut ErrorList) {
        meta::validate_update(&new.metadata, &old.metadata, &Path::ROOT.child("metadata"), errors);
        let kind = text(new.type_);
        if kind != text(old.type_) {
            errors.push(FieldError::invalid(&Path::ROOT.child("type"), kind, IMMUTABLE));
        }
        if old.immutable == Some(true) {
            let changed = [("immutable", new.immutable != Some(true)), ("data", new.data != old.data)];
            for (member, _) in changed.into_iter().filter(|(_, changed)| *changed) {
                errors.push(FieldError::forbidden(&Path::ROOT.child(member), FROZEN));
            }
        }
        validate(new, errors);
    }
}

fn validate(secret: &Secret, errors: &mut ErrorList) {
    meta::validate_create(&secret.metadata, Secrets::SCOPE, NAME, &Path::ROOT.child("metadata"), errors);
    let path = Path::ROOT.child("data");
    let mut size = 0;
    for (key, ByteString(value)) in secret.data.into_iter().flatten() {
        for problem in config_key(key) {
            errors.push(FieldError::invalid(&path.key(key), key, problem));
        }
        size += value.len();
    }
    if size > SIZE_LIMIT {
        errors.push(too_long(&path, SIZE_LIMIT));
    }
    validate_type(secret, &path, errors);
}

/// A secret of a type that Kubernetes knows has what belongs to that type.
fn validate_type(secret: &Secret, path: &Path<'_>, errors: &mut ErrorList) {
    let value = |key: &str| secret.data.and_then(|data| data.get(key)).map(|ByteString(value)| *value);
    let mut require = |key: &str| errors.push(FieldError::required(&path.key(key), ""));
    match text(secret.type_) {
        "kubernetes.io/service-account-token" => {
            let name = secret.metadata.annotations.and_then(|annotations| annotations.get(ACCOUNT));
            if name.is_none_or(|name| name.is_empty()) {
                let meta = Path::ROOT.child("metadata");
                errors.push(FieldError::required(&meta.child("annotations").key(ACCOUNT), ""));
            }
        }
        "kubernetes.io/dockercfg" => validate_json(".dockercfg", value(".dockercfg"), path, errors),
        "kubernetes.io/dockerconfigjson" => {
            validate_json(".dockerconfigjson", value(".dockerconfigjson"), path, errors);
        }
        "kubernetes.io/basic-auth" if value("username").or(value("password")).is_none() => {
            ["username", "password"].into_iter().for_each(require);
        }
        "kubernetes.io/ssh-auth" if value("ssh-privatekey").is_none_or(<[_]>::is_empty) => require("ssh-privatekey"),
        "kubernetes.io/tls" => {
            ["tls.crt", "tls.key"].into_iter().filter(|key| value(key).is_none()).for_each(require);
        }
        _ => {}
    }
}

/// The registries that an image puller may use are a JSON object, which nobody is shown.
fn validate_json(key: &str, value: Option<&[u8]>, path: &Path<'_>, errors: &mut ErrorList) {
    let at = path.key(key);
    match value {
        None => errors.push(FieldError::required(&at, "")),
        Some(value) => {
            if let Some(problem) = object_error(value) {
                errors.push(FieldError::invalid(&at, "<secret contents redacted>", problem));
            }
        }
    }
}
