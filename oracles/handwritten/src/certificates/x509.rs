//! Certificate requests (PKCS#10) and certificates (X.509).

use super::pem::first_block;
use super::signature::{Fault, check_signature};
use der::asn1::{AnyRef, BitStringRef, GeneralizedTime, IntRef, ObjectIdentifier, OctetStringRef, UtcTime};
use der::{Decode as _, ErrorKind, Reader, SliceReader, Tag, TagNumber, Tagged as _};
use spki::{AlgorithmIdentifierRef, SubjectPublicKeyInfoRef};
use std::net::{Ipv4Addr, Ipv6Addr};

const COMMON_NAME: ObjectIdentifier = ObjectIdentifier::new_unwrap("2.5.4.3");
const ORGANIZATION: ObjectIdentifier = ObjectIdentifier::new_unwrap("2.5.4.10");
const EXTENSION_REQUEST: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.113549.1.9.14");
const ALTERNATIVE_NAMES: ObjectIdentifier = ObjectIdentifier::new_unwrap("2.5.29.17");

/// A certificate request (RFC 2986, section 4.2), as far as it is judged.
pub(super) struct Request<'d> {
    /// What is signed.
    pub(super) signed: &'d [u8],
    /// The key that is to be certified, and that signs.
    pub(super) key: SubjectPublicKeyInfoRef<'d>,
    /// How it is signed.
    pub(super) algorithm: AlgorithmIdentifierRef<'d>,
    /// The signature.
    pub(super) signature: &'d [u8],
    subject: Vec<(ObjectIdentifier, AnyRef<'d>)>,
    /// The names that its extensions ask for: number of their choice, and content.
    alternatives: Vec<(TagNumber, &'d [u8])>,
}

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
        request.subject.iter().filter(move |(attribute, _)| *attribute == of).map(|(_, value)| text_of(*value))
    };
    let has = |choice: TagNumber| request.alternatives.iter().any(|(of, _)| *of == choice);
    Some(Subject {
        organizations: texts(ORGANIZATION).collect(),
        common_name: texts(COMMON_NAME).last().unwrap_or_default(),
        emails: has(EMAIL),
        dns_names: has(DNS_NAME),
        uris: has(URI),
        addresses: has(ADDRESS),
    })
}

/// Choices of general names (RFC 5280, section 4.2.1.6).
const EMAIL: TagNumber = TagNumber(1);
const DNS_NAME: TagNumber = TagNumber(2);
const URI: TagNumber = TagNumber(6);
const ADDRESS: TagNumber = TagNumber(7);

/// The text of an attribute; empty when it is none.
fn text_of(value: AnyRef<'_>) -> String {
    match value.tag() {
        Tag::Utf8String | Tag::PrintableString | Tag::Ia5String | Tag::NumericString => {
            String::from_utf8(value.value().to_vec()).unwrap_or_default()
        }
        _ => String::new(),
    }
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
    let all = SliceReader::new(der).and_then(|mut certificates| {
        while !certificates.is_finished() {
            certificate(&mut certificates)?;
        }
        Ok(())
    });
    all.map_err(|_| Fault::Borrowed("x509: malformed certificate"))
}

/// Reads a certificate (RFC 5280, section 4.1).
fn certificate<'d>(reader: &mut SliceReader<'d>) -> der::Result<()> {
    reader.sequence(|certificate| {
        let signed_by = certificate.sequence(|signed| {
            let version = AnyRef::decode_optional(signed, TagNumber(0))?;
            if let Some(version) = version
                && u8::from_der(version.value())? > 2
            {
                return Err(ErrorKind::Value { tag: Tag::Integer }.into());
            }
            signed.decode::<IntRef<'d>>()?;
            let algorithm: AlgorithmIdentifierRef<'d> = signed.decode()?;
            name(signed)?;
            signed.sequence(|validity| time(validity).and_then(|()| time(validity)))?;
            name(signed)?;
            signed.decode::<SubjectPublicKeyInfoRef<'d>>()?;
            AnyRef::decode_optional(signed, TagNumber(1))?;
            AnyRef::decode_optional(signed, TagNumber(2))?;
            if let Some(extensions) = AnyRef::decode_optional(signed, TagNumber(3))? {
                let mut reader = SliceReader::new(extensions.value())?;
                extension_list(&mut reader)?;
                reader.finish()?;
            }
            Ok::<_, der::Error>(algorithm)
        })?;
        let algorithm: AlgorithmIdentifierRef<'d> = certificate.decode()?;
        certificate.decode::<BitStringRef<'d>>()?;
        if signed_by == algorithm { Ok(()) } else { Err(ErrorKind::Failed.into()) }
    })
}

/// Reads what may follow.
trait DecodeOptional<'d>: Sized {
    /// What has the context-specific tag of this number, if that comes next.
    fn decode_optional(reader: &mut SliceReader<'d>, number: TagNumber) -> der::Result<Option<Self>>;
}

impl<'d> DecodeOptional<'d> for AnyRef<'d> {
    fn decode_optional(reader: &mut SliceReader<'d>, wanted: TagNumber) -> der::Result<Option<Self>> {
        if reader.is_finished() {
            return Ok(None);
        }
        match Tag::peek(reader)? {
            Tag::ContextSpecific { number, .. } if number == wanted => reader.decode().map(Some),
            _ => Ok(None),
        }
    }
}

fn time(reader: &mut SliceReader<'_>) -> der::Result<()> {
    match Tag::peek(reader)? {
        Tag::UtcTime => reader.decode::<UtcTime>().map(drop),
        _ => reader.decode::<GeneralizedTime>().map(drop),
    }
}

/// Reads a distinguished name: its attributes with their values.
fn name<'d>(reader: &mut SliceReader<'d>) -> der::Result<Vec<(ObjectIdentifier, AnyRef<'d>)>> {
    let mut attributes = Vec::new();
    reader.sequence(|parts| {
        while !parts.is_finished() {
            let mut part = set(parts)?;
            while !part.is_finished() {
                attributes.push(part.sequence(|pair| Ok::<_, der::Error>((pair.decode()?, pair.decode()?)))?);
            }
        }
        Ok::<_, der::Error>(())
    })?;
    Ok(attributes)
}

/// Reads a set: its content is yet to be read.
fn set<'d>(reader: &mut SliceReader<'d>) -> der::Result<SliceReader<'d>> {
    let set: AnyRef<'d> = reader.decode()?;
    set.tag().assert_eq(Tag::Set)?;
    SliceReader::new(set.value())
}

/// Reads extensions: their names and contents.
fn extension_list<'d>(reader: &mut SliceReader<'d>) -> der::Result<Vec<(ObjectIdentifier, &'d [u8])>> {
    let mut extensions = Vec::new();
    reader.sequence(|list| {
        while !list.is_finished() {
            extensions.push(list.sequence(|extension| {
                let name = extension.decode()?;
                if Tag::peek(extension)? == Tag::Boolean {
                    extension.decode::<bool>()?;
                }
                let content: &OctetStringRef = extension.decode()?;
                Ok::<_, der::Error>((name, content.as_bytes()))
            })?);
        }
        Ok::<_, der::Error>(())
    })?;
    Ok(extensions)
}

fn request_der(text: &[u8]) -> Result<Vec<u8>, Fault> {
    match first_block(text) {
        Some((block, _)) if block.label == "CERTIFICATE REQUEST" => Ok(block.bytes),
        _ => Err("PEM block type must be CERTIFICATE REQUEST".into()),
    }
}

fn parse_request(der: &[u8]) -> Result<Request<'_>, Fault> {
    let mut reader = SliceReader::new(der).map_err(|error| fault(&error))?;
    let request = request(&mut reader).map_err(|error| fault(&error))?;
    reader.finish().map_err(|error| fault(&error))?;
    Ok(request)
}

fn fault(error: &der::Error) -> Fault {
    match error.kind() {
        ErrorKind::TrailingData { .. } => "asn1: syntax error: trailing data".into(),
        ErrorKind::Incomplete { .. } => "asn1: syntax error: data truncated".into(),
        _ => format!("asn1: structure error: {error}").into(),
    }
}

fn request<'d>(reader: &mut SliceReader<'d>) -> der::Result<Request<'d>> {
    reader.sequence(|request| {
        let signed = request.tlv_bytes()?;
        let (algorithm, signature) = (request.decode()?, request.decode::<BitStringRef<'d>>()?);
        let signature = signature.as_bytes().ok_or(ErrorKind::Value { tag: Tag::BitString })?;
        SliceReader::new(signed)?.sequence(|info| {
            info.decode::<IntRef<'d>>()?;
            let (subject, key) = (name(info)?, info.decode()?);
            let mut alternatives = Vec::new();
            if let Some(attributes) = AnyRef::decode_optional(info, TagNumber(0))? {
                let mut attributes = SliceReader::new(attributes.value())?;
                while !attributes.is_finished() {
                    alternatives.extend(alternatives_of(&mut attributes)?);
                }
            }
            Ok(Request { signed, key, algorithm, signature, subject, alternatives })
        })
    })
}

/// Reads an attribute of a request: the alternative names, if it asks for extensions.
fn alternatives_of<'d>(reader: &mut SliceReader<'d>) -> der::Result<Vec<(TagNumber, &'d [u8])>> {
    let (attribute, mut values) =
        reader.sequence(|attribute| Ok::<_, der::Error>((attribute.decode::<ObjectIdentifier>()?, set(attribute)?)))?;
    let mut alternatives = Vec::new();
    if attribute != EXTENSION_REQUEST || values.is_finished() {
        return Ok(alternatives);
    }
    for (extension, content) in extension_list(&mut values)? {
        if extension != ALTERNATIVE_NAMES {
            continue;
        }
        let mut reader = SliceReader::new(content)?;
        reader.sequence(|names| {
            while !names.is_finished() {
                let name: AnyRef<'d> = names.decode()?;
                if let Tag::ContextSpecific { number, .. } = name.tag() {
                    if !is_name(number, name.value()) {
                        return Err(ErrorKind::Value { tag: name.tag() }.into());
                    }
                    alternatives.push((number, name.value()));
                }
            }
            Ok::<_, der::Error>(())
        })?;
        reader.finish()?;
    }
    Ok(alternatives)
}

/// Whether a general name has the form that Go demands: texts of ASCII, addresses of either length.
fn is_name(choice: TagNumber, content: &[u8]) -> bool {
    match choice {
        EMAIL | DNS_NAME | URI => content.is_ascii(),
        ADDRESS => [Ipv4Addr::BITS, Ipv6Addr::BITS].contains(&(content.len() as u32 * 8)),
        _ => true,
    }
}
