//! The laws of defaulting and of server-side apply, held against the objects of a CRD.

use super::error::CatalogueError;
use super::oracle::OracleDescription;
use super::oracle_sorts::LawsOf;
use super::pair::PairDescription;
use super::read_types::ReadTypes;
use super::sides::making_objects;
use super::types::Types;
use std::sync::Arc;
use takeover_apply::extract;
use takeover_apply::schema::of_crd;
use takeover_custom_resources::{CrdDefaults, CrdOracle, CustomKind, Scope};
use takeover_harness::form::Defaulter;
use takeover_harness::object::FieldValidation;
use takeover_harness::oracle::{Detail, Oracle};
use takeover_harness::pair::Pair;
use takeover_harness::rule::Rule;
use takeover_harness::side::Side;
use takeover_harness::subject::PairId;
use takeover_oracles::apply::{self, BuiltinType};
use takeover_oracles::defaults::{self, Asked, Sources};
use takeover_oracles::registry::Registry;

/// The pair of the laws, and what a server that serves the CRD of the candidate makes of objects.
///
/// # Errors
/// Returns an error when the candidate is no CRD, the CRD lacks the kind or cannot be read, or there is nothing to hold against the laws.
pub(super) fn pair(
    id: &PairId,
    description: &PairDescription,
    of: LawsOf,
    read: &ReadTypes,
) -> Result<Pair, CatalogueError> {
    let wrong = |reason: &str| CatalogueError::Oracle {
        pair: Box::new(id.clone()),
        side: Side::Candidate,
        reason: reason.to_owned(),
    };
    let OracleDescription::Crd(place) = &description.candidate else {
        return Err(wrong("`laws` hold for a `crd`: the built-in kinds and Go types have theirs with `--what`"));
    };
    if !id.subject.subresource.is_empty() {
        return Err(wrong("`laws` hold for whole objects, not for a subresource"));
    }
    let place = place.as_deref().or(description.types.as_deref());
    let place = place.ok_or_else(|| wrong("`crd` needs a CustomResourceDefinition: name it as `types`"))?;
    let kind = read.kind(place, id)?.custom.ok_or_else(|| wrong("the types are no CustomResourceDefinition"))?;
    let baseline: Vec<Rule> = kind.hints().to_vec();
    let validator = |kind: CustomKind| -> Result<Box<dyn Oracle>, CatalogueError> {
        Ok(Box::new(CrdOracle::new(kind, "").map_err(|error| wrong(&error.to_string()))?))
    };
    let made = match of {
        // Objects are judged with the defaults that they have, and without any.
        LawsOf::Defaults => of_defaults(id, &kind, validator(kind.without_defaults(|_| true))?)
            .ok_or_else(|| wrong("the schema has no defaults, so there is nothing to hold against the laws"))?,
        LawsOf::Apply => of_apply(id, &kind, validator((*kind).clone())?).map_err(|reason| wrong(&reason))?,
    };
    Ok(Pair { baseline, ..made })
}

/// The pair of the defaults that the reference sets, and those that the types declare: default by default, with the laws of defaulting.
///
/// # Errors
/// Returns an error when the reference does not answer with objects or cannot be asked, the types lack the kind, or neither side sets a
/// default.
pub(super) fn of_reference(
    id: &PairId,
    description: &PairDescription,
    of: LawsOf,
    (registry, read): (&Registry, &ReadTypes),
) -> Result<Pair, CatalogueError> {
    let wrong = |side: Side, reason: String| CatalogueError::Oracle { pair: Box::new(id.clone()), side, reason };
    let of_candidate = |reason: &str| wrong(Side::Candidate, reason.to_owned());
    if of != LawsOf::Defaults {
        return Err(of_candidate("`laws apply` is a reference, and its candidate a `crd`"));
    }
    if !id.subject.subresource.is_empty() {
        return Err(of_candidate("`laws` hold for whole objects, not for a subresource"));
    }
    let oracle = making_objects(&description.reference, &id.subject)
        .ok_or_else(|| of_candidate("`laws defaults` hold for an `exec`, `webhook` or `server` as the reference"))?
        .map_err(|reason| wrong(Side::Reference, reason))?;
    if oracle.precision().detail != Detail::Object {
        return Err(wrong(Side::Reference, "does not answer with objects, so it sets no defaults".to_owned()));
    }
    let kind = match &description.types {
        Some(place) => read.kind_with_defaults(place, id)?,
        None => {
            Types::without_rules(registry, &id.subject).ok_or_else(|| CatalogueError::NoTypes(id.subject.clone()))?
        }
    };
    let validator = match &kind.custom {
        Some(custom) => {
            let judge = CrdOracle::new(custom.without_defaults(|_| true), "");
            Some(Box::new(judge.map_err(|error| of_candidate(&error.to_string()))?) as Box<dyn Oracle>)
        }
        None => {
            let rules = kind.declared.filter(|declared| !declared.rules().is_empty());
            rules.map(|declared| Box::new(declared) as Box<dyn Oracle>)
        }
    };
    let nulls = Arc::new(kind.custom.as_ref().map(|kind| kind.nullable()).unwrap_or_default());
    let markers = match &kind.custom {
        // A schema tells null from absence.
        Some(custom) if kind.defaulter.is_some() => {
            Some(Box::new(Asked::new(Box::new(CrdDefaults::of(custom)), &nulls)) as Box<dyn Defaulter>)
        }
        _ => kind.defaulter,
    };
    let sources = Sources {
        code: Some(Box::new(Asked::new(oracle, &nulls))),
        markers,
        nulls: Some(nulls),
        items: kind.items,
        validator,
        is_dear: matches!(description.reference, OracleDescription::Server(_)),
        ..Sources::default()
    };
    let made = defaults::pair(id.clone(), &kind.schema, kind.root, sources);
    let mut made = made.ok_or_else(|| of_candidate("neither side sets a default"))?;
    if !kind.hints.is_empty() {
        // What is known beside the rules would stand for them otherwise.
        let rules = if made.baseline.is_empty() { made.rules.clone() } else { std::mem::take(&mut made.baseline) };
        made.baseline = rules.into_iter().chain(kind.hints).collect();
    }
    Ok(made)
}

fn of_defaults(id: &PairId, kind: &CustomKind, validator: Box<dyn Oracle>) -> Option<Pair> {
    let sources = Sources { validator: Some(validator), ..crd_defaults(kind) };
    defaults::pair(id.clone(), &kind.schema, kind.root, sources)
}

/// What a server that serves a CRD sets in its objects, and set before some of the defaults existed.
#[must_use]
pub fn crd_defaults(kind: &CustomKind) -> Sources {
    let defaulter = |kind: &CustomKind| kind.form(FieldValidation::Warn).defaulter;
    // What was stored before one half of the defaults existed, or the other.
    let earlier = [0, 1].iter().filter_map(|half| defaulter(&kind.without_defaults(|at| at % 2 == *half))).collect();
    Sources { markers: defaulter(kind), earlier, ..Sources::default() }
}

fn of_apply(id: &PairId, kind: &CustomKind, validator: Box<dyn Oracle>) -> Result<Pair, String> {
    let merging = of_crd(&kind.written).map_err(|error| error.to_string())?;
    let scope = match kind.scope {
        Scope::Namespaced => extract::Scope::Namespaced,
        Scope::Cluster => extract::Scope::Cluster,
    };
    let defaulter = kind.form(FieldValidation::Warn).defaulter;
    let of_crd = BuiltinType::merging(id.subject.clone(), (&kind.schema, kind.root), defaulter, scope, merging);
    Ok(apply::pair(id.clone(), of_crd, Some(validator)))
}
