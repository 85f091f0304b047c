//! Rules whose result is always the same: they hold for every value that the schema accepts, or for none.

use super::reading::read;
use super::samples::uses_old;
use super::values::Maker;
use super::weaker::is_weaker;
use crate::coerce::set_defaults;
use crate::rules::{NodeLanguage, Old, Outcome};
use crate::structural::{CelRule, Structural};
use crate::validate::accepts;
use serde_json::Value;
use takeover_cel::cost::limits;
use takeover_cel::syntax::{Ast, Kind, Literal, NodeId, parse};

/// Expressions inside of expressions.
const DEPTH: usize = 100;
/// Loops of an expression: what more than two tell apart takes longer lists than are tried.
const MOST_LOOPS: usize = 2;

/// The result that a rule always has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Settled {
    /// It held for all of this many values.
    Holds(usize),
    /// It held for none of this many values.
    Fails(usize),
}

/// Whether all values that the schema of a node accepts are the same to a rule. `None` when they are not, and when that is not certain.
pub(crate) fn settled(language: &NodeLanguage, node: &Structural, rule: &CelRule, whole: bool) -> Option<Settled> {
    let ast = parse(&rule.rule).ok()?;
    let program = language.compile(rule).ok().filter(|program| !program.uses_old())?;
    let values = representatives(node, &ast, whole, accepts)?;
    let held =
        values.iter().filter(|value| program.run(value, Old::Unbound, limits::PER_CALL).outcome == Outcome::Holds);
    match (values.len(), held.count()) {
        (0, _) => None,
        (tried, 0) => Some(Settled::Fails(tried)),
        (tried, held) => (tried == held).then_some(Settled::Holds(tried)),
    }
}

/// Whether a rule certainly holds where another one does, of all values that the schema of a node accepts.
pub(crate) fn implies(language: &NodeLanguage, node: &Structural, [one, other]: [&CelRule; 2], whole: bool) -> bool {
    // A transition rule never judged objects that were stored by a create.
    if uses_old(one) || language.compile(other).is_err() {
        return false;
    }
    if let (Ok(one), Ok(other)) = (parse(&one.rule), parse(&other.rule))
        && is_weaker(&other, &one)
    {
        return true;
    }
    let both = CelRule { rule: format!("!({}) || ({})", one.rule, other.rule), ..CelRule::default() };
    matches!(settled(language, node, &both, whole), Some(Settled::Holds(_)))
}

/// A value of each sort that an expression may tell apart, of those that fit the schema of a node, with defaults. `None` where that is not
/// certain.
///
/// It is certain where an expression does nothing but ask what is there, hold values and sizes against constants, and join the answers:
/// then values between two constants, or beside all of them, are the same to it, and one of each sort is made, in each mixture.
pub(super) fn representatives(
    node: &Structural,
    ast: &Ast,
    whole: bool,
    fits: fn(&Structural, &Value) -> bool,
) -> Option<Vec<Value>> {
    let loops = ast.nodes().iter().filter(|node| matches!(node.kind, Kind::Comprehension { .. })).count();
    if loops > MOST_LOOPS || !is_plain(ast) {
        return None;
    }
    let read = read(ast);
    let maker = Maker::of_all(&read.literals, fits);
    let made = maker.values(node, &read.wanted, whole, 0);
    if maker.is_partial() {
        return None;
    }
    let values = made.into_iter().filter_map(|made| made.full).map(|mut value| {
        set_defaults(node, &mut value);
        value
    });
    Some(values.filter(|value| fits(node, value)).collect())
}

/// Whether an expression is true or false by what is there and by comparisons with constants.
pub(super) fn is_plain(ast: &Ast) -> bool {
    Plain { ast }.is_truth(ast.root(), 0)
}

/// Expressions whose values are known by those of their parts.
struct Plain<'a> {
    ast: &'a Ast,
}

impl Plain<'_> {
    /// Whether it is true or false by what is there and by comparisons with constants.
    fn is_truth(&self, id: NodeId, depth: usize) -> bool {
        let truth = |id: &NodeId| self.is_truth(*id, depth + 1);
        if depth > DEPTH {
            return false;
        }
        match self.ast.kind(id) {
            Some(Kind::Literal(Literal::Bool(_))) => true,
            Some(Kind::Select { operand, test: true, .. }) => self.is_place(*operand, depth),
            Some(Kind::Ident(_) | Kind::Select { .. }) => self.is_place(id, depth),
            Some(Kind::Call { function, target: None, args }) => match (&**function, args.as_slice()) {
                ("!_" | "_&&_" | "_||_" | "@not_strictly_false" | "_?_:_", all) => all.iter().all(truth),
                ("_==_" | "_!=_" | "_<_" | "_<=_" | "_>_" | "_>=_", [one, other]) => {
                    let against =
                        |one: &NodeId, other: &NodeId| self.is_measure(*one, depth) && self.is_constant(*other);
                    // A place that is a truth is compared with another one: its values are not those of a truth alone.
                    let both = |id: &NodeId| truth(id) && !self.is_place(*id, depth);
                    let constants = self.is_constant(*one) && self.is_constant(*other);
                    against(one, other)
                        || against(other, one)
                        || constants
                        || function.contains('=') && both(one) && both(other)
                }
                ("@in", [one, list]) => (self.is_measure(*one, depth) || self.is_constant(*one)) && self.is_list(*list),
                _ => false,
            },
            Some(Kind::Comprehension { range, var2, init, condition, step, result, .. }) => {
                var2.is_none() && self.is_place(*range, depth) && [init, condition, step, result].into_iter().all(truth)
            }
            _ => false,
        }
    }

    /// Whether it is a value of the object.
    fn is_place(&self, id: NodeId, depth: usize) -> bool {
        match self.ast.kind(id) {
            Some(Kind::Ident(name)) => &**name != "oldSelf",
            Some(Kind::Select { operand, test: false, .. }) => depth <= DEPTH && self.is_place(*operand, depth + 1),
            _ => false,
        }
    }

    /// Whether it is a value of the object, or the size of one.
    fn is_measure(&self, id: NodeId, depth: usize) -> bool {
        match self.ast.kind(id) {
            Some(Kind::Call { function, target, args }) if &**function == "size" => match (target, args.as_slice()) {
                (Some(of), []) | (None, [of]) => self.is_place(*of, depth),
                _ => false,
            },
            _ => self.is_place(id, depth),
        }
    }

    fn is_constant(&self, id: NodeId) -> bool {
        match self.ast.kind(id) {
            Some(Kind::Literal(literal)) => !matches!(literal, Literal::Null | Literal::Bytes(_)),
            Some(Kind::Call { function, target: None, args }) => {
                &**function == "-_" && args.iter().all(|arg| self.is_constant(*arg))
            }
            _ => false,
        }
    }

    fn is_list(&self, id: NodeId) -> bool {
        matches!(self.ast.kind(id), Some(Kind::List { elements, optional })
            if optional.is_empty() && elements.iter().all(|element| self.is_constant(*element)))
    }
}
