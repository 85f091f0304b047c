//! Load: reviews over kept connections, as fast as they are answered or at a fixed rate, and every answer looked at.

mod baseline;
mod connection;
mod reviews;
mod tally;

pub use crate::exposition::Exposition;
pub use baseline::Baseline;
pub use connection::{Connection, ConnectionError, stream, trusting};
pub use reviews::Reviews;
pub use tally::{Latency, Tally};

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tokio::sync::Semaphore;
use tokio::time::Instant;
use tokio_rustls::TlsConnector;

/// How much longer than planned is waited for the answers to what was due in time.
const GRACE: Duration = Duration::from_secs(5);

/// How often it is looked what is due: the timers of connections count in milliseconds, which would be most of what is measured.
const TICK: Duration = Duration::from_micros(100);

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
    /// Reviews that are due and that no connection has turned to, where they have their time.
    due: Semaphore,
}

/// Sends reviews to the webhook at `address` from one thread, and returns what came of them.
///
/// # Errors
/// When the first connections cannot be opened.
pub fn send(address: SocketAddr, tls: &TlsConnector, reviews: Reviews, load: Load) -> Result<Tally, ConnectionError> {
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(ConnectionError::Connection)?;
    runtime.block_on(async {
        let mut all = Tally::new().map_err(io::Error::other)?;
        let mut connections = Vec::new();
        for _ in 0..load.connections.max(1) {
            connections.push((Connection::open(address, tls).await?, all.clone()));
        }
        let client = Arc::new(Client {
            address,
            tls: tls.clone(),
            reviews,
            load,
            begin: Instant::now(),
            next: AtomicU64::new(0),
            due: Semaphore::new(0),
        });
        if let (Pace::Rate(rate), Some(all)) = (load.pace, client.all()) {
            let client = Arc::clone(&client);
            std::thread::Builder::new().name("takeover-pace".to_owned()).spawn(move || client.pace(rate, all))?;
        }
        let ran: Vec<_> =
            connections.into_iter().map(|(open, none)| tokio::spawn(Arc::clone(&client).run(open, none))).collect();
        for one in ran {
            all.add(&one.await.map_err(io::Error::other)?);
        }
        all.took = client.begin.elapsed();
        all.unsent = client.all().unwrap_or_default().saturating_sub(all.sent);
        Ok(all)
    })
}

impl Client {
    /// How many reviews there are; none where it depends on the answers.
    fn all(&self) -> Option<u64> {
        match (self.load.until, self.load.pace) {
            (Until::Reviews(all), _) => Some(all),
            (Until::Time(_), Pace::Unbounded) => None,
            (Until::Time(time), Pace::Rate(rate)) => Some(whole((time.as_secs_f64() * rate).ceil())),
        }
    }

    /// Says of each of `all` reviews when it is due, and lets every connection see that there are no more.
    fn pace(&self, rate: f64, all: u64) {
        let mut said = 0;
        while said < all {
            let due = whole(self.begin.elapsed().as_secs_f64() * rate).saturating_add(1).min(all);
            self.due.add_permits(usize::try_from(due.saturating_sub(said)).unwrap_or_default());
            said = due;
            std::thread::sleep(self.time_of(said, rate).saturating_duration_since(Instant::now()).max(TICK));
        }
        self.due.add_permits(self.load.connections.max(1));
    }

    fn time_of(&self, number: u64, rate: f64) -> Instant {
        #[expect(clippy::cast_precision_loss, reason = "numbers of reviews are far below 2^52")]
        let after = Duration::from_secs_f64(number as f64 / rate);
        self.begin + after
    }

    /// Waits until the next review is due; its number, and when that was. None when there is no next one.
    async fn next(&self) -> Option<(u64, Instant)> {
        if matches!(self.load.pace, Pace::Rate(_)) {
            self.due.acquire().await.ok()?.forget();
        }
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let now = Instant::now();
        let (due, grace) = match self.load.pace {
            Pace::Unbounded => (now, Duration::ZERO),
            Pace::Rate(rate) => (self.time_of(number, rate), GRACE),
        };
        let in_time = match self.load.until {
            Until::Reviews(_) => true,
            Until::Time(time) => now < self.begin + time + grace,
        };
        (in_time && self.all().is_none_or(|all| number < all)).then_some((number, due))
    }

    async fn run(self: Arc<Self>, first: Connection, mut tally: Tally) -> Tally {
        let mut open = Some(first);
        while let Some((number, due)) = self.next().await {
            tally.sent += 1;
            let mut connection = match open.take() {
                Some(connection) => connection,
                None => match Connection::open(self.address, &self.tls).await {
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
            match connection.post("/mutate", body).await {
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

fn whole(number: f64) -> u64 {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a number of reviews")]
    {
        number as u64
    }
}
