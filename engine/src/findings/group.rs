//! Versions of a kind that differ at the same place, joined: one case for all that it shows the difference in.

use super::read::Minimal;
use serde_json::Value;
use std::collections::BTreeMap;
use takeover_harness::case::{Case, Options, Payload, Provenance};
use takeover_harness::catalogue::Catalogue as _;
use takeover_harness::compare::Signature;
use takeover_harness::judge::{CaseRecord, Judge};
use takeover_harness::object::Arena;
use takeover_harness::pair::Pair;
use takeover_harness::subject::{PairId, SubjectId};
use takeover_oracles::registry::Registry;

/// A case that shows a signature, and the same in other versions.
pub(super) struct Row {
    /// The signature in the first of the versions.
    pub signature: Signature,
    /// The other versions, without their group.
    pub also_in: Vec<String>,
    /// The case.
    pub case: Minimal,
}

/// As few rows as show every signature of `found`, in the order of their text. Cases are tried in every version of their kind,
/// also where a run met no such case.
///
/// # Errors
/// Returns an error when a subject is unknown, or a case does not show its signature in a server with its usual options.
pub(super) fn rows(found: &BTreeMap<Signature, Minimal>) -> anyhow::Result<Vec<Row>> {
    let mut witness = Witness { registry: Registry::of_builtin()?, pairs: BTreeMap::new() };
    let pairs = witness.registry.ids();
    let mut groups: BTreeMap<Vec<Signature>, Vec<(&Signature, &Minimal)>> = BTreeMap::new();
    for (signature, case) in found {
        let versions = in_all_versions(signature, &pairs);
        anyhow::ensure!(!versions.is_empty(), "`{}` is no subject of this program", signature.pair);
        groups.entry(versions).or_default().push((signature, case));
    }
    let mut rows = Vec::new();
    for (mut signatures, mut cases) in groups {
        cases.sort_by_cached_key(|(_, case)| case.size());
        for (_, case) in &cases {
            let mut shown = Vec::new();
            let mut left = Vec::new();
            for signature in signatures {
                if witness.shows(&signature, case)? { shown.push(signature) } else { left.push(signature) }
            }
            signatures = left;
            if let Some((first, others)) = shown.split_first() {
                let also_in = others.iter().map(|other| version(&other.pair.subject.api_version).to_owned()).collect();
                rows.push(Row { signature: first.clone(), also_in, case: (*case).clone() });
            }
        }
        if let Some((lost, _)) = cases.iter().find(|(signature, _)| signatures.contains(signature)) {
            anyhow::bail!(
                "the case of `{lost}` does not show it: was the run made by another version of this program?"
            );
        }
    }
    rows.sort_by_cached_key(|row| row.signature.to_string());
    Ok(rows)
}

/// The signature in every version of its kind, in the order of `pairs`.
fn in_all_versions(signature: &Signature, pairs: &[PairId]) -> Vec<Signature> {
    let group = |id: &SubjectId| id.api_version.rsplit_once('/').map(|(group, _)| group.to_owned());
    let own = &signature.pair;
    let same = |one: &SubjectId, other: &SubjectId| {
        group(one) == group(other) && one.kind == other.kind && one.subresource == other.subresource
    };
    let versions = pairs.iter().filter(|id| id.name == own.name && same(&id.subject, &own.subject));
    versions.map(|id| Signature { pair: id.clone(), ..signature.clone() }).collect()
}

fn version(api_version: &str) -> &str {
    api_version.rsplit_once('/').map_or(api_version, |(_, version)| version)
}

/// Judges cases again.
struct Witness {
    registry: Registry,
    pairs: BTreeMap<PairId, Pair>,
}

impl Witness {
    fn shows(&mut self, signature: &Signature, minimal: &Minimal) -> anyhow::Result<bool> {
        let id = &signature.pair;
        if !self.pairs.contains_key(id) {
            self.pairs.insert(id.clone(), self.registry.pair(id)?);
        }
        let Some(pair) = self.pairs.get(id) else { return Ok(false) };
        let judge = Judge::new(pair);
        let mut record = CaseRecord::new();
        let mut case = Case {
            operation: signature.operation,
            object: payload(&minimal.object, &id.subject),
            old: minimal.old.as_ref().map(|old| payload(old, &id.subject)),
            options: Options::new(),
            provenance: Provenance::File { path: String::new(), document: 0, line: 0 },
        };
        pair.define_options(&mut case.options);
        let _ = judge.case(&case, &mut Arena::new(), &mut record);
        Ok(record.differences.iter().any(|difference| Signature::of(id, case.operation, difference) == *signature))
    }
}

/// The object as one of a version and kind.
fn payload(object: &Value, id: &SubjectId) -> Payload {
    let mut object = object.clone();
    if let Some(members) = object.as_object_mut() {
        members.insert("apiVersion".to_owned(), id.api_version.as_str().into());
        members.insert("kind".to_owned(), id.kind.as_str().into());
    }
    Payload::from(object)
}
