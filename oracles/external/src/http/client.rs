//! Requests over kept connections.

use std::fmt;
use std::io::ErrorKind;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;
use ureq::config::Config;
use ureq::tls::{Certificate, ClientCert, PemItem, PrivateKey, RootCerts, TlsConfig, parse_pem};
use ureq::unversioned::resolver::{ResolvedSocketAddrs, Resolver};
use ureq::unversioned::transport::{DefaultConnector, NextTimeout};
use ureq::{Agent, Body, http};

/// Longest body that is read.
pub(crate) const LONGEST_BODY: u64 = 16 << 20;

/// Whose certificates are believed, and the certificate that is shown, as PEM.
#[derive(Default)]
pub(crate) struct Trust {
    /// Certificate authorities.
    pub(crate) authorities: Option<Vec<u8>>,
    /// Certificate chain and key.
    pub(crate) identity: Option<(Vec<u8>, Vec<u8>)>,
    /// Believes any certificate.
    pub(crate) insecure: bool,
}

/// Something that is not the PEM it should be. Says nothing of what it is: it may be a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum TrustError {
    #[error("no certificate authority in PEM format")]
    Authority,
    #[error("no client certificate in PEM format")]
    Certificate,
    #[error("no private key in PEM format")]
    Key,
    #[error("a token with characters that cannot be sent")]
    Token,
}

impl Trust {
    fn config(&self) -> Result<TlsConfig, TrustError> {
        let roots = match &self.authorities {
            Some(pem) => certificates(pem).ok_or(TrustError::Authority)?,
            None => Vec::new(),
        };
        let identity = match &self.identity {
            Some((chain, key)) => {
                let chain = certificates(chain).ok_or(TrustError::Certificate)?;
                let key = PrivateKey::from_pem(key).map_err(|_| TrustError::Key)?;
                Some(ClientCert::new_with_certs(&chain, key))
            }
            None => None,
        };
        Ok(TlsConfig::builder()
            .root_certs(RootCerts::new_with_certs(&roots))
            .client_cert(identity)
            .disable_verification(self.insecure)
            .unversioned_rustls_crypto_provider(Arc::new(rustls::crypto::ring::default_provider()))
            .build())
    }
}

/// The certificates of a PEM file; none when there is none, or one that does not read.
fn certificates(pem: &[u8]) -> Option<Vec<Certificate<'static>>> {
    let mut found = Vec::new();
    for item in parse_pem(pem) {
        if let PemItem::Certificate(certificate) = item.ok()? {
            found.push(certificate);
        }
    }
    (!found.is_empty()).then_some(found)
}

/// Scheme, host and port of a URL, and what follows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Origin {
    /// Whether it is HTTPS.
    pub(crate) tls: bool,
    /// Whether the host is this machine: `localhost`, or an address of the loopback interface.
    pub(crate) loopback: bool,
    /// The URL without query, to show.
    pub(crate) shown: String,
}

impl Origin {
    /// Reads an absolute HTTP or HTTPS URL without user and password; says what is wrong otherwise, without repeating it all.
    pub(crate) fn of(url: &str) -> Result<Self, &'static str> {
        let uri: http::Uri = url.parse().map_err(|_| "is not a URL")?;
        let tls = match uri.scheme_str() {
            Some("http") => false,
            Some("https") => true,
            _ => return Err("does not begin with `http://` or `https://`"),
        };
        let Some(authority) = uri.authority() else { return Err("names no host") };
        if authority.as_str().contains('@') {
            return Err("contains a user or a password: use a client certificate instead");
        }
        let scheme = if tls { "https" } else { "http" };
        let host = authority.host().trim_start_matches('[').trim_end_matches(']');
        let loopback = host == "localhost" || host.parse().is_ok_and(|address: IpAddr| address.is_loopback());
        Ok(Self { tls, loopback, shown: format!("{scheme}://{authority}{}", uri.path()) })
    }
}

/// Whether a request may be sent once more when a kept connection turns out to be closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Repeat {
    /// It changes nothing.
    Once,
    /// It changes something.
    Never,
}

/// An answer of any code.
#[derive(Debug)]
pub(crate) struct Reply {
    /// HTTP code.
    pub(crate) code: u16,
    /// `Retry-After` in seconds.
    pub(crate) retry_after: Option<Duration>,
    /// Body.
    pub(crate) body: Vec<u8>,
}

/// Why there is no answer. To be read after the name of whoever should have answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum NoAnswer {
    /// There is no connection.
    Connect(String),
    /// It takes too long.
    Timeout(Duration),
    /// The body is too long.
    TooLarge,
    /// The connection broke, or what came is no HTTP.
    Broken(String),
}

impl NoAnswer {
    fn of(error: &ureq::Error, timeout: Duration) -> Self {
        match error {
            ureq::Error::Timeout(_) => Self::Timeout(timeout),
            ureq::Error::BodyExceedsLimit(_) => Self::TooLarge,
            ureq::Error::HostNotFound => Self::Connect("no such host".to_owned()),
            ureq::Error::ConnectionFailed => Self::Connect("no connection".to_owned()),
            ureq::Error::Rustls(error) => Self::Connect(format!("TLS: {error}")),
            ureq::Error::Io(error) => match error.kind() {
                ErrorKind::TimedOut => Self::Timeout(timeout),
                ErrorKind::ConnectionRefused
                | ErrorKind::HostUnreachable
                | ErrorKind::NetworkUnreachable
                | ErrorKind::AddrNotAvailable
                | ErrorKind::InvalidData => Self::Connect(error.to_string()),
                _ => Self::Broken(error.to_string()),
            },
            error => Self::Broken(error.to_string()),
        }
    }

    /// The failure of a request to `url`.
    pub(crate) fn at(&self, url: &str) -> String {
        match self {
            Self::Connect(why) => format!("cannot connect to `{url}`: {why}"),
            Self::Timeout(limit) => format!("no answer from `{url}` within {}", Seconds(*limit)),
            Self::TooLarge => format!("the answer of `{url}` is larger than {} MiB", LONGEST_BODY >> 20),
            Self::Broken(why) => format!("no answer from `{url}`: {why}"),
        }
    }
}

/// Prints `10 s`, `0.5 s`.
struct Seconds(Duration);

impl fmt::Display for Seconds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} s", self.0.as_secs_f64())
    }
}

/// Finds every host at one address.
#[derive(Debug)]
struct There(SocketAddr);

impl Resolver for There {
    fn resolve(&self, _: &http::Uri, _: &Config, _: NextTimeout) -> Result<ResolvedSocketAddrs, ureq::Error> {
        let mut found = self.empty();
        found.push(self.0);
        Ok(found)
    }
}

/// Sends requests and keeps their connections.
pub(crate) struct Client {
    agent: Agent,
    timeout: Duration,
    authorization: Option<http::HeaderValue>,
}

impl Client {
    /// A client that keeps as many connections as `connections`. If an address is given, every connection goes there, whatever
    /// host the URL names.
    pub(crate) fn new(
        trust: &Trust,
        timeout: Duration,
        connections: usize,
        address: Option<SocketAddr>,
    ) -> Result<Self, TrustError> {
        let config = Agent::config_builder()
            .http_status_as_error(false)
            // An API server follows no redirects of webhooks, and a token is for nobody else.
            .max_redirects(0)
            .max_redirects_will_error(false)
            // What the environment says of proxies is not for what was named here.
            .proxy(None)
            .timeout_global(Some(timeout))
            .max_idle_connections(connections)
            .max_idle_connections_per_host(connections)
            .max_idle_age(Duration::from_secs(60))
            // A DELETE may have a body, which says what it is for.
            .allow_non_standard_methods(true)
            .user_agent(concat!("takeover/", env!("CARGO_PKG_VERSION")))
            .accept("application/json")
            .tls_config(trust.config()?)
            .build();
        let agent = match address {
            None => config.new_agent(),
            Some(address) => Agent::with_parts(config, DefaultConnector::default(), There(address)),
        };
        Ok(Self { agent, timeout, authorization: None })
    }

    /// Shows this token; none when it cannot stand in a header.
    pub(crate) fn with_token(mut self, token: &str) -> Option<Self> {
        let mut value = http::HeaderValue::from_str(&format!("Bearer {token}")).ok()?;
        value.set_sensitive(true);
        self.authorization = Some(value);
        Some(self)
    }

    /// Sends a request, with JSON if there is a body.
    pub(crate) fn send(
        &self,
        method: &http::Method,
        url: &str,
        body: Option<&[u8]>,
        repeat: Repeat,
    ) -> Result<Reply, NoAnswer> {
        match self.send_once(method, url, body) {
            Err(error) if repeat == Repeat::Once && closed(&error) => self.send_once(method, url, body),
            other => other,
        }
        .map_err(|error| NoAnswer::of(&error, self.timeout))
    }

    fn send_once(&self, method: &http::Method, url: &str, body: Option<&[u8]>) -> Result<Reply, ureq::Error> {
        let mut request = http::Request::builder().method(method).uri(url);
        if let Some(authorization) = &self.authorization {
            request = request.header(http::header::AUTHORIZATION, authorization);
        }
        let response = match body {
            Some(body) => {
                let request = request.header(http::header::CONTENT_TYPE, "application/json");
                self.agent.run(request.body(body)?)?
            }
            None => self.agent.run(request.body(())?)?,
        };
        reply(response)
    }
}

/// Whether the error is that of a kept connection which the other side had closed.
fn closed(error: &ureq::Error) -> bool {
    match error {
        ureq::Error::Io(error) => matches!(
            error.kind(),
            ErrorKind::ConnectionReset
                | ErrorKind::ConnectionAborted
                | ErrorKind::BrokenPipe
                | ErrorKind::UnexpectedEof
                | ErrorKind::NotConnected
        ),
        ureq::Error::Protocol(_) => true,
        _ => false,
    }
}

fn reply(mut response: http::Response<Body>) -> Result<Reply, ureq::Error> {
    let seconds = response.headers().get(http::header::RETRY_AFTER).and_then(|value| value.to_str().ok()?.parse().ok());
    let body = response.body_mut().with_config().limit(LONGEST_BODY).read_to_vec()?;
    Ok(Reply { code: response.status().as_u16(), retry_after: seconds.map(Duration::from_secs), body })
}

#[cfg(test)]
mod tests {
    use super::{Origin, Trust, TrustError};

    #[test]
    fn urls_are_shown_without_query_and_never_have_a_password() {
        let origin = Origin::of("https://hook.example:8443/validate?token=x").unwrap();
        assert_eq!(
            origin,
            Origin { tls: true, loopback: false, shown: "https://hook.example:8443/validate".to_owned() }
        );
        for (url, wrong) in [
            ("https://me:secret@hook.example/", "contains a user or a password"),
            ("hook.example:8443", "does not begin with"),
            ("ftp://hook.example/", "does not begin with"),
            ("http://a b", "is not a URL"),
        ] {
            assert!(Origin::of(url).unwrap_err().contains(wrong), "{url}");
        }
    }

    #[test]
    fn what_is_no_pem_is_refused_without_being_repeated() {
        let wrong = |trust: Trust| trust.config().map(|_| ()).unwrap_err();
        let junk = || b"secret".to_vec();
        assert_eq!(wrong(Trust { authorities: Some(junk()), ..Trust::default() }), TrustError::Authority);
        assert_eq!(wrong(Trust { identity: Some((junk(), junk())), ..Trust::default() }), TrustError::Certificate);
    }
}
