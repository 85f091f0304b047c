//! Processes that end with the one that started them.

use crate::stop::GIVE_UP;
use rustix::process::getppid;

/// Ends this process as soon as its parent does, which is the process `parent`.
///
/// # Errors
/// Returns an error when the system refuses, or that one is gone already.
pub fn end_with(parent: i32) -> anyhow::Result<()> {
    watch(parent)?;
    anyhow::ensure!(is(parent), "the process that started this one has ended");
    Ok(())
}

fn is(parent: i32) -> bool {
    getppid().is_some_and(|now| now.as_raw_nonzero().get() == parent)
}

#[cfg(target_os = "linux")]
fn watch(_: i32) -> anyhow::Result<()> {
    Ok(rustix::process::set_parent_process_death_signal(Some(GIVE_UP))?)
}

/// Elsewhere no signal tells of it: the parent is looked at twice a second.
#[cfg(not(target_os = "linux"))]
fn watch(parent: i32) -> anyhow::Result<()> {
    use rustix::process::{getpid, kill_process};
    use std::time::Duration;
    let look = move || {
        while is(parent) {
            std::thread::sleep(Duration::from_millis(500));
        }
        let _ = kill_process(getpid(), GIVE_UP);
    };
    std::thread::Builder::new().name("parent".to_owned()).spawn(look)?;
    Ok(())
}
