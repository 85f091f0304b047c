//! Puts the project's data into the program: packs the recorded objects and the recorded verdicts, and writes
//! tables of them.

use flate2::Compression;
use flate2::write::GzEncoder;
use std::error::Error;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> Result<(), Box<dyn Error>> {
    let root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").ok_or("CARGO_MANIFEST_DIR is not set")?);
    let out = PathBuf::from(env::var_os("OUT_DIR").ok_or("OUT_DIR is not set")?);
    for (folder, ending) in [("recorded", "yaml"), ("golden", "jsonl")] {
        let mut files = Vec::new();
        collect(&root.join(folder), ending, &mut files)?;
        files.sort();
        fs::write(out.join(folder).with_extension("rs"), table(&root, &files)?)?;
        fs::write(out.join(folder).with_extension("gz"), packed(&files)?)?;
    }
    Ok(())
}

/// Path below `root` and length of every file, as a Rust expression.
fn table(root: &Path, files: &[PathBuf]) -> Result<String, Box<dyn Error>> {
    let mut table = String::from("&[\n");
    for file in files {
        let name = file.strip_prefix(root)?.to_str().ok_or("a file has a name that is not UTF-8")?;
        let name = name.replace('\\', "/");
        writeln!(table, "    ({name:?}, {}),", fs::metadata(file)?.len())?;
    }
    table.push_str("]\n");
    Ok(table)
}

/// The texts of the files, one after the other, packed.
fn packed(files: &[PathBuf]) -> io::Result<Vec<u8>> {
    let mut packed = GzEncoder::new(Vec::new(), Compression::best());
    for file in files {
        packed.write_all(&fs::read(file)?)?;
    }
    packed.finish()
}

fn collect(folder: &Path, ending: &str, files: &mut Vec<PathBuf>) -> io::Result<()> {
    // Cargo runs this again when a file of the folder changes, comes or goes.
    println!("cargo::rerun-if-changed={}", folder.display());
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, ending, files)?;
        } else if path.extension().is_some_and(|found| found == ending) {
            files.push(path);
        }
    }
    Ok(())
}
