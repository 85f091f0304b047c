//! The help of every command, as a terminal of 110 columns shows it.

use assert_cmd::Command;

/// `--help` of a command, by the words that name it.
fn help(words: &[String]) -> String {
    let output = Command::cargo_bin("takeover")
        .unwrap()
        .args(words)
        .arg("--help")
        // As installed, rather than as a task of the repository.
        .env_remove("CARGO")
        .env("COLUMNS", "110")
        .output()
        .unwrap();
    assert!(output.status.success(), "{words:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// The commands that a help lists.
fn listed(help: &str) -> Vec<String> {
    let Some((_, commands)) = help.split_once("\nCommands:\n") else { return Vec::new() };
    let lines = commands.lines().take_while(|line| !line.is_empty());
    // What wraps is indented further.
    let names = lines.filter_map(|line| line.strip_prefix("  ").filter(|line| !line.starts_with(' ')));
    names.filter_map(|line| line.split(' ').next()).filter(|name| *name != "help").map(str::to_owned).collect()
}

fn walk(words: &[String], seen: &mut usize) {
    let text = help(words);
    let name = if words.is_empty() { "takeover".to_owned() } else { words.join("_") };
    insta::assert_snapshot!(name, text);
    *seen += 1;
    for command in listed(&text) {
        walk(&[words, &[command]].concat(), seen);
    }
}

#[test]
fn the_help_of_every_command() {
    let mut seen = 0;
    walk(&[], &mut seen);
    assert!(seen > 20, "{seen} commands");
}
