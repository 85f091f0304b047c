//! `cargo xtask bench-baseline`: started by `bench --shadow`, never by hand.

use crate::exit_code::Exit;
use clap::Args;
use std::path::PathBuf;
use takeover_shadow::certificate::Certificate;
use takeover_shadow::load::Baseline as Server;

/// Allows every review, and neither counts nor compares: what `bench --shadow` holds a server against.
#[derive(Args)]
pub struct Baseline {
    /// Certificate, PEM.
    #[arg(long)]
    certificate: PathBuf,
    /// Key, PEM.
    #[arg(long)]
    key: PathBuf,
    /// The process that started this one.
    #[arg(long)]
    parent: i32,
}

impl Baseline {
    /// Serves until the process that started it ends it, or ends.
    ///
    /// # Errors
    /// When it cannot listen, or was started by hand.
    pub fn run(self) -> anyhow::Result<Exit> {
        takeover_engine::parent::end_with(self.parent)?;
        let server = Server::start(([127, 0, 0, 1], 0).into(), Certificate::read(&self.certificate, &self.key)?)?;
        crate::shadow::log_lines();
        tracing::info!(webhook = %server.webhook(), "listening");
        loop {
            std::thread::park();
        }
    }
}
