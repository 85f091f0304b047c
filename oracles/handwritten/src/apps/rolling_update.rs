//! How far the pods of a workload may be off while they are replaced.

use crate::int_or_percent::shown;
use crate::report::text;
use k8s_openapi::apimachinery::pkg::util::intstr::IntOrString;
use takeover_harness::error::BadValue;

const ZERO: IntOrString = IntOrString::Int(0);

/// The bounds of a rolling update. The server's internal version has zero for one that is not there.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bounds<'a> {
    pub(super) unavailable: &'a IntOrString,
    pub(super) surge: &'a IntOrString,
}

impl<'a> Bounds<'a> {
    pub(super) fn new(unavailable: Option<&'a IntOrString>, surge: Option<&'a IntOrString>) -> Self {
        Self { unavailable: unavailable.unwrap_or(&ZERO), surge: surge.unwrap_or(&ZERO) }
    }
}

/// A strategy as errors show it: in the internal version, whose members have no JSON names.
pub(super) fn strategy_form(name: Option<&String>, update: Option<Bounds<'_>>) -> BadValue {
    let update = update.map(|Bounds { unavailable, surge }| {
        BadValue::Struct(vec![("MaxUnavailable", shown(unavailable)), ("MaxSurge", shown(surge))])
    });
    BadValue::Struct(vec![("Type", text(name).into()), ("RollingUpdate", update.into())])
}
