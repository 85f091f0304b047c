//! From the parser's tree to ours.

use super::ast::{Ast, Entry, Kind, Literal, NodeId, Nodes};
use super::guard::MAX_DEPTH;
use super::parser::{Offsets, SyntaxErrors};
use super::source::{Issue, Source};
use cel::common::ast::{CallExpr, EntryExpr, Expr, IdedEntryExpr, IdedExpr, LiteralValue};
use std::sync::Arc;

pub(super) fn lower(source: &Arc<Source>, expr: &IdedExpr, offsets: &Offsets<'_>) -> Result<Ast, SyntaxErrors> {
    let mut lowering = Lowering { source, offsets, nodes: Nodes::default(), issues: Vec::new() };
    let root = lowering.expr(expr, 0);
    let Lowering { nodes, issues, .. } = lowering;
    if issues.is_empty() {
        Ok(Ast::new(nodes.0, root, Arc::clone(source)))
    } else {
        Err(SyntaxErrors::new(source, issues))
    }
}

pub(super) struct Lowering<'l> {
    source: &'l Source,
    offsets: &'l Offsets<'l>,
    pub(super) nodes: Nodes,
    issues: Vec<Issue>,
}

/// More nodes than this come only from macros that copy their target within each other.
const MAX_NODES: usize = 400_000;

impl Lowering<'_> {
    pub(super) fn offset(&self, expr: &IdedExpr) -> u32 {
        self.offsets.of(expr)
    }

    /// Reports `message` at `expr`.
    pub(super) fn refuse(&mut self, expr: &IdedExpr, message: String) -> NodeId {
        let offset = self.offset(expr);
        self.issues.push(self.source.issue(offset, message));
        self.nodes.add(offset, Kind::Literal(Literal::Null))
    }

    pub(super) fn expr(&mut self, expr: &IdedExpr, depth: usize) -> NodeId {
        let offset = self.offset(expr);
        if depth > MAX_DEPTH || self.nodes.0.len() > MAX_NODES {
            if self.issues.is_empty() {
                self.issues.push(Issue { line: 0, column: 0, message: too_deep() });
            }
            return self.nodes.add(offset, Kind::Literal(Literal::Null));
        }
        let kind = match &expr.expr {
            Expr::Unspecified => return self.refuse(expr, "unspecified expression".to_owned()),
            Expr::Literal(literal) => Kind::Literal(constant(literal)),
            Expr::Ident(name) => Kind::Ident(name.as_str().into()),
            Expr::Select(select) => Kind::Select {
                operand: self.expr(&select.operand, depth + 1),
                field: select.field.as_str().into(),
                test: select.test,
            },
            Expr::Call(call) => match self.expanded(expr, call, depth) {
                Some(node) => return node,
                None => self.call(call, depth),
            },
            Expr::List(list) => Kind::List {
                elements: list.elements.iter().map(|element| self.expr(element, depth + 1)).collect(),
                optional: list.optional_indices.clone(),
            },
            Expr::Map(map) => Kind::Map(map.entries.iter().filter_map(|entry| self.entry(entry, depth + 1)).collect()),
            Expr::Struct(made) => Kind::Struct {
                name: made.type_name.as_str().into(),
                fields: made
                    .entries
                    .iter()
                    .filter_map(|entry| match &entry.expr {
                        EntryExpr::StructField(field) => {
                            Some((field.field.as_str().into(), self.expr(&field.value, depth + 1), field.optional))
                        }
                        EntryExpr::MapEntry(_) => None,
                    })
                    .collect(),
            },
            Expr::Comprehension(fold) => Kind::Comprehension {
                range: self.expr(&fold.iter_range, depth + 1),
                var: fold.iter_var.as_str().into(),
                var2: fold.iter_var2.as_deref().filter(|name| !name.is_empty()).map(Into::into),
                accu: fold.accu_var.as_str().into(),
                init: self.expr(&fold.accu_init, depth),
                condition: self.expr(&fold.loop_cond, depth),
                step: self.expr(&fold.loop_step, depth),
                result: self.expr(&fold.result, depth),
            },
        };
        self.nodes.add(offset, kind)
    }

    fn call(&mut self, call: &CallExpr, depth: usize) -> Kind {
        // Chains of logical operators are balanced, and grow slowly.
        let target = call.target.as_ref().map(|target| self.expr(target, depth + 1));
        let args = call.args.iter().map(|arg| self.expr(arg, depth + 1)).collect();
        Kind::Call { function: call.func_name.as_str().into(), target, args }
    }

    fn entry(&mut self, entry: &IdedEntryExpr, depth: usize) -> Option<Entry> {
        match &entry.expr {
            EntryExpr::MapEntry(entry) => {
                let key = self.expr(&entry.key, depth);
                let value = self.expr(&entry.value, depth);
                Some(Entry { key, value, optional: entry.optional })
            }
            EntryExpr::StructField(_) => None,
        }
    }
}

pub(super) fn too_deep() -> String {
    format!("expression recursion limit exceeded: {MAX_DEPTH}")
}

fn constant(literal: &LiteralValue) -> Literal {
    match literal {
        LiteralValue::Boolean(value) => Literal::Bool(*value.inner()),
        LiteralValue::Bytes(value) => Literal::Bytes(value.inner().into()),
        LiteralValue::Double(value) => Literal::Double(*value.inner()),
        LiteralValue::Int(value) => Literal::Int(*value.inner()),
        LiteralValue::Null => Literal::Null,
        LiteralValue::String(value) => Literal::String(value.inner().into()),
        LiteralValue::UInt(value) => Literal::Uint(*value.inner()),
    }
}
