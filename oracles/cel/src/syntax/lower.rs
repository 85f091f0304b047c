//! From the parser's tree to ours.

use super::ast::{Ast, Entry, Kind, Literal, NodeId, Nodes};
use super::guard::MAX_DEPTH;
use super::offsets::{Offsets, SyntaxErrors};
use super::source::{Issue, Source};
use cel::common::ast::{CallExpr, ComprehensionExpr, EntryExpr, Expr, IdedEntryExpr, IdedExpr, LiteralValue};
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
        let mut offset = self.offset(expr);
        if depth > MAX_DEPTH || self.nodes.0.len() > MAX_NODES {
            if self.issues.is_empty() {
                self.issues.push(Issue { line: 0, column: 0, message: too_deep() });
            }
            return self.nodes.add(offset, Kind::Literal(Literal::Null));
        }
        let kind = match &expr.expr {
            Expr::Unspecified => return self.refuse(expr, "unspecified expression".to_owned()),
            Expr::Literal(literal) => {
                let literal = constant(literal);
                // A negative number stands where its sign stands.
                if matches!(literal, Literal::Int(int) if int < 0)
                    || matches!(literal, Literal::Double(double) if double < 0.0)
                {
                    offset = self.source.sign_before(offset);
                }
                Kind::Literal(literal)
            }
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
            // Not a macro of one variable, though the parser expands it.
            Expr::Comprehension(fold) if self.source.is_after(offset, "existsOne") => {
                self.unexpanded(fold, offset, depth)
            }
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

    /// The call that a comprehension was made from.
    fn unexpanded(&mut self, fold: &ComprehensionExpr, offset: u32, depth: usize) -> Kind {
        let target = self.expr(&fold.iter_range, depth + 1);
        let var = self.nodes.add(offset + 1, Kind::Ident(fold.iter_var.as_str().into()));
        let mut args = vec![var];
        if let Expr::Call(CallExpr { args: parts, .. }) = &fold.loop_step.expr {
            args.extend(parts.first().map(|predicate| self.expr(predicate, depth + 1)));
        }
        Kind::Call { function: "existsOne".into(), target: Some(target), args }
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
