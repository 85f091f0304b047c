//! From an expression to what it compares parts of the object with.

use super::samples::{ANY, around, breaks, class, of_length, operator, pairs, put};
use crate::evaluate::CompiledPolicy;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::sync::Arc;
use takeover_cel::Program;
use takeover_cel::syntax::{Ast, Kind, Literal, NodeId};
use takeover_custom_resources::structural::Pattern;
use takeover_custom_resources::texts_around;
use takeover_harness::case::Operation;
use takeover_harness::check::Check;
use takeover_harness::error::ErrorType;
use takeover_harness::rule::{Boundary, ErrorShape};

/// How deep parts of an expression are followed.
const MOST_DEPTH: usize = 60;
/// Depth that a branch adds. Branches may branch again, so the limit must come sooner to keep the work small.
const DEPTH_OF_BRANCH: usize = 8;
/// Members whose keys are names that users choose.
const MAPS: [&str; 10] = [
    "labels",
    "annotations",
    "matchLabels",
    "data",
    "stringData",
    "binaryData",
    "nodeSelector",
    "limits",
    "requests",
    "hard",
];

/// A time of deletion.
const TIME: &str = "2024-01-01T00:00:00Z";

/// Reads one expression.
pub(super) struct Reader<'p> {
    policy: &'p CompiledPolicy,
    params: Option<&'p Value>,
    pub(super) ast: &'p Ast,
    /// The lists that variables of macros go through.
    loops: HashMap<Arc<str>, String>,
}

/// Where a value stands, what it is compared with, and values on both sides.
pub(super) struct Comparison {
    pub(super) path: String,
    pub(super) what: String,
    pub(super) boundaries: Vec<Boundary>,
    /// The key, if the value is an entry of the map at the path.
    pub(super) key: Option<String>,
    /// Whether the values speak of single members inside.
    pub(super) inside: bool,
    /// What a text is to begin or to end with.
    pub(super) end: Option<End>,
}

/// An end of a text.
pub(super) enum End {
    First(String),
    Last(String),
}

impl Comparison {
    pub(super) fn of_value(path: String, what: String, boundaries: Vec<Boundary>) -> Self {
        Self { path, what, boundaries, key: None, inside: false, end: None }
    }
}

impl<'p> Reader<'p> {
    /// Of an expression of a policy, with the params that it is given.
    pub(super) fn of(policy: &'p CompiledPolicy, params: Option<&'p Value>, ast: &'p Ast) -> Self {
        Self { policy, params, ast, loops: HashMap::new() }
    }

    /// Everything that is compared with something, and what is compared with each other.
    pub(super) fn comparisons(&mut self) -> Vec<Comparison> {
        let mut found = Vec::new();
        // Ranges first: parts stand before what they are part of, but loops may be nested.
        for _ in 0..3 {
            for node in self.ast.nodes() {
                if let Kind::Comprehension { range, var, var2, .. } = &node.kind
                    && let Some(path) = self.path(*range, 0)
                {
                    let element = var2.as_ref().unwrap_or(var);
                    self.loops.insert(Arc::clone(element), format!("{path}[*]"));
                }
            }
        }
        for node in self.ast.nodes() {
            match &node.kind {
                Kind::Call { function, target, args } => {
                    let all: Vec<NodeId> = target.iter().chain(args).copied().collect();
                    if &**function == "_||_" {
                        found.extend(self.alternatives(args));
                    }
                    if matches!(&**function, "_&&_" | "_||_" | "!_") {
                        found.extend(all.iter().filter_map(|id| self.truth(*id)));
                    }
                    let [left, right] = all.as_slice() else { continue };
                    found.extend(self.held(function, *left, *right));
                    found.extend(self.compared(function, *left, *right));
                }
                Kind::Select { operand, field, test: true } => found.extend(self.present(*operand, field)),
                _ => {}
            }
        }
        found
    }

    /// The values that a comparison tells apart, one comparison for each constant that a side may have.
    fn held(&self, function: &str, left: NodeId, right: NodeId) -> Vec<Comparison> {
        if !matches!(function, "_==_" | "_!=_" | "_<_" | "_<=_" | "_>_" | "_>=_") {
            return Vec::new();
        }
        let (place, constants, turned) = match (self.constants(left, 0), self.constants(right, 0)) {
            (left_side, right_side) if left_side.is_empty() && right_side.is_empty() => {
                return self.held_together(operator(function, false), left, right).into_iter().collect();
            }
            (left_side, constants) if left_side.is_empty() => (left, constants, false),
            (constants, right_side) if right_side.is_empty() => (right, constants, true),
            _ => return Vec::new(),
        };
        constants.iter().filter_map(|constant| self.at(place, operator(function, turned), constant)).collect()
    }

    /// The values that `has()` tells apart: an entry of a map, or the time of deletion.
    fn present(&self, operand: NodeId, field: &str) -> Option<Comparison> {
        let map = self.path(operand, 0)?;
        if map == "metadata" && field == "deletionTimestamp" {
            let deleted = class("deleted".to_owned(), false, json!(TIME));
            let path = format!("{map}.{field}");
            return Some(Comparison::of_value(path, "is there".to_owned(), vec![deleted]));
        }
        has(map, field)
    }

    /// Both values of a boolean field.
    fn truth(&self, id: NodeId) -> Option<Comparison> {
        let is_part = matches!(self.ast.kind(id)?, Kind::Select { test: false, .. });
        let path = is_part.then(|| self.path(id, 0))??;
        let classes = [true, false].map(|flag| class(flag.to_string(), !flag, flag.into())).to_vec();
        Some(Comparison::of_value(path, "true".to_owned(), classes))
    }

    fn compared(&self, function: &str, left: NodeId, right: NodeId) -> Option<Comparison> {
        match function {
            "@in" | "_in_" => match (self.constant(left, 0), self.constant(right, 0)) {
                // A key of a map.
                (Some(Value::String(key)), None) => has(self.path(right, 0)?, &key),
                (None, Some(Value::Array(known))) => {
                    let path = self.path(left, 0)?;
                    let what = format!("in {}", Value::from(known.clone()));
                    let mut classes: Vec<Boundary> =
                        known.iter().map(|one| class(format!("{one}"), false, one.clone())).collect();
                    if let Some(Value::String(first)) = known.first() {
                        classes.push(class("another".to_owned(), true, Value::from(format!("{first}x"))));
                    }
                    Some(Comparison::of_value(path, what, classes))
                }
                _ => None,
            },
            "matches" => {
                let Some(Value::String(text)) = self.constant(right, 0) else { return None };
                let path = self.path(left, 0)?;
                let texts = texts_around(&Pattern::new(&text).ok()?).into_iter();
                let classes = texts.map(|(text, matches)| class(text.clone(), !matches, text.into())).collect();
                Some(Comparison::of_value(path, format!("matches {text}"), classes))
            }
            "startsWith" | "endsWith" | "contains" => {
                let Some(Value::String(part)) = self.constant(right, 0) else { return None };
                let path = self.path(left, 0)?;
                let (kept, broken) = match function {
                    "startsWith" => (format!("{part}x"), format!("x{part}")),
                    "endsWith" => (format!("x{part}"), format!("{part}x")),
                    _ => (format!("x{part}x"), "x".to_owned()),
                };
                let classes = vec![
                    class("with it".to_owned(), false, kept.into()),
                    class("without".to_owned(), true, broken.into()),
                ];
                let what = format!("{function} {part}");
                let end = match function {
                    "startsWith" => Some(End::First(part)),
                    "endsWith" => Some(End::Last(part)),
                    _ => None,
                };
                Some(Comparison { end, ..Comparison::of_value(path, what, classes) })
            }
            _ => None,
        }
    }

    /// Values around a constant, at a place or under the key of a map.
    fn at(&self, place: NodeId, operator: &str, constant: &Value) -> Option<Comparison> {
        let mut samples = around(operator, constant);
        let mut what = format!("{operator} {constant}");
        let sized = self.sized(place);
        if sized.is_some() {
            samples = samples.into_iter().filter_map(|(size, breaks)| Some((of_length(&size)?, breaks))).collect();
            what = format!("size {what}");
        }
        if samples.is_empty() {
            return None;
        }
        if let Some((map, key)) = self.entry(sized.unwrap_or(place)) {
            let classes = samples
                .into_iter()
                .map(|(value, breaks)| class(format!("{key} {value}"), breaks, json!({key.as_str(): value})));
            let boundaries = classes.collect();
            let what = format!("{key} {what}");
            return Some(Comparison { key: Some(key), ..Comparison::of_value(map, what, boundaries) });
        }
        let path = self.path(place, 0)?;
        let classes = samples.into_iter().map(|(value, breaks)| class(value.to_string(), breaks, value)).collect();
        Some(Comparison::of_value(path, what, classes))
    }

    /// The map and the key, of an entry of labels and the like.
    fn entry(&self, id: NodeId) -> Option<(String, String)> {
        let (operand, key) = match self.ast.kind(id)? {
            Kind::Select { operand, field, test: false } => (*operand, field.to_string()),
            Kind::Call { function, target: None, args } if matches!(&**function, "_[_]" | "_[?_]") => {
                let [operand, index] = args.as_slice() else { return None };
                let Some(Kind::Literal(Literal::String(key))) = self.ast.kind(*index) else { return None };
                (*operand, key.to_string())
            }
            _ => return None,
        };
        let map = self.path(operand, 0)?;
        is_map(&map).then_some((map, key))
    }

    /// The path of a part of the object.
    fn path(&self, id: NodeId, depth: usize) -> Option<String> {
        if depth > MOST_DEPTH {
            return None;
        }
        let joined = |operand: String, field: &str| {
            if operand.is_empty() { field.to_owned() } else { format!("{operand}.{field}") }
        };
        match self.ast.kind(id)? {
            Kind::Ident(name) if &**name == "object" => Some(String::new()),
            Kind::Ident(name) => self.loops.get(name).cloned(),
            // What the request says of the object is in the object.
            Kind::Select { operand, field, test: false }
                if self.is_named(*operand, "request") && matches!(&**field, "name" | "namespace") =>
            {
                Some(format!("metadata.{field}"))
            }
            Kind::Select { operand, field, test: false } => match self.variable(id) {
                Some(program) => {
                    Reader { ast: program.ast(), loops: HashMap::new(), ..*self }.path(program.ast().root(), depth + 1)
                }
                None => self.path(*operand, depth + 1).map(|operand| joined(operand, field)),
            },
            Kind::Call { function, target: None, args } => match (&**function, args.as_slice()) {
                ("dyn" | "string" | "int" | "double", [inner]) => self.path(*inner, depth + 1),
                ("_?._", [operand, field]) => match self.ast.kind(*field)? {
                    Kind::Literal(Literal::String(field)) => {
                        self.path(*operand, depth + 1).map(|operand| joined(operand, field))
                    }
                    _ => None,
                },
                // Either branch, or either part: `has(object.spec.a) ? object.spec.a : []`.
                ("_?_:_", [_, one, other]) | ("_+_", [one, other]) => {
                    let depth = depth + DEPTH_OF_BRANCH;
                    self.path(*one, depth).or_else(|| self.path(*other, depth))
                }
                ("_[_]", [operand, index]) => match self.ast.kind(*index)? {
                    Kind::Literal(Literal::Int(_)) => self.path(*operand, depth + 1).map(|list| format!("{list}[*]")),
                    _ => None,
                },
                _ => None,
            },
            Kind::Call { function, target: Some(target), args } if &**function == "orValue" && args.len() == 1 => {
                self.path(*target, depth + 1)
            }
            _ => None,
        }
    }

    fn is_named(&self, id: NodeId, name: &str) -> bool {
        matches!(self.ast.kind(id), Some(Kind::Ident(known)) if &**known == name)
    }

    /// What a node is the size of.
    fn sized(&self, id: NodeId) -> Option<NodeId> {
        match self.ast.kind(id)? {
            Kind::Call { function, target, args } if &**function == "size" => match (target, args.as_slice()) {
                (Some(of), []) | (None, [of]) => Some(*of),
                _ => None,
            },
            _ => None,
        }
    }

    /// The bounds that sizes of parts of the object are compared with.
    pub(super) fn sizes(&self) -> Vec<Check> {
        let mut checks = Vec::new();
        for node in self.ast.nodes() {
            let Kind::Call { function, target: None, args } = &node.kind else { continue };
            let [left, right] = args.as_slice() else { continue };
            let (of, bound, turned) = match (self.sized(*left), self.sized(*right)) {
                (Some(of), None) => (of, self.constant(*right, 0), false),
                (None, Some(of)) => (of, self.constant(*left, 0), true),
                _ => continue,
            };
            let bound = bound.and_then(|bound| bound.as_i64());
            let (Some(bound), Some(path)) = (bound, self.path(of, 0)) else { continue };
            let limits = match operator(function, turned) {
                "<" | ">=" => vec![bound.saturating_sub(1)],
                "<=" | ">" => vec![bound],
                "==" | "!=" => vec![bound.saturating_sub(1), bound],
                _ => continue,
            };
            for limit in limits.into_iter().filter(|limit| *limit >= 0) {
                // Which of them it is follows from the type.
                for error_type in [ErrorType::TooMany, ErrorType::TooLong] {
                    checks.push(Check {
                        error: ErrorShape { error_type, field: path.clone(), origin: String::new() },
                        operations: Operation::ALL.to_vec(),
                        covered: false,
                        limit: Some(limit),
                        values: Vec::new(),
                    });
                }
            }
        }
        checks
    }

    /// Two parts of the object that are held against each other: values with which the first is smaller, the same and greater, in the
    /// object around both. Those that are not of their types are left out by whoever knows these.
    fn held_together(&self, operator: &str, left: NodeId, right: NodeId) -> Option<Comparison> {
        let [one, other] =
            [left, right].map(|id| Some((self.steps(self.sized(id).unwrap_or(id))?, self.sized(id).is_some())));
        let ((one, one_is_size), (other, other_is_size)) = (one?, other?);
        let common = one.iter().zip(&other).take_while(|(one, other)| one == other).count();
        // A part is no comparison with what it is part of.
        let ends =
            (one.get(common..).filter(|end| !end.is_empty())?, other.get(common..).filter(|end| !end.is_empty())?);
        let mut boundaries: Vec<Boundary> = Vec::new();
        for (first, second) in [(1, 2), (2, 2), (2, 1)] {
            let breaks = breaks(operator, first - second);
            for (first, second) in pairs((first, one_is_size), (second, other_is_size)) {
                let mut around = Value::Null;
                put(&mut around, ends.0, first);
                put(&mut around, ends.1, second);
                boundaries.push(class(around.to_string(), breaks, around));
            }
        }
        let path = one.get(..common)?.join(".").replace(".[*]", "[*]");
        let name = |steps: &[String], is_size: bool| {
            let path = steps.join(".").replace(".[*]", "[*]");
            if is_size { format!("size({path})") } else { path }
        };
        let what = format!("{} {operator} {}", name(&one, one_is_size), name(&other, other_is_size));
        Some(Comparison { inside: true, ..Comparison::of_value(path, what, boundaries) })
    }

    /// The members, entries and `[*]` that lead to a part of the object.
    pub(super) fn steps(&self, id: NodeId) -> Option<Vec<String>> {
        let (path, key) = match self.entry(id) {
            Some((map, key)) => (map, Some(key)),
            None => (self.path(id, 0)?, None),
        };
        let members = path.split('.').filter(|member| !member.is_empty());
        let of_path = members.flat_map(|member| {
            let name = member.trim_end_matches("[*]");
            let lists = (member.len() - name.len()) / "[*]".len();
            std::iter::once(name.to_owned()).chain(std::iter::repeat_n("[*]".to_owned(), lists))
        });
        Some(of_path.chain(key).collect())
    }

    /// The variable of the policy that a node names.
    fn variable(&self, id: NodeId) -> Option<&Program> {
        let Kind::Select { operand, field, test: false } = self.ast.kind(id)? else { return None };
        match self.ast.kind(*operand)? {
            Kind::Ident(name) if &**name == "variables" => self.policy.variable(field),
            _ => None,
        }
    }

    /// The values that a part may have, if they do not depend on the request; for a conditional, those of both branches.
    fn constants(&self, id: NodeId, depth: usize) -> Vec<Value> {
        if depth > MOST_DEPTH {
            return Vec::new();
        }
        if let Some(program) = self.variable(id) {
            let inside = Reader { ast: program.ast(), loops: HashMap::new(), ..*self };
            return inside.constants(program.ast().root(), depth + 1);
        }
        if let Some(Kind::Call { function, target: None, args }) = self.ast.kind(id)
            && let ("_?_:_", [_, one, other]) = (&**function, args.as_slice())
        {
            let branches = [one, other].map(|branch| self.constants(*branch, depth + 1));
            return if branches.iter().any(Vec::is_empty) { Vec::new() } else { branches.concat() };
        }
        self.constant(id, depth).into_iter().collect()
    }

    /// The value of a part that does not depend on the request, as far as it is plain.
    pub(super) fn constant(&self, id: NodeId, depth: usize) -> Option<Value> {
        if depth > MOST_DEPTH {
            return None;
        }
        match self.ast.kind(id)? {
            Kind::Literal(literal) => of_literal(literal),
            Kind::List { elements, .. } => elements
                .iter()
                .map(|element| self.constant(*element, depth + 1))
                .collect::<Option<Vec<_>>>()
                .map(Value::from),
            Kind::Ident(name) if &**name == "params" => self.params.cloned(),
            Kind::Select { operand, field, test: false } => match self.variable(id) {
                Some(program) => Reader { ast: program.ast(), loops: HashMap::new(), ..*self }
                    .constant(program.ast().root(), depth + 1),
                None => self.constant(*operand, depth + 1)?.get(&**field).cloned(),
            },
            Kind::Call { function, target: Some(target), args } if &**function == "split" && args.len() == 1 => {
                let text = self.constant(*target, depth + 1)?;
                let separator = self.constant(*args.first()?, depth + 1)?;
                Some(text.as_str()?.split(separator.as_str()?).collect())
            }
            Kind::Call { function, target: None, args } => match (&**function, args.as_slice()) {
                ("int", [inner]) => {
                    let inner = self.constant(*inner, depth + 1)?;
                    inner.as_i64().or_else(|| inner.as_str()?.parse().ok()).map(Value::from)
                }
                ("string" | "dyn", [inner]) => self.constant(*inner, depth + 1),
                ("_[_]", [operand, index]) => match self.ast.kind(*index)? {
                    Kind::Literal(Literal::String(key)) => self.constant(*operand, depth + 1)?.get(&**key).cloned(),
                    _ => None,
                },
                _ => None,
            },
            _ => None,
        }
    }
}

/// Whether a path leads to a map whose keys users choose.
fn is_map(path: &str) -> bool {
    MAPS.contains(&path.rsplit('.').next().unwrap_or_default())
}

/// Values with and without a key of a map whose keys users choose; `None` for other maps.
fn has(path: String, key: &str) -> Option<Comparison> {
    let with = class(format!("with {key}"), false, json!({key: ANY}));
    let without = class(format!("without {key}"), true, json!({format!("not-{key}"): ANY}));
    let comparison = Comparison::of_value(path, format!("has {key}"), vec![with, without]);
    is_map(&comparison.path).then(|| Comparison { key: Some(key.to_owned()), ..comparison })
}

fn of_literal(literal: &Literal) -> Option<Value> {
    match literal {
        Literal::Bool(value) => Some(json!(value)),
        Literal::Int(value) => Some(json!(value)),
        Literal::Double(value) => Some(json!(value)),
        Literal::String(text) => Some(json!(&**text)),
        Literal::Null | Literal::Uint(_) | Literal::Bytes(_) => None,
    }
}
