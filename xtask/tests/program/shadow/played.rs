//! A cluster that this program plays over HTTP: it stores objects, calls the webhooks that are registered, and counts mismatches.
//!
//! What its validation says of an object, the test writes down in annotations of the object: whether it is rejected, and which mismatches a
//! real API server counts for it (docs/kubernetes-1.36-findings.md says why). Only a sum of those that the shadow server works out by
//! itself agrees with that.

use crate::pairs::http::{Reply, Request, serve};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};
use takeover_corpora::recorded::accepted;
use takeover_harness::catalogue::Catalogue as _;
use takeover_harness::pair::Pair;
use takeover_harness::subject::SubjectId;
use takeover_oracles::registry::Registry;
use takeover_shadow::client::Client;

/// Annotation of an object that validation rejects.
pub(crate) const REJECTED: &str = "test/rejected";

/// Annotation of an object with mismatches: `role_create=2`.
pub(crate) const COUNTS: &str = "test/counts";

/// What a cluster does otherwise than it should.
#[derive(Clone, Debug, Default)]
pub(crate) struct Faults {
    /// Counts so many more under an identifier that has mismatches.
    pub(crate) more: Option<(&'static str, u64)>,
    /// Method, and the beginning of paths, that the user may not use.
    pub(crate) forbidden: Option<(&'static str, &'static str)>,
    /// From this reading of the metrics on, it fails.
    pub(crate) broken_metrics: Option<usize>,
    /// The process answers for another one after the first reading of its metrics.
    pub(crate) restarts: bool,
    /// Somebody else changes each object of this resource before its first update.
    pub(crate) meddling: Option<&'static str>,
    /// Calls no webhook for this resource.
    pub(crate) unheard: Option<&'static str>,
}

/// What the cluster has and was asked.
#[derive(Default)]
pub(crate) struct Now {
    /// Stored objects by path.
    pub(crate) objects: BTreeMap<String, Value>,
    /// Method and path of every request that changed something.
    pub(crate) changes: Vec<(String, String)>,
    /// Reviews that were sent, with the path of the webhook.
    pub(crate) reviews: Vec<(String, Value)>,
    counters: BTreeMap<String, u64>,
    metrics_read: usize,
    meddled: BTreeSet<String>,
    number: u64,
}

pub(crate) struct Played {
    pub(crate) now: Mutex<Now>,
    faults: Faults,
    /// Whether creates are rejected that the handwritten validators of this project reject.
    judges: Option<Mutex<Judges>>,
}

/// The handwritten validators, each made once.
struct Judges {
    registry: Registry,
    pairs: BTreeMap<SubjectId, Option<Pair>>,
}

/// Group and version, resource, kind, whether it has namespaces; and the group and version of the kind where they are others.
const SERVED: &[(&str, &str, &str, bool)] = &[
    ("v1", "replicationcontrollers", "ReplicationController", true),
    ("v1", "replicationcontrollers/scale", "autoscaling/v1 Scale", true),
    ("apps/v1", "deployments", "Deployment", true),
    ("apps/v1", "deployments/scale", "autoscaling/v1 Scale", true),
    ("autoscaling/v1", "horizontalpodautoscalers", "HorizontalPodAutoscaler", true),
    ("autoscaling/v2", "horizontalpodautoscalers", "HorizontalPodAutoscaler", true),
    ("batch/v1", "cronjobs", "CronJob", true),
    ("certificates.k8s.io/v1", "certificatesigningrequests", "CertificateSigningRequest", false),
    ("certificates.k8s.io/v1", "certificatesigningrequests/approval", "CertificateSigningRequest", false),
    ("certificates.k8s.io/v1", "certificatesigningrequests/status", "CertificateSigningRequest", false),
    ("discovery.k8s.io/v1", "endpointslices", "EndpointSlice", true),
    ("flowcontrol.apiserver.k8s.io/v1", "prioritylevelconfigurations", "PriorityLevelConfiguration", false),
    ("networking.k8s.io/v1", "ingressclasses", "IngressClass", false),
    ("networking.k8s.io/v1", "ipaddresses", "IPAddress", false),
    ("networking.k8s.io/v1", "networkpolicies", "NetworkPolicy", true),
    ("node.k8s.io/v1", "runtimeclasses", "RuntimeClass", false),
    ("rbac.authorization.k8s.io/v1", "clusterrolebindings", "ClusterRoleBinding", false),
    ("rbac.authorization.k8s.io/v1", "clusterroles", "ClusterRole", false),
    ("rbac.authorization.k8s.io/v1", "rolebindings", "RoleBinding", true),
    ("rbac.authorization.k8s.io/v1", "roles", "Role", true),
    ("resource.k8s.io/v1", "deviceclasses", "DeviceClass", false),
    ("resource.k8s.io/v1", "resourceclaims", "ResourceClaim", true),
    ("resource.k8s.io/v1", "resourceclaims/status", "ResourceClaim", true),
    ("resource.k8s.io/v1", "resourceclaimtemplates", "ResourceClaimTemplate", true),
    ("resource.k8s.io/v1", "resourceslices", "ResourceSlice", false),
    ("storage.k8s.io/v1", "storageclasses", "StorageClass", false),
    ("storage.k8s.io/v1", "volumeattachments", "VolumeAttachment", false),
    ("storage.k8s.io/v1", "volumeattachments/status", "VolumeAttachment", false),
];

impl Played {
    /// Starts a cluster; returns its URL too.
    pub(crate) fn start(faults: Faults, judges: bool) -> (String, Arc<Self>) {
        let of = |registry| Mutex::new(Judges { registry, pairs: BTreeMap::new() });
        let judges = judges.then(|| of(Registry::of_builtin().unwrap()));
        let played = Arc::new(Self { now: Mutex::default(), faults, judges });
        (serve(&played, Self::answer), played)
    }

    fn answer(&self, request: &Request) -> Reply {
        let (path, query) = request.target.split_once('?').unwrap_or((&request.target, ""));
        let path = &*decoded(path);
        if let Some((method, begin)) = self.faults.forbidden
            && request.method == method
            && path.starts_with(begin)
        {
            let (verb, what) = match method {
                "GET" => ("get", format!("path \"{path}\"")),
                _ => ("create", format!("resource \"{}\"", path.rsplit('/').next().unwrap())),
            };
            let said = format!("forbidden: User \"u\" cannot {verb} {what} at the cluster scope");
            return (403, json!({"kind": "Status", "reason": "Forbidden", "message": said}));
        }
        let body: Value = serde_json::from_slice(&request.body).unwrap_or_default();
        match request.method.as_str() {
            "GET" => self.get(path),
            "DELETE" => self.delete(path, &body),
            "POST" => self.write("CREATE", path, query.contains("dryRun=All"), body),
            _ => self.write("UPDATE", path, query.contains("dryRun=All"), body),
        }
    }

    fn get(&self, path: &str) -> Reply {
        let mut now = self.now.lock().unwrap();
        let listed = |api_version: &str| {
            let of = SERVED.iter().filter(|(version, ..)| *version == api_version);
            let resources = of.map(|(_, name, kind, namespaced)| match kind.split_once(' ') {
                Some((of, kind)) => {
                    let (group, version) = of.split_once('/').unwrap();
                    json!({"name": name, "kind": kind, "namespaced": namespaced, "group": group, "version": version})
                }
                None => json!({"name": name, "kind": kind, "namespaced": namespaced}),
            });
            resources.collect::<Vec<Value>>()
        };
        let api_version = path.strip_prefix("/apis/").or_else(|| path.strip_prefix("/api/")).unwrap_or_default();
        match path {
            "/version" => (200, json!({"gitVersion": "v1.36.2"})),
            "/apis" => {
                let mut groups: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
                for (version, ..) in SERVED.iter().filter(|(version, ..)| version.contains('/')) {
                    groups.entry(version.split('/').next().unwrap()).or_default().insert(*version);
                }
                let group = |(group, versions): (&str, BTreeSet<&str>)| {
                    let versions = versions.iter().map(|version| json!({"groupVersion": version}));
                    json!({"name": group, "versions": versions.collect::<Vec<Value>>()})
                };
                (200, json!({"groups": groups.into_iter().map(group).collect::<Vec<Value>>()}))
            }
            "/metrics" => {
                now.metrics_read += 1;
                if self.faults.broken_metrics.is_some_and(|from| now.metrics_read >= from) {
                    return (500, json!({"message": "broken"}));
                }
                let started = if self.faults.restarts { now.metrics_read } else { 1 };
                (200, Value::String(exposition(started, &now.counters)))
            }
            _ if !listed(api_version).is_empty() => (200, json!({"resources": listed(api_version)})),
            _ => now.objects.get(path).map_or((404, json!({"message": "not here"})), |object| (200, object.clone())),
        }
    }

    fn delete(&self, path: &str, options: &Value) -> Reply {
        let mut now = self.now.lock().unwrap();
        now.changes.push(("DELETE".to_owned(), path.to_owned()));
        let uid = now.objects.get(path).map(|object| object["metadata"]["uid"].clone());
        if uid.is_some_and(|uid| uid != options["preconditions"]["uid"]) {
            return (409, json!({"reason": "Conflict"}));
        }
        now.objects.remove(path);
        if path.starts_with("/api/v1/namespaces/") && path.split('/').count() == 5 {
            let inside = format!("{}/", path);
            now.objects.retain(|path, _| !path.contains(inside.trim_start_matches("/api/v1")));
        }
        (200, json!({"kind": "Status", "status": "Success"}))
    }

    /// A create or update from its admission to its storage.
    fn write(&self, operation: &str, path: &str, dry_run: bool, mut object: Value) -> Reply {
        let parts: Vec<&str> = path.split('/').collect();
        let main = if operation == "CREATE" { path.to_owned() } else { main_path(path) };
        let old = self.now.lock().unwrap().objects.get(&main).cloned();
        let part = path.strip_prefix(&main).unwrap_or_default().trim_start_matches('/').to_owned();
        if operation == "UPDATE" && old.is_none() {
            return (404, json!({"reason": "NotFound"}));
        }
        let number = {
            let mut now = self.now.lock().unwrap();
            now.number += 1;
            now.number
        };
        let Some(metadata) = object.get_mut("metadata").and_then(Value::as_object_mut) else {
            return (400, json!({"reason": "BadRequest", "message": "no metadata"}));
        };
        metadata.entry("uid").or_insert_with(|| json!(format!("uid-{number}")));
        if !dry_run {
            self.now.lock().unwrap().changes.push((operation.to_owned(), path.to_owned()));
        }
        // A Scale is a view of the object that it is of.
        let old = match (part.as_str(), old) {
            ("scale", Some(main)) => Some(json!({"apiVersion": "autoscaling/v1", "kind": "Scale",
                "metadata": main["metadata"].clone(), "spec": {"replicas": main["spec"]["replicas"].clone()}})),
            (_, old) => old,
        };
        let review = review(&parts, &part, operation, dry_run, &object, old.as_ref(), number);
        // The resources of the rules that are registered: all that are served, but for Deployments themselves.
        let is_served = SERVED.iter().any(|(_, resource, ..)| main.contains(&format!("/{resource}")));
        let unheard = self.faults.unheard.is_some_and(|resource| main.contains(resource));
        let is_ruled = is_served && !unheard && !(path.contains("/apps/v1/") && part.is_empty());
        if is_ruled {
            self.call("mutating", &review);
        }
        if operation == "UPDATE"
            && self.faults.meddling.is_some_and(|resource| main.contains(resource))
            && self.now.lock().unwrap().meddled.insert(main.clone())
        {
            let mut now = self.now.lock().unwrap();
            now.objects.get_mut(&main).unwrap()["metadata"]["resourceVersion"] = json!(format!("{number}0"));
            return (409, json!({"kind": "Status", "reason": "Conflict", "message": "the object has been modified"}));
        }
        if self.is_rejected(&object, operation) {
            let causes = json!([{"reason": "FieldValueInvalid", "field": "spec", "message": "Invalid value: no"}]);
            return (
                422,
                json!({"kind": "Status", "reason": "Invalid", "message": "no", "details": {"causes": causes}}),
            );
        }
        if is_ruled {
            self.call("validating", &review);
        }
        object["metadata"]["resourceVersion"] = json!(number.to_string());
        if path.ends_with("/resourcequotas") {
            object["status"] = json!({"hard": object["spec"]["hard"]});
        }
        if !dry_run {
            let name = object["metadata"]["name"].as_str().unwrap_or_default().to_owned();
            let at = if operation == "CREATE" { format!("{path}/{name}") } else { main };
            self.now.lock().unwrap().objects.insert(at, object.clone());
        }
        (if operation == "CREATE" { 201 } else { 200 }, object)
    }

    /// Counts what a real API server counts for the object. Whether its validation rejects it.
    fn is_rejected(&self, object: &Value, operation: &str) -> bool {
        let note = |name: &str| object["metadata"]["annotations"][name].as_str().unwrap_or_default().to_owned();
        let mut now = self.now.lock().unwrap();
        if let Some((identifier, count)) = note(COUNTS).split_once('=') {
            let more = self.faults.more.filter(|(wrong, _)| *wrong == identifier).map_or(0, |(_, more)| more);
            *now.counters.entry(identifier.to_owned()).or_default() += count.parse::<u64>().unwrap() + more;
        }
        drop(now);
        let judged = self.judges.as_ref().filter(|_| operation == "CREATE").is_some_and(|judges| {
            let text = |name: &str| object[name].as_str().unwrap_or_default().to_owned();
            let id = SubjectId::new(text("apiVersion"), text("kind"));
            let Judges { registry, pairs } = &mut *judges.lock().unwrap();
            let pair = pairs.entry(id.clone()).or_insert_with(|| registry.pair(&id.into()).ok());
            pair.as_ref().is_some_and(|pair| !accepted(pair, object))
        });
        judged || note(REJECTED) == "true"
    }

    /// Calls the webhooks of a sort that are registered, as an API server does, one after the other.
    fn call(&self, sort: &str, review: &str) {
        let of_sort = format!("/apis/admissionregistration.k8s.io/v1/{sort}webhookconfigurations/");
        let registered: Vec<Value> = {
            let now = self.now.lock().unwrap();
            now.objects.iter().filter(|(path, _)| path.starts_with(&of_sort)).map(|(_, of)| of.clone()).collect()
        };
        for configuration in registered {
            let config = &configuration["webhooks"][0]["clientConfig"];
            let bundle = STANDARD.decode(config["caBundle"].as_str().unwrap()).unwrap();
            let url = config["url"].as_str().unwrap();
            let (origin, path) = url.split_at(url.rfind('/').unwrap());
            let client = Client::trusting(origin, &String::from_utf8(bundle).unwrap()).unwrap();
            let answered = client.post(path, review).unwrap();
            let said: Value = serde_json::from_slice(&answered.body).unwrap();
            assert_eq!((answered.code, &said["response"]["allowed"]), (200, &json!(true)), "{said}");
            self.now.lock().unwrap().reviews.push((path.to_owned(), serde_json::from_str(review).unwrap()));
        }
    }
}

/// A path without its percent signs.
fn decoded(path: &str) -> String {
    let mut parts = path.split('%');
    let mut bytes = parts.next().unwrap().as_bytes().to_vec();
    for part in parts {
        bytes.push(u8::from_str_radix(&part[..2], 16).unwrap());
        bytes.extend_from_slice(&part.as_bytes()[2..]);
    }
    String::from_utf8(bytes).unwrap()
}

/// The path of the object that a path of one or of its subresource is about.
fn main_path(path: &str) -> String {
    for part in ["/status", "/scale", "/approval"] {
        if let Some(main) = path.strip_suffix(part) {
            return main.to_owned();
        }
    }
    path.to_owned()
}

/// The review of a request. The uid of the request comes before its object, as API servers send it.
fn review(
    parts: &[&str],
    part: &str,
    operation: &str,
    dry_run: bool,
    object: &Value,
    old: Option<&Value>,
    number: u64,
) -> String {
    let text = |name: &str| object[name].as_str().unwrap_or_default();
    let group_version = |api_version: &str| match api_version.split_once('/') {
        Some((group, version)) => (group.to_owned(), version.to_owned()),
        None => (String::new(), api_version.to_owned()),
    };
    let (group, version) = group_version(text("apiVersion"));
    let kind = json!({"group": group, "version": version, "kind": text("kind")});
    let (root, rest) = if parts[1] == "api" { (1, &parts[3..]) } else { (2, &parts[4..]) };
    let (of_group, of_version) = if root == 1 { ("", parts[2]) } else { (parts[2], parts[3]) };
    let (namespace, rest) =
        if rest.first() == Some(&"namespaces") && rest.len() > 2 { (rest[1], &rest[2..]) } else { ("", rest) };
    let resource = json!({"group": of_group, "version": of_version, "resource": rest[0]});
    let members = [
        ("uid", json!(format!("review-{number}"))),
        ("kind", kind.clone()),
        ("resource", resource.clone()),
        ("subResource", json!(part)),
        ("requestKind", kind),
        ("requestResource", resource),
        ("name", object["metadata"]["name"].clone()),
        ("namespace", json!(namespace)),
        ("operation", json!(operation)),
        ("userInfo", json!({"username": "u"})),
        ("object", object.clone()),
        ("oldObject", old.cloned().unwrap_or_default()),
        ("dryRun", json!(dry_run)),
    ];
    let members = members.map(|(name, value): (&str, Value)| format!("\"{name}\":{value}")).join(",");
    format!("{{\"kind\":\"AdmissionReview\",\"apiVersion\":\"admission.k8s.io/v1\",\"request\":{{{members}}}}}")
}

/// The metrics of a server that counts by identifier, as 1.36 does.
fn exposition(started: usize, counters: &BTreeMap<String, u64>) -> String {
    let prefix = "apiserver_validation_declarative_validation";
    let mut text = format!(
        "# TYPE process_start_time_seconds gauge\nprocess_start_time_seconds {started}\n{prefix}_mismatch_total {}\n\
         {prefix}_panic_total 0\nkubernetes_feature_enabled{{name=\"DeclarativeValidation\",stage=\"BETA\"}} 1\n",
        counters.values().sum::<u64>()
    );
    for (identifier, count) in counters {
        text.push_str(&format!(
            "{prefix}_parity_discrepancies_total{{validation_identifier=\"{identifier}\"}} {count}\n"
        ));
    }
    text
}
