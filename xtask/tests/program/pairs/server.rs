//! A server that was recorded against the built-in validators: whole runs over HTTP.
//!
//! `server/recording.jsonl` holds requests to an API server of Kubernetes 1.36.2 and its answers; `server/record.py` made it. The
//! cases of the run are taken from the recorded requests, so that the recording stays valid while the generator changes. A request that
//! is not in it gets status 501.

use super::http::{Reply, Request, serve};
use super::lab::{Lab, Ran};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{Arc, Mutex};

const RECORDING: &str = include_str!("server/recording.jsonl");

/// A server that answers as a recorded one did.
#[derive(Default)]
struct Player {
    recorded: HashMap<(String, String, Value), Reply>,
    asked: Mutex<Asked>,
}

/// What the player was asked.
#[derive(Clone, Default)]
struct Asked {
    /// Method and path of what changed something, as it came.
    changes: Vec<(String, String)>,
    /// Requests that are not in the recording.
    unknown: Vec<String>,
    requests: usize,
}

/// `text` with every name that begins with `prefix` and goes on with `fits` replaced by `prefix` and a zero.
fn without(text: &str, prefix: &str, fits: fn(char) -> bool) -> String {
    let mut parts = text.split(prefix);
    let mut plain = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let rest = part.trim_start_matches(fits);
        plain.push_str(prefix);
        if rest.len() < part.len() {
            plain.push('0');
        }
        plain.push_str(rest);
    }
    plain
}

/// A text without the names that differ from run to run, as the recording has it.
fn plain(text: &str) -> String {
    let text = without(text, "takeover-scratch-", |c| c.is_ascii_hexdigit());
    without(&text, "takeover-", |c| c.is_ascii_digit())
}

/// A body without what a server counts itself, whatever it is sent.
fn counted(mut body: Value) -> Value {
    if let Some(metadata) = body.get_mut("metadata").and_then(Value::as_object_mut) {
        metadata.remove("generation");
    }
    body
}

fn exchanges() -> Vec<Value> {
    RECORDING.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn text(of: &Value) -> String {
    of.as_str().unwrap_or_default().to_owned()
}

impl Player {
    /// Starts a player; returns its URL.
    fn start() -> (String, Arc<Self>) {
        let mut player = Self::default();
        for exchange in exchanges() {
            let key = (text(&exchange["method"]), text(&exchange["target"]), counted(exchange["body"].clone()));
            player
                .recorded
                .insert(key, (u16::try_from(exchange["code"].as_u64().unwrap()).unwrap(), exchange["reply"].clone()));
        }
        let player = Arc::new(player);
        (serve(&player, Self::answer), player)
    }

    fn answer(&self, request: &Request) -> Reply {
        let (target, body) = (&request.target, String::from_utf8_lossy(&request.body));
        let mut asked = self.asked.lock().unwrap();
        asked.requests += 1;
        let key =
            (request.method.clone(), plain(target), counted(serde_json::from_str(&plain(&body)).unwrap_or_default()));
        let Some(known) = self.recorded.get(&key).cloned() else {
            asked.unknown.push(format!("{} {} {}", key.0, key.1, key.2));
            return (501, json!({"kind": "Status", "message": "this request is not in the recording"}));
        };
        if key.0 != "GET" && !target.contains("dryRun=All") && known.0 < 300 {
            let path = target.split('?').next().unwrap_or_default().to_owned();
            asked.changes.push((key.0, path));
        }
        known
    }

    fn asked(&self) -> Asked {
        self.asked.lock().unwrap().clone()
    }
}

/// The object of a request as somebody would have sent it, with what the server gave to a stored one taken away.
fn object(body: &Value, is_stored: bool) -> Value {
    let mut object = body.clone();
    let metadata = object["metadata"].as_object_mut().unwrap();
    for given in ["uid", "resourceVersion", "creationTimestamp", "generation"].into_iter().filter(|_| is_stored) {
        metadata.remove(given);
    }
    if metadata.get("name") == Some(&json!("takeover-0")) {
        metadata.insert("name".to_owned(), "usual".into());
    }
    if metadata.contains_key("namespace") {
        metadata.insert("namespace".to_owned(), "default".into());
    }
    object
}

fn case(operation: &str, object: Value, old: Option<Value>) -> Value {
    let mut case =
        json!({"apiVersion": "takeover.dev/v1alpha1", "kind": "Case", "operation": operation, "object": object});
    if let Some(old) = old {
        case["oldObject"] = old;
    }
    case
}

/// The cases that the recorded requests were about, as documents.
fn cases() -> Vec<Value> {
    let recorded = exchanges();
    let of = |exchange: &Value| {
        let (target, body) = (text(&exchange["target"]), &exchange["body"]);
        let is_dry = target.contains("dryRun=All");
        match text(&exchange["method"]).as_str() {
            "POST" if is_dry => Some(case("create", object(body, false), None)),
            // An old object that the server rejects.
            "POST" if exchange["code"] == 422 => {
                let old = object(body, true);
                Some(case("update", old.clone(), Some(old)))
            }
            "PUT" if is_dry => {
                let by = |number: &Value| &recorded[usize::try_from(number.as_u64().unwrap()).unwrap()]["body"];
                let stored: Vec<&Value> = exchange["old"].as_array().unwrap().iter().map(by).collect();
                let mut old = object(stored[0], true);
                if let Some(with_status) = stored.get(1) {
                    old["status"] = with_status["status"].clone();
                }
                Some(case("update", object(body, true), Some(old)))
            }
            _ => None,
        }
    };
    recorded.iter().filter_map(of).collect()
}

/// Kinds of the recording, in its order.
const KINDS: [&str; 5] = [
    "v1 ReplicationController",
    "networking.k8s.io/v1 NetworkPolicy",
    "rbac.authorization.k8s.io/v1 RoleBinding",
    "discovery.k8s.io/v1 EndpointSlice",
    "storage.k8s.io/v1 StorageClass",
];

/// Accepted by both, refused by both, and not asked because the server does not store the old object: of creates, and of updates.
const AGREED: [(&str, [[u64; 3]; 2]); 5] = [
    ("ReplicationController", [[5, 14, 0], [11, 1, 3]]),
    ("NetworkPolicy", [[13, 6, 0], [9, 0, 3]]),
    ("RoleBinding", [[8, 11, 0], [4, 5, 3]]),
    ("EndpointSlice", [[4, 15, 0], [4, 5, 3]]),
    ("StorageClass", [[2, 17, 0], [0, 0, 0]]),
];

fn settings() -> String {
    let pair = |subject: &&str| {
        let (version, kind) = subject.split_once(' ').unwrap();
        let name = kind.to_lowercase();
        format!(
            "[[pair]]\nname = \"{name}\"\napiVersion = \"{version}\"\nkind = \"{kind}\"\n\
             reference = {{ server = \"kubeconfig\", context = \"recorded\", rate = 5000 }}\ncandidate = {{ builtin = true }}\n"
        )
    };
    KINDS.iter().map(pair).collect()
}

fn soak(lab: &Lab, url: &str) -> Ran {
    lab.write("takeover.toml", &settings());
    lab.write(
        "kubeconfig",
        &format!(
            "clusters: [{{name: c, cluster: {{server: \"{url}\"}}}}]\nusers: [{{name: u, user: {{}}}}]\n\
             contexts: [{{name: recorded, context: {{cluster: c, user: u}}}}]\n"
        ),
    );
    let cases: String = cases().iter().map(|case| format!("---\n{case}\n")).collect();
    lab.write("cases.yaml", &cases);
    let more = ["--seed", "1", "--cases", "0", "--no-builtin", "--recorded", "cases.yaml", "--out", "run"];
    lab.run(&[&["soak"][..], &more].concat())
}

#[test]
fn a_recorded_server_and_the_builtin_validators_agree_and_nothing_is_left_behind() {
    let (lab, (url, player)) = (Lab::new(), Player::start());
    let ran = soak(&lab, &url);
    let asked = player.asked();

    // Who looks at the cluster is told before what will be done to it.
    assert!(ran.stderr.contains(&format!("note: Send at most 5000 requests a second to `{url}`")), "{}", ran.said());
    assert!(ran.stderr.contains("note: Create a namespace `takeover-scratch-…` for each pair"), "{}", ran.said());

    // The reference is also asked about the objects that a generator would begin with, but about nothing else that is not recorded.
    let is_create = |request: &&String| request.starts_with("POST ") && request.contains("?dryRun=All&");
    assert_eq!(asked.unknown.iter().find(|request| !is_create(request)), None);

    let mut counted = BTreeMap::new();
    for subject in lab.json("run/evidence.json")["subjects"].as_array().unwrap() {
        let counts = ["create", "update"].map(|operation| {
            let of = &subject[operation];
            assert_eq!(of["failures"], json!({"reference": 0, "candidate": 0}), "{of:#}\n{:#?}", asked.unknown);
            let count = |name: &str| of["counts"][name].as_u64().unwrap();
            assert_eq!(count("compared"), count("agreedAccept") + count("agreedReject"), "{of:#}");
            let skipped: Vec<(&str, u64)> = of["skipped"]
                .as_object()
                .unwrap()
                .iter()
                .map(|(reason, of)| (reason.as_str(), of["count"].as_u64().unwrap()))
                .collect();
            let refused = match skipped.as_slice() {
                [] => 0,
                [("the reference cannot be asked: it does not store the old object", count)] => *count,
                other => panic!("{other:?}"),
            };
            [count("agreedAccept"), count("agreedReject"), refused]
        });
        counted.insert(text(&subject["subject"]["kind"]), counts);
    }
    assert_eq!(counted, BTreeMap::from(AGREED.map(|(kind, counts)| (kind.to_owned(), counts))), "{}", ran.said());

    // What was made is gone: a namespace for each pair, and each old object.
    let of = |method: &str, names_one: &dyn Fn(&str) -> bool| -> Vec<String> {
        let of = asked.changes.iter().filter(|(known, path)| known == method && names_one(path));
        of.map(|(_, path)| path.clone()).collect()
    };
    let is_namespace =
        |path: &str| path.starts_with("/api/v1/namespaces/takeover-scratch-") && path.split('/').count() == 5;
    let removed = of("DELETE", &is_namespace);
    assert_eq!(of("POST", &|path| path == "/api/v1/namespaces").len(), KINDS.len());
    assert_eq!(removed.iter().collect::<BTreeSet<_>>().len(), KINDS.len(), "{removed:?}");
    let stored = of("POST", &|path| path != "/api/v1/namespaces").len();
    assert_eq!(of("DELETE", &|path| !is_namespace(path)).len(), stored);
    let inside = |path: &&(String, String)| {
        removed.iter().any(|namespace| path.1.contains(namespace.trim_start_matches("/api/v1")))
    };
    let outside: Vec<_> =
        asked.changes.iter().filter(|change| !inside(change) && change.1 != "/api/v1/namespaces").collect();
    assert!(outside.is_empty(), "{outside:?}");
}
