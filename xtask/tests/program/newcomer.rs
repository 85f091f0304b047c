//! Somebody new who does what the first page says, and nothing else, ends with a gate that passes.

use crate::page::{Step, expect_printed, steps};
use crate::shell::{follow, root};
use std::fs;

#[test]
fn the_first_page_leads_to_a_gate_that_passes() {
    let page = fs::read_to_string(root().join("docs/getting-started.md")).unwrap();
    let folder = tempfile::tempdir().unwrap();
    // The clone that the page speaks of, beside the project.
    std::os::unix::fs::symlink(root(), folder.path().join("takeover")).unwrap();
    let here = folder.path().join("shop");
    fs::create_dir_all(here.join("manifests")).unwrap();
    let (mut commands, mut printed) = (Vec::new(), String::new());
    for step in steps(&page) {
        match step {
            // What is done in the clone, before the folder is there.
            Step::Command(command, _) if command.starts_with("cargo ") || command.starts_with("mkdir ../shop") => {}
            Step::Command(command, code) => {
                printed = follow(&here, command, code);
                commands.push(command);
            }
            Step::File("toml", text) => fs::write(here.join("takeover.toml"), text).unwrap(),
            Step::File(language, text) => {
                assert_eq!(language, "yaml", "a block that nothing is done with");
                fs::write(here.join("manifests/web.yaml"), text).unwrap();
            }
            Step::Printed(text) => expect_printed(text, &printed),
        }
    }
    let gates = commands.iter().filter(|command| command.starts_with("takeover gate")).count();
    assert_eq!((commands.len(), gates), (16, 6), "{commands:#?}");
    for file in ["report.html", "takeover-exceptions.toml", "takeover-baseline.txt"] {
        assert!(here.join(file).is_file(), "{file}");
    }
}
