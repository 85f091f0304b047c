//! Amounts of resources that containers may have.

use crate::names::{cut, label_key};
use crate::quantity::{bad_value, canonical, is_integer, sign, whole};
use crate::report::NEGATIVE;
use crate::types::Map;
use crate::types::Quantity;
use takeover_harness::error::{ErrorList, FieldError};
use takeover_harness::path::Path;

/// What names of huge pages start with.
pub(super) const HUGE_PAGES: &str = "hugepages-";
/// Resources that every container has.
const COMPUTE: [&str; 3] = ["cpu", "memory", "ephemeral-storage"];
/// Resources that are counted, in quotas.
const COUNTED: [&str; 9] = [
    "pods",
    "resourcequotas",
    "services",
    "replicationcontrollers",
    "secrets",
    "configmaps",
    "persistentvolumeclaims",
    "services.nodeports",
    "services.loadbalancers",
];
/// Resources that are measured, in quotas alone.
const QUOTA: [&str; 8] = [
    "requests.cpu",
    "requests.memory",
    "requests.ephemeral-storage",
    "limits.cpu",
    "limits.memory",
    "limits.ephemeral-storage",
    "storage",
    "requests.storage",
];

/// Whether amounts of huge pages must fill the pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pages {
    /// They must.
    Whole,
    /// They need not, as the stored object has such amounts already.
    Partial,
}

/// Whether this is an amount of huge pages that does not fill them.
#[must_use]
pub fn is_partial(name: &str, quantity: &Quantity) -> bool {
    name.strip_prefix(HUGE_PAGES).is_some_and(|size| !fills_pages(quantity, size))
}

/// Checks limits of a container, as what `path` holds under `limits`.
pub fn validate_limits(limits: &Map<'_, Quantity<'_>>, pages: Pages, path: &Path<'_>, errors: &mut ErrorList) {
    let at = path.child("limits");
    for (name, quantity) in limits {
        let at = at.key(name);
        validate_resource_name(name, "", &at, errors);
        validate_amount(name, quantity, pages, &at, errors);
    }
    let has = |wanted: fn(&str) -> bool| limits.keys().any(wanted);
    if has(|name| name.starts_with(HUGE_PAGES)) && !has(|name| matches!(name, "cpu" | "memory")) {
        errors.push(FieldError::forbidden(path, "HugePages require cpu or memory"));
    }
}

/// Checks the name of a resource of a container; `origin` is that of errors about its syntax.
pub fn validate_resource_name(name: &str, origin: &'static str, path: &Path<'_>, errors: &mut ErrorList) {
    let problems = label_key(name);
    let qualified = problems.is_empty();
    for problem in problems {
        errors.push(FieldError::invalid(path, name, problem).with_origin(origin));
    }
    let mut refuse = |detail: &'static str| errors.push(FieldError::invalid(path, name, detail));
    if cut(name, b'/').is_some() {
        if !is_native(name) && !is_extended(name) {
            refuse("doesn't follow extended resource name standard");
        }
        return;
    }
    if qualified && !is_standard(name) {
        refuse("must be a standard resource type or fully qualified");
    }
    if !COMPUTE.contains(&name) && !name.starts_with(HUGE_PAGES) {
        refuse("must be a standard resource for containers");
    }
}

/// Checks the name of a resource of anything.
pub(super) fn validate_any_resource_name(name: &str, path: &Path<'_>, errors: &mut ErrorList) {
    let problems = label_key(name);
    if problems.is_empty() && cut(name, b'/').is_none() && !is_standard(name) {
        errors.push(FieldError::invalid(path, name, "must be a standard resource type or fully qualified"));
    }
    for problem in problems {
        errors.push(FieldError::invalid(path, name, problem));
    }
}

/// Whether Kubernetes itself knows a resource of this name.
pub(super) fn is_standard(name: &str) -> bool {
    let known = COMPUTE.contains(&name) || COUNTED.contains(&name) || QUOTA.contains(&name);
    known || name.starts_with(HUGE_PAGES) || name.starts_with("requests.hugepages-")
}

/// Whether no vendor's resource has this name.
pub(super) fn is_native(name: &str) -> bool {
    cut(name, b'/').is_none() || name.contains("kubernetes.io/")
}

/// Whether a vendor's resource has this name. It must still be a name when a quota limits requests of it.
fn is_extended(name: &str) -> bool {
    !is_native(name) && !name.starts_with("requests.") && label_key(&format!("requests.{name}")).is_empty()
}

/// Checks an amount of the resource `name`.
pub(super) fn validate_amount(name: &str, quantity: &Quantity, pages: Pages, path: &Path<'_>, errors: &mut ErrorList) {
    if sign(quantity).is_lt() {
        errors.push(FieldError::invalid(path, bad_value(quantity), NEGATIVE));
    }
    if (COUNTED.contains(&name) || is_extended(name)) && !is_integer(quantity) {
        errors.push(FieldError::invalid(path, bad_value(quantity), "must be an integer"));
    }
    if pages == Pages::Whole && is_partial(name, quantity) {
        let detail = format!("{} is not positive integer multiple of {name}", canonical(quantity));
        errors.push(FieldError::invalid(path, bad_value(quantity), detail));
    }
}

/// Whether the amount fills pages of this size.
fn fills_pages(amount: &Quantity, size: &str) -> bool {
    // Sizes are no JSON: nothing is left out around them.
    let Some(size) = Quantity::parse(size, false).ok().filter(|_| !size.contains(char::is_whitespace)) else {
        return false;
    };
    sign(&size).is_gt() && is_integer(&size) && whole(amount).checked_rem(whole(&size)) == Some(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::quantity::of_text;

    #[test]
    fn limits_are_checked_by_name_and_amount() {
        let standard = "must be a standard resource for containers";
        let vendor = "doesn't follow extended resource name standard";
        for (name, amount, expected) in [
            ("cpu", "100m", &[][..]),
            ("hugepages-2Mi", "4Mi", &[]),
            ("example.com/gpu", "2", &[]),
            ("a.kubernetes.io/x", "1m", &[]),
            ("memory", "-1", &[NEGATIVE]),
            ("pods", "1", &[standard]),
            ("pods", "1m", &[standard, "must be an integer"]),
            ("requests.cpu", "1", &[standard]),
            ("gpu", "1", &["must be a standard resource type or fully qualified", standard]),
            ("example.com/gpu", "1500m", &["must be an integer"]),
            ("example.com/gpu", "999999u", &[]),
            ("requests.a.b/gpu", "1", &[vendor]),
            ("hugepages-2Mi", "3Mi", &["3Mi is not positive integer multiple of hugepages-2Mi"]),
            ("hugepages-2Mi", "10E", &[]),
            ("hugepages-2Mi", "9E", &["9E is not positive integer multiple of hugepages-2Mi"]),
            ("pods", "1Ei", &[standard, "must be an integer"]),
            ("pods", "8Ei", &[standard]),
            ("pods", "10E", &[standard]),
            ("hugepages-x", "1", &["1 is not positive integer multiple of hugepages-x"]),
            ("hugepages-0", "1", &["1 is not positive integer multiple of hugepages-0"]),
            ("hugepages-1m", "1", &["1 is not positive integer multiple of hugepages-1m"]),
        ] {
            let limits = [("cpu", of_text("1")), (name, of_text(amount))];
            let mut errors = ErrorList::new();
            validate_limits(&Map::new(&limits), Pages::Whole, &Path::ROOT, &mut errors);
            let found: Vec<&str> = errors.iter().map(|error| error.detail.as_ref()).collect();
            assert_eq!(found, expected, "{name}: {amount}");
        }
    }

    #[test]
    fn a_size_with_a_space_around_it_is_none() {
        for (name, expected) in [("hugepages-2Mi", false), ("hugepages-2Mi ", true), ("hugepages- 2Mi", true)] {
            assert_eq!(is_partial(name, &of_text("4Mi")), expected, "{name:?}");
        }
    }

    #[test]
    fn huge_pages_need_a_processor_or_memory() {
        let limits = [("hugepages-2Mi", of_text("2Mi"))];
        let mut errors = ErrorList::new();
        validate_limits(&Map::new(&limits), Pages::Whole, &Path::ROOT.child("overhead"), &mut errors);
        let found: Vec<&str> = errors.iter().map(|error| error.field.as_str()).collect();
        assert_eq!(found, ["overhead"]);
    }
}
