//! A run with external oracles is the same whole, in pieces, on any number of threads, and in worker processes.

use super::lab::{Lab, has_python};
use std::fs;
use std::process::Stdio;
use std::time::{Duration, Instant};

const REFERENCE: &str = "exec python3 oracle.py";
const CANDIDATE: &str = "exec python3 oracle.py accept-all-sizes refuse-green";

fn soak(lab: &Lab, out: &str, more: &[&str]) {
    let ran = lab.soak(REFERENCE, CANDIDATE, &[&["--cases", "2000", "--out", out], more].concat());
    assert_eq!(ran.code, 1, "{}", ran.said());
}

fn same(lab: &Lab, one: &str, other: &str) {
    for file in ["evidence.json", "health.json"] {
        let read = |run: &str| fs::read(lab.path(run).join(file)).unwrap();
        assert!(read(one) == read(other), "`{file}` of `{other}` is not that of `{one}`");
    }
}

#[test]
fn threads_worker_processes_and_shards_change_nothing() {
    if !has_python() {
        return;
    }
    let lab = Lab::new();
    soak(&lab, "whole", &["--jobs", "1"]);
    let found = lab.findings("whole").len();
    assert!(found > 0);
    for (out, how) in [("threads", &["--jobs", "3"][..]), ("apart", &["--isolate", "--jobs", "2"])] {
        soak(&lab, out, how);
        same(&lab, "whole", out);
        assert_eq!(lab.findings(out).len(), found, "{out}");
    }
    for shard in ["1/2", "2/2"] {
        soak(&lab, &shard.replace('/', "-of-"), &["--shard", shard]);
    }
    let merged = lab.run(&["merge", "1-of-2", "2-of-2", "--out", "merged"]);
    assert_eq!(merged.code, 1, "{}", merged.said());
    same(&lab, "whole", "merged");
    assert_eq!(lab.findings("merged").len(), found);
}

#[test]
fn a_run_that_is_killed_and_resumed_is_the_run() {
    if !has_python() {
        return;
    }
    let lab = Lab::new();
    soak(&lab, "whole", &[]);
    let pair =
        ["--types", "widget.yaml", "--kind", super::lab::WIDGET, "--reference", REFERENCE, "--candidate", CANDIDATE];
    let begun = ["soak", "--seed", "1", "--cases", "2000", "--out", "pieces", "--checkpoint-every", "1ms"];
    let mut run = lab
        .takeover(&[&begun[..], &pair].concat())
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let start = Instant::now();
    while !lab.path("pieces/checkpoint").exists() {
        assert!(run.try_wait().unwrap().is_none(), "it ended before it was killed");
        assert!(start.elapsed() < Duration::from_secs(60), "no checkpoint");
        std::thread::sleep(Duration::from_millis(2));
    }
    run.kill().unwrap();
    run.wait().unwrap();
    let resumed = lab.run(&["soak", "--resume", "pieces"]);
    assert_eq!(resumed.code, 1, "{}", resumed.said());
    same(&lab, "whole", "pieces");
}
