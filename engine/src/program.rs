//! How people call this program, for messages that name a command.

/// `cargo xtask` as a task of the repository, or `takeover` where it is installed.
#[must_use]
pub fn program_name() -> &'static str {
    // Cargo says so to what it runs.
    if std::env::var_os("CARGO").is_some() { "cargo xtask" } else { "takeover" }
}
