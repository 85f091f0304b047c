//! From a checked tree to steps.

use super::bounds::{Bindings, Limits};
use super::plan::{Attribute, CallStep, Fold, Qualifier, QualifierKey, Root, Step};
use super::run::Run;
use crate::check::{Checked, Reference};
use crate::library;
use crate::syntax::{Ast, Entry, Kind, Literal, NodeId};
use crate::types::Kind as TypeKind;
use crate::value::{Error, Key, Text, Value, numbers};
use std::collections::BTreeSet;
use std::sync::Arc;

/// The plan of a tree, and the number of its slots.
pub(super) fn plan(ast: &Ast, checked: &Checked) -> Result<(Step, usize), Error> {
    let mut planner = Planner { ast, checked, scopes: Vec::new(), slots: 0, accumulators: Vec::new() };
    let step = planner.step(ast.root())?;
    Ok((step, planner.slots))
}

struct Planner<'p> {
    ast: &'p Ast,
    checked: &'p Checked,
    /// Variables of comprehensions by name, the innermost last.
    scopes: Vec<(Arc<str>, usize)>,
    slots: usize,
    /// Accumulators that may be changed in place.
    accumulators: Vec<usize>,
}

impl Planner<'_> {
    fn step(&mut self, id: NodeId) -> Result<Step, Error> {
        let Some(kind) = self.ast.kind(id) else { return Err(Error::new("unsupported expr")) };
        match kind {
            Kind::Literal(literal) => Ok(Step::Constant(constant(literal))),
            Kind::Ident(name) => Ok(self.identifier(id, name)),
            Kind::Select { operand, field, test } => {
                if let Some(Reference::Identifier(name)) = self.checked.reference(id) {
                    return Ok(self.identifier(id, &Arc::clone(name)));
                }
                let mut attribute = self.attribute_of(*operand)?;
                attribute.qualifiers.push(Qualifier {
                    key: QualifierKey::Constant(Value::String(Text::Shared(Arc::clone(field)))),
                    optional: false,
                    test: *test,
                });
                attribute.test = *test;
                Ok(Step::Attribute(Box::new(attribute)))
            }
            Kind::Call { function, target, args } => self.call(id, function, *target, args),
            Kind::List { elements, optional } => {
                let steps =
                    elements.iter().enumerate().map(|(at, element)| Ok((self.step(*element)?, optional.contains(&at))));
                let steps = steps.collect::<Result<Vec<_>, Error>>()?;
                self.folded(steps.iter().all(|(step, _)| matches!(step, Step::Constant(_))), Step::List(steps))
            }
            Kind::Map(entries) => self.map(entries),
            Kind::Struct { name, .. } => Err(Error::new(format!("unknown type: {name}"))),
            Kind::Comprehension { .. } => self.fold(kind),
        }
    }

    /// A constant where all parts are constants. What fails stays as it is.
    fn folded(&self, constants: bool, step: Step) -> Result<Step, Error> {
        if constants {
            match self.run(&step) {
                Ok(value) => return Ok(Step::Constant(value)),
                Err(error) if error.is_fatal() => return Err(error),
                Err(_) => {}
            }
        }
        Ok(step)
    }

    /// Runs a step without variables.
    fn run(&self, step: &Step) -> Result<Value<'static>, Error> {
        let limits = Limits::default();
        Run::new(&Bindings::default(), None, &limits, 0).step(step)
    }

    fn identifier(&self, id: NodeId, name: &Arc<str>) -> Step {
        // In the result of a comprehension its variables are hidden, but nobody can name them there.
        if let Some((_, slot)) = self.scopes.iter().rev().find(|(known, _)| known == name) {
            return attribute(Root::Slot(*slot));
        }
        let full = match self.checked.reference(id) {
            Some(Reference::Identifier(full)) => Arc::clone(full),
            _ => Arc::clone(name),
        };
        if self.checked.ty(id).is_some_and(|ty| matches!(ty.kind(), TypeKind::Type))
            && !matches!(&*full, "self" | "oldSelf")
        {
            return Step::Constant(Value::Type(full));
        }
        attribute(Root::Variable(full))
    }

    /// The attribute that selections from a node start from.
    fn attribute_of(&mut self, id: NodeId) -> Result<Attribute, Error> {
        Ok(match self.step(id)? {
            Step::Attribute(attribute) => *attribute,
            other => Attribute { root: Root::Relative(Box::new(other)), qualifiers: Vec::new(), test: false },
        })
    }

    fn map(&mut self, entries: &[Entry]) -> Result<Step, Error> {
        let mut steps = Vec::with_capacity(entries.len());
        for entry in entries {
            steps.push((self.step(entry.key)?, self.step(entry.value)?, entry.optional));
        }
        let constants =
            steps.iter().all(|(key, value, _)| matches!((key, value), (Step::Constant(_), Step::Constant(_))));
        self.folded(constants, Step::Map(steps))
    }

    fn call(&mut self, id: NodeId, name: &Arc<str>, target: Option<NodeId>, args: &[NodeId]) -> Result<Step, Error> {
        let (full, target) = match self.checked.reference(id) {
            // A qualified name of a function has no receiver.
            Some(Reference::Call { function, .. }) if *function != &**name => (Arc::from(*function), None),
            _ => (Arc::clone(name), target),
        };
        if let ("_[_]" | "_[?_]" | "_?._", [operand, index]) = (&*full, args) {
            return self.index(*operand, *index, &*full != "_[_]");
        }
        let mut steps = Vec::with_capacity(args.len() + 1);
        for part in target.iter().chain(args) {
            steps.push(self.step(*part)?);
        }
        match &*full {
            "_&&_" => return Ok(Step::And(steps)),
            "_||_" => return Ok(Step::Or(steps)),
            "_==_" | "_!=_" => {
                return match <[Step; 2]>::try_from(steps) {
                    Ok(sides) => Ok(Step::Equal { negated: &*full == "_!=_", sides: Box::new(sides) }),
                    Err(_) => Err(Error::no_such_overload()),
                };
            }
            "_?_:_" => return conditional(steps),
            "or" | "orValue" => {
                return match <[Step; 2]>::try_from(steps) {
                    Ok(sides) => Ok(Step::Otherwise { value: &*full == "orValue", sides: Box::new(sides) }),
                    Err(_) => Err(Error::no_such_overload()),
                };
            }
            _ => {}
        }
        let overload = match self.checked.overloads(id) {
            [only] => Some(*only),
            _ => None,
        };
        if overload == Some("in_list")
            && let [_, Step::Constant(Value::List(list))] = steps.as_slice()
            && let Some(set) = constants_as_set(list)
        {
            if let Some(value) = steps.into_iter().next() {
                // Nothing is in an empty list, whatever it is.
                return Ok(if set.is_empty() {
                    Step::Constant(Value::Bool(false))
                } else {
                    Step::Member { value: Box::new(value), set }
                });
            }
            return Err(Error::no_such_overload());
        }
        let Some(function) = library::function(&full) else {
            return Err(Error::new(format!("no such overload: {full}")));
        };
        if let ("matches" | "find" | "findAll", [_, Step::Constant(Value::String(pattern)), ..]) =
            (&*full, steps.as_slice())
        {
            library::pattern::Pattern::new(pattern).map_err(|error| Error::new(error.go_text()))?;
        }
        let accumulates = match (&*full, steps.first()) {
            ("_+_" | "cel.@mapInsert", Some(Step::Attribute(attribute))) if attribute.qualifiers.is_empty() => {
                match attribute.root {
                    Root::Slot(slot) if self.accumulators.contains(&slot) => Some(slot),
                    _ => None,
                }
            }
            _ => None,
        };
        let constant = matches!(steps.as_slice(), [Step::Constant(_)]);
        let lenient = &*full == "@not_strictly_false";
        let folds = constant && library::is_conversion(&full);
        let step = Step::Call(Box::new(CallStep { name: full, overload, function, args: steps, lenient, accumulates }));
        if folds { self.run(&step).map(Step::Constant) } else { Ok(step) }
    }

    fn index(&mut self, operand: NodeId, index: NodeId, optional: bool) -> Result<Step, Error> {
        let mut attribute = self.attribute_of(operand)?;
        let key = match self.step(index)? {
            Step::Constant(value) => QualifierKey::Constant(value),
            Step::Attribute(index) => QualifierKey::Attribute(index),
            other => QualifierKey::Attribute(Box::new(Attribute {
                root: Root::Relative(Box::new(other)),
                qualifiers: Vec::new(),
                test: false,
            })),
        };
        attribute.qualifiers.push(Qualifier { key, optional, test: false });
        attribute.test = false;
        Ok(Step::Attribute(Box::new(attribute)))
    }

    fn fold(&mut self, kind: &Kind) -> Result<Step, Error> {
        let Kind::Comprehension { range, var, var2, accu, init, condition, step, result } = kind else {
            return Err(Error::new("unsupported expr"));
        };
        let init_step = self.step(*init)?;
        let range = self.step(*range)?;
        let scope = self.scopes.len();
        let accu_slot = self.slot(accu);
        if matches!(self.ast.kind(*init), Some(Kind::List { elements, .. }) if elements.is_empty())
            || matches!(self.ast.kind(*init), Some(Kind::Map(entries)) if entries.is_empty())
        {
            self.accumulators.push(accu_slot);
        }
        let var_slot = self.slot(var);
        let var2_slot = var2.as_ref().map(|name| self.slot(name));
        let condition = self.step(*condition)?;
        let step = self.step(*step)?;
        // Only the accumulator is known to the result.
        self.scopes.truncate(scope + 1);
        self.accumulators.retain(|slot| *slot != accu_slot);
        let result = self.step(*result)?;
        self.scopes.truncate(scope);
        Ok(Step::Fold(Box::new(Fold {
            range,
            var: var_slot,
            var2: var2_slot,
            accu: accu_slot,
            init: init_step,
            condition,
            step,
            result,
        })))
    }

    fn slot(&mut self, name: &Arc<str>) -> usize {
        let slot = self.slots;
        self.slots += 1;
        self.scopes.push((Arc::clone(name), slot));
        slot
    }
}

fn attribute(root: Root) -> Step {
    Step::Attribute(Box::new(Attribute { root, qualifiers: Vec::new(), test: false }))
}

fn conditional(steps: Vec<Step>) -> Result<Step, Error> {
    let side = |step: Step| match step {
        Step::Attribute(attribute) => *attribute,
        other => Attribute { root: Root::Relative(Box::new(other)), qualifiers: Vec::new(), test: false },
    };
    let Ok([condition, truthy, falsy]) = <[Step; 3]>::try_from(steps) else {
        return Err(Error::no_such_overload());
    };
    let sides = Box::new([side(truthy), side(falsy)]);
    Ok(attribute(Root::Conditional { condition: Box::new(condition), sides }))
}

fn constant(literal: &Literal) -> Value<'static> {
    match literal {
        Literal::Null => Value::Null,
        Literal::Bool(value) => Value::Bool(*value),
        Literal::Int(value) => Value::Int(*value),
        Literal::Uint(value) => Value::Uint(*value),
        Literal::Double(value) => Value::Double(*value),
        Literal::String(text) => Value::String(Text::Shared(Arc::clone(text))),
        Literal::Bytes(bytes) => Value::Bytes(Arc::clone(bytes)),
    }
}

/// The keys that equal an element of a list of constants, if all are scalars.
fn constants_as_set(list: &crate::value::List<'static>) -> Option<BTreeSet<Key<'static>>> {
    let mut set = BTreeSet::new();
    for item in list.iter() {
        let item = item.ok()?;
        match &item {
            Value::Double(double) => {
                set.extend(numbers::exact_int(*double).map(Key::Int));
                set.extend(numbers::exact_uint(*double).map(Key::Uint));
            }
            Value::Int(int) => {
                set.insert(Key::Double((*int as f64).to_bits()));
                set.extend(u64::try_from(*int).ok().map(Key::Uint));
            }
            Value::Uint(uint) => {
                set.insert(Key::Double((*uint as f64).to_bits()));
                set.extend(i64::try_from(*uint).ok().map(Key::Int));
            }
            _ => {}
        }
        set.insert(Key::of(&item)?);
    }
    Some(set)
}
