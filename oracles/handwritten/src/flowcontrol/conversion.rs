//! Older versions of PriorityLevelConfiguration, judged in the form of `v1`.
//!
//! `v1beta3` differs in how zero shares are told from unset ones; in `v1beta1` and `v1beta2` the shares of limited levels have
//! another name, which is that of errors about them too.

use super::defaults::{KEEP_ZERO_SHARES, default_level_v1beta2, default_level_v1beta3};
use super::priority_level::{PriorityLevels, SHARES, prepare};
use crate::kind::{Prepare, Served};
use crate::labels::Labels;
use crate::typed_pair::TypedPair;
use crate::types::flowcontrol::v1::{
    ExemptPriorityLevelConfiguration, LimitResponse, LimitedPriorityLevelConfiguration, PriorityLevelConfiguration,
    PriorityLevelConfigurationSpec, PriorityLevelConfigurationStatus,
};
use crate::types::meta::v1::ObjectMeta;
use crate::types::view;
use takeover_harness::object::{Arena, Edit};
use takeover_harness::oracle::{Objects, OracleFailure};

/// PriorityLevelConfigurations as `v1beta3` has them.
#[derive(Clone, Copy, Debug)]
pub struct PriorityLevelsV1Beta3;

impl Served for PriorityLevelsV1Beta3 {
    type Kind = PriorityLevels;

    const DEFAULTS: Option<fn(&mut Edit<'_>)> = Some(default_level_v1beta3);
    const PREPARE: Option<Prepare> = Some(prepare);

    fn objects<'a>(
        objects: &Objects<'a>,
        arena: &'a Arena,
    ) -> Result<TypedPair<PriorityLevelConfiguration<'a>>, OracleFailure> {
        Ok(TypedPair::<PriorityLevelConfiguration>::of(objects, arena)?.map(|mut level| {
            level.metadata.annotations = level.metadata.annotations.map(|annotations| kept(annotations, arena));
            level
        }))
    }
}

/// Annotations without the one that stands for zero shares.
fn kept<'a>(annotations: Labels<'a>, arena: &'a Arena) -> Labels<'a> {
    annotations.filtered(arena, |name, _| name != KEEP_ZERO_SHARES)
}

/// PriorityLevelConfigurations as `v1beta1` and `v1beta2` have them.
#[derive(Clone, Copy, Debug)]
pub struct PriorityLevelsV1Beta2;

impl Served for PriorityLevelsV1Beta2 {
    type Kind = PriorityLevels;

    const DEFAULTS: Option<fn(&mut Edit<'_>)> = Some(default_level_v1beta2);
    const PREPARE: Option<Prepare> = Some(prepare);
    const RENAMED: &'static [(&'static str, &'static str)] = &[(SHARES, "assuredConcurrencyShares")];

    fn objects<'a>(
        objects: &Objects<'a>,
        arena: &'a Arena,
    ) -> Result<TypedPair<PriorityLevelConfiguration<'a>>, OracleFailure> {
        Ok(TypedPair::<Level>::of(objects, arena)?.map(|level| level.to_hub(arena)))
    }
}

view! {
    struct Level<'a> {
        "metadata" => metadata: ObjectMeta<'a>,
        "spec" => spec: Option<&'a Spec<'a>>,
        "status" => status: Option<&'a PriorityLevelConfigurationStatus<'a>>,
    }
}

view! {
    struct Spec<'a> {
        "type" => kind: &'a str,
        "limited" => limited: Option<&'a Limited<'a>>,
        "exempt" => exempt: Option<&'a ExemptPriorityLevelConfiguration>,
    }
}

view! {
    struct Limited<'a> {
        "assuredConcurrencyShares" => assured_concurrency_shares: i32,
        "limitResponse" => limit_response: Option<&'a LimitResponse<'a>>,
        "lendablePercent" => lendable_percent: Option<i32>,
        "borrowingLimitPercent" => borrowing_limit_percent: Option<i32>,
    }
}

impl<'a> Level<'a> {
    fn to_hub(self, arena: &'a Arena) -> PriorityLevelConfiguration<'a> {
        let spec = self.spec.map(|spec| &*arena.alloc(spec.to_hub(arena)));
        PriorityLevelConfiguration { metadata: self.metadata, spec, status: self.status }
    }
}

impl<'a> Spec<'a> {
    fn to_hub(self, arena: &'a Arena) -> PriorityLevelConfigurationSpec<'a> {
        let limited = self.limited.map(|limited| &*arena.alloc(limited.to_hub()));
        PriorityLevelConfigurationSpec { type_: self.kind, limited, exempt: self.exempt }
    }
}

impl<'a> Limited<'a> {
    fn to_hub(self) -> LimitedPriorityLevelConfiguration<'a> {
        LimitedPriorityLevelConfiguration {
            nominal_concurrency_shares: Some(self.assured_concurrency_shares),
            limit_response: self.limit_response,
            lendable_percent: self.lendable_percent,
            borrowing_limit_percent: self.borrowing_limit_percent,
        }
    }
}
