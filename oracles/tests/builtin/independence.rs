//! The engines share nothing but the harness: a helper used by two of them would make both wrong together. Only CRDs and policies have
//! their language in common.

use std::fs;
use std::path::Path;

/// Every crate of this workspace that a manifest names, whatever it is for: tests, the build, one platform.
fn own_crates(manifest: &toml::Table) -> Vec<&str> {
    let mut found = Vec::new();
    for (name, value) in manifest {
        let Some(table) = value.as_table() else { continue };
        if name.ends_with("dependencies") {
            found.extend(table.iter().filter(|(name, of)| is_own(name, of)).map(|(name, _)| name.as_str()));
        } else {
            found.extend(own_crates(table));
        }
    }
    found
}

/// Whether a dependency is a crate of this workspace, under its own name or another one.
fn is_own(name: &str, dependency: &toml::Value) -> bool {
    let package = dependency.get("package").and_then(toml::Value::as_str).unwrap_or(name);
    package.starts_with("takeover-") || dependency.get("path").is_some()
}

/// The engines, each with the crates of this workspace that it may name. What judges CRDs and policies has nothing of what judges tags.
const ENGINES: [(&str, &[&str]); 5] = [
    ("declarative", &["takeover-harness"]),
    ("handwritten", &["takeover-harness"]),
    ("cel", &["takeover-harness"]),
    ("custom-resources", &["takeover-cel", "takeover-harness"]),
    ("admission-policies", &["takeover-cel", "takeover-custom-resources", "takeover-harness"]),
];

#[test]
fn each_engine_depends_on_no_other_one() {
    for (engine, expected) in ENGINES {
        let place = Path::new(env!("CARGO_MANIFEST_DIR")).join(engine).join("Cargo.toml");
        let manifest: toml::Table =
            fs::read_to_string(&place).expect("a manifest").parse().expect("a manifest that Cargo reads");
        let mut found = own_crates(&manifest);
        found.sort_unstable();
        found.dedup();
        assert_eq!(found, expected, "{engine}");
    }
}

/// The harness is common to all of them, so that it must not judge itself.
#[test]
fn the_harness_depends_on_no_engine() {
    let place = Path::new(env!("CARGO_MANIFEST_DIR")).join("../harness/Cargo.toml");
    let manifest: toml::Table =
        fs::read_to_string(&place).expect("a manifest").parse().expect("a manifest that Cargo reads");
    assert_eq!(own_crates(&manifest), [] as [&str; 0]);
}

/// Lines of a source file that take in another file of Rust, other than what the crate's own build wrote.
fn takes_in(source: &str) -> impl Iterator<Item = &str> {
    let code = source.lines().map(str::trim_start).filter(|line| !line.starts_with("//"));
    code.filter(|line| line.starts_with("#[path") || line.contains("include!(") && !line.contains("OUT_DIR"))
}

#[test]
fn no_engine_takes_in_source_of_another_one() {
    assert_eq!(takes_in("// include!(a)\n#[path = \"a.rs\"]\nmod a;\n    include!(\"b.rs\");").count(), 2);
    for (engine, _) in ENGINES {
        let mut open = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join(engine).join("src")];
        while let Some(place) = open.pop() {
            if place.is_dir() {
                open.extend(fs::read_dir(&place).expect("a folder").map(|entry| entry.expect("an entry").path()));
            } else if place.extension().is_some_and(|ending| ending == "rs") {
                let source = fs::read_to_string(&place).expect("a source file");
                assert_eq!(takes_in(&source).next(), None, "{}", place.display());
            }
        }
    }
}

#[test]
fn every_way_of_depending_on_a_crate_is_found() {
    for (manifest, found) in [
        ("[dependencies]\nserde = \"1\"", 0),
        ("[package]\nname = \"takeover-handwritten\"", 0),
        ("[dependencies]\ntakeover-declarative = { workspace = true }", 1),
        ("[dev-dependencies]\nother = { path = \"../declarative\" }", 1),
        ("[build-dependencies]\nother = { package = \"takeover-declarative\", version = \"1\" }", 1),
        ("[target.'cfg(unix)'.dependencies]\ntakeover-declarative = { workspace = true }", 1),
    ] {
        let table: toml::Table = manifest.parse().expect("TOML");
        assert_eq!(own_crates(&table).len(), found, "{manifest}");
    }
}
