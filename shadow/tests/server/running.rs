//! A server for a test, and what a client does with it.

use crate::things::{Gate, pair};
use serde_json::Value;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};
use takeover_harness::authority::{AuthorityPolicy, LifecycleGates, LifecycleRelease};
use takeover_harness::subject::SubjectId;
use takeover_shadow::Mode;
use takeover_shadow::certificate::{Certificate, Made, make};
use takeover_shadow::client::{Answered, Client};
use takeover_shadow::load::trusting;
use takeover_shadow::plan::ShadowPlan;
use takeover_shadow::server::{Ended, Server, Setup};
use takeover_shadow::settings::ShadowSettings;
use takeover_shadow::settings_file::SettingsFile;
use tokio::runtime::Runtime;
use tokio_rustls::TlsConnector;

/// How long a test waits for what has to happen. Nothing depends on how long it takes.
pub(crate) const PATIENCE: Duration = Duration::from_secs(120);

/// What servers of tests are called, by clients that take addresses and by those that take names.
pub(crate) const NAMES: [&str; 2] = ["127.0.0.1", "localhost"];

/// A server, and a client that trusts it.
pub(crate) struct Running {
    pub(crate) server: Server,
    pub(crate) gate: Arc<Gate>,
    pub(crate) client: Runtime,
    pub(crate) tls: TlsConnector,
    /// PEM of the authority that `tls` trusts.
    pub(crate) authority: String,
}

pub(crate) fn client() -> Runtime {
    tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap()
}

/// A review with its members in the order in which an API server sends them: the uid before the object.
pub(crate) fn as_sent(review: &Value) -> String {
    let request = &review["request"];
    let first = |name: &str| format!("\"{name}\":{}", request[name]);
    let names = ["uid", "kind", "operation", "object", "oldObject"].map(first).join(",");
    format!("{{\"kind\":{},\"apiVersion\":{},\"request\":{{{names}}}}}", review["kind"], review["apiVersion"])
}

/// The settings file of a server of things.
pub(crate) fn watched(path: &Path) -> Option<SettingsFile> {
    Some(SettingsFile::read(path, &[SubjectId::new("v1", "Thing").into()]).unwrap().0)
}

/// What a server of things is made of.
pub(crate) fn setup(gate: &Arc<Gate>, made: &Made) -> Setup {
    let mut settings = ShadowSettings::default();
    settings.limits.leave_milliseconds = 0;
    settings.limits.drain_milliseconds = 60_000;
    settings.limits.oracle_milliseconds = 60_000;
    settings.limits.answer_milliseconds = 60_000;
    Setup {
        plan: ShadowPlan {
            pairs: vec![pair(gate)],
            authority: AuthorityPolicy::Lifecycle(LifecycleGates::of(LifecycleRelease::V1_37)),
            mode: Mode::Shadow,
            replica: "replica-a".to_owned(),
            origin: 1,
        },
        settings,
        settings_file: None,
        certificate: Some(Certificate::of(made).unwrap()),
        webhook: "127.0.0.1:0".parse().unwrap(),
        pages: "127.0.0.1:0".parse().unwrap(),
        metrics_prefix: String::new(),
        policy: takeover_harness::readiness::ReadinessPolicy::default(),
        exceptions: Box::new(|_| Ok(takeover_harness::exception::Exceptions::default())),
        tails: Vec::new(),
        lines_at_hand: None,
        isolated_judge: None,
        before: None,
        keep: None,
        api_server: None,
    }
}

impl Running {
    /// A server as `change` has it.
    pub(crate) fn start(change: impl FnOnce(&mut Setup)) -> Self {
        let made = make(&NAMES.map(str::to_owned)).unwrap();
        let gate = Arc::new(Gate::default());
        let mut setup = setup(&gate, &made);
        change(&mut setup);
        let server = Server::start(setup).unwrap();
        Self { server, gate, client: client(), tls: trusting(&made.authority).unwrap(), authority: made.authority }
    }

    /// A client of the webhook, with a connection of its own.
    pub(crate) fn webhook(&self) -> Client {
        Client::trusting(format!("https://{}", self.server.webhook().unwrap()), &self.authority).unwrap()
    }

    /// Posts `body` on a connection of its own.
    pub(crate) fn post(&self, body: impl Into<Vec<u8>>) -> Answered {
        self.webhook().post("/mutate", body).unwrap()
    }

    /// The answer to a review.
    pub(crate) fn review(&self, review: &Value) -> Value {
        let answered = self.post(as_sent(review));
        assert_eq!(answered.code, 200);
        serde_json::from_slice(&answered.body).unwrap()
    }

    /// A page of the operators.
    pub(crate) fn get(&self, path: &str) -> (u16, String) {
        let answered = Client::new(format!("http://{}", self.server.pages())).get(path).unwrap();
        (answered.code, String::from_utf8(answered.body).unwrap())
    }

    /// The value of a metric as it is named with its labels; 0 when it is not there.
    pub(crate) fn metric(&self, name: &str) -> u64 {
        let (code, text) = self.get("/metrics");
        assert_eq!(code, 200);
        let value = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
        value.map_or(0, |value| value.parse().unwrap())
    }

    /// Requests with this outcome.
    pub(crate) fn requests(&self, outcome: &str) -> u64 {
        self.metric(&format!("takeover_shadow_requests_total{{outcome=\"{outcome}\"}}"))
    }

    /// Queued reviews of which this became.
    pub(crate) fn done(&self, outcome: &str) -> u64 {
        self.metric(&format!("takeover_shadow_work_total{{outcome=\"{outcome}\"}}"))
    }

    /// Waits until `holds`, which has to happen sooner or later.
    pub(crate) fn until(&self, what: &str, holds: impl Fn(&Self) -> bool) {
        let begin = Instant::now();
        while !holds(self) {
            assert!(begin.elapsed() < PATIENCE, "{what}\n{}", self.get("/metrics").1);
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// Waits until everything that was queued is judged, and checks that nothing is lost and nothing is kept.
    pub(crate) fn settle(&self, sent: u64) {
        let outcomes = ["queued", "not_sampled", "switched_off", "no_subject", "no_object", "other_version"];
        let failures = ["queue_full", "too_large", "no_room", "cut_off", "no_uid", "not_here"];
        let requests: u64 = outcomes.iter().chain(&failures).map(|outcome| self.requests(outcome)).sum();
        assert_eq!(requests, sent, "{}", self.get("/metrics").1);
        let done = |this: &Self| {
            ["judged", "unusable", "hung", "failed", "left"].map(|done| this.done(done)).iter().sum::<u64>()
        };
        self.until("everything queued is done", |this| done(this) == this.requests("queued"));
        self.until("the memory of bodies is free", |this| this.metric("takeover_shadow_buffered_bytes") == 0);
        let (evidence, _) = self.server.evidence();
        assert_eq!(evidence.cases(), done(self) - self.done("failed") - self.done("left"));
        evidence.check().unwrap();
    }

    /// Ends the server, whatever still hangs.
    pub(crate) fn end(self) -> Ended {
        self.gate.open();
        self.server.end()
    }
}
