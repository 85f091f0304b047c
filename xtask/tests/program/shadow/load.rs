//! What happens to a process that many connections send reviews to.

use super::{Process, counts, one_rc, takeover};
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use takeover_shadow::load::{Connection, trusting};
use tokio::runtime::Runtime;
use tokio::task::JoinHandle;

/// Connections at once.
const MANY: usize = 24;

fn prepared(folder: &Path) -> (PathBuf, PathBuf) {
    let tls = folder.join("tls");
    make_certificate(&tls);
    (tls, folder.join("evidence"))
}

fn make_certificate(tls: &Path) {
    assert_eq!(takeover(&["shadow", "--make-certificate", &tls.to_string_lossy(), "--host", "localhost"]).0, 0);
}

/// Clients that send one review after the other, each on a connection of its own, and hold every answer to its review.
struct Load {
    runtime: Runtime,
    clients: Vec<JoinHandle<Client>>,
    answered: Arc<AtomicU64>,
    stop: Arc<AtomicBool>,
}

/// What a client saw.
struct Client {
    answered: u64,
    /// Whether its connection was closed before it was told to stop.
    closed: bool,
}

impl Load {
    fn on(process: &Process, authority: &str) -> Self {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
        let (answered, stop) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicBool::new(false)));
        let (address, tls) = (process.webhook.unwrap(), trusting(authority).unwrap());
        // All of them are connected before the first sends anything.
        let connections: Vec<Connection> = runtime.block_on(async {
            let mut connections = Vec::new();
            for _ in 0..MANY {
                connections.push(Connection::open(address, &tls).await.unwrap());
            }
            connections
        });
        let start = |(number, mut connection): (usize, Connection)| {
            let (all, stop) = (Arc::clone(&answered), Arc::clone(&stop));
            runtime.spawn(async move {
                let mut client = Client { answered: 0, closed: false };
                while !stop.load(Ordering::Relaxed) {
                    let uid = format!("uid-{number}-{}", client.answered);
                    let Ok(said) = connection.post("/mutate", one_rc(&uid)).await else {
                        client.closed = true;
                        break;
                    };
                    let answer: Value = serde_json::from_slice(&said.body).unwrap();
                    assert_eq!((said.code, &answer["response"]), (200, &json!({"uid": uid, "allowed": true})));
                    client.answered += 1;
                    all.fetch_add(1, Ordering::Relaxed);
                }
                client
            })
        };
        let clients = connections.into_iter().enumerate().map(start).collect();
        Self { runtime, clients, answered, stop }
    }

    /// Waits until so many more answers came.
    fn more(&self, answers: u64) {
        let until = self.answered.load(Ordering::Relaxed) + answers;
        while self.answered.load(Ordering::Relaxed) < until {
            assert!(self.clients.iter().any(|client| !client.is_finished()), "every client has ended");
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
    }

    /// Tells the clients to stop, and returns what they saw.
    fn stop(self) -> Vec<Client> {
        self.stop.store(true, Ordering::Relaxed);
        self.ended()
    }

    /// Waits for the end of the clients.
    fn ended(self) -> Vec<Client> {
        let clients = self.clients;
        self.runtime.block_on(async {
            let mut ended = Vec::new();
            for client in clients {
                ended.push(client.await.unwrap());
            }
            ended
        })
    }
}

#[test]
fn sigterm_under_load_answers_whatever_was_taken_and_its_last_figures_add_up() {
    let folder = tempfile::tempdir().unwrap();
    let (tls, out) = prepared(folder.path());
    let authority = fs::read_to_string(tls.join("ca.crt")).unwrap();
    let process =
        Process::with(&tls, &out, "one", "drain-milliseconds = 60000\n", &["--kind", "ReplicationController"]);
    let load = Load::on(&process, &authority);
    load.more(300);
    process.signal(rustix::process::Signal::TERM);
    let (code, log) = process.wait();
    assert_eq!(code, 0);
    // Nobody told the clients to stop: every connection was closed between two requests.
    let clients = load.ended();
    assert!(clients.iter().all(|client| client.closed));
    let answered: u64 = clients.iter().map(|client| client.answered).sum();
    let last = log.iter().find(|line| line["message"] == "ended").unwrap();
    assert_eq!((&last["answered"], &last["workers_left"]), (&json!(true), &json!(0)));
    assert_eq!(last["answers"], answered, "what was taken was answered, and its answer arrived");
    let create = counts(&out.join("one")).0.iter().map(|(_, create, _)| create["cases"].as_u64().unwrap()).sum::<u64>();
    let left = last["reviews_left"].as_u64().unwrap();
    assert_eq!(last["queued"], create + left, "{last}");
}

#[test]
fn sighup_under_load_replaces_settings_and_certificate_at_the_cost_of_no_answer() {
    let folder = tempfile::tempdir().unwrap();
    let (tls, out) = prepared(folder.path());
    let authority = fs::read_to_string(tls.join("ca.crt")).unwrap();
    let process = Process::with(&tls, &out, "one", "", &["--kind", "ReplicationController"]);
    let load = Load::on(&process, &authority);
    load.more(100);
    let other = folder.path().join("other");
    make_certificate(&other);
    for name in ["tls.crt", "tls.key"] {
        fs::rename(other.join(name), tls.join(name)).unwrap();
    }
    fs::write(tls.join("shadow.toml"), "[compare]\nshare = 0.0\n[limits]\nleave-milliseconds = 0\nworkers = 3\n")
        .unwrap();
    for _ in 0..20 {
        process.signal(rustix::process::Signal::HUP);
        load.more(20);
    }
    let reloads = "takeover_shadow_reloads_total{outcome=\"ok\"}";
    // Certificate and key may have been seen one without the other, which changes nothing.
    process.until("certificate and settings are in use", |process| process.metric(reloads) == 2);
    load.more(100);
    assert!(process.metric("takeover_shadow_requests_total{outcome=\"switched_off\"}") >= 100, "{}", process.metrics());
    let report = process.page("/report");
    assert!(report.contains("\nNot compared: ") && report.contains(" kind switched off"), "{report}");
    assert_eq!(process.metric("takeover_shadow_restart_needed"), 1, "the number of workers");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let opens = |authority: &str| {
        runtime.block_on(Connection::open(process.webhook.unwrap(), &trusting(authority).unwrap())).is_ok()
    };
    assert_eq!((opens(&authority), opens(&fs::read_to_string(other.join("ca.crt")).unwrap())), (false, true));
    let clients = load.stop();
    assert!(clients.iter().all(|client| !client.closed && client.answered > 0), "no connection was closed for it");
    assert_eq!(process.end(), 0);
    let production: Value =
        serde_json::from_str(&fs::read_to_string(out.join("one/production.json")).unwrap()).unwrap();
    let lost: u64 = production["runs"]
        .as_object()
        .unwrap()
        .values()
        .map(|run| run["lost"]["kind switched off"].as_u64().unwrap())
        .sum();
    assert!(lost >= 100, "{production:#}");
}

#[test]
fn new_signatures_beyond_the_limit_are_counted_and_not_logged() {
    let folder = tempfile::tempdir().unwrap();
    let (tls, out) = prepared(folder.path());
    let authority = fs::read_to_string(tls.join("ca.crt")).unwrap();
    let flood = ["--kind", "ReplicationController", "--plant", "garbage/candidate/1@v1 ReplicationController"];
    let process = Process::with(&tls, &out, "one", "[privacy]\nlog-lines-per-minute = 1\n", &flood);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let mut connection = Connection::open(process.webhook.unwrap(), &trusting(&authority).unwrap()).await.unwrap();
        assert_eq!(connection.post("/mutate", one_rc("flood")).await.unwrap().code, 200);
    });
    let judged = "takeover_shadow_work_total{outcome=\"judged\"}";
    process.until("it is compared", |process| process.metric(judged) == 1);
    process.until("it is told of", |process| process.metric("takeover_shadow_signatures") > 0);
    let signatures = process.metric("takeover_shadow_signatures");
    let dropped = process.metric("takeover_shadow_log_lines_dropped_total");
    process.signal(rustix::process::Signal::TERM);
    let (_, log) = process.wait();
    let told = log.iter().filter(|line| line["message"] == "new disagreement").count() as u64;
    // All of them are new in one look, so that the limit is that of one minute.
    assert!(told == 1 && signatures > 1, "{told} {signatures}");
    assert_eq!(told + dropped, signatures);
}
