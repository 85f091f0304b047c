//! The two sides share nothing but the harness: a helper used by both would make both wrong together.

use std::fs;
use std::path::{Path, PathBuf};

fn rust_files(folder: &Path, files: &mut Vec<PathBuf>) -> std::io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            rust_files(&path, files)?;
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            files.push(path);
        }
    }
    Ok(())
}

#[test]
fn neither_side_imports_from_the_other() -> std::io::Result<()> {
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    for (side, other) in [("handwritten", "declarative"), ("declarative", "handwritten")] {
        let mut files = Vec::new();
        rust_files(&sources.join(side), &mut files)?;
        assert!(!files.is_empty(), "no sources of `{side}`");
        for file in files {
            let text = fs::read_to_string(&file)?;
            if let Some(line) = first_breach(&text, side, other) {
                panic!("{}:{line}: `{side}` reaches out of itself", file.display());
            }
        }
    }
    Ok(())
}

/// The number of the first line that names the other side, or a part of the crate that is not of this side: what both
/// could import from there they would share.
fn first_breach(text: &str, side: &str, other: &str) -> Option<usize> {
    let is_breach = |line: &str| {
        let code = line.split("//").next().unwrap_or_default();
        let own = format!("crate::{side}");
        // Within the braces of an import over several lines.
        let listed =
            code.trim().strip_prefix(other).is_some_and(|rest| matches!(rest, "" | ",") || rest.starts_with(" as "));
        let named = code.contains(&format!("{other}::")) || code.contains(&format!("::{other}"));
        code.replace(&own, "").contains("crate::") || listed || named
    };
    text.lines().position(is_breach).map(|index| index + 1)
}

#[test]
fn every_way_of_reaching_out_is_found() {
    for (line, found) in [
        ("use crate::handwritten::net::ip;", false),
        ("// unlike crate::declarative::net", false),
        ("use takeover_harness::path::Path;", false),
        ("use crate::declarative::net;", true),
        ("use crate::{declarative as model};", true),
        ("use super::super::declarative;", true),
        ("    declarative,", true),
        ("use crate::shared::net;", true),
        ("use crate::{handwritten, shared};", true),
        ("use crate::registry::Registry;", true),
    ] {
        assert_eq!(first_breach(line, "handwritten", "declarative").is_some(), found, "{line}");
    }
}
