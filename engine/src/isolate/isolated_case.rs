//! What comes of a case that is judged in a worker process.

use takeover_harness::evidence::Evidence;

/// Why a large case is not compared: it is counted as skipped under this.
pub const TOO_LARGE: &str = "too large: its oracles did not answer in time, or took too much memory";

/// A case that was judged.
pub struct IsolatedCase {
    /// The result; an oracle that ended its process counts as panicked.
    pub evidence: Evidence,
    /// How many processes its oracles ended: one that ended counts once, one that hung several times. None for a large object, which is no
    /// fault of an oracle.
    pub cost: u32,
    /// Whether it was not compared because its size cost too much time or memory. The evidence counts it as skipped.
    pub too_large: bool,
}
