//! Certificate requests (PKCS#10) and certificates (X.509).

use super::pem::first_block;
use super::read::{ADDRESS, DNS_NAME, EMAIL, Request, URI, read_certificates, read_request};
use super::signature::{Fault, check_signature};
use der::ErrorKind;
use der::asn1::ObjectIdentifier;

const COMMON_NAME: ObjectIdentifier = ObjectIdentifier::new_unwrap("2.5.4.3");
const ORGANIZATION: ObjectIdentifier = ObjectIdentifier::new_unwrap("2.5.4.10");

/// Checks a certificate request in PEM: its form, and that it is signed by its own key.
pub(super) fn check_request(text: &[u8]) -> Result<(), Fault> {
    check_signature(&parse_request(&request_der(text)?)?)
}

/// What a certificate request says of its subject.
#[derive(Debug, Default)]
pub(super) struct Subject {
    /// Organisations of the subject.
    pub(super) organizations: Vec<String>,
    /// Common name of the subject, the last one.
    pub(super) common_name: String,
    /// Whether alternative names hold DNS names.
    pub(super) dns_names: bool,
    /// Whether they hold addresses.
    pub(super) addresses: bool,
    /// Whether they hold e-mail addresses.
    pub(super) emails: bool,
    /// Whether they hold URIs.
    pub(super) uris: bool,
}

/// The subject of a certificate request in PEM; none when it has no such form.
pub(super) fn request_subject(text: &[u8]) -> Option<Subject> {
    let der = request_der(text).ok()?;
    let request = parse_request(&der).ok()?;
    let texts = |of: ObjectIdentifier| {
        request.subject.iter().filter(move |(attribute, _)| *attribute == of).map(|(_, text)| text.clone())
    };
    let has = |choice| request.alternatives.contains(&choice);
    Some(Subject {
        organizations: texts(ORGANIZATION).collect(),
        common_name: texts(COMMON_NAME).next_back().unwrap_or_default(),
        emails: has(EMAIL),
        dns_names: has(DNS_NAME),
        uris: has(URI),
        addresses: has(ADDRESS),
    })
}

/// Checks an issued certificate with its chain: PEM blocks of certificates without headers, at least one. Nothing at all is
/// fine.
pub(super) fn check_chain(text: &[u8]) -> Result<(), Fault> {
    if text.is_empty() {
        return Ok(());
    }
    let mut rest = text;
    let mut blocks = 0_usize;
    while let Some((block, more)) = first_block(rest) {
        if block.label != "CERTIFICATE" {
            return Err(format!("only CERTIFICATE PEM blocks are allowed, found {:?}", block.label).into());
        }
        if block.headers {
            return Err("no PEM block headers are permitted".into());
        }
        blocks += 1;
        check_certificates(&block.bytes)?;
        rest = more;
    }
    if blocks == 0 {
        return Err("must contain at least one CERTIFICATE PEM block".into());
    }
    Ok(())
}

fn check_certificates(der: &[u8]) -> Result<(), Fault> {
    if der.is_empty() {
        return Err("found CERTIFICATE PEM block containing 0 certificates".into());
    }
    read_certificates(der).map_err(|_| Fault::Borrowed("x509: malformed certificate"))
}

fn request_der(text: &[u8]) -> Result<Vec<u8>, Fault> {
    match first_block(text) {
        Some((block, _)) if block.label == "CERTIFICATE REQUEST" => Ok(block.bytes),
        _ => Err("PEM block type must be CERTIFICATE REQUEST".into()),
    }
}

fn parse_request(der: &[u8]) -> Result<Request<'_>, Fault> {
    read_request(der).map_err(|error| fault(&error))
}

fn fault(error: &der::Error) -> Fault {
    match error.kind() {
        ErrorKind::TrailingData { .. } => "asn1: syntax error: trailing data".into(),
        ErrorKind::Incomplete { .. } => "asn1: syntax error: data truncated".into(),
        _ => format!("asn1: structure error: {error}").into(),
    }
}
