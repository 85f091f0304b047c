//! A cluster with many objects of ten kinds, some stored past its validation, and a scan that is killed again and again.

use super::run;
use crate::abuse::amount;
use crate::pairs::http::{Reply, Request, serve};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use takeover_corpora::recorded::{accepted, cases_of, objects};
use takeover_harness::catalogue::Catalogue as _;
use takeover_harness::subject::SubjectId;
use takeover_oracles::registry::Registry;

/// Kinds that are stored.
const KINDS: usize = 10;

/// Most objects of a kind that are tried for one that a rule rejects.
const TRIED: usize = 8;

/// Where, in thousandths of the objects of a kind, those stand that its validation would reject.
const BAD: [usize; 3] = [7, 503, 999];

/// The objects of a kind.
struct Stored {
    id: SubjectId,
    plural: String,
    good: Value,
    bad: Value,
}

struct Cluster {
    kinds: Vec<Stored>,
    /// Objects of each kind.
    each: usize,
    /// Requested pages.
    pages: AtomicUsize,
}

impl Stored {
    /// The object of this number of `each`, and whether it is a bad one.
    fn object(&self, number: usize, each: usize) -> (Value, bool) {
        let bad = BAD.iter().any(|at| at * each / 1000 == number);
        let mut object = if bad { self.bad.clone() } else { self.good.clone() };
        object["metadata"]["name"] = json!(format!("{}-{number}", if bad { "bad" } else { "good" }));
        object["metadata"]["uid"] = json!(format!("{}-{number}", self.plural));
        object["metadata"]["resourceVersion"] = json!("7");
        (object, bad)
    }
}

/// Kinds with an object that both sides accept and one that a rule rejects.
fn kinds(folder: &Path) -> Vec<Stored> {
    let registry = Registry::of_builtin().unwrap();
    let mut kinds = Vec::new();
    let mains = registry.subjects().filter(|id| id.subresource.is_empty() && Registry::obstacle(id).is_none());
    for id in mains.collect::<Vec<_>>() {
        // One version of a kind is scanned.
        if kinds.iter().any(|known: &Stored| known.id.kind == id.kind) {
            continue;
        }
        let pair = registry.pair(&id.clone().into()).unwrap();
        let all = objects(&cases_of(&pair));
        let own = all.iter().filter(|object| object["apiVersion"] == id.api_version && object["metadata"].is_object());
        let (good, bad): (Vec<&Value>, Vec<&Value>) = own.partition(|object| accepted(&pair, object));
        let rejected = |object: &&&Value| {
            fs::write(folder.join("one.json"), object.to_string()).unwrap();
            let (_, found, _) = run(folder, "scan one.json --format json");
            let report: Value = serde_json::from_str(&found).unwrap_or_default();
            report["subjects"][id.to_string()]["rejected"] == 1
        };
        let Some((good, bad)) = good.first().zip(bad.iter().take(TRIED).find(rejected)) else { continue };
        let plural = format!("{}s", id.kind.to_lowercase());
        kinds.push(Stored { plural, good: (*good).clone(), bad: (*bad).clone(), id });
        if kinds.len() == KINDS {
            break;
        }
    }
    kinds
}

fn answer(cluster: &Cluster, request: &Request) -> Reply {
    assert_eq!(request.method, "GET");
    let (path, query) = request.target.split_once('?').unwrap_or((&request.target, ""));
    let parameter = |name: &str| query.split('&').find_map(|pair| pair.strip_prefix(&format!("{name}=")));
    let root =
        |id: &SubjectId| format!("/{}/{}", if id.api_version.contains('/') { "apis" } else { "api" }, id.api_version);
    let of: Vec<&Stored> = cluster.kinds.iter().filter(|stored| root(&stored.id) == path).collect();
    if !of.is_empty() {
        let listed = |stored: &&Stored| json!({"name": stored.plural, "kind": stored.id.kind, "namespaced": true});
        return (200, json!({"resources": of.iter().map(listed).collect::<Vec<Value>>()}));
    }
    let Some(stored) = cluster.kinds.iter().find(|stored| format!("{}/{}", root(&stored.id), stored.plural) == path)
    else {
        return (404, json!({"message": "not here"}));
    };
    cluster.pages.fetch_add(1, Ordering::Relaxed);
    let from: usize = parameter("continue").map_or(0, |text| text.parse().unwrap());
    let most: usize = parameter("limit").unwrap().parse().unwrap();
    let to = (from + most).min(cluster.each);
    let items: Vec<Value> = (from..to).map(|number| stored.object(number, cluster.each).0).collect();
    let next = if to < cluster.each { to.to_string() } else { String::new() };
    (200, json!({"metadata": {"continue": next, "remainingItemCount": cluster.each - to}, "items": items}))
}

#[test]
fn a_scan_of_many_objects_that_is_killed_again_and_again_counts_each_once_and_places_what_is_rejected() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let kinds = kinds(here);
    assert_eq!(kinds.len(), KINDS, "kinds with an object that a rule rejects");
    let each = amount(1_000, 20_000) / KINDS;
    let cluster = Arc::new(Cluster { kinds, each, pages: AtomicUsize::new(0) });
    let url = serve(&cluster, answer);
    fs::write(
        here.join("kubeconfig"),
        format!(
            "contexts: [{{name: play, context: {{cluster: c, user: u}}}}]\n\
             clusters: [{{name: c, cluster: {{server: '{url}'}}}}]\nusers: [{{name: u, user: {{}}}}]\n"
        ),
    )
    .unwrap();
    let page = each / 20;
    let arguments = |out: &str| {
        format!("scan --context play --kubeconfig kubeconfig --rate 1000 --page {page} --out {out} --format json")
    };

    let begin = Instant::now();
    let (code, found, said) = run(here, &arguments("whole"));
    let took = begin.elapsed();
    assert_eq!(code, Some(1), "{said}");
    let whole: Value = serde_json::from_str(&found).unwrap();
    let bad = |each: usize| BAD.iter().map(move |at| at * each / 1000);
    for stored in &cluster.kinds {
        let of = &whole["subjects"][stored.id.to_string()];
        assert_eq!((&of["objects"], &of["rejected"]), (&json!(each), &json!(BAD.len())), "{}: {of:#}", stored.id);
        let places: Vec<&str> = of["rules"]
            .as_array()
            .unwrap()
            .iter()
            .flat_map(|rule| rule["first"].as_array().unwrap())
            .filter_map(|first| first["name"].as_str())
            .collect();
        for number in bad(each) {
            let name = format!("bad-{number}");
            assert!(
                places.iter().any(|place| place.rsplit('/').next() == Some(&name)),
                "{}: {name} is not in {places:?}",
                stored.id
            );
        }
    }

    let all = cluster.pages.swap(0, Ordering::Relaxed);
    let mut kills = 0;
    for at in 1..=amount(4, 16) {
        let resumed = if at == 1 { "" } else { " --resume" };
        let mut child = Command::new(assert_cmd::cargo::cargo_bin("takeover"))
            .current_dir(here)
            .args(format!("{}{resumed}", arguments("pieces")).split(' '))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let until = cluster.pages.load(Ordering::Relaxed) + all / amount(5, 18);
        while child.try_wait().unwrap().is_none() && cluster.pages.load(Ordering::Relaxed) < until {
            std::thread::sleep(Duration::from_millis(1));
        }
        if child.try_wait().unwrap().is_none() {
            kills += 1;
        }
        child.kill().unwrap();
        child.wait().unwrap();
    }
    assert!(kills >= 3, "{kills}");
    let (code, found, said) = run(here, &format!("{} --resume", arguments("pieces")));
    assert_eq!(code, Some(1), "{said}");
    let pieces: Value = serde_json::from_str(&found).unwrap();
    assert_eq!(pieces["subjects"], whole["subjects"]);
    let asked = cluster.pages.load(Ordering::Relaxed);
    println!("{} objects of {KINDS} kinds in {took:?}; {kills} kills: {asked} pages instead of {all}", each * KINDS);
}
