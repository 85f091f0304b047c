//! Macros that the parser does not expand: those of optional values and of comprehensions with two variables.

use super::ast::{Kind, Literal, NodeId};
use super::lower::Lowering;
use cel::common::ast::{CallExpr, Expr, IdedExpr};
use std::sync::Arc;

const RESULT: &str = "@result";

impl Lowering<'_> {
    /// The expansion of a call, if it is one of a macro.
    pub(super) fn expanded(&mut self, expr: &IdedExpr, call: &CallExpr, depth: usize) -> Option<NodeId> {
        let target = call.target.as_deref()?;
        let at = self.offset(expr);
        match (call.func_name.as_str(), call.args.as_slice()) {
            (name @ ("optMap" | "optFlatMap"), [var, mapped]) => {
                Some(self.optional(at, name, target, var, mapped, depth + 1))
            }
            (name @ ("all" | "exists" | "existsOne" | "exists_one"), [first, second, predicate]) => {
                Some(self.quantifier(at, name, target, [first, second], predicate, depth + 1))
            }
            (name @ ("transformList" | "transformMap" | "transformMapEntry"), [first, second, transform]) => {
                Some(self.transform(at, name, target, [first, second], None, transform, depth + 1))
            }
            (name @ ("transformList" | "transformMap" | "transformMapEntry"), [first, second, filter, transform]) => {
                Some(self.transform(at, name, target, [first, second], Some(filter), transform, depth + 1))
            }
            ("sortBy", [var, key]) => Some(self.sort_by(expr, target, var, key, depth + 1)),
            _ => None,
        }
    }

    /// `list.sortBy(e, key)`: keys are mapped from a name for the list, then both go to the function that sorts.
    fn sort_by(&mut self, call: &IdedExpr, target: &IdedExpr, var: &IdedExpr, key: &IdedExpr, depth: usize) -> NodeId {
        const INPUT: &str = "@__sortBy_input__";
        let at = self.offset(call);
        if matches!(target.expr, Expr::Literal(_) | Expr::Map(_) | Expr::Struct(_)) {
            let message = "sortBy can only be applied to a list, identifier, comprehension, call or select expression";
            return self.refuse(target, message.to_owned());
        }
        let Expr::Ident(variable) = &var.expr else {
            return self.refuse(var, "argument is not an identifier".to_owned());
        };
        let range = self.nodes.add(at, Kind::List { elements: Vec::new(), optional: Vec::new() });
        let init = self.expr(target, depth);
        let condition = self.literal(at, Literal::Bool(false));
        let step = self.ident(at, INPUT);
        let keys = {
            let range = self.ident(at, INPUT);
            let init = self.nodes.add(at, Kind::List { elements: Vec::new(), optional: Vec::new() });
            let condition = self.literal(at, Literal::Bool(true));
            let key = self.expr(key, depth);
            let (accu, one) =
                (self.ident(at, RESULT), self.nodes.add(at, Kind::List { elements: vec![key], optional: Vec::new() }));
            let step = self.made(at, "_+_", None, vec![accu, one]);
            let result = self.ident(at, RESULT);
            let (var, accu) = (variable.as_str().into(), RESULT.into());
            self.nodes.add(at, Kind::Comprehension { range, var, var2: None, accu, init, condition, step, result })
        };
        let sorted = self.ident(at, INPUT);
        let result = self.made(at, "@sortByAssociatedKeys", Some(sorted), vec![keys]);
        let (var, accu) = ("#unused".into(), INPUT.into());
        self.nodes.add(at, Kind::Comprehension { range, var, var2: None, accu, init, condition, step, result })
    }

    fn made(&mut self, at: u32, function: &str, target: Option<NodeId>, args: Vec<NodeId>) -> NodeId {
        self.nodes.add(at, Kind::Call { function: function.into(), target, args })
    }

    fn ident(&mut self, at: u32, name: &str) -> NodeId {
        self.nodes.add(at, Kind::Ident(name.into()))
    }

    fn literal(&mut self, at: u32, literal: Literal) -> NodeId {
        self.nodes.add(at, Kind::Literal(literal))
    }

    fn optional(
        &mut self,
        at: u32,
        name: &str,
        target: &IdedExpr,
        var: &IdedExpr,
        mapped: &IdedExpr,
        depth: usize,
    ) -> NodeId {
        let Expr::Ident(variable) = &var.expr else {
            return self.refuse(var, format!("{name}() variable name must be a simple identifier"));
        };
        let tested = self.expr(target, depth);
        let has_value = self.made(at, "hasValue", Some(tested), Vec::new());
        let range = self.nodes.add(at, Kind::List { elements: Vec::new(), optional: Vec::new() });
        let copy = self.expr(target, depth);
        let init = self.made(at, "value", Some(copy), Vec::new());
        let condition = self.literal(at, Literal::Bool(false));
        let step = self.ident(at, variable);
        let result = self.expr(mapped, depth);
        let mut some = self.nodes.add(
            at,
            Kind::Comprehension {
                range,
                var: "#unused".into(),
                var2: None,
                accu: variable.as_str().into(),
                init,
                condition,
                step,
                result,
            },
        );
        if name == "optMap" {
            some = self.made(at, "optional.of", None, vec![some]);
        }
        let none = self.made(at, "optional.none", None, Vec::new());
        self.made(at, "_?_:_", None, vec![has_value, some, none])
    }

    /// The names of the two variables, or what stands for the refused call.
    fn variables(&mut self, names: [&IdedExpr; 2]) -> Result<[Arc<str>; 2], NodeId> {
        let mut found = Vec::with_capacity(2);
        for name in names {
            let Expr::Ident(text) = &name.expr else {
                return Err(self.refuse(name, "argument must be a simple name".to_owned()));
            };
            found.push((Arc::<str>::from(text.as_str()), name));
        }
        let [(first, at_first), (second, at_second)] = found.as_slice() else {
            return Err(self.nodes.add(0, Kind::Literal(Literal::Null)));
        };
        if first == second {
            return Err(self.refuse(at_second, format!("duplicate variable name: {first}")));
        }
        for (name, at) in [(first, at_first), (second, at_second)] {
            if matches!(&**name, RESULT | "__result__") {
                return Err(self.refuse(at, "iteration variable overwrites accumulator variable".to_owned()));
            }
        }
        Ok([Arc::clone(first), Arc::clone(second)])
    }

    fn quantifier(
        &mut self,
        at: u32,
        name: &str,
        target: &IdedExpr,
        names: [&IdedExpr; 2],
        predicate: &IdedExpr,
        depth: usize,
    ) -> NodeId {
        let variables = match self.variables(names) {
            Ok(variables) => variables,
            Err(refused) => return refused,
        };
        let range = self.expr(target, depth);
        let predicate = self.expr(predicate, depth);
        let (init, condition, step, result);
        match name {
            "all" | "exists" => {
                let all = name == "all";
                init = self.literal(at, Literal::Bool(all));
                let mut so_far = self.ident(at, RESULT);
                if !all {
                    so_far = self.made(at, "!_", None, vec![so_far]);
                }
                condition = self.made(at, "@not_strictly_false", None, vec![so_far]);
                let accu = self.ident(at, RESULT);
                step = self.made(at, if all { "_&&_" } else { "_||_" }, None, vec![accu, predicate]);
                result = self.ident(at, RESULT);
            }
            _ => {
                init = self.literal(at, Literal::Int(0));
                condition = self.literal(at, Literal::Bool(true));
                let (counted, one) = (self.ident(at, RESULT), self.literal(at, Literal::Int(1)));
                let more = self.made(at, "_+_", None, vec![counted, one]);
                let same = self.ident(at, RESULT);
                step = self.made(at, "_?_:_", None, vec![predicate, more, same]);
                let (counted, one) = (self.ident(at, RESULT), self.literal(at, Literal::Int(1)));
                result = self.made(at, "_==_", None, vec![counted, one]);
            }
        }
        self.fold(at, range, variables, init, condition, step, result)
    }

    #[expect(clippy::too_many_arguments, reason = "the parts of one call")]
    fn transform(
        &mut self,
        at: u32,
        name: &str,
        target: &IdedExpr,
        names: [&IdedExpr; 2],
        filter: Option<&IdedExpr>,
        transform: &IdedExpr,
        depth: usize,
    ) -> NodeId {
        let variables = match self.variables(names) {
            Ok(variables) => variables,
            Err(refused) => return refused,
        };
        let range = self.expr(target, depth);
        let transform = self.expr(transform, depth);
        let accu = self.ident(at, RESULT);
        let (init, mut step);
        match name {
            "transformList" => {
                init = self.nodes.add(at, Kind::List { elements: Vec::new(), optional: Vec::new() });
                let one = self.nodes.add(at, Kind::List { elements: vec![transform], optional: Vec::new() });
                step = self.made(at, "_+_", None, vec![accu, one]);
            }
            "transformMap" => {
                init = self.nodes.add(at, Kind::Map(Vec::new()));
                let [first, _] = &variables;
                let key = self.ident(at, first);
                step = self.made(at, "cel.@mapInsert", None, vec![accu, key, transform]);
            }
            _ => {
                init = self.nodes.add(at, Kind::Map(Vec::new()));
                step = self.made(at, "cel.@mapInsert", None, vec![accu, transform]);
            }
        }
        if let Some(filter) = filter {
            let filter = self.expr(filter, depth);
            let same = self.ident(at, RESULT);
            step = self.made(at, "_?_:_", None, vec![filter, step, same]);
        }
        let condition = self.literal(at, Literal::Bool(true));
        let result = self.ident(at, RESULT);
        self.fold(at, range, variables, init, condition, step, result)
    }

    #[expect(clippy::too_many_arguments, reason = "the parts of one comprehension")]
    fn fold(
        &mut self,
        at: u32,
        range: NodeId,
        [var, var2]: [Arc<str>; 2],
        init: NodeId,
        condition: NodeId,
        step: NodeId,
        result: NodeId,
    ) -> NodeId {
        let accu = RESULT.into();
        self.nodes.add(at, Kind::Comprehension { range, var, var2: Some(var2), accu, init, condition, step, result })
    }
}
