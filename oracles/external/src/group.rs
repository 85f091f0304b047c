//! Programs that end together with whatever they started.

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};
use std::io;
use std::os::unix::process::CommandExt as _;
use std::process::{Child, Command, ExitStatus};
use std::thread;
use std::time::{Duration, Instant};

/// How long to wait for what was killed with a program.
const REAPING: Duration = Duration::from_millis(200);

/// How long to wait before looking again.
const PAUSE: Duration = Duration::from_millis(1);

/// A program that was started in a process group of its own. Dropped, the group is killed.
#[derive(Debug)]
pub(crate) struct Group {
    /// The program; its id is the group's.
    child: Child,
    /// Whether the group has been killed, and the program was waited for.
    ended: bool,
}

impl Group {
    /// Starts a program. Ctrl-C does not reach it.
    ///
    /// # Errors
    /// Why it cannot be started.
    pub(crate) fn start(command: &mut Command) -> io::Result<Self> {
        Ok(Self { child: command.process_group(0).spawn()?, ended: false })
    }

    /// The program, to take its standard streams.
    pub(crate) fn child(&mut self) -> &mut Child {
        &mut self.child
    }

    /// The id of the program, and of the group.
    pub(crate) fn id(&self) -> Pid {
        Pid::from_child(&self.child)
    }

    /// Whether the program has ended; it is not reaped by that, so that its group remains its own.
    pub(crate) fn has_ended(&self) -> bool {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        self.ended || matches!(waitid(WaitId::Pid(self.id()), options), Ok(Some(_)))
    }

    /// Kills what is left of the group. Returns how the program ended; none when that was returned before.
    ///
    /// # Errors
    /// Why it cannot be waited for.
    pub(crate) fn end(&mut self) -> io::Result<Option<ExitStatus>> {
        if self.ended {
            return Ok(None);
        }
        // INVARIANT: the program is not reaped before its group is killed, or the group could be another one by then.
        let _ = kill_process_group(self.id(), Signal::KILL);
        self.ended = true;
        let status = self.child.wait()?;
        self.reap_others();
        Ok(Some(status))
    }

    /// Reaps what the program started and left behind: the first process of a container inherits it, and nobody else reaps it. Anywhere
    /// else, there is nothing to reap. Does not wait long: what may not be killed goes on.
    fn reap_others(&self) {
        let until = Instant::now() + REAPING;
        let group = WaitId::Pgid(Some(self.id()));
        while let Ok(ended) = waitid(group.clone(), WaitIdOptions::EXITED | WaitIdOptions::NOHANG) {
            if ended.is_none() {
                if Instant::now() >= until {
                    return;
                }
                thread::sleep(PAUSE);
            }
        }
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        let _ = self.end();
    }
}
