//! The commands that the documentation shows are commands of this program.

use crate::Cli;
use clap::Parser as _;
use std::path::{Path, PathBuf};
use std::{env, fs};

/// Files with commands.
fn pages() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the package lies in the workspace");
    let docs =
        fs::read_dir(root.join("docs")).expect("the folder is there").map(|entry| entry.expect("readable").path());
    let mut pages: Vec<_> = docs.filter(|path| path.extension().is_some_and(|extension| extension == "md")).collect();
    pages.push(root.join("README.md"));
    pages.sort();
    pages
}

/// The calls of this program in a page: lines after `$ ` in blocks of consoles, a call that goes on in the next line as one.
fn calls(page: &str) -> Vec<String> {
    let mut calls = Vec::new();
    let mut console = false;
    let mut open = false;
    for line in page.lines() {
        if let Some(language) = line.trim_start().strip_prefix("```") {
            (console, open) = (!console && matches!(language, "console" | "sh" | "bash"), false);
        } else if console {
            let command = line.trim_start().strip_prefix("$ ");
            match (command.or(open.then_some(line)), calls.last_mut()) {
                (Some(rest), Some(last)) if open => *last = format!("{last} {}", rest.trim_end_matches('\\')),
                (Some(begun), _) => calls.push(begun.trim_end_matches('\\').to_owned()),
                (None, _) => {}
            }
            open = command.or(open.then_some(line)).is_some_and(|line| line.ends_with('\\'));
        }
    }
    calls
}

/// The arguments of every call of this program in a line of a shell.
fn arguments(line: &str) -> Vec<Vec<String>> {
    let words = shlex::split(line).unwrap_or_else(|| panic!("`{line}` is no line of a shell"));
    words
        .split(|word| matches!(word.as_str(), "&&" | "||" | "|" | ";"))
        .filter_map(|command| {
            let kept: Vec<&str> = command
                .iter()
                .map(String::as_str)
                .skip_while(|word| word.split_once('=').is_some_and(|(name, _)| !name.contains(['-', ' '])))
                .take_while(|word| !word.starts_with(['>', '<']) && *word != "2>")
                .collect();
            match kept.as_slice() {
                ["takeover", rest @ ..] | ["cargo", "xtask", rest @ ..] => {
                    Some(std::iter::once("takeover").chain(rest.iter().copied()).map(str::to_owned).collect())
                }
                _ => None,
            }
        })
        .collect()
}

#[test]
fn every_documented_command_is_understood() {
    let mut understood = 0;
    for page in pages() {
        let text = fs::read_to_string(&page).expect("a page is text");
        for call in calls(&text) {
            for arguments in arguments(&call) {
                if let Err(error) = Cli::try_parse_from(&arguments)
                    && error.use_stderr()
                {
                    panic!("{}: `{call}`: {error}", page.display());
                }
                understood += 1;
            }
        }
    }
    assert!(understood > 30, "only {understood} commands were found");
}

#[test]
fn commands_are_found_where_readers_find_them() {
    let page = "```console\n$ A=1 takeover soak \\\n    --seed 7 > out && cargo xtask lint x # why\nno\n```\n```text\n$ takeover no\n```\n";
    let found: Vec<_> = calls(page).iter().flat_map(|call| arguments(call)).collect();
    assert_eq!(found, [vec!["takeover", "soak", "--seed", "7"], vec!["takeover", "lint", "x"]]);
}
