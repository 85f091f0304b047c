//! A server on loopback that stores objects, knows dry runs, and is full of things that must stay as they are.

use super::scratch::Live;
use super::{Plan, Server, ServerSettings};
use crate::http::fake::{Asked, Certificates, Fake, Request, Response, ask, create, update};
use base64::Engine as _;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use takeover_harness::error::BadValue;
use takeover_harness::oracle::{Answer, Decision, OracleFailure};

/// Objects by path, and the requests that changed or could have changed them.
#[derive(Default)]
pub(super) struct Inventory {
    objects: BTreeMap<String, Value>,
    pub(super) writes: Vec<(String, String)>,
    versions: u64,
    /// Answers of this code before the next request is served.
    busy: usize,
    /// A controller changes what is stored before the next updates.
    pub(super) meddling: usize,
    /// Closes the connection instead of answering, this many times, when something was created.
    losing: usize,
}

impl Inventory {
    /// A cluster in use.
    fn new() -> Self {
        let mut it = Self::default();
        for path in [
            "/api/v1/namespaces/default",
            "/api/v1/namespaces/kube-system",
            "/apis/shop.example.com/v1/namespaces/default/widgets/a",
            "/apis/shop.example.com/v1/namespaces/default/widgets/takeover-0",
            "/apis/shop.example.com/v1/shops/main",
        ] {
            it.keep(path, json!({"metadata": {"name": path.rsplit('/').next()}}));
        }
        it
    }

    fn keep(&mut self, path: &str, mut object: Value) -> Value {
        self.versions += 1;
        object["metadata"]["resourceVersion"] = json!(self.versions.to_string());
        object["metadata"]["creationTimestamp"] = json!("2026-11-24T00:00:00Z");
        if object["metadata"]["uid"].is_null() {
            object["metadata"]["uid"] = json!(format!("uid-{}", self.versions));
        }
        self.objects.insert(path.to_owned(), object.clone());
        object
    }

    fn serve(&mut self, request: &Request) -> Response {
        let (path, query) = request.target.split_once('?').unwrap_or((&request.target, ""));
        let dry_run = query.contains("dryRun=All");
        if self.busy > 0 {
            self.busy -= 1;
            return Response { headers: "retry-after: 0\r\n", ..refusal(429, "too many requests", &[]) };
        }
        if request.method != "GET" {
            let dry = if dry_run { " (dry run)" } else { "" };
            self.writes.push((format!("{}{dry}", request.method), path.to_owned()));
        }
        let body = request.json();
        match request.method.as_str() {
            "GET" => self.get(path),
            "POST" => {
                let name = body["metadata"]["name"].as_str().unwrap_or_default().replace(':', "%3A");
                let at = format!("{path}/{name}");
                if self.objects.contains_key(&at) {
                    let status = json!({"message": "already exists", "reason": "AlreadyExists", "code": 409});
                    return Response::json(409, &status);
                }
                if !body["metadata"]["resourceVersion"].is_null() {
                    return refusal(500, "resourceVersion should not be set on objects to be created", &[]);
                }
                self.judge(body, &at, dry_run, 201)
            }
            "PUT" => {
                let at = path.trim_end_matches("/status").to_owned();
                if self.meddling > 0 {
                    self.meddling -= 1;
                    self.versions += 1;
                    let version = self.versions.to_string();
                    if let Some(old) = self.objects.get_mut(&at) {
                        old["metadata"]["resourceVersion"] = json!(version);
                    }
                }
                let Some(old) = self.objects.get(&at) else { return refusal(404, "not found", &[]) };
                let same = |member: &str| old["metadata"][member] == body["metadata"][member];
                if !same("resourceVersion") || !same("uid") {
                    return refusal(409, "the object has been modified", &[]);
                }
                if !same("creationTimestamp") {
                    return refusal(422, "field is immutable", &["metadata.creationTimestamp"]);
                }
                self.judge(body, &at, dry_run, 200)
            }
            "DELETE" => {
                let uid = self.objects.get(path).map(|object| object["metadata"]["uid"].clone());
                match uid {
                    None => refusal(404, "not found", &[]),
                    Some(uid) if body["preconditions"]["uid"] != uid => refusal(409, "the UID does not match", &[]),
                    Some(_) => {
                        self.objects.retain(|known, _| {
                            known != path && !known.contains(&format!("{}/", path.trim_start_matches("/api/v1")))
                        });
                        Response::json(200, &json!({"kind": "Status", "status": "Success"}))
                    }
                }
            }
            _ => refusal(405, "no", &[]),
        }
    }

    fn get(&self, path: &str) -> Response {
        match path {
            "/apis/shop.example.com/v1" => Response::json(
                200,
                &json!({"kind": "APIResourceList", "resources": [
                    {"name": "widgets/status", "kind": "Widget", "namespaced": true, "verbs": ["update"]},
                    {"name": "widgets", "kind": "Widget", "namespaced": true, "verbs": ["create"]},
                    {"name": "shops", "kind": "Shop", "namespaced": false, "verbs": ["create"]},
                ]}),
            ),
            path if path.ends_with("/serviceaccounts/default") => Response::json(200, &json!({})),
            path => match self.objects.get(path) {
                Some(object) => Response::json(200, object),
                None => refusal(404, "not found", &[]),
            },
        }
    }

    fn judge(&mut self, body: Value, at: &str, dry_run: bool, code: u16) -> Response {
        match body["spec"]["size"].as_i64() {
            Some(..0) => return refusal(422, "Widget \"a\" is invalid", &["spec.size"]),
            Some(1000) => return refusal(403, "exceeded quota: 999", &[]),
            Some(1001) => return refusal(500, "down", &[]),
            _ => {}
        }
        if body["status"]["size"] == json!(-1) {
            return refusal(422, "Widget \"a\" is invalid", &["status.size"]);
        }
        Response::json(code, &if dry_run { body } else { self.keep(at, body) })
    }
}

fn refusal(code: u16, message: &str, fields: &[&str]) -> Response {
    let cause = |field: &&str| json!({"reason": "FieldValueInvalid", "field": field, "message": "Invalid value: -1: must be positive"});
    let causes: Vec<Value> = fields.iter().map(cause).collect();
    Response::json(
        code,
        &json!({"kind": "Status", "apiVersion": "v1", "status": "Failure", "message": message, "code": code, "details": {"causes": causes}}),
    )
}

pub(super) struct Cluster {
    inventory: Arc<Mutex<Inventory>>,
    settings: ServerSettings,
    fake: Fake,
    _folder: tempfile::TempDir,
}

/// A kubeconfig in `folder`.
fn kubeconfig(folder: &std::path::Path, cluster: &str, user: &str) -> ServerSettings {
    let config = folder.join("config");
    let text = format!(
        "clusters: [{{name: c, cluster: {{{cluster}}}}}]\nusers: [{{name: tester, user: {{{user}}}}}]\n\
         contexts: [{{name: dev, context: {{cluster: c, user: tester}}}}]\n"
    );
    std::fs::write(&config, text).unwrap();
    ServerSettings { rate: 10_000, ..ServerSettings::new(config, "dev") }
}

impl Cluster {
    pub(super) fn new() -> Self {
        let inventory = Arc::new(Mutex::new(Inventory::new()));
        let served = Arc::clone(&inventory);
        let fake = Fake::http(move |request| {
            let mut served = served.lock().unwrap();
            let response = served.serve(request);
            if request.method == "POST" && served.losing > 0 {
                served.losing -= 1;
                return None;
            }
            Some(response)
        });
        let folder = tempfile::tempdir().unwrap();
        let settings = kubeconfig(folder.path(), &format!("server: \"{}\"", fake.url("")), "");
        Self { inventory, settings, fake, _folder: folder }
    }

    pub(super) fn connect(&self) -> Server {
        Server::connect(Plan::of(self.settings.clone()).unwrap()).unwrap()
    }

    pub(super) fn now(&self) -> std::sync::MutexGuard<'_, Inventory> {
        self.inventory.lock().unwrap()
    }
}

pub(super) fn put(server: &Server, asked: &[Asked]) -> Vec<Result<Answer, OracleFailure>> {
    ask(asked, |asked, give| server.ask_all(asked, give))
}

pub(super) fn one(server: &Server, asked: Asked) -> Result<Answer, OracleFailure> {
    put(server, &[asked]).remove(0)
}

pub(super) fn widget(size: i64) -> Value {
    json!({
        "apiVersion": "shop.example.com/v1", "kind": "Widget", "metadata": {"name": "a", "namespace": "default", "uid": "mine"},
        "spec": {"size": size},
    })
}

pub(super) fn shop(size: i64) -> Value {
    json!({"apiVersion": "shop.example.com/v1", "kind": "Shop", "metadata": {"name": "b"}, "spec": {"size": size}})
}

pub(super) fn fields(answer: Result<Answer, OracleFailure>) -> Vec<String> {
    answer.unwrap().errors.into_vec().into_iter().map(|error| error.field).collect()
}

#[test]
fn nothing_but_the_scratch_namespace_is_touched_and_nothing_stays() {
    let cluster = Cluster::new();
    let before = cluster.now().objects.clone();
    let plan = Plan::of(cluster.settings.clone()).unwrap();
    assert!(cluster.now().writes.is_empty(), "planning sends nothing");
    let scratch = plan.namespace().to_owned();
    let server = Server::connect(plan).unwrap();
    let asked: Vec<Asked> = (-20..20)
        .flat_map(|size| {
            [create(widget(size)), update(widget(1), widget(size)), create(shop(size)), update(shop(1), shop(size))]
        })
        .collect();
    put(&server, &asked);
    drop(server);
    let now = cluster.now();
    assert_eq!(now.objects, before);
    let inside = format!("/apis/shop.example.com/v1/namespaces/{scratch}/widgets");
    for (method, path) in &now.writes {
        let allowed = match method.as_str() {
            "POST" | "DELETE" if path.starts_with(&format!("{inside}/takeover-")) || *path == inside => true,
            "POST" => path == "/api/v1/namespaces",
            "DELETE" => *path == format!("/api/v1/namespaces/{scratch}"),
            "POST (dry run)" => *path == inside || path == "/apis/shop.example.com/v1/shops",
            "PUT (dry run)" => path.starts_with(&format!("{inside}/takeover-")),
            _ => false,
        };
        assert!(allowed, "{method} {path}");
    }
    let count = |wanted: &str| now.writes.iter().filter(|(method, _)| method == wanted).count();
    assert_eq!((count("POST"), count("DELETE"), count("PUT (dry run)"), count("POST (dry run)")), (41, 41, 40, 80));
}

#[test]
fn the_status_is_the_verdict() {
    let cluster = Cluster::new();
    let server = cluster.connect();
    assert!(!one(&server, create(widget(1))).unwrap().rejects());
    let errors = one(&server, create(widget(-1))).unwrap().errors.into_vec();
    assert_eq!((errors[0].field.as_str(), &errors[0].bad_value), ("spec.size", &BadValue::Int(-1)));
    assert_eq!(errors[0].detail, "must be positive");
    assert_eq!(
        one(&server, create(widget(1000))).unwrap().decision,
        Some(Decision::Reject("exceeded quota: 999".into()))
    );
    assert_eq!(
        one(&server, create(widget(1001))).unwrap_err().to_string(),
        "the server answered with HTTP status 500: down"
    );
    assert!(!one(&server, create(shop(1))).unwrap().rejects());
    server.close().unwrap();
}

#[test]
fn an_update_is_judged_against_the_old_object_with_its_status() {
    let cluster = Cluster::new();
    let server = cluster.connect();
    assert!(!one(&server, update(widget(1), widget(2))).unwrap().rejects());
    assert_eq!(fields(one(&server, update(widget(1), widget(-2)))), ["spec.size"]);
    let with_status = |size: i64| {
        let mut widget = widget(1);
        widget["status"] = json!({"size": size});
        widget
    };
    let status = |old, new| Asked { subresource: "status", ..update(old, new) };
    assert!(!one(&server, status(with_status(1), with_status(2))).unwrap().rejects());
    assert_eq!(fields(one(&server, status(with_status(1), with_status(-1)))), ["status.size"]);
    let writes: Vec<String> =
        cluster.now().writes.iter().rev().take(4).rev().map(|(method, _)| method.clone()).collect();
    assert_eq!(writes, ["POST", "PUT", "PUT (dry run)", "DELETE"]);
    let mut dated = widget(2);
    dated["metadata"]["creationTimestamp"] = json!("1999-01-01T00:00:00Z");
    assert_eq!(fields(one(&server, update(widget(1), dated))), ["metadata.creationTimestamp"]);
}

#[test]
fn what_is_not_asked_is_a_failure_that_says_why() {
    let cluster = Cluster::new();
    let server = cluster.connect();
    let says = |asked: Asked| one(&server, asked).unwrap_err().to_string();
    assert_eq!(
        says(update(shop(1), shop(2))),
        "updates of `Shop` are not asked: it has no namespaces, so the old object would be stored for the whole cluster"
    );
    assert!(
        says(update(widget(-1), widget(2)))
            .starts_with("the old object cannot be stored: the server answered with HTTP status 422")
    );
    assert!(
        says(Asked { subresource: "scale", ..update(widget(1), widget(2)) }).starts_with("`Widget/scale` is not asked")
    );
    let of = |api_version: &str, kind: &str| create(json!({"apiVersion": api_version, "kind": kind}));
    assert!(says(of("shop.example.com/v1", "Gadget")).contains("has no kind `Gadget` in `shop.example.com/v1`"));
    assert!(says(of("apps/v1", "Deployment")).contains("has no kind `Deployment` in `apps/v1`"));
    assert_eq!(says(of("../v1", "Widget")), "`../v1` is not a version");
    let mut taken = shop(1);
    taken["metadata"]["name"] = json!("main");
    assert_eq!(says(create(taken)), "the server answered with HTTP status 409: already exists");
    let without = ServerSettings { updates: false, ..cluster.settings.clone() };
    let server = Server::connect(Plan::of(without).unwrap()).unwrap();
    assert_eq!(
        one(&server, update(widget(1), widget(2))).unwrap_err().to_string(),
        "updates are not asked: they are switched off"
    );
}

#[test]
fn a_busy_server_is_asked_again() {
    let cluster = Cluster::new();
    let server = cluster.connect();
    cluster.now().busy = 3;
    assert!(!one(&server, create(widget(1))).unwrap().rejects());
    cluster.now().busy = 100;
    assert!(
        one(&server, create(widget(1)))
            .unwrap_err()
            .to_string()
            .contains("asked 5 times to come back later, at last with HTTP status 429")
    );
    cluster.now().busy = 0;
}

#[test]
fn the_rate_is_kept() {
    let mut cluster = Cluster::new();
    cluster.settings.rate = 100;
    let server = cluster.connect();
    let started = Instant::now();
    put(&server, &vec![create(widget(1)); 20]);
    assert!(started.elapsed() >= Duration::from_millis(190), "{:?}", started.elapsed());
}

#[test]
fn a_namespace_that_cannot_be_made_or_removed_is_reported() {
    let cluster = Cluster::new();
    let plan = Plan::of(cluster.settings.clone()).unwrap();
    let path = format!("/api/v1/namespaces/{}", plan.namespace());
    cluster.now().keep(&path, json!({"metadata": {"uid": "theirs"}}));
    let error = Server::connect(plan).unwrap_err().to_string();
    assert!(error.starts_with("create the scratch namespace `takeover-scratch-"), "{error}");
    assert!(cluster.now().objects.contains_key(&path), "it is somebody else's");
    let server = cluster.connect();
    let name = server.namespace().to_owned();
    let path = format!("/api/v1/namespaces/{name}");
    cluster.now().keep(&path, json!({"metadata": {"uid": "theirs"}}));
    let error = server.close().unwrap_err().to_string();
    assert!(error.starts_with(&format!("delete the scratch namespace `{name}`: ")), "{error}");
    assert!(cluster.now().objects.contains_key(&path), "somebody else made it anew");
}

#[test]
fn a_namespace_whose_making_was_not_answered_is_removed() {
    let cluster = Cluster::new();
    let before = cluster.now().objects.clone();
    cluster.now().losing = 1;
    let error = Server::connect(Plan::of(cluster.settings.clone()).unwrap()).unwrap_err().to_string();
    assert!(error.contains("no answer from"), "{error}");
    assert_eq!(cluster.now().objects, before);
}

#[test]
fn what_is_left_when_a_process_ends_is_removed_once() {
    let (cluster, live) = (Cluster::new(), Live::new());
    let before = cluster.now().objects.clone();
    let connect = || Server::connect_in(Plan::of(cluster.settings.clone()).unwrap(), &live).unwrap();
    let servers = [connect(), connect()];
    assert_eq!(cluster.now().objects.len(), before.len() + 2);
    drop(connect());
    assert_eq!(live.remove(Duration::from_secs(5)), 0);
    assert_eq!(cluster.now().objects, before);
    drop(servers);
    let deleted = cluster.now().writes.iter().filter(|(method, _)| method == "DELETE").count();
    assert_eq!(deleted, 3, "each is deleted once");
    let server = connect();
    cluster.now().keep(&format!("/api/v1/namespaces/{}", server.namespace()), json!({"metadata": {"uid": "theirs"}}));
    assert_eq!(live.remove(Duration::from_secs(5)), 1, "what is not removed is counted");
}

#[test]
fn a_server_that_does_not_answer_costs_no_more_than_the_time_given() {
    let (cluster, live) = (Cluster::new(), Live::new());
    let server = Server::connect_in(Plan::of(cluster.settings.clone()).unwrap(), &live).unwrap();
    let (busy, started) = (cluster.now(), Instant::now());
    assert_eq!(live.remove(Duration::from_millis(50)), 1);
    assert!(started.elapsed() < Duration::from_secs(2));
    drop(busy);
    drop(server);
}

#[test]
fn an_old_object_whose_storing_was_not_answered_goes_with_the_namespace() {
    let cluster = Cluster::new();
    let before = cluster.now().objects.clone();
    let server = cluster.connect();
    cluster.now().losing = 1;
    assert!(one(&server, update(widget(1), widget(2))).is_err());
    server.close().unwrap();
    assert_eq!(cluster.now().objects, before);
}

#[test]
fn a_server_is_reached_by_tls_with_token_and_certificate() {
    let pems = Certificates::of("localhost");
    let inventory = Mutex::new(Inventory::new());
    let fake = Fake::https(&pems.certificate, &pems.key, Some(&pems.authority), move |request| {
        Some(match request.header("authorization") {
            "Bearer t0ken" => inventory.lock().unwrap().serve(request),
            _ => refusal(401, "Unauthorized", &[]),
        })
    });
    let data = base64::engine::general_purpose::STANDARD.encode(&pems.authority);
    let cluster = format!("server: \"https://localhost:{}\", certificate-authority-data: {data}", fake.address.port());
    let connect = |token: &str| {
        let user = format!("token: {token}, client-certificate: tls.crt, client-key: tls.key");
        Server::connect(Plan::of(kubeconfig(pems.folder.path(), &cluster, &user)).unwrap())
    };
    assert_eq!(fields(one(&connect("t0ken").unwrap(), create(widget(-1)))), ["spec.size"]);
    let error = connect("wr0ng").unwrap_err().to_string();
    assert!(error.ends_with("the server answered with HTTP status 401: Unauthorized") && !error.contains("wr0ng"));
}

#[test]
fn the_plan_says_what_will_be_done() {
    let cluster = Cluster::new();
    let plan = Plan::of(ServerSettings { rate: 50, ..cluster.settings.clone() }).unwrap();
    assert!(plan.namespace().starts_with("takeover-scratch-"));
    let text = plan.sentences().join("\n");
    let file = cluster.settings.kubeconfig.display().to_string();
    let text = text.replace(&cluster.fake.url(""), "SERVER").replace(&file, "FILE");
    assert_eq!(
        text,
        "Send at most 50 requests a second to `SERVER`, as user `tester` of context `dev` in `FILE`.\n\
         Create a namespace `takeover-scratch-…` for each pair; at the end, delete it with everything in it.\n\
         Read which kinds the server has, and whether the namespace is ready.\n\
         Send objects to be created with `dryRun=All`, so that nothing is stored: into that namespace, or to the cluster if their \
         kind has no namespaces. Admission webhooks of the cluster see them.\n\
         For each update, store the old object in that namespace, send the new object with `dryRun=All`, and delete the old one. \
         Controllers may act on it meanwhile: a Deployment starts Pods, a Service may get a load balancer. Updates of kinds \
         without namespaces are not asked.\n\
         Change nothing else."
    );
    let sentences = plan.sentences();
    let server = Server::connect(plan).unwrap();
    assert_eq!(server.plan(), sentences);
}

#[test]
fn settings_that_make_no_plan_are_refused() {
    let cluster = Cluster::new();
    let with = |change: &dyn Fn(&mut ServerSettings)| {
        let mut settings = cluster.settings.clone();
        change(&mut settings);
        Plan::of(settings).unwrap_err().to_string()
    };
    assert!(with(&|s| s.context = String::new()).starts_with("choose a context: name one of "));
    assert!(with(&|s| s.context = "prod".to_owned()).starts_with("find context `prod` in "));
    assert!(with(&|s| s.rate = 0).contains("set a rate of at least 1"));
    for prefix in ["", "-a", "A", "a.b", "a/../kube-system"] {
        assert!(with(&|s| s.namespace_prefix = prefix.to_owned()).starts_with("begin the name of a namespace with "));
    }
}
