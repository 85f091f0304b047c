//! `apps/v1` DaemonSet.

use super::deployment::NAME;
use super::deprecated::{TEMPLATE_GENERATION, annotate, annotate_number, annotation, number as annotated, take};
use super::members::spec_changes;
use super::rolling_update::{Bounds, strategy_form};
use super::selected_pods::{validate_match, validate_not_empty, validate_same_selector};
use super::status::{counters, optional, validate_collisions, validate_counters};
use crate::core::v1::defaults::default_pod_spec;
use crate::core::v1::disabled_fields::drop_disabled_fields_of_workload;
use crate::core::v1::pod_template::{
    self, convert_template, stored_selector_values, validate_pod_template_with, validate_restarts,
};
use crate::int_or_percent::{number, shown, validate_at_most_all, validate_int_or_percent};
use crate::kind::{Checks, Gate, Prepare, Request, STRICT_ADDRESSES, Served};
use crate::meta::{self, Scope};
use crate::names::label_value;
use crate::prepare::count_spec_changes;
use crate::report::{Covered, non_negative, not_supported, text};
use crate::selector::{SelectorValues, can_select, validate_label_selector};
use crate::strconv::parse_int;
use crate::typed_pair::TypedPair;
use crate::types::apps::v1::{DaemonSetStatus, DaemonSetUpdateStrategy};
use crate::types::core::v1::PodTemplateSpec;
use crate::types::meta::v1::{LabelSelector, ObjectMeta};
use crate::types::{Described, view};
use takeover_harness::error::{ErrorList, FieldError};
use takeover_harness::object::{Arena, Edit, Node, equal};
use takeover_harness::oracle::{Objects, OracleFailure};
use takeover_harness::pair::Delegated;
use takeover_harness::path::Path;

view! {
    /// A DaemonSet with what only its internal version has; the spec is empty or zero in what is left out.
    pub struct DaemonSet<'a> {
        "metadata" => metadata: ObjectMeta<'a>,
        "spec" => spec: DaemonSetSpec<'a>,
        "status" => status: DaemonSetStatus<'a>,
    }
}

impl<'a> Described<'a> for DaemonSet<'a> {
    fn metadata(&self) -> &ObjectMeta<'a> {
        &self.metadata
    }
}

view! {
    struct DaemonSetSpec<'a> {
        "selector" => selector: Option<&'a LabelSelector<'a>>,
        "template" => template: PodTemplateSpec<'a>,
        "updateStrategy" => update_strategy: DaemonSetUpdateStrategy<'a>,
        "minReadySeconds" => min_ready_seconds: i32,
        "revisionHistoryLimit" => revision_history_limit: Option<i32>,
        ;
        template_generation: i64,
        /// Whether the request changes the template.
        template_changes: bool,
    }
}

/// Judges DaemonSets as a Kubernetes 1.36 server does.
#[derive(Clone, Copy, Debug)]
pub struct DaemonSets;

impl Served for DaemonSets {
    type Kind = Self;

    const DEFAULTS: Option<fn(&mut Edit<'_>)> = Some(default_daemon_set);
    const PREPARE: Option<Prepare> = Some(prepare);
    const CONVERT: Option<fn(&mut Edit<'_>)> = Some(convert);

    fn objects<'a>(objects: &Objects<'a>, arena: &'a Arena) -> Result<TypedPair<DaemonSet<'a>>, OracleFailure> {
        let template_changes = spec_changes(objects, "template");
        TypedPair::<DaemonSet<'a>>::of(objects, arena)?.try_map(|mut set| {
            if let Some(generation) = take(&mut set.metadata, TEMPLATE_GENERATION, arena) {
                set.spec.template_generation = parse_int(generation).map_err(OracleFailure::new)?;
            }
            set.spec.template_changes = template_changes;
            Ok(set)
        })
    }
}

fn default_daemon_set(set: &mut Edit<'_>) {
    set.edit("spec", |spec| {
        spec.edit("updateStrategy", |strategy| {
            strategy.set_default_text("type", "RollingUpdate");
            if strategy.text("type") == "RollingUpdate" {
                strategy.edit("rollingUpdate", |update| {
                    update.set_default("maxUnavailable", Node::Int(1));
                    update.set_default("maxSurge", Node::Int(0));
                });
            }
        });
        spec.set_default("revisionHistoryLimit", Node::Int(10));
        spec.edit("template", |template| template.edit_alone("spec", default_pod_spec));
    });
}

/// Every set comes back with its number of templates.
fn convert(set: &mut Edit<'_>) {
    set.edit_if_set("spec", |spec| spec.edit_if_set("template", convert_template));
    match annotation(set, TEMPLATE_GENERATION).map(parse_int) {
        None => annotate_number(set, TEMPLATE_GENERATION, 0),
        Some(Ok(generation)) => annotate_number(set, TEMPLATE_GENERATION, generation),
        Some(Err(_)) => {}
    }
}

/// A new set has no status yet, and only `/status` changes it later. The server numbers templates by itself.
fn prepare<'a>(new: &mut Edit<'a>, old: Option<&Edit<'a>>, subresource: &str) {
    match old {
        None => new.clear("status"),
        Some(old) if subresource.is_empty() => new.copy("status", old),
        Some(old) => new.copy("spec", old),
    }
    drop_disabled_fields_of_workload(new, old);
    // A text that is no number is an error, which is not to be hidden.
    let submitted = annotation(new, TEMPLATE_GENERATION).map(parse_int);
    match (submitted, old) {
        (Some(Err(_)), _) => {}
        (Some(Ok(1..)), None) => {}
        (_, None) => annotate_number(new, TEMPLATE_GENERATION, 1),
        (_, Some(old)) => {
            let value = |set: &Edit<'a>| set.inside("spec").map_or(Node::Unset, |spec| spec.get("template"));
            if equal(&value(new), &value(old)) {
                annotate(new, TEMPLATE_GENERATION, annotation(old, TEMPLATE_GENERATION));
            } else if let Some(generation) = annotated(old, TEMPLATE_GENERATION) {
                annotate_number(new, TEMPLATE_GENERATION, generation.wrapping_add(1));
            }
        }
    }
    count_spec_changes(new, old, subresource);
}

impl Checks for DaemonSets {
    type Object<'a> = DaemonSet<'a>;

    const SCOPE: Scope = Scope::Namespaced;
    const GATES: &'static [Gate] = &[STRICT_ADDRESSES];
    const SUBRESOURCES: &'static [&'static str] = &["status"];

    fn create(new: &DaemonSet, request: &Request<'_>, errors: &mut ErrorList) {
        meta::validate_create(&new.metadata, Self::SCOPE, NAME, &Path::ROOT.child("metadata"), errors);
        validate_spec(&new.spec, None, request, errors);
    }

    fn update(new: &DaemonSet, old: &DaemonSet, request: &Request<'_>, errors: &mut ErrorList) {
        meta::validate_update(&new.metadata, &old.metadata, &Path::ROOT.child("metadata"), errors);
        if request.subresource.is_empty() {
            validate_change(&new.spec, &old.spec, errors);
            validate_spec(&new.spec, Some(&old.spec), request, errors);
        } else {
            validate_status(&new.status, &old.status, errors);
        }
    }

    fn delegated() -> Vec<Delegated> {
        pod_template::delegated("spec.template")
    }
}

/// The number of templates grows with every one, and with nothing else.
fn validate_change(new: &DaemonSetSpec, old: &DaemonSetSpec, errors: &mut ErrorList) {
    let path = Path::ROOT.child("spec");
    let (generation, before) = (new.template_generation, old.template_generation);
    let mut wrong = |detail: &'static str| {
        errors.push(FieldError::invalid(&path.child("templateGeneration"), generation, detail));
    };
    if generation < before {
        wrong("must not be decremented");
    }
    if generation == before && new.template_changes {
        wrong("must be incremented upon template update");
    } else if generation > before && !new.template_changes {
        wrong("must not be incremented without template update");
    }
    validate_same_selector(new.selector, old.selector, &path.child("selector"), errors);
}

/// Bad values stay possible in the selector and in those of pod affinity where one of them is stored with such.
fn tolerated_values(old: Option<&DaemonSetSpec>) -> SelectorValues {
    let requirements = old.and_then(|old| old.selector?.match_expressions).unwrap_or_default();
    let mut values = requirements.iter().flat_map(|requirement| requirement.values.unwrap_or_default());
    if values.any(|value| !label_value(value).is_empty()) {
        return SelectorValues::Tolerated;
    }
    stored_selector_values(old.map(|old| &old.template))
}

fn validate_spec(spec: &DaemonSetSpec, old: Option<&DaemonSetSpec>, request: &Request<'_>, errors: &mut ErrorList) {
    let path = Path::ROOT.child("spec");
    let values = tolerated_values(old);
    let selector = spec.selector;
    let at = path.child("selector");
    validate_label_selector(selector, values, &at, errors);
    let template = path.child("template");
    if selector.is_none_or(can_select) {
        validate_match(selector, &spec.template, &template, errors);
    }
    if let Some(selector) = selector {
        validate_not_empty(selector, "empty selector is invalid for daemonset", &at, errors);
    }
    let stored = old.map(|old| &old.template);
    validate_pod_template_with(&spec.template, stored, values, request, &template, errors);
    validate_restarts(&spec.template, "DaemonSet", &template, errors);
    non_negative(spec.min_ready_seconds.into(), &path.child("minReadySeconds"), Covered::No, errors);
    non_negative(spec.template_generation, &path.child("templateGeneration"), Covered::No, errors);
    validate_strategy(&spec.update_strategy, &path.child("updateStrategy"), errors);
    if let Some(limit) = spec.revision_history_limit {
        non_negative(limit.into(), &path.child("revisionHistoryLimit"), Covered::No, errors);
    }
}

fn validate_strategy(strategy: &DaemonSetUpdateStrategy, path: &Path<'_>, errors: &mut ErrorList) {
    let at = path.child("rollingUpdate");
    let update = strategy.rolling_update.map(|update| Bounds::new(update.max_unavailable, update.max_surge));
    match (text(strategy.type_), update) {
        ("OnDelete", _) => {}
        ("RollingUpdate", Some(update)) => validate_rolling_update(update, &at, errors),
        ("RollingUpdate", None) => errors.push(FieldError::required(&at, "")),
        _ => errors.push(not_supported(path, strategy_form(strategy.type_, update), &["RollingUpdate", "OnDelete"])),
    }
}

/// Pods are replaced before or after their successors are there.
fn validate_rolling_update(bounds: Bounds<'_>, path: &Path<'_>, errors: &mut ErrorList) {
    let Bounds { unavailable, surge } = bounds;
    let (first, second) = (path.child("maxUnavailable"), path.child("maxSurge"));
    validate_int_or_percent(&unavailable, &first, errors);
    validate_int_or_percent(&surge, &second, errors);
    validate_at_most_all(&unavailable, &first, errors);
    validate_at_most_all(&surge, &second, errors);
    match (number(&unavailable) != 0, number(&surge) != 0) {
        (true, true) => {
            errors.push(FieldError::invalid(&second, shown(&surge), "may not be set when maxUnavailable is non-zero"));
        }
        (false, false) => errors.push(FieldError::required(&first, "cannot be 0 when maxSurge is 0")),
        _ => {}
    }
}

fn validate_status(new: &DaemonSetStatus, old: &DaemonSetStatus, errors: &mut ErrorList) {
    let path = Path::ROOT.child("status");
    let numbers = counters([
        ("currentNumberScheduled", Some(new.current_number_scheduled)),
        ("numberMisscheduled", Some(new.number_misscheduled)),
        ("desiredNumberScheduled", Some(new.desired_number_scheduled)),
        ("numberReady", Some(new.number_ready)),
        ("updatedNumberScheduled", new.updated_number_scheduled),
        ("numberAvailable", new.number_available),
        ("numberUnavailable", new.number_unavailable),
    ]);
    let optional = [
        new.observed_generation.map(|generation| ("observedGeneration", generation)),
        optional("collisionCount", new.collision_count),
    ];
    validate_counters(numbers.into_iter().chain(optional.into_iter().flatten()), &path, errors);
    validate_collisions(new.collision_count, old.collision_count, &path, errors);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rolling_update_without_bounds_is_refused() {
        let mut errors = ErrorList::new();
        let strategy = DaemonSetUpdateStrategy { type_: Some("RollingUpdate"), rolling_update: None };
        validate_strategy(&strategy, &Path::ROOT.child("updateStrategy"), &mut errors);
        let lines: Vec<String> = errors.iter().map(ToString::to_string).collect();
        assert_eq!(lines, ["updateStrategy.rollingUpdate: Required value"]);
    }
}
