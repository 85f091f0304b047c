//! `autoscaling/v1` Scale, the body of `/scale`.

use crate::kind::{Checks, Request, Served};
use crate::meta::{self, NameRule, Scope};
use crate::names::{dns_subdomain_start, subdomain_name};
use crate::report::{Covered, non_negative};
use crate::types::autoscaling::v1::Scale;
use takeover_harness::error::ErrorList;
use takeover_harness::path::Path;

/// Judges Scales, which exist as a subresource of workloads alone. What is stored is the workload: its kind judges the change.
#[derive(Clone, Copy, Debug)]
pub struct Scales;

impl Served for Scales {
    type Kind = Self;
}

impl Checks for Scales {
    type Object<'a> = Scale<'a>;

    const SCOPE: Scope = Scope::Namespaced;
    const MAIN: bool = false;
    const SUBRESOURCES: &'static [&'static str] = &["scale"];

    fn create(new: &Scale, _: &Request<'_>, errors: &mut ErrorList) {
        let name = NameRule::Plain { name: subdomain_name, start: dns_subdomain_start };
        meta::validate_create(&new.metadata, Self::SCOPE, name, &Path::ROOT.child("metadata"), errors);
        let replicas = new.spec.and_then(|spec| spec.replicas).unwrap_or(0);
        non_negative(replicas.into(), &Path::ROOT.child("spec").child("replicas"), Covered::Yes, errors);
    }

    fn update(new: &Scale, _: &Scale, request: &Request<'_>, errors: &mut ErrorList) {
        Self::create(new, request, errors);
    }
}
