//! What certificate requests and certificates consist of, in DER, as leniently and as strictly as Go's `crypto/x509` reads them: extra
//! elements at the end of a sequence are passed over, unknown attributes too.

use der::asn1::ObjectIdentifier;
use der::{Decode as _, Error, ErrorKind, Length, Reader as _, Result, SliceReader};
use jiff::civil::Date;
use std::collections::BTreeSet;
use std::net::{Ipv4Addr, Ipv6Addr};

const EXTENSION_REQUEST: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.113549.1.9.14");
const ALTERNATIVE_NAMES: ObjectIdentifier = ObjectIdentifier::new_unwrap("2.5.29.17");

/// Identifier octets (X.690, section 8.1.2).
mod tag {
    pub(super) const BOOLEAN: u8 = 1;
    pub(super) const INTEGER: u8 = 2;
    pub(super) const BIT_STRING: u8 = 3;
    pub(super) const OCTET_STRING: u8 = 4;
    pub(super) const IDENTIFIER: u8 = 6;
    pub(super) const UTF8_STRING: u8 = 12;
    pub(super) const NUMERIC_STRING: u8 = 18;
    pub(super) const PRINTABLE_STRING: u8 = 19;
    pub(super) const T61_STRING: u8 = 20;
    pub(super) const IA5_STRING: u8 = 22;
    pub(super) const UTC_TIME: u8 = 23;
    pub(super) const GENERALIZED_TIME: u8 = 24;
    pub(super) const BMP_STRING: u8 = 30;
    pub(super) const SEQUENCE: u8 = 0x30;
    pub(super) const SET: u8 = 0x31;

    /// A tag of the context, of one value.
    pub(super) const fn of_context(number: u8) -> u8 {
        0x80 | number
    }

    /// A tag of the context around other elements.
    pub(super) const fn around(number: u8) -> u8 {
        0xa0 | number
    }
}

/// Choices of general names (RFC 5280, section 4.2.1.6), by their tags.
pub(super) const EMAIL: u8 = tag::of_context(1);
pub(super) const DNS_NAME: u8 = tag::of_context(2);
pub(super) const URI: u8 = tag::of_context(6);
pub(super) const ADDRESS: u8 = tag::of_context(7);

/// An element: its identifier octet and its content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Element<'d> {
    tag: u8,
    content: &'d [u8],
}

impl<'d> Element<'d> {
    fn next(reader: &mut SliceReader<'d>) -> Result<Self> {
        let tag = reader.read_byte()?;
        // None of the forms that are read has a tag of several octets.
        if tag & 0x1f == 0x1f {
            return Err(ErrorKind::TagNumberInvalid.into());
        }
        let length = Length::decode(reader)?;
        Ok(Self { tag, content: reader.read_slice(length)? })
    }

    /// The next element if it has this tag.
    fn next_if(reader: &mut SliceReader<'d>, tag: u8) -> Result<Option<Self>> {
        if reader.peek_byte() == Some(tag) { Self::next(reader).map(Some) } else { Ok(None) }
    }

    /// The content of the next element, which must have this tag.
    fn content(reader: &mut SliceReader<'d>, tag: u8) -> Result<&'d [u8]> {
        let element = Self::next(reader)?;
        if element.tag == tag { Ok(element.content) } else { Err(wrong()) }
    }

    /// The elements in the next one, which must have this tag.
    fn within(reader: &mut SliceReader<'d>, tag: u8) -> Result<SliceReader<'d>> {
        SliceReader::new(Self::content(reader, tag)?)
    }

    /// Whether it is NULL.
    pub(super) fn is_null(&self) -> bool {
        self.tag == 5
    }

    /// The elements in it, if it is a sequence.
    pub(super) fn sequence(&self) -> Result<SliceReader<'d>> {
        if self.tag == tag::SEQUENCE { SliceReader::new(self.content) } else { Err(wrong()) }
    }

    /// The object identifier that it is.
    pub(super) fn identifier(&self) -> Result<ObjectIdentifier> {
        if self.tag == tag::IDENTIFIER { Ok(ObjectIdentifier::from_bytes(self.content)?) } else { Err(wrong()) }
    }

    /// What it holds of another form, behind the tag of this number around it.
    fn explicit(reader: &mut SliceReader<'d>, number: u8) -> Result<Option<Self>> {
        match Self::next_if(reader, tag::around(number))? {
            Some(around) => Self::next(&mut SliceReader::new(around.content)?).map(Some),
            None => Ok(None),
        }
    }

    /// The small number that it is.
    fn number(&self) -> Result<u32> {
        match (self.tag, self.content) {
            (tag::INTEGER, [first, ..]) if *first < 0x80 && self.content.len() <= 4 => {
                Ok(self.content.iter().fold(0, |number, byte| number << 8 | u32::from(*byte)))
            }
            _ => Err(wrong()),
        }
    }

    /// The text that it is; none when it is of another form.
    ///
    /// # Errors
    /// Returns an error for a text with characters that its form does not have.
    fn text(&self) -> Result<Option<String>> {
        let is_good = match self.tag {
            tag::UTF8_STRING | tag::T61_STRING => true,
            tag::NUMERIC_STRING => self.content.iter().all(|byte| byte.is_ascii_digit() || *byte == b' '),
            // Go takes `*` and `&` too, which certificates do have.
            tag::PRINTABLE_STRING => {
                self.content.iter().all(|byte| byte.is_ascii_alphanumeric() || b" '()+,-./:=?*&".contains(byte))
            }
            tag::IA5_STRING => self.content.is_ascii(),
            tag::BMP_STRING => self.content.len().is_multiple_of(2),
            _ => return Ok(None),
        };
        if !is_good {
            return Err(wrong());
        }
        Ok(Some(match self.tag {
            tag::T61_STRING => String::from_utf8_lossy(self.content).into_owned(),
            tag::BMP_STRING => {
                let (pairs, _) = self.content.as_chunks();
                let units: Vec<u16> = pairs.iter().map(|pair| u16::from_be_bytes(*pair)).collect();
                String::from_utf16_lossy(units.strip_suffix(&[0]).unwrap_or(&units))
            }
            _ => std::str::from_utf8(self.content).map_err(|_| wrong())?.to_owned(),
        }))
    }
}

/// An element is of another form than it should be.
fn wrong() -> Error {
    ErrorKind::Failed.into()
}

/// An algorithm (RFC 5280, section 4.1.1.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Algorithm<'d> {
    pub(super) oid: ObjectIdentifier,
    pub(super) parameters: Option<Element<'d>>,
}

impl<'d> Algorithm<'d> {
    pub(super) fn read(reader: &mut SliceReader<'d>) -> Result<Self> {
        Self::of(SliceReader::new(Element::content(reader, tag::SEQUENCE)?)?)
    }

    /// The algorithm of these elements.
    pub(super) fn of(mut within: SliceReader<'d>) -> Result<Self> {
        let oid = Element::next(&mut within)?.identifier()?;
        let parameters = if within.is_finished() { None } else { Some(Element::next(&mut within)?) };
        Ok(Self { oid, parameters })
    }
}

/// The parameters of a PSS signature (RFC 4055, section 3.1).
pub(super) struct Pss<'d> {
    pub(super) hash: Algorithm<'d>,
    pub(super) generator: Algorithm<'d>,
    pub(super) salt: u32,
    pub(super) trailer: u32,
}

impl<'d> Pss<'d> {
    /// Reads the parameters; hash and generator are required.
    pub(super) fn read(parameters: Element<'d>) -> Result<Self> {
        let mut within = parameters.sequence()?;
        let mut algorithm = |number| match Element::explicit(&mut within, number)? {
            Some(element) => Algorithm::of(element.sequence()?),
            None => Err(wrong()),
        };
        let (hash, generator) = (algorithm(0)?, algorithm(1)?);
        let mut number =
            |of, default| Element::explicit(&mut within, of)?.map_or(Ok(default), |element| element.number());
        Ok(Self { hash, generator, salt: number(2, 20)?, trailer: number(3, 1)? })
    }
}

/// A public key (RFC 5280, section 4.1.2.7).
pub(super) struct PublicKey<'d> {
    pub(super) algorithm: Algorithm<'d>,
    pub(super) key: &'d [u8],
}

impl<'d> PublicKey<'d> {
    fn read(reader: &mut SliceReader<'d>) -> Result<Self> {
        let mut within = Element::within(reader, tag::SEQUENCE)?;
        Ok(Self { algorithm: Algorithm::read(&mut within)?, key: bits(&mut within)? })
    }
}

/// The two numbers of an RSA key, as they stand there: most significant digits first, the first bit a sign.
pub(super) fn read_rsa_key(key: &[u8]) -> Result<[&[u8]; 2]> {
    let mut reader = SliceReader::new(key)?;
    let mut within = Element::within(&mut reader, tag::SEQUENCE)?;
    let numbers = [integer(&mut within)?, integer(&mut within)?];
    reader.finish()?;
    Ok(numbers)
}

/// The bytes of a string of bits.
fn bits<'d>(reader: &mut SliceReader<'d>) -> Result<&'d [u8]> {
    match Element::content(reader, tag::BIT_STRING)?.split_first() {
        Some((unused, bytes)) if *unused < 8 && (*unused == 0 || !bytes.is_empty()) => Ok(bytes),
        _ => Err(wrong()),
    }
}

/// Reads the bytes of a whole number; an encoding longer than the shortest is an error.
fn integer<'d>(reader: &mut SliceReader<'d>) -> Result<&'d [u8]> {
    match Element::content(reader, tag::INTEGER)? {
        [] | [0, 0..=0x7f, ..] | [0xff, 0x80..=0xff, ..] => Err(wrong()),
        number => Ok(number),
    }
}

/// A certificate request (RFC 2986, section 4.2), as far as it is judged.
pub(super) struct Request<'d> {
    /// What is signed.
    pub(super) signed: &'d [u8],
    /// The key that is to be certified, and that signs.
    pub(super) key: PublicKey<'d>,
    /// How it is signed.
    pub(super) algorithm: Algorithm<'d>,
    /// The signature.
    pub(super) signature: &'d [u8],
    /// The attributes of the subject that are texts.
    pub(super) subject: Vec<(ObjectIdentifier, String)>,
    /// The choices of the alternative names that its extensions ask for.
    pub(super) alternatives: BTreeSet<u8>,
}

/// Reads a request that is all of `der`.
pub(super) fn read_request(der: &[u8]) -> Result<Request<'_>> {
    let mut reader = SliceReader::new(der)?;
    let mut request = Element::within(&mut reader, tag::SEQUENCE)?;
    reader.finish()?;
    let signed = request.tlv_bytes()?;
    let (algorithm, signature) = (Algorithm::read(&mut request)?, bits(&mut request)?);
    let mut info = Element::within(&mut SliceReader::new(signed)?, tag::SEQUENCE)?;
    integer(&mut info)?;
    let (subject, key) = (name(&mut info)?, PublicKey::read(&mut info)?);
    let mut attributes = Element::within(&mut info, tag::around(0))?;
    let mut alternatives = BTreeSet::new();
    let mut known = BTreeSet::new();
    while !attributes.is_finished() {
        // What is no attribute at all is passed over.
        let Ok(Some(mut requested)) = extension_request(Element::next(&mut attributes)?) else { continue };
        for (extension, content) in extensions(&mut requested, &mut known)? {
            if extension == ALTERNATIVE_NAMES {
                alternatives.extend(choices(content)?);
            }
        }
    }
    Ok(Request { signed, key, algorithm, signature, subject, alternatives })
}

/// The extensions that an attribute of a request asks for, yet to be read.
fn extension_request(attribute: Element<'_>) -> Result<Option<SliceReader<'_>>> {
    let mut within = attribute.sequence()?;
    let oid = Element::next(&mut within)?.identifier()?;
    let values = Element::within(&mut within, tag::SET)?;
    Ok((oid == EXTENSION_REQUEST && !values.is_finished()).then_some(values))
}

/// Reads extensions: their names and contents. None may be among those that are known.
fn extensions<'d>(
    reader: &mut SliceReader<'d>,
    known: &mut BTreeSet<ObjectIdentifier>,
) -> Result<Vec<(ObjectIdentifier, &'d [u8])>> {
    let mut list = Element::within(reader, tag::SEQUENCE)?;
    let mut extensions = Vec::new();
    while !list.is_finished() {
        let mut extension = Element::within(&mut list, tag::SEQUENCE)?;
        let oid = Element::next(&mut extension)?.identifier()?;
        if let Some(critical) = Element::next_if(&mut extension, tag::BOOLEAN)?
            && !matches!(critical.content, [0 | 0xff])
        {
            return Err(wrong());
        }
        extensions.push((oid, Element::content(&mut extension, tag::OCTET_STRING)?));
        if !known.insert(oid) {
            return Err(wrong());
        }
    }
    Ok(extensions)
}

/// Which choices alternative names are of. Texts must be ASCII, and addresses of either length.
fn choices(content: &[u8]) -> Result<BTreeSet<u8>> {
    let mut names = Element::within(&mut SliceReader::new(content)?, tag::SEQUENCE)?;
    let mut choices = BTreeSet::new();
    while !names.is_finished() {
        let name = Element::next(&mut names)?;
        let is_good = match name.tag {
            EMAIL | DNS_NAME | URI => name.content.is_ascii(),
            ADDRESS => [Ipv4Addr::BITS, Ipv6Addr::BITS].map(|bits| bits as usize / 8).contains(&name.content.len()),
            _ => continue,
        };
        if !is_good {
            return Err(wrong());
        }
        choices.insert(name.tag);
    }
    Ok(choices)
}

/// Reads a distinguished name: its attributes that are texts.
fn name(reader: &mut SliceReader<'_>) -> Result<Vec<(ObjectIdentifier, String)>> {
    let mut parts = Element::within(reader, tag::SEQUENCE)?;
    let mut attributes = Vec::new();
    while !parts.is_finished() {
        let mut part = Element::within(&mut parts, tag::SET)?;
        while !part.is_finished() {
            let mut attribute = Element::within(&mut part, tag::SEQUENCE)?;
            let oid = Element::next(&mut attribute)?.identifier()?;
            attributes.extend(Element::next(&mut attribute)?.text()?.map(|text| (oid, text)));
        }
    }
    Ok(attributes)
}

/// Reads certificates (RFC 5280, section 4.1), one behind the other.
pub(super) fn read_certificates(der: &[u8]) -> Result<()> {
    let mut reader = SliceReader::new(der)?;
    while !reader.is_finished() {
        certificate(&mut reader)?;
    }
    Ok(())
}

fn certificate(reader: &mut SliceReader<'_>) -> Result<()> {
    let mut certificate = Element::within(reader, tag::SEQUENCE)?;
    let mut signed = Element::within(&mut certificate, tag::SEQUENCE)?;
    let version = Element::explicit(&mut signed, 0)?.map_or(Ok(0), |version| version.number())?;
    let serial = integer(&mut signed)?;
    if version > 2 || serial.first().is_some_and(|first| *first >= 0x80) {
        return Err(wrong());
    }
    let signed_by = Algorithm::read(&mut signed)?;
    name(&mut signed)?;
    let mut validity = Element::within(&mut signed, tag::SEQUENCE)?;
    time(&mut validity)?;
    time(&mut validity)?;
    name(&mut signed)?;
    PublicKey::read(&mut signed)?;
    if version > 0 {
        // Unique identifiers of issuer and subject.
        Element::next_if(&mut signed, tag::of_context(1))?;
        Element::next_if(&mut signed, tag::of_context(2))?;
    }
    if version == 2
        && let Some(list) = Element::next_if(&mut signed, tag::around(3))?
    {
        extensions(&mut SliceReader::new(list.content)?, &mut BTreeSet::new())?;
    }
    if Algorithm::read(&mut certificate)? != signed_by {
        return Err(wrong());
    }
    bits(&mut certificate).map(drop)
}

/// Reads a time: year, month, day, hour, minute, second, each of two digits (the year of a generalised time has four), and `Z` or an
/// offset that is not zero. A UTC time may do without seconds.
fn time(reader: &mut SliceReader<'_>) -> Result<()> {
    let time = Element::next(reader)?;
    let digits = time.content.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let (number, zone) = time.content.split_at_checked(digits).ok_or_else(wrong)?;
    let (century, pairs) = match (time.tag, digits) {
        (tag::UTC_TIME, 10 | 12) => (None, number),
        (tag::GENERALIZED_TIME, 14) => {
            number.split_at_checked(2).map(|(century, rest)| (Some(century), rest)).ok_or_else(wrong)?
        }
        _ => return Err(wrong()),
    };
    let two = |digits: &[u8; 2]| digits.iter().fold(0_i16, |number, digit| number * 10 + i16::from(digit - b'0'));
    let parts: Vec<i16> = pairs.as_chunks().0.iter().map(two).collect();
    let [year, month, day, hour, minute, ref second @ ..] = *parts.as_slice() else { return Err(wrong()) };
    let century = match century.and_then(|century| century.first_chunk()) {
        Some(century) => two(century),
        // As Go has it.
        None if year >= 69 => 19,
        None => 20,
    };
    let small = |number: i16| i8::try_from(number).unwrap_or(i8::MAX);
    let is_day = Date::new(century * 100 + year, small(month), small(day)).is_ok();
    let is_time = hour < 24 && minute < 60 && second.iter().all(|second| *second < 60);
    let is_zone = match *zone {
        [b'Z'] => true,
        [b'+' | b'-', ref offset @ ..] => match <[u8; 4]>::try_from(offset) {
            Ok(offset) if offset.iter().all(u8::is_ascii_digit) => {
                let [hours, minutes] = [[offset[0], offset[1]], [offset[2], offset[3]]].map(|digits| two(&digits));
                hours <= 24 && minutes < 60 && (hours, minutes) != (0, 0)
            }
            _ => false,
        },
        _ => false,
    };
    if is_day && is_time && is_zone { Ok(()) } else { Err(wrong()) }
}

#[cfg(test)]
mod tests {
    use super::{ADDRESS, DNS_NAME, EMAIL, Request, URI, read_certificates, read_request, tag};
    use std::collections::BTreeSet;

    /// An element of less than 64 KiB.
    fn element(tag: u8, content: &[u8]) -> Vec<u8> {
        let mut all = vec![tag];
        match content.len() {
            short @ 0..0x80 => all.push(short as u8),
            long @ 0x80..0x100 => all.extend([0x81, long as u8]),
            long => all.extend([0x82, (long >> 8) as u8, long as u8]),
        }
        all.extend(content);
        all
    }

    fn sequence(parts: &[Vec<u8>]) -> Vec<u8> {
        element(tag::SEQUENCE, &parts.concat())
    }

    const COMMON_NAME: [u8; 3] = [0x55, 4, 3];
    const ED25519: [u8; 3] = [0x2b, 0x65, 0x70];
    const EXTENSION_REQUEST: [u8; 9] = [0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 1, 9, 14];

    fn oid(content: &[u8]) -> Vec<u8> {
        element(tag::IDENTIFIER, content)
    }

    fn algorithm() -> Vec<u8> {
        sequence(&[oid(&ED25519)])
    }

    fn bits() -> Vec<u8> {
        element(tag::BIT_STRING, &[&[0][..], &[7; 32]].concat())
    }

    fn name(value: Vec<u8>) -> Vec<u8> {
        sequence(&[element(tag::SET, &sequence(&[oid(&COMMON_NAME), value]))])
    }

    fn plain() -> Vec<u8> {
        name(element(tag::UTF8_STRING, b"x"))
    }

    /// An extension with the alternative names.
    fn alternatives(names: &[Vec<u8>]) -> Vec<u8> {
        sequence(&[oid(&[0x55, 0x1d, 0x11]), element(tag::OCTET_STRING, &sequence(names))])
    }

    fn requesting(extensions: &[Vec<u8>]) -> Vec<u8> {
        sequence(&[oid(&EXTENSION_REQUEST), element(tag::SET, &sequence(extensions))])
    }

    fn request(subject: Vec<u8>, rest: &[Vec<u8>]) -> Vec<u8> {
        let key = sequence(&[algorithm(), bits()]);
        let info = [&[element(tag::INTEGER, &[0]), subject, key][..], rest].concat();
        sequence(&[sequence(&info), algorithm(), bits()])
    }

    fn asking(attributes: &[Vec<u8>]) -> Vec<u8> {
        request(plain(), &[element(tag::around(0), &attributes.concat())])
    }

    fn choices(attributes: &[Vec<u8>]) -> Option<BTreeSet<u8>> {
        read_request(&asking(attributes)).ok().map(|Request { alternatives, .. }| alternatives)
    }

    #[test]
    fn alternative_names_are_found_by_their_choice() {
        let names = [(EMAIL, &b"a@b"[..]), (DNS_NAME, b"a.b"), (URI, b"a:b"), (ADDRESS, &[10, 0, 0, 1])];
        for (choice, content) in names {
            let asked = requesting(&[alternatives(&[element(choice, content)])]);
            assert_eq!(choices(&[asked]), Some(BTreeSet::from([choice])));
        }
        let dns = || alternatives(&[element(DNS_NAME, b"a.b")]);
        assert_eq!(choices(&[]), Some(BTreeSet::new()));
        assert_eq!(
            choices(&[requesting(&[alternatives(&[element(0xa2, b"")])])]),
            Some(BTreeSet::new()),
            "constructed"
        );
        assert_eq!(choices(&[requesting(&[dns(), dns()])]), None, "an extension twice");
        assert_eq!(choices(&[requesting(&[alternatives(&[element(ADDRESS, &[1; 5])])])]), None, "no address");
        assert_eq!(choices(&[requesting(&[alternatives(&[element(DNS_NAME, "ä".as_bytes())])])]), None, "no ASCII");
        let odd = [element(tag::OCTET_STRING, b"x"), sequence(&[oid(&COMMON_NAME), element(tag::OCTET_STRING, b"")])];
        assert_eq!(
            choices(&[&odd[..], &[requesting(&[dns()])]].concat()),
            Some(BTreeSet::from([DNS_NAME])),
            "passed over"
        );
    }

    #[test]
    fn requests_are_read_as_go_reads_them() {
        let none = || element(tag::around(0), &[]);
        let reads = |der: &[u8]| read_request(der).is_ok();
        assert!(reads(&asking(&[])));
        assert!(!reads(&request(plain(), &[])), "attributes must be there");
        assert!(!reads(&request(plain(), &[element(tag::of_context(0), &[])])), "constructed");
        assert!(reads(&request(plain(), &[none(), element(tag::INTEGER, &[1])])), "more at the end of a sequence");
        assert!(!reads(&[asking(&[]), vec![0]].concat()), "more at the end of all");
        let texts = |value: Vec<u8>| {
            read_request(&request(name(value), &[none()]))
                .ok()
                .map(|request| request.subject.into_iter().map(|(_, text)| text).collect::<Vec<_>>())
        };
        let text = |text: &str| Some(vec![text.to_owned()]);
        assert_eq!(texts(element(tag::UTF8_STRING, "ä".as_bytes())), text("ä"));
        assert_eq!(texts(element(tag::UTF8_STRING, &[0xff])), None);
        assert_eq!(texts(element(tag::PRINTABLE_STRING, b"a*&")), text("a*&"));
        assert_eq!(texts(element(tag::PRINTABLE_STRING, b"a@")), None);
        assert_eq!(texts(element(tag::IA5_STRING, b"a@")), text("a@"));
        assert_eq!(texts(element(tag::BMP_STRING, &[0, 0x61, 0, 0])), text("a"));
        assert_eq!(texts(element(tag::BMP_STRING, &[0])), None);
        assert_eq!(
            texts(element(28, &[0, 0, 0, 0x61])),
            Some(Vec::new()),
            "a universal string, which Go does not read"
        );
    }

    /// A certificate of this version that begins at `from`.
    fn certificate(version: u8, serial: &[u8], from: Vec<u8>, rest: &[Vec<u8>], outer: Vec<u8>) -> Vec<u8> {
        let until = element(tag::GENERALIZED_TIME, b"20500101000000Z");
        let version = element(tag::around(0), &element(tag::INTEGER, &[version]));
        let key = sequence(&[algorithm(), bits()]);
        let parts =
            [version, element(tag::INTEGER, serial), algorithm(), plain(), sequence(&[from, until]), plain(), key];
        sequence(&[sequence(&[&parts[..], rest].concat()), outer, bits()])
    }

    fn utc(text: &str) -> Vec<u8> {
        element(tag::UTC_TIME, text.as_bytes())
    }

    #[test]
    fn certificates_are_read_as_go_reads_them() {
        let now = || utc("260101000000Z");
        let reads = |der: Vec<u8>| read_certificates(&der).is_ok();
        assert!(reads(certificate(2, &[1], now(), &[], algorithm())));
        assert!(reads(
            [certificate(0, &[1], now(), &[], algorithm()), certificate(1, &[1], now(), &[], algorithm())].concat()
        ));
        assert!(!reads(certificate(3, &[1], now(), &[], algorithm())), "there is no fourth version");
        assert!(!reads(certificate(2, &[0x80], now(), &[], algorithm())), "a negative serial number");
        assert!(
            !reads(certificate(2, &[0, 1], now(), &[], algorithm())),
            "a serial number that is not in its shortest encoding"
        );
        let other = sequence(&[oid(&[0x2b, 0x65, 0x71])]);
        assert!(!reads(certificate(2, &[1], now(), &[], other)), "signed by another algorithm than it says");
        let extensions = |list: &[Vec<u8>]| element(tag::around(3), &sequence(list));
        let dns = || alternatives(&[element(DNS_NAME, b"a.b")]);
        assert!(reads(certificate(2, &[1], now(), &[extensions(&[dns()])], algorithm())));
        assert!(!reads(certificate(2, &[1], now(), &[extensions(&[dns(), dns()])], algorithm())), "an extension twice");
        let mut cut = certificate(2, &[1], now(), &[], algorithm());
        cut.pop();
        assert!(!reads(cut));
    }

    #[test]
    fn times_are_read_as_go_reads_them() {
        let reads = |time: Vec<u8>| read_certificates(&certificate(2, &[1], time, &[], algorithm())).is_ok();
        for good in
            ["260101000000Z", "2601010000Z", "500101000000Z", "260101000000+0100", "2601010000-0730", "240229000000Z"]
        {
            assert!(reads(utc(good)), "{good}");
        }
        let bad = [
            "260101000000",
            "260101000000+0000",
            "261301000000Z",
            "250229000000Z",
            "260101240000Z",
            "260101006000Z",
            "26010100Z",
        ];
        for bad in bad {
            assert!(!reads(utc(bad)), "{bad}");
        }
        for (text, is_good) in [("19490101000000Z", true), ("20260101000000+0100", true), ("202601010000Z", false)] {
            assert_eq!(reads(element(tag::GENERALIZED_TIME, text.as_bytes())), is_good, "{text}");
        }
        assert!(!reads(element(tag::OCTET_STRING, b"260101000000Z")));
    }
}
