//! Members of pod templates behind gates that are off by default: a server forgets them, unless the stored template has some.

use takeover_harness::object::Edit;

/// Lists of containers in a pod spec.
const CONTAINERS: [&str; 3] = ["initContainers", "containers", "ephemeralContainers"];

/// Forgets such members of the template in the spec of a workload.
pub fn drop_disabled_fields_of_workload<'a>(new: &mut Edit<'a>, old: Option<&Edit<'a>>) {
    let stored = old.and_then(|old| old.inside("spec")?.inside("template"));
    new.edit_if_set("spec", |spec| {
        spec.edit_if_set("template", |template| drop_disabled_fields(template, stored.as_ref()));
    });
}

/// Forgets such members of a template; `old` is the stored template on updates.
pub fn drop_disabled_fields<'a>(template: &mut Edit<'a>, old: Option<&Edit<'a>>) {
    // The stored template loses nothing.
    if old.is_some_and(|old| template.is_shared(old)) {
        return;
    }
    let stored = old.and_then(|old| old.inside("spec"));
    let is_stored = |used: &dyn Fn(&Edit<'_>) -> bool| stored.as_ref().is_some_and(used);
    template.edit_if_set("spec", |spec| {
        for source in ["clusterTrustBundle", "podCertificate"] {
            if projects(spec, source) && !is_stored(&|stored| projects(stored, source)) {
                spec.edit_each("volumes", |volume| {
                    volume.edit_if_set("projected", |projected| {
                        projected.edit_each("sources", |sources| sources.clear(source));
                    });
                });
            }
        }
        if !is_stored(&|stored| !stored.get("schedulingGroup").is_unset()) {
            spec.clear("schedulingGroup");
        }
        if has_stop_signal(spec) && !is_stored(&has_stop_signal) {
            for list in CONTAINERS {
                spec.edit_each(list, drop_stop_signal);
            }
        }
    });
}

/// Whether a volume of the pod has a source of this sort among others.
fn projects(spec: &Edit<'_>, source: &str) -> bool {
    let projected = spec.elements("volumes").filter_map(|volume| volume.inside("projected"));
    projected.flat_map(|projected| projected.elements("sources")).any(|sources| !sources.get(source).is_unset())
}

fn has_stop_signal(spec: &Edit<'_>) -> bool {
    let mut containers = CONTAINERS.iter().flat_map(|list| spec.elements(list));
    containers
        .any(|container| container.inside("lifecycle").is_some_and(|lifecycle| !lifecycle.get("stopSignal").is_unset()))
}

/// A lifecycle of nothing else goes with its signal.
fn drop_stop_signal(container: &mut Edit<'_>) {
    let Some(lifecycle) = container.inside("lifecycle").filter(|lifecycle| !lifecycle.get("stopSignal").is_unset())
    else {
        return;
    };
    if lifecycle.sets_more_than(&["stopSignal"]) {
        container.edit_if_set("lifecycle", |lifecycle| lifecycle.clear("stopSignal"));
    } else {
        container.clear("lifecycle");
    }
}
