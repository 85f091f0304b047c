//! One fixture through our oracles, side by side with what was recorded.

use super::mismatch::Mismatch;
use super::multiset::difference;
use super::targets::release;
use crate::target::Target;
use regex::Regex;
use std::collections::BTreeSet;
use takeover_corpora::fixture::Fixture;
use takeover_harness::case::Operation;
use takeover_harness::compare::{Matcher, Semantics, compare, mismatches};
use takeover_harness::error::{BadValue, ErrorType, FieldError};
use takeover_harness::judge::{NoAnswer, consult};
use takeover_harness::object::{Arena, Instant, Node, Undecodable, equal};
use takeover_harness::oracle::{Objects, Oracle, Question};
use takeover_harness::path::{Path, pattern};
use takeover_oracles::handwritten::strategy::REQUEST_TIME;
use takeover_reports::conform::{Agreement, DECLARATIVE, DECODE, DEFAULTED, FixtureExample, HANDWRITTEN, MISMATCHES};

/// A difference: what fixtures are grouped by, and the two answers for people.
pub(super) type Difference = (String, String);

/// Judges `fixture` with `target` on every side that it records and `target` has.
pub(super) fn judge(
    fixture: &Fixture,
    target: &Target,
    marks: &BTreeSet<&'static str>,
    place: &str,
    bytes: usize,
    agreement: &mut Agreement,
) {
    let judged = Judged { fixture, target, marks };
    let kind = target.name.as_str();
    let operation = fixture.operation.to_string();
    let mut count = |side: &str, differences: Vec<Difference>| {
        agreement.count(kind, side, &operation, differences, |detail| FixtureExample {
            place: place.to_owned(),
            id: fixture.id.clone(),
            bytes,
            detail,
        });
    };
    let arena = Arena::new();
    let decoded = target.decode_value(&fixture.object, &arena);
    let old = fixture.old_object.as_ref().filter(|_| fixture.operation == Operation::Update);
    let old_decoded = old.map(|old| target.decode_value(old, &arena)).transpose();

    // An old object comes from storage: only the submitted one can fail to decode for the user.
    let refused = decoded.as_ref().err().or(old_decoded.as_ref().err());
    count(DECODE, decode_difference(fixture.expect.decode_error.as_deref(), refused));
    let (Ok(new), Ok(old)) = (decoded, old_decoded) else {
        // What Kubernetes judged and we cannot is a disagreement of every side that it recorded.
        let expect = &fixture.expect;
        let handwritten = target.reference().is_some();
        for (side, recorded) in [
            (DECLARATIVE, expect.declarative.is_some()),
            (HANDWRITTEN, expect.handwritten.is_some() && handwritten),
            (MISMATCHES, expect.mismatches.is_some() && handwritten),
        ] {
            if recorded {
                count(side, vec![("cannot judge what it cannot decode".to_owned(), String::new())]);
            }
        }
        return;
    };
    if fixture.expect.decode_error.is_some() {
        return;
    }

    let (new, old) = judged.defaulted(new, old, &arena, &mut count);
    let objects = Objects { schema: target.schema(), root: target.root, new, old };
    let objects = target.prepare(fixture.operation, &fixture.subresource, objects, &arena);
    let options = fixture.options.resolve(&target.options);
    let question =
        Question { operation: fixture.operation, objects, options: &options, subresource: &fixture.subresource };
    let candidate = errors_of(target.candidate.as_ref(), &question);
    if let Some(recorded) = &fixture.expect.declarative {
        count(DECLARATIVE, judged.errors_difference(recorded, &candidate, |_| true));
    }
    let Some(reference) = target.reference() else { return };
    let handwritten = errors_of(reference, &question);
    if let Some(recorded) = &fixture.expect.handwritten {
        count(HANDWRITTEN, judged.errors_difference(recorded, &handwritten, |error| !target.delegates(&error.field)));
    }
    if let Some(recorded) = &fixture.expect.mismatches {
        let recorded: Option<Vec<Mismatch>> = recorded.iter().map(Mismatch::recorded).collect();
        match (recorded, handwritten, candidate) {
            (Some(recorded), Ok(handwritten), Ok(candidate)) => {
                count(MISMATCHES, judged.mismatch_difference(&recorded, &handwritten, &candidate));
            }
            (None, _, _) => agreement.skip("mismatches recorded in a form that is not known here"),
            _ => count(MISMATCHES, vec![("cannot judge".to_owned(), "an oracle failed".to_owned())]),
        }
    }
}

pub(super) fn decode_difference(recorded: Option<&str>, refused: Option<&Undecodable>) -> Vec<Difference> {
    match (recorded, refused) {
        (Some(recorded), None) => {
            // The values differ from fixture to fixture; what is said before them does not.
            let shape: String = recorded.split([':', '"']).next().unwrap_or_default().to_owned();
            vec![(format!("accepts what Kubernetes cannot decode: {shape}"), recorded.to_owned())]
        }
        (None, Some(refused)) => {
            vec![(format!("cannot decode {}: {}", pattern(&refused.field), refused.reason), refused.to_string())]
        }
        _ => Vec::new(),
    }
}

/// The errors of one side, as a server has them.
fn errors_of(oracle: &dyn Oracle, question: &Question<'_>) -> Result<Vec<FieldError>, String> {
    match consult(oracle, question) {
        Ok(answer) => Ok(answer.errors.into_vec()),
        // A server loses all other errors, and answers with this one.
        Err(NoAnswer::Panicked(panic)) => {
            let detail = format!("panic during declarative validation: {}", panic.message);
            Ok(vec![FieldError::new(ErrorType::Internal, &Path::ROOT, BadValue::Null, detail)])
        }
        Err(failure) => Err(failure.to_string()),
    }
}

struct Judged<'j> {
    fixture: &'j Fixture,
    target: &'j Target,
    marks: &'j BTreeSet<&'static str>,
}

impl Judged<'_> {
    /// The objects that validation sees: defaulted by us where the fixture was defaulted by Kubernetes, otherwise as the
    /// fixture says that validation saw them.
    fn defaulted<'a>(
        &'a self,
        new: Node<'a>,
        old: Option<Node<'a>>,
        arena: &'a Arena,
        count: &mut dyn FnMut(&str, Vec<Difference>),
    ) -> (Node<'a>, Option<Node<'a>>) {
        let expect = &self.fixture.expect;
        let Some(recorded) = &expect.defaulted else { return (new, old) };
        let defaulter = self.target.defaulter.as_ref();
        if defaulter.is_none() && self.target.reference().is_none() {
            // Defaults are part of a reference; without one, take what Kubernetes made of the object.
            let seen = |value: &'a Option<serde_json::Value>| {
                value.as_ref().and_then(|value| self.target.decode_value(value, arena).ok())
            };
            let validated = seen(&expect.validated).or_else(|| seen(&expect.defaulted)).unwrap_or(new);
            let old = old.map(|old| seen(&expect.old_validated).or_else(|| seen(&expect.old_defaulted)).unwrap_or(old));
            return (validated, old);
        }
        let apply = |node| match defaulter {
            Some(defaulter) => defaulter.apply(self.target.schema(), self.target.root, node, arena),
            None => node,
        };
        let (new, old) = (apply(new), old.map(apply));
        let mut differences = Vec::new();
        for (name, ours, recorded) in
            [("object", Some(new), Some(recorded)), ("old object", old, expect.old_defaulted.as_ref())]
        {
            let (Some(ours), Some(recorded)) = (ours, recorded) else { continue };
            match self.target.decode_value(recorded, arena) {
                Ok(theirs) if equal(&ours, &theirs) => {}
                Ok(_) => {
                    let ours = takeover_harness::object::to_value(self.target.schema(), self.target.root, &ours);
                    let mut recorded = recorded.clone();
                    forget_request_time(&ours, &mut recorded);
                    let patched = Arena::new();
                    let same = self.target.decode_value(&recorded, &patched).is_ok_and(|theirs| {
                        takeover_harness::object::to_value(self.target.schema(), self.target.root, &theirs) == ours
                    });
                    if same {
                        continue;
                    }
                    let recorded = &recorded;
                    let paths = differing_paths(&ours, recorded);
                    differences.push((
                        format!(
                            "{name} defaulted otherwise at {}",
                            paths
                                .iter()
                                .map(|path| pattern(path))
                                .collect::<BTreeSet<_>>()
                                .into_iter()
                                .collect::<Vec<_>>()
                                .join(", ")
                        ),
                        paths.join("\n"),
                    ));
                }
                Err(refused) => {
                    let mut ours = takeover_harness::object::to_value(self.target.schema(), self.target.root, &ours);
                    let mut recorded = recorded.clone();
                    forget_late_times(&mut ours, &mut recorded);
                    let (mine, theirs) = (Arena::new(), Arena::new());
                    let mine = self.target.decode_value(&ours, &mine);
                    match (mine, self.target.decode_value(&recorded, &theirs)) {
                        (Ok(mine), Ok(theirs)) if equal(&mine, &theirs) => {}
                        _ => differences.push((format!("cannot decode the defaulted {name}"), refused.to_string())),
                    }
                }
            }
        }
        count(DEFAULTED, differences);
        (new, old)
    }

    fn errors_difference(
        &self,
        recorded: &[FieldError],
        ours: &Result<Vec<FieldError>, String>,
        judged: impl Fn(&FieldError) -> bool,
    ) -> Vec<Difference> {
        let ours = match ours {
            Ok(ours) => ours,
            Err(failure) => return vec![("fails".to_owned(), failure.clone())],
        };
        let recorded: Vec<&FieldError> = recorded.iter().filter(|error| judged(error)).collect();
        let ours: Vec<&FieldError> = ours.iter().filter(|error| judged(error)).collect();
        let (missing, unexpected) = difference(&recorded, &ours, |a, b| self.same(a, b));
        let pick = |list: &[&FieldError], indexes: &[usize]| -> Vec<FieldError> {
            indexes.iter().filter_map(|index| list.get(*index)).map(|error| (*error).clone()).collect()
        };
        let (missing, unexpected) = (pick(&recorded, &missing), pick(&ours, &unexpected));
        let detail = || {
            let line = |sign: char, error: &FieldError| {
                format!("{sign} {error} [origin `{}`{}]", error.origin, self.marks_of(error))
            };
            let lines =
                missing.iter().map(|error| line('-', error)).chain(unexpected.iter().map(|error| line('+', error)));
            lines.collect::<Vec<_>>().join("\n")
        };
        let shape = |error: &FieldError| {
            format!("{} {} `{}`", error.error_type.api_name(), pattern(&error.field), error.origin)
        };
        let mut differences: Vec<Difference> = Vec::new();
        for error in &missing {
            // The same error with other words or values is one difference, not two.
            let twin = unexpected.iter().any(|other| {
                other.error_type == error.error_type && other.field == error.field && other.origin == error.origin
            });
            let what = if twin { "says otherwise" } else { "misses" };
            differences.push((format!("{what} {}", shape(error)), detail()));
        }
        for error in &unexpected {
            let twin = missing.iter().any(|other| {
                other.error_type == error.error_type && other.field == error.field && other.origin == error.origin
            });
            if !twin {
                differences.push((format!("adds {}", shape(error)), detail()));
            }
        }
        differences
    }

    fn same(&self, recorded: &FieldError, ours: &FieldError) -> bool {
        let mark = |name: &str, same: bool| same || !self.marks.contains(name);
        recorded.error_type == ours.error_type
            && recorded.field == ours.field
            && recorded.origin == ours.origin
            && same_but_for_the_clock(&recorded.detail, &ours.detail)
            && recorded.bad_value.to_json() == ours.bad_value.to_json()
            && mark("shortCircuit", recorded.short_circuit == ours.short_circuit)
            && mark("stability", recorded.stability == ours.stability)
            && mark("coveredByDeclarative", recorded.covered_by_declarative == ours.covered_by_declarative)
    }

    fn marks_of(&self, error: &FieldError) -> String {
        let mut text = String::new();
        if let Some(stability) = error.stability {
            text.push_str(&format!(", {stability}"));
        }
        if error.short_circuit {
            text.push_str(", short circuit");
        }
        if error.covered_by_declarative {
            text.push_str(", covered");
        }
        text
    }

    fn mismatch_difference(
        &self,
        recorded: &[Mismatch],
        handwritten: &[FieldError],
        candidate: &[FieldError],
    ) -> Vec<Difference> {
        let matcher = match self.fixture.normalization_rules.as_slice() {
            [] => self.target.matcher.clone(),
            rules => Matcher::default().normalization(
                rules
                    .iter()
                    .filter_map(|rule| Some((Regex::new(&rule.regexp).ok()?, rule.replacement.clone())))
                    .collect(),
            ),
        };
        // Recorded in shadow mode: every declarative error took part.
        let matcher = matcher.as_of(Semantics::from(release(&self.fixture.kubernetes)));
        let comparison = compare(handwritten, candidate, &matcher);
        let ours: Vec<Mismatch> = mismatches(&comparison, handwritten, candidate)
            .map(|mismatch| Mismatch::of(mismatch.error, mismatch.direction))
            .collect();
        let (missing, unexpected) = difference(recorded, &ours, |a, b| a == b);
        let line = |sign: &str, mismatch: &Mismatch| {
            let direction = if mismatch.extra { "extra" } else { "unmatched" };
            let Mismatch { printed_type, field, origin, .. } = mismatch;
            (
                format!("{sign} {direction} {printed_type} {} `{origin}`", pattern(field)),
                format!("{direction} {printed_type} {field}"),
            )
        };
        missing
            .iter()
            .filter_map(|index| recorded.get(*index))
            .map(|mismatch| line("misses", mismatch))
            .chain(unexpected.iter().filter_map(|index| ours.get(*index)).map(|mismatch| line("adds", mismatch)))
            .collect()
    }
}

/// Puts our stand-in for the time of the request where a recorded object has any other time.
pub(super) fn forget_request_time(ours: &serde_json::Value, recorded: &mut serde_json::Value) {
    use serde_json::Value;
    match (ours, recorded) {
        (Value::String(ours), Value::String(recorded))
            if ours == REQUEST_TIME && Instant::parse(recorded).is_some() =>
        {
            ours.clone_into(recorded);
        }
        (Value::Object(ours), Value::Object(recorded)) => {
            for (name, member) in recorded {
                if let Some(ours) = ours.get(name) {
                    forget_request_time(ours, member);
                }
            }
        }
        (Value::Array(ours), Value::Array(recorded)) => {
            ours.iter().zip(recorded).for_each(|(ours, recorded)| forget_request_time(ours, recorded));
        }
        _ => {}
    }
}

/// Removes times of the year 10000, which an offset can lead to, where both objects have the same one: they are printed, but
/// are no times to a reader.
fn forget_late_times(ours: &mut serde_json::Value, recorded: &mut serde_json::Value) {
    use serde_json::Value;
    match (ours, recorded) {
        (ours, recorded) if ours == recorded && ours.as_str().is_some_and(|text| text.starts_with("10000-")) => {
            (*ours, *recorded) = (Value::Null, Value::Null);
        }
        (Value::Object(ours), Value::Object(recorded)) => {
            for (name, member) in recorded {
                if let Some(ours) = ours.get_mut(name) {
                    forget_late_times(ours, member);
                }
            }
        }
        (Value::Array(ours), Value::Array(recorded)) => {
            ours.iter_mut().zip(recorded).for_each(|(ours, recorded)| forget_late_times(ours, recorded));
        }
        _ => {}
    }
}

/// The paths at which two JSON trees differ, with both values; at most eight.
pub(super) fn differing_paths(ours: &serde_json::Value, theirs: &serde_json::Value) -> Vec<String> {
    fn walk(path: &str, ours: &serde_json::Value, theirs: &serde_json::Value, out: &mut Vec<String>) {
        use serde_json::Value;
        if out.len() >= 8 || ours == theirs {
            return;
        }
        match (ours, theirs) {
            (Value::Object(a), Value::Object(b)) => {
                for key in a.keys().chain(b.keys().filter(|key| !a.contains_key(*key))) {
                    let below = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
                    walk(&below, a.get(key).unwrap_or(&Value::Null), b.get(key).unwrap_or(&Value::Null), out);
                }
            }
            (Value::Array(a), Value::Array(b)) if a.len() == b.len() => {
                for (index, (a, b)) in a.iter().zip(b).enumerate() {
                    walk(&format!("{path}[{index}]"), a, b, out);
                }
            }
            _ => out.push(format!("{path}: ours {ours}, recorded {theirs}")),
        }
    }
    let mut out = Vec::new();
    walk("", ours, theirs, &mut out);
    out
}

/// Whether two texts are the same when the time of the recorded request stands for the time that our requests have.
fn same_but_for_the_clock(recorded: &str, ours: &str) -> bool {
    let mut rest = recorded;
    let mut parts = ours.split(REQUEST_TIME);
    let first = parts.next().unwrap_or_default();
    let Some(after) = rest.strip_prefix(first) else { return false };
    rest = after;
    for part in parts {
        let after = rest.split_at_checked(REQUEST_TIME.len()).filter(|(time, _)| Instant::parse(time).is_some());
        let Some(after) = after.and_then(|(_, after)| after.strip_prefix(part)) else { return false };
        rest = after;
    }
    rest.is_empty()
}

#[cfg(test)]
mod clock_tests {
    use super::*;

    #[test]
    fn a_recorded_time_stands_for_the_time_of_our_requests() {
        for (recorded, ours, same) in [
            ("a", "a", true),
            ("a", "b", false),
            ("ab", "a", false),
            ("at 2026-11-21T01:46:23Z", "at 2026-01-01T00:00:00Z", true),
            ("at 2026-11-21T01:46:23Z.", "at 2026-01-01T00:00:00Z", false),
            ("at noon, local time!", "at 2026-01-01T00:00:00Z", false),
            ("2026-11-21T01:46:23Z", "2025-01-01T00:00:00Z", false),
        ] {
            assert_eq!(same_but_for_the_clock(recorded, ours), same, "{recorded} {ours}");
        }
    }
}
