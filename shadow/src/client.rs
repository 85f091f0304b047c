//! A client that sends one request after the other: for the self-test, for pages and for tests.

use std::sync::Arc;
use std::time::Duration;
use tokio_rustls::rustls::crypto::aws_lc_rs;
use ureq::tls::{Certificate, RootCerts, TlsConfig};
use ureq::{Agent, Body, http};

/// A request that got no answer.
#[derive(Debug, thiserror::Error)]
#[error("no answer: {0}")]
pub struct ClientError(#[from] ureq::Error);

/// An answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answered {
    /// HTTP code.
    pub code: u16,
    /// Body.
    pub body: Vec<u8>,
}

/// A client of one server. Connections are kept from request to request.
#[derive(Debug)]
pub struct Client {
    agent: Agent,
    origin: String,
}

impl Client {
    /// A client of the server at `origin`, such as `http://127.0.0.1:8080`.
    #[must_use]
    pub fn new(origin: impl Into<String>) -> Self {
        Self::with(origin, TlsConfig::builder())
    }

    /// A client of the server at `origin`, such as `https://127.0.0.1:8443`, whose certificate is of this authority, given as PEM.
    ///
    /// # Errors
    /// Returns an error when the text is not a certificate authority.
    pub fn trusting(origin: impl Into<String>, authority: &str) -> Result<Self, ClientError> {
        let authority = Certificate::from_pem(authority.as_bytes())?;
        Ok(Self::with(origin, TlsConfig::builder().root_certs(RootCerts::new_with_certs(&[authority]))))
    }

    /// A client of the server at `origin` that waits for an answer no longer than `limit`. It trusts the authority, given as PEM, or
    /// else those of the system's public ones.
    ///
    /// # Errors
    /// Returns an error when the text is not a certificate authority.
    pub fn patient(origin: impl Into<String>, authority: Option<&str>, limit: Duration) -> Result<Self, ClientError> {
        let tls = match authority {
            Some(authority) => {
                let authority = Certificate::from_pem(authority.as_bytes())?;
                TlsConfig::builder().root_certs(RootCerts::new_with_certs(&[authority]))
            }
            None => TlsConfig::builder(),
        };
        Ok(Self::within(origin, tls, Some(limit)))
    }

    fn with(origin: impl Into<String>, tls: ureq::tls::TlsConfigBuilder) -> Self {
        Self::within(origin, tls, None)
    }

    fn within(origin: impl Into<String>, tls: ureq::tls::TlsConfigBuilder, limit: Option<Duration>) -> Self {
        let tls = tls.unversioned_rustls_crypto_provider(Arc::new(aws_lc_rs::default_provider())).build();
        // What the environment says of proxies is not for a server on this machine.
        let config = Agent::config_builder().http_status_as_error(false).proxy(None).timeout_global(limit);
        let config = config.tls_config(tls).build();
        Self { agent: config.new_agent(), origin: origin.into() }
    }

    /// Posts JSON.
    ///
    /// # Errors
    /// Returns an error when there is no answer.
    pub fn post(&self, path: &str, body: impl Into<Vec<u8>>) -> Result<Answered, ClientError> {
        self.send("POST", path, "application/json", body)
    }

    /// Sends a request with a body.
    ///
    /// # Errors
    /// Returns an error when there is no answer.
    pub fn send(
        &self,
        method: &str,
        path: &str,
        content_type: &str,
        body: impl Into<Vec<u8>>,
    ) -> Result<Answered, ClientError> {
        let request = http::Request::builder().method(method).uri(self.at(path));
        let request = request.header(http::header::CONTENT_TYPE, content_type).body(body.into());
        answered(self.agent.run(request.map_err(ureq::Error::from)?)?)
    }

    /// Gets a page.
    ///
    /// # Errors
    /// Returns an error when there is no answer.
    pub fn get(&self, path: &str) -> Result<Answered, ClientError> {
        answered(self.agent.get(self.at(path)).call()?)
    }

    /// Gets a page, with a bearer token if one is given.
    ///
    /// # Errors
    /// Returns an error when there is no answer, or the token cannot stand in a header.
    pub fn get_as(&self, path: &str, token: Option<&str>) -> Result<Answered, ClientError> {
        let mut request = http::Request::builder().method("GET").uri(self.at(path));
        if let Some(token) = token {
            request = request.header(http::header::AUTHORIZATION, format!("Bearer {token}"));
        }
        answered(self.agent.run(request.body(()).map_err(ureq::Error::from)?)?)
    }

    fn at(&self, path: &str) -> String {
        format!("{}{path}", self.origin)
    }
}

fn answered(mut response: http::Response<Body>) -> Result<Answered, ClientError> {
    let body = response.body_mut().with_config().limit(u64::MAX).read_to_vec()?;
    Ok(Answered { code: response.status().as_u16(), body })
}
