//! CertificateSigningRequest, in `v1` and `v1beta1`, with `/status` and `/approval`.

use super::condition_diff::diff;
use super::recent::{check_again, forget};
use super::request_steps::{default_request, prepare};
use super::signer_name::{LEGACY_UNKNOWN, validate_signer_name};
use super::x509::check_chain;
use crate::kind::{Checks, Prepare, Request, Served};
use crate::meta::{self, NameRule, Scope};
use crate::names::Problems;
use crate::report::not_supported;
use crate::types::certificates::v1::{
    CertificateSigningRequestCondition as Condition, CertificateSigningRequestStatus,
};
use crate::types::meta::v1::ObjectMeta;
use crate::types::{ByteString, Described, view};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use std::collections::BTreeSet;
use takeover_harness::error::{BadValue, ErrorList, FieldError};
use takeover_harness::object::Edit;
use takeover_harness::path::Path;

/// Purposes of keys, as errors list them.
const USAGES: [&str; 23] = [
    "any",
    "cert sign",
    "client auth",
    "code signing",
    "content commitment",
    "crl sign",
    "data encipherment",
    "decipher only",
    "digital signature",
    "email protection",
    "encipher only",
    "ipsec end system",
    "ipsec tunnel",
    "ipsec user",
    "key agreement",
    "key encipherment",
    "microsoft sgc",
    "netscape sgc",
    "ocsp signing",
    "s/mime",
    "server auth",
    "signing",
    "timestamping",
];
/// Verdicts that are only ever true.
const VERDICTS: [&str; 3] = ["Approved", "Denied", "Failed"];
/// Shortest life of a certificate, in seconds.
const SHORTEST_LIFE: i32 = 600;
/// Who makes a request, which only the server says.
const USER: [&str; 4] = ["spec.username", "spec.uid", "spec.groups", "spec.extra"];
/// Requests may be named as one likes.
const NAME: NameRule = NameRule::Plain { name: any_name, start: any_name };

fn any_name(_: &str) -> Problems {
    Problems::new()
}

view! {
    /// A CertificateSigningRequest whose request may be missing, which is not the same as an empty one.
    pub struct SigningRequest<'a> {
        "metadata" => metadata: ObjectMeta<'a>,
        "spec" => spec: SigningRequestSpec<'a>,
        "status" => status: CertificateSigningRequestStatus<'a>,
    }
}

impl<'a> Described<'a> for SigningRequest<'a> {
    fn metadata(&self) -> &ObjectMeta<'a> {
        &self.metadata
    }
}

view! {
    struct SigningRequestSpec<'a> {
        "request" => request: Option<ByteString<'a>>,
        "signerName" => signer_name: &'a str,
        "expirationSeconds" => expiration_seconds: Option<i32>,
        "usages" => usages: &'a [&'a str],
    }
}

/// Judges CertificateSigningRequests as a Kubernetes 1.36 server does.
#[derive(Clone, Copy, Debug)]
pub struct CertificateSigningRequests;

impl Served for CertificateSigningRequests {
    type Kind = Self;

    const PREPARE: Option<Prepare> = Some(prepare);
    const USER_FIELDS: &'static [&'static str] = &USER;
}

/// `v1beta1` CertificateSigningRequests, which may leave their usages and signer to the server.
#[derive(Clone, Copy, Debug)]
pub struct CertificateSigningRequestsV1beta1;

impl Served for CertificateSigningRequestsV1beta1 {
    type Kind = CertificateSigningRequests;

    const DEFAULTS: Option<fn(&mut Edit<'_>)> = Some(default_request);
    const PREPARE: Option<Prepare> = Some(prepare);
    const USER_FIELDS: &'static [&'static str] = &USER;
}

impl Checks for CertificateSigningRequests {
    type Object<'a> = SigningRequest<'a>;

    const SCOPE: Scope = Scope::Cluster;
    const SUBRESOURCES: &'static [&'static str] = &["status", "approval"];

    fn forget() -> bool {
        forget();
        true
    }

    fn create(new: &SigningRequest, _: &Request<'_>, errors: &mut ErrorList) {
        validate_request(new, &Tolerated::default(), errors);
    }

    fn update(new: &SigningRequest, old: &SigningRequest, request: &Request<'_>, errors: &mut ErrorList) {
        validate_request(new, &Tolerated::of(new, old), errors);
        meta::validate_update(&new.metadata, &old.metadata, &Path::ROOT.child("metadata"), errors);
        let status = Path::ROOT.child("status");
        validate_verdicts(conditions(new), conditions(old), request, &status.child("conditions"), errors);
        let (now, before) = (certificate(new), certificate(old));
        if now != before {
            let at = status.child("certificate");
            if request.subresource != "status" {
                errors.push(FieldError::forbidden(&at, "updates may not set certificate content"));
            } else if !before.is_empty() {
                errors.push(FieldError::forbidden(&at, "updates may not modify existing certificate content"));
            }
        }
    }
}

/// What a changed request may get wrong because the stored one does.
#[derive(Default)]
struct Tolerated {
    legacy_signer: bool,
    unknown_usages: bool,
    repeated_usages: bool,
    opposite_verdicts: bool,
    repeated_conditions: bool,
    unnamed_conditions: bool,
    any_certificate: bool,
}

impl Tolerated {
    fn of(new: &SigningRequest, old: &SigningRequest) -> Self {
        let types = || conditions(old).iter().map(|condition| condition.type_);
        let usages = || old.spec.usages.iter().copied();
        let has = |name| types().any(|found| found == name);
        Self {
            legacy_signer: old.spec.signer_name == LEGACY_UNKNOWN,
            unknown_usages: usages().any(|usage| !USAGES.contains(&usage)),
            repeated_usages: repeats(usages()),
            opposite_verdicts: has("Approved") && has("Denied"),
            repeated_conditions: repeats(types()),
            unnamed_conditions: has(""),
            any_certificate: certificate(new) == certificate(old) || check_chain(certificate(old)).is_err(),
        }
    }
}

fn repeats<'n>(mut names: impl Iterator<Item = &'n str>) -> bool {
    let mut seen = BTreeSet::new();
    names.any(|name| !seen.insert(name))
}

fn conditions<'a>(request: &SigningRequest<'a>) -> &'a [Condition<'a>] {
    request.status.conditions.unwrap_or_default()
}

fn certificate<'a>(request: &SigningRequest<'a>) -> &'a [u8] {
    request.status.certificate.unwrap_or_default().0
}

fn validate_request(new: &SigningRequest, tolerated: &Tolerated, errors: &mut ErrorList) {
    let path = Path::ROOT.child("metadata");
    meta::validate_create(&new.metadata, CertificateSigningRequests::SCOPE, NAME, &path, errors);
    let path = Path::ROOT.child("spec");
    let request = new.spec.request.map(|bytes| bytes.0);
    if let Err(fault) = check_again(request.unwrap_or_default()) {
        let found = request.map_or(BadValue::Null, |request| STANDARD.encode(request).into());
        errors.push(FieldError::invalid(&path.child("request"), found, fault));
    }
    validate_usages(new.spec.usages, tolerated, &path.child("usages"), errors);
    let signer = new.spec.signer_name;
    let at = path.child("signerName");
    if signer == LEGACY_UNKNOWN && !tolerated.legacy_signer {
        errors.push(FieldError::invalid(&at, signer, "the legacy signerName is not allowed via this API version"));
    } else {
        validate_signer_name(signer, &at, errors);
    }
    if let Some(seconds) = new.spec.expiration_seconds.filter(|seconds| *seconds < SHORTEST_LIFE) {
        let detail = "may not specify a duration less than 600 seconds (10 minutes)";
        errors.push(FieldError::invalid(&path.child("expirationSeconds"), seconds, detail));
    }
    let status = Path::ROOT.child("status");
    validate_conditions(conditions(new), tolerated, &status.child("conditions"), errors);
    if !tolerated.any_certificate
        && let Err(fault) = check_chain(certificate(new))
    {
        errors.push(FieldError::invalid(&status.child("certificate"), "<certificate data>", fault));
    }
}

fn validate_usages(usages: &[&str], tolerated: &Tolerated, path: &Path<'_>, errors: &mut ErrorList) {
    if usages.is_empty() {
        errors.push(FieldError::required(path, ""));
    }
    let mut seen = BTreeSet::new();
    for (index, usage) in usages.iter().enumerate() {
        let at = path.index(index);
        if !tolerated.unknown_usages && !USAGES.contains(usage) {
            errors.push(not_supported(&at, *usage, &USAGES));
        }
        if !seen.insert(*usage) && !tolerated.repeated_usages {
            errors.push(FieldError::duplicate(&at, *usage));
        }
    }
}

fn validate_conditions(conditions: &[Condition], tolerated: &Tolerated, path: &Path<'_>, errors: &mut ErrorList) {
    let mut seen = BTreeSet::new();
    for (index, condition) in conditions.iter().enumerate() {
        let at = path.index(index);
        let name = condition.type_;
        if name.is_empty() && !tolerated.unnamed_conditions {
            errors.push(FieldError::required(&at.child("type"), ""));
        }
        let allowed: &[&str] = if VERDICTS.contains(&name) { &["True"] } else { &["False", "True", "Unknown"] };
        if condition.status.is_empty() {
            errors.push(FieldError::required(&at.child("status"), ""));
        } else if !allowed.contains(&condition.status) {
            errors.push(not_supported(&at.child("status"), condition.status, allowed));
        }
        let opposite = match name {
            "Approved" => "Denied",
            "Denied" => "Approved",
            _ => "",
        };
        if !opposite.is_empty() && seen.contains(opposite) && !tolerated.opposite_verdicts {
            let error = FieldError::invalid(path, name, "Approved and Denied conditions are mutually exclusive");
            errors.push(error.with_origin("zeroOrOneOf").covered());
        }
        if !seen.insert(name) && !tolerated.repeated_conditions {
            errors.push(FieldError::duplicate(&at.child("type"), name));
        }
    }
}

fn of_type<'a>(conditions: &'a [Condition<'a>], name: &str) -> Vec<&'a Condition<'a>> {
    conditions.iter().filter(|condition| condition.type_ == name).collect()
}

/// Verdicts are never taken back, and only `/approval` may approve and deny.
fn validate_verdicts(
    new: &[Condition],
    old: &[Condition],
    request: &Request<'_>,
    path: &Path<'_>,
    errors: &mut ErrorList,
) {
    for name in VERDICTS {
        if of_type(new, name).len() < of_type(old, name).len() {
            errors.push(FieldError::forbidden(path, format!("updates may not remove a condition of type \"{name}\"")));
        }
    }
    if request.subresource == "approval" {
        return;
    }
    for name in ["Approved", "Denied"] {
        let (now, before) = (of_type(new, name), of_type(old, name));
        if now.len() > before.len() {
            errors.push(FieldError::forbidden(path, format!("updates may not add a condition of type \"{name}\"")));
        } else if now.len() == before.len() && now != before {
            let detail = format!("updates may not modify a condition of type \"{name}\"\n{}", diff(&before, &now));
            errors.push(FieldError::forbidden(path, detail));
        }
    }
}
