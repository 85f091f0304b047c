//! What expressions compare parts of the object with, for the generator: values on both sides of each comparison.

use crate::cluster::Cluster;
use crate::dispatch::PolicySet;
use crate::evaluate::CompiledPolicy;
use serde_json::{Map, Value, json};
use std::collections::HashMap;
use std::sync::Arc;
use takeover_cel::Program;
use takeover_cel::syntax::{Ast, Kind, Literal, NodeId};
use takeover_harness::rule::{Boundary, Rule, RuleId, Sample, Specificity};

/// How deep parts of an expression are followed.
const MOST_DEPTH: usize = 60;
/// Members whose keys are names that users choose.
const MAPS: [&str; 7] = ["labels", "annotations", "matchLabels", "data", "stringData", "binaryData", "nodeSelector"];

impl PolicySet {
    /// Rules that say which values are worth trying, because expressions compare with them. They judge nothing.
    pub fn hints(&self, cluster: &Cluster) -> Vec<Rule> {
        let mut rules: Vec<Rule> = Vec::new();
        let mut entries: Vec<Option<String>> = Vec::new();
        for (policy, _) in self.policies() {
            let params = policy.policy().spec.param_kind.as_ref();
            let params = params.and_then(|kind| cluster.objects(&kind.api_version, &kind.kind).into_iter().next());
            for program in policy.programs() {
                let mut reader = Reader { policy, params, ast: program.ast(), loops: HashMap::new() };
                for Comparison { path, what, boundaries, key } in reader.comparisons() {
                    let id = RuleId(u32::try_from(rules.len()).unwrap_or(u32::MAX));
                    let chain = format!("compared({})={what}", policy.policy().name);
                    if !rules.iter().any(|rule| rule.path == path && rule.chain == chain) {
                        let specificity = Specificity::Whole;
                        rules.push(Rule { boundaries, specificity, ..Rule::new(id, path, chain) });
                        entries.push(key);
                    }
                }
            }
        }
        keep_other_entries(&mut rules, &entries);
        rules
    }
}

/// Adds to each sample of a map the entries that comparisons with its other keys want: a sample shows one key, and must not lack another.
/// `keys` names the key of each rule that is about one.
fn keep_other_entries(rules: &mut [Rule], keys: &[Option<String>]) {
    let mut wanted: HashMap<String, Map<String, Value>> = HashMap::new();
    for (rule, key) in rules.iter().zip(keys) {
        let kept = rule.boundaries.iter().find(|class| !class.breaks).map(|class| &class.sample);
        if let (Some(key), Some(Sample::Value(Value::Object(entries)))) = (key, kept)
            && let Some(value) = entries.get(key)
        {
            let of_map = wanted.entry(rule.path.clone()).or_default();
            // That a key is there is less than what it holds.
            if of_map.get(key).is_none_or(|known| *known == ANY) {
                of_map.insert(key.clone(), value.clone());
            }
        }
    }
    for (rule, key) in rules.iter_mut().zip(keys) {
        let (Some(key), Some(wanted)) = (key, wanted.get(&rule.path)) else { continue };
        for class in &mut rule.boundaries {
            if let Sample::Value(Value::Object(sample)) = &mut class.sample {
                let mut entries = wanted.clone();
                // A key that is to be there may hold what another comparison wants.
                if sample.get(key).is_none_or(|value| *value != ANY) {
                    entries.remove(key);
                    entries.append(sample);
                }
                *sample = entries;
            }
        }
    }
}

/// The value of a key that must exist, whatever its value is.
const ANY: &str = "x";

struct Reader<'p> {
    policy: &'p CompiledPolicy,
    params: Option<&'p Value>,
    ast: &'p Ast,
    /// The lists that variables of macros go through.
    loops: HashMap<Arc<str>, String>,
}

/// Where a value stands, what it is compared with, and values on both sides.
struct Comparison {
    path: String,
    what: String,
    boundaries: Vec<Boundary>,
    /// The key, if the value is an entry of the map at the path.
    key: Option<String>,
}

impl Comparison {
    fn of_value(path: String, what: String, boundaries: Vec<Boundary>) -> Self {
        Self { path, what, boundaries, key: None }
    }
}

impl Reader<'_> {
    fn comparisons(&mut self) -> Vec<Comparison> {
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
            let Kind::Call { function, target, args } = &node.kind else { continue };
            let all: Vec<NodeId> = target.iter().chain(args).copied().collect();
            let [left, right] = all.as_slice() else { continue };
            found.extend(self.compared(function, *left, *right));
        }
        found
    }

    fn compared(&self, function: &str, left: NodeId, right: NodeId) -> Option<Comparison> {
        match function {
            "_==_" | "_!=_" | "_<_" | "_<=_" | "_>_" | "_>=_" => {
                let (place, constant, turned) = match (self.constant(left, 0), self.constant(right, 0)) {
                    (None, Some(constant)) => (left, constant, false),
                    (Some(constant), None) => (right, constant, true),
                    _ => return None,
                };
                let operator = function.trim_matches('_');
                let operator = match (operator, turned) {
                    ("<", true) => ">",
                    ("<=", true) => ">=",
                    (">", true) => "<",
                    (">=", true) => "<=",
                    (operator, _) => operator,
                };
                self.at(place, operator, &constant)
            }
            "@in" | "_in_" => match (self.constant(left, 0), self.constant(right, 0)) {
                // A key of a map.
                (Some(Value::String(key)), None) => {
                    let path = self.path(right, 0)?;
                    let with = class(format!("with {key}"), false, json!({key.as_str(): ANY}));
                    let without = class(format!("without {key}"), true, json!({format!("not-{key}"): ANY}));
                    let (what, boundaries) = (format!("has {key}"), vec![with, without]);
                    MAPS.iter().any(|map| path.ends_with(map)).then_some(Comparison {
                        path,
                        what,
                        boundaries,
                        key: Some(key),
                    })
                }
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
                Some(Comparison::of_value(path, format!("{function} {part}"), classes))
            }
            _ => None,
        }
    }

    /// Values around a constant, at a place or under the key of a map.
    fn at(&self, place: NodeId, operator: &str, constant: &Value) -> Option<Comparison> {
        let samples = around(operator, constant);
        if samples.is_empty() {
            return None;
        }
        let what = format!("{operator} {constant}");
        if let Some((map, key)) = self.entry(place) {
            let classes = samples
                .into_iter()
                .map(|(value, breaks)| class(format!("{key} {value}"), breaks, json!({key.as_str(): value})));
            let boundaries = classes.collect();
            return Some(Comparison { path: map, what: format!("{key} {what}"), boundaries, key: Some(key) });
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
        MAPS.iter().any(|known| map.ends_with(known)).then_some((map, key))
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
            Kind::Select { operand, field, test: false } => match self.variable(id) {
                Some(program) => {
                    Reader { ast: program.ast(), loops: HashMap::new(), ..*self }.path(program.ast().root(), depth + 1)
                }
                None => self.path(*operand, depth + 1).map(|operand| joined(operand, field)),
            },
            Kind::Call { function, target: None, args } => match (&**function, args.as_slice()) {
                ("dyn" | "string" | "int" | "double" | "size", [inner]) if &**function != "size" => {
                    self.path(*inner, depth + 1)
                }
                ("_?._", [operand, field]) => match self.ast.kind(*field)? {
                    Kind::Literal(Literal::String(field)) => {
                        self.path(*operand, depth + 1).map(|operand| joined(operand, field))
                    }
                    _ => None,
                },
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

    /// The variable of the policy that a node names.
    fn variable(&self, id: NodeId) -> Option<&Program> {
        let Kind::Select { operand, field, test: false } = self.ast.kind(id)? else { return None };
        match self.ast.kind(*operand)? {
            Kind::Ident(name) if &**name == "variables" => self.policy.variable(field),
            _ => None,
        }
    }

    /// The value of a part that does not depend on the request, as far as it is plain.
    fn constant(&self, id: NodeId, depth: usize) -> Option<Value> {
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

fn of_literal(literal: &Literal) -> Option<Value> {
    match literal {
        Literal::Bool(value) => Some(json!(value)),
        Literal::Int(value) => Some(json!(value)),
        Literal::Double(value) => Some(json!(value)),
        Literal::String(text) => Some(json!(&**text)),
        Literal::Null | Literal::Uint(_) | Literal::Bytes(_) => None,
    }
}

fn class(name: String, breaks: bool, value: Value) -> Boundary {
    Boundary { class: name, breaks, sample: Sample::Value(value), options: Vec::new() }
}

/// Values around a constant, each with whether it breaks the comparison.
fn around(operator: &str, constant: &Value) -> Vec<(Value, bool)> {
    let ordered = |order: i64| match operator {
        "==" => order != 0,
        "!=" => order == 0,
        "<" => order >= 0,
        "<=" => order > 0,
        ">" => order <= 0,
        _ => order < 0,
    };
    match constant {
        Value::Number(number) => match number.as_i64() {
            Some(number) => {
                [-1, 0, 1].into_iter().filter_map(|by| Some((json!(number.checked_add(by)?), ordered(by)))).collect()
            }
            None => Vec::new(),
        },
        Value::String(text) if matches!(operator, "==" | "!=") => {
            vec![(json!(text), ordered(0)), (json!(format!("{text}x")), ordered(1))]
        }
        Value::Bool(flag) => vec![(json!(flag), ordered(0)), (json!(!flag), ordered(1))],
        _ => Vec::new(),
    }
}
