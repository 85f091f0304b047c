//! One object as an API server judges it that serves its CRD.

use super::described::Unjudged;
use super::judge::{described, refuse};
use crate::output;
use std::collections::BTreeMap;
use std::path::Path;
use takeover_corpora::load::LoadedCase;
use takeover_custom_resources::CrdOracle;
use takeover_engine::catalogue::ServedCrds;
use takeover_harness::case::Operation;
use takeover_harness::error::FieldError;
use takeover_harness::judge::isolated;
use takeover_harness::side::Side;
use takeover_harness::subject::SubjectId;
use takeover_reports::validate::{
    Complaint, Enforcement, JudgedBy, ProblemKind, RuleNote, Undecoded, ValidatedObject, Validity,
};

/// What judges the objects of the kinds that CRD manifests serve. Each is compiled when the first object of its kind comes.
pub(super) struct ServedObjects {
    crds: ServedCrds,
    chosen: Vec<SubjectId>,
    made: BTreeMap<SubjectId, Result<CrdOracle, Unjudged>>,
}

impl ServedObjects {
    /// Reads the manifests at `place`, and says which of them a server rejects; `kinds` are those that are meant, or all.
    ///
    /// # Errors
    /// When none can be read, or no kind of that name is served.
    pub(super) fn read(place: &Path, kinds: &[String]) -> anyhow::Result<Self> {
        let (crds, left_out) = ServedCrds::read_in_part(place)?;
        left_out.iter().for_each(|why| output::say(&format!("left out: {why}")));
        let chosen = crds.chosen(kinds)?;
        Ok(Self { crds, chosen, made: BTreeMap::new() })
    }

    /// The kinds, as people write them.
    pub(super) fn known_kinds(&self) -> Vec<String> {
        self.chosen.iter().map(ToString::to_string).collect()
    }

    /// Judges a case.
    ///
    /// # Errors
    /// When no CRD serves its kind, or its rules cannot be compiled.
    pub(super) fn judge(
        &mut self,
        case: &LoadedCase,
        subresource: &str,
    ) -> Result<(ValidatedObject, JudgedBy), Unjudged> {
        let id = SubjectId::new(&case.api_version, &case.kind);
        let id = id.with_subresource(subresource);
        let Some(oracle) = self.oracle(&id)? else {
            let unknown = format!("no CRD serves `{}`", id.with_subresource(""));
            return Err((ProblemKind::UnknownKind, unknown));
        };
        let by = JudgedBy { reference: false, crd: true, rules: oracle.rules().len(), unjudged: Vec::new() };
        judged(oracle, &id, case).map(|object| (object, by)).map_err(|why| (ProblemKind::Failed, why))
    }
}

impl ServedObjects {
    /// What judges requests for the objects of a kind; `None` if no CRD serves it.
    ///
    /// # Errors
    /// When its rules cannot be compiled.
    pub(super) fn oracle(&mut self, id: &SubjectId) -> Result<Option<&CrdOracle>, Unjudged> {
        if !self.chosen.iter().any(|known| known.api_version == id.api_version && known.kind == id.kind) {
            return Ok(None);
        }
        let crds = &self.crds;
        let make = || crds.oracle(id).map_err(|error| (ProblemKind::Failed, error.to_string()));
        self.made.entry(id.clone()).or_insert_with(make).as_ref().map(Some).map_err(Clone::clone)
    }
}

/// What a server warns of fields that it drops.
pub(super) fn unknown_fields(pruned: &[String]) -> Vec<String> {
    pruned.iter().map(|path| format!("unknown field {path:?}")).collect()
}

fn judged(oracle: &CrdOracle, id: &SubjectId, case: &LoadedCase) -> Result<ValidatedObject, String> {
    let object = case.case.object.to_value().map_err(|error| format!("not JSON: {error}"))?;
    let old = case.case.old.as_ref().filter(|_| case.case.operation == Operation::Update);
    let old = old.map(|old| old.to_value()).transpose().map_err(|error| format!("not JSON: {error}"))?;
    let mut report = described(case, &id.to_string(), &object);
    let verdict = match isolated(|| oracle.judge(object, old)).map_err(|panic| format!("the CRD panicked: {panic}"))? {
        Ok(verdict) => verdict,
        Err(refused) => {
            let (reason, detail) = ("no object of its kind".to_owned(), refused.to_string());
            return Ok(refuse(report, Undecoded { old_object: false, field: String::new(), reason, detail }));
        }
    };
    report.warnings = unknown_fields(&verdict.pruned);
    report.warnings.extend(verdict.warnings);
    report.errors = verdict.errors.into_iter().map(|error| complaint(oracle, error)).collect();
    if !report.errors.is_empty() {
        report.result = Validity::Invalid;
    }
    Ok(report)
}

fn complaint(oracle: &CrdOracle, error: FieldError) -> Complaint {
    let rule = error.rule.and_then(|rule| oracle.rules().get(rule.index()));
    Complaint {
        side: Side::Candidate,
        message: error.to_string(),
        rules: rule.into_iter().map(RuleNote::from).collect(),
        error,
        enforced: true,
        standing: Enforcement::Served,
        decisive: true,
        because: None,
    }
}
