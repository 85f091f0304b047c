//! Writes the table of the shipped Go files, `idl/<folder>/<name>.go`, that the declarative engine embeds.

use std::error::Error;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs};

fn main() -> Result<(), Box<dyn Error>> {
    let root = PathBuf::from(env::var("CARGO_MANIFEST_DIR")?).join("../idl");
    println!("cargo::rerun-if-changed={}", root.display());
    let mut files = Vec::new();
    go_files(&root, "", &mut files)?;
    files.sort();
    let mut table =
        String::from("/// Folder below `oracles/idl`, file name, text.\nconst FILES: &[(&str, &str, &str)] = &[\n");
    for (folder, name) in &files {
        let path = root.join(folder).join(name);
        writeln!(table, "    ({folder:?}, {name:?}, include_str!({:?})),", path.display().to_string())?;
    }
    table.push_str("];\n");
    fs::write(PathBuf::from(env::var("OUT_DIR")?).join("idl.rs"), table)?;
    Ok(())
}

/// Adds folder and name of every Go file below `folder`.
fn go_files(root: &Path, folder: &str, files: &mut Vec<(String, String)>) -> Result<(), Box<dyn Error>> {
    for entry in fs::read_dir(root.join(folder))? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if entry.file_type()?.is_dir() {
            let below = if folder.is_empty() { name } else { format!("{folder}/{name}") };
            go_files(root, &below, files)?;
        } else if name.ends_with(".go") {
            files.push((folder.to_owned(), name));
        }
    }
    Ok(())
}
