//! The program `takeover`, which is all in the library beside it.

use std::process::ExitCode;

/// Decoding and typed views allocate many small values; mimalloc halves what that costs.
#[cfg(feature = "whole")]
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    takeover_xtask::run()
}
