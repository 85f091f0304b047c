//! What defaulting makes of an object: once, again, and with its fields in other orders.

use super::aligned::align;
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
    pub(super) fn of(
        objects: &Objects<'a>,
        (before, given): (&'a Value, Option<&'a Value>),
        nulls: Option<&'a BTreeSet<String>>,
    ) -> Self {
        let Objects { schema, root, new, .. } = *objects;
        Self { schema, root, new, before, given, nulls }
    }

    /// The object as a defaulter is given it.
    fn text(&self, order: Order) -> Text<'a> {
        Text { object: self.given, order }
    }

    fn print(&self, node: &Node<'_>) -> Value {
        let mut value = to_value(self.schema, self.root, node);
        if self.given.is_some() {
            align(self.schema, self.root, self.before, &mut value);
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
    /// Whether the same object gets different defaults when it is sent again.
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
        let arena = Arena::new();
        let trial = Trial { defaulter, sent, found, arena: &arena };
        let again = trial.again();
        // What changes each time differs later, too.
        let later = if again.is_empty() { trial.later(earlier) } else { Vec::new() };
        Self { reordered: trial.reordered(orders), is_unsteady: trial.is_unsteady(), again, later }
    }
}

/// Further treatments of an object that was defaulted once.
struct Trial<'t, 'a> {
    defaulter: &'t dyn Defaulter,
    sent: &'t Sent<'a>,
    found: &'t Once,
    arena: &'t Arena,
}

impl<'t, 'a: 't> Trial<'t, 'a> {
    fn attempt(&self, node: Node<'t>, text: Text<'_>) -> Option<Node<'t>> {
        let types = (self.sent.schema, self.sent.root);
        Some(self.defaulter.attempt(types, node, text, self.arena).ok()?.object)
    }

    fn apply(&self, node: Node<'t>) -> Option<Node<'t>> {
        self.attempt(node, Text::default())
    }

    /// What changes when the object is defaulted again.
    fn again(&self) -> Vec<Row> {
        let Self { sent, found, .. } = self;
        let twice = match &found.answered {
            Some(answered) => {
                let once = from_value(sent.schema, sent.root, answered, self.arena).ok();
                let text = Text { object: Some(answered), order: Order::Same };
                once.and_then(|once| Some((once, self.attempt(once, text)?)))
            }
            None => self.apply(sent.new).and_then(|once| Some((once, self.apply(once)?))),
        };
        match twice {
            Some((once, twice)) if !identical(&once, &twice) => sent.rows(&found.after, &sent.print(&twice)),
            _ => Vec::new(),
        }
    }

    /// What differs with another order of fields.
    fn reordered(&self, orders: &Orders<'a>) -> Vec<Row> {
        let Self { sent, found, .. } = self;
        let mut reordered: Vec<Row> = Vec::new();
        let mut add = |straight: &Value, other: &Node<'_>| {
            let is_new = |row: &Row| !reordered.iter().any(|of| of.field == row.field);
            let new: Vec<Row> = sent.rows(straight, &sent.print(other)).into_iter().filter(is_new).collect();
            reordered.extend(new);
        };
        let Decoded { straight, others } = orders.of(sent);
        if let (Some(straight), false) = (straight.and_then(|node| self.apply(node)), others.is_empty()) {
            let straight = sent.print(&straight);
            others.iter().filter_map(|other| self.apply(*other)).for_each(|other| add(&straight, &other));
        }
        if found.answered.is_some() {
            let in_order = |order| self.attempt(sent.new, sent.text(order));
            Order::OTHERS.into_iter().filter_map(in_order).for_each(|other| add(&found.after, &other));
        }
        reordered
    }

    /// Whether who answers with text gives another answer when the same is sent again.
    fn is_unsteady(&self) -> bool {
        let again = || self.attempt(self.sent.new, self.sent.text(Order::Same));
        self.found.answered.is_some() && again().is_some_and(|again| self.sent.print(&again) != self.found.after)
    }

    /// What differs after each step of admission, and after each of `earlier` stored the object.
    fn later(&self, earlier: &[Box<dyn Defaulter>]) -> Vec<(Step, Row)> {
        let Self { sent, found, .. } = self;
        let Once { rows, after, answered } = found;
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
        let with_empty = self.with_empty();
        let (was, is) = match (answered, sent.given, &with_empty) {
            (Some(answered), Some(given), _) => (given, answered),
            (None, _, Some((before, after))) => (before, after),
            _ => (sent.before, after),
        };
        let as_before: OnceCell<Option<Value>> = OnceCell::new();
        // Where nothing is set, admission has nothing to remove.
        let sets = rows.iter().any(Row::is_set);
        for step in Step::OF_ADMISSION.into_iter().filter(|_| sets) {
            let Some(mut changed) = changed(step, (was, is), (sent.schema, sent.root), answered.is_none()) else {
                continue;
            };
            if let (Some(nulls), true) = (sent.nulls, answered.is_some()) {
                keep_nulls(&mut changed.object, is, nulls, &Path::ROOT);
            }
            let with_more = changed.expected.as_ref().map(decoded_again);
            let expected = with_more.as_ref().unwrap_or_else(|| as_before.get_or_init(|| decoded_again(is)));
            let text = Text { object: answered.is_some().then_some(&changed.object), order: Order::Same };
            let (arena, types) = (Arena::new(), (sent.schema, sent.root));
            let Ok(node) = from_value(sent.schema, sent.root, &changed.object, &arena) else { continue };
            if let (Some(expected), Ok(made)) = (expected, self.defaulter.attempt(types, node, text, &arena)) {
                differs(step, expected, &sent.print(&made.object));
            }
        }
        for earlier in earlier {
            let stored = earlier.apply(sent.schema, sent.root, sent.new, self.arena);
            if let Some(read) = self.apply(stored) {
                differs(Step::Stored, after, &sent.print(&read));
            }
        }
        later
    }

    /// The object before and after its defaults, with its empty values, where it is seen as it was sent by who answers with no text.
    fn with_empty(&self) -> Option<(Value, Value)> {
        let Self { sent, found, .. } = self;
        sent.given.filter(|_| found.answered.is_none())?;
        let print = |node: &Node<'_>| to_value_with_empty(sent.schema, sent.root, node);
        let made = self.apply(sent.new).map_or_else(|| found.after.clone(), |made| print(&made));
        Some((print(&sent.new), made))
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
