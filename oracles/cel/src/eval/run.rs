//! Runs a plan within limits, counting its cost.

use super::bounds::{Bindings, Limits, Members};
use super::plan::{CallStep, Step};
use crate::cost::actual;
use crate::library::Call;
use crate::value::{Error, Key, Map, Outcome, PlainMap, Value, equal};
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// A variable of a comprehension.
#[derive(Clone, Debug)]
pub(super) enum Slot<'p, 'a> {
    Unset,
    /// Not computed yet.
    Lazy(&'p Step),
    Ready(Outcome<Value<'a>>),
}

/// One evaluation.
pub(super) struct Run<'p, 'a> {
    bindings: &'p Bindings<'a>,
    pub(super) members: Option<&'p dyn Members<'a>>,
    limits: &'p Limits<'p>,
    slots: Vec<Slot<'p, 'a>>,
    pub(super) cost: u64,
    turns: u64,
}

impl<'p, 'a> Run<'p, 'a> {
    pub(super) fn new(
        bindings: &'p Bindings<'a>,
        members: Option<&'p dyn Members<'a>>,
        limits: &'p Limits<'p>,
        slots: usize,
    ) -> Self {
        Self { bindings, members, limits, slots: vec![Slot::Unset; slots], cost: 0, turns: 0 }
    }

    /// Counts cost.
    pub(super) fn charge(&mut self, cost: u64) -> Outcome<()> {
        self.cost = self.cost.saturating_add(cost);
        if self.limits.cost.is_some_and(|limit| self.cost > limit) {
            return Err(Error::fatal("operation cancelled: actual cost limit exceeded"));
        }
        Ok(())
    }

    /// Counts turns of loops, and looks whether to stop.
    pub(super) fn tick(&mut self) -> Outcome<()> {
        self.turns += 1;
        let interrupted = self.turns.is_multiple_of(100)
            && self.limits.interrupt.is_some_and(|interrupt| interrupt.load(Ordering::Relaxed));
        if interrupted || self.turns > self.limits.turns {
            return Err(Error::fatal("operation interrupted"));
        }
        Ok(())
    }

    pub(super) fn set(&mut self, slot: usize, value: Slot<'p, 'a>) {
        if let Some(place) = self.slots.get_mut(slot) {
            *place = value;
        }
    }

    pub(super) fn variable(&self, name: &str) -> Outcome<Value<'a>> {
        match self.bindings.get(name) {
            Some(value) => value.clone(),
            None => Err(Error::new(format!("no such attribute(s): {name}"))),
        }
    }

    pub(super) fn slot(&mut self, slot: usize) -> Outcome<Value<'a>> {
        match self.slots.get(slot) {
            Some(Slot::Ready(value)) => value.clone(),
            Some(Slot::Lazy(step)) => {
                let step = *step;
                let value = self.step(step);
                self.set(slot, Slot::Ready(value.clone()));
                value
            }
            _ => Err(Error::new("no such attribute(s): variable of a comprehension")),
        }
    }

    pub(super) fn step(&mut self, step: &'p Step) -> Outcome<Value<'a>> {
        match step {
            Step::Constant(value) => Ok(value.clone()),
            Step::Attribute(attribute) => self.attribute(attribute),
            Step::And(terms) => self.logic(terms, false),
            Step::Or(terms) => self.logic(terms, true),
            Step::Equal { negated, sides } => {
                let [left, right] = &**sides;
                let args = [self.arg(left)?, self.arg(right)?];
                self.charge(actual::equality(&args, *negated))?;
                let [left, right] = args;
                let same = equal(&left?, &right?);
                // What cannot be compared is not equal.
                if *negated { Ok(Value::Bool(same != Ok(true))) } else { same.map(Value::Bool) }
            }
            Step::Call(call) => self.call(call),
            Step::Member { value, set } => {
                let value = self.step(value)?;
                Ok(Value::Bool(Key::of(&value).is_some_and(|key| set.contains(&key))))
            }
            Step::List(elements) => {
                let made = self.list(elements);
                self.made(made, 10)
            }
            Step::Map(entries) => {
                let made = self.map(entries);
                self.made(made, 30)
            }
            Step::Fold(fold) => self.fold(fold),
            Step::Otherwise { value, sides } => {
                let [left, right] = &**sides;
                match self.step(left)? {
                    Value::Optional(Some(inner)) if *value => Ok(Value::clone(&inner)),
                    present @ Value::Optional(Some(_)) => Ok(present),
                    Value::Optional(None) => self.step(right),
                    _ => Err(Error::no_such_overload()),
                }
            }
        }
    }

    /// A step whose errors are values, but for those that end everything.
    fn arg(&mut self, step: &'p Step) -> Outcome<Outcome<Value<'a>>> {
        match self.step(step) {
            Err(error) if error.is_fatal() => Err(error),
            result => Ok(result),
        }
    }

    fn made(&mut self, made: Outcome<Value<'a>>, cost: u64) -> Outcome<Value<'a>> {
        if let Err(error) = &made
            && error.is_fatal()
        {
            return made;
        }
        self.charge(cost)?;
        made
    }

    /// `&&` and `||`: what decides alone wins over errors.
    fn logic(&mut self, terms: &'p [Step], decides: bool) -> Outcome<Value<'a>> {
        let mut failed = None;
        for term in terms {
            match self.arg(term)? {
                Ok(Value::Bool(value)) if value == decides => return Ok(Value::Bool(decides)),
                Ok(Value::Bool(_)) => {}
                Ok(_) => failed = failed.or_else(|| Some(Error::no_such_overload())),
                Err(error) => failed = failed.or(Some(error)),
            }
        }
        failed.map_or(Ok(Value::Bool(!decides)), Err)
    }

    fn call(&mut self, call: &'p CallStep) -> Outcome<Value<'a>> {
        if let Some(slot) = call.accumulates
            && let Some(result) = self.accumulate(call, slot)
        {
            return result;
        }
        let mut args = Vec::with_capacity(call.args.len());
        // With more than two arguments, or a pattern that was compiled beforehand, the first error ends the call, and it costs nothing.
        let patterned = matches!(&*call.name, "matches" | "find" | "findAll")
            && matches!(call.args.as_slice(), [_, Step::Constant(Value::String(_))]);
        let ends = !call.lenient && (call.args.len() > 2 || patterned);
        for arg in &call.args {
            let arg = self.arg(arg)?;
            if ends && args.len() + 1 < call.args.len() {
                args.push(Ok(arg?));
            } else {
                args.push(arg);
            }
        }
        let result = self.apply(call, &args);
        if let Err(error) = &result
            && error.is_fatal()
        {
            return result;
        }
        self.charge(actual::call(&call.name, call.overload, &args, &result)?)?;
        result
    }

    fn apply(&mut self, call: &CallStep, args: &[Outcome<Value<'a>>]) -> Outcome<Value<'a>> {
        if call.lenient {
            // Only `false` is strictly false.
            return Ok(Value::Bool(!matches!(args, [Ok(Value::Bool(false))])));
        }
        let args = args.iter().cloned().collect::<Outcome<Vec<_>>>()?;
        (call.function)(&Call { name: &call.name, overload: call.overload, args: &args })
    }

    /// Adds to the accumulator of a comprehension in place. Nothing where it is not what it seems to be.
    fn accumulate(&mut self, call: &'p CallStep, slot: usize) -> Option<Outcome<Value<'a>>> {
        // What failed once is an argument like others: the rest is evaluated.
        let ready = self.slot(slot).ok()?;
        match (&ready, call.args.as_slice()) {
            (Value::List(_), [_, Step::List(added)]) if added.iter().all(|(_, optional)| !optional) => {
                drop(ready);
                Some(self.append(call, slot, added))
            }
            (Value::Map(Map::Plain(_)), [_, key, value]) => {
                drop(ready);
                Some(self.insert(slot, key, value))
            }
            _ => None,
        }
    }

    fn append(&mut self, call: &'p CallStep, slot: usize, added: &'p [(Step, bool)]) -> Outcome<Value<'a>> {
        // The accumulator's name, the new list and the sum.
        self.charge(1)?;
        let mut values = Vec::with_capacity(added.len());
        let mut failed = None;
        for (step, _) in added {
            match self.arg(step)? {
                Ok(value) => values.push(value),
                Err(error) => {
                    failed = Some(error);
                    break;
                }
            }
        }
        self.charge(10)?;
        self.charge(1)?;
        debug_assert_eq!(&*call.name, "_+_");
        if let Some(error) = failed {
            return Err(error);
        }
        let Some(Slot::Ready(Ok(Value::List(list)))) = self.slots.get_mut(slot) else {
            return Err(Error::no_such_overload());
        };
        let mut list = std::mem::replace(list, crate::value::List::plain(Vec::new()));
        for value in values {
            list.push(value)?;
        }
        Ok(Value::List(list))
    }

    fn insert(&mut self, slot: usize, key: &'p Step, value: &'p Step) -> Outcome<Value<'a>> {
        self.charge(1)?;
        let key = self.arg(key)??;
        let value = self.arg(value)?;
        self.charge(1)?;
        let value = value?;
        let Some(Slot::Ready(Ok(Value::Map(Map::Plain(map))))) = self.slots.get_mut(slot) else {
            return Err(Error::no_such_overload());
        };
        let mut map = std::mem::take(map);
        crate::library::insert(&mut map, vec![(key, value)])?;
        Ok(Value::Map(Map::Plain(map)))
    }

    fn list(&mut self, elements: &'p [(Step, bool)]) -> Outcome<Value<'a>> {
        let mut values = Vec::with_capacity(elements.len());
        for (step, optional) in elements {
            match (self.step(step)?, optional) {
                (value, false) => values.push(value),
                (Value::Optional(Some(value)), true) => values.push(Value::clone(&value)),
                (Value::Optional(None), true) => {}
                (other, true) => {
                    return Err(Error::new(format!(
                        "cannot initialize optional list element from non-optional value {}",
                        crate::library::shown(&other)
                    )));
                }
            }
        }
        Ok(Value::list(values))
    }

    fn map(&mut self, entries: &'p [(Step, Step, bool)]) -> Outcome<Value<'a>> {
        let mut map = PlainMap::new();
        for (key, value, optional) in entries {
            let key_value = self.step(key)?;
            let value = self.step(value)?;
            let Some(key) = Key::of(&key_value) else {
                return Err(Error::new("unsupported key type"));
            };
            match (value, optional) {
                (value, false) => {
                    map.insert(key, value);
                }
                (Value::Optional(Some(value)), true) => {
                    map.insert(key, Value::clone(&value));
                }
                (Value::Optional(None), true) => {
                    map.remove(&key);
                }
                (other, true) => {
                    return Err(Error::new(format!(
                        "cannot initialize optional entry '{}' from non-optional value {}",
                        crate::library::shown(&key_value),
                        crate::library::shown(&other)
                    )));
                }
            }
        }
        Ok(Value::Map(Map::Plain(Arc::new(map))))
    }
}
