//! Sizes of texts, lists and objects, and lists whose elements differ, as rules.

use super::example::{example, list_of, map_of};
use super::matching;
use super::row::Constraint;
use super::rules::{Hints, class};
use crate::structural::{ListType, Structural};
use crate::validate::accepts;
use serde_json::Value;
use takeover_harness::error::ErrorType;
use takeover_harness::rule::{Boundary, Specificity, Unreachable, in_another_case};

/// Characters of a sample.
const LONGEST: i64 = 66_000;
/// Blanks of a sample.
const MOST_BLANKS: i64 = 64;
/// Elements or members of a sample, and of one of a kind that has many large ones.
const LARGEST: i64 = 4_200;
const LARGEST_OF_MANY: i64 = 1_100;

impl Hints {
    pub(super) fn sizes(&mut self, node: &Structural, path: &str) {
        let checks = &node.checks;
        let text = |size: i64| {
            let size = usize::try_from(size).ok()?;
            let made = checks.pattern.as_ref().and_then(|pattern| matching::of_length(pattern, size));
            Some(Value::from(made.unwrap_or_else(|| "a".repeat(size))))
        };
        let list = |size: i64| {
            let size = usize::try_from(size).ok()?;
            Some(list_of(node, size)).filter(|list| list.as_array().is_some_and(|elements| elements.len() == size))
        };
        let largest = if self.has_room() { LARGEST } else { LARGEST_OF_MANY };
        let map = |size: i64| usize::try_from(size).ok().and_then(|size| map_of(node, size));
        self.size(
            path,
            (Constraint::MinLength, "minLength"),
            checks.min_length,
            false,
            ErrorType::Invalid,
            LONGEST,
            &text,
        );
        self.blanks(node, path);
        self.size(
            path,
            (Constraint::MaxLength, "maxLength"),
            checks.max_length,
            true,
            ErrorType::TooLong,
            LONGEST,
            &text,
        );
        self.size(
            path,
            (Constraint::MinItems, "minItems"),
            checks.min_items,
            false,
            ErrorType::Invalid,
            largest,
            &list,
        );
        self.size(path, (Constraint::MaxItems, "maxItems"), checks.max_items, true, ErrorType::TooMany, largest, &list);
        self.size(
            path,
            (Constraint::MinProperties, "minProperties"),
            checks.min_properties,
            false,
            ErrorType::Invalid,
            largest,
            &map,
        );
        self.size(
            path,
            (Constraint::MaxProperties, "maxProperties"),
            checks.max_properties,
            true,
            ErrorType::TooMany,
            largest,
            &map,
        );
        if checks.unique_items {
            self.apart(node, path, Constraint::Unique, "uniqueItems".to_owned(), ErrorType::Invalid);
        }
        let chain = match node.list_type {
            ListType::Atomic => return,
            ListType::Set => "listType=set".to_owned(),
            ListType::Map => format!("listType=map by {}", node.list_map_keys.join(", ")),
        };
        let before = self.rules.len();
        self.apart(node, path, Constraint::ListType, chain, ErrorType::Duplicate);
        // The list is judged, and its elements are at fault.
        let reports = self.rules.iter_mut().skip(before).flat_map(|rule| &mut rule.reports);
        reports.for_each(|shape| shape.field.push_str("[*]"));
    }

    /// Adds blanks of the least length to the classes of a text: many a validator does not count them.
    fn blanks(&mut self, node: &Structural, path: &str) {
        let least = node.checks.min_length.filter(|least| (1..=MOST_BLANKS).contains(least));
        let Some(blanks) = least.and_then(|least| usize::try_from(least).ok()).map(|least| " ".repeat(least)) else {
            return;
        };
        let blanks = Value::from(blanks);
        if self.sampled
            && accepts(node, &blanks)
            && let Some(rule) =
                self.rules.last_mut().filter(|rule| rule.path == path && rule.chain.starts_with("minLength"))
        {
            rule.boundaries.push(class("blanks", false, blanks));
        }
    }

    /// A rule of lists whose elements differ.
    fn apart(&mut self, node: &Structural, path: &str, what: Constraint, chain: String, reports: ErrorType) {
        let mut boundaries = Vec::new();
        let two = if self.sampled { list_of(node, 2) } else { Value::Null };
        if let Some([first, second]) = two.as_array().map(Vec::as_slice) {
            boundaries.push(class("one", false, Value::from(vec![first.clone()])));
            boundaries.push(class("duplicate", true, Value::from(vec![first.clone(), first.clone()])));
            if first != second {
                boundaries.push(class("distinct", false, two.clone()));
                let apart = vec![first.clone(), second.clone(), first.clone()];
                boundaries.push(class("duplicate apart", true, Value::from(apart)));
            }
            boundaries.extend(by_one_key(node, first));
            boundaries.extend(by_case(node, first));
        }
        self.add(path, what, chain, reports, Specificity::Bound, boundaries);
    }

    #[expect(clippy::too_many_arguments, reason = "one row of a table")]
    fn size(
        &mut self,
        path: &str,
        (what, name): (Constraint, &str),
        limit: Option<i64>,
        upper: bool,
        reports: ErrorType,
        largest: i64,
        sample: &dyn Fn(i64) -> Option<Value>,
    ) {
        let Some(limit) = limit else { return };
        let classes = if upper {
            vec![("inside", (limit > 1).then_some(1)), ("on", Some(limit)), ("above", limit.checked_add(1))]
        } else {
            vec![
                ("inside", limit.checked_add(1)),
                ("below", limit.checked_sub(1)),
                ("on", Some(limit)),
                ("empty", (limit > 1).then_some(0)),
            ]
        };
        let mut boundaries = Vec::new();
        let mut unreachable = Vec::new();
        for (class_name, size) in classes.into_iter().filter(|_| self.sampled) {
            let Some(size) = size.filter(|size| *size >= 0) else { continue };
            let breaks = if upper { size > limit } else { size < limit };
            match (size <= largest).then(|| sample(size)) {
                Some(Some(value)) => boundaries.push(class(class_name, breaks, value)),
                Some(None) => {
                    unreachable.push(Unreachable::new(class_name, format!("no value of size {size} is known")))
                }
                None => {
                    let reason = format!("of size {size}, and samples are no larger than {largest}");
                    unreachable.push(Unreachable::new(class_name, reason));
                }
            }
        }
        self.add_with(path, what, format!("{name}={limit}"), reports, Specificity::Bound, boundaries, unreachable);
    }
}

/// Two texts, or two elements by their keys, that differ in the case of their letters alone: the list tells them apart, and a check may
/// not.
fn by_case(node: &Structural, first: &Value) -> Option<Boundary> {
    let items = node.items.as_ref()?;
    let two = |with: &dyn Fn(&str) -> Value, text: &str| {
        let two = [with(text), with(&in_another_case(text))];
        let is_other = two[0] != two[1] && two.iter().all(|element| accepts(items, element));
        is_other.then(|| class("distinct by case", false, Value::from(two.to_vec())))
    };
    // A word of its own comes first: the generator replaces texts that stand for any.
    let of = |with: &dyn Fn(&str) -> Value, text: &str| [WORD, text].into_iter().find_map(|text| two(with, text));
    let Some(element) = first.as_object() else { return of(&|text| Value::from(text), first.as_str()?) };
    node.list_map_keys.iter().find_map(|key| {
        let with = |text: &str| {
            let mut element = element.clone();
            element.insert(key.clone(), Value::from(text));
            Value::Object(element)
        };
        of(&with, element.get(key)?.as_str()?)
    })
}

/// A text with letters.
const WORD: &str = "web";

/// Of a list by several keys, for each key two elements that differ in it alone.
fn by_one_key(node: &Structural, element: &Value) -> Vec<Boundary> {
    let (Some(element), Some(items)) = (element.as_object(), &node.items) else { return Vec::new() };
    if node.list_map_keys.len() < 2 {
        return Vec::new();
    }
    let of_key = |name: &String| {
        let schema = items.properties.get(name)?;
        let [one, other] = [0, 1].map(|index| {
            let mut element = element.clone();
            element.insert(name.clone(), example(schema, index));
            Value::Object(element)
        });
        (one != other).then(|| class(format!("different {name}"), false, Value::from(vec![one, other])))
    };
    node.list_map_keys.iter().filter_map(of_key).collect()
}
