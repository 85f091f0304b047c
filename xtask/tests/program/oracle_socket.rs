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

/// Waits for something for a minute at most.
fn wait_until(done: &dyn Fn() -> bool) {
    let started = Instant::now();
    while !done() {
        assert!(started.elapsed() < Duration::from_secs(60));
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// A program that neither reads nor ends, and leaves another one behind; and whether both run.
fn stuck(folder: &tempfile::TempDir) -> (String, impl Fn() -> [bool; 2]) {
    let file = folder.path().join("pids");
    // The listener tries once without a connection whether it starts.
    let script =
        "[ -p /dev/stdin ] || exit 0; sleep 1000 & echo $$ $! > 'FILE.new'; mv 'FILE.new' 'FILE'; exec sleep 1000";
    let script = script.replace("FILE", &file.display().to_string());
    let runs = move || {
        wait_until(&|| file.exists());
        let pids = std::fs::read_to_string(&file).unwrap();
        let [own, others] = pids.split_whitespace().collect::<Vec<_>>()[..] else { panic!("{pids}") };
        [own, others].map(|pid| {
            let probe = Command::new("kill").args(["-0", pid]).stderr(Stdio::null()).status();
            // A process that was killed may wait to be reaped by whoever does that here.
            let is_dead = std::fs::read_to_string(format!("/proc/{pid}/stat")).is_ok_and(|stat| stat.contains(") Z"));
            probe.unwrap().success() && !is_dead
        })
    };
    (script, runs)
}

#[test]
fn a_program_that_is_stuck_is_killed_with_what_it_started_after_its_connection() {
    let folder = tempfile::tempdir().unwrap();
    let (script, runs) = stuck(&folder);
    let listening = Listening::new(&socket_in(&folder).1, &["sh", "-c", &script]);
    let mut connected = connect(&listening.address).stdin(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
    // More than any pipe holds: whoever waits until the program takes it does not see the connection end.
    let mut questions = connected.stdin.take().unwrap();
    let asks = std::thread::spawn(move || {
        let _ = std::io::Write::write_all(&mut questions, &vec![b'x'; 1 << 20]);
    });
    assert_eq!(runs(), [true, true]);
    connected.kill().unwrap();
    connected.wait().unwrap();
    asks.join().unwrap();
    wait_until(&|| runs() == [false, false]);
}

#[test]
fn what_a_program_leaves_behind_holds_nothing_up_when_it_ends() {
    let folder = tempfile::tempdir().unwrap();
    // The one that it starts holds its output.
    let script = "[ -p /dev/stdin ] || exit 0; sleep 1000 & echo an answer";
    let listening = Listening::new(&socket_in(&folder).1, &["sh", "-c", script]);
    let mut connected = connect(&listening.address).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let open = connected.stdin.take();
    let started = Instant::now();
    let output = connected.wait_with_output().unwrap();
    assert!(started.elapsed() < Duration::from_secs(60));
    assert_eq!((output.status.code(), output.stdout.as_slice()), (Some(2), &b"an answer\n"[..]));
    drop(open);
}

#[test]
fn a_probe_tells_an_oracle_from_what_only_listens() {
    let folder = tempfile::tempdir().unwrap();
    let hello = r#"read ours; echo '{"hello":{"protocol":1,"name":"widget-oracle","version":"1.2"}}'; cat > /dev/null"#;
    let probe = |command: &[&str]| {
        let listening = Listening::new(&socket_in(&folder).1, command);
        let output = connect(&listening.address).arg("--probe").output().unwrap();
        (output.status.code(), String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap())
    };
    assert_eq!(probe(&["sh", "-c", hello]), (Some(0), "widget-oracle 1.2\n".to_owned(), String::new()));
    for (command, fault) in [(["false"].as_slice(), "said ``"), (&["cat"], "instead of a hello")] {
        let (code, _, said) = probe(command);
        assert!(code == Some(2) && said.contains(fault), "{said}");
    }
    let listening = Listening::new(&socket_in(&folder).1, &["false"]);
    let silent = connect(&listening.address).stdin(Stdio::null()).output().unwrap();
    let said = String::from_utf8(silent.stderr).unwrap();
    assert!(silent.status.code() == Some(2) && said.contains("the oracle said nothing"), "{said}");
}

#[test]
fn a_listener_that_is_stopped_leaves_neither_programs_nor_its_socket_behind() {
    let folder = tempfile::tempdir().unwrap();
    let (script, runs) = stuck(&folder);
    let (path, address) = socket_in(&folder);
    let mut listening = Listening::new(&address, &["sh", "-c", &script]);
    let mut connected = connect(&listening.address).stdin(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
    let _open = connected.stdin.take();
    assert_eq!(runs(), [true, true]);
    assert!(Command::new("kill").arg(listening.process.id().to_string()).status().unwrap().success());
    assert_eq!(listening.process.wait().unwrap().code(), Some(143));
    wait_until(&|| runs() == [false, false]);
    assert!(!path.exists());
    // The oracle was gone before the questions ended, which is no success.
    assert_eq!(connected.wait().unwrap().code(), Some(2));
}

#[test]
fn a_program_that_cannot_be_started_is_an_error_before_anything_is_asked() {
    let folder = tempfile::tempdir().unwrap();
    let output =
        program().args(["oracle", "listen", &socket_in(&folder).1, "--", "./no-such-oracle"]).output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("failed to start `./no-such-oracle`"), "{said}");
}

#[test]
fn a_socket_that_nobody_listens_at_is_replaced_and_one_in_use_is_not() {
    let folder = tempfile::tempdir().unwrap();
    let (path, address) = socket_in(&folder);
    drop(std::os::unix::net::UnixListener::bind(&path).unwrap());
    assert!(path.exists(), "nobody listens any more");
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
