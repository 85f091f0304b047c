//! Somebody new who does what the first page says, and nothing else, ends with a gate that passes.

use assert_cmd::Command;
use std::fs;
use std::path::Path;
use tempfile::TempDir;

/// What stands between fences of the language, block by block.
fn blocks<'p>(page: &'p str, language: &str) -> Vec<&'p str> {
    let begin = format!("```{language}\n");
    page.split(begin.as_str()).skip(1).map(|rest| rest.split_once("```").unwrap().0).collect()
}

#[test]
fn the_first_page_leads_to_a_gate_that_passes() {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs");
    let page = fs::read_to_string(docs.join("getting-started.md")).unwrap();
    let folder = TempDir::new().unwrap();
    fs::create_dir(folder.path().join("manifests")).unwrap();
    let (yaml, toml) = (blocks(&page, "yaml"), blocks(&page, "toml"));
    assert_eq!((yaml.len(), toml.len()), (1, 1));
    fs::write(folder.path().join("manifests/web.yaml"), yaml.first().unwrap()).unwrap();
    // Fewer cases than the page asks for show the same disagreements.
    let fewer = |text: &str| text.replace("20000", "6000");
    fs::write(folder.path().join("takeover.toml"), fewer(toml.first().unwrap())).unwrap();

    let lines: Vec<&str> = blocks(&page, "console").iter().flat_map(|block| block.lines()).collect();
    let commands: Vec<Vec<String>> = lines
        .iter()
        .filter_map(|line| line.strip_prefix("$ takeover "))
        .map(|line| shlex::split(&fewer(line)).unwrap())
        .collect();
    let mut codes = Vec::new();
    for arguments in &commands {
        let output = Command::cargo_bin("takeover").unwrap().args(arguments).current_dir(&folder).output().unwrap();
        assert_ne!(output.status.code(), Some(2), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        codes.push((arguments.first().unwrap().as_str(), output.status.code().unwrap()));
    }
    let told = [
        ("soak", 1),
        ("report", 0),
        ("validate", 1),
        ("soak", 1),
        ("gate", 1),
        ("gate", 1),
        ("gate", 1),
        ("gate", 1),
        ("gate", 0),
        ("gate", 0),
    ];
    assert_eq!(codes, told);
    for file in ["report.html", "takeover-exceptions.toml", "takeover-baseline.txt"] {
        assert!(folder.path().join(file).is_file(), "{file}");
    }
}
