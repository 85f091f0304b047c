//! A server from its start to its end.

use super::accept::{IDLE, Listening, accept};
use super::keeper::{Keep, Keeper, Now, ReadExceptions};
use super::{pages, webhook};
use crate::api_server::ApiServer;
use crate::certificate::Certificate;
use crate::ledger::{Ledger, Production};
use crate::metrics::{MetersError, RequestOutcome};
use crate::plan::ShadowPlan;
use crate::settings::{Compare, ShadowSettings};
use crate::settings_file::SettingsFile;
use crate::state::State;
use crate::tail::{LinesAtHand, Tail};
use crate::work::{Left, Pool};
use std::collections::BTreeMap;
use std::io;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;
use takeover_engine::isolate::IsolatedJudge;
use takeover_harness::evidence::{Evidence, EvidenceError};
use takeover_harness::readiness::ReadinessPolicy;
use tokio::runtime::Runtime;
use tokio::sync::watch;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::{self, ServerConfig};

/// Threads that answer.
const ANSWERING: usize = 2;

/// Most connections to the pages of operators.
const OPERATORS: usize = 64;

/// What a server is made of.
pub struct Setup {
    /// What is compared.
    pub plan: ShadowPlan,
    /// The settings to begin with.
    pub settings: ShadowSettings,
    /// The file that they are from, which is read again when it changes.
    pub settings_file: Option<SettingsFile>,
    /// The certificate of the webhook. Without one there is no webhook: audit logs alone are followed.
    pub certificate: Option<Arc<Certificate>>,
    /// Where the webhook listens.
    pub webhook: SocketAddr,
    /// Where the pages of operators are.
    pub pages: SocketAddr,
    /// Prefix of Kubernetes' metric names.
    pub metrics_prefix: String,
    /// How much evidence a rule needs, for the report.
    pub policy: ReadinessPolicy,
    /// Reads the disagreements that are known and excused in the report and by alerts.
    pub exceptions: ReadExceptions,
    /// Audit logs to follow.
    pub tails: Vec<Tail>,
    /// Where it is noted which of their lines are at hand.
    pub lines_at_hand: Option<LinesAtHand>,
    /// Who judges; none for the threads of the server.
    pub isolated_judge: Option<IsolatedJudge>,
    /// What an earlier server left.
    pub before: Option<(Evidence, Production)>,
    /// Where evidence outlives the server.
    pub keep: Option<Box<dyn Keep>>,
    /// The API server whose own counters reports show beside ours.
    pub api_server: Option<ApiServer>,
}

/// A server that does not start.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StartError {
    /// An address that cannot be listened on.
    #[error("failed to listen on `{address}`")]
    Listen {
        /// Which.
        address: SocketAddr,
        /// Why not.
        source: io::Error,
    },
    /// Threads could not be started.
    #[error("failed to start threads")]
    Threads(#[source] io::Error),
    /// Metrics that cannot be registered.
    #[error(transparent)]
    Metrics(#[from] MetersError),
    /// Evidence of an earlier server that this one cannot go on with.
    #[error(transparent)]
    Before(#[from] EvidenceError),
    /// TLS that cannot be set up.
    #[error("failed to set up TLS")]
    Tls(#[from] rustls::Error),
}

/// A server that runs.
pub struct Server {
    runtime: Runtime,
    keeper: Arc<Keeper>,
    end: watch::Sender<bool>,
    listeners: Vec<tokio::task::JoinHandle<()>>,
    threads: Vec<JoinHandle<()>>,
    wishes: Vec<Sender<Now>>,
    webhook: Option<SocketAddr>,
    pages: SocketAddr,
}

/// How a server ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ended {
    /// Whether all requests under way were answered.
    pub answered: bool,
    /// What was not compared.
    pub left: Left,
    /// Answers to reviews, since the start.
    pub answers: u64,
    /// Reviews that were queued for comparison, since the start.
    pub queued: u64,
    /// Why what was gathered since it was last written is lost, if it is.
    pub lost: Option<String>,
}

impl Server {
    /// Starts a server: when this returns, it listens.
    ///
    /// # Errors
    /// When an address, a thread or memory is not to be had, or the parts do not fit each other.
    pub fn start(setup: Setup) -> Result<Self, StartError> {
        let Setup { plan, settings, settings_file, certificate, policy, exceptions, before, keep, .. } = setup;
        let api_server = setup.api_server;
        let limits = settings.limits.clone();
        let ledger = Ledger::new(&plan, before)?.with_tails(&setup.tails);
        let logs = setup.tails.iter().map(|tail| tail.path.clone()).collect();
        let state = Arc::new(State::new(
            plan,
            settings,
            setup.tails,
            setup.lines_at_hand,
            setup.isolated_judge,
            &setup.metrics_prefix,
        )?);
        ledger.keep_samples(state.live.get().privacy.keep_samples, &state.meters);
        state.unknown_kinds.go_on(ledger.copy().0.outside().keys());
        let pool = Pool::start(Arc::clone(&state)).map_err(StartError::Threads)?;
        let keeper = Arc::new(Keeper {
            state: Arc::clone(&state),
            pool,
            ledger,
            policy,
            exceptions,
            exceptions_fault: Mutex::default(),
            certificate: certificate.clone(),
            settings: settings_file,
            reloading: Mutex::default(),
            keep,
            api_server,
            logs,
        });
        keeper.reload_exceptions();
        keeper.note_certificate();
        let runtime = threads().map_err(StartError::Threads)?;
        let (end, ends) = watch::channel(false);
        let patience = Duration::from_millis(limits.head_milliseconds);
        let hook = match certificate {
            None => None,
            Some(certificate) => Some(Listening {
                router: webhook::routes(Arc::clone(&state)),
                tls: Some(TlsAcceptor::from(Arc::new(tls(certificate)?))),
                patience,
                idle: IDLE,
                connections: limits.connections,
                meters: Some(state),
                end: ends.clone(),
            }),
        };
        let pages = Listening {
            router: pages::routes(Arc::clone(&keeper)),
            tls: None,
            patience,
            idle: patience,
            connections: OPERATORS,
            meters: None,
            end: ends,
        };
        let mut listeners = Vec::new();
        let mut open = |address, listening| {
            let (listener, address) = listen(&runtime, address)?;
            listeners.push(runtime.spawn(accept(listener, listening)));
            Ok::<_, StartError>(address)
        };
        let webhook = hook.map(|hook| open(setup.webhook, hook)).transpose()?;
        let pages = open(setup.pages, pages)?;
        let mut server =
            Self { runtime, keeper, end, listeners, threads: Vec::new(), wishes: Vec::new(), webhook, pages };
        server.thread("takeover-watch", Keeper::watch)?;
        server.thread("takeover-keep", Keeper::go_round)?;
        Ok(server)
    }

    /// Starts a server that keeps nothing and ends soon: every case is compared, and nobody has to see that it leaves. Its pages are on this
    /// machine alone.
    ///
    /// # Errors
    /// As [`Server::start`].
    pub(crate) fn for_now(
        plan: ShadowPlan,
        settings: &ShadowSettings,
        certificate: Arc<Certificate>,
        webhook: SocketAddr,
    ) -> Result<Self, StartError> {
        let mut settings = settings.clone();
        settings.compare = Compare::default();
        settings.limits.leave_milliseconds = 0;
        Self::start(Setup {
            plan,
            settings,
            settings_file: None,
            certificate: Some(certificate),
            webhook,
            pages: (Ipv4Addr::LOCALHOST, 0).into(),
            metrics_prefix: String::new(),
            policy: ReadinessPolicy::default(),
            exceptions: Box::new(|_| Ok(takeover_harness::exception::Exceptions::default())),
            tails: Vec::new(),
            lines_at_hand: None,
            isolated_judge: None,
            before: None,
            keep: None,
            api_server: None,
        })
    }

    fn thread(&mut self, name: &str, work: fn(&Keeper, &std::sync::mpsc::Receiver<Now>)) -> Result<(), StartError> {
        let (wish, wishes) = channel();
        let keeper = Arc::clone(&self.keeper);
        let thread = std::thread::Builder::new().name(name.to_owned());
        self.threads.push(thread.spawn(move || work(&keeper, &wishes)).map_err(StartError::Threads)?);
        self.wishes.push(wish);
        Ok(())
    }

    /// Where the webhook listens, if there is one.
    #[must_use]
    pub fn webhook(&self) -> Option<SocketAddr> {
        self.webhook
    }

    /// Where the pages are.
    #[must_use]
    pub fn pages(&self) -> SocketAddr {
        self.pages
    }

    /// What the parts of the server share.
    #[must_use]
    pub fn state(&self) -> &State {
        &self.keeper.state
    }

    /// Evidence and days of everything until now.
    #[must_use]
    pub fn evidence(&self) -> (Evidence, Production) {
        self.keeper.gather();
        self.keeper.ledger.copy()
    }

    /// What Kubernetes' own counters have now, by identifier: mismatches, and panics of the candidate.
    #[must_use]
    pub fn mismatches_and_panics(&self) -> [BTreeMap<String, u64>; 2] {
        self.keeper.gather();
        self.keeper.state.meters.registry().by_identifier()
    }

    /// Looks at settings and certificate now.
    pub fn reload(&self) {
        self.keeper.reload();
    }

    /// Waits until the program is asked to end (SIGTERM, SIGINT). Reads settings and certificate again on SIGHUP. Calls `ready` as soon
    /// as signals are listened to: whoever is told then, may send one.
    ///
    /// # Errors
    /// When signals cannot be waited for.
    pub fn wait(&self, ready: impl FnOnce()) -> io::Result<()> {
        use tokio::signal::unix::{SignalKind, signal};
        self.runtime.block_on(async {
            let mut terminate = signal(SignalKind::terminate())?;
            let mut interrupt = signal(SignalKind::interrupt())?;
            let mut hang_up = signal(SignalKind::hangup())?;
            ready();
            loop {
                tokio::select! {
                    _ = terminate.recv() => return Ok(()),
                    _ = interrupt.recv() => return Ok(()),
                    _ = hang_up.recv() => {
                        let keeper = Arc::clone(&self.keeper);
                        let _ = tokio::task::spawn_blocking(move || keeper.reload()).await;
                    }
                }
            }
        })
    }

    /// Ends the server: says that it is not ready, waits for that to be seen, answers what is under way, compares what is queued, and
    /// writes the evidence.
    #[must_use]
    pub fn end(mut self) -> Ended {
        let limits = self.state().live.get().limits.clone();
        let drain = Duration::from_millis(limits.drain_milliseconds);
        self.state().leaving.store(true, Ordering::Relaxed);
        std::thread::sleep(Duration::from_millis(limits.leave_milliseconds));
        // There is always a receiver: the listeners.
        let _ = self.end.send(true);
        let listeners = std::mem::take(&mut self.listeners);
        let answered = self.runtime.block_on(async {
            let all = async {
                for listener in listeners {
                    let _ = listener.await;
                }
            };
            tokio::time::timeout(drain, all).await.is_ok()
        });
        let left = self.keeper.pool.drain(drain);
        self.wishes.clear();
        for thread in self.threads.drain(..) {
            let _ = thread.join();
        }
        self.keeper.gather();
        let lost = self.keeper.checkpoint().err();
        self.runtime.shutdown_timeout(Duration::from_secs(1));
        let meters = &self.keeper.state.meters;
        Ended { answered, left, answers: meters.answers(), queued: meters.requests(RequestOutcome::Queued), lost }
    }
}

/// The threads that answer.
pub(crate) fn threads() -> io::Result<Runtime> {
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(ANSWERING)
        .thread_name("takeover-answer")
        .enable_io()
        .enable_time()
        .build()
}

/// Listens at `address`, and says where that is.
pub(crate) fn listen(
    runtime: &Runtime,
    address: SocketAddr,
) -> Result<(tokio::net::TcpListener, SocketAddr), StartError> {
    let open = || {
        let listener = TcpListener::bind(address)?;
        listener.set_nonblocking(true)?;
        let at = listener.local_addr()?;
        let _guard = runtime.enter();
        Ok((tokio::net::TcpListener::from_std(listener)?, at))
    };
    open().map_err(|source| StartError::Listen { address, source })
}

/// TLS as the webhook speaks it.
pub(crate) fn tls(certificate: Arc<Certificate>) -> Result<ServerConfig, rustls::Error> {
    let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
    let mut config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()?
        .with_no_client_auth()
        .with_cert_resolver(certificate);
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(config)
}
