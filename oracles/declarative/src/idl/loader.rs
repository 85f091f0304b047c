//! Loads packages and everything their types refer to.

use super::diagnostic::{IdlDiagnostic, IdlFault};
use super::finish::Loaded;
use super::graph::Graph;
use super::packages::Packages;
use super::sources::{self, PackageFiles, Sources};

/// Loads Go packages from roots into one type graph.
///
/// ```
/// use takeover_declarative::idl::{Loader, Memory};
///
/// let go = "package v1\n\ntype Widget struct {\n\t// +k8s:minimum=0\n\tSize int32 `json:\"size\"`\n}\n";
/// let idl = Loader::new().with(Memory::new().file("example.com/v1", "types.go", go)).load(["example.com/v1"]);
/// let idl = idl.into_result()?;
/// let widget = idl.schema.lookup("example.com/v1.Widget").ok_or("no widget")?;
/// assert_eq!(idl.types[widget.0 as usize].fields[0].tags[0].text.as_ref(), "k8s:minimum=0");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Default)]
pub struct Loader {
    sources: Vec<Box<dyn Sources>>,
}

impl Loader {
    /// A loader without roots.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a root; earlier ones win.
    #[must_use]
    pub fn with(mut self, sources: impl Sources + 'static) -> Self {
        self.sources.push(Box::new(sources));
        self
    }

    /// Import paths of all packages below the roots, in the order of the roots.
    #[must_use]
    pub fn packages(&self) -> Vec<String> {
        let mut all = Vec::new();
        for path in self.sources.iter().flat_map(|sources| sources.packages()) {
            if !all.contains(&path) {
                all.push(path);
            }
        }
        all
    }

    /// Loads these packages and, transitively, the packages their types refer to. A package that is referred to and
    /// not below any root is opaque; a package that is asked for and not there is a diagnostic.
    pub fn load<P: AsRef<str>>(&self, packages: impl IntoIterator<Item = P>) -> Loaded {
        let mut graph = Graph::new(Packages::new(&self.sources));
        for path in packages {
            let path = path.as_ref();
            if graph.package(path).is_none() {
                let message = format!("package `{path}` is not below any types root, or has no Go files");
                graph.diagnostics.push(IdlDiagnostic::without_place(IdlFault::MissingPackage, message));
            }
        }
        graph.finish()
    }

    /// The files of a package: those of the first root that has it.
    pub(crate) fn find(&self, path: &str) -> Option<PackageFiles> {
        sources::find(&self.sources, path)
    }
}
