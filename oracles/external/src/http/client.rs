//! Requests over kept connections.

use super::request::{LONGEST_BODY, NoAnswer, Repeat, Reply, Trust, TrustError};
use std::io::ErrorKind;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use ureq::config::Config;
use ureq::tls::{Certificate, ClientCert, PemItem, PrivateKey, RootCerts, TlsConfig, parse_pem};
use ureq::unversioned::resolver::{ResolvedSocketAddrs, Resolver};
use ureq::unversioned::transport::{DefaultConnector, NextTimeout};
use ureq::{Agent, Body};

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
            .unversioned_rustls_crypto_provider(Arc::new(rustls::crypto::aws_lc_rs::default_provider()))
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
    use super::{Trust, TrustError};

    #[test]
    fn what_is_no_pem_is_refused_without_being_repeated() {
        let wrong = |trust: Trust| trust.config().map(|_| ()).unwrap_err();
        let junk = || b"secret".to_vec();
        assert_eq!(wrong(Trust { authorities: Some(junk()), ..Trust::default() }), TrustError::Authority);
        assert_eq!(wrong(Trust { identity: Some((junk(), junk())), ..Trust::default() }), TrustError::Certificate);
    }
}
