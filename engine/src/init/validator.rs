//! Finds the validator of a webhook in Go source, by the shapes that controller-runtime asks for.

use super::walk::is_go;
use regex::Regex;
use std::fs;
use std::path::{Path, PathBuf};
use takeover_oracles::registry::go_module;

/// A type that validates a kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Validator {
    /// Name of the type.
    pub name: String,
    /// Import path of its package.
    pub import: String,
    /// What its methods take.
    pub shape: Shape,
}

/// What `ValidateCreate` takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// The context and a pointer to the kind's type.
    Typed,
    /// The context and a `runtime.Object`.
    Untyped,
    /// Nothing: it is a method of the kind's type, which returns an error, or warnings and an error.
    OfType {
        /// Whether it returns warnings.
        warns: bool,
    },
    /// Something, but no other package can name the type.
    OutOfReach,
}

/// A method `ValidateCreate` in the source of a project.
pub(super) struct Found {
    name: String,
    parameters: String,
    results: String,
    import: String,
    package: String,
    file_text: String,
}

/// Every method `ValidateCreate` in these files.
pub(super) fn methods(files: &[PathBuf]) -> Vec<Found> {
    // Receivers of generic types are no validators of one kind.
    let Ok(method) = Regex::new(r"(?m)^func \(\s*(?:\w+\s+)?\*?(\w+)\s*\) ValidateCreate\(([^)]*)\)\s*([^{]*)\{")
    else {
        return Vec::new();
    };
    let mut found = Vec::new();
    for file in files.iter().filter(|file| is_go(file)) {
        let Ok(text) = fs::read_to_string(file) else { continue };
        let Some(folder) = file.parent() else { continue };
        let package = text.lines().find_map(|line| line.strip_prefix("package ")).unwrap_or_default().trim();
        for method in method.captures_iter(&text) {
            let part = |index| method.get(index).map(|part| part.as_str().to_owned()).unwrap_or_default();
            found.push(Found {
                name: part(1),
                parameters: part(2),
                results: part(3),
                import: import_path(folder),
                package: package.to_owned(),
                file_text: text.clone(),
            });
        }
    }
    found
}

/// The validator of a kind of the package `import`, if one of the methods is its.
pub(super) fn of_kind(methods: &[Found], kind: &str, import: &str) -> Option<Validator> {
    let knows = |found: &&Found| found.import == import || found.file_text.contains(&format!("\"{import}\""));
    let all = methods.iter().filter(knows).filter_map(|found| Some((found, found.shape(kind)?)));
    // `WidgetSetValidator` begins with `Widget` too: a name that says no more than the kind and what it is comes first.
    let best = all.min_by_key(|(found, shape)| (*shape == Shape::OutOfReach, found.name.len()));
    best.map(|(found, shape)| Validator { name: found.name.clone(), import: found.import.clone(), shape })
}

impl Found {
    /// What the method takes if it judges the kind.
    fn shape(&self, kind: &str) -> Option<Shape> {
        let parameters = self.parameters.trim();
        let takes_kind = parameters.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| word == kind);
        let shape = if takes_kind && parameters.contains('*') {
            Shape::Typed
        } else if parameters.is_empty() && self.name == kind {
            Shape::OfType { warns: self.results.contains("Warnings") }
        } else if parameters.contains("Object") && self.is_named_after(kind) {
            Shape::Untyped
        } else {
            return None;
        };
        let is_exported = self.name.starts_with(char::is_uppercase) && self.package != "main";
        Some(if is_exported { shape } else { Shape::OutOfReach })
    }

    fn is_named_after(&self, kind: &str) -> bool {
        self.name.to_lowercase().starts_with(&kind.to_lowercase())
    }
}

/// The path by which the package in a folder is imported.
pub(super) fn import_path(folder: &Path) -> String {
    let whole = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
    let (root, module) = go_module(&whole);
    let below = whole.strip_prefix(&root).unwrap_or(Path::new("")).to_string_lossy().replace('\\', "/");
    if below.is_empty() { module } else { format!("{module}/{below}") }
}

#[cfg(test)]
mod tests {
    use super::{Found, Shape, of_kind};

    fn found(name: &str, parameters: &str, results: &str) -> Found {
        Found {
            name: name.to_owned(),
            parameters: parameters.to_owned(),
            results: results.to_owned(),
            import: "example.com/webhook".to_owned(),
            package: "webhook".to_owned(),
            file_text: "import v1 \"example.com/api/v1\"".to_owned(),
        }
    }

    #[test]
    fn the_shapes_of_controller_runtime_are_told_apart() {
        for (name, parameters, results, shape) in [
            (
                "WidgetCustomValidator",
                "ctx context.Context, obj *v1.Widget",
                "(admission.Warnings, error)",
                Some(Shape::Typed),
            ),
            ("Anything", "_ context.Context, w *v1.Widget", "(admission.Warnings, error)", Some(Shape::Typed)),
            ("WidgetCustomValidator", "ctx context.Context, obj runtime.Object", "(w, error)", Some(Shape::Untyped)),
            ("Widget", "", "(admission.Warnings, error)", Some(Shape::OfType { warns: true })),
            ("Widget", "", "error", Some(Shape::OfType { warns: false })),
            ("widgetValidator", "ctx context.Context, obj *v1.Widget", "error", Some(Shape::OutOfReach)),
            ("GadgetCustomValidator", "ctx context.Context, obj *v1.Gadget", "error", None),
            ("GadgetCustomValidator", "ctx context.Context, obj runtime.Object", "error", None),
            ("Gadget", "", "error", None),
        ] {
            let validator = of_kind(&[found(name, parameters, results)], "Widget", "example.com/api/v1");
            assert_eq!(validator.map(|validator| validator.shape), shape, "{name}({parameters})");
        }
    }

    #[test]
    fn a_kind_whose_name_begins_with_another_keeps_its_own_validator() {
        let untyped = "ctx context.Context, obj runtime.Object";
        let methods = [found("WidgetSetCustomValidator", untyped, ""), found("WidgetCustomValidator", untyped, "")];
        let name = |kind| of_kind(&methods, kind, "example.com/api/v1").map(|validator| validator.name);
        assert_eq!(name("Widget").as_deref(), Some("WidgetCustomValidator"));
        assert_eq!(name("WidgetSet").as_deref(), Some("WidgetSetCustomValidator"));
        assert_eq!(of_kind(&methods, "Widget", "example.com/api/v2"), None);
    }
}
