//! What defaulting makes of an object: once, again, and with its fields in other orders.

use super::later::{Step, changed};
use super::orders::others;
use super::rows::{Row, rows};
use serde_json::Value;
use takeover_harness::form::Defaulter;
use takeover_harness::object::{Arena, Node, from_bytes, from_value, identical, to_value};
use takeover_harness::oracle::Objects;
use takeover_harness::schema::{Schema, TypeId};

/// The new object of a request, and the same with its fields in other orders.
pub(super) struct Sent<'a> {
    pub(super) schema: &'a Schema,
    pub(super) root: TypeId,
    new: Node<'a>,
    /// The object as JSON.
    pub(super) before: Value,
    /// The object as decoded from its text, and from texts in other orders that are decoded to something else: what is made of the
    /// same is the same.
    straight: Option<Node<'a>>,
    others: Vec<Node<'a>>,
}

impl<'a> Sent<'a> {
    /// The new object of a request.
    pub(super) fn of(objects: &Objects<'a>) -> Self {
        let Objects { schema, root, new, .. } = *objects;
        Self { schema, root, new, before: to_value(schema, root, &new), straight: None, others: Vec::new() }
    }

    /// The same in other orders, too.
    pub(super) fn reordered(objects: &Objects<'a>, arena: &'a Arena) -> Self {
        let sent = Self::of(objects);
        // All are decoded from JSON: what is printed may lack an empty struct.
        let decoded = |text: &str| from_bytes(sent.schema, sent.root, arena.alloc_str(text).as_bytes(), arena).ok();
        let straight = decoded(&sent.before.to_string());
        let is_other = |node: &Node<'a>| straight.is_some_and(|straight| !identical(&straight, node));
        let others = others(&sent.before).iter().filter_map(|text| decoded(text)).filter(is_other).collect();
        Self { straight, others, ..sent }
    }

    fn print(&self, node: &Node<'_>) -> Value {
        to_value(self.schema, self.root, node)
    }

    fn rows(&self, before: &Value, after: &Value) -> Vec<Row> {
        rows(before, after, self.schema, self.root)
    }
}

/// One way of defaulting, and what it made of an object.
pub(super) struct Defaulted {
    /// What was set, changed and removed.
    pub(super) rows: Vec<Row>,
    /// The object after it.
    pub(super) after: Value,
    /// What happened when it was defaulted again.
    pub(super) again: Vec<Row>,
    /// Where another order of fields gives something else.
    pub(super) reordered: Vec<Row>,
    /// Where it is something else after admission changed it or an earlier server stored it, and it was defaulted again.
    pub(super) later: Vec<(Step, Row)>,
}

impl Defaulted {
    /// Defaults an object once.
    pub(super) fn of(defaulter: &dyn Defaulter, sent: &Sent<'_>) -> Self {
        let arena = Arena::new();
        let after = sent.print(&defaulter.apply(sent.schema, sent.root, sent.new, &arena));
        Self {
            rows: sent.rows(&sent.before, &after),
            again: Vec::new(),
            reordered: Vec::new(),
            later: Vec::new(),
            after,
        }
    }

    /// Defaults it, again, in other orders of its fields, after admission, and after each of `earlier` stored it.
    pub(super) fn tried(defaulter: &dyn Defaulter, earlier: &[Box<dyn Defaulter>], sent: &Sent<'_>) -> Self {
        let arena = Arena::new();
        let apply = |node| defaulter.apply(sent.schema, sent.root, node, &arena);
        let once = apply(sent.new);
        let twice = apply(once);
        let after = sent.print(&once);
        let again = if identical(&once, &twice) { Vec::new() } else { sent.rows(&after, &sent.print(&twice)) };
        let mut reordered: Vec<Row> = Vec::new();
        if let (Some(straight), false) = (sent.straight, sent.others.is_empty()) {
            let straight = sent.print(&apply(straight));
            for other in &sent.others {
                let is_new = |row: &Row| !reordered.iter().any(|of| of.field == row.field);
                let found = sent.rows(&straight, &sent.print(&apply(*other)));
                let new: Vec<Row> = found.into_iter().filter(is_new).collect();
                reordered.extend(new);
            }
        }
        let rows = sent.rows(&sent.before, &after);
        let mut later: Vec<(Step, Row)> = Vec::new();
        let mut differs = |step: Step, expected: &Value, made: &Value| {
            let is_new = |row: &Row| !later.iter().any(|(_, of)| of.field == row.field);
            let found = sent.rows(expected, made);
            let new: Vec<(Step, Row)> = found.into_iter().filter(is_new).map(|row| (step, row)).collect();
            later.extend(new);
        };
        // Where nothing is set, admission has nothing to remove. What changes each time differs later, too.
        let (sets, is_steady) = (rows.iter().any(Row::is_set), again.is_empty());
        for step in Step::OF_ADMISSION.into_iter().filter(|_| sets && is_steady) {
            let Some(changed) = changed(step, &sent.before, &after, (sent.schema, sent.root)) else { continue };
            let arena = Arena::new();
            let decoded = |value| from_value(sent.schema, sent.root, value, &arena);
            // What is printed may lack an empty struct, so both are decoded from JSON.
            if let (Ok(node), Ok(expected)) = (decoded(&changed.object), decoded(&changed.expected)) {
                let made = sent.print(&defaulter.apply(sent.schema, sent.root, node, &arena));
                differs(step, &sent.print(&expected), &made);
            }
        }
        for earlier in earlier.iter().filter(|_| is_steady) {
            let stored = earlier.apply(sent.schema, sent.root, sent.new, &arena);
            differs(Step::Stored, &after, &sent.print(&apply(stored)));
        }
        Self { rows, again, reordered, later, after }
    }
}
