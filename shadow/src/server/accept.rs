//! Connections: so many at once, each with so much patience.

use super::crowd::{Crowd, Member};
use super::idle::noted;
use crate::metrics::Meters;
use axum::Router;
use hyper::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::{Service as _, service_fn};
use hyper_util::rt::TokioIo;
use hyper_util::service::TowerToHyperService;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tokio_io_timeout::TimeoutStream;
use tokio_rustls::TlsAcceptor;

/// Longest head of a request.
const HEAD: usize = 64 << 10;

/// How long kept connections of a webhook may be idle. API servers keep theirs for 90 seconds, and are to be the ones that let go: what
/// they send on a connection that is just being closed is lost.
pub(crate) const IDLE: Duration = Duration::from_secs(120);

/// How long a connection may take to make room.
const LEAVING: Duration = Duration::from_millis(100);

/// How often it is said that connections cannot be accepted.
const BETWEEN_COMPLAINTS: Duration = Duration::from_secs(60);

/// What all connections of a listener have in common.
#[derive(Clone)]
pub(crate) struct Listening {
    /// What answers.
    pub(crate) router: Router,
    /// TLS, where it is spoken.
    pub(crate) tls: Option<TlsAcceptor>,
    /// How long a handshake, a head, and a client that takes nothing of an answer may take.
    pub(crate) patience: Duration,
    /// How long a kept connection may be idle.
    pub(crate) idle: Duration,
    /// Most connections.
    pub(crate) connections: usize,
    /// Counts connections, if they are counted.
    pub(crate) meters: Option<Arc<crate::state::State>>,
    /// Turns true when the server ends: no more connections, and those that are there end with their request.
    pub(crate) end: watch::Receiver<bool>,
}

/// Accepts connections until the end, then waits for them, however long it takes: the caller limits that.
pub(crate) async fn accept(listener: TcpListener, mut listening: Listening) {
    let free = Arc::new(Semaphore::new(listening.connections));
    let crowd = Crowd::new();
    let mut complaints = Complaints::default();
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            _ = listening.end.wait_for(|end| *end) => break,
        };
        match accepted {
            Ok((stream, _)) => match room(&free, &crowd, &listening).await {
                Some(permit) => {
                    tokio::spawn(connection(stream, listening.clone(), crowd.join(), permit));
                }
                None => listening.count(|meters| meters.refused.inc()),
            },
            // No more file descriptors, say: those that are open will end.
            Err(error) => {
                if complaints.is_due(Instant::now()) {
                    tracing::warn!(%error, "connections cannot be accepted");
                }
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        }
    }
    drop(listener);
    let all = u32::try_from(listening.connections).unwrap_or(u32::MAX);
    let _ = free.acquire_many(all).await;
}

/// Room for another connection, which a quiet one may have to make.
async fn room(free: &Arc<Semaphore>, crowd: &Crowd, listening: &Listening) -> Option<OwnedSemaphorePermit> {
    if let Ok(permit) = Arc::clone(free).try_acquire_owned() {
        return Some(permit);
    }
    if !crowd.make_room() {
        return None;
    }
    listening.count(|meters| meters.made_room.inc());
    tokio::time::timeout(LEAVING, Arc::clone(free).acquire_owned()).await.ok()?.ok()
}

/// What was complained of. Of many connections some succeed, so a success does not end what is wrong.
#[derive(Default)]
struct Complaints(Option<Instant>);

impl Complaints {
    /// Whether it is time to complain again.
    fn is_due(&mut self, now: Instant) -> bool {
        let is_due = self.0.is_none_or(|last| now.saturating_duration_since(last) >= BETWEEN_COMPLAINTS);
        if is_due {
            self.0 = Some(now);
        }
        is_due
    }
}

impl Listening {
    fn count(&self, count: impl FnOnce(&Meters)) {
        if let Some(state) = &self.meters {
            count(&state.meters);
        }
    }
}

async fn connection(stream: TcpStream, listening: Listening, member: Member, permit: OwnedSemaphorePermit) {
    listening.count(|meters| meters.connections.inc());
    let fine = tokio::select! {
        fine = answered(stream, &listening, &member) => fine,
        () = member.leaves() => true,
    };
    if !fine {
        listening.count(|meters| meters.broken.inc());
    }
    listening.count(|meters| meters.connections.dec());
    drop((member, permit));
}

/// Answers what comes on a connection. Whether it ended as it should.
async fn answered(stream: TcpStream, listening: &Listening, member: &Member) -> bool {
    // Answers are small and wanted at once.
    let _ = stream.set_nodelay(true);
    let mut stream = TimeoutStream::new(stream);
    // Whoever takes no answer has no use for more.
    stream.set_write_timeout(Some(listening.patience));
    let stream = Box::pin(stream);
    match &listening.tls {
        None => serve(stream, listening, member).await,
        Some(tls) => match tokio::time::timeout(listening.patience, tls.accept(stream)).await {
            Ok(Ok(stream)) => serve(stream, listening, member).await,
            Ok(Err(_)) | Err(_) => false,
        },
    }
}

/// Serves a connection to its end. Whether it ended as it should.
async fn serve(stream: impl AsyncRead + AsyncWrite + Unpin, listening: &Listening, member: &Member) -> bool {
    let mut end = listening.end.clone();
    let activity = member.activity();
    let (stream, timer) = noted(stream, activity.clone(), listening.patience, listening.idle);
    let mut builder = http1::Builder::new();
    // A client that has sent everything and closed its side still gets its answer.
    builder.timer(timer).header_read_timeout(listening.patience).max_buf_size(HEAD).half_close(true);
    let router = TowerToHyperService::new(listening.router.clone());
    let service = service_fn(|request: Request<Incoming>| {
        activity.answering(true);
        let (answer, activity) = (router.call(request), activity.clone());
        async move {
            let answer = answer.await;
            activity.answering(false);
            answer
        }
    });
    let connection = builder.serve_connection(TokioIo::new(stream), service);
    let mut connection = std::pin::pin!(connection);
    tokio::select! {
        ended = connection.as_mut() => return ended.is_ok(),
        _ = end.wait_for(|end| *end) => {}
    }
    connection.as_mut().graceful_shutdown();
    connection.await.is_ok()
}

#[cfg(test)]
mod tests {
    use super::Complaints;
    use std::time::{Duration, Instant};

    #[test]
    fn what_goes_wrong_again_and_again_is_said_once_a_minute() {
        let mut complaints = Complaints::default();
        let begin = Instant::now();
        let said = |seconds| complaints.is_due(begin + Duration::from_secs(seconds));
        assert_eq!([0, 1, 59, 60, 61, 200].map(said), [true, false, false, true, false, true]);
    }
}
