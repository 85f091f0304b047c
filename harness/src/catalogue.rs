//! Catalogues: where pairs come from.

use crate::pair::Pair;
use crate::subject::PairId;

/// Pairs by name: those that are built in, or those that somebody configured.
pub trait Catalogue: Send + Sync {
    /// Why a pair cannot be made.
    type Error: std::error::Error + Send + Sync + 'static;

    /// The names of the pairs, in the order in which a run takes them.
    fn ids(&self) -> Vec<PairId>;

    /// Makes the pair of this name.
    ///
    /// # Errors
    /// Returns an error when there is none, or its oracles cannot be made.
    fn pair(&self, id: &PairId) -> Result<Pair, Self::Error>;
}
