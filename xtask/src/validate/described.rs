//! One object through both sides of a pair that a project describes, or that a run judged in its own way.

use super::ValidationRequest;
use super::judge::{described, refuse, subresource};
use crate::output;
use std::collections::BTreeMap;
use takeover_corpora::load::LoadedCase;
use takeover_engine::catalogue::PairCatalogue;
use takeover_engine::pairs::announce_pairs;
use takeover_engine::plan::JudgingPlan;
use takeover_engine::run::pair_of_finding;
use takeover_harness::case::{Case, Provenance};
use takeover_harness::compare::{Direction, Signature, What};
use takeover_harness::error::FieldError;
use takeover_harness::judge::{CaseRecord, Judge, Judgement};
use takeover_harness::object::{Arena, FieldValidation};
use takeover_harness::oracle::Answer;
use takeover_harness::pair::Pair;
use takeover_harness::path::Path;
use takeover_harness::side::Side;
use takeover_harness::subject::{PairId, SubjectId};
use takeover_reports::validate::{
    Complaint, Enforcement, JudgedBy, ProblemKind, RuleNote, Undecoded, ValidatedObject, Validity,
};
use takeover_reports::{CaseDifference, because};

/// Why nothing is known about an object.
pub(super) type Unjudged = (ProblemKind, String);

/// The pairs that a project describes, or the special ones of a run. They are made when the first object of theirs comes.
pub(super) struct DescribedPairs {
    judging: JudgingPlan,
    catalogue: PairCatalogue,
    ids: Vec<PairId>,
    made: BTreeMap<PairId, Result<Pair, Unjudged>>,
}

impl DescribedPairs {
    pub(super) fn of(judging: JudgingPlan) -> anyhow::Result<Self> {
        Self::of_run(JudgingPlan { field_validation: FieldValidation::Strict, ..judging })
    }

    /// The pairs that a run describes, and those that it selected and [`JudgingPlan::is_special`] means.
    pub(super) fn of_run(judging: JudgingPlan) -> anyhow::Result<Self> {
        let catalogue = judging.catalogue()?;
        let mut ids: Vec<PairId> = catalogue.described().cloned().collect();
        let selected = catalogue.selected(&judging.kinds, judging.all_versions)?;
        let special = selected.into_iter().filter(|id| judging.is_special(id));
        ids.extend(special.filter(|id| !catalogue.described().any(|described| described == id)));
        Ok(Self { judging, catalogue, ids, made: BTreeMap::new() })
    }

    /// The names of the pairs that judge the object of a case: of a finding, only the pair that it is about.
    pub(super) fn names(&self, case: &LoadedCase, request: &ValidationRequest) -> Vec<PairId> {
        let id = SubjectId::new(&case.api_version, &case.kind).with_subresource(subresource(case, request));
        let mut names: Vec<PairId> = self.ids.iter().filter(|pair| pair.subject == id).cloned().collect();
        if let (Provenance::File { path, .. }, Some((run, _))) = (&case.case.provenance, &request.of_run)
            && let Some(about) = pair_of_finding(path.as_ref(), run)
        {
            names.retain(|name| *name == about);
        }
        names
    }

    /// Judges a case by the pair of this name.
    ///
    /// # Errors
    /// When the pair cannot be made, nothing of it judges, or a side fails.
    pub(super) fn judge(
        &mut self,
        id: &PairId,
        case: &LoadedCase,
        request: &ValidationRequest,
    ) -> Result<(ValidatedObject, JudgedBy), Unjudged> {
        let (judging, catalogue) = (&self.judging, &self.catalogue);
        let make = || {
            let failed = |error: anyhow::Error| (ProblemKind::Failed, error.to_string());
            if request.named_types {
                let refused = catalogue.refuse_types(&[id.to_string()]);
                refused.map_err(|error| (ProblemKind::Usage, error.to_string()))?;
            }
            announce_pairs(catalogue, std::slice::from_ref(id), &output::say).map_err(failed)?;
            let mut pair = judging.sound_pair(catalogue, id);
            // A server drops unknown fields before a CRD judges.
            if let (Ok(pair), true) = (&mut pair, catalogue.has_crd(id)) {
                pair.form.field_validation = FieldValidation::Warn;
            }
            let pair = pair.map_err(|error| match error.is_nothing_to_compare() {
                true => (ProblemKind::NothingJudges, error.to_string()),
                false => (ProblemKind::Failed, error.to_string()),
            })?;
            judging.plants.iter().try_fold(pair, |pair, plant| plant.in_pair(pair)).map_err(failed)
        };
        let pair = self.made.entry(id.clone()).or_insert_with(make).as_ref().map_err(Clone::clone)?;
        let by = JudgedBy { reference: true, crd: false, rules: pair.rules.len(), unjudged: pair.delegated.clone() };
        Ok((judged(pair, case, request).map_err(|why| (ProblemKind::Failed, why))?, by))
    }
}

/// Most differences of an object whose causes are told.
const MOST_EXPLAINED: usize = 1000;

fn judged(pair: &Pair, case: &LoadedCase, request: &ValidationRequest) -> Result<ValidatedObject, String> {
    let value = case.case.object.to_value().map_err(|error| format!("not JSON: {error}"))?;
    let report = described(case, &pair.id.to_string(), &value);
    let mut asked = Case { options: case.case.options.clone(), ..case.case.clone() };
    for (name, on) in &request.options {
        asked.options.set(name, *on);
    }
    pair.define_options(&mut asked.options);
    let (judge, mut record) = (Judge::new(pair), CaseRecord::new());
    let judgement = judge.case(&asked, &mut Arena::new(), &mut record);
    if let Some((reason, detail)) = judgement.reason() {
        if judgement.is_undecodable() {
            let undecoded = Undecoded { old_object: false, field: String::new(), reason, detail };
            return Ok(refuse(report, undecoded));
        }
        return Err(detail);
    }
    if let Some(panicked) = record.panics.first() {
        let side = panicked.side.map_or_else(|| "decoding".to_owned(), |side| format!("the {side}"));
        return Err(format!("{side} panicked: {}", panicked.panic));
    }
    debug_assert!(matches!(judgement, Judgement::Compared(_)));
    let mut report = report;
    let differences = record.differences.iter().filter_map(CaseDifference::of);
    report.differences = differences.filter(|found| matches!(found, CaseDifference::Value { .. })).collect();
    let is_explained = record.differences.len() <= MOST_EXPLAINED;
    for (side, answer) in [(Side::Reference, &record.reference), (Side::Candidate, &record.candidate)] {
        report.errors.extend(said(answer).map(|(error, message)| complaint(pair, side, error, message)));
    }
    for difference in record.differences.iter().filter(|_| is_explained) {
        let side = match difference.direction {
            Direction::Missing => Side::Reference,
            Direction::Extra => Side::Candidate,
            Direction::Differs => continue,
        };
        let why = because(&Signature::of(&pair.id, asked.operation, difference));
        let is_it = |complaint: &&mut Complaint| match &difference.what {
            What::Error(error) => complaint.side == side && complaint.error == *error,
            _ => complaint.side == side,
        };
        report.errors.iter_mut().filter(is_it).for_each(|complaint| complaint.because.clone_from(&why));
    }
    if report.errors.iter().any(|complaint| complaint.decisive) {
        report.result = Validity::Invalid;
    }
    Ok(report)
}

/// The errors of an answer with their texts; a rejection without errors as one error of the object itself.
fn said(answer: &Answer) -> impl Iterator<Item = (FieldError, String)> + '_ {
    let errors = answer.errors.iter().map(|error| (error.clone(), error.to_string()));
    let bare = (answer.errors.is_empty() && answer.rejects()).then(|| {
        let reason = answer.reason();
        (FieldError::forbidden(&Path::ROOT, reason.clone()), format!("rejected: {reason}"))
    });
    errors.chain(bare)
}

fn complaint(pair: &Pair, side: Side, error: FieldError, message: String) -> Complaint {
    let rule = error.rule.and_then(|rule| pair.rules.get(rule.index()));
    let rules = rule.into_iter().map(RuleNote::from).collect();
    let decides = side == Side::Reference;
    let standing = if decides { Enforcement::Decides } else { Enforcement::DecidesNothing };
    Complaint { side, message, error, rules, enforced: decides, standing, decisive: decides, because: None }
}
