//! Whether a certificate request is signed by its own key: what Go's X.509 accepts, and how it words what it does not.

use super::curve::CurveName;
use super::hash::HashName;
use super::read::{Algorithm, Pss, PublicKey, Request, read_rsa_key};
use super::rsa::{Key, Padding};
use aws_lc_rs::signature::{ED25519, UnparsedPublicKey};
use der::asn1::ObjectIdentifier;
use std::borrow::Cow;

/// An object identifier, which is checked when the program is built.
macro_rules! oid {
    ($dotted:literal) => {
        const { ObjectIdentifier::new_unwrap($dotted) }
    };
}

/// A fault of a request or certificate, in words.
pub(super) type Fault = Cow<'static, str>;

/// Smallest modulus that Go takes, in bits.
const SMALLEST_RSA: u64 = 1024;

const UNIMPLEMENTED: Fault = Fault::Borrowed("x509: cannot verify signature: algorithm unimplemented");
const BAD_RSA: Fault = Fault::Borrowed("crypto/rsa: verification error");
const BAD_ECDSA: Fault = Fault::Borrowed("x509: ECDSA verification failure");
const BAD_ED25519: Fault = Fault::Borrowed("x509: Ed25519 verification failure");

/// How a signature is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Scheme {
    /// With RSA and MD5, which is too weak.
    Md5,
    Rsa(Padding, HashName),
    Dsa,
    Ecdsa(HashName),
    Ed25519,
}

impl Scheme {
    /// The scheme that a request names; none when Go does not know it.
    fn of(algorithm: &Algorithm<'_>) -> Option<Self> {
        use HashName::{Sha1, Sha256, Sha384, Sha512};
        if algorithm.oid == oid!("1.2.840.113549.1.1.10") {
            return pss_hash(algorithm).map(|hash| Self::Rsa(Padding::Pss, hash));
        }
        let known = [
            (oid!("1.2.840.10045.4.3.2"), Self::Ecdsa(Sha256)),
            (oid!("1.2.840.113549.1.1.11"), Self::Rsa(Padding::Pkcs1, Sha256)),
            (ED25519_KEY, Self::Ed25519),
            (oid!("1.2.840.10045.4.3.3"), Self::Ecdsa(Sha384)),
            (oid!("1.2.840.10045.4.3.4"), Self::Ecdsa(Sha512)),
            (oid!("1.2.840.10045.4.1"), Self::Ecdsa(Sha1)),
            (oid!("1.2.840.113549.1.1.12"), Self::Rsa(Padding::Pkcs1, Sha384)),
            (oid!("1.2.840.113549.1.1.13"), Self::Rsa(Padding::Pkcs1, Sha512)),
            (oid!("1.2.840.113549.1.1.5"), Self::Rsa(Padding::Pkcs1, Sha1)),
            (oid!("1.3.14.3.2.29"), Self::Rsa(Padding::Pkcs1, Sha1)),
            (oid!("1.2.840.113549.1.1.4"), Self::Md5),
            (oid!("1.2.840.10040.4.3"), Self::Dsa),
            (oid!("2.16.840.1.101.3.4.3.2"), Self::Dsa),
        ];
        let found = known.into_iter().find_map(|(known, scheme)| (known == algorithm.oid).then_some(scheme))?;
        (found != Self::Ed25519 || algorithm.parameters.is_none()).then_some(found)
    }

    /// The kind of keys it takes.
    fn takes(self) -> &'static str {
        match self {
            Self::Md5 | Self::Rsa(..) => "RSA",
            Self::Dsa => "DSA",
            Self::Ecdsa(_) => "ECDSA",
            Self::Ed25519 => "Ed25519",
        }
    }
}

/// The hash of a PSS signature, when its parameters are those that Go takes: the same hash for the mask, and a salt as long.
fn pss_hash(algorithm: &Algorithm<'_>) -> Option<HashName> {
    let plain = |algorithm: &Algorithm<'_>| algorithm.parameters.is_none_or(|parameters| parameters.is_null());
    let Pss { hash, generator, salt, trailer } = Pss::read(algorithm.parameters?).ok()?;
    let mask = Algorithm::of(generator.parameters?.sequence().ok()?).ok()?;
    let same = generator.oid == oid!("1.2.840.113549.1.1.8") && mask.oid == hash.oid;
    if !same || !plain(&hash) || !plain(&mask) || trailer != 1 {
        return None;
    }
    let known = [
        (oid!("2.16.840.1.101.3.4.2.1"), 32, HashName::Sha256),
        (oid!("2.16.840.1.101.3.4.2.2"), 48, HashName::Sha384),
        (oid!("2.16.840.1.101.3.4.2.3"), 64, HashName::Sha512),
    ];
    let (_, length, name) = known.into_iter().find(|(known, ..)| *known == hash.oid)?;
    (salt == length).then_some(name)
}

/// Names Ed25519 as a key and as a signature.
const ED25519_KEY: ObjectIdentifier = oid!("1.3.101.112");

/// A key that a request is for.
enum Subject<'k> {
    Rsa(Key<'k>),
    /// What Go has no signatures of, or does not know.
    Other,
    Curve(CurveName, &'k [u8]),
    Ed25519(&'k [u8]),
}

impl<'k> Subject<'k> {
    /// Reads a key.
    fn of(info: &PublicKey<'k>) -> Result<Self, Fault> {
        let PublicKey { algorithm, key } = *info;
        let parameters = algorithm.parameters;
        if algorithm.oid == oid!("1.2.840.10045.2.1") {
            let curve = parameters.and_then(|parameters| parameters.identifier().ok());
            let curve = CurveName::of(curve.ok_or("x509: invalid ECDSA parameters")?);
            Ok(Self::Curve(curve.ok_or("x509: unsupported elliptic curve")?, key))
        } else if algorithm.oid == oid!("1.2.840.113549.1.1.1") {
            if parameters.is_none_or(|parameters| !parameters.is_null()) {
                return Err("x509: RSA key missing NULL parameters".into());
            }
            rsa_key(key).map(Self::Rsa)
        } else if algorithm.oid == ED25519_KEY {
            match (parameters, key.len()) {
                (Some(_), _) => Err("x509: Ed25519 key encoded with illegal parameters".into()),
                (None, 32) => Ok(Self::Ed25519(key)),
                (None, _) => Err("x509: wrong Ed25519 public key size".into()),
            }
        } else {
            Ok(Self::Other)
        }
    }
}

fn rsa_key(key: &[u8]) -> Result<Key<'_>, Fault> {
    let [modulus, exponent] = read_rsa_key(key).map_err(|_| Fault::Borrowed("x509: invalid RSA public key"))?;
    let positive = |number: &[u8]| number.first().is_some_and(|first| first & 0x80 == 0) && number != [0];
    if !positive(modulus) {
        return Err("x509: RSA modulus is not a positive number".into());
    }
    if !positive(exponent) {
        return Err("x509: RSA public exponent is not a positive number".into());
    }
    let key = Key::of(modulus, exponent);
    if key.exponent().is_none() {
        return Err("x509: invalid RSA public exponent".into());
    }
    Ok(key)
}

/// Checks that `request` is signed by the key that it is for.
pub(super) fn check_signature(request: &Request<'_>) -> Result<(), Fault> {
    let Request { signed, signature, .. } = *request;
    let key = Subject::of(&request.key)?;
    let scheme = Scheme::of(&request.algorithm).ok_or(UNIMPLEMENTED)?;
    if scheme == Scheme::Md5 {
        return Err("x509: cannot verify signature: insecure algorithm MD5-RSA".into());
    }
    match (key, scheme) {
        (Subject::Rsa(key), Scheme::Rsa(padding, hash)) => {
            check_rsa_key(&key)?;
            if key.verify(padding, hash, signed, signature) { Ok(()) } else { Err(BAD_RSA) }
        }
        (Subject::Curve(name, point), Scheme::Ecdsa(hash)) => match name.verify(hash, point, signed, signature) {
            true => Ok(()),
            false if name.has(point) => Err(BAD_ECDSA),
            false => Err("x509: failed to unmarshal elliptic curve point".into()),
        },
        // AWS-LC refuses 26 keys that Go takes: points that could be encoded otherwise. Nobody knows a private key to any of them, but six
        // are of small order, so that anybody can sign for these.
        (Subject::Ed25519(key), Scheme::Ed25519) => {
            UnparsedPublicKey::new(&ED25519, key).verify(signed, signature).map_err(|_| BAD_ED25519)
        }
        (Subject::Other, _) => Err(UNIMPLEMENTED),
        (Subject::Rsa(_), scheme) => Err(mismatch(scheme, "*rsa.PublicKey")),
        (Subject::Curve(..), scheme) => Err(mismatch(scheme, "*ecdsa.PublicKey")),
        (Subject::Ed25519(_), scheme) => Err(mismatch(scheme, "ed25519.PublicKey")),
    }
}

fn mismatch(scheme: Scheme, key: &str) -> Fault {
    let takes = scheme.takes();
    format!("x509: signature algorithm specifies an {takes} public key, but have public key of type {key}").into()
}

/// Keys that can be read and that Go refuses to use.
fn check_rsa_key(key: &Key<'_>) -> Result<(), Fault> {
    let (bits, exponent) = (key.bits(), key.exponent().unwrap_or_default());
    if bits < SMALLEST_RSA {
        let more = "(see https://go.dev/pkg/crypto/rsa#hdr-Minimum_key_size)";
        return Err(format!("crypto/rsa: {bits}-bit keys are insecure {more}").into());
    }
    let fault = if !key.is_odd() {
        "crypto/rsa: invalid modulus"
    } else if exponent < 2 {
        "crypto/rsa: public exponent too small or negative"
    } else if exponent % 2 == 0 {
        "crypto/rsa: public exponent is even"
    } else if exponent > i64::from(i32::MAX) {
        "crypto/rsa: public exponent too large"
    } else {
        return Ok(());
    };
    Err(fault.into())
}

#[cfg(test)]
mod tests {
    use crate::certificates::pem::first_block;
    use crate::certificates::x509::check_request;
    use base64::Engine as _;
    use base64::engine::general_purpose::STANDARD;

    /// Requests made by OpenSSL, each after a line with its name and what Go says of it.
    const REQUESTS: &str = include_str!("certificate_requests.pem");
    /// The subject of all requests.
    const SUBJECT: &[u8] = b"example";

    fn requests() -> impl Iterator<Item = (&'static str, &'static str, &'static str)> {
        REQUESTS.split_inclusive("-----END CERTIFICATE REQUEST-----\n").map(|text| {
            let (title, pem) = text.split_once('\n').unwrap();
            let (name, expected) = title.split_once(": ").unwrap();
            (name, expected, pem)
        })
    }

    fn said(pem: &str) -> String {
        check_request(pem.as_bytes()).map_or_else(|fault| fault.into_owned(), |()| "good".to_owned())
    }

    /// `pem` with other bytes in the place of the first `part`.
    fn with(pem: &str, part: &[u8], other: &[u8]) -> String {
        let mut bytes = first_block(pem.as_bytes()).unwrap().0.bytes;
        let at = bytes.windows(part.len()).position(|window| window == part).unwrap();
        bytes.splice(at..at + part.len(), other.iter().copied());
        let text = STANDARD.encode(bytes);
        format!("-----BEGIN CERTIFICATE REQUEST-----\n{text}\n-----END CERTIFICATE REQUEST-----\n")
    }

    #[test]
    fn requests_of_every_key_and_hash_are_judged_as_go_judges_them() {
        assert_eq!(requests().count(), 45);
        for (name, expected, pem) in requests() {
            assert_eq!(said(pem), expected, "{name}");
        }
    }

    #[test]
    fn a_request_whose_subject_was_replaced_is_not_signed_by_its_key() {
        for (name, _, pem) in requests().filter(|(_, expected, _)| *expected == "good") {
            let fault = match name.split_at(2).0 {
                "rs" => "crypto/rsa: verification error",
                "ed" => "x509: Ed25519 verification failure",
                _ => "x509: ECDSA verification failure",
            };
            assert_eq!(said(&with(pem, SUBJECT, b"exbmple")), fault, "{name}");
        }
    }

    #[test]
    fn keys_and_schemes_that_do_not_belong_together_are_told_apart() {
        let pem = |wanted: &str| requests().find(|(name, ..)| *name == wanted).unwrap().2;
        let (rsa, curve, edwards) = (pem("rsa2048-sha256"), pem("p256-sha256"), pem("ed25519"));
        let mismatch = |takes, is| {
            format!("x509: signature algorithm specifies an {takes} public key, but have public key of type {is}")
        };
        let sha256_with_rsa: &[u8] = &[0x86, 0xf7, 0x0d, 1, 1, 0x0b];
        let sha384_with_rsa: &[u8] = &[0x86, 0xf7, 0x0d, 1, 1, 0x0c];
        let ecdsa: &[u8] = &[0x2a, 0x86, 0x48, 0xce, 0x3d, 4, 3, 2];
        let dsa: &[u8] = &[0x60, 0x86, 0x48, 1, 0x65, 3, 4, 3, 2];
        let unknown: &[u8] = &[0x2a, 0x86, 0x48, 0xce, 0x3d, 4, 3, 9];
        assert_eq!(said(&with(rsa, sha256_with_rsa, sha384_with_rsa)), "crypto/rsa: verification error");
        assert_eq!(said(&with(curve, ecdsa, unknown)), "x509: cannot verify signature: algorithm unimplemented");
        // One byte more in an identifier, and in the lengths around it.
        assert_eq!(dsa.len(), ecdsa.len() + 1);
        let in_dsa = with(curve, &[&[0x30, 0x0a, 6, 8], ecdsa].concat(), &[&[0x30, 0x0b, 6, 9], dsa].concat());
        let longer = with(&in_dsa, &first_block(in_dsa.as_bytes()).unwrap().0.bytes[1..3], &longer_by_one(&in_dsa));
        assert_eq!(said(&longer), mismatch("DSA", "*ecdsa.PublicKey"));
        // A key that Go has no signatures of.
        let other =
            with(edwards, &[0x30, 5, 6, 3, 0x2b, 0x65, 0x70, 3, 0x21], &[0x30, 5, 6, 3, 0x2b, 0x65, 0x71, 3, 0x21]);
        assert_eq!(said(&other), "x509: cannot verify signature: algorithm unimplemented");
    }

    #[test]
    fn what_is_no_point_of_the_curve_is_no_key() {
        let fault = "x509: failed to unmarshal elliptic curve point";
        for (name, start) in [
            ("p224-sha256", &[3, 0x3a, 0, 4][..]),
            ("p256-sha256", &[3, 0x42, 0, 4]),
            ("p384-sha1", &[3, 0x62, 0, 4]),
            ("p384-sha384", &[3, 0x62, 0, 4]),
            ("p521-sha512", &[3, 0x81, 0x86, 0, 4]),
        ] {
            let pem = requests().find(|(known, ..)| *known == name).unwrap().2;
            let der = first_block(pem.as_bytes()).unwrap().0.bytes;
            let at = der.windows(start.len()).position(|window| window == start).unwrap() + start.len();
            let mut beside = der[at - 1..at + 20].to_vec();
            let point = beside.clone();
            beside[19] ^= 1;
            assert_eq!(said(&with(pem, &point, &beside)), fault, "{name}: a point beside the curve");
            // Larger than any coordinate.
            beside[1..].fill(0xff);
            assert_eq!(said(&with(pem, &point, &beside)), fault, "{name}: no coordinate");
            let mut encoded = point.clone();
            encoded[0] = 5;
            assert_eq!(said(&with(pem, &point, &encoded)), fault, "{name}: another encoding");
        }
    }

    #[test]
    fn a_key_of_small_order_is_a_key_in_its_canonical_encoding_only() {
        let pem = requests().find(|(name, ..)| *name == "ed25519").unwrap().2;
        let der = first_block(pem.as_bytes()).unwrap().0.bytes;
        let start = [0x2b, 0x65, 0x70, 3, 0x21, 0];
        let at = der.windows(start.len()).position(|window| window == start).unwrap() + start.len();
        // The neutral element as the key: the neutral element and zero sign whatever it is asked to sign.
        let neutral: [u8; 32] = std::array::from_fn(|place| u8::from(place == 0));
        let forged = with(pem, &der[der.len() - 64..], &[neutral, [0; 32]].concat());
        assert_eq!(said(&with(&forged, &der[at..at + 32], &neutral)), "good");
        // The same, with the prime added to its coordinate: good for Go.
        let mut other = [0xff; 32];
        (other[0], other[31]) = (0xee, 0x7f);
        assert_eq!(said(&with(&forged, &der[at..at + 32], &other)), "x509: Ed25519 verification failure");
    }

    /// The length of a request, two bytes behind its tag, and one more.
    fn longer_by_one(pem: &str) -> Vec<u8> {
        let bytes = first_block(pem.as_bytes()).unwrap().0.bytes;
        vec![bytes[1], bytes[2] + 1]
    }
}
