//! Objects for `||`: every combination of its operands being true or false.

use super::reader::{Comparison, Reader};
use super::samples::{around, class, operator, put};
use serde_json::Value;
use takeover_cel::syntax::{Kind, NodeId};

/// Most fields to combine.
const MOST_PARTS: usize = 4;

/// How deep to look for operands.
const DEPTH: usize = 20;

/// A field, with a value that satisfies its operand and one that does not.
struct Part {
    steps: Vec<String>,
    kept: Value,
    broken: Value,
}

impl Reader<'_> {
    /// Objects that satisfy some operands of `||` and not others. Returns `None` if the operands read fewer than two fields.
    pub(super) fn alternatives(&self, args: &[NodeId]) -> Option<Comparison> {
        let mut parts = Vec::new();
        args.iter().for_each(|arg| self.weigh(*arg, 0, &mut parts));
        let (first, others) = parts.split_first().filter(|(_, others)| !others.is_empty())?;
        let is_common = |at: usize| others.iter().all(|part| part.steps.get(at) == first.steps.get(at));
        // The last step of each stays with its value.
        let most = parts.iter().map(|part| part.steps.len() - 1).min()?;
        let common = (0..most).take_while(|at| is_common(*at)).count();
        let combinations = (0..1_usize << parts.len()).map(|broken| {
            let mut around = Value::Null;
            for (at, part) in parts.iter().enumerate() {
                let value = if broken >> at & 1 == 1 { &part.broken } else { &part.kept };
                put(&mut around, part.steps.get(common..).unwrap_or_default(), value.clone());
            }
            class(around.to_string(), broken != 0, around)
        });
        let joined = |steps: &[String]| steps.join(".").replace(".[*]", "[*]");
        let path = joined(first.steps.get(..common)?);
        let names: Vec<String> = parts.iter().map(|part| joined(&part.steps)).collect();
        let boundaries = combinations.collect();
        Some(Comparison {
            inside: true,
            ..Comparison::of_value(path, format!("weighs {}", names.join(", ")), boundaries)
        })
    }

    /// Collects the fields that an expression tests: booleans, and fields compared with constants.
    fn weigh(&self, id: NodeId, depth: usize, parts: &mut Vec<Part>) {
        if depth > DEPTH || parts.len() >= MOST_PARTS {
            return;
        }
        let part = match self.ast.kind(id) {
            Some(Kind::Call { function, target: None, args }) if matches!(&**function, "_&&_" | "_||_" | "!_") => {
                args.iter().for_each(|arg| self.weigh(*arg, depth + 1, parts));
                None
            }
            Some(Kind::Comprehension { step, .. }) => {
                self.weigh(*step, depth + 1, parts);
                None
            }
            Some(Kind::Call { function, target: None, args }) => self.compared_part(function, args),
            Some(Kind::Select { test: false, .. }) => self.part(id, Value::from(true), Value::from(false)),
            _ => None,
        };
        let is_new = |part: &Part| parts.len() < MOST_PARTS && !parts.iter().any(|known| known.steps == part.steps);
        if let Some(part) = part.filter(is_new) {
            parts.push(part);
        }
    }

    fn compared_part(&self, function: &str, args: &[NodeId]) -> Option<Part> {
        let [left, right] = args else { return None };
        if !matches!(function, "_==_" | "_!=_" | "_<_" | "_<=_" | "_>_" | "_>=_") {
            return None;
        }
        let (place, constant, turned) = match (self.constant(*left, 0), self.constant(*right, 0)) {
            (None, Some(constant)) => (*left, constant, false),
            (Some(constant), None) => (*right, constant, true),
            _ => return None,
        };
        let values = around(operator(function, turned), &constant);
        let of = |broken: bool| values.iter().find(|(_, breaks)| *breaks == broken).map(|(value, _)| value.clone());
        self.part(place, of(false)?, of(true)?)
    }

    fn part(&self, id: NodeId, kept: Value, broken: Value) -> Option<Part> {
        let steps = self.steps(id).filter(|steps| !steps.is_empty())?;
        Some(Part { steps, kept, broken })
    }
}
