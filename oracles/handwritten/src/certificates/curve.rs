//! ECDSA over the four curves that Go's X.509 knows: one of them, P-224, is verified by RustCrypto, the others by AWS-LC.

use super::hash::HashName;
use aws_lc_rs::digest::{Digest, SHA256, digest};
use aws_lc_rs::signature::{
    ECDSA_P256_SHA1_ASN1, ECDSA_P256_SHA256_ASN1, ECDSA_P256_SHA384_ASN1, ECDSA_P256_SHA512_ASN1,
    ECDSA_P384_SHA256_ASN1, ECDSA_P384_SHA384_ASN1, ECDSA_P384_SHA512_ASN1, ECDSA_P521_SHA1_ASN1,
    ECDSA_P521_SHA256_ASN1, ECDSA_P521_SHA384_ASN1, ECDSA_P521_SHA512_ASN1, EcdsaVerificationAlgorithm,
    ParsedPublicKey, UnparsedPublicKey,
};
use der::asn1::ObjectIdentifier;
use p224::ecdsa::signature::hazmat::PrehashVerifier;
use p224::ecdsa::{Signature, VerifyingKey};

/// A curve.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CurveName {
    P224,
    P256,
    P384,
    P521,
}

impl CurveName {
    /// The curve of this identifier.
    pub(super) fn of(identifier: ObjectIdentifier) -> Option<Self> {
        let known = [
            (const { ObjectIdentifier::new_unwrap("1.3.132.0.33") }, Self::P224),
            (const { ObjectIdentifier::new_unwrap("1.2.840.10045.3.1.7") }, Self::P256),
            (const { ObjectIdentifier::new_unwrap("1.3.132.0.34") }, Self::P384),
            (const { ObjectIdentifier::new_unwrap("1.3.132.0.35") }, Self::P521),
        ];
        known.into_iter().find_map(|(known, name)| (known == identifier).then_some(name))
    }

    /// Whether `key` is the long encoding of a point of the curve.
    pub(super) fn has(self, key: &[u8]) -> bool {
        is_long(key)
            && match self.verifier(HashName::Sha256) {
                Some(verifier) => ParsedPublicKey::new(verifier, key).is_ok(),
                None => VerifyingKey::from_sec1_bytes(key).is_ok(),
            }
    }

    /// Whether `signature`, two numbers in DER, signs `message` with `key`.
    pub(super) fn verify(self, hash: HashName, key: &[u8], message: &[u8], signature: &[u8]) -> bool {
        if !is_long(key) {
            return false;
        }
        if let Some(verifier) = self.verifier(hash) {
            return UnparsedPublicKey::new(verifier, key).verify(message, signature).is_ok();
        }
        let digest = digest(hash.algorithm(), message);
        match self.verifier(HashName::Sha256) {
            Some(verifier) => as_sha256(digest.as_ref())
                .is_some_and(|digest| UnparsedPublicKey::new(verifier, key).verify_digest(&digest, signature).is_ok()),
            None => VerifyingKey::from_sec1_bytes(key).is_ok_and(|key| {
                let signature = Signature::from_der(signature);
                signature.is_ok_and(|signature| key.verify_prehash(digest.as_ref(), &signature).is_ok())
            }),
        }
    }

    /// The verifier of AWS-LC for this hash. There is none for P-224, nor for P-384 with SHA-1.
    fn verifier(self, hash: HashName) -> Option<&'static EcdsaVerificationAlgorithm> {
        Some(match (self, hash) {
            (Self::P224, _) | (Self::P384, HashName::Sha1) => return None,
            (Self::P256, HashName::Sha1) => &ECDSA_P256_SHA1_ASN1,
            (Self::P256, HashName::Sha256) => &ECDSA_P256_SHA256_ASN1,
            (Self::P256, HashName::Sha384) => &ECDSA_P256_SHA384_ASN1,
            (Self::P256, HashName::Sha512) => &ECDSA_P256_SHA512_ASN1,
            (Self::P384, HashName::Sha256) => &ECDSA_P384_SHA256_ASN1,
            (Self::P384, HashName::Sha384) => &ECDSA_P384_SHA384_ASN1,
            (Self::P384, HashName::Sha512) => &ECDSA_P384_SHA512_ASN1,
            (Self::P521, HashName::Sha1) => &ECDSA_P521_SHA1_ASN1,
            (Self::P521, HashName::Sha256) => &ECDSA_P521_SHA256_ASN1,
            (Self::P521, HashName::Sha384) => &ECDSA_P521_SHA384_ASN1,
            (Self::P521, HashName::Sha512) => &ECDSA_P521_SHA512_ASN1,
        })
    }
}

/// Go takes no other encoding of points.
fn is_long(key: &[u8]) -> bool {
    key.first() == Some(&4)
}

/// A digest of at most 32 bytes as one of SHA-256: what is signed is a number, which zeros before it do not change.
fn as_sha256(digest: &[u8]) -> Option<Digest> {
    let mut number = [0; 32];
    let zeros = number.len().checked_sub(digest.len())?;
    number.get_mut(zeros..)?.copy_from_slice(digest);
    Digest::import_less_safe(&number, &SHA256).ok()
}
