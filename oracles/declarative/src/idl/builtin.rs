//! The types and rules that are shipped: `oracles/idl`, embedded so that an installed program needs no files.

use super::constraint;
use super::sources::{GoFile, PackageFiles, Sources};
use std::sync::Arc;

include!(concat!(env!("OUT_DIR"), "/idl.rs"));

/// Import path prefixes and the folders below `oracles/idl` that hold their packages; the longest folder decides.
const PREFIXES: &[(&str, &str)] = &[("k8s.io/apimachinery/", "apimachinery/"), ("k8s.io/api/", "")];

/// The shipped packages, by import path: `k8s.io/api/core/v1`.
#[derive(Clone, Copy, Debug)]
pub struct Builtin {
    partial: bool,
}

/// The shipped packages.
#[must_use]
pub fn builtin() -> Builtin {
    Builtin { partial: false }
}

impl Builtin {
    /// The shipped packages as a stand-in for the real ones, which declare more: names that are not here are opaque.
    #[must_use]
    pub fn stand_in(self) -> Self {
        Self { partial: true }
    }
}

/// Folder below `oracles/idl` of an import path.
fn folder(import_path: &str) -> Option<String> {
    PREFIXES.iter().find_map(|(prefix, folder)| import_path.strip_prefix(prefix).map(|rest| format!("{folder}{rest}")))
}

/// Import path of a folder below `oracles/idl`.
fn import_path(folder: &str) -> Option<String> {
    PREFIXES.iter().find_map(|(prefix, mount)| folder.strip_prefix(mount).map(|rest| format!("{prefix}{rest}")))
}

impl Sources for Builtin {
    fn package_files(&self, import_path: &str) -> Option<PackageFiles> {
        let folder = folder(import_path)?;
        let files: Vec<GoFile> = FILES
            .iter()
            .filter(|(below, name, _)| *below == folder && constraint::file_belongs(name))
            .map(|(below, name, text)| GoFile {
                name: Arc::from(format!("oracles/idl/{below}/{name}")),
                text: Ok((*text).to_owned()),
            })
            .collect();
        (!files.is_empty()).then(|| PackageFiles {
            identity: format!("builtin:{folder}"),
            files,
            partial: self.partial,
        })
    }

    fn packages(&self) -> Vec<String> {
        let mut paths: Vec<String> = FILES.iter().filter_map(|(folder, ..)| import_path(folder)).collect();
        paths.sort();
        paths.dedup();
        paths
    }
}

#[cfg(test)]
mod tests {
    use super::super::Loader;
    use super::*;
    use takeover_harness::schema::Kind;

    #[test]
    fn the_shipped_types_load_without_diagnostics() {
        let loader = Loader::new().with(builtin());
        let packages = loader.packages();
        assert!(packages.contains(&"k8s.io/apimachinery/pkg/apis/meta/v1".to_owned()), "{packages:?}");
        assert!(packages.contains(&"k8s.io/api/core/v1".to_owned()), "{packages:?}");
        let loaded = loader.load(&packages);
        let messages: Vec<String> = loaded.diagnostics.iter().map(ToString::to_string).collect();
        assert!(messages.is_empty(), "{messages:#?}");
        assert_eq!(loaded.idl.packages.len(), packages.len());
    }

    #[test]
    fn a_stand_in_has_opaque_types_for_names_that_are_not_shipped() {
        use crate::idl::Memory;
        let go = "package v1\n\nimport metav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n\ntype T struct {\n\
                  \tTime metav1.Time `json:\"time\"`\n\tOther metav1.NotShipped `json:\"other\"`\n}\n";
        for (shipped, faults) in [(builtin(), 1), (builtin().stand_in(), 0)] {
            let memory = Memory::new().file("example.com/v1", "types.go", go);
            let loaded = Loader::new().with(memory).with(shipped).load(["example.com/v1"]);
            assert_eq!(loaded.diagnostics.len(), faults, "{:?}", loaded.diagnostics);
        }
    }

    #[test]
    fn shipped_kinds_have_their_fields_through_inlined_metadata() {
        let idl = Loader::new().with(builtin()).load(["k8s.io/api/core/v1"]).into_result().unwrap();
        let id = idl.schema.lookup("k8s.io/api/core/v1.ReplicationController").unwrap();
        let (_, kind) = idl.schema.as_struct(id).unwrap();
        for name in ["apiVersion", "kind", "metadata", "spec", "status"] {
            assert!(kind.member(name).is_some(), "{name}");
        }
        assert!(matches!(idl.schema.kind(id), Kind::Struct(_)));
        assert!(idl.types[id.0 as usize].processed);
    }
}
