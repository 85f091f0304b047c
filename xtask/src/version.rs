//! What `--version` says.

use std::sync::LazyLock;
use takeover_harness::compare::Semantics;
use takeover_oracles::registry::RELEASE;

/// Version and commit, in a line.
pub const VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), " (", env!("TAKEOVER_COMMIT"), ")");

static LONG: LazyLock<String> = LazyLock::new(|| {
    let semantics = [Semantics::V1_35, Semantics::V1_36, Semantics::V1_37].map(|semantics| semantics.to_string());
    format!(
        "{VERSION}\nKubernetes types: {RELEASE}\nsemantics of the comparison: {} (default {})",
        semantics.join(", "),
        Semantics::default(),
    )
});

/// Also the release of the built-in types, and the releases whose comparison is known.
pub fn long() -> &'static str {
    &LONG
}
