//! `cargo xtask worker`: started by other commands, never by hand.

use crate::exit_code::Exit;
use clap::Args;
use takeover_engine::isolate;

/// Judges what the run at the other end of standard input asks for.
#[derive(Args)]
pub struct Worker {}

impl Worker {
    /// Serves until the run hangs up.
    ///
    /// # Errors
    /// When standard input is no run.
    pub fn run(self) -> anyhow::Result<Exit> {
        isolate::serve()?;
        Ok(Exit::Ready)
    }
}
