//! A fault of a rule of a schema.

use super::edit::{Edit, edits};
use crate::hints::{Constraint, Down, Row, agree, rows};
use crate::kind::CustomKind;
use crate::rules::{NodeLanguage, Program};
use crate::structural::{CelRule, SchemaType, Structural};
use std::fmt;
use std::sync::Arc;
use takeover_cel::mistakes::mistakes;
use takeover_harness::rule::RuleId;

/// Faults in the expressions of all rules of a kind.
const MOST_EXPRESSIONS: usize = 4_000;
/// Faults in the expression of one rule, however many rules there are.
const FEWEST_EXPRESSIONS: usize = 4;
/// Schemas below a node with rules.
const MOST_SCHEMAS: usize = 100_000;

const SAME_VALUES: &str = "the rule gives the same result for every value that reaches it";

const ONE_ELEMENT: &str = "the list has one element";

/// Whether each list that a rule decides about has one element; others are rejected at the same place with an error of the same type, or
/// keep the rule from being judged.
fn has_one_element(node: &Structural, rule: &CelRule) -> bool {
    node.ty == Some(SchemaType::Array)
        && (node.checks.min_items, node.checks.max_items) == (Some(1), Some(1))
        && rule.field_path.is_none()
        && rule.reason.as_deref().is_none_or(|reason| reason == "FieldValueInvalid")
}

/// A rule of a list of one element, in which it makes no difference for how many elements something holds.
fn of_one(rule: &str) -> String {
    let is_whole = |before: &str| !before.ends_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '.'));
    let mut text = String::new();
    let mut rest = rule;
    while let Some(at) = rest.find("self.") {
        let (before, from) = rest.split_at(at);
        text.push_str(before);
        let all = ["self.all(", "self.exists(", "self.exists_one(", "self.existsOne("];
        let found = all.into_iter().find_map(|loops| from.strip_prefix(loops)).filter(|_| is_whole(&text));
        let (said, after) = found.map_or_else(|| from.split_at("self.".len()), |after| ("self.any(", after));
        text.push_str(said);
        rest = after;
    }
    text + rest
}

/// A constraint or a CEL rule of a kind with one mistake.
#[derive(Clone)]
pub struct Fault {
    /// The rule, one of [`CustomKind::hints`].
    pub rule: RuleId,
    /// What is wrong, unique among the faults of the rule: `bound one higher`.
    pub name: String,
    /// Why no case can show it; `None` when a case can.
    pub equivalent: Option<&'static str>,
    pub(super) at: Arc<[Down]>,
    pub(super) change: Change,
}

impl Fault {
    /// Whether only the text of an error shows it.
    #[must_use]
    pub fn is_of_text(&self) -> bool {
        matches!(self.change, Change::Report { part: Part::Message, .. })
    }
}

impl fmt::Debug for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Fault").field("rule", &self.rule).field("name", &self.name).finish_non_exhaustive()
    }
}

/// What a fault changes at its schema.
#[derive(Clone)]
pub(super) enum Change {
    Schema(Edit),
    /// Another rule stands in the place of this one.
    Rule {
        index: usize,
        stated: CelRule,
        program: Arc<dyn Program>,
    },
    /// The errors of this rule are wrong in a part.
    Report {
        index: usize,
        part: Part,
    },
}

/// A part of an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    Type,
    Message,
    Path,
}

/// Every fault of the rules of a kind, in the order of the rules. A CEL rule that no longer compiles is not a fault.
pub(super) fn faults(kind: &CustomKind) -> Vec<Fault> {
    let rows = rows(&kind.structural);
    let rules = rows.iter().filter(|row| matches!(row.what, Constraint::Cel(_))).count();
    let each = (MOST_EXPRESSIONS / rules.max(1)).max(FEWEST_EXPRESSIONS);
    let mut lister = Lister { each, languages: None, all: Vec::new() };
    for row in &rows {
        if let Some(node) = super::sites::find(&kind.structural, &row.at) {
            lister.row(row, node);
        }
    }
    lister.all
}

struct Lister {
    each: usize,
    /// The language at the node of the last CEL rule.
    languages: Option<(Arc<[Down]>, Option<NodeLanguage>)>,
    all: Vec<Fault>,
}

impl Lister {
    fn row(&mut self, row: &Row, node: &Structural) {
        let before = self.all.len();
        match &row.what {
            Constraint::Cel(index) => self.expressions(row, node, *index),
            what => {
                for named in edits(node, what) {
                    self.add(row, named.name, named.equivalent, Change::Schema(named.edit));
                }
            }
        }
        let mut names: Vec<String> = Vec::new();
        for fault in self.all.iter_mut().skip(before) {
            let times = names.iter().filter(|name| **name == fault.name).count();
            names.push(fault.name.clone());
            if times > 0 {
                fault.name = format!("{} ({})", fault.name, times + 1);
            }
        }
    }

    fn add(&mut self, row: &Row, name: String, equivalent: Option<&'static str>, change: Change) {
        self.all.push(Fault { rule: row.rule, name, equivalent, at: Arc::clone(&row.at), change });
    }

    fn expressions(&mut self, row: &Row, node: &Structural, index: usize) {
        let Some(sound) = node.rules.get(index) else { return };
        let whole = row.at.is_empty() || node.embedded;
        if self.languages.as_ref().is_none_or(|(at, _)| *at != row.at) {
            self.languages = Some((Arc::clone(&row.at), NodeLanguage::of(node, whole, MOST_SCHEMAS)));
        }
        let Some((_, Some(language))) = &self.languages else { return };
        // What a server does not take reports that it does not compile, whatever the value.
        if language.compile(sound).is_err() {
            return;
        }
        let texts = [("dropped".to_owned(), "true".to_owned())].into_iter().chain(mistakes(&sound.rule));
        let mut found = Vec::new();
        for (name, text) in texts {
            if found.len() >= self.each {
                break;
            }
            // A rule without the old value is one of values; its message is of no importance here.
            let stated = CelRule { rule: text, message_expression: None, ..sound.clone() };
            if let Ok(program) = language.compile(&stated) {
                let equivalent = match () {
                    () if has_one_element(node, sound) && of_one(&sound.rule) == of_one(&stated.rule) => {
                        Some(ONE_ELEMENT)
                    }
                    () => agree(language, node, [sound, &stated], whole).then_some(SAME_VALUES),
                };
                found.push((name, equivalent, Change::Rule { index, stated, program }));
            }
        }
        for (name, part) in [
            ("another message", Part::Message),
            ("error at its parent", Part::Path),
            ("error of another type", Part::Type),
        ] {
            found.push((name.to_owned(), None, Change::Report { index, part }));
        }
        for (name, equivalent, change) in found {
            self.add(row, name, equivalent, change);
        }
    }
}
