//! Pairs of values for two members that a rule compares, which sort differently as texts, numbers, durations or versions.

use super::super::example::example;
use super::values::Made;
use super::wanted::Step;
use crate::rules::{NodeLanguage, Old, Outcome, Program};
use crate::structural::Structural;
use crate::validate::accepts;
use serde_json::{Map, Value, json};
use std::sync::Arc;
use takeover_cel::cost::limits;
use takeover_cel::scalar::time::{Timestamp, duration, go_duration};
use takeover_cel::syntax::{Ast, Kind, Literal, NodeId};

/// Most comparisons of a rule that get pairs.
const MOST_COMPARED: usize = 4;
/// Most distances of a comparison that get pairs.
const MOST_DISTANCES: usize = 2;
/// Most keys that are tried for maps whose entries are compared.
const MOST_KEYS: usize = 4;
/// Most schemas below a member that has rules.
const MOST_SCHEMAS: usize = 2_000;
/// Deepest nesting of an expression that is read.
const DEPTH: usize = 60;
const SECOND: i64 = 1_000_000_000;
/// 1 January 2024.
const NEW_YEAR: i64 = 1_704_067_200;
/// The duration that distances are added to: a minute.
const MINUTE: i64 = 60 * SECOND;

/// Two values that a rule compares, and the distances between them that it names.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Compared {
    places: Places,
    measure: Measure,
    distances: Vec<i64>,
}

/// Where the two values are.
#[derive(Clone, Debug, PartialEq)]
enum Places {
    /// In two members.
    Members([Vec<String>; 2]),
    /// Under one key of two maps.
    Entries([Vec<String>; 2]),
    /// In two items of a list, under these names.
    Items { list: Vec<String>, within: Vec<String> },
}

/// How the rule reads the values. Distances of durations and times are in nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Measure {
    Plain,
    Span,
    Time,
    Quantity,
    Version,
    /// The first is a network that contains the second.
    Network,
}

impl Compared {
    /// A network and what it may contain; `None` if these places are not two members.
    pub(super) fn within(places: [&[Vec<Step>]; 2]) -> Option<Self> {
        let [network, inner] = places;
        let places = two(network.iter().chain(inner))?;
        Some(Self { places, measure: Measure::Network, distances: Vec::new() })
    }

    /// The two values that the sides of a comparison refer to; `None` if they are not two.
    pub(super) fn of(ast: &Ast, sides: [NodeId; 2], places: [&[Vec<Step>]; 2]) -> Option<Self> {
        let places = match places {
            [one, other] if one == other => items(one)?,
            [one, other] => two(one.iter().chain(other))?,
        };
        let (mut measure, mut distances) = (Measure::Plain, Vec::new());
        sides.into_iter().for_each(|side| read(ast, side, DEPTH, &mut measure, &mut distances));
        distances.truncate(MOST_DISTANCES);
        Some(Self { places, measure, distances })
    }

    /// Pairs of values; the types of the members may not allow all of them.
    fn values(&self) -> Vec<[Value; 2]> {
        let both = |pairs: &[[&str; 2]]| -> Vec<[Value; 2]> {
            pairs.iter().flat_map(|[one, other]| [[json!(one), json!(other)], [json!(other), json!(one)]]).collect()
        };
        let spans = |spans: [i64; 2]| spans.map(|nanos| Value::from(go_duration(nanos)));
        let times = |seconds: [i64; 2]| {
            seconds.map(|seconds| Value::from(Timestamp { seconds: NEW_YEAR + seconds, nanos: 0 }.to_string()))
        };
        let mut pairs = match self.measure {
            Measure::Plain => {
                let numbers = [[2, 2], [1, 2], [9, 10]]
                    .map(|[one, other]| [[json!(one), json!(other)], [json!(other), json!(one)]]);
                let mut all = both(&[["a", "a"], ["a", "b"], ["9", "10"], ["B", "a"], ["1.9.0", "1.10.0"]]);
                all.extend(numbers.into_iter().flatten());
                all.extend([[json!(1.5), json!(1)], [json!(1), json!(1.5)]]);
                all
            }
            Measure::Span => both(&[["1m", "1m"], ["60s", "1m"], ["1m", "2m"], ["9s", "10s"], ["90m", "1h"]]),
            Measure::Time => {
                let mut all = both(&[["2024-01-01T00:00:00Z", "2024-01-01T01:00:00+01:00"]]);
                all.extend([[0, 0], [0, 1], [1, 0]].map(times));
                all
            }
            Measure::Quantity => {
                let mut all = both(&[
                    ["1", "1"],
                    ["1", "1000m"],
                    ["500m", "1"],
                    ["1Gi", "1024Mi"],
                    ["9Gi", "10Gi"],
                    ["1G", "1Gi"],
                ]);
                all.extend([[json!(1), json!("1000m")], [json!(2), json!(10)], [json!(10), json!(2)]]);
                all
            }
            // The first and the last address of a network, others inside and outside, and networks.
            Measure::Network => [
                ["10.0.0.0/24", "10.0.0.0"],
                ["10.0.0.0/24", "10.0.0.1"],
                ["10.0.0.0/24", "10.0.0.255"],
                ["10.0.0.0/24", "10.0.1.0"],
                ["fd00::/64", "fd00::"],
                ["fd00::/64", "fd00::1"],
                ["10.0.0.0/24", "10.0.0.128/25"],
                ["10.0.0.0/24", "10.0.0.0/24"],
                ["10.0.0.0/24", "10.0.0.0/23"],
            ]
            .map(|pair| pair.map(Value::from))
            .to_vec(),
            Measure::Version => {
                both(&[["1.2.3", "1.2.3"], ["1.2.3", "1.2.4"], ["1.9.0", "1.10.0"], ["1.2.3-rc.1", "1.2.3"]])
            }
        };
        for distance in &self.distances {
            let beyond = |one: i64, by: i64| one.saturating_add(*distance).saturating_add(by);
            for by in [-1, 0, 1] {
                let far = match self.measure {
                    Measure::Plain => Some([2, beyond(2, by)].map(Value::from)),
                    Measure::Span => Some(spans([MINUTE, beyond(MINUTE, by * SECOND)])),
                    Measure::Time => Some(times([0, distance / SECOND + by])),
                    Measure::Quantity | Measure::Version | Measure::Network => None,
                };
                pairs.extend(far.into_iter().flat_map(|[one, other]| [[one.clone(), other.clone()], [other, one]]));
            }
        }
        let mut distinct: Vec<[Value; 2]> = Vec::new();
        for pair in pairs {
            if !distinct.contains(&pair) {
                distinct.push(pair);
            }
        }
        distinct
    }
}

/// These places as two members, or as entries of two maps.
fn two<'p>(places: impl Iterator<Item = &'p Vec<Step>>) -> Option<Places> {
    let mut members: Vec<Vec<String>> = Vec::new();
    let mut are_entries = Vec::new();
    for place in places {
        let (path, is_entry) = match place.split_last() {
            Some((Step::Each, map)) => (map, true),
            _ => (place.as_slice(), false),
        };
        let names: Option<Vec<String>> = path.iter().map(member).collect();
        let names = names.filter(|names| !names.is_empty())?;
        are_entries.push(is_entry);
        if !members.contains(&names) {
            members.push(names);
        }
    }
    let members: [Vec<String>; 2] = members.try_into().ok()?;
    if members.iter().any(|one| members.iter().any(|other| one != other && other.starts_with(one))) {
        return None;
    }
    match are_entries.iter().filter(|is_entry| **is_entry).count() {
        0 => Some(Places::Members(members)),
        count if count == are_entries.len() => Some(Places::Entries(members)),
        _ => None,
    }
}

/// The list whose items are compared with each other.
fn items(places: &[Vec<Step>]) -> Option<Places> {
    // A loop variable may also stand for a key of a map; items of a list matter here.
    let place = places.iter().find(|place| place.contains(&Step::Each))?;
    let at = place.iter().position(|step| *step == Step::Each)?;
    let names = |steps: &[Step]| steps.iter().map(member).collect::<Option<Vec<String>>>();
    Some(Places::Items { list: names(place.get(..at)?)?, within: names(place.get(at + 1..)?)? })
}

fn member(step: &Step) -> Option<String> {
    match step {
        Step::Member(name) => Some(name.clone()),
        Step::Each | Step::Key => None,
    }
}

/// Notes how an expression reads members, and which constants it contains.
fn read(ast: &Ast, id: NodeId, depth: usize, measure: &mut Measure, distances: &mut Vec<i64>) {
    let (Some(depth), Some(kind)) = (depth.checked_sub(1), ast.kind(id)) else { return };
    match kind {
        Kind::Literal(Literal::Int(number)) => distances.push(*number),
        Kind::Literal(Literal::String(text)) => distances.extend(duration(text)),
        Kind::Call { function, target, args } => {
            match &**function {
                "duration" if *measure == Measure::Plain => *measure = Measure::Span,
                "timestamp" => *measure = Measure::Time,
                "quantity" => *measure = Measure::Quantity,
                "semver" => *measure = Measure::Version,
                _ => {}
            }
            target.iter().chain(args).for_each(|part| read(ast, *part, depth, measure, distances));
        }
        _ => {}
    }
}

/// Different texts that are equal as addresses, numbers, durations or quantities, or without their case.
const ALIKE: [[&str; 2]; 7] = [
    ["::1", "0::1"],
    ["10.0.0.1", "010.0.0.1"],
    ["a", "A"],
    ["1", "01"],
    ["1m", "60s"],
    ["1Gi", "1024Mi"],
    ["a", "a "],
];

/// Values of a node with pairs of compared values, as far as its schema and the rules of the members accept them. `keys` are the keys for
/// entries of maps.
pub(super) fn pairs(node: &Structural, compared: &[Compared], made: &[Made], keys: &[&str]) -> Vec<Made> {
    let mut all = Vec::new();
    for compared in compared.iter().take(MOST_COMPARED) {
        let found = match &compared.places {
            Places::Members(members) => {
                beside(node, made, members, compared.values().into_iter().map(|pair| pair.map(Some)))
            }
            Places::Entries(maps) => {
                let of_key = |key: &str| {
                    let entry = |value: Value| Some(Value::Object(Map::from_iter([(key.to_owned(), value)])));
                    compared.values().into_iter().map(|pair| pair.map(entry)).collect::<Vec<_>>()
                };
                let keys = keys.iter().take(MOST_KEYS).chain(&["a0"]);
                beside(node, made, maps, keys.flat_map(|key| of_key(key)))
            }
            Places::Items { list, within } => in_items(node, made, list, within),
        };
        for made in found {
            if !all.contains(&made) {
                all.push(made);
            }
        }
    }
    all
}

/// The node with each pair of values in these members, if it is accepted.
fn beside(
    node: &Structural,
    made: &[Made],
    members: &[Vec<String>; 2],
    pairs: impl Iterator<Item = [Option<Value>; 2]>,
) -> Vec<Made> {
    let has = |made: &&Made| members.iter().all(|names| at(made.full.as_ref(), names).is_some());
    let Some(base) = made.iter().find(has) else { return Vec::new() };
    let below: Vec<RulesOf> = members.iter().flat_map(|names| rules_below(node, names)).collect();
    let with = |pair: [Option<Value>; 2]| {
        let mut made = base.clone();
        for (names, value) in members.iter().zip(pair) {
            let value = value?;
            [&mut made.full, &mut made.shown].into_iter().flatten().for_each(|whole| put(whole, names, &value));
        }
        let whole = made.full.as_ref()?;
        let is_kept = accepts(node, whole)
            && below.iter().all(|of| at(Some(whole), &of.names).is_none_or(|value| of.keeps(value)));
        is_kept.then_some(made)
    };
    pairs.filter_map(with).collect()
}

/// The node with two items in the list that may count as equal.
fn in_items(node: &Structural, made: &[Made], list: &[String], within: &[String]) -> Vec<Made> {
    let items = list.iter().try_fold(node, |node, name| node.member(name).map(AsRef::as_ref));
    let Some(items) = items.and_then(|list| list.items.as_deref()) else { return Vec::new() };
    let base = made.iter().find(|made| at(made.full.as_ref(), list).is_some());
    let with = |pair: [&str; 2]| {
        let mut made = base?.clone();
        let item = |index: usize, text: &str| {
            let mut item = example(items, index);
            put(&mut item, within, &Value::from(text));
            item
        };
        let value: Value = pair.into_iter().enumerate().map(|(index, text)| item(index, text)).collect();
        [&mut made.full, &mut made.shown].into_iter().flatten().for_each(|whole| put(whole, list, &value));
        made.full.as_ref().is_some_and(|whole| accepts(node, whole)).then_some(made)
    };
    ALIKE.into_iter().filter_map(with).collect()
}

/// The rules of a member.
struct RulesOf {
    names: Vec<String>,
    programs: Vec<(Arc<dyn Program>, bool)>,
}

impl RulesOf {
    fn keeps(&self, value: &Value) -> bool {
        self.programs.iter().all(|(program, optional)| {
            let old = if *optional { Old::Optional(None) } else { Old::Unbound };
            program.run(value, old, limits::PER_CALL).outcome == Outcome::Holds
        })
    }
}

/// The rules of the members along this path.
fn rules_below(node: &Structural, names: &[String]) -> Vec<RulesOf> {
    let mut all = Vec::new();
    let mut below = node;
    for (at, name) in names.iter().enumerate() {
        let Some(member) = below.member(name) else { break };
        below = member;
        if below.rules.is_empty() {
            continue;
        }
        let Some(language) = NodeLanguage::of(below, below.embedded, MOST_SCHEMAS) else { continue };
        let judges_creates = |program: &Arc<dyn Program>, optional: bool| optional || !program.uses_old();
        let programs = below.rules.iter().filter_map(|rule| {
            let optional = rule.optional_old_self == Some(true);
            let program = language.compile(rule).ok()?;
            judges_creates(&program, optional).then_some((program, optional))
        });
        all.push(RulesOf { names: names.iter().take(at + 1).cloned().collect(), programs: programs.collect() });
    }
    all
}

fn at<'v>(whole: Option<&'v Value>, names: &[String]) -> Option<&'v Value> {
    names.iter().try_fold(whole?, |value, name| value.get(name))
}

/// Sets a value at this path.
fn put(whole: &mut Value, names: &[String], value: &Value) {
    let Some((name, rest)) = names.split_first() else {
        *whole = value.clone();
        return;
    };
    if !whole.is_object() {
        *whole = Value::Object(Map::new());
    }
    if let Some(members) = whole.as_object_mut() {
        put(members.entry(name.as_str()).or_insert(Value::Null), rest, value);
    }
}
