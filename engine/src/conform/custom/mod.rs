//! Fixtures of custom resources: requests, steps of decoding, and CRDs that were refused or accepted.

mod decoding;
mod known;
mod refusals;
mod requests;
mod values;

pub(super) use known::{Known, Version};
pub(super) use values::{OBJECTS, object, texts};

use super::judging::Line;
use serde_json::Value;
use takeover_harness::subject::SubjectId;
use takeover_reports::conform::{Agreement, FixtureExample};

/// What a fixture of custom resources is about, which its members tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sort {
    /// A version of a CRD, which requests refer to.
    Schema,
    /// The manifest of a CRD, which recorded refusals refer to.
    Manifest,
    /// A request.
    Request,
    /// Steps of decoding by a schema.
    Decoding,
    /// A CRD that was refused.
    Refusal,
}

impl Sort {
    /// The sort of a fixture; none if it is of something else.
    pub(super) fn of(fixture: &Value) -> Option<Self> {
        let has = |name: &str| fixture.get(name).is_some();
        if has("crd") && has("schema") {
            return Some(Self::Schema);
        }
        if has("crd") && has("object") && !has("manager") {
            return Some(Self::Request);
        }
        if has("schema") && has("nulls_pruned") {
            return Some(Self::Decoding);
        }
        if has("name") && has("source") && has("errors") {
            return Some(Self::Refusal);
        }
        let kind = fixture.pointer("/object/kind").and_then(Value::as_str);
        (has("source") && !has("expect") && kind == Some("CustomResourceDefinition")).then_some(Self::Manifest)
    }
}

/// A fixture, and where it stands.
#[derive(Clone, Copy)]
pub(super) struct Place<'p> {
    /// File and line.
    pub(super) place: &'p str,
    /// Size in bytes.
    pub(super) bytes: usize,
}

/// Counts the sides of one fixture.
pub(super) struct Sides<'s> {
    /// Where it stands.
    pub(super) at: Place<'s>,
    /// What it is counted under.
    pub(super) kind: String,
    /// Its name.
    pub(super) id: &'s str,
    /// The operation that the request names.
    pub(super) operation: String,
    /// Where it is counted.
    pub(super) agreement: &'s mut Agreement,
}

impl Sides<'_> {
    /// Counts a side: it agrees if there are no lines.
    pub(super) fn count(&mut self, side: &str, lines: Vec<Line>) {
        let (at, id) = (self.at, self.id);
        self.agreement.count(&self.kind, side, &self.operation, lines, |detail| FixtureExample {
            place: at.place.to_owned(),
            id: id.to_owned(),
            bytes: at.bytes,
            detail,
        });
    }
}

/// Judges a fixture of custom resources, or remembers what others refer to. `asked` tells whether a subject is to be judged.
///
/// # Errors
/// When the fixture lacks a member of its sort.
pub(super) fn judge(
    sort: Sort,
    fixture: Value,
    known: &mut Known,
    at: Place<'_>,
    asked: &dyn Fn(&SubjectId) -> bool,
    agreement: &mut Agreement,
) -> Result<(), serde_json::Error> {
    match sort {
        Sort::Schema => {
            let schema = serde_json::from_value(fixture)?;
            if asked(&refusals::subject()) {
                refusals::judge_accepted(&schema, at, agreement);
            }
            known.learn_schema(&schema);
        }
        Sort::Manifest => known.learn_manifest(&fixture),
        Sort::Request => requests::judge(&serde_json::from_value(fixture)?, known, at, asked, agreement),
        Sort::Decoding if asked(&decoding::subject()) => {
            decoding::judge(&serde_json::from_value(fixture)?, at, agreement);
        }
        Sort::Refusal if asked(&refusals::subject()) => {
            refusals::judge(&serde_json::from_value(fixture)?, known, at, agreement);
        }
        Sort::Decoding | Sort::Refusal => {}
    }
    Ok(())
}
