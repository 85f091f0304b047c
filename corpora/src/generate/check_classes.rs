//! Classes of values that the checks of a reference tell apart, as rules that no catalogue lists.

use super::layout::Layout;
use super::rules::RulePlace;
use super::type_classes::{around_count, around_length, class, of_type, plain, value};
use serde_json::{Value, json};
use takeover_harness::case::Operation;
use takeover_harness::check::Check;
use takeover_harness::error::ErrorType;
use takeover_harness::rule::{Boundary, Rule, RuleId, Sample};
use takeover_harness::schema::{Kind, Schema, TypeId};

/// Limits beyond this are not tried: samples would be too large.
const LARGEST: usize = 2_048;

/// Of the values that a check lists, so many are tried.
const MOST_VALUES: usize = 12;

/// Lengths that are tried where a check on lengths does not tell its limit.
const LENGTHS: [usize; 4] = [63, 64, 253, 1_024];

/// Texts that checks of formats tell apart.
const FORMS: [&str; 14] = [
    "A",
    "a_b",
    "-a",
    "a-",
    "a.b",
    "a..b",
    "a/b",
    "a/b/c",
    "10.0.0.1",
    "010.0.0.1",
    "::ffff:10.0.0.1",
    "10.0.0.1/8",
    "1a",
    "%zz",
];

/// A check as a rule with the classes that it tells apart; none when the types have no such place. `creates` says that there are checks
/// of creates, so that one of updates alone judges changes.
pub(super) fn of_check(schema: &Schema, layout: &Layout, root: TypeId, check: &Check, creates: bool) -> Option<Rule> {
    // What is said of the whole object names no value of it: an object without version and kind would be none.
    if check.path().is_empty() {
        return None;
    }
    let mut rule = Rule::new(RuleId(u32::MAX), check.path(), format!("check {}", check.error_type()));
    // Duplicates are reported at an item or its key, and made in the list.
    if check.error_type() == ErrorType::Duplicate
        && let Some((list, _)) = check.path().rsplit_once("[*]")
    {
        list.clone_into(&mut rule.path);
    }
    let ty = RulePlace::of(schema, root, &rule)?.ty;
    rule.update_only = creates && check.operations == [Operation::Update];
    rule.boundaries = classes(schema, layout, ty, check, rule.update_only);
    (!rule.boundaries.is_empty()).then_some(rule)
}

fn classes(schema: &Schema, layout: &Layout, ty: TypeId, check: &Check, update_only: bool) -> Vec<Boundary> {
    let kind = schema.pointed(ty).1;
    let limit = check.limit.and_then(|limit| usize::try_from(limit).ok()).filter(|limit| *limit <= LARGEST);
    let set = || plain(schema, ty).into_iter().flatten().map(|set| value(format!("set: {set}"), set));
    let absent = || class("absent", Sample::Absent);
    let mut classes: Vec<Boundary> = match check.error_type() {
        ErrorType::TooLong if matches!(kind, Kind::Text) => match limit {
            Some(limit) => around_length(limit),
            None => LENGTHS.into_iter().flat_map(around_length).collect(),
        },
        ErrorType::TooShort if matches!(kind, Kind::Text) => around_length(limit.unwrap_or(1).saturating_sub(1)),
        ErrorType::TooMany => limit.map(|limit| around_count(schema, layout, ty, limit)).unwrap_or_default(),
        ErrorType::TooFew => around_count(schema, layout, ty, limit.unwrap_or(1).saturating_sub(1)),
        ErrorType::Duplicate => of_type(schema, layout, ty),
        ErrorType::Required => vec![absent()],
        ErrorType::NotSupported => named(&check.values),
        ErrorType::Forbidden => [absent()].into_iter().chain(set()).collect(),
        _ => vec![absent()],
    };
    if matches!(check.error_type(), ErrorType::Invalid | ErrorType::TypeInvalid) {
        match kind {
            Kind::Int { .. } => classes.extend(check.limit.into_iter().flat_map(around)),
            Kind::Text => classes.extend(FORMS.map(|text| value(format!("`{text}`"), text))),
            _ => {}
        }
        classes.extend(named(&check.values));
    }
    // What may not change is seen on two values.
    if update_only || matches!(check.error_type(), ErrorType::Required) {
        classes.extend(set());
        classes.extend(empty(kind).map(|empty| value("empty", empty)));
    }
    classes
}

/// The numbers next to a limit.
fn around(limit: i64) -> impl Iterator<Item = Boundary> {
    [limit.saturating_sub(1), limit, limit.saturating_add(1)]
        .into_iter()
        .map(|number| value(format!("number {number}"), number))
}

/// Values of an enumeration, one that it does not list, and one of another case.
fn named(values: &[String]) -> Vec<Boundary> {
    let mut classes: Vec<Boundary> =
        values.iter().take(MOST_VALUES).map(|known| value(format!("`{known}`"), known.as_str())).collect();
    if let Some(first) = values.first() {
        classes.extend([value("unknown value", "Unknown-1"), value("another case", swapped(first))]);
    }
    classes
}

/// The text with capital letters for small ones and the reverse.
pub(super) fn swapped(text: &str) -> String {
    let swap = |letter: char| match letter {
        letter if letter.is_ascii_lowercase() => letter.to_ascii_uppercase(),
        letter => letter.to_ascii_lowercase(),
    };
    text.chars().map(swap).collect()
}

/// What Go takes for the zero value, printed.
fn empty(kind: &Kind) -> Option<Value> {
    Some(match kind {
        Kind::Text | Kind::Bytes => "".into(),
        Kind::Int { .. } => 0.into(),
        Kind::Bool => false.into(),
        Kind::List(_) => json!([]),
        Kind::Map { .. } | Kind::Struct(_) => json!({}),
        _ => return None,
    })
}
