//! `oracle listen` and `oracle connect`: programs behind sockets.

use crate::pairs::lab::has_python;
use assert_cmd::cargo::CommandCargoExt as _;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

fn program() -> Command {
    Command::cargo_bin("takeover").unwrap()
}

/// A listener, which ends with its test.
struct Listening {
    process: Child,
    address: String,
}

impl Listening {
    fn new(address: &str, command: &[&str]) -> Self {
        let mut listen = program();
        listen.args(["oracle", "listen", address, "--"]).args(command).stderr(Stdio::piped());
        let mut process = listen.current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("..")).spawn().unwrap();
        let mut said = String::new();
        BufReader::new(process.stderr.take().unwrap()).read_line(&mut said).unwrap();
        let address = said.trim_end().strip_prefix("listening at ").unwrap_or_else(|| panic!("{said}")).to_owned();
        Self { process, address }
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn connect(address: &str) -> Command {
    let mut connect = program();
    connect.args(["oracle", "connect", address, "--wait", "100ms"]);
    connect
}

/// What `oracle check` says of what listens there.
fn check(address: &str) -> Output {
    let connect = connect(address);
    let mut check = program();
    check.args(["oracle", "check", "--"]).arg(connect.get_program()).args(connect.get_args());
    check.output().unwrap()
}

fn socket_in(folder: &tempfile::TempDir) -> (PathBuf, String) {
    let path = folder.path().join("oracle.sock");
    let address = format!("unix:{}", path.display());
    (path, address)
}

#[test]
fn a_program_behind_a_socket_passes_the_checks_that_it_passes_without() {
    if !has_python() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let command = ["python3", "sdk/python/examples/scalepolicy.py"];
    for address in [socket_in(&folder).1, "127.0.0.1:0".to_owned()] {
        let listening = Listening::new(&address, &command);
        let output = check(&listening.address);
        let said = String::from_utf8_lossy(&output.stdout);
        assert_eq!(output.status.code(), Some(0), "{said}{}", String::from_utf8_lossy(&output.stderr));
        assert!(said.contains("scalepolicy"), "{said}");
    }
}

#[test]
fn a_program_that_stays_after_its_connection_is_killed() {
    let folder = tempfile::tempdir().unwrap();
    let (_, address) = socket_in(&folder);
    let pid = folder.path().join("pid");
    // Neither the end of its input nor that of its output ends it.
    let stays = format!("echo $$ > '{}.new'; mv '{0}.new' '{0}'; exec sleep 1000", pid.display());
    let listening = Listening::new(&address, &["sh", "-c", &stays]);
    let mut connected = connect(&listening.address).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let started = Instant::now();
    let wait_until = |done: &dyn Fn() -> bool| {
        while !done() {
            assert!(started.elapsed() < Duration::from_secs(60));
            std::thread::sleep(Duration::from_millis(20));
        }
    };
    wait_until(&|| pid.exists());
    let pid: i32 = std::fs::read_to_string(&pid).unwrap().trim().parse().unwrap();
    let runs = || {
        let probe = Command::new("kill").args(["-0", &pid.to_string()]).stderr(Stdio::null()).status();
        probe.unwrap().success()
    };
    assert!(runs());
    connected.kill().unwrap();
    connected.wait().unwrap();
    wait_until(&|| !runs());
}

#[test]
fn a_socket_that_nobody_listens_at_is_replaced_and_one_in_use_is_not() {
    let folder = tempfile::tempdir().unwrap();
    let (path, address) = socket_in(&folder);
    drop(Listening::new(&address, &["cat"]));
    assert!(path.exists(), "it was killed and left its socket behind");
    let listening = Listening::new(&address, &["cat"]);
    let second = program().args(["oracle", "listen", &address, "--", "cat"]).output().unwrap();
    let said = String::from_utf8(second.stderr).unwrap();
    assert_eq!((second.status.code(), said.contains("in use")), (Some(2), true), "{said}");
    // And the first one still answers: what is passed to `cat` comes back.
    let mut echo = connect(&listening.address).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    std::io::Write::write_all(&mut echo.stdin.take().unwrap(), b"a question without an end").unwrap();
    let output = echo.wait_with_output().unwrap();
    assert_eq!((output.status.code(), output.stdout.as_slice()), (Some(0), &b"a question without an end"[..]));
}

#[test]
fn what_cannot_be_reached_or_is_no_address_is_an_error_that_names_it() {
    let folder = tempfile::tempdir().unwrap();
    let (_, address) = socket_in(&folder);
    let output = connect(&address).output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains(&format!("failed to reach an oracle at {address}")), "{said}");
    let output = program().args(["oracle", "connect", "oracle.sock"]).output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("write unix:PATH or HOST:PORT"), "{said}");
}
