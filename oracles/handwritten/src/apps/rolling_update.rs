//! How far the pods of a workload may be off while they are replaced.

use crate::int_or_percent::shown;
use crate::report::text;
use crate::types::IntOrString;
use takeover_harness::error::BadValue;

/// The bounds of a rolling update. The server's internal version has zero for one that is not there.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bounds<'a> {
    pub(super) unavailable: IntOrString<'a>,
    pub(super) surge: IntOrString<'a>,
}

impl<'a> Bounds<'a> {
    pub(super) fn new(unavailable: Option<IntOrString<'a>>, surge: Option<IntOrString<'a>>) -> Self {
        Self { unavailable: unavailable.unwrap_or_default(), surge: surge.unwrap_or_default() }
    }
}

/// A strategy as errors show it: in the internal version, whose members have no JSON names.
pub(super) fn strategy_form(name: Option<&str>, update: Option<Bounds<'_>>) -> BadValue {
    let update = update.map(|Bounds { unavailable, surge }| {
        BadValue::Struct(vec![("MaxUnavailable", shown(&unavailable)), ("MaxSurge", shown(&surge))])
    });
    BadValue::Struct(vec![("Type", text(name).into()), ("RollingUpdate", update.into())])
}
