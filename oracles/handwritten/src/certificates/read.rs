//! What certificate requests and certificates consist of, in DER.

use der::asn1::{AnyRef, BitStringRef, GeneralizedTime, IntRef, ObjectIdentifier, OctetStringRef, UtcTime};
use der::{Decode as _, ErrorKind, Reader, SliceReader, Tag, TagNumber, Tagged as _};
use spki::{AlgorithmIdentifierRef, SubjectPublicKeyInfoRef};
use std::net::{Ipv4Addr, Ipv6Addr};

const EXTENSION_REQUEST: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.113549.1.9.14");
const ALTERNATIVE_NAMES: ObjectIdentifier = ObjectIdentifier::new_unwrap("2.5.29.17");

/// Choices of general names (RFC 5280, section 4.2.1.6).
pub(super) const EMAIL: TagNumber = TagNumber(1);
pub(super) const DNS_NAME: TagNumber = TagNumber(2);
pub(super) const URI: TagNumber = TagNumber(6);
pub(super) const ADDRESS: TagNumber = TagNumber(7);

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
    /// The attributes of the subject.
    pub(super) subject: Vec<(ObjectIdentifier, AnyRef<'d>)>,
    /// The names that its extensions ask for: number of their choice, and content.
    pub(super) alternatives: Vec<(TagNumber, &'d [u8])>,
}

/// Reads a request that is all of `der`.
pub(super) fn read_request(der: &[u8]) -> der::Result<Request<'_>> {
    let mut reader = SliceReader::new(der)?;
    let request = request(&mut reader)?;
    reader.finish()?;
    Ok(request)
}

/// Reads certificates, one behind the other.
pub(super) fn read_certificates(der: &[u8]) -> der::Result<()> {
    let mut reader = SliceReader::new(der)?;
    while !reader.is_finished() {
        certificate(&mut reader)?;
    }
    Ok(())
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
