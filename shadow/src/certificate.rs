//! Certificates: from files that may be replaced, and made on the spot for first tries.

use crate::validity::valid_until;
use jiff::Span;
use jiff::civil::Date;
use rcgen::{
    BasicConstraints, CertificateParams, DistinguishedName, DnType, ExtendedKeyUsagePurpose, IsCa, Issuer, KeyPair,
    KeyUsagePurpose,
};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::Duration;
use takeover_engine::bounded::{SETTINGS, plain_file};
use tokio_rustls::rustls;
use tokio_rustls::rustls::RootCertStore;
use tokio_rustls::rustls::client::WebPkiServerVerifier;
use tokio_rustls::rustls::client::danger::ServerCertVerifier as _;
use tokio_rustls::rustls::crypto::aws_lc_rs;
use tokio_rustls::rustls::pki_types::pem::PemObject as _;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName, UnixTime};
use tokio_rustls::rustls::server::{ClientHello, ResolvesServerCert};
use tokio_rustls::rustls::sign::CertifiedKey;

/// How long a certificate is valid that is made once, in years.
const YEARS: i32 = 10;

/// A certificate that cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CertificateError {
    /// A file that cannot be read.
    #[error("failed to read `{}`: {why}", .path.display())]
    Read {
        /// Which.
        path: PathBuf,
        /// Why not.
        why: io::Error,
    },
    /// A file that is no PEM of what it should hold.
    #[error("`{}` contains no usable {what}: {why}", .path.display())]
    Content {
        /// Which.
        path: PathBuf,
        /// Certificate or key.
        what: &'static str,
        /// What is wrong.
        why: String,
    },
    /// Certificate and key do not belong together, or the key is of an unknown sort.
    #[error("the key in `{}` does not match the certificate: {why}", .path.display())]
    Key {
        /// The file of the key.
        path: PathBuf,
        /// What is wrong.
        why: rustls::Error,
    },
    /// A certificate that cannot be made.
    #[error("failed to create a certificate")]
    Make(#[from] rcgen::Error),
}

impl CertificateError {
    /// Why a file could not be read.
    fn kind(&self) -> io::ErrorKind {
        match self {
            Self::Read { why, .. } => why.kind(),
            Self::Content { .. } | Self::Key { .. } | Self::Make(_) => io::ErrorKind::InvalidData,
        }
    }
}

/// The certificate of a server; where it is from files, they are read again when they change.
#[derive(Debug)]
pub struct Certificate {
    files: Option<Files>,
    current: RwLock<Arc<CertifiedKey>>,
    /// What the files held when they were last looked at, or why they could not be read.
    seen: Mutex<Result<Texts, io::ErrorKind>>,
}

/// Where certificate and key are.
#[derive(Debug)]
struct Files {
    certificate: PathBuf,
    key: PathBuf,
}

/// Certificate and key as PEM.
type Texts = (Vec<u8>, Vec<u8>);

impl Certificate {
    /// Reads the certificate chain and the key, both PEM.
    ///
    /// # Errors
    /// When a file cannot be read, or they do not belong together.
    pub fn read(certificate: &Path, key: &Path) -> Result<Arc<Self>, CertificateError> {
        let files = Files { certificate: certificate.to_owned(), key: key.to_owned() };
        let seen = files.contents()?;
        let current = RwLock::new(Arc::new(files.parse(&seen)?));
        Ok(Arc::new(Self { files: Some(files), current, seen: Mutex::new(Ok(seen)) }))
    }

    /// A certificate that was made just now and is in no file.
    ///
    /// # Errors
    /// Returns an error when certificate and key do not belong together or cannot be read.
    pub fn of(made: &Made) -> Result<Arc<Self>, CertificateError> {
        let texts = (made.certificate.as_bytes().to_vec(), made.key.as_bytes().to_vec());
        let nowhere = Files { certificate: PathBuf::from("-"), key: PathBuf::from("-") };
        let current = RwLock::new(Arc::new(nowhere.parse(&texts)?));
        Ok(Arc::new(Self { files: None, current, seen: Mutex::new(Ok(texts)) }))
    }

    /// When the first certificate of the chain ends, in seconds since 1970; none if that cannot be read.
    #[must_use]
    pub fn ends(&self) -> Option<u64> {
        let current = self.current.read().unwrap_or_else(PoisonError::into_inner);
        current.cert.iter().filter_map(|certificate| valid_until(certificate)).min()
    }

    /// Looks at the files again. Whether there was a new certificate, which connections from now on get.
    ///
    /// # Errors
    /// As [`Certificate::read`], once for every change of the files; the old certificate stays then.
    pub fn reload(&self) -> Result<bool, CertificateError> {
        let Some(files) = &self.files else { return Ok(false) };
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        let texts = files.contents();
        let now = texts.as_ref().cloned().map_err(CertificateError::kind);
        if *seen == now {
            return Ok(false);
        }
        *seen = now;
        let new = Arc::new(files.parse(&texts?)?);
        *self.current.write().unwrap_or_else(PoisonError::into_inner) = new;
        Ok(true)
    }
}

impl ResolvesServerCert for Certificate {
    fn resolve(&self, _: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        Some(Arc::clone(&self.current.read().unwrap_or_else(PoisonError::into_inner)))
    }
}

impl Files {
    fn contents(&self) -> Result<Texts, CertificateError> {
        let read = |path: &Path| {
            plain_file(path, SETTINGS).map_err(|why| CertificateError::Read { path: path.to_owned(), why })
        };
        Ok((read(&self.certificate)?, read(&self.key)?))
    }

    fn parse(&self, (certificate, key): &Texts) -> Result<CertifiedKey, CertificateError> {
        let bad = |path: &Path, what, why: String| CertificateError::Content { path: path.to_owned(), what, why };
        let chain = CertificateDer::pem_slice_iter(certificate)
            .collect::<Result<Vec<_>, _>>()
            .map_err(|error| bad(&self.certificate, "certificate", error.to_string()))?;
        if chain.is_empty() {
            return Err(bad(&self.certificate, "certificate", "there is none in it".to_owned()));
        }
        let private = PrivateKeyDer::from_pem_slice(key).map_err(|error| bad(&self.key, "key", error.to_string()))?;
        CertifiedKey::from_der(chain, private, &aws_lc_rs::default_provider())
            .map_err(|why| CertificateError::Key { path: self.key.clone(), why })
    }
}

/// A certificate authority and a server certificate of its, as PEM.
#[derive(Clone, PartialEq, Eq)]
pub struct Made {
    /// The authority's certificate: what clients trust, `caBundle` of a webhook configuration.
    pub authority: String,
    /// The server's certificate.
    pub certificate: String,
    /// The server's key.
    pub key: String,
}

impl Made {
    /// Whether clients that trust its authority accept it under each of these names at the time `at`, and the key is that of the
    /// certificate.
    pub(crate) fn serves(&self, names: &[String], at: jiff::Timestamp) -> bool {
        let accepted = || {
            let mut roots = RootCertStore::empty();
            roots.add(CertificateDer::from_pem_slice(self.authority.as_bytes()).ok()?).ok()?;
            let provider = Arc::new(aws_lc_rs::default_provider());
            let verifier = WebPkiServerVerifier::builder_with_provider(Arc::new(roots), provider).build().ok()?;
            let certificate = CertificateDer::from_pem_slice(self.certificate.as_bytes()).ok()?;
            let at = UnixTime::since_unix_epoch(Duration::from_secs(u64::try_from(at.as_second()).ok()?));
            let accepts = |name: &String| {
                let name = ServerName::try_from(name.as_str()).ok()?;
                verifier.verify_server_cert(&certificate, &[], &name, &[], at).ok()
            };
            names.iter().map(accepts).collect::<Option<Vec<_>>>()
        };
        Certificate::of(self).is_ok() && accepted().is_some()
    }
}

/// Makes an authority and a server certificate for these host names and addresses, valid for ten years. The authority's key is forgotten.
///
/// # Errors
/// When a name is none.
pub fn make(names: &[String]) -> Result<Made, CertificateError> {
    make_on(names, jiff::Timestamp::now().to_zoned(jiff::tz::TimeZone::UTC).date(), Span::new().years(YEARS))
}

/// Sets the time in which a certificate that is made on the day `today` is valid.
fn limit(certificate: &mut CertificateParams, today: Date, valid: Span) {
    let time = |date: Date| {
        let [month, day] = [date.month(), date.day()].map(|number| u8::try_from(number).unwrap_or(1));
        rcgen::date_time_ymd(date.year().into(), month, day)
    };
    // Clocks differ.
    certificate.not_before = time(today.saturating_sub(Span::new().days(1)));
    certificate.not_after = time(today.saturating_add(valid));
}

/// As [`make`], on the day `today`, and valid for so long.
///
/// # Errors
/// When a name is none.
pub(crate) fn make_on(names: &[String], today: Date, valid: Span) -> Result<Made, CertificateError> {
    let named = |name: &str| {
        let mut full = DistinguishedName::new();
        full.push(DnType::CommonName, name);
        full
    };
    let authority_key = KeyPair::generate()?;
    let mut authority = CertificateParams::new(Vec::new())?;
    authority.distinguished_name = named("takeover shadow authority");
    authority.is_ca = IsCa::Ca(BasicConstraints::Constrained(0));
    limit(&mut authority, today, valid);
    authority.key_usages = vec![KeyUsagePurpose::KeyCertSign];
    let authority_certificate = authority.self_signed(&authority_key)?;
    let issuer = Issuer::new(authority, authority_key);
    let key = KeyPair::generate()?;
    let mut server = CertificateParams::new(names.to_vec())?;
    server.distinguished_name = named("takeover shadow");
    limit(&mut server, today, valid);
    server.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
    // While one authority replaces another of the same name, clients that trust both see which of them it was.
    server.use_authority_key_identifier_extension = true;
    let certificate = server.signed_by(&key, &issuer)?;
    Ok(Made { authority: authority_certificate.pem(), certificate: certificate.pem(), key: key.serialize_pem() })
}

#[cfg(test)]
mod tests {
    use super::{Certificate, make, make_on};
    use tokio_rustls::rustls::pki_types::CertificateDer;
    use tokio_rustls::rustls::pki_types::pem::PemObject as _;

    #[test]
    fn certificates_are_valid_for_ten_years_and_so_is_their_authority() {
        let made =
            make_on(&["localhost".to_owned()], jiff::civil::date(2024, 2, 29), jiff::Span::new().years(10)).unwrap();
        for pem in [&made.authority, &made.certificate] {
            let certificate = CertificateDer::from_pem_slice(pem.as_bytes()).unwrap();
            // DER of the two times, one after the other.
            let validity = b"\x17\x0d240228000000Z\x17\x0d340228000000Z";
            assert!(certificate.windows(validity.len()).any(|window| window == validity), "{pem}");
        }
    }

    #[test]
    fn a_replaced_certificate_is_taken_over_and_a_broken_one_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let (certificate, key) = (folder.path().join("tls.crt"), folder.path().join("tls.key"));
        let [one, other] = [(); 2].map(|()| make(&["localhost".to_owned()]).unwrap());
        std::fs::write(&certificate, &one.certificate).unwrap();
        std::fs::write(&key, &one.key).unwrap();
        let read = Certificate::read(&certificate, &key).unwrap();
        let current = || read.current.read().unwrap().cert[0].to_vec();
        let first = current();
        assert!(!read.reload().unwrap());

        // Half of a replacement: the certificate is there, its key is not yet.
        std::fs::write(&certificate, &other.certificate).unwrap();
        let error = read.reload().unwrap_err().to_string();
        assert!(error.contains("tls.key"), "{error}");
        assert_eq!(current(), first);
        std::fs::write(&key, &other.key).unwrap();
        assert!(read.reload().unwrap());
        assert_ne!(current(), first);

        std::fs::write(&certificate, "nothing").unwrap();
        let error = read.reload().unwrap_err().to_string();
        assert!(error.contains("tls.crt"), "{error}");
        assert!(!read.reload().unwrap(), "a fault is told once");
        std::fs::remove_file(&key).unwrap();
        let error = read.reload().unwrap_err().to_string();
        assert!(error.contains("failed to read"), "{error}");
        assert!(!read.reload().unwrap(), "a fault is told once");
        std::fs::write(&certificate, &one.certificate).unwrap();
        std::fs::write(&key, &one.key).unwrap();
        assert!(read.reload().unwrap());
        assert_eq!(current(), first);
    }
}
