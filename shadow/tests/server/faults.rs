//! What goes wrong around a server: never an answer that does not allow, nothing lost without being counted, nothing kept.

use crate::running::{Running, as_sent, watched};
use crate::things::{FLOOD, FLOODS, HANGS, MISSED, PANICS, allowed, review};
use serde_json::{Value, json};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use takeover_shadow::certificate::{Certificate, make};
use takeover_shadow::load::{Connection, stream, trusting};
use takeover_shadow::server::{Checkpoint, Keep};
use takeover_shadow::tail::{Start, Tail};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

/// A request as bytes, whose head says that `length` bytes follow.
pub(crate) fn request(body: &str, length: usize) -> Vec<u8> {
    format!("POST /validate HTTP/1.1\r\nHost: localhost\r\nContent-Length: {length}\r\n\r\n{body}").into_bytes()
}

/// The body of an answer as bytes.
fn answer(bytes: &[u8]) -> Value {
    let text = String::from_utf8_lossy(bytes);
    assert!(text.starts_with("HTTP/1.1 200 "), "{text}");
    serde_json::from_str(text.split_once("\r\n\r\n").unwrap().1).unwrap()
}

#[test]
fn a_body_that_is_too_long_is_allowed_and_counted() {
    let running = Running::start(|setup| setup.settings.limits.body_bytes = 4096);
    let mut large = review("large", 1);
    large["request"]["object"]["name"] = "x".repeat(1 << 20).into();
    assert_eq!(running.review(&large), allowed("large"));
    running.settle(1);
    assert_eq!(running.requests("too_large"), 1);
    running.end();
}

#[test]
fn bodies_beyond_the_memory_are_allowed_and_counted() {
    let running = Running::start(|setup| setup.settings.limits.buffered_bytes = 600);
    assert_eq!(running.review(&review("hangs", HANGS)), allowed("hangs"));
    // The worker holds the memory of the review that it hangs at.
    running.until("the worker is at it", |running| running.metric("takeover_shadow_queue_length") == 0);
    let mut next = review("next", 1);
    next["request"]["object"]["name"] = "x".repeat(500).into();
    assert_eq!(running.review(&next), allowed("next"));
    assert_eq!(running.requests("no_room"), 1);
    running.gate.open();
    running.settle(2);
    running.end();
}

#[test]
fn a_body_that_never_ends_is_answered_from_its_beginning() {
    let running = Running::start(|setup| setup.settings.limits.body_milliseconds = 200);
    let whole = as_sent(&review("slow", 1));
    let send = |beginning: &str| {
        running.client.block_on(async {
            let mut stream = stream(running.server.webhook().unwrap(), &running.tls).await.unwrap();
            stream.write_all(&request(beginning, 100_000)).await.unwrap();
            let mut got = Vec::new();
            let _ = stream.read_to_end(&mut got).await;
            got
        })
    };
    assert_eq!(answer(&send(&whole)), allowed("slow"));
    let got = send("{\"kind\":");
    assert!(got.starts_with(b"HTTP/1.1 400 "), "{}", String::from_utf8_lossy(&got));
    running.settle(2);
    assert_eq!(running.requests("cut_off"), 2);
    running.end();
}

#[test]
fn a_client_that_closed_its_side_still_gets_its_answer() {
    let running = Running::start(|_| {});
    let body = review("half", 1).to_string();
    let got = running.client.block_on(async {
        let mut stream = stream(running.server.webhook().unwrap(), &running.tls).await.unwrap();
        stream.write_all(&request(&body, body.len())).await.unwrap();
        stream.shutdown().await.unwrap();
        let mut got = Vec::new();
        let _ = stream.read_to_end(&mut got).await;
        got
    });
    assert_eq!(answer(&got), allowed("half"));
    running.settle(1);
    running.end();
}

#[test]
fn json_that_breaks_after_the_uid_is_allowed_and_before_it_has_no_answer() {
    let running = Running::start(|_| {});
    let whole = as_sent(&review("broken", 1));
    let broken = running.post(&whole[..whole.len() - 2]);
    let said: Value = serde_json::from_slice(&broken.body).unwrap();
    assert_eq!((broken.code, said["response"]["allowed"].clone()), (200, json!(true)));
    for body in ["", "[]", "{\"request\":{\"uid\":7}}", "\u{0}", "kind: AdmissionReview"] {
        assert_eq!(running.post(body).code, 400, "{body}: the API server goes by its failure policy");
    }
    running.settle(6);
    assert_eq!((running.requests("no_uid"), running.done("unusable")), (5, 1));
    assert!(running.server.evidence().0.outside().contains_key("unreadable: broken syntax"));
    running.end();
}

#[test]
fn a_deeply_nested_object_is_allowed_and_counted() {
    let running = Running::start(|_| {});
    let deep = format!("{}{}", "[".repeat(200_000), "]".repeat(200_000));
    let body = review("deep", 1).to_string().replace("\"a-private-name deep\"", &deep);
    let said: Value = serde_json::from_slice(&running.post(body).body).unwrap();
    assert_eq!(said, allowed("deep"));
    running.settle(1);
    assert_eq!(running.done("unusable"), 1);
    running.end();
}

#[test]
fn the_content_type_does_not_matter() {
    let running = Running::start(|_| {});
    let body = review("typed", 1).to_string();
    let answered = running.webhook().send("POST", "/validate", "text/plain", body).unwrap();
    assert_eq!(serde_json::from_slice::<Value>(&answered.body).unwrap(), allowed("typed"));
    running.settle(1);
    assert_eq!(running.done("judged"), 1);
    running.end();
}

#[test]
fn requests_to_other_paths_and_with_other_methods_are_counted() {
    let running = Running::start(|_| {});
    for (method, path, code) in [("GET", "/validate", 405), ("POST", "/", 404), ("PUT", "/audit", 405)] {
        let answered = match method {
            "GET" => running.webhook().get(path),
            _ => running.webhook().send(method, path, "application/json", review("lost", 1).to_string()),
        };
        let answered = answered.unwrap();
        assert_eq!(answered.code, code, "{path}");
        assert!(String::from_utf8(answered.body).unwrap().contains("/validate"), "{path}");
    }
    running.settle(3);
    assert_eq!(running.requests("not_here"), 3);
    running.end();
}

#[test]
fn other_versions_kinds_and_operations_are_allowed_in_their_own_words() {
    let running = Running::start(|_| {});
    let mut beta = review("beta", 1);
    beta["apiVersion"] = "admission.k8s.io/v1beta1".into();
    let mut answered = allowed("beta");
    answered["apiVersion"] = "admission.k8s.io/v1beta1".into();
    assert_eq!(running.review(&beta), answered);
    let mut other = review("other", 1);
    other["request"]["kind"]["kind"] = "Stranger".into();
    assert_eq!(running.review(&other), allowed("other"));
    let mut delete = review("delete", 1);
    delete["request"]["operation"] = "DELETE".into();
    assert_eq!(running.review(&delete), allowed("delete"));
    running.settle(3);
    assert_eq!(["other_version", "no_subject", "no_object"].map(|outcome| running.requests(outcome)), [1, 1, 1]);
    running.end();
}

#[test]
fn an_oracle_that_panics_costs_one_comparison() {
    let running = Running::start(|_| {});
    assert_eq!(running.review(&review("panics", PANICS)), allowed("panics"));
    assert_eq!(running.review(&review("after", 1)), allowed("after"));
    running.settle(2);
    assert_eq!(running.metric("declarative_validation_panic_total"), 1);
    assert_eq!((running.done("judged"), running.done("failed")), (2, 0));
    running.end();
}

#[test]
fn an_oracle_that_hangs_is_switched_off_and_the_others_go_on() {
    let running = Running::start(|setup| {
        setup.settings.limits.oracle_milliseconds = 50;
        setup.settings.limits.lost_threads = 0;
    });
    assert_eq!(running.get("/healthz").0, 200);
    assert_eq!(running.review(&review("hangs", HANGS)), allowed("hangs"));
    running.until("its subject is off", |running| {
        running.metric("takeover_shadow_subject_off{subject=\"v1 Thing\"}") == 1
    });
    assert_eq!(running.review(&review("off", 1)), allowed("off"));
    running.settle(2);
    assert_eq!((running.done("hung"), running.requests("switched_off")), (1, 1));
    assert_eq!(running.metric("takeover_shadow_lost_threads"), 1);
    let panics = "takeover_oracle_panics_total{side=\"reference\",validation_identifier=\"thing_create\"}";
    assert_eq!(running.metric(panics), 1, "it is known which side hangs");
    assert_eq!(running.get("/healthz").0, 503, "a restart is the only way to get the thread back");
    assert_eq!(running.end().left.workers, 0);
}

#[test]
fn a_large_object_that_takes_too_long_is_not_held_against_its_subject() {
    let running = Running::start(|setup| setup.settings.limits.oracle_milliseconds = 100);
    let mut large = review("large", HANGS);
    large["request"]["object"]["many"] = vec![0; 10_000].into();
    assert_eq!(running.review(&large), allowed("large"));
    running.until("it is given up", |running| running.done("hung") == 1);
    let label = "takeover_shadow_not_compared_total{reason=\"too_large\",source=\"reviews\"}";
    assert_eq!(running.metric(label), 1);
    assert_eq!(running.metric("takeover_shadow_subject_off{subject=\"v1 Thing\"}"), 0);
    assert_eq!(running.review(&review("next", 1)), allowed("next"));
    running.settle(2);
    assert_eq!(running.done("judged"), 1, "the subject stays on");
    let evidence = running.get("/evidence").1;
    assert!(evidence.contains("too large: its oracles did not answer in time"), "{evidence}");
    assert!(!evidence.contains("no answer within"), "no panic is made of it: {evidence}");
    running.gate.open();
    running.end();
}

#[test]
fn an_object_that_is_too_large_is_not_judged() {
    let running = Running::start(|_| {});
    let mut large = review("large", HANGS);
    large["request"]["object"]["many"] = vec![0; 60_000].into();
    assert_eq!(running.review(&large), allowed("large"));
    running.settle(1);
    assert_eq!(running.done("judged"), 1);
    assert!(running.get("/evidence").1.contains("\"too large\""));
    running.end();
}

#[test]
fn a_full_queue_drops_comparisons_and_counts_them() {
    let running = Running::start(|setup| setup.settings.limits.queue = 2);
    assert_eq!(running.review(&review("first", HANGS)), allowed("first"));
    running.until("the worker is at it", |running| running.metric("takeover_shadow_queue_length") == 0);
    for n in 0..9 {
        let uid = format!("uid-{n}");
        assert_eq!(running.review(&review(&uid, 1)), allowed(&uid));
    }
    assert_eq!((running.requests("queued"), running.requests("queue_full")), (3, 7));
    assert_eq!(running.metric("takeover_shadow_queue_length"), 2);
    running.gate.open();
    running.settle(10);
    assert_eq!(running.done("judged"), 3);
    running.end();
}

/// A disk without room.
struct FullDisk;

impl Keep for FullDisk {
    fn keep(&self, _: &Checkpoint) -> Result<(), String> {
        std::fs::write("/dev/full", "evidence").map_err(|error| error.to_string())
    }
}

#[test]
fn a_full_disk_is_counted_and_costs_no_answer() {
    let running = Running::start(|setup| {
        setup.settings.limits.checkpoint_seconds = 1;
        setup.keep = Some(Box::new(FullDisk));
    });
    let failed = "takeover_shadow_checkpoints_total{outcome=\"failed\"}";
    running.until("a write failed", |running| running.metric(failed) > 0);
    assert_eq!(running.review(&review("after", MISSED)), allowed("after"));
    running.settle(1);
    assert_eq!(running.metric("declarative_validation_mismatch_total"), 1, "nothing of it is forgotten");
    assert!(running.end().answered);
}

/// A disk that has room only the second time.
struct FullOnce(AtomicBool, PathBuf);

impl Keep for FullOnce {
    fn keep(&self, checkpoint: &Checkpoint) -> Result<(), String> {
        let full = !self.0.swap(true, Ordering::Relaxed);
        assert_eq!(checkpoint.positions.get(&self.1).unwrap().offset, 2);
        if full { FullDisk.keep(checkpoint) } else { Ok(()) }
    }
}

#[test]
fn where_a_log_begins_is_written_again_when_that_failed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("audit.log");
    std::fs::write(&path, "7\n").unwrap();
    let running = Running::start(|setup| {
        setup.settings.limits.checkpoint_seconds = 3600;
        setup.tails = vec![Tail { path: path.clone(), start: Start::End }];
        setup.keep = Some(Box::new(FullOnce(AtomicBool::new(false), path.clone())));
    });
    let checkpoints = |outcome| running.metric(&format!("takeover_shadow_checkpoints_total{{outcome=\"{outcome}\"}}"));
    running.until("it is written", |_| checkpoints("ok") == 1);
    assert_eq!(checkpoints("failed"), 1);
    running.end();
}

#[test]
fn a_replaced_certificate_serves_new_connections_and_old_ones_go_on() {
    let folder = tempfile::tempdir().unwrap();
    let (certificate, key) = (folder.path().join("tls.crt"), folder.path().join("tls.key"));
    let [old, new] = [(); 2].map(|()| make(&["localhost".to_owned()]).unwrap());
    let write = |made: &takeover_shadow::certificate::Made| {
        std::fs::write(&certificate, &made.certificate).unwrap();
        std::fs::write(&key, &made.key).unwrap();
    };
    write(&old);
    let running = Running::start(|setup| setup.certificate = Some(Certificate::read(&certificate, &key).unwrap()));
    let address = running.server.webhook().unwrap();
    let [trusts_old, trusts_new] = [&old, &new].map(|made| trusting(&made.authority).unwrap());
    let body = |uid: &str| review(uid, 1).to_string();
    running.client.block_on(async {
        let mut early = Connection::open(address, &trusts_old).await.unwrap();
        assert_eq!(early.post("/mutate", body("one")).await.unwrap().code, 200);
        write(&new);
        running.server.reload();
        assert!(Connection::open(address, &trusts_old).await.is_err());
        let mut late = Connection::open(address, &trusts_new).await.unwrap();
        assert_eq!(late.post("/mutate", body("two")).await.unwrap().code, 200);
        assert_eq!(early.post("/mutate", body("three")).await.unwrap().code, 200);
    });
    let failed = || running.metric("takeover_shadow_reload_failed{file=\"certificate\"}");
    std::fs::write(&key, &old.key).unwrap();
    for _ in 0..2 {
        running.server.reload();
        assert_eq!(failed(), 1, "as long as it lasts");
    }
    write(&new);
    running.server.reload();
    assert_eq!(failed(), 0);
    running.settle(3);
    running.end();
}

#[test]
fn a_flood_of_new_signatures_is_a_few_lines_in_the_log_and_the_rest_is_counted() {
    let running = Running::start(|setup| setup.settings.privacy.log_lines_per_minute = 7);
    assert_eq!(running.review(&review("floods", FLOODS)), allowed("floods"));
    running.settle(1);
    // They are of one case, and so told of in one minute.
    assert_eq!(running.metric("takeover_shadow_signatures"), FLOOD);
    assert_eq!(running.metric("takeover_shadow_log_lines_dropped_total"), FLOOD - 7);
    running.end();
}

#[test]
fn limits_change_while_the_server_runs_and_those_that_cannot_are_counted() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("shadow.toml");
    let write = |limits: &str| {
        // As operators replace it: at once, never half.
        let part = folder.path().join("part");
        std::fs::write(&part, format!("[limits]\noracle-milliseconds = 60000\nleave-milliseconds = 0\n{limits}"))
            .unwrap();
        std::fs::rename(part, &file).unwrap();
    };
    write("");
    let running = Running::start(|setup| setup.settings_file = watched(&file));
    assert_eq!(running.review(&review("hangs", HANGS)), allowed("hangs"));
    running.until("the worker is at it", |running| running.metric("takeover_shadow_queue_length") == 0);
    let mut large = review("large", 1);
    large["request"]["object"]["name"] = "x".repeat(5000).into();

    write("queue = 1\nbody-bytes = 4096\nworkers = 9\n");
    running.server.reload();
    assert_eq!(running.metric("takeover_shadow_queue_capacity"), 1);
    assert_eq!(running.metric("takeover_shadow_restart_needed"), 1, "workers");
    assert_eq!(running.review(&review("one", 1)), allowed("one"));
    assert_eq!(running.review(&review("two", 1)), allowed("two"));
    assert_eq!(running.review(&large), allowed("large"));
    assert_eq!(["queued", "queue_full", "too_large"].map(|outcome| running.requests(outcome)), [2, 1, 1]);

    write("buffered-bytes = 1\n");
    running.server.reload();
    assert_eq!(running.metric("takeover_shadow_restart_needed"), 0);
    assert_eq!(running.review(&review("three", 1)), allowed("three"));
    write("");
    running.server.reload();
    assert_eq!(running.review(&large), allowed("large"));
    assert_eq!(["queued", "no_room"].map(|outcome| running.requests(outcome)), [3, 1]);

    // The oracle that hangs is given up only now that it may take less time.
    std::fs::write(&file, "[limits]\noracle-milliseconds = 1\nleave-milliseconds = 0\n").unwrap();
    running.server.reload();
    running.until("the oracle is given up", |running| running.done("hung") > 0);
    running.gate.open();
    running.settle(6);
    running.end();
}
