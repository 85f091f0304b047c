//! Every fault planted in server-side apply, in a whole comparison with the sound engine.

use super::Tally;
use super::planted::{Planted, compare, survivors};
use takeover_harness::compare::Comparator;
use takeover_harness::control::{Control, Controls};
use takeover_harness::oracle::Oracle;
use takeover_harness::pair::Pair;
use takeover_harness::subject::SubjectId;
use takeover_oracles::apply;
use takeover_oracles::registry::Registry;

/// The engine of server-side apply for one kind, with what is planted in it.
pub struct OfApply<'r> {
    registry: &'r Registry,
    id: SubjectId,
    planted: apply::Planted,
}

impl<'r> OfApply<'r> {
    /// The faults that objects of a kind can show.
    ///
    /// # Errors
    /// When the kind cannot be applied.
    pub fn of(registry: &'r Registry, id: &SubjectId) -> anyhow::Result<Self> {
        let planted = registry.planted_in_apply(id);
        let planted = planted.ok_or_else(|| anyhow::anyhow!("objects of {id} cannot be applied"))?;
        Ok(Self { registry, id: id.clone(), planted })
    }

    /// Compares over `cases` generated cases: the engine with itself, and each faulty one on the first case that shows its fault.
    ///
    /// # Errors
    /// When no pair of the kind can be made.
    pub fn run(&self, cases: u64, seed: u64) -> anyhow::Result<Tally> {
        let telling = self.controls().catalogue().len() as u64;
        let mut tally = Tally { telling, ..Tally::default() };
        let mut exposure = self.controls().exposure();
        compare(self, (&self.pair()?, self.pair()?), (cases, seed), &mut exposure, &mut tally);
        survivors(self, &exposure, &mut tally);
        Ok(tally)
    }

    /// The sound engine on both sides.
    fn pair(&self) -> anyhow::Result<Pair> {
        let pair = self.registry.apply_pair(&self.id)?;
        let pair = pair.ok_or_else(|| anyhow::anyhow!("objects of {} cannot be applied", self.id))?;
        let comparator = Comparator::Fields { origin: true };
        Ok(Pair { reference: self.planted.engine(None), candidate: self.planted.engine(None), comparator, ..pair })
    }
}

impl Planted for OfApply<'_> {
    fn controls(&self) -> &dyn Controls {
        self.planted.controls()
    }

    fn faulty(&self, index: usize) -> Option<(Box<dyn Oracle>, bool)> {
        Some((self.planted.engine(Some(index)), false))
    }

    fn named(&self, fault: &Control) -> String {
        format!("{}#{}: {}", self.id, apply::NAME, fault.name)
    }
}
