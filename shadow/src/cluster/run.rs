//! A check against a cluster from its beginning to its end.

use super::created::Created;
use super::discovery::{Endpoint, discover};
use super::manifest::{LABEL, Manifest, Resource};
use super::offer::{Offer, sound};
use super::reach::Reach;
use super::variant::{Registered, Shared, needed};
use crate::api_server::runs_rules;
use crate::plan::ShadowPlan;
use anyhow::{Context as _, anyhow};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::{Duration, Instant};
use takeover_engine::say::Say;
use takeover_engine::stop::Stop;
use takeover_external::server::{ServerCaller, ServerSettings, Verb};
use takeover_harness::pair::Pair;
use takeover_harness::subject::SubjectId;
use takeover_reports::cluster::{ClusterReport, ClusterVerdict, FORMAT_VERSION, SentCounts, Variant};

/// How long the API server may take for an answer: it waits for the webhook.
const PATIENCE: Duration = Duration::from_secs(30);

/// How long a quota may take until it holds.
const HOLDS: Duration = Duration::from_secs(3);

/// What to check, and where.
pub struct ClusterCheck<'c> {
    /// The kubeconfig.
    pub kubeconfig: PathBuf,
    /// Its context.
    pub context: String,
    /// Most requests a second.
    pub rate: u32,
    /// Where the API server reaches this process, `HOST` or `HOST:PORT`; none for the address on the route to it.
    pub address: Option<String>,
    /// The variants, in the order in which they are registered.
    pub variants: Vec<Variant>,
    /// About how many creates and updates are sent for each.
    pub requests: u64,
    /// Files of objects that are sent instead of the built-in ones.
    pub objects: Vec<PathBuf>,
    /// Release of the types, for the report; empty for types of one's own.
    pub types: String,
    /// Receives what is done to the cluster, and the progress.
    pub say: Say<'c>,
}

/// Checks every variant, each with a plan of its own, which `plan` makes for the version of the API server, such as `v1.36.2`. When
/// somebody asks to stop, what was counted until then is returned. Whatever was created is deleted when this returns.
///
/// # Errors
/// Returns an error when the kubeconfig, an object or a plan is wrong, the API server cannot be reached or does not reach this process, or
/// the user may not do what every check needs; the message names the permission.
pub fn check(
    check: &ClusterCheck<'_>,
    plan: &mut dyn FnMut(&str) -> anyhow::Result<ShadowPlan>,
    stop: &Stop,
) -> anyhow::Result<ClusterReport> {
    let mut settings = ServerSettings::new(&check.kubeconfig, &check.context);
    settings.rate = check.rate;
    settings.timeout = PATIENCE;
    let caller = ServerCaller::of(&settings).map_err(|error| anyhow!("failed to {error}"))?;
    let answer = caller.get("/version")?;
    needed(&caller, &answer, "get", "the path `/version`")?;
    let version = answer.json().get("gitVersion").and_then(Value::as_str).unwrap_or("unknown").to_owned();
    let first = plan(&version)?;
    let manifest = Manifest::shipped()?;
    let (served, missing) = discover(&caller, &manifest.resources())?;
    let (known, unknown): (Vec<Endpoint>, Vec<Endpoint>) =
        served.into_iter().partition(|endpoint| first.find(&endpoint.subject).is_some());
    let (endpoints, not_run): (Vec<Endpoint>, Vec<Endpoint>) =
        known.into_iter().partition(|endpoint| runs_rules(&version, &endpoint.subject));
    let mut report = ClusterReport {
        format_version: FORMAT_VERSION,
        verdict: ClusterVerdict::NothingCompared,
        server: caller.server().to_owned(),
        server_version: version.clone(),
        types: check.types.clone(),
        semantics: first.semantics(),
        finished: true,
        no_counters: None,
        resources: BTreeMap::new(),
        left_out: left_out(&first, &endpoints, [unknown.as_slice(), not_run.as_slice()], &missing),
        variants: Vec::new(),
        left_behind: Vec::new(),
    };
    let pairs: Vec<&Pair> =
        endpoints.iter().filter_map(|of| first.find(&of.subject).and_then(|at| first.pairs.get(at))).collect();
    let Some(probe) = sound(&endpoints, &pairs) else { return Ok(report) };
    let offer = if check.objects.is_empty() {
        Offer::built_in(&endpoints, &pairs, check.requests)
    } else {
        let (offer, strange) = Offer::of_files(&endpoints, &check.objects)?;
        let strange = strange.into_iter().map(|(what, number)| format!("{what} ({number})")).collect::<Vec<_>>();
        if !strange.is_empty() {
            report.left_out.insert("objects of the files".to_owned(), strange);
        }
        offer
    };
    let run = format!("takeover-check-{:08x}", first.origin & 0xffff_ffff);
    let reach = Reach::of(check.address.as_deref(), caller.server())?;
    (check.say)(&format!(
        "creates the namespace `{run}` and webhook configurations in {}, sends up to {} requests a second, and deletes what it created",
        caller.server(),
        check.rate
    ));
    let mut created = Created::new(&caller);
    let result = (|| {
        namespace(&caller, &mut created, &run)?;
        let shared = Shared {
            caller: &caller,
            manifest: &manifest,
            run: &run,
            reach: &reach,
            endpoints: &endpoints,
            stop,
            say: check.say,
        };
        let mut names = 0;
        for variant in &check.variants {
            if stop.asked().is_some() {
                break;
            }
            (check.say)(&format!("{} webhook: starting", variant.word()));
            let registered =
                Registered::new(&shared, &mut created, &mut names, plan(&version)?, *variant, probe.clone())?;
            let outcome = registered.compare(offer.clone(), check.requests)?;
            for (resource, counts) in outcome.by_resource {
                add(report.resources.entry(resource).or_default(), counts);
            }
            for what in outcome.forbidden {
                let reason = format!("user `{}` may not", caller.user());
                let names = report.left_out.entry(reason).or_default();
                if !names.contains(&what) {
                    names.push(what);
                }
            }
            report.no_counters = report.no_counters.take().or(outcome.no_counters);
            report.variants.push(outcome.report);
        }
        anyhow::Ok(())
    })();
    report.left_behind = created.remove_all();
    if let Err(error) = result {
        report.left_behind.iter().for_each(|what| (check.say)(&format!("not deleted: {what}; delete it yourself")));
        return Err(error);
    }
    report.finished = stop.asked().is_none();
    report.conclude();
    Ok(report)
}

/// Creates the namespace of the check. Nothing in it starts pods.
fn namespace(caller: &ServerCaller, created: &mut Created<'_>, run: &str) -> anyhow::Result<()> {
    let metadata = json!({"name": run, "labels": {LABEL: run, "app.kubernetes.io/managed-by": "takeover"}});
    let namespace = json!({"apiVersion": "v1", "kind": "Namespace", "metadata": metadata});
    let answer = created.create("/api/v1/namespaces", &namespace)?;
    needed(caller, &answer, "create", "namespaces")?;
    let hard = json!({"pods": "0", "count/jobs.batch": "0"});
    let quota = json!({"apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": "nothing-runs"}, "spec": {"hard": hard}});
    // It goes with the namespace.
    let quotas = format!("/api/v1/namespaces/{run}/resourcequotas");
    needed(caller, &caller.send(Verb::Create, &quotas, &quota)?, "create", "resourcequotas")?;
    let begun = Instant::now();
    while begun.elapsed() < HOLDS {
        let quota = caller.get(&format!("{quotas}/nothing-runs")).context("failed to look at the quota")?;
        if quota.code() == 200 && quota.json().pointer("/status/hard/pods").is_none() {
            std::thread::sleep(Duration::from_millis(100));
        } else {
            break;
        }
    }
    Ok(())
}

/// What is left out before anything is sent, by reason.
fn left_out(
    plan: &ShadowPlan,
    endpoints: &[Endpoint],
    [unknown, not_run]: [&[Endpoint]; 2],
    missing: &[Resource],
) -> BTreeMap<String, Vec<String>> {
    let unreviewed = |id: &SubjectId| {
        // A resource that is not served tells nothing of its kind, but its name.
        let kind = id.kind.to_lowercase();
        let begin = kind.get(..kind.len().saturating_sub(1)).unwrap_or_default();
        let names_it = |resource: &&Resource| {
            resource.api_version() == id.api_version
                && resource.name.starts_with(begin)
                && resource.name.split_once('/').map_or("", |(_, part)| part) == id.subresource
        };
        !endpoints.iter().chain(not_run).any(|of| of.subject == *id) && missing.iter().find(names_it).is_none()
    };
    let unreviewed: Vec<String> =
        plan.ids().iter().map(|id| &id.subject).filter(|id| unreviewed(id)).map(ToString::to_string).collect();
    let all = [
        ("not served by this API server", missing.iter().map(Resource::shown).collect()),
        ("not among the kinds to compare", unknown.iter().map(|of| of.shown.clone()).collect()),
        ("whose rules this release does not run", not_run.iter().map(|of| of.shown.clone()).collect()),
        ("of no resource in the webhook configuration", unreviewed),
    ];
    all.into_iter()
        .filter(|(_, names): &(&str, Vec<String>)| !names.is_empty())
        .map(|(reason, names)| (reason.to_owned(), names))
        .collect()
}

fn add(sum: &mut SentCounts, more: SentCounts) {
    sum.accepted += more.accepted;
    sum.rejected += more.rejected;
    for (why, number) in more.failed {
        *sum.failed.entry(why).or_default() += number;
    }
}
