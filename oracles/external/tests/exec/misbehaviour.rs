//! Oracles that lie, hang, die and babble.

use crate::support::{Fake, ask, ask_one, assert_says, text};
use std::time::{Duration, Instant};
use takeover_external::exec::{Exec, ExecErrorKind};

/// The message of an oracle that does not start.
fn start_error(fake: &Fake) -> String {
    Exec::start(fake.settings.clone()).err().unwrap().to_string()
}

/// Whether a process is there and no zombie.
fn lives(pid: &str) -> bool {
    let stat = text(format!("/proc/{}/stat", pid.trim()).as_ref());
    !stat.is_empty() && !stat.contains(") Z ")
}

fn wait_for(what: impl Fn() -> bool) -> bool {
    let begin = Instant::now();
    while !what() {
        if begin.elapsed() > Duration::from_secs(5) {
            return false;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    true
}

#[test]
fn no_hello_in_time() {
    let mut fake = Fake::new("time.sleep(60)");
    fake.settings.start_timeout = Duration::from_millis(200);
    let error = Exec::start(fake.settings.clone()).err().unwrap();
    assert!(matches!(error.kind(), ExecErrorKind::NoHello(_)));
    assert_says(&error.to_string(), ": no hello within 0.2 s");
}

#[test]
fn dead_at_start() {
    let fake = Fake::new("sys.stderr.write('no config\\n')\nsys.exit(3)");
    assert_says(&start_error(&fake), "no hello: the process exited with code 3 (end of standard error: `no config`)");
    let fake = Fake::new("os.kill(os.getpid(), signal.SIGKILL)");
    assert_says(
        &start_error(&fake),
        "no hello: the process was killed by signal 9 (SIGKILL) (nothing on standard error)",
    );
}

#[test]
fn a_hello_that_is_none() {
    for (script, says) in [
        (
            "say({'hello': {'protocol': 2, 'name': 'w', 'kinds': 7}})",
            "the oracle speaks version 2 of the oracle protocol",
        ),
        ("say({'id': 1, 'errors': []})", "the oracle wrote an answer before its hello: `{\"id\": 1, \"errors\": []}`"),
        (
            "print('Listening on :8080', flush=True)",
            "a line that is not JSON (expected value at line 1 column 1): `Listening on :8080`",
        ),
        ("hello(pending=0)", "a hello whose `pending` is 0: it must be a whole number of at least 1"),
    ] {
        let fake = Fake::new(&format!("{script}\nsys.stdin.read()"));
        assert_says(&start_error(&fake), says);
    }
}

#[test]
fn a_late_answer_fails_its_question_alone() {
    let fake = Fake::new(
        "starts()\nhello(pending=8)\nfor q in questions():\n    if number(q) == 13: time.sleep(60)\n    say(judge(q))\n",
    );
    let exec = fake.start();
    assert_eq!(
        ask(&exec, &[1, 13, -1]),
        ["ok", "no answer within 0.5 s", "spec.replicas: Invalid value: -1: negative"]
    );
    assert_eq!(fake.starts(), 3);
}

#[test]
fn a_question_that_is_late_once_is_asked_again() {
    let fake = Fake::new(
        "first = starts() == 1\nhello()\nfor q in questions():\n    if first: time.sleep(60)\n    say(judge(q))\n",
    );
    let exec = fake.start();
    assert_eq!(ask_one(&exec, 1), "ok");
    assert_eq!(fake.starts(), 2);
    let incidents: Vec<_> = exec.incidents().into_iter().map(|incident| (incident.what, incident.times)).collect();
    assert_eq!(incidents, [("no answer within 0.5 s".to_owned(), 1)]);
}

#[test]
fn an_oracle_that_reads_nothing_is_late() {
    let fake = Fake::new("hello(pending=1000)\ntime.sleep(60)\n");
    let mut big = crate::support::widget(1);
    big["spec"]["name"] = "n".repeat(1 << 20).into();
    let results = crate::support::ask_about(&fake.start(), &[big]);
    assert_eq!(crate::support::in_words(&results[0]), "no answer within 0.5 s");
}

#[test]
fn a_death_in_the_middle_fails_the_question_that_kills() {
    let fake = Fake::new(
        "starts()\nhello(pending=8, batch=4)\nfor q in questions():\n    if number(q) == 13:\n        sys.stderr.write('x' * 9000 + ' index out of range')\n        \
         sys.stderr.flush()\n        os.abort()\n    say(judge(q))\n",
    );
    let exec = fake.start();
    let said = ask(&exec, &[1, 2, 13, 3, 4, 5]);
    assert_eq!([&said[..2], &said[3..]].concat(), vec!["ok"; 5]);
    assert_says(&said[2], "panic: the process was killed by signal 6 (SIGABRT)");
    assert_says(&said[2], "(end of standard error: `xxxx");
    assert_says(&said[2], "x index out of range`)");
    assert!((4096..4300).contains(&said[2].len()), "{}", said[2].len());
    // Once together, once alone.
    assert_eq!(fake.starts(), 3);
    assert_eq!(ask_one(&exec, 1), "ok");
}

#[test]
fn an_exit_in_the_middle_tells_its_code() {
    let fake = Fake::new("hello()\nfor q in questions(): sys.exit(0)\n");
    assert_eq!(ask_one(&fake.start(), 1), "panic: the process exited with code 0 (nothing on standard error)");
}

#[test]
fn a_process_that_hangs_up_is_ended() {
    let fake = Fake::new("hello()\nfor q in questions():\n    os.close(1)\n    time.sleep(60)\n");
    assert_eq!(ask_one(&fake.start(), 1), "panic: the process closed its standard output (nothing on standard error)");
}

#[test]
fn half_a_line_at_the_end() {
    let fake = Fake::new(
        "hello()\nfor q in questions():\n    sys.stdout.write('{\"id\": 1, \"err')\n    sys.stdout.flush()\n    sys.exit(1)\n",
    );
    let says = "panic: the process exited with code 1 in the middle of a line: `{\"id\": 1, \"err` (nothing on standard error)";
    assert_eq!(ask_one(&fake.start(), 1), says);
}

#[test]
fn lines_that_are_no_answers() {
    for (script, says) in [
        (
            "print('judging…', flush=True)",
            "the oracle wrote a line that is not JSON (expected value at line 1 column 1): `judging…`",
        ),
        (
            "sys.stdout.buffer.write(b'\\xff\\x00\\n'); sys.stdout.flush()",
            "the oracle wrote a line that is not JSON (expected value at line 1 column 1): `\\xff\\u{0}`",
        ),
        ("say({'id': 99, 'errors': []})", "the oracle answered question 99, which it was not asked"),
        ("say({'answers': [judge(q), judge(q)]})", "the oracle answered question 1 a second time"),
        (
            "say({'id': q['id']})",
            "the answer to question 1 has none of `errors`, `allowed`, `object`, `failure`, `panic`",
        ),
        (
            "say({'id': q['id'], 'errors': [], 'object': {}})",
            "the answer to question 1 contradicts itself: it has `errors` and `object`",
        ),
        ("hello()", "the oracle sent a second hello"),
    ] {
        let fake = Fake::new(&format!(
            "hello()\nfor q in questions():\n    if number(q) == 13:\n        {script}\n        continue\n    say(judge(q))\n"
        ));
        let exec = fake.start();
        assert_eq!(ask_one(&exec, 13), says, "{script}");
    }
}

#[test]
fn only_the_question_fails_that_makes_it_babble() {
    let fake = Fake::new(
        "hello(pending=8)\nfor q in questions():\n    if number(q) == 13: print('oops', flush=True)\n    say(judge(q))\n",
    );
    let said = ask(&fake.start(), &[1, 13, 2]);
    assert_eq!((said[0].as_str(), said[2].as_str()), ("ok", "ok"));
    assert_says(&said[1], "not JSON");
}

#[test]
fn an_answer_that_cannot_be_used_costs_no_process() {
    let fake = Fake::new(
        "starts()\nhello(pending=8)\nfor q in questions():\n    say({'id': q['id']} if number(q) == 13 else judge(q))\n",
    );
    let said = ask(&fake.start(), &[1, 13, 2]);
    assert_eq!((said[0].as_str(), said[2].as_str()), ("ok", "ok"));
    assert_says(&said[1], "has none of");
    assert_eq!(fake.starts(), 1);
}

/// The most memory that this process used, in MiB.
fn peak() -> u64 {
    let status = text("/proc/self/status".as_ref());
    let line = status.lines().find(|line| line.starts_with("VmHWM")).unwrap_or_default();
    line.split_whitespace().nth(1).and_then(|kib| kib.parse::<u64>().ok()).unwrap_or_default() / 1024
}

#[test]
fn a_line_of_a_gigabyte_is_never_held() {
    let mut fake = Fake::new(
        "hello()\nfor q in questions():\n    piece = b'a' * (1 << 20)\n    for _ in range(1024):\n        sys.stdout.buffer.write(piece)\n    print(flush=True)\n",
    );
    fake.settings.timeout = Duration::from_secs(60);
    assert_eq!(ask_one(&fake.start(), 1), "the oracle wrote a line that is longer than 64 MiB");
    // Other tests hold much at the same time, but no gigabyte.
    assert!(peak() < 900, "{} MiB", peak());
}

#[test]
fn a_flood_of_standard_error_stops_nobody() {
    let fake = Fake::new(
        "hello()\nfor q in questions():\n    sys.stderr.write('e' * 10_000_000)\n    if number(q) == 13:\n        sys.stderr.write(' the end')\n        \
         sys.stderr.flush()\n        os._exit(7)\n    say(judge(q))\n",
    );
    let mut fake = fake;
    fake.settings.timeout = Duration::from_secs(20);
    let exec = fake.start();
    assert_eq!(ask_one(&exec, 1), "ok");
    let said = ask_one(&exec, 13);
    assert_says(&said, "exited with code 7 (end of standard error: `eee");
    assert_says(&said, "eee the end`)");
    assert!(said.len() < 4300);
}

#[test]
fn a_flood_of_standard_error_does_not_stop_the_clock() {
    let fake = Fake::new("hello()\nfor q in questions():\n    while True: sys.stderr.write('e' * 100000)\n");
    assert_eq!(ask_one(&fake.start(), 1), "no answer within 0.5 s");
}

#[test]
fn a_flood_of_answers_ends_the_process() {
    let fake = Fake::new("hello()\nfor q in questions():\n    while True: say(judge(q))\n");
    let exec = fake.start();
    // The first answer may be taken before the second comes.
    let said = [ask_one(&exec, 1), ask_one(&exec, 2)].concat();
    assert_says(&said, "the oracle answered question 1 a second time");
}

#[test]
fn forks_that_outlive_the_process_are_killed() {
    const FORK: &str = "
def fork(name):
    if os.fork() == 0:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        open(os.path.join(BESIDE, name), 'w').write(str(os.getpid()))
        time.sleep(60)
        os._exit(0)
    while not os.path.exists(os.path.join(BESIDE, name)) or os.path.getsize(os.path.join(BESIDE, name)) == 0: time.sleep(0.001)
";
    // It holds the output open: the end of its parent shows in nothing but the parent.
    let fake = Fake::new(&format!(
        "{FORK}\nhello()\nfor q in questions():\n    fork('fork%d' % number(q))\n    if number(q) == 13: os._exit(5)\n    say(judge(q))\n"
    ));
    let mut fake = fake;
    fake.settings.timeout = Duration::from_secs(20);
    let exec = fake.start();
    assert_eq!(ask_one(&exec, 13), "panic: the process exited with code 5 (nothing on standard error)");
    let pid = text(&fake.file("fork13"));
    assert!(!pid.is_empty() && wait_for(|| !lives(&pid)), "{pid}");
    assert_eq!(ask_one(&exec, 1), "ok");
    let pid = text(&fake.file("fork1"));
    assert!(lives(&pid));
    drop(exec);
    assert!(wait_for(|| !lives(&pid)), "{pid}");
}

#[test]
fn a_process_that_does_not_end_is_killed_after_two_seconds() {
    let fake = Fake::new(
        "open(os.path.join(BESIDE, 'pid'), 'w').write(str(os.getpid()))\nhello()\nfor q in questions(): say(judge(q))\ntime.sleep(60)\n",
    );
    let exec = fake.start();
    let begin = Instant::now();
    drop(exec);
    assert!((2..4).contains(&begin.elapsed().as_secs()), "{:?}", begin.elapsed());
    assert!(!lives(&text(&fake.file("pid"))));
}

#[test]
fn ten_deaths_without_an_answer_are_the_last() {
    let fake = Fake::new("starts()\nhello(pending=50)\nfor q in questions(): os._exit(4)\n");
    let exec = fake.start();
    let replicas: Vec<i64> = (0..20).collect();
    let said = ask(&exec, &replicas);
    assert_eq!(exec.incidents().len(), 1);
    assert_eq!(exec.incidents()[0].times, 10);
    // One together, nine alone.
    assert!(said[..9].iter().all(|said| said.starts_with("panic: the process exited with code 4")), "{said:?}");
    let refused =
        "not asked: the oracle ended 10 times without an answer in between; last: the process exited with code 4";
    assert!(said[9..].iter().all(|said| said.starts_with(refused)), "{said:?}");
    assert_eq!(fake.starts(), 10);
    assert_says(&ask_one(&exec, 1), refused);
    assert_eq!(fake.starts(), 10);
}

#[test]
fn an_answer_in_between_starts_the_count_anew() {
    let fake =
        Fake::new("starts()\nhello()\nfor q in questions():\n    if number(q) == 13: os._exit(4)\n    say(judge(q))\n");
    let exec = fake.start();
    for _ in 0..12 {
        assert_says(&ask_one(&exec, 13), "exited with code 4");
        assert_eq!(ask_one(&exec, 1), "ok");
    }
    assert_eq!(fake.starts(), 13);
}

#[test]
fn an_oracle_that_keeps_ending_between_answers_is_given_up() {
    let fake = Fake::new(
        "starts()\nhello()\nfor count, q in enumerate(questions()):\n    if count == 1: os._exit(4)\n    say(judge(q))\n",
    );
    let exec = fake.start();
    for _ in 0..41 {
        assert_eq!(ask_one(&exec, 1), "ok");
        assert_says(&ask_one(&exec, 2), "exited with code 4");
    }
    assert_says(
        &ask_one(&exec, 1),
        "not asked: the oracle ended 41 times in 41 answers; last: the process exited with code 4",
    );
    assert_eq!(fake.starts(), 41);
}

#[test]
fn a_process_that_dies_at_its_second_start_says_how() {
    let fake =
        Fake::new("first = starts() == 1\nif not first: sys.exit(9)\nhello()\nfor q in questions(): os._exit(4)\n");
    let exec = fake.start();
    assert_says(&ask_one(&exec, 1), "exited with code 4");
    assert_says(&ask_one(&exec, 1), "failed to start the oracle `python3");
    assert_says(&ask_one(&exec, 1), "no hello: the process exited with code 9");
}

#[test]
fn another_hello_at_the_second_start_is_refused() {
    let fake = Fake::new("hello(batch=starts())\nfor q in questions(): os._exit(4)\n");
    let exec = fake.start();
    assert_says(&ask_one(&exec, 1), "exited with code 4");
    assert_says(&ask_one(&exec, 1), "another process of the same command sent a different hello: `widget-oracle 1.2`");
}

#[test]
fn an_unsteady_oracle_says_different_things() {
    let fake = Fake::new(
        "hello()\nfor n, q in enumerate(questions()): say({**judge(q), 'errors': judge(q)['errors'] * (1 + n % 2)})",
    );
    let exec = fake.start();
    // Nothing is remembered: it is for the judge to notice.
    assert_ne!(ask_one(&exec, -1), ask_one(&exec, -1));
}

#[cfg(target_os = "linux")]
#[test]
fn memory_is_limited() {
    let mut fake = Fake::new("hello()\nfor q in questions():\n    hold = 'a' * 1_000_000_000\n    say(judge(q))\n");
    fake.settings.memory = Some(300 << 20);
    fake.settings.timeout = Duration::from_secs(20);
    let said = ask_one(&fake.start(), 1);
    assert_says(&said, "exited with code 1");
    assert_says(&said, "MemoryError");
}
