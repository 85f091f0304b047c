//! The estimated cost of an expression: the range between the cheapest and the most expensive evaluation.

use super::path::Path;
use super::range::Range;
use crate::check::{Checked, Reference};
use crate::stack;
use crate::syntax::{Ast, Entry, Kind, Literal, NodeId};
use crate::types::{DeclaredType, Kind as TypeKind, Shape, Type};
use std::collections::HashMap;
use std::sync::Arc;

/// Most visits of nodes, as for the checker.
const MOST_VISITS: usize = 1_000_000;

/// Estimates the cost of evaluating a checked expression.
///
/// `root` declares the type that `self` and `oldSelf` have; sizes come from it. An expression that is too large to walk may cost
/// anything.
#[must_use]
pub fn estimate(ast: &Ast, checked: &Checked, root: &DeclaredType) -> Range {
    stack::with_room(ast, || {
        let mut coster = Coster::new(ast, checked, root);
        let cost = coster.cost(ast.root());
        if coster.visits > MOST_VISITS { Range::UNKNOWN } else { cost }
    })
    .unwrap_or(Range::UNKNOWN)
}

pub(super) struct Coster<'a> {
    pub(super) ast: &'a Ast,
    pub(super) checked: &'a Checked,
    root: &'a DeclaredType,
    paths: HashMap<NodeId, Path>,
    locals: HashMap<&'a str, Vec<Local>>,
    sizes: HashMap<NodeId, Range>,
    entries: HashMap<NodeId, EntrySize>,
    visits: usize,
}

/// Sizes of the elements of a list, or of the keys and values of a map.
#[derive(Clone, Copy)]
pub(super) struct EntrySize {
    is_list: bool,
    key: Range,
    pub(super) value: Range,
}

impl EntrySize {
    pub(super) fn or(self, other: Self) -> Self {
        Self { is_list: self.is_list, key: self.key.or(other.key), value: self.value.or(other.value) }
    }
}

/// A variable of a comprehension.
#[derive(Clone)]
struct Local {
    path: Path,
    size: Option<Range>,
    entry: Option<EntrySize>,
}

/// What a call is given.
pub(super) struct Operand {
    pub(super) id: NodeId,
    pub(super) path: Path,
    pub(super) size: Option<Range>,
}

/// What a call costs besides its arguments, and how large its result is.
pub(super) struct CallCost {
    pub(super) cost: Range,
    pub(super) size: Option<Range>,
}

impl<'a> Coster<'a> {
    fn new(ast: &'a Ast, checked: &'a Checked, root: &'a DeclaredType) -> Self {
        Self {
            ast,
            checked,
            root,
            paths: HashMap::new(),
            locals: HashMap::new(),
            sizes: HashMap::new(),
            entries: HashMap::new(),
            visits: 0,
        }
    }

    fn cost(&mut self, id: NodeId) -> Range {
        self.visits += 1;
        if self.visits > MOST_VISITS {
            return Range::UNKNOWN;
        }
        let Some(kind) = self.ast.kind(id) else { return Range::ZERO };
        match kind {
            Kind::Literal(_) => Range::ZERO,
            Kind::Ident(_) => self.ident(id),
            Kind::Select { .. } if self.is_identifier(id) => self.ident(id),
            Kind::Select { operand, test: true, .. } => self.cost(*operand),
            Kind::Select { operand, field, .. } => {
                let mut sum = self.cost(*operand);
                if matches!(self.type_kind(*operand), Some(TypeKind::Map | TypeKind::Object | TypeKind::Param)) {
                    sum = sum.plus(Range::fixed(1));
                }
                let path = self.path(*operand).then(field);
                self.paths.insert(id, path);
                sum
            }
            Kind::Call { function, target, args } => self.call(id, function, *target, args),
            Kind::List { elements, .. } => self.list(id, elements),
            Kind::Map(entries) => self.map(id, entries),
            Kind::Struct { fields, .. } => {
                let sum = fields.iter().fold(Range::ZERO, |sum, (_, value, _)| sum.plus(self.cost(*value)));
                sum.plus(Range::fixed(40))
            }
            Kind::Comprehension { .. } => self.comprehension(id, kind),
        }
    }

    fn is_identifier(&self, id: NodeId) -> bool {
        matches!(self.checked.reference(id), Some(Reference::Identifier(_)))
    }

    /// The name that an identifier refers to.
    fn name(&self, id: NodeId) -> Option<&'a str> {
        match (self.checked.reference(id), self.ast.kind(id)) {
            (Some(Reference::Identifier(name)), Some(Kind::Ident(_) | Kind::Select { .. })) => Some(name),
            _ => None,
        }
    }

    fn ident(&mut self, id: NodeId) -> Range {
        let name = self.name(id).unwrap_or_default();
        let path = self.local(name).map_or_else(|| Path::variable(name), |local| local.path.clone());
        self.paths.insert(id, path);
        Range::fixed(1)
    }

    fn call(&mut self, id: NodeId, function: &str, target: Option<NodeId>, args: &[NodeId]) -> Range {
        let (function, target) = match self.checked.reference(id) {
            Some(Reference::Call { function, member, .. }) => (*function, target.filter(|_| *member)),
            _ => (function, target),
        };
        if let ("dyn", [arg]) = (function, args) {
            let cost = self.cost(*arg);
            self.copy_sizes(id, *arg);
            return cost.plus(Range::fixed(1));
        }
        let mut costs = Vec::with_capacity(args.len());
        let mut operands = Vec::with_capacity(args.len());
        for arg in args {
            costs.push(self.cost(*arg));
            operands.push(self.operand(*arg));
        }
        let overloads = self.checked.overloads(id);
        if overloads.is_empty() {
            return Range::ZERO;
        }
        let mut sum = Range::ZERO;
        let receiver = target.map(|target| {
            sum = self.cost(target);
            self.operand(target)
        });
        let mut all = Range { min: u64::MAX, max: 0 };
        let mut size: Option<Range> = None;
        for overload in overloads {
            let call = self.function(id, function, overload, receiver.as_ref(), &operands, &costs);
            all = all.or(call.cost);
            if let Some(of_call) = call.size {
                size = Some(size.map_or(of_call, |size| size.or(of_call)));
            }
            let part = match *overload {
                "index_list" => Some("@items"),
                "index_map" => Some("@values"),
                _ => None,
            };
            if let (Some(part), Some(container)) = (part, args.first()) {
                size = self.entry_size(*container).map(|entry| entry.value);
                let path = self.path(*container).then(part);
                self.paths.insert(id, path);
            }
            size = size.or_else(|| self.size(id));
        }
        self.set_size(id, size);
        sum.plus(all)
    }

    fn list(&mut self, id: NodeId, elements: &[NodeId]) -> Range {
        let mut sum = Range::ZERO;
        let mut size = Range { min: if elements.is_empty() { 0 } else { u64::MAX }, max: 0 };
        for element in elements {
            sum = sum.plus(self.cost(*element));
            size = size.or(self.size(*element).unwrap_or(Range::UNKNOWN));
        }
        self.entries.insert(id, EntrySize { is_list: true, key: Range::fixed(1), value: size });
        sum.plus(Range::fixed(10))
    }

    fn map(&mut self, id: NodeId, entries: &[Entry]) -> Range {
        let mut sum = Range::ZERO;
        let mut key = Range { min: if entries.is_empty() { 0 } else { u64::MAX }, max: 0 };
        let mut value = key;
        for entry in entries {
            sum = sum.plus(self.cost(entry.key)).plus(self.cost(entry.value));
            key = key.or(self.size(entry.key).unwrap_or(Range::UNKNOWN));
            value = value.or(self.size(entry.value).unwrap_or(Range::UNKNOWN));
        }
        self.entries.insert(id, EntrySize { is_list: false, key, value });
        sum.plus(Range::fixed(30))
    }

    fn comprehension(&mut self, id: NodeId, kind: &'a Kind) -> Range {
        let Kind::Comprehension { range, var, var2, accu, init, condition, step, result } = kind else {
            return Range::ZERO;
        };
        let mut sum = self.cost(*range).plus(self.cost(*init));
        let local = Local { path: self.path(*init), entry: self.entry_size(*init), size: self.size(*init) };
        self.push(accu, local);
        if self.is_binding(*range, *condition, accu) {
            sum = sum.plus(self.cost(*result));
            self.pop(accu);
            self.copy_sizes(id, *result);
            return sum;
        }
        let entry = self.entry_size(*range);
        let is_list = entry.map_or_else(|| self.type_kind(*range) == Some(TypeKind::List), |entry| entry.is_list);
        let path = self.path(*range);
        let key = |coster: &mut Self, name| {
            let path = path.then(if is_list { "@indices" } else { "@keys" });
            coster.push(name, Local { path, size: entry.map(|entry| entry.key), entry: None });
        };
        let value = |coster: &mut Self, name| {
            let path = path.then(if is_list { "@items" } else { "@values" });
            coster.push(name, Local { path, size: entry.map(|entry| entry.value), entry: None });
        };
        match var2 {
            Some(var2) => {
                key(self, var);
                value(self, var2);
            }
            None if is_list => value(self, var),
            None => key(self, var),
        }
        let turn = self.cost(*condition).plus(self.cost(*step));
        self.pop(var);
        if let Some(var2) = var2 {
            self.pop(var2);
        }
        sum = sum.plus(self.cost(*result));
        self.pop(accu);
        let turns = self.size(*range).unwrap_or(Range::UNKNOWN);
        sum = sum.plus(turns.times(turn));
        match self.ast.kind(*init) {
            Some(Kind::Literal(_)) => {
                let size = self.size(*init);
                self.set_size(id, size);
            }
            Some(Kind::List { .. } | Kind::Map(_)) => {
                self.set_size(id, Some(turns));
                if let Some(entry) = self.entry_size(*step) {
                    self.entries.insert(id, entry);
                }
            }
            _ => {}
        }
        sum
    }

    /// Whether a comprehension only names a value, as `optMap` does.
    fn is_binding(&self, range: NodeId, condition: NodeId, accu: &str) -> bool {
        matches!(self.ast.kind(range), Some(Kind::List { elements, .. }) if elements.is_empty())
            && matches!(self.ast.kind(condition), Some(Kind::Literal(Literal::Bool(false))))
            && accu != "__result__"
    }

    fn push(&mut self, name: &'a str, local: Local) {
        self.locals.entry(name).or_default().push(local);
    }

    fn pop(&mut self, name: &str) {
        if let Some(locals) = self.locals.get_mut(name) {
            locals.pop();
        }
    }

    fn local(&self, name: &str) -> Option<&Local> {
        self.locals.get(name)?.last()
    }

    fn path(&self, id: NodeId) -> Path {
        let local = self.name(id).and_then(|name| self.local(name)).map(|local| &local.path);
        local.or_else(|| self.paths.get(&id)).cloned().unwrap_or_default()
    }

    fn operand(&mut self, id: NodeId) -> Operand {
        let mut path = self.path(id);
        if path.names().first().is_some_and(|first| matches!(&**first, "__result__" | "@result")) {
            path = Path::default();
        }
        Operand { id, path, size: self.size(id) }
    }

    pub(super) fn type_of(&self, id: NodeId) -> Option<&'a Type> {
        self.checked.ty(id)
    }

    fn type_kind(&self, id: NodeId) -> Option<TypeKind> {
        self.type_of(id).map(Type::kind)
    }

    fn set_size(&mut self, id: NodeId, size: Option<Range>) {
        if let Some(size) = size {
            self.sizes.insert(id, size);
        }
    }

    fn copy_sizes(&mut self, to: NodeId, from: NodeId) {
        let size = self.size(from);
        self.set_size(to, size);
        if let Some(entry) = self.entry_size(from) {
            self.entries.insert(to, entry);
        }
    }

    /// The size of a node's value, as far as it is known.
    pub(super) fn size(&mut self, id: NodeId) -> Option<Range> {
        if let Some(size) = self.sizes.get(&id) {
            return Some(*size);
        }
        if let Some(size) = self.ast.kind(id).and_then(written_size) {
            return Some(Range::fixed(size));
        }
        if let Some(size) = self.declared_size(&self.path(id)) {
            self.sizes.insert(id, size);
            return Some(size);
        }
        if self.type_of(id).is_some_and(Type::is_scalar) {
            return Some(Range::fixed(1));
        }
        self.name(id).and_then(|name| self.local(name)).and_then(|local| local.size)
    }

    pub(super) fn entry_size(&self, id: NodeId) -> Option<EntrySize> {
        let local = || self.name(id).and_then(|name| self.local(name)).and_then(|local| local.entry);
        self.entries.get(&id).copied().or_else(local)
    }

    pub(super) fn set_entry_size(&mut self, id: NodeId, entry: Option<EntrySize>) {
        if let Some(entry) = entry {
            self.entries.insert(id, entry);
        }
    }

    /// The size that the schema allows at a path. The first name does not matter: `self` and `oldSelf` have the same type.
    pub(super) fn declared_size(&self, path: &Path) -> Option<Range> {
        if path.is_empty() {
            return None;
        }
        let names: Vec<Arc<str>> = path.names();
        let mut at = self.root;
        let mut names = names.iter().skip(1);
        while let Some(name) = names.next() {
            match &**name {
                "@items" | "@values" => at = at.element()?,
                // Keys are strings of unknown length, which counts as 0, and have no parts.
                "@keys" if matches!(at.shape, Shape::Map(_)) => {
                    return names.next().is_none().then_some(Range::ZERO);
                }
                field => at = &at.field(field)?.declared,
            }
        }
        Some(Range { min: 0, max: at.max_elements })
    }
}

/// The size of what is written in the expression.
fn written_size(kind: &Kind) -> Option<u64> {
    let size = match kind {
        Kind::Literal(Literal::String(text)) => text.chars().count(),
        Kind::Literal(Literal::Bytes(bytes)) => bytes.len(),
        Kind::Literal(_) => 1,
        Kind::List { elements, .. } => elements.len(),
        Kind::Map(entries) => entries.len(),
        _ => return None,
    };
    Some(size as u64)
}
