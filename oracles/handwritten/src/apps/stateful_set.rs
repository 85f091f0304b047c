//! `apps/v1` StatefulSet.

use super::claims::{Claim, claim_sources, default_claim, mount_claims, same_claims, settle_claim};
use super::members::spec_changes;
use super::replica_set;
use super::selected_pods::{validate_match, validate_selector};
use super::status::{counters, optional, validate_available, validate_collisions, validate_counters, validate_parts};
use crate::core::v1::defaults::default_pod_spec;
use crate::core::v1::pod_template::{
    self, convert_template, validate_pod_metadata, validate_pod_template, validate_restarts,
};
use crate::core::v1::volume_claim::validate_claim;
use crate::int_or_percent::{number, shown, validate_at_most_all, validate_int_or_percent};
use crate::kind::{Checks, Gate, Prepare, Request, STRICT_ADDRESSES, Served};
use crate::meta::{self, NameRule, Scope};
use crate::names::{dns_label, dns_label_start};
use crate::report::{Covered, non_negative, not_supported, text};
use crate::selector::selector_form;
use crate::typed_pair::TypedPair;
use crate::types::apps::v1::{
    RollingUpdateStatefulSetStrategy, StatefulSetOrdinals, StatefulSetPersistentVolumeClaimRetentionPolicy,
    StatefulSetStatus, StatefulSetUpdateStrategy,
};
use crate::types::core::v1::{PodSpec, PodTemplateSpec};
use crate::types::meta::v1::{LabelSelector, ObjectMeta};
use crate::types::{Described, view};
use takeover_harness::error::{BadValue, ErrorList, FieldError};
use takeover_harness::object::{Arena, Edit, Node};
use takeover_harness::oracle::{Objects, OracleFailure};
use takeover_harness::pair::Delegated;
use takeover_harness::path::Path;

/// How sets are named: pods get the name with a number behind it as their host name.
const NAME: NameRule = NameRule::Plain { name: dns_label, start: dns_label_start };
const CHANGED: &str = "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', \
     'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden";

view! {
    /// A StatefulSet with what only its internal version has; the spec is empty or zero in what is left out.
    pub struct StatefulSet<'a> {
        "metadata" => metadata: ObjectMeta<'a>,
        "spec" => spec: StatefulSetSpec<'a>,
        "status" => status: StatefulSetStatus<'a>,
    }
}

impl<'a> Described<'a> for StatefulSet<'a> {
    fn metadata(&self) -> &ObjectMeta<'a> {
        &self.metadata
    }
}

view! {
    struct StatefulSetSpec<'a> {
        "replicas" => replicas: i32,
        "selector" => selector: Option<&'a LabelSelector<'a>>,
        "template" => template: PodTemplateSpec<'a>,
        "volumeClaimTemplates" => volume_claim_templates: &'a [Claim<'a>],
        "serviceName" => service_name: &'a str,
        "podManagementPolicy" => pod_management_policy: &'a str,
        "updateStrategy" => update_strategy: StatefulSetUpdateStrategy<'a>,
        "minReadySeconds" => min_ready_seconds: i32,
        "persistentVolumeClaimRetentionPolicy" => persistent_volume_claim_retention_policy:
            Option<&'a StatefulSetPersistentVolumeClaimRetentionPolicy<'a>>,
        "ordinals" => ordinals: Option<&'a StatefulSetOrdinals>,
        ;
        /// Whether the request changes what a set has for life.
        changes: bool,
    }
}

/// Judges StatefulSets as a Kubernetes 1.36 server does.
#[derive(Clone, Copy, Debug)]
pub struct StatefulSets;

impl Served for StatefulSets {
    type Kind = Self;

    const DEFAULTS: Option<fn(&mut Edit<'_>)> = Some(default_stateful_set);
    const PREPARE: Option<Prepare> = Some(prepare);
    const CONVERT: Option<fn(&mut Edit<'_>)> = Some(|set| {
        set.edit_if_set("spec", |spec| {
            spec.edit_if_set("template", convert_template);
            spec.edit_each("volumeClaimTemplates", settle_claim);
        });
    });

    fn objects<'a>(objects: &Objects<'a>, arena: &'a Arena) -> Result<TypedPair<StatefulSet<'a>>, OracleFailure> {
        let changes = ["podManagementPolicy", "selector", "serviceName"].iter().any(|name| spec_changes(objects, name))
            || !same_claims(objects);
        Ok(TypedPair::<StatefulSet<'a>>::of(objects, arena)?.map(|mut set| {
            set.spec.changes = changes;
            set
        }))
    }
}

fn default_stateful_set(set: &mut Edit<'_>) {
    set.edit("spec", |spec| {
        spec.set_default_text("podManagementPolicy", "OrderedReady");
        spec.edit("updateStrategy", |strategy| {
            // Without type, bounds are made too.
            let made = strategy.text("type").is_empty();
            strategy.set_default_text("type", "RollingUpdate");
            let partition = |update: &mut Edit<'_>| update.set_default("partition", Node::Int(0));
            match strategy.text("type") {
                "RollingUpdate" if made => strategy.edit("rollingUpdate", partition),
                "RollingUpdate" => strategy.edit_if_set("rollingUpdate", partition),
                _ => {}
            }
        });
        spec.edit("persistentVolumeClaimRetentionPolicy", |policy| {
            policy.set_default_text("whenDeleted", "Retain");
            policy.set_default_text("whenScaled", "Retain");
        });
        spec.set_default("replicas", Node::Int(1));
        spec.set_default("revisionHistoryLimit", Node::Int(10));
        spec.edit("template", |template| template.edit_alone("spec", default_pod_spec));
        spec.edit_each("volumeClaimTemplates", default_claim);
    });
}

/// As replica sets; and the gate of how many pods may be replaced at a time is off in 1.36.
fn prepare<'a>(new: &mut Edit<'a>, old: Option<&Edit<'a>>, subresource: &str) {
    let used = |set: &Edit<'a>| {
        let update = set.inside("spec").and_then(|spec| spec.inside("updateStrategy")?.inside("rollingUpdate"));
        update.is_some_and(|update| !update.get("maxUnavailable").is_unset())
    };
    if !old.is_some_and(used) {
        new.edit_if_set("spec", |spec| {
            spec.edit_if_set("updateStrategy", |strategy| {
                strategy.edit_if_set("rollingUpdate", |update| update.clear("maxUnavailable"));
            });
        });
    }
    replica_set::prepare(new, old, subresource);
}

impl Checks for StatefulSets {
    type Object<'a> = StatefulSet<'a>;

    const SCOPE: Scope = Scope::Namespaced;
    const GATES: &'static [Gate] = &[STRICT_ADDRESSES];
    const SUBRESOURCES: &'static [&'static str] = &["status"];

    fn create(new: &StatefulSet, request: &Request<'_>, errors: &mut ErrorList) {
        meta::validate_create(&new.metadata, Self::SCOPE, NAME, &Path::ROOT.child("metadata"), errors);
        validate_spec(&new.spec, Judged::New, request, &Path::ROOT.child("spec"), errors);
    }

    fn update(new: &StatefulSet, old: &StatefulSet, request: &Request<'_>, errors: &mut ErrorList) {
        let path = Path::ROOT.child("metadata");
        if !request.subresource.is_empty() {
            validate_status(&new.status, &old.status, errors);
            meta::validate_update(&new.metadata, &old.metadata, &path, errors);
            return;
        }
        meta::validate_update(&new.metadata, &old.metadata, &path, errors);
        let path = Path::ROOT.child("spec");
        let stored = &old.spec.template;
        // What is stored with anything wrong may have a bad template.
        let mut faults = ErrorList::new();
        validate_spec(&old.spec, Judged::Changed { stored, template: true }, request, &path, &mut faults);
        let template = faults.is_empty();
        validate_spec(&new.spec, Judged::Changed { stored, template }, request, &path, errors);
        if new.spec.changes {
            errors.push(FieldError::forbidden(&path, CHANGED));
        }
    }

    fn delegated() -> Vec<Delegated> {
        pod_template::delegated("spec.template")
    }
}

/// How much of a spec is looked at.
#[derive(Clone, Copy)]
enum Judged<'a> {
    /// All of it.
    New,
    /// Not what never changes, and the template only where it is told.
    Changed { stored: &'a PodTemplateSpec<'a>, template: bool },
}

fn validate_spec(
    spec: &StatefulSetSpec,
    judged: Judged<'_>,
    request: &Request<'_>,
    path: &Path<'_>,
    errors: &mut ErrorList,
) {
    let at = path.child("podManagementPolicy");
    match spec.pod_management_policy {
        "" => errors.push(FieldError::required(&at, "")),
        "OrderedReady" | "Parallel" => {}
        other => errors.push(FieldError::invalid(&at, other, "must be 'OrderedReady' or 'Parallel'")),
    }
    validate_strategy(&spec.update_strategy, &path.child("updateStrategy"), errors);
    validate_retention(
        spec.persistent_volume_claim_retention_policy,
        &path.child("persistentVolumeClaimRetentionPolicy"),
        errors,
    );
    if let Judged::New = judged {
        let at = path.child("volumeClaimTemplates");
        for (index, claim) in spec.volume_claim_templates.iter().enumerate() {
            validate_claim(&claim.spec, &at.index(index).child("spec"), errors);
        }
    }
    non_negative(spec.replicas.into(), &path.child("replicas"), Covered::No, errors);
    non_negative(spec.min_ready_seconds.into(), &path.child("minReadySeconds"), Covered::No, errors);
    if let Some(ordinals) = spec.ordinals {
        non_negative(ordinals.start.into(), &path.child("ordinals").child("start"), Covered::No, errors);
    }
    if matches!(judged, Judged::New) && !spec.service_name.is_empty() {
        for problem in dns_label(spec.service_name) {
            let error = FieldError::invalid(&path.child("serviceName"), spec.service_name, problem);
            errors.push(error.with_origin("format=k8s-short-name"));
        }
    }
    let at = path.child("selector");
    if validate_selector(spec.selector, "empty selector is invalid for statefulset", &at, errors) {
        validate_template(spec, judged, request, &path.child("template"), errors);
    } else {
        errors.push(FieldError::invalid(&at, selector_form(spec.selector), ""));
    }
    validate_restarts(&spec.template, "StatefulSet", &path.child("template"), errors);
}

/// Checks what the controller makes pods of: it gives them a name in the service, and volumes of their claims.
fn validate_template(
    spec: &StatefulSetSpec,
    judged: Judged<'_>,
    request: &Request<'_>,
    path: &Path<'_>,
    errors: &mut ErrorList,
) {
    let (claims, volumes, made);
    let mut template = spec.template;
    if let Some(pod) = spec.template.spec
        && (pod.hostname.is_some() || pod.subdomain.is_some() || !spec.volume_claim_templates.is_empty())
    {
        claims = claim_sources(spec.volume_claim_templates);
        volumes = mount_claims(pod.volumes.unwrap_or_default(), &claims);
        made = PodSpec { hostname: None, subdomain: None, volumes: Some(&volumes), ..*pod };
        template.spec = Some(&made);
    }
    let stored = match judged {
        Judged::New => None,
        Judged::Changed { stored, .. } => Some(stored),
    };
    validate_match(spec.selector, &template, path, errors);
    if !matches!(judged, Judged::Changed { template: false, .. }) {
        validate_pod_template(&template, stored, request, path, errors);
    }
    // Labels and annotations are looked at, with the template or without.
    validate_pod_metadata(&template, stored, path, errors);
}

fn validate_strategy(strategy: &StatefulSetUpdateStrategy, path: &Path<'_>, errors: &mut ErrorList) {
    let at = path.child("rollingUpdate");
    match (text(strategy.type_), strategy.rolling_update) {
        ("", _) => errors.push(FieldError::required(path, "")),
        ("OnDelete", Some(update)) => {
            let detail = "only allowed for updateStrategy 'RollingUpdate'";
            errors.push(FieldError::invalid(&at, update_form(update), detail));
        }
        ("RollingUpdate", Some(update)) => validate_rolling_update(update, &at, errors),
        ("OnDelete" | "RollingUpdate", None) => {}
        (other, update) => {
            let update = update.map(update_form);
            let form = BadValue::Struct(vec![("Type", other.into()), ("RollingUpdate", update.into())]);
            errors.push(FieldError::invalid(path, form, "must be 'RollingUpdate' or 'OnDelete'"));
        }
    }
}

fn validate_rolling_update(update: &RollingUpdateStatefulSetStrategy, path: &Path<'_>, errors: &mut ErrorList) {
    non_negative(update.partition.unwrap_or(0).into(), &path.child("partition"), Covered::No, errors);
    let Some(unavailable) = &update.max_unavailable else { return };
    let at = path.child("maxUnavailable");
    validate_int_or_percent(unavailable, &at, errors);
    if number(unavailable) == 0 {
        errors.push(FieldError::invalid(&at, shown(unavailable), "cannot be 0"));
    }
    validate_at_most_all(unavailable, &at, errors);
}

/// The bounds in the server's internal version, whose members have no JSON names.
fn update_form(update: &RollingUpdateStatefulSetStrategy) -> BadValue {
    BadValue::Struct(vec![
        ("Partition", update.partition.unwrap_or(0).into()),
        ("MaxUnavailable", update.max_unavailable.as_ref().map(shown).into()),
    ])
}

fn validate_retention(
    policy: Option<&StatefulSetPersistentVolumeClaimRetentionPolicy>,
    path: &Path<'_>,
    errors: &mut ErrorList,
) {
    let Some(policy) = policy else { return };
    for (value, name) in [(policy.when_deleted, "whenDeleted"), (policy.when_scaled, "whenScaled")] {
        let value = text(value);
        if !matches!(value, "Retain" | "Delete") {
            errors.push(not_supported(&path.child(name), value, &["Retain", "Delete"]));
        }
    }
}

fn validate_status(new: &StatefulSetStatus, old: &StatefulSetStatus, errors: &mut ErrorList) {
    let path = Path::ROOT.child("status");
    let parts = counters([
        ("readyReplicas", new.ready_replicas),
        ("currentReplicas", new.current_replicas),
        ("updatedReplicas", new.updated_replicas),
        ("availableReplicas", Some(new.available_replicas)),
    ]);
    let all = Some(new.replicas);
    let optional = [
        new.observed_generation.map(|generation| ("observedGeneration", generation)),
        optional("collisionCount", new.collision_count),
    ];
    let counted = counters([("replicas", all)]).into_iter().chain(parts).chain(optional.into_iter().flatten());
    validate_counters(counted, &path, errors);
    validate_parts(&parts, all, &path, errors);
    validate_available(Some(new.available_replicas), ("status.readyReplicas", new.ready_replicas), &path, errors);
    validate_collisions(new.collision_count, old.collision_count, &path, errors);
}
