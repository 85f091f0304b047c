//! RSA signatures of keys whose size ring does not take.

use ring::digest::{Algorithm, digest};
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

/// A hash, as signatures use it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Hash {
    /// The hash.
    pub(super) algorithm: &'static Algorithm,
    /// What stands before a digest to say which hash made it: its `DigestInfo` without the digest.
    pub(super) prefix: &'static [u8],
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
    pub(super) fn verify(&self, padding: Padding, hash: Hash, message: &[u8], signature: &[u8]) -> bool {
        let (modulus, exponent) =
            (BoxedUint::from_be_slice_vartime(self.modulus), BoxedUint::from_be_slice_vartime(self.exponent));
        let Ok(key) = RsaPublicKey::new_with_size_limits(modulus, exponent, 0..=usize::MAX) else { return false };
        let digest = digest(hash.algorithm, message);
        let digest = digest.as_ref();
        match (padding, digest.len()) {
            (Padding::Pkcs1, length) => {
                let scheme = Pkcs1v15Sign { hash_len: Some(length), prefix: hash.prefix.into() };
                key.verify(scheme, digest, signature).is_ok()
            }
            (Padding::Pss, 32) => key.verify(Pss::<Sha256>::new_with_salt(32), digest, signature).is_ok(),
            (Padding::Pss, 48) => key.verify(Pss::<Sha384>::new_with_salt(48), digest, signature).is_ok(),
            (Padding::Pss, 64) => key.verify(Pss::<Sha512>::new_with_salt(64), digest, signature).is_ok(),
            (Padding::Pss, _) => false,
        }
    }
}
