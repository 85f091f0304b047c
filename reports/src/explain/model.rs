//! What is known about a rule, as data. Its JSON form is part of the interface: fields are only ever added within a format
//! version.

use crate::numbers::counted;
use crate::run::{Check, FindingReport, Level, RuleReport};
use serde::Serialize;
use serde_json::Value;
use takeover_harness::compare::Matter;
use takeover_harness::rule::{RuleRef, Source};

/// Version of the JSON form.
pub const FORMAT_VERSION: u32 = 3;

/// Everything that is known about a rule.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Explanation {
    /// [`FORMAT_VERSION`].
    pub format_version: u32,
    /// Version, kind and subresource.
    pub subject: String,
    /// The other subjects that have the rule.
    pub also: Vec<String>,
    /// Which rule.
    pub rule: RuleRef,
    /// What the sides are compared in.
    #[serde(skip_serializing_if = "Matter::is_of_errors")]
    pub matter: Matter,
    /// The line of the tag.
    pub source: Option<Source>,
    /// What is written there, where the file is at hand.
    pub line: Option<String>,
    /// Its level.
    pub level: Level,
    /// The release since which it stands there.
    pub since: Option<String>,
    /// The sorts of errors that it can make.
    pub reports: Vec<Check>,
    /// What else decides whether it judges or reports; none if only the run is known, because a run does not say.
    pub conditions: Option<Vec<String>>,
    /// A case of every class of values, judged just now; none when only the run is known.
    pub boundary: Option<Vec<Example>>,
    /// What it asks of every object, if it is a law of defaulting or of server-side apply; there are no classes of values then.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub law: Option<Law>,
    /// The run whose evidence is shown, if one was named.
    pub run: Option<String>,
    /// What the run knows; none when it did not judge the rule.
    pub evidence: Option<RuleInRun>,
    /// Commands to go on with.
    pub commands: Vec<Suggestion>,
}

/// What the report of a run says about a rule.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RuleInRun {
    /// The rule.
    pub rule: RuleReport,
    /// How many findings of it exceptions excuse: without these exceptions, the rule is blocked.
    pub excused: usize,
    /// The findings that are attributed to it.
    pub findings: Vec<FindingReport>,
}

impl Explanation {
    /// The tag as people read it, with its level.
    pub(super) fn label(&self) -> String {
        self.level.label(&self.rule.chain)
    }
}

impl RuleInRun {
    /// The verdict for a headline, which says so when it rests on exceptions.
    pub(super) fn headline(&self) -> String {
        let verdict = &self.rule.verdict;
        match self.excused as u64 {
            0 => verdict.to_string(),
            excused => format!("{verdict}, resting on exceptions ({} excused)", counted(excused, "finding")),
        }
    }
}

/// A command to go on with.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Suggestion {
    /// As it is typed.
    pub command: String,
    /// What it is for, unless that is obvious.
    pub purpose: Option<String>,
}

/// A law that every object must keep.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Law {
    /// What it asks of every object, in a sentence.
    pub asks: String,
    /// The results of objects that were tried just now; `None` if only the run is known.
    pub trial: Option<LawTrial>,
}

/// Objects that were held against a law just now.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct LawTrial {
    /// How many.
    pub objects: u64,
    /// How many of them broke it.
    pub broken: u64,
    /// A small one on which it holds.
    pub kept: Option<TriedObject>,
    /// A small one for each way in which it breaks.
    pub breaches: Vec<Breach>,
}

/// An object that was held against a law.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TriedObject {
    /// The new object, without version and kind.
    pub object: Value,
    /// The stored one, on updates.
    pub old: Option<Value>,
}

/// A way in which a law breaks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Breach {
    /// The path pattern of the value.
    pub field: String,
    /// What happens to the value of the example.
    pub said: String,
    /// Why, where that is known.
    pub because: Option<String>,
    /// How many objects showed it.
    pub objects: u64,
    /// A small object that shows it.
    pub example: TriedObject,
}

/// A class of values with a case of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Example {
    /// Name of the class.
    pub class: String,
    /// Whether it breaks the rule.
    pub breaks: bool,
    /// What both sides said of the smallest case; none when the generator has no case of the class alone.
    pub shown: Option<Shown>,
}

/// A judged case.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Shown {
    /// The new object, without version and kind.
    pub object: Value,
    /// The stored one, on updates.
    pub old: Option<Value>,
    /// Whether the handwritten side reports what the rule can report.
    pub reference: bool,
    /// Whether the rule reports.
    pub candidate: bool,
    /// Why only one side reports it; none where both or neither do.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub because: Option<String>,
}
