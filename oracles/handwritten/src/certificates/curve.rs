//! ECDSA over the four curves that Go's X.509 knows, for keys and hashes that ring does not verify.

use der::asn1::ObjectIdentifier;
use p256::ecdsa::signature::hazmat::PrehashVerifier;

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
            && match self {
                Self::P224 => p224::ecdsa::VerifyingKey::from_sec1_bytes(key).is_ok(),
                Self::P256 => p256::ecdsa::VerifyingKey::from_sec1_bytes(key).is_ok(),
                Self::P384 => p384::ecdsa::VerifyingKey::from_sec1_bytes(key).is_ok(),
                Self::P521 => p521::ecdsa::VerifyingKey::from_sec1_bytes(key).is_ok(),
            }
    }

    /// Whether `signature`, two numbers in DER, signs `digest` with `key`.
    pub(super) fn verify(self, key: &[u8], digest: &[u8], signature: &[u8]) -> bool {
        is_long(key)
            && match self {
                Self::P224 => {
                    use p224::ecdsa::{Signature, VerifyingKey};
                    signs(VerifyingKey::from_sec1_bytes(key), Signature::from_der(signature), digest)
                }
                Self::P256 => {
                    use p256::ecdsa::{Signature, VerifyingKey};
                    signs(VerifyingKey::from_sec1_bytes(key), Signature::from_der(signature), digest)
                }
                Self::P384 => {
                    use p384::ecdsa::{Signature, VerifyingKey};
                    signs(VerifyingKey::from_sec1_bytes(key), Signature::from_der(signature), digest)
                }
                Self::P521 => {
                    use p521::ecdsa::{Signature, VerifyingKey};
                    signs(VerifyingKey::from_sec1_bytes(key), Signature::from_der(signature), digest)
                }
            }
    }
}

/// Go takes no other encoding of points.
fn is_long(key: &[u8]) -> bool {
    key.first() == Some(&4)
}

fn signs<K: PrehashVerifier<S>, S, E>(key: Result<K, E>, signature: Result<S, E>, digest: &[u8]) -> bool {
    key.is_ok_and(|key| signature.is_ok_and(|signature| key.verify_prehash(digest, &signature).is_ok()))
}
