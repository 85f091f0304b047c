//! What judging a custom resource by its CRD costs: 2 KB, twenty constraints and five CEL rules, from bytes to a recorded verdict.

use super::defaulting;
use super::measure::{Work, measure};
use super::row::{Row, beside_copy, row};
use anyhow::Context as _;
use serde_json::Value;
use std::hint::black_box;
use std::time::Duration;
use takeover_custom_resources::refuse::accepted_kinds_of_crd;
use takeover_custom_resources::rules::RuleTree;
use takeover_custom_resources::validate::{Request, validate_request};
use takeover_custom_resources::{CrdOracle, CustomKind, coerce};
use takeover_harness::case::{Case, Operation, Options, Payload, Provenance};
use takeover_harness::evidence::{CasePlace, PairEvidence};
use takeover_harness::judge::{CaseRecord, Judge};
use takeover_harness::object::{Arena, FieldValidation};
use takeover_harness::oracle::{Answer, Question};
use takeover_harness::pair::Pair;
use takeover_harness::subject::SubjectId;

const CRD: &str = include_str!("objects/widget.crd.json");
const OBJECT: &str = include_str!("objects/widget.json");

/// Judgements between two looks at the clock.
const BATCH: usize = 32;

/// The custom resource that is measured.
pub struct Widget {
    kind: CustomKind,
    pair: Pair,
    case: Case<'static>,
    bytes: usize,
}

impl Widget {
    /// The kind, the pair and the case.
    ///
    /// # Errors
    /// Returns an error when the CRD or the object is not what an API server takes.
    pub fn new() -> anyhow::Result<Self> {
        let crd: Value = serde_json::from_str(CRD).context("the CRD of the sample is no JSON")?;
        let kinds = accepted_kinds_of_crd(&crd).context("the CRD of the sample")?;
        let kind = kinds.into_iter().next().context("the CRD of the sample serves no version")?;
        let text = serde_json::from_str::<Value>(OBJECT).context("the sample is no JSON")?.to_string();
        // A reference that agrees without looking: what is measured is the CRD and the harness.
        let agrees = |_: &Question<'_>, _: &mut Answer| {};
        let mut form = kind.form(FieldValidation::Strict);
        form.strategy = Some(kind.steps());
        let oracle = CrdOracle::new(kind.clone(), "")?;
        let (subject, rules) = (kind.subject(), kind.hints().to_vec());
        let pair = Pair { rules, ..Pair::new(subject, form, Box::new(agrees), Box::new(oracle)) };
        let bytes = text.len();
        let case = Case {
            operation: Operation::Create,
            object: Payload::Json(text.into_bytes().into()),
            old: None,
            options: Options::new(),
            provenance: Provenance::File { path: "widget.json".to_owned(), document: 1, line: 1 },
        };
        let (mut arena, mut record) = (Arena::new(), CaseRecord::new());
        let verdict = Judge::new(&pair).case(&case, &mut arena, &mut record);
        anyhow::ensure!(verdict.is_comparison(), "the sample is not compared: {verdict:?}");
        anyhow::ensure!(!record.candidate.rejects(), "the sample has errors: {:?}", record.candidate.errors.as_slice());
        Ok(Self { kind, pair, case, bytes })
    }

    /// Its kind, as `--kind` may name it.
    #[must_use]
    pub fn subject(&self) -> SubjectId {
        self.kind.subject()
    }

    /// The CRD beside a reference that agrees without looking.
    #[must_use]
    pub fn pair(&self) -> &Pair {
        &self.pair
    }

    /// A request to create the object, as bytes.
    #[must_use]
    pub fn case(&self) -> &Case<'static> {
        &self.case
    }

    /// The number of constraints of the schema, and that of its CEL rules.
    #[must_use]
    pub fn rules(&self) -> (usize, usize) {
        let cel = self.kind.cel_rules();
        (self.kind.hints().len().saturating_sub(cel), cel)
    }

    /// Measures the whole way and its parts for about `time`.
    ///
    /// # Errors
    /// Returns an error when the sample cannot be decoded, or its rules do not compile.
    pub fn run(&self, time: Duration) -> anyhow::Result<Vec<Row>> {
        let Self { kind, pair, case, bytes } = self;
        let judge = Judge::new(pair);
        let mut object: Value = serde_json::from_str(OBJECT).context("the sample is no JSON")?;
        coerce::coerce(&kind.structural, &mut object).ok().context("the sample is no object of its kind")?;
        let rules = RuleTree::of_schema(&kind.structural, &kind.written)?.context("the sample has no CEL rules")?;
        let (constraints, cel) = self.rules();
        let values = defaulting::values(std::iter::once(case));
        let arena = Arena::new();
        let decoded = defaulting::decoded(pair, &values, &arena);
        let defaults = defaulting::works(pair, &decoded);
        let names = [
            "decode and default, from JSON bytes".to_owned(),
            "decode, prune, default and prepare, for both sides".to_owned(),
            "schema alone".to_owned(),
            format!("CEL alone ({cel} rules)"),
            format!("JSON bytes to recorded verdict ({bytes} bytes, {constraints} constraints, {cel} CEL rules)"),
        ];
        let names =
            names.into_iter().chain(defaulting::NAMES.iter().take(defaults.len()).map(|name| (*name).to_owned()));
        let mut works: Vec<Work<'_>> = vec![
            {
                let mut arena = Arena::new();
                repeated(move || {
                    arena.reset();
                    let _ = black_box(pair.decode(&case.object, &arena).is_ok());
                })
            },
            {
                let mut arena = Arena::new();
                repeated(move || {
                    arena.reset();
                    let _ = black_box(pair.prepare(case, &arena).is_ok());
                })
            },
            repeated(|| drop(black_box(validate_request(kind, &object, Request::Create)))),
            repeated(|| drop(black_box(rules.judge(&object, None)))),
            {
                let (mut arena, mut record) = (Arena::new(), CaseRecord::new());
                let mut evidence = PairEvidence::of(&judge);
                let judge = &judge;
                repeated(move || {
                    let verdict = judge.case(case, &mut arena, &mut record);
                    evidence.record(CasePlace::default(), case, &verdict, &record);
                })
            },
        ];
        works.extend(defaults.into_iter().map(|mut one| repeated(move || _ = one())));
        let measured = measure(time, &mut works);
        let decode = measured.first().map_or(f64::NAN, |decode| decode.median_ns);
        let mut rows: Vec<Row> =
            names.zip(measured).map(|(what, measured)| row(&pair.id, what, measured, decode)).collect();
        beside_copy(&mut rows, defaulting::COPY, defaulting::DEFAULT);
        Ok(rows)
    }
}

/// Does some work a number of times, and returns that.
fn repeated<'w>(mut one: impl FnMut() + 'w) -> Work<'w> {
    Box::new(move || {
        (0..BATCH).for_each(|_| one());
        BATCH
    })
}

#[cfg(test)]
mod tests {
    use super::Widget;
    use std::time::Duration;

    #[test]
    fn the_sample_has_the_size_and_the_rules_that_are_stated() {
        let widget = Widget::new().unwrap();
        assert_eq!(widget.rules(), (20, 5));
        assert!((2_000..2_100).contains(&widget.bytes), "{} bytes", widget.bytes);
        let rows = widget.run(Duration::ZERO).unwrap();
        let of = |what: &str| rows.iter().find(|row| row.what.starts_with(what)).unwrap().least_ns;
        let (whole, cel) = (of("JSON bytes to recorded verdict"), of("CEL alone"));
        assert!(cel > 0.0 && whole > cel, "{rows:?}");
        assert!(rows.iter().all(|row| !row.includes.is_empty()), "{rows:?}");
        assert!(of("default, from") > 0.0 && of("deep copy") > 0.0, "{rows:?}");
    }
}
