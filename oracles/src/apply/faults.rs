//! The faults that are planted, and which cases expose them.

use super::breach::{Breach, number};
use super::fault::Fault;
use super::fitting::fits;
use super::laws::{Laws, Recorded};
use std::sync::Arc;
use takeover_apply::managed::ObjectType as _;
use takeover_apply::schema::Schema;
use takeover_harness::control::{Control, Controls, Exposure};
use takeover_harness::oracle::{Answer, Question, View};
use takeover_harness::side::Side;

/// The faults that objects of a kind can show.
pub(super) struct Faults {
    laws: Arc<Laws>,
    catalogue: Vec<Control>,
    /// Each with its own merge rules, if the fault changes them.
    planted: Vec<(Fault, Option<Schema>)>,
}

impl Faults {
    pub(super) fn new(laws: Arc<Laws>) -> Self {
        let (sound, _) = laws.kind().schema();
        let fitting = Fault::ALL.into_iter().filter(|fault| fits(*fault, laws.kind()));
        let planted: Vec<_> = fitting.map(|fault| (fault, fault.merging(sound))).collect();
        let control = |(fault, _): &(Fault, Option<Schema>)| {
            let (law, name) = fault.described();
            Control { rule: number(law), side: Side::Candidate, name: name.to_owned(), equivalent: None }
        };
        Self { catalogue: planted.iter().map(control).collect(), planted, laws }
    }
}

impl Faults {
    /// What the engine with a fault breaks first of a request that the sound one does not break.
    pub(super) fn broken_by(&self, at: usize, question: &Question<'_>, recorded: &Recorded) -> Option<Breach> {
        self.laws.broken_by(question, self.planted.get(at)?, recorded)
    }
}

impl Controls for Faults {
    fn catalogue(&self) -> &[Control] {
        &self.catalogue
    }

    fn exposure(&self) -> Exposure {
        Exposure::new(self.planted.len(), self.planted.len())
    }

    fn judge(&self, question: &Question<'_>, _: &View<'_>, _: &Answer, exposure: &mut Exposure) {
        let recorded = self.laws.recorded(question);
        exposure.watch(|at, exposed| {
            let is_exposed = self.broken_by(at, question, &recorded).is_some();
            if is_exposed {
                exposed.insert(at);
            }
            !is_exposed
        });
    }
}

#[cfg(test)]
mod tests;
