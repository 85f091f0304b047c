//! What an accepted case shows of the values that a reference accepts.

use crate::object::{Node, to_value};
use crate::oracle::Objects;
use crate::schema::{Field, Kind, Presence, Schema, Struct, TypeId};
use serde_json::{Number, Value};
use std::cmp::Ordering;

/// Most numbers of a struct that are compared with each other.
const MOST_BESIDE: usize = 8;

/// What an accepted case shows of a field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Shown {
    /// A created or changed object has the struct around it, and not the field.
    Unset,
    /// A created object, or an update that changes it, has this number there.
    Number(Number),
    /// A created object, or an update that changes the struct around it, has numbers there and in this other field of the struct, in
    /// this order.
    Beside(String, Ordering),
    /// A created object, or an update that changes it, has this text there.
    Text(String),
    /// A created object, or an update that changes it, has so many items, entries or members there.
    Size(u64),
    /// An update sets it, and what is stored does not.
    Added,
    /// An update does not set it, and what is stored does.
    Removed,
    /// An update sets another value than the stored one.
    Changed,
}

/// What the objects of an accepted case show, by the path patterns of fields.
pub(super) fn shown(objects: &Objects<'_>) -> Vec<(String, Shown)> {
    let mut walk = Walk { schema: objects.schema, out: Vec::new() };
    match objects.old {
        None => walk.values(objects.root, objects.new, &mut String::new()),
        Some(old) => walk.changes(objects.root, objects.new, old, &mut String::new()),
    }
    walk.out
}

struct Walk<'s> {
    schema: &'s Schema,
    out: Vec<(String, Shown)>,
}

impl Walk<'_> {
    fn show(&mut self, path: &str, shown: Shown) {
        self.out.push((path.to_owned(), shown));
    }

    fn values(&mut self, ty: TypeId, node: Node<'_>, path: &mut String) {
        let (ty, kind) = self.schema.pointed(ty);
        let size = |count: usize| Shown::Size(u64::try_from(count).unwrap_or(u64::MAX));
        match kind {
            Kind::Struct(members) => {
                if matches!(node, Node::Struct { .. }) && !path.is_empty() {
                    self.show(path, size(node.fields().len()));
                }
                for (slot, field) in (0..).zip(&members.fields) {
                    let below = node.field(slot);
                    inside(path, field, |path| match below {
                        Node::Unset if field.presence == Presence::Named => self.show(path, Shown::Unset),
                        _ => self.values(field.ty, below, path),
                    });
                }
                self.numbers(members, node, path);
            }
            Kind::List(element) => {
                self.show(path, size(node.items().len()));
                node.items().iter().for_each(|item| within(path, |path| self.values(*element, *item, path)));
            }
            Kind::Map { value, .. } => {
                self.show(path, size(node.entries().len()));
                node.entries().iter().for_each(|(_, entry)| within(path, |path| self.values(*value, *entry, path)));
            }
            _ => match to_value(self.schema, ty, &node) {
                Value::Number(number) => self.show(path, Shown::Number(number)),
                Value::String(text) => self.show(path, Shown::Text(text)),
                _ => {}
            },
        }
    }

    /// How the numbers of a struct compare with each other.
    fn numbers<'f>(&mut self, members: &'f Struct, node: Node<'_>, path: &str) {
        let fields = (0..).zip(&members.fields).filter(|(_, field)| field.presence == Presence::Named);
        let number = |(slot, field): (u16, &'f Field)| {
            let (ty, kind) = self.schema.pointed(field.ty);
            let is_number = matches!(kind, Kind::Int { .. } | Kind::Float { .. });
            let value = is_number.then(|| to_value(self.schema, ty, &node.field(slot)))?;
            Some((&*field.json_name, value.as_f64()?))
        };
        let numbers: Vec<(&str, f64)> = fields.filter_map(number).take(MOST_BESIDE).collect();
        for (name, number) in &numbers {
            for (other, than) in numbers.iter().filter(|(other, _)| other != name) {
                let below = if path.is_empty() { (*name).to_owned() } else { format!("{path}.{name}") };
                self.out.push((below, Shown::Beside((*other).to_owned(), number.total_cmp(than))));
            }
        }
    }

    /// Items and entries have no counterpart for certain.
    fn changes(&mut self, ty: TypeId, new: Node<'_>, old: Node<'_>, path: &mut String) {
        match (new.is_unset(), old.is_unset()) {
            (true, true) => return,
            (false, true) => {
                self.show(path, Shown::Added);
                return self.values(ty, new, path);
            }
            (true, false) => return self.show(path, Shown::Removed),
            (false, false) => {}
        }
        let (ty, kind) = self.schema.pointed(ty);
        let before = self.out.len();
        if let Kind::Struct(members) = kind {
            for (slot, field) in (0..).zip(&members.fields) {
                let (new, old) = (new.field(slot), old.field(slot));
                inside(path, field, |path| self.changes(field.ty, new, old, path));
            }
            if self.out.len() > before && !path.is_empty() {
                self.show(path, Shown::Changed);
                self.numbers(members, new, path);
                // What is missing in a struct that changes is judged as in a new one.
                for (slot, field) in (0..).zip(&members.fields) {
                    let is_unset = new.field(slot).is_unset() && old.field(slot).is_unset();
                    if is_unset && field.presence == Presence::Named {
                        inside(path, field, |path| self.show(path, Shown::Unset));
                    }
                }
            }
        } else if to_value(self.schema, ty, &new) != to_value(self.schema, ty, &old) {
            self.show(path, Shown::Changed);
            self.values(ty, new, path);
        }
    }
}

/// Does something with the path of a field.
fn inside(path: &mut String, field: &Field, act: impl FnOnce(&mut String)) {
    let len = path.len();
    if field.presence == Presence::Hidden {
        return;
    }
    if field.presence == Presence::Named {
        if len > 0 {
            path.push('.');
        }
        path.push_str(&field.json_name);
    }
    act(path);
    path.truncate(len);
}

/// Does something with the path of the items or entries.
fn within(path: &mut String, act: impl FnOnce(&mut String)) {
    let len = path.len();
    path.push_str("[*]");
    act(path);
    path.truncate(len);
}
