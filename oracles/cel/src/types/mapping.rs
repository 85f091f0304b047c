//! What type variables stand for, and unification.

use super::ty::{Kind, Type};
use std::collections::HashMap;
use std::sync::Arc;

/// Substitutes for type variables and parameters, found while checking.
///
/// An attempt to unify leaves it as it was unless it succeeds.
#[derive(Debug, Default)]
pub struct Mapping {
    substitutes: HashMap<Type, Type>,
    /// Former substitutes since the attempt began.
    trail: Vec<(Type, Option<Type>)>,
}

impl Mapping {
    /// Maps type parameters of an overload to fresh variables, to instantiate its types.
    #[must_use]
    pub fn instantiate(names: &[Arc<str>], mut fresh: impl FnMut() -> Type) -> Self {
        let substitutes = names.iter().map(|name| (Type::Param(Arc::clone(name)), fresh())).collect();
        Self { substitutes, trail: Vec::new() }
    }

    /// Tells whether a value of `right` may stand where `left` is expected, or both unify; remembers what variables then stand for.
    pub fn assignable(&mut self, left: &Type, right: &Type) -> bool {
        self.attempt(|mapping| mapping.unify(left, right))
    }

    /// Tells the same of lists of types, place by place.
    pub fn all_assignable(&mut self, left: &[Type], right: &[Type]) -> bool {
        self.attempt(|mapping| mapping.unify_all(left, right))
    }

    /// Replaces variables by what they stand for; those that stand for nothing by `dyn`, if `unbound_is_dyn`.
    #[must_use]
    pub fn substitute(&self, ty: &Type, unbound_is_dyn: bool) -> Type {
        let sub = |ty: &Type| self.substitute(ty, unbound_is_dyn);
        match ty {
            Type::Param(_) | Type::Variable(_) => match self.substitutes.get(ty) {
                Some(substitute) => sub(substitute),
                None if unbound_is_dyn => Type::Dyn,
                None => ty.clone(),
            },
            Type::List(element) => Type::list(sub(element)),
            Type::Map(entry) => Type::map(sub(&entry.0), sub(&entry.1)),
            Type::Type(Some(of)) => Type::type_of(sub(of)),
            Type::Opaque(name, parameters) if !parameters.is_empty() => {
                Type::Opaque(Arc::clone(name), parameters.iter().map(sub).collect())
            }
            _ => ty.clone(),
        }
    }

    fn attempt(&mut self, attempt: impl FnOnce(&mut Self) -> bool) -> bool {
        self.trail.clear();
        let succeeded = attempt(self);
        if !succeeded {
            while let Some((variable, former)) = self.trail.pop() {
                match former {
                    Some(former) => self.substitutes.insert(variable, former),
                    None => self.substitutes.remove(&variable),
                };
            }
        }
        succeeded
    }

    fn bind(&mut self, variable: &Type, ty: Type) {
        let former = self.substitutes.insert(variable.clone(), ty);
        self.trail.push((variable.clone(), former));
    }

    fn unify(&mut self, left: &Type, right: &Type) -> bool {
        if right.kind() == Kind::Param {
            match self.substitutable(left, right) {
                Fit::Yes => return true,
                Fit::NotItsSubstitute => return false,
                Fit::Occurs => {}
            }
        }
        if left.kind() == Kind::Param {
            return self.substitutable(right, left) == Fit::Yes;
        }
        if left.is_dyn_or_error() || right.is_dyn_or_error() {
            return true;
        }
        match (left, right) {
            (Type::Null, other) | (other, Type::Null) => nullable(other),
            (Type::List(left), Type::List(right)) => self.unify(left, right),
            (Type::Map(left), Type::Map(right)) => self.unify(&left.0, &right.0) && self.unify(&left.1, &right.1),
            (Type::Opaque(left, left_parameters), Type::Opaque(right, right_parameters)) => {
                left == right && self.unify_all(left_parameters, right_parameters)
            }
            (Type::Type(_), Type::Type(_)) => true,
            (left, right) => unwrapped(left) == unwrapped(right),
        }
    }

    fn unify_all(&mut self, left: &[Type], right: &[Type]) -> bool {
        left.len() == right.len() && left.iter().zip(right).all(|(left, right)| self.unify(left, right))
    }

    /// Whether `variable` may stand for `ty`.
    fn substitutable(&mut self, ty: &Type, variable: &Type) -> Fit {
        if ty == variable {
            return Fit::Yes;
        }
        if let Some(known) = self.substitutes.get(variable).cloned() {
            if *ty == known {
                return Fit::Yes;
            }
            if !self.unify(ty, &known) {
                return Fit::NotItsSubstitute;
            }
            let general = most_general(ty, &known);
            if self.free_of(variable, &general) {
                self.bind(variable, general);
            }
            return Fit::Yes;
        }
        if !self.free_of(variable, ty) {
            return Fit::Occurs;
        }
        self.bind(variable, ty.clone());
        Fit::Yes
    }

    /// Whether the variable does not occur in the type, also not in what other variables stand for.
    fn free_of(&self, variable: &Type, within: &Type) -> bool {
        if variable == within {
            return false;
        }
        match within {
            Type::Param(_) | Type::Variable(_) => {
                self.substitutes.get(within).is_none_or(|substitute| self.free_of(variable, substitute))
            }
            Type::Map(entry) => self.free_of(variable, &entry.0) && self.free_of(variable, &entry.1),
            _ => within.parameters().iter().all(|parameter| self.free_of(variable, parameter)),
        }
    }
}

/// How a type fits a variable.
#[derive(PartialEq, Eq)]
enum Fit {
    Yes,
    /// The variable already stands for something else.
    NotItsSubstitute,
    /// The variable occurs in the type.
    Occurs,
}

/// Whether `null` may stand where a value of this type is expected.
fn nullable(ty: &Type) -> bool {
    matches!(ty, Type::Wrapper(_) | Type::Null)
        || matches!(ty.kind(), Kind::Opaque | Kind::Object | Kind::Any | Kind::Duration | Kind::Timestamp)
}

/// Returns the more general of two types that unify.
pub(crate) fn most_general(left: &Type, right: &Type) -> Type {
    if less_specific(left, right) { left.clone() } else { right.clone() }
}

/// Whether `left` says no more than `right`.
fn less_specific(left: &Type, right: &Type) -> bool {
    if left.is_dyn() || left.kind() == Kind::Param {
        return true;
    }
    if right.is_dyn() || right.kind() == Kind::Param {
        return false;
    }
    match (left, right) {
        (Type::Opaque(left, left_parameters), Type::Opaque(right, right_parameters)) => {
            left == right
                && left_parameters.len() == right_parameters.len()
                && left_parameters.iter().zip(&**right_parameters).all(|(left, right)| less_specific(left, right))
        }
        (Type::List(left), Type::List(right)) => less_specific(left, right),
        (Type::Map(left), Type::Map(right)) => less_specific(&left.0, &right.0) && less_specific(&left.1, &right.1),
        (Type::Type(_), Type::Type(_)) => true,
        (left, right) => unwrapped(left) == unwrapped(right),
    }
}

/// A primitive type without its wrapper: the checker takes one for the other.
fn unwrapped(ty: &Type) -> &Type {
    match ty {
        Type::Wrapper(wrapped) => wrapped,
        ty => ty,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_take_the_more_general_type() {
        let mut mapping = Mapping::default();
        let variable = Type::Variable(0);
        assert!(mapping.assignable(&Type::list(variable.clone()), &Type::list(Type::Int)));
        assert_eq!(mapping.substitute(&variable, false), Type::Int);
        assert!(!mapping.assignable(&variable, &Type::String));
        assert!(mapping.assignable(&Type::Dyn, &variable));
        assert_eq!(mapping.substitute(&Type::list(variable), false).to_string(), "list(dyn)");
    }

    #[test]
    fn an_attempt_that_fails_leaves_no_trace() {
        let mut mapping = Mapping::default();
        let variable = Type::Variable(7);
        let pair = Type::map(variable.clone(), Type::Int);
        assert!(!mapping.assignable(&pair, &Type::map(Type::String, Type::Bool)));
        assert_eq!(mapping.substitute(&variable, false), variable);
        assert_eq!(mapping.substitute(&pair, true).to_string(), "map(dyn, int)");
    }

    #[test]
    fn a_variable_never_stands_for_what_contains_it() {
        let mut mapping = Mapping::default();
        let variable = Type::Variable(0);
        assert!(!mapping.assignable(&variable, &Type::list(variable.clone())));
    }

    #[test]
    fn null_goes_with_messages_and_times() {
        let mut mapping = Mapping::default();
        assert!(mapping.assignable(&Type::Null, &Type::object("o")));
        assert!(mapping.assignable(&Type::Duration, &Type::Null));
        assert!(!mapping.assignable(&Type::Null, &Type::Int));
        assert!(mapping.assignable(&Type::Null, &Type::Wrapper(Arc::new(Type::Int))));
    }
}
