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
            for (number, line) in fs::read_to_string(&file)?.lines().enumerate() {
                let code = line.split("//").next().unwrap_or_default();
                let named = code.contains(&format!("{other}::")) || code.contains(&format!("::{other}"));
                assert!(!named, "{}:{}: `{side}` names `{other}`", file.display(), number + 1);
            }
        }
    }
    Ok(())
}
