//! Room for recursion over deep trees.

use crate::syntax::{Ast, Kind, NodeId};

/// Deeper trees are walked on a thread with a stack of its own.
const DEPTH: usize = 40;
const STACK_BYTES: usize = 256 << 20;

/// Calls `visit` with each part of a node, in the order in which they are evaluated.
pub(crate) fn parts(kind: &Kind, mut visit: impl FnMut(NodeId)) {
    match kind {
        Kind::Literal(_) | Kind::Ident(_) => {}
        Kind::Select { operand, .. } => visit(*operand),
        Kind::Call { target, args, .. } => target.iter().chain(args).for_each(|part| visit(*part)),
        Kind::List { elements, .. } => elements.iter().for_each(|part| visit(*part)),
        Kind::Map(entries) => entries.iter().for_each(|entry| {
            visit(entry.key);
            visit(entry.value);
        }),
        Kind::Struct { fields, .. } => fields.iter().for_each(|(_, value, _)| visit(*value)),
        Kind::Comprehension { range, init, condition, step, result, .. } => {
            [*range, *init, *condition, *step, *result].into_iter().for_each(visit);
        }
    }
}

/// Runs `walk`, which recurses over `ast`, where the stack suffices; `None` if no thread can be had or it died.
pub(crate) fn with_room<T: Send>(ast: &Ast, walk: impl FnOnce() -> T + Send) -> Option<T> {
    if depth(ast) <= DEPTH {
        return Some(walk());
    }
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(STACK_BYTES).spawn_scoped(scope, walk).ok()?;
        thread.join().ok()
    })
}

/// How deep a tree is. Parts stand before what they are part of, so one pass suffices.
fn depth(ast: &Ast) -> usize {
    let mut depths: Vec<usize> = Vec::with_capacity(ast.len());
    let mut deepest = 0;
    for node in ast.nodes() {
        let mut depth = 1;
        parts(&node.kind, |part| depth = depth.max(1 + depths.get(part.index()).copied().unwrap_or_default()));
        deepest = deepest.max(depth);
        depths.push(depth);
    }
    deepest
}
