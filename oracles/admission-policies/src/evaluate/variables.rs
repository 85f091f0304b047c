//! Variables of a policy: evaluated when they are first read, once for each group of expressions.

use crate::language::Expression;
use std::sync::{Mutex, PoisonError};
use takeover_cel::scalar::text::quoted;
use takeover_cel::value::{Error, Outcome, Value};
use takeover_cel::{Bindings, Limits, Members, names};

/// Variables that read others are evaluated on a stack of their own from time to time.
const NESTED: usize = 24;
const STACK_BYTES: usize = 64 << 20;
/// Deepest nesting of variables that read others; only names that are used twice get there.
const MOST_NESTED: usize = 2_000;

/// The variables of one group.
pub(super) struct Variables<'c, 'a> {
    compiled: &'c [(String, Expression)],
    bindings: &'c Bindings<'a>,
    state: Mutex<State<'a>>,
}

struct State<'a> {
    values: Vec<Option<Outcome<Value<'a>>>>,
    cost: u64,
    depth: usize,
}

impl<'c, 'a> Variables<'c, 'a> {
    pub(super) fn new(compiled: &'c [(String, Expression)], bindings: &'c Bindings<'a>) -> Self {
        let state = State { values: vec![None; compiled.len()], cost: 0, depth: 0 };
        Self { compiled, bindings, state: Mutex::new(state) }
    }

    /// What reading variables cost since this was last asked.
    pub(super) fn take_cost(&self) -> u64 {
        self.with(|state| std::mem::take(&mut state.cost))
    }

    fn with<T>(&self, change: impl FnOnce(&mut State<'a>) -> T) -> T {
        change(&mut self.state.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn computed(&self, name: &str, expression: &Expression, depth: usize) -> Outcome<Value<'a>> {
        let failed = |what: &str, error: &dyn std::fmt::Display| {
            Error::new(format!("composited variable {} fails to {what}: {error}", quoted(name)))
        };
        let program = expression.program.as_ref().map_err(|failure| failed("compile", failure))?;
        if depth > MOST_NESTED {
            return Err(failed("evaluate", &"it depends on itself"));
        }
        let evaluate = || program.evaluate_with(self.bindings, self, &Limits::default());
        let evaluation = if depth.is_multiple_of(NESTED) {
            std::thread::scope(|scope| {
                let thread = std::thread::Builder::new().stack_size(STACK_BYTES).spawn_scoped(scope, evaluate).ok()?;
                thread.join().ok()
            })
            .ok_or_else(|| failed("evaluate", &"max recursion depth exceeded"))?
        } else {
            evaluate()
        };
        self.with(|state| state.cost = state.cost.saturating_add(evaluation.cost));
        evaluation.value.map_err(|error| failed("evaluate", &error))
    }
}

impl<'a> Members<'a> for Variables<'_, 'a> {
    fn member(&self, name: &str) -> Option<Outcome<Value<'a>>> {
        let name = names::unescape(name)?;
        // Of two with one name the last one counts.
        let place = self.compiled.iter().rposition(|(known, _)| *known == name)?;
        let known = self.with(|state| state.values.get(place).cloned().flatten());
        if known.is_some() {
            return known;
        }
        let (name, expression) = self.compiled.get(place)?;
        let depth = self.with(|state| {
            state.depth += 1;
            state.depth
        });
        let value = self.computed(name, expression, depth);
        self.with(|state| {
            state.depth -= 1;
            if let Some(free) = state.values.get_mut(place) {
                *free = Some(value.clone());
            }
        });
        Some(value)
    }
}
