//! Packs the list of checks, which is built into the program, and writes the structs that the checks judge, from the Go types in
//! `oracles/idl`.

#[path = "build/structs.rs"]
mod structs;

use flate2::Compression;
use flate2::write::GzEncoder;
use std::error::Error;
use std::io::Write as _;
use std::path::PathBuf;
use std::{env, fs};

const LIST: &str = "checks.jsonl";

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=build");
    println!("cargo::rerun-if-changed={LIST}");
    let out = PathBuf::from(env::var_os("OUT_DIR").ok_or("OUT_DIR is not set")?);
    let mut packed = GzEncoder::new(Vec::new(), Compression::best());
    packed.write_all(&fs::read(LIST)?)?;
    fs::write(out.join(LIST).with_extension("gz"), packed.finish()?)?;
    let idl = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").ok_or("CARGO_MANIFEST_DIR is not set")?).join("../idl");
    println!("cargo::rerun-if-changed={}", idl.display());
    fs::write(out.join("structs.rs"), structs::written(&idl)?)?;
    Ok(())
}
