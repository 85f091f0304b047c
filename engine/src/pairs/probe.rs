//! What an oracle tells of itself before a run: which objects it accepts, and where its checks have their bounds.
//!
//! A validator outside this program brings no rules that would say which values are worth trying. Its answers do: an error names a
//! field and often a bound. `probed` mends an object by the errors that the reference has against it until it is accepted, and reads
//! bounds and values from what both sides say of generated cases. The same oracles give the same result, so that every process of a
//! run comes to the same cases.

use super::filling::{asked, filled, is_valid, told};
use super::message::worth_trying;
use super::probing_progress::ProbingProgress;
use super::repair::{Repair, first_draft};
use crate::stop::{Stop, Stopped};
use serde_json::Value;
use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};
use takeover_corpora::generate::{Generator, GeneratorSettings};
use takeover_harness::case::{Case, Operation};
use takeover_harness::check::Check;
use takeover_harness::compare::Comparator;
use takeover_harness::error::{ErrorType, FieldError};
use takeover_harness::form::Form;
use takeover_harness::judge::{CaseRecord, Judge, Judgement};
use takeover_harness::object::Arena;
use takeover_harness::oracle::Answer;
use takeover_harness::pair::{Pair, Probed};
use takeover_harness::path::pattern;
use takeover_harness::rule::ErrorShape;
use takeover_harness::schema::{Kind, Presence, Schema, TypeId};
use takeover_harness::side::{BySide, Side};

/// How often an object is mended.
const MOST_REPAIRS: usize = 200;

/// One in so many of the cases may be spent on filling an accepted object: none of a server, which is asked no cases before a run.
const OF_FILLING: u64 = 4;

/// How many rounds of cases are generated, each from what the round before told.
const ROUNDS: u64 = 3;

/// Longest text of wide characters that is tried.
const MOST_WIDE: usize = 2_048;

/// Most checks that are kept.
const MOST_CHECKS: usize = 2_000;

/// Most accepted objects that are kept, beside the one that was mended.
const MOST_OBJECTS: usize = 12;

/// So many cases may stay without an answer, however few were answered.
const FORGIVEN: u64 = 20;

/// Beyond them, no more is asked when more than one case in so many stayed without an answer.
const CASES_A_FAILURE: u64 = 4;

/// Most cases that are judged before anybody looks whether to stop.
const MOST_AT_ONCE: usize = 64;

/// The pair, with what its oracles told when they were asked about `cases` generated cases and the objects that were mended.
/// Where the comparison is left open and a side turns out to refuse without naming fields, the pair is compared by decision.
/// Oracles that leave too many cases without an answer are asked no further: what they told until then counts.
///
/// # Errors
/// Returns an error when somebody asks this process to stop.
pub(crate) fn probed(
    pair: Pair,
    cases: u64,
    leaves_comparison_open: bool,
    progress: &dyn ProbingProgress,
) -> Result<Pair, Stopped> {
    let pair = asked_all(pair, cases, leaves_comparison_open, progress);
    progress.done();
    pair
}

fn asked_all(
    mut pair: Pair,
    cases: u64,
    leaves_comparison_open: bool,
    progress: &dyn ProbingProgress,
) -> Result<Pair, Stopped> {
    let mut found = Found { known: std::mem::take(&mut pair.probed.checks), ..Found::default() };
    if pair.operations().contains(&Operation::Create) {
        let say = || progress.asked(&pair.id, 0, cases);
        match mended(&pair, &mut found, &say)? {
            Mended::Accepted(mended) => {
                found.keep(&pair.form, mended.clone());
                let filled = found.filled(&pair, mended, cases / OF_FILLING, &say)?;
                found.keep(&pair.form, filled);
            }
            // Accepted ones are to be kept beside it, even if they set no more fields.
            Mended::Valid(object) => found.objects.push(object),
            Mended::Nothing => {}
        }
    }
    let blind = length_checks(&pair.form.schema, pair.form.root);
    for round_number in 0..ROUNDS {
        pair.probed = found.probed();
        if round_number == 0 {
            pair.probed.checks.extend(blind.iter().cloned());
        }
        let known = found.objects.len();
        round(&pair, cases / ROUNDS, &mut found, &|asked| progress.asked(&pair.id, asked, cases))?;
        // Another member of a union, say, has optional fields of its own.
        let asked = found.asked;
        for at in known..found.objects.len() {
            let Some(object) = found.objects.get(at).cloned() else { break };
            let filled = found.filled(&pair, object, cases / OF_FILLING, &|| progress.asked(&pair.id, asked, cases))?;
            found.objects.get_mut(at).into_iter().for_each(|object| object.clone_from(&filled));
        }
        if found.is_hopeless() {
            break;
        }
    }
    pair.probed = found.probed();
    if leaves_comparison_open && pair.comparator.compares_errors() && found.refuses_without_fields() {
        pair.comparator = Comparator::Decision;
    }
    Ok(pair)
}

/// An error with a bound or the values that it names.
type Told = (ErrorShape, Option<i64>, Vec<String>);

/// What was found so far.
#[derive(Default)]
struct Found {
    /// Checks that were known before anything was asked.
    known: Vec<Check>,
    checks: BTreeMap<Told, Vec<Operation>>,
    objects: Vec<Value>,
    /// How many fields the largest object sets.
    largest: usize,
    /// Path patterns of the fields that one of the objects sets.
    fields: BTreeSet<String>,
    /// How many questions were spent on filling objects.
    spent: u64,
    /// How often each side refused.
    refusals: BySide<Refusals>,
    /// How many cases both sides were asked about.
    asked: u64,
    /// How many of them an oracle did not answer, or died of.
    failed: u64,
}

/// How often a side refused.
#[derive(Default)]
struct Refusals {
    /// With errors that name fields.
    with_fields: u64,
    without_fields: u64,
}

impl Found {
    /// Whether too many cases stay without an answer to ask any further. It counts, and takes no time: every process of a run comes
    /// to the same.
    fn is_hopeless(&self) -> bool {
        self.failed > FORGIVEN && self.failed * CASES_A_FAILURE > self.asked
    }

    fn count(&mut self, is_answered: bool) {
        self.asked += 1;
        self.failed += u64::from(!is_answered);
    }

    fn note_refusal(&mut self, side: Side, answer: &Answer) {
        let refusals = self.refusals.of_mut(side);
        refusals.with_fields += u64::from(!answer.errors.is_empty());
        refusals.without_fields += u64::from(answer.errors.is_empty() && answer.rejects());
    }

    /// Whether there is a side that refuses, and never names a field.
    fn refuses_without_fields(&self) -> bool {
        let is_bare = |of: &Refusals| of.with_fields == 0 && of.without_fields > 0;
        Side::ALL.into_iter().any(|side| is_bare(self.refusals.of(side)))
    }

    fn note(&mut self, operation: Operation, errors: &[FieldError]) {
        for error in errors {
            for (limit, values) in worth_trying(error.error_type, &error.detail) {
                let origin = error.origin.to_string();
                let shape = ErrorShape { error_type: error.error_type, field: pattern(&error.field), origin };
                if self.checks.len() >= MOST_CHECKS
                    && !self.checks.contains_key(&(shape.clone(), limit, values.clone()))
                {
                    continue;
                }
                let operations = self.checks.entry((shape, limit, values)).or_default();
                if !operations.contains(&operation) {
                    operations.push(operation);
                    operations.sort_unstable();
                }
            }
        }
    }

    /// Keeps an object that the reference accepts if it sets more fields than those before it, or one that none of them sets.
    fn keep(&mut self, form: &Form, object: Value) {
        let size = leaves(&object);
        let mut fields = BTreeSet::new();
        set_fields(&form.schema, form.root, &object, String::new(), &mut fields);
        if self.objects.len() <= MOST_OBJECTS && (size > self.largest || !fields.is_subset(&self.fields)) {
            self.largest = self.largest.max(size);
            self.fields.extend(fields);
            self.objects.push(object);
        }
    }

    /// An object with more fields, for what is left of `most` questions.
    fn filled(&mut self, pair: &Pair, object: Value, most: u64, say: &dyn Fn()) -> Result<Value, Stopped> {
        let (mut heard, asked) = (Vec::new(), Cell::new(0));
        let counted = || {
            asked.set(asked.get() + 1);
            say();
        };
        let hear = &mut |errors: &[FieldError]| heard.push(errors.to_vec());
        let object = filled(pair, object, most.saturating_sub(self.spent), hear, &counted)?;
        self.spent += asked.get();
        heard.iter().for_each(|errors| self.note(Operation::Create, errors));
        set_fields(&pair.form.schema, pair.form.root, &object, String::new(), &mut self.fields);
        Ok(object)
    }

    fn probed(&self) -> Probed {
        let check = |((error, limit, values), operations): (&Told, &Vec<Operation>)| Check {
            error: error.clone(),
            operations: operations.clone(),
            covered: false,
            limit: *limit,
            values: values.clone(),
        };
        let checks: Vec<Check> = self.checks.iter().map(check).collect();
        // A length in bytes is told from one in characters by a text of characters of two bytes.
        let wide = |check: &Check| {
            let length = check
                .limit
                .and_then(|limit| usize::try_from(limit).ok())
                .filter(|limit| (1..=MOST_WIDE).contains(limit))?;
            let error = ErrorShape { error_type: ErrorType::Invalid, ..check.error.clone() };
            (check.error_type() == ErrorType::TooLong).then(|| Check {
                error,
                limit: None,
                values: vec!["é".repeat(length)],
                ..check.clone()
            })
        };
        let wide: Vec<Check> = checks.iter().filter_map(wide).collect();
        Probed {
            checks: checks.into_iter().chain(wide).chain(self.known.iter().cloned()).collect(),
            objects: self.objects.clone(),
        }
    }
}

/// Most texts whose length is tried blindly.
const MOST_TEXTS: usize = 200;

/// How deep types are searched for texts.
const DEEPEST: usize = 10;

/// A check on the length of every text of a type, to find out which there are.
fn length_checks(schema: &Schema, root: TypeId) -> Vec<Check> {
    let mut checks = Vec::new();
    texts(schema, root, String::new(), 0, &mut checks);
    checks
}

fn texts(schema: &Schema, ty: TypeId, path: String, depth: usize, checks: &mut Vec<Check>) {
    if depth > DEEPEST || checks.len() >= MOST_TEXTS {
        return;
    }
    match schema.pointed(ty).1 {
        Kind::Text => checks.push(Check {
            error: ErrorShape { error_type: ErrorType::TooLong, field: path, origin: String::new() },
            operations: Operation::ALL.to_vec(),
            covered: false,
            limit: None,
            values: Vec::new(),
        }),
        Kind::List(element) => texts(schema, *element, format!("{path}[*]"), depth + 1, checks),
        Kind::Struct(members) => {
            for field in &members.fields {
                let below = match (field.presence, path.as_str()) {
                    // What an API server says of metadata it says by itself.
                    (Presence::Named, "") if &*field.json_name == "metadata" => continue,
                    (Presence::Named, "") => field.json_name.to_string(),
                    (Presence::Named, path) => format!("{path}.{}", field.json_name),
                    (Presence::Inlined, path) => path.to_owned(),
                    (Presence::Hidden, _) => continue,
                };
                texts(schema, field.ty, below, depth + 1, checks);
            }
        }
        _ => {}
    }
}

/// How many texts, numbers and truth values there are in an object.
fn leaves(object: &Value) -> usize {
    match object {
        Value::Object(members) => members.values().map(leaves).sum(),
        Value::Array(items) => items.iter().map(leaves).sum(),
        Value::Null => 0,
        _ => 1,
    }
}

/// Adds the path patterns of the fields that an object sets, beside those of its metadata.
fn set_fields(schema: &Schema, ty: TypeId, object: &Value, path: String, out: &mut BTreeSet<String>) {
    match object {
        Value::Object(members) => {
            for (name, member) in members.iter().filter(|(name, _)| !(path.is_empty() && *name == "metadata")) {
                let (below, path) = match (schema.below(ty, Some(name)), schema.below(ty, None)) {
                    (Some(below), _) if path.is_empty() => (below, name.clone()),
                    (Some(below), _) => (below, format!("{path}.{name}")),
                    (None, Some(below)) => (below, format!("{path}[*]")),
                    (None, None) => continue,
                };
                set_fields(schema, below, member, path, out);
            }
        }
        Value::Array(items) => {
            let Some(below) = schema.below(ty, None) else { return };
            items.iter().for_each(|item| set_fields(schema, below, item, format!("{path}[*]"), out));
        }
        _ => {}
    }
    if !path.is_empty() && !object.is_null() {
        out.insert(path);
    }
}

/// What became of the first draft.
enum Mended {
    /// The reference accepts it.
    Accepted(Value),
    /// The reference cannot be satisfied; a server would at least ask it.
    Valid(Value),
    Nothing,
}

/// Mends what the reference, and a server before it, have against the first draft.
fn mended(pair: &Pair, found: &mut Found, say: &dyn Fn()) -> Result<Mended, Stopped> {
    let mut object = first_draft(&pair.id.subject);
    let mut repair = Repair::of(pair);
    let mut valid = None;
    for _ in 0..MOST_REPAIRS {
        Stop::check()?;
        say();
        if is_valid(pair, &object) {
            valid = Some(object.clone());
        }
        let Some(errors) = asked(pair, Side::Reference, &object) else { break };
        if errors.is_empty() {
            return Ok(Mended::Accepted(object));
        }
        // What is skipped shows no check.
        if pair.validation.is_none() || valid.as_ref() == Some(&object) {
            found.note(Operation::Create, &errors);
        }
        if !errors.iter().any(|error| repair.mend(&mut object, error)) {
            break;
        }
    }
    Ok(valid.map_or(Mended::Nothing, Mended::Valid))
}

/// Generates cases from what is known, and notes what both sides say of them. Says how many were asked about so far.
fn round(pair: &Pair, cases: u64, found: &mut Found, say: &dyn Fn(u64)) -> Result<(), Stopped> {
    let generator = Generator::of(pair, Vec::new(), 0);
    let chunk_len = GeneratorSettings::of(pair, 0).chunk_size.max(1);
    let chunks = (0..cases.div_ceil(chunk_len)).flat_map(|number| generator.chunk(number, 0));
    let all: Vec<Case<'static>> =
        chunks.take(usize::try_from(cases).unwrap_or(usize::MAX)).map(|made| made.case).collect();
    let judge = Judge::new(pair).without_causes();
    let (mut arena, mut record) = (Arena::new(), CaseRecord::new());
    for part in all.chunks(judge.batch().clamp(1, MOST_AT_ONCE)) {
        Stop::check()?;
        if found.is_hopeless() {
            break;
        }
        say(found.asked);
        judge.cases_then(part, &mut arena, &mut record, |index, judgement, shown, record| {
            if !matches!(judgement, Judgement::Unprepared(_)) {
                found.count(judgement.is_comparison() && record.panics.is_empty());
            }
            let Some(case) = part.get(index).filter(|_| judgement.is_comparison()) else { return };
            for (side, answer) in [(Side::Reference, &record.reference), (Side::Candidate, &record.candidate)] {
                if let Some(prepared) = shown {
                    found.note(case.operation, &told(answer, &prepared.question.objects));
                }
                found.note_refusal(side, answer);
            }
            if !record.reference.rejects()
                && let Ok(object) = case.object.to_value()
            {
                found.keep(&pair.form, object);
            }
        });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::probing_progress::ProbingProgress;
    use super::{CASES_A_FAILURE, FORGIVEN, MOST_AT_ONCE, probed};
    use std::sync::atomic::{AtomicU64, Ordering};
    use std::sync::{Arc, Mutex};
    use takeover_harness::catalogue::Catalogue as _;
    use takeover_harness::oracle::{Answer, Oracle, OracleFailure, Question, View};
    use takeover_harness::pair::Pair;
    use takeover_harness::subject::PairId;
    use takeover_oracles::registry::Registry;

    /// Counts questions, and does not answer every so many-th.
    struct Forgetful(Arc<AtomicU64>, u64);

    impl Oracle for Forgetful {
        fn answer(&self, _: &Question<'_>, _: &View<'_>, _: &mut Answer) -> Result<(), OracleFailure> {
            let number = self.0.fetch_add(1, Ordering::Relaxed);
            if number.is_multiple_of(self.1) { Err(OracleFailure::new("it died")) } else { Ok(()) }
        }
    }

    /// What was said of progress: each number of cases, and a call at the end.
    #[derive(Default)]
    struct Said(Mutex<Vec<(u64, u64)>>, AtomicU64);

    impl ProbingProgress for Said {
        fn asked(&self, _: &PairId, cases: u64, most: u64) {
            assert_eq!(self.1.load(Ordering::Relaxed), 0, "nothing after the end");
            self.0.lock().unwrap().push((cases, most));
        }

        fn done(&self) {
            self.1.fetch_add(1, Ordering::Relaxed);
        }
    }

    #[test]
    fn it_is_said_how_many_cases_of_how_many_were_asked_about() {
        let registry = Registry::of_builtin().unwrap();
        let id = registry.subjects().next().unwrap();
        let said = Said::default();
        probed(registry.pair(&id.into()).unwrap(), 600, false, &said).unwrap();
        let steps = said.0.into_inner().unwrap();
        assert!(steps.iter().all(|(cases, most)| (*cases, *most) <= (600, 600)), "{steps:?}");
        assert!(steps.is_sorted() && steps.first() == Some(&(0, 600)), "{steps:?}");
        assert!(steps.iter().any(|(cases, _)| (300..600).contains(cases)), "{steps:?}");
        assert_eq!(said.1.into_inner(), 1);
    }

    /// How many questions a reference gets in a round, that answers all but every `n`th.
    fn asked(n: u64) -> u64 {
        let registry = Registry::of_builtin().unwrap();
        let id = registry.subjects().next().unwrap();
        let count = Arc::new(AtomicU64::new(0));
        let counted = Arc::clone(&count);
        let reference = Forgetful(counted, n);
        let pair = Pair { reference: Box::new(reference), ..registry.pair(&id.into()).unwrap() };
        probed(pair, 1_500, false, &Said::default()).unwrap();
        count.load(Ordering::Relaxed)
    }

    #[test]
    fn an_oracle_that_leaves_too_much_without_an_answer_is_asked_no_further() {
        let most = FORGIVEN * 2 + 2 * MOST_AT_ONCE as u64;
        assert!((FORGIVEN..most).contains(&asked(2)), "{}", asked(2));
        assert_eq!(asked(2), asked(2));
        assert!(asked(CASES_A_FAILURE * 2) > 1_000);
    }
}
