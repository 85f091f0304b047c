//! The server as an operator runs it.

use assert_cmd::Command;
use serde_json::{Value, json};
use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;
use takeover_shadow::client::Client;

mod apart;
mod certificate;
mod cluster;
mod load;
mod merge;
mod monitoring;
mod mounted;
mod played;
mod server_metrics;
mod tail;

/// What certificates of servers are for.
const HOST: &str = "127.0.0.1";

/// How long a test waits for what has to happen. Nothing depends on how long it takes.
const PATIENCE: Duration = Duration::from_secs(300);

fn takeover(arguments: &[&str]) -> (i32, String, String) {
    let output = Command::cargo_bin("takeover").unwrap().args(arguments).output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code().unwrap_or(-1), text(&output.stdout), text(&output.stderr))
}

#[test]
fn the_self_test_says_that_the_server_is_sound() {
    let (code, said, errors) = takeover(&["shadow", "--self-test", "--kind", "ReplicationController"]);
    assert_eq!(code, 0, "{said}{errors}");
    assert_eq!(said.lines().filter(|line| line.starts_with("ok ")).count(), 7, "{said}");
    assert!(said.contains("the server works"), "{said}");
}

#[test]
fn a_server_without_a_certificate_says_how_to_get_one() {
    let (code, _, errors) = takeover(&["shadow"]);
    assert!(code == 2 && errors.contains("--make-certificate"), "{errors}");
}

#[test]
fn certificates_are_made_for_their_owner_only_and_not_overwritten() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().to_string_lossy().into_owned();
    let make = || takeover(&["shadow", "--make-certificate", &place, "--host", HOST]);
    assert_eq!(make().0, 0);
    let key = folder.path().join("tls.key");
    assert_eq!(fs::metadata(&key).unwrap().permissions().mode() & 0o777, 0o600);
    let before = fs::read(&key).unwrap();
    let (code, _, errors) = make();
    assert!(code == 2 && errors.contains("failed to write"), "{errors}");
    assert_eq!(fs::read(&key).unwrap(), before);
}

#[test]
fn wrong_settings_are_named_with_their_file_and_line() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("shadow.toml");
    fs::write(&file, "[compare]\nshare = 2\n").unwrap();
    let (code, _, errors) = takeover(&["shadow", "--self-test", "--settings", &file.to_string_lossy()]);
    assert!(code == 2 && errors.contains("shadow.toml") && errors.contains("`compare.share` is 2"), "{errors}");
    let (code, example, _) = takeover(&["shadow", "--example"]);
    assert!(code == 0 && example.contains("\nshare = 1.0\n"), "{example}");
}

/// A server in a process of its own, ended with the test.
pub(crate) struct Process {
    child: Child,
    pub(crate) webhook: Option<std::net::SocketAddr>,
    pages: std::net::SocketAddr,
    /// What it says, a line each.
    log: std::thread::JoinHandle<Vec<Value>>,
}

/// The process, which never outlives its test.
struct Child(std::process::Child);

impl Drop for Child {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl Process {
    /// A server of every subject with the certificate in `tls`, which keeps its evidence below `out`.
    fn start(tls: &Path, out: &Path, replica: &str) -> Self {
        Self::with(tls, out, replica, "", &[])
    }

    /// As [`Process::start`], with more limits and arguments. Without a certificate in `tls`, a server without a webhook.
    pub(crate) fn with(tls: &Path, out: &Path, replica: &str, limits: &str, more: &[&str]) -> Self {
        let settings = tls.join("shadow.toml");
        fs::write(&settings, format!("[limits]\nleave-milliseconds = 0\n{limits}")).unwrap();
        let path = |path: &Path| path.to_string_lossy().into_owned();
        let files = ["tls.crt", "tls.key"].map(|name| path(&tls.join(name)));
        let certificate = match &files {
            [certificate, key] if Path::new(key).exists() => vec!["--certificate", certificate, "--key", key],
            _ => Vec::new(),
        };
        let mut child = std::process::Command::new(assert_cmd::cargo::cargo_bin("takeover"))
            .args(["shadow", "--listen", "127.0.0.1:0", "--pages", "127.0.0.1:0", "--replica", replica])
            .args(certificate)
            .args(["--settings", &path(&settings), "--out", &path(out)])
            .args(more)
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let log = BufReader::new(child.stderr.take().unwrap());
        let mut lines = log.lines();
        let listening = lines.by_ref().map(|line| line.unwrap()).find(|line| line.contains("listening")).unwrap();
        // It never waits for its log to be read.
        let log = std::thread::spawn(move || {
            lines.map_while(Result::ok).filter_map(|line| serde_json::from_str(&line).ok()).collect()
        });
        let listening: Value = serde_json::from_str(&listening).unwrap();
        let address = |name: &str| listening[name].as_str().unwrap().parse().ok();
        Self { webhook: address("webhook"), pages: address("pages").unwrap(), child: Child(child), log }
    }

    /// The metrics of the moment.
    pub(crate) fn metrics(&self) -> String {
        self.page("/metrics")
    }

    /// A page of the operators.
    pub(crate) fn page(&self, path: &str) -> String {
        let answered = Client::new(format!("http://{}", self.pages)).get(path).unwrap();
        String::from_utf8(answered.body).unwrap()
    }

    /// A client of the webhook.
    pub(crate) fn client(&self, authority: &str) -> Client {
        Client::trusting(format!("https://{}", self.webhook.unwrap()), authority).unwrap()
    }

    /// Waits until what was queued is compared.
    pub(crate) fn settle(&self) {
        let sum = |metrics: &str, of: &str| {
            let values = metrics.lines().filter(|line| line.starts_with(of)).filter_map(|line| line.rsplit(' ').next());
            values.map(|value| value.parse::<u64>().unwrap()).sum::<u64>()
        };
        self.until("what was queued is compared", |this| {
            let metrics = this.metrics();
            let queued = sum(&metrics, "takeover_shadow_requests_total{outcome=\"queued\"}");
            queued > 0 && sum(&metrics, "takeover_shadow_work_total{") == queued
        });
    }

    /// Its number.
    pub(crate) fn id(&self) -> u32 {
        self.child.0.id()
    }

    /// Ends it on the spot.
    fn kill(mut self) {
        self.child.0.kill().unwrap();
        self.child.0.wait().unwrap();
    }

    /// Sends it a signal.
    fn signal(&self, signal: rustix::process::Signal) {
        rustix::process::kill_process(rustix::process::Pid::from_child(&self.child.0), signal).unwrap();
    }

    /// Waits for its end, and returns its exit code and its log.
    fn wait(mut self) -> (i32, Vec<Value>) {
        let code = self.child.0.wait().unwrap().code().unwrap();
        (code, self.log.join().unwrap())
    }

    /// The value of a metric as it is named with its labels; 0 when it is not there.
    pub(crate) fn metric(&self, name: &str) -> u64 {
        let text = self.metrics();
        let value = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
        value.map_or(0, |value| value.parse().unwrap())
    }

    /// Waits until `holds`, which has to happen sooner or later.
    pub(crate) fn until(&self, what: &str, holds: impl Fn(&Self) -> bool) {
        let begin = std::time::Instant::now();
        while !holds(self) {
            assert!(begin.elapsed() < PATIENCE, "{what}\n{}", self.metrics());
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Asks it to end, and returns its exit code.
    pub(crate) fn end(self) -> i32 {
        self.signal(rustix::process::Signal::TERM);
        self.wait().0
    }
}

/// The file of reviews that a real API server sent.
fn recording() -> PathBuf {
    [env!("CARGO_MANIFEST_DIR"), "..", "corpora", "tests", "recordings", "admissionreviews.jsonl.gz"].iter().collect()
}

/// The reviews in it.
pub(crate) fn recorded_reviews() -> Vec<String> {
    let reader = BufReader::new(flate2::read::MultiGzDecoder::new(fs::File::open(recording()).unwrap()));
    reader.lines().map(Result::unwrap).collect()
}

/// Posts every review, and holds each answer to its review.
fn post_all(reviews: &[String], process: &Process, authority: &str) {
    let client = process.client(authority);
    for review in reviews {
        let answered = client.post("/mutate", review.clone()).unwrap();
        let (sent, said): (Value, Value) =
            (serde_json::from_str(review).unwrap(), serde_json::from_slice(&answered.body).unwrap());
        assert_eq!((&said["apiVersion"], &said["kind"]), (&sent["apiVersion"], &sent["kind"]));
        assert_eq!(said["response"], json!({"uid": sent["request"]["uid"], "allowed": true}));
    }
    let metrics = process.metrics();
    let requests = metrics.lines().filter_map(|line| line.strip_prefix("takeover_shadow_requests_total{"));
    let sum: usize = requests.map(|line| line.rsplit(' ').next().unwrap().parse::<usize>().unwrap()).sum();
    assert_eq!(sum, reviews.len(), "{metrics}");
}

/// The folder of a new certificate for this machine, and its authority.
pub(crate) fn certified(folder: &Path) -> (PathBuf, String) {
    let tls = folder.join("tls");
    assert_eq!(takeover(&["shadow", "--make-certificate", &tls.to_string_lossy(), "--host", HOST]).0, 0);
    let authority = fs::read_to_string(tls.join("ca.crt")).unwrap();
    (tls, authority)
}

#[test]
fn reviews_of_a_real_api_server_are_answered_compared_kept_and_merged() {
    let folder = tempfile::tempdir().unwrap();
    let place = |name: &str| folder.path().join(name);
    let text = |path: PathBuf| path.to_string_lossy().into_owned();
    let (tls, authority) = certified(folder.path());
    let reviews = recorded_reviews();
    assert!(reviews.len() > 10);
    // However many threads read them, reviews count in their order.
    for (replica, limits) in [("one", ""), ("two", "workers = 3\n")] {
        let process = Process::with(&tls, &place("evidence"), replica, limits, &[]);
        post_all(&reviews, &process, &authority);
        assert_eq!(process.end(), 0);
    }
    let compared = |name: &str| {
        let evidence: Value =
            serde_json::from_str(&fs::read_to_string(place(name).join("evidence.json")).unwrap()).unwrap();
        let of = |subject: &Value| {
            ["create", "update"]
                .iter()
                .map(|operation| subject[operation]["counts"]["compared"].as_u64().unwrap())
                .sum::<u64>()
        };
        evidence["subjects"].as_array().unwrap().iter().map(of).sum::<u64>()
    };
    let one = compared("evidence/one");
    assert!(one > 0 && one == compared("evidence/two"), "{one}");
    let (subjects, mut skipped) = replayed(&recording(), &place("replayed"));
    assert!(skipped.iter().any(|(reason, _)| reason == "repeated review of one request"), "{skipped:?}");
    // Deletions are answered and counted without being read.
    skipped.retain(|(reason, _)| reason != "delete");
    for replica in ["evidence/one", "evidence/two"] {
        assert_eq!(counts(&place(replica)), (subjects.clone(), skipped.clone()));
    }

    let (one_run, two_run) = (text(place("evidence/one")), text(place("evidence/two")));
    let (code, report, errors) =
        takeover(&["merge", &one_run, &two_run, "--out", &text(place("both")), "--format", "json"]);
    assert!(code < 2, "{errors}");
    let production = serde_json::from_str::<Value>(&report).unwrap()["production"].clone();
    assert_eq!((&production["replicas"], &production["comparisons"]), (&json!(2), &json!(2 * one)));
    assert_eq!(compared("both"), 2 * one);
    let (code, _, errors) = takeover(&["merge", &one_run, &one_run, "--out", &text(place("twice"))]);
    assert!(code == 2 && errors.contains("one of them is a copy"), "{errors}");

    let soak = text(place("soak"));
    takeover(&[
        "soak",
        "--seed",
        "1",
        "--cases",
        "0",
        "--no-builtin",
        "--recorded",
        &one_review(&place("review.json")),
        "--out",
        &soak,
    ]);
    let (code, said, errors) = takeover(&["merge", &soak, &one_run, "--out", &text(place("all"))]);
    assert!(code < 2, "{errors}");
    assert!(said.contains(", 1 replica, ") && compared("all") == compared("soak") + one, "{said}");
    let report: Value = serde_json::from_str(&fs::read_to_string(place("all").join("report.json")).unwrap()).unwrap();
    let schema: PathBuf = [env!("CARGO_MANIFEST_DIR"), "..", "reports", "schema", "report.v3.json"].iter().collect();
    let schema = jsonschema::draft202012::new(&serde_json::from_str(&fs::read_to_string(schema).unwrap()).unwrap());
    schema.unwrap().validate(&report).unwrap();
    let rules = |kind: &str| {
        let subject = report["subjects"].as_array().unwrap().iter().find(|of| of["subject"] == kind).unwrap();
        let fields = subject["fields"].as_array().unwrap().clone().into_iter();
        fields.flat_map(|field| field["rules"].as_array().unwrap().clone()).collect::<Vec<Value>>()
    };
    // A Role was soaked and never reviewed; of a RuntimeClass it is the other way around.
    let in_all =
        |rule: &Value| rule["create"]["compared"].as_u64().unwrap() + rule["update"]["compared"].as_u64().unwrap();
    let role = rules("rbac.authorization.k8s.io/v1 Role");
    assert!(role.iter().all(|rule| rule["production"]["compared"] == 0), "{role:?}");
    assert!(role.iter().any(|rule| in_all(rule) > 0), "{role:?}");
    let class = rules("node.k8s.io/v1 RuntimeClass");
    assert!(class.iter().all(|rule| rule["production"]["compared"] == in_all(rule)), "{class:?}");
    assert!(class.iter().any(|rule| in_all(rule) > 0), "{class:?}");
    let explained = takeover(&[
        "explain",
        "handler",
        "required",
        "--kind",
        "node.k8s.io/v1 RuntimeClass",
        "--run",
        &text(place("all")),
    ])
    .1;
    assert!(explained.contains("in production: "), "{explained}");
    let (code, _, errors) = takeover(&["merge", &text(place("all")), "--out", &text(place("again"))]);
    assert!(code == 2 && errors.contains("merge its parts instead"), "{errors}");
}

/// The review of the creation of a ReplicationController that is not valid.
pub(crate) fn one_rc(uid: &str) -> String {
    let object = json!({"apiVersion": "v1", "kind": "ReplicationController", "metadata": {"name": "a", "namespace": "b", "uid": uid}});
    let kind = json!({"group": "", "version": "v1", "kind": "ReplicationController"});
    let request = format!("\"uid\":\"{uid}\",\"kind\":{kind},\"operation\":\"CREATE\",\"object\":{object}");
    format!("{{\"kind\":\"AdmissionReview\",\"apiVersion\":\"admission.k8s.io/v1\",\"request\":{{{request}}}}}")
}

#[test]
fn what_running_servers_know_is_fetched_and_merged() {
    let folder = tempfile::tempdir().unwrap();
    let place = |name: &str| folder.path().join(name);
    let text = |path: PathBuf| path.to_string_lossy().into_owned();
    let (tls, authority) = certified(folder.path());
    let reviews = recorded_reviews();
    let fetched = ["one", "two"].map(|replica| {
        let process = Process::start(&tls, &place("evidence"), replica);
        post_all(&reviews, &process, &authority);
        process.settle();
        let file = place(&format!("{replica}.json"));
        fs::write(&file, process.page("/evidence")).unwrap();
        assert_eq!(process.end(), 0);
        text(file)
    });
    let merge = |runs: &[String], out: &str| {
        let mut arguments = vec!["merge", "--format", "json", "--out", out];
        arguments.extend(runs.iter().map(String::as_str));
        let (code, report, errors) = takeover(&arguments);
        assert!(code < 2, "{errors}");
        serde_json::from_str::<Value>(&report).unwrap()
    };
    let of_pages = merge(&fetched, &text(place("pages")));
    let of_folders =
        merge(&["one", "two"].map(|replica| text(place("evidence").join(replica))), &text(place("folders")));
    assert_eq!(of_pages["production"]["replicas"], 2);
    assert_eq!(of_pages, of_folders);
    let private = fs::read_to_string(place("one.json")).unwrap();
    assert!(!private.contains("\"metadata\":{"), "values are not kept by default");
    let again = [&fetched[0], &fetched[0]].map(String::clone);
    let (code, _, errors) = takeover(&["merge", &again[0], &again[1], "--out", &text(place("twice"))]);
    assert!(code == 2 && errors.contains("one of them is a copy"), "{errors}");
    fs::write(&fetched[0], "{}").unwrap();
    let (code, _, errors) = takeover(&["merge", &fetched[0], "--out", &text(place("broken"))]);
    assert!(code == 2 && errors.contains("one.json"), "{errors}");
}

#[test]
fn evidence_that_cannot_be_written_at_the_end_is_said_to_be_lost() {
    let folder = tempfile::tempdir().unwrap();
    let tls = folder.path().join("tls");
    let place = tls.to_string_lossy().into_owned();
    assert_eq!(takeover(&["shadow", "--make-certificate", &place, "--host", HOST]).0, 0);
    let authority = fs::read_to_string(tls.join("ca.crt")).unwrap();
    let process = Process::start(&tls, &folder.path().join("evidence"), "one");
    post_all(&recorded_reviews(), &process, &authority);
    process.settle();
    // As on a full disk.
    let replica = folder.path().join("evidence/one");
    let before = fs::read(replica.join("evidence.json")).unwrap();
    let half = replica.join(format!(".evidence.json.{}.part", process.child.0.id()));
    std::os::unix::fs::symlink("/dev/full", &half).unwrap();
    assert_eq!(process.end(), 2);
    assert!(half.symlink_metadata().is_err());
    assert_eq!(fs::read(replica.join("evidence.json")).unwrap(), before);
}

/// A file with an object to soak.
fn one_review(file: &Path) -> String {
    let object = json!({"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "Role", "metadata": {"name": "a", "namespace": "b"}});
    fs::write(file, object.to_string()).unwrap();
    file.to_string_lossy().into_owned()
}

/// The lines of an audit log that a real API server wrote, in their order.
pub(crate) fn audit_log(folder: &Path) -> Vec<Value> {
    let mut files: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    // As the server names them, the file that it writes to comes last.
    files.sort_by_key(|file| (file.ends_with("audit.log"), file.clone()));
    let lines = |file: PathBuf| {
        let open = fs::File::open(&file).unwrap();
        let text: Box<dyn std::io::Read> = match file.extension().unwrap().to_str() {
            Some("gz") => Box::new(flate2::read::MultiGzDecoder::new(open)),
            _ => Box::new(open),
        };
        BufReader::new(text).lines().map(|line| serde_json::from_str(&line.unwrap()).unwrap()).collect::<Vec<Value>>()
    };
    files.into_iter().flat_map(lines).collect()
}

/// Counters by subject, and by reason of what belongs to none.
type Counts = (Vec<(Value, Value, Value)>, Vec<(String, Value)>);

/// What the evidence in `run` counts, apart from the kinds that are no subjects of a run or server.
fn counts(run: &Path) -> Counts {
    let evidence: Value = serde_json::from_str(&fs::read_to_string(run.join("evidence.json")).unwrap()).unwrap();
    let subjects = evidence["subjects"].as_array().unwrap().clone();
    let seen =
        |subject: &Value| ["create", "update"].iter().any(|operation| subject[operation]["counts"]["cases"] != 0);
    let of = |subject: Value| {
        (subject["subject"].clone(), subject["create"]["counts"].clone(), subject["update"]["counts"].clone())
    };
    let strangers = |reason: &str| reason.starts_with("no subject of this");
    let outside = evidence["outside"].as_object().unwrap().clone().into_iter();
    let outside: Vec<_> =
        outside.filter(|(reason, _)| !strangers(reason)).map(|(reason, of)| (reason, of["count"].clone())).collect();
    (subjects.into_iter().filter(seen).map(of).collect(), outside)
}

/// What a replay of these files counts.
fn replayed(files: &Path, out: &Path) -> Counts {
    let [files, run] = [files, out].map(|path| path.to_string_lossy().into_owned());
    takeover(&["soak", "--seed", "1", "--cases", "0", "--no-builtin", "--recorded", &files, "--out", &run]);
    let soaked = counts(out);
    assert!(soaked.0.iter().any(|(_, _, update)| update["compared"].as_u64().unwrap() > 0), "{soaked:?}");
    soaked
}

#[test]
fn audit_events_in_batches_give_the_evidence_of_the_files() {
    let folder = tempfile::tempdir().unwrap();
    let text = |path: PathBuf| path.to_string_lossy().into_owned();
    let tls = folder.path().join("tls");
    assert_eq!(takeover(&["shadow", "--make-certificate", &text(tls.clone()), "--host", HOST]).0, 0);
    let authority = fs::read_to_string(tls.join("ca.crt")).unwrap();
    let log: PathBuf = [env!("CARGO_MANIFEST_DIR"), "..", "corpora", "tests", "recordings", "audit"].iter().collect();
    let events = audit_log(&log);
    let process = Process::start(&tls, &folder.path().join("evidence"), "one");
    let client = process.client(&authority);
    for items in events.chunks(7) {
        let batch = json!({"kind": "EventList", "apiVersion": "audit.k8s.io/v1", "metadata": {}, "items": items});
        assert_eq!(client.post("/audit", batch.to_string()).unwrap().code, 200);
    }
    assert_eq!(process.end(), 0);
    assert_eq!(counts(&folder.path().join("evidence/one")), replayed(&log, &folder.path().join("soak")));
}
