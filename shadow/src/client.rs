//! A client as API servers are one: HTTP/1.1 over TLS, connections kept. For the self-test, for tests and for load.

use http_body_util::{BodyExt as _, Full};
use hyper::body::Bytes;
use hyper::client::conn::http1::{self, SendRequest};
use hyper::{Method, Request, header};
use hyper_util::rt::TokioIo;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;
use tokio_rustls::rustls::client::Resumption;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::PemObject as _;
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName};
use tokio_rustls::rustls::{ClientConfig, RootCertStore};

/// A request that got no answer.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ClientError {
    /// No connection, or a broken one.
    #[error("no connection: {0}")]
    Connection(#[from] io::Error),
    /// No HTTP.
    #[error("no answer: {0}")]
    Http(#[from] hyper::Error),
    /// Something that is no request, or no authority.
    #[error("no request: {0}")]
    Request(String),
}

/// An answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answered {
    /// HTTP code.
    pub code: u16,
    /// Body.
    pub body: Vec<u8>,
}

/// An open connection.
pub struct Connection(SendRequest<Full<Bytes>>);

/// TLS that trusts one authority, given as PEM.
///
/// # Errors
/// When it is none.
pub fn trusting(authority: &str) -> Result<TlsConnector, ClientError> {
    let bad = |error: &dyn std::fmt::Display| ClientError::Request(error.to_string());
    let mut roots = RootCertStore::empty();
    roots
        .add(CertificateDer::from_pem_slice(authority.as_bytes()).map_err(|error| bad(&error))?)
        .map_err(|error| bad(&error))?;
    let mut config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
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
/// When there is none.
pub async fn stream(address: SocketAddr, tls: &TlsConnector) -> Result<TlsStream<TcpStream>, ClientError> {
    let tcp = TcpStream::connect(address).await?;
    tcp.set_nodelay(true)?;
    let name = ServerName::try_from("localhost").map_err(|error| ClientError::Request(error.to_string()))?;
    Ok(tls.connect(name, tcp).await?)
}

impl Connection {
    /// Connects to the server at `address`; without `tls`, in plain text.
    ///
    /// # Errors
    /// When nobody answers.
    pub async fn open(address: SocketAddr, tls: Option<&TlsConnector>) -> Result<Self, ClientError> {
        let sender = match tls {
            Some(tls) => {
                let (sender, connection) = http1::handshake(TokioIo::new(stream(address, tls).await?)).await?;
                tokio::spawn(connection);
                sender
            }
            None => {
                let (sender, connection) = http1::handshake(TokioIo::new(TcpStream::connect(address).await?)).await?;
                tokio::spawn(connection);
                sender
            }
        };
        Ok(Self(sender))
    }

    /// Posts JSON.
    ///
    /// # Errors
    /// When there is no answer.
    pub async fn post(&mut self, path: &str, body: impl Into<Bytes>) -> Result<Answered, ClientError> {
        self.send(Method::POST, path, "application/json", body.into()).await
    }

    /// Gets a page.
    ///
    /// # Errors
    /// When there is no answer.
    pub async fn get(&mut self, path: &str) -> Result<Answered, ClientError> {
        self.send(Method::GET, path, "text/plain", Bytes::new()).await
    }

    /// Sends any request.
    ///
    /// # Errors
    /// When there is no answer.
    pub async fn send(
        &mut self,
        method: Method,
        path: &str,
        content_type: &str,
        body: Bytes,
    ) -> Result<Answered, ClientError> {
        self.0.ready().await?;
        let request = Request::builder()
            .method(method)
            .uri(path)
            .header(header::HOST, "localhost")
            .header(header::CONTENT_TYPE, content_type)
            .body(Full::new(body))
            .map_err(|error| ClientError::Request(error.to_string()))?;
        let response = self.0.send_request(request).await?;
        let code = response.status().as_u16();
        let body = response.into_body().collect().await?.to_bytes().to_vec();
        Ok(Answered { code, body })
    }
}
