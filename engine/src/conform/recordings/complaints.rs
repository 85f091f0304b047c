//! What the server said of its own validators, and what the replay finds.

use super::truth::{Call, Truth, file, lines};
use crate::conform::mismatch;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;
use takeover_corpora::load::LoadedCase;
use takeover_corpora::requests::Skip;
use takeover_harness::catalogue::Catalogue as _;
use takeover_harness::compare::{Comparator, Semantics, Signature, What};
use takeover_harness::error::FieldError;
use takeover_harness::judge::{CaseRecord, Judge, Judgement};
use takeover_harness::object::Arena;
use takeover_harness::pair::Pair;
use takeover_oracles::registry::Registry;

/// The release whose comparison the recorded server ran.
const SEMANTICS: Semantics = Semantics::V1_36;

/// Complaints of the server and findings of the replay.
#[derive(Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Complaints {
    /// Complaints of the server that the replay finds too.
    pub found: u64,
    /// Those that it does not, with the reason.
    pub missed: Vec<String>,
    /// Findings of the replay that the server did not complain about: how many, and the first request.
    pub more: BTreeMap<String, (u64, String)>,
    /// Cases that were compared.
    pub compared: u64,
    /// Cases of kinds without a handwritten side here.
    pub strangers: u64,
    /// Cases that do not decode, or that an oracle could not judge.
    pub undecodable: u64,
    /// Complaints that were not found yet, by request.
    #[serde(skip)]
    open: BTreeMap<u64, Vec<FieldError>>,
    /// Why requests with complaints gave no finding.
    #[serde(skip)]
    reasons: BTreeMap<u64, String>,
}

#[derive(Deserialize)]
struct Line {
    n: Vec<u64>,
    message: String,
}

impl Complaints {
    /// Reads the complaints of a recording.
    ///
    /// # Errors
    /// When they cannot be read, or are of no recorded request.
    pub(super) fn read(folder: &Path, truth: &Truth) -> anyhow::Result<Self> {
        let mut complaints = Self::default();
        for line in lines::<Line>(&file(folder, "server_validation_mismatches.jsonl")?)? {
            let Line { n, message } = line?;
            let [n] = n.as_slice() else { anyhow::bail!("a complaint names {} requests: {message}", n.len()) };
            if !truth.has(*n) {
                anyhow::bail!("a complaint names request {n}, which is not recorded");
            }
            let complaint = mismatch::recorded(&Value::String(message.clone()))
                .ok_or_else(|| anyhow::anyhow!("not a complaint of a server: `{message}`"))?;
            let open = complaints.open.entry(*n).or_default();
            // A server that judges a request again complains again.
            if !open.contains(&complaint) {
                open.push(complaint);
            }
        }
        Ok(complaints)
    }

    /// Judges what was read of a request.
    pub(super) fn hold(&mut self, call: Option<&Call>, case: Result<LoadedCase, Skip>, judges: &mut Judges) {
        let n = call.map(|call| call.n);
        let mut because = |reason: String| {
            if let Some(n) = n {
                self.reasons.insert(n, reason);
            }
        };
        let case = match case {
            Ok(case) => case,
            Err(skip) => return because(skip.to_string()),
        };
        let place = case.case.provenance.to_string();
        match judges.judge(case) {
            None => {
                because("no handwritten side here".to_owned());
                self.strangers += 1;
            }
            Some(Err(reason)) => {
                because(reason);
                self.undecodable += 1;
            }
            Some(Ok(findings)) => {
                because("compared, and both sides agree on this".to_owned());
                self.compared += 1;
                let (signatures, findings): (Vec<Signature>, Vec<FieldError>) = findings.into_iter().unzip();
                let mut none = Vec::new();
                let open = n.and_then(|n| self.open.get_mut(&n)).unwrap_or(&mut none);
                let compared = Comparator::Verbatim.errors(open, &findings);
                self.found += u64::try_from(compared.matched.len()).unwrap_or(u64::MAX);
                for (signature, finding) in
                    compared.extra.iter().filter_map(|at| signatures.get(*at).zip(findings.get(*at)))
                {
                    let first = format!("{place}: {} {}", finding.error_type, finding.field);
                    self.more.entry(signature.to_string()).or_insert((0, first)).0 += 1;
                }
                *open = compared.missing.iter().filter_map(|at| open.get(*at).cloned()).collect();
            }
        }
    }

    /// What is left was not found.
    pub(super) fn finish(&mut self) {
        for (n, mut complaints) in std::mem::take(&mut self.open) {
            let reason = self.reasons.get(&n).map_or("not in the log", String::as_str);
            complaints.sort_by_key(ToString::to_string);
            for FieldError { detail: direction, error_type, field, origin, .. } in complaints {
                self.missed.push(format!("request {n}: {direction} {error_type} {field} {origin}: {reason}"));
            }
        }
    }
}

/// The subjects of this program.
pub(super) struct Judges {
    pairs: Vec<Pair>,
    arena: Arena,
    record: CaseRecord,
}

impl Judges {
    /// All of them.
    ///
    /// # Errors
    /// When their rules do not compile.
    pub(super) fn new() -> anyhow::Result<Self> {
        let registry = Registry::of_builtin()?;
        let pairs =
            registry.ids().iter().map(|id| Ok(registry.pair(id)?.as_of(SEMANTICS))).collect::<anyhow::Result<_>>()?;
        Ok(Self { pairs, arena: Arena::new(), record: CaseRecord::new() })
    }

    /// What the sides disagree in; none where there are no two sides.
    fn judge(&mut self, loaded: LoadedCase) -> Option<Result<Vec<(Signature, FieldError)>, String>> {
        let pair = self.pairs.iter().find(|pair| {
            let subject = &pair.id.subject;
            subject.api_version == loaded.api_version
                && subject.kind == loaded.kind
                && subject.subresource == loaded.subresource
        })?;
        let mut case = loaded.case;
        pair.define_options(&mut case.options);
        let judge = Judge::new(pair);
        let verdict = judge.case(&case, &mut self.arena, &mut self.record);
        if !matches!(verdict, Judgement::Compared(_)) {
            return Some(Err(format!("{verdict:?}")));
        }
        let complaints = self.record.differences.iter().filter_map(|difference| {
            let What::Error(error) = &difference.what else { return None };
            let complaint = mismatch::as_error(error, difference.direction.to_string());
            Some((Signature::of(&pair.id, case.operation, difference), complaint))
        });
        Some(Ok(complaints.collect()))
    }
}
