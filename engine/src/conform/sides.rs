//! One fixture through our oracles: every side that was recorded is the reference of a pair, and ours its candidate.

use super::judging::{Line, disagreements};
use super::mismatch;
use super::objects::printed_by_us;
use super::oracles::{AsRecorded, Made, Mismatches, Served};
use super::targets::release;
use super::untold::{UNTOLD, WithRecordedLists, written_without_empty};
use crate::target::Target;
use serde_json::Value;
use std::collections::BTreeSet;
use takeover_corpora::fixture::{Fixture, NormalizationRule, Recorded};
use takeover_harness::case::{Operation, Options};
use takeover_harness::compare::{Comparator, Matcher, Mismatch, Semantics, Unset};
use takeover_harness::error::FieldError;
use takeover_harness::object::{Arena, FieldValidation, Node, Undecodable};
use takeover_harness::oracle::{Objects, Question};
use takeover_harness::pair::Pair;
use takeover_harness::path::pattern;
use takeover_reports::conform::{Agreement, DECLARATIVE, DECODE, DEFAULTED, FixtureExample, HANDWRITTEN, MISMATCHES};

/// How objects are compared.
pub(super) const OBJECTS: Comparator = Comparator::Objects { unset: Unset::Empty };

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
    let mut count = |side: &str, lines: Vec<Line>| {
        agreement.count(kind, side, &operation, lines, |detail| FixtureExample {
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
    let refused = decoded.as_ref().err().or(old_decoded.as_ref().err()).map(Refusal::from);
    count(DECODE, decoding(target, fixture.operation, fixture.expect.decode_error.as_deref(), refused));
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
    let objects = Objects { schema: target.schema(), root: target.root, new, old, sent: None };
    let objects = target.prepare(fixture.operation, &fixture.subresource, objects, &arena);
    let options = fixture.options.resolve(&target.options);
    let question =
        Question { operation: fixture.operation, objects, options: &options, subresource: &fixture.subresource };
    let candidate = Served::new(&target.candidate);
    if let Some(recorded) = &fixture.expect.declarative {
        count(DECLARATIVE, disagreements(&judged.errors(recorded, &candidate), &question));
    }
    let Some(reference) = target.reference().map(Served::new) else { return };
    let mut untold = false;
    if let Some(recorded) = &fixture.expect.handwritten {
        let pair = |pair| Pair { delegated: target.delegated.clone(), ..pair };
        let lines = disagreements(&pair(judged.errors(recorded, &reference)), &question);
        untold = !lines.is_empty()
            && written_without_empty(fixture)
            && disagreements(&pair(judged.errors_with_lists(recorded, &reference)), &question).is_empty();
        if !untold {
            count(HANDWRITTEN, lines);
        }
    }
    if fixture.expect.mismatches.is_some() && judged.comparator().matcher().is_none() && target.comparator.is_some() {
        agreement.skip("mismatches of a pair that is not compared as Kubernetes compares");
    } else if let Some(recorded) = &fixture.expect.mismatches {
        match recorded.iter().map(mismatch::recorded).collect() {
            Some(recorded) => {
                let pair = judged.mismatches(recorded, reference, candidate);
                count(MISMATCHES, disagreements(&pair, &question));
            }
            None => agreement.skip("mismatches recorded in an unknown form"),
        }
    }
    if untold {
        agreement.skip(UNTOLD);
    }
}

/// Why we take an object for no object of its kind.
pub(super) struct Refusal {
    /// What such refusals are grouped by.
    pub why: String,
    /// The whole of it, for people.
    pub text: String,
}

impl From<&Undecodable> for Refusal {
    fn from(refused: &Undecodable) -> Self {
        Self { why: format!("{} {}", pattern(&refused.field), refused.reason), text: refused.to_string() }
    }
}

/// The decisions whether there is an object at all: the one that was recorded, and ours.
pub(super) fn decoding(
    target: &Target,
    operation: Operation,
    recorded: Option<&str>,
    refused: Option<Refusal>,
) -> Vec<Line> {
    let (why, refused) = match refused {
        Some(Refusal { why, text }) => (why, Some(text)),
        // The values differ from fixture to fixture; what is said before them does not.
        None => (recorded.unwrap_or_default().split([':', '"']).next().unwrap_or_default().to_owned(), None),
    };
    let pair =
        target.pair(Recorded::decision(recorded.map(str::to_owned)), Recorded::decision(refused), Comparator::Decision);
    let objects = Objects { schema: target.schema(), root: target.root, new: Node::Unset, old: None, sent: None };
    let question = Question { operation, objects, options: &Options::new(), subresource: &target.subresource };
    disagreements(&pair, &question).into_iter().map(|(line, detail)| (format!("{line}: {why}"), detail)).collect()
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
        count: &mut dyn FnMut(&str, Vec<Line>),
    ) -> (Node<'a>, Option<Node<'a>>) {
        let Self { fixture, target, .. } = self;
        let expect = &fixture.expect;
        let Some(recorded) = &expect.defaulted else { return (new, old) };
        if target.defaulter.is_none() && target.reference().is_none() {
            // Defaults are part of a reference; without one, take what Kubernetes made of the object.
            let seen =
                |value: &'a Option<Value>| value.as_ref().and_then(|value| target.decode_value(value, arena).ok());
            let validated = seen(&expect.validated).or_else(|| seen(&expect.defaulted)).unwrap_or(new);
            let old = old.map(|old| seen(&expect.old_validated).or_else(|| seen(&expect.old_defaulted)).unwrap_or(old));
            return (validated, old);
        }
        let defaulted = |node| target.defaulted(node, arena);
        let (new, old) = (defaulted(new), old.map(defaulted));
        let made = |ours: Node<'_>, recorded: &Value| {
            let recorded = printed_by_us(target, recorded, FieldValidation::Strict, |_, node, _| node);
            let ours_at = Made { recorded: recorded.as_ref().ok().cloned() };
            let objects = Objects { schema: target.schema(), root: target.root, new: ours, old: None, sent: None };
            let (options, subresource) = (&Options::new(), fixture.subresource.as_str());
            let question = Question { operation: fixture.operation, objects, options, subresource };
            disagreements(&target.pair(Recorded::object(recorded), ours_at, OBJECTS), &question)
        };
        let mut lines = made(new, recorded);
        if let (Some(old), Some(recorded)) = (old, &expect.old_defaulted) {
            let lines_of_old = made(old, recorded).into_iter();
            lines.extend(lines_of_old.map(|(line, detail)| (format!("old object: {line}"), detail)));
        }
        count(DEFAULTED, lines);
        (new, old)
    }

    /// Recorded errors, and those of an oracle of ours.
    fn errors(&self, recorded: &[FieldError], ours: &Served) -> Pair {
        self.target.pair(Recorded::errors(recorded.to_vec()), self.as_recorded(recorded, ours), self.comparator())
    }

    /// How errors are compared: word for word, unless the pair says otherwise.
    fn comparator(&self) -> Comparator {
        self.target.comparator.clone().unwrap_or(Comparator::Verbatim)
    }

    /// The same, with the recorded values of errors for ours where they differ in empty lists alone.
    fn errors_with_lists(&self, recorded: &[FieldError], ours: &Served) -> Pair {
        let ours = WithRecordedLists { oracle: self.as_recorded(recorded, ours), recorded: recorded.to_vec() };
        self.target.pair(Recorded::errors(recorded.to_vec()), ours, self.comparator())
    }

    fn as_recorded(&self, recorded: &[FieldError], ours: &Served) -> AsRecorded<Served> {
        AsRecorded { oracle: ours.clone(), recorded: recorded.to_vec(), marks: self.marks.clone() }
    }

    /// Recorded mismatches, and those of our two oracles.
    fn mismatches(&self, recorded: Vec<FieldError>, reference: Served, candidate: Served) -> Pair {
        let matcher = match self.fixture.normalization_rules.as_slice() {
            [] => self.target.matcher.clone(),
            rules => Matcher::default()
                .normalization(rules.iter().map(NormalizationRule::compile).filter_map(Result::ok).collect()),
        };
        // Recorded in shadow mode: every declarative error took part.
        let comparator = Comparator::Kubernetes(matcher.as_of(Semantics::from(release(&self.fixture.kubernetes))));
        let sides = self.target.pair(reference, candidate, comparator);
        let ours = Mismatches { pair: sides, words: |mismatch: &Mismatch<'_>| mismatch.direction.to_string() };
        self.target.pair(Recorded::errors(recorded), ours, Comparator::Verbatim)
    }
}
