//! Connections as API servers keep them: HTTP/1.1 over TLS. Load opens, keeps and times each by itself, which clients with a pool
//! of connections, such as [`client`](crate::client), do not let it do.

use crate::client::Answered;
use http_body_util::{BodyExt as _, Full};
use hyper::body::Bytes;
use hyper::client::conn::http1::{self, SendRequest};
use hyper::{Request, header};
use hyper_util::rt::TokioIo;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;
use tokio_rustls::rustls::client::Resumption;
use tokio_rustls::rustls::crypto::aws_lc_rs;
use tokio_rustls::rustls::pki_types::pem::PemObject as _;
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName};
use tokio_rustls::rustls::{ClientConfig, RootCertStore};

/// A request that got no answer.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ConnectionError {
    /// There is no connection, or it broke.
    #[error("no connection: {0}")]
    Connection(#[from] io::Error),
    /// The answer is not HTTP.
    #[error("no answer: {0}")]
    Http(#[from] hyper::Error),
    /// The request or the certificate authority is malformed.
    #[error("no request: {0}")]
    Request(String),
}

/// An open connection.
pub struct Connection(SendRequest<Full<Bytes>>);

/// TLS that trusts one authority, given as PEM.
///
/// # Errors
/// Returns an error when the text is not a certificate authority.
pub fn trusting(authority: &str) -> Result<TlsConnector, ConnectionError> {
    let bad = |error: &dyn std::fmt::Display| ConnectionError::Request(error.to_string());
    let mut roots = RootCertStore::empty();
    roots
        .add(CertificateDer::from_pem_slice(authority.as_bytes()).map_err(|error| bad(&error))?)
        .map_err(|error| bad(&error))?;
    let mut config = ClientConfig::builder_with_provider(Arc::new(aws_lc_rs::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(|error| bad(&error))?
        .with_root_certificates(roots)
        .with_no_client_auth();
    // Every connection sees the certificate of the moment, as those of API servers do.
    config.resumption = Resumption::disabled();
    Ok(TlsConnector::from(Arc::new(config)))
}

/// An encrypted stream to the server `localhost` at `address`, for whatever is to be written to it.
///
/// # Errors
/// Returns an error when the connection fails.
pub async fn stream(address: SocketAddr, tls: &TlsConnector) -> Result<TlsStream<TcpStream>, ConnectionError> {
    let tcp = TcpStream::connect(address).await?;
    tcp.set_nodelay(true)?;
    let name = ServerName::try_from("localhost").map_err(|error| ConnectionError::Request(error.to_string()))?;
    Ok(tls.connect(name, tcp).await?)
}

impl Connection {
    /// Connects to the server at `address`.
    ///
    /// # Errors
    /// Returns an error when nobody answers.
    pub async fn open(address: SocketAddr, tls: &TlsConnector) -> Result<Self, ConnectionError> {
        let (sender, connection) = http1::handshake(TokioIo::new(stream(address, tls).await?)).await?;
        tokio::spawn(connection);
        Ok(Self(sender))
    }

    /// Posts JSON.
    ///
    /// # Errors
    /// Returns an error when there is no answer.
    pub async fn post(&mut self, path: &str, body: impl Into<Bytes>) -> Result<Answered, ConnectionError> {
        self.0.ready().await?;
        let request = Request::post(path)
            .header(header::HOST, "localhost")
            .header(header::CONTENT_TYPE, "application/json")
            .body(Full::new(body.into()))
            .map_err(|error| ConnectionError::Request(error.to_string()))?;
        let response = self.0.send_request(request).await?;
        let code = response.status().as_u16();
        let body = response.into_body().collect().await?.to_bytes().to_vec();
        Ok(Answered { code, body })
    }
}
