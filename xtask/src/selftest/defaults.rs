//! Every fault planted in what a server sets in objects, in a whole comparison with sound defaulting.

use super::Tally;
use super::planted::{Planted, compare, survivors};
use takeover_custom_resources::CustomKind;
use takeover_engine::catalogue::crd_defaults;
use takeover_harness::control::{Control, Controls};
use takeover_harness::oracle::Oracle;
use takeover_harness::subject::{PairId, SubjectId};
use takeover_oracles::defaults;
use takeover_oracles::registry::Registry;

/// What a server sets in objects of one kind, with what is planted in it.
pub struct OfDefaults {
    id: PairId,
    planted: defaults::Planted,
}

impl OfDefaults {
    /// The faults that objects of a built-in kind can show.
    ///
    /// # Errors
    /// When nothing sets defaults in objects of the kind.
    pub fn of(registry: &Registry, id: &SubjectId) -> anyhow::Result<Self> {
        let planted = registry.planted_in_defaults(id);
        let planted = planted.ok_or_else(|| anyhow::anyhow!("nothing sets defaults in objects of {id}"))?;
        let id = PairId::named(id.clone(), defaults::NAME)?;
        Ok(Self { id, planted })
    }

    /// The faults that objects of a CRD can show; `None` where its schema sets no defaults.
    ///
    /// # Errors
    /// When a pair cannot have the name.
    pub fn of_crd(kind: &CustomKind) -> anyhow::Result<Option<Self>> {
        let Some(planted) = defaults::Planted::of(&kind.schema, kind.root, crd_defaults(kind)) else { return Ok(None) };
        Ok(Some(Self { id: PairId::named(kind.subject(), defaults::NAME)?, planted }))
    }

    /// Compares over `cases` generated cases: sound defaulting with itself, and each faulty one on the first case that shows its fault.
    #[must_use]
    pub fn run(&self, cases: u64, seed: u64) -> Tally {
        let telling = self.controls().catalogue().len() as u64;
        let mut tally = Tally { telling, ..Tally::default() };
        let mut exposure = self.controls().exposure();
        let pair = || self.planted.pair(self.id.clone());
        compare(self, (&pair(), pair()), (cases, seed), &mut exposure, &mut tally);
        survivors(self, &exposure, &mut tally);
        tally
    }
}

impl Planted for OfDefaults {
    fn controls(&self) -> &dyn Controls {
        self.planted.controls()
    }

    fn faulty(&self, index: usize) -> Option<(Box<dyn Oracle>, bool)> {
        Some((self.planted.engine(Some(index)), false))
    }

    fn named(&self, fault: &Control) -> String {
        format!("{} {}", self.id, fault.name)
    }
}
