//! Versions of a kind that differ at the same place, joined: one case for all that it shows the difference in.

use super::read::Minimal;
use crate::plan::matcher;
use serde_json::Value;
use std::collections::BTreeMap;
use takeover_harness::case::{Case, Options, Payload, Provenance};
use takeover_harness::compare::{Semantics, Signature};
use takeover_harness::judge::{Bench, Judge};
use takeover_harness::object::Arena;
use takeover_harness::subject::{Subject, SubjectId};
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
/// When a subject is unknown, or a case does not show its signature in a server with its usual options.
pub(super) fn rows(found: &BTreeMap<Signature, Minimal>) -> anyhow::Result<Vec<Row>> {
    let mut witness = Witness { registry: Registry::of_builtin()?, subjects: BTreeMap::new() };
    let subjects: Vec<SubjectId> = Registry::subjects().collect();
    let mut groups: BTreeMap<Vec<Signature>, Vec<(&Signature, &Minimal)>> = BTreeMap::new();
    for (signature, case) in found {
        let versions = in_all_versions(signature, &subjects);
        anyhow::ensure!(!versions.is_empty(), "`{}` is no subject of this program", signature.subject);
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
                let also_in = others.iter().map(|other| version(&other.subject.api_version).to_owned()).collect();
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

/// The signature in every version of its kind, in the order of `subjects`.
fn in_all_versions(signature: &Signature, subjects: &[SubjectId]) -> Vec<Signature> {
    let group = |id: &SubjectId| id.api_version.rsplit_once('/').map(|(group, _)| group.to_owned());
    let own = &signature.subject;
    let versions = subjects
        .iter()
        .filter(|id| group(id) == group(own) && id.kind == own.kind && id.subresource == own.subresource);
    versions.map(|id| Signature { subject: id.clone(), ..signature.clone() }).collect()
}

fn version(api_version: &str) -> &str {
    api_version.rsplit_once('/').map_or(api_version, |(_, version)| version)
}

/// Judges cases again.
struct Witness {
    registry: Registry,
    subjects: BTreeMap<SubjectId, Subject>,
}

impl Witness {
    fn shows(&mut self, signature: &Signature, minimal: &Minimal) -> anyhow::Result<bool> {
        let id = &signature.subject;
        if !self.subjects.contains_key(id) {
            self.subjects.insert(id.clone(), self.registry.subject(id)?);
        }
        let Some(subject) = self.subjects.get(id) else { return Ok(false) };
        let judge = Judge::new(subject, matcher(subject, Semantics::default()));
        let mut bench = Bench::new();
        let mut case = Case {
            operation: signature.operation,
            object: payload(&minimal.object, id),
            old: minimal.old.as_ref().map(|old| payload(old, id)),
            options: Options::new(),
            provenance: Provenance::File { path: String::new(), document: 0, line: 0 },
        };
        subject.define_options(&mut case.options);
        let _ = judge.case(&case, &mut Arena::new(), &mut bench);
        Ok(bench.findings.iter().any(|finding| Signature::of(id, case.operation, finding) == *signature))
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
