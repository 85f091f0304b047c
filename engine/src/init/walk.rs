//! The files of a project that a person wrote.

use std::fs;
use std::path::{Path, PathBuf};

/// How deep files are looked for.
const DEPTH: usize = 8;

/// Folders that hold what others wrote, what programs made, or what only tests read.
const LEFT_OUT: &[&str] = &["vendor", "node_modules", "third_party", "testdata", "target", "bin", "dist"];

/// The files below a folder, in the order of their names. Links are not followed.
pub(super) fn files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    walk(folder, 0, &mut files);
    files
}

fn walk(folder: &Path, depth: usize, files: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    let mut entries: Vec<_> = entries.flatten().collect();
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        match entry.file_type() {
            Ok(sort) if sort.is_file() => files.push(entry.path()),
            Ok(sort) if sort.is_dir() && depth < DEPTH && !is_left_out(&name) => walk(&entry.path(), depth + 1, files),
            _ => {}
        }
    }
}

fn is_left_out(folder: &str) -> bool {
    folder.starts_with(['.', '_']) || LEFT_OUT.contains(&folder)
}

/// Whether a file is Go source that is part of a program: no test, nothing generated.
pub(super) fn is_go(file: &Path) -> bool {
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    name.ends_with(".go") && !name.ends_with("_test.go") && !name.starts_with("zz_generated")
}
