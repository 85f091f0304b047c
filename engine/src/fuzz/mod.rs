//! Fuzzing: the targets of `harness/fuzz`, driven by libFuzzer or, where that cannot be built, by mutations of the seeds.

// There, it is a library; here, nothing is outside.
#[expect(clippy::expect_used, clippy::panic, reason = "checks stop at the first surprise")]
#[expect(unreachable_pub, reason = "what the library shows, the engine uses alone")]
#[path = "../../../harness/fuzz/src/lib.rs"]
mod checks;
mod described;
mod finds;
mod folder;
mod known;
mod libfuzzer;
mod mutate;
mod plan;
#[cfg(test)]
mod replay;
mod run;
mod stable;

pub use checks::Target;
pub use described::run_described;
pub use plan::{Coverage, Driver, FuzzPlan, Fuzzed};
pub use run::run;
