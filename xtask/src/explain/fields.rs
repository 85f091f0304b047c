//! A field of a pair whose checks nobody lists: from the report of a run, or by asking both sides about generated cases.

use super::paths::{Paths, is_set};
use crate::output::{self, program};
use std::collections::BTreeMap;
use std::path::Path;
use std::time::{Duration, Instant};
use takeover_corpora::generate::Generator;
use takeover_corpora::minimise::{Limits, minimise};
use takeover_corpora::recorded::{accepted_objects, cases_of};
use takeover_engine::pairs::ChosenPairs;
use takeover_harness::case::Case;
use takeover_harness::compare::{Direction, Signature, What};
use takeover_harness::error::FieldError;
use takeover_harness::judge::{CaseRecord, Judge, Judgement, ObservedCheck};
use takeover_harness::object::Arena;
use takeover_harness::oracle::Answer;
use takeover_harness::pair::Pair;
use takeover_harness::path::pattern;
use takeover_harness::side::{BySide, Side};
use takeover_reports::explain::{ExplainedCase, ExplainedCheck, FieldExplanation, ObservedIn, figures};
use takeover_reports::{RunReport, because, kind_of, shell_quoted};

/// Seed of the cases: the same examples every time.
const SEED: u64 = 5;

/// Cases that are judged.
const CASES: usize = 2_000;

/// How long oracles are asked about cases, and again to make examples smaller.
const TIME: Duration = Duration::from_secs(5);

/// Most trials to make an example smaller.
const MOST_TRIALS: u32 = 500;

/// Explains the field or check that `asked` names, of the first chosen pair that has it, by asking its sides; none if no pair has it.
/// `config` is the file of settings that the pairs come from, where the user named one.
///
/// # Errors
/// When a pair cannot be made.
pub fn by_asking(chosen: &ChosenPairs, asked: &str, config: Option<&Path>) -> anyhow::Result<Option<FieldExplanation>> {
    for id in &chosen.described {
        // Oracles are asked about many objects only once it is known that the field is theirs.
        let form = chosen.judging.sound_pair(&chosen.catalogue, id)?.form;
        let paths = Paths::of(&form.schema, form.root);
        let Some((field, words)) = paths.find(asked) else { continue };
        let pair = chosen.pair(id)?;
        let settings = || format!("{} --kind {}", settings(config), shell_quoted(&id.to_string()));
        let flags = chosen.flags.as_ref().map_or_else(settings, |flags| format!(" {flags}"));
        let mut explanation = observed(&pair, &field, &words, &flags);
        explanation.field_type = paths.type_of(&field);
        if let Some(names) = chosen.catalogue.oracles(id) {
            (explanation.reference, explanation.candidate) = (names.reference, names.candidate);
        }
        return Ok(Some(explanation));
    }
    Ok(None)
}

/// The field of the chosen pairs that was probably meant.
///
/// # Errors
/// When a pair cannot be made.
pub fn nearest_field(chosen: &ChosenPairs, asked: &str) -> anyhow::Result<Option<String>> {
    for id in &chosen.described {
        let form = chosen.judging.sound_pair(&chosen.catalogue, id)?.form;
        if let Some(near) = Paths::of(&form.schema, form.root).nearest(asked) {
            return Ok(Some(near));
        }
    }
    Ok(None)
}

/// The flag that names a file of settings, for a command to be typed.
fn settings(config: Option<&Path>) -> String {
    config.map_or_else(String::new, |file| format!(" --config {}", shell_quoted(&file.to_string_lossy())))
}

/// The same, as a run saw it; none if it observed no such check. `config` is the file of settings that its pairs came from, where the
/// user named one.
pub fn in_run(
    report: &RunReport,
    asked: &str,
    kind: Option<&str>,
    run: &Path,
    config: Option<&Path>,
) -> Option<FieldExplanation> {
    let is_of_kind = |subject: &str| {
        let named = subject.split_once('#').map_or("", |(_, pair)| pair);
        kind.is_none_or(|kind| subject == kind || named == kind || kind_of(subject).eq_ignore_ascii_case(kind))
    };
    report.subjects.iter().filter(|subject| is_of_kind(&subject.subject)).find_map(|subject| {
        let fields = subject.observed.iter().map(|check| check.field.clone());
        let (field, words) = Paths::named(fields).find(asked)?;
        let is_asked = |check: &&takeover_reports::ObservedReport| {
            check.field == field && fits(&words, &check.error_type, &check.message)
        };
        let place = run.display().to_string();
        let mut explanation =
            FieldExplanation::new(subject.subject.clone(), field.clone(), ObservedIn::Run(place.clone()));
        explanation.checks = subject
            .observed
            .iter()
            .filter(is_asked)
            .map(|check| {
                let because = if check.because.is_empty() { String::new() } else { format!(" ({})", check.because) };
                let finding = check.finding.map_or_else(String::new, |number| format!("; see finding {number}"));
                let refuses = check.candidate_refuses.word();
                ExplainedCheck {
                    side: Side::Reference.to_string(),
                    error_type: check.error_type.clone(),
                    message: check.message.clone(),
                    figures: format!("{}; the candidate rejects {refuses}{because}{finding}", check.figures()),
                    refused: None,
                }
            })
            .collect();
        let rules = subject.fields.iter().filter(|of| of.field == field).flat_map(|of| &of.rules);
        explanation.rules = rules.map(|rule| rule.rule.to_string()).collect();
        let kind = shell_quoted(&subject.subject);
        explanation.commands = vec![
            format!("{} report {} --kind {kind} --format html -o report.html", program(), shell_quoted(&place)),
            format!(
                "{} explain {}{} --kind {kind}    # examples of both sides of its bounds",
                program(),
                shell_quoted(&field),
                settings(config)
            ),
        ];
        Some(explanation)
    })
}

/// Whether every word is one of a check.
fn fits(words: &[String], error_type: &str, message: &str) -> bool {
    let text = format!("{error_type} {message}").to_lowercase();
    words.iter().all(|word| text.contains(&word.to_lowercase()))
}

/// What was seen of a check.
#[derive(Default)]
struct SeenCheck {
    refused: u64,
    alone: u64,
    /// The case with the fewest errors, then the shortest.
    smallest: Option<((usize, usize), Case)>,
}

impl SeenCheck {
    fn keep(&mut self, size: (usize, usize), case: &Case) {
        if self.smallest.as_ref().is_none_or(|(known, _)| size < *known) {
            self.smallest = Some((size, case.clone()));
        }
    }
}

/// The side that did not answer, and why; `None` when both answered.
fn no_answer(judgement: &Judgement, record: &CaseRecord) -> Option<(Side, String)> {
    match judgement {
        Judgement::Unable { side, failure } => Some((*side, failure.to_string())),
        _ => record.panics.iter().find_map(|of| Some((of.side?, of.panic.message.clone()))),
    }
}

/// What both sides say about a field in generated cases. `flags` say to a command which pair it is.
fn observed(pair: &Pair, field: &str, words: &[String], flags: &str) -> FieldExplanation {
    let generator = Generator::of(pair, accepted_objects(pair, &cases_of(pair)), SEED);
    let judge = Judge::new(pair).without_causes();
    let (mut arena, mut record) = (Arena::new(), CaseRecord::new());
    let mut checks: BTreeMap<(Side, ObservedCheck), SeenCheck> = BTreeMap::new();
    let (mut accepted, mut compared) = (SeenCheck::default(), 0);
    let mut unanswered: BySide<(u64, String)> = BySide::default();
    let mut asked = 0;
    let begin = Instant::now();
    let mut made = (0..).flat_map(|chunk| generator.chunk(chunk, SEED)).map(|made| made.case).take(CASES);
    while begin.elapsed() < TIME {
        let batch: Vec<Case> = made.by_ref().take(judge.batch().max(1)).collect();
        if batch.is_empty() {
            break;
        }
        judge.cases_then(&batch, &mut arena, &mut record, |index, judgement, _, record| {
            if !matches!(judgement, Judgement::Unprepared(_)) {
                asked += 1;
            }
            if let Some((side, why)) = no_answer(&judgement, record) {
                let (count, first) = unanswered.of_mut(side);
                if *count == 0 {
                    *first = why;
                }
                *count += 1;
                return;
            }
            let Some(case) = batch.get(index).filter(|_| judgement.is_comparison()) else { return };
            let Ok(object) = case.object.to_value() else { return };
            compared += 1;
            let size = (record.reference.errors.len() + record.candidate.errors.len(), object.to_string().len());
            let alone = |direction: Direction, error: &FieldError| {
                let is_it = |what: &What| matches!(what, What::Error(other) if other == error);
                record.differences.iter().any(|of| of.direction == direction && is_it(&of.what))
            };
            let on_field = |answer: &Answer| -> Vec<FieldError> {
                answer.errors.iter().filter(|error| pattern(&error.field) == field).cloned().collect()
            };
            let (reference, candidate) = (on_field(&record.reference), on_field(&record.candidate));
            for error in &reference {
                let seen = checks.entry((Side::Reference, ObservedCheck::of(error))).or_default();
                seen.refused += 1;
                seen.alone += u64::from(alone(Direction::Missing, error));
                seen.keep(size, case);
            }
            for error in candidate.iter().filter(|error| alone(Direction::Extra, error)) {
                let seen = checks.entry((Side::Candidate, ObservedCheck::of(error))).or_default();
                seen.refused += 1;
                seen.alone += 1;
                seen.keep(size, case);
            }
            if reference.is_empty() && candidate.is_empty() && is_set(&object, field) {
                accepted.refused += 1;
                if !record.reference.rejects() && !record.candidate.rejects() {
                    accepted.keep(size, case);
                }
            }
        });
    }
    for side in Side::ALL {
        let (count, first) = unanswered.of(side);
        if *count > 0 {
            output::say(&format!("warning: the {side} did not answer {count} of {asked} questions; first: {first}"));
        }
    }
    checks.retain(|(_, check), _| fits(words, check.error_type.api_name(), &check.message));
    let until = Instant::now() + TIME;
    let id = pair.id.to_string();
    let mut explanation = FieldExplanation::new(id.clone(), field.to_owned(), ObservedIn::Cases(compared));
    explanation.checks = checks
        .into_iter()
        .map(|((side, check), seen)| ExplainedCheck {
            side: side.to_string(),
            error_type: check.error_type.api_name().to_owned(),
            message: check.message.clone(),
            figures: figures(seen.refused, seen.alone, accepted.refused),
            refused: seen.smallest.and_then(|(_, case)| refused(pair, side, &check, &case, until)),
        })
        .collect();
    explanation.accepted = accepted.smallest.and_then(|(_, case)| explained(&Judge::new(pair), &case, None));
    let on_field = pair.rules.iter().filter(|rule| rule.path == field);
    explanation.rules = on_field.map(|rule| format!("{} {}", rule.path, rule.label())).collect();
    explanation.commands = vec![
        format!("{} soak{flags} --for 60s", program()),
        format!("{} explain {} --run RUN    # with the evidence of a run", program(), shell_quoted(field)),
    ];
    explanation
}

/// The case made smaller while the side still reports the check, and nothing else comes to it.
fn refused(pair: &Pair, side: Side, check: &ObservedCheck, case: &Case, until: Instant) -> Option<ExplainedCase> {
    let judge = Judge::new(pair).without_causes();
    let (mut arena, mut record) = (Arena::new(), CaseRecord::new());
    let mut most = usize::MAX;
    let mut reports = |case: &Case| {
        if Instant::now() > until || !judge.case(case, &mut arena, &mut record).is_comparison() {
            return false;
        }
        let errors = record.reference.errors.len() + record.candidate.errors.len();
        let is_it = record.answer(side).errors.iter().any(|error| ObservedCheck::of(error) == *check);
        let shows = is_it && errors <= most;
        most = if shows { errors } else { most };
        shows
    };
    let small = minimise(case, Limits { calls: MOST_TRIALS }, &mut reports).case;
    explained(&Judge::new(pair), &small, Some(check))
}

/// A case with what both sides say of it, and why they differ about `check`.
fn explained(judge: &Judge<'_>, case: &Case, check: Option<&ObservedCheck>) -> Option<ExplainedCase> {
    let mut record = CaseRecord::new();
    if !judge.case(case, &mut Arena::new(), &mut record).is_comparison() {
        return None;
    }
    let said = |answer: &Answer| -> Vec<String> {
        match answer.errors.as_slice() {
            [] if answer.rejects() => vec![format!("rejected: {}", answer.reason())],
            errors => errors.iter().map(ToString::to_string).collect(),
        }
    };
    let is_about = |what: &What| matches!(what, What::Error(error) if Some(&ObservedCheck::of(error)) == check);
    let difference = record.differences.iter().find(|difference| is_about(&difference.what));
    Some(ExplainedCase {
        object: case.object.to_value().ok()?,
        old: case.old.as_ref().and_then(|old| old.to_value().ok()),
        reference: said(&record.reference),
        candidate: said(&record.candidate),
        because: difference.and_then(|of| because(&Signature::of(&judge.pair().id, case.operation, of))),
    })
}
