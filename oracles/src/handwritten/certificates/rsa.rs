//! RSA signatures of keys whose size the cryptographic library does not take. It sees public values only.

use ring::digest::{Algorithm, digest};
use x509_parser::num_bigint::BigUint;
use x509_parser::public_key::RSAPublicKey;

/// How a digest becomes the number that is signed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Padding {
    /// PKCS #1 version 1.5.
    Pkcs1,
    /// PSS, with a salt as long as the digest.
    Pss,
}

/// A public key.
#[derive(Debug)]
pub(super) struct Key {
    modulus: BigUint,
    exponent: BigUint,
}

impl Key {
    /// The key in numbers.
    pub(super) fn of(key: &RSAPublicKey<'_>) -> Self {
        Self { modulus: BigUint::from_bytes_be(key.modulus), exponent: BigUint::from_bytes_be(key.exponent) }
    }

    /// Bits of the modulus.
    pub(super) fn bits(&self) -> u64 {
        self.modulus.bits()
    }

    /// The exponent, unless it has more than 63 bits.
    pub(super) fn exponent(&self) -> Option<i64> {
        i64::try_from(&self.exponent).ok()
    }

    /// Whether the modulus can be one of two odd primes.
    pub(super) fn is_odd(&self) -> bool {
        self.modulus.bit(0)
    }

    /// Whether `signature` signs `message`.
    pub(super) fn verify(&self, padding: Padding, hash: Hash, message: &[u8], signature: &[u8]) -> bool {
        let len = bytes(self.bits());
        let number = BigUint::from_bytes_be(signature);
        if signature.len() != len || number >= self.modulus {
            return false;
        }
        let opened = number.modpow(&self.exponent, &self.modulus);
        let digest = digest(hash.algorithm, message);
        match padding {
            Padding::Pkcs1 => {
                encode(len, hash, digest.as_ref()).is_some_and(|text| BigUint::from_bytes_be(&text) == opened)
            }
            Padding::Pss => {
                let bits = self.bits().saturating_sub(1);
                opened.bits() <= bits && is_masked(&padded(&opened, bytes(bits)), bits, hash, digest.as_ref())
            }
        }
    }
}

/// A hash, as signatures use it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Hash {
    /// The hash.
    pub(super) algorithm: &'static Algorithm,
    /// What stands before a digest to say which hash made it: its `DigestInfo` without the digest.
    pub(super) prefix: &'static [u8],
}

fn bytes(bits: u64) -> usize {
    usize::try_from(bits.div_ceil(8)).unwrap_or(usize::MAX)
}

fn padded(number: &BigUint, len: usize) -> Vec<u8> {
    let digits = number.to_bytes_be();
    let mut out = vec![0; len.saturating_sub(digits.len())];
    out.extend(digits);
    out
}

/// `EMSA-PKCS1-v1_5` of RFC 8017; none when it does not fit `len` bytes.
fn encode(len: usize, hash: Hash, digest: &[u8]) -> Option<Vec<u8>> {
    let ones = len.checked_sub(hash.prefix.len() + digest.len() + 3).filter(|ones| *ones >= 8)?;
    let mut text = vec![0, 1];
    text.resize(2 + ones, 0xff);
    text.push(0);
    text.extend_from_slice(hash.prefix);
    text.extend_from_slice(digest);
    Some(text)
}

/// `EMSA-PSS-VERIFY` of RFC 8017: whether `text`, a number of at most `bits` bits, hides `digest`.
fn is_masked(text: &[u8], bits: u64, hash: Hash, digest: &[u8]) -> bool {
    let salt = digest.len();
    let Some((&0xbc, text)) = text.split_last() else { return false };
    let Some((masked, seal)) = text.len().checked_sub(digest.len()).and_then(|at| text.split_at_checked(at)) else {
        return false;
    };
    let mut data = masked.to_vec();
    for (block, chunk) in (0_u32..).zip(data.chunks_mut(digest.len())) {
        let mask = ring::digest::digest(hash.algorithm, &[seal, &block.to_be_bytes()].concat());
        chunk.iter_mut().zip(mask.as_ref()).for_each(|(byte, mask)| *byte ^= mask);
    }
    if let Some(first) = data.first_mut() {
        *first &= 0xff >> ((8 - bits % 8) % 8);
    }
    let Some(at) = data.len().checked_sub(salt + 1) else { return false };
    let (zeros, rest) = data.split_at(at);
    let Some((1, salt)) = rest.split_first() else { return false };
    let sealed = ring::digest::digest(hash.algorithm, &[&[0; 8], digest, salt].concat());
    zeros.iter().all(|byte| *byte == 0) && sealed.as_ref() == seal
}
