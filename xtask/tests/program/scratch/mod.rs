//! Copies of the shipped Go types to plant mistakes in.

use std::fs;
use std::path::{Path, PathBuf};

/// Copies `oracles/idl` to `to`, and in the copy's `file` the only place, or the first, that reads `from` to read `into`.
pub(crate) fn idl(to: &Path, file: &str, from: &str, into: &str) {
    copy(to);
    let types = to.join(file);
    let text = fs::read_to_string(&types).unwrap();
    assert!(text.contains(from), "{file} holds no {from:?}");
    fs::write(&types, text.replacen(from, into, 1)).unwrap();
}

/// Copies `oracles/idl` to `to`.
pub(crate) fn copy(to: &Path) {
    let shipped: PathBuf = [env!("CARGO_MANIFEST_DIR"), "..", "oracles", "idl"].iter().collect();
    copy_folder(&shipped, to);
}

fn copy_folder(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let place = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy_folder(&entry.path(), &place);
        } else {
            fs::copy(entry.path(), place).unwrap();
        }
    }
}
