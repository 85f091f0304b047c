//! `fuzz` as a user runs it: it says which driver ran, and its exit codes are the documented ones.

use assert_cmd::Command;
use std::path::Path;

struct Ran {
    code: Option<i32>,
    stdout: String,
    stderr: String,
}

fn fuzz(folder: &Path, arguments: &[&str]) -> Ran {
    let output =
        Command::cargo_bin("takeover").unwrap().arg("fuzz").args(arguments).current_dir(folder).output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    Ran { code: output.status.code(), stdout: text(&output.stdout), stderr: text(&output.stderr) }
}

fn repository() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
}

#[test]
fn the_list_names_every_target() {
    let ran = fuzz(repository(), &["--list"]);
    assert_eq!(ran.code, Some(0));
    let names: Vec<&str> = ran.stdout.lines().filter_map(|line| line.split_whitespace().next()).collect();
    assert_eq!(names, ["equivalence", "fixture_reader", "go_front_end", "manifest_loader", "tag_parser"]);
}

#[test]
fn a_run_in_which_everything_holds_says_by_which_driver_and_how_much_was_tried() {
    let ran = fuzz(repository(), &["fixture_reader", "--driver", "stable", "--for", "1s", "--seed", "7"]);
    assert_eq!(ran.code, Some(0), "{}{}", ran.stdout, ran.stderr);
    assert!(ran.stdout.starts_with("target: fixture_reader; seed 7\ndriver: stable"), "{}", ran.stdout);
    assert!(ran.stdout.ends_with("no finds\n") && !ran.stdout.contains("\n0 executions"), "{}", ran.stdout);
}

#[test]
fn wrong_usage_ends_with_two_and_says_what_is_wrong() {
    let elsewhere = tempfile::tempdir().unwrap();
    for (folder, arguments, says) in [
        (repository(), &["nothing"][..], "invalid value"),
        (repository(), &["tag_parser", "--kind", "IPAddress"], "--kind is "),
        (repository(), &["tag_parser", "--accept"], "--accept is "),
        (repository(), &["equivalence", "--driver", "stable", "--kind", "Nothing"], "Nothing"),
        (elsewhere.path(), &["tag_parser"], "is not inside the Takeover repository"),
    ] {
        let ran = fuzz(folder, arguments);
        assert_eq!(ran.code, Some(2), "{arguments:?}");
        assert!(ran.stderr.contains(says), "{arguments:?}: {}", ran.stderr);
    }
}
