//! One rule for each constraint.

use super::cel::Patience;
use super::example::example;
use super::joined::only;
use super::row::{Constraint, Down, Row};
use super::texts;
use crate::kind::{CustomKind, Hinted};
use crate::structural::{Additional, Checks, Pattern, SchemaType, Structural};
use crate::text::shortened;
use crate::validate::accepts;
use serde_json::{Map, Number, Value};
use std::collections::HashMap;
use std::sync::Arc;
use takeover_harness::error::ErrorType;
use takeover_harness::rule::{Boundary, ErrorShape, Rule, RuleId, Sample, Specificity, Unreachable};

/// Rules of one kind.
const MAX_RULES: usize = 20_000;
/// Schemas that are looked at: one for each place, also of those that are shared.
const MAX_NODES: usize = 100_000;
/// Weight of all samples.
const MAX_WEIGHT: usize = 4_000_000;
/// Texts that match a pattern, and texts that do not.
const MOST_TEXTS: usize = 3;

impl CustomKind {
    /// Constraints and CEL rules as rules, with values on both sides of each, for the generator. Of metadata nothing is said. They are
    /// made when somebody asks for them, once for all copies of the kind.
    #[must_use]
    pub fn hints(&self) -> &[Rule] {
        self.hinted.get_or_init(|| {
            let mut rules = Hints::of(&self.structural, true).rules;
            for (rule, named) in rules.iter_mut().zip(self.named.get().into_iter().flat_map(|named| &named.rules)) {
                rule.source.clone_from(&named.source);
            }
            rules
        })
    }

    /// The rules of [`CustomKind::hints`] without values, which are made in no time.
    #[must_use]
    pub fn rules(&self) -> &[Rule] {
        &self.named().rules
    }

    /// JSON pointer of each of those in the schema: `/properties/spec/minimum`.
    #[must_use]
    pub fn places(&self) -> &[String] {
        &self.named().places
    }

    pub(crate) fn named(&self) -> &Hinted {
        self.named.get_or_init(|| {
            let Hints { rules, places, .. } = Hints::of(&self.structural, false);
            Hinted { rules, places }
        })
    }
}

/// Which constraint each of [`CustomKind::hints`] stands for.
pub(crate) fn rows(structural: &Structural) -> Vec<Row> {
    Hints::of(structural, false).rows
}

pub(super) struct Hints {
    pub(super) rules: Vec<Rule>,
    rows: Vec<Row>,
    places: Vec<String>,
    /// Rules by place and text, and how often they were there.
    known: HashMap<(String, String), usize>,
    /// Whether samples are made.
    pub(super) sampled: bool,
    /// CEL rules that were evaluated.
    pub(super) evaluated: usize,
    /// CEL rules that may still be looked at closely.
    pub(super) patience: Patience,
    /// Schemas whose types were made known to CEL.
    pub(super) declared: usize,
    /// The way to the schema that is looked at.
    way: Vec<Down>,
    /// Where the schema stands.
    place: String,
    /// How much samples may still weigh.
    left: usize,
    /// How many schemas may still be looked at.
    nodes: usize,
}

/// About how much memory a value takes.
fn weight(value: &Value) -> usize {
    match value {
        Value::String(text) => 1 + text.len() / 32,
        Value::Array(items) => 1 + items.iter().map(weight).sum::<usize>(),
        Value::Object(members) => 1 + members.values().map(|value| 1 + weight(value)).sum::<usize>(),
        _ => 1,
    }
}

/// A class of values.
pub(super) fn class(class: impl Into<String>, breaks: bool, value: Value) -> Boundary {
    Boundary { class: class.into(), breaks, sample: Sample::Value(value), options: Vec::new() }
}

/// A bound without the fraction that it does not have.
fn bound(value: f64) -> String {
    value.to_string()
}

impl Hints {
    fn of(structural: &Structural, sampled: bool) -> Self {
        let mut hints = Self {
            rules: Vec::new(),
            rows: Vec::new(),
            places: Vec::new(),
            known: HashMap::new(),
            sampled,
            evaluated: 0,
            patience: Patience::default(),
            declared: 0,
            way: Vec::new(),
            place: String::new(),
            left: MAX_WEIGHT,
            nodes: MAX_NODES,
        };
        hints.node(structural, "", true);
        hints
    }

    /// Whether at most half of the budget for samples is used.
    pub(super) fn has_room(&self) -> bool {
        self.left > MAX_WEIGHT / 2
    }

    pub(super) fn add(
        &mut self,
        path: &str,
        what: Constraint,
        chain: String,
        reports: ErrorType,
        specificity: Specificity,
        boundaries: Vec<Boundary>,
    ) {
        self.add_with(path, what, chain, reports, specificity, boundaries, Vec::new());
    }

    #[expect(clippy::too_many_arguments, reason = "one row of a table")]
    pub(super) fn add_with(
        &mut self,
        path: &str,
        what: Constraint,
        mut chain: String,
        reports: ErrorType,
        specificity: Specificity,
        mut boundaries: Vec<Boundary>,
        mut unreachable: Vec<Unreachable>,
    ) {
        if self.rules.len() >= MAX_RULES {
            return;
        }
        if !self.sampled {
            (boundaries, unreachable) = (Vec::new(), Vec::new());
        }
        boundaries.retain(|boundary| {
            let Sample::Value(value) = &boundary.sample else { return true };
            match self.left.checked_sub(weight(value)) {
                Some(left) => self.left = left,
                None => {
                    unreachable
                        .push(Unreachable::new(boundary.class.as_str(), "the kind has more samples than are kept"));
                    return false;
                }
            }
            true
        });
        let id = RuleId(u32::try_from(self.rules.len()).unwrap_or(u32::MAX));
        // Alternatives and ranges of numbers are refused at the object, and say where in their text.
        let vague = matches!(what, Constraint::Alternatives(_)) || chain == "format=int32";
        let field = if vague { String::new() } else { path.to_owned() };
        let reports = vec![ErrorShape { error_type: reports, field, origin: String::new() }];
        // Rules that say the same at the same place are told apart by their order.
        let times = self.known.entry((path.to_owned(), chain.clone())).or_default();
        *times += 1;
        if *times > 1 {
            chain.push_str(&format!(" ({times})"));
        }
        self.places.push(format!("{}/{}", self.place, what.keyword()));
        self.rows.push(Row { rule: id, at: self.way.as_slice().into(), what });
        self.rules.push(Rule { specificity, boundaries, unreachable, reports, ..Rule::new(id, path, chain) });
    }

    fn node(&mut self, node: &Structural, path: &str, root: bool) {
        let Some(nodes) = self.nodes.checked_sub(1).filter(|_| self.rules.len() < MAX_RULES) else { return };
        self.nodes = nodes;
        self.scalar(node, path);
        self.sizes(node, path);
        self.alternatives(node, path);
        self.cel(node, path, root);
        let checks = &node.checks;
        for (name, schema) in &node.properties {
            if root && matches!(name.as_str(), "apiVersion" | "kind" | "metadata") {
                continue;
            }
            // References to rules are paths without spaces.
            if name.contains(char::is_whitespace) {
                continue;
            }
            let path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
            if checks.required.contains(name) {
                self.required(schema, name, &path);
            }
            self.below(Down::Member(Arc::from(name.as_str())), schema, &path);
        }
        if let Some(Additional::Schema(schema)) = &node.additional {
            self.below(Down::Other, schema, &format!("{path}[*]"));
        }
        if let Some(schema) = &node.items {
            self.below(Down::Element, schema, &format!("{path}[*]"));
        }
    }

    fn below(&mut self, step: Down, node: &Structural, path: &str) {
        let length = self.place.len();
        self.place.push_str(&step.to_string());
        self.way.push(step);
        self.node(node, path, false);
        self.way.pop();
        self.place.truncate(length);
    }

    fn required(&mut self, node: &Structural, name: &str, path: &str) {
        let mut boundaries = Vec::new();
        if self.sampled {
            boundaries = Self::of_required(node);
        }
        self.add(
            path,
            Constraint::Required(name.to_owned()),
            "required".to_owned(),
            ErrorType::Required,
            Specificity::Presence,
            boundaries,
        );
        if let (Some(rule), Some(_)) = (self.rules.last_mut(), &node.default) {
            rule.after_default = true;
        }
    }

    fn of_required(node: &Structural) -> Vec<Boundary> {
        let unset = Boundary { class: "unset".to_owned(), breaks: true, sample: Sample::Absent, options: Vec::new() };
        let mut boundaries = vec![unset, class("set", false, example(node, 0))];
        let zero = match node.ty {
            Some(SchemaType::String) => Some(Value::from("")),
            Some(SchemaType::Array) => Some(Value::Array(Vec::new())),
            Some(SchemaType::Object) if node.properties.is_empty() => Some(Value::Object(Map::new())),
            _ => None,
        };
        // Empty counts as given.
        boundaries.extend(zero.map(|zero| class("zero", false, zero)));
        boundaries
    }

    fn scalar(&mut self, node: &Structural, path: &str) {
        let checks = &node.checks;
        if !checks.enumeration.is_empty() {
            let allowed = &checks.enumeration;
            let mut boundaries: Vec<Boundary> = allowed
                .iter()
                .map(|value| class(format!("value {}", shortened(value)), false, value.clone()))
                .collect();
            let unknown = match node.ty {
                Some(SchemaType::Integer | SchemaType::Number) => vec![Value::from(987_654_321)],
                _ => vec![Value::from("Unknown"), Value::from("")],
            };
            for (name, value) in ["unknown value", "empty value"].into_iter().zip(unknown) {
                if !allowed.contains(&value) {
                    boundaries.push(class(name, true, value));
                }
            }
            let listed: Vec<String> = allowed.iter().map(shortened).collect();
            let chain = format!("enum of {}", listed.join(", "));
            self.add(path, Constraint::Enum, chain, ErrorType::NotSupported, Specificity::Whole, boundaries);
        }
        if node.int_or_string {
            let ten = "10%".to_owned();
            let text = if self.sampled { texts::keeping(checks, ten) } else { ten };
            let boundaries = vec![class("integer", false, Value::from(1)), class("text", false, Value::from(text))];
            self.add(
                path,
                Constraint::IntOrString,
                "int-or-string".to_owned(),
                ErrorType::TypeInvalid,
                Specificity::Form,
                boundaries,
            );
        }
        if let Some(minimum) = checks.minimum {
            self.limit(node, path, minimum, checks.exclusive_minimum, false);
        }
        if let Some(maximum) = checks.maximum {
            self.limit(node, path, maximum, checks.exclusive_maximum, true);
        }
        if let Some(factor) = checks.multiple_of {
            let integer = node.ty == Some(SchemaType::Integer);
            let boundaries =
                [("multiple", 3.0), ("zero", 0.0), ("no multiple", 1.5)].into_iter().filter_map(|(name, times)| {
                    let value = number(factor * times, integer)?;
                    let breaks =
                        !accepts(&only(node, Checks { multiple_of: Some(factor), ..Checks::default() }), &value);
                    Some(class(name, breaks, value))
                });
            let chain = format!("multipleOf={}", bound(factor));
            self.add(path, Constraint::MultipleOf, chain, ErrorType::Invalid, Specificity::Bound, boundaries.collect());
        }
        if let Some(pattern) = &checks.pattern {
            let candidates = if self.sampled { texts::candidates(pattern) } else { &[] };
            let fits = |text: &str| {
                let length = i64::try_from(text.chars().count()).unwrap_or(i64::MAX);
                checks.min_length.is_none_or(|least| length >= least)
                    && checks.max_length.is_none_or(|most| length <= most)
            };
            let matching = candidates.iter().filter(|text| fits(text) && pattern.is_match(text)).take(MOST_TEXTS);
            let other = candidates.iter().filter(|text| !pattern.is_match(text)).take(MOST_TEXTS);
            let class = |name: &str, breaks, text: &String| {
                class(format!("{name} {text:?}"), breaks, Value::from(text.as_str()))
            };
            let with_numbers = matching.clone().find_map(|text| with_numbers(text, pattern));
            let (numbers, beyond) = with_numbers.unwrap_or_default();
            let (mut ends, mut counted) = (Vec::new(), Vec::new());
            if self.sampled {
                ends = super::matching::ends(pattern);
                let made = super::matching::counted(pattern).into_iter().chain(super::matching::elsewhere(pattern));
                (ends, counted) = ends.into_iter().chain(made).partition(|text| pattern.is_match(text));
            }
            let known: Vec<&String> = matching.clone().chain(&numbers).collect();
            let ends = ends.iter().filter(|text| fits(text) && !known.contains(text));
            let others: Vec<&String> = other.clone().chain(&beyond).collect();
            let counted = counted.iter().filter(|text| !others.contains(text));
            let numbers = numbers.iter().filter(|text| fits(text));
            let boundaries: Vec<Boundary> = matching
                .chain(numbers)
                .chain(ends)
                .map(|text| class("matching", false, text))
                .chain(other.chain(&beyond).chain(counted).map(|text| class("other", true, text)))
                .collect();
            let unreachable = [("matching", false), ("other", true)]
                .into_iter()
                .filter(|(_, breaks)| boundaries.iter().all(|boundary| boundary.breaks != *breaks))
                .map(|(name, _)| Unreachable::new(name, "no such text is known"));
            let unreachable = unreachable.collect();
            let chain = format!("pattern={}", pattern.as_str());
            self.add_with(
                path,
                Constraint::Pattern,
                chain,
                ErrorType::Invalid,
                Specificity::Form,
                boundaries,
                unreachable,
            );
        }
        if let Some((format, (good, bad))) =
            crate::validate::kept_format(node).and_then(|format| Some((format, texts::of_format(format)?)))
        {
            let mut boundaries =
                vec![class("of the format", false, Value::from(good)), class("other", true, Value::from(bad))];
            let more = texts::more_of_format(format).iter().filter(|text| accepts(node, &Value::from(**text)));
            boundaries.extend(more.map(|text| class(*text, false, Value::from(*text))));
            self.add(
                path,
                Constraint::Format,
                format!("format={format}"),
                ErrorType::TypeInvalid,
                Specificity::Form,
                boundaries,
            );
        }
        if crate::validate::kept_format(node) == Some("int32") {
            let (least, most) = (i64::from(i32::MIN), i64::from(i32::MAX));
            // Most fields want small numbers, and what grows an object takes the first value that keeps the rule.
            let classes =
                [("small", 1), ("below", least - 1), ("least", least), ("greatest", most), ("above", most + 1)];
            let boundaries = classes.map(|(name, value)| {
                let breaks = !(least..=most).contains(&value);
                class(name, breaks, Value::from(value))
            });
            self.add(
                path,
                Constraint::Format,
                "format=int32".to_owned(),
                ErrorType::Invalid,
                Specificity::Presence,
                boundaries.into(),
            );
        }
    }

    fn limit(&mut self, node: &Structural, path: &str, limit: f64, exclusive: bool, upper: bool) {
        let integer = node.ty == Some(SchemaType::Integer) || node.int_or_string;
        let name = match (upper, exclusive) {
            (true, false) => "maximum",
            (true, true) => "exclusiveMaximum",
            (false, false) => "minimum",
            (false, true) => "exclusiveMinimum",
        };
        let steps = [("below", limit - 1.0), ("on", limit), ("above", limit + 1.0)];
        let far = if upper {
            ("far above", limit.abs() * 2.0 + 1_000.0)
        } else {
            ("far below", -limit.abs() * 2.0 - 1_000.0)
        };
        let between =
            (!integer).then_some(if upper { ("just above", limit + 0.25) } else { ("just below", limit - 0.25) });
        let mut boundaries = Vec::new();
        let mut unreachable = Vec::new();
        for (class_name, value) in steps.into_iter().chain([far]).chain(between) {
            let breaks = match (upper, exclusive) {
                (true, false) => value > limit,
                (true, true) => value >= limit,
                (false, false) => value < limit,
                (false, true) => value <= limit,
            };
            match number(value, integer) {
                Some(value) => boundaries.push(class(class_name, breaks, value)),
                None => {
                    unreachable.push(Unreachable::new(class_name, format!("the type does not hold {}", bound(value))))
                }
            }
        }
        let chain = format!("{name}={}", bound(limit));
        let what = if upper { Constraint::Maximum } else { Constraint::Minimum };
        self.add_with(path, what, chain, ErrorType::Invalid, Specificity::Bound, boundaries, unreachable);
    }
}

/// A number of the type; `None` if the type does not hold it.
fn number(value: f64, integer: bool) -> Option<Value> {
    if !integer {
        return Number::from_f64(value).map(Value::Number);
    }
    #[expect(clippy::cast_possible_truncation, reason = "whole and in range")]
    let whole = |value: f64| value as i64;
    match value.fract() == 0.0 && value.abs() < 9.2e18 {
        true => Some(Value::from(whole(value))),
        // A fraction of an integer is of no use.
        false => None,
    }
}

/// Variants of a matching text with another first number: those that match, and the next larger numbers that do not. `None` if no other
/// number matches.
fn with_numbers(text: &str, pattern: &Pattern) -> Option<(Vec<String>, Vec<String>)> {
    let start = text.find(|char: char| char.is_ascii_digit())?;
    let (before, number) = text.split_at(start);
    let after = number.trim_start_matches(|char: char| char.is_ascii_digit());
    let with = |number: &str| format!("{before}{number}{after}");
    let others: Vec<String> = ["0", "00", "99", "999"]
        .map(with)
        .into_iter()
        .filter(|other| other != text && pattern.is_match(other))
        .collect();
    let next = [("9", "10"), ("99", "100"), ("999", "1000")].map(|(last, next)| (with(last), with(next)));
    let beyond = next.into_iter().filter(|(last, next)| pattern.is_match(last) && !pattern.is_match(next));
    (!others.is_empty()).then(|| (others, beyond.map(|(_, next)| next).collect()))
}

#[cfg(test)]
mod tests {
    use super::with_numbers;
    use crate::structural::Pattern;

    #[test]
    fn a_number_in_a_text_has_others_and_the_first_that_is_too_long() {
        let of = |text: &str, pattern: &str| with_numbers(text, &Pattern::new(pattern).unwrap());
        let texts = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
        let percent = of("0%", "^[0-9]{1,2}%$");
        assert_eq!(percent, Some((texts(&["00%", "99%"]), texts(&["100%"]))));
        assert_eq!(of("v1", "^v[0-9]+$"), Some((texts(&["v0", "v00", "v99", "v999"]), Vec::new())));
        assert_eq!(of("a", "^[a-z]$"), None);
    }
}
