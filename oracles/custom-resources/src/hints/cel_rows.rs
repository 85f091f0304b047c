//! CEL rules as rows.

use super::cel::{OfRule, choose, join, mend, of_rule, uses_old};
use super::row::Constraint;
use super::rules::Hints;
use crate::rules::NodeLanguage;
use crate::structural::{CelRule, SchemaType, Structural};
use std::borrow::Cow;
use takeover_cel::syntax::parse;
use takeover_harness::error::ErrorType;
use takeover_harness::property_names::unescape;
use takeover_harness::rule::{ErrorShape, Rule, Specificity, Unreachable};

/// Characters of an expression in the text of a rule; the rest is left out.
const LONGEST: usize = 400;
/// Schemas below all nodes with rules, for whose types rules are compiled.
const MOST_SCHEMAS: usize = 400_000;
/// Rules of one kind whose values are made by evaluating them.
const MOST_EVALUATED: usize = 2_000;

impl Hints {
    /// The CEL rules of a node; `whole` tells whether its values are objects of their own.
    pub(super) fn cel(&mut self, node: &Structural, path: &str, whole: bool) {
        if node.rules.is_empty() {
            return;
        }
        let whole = whole || node.embedded;
        let language = self.sampled.then(|| NodeLanguage::of(node, whole, self.language_left(node))).flatten();
        let mut all: Vec<Result<OfRule, OfRule>> = Vec::new();
        for rule in &node.rules {
            let of = match &language {
                Some(language) if self.evaluated < MOST_EVALUATED => {
                    self.evaluated += 1;
                    of_rule(language, node, rule, whole)
                }
                _ => None,
            };
            all.push(of.ok_or_else(|| OfRule::unknown(uses_old(rule))));
        }
        let evaluated: Vec<bool> = all.iter().map(Result::is_ok).collect();
        let mut all: Vec<OfRule> = all.into_iter().map(|of| of.unwrap_or_else(|of| of)).collect();
        if let Some(language) = &language {
            choose(language, node, &mut all, &mut self.patience);
        }
        all.iter_mut().for_each(OfRule::with_compared);
        if self.sampled && node.ty == Some(SchemaType::Object) && !node.properties.is_empty() {
            mend(&mut all);
            join(node, &mut all);
        }
        for ((index, rule), (of, evaluated)) in node.rules.iter().enumerate().zip(all.into_iter().zip(evaluated)) {
            let (update_only, reads_old) = (of.update_only, of.reads_old);
            let boundaries = of.boundaries();
            let (mut fails, mut holds) = (boundaries.iter(), boundaries.iter());
            let unreachable = match (fails.any(|class| class.breaks), holds.any(|class| !class.breaks)) {
                _ if !evaluated && self.sampled => vec![Unreachable::new("fails", "the rule is not evaluated")],
                (true, true) => Vec::new(),
                (true, false) => vec![Unreachable::new("holds", "no such value is known")],
                (false, _) => vec![Unreachable::new("fails", "no such value is known")],
            };
            let before = self.rules.len();
            let chain = format!("cel: {}", shown(&rule.rule));
            self.add_with(
                path,
                Constraint::Cel(index),
                chain,
                ErrorType::Invalid,
                Specificity::Form,
                boundaries,
                unreachable,
            );
            if let Some(row) = self.rules.get_mut(before) {
                "cel".clone_into(&mut row.tag);
                row.update_only = update_only;
                row.reads_old = reads_old;
                row.reads = reads(rule, path);
                row.reports = vec![shape(rule, path)];
                for class in &mut row.boundaries {
                    let word = if class.breaks { "fails" } else { "holds" };
                    class.class = format!("{word} for {}", class.class);
                }
                number_classes(row);
            }
        }
    }

    /// How many schemas a node may still have below it.
    fn language_left(&mut self, node: &Structural) -> usize {
        let most = MOST_SCHEMAS.saturating_sub(self.declared);
        let count = count(node, most);
        self.declared += count;
        most
    }
}

/// Number of schemas at and below a node, no more than about `most`.
fn count(node: &Structural, most: usize) -> usize {
    let mut sum = 1;
    for child in node.children() {
        if sum >= most {
            break;
        }
        sum += count(child, most - sum);
    }
    sum
}

/// An expression on one line.
fn shown(rule: &str) -> String {
    let line = rule.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", line.get(..end).unwrap_or_default()),
        None => line,
    }
}

/// The places that a rule at this path reads.
fn reads(rule: &CelRule, path: &str) -> Vec<String> {
    let Ok(ast) = parse(&rule.rule) else { return Vec::new() };
    let place = |names: Vec<&str>| {
        let names = names.into_iter().map(|name| unescape(name).unwrap_or(Cow::Borrowed(name)));
        names.fold(
            path.to_owned(),
            |path, name| if path.is_empty() { name.into_owned() } else { format!("{path}.{name}") },
        )
    };
    let mut all: Vec<String> = ["self", "oldSelf"].into_iter().flat_map(|root| ast.reads(root)).map(place).collect();
    all.sort_unstable();
    all.dedup();
    all
}

/// What a rule reports when it does not hold.
fn shape(rule: &CelRule, path: &str) -> ErrorShape {
    let error_type = match rule.reason.as_deref() {
        Some("FieldValueForbidden") => ErrorType::Forbidden,
        Some("FieldValueRequired") => ErrorType::Required,
        Some("FieldValueDuplicate") => ErrorType::Duplicate,
        _ => ErrorType::Invalid,
    };
    let below = rule.field_path.as_deref().unwrap_or_default().trim().trim_start_matches('.');
    let field = match (path, below) {
        (_, "") => path.to_owned(),
        ("", below) => takeover_harness::path::pattern(below),
        (path, below) => format!("{path}.{}", takeover_harness::path::pattern(below)),
    };
    ErrorShape { error_type, field, origin: String::new() }
}

/// Tells classes of the same name apart.
fn number_classes(rule: &mut Rule) {
    let names: Vec<String> = rule.boundaries.iter().map(|class| class.class.clone()).collect();
    for (at, class) in rule.boundaries.iter_mut().enumerate() {
        let before = names.iter().take(at).filter(|name| **name == class.class).count();
        if before > 0 {
            class.class = format!("{} ({})", class.class, before + 1);
        }
    }
}
