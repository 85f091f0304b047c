//! Load: reviews over kept connections, as fast as they are answered or at a fixed rate, and every answer looked at.

mod baseline;
mod exposition;
mod reviews;
mod tally;

pub use baseline::Baseline;
pub use exposition::Exposition;
pub use reviews::Reviews;
pub use tally::{Latency, Tally};

use crate::client::{ClientError, Connection};
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tokio::time::Instant;
use tokio_rustls::TlsConnector;

/// How much longer than planned is waited for the answers to what was due in time.
const GRACE: Duration = Duration::from_secs(5);

/// How long a connection that broke waits before it is opened again.
const REST: Duration = Duration::from_millis(10);

/// When reviews are sent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Pace {
    /// The next as soon as the answer to the one before it is there.
    Unbounded,
    /// So many a second, evenly, whether or not earlier ones are answered, as far as there are connections. Latency counts from when
    /// a review was due: one that had to wait for a connection waited for the server.
    Rate(f64),
}

/// When no more reviews are sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Until {
    /// After this time.
    Time(Duration),
    /// After so many.
    Reviews(u64),
}

/// What is sent.
#[derive(Clone, Copy, Debug)]
pub struct Load {
    /// Connections, each with one review under way at a time.
    pub connections: usize,
    /// When reviews are sent.
    pub pace: Pace,
    /// How many.
    pub until: Until,
}

/// What the connections share.
struct Client {
    address: SocketAddr,
    tls: TlsConnector,
    reviews: Reviews,
    load: Load,
    begin: Instant,
    next: AtomicU64,
}

/// Sends reviews to the webhook at `address` from one thread, and returns what came of them.
///
/// # Errors
/// When the first connections cannot be opened.
pub fn send(address: SocketAddr, tls: &TlsConnector, reviews: Reviews, load: Load) -> Result<Tally, ClientError> {
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(ClientError::Connection)?;
    runtime.block_on(async {
        let mut all = Tally::new().map_err(io::Error::other)?;
        let mut connections = Vec::new();
        for _ in 0..load.connections.max(1) {
            connections.push((Connection::open(address, Some(tls)).await?, all.clone()));
        }
        let client =
            Client { address, tls: tls.clone(), reviews, load, begin: Instant::now(), next: AtomicU64::new(0) };
        let client = Arc::new(client);
        let ran: Vec<_> =
            connections.into_iter().map(|(open, none)| tokio::spawn(Arc::clone(&client).run(open, none))).collect();
        for one in ran {
            all.add(&one.await.map_err(io::Error::other)?);
        }
        all.took = client.begin.elapsed();
        all.unsent = client.due().saturating_sub(all.sent);
        Ok(all)
    })
}

impl Client {
    /// Reviews that were due until the end; those that were sent, where nothing is due at any time.
    fn due(&self) -> u64 {
        match (self.load.until, self.load.pace) {
            (Until::Reviews(all), _) => all,
            (Until::Time(_), Pace::Unbounded) => 0,
            (Until::Time(time), Pace::Rate(rate)) => {
                #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a number of reviews")]
                {
                    (time.as_secs_f64() * rate).ceil() as u64
                }
            }
        }
    }

    /// When the next review is due, and its number; none when there is no next one.
    fn next(&self) -> Option<(u64, Instant)> {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let now = Instant::now();
        let due = match self.load.pace {
            Pace::Unbounded => now,
            #[expect(clippy::cast_precision_loss, reason = "numbers of reviews are far below 2^52")]
            Pace::Rate(rate) => self.begin + Duration::from_secs_f64(number as f64 / rate),
        };
        let goes_on = match self.load.until {
            Until::Reviews(all) => number < all,
            Until::Time(time) => due < self.begin + time && now < self.begin + time + GRACE,
        };
        goes_on.then_some((number, due))
    }

    async fn run(self: Arc<Self>, first: Connection, mut tally: Tally) -> Tally {
        let mut open = Some(first);
        while let Some((number, due)) = self.next() {
            if due > Instant::now() {
                tokio::time::sleep_until(due).await;
            }
            tally.sent += 1;
            let mut connection = match open.take() {
                Some(connection) => connection,
                None => match Connection::open(self.address, Some(&self.tls)).await {
                    Ok(connection) => connection,
                    Err(error) => {
                        tally.fault(&error.to_string());
                        tokio::time::sleep(REST).await;
                        continue;
                    }
                },
            };
            let (body, uid) = (self.reviews.body(number), self.reviews.uid(number));
            let sent = Instant::now();
            match connection.post("/validate", body).await {
                Ok(answered) => {
                    tally.answered(due.elapsed(), sent.elapsed());
                    if let Err(fault) = reviews::check(&answered, &uid) {
                        tally.fault(&fault);
                    }
                    open = Some(connection);
                }
                Err(error) => {
                    tally.fault(&error.to_string());
                    tokio::time::sleep(REST).await;
                }
            }
        }
        tally
    }
}
