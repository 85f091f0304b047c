//! What the answers of a server are held against: the same way of a review through TLS and HTTP, and nothing else done with it.

use crate::admission::{Answer, Envelope};
use crate::certificate::Certificate;
use crate::intake::BodyBudget;
use crate::server::{IDLE, Listening, StartError, accept, listen, take, threads, tls};
use crate::settings::Limits;
use axum::Router;
use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use axum::routing::post;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::runtime::Runtime;
use tokio::sync::watch;
use tokio_rustls::TlsAcceptor;

/// A server that allows every review, and neither counts nor compares. No webhook: something to measure one by.
pub struct Baseline {
    /// Runs as long as the server is there.
    _runtime: Runtime,
    _end: watch::Sender<bool>,
    webhook: SocketAddr,
}

struct Shared {
    limits: Limits,
    budget: Arc<BodyBudget>,
}

impl Baseline {
    /// Starts to listen at `address`, with the limits of a webhook.
    ///
    /// # Errors
    /// When the address or a thread is not to be had.
    pub fn start(address: SocketAddr, certificate: Arc<Certificate>) -> Result<Self, StartError> {
        let limits = Limits::default();
        let runtime = threads().map_err(StartError::Threads)?;
        let (listener, webhook) = listen(&runtime, address)?;
        let (end, ends) = watch::channel(false);
        let shared = Arc::new(Shared { budget: BodyBudget::new(limits.buffered_bytes), limits: limits.clone() });
        let listening = Listening {
            router: Router::new().route("/mutate", post(review)).with_state(shared),
            tls: Some(TlsAcceptor::from(Arc::new(tls(certificate)?))),
            patience: Duration::from_millis(limits.head_milliseconds),
            idle: IDLE,
            connections: limits.connections,
            meters: None,
            end: ends,
        };
        runtime.spawn(accept(listener, listening));
        Ok(Self { _runtime: runtime, _end: end, webhook })
    }

    /// Where it listens.
    #[must_use]
    pub fn webhook(&self) -> SocketAddr {
        self.webhook
    }
}

async fn review(State(shared): State<Arc<Shared>>, body: Body) -> Response {
    let taken = take(body, &shared.limits, &shared.budget).await;
    let envelope = Envelope::read(&taken.bytes);
    match envelope.uid.as_deref() {
        Some(uid) => {
            let body = Answer::ALLOWED.body(&envelope, uid);
            ([(header::CONTENT_TYPE, HeaderValue::from_static("application/json"))], body).into_response()
        }
        None => StatusCode::BAD_REQUEST.into_response(),
    }
}
