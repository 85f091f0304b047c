//! Plants a fault in a program.

use super::change::{Change, Part};
use super::site::holds;
use crate::eval::program::{Call, Cohort, Correlation, KeyValue, ModeOp, Op, Program};
use crate::eval::{Check, Fault, Nothing};
use std::sync::Arc;
use takeover_harness::error::{ErrorType, FieldError};
use takeover_harness::object::equal;
use takeover_harness::path::Path;
use takeover_harness::rule::RuleId;

/// Changes the rule, and nothing else.
pub(super) fn apply(program: &mut Program, rule: RuleId, change: &Change) {
    if matches!(change, Change::Unratcheted) {
        return keep_ratcheting(program, rule);
    }
    let mut planter = Planter { rule, change, seen: 0 };
    for block in &mut program.blocks {
        planter.place(&mut block.rules, &mut block.iterations);
        for field in &mut block.fields {
            planter.place(&mut field.rules, &mut field.iterations);
        }
    }
}

/// Lets rules on updates pass what did not change, as they do when it is skipped: nothing of what another rule does there is
/// the fault of this one.
fn keep_ratcheting(program: &mut Program, rule: RuleId) {
    let fields = program.blocks.iter_mut().flat_map(|block| {
        let fields = block.fields.iter_mut().map(|field| &mut field.rules);
        fields.chain([&mut block.rules]).flatten()
    });
    for call in fields.flat_map(|cohort| cohort.first.iter_mut().chain(&mut cohort.rest)) {
        if let Op::Check { check, rule: of, update_only: true, .. } = &mut call.op
            && *of != Some(rule)
        {
            let passing = Fault::judged_shared("", Arc::clone(check), |sound, at, sink| {
                let unchanged = match (&at.value, &at.old) {
                    (Some(value), Some(old)) => equal(value, old),
                    (value, old) => value.is_none() && old.is_none(),
                };
                if !unchanged {
                    sound.check(at, sink);
                }
            });
            *check = passing.check;
        }
    }
}

struct Planter<'c> {
    rule: RuleId,
    change: &'c Change,
    /// Checks of the rule so far.
    seen: usize,
}

impl Planter<'_> {
    fn place(&mut self, cohorts: &mut [Cohort], iterations: &mut [Call]) {
        let (mut here, of) = (false, self.rule);
        for cohort in &mut *cohorts {
            for call in cohort.first.iter_mut().chain(&mut cohort.rest).filter(|call| holds(call, of)) {
                here = true;
                self.call(call);
            }
            if matches!(self.change, Change::StopsNothing) {
                let first = std::mem::take(&mut cohort.first).into_vec();
                let (moved, kept): (Vec<Call>, Vec<Call>) = first.into_iter().partition(|call| holds(call, self.rule));
                cohort.first = kept.into();
                let rest = std::mem::take(&mut cohort.rest).into_vec();
                cohort.rest = moved.into_iter().chain(rest).collect();
            }
        }
        if here && matches!(self.change, Change::CorrelationOfPlace) {
            let calls = cohorts.iter_mut().flat_map(|cohort| cohort.first.iter_mut().chain(&mut cohort.rest));
            for call in calls.chain(iterations) {
                if let Op::EachItem { correlation, .. } = &mut call.op {
                    *correlation = Correlation::None;
                }
            }
        }
    }

    /// Changes a call that runs a check of the rule.
    fn call(&mut self, call: &mut Call) {
        if matches!(self.change, Change::StopsNothing) {
            call.short_circuit = false;
        }
        if matches!(self.change, Change::OptionIgnored) {
            while let Op::IfOption { inner, .. } = &call.op {
                let inner = inner.as_ref().clone();
                call.level = call.level.or(inner.level);
                call.op = inner.op;
            }
        }
        match &mut call.op {
            Op::Check { check, rule, update_only, judges_nil } => {
                match self.change {
                    Change::Dropped => (*check, *rule) = (Arc::new(Nothing), None),
                    Change::Error(part) => *check = misreported(check, *part),
                    Change::Check { nth, check: faulty } if *nth == self.seen => *check = Arc::clone(faulty),
                    _ => {}
                }
                (*update_only, *judges_nil) = (check.update_only(), check.judges_nil());
                self.seen += 1;
            }
            Op::Block(_) => {}
            Op::EachEntry(inner) | Op::EachKey(inner) | Op::Subfield { inner, .. } => self.call(inner),
            Op::EachItem { correlation, inner, .. } => {
                if let Change::Correlation(other) = self.change {
                    *correlation = other.clone();
                }
                self.call(inner);
            }
            Op::Item { selector, inner, .. } => {
                if matches!(self.change, Change::OtherElement) {
                    *selector = selector.iter().map(|(key, value)| (*key, other(value))).collect();
                }
                self.call(inner);
            }
            Op::IfOption { enabled, inner, .. } => {
                if matches!(self.change, Change::OptionInverted) {
                    *enabled = !*enabled;
                }
                self.call(inner);
            }
            Op::Mode(mode) => self.mode(mode),
        }
    }

    fn mode(&mut self, mode: &mut ModeOp) {
        for call in mode.modes.values_mut().flatten().chain([&mut mode.otherwise]) {
            if holds(call, self.rule) {
                self.call(call);
            }
        }
        match self.change {
            Change::EveryMode => {
                for calls in mode.modes.values_mut() {
                    let before = std::mem::take(calls).into_vec();
                    *calls = before.into_iter().chain([mode.otherwise.clone()]).collect();
                }
            }
            Change::OtherMode => {
                let names: Vec<Arc<str>> = mode.modes.keys().cloned().collect();
                let Some((from, calls)) =
                    mode.modes.iter_mut().find(|(_, calls)| calls.iter().any(|call| holds(call, self.rule)))
                else {
                    return;
                };
                let from = Arc::clone(from);
                let (moved, kept): (Vec<Call>, Vec<Call>) =
                    std::mem::take(calls).into_vec().into_iter().partition(|call| holds(call, self.rule));
                *calls = kept.into();
                let to = match (mode.boolean, from.as_ref()) {
                    (true, "true") => Arc::from("false"),
                    (true, _) => Arc::from("true"),
                    // Without another mode, the one of a discriminator that is unset.
                    (false, _) => names.into_iter().find(|name| *name != from).unwrap_or_default(),
                };
                let calls = mode.modes.entry(to).or_default();
                let before = std::mem::take(calls).into_vec();
                *calls = before.into_iter().chain(moved).collect();
            }
            _ => {}
        }
    }
}

fn other(value: &KeyValue) -> KeyValue {
    match value {
        KeyValue::Text(text) => KeyValue::Text(Arc::from(format!("{text}-other"))),
        KeyValue::Int(value) => KeyValue::Int(value.wrapping_add(1)),
        KeyValue::Bool(value) => KeyValue::Bool(!*value),
    }
}

/// A check whose errors are wrong in one part.
fn misreported(sound: &Arc<dyn Check>, part: Part) -> Arc<dyn Check> {
    let fault = Fault::judged_shared("", Arc::clone(sound), move |sound, at, sink| {
        let from = sink.len();
        sound.check(at, sink);
        for error in sink.since_mut(from) {
            misreport(error, part);
        }
    });
    fault.check
}

fn misreport(error: &mut FieldError, part: Part) {
    match part {
        Part::Type if error.error_type == ErrorType::Invalid => error.error_type = ErrorType::Forbidden,
        Part::Type => error.error_type = ErrorType::Invalid,
        Part::Origin => error.origin = "wrong".into(),
        Part::Path => {
            error.field = match error.field.rfind(['.', '[']) {
                Some(end) => error.field.get(..end).unwrap_or_default().to_owned(),
                None if error.field == Path::ROOT.to_string() => "wrong".to_owned(),
                None => Path::ROOT.to_string(),
            }
        }
    }
}
