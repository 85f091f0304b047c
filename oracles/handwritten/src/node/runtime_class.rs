//! RuntimeClass.

use crate::core::v1::resources::{Pages, validate_limits};
use crate::core::v1::tolerations::{Comparisons, validate_tolerations};
use crate::kind::{Checks, Request, Served};
use crate::labels::validate_labels;
use crate::meta::{self, NameRule, Scope};
use crate::names::{dns_label, dns_subdomain_start, subdomain_name};
use crate::report::{IMMUTABLE, text};
use crate::typed_pair::TypedPair;
use crate::types::core::v1::Toleration;
use crate::types::meta::v1::ObjectMeta;
use crate::types::node::v1::{Overhead, RuntimeClass, Scheduling};
use crate::types::view;
use std::collections::BTreeSet;
use takeover_harness::error::{BadValue, ErrorList, FieldError};
use takeover_harness::object::Arena;
use takeover_harness::oracle::{Objects, OracleFailure};
use takeover_harness::path::Path;

/// RuntimeClasses in the shape of `v1` and `v1beta1`.
#[derive(Clone, Copy, Debug)]
pub struct RuntimeClasses;

/// RuntimeClasses in the shape of `v1alpha1`, which has a spec.
#[derive(Clone, Copy, Debug)]
pub struct RuntimeClassesV1alpha1;

const NAME: NameRule = NameRule::Plain { name: subdomain_name, start: dns_subdomain_start };

impl Served for RuntimeClasses {
    type Kind = Self;
}

impl Served for RuntimeClassesV1alpha1 {
    type Kind = RuntimeClasses;

    const NORMALIZATION: &'static [(&'static str, &'static str)] = &[(r"^spec\.runtimeHandler(.*)$", "handler$1")];

    fn objects<'a>(objects: &Objects<'a>, arena: &'a Arena) -> Result<TypedPair<RuntimeClass<'a>>, OracleFailure> {
        Ok(TypedPair::<V1alpha1>::of(objects, arena)?.map(Into::into))
    }
}

view! {
    struct V1alpha1<'a> {
        "metadata" => metadata: ObjectMeta<'a>,
        "spec" => spec: Spec<'a>,
    }
}

view! {
    struct Spec<'a> {
        "runtimeHandler" => runtime_handler: &'a str,
        "overhead" => overhead: Option<&'a Overhead<'a>>,
        "scheduling" => scheduling: Option<&'a Scheduling<'a>>,
    }
}

impl<'a> From<V1alpha1<'a>> for RuntimeClass<'a> {
    fn from(V1alpha1 { metadata, spec }: V1alpha1<'a>) -> Self {
        let Spec { runtime_handler: handler, overhead, scheduling } = spec;
        Self { metadata, handler, overhead, scheduling }
    }
}

impl Checks for RuntimeClasses {
    type Object<'a> = RuntimeClass<'a>;

    const SCOPE: Scope = Scope::Cluster;
    const UNCONDITIONAL_UPDATE: bool = false;

    fn create(new: &RuntimeClass, _: &Request<'_>, errors: &mut ErrorList) {
        meta::validate_any_create(&new.metadata, Self::SCOPE, NAME, &Path::ROOT.child("metadata"), errors);
        validate_handler(new.handler, errors);
        if let Some(limits) = new.overhead.and_then(|overhead| overhead.pod_fixed.as_ref()) {
            validate_limits(limits, Pages::Whole, &Path::ROOT.child("overhead"), errors);
        }
        if let Some(scheduling) = new.scheduling {
            let path = Path::ROOT.child("scheduling");
            validate_labels(scheduling.node_selector.as_ref(), &path.child("nodeSelector"), errors);
            let tolerations = scheduling.tolerations.unwrap_or_default();
            validate_distinct_tolerations(tolerations, &path.child("tolerations"), errors);
        }
    }

    /// Everything that a new class must be, a changed one must be too.
    fn update(new: &RuntimeClass, old: &RuntimeClass, request: &Request<'_>, errors: &mut ErrorList) {
        Self::create(new, request, errors);
        meta::validate_any_update(&new.metadata, &old.metadata, &Path::ROOT.child("metadata"), errors);
        if new.handler != old.handler {
            let error = FieldError::invalid(&Path::ROOT.child("handler"), new.handler, IMMUTABLE);
            errors.push(error.with_origin("immutable").covered());
        }
    }
}

fn validate_handler(handler: &str, errors: &mut ErrorList) {
    let path = Path::ROOT.child("handler");
    if handler.is_empty() {
        errors.push(FieldError::required(&path, "").covered());
        return;
    }
    for problem in dns_label(handler) {
        errors.push(FieldError::invalid(&path, handler, problem).with_origin("format=k8s-short-name").covered());
    }
}

/// Tolerations that differ in their seconds alone are the same.
fn validate_distinct_tolerations(tolerations: &[Toleration], path: &Path<'_>, errors: &mut ErrorList) {
    validate_tolerations(tolerations, Comparisons::Refused, path, errors);
    let mut seen = BTreeSet::new();
    for (index, toleration) in tolerations.iter().enumerate() {
        let (key, operator) = (text(toleration.key), text(toleration.operator));
        let (value, effect) = (text(toleration.value), text(toleration.effect));
        if !seen.insert((key, operator, value, effect)) {
            // Kubernetes shows its internal struct, which has Go's names.
            let shown = BadValue::Struct(vec![
                ("Key", key.into()),
                ("Operator", operator.into()),
                ("Value", value.into()),
                ("Effect", effect.into()),
                ("TolerationSeconds", toleration.toleration_seconds.into()),
            ]);
            errors.push(FieldError::duplicate(&path.index(index), shown));
        }
    }
}
