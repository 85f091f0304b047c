//! What is known about a field of a pair whose checks nobody lists: its type, the rules on it, and the checks as they were observed.

use super::made::MadeValues;
use super::words::Words;
use crate::form::Form;
use crate::layout::Look;
use crate::markup::{code, fenced};
use crate::numbers::counted;
use crate::text::{denial, printable_text, renamed, shortened};
use serde::Serialize;
use serde_json::Value;
use std::fmt::Write as _;
use takeover_harness::compare::Matter;
use takeover_harness::rule::{RuleRef, Source};

/// Version of the JSON form.
const FORMAT_VERSION: u32 = 1;

/// Longest object in a line, in characters.
const LONGEST: usize = 240;

/// Most lines of an object.
const LINES: usize = 40;

/// Every form, in the order in which `--help` lists those of rules.
pub static FIELD_FORMS: &[Form<FieldExplanation>] = &[
    Form::new("text", "For people", "txt", |of, look: Look| Ok(look.broken(&printable_text(&text(of))))),
    Form::json("For machines: one JSON object"),
    Form::new("markdown", "For a pull request comment", "md", |of, _: Look| Ok(markdown(of))),
];

/// Everything that is known about a field of a pair.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct FieldExplanation {
    format_version: u32,
    /// The pair.
    pub pair: String,
    /// Path pattern; empty for the object itself.
    pub field: String,
    /// What the sides are compared in.
    #[serde(skip_serializing_if = "Matter::is_of_errors")]
    pub matter: Matter,
    /// Its type, as the types of the pair have it; none where only a run is known.
    pub field_type: Option<String>,
    /// What the types set where the field is unset, if they declare a default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub default: Option<Value>,
    /// What the types set where an item of a list or a value of a map is null, if they declare a default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub item_default: Option<Value>,
    /// What decides today, as it is written; empty where nothing else is asked than the candidate, or a run alone is known.
    pub reference: String,
    /// What is to take over, as it is written.
    pub candidate: String,
    /// The rules of the candidate on the field, as they are written.
    pub rules: Vec<String>,
    /// Where the checks come from: a run, or cases that were judged just now.
    pub observed_in: ObservedIn,
    /// The boundaries of rules of the candidate on the field, with a case of every class of values.
    pub boundaries: Vec<ExplainedRule>,
    /// How many more rules fit, whose boundaries are not shown.
    pub left_out: usize,
    /// The checks.
    pub checks: Vec<ExplainedCheck>,
    /// What both sides make of the field, if they answer with objects.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub made: Option<MadeValues>,
    /// An object that sets the field and that both sides accept; none where no case showed one.
    pub accepted: Option<ExplainedCase>,
    /// Commands to go on with.
    pub commands: Vec<String>,
}

/// Where observed checks come from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum ObservedIn {
    /// The report of a run.
    Run(String),
    /// So many cases, judged just now.
    Cases(u64),
}

/// A rule of the candidate, with a case of every class of values that it tells apart.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ExplainedRule {
    /// Which rule.
    pub rule: RuleRef,
    /// Where it is written.
    pub source: Option<Source>,
    /// What is written there, where the file is at hand.
    pub line: Option<String>,
    /// The classes.
    pub classes: Vec<ExplainedClass>,
    /// Classes that no case can show, and why.
    pub unreachable: Vec<String>,
}

/// A class of values, with a case of it.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ExplainedClass {
    /// Name of the class.
    pub class: String,
    /// Whether it breaks the rule.
    pub breaks: bool,
    /// A case of the class, if there is one.
    pub case: Option<ExplainedCase>,
}

/// A check, as its errors show it.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ExplainedCheck {
    /// Who reports it: `reference`, or `candidate` where it alone does.
    pub side: String,
    /// API name of the type of its errors.
    pub error_type: String,
    /// What its errors explain, without the values.
    pub message: String,
    /// How often it was seen, in words.
    pub figures: String,
    /// A small object that it rejects, if one is at hand.
    pub refused: Option<ExplainedCase>,
}

/// A case, with what both sides say of it.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ExplainedCase {
    /// The object.
    pub object: Value,
    /// The stored object, on updates.
    pub old: Option<Value>,
    /// The errors of the reference, as text.
    pub reference: Vec<String>,
    /// The errors of the candidate, as text.
    pub candidate: Vec<String>,
    /// Why the sides differ; none where they agree.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub because: Option<String>,
}

impl FieldExplanation {
    /// What is known of a field of a pair, before anything was observed.
    #[must_use]
    pub fn new(pair: String, field: String, observed_in: ObservedIn) -> Self {
        Self {
            format_version: FORMAT_VERSION,
            pair,
            field,
            matter: Matter::Errors,
            field_type: None,
            default: None,
            item_default: None,
            reference: String::new(),
            candidate: String::new(),
            rules: Vec::new(),
            boundaries: Vec::new(),
            left_out: 0,
            observed_in,
            checks: Vec::new(),
            made: None,
            accepted: None,
            commands: Vec::new(),
        }
    }

    fn name(&self) -> &str {
        if self.field.is_empty() { "(the object)" } else { &self.field }
    }

    /// Whether the candidate alone was asked.
    fn is_alone(&self) -> bool {
        self.reference.is_empty() && !self.candidate.is_empty()
    }

    /// What each side says of a case, in a line each: who says it, and what.
    fn verdicts(&self, case: &ExplainedCase) -> Vec<(&'static str, String)> {
        if self.is_alone() {
            return vec![("", self.said(&case.candidate))];
        }
        let sides = [("the reference: ", self.said(&case.reference)), ("the candidate: ", self.said(&case.candidate))];
        sides.into_iter().chain(case.because.clone().map(|because| ("", because))).collect()
    }

    fn said(&self, errors: &[String]) -> String {
        let said: Vec<&str> = errors.iter().map(|error| denial(error)).collect();
        if said.is_empty() { self.words().silence().to_owned() } else { said.join("; ") }
    }

    fn words(&self) -> Words {
        Words::of(self.matter)
    }

    /// What keeps rules from being shown.
    fn omission(&self) -> Option<String> {
        let left_out = counted(self.left_out as u64, "more rule");
        (self.left_out > 0).then(|| format!("{left_out}: add words of a rule to choose it"))
    }

    /// The heading of the accepted object.
    fn accepted_by(&self) -> &'static str {
        if self.matter.is_of_defaults() {
            return "Kept by both";
        }
        if self.is_alone() { "Accepted" } else { "Accepted by both" }
    }

    /// Whether there is something to say of checks: rules of a CRD alone say it all.
    fn has_checks(&self) -> bool {
        !self.checks.is_empty() || self.boundaries.is_empty() && self.made.is_none()
    }

    fn source(&self) -> String {
        match &self.observed_in {
            ObservedIn::Run(run) => format!("observed in `{run}`"),
            ObservedIn::Cases(cases) => format!("observed in {}, judged just now", counted(*cases, "case")),
        }
    }

    /// Facts in a line each.
    fn facts(&self) -> Vec<String> {
        let sides = match (self.reference.as_str(), self.candidate.as_str()) {
            ("", "") => None,
            ("", alone) => Some(format!("judged by {alone}, as an API server does")),
            (reference, candidate) => Some(format!("reference: {reference}; candidate: {candidate}")),
        };
        let field_type = self.field_type.as_ref().map(|of| format!("type {of}"));
        let unset = if self.field.ends_with("[*]") { "null" } else { "unset" };
        let default = self.default.as_ref().map(|of| format!("default {of}, which it gets where it is {unset}"));
        let of_items = self.item_default.as_ref();
        let of_items = of_items.map(|of| format!("default {of} of each entry, which gets it where it is null"));
        let rules = match (&self.observed_in, self.rules.as_slice()) {
            (ObservedIn::Run(_), []) => None,
            (_, []) if self.made.is_some() => None,
            (ObservedIn::Cases(_), []) if self.is_alone() => {
                let by_itself = match self.field.split('.').next() {
                    Some("metadata") => "; API servers check metadata by themselves, and so does `takeover validate`",
                    _ => "",
                };
                Some(format!("the schema has no rule on this field{by_itself}"))
            }
            (ObservedIn::Cases(_), []) => Some("the candidate has no rule on this field".to_owned()),
            (_, rules) if self.is_alone() => Some(format!("rules: {}", renamed(&rules.join("; ")))),
            (_, rules) => Some(format!("rules of the candidate: {}", renamed(&rules.join("; ")))),
        };
        field_type.into_iter().chain(default).chain(of_items).chain(sides).chain(rules).collect()
    }
}

impl ExplainedCheck {
    fn name(&self, words: Words) -> String {
        let alone = if self.side == "candidate" { " (the candidate alone)" } else { "" };
        if words.leaves_types_out() {
            return format!("{}{alone}", self.message);
        }
        let message = if self.message.is_empty() { String::new() } else { format!(": {}", self.message) };
        format!("{}{message}{alone}", self.error_type)
    }
}

fn text(of: &FieldExplanation) -> String {
    let mut text = format!("{}\n  of {}\n", of.name(), of.pair);
    for fact in of.facts() {
        let _ = writeln!(text, "  {fact}");
    }
    for rule in &of.boundaries {
        let _ = writeln!(text, "\nBoundary of {}", renamed(&rule.rule.to_string()));
        if let Some(source) = &rule.source {
            let line = rule.line.as_ref().map_or_else(String::new, |line| format!(": {line}"));
            let _ = writeln!(text, "  {source}{line}");
        }
        for ExplainedClass { class, breaks, case } in &rule.classes {
            let none = if case.is_none() { ": no case of it is known" } else { "" };
            let _ = writeln!(text, "  {class}, which {}{none}", of.words().should(*breaks));
            if let Some(case) = case {
                lines(&mut text, of, case);
            }
        }
        for class in &rule.unreachable {
            let _ = writeln!(text, "  no object shows {class}");
        }
    }
    if let Some(omission) = of.omission() {
        let _ = writeln!(text, "\n{omission}");
    }
    if of.has_checks() {
        let _ = writeln!(text, "\n{}, {}", of.words().checks(), of.source());
        if of.checks.is_empty() {
            let _ = writeln!(text, "  no case {} on this field", of.words().no_check(of.is_alone()));
        }
    }
    for check in &of.checks {
        let _ = writeln!(text, "  {}\n    {}", check.name(of.words()), check.figures);
        if let Some(case) = &check.refused {
            lines(&mut text, of, case);
        }
    }
    if let Some(made) = &of.made {
        let _ = writeln!(text, "\nObjects, {}\n  {}", of.source(), made.figures());
        if let Some(example) = &made.example {
            let _ = writeln!(text, "    new {}", shortened(&example.object.to_string(), LONGEST));
            for (side, made) in example.lines() {
                let _ = writeln!(text, "    {side}{made}");
            }
        }
    }
    if let Some(case) = &of.accepted {
        let _ = writeln!(text, "\n{}", of.accepted_by());
        lines(&mut text, of, case);
    }
    text.push_str("\nNext\n");
    for command in &of.commands {
        let _ = writeln!(text, "  {command}");
    }
    text
}

fn lines(text: &mut String, of: &FieldExplanation, case: &ExplainedCase) {
    if let Some(old) = &case.old {
        let _ = writeln!(text, "    old {}", shortened(&old.to_string(), LONGEST));
    }
    let _ = writeln!(text, "    new {}", shortened(&case.object.to_string(), LONGEST));
    for (side, said) in of.verdicts(case) {
        let _ = writeln!(text, "    {side}{said}");
    }
}

fn markdown(of: &FieldExplanation) -> String {
    let mut text = format!("## {}\n\nOf {}.\n\n", code(of.name()), code(&of.pair));
    for fact in of.facts() {
        let _ = writeln!(text, "* {}", code(&fact));
    }
    if of.has_checks() {
        let _ = writeln!(text, "\n### {}, {}\n", of.words().checks(), code(&of.source()));
        if of.checks.is_empty() {
            let _ = writeln!(text, "No case {} on this field.", of.words().no_check(true));
        }
    }
    for check in &of.checks {
        let _ = writeln!(text, "* {}: {}", code(&check.name(of.words())), check.figures);
    }
    if let Some(made) = &of.made {
        let _ = writeln!(text, "\n### Objects, {}\n\n* {}", code(&of.source()), made.figures());
        if let Some(example) = &made.example {
            text.push('\n');
            text.push_str(&fenced("yaml", &yaml(&example.object), LINES));
            text.push('\n');
            for (side, made) in example.lines() {
                let _ = writeln!(text, "* {side}{}", code(&made));
            }
        }
    }
    let words = of.words();
    let refused = of.checks.iter().filter_map(|check| Some((check.name(words), check.refused.as_ref()?)));
    let accepted = of.accepted.iter().map(|case| (of.accepted_by().to_owned(), case));
    let classes = of.boundaries.iter().flat_map(|rule| {
        rule.classes.iter().filter_map(|of| {
            let place = rule.source.as_ref().map_or_else(String::new, |source| format!(" ({source})"));
            let name =
                format!("{}{place}: {}, which {}", renamed(&rule.rule.to_string()), of.class, words.should(of.breaks));
            Some((name, of.case.as_ref()?))
        })
    });
    for (name, case) in classes.chain(refused).chain(accepted) {
        let old = case.old.as_ref().map_or_else(String::new, |old| format!("# old\n{}", yaml(old)));
        let _ = writeln!(text, "\n{}\n", code(&name));
        text.push_str(&fenced("yaml", &format!("{old}# new\n{}", yaml(&case.object)), LINES));
        text.push('\n');
        for (side, said) in of.verdicts(case) {
            let _ = writeln!(text, "* {side}{}", code(&said));
        }
    }
    if let Some(omission) = of.omission() {
        let _ = writeln!(text, "\n{omission}.");
    }
    text
}

fn yaml(object: &Value) -> String {
    takeover_harness::yaml::to_yaml(object)
}

/// How often a check rejected, in words: `rejected in 28 cases, in 3 by the reference alone; 3,643 accepted`.
#[must_use]
pub fn figures(matter: Matter, refused: u64, alone: u64, accepted: u64) -> String {
    Words::of(matter).figures(refused, alone, accepted)
}

#[cfg(test)]
mod tests {
    use super::{ExplainedCase, ExplainedCheck, FIELD_FORMS, FieldExplanation, ObservedIn, figures};
    use crate::form::Form;
    use crate::layout::Look;
    use serde_json::json;
    use takeover_harness::compare::Matter;

    fn explanation() -> FieldExplanation {
        let case = |size: i64, reference: &[&str]| ExplainedCase {
            object: json!({"spec": {"size": size}}),
            old: None,
            reference: reference.iter().map(|&text| text.to_owned()).collect(),
            candidate: Vec::new(),
            because: None,
        };
        FieldExplanation {
            field_type: Some("integer".to_owned()),
            reference: "exec ./old".to_owned(),
            candidate: "exec ./new".to_owned(),
            checks: vec![ExplainedCheck {
                side: "reference".to_owned(),
                error_type: "FieldValueInvalid".to_owned(),
                message: "must be at least N".to_owned(),
                figures: figures(Matter::Errors, 1234, 3, 5),
                refused: Some(case(-1, &["spec.size: Invalid value: -1: must be at least 0"])),
            }],
            accepted: Some(case(1, &[])),
            commands: vec!["takeover soak --kind Widget".to_owned()],
            ..FieldExplanation::new("v1 Widget#a-to-b".to_owned(), "spec.size".to_owned(), ObservedIn::Cases(4000))
        }
    }

    fn written(name: &str) -> String {
        (Form::find(FIELD_FORMS, name).unwrap().write)(&explanation(), Look::plain(80)).unwrap()
    }

    #[test]
    fn the_text_shows_both_sides_of_a_boundary() {
        insta::assert_snapshot!(written("text"), @r#"
        spec.size
          of v1 Widget#a-to-b
          type integer
          reference: exec ./old; candidate: exec ./new
          the candidate has no rule on this field

        Checks, observed in 4,000 cases, judged just now
          FieldValueInvalid: must be at least N
            rejected in 1,234 cases, in 3 by one side alone; 5 accepted
            new {"spec":{"size":-1}}
            the reference: spec.size: Invalid value: -1: must be at least 0
            the candidate: accepts

        Accepted by both
            new {"spec":{"size":1}}
            the reference: accepts
            the candidate: accepts

        Next
          takeover soak --kind Widget
        "#);
    }

    #[test]
    fn the_other_forms_have_the_same_facts() {
        let markdown = written("markdown");
        for fact in ["`spec.size`", "`FieldValueInvalid: must be at least N`", "size: -1", "size: 1", "`accepts`"] {
            assert!(markdown.contains(fact), "{fact}: {markdown}");
        }
        let json: serde_json::Value = serde_json::from_str(&written("json")).unwrap();
        assert_eq!(json["checks"][0]["refused"]["object"]["spec"]["size"], -1);
        assert_eq!(json["observedIn"]["cases"], 4000);
    }
}
