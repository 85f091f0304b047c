//! RSA signatures: AWS-LC verifies the usual sizes of keys, RustCrypto the others.

use super::hash::HashName;
use aws_lc_rs::digest::digest;
use aws_lc_rs::signature::{
    RSA_PKCS1_1024_8192_SHA1_FOR_LEGACY_USE_ONLY, RSA_PKCS1_1024_8192_SHA256_FOR_LEGACY_USE_ONLY,
    RSA_PKCS1_1024_8192_SHA512_FOR_LEGACY_USE_ONLY, RSA_PKCS1_2048_8192_SHA384, RSA_PSS_2048_8192_SHA256,
    RSA_PSS_2048_8192_SHA384, RSA_PSS_2048_8192_SHA512, RsaParameters, RsaPublicKeyComponents,
};
use rsa::{BoxedUint, Pkcs1v15Sign, Pss, RsaPublicKey};
use sha2::{Sha256, Sha384, Sha512};

/// How a digest becomes the number that is signed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Padding {
    /// PKCS #1 version 1.5.
    Pkcs1,
    /// PSS, with a salt as long as the digest.
    Pss,
}

/// A public key: its numbers, most significant digits first and without leading zeros.
#[derive(Debug)]
pub(super) struct Key<'k> {
    modulus: &'k [u8],
    exponent: &'k [u8],
}

impl<'k> Key<'k> {
    /// The key of these numbers.
    pub(super) fn of(modulus: &'k [u8], exponent: &'k [u8]) -> Self {
        let significant = |number: &'k [u8]| {
            let zeros = number.iter().take_while(|byte| **byte == 0).count();
            number.get(zeros..).unwrap_or_default()
        };
        Self { modulus: significant(modulus), exponent: significant(exponent) }
    }

    /// Bits of the modulus.
    pub(super) fn bits(&self) -> u64 {
        let unused = self.modulus.first().map_or(0, |first| first.leading_zeros());
        (self.modulus.len() as u64 * 8).saturating_sub(unused.into())
    }

    /// The exponent, unless it has more than 63 bits.
    pub(super) fn exponent(&self) -> Option<i64> {
        self.exponent.iter().try_fold(0_i64, |value, byte| value.checked_mul(256)?.checked_add(i64::from(*byte)))
    }

    /// Whether the modulus can be one of two odd primes.
    pub(super) fn is_odd(&self) -> bool {
        self.modulus.last().is_some_and(|last| last & 1 == 1)
    }

    /// Whether `signature` signs `message`.
    pub(super) fn verify(&self, padding: Padding, hash: HashName, message: &[u8], signature: &[u8]) -> bool {
        match self.verifier(padding, hash) {
            Some(verifier) => {
                let key = RsaPublicKeyComponents { n: self.modulus, e: self.exponent };
                key.verify(verifier, message, signature).is_ok()
            }
            None => self.verify_unusual(padding, hash, message, signature),
        }
    }

    /// The verifier of AWS-LC for keys of this size, if there is one.
    fn verifier(&self, padding: Padding, hash: HashName) -> Option<&'static RsaParameters> {
        let verifier: &RsaParameters = match (padding, hash) {
            (Padding::Pkcs1, HashName::Sha1) => &RSA_PKCS1_1024_8192_SHA1_FOR_LEGACY_USE_ONLY,
            (Padding::Pkcs1, HashName::Sha256) => &RSA_PKCS1_1024_8192_SHA256_FOR_LEGACY_USE_ONLY,
            (Padding::Pkcs1, HashName::Sha384) => &RSA_PKCS1_2048_8192_SHA384,
            (Padding::Pkcs1, HashName::Sha512) => &RSA_PKCS1_1024_8192_SHA512_FOR_LEGACY_USE_ONLY,
            (Padding::Pss, HashName::Sha256) => &RSA_PSS_2048_8192_SHA256,
            (Padding::Pss, HashName::Sha384) => &RSA_PSS_2048_8192_SHA384,
            (Padding::Pss, HashName::Sha512) => &RSA_PSS_2048_8192_SHA512,
            (Padding::Pss, HashName::Sha1) => return None,
        };
        let taken = u64::from(verifier.min_modulus_len())..=u64::from(verifier.max_modulus_len());
        taken.contains(&self.bits()).then_some(verifier)
    }

    fn verify_unusual(&self, padding: Padding, hash: HashName, message: &[u8], signature: &[u8]) -> bool {
        let (modulus, exponent) =
            (BoxedUint::from_be_slice_vartime(self.modulus), BoxedUint::from_be_slice_vartime(self.exponent));
        let Ok(key) = RsaPublicKey::new_with_size_limits(modulus, exponent, 0..=usize::MAX) else { return false };
        let digest = digest(hash.algorithm(), message);
        let digest = digest.as_ref();
        let valid = match (padding, hash) {
            (Padding::Pkcs1, _) => {
                let scheme = Pkcs1v15Sign { hash_len: Some(digest.len()), prefix: hash.prefix().into() };
                key.verify(scheme, digest, signature)
            }
            (Padding::Pss, HashName::Sha256) => key.verify(Pss::<Sha256>::new_with_salt(32), digest, signature),
            (Padding::Pss, HashName::Sha384) => key.verify(Pss::<Sha384>::new_with_salt(48), digest, signature),
            (Padding::Pss, HashName::Sha512) => key.verify(Pss::<Sha512>::new_with_salt(64), digest, signature),
            (Padding::Pss, HashName::Sha1) => return false,
        };
        valid.is_ok()
    }
}
