//! Certificate requests (PKCS#10) and certificates (X.509).

use super::pem::first_block;
use super::signature::{Fault, check_signature};
use x509_parser::certificate::X509Certificate;
use x509_parser::certification_request::X509CertificationRequest;
use x509_parser::extensions::{GeneralName, ParsedExtension};
use x509_parser::nom;
use x509_parser::prelude::FromDer;

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
    let name = &request.certification_request_info.subject;
    let text = |attribute: &x509_parser::x509::AttributeTypeAndValue<'_>| {
        attribute.as_str().map(str::to_owned).unwrap_or_default()
    };
    let mut subject = Subject {
        organizations: name.iter_organization().map(text).collect(),
        common_name: name.iter_common_name().last().map(text).unwrap_or_default(),
        ..Subject::default()
    };
    for extension in request.requested_extensions().into_iter().flatten() {
        let ParsedExtension::SubjectAlternativeName(names) = extension else { continue };
        for name in &names.general_names {
            match name {
                GeneralName::DNSName(_) => subject.dns_names = true,
                GeneralName::IPAddress(_) => subject.addresses = true,
                GeneralName::RFC822Name(_) => subject.emails = true,
                GeneralName::URI(_) => subject.uris = true,
                _ => {}
            }
        }
    }
    Some(subject)
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
    let mut rest = der;
    while !rest.is_empty() {
        (rest, _) = X509Certificate::from_der(rest).map_err(|_| Fault::Borrowed("x509: malformed certificate"))?;
    }
    Ok(())
}

fn request_der(text: &[u8]) -> Result<Vec<u8>, Fault> {
    match first_block(text) {
        Some((block, _)) if block.label == "CERTIFICATE REQUEST" => Ok(block.bytes),
        _ => Err("PEM block type must be CERTIFICATE REQUEST".into()),
    }
}

fn parse_request(der: &[u8]) -> Result<X509CertificationRequest<'_>, Fault> {
    match X509CertificationRequest::from_der(der) {
        Ok(([], request)) => Ok(request),
        Ok(_) => Err("asn1: syntax error: trailing data".into()),
        Err(nom::Err::Incomplete(_)) => Err("asn1: syntax error: data truncated".into()),
        Err(nom::Err::Error(error) | nom::Err::Failure(error)) => Err(format!("asn1: structure error: {error}").into()),
    }
}
