//! Whoever judges in other processes, which oracles may end.

use takeover_harness::case::Case;
use takeover_harness::evidence::{Evidence, Place};

/// Judges cases in processes of their own.
pub trait Elsewhere: Send + Sync {
    /// The evidence of a case of the subject with this index. Waits for as long as its oracles may take.
    ///
    /// # Errors
    /// Why no process can judge it.
    fn judge(&self, subject: usize, place: Place, case: &Case) -> Result<Judged, String>;
}

/// A case that was judged.
pub struct Judged {
    /// What came of it; of an oracle that ended its process, a panic.
    pub evidence: Evidence,
    /// What processes it cost: one that ended counts once, one that hung several times.
    pub cost: u32,
}
