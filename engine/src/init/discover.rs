//! Finds the kinds that a project declares: in Go packages that name an API group, and in CRD manifests.

use super::kind::{ApiKind, GoPackage, Source};
use super::validator::{Found, import_path, methods, of_kind};
use super::walk::{files, is_go};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use takeover_corpora::load::{Input, Limits, load};
use takeover_custom_resources::CustomKind;
use takeover_custom_resources::refuse::accepted_kinds_of_crd;
use takeover_harness::schema::{Kind, Schema, TypeId};
use takeover_harness::subject::SubjectId;
use takeover_oracles::registry::Registry;

/// What a folder declares.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Discovery {
    /// The kinds, those of Go packages first, each once.
    pub kinds: Vec<ApiKind>,
    /// What looks like types and cannot be read, as text with its place.
    pub unread: Vec<String>,
    /// The Go packages and files of CRDs that were looked at, from the folder on.
    pub looked_at: Vec<PathBuf>,
    /// Whether the folder is part of a Go module.
    pub has_go_module: bool,
}

/// Finds the kinds of a project below `folder`. A package is looked at if a comment says `+groupName=` and its folder is named after a
/// version; a kind is a struct with `TypeMeta` and `ObjectMeta`. Kinds of CRD manifests count where no package declares them;
/// others belong to their packages.
#[must_use]
pub fn discover(folder: &Path) -> Discovery {
    let files = files(folder);
    let here = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
    let mut found = Discovery {
        has_go_module: here.ancestors().any(|above| above.join("go.mod").is_file()),
        ..Discovery::default()
    };
    let methods = methods(&files);
    for package in packages(&files) {
        let below = package.strip_prefix(folder).unwrap_or(&package).to_owned();
        let below = if below.as_os_str().is_empty() { PathBuf::from(".") } else { below };
        found.looked_at.push(below.clone());
        match Registry::of_module(&package) {
            Ok(registry) => found.kinds.extend(go_kinds(&registry, &package, &below, &methods)),
            Err(error) => found.unread.push(format!("{}: {error}", below.display())),
        }
    }
    for file in manifests(folder, &files) {
        let below = file.strip_prefix(folder).unwrap_or(&file).to_owned();
        found.looked_at.push(below.clone());
        for kind in crds(&file, &below, &mut found.unread) {
            let (api_version, kind) = (kind.api_version(), kind.kind);
            let is_it = |known: &&mut ApiKind| known.api_version == api_version && known.kind == kind;
            if let Some(known) = found.kinds.iter_mut().find(is_it) {
                if let Source::Go(package) = &mut known.source {
                    package.crd.get_or_insert_with(|| below.clone());
                }
            } else {
                found.kinds.push(ApiKind { api_version, kind, source: Source::Crd(below.clone()) });
            }
        }
    }
    found
}

/// The folders of the packages that name an API group and are named after a version.
fn packages(files: &[PathBuf]) -> BTreeSet<PathBuf> {
    let names_group = |file: &&PathBuf| {
        let text = fs::read_to_string(file).unwrap_or_default();
        let comments = text.lines().filter_map(|line| line.trim_start().strip_prefix("//"));
        comments.map(str::trim_start).any(|line| line.starts_with("+groupName="))
    };
    let folders = files.iter().filter(|file| is_go(file)).filter(names_group).filter_map(|file| file.parent());
    folders.filter(|folder| is_version(folder)).map(Path::to_owned).collect()
}

/// Whether a folder is named as versions are: `v1`, `v1beta2`. Others hold the internal form of a group.
fn is_version(folder: &Path) -> bool {
    let whole = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
    let name = whole.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let Some(rest) = name.strip_prefix('v') else { return false };
    let rest = rest.trim_start_matches(|c: char| c.is_ascii_digit());
    let level = rest.trim_end_matches(|c: char| c.is_ascii_digit());
    name.as_bytes().get(1).is_some_and(u8::is_ascii_digit)
        && (rest.is_empty() || (matches!(level, "alpha" | "beta") && level.len() < rest.len()))
}

/// The kinds that a package declares itself.
fn go_kinds(registry: &Registry, package: &Path, below: &Path, methods: &[Found]) -> Vec<ApiKind> {
    let import = import_path(package);
    let schema = registry.schema();
    let own = registry.kinds().iter().filter(|kind| {
        let name = schema.get(kind.root).name.rsplit_once('.').map(|(package, _)| package.to_owned());
        name.as_deref() == Some(import.as_str()) && has_object_meta(schema, kind.root)
    });
    own.map(|known| {
        let subject = SubjectId::new(known.api_version.as_str(), known.kind.as_str());
        ApiKind {
            api_version: known.api_version.clone(),
            kind: known.kind.clone(),
            source: Source::Go(GoPackage {
                folder: below.to_owned(),
                import: import.clone(),
                rules: registry.candidate(&subject).ok().map(|(_, declared)| declared.rules().len()),
                markers: registry.foreign_markers(&subject),
                crd: None,
                validator: of_kind(methods, &known.kind, &import),
            }),
        }
    })
    .collect()
}

/// Whether objects of a type have names: lists of objects and settings of programs do not.
fn has_object_meta(schema: &Schema, root: TypeId) -> bool {
    let Kind::Struct(fields) = &schema.get(root).kind else { return false };
    let mut metadata = fields.fields.iter().filter(|field| &*field.json_name == "metadata");
    metadata.any(|field| schema.get(field.ty).name.ends_with("/meta/v1.ObjectMeta"))
}

/// The files that hold CRDs, those that controller-gen writes first: others often repeat them.
fn manifests(folder: &Path, files: &[PathBuf]) -> Vec<PathBuf> {
    let is_manifest = |file: &&PathBuf| {
        let ending = file.extension().unwrap_or_default();
        (ending == "yaml" || ending == "yml" || ending == "json")
            && fs::read_to_string(file)
                .is_ok_and(|text| text.contains("CustomResourceDefinition") && text.contains("openAPIV3Schema"))
    };
    let mut found: Vec<PathBuf> = files.iter().filter(is_manifest).cloned().collect();
    let bases = folder.join("config/crd/bases");
    found.sort_by_key(|file| !file.starts_with(&bases));
    found
}

/// The kinds of the CRDs in a file, in the versions that are served.
fn crds(file: &Path, below: &Path, unread: &mut Vec<String>) -> Vec<CustomKind> {
    let mut kinds = Vec::new();
    for document in load(vec![Input::named(file)], Limits::default()) {
        match document {
            Ok(document) if document.kind == "CustomResourceDefinition" => match accepted_kinds_of_crd(&document.value)
            {
                Ok(read) => kinds.extend(read.into_iter().filter(|kind| kind.served)),
                Err(error) => unread.push(format!("{}: {error}", below.display())),
            },
            Ok(_) => {}
            Err(error) => unread.push(format!("{}: {error}", below.display())),
        }
    }
    kinds
}

#[cfg(test)]
mod tests {
    use super::super::oracle::Language;
    use super::super::settings::settings;
    use super::{discover, is_version};
    use std::fs;
    use std::path::Path;

    #[test]
    fn versions_are_told_from_other_folders() {
        for name in ["v1", "v2beta1", "v1alpha12", "v10"] {
            assert!(is_version(Path::new(name)), "{name}");
        }
        for name in ["shop", "v", "vi", "v1beta", "v1gamma1", "v1-old", "1"] {
            assert!(!is_version(Path::new(name)), "{name}");
        }
    }

    fn package(group: &str, kind: &str) -> String {
        format!(
            "// +groupName={group}\npackage v1\n\nimport metav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n\n\
             type {kind} struct {{\n\tmetav1.TypeMeta `json:\",inline\"`\n\tmetav1.ObjectMeta `json:\"metadata,omitempty\"`\n}}\n\n\
             type {kind}List struct {{\n\tmetav1.TypeMeta `json:\",inline\"`\n\tmetav1.ListMeta `json:\"metadata,omitempty\"`\n\
             \tItems []{kind} `json:\"items\"`\n}}\n\ntype {kind}Settings struct {{\n\tmetav1.TypeMeta `json:\",inline\"`\n}}\n"
        )
    }

    #[test]
    fn a_project_of_several_groups_has_the_kinds_of_all_and_no_lists() {
        let folder = tempfile::tempdir().unwrap();
        let here = folder.path();
        for (file, text) in [
            ("go.mod", "module example.com/shop\n".to_owned()),
            ("api/shop/v1/types.go", package("shop.example.com", "Widget")),
            ("api/billing/v1/types.go", package("billing.example.com", "Invoice")),
            // The internal form of a group, what others wrote, and a package that does not load.
            ("pkg/apis/shop/types.go", package("shop.example.com", "Widget")),
            ("vendor/other/v1/types.go", package("other.example.com", "Gadget")),
            (
                "api/broken/v1/types.go",
                "// +groupName=broken.example.com\npackage v1\n\ntype Broken struct {\n".to_owned(),
            ),
        ] {
            let file = here.join(file);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, text).unwrap();
        }
        let found = discover(here);
        let kinds: Vec<_> = found.kinds.iter().map(|kind| (kind.subject(), kind.types().to_owned())).collect();
        let expected = [
            ("billing.example.com/v1 Invoice".to_owned(), "api/billing/v1".into()),
            ("shop.example.com/v1 Widget".to_owned(), "api/shop/v1".into()),
        ];
        assert_eq!(kinds, expected);
        assert!(found.has_go_module);
        let [unread] = found.unread.as_slice() else { panic!("{:?}", found.unread) };
        assert!(unread.starts_with("api/broken/v1: "), "{unread}");
    }

    #[test]
    fn a_package_without_tags_is_replaced_by_the_crd_that_is_generated_from_it() {
        let folder = tempfile::tempdir().unwrap();
        let here = folder.path();
        let tagged = package("shop.example.com", "Gadget")
            .replace("type Gadget struct {", "type Gadget struct {\n\t// +k8s:minimum=1\n\tSize int32 `json:\"size\"`");
        let crd = |kind: &str, plural: &str| {
            format!(
                "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {{name: {plural}.shop.example.com}}\n\
                 spec:\n  group: shop.example.com\n  scope: Cluster\n  names: {{kind: {kind}, plural: {plural}}}\n  versions:\n  \
                 - {{name: v1, served: true, storage: true, schema: {{openAPIV3Schema: {{type: object}}}}}}\n"
            )
        };
        for (file, text) in [
            ("go.mod", "module example.com/shop\n".to_owned()),
            ("api/shop/v1/types.go", package("shop.example.com", "Widget")),
            ("api/gadgets/v1/types.go", tagged),
            ("config/crd/bases/widgets.yaml", crd("Widget", "widgets")),
            ("config/crd/bases/gadgets.yaml", crd("Gadget", "gadgets")),
        ] {
            let file = here.join(file);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, text).unwrap();
        }
        let found = discover(here);
        assert_eq!(found.unread, Vec::<String>::new());
        let places = |kind: &str| {
            let kind = found.kinds.iter().find(|known| known.kind == kind).unwrap();
            (kind.types().to_owned(), kind.go_types().map(Path::to_owned))
        };
        let of_crd = (Path::new("config/crd/bases/widgets.yaml").to_owned(), Some(Path::new("api/shop/v1").to_owned()));
        assert_eq!(places("Widget"), of_crd);
        assert_eq!(places("Gadget"), (Path::new("api/gadgets/v1").to_owned(), None));
        let names = ["gadget", "widget"].map(str::to_owned);
        let text = settings(&found.kinds, &names, Language::Python);
        let of_widget = text.split("[[pair]]").find(|pair| pair.contains("\"Widget\"")).unwrap();
        assert!(of_widget.contains("go-types = \"api/shop/v1\"\n"), "{text}");
        assert!(of_widget.contains("candidate = { crd = true }") && of_widget.contains("webhook-to-crd"), "{text}");
    }
}
