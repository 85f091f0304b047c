//! Both sides of every pair, asked about one case at a time.

use anyhow::Context as _;
use std::collections::HashMap;
use std::path::Path;
use takeover_corpora::load::LoadedCase;
use takeover_corpora::store::StoredVerdict;
use takeover_harness::case::Case;
use takeover_harness::catalogue::Catalogue as _;
use takeover_harness::error::FieldError;
use takeover_harness::form::Unfit;
use takeover_harness::judge::{CaseRecord, Judge, Judgement};
use takeover_harness::object::{Arena, FieldValidation};
use takeover_harness::pair::{Pair, Unprepared};
use takeover_harness::path::pattern;
use takeover_harness::subject::{PairId, SubjectId};
use takeover_oracles::registry::Registry;

/// Every pair as a soak of these types has it; without types, of the built-in ones.
///
/// # Errors
/// Returns an error when the types do not load.
pub(super) fn pairs(types: Option<&Path>) -> anyhow::Result<Vec<Pair>> {
    let registry = match types {
        Some(types) => {
            Registry::of_folder(types).with_context(|| format!("failed to read the types in `{}`", types.display()))?
        }
        None => Registry::of_builtin()?,
    };
    let pair = |id: &PairId| {
        let mut pair = registry.pair(id)?;
        pair.form.field_validation = FieldValidation::Warn;
        Ok(pair)
    };
    registry.ids().iter().map(pair).collect()
}

/// Judges of these pairs.
pub(super) struct Jury<'s> {
    judges: Vec<Judge<'s>>,
    by_name: HashMap<SubjectId, usize>,
    arena: Arena,
    record: CaseRecord,
}

impl<'s> Jury<'s> {
    /// A jury that compares as Kubernetes does now.
    pub(super) fn new(pairs: &'s [Pair]) -> Self {
        let judges: Vec<Judge<'s>> = pairs.iter().map(Judge::new).collect();
        let by_name = pairs.iter().enumerate().map(|(index, pair)| (pair.id.subject.clone(), index)).collect();
        Self { judges, by_name, arena: Arena::new(), record: CaseRecord::new() }
    }

    /// Its judges.
    pub(super) fn judges(&self) -> &[Judge<'s>] {
        &self.judges
    }

    /// Which judge a case is for; none when it belongs to no subject.
    pub(super) fn judge_of(&self, loaded: &LoadedCase) -> Option<usize> {
        let id = SubjectId::new(&loaded.api_version, &loaded.kind).with_subresource(&loaded.subresource);
        self.by_name.get(&id).copied()
    }

    /// How both sides judge a case; none when it belongs to no subject.
    pub(super) fn verdict(&mut self, loaded: &LoadedCase) -> Option<StoredVerdict> {
        let judge = self.judges.get(self.judge_of(loaded)?)?;
        let case = defined(judge.pair(), &loaded.case);
        let verdict = judge.case(&case, &mut self.arena, &mut self.record);
        Some(stored(&verdict, &self.record))
    }
}

/// A case with every option of its subject defined.
pub(super) fn defined(pair: &Pair, case: &Case) -> Case<'static> {
    let mut case = case.clone().kept();
    pair.define_options(&mut case.options);
    case
}

fn stored(verdict: &Judgement, record: &CaseRecord) -> StoredVerdict {
    let outcome = match verdict {
        Judgement::Compared(outcome) => {
            serde_json::to_value(outcome).ok().and_then(|name| name.as_str().map(str::to_owned))
        }
        Judgement::Unprepared(Unprepared::Unfit(Unfit::Object(undecodable) | Unfit::OldObject(undecodable))) => {
            let reason = verdict.reason().map(|(reason, _)| reason).unwrap_or_default();
            Some(format!("undecodable: {reason} at {}", pattern(&undecodable.field)))
        }
        _ => verdict.reason().map(|(reason, _)| format!("not compared: {reason}")),
    };
    StoredVerdict {
        outcome: outcome.unwrap_or_default(),
        reference: words(record.reference.errors.as_slice()),
        candidate: words(record.candidate.errors.as_slice()),
    }
}

/// Errors without their values.
fn words(errors: &[FieldError]) -> Vec<String> {
    let or = |text: String, nothing: &str| if text.is_empty() { nothing.to_owned() } else { text };
    let one = |error: &FieldError| {
        let (path, origin) = (or(pattern(&error.field), "<nil>"), or(error.origin.to_string(), "-"));
        format!("{} {path} {origin}", error.error_type.api_name())
    };
    let mut words: Vec<String> = errors.iter().map(one).collect();
    words.sort_unstable();
    words
}
