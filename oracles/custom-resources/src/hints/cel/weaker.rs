//! Tells from the text alone that one expression holds whenever another does: `a <= b` for `a < b`.

use takeover_cel::syntax::{Ast, Kind, NodeId};

/// Most pairs of parts that are held against each other.
const MOST_STEPS: usize = 20_000;

/// Whether `new` certainly holds whenever `old` does, for any values: it reads the same, but with weaker comparisons, fewer conditions or
/// more alternatives.
pub(super) fn is_weaker(new: &Ast, old: &Ast) -> bool {
    let whole = |ast| Part { ast, id: Ast::root(ast), negated: false };
    Weighing { left: MOST_STEPS }.implies(whole(old), whole(new))
}

/// A part of an expression, or the opposite of one.
#[derive(Clone, Copy)]
struct Part<'a> {
    ast: &'a Ast,
    id: NodeId,
    negated: bool,
}

impl<'a> Part<'a> {
    fn kind(self) -> Option<&'a Kind> {
        self.ast.kind(self.id)
    }

    fn below(self, id: NodeId) -> Self {
        Self { id, ..self }
    }

    /// A part inside, taken without negation.
    fn inside(self, id: NodeId) -> Self {
        Self { id, negated: false, ..self }
    }

    /// The part without the negations around it.
    fn bare(mut self) -> Self {
        while let Some([inner]) = self.args("!_") {
            self = Self { negated: !self.negated, ..self.below(inner) };
        }
        self
    }

    /// The operands of a call of this operator.
    fn args<const N: usize>(self, operator: &str) -> Option<[NodeId; N]> {
        match self.kind()? {
            Kind::Call { function, target: None, args } if &**function == operator => args.as_slice().try_into().ok(),
            _ => None,
        }
    }

    /// Two parts that must both hold.
    fn both(self) -> Option<[Self; 2]> {
        let parts = self.args::<2>(if self.negated { "_||_" } else { "_&&_" })?;
        Some(parts.map(|id| self.below(id)))
    }

    /// Two parts, at least one of which must hold.
    fn either(self) -> Option<[Self; 2]> {
        let parts = self.args::<2>(if self.negated { "_&&_" } else { "_||_" })?;
        Some(parts.map(|id| self.below(id)))
    }
}

/// A loop that a macro made.
struct Loop<'a> {
    /// The names of its element, its second variable and its accumulator.
    names: (&'a str, Option<&'a str>, &'a str),
    /// Its range, first value, condition and result.
    around: [NodeId; 4],
    step: NodeId,
}

impl<'a> Loop<'a> {
    fn of(kind: &'a Kind) -> Option<Self> {
        let Kind::Comprehension { range, var, var2, accu, init, condition, step, result } = kind else { return None };
        let names = (&**var, var2.as_deref(), &**accu);
        Some(Self { names, around: [*range, *init, *condition, *result], step: *step })
    }
}

/// Holds parts of two expressions against each other, for so many steps.
struct Weighing {
    left: usize,
}

impl Weighing {
    /// Whether `one` implies `other`.
    fn implies(&mut self, one: Part<'_>, other: Part<'_>) -> bool {
        if self.left == 0 {
            return false;
        }
        self.left -= 1;
        let (one, other) = (one.bare(), other.bare());
        if one.negated == other.negated && self.is_same(one, other) {
            return true;
        }
        if let Some([x, y]) = other.both() {
            return self.implies(one, x) && self.implies(one, y);
        }
        if let Some([x, y]) = one.either() {
            return self.implies(x, other) && self.implies(y, other);
        }
        if let Some(parts) = one.both()
            && parts.into_iter().any(|part| self.implies(part, other))
        {
            return true;
        }
        if let Some(parts) = other.either()
            && parts.into_iter().any(|part| self.implies(one, part))
        {
            return true;
        }
        match (one.negated, other.negated) {
            (false, false) => self.is_stronger(one, other),
            (true, true) => self.is_stronger(other, one),
            _ => false,
        }
    }

    /// Whether `one` implies `other`, where neither is negated or joined.
    fn is_stronger(&mut self, one: Part<'_>, other: Part<'_>) -> bool {
        match (one.kind(), other.kind()) {
            (
                Some(Kind::Call { function, target: None, args }),
                Some(Kind::Call { function: weaker, target: None, args: others }),
            ) => match (&**function, args.as_slice(), &**weaker, others.as_slice()) {
                ("_?_:_", [when, x, y], "_?_:_", [same, z, w]) => {
                    self.is_same(one.inside(*when), other.inside(*same))
                        && self.implies(one.inside(*x), other.inside(*z))
                        && self.implies(one.inside(*y), other.inside(*w))
                }
                (strong, [x, y], weak, [z, w]) => {
                    let mut are_same = |z: &NodeId, w: &NodeId| {
                        self.is_same(one.inside(*x), other.inside(*z)) && self.is_same(one.inside(*y), other.inside(*w))
                    };
                    is_weaker_operator(strong, weak) && are_same(z, w)
                        || is_weaker_operator(strong, turned(weak)) && are_same(w, z)
                }
                _ => false,
            },
            (Some(kind), Some(other_kind)) => match (Loop::of(kind), Loop::of(other_kind)) {
                (Some(loop_of), Some(loop_of_other)) => {
                    loop_of.names == loop_of_other.names
                        && self.are_same((one, &loop_of.around), (other, &loop_of_other.around))
                        && self.implies(one.inside(loop_of.step), other.inside(loop_of_other.step))
                }
                _ => false,
            },
            _ => false,
        }
    }

    /// Whether two parts read the same.
    fn is_same(&mut self, one: Part<'_>, other: Part<'_>) -> bool {
        if self.left == 0 {
            return false;
        }
        self.left -= 1;
        let (Some(kind), Some(other_kind)) = (one.kind(), other.kind()) else { return false };
        let mut all = |ids: &[NodeId], others: &[NodeId]| self.are_same((one, ids), (other, others));
        match (kind, other_kind) {
            (Kind::Literal(x), Kind::Literal(y)) => x == y,
            (Kind::Ident(x), Kind::Ident(y)) => x == y,
            (Kind::Select { operand: x, field, test }, Kind::Select { operand: y, field: other, test: tests }) => {
                field == other && test == tests && all(&[*x], &[*y])
            }
            (
                Kind::Call { function, target, args },
                Kind::Call { function: other, target: other_target, args: others },
            ) => function == other && all(target.as_slice(), other_target.as_slice()) && all(args, others),
            (Kind::List { elements, optional }, Kind::List { elements: others, optional: other }) => {
                optional == other && all(elements, others)
            }
            _ => match (Loop::of(kind), Loop::of(other_kind)) {
                (Some(one), Some(other)) => {
                    one.names == other.names && all(&one.around, &other.around) && all(&[one.step], &[other.step])
                }
                _ => false,
            },
        }
    }

    /// Whether parts of two parts are written the same, one by one.
    fn are_same(&mut self, (one, ids): (Part<'_>, &[NodeId]), (other, others): (Part<'_>, &[NodeId])) -> bool {
        ids.len() == others.len() && ids.iter().zip(others).all(|(x, y)| self.is_same(one.inside(*x), other.inside(*y)))
    }
}

/// The operator that says the same once the operands are swapped.
fn turned(operator: &str) -> &str {
    match operator {
        "_<_" => "_>_",
        "_<=_" => "_>=_",
        "_>_" => "_<_",
        "_>=_" => "_<=_",
        same => same,
    }
}

/// Whether `weak` holds for any values for which `strong` does. `==` implies no order: null equals null, and CEL cannot order nulls.
fn is_weaker_operator(strong: &str, weak: &str) -> bool {
    let is_comparison = matches!(strong, "_<_" | "_<=_" | "_>_" | "_>=_" | "_==_" | "_!=_");
    strong == weak && is_comparison || matches!((strong, weak), ("_<_", "_<=_" | "_!=_") | ("_>_", "_>=_" | "_!=_"))
}

#[cfg(test)]
mod tests {
    use super::is_weaker;
    use takeover_cel::syntax::parse;

    #[test]
    fn weaker_comparisons_fewer_conditions_and_more_alternatives_hold_where_the_others_do() {
        for (old, new, expected) in [
            ("self.a < self.b", "self.a <= self.b", true),
            ("self.a <= self.b", "self.a < self.b", false),
            ("self.a == self.b", "self.a >= self.b", false),
            ("self.a == self.b", "self.b == self.a", true),
            ("self.a < self.b", "self.b <= self.a", false),
            ("self.a < self.b", "self.b >= self.a", true),
            (
                "!has(self.a) || !has(self.b) || self.a < self.b",
                "!(has(self.a) && has(self.b)) || self.b >= self.a",
                true,
            ),
            (
                "!has(self.a) || !has(self.b) || self.a <= self.b",
                "!(has(self.a) && has(self.b)) || self.b > self.a",
                false,
            ),
            ("!(self.a <= self.b)", "!(self.a < self.b)", true),
            ("!(self.a < self.b)", "!(self.a <= self.b)", false),
            ("!has(self.a) || self.a < self.b", "!has(self.a) || self.a <= self.b", true),
            ("has(self.a) && self.a.x() && self.b", "self.a.x()", true),
            ("self.a.x()", "has(self.a) && self.a.x()", false),
            ("self.a.x()", "self.b || self.c || self.a.x()", true),
            ("self.b || self.a.x()", "self.a.x()", false),
            ("self.l.all(e, e.a < e.b)", "self.l.all(e, e.a <= e.b)", true),
            ("self.l.exists(e, e.a.x() && e.b)", "self.l.exists(e, e.a.x())", true),
            ("self.l.all(e, e.a <= e.b)", "self.l.all(e, e.a < e.b)", false),
            ("self.l.exists_one(e, e.a < e.b)", "self.l.exists_one(e, e.a <= e.b)", false),
            ("self.c ? self.a < self.b : self.d", "self.c ? self.a <= self.b : self.d", true),
            ("self.c ? self.a < self.b : self.d", "self.e ? self.a <= self.b : self.d", false),
        ] {
            assert_eq!(is_weaker(&parse(new).unwrap(), &parse(old).unwrap()), expected, "{old}: {new}");
        }
    }
}
