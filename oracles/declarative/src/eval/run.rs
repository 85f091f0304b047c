//! Walks an object along a program: cohorts, short circuits, ratcheting, correlation of old values.

use super::check::{At, Sink};
use super::program::{
    Block, BlockId, Call, Cohort, Correlation, FieldName, FieldPlan, Key, KeyValue, ModeOp, Op, Program, Selector,
};
use takeover_harness::error::{BadValue, ErrorType, FieldError};
use takeover_harness::object::{Node, equal};
use takeover_harness::path::Path;
use takeover_harness::schema::Slot;

/// A nil struct pointer that Go would dereference: a panic there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NilPointer;

/// Whether a place goes on after its rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Flow {
    Continue,
    Stop,
}

/// One evaluation of a program.
#[derive(Clone, Copy)]
pub(crate) struct Run<'r> {
    /// What to run.
    pub(crate) program: &'r Program,
    /// Whether what an update leaves as it was is skipped; on updates alone.
    pub(crate) ratchets: bool,
}

impl Run<'_> {
    /// Validates the object at `at` as the root of the program.
    ///
    /// # Errors
    /// When Go would dereference a nil pointer.
    pub(crate) fn root(&self, at: &At<'_>, sink: &mut Sink<'_>) -> Result<(), NilPointer> {
        self.block(BlockId(0), at, sink)
    }

    fn block(&self, id: BlockId, at: &At<'_>, sink: &mut Sink<'_>) -> Result<(), NilPointer> {
        let Some(Block { rules, iterations, fields }) = self.program.blocks.get(id.0 as usize) else { return Ok(()) };
        if self.rules(rules, at, sink)? == Flow::Stop {
            return Ok(());
        }
        for call in iterations {
            self.call(call, at, sink)?;
        }
        if fields.is_empty() {
            return Ok(());
        }
        let Some(parent) = &at.value else { return Err(NilPointer) };
        for field in fields {
            self.field(field, at, parent, sink)?;
        }
        Ok(())
    }

    fn field(
        &self,
        plan: &FieldPlan,
        above: &At<'_>,
        parent: &Node<'_>,
        sink: &mut Sink<'_>,
    ) -> Result<(), NilPointer> {
        let node = parent.field(plan.slot);
        let old = above.old.map(|old| old.field(plan.slot));
        if plan.ratchets && self.skips(&node, old.as_ref()) {
            return Ok(());
        }
        let child;
        let path = match &plan.name {
            FieldName::Named(name) => {
                child = above.path.child(name);
                &child
            }
            FieldName::Inlined(name) if above.path.is_root() => {
                child = above.path.child(name);
                &child
            }
            FieldName::Inlined(_) => above.path,
        };
        let at =
            At { path, value: view(plan.pointer, node), old: old.and_then(|old| view(plan.pointer, old)), ..*above };
        if self.rules(&plan.rules, &at, sink)? == Flow::Stop {
            return Ok(());
        }
        if let Some(block) = plan.block {
            self.block(block, &at, sink)?;
        }
        for call in &plan.iterations {
            self.call(call, &at, sink)?;
        }
        Ok(())
    }

    fn rules(&self, cohorts: &[Cohort], at: &At<'_>, sink: &mut Sink<'_>) -> Result<Flow, NilPointer> {
        for cohort in cohorts {
            let mut stop = false;
            for call in &cohort.first {
                let (from, failures) = (sink.len(), sink.failures());
                self.call(call, at, sink)?;
                if sink.failures() > failures {
                    stop = true;
                    sink.mark_short_circuit(from);
                }
            }
            if stop {
                if cohort.default {
                    return Ok(Flow::Stop);
                }
                continue;
            }
            for call in &cohort.rest {
                self.call(call, at, sink)?;
            }
        }
        Ok(Flow::Continue)
    }

    fn call(&self, call: &Call, at: &At<'_>, sink: &mut Sink<'_>) -> Result<(), NilPointer> {
        if call.silent {
            let before = sink.set_silent(true);
            let result = self.op(&call.op, at, sink);
            sink.set_silent(before);
            return result;
        }
        let from = sink.len();
        self.op(&call.op, at, sink)?;
        if let Some(level) = call.level {
            sink.mark_level(from, level);
        }
        Ok(())
    }

    #[inline(always)]
    fn op(&self, op: &Op, at: &At<'_>, sink: &mut Sink<'_>) -> Result<(), NilPointer> {
        match op {
            // Most rules are checks.
            Op::Check { check, rule, update_only, judges_nil } => {
                if (*update_only && !at.is_update()) || (at.value.is_none() && !judges_nil) {
                    return Ok(());
                }
                let from = sink.len();
                check.check(at, sink);
                if let Some(rule) = rule {
                    sink.reach(*rule);
                    sink.attribute(from, *rule);
                }
                Ok(())
            }
            Op::Block(id) => self.block(*id, at, sink),
            Op::EachItem { correlation, pointers, inner } => self.each_item(correlation, *pointers, inner, at, sink),
            Op::EachEntry(inner) => self.each_entry(inner, at, sink),
            Op::EachKey(inner) => self.each_key(inner, at, sink),
            Op::Subfield { slot, pointer, name, inner } => self.subfield(*slot, *pointer, name, inner, at, sink),
            Op::Item { selector, pointers, inner } => self.item(selector, *pointers, inner, at, sink),
            Op::IfOption { option, enabled, inner } => self.if_option(option, *enabled, inner, at, sink),
            Op::Mode(mode) => self.mode(mode, at, sink),
        }
    }

    fn each_item(
        &self,
        correlation: &Correlation,
        pointers: bool,
        inner: &Call,
        at: &At<'_>,
        sink: &mut Sink<'_>,
    ) -> Result<(), NilPointer> {
        let old_items = at.old.map_or(&[][..], |old| old.items());
        for (index, item) in at.value.map_or(&[][..], |value| value.items()).iter().enumerate() {
            let Some(item) = view(pointers, *item) else { continue };
            let old = correlated(correlation, pointers, old_items, &item);
            // What was found because it is equal need not be compared once more.
            let is_equal = matches!(correlation, Correlation::Equal) && old.is_some();
            if (self.ratchets && is_equal) || self.skips(&item, old.as_ref()) {
                continue;
            }
            self.call(inner, &At { path: &at.path.index(index), value: Some(item), old, ..*at }, sink)?;
        }
        Ok(())
    }

    fn each_entry(&self, inner: &Call, at: &At<'_>, sink: &mut Sink<'_>) -> Result<(), NilPointer> {
        for (key, node) in at.value.map_or(&[][..], |value| value.entries()) {
            let old = at.old.and_then(|old| old.entry(key));
            if self.skips(node, old.as_ref()) {
                continue;
            }
            self.call(inner, &At { path: &at.path.key(key), value: Some(*node), old, ..*at }, sink)?;
        }
        Ok(())
    }

    fn each_key(&self, inner: &Call, at: &At<'_>, sink: &mut Sink<'_>) -> Result<(), NilPointer> {
        for (key, _) in at.value.map_or(&[][..], |value| value.entries()) {
            if self.ratchets && at.old.is_some_and(|old| old.entry(key).is_some()) {
                continue;
            }
            self.call(inner, &At { value: Some(Node::Text(key)), old: None, ..*at }, sink)?;
        }
        Ok(())
    }

    fn subfield(
        &self,
        slot: Slot,
        pointer: bool,
        name: &str,
        inner: &Call,
        at: &At<'_>,
        sink: &mut Sink<'_>,
    ) -> Result<(), NilPointer> {
        let node = at.value.ok_or(NilPointer)?.field(slot);
        let old = at.old.map(|old| old.field(slot));
        if self.skips(&node, old.as_ref()) {
            return Ok(());
        }
        let (value, old) = (view(pointer, node), old.and_then(|old| view(pointer, old)));
        self.call(inner, &At { path: &at.path.child(name), value, old, ..*at }, sink)
    }

    fn item(
        &self,
        selector: &Selector,
        pointers: bool,
        inner: &Call,
        at: &At<'_>,
        sink: &mut Sink<'_>,
    ) -> Result<(), NilPointer> {
        let is_it = |item: &Node<'_>| view(pointers, *item).is_some_and(|item| selects(selector, &item));
        let mut items = at.value.map_or(&[][..], |value| value.items()).iter().copied().enumerate();
        let Some((index, item)) = items.find(|(_, item)| is_it(item)) else { return Ok(()) };
        let old = at.old.map_or(&[][..], |old| old.items()).iter().copied().find(is_it);
        if self.skips(&item, old.as_ref()) {
            return Ok(());
        }
        self.call(inner, &At { path: &at.path.index(index), value: Some(item), old, ..*at }, sink)
    }

    fn if_option(
        &self,
        option: &str,
        enabled: bool,
        inner: &Call,
        at: &At<'_>,
        sink: &mut Sink<'_>,
    ) -> Result<(), NilPointer> {
        match at.options.get(option) {
            Some(on) if on == enabled => self.call(inner, at, sink),
            Some(_) => Ok(()),
            None => {
                sink.report(|| undefined_option(at.path, option));
                Ok(())
            }
        }
    }

    /// Whether a value is skipped, because an update leaves it as it was.
    #[inline]
    fn skips(&self, node: &Node<'_>, old: Option<&Node<'_>>) -> bool {
        self.ratchets && old.is_some_and(|old| equal(node, old))
    }

    fn mode(&self, mode: &ModeOp, above: &At<'_>, sink: &mut Sink<'_>) -> Result<(), NilPointer> {
        let (parent, old_parent) = (above.value.ok_or(NilPointer)?, above.old);
        let (node, discriminator) = (parent.field(mode.slot), parent.field(mode.discriminator));
        let old = old_parent.map(|old| old.field(mode.slot));
        if self.ratchets
            && let (Some(old), Some(old_parent)) = (&old, old_parent)
            && equal(&discriminator, &old_parent.field(mode.discriminator))
            && equal(&node, old)
        {
            return Ok(());
        }
        let path = above.path.child(&mode.name);
        let (value, old) = (view(mode.pointer, node), old.and_then(|old| view(mode.pointer, old)));
        let at = At { path: &path, value, old, ..*above };
        let name = match (mode.boolean, discriminator.bool()) {
            (false, _) => discriminator.text(),
            (true, true) => "true",
            (true, false) => "false",
        };
        let Some(rules) = mode.modes.get(name) else { return self.call(&mode.otherwise, &at, sink) };
        let last = rules.iter().rposition(|rule| rule.short_circuit);
        let mut stop = false;
        for (index, rule) in rules.iter().enumerate() {
            let (from, failures) = (sink.len(), sink.failures());
            self.call(rule, &at, sink)?;
            if rule.short_circuit && sink.failures() > failures {
                stop = true;
                if mode.marks_stops {
                    sink.mark_short_circuit(from);
                }
            }
            if stop && Some(index) == last {
                break;
            }
        }
        Ok(())
    }
}

/// A value in nilable form.
fn view(pointer: bool, node: Node<'_>) -> Option<Node<'_>> {
    if pointer && node.is_unset() { None } else { Some(node) }
}

/// The element of the old list that stands for `item`.
fn correlated<'a>(correlation: &Correlation, pointers: bool, old: &[Node<'a>], item: &Node<'_>) -> Option<Node<'a>> {
    let mut old = old.iter().filter_map(|node| view(pointers, *node));
    match correlation {
        Correlation::None => None,
        Correlation::Equal => old.find(|old| equal(old, item)),
        Correlation::Keys(keys) => old.find(|old| same_keys(keys, old, item)),
    }
}

/// Whether two list elements have equal keys.
pub(crate) fn same_keys(keys: &[Key], a: &Node<'_>, b: &Node<'_>) -> bool {
    keys.iter().all(|key| equal(&a.field(key.slot), &b.field(key.slot)))
}

/// Whether a list element has the keys of a selector.
#[inline]
pub(crate) fn selects(selector: &[(Key, KeyValue)], item: &Node<'_>) -> bool {
    selector.iter().all(|(key, wanted)| {
        let node = item.field(key.slot);
        if key.pointer && node.is_unset() {
            return false;
        }
        match wanted {
            KeyValue::Text(text) => node.text() == text.as_ref(),
            KeyValue::Int(value) => super::check::integer(&node) == i128::from(*value),
            KeyValue::Bool(value) => node.bool() == *value,
        }
    })
}

/// A rule named an option that the request does not know.
pub(crate) fn undefined_option(path: &Path<'_>, option: &str) -> FieldError {
    FieldError::new(
        ErrorType::Internal,
        path,
        BadValue::Null,
        format!("undefined validation option {}", quoted(option)),
    )
}

/// A text as Go's `%q` prints it.
pub(crate) fn quoted(text: &str) -> String {
    BadValue::from(text).to_string()
}
