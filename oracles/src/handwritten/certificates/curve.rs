//! ECDSA over the four curves that Go's X.509 knows, for keys and hashes that the cryptographic library lacks. It sees public
//! values only, so it need not take the same time for all of them.

use std::sync::LazyLock;
use x509_parser::asn1_rs::{FromDer as _, Integer, Sequence};
use x509_parser::num_bigint::BigUint;
use x509_parser::oid_registry::asn1_rs::{Oid, oid};
use x509_parser::oid_registry::{OID_EC_P256, OID_NIST_EC_P384, OID_NIST_EC_P521};

/// A curve `y² = x³ - 3x + b` over the integers modulo a prime.
#[derive(Debug)]
pub(super) struct Curve {
    /// The prime.
    prime: BigUint,
    /// The constant term.
    b: BigUint,
    /// Where multiples start.
    generator: Affine,
    /// How many multiples the generator has.
    order: BigUint,
}

/// A point as it is encoded.
#[derive(Clone, Debug)]
struct Affine {
    x: BigUint,
    y: BigUint,
}

/// A point `(x / z², y / z³)`; the neutral one has no `z`.
#[derive(Clone, Debug)]
struct Jacobian {
    x: BigUint,
    y: BigUint,
    z: BigUint,
}

/// The name of a curve.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CurveName {
    /// P-224, secp224r1.
    P224,
    /// P-256, prime256v1.
    P256,
    /// P-384, secp384r1.
    P384,
    /// P-521, secp521r1.
    P521,
}

impl CurveName {
    /// The curve that an identifier names.
    pub(super) fn of(oid: &Oid<'_>) -> Option<Self> {
        let p224 = oid!(1.3.132.0.33);
        [(p224, Self::P224), (OID_EC_P256, Self::P256), (OID_NIST_EC_P384, Self::P384), (OID_NIST_EC_P521, Self::P521)]
            .into_iter()
            .find_map(|(known, name)| (*oid == known).then_some(name))
    }

    /// The curve.
    pub(super) fn curve(self) -> &'static Curve {
        match self {
            Self::P224 => &P224,
            Self::P256 => &P256,
            Self::P384 => &P384,
            Self::P521 => &P521,
        }
    }
}

static P224: LazyLock<Curve> = LazyLock::new(|| {
    Curve::of([
        b"ffffffffffffffffffffffffffffffff000000000000000000000001",
        b"b4050a850c04b3abf54132565044b0b7d7bfd8ba270b39432355ffb4",
        b"b70e0cbd6bb4bf7f321390b94a03c1d356c21122343280d6115c1d21",
        b"bd376388b5f723fb4c22dfe6cd4375a05a07476444d5819985007e34",
        b"ffffffffffffffffffffffffffff16a2e0b8f03e13dd29455c5c2a3d",
    ])
});
static P256: LazyLock<Curve> = LazyLock::new(|| {
    Curve::of([
        b"ffffffff00000001000000000000000000000000ffffffffffffffffffffffff",
        b"5ac635d8aa3a93e7b3ebbd55769886bc651d06b0cc53b0f63bce3c3e27d2604b",
        b"6b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296",
        b"4fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5",
        b"ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551",
    ])
});
static P384: LazyLock<Curve> = LazyLock::new(|| {
    Curve::of([
        b"fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffeffffffff0000000000000000ffffffff",
        b"b3312fa7e23ee7e4988e056be3f82d19181d9c6efe8141120314088f5013875ac656398d8a2ed19d2a85c8edd3ec2aef",
        b"aa87ca22be8b05378eb1c71ef320ad746e1d3b628ba79b9859f741e082542a385502f25dbf55296c3a545e3872760ab7",
        b"3617de4a96262c6f5d9e98bf9292dc29f8f41dbd289a147ce9da3113b5f0b8c00a60b1ce1d7e819d7a431d7c90ea0e5f",
        b"ffffffffffffffffffffffffffffffffffffffffffffffffc7634d81f4372ddf581a0db248b0a77aecec196accc52973",
    ])
});
static P521: LazyLock<Curve> = LazyLock::new(|| {
    Curve::of([
        b"01ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
        b"0051953eb9618e1c9a1f929a21a0b68540eea2da725b99b315f3b8b489918ef109e156193951ec7e937b1652c0bd3bb1bf073573df883d2c34f1ef451fd46b503f00",
        b"00c6858e06b70404e9cd9e3ecb662395b4429c648139053fb521f828af606b4d3dbaa14b5e77efe75928fe1dc127a2ffa8de3348b3c1856a429bf97e7e31c2e5bd66",
        b"011839296a789a3bc0045c8a5fb42c7d1bd998f54449579b446817afbd17273e662c97ee72995ef42640c550b9013fad0761353c7086a272c24088be94769fd16650",
        b"01fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffa51868783bf2f966b7fcc0148f709a5d03bb5c9b8899c47aebb6fb71e91386409",
    ])
});

impl Curve {
    /// A curve from prime, constant term, coordinates of the generator and its order, in hexadecimal digits.
    fn of(parameters: [&[u8]; 5]) -> Self {
        let [prime, b, x, y, order] = parameters.map(|digits| BigUint::parse_bytes(digits, 16).unwrap_or_default());
        Self { prime, b, generator: Affine { x, y }, order }
    }

    /// Whether `key` is the long encoding of a point of the curve.
    pub(super) fn has(&self, key: &[u8]) -> bool {
        self.decode(key).is_some()
    }

    fn decode(&self, key: &[u8]) -> Option<Affine> {
        let (4, coordinates) = key.split_first()? else { return None };
        let len = usize::try_from(self.prime.bits().div_ceil(8)).ok()?;
        let (x, y) = coordinates.split_at_checked(len).filter(|(_, y)| y.len() == len)?;
        let (x, y) = (BigUint::from_bytes_be(x), BigUint::from_bytes_be(y));
        let p = &self.prime;
        let cubic = self.sub(&(&x * &x * &x + &self.b), &(&x * 3_u8));
        (x < *p && y < *p && &y * &y % p == cubic).then_some(Affine { x, y })
    }

    /// Whether `signature`, two numbers in DER, signs `digest` with `key`.
    pub(super) fn verify(&self, key: &[u8], digest: &[u8], signature: &[u8]) -> bool {
        let (Some(key), Some((r, s))) = (self.decode(key), self.signature(signature)) else { return false };
        let mut hash = BigUint::from_bytes_be(digest);
        hash >>= (8 * digest.len() as u64).saturating_sub(self.order.bits());
        let Some(inverse) = s.modinv(&self.order) else { return false };
        let (a, b) = (hash * &inverse % &self.order, &r * inverse % &self.order);
        let Some(x) = self.sum_of_products(&a, &self.generator, &b, &key) else { return false };
        x % &self.order == r
    }

    /// The two numbers of a signature, both from one to less than the order.
    fn signature(&self, der: &[u8]) -> Option<(BigUint, BigUint)> {
        let (rest, sequence) = Sequence::from_der(der).ok()?;
        let (more, r) = Integer::from_der(&sequence.content).ok()?;
        let (end, s) = Integer::from_der(more).ok()?;
        let number = |integer: &Integer<'_>| {
            let bytes: &[u8] = integer.as_ref();
            let number = BigUint::from_bytes_be(bytes);
            let negative = bytes.first().is_some_and(|first| first & 0x80 != 0);
            (!negative && number.bits() > 0 && number < self.order).then_some(number)
        };
        (rest.is_empty() && end.is_empty()).then_some((number(&r)?, number(&s)?))
    }

    /// The first coordinate of `a · p + b · q`; none for the neutral point.
    fn sum_of_products(&self, a: &BigUint, p: &Affine, b: &BigUint, q: &Affine) -> Option<BigUint> {
        let lift = |point: &Affine| Jacobian { x: point.x.clone(), y: point.y.clone(), z: BigUint::from(1_u8) };
        let (p, q) = (lift(p), lift(q));
        let both = self.add(&p, &q);
        let mut sum = Jacobian { x: BigUint::ZERO, y: BigUint::ZERO, z: BigUint::ZERO };
        for bit in (0..self.order.bits()).rev() {
            sum = self.double(&sum);
            match (a.bit(bit), b.bit(bit)) {
                (true, true) => sum = self.add(&sum, &both),
                (true, false) => sum = self.add(&sum, &p),
                (false, true) => sum = self.add(&sum, &q),
                (false, false) => {}
            }
        }
        let inverse = sum.z.modinv(&self.prime)?;
        Some(sum.x * &inverse * &inverse % &self.prime)
    }

    fn mul(&self, a: &BigUint, b: &BigUint) -> BigUint {
        a * b % &self.prime
    }

    /// `a - b`, whatever their sizes.
    fn sub(&self, a: &BigUint, b: &BigUint) -> BigUint {
        (a + &self.prime - b % &self.prime) % &self.prime
    }

    /// `2 · p`, by the formulas "dbl-2001-b" of the Explicit-Formulas Database.
    fn double(&self, p: &Jacobian) -> Jacobian {
        let delta = self.mul(&p.z, &p.z);
        let gamma = self.mul(&p.y, &p.y);
        let beta = self.mul(&p.x, &gamma);
        let alpha = self.mul(&(self.sub(&p.x, &delta) * 3_u8), &(&p.x + &delta));
        let x = self.sub(&self.mul(&alpha, &alpha), &(&beta * 8_u8));
        let z_and_y = &p.y + &p.z;
        let z = self.sub(&self.mul(&z_and_y, &z_and_y), &(&gamma + &delta));
        let y = self.sub(&self.mul(&alpha, &self.sub(&(beta * 4_u8), &x)), &(&gamma * &gamma * 8_u8));
        Jacobian { x, y, z }
    }

    /// `p + q`, by the formulas "add-2007-bl" of the Explicit-Formulas Database.
    fn add(&self, p: &Jacobian, q: &Jacobian) -> Jacobian {
        if p.z == BigUint::ZERO {
            return q.clone();
        }
        if q.z == BigUint::ZERO {
            return p.clone();
        }
        let (pp, qq) = (self.mul(&p.z, &p.z), self.mul(&q.z, &q.z));
        let (u, v) = (self.mul(&p.x, &qq), self.mul(&q.x, &pp));
        let (s, t) = (self.mul(&p.y, &(&q.z * &qq)), self.mul(&q.y, &(&p.z * &pp)));
        let (h, r) = (self.sub(&v, &u), self.sub(&t, &s) * 2_u8);
        if h == BigUint::ZERO && r == BigUint::ZERO {
            return self.double(p);
        }
        let i = self.mul(&(&h * 2_u8), &(&h * 2_u8));
        let j = self.mul(&h, &i);
        let v = self.mul(&u, &i);
        let x = self.sub(&self.mul(&r, &r), &(&j + &v * 2_u8));
        let y = self.sub(&self.mul(&r, &self.sub(&v, &x)), &(s * j * 2_u8));
        let sum = &p.z + &q.z;
        let z = self.mul(&self.sub(&self.mul(&sum, &sum), &(pp + qq)), &h);
        Jacobian { x, y, z }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn generators_lie_on_their_curves_and_have_their_order() {
        for name in [CurveName::P224, CurveName::P256, CurveName::P384, CurveName::P521] {
            let curve = name.curve();
            let Affine { x, y } = &curve.generator;
            let len = curve.prime.to_bytes_be().len();
            let pad = |number: &BigUint| {
                let bytes = number.to_bytes_be();
                [vec![0; len - bytes.len()], bytes].concat()
            };
            let mut key = [vec![4], pad(x), pad(y)].concat();
            assert!(curve.has(&key), "{name:?}");
            *key.last_mut().unwrap() ^= 1;
            assert!(!curve.has(&key), "{name:?}");

            let one = BigUint::from(1_u8);
            let times = |a: &BigUint, b: &BigUint| curve.sum_of_products(a, &curve.generator, b, &curve.generator);
            assert_eq!(times(&(&curve.order - &one), &one), None, "{name:?}");
            assert_eq!(times(&(&curve.order - &one), &BigUint::from(2_u8)).as_ref(), Some(x), "{name:?}");
        }
    }
}
