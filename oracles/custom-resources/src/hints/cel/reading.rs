//! From an expression to what it tells apart.

use super::super::texts;
use super::compared::Compared;
use super::constants::{constant, json, prefix_lengths, text_of};
use super::near::{around, beside, of_function};
use super::parts::{Part, inner_network, whole};
use super::wanted::{Step, Wanted, push};
use crate::structural::Pattern;
use serde_json::Value;
use std::sync::Arc;
use takeover_cel::names::unescape;
use takeover_cel::syntax::{Ast, Kind, NodeId};

/// A number that values which are held against each other have.
const COMMON: i64 = 2;

/// Parts inside of parts that are looked at.
const DEPTH: usize = 200;
/// Places that an expression can stand for.
const MOST_PLACES: usize = 16;
/// Characters in front of a part of a text.
const LONGEST_BEFORE: usize = 512;

/// What is read of an expression.
pub(super) struct Read {
    /// What it tells apart in the value.
    pub(super) wanted: Wanted,
    /// Literals that are held against no place in particular.
    pub(super) literals: Vec<Value>,
    /// The values that it compares with each other.
    pub(super) compared: Vec<Compared>,
}

/// Whether an expression speaks of the old value.
pub(super) fn reads_old(ast: &Ast) -> bool {
    ast.nodes().iter().any(|node| matches!(&node.kind, Kind::Ident(name) if &**name == "oldSelf"))
}

/// Reads an expression.
pub(super) fn read(ast: &Ast) -> Read {
    let mut reader = Reader {
        ast,
        read: Read { wanted: Wanted::default(), literals: Vec::new(), compared: Vec::new() },
        scope: vec![(Arc::from("self"), vec![Vec::new()]), (Arc::from("oldSelf"), vec![Vec::new()])],
        ranges: Vec::new(),
        depth: 0,
        reads_old: reads_old(ast),
    };
    reader.visit(ast.root());
    reader.read
}

/// What the value of an expression is taken from.
#[derive(Clone, Debug, Default)]
struct Seen {
    places: Vec<Vec<Step>>,
    /// Whether it is the size of what is there.
    size: bool,
    /// Which part of a text it is, the outermost first.
    parts: Vec<Part>,
}

impl Seen {
    fn at(places: Vec<Vec<Step>>) -> Self {
        Self { places, ..Self::default() }
    }

    fn part(mut self, part: Part) -> Self {
        self.parts.push(part);
        self
    }

    fn below(mut self, step: &Step) -> Self {
        self.places.iter_mut().for_each(|place| place.push(step.clone()));
        Self { size: false, parts: Vec::new(), ..self }
    }

    fn and(mut self, other: Self) -> Self {
        self.size |= other.size;
        self.parts.extend(other.parts);
        self.places.extend(other.places);
        self.places.truncate(MOST_PLACES);
        self
    }
}

struct Reader<'a> {
    ast: &'a Ast,
    read: Read,
    scope: Vec<(Arc<str>, Vec<Vec<Step>>)>,
    /// What the enclosing loops iterate over.
    ranges: Vec<Vec<Vec<Step>>>,
    depth: usize,
    /// Whether the expression speaks of the old value.
    reads_old: bool,
}

impl Reader<'_> {
    fn visit(&mut self, id: NodeId) -> Seen {
        if self.depth > DEPTH {
            return Seen::default();
        }
        self.depth += 1;
        let seen = self.node(id);
        self.depth -= 1;
        for place in &seen.places {
            self.read.wanted.at(place);
        }
        seen
    }

    fn node(&mut self, id: NodeId) -> Seen {
        let ast = self.ast;
        match ast.kind(id) {
            None => Seen::default(),
            Some(Kind::Literal(literal)) => {
                let value = json(literal).filter(|value| value.is_number() || value.is_string());
                if let Some(value) = value.filter(|value| !self.read.literals.contains(value)) {
                    self.read.literals.push(value);
                }
                Seen::default()
            }
            Some(Kind::Ident(name)) => {
                let known = self.scope.iter().rev().find(|(known, _)| known == name);
                Seen::at(known.map(|(_, places)| places.clone()).unwrap_or_default())
            }
            Some(Kind::Select { operand, field, .. }) => {
                let name = unescape(field).map_or_else(|| field.to_string(), std::borrow::Cow::into_owned);
                self.visit(*operand).below(&Step::Member(name))
            }
            Some(Kind::Call { function, target, args }) => self.call(function, *target, args),
            Some(Kind::List { elements, .. }) => {
                elements.iter().fold(Seen::default(), |seen, element| seen.and(self.visit(*element)))
            }
            Some(Kind::Map(entries)) => {
                entries.iter().fold(Seen::default(), |seen, entry| seen.and(self.visit(entry.value)))
            }
            Some(Kind::Struct { fields, .. }) => {
                fields.iter().for_each(|(_, value, _)| drop(self.visit(*value)));
                Seen::default()
            }
            Some(Kind::Comprehension { range, var, var2, accu, init, condition, step, result }) => {
                let over = self.visit(*range);
                if self.ranges.contains(&over.places) {
                    for place in over.places.iter().chain(&over.clone().below(&Step::Each).places) {
                        self.read.wanted.at(place).paired = true;
                    }
                }
                let before = self.scope.len();
                let init = self.visit(*init);
                // Whether it is a list or a map that is iterated over is known where values are made.
                match var2 {
                    Some(var2) => {
                        self.scope.push((Arc::clone(var), over.clone().below(&Step::Key).places));
                        self.scope.push((Arc::clone(var2), over.clone().below(&Step::Each).places));
                    }
                    None => {
                        let both = over.clone().below(&Step::Each).and(over.clone().below(&Step::Key));
                        self.scope.push((Arc::clone(var), both.places));
                    }
                }
                // What a filter keeps is still of the list.
                self.scope.push((Arc::clone(accu), init.and(over.clone()).places));
                self.ranges.push(over.places.clone());
                self.visit(*condition);
                self.visit(*step);
                self.ranges.pop();
                let result = self.visit(*result);
                self.scope.truncate(before);
                if over.places.is_empty() { result } else { over }
            }
        }
    }

    fn call(&mut self, function: &str, target: Option<NodeId>, args: &[NodeId]) -> Seen {
        let of_target = target.map(|target| self.visit(target)).unwrap_or_default();
        let seen: Vec<Seen> = args.iter().map(|arg| self.visit(*arg)).collect();
        let first = seen.first().cloned().unwrap_or_default();
        let text = args.first().and_then(|arg| text_of(self.ast, *arg));
        let all = || seen.iter().cloned().fold(of_target.clone(), Seen::and);
        match (function, args, text) {
            ("_==_" | "_!=_" | "_<_" | "_<=_" | "_>_" | "_>=_", [one, other], _) => {
                let second = seen.get(1).cloned().unwrap_or_default();
                if !first.size && !second.size {
                    let places = [&first.places, &second.places].map(Vec::as_slice);
                    self.read.compared.extend(Compared::of(self.ast, [*one, *other], places));
                }
                match (constant(self.ast, *one), constant(self.ast, *other)) {
                    (None, Some(value)) => self.held_or_each(*one, &first, &value),
                    (Some(value), None) => self.held_or_each(*other, &second, &value),
                    _ => {
                        for id in [*one, *other] {
                            let Some(distance) = self.distance(id) else { continue };
                            let far = Value::from(COMMON.saturating_add(distance.saturating_abs()));
                            self.held(&first, &far);
                            self.held(&second, &far);
                        }
                        self.held_together(&[first, second]);
                    }
                }
                Seen::default()
            }
            ("@in", [one, other], _) => {
                let second = seen.get(1).cloned().unwrap_or_default();
                match (constant(self.ast, *one), constant(self.ast, *other)) {
                    (_, Some(Value::Array(values))) => {
                        values.iter().for_each(|value| self.held_or_each(*one, &first, value));
                        self.held(&first, &Value::from("other"));
                    }
                    (Some(value), _) => {
                        self.held(&second.clone().below(&Step::Each), &value);
                        let key = second.below(&Step::Key);
                        self.held(&key, &value);
                        // The reference may reject every key with this prefix.
                        if let Some(text) = value.as_str() {
                            [format!("{text}x"), format!("{text}.x")]
                                .iter()
                                .for_each(|text| self.held_text(&key, text));
                        }
                    }
                    _ => {
                        let (each, key) = (second.clone().below(&Step::Each), second.below(&Step::Key));
                        self.held_together(&[first, each, key]);
                    }
                }
                Seen::default()
            }
            ("matches" | "find" | "findAll", _, Some(pattern)) => {
                for place in &of_target.places {
                    self.matched(place, &pattern);
                }
                of_target
            }
            ("startsWith" | "endsWith" | "contains" | "indexOf" | "split", _, Some(word)) => {
                for place in &of_target.places {
                    let wanted = self.read.wanted.at(place);
                    let words = match function {
                        "startsWith" => &mut wanted.begins,
                        "endsWith" => &mut wanted.ends,
                        "split" => &mut wanted.separators,
                        _ => &mut wanted.contains,
                    };
                    push(words, word.clone());
                }
                for text in [word.clone(), format!("a{word}a"), format!("{word}a"), format!("a{word}"), "a".to_owned()]
                {
                    self.held_text(&of_target, &text);
                }
                let list = of_target.clone().below(&Step::Each);
                if function == "contains" || function == "indexOf" {
                    self.held_text(&list, &word);
                }
                of_target
            }
            ("_+_", [before, _], _) => match (text_of(self.ast, *before), seen.get(1)) {
                (Some(before), Some(second)) => second.clone().part(Part::Behind(before)),
                _ => all(),
            },
            ("substring" | "charAt", [from, ..], _) => {
                let from = constant(self.ast, *from)
                    .and_then(|from| from.as_u64())
                    .and_then(|from| usize::try_from(from).ok());
                of_target.part(Part::From(from.unwrap_or_default().min(LONGEST_BEFORE)))
            }
            ("getScheme" | "getHost" | "getHostname" | "getPort" | "getEscapedPath", ..) => match Part::of(function) {
                Some(part) => of_target.part(part),
                None => of_target,
            },
            ("size", ..) => Seen { size: true, ..all() },
            ("_[_]" | "_[?_]" | "_?._", [of, index], _) => {
                let _ = of;
                match constant(self.ast, *index) {
                    Some(Value::String(key)) => {
                        let name = unescape(&key).map_or_else(|| key.clone(), std::borrow::Cow::into_owned);
                        first.below(&Step::Member(name))
                    }
                    Some(Value::Number(number)) => {
                        // One element more, so that the index is there.
                        let size = number.as_i64().unwrap_or_default().saturating_add(1);
                        self.held_size(&first, size);
                        first.below(&Step::Each)
                    }
                    _ => first.below(&Step::Each),
                }
            }
            (function, ..) if !of_function(function).is_empty() => {
                of_function(function).iter().for_each(|text| self.held_text(&first, text));
                first
            }
            ("isLessThan" | "isGreaterThan" | "compareTo" | "add" | "sub", [other], _) => {
                let second = seen.first().cloned().unwrap_or_default();
                let limits = [
                    (&of_target, constant(self.ast, *other)),
                    (&second, target.and_then(|target| constant(self.ast, target))),
                ];
                for (place, limit) in limits {
                    for text in limit.as_ref().and_then(Value::as_str).into_iter().flat_map(beside) {
                        self.held_text(place, &text);
                    }
                }
                all()
            }
            ("prefixLength", ..) => {
                for length in prefix_lengths(self.ast) {
                    let of_v4 = (length <= 32).then(|| format!("10.0.0.0/{length}"));
                    [of_v4, Some(format!("fd00::/{length}"))]
                        .into_iter()
                        .flatten()
                        .for_each(|text| self.held_text(&of_target, &text));
                }
                of_target
            }
            ("containsIP" | "containsCIDR", [other], _) => {
                let places = [&of_target.places, &first.places].map(Vec::as_slice);
                self.read.compared.extend(Compared::within(places));
                let texts = [target.and_then(|target| constant(self.ast, target)), constant(self.ast, *other)];
                for text in texts.iter().flatten().filter_map(Value::as_str) {
                    let bits = if text.contains(':') { 128 } else { 32 };
                    let whole = if text.contains('/') { text.to_owned() } else { format!("{text}/{bits}") };
                    self.held_text(&all(), &whole);
                    if let Some(inner) = inner_network(&whole) {
                        self.held_text(&all(), &inner);
                    }
                }
                all()
            }
            ("lowerAscii" | "upperAscii" | "trim", ..) => {
                for text in ["a", "A", " a"] {
                    self.held_text(&of_target, text);
                }
                of_target
            }
            ("int" | "double" | "uint", ..) => {
                for text in ["0", "1", "80", "99999"] {
                    self.held_text(&first, text);
                }
                first
            }
            ("sum" | "min" | "max" | "isSorted", ..) => {
                let each = of_target.below(&Step::Each);
                self.held_together(std::slice::from_ref(&each));
                each
            }
            ("_&&_" | "_||_" | "!_" | "@not_strictly_false", ..) => {
                // A place that stands alone is a truth.
                seen.iter().for_each(|seen| self.held(seen, &Value::Bool(true)));
                Seen::default()
            }
            ("_?_:_", [..], _) => {
                self.held(&first, &Value::Bool(true));
                seen.iter().skip(1).cloned().fold(Seen::default(), Seen::and)
            }
            _ => all(),
        }
    }

    /// An expression is held against a value.
    fn held(&mut self, seen: &Seen, value: &Value) {
        match value {
            Value::Number(number) => {
                if let (true, Some(size)) = (seen.size, number.as_i64()) {
                    self.held_size(seen, size);
                }
                for place in seen.places.iter().filter(|_| !seen.size) {
                    around(number).into_iter().for_each(|value| self.read.wanted.value(place, value));
                    // Two values on each side, so that one may follow the other.
                    let far = number
                        .as_i64()
                        .filter(|_| self.reads_old)
                        .map(|number| [number.saturating_sub(2), number.saturating_add(2)]);
                    far.into_iter().flatten().for_each(|value| self.read.wanted.value(place, value.into()));
                }
            }
            Value::String(text) => {
                self.held_text(seen, text);
                self.held_text(seen, if text.is_empty() { "x" } else { "" });
                if text.starts_with(|c: char| c.is_ascii_digit()) && text.ends_with(|c: char| c.is_ascii_alphabetic()) {
                    self.held_text(seen, &format!("{text}1ns"));
                }
            }
            Value::Bool(_) => {
                for place in &seen.places {
                    [true, false].into_iter().for_each(|flag| self.read.wanted.value(place, Value::Bool(flag)));
                }
            }
            Value::Array(values) => {
                let each = seen.clone().below(&Step::Each);
                values.iter().for_each(|value| self.held(&each, value));
                self.held_size(seen, i64::try_from(values.len()).unwrap_or_default());
            }
            _ => {}
        }
    }

    /// A list of expressions is held against a list of values: each against its own.
    fn held_or_each(&mut self, id: NodeId, seen: &Seen, value: &Value) {
        match (self.ast.kind(id), value) {
            (Some(Kind::List { elements, .. }), Value::Array(values)) => {
                for (element, value) in elements.iter().zip(values) {
                    let seen = self.visit(*element);
                    self.held(&seen, value);
                }
            }
            _ => self.held(seen, value),
        }
    }

    fn held_text(&mut self, seen: &Seen, text: &str) {
        let Some(of_part) = whole(&seen.parts, text) else { return };
        let is_inside = seen.parts.iter().any(|part| matches!(part, Part::From(_)));
        for place in seen.places.iter().filter(|_| !seen.size) {
            self.read.wanted.value(place, Value::from(of_part.as_str()));
            if is_inside {
                push(&mut self.read.wanted.at(place).contains, text.to_owned());
            }
        }
    }

    fn held_size(&mut self, seen: &Seen, size: i64) {
        for place in &seen.places {
            for size in [size, size.saturating_add(1), size.saturating_sub(1)] {
                self.read.wanted.size(place, size);
            }
        }
    }

    /// What a sum or difference adds to a value.
    fn distance(&self, id: NodeId) -> Option<i64> {
        let Some(Kind::Call { function, args, .. }) = self.ast.kind(id) else { return None };
        let [one, other] = args.as_slice() else { return None };
        let constant = |id: NodeId| constant(self.ast, id).as_ref().and_then(Value::as_i64);
        matches!(&**function, "_+_" | "_-_").then(|| constant(*other).or_else(|| constant(*one))).flatten()
    }

    /// Expressions are held against each other: each takes the same values.
    fn held_together(&mut self, all: &[Seen]) {
        let common =
            [Value::from(COMMON), Value::from(1), Value::from(3), Value::from("a"), Value::from("b"), Value::from("")];
        for seen in all {
            if seen.size {
                self.held_size(seen, 1);
                continue;
            }
            for place in &seen.places {
                common.iter().for_each(|value| self.read.wanted.value(place, value.clone()));
            }
        }
    }

    fn matched(&mut self, place: &[Step], text: &str) {
        self.read.wanted.at(place).patterns.push(text.to_owned());
        let Ok(pattern) = Pattern::new(text) else { return };
        texts::around(&pattern).into_iter().for_each(|(text, _)| self.read.wanted.value(place, Value::from(text)));
    }
}
