//! The two sides share nothing but the harness: a helper used by both would make both wrong together.

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

#[test]
fn each_side_depends_on_the_harness_alone() {
    for side in ["declarative", "handwritten"] {
        let place = Path::new(env!("CARGO_MANIFEST_DIR")).join(side).join("Cargo.toml");
        let manifest: toml::Table =
            fs::read_to_string(&place).expect("a manifest").parse().expect("a manifest that Cargo reads");
        assert_eq!(own_crates(&manifest), ["takeover-harness"], "{side}");
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
