//! What the README shows is what the program prints.

use std::fs;
use std::path::Path;
use std::process::Command;

/// The block of this language, which the page has once.
fn block<'p>(page: &'p str, language: &str) -> &'p str {
    let fence = format!("```{language}\n");
    let mut blocks = page.split(fence.as_str()).skip(1).map(|rest| rest.split_once("```").unwrap().0);
    let (first, second) = (blocks.next().unwrap(), blocks.next());
    assert_eq!(second, None, "{language}");
    first
}

#[test]
fn every_example_prints_what_it_shows() {
    let page = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../README.md")).unwrap();
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("web.yaml"), block(&page, "yaml")).unwrap();
    fs::create_dir_all(folder.path().join("api/apps/v1")).unwrap();
    fs::write(folder.path().join("api/apps/v1/types.go"), block(&page, "go")).unwrap();
    let mut shown = 0;
    for block in page.split("```console\n").skip(1).map(|rest| rest.split_once("```").unwrap().0) {
        let (command, expected) = block.split_once('\n').unwrap();
        // Without output it is a command to try.
        let Some(arguments) = command.strip_prefix("$ cargo xtask ").filter(|_| !expected.starts_with('$')) else {
            continue;
        };
        let mut program = Command::new(env!("CARGO_BIN_EXE_takeover"));
        // As a task of the repository calls it.
        program.current_dir(folder.path()).args(arguments.split(' ')).env("CARGO", "cargo");
        let printed = String::from_utf8(program.output().unwrap().stdout).unwrap();
        assert!(printed.starts_with(expected.trim_end()), "{command}\n{printed}\n{expected}");
        shown += 1;
    }
    assert_eq!(shown, 3);
    // What the lint advises is right.
    let corrected = block(&page, "go").replace("minLenght", "minLength");
    fs::write(folder.path().join("api/apps/v1/types.go"), corrected).unwrap();
    let mut lint = Command::new(env!("CARGO_BIN_EXE_takeover"));
    assert!(lint.current_dir(folder.path()).args(["lint", "api/"]).output().unwrap().status.success());
}
