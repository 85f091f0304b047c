//! The faults that are planted, and which cases expose them.

use super::fault::Fault;
use super::laws::{Laws, number, origin};
use std::collections::BTreeSet;
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
        let fitting = Fault::ALL.into_iter().filter(|fault| fault.fits(laws.kind()));
        let planted: Vec<_> = fitting.map(|fault| (fault, fault.merging(sound))).collect();
        let control = |(fault, _): &(Fault, Option<Schema>)| {
            let (law, name) = fault.described();
            Control { rule: number(law), side: Side::Candidate, name: name.to_owned(), equivalent: None }
        };
        Self { catalogue: planted.iter().map(control).collect(), planted, laws }
    }
}

impl Controls for Faults {
    fn catalogue(&self) -> &[Control] {
        &self.catalogue
    }

    fn exposure(&self) -> Exposure {
        Exposure::new(self.planted.len(), self.planted.len())
    }

    fn judge(&self, question: &Question<'_>, _: &View, found: &Answer, exposure: &mut Exposure) {
        let sound: BTreeSet<(&str, &str)> =
            found.errors.iter().map(|error| (error.field.as_str(), &*error.origin)).collect();
        exposure.watch(|at, exposed| {
            let Some(planted) = self.planted.get(at) else { return false };
            let faulty = self.laws.hold(question, Some(planted)).breaches;
            let is_exposed = faulty.iter().any(|breach| !sound.contains(&(breach.field.as_str(), origin(breach.law))));
            if is_exposed {
                exposed.insert(at);
            }
            !is_exposed
        });
    }
}

#[cfg(test)]
mod tests;
