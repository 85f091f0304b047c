//! Volumes that several sources share.

use super::local_path::validate_file_path;
use super::volume_files::{validate_downward_file, validate_item, validate_mode};
use super::volume_sources::require;
use crate::certificates::signer_name::validate_signer_name;
use crate::names::subdomain_name;
use crate::report::{not_supported, text};
use crate::selector::{SelectorValues, selector_form, validate_label_selector};
use crate::types::core::v1::{
    ClusterTrustBundleProjection, KeyToPath, PodCertificateProjection, ProjectedVolumeSource,
    ServiceAccountTokenProjection, Volume, VolumeProjection,
};
use std::borrow::Cow;
use takeover_harness::error::{BadValue, ErrorList, FieldError};
use takeover_harness::path::Path;

/// Shortest and longest life of a token, in seconds.
const TOKEN_SECONDS: (i64, i64) = (10 * 60, 1 << 32);
/// Kinds of keys that the kubelet makes.
const KEY_TYPES: [&str; 6] = ["RSA3072", "RSA4096", "ECDSAP256", "ECDSAP384", "ECDSAP521", "ED25519"];

/// Whether tokens must lie in their volume.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenPaths {
    /// They must.
    Checked,
    /// They need not, as one of the stored object does not.
    Tolerated,
}

/// Whether a token of these volumes lies where no new one may.
pub(super) fn has_outside_token(volumes: &[Volume]) -> bool {
    let projected = volumes.iter().filter_map(|volume| volume.projected);
    let sources = projected.flat_map(|projected| projected.sources);
    sources.filter_map(|source| source.service_account_token).any(|token| {
        let mut errors = ErrorList::new();
        validate_file_path(token.path, &Path::ROOT, &mut errors);
        !errors.is_empty()
    })
}

pub(super) fn validate_projected(
    projected: &ProjectedVolumeSource,
    tokens: TokenPaths,
    path: &Path<'_>,
    errors: &mut ErrorList,
) {
    validate_mode(projected.default_mode, &path.child("defaultMode"), errors);
    let mut taken = Taken { files: Vec::new(), path };
    let at = path.child("sources");
    for (index, source) in projected.sources.iter().enumerate() {
        let at = at.index(index);
        validate_source(source, tokens, &mut taken, &at, errors);
        let sources = [
            source.secret.is_some(),
            source.config_map.is_some(),
            source.downward_api.is_some(),
            source.service_account_token.is_some(),
            source.cluster_trust_bundle.is_some(),
            source.pod_certificate.is_some(),
        ];
        if sources.iter().filter(|set| **set).count() > 1 {
            errors.push(FieldError::forbidden(&at, "may not specify more than 1 volume type per source"));
        }
    }
}

/// Files of the volume that sources write. Tokens are not among them.
struct Taken<'a> {
    files: Vec<&'a str>,
    path: &'a Path<'a>,
}

impl<'a> Taken<'a> {
    /// Takes the file, or reports that another source has it; the error shows `shown`.
    fn take(&mut self, file: &'a str, shown: &str, errors: &mut ErrorList) {
        if self.files.contains(&file) {
            errors.push(FieldError::invalid(self.path, shown.to_owned(), "conflicting duplicate paths"));
        } else {
            self.files.push(file);
        }
    }
}

fn validate_source<'a>(
    source: &'a VolumeProjection,
    tokens: TokenPaths,
    taken: &mut Taken<'a>,
    path: &Path<'_>,
    errors: &mut ErrorList,
) {
    if let Some(secret) = source.secret {
        validate_items(text(secret.name), secret.items, taken, &path.child("secret"), errors);
    }
    if let Some(map) = source.config_map {
        validate_items(text(map.name), map.items, taken, &path.child("configMap"), errors);
    }
    for file in source.downward_api.iter().flat_map(|source| source.items.into_iter().flatten()) {
        validate_downward_file(file, &path.child("downwardAPI"), errors);
        if !file.path.is_empty() {
            taken.take(file.path, file.path, errors);
        }
    }
    if let Some(token) = source.service_account_token {
        validate_token(token, &path.child("serviceAccountToken"), errors);
        validate_token_path(token.path, tokens, taken.path, errors);
    }
    if let Some(bundle) = source.cluster_trust_bundle {
        let at = path.child("clusterTrustBundle");
        validate_bundle(bundle, &at, errors);
        require(bundle.path, "path", &at, errors);
        validate_file_path(bundle.path, &at.child("path"), errors);
        taken.take(bundle.path, bundle.path, errors);
    }
    if let Some(certificate) = source.pod_certificate {
        validate_certificate(certificate, taken, &path.child("podCertificate"), errors);
    }
}

/// Checks what a secret or a configuration map gives. A conflict shows its name instead of the file.
fn validate_items<'a>(
    name: &str,
    items: Option<&'a [KeyToPath]>,
    taken: &mut Taken<'a>,
    path: &Path<'_>,
    errors: &mut ErrorList,
) {
    require(name, "name", path, errors);
    let at = path.child("items");
    for (index, item) in items.unwrap_or_default().iter().enumerate() {
        validate_item(item, &at.index(index), errors);
        if !item.path.is_empty() {
            taken.take(item.path, name, errors);
        }
    }
}

fn validate_token(token: &ServiceAccountTokenProjection, path: &Path<'_>, errors: &mut ErrorList) {
    let seconds = token.expiration_seconds.unwrap_or(0);
    let (shortest, longest) = TOKEN_SECONDS;
    let detail = if seconds < shortest {
        "may not specify a duration less than 10 minutes"
    } else if seconds > longest {
        "may not specify a duration larger than 2^32 seconds"
    } else {
        ""
    };
    if !detail.is_empty() {
        errors.push(FieldError::invalid(&path.child("expirationSeconds"), seconds, detail));
    }
}

/// Where the token lies. Errors stand at the volume, not at the token.
fn validate_token_path(file: &str, tokens: TokenPaths, volume: &Path<'_>, errors: &mut ErrorList) {
    require(file, "path", volume, errors);
    if tokens == TokenPaths::Checked {
        validate_file_path(file, &volume.child("path"), errors);
    }
}

/// Checks which bundles are meant: one by name, or those of a signer.
fn validate_bundle(bundle: &ClusterTrustBundleProjection, path: &Path<'_>, errors: &mut ErrorList) {
    match (bundle.name, bundle.signer_name) {
        (Some(_), Some(_)) => {
            let detail = "only one of name and signerName may be used";
            errors.push(FieldError::invalid(path, bundle_form(bundle), detail));
        }
        (Some(name), None) => {
            let at = path.child("name");
            if name.is_empty() {
                errors.push(FieldError::required(&at, "must be a valid object name"));
            }
            for problem in bundle_name_problems(name) {
                let detail = format!("not a valid clustertrustbundlename: {problem}");
                errors.push(FieldError::invalid(&at, name.to_owned(), detail));
            }
            if let Some(selector) = bundle.label_selector {
                let detail = "labelSelector must be unset if name is specified";
                let value = selector_form(Some(selector));
                errors.push(FieldError::invalid(&path.child("labelSelector"), value, detail));
            }
        }
        (None, Some(signer)) => {
            let at = path.child("signerName");
            if signer.is_empty() {
                errors.push(FieldError::required(&at, "must be a valid signer name"));
            }
            validate_signer_name(signer, &at, errors);
            let selector = bundle.label_selector;
            validate_label_selector(selector, SelectorValues::Checked, &path.child("labelSelector"), errors);
        }
        (None, None) => errors.push(FieldError::required(path, "either name or signerName must be specified")),
    }
}

/// What is wrong with the name of a bundle. A signer's bundles are named after it, with `:` for `/` and before the rest.
fn bundle_name_problems(name: &str) -> Vec<Cow<'static, str>> {
    match name.rsplit_once(':') {
        None => subdomain_name(name),
        Some(("", _)) => vec!["ClusterTrustBundle without signer name must not have \":\" in its name".into()],
        Some((signer, _)) if signer.contains('/') => {
            let (prefix, signer) = (signer.replace('/', ":"), signer.replace(':', "/"));
            let detail = format!("ClusterTrustBundle for signerName {signer} must be named with prefix {prefix}:");
            vec![detail.into()]
        }
        Some((_, rest)) => subdomain_name(rest),
    }
}

/// The source as Kubernetes shows it: its internal struct has no JSON names.
fn bundle_form(bundle: &ClusterTrustBundleProjection) -> BadValue {
    BadValue::Struct(vec![
        ("Name", bundle.name.into()),
        ("SignerName", bundle.signer_name.into()),
        ("LabelSelector", selector_form(bundle.label_selector)),
        ("Optional", bundle.optional.into()),
        ("Path", bundle.path.into()),
    ])
}

fn validate_certificate<'a>(
    certificate: &'a PodCertificateProjection,
    taken: &mut Taken<'a>,
    path: &Path<'_>,
    errors: &mut ErrorList,
) {
    validate_signer_name(text(certificate.signer_name), &path.child("signerName"), errors);
    let key = text(certificate.key_type);
    if !KEY_TYPES.contains(&key) {
        errors.push(not_supported(&path.child("keyType"), key, &KEY_TYPES));
    }
    let mut written = false;
    for (file, member) in [
        (&certificate.credential_bundle_path, "credentialBundlePath"),
        (&certificate.key_path, "keyPath"),
        (&certificate.certificate_chain_path, "certificateChainPath"),
    ] {
        let file = text(*file);
        if !file.is_empty() {
            written = true;
            validate_file_path(file, &path.child(member), errors);
            taken.take(file, file, errors);
        }
    }
    if !written {
        let detail = "specify at least one of credentialBundlePath, keyPath, and certificateChainPath";
        errors.push(FieldError::required(path, detail));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn check(sources: Value, expected: &[&str]) {
        let projected: ProjectedVolumeSource<'_> = crate::types::read_json(&json!({"sources": sources}));
        let mut errors = ErrorList::new();
        validate_projected(&projected, TokenPaths::Checked, &Path::ROOT.child("p"), &mut errors);
        assert_eq!(errors.len(), expected.len(), "{sources}: {errors:?}");
        for (error, expected) in errors.iter().zip(expected) {
            let line = format!("{} {}", error.field, error.detail);
            assert!(line.starts_with(expected), "{sources}: {line}");
        }
    }

    #[test]
    fn sources_do_not_write_the_same_file() {
        let item = |path: &str| json!({"name": "n", "items": [{"key": "k", "path": path}]});
        let conflict = "p conflicting duplicate paths";
        check(json!([{}, {"secret": item("a")}, {"configMap": item("b")}]), &[]);
        check(json!([{"secret": item("a")}, {"configMap": item("a")}]), &[conflict]);
        let file = json!({"path": "a", "fieldRef": {"apiVersion": "v1", "fieldPath": "metadata.uid"}});
        check(json!([{"downwardAPI": {"items": [file]}}, {"secret": item("a")}]), &[conflict]);
        let both = json!([{"secret": item("a"), "configMap": item("b")}]);
        check(both, &["p.sources[0] may not specify more than 1 volume type per source"]);
        check(json!([{"secret": {}}]), &["p.sources[0].secret.name "]);
    }

    #[test]
    fn tokens_live_for_a_while() {
        for (seconds, expected) in [
            (600, &[][..]),
            (1_i64 << 32, &[]),
            (599, &["p.sources[0].serviceAccountToken.expirationSeconds may not specify a duration less"]),
            ((1 << 32) + 1, &["p.sources[0].serviceAccountToken.expirationSeconds may not specify a duration larger"]),
        ] {
            check(json!([{"serviceAccountToken": {"path": "a", "expirationSeconds": seconds}}]), expected);
        }
        check(json!([{"serviceAccountToken": {"expirationSeconds": 600}}]), &["p.path "]);
        check(
            json!([{"serviceAccountToken": {"path": "..a", "expirationSeconds": 600}}]),
            &["p.path must not start with '..'"],
        );
    }

    #[test]
    fn trust_bundles_are_chosen_by_name_or_by_signer() {
        let at = "p.sources[0].clusterTrustBundle";
        let name = format!("{at}.name not a valid clustertrustbundlename: ");
        let labels = json!({"matchLabels": {"a": "b"}});
        for (members, expected) in [
            (json!({"name": "a.b"}), vec![]),
            (json!({"name": "example.com:signer:live"}), vec![]),
            (json!({"signerName": "example.com/signer", "labelSelector": labels}), vec![]),
            (json!({}), vec![format!("{at} either name or signerName")]),
            (json!({"name": "a", "signerName": "b"}), vec![format!("{at} only one of")]),
            (json!({"name": ""}), vec![format!("{at}.name must be a valid object name"), name.clone()]),
            (json!({"name": ":a"}), vec![format!("{name}ClusterTrustBundle without signer name")]),
            (
                json!({"name": "a/b:c"}),
                vec![format!("{name}ClusterTrustBundle for signerName a/b must be named with prefix a:b:")],
            ),
            (json!({"name": "a:B"}), vec![format!("{name}a lowercase RFC 1123 subdomain")]),
            (json!({"name": "a", "labelSelector": labels}), vec![format!("{at}.labelSelector labelSelector must be")]),
            (
                json!({"signerName": ""}),
                vec![format!("{at}.signerName must be a valid signer name"), format!("{at}.signerName ")],
            ),
            (json!({"signerName": "a"}), vec![format!("{at}.signerName must be a fully qualified domain")]),
        ] {
            let mut bundle = members;
            bundle.as_object_mut().expect("a bundle").insert("path".to_owned(), json!("f"));
            let expected: Vec<&str> = expected.iter().map(String::as_str).collect();
            check(json!([{"clusterTrustBundle": bundle}]), &expected);
        }
        check(json!([{"clusterTrustBundle": {"name": "a"}}]), &[&format!("{at}.path ")]);
    }

    #[test]
    fn certificates_of_pods_have_a_key_and_a_file() {
        let at = "p.sources[0].podCertificate";
        check(
            json!([{"podCertificate": {"signerName": "a.b/c", "keyType": "ED25519", "credentialBundlePath": "x"}}]),
            &[],
        );
        check(
            json!([{"podCertificate": {"keyType": "DSA"}}]),
            &[
                &format!("{at}.signerName "),
                &format!("{at}.keyType supported values"),
                &format!("{at} specify at least"),
            ],
        );
        let same =
            json!({"signerName": "a.b/c", "keyType": "ED25519", "keyPath": "../x", "certificateChainPath": "../x"});
        check(
            json!([{"podCertificate": same}]),
            &[
                &format!("{at}.keyPath must not contain"),
                &format!("{at}.certificateChainPath must not contain"),
                "p conflicting duplicate paths",
            ],
        );
    }
}
