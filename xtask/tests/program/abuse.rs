//! What was thrown at the program by hand once. With `TAKEOVER_ABUSE=1` in full, which takes minutes, and otherwise in part.

use crate::shadow::{Process, audit_log, certified, one_rc, recorded_reviews};
use serde_json::{Value, json};
use std::fs;
use std::io::Write as _;
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};
use takeover_shadow::client::Client;

/// How much of it is done.
pub(crate) fn amount(part: usize, whole: usize) -> usize {
    if std::env::var_os("TAKEOVER_ABUSE").is_some() { whole } else { part }
}

/// Numbers that look random and are the same each time (SplitMix64).
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// One below `end`, which is above 0.
    fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.next() % end as u64).unwrap()
    }

    fn one_of<'t, T>(&mut self, of: &'t [T]) -> &'t T {
        &of[self.below(of.len())]
    }
}

/// Values that belong nowhere.
fn odd(numbers: &mut Numbers) -> Value {
    match numbers.below(12) {
        0 => Value::Null,
        1 => json!(-1),
        2 => json!(u64::MAX),
        3 => json!(1e308),
        4 => json!(""),
        5 => json!("a\u{202e}b\u{0}\u{1b}[31m\u{85}"),
        6 => json!("x".repeat(10_000)),
        7 => json!([[], {}, null, [[[[]]]]]),
        8 => json!({"": {"/": {"~": null}}}),
        9 => json!(vec![json!({}); 300]),
        10 => (0..60).fold(json!(1), |inner, _| json!([inner])),
        _ => json!("99999999999999999999999999Ki"),
    }
}

/// All places of a value, the whole first.
fn places(value: &Value, at: &mut Vec<String>, here: &str) {
    at.push(here.to_owned());
    match value {
        Value::Object(members) => members.iter().for_each(|(name, value)| {
            places(value, at, &format!("{here}/{}", name.replace('~', "~0").replace('/', "~1")));
        }),
        Value::Array(items) => {
            items.iter().enumerate().for_each(|(at_item, value)| places(value, at, &format!("{here}/{at_item}")));
        }
        _ => {}
    }
}

/// `seed`, spoilt: values elsewhere, replaced, removed or renamed, and then perhaps bytes too.
fn spoilt(numbers: &mut Numbers, seed: &Value) -> Vec<u8> {
    let mut value = seed.clone();
    for _ in 0..=numbers.below(4) {
        let mut all = Vec::new();
        places(&value, &mut all, "");
        let (from, to) = (numbers.one_of(&all).clone(), numbers.one_of(&all).clone());
        let other = if numbers.below(2) == 0 { odd(numbers) } else { value.pointer(&from).unwrap().clone() };
        let Some(place) = value.pointer_mut(&to) else { continue };
        match (numbers.below(3), place) {
            (0, Value::Object(members)) => {
                let name = members.keys().nth(numbers.below(members.len().max(1))).cloned();
                members.remove(&name.unwrap_or_default());
            }
            (1, Value::Object(members)) => {
                members.insert(from.rsplit('/').next().unwrap().to_owned(), other);
            }
            (_, place) => *place = other,
        }
    }
    let mut bytes = value.to_string().into_bytes();
    if numbers.below(3) == 0 {
        for _ in 0..=numbers.below(6) {
            let at = numbers.below(bytes.len().max(1));
            match numbers.below(5) {
                0 => bytes.truncate(at),
                1 if at < bytes.len() => bytes[at] = numbers.next().to_le_bytes()[0],
                2 if at < bytes.len() => {
                    let rest = bytes.split_off(at);
                    bytes.extend(b"\xff\xfe\\ud800");
                    bytes.extend(rest);
                }
                3 if at < bytes.len() => {
                    bytes.remove(at);
                }
                _ => bytes.extend_from_within(at.min(bytes.len())..(at + 40).min(bytes.len())),
            }
        }
    }
    bytes
}

fn recordings(name: &str) -> PathBuf {
    [env!("CARGO_MANIFEST_DIR"), "..", "corpora", "tests", "recordings", name].iter().collect()
}

/// The objects of the reviews.
fn objects() -> Vec<Value> {
    let reviews = recorded_reviews().into_iter().map(|review| serde_json::from_str::<Value>(&review).unwrap());
    reviews.map(|review| review["request"]["object"].clone()).filter(Value::is_object).collect()
}

fn takeover(folder: &Path, arguments: &[&str]) -> Output {
    let program = assert_cmd::cargo::cargo_bin("takeover");
    Command::new(program).args(arguments).current_dir(folder).output().unwrap()
}

/// That it ended by itself with an answer or a refusal, and nothing panicked.
fn assert_sound(output: &Output, what: &str) {
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(matches!(output.status.code(), Some(0..=9)) && !said.contains("panicked at"), "{what}: {output:?}");
}

#[test]
fn spoilt_objects_and_logs_make_no_command_panic() {
    let mut numbers = Numbers(1);
    let (objects, reviews) = (objects(), recorded_reviews());
    let events: Vec<Value> = audit_log(&recordings("audit"));
    let reviews: Vec<Value> = reviews.iter().map(|review| serde_json::from_str(review).unwrap()).collect();
    let mut left = amount(150, 14_000);
    while left > 0 {
        let folder = tempfile::tempdir().unwrap();
        let number = left.min(1_000);
        left -= number;
        fs::create_dir(folder.path().join("in")).unwrap();
        let mut lines = Vec::new();
        for at in 0..number {
            match at % 3 {
                0 => {
                    let extension = if numbers.below(2) == 0 { "json" } else { "yaml" };
                    let seed = numbers.one_of(&objects).clone();
                    fs::write(folder.path().join(format!("in/{at}.{extension}")), spoilt(&mut numbers, &seed)).unwrap();
                }
                of => {
                    let seed = numbers.one_of(if of == 1 { &events } else { &reviews }).clone();
                    lines.extend(spoilt(&mut numbers, &seed));
                    lines.push(b'\n');
                }
            }
        }
        fs::write(folder.path().join("in/log.jsonl"), lines).unwrap();
        for arguments in [
            &["validate", "in"][..],
            &["soak", "--recorded", "in", "--no-builtin", "--cases", "0", "--out", "run"],
            &["corpus", "import", "in", "-o", "corpus.jsonl"],
            &["scan", "in"],
        ] {
            let output = takeover(folder.path(), arguments);
            assert_sound(&output, arguments[0]);
        }
        let evidence = fs::read_to_string(folder.path().join("run/evidence.json")).unwrap();
        let evidence: Value = serde_json::from_str(&evidence).unwrap();
        for subject in evidence["subjects"].as_array().unwrap() {
            for operation in ["create", "update"] {
                assert_eq!(subject[operation]["counts"]["panicked"], 0, "{}", subject[operation]["panics"]);
            }
        }
    }
}

/// Sum of the values of a metric over all labels.
fn sum(metrics: &str, name: &str) -> u64 {
    let lines = metrics.lines().filter_map(|line| line.strip_prefix(name)?.strip_prefix('{'));
    lines.map(|line| line.rsplit(' ').next().unwrap().parse::<u64>().unwrap()).sum()
}

/// Peak of the memory of the process of this number until now, in MiB; none if it has ended.
fn memory(process: u32) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(line.trim().trim_end_matches(" kB").parse::<u64>().unwrap() / 1024)
}

/// The same of a server.
fn peak(process: &Process) -> u64 {
    memory(process.id()).unwrap()
}

#[test]
fn spoilt_reviews_and_batches_are_allowed_and_counted_and_end_no_server() {
    let folder = tempfile::tempdir().unwrap();
    let (tls, authority) = certified(folder.path());
    let process = Process::with(&tls, &folder.path().join("out"), "one", "", &[]);
    let client = process.client(&authority);
    let mut numbers = Numbers(2);
    let reviews: Vec<Value> = recorded_reviews().iter().map(|review| serde_json::from_str(review).unwrap()).collect();
    let events: Vec<Value> = audit_log(&recordings("audit"));
    let (mut sent, mut batches) = (0, 0);
    for at in 0..amount(150, 14_000) {
        if at % 4 == 3 {
            let items: Vec<&Value> = (0..3).map(|_| numbers.one_of(&events)).collect();
            let batch = json!({"kind": "EventList", "apiVersion": "audit.k8s.io/v1", "items": items});
            let answered = client.post("/audit", spoilt(&mut numbers, &batch)).unwrap();
            assert!(answered.code < 500, "{}", answered.code);
            batches += 1;
        } else {
            let seed = numbers.one_of(&reviews).clone();
            let answered = client.post("/mutate", spoilt(&mut numbers, &seed)).unwrap();
            if answered.code == 200 {
                let said: Value = serde_json::from_slice(&answered.body).unwrap();
                assert_eq!(said["response"]["allowed"], true, "{said}");
            }
            assert!(answered.code < 500, "{}", answered.code);
            sent += 1;
        }
    }
    process.until("all is compared", |process| {
        process.metric("takeover_shadow_queue_length") == 0
            && sum(&process.metrics(), "takeover_shadow_work_total")
                == process.metric("takeover_shadow_requests_total{outcome=\"queued\"}")
    });
    let metrics = process.metrics();
    assert_eq!(sum(&metrics, "takeover_shadow_requests_total"), sent, "{metrics}");
    assert_eq!(sum(&metrics, "takeover_shadow_audit_batches_total"), batches, "{metrics}");
    for none in ["takeover_oracle_panics_total", "takeover_shadow_subject_off"] {
        assert_eq!(sum(&metrics, none), 0, "{metrics}");
    }
    for outcome in ["failed", "hung"] {
        assert_eq!(process.metric(&format!("takeover_shadow_work_total{{outcome=\"{outcome}\"}}")), 0, "{metrics}");
    }
    println!("{sent} reviews and {batches} batches: {} MiB", peak(&process));
    assert_eq!(process.end(), 0);
}

#[test]
fn slow_and_idle_connections_keep_nobody_waiting() {
    let folder = tempfile::tempdir().unwrap();
    let (tls, authority) = certified(folder.path());
    let process = Process::with(&tls, &folder.path().join("out"), "one", "", &["--kind", "ReplicationController"]);
    let open = || TcpStream::connect(process.webhook.unwrap()).unwrap();
    // The beginning of a TLS handshake, and then nothing.
    let slow: Vec<TcpStream> = (0..200)
        .map(|_| {
            let mut stream = open();
            stream.write_all(b"\x16\x03\x01").unwrap();
            stream
        })
        .collect();
    let (idle, mut longest) = (amount(1_000, 19_700), Duration::ZERO);
    let mut held = Vec::with_capacity(idle);
    for number in 0..idle {
        held.push(open());
        if number % (idle / 20) == 0 {
            let begin = Instant::now();
            let answered = process.client(&authority).post("/mutate", one_rc(&format!("u{number}"))).unwrap();
            longest = longest.max(begin.elapsed());
            assert_eq!(answered.code, 200);
        }
    }
    assert!(longest < Duration::from_secs(5), "{longest:?}");
    // Those that were not closed for others are given up, in time.
    let closed = |of: &str| process.metric(&format!("takeover_shadow_connections_{of}_total"));
    let most = (idle + slow.len() - 512 - 64) as u64;
    process.until("nearly all but 512 connections are closed", |_| closed("made_room") + closed("broken") >= most);
    assert!(closed("made_room") > 0, "room was made for others");
    assert_eq!(process.metric("takeover_shadow_connections_refused_total"), 0);
    assert!(process.metric("takeover_shadow_connections") <= 512);
    println!("{idle} idle connections: the longest answer took {longest:?}, {} MiB", peak(&process));
    drop((slow, held));
    assert_eq!(process.end(), 0);
}

#[test]
fn made_up_kinds_do_not_lengthen_the_metrics() {
    let folder = tempfile::tempdir().unwrap();
    let (tls, authority) = certified(folder.path());
    let process = Process::with(&tls, &folder.path().join("out"), "one", "", &[]);
    let client = process.client(&authority);
    let kinds = amount(600, 60_000);
    let post = |number: usize| {
        let object = json!({"apiVersion": format!("g{number}.example/v1"), "kind": format!("Kind{number}"), "metadata": {"name": "a"}});
        let kind = json!({"group": format!("g{number}.example"), "version": "v1", "kind": format!("Kind{number}")});
        let request = format!("\"uid\":\"u{number}\",\"kind\":{kind},\"operation\":\"CREATE\",\"object\":{object}");
        let review = format!(
            "{{\"kind\":\"AdmissionReview\",\"apiVersion\":\"admission.k8s.io/v1\",\"request\":{{{request}}}}}"
        );
        assert_eq!(client.post("/mutate", review).unwrap().code, 200);
    };
    let length = |process: &Process| (process.metrics().lines().count(), process.page("/report?format=text").len());
    (0..200).for_each(post);
    let before = length(&process);
    (200..kinds).for_each(post);
    let after = length(&process);
    assert_eq!(after.0, before.0, "series");
    assert!(after.1 < before.1 + 200, "bytes of the report: {before:?}, {after:?}");
    assert_eq!(process.metric("takeover_shadow_requests_total{outcome=\"no_subject\"}"), kinds as u64);
    println!("{kinds} kinds: {} series, {} MiB", after.0, peak(&process));
    assert_eq!(process.end(), 0);
}

/// A review of a ReplicationController with this many empty containers. Each container gets several errors.
fn swollen(uid: &str, containers: usize) -> String {
    let object = json!({"apiVersion": "v1", "kind": "ReplicationController", "metadata": {"name": uid, "namespace": "b"}, "spec": {
        "selector": {"a": "b"},
        "template": {"metadata": {"labels": {"a": "b"}}, "spec": {"containers": vec![json!({}); containers]}},
    }});
    let kind = json!({"group": "", "version": "v1", "kind": "ReplicationController"});
    let request = format!("\"uid\":\"{uid}\",\"kind\":{kind},\"operation\":\"CREATE\",\"object\":{object}");
    format!("{{\"kind\":\"AdmissionReview\",\"apiVersion\":\"admission.k8s.io/v1\",\"request\":{{{request}}}}}")
}

#[test]
fn objects_with_an_error_at_every_item_cost_neither_the_server_nor_their_subject() {
    let folder = tempfile::tempdir().unwrap();
    let (tls, authority) = certified(folder.path());
    // As the manifests have it, oracles have a bound of their own. The program counts, too, and differs in size from build to build.
    let program = fs::metadata(assert_cmd::cargo::cargo_bin("takeover")).unwrap().len();
    let bound = format!("{}MiB", 200 + (program >> 20));
    let more = ["--kind", "ReplicationController", "--isolate", "--worker-memory", &bound];
    let process = Process::with(&tls, &folder.path().join("out"), "one", "oracle-milliseconds = 60000\n", &more);
    let client: Client = process.client(&authority);
    let mut sent = 0;
    let rounds = amount(1, 20);
    for round in 0..rounds {
        for containers in [100, 10_000, 100_000, 300_000] {
            let review = swollen(&format!("u-{round}-{containers}"), containers);
            assert_eq!(client.post("/mutate", review).unwrap().code, 200);
            sent += 1;
        }
    }
    process.settle();
    let metrics = process.metrics();
    assert_eq!(sum(&metrics, "takeover_shadow_work_total"), sent);
    for none in ["takeover_oracle_panics_total", "takeover_shadow_subject_off"] {
        assert_eq!(sum(&metrics, none), 0, "{metrics}");
    }
    assert_eq!(process.metric("takeover_shadow_processes_ended_total"), 0, "{metrics}");
    let (reports, peak) = (process.page("/report?format=json"), peak(&process));
    let report: Value = serde_json::from_str(&reports).unwrap();
    let own =
        report["subjects"].as_array().unwrap().iter().find(|of| of["subject"] == "v1 ReplicationController").unwrap();
    let totals = &own["totals"];
    let skipped = totals["skipped"].as_object().unwrap().values().map(|count| count.as_u64().unwrap()).sum::<u64>();
    let outside = report["outside"].as_array().unwrap().iter().map(|of| of["count"].as_u64().unwrap()).sum::<u64>();
    assert_eq!(totals["skipped"]["too many errors from the reference"], rounds, "their memory is enough: {totals}");
    assert_eq!(skipped + outside + totals["compared"].as_u64().unwrap(), sent, "{totals}");
    println!("{sent} reviews of up to {} bytes: {peak} MiB; {totals}", swollen("u", 300_000).len());
    assert!(peak < 512, "{peak} MiB");
    assert_eq!(process.end(), 0);
}

#[test]
fn a_packed_list_of_bad_objects_is_validated_in_bounded_memory() {
    let folder = tempfile::tempdir().unwrap();
    let item = json!({"apiVersion": "v1", "kind": "ReplicationController", "metadata": {"name": "a"}, "spec": {
        "template": {"spec": {"containers": vec![json!({}); 200]}}}})
    .to_string();
    let file = fs::File::create(folder.path().join("list.json.gz")).unwrap();
    let mut packed = flate2::write::GzEncoder::new(file, flate2::Compression::fast());
    packed.write_all(b"{\"apiVersion\":\"v1\",\"kind\":\"List\",\"items\":[").unwrap();
    let items = amount(500, 20_000);
    for number in 0..items {
        packed.write_all(if number > 0 { b"," } else { b"" }).unwrap();
        packed.write_all(item.as_bytes()).unwrap();
    }
    packed.write_all(b"]}").unwrap();
    packed.finish().unwrap();
    let length = fs::metadata(folder.path().join("list.json.gz")).unwrap().len();
    let begin = Instant::now();
    let mut child = Command::new(assert_cmd::cargo::cargo_bin("takeover"))
        .args(["validate", "list.json.gz"])
        .current_dir(folder.path())
        .stdout(Stdio::from(fs::File::create(folder.path().join("said")).unwrap()))
        .stderr(Stdio::from(fs::File::create(folder.path().join("errors")).unwrap()))
        .spawn()
        .unwrap();
    let mut highest = 0;
    let status = loop {
        highest = highest.max(memory(child.id()).unwrap_or_default());
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
        std::thread::sleep(Duration::from_millis(10));
    };
    let said = fs::read_to_string(folder.path().join("said")).unwrap();
    assert_eq!(status.code(), Some(1), "{}", fs::read_to_string(folder.path().join("errors")).unwrap());
    println!("{items} items, {length} bytes packed: {:?}, {highest} MiB, {} bytes said", begin.elapsed(), said.len());
    assert!(highest < 1024, "{highest} MiB");
}
