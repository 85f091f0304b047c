//! What an API server does to an object before it validates it: unknown members are pruned, nulls that mean nothing are removed, and
//! defaults are set.

mod defaults;
mod nulls;
mod prune;

pub use defaults::set_defaults;
pub use nulls::drop_nulls;
pub use prune::prune;

use crate::structural::Structural;
use serde_json::Value;

/// Does all three to a whole object, in the order of a server. Returns the paths of the members that were pruned, sorted.
pub fn coerce(structural: &Structural, object: &mut Value) -> Vec<String> {
    let pruned = prune(structural, object);
    drop_nulls(structural, object);
    set_defaults(structural, object);
    pruned
}
