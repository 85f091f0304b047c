//! Literals that API servers look at: lists and maps of one type, durations, timestamps, patterns.

use super::checker::Checker;
use crate::library::pattern::Pattern;
use crate::scalar::time;
use crate::stack;
use crate::syntax::{Ast, Kind, Literal, NodeId};
use crate::types::Type;

/// Reports literals that do not hold what they should.
pub(super) fn validate(checker: &mut Checker<'_>) {
    let nodes = checker.reachable();
    let exempt = inside_format(checker.ast, &nodes);
    let is_exempt = |id: &NodeId| exempt.get(id.index()).copied().unwrap_or_default();
    for id in nodes.iter().filter(|id| !is_exempt(id)) {
        if let Some(Kind::List { elements, optional }) = checker.ast.kind(*id) {
            list(checker, elements, optional);
        }
    }
    for id in nodes.iter().filter(|id| !is_exempt(id)) {
        if let Some(Kind::Map(entries)) = checker.ast.kind(*id) {
            let mut first: Option<(Type, Type)> = None;
            for entry in entries {
                let (key, value) = (checker.ty(entry.key), inside(checker.ty(entry.value), entry.optional));
                let Some((keys, values)) = &first else {
                    first = Some((key, value));
                    continue;
                };
                if !keys.is_equivalent(&key) {
                    checker.mismatch(entry.key, keys, &key);
                }
                if !values.is_equivalent(&value) {
                    checker.mismatch(entry.value, values, &value);
                }
            }
        }
    }
    for name in ["duration", "timestamp", "matches"] {
        for id in &nodes {
            let Some(Kind::Call { function, args, .. }) = checker.ast.kind(*id) else { continue };
            let Some(arg) = args.first().filter(|_| &**function == name) else { continue };
            if let Some(Kind::Literal(literal)) = checker.ast.kind(*arg)
                && !holds(name, literal)
            {
                checker.report(*arg, format!("invalid {name} argument"));
            }
        }
    }
}

fn list(checker: &mut Checker<'_>, elements: &[NodeId], optional: &[usize]) {
    let mut first: Option<Type> = None;
    for (index, element) in elements.iter().enumerate() {
        let ty = inside(checker.ty(*element), optional.contains(&index));
        match &first {
            None => first = Some(ty),
            Some(expected) if !expected.is_equivalent(&ty) => return checker.mismatch(*element, expected, &ty),
            Some(_) => {}
        }
    }
}

fn inside(ty: Type, optional: bool) -> Type {
    match ty.inside_optional() {
        Some(inside) if optional => inside.clone(),
        _ => ty,
    }
}

/// Which nodes are inside of a call of `format`, whose arguments may be of any types.
fn inside_format(ast: &Ast, nodes: &[NodeId]) -> Vec<bool> {
    let mut exempt = vec![false; ast.len()];
    // Whatever a node is a part of comes before it here.
    for id in nodes {
        let Some(kind) = ast.kind(*id) else { continue };
        let within = exempt.get(id.index()).copied().unwrap_or_default()
            || matches!(kind, Kind::Call { function, .. } if &**function == "format");
        if within {
            stack::parts(kind, |part| exempt.get_mut(part.index()).into_iter().for_each(|exempt| *exempt = true));
        }
    }
    exempt
}

/// Whether the function accepts the literal. No int is a duration, although the types would allow it.
fn holds(function: &str, literal: &Literal) -> bool {
    match (function, literal) {
        ("duration", Literal::String(text)) => time::duration(text).is_some(),
        ("timestamp", Literal::String(text)) => {
            time::timestamp(text).is_ok_and(|at| time::SECONDS.contains(&at.seconds))
        }
        ("timestamp", Literal::Int(seconds)) => time::SECONDS.contains(seconds),
        // The first argument, which is the text and not the pattern in `matches(text, pattern)`.
        ("matches", Literal::String(pattern)) => Pattern::new(pattern).is_ok(),
        ("matches", _) => true,
        _ => false,
    }
}

impl Checker<'_> {
    /// The nodes of the tree, each once, before its parts.
    pub(super) fn reachable(&self) -> Vec<NodeId> {
        let mut seen = vec![false; self.ast.len()];
        let (mut order, mut pending) = (Vec::new(), vec![self.ast.root()]);
        while let Some(id) = pending.pop() {
            let Some(seen) = seen.get_mut(id.index()).filter(|seen| !**seen) else { continue };
            *seen = true;
            order.push(id);
            let start = pending.len();
            if let Some(kind) = self.ast.kind(id) {
                stack::parts(kind, |part| pending.push(part));
            }
            if let Some(parts) = pending.get_mut(start..) {
                parts.reverse();
            }
        }
        order
    }
}
