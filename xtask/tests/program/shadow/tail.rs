//! Audit logs that are followed while they are written.

use super::{Process, audit_log, counts, replayed};
use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::{Value, json};
use std::fs::{self, File};
use std::io::Write as _;
use std::path::{Path, PathBuf};

/// A log that is written as an API server does.
struct Log {
    folder: PathBuf,
    rotations: u32,
    lines: usize,
}

impl Log {
    fn path(&self) -> PathBuf {
        self.folder.join("audit.log")
    }

    fn append(&mut self, text: &str) {
        let mut file = File::options().append(true).create(true).open(self.path()).unwrap();
        file.write_all(text.as_bytes()).unwrap();
        self.lines += text.matches('\n').count();
    }

    fn next_name(&mut self) -> PathBuf {
        self.rotations += 1;
        self.folder.join(format!("audit-2026-11-21T05-{:02}-00.000.log", self.rotations))
    }

    fn rotate(&mut self) -> PathBuf {
        let to = self.next_name();
        fs::rename(self.path(), &to).unwrap();
        to
    }

    fn rotate_and_pack(&mut self) {
        let file = self.rotate();
        let mut gzip = GzEncoder::new(File::create(file.with_extension("log.gz")).unwrap(), Compression::default());
        gzip.write_all(&fs::read(&file).unwrap()).unwrap();
        gzip.finish().unwrap();
        fs::remove_file(file).unwrap();
    }

    fn copy_and_empty(&mut self) {
        let to = self.next_name();
        fs::copy(self.path(), to).unwrap();
        File::options().write(true).open(self.path()).unwrap().set_len(0).unwrap();
    }

    /// Waits until a server has read every line, be it to learn from it.
    fn is_read_by(&self, process: &Process) {
        process.until("every line is read", |process| {
            let metrics = process.metrics();
            let lines = metrics.lines().filter(|line| line.starts_with("takeover_shadow_tail_lines_total{"));
            lines.map(|line| line.rsplit(' ').next().unwrap().parse::<usize>().unwrap()).sum::<usize>() == self.lines
        });
    }
}

/// The end of what the recorded requests may still be waiting for.
const MUCH_LATER: &str = r#"{"kind":"Event","apiVersion":"audit.k8s.io/v1","level":"Metadata","auditID":"later","stage":"ResponseComplete","requestURI":"/healthz","verb":"get","user":{},"requestReceivedTimestamp":"2026-11-22T00:00:00.000000Z","stageTimestamp":"2026-11-22T00:00:00.000001Z"}"#;

fn recorded() -> Vec<String> {
    let log: PathBuf = [env!("CARGO_MANIFEST_DIR"), "..", "corpora", "tests", "recordings", "audit"].iter().collect();
    audit_log(&log).iter().map(ToString::to_string).chain([MUCH_LATER.to_owned()]).collect()
}

fn written(lines: &[String]) -> String {
    lines.iter().map(|line| format!("{line}\n")).collect()
}

/// A folder without a certificate; where settings and a server's evidence go.
fn prepared(folder: &Path) -> (PathBuf, PathBuf, Log) {
    let tls = folder.join("tls");
    fs::create_dir(&tls).unwrap();
    let logs = folder.join("log");
    fs::create_dir(&logs).unwrap();
    (tls, folder.join("evidence"), Log { folder: logs, rotations: 0, lines: 0 })
}

#[test]
fn a_log_followed_through_rotations_and_restarts_gives_the_evidence_of_its_files() {
    let folder = tempfile::tempdir().unwrap();
    let (tls, out, mut log) = prepared(folder.path());
    let lines = recorded();
    let pieces: Vec<&[String]> = lines.chunks(lines.len().div_ceil(8)).collect();
    let [one, two, three, four, five, six, seven, eight] = pieces.as_slice() else { panic!("{}", pieces.len()) };
    let path = log.path().to_string_lossy().into_owned();
    let start = || Process::with(&tls, &out, "one", "checkpoint-seconds = 1\n", &["--tail", &path]);

    let process = start();
    assert_eq!(process.webhook, None, "nothing to call where logs alone are followed");
    let first = written(one);
    let (part, rest) = first.split_at(first.len() - 100);
    log.append(part);
    log.append(rest);
    log.is_read_by(&process);
    log.rotate();
    log.append(&written(two));
    log.rotate_and_pack();
    log.append(&written(three));
    // Wherever the end comes, the next server goes on there.
    assert_eq!(process.end(), 0);
    log.append(&written(four));
    log.rotate_and_pack();
    let process = start();
    log.append(&written(five));
    log.is_read_by(&process);
    log.copy_and_empty();
    log.append(&written(six));
    // What was compared since the last checkpoint is compared again, and counted once.
    process.kill();
    let process = start();
    log.append("no event\n{\"kind\": \"Event\", \"apiVersion\": \"audit.k8s.io/v1\"}\n");
    log.append(&written(seven));
    log.rotate();
    log.append(&written(eight));
    log.is_read_by(&process);
    assert_eq!(process.end(), 0);

    let served = counts(&out.join("one"));
    assert!(served.1.iter().any(|(reason, _)| reason == "unreadable: broken syntax"), "{served:?}");
    assert_eq!(served, replayed(&log.folder, &folder.path().join("soak")));
}

/// The event of a request that creates an object.
fn created(number: u32, kind: &str, object: &Value) -> String {
    let time = format!("2026-11-21T00:00:0{number}.000000Z");
    json!({
        "kind": "Event", "apiVersion": "audit.k8s.io/v1", "level": "RequestResponse", "auditID": format!("request-{number}"),
        "stage": "ResponseComplete", "requestURI": format!("/api/v1/namespaces/b/{kind}s"), "verb": "create", "user": {},
        "objectRef": {"resource": format!("{kind}s"), "namespace": "b", "apiVersion": "v1", "name": object["metadata"]["name"]},
        "responseStatus": {"code": 422, "details": {"causes": [{"field": "spec"}]}}, "requestObject": object,
        "requestReceivedTimestamp": time, "stageTimestamp": time,
    })
    .to_string()
}

#[test]
fn a_request_over_which_two_servers_end_is_left_out_and_counted_by_the_next() {
    let folder = tempfile::tempdir().unwrap();
    let (tls, out, mut log) = prepared(folder.path());
    let object = |kind: &str| json!({"apiVersion": "v1", "kind": kind, "metadata": {"name": "a", "namespace": "b"}});
    let deadly = created(1, "replicationcontroller", &object("ReplicationController"));
    let harmless = created(2, "limitrange", &object("LimitRange"));
    log.append(&written(&[deadly, harmless, MUCH_LATER.to_owned()]));
    let path = log.path().to_string_lossy().into_owned();
    let settings = tls.join("shadow.toml");
    fs::write(&settings, "").unwrap();
    let arguments = ["--tail", &path, "--from-start", "--plant", "abort/candidate/1@v1 ReplicationController"];
    for start in 1..=2 {
        let server = std::process::Command::new(assert_cmd::cargo::cargo_bin("takeover"))
            .args(["shadow", "--pages", "127.0.0.1:0", "--replica", "one", "--settings", &settings.to_string_lossy()])
            .args(["--out", &out.to_string_lossy()])
            .args(arguments)
            .output()
            .unwrap();
        assert_eq!(std::os::unix::process::ExitStatusExt::signal(&server.status), Some(6), "start {start}: {server:?}");
    }
    let process = Process::with(&tls, &out, "one", "", &arguments);
    let left_out = "takeover_shadow_not_compared_total{reason=\"ended_server\",source=\"audit\"}";
    process.until("the request is left out", |process| process.metric(left_out) == 1);
    log.is_read_by(&process);
    assert_eq!(process.end(), 0);
    let (subjects, outside) = counts(&out.join("one"));
    assert!(subjects.iter().all(|(subject, ..)| subject["kind"] != "ReplicationController"), "{subjects:?}");
    let reason = "left out: two servers ended while they read or compared it";
    assert!(outside.iter().any(|(why, count)| why == reason && *count == 1), "{outside:?}");
}
