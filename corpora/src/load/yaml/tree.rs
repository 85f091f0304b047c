//! From parser events to a JSON value.
//!
//! Two steps: the events become a flat arena in which an alias is a reference, then the arena becomes a value. So nothing
//! is copied for an anchor, and what aliases expand to is counted before it is built.

use super::number;
use super::scalar::{self, Scalar, Tag};
use crate::load::error::{Fault, LoadErrorKind};
use crate::load::limits::Limits;
use crate::load::unpack::Parsed;
use crate::shortened::shortened;
use granit_parser::{ErrorKind, Event, Marker, Parser, ScalarStyle, ScanError};
use serde_json::{Map, Number, Value};
use std::borrow::Cow;
use std::cell::Cell;
use std::collections::{HashMap, HashSet};

/// The document in `text`, whose first line is number `first` of its file; none when it is empty or null.
pub(super) fn parse(text: &str, first: u64, limits: Limits) -> Result<Option<Parsed>, Fault> {
    let Some(arena) = Builder::new(text, first, limits).build()? else { return Ok(None) };
    let converter = Converter { arena: &arena, limits, alias_values: Cell::new(0), alias_bytes: Cell::new(0) };
    let Some(root) = arena.first() else { return Ok(None) };
    let value = converter.value(0, 0, false)?;
    if value.is_null() {
        return Ok(None);
    }
    Ok(Some(Parsed { line: root.line, value, item_lines: item_lines(&arena) }))
}

/// A value of the document.
struct Node<'t> {
    shape: Shape<'t>,
    line: u64,
    column: u64,
}

enum Shape<'t> {
    Scalar { text: Cow<'t, str>, plain: bool, tag: Tag },
    List(Vec<usize>),
    Map(Vec<(usize, usize)>),
    Alias(usize),
}

struct Builder<'t> {
    parser: Parser<'t, granit_parser::StrInput<'t>>,
    first: u64,
    limits: Limits,
    nodes: Vec<Node<'t>>,
    open: Vec<Open>,
    anchors: HashMap<usize, usize>,
}

/// A list or map whose end has not come yet.
struct Open {
    node: usize,
    key: Option<usize>,
}

impl<'t> Builder<'t> {
    fn new(text: &'t str, first: u64, limits: Limits) -> Self {
        // One more than the limit, so that the check here is the one that speaks.
        let nesting = limits.depth + 1;
        let options = granit_parser::options! {
            flow_nesting_limit: nesting,
            block_nesting_limit: nesting,
        };
        let parser = Parser::new_from_str_with_options(text, options);
        Self { parser, first, limits, nodes: Vec::new(), open: Vec::new(), anchors: HashMap::new() }
    }

    fn build(mut self) -> Result<Option<Vec<Node<'t>>>, Fault> {
        while let Some(event) = self.parser.next_event() {
            let (event, span) = event.map_err(|error| self.syntax(&error))?;
            let mark = span.start;
            match event {
                Event::Scalar(text, style, anchor, tag) => {
                    let plain = style == ScalarStyle::Plain;
                    let tag = tag.map_or(Tag::None, |tag| tag_of(&tag));
                    self.add(Shape::Scalar { text, plain, tag }, anchor, &mark)?;
                }
                Event::SequenceStart(_, anchor, _) => self.begin(Shape::List(Vec::new()), anchor, &mark)?,
                Event::MappingStart(_, anchor, _) => self.begin(Shape::Map(Vec::new()), anchor, &mark)?,
                Event::SequenceEnd | Event::MappingEnd => {
                    self.open.pop();
                }
                Event::Alias(anchor) => self.alias(anchor, &mark)?,
                Event::DocumentEnd => return Ok(Some(self.nodes)),
                _ => {}
            }
        }
        Ok(None)
    }

    fn begin(&mut self, shape: Shape<'t>, anchor: usize, mark: &Marker) -> Result<(), Fault> {
        let node = self.add(shape, anchor, mark)?;
        self.open.push(Open { node, key: None });
        if self.open.len() > self.limits.depth {
            return Err(self.at(mark, Fault::too_deep(self.limits.depth)));
        }
        Ok(())
    }

    fn alias(&mut self, anchor: usize, mark: &Marker) -> Result<(), Fault> {
        let Some(target) = self.anchors.get(&anchor).copied() else {
            return Err(self.at(
                mark,
                Fault::new(LoadErrorKind::Alias, "the alias refers to an anchor that is not defined before it"),
            ));
        };
        if self.open.iter().any(|open| open.node == target) {
            return Err(self.at(mark, Fault::new(LoadErrorKind::Alias, "the alias is inside its own anchor")));
        }
        self.add(Shape::Alias(target), 0, mark)?;
        Ok(())
    }

    /// Appends a node and hangs it into the open list or map.
    fn add(&mut self, shape: Shape<'t>, anchor: usize, mark: &Marker) -> Result<usize, Fault> {
        let index = self.nodes.len();
        if index >= self.limits.values {
            return Err(self.at(mark, Fault::too_many_values(self.limits.values)));
        }
        let (line, column) = self.place(mark);
        self.nodes.push(Node { shape, line, column });
        if anchor != 0 {
            self.anchors.insert(anchor, index);
        }
        if let Some(open) = self.open.last_mut()
            && let Some(parent) = self.nodes.get_mut(open.node)
        {
            match (&mut parent.shape, open.key.take()) {
                (Shape::List(elements), _) => elements.push(index),
                (Shape::Map(entries), Some(key)) => entries.push((key, index)),
                (_, None) => open.key = Some(index),
                _ => {}
            }
        }
        Ok(index)
    }

    fn place(&self, mark: &Marker) -> (u64, u64) {
        (self.first + (mark.line() as u64).saturating_sub(1), mark.col() as u64 + 1)
    }

    fn at(&self, mark: &Marker, fault: Fault) -> Fault {
        let (line, column) = self.place(mark);
        fault.at(line, column)
    }

    fn syntax(&self, error: &ScanError) -> Fault {
        let fault = match error.kind() {
            ErrorKind::RecursionLimitExceeded => Fault::too_deep(self.limits.depth),
            ErrorKind::UnknownAnchor => {
                Fault::new(LoadErrorKind::Alias, "the alias refers to an anchor that is not defined before it")
            }
            _ => Fault::new(LoadErrorKind::Syntax, format!("not YAML: {}", error.info())),
        };
        self.at(error.marker(), fault)
    }
}

fn tag_of(tag: &granit_parser::Tag) -> Tag {
    tag.suffix_in_namespace("tag:yaml.org,2002:").map_or(Tag::Foreign, |name| Tag::Core(name.into_owned()))
}

/// Lines of the objects in the list `items` of the root, for the provenance of what a list holds.
fn item_lines(arena: &[Node<'_>]) -> Vec<u64> {
    let Some(Node { shape: Shape::Map(entries), .. }) = arena.first() else { return Vec::new() };
    let is_items =
        |key: usize| matches!(arena.get(key), Some(Node { shape: Shape::Scalar { text, .. }, .. }) if text == "items");
    let items = entries.iter().find(|(key, _)| is_items(*key)).and_then(|(_, items)| arena.get(*items));
    let Some(Node { shape: Shape::List(elements), .. }) = items else { return Vec::new() };
    elements.iter().filter_map(|element| arena.get(*element).map(|node| node.line)).collect()
}

struct Converter<'a, 't> {
    arena: &'a [Node<'t>],
    limits: Limits,
    alias_values: Cell<usize>,
    alias_bytes: Cell<usize>,
}

impl Converter<'_, '_> {
    fn value(&self, index: usize, depth: usize, in_alias: bool) -> Result<Value, Fault> {
        let Some(node) = self.arena.get(index) else { return Ok(Value::Null) };
        let fail = |fault: Fault| fault.at(node.line, node.column);
        if depth > self.limits.depth {
            return Err(fail(Fault::too_deep(self.limits.depth)));
        }
        if in_alias {
            self.charge(node).map_err(fail)?;
        }
        match &node.shape {
            // INVARIANT: an alias refers to a node that was complete before it, so this ends.
            Shape::Alias(target) => self.value(*target, depth, true),
            Shape::Scalar { text, plain, tag } => {
                let scalar = scalar::resolve(text, *plain, tag)
                    .map_err(|detail| fail(Fault::new(LoadErrorKind::Unrepresentable, detail)))?;
                json(scalar, text).map_err(fail)
            }
            Shape::List(elements) => elements
                .iter()
                .map(|element| self.value(*element, depth + 1, in_alias))
                .collect::<Result<Vec<_>, _>>()
                .map(Value::Array),
            Shape::Map(entries) => self.map(entries, depth, in_alias).map(Value::Object),
        }
    }

    fn map(&self, entries: &[(usize, usize)], depth: usize, in_alias: bool) -> Result<Map<String, Value>, Fault> {
        let mut map = Map::new();
        // Where there is a merge, keys that stand in this very map are told from what it brought in: that may be given again.
        let mut own = entries.iter().any(|(key, _)| self.is_merge(*key)).then(HashSet::new);
        for (key, value) in entries {
            if self.is_merge(*key) {
                self.merge(*value, &mut map, depth)?;
                continue;
            }
            let (name, line, column) = self.key(*key, in_alias)?;
            let repeated = match &mut own {
                Some(own) => !own.insert(name.clone()),
                None => map.contains_key(&name),
            };
            if repeated {
                return Err(Fault::repeated_key(&name).at(line, column));
            }
            let value = self.value(*value, depth + 1, in_alias)?;
            map.insert(name, value);
        }
        Ok(map)
    }

    fn is_merge(&self, key: usize) -> bool {
        match self.arena.get(key).map(|node| &node.shape) {
            Some(Shape::Scalar { text, plain, tag }) if text == "<<" => match tag {
                Tag::None => *plain,
                Tag::Core(name) => name == "merge",
                Tag::Foreign => false,
            },
            _ => false,
        }
    }

    /// Merges as Kubernetes' library does: in the order of the keys, so that a merge replaces what stood before it and is
    /// replaced by what comes after it; of several maps the first wins.
    fn merge(&self, source: usize, into: &mut Map<String, Value>, depth: usize) -> Result<(), Fault> {
        let Some(node) = self.arena.get(source) else { return Ok(()) };
        let refused = || {
            Fault::new(LoadErrorKind::Unrepresentable, "a merge key `<<` takes a map or a list of maps")
                .at(node.line, node.column)
        };
        let resolved = match &node.shape {
            Shape::Alias(target) => self.arena.get(*target).map(|node| &node.shape),
            shape => Some(shape),
        };
        match resolved {
            Some(Shape::Map(_)) => self.merge_one(source, into, depth, &refused),
            Some(Shape::List(elements)) => {
                elements.iter().rev().try_for_each(|element| self.merge_one(*element, into, depth, &refused))
            }
            _ => Err(refused()),
        }
    }

    fn merge_one(
        &self,
        source: usize,
        into: &mut Map<String, Value>,
        depth: usize,
        refused: &dyn Fn() -> Fault,
    ) -> Result<(), Fault> {
        match self.value(source, depth, true)? {
            Value::Object(map) => {
                into.extend(map);
                Ok(())
            }
            _ => Err(refused()),
        }
    }

    fn key(&self, index: usize, in_alias: bool) -> Result<(String, u64, u64), Fault> {
        let Some(mut node) = self.arena.get(index) else { return Ok((String::new(), 0, 0)) };
        let (line, column) = (node.line, node.column);
        let fail = |fault: Fault| fault.at(line, column);
        let aliased = matches!(node.shape, Shape::Alias(_));
        if let Shape::Alias(target) = node.shape
            && let Some(target) = self.arena.get(target)
        {
            node = target;
        }
        if aliased || in_alias {
            self.charge(node).map_err(fail)?;
        }
        let Shape::Scalar { text, plain, tag } = &node.shape else {
            return Err(fail(Fault::new(LoadErrorKind::Unrepresentable, "a list or map cannot be a key")));
        };
        let scalar = scalar::resolve(text, *plain, tag)
            .map_err(|detail| fail(Fault::new(LoadErrorKind::Unrepresentable, detail)))?;
        let name = match scalar {
            Scalar::Text => text.clone().into_owned(),
            Scalar::Other(other) => other,
            Scalar::Bool(value) => value.to_string(),
            Scalar::Int(value) => value.to_string(),
            Scalar::Float(value) => number::float_key(value),
            Scalar::Null | Scalar::Uint(_) => {
                let detail = format!("`{}` cannot be a key: only texts, numbers and booleans can", shortened(text));
                return Err(fail(Fault::new(LoadErrorKind::Unrepresentable, detail)));
            }
        };
        Ok((name, line, column))
    }

    /// Counts a value that an alias brings in.
    fn charge(&self, node: &Node<'_>) -> Result<(), Fault> {
        let bytes = match &node.shape {
            Shape::Scalar { text, .. } => text.len(),
            _ => 0,
        };
        self.alias_values.set(self.alias_values.get() + 1);
        self.alias_bytes.set(self.alias_bytes.get() + bytes);
        let Limits { alias_values, alias_bytes, .. } = self.limits;
        if self.alias_values.get() > alias_values || self.alias_bytes.get() > alias_bytes {
            let detail = format!(
                "aliases expand to more than the limit of {alias_values} values or {alias_bytes} bytes of text"
            );
            return Err(Fault::new(LoadErrorKind::TooManyValues, detail));
        }
        Ok(())
    }
}

fn json(scalar: Scalar, text: &str) -> Result<Value, Fault> {
    Ok(match scalar {
        Scalar::Null => Value::Null,
        Scalar::Bool(value) => value.into(),
        Scalar::Int(value) => value.into(),
        Scalar::Uint(value) => value.into(),
        Scalar::Text => Value::String(text.to_owned()),
        Scalar::Other(other) => Value::String(other),
        Scalar::Float(value) => match number(value) {
            Some(number) => Value::Number(number),
            None => {
                let detail = format!("`{}` is a number that JSON cannot hold", shortened(text));
                return Err(Fault::new(LoadErrorKind::Unrepresentable, detail));
            }
        },
    })
}

/// A float as JSON has it: Go writes whole ones without point, in the shortest digits that are this float, so they are
/// integers to whoever reads the JSON.
fn number(value: f64) -> Option<Number> {
    if value == 0.0 {
        return Some(0.into());
    }
    let text = value.to_string();
    let signed = text.parse::<i64>().ok().map(Number::from);
    signed.or_else(|| text.parse::<u64>().ok().map(Number::from)).or_else(|| Number::from_f64(value))
}

/// Where each member and element of a document stands, by JSON pointer: lines as [`parse`] counts them, columns from 1. What an alias
/// brings in stands where the alias does.
pub(in crate::load) fn places(text: &str, first: u64, limits: Limits) -> Result<HashMap<String, (u64, u64)>, Fault> {
    let mut places = HashMap::new();
    if let Some(arena) = Builder::new(text, first, limits).build()? {
        place_below(&arena, 0, &mut String::new(), &mut places);
    }
    Ok(places)
}

fn place_below(arena: &[Node<'_>], index: usize, pointer: &mut String, places: &mut HashMap<String, (u64, u64)>) {
    let length = pointer.len();
    match arena.get(index).map(|node| &node.shape) {
        Some(Shape::List(elements)) => {
            for (at, element) in elements.iter().enumerate() {
                pointer.push_str(&format!("/{at}"));
                if let Some(node) = arena.get(*element) {
                    places.insert(pointer.clone(), (node.line, node.column));
                }
                place_below(arena, *element, pointer, places);
                pointer.truncate(length);
            }
        }
        Some(Shape::Map(entries)) => {
            for (key, value) in entries {
                let Some(Node { shape: Shape::Scalar { text, .. }, line, column }) = arena.get(*key) else { continue };
                pointer.push('/');
                pointer.push_str(&text.replace('~', "~0").replace('/', "~1"));
                places.insert(pointer.clone(), (*line, *column));
                place_below(arena, *value, pointer, places);
                pointer.truncate(length);
            }
        }
        _ => {}
    }
}
