//! A server in a process of its own, and what the system says of it.

use anyhow::Context as _;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::{BufRead as _, BufReader};
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// How often memory is looked at.
const EVERY: Duration = Duration::from_secs(1);

/// How long a server may take to end.
const PATIENCE: Duration = Duration::from_secs(60);

/// Length of a tick in which the system counts processor time: Linux tells programs of hundredths of a second everywhere.
const TICK_MICROS: f64 = 10_000.0;

/// A server in a process of its own; killed when dropped.
pub struct Child {
    child: std::process::Child,
    webhook: SocketAddr,
    pages: Option<SocketAddr>,
}

impl Child {
    /// Starts this program with these arguments and the certificate in `folder`, and waits until it listens.
    ///
    /// # Errors
    /// When it does not; with its last line.
    pub fn start(arguments: Vec<OsString>, folder: &Path) -> anyhow::Result<Self> {
        let program = std::env::current_exe().context("cannot find this program")?;
        let child = Command::new(program)
            .args(arguments)
            .args(["--parent", &std::process::id().to_string()])
            .arg("--certificate")
            .arg(folder.join("tls.crt"))
            .arg("--key")
            .arg(folder.join("tls.key"))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .context("failed to start a server")?;
        // From here on it is killed whatever happens.
        let mut child = Self { child, webhook: ([127, 0, 0, 1], 0).into(), pages: None };
        let log = child.child.stderr.take().context("the server has no log")?;
        let mut lines = BufReader::new(log).lines();
        let mut last = String::new();
        for line in lines.by_ref() {
            last = line.context("failed to read the server's log")?;
            let said: Value = serde_json::from_str(&last).unwrap_or_default();
            let address = |name: &str| said.get(name).and_then(Value::as_str).and_then(|text| text.parse().ok());
            if let Some(webhook) = address("webhook") {
                (child.webhook, child.pages) = (webhook, address("pages"));
                // What it says afterwards is read so that it never waits to be read.
                std::thread::spawn(move || lines.for_each(drop));
                return Ok(child);
            }
        }
        anyhow::bail!("the server failed to start: {last}")
    }

    /// Where reviews go.
    pub fn webhook(&self) -> SocketAddr {
        self.webhook
    }

    /// Where its pages are, if it has any.
    pub fn pages(&self) -> Option<SocketAddr> {
        self.pages
    }

    /// Its process.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Asks it to end, and waits for that.
    ///
    /// # Errors
    /// When it does not end, or not as it should.
    pub fn end(mut self) -> anyhow::Result<()> {
        kill_process(Pid::from_child(&self.child), Signal::TERM).context("failed to stop the server")?;
        let begin = Instant::now();
        while begin.elapsed() < PATIENCE {
            if let Some(status) = self.child.try_wait().context("failed to wait for the server")? {
                anyhow::ensure!(status.success(), "the server ended with {status}");
                return Ok(());
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        anyhow::bail!("the server did not stop within {PATIENCE:?}")
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// What the system said of a process meanwhile.
#[derive(Clone, Debug, Default)]
pub struct Watched {
    /// Resident memory, in KiB.
    pub memory: Vec<u64>,
    /// The most that it ever was of the process alone, in KiB.
    pub highest: Option<u64>,
    /// Time between two of them.
    pub every: Duration,
    /// Processor time by name of the threads, in microseconds.
    pub cpu: BTreeMap<String, f64>,
}

/// Looks at a process from time to time.
pub struct Watch {
    end: Sender<()>,
    thread: JoinHandle<Watched>,
}

impl Watch {
    /// Begins to look at the process `pid`. What the system does not tell stays empty.
    pub fn start(pid: u32) -> Self {
        let (end, ended) = channel();
        let thread = std::thread::spawn(move || {
            let before = cpu(pid);
            let mut watched = Watched { every: EVERY, ..Watched::default() };
            watched.memory.extend(memory(pid));
            while ended.recv_timeout(EVERY) == Err(RecvTimeoutError::Timeout) {
                watched.memory.extend(memory(pid));
            }
            watched.memory.extend(memory(pid));
            watched.highest = status(pid, "VmHWM:");
            watched.cpu = cpu(pid);
            for (name, micros) in &mut watched.cpu {
                *micros -= before.get(name).copied().unwrap_or_default();
            }
            watched
        });
        Self { end, thread }
    }

    /// What was seen until now.
    pub fn end(self) -> Watched {
        drop(self.end);
        self.thread.join().unwrap_or_default()
    }
}

/// Of the process and those that it started.
fn memory(pid: u32) -> Option<u64> {
    let own = status(pid, "VmRSS:")?;
    let tasks = std::fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten();
    let lists = tasks.filter_map(|task| std::fs::read_to_string(task.path().join("children")).ok());
    let children: Vec<u32> =
        lists.flat_map(|list| list.split(' ').filter_map(|pid| pid.parse().ok()).collect::<Vec<_>>()).collect();
    Some(own + children.into_iter().filter_map(|pid| status(pid, "VmRSS:")).sum::<u64>())
}

/// KiB that the system says of a process.
fn status(pid: u32, name: &str) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    status.lines().find_map(|line| line.strip_prefix(name)?.trim().strip_suffix(" kB")?.parse().ok())
}

fn cpu(pid: u32) -> BTreeMap<String, f64> {
    let mut sum = BTreeMap::new();
    let threads = std::fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten();
    for stat in threads.filter_map(|thread| std::fs::read_to_string(thread.path().join("stat")).ok()) {
        if let Some((name, ticks)) = thread(&stat) {
            *sum.entry(name.to_owned()).or_default() += ticks * TICK_MICROS;
        }
    }
    sum
}

/// Name and ticks of processor time in a line of `stat`.
fn thread(stat: &str) -> Option<(&str, f64)> {
    let (_, rest) = stat.split_once('(')?;
    let (name, rest) = rest.rsplit_once(')')?;
    let mut ticks = rest.split_whitespace().skip(11).map(str::parse::<f64>);
    Some((name, ticks.next()?.ok()? + ticks.next()?.ok()?))
}

#[cfg(test)]
mod tests {
    use super::{Watch, thread};

    #[test]
    fn the_time_of_a_thread_is_that_in_user_and_system_mode() {
        let stat = "17 (takeover-answe (x)) S 1 17 17 0 -1 4194560 100 0 0 0 250 50 0 0 20 0 6 0 1 2 3";
        assert_eq!(thread(stat), Some(("takeover-answe (x)", 300.0)));
        assert_eq!(thread("17"), None);
    }

    #[test]
    fn a_process_is_watched_to_the_end() {
        // Other tests start children of this process, and their memory would count.
        let mut child = std::process::Command::new("sleep").arg("60").spawn().unwrap();
        let watched = Watch::start(child.id()).end();
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(watched.memory.len() >= 2 && watched.memory.iter().all(|kib| *kib > 0), "{watched:?}");
        assert!(watched.highest >= watched.memory.iter().min().copied(), "{watched:?}");
        assert!(!watched.cpu.is_empty());
        assert!(Watch::start(u32::MAX).end().memory.is_empty());
    }
}
