//! `apps/v1` Deployment.

use super::deprecated::{ROLLBACK_TO, annotate, annotate_number, annotation, take};
use super::rolling_update::{Bounds, strategy_form};
use super::selected_pods::{validate_replicated, validate_same_selector};
use super::status::{counters, optional, validate_available, validate_collisions, validate_counters, validate_parts};
use crate::core::v1::defaults::default_pod_spec;
use crate::core::v1::disabled_fields::drop_disabled_fields_of_workload;
use crate::core::v1::pod_template::{self, convert_template};
use crate::int_or_percent::{number, shown, validate_at_most_all, validate_int_or_percent};
use crate::kind::{Checks, Gate, Prepare, Request, STRICT_ADDRESSES, Served};
use crate::meta::{self, NameRule, Scope};
use crate::names::{dns_subdomain_start, subdomain_name};
use crate::prepare::count;
use crate::report::{Covered, non_negative, not_supported, text};
use crate::strconv::parse_int;
use crate::typed_pair::TypedPair;
use crate::types::apps::v1::{DeploymentStatus, DeploymentStrategy};
use crate::types::core::v1::PodTemplateSpec;
use crate::types::meta::v1::{LabelSelector, ObjectMeta};
use crate::types::{Described, view};
use takeover_harness::error::{ErrorList, FieldError};
use takeover_harness::object::{Arena, Edit, Node, equal};
use takeover_harness::oracle::{Objects, OracleFailure};
use takeover_harness::pair::Delegated;
use takeover_harness::path::Path;

/// How workloads are named, daemon sets and replica sets too.
pub(super) const NAME: NameRule = NameRule::Plain { name: subdomain_name, start: dns_subdomain_start };

view! {
    /// A Deployment with what only its internal version has; the spec is empty or zero in what is left out.
    pub struct Deployment<'a> {
        "metadata" => metadata: ObjectMeta<'a>,
        "spec" => spec: DeploymentSpec<'a>,
        "status" => status: DeploymentStatus<'a>,
    }
}

impl<'a> Described<'a> for Deployment<'a> {
    fn metadata(&self) -> &ObjectMeta<'a> {
        &self.metadata
    }
}

view! {
    struct DeploymentSpec<'a> {
        "replicas" => replicas: i32,
        "selector" => selector: Option<&'a LabelSelector<'a>>,
        "template" => template: PodTemplateSpec<'a>,
        "strategy" => strategy: DeploymentStrategy<'a>,
        "minReadySeconds" => min_ready_seconds: i32,
        "revisionHistoryLimit" => revision_history_limit: Option<i32>,
        "progressDeadlineSeconds" => progress_deadline_seconds: Option<i32>,
        ;
        rollback_to: Option<i64>,
    }
}

/// Judges Deployments as a Kubernetes 1.36 server does.
#[derive(Clone, Copy, Debug)]
pub struct Deployments;

impl Served for Deployments {
    type Kind = Self;

    const DEFAULTS: Option<fn(&mut Edit<'_>)> = Some(default_deployment);
    const PREPARE: Option<Prepare> = Some(prepare);
    const CONVERT: Option<fn(&mut Edit<'_>)> = Some(convert);

    fn objects<'a>(objects: &Objects<'a>, arena: &'a Arena) -> Result<TypedPair<Deployment<'a>>, OracleFailure> {
        TypedPair::<Deployment<'a>>::of(objects, arena)?.try_map(|mut deployment| {
            let revision = take(&mut deployment.metadata, ROLLBACK_TO, arena);
            if let Some(revision) = revision.filter(|revision| !revision.is_empty()) {
                let revision = parse_int(revision).map_err(|problem| {
                    OracleFailure::new(format!(
                        "failed to parse annotation[{ROLLBACK_TO}]={revision} as int64: {problem}"
                    ))
                })?;
                deployment.spec.rollback_to = Some(revision);
            }
            Ok(deployment)
        })
    }
}

fn default_deployment(deployment: &mut Edit<'_>) {
    deployment.edit("spec", |spec| {
        spec.set_default("replicas", Node::Int(1));
        spec.edit("strategy", |strategy| {
            strategy.set_default_text("type", "RollingUpdate");
            if strategy.text("type") == "RollingUpdate" {
                strategy.edit("rollingUpdate", |update| {
                    update.set_default("maxUnavailable", Node::Text("25%"));
                    update.set_default("maxSurge", Node::Text("25%"));
                });
            }
        });
        spec.set_default("revisionHistoryLimit", Node::Int(10));
        spec.set_default("progressDeadlineSeconds", Node::Int(600));
        spec.edit("template", |template| template.edit_alone("spec", default_pod_spec));
    });
}

fn convert(deployment: &mut Edit<'_>) {
    deployment.edit_if_set("spec", |spec| spec.edit_if_set("template", convert_template));
    match annotation(deployment, ROLLBACK_TO).map(|revision| (revision, parse_int(revision))) {
        Some(("", _)) => annotate(deployment, ROLLBACK_TO, None),
        Some((_, Ok(revision))) => annotate_number(deployment, ROLLBACK_TO, revision),
        Some((_, Err(_))) | None => {}
    }
}

/// A new deployment has no status yet, and only `/status` changes it later, and nothing else but annotations. They count among
/// what the generation numbers, because replica sets get them.
fn prepare<'a>(new: &mut Edit<'a>, old: Option<&Edit<'a>>, subresource: &str) {
    match old {
        None => new.clear("status"),
        Some(old) if subresource.is_empty() => new.copy("status", old),
        Some(old) => {
            new.copy("spec", old);
            if let Some(stored) = old.inside("metadata") {
                new.edit("metadata", |meta| meta.copy("labels", &stored));
            }
            // The revision to go back to is part of the spec.
            if annotation(new, ROLLBACK_TO).is_none_or(|revision| parse_int(revision).is_ok()) {
                annotate(new, ROLLBACK_TO, annotation(old, ROLLBACK_TO));
            }
            return;
        }
    }
    drop_disabled_fields_of_workload(new, old);
    let annotations = |object: &Edit<'a>| object.inside("metadata").map_or(Node::Unset, |meta| meta.get("annotations"));
    let changed = old
        .is_some_and(|old| !equal(&new.get("spec"), &old.get("spec")) || !equal(&annotations(new), &annotations(old)));
    count(new, old, changed);
}

impl Checks for Deployments {
    type Object<'a> = Deployment<'a>;

    const SCOPE: Scope = Scope::Namespaced;
    const GATES: &'static [Gate] = &[STRICT_ADDRESSES];
    const SUBRESOURCES: &'static [&'static str] = &["status"];

    fn create(new: &Deployment, request: &Request<'_>, errors: &mut ErrorList) {
        meta::validate_create(&new.metadata, Self::SCOPE, NAME, &Path::ROOT.child("metadata"), errors);
        validate_spec(&new.spec, None, request, errors);
    }

    fn update(new: &Deployment, old: &Deployment, request: &Request<'_>, errors: &mut ErrorList) {
        meta::validate_update(&new.metadata, &old.metadata, &Path::ROOT.child("metadata"), errors);
        if request.subresource.is_empty() {
            validate_spec(&new.spec, Some(&old.spec), request, errors);
            let path = Path::ROOT.child("spec");
            validate_same_selector(new.spec.selector, old.spec.selector, &path.child("selector"), errors);
        } else {
            validate_status(&new.status, &old.status, errors);
        }
    }

    fn delegated() -> Vec<Delegated> {
        pod_template::delegated("spec.template")
    }
}

fn validate_spec(spec: &DeploymentSpec, old: Option<&DeploymentSpec>, request: &Request<'_>, errors: &mut ErrorList) {
    let path = Path::ROOT.child("spec");
    non_negative(spec.replicas.into(), &path.child("replicas"), Covered::No, errors);
    let stored = old.map(|old| &old.template);
    validate_replicated(spec.selector, &spec.template, stored, request, &path, errors);
    validate_strategy(&spec.strategy, &path.child("strategy"), errors);
    non_negative(spec.min_ready_seconds.into(), &path.child("minReadySeconds"), Covered::No, errors);
    if let Some(limit) = spec.revision_history_limit {
        non_negative(limit.into(), &path.child("revisionHistoryLimit"), Covered::No, errors);
    }
    if let Some(revision) = spec.rollback_to {
        non_negative(revision, &path.child("rollback").child("version"), Covered::No, errors);
    }
    if let Some(deadline) = spec.progress_deadline_seconds {
        let at = path.child("progressDeadlineSeconds");
        non_negative(deadline.into(), &at, Covered::No, errors);
        if deadline <= spec.min_ready_seconds {
            errors.push(FieldError::invalid(&at, deadline, "must be greater than minReadySeconds"));
        }
    }
}

fn validate_strategy(strategy: &DeploymentStrategy, path: &Path<'_>, errors: &mut ErrorList) {
    let at = path.child("rollingUpdate");
    let update = strategy.rolling_update.map(|update| Bounds::new(update.max_unavailable, update.max_surge));
    match (text(strategy.type_), update) {
        ("Recreate", None) => {}
        ("Recreate", Some(_)) => {
            let detail = "may not be specified when strategy `type` is 'Recreate'";
            errors.push(FieldError::forbidden(&at, detail));
        }
        ("RollingUpdate", Some(update)) => validate_rolling_update(update, &at, errors),
        ("RollingUpdate", None) => {
            errors.push(FieldError::required(&at, "this should be defaulted and never be nil"));
        }
        _ => errors.push(not_supported(path, strategy_form(strategy.type_, update), &["Recreate", "RollingUpdate"])),
    }
}

fn validate_rolling_update(bounds: Bounds<'_>, path: &Path<'_>, errors: &mut ErrorList) {
    let Bounds { unavailable, surge } = bounds;
    let at = path.child("maxUnavailable");
    validate_int_or_percent(&unavailable, &at, errors);
    validate_int_or_percent(&surge, &path.child("maxSurge"), errors);
    if number(&unavailable) == 0 && number(&surge) == 0 {
        errors.push(FieldError::invalid(&at, shown(&unavailable), "may not be 0 when `maxSurge` is 0"));
    }
    validate_at_most_all(&unavailable, &at, errors);
}

fn validate_status(new: &DeploymentStatus, old: &DeploymentStatus, errors: &mut ErrorList) {
    let path = Path::ROOT.child("status");
    let parts = counters([
        ("updatedReplicas", new.updated_replicas),
        ("readyReplicas", new.ready_replicas),
        ("availableReplicas", new.available_replicas),
    ]);
    let others = counters([("replicas", new.replicas), ("unavailableReplicas", new.unavailable_replicas)]);
    let optional = [
        new.observed_generation.map(|generation| ("observedGeneration", generation)),
        optional("terminatingReplicas", new.terminating_replicas),
        optional("collisionCount", new.collision_count),
    ];
    validate_counters(others.into_iter().chain(parts).chain(optional.into_iter().flatten()), &path, errors);
    validate_parts(&parts, new.replicas, &path, errors);
    validate_available(new.available_replicas, ("readyReplicas", new.ready_replicas), &path, errors);
    validate_collisions(new.collision_count, old.collision_count, &path, errors);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rolling_update_without_bounds_is_refused() {
        let mut errors = ErrorList::new();
        let strategy = DeploymentStrategy { type_: Some("RollingUpdate"), rolling_update: None };
        validate_strategy(&strategy, &Path::ROOT.child("strategy"), &mut errors);
        let lines: Vec<String> = errors.iter().map(ToString::to_string).collect();
        assert_eq!(lines, ["strategy.rollingUpdate: Required value: this should be defaulted and never be nil"]);
    }
}
