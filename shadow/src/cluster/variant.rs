//! What is done while one variant of the webhook is registered.

use super::created::Created;
use super::discovery::Endpoint;
use super::manifest::{Manifest, plural};
use super::object::{Mark, changed, scaled, stored, text};
use super::offer::Offer;
use super::reach::Reach;
use crate::api_server::{ServerCounters, compared, less};
use crate::certificate::{Certificate, make};
use crate::plan::ShadowPlan;
use crate::server::Server;
use crate::settings::ShadowSettings;
use anyhow::{Context as _, bail, ensure};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};
use takeover_engine::say::Say;
use takeover_engine::stop::{Stop, Stopped};
use takeover_external::server::{ServerAnswer, ServerCaller, Verb};
use takeover_harness::case::{Case, Operation};
use takeover_harness::evidence::{Evidence, ReasonCount};
use takeover_harness::oracle::OracleFailure;
use takeover_reports::cluster::{SentCounts, Variant, VariantReport};

/// What makes a request a dry run in which unknown members do not count.
const DRY_RUN: &str = "?dryRun=All&fieldValidation=Ignore";

/// What lets unknown members pass.
const STORED: &str = "?fieldValidation=Ignore";

/// How long it may take until API servers know of a webhook.
const KNOWN: Duration = Duration::from_secs(60);

/// How long the comparison of a review may take.
const COMPARED: Duration = Duration::from_secs(60);

/// How often an update is sent while controllers change what is stored.
const ATTEMPTS: usize = 3;

/// How often something is said of the progress.
const BETWEEN: Duration = Duration::from_secs(10);

/// What the variants of a check share.
pub(super) struct Shared<'s> {
    pub(super) caller: &'s ServerCaller,
    pub(super) manifest: &'s Manifest,
    /// Name of the check, and of its namespace.
    pub(super) run: &'s str,
    pub(super) reach: &'s Reach,
    pub(super) endpoints: &'s [Endpoint],
    pub(super) stop: &'s Stop,
    pub(super) say: Say<'s>,
}

/// A variant that is registered.
pub(super) struct Registered<'s, 'c> {
    shared: &'s Shared<'s>,
    created: &'s mut Created<'c>,
    /// Number of the next name.
    names: &'s mut u64,
    server: Server,
    variant: Variant,
    /// What this variant counted.
    report: VariantReport,
    /// By resource.
    by_resource: BTreeMap<String, SentCounts>,
    /// Requests that the user may not send.
    forbidden: BTreeSet<String>,
    /// Reviews that arrived, mismatches and panics when the last request was answered.
    reviews: u64,
    counted: [BTreeMap<String, u64>; 2],
    /// Our mismatches on validated requests, and on requests that may not have been validated.
    ours: [BTreeMap<String, u64>; 2],
    unclear: [BTreeMap<String, u64>; 2],
}

/// What came of a variant.
pub(super) struct Outcome {
    pub(super) report: VariantReport,
    pub(super) by_resource: BTreeMap<String, SentCounts>,
    pub(super) forbidden: BTreeSet<String>,
    /// Why the counters of the API server could not be used.
    pub(super) no_counters: Option<String>,
}

/// What a request was answered.
type Answer = Result<ServerAnswer, OracleFailure>;

impl<'s, 'c> Registered<'s, 'c> {
    /// Starts a shadow server, registers it, and waits until the API server calls it for `probe`, a resource and a sound object.
    ///
    /// # Errors
    /// Returns an error when the server does not start, the configuration cannot be created, or no review arrives.
    pub(super) fn new(
        shared: &'s Shared<'s>,
        created: &'s mut Created<'c>,
        names: &'s mut u64,
        plan: ShadowPlan,
        variant: Variant,
        probe: (usize, Case<'static>),
    ) -> anyhow::Result<Self> {
        let made = make(std::slice::from_ref(&shared.reach.host))?;
        let settings = ShadowSettings::default();
        let server = Server::for_now(plan, &settings, Certificate::of(&made)?, shared.reach.listen)?;
        let port = server.webhook().map_or(0, |at| at.port());
        let url = shared.reach.url(port);
        let configuration = shared.manifest.registered(variant, shared.run, &url, &made.authority);
        let objects = format!("/apis/admissionregistration.k8s.io/v1/{}", plural(variant));
        let answer = created.create(&objects, &configuration)?;
        let resource = format!("{}.admissionregistration.k8s.io", plural(variant));
        needed(shared.caller, &answer, "create", &resource)?;
        let report = VariantReport::new(variant);
        let mut this = Self {
            shared,
            created,
            names,
            server,
            variant,
            report,
            by_resource: BTreeMap::new(),
            forbidden: BTreeSet::new(),
            reviews: 0,
            counted: Default::default(),
            ours: Default::default(),
            unclear: Default::default(),
        };
        this.wait_for_reviews(&probe, &url)?;
        Ok(this)
    }

    /// Sends a sound object again and again until a review of it arrives.
    fn wait_for_reviews(&mut self, (at, case): &(usize, Case<'static>), url: &str) -> anyhow::Result<()> {
        let endpoint = self.shared.endpoints.get(*at).context("there is no such resource")?;
        let object = case.object.to_value()?;
        let (begun, mut said) = (Instant::now(), "nothing was answered".to_owned());
        while self.server.state().meters.reviews().0 == 0 {
            if let Some(signal) = self.shared.stop.asked() {
                return Err(Stopped(signal).into());
            }
            ensure!(
                begun.elapsed() < KNOWN,
                "the API server sent no review to {url} within {} s: name an address at which it can reach this process with --address ({said})",
                KNOWN.as_secs()
            );
            let sent = self.mark(endpoint).apply(object.clone());
            let target = format!("{}{DRY_RUN}", endpoint.objects(self.shared.run));
            let answer = self.shared.caller.send(Verb::Create, &target, &sent)?;
            if answer.is_forbidden() {
                needed(self.shared.caller, &answer, "create", &endpoint.resource(""))?;
            }
            // What the cluster has against it, whoever says so, is of no interest here.
            said = answer.refusal();
        }
        self.settle();
        self.reviews = self.server.state().meters.reviews().0;
        self.counted = self.server.mismatches_and_panics();
        Ok(())
    }

    /// Sends what is offered until `requests` requests are sent, and holds the counters of both servers against each other.
    ///
    /// # Errors
    /// Returns an error when the API server cannot be reached any more.
    pub(super) fn compare(mut self, mut offer: Offer, requests: u64) -> anyhow::Result<Outcome> {
        let before = read_counters(self.shared.caller)?;
        let (evidence, _) = self.server.evidence();
        let earlier = Judged::of(&evidence);
        let mut said = Instant::now();
        while self.report.requests.sent() < requests && self.shared.stop.asked().is_none() {
            let Some((at, case)) = offer.next() else { break };
            let Some(endpoint) = self.shared.endpoints.get(at) else { continue };
            self.case(endpoint, &case)?;
            if said.elapsed() >= BETWEEN {
                said = Instant::now();
                let sent = self.report.requests.sent();
                (self.shared.say)(&format!("{}: {sent} of {requests} requests sent", self.variant.word()));
            }
        }
        let after = read_counters(self.shared.caller)?;
        self.settle();
        let (evidence, _) = self.server.evidence();
        let judged = Judged::of(&evidence).since(&earlier);
        self.report.reviews.compared = judged.compared;
        self.report.reviews.not_compared = judged.not_compared;
        for (reason, number) in self.server.state().meters.lost() {
            *self.report.reviews.not_compared.entry(reason).or_default() += number;
        }
        let counted = match (before, after) {
            (Some(before), Some(after)) => match after.since(&before) {
                Some(counted) if counted.compares || !counted.mismatches.is_empty() => Ok(counted),
                Some(_) => {
                    Err("nothing in its metrics says that it compares (feature gate DeclarativeValidation)".to_owned())
                }
                None => {
                    Err("two processes answered for it: it restarted, or there are several behind its address"
                        .to_owned())
                }
            },
            _ => Err(format!("user `{}` may not `get` the path `/metrics`", self.shared.caller.user())),
        };
        let known = counted.clone().unwrap_or_default();
        let [ours, panics] = &self.ours;
        let [unclear, unclear_panics] = &self.unclear;
        self.report.mismatches = compared(&known.mismatches, ours, unclear);
        self.report.panics = compared(&known.panics, panics, unclear_panics);
        self.created.remove_webhooks();
        let _ = self.server.end();
        let Self { report, by_resource, forbidden, .. } = self;
        Ok(Outcome { report, by_resource, forbidden, no_counters: counted.err() })
    }

    /// The next name, and where objects of the resource go.
    fn mark(&mut self, endpoint: &Endpoint) -> Mark<'s> {
        *self.names += 1;
        Mark {
            namespace: endpoint.namespaced.then_some(self.shared.run),
            name: format!("{}-{}", self.shared.run, self.names),
        }
    }

    /// Sends the requests of a case.
    fn case(&mut self, endpoint: &Endpoint, case: &Case) -> anyhow::Result<()> {
        let Ok(object) = case.object.to_value() else { return Ok(()) };
        let old = case.old.as_ref().and_then(|old| old.to_value().ok());
        match (case.operation, old) {
            (Operation::Create, _) if !endpoint.part.is_empty() => {
                self.not_sent("creates of a subresource");
                Ok(())
            }
            (Operation::Create, _) => {
                let sent = self.mark(endpoint).apply(object);
                let target = format!("{}{DRY_RUN}", endpoint.objects(self.shared.run));
                self.send(endpoint, Verb::Create, &target, &sent).map(|_| ())
            }
            (Operation::Update, Some(old)) => self.update(endpoint, &object, old),
            (Operation::Update, None) => Ok(()),
        }
    }

    /// Stores the old object, sends the new one, and deletes it again.
    fn update(&mut self, endpoint: &Endpoint, new: &Value, old: Value) -> anyhow::Result<()> {
        if text(new, "name") != text(&old, "name") {
            self.not_sent("updates that change the name");
            return Ok(());
        }
        if endpoint.parent.kind == "ClusterRoleBinding" {
            self.not_sent("updates of ClusterRoleBindings: a stored one grants rights");
            return Ok(());
        }
        let mark = self.mark(endpoint);
        let whole = if endpoint.subject.kind == endpoint.parent.kind {
            old.clone()
        } else {
            let replicas = old.pointer("/spec/replicas").cloned().unwrap_or_default();
            let replicas = if replicas.is_null() { 0.into() } else { replicas };
            scaled(&endpoint.parent.api_version, &endpoint.parent.kind, &mark.name, &replicas)
        };
        let objects = endpoint.objects(self.shared.run);
        let Some(mut kept) = self.store(endpoint, &objects, &stored(mark.apply(whole)))? else {
            self.not_sent("updates whose old object is not stored");
            return Ok(());
        };
        let path = ServerCaller::path_of(&objects, text(&kept, "name"));
        // A server drops the status of what is created.
        let status = old.get("status").filter(|status| status.as_object().is_some_and(|status| !status.is_empty()));
        if let (Some(status), true) = (status, endpoint.status && !endpoint.part.is_empty())
            && let Some(members) = kept.as_object_mut()
        {
            members.insert("status".to_owned(), status.clone());
            let target = format!("{path}/status{STORED}");
            let answer = self.send(endpoint, Verb::Update, &target, &kept)?;
            if let Some(answer) = answer.filter(ServerAnswer::is_done) {
                kept = answer.json();
            }
        }
        let part = if endpoint.part.is_empty() { String::new() } else { format!("/{}", endpoint.part) };
        for _ in 0..ATTEMPTS {
            let sent = changed(mark.apply(new.clone()), &kept);
            let answer = self.send(endpoint, Verb::Update, &format!("{path}{part}{DRY_RUN}"), &sent)?;
            if answer.is_none_or(|answer| !answer.is_changed()) {
                break;
            }
            // A controller was faster: once more, from what is stored now.
            kept = self.shared.caller.get(&path)?.json();
        }
        self.created.remove_last();
        Ok(())
    }

    /// Stores an object; none when the server does not take it.
    fn store(&mut self, endpoint: &Endpoint, objects: &str, object: &Value) -> anyhow::Result<Option<Value>> {
        let answer = self.created.create(&format!("{objects}{STORED}"), object);
        let answer = match &endpoint.main {
            Some(main) => self.answered(main, (Verb::Create, &endpoint.resource("")), answer)?,
            // Nobody compares what a subresource is part of, here or there.
            None => answer.ok(),
        };
        Ok(answer
            .filter(ServerAnswer::is_done)
            .map(|answer| answer.json())
            .filter(|kept| !text(kept, "uid").is_empty()))
    }

    /// Sends a request and counts it. None where there is no answer.
    fn send(
        &mut self,
        endpoint: &Endpoint,
        verb: Verb,
        target: &str,
        object: &Value,
    ) -> anyhow::Result<Option<ServerAnswer>> {
        let answer = self.shared.caller.send(verb, target, object);
        self.answered(&endpoint.shown, (verb, &endpoint.resource(&endpoint.part)), answer)
    }

    /// Counts a request to `resource`, and what reviews and mismatches came of it. `needs` is what the user must be allowed to do.
    fn answered(
        &mut self,
        resource: &str,
        needs: (Verb, &str),
        answer: Answer,
    ) -> anyhow::Result<Option<ServerAnswer>> {
        self.settle();
        let reviews = self.server.state().meters.reviews().0;
        let counted = self.server.mismatches_and_panics();
        let arrived = reviews - self.reviews;
        let ([mismatches, panics], [earlier, earlier_panics]) = (&counted, &self.counted);
        let new = [less(mismatches, earlier), less(panics, earlier_panics)];
        (self.reviews, self.counted) = (reviews, counted);
        self.report.reviews.arrived += arrived;
        let fate = Fate::of(&answer);
        let sums = if fate.is_validated() { &mut self.ours } else { &mut self.unclear };
        for (sum, new) in sums.iter_mut().zip(&new) {
            add(sum, new);
        }
        fate.count(&mut self.report.requests);
        fate.count(self.by_resource.entry(resource.to_owned()).or_default());
        if arrived == 0 && fate.is_validated() {
            fate.count(&mut self.report.reviews.missed);
        }
        match answer {
            Ok(answer) => {
                if answer.is_forbidden() {
                    self.forbidden.insert(format!("{} {}", needs.0.name(), needs.1));
                }
                Ok(Some(answer))
            }
            // One request without an answer is counted; a server that is gone ends the check.
            Err(failure) => match self.shared.caller.get("/version") {
                Ok(_) => Ok(None),
                Err(_) => bail!("{failure}"),
            },
        }
    }

    /// Waits until every review that arrived is compared.
    fn settle(&self) {
        let begun = Instant::now();
        while self.server.state().meters.reviews().1 > 0 && begun.elapsed() < COMPARED {
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    fn not_sent(&mut self, reason: &str) {
        *self.report.not_sent.entry(reason.to_owned()).or_default() += 1;
    }
}

/// What an API server did with a request.
enum Fate {
    /// Its validation accepted it.
    Accepted,
    /// Its validation rejected it.
    Rejected,
    /// Neither is known.
    Failed(String),
}

impl Fate {
    fn of(answer: &Answer) -> Self {
        match answer {
            Ok(answer) if answer.is_done() => Self::Accepted,
            Ok(answer) if answer.code() == 422 => Self::Rejected,
            // API servers look for the name after validation.
            Ok(answer) if answer.is_taken() => Self::Accepted,
            Ok(answer) => Self::Failed(format!("{} {}", answer.code(), answer.reason()).trim().to_owned()),
            Err(_) => Self::Failed("without an answer".to_owned()),
        }
    }

    fn is_validated(&self) -> bool {
        !matches!(self, Self::Failed(_))
    }

    fn count(&self, counts: &mut SentCounts) {
        match self {
            Self::Accepted => counts.accepted += 1,
            Self::Rejected => counts.rejected += 1,
            Self::Failed(why) => *counts.failed.entry(why.clone()).or_default() += 1,
        }
    }
}

/// What the evidence of a shadow server says of reviews.
#[derive(Default)]
struct Judged {
    compared: u64,
    not_compared: BTreeMap<String, u64>,
}

impl Judged {
    fn of(evidence: &Evidence) -> Self {
        let mut judged = Self { compared: evidence.compared(), not_compared: BTreeMap::new() };
        let mut note = |reasons: &BTreeMap<String, ReasonCount>| {
            for (reason, of) in reasons {
                *judged.not_compared.entry(reason.clone()).or_default() += of.count;
            }
        };
        note(evidence.outside());
        for pair in evidence.pairs() {
            for operation in Operation::ALL {
                let of = pair.operation(operation);
                note(&of.undecodable);
                note(&of.skipped);
            }
        }
        judged
    }

    fn since(self, earlier: &Self) -> Self {
        let not_compared = less(&self.not_compared, &earlier.not_compared);
        Self { compared: self.compared - earlier.compared, not_compared }
    }
}

/// The counters of the API server; none where the user may not read them.
fn read_counters(caller: &ServerCaller) -> anyhow::Result<Option<ServerCounters>> {
    let answer = caller.get("/metrics")?;
    match answer.code() {
        200 => Ok(Some(ServerCounters::read(&answer.text()))),
        401 | 403 => Ok(None),
        _ => bail!("failed to read `{}/metrics`: {}", caller.server(), answer.refusal()),
    }
}

/// Checks that the server did something without which there is no check.
///
/// # Errors
/// Returns an error that names the permission where that is what is missing.
pub(super) fn needed(caller: &ServerCaller, answer: &ServerAnswer, verb: &str, resource: &str) -> anyhow::Result<()> {
    if answer.is_forbidden() {
        bail!(
            "user `{}` may not `{verb}` {resource}: apply deploy/check-cluster/clusterrole.yaml, or use another context ({})",
            caller.user(),
            answer.refusal()
        );
    }
    ensure!(answer.is_done(), "failed to {verb} {resource}: {}", answer.refusal());
    Ok(())
}

fn add(sum: &mut BTreeMap<String, u64>, more: &BTreeMap<String, u64>) {
    for (name, count) in more {
        *sum.entry(name.clone()).or_default() += count;
    }
}
