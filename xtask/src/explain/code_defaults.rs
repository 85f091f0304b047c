//! Defaults that code alone sets: no marker declares them, so no rule of a pair names them.

use super::examples::SEED;
use serde_json::Value;
use std::collections::BTreeMap;
use takeover_corpora::generate::Generator;
use takeover_corpora::minimise::{Limits, minimise};
use takeover_corpora::recorded::{accepted_objects, cases_of};
use takeover_harness::case::{Case, Operation};
use takeover_harness::compare::Matter;
use takeover_harness::error::FieldError;
use takeover_harness::judge::{CaseRecord, Judge};
use takeover_harness::object::Arena;
use takeover_harness::pair::Pair;
use takeover_harness::path::pattern;
use takeover_harness::rule::{ErrorShape, Rule, RuleId};
use takeover_reports::explain::{Example, Shown};

/// Cases that are judged beside the recorded ones.
const CASES: u64 = 400;

/// A default that code alone sets.
#[derive(Clone)]
pub struct CodeDefault {
    /// What it sets, in the form of a rule: its path, and `default="None"`, or `default by code` if it depends on other fields.
    pub rule: Rule,
    /// A small object that takes it.
    pub example: Example,
}

/// The defaults that code alone sets in recorded and generated objects of a pair of defaults, by path. Empty for other pairs.
pub fn code_defaults(pair: &Pair) -> Vec<CodeDefault> {
    if pair.matter != Matter::Defaults {
        return Vec::new();
    }
    let mut seen: BTreeMap<String, Seen> = BTreeMap::new();
    let judge = Judge::new(pair).without_causes();
    let (mut arena, mut record) = (Arena::new(), CaseRecord::new());
    let recorded = cases_of(pair);
    let generator = Generator::of(pair, accepted_objects(pair, &recorded), SEED);
    let generated = (0..CASES).filter_map(|index| generator.case(0, SEED, index)).map(|made| made.case);
    for case in recorded.into_iter().chain(generated).filter(|case| case.operation == Operation::Create) {
        if judge.case(&case, &mut arena, &mut record).is_undecodable() {
            continue;
        }
        for error in by_code(&record) {
            let size = case.object.to_value().map_or(usize::MAX, |object| object.to_string().len());
            let of_field = seen.entry(pattern(&error.field)).or_insert_with(|| Seen::of(error, &case, size));
            of_field.add(error, &case, size);
        }
    }
    seen.into_iter().filter_map(|(path, of)| of.told(path, &judge)).collect()
}

/// The errors that stand for defaults of code without a marker.
fn by_code(record: &CaseRecord) -> impl Iterator<Item = &FieldError> {
    record
        .reference
        .errors
        .iter()
        .filter(|error| !error.covered_by_declarative && error.detail.starts_with("takes the default"))
}

/// What was seen of a default.
struct Seen {
    error: FieldError,
    /// Whether its value was always the same, whatever else the object said.
    is_constant: bool,
    case: Case<'static>,
    size: usize,
}

impl Seen {
    fn of(error: &FieldError, case: &Case, size: usize) -> Self {
        Self {
            error: error.clone(),
            is_constant: error.origin.starts_with("default="),
            case: case.clone().kept(),
            size,
        }
    }

    fn add(&mut self, error: &FieldError, case: &Case, size: usize) {
        self.is_constant &= error.origin == self.error.origin;
        if size < self.size {
            *self = Self { is_constant: self.is_constant, ..Self::of(error, case, size) };
        }
    }

    fn told(self, path: String, judge: &Judge<'_>) -> Option<CodeDefault> {
        let (mut arena, mut record) = (Arena::new(), CaseRecord::new());
        let small = minimise(&self.case, Limits::default(), |case: &Case| {
            let is_judged = !judge.case(case, &mut arena, &mut record).is_undecodable();
            let is_same = |error: &FieldError| pattern(&error.field) == path && error.detail == self.error.detail;
            is_judged && by_code(&record).any(is_same)
        });
        let mut object = small.case.object.to_value().ok()?;
        if let Some(members) = object.as_object_mut() {
            members.retain(|name, _| !matches!(name.as_str(), "apiVersion" | "kind"));
        }
        let origin = if self.is_constant { self.error.origin.to_string() } else { DEPENDS.to_owned() };
        let report = ErrorShape { error_type: self.error.error_type, field: path.clone(), origin: origin.clone() };
        let shown = Shown {
            object,
            old: None,
            reference: true,
            candidate: false,
            because: Some(self.error.detail.into_owned()),
        };
        let example = Example { class: "unset".to_owned(), breaks: true, shown: Some(shown) };
        Some(CodeDefault { rule: Rule { reports: vec![report], ..Rule::new(RuleId(u32::MAX), path, origin) }, example })
    }
}

/// What stands for the value of a default that depends on other fields.
const DEPENDS: &str = "default by code";

impl CodeDefault {
    /// What there is to know of it beside its value.
    pub fn conditions(&self) -> Vec<String> {
        let value =
            self.rule.chain.strip_prefix("default=").filter(|value| serde_json::from_str::<Value>(value).is_ok());
        let more = match value {
            Some(value) => format!("always the same value: `+default={value}` on the field may replace it"),
            None => "its value depends on other fields: no marker can declare it".to_owned(),
        };
        vec!["set by code alone: no marker declares it".to_owned(), more]
    }
}
