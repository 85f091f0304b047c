//! What defaulting makes of an object: once, again, and with its fields in other orders.

use super::asked::sort_sets;
use super::known::Known;
use super::later::{Step, changed};
use super::orders::is_ordered;
use super::rows::{Row, rows};
use serde_json::Value;
use std::cell::OnceCell;
use std::collections::BTreeSet;
use takeover_harness::form::{Defaulter, Text};
use takeover_harness::object::{
    Arena, InOrder, Node, Order, from_bytes, from_value, identical, to_value, to_value_with_empty,
};
use takeover_harness::oracle::{Objects, OracleFailure};
use takeover_harness::path::{Path, pattern};
use takeover_harness::schema::{Schema, TypeId};

/// The new object of a request.
pub(super) struct Sent<'a> {
    pub(super) schema: &'a Schema,
    pub(super) root: TypeId,
    new: Node<'a>,
    /// The object as JSON.
    pub(super) before: &'a Value,
    /// The object with every null, zero and empty value that was sent, where somebody reads it as text.
    pub(super) given: Option<&'a Value>,
    /// The path patterns at which null is a value of its own.
    nulls: Option<&'a BTreeSet<String>>,
}

impl<'a> Sent<'a> {
    /// The new object of a request.
    pub(super) fn of(objects: &Objects<'a>, known: &'a Known, nulls: Option<&'a BTreeSet<String>>) -> Self {
        let Objects { schema, root, new, .. } = *objects;
        Self { schema, root, new, before: &known.before, given: known.given.as_ref(), nulls }
    }

    /// The object as a defaulter is given it.
    fn text(&self, order: Order) -> Text<'a> {
        Text { object: self.given, order }
    }

    fn print(&self, node: &Node<'_>) -> Value {
        let mut value = to_value(self.schema, self.root, node);
        if self.given.is_some() {
            sort_sets(self.schema, self.root, &mut value);
        }
        value
    }

    fn rows(&self, before: &Value, after: &Value) -> Vec<Row> {
        rows(before, after, self.schema, self.root)
    }
}

/// An object as decoded from its text, and from texts in other orders where these decode differently. Equal objects get equal defaults.
#[derive(Default)]
struct Decoded<'a> {
    straight: Option<Node<'a>>,
    others: Vec<Node<'a>>,
}

/// The object of a request in other field orders, made when needed.
pub(super) struct Orders<'a> {
    decoded: OnceCell<Decoded<'a>>,
    arena: &'a Arena,
}

impl<'a> Orders<'a> {
    /// Makes no order yet.
    pub(super) fn new(arena: &'a Arena) -> Self {
        Self { decoded: OnceCell::new(), arena }
    }

    fn of(&self, sent: &Sent<'a>) -> &Decoded<'a> {
        self.decoded.get_or_init(|| self.made(sent))
    }

    fn made(&self, sent: &Sent<'a>) -> Decoded<'a> {
        // The order of members does not change decoded structs and maps.
        if !is_ordered(&sent.new) {
            return Decoded::default();
        }
        // All are decoded from JSON, because the printed form may lack an empty struct.
        let decoded = |text: &str| {
            let text = self.arena.alloc_str(text);
            from_bytes(sent.schema, sent.root, text.as_bytes(), self.arena).ok()
        };
        let text = sent.before.to_string();
        let straight = decoded(&text);
        let is_other = |node: &Node<'a>| straight.is_some_and(|straight| !identical(&straight, node));
        let others = Order::OTHERS.map(|order| InOrder(sent.before, order).to_string());
        Decoded { straight, others: others.iter().filter_map(|text| decoded(text)).filter(is_other).collect() }
    }
}

/// An object after one way of defaulting.
pub(super) struct Once {
    /// What was set, changed and removed.
    pub(super) rows: Vec<Row>,
    /// The object after it.
    pub(super) after: Value,
    /// The same as it was answered, by who answers with text.
    pub(super) answered: Option<Value>,
}

impl Once {
    /// Defaults an object once.
    ///
    /// # Errors
    /// Returns an error when the object gets no defaults, because it is refused.
    pub(super) fn of(defaulter: &dyn Defaulter, sent: &Sent<'_>) -> Result<Self, OracleFailure> {
        let arena = Arena::new();
        let made = defaulter.attempt((sent.schema, sent.root), sent.new, sent.text(Order::Same), &arena)?;
        let after = sent.print(&made.object);
        Ok(Self { rows: sent.rows(sent.before, &after), after, answered: made.answered })
    }
}

/// The results of further treatments of the object.
pub(super) struct Tried {
    /// The result of defaulting it again.
    pub(super) again: Vec<Row>,
    /// The differences with another order of fields.
    pub(super) reordered: Vec<Row>,
    /// The differences after admission changed it, or an earlier server stored it, and it was defaulted again.
    pub(super) later: Vec<(Step, Row)>,
    /// Whether the same object gets other defaults when they are asked for once more.
    pub(super) is_unsteady: bool,
}

impl Tried {
    /// Defaults an object again, in other orders of its fields, after admission, and after each of `earlier` stored it. What is refused
    /// shows nothing.
    pub(super) fn of<'a>(
        defaulter: &dyn Defaulter,
        earlier: &[Box<dyn Defaulter>],
        sent: &Sent<'a>,
        found: &Once,
        orders: &Orders<'a>,
    ) -> Self {
        let Once { rows, after, answered } = found;
        let arena = Arena::new();
        let types = (sent.schema, sent.root);
        let attempt = |node, text| Some(defaulter.attempt(types, node, text, &arena).ok()?.object);
        let apply = |node| attempt(node, Text::default());
        let twice = match answered {
            Some(answered) => {
                let once = from_value(sent.schema, sent.root, answered, &arena).ok();
                let text = Text { object: Some(answered), order: Order::Same };
                once.and_then(|once| Some((once, attempt(once, text)?)))
            }
            None => apply(sent.new).and_then(|once| Some((once, apply(once)?))),
        };
        let again = match twice {
            Some((once, twice)) if !identical(&once, &twice) => sent.rows(after, &sent.print(&twice)),
            _ => Vec::new(),
        };
        let mut reordered: Vec<Row> = Vec::new();
        let mut add = |straight: &Value, other: &Node<'_>| {
            let is_new = |row: &Row| !reordered.iter().any(|of| of.field == row.field);
            let new: Vec<Row> = sent.rows(straight, &sent.print(other)).into_iter().filter(is_new).collect();
            reordered.extend(new);
        };
        let Decoded { straight, others } = orders.of(sent);
        if let (Some(straight), false) = (straight.and_then(apply), others.is_empty()) {
            let straight = sent.print(&straight);
            others.iter().filter_map(|other| apply(*other)).for_each(|other| add(&straight, &other));
        }
        let mut is_unsteady = false;
        if answered.is_some() {
            let in_order = |order| attempt(sent.new, sent.text(order));
            is_unsteady = in_order(Order::Same).is_some_and(|other| sent.print(&other) != *after);
            Order::OTHERS.into_iter().filter_map(in_order).for_each(|other| add(after, &other));
        }
        let mut later: Vec<(Step, Row)> = Vec::new();
        let mut differs = |step: Step, expected: &Value, made: &Value| {
            let is_new = |row: &Row| !later.iter().any(|(_, of)| of.field == row.field);
            let found = sent.rows(expected, made);
            let new: Vec<(Step, Row)> = found.into_iter().filter(is_new).map(|row| (step, row)).collect();
            later.extend(new);
        };
        // The printed form may lack an empty struct, so the expected object is decoded from JSON as well.
        let decoded_again = |value: &Value| {
            let arena = Arena::new();
            from_value(sent.schema, sent.root, value, &arena).ok().map(|node| sent.print(&node))
        };
        // Where objects are seen as they were sent, they keep their empty values, and with text their nulls.
        let with_empty = sent.given.filter(|_| answered.is_none()).map(|_| {
            let print = |node: &Node<'_>| to_value_with_empty(sent.schema, sent.root, node);
            let made = apply(sent.new).map_or_else(|| after.clone(), |made| print(&made));
            (print(&sent.new), made)
        });
        let (was, is) = match (answered, sent.given, &with_empty) {
            (Some(answered), Some(given), _) => (given, answered),
            (None, _, Some((before, after))) => (before, after),
            _ => (sent.before, after),
        };
        let as_before: OnceCell<Option<Value>> = OnceCell::new();
        // Where nothing is set, admission has nothing to remove. What changes each time differs later, too.
        let (sets, is_steady) = (rows.iter().any(Row::is_set), again.is_empty());
        for step in Step::OF_ADMISSION.into_iter().filter(|_| sets && is_steady) {
            let Some(mut changed) = changed(step, was, is, (sent.schema, sent.root)) else { continue };
            if let (Some(nulls), true) = (sent.nulls, answered.is_some()) {
                keep_nulls(&mut changed.object, is, nulls, &Path::ROOT);
            }
            let arena = Arena::new();
            let Ok(node) = from_value(sent.schema, sent.root, &changed.object, &arena) else { continue };
            let with_more = changed.expected.as_ref().map(decoded_again);
            let expected = with_more.as_ref().unwrap_or_else(|| as_before.get_or_init(|| decoded_again(is)));
            if let Some(expected) = expected {
                let text = Text { object: answered.is_some().then_some(&changed.object), order: Order::Same };
                let Ok(made) = defaulter.attempt(types, node, text, &arena) else { continue };
                differs(step, expected, &sent.print(&made.object));
            }
        }
        for earlier in earlier.iter().filter(|_| is_steady) {
            let stored = earlier.apply(sent.schema, sent.root, sent.new, &arena);
            let Some(read) = apply(stored) else { continue };
            differs(Step::Stored, after, &sent.print(&read));
        }
        Self { again, reordered, later, is_unsteady }
    }
}

/// Puts back the nulls that an object had, and the values that are no longer there where null is a value of its own: admission that sets
/// null there means it.
fn keep_nulls(object: &mut Value, had: &Value, nulls: &BTreeSet<String>, path: &Path<'_>) {
    match (object, had) {
        (Value::Object(members), Value::Object(had)) => {
            for (name, had) in had {
                let path = path.child(name);
                match members.get_mut(name) {
                    None if had.is_null() => _ = members.insert(name.clone(), Value::Null),
                    None => {}
                    Some(value @ Value::Null) if nulls.contains(&pattern(&path.to_field())) => *value = had.clone(),
                    Some(value) => keep_nulls(value, had, nulls, &path),
                }
            }
        }
        (Value::Array(items), Value::Array(had)) => {
            for (at, (item, had)) in items.iter_mut().zip(had).enumerate() {
                keep_nulls(item, had, nulls, &path.index(at));
            }
        }
        _ => {}
    }
}
