//! Planted faults: checks that are wrong in one way that somebody could make writing them.

use super::check::{At, Check, Emission, Sink};
use std::fmt;
use std::sync::Arc;
use takeover_harness::rule::Boundary;

/// A check with a fault in it.
#[derive(Clone, Debug)]
pub(crate) struct Fault {
    /// Name among the faults of the check.
    pub(crate) name: String,
    /// The check as it should not be.
    pub(crate) check: Arc<dyn Check>,
}

impl Fault {
    /// The same check with other parameters.
    pub(crate) fn changed(name: impl Into<String>, check: impl Check + 'static) -> Self {
        Self { name: name.into(), check: Arc::new(check) }
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
        Self { name: name.into(), check: Arc::new(Judged { sound, judge: Box::new(judge) }) }
    }
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
