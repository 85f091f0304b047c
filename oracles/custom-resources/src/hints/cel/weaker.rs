//! Expressions that hold wherever another one does, by the way they are written: `a <= b` for `a < b`.

use takeover_cel::syntax::{Ast, Kind, NodeId};

/// Most pairs of parts that are held against each other.
const MOST_STEPS: usize = 20_000;

/// Whether an expression certainly holds where the other one does, whatever the values are: it is written the same way, but with weaker
/// comparisons, fewer conditions or more alternatives.
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

    /// A part of a part that is neither negated nor joined.
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

    /// The two parts that both have to hold.
    fn both(self) -> Option<[Self; 2]> {
        let parts = self.args::<2>(if self.negated { "_||_" } else { "_&&_" })?;
        Some(parts.map(|id| self.below(id)))
    }

    /// The two parts of which one has to hold.
    fn either(self) -> Option<[Self; 2]> {
        let parts = self.args::<2>(if self.negated { "_&&_" } else { "_||_" })?;
        Some(parts.map(|id| self.below(id)))
    }
}

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

    /// Whether one part that is neither negated nor joined implies the other.
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
            (
                Some(Kind::Comprehension { range, var, var2, accu, init, condition, step, result }),
                Some(Kind::Comprehension {
                    range: range_of,
                    var: var_of,
                    var2: var2_of,
                    accu: accu_of,
                    init: init_of,
                    condition: condition_of,
                    step: step_of,
                    result: result_of,
                }),
            ) => {
                let names = (var, var2, accu) == (var_of, var2_of, accu_of);
                let parts = [(range, range_of), (init, init_of), (condition, condition_of), (result, result_of)];
                names
                    && parts.into_iter().all(|(x, y)| self.is_same(one.inside(*x), other.inside(*y)))
                    && self.implies(one.inside(*step), other.inside(*step_of))
            }
            _ => false,
        }
    }

    /// Whether two parts are written the same.
    fn is_same(&mut self, one: Part<'_>, other: Part<'_>) -> bool {
        if self.left == 0 {
            return false;
        }
        self.left -= 1;
        let (Some(kind), Some(other_kind)) = (one.kind(), other.kind()) else { return false };
        let mut all = |ids: &[NodeId], others: &[NodeId]| {
            ids.len() == others.len()
                && ids.iter().zip(others).all(|(x, y)| self.is_same(one.below(*x), other.below(*y)))
        };
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
            (
                Kind::Comprehension { range, var, var2, accu, init, condition, step, result },
                Kind::Comprehension {
                    range: range_of,
                    var: var_of,
                    var2: var2_of,
                    accu: accu_of,
                    init: init_of,
                    condition: condition_of,
                    step: step_of,
                    result: result_of,
                },
            ) => {
                (var, var2, accu) == (var_of, var2_of, accu_of)
                    && all(
                        &[*range, *init, *condition, *step, *result],
                        &[*range_of, *init_of, *condition_of, *step_of, *result_of],
                    )
            }
            _ => false,
        }
    }
}

/// The operator that says the same of exchanged operands.
fn turned(operator: &str) -> &str {
    match operator {
        "_<_" => "_>_",
        "_<=_" => "_>=_",
        "_>_" => "_<_",
        "_>=_" => "_<=_",
        same => same,
    }
}

/// Whether one operator holds of all values of which another one does. Equal values need not be ordered: nulls are not.
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
