//! A field of a pair whose checks nobody lists: from the report of a run, or by asking both sides about generated cases.

use super::boundary::{boundaries, explained, is_named, rules_on};
use super::examples::SEED;
use super::made::Made;
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
use takeover_harness::compare::{Direction, Matter, What};
use takeover_harness::error::FieldError;
use takeover_harness::judge::{CaseRecord, Judge, Judgement, ObservedCheck};
use takeover_harness::object::Arena;
use takeover_harness::oracle::Answer;
use takeover_harness::pair::Pair;
use takeover_harness::path::pattern;
use takeover_harness::rule::Rule;
use takeover_harness::side::{BySide, Side};
use takeover_reports::explain::{ExplainedCase, ExplainedCheck, FieldExplanation, ObservedIn, figures};
use takeover_reports::{RunReport, kind_of, shell_quoted};

/// Cases that are judged.
const CASES: usize = 2_000;

/// How long oracles are asked about cases, and again to make examples smaller.
const TIME: Duration = Duration::from_secs(5);

/// How long a CRD is asked, which answers at once in any but unusual cases.
const TIME_OF_CRD: Duration = Duration::from_secs(30);

/// Most trials to make an example smaller.
const MOST_TRIALS: u32 = 500;

/// Explains the field, check or rule that `asked` names, of the first chosen pair that has it, by asking its sides; none if no pair has
/// it. `config` is the file of settings that the pairs come from, where the user named one. With `crd`, the pairs compare this CRD with
/// itself, to show what it says.
///
/// # Errors
/// When a pair cannot be made.
pub fn by_asking(
    chosen: &ChosenPairs,
    asked: &str,
    config: Option<&Path>,
    crd: Option<&Path>,
) -> anyhow::Result<Option<FieldExplanation>> {
    for id in &chosen.described {
        // Oracles are asked about many objects only once it is known that the field is theirs.
        let sound = chosen.judging.sound_pair(&chosen.catalogue, id)?;
        let paths = Paths::of(&sound.form.schema, sound.form.root);
        let Some((field, words)) = paths.find(asked).or_else(|| of_rule(&sound, asked)) else { continue };
        let pair = chosen.pair(id)?;
        let settings = || format!("{} --kind {}", settings(config), shell_quoted(&id.to_string()));
        let flags = chosen.flags.as_ref().map_or_else(settings, |flags| format!(" {flags}"));
        let mut explanation = match crd {
            Some(crd) => of_crd_alone(&pair, &field, &words, crd),
            None => observed(&pair, &field, &words, &flags),
        };
        explanation.field_type = paths.type_of(&field);
        explanation.default = paths.default_of(&field);
        explanation.item_default = paths.item_default_of(&field);
        if let Some(names) = chosen.catalogue.oracles(id).filter(|_| crd.is_none()) {
            (explanation.reference, explanation.candidate) = (names.reference, names.candidate);
        }
        return Ok(Some(explanation));
    }
    Ok(None)
}

/// The place of the first rule with this text, and its words.
fn of_rule(pair: &Pair, asked: &str) -> Option<(String, Vec<String>)> {
    let words: Vec<String> = asked.split_whitespace().map(str::to_owned).collect();
    let text = words.join(" ");
    let rule = pair.rules.iter().find(|rule| rule.chain.contains(&text)).or_else(|| {
        let mut named = pair.rules.iter().filter(|rule| is_named(rule, &words));
        named.next().filter(|_| named.next().is_none())
    })?;
    Some((rule.path.clone(), words))
}

/// What a CRD that is compared with itself says: of its rules on the field, or else of generated cases.
fn of_crd_alone(pair: &Pair, field: &str, words: &[String], crd: &Path) -> FieldExplanation {
    let file = shell_quoted(&crd.to_string_lossy());
    let named: Vec<&Rule> = rules_on(pair, field).filter(|rule| is_named(rule, words)).collect();
    let shown = boundaries(pair, &named, Instant::now() + TIME_OF_CRD);
    let cases = shown.iter().flat_map(|rule| &rule.classes).filter(|class| class.case.is_some()).count() as u64;
    let mut explanation = match cases {
        0 => observed(pair, field, words, ""),
        _ => FieldExplanation::new(String::new(), field.to_owned(), ObservedIn::Cases(cases)),
    };
    explanation.rules = rules_on(pair, field).map(|rule| rule.reference().to_string()).collect();
    explanation.left_out = named.len() - shown.len();
    explanation.boundaries = shown;
    explanation.pair = pair.id.subject.to_string();
    explanation.candidate = format!("crd {}", crd.display());
    explanation.commands = vec![
        format!("{} validate OBJECT.yaml --crd {file}", program()),
        format!(
            "{} soak --crd {file} --reference webhook:URL    # compare with the validator that decides today",
            program()
        ),
    ];
    explanation
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
        explanation.matter = subject.matter();
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
    smallest: Option<((usize, usize), Case<'static>)>,
}

impl SeenCheck {
    fn keep(&mut self, size: (usize, usize), case: &Case) {
        if self.smallest.as_ref().is_none_or(|(known, _)| size < *known) {
            self.smallest = Some((size, case.clone().kept()));
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
    let mut made_values = (pair.matter == Matter::Objects).then(|| Made::new(field));
    let mut asked = 0;
    let begin = Instant::now();
    let mut made = (0..).flat_map(|chunk| generator.chunk(chunk, SEED)).map(|made| made.case).take(CASES);
    while begin.elapsed() < TIME {
        let batch: Vec<Case<'static>> = made.by_ref().take(judge.batch().max(1)).collect();
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
            if let Some(made) = &mut made_values {
                made.add(record, case, object.to_string().len());
                return;
            }
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
    checks.retain(|(_, check), _| fits(words, check.type_name(), &check.message));
    let on_field: Vec<&Rule> = rules_on(pair, field).collect();
    let named: Vec<&Rule> = on_field.iter().copied().filter(|rule| is_named(rule, words)).collect();
    let boundaries = boundaries(pair, &named, Instant::now() + TIME);
    let until = Instant::now() + TIME;
    let id = pair.id.to_string();
    let mut explanation = FieldExplanation::new(id.clone(), field.to_owned(), ObservedIn::Cases(compared));
    explanation.matter = pair.matter;
    explanation.checks = checks
        .into_iter()
        .map(|((side, check), seen)| ExplainedCheck {
            side: side.to_string(),
            error_type: check.type_name().to_owned(),
            message: check.message.clone(),
            figures: figures(pair.matter, seen.refused, seen.alone, accepted.refused),
            refused: seen.smallest.and_then(|(_, case)| refused(pair, side, &check, &case, until)),
        })
        .collect();
    explanation.made = made_values.map(|made| made.told(pair, Limits { calls: MOST_TRIALS }, until));
    explanation.accepted = accepted.smallest.and_then(|(_, case)| explained(&Judge::new(pair), &case, &|_| false));
    explanation.rules = on_field.iter().map(|rule| rule.reference().to_string()).collect();
    explanation.left_out = named.len() - boundaries.len();
    explanation.boundaries = boundaries;
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
    explained(&Judge::new(pair), &small, &|difference| check.is_in(difference))
}
