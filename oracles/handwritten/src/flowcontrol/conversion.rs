//! Older versions of PriorityLevelConfiguration, judged in the form of `v1`.
//!
//! `v1beta3` differs in how zero shares are told from unset ones; in `v1beta1` and `v1beta2` the shares of limited levels have
//! another name, which is that of errors about them too.

use super::defaults::{KEEP_ZERO_SHARES, default_level_v1beta2, default_level_v1beta3};
use super::priority_level::{PriorityLevels, SHARES, prepare};
use crate::kind::{Prepare, Served};
use k8s_openapi::api::flowcontrol::v1::PriorityLevelConfiguration;
use serde::Deserialize;
use takeover_harness::object::Edit;
use takeover_harness::oracle::{Objects, OracleFailure, TypedPair};

/// PriorityLevelConfigurations as `v1beta3` has them.
#[derive(Clone, Copy, Debug)]
pub struct PriorityLevelsV1Beta3;

impl Served for PriorityLevelsV1Beta3 {
    type Kind = PriorityLevels;

    const DEFAULTS: Option<fn(&mut Edit<'_>)> = Some(default_level_v1beta3);
    const PREPARE: Option<Prepare> = Some(prepare);

    fn objects(objects: &Objects<'_>) -> Result<TypedPair<PriorityLevelConfiguration>, OracleFailure> {
        Ok(TypedPair::<PriorityLevelConfiguration>::of(objects)?.map(|mut level| {
            if let Some(annotations) = &mut level.metadata.annotations {
                annotations.remove(KEEP_ZERO_SHARES);
            }
            level
        }))
    }
}

/// PriorityLevelConfigurations as `v1beta1` and `v1beta2` have them.
#[derive(Clone, Copy, Debug)]
pub struct PriorityLevelsV1Beta2;

impl Served for PriorityLevelsV1Beta2 {
    type Kind = PriorityLevels;

    const DEFAULTS: Option<fn(&mut Edit<'_>)> = Some(default_level_v1beta2);
    const PREPARE: Option<Prepare> = Some(prepare);
    const RENAMED: &'static [(&'static str, &'static str)] = &[(SHARES, "assuredConcurrencyShares")];

    fn objects(objects: &Objects<'_>) -> Result<TypedPair<PriorityLevelConfiguration>, OracleFailure> {
        TypedPair::made(objects, |object| {
            let mut level = objects.typed(object)?;
            objects.typed::<Level>(object)?.name_shares(&mut level);
            Ok(level)
        })
    }
}

/// What these versions call differently.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Level {
    spec: Spec,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Spec {
    limited: Option<Limited>,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Limited {
    assured_concurrency_shares: i32,
}

impl Level {
    fn name_shares(&self, level: &mut PriorityLevelConfiguration) {
        let limited = level.spec.as_mut().and_then(|spec| spec.limited.as_mut());
        if let (Some(named), Some(limited)) = (&self.spec.limited, limited) {
            limited.nominal_concurrency_shares = Some(named.assured_concurrency_shares);
        }
    }
}
