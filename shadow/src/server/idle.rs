//! Kept connections: the head of a request takes so long at most, and the time before it may be longer.

use super::crowd::Activity;
use hyper::rt::{Sleep, Timer};
use std::future::Future;
use std::io::{self, IoSlice};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, ready};
use std::time::{Duration, Instant};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// Whether something was sent on a connection since its last answer. Of a new connection a request is due at once.
#[derive(Clone)]
struct Begun(Arc<AtomicBool>);

impl Begun {
    fn set(&self, begun: bool) {
        self.0.store(begun, Ordering::Relaxed);
    }

    fn get(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// A connection that notes when a request begins and when it is answered, and the timer for the heads of its requests: `patience` for a
/// head, `idle` for the time between two requests.
pub(super) fn noted<S>(stream: S, activity: Activity, patience: Duration, idle: Duration) -> (Noted<S>, HeadTimer) {
    let begun = Begun(Arc::new(AtomicBool::new(true)));
    activity.moved();
    (Noted { stream, begun: begun.clone(), activity }, HeadTimer { begun, patience, idle })
}

/// A connection that notes when a request begins and when it is answered.
pub(super) struct Noted<S> {
    stream: S,
    begun: Begun,
    activity: Activity,
}

impl<S: AsyncRead + Unpin> AsyncRead for Noted<S> {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let before = buf.filled().len();
        let read = Pin::new(&mut self.stream).poll_read(cx, buf);
        if buf.filled().len() > before {
            self.begun.set(true);
            self.activity.moved();
        }
        read
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Noted<S> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        self.begun.set(false);
        self.activity.moved();
        Pin::new(&mut self.stream).poll_write(cx, bytes)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        parts: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        self.begun.set(false);
        self.activity.moved();
        Pin::new(&mut self.stream).poll_write_vectored(cx, parts)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}

/// The timer that hyper gives a head, from the end of the request before: it goes on while the connection is idle.
pub(super) struct HeadTimer {
    begun: Begun,
    patience: Duration,
    idle: Duration,
}

impl Timer for HeadTimer {
    fn sleep(&self, duration: Duration) -> Pin<Box<dyn Sleep>> {
        self.sleep_until(self.now() + duration)
    }

    fn sleep_until(&self, deadline: Instant) -> Pin<Box<dyn Sleep>> {
        Box::pin(HeadSleep {
            sleep: Box::pin(tokio::time::sleep_until(deadline.into())),
            begun: self.begun.clone(),
            patience: self.patience,
            idle_until: deadline + self.idle.saturating_sub(self.patience),
        })
    }

    fn now(&self) -> Instant {
        tokio::time::Instant::now().into()
    }
}

struct HeadSleep {
    sleep: Pin<Box<tokio::time::Sleep>>,
    begun: Begun,
    patience: Duration,
    idle_until: Instant,
}

impl Future for HeadSleep {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        loop {
            ready!(self.sleep.as_mut().poll(cx));
            let now: Instant = tokio::time::Instant::now().into();
            if self.begun.get() || now >= self.idle_until {
                return Poll::Ready(());
            }
            let again = self.idle_until.min(now + self.patience);
            self.sleep.as_mut().reset(again.into());
        }
    }
}

impl Sleep for HeadSleep {}
