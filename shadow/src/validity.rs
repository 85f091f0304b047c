//! Until when certificates are valid.

use der::asn1::{AnyRef, GeneralizedTime, UtcTime};
use der::{Decode as _, Result, SliceReader, Tag, Tagged as _};

/// The end of the time in which a certificate is valid, in seconds since 1970; none for what is no certificate (RFC 5280, 4.1).
pub(crate) fn valid_until(certificate: &[u8]) -> Option<u64> {
    not_after(certificate).ok()
}

fn not_after(certificate: &[u8]) -> Result<u64> {
    let certificate = AnyRef::from_der(certificate)?;
    let mut parts = SliceReader::new(certificate.value())?;
    let to_be_signed = AnyRef::decode(&mut parts)?;
    let mut fields = SliceReader::new(to_be_signed.value())?;
    let first = AnyRef::decode(&mut fields)?;
    // The first of the oldest certificates is the serial number: they have no version.
    let before_validity = if first.tag() == Tag::Integer { 2 } else { 3 };
    for _ in 0..before_validity {
        AnyRef::decode(&mut fields)?;
    }
    let validity = AnyRef::decode(&mut fields)?;
    let mut times = SliceReader::new(validity.value())?;
    AnyRef::decode(&mut times)?;
    let end = match Tag::peek(&times)? {
        Tag::UtcTime => UtcTime::decode(&mut times)?.to_unix_duration(),
        _ => GeneralizedTime::decode(&mut times)?.to_unix_duration(),
    };
    Ok(end.as_secs())
}

#[cfg(test)]
mod tests {
    use super::valid_until;
    use crate::certificate::make_on;
    use jiff::Span;
    use jiff::civil::date;
    use tokio_rustls::rustls::pki_types::CertificateDer;
    use tokio_rustls::rustls::pki_types::pem::PemObject as _;

    #[test]
    fn the_end_of_a_certificate_is_read_in_either_form_of_time() {
        // After 2049, certificates have the longer form.
        for (years, end) in [(10, "2034-02-28T00:00:00Z"), (40, "2064-02-29T00:00:00Z")] {
            let made = make_on(&["localhost".to_owned()], date(2024, 2, 29), Span::new().years(years)).unwrap();
            let der = CertificateDer::from_pem_slice(made.certificate.as_bytes()).unwrap();
            let end: jiff::Timestamp = end.parse().unwrap();
            assert_eq!(valid_until(&der), u64::try_from(end.as_second()).ok(), "{years}");
            assert_eq!(valid_until(&der[..der.len() / 2]), None);
        }
        assert_eq!(valid_until(b""), None);
    }
}
