//! The fields that typed clients send although nobody set them.

use super::generate::ApplyError;
use crate::catalogue::has_go_types;
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use takeover_apply::configuration::zeroes::{TagOptions, Zero, ZeroOf, zeroes};
use takeover_harness::schema::TypeId;
use takeover_oracles::registry::Registry;

/// The fields of Go types that are sent unset.
#[derive(Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ZeroFields {
    /// Kinds that were read.
    pub kinds: usize,
    /// Fields by their kind of type.
    pub counts: BTreeMap<String, ZeroCount>,
    /// Every field.
    pub fields: Vec<ZeroField>,
}

/// How many fields there are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ZeroCount {
    /// Those without `omitempty`.
    pub without_omitempty: usize,
    /// Those with `omitempty`, which does nothing for their type.
    pub with_omitempty: usize,
}

/// A field that is sent unset.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ZeroField {
    /// Full name of its struct.
    #[serde(rename = "struct")]
    pub owner: String,
    /// Its JSON name.
    pub field: String,
    /// Its Go type.
    pub go_type: String,
    /// The kind of its type: `integer`, `boolean`, `float`, `string`, `struct`, `time or raw JSON`, `list or map`, `pointer`.
    pub of: String,
    /// What is sent, as JSON.
    pub sent: &'static str,
    /// Whether it has `omitempty`, which does nothing for its type.
    pub omitempty: bool,
}

impl ZeroFields {
    /// The counts, in the order of reports, without kinds that do not occur.
    pub fn rows(&self) -> impl Iterator<Item = (ZeroOf, ZeroCount)> {
        ZeroOf::ALL.into_iter().filter_map(|of| Some((of, *self.counts.get(&of.to_string())?)))
    }

    fn add(&mut self, place: &Path) -> Result<(), ApplyError> {
        if let Err(error) = std::fs::metadata(place) {
            return Err(ApplyError::Types { place: place.display().to_string(), reason: error.to_string() });
        }
        if !has_go_types(place) {
            return Err(ApplyError::NoGo(place.display().to_string()));
        }
        let in_place = |error| ApplyError::Go { place: place.display().to_string(), error };
        let registry = Registry::of_module(place).map_err(in_place)?;
        let roots: Vec<TypeId> = registry.applicable(registry.kinds()).map(|kind| kind.root).collect();
        self.kinds += roots.len();
        let options = |ty: TypeId, at: usize| {
            let info = registry.idl().field(ty, at);
            info.map_or_else(TagOptions::default, |info| TagOptions { omit_zero: info.omit_zero, quoted: info.quoted })
        };
        for zero in zeroes(registry.schema(), &roots, &options) {
            let count = self.counts.entry(zero.of.to_string()).or_default();
            *(if zero.omit_empty { &mut count.with_omitempty } else { &mut count.without_omitempty }) += 1;
            self.fields.push(zero.into());
        }
        Ok(())
    }
}

impl From<Zero> for ZeroField {
    fn from(zero: Zero) -> Self {
        let Zero { owner, field, go_type, of, sent, omit_empty: omitempty } = zero;
        Self { owner, field, go_type, of: of.to_string(), sent, omitempty }
    }
}

/// The fields of the Go types at `places` that are sent unset.
///
/// # Errors
/// Returns an error when a place cannot be read or has no Go types.
pub fn zero_fields(places: &[PathBuf]) -> Result<ZeroFields, ApplyError> {
    let mut found = ZeroFields::default();
    places.iter().try_for_each(|place| found.add(place))?;
    Ok(found)
}
