//! What defaulting makes of an object: once, again, and with its fields in other orders.

use super::later::{Step, changed};
use super::orders::is_ordered;
use super::rows::{Row, rows};
use serde_json::Value;
use std::cell::OnceCell;
use takeover_harness::form::Defaulter;
use takeover_harness::object::{Arena, InOrder, Node, Order, from_bytes, from_value, identical, to_value};
use takeover_harness::oracle::{Objects, OracleFailure};
use takeover_harness::schema::{Schema, TypeId};

/// The new object of a request.
pub(super) struct Sent<'a> {
    pub(super) schema: &'a Schema,
    pub(super) root: TypeId,
    new: Node<'a>,
    /// The object as JSON.
    pub(super) before: &'a Value,
}

impl<'a> Sent<'a> {
    /// The new object of a request, which is `before` as JSON.
    pub(super) fn of(objects: &Objects<'a>, before: &'a Value) -> Self {
        let Objects { schema, root, new, .. } = *objects;
        Self { schema, root, new, before }
    }

    fn print(&self, node: &Node<'_>) -> Value {
        to_value(self.schema, self.root, node)
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
}

impl Once {
    /// Defaults an object once.
    ///
    /// # Errors
    /// Returns an error when the object gets no defaults, because it is refused.
    pub(super) fn of(defaulter: &dyn Defaulter, sent: &Sent<'_>) -> Result<Self, OracleFailure> {
        let arena = Arena::new();
        let after = defaulter.attempt((sent.schema, sent.root), sent.new, Order::Same, &arena)?;
        let after = sent.print(&after);
        Ok(Self { rows: sent.rows(sent.before, &after), after })
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
        let Once { rows, after } = found;
        let arena = Arena::new();
        let types = (sent.schema, sent.root);
        let apply = |node| defaulter.attempt(types, node, Order::Same, &arena).ok();
        // Nobody is asked twice who is far away.
        let once = match defaulter.reads_text() {
            true => from_value(sent.schema, sent.root, after, &arena).ok(),
            false => apply(sent.new),
        };
        let twice = once.and_then(|once| Some((once, apply(once)?)));
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
        if defaulter.reads_text() {
            let in_order = |order| defaulter.attempt(types, sent.new, order, &arena).ok();
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
        let as_before: OnceCell<Option<Value>> = OnceCell::new();
        // Where nothing is set, admission has nothing to remove. What changes each time differs later, too.
        let (sets, is_steady) = (rows.iter().any(Row::is_set), again.is_empty());
        for step in Step::OF_ADMISSION.into_iter().filter(|_| sets && is_steady) {
            let Some(changed) = changed(step, sent.before, after, (sent.schema, sent.root)) else { continue };
            let arena = Arena::new();
            let Ok(node) = from_value(sent.schema, sent.root, &changed.object, &arena) else { continue };
            let with_more = changed.expected.as_ref().map(decoded_again);
            let expected = with_more.as_ref().unwrap_or_else(|| as_before.get_or_init(|| decoded_again(after)));
            if let Some(expected) = expected {
                let Ok(made) = defaulter.attempt(types, node, Order::Same, &arena) else { continue };
                differs(step, expected, &sent.print(&made));
            }
        }
        for earlier in earlier.iter().filter(|_| is_steady) {
            let stored = earlier.apply(sent.schema, sent.root, sent.new, &arena);
            let Some(read) = apply(stored) else { continue };
            differs(Step::Stored, after, &sent.print(&read));
        }
        Self { again, reordered, later }
    }
}
