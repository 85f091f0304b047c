//! Planted faults: checks that are wrong in one way that somebody could make writing them.

use super::check::{At, Check, Emission, Fault, ShownBy, Sink};
use std::fmt;
use std::sync::Arc;
use takeover_harness::object::{Node, equal};
use takeover_harness::rule::Boundary;

impl Fault {
    /// The same check with other parameters.
    pub(crate) fn changed(name: impl Into<String>, check: impl Check + 'static) -> Self {
        Self::new(name, Arc::new(check))
    }

    /// The check `sound`, judged by a function that may ask it.
    pub(crate) fn judged(
        name: impl Into<String>,
        sound: impl Check + 'static,
        judge: impl Fn(&dyn Check, &At<'_>, &mut Sink<'_>) + Send + Sync + 'static,
    ) -> Self {
        Self::judged_shared(name, Arc::new(sound), judge)
    }

    /// [`Fault::judged`] for a check that is shared.
    pub(crate) fn judged_shared(
        name: impl Into<String>,
        sound: Arc<dyn Check>,
        judge: impl Fn(&dyn Check, &At<'_>, &mut Sink<'_>) + Send + Sync + 'static,
    ) -> Self {
        Self::new(name, Arc::new(Judged { sound, judge: Box::new(judge) }))
    }

    fn new(name: impl Into<String>, check: Arc<dyn Check>) -> Self {
        Self { name: name.into(), check, equivalent: None, shown_by: ShownBy::Any }
    }

    /// The check `sound` on a list, which passes what only has another order than before.
    pub(crate) fn unordered(sound: impl Check + 'static) -> Self {
        let fault = Self::judged("takes another order for no change", sound, |sound, at, sink| {
            if !is_reordered(at) {
                sound.check(at, sink);
            }
        });
        Self { shown_by: ShownBy::Modified, ..fault }
    }

    /// Says why no value shows the fault, if `equivalent`.
    pub(crate) fn equivalent_if(mut self, equivalent: bool, reason: &'static str) -> Self {
        self.equivalent = equivalent.then_some(reason);
        self
    }

    /// Says that an unset value is all that shows the fault, if `only`.
    pub(crate) fn on_unset_if(mut self, only: bool) -> Self {
        if only {
            self.shown_by = ShownBy::Unset;
        }
        self
    }

    /// Says that only values of this class of the check show the fault.
    pub(crate) fn on_class(mut self, class: &'static str) -> Self {
        self.shown_by = ShownBy::Class(class);
        self
    }

    /// Says that only a value with an old value shows the fault.
    pub(crate) fn with_old(mut self) -> Self {
        self.shown_by = ShownBy::WithOld;
        self
    }
}

/// Whether a list has the elements of the old list, each as often, in any order.
fn is_reordered(at: &At<'_>) -> bool {
    let (Some(Node::List(items)), Some(Node::List(old))) = (&at.value, &at.old) else { return false };
    let mut rest: Vec<&Node<'_>> = old.iter().collect();
    let found = |item| {
        let place = rest.iter().position(|old| equal(old, item))?;
        Some(rest.swap_remove(place))
    };
    items.len() == old.len() && items.iter().map(found).all(|old| old.is_some())
}

type Judge = dyn Fn(&dyn Check, &At<'_>, &mut Sink<'_>) + Send + Sync;

/// A check in all but its judgement.
struct Judged {
    sound: Arc<dyn Check>,
    judge: Box<Judge>,
}

impl fmt::Debug for Judged {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Judged").field("sound", &self.sound).finish_non_exhaustive()
    }
}

impl Check for Judged {
    fn check(&self, at: &At<'_>, sink: &mut Sink<'_>) {
        (self.judge)(self.sound.as_ref(), at, sink);
    }

    fn reports(&self) -> Vec<Emission> {
        self.sound.reports()
    }

    fn update_only(&self) -> bool {
        self.sound.update_only()
    }

    fn judges_nil(&self) -> bool {
        self.sound.judges_nil()
    }

    fn has_parameters(&self) -> bool {
        self.sound.has_parameters()
    }

    fn boundaries(&self) -> Vec<Boundary> {
        self.sound.boundaries()
    }
}

/// Finds nothing, whatever the value.
#[derive(Debug)]
pub(crate) struct Nothing;

impl Check for Nothing {
    fn check(&self, _: &At<'_>, _: &mut Sink<'_>) {}

    fn reports(&self) -> Vec<Emission> {
        Vec::new()
    }
}
