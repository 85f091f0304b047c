//! `v1` PodTemplate.

use super::defaults::default_pod_spec;
use super::disabled_fields::drop_disabled_fields;
use super::pod_template::{self, convert_template, validate_pod_template};
use crate::kind::{Checks, Gate, Prepare, Request, STRICT_ADDRESSES, Served};
use crate::meta::{self, NameRule, Scope};
use crate::names::{dns_subdomain_start, subdomain_name};
use crate::prepare::count;
use crate::types::core::v1::{PodTemplate, PodTemplateSpec};
use takeover_harness::error::ErrorList;
use takeover_harness::object::{Edit, equal};
use takeover_harness::pair::Delegated;
use takeover_harness::path::Path;

/// How templates are named: as pods are.
const NAME: NameRule = NameRule::Plain { name: subdomain_name, start: dns_subdomain_start };

/// Judges PodTemplates as a Kubernetes 1.36 server does.
#[derive(Clone, Copy, Debug)]
pub struct PodTemplates;

impl Served for PodTemplates {
    type Kind = Self;

    const DEFAULTS: Option<fn(&mut Edit<'_>)> =
        Some(|object| object.edit("template", |template| template.edit_alone("spec", default_pod_spec)));
    const PREPARE: Option<Prepare> = Some(|new, old, _| {
        let stored = old.and_then(|old| old.inside("template"));
        new.edit_if_set("template", |template| drop_disabled_fields(template, stored.as_ref()));
        let changed = old.is_some_and(|old| !equal(&new.get("template"), &old.get("template")));
        count(new, old, changed);
    });
    const CONVERT: Option<fn(&mut Edit<'_>)> = Some(|object| object.edit_if_set("template", convert_template));
}

impl Checks for PodTemplates {
    type Object<'a> = PodTemplate<'a>;

    const SCOPE: Scope = Scope::Namespaced;
    const GATES: &'static [Gate] = &[STRICT_ADDRESSES];

    fn create(new: &PodTemplate, request: &Request<'_>, errors: &mut ErrorList) {
        meta::validate_create(&new.metadata, Self::SCOPE, NAME, &Path::ROOT.child("metadata"), errors);
        validate_template(new, None, request, errors);
    }

    fn update(new: &PodTemplate, old: &PodTemplate, request: &Request<'_>, errors: &mut ErrorList) {
        meta::validate_update(&new.metadata, &old.metadata, &Path::ROOT.child("metadata"), errors);
        validate_template(new, Some(old), request, errors);
    }

    fn delegated() -> Vec<Delegated> {
        pod_template::delegated("template")
    }
}

fn validate_template(new: &PodTemplate, old: Option<&PodTemplate>, request: &Request<'_>, errors: &mut ErrorList) {
    let none = PodTemplateSpec::default();
    let template = new.template.unwrap_or(&none);
    let old = old.and_then(|old| old.template);
    validate_pod_template(template, old, request, &Path::ROOT.child("template"), errors);
}
